// The table of clusters: sort by a column, search ids and URLs, fold and unfold.
"use strict";

const table = document.getElementById("table");

if (table) {
  const bodies = [...table.tBodies];
  const heads = [...table.querySelectorAll("th[data-key]")];
  const named = (body) => [...body.querySelectorAll(".who, .members")].map((part) => part.textContent).join(" ");
  const texts = bodies.map((body) => named(body).toLowerCase());

  const sort = (head, falling) => {
    const { key } = head.dataset;
    const value = (body) => Number(body.dataset[key]);
    const order = (one, other) => (falling ? value(other) - value(one) : value(one) - value(other))
      || Number(one.dataset.rank) - Number(other.dataset.rank);
    table.append(...[...bodies].sort(order));
    for (const other of heads) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", falling ? "descending" : "ascending");
  };

  for (const head of heads) {
    // Sort sizes largest first, similarities smallest first.
    head.querySelector("button").addEventListener("click", () => {
      const sorted = head.getAttribute("aria-sort");
      sort(head, sorted ? sorted === "ascending" : head.dataset.key === "size");
    });
  }

  const count = document.getElementById("count");
  const search = (part) => {
    let matches = 0;
    bodies.forEach((body, number) => {
      body.hidden = !texts[number].includes(part);
      if (!body.hidden) matches += 1;
    });
    count.textContent = part ? `${matches} of ${bodies.length} match` : "";
    document.getElementById("nothing").hidden = matches > 0;
  };

  document.getElementById("filters").addEventListener("submit", (event) => event.preventDefault());
  document.getElementById("filter").addEventListener("input", (event) => search(event.target.value.trim().toLowerCase()));
  for (const [id, open] of [["unfold", true], ["fold", false]]) {
    document.getElementById(id).addEventListener("click", () => {
      for (const details of table.querySelectorAll("details")) details.open = open;
    });
  }
}
