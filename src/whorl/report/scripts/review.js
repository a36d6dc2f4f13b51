// Review marks and notes of pairs. They are kept in this browser under the report's title, over those that came with the
// report. Some browsers store nothing for pages on disk: marks then last as long as the page, and can be saved to a file.
"use strict";

const reviewData = JSON.parse(document.getElementById("review-data").textContent);

const review = {
  store: `whorl-review:${reviewData.report}`,
  marks: new Map(reviewData.marks.map(([left, right, state, note, ignored]) => [
    reviewKey(left, right), { state, note, ignored: ignored.map(([format, text]) => ({ format, text })) },
  ])),
  of(left, right) {
    return this.marks.get(reviewKey(left, right)) ?? { state: "", note: "", ignored: [] };
  },
  // Change parts of a mark.
  set(left, right, part) {
    this.load();
    this.marks.set(reviewKey(left, right), { ...this.of(left, right), ...part });
    try {
      localStorage.setItem(this.store, JSON.stringify([...this.marks]));
    } catch {
      // As above.
    }
  },
  load() {
    try {
      for (const [key, mark] of JSON.parse(localStorage.getItem(this.store)) ?? []) this.marks.set(key, mark);
    } catch {
      // As above.
    }
  },
  // The file that whorl compare --review reads, with the marks that other tabs made since this page was opened.
  saved() {
    this.load();
    const made = [...this.marks].filter(([, { state, note, ignored }]) => state || note || ignored?.length);
    const pairs = made.map(([key, mark]) => {
      const [left, right] = JSON.parse(key);
      return { left, right, ...mark };
    });
    return JSON.stringify({ kind: "whorl review", report: reviewData.report, pairs }, null, 1);
  },
};

function reviewKey(left, right) {
  return JSON.stringify(left <= right ? [left, right] : [right, left]);
}

review.load();

const form = document.getElementById("review");
if (form !== null) {
  const [state, note] = ["review-state", "review-note"].map((id) => document.getElementById(id));
  ({ state: state.value, note: note.value } = review.of(...reviewData.pair));
  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", () => review.set(...reviewData.pair, { state: state.value, note: note.value }));
}

function saveFile(name, text, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

document.getElementById("review-save")?.addEventListener("click", () => {
  saveFile("whorl-review.json", review.saved(), "application/json");
});
