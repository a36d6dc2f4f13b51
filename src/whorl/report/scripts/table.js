// The table of pairs: sorted, filtered, and a page of rows at a time, so that thousands of pairs stay quick.
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
const TEXTS = new Set(["left", "right", "label", "date"]);
const collator = new Intl.Collator(undefined, { numeric: true });

function sortValue(pair, key) {
  return key === "left" || key === "right" ? facts.names[pair[key]] : pair[key];
}

function byKey(one, other) {
  const [a, b] = [sortValue(one, table.key), sortValue(other, table.key)];
  const order = TEXTS.has(table.key) ? collator.compare(a, b) : a - b;
  return (table.falling ? -order : order) || one.number - other.number;
}

function nameCell(pair, submission) {
  const cell = document.createElement("td");
  const link = document.createElement("a");
  const name = document.createElement("bdi");
  name.textContent = facts.names[submission];
  link.href = pageOf(pair);
  link.append(name);
  cell.className = facts.archived[submission] ? "name archived" : "name";
  cell.append(link);
  return cell;
}

function valueCell(pair, key) {
  const cell = document.createElement("td");
  if (key === "label" || key === "date") {
    const text = document.createElement("bdi");
    text.textContent = pair[key];
    cell.className = key;
    cell.append(text);
    return cell;
  }
  cell.className = "n";
  cell.textContent = SHARES.has(key) ? percent(pair[key]) : pair[key].toLocaleString("en");
  if (key === "score") cell.append(bar(pair.score));
  return cell;
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
    row.append(key === "left" || key === "right" ? nameCell(pair, pair[key]) : valueCell(pair, key));
  }
  return row;
}

function drawTable() {
  const found = pairs.filter((pair) => shown.has(pair)).sort(byKey);
  const pages = Math.max(1, Math.ceil(found.length / table.rows));
  table.page = Math.min(table.page, pages - 1);
  const start = table.page * table.rows;
  table.body.replaceChildren(...found.slice(start, start + table.rows).map(rowOf));
  drawCount(found.length);
  drawPager(pages);
  for (const head of table.heads) {
    if (head.dataset.key !== table.key) head.removeAttribute("aria-sort");
    else head.setAttribute("aria-sort", table.falling ? "descending" : "ascending");
  }
}

function drawCount(found) {
  const all = pairs.length.toLocaleString("en");
  const text = found === pairs.length ? `All ${all} pairs` : `${found.toLocaleString("en")} of ${all} pairs`;
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
    // Numbers are wanted largest first, names and ranks smallest first.
    table.falling = table.key === key ? !table.falling : !TEXTS.has(key) && key !== "rank";
    table.key = key;
    table.page = 0;
    drawTable();
  });
}

document.getElementById("filters").addEventListener("submit", (event) => event.preventDefault());
document.getElementById("filter-text").addEventListener("input", (event) => {
  shown.change({ text: event.target.value.trim().toLowerCase() });
});
document.getElementById("filter-labelled")?.addEventListener("change", (event) => {
  shown.change({ labelled: event.target.checked });
});
document.getElementById("filter-archived")?.addEventListener("change", (event) => {
  shown.change({ hideArchived: event.target.checked });
});
document.getElementById("rows").addEventListener("change", (event) => {
  table.rows = Number(event.target.value);
  table.page = 0;
  drawTable();
});
document.getElementById("only").addEventListener("click", () => shown.change({ only: null }));

shown.listeners.push(() => {
  table.page = 0;
  const chip = document.getElementById("only");
  chip.hidden = shown.only === null;
  chip.textContent = shown.only === null ? "" : `Only pairs of ${facts.names[shown.only]} ✕`;
  drawTable();
});
