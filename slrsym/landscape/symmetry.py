r"""The symmetries of the risk that fix k* and v*, and one name for points that differ by them.

Claim ``landscape-symmetries``: the risk is the same at (k, v) and (-k, -v), and after a reflection
along v* at (k, -v): with the overlaps kappa, nu, theta, eta, rho it is the same at
(-kappa, -nu, -theta, -eta, rho) and at (kappa, nu, -theta, -eta, -rho). Reflections orthogonal to
k* and v* do not change overlaps at all.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

__all__ = ["OVERLAP_SIGNS", "canonical", "copies", "distance", "point_signs"]

_Array = NDArray[np.float64]

# By which signs each symmetry multiplies kappa, nu, theta, eta, rho.
OVERLAP_SIGNS = np.array(
    [[1, 1, 1, 1, 1], [-1, -1, -1, -1, 1], [1, 1, -1, -1, -1], [-1, -1, 1, 1, -1]]
)

_SAME = 1e-7


def point_signs(m: int) -> _Array:
    """The symmetries as changes of signs of coordinates of k and v."""
    rows = []
    for signs in OVERLAP_SIGNS:
        kappa, nu, theta, eta, rho = signs
        for others in product((1, -1), repeat=m - 2):
            # The signs of k beyond the span; those of v give rho its sign.
            rows.append([[kappa, eta, *others], [theta, nu, *(rho * x for x in others)]])
    return np.array(rows, dtype=float)


def canonical(states: _Array) -> _Array:
    """Of all states that a symmetry relates, the one whose overlaps come first."""
    images = OVERLAP_SIGNS * states[..., None, :]
    # Zero, and what rounding makes of it, has no sign.
    rounded = np.where(np.abs(images) < _SAME, 0.0, images)
    weights = np.sign(rounded) @ (3.0 ** np.arange(4, -1, -1))
    best = np.argmax(weights, axis=-1)
    chosen: _Array = np.take_along_axis(images, best[..., None, None], axis=-2)[..., 0, :]
    return chosen + 0.0


def distance(states: _Array, point: _Array) -> _Array:
    """How far states are from a point or the nearest of its images."""
    images = OVERLAP_SIGNS * point
    nearest: _Array = np.abs(states[..., None, :] - images).max(axis=-1).min(axis=-1)
    return nearest


def copies(state: _Array) -> int:
    """How many different states the symmetries make of one."""
    images = np.where(np.abs(state) < _SAME, 0.0, OVERLAP_SIGNS * state)
    return len({tuple(row) for row in (images + 0.0).round(7).tolist()})
