// The functions step, curvatures and bounds, and GIVEN, stand above: they are exported from the
// formulas that were checked; so do erf and make. Everything below draws them.

const LETTERS = [
  // name, sign, least, most; on a scale of logarithms
  ["lambda", "λ", 0.01, 3], ["alpha", "α", 1e-3, 3], ["d", "d", 3, 2000], ["gamma", "γ", 0.1, 3],
];
const setting = {...GIVEN.setting};
const values = () => LETTERS.map(([name]) => setting[name]);

/** The orbit of a start until it stays, at most so many steps; its last point at the end. */
function orbit(kappa, nu, most = 20000, until = 1e-9) {
  const points = [[kappa, nu]], given = values();
  for (let n = 0; n < most; n++) {
    const next = step(...points.at(-1), ...given);
    const moved = Math.hypot(next[0] - points.at(-1)[0], next[1] - points.at(-1)[1]);
    points.push(next);
    if (moved < until) break;
  }
  return points;
}

/** Where a point comes from; null where no point does, or steps are too long to find it. */
function before([kappa, nu]) {
  let [x, y] = [kappa, nu];
  for (let n = 0; n < 60; n++) {
    const [a, b] = step(x, y, ...values());
    const miss = Math.hypot(a - kappa, b - nu);
    if (miss < 1e-14) break;
    [x, y] = [x - (a - kappa), y - (b - nu)];
    if (!(Math.abs(x) <= 1 && Math.abs(y) <= 1)) return null;
  }
  return [x, y];
}

/** The separatrix: all that comes near the saddle, followed backwards along the curve. */
function separatrix() {
  const [bend, mixed] = curvatures(...values());
  // The direction of the Hessian ((bend, mixed), (mixed, 0)) that is stable under a step.
  const rate = bend / 2 + Math.hypot(bend / 2, mixed);
  const length = Math.hypot(rate, mixed) || 1;
  let point = [rate / length * 1e-3, mixed / length * 1e-3];
  const points = [[0, 0], point];
  for (let n = 0; n < 20000 && point; n++) {
    point = before(point);
    if (!point || Math.hypot(point[0] - points.at(-1)[0], point[1] - points.at(-1)[1]) < 1e-9) break;
    points.push(point);
  }
  return points;
}

// -- drawing -------------------------------------------------------------------------------------

const place = document.querySelector(".portrait");
// Those who only want the numbers, as tests do, find them here.
window.PORTRAIT = {step, orbit, erf, bounds, setting, separatrix};
if (!place) return;

const canvas = make("canvas", {tabindex: 0, role: "img", "aria-label": "Phase portrait: κ to the right, ν upwards"});
const said = make("p", {class: "about", role: "status"});
const bound = make("p", {class: "about"});
const context = canvas.getContext("2d");
let orbits = [];
let size = 0;

const colour = (name) => getComputedStyle(document.body).getPropertyValue(`--${name}`).trim();
const MARGIN = 34;
const across = (kappa) => MARGIN + (kappa + 1) / 2 * (size - 2 * MARGIN);
const upwards = (nu) => size - MARGIN - (nu + 1) / 2 * (size - 2 * MARGIN);

function line(points, stroke, width) {
  context.strokeStyle = stroke;
  context.lineWidth = width;
  context.beginPath();
  points.forEach(([kappa, nu], n) => context[n ? "lineTo" : "moveTo"](across(kappa), upwards(nu)));
  context.stroke();
}

function dot([kappa, nu], fill, radius) {
  context.fillStyle = fill;
  context.beginPath();
  context.arc(across(kappa), upwards(nu), radius, 0, 2 * Math.PI);
  context.fill();
}

/** An end by its name: the five points of Proposition 9. */
function endOf([kappa, nu]) {
  const names = [[1, 1, "(1, 1), the oracle"], [-1, -1, "(−1, −1), the oracle with both signs changed"],
    [1, -1, "(1, −1), a maximum"], [-1, 1, "(−1, 1), a maximum"], [0, 0, "the saddle (0, 0)"]];
  return names.find(([a, b]) => Math.hypot(kappa - a, nu - b) < 1e-2)?.[2];
}

function draw() {
  const scale = window.devicePixelRatio || 1;
  size = Math.min(place.clientWidth, 480);
  canvas.width = canvas.height = Math.round(size * scale);
  canvas.style.width = `${size}px`;
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, size, size);
  context.strokeStyle = colour("line");
  context.lineWidth = 1;
  context.strokeRect(across(-1), upwards(1), across(1) - across(-1), upwards(-1) - upwards(1));
  context.fillStyle = colour("quiet");
  context.font = "13px system-ui, sans-serif";
  context.textAlign = "center";
  for (const x of [-1, 0, 1]) {
    context.fillText(String(x).replace("-", "−"), across(x), size - 12);
    context.fillText(String(x).replace("-", "−"), 16, upwards(x) + 4);
  }
  context.fillText("κ", across(0.5), size - 12);
  context.fillText("ν", 16, upwards(0.5) + 4);
  // Where a step takes points of a grid: the direction, as long as it can be seen.
  for (let i = -9; i <= 9; i += 2)
    for (let j = -9; j <= 9; j += 2) {
      const from = [i / 10, j / 10], to = step(...from, ...values());
      const way = [to[0] - from[0], to[1] - from[1]], length = Math.hypot(...way) || 1;
      const shown = way.map((x) => x / length * 0.07);
      line([from, [from[0] + shown[0], from[1] + shown[1]]], colour("quiet"), 0.6);
      dot([from[0] + shown[0], from[1] + shown[1]], colour("quiet"), 1.4);
    }
  const half = separatrix();
  context.setLineDash([5, 4]);
  for (const sign of [1, -1]) line(half.map((point) => point.map((x) => sign * x)), colour("failed"), 1.5);
  context.setLineDash([]);
  for (const points of orbits) {
    line(points, colour("link"), 1.2);
    if (points.length < 400) for (const point of points) dot(point, colour("link"), 1.6);
    dot(points[0], colour("link"), 3.5);
  }
  for (const point of [[1, 1], [-1, -1]]) dot(point, colour("proved"), 6);
  for (const point of [[1, -1], [-1, 1]]) dot(point, colour("failed"), 6);
  dot([0, 0], colour("unproved"), 6);
}

// Whether ball arithmetic has looked at these parameters, and at this step size.
function isCertified() {
  const near = (name) => Math.abs(setting[name] / GIVEN.certified[name] - 1) < 1e-9;
  return ["lambda", "d", "gamma"].every(near) && setting.alpha <= GIVEN.certified.alpha;
}

function tell() {
  const [injective, descends] = bounds(...values());
  const shown = (x) => x.toPrecision(3);
  bound.textContent = setting.alpha < injective
    ? `α = ${shown(setting.alpha)} is below 1/K = ${shown(injective)}: Theorem 5 is proved here, for every start but those of measure 0.`
    : isCertified()
      ? `α = ${shown(setting.alpha)} is above 1/K = ${shown(injective)}, where Theorem 5 is proved. At these parameters ball arithmetic certifies the conditions of Propositions 8 and 12 up to α = ${GIVEN.certified.alpha} (claim theorem-5-certified).`
    : setting.alpha < descends
      ? `α = ${shown(setting.alpha)} is below 1/C = ${shown(descends)}, so the risk descends and every orbit ends in one of the five points; it is above 1/K = ${shown(injective)}, so that almost all end in a minimum is not proved here.`
      : `α = ${shown(setting.alpha)} is above 1/C = ${shown(descends)}: nothing is proved here by closed forms.`;
}

function start(kappa, nu) {
  orbits = [...orbits.slice(-11), orbit(kappa, nu)];
  const last = orbits.at(-1), end = endOf(last.at(-1));
  const where = `The orbit of (${kappa.toFixed(3)}, ${nu.toFixed(3)})`.replaceAll("-", "−");
  const [x, y] = last.at(-1).map((v) => v.toFixed(4).replace("-", "−"));
  said.textContent = end ? `${where} comes to ${end}, in ${last.length - 1} steps.`
    : `${where} is at (${x}, ${y}) after ${last.length - 1} steps.`;
  draw();
}

canvas.addEventListener("click", (event) => {
  const box = canvas.getBoundingClientRect();
  const inside = (x) => Math.max(-1, Math.min(1, x));
  const [x, y] = [event.clientX - box.left, event.clientY - box.top].map((v) => v * size / box.width);
  start(
    inside((x - MARGIN) / (size - 2 * MARGIN) * 2 - 1),
    inside(1 - (y - MARGIN) / (size - 2 * MARGIN) * 2),
  );
});

const sliders = make("div", {class: "sliders"});
for (const [name, sign, least, most] of LETTERS) {
  const shown = make("output", {}, "");
  const slider = make("input", {type: "range", min: 0, max: 1000, "aria-label": sign});
  const put = () => { shown.textContent = `${sign} = ${setting[name].toPrecision(3)}`; };
  slider.value = String(Math.round(1000 * Math.log(setting[name] / least) / Math.log(most / least)));
  slider.addEventListener("input", () => {
    setting[name] = least * (most / least) ** (Number(slider.value) / 1000);
    if (name === "d") setting.d = Math.round(setting.d);
    // Starts stay, and take their new way.
    orbits = orbits.map(([first]) => orbit(...first));
    put(); tell(); draw();
  });
  put();
  sliders.append(make("label", {}, shown, slider));
}

// Without a mouse: a start by numbers.
const kappa = make("input", {type: "number", min: -1, max: 1, step: 0.01, value: 0.1, "aria-label": "κ of the start"});
const nu = make("input", {type: "number", min: -1, max: 1, step: 0.01, value: -0.4, "aria-label": "ν of the start"});
const go = make("button", {type: "button"}, "Start an orbit");
go.addEventListener("click", () => {
  if (kappa.reportValidity() && nu.reportValidity()) start(Number(kappa.value), Number(nu.value));
});
const clear = make("button", {type: "button"}, "Clear");
clear.addEventListener("click", () => { orbits = []; said.textContent = "Click into the square to start an orbit."; draw(); });
const form = make("p", {class: "starts"}, "κ ", kappa, " ν ", nu, " ", go, " ", clear);

place.replaceChildren(
  make("p", {}, "One step of projected gradient descent on the manifold, again and again: the planar map of Lemma 7, run here by the formula that was checked. Green: the two minima. Red: the two maxima. Ochre: the saddle, and dashed the separatrix of the starts that come to it."),
  make("div", {class: "sheet"}, canvas, make("div", {}, sliders, form, bound, said)),
);
said.textContent = "Click into the square to start an orbit.";
tell();
draw();
start(0.1, -0.4);
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
window.addEventListener("resize", draw);

// -- off the manifold: where the runs of a saved sweep begin, and how they end -------------------

const recovery = document.querySelector(".recovery");
if (recovery && GIVEN.sweep) {
  const {overlaps, names, starts, verdicts} = GIVEN.sweep;
  const colours = ["proved", "failed", "unproved", "certified", "quiet"];
  const sheet = make("canvas", {role: "img", "aria-label": "Starts of runs, coloured by where they end"});
  const told = make("p", {class: "about", role: "status"}, "Click at a start to read its overlaps.");
  const axis = (chosen) => {
    const select = make("select", {}, ...overlaps.map((name) => make("option", {value: name}, name)));
    select.value = overlaps[chosen];
    select.addEventListener("change", paint);
    return select;
  };
  const right = axis(0), up = axis(1);
  const legend = make("ul", {class: "legend"}, ...names.map((name, n) => {
    const mark = make("span", {"aria-hidden": "true", style: `color: var(--${colours[n % 5]})`}, "● ");
    return make("li", {}, mark, `${name}: ${verdicts.filter((v) => v === n).length}`);
  }));
  let at = [];
  function paint() {
    const scale = window.devicePixelRatio || 1, width = Math.min(recovery.clientWidth, 480);
    sheet.width = sheet.height = Math.round(width * scale);
    sheet.style.width = `${width}px`;
    const pen = sheet.getContext("2d");
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    const columns = [right, up].map((select) => overlaps.indexOf(select.value));
    const most = columns.map((c) => Math.max(...starts.map((row) => Math.abs(row[c]))) || 1);
    const side = (value, most) => value / most * (width / 2 - 20);
    at = starts.map((row) => [width / 2 + side(row[columns[0]], most[0]), width / 2 - side(row[columns[1]], most[1])]);
    pen.strokeStyle = colour("line");
    pen.strokeRect(10, 10, width - 20, width - 20);
    for (let n = 0; n < at.length; n++) {
      pen.fillStyle = colour(colours[Math.max(0, verdicts[n]) % 5]);
      pen.beginPath();
      pen.arc(...at[n], 2.5, 0, 2 * Math.PI);
      pen.fill();
    }
  }
  sheet.addEventListener("click", (event) => {
    const box = sheet.getBoundingClientRect();
    const x = event.clientX - box.left, y = event.clientY - box.top;
    const far = at.map(([a, b]) => Math.hypot(a - x, b - y));
    const n = far.indexOf(Math.min(...far));
    told.textContent = `${names[verdicts[n]] ?? "not ended"}, from ${overlaps.map((name, i) => `${name} ${starts[n][i].toFixed(3)}`).join(", ")}`;
  });
  const axes = make("p", {}, make("label", {}, "across ", right), " ", make("label", {}, "upwards ", up));
  recovery.replaceChildren(axes, make("div", {class: "portrait"}, sheet), legend, told);
  paint();
}
