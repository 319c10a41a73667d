"""Moments of quadrants near a correlation of -1, far out and without variance, on every backend.

Right values are series or integrals of the definition, by mpmath.
"""

import math
from functools import cache

import mpmath
import pytest
from sympy import Abs, Heaviside, Max, Min, Rational, erf, expand, sign, sqrt, symbols

from slrsym.gaussian import GaussianLaw, expectation, normal_cdf
from slrsym.kernels import compile_expressions
from slrsym.kernels.edge_functions import NormalCovariance, QuadrantMoment
from slrsym.kernels.limits import with_limits
from slrsym.kernels.truncated_moments import CovarianceOfSteps, MomentOfQuadrant
from tests._profile import THOROUGH, more
from tests.kernels._cases import BACKENDS, needs_jax
from tests.kernels.table_of_integrals import _FACTORS, mean_of_two
from tests.kernels.test_edges_and_tails import QUICK, assert_value, compiled

x, y = symbols("x y", real=True)
m, n, r = symbols("m n r", real=True)
s, t = symbols("s t", positive=True)
PAIR = GaussianLaw({x: m, y: n}, [[s**2, r * s * t], [r * s * t, t**2]])
CENTRED = GaussianLaw({x: 0, y: 0}, [[1, r], [r, 1]])
ONE = GaussianLaw({x: m}, [[s**2]])

PRODUCTS = [
    ("ramp", "ramp"), ("ramp", "step"), ("square", "step"), ("square", "ramp"), ("size", "step"),
    ("size", "size"), ("size", "square"), ("sign", "ramp"),
]  # fmt: skip
NEAR = (-0.999999, -1 + 1e-9, -1 + 1e-12, -0.9999999999999999)
PLACES = ((0.0, 0.0), (1.0, -1.0), (0.3, -0.2), (-0.5, 0.5), (2.0, -2.5))


# Both are the same for all backends.
@cache
def moment(first, second):
    return expectation(_FACTORS[first].integrand(x) * _FACTORS[second].integrand(y), PAIR)


@cache
def value_of_moment(first, second, *where):
    a, b, c = where
    with mpmath.workdps(30):
        return mean_of_two(_FACTORS[first], _FACTORS[second], a, b, 1.0, 1.0, c)[0]


@more
@pytest.mark.parametrize("backend", QUICK)
@pytest.mark.parametrize(("first", "second"), PRODUCTS if THOROUGH else PRODUCTS[1:3])
def test_moments_near_a_correlation_of_minus_one(first, second, backend):
    found = compiled(moment(first, second), [m, n, s, t, r], backend)
    for a, b in PLACES if THOROUGH else PLACES[:3]:
        for c in NEAR if THOROUGH else NEAR[::3]:
            right = value_of_moment(first, second, a, b, c)
            if abs(right) > 1e-290:
                assert_value(backend, found(a, b, 1.0, 1.0, c), right)


b, v = symbols("b v", positive=True)
# Means and deviations in other parameters than those of the law.
SCALED = {
    "means": (GaussianLaw({x: m / s, y: n * b}, [[1, r], [r, 1]]), lambda *z: (1.0, 1.0)),
    "means and deviations": (
        GaussianLaw({x: m / s, y: n * b}, [[t**2, r * t * v], [r * t * v, v**2]]),
        lambda s, b, t, v: (t, v),
    ),
    "both": (
        GaussianLaw({x: m / s, y: n * b}, [[1 / s**2, r * b / s], [r * b / s, b**2]]),
        lambda s, b, t, v: (1 / s, b),
    ),
    "roots": (
        GaussianLaw({x: m / s, y: n * b}, [[t, r * sqrt(t * v)], [r * sqrt(t * v), v]]),
        lambda s, b, t, v: (math.sqrt(t), math.sqrt(v)),
    ),
    "numbers": (GaussianLaw({x: m / s, y: n * b}, [[2, 3 * r], [3 * r, Rational(9, 2)]]),
                lambda *z: (math.sqrt(2), math.sqrt(4.5))),
}  # fmt: skip


@pytest.mark.parametrize("name", SCALED)
@pytest.mark.parametrize(("first", "second"), PRODUCTS if THOROUGH else PRODUCTS[:5:2])
def test_moments_of_scaled_variables(first, second, name):
    law, deviations = SCALED[name]
    f, g = _FACTORS[first], _FACTORS[second]
    closed = expectation(f.integrand(x) * g.integrand(y), law)
    assert with_limits(closed).has(QuadrantMoment, NormalCovariance)
    found = compiled(closed, [m, n, s, b, t, v, r], "numpy")
    if name in ("roots", "numbers") and not THOROUGH:
        return
    for scales in ((0.5, 2.0, 1.0, 0.25), (4.0, 0.25, 2.25, 1.0))[: 2 if THOROUGH else 1]:
        widths = deviations(*scales)
        for c in NEAR[::3]:
            for place in PLACES[:3]:
                ends = (place[0] / scales[0], place[1] * scales[1])
                with mpmath.workdps(30):
                    right, _ = mean_of_two(f, g, *ends, *widths, c)
                if abs(right) > 1e-290:
                    assert_value("numpy", found(*place, *scales, c), right, 2e-11)


@pytest.mark.parametrize("integrand", [Max(x, 0) * Heaviside(y), Max(x, 0) * Max(y, 0)], ids=str)
def test_centred_moments_near_a_correlation_of_minus_one(integrand):
    found = compiled(expectation(integrand, CENTRED), [r], "numpy")
    for c in NEAR:
        with mpmath.workdps(60):
            angle = mpmath.acos(-mpmath.mpf(c))
            ramps = (mpmath.sin(angle) - angle * mpmath.cos(angle)) / (2 * mpmath.pi)
            step = (1 + mpmath.mpf(c)) / mpmath.sqrt(8 * mpmath.pi)
        assert_value("numpy", found(c), ramps if integrand.has(Max(y, 0)) else step)


@more
@pytest.mark.parametrize("backend", BACKENDS if THOROUGH else ["numpy", "mpmath", "ball"])
def test_products_of_signs_keep_their_digits(backend):
    square = compiled(expectation(erf(x) ** 2, ONE), [m, s], backend)
    jump = compiled(expectation(Heaviside(x) * erf(x), ONE), [m, s], backend)
    for width in (1e-3, 1e-8, 1e-100):
        # Up to terms of a relative size of the fourth power, and of the square.
        slope = 2 / mpmath.sqrt(mpmath.pi) * width
        if width < 1e-4:
            assert_value(backend, square(0.0, width), slope**2)
            assert_value(backend, jump(0.0, width), slope / mpmath.sqrt(2 * mpmath.pi))
    steps = compiled(expectation(Heaviside(x) * normal_cdf(2 * x), ONE), [m, s], backend)
    cube = compiled(expectation(normal_cdf(x) ** 2, ONE), [m, s], backend)
    for far in (1e155, 1e200):
        assert_value(backend, steps(far, far), mpmath.ncdf(1))
        assert_value(backend, cube(far, far), mpmath.ncdf(1))


@more
@pytest.mark.parametrize("backend", QUICK)
def test_a_clipped_variable_far_out(backend):
    clip = compiled(expectation(Min(Max(x, -1), 1), ONE), [m, s], backend)
    for place, width, right in (
        (mpmath.inf, 1.0, 1), (-mpmath.inf, 1.0, -1), (1e17, 1.0, 1), (-1e17, 3.0, -1),
        (0.25, 0.0, 0.25), (3.0, 0.0, 1), (0.0, 1.0, 0),
    ):  # fmt: skip
        assert_value(backend, clip(place, width), mpmath.mpf(right))
    assert_value(backend, clip(1e155, 1e155), mpmath.erf(1 / mpmath.sqrt(2)))
    assert_value(backend, clip(1e-9, 1.0), 1e-9 * mpmath.erf(1 / mpmath.sqrt(2)), 1e-8)


def test_sums_become_functions():
    sizes = with_limits(expectation(Abs(x) * Abs(y), PAIR))
    assert len(sizes.args) == 4
    assert not with_limits(expectation(Max(x, 0) * Max(y, 0), PAIR)).is_Add
    for form in (sign(x) * sign(y), erf(x) * sign(y), erf(x) * erf(y)):
        assert not with_limits(expectation(form, PAIR)).has(CovarianceOfSteps, MomentOfQuadrant)


@needs_jax
@more
def test_jax_differentiates_moments():
    import jax
    import jax.numpy as jnp

    from slrsym.kernels import compile_expressions

    form = expectation(Max(x, 0) ** 2 * Heaviside(y), PAIR)
    inputs, place = [m, n, s, t, r], [0.4, -0.3, 1.2, 0.8, -0.6]
    slopes = compile_expressions([form.diff(z) for z in inputs], inputs, (), "mpmath")(place)
    found = jax.grad(lambda z: compile_expressions([form], inputs, (), "jax")(z)[0])(
        jnp.array(place)
    )
    for ours, right in zip(found, slopes, strict=True):
        assert_value("jax", ours, right)


@pytest.mark.parametrize("factor", [10**-20, 10**-30, 10**30])
def test_a_factor_scales_a_moment_however_small_it_is(factor):
    place = [0.1, 0.2, 1.0, 1.0, 0.3]
    for integrand in (Max(x, 0) ** 2 * Heaviside(y), Max(x, 0) * Max(y, 0)):
        form = expectation(integrand, PAIR)
        scaled = expand(Rational(str(factor)) * form)
        whole, part = (
            compile_expressions([e], [m, n, s, t, r], (), "numpy")(place)[0] for e in (form, scaled)
        )
        assert part == pytest.approx(factor * whole, rel=1e-12, abs=0)
