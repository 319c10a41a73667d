"""Numerical check of statements about flows, by trajectories that two integrators agree on.

A statement is *contradicted* only by what both see with errors far below it, or by a zero of the
field: a trajectory that leaves the region, a value that is not kept, one that ends. That a limit is
not reached in the time that is looked at contradicts nothing, since trajectories may be slow; a
zero of the field in the region that is not listed does, as it is the trajectory of itself, and so
does a zero that attracts all points near by, if a trajectory comes close to it. The
statement is accepted if enough trajectories were seen to behave as it says; otherwise the
examination is undecided, which refuses it, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any

import mpmath
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from sympy import Dummy, N

from slrsym.crosscheck import Inconclusive
from slrsym.crosscheck.integrands import replace_undefined_functions
from slrsym.crosscheck.orbit_iteration import random_map_instances
from slrsym.crosscheck.points import parameters_of_statements, random_test_functions
from slrsym.crosscheck.trajectories import Array, Clock, FlowInstance, SolvedTrajectory
from slrsym.prover.statements import trajectories as said

# Values of the parameters, starts of each kind for each, and how many trajectories are to confirm.
INSTANCES, STARTS, SEEN = 3, 8, 6
# Times at which trajectories are looked at, and those for what they tend to.
_TIMES = np.concatenate([[0.0], np.geomspace(1e-3, 30, 60)])
_LATE = np.concatenate([[0.0], np.geomspace(1e-2, 1000, 40)])
# By how much a value may be off, by its size, and how near a limit is.
_OFF, _NEAR = 1e-6, 1e-3
# How near a sink a trajectory has to come, to be seen to tend to it.
_AT_SINK = 1e-6
# How well two methods have to agree on a trajectory that has not ended.
_ROUGHLY = 1e-4
# A trajectory confirms what is said of all times at so many, and of limits at the last ones.
_SHOWN, _LAST = 20, 5

# What a judge says of one trajectory: that it confirms the statement, what contradicts it, or
# neither.
Verdict = bool | str


def find_contradicting_trajectory(
    statement: said.FlowStatement, given: Iterable[Any], rng: Generator
) -> str:
    """Return what contradicts a statement about a flow, or an empty text if enough confirms it."""
    if isinstance(statement, said.RegionKept) and statement.is_of_whole_domain:
        # Nothing is said: a trajectory is in the domain as long as it lasts.
        return ""
    clock, seen = Clock(), 0
    judge = _JUDGES[type(statement)]
    # What holds of all functions holds of some that are drawn.
    functions = random_test_functions((statement, *given), rng)
    statement = replace_undefined_functions(statement, functions)
    given = tuple(replace_undefined_functions(h, functions) for h in given)
    instances = random_map_instances(statement, given, rng)
    has_parameters = bool(parameters_of_statements(statement))
    for instance in islice(instances, INSTANCES if has_parameters else 1):
        flow = FlowInstance(instance, statement.region, clock)
        for start, verdict in judge(statement, flow):
            if isinstance(verdict, str):
                named = [(x.name, value) for x, value in instance.point.items()]
                where = ", ".join(f"{x} = {value}" for x, value in named)
                what = f"from {_shown(start)} {verdict}"
                return f"{what}, at {where}" if where else what
            seen += verdict
    if seen < SEEN:
        raise Inconclusive(f"{seen} trajectories were seen to behave as it says; that is too few")
    return ""


def _shown(point: Any) -> str:
    return "(" + ", ".join(mpmath.nstr(mpmath.mpf(x), 6) for x in point) + ")"


def _number(value: Any, flow: FlowInstance) -> float:
    return float(N(value.xreplace(dict(flow.case.point)), 20))


def _by_trajectory(
    judge: Callable[[Any, FlowInstance, SolvedTrajectory], Verdict], times: Array = _TIMES
) -> Callable[[Any, FlowInstance], Iterable[tuple[Any, Verdict]]]:
    """Return a judge of a flow, from one of a single trajectory."""

    def judged(statement: Any, flow: FlowInstance) -> Iterable[tuple[Any, Verdict]]:
        for start in flow.affordable_starts(STARTS):
            yield start, judge(statement, flow, flow.follow(start, times))

    return judged


def _sizes(points: Array) -> Array:
    return np.asarray(1 + np.abs(points).max(axis=1))


def _first_wrong(wrong: NDArray[np.bool_]) -> int | None:
    """Return the place of the first time at which something is wrong, or None."""
    return int(wrong.argmax()) if wrong.any() else None


# -- what holds at each time -----------------------------------------------------------------------


def _kept(statement: said.RegionKept, flow: FlowInstance, path: SolvedTrajectory) -> Verdict:
    low = flow.bounds(path.points.T)
    # Where a function is not defined, the trajectory is outside as well.
    wrong = ~(low >= -_OFF * _sizes(path.points) ** 2)
    place = _first_wrong(np.any(wrong, axis=0))
    if place is None:
        return path.ends or len(path.times) >= _SHOWN
    value = low[int(wrong[:, place].argmax()), place]
    return f"a function of the region is {value:.6g} at the time {path.times[place]:.4g}"


def _along(statement: Any, flow: FlowInstance, path: SolvedTrajectory) -> Verdict:
    (values,) = flow.compiled(statement.function)(path.points.T)
    first = values[0]
    slack = _OFF * _sizes(path.points) ** 2 * (1 + abs(first))
    if isinstance(statement, said.DecaysAlong):
        bound = first * np.exp(-_number(statement.rate, flow) * path.times)
        wrong = values - bound > slack
    else:
        bound = np.full_like(values, first)
        wrong = np.abs(values - first) > slack
    place = _first_wrong(wrong | np.isnan(values))
    if place is None:
        return path.ends or len(path.times) >= _SHOWN
    return (
        f"the function is {values[place]:.8g} at the time {path.times[place]:.4g}, not "
        f"{bound[place]:.8g}"
    )


def _solved(statement: said.SolvedBy, flow: FlowInstance) -> Iterable[tuple[Any, Verdict]]:
    """Judge trajectories by a formula, which is compiled once."""
    formula = flow.precise(statement.solution, Dummy("t", real=True))
    for start in flow.affordable_starts(STARTS):
        yield start, _by_formula(formula, flow.follow(start, _TIMES))


def _by_formula(formula: Callable[..., Any], path: SolvedTrajectory) -> Verdict:
    if path.ends:
        return _ended(path)
    start = path.points[0]
    for t, y in zip(path.times, path.points, strict=True):
        with mpmath.workdps(20):
            try:
                found = np.array([float(v) for v in formula(*map(mpmath.mpf, (t, *start)))])
            except (TypeError, ValueError, ZeroDivisionError, OverflowError):
                return f"the formula is not defined at the time {t:.4g}"
        if not np.abs(found - y).max() <= _OFF * (1 + np.abs(y).max()):
            return f"the formula gives {_shown(found)} at the time {t:.4g}, not {_shown(y)}"
    return len(path.times) >= _SHOWN


def _ended(path: SolvedTrajectory) -> str:
    return f"the trajectory ends soon after the time {path.times[-1]:.4g}"


def _lasts(statement: said.LastsForEver, flow: FlowInstance, path: SolvedTrajectory) -> Verdict:
    return _ended(path) if path.ends else path.complete or path.exhausted


# -- where trajectories tend -----------------------------------------------------------------------


def _tends(
    statement: said.FlowLimitsSolve | said.FlowsConvergeTo, flow: FlowInstance
) -> Iterable[tuple[Any, Verdict]]:
    """Judge trajectories by where they are at the end, and zeros of the field in the region."""
    places = []
    for start in flow.affordable_starts(STARTS):
        path = flow.follow(start, _LATE)
        if path.ends:
            yield start, _ended(path)
        places += [path.points[-1], start]
        sink = _sink_near(flow, path.points[-1]) if path.complete else None
        if sink is not None and not _is_limit(statement, flow, sink, 1e-9):
            yield start, f"it is near {_shown(sink)} at the time {path.times[-1]:.4g}, a sink"
        # It has come there some time ago.
        early, late = path.points[:-_LAST], path.points[-_LAST:]
        is_bounded = np.abs(late).max() <= 1.01 * np.abs(early).max(initial=_NEAR)
        near = (_is_limit(statement, flow, point, _NEAR) for point in late)
        yield start, bool(is_bounded) and all(near)
    for zero in flow.zeros_near(places):
        if not _is_limit(statement, flow, zero, 1e-9):
            yield zero, "the trajectory stays there, where the field is 0"


def _sink_near(flow: FlowInstance, point: Array) -> Array | None:
    """Return the zero of the field that attracts all points near by, if a point is close to one.

    What comes so close to a zero whose eigenvalues all have clearly negative real parts tends to
    it, in the region or not.
    """
    zeros = flow.zeros_near([point], within_region=False)
    if not zeros:
        return None
    z = np.array([float(c) for c in zeros[0]])
    if not np.abs(z - point).max() < _AT_SINK * (1 + np.abs(z).max()):
        return None
    slopes = _jacobian(flow, z)
    is_sink = np.isfinite(slopes).all() and np.linalg.eigvals(slopes).real.max() < -_NEAR
    return z if is_sink else None


def _is_limit(statement: Any, flow: FlowInstance, point: Any, within: float) -> bool:
    """Return whether a point is near one that is listed, or nearly solves the equations."""
    x = np.array([float(c) for c in point])
    if isinstance(statement, said.FlowLimitsSolve):
        return bool(np.abs(flow.compiled(statement.equations)(x)).max() < within)
    listed = [[_number(c, flow) for c in p] for p in statement.points]
    return any(np.abs(x - p).max() < within for p in listed)


def _few_starts(
    statement: said.NullFlowStarts, flow: FlowInstance
) -> Iterable[tuple[Any, Verdict]]:
    points = [np.array([_number(c, flow) for c in p]) for p in statement.points]
    for p in points:
        slopes = _jacobian(flow, p)
        if np.isfinite(slopes).all() and np.linalg.eigvals(slopes).real.max() < -1e-6:
            yield p, "all trajectories near by converge to it"
    for start in flow.affordable_starts(STARTS, boundary=False):
        path = flow.follow(start, _LATE)
        apart = min(np.abs(path.points[-1] - p).max() for p in points)
        if path.complete and apart < 1e-7:
            yield start, f"the trajectory comes to within {apart:.2g} of a point"
        yield start, path.ends or bool(apart > _NEAR)


def _jacobian(flow: FlowInstance, p: Array) -> Array:
    step = 1e-6
    columns = [(flow.field(p + step * e) - flow.field(p - step * e)) / (2 * step)
               for e in np.eye(flow.size)]  # fmt: skip
    return np.stack(columns, axis=-1)


# -- times -----------------------------------------------------------------------------------------


def _ends(statement: said.EndsBy, flow: FlowInstance) -> Iterable[tuple[Any, Verdict]]:
    bound = flow.compiled(statement.function)
    for start in flow.affordable_starts(STARTS):
        (last,) = bound(start)
        if not last >= 0:
            yield start, f"the time is {last:.6g}"
            continue
        if not np.isfinite(last):
            continue
        until = last * (1 + 1e-3) + 1e-6
        # Where it is near its end is a question of the time alone, and small errors grow there.
        path = flow.follow(start, np.concatenate([np.linspace(0, last, 30), [until]]), _ROUGHLY)
        if path.complete:
            yield start, f"the trajectory goes on at the time {until:.6g}, after {last:.6g}"
        yield start, path.ends


def _arrives(statement: said.ArrivesAt, flow: FlowInstance) -> Iterable[tuple[Any, Verdict]]:
    start, end = (np.array([_number(c, flow)]) for c in statement.ends)
    time = _number(statement.time, flow)
    if not time >= 0:
        yield start, f"the time is {time:.6g}"
    elif not flow.inside_flags(start[:, None])[0]:
        yield start, "there is no trajectory, as it is outside of the domain"
    elif time == 0:
        yield start, bool(start == end) or f"the start is not {_shown(end)}"
    else:
        path = flow.follow(start, np.linspace(0, time, 30))
        last = path.points[-1]
        if path.ends and not path.complete:
            yield start, _ended(path)
        elif path.complete and not np.abs(last - end).max() <= _OFF * (1 + np.abs(end).max()):
            yield start, f"it is at {_shown(last)} at the time {time:.6g}"
        # One start is all there is.
        for _ in range(SEEN):
            yield start, path.complete


_JUDGES: dict[type, Callable[[Any, FlowInstance], Iterable[tuple[Any, Verdict]]]] = {
    said.RegionKept: _by_trajectory(_kept),
    said.ConstantAlong: _by_trajectory(_along),
    said.DecaysAlong: _by_trajectory(_along),
    said.LastsForEver: _by_trajectory(_lasts),
    said.FlowLimitsSolve: _tends,
    said.FlowsConvergeTo: _tends,
    said.SolvedBy: _solved,
    said.ArrivesAt: _arrives,
    said.EndsBy: _ends,
    said.NullFlowStarts: _few_starts,
}
