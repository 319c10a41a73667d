"use strict";
const ROOT = document.body.dataset.root;
const SITE = window.SITE;
const CLAIMS = new Map(SITE.claims.map((claim) => [claim.id, claim]));

/** An element with attributes, and children that are elements or text. */
function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

function claimHref(id) {
  return `${ROOT}claims/${id}.html`;
}

// -- proofs: fold, unfold, copy ------------------------------------------------------------------

for (const bar of document.querySelectorAll(".folds")) {
  const steps = () => bar.parentElement.querySelectorAll("details:not(.more)");
  bar.hidden = steps().length === 0;
  bar.addEventListener("click", (event) => {
    const fold = event.target.dataset.fold;
    if (fold === undefined) return;
    for (const part of steps()) part.open = fold !== "";
  });
}

// What scrolls in its own box can be reached by the keyboard, at whatever width.
function reachable() {
  for (const box of document.querySelectorAll(".formula, .wide"))
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
}
window.addEventListener("resize", reachable);
reachable();

// A step that is linked to is shown, however much is folded around it.
function unfoldTarget() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let node = target; node; node = node.parentElement) if (node.tagName === "DETAILS") node.open = true;
  if (target) target.scrollIntoView();
}
window.addEventListener("hashchange", unfoldTarget);
unfoldTarget();

async function copy(button, text) {
  let done = "copied";
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Pages that are opened as files may not write to the clipboard in every browser.
    done = "select and copy:";
    button.after(make("code", {}, text));
  }
  const before = button.textContent;
  button.textContent = done;
  setTimeout(() => (button.textContent = before), 1500);
}

for (const more of document.querySelectorAll(".more")) {
  const tex = more.parentElement.querySelector(".formula annotation")?.textContent;
  const sympy = more.querySelector("p:last-of-type > code")?.textContent;
  const bar = make("p", {class: "copies"});
  for (const [name, text] of [["LaTeX", tex], ["SymPy", sympy]]) {
    if (!text) continue;
    const button = make("button", {type: "button"}, `Copy as ${name}`);
    button.addEventListener("click", () => copy(button, text));
    bar.append(button);
  }
  more.append(bar);
}

// -- the outline at the left ---------------------------------------------------------------------

function outlineOf(here) {
  const list = make("ul");
  for (const part of SITE.parts) {
    const entries = make("ul");
    for (const entry of part.entries) {
      const claim = CLAIMS.get(entry.id);
      const ids = [entry.id, ...entry.helpers];
      const link = make("a", {href: claimHref(claim.id), title: claim.title}, claim.label);
      if (claim.id === here) link.setAttribute("aria-current", "page");
      const item = make("li", {class: part.number && !claim.stated ? "unnumbered" : ""}, link);
      // What helps to prove a statement is told where one reads about it.
      if (ids.includes(here) && entry.helpers.length) {
        const helpers = make("ul");
        for (const id of entry.helpers) {
          const other = make("a", {href: claimHref(id), title: CLAIMS.get(id).title}, CLAIMS.get(id).label);
          if (id === here) other.setAttribute("aria-current", "page");
          helpers.append(make("li", {}, other));
        }
        item.append(helpers);
      }
      entries.append(item);
    }
    const inside = part.entries.some((e) => e.id === here || e.helpers.includes(here));
    const fold = make("details", {}, make("summary", {}, `${part.number} ${part.title}`.trim()), entries);
    fold.open = part.number !== "" || inside;
    list.append(make("li", {}, fold));
  }
  return list;
}

const outline = document.querySelector(".outline");
const page = decodeURIComponent(location.pathname.split("/").pop()).replace(/\.html$/, "");
// The front page is the outline itself; the map and the pages of sources are wide.
if (outline && page !== "index" && page !== "" && !document.querySelector(".source, .map")) {
  outline.append(outlineOf(page));
  outline.hidden = false;
  outline.querySelector("[aria-current]")?.scrollIntoView({block: "center"});
  window.scrollTo(0, 0);
  unfoldTarget();
}
