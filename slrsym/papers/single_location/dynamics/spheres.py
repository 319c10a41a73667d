r"""The risk on the product of the spheres of k and v, with gradient, Hessian and tangents.

The risk depends on k and v through their overlaps, so that rotations which fix k* and v* do not
change it, and k and v may be taken from few dimensions: the span of k*, v* and one more direction
holds every critical point but one family (claim ``landscape-independent``). A critical point of the
risk there is one in :math:`\mathbb{R}^d`, because the gradients lie in the span of the four
vectors.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from slrsym.models.training.spheres import Spheres
from slrsym.papers.single_location.paper_risk import gradient, hessian
from slrsym.papers.single_location.task import PLACES, Task

_Array = NDArray[np.float64]

# Those of k and v.
SPHERES = Spheres()

# How far below zero rounding may put an eigenvalue of a Gram matrix.
SLACK = 1e-9

# Places in k or v of all overlaps but the last, that of k and v.
_PLACES = tuple((i, j - 2) for i, j in PLACES[:-1])


def dimensions_needed_for_critical_points(task: Task) -> int:
    """Return how many coordinates of k and of v a search for critical points needs: min(d, 3)."""
    return min(task.d, 3)


def gram_matrices(states: Any) -> NDArray[np.float64]:
    """Return the Gram matrix of (k, v, k*, v*) for each state, given by its overlaps."""
    states = np.asarray(states, dtype=np.float64)
    gram = np.zeros((*states.shape[:-1], 4, 4))
    gram[:] = np.eye(4)
    # On the manifold only two are not 0.
    for (i, j), overlap in zip(PLACES, np.moveaxis(states, -1, 0), strict=False):
        gram[..., i, j] = gram[..., j, i] = overlap
    return gram


def gram_entries_of_orthogonal_parts(states: _Array) -> tuple[_Array, _Array, _Array]:
    """Return squared lengths and inner product of the parts of k and v orthogonal to k* and v*."""
    gram = gram_matrices(states)
    k, v = (np.moveaxis(gram[..., i, 2:], -1, 0) for i in (0, 1))
    inner = gram[..., 0, 1] - k[0] * v[0] - k[1] * v[1]
    return 1 - k[0] ** 2 - k[1] ** 2, 1 - v[0] ** 2 - v[1] ** 2, inner


def frame_coordinates(states: NDArray[np.float64], rank: int) -> NDArray[np.float64]:
    """Return coordinates of k, v, k*, v* in which k* and v* are axes, shape (runs, 4, rank)."""
    gram = gram_matrices(states)
    vectors = np.zeros((len(states), 4, 4))
    vectors[:, :2, :2] = gram[:, :2, 2:]
    vectors[:, 2, 0] = vectors[:, 3, 1] = 1.0
    # What is left of k and v, by a root of its Gram matrix: the larger part comes first.
    inside = vectors[:, :2, :2]
    values, axes = np.linalg.eigh(gram[:, :2, :2] - inside @ inside.transpose(0, 2, 1))
    vectors[:, :2, 2:] = (axes * np.sqrt(np.maximum(values, 0.0))[:, None, :])[:, :, ::-1]
    beyond = (vectors[:, :, rank:] ** 2).sum(axis=(1, 2))
    wrong = (values[:, 0] < -SLACK) | (beyond > SLACK)
    if wrong.any():
        at = int(np.argmax(wrong))
        raise ValueError(f"no vectors in R^{rank} have the overlaps {states[at].tolist()}")
    return SPHERES.normalise(vectors[:, :, :rank])


def vectors_from_overlaps(states: _Array, task: Task) -> _Array:
    """Return vectors k and v with given overlaps, with an unused axis if d allows it."""
    found = frame_coordinates(states, min(task.d, 4))[:, :2]
    return np.pad(found, ((0, 0), (0, 0), (0, min(task.d, 5) - found.shape[-1])))


def overlaps_of_vectors(points: _Array) -> _Array:
    """Return the five overlaps of vectors k and v whose first two axes are k* and v*."""
    inner = np.sum(points[..., 0, :] * points[..., 1, :], axis=-1)
    return np.stack([*(points[..., i, j] for i, j in _PLACES), inner], axis=-1)


def overlap_jacobian(points: _Array) -> _Array:
    """Return the derivatives of the overlaps in the coordinates of k and v."""
    m = points.shape[-1]
    rates = np.zeros((*points.shape[:-2], 5, 2, m))
    for row, (i, j) in enumerate(_PLACES):
        rates[..., row, i, j] = 1.0
    rates[..., 4, :, :] = points[..., ::-1, :]
    return rates.reshape(*points.shape[:-2], 5, 2 * m)


def ambient_derivatives(
    points: _Array, lam: Any, task: Task, backend: str = "numpy"
) -> tuple[_Array, _Array]:
    """Return the gradient and the Hessian of the risk in k and v as unconstrained vectors."""
    state = overlaps_of_vectors(points)
    partial, second = (f(state, lam, task, backend) for f in (gradient, hessian))
    rates = overlap_jacobian(points)
    m = points.shape[-1]
    grad = np.einsum("...p,...pi->...i", partial, rates).reshape(points.shape)
    hess = np.swapaxes(rates, -1, -2) @ second @ rates
    index = np.arange(m)
    for i in (0, 1):
        # The last overlap is bilinear in k and v.
        hess[..., i * m + index, (1 - i) * m + index] += partial[..., 4, None]
    return grad, hess


def riemannian_derivatives_and_basis(
    points: _Array, lam: Any, task: Task
) -> tuple[_Array, _Array, _Array]:
    """Return gradient and Hessian of the risk on the two spheres, and the tangent basis used."""
    return SPHERES.hessian_to_riemannian(points, *ambient_derivatives(points, lam, task))


def largest_curvatures(points: _Array, lam: Any, task: Task, *, planar: bool = False) -> _Array:
    """Return the largest eigenvalue of the risk's Riemannian Hessian at each point (k, v).

    By differences of the gradient, as its program is compiled in a tenth of the Hessian's time.
    """
    h = 1e-5
    basis = _planar_basis(points) if planar else SPHERES.tangent_basis(points)
    columns = []
    for tangent in np.moveaxis(basis, -1, 0):
        step = h * tangent.reshape(points.shape)
        ahead, behind = (
            _tangent_slope(SPHERES.retract(points, x), lam, task) for x in (step, -step)
        )
        columns.append((ahead - behind).reshape(*points.shape[:-2], -1) / (2 * h))
    hess = np.swapaxes(basis, -1, -2) @ np.stack(columns, axis=-1)
    values = np.linalg.eigvalsh((hess + np.swapaxes(hess, -1, -2)) / 2)
    return np.asarray(values[..., -1], dtype=np.float64)


def _tangent_slope(points: _Array, lam: Any, task: Task) -> _Array:
    partial = gradient(overlaps_of_vectors(points), lam, task)
    grad = np.einsum("...p,...pi->...i", partial, overlap_jacobian(points)).reshape(points.shape)
    return SPHERES.project(points, grad)


def manifold_vectors(states: _Array) -> _Array:
    """Return vectors with given (kappa, nu) on the manifold, for k and v in separate planes."""
    # Rounding may leave the square by a digit.
    square = np.clip(states, -1, 1)
    points = np.zeros((*square.shape[:-1], 2, 4))
    for i in (0, 1):
        points[..., i, i], points[..., i, i + 2] = square[..., i], np.sqrt(1 - square[..., i] ** 2)
    return points


def _planar_basis(points: _Array) -> _Array:
    """Return the tangent vectors along which k and v move on the manifold."""
    basis = np.zeros((*points.shape, 2))
    basis[..., 0, 0, 0], basis[..., 0, 2, 0] = -points[..., 0, 2], points[..., 0, 0]
    basis[..., 1, 1, 1], basis[..., 1, 3, 1] = -points[..., 1, 3], points[..., 1, 1]
    return basis.reshape(*points.shape[:-2], -1, 2)
