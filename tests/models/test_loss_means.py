"""Means of losses with units inside, at random laws and edges, against integrals of this file."""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
from scipy.special import erf as erf_of
from scipy.special import erfinv, ndtr
from sympy import Max, Rational, Symbol, erf, sign, sqrt

from slrsym.models import Direction, Noise, Predictor, Token, TokenSequence, model
from tests._profile import NIGHTLY, THOROUGH, more, nightly, thorough, thorough_cases

pytestmark = more

# How many laws are drawn for each case.
MANY = 50 if NIGHTLY else 4 if THOROUGH else 1
Q, R, tau = Symbol("Q", positive=True), Symbol("R", real=True), Symbol("tau", nonnegative=True)
mu = Symbol("mu", positive=True)
w, u = Direction("w"), Direction("u", unit=True)
xi = Noise("xi")
NAMES = {w @ w: Q, w @ u: R}


class Loss(NamedTuple):
    """A loss of label and output, its slope in the output, and outputs where it has kinks."""

    value: Callable
    slope: Callable
    kinks: Callable


LOSSES = {
    "logistic": Loss(
        lambda v, f: np.logaddexp(0, -v * f), lambda v, f: -v / (1 + np.exp(v * f)), lambda v: ()
    ),
    "hinge": Loss(
        lambda v, f: np.maximum(0, 1 - v * f), lambda v, f: -v * (v * f < 1), lambda v: (v,)
    ),
    "squared hinge": Loss(
        lambda v, f: np.maximum(0, 1 - v * f) ** 2,
        lambda v, f: -2 * v * np.maximum(0, 1 - v * f), lambda v: (v,),
    ),
    "exponential": Loss(
        lambda v, f: np.exp(-v * f), lambda v, f: -v * np.exp(-v * f), lambda v: ()
    ),
    "absolute": Loss(
        lambda y, f: abs(y - f), lambda y, f: -np.sign(y - f), lambda y: (y,)
    ),
    "huber": Loss(
        lambda y, f: np.where(abs(y - f) < 1, (y - f) ** 2 / 2, abs(y - f) - 0.5),
        lambda y, f: -np.clip(y - f, -1, 1), lambda y: (y - 1, y, y + 1),
    ),
}  # fmt: skip


class Unit(NamedTuple):
    """A unit as an expression, as a function with its slope, and where it takes a value."""

    share: Callable
    value: Callable
    slope: Callable
    places: Callable


UNITS = {
    "linear": Unit(lambda z: z, lambda z: z, np.ones_like, lambda f: (f,)),
    "relu": Unit(
        lambda z: Max(0, z), lambda z: np.maximum(0, z), lambda z: 1.0 * (z > 0),
        lambda f: (0, f) if f > 0 else (0,),
    ),
    "erf": Unit(
        lambda z: 2 * erf(z), lambda z: 2 * erf_of(z),
        lambda z: 4 / math.sqrt(math.pi) * np.exp(-z * z),
        lambda f: (erfinv(f / 2),) if abs(f) < 2 else (),
    ),
}  # fmt: skip


def bell(z, scale=1.0):
    """Return the density of a normal variable; scipy.stats takes fifty times as long."""
    return np.exp(-z * z / (2 * scale * scale)) / (math.sqrt(2 * math.pi) * scale)


NODES, WEIGHTS = np.polynomial.legendre.leggauss(32)


def integrals(parts, places, centre, spread, reach=14):
    """Return integrals of smooth functions between places, by rules on pieces of one spread."""
    low, high = centre - reach * spread, centre + reach * spread
    every = np.linspace(low, high, 2 * reach + 1)
    ends = np.unique([*every, *(x for x in places if low < x < high)])
    halves = np.diff(ends)[:, None] / 2
    at = (ends[:-1, None] + halves + halves * NODES).ravel()
    weights = (halves * WEIGHTS).ravel()
    return np.array([np.sum(weights * part) for part in parts(at)])


def of_sign(loss, unit, noisy=True):
    def target(X):
        return sign(X @ u + sqrt(tau) * (X @ xi)) if noisy else sign(X @ u)

    share = Predictor(lambda X: UNITS[unit].share(X @ w))
    return model(TokenSequence({Token(target=target): 1}), share, loss=loss, names=NAMES)


def integrals_of_sign(loss, unit, q, r, t):
    """Return E D, E[D_w W], E[D_w U] and E[D_w^2] for a label sign(U + sqrt(t) noise)."""
    value, slope, kinks = LOSSES[loss]
    unit = UNITS[unit]
    rest = max(0.0, 1 - r * r / q)
    spread = math.sqrt(rest + t)
    found = np.zeros(4)
    for v in (1, -1):
        # A label with little noise is a step of this width.
        width = spread * q / max(abs(r), 1e-300)
        beside = [k * width for k in range(-12, 13, 2)]
        places = [x for f in kinks(v) for x in unit.places(f)] + [0, *unit.places(0), *beside]

        def parts(z, v=v):
            middle = r * z / q
            if spread > 0:
                chance = ndtr(v * middle / spread)
                beyond = rest / spread * bell(middle / spread) * v
            else:
                chance, beyond = 1.0 * (v * middle > 0), 0.0
            f = unit.value(z)
            d = slope(v, f) * unit.slope(z)
            weight = bell(z, math.sqrt(q))
            return (
                weight * value(v, f) * chance, weight * d * z * chance,
                weight * d * (middle * chance + beyond), weight * d * d * chance,
            )  # fmt: skip

        found += integrals(parts, places, 0, math.sqrt(q))
    return found


def laws(count, seed=0):
    """Return lengths and overlaps, of which the last are aligned, opposite and at right angles."""
    rng = np.random.default_rng(seed)
    found = []
    for q, c in zip(rng.uniform(0.1, 2, count), rng.uniform(-1, 1, count), strict=True):
        found.append((q, math.sqrt(q) * c))
    (q, _), *_ = found
    root = math.sqrt(q)
    return [*found, (q, root), (q, -root), (q, 0.0), (q, root * (1 - 1e-5))]


CASES = [
    ("squared hinge", "linear"), ("logistic", "relu"), ("hinge", "relu"),
    thorough("hinge", "linear"), thorough("logistic", "linear"), thorough("exponential", "linear"),
    thorough("squared hinge", "relu"), thorough("exponential", "relu"),
    thorough("logistic", "erf"), thorough("hinge", "erf"), thorough("squared hinge", "erf"),
    thorough("absolute", "linear"), thorough("absolute", "relu"), thorough("absolute", "erf"),
    thorough("huber", "linear"), thorough("huber", "relu"), thorough("huber", "erf"),
]  # fmt: skip


def assert_means(of, reference, parameters, bar, count):
    risk = of.compile("numpy", "risk", "gradient")
    flow = of.equations("gradient-flow", rate=1).compile("numpy")
    online = of.equations("online-sgd", rate=1).compile("numpy")
    for q, r in laws(count):
        for at in parameters:
            mean, along_w, along_u, second = reference(q, r, *at)
            value, in_q, in_r = risk([q, r], *at)
            assert value == pytest.approx(mean, abs=bar), (q, r, at)
            found = [2 * q * in_q + r * in_r, 2 * r * in_q + in_r]
            if np.isfinite(found).all():
                assert found == pytest.approx([along_w, along_u], abs=bar), (q, r, at)
            moved = flow([q, r], *at)
            assert moved == pytest.approx([-2 * along_w, -along_u], abs=2 * bar), (q, r, at)
            noise = online([q, r], *at) - moved
            assert noise == pytest.approx([second, 0], abs=bar), (q, r, at)


@thorough_cases("squared hinge-linear", "hinge-relu")
@pytest.mark.parametrize(("loss", "unit"), CASES)
def test_means_of_a_sign_label(loss, unit):
    bar = 1e-10 if unit == "linear" and loss != "logistic" else 1e-8

    def reference(q, r, t):
        return integrals_of_sign(loss, unit, q, r, t)

    # Without noise, Huber's loss has a kink where the label jumps: nan where the two are aligned.
    noises = [(0.25,), (0,)] if THOROUGH and loss != "huber" else [(0.25,)]
    assert_means(
        of_sign(loss, unit), reference, noises, bar, 50 if NIGHTLY else 12 if THOROUGH else 1
    )


@pytest.mark.parametrize(
    ("loss", "unit"),
    [("logistic", "relu"), thorough("hinge", "relu"), thorough("squared hinge", "linear"),
     thorough("logistic", "erf"), thorough("exponential", "linear")],
)  # fmt: skip
def test_means_of_a_mixture_of_two_classes(loss, unit):
    plus = Token(mean=mu * u, target=lambda X: 1, name="plus")
    minus = Token(mean=-mu * u, target=lambda X: -1, name="minus")
    data = TokenSequence([({plus: 1}, Rational(1, 2)), ({minus: 1}, Rational(1, 2))])
    share = Predictor(lambda X: UNITS[unit].share(X @ w))
    of = model(data, share, loss=loss, names=NAMES)
    value, slope, kinks = LOSSES[loss]
    g = UNITS[unit]

    def reference(q, r, m):
        found = np.zeros(4)
        for v in (1, -1):
            centre, root = v * m * r, math.sqrt(q)
            places = [x for f in kinks(v) for x in g.places(f)] + [*g.places(0)]

            def parts(z, v=v, centre=centre, root=root):
                d = slope(v, g.value(z)) * g.slope(z)
                along_u = v * m + r / q * (z - centre)
                weight = bell(z - centre, root) / 2
                return [weight * x for x in (value(v, g.value(z)), d * z, d * along_u, d * d)]

            found += integrals(parts, places, centre, root)
        return found

    bar = 1e-10 if unit == "linear" else 1e-8
    assert_means(of, reference, [(1.2,)], bar, MANY)


@pytest.mark.parametrize("loss", [thorough("huber"), "absolute"])
def test_means_of_a_noisy_regression(loss):
    token = Token(target=lambda X: X @ u + sqrt(tau) * (X @ xi))
    of = model(TokenSequence({token: 1}), Predictor(lambda X: X @ w), loss=loss, names=NAMES)
    value, slope, kinks = LOSSES[loss]

    def reference(q, r, t):
        # The error E = Y - W, and W, U given it.
        spread = math.sqrt(1 + t + q - 2 * r)
        with_w, with_u = (r - q) / spread**2, (1 - r) / spread**2

        def parts(e):
            d = slope(e, 0.0)
            weight = bell(e, spread)
            return [weight * x for x in (value(e, 0.0), d * with_w * e, d * with_u * e, d * d)]

        return integrals(parts, kinks(0), 0, spread)

    assert_means(of, reference, [(0.25,)], 1e-10, 2 * MANY)


@thorough_cases("hinge-relu")
@pytest.mark.parametrize(
    ("loss", "unit"), [("logistic", "linear"), thorough("logistic", "relu"), ("hinge", "relu")]
)
def test_slopes_of_equations_against_differences(loss, unit):
    online = of_sign(loss, unit).equations("online-sgd", rate=1)
    change, slopes = online.compile("numpy"), online.compile("numpy", "jacobian")
    for q, r in ((0.7, 0.3), (1.0, 1 - 1e-4), (0.9, 0.0)):
        h = 1e-5
        steps = [np.array([h, 0.0]), np.array([0.0, h])]
        at = np.array([q, r])
        right = [(change(at + s, 0.25) - change(at - s, 0.25)) / (2 * h) for s in steps]
        found = np.reshape(slopes(at, 0.25), (2, 2))
        assert found == pytest.approx(np.transpose(right), abs=1e-7)


@pytest.mark.parametrize(
    "backend", ["numpy", nightly("mpmath"), thorough("numba"), thorough("jax")]
)
def test_limits_where_student_and_teacher_align(backend):
    if backend == "jax":
        pytest.importorskip("jax").config.update("jax_enable_x64", True)
    online = of_sign("logistic", "linear", noisy=False).equations("online-sgd", rate=1)
    change = online.compile(backend)
    for q, side in ((0.7, 1), (1, -1)):
        r = side * math.sqrt(q)
        _, along_w, along_u, second = integrals_of_sign("logistic", "linear", q, r, 0)
        right = [second - 2 * along_w, -along_u]
        for near in (1, 1 - 1e-12) if backend == "numpy" else (1,):
            found = [float(x) for x in change([q, near * r])]
            assert found == pytest.approx(right, abs=1e-8)
    if backend == "numpy":
        slopes = online.compile(backend, "jacobian")
        at, beside = np.reshape(slopes([1, 1]), (2, 2)), np.reshape(slopes([1, 1 - 1e-9]), (2, 2))
        assert at == pytest.approx(beside, abs=1e-7)


@pytest.mark.parametrize("loss", ["logistic", "hinge", thorough("squared hinge")])
@pytest.mark.parametrize("backend", ["numpy", thorough("mpmath")])
def test_a_start_at_zero(loss, backend):
    of = of_sign(loss, "linear")
    # D_w = D'(0) y for a label y, of which E y U = sqrt(2 / (pi (1 + tau))).
    slope = LOSSES[loss].slope(1, 0.0)
    risk = of.compile(backend, "risk")([0, 0], 0.25)
    assert float(risk[0]) == pytest.approx(LOSSES[loss].value(1, 0.0), abs=1e-12)
    change = of.equations("online-sgd", rate=1).compile(backend)([0, 0], 0.25)
    right = [slope**2, -slope * math.sqrt(2 / math.pi / 1.25)]
    assert [float(x) for x in change] == pytest.approx(right, abs=1e-12)


@pytest.mark.parametrize(
    ("loss", "unit"),
    [("hinge", "relu"), thorough("squared hinge", "relu"), thorough("squared hinge", "linear")],
)
def test_kinks_where_student_and_teacher_align(loss, unit):
    of = of_sign(loss, unit, noisy=False)
    risk = of.compile("numpy", "risk")
    change = of.equations("online-sgd", rate=1).compile("numpy")
    for q, side in ((0.7, 1), (0.7, -1), (1, 1), (1, -1)):
        r = side * math.sqrt(q)
        mean, along_w, along_u, second = integrals_of_sign(loss, unit, q, r, 0)
        assert risk([q, r]) == pytest.approx([mean], abs=1e-10)
        assert change([q, r]) == pytest.approx([second - 2 * along_w, -along_u], abs=1e-10)


@pytest.mark.parametrize(
    ("loss", "unit", "backend"),
    [("squared hinge", "linear", "numpy"), ("absolute", "linear", "numpy"),
     thorough("exponential", "relu", "numpy"), thorough("huber", "linear", "numpy"),
     thorough("absolute", "erf", "numpy"), thorough("absolute", "linear", "mpmath")],
)  # fmt: skip
def test_noise_of_a_label_vanishes_where_rounding_leads_beyond_alignment(loss, unit, backend):
    change = of_sign(loss, unit).equations("online-sgd", rate=1).compile(backend)
    for r in (math.sqrt(0.7), -math.sqrt(0.7)):
        assert r * r > 0.7
        _, along_w, along_u, second = integrals_of_sign(loss, unit, 0.7, r, 0)
        found = [float(x) for x in change([0.7, r], 0)]
        assert found == pytest.approx([second - 2 * along_w, -along_u], abs=1e-10)


def of_means(loss):
    """Return a linear predictor of two classes with opposite means, of length mu."""
    plus = Token(mean=mu * u, target=lambda X: 1, name="plus")
    minus = Token(mean=-mu * u, target=lambda X: -1, name="minus")
    data = TokenSequence([({plus: 1}, Rational(1, 2)), ({minus: 1}, Rational(1, 2))])
    return model(data, Predictor(lambda X: X @ w), loss=loss, names=NAMES)


# At w = 0: risk, slope in Q, slope in R over mu. What depends on the direction in which w goes to 0
# has the value of one orthogonal to the means.
AT_ZERO = {
    "hinge": (1, 0, -1),
    "squared hinge": (1, 1, -2),
    "exponential": (1, 0.5, -1),
    "logistic": (math.log(2), 0.125, -0.5),
    "perceptron": (0, math.inf, -0.5),
    "zero-one": (0.5, 0, -math.inf),
}


@pytest.mark.parametrize("loss", AT_ZERO)
@pytest.mark.parametrize("backend", ["numpy", thorough("numba"), thorough("jax")])
def test_classes_with_means_at_zero(loss, backend):
    if backend == "jax":
        pytest.importorskip("jax").config.update("jax_enable_x64", True)
    found = of_means(loss).compile(backend, "risk", "gradient")([0.0, 0.0], 1.3)
    risk, in_q, in_r = AT_ZERO[loss]
    assert [float(x) for x in found] == pytest.approx([risk, in_q, 1.3 * in_r], abs=1e-9)


@pytest.mark.parametrize(("q", "r"), [(1, 1), (4, -2), thorough(0.7, math.sqrt(0.7))])
def test_slopes_of_huber_with_a_curved_unit_at_alignment(q, r):
    """The slope in Q has an arc sine of a quotient that is 0/0 there."""
    gradient = of_sign("huber", "erf", noisy=False).compile("numpy", "gradient")
    at, near = gradient([q, r]), gradient([q * (1 + 1e-10), r])
    assert at == pytest.approx(near, abs=1e-4)
    # Along w: the mean of D' erf'(Y) Y.
    _, along_w, along_u, _ = integrals_of_sign("huber", "erf", q, r, 0)
    assert [2 * q * at[0] + r * at[1], 2 * r * at[0] + at[1]] == pytest.approx(
        [along_w, along_u], abs=1e-9
    )
