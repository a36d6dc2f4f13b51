// The graph of submissions and the points of the timeline: hide links below the minimum.
"use strict";

const picture = document.getElementById("graph");
const nodes = picture ? [...picture.querySelectorAll(".node")] : [];
const links = picture ? [...picture.querySelectorAll(".link")] : [];
const points = [...document.querySelectorAll(".timeline .point")];
const linkedOnly = document.getElementById("linked-only");
const pairOf = (element) => pairs[Number(element.dataset.pair)];

function drawGraph() {
  const linked = new Set();
  for (const link of links) {
    const pair = pairOf(link);
    const drawn = shown.links(pair);
    link.toggleAttribute("hidden", !drawn);
    if (drawn) linked.add(pair.left).add(pair.right);
  }
  for (const node of nodes) {
    const lonely = !linked.has(Number(node.dataset.submission));
    node.classList.toggle("lonely", lonely);
    node.classList.toggle("chosen", Number(node.dataset.submission) === shown.only);
    node.toggleAttribute("hidden", lonely && ("linkedOnly" in picture.dataset || linkedOnly?.checked));
  }
  for (const point of points) point.toggleAttribute("hidden", !shown.strong(pairOf(point)));
}

function showTip(element, text) {
  const tip = document.getElementById("tip");
  tip.textContent = text;
  tip.hidden = false;
  const [box, frame] = [element.getBoundingClientRect(), picture.getBoundingClientRect()];
  const left = box.left + box.width / 2 - frame.left + picture.scrollLeft + 10;
  const limit = picture.scrollLeft + frame.width - tip.offsetWidth;
  tip.style.left = `${Math.max(0, Math.min(left, limit))}px`;
  tip.style.top = `${Math.max(0, box.top + box.height / 2 - frame.top - tip.offsetHeight - 6)}px`;
}

function tipOf(element) {
  if (element.classList.contains("node")) {
    const submission = Number(element.dataset.submission);
    const about = [facts.labels[submission], facts.dates[submission]].filter(Boolean).join(", ");
    return about ? `${facts.names[submission]} (${about})` : facts.names[submission];
  }
  const pair = pairOf(element);
  return `${facts.names[pair.left]} and ${facts.names[pair.right]}: ${percent(pair.score)}`;
}

function light(element, on) {
  if (!element.classList.contains("node")) return;
  const submission = Number(element.dataset.submission);
  for (const link of links) {
    const pair = pairOf(link);
    if (pair.left === submission || pair.right === submission) link.classList.toggle("near", on);
  }
}

function choose(node) {
  const submission = Number(node.dataset.submission);
  shown.change({ only: shown.only === submission ? null : submission });
}

// Only one node is in the tab order; arrow keys move from there.
function moveFocus(node, step) {
  const visible = nodes.filter((other) => !other.hasAttribute("hidden"));
  const next = visible[(visible.indexOf(node) + step + visible.length) % visible.length];
  node.setAttribute("tabindex", "-1");
  next.setAttribute("tabindex", "0");
  next.focus();
}

const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

for (const node of nodes) {
  node.addEventListener("click", () => choose(node));
  node.addEventListener("keydown", (event) => {
    if (event.key in STEPS) moveFocus(node, STEPS[event.key]);
    else if (event.key === "Enter" || event.key === " ") choose(node);
    else return;
    event.preventDefault();
  });
}

for (const element of [...nodes, ...links]) {
  for (const kind of ["pointerenter", "focus"]) {
    element.addEventListener(kind, () => { showTip(element, tipOf(element)); light(element, true); });
  }
  for (const kind of ["pointerleave", "blur"]) {
    element.addEventListener(kind, () => { document.getElementById("tip").hidden = true; light(element, false); });
  }
}

// Colour the nodes by their clusters, as at first, or by their labels.
const colours = document.getElementById("colours");
const clusterColours = nodes.map((node) => node.getAttribute("class").replace("node ", ""));
const legends = { clusters: document.getElementById("by-clusters"), labels: document.getElementById("by-labels") };

function colourNodes() {
  const labels = [...legends.labels.querySelectorAll("li")].map((item) => item.textContent);
  nodes.forEach((node, at) => {
    const label = labels.indexOf(facts.labels[Number(node.dataset.submission)]);
    const colour = label < 0 ? "none" : `c${label}`;
    node.setAttribute("class", `node ${colours.value === "labels" ? colour : clusterColours[at]}`);
  });
  for (const [name, legend] of Object.entries(legends)) if (legend !== null) legend.hidden = name !== colours.value;
  drawGraph();
}

colours?.addEventListener("change", colourNodes);
linkedOnly?.addEventListener("change", drawGraph);
shown.listeners.push(drawGraph);
shown.change({});
