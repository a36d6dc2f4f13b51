// Evidence for a hearing, on paper and as a file: a first page in plain words, both sides of each passage, and the record.
"use strict";

function copied(line) {
  const copy = line.cloneNode(true);
  for (const badge of copy.querySelectorAll(".badge")) badge.remove();
  for (const mark of copy.querySelectorAll(".on")) mark.classList.remove("on");
  return copy;
}

// Lines from the first number up to the second, as lists of neighbouring lines. Numbers that the page leaves out are named.
function column(lines, from, to) {
  const cell = document.createElement("div");
  const present = lines.filter(({ number }) => number >= from && number < to);
  for (const [at, { line, number }] of present.entries()) {
    if (at === 0 || number !== present[at - 1].number + 1) {
      cell.append(Object.assign(document.createElement("ol"), { className: "code", start: number }));
    }
    cell.lastElementChild.append(copied(line));
  }
  if (present.length < to - from) {
    const note = document.createElement("p");
    note.className = "left-out";
    note.textContent = `${to - from - present.length} of the lines ${from}–${to - 1} had no room on the page of this pair: read the file.`;
    cell.append(note);
  }
  return cell;
}

// One passage: its title, and its rows, which begin with a match on both sides. Rows in `seen` are not repeated: passages
// found in several ways overlap.
function passageBlock(item, seen) {
  const sides = panes.map((pane) => passageLines(pane, Number(item.dataset.p)));
  const bounds = item.dataset.rows.split(" ").map((row) => row.split(":").map(Number));
  const block = document.createElement("section");
  const title = document.createElement("h2");
  title.textContent = item.querySelector(".badge").getAttribute("aria-label");
  block.append(title);
  const rows = bounds.slice(0, -1).map((from, at) => ({ from, to: bounds[at + 1] }));
  const isNew = ({ from, to }) => sides.some((lines, side) => lines.some(
    ({ line, number }) => number >= from[side] && number < to[side] && !seen.has(line),
  ));
  const fresh = rows.filter((row) => seen.size === 0 || isNew(row));
  for (const { from, to } of fresh) {
    const both = document.createElement("div");
    both.className = "both";
    both.append(...sides.map((lines, side) => column(lines, from[side], to[side])));
    block.append(both);
  }
  if (fresh.length < rows.length) {
    const note = document.createElement("p");
    note.className = "hint";
    note.textContent = fresh.length === 0 ? "Its lines are in the passages above." : "Its other lines are in the passages above.";
    block.append(note);
  }
  for (const { line } of sides.flat()) seen.add(line);
  return block;
}

const record = document.querySelector(".record details");

// The sides are in the order of the record.
let wasSwapped = false;

function align(on) {
  if (on && swapped) {
    wasSwapped = true;
    swapSides();
  }
  document.body.classList.toggle("hearing", on);
  const seen = new Set();
  document.getElementById("aligned").replaceChildren(...(on ? items.map((item) => passageBlock(item, seen)) : []));
  record.open = on;
  if (!on && wasSwapped) {
    wasSwapped = false;
    swapSides();
  }
}

const printed = matchMedia("print");
addEventListener("beforeprint", () => align(true));
addEventListener("afterprint", () => align(false));
printed.addEventListener("change", () => align(printed.matches));

// The same as a file without scripts and without links to other pages. Marks and notes of the reader stay out of it.
const NOT_SAVED = "script, dialog, nav, form, main, .meaning, .ignore, #ignored, .line > button, .name-switch";

function saved() {
  align(true);
  const copy = document.documentElement.cloneNode(true);
  align(false);
  for (const element of copy.querySelectorAll(NOT_SAVED)) element.remove();
  for (const button of copy.querySelectorAll("button")) {
    const badge = document.createElement("span");
    badge.className = button.className;
    badge.dataset.p = button.dataset.p;
    button.replaceWith(badge);
  }
  const policy = copy.querySelector("meta[http-equiv]");
  policy.content = policy.content.replace(/script-src [^;]*; /, "");
  for (const name of ["class", "data-theme", "data-names"]) copy.removeAttribute(name);
  copy.querySelector("[aria-current]")?.removeAttribute("aria-current");
  return `<!doctype html>\n${copy.outerHTML}\n`;
}

document.getElementById("save").addEventListener("click", () => {
  const sides = [...document.querySelectorAll("h1 [data-s]")].map((side) => side.textContent);
  const name = ["hearing", ...sides].join("-").replace(/[^\p{L}\p{N}._-]+/gu, "_").slice(0, 120);
  saveFile(`${name}.html`, saved(), "text/html");
});
