"""Batched searches for critical points: Levenberg-Marquardt, and following eigenvectors.

A `Curvature` gives, for points of shape (n, ...), gradients in bases of the tangent spaces, shape
(n, m), Hessians, (n, m, m), and these bases, (n, size of a point, m). A `Retraction` takes points
and tangent steps of their shape to points of the manifold.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_Array = NDArray[np.float64]
Curvature = Callable[[_Array], tuple[_Array, _Array, _Array]]
Retraction = Callable[[_Array, _Array], _Array]

# Relative to the largest curvature, which says how large rounding errors of the gradient are.
_SMALL = 1e-13
_STEPS = 80


@dataclass(frozen=True)
class SearchCoverage:
    """Counts of hits of each critical point, with estimates of how many points were missed.

    The number of those is estimated after Boender and Rinnooy Kan (Mathematical Programming 37,
    1987), the part of the starts that lead to them after Good (Biometrika 40, 1953).

    Parameters
    ----------
    starts : int
        How many searches were begun.
    hits : tuple of int
        How many of them ended at each point.
    flat_ends : int, optional
        How many ended where the risk is flat to rounding, and no critical point is.
    """

    starts: int
    hits: tuple[int, ...]
    flat_ends: int = 0

    @property
    def total_hits(self) -> int:
        """Number of searches that ended at a critical point."""
        return sum(self.hits)

    @property
    def expected_missed(self) -> float:
        r"""Expected number of critical points that were not found.

        Notes
        -----
        The Bayesian estimate of Boender and Rinnooy Kan (Mathematical Programming 37, 1987): if
        nothing is known of how large the regions of attraction are, then after n searches that
        found w points there are :math:`w (n - 1)/(n - w - 2)` in all. Points that hardly any start
        leads to are underrated by it.
        """
        n, w = self.total_hits, len(self.hits)
        return math.inf if n <= w + 2 else w * (n - 1) / (n - w - 2) - w

    @property
    def unseen_mass(self) -> float:
        """Estimated fraction of starts that lead to points not found, after Good and Turing."""
        return sum(1 for h in self.hits if h == 1) / self.total_hits if self.total_hits else 1.0


def follow_eigenvectors(
    points: _Array,
    upwards: NDArray[np.bool_],
    curvature: Curvature,
    retract: Retraction,
    reach: float = 0.05,
    steps: int = _STEPS,
) -> _Array:
    """Move points towards critical points of a chosen index, up or down along eigenvectors.

    `upwards` marks, for each point, the eigenvectors (by ascending curvature) to climb along. No
    step goes farther than `reach`.
    """
    for _ in range(steps):
        grad, hess, basis = curvature(points)
        values, vectors = np.linalg.eigh(hess)
        inner = (np.swapaxes(vectors, -1, -2) @ grad[..., None])[..., 0]
        floor = 1e-12 * np.abs(values).max(axis=-1, keepdims=True)
        step = np.where(upwards, inner, -inner) / np.maximum(np.abs(values), floor)
        step /= np.maximum(1.0, np.linalg.norm(step, axis=-1, keepdims=True) / reach)
        moved = basis @ (vectors @ step[..., None])
        points = retract(points, moved.reshape(points.shape))
    return points


def search_gradient_zeros(
    points: _Array, curvature: Curvature, retract: Retraction
) -> tuple[_Array, _Array, _Array, _Array]:
    """Search for zeros of the gradient by Levenberg-Marquardt; return where each start ends.

    Returns the ends with their gradients, Hessians and bases.
    """
    points = points.copy()
    count = len(points)
    damping = np.full(count, 1e-2)
    done = np.zeros(count, dtype=bool)
    grad, hess, basis = curvature(points)
    for _ in range(_STEPS):
        live = np.flatnonzero(~done)
        if live.size == 0:
            break
        values, vectors = np.linalg.eigh(hess[live])
        size = np.max(np.abs(values), axis=-1)
        now = np.linalg.norm(grad[live], axis=-1)
        done[live] = now <= _SMALL * np.maximum(1.0, size)
        inner = (np.swapaxes(vectors, -1, -2) @ grad[live][..., None])[..., 0]
        shrink = values / (values**2 + (damping[live] * size)[:, None] ** 2 + 1e-300)
        step = -(vectors @ (shrink * inner)[..., None])
        # No farther than half a right angle.
        step /= np.maximum(1.0, np.linalg.norm(step, axis=(-2, -1), keepdims=True) / 0.8)
        moved = retract(points[live], (basis[live] @ step).reshape(-1, *points.shape[1:]))
        new_slope, new_bend, new_basis = curvature(moved)
        better = np.linalg.norm(new_slope, axis=-1) < now
        damping[live] *= np.where(better, 0.2, 5.0)
        # Where rounding is all that is left, no step is better.
        stuck = ~better & (damping[live] > 1e6)
        done[live] |= stuck & (now <= 100 * _SMALL * np.maximum(1.0, size))
        chosen = live[better]
        points[chosen] = moved[better]
        grad[chosen], hess[chosen], basis[chosen] = (
            x[better] for x in (new_slope, new_bend, new_basis)
        )
    return points, grad, hess, basis
