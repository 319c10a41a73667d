r"""The derivative of one step of descent, as a map of k and v in four dimensions.

Overlaps are no good coordinates for it: all that runs converge to lies on the boundary of the
feasible set, where the map of overlaps stretches directions that no vectors can take. Four
dimensions hold :math:`k, v, k^\star, v^\star`, and k* and v* are the first two axes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from slrsym.dynamics.spheres import overlap_rates, overlaps
from slrsym.models.paper import gradient, hessian
from slrsym.task import Task

__all__ = ["lifted", "second_derivative", "step_derivative", "turning"]

_Array = NDArray[np.float64]

_DIMENSIONS = 4


def lifted(states: _Array) -> _Array:
    """Vectors k and v of which one has what the other has beyond k* and v*, up to a factor."""
    kappa, nu, theta, eta, rho = np.moveaxis(states, -1, 0)
    k_rest = np.sqrt(np.maximum(0.0, 1 - kappa**2 - eta**2))
    v_rest = np.sqrt(np.maximum(0.0, 1 - theta**2 - nu**2))
    v_rest = np.where(rho < kappa * theta + eta * nu, -v_rest, v_rest)
    none = np.zeros_like(kappa)
    k = np.stack([kappa, eta, k_rest, none], axis=-1)
    v = np.stack([theta, nu, v_rest, none], axis=-1)
    points = np.stack([k, v], axis=-2)
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
    states = overlaps(points)
    partial, second = (f(states, lam, task, backend) for f in (gradient, hessian))
    rates = overlap_rates(points)
    slope = np.einsum("...p,...pi->...i", partial, rates).reshape(points.shape)
    bend = np.swapaxes(rates, -1, -2) @ second @ rates
    index = np.arange(m)
    for i in (0, 1):
        # The overlap rho is bilinear in k and v.
        bend[..., i * m + index, (1 - i) * m + index] += partial[..., 4, None]
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
