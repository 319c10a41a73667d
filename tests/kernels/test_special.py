"""zeta and the variance of erf against quadrature at 40 digits."""

from functools import cache

import mpmath
import numpy as np
import pytest
from flint import arb, arb_mat
from scipy.special import ndtr
from sympy import Piecewise, Symbol, erfinv, sign, symbols

from slrsym.gaussian import OwensT, mpmath_special_functions, normal_cdf
from slrsym.gaussian.bivariate_normal import bivariate_normal_cdf
from slrsym.kernels import _numba_owens, compile_expressions, erf_variance, zeta
from slrsym.kernels import numpy_special_functions as special
from slrsym.kernels.krawczyk import krawczyk_image
from slrsym.kernels.numpy_special_functions import erf_covariance
from slrsym.kernels.symbolic_functions import ErfCovariance, ErfVariance
from tests._profile import THOROUGH, more, thorough_cases, thorough_only
from tests.kernels._cases import ARRAY_BACKENDS, BACKENDS, needs_numba


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


# The other seed.
@thorough_cases("0-numpy", "0-numba", "1-numba", "2-numba", "3-numba")
@more
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


@thorough_only
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


def both(x, y, r):
    """The covariance of erf by Plackett's integral, in its first form, to 30 digits and more."""
    x, y, r = (mpmath.mpf(float(z)) for z in (x, y, r))
    end = mpmath.asin(r)
    # Towards an end of the interval the integrand may change fast.
    places = [end * (1 - mpmath.mpf(2) ** -k) for k in range(40)] + [end]
    form = lambda t: mpmath.exp(  # noqa: E731
        -(x * x - 2 * x * y * mpmath.sin(t) + y * y) / mpmath.cos(t) ** 2
    )
    return 2 / mpmath.pi * mpmath.quadgl(form, places)


def pairs(rng, count):
    """Of all sizes; some equal, nearly equal, opposite, or zero; correlations up to 1 - 1e-6."""
    x, y = (rng.normal(size=count) * np.exp(rng.uniform(-6, 2, count)) for _ in range(2))
    y[::5] = x[::5] * (1 + 10 ** rng.uniform(-12, 0, len(x[::5])))
    y[1::5] = rng.choice([-1, 1], len(y[1::5])) * x[1::5]
    x[2::7], y[3::7] = 0, 0
    r = rng.choice([-1, 1], count) * (1 - 10 ** rng.uniform(-6, 0, count))
    return x, y, r


@cache
def values_of_two_variables(seed):
    """Points, and what both functions are there, once for all backends."""
    points = [*zip(*pairs(np.random.default_rng(seed), 40 if THOROUGH else 20), strict=True)]
    with mpmath.workdps(35):
        return [(point, both(*point), normal_of_two(*point)) for point in points]


def normal_of_two(x, y, r):
    apart = mpmath.ncdf(float(x)) * mpmath.ncdf(float(y))
    return apart + both(x / mpmath.sqrt(2), y / mpmath.sqrt(2), r) / 4


@thorough_only
@more
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("seed", range(2))
def test_two_variables(seed, backend):
    """To 1e-13 in all numbers, and to ten digits beyond doubles."""
    x, y, r = symbols("x y r", real=True)
    kernel = compile_expressions(
        [ErfCovariance(x, y, r), bivariate_normal_cdf(x, y, r)], [x, y, r], [], backend
    )
    tolerance = 2e-15 if backend in ("numpy", "numba", "jax") else 1e-24
    for point, expected, normal in values_of_two_variables(seed):
        with mpmath.workdps(35):
            found = kernel([float(z) for z in point])
            if backend == "ball":
                assert all(z.rad() < 1e-25 for z in found)
                found = [mpmath.mpf(z.mid().str(30, radius=False)) for z in found]
            if backend == "jax":
                found = found.tolist()
            assert abs(found[0] - expected) < tolerance
        # The reference takes arguments over the root of 2 that are rounded.
        assert abs(found[1] - normal) < 2e-15


def test_jax_rounds_as_it_likes():
    """Arguments that are equal or opposite, and are computed in the same compiled function."""
    pytest.importorskip("jax")
    x, s, r = symbols("x s r", real=True)
    functions = ErfCovariance, bivariate_normal_cdf
    outputs = [f(x / s, sign * x / s, r) for f in functions for sign in (-1, 1)]
    fast, reference = (compile_expressions(outputs, [x, s, r], [], b) for b in ("jax", "numpy"))
    rng = np.random.default_rng(0)
    points = np.stack(
        [
            rng.normal(size=500) * np.exp(rng.uniform(-6, 2, 500)),
            rng.choice([1, np.sqrt(2), 3], 500),
            rng.choice([-1, 1], 500) * (1 - 10 ** rng.uniform(-16, 0, 500)),
        ],
        axis=-1,
    )
    assert np.asarray(fast(points)) == pytest.approx(reference(points), rel=0, abs=1e-14)


@pytest.mark.parametrize("backend", ["mpmath", "ball"])
def test_covariances_at_the_ends(backend):
    """Of equal or opposite means, and of correlation 0 or 1, where 1 - |a - b| - a b is known."""
    x, y, r = symbols("x y r", real=True)
    kernel = compile_expressions([ErfCovariance(x, y, r)], [x, y, r], [], backend)
    ends = [(0.4, 0.4, 0.5), (0.4, -0.4, 0.5), (0.4, 0.9, 0), (0.4, 0.4, 1), (0.3, 0.9, -1)]
    for at in ends:
        (found,) = kernel(list(at), dps=20)
        with mpmath.workdps(30):
            a, b = mpmath.erf(at[0]), abs(at[2]) and mpmath.erf(at[1] * at[2])
            known = both(*at) if abs(at[2]) < 1 else at[2] * (1 - abs(a - b) - a * b)
            if backend == "ball":
                assert found.rad() < 1e-12
                found = mpmath.mpf(found.mid().str(30, radius=False))
            assert abs(found - known) < 1e-14, at


def by_definition(h, a):
    form = lambda t: mpmath.exp(-h * h * (1 + t * t) / 2) / (1 + t * t)  # noqa: E731
    # In pieces that double, up to where nothing is left.
    end = min(abs(a), 9 / abs(h)) if h else abs(a)
    places = [0, *(mpmath.mpf(end) * mpmath.mpf(2) ** k for k in range(-14, 1))]
    return np.sign(a) * mpmath.quadgl(form, places) / (2 * mpmath.pi)


@thorough_cases("0-numpy", "0-numba", "0-mpmath", "0-ball", "0-jax", "1-numpy", "1-numba")
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("seed", range(2))
def test_owens_t(seed, backend):
    h, a = symbols("h a", real=True)
    kernel = compile_expressions([OwensT(h, a), normal_cdf(h)], [h, a], [], backend)
    rng = np.random.default_rng(seed)
    for number, slope, _ in zip(*pairs(rng, 60), strict=True):
        found = [float(z) for z in kernel([float(number), float(slope)])]
        with mpmath.workdps(30):
            exact = by_definition(float(number), float(slope))
            assert abs(found[0] - exact) < 1e-16 + 1e-15 * abs(exact)
            assert abs(found[1] - mpmath.ncdf(float(number))) < 3e-16


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_inverse_of_erf(backend):
    x = Symbol("x", real=True)
    inverse = compile_expressions([erfinv(x)], [x], [], backend)
    for at in (0.5, -0.3, 1e-12, 0.0, 0.93, -1 + 1e-9):
        with mpmath.workdps(40):
            exact = mpmath.erfinv(mpmath.mpf(at))
            if backend == "ball":
                (found,) = inverse([at], dps=40)
                assert found.contains(arb(exact))
                assert found.rad() < 1e-25
            else:
                (found,) = inverse([at])
                assert float(found) == pytest.approx(float(exact), rel=4e-15, abs=0)


def test_balls_hold_the_values_at_all_points():
    x, y, r = symbols("x y r", real=True)
    outputs = [ErfCovariance(x, y, r), OwensT(x, 3 * y), sign(x) + Piecewise((x, x > y), (y, True))]
    kernel = compile_expressions(outputs, [x, y, r], [], "ball")
    numbers = compile_expressions(outputs, [x, y, r], [], "mpmath")
    rng = np.random.default_rng(5)
    for _ in range(20):
        middle, radius = rng.uniform(-0.9, 0.9, 3), 10 ** rng.uniform(-6, -1.1)
        found = kernel([arb(m, radius) for m in middle])
        for _ in range(5):
            inside = [float(m + radius * rng.uniform(-1, 1)) for m in middle]
            for ball, value in zip(found, numbers(inside, dps=20), strict=True):
                assert ball.lower() <= arb(str(value)) <= ball.upper()
                assert ball.rad() < 10 * radius or ball.contains(0)


def test_krawczyks_test_proves_one_zero():
    """Of x^2 - 2 about 1.4 within 0.1, and no zero about 1.6, or where the slope vanishes."""
    for middle, proved in ((1.4, True), (1.6, False), (0.0, False)):
        slopes = arb_mat([[2 * arb(middle, 0.1)]])
        found = krawczyk_image([arb(middle) ** 2 - 2], slopes, [arb(0.1)])
        assert (found is not None) is proved
        if proved:
            assert found[0].contains(arb(2).sqrt() - middle)
            assert found[0].rad() < 0.01
    # Of a line and its multiple, and of two lines that meet at (1, 2) - a zero on the boundary.
    line, other = [arb(1), arb(2)], [arb(3), arb(-1)]
    assert krawczyk_image([arb(0)] * 2, arb_mat([line, line]), [arb(1)] * 2) is None
    for radius, proved in ((2.5, True), (1.5, False)):
        found = krawczyk_image([arb(-5), arb(-1)], arb_mat([line, other]), [arb(radius)] * 2)
        assert (found is not None) is proved
        if proved:
            assert [round(float(z.mid()), 9) for z in found] == [1, 2]


@pytest.mark.parametrize("bad", ["a", None, 1j, [1, "b"]])
def test_what_is_no_number_is_named(bad):
    for function in (zeta, erf_variance):
        with pytest.raises(ValueError, match="t must be real numbers; got"):
            function(bad, 1.0)
        with pytest.raises(ValueError, match="s must be real numbers; got"):
            function(1.0, bad)


def test_numbers_and_arrays_agree():
    """Owen's T and zeta by the rule for numbers, and by that for arrays, over their branches."""
    rng = np.random.default_rng(4)
    for h in (0.0, 1e-3, 0.7, 3.0, 9.0, 9.5, 20.0):
        for a in (0.0, 1e-6, 0.4, 1.0, 1.7, 12.0, 1e5, -2.0):
            one, many = _numba_owens.owens_t(h, a), float(special.owens_t(h, a))
            assert one == pytest.approx(many, rel=1e-12, abs=1e-310)
    for t, s in zip(rng.normal(0, 3, 40), np.exp(rng.normal(0, 2, 40)), strict=True):
        assert _numba_owens.gaussian_zeta(t, s) == pytest.approx(zeta(t, s), rel=1e-14)


@thorough_only
def test_covariances_of_numbers_and_arrays_agree():
    """Where the integrand has its peak inside, at either end, and where nothing is left."""
    numba_special = pytest.importorskip("slrsym.kernels._numba_special")
    for x in (0.0, 0.3, -1.0, 4.0, -9.0, 16.0):
        for y in (0.0, 0.5, 1.0, -4.2, 9.3, 15.0):
            for r in (0.2, 0.9, 1 - 1e-9, 1.0, -0.7):
                many = float(erf_covariance(x, y, r))
                assert numba_special.erf_covariance(x, y, r) == pytest.approx(
                    many, rel=1e-13, abs=1e-300
                )


def test_the_covariance_at_a_nan_is_a_nan():
    from slrsym.kernels.numpy_special_functions import erf_covariance

    assert np.isnan(erf_covariance(np.nan, 0.3, 0.2))


def test_limits_of_numbers():
    from slrsym.kernels._numba_owens import gaussian_zeta, owens_t

    assert np.isnan([owens_t(np.nan, 1.0), owens_t(1.0, np.nan), gaussian_zeta(np.nan, 1.0)]).all()
    assert owens_t(45.0, 2.0) == owens_t(-45.0, 0.5) == 0
    for h in (0.5, 2.0, 12.0):
        assert owens_t(h, np.inf) == pytest.approx(ndtr(-h) / 2, rel=1e-14)
        assert owens_t(h, -1e9) == pytest.approx(-ndtr(-h) / 2, rel=1e-14)
    assert (
        gaussian_zeta(np.inf, 1.0) == gaussian_zeta(0.0, -np.inf) == gaussian_zeta(30.0, 0.1) == 1
    )


@needs_numba
def test_the_arc_sine_in_machine_code():
    """It is right to two units in the last place, and nan outside."""
    from numba import njit

    from slrsym.kernels._numba_special import arcsin

    rng = np.random.default_rng(5)
    near_one, small = 1 - 10.0 ** -rng.uniform(0, 17, 300), 10.0 ** -rng.uniform(0, 308, 200)
    edges = [0.0, 5e-324, 0.5, np.nextafter(0.5, 0), np.nextafter(1, 0), 1.0]
    x = np.concatenate([rng.uniform(0, 1, 1_000), near_one, small, edges])

    @njit
    def each(x):
        return np.array([arcsin(one) for one in x])

    found = each(x)
    np.testing.assert_array_equal(each(-x), -found)
    assert np.signbit(each(np.array([-0.0]))[0])
    assert np.isnan(each(np.array([np.nextafter(1, 2), -2.0, np.inf, np.nan]))).all()
    with mpmath.workdps(30):
        for one, value in zip(x.tolist(), found.tolist(), strict=True):
            exact = mpmath.asin(one)
            assert abs(value - exact) <= 2 * np.spacing(float(exact)), one


def test_functions_by_balls_take_numbers_of_any_kind():
    """A bound that a program has as a number of its own is no mpmath number."""
    of = mpmath_special_functions
    half, root = mpmath.mpf(1) / 2, mpmath.sqrt(3) / 2
    cases = ((of.normal_covariance, ()), (of.quadrant_moment, (1, 2)))
    for function, leading in cases:
        exact = function(*leading, mpmath.mpf(1), mpmath.mpf("0.25"), half, root)
        assert function(*leading, 1, 0.25, half, root) == exact
        assert function(*leading, 1.0, 0.25, 0.5, root) == exact
