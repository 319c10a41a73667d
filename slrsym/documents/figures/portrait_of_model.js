// The functions rates and GRAMS, and GIVEN, stand above: they are exported from the equations.

const normalCdf = (x) => (1 + erf(x / Math.SQRT2)) / 2;
const normalPdf = (x) => Math.exp(-x * x / 2) / Math.sqrt(2 * Math.PI);
const erfc = (x) => 1 - erf(x);
const erfPrime = (x) => 2 / Math.sqrt(Math.PI) * Math.exp(-x * x);
const heaviside = (x, atZero = 0.5) => (x > 0 ? 1 : x < 0 ? 0 : atZero);

/** Owen's T: Gauss-Legendre quadrature for slopes up to 1, and a reflection beyond. */
function owensT(h, a) {
  if (a < 0) return -owensT(h, -a);
  h = Math.abs(h);
  if (a > 1) {
    const [p, q] = [normalCdf(h), normalCdf(a * h)];
    return (p + q) / 2 - p * q - (Number.isFinite(a) ? owensT(a * h, 1 / a) : 0);
  }
  let sum = 0;
  for (let i = 0; i < LEGENDRE[0].length; i++) {
    const x = a * (1 + LEGENDRE[0][i]) / 2;
    sum += LEGENDRE[1][i] * Math.exp(-h * h * (1 + x * x) / 2) / (1 + x * x);
  }
  return sum * a / 4 / Math.PI;
}

/** Nodes and weights of Gauss-Legendre quadrature, by Newton's method. */
function legendre(count) {
  const nodes = [], weights = [];
  for (let i = 1; i <= count; i++) {
    let x = Math.cos(Math.PI * (i - 0.25) / (count + 0.5)), slope = 1;
    for (let n = 0; n < 50; n++) {
      let [before, at] = [1, x];
      for (let k = 2; k <= count; k++) [before, at] = [at, ((2 * k - 1) * x * at - (k - 1) * before) / k];
      slope = count * (x * at - before) / (x * x - 1);
      const step = at / slope;
      x -= step;
      if (Math.abs(step) < 1e-15) break;
    }
    nodes.push(x);
    weights.push(2 / ((1 - x * x) * slope * slope));
  }
  return [nodes, weights];
}
const LEGENDRE = legendre(24);

/** The mean of erf(t + s G)^2, and the variance of erf(t + s G), for a standard normal G. */
const zeta = (t, s) => 1 - 8 * owensT(Math.SQRT2 * t / Math.sqrt(1 + 2 * s * s), 1 / Math.sqrt(1 + 4 * s * s));
const erfVariance = (t, s) => zeta(t, s) - erf(t / Math.sqrt(1 + 2 * s * s)) ** 2;

/** The mean of a function of one normal variable, or of two. */
function meanOf1(f, m, v) {
  let sum = 0;
  const spread = Math.sqrt(Math.max(v, 0));
  NODES1[0].forEach((x, i) => { sum += NODES1[1][i] * f(m + spread * x); });
  return sum;
}
function meanOf2(f, m1, m2, v1, c, v2) {
  const a = Math.sqrt(Math.max(v1, 0)), b = a > 0 ? c / a : 0, r = Math.sqrt(Math.max(v2 - b * b, 0));
  let sum = 0;
  NODES2[0].forEach((x, i) => NODES2[0].forEach((y, j) => {
    sum += NODES2[1][i] * NODES2[1][j] * f(m1 + a * x, m2 + b * x + r * y);
  }));
  return sum;
}

// -- the equations -------------------------------------------------------------------------------

const {names, math, dimension, x: X, y: Y, window: WINDOW} = GIVEN;
const parameters = GIVEN.sliders.map((slider) => slider.value);
const start = [...GIVEN.start];
const at = (state) => rates(...state, ...parameters);
const riskAt = (state) => at(state)[dimension];
const motion = (state) => at(state).slice(0, dimension);

/** Whether vectors have these inner products: no pivot of a Gram matrix is negative. */
function isFeasible(state) {
  return GRAMS.every(([size, gram]) => {
    const flat = gram(...state, ...parameters);
    const a = Array.from({length: size}, (_, i) => flat.slice(i * size, (i + 1) * size));
    for (let k = 0; k < size; k++) {
      if (!(a[k][k] >= -1e-9)) return false;
      for (let i = k + 1; i < size; i++) {
        if (a[k][k] <= 1e-9) {
          if (Math.abs(a[i][k]) > 1e-4) return false;
          continue;
        }
        for (let j = k + 1; j < size; j++) a[i][j] -= a[i][k] * a[k][j] / a[k][k];
      }
    }
    return true;
  });
}

const HOLDS = {
  ">": (v) => v > 0, ">=": (v) => v >= 0, "<": (v) => v < 0, "<=": (v) => v <= 0, "==": (v) => v === 0, "!=": (v) => v !== 0,
};
const allHold = (values, signs) => values.every((v, i) => HOLDS[signs[i]](v));

/** Whether the claim of the basin speaks here: its hypotheses hold, and what it has at rest rests. */
const isSupposed = () => GIVEN.basin.resting.every((i) => i === X || i === Y || start[i] === GIVEN.start[i])
  && allHold(supposedValues(...start, ...parameters), supposedSigns);

/** Whether a state is a start of which the claim says where its orbit converges to. */
const isInBasin = (state) => isFeasible(state) && allHold(startsValues(...state, ...parameters), startsSigns);

const isFinitePoint = (state) => state.every(Number.isFinite);
const length = (v) => Math.hypot(...v);

/** The orbit of a state, as [time, state] pairs, until it rests or for so many steps. */
function orbit(first, most = 4000) {
  const points = [[0, first]];
  let state = first, time = 0, h = 1e-3;
  for (let n = 0; n < most; n++) {
    const rate = motion(state);
    if (!isFinitePoint(rate) || length(state) > 1e6) break;
    if (length(rate) < 1e-9 * (1 + length(state))) break;
    if (GIVEN.isMap) {
      state = state.map((v, i) => v + rate[i]);
      time += 1;
    } else {
      // Heun's and Bogacki's and Shampine's steps, whose difference says how long the next may be.
      const add = (k, factor) => state.map((v, i) => v + factor * k[i]);
      let next = state, taken = 0;
      for (let tries = 0; tries < 40; tries++) {
        const k2 = motion(add(rate, h / 2)), k3 = motion(add(k2, 3 * h / 4));
        next = state.map((v, i) => v + h * (2 * rate[i] + 3 * k2[i] + 4 * k3[i]) / 9);
        const k4 = motion(next);
        const error = length(next.map((v, i) => h * (-5 / 72 * rate[i] + k2[i] / 12 + k3[i] / 9 - k4[i] / 8)));
        const allowed = 1e-6 * (1 + length(state));
        taken = h;
        const isGood = isFinitePoint(next) && error <= allowed;
        h *= Math.min(4, Math.max(0.2, 0.9 * Math.cbrt(allowed / (Number.isFinite(error) ? error + 1e-300 : Infinity)) || 0.2));
        if (isGood) break;
        next = state; taken = 0;
      }
      if (!taken) break;
      state = next;
      time += taken;
    }
    points.push([time, state]);
  }
  return points;
}

// -- drawing -------------------------------------------------------------------------------------

const place = document.querySelector(".portrait");
// Those who only want the numbers, as tests do, find them here.
window.PORTRAIT = {rates, orbit, isFeasible, isSupposed, isInBasin, parameters, start, erfVariance, owensT};

const canvas = make("canvas", {tabindex: 0, role: "img", "aria-label": `Portrait: ${names[X]} to the right, ${names[Y]} upwards`});
const said = make("p", {class: "about", role: "status"});
const context = canvas.getContext("2d");
const MARGIN = 38, TOP = 18;
let orbits = [], size = 0, areMoved = false;
const [basinLegend, noBasin] = [make("li", {}), make("li", {class: "about"})];

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
const part = (value, [low, high]) => (value - low) / (high - low);
const across = (value) => MARGIN + part(value, WINDOW[0]) * (size - MARGIN - TOP);
const upwards = (value) => size - MARGIN - part(value, WINDOW[1]) * (size - MARGIN - TOP);
const onPlane = (x, y) => start.map((v, i) => (i === X ? x : i === Y ? y : v));
const signed = (text) => text.replaceAll("-", "\u2212");

function path(points, stroke, width) {
  context.strokeStyle = stroke;
  context.lineWidth = width;
  context.beginPath();
  points.forEach(([x, y], n) => context[n ? "lineTo" : "moveTo"](across(x), upwards(y)));
  context.stroke();
}

function dot([x, y], fill, radius, edge) {
  context.beginPath();
  context.arc(across(x), upwards(y), radius, 0, 2 * Math.PI);
  context.fillStyle = fill;
  context.fill();
  if (edge) { context.strokeStyle = edge; context.lineWidth = 1.6; context.stroke(); }
}

function cross([x, y]) {
  const [a, b] = [across(x), upwards(y)];
  for (const [stroke, width] of [[colour("page"), 6], [colour("text"), 2.6]]) {
    context.strokeStyle = stroke;
    context.lineWidth = width;
    context.beginPath();
    for (const s of [1, -1]) { context.moveTo(a - 5, b - 5 * s); context.lineTo(a + 5, b + 5 * s); }
    context.stroke();
  }
}

function mark(kind, point) {
  if (kind === "saddle") cross(point);
  else dot(point, kind === "attracting" ? colour("text") : kind === "repelling" ? colour("page") : colour("line"), 6, colour("text"));
}

function ticks([low, high]) {
  const step = 10 ** Math.floor(Math.log10((high - low) / 2));
  const by = [1, 2, 5].map((k) => k * step).find((s) => (high - low) / s <= 5) ?? 5 * step;
  const found = [];
  for (let k = Math.ceil(low / by - 1e-9); k * by <= high + 1e-9; k++) found.push(Number((k * by).toPrecision(6)));
  return found;
}

function draw() {
  const scale = window.devicePixelRatio || 1;
  size = Math.max(240, Math.min(place.clientWidth, 520));
  canvas.width = canvas.height = Math.round(size * scale);
  canvas.style.width = `${size}px`;
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, size, size);
  const isShown = GIVEN.basin !== null && isSupposed();
  if (GIVEN.basin) {
    basinLegend.hidden = !isShown;
    noBasin.hidden = isShown;
  }
  // What no vectors have is shaded, and so is the basin that is proved.
  const cells = 120, [w, h] = WINDOW.map(([low, high]) => (high - low) / cells);
  for (let i = 0; i < cells; i++) for (let j = 0; j < cells; j++) {
    const [x, y] = [WINDOW[0][0] + (i + 0.5) * w, WINDOW[1][0] + (j + 0.5) * h];
    const state = onPlane(x, y);
    context.fillStyle = !isFeasible(state) ? colour("shade") : isShown && isInBasin(state) ? colour("basin") : colour("page");
    context.fillRect(across(x - w / 2), upwards(y + h / 2), across(x + w / 2) - across(x - w / 2) + 0.5, upwards(y - h / 2) - upwards(y + h / 2) + 0.5);
  }
  context.strokeStyle = colour("line");
  context.lineWidth = 1;
  context.strokeRect(across(WINDOW[0][0]), upwards(WINDOW[1][1]), size - MARGIN - TOP, size - MARGIN - TOP);
  context.fillStyle = colour("quiet");
  context.font = "13px system-ui, sans-serif";
  context.textAlign = "center";
  for (const x of ticks(WINDOW[0])) context.fillText(signed(String(x)), across(x), size - MARGIN + 17);
  context.textAlign = "right";
  for (const y of ticks(WINDOW[1])) context.fillText(signed(String(y)), MARGIN - 6, upwards(y) + 4);
  context.fillStyle = colour("text");
  context.fillText(names[X], size - 12, size - 6);
  context.textAlign = "left";
  context.fillText(names[Y], 2, 11);
  for (let i = 0; i < 15; i++) for (let j = 0; j < 15; j++) {
    const from = onPlane(...[WINDOW[0], WINDOW[1]].map(([low, high], k) => low + ((k ? j : i) + 0.5) / 15 * (high - low)));
    if (!isFeasible(from)) continue;
    const rate = motion(from), [a, b] = [rate[X], rate[Y]].map((v, k) => v / (WINDOW[k][1] - WINDOW[k][0]));
    const long = Math.hypot(a, b);
    if (!(long > 0)) continue;
    const to = [from[X] + a / long * 0.035 * (WINDOW[0][1] - WINDOW[0][0]), from[Y] + b / long * 0.035 * (WINDOW[1][1] - WINDOW[1][0])];
    path([[from[X], from[Y]], to], colour("quiet"), 0.9);
    dot(to, colour("quiet"), 1.7);
  }
  context.save();
  context.beginPath();
  context.rect(MARGIN - 6, 0, size, size - MARGIN + 6);
  context.clip();
  for (const points of orbits) {
    const plain = points.map(([, s]) => [s[X], s[Y]]);
    path(plain, colour("link"), 2);
    if (GIVEN.isMap && plain.length < 400) for (const point of plain) dot(point, colour("link"), 2);
    dot(plain[0], colour("link"), 4);
  }
  context.restore();
  if (!areMoved) for (const {kind, states} of GIVEN.points) for (const s of states) mark(kind, [s[X], s[Y]]);
}

function begin(x, y) {
  const first = onPlane(x, y);
  const where = `The orbit of (${x.toFixed(3)}, ${y.toFixed(3)})`;
  if (!isFeasible(first)) {
    said.textContent = signed(`No vectors have the inner products (${x.toFixed(3)}, ${y.toFixed(3)}): choose a start outside of the shade.`);
    return;
  }
  orbits = [...orbits.slice(-11), orbit(first)];
  const [time, last] = orbits.at(-1).at(-1);
  const rest = last.map((v, i) => `${names[i]} = ${v.toFixed(4)}`).join(", ");
  said.textContent = signed(`${where} is at ${rest} after ${GIVEN.isMap ? `${time} steps` : `time ${time.toPrecision(4)}`}; the risk falls from ${riskAt(first).toPrecision(4)} to ${riskAt(last).toPrecision(4)}.`);
  draw();
}

canvas.addEventListener("click", (event) => {
  const box = canvas.getBoundingClientRect();
  const [a, b] = [(event.clientX - box.left) * size / box.width, (event.clientY - box.top) * size / box.height];
  const inside = (share, [low, high]) => low + Math.max(0, Math.min(1, share)) * (high - low);
  begin(inside((a - MARGIN) / (size - MARGIN - TOP), WINDOW[0]), inside((size - MARGIN - b) / (size - MARGIN - TOP), WINDOW[1]));
});

const symbol = (i) => { const span = make("span"); span.innerHTML = math[i]; return span; };
const sliders = make("div", {class: "sliders"});
GIVEN.sliders.forEach((given, n) => {
  const value = make("output", {}), slider = make("input", {type: "range", min: 0, max: 1000, "aria-label": names[dimension + n]});
  const put = () => { value.textContent = signed(` = ${Number(parameters[n].toPrecision(3))}`); };
  put();
  const shown = make("span", {}, symbol(dimension + n), value);
  if (given.least === given.most) { sliders.append(make("label", {}, shown)); return; }
  const share = given.logarithmic ? Math.log(given.value / given.least) / Math.log(given.most / given.least) : part(given.value, [given.least, given.most]);
  slider.value = String(Math.round(1000 * share));
  slider.addEventListener("input", () => {
    const t = Number(slider.value) / 1000;
    let moved = given.logarithmic ? given.least * (given.most / given.least) ** t : given.least + t * (given.most - given.least);
    if (given.step) moved = Math.round(moved);
    parameters[n] = moved;
    areMoved = true;
    // Starts stay, and take their new way.
    orbits = orbits.map(([[, first]]) => orbit(first));
    put(); draw();
  });
  sliders.append(make("label", {}, shown, slider));
});

// Without a mouse: a start by numbers; and where the rest of the state starts.
const fields = start.map((value, i) => {
  const middle = i === X || i === Y ? 0.3 * WINDOW[i === X ? 0 : 1][0] + 0.7 * WINDOW[i === X ? 0 : 1][1] : value;
  const input = make("input", {type: "number", step: "any", value: Number(middle.toPrecision(3)), "aria-label": `${names[i]} at the start`});
  input.addEventListener("change", () => {
    if (i !== X && i !== Y && Number.isFinite(input.valueAsNumber)) { start[i] = input.valueAsNumber; orbits = []; areMoved = true; draw(); }
  });
  return input;
});
const go = make("button", {type: "button"}, "Start an orbit");
go.addEventListener("click", () => {
  if (fields.every((input) => input.reportValidity())) begin(fields[X].valueAsNumber, fields[Y].valueAsNumber);
});
const clear = make("button", {type: "button"}, "Clear");
clear.addEventListener("click", () => { orbits = []; said.textContent = "Click into the portrait to start an orbit."; draw(); });
const form = make("div", {class: "starts"}, ...fields.map((input, i) => make("label", {}, symbol(i), input)), go, clear);

const kinds = [...new Set(GIVEN.points.filter((p) => p.states.length).map((p) => p.kind))];
const signs = {attracting: "\u25cf", repelling: "\u25cb", saddle: "\u2715", "not hyperbolic": "\u25cd"};
const legend = make("ul", {class: "legend"}, ...kinds.map((kind) => make("li", {}, `${signs[kind]} ${kind} fixed point`)));
if (kinds.length) legend.append(make("li", {class: "about"}, "Fixed points are shown at the parameters with which the page was written."));
if (GIVEN.basin) {
  const {legend: named, hypotheses} = GIVEN.basin;
  basinLegend.innerHTML = `<span class="basin"></span> From here, ${named}${hypotheses && `; it supposes ${hypotheses}`}.`;
  noBasin.innerHTML = `At these numbers, no basin is shaded: ${hypotheses ? `the claim supposes ${hypotheses}` : "the claim is about others"}.`;
  legend.append(basinLegend, noBasin);
}
const told = "Strokes show the direction of motion, and end in a dot. Where it is shaded grey, no vectors have these inner products.";
place.replaceChildren(make("p", {}, told), make("div", {class: "sheet"}, canvas, make("div", {}, sliders, form, said, legend)));
draw();
begin(fields[X].valueAsNumber, fields[Y].valueAsNumber);
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
window.addEventListener("resize", draw);
