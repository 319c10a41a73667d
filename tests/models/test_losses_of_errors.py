"""Losses of the error of a linear predictor: means over one form, also where it does not vary."""

from functools import cache

import numpy as np
import pytest
from scipy.integrate import quad
from sympy import Matrix, Max, Symbol, cosh, expand, log

from slrsym.models import (
    Direction,
    Noise,
    Predictor,
    Token,
    TokenSequence,
    model,
)
from slrsym.models.means.affine_forms import with_forms_as_variables
from slrsym.models.means.moments import generic_gaussian_variables
from tests._profile import thorough

w, u, xi = Direction("w"), Direction("u", unit=True), Noise("xi")
Q, R = Symbol("Q", positive=True), Symbol("R", real=True)
NAMES = {w @ w: Q, w @ u: R}
# The loss of an error, its slope and its curvature.
LOSSES = {
    "huber": (
        "huber",
        lambda e: np.where(abs(e) < 1, e**2 / 2, abs(e) - 0.5),
        lambda e: np.clip(e, -1, 1),
        lambda e: 1.0 * (abs(e) < 1),
    ),
    "log cosh": (
        lambda y, f: log(cosh(y - f)),
        lambda e: np.log(np.cosh(e)),
        np.tanh,
        lambda e: 1 / np.cosh(e) ** 2,
    ),
}


@cache
def regression(loss, noise):
    label = Token(target=lambda X: X @ u + noise * (X @ xi))
    return model(TokenSequence({label: 1}), Predictor(lambda X: X @ w), loss=loss, names=NAMES)


@cache
def compiled(loss, noise):
    m = regression(loss, noise)
    e = m.equations("online-sgd", rate=1)
    return m.compile("numpy", "risk", "gradient"), e.compile("numpy")


def own_mean(function, variance):
    if variance == 0:
        return float(function(0.0))
    s = np.sqrt(variance)
    weighted = lambda z: float(function(s * z)) * np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)  # noqa: E731
    ends = [x for x in (-1 / s, 1 / s) if abs(x) < 12]
    return quad(weighted, -12, 12, points=ends or None, epsabs=1e-14, limit=400)[0]


# Aligned, next to it, opposite, no length, and others.
@pytest.mark.parametrize(
    ("q", "r"), [(1, 1), (1, 1 - 1e-9), (1, 0.9999), (1, -1), (0, 0), (0.49, 0.7), (0.8, 0.3)]
)
@pytest.mark.parametrize("noise", [0, thorough(0.5)])
@pytest.mark.parametrize("name", LOSSES)
def test_risk_and_rates_are_means_over_the_error(name, noise, q, r):
    loss, value, slope, curvature = LOSSES[name]
    means, rates = compiled(loss, noise)
    variance = q - 2 * r + 1 + noise**2
    curved, noisy = own_mean(curvature, variance), own_mean(lambda e: slope(e) ** 2, variance)
    right = [own_mean(value, variance), curved / 2, -curved]
    np.testing.assert_allclose(means([q, r]), right, atol=1e-10)
    right = [2 * (r - q) * curved + noisy, (1 - r) * curved]
    np.testing.assert_allclose(rates([q, r]), right, atol=1e-10)


def test_the_absolute_error_vanishes_with_its_variance():
    m = regression("absolute", 0)
    assert str(m.risk) == "sqrt(2)*sqrt(Q - 2*R + 1)/sqrt(pi)"
    assert m.compile("numpy", "risk")([1, 1]) == 0


def test_a_mean_over_one_form_is_of_one_dimension():
    assert regression(LOSSES["log cosh"][0], 0.5).quadrature.dimension == 1


def test_forms_that_are_as_many_as_their_variables_stay():
    a, b, c = generic_gaussian_variables(3)
    assert with_forms_as_variables(cosh(a - b) * cosh(a + b), 2) is None
    assert with_forms_as_variables(cosh(a) * b, 2) is None
    product = cosh(a - 2 * b + 1) * cosh(3 * c) * cosh(a - 2 * b + c) * b
    core, rows = with_forms_as_variables(product, 3)
    assert rows.shape == (3, 3)
    assert rows.row(2).tolist() == [[0, 1, 0]]
    new = dict(zip((a, b, c), rows * Matrix([a, b, c]), strict=True))
    assert expand(core.xreplace(new) - product) == 0


@pytest.mark.parametrize(("q", "r"), [(1, 0.3), (4, 2), (1, 1), (4, -2), (1, -1), (0, 0)])
def test_the_absolute_error_of_a_unit_with_a_kink(q, r):
    """E|max(0, X) - max(0, Y)| is the root of E(X - Y)^2 / (2 pi), also of aligned X and Y."""
    teacher = Token(target=lambda X: Max(0, X @ u))
    learner = Predictor(lambda X: Max(0, X @ w))
    m = model(TokenSequence({teacher: 1}), learner, loss="absolute", names=NAMES)
    right = np.sqrt((q - 2 * r + 1) / (2 * np.pi))
    assert m.compile("numpy", "risk")([q, r]) == pytest.approx([right], abs=1e-12)
    if q - 2 * r + 1 and q:
        slopes = np.array([1, -2]) / (4 * np.pi * right)
        assert m.compile("numpy", "gradient")([q, r]) == pytest.approx(slopes, abs=1e-12)


@pytest.mark.parametrize(("q", "r"), [(1, 0.3), (4, 2), (4, -2), (1, -1), (1e-6, 0), (0.5, 0.1)])
def test_the_motion_by_the_absolute_error_of_a_unit_with_a_kink(q, r):
    """The slope of the loss depends on the angle of (X, Y) alone, so that its means are sums."""
    teacher = Token(target=lambda X: Max(0, X @ u))
    learner = Predictor(lambda X: Max(0, X @ w))
    m = model(TokenSequence({teacher: 1}), learner, loss="absolute", names=NAMES)
    angle = 2 * np.pi * (np.arange(2**20) + 0.5) / 2**20
    y = np.cos(angle)
    x = r * y + np.sqrt(q - r**2) * np.sin(angle)
    slope = (x > 0) * np.sign(np.maximum(0, x) - np.maximum(0, y))
    radius = np.sqrt(np.pi / 2)
    drift = -radius * np.array([2 * np.mean(slope * x), np.mean(slope * y)])
    right = np.add(drift, [np.mean(slope**2), 0])
    equations = m.equations("online-sgd", rate=1)
    assert equations.rate_of_change_at([q, r]) == pytest.approx(right, abs=1e-5)


def test_the_absolute_error_has_no_motion_at_its_minimum():
    """The limit depends on the direction: the error has both signs there, or one."""
    teacher = Token(target=lambda X: Max(0, X @ u))
    learner = Predictor(lambda X: Max(0, X @ w))
    m = model(TokenSequence({teacher: 1}), learner, loss="absolute", names=NAMES)
    with pytest.raises(ValueError, match="not finite: that of Q is nan at Q = 1, R = 1"):
        m.equations("online-sgd", rate=1).rate_of_change_at([1, 1])
