"use strict";
// Filters and sorting of the ledger; without them it stands in the order of the files.
const table = document.querySelector("table.ledger");
const bodies = [...table.tBodies];
const filters = document.querySelector(".filters");

function chooser(name, options) {
  const select = make("select", {}, make("option", {value: ""}, "all"));
  for (const [value, text] of options) select.append(make("option", {value}, text));
  filters.append(make("label", {}, `${name} `, select), " ");
  select.addEventListener("change", update);
  return select;
}

const rows = [...table.querySelectorAll("tr[data-status]")];
const statuses = [...new Set(rows.map((row) => row.dataset.status))];
const byStatus = chooser("Status", statuses.map((s) => [s, s]));
const bySection = chooser("Section", bodies.map((body, n) => [n, body.rows[0].textContent]));
const count = make("span", {role: "status"});
filters.append(count);
filters.hidden = false;
bodies.forEach((body, n) => [...body.rows].slice(1).forEach((row) => { row.section = n; }));

const sorted = table.createTBody();
let column = -1, falling = false;

function value(row) {
  const text = row.cells[column].textContent.trim();
  return column > 2 && column < 6 ? Number(text.replace("–", "-1")) : text.toLowerCase();
}

function update() {
  const fits = (row) =>
    (!byStatus.value || row.dataset.status === byStatus.value) &&
    (bySection.value === "" || row.section === Number(bySection.value));
  let shown = 0;
  for (const row of rows) { row.hidden = !fits(row); shown += !row.hidden; }
  count.textContent = `${shown} of ${rows.length} claims`;
  // In the order of the files rows stand below their headings, else all together.
  if (column < 0) rows.forEach((row) => bodies[row.section].append(row));
  else {
    const way = falling ? -1 : 1;
    const order = [...rows].sort((a, b) => way * (value(a) > value(b) ? 1 : value(a) < value(b) ? -1 : 0));
    sorted.append(...order);
  }
  for (const body of bodies) body.rows[0].hidden = column >= 0 || ![...body.rows].slice(1).some((row) => !row.hidden);
}

[...table.tHead.rows[0].cells].forEach((cell, n) => {
  const button = make("button", {type: "button", class: "sort"}, cell.textContent);
  cell.replaceChildren(button);
  // Once up, once down, and then as it was.
  button.addEventListener("click", () => {
    if (column !== n) [column, falling] = [n, false];
    else if (!falling) falling = true;
    else column = -1;
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    if (column === n) cell.setAttribute("aria-sort", falling ? "descending" : "ascending");
    update();
  });
});
update();
