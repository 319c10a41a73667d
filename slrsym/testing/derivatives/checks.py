"""The checks: of a gradient, of a Hessian, of a retraction.

The method is that of Boumal, *An Introduction to Optimization on Smooth Manifolds* (2023), Sections
4.8 and 6.8.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from slrsym.testing.derivatives.arguments import Array, finite_array, increasing_steps
from slrsym.testing.derivatives.manifolds import Euclidean, Manifold
from slrsym.testing.derivatives.remainders import TaylorCheck, fitted

__all__ = ["check_gradient", "check_hessian", "check_retraction"]


def check_gradient(
    cost: Callable[[Any], Any],
    gradient: Callable[[Any], Any],
    point: ArrayLike,
    direction: ArrayLike | None = None,
    *,
    manifold: Manifold | None = None,
    steps: ArrayLike | None = None,
    seed: int = 0,
) -> TaylorCheck:
    """Compare a gradient with its cost, along one direction.

    Parameters
    ----------
    cost : callable
        Of an array; it returns a number.
    gradient : callable
        Of an array; it returns an array of the same shape. On a manifold, the gradient in the
        surrounding space and its tangential part will both do.
    point : array_like, any shape
        Where; on a manifold, a point of it.
    direction : array_like, optional
        Which way, of the shape of the point; on a manifold its tangential part is taken. By
        default a random one of length 1.
    manifold : Manifold, optional
        Where the point may move, `UnitSpheres` for instance; by default anywhere.
    steps : array_like, shape (n,), optional
        How far along the curve: positive, increasing, 20 at least; by default from 1e-9 to 1.
    seed : int, optional
        Of the random direction.

    Returns
    -------
    TaylorCheck
        Of slope 2, if the gradient is right.

    Raises
    ------
    ValueError
        If shapes do not fit, or something is not finite.

    Examples
    --------
    >>> import slrsym
    >>> task, lam = slrsym.Task(d=40, L=5, gamma=0.7), 0.3
    >>> check = check_gradient(
    ...     lambda state: slrsym.risk(state, lam, task),
    ...     lambda state: slrsym.gradient(state, lam, task),
    ...     [0.3, 0.2, 0.1, 0.0, 0.4],
    ... )
    >>> round(check.slope, 1)
    2.0
    """
    curve = _Curve(cost, point, direction, manifold, steps, seed)
    slope = _inner(curve.derivative("gradient", gradient(curve.point)), curve.direction)
    return curve.compared((slope,), 2)


def check_hessian(
    cost: Callable[[Any], Any],
    gradient: Callable[[Any], Any],
    hessian: Callable[[Any, Any], Any],
    point: ArrayLike,
    direction: ArrayLike | None = None,
    *,
    manifold: Manifold | None = None,
    steps: ArrayLike | None = None,
    seed: int = 0,
) -> TaylorCheck:
    """Compare a Hessian with its cost, along one direction.

    Parameters
    ----------
    cost : callable
        Of an array; it returns a number.
    gradient : callable
        Of an array; it returns an array of the same shape.
    hessian : callable
        Of a point and a direction; it returns the Hessian's image of the direction. On a manifold,
        gradient and Hessian are either both those of the surrounding space, or both the
        Riemannian ones.
    point : array_like, any shape
        Where; on a manifold, a point of it.
    direction : array_like, optional
        Which way, of the shape of the point; on a manifold its tangential part is taken. By
        default a random one of length 1.
    manifold : Manifold, optional
        Where the point may move, `UnitSpheres` for instance; by default anywhere.
    steps : array_like, shape (n,), optional
        How far along the curve: positive, increasing, 20 at least; by default from 1e-9 to 1.
    seed : int, optional
        Of the random direction.

    Returns
    -------
    TaylorCheck
        Of slope 3, if gradient and Hessian are right.

    Raises
    ------
    ValueError
        If shapes do not fit, or something is not finite.
    """
    curve = _Curve(cost, point, direction, manifold, steps, seed)
    first = curve.derivative("gradient", gradient(curve.point))
    second = curve.derivative("hessian", hessian(curve.point, curve.direction))
    slope = _inner(first, curve.direction)
    # A gradient that is tangential has nothing of the acceleration of a geodesic.
    bend = _inner(second, curve.direction) + _inner(first, curve.acceleration)
    return curve.compared((slope, bend / 2), 3)


def check_retraction(
    retraction: Callable[[Any, Any], Any],
    point: ArrayLike,
    direction: ArrayLike,
    exponential: Callable[[Any, Any], Any] | None = None,
    *,
    steps: ArrayLike | None = None,
) -> TaylorCheck:
    """Compare a retraction with the straight line, or with the exponential map.

    Parameters
    ----------
    retraction : callable
        Of a point and a tangent vector; it returns a point.
    point : array_like, any shape
        Where.
    direction : array_like
        A tangent vector there, of the same shape.
    exponential : callable, optional
        The exponential map, of the same arguments; by default the sum of point and vector, which
        it touches.
    steps : array_like, shape (n,), optional
        How far along the curve: positive, increasing, 20 at least; by default from 1e-9 to 1.

    Returns
    -------
    TaylorCheck
        Of slope 2 at least, if it is a retraction; a retraction of second order has slope 3
        against the exponential map.

    Raises
    ------
    ValueError
        If shapes do not fit, something is not finite, or the direction is zero.

    Notes
    -----
    Whether the points lie on a manifold is not looked at.

    Examples
    --------
    >>> from slrsym.testing import UnitSpheres
    >>> spheres = UnitSpheres()
    >>> round(check_retraction(spheres.retract, [1, 0], [0, 1]).slope, 1)
    2.0
    >>> round(check_retraction(spheres.retract, [1, 0], [0, 1], spheres.exponential).slope, 1)
    3.0
    """
    start = finite_array("point", point)
    along = finite_array("direction", direction, start.shape)
    distances = increasing_steps(steps)
    other = exponential or (lambda x, u: x + u)
    if not np.linalg.norm(along) > 0:
        raise ValueError(f"direction must not be zero; got {direction!r}")
    ends = [
        [finite_array(name, move(start, t * along), start.shape) for t in distances.tolist()]
        for name, move in (("retraction", retraction), ("exponential", other))
    ]
    gaps = np.array([np.linalg.norm(a - b) for a, b in zip(*ends, strict=True)])
    return fitted(distances, gaps, float(np.abs(start).max(initial=0.0)), 2)


class _Curve:
    """A cost along a curve."""

    def __init__(
        self,
        cost: Callable[[Any], Any],
        point: ArrayLike,
        direction: ArrayLike | None,
        manifold: Manifold | None,
        steps: ArrayLike | None,
        seed: int,
    ) -> None:
        self.cost = cost
        self.point = finite_array("point", point)
        self.steps = increasing_steps(steps)
        self.manifold = Euclidean() if manifold is None else manifold
        if direction is None:
            along = np.random.default_rng(seed).standard_normal(self.point.shape)
        else:
            along = finite_array("direction", direction, self.point.shape)
        self.direction = self.manifold.tangent(self.point, along)
        length = np.linalg.norm(self.direction)
        # Nothing changes along no direction, whatever the derivatives.
        if not length > 1e-9 * np.linalg.norm(along):
            raise ValueError(f"direction must have a tangential part at the point; got {along!r}")
        if direction is None:
            self.direction = self.direction / length
        self.acceleration = self.manifold.acceleration(self.point, self.direction)

    def derivative(self, name: str, value: Any) -> Array:
        return finite_array(f"{name} at the point", value, self.point.shape)

    def value(self, point: Array) -> float:
        return float(finite_array("cost", self.cost(point), ()))

    def compared(self, coefficients: tuple[float, ...], order: int) -> TaylorCheck:
        """The cost less its value at the point and less the powers of the step."""
        first = self.value(self.point)
        values = np.array(
            [
                self.value(self.manifold.retract(self.point, t * self.direction))
                for t in self.steps.tolist()
            ]
        )
        powers = [c * self.steps**n for n, c in enumerate(coefficients, 1)]
        remainders = np.abs(values - first - np.sum(powers, axis=0))
        return fitted(self.steps, remainders, abs(first), order, values - first)


def _inner(x: Array, y: Array) -> float:
    return float(np.sum(x * y))
