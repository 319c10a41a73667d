"""Numerical check of statements about orbits, by iteration and Newton's method.

No finite number of steps shows that a sequence converges, nor that it does not. So a statement is
*contradicted* only by what is certain but for rounding errors: a step that ascends, a fixed point
that is not listed, two points with one image, an orbit that ends elsewhere, at a fixed point that
attracts all that is near. And it is accepted only if it was seen to hold for several orbits that
came to an end; otherwise the examination is undecided, which refuses the statement, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any

import mpmath
import numpy as np
from numpy.random import Generator
from scipy.spatial import cKDTree
from sympy import Le, Rational

from slrsym.crosscheck import Inconclusive, is_true_at
from slrsym.crosscheck.flows import find_contradicting_trajectory
from slrsym.crosscheck.orbit_iteration import (
    DIFFERENCE,
    Array,
    MapInstance,
    StartMiddleAndEndOfOrbits,
    jacobians_at_points,
    random_map_instances,
)
from slrsym.crosscheck.points import parameters_of_statements
from slrsym.prover.statements import orbits as said
from slrsym.prover.statements.trajectories import FlowStatement

# How many points of the parameters are looked at, at least and at most, and how many of the orbits
# there, in all, have to come to an end as the statement says.
INSTANCES, MOST = 3, 9
ENDED = 6

_NEAR = 1e-3
_SMALL = 1e-12


class ContradictedStatement(Exception):  # noqa: N818
    """Error for a statement about orbits to which a numerical counterexample was found."""

    def __init__(self, case: MapInstance | None, what: str) -> None:
        point = {} if case is None else case.point
        where = ", ".join(f"{x} = {value}" for x, value in point.items())
        super().__init__(f"{what}, at {where}" if where else what)


def require_no_orbit_counterexample(
    statement: said.OrbitStatement, given: Iterable[Any], rng: Generator
) -> None:
    """Raise an error if orbits contradict a statement numerically, or confirm it too rarely."""
    judge = _JUDGES.get(type(statement))
    if judge is None:
        find = (
            find_contradicting_trajectory
            if isinstance(statement, FlowStatement)
            else type(statement).find_contradiction
        )
        found = find(statement, tuple(given), rng)
        if found:
            raise ContradictedStatement(None, found)
        return
    cases = random_map_instances(statement, tuple(given), rng)
    ended = 0
    # Where there are no parameters, all examples are of the same map.
    most = MOST if parameters_of_statements(statement) else INSTANCES
    for number, case in enumerate(islice(cases, most), start=1):
        ended += judge(statement, case)
        if number >= INSTANCES and ended >= ENDED:
            return
    raise Inconclusive(
        f"{ended} orbits were seen to behave as it says, in {most} examples; that is too few"
    )


def _shown(point: Any) -> str:
    return "(" + ", ".join(mpmath.nstr(mpmath.mpf(x), 8) for x in point) + ")"


def _is_listed(point: Any, points: Iterable[Any], within: float) -> bool:
    return any(
        all(abs(float(x) - float(p)) < within for x, p in zip(point, other, strict=True))
        for other in points
    )


def _stay(case: MapInstance, orbits: StartMiddleAndEndOfOrbits) -> None:
    if orbits.left.any():
        start = orbits.start[:, orbits.left.argmax()]
        raise ContradictedStatement(case, f"the orbit of {_shown(start)} leaves the box")


# -- what decreases, and what vanishes ---------------------------------------------------------


def _decreases(statement: said.DecreasesAlong, case: MapInstance) -> int:
    f = statement.function
    coordinates = statement.map.coordinates
    relation = Le(
        statement.map.value_after_step(f), statement.map.value_before_step(f), evaluate=False
    )
    x = case.random_starts(1)
    for _ in range(2):
        # Exact points near those of the orbit, so that the comparison is one of many digits.
        place = [Rational(round(float(c) * 2**30), 2**30) for c in x[:, 0]]
        if not is_true_at(relation, {**case.point, **dict(zip(coordinates, place, strict=True))}):
            raise ContradictedStatement(case, f"it increases from {_shown(x[:, 0])}")
        for _ in range(int(case.rng.integers(1, 20))):
            x = case.images_of_points(x)
        if case.outside_flags(x)[0]:
            raise ContradictedStatement(case, "an orbit leaves the box")
    return ENDED // INSTANCES


def _vanish(case: MapInstance, function: Any, what: str) -> int:
    """Check that a function vanishes along all orbits; return the number that confirm it."""
    precise = case.compile_function(function, "mpmath")
    for point in case.fixed_points():
        with mpmath.workdps(30):
            values = [abs(value) for value in precise(*point)]
        if max(values) > _SMALL:
            shown = mpmath.nstr(max(values), 8)
            raise ContradictedStatement(case, f"{what} {shown} at the fixed point {_shown(point)}")
    _no_cycle(case)
    orbits = case.follow_orbits()
    _stay(case, orbits)
    computed = case.compile_function(function, "scipy")
    first, last = (_largest(computed, x) for x in (orbits.middle, orbits.end))
    ended = (last < _NEAR) & (last <= first)
    return int(ended.sum())


def _largest(computed: Callable[..., Any], x: Any) -> Any:
    size = x.shape[1]
    values = [np.broadcast_to(np.abs(np.asarray(v, dtype=float)), (size,)) for v in computed(*x)]
    return np.stack(values).max(axis=0)


def _no_cycle(case: MapInstance) -> None:
    for point in case.fixed_points(period=2):
        with mpmath.workdps(30):
            image = case.precise_map(*point)
            apart = max(abs(a - b) for a, b in zip(point, image, strict=True))
        if apart > 1e-6:
            raise ContradictedStatement(
                case, f"the orbit of {_shown(point)} returns after two steps, by way of elsewhere"
            )


def _steps_vanish(statement: said.StepsVanish, case: MapInstance) -> int:
    _no_cycle(case)
    orbits = case.follow_orbits()
    _stay(case, orbits)
    return int(orbits.stopped_flags.sum())


# -- where orbits end --------------------------------------------------------------------------


def _ends(case: MapInstance, points: Iterable[Any], all_others: bool) -> int:
    """Return how many random starts have orbits that end at the points."""
    orbits = case.follow_orbits()
    _stay(case, orbits)
    ended = 0
    for start, middle, end in zip(orbits.start.T, orbits.middle.T, orbits.end.T, strict=True):
        near = _is_listed(end, points, _NEAR)
        ended += near
        if near or not all_others or np.abs(end - middle).max() > _NEAR:
            continue
        # It has stopped, or is slow. Only a fixed point that attracts settles this.
        limit = case.find_periodic_point(end)
        if limit is None or not _is_listed(limit, [end], _NEAR) or not case.is_attracting(limit):
            continue
        raise ContradictedStatement(
            case, f"the orbit of {_shown(start)} converges to {_shown(limit)}"
        )
    return ended


def _all_converge(statement: said.OrbitsConvergeTo, case: MapInstance) -> int:
    for point in case.fixed_points():
        if not _is_listed(point, statement.points, 1e-9):
            raise ContradictedStatement(
                case, f"{_shown(point)} is a fixed point, and is not listed"
            )
    _no_cycle(case)
    return _ends(case, statement.points, all_others=True)


def _almost_all_converge(statement: said.AlmostEveryStartConvergesTo, case: MapInstance) -> int:
    for point in case.fixed_points():
        if not _is_listed(point, statement.points, 1e-9) and case.is_attracting(point):
            raise ContradictedStatement(
                case, f"{_shown(point)} attracts all near it, and is not listed"
            )
    return _ends(case, statement.points, all_others=True)


def _few_converge(statement: said.NullStarts, case: MapInstance) -> int:
    for point in statement.points:
        exact = case.find_periodic_point([float(x) for x in point])
        if exact is not None and _is_listed(exact, [point], 1e-9) and case.is_attracting(exact):
            raise ContradictedStatement(case, f"{_shown(exact)} attracts all orbits near it")
    orbits = case.follow_orbits()
    _stay(case, orbits)
    near = [_is_listed(end, statement.points, 1e-6) for end in orbits.end.T]
    if any(near):
        start = orbits.start.T[near.index(True)]
        raise ContradictedStatement(
            case, f"the orbit of {_shown(start)} comes to within 1e-6 of one"
        )
    return int(orbits.stopped_flags.sum())


# -- the map itself ----------------------------------------------------------------------------


def _no_collision(statement: said.Injective, case: MapInstance) -> int:
    cloud = case.random_starts(400)
    images = case.images_of_points(cloud)
    _, near = cKDTree(images.T).query(images.T, k=2)
    pairs = np.stack([np.arange(cloud.shape[1]), near[:, 1]])
    before, after = (
        np.abs(x[:, pairs[0]] - x[:, pairs[1]]).max(axis=0) for x in (cloud, images)
    )  # fmt: skip
    with np.errstate(divide="ignore", invalid="ignore"):
        suspects = np.argsort(after / before)[:3]
    tries = [(cloud[:, pairs[0, k]], cloud[:, pairs[1, k]]) for k in suspects]
    tries += [(cloud[:, k], cloud[:, -k]) for k in (1, 2)]
    for at, start in tries:
        other = case.find_collision(at, start)
        if other is not None:
            raise ContradictedStatement(
                case, f"{_shown(at)} and {_shown(other)} have the same image"
            )
    return ENDED // INSTANCES


def _regular(statement: said.InvertibleJacobian, case: MapInstance) -> int:
    places = case.random_starts(400)
    values = _determinants(case, places)
    # Then closer and closer to where it is smallest.
    for radius in 0.5 ** np.arange(1, 24):
        best = places[:, [np.abs(values).argmin()]]
        near = best + radius * (2 * case.rng.random((len(best), 40)) - 1)
        places = np.concatenate([places, near], axis=1)
        values = np.concatenate([values, _determinants(case, near)])
    if values.min() < -1e-6 and values.max() > 1e-6:
        a, b = (places[:, k] for k in (values.argmin(), values.argmax()))
        raise ContradictedStatement(
            case,
            f"the Jacobian determinant is {values.min():.6g} at {_shown(a)} and "
            f"{values.max():.6g} at {_shown(b)}, so that it vanishes in between",
        )
    return ENDED // INSTANCES if np.abs(values).min() > 1e-6 else 0


def _inverts_near(statement: said.LocalDiffeomorphism, case: MapInstance) -> int:
    for point in statement.points:
        place = np.array([[float(x)] for x in point])
        near = place + 1e-3 * (2 * case.rng.random((len(place), 40)) - 1)
        values = _determinants(case, np.concatenate([place, near], axis=1))
        if values.min() < 0 < values.max():
            what = f"the Jacobian determinant changes its sign near {_shown(point)}"
            raise ContradictedStatement(case, what)
        if np.abs(values).min() < 1e-6:
            return 0
    return ENDED // INSTANCES


def _determinants(case: MapInstance, places: Array) -> Array:
    # Both neighbours inside of the box, so that nothing is asked of the map elsewhere.
    low, high = case.box_ends
    np.clip(places, low + DIFFERENCE, high - DIFFERENCE, out=places)
    return np.asarray(np.linalg.det(jacobians_at_points(case.images_of_points, places)))


_JUDGES: dict[type, Callable[[Any, MapInstance], int]] = {
    said.DecreasesAlong: _decreases,
    said.VanishesAlong: lambda s, case: _vanish(case, s.function, "it is"),
    said.AccumulationPointsSolve: lambda s, case: _vanish(
        case, s.equations, "an equation is off by"
    ),
    said.StepsVanish: _steps_vanish,
    said.OrbitsConvergeTo: _all_converge,
    said.AlmostEveryStartConvergesTo: _almost_all_converge,
    said.NullStarts: _few_converge,
    said.Injective: _no_collision,
    said.InvertibleJacobian: _regular,
    said.LocalDiffeomorphism: _inverts_near,
}
