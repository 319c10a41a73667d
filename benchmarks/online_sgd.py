"""Run own online SGD in R^d on a loss, and compare it with the equations of motion.

Of each dimension it prints how far the means over runs are from the solution, with their standard
errors, and the same times d: these agree if what is left falls like 1/d.

    python benchmarks/online_sgd.py --loss hinge --dimensions 400 1600 --runs 1500 400
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from sympy import Rational, sign

from slrsym.models import Direction, Noise, Predictor, Token, TokenSequence, model

Array = NDArray[np.float32]

# The slope of each loss in the output f, of a label y: a sign, and of the last two a number.
SLOPES: dict[str, Callable[[Array, Array], Array]] = {
    "logistic": lambda y, f: -y / (1 + np.exp(y * f)),
    "hinge": lambda y, f: -y * (y * f < 1),
    "squared hinge": lambda y, f: -2 * y * np.maximum(0, 1 - y * f),
    "perceptron": lambda y, f: -y * (y * f < 0),
    "absolute": lambda y, f: np.sign(f - y),
    "huber": lambda y, f: np.clip(f - y, -1, 1),
}
# The learning rate, the share of noise in a label, and the start.
RATE, NOISE, START = 0.5, 0.5, (0.5, 0.1)
u, w, xi = Direction("u", unit=True), Direction("w"), Noise("xi")


def solution(loss: str, time: float, batch: int = 1, momentum: float = 0) -> Array:
    """Return squared length and overlap by the equations of motion."""

    def target(X: Any) -> Any:
        y = X @ u + Rational(NOISE) * (X @ xi)
        return y if loss in ("absolute", "huber") else sign(y)

    stated = model(TokenSequence({Token(target=target): 1}), Predictor(lambda X: X @ w), loss=loss)
    equations = stated.equations(
        "online-sgd", rate=Rational(RATE), batch=batch, momentum=Rational(str(momentum))
    )
    found = equations.solve(
        {}, dict(zip((w @ w, w @ u), START, strict=True)), time, backend="numpy"
    )
    names = [stated.inner_product(w, x).name for x in (w, u)]
    return np.array([found[name].values[-1] for name in names])


def runs_in_space(
    loss: str,
    d: int,
    runs: int,
    time: float,
    rng: np.random.Generator,
    batch: int = 1,
    momentum: float = 0,
) -> Array:
    """Return squared length and overlap at the end of runs in R^d, of shape (2, runs)."""
    square, overlap = START
    weights = np.zeros((runs, d), dtype=np.float32)
    weights[:, 0], weights[:, 1] = overlap, math.sqrt(square - overlap**2)
    velocity = np.zeros_like(weights)
    for _ in range(round(time * d)):
        velocity *= momentum
        for _ in range(batch):
            X = rng.standard_normal((runs, d), dtype=np.float32)
            y = X[:, 0] + NOISE * rng.standard_normal(runs, dtype=np.float32)
            if loss not in ("absolute", "huber"):
                y = np.sign(y)
            f = np.einsum("rd,rd->r", weights, X)
            X *= (RATE / d / batch * SLOPES[loss](y, f)).astype(np.float32)[:, None]
            velocity -= X
        weights += velocity
    squares = np.einsum("rd,rd->r", weights, weights, dtype=np.float64)
    return np.stack([squares, weights[:, 0]])


def main() -> None:
    """Print the differences of each dimension, and whether they fall like 1/d."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--loss", choices=sorted(SLOPES), default="hinge", help="the loss")
    parser.add_argument("--dimensions", type=int, nargs="+", default=[400, 1600], help="of space")
    parser.add_argument("--runs", type=int, nargs="+", default=[1500, 400], help="of each")
    parser.add_argument("--time", type=float, default=1.0, help="until when: steps over d")
    parser.add_argument("--seed", type=int, default=0, help="of the samples")
    parser.add_argument("--batch", type=int, default=1, help="samples of a step")
    parser.add_argument("--momentum", type=float, default=0, help="below 1")
    given = parser.parse_args()
    kind = given.batch, given.momentum
    right, rng = solution(given.loss, given.time, *kind), np.random.default_rng(given.seed)
    name = f"{given.loss}, batch {given.batch}, momentum {given.momentum:g}, t = {given.time:g}"
    print(f"{name}: Q = {right[0]:.6f}, R = {right[1]:.6f}", flush=True)
    scaled = []
    for d, runs in zip(given.dimensions, given.runs, strict=True):
        found = runs_in_space(given.loss, d, runs, given.time, rng, *kind)
        away, error = found.mean(axis=1) - right, found.std(axis=1, ddof=1) / math.sqrt(runs)
        scaled.append((d * away, d * error))
        for name, x, e in zip("QR", away, error, strict=True):
            print(
                f"d = {d:5}, {runs:5} runs: {name} off by {x:+.6f}, standard error {e:.6f} "
                f"({x / e:+.1f}); times d {d * x:+.2f}, {d * e:.2f}",
                flush=True,
            )
    (few, spread), (many, less) = scaled[0], scaled[-1]
    for name, x, e in zip("QR", many - few, np.hypot(spread, less), strict=True):
        print(f"{name}: times d, the last differs from the first by {x / e:+.1f} standard errors")


if __name__ == "__main__":
    main()
