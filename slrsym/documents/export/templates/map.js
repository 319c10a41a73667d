"use strict";
// The map by ideas. First the statements of the paper; one opens into the claims that help to prove
// it. Arrows go from a node to those that use it, and one that follows from others is left out.
(() => {
const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 132, HEIGHT = 38, ACROSS = 152, DOWN = 78, MARGIN = 10, COUNTS = 6;
const place = document.querySelector(".map");
const opened = new Set();
let withNew = SITE.parts.every((part) => part.number === "");
let chosen = null, lit = null;

function draw(tag, attributes, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

// -- what there is to see ------------------------------------------------------------------------

/** Ideas, each with the claims in it; the parts of one lemma are one idea, and so is a new file. */
function ideas() {
  const found = new Map();
  for (const part of SITE.parts) {
    for (const {id, helpers} of part.entries) {
      const claim = CLAIMS.get(id);
      const outside = part.number === "" || !claim.stated;
      const whole = claim.label.replace(/ \([ivx]+\)$/, "");
      const key = outside ? `part ${part.number} ${part.title}` : whole === claim.label ? id : whole;
      const label = !outside ? whole : part.number ? `Section ${part.number}, unnumbered` : part.title;
      if (!found.has(key)) found.set(key, {key, label, kind: outside ? "New" : claim.kind, outside, ids: []});
      found.get(key).ids.push(id, ...helpers);
    }
  }
  return [...found.values()];
}
const IDEAS = ideas();

/** The nodes to show: ideas, and in the place of those that are open the claims in them. */
function visible() {
  const nodes = [];
  for (const idea of IDEAS) {
    if (idea.outside && !withNew) continue;
    if (!opened.has(idea.key)) { nodes.push({...idea, status: worst(idea.ids)}); continue; }
    for (const id of idea.ids) {
      const claim = CLAIMS.get(id);
      nodes.push({key: id, label: claim.label, kind: claim.kind, ids: [id], status: claim.status, inside: idea.key});
    }
  }
  return nodes;
}

/** The status that is furthest from proved, for a node of several claims. */
function worst(ids) {
  const bestFirst = Object.keys(SITE.signs);
  const places = ids.map((id) => bestFirst.indexOf(CLAIMS.get(id).status));
  // What an idea is called by stands for it: an empirical helper does not make a theorem empirical.
  const first = CLAIMS.get(ids[0]);
  return first.stated ? first.status : bestFirst[Math.max(...places)];
}

/** For each node those that it uses, circles between ideas cut where they are met. */
function usesOf(nodes) {
  const at = new Map(nodes.flatMap((node) => node.ids.map((id) => [id, node.key])));
  const uses = new Map(nodes.map((node) => [node.key, new Set()]));
  const through = new Map();
  const reached = (id) => {  // visible nodes that a claim uses, through claims that are not shown
    if (through.has(id)) return through.get(id);
    const found = new Set();
    through.set(id, found);
    for (const other of CLAIMS.get(id)?.uses ?? []) {
      if (at.has(other)) found.add(at.get(other));
      else for (const key of reached(other)) found.add(key);
    }
    return found;
  };
  for (const node of nodes)
    for (const id of node.ids)
      for (const key of reached(id)) if (key !== node.key) uses.get(node.key).add(key);
  return uses;
}

// -- where it stands -----------------------------------------------------------------------------

function levelsOf(uses) {
  const levels = new Map();
  const visit = (key, above) => {
    if (!levels.has(key)) {
      let level = 0;
      for (const other of uses.get(key)) {
        if (above.has(other)) uses.get(key).delete(other);
        else level = Math.max(level, visit(other, new Set([...above, key])) + 1);
      }
      levels.set(key, level);
    }
    return levels.get(key);
  };
  for (const key of uses.keys()) visit(key, new Set([key]));
  return levels;
}

function reduced(uses) {
  const reach = new Map();
  const below = (key) => {
    if (!reach.has(key)) {
      reach.set(key, new Set());
      reach.set(key, new Set([...uses.get(key)].flatMap((o) => [o, ...below(o)])));
    }
    return reach.get(key);
  };
  const edges = [];
  for (const [key, others] of uses)
    for (const other of others)
      if (![...others].some((o) => o !== other && below(o).has(other))) edges.push([other, key]);
  return edges;
}

/** Rows by level, each sorted by the places of its neighbours, and cut where it is too wide. */
function rowsOf(nodes, levels, edges, most) {
  const rows = [];
  for (const node of nodes) (rows[levels.get(node.key)] ??= []).push(node.key);
  const near = new Map(nodes.map((node) => [node.key, []]));
  for (const [a, b] of edges) { near.get(a).push(b); near.get(b).push(a); }
  const at = new Map();
  const note = (row) => row.forEach((key, n) => at.set(key, (n + 0.5) / row.length));
  rows.forEach(note);
  for (let sweep = 0; sweep < 8; sweep++)
    for (const row of rows) {
      const middle = (key) => {
        const others = near.get(key);
        return others.length ? others.reduce((sum, o) => sum + at.get(o), 0) / others.length : at.get(key);
      };
      const wanted = new Map(row.map((key) => [key, middle(key)]));
      row.sort((a, b) => wanted.get(a) - wanted.get(b));
      note(row);
    }
  return rows.flatMap((row) => {
    const count = Math.ceil(row.length / most);
    return Array.from({length: count}, (_, n) => row.filter((_, i) => i % count === n));
  });
}

// -- drawing -------------------------------------------------------------------------------------

/** The outline of a node tells what kind of statement it is. */
function shape(kind, x, y) {
  const w = WIDTH / 2, h = HEIGHT / 2;
  if (kind === "Definition" || kind === "Assumption")
    return draw("ellipse", {cx: x, cy: y, rx: w, ry: h + 2});
  if (kind === "Corollary")
    return draw("polygon", {points: [[-w, 0], [-w + 12, -h], [w - 12, -h], [w, 0], [w - 12, h], [-w + 12, h]].map(([a, b]) => `${x + a},${y + b}`).join(" ")});
  const round = {Theorem: 0, Proposition: 3, Lemma: 10}[kind] ?? h;
  const box = draw("rect", {x: x - w, y: y - h, width: WIDTH, height: HEIGHT, rx: round});
  if (kind !== "Theorem") return box;
  return draw("g", {}, box, draw("rect", {class: "within", x: x - w + 3, y: y - h + 3, width: WIDTH - 6, height: HEIGHT - 6}));
}

/** A name in one line or two. */
function lines(label) {
  if (label.length <= 18) return [label];
  const cuts = [...label.matchAll(/[- ]/g)].map((m) => m.index + 1);
  const cut = cuts.sort((a, b) => Math.max(a, label.length - a) - Math.max(b, label.length - b))[0];
  const both = cut ? [label.slice(0, cut), label.slice(cut)] : [label];
  return both.map((line) => (line.length > 22 ? `${line.slice(0, 20)}…` : line));
}

let picture, box, nodes, edges;

function redraw() {
  const most = Math.max(2, Math.min(8, Math.floor((place.clientWidth - 2 * MARGIN) / (ACROSS * 0.8))));
  nodes = visible();
  const uses = usesOf(nodes), levels = levelsOf(uses);
  edges = reduced(uses);
  const rows = rowsOf(nodes, levels, edges, most);
  const width = Math.max(...rows.map((row) => row.length)) * ACROSS + 2 * MARGIN;
  const height = (rows.length - 1) * DOWN + HEIGHT + 2 * MARGIN + COUNTS;
  const at = new Map();
  rows.forEach((row, r) => row.forEach((key, n) =>
    at.set(key, [MARGIN + (width - 2 * MARGIN) * (n + 0.5) / row.length, MARGIN + HEIGHT / 2 + r * DOWN])));
  picture = draw("svg", {class: "graph", role: "group", "aria-label": `Map of ${nodes.length} ideas and claims`});
  picture.append(draw("defs", {}, draw("marker", {id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto"}, draw("path", {d: "M0 0.8 8 4 0 7.2z"}))));
  const arrows = draw("g", {class: "edges", "aria-hidden": "true"});
  for (const [from, to] of edges) {
    const [x, y] = at.get(from), [right, below] = at.get(to);
    const a = y + HEIGHT / 2, b = below - HEIGHT / 2 - 1, m = (a + b) / 2;
    const path = draw("path", {d: `M${x} ${a}C${x} ${m} ${right} ${m} ${right} ${b}`, "marker-end": "url(#arrow)"});
    path.dataset.from = from; path.dataset.to = to;
    arrows.append(path);
  }
  picture.append(arrows);
  for (const node of nodes) picture.append(nodeOf(node, ...at.get(node.key)));
  box = {x: 0, y: 0, width, height, whole: [width, height]};
  look();
  canvas.replaceChildren(picture);
  light();
}

function nodeOf(node, x, y) {
  const said = lines(node.label);
  const text = draw("text", {}, ...said.map((line, n) =>
    draw("tspan", {x, y: y + 14 * (n - (said.length - 1) / 2)}, line)));
  const more = node.ids.length > 1 ? ` +${node.ids.length - 1}` : "";
  const group = draw("g", {
    class: `node ${node.status}`, tabindex: 0, role: "button",
    "aria-label": `${said.join("")}${more}, ${node.status}`,
  }, shape(node.kind, x, y), text);
  group.dataset.key = node.key;
  if (node.ids.length > 1) group.append(draw("text", {class: "count", x: x + WIDTH / 2 - 8, y: y + HEIGHT / 2 + 8}, `+${node.ids.length - 1}`));
  group.addEventListener("click", () => choose(node));
  group.addEventListener("dblclick", () => toggle(node));
  group.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    choose(node);
  });
  group.addEventListener("mouseenter", () => tell(node));
  group.addEventListener("focus", () => tell(node));
  group.addEventListener("mouseleave", () => tell(chosen));
  return group;
}

// -- what is lit ---------------------------------------------------------------------------------

/** All claims that some rest on. */
function below(ids) {
  const found = new Set(), ahead = [...ids];
  while (ahead.length) {
    const id = ahead.pop();
    if (found.has(id) || !CLAIMS.has(id)) continue;
    found.add(id);
    ahead.push(...CLAIMS.get(id).uses);
  }
  return found;
}

function light() {
  const on = new Set(nodes.filter((node) => lit && node.ids.some((id) => lit.has(id))).map((node) => node.key));
  picture.classList.toggle("lit", lit !== null);
  for (const node of picture.querySelectorAll(".node")) {
    node.classList.toggle("on", on.has(node.dataset.key));
    node.setAttribute("aria-pressed", chosen?.key === node.dataset.key);
  }
  for (const edge of picture.querySelectorAll(".edges path"))
    edge.classList.toggle("on", on.has(edge.dataset.from) && on.has(edge.dataset.to));
}

function choose(node) {
  const again = chosen?.key === node.key;
  chosen = again ? null : node;
  axiom.value = "";
  // A node of one lemma's parts, or of a file, stands for all in it; others for their statement.
  const own = node.key === node.ids[0] ? [node.ids[0]] : node.ids;
  lit = again ? null : below(own);
  light();
  tell(chosen);
}

function toggle(node) {
  const key = node.inside ?? node.key;
  if (node.inside === undefined && node.ids.length < 2) return;
  if (opened.has(key)) opened.delete(key); else opened.add(key);
  chosen = lit = null;
  redraw();
  tell(null);
  picture.querySelector(`[data-key="${CSS.escape(node.ids[0])}"], [data-key="${CSS.escape(key)}"]`)?.focus();
}

// -- the statement at the pointer ----------------------------------------------------------------

function tell(node) {
  if (!node) {
    panel.replaceChildren(make("p", {}, "Point at a statement to read it. Choose one to see what it rests on, down to the axioms."));
    return;
  }
  const first = CLAIMS.get(node.ids[0]);
  const own = node.key === first.id;
  const axioms = [...new Set((own ? [first.id] : node.ids).flatMap((id) => CLAIMS.get(id).axioms))].sort();
  const heading = make("h3", {}, own ? make("a", {href: claimHref(first.id)}, first.label) : node.label);
  const parts = [heading];
  if (own) {
    parts.push(make("p", {}, first.title));
    if (first.formula) {
      const formula = make("div", {class: "formula"});
      formula.innerHTML = first.formula;
      parts.push(formula);
    }
  } else {
    const links = node.ids.slice(0, 12).flatMap((id) => [make("a", {href: claimHref(id)}, CLAIMS.get(id).label), ", "]);
    parts.push(make("p", {}, ...links.slice(0, -1), node.ids.length > 12 ? ", …" : ""));
  }
  if (node.ids.length > 1 || node.inside) {
    const button = make("button", {type: "button"}, node.inside ? "Close again" : `Open into ${node.ids.length} claims`);
    button.addEventListener("click", () => toggle(node));
    parts.push(make("p", {}, button));
  }
  const links = axioms.flatMap((id) => [make("a", {href: `${ROOT}axioms/${SITE.axioms.find((a) => a.id === id)?.page}.html`}, id), ", "]);
  parts.push(make("p", {class: "about"}, axioms.length ? "It rests on the axioms " : "It rests on no axiom.", ...links.slice(0, -1)));
  panel.replaceChildren(...parts);
}

// -- zoom and drag -------------------------------------------------------------------------------

function look() {
  picture.setAttribute("viewBox", `${box.x} ${box.y} ${box.width} ${box.height}`);
  picture.style.aspectRatio = `${box.whole[0]} / ${box.whole[1]}`;
}

function zoom(factor, x = 0.5, y = 0.5) {
  const width = Math.min(box.whole[0], Math.max(300, box.width * factor));
  const change = width / box.width;
  box.x += box.width * x * (1 - change);
  box.y += box.height * y * (1 - change);
  box.width = width; box.height *= change;
  look();
}

const canvas = make("div", {class: "canvas"});
const panel = make("div", {class: "panel", "aria-live": "polite"});
const bar = make("p", {class: "tools"});
for (const [text, label, act] of [
  ["+", "Zoom in", () => zoom(0.8)], ["−", "Zoom out", () => zoom(1.25)], ["Whole", "Show the whole map", () => redraw()],
]) {
  const button = make("button", {type: "button", "aria-label": label}, text);
  button.addEventListener("click", act);
  bar.append(button, " ");
}
const fresh = make("input", {type: "checkbox"});
fresh.checked = withNew;
fresh.addEventListener("change", () => { withNew = fresh.checked; chosen = lit = null; redraw(); tell(null); });
if (SITE.parts.some((part) => part.number)) bar.append(make("label", {}, fresh, " also what is new or unnumbered"), " ");
const axiom = make("select", {}, make("option", {value: ""}, "choose an axiom"));
for (const {id} of SITE.axioms) axiom.append(make("option", {value: id}, id));
axiom.addEventListener("change", () => {
  chosen = null;
  lit = axiom.value ? new Set(SITE.claims.filter((c) => c.axioms.includes(axiom.value)).map((c) => c.id)) : null;
  light();
  tell(null);
});
if (SITE.axioms.length) bar.append(make("label", {}, "What rests on ", axiom, "?"));

// The wheel scrolls the page, unless a key says that the map is meant.
canvas.addEventListener("wheel", (event) => {
  if (!event.ctrlKey && !event.metaKey) return;
  event.preventDefault();
  const {left, top, width, height} = canvas.getBoundingClientRect();
  zoom(event.deltaY > 0 ? 1.15 : 0.87, (event.clientX - left) / width, (event.clientY - top) / height);
}, {passive: false});
let held = null;
canvas.addEventListener("pointerdown", (event) => { held = [event.clientX, event.clientY]; });
window.addEventListener("pointerup", () => { held = null; });
window.addEventListener("pointermove", (event) => {
  if (!held) return;
  const scale = box.width / canvas.clientWidth;
  box.x -= (event.clientX - held[0]) * scale;
  box.y -= (event.clientY - held[1]) * scale;
  held = [event.clientX, event.clientY];
  look();
});

place.replaceChildren(bar, make("div", {class: "sheet"}, canvas, panel));
tell(null);
redraw();
let seen = place.clientWidth;
window.addEventListener("resize", () => {
  if (Math.abs(place.clientWidth - seen) < 60) return;
  seen = place.clientWidth;
  redraw();
});
})();
