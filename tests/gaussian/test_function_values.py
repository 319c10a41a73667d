"""Values of the special functions, to any precision and in double precision."""

import math

import mpmath
import numpy as np
import pytest
import scipy.special
from mpmath import mp
from sympy import Float, I, Rational, erfc, exp, oo, pi, sqrt, symbols

from slrsym.gaussian import mpmath_special_functions as in_mpmath
from slrsym.gaussian.special_functions import (
    OwensT,
    erf_prime,
    erf_second,
    normal_cdf,
    normal_pdf,
    zeta,
)
from slrsym.kernels import _numba_owens
from tests._profile import THOROUGH, more, one_in, thorough, thorough_only
from tests.gaussian.values_by_quadrature import (
    owens_t_by_quadrature,
    owens_t_enclosed,
    relative_error,
    zeta_by_quadrature,
)

h, a = symbols("h a", real=True)


# -- evaluation to any precision -------------------------------------------------------------------

OWENS_POINTS = [
    ("1/3", "1/2"),
    ("-2", "1"),
    ("1", "-3"),
    ("9", "99/100"),
    ("9", "101/100"),
    ("30", "1"),
    ("30", "2"),
    ("30", "1/10"),
    ("1/7", "40"),
    ("1e-12", "1"),
    ("1e-12", "1e6"),
    ("2", "1e6"),
    ("2", "1e-15"),
    ("1000", "2/3"),
]


@pytest.mark.parametrize(("height", "end"), OWENS_POINTS)
@pytest.mark.parametrize("digits", [15, 50])
def test_owens_t_to_any_precision(height, end, digits):
    value = OwensT(Rational(height), Rational(end)).evalf(digits)
    with mp.workdps(digits + 15):
        exact = [mp.mpf(c.p) / c.q for c in (Rational(height), Rational(end))]
        reference = owens_t_by_quadrature(exact[0], abs(exact[1])) * mpmath.sign(exact[1])
        assert relative_error(mp.mpf(value._mpf_), reference) < mp.mpf(10) ** (1 - digits)


@pytest.mark.parametrize(
    ("height", "end"), one_in(3, [("1/3", "1/2"), ("9", "99/100"), ("2", "5")])
)
def test_owens_t_to_200_digits(height, end):
    value = OwensT(Rational(height), Rational(end)).evalf(200)
    with mp.workdps(220):
        exact = [mp.mpf(c.p) / c.q for c in (Rational(height), Rational(end))]
        assert (
            relative_error(mp.mpf(value._mpf_), owens_t_by_quadrature(*exact)) < mp.mpf(10) ** -199
        )


@thorough_only
def test_owens_t_agrees_across_precisions():
    """The choice of algorithm depends on the precision: two precisions must agree."""
    rng = np.random.default_rng(20)
    for _ in range(150):
        height = float(
            rng.choice([rng.uniform(0, 40), rng.uniform(0, 8), 10 ** rng.uniform(-9, 0)])
        )
        end = float(rng.choice([10 ** rng.uniform(-12, 6), rng.uniform(0.5, 1.6)]))
        with mp.workprec(53):
            low = in_mpmath.owens_t(height, end)
        with mp.workprec(400):
            assert relative_error(low, in_mpmath.owens_t(height, end)) < 2.0**-52


def test_owens_t_far_out():
    """Rounding h^2/2 to the working precision would cost 46 bits here."""
    with mp.workprec(53):
        low = in_mpmath.owens_t(12345678.9, 0.3)
    with mp.workprec(300):
        square = mp.mpf(12345678.9) ** 2 / 2
        leading = mpmath.exp(-square) * mpmath.sqrt(mp.pi / square) / (4 * mp.pi)
        assert relative_error(low, leading * (1 - 1 / (2 * square))) < 2.0**-52


@thorough_only
@pytest.mark.parametrize(
    ("mean", "scale", "digits"),
    [
        ("1/3", "1/2", 15),
        thorough("1/3", "1/2", 50),
        ("0", "3", 15),
        thorough("1", "1", 15),
        thorough("2", "1/5", 15),
        thorough("1/5", "2", 50),
        ("-1", "-4", 15),
    ],
)
def test_zeta_to_any_precision(mean, scale, digits):
    value = zeta(Rational(mean), Rational(scale)).evalf(digits)
    with mp.workdps(digits + 15):
        exact = [mp.mpf(c.p) / c.q for c in (Rational(mean), Rational(scale))]
        assert relative_error(mp.mpf(value._mpf_), zeta_by_quadrature(*exact)) < mp.mpf(10) ** (
            1 - digits
        )


@pytest.mark.parametrize("scale", ["1e-20", "1e-3", "1", "1001/1000", "1e8"])
@pytest.mark.parametrize("digits", [15, 50, 200])
def test_zeta_on_the_axis(scale, digits):
    """Against the arcsine, evaluated with digits to spare."""
    with mp.workdps(digits + 60):
        square = 2 * mpmath.mpf(Rational(scale).p) ** 2 / Rational(scale).q ** 2
        reference = 2 / mp.pi * mpmath.asin(square / (1 + square))
    with mp.workdps(digits):
        for tiny in (0, mp.mpf(10) ** -400):
            value = in_mpmath.gaussian_zeta(tiny, mp.mpf(Rational(scale).p) / Rational(scale).q)
            assert relative_error(value, reference) < mp.mpf(10) ** (2 - digits)


def test_zeta_of_tiny_arguments():
    value = zeta(Rational("1e-22"), Rational("1e-20")).evalf(30)
    leading = (4 / pi * (Rational("1e-44") + Rational("1e-40"))).evalf(30)
    assert abs(value / leading - 1) < 1e-28


def test_evalf_of_the_elementary_functions():
    assert str(erf_prime(10**6 * pi).evalf(30)) == str(
        (2 / sqrt(pi) * exp(-((10**6 * pi) ** 2))).evalf(30)
    )
    assert abs(
        erf_second(Rational(1, 3)).evalf(60) - erf_second(Rational(1, 3)).rewrite(exp).evalf(60)
    ) < Float("1e-59", 60)
    assert abs(normal_cdf(-40).evalf(30) / (erfc(40 / sqrt(2)) / 2).evalf(30) - 1) < 1e-28
    assert (
        abs(
            normal_pdf(Rational(-7, 2)).evalf(30)
            - normal_pdf(Rational(7, 2)).rewrite(exp).evalf(30)
        )
        < 1e-29
    )
    assert abs(erf_prime(1 + I).evalf(30) - erf_prime(1 + I).rewrite(exp).evalf(30)) < 1e-28
    assert abs(normal_cdf(oo) - normal_cdf(Float(40))) < 1e-15


def test_floats_evaluate_and_the_rest_waits():
    assert OwensT(Float("0.5"), Float("0.25")).is_Float
    assert OwensT(Float("0.5"), a).args == (Float("0.5"), a)
    assert abs(OwensT(h, a).evalf(30, subs={h: 1, a: 2}) - OwensT(1, 2).evalf(30)) < 1e-28
    assert OwensT(h, a).evalf() == OwensT(h, a)


def test_multiprecision_at_the_edges():
    assert in_mpmath.owens_t(mp.inf, 2) == 0
    assert in_mpmath.owens_t(2, 0) == 0
    assert in_mpmath.owens_t(0, mp.inf) == mp.mpf(1) / 4
    assert mpmath.almosteq(in_mpmath.owens_t(1, -mp.inf), -mpmath.erfc(mpmath.sqrt(0.5)) / 4)
    assert in_mpmath.gaussian_zeta(mp.inf, 1) == 1
    assert in_mpmath.gaussian_zeta(1, -mp.inf) == 1
    assert in_mpmath.gaussian_zeta(0, 0) == 0
    assert in_mpmath.erf_second(mp.inf) == 0
    for value in (
        in_mpmath.owens_t(mp.nan, 1),
        in_mpmath.gaussian_zeta(1, mp.nan),
        in_mpmath.erf_second(mp.nan),
    ):
        assert mpmath.isnan(value)
    assert in_mpmath.owens_t(mp.mpc(1, 0), 2) == in_mpmath.owens_t(1, 2)


@pytest.mark.parametrize(
    ("function", "message"),
    [(in_mpmath.owens_t, "h must be real"), (in_mpmath.gaussian_zeta, "t must be real")],
)
def test_multiprecision_refuses_complex_arguments(function, message):
    with pytest.raises(ValueError, match=message):
        function(mp.mpc(1, 1), 1)


# -- double precision ------------------------------------------------------------------------------


def owens_arguments(count: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    heights = rng.uniform(0, 38, count)
    small = rng.random(count) < 0.5
    heights[small] = 10 ** rng.uniform(-12, 1, small.sum())
    ends = 10 ** rng.uniform(-12, 12, count)
    moderate = rng.random(count) < 0.5
    ends[moderate] = rng.uniform(0, 3, moderate.sum())
    return np.column_stack([heights, ends])


def test_quadrature_rule():
    order = 2 * len(_numba_owens.NODES)
    with mp.workdps(40):
        for node, weight in zip(_numba_owens.NODES, _numba_owens.WEIGHTS, strict=True):
            root = mpmath.findroot(lambda z: mpmath.legendre(order, z), node)
            slope = -order * mpmath.legendre(order - 1, root) / (root**2 - 1)
            assert float(root) == node
            assert float(2 / ((1 - root**2) * slope**2)) == weight


@thorough_only
@more
def test_scalar_owens_t_to_the_last_digits():
    for height, end in owens_arguments(1000 if THOROUGH else 300, seed=1).tolist():
        reference = owens_t_enclosed(height, end)
        error = abs(_numba_owens.owens_t(height, end) - reference)
        assert error <= 5 * np.spacing(reference), (height, end)


def test_scalar_owens_t_agrees_with_scipy():
    points = owens_arguments(3000, seed=2)
    ours = np.array([_numba_owens.owens_t(*point) for point in points.tolist()])
    np.testing.assert_allclose(ours, scipy.special.owens_t(*points.T), rtol=1e-13, atol=2e-16)


def test_scalar_owens_t_at_the_edges():
    owens_t = _numba_owens.owens_t
    assert owens_t(0.0, math.inf) == 0.25
    assert owens_t(math.inf, 0.5) == owens_t(math.inf, 2.0) == owens_t(math.inf, math.inf) == 0.0
    assert owens_t(1.0, 0.0) == 0.0
    assert owens_t(-1.0, -2.0) == -owens_t(1.0, 2.0)
    assert owens_t(1.0, math.inf) == pytest.approx(math.erfc(math.sqrt(0.5)) / 4, rel=1e-15)
    assert owens_t(2.0, 1e300) == owens_t(2.0, math.inf)
    assert math.isnan(owens_t(math.nan, 1.0))
    assert math.isnan(owens_t(1.0, math.nan))


def test_scalar_zeta_to_the_last_digits():
    rng = np.random.default_rng(3)
    for _ in range(400):
        mean = float(rng.choice([rng.normal(), 10 ** rng.uniform(-20, 2), 0.0]))
        scale = float(rng.choice([rng.normal(), 10 ** rng.uniform(-20, 8), 0.0]))
        with mp.workprec(130):
            reference = float(in_mpmath.gaussian_zeta(mean, scale))
        error = abs(_numba_owens.gaussian_zeta(mean, scale) - reference)
        assert error <= 8 * np.spacing(reference), (mean, scale)
    assert _numba_owens.gaussian_zeta(math.inf, 1.0) == 1.0
    assert _numba_owens.gaussian_zeta(1.0, -math.inf) == 1.0
    assert math.isnan(_numba_owens.gaussian_zeta(1.0, math.nan))


@thorough_only
def test_numba_owens_t_is_the_scalar_one():
    pytest.importorskip("numba", reason="Numba is an optional extra")
    functions = _numba_owens.compile_owens()
    for height, end in owens_arguments(2000, seed=5).tolist():
        expected = _numba_owens.owens_t(height, end)
        assert abs(functions["owens_t"](height, end) - expected) <= 2 * np.spacing(expected)
        expected = _numba_owens.gaussian_zeta(height / 10, end)
        found = functions["gaussian_zeta"](height / 10, end)
        assert abs(found - expected) <= 4 * np.spacing(expected)
