// Light, dark, or the system's theme. Remember the choice for the next page if the browser allows it.
"use strict";

const THEMES = ["system", "light", "dark"];

function storedTheme() {
  try {
    return localStorage.getItem("whorl-theme");
  } catch {
    return null; // Some browsers store nothing for pages on disk: the choice then lasts as long as the page.
  }
}

function storeTheme(theme) {
  try {
    localStorage.setItem("whorl-theme", theme);
  } catch {
    // As above: the choice is not remembered.
  }
}

function applyTheme(theme) {
  document.documentElement.dataset.theme = THEMES.includes(theme) ? theme : THEMES[0];
}

document.documentElement.classList.add("scripted");
applyTheme(storedTheme());

document.addEventListener("DOMContentLoaded", () => {
  const button = document.getElementById("theme");
  const name = () => { button.textContent = `Theme: ${document.documentElement.dataset.theme}`; };
  name();
  button.addEventListener("click", () => {
    const at = THEMES.indexOf(document.documentElement.dataset.theme);
    const next = THEMES[(at + 1) % THEMES.length];
    applyTheme(next);
    storeTheme(next);
    name();
  });
});
