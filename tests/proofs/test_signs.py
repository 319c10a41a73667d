"""Signs that are claimed are right at every point, and what is not known stays unknown."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import pytest
from sympy import (
    Abs,
    And,
    Derivative,
    Eq,
    Expr,
    Function,
    Ge,
    Gt,
    I,
    Integral,
    Le,
    Lt,
    Max,
    Min,
    Ne,
    Or,
    Rational,
    S,
    Symbol,
    acos,
    asin,
    atan,
    erf,
    erfc,
    exp,
    false,
    lambdify,
    log,
    oo,
    pi,
    sinh,
    sqrt,
    symbols,
    tanh,
    true,
)

from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.functions import OwensT, erf_prime, normal_cdf, zeta
from slrsym.gaussian.law import standard_normal
from slrsym.proofs.intervals import RealInterval, Sign
from slrsym.proofs.ranges import GivenValues
from slrsym.proofs.signs import decider_of
from tests._profile import THOROUGH, more
from tests.proofs._fuzz import (
    SYMBOLS,
    Unclear,
    points,
    random_expression,
    random_hypothesis,
    sharp_value,
)

x, y, z = symbols("x y z", real=True)
a, b, c = symbols("a b c", real=True)
p, r = symbols("p r", positive=True)
q = Symbol("q", nonnegative=True)
m = Symbol("m", negative=True)
k = Symbol("k", integer=True)

SIGNS = {
    "> 0": Sign(frozenset({1})),
    "< 0": Sign(frozenset({-1})),
    "= 0": Sign(frozenset({0})),
    ">= 0": Sign(frozenset({0, 1})),
    "<= 0": Sign(frozenset({-1, 0})),
    "!= 0": Sign(frozenset({-1, 1})),
    "unknown": Sign(),
}


def sign_of(expr: Expr, facts: GivenValues | None = None) -> Sign:
    return decider_of(facts or GivenValues()).answer(expr)


def _direction(value: Any) -> int:
    return int(bool(value > 0)) - int(bool(value < 0))


# -- the algebra of signs ----------------------------------------------------------------------


def test_signs_are_closed_under_arithmetic() -> None:
    values = {-1: (-2, -1), 0: (0,), 1: (1, 2)}
    for s, t in product(SIGNS.values(), repeat=2):
        for u, v in product(s.possible, t.possible):
            for i, j in product(values[u], values[v]):
                assert (i > -j) - (i < -j) in (s + t).possible
                assert u * v in (s * t).possible
        for n in range(4):
            assert {u**n for u in s.possible} == (s**n).possible
        assert (-s).possible == {-u for u in s.possible}
        assert (s & t).possible == (s.possible & t.possible or s.possible)


@pytest.mark.parametrize(("text", "sign"), SIGNS.items())
def test_properties_of_signs(text: str, sign: Sign) -> None:
    assert sign.relation == text
    assert repr(sign) == f"Sign({text})"
    assert sign.positive is (text == "> 0")
    assert sign.negative is (text == "< 0")
    assert sign.zero is (text == "= 0")
    assert sign.nonnegative is (text in ("> 0", ">= 0", "= 0"))
    assert sign.nonpositive is (text in ("< 0", "<= 0", "= 0"))
    assert sign.nonzero is (text in ("> 0", "< 0", "!= 0"))
    assert sign.decided is (len(sign.possible) == 1)
    if text != "!= 0":
        assert Sign.of_range(sign.range) == sign


def test_the_sign_of_a_range_of_both_signs_is_unknown() -> None:
    assert Sign.of_range(RealInterval(-1, 1)) == Sign()


# -- expressions -------------------------------------------------------------------------------

KNOWN: list[tuple[Expr, list[Expr], str]] = [
    # Polynomials.
    (x**2 + 1, [], "> 0"),
    (x**2, [], ">= 0"),
    (-(x**4) - x**2, [], "<= 0"),
    (x**2 - 2 * x * y + 2 * y**2, [], ">= 0"),
    (x**2 - 2 * x * y + 2 * y**2 + 1, [], "> 0"),
    (x**2 + x * y + y**2, [], ">= 0"),
    (x - x**2, [x > 0, x < 1], "> 0"),
    (x - x**2, [x >= 0, x <= 1], ">= 0"),
    (x**2 - 4, [x < -2], "> 0"),
    (x**3 - 8, [x > 2], "> 0"),
    (1 - x - y + x * y, [x < 1, y < 1], "> 0"),
    (p * r + p, [], "> 0"),
    (x + y, [x > 1, y > -1], "> 0"),
    (x - z, [x > y, y > z], "> 0"),
    (x - z, [x > y, y >= z], "> 0"),
    (x - z, [x >= y, y >= z], ">= 0"),
    (a * c - b * b, [a * c >= b**2], ">= 0"),
    (x, [x * p > 0], "> 0"),
    (x, [x**3 < 0], "< 0"),
    (x, [Ne(x**2, 0)], "!= 0"),
    (x - y, [Ne(x, y)], "!= 0"),
    (x + y, [Eq(x, -y)], "= 0"),
    (x, [Eq(x, y), y > 2], "> 0"),
    (k - 1, [k > 0], ">= 0"),
    # Quotients and roots.
    (1 / x, [x > 0], "> 0"),
    (1 / x, [Ne(x, 0)], "!= 0"),
    (x / (1 + x**2), [x >= 0], ">= 0"),
    ((x**2 - 1) / (x - 1), [x > 1], "> 0"),
    (sqrt(1 + x**2) - x, [], "> 0"),
    (sqrt(1 + x**2) - Abs(x), [], "> 0"),
    (1 - x / sqrt(1 + x**2), [], "> 0"),
    (sqrt(q) - sqrt(q + 1), [], "< 0"),
    (q - 2 * sqrt(q) + 1, [], ">= 0"),
    (sqrt(1 - x**2), [x < 1, x > -1], "> 0"),
    (sqrt(1 - x**2), [x <= 1, x >= -1], ">= 0"),
    (Abs(x) + x, [], ">= 0"),
    (Max(x, y) - x, [], ">= 0"),
    (Min(x, y) - x, [], "<= 0"),
    # Functions.
    (exp(x) - 1, [x > 0], "> 0"),
    (exp(x) - exp(y), [x < y], "< 0"),
    (exp(2 * x) - 2 * exp(x) + 1, [], ">= 0"),
    (erf(x), [x < 0], "< 0"),
    (erf(x) - erf(y), [x > y], "> 0"),
    (erf(x) + erf(y), [x > -y], "> 0"),
    (erfc(x) - erfc(y), [x > y], "< 0"),
    (1 - erf(x) ** 2, [], "> 0"),
    (log(p) - log(r), [p >= r], ">= 0"),
    (log(p), [p > 1], "> 0"),
    (2 * asin(x) - pi, [x > -1, x < 1], "< 0"),
    (acos(x) - acos(y), [x > y, x <= 1, y >= -1], "< 0"),
    (2 * atan(x) - pi, [], "< 0"),
    (sinh(x), [x > 0], "> 0"),
    (tanh(x) - 1, [], "< 0"),
    (normal_cdf(x) - normal_cdf(y), [x <= y], "<= 0"),
    (OwensT(x, y), [y > 0], "> 0"),
    (OwensT(x, y) - OwensT(x, z), [y > z], "> 0"),
    (OwensT(x, y) + OwensT(x, z), [y > -z], "> 0"),
    (-OwensT(x, y) - OwensT(x, z), [y > -z, y < z], "< 0"),
    (erf_prime(x), [], "> 0"),
    (zeta(x, y), [], ">= 0"),
    (zeta(x, y), [Ne(y, 0)], "> 0"),
    (1 - zeta(x, y), [], "> 0"),
    (Expectation(x**2, standard_normal(x)), [], ">= 0"),
    (Integral(exp(x), (x, 0, p)), [], "> 0"),
    (Function("f", nonnegative=True)(x) + 1, [], "> 0"),
]


@pytest.mark.parametrize(("expr", "given", "wanted"), KNOWN, ids=str)
def test_signs_that_are_found(expr: Expr, given: list[Expr], wanted: str) -> None:
    found = sign_of(expr, GivenValues(given))
    assert found == SIGNS[wanted]
    assert found.nonzero is (wanted in ("> 0", "< 0", "!= 0"))


UNKNOWN: list[tuple[Expr, list[Expr]]] = [
    (x, []),
    (x - x**2, []),
    (x - x**2, [x > 0]),
    (x**2 - 1, [x > 0]),
    (x * y, [x > 0]),
    (x - y, [x >= 0, y >= 0]),
    (x, [x**2 > 1]),
    (x, [Or(x > 1, x > 2)]),
    (x + y, [x**2 > y**2]),
    (a * c - b * b, [a > 0, c > 0]),
    (sqrt(1 + x**2) - 2 * x, []),
    (exp(x) - 1, []),
    (exp(x) - exp(y), [x < y + 1]),
    (erf(x) - x, []),
    (erf(x) - erf(y), [x**2 > y**2]),
    (OwensT(x, z) - OwensT(y, z), [x > y]),
    (atan(x) - 1, []),
    (Function("f", real=True)(x), []),
    (Expectation(x, standard_normal(x)), [x > 1]),
    (Integral(x, (x, 0, y)), [y > 0, x < 0]),
]


@pytest.mark.parametrize(("expr", "given"), UNKNOWN, ids=str)
def test_what_has_both_signs_is_unknown(expr: Expr, given: list[Expr]) -> None:
    found = sign_of(expr, GivenValues(given))
    assert not (found.nonnegative and not expr.has(Integral)), found
    assert not found.nonpositive


@pytest.mark.parametrize(
    "expr",
    [
        1 / x**2,
        sqrt(x),
        (x**3 / x**4) ** 2,
        log(x) ** 2,
        asin(x) ** 2 + 1,
        Symbol("w") ** 2,
        Symbol("w", imaginary=True) ** 2,
        I * I * x**2 + I,
        Function("f")(x) ** 2,
        Derivative(x**2, x) ** 2,
        exp(1 / x),
        1 / (x - y) ** 2,
    ],
)
def test_what_may_be_undefined_has_no_sign(expr: Expr) -> None:
    assert sign_of(expr) == Sign()


@pytest.mark.parametrize("expr", [asin(2 * x + y) ** 2 + 1, acos(2 * x + y) + 1], ids=str)
def test_an_arc_sine_is_defined_between_both_bounds(expr: Expr) -> None:
    sides = [2 * x + y <= 1, 2 * x + y >= -1]
    assert sign_of(expr, GivenValues(sides)) == SIGNS["> 0"]
    for side in sides:
        assert sign_of(expr, GivenValues([side])) == Sign()


def test_a_hypothesis_that_may_be_undefined_secures_no_domain() -> None:
    facts = GivenValues([Gt(1 / x, 0)])
    assert sign_of(1 / x**2, GivenValues([Gt(1 / x**2, 5)])) == Sign()
    assert sign_of(y, facts) == Sign()


@pytest.mark.parametrize("given", [[x > 1, x < 0], [Eq(x, 1), Eq(x, 2)], [p < 0], [x**2 < -1]])
def test_contradictory_hypotheses_are_no_error(given: list[Expr]) -> None:
    assert isinstance(sign_of(x + p, GivenValues(given)), Sign)


def test_answers_do_not_depend_on_earlier_questions() -> None:
    facts = GivenValues([x > y, y > z])
    alone = sign_of(x - z, facts)
    for other in (x * y * z - 1, x**2 - y**2, exp(x) - z, 1 / x):
        sign_of(other, facts)
    assert sign_of(x - z, facts) == alone == SIGNS["> 0"]


# -- relations ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("relation", "given", "wanted"),
    [
        (true, [], True),
        (false, [], False),
        (Gt(x, 1), [Gt(x, 1)], True),
        (Ge(x, 1), [Gt(x, 1)], True),
        (Gt(x, 1), [Ge(x, 1)], False),
        (Lt(-x, -1), [Gt(x, 1)], True),
        (Le(x**2, 1), [x <= 1, x >= -1], True),
        (Gt(x, 1), [And(x > 1, y > 2)], True),
        (Gt(x, 1), [Or(x > 1, y > 2)], False),
        (Or(x > 1, y > 2), [Or(x > 1, y > 2)], True),
        (Or(Gt(x**2, -1, evaluate=False), x > 5), [], True),
        (Or(x > 0, y <= 0), [], False),
        (And(x > 0, y > 0), [x > 0], False),
        (And(x > 0, y > 0), [x > 0, y > 1], True),
        (Ne(x, 0), [x > 0], True),
        (Ne(x, y), [x > y], True),
        (Ne(x, y), [], False),
        (Eq(x, y), [Eq(y, x)], True),
        (Eq(x**2, y**2), [Eq(x, -y)], True),
        (Eq(1 / x, 1 / x, evaluate=False), [], False),
        (Ge(x, x, evaluate=False), [], True),
        (Ge(1 / x, 1 / x, evaluate=False), [], False),
        (Ge(sqrt(x), 0, evaluate=False), [], False),
        (Lt(x, oo, evaluate=False), [], True),
        (Gt(x, -oo, evaluate=False), [], True),
        (Lt(1 / x, oo, evaluate=False), [], False),
        (Lt(oo, x, evaluate=False), [], False),
        (Lt(oo, oo, evaluate=False), [], False),
        (Eq(x, oo, evaluate=False), [], False),
        (Ne(x, oo, evaluate=False), [], False),
        (Ne(Symbol("w"), 0), [], False),
        (Eq(true, Gt(x, 0), evaluate=False), [], False),
    ],
    ids=str,
)
def test_relations(relation: Expr, given: list[Expr], wanted: bool) -> None:
    assert decider_of(GivenValues(given)).holds(relation) is wanted


# -- random expressions ------------------------------------------------------------------------


@more
def test_signs_hold_at_random_points() -> None:
    checked = 0
    for seed in range(1000, 1180 if THOROUGH else 1045):
        rng = random.Random(seed)
        chosen = tuple(rng.sample(SYMBOLS, rng.choice((1, 2, 3))))
        given = [
            h for h in (random_hypothesis(rng, chosen) for _ in "ab") if h not in (True, False)
        ]
        expr = random_expression(rng, rng.choice((2, 3)), chosen)
        if expr.has(S.NaN, S.ComplexInfinity, I, oo, -oo):
            continue
        found = sign_of(expr, GivenValues(given))
        if found == Sign():
            continue
        for values in points(rng, chosen, given, 6, extreme=True):
            try:
                value = sharp_value(expr, values)
            except Unclear:
                continue
            assert _direction(value) in found.possible, (seed, expr, given, values)
            checked += 1
    assert checked > (200 if THOROUGH else 50)


@pytest.mark.parametrize(
    ("value", "more_given", "expr"),
    [
        (y - z, Gt(y, z), x),
        (exp(y) / (1 + exp(y)), True, 1 - x),
        (y**2 + z**2, True, x - 2 * y * z + 1),
        (y**2 + z**2, True, 1 / (x - 2 * y * z + 1)),
    ],
)
def test_a_symbol_that_is_given_a_value_has_the_sign_of_it(
    value: Expr, more_given: Any, expr: Expr
) -> None:
    given = [Eq(x, value), *([more_given] if more_given is not True else [])]
    assert sign_of(expr, GivenValues(given)).positive
    assert not sign_of(expr, GivenValues(given[1:])).decided


@more
@pytest.mark.parametrize("seed", range(12 if THOROUGH else 3))
def test_signs_of_polynomials_on_boxes(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(8):
        low = Rational(rng.randint(-4, 2), 2)
        high = low + Rational(rng.randint(1, 4), 2)
        given = [Ge(x, low), Le(x, high), Gt(y, 0)]
        terms = [
            rng.randint(-3, 3) * x ** rng.randint(0, 3) * y ** rng.randint(0, 2) for _ in "abcd"
        ]
        expr = sum(terms, S.Zero)
        found = sign_of(expr, GivenValues(given))
        evaluated = lambdify((x, y), expr, [])
        for i, at in product(range(9), (Rational(1, 10**6), Rational(1, 2), 1, 3, 10**6)):
            value = evaluated(low + (high - low) * Rational(i, 8), at)
            assert _direction(value) in found.possible, (expr, given)
