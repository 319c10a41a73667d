"""False statements by generators, for every rule to be tried on: what strangers would try."""
# ruff: noqa: E501 - tables of statements, one beside the other

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import product
from math import comb

import sympy as sp
from sympy import (
    Abs,
    Gt,
    Heaviside,
    Max,
    Min,
    Ne,
    Piecewise,
    Rational,
    Sum,
    Symbol,
    acos,
    asin,
    atan,
    cos,
    cosh,
    erf,
    exp,
    log,
    pi,
    sign,
    sin,
    sinh,
    sqrt,
    symbols,
    tan,
    tanh,
)

from slrsym.gaussian import Expectation, GaussianLaw, standard_normal
from slrsym.proof import D

from ._slips import Slip

x, y, z, t = symbols("x y z t", real=True)
G, H = symbols("G H", real=True)
p, q = symbols("p q", positive=True)
m = Symbol("m", integer=True)
k = Symbol("k", integer=True)
N = Symbol("N", integer=True, nonnegative=True)
normal, pair = standard_normal(G), standard_normal(G, H)

FAMILIES: dict[str, Callable[[], Iterator[Slip]]] = {}


def family(make: Callable[[], Iterator[Slip]]) -> Callable[[], Iterator[Slip]]:
    FAMILIES[make.__name__.strip("_").replace("_", " ")] = make
    return make


def slips() -> list[Slip]:
    """All of them, in one order."""
    return [s for make in FAMILIES.values() for s in make()]


def E(body, law=normal):
    return Expectation(body, law)


# -- algebra ---------------------------------------------------------------------------------------


@family
def _a_coefficient_is_wrong():
    draw = random.Random(1)
    for power in (2, 3, 4, 5):
        for a in (-3, -1, 2, Rational(1, 2)):
            place = draw.randrange(power)
            right = sum(comb(power, j) * x**j * a ** (power - j) for j in range(power + 1))
            wrong = right + draw.choice((-1, 1)) * a ** (power - place) * x**place
            yield Slip("a binomial", (x + a) ** power, "=", wrong, {x: 1})
    for j in range(2, 8):
        geometric = sum(x**i for i in range(j))
        yield Slip("a geometric sum", (1 - x) * geometric, "=", 1 - x ** (j + 1), {x: 2})
    for a, b in product((1, 2, 5), (3, 7)):
        lhs = sp.Mul(x - a, x - b, evaluate=False)
        yield Slip("a sign", lhs, "=", x**2 - (a + b) * x - a * b, {x: 0})
    for a in (2, 3, 5):
        yield Slip("a cube", (x + a * y) ** 3, "=", x**3 + (a * y) ** 3, {x: 1, y: 1})
        yield Slip("a double angle", cos(2 * a * x), "=", 2 * cos(a * x) ** 2 + 1, {x: 0})
        yield Slip("an addition", sinh(a * x) ** 2 + cosh(a * x) ** 2, "=", 1 + 0 * x, {x: 1})
        yield Slip("exponents", exp(a * x) * exp(y), "=", exp(a * x * y), {x: 1, y: 3})


@family
def _undefined_sides_that_cancel():
    holes = (
        (1 / y, 0), (1 / y**2, 0), (1 / (y - 3), 3), (1 / (y**2 - 4), 2), (log(y), -1),
        (log(y**2), 0), (sqrt(y), -1), (sqrt(1 - y**2), 2), (asin(y), 2), (acos(2 * y), 1),
        (y ** Rational(-1, 3), 0), (1 / sin(y), 0), (1 / (exp(y) - 1), 0), (1 / (Abs(y) - 5), 5),
        (log(1 - y), 1), (1 / sqrt(y), -4), (tan(y) ** -1, 0), (1 / (y**3 - y), 1),
    )  # fmt: skip
    for hole, where in holes:
        yield Slip("once on both sides", x + hole, "=", hole + x, {x: 1, y: where})
        yield Slip("beside a square", (x + 1) ** 2 + hole, "=", x**2 + 2 * x + 1 + hole,
                   {x: 1, y: where})  # fmt: skip
        yield Slip("below", hole, "<=", hole + x**2, {x: 1, y: where})
        yield Slip("strictly below", hole - 1, "<", hole, {y: where})
    for a in range(-4, 5):
        if a:
            yield Slip("a factor that vanishes", (x**2 - a**2) / (x - a), "=", x + a, {x: a})
        hole = sp.Mul(x - a, 1 / (x - a), evaluate=False)
        yield Slip("a quotient of equals", hole + x, "=", 1 + x, {x: a})


@family
def _wrong_branches():
    roots = (
        (sqrt(x**2), x, -1), (sqrt((x - 1) ** 2), x - 1, 0), (sqrt(x**4), -(x**2), 1),
        ((x**3) ** Rational(1, 3), x, -8), ((x**2) ** Rational(3, 2), x**3, -1),
        (sqrt(x**2 + 2 * x + 1), x + 1, -5), (log(x**2), 2 * log(x), -1),
        (log(x**2), 2 * log(-x), 1), (asin(sin(x)), x, 3), (acos(cos(x)), x, -1),
        (atan(tan(x)), x, 3), (exp(log(x**2) / 2), x, -1), (sqrt(x**6), x**3, -2), (Abs(x) ** 3, x**3, -1),
        (sqrt(1 - sin(x) ** 2), cos(x), 3), (sqrt(cosh(x) ** 2 - 1), sinh(x), -1),
    )  # fmt: skip
    for lhs, rhs, at in roots:
        yield Slip("a root or a logarithm", lhs, "=", rhs, {x: at})
        yield Slip("moved", lhs.subs(x, x - 3), "=", rhs.subs(x, x - 3), {x: at + 3})
    for lhs, rhs, at in (
        (log(x * y), log(x) + log(y), (-1, -1)), (sqrt(x) * sqrt(y), sqrt(x * y), (-1, -1)),
        (sqrt(x / y), sqrt(x) / sqrt(y), (-1, -1)), (sqrt(x**2 + y**2), x + y, (3, 4)),
        (log(x / y), log(x) - log(y), (-1, -1)), (log(x + y), log(x) + log(y), (1, 1)),
        (sqrt(x**2 * y**2), x * y, (-1, 1)), (Abs(x + y), Abs(x) + Abs(y), (1, -1)),
        (Abs(x - y), Abs(x) - Abs(y), (1, 2)), (atan(x) + atan(y), atan(x + y), (1, 1)),
        ((x * y) ** Rational(1, 3), x ** Rational(1, 3) * y ** Rational(1, 3), (-1, -1)),
    ):  # fmt: skip
        yield Slip("of two numbers", lhs, "=", rhs, {x: at[0], y: at[1]})


@family
def _kinks_and_edges():
    for a in (-2, 0, 1, 3):
        s = x - a
        for lhs, rel, rhs, at in (
            (Max(s, 0), "=", s, -1), (Min(s, 0), "=", s, 1), (Max(s, 0), "=", Abs(s), -1),
            (Max(s, 0) - Min(s, 0), "=", s, -1), (sign(s) ** 2, "=", 1, 0),
            (sign(s) * s, "=", s, -1), (Heaviside(s, 0) + Heaviside(-s, 0), "=", 1, 0),
            (Heaviside(s, 1) + Heaviside(-s, 1), "=", 1, 0), (Max(s, 0) ** 2, "=", s**2, -1),
            (Piecewise((s, s > 0), (1, True)), "<=", Max(s, 0), 0),
            (Piecewise((0, s < 0), (1, True)), "<=", Max(s, 0), 0),
            (Piecewise((s**2, s >= 0), (-s, True)), "=", Max(s, 0) ** 2, -1),
            (Max(s, 0), ">", 0, 0), (Abs(s), ">", 0, 0), (Max(s, 1), "<=", s, 0),
            (Abs(s), "<", Abs(s) + Max(s, 0), -1), (Min(s, 2), ">=", s, 3),
        ):  # fmt: skip
            yield Slip("an edge", sp.sympify(lhs), rel, sp.sympify(rhs), {x: at + a})


# -- order -----------------------------------------------------------------------------------------


@family
def _strict_where_it_touches():
    for a in (-5, -1, 0, 2, Rational(1, 3)):
        square = sp.expand((x - a) ** 2)
        yield Slip("a square", square, ">", 0, {x: a})
        yield Slip("a product of squares", square * (1 + y**2), ">", 0, {x: a, y: 1})
        yield Slip("two squares", square + (y - a) ** 2, ">", 0, {x: a, y: a})
        yield Slip("a fourth power", sp.expand((x - a) ** 4), ">", 0, {x: a})
        yield Slip("exp above its tangent", exp(x - a), ">", 1 + x - a, {x: a})
        yield Slip("log below its tangent", log(p), "<", p - 1, {p: 1})
        yield Slip("cosh", cosh(x - a), ">", 1, {x: a})
        yield Slip("cos", cos(x - a), "<", 1, {x: a})
    yield Slip("the means", (p + q) / 2, ">", sqrt(p * q), {p: 1, q: 1})
    yield Slip("the means, harmonic", sqrt(p * q), ">", 2 * p * q / (p + q), {p: 1, q: 1})
    yield Slip("a sum and its inverse", p + 1 / p, ">", 2, {p: 1})
    yield Slip("the triangle", Abs(x + y), "<", Abs(x) + Abs(y), {x: 1, y: 1})
    yield Slip("sin", Abs(sin(x)), "<", Abs(x), {x: 0})
    yield Slip("Cauchy", (x * y + z * t) ** 2, "<", (x**2 + z**2) * (y**2 + t**2),
               {x: 1, y: 1, z: 1, t: 1})  # fmt: skip


@family
def _the_wrong_way_round():
    for lhs, rhs, point in (
        (sqrt(p * q), (p + q) / 2, {p: 1, q: 4}), (2, p + 1 / p, {p: 3}),
        (1 + x, exp(x), {x: 1}), (Abs(x + y), Abs(x) + Abs(y), {x: 1, y: -1}),
        (x, sinh(x), {x: 1}), (log(1 + p), p, {p: 1}), (tanh(p), p, {p: 1}),
        (sin(p), p, {p: 1}), (atan(p), p, {p: 1}), (0, cosh(x) - 1, {x: 1}),
        (erf(p), 2 * p / sqrt(pi), {p: 1}), (1 - x**2 / 2, cos(x), {x: 1}),
        (exp(-(x**2)), 1, {x: 1}), (x * y, (x**2 + y**2) / 2, {x: 1, y: 2}),
        (1 / (1 + x**2), 1, {x: 1}), (p / (1 + p), 1, {p: 1}), (1, cosh(x), {x: 1}),
    ):  # fmt: skip
        yield Slip("reversed", sp.sympify(lhs), ">=", sp.sympify(rhs), point)
        yield Slip("reversed, in the middle of a sum", z**2 + lhs, ">", z**2 + rhs, {**point, z: 0})


@family
def _what_growth_does_not_last():
    """True near zero, and false far out."""
    for e in (1, 2, 4, 6, 8):
        big = 10**e
        yield Slip("a square is bounded", x**2, "<=", big**2, {x: big + 1})
        yield Slip("a power above", p**3, "<=", big * p**2, {p: 2 * big})
        yield Slip("an exponential below", exp(x / big), "<=", 2 + x**2, {x: 60 * big})
        yield Slip("a log above", log(p), ">=", 1 - big + log(p) / 2, {p: exp(-3 * big)})
        yield Slip("it never vanishes", Abs(x - big), ">", 0, {x: big})
        yield Slip("a quotient below", x / (1 + x**2 / big**2), "<=", sp.Integer(big) / 4, {x: big})
        yield Slip("near zero", 1 / p, "<=", big, {p: Rational(1, 2 * big)})
        yield Slip("a small square", x**2, ">=", x / big, {x: Rational(1, 2 * big)})


@family
def _signs_of_factors():
    for lhs, rel, rhs, point, given in (
        (x * y, ">", 0, {x: -1, y: 1}, (Gt(y, 0),)), (x * y, ">", 0, {x: 0, y: 1}, (x >= 0, y > 0)),
        (x**2 * y, ">", 0, {x: 0, y: 1}, (y > 0,)), (x * y, ">=", 0, {x: 1, y: -1}, (x >= 0,)),
        (1 / x, ">", 0, {x: 0}, (x >= 0,)), (1 / x, "<=", 1, {x: Rational(1, 2)}, (x > 0,)),
        (1 / x, "<=", 1 / y, {x: 1, y: -1}, (y <= x,)), (x**2, "<=", y**2, {x: -2, y: 1}, (x <= y,)),
        (x * z, "<=", y * z, {x: 0, y: 1, z: -1}, (x <= y,)), (x**2, "<=", x, {x: 2}, (x > 0,)),
        (x, "<=", x**2, {x: Rational(1, 2)}, (x > 0,)), (x**3, ">=", x, {x: Rational(1, 2)}, (x >= 0,)),
        (x - y, ">", 0, {x: 1, y: 1}, (x >= y,)), (x * y, "<", 1, {x: 1, y: 1}, (x <= 1, y <= 1)),
        (x * y, "<=", 1, {x: -2, y: -2}, (x <= 1, y <= 1)), (x + y, ">", 0, {x: 0, y: 0}, (x >= 0, y >= 0)),
        (x / y, ">=", 1, {x: -1, y: -2}, (x >= y,)), (sqrt(x), "<=", x, {x: Rational(1, 4)}, (x > 0,)),
        (Abs(x), "<=", 1, {x: -2}, (x <= 1,)), (x * Abs(x), ">=", 0, {x: -1}, ()),
        (x**5, ">=", -1, {x: -2}, (x <= 0,)), (exp(x * y), ">=", 1, {x: -1, y: 1}, (y > 0,)),
        (exp(-x), "<", 1, {x: 0}, (x >= 0,)), (tanh(x * y), ">", 0, {x: 0, y: 1}, (x >= 0, y > 0)),
        (erf(x) * x, ">", 0, {x: 0}, ()), (x * sin(x), ">=", 0, {x: 4}, ()),
        (x**2 - 3 * x + 2, ">=", 0, {x: Rational(3, 2)}, (x >= 0,)),
        (x**4 - x**2, ">=", 0, {x: Rational(1, 2)}, ()), (x**4 + x**3, ">=", 0, {x: -Rational(1, 2)}, ()),
    ):  # fmt: skip
        yield Slip("a product", sp.sympify(lhs), rel, sp.sympify(rhs), point, given=given)


@family
def _hypotheses_that_do_not_reach():
    for a in (0, 1, 2, 5):
        for lhs, rel, rhs, at, fact in (
            (x**2, ">", a**2, a, x >= a), (x, ">", a, a, x >= a), (x**2, ">=", (a + 2) ** 2, -1 - a, x <= a),
            (log(x - a), "<=", x - a - 1, a, x >= a), (sqrt(x - a), ">", 0, a, x >= a),
            (1 / (x - a), ">", 0, a, x >= a), (Abs(x - a), "=", x - a, a - 1, x < a + 1),
            (sqrt((x - a) ** 2), "=", x - a, a - 1, x > a - 2), (x - a, "!=", 0, a, x > a - 1),
        ):  # fmt: skip
            if rel != "!=":
                yield Slip("a bound at its end", sp.sympify(lhs), rel, sp.sympify(rhs), {x: at},
                           given=(fact,))  # fmt: skip
    for a in (1, 2, 7):
        lhs = sp.Mul(x - a, 1 / (x - a), evaluate=False)
        yield Slip("another point is excluded", lhs, "=", 1, {x: a}, given=(Ne(x, a + 1),))


# -- whole numbers -----------------------------------------------------------------------------


@family
def _integrality_and_parity():
    for lhs, rel, rhs, point in (
        (m**2, ">", 0, {m: 0}), (m**2, ">", m, {m: 1}), (m**3, ">=", m, {m: -2}),
        ((-1) ** m, "=", 1, {m: 1}), ((-1) ** (m * (m + 1) / 2), "=", 1, {m: 1}),
        ((-1) ** m * (-1) ** k, "=", 1, {m: 1, k: 0}), (cos(pi * m), "=", 1, {m: 1}),
        (sin(pi * m / 2), "=", 0, {m: 1}), (m * (m + 1), ">", 0, {m: 0}),
        (m**2 - m, ">=", m, {m: 1}), (2**N, ">=", N**2, {N: 3}), (2**N, ">=", N + 2, {N: 0}),
        (sp.factorial(N), ">=", 2**N, {N: 2}), (N**2, ">=", N + 1, {N: 1}), (3 * N, "<=", N**2, {N: 1}),
        ((m - Rational(1, 2)) ** 2, ">", Rational(1, 4), {m: 0}),
        ((m - Rational(1, 3)) ** 2, ">=", Rational(1, 4), {m: 0}), (x**2, ">=", x, {x: Rational(1, 2)}),
        (m * k, ">=", m, {m: -1, k: 2}), (Abs(m), ">=", 1, {m: 0}), (sin(m), "<=", 0, {m: 1}),
        (m**2 * k**2, ">=", m**2, {m: 1, k: 0}), (1 / m, "<=", 1, {m: 0}), (N * (N - 2), ">=", 0, {N: 1}),
        (N * (N - 1) * (N - 3), ">=", 0, {N: 2}), (m**2 + m, ">=", 1, {m: 0}),
        (sp.floor(x), ">=", x, {x: Rational(1, 2)}), (sp.floor(x + y), "=", sp.floor(x) + sp.floor(y),
         {x: Rational(1, 2), y: Rational(1, 2)}), (sp.ceiling(x), "<", x + 1 - x**2, {x: 1}),
    ):  # fmt: skip
        yield Slip("of integers", sp.sympify(lhs), rel, sp.sympify(rhs), point)


@family
def _sums():
    bodies = ((k, N * (N + 1) / 2), (k**2, N * (N + 1) * (2 * N + 1) / 6), (2**k, 2 ** (N + 1) - 2),
              (2 * k - 1, N**2), (k * (k + 1), N * (N + 1) * (N + 2) / 3))  # fmt: skip
    for body, closed in bodies:
        yield Slip("one term more", Sum(body, (k, 1, N + 1)), "=", closed, {N: 1})
        yield Slip("one term less", Sum(body, (k, 1, N)), "=", closed.subs(N, N - 1), {N: 2})
        yield Slip("an empty one", Sum(body, (k, 1, N)), ">", 0, {N: 0})
        yield Slip("a bound by its last term", Sum(body, (k, 1, N)), "<=", N * body.subs(k, 1),
                   {N: 4})  # fmt: skip
        yield Slip("the square of a sum", Sum(body, (k, 1, N)) ** 2, "=",
                   Sum(body**2, (k, 1, N)), {N: 2})  # fmt: skip
        yield Slip("from zero", Sum(body + 2, (k, 0, N)), "=", closed + 2 * N, {N: 1})
    for a in (1, 2, 3):
        pole = 1 / (m - a)
        yield Slip("a pole among the terms", Sum(k, (k, 1, N)) + pole, ">=", pole, {N: 1, m: a})
        yield Slip("a term that does not exist", Sum(1 / (k - a), (k, 0, N)), "<=", N, {N: a},
                   "the term at the pole has no value")  # fmt: skip
        yield Slip("a sum of negatives", Sum(-(k**a), (k, 1, N)), ">=", 0, {N: 1})
        yield Slip("a product of sums", Sum(k, (k, 1, N)) * Sum(k**a, (k, 1, N)), "=",
                   Sum(k ** (a + 1), (k, 1, N)), {N: 2})  # fmt: skip
    for a in (0, 1, 2):
        yield Slip("backwards", Sum(k**2 + 1, (k, a, -3)), ">=", 0, {},
                   "a sum from above to below is minus the terms between")  # fmt: skip


# -- calculus --------------------------------------------------------------------------------------


@family
def _derivatives():
    for a in (-2, 0, 1, 5):
        s = x - a
        for of, slope, at in (
            (Abs(s), sign(s), a), (Abs(s), s / Abs(s), a), (Max(s, 0), Heaviside(s), a),
            (Max(s, 0), Heaviside(s, 0), a), (sqrt(s**2), sign(s), a), (sign(s), 0 * s, a),
            (Heaviside(s), 0 * s, a), (log(s), 1 / s, a), (log(Abs(s)), 1 / s, a), (1 / s, -1 / s**2, a),
            (sqrt(s), 1 / (2 * sqrt(s)), a), (asin(s), 1 / sqrt(1 - s**2), a + 1),
            (s ** Rational(1, 3), s ** Rational(-2, 3) / 3, a), (Min(s, 1), Heaviside(1 - s), a + 1),
            (s**3, 3 * s, a + 2), (exp(2 * s), exp(2 * s), a), (sin(s) ** 2, 2 * sin(s), a + 1),
            (cos(s), sin(s), a + 1), (tanh(s), 1 - tanh(s), a + 1), (erf(s), exp(-(s**2)), a + 1),
            (s * exp(s), exp(s), a + 1), (atan(s), 1 / (1 - s**2), a + 2), (cosh(s), -sinh(s), a + 1),
            (exp(-(s**2) / 2), s * exp(-(s**2) / 2), a + 1), (1 / (1 + s**2), -1 / (1 + s**2) ** 2, a + 2),
        ):  # fmt: skip
            yield Slip("of one variable", D(of, x), "=", slope, {x: at})
    yield Slip("a constant is kept", D(x**2 + y**2, x), "=", 2 * x + 2 * y, {x: 1, y: 1})
    yield Slip("the other variable", D(x * y**2, x), "=", 2 * x * y, {x: 1, y: 1})
    yield Slip("a product", D(x * sin(x), x), "=", cos(x), {x: 1})
    yield Slip("second", D(x**4, (x, 2)), "=", 4 * x**3, {x: 2})


# -- expectations ------------------------------------------------------------------------------


@family
def _moments():
    for j in range(1, 9):
        true = 0 if j % 2 else sp.factorial2(j - 1)
        yield Slip("one too large", E(G**j), "=", true + 1)
        yield Slip("the next one", E(G ** (2 * j)), "=", sp.factorial2(2 * j + 1))
        yield Slip("a power of the mean", E(G**2) ** j * 2, "=", E(G ** (2 * j)) + 2 - (j == 1) * 2
                   + (j > 1) * 5)  # fmt: skip
    for a in (1, 2, Rational(1, 2)):
        for lhs, rhs in (
            (E(exp(a * G)), exp(a**2)), (E(exp(a * G)), exp(a * E(G))), (E(cos(a * G)), exp(-(a**2))),
            (E(sin(a * G)), exp(-(a**2) / 2)), (E((G + a) ** 2), a**2), (E((G + a) ** 3), a**3 + a),
            (E(a * G**2), a**2 + 1), (E(G * exp(a * G)), exp(a**2 / 2) * (1 + a)), (E(Abs(a * G)), a),
            (E(Max(G, 0) * a), a / 2), (E(erf(a * G) ** 2), Rational(1, 2) + a), (E(tanh(a * G) ** 2), a),
            (E(exp(-a * G**2)), 1 / sqrt(1 + a)), (E(G**2 * exp(-a * G**2)), 1 / sqrt(1 + 2 * a)),
            (E(Heaviside(G - a)), Rational(1, 2)), (E(G * sign(G) * a), 2 * a),
        ):  # fmt: skip
            yield Slip("in closed form", lhs, "=", rhs)
    law = GaussianLaw({G: 2}, [[3]])
    for lhs, rhs in ((E(G, law), 0), (E(G**2, law), 3), (E(G**2, law), 4), (E((G - 2) ** 2, law), 9),
                     (E(G**2, law), E(G, law) ** 2), (E(G**3, law), 8), (E((G - 2) ** 4, law), 3 * 3)):  # fmt: skip
        yield Slip("of another law", lhs, "=", sp.sympify(rhs))


@family
def _dependence():
    for c in (Rational(1, 2), -Rational(1, 2), Rational(3, 4)):
        law = GaussianLaw({G: 0, H: 0}, [[1, c], [c, 1]])
        for lhs, rhs in (
            (E(G * H, law), E(G, law) * E(H, law)), (E(G**2 * H**2, law), E(G**2, law) * E(H**2, law)),
            (E(G * H, law), 0), (E((G + H) ** 2, law), 2), (E((G - c * H) ** 2, law), 1),
            (E(G * H**3, law), c), (E(exp(G + H), law), E(exp(G), law) * E(exp(H), law)),
            (E(G**2 * H, law), c), (E(G * sin(H), law), 0), (E(G * H, law), -c),
        ):  # fmt: skip
            yield Slip("correlated", lhs, "=", sp.sympify(rhs))
    for a, b in (
        (G, G), (G, G**3), (G**2, G**2), (G, sin(G)), (exp(G), exp(G)), (G, tanh(G)), (Abs(G), G**2),
        (G + H, G), (G + H, H), (G + H, G + 2 * H), (G * H, G * H), (exp(G), exp(H - G)),
        ((G + H) ** 2, (G - 2 * H) ** 2), (cos(G), cos(G)), (G**2, exp(-(G**2))),
    ):  # fmt: skip
        yield Slip("of one variable", E(a * b, pair), "=", E(a, pair) * E(b, pair))
    for of in (G**2, exp(G), Abs(G), cos(G), cosh(G), tanh(G) ** 2, Max(G, 0), exp(-(G**2)), G**4):
        yield Slip("taken inside", E(of), "=", of.subs(G, E(G)))


@family
def _order_of_means():
    for of in (G**2, exp(G), Abs(G), cosh(G), G**4, Max(G, 0), exp(-G), (G - 1) ** 2):
        yield Slip("Jensen reversed", E(of), "<=", of.subs(G, 0))
        yield Slip("Cauchy reversed", E(of) ** 2, ">=", E(of**2))
        yield Slip("below a number", E(of), "<=", Rational(1, 10))
    for of in (cos(G), exp(-(G**2)), 1 / (1 + G**2), erf(G) ** 2, tanh(G) ** 2):
        yield Slip("bounded by less", E(of), "<=", Rational(1, 5))
        yield Slip("a negative mean", E(of), "<", 0)
        yield Slip("a mean above its bound", E(of), ">=", 1)
    for j in (1, 3, 5):
        yield Slip("of odd powers", E(G**j), ">", 0)
        yield Slip("a sign lost", E((G - 1) ** j), ">=", 0)


@family
def _means_that_diverge():
    for name, body, why in (
        ("a reciprocal", 1 / G, "1/|g| is not integrable at 0"),
        ("a reciprocal square", 1 / G**2, "1/g^2 is not integrable at 0"),
        ("a moved pole", 1 / (G - 1), "1/|g - 1| is not integrable at 1"),
        ("a Gaussian turned over", exp(G**2), "exp(g^2/2) is not integrable"),
        ("exactly at the edge", exp(G**2 / 2), "the density cancels, and 1 is not integrable"),
        ("with a factor", G * exp(G**2), "|g| exp(g^2/2) is not integrable"),
        ("a quartic", exp(G**4), "exp(g^4) outgrows the density"),
        ("a cubic", exp(G**3), "exp(g^3) outgrows the density on the right"),
        ("a logarithm", log(G), "log g is not real for g < 0"),
        ("a root", sqrt(G), "the root of g is not real for g < 0"),
        ("an arc sine", asin(G), "beyond [-1, 1] there is no arc sine"),
        ("a double exponential", exp(exp(G)), "exp(exp(g)) outgrows the density"),
        ("a tangent", tan(G), "tan has poles"),
        ("a product of two", exp(G * H * 2), "exp(2 g h) has an indefinite exponent"),
        ("the other variable's", exp(H**2) * G, "exp(h^2/2) is not integrable"),
        ("a quotient of two", G / H, "1/|h| is not integrable at 0"),
    ):
        mean = E(body, pair if body.has(H) else normal)
        for lhs, rel, rhs in (
            (mean, "=", 0 * x), (2 * mean, "=", mean + mean * 1), (mean + x**2, ">=", mean),
            (mean, "<", mean + 1), ((mean + 1) ** 2, "=", mean**2 + 2 * mean + 1),
            (E(body + 1, mean.law), "=", mean + 1), (E(2 * body, mean.law), "=", 2 * mean),
        ):  # fmt: skip
            yield Slip(name, sp.sympify(lhs), rel, sp.sympify(rhs), reason=why)
