"""Solutions of equations of motion in time, from initial states as for runs of descent."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import DOP853
from sympy import Symbol, lambdify

from slrsym.files import require_writable, write_netcdf
from slrsym.kernels.arguments import require_integer, require_positive
from slrsym.kernels.compile import choose_backend
from slrsym.kernels.compiled_rate import CompiledSolver
from slrsym.models.definition.specification import Direction
from slrsym.models.training.fixed_points import is_feasible, squared_lengths
from slrsym.models.training.initial_gram_matrices import initial_gram_factors
from slrsym.models.training.parameter_values import (
    add_inner_products_of_start,
    parameter_row,
    parameter_values_by_name,
)
from slrsym.models.training.rates_of_change import require_rates
from slrsym.models.training.runs import Runs, build_runs
from slrsym.models.training.zero_lengths import where_a_length_is_zero

if TYPE_CHECKING:
    from slrsym.models.training.equation_system import EquationSystem

Array = NDArray[np.float64]

# Names that results have besides those of order parameters.
_TAKEN = {
    "time", "gram", "risk", "direction", "other", "space", "covariance", "quantity",
    "other_quantity",
}  # fmt: skip


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
    names = [p.name for p in equations.state]
    found = solve_trajectory(
        equations.compile(chosen), equations.kind, names, state, row, times, tolerance
    )
    settings = {"backend": chosen, "tolerance": tolerance}
    runs = dataset_of_solution(equations, found, row, gram, settings)
    return save_or_raise(equations, found, runs, time, path)


def save_or_raise(
    equations: EquationSystem, found: Trajectory, runs: Runs, time: float, path: str | Path | None
) -> Runs:
    """Save a solution, and return it; raise `NotSolvedError` if it ends before its time."""
    if path is not None:
        write_netcdf(runs, path)
    if found.problem is not None:
        kept = f" and in {path}" if path is not None else ""
        squares = ((equations.state[i], found.states[-1][i]) for i in squared_lengths(equations))
        problem = found.problem + where_a_length_is_zero(squares)
        raise NotSolvedError(
            f"the equations cannot be solved up to {time:g}: {problem}. What was solved "
            f"is the `result` of this error{kept}",
            runs,
        )
    return runs


def dataset_of_solution(
    equations: EquationSystem,
    found: Trajectory,
    row: list[float],
    gram: Array | None,
    settings: dict[str, Any],
    more_variables: Mapping[str, Any] | None = None,
    more_coords: Mapping[str, Any] | None = None,
) -> Runs:
    """Return a solution as a dataset over time, with its risk and Gram matrices."""
    times, states = found.times, nearest_states_of_vectors(equations, found.states, row, gram)
    risk = risk_of_states(equations, states, row)
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
    settings |= {"kind": equations.kind}
    settings |= {p.name: value for p, value in zip(equations.parameters, row, strict=True)}
    return build_runs(
        variables | dict(more_variables or {}), coords | dict(more_coords or {}), settings
    )


def risk_of_states(equations: EquationSystem, states: Array, row: Sequence[float]) -> Array:
    """Return the risk at each state; what rounding makes of 0 is not negative."""
    with np.errstate(all="ignore"):
        found: Array = equations.compile("numpy", "risk")(states, *row)[:, 0]
    return np.where((found < 0) & (found > -_ROUNDING), 0.0, found)


def nearest_states_of_vectors(
    equations: EquationSystem, states: Array, row: Sequence[float], start: Array | None
) -> Array:
    """Return states whose inner products are those of some vectors, up to rounding.

    A solver's error may leave them a little outside, where a risk could be negative. Then what the
    trained directions have orthogonal to the fixed ones gets the nearest Gram matrix.
    """
    # Squares of larger numbers may be none.
    model, solved = equations.model, (np.abs(states) < 1e100).all(axis=1)
    if equations.is_symmetric or model.spaces > 1 or not (model.gram_indices and solved.any()):
        return states
    grams, t = _grams(equations, states[solved], row, start)[:, 0], len(model.trained_directions)
    known: NDArray[np.bool_] = np.all(np.isfinite(grams), axis=0)
    # Inner products of fixed directions that the equations do not depend on may be anything.
    fixed = [i for i in range(t, len(known)) if known[i, : t + 1].all() and known[i, i]]
    if not known[:t, :t].all() or not known[np.ix_(fixed, fixed)].all():
        return states
    across = grams[:, :t, fixed]
    shares = across @ np.linalg.pinv(grams[0][np.ix_(fixed, fixed)], hermitian=True)
    inside = shares @ np.swapaxes(across, -1, -2)
    values, vectors = np.linalg.eigh(grams[:, :t, :t] - inside)
    outside = values.min(axis=-1) < 0
    if not outside.any():
        return states
    # On spheres lengths stay 1.
    rest = (vectors * np.maximum(values, 0.0)[:, None]) @ np.swapaxes(vectors, -1, -2)
    squares = np.diagonal(inside + rest, axis1=-2, axis2=-1)
    sphere = [x.on_sphere for x in model.trained_directions]
    scale = 1 / np.sqrt(np.where(sphere, squares, 1.0))
    gram = np.concatenate([inside + rest, grams[:, :t, t:]], axis=-1) * scale[..., None]
    gram[..., :t] *= scale[:, None]
    found = states.copy()
    for k, p in enumerate(equations.state):
        if p in model.gram_indices:
            i, j, _ = model.gram_indices[p]
            found[np.flatnonzero(solved)[outside], k] = gram[outside, i, j]
    return found


# What rounding makes of a risk of 0.
_ROUNDING = 1e-13


def require_unreserved_names(equations: EquationSystem, axes: Iterable[str]) -> None:
    """Raise an error if an order parameter or grid parameter has a name reserved for results."""
    if clash := _TAKEN & {p.name for p in equations.state}:
        raise ValueError(f"order parameters must not have names that runs have; got {min(clash)}")
    if clash := (_TAKEN | {p.name for p in equations.state}) & set(axes):
        raise ValueError(f"values must not have a list for {min(clash)}, a name that results have")


class NotSolvedError(ValueError):
    """An error for equations of motion that cannot be solved up to the requested time.

    The message says at which time and point the solution ends; what was solved is its `result`.

    Parameters
    ----------
    message : str
    result : Runs
        As of `Equations.solve`, up to the last point reached.
    """

    def __init__(self, message: str, result: Runs) -> None:
        super().__init__(message)
        self.result = result


class Trajectory(NamedTuple):
    """States at times, shape (times, n), up to where a solution ends, with the reason if early."""

    times: Array
    states: Array
    problem: str | None = None


def solution_times(kind: str, time: float, points: int) -> Array:
    """Return the times of a solution; for steps of descent, integers as equidistant as possible."""
    if kind != "projected-descent":
        return np.linspace(0, time, points)
    steps = require_integer("time", int(time) if time == int(time) else time, 1)
    return np.unique(np.linspace(0, steps, min(points, steps + 1)).round())


def solve_trajectory(
    change: Callable[..., Any],
    kind: str,
    names: Sequence[str],
    state: Array,
    row: Sequence[float],
    times: Array,
    tolerance: float,
) -> Trajectory:
    """Return the solution at given times from an initial state, whose components have names.

    If it ends early, the last point that it reached comes after those at given times.
    """
    if kind == "projected-descent":
        return _stepped(change, names, state, row, times)
    rate = _FiniteRate(change, row)
    states, done, problem = [state], 1, None
    # What grows beyond all numbers is told below.
    with np.errstate(all="ignore"):
        if not np.isfinite(rate(0.0, state)).all():
            return Trajectory(times[:1], state[None], rate.problem(names))
        solver = DOP853(rate, 0.0, state, times[-1], rtol=tolerance, atol=tolerance / 100)
        machine_code = getattr(change, "machine_code", None)
        if machine_code is not None:
            return _solved_by_machine_code(
                CompiledSolver(machine_code, solver, row, times, tolerance),
                rate, names, times, tolerance,
            )  # fmt: skip
        reached_before = 0.0
        for step in range(_MOST_STEPS):
            if step and step % _WINDOW == 0:
                covered, reached_before = solver.t - reached_before, solver.t
                problem = _too_many(solver, step, covered, times[-1], names)
                if problem is not None:
                    break
            message = solver.step()
            if solver.status == "failed" or rate.failures > _MOST_FAILURES:
                problem = _where_it_failed(message, solver, rate, names)
                break
            if not np.isfinite(solver.y).all():
                problem = f"it grows beyond all numbers at t = {solver.t:.10g}"
                break
            reached = times[done : np.searchsorted(times, solver.t, "right")]
            if reached.size:
                states += list(solver.dense_output()(reached).T)
                done += reached.size
            if solver.status == "finished":
                return _without_gaps(Trajectory(times, np.array(states)), rate, names, tolerance)
        else:
            problem = _at(f"{_MOST_STEPS:,} steps were not enough", solver, names)
    found = _ended_early(solver, times[:done], np.array(states), problem)
    return _without_gaps(found, rate, names, tolerance)


def _without_gaps(
    found: Trajectory, rate: _FiniteRate, names: Sequence[str], tolerance: float
) -> Trajectory:
    """Solve anew up to times at which a solution between its steps was not finite.

    It takes further rates than the steps do, and beside an edge of the domain these may lie beyond.
    """
    times, states, _ = found
    for i in np.flatnonzero(~np.isfinite(states).all(axis=1)):
        solver = DOP853(
            rate, times[i - 1], states[i - 1], times[i], rtol=tolerance, atol=tolerance / 100
        )
        with np.errstate(all="ignore"):
            while solver.status == "running" and rate.failures <= _MOST_FAILURES:
                solver.step()
        if solver.status != "finished" or not np.isfinite(solver.y).all():
            problem = rate.problem(names) if rate.failures else _at("it ends", solver, names)
            return Trajectory(times[:i], states[:i], found.problem or problem)
        states[i] = solver.y
    return found


def _solved_by_machine_code(
    solver: CompiledSolver,
    rate: _FiniteRate,
    names: Sequence[str],
    times: Array,
    tolerance: float,
) -> Trajectory:
    """Return a trajectory as `solve_trajectory` does, without a call of Python for each step."""
    reached, problem = 0.0, None
    while problem is None:
        message = solver.advance(min(_WINDOW, _MOST_STEPS - solver.steps), _MOST_FAILURES)
        if solver.status == "finished":
            rate.note(*solver.failures)
            return _without_gaps(Trajectory(times, solver.states), rate, names, tolerance)
        if solver.status == "failed":
            rate.note(*solver.failures)
            problem = (
                _where_it_failed(message, solver, rate, names)
                if message or rate.failures > _MOST_FAILURES
                else f"it grows beyond all numbers at t = {solver.t:.10g}"
            )
        elif solver.steps >= _MOST_STEPS:
            problem = _at(f"{_MOST_STEPS:,} steps were not enough", solver, names)
        else:
            covered, reached = solver.t - reached, solver.t
            problem = _too_many(solver, solver.steps, covered, times[-1], names)
    found = _ended_early(solver, times[: solver.done], solver.states[: solver.done], problem)
    return _without_gaps(found, rate, names, tolerance)


def _too_many(
    solver: Any, step: int, covered: float, end: float, names: Sequence[str]
) -> str | None:
    """Return in words that so many steps cannot lead to the end, if so."""
    # Steps ten times as long would not lead there, either.
    if 10 * covered * (_MOST_STEPS - step) >= _WINDOW * (end - solver.t):
        return None
    needed = f"more than {_MOST_STEPS:,} steps are needed, as the last"
    needed += f" {_WINDOW:,} had a length of {covered / _WINDOW:.3g}"
    return _at(needed, solver, names)


def _where_it_failed(message: Any, solver: Any, rate: _FiniteRate, names: Sequence[str]) -> str:
    here = rate.failures and abs(rate.last_time - solver.t) <= 1e-6 * max(1.0, solver.t)
    return rate.problem(names) if here else _at(message, solver, names)


def _ended_early(solver: Any, times: Array, states: Array, problem: str | None) -> Trajectory:
    if not np.isfinite(solver.y).all() or solver.t <= times[-1]:
        return Trajectory(times, states, problem)
    return Trajectory(np.append(times, solver.t), np.array([*states, solver.y]), problem)


# Of steps of a solver in all, and of those tried that led to where no rate is finite. A solver
# makes a step shorter then; at an edge of the domain it would do so for ever.
_MOST_STEPS, _MOST_FAILURES = 200_000, 100
# Of steps after which it is asked whether so many can lead to the end.
_WINDOW = 5_000


class _FiniteRate:
    """The rate of change, with a note of the last finite state at which it was not finite."""

    def __init__(self, change: Callable[..., Any], row: Sequence[float]) -> None:
        self._change, self._row = change, row
        self.failures, self.last_time = 0, math.nan

    def __call__(self, time: float, state: Array) -> Array:
        found: Array = self._change(state, *self._row)
        if not np.isfinite(found).all() and np.isfinite(state).all():
            self.failures += 1
            self.last_time, self._last = time, (state.copy(), found.copy())
        return found

    def note(self, failures: int, time: float, state: Array, rates: Array) -> None:
        """Take over what machine code has noted."""
        if failures:
            self.failures, self.last_time, self._last = failures, time, (state, rates)

    def problem(self, names: Sequence[str]) -> str:
        """Return in words where the rate of change was not finite the last time."""
        state, rates = self._last
        shown = _listed([f"d{name}/dt" for name in names], rates)
        where = f"t = {self.last_time:.10g}, {_listed(names, state)}"
        return f"the rate of change is not finite ({shown}) at {where}"


def _at(message: Any, solver: Any, names: Sequence[str]) -> str:
    return f"{message}; it is at t = {solver.t:.10g}, {_listed(names, solver.y)}"


def _listed(names: Sequence[str], numbers: Array) -> str:
    """Return names with their numbers; of many the first six."""
    shown = [f"{name} = {x:.10g}" for name, x in zip(names, numbers, strict=True)]
    return ", ".join(shown[:6] + ["..."] * (len(shown) > 6))


def _stepped(
    change: Callable[..., Any],
    names: Sequence[str],
    state: Array,
    row: Sequence[float],
    times: Array,
) -> Trajectory:
    states, logged = np.empty((len(times), len(state))), times.astype(int)
    for k, (before, after) in enumerate(zip([0, *logged], logged, strict=False)):
        for step in range(before, after):
            with np.errstate(all="ignore"):
                new = state + change(state, *row)
            if not np.isfinite(new).all():
                last = [] if k and step == logged[k - 1] else [(step, state)]
                problem = f"the change of step {step + 1} is not finite, at {_listed(names, state)}"
                return Trajectory(
                    np.array([*times[:k], *(float(t) for t, _ in last)]),
                    np.array([*states[:k], *(x for _, x in last)]),
                    problem,
                )
            if (new == state).all():
                # A state that a step keeps is kept by all others.
                states[k:] = state
                return Trajectory(times, states)
            state = new
        states[k] = state
    return Trajectory(times, states)


def initial_state(
    equations: EquationSystem, values: Mapping[Any, Any], start: Any, rng: Any
) -> tuple[Array, list[float], Array | None]:
    """Return the initial state, the parameters, and the Gram matrices if the start has them."""
    model, scalars = equations.model, equations.motion.scalars
    drawn = isinstance(start, str) and start == "uniform"
    if drawn and not model.trained_directions and "d" not in map(str, values):
        start = {}  # nothing is drawn
    if isinstance(start, Mapping) and not (start and all(isinstance(x, Direction) for x in start)):
        missing = {s.name: _by_name(values, s) for s in scalars if s.name not in map(str, start)}
        rest = {k: v for k, v in values.items() if str(k) not in missing}
        state, row = equations.numerical_values({**start, **missing}, rest)
        if not is_feasible(equations, state, row):
            names = [p.name for p in equations.state]
            raise ValueError(
                f"start must be inner products of vectors; got {_listed(names, state)}"
            )
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
    require_rates(
        equations.motion, {p: rest[p.name] for p in equations.parameters if p.name in rest}
    )
    row = parameter_row(model, rest, equations.parameters).tolist()
    places = model.gram_indices
    numbers = [first[p.name] if p in scalars else gram.T[places[p]] for p in equations.state]
    return np.array(numbers, dtype=np.float64), row, gram


def _by_name(values: Mapping[Any, Any], s: Symbol) -> Any:
    found = {str(k): v for k, v in values.items()}
    if s.name not in found:
        raise ValueError(f"values must have the initial value of {s.name}, which is trained")
    return found[s.name]


def _grams(
    equations: EquationSystem, states: Array, row: Sequence[float], start: Array | None
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
