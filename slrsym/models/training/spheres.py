r"""Spheres: tangent vectors, retraction, projected steps, and second derivatives on them.

A point is an array of vectors along its last axis, each on the unit sphere, or without a
constraint. A projected step is written out in `Spheres.step`, and nowhere else in numbers but where
a loop of machine code has it, and where a check has to be independent.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


class Spheres:
    """A product of unit spheres, and of spaces without a constraint.

    Parameters
    ----------
    on_sphere : array_like of bool, optional
        Which vectors of a point are on spheres; it broadcasts with the axes of a point before the
        last. By default all are.
    """

    def __init__(self, on_sphere: ArrayLike = True) -> None:
        self.on_sphere = np.asarray(on_sphere, dtype=bool)
        self._all = bool(self.on_sphere.all())

    def multipliers(self, points: Array, gradient: Array) -> Array:
        """Return the radial parts of a gradient, which are Lagrange's multipliers.

        Parameters
        ----------
        points, gradient : ndarray, shape (..., m)

        Returns
        -------
        ndarray of shape (...)
            Zero for vectors without a constraint.
        """
        along: Array = np.sum(points * gradient, axis=-1)
        return along if self._all else np.where(self.on_sphere, along, 0.0)

    def project(self, points: Array, vectors: Array) -> Array:
        """Return the tangential parts of vectors.

        Parameters
        ----------
        points, vectors : ndarray, shape (..., m)

        Returns
        -------
        ndarray of shape (..., m)
        """
        return np.asarray(vectors - self.multipliers(points, vectors)[..., None] * points)

    def retract(self, points: Array, steps: Array) -> Array:
        """Return points moved by steps, with the vectors on spheres normalised again.

        Parameters
        ----------
        points, steps : ndarray, shape (..., m)

        Returns
        -------
        ndarray of shape (..., m)
        """
        return self.normalise(points + steps)

    def normalise(self, vectors: Array) -> Array:
        """Return vectors divided by their lengths, if they are on spheres.

        Parameters
        ----------
        vectors : ndarray, shape (..., m)

        Returns
        -------
        ndarray of shape (..., m)
        """
        squares = np.sum(vectors * vectors, axis=-1, keepdims=True)
        # Not a number where a square overflows, in whose place vectors of length 0 would go on.
        lengths = np.sqrt(squares) + 0 * squares
        if not self._all:
            lengths = np.where(self.on_sphere[..., None], lengths, 1.0)
        return np.asarray(vectors / lengths)

    def step(self, points: Array, gradient: Array, alpha: float) -> Array:
        """Return points after a step of projected gradient descent.

        Parameters
        ----------
        points, gradient : ndarray, shape (..., m)
        alpha : float
            Step size.

        Returns
        -------
        ndarray of shape (..., m)
        """
        return self.retract(points, -alpha * self.project(points, gradient))

    def tangent_basis(self, points: Array) -> Array:
        """Return orthonormal bases of the tangent spaces, as columns.

        Parameters
        ----------
        points : ndarray, shape (..., t, m)

        Returns
        -------
        ndarray of shape (..., t m, t m - s)
            For s vectors on spheres.
        """
        t, m = points.shape[-2:]
        mask = np.broadcast_to(self.on_sphere, t)
        basis = np.zeros((*points.shape[:-2], t * m, t * m - int(mask.sum())))
        begin = 0
        for i in range(t):
            rows = slice(i * m, (i + 1) * m)
            if mask[i]:
                # The columns, but the first, of the reflection that takes the first axis there.
                basis[..., rows, begin : begin + m - 1] = _reflection(points[..., i, :])[..., 1:]
            else:
                basis[..., rows, begin : begin + m] = np.eye(m)
            begin += m - int(mask[i])
        return basis

    def hessian_to_riemannian(
        self, points: Array, gradient: Array, hessian: Array
    ) -> tuple[Array, Array, Array]:
        """Return gradient and Hessian in bases of the tangent spaces, and these bases.

        Parameters
        ----------
        points, gradient : ndarray, shape (..., t, m)
            The gradient is that of a function of vectors without a constraint.
        hessian : ndarray, shape (..., t m, t m)
            Of the same function.

        Returns
        -------
        gradient : ndarray, shape (..., n)
        hessian : ndarray, shape (..., n, n)
            Symmetric: second derivatives along geodesics.
        basis : ndarray, shape (..., t m, n)
        """
        basis = self.tangent_basis(points)
        across = np.swapaxes(basis, -1, -2)
        second = across @ self.lagrangian(points, gradient, hessian) @ basis
        flat = gradient.reshape(*gradient.shape[:-2], -1, 1)
        return (across @ flat)[..., 0], (second + np.swapaxes(second, -1, -2)) / 2, basis

    def lagrangian(self, points: Array, gradient: Array, hessian: Array) -> Array:
        """Return the Hessian of the Lagrangian: a Hessian less the multipliers.

        Parameters
        ----------
        points, gradient : ndarray, shape (..., t, m)
        hessian : ndarray, shape (..., t m, t m)

        Returns
        -------
        ndarray of shape (..., t m, t m)
        """
        found = np.array(hessian)
        diagonal = np.arange(found.shape[-1])
        weights = self.multipliers(points, gradient)
        found[..., diagonal, diagonal] -= np.repeat(weights, points.shape[-1], axis=-1)
        return found


def _reflection(x: Array) -> Any:
    """Return the reflection that takes the first axis to a unit vector, up to its sign."""
    sign = np.where(x[..., :1] < 0, -1.0, 1.0)
    normal = x.copy()
    normal[..., :1] += sign
    normal /= np.linalg.norm(normal, axis=-1, keepdims=True)
    return np.eye(x.shape[-1]) - 2 * normal[..., :, None] * normal[..., None, :]
