"""Online SGD on sequences of tokens: equations of the limit against descent on samples in R^d."""

import numpy as np
import pytest
from scipy.special import erf
from sympy import Rational, Symbol, sin, tanh
from sympy import erf as symbolic_erf

from slrsym.models import Direction, NotClosedError, Predictor, Token, TokenSequence, model
from tests._profile import thorough_only

TIME, RATE, NOISE, OTHERS = 2, 0.3, 0.2, 2
LAM, MEAN = 0.6, 1.5


def heads(count, activation, *, sphere=True, spike=0, committee=False):
    """Single-location regression with a mean of fixed length; returns the model and directions."""
    k_star, v_star = Direction("k^*", unit=True), Direction("v^*", unit=True)
    k = [Direction(f"k_{h}", sphere=sphere) for h in range(count)]
    v = [] if committee else [Direction(f"v_{h}", sphere=sphere) for h in range(count)]
    lam = Rational(3, 5)

    def share(X):
        scores = [activation(lam * (X @ x)) for x in k]
        return (
            sum(scores) if committee else sum(s * (X @ y) for s, y in zip(scores, v, strict=True))
        )

    one = Token(
        mean=Rational(3, 2) * k_star,
        cov={1: Rational(1, 2), v_star: spike} if spike else Rational(1, 2),
        target=lambda X: X @ v_star,
        name="informative",
    )
    data = TokenSequence(
        {one: 1, Token(name="other"): OTHERS}, noise=Symbol("epsilon", nonnegative=True)
    )
    return model(data, Predictor(share), inner_products={k_star @ v_star: 0}), k, v, k_star, v_star


def sampled(start, count, d, runs, rng, values, slope, *, sphere, spike):
    """Inner products of (k, v, k*, v*) along descent on single samples: (runs, times, p, p).

    `values` and `slope` give the activation and its derivative of `count` heads; without rows of v
    these are units of a committee.
    """
    committee = len(start) == count + 2
    rows = np.zeros((len(start), d))
    rows[:, : start.shape[1]] = start
    W = np.repeat(rows[None, :-2], runs, axis=0)
    k_star, v_star = rows[-2:]
    found = []
    for step in range(TIME * d + 1):
        if step % (d // 4) == 0:
            whole = np.concatenate([W, np.broadcast_to(rows[-2:], (runs, 2, d))], axis=1)
            found.append(whole @ whole.transpose(0, 2, 1))
        X = rng.standard_normal((runs, 1 + OTHERS, d))
        X[:, 0] *= np.sqrt(0.5)
        stretch = np.sqrt((0.5 + spike) / 0.5) - 1
        X[:, 0] += stretch * (X[:, 0] @ v_star)[:, None] * v_star + MEAN * k_star
        scores = LAM * (X @ W[:, :count].transpose(0, 2, 1))
        attention = values(scores)
        other = np.ones_like(scores) if committee else X @ W[:, count:].transpose(0, 2, 1)
        error = X[:, 0] @ v_star - (attention * other).sum(axis=(1, 2))
        error += NOISE * rng.standard_normal(runs)
        weights = LAM * slope(scores) * other
        if not committee:
            weights = np.concatenate([weights, attention], axis=2)
        gradient = -2 * error[:, None, None] * (weights.transpose(0, 2, 1) @ X)
        if sphere:
            gradient -= np.sum(gradient * W, axis=2, keepdims=True) * W
        W = W - RATE / d * gradient
        if sphere:
            W /= np.linalg.norm(W, axis=2, keepdims=True)
    return np.stack(found, axis=1)


def normal_slope(u):
    return 2 / np.sqrt(np.pi) * np.exp(-(u**2))


CASES = {
    "single-location regression": ((1, symbolic_erf), {}, (erf, normal_slope)),
    "two units with means and a spike": (
        (2, symbolic_erf),
        {"committee": True, "sphere": False, "spike": Rational(1, 2)},
        (erf, normal_slope),
    ),
    "two heads with means and a spike": (
        (2, sin),
        {"spike": Rational(1, 2)},
        (np.sin, np.cos),
    ),
}


def gaps(name, sizes, seed=5):
    """Root mean squares, over runs and times, of the largest gap of an inner product."""
    (count, activation), options, (values, slope) = CASES[name]
    stated, k, v, k_star, v_star = heads(count, activation, **options)
    rng = np.random.default_rng(seed)
    trained = [*k, *v]
    start = np.zeros((len(trained) + 2, 8))
    start[-2:, :2] = np.eye(2)
    start[:-2] = rng.normal(size=(len(trained), 8))
    start[:-2, 0] += np.arange(1, len(trained) + 1)
    start[:-2] /= np.linalg.norm(start[:-2], axis=1)[:, None]
    named = dict(zip((*trained, k_star, v_star), start, strict=True))
    # To compile machine code for so many patterns takes longer than to solve the equations.
    runs = stated.equations("online-sgd", rate=RATE).solve(
        {"epsilon": NOISE}, named, TIME, points=4 * TIME + 1, backend="numpy"
    )
    order = [stated.directions.index(x) for x in named]
    exact = runs.gram.values[:, order][:, :, order]
    found = []
    for d, repeats in sizes:
        drawn = sampled(
            start, count, d, repeats, rng, values, slope,
            sphere=options.get("sphere", True), spike=float(options.get("spike", 0)),
        )  # fmt: skip
        found.append(np.sqrt(((drawn - exact) ** 2).mean(axis=(0, 1)).max()))
    return np.array(found)


# Sampled runs follow the equations of one token in test_online, and those of committees here.
@thorough_only
@pytest.mark.parametrize("name", CASES)
def test_runs_follow_the_equations(name):
    """Of eight runs the mean gap is about 1 / sqrt(d); a wrong term would leave more."""
    (gap,) = gaps(name, [(400, 8)])
    assert gap < 1.8 / np.sqrt(400)


@thorough_only
@pytest.mark.parametrize("name", CASES)
def test_the_gap_falls_like_the_root_of_d(name):
    sizes = [(100, 32), (200, 32), (400, 16), (800, 8), (1600, 8)]
    found = gaps(name, sizes)
    slope = np.polyfit(np.log([d for d, _ in sizes]), np.log(found), 1)[0]
    assert -0.65 < slope < -0.35


def test_a_mean_of_too_many_projections_is_named():
    """The square of the error of three units of tanh has functions of three projections."""
    stated, *_ = heads(3, tanh, committee=True, sphere=False)
    with pytest.raises(NotClosedError, match="an integral of 3 dimensions"):
        stated.equations("online-sgd")
