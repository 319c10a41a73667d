r"""Checks of gradients, Hessians and retractions by the remainders of Taylor's formula.

A cost f is followed along a curve through a point x in a direction u. If the gradient is right,
:math:`f(x(t)) - f(x) - t \langle g, u \rangle` falls like :math:`t^2`, and if the Hessian is right
too, what is left after the next term falls like :math:`t^3`: the slope of a straight line on
logarithmic axes, which is returned as a number, and drawn on request. A slope of 1 says that the
gradient is wrong, a slope of 2 that the Hessian is.

Costs are the user's own, of arrays of any shape, in Euclidean space or on a manifold. The method is
that of Boumal, *An Introduction to Optimization on Smooth Manifolds* (2023), Sections 3.6, 4.8 and
6.8.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from slrsym.models.training.spheres import Spheres

__all__ = [
    "ManifoldLike",
    "TaylorCheck",
    "UnitSpheres",
    "check_gradient",
    "check_hessian",
    "check_retraction",
]

if TYPE_CHECKING:
    from matplotlib.axes import Axes


Array = NDArray[np.float64]

# How many steps there are by default from one power of ten to the next.
PER_DECADE = 10
_STEPS = np.logspace(-9, 0, 9 * PER_DECADE + 1)


def require_finite_array(name: str, value: Any, shape: tuple[int, ...] | None = None) -> Array:
    """Return a value as an array of finite numbers with a given shape, or raise an error."""
    array = np.asarray(value, dtype=np.float64)
    if shape is not None and array.shape != shape:
        raise ValueError(f"{name} must have shape {shape}; got {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite; got {value!r}")
    return array


def default_or_checked_steps(steps: ArrayLike | None) -> Array:
    """Check that step lengths are positive and increasing; return them, or a default for None."""
    values = _STEPS if steps is None else require_finite_array("steps", steps)
    if values.ndim != 1 or values.size < 2 * PER_DECADE or values[0] <= 0:
        raise ValueError(f"steps must be {2 * PER_DECADE} positive numbers at least; got {steps!r}")
    if (np.diff(values) <= 0).any():
        raise ValueError(f"steps must increase; got {steps!r}")
    return values


class ManifoldLike(Protocol):
    """Protocol of manifolds that the checks accept, with points and tangent vectors as arrays."""

    def tangent(self, point: Array, vector: Array) -> Array:
        """Return the projection of a vector to the tangent space at a point.

        Parameters
        ----------
        point, vector : ndarray, the same shape

        Returns
        -------
        ndarray, the same shape
        """
        ...

    def retract(self, point: Array, step: Array) -> Array:
        """Return the point to which a retraction moves a point along a tangent vector.

        Parameters
        ----------
        point, step : ndarray, the same shape

        Returns
        -------
        ndarray, the same shape
        """
        ...

    def acceleration(self, point: Array, direction: Array) -> Array:
        """Return the second derivative of the retraction's curve in a direction.

        Parameters
        ----------
        point, direction : ndarray, the same shape

        Returns
        -------
        ndarray, the same shape
        """
        ...


class Euclidean:
    """Euclidean space of arrays, without constraints."""

    def tangent(self, point: Array, vector: Array) -> Array:
        """Return the vector itself, since in Euclidean space every vector is tangential."""
        return vector

    def retract(self, point: Array, step: Array) -> Array:
        """Return the point plus the step."""
        return point + step

    def acceleration(self, point: Array, direction: Array) -> Array:
        """Return zero, since a straight line has no acceleration."""
        return np.zeros_like(point)


class UnitSpheres(ManifoldLike):
    """The manifold of unit vectors along the last axis of an array: products of spheres.

    Points and vectors are of shape (..., d). A tangent vector has no part along the point, the
    retraction divides the sum of point and step by its norm, as projected gradient descent does,
    and the acceleration is towards the centre, by the square of the speed.
    """

    _spheres = Spheres()

    def tangent(self, point: Array, vector: Array) -> Array:
        return self._spheres.project(point, vector)

    def retract(self, point: Array, step: Array) -> Array:
        return self._spheres.retract(point, step)

    def exponential(self, point: Array, step: Array) -> Array:
        """Return the end of the great circle arc from a point along a tangent vector.

        Parameters
        ----------
        point, step : ndarray, shape (..., d)

        Returns
        -------
        ndarray, shape (..., d)
        """
        angle = np.linalg.norm(step, axis=-1, keepdims=True)
        return np.asarray(np.cos(angle) * point + np.sinc(angle / np.pi) * step)

    def acceleration(self, point: Array, direction: Array) -> Array:
        return np.asarray(-np.sum(direction * direction, axis=-1, keepdims=True) * point)


@dataclass(frozen=True, eq=False)
class TaylorCheck:
    """Remainders of Taylor's formula, and the order at which they vanish.

    Attributes
    ----------
    steps : ndarray, shape (n,)
        How far along the curve.
    remainders : ndarray, shape (n,)
        What Taylor's formula leaves there, without a sign.
    used : ndarray of bool, shape (n,)
        On which of them the slope rests: about a decade, as close to the point as rounding lets one
        see.
    slope : float
        Of the straight line through these, on logarithmic axes; infinite if there is nothing but
        rounding in the remainders, as with a cost that is a polynomial of low degree. It is NaN if
        the cost is so noisy that a wrong derivative would not be seen: then nothing is known.
    order : int
        The slope that right derivatives have; a slope that is larger is right as well.
    """

    steps: Array
    remainders: Array
    used: NDArray[np.bool_]
    slope: float
    order: int

    def plot(self, axes: Axes | None = None) -> Axes:
        """Draw the remainders, and a line with the slope that they should have.

        Parameters
        ----------
        axes : matplotlib Axes, optional
            Where; by default a new figure.

        Returns
        -------
        matplotlib Axes
        """
        if axes is None:
            from matplotlib.figure import Figure

            axes = Figure(figsize=(4.5, 3.4), layout="constrained").add_subplot()
        seen = self.remainders > 0
        axes.set(xscale="log", yscale="log", xlabel="step", ylabel="remainder")
        axes.plot(self.steps[seen], self.remainders[seen], ".", color="#0072B2", markersize=4)
        if self.used.any():
            chosen = self.steps[self.used], self.remainders[self.used]
            axes.plot(*chosen, color="#D55E00", linewidth=2, label=f"slope {self.slope:.2f}")
            anchor = self.used.nonzero()[0][0]
            line = self.remainders[anchor] * (self.steps / self.steps[anchor]) ** self.order
            low, high = self.remainders[seen].min(), self.remainders[seen].max()
            shown = (line > low / 10) & (line < high * 10)
            label = f"slope {self.order}"
            axes.plot(self.steps[shown], line[shown], "--", color="#595959", lw=1, label=label)
            axes.legend(frameon=False)
        else:
            told = "too noisy to tell" if math.isnan(self.slope) else "nothing but rounding"
            axes.set_title(told, fontsize="medium")
        return axes


# Remainders count from here on, in units of what rounding may have made of them: it then bends the
# line by less than a hundredth.
_CLEAR = 100.0

# Noise that hides more than this share of what changes hides wrong derivatives, too.
_BLIND = 0.01


def fit_taylor_remainders(
    steps: Array, remainders: Array, size: float, order: int, changes: Array | None = None
) -> TaylorCheck:
    """Fit the slope of Taylor remainders on log scales, above rounding; return the check.

    A right derivative with a small error, and a wrong one, differ near the point. So the slope is
    taken there, not where the line is straightest.
    """
    used = np.zeros(steps.size, dtype=bool)
    # Rounding, be it of the cost's own making, is what is not smooth at the shortest steps.
    shortest = remainders[: PER_DECADE + 1]
    scatter = np.abs(shortest[1:-1] - (shortest[:-2] + shortest[2:]) / 2)
    rounding = np.finfo(float).eps * size
    noise = max(rounding, float(scatter.max()), _grain(changes))
    hidden = np.flatnonzero(remainders <= _CLEAR * noise)
    begin = int(hidden[-1]) + 1 if hidden.size else 0
    used[begin : begin + PER_DECADE + 1] = True
    if used.sum() < PER_DECADE // 2:
        used[:] = False
        signal = max(float(remainders.max()), 0.0 if changes is None else np.abs(changes).max())
        blind = noise > _CLEAR * rounding and _CLEAR * noise > _BLIND * signal
        return TaylorCheck(steps, remainders, used, math.nan if blind else math.inf, order)
    slope = np.polyfit(np.log(steps[used]), np.log(remainders[used]), 1)[0]
    return TaylorCheck(steps, remainders, used, float(slope), order)


def _grain(changes: Array | None) -> float:
    """Return the smallest change of the values if some are equal in rounding, else 0."""
    if changes is None:
        return 0.0
    differences = np.abs(np.diff(changes, prepend=0.0))
    moves = differences[differences > 0]
    return float(moves.min()) if moves.size and moves.size < differences.size else 0.0


def check_gradient(
    cost: Callable[[Any], Any],
    gradient: Callable[[Any], Any],
    point: ArrayLike,
    direction: ArrayLike | None = None,
    *,
    manifold: ManifoldLike | None = None,
    steps: ArrayLike | None = None,
    seed: int = 0,
) -> TaylorCheck:
    """Compare a gradient with its function along one direction; return the Taylor remainders.

    Parameters
    ----------
    cost : callable
        Of an array; it returns a number.
    gradient : callable
        Of an array; it returns an array of the same shape. On a manifold, the gradient in the
        surrounding space and its tangential part will both do.
    point : array_like, any shape
        Where; on a manifold, a point of it.
    direction : array_like, shape of `point`, optional
        Which way, of the shape of the point; on a manifold its tangential part is taken. By
        default a random one of length 1.
    manifold : ManifoldLike, optional
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
    >>> import numpy as np
    >>> pull = np.array([1.0, -2.0, 0.5])
    >>> check = check_gradient(
    ...     lambda w: np.log(np.cosh(w @ pull)),
    ...     lambda w: np.tanh(w @ pull) * pull,
    ...     [0.3, 0.2, 0.1],
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
    manifold: ManifoldLike | None = None,
    steps: ArrayLike | None = None,
    seed: int = 0,
) -> TaylorCheck:
    """Compare a Hessian with its function along one direction; return the Taylor remainders.

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
        As for `check_gradient`.
    direction : array_like, shape of `point`, optional
        As for `check_gradient`.
    manifold : ManifoldLike, optional
        As for `check_gradient`.
    steps : array_like, shape (n,), optional
        As for `check_gradient`.
    seed : int, optional
        As for `check_gradient`.

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
    """Compare a retraction with a straight line or the exponential map; return remainders.

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
    start = require_finite_array("point", point)
    along = require_finite_array("direction", direction, start.shape)
    distances = default_or_checked_steps(steps)
    if not np.linalg.norm(along) > 0:
        raise ValueError(f"direction must not be zero; got {direction!r}")

    def ends(name: str, move: Callable[[Any, Any], Any]) -> list[Array]:
        moved = (move(start, t * along) for t in distances.tolist())
        return [require_finite_array(name, end, start.shape) for end in moved]

    reached = ends("retraction", retraction)
    wanted = ends("exponential", exponential or (lambda x, u: x + u))
    gaps = np.array([np.linalg.norm(a - b) for a, b in zip(reached, wanted, strict=True)])
    return fit_taylor_remainders(distances, gaps, float(np.abs(start).max(initial=0.0)), 2)


class _Curve:
    """A function along a curve on a manifold, with the curve's start, direction and steps."""

    def __init__(
        self,
        cost: Callable[[Any], Any],
        point: ArrayLike,
        direction: ArrayLike | None,
        manifold: ManifoldLike | None,
        steps: ArrayLike | None,
        seed: int,
    ) -> None:
        self.cost = cost
        self.point = require_finite_array("point", point)
        self.steps = default_or_checked_steps(steps)
        self.manifold = Euclidean() if manifold is None else manifold
        if direction is None:
            along = np.random.default_rng(seed).standard_normal(self.point.shape)
        else:
            along = require_finite_array("direction", direction, self.point.shape)
        self.direction = self.manifold.tangent(self.point, along)
        length = np.linalg.norm(self.direction)
        # Nothing changes along no direction, whatever the derivatives.
        if not length > 1e-9 * np.linalg.norm(along):
            raise ValueError(f"direction must have a tangential part at the point; got {along!r}")
        if direction is None:
            self.direction = self.direction / length
        self.acceleration = self.manifold.acceleration(self.point, self.direction)

    def derivative(self, name: str, value: Any) -> Array:
        return require_finite_array(f"{name} at the point", value, self.point.shape)

    def value(self, point: Array) -> float:
        return float(require_finite_array("cost", self.cost(point), ()))

    def compared(self, coefficients: tuple[float, ...], order: int) -> TaylorCheck:
        """Compare the function along the curve with its Taylor polynomial at the point."""
        first = self.value(self.point)
        along = (self.manifold.retract(self.point, t * self.direction) for t in self.steps.tolist())
        changes = np.array([self.value(x) for x in along]) - first
        powers = [c * self.steps**n for n, c in enumerate(coefficients, 1)]
        remainders = np.abs(changes - np.sum(powers, axis=0))
        return fit_taylor_remainders(self.steps, remainders, abs(first), order, changes)


def _inner(x: Array, y: Array) -> float:
    return float(np.sum(x * y))
