// A line diff of two files of a pair, made of the lines that the page has. Lines that differ in indentation only are equal.
"use strict";

const diff = document.getElementById("diff");
const diffSwitch = document.getElementById("diff-switch");
const diffFiles = document.getElementById("diff-files");

// Equal lines shown around a difference, and the least number of lines that are folded.
const AROUND = 3;
const FOLDED = 4;

// Cells of the largest table for an exact answer. Between larger stretches without a common unique line, all lines differ.
const CELLS = 250_000;

// The lines of a file in order. What the page leaves out is one entry with a note, which is equal to nothing.
function fileLines(file) {
  return [...file.querySelectorAll(".code, .left-out")].flatMap((part) => (
    part.matches(".code")
      ? [...part.children].map((line, at) => ({ number: part.start + at, text: line.textContent }))
      : [{ note: part.firstChild.textContent.trim() }]
  ));
}

function keysOf(lines, side) {
  return lines.map(({ note, text }, at) => (note === undefined ? text.trim() : `\n${side}${at}`));
}

// Lines that each side has once in its stretch, in the longest order that both have (patience diff).
function anchors(a, b, [al, ah, bl, bh]) {
  const places = new Map();
  for (let i = al; i < ah; i += 1) places.set(a[i], places.has(a[i]) ? null : { i, j: null });
  for (let j = bl; j < bh; j += 1) {
    const place = places.get(b[j]);
    if (place) places.set(b[j], place.j === null ? { i: place.i, j } : null);
  }
  const piles = [];
  for (const place of places.values()) {
    if (!place || place.j === null) continue;
    let [low, high] = [0, piles.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (piles[middle].j < place.j) low = middle + 1;
      else high = middle;
    }
    place.before = piles[low - 1];
    piles[low] = place;
  }
  const chain = [];
  for (let place = piles.at(-1); place; place = place.before) chain.push([place.i, place.j]);
  return chain.reverse();
}

// The longest common subsequence of two short stretches.
function longest(a, b, [al, ah, bl, bh]) {
  const width = bh - bl + 1;
  const table = new Uint16Array((ah - al + 1) * width);
  const at = (i, j) => (i - al) * width + j - bl;
  for (let i = ah - 1; i >= al; i -= 1) {
    for (let j = bh - 1; j >= bl; j -= 1) {
      table[at(i, j)] = a[i] === b[j] ? table[at(i + 1, j + 1)] + 1 : Math.max(table[at(i + 1, j)], table[at(i, j + 1)]);
    }
  }
  const pairs = [];
  for (let [i, j] = [al, bl]; i < ah && j < bh;) {
    if (a[i] === b[j]) pairs.push([i++, j++]);
    else if (table[at(i + 1, j)] >= table[at(i, j + 1)]) i += 1;
    else j += 1;
  }
  return pairs;
}

// Pairs of equal lines, in the order of both sides.
function equalLines(a, b, [al, ah, bl, bh]) {
  const [head, tail] = [[], []];
  while (al < ah && bl < bh && a[al] === b[bl]) head.push([al++, bl++]);
  while (al < ah && bl < bh && a[ah - 1] === b[bh - 1]) tail.unshift([--ah, --bh]);
  const box = [al, ah, bl, bh];
  if (al === ah || bl === bh) return [...head, ...tail];
  const fixed = anchors(a, b, box);
  if (fixed.length === 0) {
    return [...head, ...((ah - al) * (bh - bl) <= CELLS ? longest(a, b, box) : []), ...tail];
  }
  const middle = [];
  for (const [i, j] of fixed) {
    middle.push(...equalLines(a, b, [al, i, bl, j]), [i, j]);
    [al, bl] = [i + 1, j + 1];
  }
  return [...head, ...middle, ...equalLines(a, b, [al, ah, bl, bh]), ...tail];
}

function cell(content, className = "") {
  const element = document.createElement("td");
  element.className = className;
  element.append(content);
  return element;
}

function diffRow(kind, left, right, content) {
  const row = document.createElement("tr");
  row.className = kind;
  const sign = { removed: "−", added: "+" }[kind] ?? "";
  row.append(cell(left?.number ?? "", "n"), cell(right?.number ?? "", "n"), cell(sign), cell(content, "text"));
  return row;
}

// The parts of a line before and behind what differs from the other line; nothing if too little is equal to help.
function equalEnds(text, other) {
  const most = Math.min(text.length, other.length);
  let [start, end] = [0, 0];
  while (start < most && text[start] === other[start]) start += 1;
  while (end < most - start && text.at(-1 - end) === other.at(-1 - end)) end += 1;
  const equal = (text.slice(0, start) + text.slice(text.length - end)).trim().length;
  return 3 * equal >= text.trim().length ? [start, end] : [0, 0];
}

// A line that one side has. Of two lines at one place, the part that differs is emphasised.
function changed(kind, line, other) {
  if (line.note !== undefined) return diffRow("note", null, null, `${kind === "removed" ? "Left" : "Right"}: ${line.note}`);
  const element = document.createElement(kind === "removed" ? "del" : "ins");
  const { text } = line;
  const [start, end] = other?.text === undefined ? [0, 0] : equalEnds(text, other.text);
  const different = document.createElement(start + end > 0 ? "b" : "span");
  different.append(text.slice(start, text.length - end));
  element.append(text.slice(0, start), different, text.slice(text.length - end));
  return kind === "removed" ? diffRow(kind, line, null, element) : diffRow(kind, null, line, element);
}

function body(rows) {
  const element = document.createElement("tbody");
  element.append(...rows);
  return element;
}

// Equal lines far from a difference are shown by a click.
function equalBodies(rows, isFirst, isLast) {
  const [head, tail] = [isFirst ? 0 : AROUND, isLast ? 0 : AROUND];
  const folded = rows.slice(head, rows.length - tail);
  if (folded.length < FOLDED) return [body(rows)];
  const hidden = body(folded);
  hidden.hidden = true;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "quiet";
  button.textContent = `Show ${folded.length.toLocaleString("en")} equal lines`;
  const closed = body([diffRow("note", null, null, button)]);
  button.addEventListener("click", () => {
    hidden.hidden = false;
    closed.remove();
  });
  return [body(rows.slice(0, head)), closed, hidden, body(rows.slice(rows.length - tail))];
}

function drawDiff() {
  const sides = diffFiles.selectedOptions[0].value.split(" ").map((id) => document.getElementById(id));
  const [left, right] = (swapped ? sides.reverse() : sides).map(fileLines);
  const equal = equalLines(keysOf(left, "l"), keysOf(right, "r"), [0, left.length, 0, right.length]);
  const bodies = [];
  let [i, j, run] = [0, 0, []];
  for (const [nextI, nextJ] of [...equal, [left.length, right.length]]) {
    if (i < nextI || j < nextJ) {
      if (run.length > 0) bodies.push(...equalBodies(run, bodies.length === 0, false));
      const [gone, fresh] = [left.slice(i, nextI), right.slice(j, nextJ)];
      bodies.push(body([
        ...gone.map((line, at) => changed("removed", line, fresh[at])),
        ...fresh.map((line, at) => changed("added", line, gone[at])),
      ]));
      run = [];
    }
    if (nextI < left.length) run.push(diffRow("equal", left[nextI], right[nextJ], left[nextI].text));
    [i, j] = [nextI + 1, nextJ + 1];
  }
  if (run.length > 0) bodies.push(...equalBodies(run, bodies.length === 0, true));
  const table = diff.querySelector("table");
  for (const old of [...table.tBodies]) old.remove();
  table.append(...bodies);
  const count = (kind) => table.querySelectorAll(`tr.${kind}`).length.toLocaleString("en");
  document.getElementById("diff-count").textContent = `Lines only on the left: ${count("removed")}, only on the right: `
    + `${count("added")}, equal: ${count("equal")}. Indentation does not count.`;
}

// Two files that share a passage, the longest passage first.
function filePairs() {
  const pairs = new Map();
  for (const item of items) {
    const files = panes.map((pane) => anchorIn(pane, item.dataset.p)?.closest("details.file"));
    if (files.every(Boolean)) pairs.set(files.map((file) => file.id).join(" "), swapped ? files.reverse() : files);
  }
  return pairs;
}

function showDiff(on) {
  document.body.classList.toggle("diffing", on);
  diff.hidden = !on;
  diffSwitch.firstChild.textContent = on ? "Side by side " : "Line diff ";
  if (!on) return;
  const chosen = diffFiles.value;
  diffFiles.replaceChildren(...[...filePairs()].map(([ids, files]) => {
    const names = files.map((file) => file.querySelector("[data-file]").textContent);
    return new Option(names.join(" and "), ids, false, ids === chosen);
  }));
  drawDiff();
}

function toggleDiff() {
  showDiff(diff.hidden);
}

for (const [side, pane] of panes.entries()) {
  for (const file of pane.querySelectorAll("details.file")) file.id = `file-${"lr"[side]}${file.dataset.number}`;
}
if (filePairs().size > 0) {
  diffSwitch.addEventListener("click", toggleDiff);
  diffFiles.addEventListener("change", drawDiff);
  ACTIONS.d = toggleDiff;
} else {
  diffSwitch.hidden = true;
}
names.listeners.push(() => {
  if (!diff.hidden) showDiff(true);
});
