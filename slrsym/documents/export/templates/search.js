"use strict";

// -- what is compared ----------------------------------------------------------------------------

// Short forms of the kinds of statements, before a number: thm5, Prop. 10, lem 18 ii.
const KINDS = {
  theorem: "theo|thm|th", proposition: "prop|prp", lemma: "lem", corollary: "cor", definition: "def",
  assumption: "assump|ass", equation: "eqn|eq",
};
const GREEK = {
  α: "alpha", β: "beta", γ: "gamma", δ: "delta", ε: "epsilon", ζ: "zeta", η: "eta", θ: "theta", κ: "kappa",
  λ: "lambda", μ: "mu", ν: "nu", ξ: "xi", π: "pi", ρ: "rho", σ: "sigma", τ: "tau", φ: "phi", ω: "omega",
};

/** A name of a statement without its signs, its kind written out: "Thm. 5" is "theorem5". */
function nameOf(text) {
  const plain = text.toLowerCase().replace(/[^a-z0-9]/g, "");
  for (const [kind, short] of Object.entries(KINDS)) {
    const found = plain.match(new RegExp(`^(?:${short})(\\d.*)$`));
    if (found) return kind + found[1];
  }
  return plain;
}

/** A formula without what one may leave out or write in two ways: spaces, products, LaTeX. */
function formulaOf(text) {
  return text
    .replace(/[\u0370-\u03ff]/g, (letter) => GREEK[letter] ?? letter)
    .replace(/\\(?:operatorname|mathbb|mathrm|mathcal|text)\{(\w+)\}/g, "$1")
    .replace(/\\(?:[Bb]ig+[lr]?|left|right)|\\(?=[a-zA-Z])|\\[,;!]/g, "")
    .replace(/varepsilon/g, "epsilon")
    .replace(/erf_prime/g, "erf'").replace(/[′’]/g, "'").replace(/″/g, "''")
    .replace(/²/g, "^2").replace(/³/g, "^3").replace(/\*\*/g, "^").replace(/√/g, "sqrt")
    .replace(/≤/g, "<=").replace(/≥/g, ">=").replace(/−/g, "-")
    .replace(/[{[]/g, "(").replace(/[}\]]/g, ")").replace(/[\s*·$]/g, "")
    .toLowerCase();
}

/** How well a query that is a formula is answered by the formulas of an entry. */
function formulaScore(entry, query) {
  // What has no sign in it is a word; a minus alone joins words.
  if (!/[^\s\w-]/.test(query)) return 0;
  const wanted = formulaOf(query);
  if (wanted.length < 3) return 0;
  entry.compact ??= (entry.formulas ?? []).map(formulaOf);
  if (entry.compact.some((formula) => formula.includes(wanted))) return 15;
  // erf(t) also finds erf(t + s G), behind what has just that.
  const begun = wanted.replace(/\)+$/, "");
  return begun !== wanted && begun.length > 3 && entry.compact.some((f) => f.includes(begun)) ? 4 : 0;
}

// -- entries -------------------------------------------------------------------------------------

/** Everything that can be found: where it is, what it is called, and its words. */
function entries() {
  const claims = SITE.claims.map((c) => ({
    href: claimHref(c.id), label: c.label, title: c.title, status: c.status,
    names: [c.label, c.name, c.id], formulas: [c.plain, ...c.said],
    words: `${c.title} ${c.said.join(" ")} ${c.rules.join(" ")} ${c.axioms.join(" ")}`,
  }));
  const rules = SITE.rules.map((r) => ({
    href: `${ROOT}rules/${r.id}.html`, label: r.label, title: `rule: ${r.said}`, names: [r.label, r.id], words: r.said,
  }));
  const axioms = SITE.axioms.map((a) => ({
    href: `${ROOT}axioms/${a.page}.html`, label: a.id, title: `axiom: ${a.said}`, names: [a.id], words: a.said,
  }));
  return [...claims, ...rules, ...axioms];
}

/** How well an entry answers, by its names before its words; 0 if a word of the query is missing. */
function score(entry, query) {
  const names = entry.names.map((name) => name.toLowerCase());
  const called = nameOf(query);
  if (names.includes(query) || (called && entry.names.some((name) => nameOf(name) === called))) return 100;
  if (/\d/.test(called) && entry.names.some((name) => nameOf(name).startsWith(called))) return 50;
  let total = formulaScore(entry, query);
  if (total) return total;
  for (const word of query.split(/\s+/)) {
    if (names.some((name) => name.startsWith(word))) total += 20;
    else if (names.some((name) => name.includes(word))) total += 10;
    else if (entry.title.toLowerCase().includes(word)) total += 5;
    else if (entry.words.toLowerCase().includes(word)) total += 1;
    else return 0;
  }
  return total;
}

// -- the box -------------------------------------------------------------------------------------

function searchBox() {
  const input = make("input", {
    type: "search", placeholder: "Search ( / )", "aria-label": "Search statements, symbols, rules and axioms",
    autocomplete: "off",
  });
  const results = make("ul", {class: "results", "aria-label": "Results"});
  const said = make("p", {class: "said", role: "status"});
  results.hidden = true;
  let everything;
  const show = () => {
    const query = input.value.trim().toLowerCase();
    everything ??= entries();
    const found = query
      ? everything.map((e) => [score(e, query), e]).filter(([s]) => s).sort((a, b) => b[0] - a[0])
      : [];
    results.replaceChildren(...found.slice(0, 12).map(([, e]) => {
      const sign = e.status ? make("span", {class: `status ${e.status}`}, SITE.signs[e.status] ?? "?") : "";
      return make("li", {}, make("a", {href: e.href}, sign, " ", make("b", {}, e.label), " ", e.title));
    }));
    said.textContent = query ? `${found.length} found` : "";
    results.hidden = !found.length;
  };
  input.addEventListener("input", show);
  input.addEventListener("focus", show);
  // Arrows go through the results, as in a list; Escape leaves them.
  const box = document.querySelector(".search");
  box.addEventListener("keydown", (event) => {
    const links = [...results.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    if (event.key === "Escape") { results.hidden = true; input.focus(); results.hidden = true; }
    else if (event.key === "ArrowDown" && links.length) links[Math.min(at + 1, links.length - 1)].focus();
    else if (event.key === "ArrowUp" && at >= 0) (links[at - 1] ?? input).focus();
    else if (event.key === "Enter" && at < 0 && links.length) links[0].click();
    else return;
    event.preventDefault();
  });
  box.addEventListener("focusout", (event) => {
    if (event.relatedTarget && !box.contains(event.relatedTarget)) results.hidden = true;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName)) return;
    event.preventDefault();
    input.focus();
  });
  box.append(input, said, results);
  box.hidden = false;
}
// Where there is no page, such as in a test, functions alone are wanted.
if (typeof document !== "undefined") searchBox();
