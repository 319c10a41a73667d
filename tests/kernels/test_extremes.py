"""Special functions and their derivatives at extreme arguments: limits, on every backend."""

import itertools
import math

import mpmath
import numpy as np
import pytest
from flint import arb
from sympy import Max, Min, Symbol, erf, erfc, log, oo, sqrt, symbols, tanh

from slrsym.gaussian import OwensT, erf_prime, erf_second, normal_cdf, normal_pdf
from slrsym.gaussian import mpmath_special_functions as precise
from slrsym.gaussian import zeta as symbolic_zeta
from slrsym.gaussian.bivariate_normal import bivariate_normal_cdf
from slrsym.kernels import _numba_owens, compile_expressions, erf_variance, zeta
from slrsym.kernels.symbolic_functions import (
    DifferenceFromErf,
    ErfCovariance,
    ErfVariance,
)
from tests._profile import THOROUGH, more
from tests.kernels._cases import BACKENDS

x, y = symbols("x y", real=True)
TINY, HUGE, INF = 1e-300, 1.7e308, math.inf
SIZES = (0.0, 5e-324, TINY, 1e-160, 1e-8, 0.7, 6.0, 1e8, 1e154, 1e155, 1e200, HUGE, INF)
LEAST = 2.3e-308


def bell(n, rate, factor):
    """The n-th derivative of factor exp(-rate x^2), as a function in mpmath that ends at 0."""

    def value(u):
        if mpmath.isinf(u) or (n == 2 and abs(u) > 1e9) or abs(u) > 1e9:
            return mpmath.mpf(0)
        polynomial = [1, -2 * rate * u, 4 * rate**2 * u * u - 2 * rate][n]
        return factor * polynomial * mpmath.exp(-rate * u * u)

    return value


def tail(u):
    """erfc, without mpmath's where it overflows."""
    return mpmath.mpf(0) if u > 1e9 else mpmath.mpf(2) if u < -1e9 else mpmath.erfc(u)


def of_one_variable():
    slope, half = 2 / mpmath.sqrt(mpmath.pi), mpmath.mpf(1) / 2
    density = 1 / mpmath.sqrt(2 * mpmath.pi)
    return {
        erf(x): [lambda u: 1 - tail(u) if abs(u) > 1 else mpmath.erf(u),
                 bell(0, 1, slope), bell(1, 1, slope)],
        erfc(x): [tail, bell(0, 1, -slope), bell(1, 1, -slope)],
        erf_prime(x): [bell(n, 1, slope) for n in range(3)],
        erf_second(x): [bell(1, 1, slope), bell(2, 1, slope)],
        normal_pdf(x): [bell(n, half, density) for n in range(3)],
        normal_cdf(x): [lambda u: tail(-u / mpmath.sqrt(2)) / 2,
                        bell(0, half, density), bell(1, half, density)],
        tanh(x): [lambda u: mpmath.sign(u) if abs(u) > 1e9 else mpmath.tanh(u)],
    }  # fmt: skip


def require_close(found, known, backend, case):
    """Balls contain what is known; other values agree to 1e-11, or in absolute terms if tiny."""
    if backend == "ball":
        assert found.is_finite(), case
        size = 1e-25 * abs(float(known)) + 1e-300
        assert abs(float(found.mid()) - float(known)) <= float(found.rad()) + 1e-13 * size, case
        return
    found, known = float(found), float(known)
    assert not math.isnan(found), case
    assert found == known or abs(found - known) <= max(1e-11 * abs(known), LEAST), (case, found)


@pytest.mark.parametrize("backend", BACKENDS)
def test_functions_of_one_variable(backend):
    with mpmath.workdps(40):
        cases = of_one_variable()
        outputs = [f.diff(x, n) for f, known in cases.items() for n in range(len(known))]
        kernel = compile_expressions(outputs, [x], [], backend)
        for at in (*SIZES, *(-z for z in SIZES)):
            with np.errstate(all="ignore"):
                values = iter(kernel([at]))
            for f, known in cases.items():
                for n, form in enumerate(known):
                    require_close(next(values), form(mpmath.mpf(at)), backend, (f, n, at))


def known_owens_t(h, a):
    """Owen's T and its first derivatives, with exponents that are exact."""
    h, a = mpmath.mpf(h), mpmath.mpf(a)
    near = mpmath.isinf(h) or abs(h) > 1e9
    root = mpmath.sqrt(2)
    if near or a == 0:
        value = mpmath.mpf(0)
    elif h == 0:
        value = mpmath.atan(a) / (2 * mpmath.pi)
    elif abs(a * h) > 60:
        value = mpmath.sign(a) * mpmath.erfc(abs(h) / root) / 4
    else:
        end = min(mpmath.mpf(1), mpmath.atan(abs(a)))
        form = lambda u: mpmath.exp(-h * h / (2 * mpmath.cos(u) ** 2))  # noqa: E731
        end = mpmath.atan(abs(a))
        value = mpmath.sign(a) * mpmath.quad(form, mpmath.linspace(0, end, 9)) / (2 * mpmath.pi)
    inner = abs(a * h) if not (near and a == 0) else mpmath.mpf(0)
    sign = mpmath.sign(a) * mpmath.sign(h)
    filled = sign if inner > 60 else sign * mpmath.erf(inner / root)
    by_h = 0 if near else -mpmath.exp(-h * h / 2) * filled / (2 * mpmath.sqrt(2 * mpmath.pi))
    dead = near or mpmath.isinf(a) or inner > 1e9
    by_a = 0 if dead else mpmath.exp(-(h * h + inner**2) / 2) / (2 * mpmath.pi * (1 + a * a))
    return value, by_h, by_a


PAIRS = [(h, a) for h, a in itertools.product(
         (0.0, TINY, 0.7, 6.0, 1e155, HUGE, INF), repeat=2) if (h, a) != (0.0, INF)]  # fmt: skip


@more
@pytest.mark.parametrize("backend", BACKENDS)
def test_owens_t(backend):
    """And its slopes, but where h is 0 and a infinite, where it has a kink."""
    f = OwensT(x, y)
    kernel = compile_expressions([f, f.diff(x), f.diff(y)], [x, y], [], backend)
    # To 50 digits, exponents of 1e310 take seconds.
    pairs = PAIRS if THOROUGH or backend != "mpmath" else [p for p in PAIRS if p[0] < 1e9]
    with mpmath.workdps(40):
        for h, a in [*pairs, (-0.7, INF), (0.7, -INF), (-INF, -INF), (1e-200, 1e200), (0.7, -1e8)]:
            with np.errstate(all="ignore"):
                values = kernel([h, a])
            for n, known in enumerate(known_owens_t(h, a)):
                require_close(values[n], known, backend, (n, h, a))


def known_moments(t, s):
    """Second moment and variance of erf(t + s G), and its slopes, in the terms of zeta's claim."""
    t, s = mpmath.mpf(t), mpmath.mpf(s)
    if mpmath.isinf(t) or mpmath.isinf(s):
        variance = 0 if mpmath.isinf(t) else 1
        return mpmath.mpf(1), mpmath.mpf(variance), 0, 0
    wide, narrow = mpmath.sqrt(1 + 2 * s * s), mpmath.sqrt(1 + 4 * s * s)
    a = t / wide
    if a > 100:
        return mpmath.mpf(1), mpmath.mpf(0), 0, 0
    low, width = 1 / narrow, 4 * s * s / (narrow * (1 + narrow))

    def form(u):
        square = 1 + (low + width * u) ** 2
        return mpmath.exp(-a * a * square) / square

    end = min(mpmath.mpf(1), 200 / (a * a * width)) if a and width else mpmath.mpf(1)
    variance = 4 / mpmath.pi * width * mpmath.quadgl(form, mpmath.linspace(0, end, 33))
    slope, inner = 2 / mpmath.sqrt(mpmath.pi), a / narrow
    bells = [slope * mpmath.exp(-u * u) for u in (a, inner)]
    by_t = 2 / wide * mpmath.erf(inner) * bells[0]
    curvature = bells[1] * bells[0] / narrow - 2 * a * mpmath.erf(inner) * bells[0]
    return variance + mpmath.erf(a) ** 2, variance, by_t, 2 * s / wide**2 * curvature


MOMENTS = [(t, s) for t, s in itertools.product((0.0, TINY, 1e-8, 0.7, 6.0, 1e8, 1e155, HUGE, INF),
           (0.0, TINY, 1e-8, 0.7, 3e8, 1e12, 2e155, 1e300, 1e308, HUGE, INF))]  # fmt: skip


@pytest.mark.parametrize("backend", BACKENDS)
def test_second_moments_of_erf(backend):
    s = Symbol("s", real=True)
    f = symbolic_zeta(x, s)
    kernel = compile_expressions([f, ErfVariance(x, s), f.diff(x), f.diff(s)], [x, s], [], backend)
    with mpmath.workdps(40):
        for t, spread in MOMENTS:
            with np.errstate(all="ignore"):
                values = kernel([t, spread])
            known = known_moments(t, spread)
            # Of both infinite, the variance has no limit; slopes are not tried from s = 1e150 on.
            for n in range(4 if t < INF or spread < 1e150 else 2 if spread < INF else 1):
                require_close(values[n], known[n], backend, (n, t, spread))


def test_second_moments_in_numpy_and_for_numbers():
    with np.errstate(all="raise", under="ignore"), mpmath.workdps(40):
        for t, s in MOMENTS:
            moment, variance, *_ = known_moments(t, s)
            for sign in (1, -1):
                require_close(zeta(sign * t, sign * s), moment, "numpy", (t, s))
                require_close(_numba_owens.gaussian_zeta(sign * t, s), moment, "numpy", (t, s))
                require_close(erf_variance(sign * t, s), variance, "numpy", (t, s))
        assert np.isnan(zeta(np.nan, INF))


@more
@pytest.mark.parametrize("backend", BACKENDS)
def test_pairs_of_erf(backend):
    """Covariances vanish far out, and a probability is then that of one event."""
    a, b, r = symbols("a b r", real=True)
    outputs = [ErfCovariance(a, b, r), bivariate_normal_cdf(a, b, r), DifferenceFromErf(a, b)]
    kernel = compile_expressions(outputs, [a, b, r], [], backend)
    sizes = (60.0, 1e155, HUGE, INF) if THOROUGH or backend != "mpmath" else (1e155, INF)
    with mpmath.workdps(40):
        for far, near, r_ in itertools.product(sizes, (0.0, 0.7, INF), (0.3, -0.8)):
            for sign in (1, -1):
                with np.errstate(all="ignore"):
                    pairs = [kernel([sign * far, near, r_]), kernel([near, sign * far, r_])]
                other = mpmath.ncdf(near) if near < INF else mpmath.mpf(1)
                for k, found in enumerate(pairs):
                    require_close(found[0], 0, backend, (k, far, near, r_))
                    known = other if sign > 0 else 0
                    require_close(found[1], known, backend, (k, far, near, r_))
                if near < INF:
                    require_close(pairs[1][2], near - sign, backend, (far, near))


def test_values_of_any_size_in_sympy_and_mpmath():
    n = 10**155
    for pair in ((n, 1), (1, n), (n**3, n**3)):
        assert float(symbolic_zeta(*pair).evalf()) == 1
    assert OwensT(oo, oo) == OwensT(oo, 0) == OwensT(0, 0) == 0
    assert [f(x).limit(x, end) for f in (erf_prime, erf_second) for end in (oo, -oo)] == [0] * 4
    with mpmath.workdps(60):
        # log(-log) of the tail, whose own logarithm has 310 digits.
        for f, rate in ((precise.erfc, 1), (lambda u: precise.normal_cdf(-u), 0.5)):
            exponent = -mpmath.log(f(n)) / mpmath.mpf(n) ** 2
            assert abs(exponent - rate) < 1e-25
        for h in (1e155, HUGE):
            assert 0 < precise.owens_t(h, 2) < 1e-300
            assert precise.owens_t(h, mpmath.inf) > 0
        near, far = (
            precise.erfc(mpmath.mpf(2) ** 30 * (1 + k * mpmath.mpf(10) ** -20)) for k in (-1, 1)
        )
        assert (
            abs(mpmath.log(near / far) / (mpmath.mpf(2) ** 62 * mpmath.mpf(10) ** -20) - 1) < 1e-15
        )
        assert precise.erfc(-(2**40)) == 2


@more
def test_slopes_by_jax():
    """The slope of zeta in s, which falls like 1/s^2."""
    jax = pytest.importorskip("jax")
    s = Symbol("s", positive=True)
    kernel = compile_expressions([symbolic_zeta(x, s)], [x, s], [], "jax")
    slopes = jax.grad(lambda state: kernel(state)[0])
    with mpmath.workdps(60):
        for t, spread in itertools.product((0.3, 2.0), (1e-4, 0.7, 1e4, 1e8, 1e12, 1e50, 1e100)):
            found = slopes(np.array([t, spread]))
            for k, known in enumerate(known_moments(t, spread)[2:]):
                require_close(found[k], known, "jax", (k, t, spread))


def test_parameters_whose_powers_overflow_are_named():
    x, big = Symbol("x", real=True), Symbol("big", positive=True)
    made = compile_expressions([x * sqrt(1 + big**4)], [x], [big], "numpy")
    assert made(np.array([1.0]), 10.0) == pytest.approx(10001**0.5)
    with pytest.raises(ValueError, match=r"powers overflow; got big = 1e\+300"):
        made(np.array([1.0]), 1e300)


@more
@pytest.mark.parametrize("backend", BACKENDS if THOROUGH else ["numpy", "mpmath", "ball"])
def test_the_largest_of_what_is_no_number(backend):
    z = Symbol("z", real=True)
    outputs = [Max(x, 0), Max(x, y), Min(0, x), Min(y, x, z), Max(y, z, x)]
    function = compile_expressions(outputs, [x, y, z], (), backend)
    for point in ((math.nan, 1.0, 2.0), (math.nan, -1.0, 0.0)):
        assert all(map(math.isnan, map(float, function(list(point)))))
    assert [float(v) for v in function([-2.0, 1.0, 3.0])] == [0, 1, -2, -2, 3]


def test_balls_of_the_logarithm_of_a_tail_far_out():
    tail = log(normal_cdf(x))
    function = compile_expressions([tail, tail.diff(x)], [x], (), "ball")
    for z in (-6e4, -65535.0, -65537.0, -1e8, -1e155, -1.7e308):
        value, slope = function([z])
        u = mpmath.mpf(z)
        # By the first three terms of the asymptotic series.
        right = -u * u / 2 - mpmath.log(-u * mpmath.sqrt(2 * mpmath.pi)) - 1 / u**2
        middle = mpmath.mpf(value.str(40, radius=False))
        assert abs(middle - right) <= 1e-12 * abs(right)
        assert float(value.rel_accuracy_bits()) > 50
        assert slope.overlaps(arb(-z) - 1 / arb(z))
        assert float(slope.rel_accuracy_bits()) > 50
    assert not any(found.is_nan() for found in function([-math.inf]))
