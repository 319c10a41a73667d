"""Normal forms and all that the ring learns, at random points where the evidence is the truth.

For every question the evidence is the sign that the polynomial has at the point, or a weaker one,
or nothing. So whatever is learned has to hold there, and a term that is undefined there has no
normal form.
"""

from __future__ import annotations

from functools import cache
from random import Random

import mpmath
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from mpmath import mp, mpf

from slrsym.checker.ring import ExponentUnitTooCoarse, Ring
from slrsym.checker.sign import NEG, NN, NZ, POS, ZERO
from slrsym.checker.term import Rejected, num

# The first letter of the sign that a sort asks for, and whether it is one of integers.
SORTS = {"x": "R", "p": "R>0", "m": "R<0", "s": "R>=0", "t": "R<=0", "w": "R!=0",
         "i": "Z>0", "j": "Z<0", "k": "Z"}  # fmt: skip
SYMBOLS = [("s", name, sort) for name, sort in SORTS.items()]
SIZE = 60
# What is not zero, and comes up here, is seen to differ from it.
DIGITS = 70


class UndefinedError(Exception):
    """A term has no value at the point."""


def bell(v):
    return mpmath.exp(-v * v / 2) / mpmath.sqrt(2 * mp.pi)


@cache
def zeta(a, b):
    """The mean of erf(a + bV)^2 from its definition, to 15 digits."""
    return mpmath.quad(
        lambda v: mpmath.erf(a + b * v) ** 2 * bell(v), [-9, -6, -4, -2, -1, 0, 1, 2, 4, 6, 9]
    )


@cache
def owens(h, a):
    def slope(v):
        return mpmath.exp(-h * h * (1 + v * v) / 2) / (1 + v * v)

    return mpmath.quad(slope, mpmath.linspace(0, a, 6)) / (2 * mp.pi)


def exponential(u):
    if abs(u) > 500:
        reject()
    return mpmath.exp(u)


FUNCTIONS = {
    "exp": exponential, "log": mpmath.log, "erf": mpmath.erf, "asin": mpmath.asin,
    "atan": mpmath.atan, "sin": mpmath.sin, "cos": mpmath.cos, "tanh": mpmath.tanh,
    "sinh": lambda u: (exponential(u) - exponential(-u)) / 2,
    "cosh": lambda u: (exponential(u) + exponential(-u)) / 2,
    "abs": abs, "sign": mpmath.sign, "max": max, "zeta": zeta, "owens": owens,
    "erf_prime": lambda u: 2 / mpmath.sqrt(mp.pi) * mpmath.exp(-u * u),
    "erf_second": lambda u: -4 * u / mpmath.sqrt(mp.pi) * mpmath.exp(-u * u),
}  # fmt: skip
DOMAINS = {"log": lambda u: u > 0, "asin": lambda u: abs(u) <= 1}
# Where the quadrature above is good to all digits that are compared.
BOUNDS = {"zeta": 2, "owens": 5, "sin": 1e9, "cos": 1e9, "erf_prime": 30, "erf_second": 30,
          "erf": 10, "tanh": 60}  # fmt: skip


def called(name, values):
    if not DOMAINS.get(name, lambda *_: True)(*values):
        raise UndefinedError
    if any(abs(v) > BOUNDS.get(name, mp.inf) for v in values):
        reject()
    return FUNCTIONS[name](*values)


def power(base, p, q):
    if (q > 1 and base < 0) or (p < 0 and base == 0):
        raise UndefinedError
    return mpmath.root(base, q) ** p if q > 1 else base**p


def value(t, point):
    """The value of a term at a point."""
    head = t[0]
    if head == "n":
        return mpf(t[1]) / t[2]
    if head == "pi":
        return +mp.pi
    if head == "s":
        return point[t]
    values = [value(part, point) for part in t[1:] if isinstance(part, tuple)]
    if head == "+":
        return mpmath.fsum(values)
    if head == "*":
        return mpmath.fprod(values)
    return power(*values, *t[1:3]) if head == "^" else called(t[1], values)


class World:
    """The values of generators, polynomials and fractions of a ring at a point."""

    def __init__(self, point, rng) -> None:
        self.point, self.rng = point, rng
        self.ring: Ring | None = None

    def generator(self, i):
        kind, *data = self.ring.generators[i]
        if kind == "s":
            return self.point[data[0]]
        if kind == "pi":
            return +mp.pi
        if kind == "root":
            return power(self.polynomial(data[0]), 1, data[1])
        if kind == "exp":
            return exponential(self.fraction(data[0]) * mpf(int(data[1].p)) / int(data[1].q))
        return called(data[0], [self.fraction(f) for f in data[1:]])

    def polynomial(self, p):
        total = mpf(0)
        for powers, c in p.to_dict().items():
            factors = [self.generator(i) ** int(n) for i, n in enumerate(powers) if n]
            total += mpmath.fprod(factors) * mpf(int(c.p)) / int(c.q)
        return total

    def fraction(self, f):
        return self.polynomial(f[0]) / self.polynomial(f[1])

    def sign(self, p):
        """The sign of a polynomial; None if it is near to zero, and may not be zero."""
        v = self.polynomial(p)
        size = mpmath.fsum(
            abs(mpf(int(c.p)) / int(c.q))
            * mpmath.fprod(abs(self.generator(i)) ** int(n) for i, n in enumerate(m) if n)
            for m, c in p.to_dict().items()
        )
        if abs(v) <= size * mpf(10) ** -12:
            return ZERO if abs(v) <= size * mpf(10) ** (5 - DIGITS) else None
        return POS if v > 0 else NEG

    def told(self, ring, p, _):
        """The evidence: the sign that a polynomial has at the point, a weaker one, or nothing."""
        sign, way = self.sign(p), self.rng.random()
        if sign is not None and way < 0.8:
            weak = NZ if way < 0.04 and sign != ZERO else sign | ZERO if way < 0.1 else sign
            ring.facts.learn(p, weak)

    def new_ring(self, units):
        self.ring = Ring(SIZE, units, self.told, {}, frozenset())
        return self.ring


leaves = st.one_of(
    st.sampled_from(SYMBOLS),
    st.sampled_from([num(-2), num(-1), num(0), num(1), num(2), num(12), num(1, 2), ("pi",)]),
)
terms = st.recursive(
    leaves,
    lambda t: st.one_of(
        st.tuples(st.sampled_from("+*"), t, t),
        st.tuples(st.just("^"), st.sampled_from([-2, -1, 2, 3]), st.just(1), t),
        st.tuples(st.just("^"), st.sampled_from([-1, 1, 3]), st.just(2), t),
        st.tuples(st.just("^"), st.sampled_from([1, 2]), st.just(3), t),
        *(st.tuples(st.just("f"), st.just(name), t)
          for name in FUNCTIONS if name not in ("zeta", "owens", "max")),
        st.tuples(st.just("f"), st.sampled_from(["zeta", "owens", "max"]), t, t),
    ),
    max_leaves=6,
)  # fmt: skip


@st.composite
def points(draw):
    """Values of the symbols, of their sorts; small ones, as terms grow fast."""
    found = {}
    for symbol in SYMBOLS:
        sort = symbol[2]
        size = mpf(draw(st.integers(1, 3) if sort[0] == "Z" else st.floats(0.05, 2.5)))
        zero = sort[1:] in ("", ">=0", "<=0") and draw(st.integers(0, 9)) == 0
        size = mpf(1) if draw(st.integers(0, 5)) == 0 else size
        minus = sort[1:2] == "<" or (sort[1:] in ("", "!=0") and draw(st.booleans()))
        found[symbol] = mpf(0) if zero else -size if minus else size
    return found


def normal_form(world, term):
    """The normal form; units of exponentials are made finer until they are fine enough."""
    units: dict = {}
    for _ in range(20):
        try:
            return world.new_ring(units).normal_form(term)
        except ExponentUnitTooCoarse:
            pass
    return reject()


def require_true(world):
    """Compare all facts of the ring with the point."""
    for p, sign in world.ring.facts.all_facts():
        here = world.sign(p)
        assert here is None or here <= sign, (world.ring.generators, p, sign)


@settings(max_examples=max(150, settings().max_examples))
@given(terms, points(), st.randoms())
def test_what_is_learned_holds_where_the_truth_is_told(term, point, rng):
    world = World(point, rng)
    with mp.workdps(DIGITS):
        try:
            here = value(term, point)
        except UndefinedError:
            with pytest.raises(Rejected):
                normal_form(world, term)
            return
        try:
            form = normal_form(world, term)
        except Rejected:
            # Zero cannot be told from what is near it, and a limit of work may be reached.
            return
        require_true(world)
        there = world.fraction(form)
        assert mpmath.almosteq(here, there, 1e-9, 1e-9) or abs(here) > 1e30, (here, there)
        ring = world.ring
        generators = ring.x[: len(ring.generators)]
        for _ in range(8 if generators else 0):
            kind = rng.choice(["exp", "tangent", "root", "inverse", "increasing"])
            a, b = rng.choice(generators), rng.choice([*generators, ring.one, ring.zero])
            try:
                ring.learn_from_comparison(kind, a, b)
            except Rejected:
                continue
            require_true(world)


@pytest.mark.parametrize("x", [-2, 0, 3])
@pytest.mark.parametrize("p", [mpf(1) / 3, 2])
def test_what_is_learned_without_evidence_holds(x, p):
    """Of bars and roots whose argument has no known sign."""
    x_, p_ = ("s", "x", "R"), ("s", "p", "R>0")
    ratio = ("*", x_, ("^", -1, 1, p_))
    with mp.workdps(DIGITS):
        for term in (("f", "abs", ratio), ("^", 1, 2, ("^", 2, 1, ratio)),
                     ("f", "max", ratio, x_)):  # fmt: skip
            world = World({x_: mpf(x), p_: mpf(p)}, Random(0))
            ring = world.ring = Ring(SIZE, {}, lambda *_: None, {}, frozenset())
            assert mpmath.almosteq(world.fraction(ring.normal_form(term)), value(term, world.point))
            require_true(world)


@pytest.mark.parametrize(("strict", "learned"), [(False, NN), (True, POS)])
def test_a_root_is_at_least_the_absolute_value_of_what_is_below_it(strict, learned):
    """Of sqrt(x) and y with x >= y^2 both differences vanish somewhere; with x > y^2 neither."""
    ring = Ring(SIZE, {}, lambda *_: None, {}, frozenset())
    x, y = ("s", "x", "R>0"), ("s", "y", "R")
    root, _ = ring.normal_form(("^", 1, 2, x))
    (radicand, _), (other, _) = ring.normal_form(x), ring.normal_form(y)
    ring.facts.learn(radicand - other * other, POS if strict else NN)
    ring.learn_from_comparison("root", root, other)
    assert (
        ring.facts.possible_signs(root - other)
        == ring.facts.possible_signs(root + other)
        == learned
    )


def test_what_is_no_polynomial_of_the_ring_is_refused():
    ring = Ring(SIZE, {}, lambda *_: None, {}, frozenset())
    exponential, _ = ring.normal_form(("f", "exp", ("s", "x", "R")))
    # The generator that would come next has no data, and exponentials are values of no table.
    assert ring.generator_data(ring.x[len(ring.generators)]) == ("",)
    with pytest.raises(Rejected, match="not values of one function"):
        ring.learn_from_comparison("increasing", exponential, exponential)
    with pytest.raises(Rejected, match="malformed term"):
        ring.facts.from_json([["1", 0]])


def test_a_sign_of_zero_is_learned_of_what_is_zero():
    """That the point is told truly is the premise of all above."""
    world = World({}, Random(0))
    with mp.workdps(DIGITS):
        ring = world.new_ring({})
        assert ring.normal_form(("+", ("pi",), ("*", num(-1), ("pi",)))) == (ring.zero, ring.one)
        assert ring.facts.possible_signs(ring.zero) == ZERO
        ring.facts.learn(ring.pi() - 4, POS)
        with pytest.raises(AssertionError):
            require_true(world)
