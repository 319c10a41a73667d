"use strict";
// Buttons that fold and unfold every step of a proof.
for (const bar of document.querySelectorAll(".folds")) {
  bar.hidden = !bar.parentElement.querySelector("details");
  bar.addEventListener("click", (event) => {
    const fold = event.target.dataset.fold;
    if (fold === undefined) return;
    for (const part of bar.parentElement.querySelectorAll("details")) part.open = fold !== "";
  });
}
// The arrows of the claim that one points at.
for (const node of document.querySelectorAll(".graph .node")) {
  const id = CSS.escape(node.dataset.id);
  const edges = document.querySelectorAll(`.graph [data-from="${id}"], .graph [data-to="${id}"]`);
  const mark = (on) => edges.forEach((edge) => edge.classList.toggle("on", on));
  for (const kind of ["mouseenter", "focus"]) node.addEventListener(kind, () => mark(true));
  for (const kind of ["mouseleave", "blur"]) node.addEventListener(kind, () => mark(false));
}
