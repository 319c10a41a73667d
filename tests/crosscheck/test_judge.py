"""Decisions on relations between numbers with errors, and how many digits are asked for."""

from __future__ import annotations

import math
from types import SimpleNamespace

import mpmath
import numpy as np
import pytest
from flint import arb
from sympy import Eq, Ge, Gt, IndexedBase, Le, Lt, Ne, Symbol, besselj, symbols

from slrsym.crosscheck import expectation_evalf, points
from slrsym.crosscheck.ball_quadrature import Inconclusive, NumberWithError
from slrsym.crosscheck.evaluator import (
    StatementJudge,
    _evaluated,
    _reference_size,
    describe_point,
    evaluate,
)
from slrsym.crosscheck.points import NoPointFound, PointSampler
from slrsym.gaussian import Expectation, standard_normal

x, y, G = symbols("x y G", real=True)


def number(value, error=0.0, scale=-math.inf):
    return NumberWithError(mpmath.mpf(value), mpmath.mpf(error), scale)


@pytest.mark.parametrize(
    ("numbers", "size"),
    [
        ([number(-3), number(2)], 3),
        ([number(0)], 0),
        ([number(2, scale=4.0)], 2),
        # What is tiny beside the largest term is measured by that.
        ([number(1e-16, scale=-1.0), number(0)], 0.5),
        ([number(1e-15, scale=0.0)], 1e-15),
        ([number(1e-14, scale=3.0), number(0, scale=4.0)], 16),
    ],
)
def test_the_size_that_errors_are_relative_to(numbers, size):
    assert float(_reference_size(*numbers)) == size


@pytest.mark.parametrize(
    ("ball", "asked"),
    [
        (lambda digits: arb(1, 0.5 * 10.0 ** (3 - digits)), [23]),
        (lambda digits: arb(1, 0.5 * 10.0 ** (4 - digits)), [23, 28]),
        (lambda digits: arb(1, 0.5 * 10.0 ** (10 - digits)), [23, 34]),
        # After four tries that is it, and what is exactly zero needs but one.
        (lambda digits: arb(1, 0.5e-4), [23, 43, 63, 83]),
        (lambda digits: arb(0), [23]),
    ],
)
def test_digits_that_are_lost_are_asked_for_again(ball, asked):
    seen = []

    def evaluator(digits):
        seen.append(digits)
        return SimpleNamespace(number=lambda _: (ball(digits), -math.inf))

    _evaluated(x, 20, evaluator)
    assert seen == asked


ONE = (1, 0)


@pytest.mark.parametrize(
    ("kind", "left", "right", "digits", "verdict"),
    [
        (Eq, ONE, ONE, 10, True),
        (Eq, ONE, (1 + 1e-12, 0), 10, True),
        # Sides that are seen to differ in one of the last two digits are not equal.
        (Eq, ONE, (1 + 5e-10, 0), 10, False),
        (Eq, ONE, (1 + 5e-10, 4e-10), 10, True),
        (Eq, ONE, (1 + 1e-8, 1e-8), 10, None),
        (Eq, ONE, (1 + 1e-7, 1e-8), 10, False),
        (Eq, ONE, (2, 0.6), 10, None),
        (Eq, ONE, (2, 0.4), 10, False),
        (Ne, ONE, (2, 0.4), 10, True),
        (Ne, ONE, (2, 0.6), 10, None),
        (Ne, ONE, ONE, 20, False),
        (Lt, ONE, (2, 0.1), 10, True),
        (Lt, (2, 0.1), ONE, 10, False),
        (Gt, ONE, (2, 0.1), 10, False),
        (Ge, (2, 0.1), ONE, 10, True),
        (Le, (2, 0.1), ONE, 10, False),
        (Le, ONE, ONE, 10, True),
        (Ge, ONE, ONE, 10, True),
        (Le, ONE, (1, 1e-3), 10, None),
        # A strict relation between equal numbers is looked at twice.
        (Lt, ONE, ONE, 10, None),
        (Lt, ONE, ONE, 20, False),
        (Gt, ONE, ONE, 20, False),
        (Lt, ONE, (1 + 1e-11, 0), 10, None),
        (Lt, ONE, (1 + 1e-11, 0), 20, True),
    ],
)
def test_relations_between_numbers_with_errors(kind, left, right, digits, verdict):
    balls = {x: arb(*left), y: arb(*right)}

    def decided(**options):
        judge = StatementJudge({}, 10, **options)
        judge._evaluator = lambda *_: SimpleNamespace(number=lambda e: (balls[e], -math.inf))
        return judge._compared(kind(x, y, evaluate=False), digits)

    assert decided() is verdict
    if kind in (Lt, Gt) and left == right == ONE:
        assert decided(lenient=True) is None


def test_agreement_and_examples_are_kept():
    judge = StatementJudge({x: 2, y: 3}, 10)
    assert judge.describe_last_comparison() == ""
    assert judge.holds(Eq(x + 1, y, evaluate=False))
    assert judge.agreed == 10
    assert judge.describe_last_comparison() == "at x = 2, y = 3: 3.0 and 3.0"
    assert describe_point({}) == ""
    with pytest.raises(ValueError, match=r"^digits must be at least 1; got 0$"):
        evaluate(x, {x: 1}, 0)
    assert evaluate(x, {x: 1}, 1).number == 1
    with pytest.raises(ValueError, match=r"^x \+ y is not a relation"):
        judge.holds(x + y)


def test_families_that_have_no_entries_give_no_point(monkeypatch):
    monkeypatch.setattr(points, "_TRIES", 3)
    family = IndexedBase(Symbol("e", irrational=True))
    with pytest.raises(NoPointFound, match=r"no point \(x, e\) found in 3 tries under the hyp"):
        PointSampler([x, family], []).draw(np.random.default_rng(0))


def test_functions_that_mpmath_computes_are_called_a_few_times(monkeypatch):
    node = Expectation(besselj(0, G), standard_normal(G))
    found = expectation_evalf._WideEvaluator({}, 8).ball(node)
    # The mean of J_0 is exp(-1/4) I_0(1/4).
    with mpmath.workdps(20):
        exact = float(mpmath.exp(-0.25) * mpmath.besseli(0, 0.25))
    assert float(found) == pytest.approx(exact, abs=1e-9)
    monkeypatch.setattr(expectation_evalf._WideEvaluator, "_calls_left", 3)
    with pytest.raises(Inconclusive, match="too many values of besselj"):
        expectation_evalf._WideEvaluator({}, 8).ball(node)
