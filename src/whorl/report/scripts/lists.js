// Tables whose rows are all in the page: sort them by a column, and show those that have a text.
"use strict";

const order = new Intl.Collator(undefined, { numeric: true });

// The number that a cell shows; less than any if it is empty.
function numberIn(text) {
  if (text === "") return -1;
  return text.startsWith("<") ? 0.5 : Number.parseFloat(text.replaceAll(",", ""));
}

function textIn(row, column) {
  return row.cells[column].textContent.trim();
}

// Rows without a value come last in either order.
function compareBy(column, isNumber, falling) {
  return (one, other) => {
    const [a, b] = [textIn(one, column), textIn(other, column)];
    if (a === "" || b === "") return Number(a === "") - Number(b === "");
    const rising = isNumber ? numberIn(a) - numberIn(b) : order.compare(a, b);
    return falling ? -rising : rising;
  };
}

function sortBy(table, head) {
  const isNumber = head.classList.contains("n");
  const before = head.getAttribute("aria-sort");
  const falling = before === null ? isNumber : before === "ascending";
  const rows = [...table.tBodies[0].rows].sort(compareBy(head.cellIndex, isNumber, falling));
  table.tBodies[0].append(...rows);
  for (const other of table.querySelectorAll("th[aria-sort]")) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", falling ? "descending" : "ascending");
}

for (const table of document.querySelectorAll("table[data-sortable]")) {
  for (const head of table.querySelectorAll("thead th")) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    button.addEventListener("click", () => sortBy(table, head));
    head.append(button);
  }
}

function search(rows, input, count) {
  const wanted = input.value.trim().toLowerCase();
  const least = input.form.querySelector("[data-least]");
  const fits = (row) => Number(least.value) <= 0 || numberIn(textIn(row, least.dataset.least)) >= Number(least.value);
  let shown = 0;
  for (const row of rows) {
    row.hidden = !row.textContent.toLowerCase().includes(wanted) || !fits(row);
    shown += Number(!row.hidden);
  }
  const all = rows.length.toLocaleString("en");
  count.textContent = shown === rows.length ? `All ${all} rows` : `${shown.toLocaleString("en")} of ${all} rows`;
}

for (const input of document.querySelectorAll("[data-search]")) {
  const rows = [...document.getElementById(input.dataset.search).tBodies[0].rows];
  const count = document.querySelector(`[data-count="${input.dataset.search}"]`);
  const least = input.form.querySelector("[data-least]");
  input.form.hidden = false;
  input.form.addEventListener("submit", (event) => event.preventDefault());
  input.form.addEventListener("input", () => search(rows, input, count));
  for (const bar of document.querySelectorAll(".histogram [data-from]")) {
    bar.addEventListener("click", () => { least.value = bar.dataset.from; search(rows, input, count); });
  }
  names.listeners.push(() => search(rows, input, count));
  search(rows, input, count);
}

// The graph of a cluster: a link and the row of its pair light up together, a submission with its links.
const pairRows = new Map([...document.querySelectorAll("#links tbody tr")].map((row) => [pageIn(row), row]));
const drawnLinks = [...document.querySelectorAll(".graph .link")];

function pageIn(element) {
  return (element.querySelector("a") ?? element).getAttribute("href").replace(/\?.*/, "");
}

function light(elements, isLit) {
  for (const element of elements) element?.classList.toggle("near", isLit);
}

function lightTogether(source, elements) {
  for (const kind of ["pointerenter", "focusin"]) source.addEventListener(kind, () => light(elements, true));
  for (const kind of ["pointerleave", "focusout"]) source.addEventListener(kind, () => light(elements, false));
}

for (const link of drawnLinks) {
  const row = pairRows.get(pageIn(link));
  lightTogether(link, [link, row]);
  if (row === undefined) continue;
  lightTogether(row, [link, row]);
  link.addEventListener("pointerenter", () => {
    const [pair, score] = row.cells;
    link.querySelector("title").textContent = `${pair.textContent.trim()}: ${score.textContent}`;
    const frame = row.closest(".scroll");
    frame.scrollTop = row.offsetTop - frame.clientHeight / 2;
  });
}

for (const node of document.querySelectorAll(".graph .node")) {
  if (node.matches(":target")) node.scrollIntoView({ block: "center" });
  lightTogether(node, drawnLinks.filter((link) => link.dataset.ends.split(" ").includes(node.dataset.submission)));
}
