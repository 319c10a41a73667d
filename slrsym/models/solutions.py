"""Solutions of equations of motion in time, from initial states as for runs of descent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy
from numpy.typing import NDArray
from sympy import Symbol, lambdify

from slrsym.files import require_writable, write_netcdf
from slrsym.kernels.arguments import require_integer, require_positive
from slrsym.kernels.compile import choose_backend
from slrsym.models.simulation import (
    add_inner_products_of_start,
    initial_gram_factors,
    parameter_values_by_name,
    parameters_by_step,
)
from slrsym.models.specification import Direction
from slrsym.runs import Runs, build_runs

if TYPE_CHECKING:
    from slrsym.models.equation_system import EquationSystem

Array = NDArray[np.float64]

# Names that results have besides those of order parameters.
_TAKEN = {"time", "gram", "risk", "direction", "other", "space"}


def solve(
    equations: EquationSystem,
    values: Mapping[Any, Any],
    start: Any,
    time: float,
    *,
    points: int,
    tolerance: float,
    rng: Any,
    backend: str,
    path: str | Path | None,
) -> Runs:
    """Solve equations of motion in time from one start; return a dataset."""
    time, tolerance = require_positive("time", time), require_positive("tolerance", tolerance)
    points, chosen = require_integer("points", points, 2), choose_backend(backend)
    require_unreserved_names(equations, ())
    if path is not None:
        require_writable(path)
    state, row, gram = initial_state(equations, values, start, rng)
    times = solution_times(equations.kind, time, points)
    states = solve_trajectory(
        equations.compile(chosen), equations.kind, state, row, times, tolerance
    )
    risk = equations.compile("numpy", "risk")(states, *row)[:, 0]
    variables: dict[str, Any] = {
        p.name: ("time", states[:, i]) for i, p in enumerate(equations.state)
    }
    variables["risk"] = "time", risk
    coords: dict[str, Any] = {"time": times}
    if not equations.is_symmetric:
        names = [x.name for x in equations.model.directions]
        grams = _grams(equations, states, row, gram)
        spaces = equations.model.spaces > 1
        dims = ("time", *(("space",) if spaces else ()), "direction", "other")
        variables["gram"] = dims, grams if spaces else grams[:, 0]
        coords |= {"direction": names, "other": names}
        coords |= {"space": np.arange(equations.model.spaces)} if spaces else {}
    settings = {"backend": chosen, "kind": equations.kind, "tolerance": tolerance}
    settings |= {p.name: value for p, value in zip(equations.parameters, row, strict=True)}
    runs = build_runs(variables, coords, settings)
    if path is not None:
        write_netcdf(runs, path)
    return runs


def require_unreserved_names(equations: EquationSystem, axes: Iterable[str]) -> None:
    """Raise an error if an order parameter or grid parameter has a name reserved for results."""
    if clash := _TAKEN & {p.name for p in equations.state}:
        raise ValueError(f"order parameters must not have names that runs have; got {min(clash)}")
    if clash := (_TAKEN | {p.name for p in equations.state}) & set(axes):
        raise ValueError(f"values must not have a list for {min(clash)}, a name that results have")


class NotSolvedError(ValueError):
    """Error raised if equations of motion cannot be solved up to the requested time."""


def solution_times(kind: str, time: float, points: int) -> Array:
    """Return the times of a solution; for steps of descent, integers as equidistant as possible."""
    if kind != "projected-descent":
        return np.linspace(0, time, points)
    steps = require_integer("time", int(time) if time == int(time) else time, 1)
    return np.unique(np.linspace(0, steps, min(points, steps + 1)).round())


def solve_trajectory(
    change: Callable[..., Any],
    kind: str,
    state: Array,
    row: Sequence[float],
    times: Array,
    tolerance: float,
) -> Array:
    """Return the states of a solution at given times, shape (times, n), from an initial state."""
    if kind == "projected-descent":
        return _stepped(change, state, row, times)
    # What grows beyond all numbers is told below.
    with np.errstate(over="ignore", invalid="ignore"):
        found = scipy.integrate.solve_ivp(
            lambda _, s: change(s, *row), (0, times[-1]), state, "DOP853", times,
            rtol=tolerance, atol=tolerance / 100,
        )  # fmt: skip
    if not found.success or not np.isfinite(found.y).all():
        raise NotSolvedError(f"the equations cannot be solved up to {times[-1]}: {found.message}")
    states: Array = found.y.T
    return states


def _stepped(change: Callable[..., Any], state: Array, row: Sequence[float], times: Array) -> Array:
    states = np.empty((len(times), len(state)))
    logged = times.astype(int)
    for k, (before, after) in enumerate(zip([0, *logged], logged, strict=False)):
        for _ in range(after - before):
            state = state + change(state, *row)
        states[k] = state
    return states


def initial_state(
    equations: EquationSystem, values: Mapping[Any, Any], start: Any, rng: Any
) -> tuple[Array, list[float], Array | None]:
    """Return the initial state, the parameters, and the Gram matrices if the start has them."""
    model, scalars = equations.model, equations.motion.scalars
    if isinstance(start, Mapping) and not all(isinstance(x, Direction) for x in start):
        missing = {s.name: _by_name(values, s) for s in scalars if s.name not in map(str, start)}
        rest = {k: v for k, v in values.items() if str(k) not in missing}
        state, row = equations.numerical_values({**start, **missing}, rest)
        return state, row, None
    if equations.is_symmetric:
        raise ValueError(
            "start must be a mapping of the order parameters of exchangeable units "
            f"({', '.join(map(str, equations.state))}); got {start!r}"
        )
    by_name = parameter_values_by_name(model, values)
    factor = initial_gram_factors(model, by_name, start, 1, np.random.default_rng(rng), None)
    add_inner_products_of_start(model, by_name, factor, equations.parameters)
    gram = factor[0] @ np.swapaxes(factor[0], -1, -2)
    first = {s.name: _by_name(by_name, s) for s in scalars}
    rest = {k: v for k, v in by_name.items() if k not in first and k != "d"}
    if "d" in {p.name for p in equations.parameters}:
        rest["d"] = by_name["d"]
    row = parameters_by_step(model, rest, 0, equations.parameters)[0].tolist()
    places = model.gram_indices
    numbers = [first[p.name] if p in scalars else gram.T[places[p]] for p in equations.state]
    return np.array(numbers, dtype=np.float64), row, gram


def _by_name(values: Mapping[Any, Any], s: Symbol) -> Any:
    found = {str(k): v for k, v in values.items()}
    if s.name not in found:
        raise ValueError(f"values must have the initial value of {s.name}, which is trained")
    return found[s.name]


def _grams(
    equations: EquationSystem, states: Array, row: list[float], start: Array | None
) -> Array:
    """Return Gram matrices over time, shape (points, spaces, p, p), NaN where unknown."""
    model = equations.model
    size = len(model.directions)
    known = {*equations.state, *equations.parameters}
    found = np.full((len(states), model.spaces, size, size), np.nan)
    if start is not None:
        found[:] = start
    inputs = (*equations.state, *equations.parameters)
    columns = dict(zip(inputs, (*states.T, *row), strict=True))
    for i, x in enumerate(model.directions):
        for j, y in enumerate(model.directions):
            for a in range(model.spaces):
                product = model.inner_product(x, y, a)
                if product in columns:
                    found[:, a, i, j] = columns[product]
                elif product.is_number:
                    found[:, a, i, j] = float(product)
                elif product.free_symbols <= known:
                    found[:, a, i, j] = lambdify(inputs, product)(*columns.values())
    return found
