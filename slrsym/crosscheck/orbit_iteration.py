"""Numerical orbits of maps, and periodic points by Newton's method.

Newton's method goes on in many digits, and says nothing rather than something doubtful.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import mpmath
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from sympy import Symbol, Tuple, lambdify

from slrsym.crosscheck import Inconclusive
from slrsym.crosscheck.points import parameters_of_statements, sample_points
from slrsym.prover.statements.maps import BoxMap, value_at

DIGITS = 50

# How small the last step has to be, and how far from singular the derivative.
_SETTLED = mpmath.mpf(10) ** -30
REGULAR = 1e-8
_MOST = 12
_FAR = 100


def solve_by_newton(function: Callable[..., Any], start: Sequence[Any]) -> tuple[Any, ...] | None:
    """Solve a system of equations by Newton's method; return None if it does not converge."""
    size = len(start)
    with mpmath.workdps(DIGITS):
        x = [mpmath.mpf(float(c)) for c in start]
        try:
            for _ in range(_MOST):
                value = mpmath.matrix(function(*x))
                slopes = numerical_jacobian(function, x)
                # A zero already has no way to go, even where the derivative is singular.
                exact = mpmath.norm(value) == 0
                way = mpmath.matrix(size, 1) if exact else mpmath.lu_solve(slopes, -value)
                x = [a + b for a, b in zip(x, way, strict=True)]
                if mpmath.norm(way) < _SETTLED:
                    return tuple(x) if _is_regular(slopes) else None
                if mpmath.norm(mpmath.matrix(x)) > _FAR:
                    return None
        except (ZeroDivisionError, ValueError, TypeError, OverflowError):
            return None
    return None


def _is_regular(slopes: Any) -> bool:
    matrix = np.array(slopes.tolist(), dtype=float)
    return bool(np.isfinite(matrix).all() and np.linalg.svd(matrix)[1].min() > REGULAR)


def numerical_jacobian(function: Callable[..., Any], x: Sequence[Any]) -> Any:
    """Return the Jacobian matrix of a function at a point, by central differences."""
    size = len(x)
    step = mpmath.mpf(10) ** (-DIGITS // 3)
    matrix = mpmath.matrix(size, size)
    for j in range(size):
        up, down = ([c + s * step * (i == j) for i, c in enumerate(x)] for s in (1, -1))
        for i, (a, b) in enumerate(zip(function(*up), function(*down), strict=True)):
            matrix[i, j] = (a - b) / (2 * step)
    return matrix


def is_close(a: Sequence[Any], b: Sequence[Any]) -> bool:
    """Return whether two points differ by less than 1e-6 in every coordinate."""
    return all(abs(x - y) < 1e-6 for x, y in zip(a, b, strict=True))


Array = NDArray[np.float64]

# The step of difference quotients in floating point.
DIFFERENCE = 1e-6


def jacobians_at_points(function: Callable[[Array], Array], x: Array) -> Array:
    """Return a function's Jacobian matrices at many points, by central differences in floats."""
    columns = [
        (function(x + shift) - function(x - shift)) / (2 * DIFFERENCE)
        for shift in DIFFERENCE * np.eye(len(x))[:, :, None]
    ]
    return np.stack(columns, axis=-1).swapaxes(0, 1)


# How many steps are taken, and from how many random starts.
STEPS = 1500
STARTS = 24

# By how much an orbit may leave the box in floating point.
_ROUNDING = 1e-9
# What counts as standing still.
_LEAST_STEP = 1e-7
# Rounds of Newton's method in floating point, before that of many digits.
_ROUNDS = 30


@lru_cache(maxsize=256)
def _compile(names: tuple[Symbol, ...], parts: tuple[Any, ...], module: str) -> Any:
    """Compile functions once for all values of the parameters."""
    return lambdify(names, parts, modules=[module], cse=True)


@dataclass
class MapInstance:
    """A map of a box, with random numbers for its parameters."""

    map: BoxMap
    point: Mapping[Symbol, Any]
    rng: Generator = field(repr=False)

    def compile_function(self, function: Any, module: str, *first: Symbol) -> Any:
        """Compile a function of the coordinates, with the parameters' values inserted.

        Other variables may come first, such as the time.
        """
        names = (*first, *self.map.coordinates)
        body = value_at(function, names)
        parts = tuple(body) if isinstance(body, Tuple) else (body,)
        try:
            made = _compile((*names, *self.point), parts, module)
        except Exception as problem:
            raise Inconclusive(f"{function} cannot be computed: {problem}") from None
        if module == "mpmath":
            values = [mpmath.mpf(v.p) / v.q for v in self.point.values()]
        else:
            values = [float(v) for v in self.point.values()]
        return lambda *x: made(*x, *values)

    @cached_property
    def _step(self) -> Any:
        return self.compile_function(self.map.args[0], "scipy")

    @cached_property
    def precise_map(self) -> Any:
        """The map in mpmath numbers, as a function of the coordinates."""
        return self.compile_function(self.map.args[0], "mpmath")

    def images_of_points(self, x: Array) -> Array:
        """Return the images of many points under the map."""
        with np.errstate(all="ignore"):
            images = self._step(*x)
        return np.stack([np.broadcast_to(np.asarray(y, dtype=float), x[0].shape) for y in images])

    def random_starts(self, count: int) -> Array:
        """Draw uniform random points of the box."""
        low, high = self.box_ends
        return low + (high - low) * self.rng.random((len(low), count))

    @cached_property
    def box_ends(self) -> tuple[Array, Array]:
        """The lower and the upper ends of the box, each of shape (dimension, 1)."""
        low, high = (np.array([float(x) for x in ends]) for ends in (self.map.low, self.map.high))
        return low[:, None], high[:, None]

    def outside_flags(self, x: Array) -> NDArray[np.bool_]:
        """Return a flag for each point that lies outside the box by more than rounding errors."""
        low, high = self.box_ends
        inside = ((x >= low - _ROUNDING) & (x <= high + _ROUNDING)).all(axis=0)
        return np.asarray(~inside)

    def follow_orbits(self) -> StartMiddleAndEndOfOrbits:
        """Return the first, middle and last points of the map's orbits from random starts."""
        start = self.random_starts(STARTS)
        x, left = start, np.zeros(STARTS, dtype=bool)
        middle = start
        for number in range(STEPS):
            last, x = x, self.images_of_points(x)
            left |= self.outside_flags(x)
            if number <= STEPS // 2:
                middle = x
            if np.array_equal(x, last):
                break
        return StartMiddleAndEndOfOrbits(start, middle, last, x, left)

    # -- fixed points --------------------------------------------------------------------------

    def fixed_points(self, period: int = 1) -> list[tuple[Any, ...]]:
        """Return points of the box with a given period, found by Newton's method."""
        grid = np.meshgrid(*([(0.0, 0.5, 1.0)] * len(self.map.coordinates)))
        low, high = self.box_ends
        nodes = low + (high - low) * np.stack([axis.ravel() for axis in grid])
        shift = 0.02 * (high - low) * self.rng.standard_normal(nodes.shape)
        found: list[tuple[Any, ...]] = []
        for start in self._candidates(
            np.concatenate([nodes + shift, self.random_starts(6)], axis=1), period
        ):
            point = self.find_periodic_point(start, period)
            if point is not None and not any(is_close(point, other) for other in found):
                found.append(point)
        return found

    def _candidates(self, x: Array, period: int) -> list[Any]:
        """Return limits of Newton's method for periodic points, in floats from many starts."""

        def returns(x: Array) -> Array:
            y = x
            for _ in range(period):
                y = self.images_of_points(y)
            return y - x

        with np.errstate(all="ignore"):
            for _ in range(_ROUNDS):
                slopes = jacobians_at_points(returns, x)
                # What is singular leads nowhere.
                slopes[~(np.abs(np.linalg.det(slopes)) > REGULAR**2)] = np.eye(len(x)) * 1e9
                way = -np.linalg.solve(slopes, returns(x).T[:, :, None])[:, :, 0].T
                x = x + way
        kept: list[Any] = []
        for point, last in zip(x.T, way.T, strict=True):
            # The ends of the box lie within rounding errors of where some of them should be.
            inside = not self.outside_flags(point[:, None] * (1 - 1e-6))[0]
            if inside and np.abs(last).max() < 1e-6 and not any(is_close(point, o) for o in kept):
                kept.append(point)
        return kept

    def find_periodic_point(self, start: Any, period: int = 1) -> tuple[Any, ...] | None:
        """Search for a point of given period by Newton's method; return None if none is found."""

        def returns(*x: Any) -> Any:
            y = x
            for _ in range(period):
                y = self.precise_map(*y)
            return [b - a for a, b in zip(x, y, strict=True)]

        return self._solved(returns, start)

    def find_collision(self, point: Any, start: Any) -> tuple[Any, ...] | None:
        """Search for another point with the same image as a given one; return it, or None."""
        with mpmath.workdps(DIGITS):
            image = self.precise_map(*map(mpmath.mpf, point))
            found = self._solved(
                lambda *x: [a - b for a, b in zip(self.precise_map(*x), image, strict=True)], start
            )
        return None if found is None or is_close(found, point) else found

    def _solved(self, function: Any, start: Any) -> tuple[Any, ...] | None:
        point = solve_by_newton(function, start)
        if point is None:
            return None
        place = np.array([[float(c)] for c in point])
        return None if self.outside_flags(place)[0] else point

    def is_attracting(self, point: Any) -> bool:
        """Return whether orbits that start near a fixed point converge to it."""
        with mpmath.workdps(DIGITS):
            matrix = numerical_jacobian(
                lambda *x: list(self.precise_map(*x)), [mpmath.mpf(c) for c in point]
            )
        values = np.linalg.eigvals(np.array(matrix.tolist(), dtype=float))
        return bool(np.abs(values).max() < 1 - REGULAR)


@dataclass(frozen=True)
class StartMiddleAndEndOfOrbits:
    """Orbits of many starts: first, middle and last points."""

    start: Array
    middle: Array
    before: Array
    end: Array
    left: NDArray[np.bool_]

    @property
    def stopped_flags(self) -> NDArray[np.bool_]:
        """Flags of orbits whose last step is so short that they seem to have converged."""
        return np.asarray(np.abs(self.end - self.before).max(axis=0) < _LEAST_STEP)


def random_map_instances(statement: Any, given: Any, rng: Generator) -> Iterator[MapInstance]:
    """Yield a statement's map with random values of its parameters."""
    symbols = parameters_of_statements(statement, *given)
    while True:
        (point,) = sample_points(symbols, given, rng, 1)
        yield MapInstance(statement.map, point, rng)
