"""Directions in coordinates of their span, with room for what a step adds beyond it.

In each eigenspace the first coordinates are along the fixed directions, which never change, and as
many follow as there are trained directions. Dimensions that there are not have no coordinates.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from slrsym.models.training.spheres import Spheres

Array = NDArray[np.float64]

# What is less of a coordinate is rounding, in the root of a matrix.
_FLAT = 1e-7

# Of the square of a vector, what is left of it beside others is rounding if it is less.
FLAT_SQUARE = 1e-24

# Of a pivot, what is left of it is rounding if it is less.
FLAT_PIVOT = 1e-13


class DirectionFrames:
    """Coordinates of directions in which steps on sampled tokens are taken.

    Parameters
    ----------
    factor : ndarray, shape (runs, spaces, p, r)
        Factors of their Gram matrices, trained ones first.
    t : int
        How many are trained.
    dimensions : sequence of int
        Of the eigenspaces.

    Attributes
    ----------
    states : ndarray, shape (runs, spaces, p, p)
        Coordinates of the directions.
    beyond : ndarray of int, shape (spaces,)
        How many dimensions of each eigenspace have no coordinate.

    Raises
    ------
    ValueError
        If the directions span more than the dimensions.
    """

    def __init__(self, factor: Array, t: int, dimensions: Sequence[int]) -> None:
        runs, spaces, p, _ = factor.shape
        self.spaces, self._t, self._head = int(spaces), t, p - t
        self.states = np.zeros((runs, self.spaces, p, p))
        # Coordinates that exist, by space.
        self.live = np.zeros((self.spaces, p), dtype=bool)
        self.beyond = np.zeros(self.spaces, dtype=np.int64)
        for space, d in enumerate(dimensions):
            trained, fixed = factor[:, space, :t], factor[:, space, t:]
            if self._is_in_frame(fixed, trained, d):
                # Runs that go on do so to the last bit.
                count = max(0, min(t, d - self._head))
                self.states[:, space] = factor[:, space]
                self.live[space, : p - t + count] = True
                self.beyond[space] = d - self._head - count
                continue
            left, sizes, right = np.linalg.svd(fixed, full_matrices=False)
            rank = int((sizes > _FLAT).any(axis=0).sum())
            # The first ones, as singular values fall.
            basis = right[:, :rank]
            along = trained @ np.swapaxes(basis, -1, -2)
            self.states[:, space, t:, :rank] = (left * sizes[:, None])[..., :rank]
            self.states[:, space, :t, :rank] = along
            count = max(0, min(t, d - rank))
            rest = trained - along @ basis
            whole = coordinates_in_span(rest, t)
            if rank > d or np.abs(np.linalg.svd(rest)[1][:, count:]).max(initial=0.0) > _FLAT:
                raise ValueError(f"start must have directions in R^{d}; these span more dimensions")
            tail = whole if count == t else coordinates_in_span(rest, count)
            self.states[:, space, :t, p - t : p - t + tail.shape[-1]] = tail
            self.live[space, :rank] = self.live[space, p - t : p - t + count] = True
            self.beyond[space] = d - rank - count
        degrees = np.maximum(0.0, self.beyond[:, None] - np.arange(t))
        self.degrees = degrees.reshape(-1)
        self._counts = self.live[:, p - t :].sum(axis=1).tolist()

    def _is_in_frame(self, fixed: Array, trained: Array, d: int) -> bool:
        """Tell whether fixed directions lie along the first axes, and no coordinate too many."""
        head, p = self._head, self._head + self._t
        return (
            head <= d
            and fixed.shape[-1] == p
            and not fixed[..., head:].any()
            and not trained[..., d:].any()
        )

    @property
    def width(self) -> int:
        """The number of coordinates of all eigenspaces."""
        return int(self.live.size)

    @property
    def normals(self) -> int:
        """The number of normal numbers that are drawn for what is beyond the frame, of a run."""
        return self.spaces * (self._t * (self._t - 1) // 2)

    def rows(self, states: Array) -> Array:
        """Return directions with the coordinates of all eigenspaces, shape (runs, p, width)."""
        moved = np.swapaxes(states, 1, 2)
        return moved.reshape(*moved.shape[:2], -1)

    def spread(self, scales: Array) -> Array:
        """Return the standard deviation of tokens along each coordinate, shape (width,)."""
        return np.asarray(scales[:, None] * self.live).reshape(-1)

    def triangles(self, normals: Array, chi: Array) -> Array:
        """Return roots of Wishart matrices, shape (runs, spaces, t, t), from random numbers.

        They are lower triangles, with roots of chi-squares on the diagonal.
        """
        shape = (len(normals), self.spaces, self._t, self._t)
        found = np.zeros(shape)
        below = np.tril_indices(self._t, -1)
        found[..., below[0], below[1]] = normals.reshape(*shape[:2], -1)
        found *= (self.degrees > 0).reshape(self.spaces, 1, self._t)
        diagonal = np.arange(self._t)
        found[..., diagonal, diagonal] = np.sqrt(chi).reshape(shape[:-1])
        return np.asarray(found)

    def step(
        self, states: Array, inside: Array, beyond: Array, spheres: Spheres, alpha: float
    ) -> Array:
        """Return states after a step of projected descent, in frames of the new directions.

        Parameters
        ----------
        states : ndarray, shape (runs, spaces, p, p)
        inside : ndarray, shape (runs, t, width)
            Gradients in the frame.
        beyond : ndarray, shape (runs, spaces, t, t)
            Gradients beyond it.
        spheres : Spheres
        alpha : float

        Returns
        -------
        ndarray of shape (runs, spaces, p, p)
        """
        runs, spaces, p, _ = states.shape
        t = self._t
        old = np.pad(states[:, :, :t], ((0, 0), (0, 0), (0, 0), (0, t)))
        gradient = np.swapaxes(inside.reshape(runs, t, spaces, p), 1, 2)
        gradient = np.concatenate([gradient, beyond], axis=-1)
        moved = spheres.step(self.rows(old), self.rows(gradient), alpha)
        new = np.swapaxes(moved.reshape(runs, t, spaces, p + t), 1, 2)
        found = states.copy()
        found[:, :, :t] = new[..., :p]
        for space in np.flatnonzero(self.beyond).tolist():
            # There are coordinates for all trained directions.
            tail = orthonormal_rows(new[:, space, :, self._head :])[1]
            found[:, space, :t, self._head :] = tail
        return found

    def with_moved(self, states: Array, moved: Array) -> Array:
        """Return states with trained directions moved, in frames of their new span.

        Parameters
        ----------
        states : ndarray, shape (runs, spaces, p, p)
        moved : ndarray, shape (runs, t, spaces, m)
            In the coordinates along fixed directions, and in any others.

        Returns
        -------
        ndarray of shape (runs, spaces, p, p)
        """
        t, head = self._t, self._head
        new = np.swapaxes(moved, 1, 2)
        found = states.copy()
        found[:, :, :t, :head] = new[..., :head]
        for space, count in enumerate(self._counts):
            tail = coordinates_in_span(new[:, space, :, head:], count)
            found[:, space, :t, head : head + count] = tail
        return found


def coordinates_in_span(vectors: Array, count: int) -> Array:
    """Return vectors in so many coordinates of an orthonormal basis of their span.

    Parameters
    ----------
    vectors : ndarray, shape (runs, t, m)
    count : int
        At least the dimension of their span.

    Returns
    -------
    ndarray of shape (runs, t, count)
    """
    t = vectors.shape[1]
    if count >= t:
        upper = np.linalg.qr(np.swapaxes(vectors, -1, -2), mode="r")
        found = np.swapaxes(upper, -1, -2)
        return np.asarray(np.pad(found, ((0, 0), (0, 0), (0, count - found.shape[-1]))))
    lost = np.logical_not(np.isfinite(vectors)).any(axis=(1, 2), keepdims=True)
    left, sizes, _ = np.linalg.svd(np.where(lost, 0.0, vectors))
    found = left[..., : sizes.shape[-1]] * sizes[:, None]
    return np.asarray(np.where(lost, np.nan, found)[..., :count])


def orthonormal_rows(vectors: Array) -> tuple[Array, Array]:
    """Return an orthonormal basis of vectors, and their coordinates in it, a lower triangle.

    Parameters
    ----------
    vectors : ndarray, shape (..., q, m)

    Returns
    -------
    basis : ndarray, shape (..., q, m)
        Zero in place of vectors that add no dimension.
    lower : ndarray, shape (..., q, q)
    """
    found = vectors.copy()
    for n in range(vectors.shape[-2]):
        own, before = found[..., n, :], found[..., :n, :]
        square = np.add.reduce(own * own, axis=-1)
        # Twice is enough.
        for k in [*range(n), *range(n)]:
            own -= np.add.reduce(own * before[..., k, :], axis=-1)[..., None] * before[..., k, :]
        rest = np.add.reduce(own * own, axis=-1)
        live = rest > FLAT_SQUARE * square
        own *= np.where(live, 1 / np.sqrt(np.where(live, rest, 1.0)), 0.0)[..., None]
    lower = np.tril(vectors @ np.swapaxes(found, -1, -2))
    return found, lower


def roots_of_gram_matrices(gram: Array) -> Array:
    """Return lower triangular roots of positive semidefinite matrices, shape (..., t, t)."""
    rest, found = gram.copy(), np.zeros_like(gram)
    for j in range(gram.shape[-1]):
        pivot = rest[..., j, j]
        live = pivot > FLAT_PIVOT * gram[..., j, j]
        root = np.sqrt(np.where(live, pivot, 1.0))
        column = np.where(live[..., None], rest[..., j:, j] / root[..., None], 0.0)
        found[..., j:, j] = column
        rest[..., j:, j:] -= column[..., :, None] * column[..., None, :]
    return found
