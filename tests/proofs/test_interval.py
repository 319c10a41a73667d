"""Where the variable of an argument by derivatives runs."""

from __future__ import annotations

import pytest
from sympy import Eq, Ge, Gt, Le, Lt, Ne, Rational, Symbol, symbols

from slrsym.proofs.context import Context
from slrsym.proofs.regularity import require_interval
from slrsym.statements.expressions import Refused

x, t = symbols("x t", real=True)

# What is declared, points of its domain, and points that are outside by little.
DECLARED = [
    ("positive", ["1/1000", "5"], ["0", "-1/1000"]),
    ("nonnegative", ["0", "1/1000"], ["-1/1000"]),
    ("negative", ["-1/1000", "-5"], ["0", "1/1000"]),
    ("nonpositive", ["0", "-1/1000"], ["1/1000"]),
]


@pytest.mark.parametrize(("word", "inside", "outside"), DECLARED)
def test_a_declared_sign_bounds_the_domain(word, inside, outside):
    t = Symbol("t", real=True, **{word: True})
    for at in map(Rational, inside):
        require_interval(t, at, Context())
    for at in map(Rational, outside):
        with pytest.raises(Refused, match=f"outside of the domain: t is {word}"):
            require_interval(t, at, Context())


HYPOTHESES = [
    (Lt(t, 1), ["0", "999/1000"], ["1", "2"]),
    (Le(2 * t, 3), ["3/2"], ["1501/1000"]),
    (Gt(3 - t, 1), ["1999/1000"], ["2"]),
    (Ge(t, 0), ["0"], ["-1/1000"]),
]


@pytest.mark.parametrize(("hypothesis", "inside", "outside"), HYPOTHESES, ids=str)
def test_a_hypothesis_bounds_the_domain(hypothesis, inside, outside):
    context = Context((hypothesis,))
    for at in map(Rational, inside):
        require_interval(t, at, context)
    for at in map(Rational, outside):
        with pytest.raises(Refused, match="is not known there"):
            require_interval(t, at, context)


def test_a_point_is_inside_only_if_that_is_known():
    with pytest.raises(Refused, match="is not known there"):
        require_interval(t, x, Context((Lt(t, 1),)))
    require_interval(t, x, Context((Lt(t, 1), Lt(x, 1))))
    # What is supposed of others does not matter.
    require_interval(t, x, Context((Ne(x, 0),)))


@pytest.mark.parametrize("hypothesis", [Ne(t, 0), Eq(t, x), Lt(t, 1) | Gt(t, 2)], ids=str)
def test_a_hypothesis_that_leaves_no_interval(hypothesis):
    with pytest.raises(Refused, match="does not leave an interval to t"):
        require_interval(t, Rational(1, 2), Context((hypothesis,)))


@pytest.mark.parametrize("hypothesis", [Gt(t**2, 1), Lt(t * (t + x), 1), Lt(1 / t, 2)], ids=str)
def test_a_hypothesis_that_may_leave_two_intervals(hypothesis):
    with pytest.raises(Refused, match="is not known to leave an interval to t"):
        require_interval(t, Rational(5), Context((hypothesis,)))


@pytest.mark.parametrize("declared", [{"integer": True}, {"rational": True}, {"nonzero": True}])
def test_what_does_not_run_over_an_interval(declared):
    with pytest.raises(Refused, match=r"interval of reals|hole at 0"):
        require_interval(Symbol("t", real=True, **declared), Rational(1), Context())
    with pytest.raises(Refused, match="interval of reals"):
        require_interval(Symbol("t"), Rational(1), Context())


def test_the_point_does_not_move_with_the_variable():
    with pytest.raises(Refused, match="depends on t"):
        require_interval(t, t + 1, Context())
