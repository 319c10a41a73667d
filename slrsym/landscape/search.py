"""Critical points by Newton's method from many starts, until little can have been missed."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from slrsym.dynamics.spheres import curvature, retracted
from slrsym.landscape.points import point_signs
from slrsym.task import Task

__all__ = ["Coverage", "between", "descend", "led", "newton_steps", "starts"]

_Array = NDArray[np.float64]

# Relative to the largest curvature, which says how large rounding errors of the gradient are.
_SMALL = 1e-13
_STEPS = 80


@dataclass(frozen=True)
class Coverage:
    """How often each critical point was found, and what that says of those that were not.

    The number of those is estimated after Boender and Rinnooy Kan (Mathematical Programming 37,
    1987), the part of the starts that lead to them after Good (Biometrika 40, 1953).

    Parameters
    ----------
    starts : int
        How many searches were begun.
    hits : tuple of int
        How many of them ended at each point.
    """

    starts: int
    hits: tuple[int, ...]

    @property
    def found(self) -> int:
        """How many searches ended at a critical point."""
        return sum(self.hits)

    @property
    def expected_missed(self) -> float:
        r"""How many points are still to be found, by expectation.

        Notes
        -----
        The Bayesian estimate of Boender and Rinnooy Kan (Mathematical Programming 37, 1987): if
        nothing is known of how large the regions of attraction are, then after n searches that
        found w points there are :math:`w (n - 1)/(n - w - 2)` in all. Points that hardly any start
        leads to are underrated by it.
        """
        n, w = self.found, len(self.hits)
        return math.inf if n <= w + 2 else w * (n - 1) / (n - w - 2) - w

    @property
    def unseen_mass(self) -> float:
        """The part of all starts that lead to unknown points, after Good and Turing."""
        return sum(1 for h in self.hits if h == 1) / self.found if self.found else 1.0


def starts(count: int, lam: float, task: Task, m: int, rng: Generator) -> _Array:
    r"""Random unit vectors, of four kinds in turn."""
    points = rng.standard_normal((count, 2, m))
    points /= np.linalg.norm(points, axis=-1, keepdims=True)
    drift = math.sqrt(task.d / 2)
    scores = min(1.0, 2 * math.sqrt(1 + 2 * (lam * task.gamma) ** 2) / (lam * drift))
    for kind in (1, 2):
        points[kind::4, 0, 0] *= scores
        points[kind::4, 1, 0] *= min(1.0, 2 / drift)
    points[2::4, :, 2:] = 0.0
    near = points[3::4]
    reach = 10.0 ** rng.uniform(-4, 0, len(near)) * (rng.uniform(size=len(near)) > 0.1)
    # k from v*, and v from where it has no part along v*.
    near[:, 0, 1] = np.sign(near[:, 0, 1])
    near[:, 0, 0] *= scores * reach
    near[:, 0, 2:] *= reach[:, None]
    near[:, 1, 0] *= scores
    near[:, 1, 1] *= reach
    points[3::4] = near
    result: _Array = points / np.linalg.norm(points, axis=-1, keepdims=True)
    return result


def between(count: int, known: _Array, rng: Generator) -> _Array:
    """Random unit vectors near known critical points, and on the way from one to another."""
    m = known.shape[-1]
    signs = point_signs(m)
    first, second = (
        known[rng.integers(len(known), size=count)] * signs[rng.integers(len(signs), size=count)]
        for _ in range(2)
    )
    part = rng.uniform(size=(count, 1, 1)) ** 2
    noise = 10.0 ** rng.uniform(-5, -0.3, (count, 1, 1)) * rng.standard_normal((count, 2, m))
    points = (1 - part) * first + part * second + noise
    result: _Array = points / np.linalg.norm(points, axis=-1, keepdims=True)
    return result


def led(points: _Array, lam: float, task: Task, rng: Generator) -> _Array:
    """Lead points towards critical points of a random index each, by following eigenvectors."""
    size = 2 * points.shape[-1] - 2
    index = rng.integers(0, size + 1, size=(len(points), 1))
    upwards = np.arange(size) < index
    for _ in range(_STEPS):
        slope, bend, basis = curvature(points, lam, task)
        values, vectors = np.linalg.eigh(bend)
        inner = (np.swapaxes(vectors, -1, -2) @ slope[..., None])[..., 0]
        floor = 1e-12 * np.abs(values).max(axis=-1, keepdims=True)
        step = np.where(upwards, inner, -inner) / np.maximum(np.abs(values), floor)
        step /= np.maximum(1.0, np.linalg.norm(step, axis=-1, keepdims=True) / 0.05)
        moved = basis @ (vectors @ step[..., None])
        points = retracted(points, moved.reshape(points.shape))
    return points


def descend(points: _Array, lam: float, task: Task) -> tuple[_Array, _Array]:
    """Levenberg-Marquardt on the gradient, each start by itself."""
    points = points.copy()
    count = len(points)
    damping = np.full(count, 1e-2)
    done = np.zeros(count, dtype=bool)
    slope, bend, basis = curvature(points, lam, task)
    for _ in range(_STEPS):
        live = np.flatnonzero(~done)
        if live.size == 0:
            break
        values, vectors = np.linalg.eigh(bend[live])
        size = np.max(np.abs(values), axis=-1)
        now = np.linalg.norm(slope[live], axis=-1)
        done[live] = now <= _SMALL * np.maximum(1.0, size)
        inner = (np.swapaxes(vectors, -1, -2) @ slope[live][..., None])[..., 0]
        shrink = values / (values**2 + (damping[live] * size)[:, None] ** 2 + 1e-300)
        step = -(vectors @ (shrink * inner)[..., None])
        # No farther than half a right angle.
        step /= np.maximum(1.0, np.linalg.norm(step, axis=(-2, -1), keepdims=True) / 0.8)
        moved = retracted(points[live], (basis[live] @ step).reshape(-1, *points.shape[1:]))
        new_slope, new_bend, new_basis = curvature(moved, lam, task)
        better = np.linalg.norm(new_slope, axis=-1) < now
        damping[live] *= np.where(better, 0.2, 5.0)
        # Where rounding is all that is left, no step is better.
        stuck = ~better & (damping[live] > 1e6)
        done[live] |= stuck & (now <= 100 * _SMALL * np.maximum(1.0, size))
        chosen = live[better]
        points[chosen] = moved[better]
        slope[chosen], bend[chosen], basis[chosen] = (
            x[better] for x in (new_slope, new_bend, new_basis)
        )
    return points, newton_steps(slope, bend)


def newton_steps(slope: _Array, bend: _Array) -> _Array:
    """How far Newton's method would go."""
    values, vectors = np.linalg.eigh(bend)
    inner = np.abs((np.swapaxes(vectors, -1, -2) @ slope[..., None])[..., 0])
    values = np.abs(values)
    size = np.maximum(1.0, np.max(values, axis=-1, keepdims=True))
    small = (inner <= 1e-11 * size).all(axis=-1)
    flat = (values <= _SMALL * size).any(axis=-1)
    far = np.linalg.norm(inner / np.where(values > 0, values, 1.0), axis=-1)
    found: _Array = np.where(small, np.where(flat, np.pi, np.minimum(far, np.pi)), np.inf)
    return found
