r"""When a run may stop: tubes around runs whose end is known, which no run leaves again.

Let :math:`X^\star_t` be a run that was followed to its end. If G is a step of descent, J its
derivative at :math:`X^\star_t` and K a bound of its second derivative nearby, then a state X at a
distance of r moves to a distance of at most

.. math:: \|J\|\,r + \tfrac12 K r^2.

Distances are those of (k, v) in :math:`\mathbb{R}^8`, where four dimensions hold all vectors, up to
rotations that fix k* and v* and the other symmetries of the risk. Rotations are a neutral direction
n; it is left out of J, and to turn the new state into place costs

.. math:: \frac{3}{2|n|}\,\|J\| \left(c + \tfrac12 K r\right) r^2,

where c says how much J moves other directions along n. If the radius that is left after each step
is taken backwards from the last, where it is the margin of the verdict, then every run inside of
the tube at a step is inside at all later ones, and ends with the same verdict.

The derivative is that of the derived gradient and Hessian, at every step. K is twice the largest
second derivative that was found at points along the run: that is an estimate with a reserve, not a
proof, and so the rule is argued, and tested against runs to the end. The step is that of
Definition 1. Overlaps are no good coordinates for derivatives: all that runs converge to lies on
the boundary of the feasible set, where the map of overlaps stretches directions that no vectors can
take. Four dimensions hold :math:`k, v, k^\star, v^\star`, and k* and v* are the first two axes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slrsym.dynamics.spheres import ambient_derivatives, beyond, gram_matrices, overlaps
from slrsym.landscape.points import OVERLAP_SIGNS
from slrsym.task import Task

__all__ = ["Tube", "tube_around"]

_Array = NDArray[np.float64]

# A wider tube would need bounds farther away.
_WIDEST = 0.02
# A narrower one is of no use.
_NARROWEST = 1e-9

# Steps taken together, and after how many the second derivative is looked at.
_BLOCK = 4000
_EVERY = 50
_RESERVE = 2.0

# With less to turn, turning is not looked upon as neutral.
_LEAST_TURN = 0.1


@dataclass(frozen=True)
class Tube:
    """A run in three dimensions, and how near to it others have to be.

    Parameters
    ----------
    verdict : int
        Of all runs that are inside at any time.
    points : ndarray, shape (times, 2, 4)
        k and v at some steps, with k* and v* the first two axes.
    radii : ndarray, shape (times,)
        Zero before the tube begins.
    """

    verdict: int
    points: _Array
    radii: _Array

    def distances(self, states: _Array, time: int) -> _Array:
        """How far states are from the run, up to symmetries.

        Parameters
        ----------
        states : ndarray, shape (n, 5)
        time : int
            Which of the steps.

        Returns
        -------
        ndarray of shape (n,)
        """
        k3, v3 = self.points[time][:, 2]
        images = OVERLAP_SIGNS * states[:, None, :]
        planar = ((images - overlaps(self.points[time]))[..., :4] ** 2).sum(axis=-1)
        k_rest, v_rest, inner = beyond(images)
        k_rest, v_rest = np.maximum(0.0, k_rest), np.maximum(0.0, v_rest)
        # The best rotation of what is left aligns one vector, because that of the run has rank 1.
        aligned = np.sqrt(np.maximum(0.0, k3**2 * k_rest + v3**2 * v_rest + 2 * k3 * v3 * inner))
        rest = np.maximum(0.0, k_rest + v_rest + k3**2 + v3**2 - 2 * aligned)
        return np.asarray(np.sqrt(planar + rest).min(axis=-1))

    def holds(self, states: _Array, time: int) -> NDArray[np.bool_]:
        """Which states are inside.

        Parameters
        ----------
        states : ndarray, shape (n, 5)
        time : int
            Which of the steps.

        Returns
        -------
        ndarray of shape (n,), bool
        """
        if self.radii[time] <= 0:
            return np.zeros(len(states), dtype=bool)
        return np.asarray(self.distances(states, time) < self.radii[time])


def tube_around(
    states: _Array,
    lam: _Array,
    task: Task,
    alpha: float,
    times: NDArray[np.int64],
    verdict: int,
    margin: float,
    backend: str = "numpy",
) -> Tube:
    """The tube around a run.

    Parameters
    ----------
    states : ndarray, shape (n + 1, 5)
        A run in three dimensions, its last n steps.
    lam : ndarray, shape (n + 1,)
        Inverse temperatures of these.
    task : Task
    alpha : float
        Step size.
    times : ndarray of int, shape (m,)
        Steps at which the tube is wanted, the last one n; before 0 there is none.
    verdict : int
    margin : float
        How far every overlap may be at the end.
    backend : {'numpy', 'numba'}, optional

    Returns
    -------
    Tube
    """
    steps = len(states) - 1
    radii = np.zeros(steps + 1)
    # No overlap changes by more than sqrt(2) times a distance.
    radii[steps] = min(_WIDEST, margin / math.sqrt(2))
    end = steps
    while end > 0 and radii[end] > _NARROWEST:
        begin = max(0, end - _BLOCK)
        points = lifted(states[begin : end + 1])
        growth, excess = _growth(points, lam[begin:end], task, alpha, backend)
        _backwards(radii[begin : end + 1], growth, excess)
        end = begin
    # Where it is too narrow it has not begun, also if it had been wider before.
    radii[: np.flatnonzero(radii <= _NARROWEST).max(initial=-1) + 1] = 0.0
    inside = np.maximum(times, 0)
    return Tube(verdict, lifted(states[inside]), np.where(times < 0, 0.0, radii[inside]))


def _backwards(radii: _Array, growth: _Array, excess: _Array) -> None:
    """Fill in radii from the last: growth r + excess r^2 is the next one."""
    after = float(radii[-1])
    found = []
    for q, c in zip(growth[::-1].tolist(), excess[::-1].tolist(), strict=True):
        # A free square root: the form that loses no digits.
        after = min(_WIDEST, 2 * after / (q + math.sqrt(q * q + 4 * c * after)))
        found.append(after)
    radii[:-1] = found[::-1]


def _growth(
    points: _Array, lam: _Array, task: Task, alpha: float, backend: str
) -> tuple[_Array, _Array]:
    """By what distances grow in each step: the coefficients of r and of its square."""
    slopes = step_derivative(points[:-1], lam, task, alpha, backend)
    full = _norms(slopes)
    n = turning(points)
    size = np.linalg.norm(n, axis=-1)
    unit = n / np.where(size > _LEAST_TURN, size, np.inf)[:, None]
    before, after = unit[:-1], unit[1:]
    slopes = slopes - (slopes @ before[:, :, None]) * before[:, None, :]
    along = (after[:, None, :] @ slopes)[:, 0]
    growth = _norms(slopes - after[:, :, None] * along[:, None, :])
    looked = np.unique(np.append(np.arange(0, len(lam), _EVERY), len(lam) - 1))
    found = second_derivative(points[looked], lam[looked], task, alpha, backend)
    # The larger of the two that a step lies between.
    upper = np.maximum(found, np.append(found[1:], found[-1]))
    bend = _RESERVE * upper[np.searchsorted(looked, np.arange(len(lam)), side="right") - 1]
    turned = np.where(size[1:] > _LEAST_TURN, size[1:], np.inf)
    side = np.linalg.norm(along, axis=-1) + bend * _WIDEST / 2
    return growth, bend / 2 + 1.5 * np.maximum(full, 1.0) * side / turned


def _norms(matrices: _Array) -> _Array:
    """Largest singular values."""
    squares = np.swapaxes(matrices, -1, -2) @ matrices
    return np.asarray(np.sqrt(np.maximum(0.0, np.linalg.eigvalsh(squares)[:, -1])))


_DIMENSIONS = 4


def lifted(states: _Array) -> _Array:
    """Vectors k and v of which one has what the other has beyond k* and v*, up to a factor."""
    k_square, v_square, inner = beyond(states)
    points = np.zeros((*states.shape[:-1], 2, _DIMENSIONS))
    points[..., :2] = gram_matrices(states)[..., :2, 2:]
    points[..., 0, 2] = np.sqrt(np.maximum(0.0, k_square))
    points[..., 1, 2] = np.copysign(np.sqrt(np.maximum(0.0, v_square)), inner)
    return np.asarray(points / np.linalg.norm(points, axis=-1, keepdims=True))


def turning(points: _Array) -> _Array:
    """How k and v move as all is turned around k* and v*, (..., 8)."""
    result = np.zeros(points.shape)
    result[..., 3] = points[..., 2]
    return result.reshape(*points.shape[:-2], 2 * _DIMENSIONS)


def step_derivative(
    points: _Array, lam: Any, task: Task, alpha: float, backend: str = "numpy"
) -> _Array:
    r"""The Jacobian matrix of one step, :math:`x \mapsto G(x/|x|)` for each of the two vectors."""
    m = _DIMENSIONS
    slope, bend = ambient_derivatives(points, lam, task, backend)
    result = np.empty(bend.shape)
    for i, rows in enumerate((slice(0, m), slice(m, 2 * m))):
        x, g = points[..., i, :], slope[..., i, :]
        along = np.sum(x * g, axis=-1, keepdims=True)
        moved = x - alpha * (g - along * x)
        change = -alpha * _across(x, bend[..., rows, :])
        change[..., rows] += (1 + alpha * along)[..., None] * np.eye(m)
        change[..., rows] += alpha * x[..., :, None] * g[..., None, :]
        norm = np.linalg.norm(moved, axis=-1, keepdims=True)
        result[..., rows, :] = _across(moved / norm, change) / norm[..., None]
    for i, columns in enumerate((slice(0, m), slice(m, 2 * m))):
        x = points[..., i, :]
        stretched = result[..., columns] @ x[..., :, None]
        result[..., columns] -= stretched * x[..., None, :]
    return result


def _across(x: _Array, columns: _Array) -> _Array:
    """Columns, without their parts along a unit vector."""
    return columns - x[..., :, None] * (x[..., None, :] @ columns)


def second_derivative(
    points: _Array, lam: _Array, task: Task, alpha: float, backend: str = "numpy"
) -> _Array:
    """A bound of the second derivative of a step: the root of the sum of its squares."""
    small = 1e-5
    total = np.zeros(len(points))
    for i in range(2):
        for j in range(_DIMENSIONS):
            shift = np.zeros((2, _DIMENSIONS))
            shift[i, j] = small
            ends = []
            for sign in (1, -1):
                moved = points + sign * shift
                moved /= np.linalg.norm(moved, axis=-1, keepdims=True)
                ends.append(step_derivative(moved, lam, task, alpha, backend))
            total += (((ends[0] - ends[1]) / (2 * small)) ** 2).sum(axis=(-1, -2))
    return np.sqrt(total)
