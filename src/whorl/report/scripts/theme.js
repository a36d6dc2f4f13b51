// Light, dark, or as the system has it. The choice is kept for the next page where the browser allows it.
"use strict";

const THEMES = ["system", "light", "dark"];

function keptTheme() {
  try {
    return localStorage.getItem("whorl-theme");
  } catch {
    return null; // Some browsers keep nothing for pages on disk: the switch then lasts as long as the page.
  }
}

function keepTheme(theme) {
  try {
    localStorage.setItem("whorl-theme", theme);
  } catch {
    // As above: nothing is lost but the memory of it.
  }
}

function applyTheme(theme) {
  document.documentElement.dataset.theme = THEMES.includes(theme) ? theme : THEMES[0];
}

document.documentElement.classList.add("scripted");
applyTheme(keptTheme());

document.addEventListener("DOMContentLoaded", () => {
  const button = document.getElementById("theme");
  const name = () => { button.textContent = `Theme: ${document.documentElement.dataset.theme}`; };
  name();
  button.addEventListener("click", () => {
    const at = THEMES.indexOf(document.documentElement.dataset.theme);
    const next = THEMES[(at + 1) % THEMES.length];
    applyTheme(next);
    keepTheme(next);
    name();
  });
});
