"""Numerical trajectories of flows by two integrators, random starts in a region, and zeros.

What two methods of different kinds agree on, an explicit one with error control and an implicit
multistep one, counts as seen; whatever they do not agree on is left out.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import mpmath
import numpy as np
from numpy.typing import NDArray
from scipy.integrate import DOP853, LSODA, Radau
from sympy import Add, Expr, Pow, S, Symbol

from slrsym.crosscheck import Inconclusive
from slrsym.crosscheck.orbit_iteration import MapInstance, is_close, solve_by_newton

Array = NDArray[np.float64]

# The processor time for one statement, in seconds.
SECONDS = 15.0
# How many values of the field one method may take for a trajectory.
_MOST = 6_000
# By how much the two methods may differ, by the size of the point.
_AGREE = 1e-8
# After so many values of the field, in all, the rest of the starts is left out but for the first.
_ENOUGH, _LEAST = 8_000, 4
# How often starts are proposed, and how many at once.
_ROUNDS, _AT_ONCE = 60, 400
_HALVINGS = 60


def _bases_of_minus_squares(expr: Expr) -> list[Expr]:
    """Return what is squared in minus a sum of squares, or nothing if it is another expression."""
    parts = [term.as_coeff_Mul() for term in Add.make_args(expr)]
    if all(c.is_negative and isinstance(p, Pow) and p.exp == 2 for c, p in parts):
        return [p.base for _, p in parts]
    return []


class Clock:
    """The processor time that is left for a statement."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._end = time.process_time() + seconds

    def check(self) -> None:
        """Raise `Inconclusive` if no time is left."""
        if time.process_time() > self._end:
            raise Inconclusive(f"following trajectories takes more than {SECONDS:.0f} seconds")


@dataclass
class SolvedTrajectory:
    """What two integrators agree on: points at increasing times, and whether it ends soon after.

    Attributes
    ----------
    times : array of shape (T,)
        The times, from 0.
    points : array of shape (T, n)
        The points.
    ends : bool
        Whether it runs to infinity, or to the edge of the domain, at a finite time soon after the
        last of these times: so fast that both agree on it.
    exhausted : bool
        Whether it becomes too large, or comes too near the edge, for floating point, but slowly.
    complete : bool
        Whether the last time is that until which it was to be followed.
    """

    times: Array
    points: Array
    ends: bool
    exhausted: bool
    complete: bool


class _SolverRun(NamedTuple):
    """A trajectory by one method: like a `SolvedTrajectory`, with the time of the last point."""

    points: Array
    ends: bool
    exhausted: bool
    last: float
    is_sound: bool


@dataclass
class FlowInstance:
    """A flow with numbers for its parameters, and a region of starts."""

    case: MapInstance
    region: Any
    clock: Clock = field(repr=False)
    evaluations: int = field(default=0, repr=False)

    @property
    def size(self) -> int:
        return len(self.case.map.coordinates)

    @cached_property
    def field(self) -> Callable[[Array], Array]:
        """The velocities at a point, or at many points."""
        return self.compiled(self.case.map.args[0])

    @cached_property
    def velocity(self) -> Callable[[Array], Array]:
        """The velocities at one point, as an integrator asks for them many times."""
        values = self._at_one_point(self.case.map.args[0])
        return lambda y: np.array(values(y), dtype=float)

    @cached_property
    def distance_from_edge(self) -> Callable[[Array], float]:
        """The least of the functions that are positive in the domain, at one point; or nan."""
        values = self._at_one_point(self.case.map.args[1])

        def least(y: Array) -> float:
            found = values(y)
            return math.nan if any(v != v for v in found) else min(found)

        return least

    def _at_one_point(self, function: Any) -> Callable[[Array], Sequence[float]]:
        """Return a function of one point, several times as fast as `compiled`; nan likewise."""
        made = self.case.compile_function(function, "math")

        def values(y: Array) -> Sequence[float]:
            with suppress(ArithmeticError, ValueError, TypeError, NameError):
                found: Sequence[float] = made(*y.tolist())
                if not any(type(v) is complex for v in found):
                    return found
            # Python's numbers know no infinity here, and not all functions.
            return self.compiled(function)(y).tolist()  # type: ignore[no-any-return]

        return values

    @cached_property
    def domain(self) -> Callable[[Array], Array]:
        """The functions that are positive in the domain, at one point or many."""
        return self.compiled(self.case.map.args[1])

    @cached_property
    def bounds(self) -> Callable[[Array], Array]:
        """The functions that are not negative in the region, at one point or many."""
        return self.compiled(self.region)

    def compiled(self, function: Any) -> Callable[[Array], Array]:
        """Return a function of points, arrays of shape (n, ...); nan where it is not real."""
        made = self.case.compile_function(function, "scipy")

        def values(x: Array) -> Array:
            with np.errstate(all="ignore"):
                try:
                    found = [np.broadcast_to(np.asarray(v), x[0].shape) for v in made(*x)]
                except (ZeroDivisionError, OverflowError, ValueError):
                    return np.full((len(function.expr), *x[0].shape), np.nan)
            return np.stack([
                np.where(np.abs(v.imag) > 0, np.nan, v.real) if np.iscomplexobj(v)
                else v.astype(float) for v in found
            ])  # fmt: skip

        return values

    def precise(self, function: Any, *first: Symbol) -> Callable[..., Any]:
        """Return a function of the coordinates, perhaps after others, in mpmath numbers."""
        made: Callable[..., Any] = self.case.compile_function(function, "mpmath", *first)
        return made

    # -- starts --------------------------------------------------------------------------------

    @cached_property
    def _equations(self) -> Any:
        """The functions that are 0 in the region: of opposite sign, or those in minus squares."""
        values = list(self.region.expr)
        found = [a for i, a in enumerate(values)
                 if any((a + b).expand() is S.Zero for b in values[i + 1 :])]  # fmt: skip
        found += [base for a in values for base in _bases_of_minus_squares(a)]
        if not found:
            return None
        return type(self.region)(self.region.variables, type(self.region.expr)(*found))

    @cached_property
    def _compiled_equations(self) -> Callable[[Array], Array] | None:
        return None if self._equations is None else self.compiled(self._equations)

    def inside_flags(self, x: Array) -> NDArray[np.bool_]:
        """Return a flag for each point that lies in the domain and in the region."""
        low, positive = self.bounds(x), self.domain(x)
        # What an equation says holds but for rounding.
        slack = 1e-12 if self._equations is not None else 0.0
        return np.asarray((low >= -slack).all(axis=0) & (positive > 0).all(axis=0))

    def affordable_starts(self, count: int, boundary: bool = True) -> Iterator[Array]:
        """Yield starts; where trajectories cost much, the first of them only."""
        for number, start in enumerate(self.starts(count, boundary)):
            # Without parameters there is one such flow, and these are all of its starts.
            if number >= _LEAST and self.evaluations > _ENOUGH and self.case.point:
                return
            yield start

    def starts(self, count: int, boundary: bool = True) -> list[Array]:
        """Return random points of the region, and half as many on its boundary, if it has one.

        Raises
        ------
        Inconclusive
            If there are none among many points that were tried.
        """
        within, beyond, wanted = list[Array](), list[Array](), count // 2 if boundary else 0
        for number in range(_ROUNDS):
            x = self._proposed(number)
            flags = self.inside_flags(x)
            within += list(x[:, flags].T[:count])
            beyond += list(x[:, ~flags].T[:wanted])
            if len(within) >= count and (len(beyond) >= wanted or number > 2):
                break
            self.clock.check()
        if not within:
            raise Inconclusive("no start was found in the region")
        self.case.rng.shuffle(within)
        pairs = zip(within, beyond[:wanted], strict=False)
        moved = [self._moved_to_boundary(inner, outer) for inner, outer in pairs]
        # In turns, as the last ones may be left out.
        both = [start for pair in zip(moved, within, strict=False) for start in pair]
        return [*both, *within[len(moved) : count]]

    def _moved_to_boundary(self, inner: Array, outer: Array) -> Array:
        """Return the last point of the region on the way to a point outside, by halving."""
        for _ in range(_HALVINGS):
            middle = self._projected(((inner + outer) / 2)[:, None])[:, 0]
            is_inside = bool(self.inside_flags(middle[:, None])[0])
            inner, outer = (middle, outer) if is_inside else (inner, middle)
        return inner

    def _proposed(self, number: int) -> Array:
        rng, shape = self.case.rng, (self.size, _AT_ONCE)
        kinds = number % 3
        if kinds == 0:
            x = 2 * rng.random(shape) - 1
        elif kinds == 1:
            x = rng.choice([-1.0, 1.0], shape) * np.exp(rng.uniform(np.log(0.02), np.log(4), shape))
        else:
            # Some starts are equal in places, or at the ends of usual ranges.
            x = rng.choice([-1.0, 0.0, 0.5, 1.0], shape) + 0.3 * rng.standard_normal(shape)
        return self._projected(x)

    def _projected(self, x: Array) -> Array:
        """Move points to where the equations of the region hold, by Newton's method."""
        if self._compiled_equations is None:
            return x
        equations, step = self._compiled_equations, 1e-7
        for _ in range(12):
            value = equations(x)
            slopes = np.stack([
                (equations(x + step * e) - equations(x - step * e)) / (2 * step)
                for e in np.eye(self.size)[:, :, None]
            ], axis=-1)  # (equations, points, n)  # fmt: skip
            finite = np.isfinite(value).all(axis=0) & np.isfinite(slopes).all(axis=(0, 2))
            slopes = slopes[:, finite].swapaxes(0, 1)
            way = np.linalg.pinv(slopes, 1e-15) @ value[:, finite].T[:, :, None]
            x[:, finite] -= way[:, :, 0].T
            if not np.abs(way).max(initial=0) > 1e-15:
                break
        return x

    # -- trajectories --------------------------------------------------------------------------

    def follow(self, start: Array, times: Array, agree: float = _AGREE) -> SolvedTrajectory:
        """Return the trajectory of a start at increasing times, as far as two methods agree."""
        runs = [self._run(DOP853, start, times), self._run(LSODA, start, times)]
        if not runs[1].is_sound:
            # Beyond the domain there may be no velocity, which this method copes with.
            runs[1] = self._run(Radau, start, times)
        common = min(len(run.points) for run in runs)
        one, other = (run.points[:common] for run in runs)
        scale = 1 + np.abs(one).max(axis=1, initial=0)
        differ = ~(np.abs(one - other).max(axis=1, initial=0) <= agree * scale)
        if differ.any():
            common = int(differ.argmax())
        # They end at one time, which is known better than points near it.
        first, second = (run.last for run in runs)
        ends = all(run.ends for run in runs) and abs(first - second) <= 1e-4 * max(first, second)
        exhausted = all(run.exhausted and not run.ends for run in runs)
        return SolvedTrajectory(times[:common], one[:common], ends, exhausted, common == len(times))

    def _run(self, method: Any, start: Array, times: Array) -> _SolverRun:
        """Follow a trajectory by one method."""
        points, evaluations, ends, last = [start], 0, False, 0.0
        over: list[tuple[float, bool]] = []

        def speed(_: float, y: Array) -> Array:
            nonlocal evaluations
            evaluations += 1
            if evaluations > 2 * _MOST:
                # A method may not return from a step where the velocity is nan.
                raise FloatingPointError
            return self.velocity(y)

        rooms = [_Room(self, start, _smallness)]
        if any(h.free_symbols for h in self.case.map.positive):
            rooms.append(_Room(self, start, self.distance_from_edge))
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            solver = method(speed, 0.0, start, times[-1], rtol=1e-10, atol=1e-13)
            while solver.status == "running" and len(points) < len(times) and evaluations < _MOST:
                try:
                    solver.step()
                except (ValueError, ArithmeticError):
                    break
                if solver.status == "failed":
                    # Steps become too short where the velocity grows beyond all bounds.
                    ends = any(r.is_sudden(solver.y) for r in rooms)
                    last = float(solver.t)
                    break
                before, last = last, float(solver.t)
                is_near = any(room.is_noticed(solver.y) for room in rooms)
                if not is_near and times[len(points)] > last:
                    continue
                between = solver.dense_output()
                over = [w for w in (r.when_used_up(between, before, last) for r in rooms) if w]
                last = min((when for when, _ in over), default=last)
                while len(points) < len(times) and times[len(points)] <= last:
                    points.append(np.asarray(between(times[len(points)])))
                if over:
                    ends = any(sudden for when, sudden in over if when == last)
                    break
        self.evaluations += evaluations
        self.clock.check()
        is_sound = bool(np.isfinite(solver.y).all()) and solver.status != "failed"
        return _SolverRun(np.array(points), ends, bool(over), last, is_sound)

    # -- zeros of the field --------------------------------------------------------------------

    def zeros_near(
        self, starts: Sequence[Array], within_region: bool = True
    ) -> list[tuple[Any, ...]]:
        """Return zeros of the field in the closed region, found by Newton's method from points.

        Outside of the region, too, but not of the domain, if that is asked.
        """
        field_ = self.precise(self.case.map.args[0])
        domain, bounds = (self.precise(f) for f in (self.case.map.args[1], self.region))
        found: list[tuple[Any, ...]] = []
        for start in starts:
            self.clock.check()
            try:
                with np.errstate(all="ignore"):
                    zero = solve_by_newton(field_, [*start])
                if zero is None or any(is_close(zero, other) for other in found):
                    continue
                with mpmath.workdps(30):
                    low = [mpmath.mpmathify(a) for a in (bounds(*zero) if within_region else ())]
                    high = [mpmath.mpmathify(h) for h in domain(*zero)]
                    is_real = all(mpmath.im(v) == 0 for v in (*zero, *low, *high))
                    inside = is_real and all(a >= -(mpmath.mpf(10) ** -25) for a in low)
                    if inside and all(h > 1e-12 for h in high):
                        found.append(zero)
            except (ZeroDivisionError, ValueError, TypeError, OverflowError):
                continue
        return found


def _smallness(y: Array) -> float:
    return float(1 / max(1.0, *map(abs, y.tolist())))


class _Room:
    """What is left until a trajectory ends: how near the edge of the domain, or infinity, is.

    It ends at a finite time if the time in which the rest would be used up, at the present speed,
    tends to 0. This time does not if the rest falls exponentially; so it is compared at two places.
    """

    # How much is left at these, as parts of what there is at the start, if that is less than 1.
    _FIRST, _SECOND = 1e-2, 1e-6

    def __init__(self, flow: FlowInstance, start: Array, left: Callable[[Array], float]) -> None:
        self.flow, self.left = flow, left
        self._at_first: float | None = None
        # Too near from the start for floating point.
        self._is_watched = left(start) >= self._FIRST

    def is_noticed(self, y: Array) -> bool:
        """Return whether so little is left at a point that it has to be looked at."""
        return not self.left(y) >= self._FIRST

    def when_used_up(
        self, between: Callable[[float], Array], begin: float, end: float
    ) -> tuple[float, bool] | None:
        """Return when so little is left that a run stops, and whether that is sudden, or None."""
        rest = self.left(between(end))
        if self._at_first is None and self._is_watched and not rest >= self._FIRST:
            self._at_first = self._duration(
                between(self._crossing(between, begin, end, self._FIRST))
            )
        if rest >= self._SECOND:
            return None
        if not self._is_watched and rest > 0:
            return None
        when = self._crossing(between, begin, end, self._SECOND)
        return when, self.is_sudden(between(when))

    def is_sudden(self, y: Array) -> bool:
        """Return whether the rest, at a point, is used up much sooner than where more was left."""
        if self._at_first is None or not math.isfinite(self._at_first):
            return False
        return bool(0 <= self._duration(y) < 0.1 * self._at_first)

    def _crossing(
        self, between: Callable[[float], Array], begin: float, end: float, level: float
    ) -> float:
        """Return the last time, before that at which less is left than the level, in a step."""
        for _ in range(_HALVINGS):
            middle = (begin + end) / 2
            begin, end = (middle, end) if self.left(between(middle)) >= level else (begin, middle)
        return begin

    def _duration(self, y: Array) -> float:
        """Return the time in which the rest is used up at the present speed."""
        speed, rest = self.flow.velocity(y), self.left(y)
        if not np.isfinite(speed).all():
            return math.inf
        step = 1e-7 * rest / max(float(np.abs(speed).max()), 1e-300)
        if self.left is _smallness:
            step = 1e-7 * (1 + float(np.abs(y).max())) / max(float(np.abs(speed).max()), 1e-300)
        change = (self.left(y + step * speed) - rest) / step
        return -rest / change if change < 0 else math.inf
