"""Identities of elementary functions, for which the search finds a derivation."""

from __future__ import annotations

import pytest
from sympy import (
    Abs,
    Eq,
    Le,
    Lt,
    Max,
    Min,
    Rational,
    Symbol,
    cos,
    cosh,
    erf,
    exp,
    log,
    pi,
    sin,
    sinh,
    sqrt,
    symbols,
    tanh,
)

from slrsym.proof import algebra, chain, having, sign, tangent
from tests._profile import thorough_cases, thorough_only
from tests.prover.tactics._shown import is_shown

x, y, z, t = (Symbol(name, real=True) for name in "xyzt")
p = Symbol("p", positive=True)

TRUE = [
    (sin(x) ** 2 + cos(x) ** 2, 1),
    (sin(3 * x), 3 * sin(x) - 4 * sin(x) ** 3),
    (cos(x), 1 - 2 * sin(x / 2) ** 2),
    (cos(x - y) - cos(x + y), 2 * sin(x) * sin(y)),
    (sin(x + y + z), sin(x + y) * cos(z) + cos(x + y) * sin(z)),
    (cosh(x) ** 2 - sinh(x) ** 2, 1),
    (sinh(x + y), sinh(x) * cosh(y) + cosh(x) * sinh(y)),
    (cosh(t) ** 2 - sinh(t) ** 2, 1),
    (
        cos(x / 3) - sin(-x / 2),
        1 - 2 * sin(x / 6) ** 2 + 3 * sin(x / 6) - 4 * sin(x / 6) ** 3,
    ),
    (tanh(2 * x), 2 * tanh(x) / (1 + tanh(x) ** 2)),
    (tanh(x), 1 - 2 / (exp(2 * x) + 1)),
    (Max(x, y) + Min(x, y), x + y),
    (Max(x, Max(x, y) - Abs(x - y)), x),
]
FALSE = [
    (sin(3 * x), 3 * sin(x) - 3 * sin(x) ** 3),
    (cos(x + y), cos(x) * cos(y) + sin(x) * sin(y)),
    (sinh(x + y), sinh(x) * cosh(y) - cosh(x) * sinh(y)),
    (tanh(2 * x), 2 * tanh(x) / (1 - tanh(x) ** 2)),
    (Max(x, y) - Min(x, y), x - y),
]


def equal(left, right):
    return is_shown(Eq(left, right, evaluate=False), chain(left).then(right, by=algebra))


@thorough_cases("left6-right6")
@pytest.mark.parametrize(("left", "right"), TRUE)
def test_identities_are_derived(left, right):
    assert equal(left, right)


@thorough_cases("left2-right2", "left4-right4")
@pytest.mark.parametrize(("left", "right"), FALSE)
def test_what_is_no_identity_is_not(left, right):
    assert not equal(left, right)


def less(left, right, strict):
    step = chain(left).lt if strict else chain(left).le
    kind = Lt if strict else Le
    return is_shown(kind(left, right, evaluate=False), step(right, by=sign))


@pytest.mark.parametrize(
    ("left", "right", "strict"),
    [
        (0, log(1 + p), True),
        (0, log(1 + x**2), False),
        (log(p / (1 + p)), 0, True),
        (log(1 + p), p, False),
        (p / (1 + p), log(1 + p), False),
    ],
)
def test_logarithms_have_signs_and_tangents(left, right, strict):
    assert less(left, right, strict)


def test_a_logarithm_that_may_be_negative_has_no_sign():
    assert not less(0, log(Rational(1, 2) + p), strict=False)


@thorough_only
@pytest.mark.parametrize("factor", [1 / sqrt(pi), p * sqrt(pi)])
def test_a_fact_is_used_times_a_positive_factor(factor):
    tail = symbols("q", nonnegative=True)
    line = chain(erf(p)).le(2 * p / sqrt(pi), by=tangent(erf(tail), tail, at=0, point=p))
    left, right = factor * erf(p), factor * 2 * p / sqrt(pi)
    assert is_shown(Le(left, right, evaluate=False), having(line, chain(left).le(right, by=sign)))


def test_a_fact_may_be_a_hypothesis():
    given, goal = p > 1, chain(p**2).gt(1, by=sign)
    assert is_shown(p**2 > 1, having(chain(p).gt(1, by=sign), goal), [given])
