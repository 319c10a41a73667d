"""Small statements for which evidence is searched for, and why there is none for false ones."""

from __future__ import annotations

import pytest
from sympy import (
    Abs,
    And,
    Eq,
    Equivalent,
    Function,
    IndexedBase,
    Integral,
    Or,
    Rational,
    Sum,
    Symbol,
    atan,
    erf,
    exp,
    log,
    pi,
    sign,
    sin,
    sinh,
    sqrt,
    symbols,
)

from slrsym.gaussian import Expectation, GaussianLaw, OwensT, standard_normal
from slrsym.proof import (
    D,
    algebra,
    all_of,
    ball_arithmetic,
    cauchy_schwarz,
    chain,
    differentiate,
    fundamental_theorem,
    gaussian_calculus,
    increasing,
    integral_algebra,
    jensen,
    lipschitz,
    monotone,
    never,
    only_at,
    piecewise,
    solution,
    solution_set,
    split_product,
    tangent,
    taylor,
    termwise,
)
from slrsym.proof import sign as signs
from tests.prover.false_claims._entries import link, says
from tests.prover.tactics._shown import claim_of, is_shown, refusals

x, y, z, w, t, G, U, W = symbols("x y z w t G U W", real=True)
p, q = symbols("p q", positive=True)
i, n = symbols("i n", integer=True)
N = Symbol("N", integer=True, positive=True)
v = IndexedBase("v", real=True)
s = IndexedBase("s", positive=True)
f, h = (Function(name, real=True) for name in "fh")
half = Rational(1, 2)
WITHIN = (x >= -1, x <= 1, y >= -1, y <= 1)
ORDERED = (x <= y,)


def E(of, law=None):
    return Expectation(of, law or standard_normal(G))


def total(of):
    return Sum(of, (n, 1, N))


three = chain(D(3 * z, z)).then(3, by=differentiate)
steady = lipschitz(
    3 * z, z, x, y, low=-1, high=1, bound=all_of(three.le(4, by=signs), three.ge(-4, by=signs))
)
bent = chain(D(z**2, z, z)).then(2, by=differentiate).le(3, by=signs)
parabola = taylor(z**2, z, x, y, low=-1, high=1, bound=bent)
squares = termwise(i, 1, N, chain(v[i] ** 2).ge(0, by=signs))
square = chain(v[i] ** 2).ge(0, by=signs)
bells = termwise(i, 1, N, chain(exp(v[i] ** 2)).ge(1, by=signs), facts=[square])
share = chain(s[i] * (t + v[i] ** 2)).ge(s[i] * t, by=signs)
dealt_out = termwise(i, 1, N, share, partition=s[i])
rise = chain(D(z + exp(z), z)).then(1 + exp(z), by=differentiate).gt(0, by=signs)
climb = monotone(z + exp(z), z, x, y, rise)
in_order = chain(x).le(y, by=signs)
equal_laws = [GaussianLaw({G: m}, [[1]]) for m in ((t + 1) ** 2, t**2 + 2 * t + 1)]
one_source = GaussianLaw({U: 0, W: 0}, [[p**2, p * q], [p * q, q**2]])

slope_of_mean = D(E(sin(t * G)), t)

TRUE = [
    # Slopes and integrals.
    (Abs(3 * x - 3 * y), "<=", 4 * Abs(x - y), steady, WITHIN),
    (3 * x - 3 * y, "<=", 4 * Abs(x - y), steady, WITHIN),
    (y**2, "<=", x**2 + 2 * x * (y - x) + 3 * (y - x) ** 2 / 2, parabola, WITHIN),
    (total(v[n] ** 2), ">=", 0, squares, ()),
    (total(exp(v[n] ** 2)), ">=", total(1), bells, ()),
    (t, "<=", total(s[n] * (t + v[n] ** 2)), dealt_out, (Eq(total(s[n]), 1),)),
    (0, "<=", total(v[n] ** 2), squares, ()),
    (x + exp(x), "<", y + exp(y), climb, (x < y,)),
    (x + exp(x), "<=", y + exp(y), climb, ORDERED),
    (
        Integral(exp(z**2), (z, x, y)),
        "=",
        -Integral(exp(z**2), (z, y, x)),
        integral_algebra,
        (),
    ),
    (total(2 * v[n] + t), "=", 2 * total(v[n]) + N * t, algebra, ()),
    (total(v[n] / (p * (1 + v[n] ** 2))), "=", total(v[n] / (1 + v[n] ** 2)) / p, algebra, ()),
    (
        total(exp(v[n] / 2) + exp(v[n] / 3)),
        "=",
        total(exp(v[n] / 2)) + total(exp(v[n] / 3)),
        algebra,
        (),
    ),
    (total(t * f(v[n])), "=", t * total(f(v[n])), algebra, ()),
    (total(t * h(v[n], t)), "=", t * total(h(v[n], t)), algebra, ()),
    (total(t * h(v[n], t)), "=", t * y, algebra, (Eq(y, total(h(v[n], t)), evaluate=False),)),
    (total(exp(v[n])), ">", -1, signs, ()),
    (Integral(exp(z), (z, 0, p)), ">=", 0, signs, ()),
    (Integral(-exp(z), (z, 0, p)), "<=", 0, signs, ()),
    (z + Integral(z**2 + t, (z, 0, 1)), "=", z + Integral(w**2, (w, 0, 1)) + t, algebra, ()),
    # Convexity, and means.
    (exp(x), "<=", exp(y), increasing(exp(z), z, in_order), ORDERED),
    (log(p), "<=", p - 1, tangent(log(q), q, 1, p), ()),
    (E(-(G**2)), "<=", -(E(G) ** 2), jensen(-(z**2), z), ()),
    (E(2 * G + 1) ** 2, "<=", E(4 * G**2 + 4 * G + 1), jensen(z**2, z), ()),
    (E(G * exp(G)) ** 2, "<=", E(G**2) * E(exp(2 * G)), cauchy_schwarz(G, exp(G)), ()),
    (E(f(G), equal_laws[0]), "=", E(f(G), equal_laws[1]), algebra, ()),
    (E(U * W, one_source), "=", p * q, gaussian_calculus, ()),
    (E(G * sign(G - 1)), "=", sqrt(2 / pi) * exp(-half), gaussian_calculus, ()),
    (p * (slope_of_mean + 1), "=", p * slope_of_mean + p, algebra, ()),
    (OwensT(0, t, evaluate=False), "=", atan(t) / (2 * pi), algebra, ()),
    (OwensT(0, 1 / p, evaluate=False), "=", atan(1 / p) / (2 * pi), algebra, ()),
    # Pieces of a sign that is known.
    (Abs(x) + sign(x), "=", x + 1, piecewise(algebra), (x >= 1,)),
    (Abs(x) ** 3, ">=", x**3, piecewise(signs), ()),
    ((1 - sign(x) ** 2) * exp(x), "=", 1 - sign(x) ** 2, piecewise(algebra), ()),
    # Signs from the ends of an interval, squares, roots, and products of facts.
    (x * t**2 + 1 - x, ">=", 0, signs, (x >= 0, x <= 1)),
    (x * (t**2 + 1) + (1 - x) * (t**4 + 1), ">", 0, signs, (x >= 0, x <= 1)),
    (p * x**2 + p * x + p, ">", 0, signs, ()),
    (x - x**2 - 1, "<", 0, signs, ()),
    (sqrt(x**2 + 1) - x, ">", 0, signs, ()),
    (1 - x / sqrt(1 + x**2), ">", 0, signs, ()),
    (sqrt(1 + p), "<=", 1 + p / 2, signs, ()),
    (2 * p * sqrt(1 + p) - p, ">", 0, signs, ()),
    (1 - x - y - z + x * y + y * z + z * x, ">=", x * y * z, signs, (x <= 1, y <= 1, z <= 1)),
    (x**2 + y**2 + z**2, ">=", x * y + y * z + z * x, signs, ()),
    (exp(-x), "<=", 1, signs, (x >= 0,)),
    (x, "<", z, signs, (x <= y, y < z)),
    # Equations from equations.
    (erf(x - y), "=", 0, algebra, (Eq(x, y),)),
    (x, "=", 1, algebra, (Eq(erf(x - 1), 0),)),
    (x, "=", 1, algebra, (Eq(p * (x - 1), 0),)),
    (x, "=", 1, algebra, (Eq((x - 1) * sqrt(x**2 + 1), 0),)),
    (x, "=", 2, algebra, (Eq(x + y, 3), Eq(x - y, 1))),
    (x * y, "=", z * w, algebra, (Eq(x, z), Eq(y, w))),
]


@pytest.mark.parametrize(("left", "relation", "right", "by", "given"), TRUE)
def test_what_is_true_is_shown(left, relation, right, by, given):
    statement = says(left, relation, right)
    assert is_shown(statement, link(left, relation, right, by), given)


COMPARE = "the two sides are not known to compare: "
REFUSED = [
    (x + exp(x), "<", y + exp(y), climb, ORDERED, "x < y is not shown"),
    (
        Integral(z, (z, x, y)),
        "=",
        y**2 - x**2,
        fundamental_theorem(z**2, z),
        (),
        "no integrand is the derivative",
    ),
    (
        x**2,
        "<=",
        y**2,
        increasing(z**2, z, in_order),
        ORDERED,
        "z**2 is not known to increase, nor to decrease, in z",
    ),
    (
        exp(x),
        "<=",
        exp(y),
        increasing(exp(x), x, in_order),
        ORDERED,
        "a hypothesis speaks of x; rename the variable",
    ),
    (
        exp(x),
        "<=",
        exp(y),
        increasing(exp(n), n, in_order),
        ORDERED,
        "n has to be declared real, and of a sign at most",
    ),
    (
        x**3,
        ">=",
        0,
        tangent(z**3, z, 0, x),
        (),
        "z**3 is not known to be convex, nor concave, in z",
    ),
    (
        E(exp(G**2), equal_laws[0]),
        "=",
        E(exp(G**2), equal_laws[1]),
        algebra,
        (),
        "the existence of E[exp(G**2)] is not shown",
    ),
    (t, "<=", 1, ball_arithmetic, (), "t has no value here; the rule compares numbers"),
    (exp(half), "<=", Rational(8, 5), ball_arithmetic, (), "the balls do not lie apart"),
    (x * t**2 - x, ">=", 0, signs, (x >= 0, x <= 1), f"{COMPARE}-t**2*x + x <= 0"),
    (x, "<", z, signs, (x <= y, y <= z), f"{COMPARE}x - z < 0"),
]


@pytest.mark.parametrize(("left", "relation", "right", "by", "given", "said"), REFUSED)
def test_a_refusal_says_what_is_missing(left, relation, right, by, given, said):
    claim = claim_of(says(left, relation, right), link(left, relation, right, by), given)
    assert refusals(claim) == {"1": said}


# Which points solve equations: the points, the equations, and the tree of cases.
def root(factor, value, then=None):
    return only_at(factor, x, value, then or solution())


in_both = [root(factor, 0) for factor in (x, -x)]
SOLUTIONS = [
    ([{x: 1}], [erf(x - 1)], split_product(erf(x - 1), root(erf(x - 1), 1))),
    (
        [{x: 1}, {x: 2}],
        [sinh(x - 1) * (x - 2)],
        split_product(sinh(x - 1) * (x - 2), root(sinh(x - 1), 1), root(x - 2, 2)),
    ),
    (
        [{x: 1}, {x: 2}],
        [-p * (x - 1) * (x - 2)],
        split_product(-p * (x - 1) * (x - 2), root(-p * (x - 1), 1), root(x - 2, 2)),
    ),
    (
        [{x: 1}],
        [(x - 1) * (x**2 + 1)],
        split_product((x - 1) * (x**2 + 1), root(x - 1, 1), never(x**2 + 1)),
    ),
    (
        [{x: 0, y: 2}, {x: 0, y: 0}],
        [x * (y - 1), p * (y - 2) * y],
        split_product(
            p * (y - 2) * y,
            only_at(y - 2, y, 2, split_product(x * (y - 1), in_both[0])),
            only_at(p * y, y, 0, split_product(x * (y - 1), in_both[1])),
        ),
    ),
]


@pytest.mark.parametrize(("points", "sides", "tree"), SOLUTIONS)
def test_all_solutions_are_found(points, sides, tree):
    system = And(*(Eq(side, 0, evaluate=False) for side in sides))
    listed = Or(*(And(*(Eq(u, value) for u, value in point.items())) for point in points))
    goal = Equivalent(system, listed, evaluate=False)
    assert is_shown(goal, solution_set(goal, list(points[0]), tree))


def test_a_factor_that_vanishes_is_not_skipped():
    side = (x - 1) * (x**2 + 1)
    goal = Equivalent(Eq(side, 0, evaluate=False), Eq(x, 1), evaluate=False)
    tree = split_product(side, never(x**2 + 1), never(x - 1))
    missing = refusals(claim_of(goal, solution_set(goal, [x], tree)))
    assert missing["case.2.never"] == f"{COMPARE}x - 1 != 0"
