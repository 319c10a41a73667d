"""The rules `theorem` and `vector theorem`, and their schemas (section 7)."""

from fractions import Fraction
from itertools import permutations

from . import terms as tm
from .terms import (
    MINUS,
    ONE,
    ZERO,
    add,
    apart,
    both,
    check,
    deriv,
    either,
    eq,
    forall,
    fun,
    implies,
    key,
    lam,
    le,
    lt,
    mul,
    neg,
    num,
    partial,
    power,
    sentence,
    square,
    subst,
    symbol,
    tup,
)
from .theorems import need, rule

SCHEMAS = {"theorem": {}, "vector theorem": {}}


def schema(name, kinds, count, axioms="", of="theorem"):
    """Register a schema of a rule, with the kinds that it shows and its number of values."""

    def register(function):
        SCHEMAS[of][name] = (kinds.split(), count, function, axioms.split())
        return function

    return register


@rule("theorem", "json t ts")
def theorem(_, name, goal, values):
    """Conclude a sentence by a schema, under its hypotheses."""
    return conclude("theorem", name, goal, values)


@rule("vector theorem", "json t ts")
def vector_theorem(_, name, goal, values):
    """Conclude a sentence by a schema of 7.4 or 7.5, under its hypotheses."""
    return conclude("vector theorem", name, goal, values)


def conclude(of, name, goal, values):
    """Conclude a sentence by a schema of a rule, under its hypotheses."""
    need(type(name) is str and name in SCHEMAS[of], f"no schema {tm.show(name)}")
    kinds, count, function, axioms = SCHEMAS[of][name]
    need(goal.head == "o" and goal.params[0] in kinds and goal.parts, "another kind of goal")
    need(len(values) == count, "a wrong number of values")
    subject, about = goal.parts[0], goal.parts[1:]
    hyps = function(goal.params[0], subject, about, values)
    for h in hyps:
        check(h)
    return goal, hyps, ["theorem " + name, *axioms]


# --- 7.1 maps of a box -----------------------------------------------------


class Box:
    """Hold a box map with renamed variables."""

    def __init__(self, node, taken):
        need(node.head == "tuple" and len(node.parts) == 4, "no box map")
        tag, f, low, high = node.parts
        need(
            tag.head == "text"
            and tag.params[0] == "BoxMap"
            and f.head == "lam"
            and low.head == high.head == "tuple",
            "no box map",
        )
        n = len(f.vars)
        need(
            len(f.inside) == len(low.parts) == len(high.parts) == n
            and all(x.params[1] == "R" for x in f.vars),
            "a box map of a wrong shape",
        )
        self.low, self.high, self.n, self.node = low.parts, high.parts, n, node
        for a, b in zip(self.low, self.high, strict=True):
            need(
                a.head == b.head == "n" and a.params[0] * b.params[1] < b.params[0] * a.params[1],
                "no box",
            )
        new = apart(f.vars, taken | node.free)
        self.x = [new[x] for x in f.vars]
        self.g = [subst(b, new) for b in f.inside]

    def inside(self, c, relation=le):
        """Return In(c), or In°(c) for the relation lt."""
        return [
            r
            for a, p, b in zip(self.low, c, self.high, strict=True)
            for r in (relation(a, p), relation(p, b))
        ]

    def box(self, p, relation=le):
        """Return Box(p), or Box°(p) for the relation lt."""
        out = implies(both(*self.inside(self.x, relation)), p)
        for x in reversed(self.x):
            out = forall([x], out)
        return out

    def stays(self):
        """Return Stays."""
        return self.box(both(*self.inside(self.g)))

    def smooth(self, *bodies):
        """Return Smooth(bodies)."""
        return self.box(sentence("smooth", lam(self.x, *bodies), tup(*self.x)))

    def points(self, node):
        """Return the points of a set as lists of coordinates."""
        need(node.head == "set" and node.parts, "no set of points")
        for p in node.parts:
            need(
                p.head == "tuple" and len(p.parts) == self.n and tm.terms(p.parts) and not p.free,
                "no point",
            )
        return [p.parts for p in node.parts]


def at(f, c, several=False):
    """Return the body of a function at c (the bodies if there may be several)."""
    need(
        f.head == "lam"
        and len(f.vars) == len(c)
        and all(x.params[1] == "R" for x in f.vars)
        and (several or len(f.inside) == 1),
        "no function of the variables",
    )
    sigma = dict(zip(f.vars, c, strict=True))
    bodies = [subst(b, sigma) for b in f.inside]
    return bodies if several else bodies[0]


def box_of(subject, about, values):
    """Return the box map of a subject, with variables apart from all names."""
    return Box(subject, tm.union(p.free for p in [subject, *about, *values]))


def one(about):
    """Return the one thing that a goal is about."""
    need(len(about) == 1, "a goal about one thing is expected")
    return about[0]


def number(t):
    """Refuse what is no term; return it."""
    need(tm.is_term(t), "a term is expected")
    return t


# --- 7.2 table -------------------------------------------------------------


@schema("decrease", "DecreasesAlong", 0, "induction")
def decrease(_, subject, about, values):
    """Show that a function decreases along orbits."""
    g, f = box_of(subject, about, values), one(about)
    return [g.stays(), g.box(le(add(at(f, g.g), neg(at(f, g.x))), ZERO))]


@schema("bounded-descent", "VanishesAlong", 3, "induction monotone-convergence limits-of-sequences")
def bounded_descent(_, subject, about, values):
    """Show that a slope vanishes along orbits."""
    g, s = box_of(subject, about, values), one(about)
    f, rate, floor = values
    number(rate), number(floor)
    return [
        g.stays(),
        g.box(le(add(at(f, g.g), neg(at(f, g.x)), mul(rate, at(s, g.x))), ZERO)),
        g.box(le(ZERO, at(s, g.x))),
        g.box(le(floor, at(f, g.x))),
        lt(ZERO, rate),
    ]


def slow(g, squares, s, c):
    """Return that a sum of squares is at most C S."""
    return g.box(le(add(add(*squares), neg(mul(number(c), at(s, g.x)))), ZERO))


@schema("small-steps", "StepsVanish", 2, "induction limits-of-sequences")
def small_steps(_, subject, about, values):
    """Show that steps vanish."""
    g, (s, c) = box_of(subject, about, values), values
    need(not about, "a goal about nothing is expected")
    squares = [square(add(b, neg(x))) for b, x in zip(g.g, g.x, strict=True)]
    return [g.stays(), slow(g, squares, s, c), sentence("VanishesAlong", subject, s)]


@schema("limits-solve", "AccumulationPointsSolve", 2, "induction limits-of-sequences")
def limits_solve(_, subject, about, values):
    """Show that accumulation points solve equations."""
    g, (s, c) = box_of(subject, about, values), values
    e = at(one(about), g.x, True)
    return [
        g.stays(),
        slow(g, [square(b) for b in e], s, c),
        sentence("VanishesAlong", subject, s),
        g.smooth(*e),
    ]


@schema(
    "connected-limits",
    "OrbitsConvergeTo",
    1,
    "induction bolzano-weierstrass connected-accumulation-points",
)
def connected_limits(_, subject, about, values):
    """Show that orbits converge to finitely many points."""
    g, e = box_of(subject, about, values), values[0]
    points = g.points(one(about))
    solves = both(*(eq(b, ZERO) for b in at(e, g.x, True)))
    ends = either(*(both(*(eq(x, c) for x, c in zip(g.x, p, strict=True))) for p in points))
    return [
        g.stays(),
        g.box(implies(solves, ends)),
        sentence("StepsVanish", subject),
        sentence("AccumulationPointsSolve", subject, e),
    ]


def expands(g, c, taken):
    """Return Expands(c)."""
    number(c)
    y = list(apart(g.x, taken | set(g.x)).values())
    there = [subst(b, dict(zip(g.x, y, strict=True))) for b in g.g]

    def distance(a, b):
        return add(*(fun("abs", add(p, neg(q))) for p, q in zip(a, b, strict=True)))

    out = implies(
        both(*g.inside(g.x), *g.inside(y)), le(mul(c, distance(g.x, y)), distance(g.g, there))
    )
    for v in reversed(g.x + y):
        out = forall([v], out)
    return [out, lt(ZERO, c)]


@schema("expansion-injective", "Injective", 1)
def expansion_injective(_, subject, about, values):
    """Show that a map is injective."""
    need(not about, "a goal about nothing is expected")
    g = box_of(subject, about, values)
    return expands(g, values[0], subject.free | values[0].free)


@schema(
    "expansion-invertible", "InvertibleJacobian", 1, "continuous-derivatives limits-of-sequences"
)
def expansion_invertible(_, subject, about, values):
    """Show that Jacobians are invertible."""
    need(not about, "a goal about nothing is expected")
    g = box_of(subject, about, values)
    return [*expands(g, values[0], subject.free | values[0].free), g.smooth(*g.g)]


@schema(
    "local-inverse", "LocalDiffeomorphism", 0, "continuous-derivatives inverse-function-theorem"
)
def local_inverse(_, subject, about, values):
    """Show that a map is a local diffeomorphism at points."""
    g = box_of(subject, about, values)
    hyps = [sentence("InvertibleJacobian", subject), g.smooth(*g.g)]
    for p in g.points(one(about)):
        hyps += g.inside(p, lt)
    return hyps


@schema("strict-maximum", "NullStarts", 1, "induction limits-of-sequences null-sets-faces")
def strict_maximum(_, subject, about, values):
    """Show that few starts lead to strict maxima."""
    g, f = box_of(subject, about, values), values[0]
    hyps = [g.stays(), sentence("DecreasesAlong", subject, f), g.smooth(at(f, g.x))]
    return hyps + [g.box(lt(at(f, g.x), at(f, p)), lt) for p in g.points(one(about))]


@schema("null-union", "NullStarts", 1, "null-sets-unions")
def null_union(_, subject, about, values):
    """Show that finitely many null sets have a null union."""
    g, parts = box_of(subject, about, values), values[0]
    need(parts.head == "tuple", "a tuple of sets is expected")
    known = set()
    for part in parts.parts:
        g.points(part)
        known |= {key(p) for p in part.parts}
    g.points(one(about))
    need({key(p) for p in about[0].parts} <= known, "a point is in no part")
    return [sentence("NullStarts", subject, part) for part in parts.parts]


@schema("all-but-few", "AlmostEveryStartConvergesTo", 1)
def all_but_few(_, subject, about, values):
    """Show that almost every start leads to points."""
    g = box_of(subject, about, values)
    g.points(one(about)), g.points(values[0])
    every = {}
    for p in about[0].parts + values[0].parts:
        every.setdefault(key(p), p)
    return [
        sentence("OrbitsConvergeTo", subject, tm.build("set", (), tuple(every.values()))),
        sentence("NullStarts", subject, values[0]),
    ]


# --- 7.3 two longer ones ---------------------------------------------------


@schema("on-face", "OrbitsConvergeTo DecreasesAlong", 4, "induction limits-of-sequences")
def on_face(kind, subject, about, values):
    """Carry a sentence about a map over to a map of a face."""
    w_node, place, v, of = values
    taken = tm.union(p.free for p in [subject, *about, *values])
    g, w = Box(subject, taken), Box(w_node, taken)
    need(
        place.head == "n"
        and place.params[1] == 1
        and 0 <= place.params[0] <= g.n
        and w.n == g.n + 1
        and v.head == "n",
        "no face",
    )
    i = place.params[0]

    def value(t):
        return Fraction(*t.params)

    need(value(w.low[i]) <= value(v) <= value(w.high[i]), "the value is beyond the box")
    need(
        g.low == w.low[:i] + w.low[i + 1 :] and g.high == w.high[:i] + w.high[i + 1 :],
        "another box",
    )
    star = [*g.x[:i], v, *g.x[i:]]
    ws = [subst(b, dict(zip(w.x, star, strict=True))) for b in w.g]
    hyps = [g.box(eq(ws[i], v))]
    hyps += [g.box(eq(b, c)) for b, c in zip(g.g, ws[:i] + ws[i + 1 :], strict=True)]
    hyps.append(sentence(kind, w_node, of))
    if kind == "DecreasesAlong":
        return [*hyps, g.box(eq(at(one(about), g.x), at(of, star)))]
    g.points(one(about))
    known = {key(p) for p in about[0].parts}
    for p in w.points(of):
        need(p[i].head == "n", "a coordinate is no number")
        need(p[i] is not v or key(tup(*(p[:i] + p[i + 1 :]))) in known, "a point is missing")
    return hyps


@schema(
    "center-stable",
    "NullStarts",
    2,
    "induction continuous-derivatives inverse-function-theorem center-stable-manifold "
    "null-sets-unions null-sets-images null-sets-faces null-sets-discs lindelof",
)
def center_stable(_, subject, about, values):
    """Show that few starts lead to a saddle."""
    g, (matrix, eigen) = box_of(subject, about, values), values
    points, n = g.points(one(about)), g.n
    number(eigen)
    need(
        len(points) == 1
        and n <= 4
        and matrix.head == "tuple"
        and tm.terms(matrix.parts)
        and len(matrix.parts) == n * n,
        "no point and matrix",
    )
    p = points[0]
    m = [matrix.parts[i * n : i * n + n] for i in range(n)]
    hyps = [g.stays(), lt(ONE, eigen), sentence("InvertibleJacobian", subject), g.smooth(*g.g)]
    hyps += g.inside(p, lt)
    for i in range(n):
        hyps += [eq(partial(g.x, j, g.g[i], p), m[i][j]) for j in range(n)]
        hyps.append(eq(subst(g.g[i], dict(zip(g.x, p, strict=True))), p[i]))
    return [*hyps, characteristic(m, eigen)]


def characteristic(m, eigen):
    """Return that a number is an eigenvalue of a matrix, given by rows."""
    n, terms = len(m), []
    for s in permutations(range(n)):
        odd = sum(s[i] > s[j] for i in range(n) for j in range(i, n)) % 2
        terms.append(
            mul(
                MINUS if odd else ONE,
                *(add(m[i][i], neg(eigen)) if s[i] == i else m[i][s[i]] for i in range(n)),
            )
        )
    return eq(add(*terms), ZERO)


# --- 7.4 from overlaps and edges -------------------------------------------


def overlaps(kind, subject, about, values):
    """Return the box map, the hypotheses that are not about edges, and kind'."""
    need(subject.head == "tuple" and len(subject.parts) == 4, "no sphere descent")
    tag, risk, a, n = subject.parts
    need(
        tag.head == "text"
        and tag.params[0] == "SphereDescent"
        and risk.head == "lam"
        and len(risk.vars) == 5
        and len(risk.inside) == 1
        and all(x.params[1] == "R" for x in risk.vars),
        "no sphere descent",
    )
    number(a), number(n)
    taken = tm.union(p.free for p in [subject, *about, *values])
    g, slopes = Box(values[0], taken), values[1]
    need(
        g.n == 2 and all(e is MINUS for e in g.low) and all(e is ONE for e in g.high), "another box"
    )
    need(
        all(
            c in (ONE, MINUS) or (kind == "NullPairs" and c is ZERO)
            for p in g.points(one(about))
            for c in p
        ),
        "another coordinate",
    )
    x, y = g.x
    pq = at(slopes, g.x, True)
    need(len(pq) == 2, "two slopes are expected")
    new = apart([symbol(c) for c in "rst"], taken | {x, y})
    r, s, t = new.values()
    rho = at(risk, [x, y, r, s, t])
    hyps = [le(num(3), n), g.box(sentence("smooth", risk, tup(x, y, ZERO, ZERO, ZERO)))]
    for z, b in ((x, pq[0]), (y, pq[1]), (r, ZERO), (s, ZERO), (t, ZERO)):
        inner = deriv((1,), [z], rho, [z])
        hyps.append(g.box(eq(deriv((0, 0, 0), [r, s, t], inner, [ZERO] * 3), b)))
    for z, b, gi in ((x, pq[0], g.g[0]), (y, pq[1], g.g[1])):
        rest = add(ONE, neg(square(z)))
        norm = add(ONE, mul(square(mul(a, b)), rest))
        move = add(z, neg(mul(a, b, rest)))
        hyps.append(g.box(eq(mul(move, power(norm, -1, 2)), gi)))
    other = {
        "AlmostEveryPairConvergesTo": "AlmostEveryStartConvergesTo",
        "NullPairs": "NullStarts",
    }[kind]
    return g, [*hyps, sentence(other, values[0], about[0])], other


@schema(
    "from-overlaps-and-edges",
    "AlmostEveryPairConvergesTo NullPairs",
    6,
    "sphere-coordinates coarea-formula continuous-derivatives tonelli induction null-sets-images",
    of="vector theorem",
)
def from_overlaps_and_edges(kind, subject, about, values):
    """Return what carries a sentence about overlaps over to the sphere."""
    g, hyps, other = overlaps(kind, subject, about, values)
    taken = tm.union(p.free for p in [subject, *about, *values])
    for k, node in enumerate(values[2:]):
        w, i, end = Box(node, taken), k // 2, MINUS if k % 2 else ONE
        need(w.n == 1 and w.low[0] is MINUS and w.high[0] is ONE, "another box")
        z = w.x[0]
        here = {g.x[i]: end, g.x[1 - i]: z}
        hyps += [w.box(eq(subst(g.g[i], here), end)), w.box(eq(w.g[0], subst(g.g[1 - i], here)))]
        ends = [tup(p.parts[1 - i]) for p in about[0].parts if p.parts[i] is end]
        need(ends or kind == "NullPairs", "no point on an edge")
        if ends:
            hyps.append(sentence(other, node, tm.build("set", (), tuple(ends))))
    return hyps


# --- 7.5 conditional risk --------------------------------------------------

RISK = (
    "Every measurable predictor $p$ of the matrix $X$ of all tokens has the risk "
    "$E (Y - p(X))^2 = E (Y - E[Y | X])^2 + E (E[Y | X] - p(X))^2$, and "
    "$E (Y - E[Y | X])^2$ is at least $epsilon^2$."
)


@schema(
    "conditional-risk",
    "InWords",
    0,
    "conditional-risk conditional-expectation",
    of="vector theorem",
)
def conditional_risk(_, subject, about, _values):
    """Show what the risk of a predictor is, in words."""
    need(subject.head == "text" and subject.params[0] == RISK and not about, "other words")
    m, p, xi, i = symbol("m"), symbol("p"), symbol("xi"), symbol("l", "Z")
    eps, count = symbol("epsilon", "R>=0"), symbol("L", "Z>0")
    w, y = (tm.build("ix", (c, "R"), (i,)) for c in "wy")
    v = square(eps)

    def total(t):
        return tm.sum_(i, t, ONE, count)

    def average(t):
        return mul(power(total(w), -1), total(mul(w, t)))

    def e(a, b):
        return add(square(add(a, neg(b))), v)

    mean = average(y)
    first = eq(tm.E([xi], square(add(m, xi, neg(p))), [tm.build("noise", (), (v,))]), e(m, p))
    second = implies(
        lt(ZERO, total(w)),
        eq(average(e(y, p)), add(average(e(y, mean)), square(add(mean, neg(p))))),
    )
    return [forall([m], forall([p], h)) for h in (first, second, le(v, e(m, p)))]
