// The table of pairs: sorted, filtered and paged, so that thousands of pairs stay fast.
"use strict";

const table = {
  body: document.querySelector("#table tbody"),
  heads: [...document.querySelectorAll("#table th")],
  key: "rank",
  falling: false,
  page: 0,
  rows: 50,
};

const SHARES = new Set(["score", "similarity", "containment", "leftCoverage", "rightCoverage"]);
const TEXTS = new Set(["left", "right", "label", "date", "review"]);
const collator = new Intl.Collator(undefined, { numeric: true });

function sortValue(pair, key) {
  return key === "left" || key === "right" ? facts.names[pair[key]] : pair[key];
}

function byKey(one, other) {
  const [a, b] = [sortValue(one, table.key), sortValue(other, table.key)];
  // Pairs without a cluster come last in either order.
  if (table.key === "cluster" && (a === 0) !== (b === 0)) return a === 0 ? 1 : -1;
  const order = TEXTS.has(table.key) ? collator.compare(a, b) : a - b;
  return (table.falling ? -order : order) || one.number - other.number;
}

// One row represents all identical pairs.
const rows = pairs.filter((pair) => pair.isRow);

function nameCell(pair, key) {
  const submission = pair[key];
  const cell = document.createElement("td");
  const link = document.createElement("a");
  const name = document.createElement("bdi");
  name.textContent = facts.names[submission];
  link.href = pageOf(pair);
  link.append(name);
  cell.className = facts.archived[submission] ? "name archived" : "name";
  cell.append(link);
  if (pair.others[key]) cell.append(small(` +${pair.others[key].toLocaleString("en")} identical`));
  if (key === "right" && pair.isLong) cell.append(small(" long passage"));
  return cell;
}

function small(text) {
  const element = document.createElement("small");
  element.textContent = text;
  return element;
}

// A cluster of two has no page.
function clusterCell(pair) {
  const cell = document.createElement("td");
  cell.className = "n";
  if (pair.cluster === 0) return cell;
  const link = document.createElement("a");
  link.href = pair.cluster <= facts.clusterPages ? `cluster/${pageName(pair.cluster)}` : `#cluster-${pair.cluster}`;
  link.textContent = pair.cluster;
  cell.append(link);
  return cell;
}

function valueCell(pair, key) {
  if (key === "cluster") return clusterCell(pair);
  const cell = document.createElement("td");
  if (key === "review") {
    const text = pair.review === "follow-up" ? "to be followed up" : pair.review;
    cell.className = "review";
    cell.textContent = text;
    if (pair.note) cell.append(small(`${text ? " " : ""}${pair.note}`));
    return cell;
  }
  if (key === "label" || key === "date") {
    const text = document.createElement("bdi");
    text.textContent = pair[key];
    cell.className = key;
    cell.append(text);
    return cell;
  }
  cell.className = "n";
  cell.textContent = SHARES.has(key) ? percent(pair[key]) : pair[key].toLocaleString("en");
  if (key === barKey()) cell.append(bar(pair[key] / largest[key]));
  return cell;
}

// Bars stand in the column that orders the table, if it is a measure.
const MEASURES = [...SHARES, "longest", "shared", "common"];
const largest = Object.fromEntries(MEASURES.map((key) => [
  key, SHARES.has(key) ? 1 : Math.max(1, ...rows.map((pair) => pair[key])),
]));

function barKey() {
  return MEASURES.includes(table.key) ? table.key : "score";
}

function bar(share) {
  const element = document.createElement("span");
  element.className = "bar";
  element.style.width = `${Math.round(100 * share)}%`;
  return element;
}

function rowOf(pair) {
  const row = document.createElement("tr");
  for (const { dataset: { key } } of table.heads) {
    row.append(key === "left" || key === "right" ? nameCell(pair, key) : valueCell(pair, key));
  }
  return row;
}

const printed = matchMedia("print");

function drawTable() {
  const visible = rows.filter((pair) => shown.has(pair)).sort(byKey);
  const pages = Math.max(1, Math.ceil(visible.length / table.rows));
  table.page = Math.min(table.page, pages - 1);
  const start = table.page * table.rows;
  const onPaper = printed.matches || table.printing;
  table.body.replaceChildren(...(onPaper ? visible : visible.slice(start, start + table.rows)).map(rowOf));
  storeView({
    ...Object.fromEntries(KEPT.map((name) => [name, shown[name]])),
    table: { key: table.key, falling: table.falling, page: table.page, rows: table.rows },
    order: visible.map((pair) => pair.number),
  });
  drawCount(visible.length);
  drawPager(pages);
  for (const head of table.heads) {
    if (head.dataset.key !== table.key) head.removeAttribute("aria-sort");
    else head.setAttribute("aria-sort", table.falling ? "descending" : "ascending");
  }
}

function drawCount(visible) {
  const all = rows.length.toLocaleString("en");
  const text = visible === rows.length ? `All ${all} rows` : `${visible.toLocaleString("en")} of ${all} rows`;
  const count = document.getElementById("count");
  if (count.textContent !== text) count.textContent = text;
}

function drawPager(pages) {
  const pager = document.getElementById("pager");
  pager.hidden = pages === 1;
  document.getElementById("page").textContent = `Page ${table.page + 1} of ${pages}`;
  for (const button of pager.querySelectorAll("button")) {
    const back = button.dataset.step === "first" || button.dataset.step === "previous";
    button.disabled = back ? table.page === 0 : table.page === pages - 1;
    button.onclick = () => {
      const to = { first: 0, previous: table.page - 1, next: table.page + 1, last: pages - 1 };
      table.page = to[button.dataset.step];
      drawTable();
    };
  }
}

for (const head of table.heads) {
  const { key } = head.dataset;
  head.querySelector("button").addEventListener("click", () => {
    // Sort numbers largest first, names, ranks and clusters smallest first.
    table.falling = table.key === key ? !table.falling : !TEXTS.has(key) && key !== "rank" && key !== "cluster";
    table.key = key;
    table.page = 0;
    drawTable();
  });
}

document.getElementById("filters").addEventListener("submit", (event) => event.preventDefault());
document.getElementById("filter-text").addEventListener("input", (event) => {
  shown.change({ text: event.target.value.trim().toLowerCase() });
});
const labelMenu = document.getElementById("filter-labels");
const labelBoxes = [...(labelMenu?.querySelectorAll("[value]") ?? [])];
const bothLabels = document.getElementById("labels-both");
labelMenu?.addEventListener("change", () => {
  const labels = labelBoxes.filter((box) => box.checked).map((box) => box.value);
  shown.change({ labels, bothLabels: bothLabels.checked });
});
labelMenu?.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  labelMenu.open = false;
  labelMenu.querySelector("summary").focus();
});
document.addEventListener("click", (event) => {
  if (labelMenu?.open && !labelMenu.contains(event.target)) labelMenu.open = false;
});
document.getElementById("filter-review").addEventListener("change", (event) => {
  shown.change({ review: event.target.value });
});
document.getElementById("filter-longest").addEventListener("input", (event) => {
  shown.change({ longest: Math.max(0, Number.parseInt(event.target.value, 10) || 0) });
});
for (const name of ["from", "to"]) {
  document.getElementById(`filter-${name}`)?.addEventListener("input", (event) => {
    shown.change({ [name]: event.target.value });
  });
}
document.getElementById("filter-archived")?.addEventListener("change", (event) => {
  shown.change({ hideArchived: event.target.checked });
});
document.getElementById("rows").addEventListener("change", (event) => {
  table.rows = Number(event.target.value);
  table.page = 0;
  drawTable();
});
document.getElementById("only").addEventListener("click", () => shown.change({ only: null }));

// Every row is printed, not only those of the page that is shown.
function setPrinting(on) {
  table.printing = on;
  drawTable();
}

addEventListener("beforeprint", () => setPrinting(true));
addEventListener("afterprint", () => setPrinting(false));
printed.addEventListener("change", drawTable);

// On the way back from a pair, the table is as it was left.
function restore() {
  const view = storedView();
  Object.assign(shown, Object.fromEntries(KEPT.filter((name) => name in view).map((name) => [name, view[name]])));
  document.getElementById("filter-text").value = shown.text;
  document.getElementById("filter-review").value = shown.review;
  for (const box of labelBoxes) box.checked = shown.labels.includes(box.value);
  if (bothLabels) bothLabels.checked = shown.bothLabels;
  const archived = document.getElementById("filter-archived");
  for (const name of ["from", "to"]) {
    const input = document.getElementById(`filter-${name}`);
    if (input) input.value = shown[name];
  }
  if (archived) archived.checked = shown.hideArchived;
  return view.table ?? {};
}

let restored = restore();
if (restored.rows) document.getElementById("rows").value = String(restored.rows);

shown.listeners.push(() => {
  table.page = 0;
  Object.assign(table, restored);
  restored = {};
  const chip = document.getElementById("only");
  const chosen = document.getElementById("chosen");
  chosen.hidden = shown.only === null;
  if (shown.only !== null) chosen.querySelector("a").href = `submission/${pageName(shown.only + 1)}`;
  chip.textContent = shown.only === null ? "" : `Only pairs of ${facts.names[shown.only]} ✕`;
  const least = document.getElementById("filter-longest");
  if (least !== document.activeElement) least.value = shown.longest;
  if (labelMenu) labelMenu.querySelector("output").textContent = shown.labels.map((label) => label || "none").join(", ") || "any";
  drawTable();
});
