"""Means over a part of the line in one variable: far out, on short intervals, next to no variance.

Right values are integrals of the definition, by mpmath, scaled to what is left of the law.
"""

import itertools
import math

import mpmath
import numpy as np
import pytest
from sympy import And, Max, Piecewise, Symbol, exp, symbols

from slrsym.gaussian import GaussianLaw, expectation
from slrsym.kernels import compile_expressions
from slrsym.kernels.edge_functions import ExponentialExcess, HalfLineMoment, IntervalMoment
from slrsym.kernels.limits import with_limits
from tests._profile import THOROUGH, more, thorough_cases
from tests.kernels._cases import needs_jax
from tests.kernels.test_edges_and_tails import QUICK, assert_value, ball_holds, compiled

x = Symbol("x", real=True)
h, k, m = symbols("h k m", real=True)
s, v = symbols("s v", positive=True)
STANDARD = GaussianLaw({x: 0}, [[1]])
ONE = GaussianLaw({x: m}, [[s**2]])
POWERS = (2, 3, 4) if THOROUGH else (2, 3)


def part_of_normal_law(f, low, high):
    """The integral of f times the standard normal density, with pieces of its own width."""
    low, high = mpmath.mpf(low), mpmath.mpf(high)
    if high <= low:
        return mpmath.mpf(0)
    near = min(max(mpmath.mpf(0), low), high)
    scale = 1 / (1 + abs(near))
    steps = (near + way * scale * z for way in (1, -1) for z in (0, 0.3, 1, 3, 8, 20, 60, 150))
    reach = near + 150 * scale, near - 150 * scale
    low, high = max(low, reach[1]), min(high, reach[0])
    ends = sorted({low, high, *(z for z in steps if low < z < high)})
    # The quadrature counts errors in absolute terms.
    size = mpmath.exp(-(near**2) / 2) / mpmath.sqrt(2 * mpmath.pi)
    inside = (max(low, near - scale) + min(high, near + scale)) / 2
    unit = abs(f(inside)) or mpmath.mpf(1)
    inner = mpmath.quad(lambda z: f(z) / unit * mpmath.exp((near - z) * (near + z) / 2), ends)
    return size * unit * inner


def interval(f, law=STANDARD):
    return expectation(Piecewise((f, And(x > h, x < k)), (0, True)), law)


def part_between(low, high):
    return expectation(Piecewise((x**2, And(x > low, x < high)), (0, True)), ONE)


@pytest.mark.parametrize("backend", QUICK)
@pytest.mark.parametrize("power", POWERS)
def test_powers_above_a_threshold_far_out(power, backend):
    found = compiled(expectation(Max(x - h, 0) ** power, STANDARD), [h], backend)
    with mpmath.workdps(40):
        for z in (0.0, 0.5, 3.3, 9.0, 20.0, 30.0, 36.9):
            right = part_of_normal_law(lambda t, z=z: (t - mpmath.mpf(z)) ** power, z, math.inf)
            assert_value(backend, found(z), right)
        assert_value(backend, found(-50.0), sum(
            mpmath.binomial(power, 2 * n) * 50 ** (power - 2 * n) * mpmath.fac2(2 * n - 1)
            for n in range(power // 2 + 1)
        ))  # fmt: skip


ENDS = [(20.0, 21.0), (20.0, 20.000001), (-21.0, -20.0), (9.0, 30.0), (-30.0, -9.0), (-1.0, 1.5),
        (1e-9, 2e-9), (-1e-3, 2e-3), (0.0, 37.0), (3.0, 2.0), (1.0, 1.0), (-1e5, 1e5)]  # fmt: skip


@pytest.mark.parametrize("backend", QUICK)
@pytest.mark.parametrize("power", [1, 2] if not THOROUGH else [1, 2, 3, 4])
def test_powers_on_an_interval(power, backend):
    found = compiled(interval(x**power), [h, k], backend)
    with mpmath.workdps(40):
        for low, high in ENDS:
            right = part_of_normal_law(lambda t: t**power, low, high)
            if power % 2 == 0 or low * high > 0:
                assert_value(backend, found(low, high), right)


@more
@pytest.mark.parametrize("backend", QUICK)
def test_a_distance_from_an_end_on_an_interval(backend):
    """Of (x - h)^2 on (h, k) only the part next to k is large, and small near h."""
    found = compiled(interval((x - h) ** 2, ONE), [m, s, h, k], backend)
    with mpmath.workdps(40):
        for mean, width, low, high in (
            (0.0, 1.0, 20.0, 20.5), (3.0, 2.0, -50.0, -49.0), (0.0, 1.0, 1.0, 1.0001),
            (1.0, 0.1, -7.0, 0.5), (0.0, 1.0, -2.0, 3.0),
        ):  # fmt: skip
            p, q = ((mpmath.mpf(z) - mean) / mpmath.mpf(width) for z in (low, high))
            right = mpmath.mpf(width) ** 2 * part_of_normal_law(lambda t, p=p: (t - p) ** 2, p, q)
            assert_value(backend, found(mean, width, low, high), right)
        assert_value(backend, found(0.25, 0.0, -1.0, 1.0), mpmath.mpf(25) / 16)
        assert_value(backend, found(2.0, 0.0, -1.0, 1.0), mpmath.mpf(0))


@thorough_cases("mpmath", "ball")
@pytest.mark.parametrize("backend", QUICK)
def test_an_exponential_above_a_threshold(backend):
    call = compiled(expectation(Max(exp(x) - 1, 0), ONE), [m, s], backend)
    put = compiled(expectation(Max(1 - exp(x), 0), ONE), [m, s], backend)
    with mpmath.workdps(40):
        for mean, width in (
            (0.0, 1e-8), (0.0, 1e-3), (1e-300, 1e-8), (-1e-8, 1e-8), (-0.1, 0.01), (0.0, 1e-300),
            (0.3, 1e-8), (1e-10, 1e-12), (-0.3, 0.9), (0.5, 1.1), (-20.0, 1.0), (2.0, 0.3),
        ):  # fmt: skip
            if backend == "jax" and width < 1e-290:
                # XLA takes parts of such numbers, which are not normal, for 0.
                continue
            u, w = mpmath.mpf(mean), mpmath.mpf(width)
            value = lambda z, u=u, w=w: mpmath.expm1(u + w * z)  # noqa: E731
            assert_value(backend, call(mean, width), part_of_normal_law(value, -u / w, math.inf))
            right = -part_of_normal_law(value, -math.inf, -u / w)
            if abs(right) > 1e-300 or backend not in ("numpy", "numba", "jax"):
                assert_value(backend, put(mean, width), right)
        for mean in (0.0, 1.0, -1.0):
            assert_value(backend, call(mean, 0.0), max(mpmath.expm1(mean), mpmath.mpf(0)))
            assert_value(backend, put(mean, 0.0), max(-mpmath.expm1(mean), mpmath.mpf(0)))


def test_forms_that_are_found():
    wanted = {
        Max(exp(x) - 3, 0): ExponentialExcess, Max(exp(h) - exp(x), 0): ExponentialExcess,
        Max(1 - x, 0) ** 3 + 2 * Max(1 - x, 0): HalfLineMoment,
        Piecewise((x**2, And(x > 1, x < 2)), (0, True)): IntervalMoment,
    }  # fmt: skip
    for law in (ONE, GaussianLaw({x: m}, [[v]])):
        for integrand, function in wanted.items():
            assert with_limits(expectation(integrand, law)).has(function)


def test_sums_that_are_no_means_are_left():
    new = (HalfLineMoment, IntervalMoment, ExponentialExcess)
    closed = expectation(Max(x - h, 0) ** 2, STANDARD)
    for other in (closed + exp(-(h**2) / 2), 2 * closed.args[0] + closed.args[1]):
        assert not with_limits(other).has(*new)


@more
@needs_jax
def test_jax_differentiates_means_over_parts():
    import jax
    import jax.numpy as jnp

    cases = [
        (expectation(Max(x, 0) ** 3, ONE), [m, s], (-0.7, 1.3)),
        (expectation(Max(exp(x) - 1, 0), ONE), [m, s], (0.1, 0.4)),
        (expectation(Max(1 - exp(x), 0), ONE), [m, s], (0.1, 1.4)),
        (part_between(3, 3.5), [m, s], (0.3, 0.8)),
        (part_between(-5, 2), [m, s], (0.3, 0.8)),
    ]
    for closed, names, point in cases if THOROUGH else cases[1:4:2]:
        value = compile_expressions([closed], names, (), "jax")
        right = compile_expressions([closed.diff(z) for z in names], names, (), "mpmath")(point)
        found = jax.grad(lambda z, value=value: value(z)[0])(jnp.array(point))
        assert np.allclose(found, np.array(right, dtype=float), rtol=1e-9, atol=1e-30)


def test_balls_of_balls_hold_all_values():
    from flint import arb

    rng = np.random.default_rng(3)
    cases = [
        (interval(x**2), [h, k]), (expectation(Max(exp(x) - 1, 0), ONE), [m, s]),
        (expectation(Max(1 - exp(x), 0), ONE), [m, s]),
        (expectation(Max(x, 0) ** 3, ONE), [m, s]),
    ]  # fmt: skip
    for (closed, names), _ in itertools.product(cases, range(3)):
        low = rng.uniform(-2, 2), rng.uniform(0.5, 3)
        radius = 10 ** rng.uniform(-6, -1)
        balls = compile_expressions([closed], names, (), "ball")
        whole = balls([arb(z, radius) for z in low])[0]
        for shift in itertools.product((-radius, 0.3 * radius, radius), repeat=2):
            at = balls([arb(a + b) for a, b in zip(low, shift, strict=True)])[0]
            assert whole.contains(at.mid()) or ball_holds(whole, at.mid())
