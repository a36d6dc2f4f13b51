// A pair: selecting a passage marks it on both sides and scrolls both to the same height.
"use strict";

const panes = [document.getElementById("l"), document.getElementById("r")];
const items = [...document.querySelectorAll("#passages li")];
const keys = document.getElementById("keys");
const maps = [...document.querySelectorAll(".map [data-p]")];
const tops = [0, 0]; // Where each pane is known to be: what differs from it, a person has scrolled.
let together = true;
let current = 0;

function anchorIn(pane, passage) {
  return document.getElementById(`${pane.id}${passage}`);
}

// The shortest passages of very many are not in the list.
function itemOf(passage) {
  return items[passage - 1];
}

function mark(passage) {
  for (const element of document.querySelectorAll("mark.on")) element.classList.remove("on");
  for (const element of document.querySelectorAll(`mark[data-p="${passage}"]`)) element.classList.add("on");
  for (const link of maps) link.classList.toggle("on", Number(link.dataset.p) === passage);
  for (const item of items) {
    if (Number(item.dataset.p) === passage) item.setAttribute("aria-current", "true");
    else item.removeAttribute("aria-current");
  }
}

// Scroll a pane so that the passage begins at this height.
function scrollTo(pane, passage, height) {
  const anchor = anchorIn(pane, passage);
  if (anchor !== null) pane.scrollTop += heightIn(pane, anchor) - height;
}

function heightIn(pane, element) {
  return element.getBoundingClientRect().top - pane.getBoundingClientRect().top;
}

// Selected in a source: that side stays if it can, and the other comes to its height. Selected elsewhere: a quarter down.
// Near the top of a side, a passage cannot come further down.
function commonHeight(passage, from) {
  const own = from === null ? null : anchorIn(from, passage);
  const wanted = own === null ? panes[0].clientHeight / 4 : heightIn(from, own);
  const highest = panes.map((pane) => {
    const anchor = anchorIn(pane, passage);
    return anchor === null ? Infinity : heightIn(pane, anchor) + pane.scrollTop;
  });
  return Math.min(Math.max(wanted, 60), panes[0].clientHeight - 60, ...highest);
}

function select(passage, from = null) {
  current = passage;
  showDiff(false);
  mark(passage);
  itemOf(passage)?.scrollIntoView({ block: "nearest" });
  for (const pane of panes) {
    const file = anchorIn(pane, passage)?.closest("details.file");
    if (file) file.open = true;
  }
  const height = commonHeight(passage, from);
  for (const [side, pane] of panes.entries()) {
    scrollTo(pane, passage, height);
    tops[side] = pane.scrollTop;
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

for (const [side, pane] of panes.entries()) {
  pane.addEventListener("scroll", () => {
    const moved = pane.scrollTop - tops[side];
    tops[side] = pane.scrollTop;
    if (!together || moved === 0) return;
    panes[1 - side].scrollTop += moved;
    tops[1 - side] = panes[1 - side].scrollTop;
  });
}

for (const link of maps) {
  link.addEventListener("click", (event) => {
    event.preventDefault();
    select(Number(link.dataset.p));
  });
}

// Close all files of a side, or open them if all are closed.
function closeAll(pane, button) {
  const files = [...pane.querySelectorAll("details.file")];
  const close = files.some((file) => file.open);
  for (const file of files) file.open = !close;
  button.textContent = close ? "Open all" : "Close all";
}

for (const pane of panes) {
  const button = pane.querySelector(".close-all");
  button?.addEventListener("click", () => closeAll(pane, button));
}

function toggleTogether() {
  together = !together;
  document.getElementById("together").setAttribute("aria-pressed", String(together));
}

document.getElementById("together").addEventListener("click", toggleTogether);

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
  s: toggleTogether,
  "?": () => keys.showModal(),
};

// On many keyboards a bracket needs AltGr, which some systems report as Ctrl and Alt.
function hasCommandKey(event) {
  return (event.ctrlKey || event.metaKey || event.altKey) && !event.getModifierState("AltGraph");
}

document.addEventListener("keydown", (event) => {
  if (hasCommandKey(event) || keys.open || event.target.closest("input, select") || !(event.key in ACTIONS)) return;
  event.preventDefault();
  ACTIONS[event.key]();
});
document.getElementById("help").addEventListener("click", () => keys.showModal());

// The lines of a side with their numbers, in order.
const numbered = new Map();

function linesIn(pane) {
  if (!numbered.has(pane)) {
    const lists = [...pane.querySelectorAll(".code")];
    numbered.set(pane, lists.flatMap((list) => [...list.children].map((line, at) => ({ line, number: list.start + at }))));
  }
  return numbered.get(pane);
}

// The lines of a passage, from the first mark to the last. Lines that are left out of the page are missing.
function passageLines(pane, passage) {
  const marks = pane.querySelectorAll(`mark[data-p="${passage}"]`);
  if (marks.length === 0) return [];
  const [first, last] = [marks[0], marks[marks.length - 1]].map((element) => element.closest("li"));
  const lines = linesIn(pane);
  return lines.slice(lines.findIndex(({ line }) => line === first), lines.findIndex(({ line }) => line === last) + 1);
}

// An ignored passage counts as starter code when the comparison is repeated with the saved review marks.
function sidesOf(passage) {
  return panes.map((pane) => ({
    format: anchorIn(pane, passage)?.closest("details.file").dataset.language ?? "text",
    text: passageLines(pane, passage).map(({ line }) => line.textContent).join("\n"),
  })).filter((side) => side.text !== "");
}

function ignored() {
  return review.of(...reviewData.pair).ignored ?? [];
}

function setIgnored(sides) {
  review.set(...reviewData.pair, { ignored: sides });
  drawIgnored();
}

function drawIgnored() {
  const texts = new Set(ignored().map((side) => side.text));
  for (const item of items) {
    const sides = texts.size === 0 ? [] : sidesOf(Number(item.dataset.p));
    const isIgnored = sides.length > 0 && sides.every((side) => texts.has(side.text));
    item.classList.toggle("ignored", isIgnored);
    item.querySelector(".ignore").setAttribute("aria-pressed", String(isIgnored));
  }
  const note = document.getElementById("ignored");
  note.hidden = texts.size === 0;
  note.querySelector("span").textContent = "Ignored passages count as starter code from the next run on: "
    + "save the review marks on the overview, and add --review FILE to the command.";
}

function toggleIgnored(item) {
  const sides = sidesOf(Number(item.dataset.p));
  const others = ignored().filter((old) => !sides.some((side) => side.text === old.text));
  setIgnored(item.classList.contains("ignored") ? others : [...others, ...sides]);
}

for (const item of items) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "quiet ignore";
  button.textContent = "Ignore";
  button.title = "Count as starter code from the next run on";
  button.setAttribute("aria-label", `Ignore passage ${item.dataset.p}`);
  button.addEventListener("click", (event) => {
    event.stopPropagation();
    toggleIgnored(item);
  });
  item.querySelector(".n").append(" ", button);
}
document.querySelector("#ignored button").addEventListener("click", () => setIgnored([]));
drawIgnored();

// Previous and next follow the filter and the order of the overview in this tab, if there are any.
function storedOrder() {
  try {
    return JSON.parse(sessionStorage.getItem(`whorl-view:${location.pathname.replace(/pair\/[^/]*$/, "")}`))?.order ?? [];
  } catch {
    return [];
  }
}

function follow(order) {
  const rank = document.getElementById("rank");
  const at = order.indexOf(Number(rank.dataset.number) - 1);
  if (at < 0) return;
  rank.textContent = `Pair ${at + 1} of ${order.length.toLocaleString("en")} shown`;
  for (const [id, number] of [["previous", order[at - 1]], ["following", order[at + 1]]]) {
    const link = document.getElementById(id);
    link.hidden = number === undefined;
    if (number === undefined) link.removeAttribute("href");
    else link.href = `${String(number + 1).padStart(4, "0")}.html`;
  }
}

follow(storedOrder());

// Begin at the passage that a link names, or at the longest. The browser scrolls first.
addEventListener("load", () => {
  const target = /^#[lr](\d+)$/.exec(location.hash);
  const passage = target === null ? 1 : Number(target[1]);
  if (items[passage - 1] !== undefined) select(passage);
});
