// A pair: choosing a passage marks it on both sides and brings the two sides of it beside each other.
"use strict";

const panes = [document.getElementById("l"), document.getElementById("r")];
const items = [...document.querySelectorAll("#passages li")];
const keys = document.getElementById("keys");
let current = 0;

function anchorIn(pane, passage) {
  return document.getElementById(`${pane.id}${passage}`);
}

function mark(passage) {
  for (const element of document.querySelectorAll("mark.on")) element.classList.remove("on");
  for (const element of document.querySelectorAll(`mark[data-p="${passage}"]`)) element.classList.add("on");
  for (const item of items) {
    if (Number(item.dataset.p) === passage) item.setAttribute("aria-current", "true");
    else item.removeAttribute("aria-current");
  }
}

// Scrolls a pane so that the passage begins at this height in it.
function scrollTo(pane, passage, height) {
  const anchor = anchorIn(pane, passage);
  if (anchor === null) return;
  anchor.closest("details").open = true;
  pane.scrollTop += heightIn(pane, anchor) - height;
}

function heightIn(pane, element) {
  return element.getBoundingClientRect().top - pane.getBoundingClientRect().top;
}

// Chosen in a source: that side stays, and the other comes to the same height. If the beginning is out of sight there,
// the other side shows its own near an edge.
function heightBeside(from, passage) {
  const anchor = anchorIn(from, passage);
  const height = anchor === null ? 0 : heightIn(from, anchor);
  return Math.min(Math.max(height, 60), from.clientHeight - 60);
}

// Chosen elsewhere: a quarter down, or as far as the side goes down on which the passage begins highest.
function commonHeight(passage) {
  const heights = panes.map((pane) => {
    const anchor = anchorIn(pane, passage);
    return anchor === null ? Infinity : heightIn(pane, anchor) + pane.scrollTop;
  });
  return Math.min(panes[0].clientHeight / 4, ...heights);
}

function select(passage, from = null) {
  current = passage;
  mark(passage);
  items[passage - 1].scrollIntoView({ block: "nearest" });
  const height = from === null ? commonHeight(passage) : heightBeside(from, passage);
  for (const pane of panes) {
    if (pane !== from) scrollTo(pane, passage, height);
  }
}

function step(by) {
  if (items.length === 0) return;
  const start = current === 0 && by < 0 ? 1 : current;
  select(((start - 1 + by + items.length) % items.length) + 1);
}

for (const pane of panes) {
  pane.addEventListener("click", (event) => {
    const hit = event.target.closest("[data-p]");
    if (hit === null || !window.getSelection().isCollapsed) return;
    event.preventDefault();
    select(Number(hit.dataset.p), pane);
  });
}

for (const item of items) item.addEventListener("click", () => select(Number(item.dataset.p)));

document.getElementById("passages")?.addEventListener("keydown", (event) => {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (by === undefined) return;
  event.preventDefault();
  step(by);
  items[current - 1].querySelector("button").focus({ preventScroll: true });
});

const ACTIONS = {
  n: () => step(1),
  j: () => step(1),
  p: () => step(-1),
  k: () => step(-1),
  "[": () => document.getElementById("previous")?.click(),
  "]": () => document.getElementById("following")?.click(),
  "?": () => keys.showModal(),
};

// On many keyboards a bracket needs AltGr, which some systems report as Ctrl and Alt.
function hasCommandKey(event) {
  return (event.ctrlKey || event.metaKey || event.altKey) && !event.getModifierState("AltGraph");
}

document.addEventListener("keydown", (event) => {
  if (hasCommandKey(event) || keys.open || !(event.key in ACTIONS)) return;
  event.preventDefault();
  ACTIONS[event.key]();
});
document.getElementById("help").addEventListener("click", () => keys.showModal());

// A link may name a passage. The browser scrolls to it on its own first.
addEventListener("load", () => {
  const asked = /^#[lr](\d+)$/.exec(location.hash);
  if (asked !== null && items[Number(asked[1]) - 1] !== undefined) select(Number(asked[1]));
});
