"""zeta and the variance of erf against quadrature at 40 digits."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from sympy import Symbol

from slrsym.kernels import compile_expressions, erf_variance, zeta
from slrsym.kernels.special import ErfVariance
from tests._profile import THOROUGH
from tests.kernels._cases import ARRAY_BACKENDS


def exact(t, s):
    """Variance and second moment of erf(t + sG), from the definition in its standard form."""
    t, s = mpmath.mpf(float(t)), mpmath.mpf(float(s))
    left, square = 1 / mpmath.sqrt(1 + 4 * s * s), t * t / (1 + 2 * s * s)
    end = min(mpmath.mpf(1), mpmath.sqrt(left**2 + 100 / max(square, mpmath.mpf("1e-9"))))
    points = [left + (end - left) * mpmath.mpf(k) / 4 for k in range(5)]
    # Scaled to be of order one: mpmath's tolerance is absolute.
    scale = mpmath.exp(-square * (1 + left**2))
    value = scale * mpmath.quad(
        lambda x: mpmath.exp(-square * (x * x - left**2)) / (1 + x * x), points
    )
    variance = 4 / mpmath.pi * value
    return variance, variance + mpmath.erf(t / mpmath.sqrt(1 + 2 * s * s)) ** 2


def variance_by(backend):
    """The variance as kernels compute it."""
    t, s = Symbol("t", real=True), Symbol("s", positive=True)
    kernel = compile_expressions([ErfVariance(t, s)], [t], [s], backend)
    return lambda at, spread: float(kernel([at], spread)[0])


@pytest.mark.parametrize("backend", ARRAY_BACKENDS)
@pytest.mark.parametrize("seed", range(4))
def test_relative_accuracy(seed, backend):
    rng = np.random.default_rng(seed)
    compiled = variance_by(backend)
    with mpmath.workdps(40):
        for _ in range(20 if THOROUGH else 10):
            s = float(np.exp(rng.uniform(np.log(5e-5), np.log(50))))
            spread = float(np.sqrt(1 + 2 * s * s))
            a = float(rng.choice([0.0, rng.uniform(0, 15), np.exp(rng.uniform(-10, 2.7))]))
            variance, moment = exact(a * spread, s)
            found = erf_variance(a * spread, s)
            # The exponent is of the size of a^2, and so is the loss of digits in it.
            assert abs(found / float(variance) - 1) < 4e-15 + 4 * a * a * 2.0**-52
            again = compiled(a * spread, s)
            assert abs(again / float(variance) - 1) < 4e-15 + 6 * a * a * 2.0**-52
            assert abs(zeta(a * spread, s) / float(moment) - 1) < 4e-15


@pytest.mark.parametrize("backend", ARRAY_BACKENDS)
@pytest.mark.parametrize("exponent", [30.0, 200.0, 400.0, 600.0])
def test_variances_of_many_sizes(exponent, backend):
    """Down to 1e-300, where only the exponential has lost digits."""
    for s in (0.01, 0.3, 5.0):
        t = float(np.sqrt(exponent * (1 + 2 * s * s) / (1 + 1 / (1 + 4 * s * s))))
        with mpmath.workdps(40):
            variance, _ = exact(t, s)
        assert 1e-320 < variance < 1e-10
        for found in (erf_variance(t, s), variance_by(backend)(t, s)):
            assert abs(found / float(variance) - 1) < 6 * exponent * 2.0**-52


@pytest.mark.parametrize("backend", ARRAY_BACKENDS)
def test_what_is_too_small_for_a_double_is_none(backend):
    with np.errstate(all="raise", under="ignore"):
        for t in (50.0, 1e3, 1e8):
            assert erf_variance(t, 1.0) == 0
            assert variance_by(backend)(t, 1.0) == 0


def test_the_definition():
    with mpmath.workdps(30):
        t, s = mpmath.mpf("0.7"), mpmath.mpf("1.3")
        moment = mpmath.quad(
            lambda g: mpmath.erf(t + s * g) ** 2 * mpmath.npdf(g), mpmath.linspace(-16, 16, 33)
        )
    assert zeta(0.7, 1.3) == pytest.approx(float(moment), rel=1e-15)


def test_shapes_and_limits():
    assert zeta(0.0, 0.0) == 0.0
    assert zeta(5.0, 0.0) == pytest.approx(1.0)
    assert zeta(np.zeros((2, 1)), np.ones(3)).shape == (2, 3)
    assert zeta(np.zeros(0), 1.0).shape == (0,)
    assert isinstance(zeta(0.1, 0.2), float)
    assert zeta(-1.5, 0.4) == zeta(1.5, 0.4)
    assert (erf_variance(np.array([0.0, 1e3, 1e8]), 1.0)[1:] == 0).all()


@pytest.mark.parametrize("size", [1, 2, 3, 30, 512, 513, 5000])
def test_each_value_is_computed_by_itself(size):
    rng = np.random.default_rng(size)
    t = rng.choice([0.01, 1.0, 30.0], 6000) * rng.uniform(-1, 1, 6000)
    for s in (0.07, 0.7, np.exp(rng.uniform(-4, 3, 6000))):
        whole = erf_variance(t, s)
        some = rng.permutation(6000)[:size]
        assert (erf_variance(t[some], s[some] if np.ndim(s) else s) == whole[some]).all()


def test_not_a_number_stays_one():
    assert np.isnan(zeta(np.nan, 1.0))
    assert np.isnan(erf_variance(0.1, np.nan))
