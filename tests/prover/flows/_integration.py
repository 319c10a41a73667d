"""An independent look at statements about flows: by SciPy's integrators and lambdify alone."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from sympy import And, lambdify

from slrsym.proof import Claim
from slrsym.proof.dynamical import (
    ArrivesAt,
    ConstantAlong,
    DecaysAlong,
    EndsBy,
    FlowLimitsSolve,
    FlowsConvergeTo,
    LastsForEver,
    NullFlowStarts,
    RegionKept,
    SolvedBy,
)

_TIME, _LARGE, _MARGIN = 30.0, 1e7, 1e-4


class _Case:
    """A flow at values of its parameters, with functions of a point."""

    def __init__(self, statement: Any, values: dict[Any, float]) -> None:
        self.statement, self.values = statement, values
        self.names = statement.map.coordinates
        self.field = self.function(statement.map.velocities)
        self.inside = self.function(statement.map.positive)
        has_region = hasattr(statement, "region")
        self.region = self.function(statement.region.expr if has_region else (1,))

    def function(self, values: Any, *first: Any) -> Any:
        made = lambdify((*first, *self.names), [v.subs(self.values) if hasattr(v, "subs") else v
                                                for v in values], "numpy")  # fmt: skip
        return lambda *args: np.array(made(*args), dtype=float)

    def of_lambda(self, function: Any) -> Any:
        bound = dict(zip(function.variables, self.names, strict=True))
        return self.function([v.xreplace(bound) for v in function.expr])

    def number(self, value: Any) -> float:
        return float(value.subs(self.values))

    def follow(self, start: Any, until: float) -> Any:
        def leaves(_: float, p: Any) -> float:
            return float(min(_LARGE - np.abs(p).max(), *(1e9 * self.inside(*p))))

        leaves.terminal = True
        return solve_ivp(
            lambda _, p: self.field(*p), (0, until), np.array(start, dtype=float), "LSODA",
            rtol=1e-9, atol=1e-12, events=leaves, dense_output=True,
        )  # fmt: skip


def is_seen_false(claim: Claim, seed: int = 0) -> bool:
    """Return whether trajectories show a statement to be false, by a margin far above errors."""
    rng = np.random.default_rng(seed)
    statement = claim.statement
    free = sorted(statement.free_symbols, key=str)
    given = lambdify(free, And(*claim.hypotheses)) if free else (lambda: True)
    sets = [dict(zip(free, v, strict=True))
            for v in product((0.2, 0.5, 1.0, 1.7), repeat=len(free)) if given(*v)]  # fmt: skip
    rng.shuffle(sets)
    with np.errstate(all="ignore"):
        return any(_shows(_Case(statement, values), rng) for values in sets[:8])


def _starts(case: _Case, rng: Any) -> list[Any]:
    """Return points of the region on a grid, and random ones."""
    n = len(case.names)
    points = [*product(np.arange(-2, 2.01, 0.5), repeat=n), *rng.uniform(-2, 3, (60, n))]
    good = [p for p in points
            if (case.region(*p) >= 0).all() and (case.inside(*p) > 0).all()]  # fmt: skip
    return good[:: max(1, len(good) // 25)]


def _shows(case: _Case, rng: Any) -> bool:
    statement = case.statement
    if isinstance(statement, ArrivesAt):
        start, end = map(case.number, statement.ends)
        path = case.follow([start], case.number(statement.time))
        return path.status != 0 or abs(path.y[0, -1] - end) > _MARGIN
    if isinstance(statement, NullFlowStarts):
        (point,) = statement.points
        there = np.array([case.number(c) for c in point])
        starts = there + rng.uniform(-0.1, 0.1, (10, len(there)))
        return all(np.abs(case.follow(s, 100).y[:, -1] - there).max() < 1e-3 for s in starts)
    return any(_SHOWN[type(statement)](case, start) for start in _starts(case, rng))


def _leaves_region(case: _Case, start: Any) -> bool:
    path = case.follow(start, _TIME)
    low = np.array([case.region(*p).min() for p in path.y.T])
    return bool((low < -_MARGIN * (1 + np.abs(path.y).max(axis=0) ** 2)).any())


def _strays(case: _Case, start: Any) -> bool:
    path, value = case.follow(start, _TIME), case.of_lambda(case.statement.function)
    values = np.array([value(*p)[0] for p in path.y.T])
    size = _MARGIN * (1 + abs(values[0])) * (1 + np.abs(path.y).max(axis=0) ** 2)
    if isinstance(case.statement, ConstantAlong):
        return bool((np.abs(values - values[0]) > size).any())
    falls = values[0] * np.exp(-case.number(case.statement.rate) * path.t)
    return bool((values - falls > size).any())


def _differs(case: _Case, start: Any) -> bool:
    path = case.follow(start, 10)
    if path.status != 0:
        return True
    solution = case.statement.solution
    time, *names = solution.variables
    bound = dict(zip(names, case.names, strict=True))
    there = case.function([v.xreplace(bound) for v in solution.expr], time)
    times = np.linspace(0, 10, 41)
    found = np.array([there(s, *start) for s in times])
    return not bool((np.abs(found - path.sol(times).T) < _MARGIN * (1 + np.abs(found))).all())


def _rests_elsewhere(case: _Case, start: Any) -> bool:
    path = case.follow(start, 300)
    last = path.y[:, -1]
    if path.status != 0:
        return True
    if np.abs(case.field(*last)).max() > 1e-9:
        return False
    if isinstance(case.statement, FlowLimitsSolve):
        return bool(np.abs(case.of_lambda(case.statement.equations)(*last)).max() > 1e-3)
    listed = [[case.number(c) for c in p] for p in case.statement.points]
    return all(np.abs(last - p).max() > 1e-3 for p in listed)


def _goes_on(case: _Case, start: Any) -> bool:
    until = float(case.of_lambda(case.statement.function)(*start)[0])
    if not np.isfinite(until):
        return False
    return until < 0 or case.follow(start, until * 1.01 + 1e-3).status == 0


def _stops(case: _Case, start: Any) -> bool:
    """A trajectory beyond all numbers so soon is no exponential."""
    path = case.follow(start, 12)
    return path.status != 0


_SHOWN = {
    RegionKept: _leaves_region,
    ConstantAlong: _strays,
    DecaysAlong: _strays,
    SolvedBy: _differs,
    FlowsConvergeTo: _rests_elsewhere,
    FlowLimitsSolve: _rests_elsewhere,
    EndsBy: _goes_on,
    LastsForEver: _stops,
}
