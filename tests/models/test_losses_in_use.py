"""Models with losses other than the square where they are used: simulated, searched, sampled."""

import math

import numpy as np
import pytest
from sympy import Max, Rational, Symbol, sign, sqrt

from slrsym.models import Direction, Noise, Predictor, Token, TokenSequence, model
from tests._profile import more, nightly_only, one_in

pytestmark = more

Q, R, tau = Symbol("Q", positive=True), Symbol("R", real=True), Symbol("tau", positive=True)
mu = Symbol("mu", positive=True)
w, u, xi = Direction("w"), Direction("u", unit=True), Noise("xi")
NAMES = {w @ w: Q, w @ u: R}

# The derivative of a loss of label and output in the output.
SLOPES = {
    "logistic": lambda y, f: -y / (1 + np.exp(y * f)),
    "hinge": lambda y, f: -y * (y * f < 1),
    "squared hinge": lambda y, f: -2 * y * np.maximum(0, 1 - y * f),
    "exponential": lambda y, f: -y * np.exp(-y * f),
    "absolute": lambda y, f: -np.sign(y - f),
    "huber": lambda y, f: -np.clip(y - f, -1, 1),
}


def of_teacher(loss, relu=False):
    """Return a model of one unit, and a noisy teacher that gives a sign or a number."""
    in_numbers = loss in ("absolute", "huber")

    def target(X):
        y = X @ u + sqrt(tau) * (X @ xi)
        return y if in_numbers else sign(y)

    def share(X):
        return Max(0, X @ w) if relu else X @ w

    return model(TokenSequence({Token(target=target): 1}), Predictor(share), loss=loss, names=NAMES)


def of_classes(loss):
    plus = Token(mean=mu * u, target=lambda X: 1, name="plus")
    minus = Token(mean=-mu * u, target=lambda X: -1, name="minus")
    data = TokenSequence([({plus: 1}, Rational(1, 2)), ({minus: 1}, Rational(1, 2))])
    return model(data, Predictor(lambda X: X @ w), loss=loss, names=NAMES)


def of_relu(loss):
    return of_teacher(loss, relu=True)


SIGNS = ("logistic", "hinge", "squared hinge", "exponential")
CASES = [
    *((loss, of_teacher, {"tau": 0.25}) for loss in SLOPES),
    *((loss, of_classes, {"mu": 1.2}) for loss in SIGNS),
    *((loss, of_relu, {"tau": 0.25}) for loss in SIGNS[:2]),
]


@pytest.mark.parametrize(("loss", "state", "at"), one_in(len(CASES), CASES))
def test_sampled_simulated_and_searched(loss, state, at):
    of = state(loss)
    assert of.check({"d": 6, **at}, rng=0, samples=20_000).is_passed
    runs = of.simulate({"d": 20, **at}, steps=60, alpha=0.2, runs=4, rng=0)
    risk = np.asarray(runs.risk)
    assert np.isfinite(risk).all()
    assert risk.shape == (4, 61)
    found = of.recovery({"d": 20, **at}, [(w, u)], steps=60, alpha=0.2, runs=4, rng=0)
    low, high = found.interval
    assert low <= found.fraction <= high
    # At a minimum the gradient vanishes.
    for point in of.landscape({"d": 6, **at}).points:
        q, r = point.state
        in_q, in_r = of.compile("numpy", "gradient")(point.state, *at.values())
        along = [2 * q * in_q + r * in_r, 2 * r * in_q + in_r]
        assert along == pytest.approx([0, 0], abs=1e-6)


def final_overlaps(loss, d, runs, time, rng):
    """Return Q and R at the end of online SGD in R^d, of shape (2, run)."""
    teacher = np.zeros(d)
    teacher[0] = 1
    weights = np.zeros((runs, d))
    weights[:, 0], weights[:, 1] = 0.1, math.sqrt(0.5 - 0.01)
    for _ in range(round(time * d)):
        X = rng.standard_normal((runs, d))
        y = X @ teacher + 0.5 * rng.standard_normal(runs)
        if loss in SIGNS:
            y = np.sign(y)
        f = np.einsum("rd,rd->r", weights, X)
        weights -= SLOPES[loss](y, f)[:, None] * X * (0.5 / d)
    return np.stack([np.einsum("rd,rd->r", weights, weights), weights @ teacher])


@nightly_only
@pytest.mark.parametrize("loss", SLOPES)
def test_online_descent_in_many_dimensions(loss):
    e = of_teacher(loss).equations("online-sgd", rate=Rational(1, 2))
    right = e.solve({"tau": 0.25}, {w @ w: 0.5, w @ u: 0.1}, 1.5)
    end = np.array([np.ravel(right[p])[-1] for p in "QR"])
    rng = np.random.default_rng(3)
    errors = {}
    for d, runs in ((400, 400), (1600, 100)):
        found = final_overlaps(loss, d, runs, 1.5, rng)
        spread = found.std(axis=1) / math.sqrt(runs)
        errors[d] = (found.mean(axis=1) - end, spread)
        assert (abs(errors[d][0]) <= 3 * spread + 4 / d).all(), (d, errors[d])
    # What is left falls like 1/d.
    (few, spread), (many, less) = errors[400], errors[1600]
    assert (abs(many - few / 4) <= 3 * np.hypot(less, spread / 4)).all()
