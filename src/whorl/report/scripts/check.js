// A manuscript: exclusions are applied here as in Python, and a click shows the source's passage beside the text.
"use strict";

const COLOURS = 7;
const facts = JSON.parse(document.getElementById("data").textContent);
const rules = document.getElementById("rules");
const list = document.getElementById("sources");
const beside = document.getElementById("beside");
const marks = new Map([...document.querySelectorAll("#text mark")].map((mark) => [Number(mark.dataset.i), mark]));
const isOn = facts.sources.map((source) => source.excluded === "");
let owners = [];
let order = []; // the sources, best first
let isWhole = false; // whether all sources are listed
let at = -1;

function expand(ranges) {
  return ranges.flatMap(([start, end]) => Array.from({ length: end - start }, (_, step) => start + step));
}

for (const source of facts.sources) {
  for (const passage of source.passages) passage.all = expand(passage.pieces);
}
const places = Object.entries(facts.places).map(([name, ranges]) => [name, expand(ranges)]);

function sum(pieces, column) {
  let total = 0;
  for (const piece of pieces) total += facts.pieces[piece][column];
  return total;
}

function leftOut() {
  const reasons = new Map();
  for (const [name, pieces] of places) {
    if (rules.elements[name].checked) for (const piece of pieces) reasons.set(piece, name);
  }
  return reasons;
}

// Return the pieces of each source that count. A few letters beside those that are left out are chance.
function counted(reasons) {
  const least = Number(rules.elements.words.value) || 0;
  const leastTokens = Number(rules.elements.tokens?.value) || 0;
  return facts.sources.map((source, number) => {
    const pieces = new Set();
    if (!isOn[number]) return pieces;
    for (const passage of source.passages) {
      if (passage.tokens < leastTokens) continue;
      const rest = passage.all.filter((piece) => !reasons.has(piece));
      const letters = sum(rest, 0);
      if (letters < facts.residue && letters < sum(passage.all, 0)) continue;
      if (sum(rest, 1) >= least) for (const piece of rest) pieces.add(piece);
    }
    return pieces;
  });
}

// Give each piece to one source: first to the one that explains most, then to the best for the rest.
function attribute(coverages) {
  const owner = new Map();
  const shares = [];
  const holders = new Map();
  const letters = coverages.map((pieces) => sum(pieces, 0));
  coverages.forEach((pieces, number) => {
    for (const piece of pieces) holders.set(piece, [...(holders.get(piece) ?? []), number]);
  });
  const full = [...letters];
  for (;;) {
    const most = Math.max(0, ...letters);
    if (!most) return { owner, shares };
    const best = letters.indexOf(most);
    if (most < facts.residue && most < full[best]) {
      letters[best] = 0;
      continue;
    }
    shares.push([best, most]);
    for (const piece of coverages[best]) {
      if (owner.has(piece)) continue;
      owner.set(piece, shares.length);
      for (const number of holders.get(piece)) letters[number] = Math.max(0, letters[number] - facts.pieces[piece][0]);
    }
  }
}

// Only 1 is 100% and only 0 is 0%.
function percent(letters) {
  const share = letters / Math.max(1, facts.letters);
  if (share <= 0 || share >= 1) return `${100 * share}%`;
  return share < 0.01 ? "<1%" : `${Math.min(99, Math.round(100 * share))}%`;
}

function paint(owner, reasons) {
  const matched = new Set(facts.sources.flatMap((source) => source.passages.flatMap((passage) => passage.all)));
  const inPlaces = new Map(places.flatMap(([name, pieces]) => pieces.map((piece) => [piece, name])));
  let before = 0;
  let last = -2;
  for (const [piece, mark] of marks) {
    const rank = owner.get(piece) ?? 0;
    const look = matched.has(piece) ? "x" : inPlaces.has(piece) ? "place" : "none";
    mark.className = rank ? `p${(rank - 1) % COLOURS}` : look;
    mark.title = rank ? "" : look === "x" ? `Left out: ${reasons.get(piece) ?? "source or short passage"}` : inPlaces.get(piece) ?? "";
    if (rank && (rank !== before || piece !== last + 1)) mark.dataset.n = rank;
    else delete mark.dataset.n;
    [before, last] = [rank, piece];
  }
}

function element(name, text, className = "") {
  const made = document.createElement(name);
  made.textContent = text;
  made.className = className;
  return made;
}

function item(number, rank, letters) {
  const source = facts.sources[number];
  const row = element("li", "", rank ? "" : "out");
  const box = document.createElement("input");
  box.type = "checkbox";
  box.checked = isOn[number];
  box.setAttribute("aria-label", `Count ${source.title}`);
  box.addEventListener("change", () => {
    isOn[number] = box.checked;
    update();
    list.querySelector(`input[data-s="${number}"]`).focus();
  });
  box.dataset.s = number;
  const badge = element("span", "", `badge p${(rank + COLOURS - 1) % COLOURS}`);
  badge.dataset.p = rank || "";
  const button = element("button", source.title);
  button.type = "button";
  button.addEventListener("click", () => nextOf(number, rank));
  const why = isOn[number] || source.excluded === "" ? [] : [`left out: ${source.excluded}`];
  row.append(box, badge, button, element("span", rank ? percent(letters) : "–", "n"));
  row.append(element("span", [...source.about, ...why].join(", "), "about"));
  return row;
}

function update() {
  const reasons = leftOut();
  const { owner, shares } = attribute(counted(reasons));
  owners = owner;
  paint(owner, reasons);
  const ranks = new Map(shares.map(([number, letters], place) => [number, [place + 1, letters]]));
  order = [...new Set([...shares.map(([number]) => number), ...facts.sources.keys()])];
  const listed = order.slice(0, isWhole ? order.length : facts.limit);
  list.replaceChildren(...listed.map((number) => item(number, ...(ranks.get(number) ?? [0, 0]))));
  if (listed.length < order.length) list.append(rest(order.slice(facts.limit), ranks));
  document.getElementById("similarity").textContent = percent(sum(owner.keys(), 0));
  document.getElementById("count").textContent = shares.length;
}

// The row that stands for the sources that are not listed.
function rest(numbers, ranks) {
  const row = element("li", "", "rest");
  const letters = numbers.reduce((total, number) => total + (ranks.get(number)?.[1] ?? 0), 0);
  const button = element("button", `Show ${numbers.length.toLocaleString("en")} more`);
  button.type = "button";
  button.addEventListener("click", () => { isWhole = true; update(); });
  row.append(button, element("span", letters ? percent(letters) : "–", "n"));
  return row;
}

// The sources with a passage at a piece; the one that explains it first.
function witnesses(piece) {
  const pairs = facts.sources.flatMap((source, number) =>
    source.passages.filter((passage) => passage.all.includes(piece)).map((passage) => [number, passage]));
  const rank = owners.get(piece);
  const owner = rank ? order[rank - 1] : -1;
  return pairs.sort((a, b) => (b[0] === owner) - (a[0] === owner));
}

function show(piece, chosen = null) {
  const pairs = witnesses(piece);
  if (!pairs.length) return;
  const [number, passage] = pairs.find(([each]) => each === chosen) ?? pairs[0];
  const source = facts.sources[number];
  const title = document.getElementById("beside-title");
  title.replaceChildren(source.url ? Object.assign(element("a", source.title), { href: source.url, rel: "noreferrer noopener" }) : source.title);
  const where = [`${passage.here} here`, passage.there && `${passage.there} there`, passage.edited && "words were changed"];
  document.getElementById("beside-about").textContent = [...where, ...source.about].filter(Boolean).join(", ");
  const [before, text, after] = passage.texts;
  const look = marks.get(piece).className.split(" ")[0];
  document.getElementById("beside-text").replaceChildren(
    ...(text === null ? ["The index stores fingerprints only, no texts."] : [element("span", before), element("mark", text, look), element("span", after)]));
  const others = [...new Set(pairs.map(([each]) => each))].filter((each) => each !== number);
  document.getElementById("beside-others").replaceChildren(...(others.length ? ["Also in: "] : []), ...others.map((each) => {
    const button = element("button", facts.sources[each].title, "quiet");
    button.type = "button";
    button.addEventListener("click", () => show(piece, each));
    return button;
  }));
  beside.hidden = false;
  for (const mark of document.querySelectorAll("#text mark.on")) mark.classList.remove("on");
  for (const each of passage.all) marks.get(each).classList.add("on");
}

function go(piece) {
  at = piece;
  marks.get(piece).scrollIntoView({ block: "center" });
  show(piece);
}

function starts() {
  return [...marks].filter(([, mark]) => mark.dataset.n).map(([piece]) => piece);
}

function nextOf(number, rank) {
  const own = rank ? starts().filter((piece) => owners.get(piece) === rank) : facts.sources[number].passages.map((each) => each.all[0]);
  if (own.length) go(own.find((piece) => piece > at) ?? own[0]);
  show(at, number);
}

document.getElementById("text").addEventListener("click", (event) => {
  const mark = event.target.closest("mark");
  if (mark) show(at = Number(mark.dataset.i));
});
document.getElementById("close").addEventListener("click", () => { beside.hidden = true; });
document.addEventListener("keydown", (event) => {
  if (event.target.matches("input") || event.ctrlKey || event.metaKey || event.altKey) return;
  const all = starts();
  const piece = event.key === "n" ? all.find((each) => each > at) : event.key === "p" ? all.findLast((each) => each < at) : undefined;
  if (piece !== undefined) go(piece);
});
rules.addEventListener("input", update);
rules.addEventListener("submit", (event) => event.preventDefault());
rules.addEventListener("reset", () => {
  facts.sources.forEach((source, number) => { isOn[number] = source.excluded === ""; });
  setTimeout(update);
});
update();
