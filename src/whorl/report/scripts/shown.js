// The filter of pairs: one state that the table, the histogram and the graph share.
"use strict";

const facts = JSON.parse(document.getElementById("facts").textContent);
const realNames = facts.names;

function nameSubmissions() {
  facts.names = realNames.map((name, number) => names.shown(facts.aliases[number], name));
}

nameSubmissions();

const pairs = facts.pairs.map((row, number) => {
  const [left, right, score, similarity, containment, leftCoverage, rightCoverage, longest] = row;
  const [shared, common, isRow, leftOthers, rightOthers, isLong] = row.slice(8);
  const labels = [...new Set([facts.labels[left], facts.labels[right]].filter(Boolean))];
  const [a, b] = [facts.dates[left], facts.dates[right]];
  const [day, other] = [facts.days[left], facts.days[right]];
  return {
    number, left, right, score, similarity, containment, leftCoverage, rightCoverage, longest, shared, common,
    isRow: isRow === 1,
    others: { left: leftOthers, right: rightOthers },
    isLong: isLong === 1,
    rank: number + 1,
    cluster: facts.clusters[left] === facts.clusters[right] ? facts.clusters[left] : 0,
    labels,
    label: labels.join(", "),
    date: a > b ? a : b,
    day: day > other ? day : other,
    review: review.of(facts.ids[left], facts.ids[right]).state,
    note: review.of(facts.ids[left], facts.ids[right]).note,
    text: [realNames[left], realNames[right], ...labels].join("\n").toLowerCase(),
    archived: facts.archived[left] === 1 || facts.archived[right] === 1,
  };
});

const shown = {
  minimum: facts.minimum,
  linked: facts.linked, // The least score of a link in the graph.
  text: "",
  from: "",
  to: "",
  labels: [],
  bothLabels: false,
  longest: 0,
  review: "",
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
  links(pair) {
    return this.strong(pair) && pair.score >= this.linked / 100;
  },
  // An empty label is that of submissions without one.
  fitsLabels(pair) {
    if (this.labels.length === 0) return true;
    const fits = [pair.left, pair.right].map((side) => this.labels.includes(facts.labels[side]));
    return this.bothLabels ? fits[0] && fits[1] : fits[0] || fits[1];
  },
  has(pair) {
    return this.strong(pair)
      && (this.only === null || pair.left === this.only || pair.right === this.only)
      && this.fitsLabels(pair)
      && pair.longest >= this.longest
      && (this.from === "" || pair.day >= this.from)
      && (this.to === "" || (pair.day !== "" && pair.day <= this.to))
      && (this.review === "" || pair.review === (this.review === "none" ? "" : this.review))
      && (!this.hideArchived || !pair.archived)
      && pair.text.includes(this.text);
  },
};

// The filter and the order of the rows last as long as the tab, so that they are the same on the way back, and the pages
// of the pairs lead through them. Some browsers store nothing for pages on disk: then all pairs come in order.
const STORE = `whorl-view:${location.pathname.replace(/[^/]*$/, "")}`;
const KEPT = ["minimum", "linked", "text", "labels", "bothLabels", "longest", "from", "to", "review", "hideArchived", "only"];

function storedView() {
  try {
    return JSON.parse(sessionStorage.getItem(STORE)) ?? {};
  } catch {
    return {};
  }
}

function storeView(view) {
  try {
    sessionStorage.setItem(STORE, JSON.stringify(view));
  } catch {
    // As above.
  }
}

// Pages count from 1.
function pageName(number) {
  return `${String(number).padStart(facts.digits, "0")}.html`;
}

function pageOf(pair) {
  return `pair/${pageName(pair.number + 1)}`;
}

// Only 1 is 100% and only 0 is 0%, as on the pages of the pairs.
function percent(share) {
  if (share <= 0 || share >= 1) return `${100 * Math.min(1, Math.max(0, share))}%`;
  return share < 0.01 ? "<1%" : `${Math.min(99, Math.round(100 * share))}%`;
}

// The controls of a score in whole percent, which may be several for one.
for (const name of ["minimum", "linked"]) {
  const inputs = [...document.querySelectorAll(`[data-${name}]`)];
  for (const input of inputs) {
    input.addEventListener("input", () => {
      const value = Number.parseInt(input.value, 10);
      shown.change({ [name]: Number.isNaN(value) ? 0 : Math.min(100, Math.max(0, value)) });
    });
  }
  shown.listeners.push(() => {
    for (const input of inputs) {
      if (input !== document.activeElement || input.type === "range") input.value = shown[name];
      const output = document.querySelector(`output[for="${input.id}"]`);
      if (output !== null) output.textContent = `${shown[name]}%`;
    }
  });
}

names.listeners.push(() => {
  nameSubmissions();
  shown.change({});
});
