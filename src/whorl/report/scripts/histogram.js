// The histogram of scores: fade bars below the minimum, and drag the minimum along it.
"use strict";

const histogram = document.getElementById("histogram");

// The picture has one unit for each percent, and one more for pairs of exactly 100.
const UNITS = 101;

function minimumAt(event) {
  const box = histogram.getBoundingClientRect();
  const at = Math.round((UNITS * (event.clientX - box.left)) / box.width);
  shown.change({ minimum: Math.min(100, Math.max(0, at)) });
}

histogram.addEventListener("pointerdown", (event) => {
  histogram.setPointerCapture(event.pointerId);
  minimumAt(event);
});
histogram.addEventListener("pointermove", (event) => {
  if (histogram.hasPointerCapture(event.pointerId)) minimumAt(event);
});

shown.listeners.push(() => {
  for (const rect of histogram.querySelectorAll("rect")) {
    rect.classList.toggle("below", Number(rect.dataset.from) < shown.minimum);
  }
  const line = histogram.querySelector("line.minimum");
  line.setAttribute("x1", shown.minimum);
  line.setAttribute("x2", shown.minimum);
});
