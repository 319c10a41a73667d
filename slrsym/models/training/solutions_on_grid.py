"""Solutions of equations of motion on a grid of parameters, computed by any executor."""

from __future__ import annotations

import hashlib
import json
import pickle
import warnings
from collections import deque
from collections.abc import Mapping
from concurrent.futures import Executor
from contextlib import suppress
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from slrsym.files import SavingFailedError, SweepParts, load_or_compute_in_parts
from slrsym.jobs import Jobs, Maker, iterate_results, show_progress
from slrsym.kernels.arguments import float_or_nan, require_integer, require_positive
from slrsym.kernels.compile import choose_backend
from slrsym.kernels.machine_limits import count_cores, require_memory
from slrsym.models.training.parameter_values import parameter_values_by_name
from slrsym.models.training.runs import Runs, build_runs
from slrsym.models.training.solutions import (
    initial_state,
    nearest_states_of_vectors,
    require_unreserved_names,
    risk_of_states,
    solution_times,
    solve_trajectory,
)

if TYPE_CHECKING:
    from slrsym.models.training.equation_system import EquationSystem

Array = NDArray[np.float64]


def sweep(
    equations: EquationSystem,
    values: Mapping[Any, Any],
    start: Any,
    time: float,
    *,
    points: int,
    tolerance: float,
    rng: Any,
    backend: str,
    executor: Executor | Maker | None,
    workers: int | None,
    path: str | Path | None,
    progress: bool | None,
) -> Runs:
    """Solve equations of motion at each point of a parameter grid; return a dataset."""
    time, tolerance = require_positive("time", time), require_positive("tolerance", tolerance)
    points, chosen = require_integer("points", points, 2), choose_backend(backend)
    workers = count_cores() if workers is None else require_integer("workers", workers, 1)
    by_name = parameter_values_by_name(equations.model, values)
    whole_numbers = {p.name for p in equations.parameters if p.is_integer}
    axes = {
        name: _axis(name, x, name in whole_numbers) for name, x in by_name.items() if np.ndim(x)
    }
    require_unreserved_names(equations, axes)
    cells = [dict(zip(axes, cell, strict=True)) for cell in product(*axes.values())]
    times = solution_times(equations.kind, time, points)
    size = len(cells) * len(times) * (len(equations.state) + 1) * 32
    require_memory(f"{len(cells):,} settings of {len(times):,} times", size)
    # A seed is the same in each cell, so that the cells differ in their parameters alone.
    seed = int(rng.integers(2**63)) if isinstance(rng, np.random.Generator) else rng
    begun = [initial_state(equations, by_name | cell, start, seed)[:2] for cell in cells]
    settings = {
        "kind": equations.kind,
        "backend": chosen,
        "tolerance": tolerance,
        "time": time,
        "points": len(times),
        **axes,
        "digest": _digest(equations, begun),
    }
    is_saved = path is not None and Path(path).is_file()

    def compute(parts: SweepParts | None) -> Runs:
        table = pickle.dumps(equations.change_table)
        states = _solved(begun, table, chosen, equations.kind, times, tolerance,
                         executor, workers, parts, progress)  # fmt: skip
        return _dataset(equations, axes, times, begun, states, settings)

    data = load_or_compute_in_parts(
        compute, settings, path,
        kind="solutions on a grid", content="solutions", remedy="; choose another file",
    )  # fmt: skip
    runs = Runs(data.data_vars, coords=data.coords, attrs=data.attrs)
    if not is_saved:
        _warn(runs, axes, np.isnan(runs[equations.state[0]].values).any(axis=-1))
    return runs


def _axis(name: str, values: Any, integers: bool) -> list[float]:
    if np.ndim(values) != 1 or not len(values):
        raise ValueError(f"{name} must be a number or a list of them; got {values!r}")
    axis: list[float] = []
    for x in map(float_or_nan, values):
        if not np.isfinite(x) or (integers and not x.is_integer()):
            kind = "integers" if integers else "finite"
            raise ValueError(f"{name} must be {kind}; got {values!r}")
        if x in axis:
            raise ValueError(f"{name} must have different values; got {x!r} twice")
        axis.append(int(x) if integers else x)
    return axis


def _digest(equations: EquationSystem, begun: list[tuple[Array, list[float]]]) -> str:
    """Return a hash of the equations, initial states and parameters."""
    table = equations.change_table
    numbers = [[*state.tolist(), *row] for state, row in begun]
    # Of formulas the values: an object would be told by its place in the memory.
    means = [mean.value for mean in table.means]
    text = repr((table.outputs, table.entries, means, equations.parameters, numbers))
    return hashlib.sha256(text.encode()).hexdigest()


# -- the cells -----------------------------------------------------------------------------------


@lru_cache(maxsize=4)
def _compiled(table: bytes, backend: str) -> Any:
    return pickle.loads(table).compile(backend)


def solve_grid_cell(
    table: bytes,
    backend: str,
    kind: str,
    state: Array,
    row: list[float],
    times: Array,
    tolerance: float,
) -> Array:
    """Return the states of one grid cell, shape (times, n), NaN from where it is not solved."""
    names = [str(i) for i in range(len(state))]
    found = solve_trajectory(_compiled(table, backend), kind, names, state, row, times, tolerance)
    states = np.full((len(times), len(state)), np.nan)
    kept = np.isin(times, found.times)
    states[kept] = found.states[np.isin(found.times, times)]
    return states


def _solved(
    begun: list[tuple[Array, list[float]]],
    table: bytes,
    backend: str,
    kind: str,
    times: Array,
    tolerance: float,
    executor: Executor | Maker | None,
    workers: int,
    parts: SweepParts | None,
    progress: bool | None,
) -> Array:
    states = np.empty((len(begun), len(times), len(begun[0][0])))
    jobs: Jobs = deque()
    for cell, (state, row) in enumerate(begun):
        part = None if parts is None else parts.read(_part_name(cell), ["states"])
        if part is None or part["states"].shape != states.shape[1:]:
            arguments = (table, backend, kind, state, row, times, tolerance)
            jobs.append((cell, solve_grid_cell, arguments))
        else:
            states[cell] = part["states"]
    with show_progress(progress, "settings", len(begun), counted=True) as shown:
        shown(len(begun) - len(jobs))
        for cell, found in iterate_results(jobs, executor, min(workers, len(jobs))):
            # What cannot be kept is still returned; that the disk is full is told in the end.
            if parts is not None:
                with suppress(SavingFailedError):
                    parts.write(_part_name(cell), {"states": found})
            states[cell] = found
            shown(1)
    return states


def _part_name(cell: int) -> str:
    return f"cell-{cell:05}"


# -- the dataset ---------------------------------------------------------------------------------


def _dataset(
    equations: EquationSystem,
    axes: dict[str, list[float]],
    times: Array,
    begun: list[tuple[Array, list[float]]],
    states: Array,
    settings: dict[str, Any],
) -> Runs:
    solved = [row for _, row in begun]
    states = np.stack(
        [
            nearest_states_of_vectors(equations, cell, row, None)
            for cell, row in zip(states, solved, strict=True)
        ]
    )
    risks = np.stack(
        [risk_of_states(equations, cell, row) for cell, row in zip(states, solved, strict=True)]
    )
    shape = tuple(map(len, axes.values()))
    dims = (*axes, "time")
    variables: dict[str, Any] = {
        p.name: (dims, states[..., i].reshape(*shape, -1)) for i, p in enumerate(equations.state)
    }
    variables["risk"] = dims, risks.reshape(*shape, -1)
    fixed = {
        p.name: x for p, x in zip(equations.parameters, begun[0][1], strict=True)
        if p.name not in axes
    }  # fmt: skip
    plain = {name: x for name, x in settings.items() if name not in axes and name != "points"}
    attributes = {"settings": json.dumps(settings), **plain, **fixed}
    return build_runs(variables, {**axes, "time": times}, attributes)


def _warn(runs: Runs, axes: dict[str, list[float]], unsolved: NDArray[np.bool_]) -> None:
    if unsolved.any():
        first = tuple(np.argwhere(unsolved)[0])
        where = ", ".join(
            f"{name} = {values[i]:g}" for (name, values), i in zip(axes.items(), first, strict=True)
        )
        times = runs["time"].values
        last = times[~np.isnan(next(iter(runs.data_vars.values())).values[first])].max()
        warnings.warn(
            f"the equations cannot be solved up to {times[-1]:g} at {unsolved.sum()} of "
            f"{unsolved.size} settings, which are NaN in the result from where they end; the first "
            f"has {where} and ends after {last:g}. Equations.solve says why",
            RuntimeWarning,
            stacklevel=4,
        )
