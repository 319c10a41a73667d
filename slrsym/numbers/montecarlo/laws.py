"""Random vectors in the laws of `slrsym.gaussian`, and expectations as averages over them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from sympy import Basic, Dummy, erf

from slrsym.gaussian import Expectation, GaussianLaw, IIDSum, NoiseLaw, ProductLaw, zeta
from slrsym.gaussian.law import Law, standard_normal
from slrsym.numbers.montecarlo.arithmetic import Arithmetic, NotSampled

__all__ = ["Average", "NoLaw", "average", "is_random"]

# Samples that are computed at once.
_CHUNK = 1 << 14

# A noise of mean 0 and variance 1 that is as far from normal as two values can be told apart: a
# statement about all noises must hold for this one.
_NOISE = np.array([2.0, -0.5])
_NOISE_SHARE = 0.2

_T, _S, _G = (Dummy(name, real=True) for name in "tsG")
# What zeta means.
_ZETA = Expectation(erf(_T + _S * _G) ** 2, standard_normal(_G))


class NoLaw(Exception):  # noqa: N818
    """A covariance is not positive semidefinite at a point."""


@dataclass(frozen=True)
class Average:
    """The mean of a sample."""

    mean: float
    stderr: float
    largest_share: float


def is_random(node: Basic) -> bool:
    """Whether a node stands for an expectation."""
    return isinstance(node, Expectation | zeta)


def average(node: Basic, at: Arithmetic, rng: Generator, samples: int) -> Average:
    """The average of an integrand over samples of its law."""
    values = at.values
    if isinstance(node, zeta):
        t, s = map(at.value, node.args)
        node, values = _ZETA, {**values, _T: t, _S: s}
    assert isinstance(node, Expectation)
    parts = []
    for first in range(0, samples, _CHUNK):
        n = min(_CHUNK, samples - first)
        inside = Arithmetic(values, _Inside(rng, n))
        drawn = _drawn(node.law, inside, rng, n)
        with np.errstate(all="ignore"):
            found = inside.with_values(drawn).value(node.integrand)
        parts.append(np.broadcast_to(np.asarray(found, dtype=np.float64), (n,)))
    return _summary(np.concatenate(parts))


def _summary(sample: NDArray[np.float64]) -> Average:
    with np.errstate(all="ignore"):
        mean = float(sample.mean())
        squares = np.square(sample - mean)
        total = float(squares.sum())
        n = sample.size
        # Values that are one and the same, but for the rounding of their mean.
        if total <= n * (1e-14 * abs(mean)) ** 2:
            return Average(mean, 0.0, 0.0)
        return Average(mean, float(np.sqrt(total / (n - 1) / n)), float(squares.max() / total))


class _Inside:
    """What stands for random variables inside of an expectation."""

    def __init__(self, rng: Generator, n: int) -> None:
        self.rng, self.n = rng, n
        self.sums: dict[IIDSum, Any] = {}

    def __call__(self, node: Basic, at: Arithmetic) -> Any:
        if is_random(node):
            raise NotSampled("it has an expectation inside of another")
        if not isinstance(node, IIDSum):
            return None
        # Equal sums are one and the same random variable.
        if node not in self.sums:
            self.sums[node] = self._sum(node, at)
        return self.sums[node]

    def _sum(self, node: IIDSum, at: Arithmetic) -> Any:
        count = at.value(node.count)
        if not (np.ndim(count) == 0 and float(count).is_integer() and count >= 0):
            raise NoLaw(f"{node} has {count} copies")
        if count == 0:
            return 0.0
        # One copy for all samples after the other, in columns.
        inner = _Inside(self.rng, self.n * int(count))
        copies = Arithmetic(at.values, inner)
        drawn = _drawn(node.law, copies, self.rng, inner.n)
        terms = np.broadcast_to(copies.with_values(drawn).value(node.term), (inner.n,))
        return terms.reshape(self.n, int(count)).sum(axis=1)


def _drawn(law: Law, at: Arithmetic, rng: Generator, n: int) -> Mapping[Any, Any]:
    """Samples of each variable of a law."""
    if isinstance(law, ProductLaw):
        return {name: x for block in law.blocks() for name, x in _drawn(block, at, rng, n).items()}
    if isinstance(law, NoiseLaw):
        variance = at.value(law.variance)
        if variance < 0:
            raise NoLaw(f"the variance of {law.symbols[0]} is {variance}")
        signs = np.where(rng.random(n) < _NOISE_SHARE, *_NOISE)
        return {law.symbols[0]: np.sqrt(variance) * signs}
    if not isinstance(law, GaussianLaw):
        raise NotSampled(f"there is no way here to sample a {type(law).__name__}")
    mean = np.array([at.value(m) for m in law.mean.values()], dtype=np.float64)
    cov = np.array([[at.value(c) for c in row] for row in law.cov.tolist()], dtype=np.float64)
    values, axes = np.linalg.eigh(cov)
    if values[0] < -1e-9 * max(1e-300, values[-1]):
        raise NoLaw(f"the covariance of {law.symbols} is not positive semidefinite")
    root = axes * np.sqrt(np.maximum(values, 0.0))
    rows = mean + rng.standard_normal((n, len(mean))) @ root.T
    return dict(zip(law.symbols, rows.T, strict=True))
