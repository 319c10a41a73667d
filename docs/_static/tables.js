// A table that is wider than the page shows its cells below each other, each after its column's name.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const tables = [...document.querySelectorAll(".pst-scrollable-table-container > table")];
  for (const table of tables) {
    const heads = [...table.querySelectorAll("thead th")].map((head) => head.textContent.trim());
    for (const row of table.querySelectorAll("tbody tr"))
      [...row.cells].forEach((cell, n) => {
        if (cell.textContent.trim()) cell.dataset.column = heads[n] ?? "";
      });
  }
  const fit = () => {
    for (const table of tables) {
      const room = table.parentElement;
      table.classList.remove("in-rows");
      table.classList.toggle("in-rows", room.scrollWidth > room.clientWidth + 1);
    }
  };
  fit();
  window.addEventListener("resize", fit);
});
