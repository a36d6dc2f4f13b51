// Hide the names of people, submissions and files, for a screen that others see. The choice lasts as long as the tab; links
// carry it too, because some browsers store nothing for pages on disk. Names in the text of a submission stay.
"use strict";

const names = {
  hidden: false,
  except: [], // The numbers of submissions whose names are shown nevertheless.
  listeners: [],
  originals: new Map(),
  of(number) {
    return number === "" ? "name hidden" : `Submission ${number}`;
  },
  // The name to show instead of the real one.
  shown(number, name) {
    return this.hidden && !this.except.includes(String(number)) ? this.of(number) : name;
  },
  change(part) {
    Object.assign(this, part);
    try {
      sessionStorage.setItem("whorl-names", JSON.stringify({ hidden: this.hidden, except: this.except }));
    } catch {
      // As above.
    }
    this.draw();
  },
  draw() {
    restoreNames();
    if (this.hidden) replaceNames();
    document.documentElement.dataset.names = this.hidden ? "hidden" : "shown";
    for (const listener of this.listeners) listener();
  },
};

function storedNames() {
  const query = new URLSearchParams(location.search);
  const linked = { hidden: query.get("names") === "hidden", except: query.get("except")?.split("-") ?? [] };
  try {
    return JSON.parse(sessionStorage.getItem("whorl-names")) ?? linked;
  } catch {
    return linked;
  }
}

// Replace the name of an element: its label for screen readers if it has one, or its text.
function replaceName(element, text) {
  const label = element.getAttribute("aria-label");
  if (!names.originals.has(element)) names.originals.set(element, { label, text: element.textContent });
  if (label === null) element.textContent = text;
  else element.setAttribute("aria-label", text);
}

function restoreNames() {
  for (const [element, { label, text }] of names.originals) {
    if (label === null) element.textContent = text;
    else element.setAttribute("aria-label", label);
  }
  names.originals.clear();
}

function replaceNames() {
  const replaced = new Map(); // Real names, and what is shown instead, for running text.
  for (const element of document.querySelectorAll("[data-s]")) {
    const { s } = element.dataset;
    if (names.except.includes(s)) continue;
    const text = element.textContent;
    if (!element.hasAttribute("aria-label")) replaced.set(text, names.of(s));
    replaceName(element, element.localName === "text" ? s : names.of(s));
  }
  for (const element of document.querySelectorAll("[data-who]")) {
    replaced.set(element.textContent, `Person ${element.dataset.who}`);
    replaceName(element, `Person ${element.dataset.who}`);
  }
  const files = new Map();
  for (const element of document.querySelectorAll("[data-file]")) {
    const name = element.textContent;
    const extension = /\.\w{1,8}$/.exec(name)?.[0] ?? "";
    if (!files.has(name)) files.set(name, `file ${files.size + 1}${extension}`);
    replaceName(element, files.get(name));
  }
  replaceInText(new Map([...replaced, ...files]));
}

// Sentences about a pair or a file. Of two names, the longer one counts; a name inside a word does not.
function replaceInText(shown) {
  if (shown.size === 0) return;
  const longest = [...shown.keys()].filter(Boolean).sort((one, other) => other.length - one.length);
  const escaped = longest.map((name) => name.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"));
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(?:${escaped.join("|")})(?![\\p{L}\\p{N}])`, "gu");
  for (const element of document.querySelectorAll("[data-free]")) {
    replaceName(element, element.textContent.replace(pattern, (name) => shown.get(name)));
  }
}

// The title of a page may have names.
let realTitle = "";

function drawTitle() {
  document.title = (names.hidden && document.querySelector("title").dataset.hidden) || realTitle;
}

// Beside the names in the heading of a page: show or hide this one.
function drawSwitches() {
  for (const button of document.querySelectorAll("h1 .name-switch")) button.remove();
  if (!names.hidden) return;
  for (const name of document.querySelectorAll("h1 [data-s]")) {
    const { s } = name.dataset;
    const isShown = names.except.includes(s);
    const button = document.createElement("button");
    button.type = "button";
    button.className = "quiet name-switch";
    button.textContent = isShown ? "Hide" : "Show";
    button.setAttribute("aria-label", `${button.textContent} the name of ${names.of(s)}`);
    button.addEventListener("click", () => {
      names.change({ except: isShown ? names.except.filter((other) => other !== s) : [...names.except, s] });
    });
    name.after(" ", button);
  }
}

function carryNames(event) {
  const link = event.target.closest?.("a[href]");
  const href = link?.getAttribute("href") ?? "";
  if (!/^[\w./-]+\.html/.test(href)) return;
  const query = names.hidden ? `?names=hidden${names.except.length ? `&except=${names.except.join("-")}` : ""}` : "";
  link.setAttribute("href", href.replace(/\.html(\?[^#]*)?/, `.html${query}`));
}

Object.assign(names, storedNames());
// No name is drawn before it is replaced.
if (names.hidden) document.documentElement.dataset.names = "pending";

document.addEventListener("DOMContentLoaded", () => {
  const button = document.getElementById("names");
  realTitle = document.title;
  names.listeners.push(drawTitle, drawSwitches, () => { button.textContent = names.hidden ? "Show names" : "Hide names"; });
  button.addEventListener("click", () => names.change({ hidden: !names.hidden, except: [] }));
  for (const kind of ["pointerdown", "focusin", "click"]) document.addEventListener(kind, carryNames, true);
  if (names.hidden) names.draw();
});
