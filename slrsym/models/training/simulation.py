"""Projected descent of user-defined models: starts, parameters at each step, and runs."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from sympy import Expr, Symbol, lambdify, sqrt

from slrsym.files import read_start_arrays, require_writable
from slrsym.jobs import no_waits_said
from slrsym.kernels.arguments import require_integer, require_positive
from slrsym.kernels.compile import choose_backend, iterate_step, numpy_constant_and_output_functions
from slrsym.kernels.machine_limits import require_memory
from slrsym.kernels.numba_backend import compile_ahead, iterate_compiled
from slrsym.models.definition.specification import Direction, InnerProduct
from slrsym.models.training.initial_conditions import draw_directions, vectors_with_gram_matrix
from slrsym.models.training.reduced_steps import ReducedEngine, ReducedStep, find_reduced_step
from slrsym.models.training.runs import (
    MODEL_RUNS,
    Runs,
    advance_and_save_runs,
    build_runs,
    load,
    save_and_return_risk_error,
)
from slrsym.models.training.schedules import SORTS, ParameterSchedules
from slrsym.models.training.zero_lengths import where_a_length_is_zero

if TYPE_CHECKING:
    from slrsym.models.training.descent import DerivedModel, DescentMap


Array = NDArray[np.float64]


class DescentEngine:
    """Engine that takes descent steps of a model, in NumPy or as machine code.

    Where a step comes upon the excess risk of its state by itself, `excess_risks` keeps it, by the
    number of the step.
    """

    def __init__(self, model: DerivedModel, factor: Array, alpha: float, backend: str) -> None:
        self.states = np.array(factor, dtype=np.float64)
        self.excess_risks: dict[int, Array] = {}
        self._flow, self._alpha, self._taken = model.flow, alpha, 0
        self._compiled = None
        if backend == "numba" and model.is_additive:
            self._compiled = model.flow.compiled_step_loop
            compile_ahead(self._compiled, self.states, len(model.parameters), alpha)
            return
        if not model.is_additive:
            both = model.compile(backend, "excess_risk", "gradient")
            self._constants: Any = lambda *row: row
            self._excess_and_slopes: Any = lambda states, row: np.split(
                np.asarray(both(states, *row)), [1], axis=-1
            )
            return
        self._constants, body = numpy_constant_and_output_functions(model.program("gradient"))

        def slopes(states: Array, fixed: Any) -> tuple[None, Array]:
            found = np.empty(states.shape)
            for k, slope in enumerate(body(*states.T, *fixed)):
                found[:, k] = slope
            return None, found

        self._excess_and_slopes = slopes

    def advance(self, parameters: Array, every: int) -> Array:
        """Take one step for each row of parameters, and return every `every`-th state."""
        flow, alpha, steps, begin = self._flow, self._alpha, len(parameters), self._taken
        # What does not change is one number.
        columns = [c if (c != c[:1]).any() else c[:1].copy() for c in parameters.T.copy()]
        if self._compiled is not None:
            self.states, noted = iterate_compiled(
                self._compiled, self.states, columns, steps, every, alpha
            )
            return noted

        def step(factor: Array, fixed: Any) -> Array:
            excess, slopes = self._excess_and_slopes(
                flow.order_parameters_of_gram_factor(factor), fixed
            )
            if excess is not None and (self._taken - begin) % every == 0:
                self.excess_risks[self._taken] = excess[..., 0]
            self._taken += 1
            return flow.gram_factor_after_step(factor, slopes, alpha)

        # Of states that are not finite a warning tells at the end of all runs.
        with np.errstate(all="ignore"):
            self.states, noted = iterate_step(
                step, self._constants, self.states, columns, steps, every, lambda x: x
            )
        return noted.reshape(-1, *self.states.shape)


def parameter_values_by_name(model: DerivedModel, values: Any) -> dict[str, Any]:
    """Return the parameters' values by name, where keys may be symbols or inner products."""
    if not isinstance(values, Mapping):
        raise TypeError(f"values must be a mapping of parameters to numbers; got {values!r}")
    found = {}
    for key, value in values.items():
        product = model.inner_product(*key.pair) if isinstance(key, InnerProduct) else None
        if product is None or isinstance(product, Symbol):
            found[str(product or key)] = value
        elif product != value:
            raise ValueError(f"{key} is {product} in this model; got {value}")
    return found


def require_value_of_d(by_name: Mapping[str, Any]) -> int:
    """Return d from values by name; raise `ValueError` unless it is an integer, at least 2."""
    d = by_name.get("d", 0)
    return require_integer("d", int(d) if isinstance(d, float) and d.is_integer() else d, 2)


def require_trained_directions(model: DerivedModel, what: str, kind: str, instead: str) -> None:
    """Raise an error for a model that trains no direction, with what to use for its scalars."""
    if not model.trained_directions:
        scalars = ", ".join(map(str, model.scalars))
        remedy = f"; to train scalars, use m.equations({kind!r}, train=[{scalars}]).{instead}"
        raise ValueError(
            f"{what} is about directions, and the predictor of this model uses none that is trained"
            f"{remedy * bool(scalars)}"
        )


def simulate(
    model: DerivedModel,
    values: Mapping[Any, Any],
    *,
    steps: int,
    alpha: float,
    runs: int | None = None,
    start: Any = "uniform",
    every: int | None = None,
    rng: Any = None,
    dimensions: Sequence[int] | None = None,
    backend: str = "auto",
    path: str | Path | None = None,
    progress: bool | None = None,
) -> Runs:
    """Run projected descent of a model; return the logged states as a dataset."""
    require_trained_directions(model, "simulate", "projected-descent", "solve(...)")
    steps, alpha = require_integer("steps", steps, 1), require_positive("alpha", alpha)
    every = max(1, steps // 1000) if every is None else require_integer("every", every, 1)
    of_runs = isinstance(start, str | Path) and str(start).endswith(".nc")
    begin = load(start) if of_runs else start
    runs = None if runs is None else require_integer("runs", runs, 1)
    rows = -(-steps // every) + 1
    places, spaces = len(model.directions), model.spaces
    by_name = parameter_values_by_name(model, values)

    def require_room(runs: int) -> None:
        # Factors, Gram matrices, and what is read of them.
        size = runs * rows * spaces * places**2 * 32
        size += ParameterSchedules.memory(by_name.values(), steps)
        require_memory(f"runs = {runs:,} of {steps:,} steps, with {rows:,} logged,", size)

    require_room(runs or 1)
    logged = np.append(np.arange(0, steps, every), steps)
    stated, factor = initial_gram_matrices(
        model, by_name, begin, runs, np.random.default_rng(rng), dimensions
    )
    runs = len(factor)
    require_room(runs)
    add_inner_products_of_start(model, by_name, factor)
    schedule = _schedules(model, by_name, steps, model.parameters)
    if path is not None:
        require_writable(path)
    names = [x.name for x in model.directions]
    columns = {p.name: p for p in (*model.order_parameters, *model.parameters)}
    taken = {"run", "step", "space", "direction", "other", "gram", "risk", "excess_risk"}
    if clash := taken & columns.keys():
        raise ValueError(f"parameters must not have names that runs have; got {min(clash)}")
    reduced = find_reduced_step(model, _with_stated_products(model, by_name, stated))
    compiled = model.flow if reduced is None else reduced[0]
    settings = {
        "backend": (chosen := choose_backend_of_runs(backend, model, steps, runs, compiled)),
        "alpha": alpha,
        "steps": steps,
        "every": every,
        "start": start if isinstance(start, str) else type(start).__name__,
    }
    if reduced is not None and reduced[0].is_whole and chosen == "numpy":
        # It takes all runs at once as they are.
        reduced = None
    # Of closed forms NumPy takes all states at once; of a double integral each is a long way.
    excess = model.compile("numpy" if model.is_additive else chosen, "excess_risk")
    noise = model.data.noise**2
    noise_of: Any = lambdify(model.parameters, noise) if noise.free_symbols else None
    with no_waits_said() if progress is False else nullcontext():
        engine = (
            DescentEngine(model, factor, alpha, chosen) if reduced is None
            else ReducedEngine(*reduced, alpha, chosen)
        )  # fmt: skip

    def risks(noted: Array, numbers: NDArray[np.int64]) -> Array:
        """Return the excess risks, shape (step, run), of states that no step came upon, too."""
        known = [engine.excess_risks.get(int(n)) for n in numbers]
        rest = np.array([risk is None for risk in known])
        at = schedule.at(numbers[rest])
        columns = (at[:, None, k] for k in range(at.shape[1]))
        found = np.empty((len(numbers), runs))
        with np.errstate(all="ignore"):
            states = model.flow.order_parameters_of_gram_factor(noted[rest])
            found[rest] = excess(states, *columns)[..., 0]
        for row, risk in enumerate(known):
            found[row] = found[row] if risk is None else risk
        return found

    def finish(noted: Array, numbers: NDArray[np.int64]) -> Runs:
        at = schedule.at(numbers)
        with np.errstate(all="ignore"):
            states = model.flow.order_parameters_of_gram_factor(noted)
            gram = np.moveaxis(noted @ np.swapaxes(noted, -1, -2), 0, 1)
            if reduced is not None:
                gram = reduced[0].spread(gram)
        try:
            found, problem = risks(noted, numbers).T, None
        except Exception as raised:  # a run of hours is not lost, whatever its risk fails by
            found, problem = np.full(states.shape[1::-1], np.nan), raised
        variables: dict[str, Any] = {
            p.name: (("run", "step"), states[..., i].T)
            for i, p in enumerate(model.order_parameters)
        }
        variables |= {p.name: ("step", at[:, i]) for i, p in enumerate(model.parameters)}
        variables["excess_risk"] = ("run", "step"), found
        variables["risk"] = (
            ("run", "step"),
            found + (float(noise) if noise_of is None else noise_of(*at.T)),
        )
        variables["gram"] = ("run", "step", "space", "direction", "other"), gram
        coords = {
            "run": np.arange(runs), "step": numbers, "space": np.arange(spaces),
            "direction": names, "other": names,
        }  # fmt: skip
        result = build_runs(variables, coords, settings)
        if problem is not None:
            raise save_and_return_risk_error(result, path, problem) from problem
        return result

    # If the risk cannot be computed, this says so before the run.
    with no_waits_said() if progress is False else nullcontext():
        risks(engine.states[None], logged[:1])
    # A step of a model by quadrature takes some milliseconds.
    work = runs * (1 if model.has_closed_form else 1000)
    result = advance_and_save_runs(engine, schedule.at, logged, work, finish, path, progress)
    _warn_where_states_are_not_finite(model, result, alpha)
    if schedule.is_constant:
        _warn_where_risk_rises(result.excess_risk.values, alpha)
    return result


# NumPy takes so many steps of README's model while a loop is compiled, and while one is loaded; a
# step of so many runs takes twice as long as one of a few.
_COMPILES, _LOADS, _RUNS = 30_000, 4_000, 300
# So many double integrals of softmax does NumPy take while machine code for them is compiled, and
# while it is loaded.
_COMPILES_INTEGRAL, _LOADS_INTEGRAL = 25_000, 1_500
# By the number of variables, how many such steps a mean takes that has no closed form.
_MEANS = {1: 1.5, 2: 100.0}


def choose_backend_of_runs(
    backend: str,
    model: DerivedModel,
    steps: int,
    runs: int,
    step: DescentMap | ReducedStep | None = None,
) -> str:
    """Return the backend for runs; 'auto' means NumPy if it is done before machine code is there.

    That goes by the number of steps and not by a clock. The `step` is by default that of all Gram
    matrices.
    """
    chosen = choose_backend(backend)
    if backend != "auto" or chosen == "numpy":
        return chosen
    if model.is_additive:
        means = model.program("gradient").means
        work = steps * (1 + runs / _RUNS) * (1 + sum(_MEANS[len(orders)] for *_, orders in means))
        loads, compiles = _LOADS, _COMPILES
    else:
        work, loads, compiles = steps * runs, _LOADS_INTEGRAL, _COMPILES_INTEGRAL
    if work < loads:
        return "numpy"
    return "numba" if work >= compiles or (step or model.flow).is_loop_compiled else "numpy"


def _warn_where_states_are_not_finite(model: DerivedModel, result: Runs, alpha: float) -> None:
    """Warn about runs that grew beyond all numbers, or came to where the gradient has no value."""
    lost = ~np.isfinite(result.gram.values).all(axis=(2, 3, 4))
    if lost.any():
        one = int(np.argmax(lost.any(axis=-1)))
        place = int(np.argmax(lost[one]))
        step, before = int(result.step.values[place]), result.gram.values[one, max(place - 1, 0)]
        squares = (
            (model.inner_product(x, x), float(before[:, i, i].sum()))
            for i, x in enumerate(model.trained_directions)
        )
        warnings.warn(
            f"the states of {lost.any(axis=-1).sum()} of {len(lost)} runs are not finite at last, "
            f"such as those of run {one} at step {step}: alpha = {alpha:g} is too large there, or "
            "the gradient has no value where they came" + where_a_length_is_zero(squares),
            RuntimeWarning,
            stacklevel=4,
        )


def _warn_where_risk_rises(risks: Array, alpha: float) -> None:
    """Warn about too large step sizes, which projection to the sphere would otherwise hide."""
    least, most = risks.min(axis=-1), risks.max(axis=-1)
    with np.errstate(all="ignore"):
        rises = risks[:, -1] - least > 1e-3 * (most - least) + 1e-12 * np.abs(most)
    if rises.any():
        one = int(np.argmax(rises))
        warnings.warn(
            f"the risk rises in {rises.sum()} of {len(rises)} runs, such as from {least[one]:.4g} "
            f"to {risks[one, -1]:.4g}: alpha = {alpha:g} is too large there",
            RuntimeWarning,
            stacklevel=4,
        )


def parameter_row(
    model: DerivedModel,
    by_name: Mapping[str, Any],
    parameters: Sequence[Symbol] | None = None,
) -> Array:
    """Return the numbers of constant parameters (by default the risk's), shape (count,)."""
    parameters = model.parameters if parameters is None else parameters
    row: Array = _schedules(model, by_name, 0, parameters).at(np.zeros(1, dtype=np.int64))[0]
    return row


def _schedules(
    model: DerivedModel, by_name: Mapping[str, Any], steps: int, parameters: Sequence[Symbol]
) -> ParameterSchedules:
    """Return the parameters at each step up to `steps`; raise if one is missing or unknown."""
    known = {p.name for p in parameters} | {"d"}
    known |= {p.name for p, _ in _between(model) if isinstance(p, Symbol)}
    unknown = sorted(by_name.keys() - known)
    if unknown:
        allowed = ", ".join(p.name for p in parameters)
        raise ValueError(f"values has {unknown[0]}, no parameter of this model ({allowed})")
    given = []
    for p in parameters:
        if p.name not in by_name:
            raise ValueError(f"values must have a number for {p.name}")
        sorts = [x for x in SORTS if x == "real" or getattr(p, f"is_{x}")]
        given.append((by_name[p.name], p.name, sorts))
    return ParameterSchedules(given, 0, steps)


def _between(model: DerivedModel) -> list[tuple[Expr, tuple[int, int, int]]]:
    """Return inner products of fixed directions, with their indices in the Gram matrices."""
    t = len(model.trained_directions)
    return [
        (model.inner_product(x, y, a), (i, j, a))
        for i, x in enumerate(model.fixed_directions, t)
        for j, y in enumerate(model.fixed_directions[i - t :], i)
        for a in range(model.spaces)
    ]


def add_inner_products_of_start(
    model: DerivedModel,
    by_name: dict[str, Any],
    factor: Array,
    parameters: Sequence[Symbol] | None = None,
) -> None:
    """Add the start's inner products of fixed directions to the values; raise if they disagree."""
    parameters = model.parameters if parameters is None else parameters
    gram = factor @ np.swapaxes(factor, -1, -2)
    for product, (i, j, a) in _between(model):
        found = gram[:, a, i, j]
        if isinstance(product, Symbol) and product not in parameters:
            continue
        if isinstance(product, Symbol) and product.name not in by_name:
            by_name[product.name] = float(found[0])
        stated = _number(product, by_name)
        if not np.abs(found - stated).max() < 1e-9:
            raise ValueError(
                f"start has directions {model.directions[i]} and {model.directions[j]} of inner "
                f"product {found[np.abs(found - stated).argmax()]}, where the model has {stated}. "
                f"The rows of a Gram matrix are {_in_order(model)}"
            )
    squares = np.sum(np.diagonal(gram, axis1=-2, axis2=-1), axis=1)
    for i, x in enumerate(model.trained_directions):
        if x.on_sphere and not np.abs(squares[:, i] - 1).max() < 1e-6:
            worst = squares[np.abs(squares[:, i] - 1).argmax(), i]
            raise ValueError(f"start has direction {x} of length {worst**0.5:g}; it must have 1")


def _with_stated_products(model: DerivedModel, by_name: Mapping[str, Any], gram: Array) -> Array:
    """Return Gram matrices with the model's inner products of fixed directions, where it has some.

    Those of a start may differ by rounding.
    """
    found = gram.copy()
    for product, (i, j, a) in _between(model):
        if all(s.name in by_name for s in product.free_symbols):
            found[:, a, i, j] = found[:, a, j, i] = _number(product, by_name)
    return found


def initial_gram_factors(
    model: DerivedModel,
    by_name: Mapping[str, Any],
    start: Any,
    runs: int | None,
    rng: np.random.Generator,
    dimensions: Sequence[int] | None,
) -> Array:
    """Return factors of the initial Gram matrices, from any of the accepted forms of `start`.

    Without a number of runs there are as many as `start` has points.
    """
    return initial_gram_matrices(model, by_name, start, runs, rng, dimensions)[1]


def initial_gram_matrices(
    model: DerivedModel,
    by_name: Mapping[str, Any],
    start: Any,
    runs: int | None,
    rng: np.random.Generator,
    dimensions: Sequence[int] | None,
) -> tuple[Array, Array]:
    """Return the initial Gram matrices, to the last bit as stated, with factors of them."""
    if isinstance(start, xr.Dataset):
        names = [x.name for x in model.directions]
        if not MODEL_RUNS.fits(start) or start.direction.values.tolist() != names:
            raise ValueError(f"start must be runs of a model of {', '.join(names)}")
        start = start.gram.isel(step=-1).values
    if isinstance(start, Path) or (isinstance(start, str) and start.endswith(".npz")):
        by_name_of = {x.name: x for x in model.directions}
        start = {by_name_of[n]: x for n, x in read_start_arrays(start, list(by_name_of)).items()}
    if isinstance(start, str):
        if start not in ("uniform", "uniform, fixed directions too"):
            raise ValueError(
                "start must be 'uniform', 'uniform, fixed directions too', vectors by direction, "
                f"a file .npz of these, or a Gram matrix; got {start!r}"
            )
        if "d" not in by_name:
            raise ValueError(
                f"values must have a number for d, as start={start!r} is drawn in R^d; got numbers "
                f"for {', '.join(sorted(by_name)) or 'nothing'}"
            )
        d, gram, runs = require_value_of_d(by_name), None, runs or 1
        between = dict.fromkeys(p for p, _ in _between(model) if isinstance(p, Symbol))
        free = [p for p in between if p.name not in by_name]
        # A direction is drawn with length 1.
        squares = [model.squared_length(x) for x in model.fixed_directions]
        lengths = [1.0 if s in free else _number(sqrt(s), by_name) for s in squares]
        if start == "uniform" and model.spaces == 1 and not free:
            gram = np.array(
                [
                    [_number(model.inner_product(x, y), by_name) for y in model.fixed_directions]
                    for x in model.fixed_directions
                ]
            ).reshape(len(model.fixed_directions), len(model.fixed_directions))
        elif runs > 1 and model.spaces == 1 and set(free) & set(model.parameters):
            # What the risk depends on is the same for all runs.
            fixed = draw_directions(model, d, 1, rng)[0, 0, len(model.trained_directions) :]
            fixed *= np.array(lengths)[:, None]
            gram = fixed @ fixed.T
        factor = draw_directions(model, d, runs, rng, gram, dimensions)
        if gram is None:
            factor[:, :, len(model.trained_directions) :] *= np.array(lengths)[:, None]
        return factor @ np.swapaxes(factor, -1, -2), factor
    if isinstance(start, Mapping) and not (start and all(isinstance(x, Direction) for x in start)):
        return _with_factor(model, _gram_by_pairs(model, by_name, start), runs)
    if isinstance(start, Mapping):
        missing = [x.name for x in model.directions if x not in start]
        if missing:
            raise ValueError(f"start must have a vector for {missing[0]}")
        vectors = np.stack(
            np.broadcast_arrays(
                *(np.asarray(start[x], dtype=np.float64) for x in model.directions)
            ),
            axis=-2,
        )
        if not np.isfinite(vectors).all():
            lost = [
                x.name
                for i, x in enumerate(model.directions)
                if not np.isfinite(vectors[..., i, :]).all()
            ]
            raise ValueError(f"start must have finite vectors; those for {lost[0]} are not")
        vectors = vectors.reshape(-1, *vectors.shape[-2:])
        if model.spaces > 1:
            raise ValueError(
                f"start from vectors needs one eigenspace, and this model has {model.spaces}; "
                "give Gram matrices"
            )
        # Coordinates in an orthonormal basis of their span.
        factor = np.stack([np.linalg.qr(rows.T)[1].T for rows in vectors])[:, None]
        gram = (vectors @ np.swapaxes(vectors, -1, -2))[:, None]
        return _repeated(gram, runs), _repeated(factor, runs)
    if isinstance(start, xr.DataArray):
        start = _gram_by_names(model, start)
    given = np.asarray(start, dtype=np.float64)
    p = len(model.directions)
    shape = (p, p) if model.spaces == 1 else (model.spaces, p, p)
    if given.shape[-len(shape) :] != shape:
        raise ValueError(
            f"start, as a Gram matrix of {_in_order(model)}, must have shape (..., {model.spaces}, "
            f"{p}, {p}) (without the {model.spaces} for one eigenspace); got {given.shape}"
        )
    return _with_factor(model, given, runs)


def _in_order(model: DerivedModel) -> str:
    return f"{', '.join(map(str, model.directions))} (in this order)"


def _with_factor(model: DerivedModel, gram: Array, runs: int | None) -> tuple[Array, Array]:
    """Return Gram matrices of a start, with factors of them, for each run."""
    p = len(model.directions)
    gram = gram.reshape(-1, model.spaces, p, p)
    try:
        factor = vectors_with_gram_matrix(gram)
    except ValueError as problem:
        raise ValueError(f"start, as a Gram matrix of {_in_order(model)}: {problem}") from None
    return _repeated((gram + np.swapaxes(gram, -1, -2)) / 2, runs), _repeated(factor, runs)


def _gram_by_pairs(
    model: DerivedModel, by_name: Mapping[str, Any], start: Mapping[Any, Any]
) -> Array:
    """Return a Gram matrix in each eigenspace, from inner products by pair, symbol or name."""
    x, spaces = model.directions, range(model.spaces)
    pairs = {key: value for key, value in start.items() if isinstance(key, InnerProduct)}
    names = {str(key): value for key, value in start.items() if not isinstance(key, InnerProduct)}
    known = {y @ z for y in x for z in x}
    symbols = {str(model.inner_product(*pair.pair, a)) for pair in known for a in spaces}
    if unknown := sorted(map(str, {*pairs} - known)) + sorted({*names} - symbols):
        raise ValueError(
            f"start has {unknown[0]}, no inner product of the directions {', '.join(map(str, x))}"
        )
    gram = np.empty((model.spaces, len(x), len(x)))
    for i, y in enumerate(x):
        for j, z in enumerate(x):
            for a in spaces:
                product = model.inner_product(y, z, a)
                if y @ z in pairs:
                    gram[a, i, j] = np.broadcast_to(pairs[y @ z], model.spaces)[a]
                elif str(product) in names:
                    gram[a, i, j] = names[str(product)]
                elif all(s.name in by_name for s in product.free_symbols):
                    gram[a, i, j] = _number(product, by_name)
                else:
                    raise ValueError(f"start must have a number for {y @ z}")
    return gram


def _gram_by_names(model: DerivedModel, start: xr.DataArray) -> Array:
    """Return labelled Gram matrices with the directions in the order of the model."""
    names = [x.name for x in model.directions]
    labels = [start.coords.get(dim) for dim in ("direction", "other")]
    if any(x is None or sorted(x.values.tolist()) != sorted(names) for x in labels):
        raise ValueError(
            "start, as a DataArray, must have the dimensions direction and other with the names "
            f"{', '.join(names)}"
        )
    first = [dim for dim in start.dims if dim not in ("space", "direction", "other")]
    spaces = ["space"] if "space" in start.dims else []
    ordered = start.sel(direction=names, other=names).transpose(
        *first, *spaces, "direction", "other"
    )
    found: Array = ordered.values
    return found


def _repeated(factor: Array, runs: int | None) -> Array:
    if runs in (None, len(factor)):
        return factor
    if len(factor) != 1:
        raise ValueError(f"start has {len(factor)} points for {runs} runs; give one, or as many")
    return np.repeat(factor, runs, axis=0)


def _number(expr: Any, by_name: Mapping[str, Any]) -> float:
    if expr.free_symbols:
        missing = sorted(s.name for s in expr.free_symbols if s.name not in by_name)
        if missing:
            raise ValueError(f"values must have a number for {missing[0]}")
        expr = expr.subs({s: by_name[s.name] for s in expr.free_symbols})
    return float(expr)
