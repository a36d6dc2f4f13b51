// Which pairs are shown: one state that the table, the histogram and the graph share.
"use strict";

const facts = JSON.parse(document.getElementById("facts").textContent);

const pairs = facts.pairs.map((row, number) => {
  const [left, right, score, similarity, containment, leftCoverage, rightCoverage, longest, shared] = row;
  const labels = [...new Set([facts.labels[left], facts.labels[right]].filter(Boolean))];
  const [a, b] = [facts.dates[left], facts.dates[right]];
  return {
    number, left, right, score, similarity, containment, leftCoverage, rightCoverage, longest, shared,
    rank: number + 1,
    label: labels.join(", "),
    date: a > b ? a : b,
    text: [facts.names[left], facts.names[right], ...labels].join("\n").toLowerCase(),
    archived: facts.archived[left] === 1 || facts.archived[right] === 1,
  };
});

const shown = {
  minimum: facts.minimum,
  text: "",
  labelled: false,
  hideArchived: false,
  only: null,
  listeners: [],
  change(part) {
    Object.assign(this, part);
    for (const listener of this.listeners) listener();
  },
  strong(pair) {
    return pair.score >= this.minimum / 100;
  },
  has(pair) {
    return this.strong(pair)
      && (this.only === null || pair.left === this.only || pair.right === this.only)
      && (!this.labelled || pair.label !== "")
      && (!this.hideArchived || !pair.archived)
      && pair.text.includes(this.text);
  },
};

function pageOf(pair) {
  return `pair/${String(pair.number + 1).padStart(facts.digits, "0")}.html`;
}

// Only all is 100% and only nothing is 0%, as on the pages of the pairs.
function percent(share) {
  if (share <= 0 || share >= 1) return `${100 * Math.min(1, Math.max(0, share))}%`;
  return share < 0.01 ? "<1%" : `${Math.min(99, Math.round(100 * share))}%`;
}

for (const input of document.querySelectorAll("[data-minimum]")) {
  input.addEventListener("input", () => {
    const value = Number.parseInt(input.value, 10);
    shown.change({ minimum: Number.isNaN(value) ? 0 : Math.min(100, Math.max(0, value)) });
  });
}

shown.listeners.push(() => {
  for (const input of document.querySelectorAll("[data-minimum]")) {
    if (input !== document.activeElement || input.type === "range") input.value = shown.minimum;
  }
  for (const output of document.querySelectorAll(".minimum output")) output.textContent = `${shown.minimum}%`;
});
