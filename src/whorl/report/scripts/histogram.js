// The histograms of scores and of longest passages: fade bars below the minimum, and drag the minimum along them.
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

// The picture has one unit for each percent, and one more for pairs of exactly 100.
onDrag(histogram, (at) => shown.change({ minimum: Math.min(100, at) }));

shown.listeners.push(() => {
  fade(histogram, shown.minimum);
  const line = histogram.querySelector("line.minimum");
  line.setAttribute("x1", shown.minimum);
  line.setAttribute("x2", shown.minimum);
});

if (lengths !== null) {
  const step = Number(lengths.dataset.step);
  onDrag(lengths, (at) => shown.change({ longest: step * Math.min(lengths.viewBox.baseVal.width - 1, at) }));
  shown.listeners.push(() => fade(lengths, shown.longest));
}
