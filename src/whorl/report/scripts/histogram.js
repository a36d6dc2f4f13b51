// The histograms of scores and of another measure: fade bars below the minimum, drag the minimum along them, and draw
// them again with wider bars, on another scale or of another measure.
"use strict";

const histogram = document.getElementById("histogram");
const lengths = document.getElementById("lengths");

// Call a function with the place of the pointer, in units of the picture.
function onDrag(picture, move) {
  const moved = (event) => {
    const box = picture.getBoundingClientRect();
    const at = Math.round((picture.viewBox.baseVal.width * (event.clientX - box.left)) / box.width);
    move(Math.max(0, at));
  };
  picture.addEventListener("pointerdown", (event) => {
    picture.setPointerCapture(event.pointerId);
    moved(event);
  });
  picture.addEventListener("pointermove", (event) => {
    if (picture.hasPointerCapture(event.pointerId)) moved(event);
  });
}

function fade(picture, least) {
  for (const rect of picture.querySelectorAll("rect")) {
    rect.classList.toggle("below", Number(rect.dataset.from) < least);
  }
}

// Draw the counts of bars by their starts, each with a title.
function drawBars(picture, counts, width, titleOf) {
  const isLog = document.querySelector(`[data-log="${picture.id}"]`).checked;
  const largest = Math.max(1, ...counts.values());
  for (const rect of picture.querySelectorAll("rect")) rect.remove();
  picture.prepend(...[...counts].map(([start, count]) => {
    const [rect, title] = ["rect", "title"].map((name) => document.createElementNS(picture.namespaceURI, name));
    const height = 100 * (isLog ? Math.log1p(count) / Math.log1p(largest) : count / largest);
    const place = { x: start + 0.08, width: width - 0.16, y: 100 - height, height };
    for (const [name, value] of Object.entries(place)) rect.setAttribute(name, value);
    title.textContent = `${titleOf(start)}: ${count.toLocaleString("en")} ${count === 1 ? "pair" : "pairs"}`;
    rect.append(title);
    return rect;
  }));
  picture.parentElement.querySelector(".peak").textContent = largest.toLocaleString("en");
}

function countBy(items, barOf, countOf = () => 1) {
  const counts = new Map();
  for (const item of items) counts.set(barOf(item), (counts.get(barOf(item)) ?? 0) + countOf(item));
  return counts;
}

// The scores of all pairs, one count for each percent. Scores of exactly 100% have a bar of one percent in any case.
const barWidth = document.getElementById("bar-width");
const percents = [...histogram.querySelectorAll("rect")].map(({ dataset: { from, n } }) => [Number(from), Number(n)]);

function drawScores() {
  const width = Number(barWidth.value);
  const counts = countBy(percents, ([from]) => width * Math.floor(from / width), ([, count]) => count);
  drawBars(histogram, counts, width, (start) => (width === 1 || start === 100 ? `${start}%` : `${start}–${start + width - 1}%`));
  for (const rect of histogram.querySelectorAll("rect")) {
    rect.dataset.from = Math.round(Number(rect.getAttribute("x")) - 0.08);
    if (rect.dataset.from === "100") rect.setAttribute("width", 0.84);
  }
  fade(histogram, shown.minimum);
}

// The picture has one unit for each percent, and one more for pairs of exactly 100.
onDrag(histogram, (at) => shown.change({ minimum: Math.min(100, at) }));
for (const input of [barWidth, document.querySelector('[data-log="histogram"]')]) input.addEventListener("change", drawScores);

shown.listeners.push(() => {
  fade(histogram, shown.minimum);
  const line = histogram.querySelector("line.minimum");
  line.setAttribute("x1", shown.minimum);
  line.setAttribute("x2", shown.minimum);
});

const measure = document.getElementById("measure");

function measured(pair) {
  if (measure.value === "longest" || measure.value === "common") return pair[measure.value];
  const share = measure.value === "coverage" ? Math.max(pair.leftCoverage, pair.rightCoverage) : pair[measure.value];
  return Math.floor(100 * share + 1e-6);
}

// As many bars as the page has at first: steps of 1, 2 or 5 times a power of ten, and at most 40 of them.
function stepOf(largest) {
  for (let power = 1; ; power *= 10) {
    for (const step of [power, 2 * power, 5 * power]) if (largest < 40 * step) return step;
  }
}

function drawMeasure() {
  const values = pairs.map(measured).sort((one, other) => one - other);
  const isShare = measure.value !== "longest" && measure.value !== "common";
  const [largest, unit] = [isShare ? 100 : values.at(-1), isShare ? "%" : ` ${lengths.dataset.symbols}`];
  const step = isShare ? 5 : stepOf(largest);
  const bars = Math.floor(largest / step) + 1;
  lengths.setAttribute("viewBox", `0 0 ${bars} 100`);
  lengths.dataset.step = step;
  const end = (start) => (step === 1 || (isShare && start === bars - 1) ? "" : `–${((start + 1) * step - 1).toLocaleString("en")}`);
  drawBars(lengths, countBy(values, (value) => Math.floor(value / step)), 1,
    (start) => `${(start * step).toLocaleString("en")}${end(start)}${unit}`);
  for (const rect of lengths.querySelectorAll("rect")) rect.dataset.from = step * Math.floor(Number(rect.getAttribute("x")));
  const name = measure.selectedOptions[0].text;
  const atMost = (share) => `${values[Math.ceil(share * values.length) - 1].toLocaleString("en")}${unit}`;
  lengths.setAttribute("aria-label", `Histogram of listed pairs by ${name}`);
  lengths.parentElement.querySelector(".ticks").lastChild.textContent = isShare ? "100%" : `${(bars * step).toLocaleString("en")}${unit}`;
  document.getElementById("lengths-title").textContent = measure.value === "longest" ? "Longest passages" : `Listed pairs by ${name}`;
  document.getElementById("lengths-hint").textContent = `Half of the listed pairs have at most ${atMost(0.5)}, 95 of 100 at most ${atMost(0.95)}.`
    + (measure.value === "longest" ? " Click to hide pairs with less." : "");
  fadeLengths();
}

function fadeLengths() {
  fade(lengths, measure.value === "longest" ? shown.longest : 0);
}

if (lengths !== null) {
  onDrag(lengths, (at) => {
    const last = lengths.viewBox.baseVal.width - 1;
    if (measure.value === "longest") shown.change({ longest: Number(lengths.dataset.step) * Math.min(last, at) });
  });
  for (const input of [measure, document.querySelector('[data-log="lengths"]')]) input.addEventListener("change", drawMeasure);
  shown.listeners.push(fadeLengths);
}
