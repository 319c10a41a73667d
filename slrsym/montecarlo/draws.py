r"""Samples of the task: whole tokens, or the coordinates of tokens that matter.

An attention predictor sees a token through its score :math:`u = X\cdot k` and its value
:math:`v = X\cdot v`, and the task's output through :math:`y = X_{J_0}\cdot v^\star + \xi`. So two
coordinates of each token and a third one of the informative token stand for d, exactly in law.
Given the scores, what is left is Gaussian, with means that are affine in the scores and constant
variances; an expectation over it can be taken in closed form.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator, SeedSequence, default_rng
from numpy.typing import NDArray

from slrsym.task import OrderParameters, Task

__all__ = ["Batch", "Coordinates", "Locations", "Tokens"]

# How many numbers are drawn at once, if a single sample does not need more.
_MOST_NUMBERS = 1_000_000


@dataclass(frozen=True)
class Batch:
    """Samples of the task as a predictor sees them; or their conditional law, given the scores."""

    u: NDArray[np.float64]
    v: NDArray[np.float64]
    y: NDArray[np.float64]
    place: NDArray[np.intp]
    var_own: float = 0.0
    var_other: float = 0.0
    var_y: float = 0.0
    cov: float = 0.0
    tokens: NDArray[np.float64] | None = None

    def own(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """What belongs to the informative token."""
        return np.take_along_axis(x, self.place[:, None], axis=1)[:, 0]

    def weighted(self, informative: float, other: float) -> NDArray[np.float64]:
        """A number for each token: one for informative tokens, one for others."""
        result = np.full(self.u.shape, other)
        np.put_along_axis(result, self.place[:, None], informative, axis=1)
        return result


@dataclass(frozen=True, eq=False)
class Locations:
    """The law of the location of the informative token."""

    task: Task
    probabilities: NDArray[np.float64] | None
    fixed: bool = False

    def draw(self, rng: Generator, n: int) -> NDArray[np.intp]:
        """Locations, counted from 0."""
        if self.fixed:
            return np.zeros(n, dtype=np.intp)
        uniform = rng.random(n)
        if self.probabilities is None:
            return (uniform * self.task.L).astype(np.intp)
        steps = np.cumsum(self.probabilities)
        # Rounding must not lead beyond the last location that is possible.
        last = int(np.flatnonzero(self.probabilities)[-1])
        return np.minimum(np.searchsorted(steps, uniform, side="right"), last)


@dataclass(frozen=True, eq=False)
class Tokens:
    """Whole tokens in a space of m dimensions: the task as it is defined."""

    task: Task
    locations: Locations
    k: NDArray[np.float64]
    v: NDArray[np.float64]
    k_star: NDArray[np.float64]
    v_star: NDArray[np.float64]
    kept: bool = False

    def batches(self, seed: SeedSequence, n: int) -> Iterator[tuple[Batch, ...]]:
        """Samples, in parts of bounded memory; which numbers are drawn does not depend on those."""
        places, normals, noises = map(default_rng, seed.spawn(3))
        m, L = self.k.size, self.task.L
        rows = max(1, _MOST_NUMBERS // (L * m))
        for first in range(0, n, rows):
            size = min(rows, n - first)
            place = self.locations.draw(places, size)
            # All tokens of these samples, or one sample's in parts, one after the other.
            count = L if self.kept else max(1, _MOST_NUMBERS // (size * m))
            u, v, y = np.empty((size, L)), np.empty((size, L)), np.empty(size)
            for start in range(0, L, count):
                tokens = normals.standard_normal((size, min(count, L - start), m))
                (here,) = np.nonzero((start <= place) & (place < start + count))
                own = here, place[here] - start
                tokens[own] *= self.task.gamma
                tokens[own] += np.sqrt(self.task.d / 2) * self.k_star
                part = slice(start, start + count)
                u[:, part], v[:, part] = tokens @ self.k, tokens @ self.v
                y[here] = tokens[own] @ self.v_star
            y += self.task.epsilon * noises.standard_normal(size)
            yield (Batch(u, v, y, place, tokens=tokens if self.kept else None),)


@dataclass(frozen=True, eq=False)
class Coordinates:
    """The coordinates that matter, at given overlaps."""

    task: Task
    locations: Locations
    state: OrderParameters
    conditioned: bool = False
    antithetic: bool = False
    mirrors_all: bool = True

    def batches(self, seed: SeedSequence, n: int) -> Iterator[tuple[Batch, ...]]:
        """Samples, in parts of bounded memory; which numbers are drawn does not depend on those."""
        places, *streams = map(default_rng, seed.spawn(9))
        rows = max(1, _MOST_NUMBERS // (2 * self.task.L))
        for first in range(0, n, rows):
            size = min(rows, n - first)
            place = self.locations.draw(places, size)
            normals = self._normals(streams[:4], size)
            batch = self._batch(place, *normals)
            if not self.antithetic:
                yield (batch,)
                continue
            mirrored: tuple[Any, ...] = tuple(None if x is None else -x for x in normals)
            if not self.mirrors_all:
                mirrored = self._with_fresh_others(mirrored, streams[4:], place)
            yield batch, self._batch(place, *mirrored)

    def _normals(self, streams: list[Generator], size: int) -> tuple[Any, ...]:
        """What scores, values, outputs and noise are made of."""
        L = self.task.L
        shapes: list[tuple[int, ...]] = [(size, L), (size, L), (size,), (size,)]
        wanted = shapes[:1] if self.conditioned else shapes
        drawn = [rng.standard_normal(s) for rng, s in zip(streams, wanted, strict=False)]
        return (*drawn, *[None] * (4 - len(drawn)))

    def _with_fresh_others(
        self, mirrored: tuple[Any, ...], streams: list[Generator], place: NDArray[np.intp]
    ) -> tuple[Any, ...]:
        fresh = self._normals(streams, len(place))
        own = np.arange(len(place)), place
        for new, old in zip(fresh[:2], mirrored[:2], strict=True):
            if new is not None:
                new[own] = old[own]
        return (*fresh[:2], *mirrored[2:])

    def _batch(
        self,
        place: NDArray[np.intp],
        along_k: NDArray[np.float64],
        beside: NDArray[np.float64] | None,
        apart: NDArray[np.float64] | None,
        noise: NDArray[np.float64] | None,
    ) -> Batch:
        kappa, nu, theta, eta, rho = self.state
        gamma, epsilon = self.task.gamma, self.task.epsilon
        signal = np.sqrt(self.task.d / 2)
        own = np.arange(len(place)), place
        u, v = along_k.copy(), rho * along_k
        # What is left of v, and of v*, beside k: lengths, and the part that v* shares with v.
        rest_v, rest_y = max(0.0, 1 - rho**2), max(0.0, 1 - eta**2)
        shared = nu - eta * rho
        if beside is not None and apart is not None and noise is not None:
            v += np.sqrt(rest_v) * beside
            # By feasibility the part of v* along what is left of v is no longer than v* allows.
            part = np.clip(shared / np.sqrt(rest_v), -1, 1) if rest_v > 0 else 0.0
            y = part * beside[own] + np.sqrt(max(0.0, rest_y - part**2)) * apart
            y = gamma * (eta * along_k[own] + y) + epsilon * noise
        else:
            y = gamma * eta * along_k[own]
        u[own] = signal * kappa + gamma * u[own]
        v[own] = signal * theta + gamma * v[own]
        if not self.conditioned:
            return Batch(u, v, y, place)
        g2 = gamma**2
        return Batch(u, v, y, place, g2 * rest_v, rest_v, g2 * rest_y + epsilon**2, g2 * shared)
