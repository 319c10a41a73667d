"""Lemma 17, and the second moment of erf at a Gaussian: range, order, Jensen's inequality."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import erf

from slrsym.gaussian import mpmath_special_functions as in_mpmath
from slrsym.kernels import erf_variance, zeta
from slrsym.papers.single_location.testing.strategies import log_uniform

from ._examples import EPS, examples

SPREADS = log_uniform(1e-5, 1e3)
MEANS = st.one_of(
    st.just(0.0),
    st.floats(-30, 30),
    log_uniform(1e-300, 1e8),
    log_uniform(1e-8, 1).map(lambda x: -x),
)
POINTS = st.one_of(st.floats(-12, 12), log_uniform(1e-300, 1e-3))


@given(POINTS)
def test_erf_is_bounded_by_its_tangent(x):
    bound = 2 * abs(x) / math.sqrt(math.pi)
    assert abs(erf(x)) <= bound * (1 + 4 * EPS)
    # With 3 terms of the series between, which shows that the bound is the right one.
    assert bound * (1 - x * x / 3) <= abs(erf(x)) * (1 + 4 * EPS) + 1e-300
    assert abs(erf(x)) <= 1


@examples(0.5)
@given(POINTS)
def test_derivatives_of_erf(x):
    with mpmath.workdps(30):
        x = mpmath.mpf(x)
        first, second = (in_mpmath.erf_prime(x), in_mpmath.erf_second(x))
        assert abs(first - 2 / mpmath.sqrt(mpmath.pi) * mpmath.exp(-x * x)) <= first * 1e-28
        assert abs(second + 2 * x * first) <= abs(second) * mpmath.mpf("1e-28")
        step = mpmath.mpf(10) ** -12
        values = [mpmath.erf(x + i * step) for i in (-1, 0, 1)]
        assert abs((values[2] - values[0]) / (2 * step) - first) < mpmath.mpf("1e-16")
        slopes = [in_mpmath.erf_prime(x + i * step) for i in (-1, 1)]
        assert abs((slopes[1] - slopes[0]) / (2 * step) - second) < mpmath.mpf("1e-16")
        # The largest value of |erf''|, at 1 / sqrt(2).
        assert abs(second) <= 2 * mpmath.sqrt(2 / (mpmath.pi * mpmath.e)) * (
            1 + mpmath.mpf("1e-25")
        )


@given(MEANS, SPREADS)
def test_zeta_and_the_variance_are_in_the_unit_interval(t, s):
    variance, moment = erf_variance(t, s), zeta(t, s)
    assert 0 <= variance <= 1 + 8 * EPS
    assert 0 <= moment <= 1 + 8 * EPS
    assert zeta(-t, s) == moment


@given(MEANS, SPREADS)
def test_jensen(t, s):
    """E erf(U)^2 >= (E erf(U))^2, by the variance; and what is left of 1 bounds it as well."""
    mean = erf(t / math.sqrt(1 + 2 * s * s))
    assert zeta(t, s) >= mean**2 * (1 - 4 * EPS)
    assert zeta(t, s) - mean**2 == pytest.approx(erf_variance(t, s), abs=4 * EPS)
    # |erf| <= 1, so that erf^2 <= |erf|.
    assert erf_variance(t, s) <= (1 - mean) * (1 + mean) + 8 * EPS


@given(st.lists(MEANS, min_size=2, max_size=10), SPREADS)
def test_zeta_grows_with_the_distance_of_the_mean(means, s):
    moments = zeta(np.sort(np.abs(means)), s)
    assert (np.diff(moments) >= -8 * EPS * moments[1:]).all()


@given(st.lists(SPREADS, min_size=2, max_size=10))
def test_zeta_of_a_centred_score_grows_with_its_spread(spreads):
    moments = zeta(0.0, np.sort(spreads))
    assert (np.diff(moments) >= -8 * EPS * moments[1:]).all()
    # (2 / pi) arcsin(2 s^2 / (1 + 2 s^2)), between its tangent and 1.
    squares = 2 * np.sort(spreads) ** 2
    assert moments == pytest.approx(2 / math.pi * np.arcsin(squares / (1 + squares)), rel=1e-13)
    assert (moments <= 2 / math.pi * squares * (1 + 8 * EPS)).all()


@given(log_uniform(1.5, 50.0), log_uniform(1e-3, 0.1))
def test_far_from_zero_spread_lowers_zeta(t, s):
    """So that zeta is not monotone in s: where erf has saturated, spread can only take away."""
    moments = [1 - zeta(t * 1.01, x) for x in (s, 10 * s)]
    assert moments[1] >= moments[0] - 8 * EPS


@given(log_uniform(0.05, 6.0), SPREADS)
def test_the_derivative_of_zeta_is_lemma_18_v(a, s):
    """zeta_t = 2 erf(t / (A B)) erf'(t / A) / A, by a difference of fourth order."""
    wide, narrow = math.sqrt(1 + 2 * s * s), math.sqrt(1 + 4 * s * s)
    step = 1e-3 * wide
    t = a * wide
    ahead, behind = (zeta(t + i * step, s) - zeta(t - i * step, s) for i in (1, 2))
    found = (8 * ahead - behind) / (12 * step)
    exact = 2 * erf(a / narrow) * 2 / math.sqrt(math.pi) * math.exp(-a * a) / wide
    assert found == pytest.approx(exact, abs=1e-10 / wide)
