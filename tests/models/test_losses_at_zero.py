"""Losses of a unit at and near w = 0, against Taylor's theorem and integrals by mpmath."""

import math

import mpmath
import numpy as np
import pytest
from sympy import Max, Rational, Symbol, erf, sign, sqrt

from slrsym.models import Direction, Noise, Predictor, Token, TokenSequence, model
from tests._profile import THOROUGH, more, nightly, thorough

pytestmark = more

Q, R = Symbol("Q", positive=True), Symbol("R", real=True)
tau, mu = Symbol("tau", nonnegative=True), Symbol("mu", positive=True)
w, u, xi = Direction("w"), Direction("u", unit=True), Noise("xi")
NAMES = {w @ w: Q, w @ u: R}
# Value, slope and bend of a loss at the output 0, of the label 1; of the label -1 the slope is
# the opposite.
AT_ZERO = {
    "logistic": (math.log(2), -0.5, 0.25),
    "hinge": (1, -1, 0),
    "squared hinge": (1, -2, 2),
    "absolute": (1, -1, 0),
    "exponential": (1, -1, 1),
}
# A unit, its slope at 0 from above, and the share of the line where it is not 0.
UNITS = {
    "relu": (lambda z: Max(0, z), 1, 0.5),
    "erf": (lambda z: 2 * erf(z), 4 / math.sqrt(math.pi), 1),
}


def stated(loss, unit, label):
    """Return a model, the value of its parameter, and the mean of the label times X @ u."""
    predictor = Predictor(lambda X: UNITS[unit][0](X @ w))
    if label == "sign":
        one = Token(target=lambda X: sign(X @ u + sqrt(tau) * (X @ xi)))
        data, at, along = TokenSequence({one: 1}), 0.25, math.sqrt(2 / math.pi / 1.25)
    else:
        plus = Token(mean=mu * u, target=lambda X: 1, name="plus")
        minus = Token(mean=-mu * u, target=lambda X: -1, name="minus")
        data = TokenSequence([({plus: 1}, Rational(1, 2)), ({minus: 1}, Rational(1, 2))])
        at, along = 1.2, 1.2
    return model(data, predictor, loss=loss, names=NAMES), at, along


CASES = [
    ("logistic", "relu", "sign"), ("hinge", "relu", "mixture"),
    thorough("hinge", "relu", "sign"), thorough("squared hinge", "relu", "sign"),
    thorough("absolute", "relu", "sign"), thorough("exponential", "relu", "sign"),
    thorough("hinge", "erf", "sign"), thorough("squared hinge", "erf", "sign"),
    thorough("logistic", "relu", "mixture"), thorough("absolute", "relu", "mixture"),
    thorough("exponential", "relu", "mixture"), thorough("hinge", "erf", "mixture"),
    thorough("absolute", "erf", "mixture"), thorough("logistic", "erf", "mixture"),
]  # fmt: skip


def assert_values_at_zero(loss, unit, label, backend):
    of, at, along = stated(loss, unit, label)
    value, slope, bend = AT_ZERO[loss]
    _, steep, share = UNITS[unit]
    in_r = share * slope * steep * along
    found = of.compile(backend, "risk", "gradient")([0.0, 0.0], at)
    right = [value, share * bend * steep**2 / 2, in_r]
    assert [float(x) for x in found] == pytest.approx(right, abs=1e-9)
    change = of.equations("online-sgd", rate=1).compile(backend)([0.0, 0.0], at)
    right = [share * (slope * steep) ** 2, -in_r]
    assert [float(x) for x in change] == pytest.approx(right, abs=1e-9)


@pytest.mark.parametrize(("loss", "unit", "label"), CASES)
def test_a_unit_at_zero(loss, unit, label):
    assert_values_at_zero(loss, unit, label, "numpy")


@pytest.mark.parametrize("backend", [thorough("numba"), "mpmath", thorough("jax")])
@pytest.mark.parametrize(
    ("loss", "label"),
    [("hinge", "mixture"), thorough("hinge", "sign"), nightly("logistic", "sign")],
)
def test_a_unit_at_zero_by_other_backends(loss, label, backend):
    if backend == "jax":
        pytest.importorskip("jax").config.update("jax_enable_x64", True)
    assert_values_at_zero(loss, "relu", label, backend)


def test_classes_whose_slopes_do_not_cancel():
    """Of classes that are not as frequent as one another, the risk has a kink at w = 0."""
    plus = Token(mean=mu * u, target=lambda X: 1, name="plus")
    minus = Token(mean=-mu * u, target=lambda X: -1, name="minus")
    data = TokenSequence([({plus: 1}, Rational(1, 4)), ({minus: 1}, Rational(3, 4))])
    of = model(data, Predictor(lambda X: Max(0, X @ w)), loss="hinge", names=NAMES)
    in_q, in_r = of.compile("numpy", "gradient")([0, 0], 1.2)
    assert in_q == math.inf
    assert in_r == pytest.approx(-0.6)


def test_the_hessian_of_a_relu_unit_at_and_near_zero():
    """The slope of the slope in the variance is a quarter of the fourth derivative's mean."""
    of, at, along = stated("logistic", "relu", "mixture")
    hessian = of.compile("numpy", "hessian")
    for q, r in ((0, 0), (1e-16, 0), (1e-12, 3e-7)):
        right = [-1 / 64, 0, along**2 / 8]
        assert hessian([q, r], at) == pytest.approx(right, abs=1e-6), (q, r)


def square_of_tokens():
    return TokenSequence({Token(target=lambda X: X @ u): 1, Token(name="other"): 2})


def square_of_classes():
    classes = [({Token(mean=way * u, target=lambda X, v=way: v): 1}, Rational(1, 2))
               for way in (1, -1)]  # fmt: skip
    return TokenSequence(classes)


# Data, and the slope of the risk in Q and in R and its second slope in R, at every w.
SQUARES = [
    (lambda: TokenSequence({Token(target=lambda X: X @ u): 1}), 1 / 2, -1, 0),
    (square_of_tokens, 3 / 2 + 3 / math.pi, -1, 0),
    (square_of_classes, 1 / 2, -1, 1),
]


@pytest.mark.parametrize(("data", "in_q", "in_r", "bend"), SQUARES)
def test_the_squared_error_of_a_relu_unit_at_and_near_zero(data, in_q, in_r, bend):
    """The slopes of the squared mean and of the variance are infinite at w = 0, and cancel."""
    of = model(data(), Predictor(lambda X: Max(0, X @ w)), names=NAMES)
    slopes = of.compile("numpy", "gradient", "hessian")
    for q, r in ((0, 0), (1e-20, 0), (1e-20, 6e-11), (1e-8, -1e-4)):
        right = [in_q, in_r + bend * r, 0, 0, bend]
        assert slopes([q, r]) == pytest.approx(right, rel=1e-12, abs=1e-12), (q, r)


def gradient_by_integrals(loss, q, r, noise):
    """Return the slopes in Q and R for a ReLU unit and a noisy sign, by rules of many digits."""
    slopes = {
        "logistic": lambda v, f: -v / (1 + mpmath.exp(v * f)),
        "hinge": lambda v, f: -v * (v * f < 1),
        "squared hinge": lambda v, f: -2 * v * max(0, 1 - v * f),
    }
    q, r = mpmath.mpf(q), mpmath.mpf(r)
    spread = mpmath.sqrt(1 - r * r / q + noise)
    ends = [0, 2, 5, 12, *([1 / mpmath.sqrt(q)] if 1 / q < 144 else [])]

    def part(along):
        def integrand(x):
            z = mpmath.sqrt(q) * x
            total = 0
            for v in (1, -1):
                at = r * z / q / spread
                beyond = v * (1 - r * r / q) / spread * mpmath.npdf(at)
                chance = mpmath.ncdf(v * at)
                weight = z * chance if along == "w" else r * z / q * chance + beyond
                total += slopes[loss](v, z) * weight
            return total * mpmath.npdf(x)

        return mpmath.quad(integrand, sorted(ends), method="gauss-legendre", maxdegree=4)

    along_w, along_u = part("w"), part("u")
    in_q = (along_w - r * along_u) / (2 * (q - r * r))
    return float(in_q), float(along_u - 2 * r * in_q)


@pytest.mark.parametrize("loss", ["logistic", thorough("hinge"), thorough("squared hinge")])
def test_a_relu_unit_near_zero(loss):
    of, at, _ = stated(loss, "relu", "sign")
    gradient = of.compile("numpy", "gradient")
    rng = np.random.default_rng(5)
    with mpmath.workdps(30):
        for _ in range(8 if THOROUGH else 2):
            q = 10 ** rng.uniform(-14, 0)
            r = math.sqrt(q) * rng.uniform(-0.99, 0.99)
            right = gradient_by_integrals(loss, q, r, at)
            assert gradient([q, r], at) == pytest.approx(right, abs=1e-7), (q, r)
