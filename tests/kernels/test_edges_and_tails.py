"""Closed forms at the edges of their parameters and far out, compiled on every backend.

Right values come from mpmath: elementary limits, or integrals over what is left of the law.
"""

import math
from functools import cache

import mpmath
import numpy as np
import pytest
from sympy import (
    Abs,
    And,
    Heaviside,
    Max,
    Min,
    Piecewise,
    Rational,
    S,
    Symbol,
    asin,
    erf,
    exp,
    log,
    sign,
    sqrt,
    symbols,
)

from slrsym.gaussian import GaussianLaw, OwensT, bivariate_normal_cdf, expectation, normal_cdf
from slrsym.kernels import compile_expressions
from tests._profile import THOROUGH, more, thorough
from tests.kernels._cases import BACKENDS, needs_jax

# A program takes Numba and JAX seconds to compile.
QUICK = BACKENDS if THOROUGH else ["numpy", "mpmath", "ball"]

x, y = symbols("x y", real=True)
h, k, m, n, r = symbols("h k m n r", real=True)
s, t = symbols("s t", positive=True)
ONE = GaussianLaw({x: m}, [[s**2]])
STANDARD = GaussianLaw({x: 0}, [[1]])
PAIR = GaussianLaw({x: 0, y: 0}, [[1, r], [r, 1]])
SHIFTED = GaussianLaw({x: m, y: n}, [[1, r], [r, 1]])


def ball_holds(ball, right):
    """Whether a ball is finite and holds a number, but for what the number's own digits lack."""
    return ball.is_finite() and abs(float(ball.mid()) - float(right)) <= float(
        ball.rad()
    ) + 1e-13 * abs(float(right))


def assert_value(backend, found, right, tolerance=1e-11):
    if backend == "ball":
        assert ball_holds(found, right), (str(found), right)
    else:
        with mpmath.workdps(40):
            number = found if isinstance(found, mpmath.mpf) else mpmath.mpf(float(found))
            error = abs(number - right)
            assert error <= tolerance * (abs(right) or mpmath.mpf(1e-3)), (found, right)


def compiled(expr, state, backend):
    function = compile_expressions([expr], state, (), backend)

    def evaluate(*point):
        # What is infinite on the way is left out.
        with np.errstate(all="ignore"):
            return function([float(z) for z in point])[0]

    return evaluate


def phi(z):
    return mpmath.ncdf(z)


def quad(f, *kinks):
    """The mean of f under the standard normal law, with its kinks among the ends of pieces."""
    ends = sorted({*map(mpmath.mpf, range(-14, 15)), *map(mpmath.mpf, kinks)})
    return mpmath.quad(lambda t: f(t) * mpmath.npdf(t), ends)


BEYOND = (1.0 + 2.3e-16, -1.0 - 2.3e-16)
EDGES = [1.0, -1.0, *BEYOND]
MEANS = [(0, 0), (0, 1), (1, 0), (1, 1), (1, -1), (-0.5, 2), (2, 0.3), (-3, -3)]

# Integrand, law, function of the first variable, and of the second.
PRODUCTS = {
    "signs": (sign(x), sign(y), mpmath.sign),
    "steps": (Heaviside(x), Heaviside(y), lambda t: (1 + mpmath.sign(t)) / 2),
    "ramps": (Max(x, 0), Max(y, 0), lambda t: max(t, 0)),
    "sizes": (Abs(x), Abs(y), abs),
    "squares": (Max(x, 0) ** 2, Max(y, 0) ** 2, lambda t: max(t, 0) ** 2),
}


@cache
def product(name, shifted):
    first, second, _ = PRODUCTS[name]
    return expectation(first * second, SHIFTED if shifted else PAIR)


@more
@pytest.mark.parametrize("backend", QUICK)
@pytest.mark.parametrize("name", PRODUCTS if THOROUGH else ["signs", "ramps"])
def test_products_at_a_correlation_of_one(name, backend):
    centred = compiled(product(name, False), [r], backend)
    for edge in EDGES:
        # Beyond 1 a ball is of a number that is not quite the limit.
        if backend != "ball" or abs(edge) == 1:
            assert_value(backend, centred(edge), limit(name, 0, 0, edge))
    if name != "squares":
        shifted = compiled(product(name, True), [m, n, r], backend)
        for a, b in MEANS if THOROUGH else MEANS[::3]:
            for edge in EDGES if backend != "ball" else EDGES[:2]:
                assert_value(backend, shifted(a, b, edge), limit(name, a, b, edge))


@cache
def limit(name, a, b, edge):
    """The mean at a correlation of 1 or -1, where one variable is left."""
    f, way = PRODUCTS[name][2], mpmath.sign(edge)
    return quad(lambda t: f(a + t) * f(b + way * t), -a, -way * b)


SINGLE = [
    (sign(x), lambda a: mpmath.sign(a)),
    (Heaviside(x), lambda a: (1 + mpmath.sign(a)) / 2),
    (Abs(x), abs),
    (Max(x, 0), lambda a: max(a, 0)),
    (Max(x, 0) ** 2, lambda a: max(a, 0) ** 2),
    (Min(x, 0), lambda a: min(a, 0)),
    (Max(1 - x, 0), lambda a: max(1 - a, 0)),
    (Min(Max(1 - x, 0), 2), lambda a: min(max(1 - a, 0), 2)),
    (-Abs(x - 1), lambda a: -abs(a - 1)),
    (erf(x) * sign(x), lambda a: abs(mpmath.erf(a))),
]


@more
@pytest.mark.parametrize("backend", QUICK)
@pytest.mark.parametrize(("integrand", "right"), SINGLE, ids=lambda z: str(z)[:20])
def test_a_variance_of_zero(integrand, right, backend):
    function = compiled(expectation(integrand, ONE), [m, s], backend)
    for a in (0.0, 1.0, -1.0, 0.3, -20.0):
        assert_value(backend, function(a, 0.0), mpmath.mpf(right(a)))


TAILS = [0.5, 3.3, 9.0, 10.0, 12.1, 20.0, 27.9, 30.0, 36.9, 37.0]


def upper_tail(z):
    with mpmath.workdps(60):
        return mpmath.erfc(mpmath.mpf(z) / mpmath.sqrt(2)) / 2


def mean_excess(z):
    with mpmath.workdps(60):
        z = mpmath.mpf(z)
        return mpmath.npdf(z) - z * upper_tail(z)


@pytest.mark.parametrize("backend", BACKENDS)
def test_tails_in_one_variable(backend):
    probability = compiled(expectation(Heaviside(x - h), STANDARD), [h], backend)
    excess = compiled(expectation(Max(x - h, 0), STANDARD), [h], backend)
    inside = Piecewise((1, And(x > 10, x < 10 + Rational(1, 10**6))), (0, True))
    interval = compiled(expectation(inside, GaussianLaw({x: m}, [[1]])), [m], backend)
    for z in TAILS:
        assert_value(backend, probability(z), upper_tail(z))
        if z <= 30:
            assert_value(backend, excess(z), mean_excess(z))
            assert_value(backend, excess(-z), mean_excess(-z))
    for shift in (0.0, 1.0, -3.0, 20.0):
        with mpmath.workdps(80):
            low = 10 - mpmath.mpf(shift)
            right = upper_tail(low) - upper_tail(low + mpmath.mpf(10) ** -6)
        assert_value(backend, interval(shift), right)


@more
@pytest.mark.parametrize("backend", QUICK)
def test_logarithm_of_a_tail(backend):
    expr = log(expectation(Heaviside(x - h), STANDARD))
    value, slope = compiled(expr, [h], backend), compiled(expr.diff(h), [h], backend)
    for z in (-3.0, 0.0, 2.0, 9.9, 10.1, 37.0, 100.0, 1e4):
        assert_value(backend, value(z), mpmath.log(upper_tail(z)))
        assert_value(backend, slope(z), -mpmath.npdf(z) / upper_tail(z))


# Bounds and a correlation.
FAR = [(-9, -9, -0.9), (-9, -9, 0.9), (-27, -28, 0.99), (-15, -2, -0.5), (-20, 3, 0.3)]
FAR += [(2, -9, -0.99), (-6, 6.5, -0.999), (-1, -1.0001, 0.9999999), (0.3, -0.2, -0.5)]


def bivariate(a, b, c):
    """By Owen's T, to as many digits as cancel."""
    exact = [Rational(*float(z).as_integer_ratio()) for z in (a, b, c)]
    return mpmath.mpf(bivariate_normal_cdf(*exact).rewrite(OwensT).evalf(25, maxn=1500))


@more
@pytest.mark.parametrize("backend", QUICK)
def test_bivariate_tails(backend):
    found = compiled(expectation(Heaviside(h - x) * Heaviside(k - y), PAIR), [h, k, r], backend)
    rng = np.random.default_rng(5)
    others = zip(*rng.uniform(-14, 4, (2, 40)), 1 - 10 ** rng.uniform(-9, 0.3, 40), strict=True)
    for point in [*FAR, *(others if THOROUGH else ())]:
        right = bivariate(*point)
        if right > 1e-280 or backend in ("mpmath", "ball"):
            assert_value(backend, found(*point), right, 1e-8)
    for a in (-2.0, 0.0, 1.0):
        for b in (-1.0, 0.0, 1.0, 2.0):
            assert_value(backend, found(a, b, 1.0), phi(min(a, b)))
            assert_value(backend, found(a, b, -1.0), max(phi(a) - phi(-b), mpmath.mpf(0)))
    if backend != "ball":
        assert math.isnan(float(found(1.0, 1.0, 1.01)))


@more
@pytest.mark.parametrize("backend", QUICK)
def test_signs_of_which_one_is_shifted(backend):
    """Of sign(X) sign(Y - k), whose root of 1 - r^2 may be -0.0, and of a quadrant."""
    signs = compiled(expectation(sign(x) * sign(y - k), PAIR), [k, r], backend)
    quadrant = compiled(expectation(Heaviside(h - x) * Heaviside(k - y), PAIR), [h, k, r], backend)
    both = 1 - 2 * (phi(1) - phi(0))
    for edge in (1.0, -1.0):
        assert_value(backend, signs(1.0, edge), edge * both)
    assert_value(backend, quadrant(1.0, 2.0, 1.0), phi(1))
    assert_value(backend, quadrant(1.0, 2.0, -1.0), phi(1) + phi(2) - 1)


@more
@pytest.mark.parametrize("backend", QUICK)
def test_derivatives_at_a_correlation_of_one(backend):
    ramps = compiled(product("ramps", False).diff(r), [r], backend)
    for edge, right in ((1.0, 0.5), (-1.0, 0.0)):
        assert_value(backend, ramps(edge), mpmath.mpf(right))
    signs = expectation(sign(x) * sign(y - k), PAIR)
    assert_value(backend, compiled(signs.diff(r), [k, r], backend)(1.0, 1.0), mpmath.mpf(0))
    both = bivariate_normal_cdf(h, k, r)
    for argument, right in ((h, mpmath.npdf(1)), (k, 0), (r, 0)):
        slope = compiled(both.diff(argument), [h, k, r], backend)
        assert_value(backend, slope(1.0, 2.0, 1.0), mpmath.mpf(right))


@more
@pytest.mark.parametrize("c", [1.0, 1 - 1e-9, 0.5])
@pytest.mark.parametrize("backend", QUICK)
def test_the_slope_of_a_ramp_in_a_variance(c, backend):
    """The slope of E max(0, 1 - X) max(0, Y) in Y's variance is the density of Y = 0 times 1/2.

    It has powers of 1 - c^2 below, which cancel: E max(0, 1 - X) given Y = 0 is left.
    """
    a, b, both = Symbol("a", positive=True), Symbol("b", positive=True), Symbol("c", real=True)
    mean = expectation(Max(0, 1 - x) * Max(0, y), GaussianLaw({x: 0, y: 0}, [[a, both], [both, b]]))
    left = mpmath.sqrt(1 - mpmath.mpf(c) ** 2)
    given = mpmath.ncdf(1 / left) + left * mpmath.npdf(1 / left) if left else mpmath.mpf(1)
    right = given / (2 * mpmath.sqrt(2 * mpmath.pi))
    with np.errstate(all="ignore"):
        assert_value(backend, compiled(mean.diff(b), [a, b, both], backend)(1.0, 1.0, c), right)


@more
@needs_jax
def test_jax_differentiates_at_the_edges():
    import jax
    import jax.numpy as jnp

    ramps = compile_expressions([product("ramps", False)], [r], (), "jax")
    for edge, right in ((1.0, 0.5), (-1.0, 0.0), (0.5, 1 / 3)):
        found = jax.grad(lambda z: ramps(jnp.array([z]))[0])(edge)
        assert abs(float(found) - right) < 1e-15
    size = compile_expressions([expectation(Abs(x), ONE)], [m, s], (), "jax")
    assert jax.grad(lambda z: size(z)[0])(jnp.array([1.0, 0.0])).tolist() == [1.0, 0.0]
    tail = compile_expressions([expectation(Max(x - h, 0), STANDARD)], [h], (), "jax")
    found = float(jax.grad(lambda z: tail(jnp.array([z]))[0])(9.0))
    assert abs(found + float(upper_tail(9))) < 1e-13 * float(upper_tail(9))


def test_results_keep_their_digits_as_numbers():
    far = expectation(Heaviside(-x), GaussianLaw({x: 116000}, [[3810**2]]))
    with mpmath.workdps(40):
        right = upper_tail(mpmath.mpf(116000) / 3810)
        assert abs(float(far) - right) < 1e-15 * right
    pair = expectation(Heaviside(h - x) * Heaviside(k - y), PAIR)
    assert pair == bivariate_normal_cdf(h, k, r)
    at = {h: -9, k: -9, r: Rational(-9, 10)}
    assert abs(mpmath.mpf(pair.subs(at).evalf(20)) / bivariate(-9, -9, -0.9) - 1) < 1e-11


def test_bivariate_distribution_function_at_its_edges():
    assert bivariate_normal_cdf(h, k, 0) == normal_cdf(h) * normal_cdf(k)
    assert bivariate_normal_cdf(h, S.Infinity, r) == normal_cdf(h)
    assert bivariate_normal_cdf(h, -S.Infinity, r) == 0
    assert bivariate_normal_cdf(1, 2, 1) == normal_cdf(1)
    assert bivariate_normal_cdf(1, -2, -1) == 0
    assert bivariate_normal_cdf(k, h, r) == bivariate_normal_cdf(h, k, r)
    half = bivariate_normal_cdf(h, k, sqrt(1 - r**2))
    assert half.subs(r, 1) == normal_cdf(h) * normal_cdf(k)


# A variable with a gain g and noise of deviation b, of which only the size matters.
g, b = symbols("g b", real=True)
NOISY = GaussianLaw({x: m, y: n}, [[1, g], [g, g**2 + b**2]])
TWO = GaussianLaw({x: m, y: n}, [[s**2, r * s * t], [r * s * t, t**2]])
MIXED = GaussianLaw({x: 0, y: 0}, [[1 + g**2, g + b], [g + b, 1 + b**2]])
VARIANCES = GaussianLaw({x: 0, y: 0}, [[s, g], [g, t]])

# Integrand, law, symbols, a point, and the mean of a function of one standard normal number.
LEFT = [
    (Max(x, 0) * Max(y, 0), NOISY, (m, n, g, b), (1, 2, -0.5, 0),
     lambda z: max(1 + z, 0) * max(2 - z / 2, 0), (-1, 4)),
    (Abs(x) * Abs(y), NOISY, (m, n, g, b), (0, 1, 2, 0), lambda z: abs(z) * abs(1 + 2 * z),
     (0, -0.5)),
    (Heaviside(y) * Max(x, 0), NOISY, (m, n, g, b), (1, 1, 1, 0), lambda z: max(1 + z, 0), (-1,)),
    thorough((Max(0, x, y), NOISY, (m, n, g, b), (1, 1, 2, 0),
              lambda z: max(0, 1 + z, 1 + 2 * z), (-1, -0.5, 0))),
    (Max(0, x) ** 3 * Max(0, y), NOISY, (m, n, g, b), (0, 0, 1, 0), lambda z: max(z, 0) ** 4, (0,)),
    (Max(0, x) * Max(0, y), MIXED, (g, b), (2, 0.5), lambda z: 2.5 * max(z, 0) ** 2, (0,)),
    thorough((Max(0, x, y), TWO, (m, n, s, t, r), (-1, 2, 3, 0.5, 1),
              lambda z: max(0, -1 + 3 * z, 2 + z / 2), (1 / 3, 1.2, -4))),
    (Max(x, y) ** 2, TWO, (m, n, s, t, r), (1, 1, 1, 1, 1), lambda z: (1 + z) ** 2, ()),
    (Max(x, y) ** 2, SHIFTED, (m, n, r), (0, 1, 1), lambda z: (1 + z) ** 2, ()),
    (sign(y - 1) * Max(0, x), VARIANCES, (s, t, g), (0, 1, 0), lambda z: 0 * z, ()),
]  # fmt: skip

# Of y = g x, whose deviation |g| is all that the law divides by, and of tilted laws.
SCALED = GaussianLaw({x: 0, y: 0}, [[1, g], [g, g**2]])
GAIN = NOISY.subs({m: 0, n: 0})
HALF = mpmath.exp(mpmath.mpf(1) / 2)
TILTED = [
    (exp(x) * Max(0, y), SCALED, (g,), (0,), 0),
    (exp(x) * Abs(y), SCALED, (g,), (0,), 0),
    (exp(x) * Max(0, y) ** 2, SCALED, (g,), (0,), 0),
    (exp(x) * Max(0, y - 1), SCALED, (g,), (0,), 0),
    (exp(x) * Max(x, y), SCALED, (g,), (1,), HALF),
    (exp(x) * Max(0, x + y), SCALED, (g,), (-1,), 0),
    (exp(x) * Max(0, x) * Max(0, y), VARIANCES, (s, t, g), (1, 0, 0), 0),
    # Where gain and noise vanish both, so does y.
    (exp(x) * Max(0, x) * Max(0, y), GAIN, (g, b), (0, 0), 0),
    (exp(x) * x * Max(0, y), GAIN, (g, b), (0, 0), 0),
    (exp(-(x**2)) * Max(0, x) * Abs(y), GAIN, (g, b), (0, 0), 0),
    (Max(0, x) * Max(0, y), GAIN, (g, b), (0, 0), 0),
    (exp(-(x**2)) * erf(x) * Max(0, x) * sign(y), VARIANCES, (s, t, g), (1, 1, 1),
     mpmath.quad(lambda z: z * mpmath.exp(-3 * z**2 / 2) * mpmath.erf(z), [0, 4, 12])
     / mpmath.sqrt(2 * mpmath.pi)),
]  # fmt: skip


@pytest.mark.parametrize("backend", QUICK)
@pytest.mark.parametrize("case", TILTED, ids=lambda case: f"{case[0]}, {case[3]}")
def test_tilted_means_where_a_law_is_singular(case, backend):
    integrand, law, names, point, right = case
    found = compiled(closed_form(integrand, law), names, backend)(*point)
    assert_value(backend, found, mpmath.mpf(right))


@more
@pytest.mark.parametrize("backend", QUICK)
@pytest.mark.parametrize("case", LEFT, ids=lambda case: f"{case[0]}, {case[3]}")
def test_what_is_left_where_a_law_is_singular(case, backend):
    """Of laws by gains and noise, of the largest of three, and of squares of the larger."""
    integrand, law, names, point, left, kinks = case
    found = compiled(closed_form(integrand, law), names, backend)(*point)
    assert_value(backend, found, quad(left, *(mpmath.mpf(k) for k in kinks)))


closed_form = cache(expectation)


@pytest.mark.parametrize("backend", QUICK)
def test_a_root_of_a_quotient_without_signs(backend):
    """As in the mean of the largest of three: -D and 1 - r^2 below one root, D below another."""
    square = s**2 - 2 * r * s + 1
    ratio = (m - n) / (sqrt((r - 1) * (r + 1) / -square) * -square)
    function = compiled(sqrt(square) * normal_cdf(ratio), [m, n, s, r], backend)
    for point, right in (((1, 2, 3, 1), 2), ((2, 1, 3, 1), 0), ((1, 1, 3, 1), 1)):
        assert_value(backend, function(*point), mpmath.mpf(right))


@pytest.mark.parametrize("backend", QUICK)
def test_the_slope_of_a_pair_of_ramps_in_a_length(backend):
    """By SymPy's derivative, of which two terms are infinite where both directions are aligned."""
    length = Symbol("q", positive=True)
    pair = r * asin(r / sqrt(length)) + sqrt(length - r**2)
    slope = compiled(pair.diff(length), [length, r], backend)
    for q, c in ((1, 1), (4, -2), (4, 1), (1, 0.3)):
        assert_value(backend, slope(q, c), mpmath.sqrt(q - mpmath.mpf(c) ** 2) / (2 * q))
