// The sides of a pair: exchange them, and order the files of each.
"use strict";

let swapped = false;

// Exchange two elements, which may have different parents.
function exchange(one, other) {
  const place = document.createComment("");
  one.replaceWith(place);
  other.replaceWith(one);
  place.replaceWith(other);
}

function renamed(element, pattern, text) {
  element.setAttribute("aria-label", element.getAttribute("aria-label").replace(pattern, text));
}

const OPPOSITE = { left: "right", right: "left" };

function swapSides() {
  swapped = !swapped;
  exchange(...document.querySelectorAll(".panes .side"));
  exchange(...document.querySelectorAll("h1 [data-s]"));
  exchange(...document.querySelectorAll(".coverage"));
  for (const item of items) {
    exchange(...item.querySelectorAll(".at"));
    renamed(item.querySelector(".badge"), /: (.*) and (.*)$/, ": $2 and $1");
  }
  for (const badge of document.querySelectorAll(".code .badge")) {
    renamed(badge, /(left|right)$/, (side) => OPPOSITE[side]);
  }
  drawSwitches();
  if (!diff.hidden) showDiff(true);
  else if (current > 0) select(current);
}

document.getElementById("swap").addEventListener("click", swapSides);
ACTIONS.x = swapSides;

// The highest value first. The number of a file is its place by name; passages have numbers too, the longest the lowest.
function orderFiles(pane, key) {
  const rank = (file) => (key === "number" || key === "longest" ? -1 : 1) * Number(file.dataset[key]);
  const files = [...pane.querySelectorAll("details.file")].sort(
    (one, other) => rank(other) - rank(one) || one.dataset.number - other.dataset.number,
  );
  const place = document.createComment("");
  pane.querySelector("details.file").before(place);
  place.replaceWith(...files);
  let top = 0;
  for (const { dataset: { number } } of files) {
    const group = pane.parentElement.querySelector(`.map g[data-number="${number}"]`);
    group.setAttribute("transform", `translate(0 ${top})`);
    top += Number(group.dataset.height);
  }
}

for (const pane of panes) {
  const choice = pane.querySelector(".file-order");
  choice?.addEventListener("change", () => orderFiles(pane, choice.value));
}
