// A passage has two sides. A click on one side brings the same place on the other into view.
function light(passage) {
  for (const lit of document.querySelectorAll(".side mark.on")) lit.classList.remove("on");
  for (const mark of passage.querySelectorAll("mark")) mark.classList.add("on");
}

// How far down in its run a click was, from 0 to 1: equal text stands equally far down on the other side.
function place(run, event) {
  const box = run.getBoundingClientRect();
  return box.height === 0 ? 0 : Math.min(1, Math.max(0, (event.clientY - box.top) / box.height));
}

// The run of equal text at a height, or the nearest one.
function runAt(side, height) {
  const runs = [...side.querySelectorAll("mark:not(.g)")];
  return runs.find((run) => run.getBoundingClientRect().bottom >= height) ?? runs.at(-1);
}

// The same place of the other side comes to the height at which the click was in its own.
function follow(side, run, event) {
  const other = [...side.parentElement.children].find((each) => each !== side);
  const counterpart = [...other.querySelectorAll("mark")].find((each) => each.dataset.m === run.dataset.m);
  if (counterpart === undefined) return;
  const height = event.clientY - side.getBoundingClientRect().top;
  const box = counterpart.getBoundingClientRect();
  const there = box.top + place(run, event) * box.height - other.getBoundingClientRect().top;
  other.scrollTop += there - Math.min(Math.max(height, 0), other.clientHeight);
  other.scrollIntoView({ block: "nearest" });
}

document.addEventListener("click", (event) => {
  const side = event.target.closest(".side");
  const run = side === null ? undefined : runAt(side, event.clientY);
  if (run === undefined || !window.getSelection().isCollapsed) return;
  light(side.closest(".passage"));
  follow(side, run, event);
});
