"""Where a point may move: what the checks need to know of a manifold.

Retractions are those of Boumal, *An Introduction to Optimization on Smooth Manifolds* (2023),
Section 3.6.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from slrsym.testing.derivatives.arguments import Array

__all__ = ["Euclidean", "Manifold", "UnitSpheres"]


class Manifold(Protocol):
    """What the checks need to know of a manifold. Points and tangent vectors are arrays."""

    def tangent(self, point: Array, vector: Array) -> Array:
        """The tangent vector at a point that is closest to a vector.

        Parameters
        ----------
        point, vector : ndarray, the same shape

        Returns
        -------
        ndarray, the same shape
        """
        ...

    def retract(self, point: Array, step: Array) -> Array:
        """The point to which a tangent vector leads.

        Parameters
        ----------
        point, step : ndarray, the same shape

        Returns
        -------
        ndarray, the same shape
        """
        ...

    def acceleration(self, point: Array, direction: Array) -> Array:
        """The second derivative of the curve of retractions in a direction, where it begins.

        Parameters
        ----------
        point, direction : ndarray, the same shape

        Returns
        -------
        ndarray, the same shape
        """
        ...


class Euclidean:
    """Arrays without any constraint."""

    def tangent(self, point: Array, vector: Array) -> Array:
        """The vector itself."""
        return vector

    def retract(self, point: Array, step: Array) -> Array:
        """The sum of both."""
        return point + step

    def acceleration(self, point: Array, direction: Array) -> Array:
        """Zero, along a straight line."""
        return np.zeros_like(point)


class UnitSpheres:
    """Unit vectors along the last axis of an array: one of them, or a product of spheres.

    The retraction makes vectors unit vectors again, as projected gradient descent does.
    """

    def tangent(self, point: Array, vector: Array) -> Array:
        """The vector without its part along the point.

        Parameters
        ----------
        point, vector : ndarray, shape (..., d)

        Returns
        -------
        ndarray, shape (..., d)
        """
        result: Array = vector - np.sum(point * vector, axis=-1, keepdims=True) * point
        return result

    def retract(self, point: Array, step: Array) -> Array:
        """The sum of point and step, divided by its norm.

        Parameters
        ----------
        point, step : ndarray, shape (..., d)

        Returns
        -------
        ndarray, shape (..., d)
        """
        moved = point + step
        result: Array = moved / np.linalg.norm(moved, axis=-1, keepdims=True)
        return result

    def exponential(self, point: Array, step: Array) -> Array:
        """The end of the great circle that begins at the point, with the step as its velocity.

        Parameters
        ----------
        point, step : ndarray, shape (..., d)

        Returns
        -------
        ndarray, shape (..., d)
        """
        angle = np.linalg.norm(step, axis=-1, keepdims=True)
        result: Array = np.cos(angle) * point + np.sinc(angle / np.pi) * step
        return result

    def acceleration(self, point: Array, direction: Array) -> Array:
        """Towards the centre, by the square of the speed.

        Parameters
        ----------
        point, direction : ndarray, shape (..., d)

        Returns
        -------
        ndarray, shape (..., d)
        """
        result: Array = -np.sum(direction * direction, axis=-1, keepdims=True) * point
        return result
