"""Run own online SGD in R^d on a loss, and compare it with the equations of motion.

Of each dimension it prints how far the means over runs are from the solution, with their standard
errors, and the same times d: these agree if what is left falls like 1/d. With --fluctuations it
prints the variances over runs as well, beside those that the equations predict.

    python benchmarks/online_sgd.py --loss hinge --dimensions 400 1600 --runs 1500 400
    python benchmarks/online_sgd.py --loss square --fluctuations --dimensions 400 --runs 1500
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import erf as erf_of

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from sympy import Max, Rational, erf, sign

from slrsym.models import Direction, Noise, Predictor, Token, TokenSequence, model

Array = NDArray[np.float32]

# The slope of each loss in the output f, of a label y: a sign, or of the losses below a number.
SLOPES: dict[str, Callable[[Array, Array], Array]] = {
    "logistic": lambda y, f: -y / (1 + np.exp(y * f)),
    "hinge": lambda y, f: -y * (y * f < 1),
    "squared hinge": lambda y, f: -2 * y * np.maximum(0, 1 - y * f),
    "perceptron": lambda y, f: -y * (y * f < 0),
    "absolute": lambda y, f: np.sign(f - y),
    "huber": lambda y, f: np.clip(f - y, -1, 1),
    "square": lambda y, f: 2 * (f - y),
}
OF_NUMBERS = ("absolute", "huber", "square")
# Each unit as an expression, and as a function with its slope.
UNITS: dict[
    str, tuple[Callable[[Any], Any], Callable[[Array], Array], Callable[[Array], Array]]
] = {
    "linear": (lambda z: z, lambda z: z, np.ones_like),
    "relu": (lambda z: Max(0, z), lambda z: np.maximum(0, z), lambda z: (z > 0).astype(z.dtype)),
    "erf": (erf, erf_of, lambda z: 2 / math.sqrt(math.pi) * np.exp(-z * z)),
}
# The learning rate, the share of noise in a label, and the start.
u, w, xi = Direction("u", unit=True), Direction("w"), Noise("xi")
RATE, NOISE, START = 0.5, 0.5, {w @ w: 0.5, w @ u: 0.1}


class Setting(NamedTuple):
    """How long which student trains on which loss."""

    loss: str
    unit: str
    time: float
    batch: int
    momentum: float


def equations_of(at: Setting) -> Any:
    """Return the equations of motion of squared length and overlap, in this order."""
    unit = UNITS[at.unit][0]

    def target(X: Any) -> Any:
        y = unit(X @ u) + Rational(NOISE) * (X @ xi)
        return y if at.loss in OF_NUMBERS else sign(y)

    data, share = TokenSequence({Token(target=target): 1}), Predictor(lambda X: unit(X @ w))
    stated = model(data, share, loss=at.loss)
    equations = stated.equations(
        "online-sgd", rate=Rational(RATE), batch=at.batch, momentum=Rational(str(at.momentum))
    )
    assert list(equations.state) == [stated.inner_product(w, x) for x in (w, u)]
    return equations


def solution(equations: Any, time: float) -> Array:
    """Return squared length and overlap by the equations of motion."""
    found = equations.solve({}, START, time, backend="numpy")
    return np.array([found[p.name].values[-1] for p in equations.state])


def predicted_variances(equations: Any, time: float) -> Array:
    """Return d times the variances of squared length and overlap over runs, at any d."""
    d = 1000
    found = equations.solve_fluctuations({"d": d}, START, time)
    return d * found["covariance"].values[-1].diagonal()[:2]


def runs_in_space(at: Setting, d: int, runs: int, rng: np.random.Generator) -> Array:
    """Return squared length and overlap at the end of runs in R^d, of shape (2, runs)."""
    _, g, slope_of_unit = UNITS[at.unit]
    square, overlap = START.values()
    weights = np.zeros((runs, d), dtype=np.float32)
    weights[:, 0], weights[:, 1] = overlap, math.sqrt(square - overlap**2)
    velocity, X = np.zeros_like(weights), np.empty_like(weights)
    for _ in range(round(at.time * d)):
        velocity *= at.momentum
        for _ in range(at.batch):
            rng.standard_normal(dtype=np.float32, out=X)
            y = g(X[:, 0]) + NOISE * rng.standard_normal(runs, dtype=np.float32)
            if at.loss not in OF_NUMBERS:
                y = np.sign(y)
            z = np.einsum("rd,rd->r", weights, X)
            slope = SLOPES[at.loss](y, g(z)) * slope_of_unit(z)
            X *= (RATE / d / at.batch * slope).astype(np.float32)[:, None]
            velocity -= X
        weights += velocity
    squares = np.einsum("rd,rd->r", weights, weights, dtype=np.float64)
    return np.stack([squares, weights[:, 0]])


def main() -> None:
    """Print the differences of each dimension, and whether they fall like 1/d."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--loss", choices=sorted(SLOPES), default="hinge", help="the loss")
    parser.add_argument("--unit", choices=sorted(UNITS), default="linear", help="of both sides")
    parser.add_argument("--dimensions", type=int, nargs="+", default=[400, 1600], help="of space")
    parser.add_argument("--runs", type=int, nargs="+", default=[1500, 400], help="of each")
    parser.add_argument("--time", type=float, default=1.0, help="until when: steps over d")
    parser.add_argument("--seed", type=int, default=0, help="of the samples")
    parser.add_argument("--batch", type=int, default=1, help="samples of a step")
    parser.add_argument("--momentum", type=float, default=0, help="below 1")
    parser.add_argument("--fluctuations", action="store_true", help="print variances over runs")
    given = parser.parse_args()
    at = Setting(given.loss, given.unit, given.time, given.batch, given.momentum)
    equations, rng = equations_of(at), np.random.default_rng(given.seed)
    right = solution(equations, at.time)
    print(
        f"{at.loss}, {at.unit}, batch {at.batch}, momentum {at.momentum:g}, t = {at.time:g}: "
        f"Q = {right[0]:.6f}, R = {right[1]:.6f}",
        flush=True,
    )
    predicted = predicted_variances(equations, at.time) if given.fluctuations else None
    scaled = []
    for d, runs in zip(given.dimensions, given.runs, strict=True):
        found = runs_in_space(at, d, runs, rng)
        away, error = found.mean(axis=1) - right, found.std(axis=1, ddof=1) / math.sqrt(runs)
        scaled.append((d * away, d * error))
        for name, x, e in zip("QR", away, error, strict=True):
            print(
                f"d = {d:5}, {runs:5} runs: {name} off by {x:+.6f}, standard error {e:.6f} "
                f"({x / e:+.1f}); times d {d * x:+.2f}, {d * e:.2f}",
                flush=True,
            )
        if predicted is not None:
            for name, x, p in zip("QR", d * runs * error**2, predicted, strict=True):
                off = (x / p - 1) / math.sqrt(2 / (runs - 1))
                print(f"d = {d:5}: d var {name} = {x:.4f}, predicted {p:.4f} ({off:+.1f})")
    if len(scaled) > 1:
        (few, spread), (many, less) = scaled[0], scaled[-1]
        for name, x, e in zip("QR", many - few, np.hypot(spread, less), strict=True):
            off = f"{x / e:+.1f} standard errors"
            print(f"{name}: times d, the last differs from the first by {off}")


if __name__ == "__main__":
    main()
