"""Parts of the Monte Carlo check and of random points, each against numbers known by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy
from flint import fmpq
from numpy.random import default_rng
from sympy import Eq, Function, Ge, Gt, IndexedBase, Le, Lt, Mul, Rational, S, Symbol, erf, symbols

from slrsym.crosscheck import montecarlo, points
from slrsym.crosscheck.integrands import NOISE
from slrsym.crosscheck.montecarlo import MonteCarloCheck, _Difference, _is_settled, _off, _seen
from slrsym.crosscheck.points import NoPointFound, PointSampler, compare, random_test_function
from slrsym.crosscheck.random_values import (
    Bounds,
    NumberSampler,
    random_family_entries,
    solve_equations_for_symbols,
    symbol_and_bounds_from_hypothesis,
)
from slrsym.crosscheck.samples import (
    _FUNCTIONS,
    _NOISE,
    _NOISE_SHARE,
    _WEIGHTS,
    SampleMean,
    _summary,
)
from slrsym.gaussian import Expectation, GaussianLaw, standard_normal
from slrsym.gaussian.bivariate_normal import bivariate_normal_cdf
from slrsym.gaussian.special_functions import erf_prime, erf_second, normal_cdf, normal_pdf

R = Rational
x, y, z = symbols("x y z", real=True)
n = Symbol("n", integer=True)

# -- the Monte Carlo check -------------------------------------------------------------------------

KNOWN = {"lhs": 1.25, "rhs": 1.0, "stderr": 0.0625, "z": 4.0, "samples": 16384}


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({}, "1.25 against 1, standard error 0.062, z = +4.00, 16,384 samples"),
        ({"off": 0.0}, "1.25 against 1, standard error 0.062, z = +4.00 on the right side, "
                       "16,384 samples"),
        ({"z": 0.0, "off": 0.0}, "1.25 against 1, standard error 0.062, z = +0.00, 16,384 samples"),
        ({"tried": 1, "point": "a = 2"},
         "1.25 against 1, standard error 0.062, z = +4.00, 16,384 samples at a = 2"),
        ({"tried": 3, "sees": 0.26}, "1.25 against 1, standard error 0.062, z = +4.00, "
                                     "16,384 samples (2 points passed over); sees errors of 0.3 "
                                     "or more"),
        ({"lhs": -20 / 3, "stderr": 0.0},
         "-6.66667 against 1, standard error 0, z = +4.00, 16,384 samples"),
        *(({name: None}, "") for name in ("lhs", "rhs", "stderr", "z")),
    ],
)  # fmt: skip
def test_a_check_in_one_line(more, said):
    check = MonteCarloCheck("a = b", **{**KNOWN, **more})
    assert check.summary == str(check) == said


def test_why_a_check_fails_or_was_not_made():
    assert str(MonteCarloCheck("a = b", **KNOWN, contradiction="wrong")) == "wrong"
    assert str(MonteCarloCheck("a = b", refusal="too rare")) == "not sampled: too rare"


@pytest.mark.parametrize(
    ("lhs", "rhs", "stderr", "deviation"),
    [
        (2.0, 1.0, 0.5, 2.0),
        (1.0, 2.0, 0.5, -2.0),
        (1.0, 1.0, 0.0, 0.0),
        (0.0, 0.0, 0.0, 0.0),
        (3.0, 2.0, 0.0, math.inf),
        (2.0, 3.0, 0.0, -math.inf),
        # What differs by rounding is equal if nothing is random.
        (1000.0, 1000.0 + 2e-8, 0.0, 0.0),
        (-1000.0, -1000.0 - 2e-8, 0.0, 0.0),
        (1000.0, 1000.0 + 5e-7, 0.0, -math.inf),
        (1e-20, 0.0, 0.0, math.inf),
        (1.0, 1.0 + 2.0**-40, 2.0**-41, -2.0),
    ],
)
def test_a_difference_in_standard_errors(lhs, rhs, stderr, deviation):
    found = _Difference(lhs, rhs, stderr, True)
    assert found.z == deviation
    for relation, off in ((Eq, abs(deviation)), (Le, deviation), (Lt, deviation),
                          (Ge, -deviation), (Gt, -deviation)):  # fmt: skip
        assert _off(relation(x, y), found) == off
    # Six standard errors of the first sample; the second may be sixteen times as large.
    assert _seen(found, 1) == 6 * stderr
    assert _seen(found, 16) == 24 * stderr


def test_a_sample_that_one_value_dominates_is_not_settled():
    """Nor is one of equal values, unless nothing in it is random."""
    random, fixed = Expectation(x + y, standard_normal(x)), Expectation(y, standard_normal(x))
    for node, found, settled in (
        (random, SampleMean(1.0, 0.1, 0.05), True),
        (random, SampleMean(1.0, 0.1, 0.051), False),
        (random, SampleMean(math.nan, 0.1, 0.01), False),
        (random, SampleMean(1.0, math.inf, 0.01), False),
        (random, SampleMean(1.0, 0.0, 0.0), False),
        (fixed, SampleMean(1.0, 0.0, 0.0), True),
    ):
        assert _is_settled(node, found) is settled


def test_laws_that_do_not_exist_are_passed_over(monkeypatch):
    """With a covariance that no point makes one, this is said of all points."""
    monkeypatch.setattr(montecarlo, "sample_points", lambda *_, **__: [{x: S(2)}])
    law = GaussianLaw({y: 0, z: 0}, [[1, x], [x, 1]])
    (found,) = montecarlo.check_relations_by_sampling(Eq(Expectation(y * z, law), x), (), [0])
    said = "the covariance of (y, z) is not positive semidefinite, at each of 12 points"
    assert (found.refusal, found.tried) == (said, 12)


def test_the_mean_of_a_sample():
    found = _summary(np.array([1.0, 2.0, 4.0, 9.0]))
    assert (found.mean, found.largest_share) == (4, 25 / 38)
    assert found.stderr == pytest.approx(math.sqrt(38 / 12), rel=1e-14)
    for sample, varies in (
        ([3.0] * 7, False),
        ([1.0, 1.0 + 1e-14], False),
        ([1.0, 1 + 1e-12], True),
    ):
        assert (_summary(np.array(sample)).stderr > 0) is varies


def test_noises_have_mean_0_and_variance_1():
    values, shares = _NOISE, np.array([_NOISE_SHARE, 1 - _NOISE_SHARE])
    assert [shares @ values**k for k in (1, 2)] == pytest.approx([0, 1])
    assert shares @ values**3 > 1
    assert [sum(R(p, q) * R(a, b) ** k for a, b, p, q in NOISE) for k in range(3)] == [1, 0, 1]


@pytest.mark.parametrize("order", [1, 2])
def test_weights_of_difference_quotients(order):
    """Exact for powers up to the fourth, and a fifth."""
    offsets = np.array(list(_WEIGHTS[order]), dtype=float)
    weights = np.array(list(_WEIGHTS[order].values()))
    sums = [weights @ offsets**k for k in range(5)]
    assert sums == pytest.approx([float(k == order) * order for k in range(5)], abs=1e-14)


def test_bivariate_probabilities_of_samples():
    at = Rational(2, 5), Rational(-3, 10), Rational(1, 2)
    known = float(bivariate_normal_cdf(*at).evalf())
    found = _FUNCTIONS["bivariate_normal_cdf"](*(np.float64(x) for x in at))
    assert found == pytest.approx(known, rel=1e-13)


def test_functions_of_samples():
    own = {f.__name__: f for f in (erf_prime, erf_second, normal_cdf, normal_pdf)}
    for name, function in _FUNCTIONS.items():
        if name in ("Max", "Min", "OwensT", "Heaviside", "bivariate_normal_cdf"):
            continue
        exact = own.get(name) or getattr(sympy, name)
        for at in (1.7,) if name == "acosh" else (0.4,) if name == "log" else (0.4, -0.3):
            known = float(exact(sympy.Float(at)).rewrite(erf).evalf())
            assert function(np.float64(at)) == pytest.approx(known, rel=1e-13), name
    for name, values, known in (("Max", (1, 3, 2), 3), ("Min", (2, 1, 3), 1),
                                ("Heaviside", (-2, 0.5), 0), ("Heaviside", (0, 0.5), 0.5),
                                ("OwensT", (0, 1), 0.125)):  # fmt: skip
        assert _FUNCTIONS[name](*values) == known


# -- random points ---------------------------------------------------------------------------------


def drawn(bounds, size=1, symbol=x, count=400, far=None):
    rng, sampler = default_rng(0), NumberSampler(symbol, bounds)
    if far is None:
        size = fmpq(size.p, size.q) if isinstance(size, R) else fmpq(size)
        values = [sampler._candidate(rng, size) for _ in range(count)]
    else:
        values = [sampler._far_candidate(rng, far) for _ in range(count)]
    return [sampler.expression(value) for value in values]


@pytest.mark.parametrize(
    ("bounds", "first", "last"),
    [
        (Bounds(), -6, 6),
        (Bounds(low=R(5, 2)), 3, 7),
        (Bounds(high=R(9, 2)), 0, 4),
        (Bounds(R(1), R(20)), 1, 7),
        (Bounds(R(1), R(5, 2)), 1, 2),
        (Bounds(R(1, 3), R(2, 3)), 1, 1),
    ],
)
def test_integers_are_drawn_from_a_range(bounds, first, last):
    assert set(drawn(bounds, symbol=n)) == set(range(first, last + 1))


@pytest.mark.parametrize(
    ("bounds", "size", "least", "largest"),
    [
        (Bounds(), 1, -4, 4),
        (Bounds(), R(1, 2), -2, 2),
        (Bounds(low=R(1)), 1, 1, 5),
        (Bounds(low=R(1)), R(1, 4), 1, 2),
        (Bounds(high=R(1)), 1, -3, 1),
        (Bounds(high=R(1)), R(1, 4), 0, 1),
        (Bounds(R(1), R(3)), 1, 1, 3),
        (Bounds(R(1), R(3), high_open=True), R(1, 2), 1, 2),
        (Bounds(R(-4), R(2), True, True), R(1, 2), -2, 1),
    ],
)
def test_numbers_are_drawn_from_a_range(bounds, size, least, largest):
    values = drawn(bounds, size)
    assert least <= min(values) <= least + R(1, 3)
    assert largest - R(1, 3) <= max(values) <= largest
    assert len(set(values)) > 40


def test_closed_ends_are_drawn_now_and_then():
    """About one in 25 beside what falls on an end by itself, and an open end never so."""

    def share(bounds):
        values = drawn(bounds, count=1000)
        return [values.count(end) / len(values) for end in (bounds.low, bounds.high)]

    closed, open_above, opened = (
        share(Bounds(R(0), R(1), *ends)) for ends in ((False, False), (False, True), (True, True))
    )
    # One in d + 1 of the fractions of a denominator d.
    known = sum(1 / (d + 1) for d in (1, 2, 3, 4, 5, 7, 8, 12, 16, 24, 32, 48, 64)) / 13
    assert opened == pytest.approx([known, known], abs=0.03)
    assert closed[0] - opened[0] == pytest.approx(0.02, abs=0.02)
    assert open_above[0] - opened[0] == pytest.approx(0.04, abs=0.02)
    below = drawn(Bounds(low=R(1)), count=1000)
    assert 0.02 < below.count(1) / 1000 < 0.06


@pytest.mark.parametrize("symbol", [x, n])
@pytest.mark.parametrize(
    ("bounds", "far", "least", "largest"),
    [
        (Bounds(), 1, 1e6, 1e8),
        (Bounds(), -1, -1e8, -1e6),
        (Bounds(low=R(3)), 1, 1e6, 1e8),
        (Bounds(high=R(3)), -1, -1e8, -1e6),
        (Bounds(), 0, -1e8, 1e8),
    ],
)
def test_far_numbers(symbol, bounds, far, least, largest):
    values = drawn(bounds, symbol=symbol, far=far)
    assert least * (1.1 if far < 1 else 0.9) < min(values)
    assert max(values) < largest * (1.1 if far > -1 else 0.9)
    if far == 0:
        assert min(values) < -(10**7) < 10**7 < max(values)
        assert min(map(abs, values)) < (R(1, 10**6) if symbol is x else 10)


@pytest.mark.parametrize(
    ("bounds", "far", "end", "sign"),
    [
        (Bounds(low=R(3)), -1, 3, 1),
        (Bounds(high=R(3)), 1, 3, -1),
        (Bounds(R(3), R(5)), 1, 3, 1),
        (Bounds(R(3), R(5)), -1, 5, -1),
    ],
)
def test_numbers_near_an_end(bounds, far, end, sign):
    """From a hundred millionth to a millionth beside it, in units of the width."""
    distances = [sign * (value - end) for value in drawn(bounds, far=far)]
    assert 0.9e-8 < min(distances) < 3e-8
    assert 7e-7 < max(distances) < 2.1e-6


def test_far_integers_stay_on_their_side():
    """An end that is missing counts as 0, and the other is rounded inwards."""
    for bounds, far, value in ((Bounds(low=R(5, 2)), -1, 3), (Bounds(high=R(5, 2)), 1, 2)):
        assert set(drawn(bounds, symbol=n, far=far)) == {value}


def test_values_that_no_draw_satisfies():
    rng = default_rng(0)
    assert NumberSampler(x, Bounds(R(0), R(0), True)).draw(rng) is None
    sampler = NumberSampler(Symbol("i", imaginary=True), Bounds())
    assert (sampler.expression(sampler.draw(rng)) / S.ImaginaryUnit).is_Rational
    empty = IndexedBase(Symbol("e", positive=True, negative=None, integer=True, zero=False))
    for family in (IndexedBase(Symbol("e", irrational=True)),
                   IndexedBase(Symbol("e", irrational=True), shape=(2, 2))):  # fmt: skip
        assert random_family_entries(family, None, {}, rng) is None
    entries = random_family_entries(empty, None, {n: S(3)}, rng)
    assert len(entries) == 6
    assert all(entry > 0 and entry.is_integer for entry in entries)


@pytest.mark.parametrize(
    ("hypothesis", "bounds"),
    [
        (x <= 2, Bounds(high=S(2))),
        (x < 2, Bounds(high=S(2), high_open=True)),
        (x >= R(1, 2), Bounds(low=R(1, 2))),
        (x > R(1, 2), Bounds(low=R(1, 2), low_open=True)),
        (Le(Mul(-1, x), 3, evaluate=False), Bounds(low=S(-3))),
        (Gt(Mul(-1, x), 3, evaluate=False), Bounds(high=S(-3), high_open=True)),
        (x < y, None),
        (Le(2 * x, 3, evaluate=False), None),
        (Eq(x, 2), None),
    ],
)
def test_bounds_that_hypotheses_state(hypothesis, bounds):
    found = symbol_and_bounds_from_hypothesis(hypothesis)
    assert found == (None if bounds is None else (x, bounds))


@pytest.mark.parametrize(
    ("low", "high", "opened", "empty"),
    [(0, 1, (0, 0), False), (1, 1, (0, 0), False), (1, 1, (1, 0), True), (1, 1, (0, 1), True),
     (2, 1, (0, 0), True), (None, 1, (0, 1), False), (0, None, (1, 0), False)],
)  # fmt: skip
def test_bounds_that_exclude_each_other(low, high, opened, empty):
    ends = (None if end is None else S(end) for end in (low, high))
    assert Bounds(*ends, *map(bool, opened)).is_empty is empty


def test_equations_are_solved_for_one_symbol_each():
    equations = [Eq(2 * x + y, 3, evaluate=False), Eq(x, z + 1, evaluate=False)]
    found, _ = solve_equations_for_symbols(equations, [x, y, z], [])
    assert found == [(x, (3 - y) / 2), (z, x - 1)]
    found, _ = solve_equations_for_symbols([Eq(x**2, y), Eq(x * z, 2 * z)], [x, z], [])
    assert found == [(x, 2)]


def test_random_functions_have_coefficients_of_both_signs():
    """Of the sizes 1/5 to 5/2, and of at most half of these inside of a function."""
    rng, (u,) = default_rng(0), symbols("u,", real=True)
    numbers = set()
    for _ in range(6):
        value = random_test_function(rng)(u)
        for term in value.args:
            polynomial = next(f for f in term.args if f.is_polynomial(u) and f.has(u))
            numbers |= set(polynomial.as_poly(u).all_coeffs())
    assert min(numbers) < -1
    assert max(numbers) > 1
    assert max(map(abs, numbers)) <= R(5, 2)
    assert min(map(abs, numbers)) >= R(1, 5)
    two = random_test_function(rng, 2)
    assert len(two.variables) == 2


def test_points_where_there_is_no_law_are_counted(monkeypatch):
    monkeypatch.setattr(points, "_MOST_REJECTED", 3)
    monkeypatch.setattr(PointSampler, "draw", lambda *_: {x: S(-1)})
    statement = Eq(Expectation(y**2, GaussianLaw({y: 0}, [[x]])), x)
    with pytest.raises(NoPointFound, match=r"at each of 4 points at x = -1$"):
        compare(statement, rng=default_rng(0))


def test_a_function_is_put_in_for_one_that_is_not_defined():
    f = Function("f")
    (found,) = points.SharedPoints([Eq(f(x), f(y))], (), default_rng(0), {f: erf}).all
    assert found == Eq(erf(x), erf(y))
