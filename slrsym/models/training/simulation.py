"""Projected descent of user-defined models: starts, parameters at each step, and runs."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sympy import lambdify

from slrsym.files import require_writable
from slrsym.jobs import no_waits_said
from slrsym.kernels.arguments import require_integer, require_positive
from slrsym.kernels.compile import choose_backend, iterate_step, numpy_constant_and_output_functions
from slrsym.kernels.machine_limits import require_memory
from slrsym.kernels.numba_backend import (
    NoMachineCodeError,
    compile_ahead,
    iterate_compiled,
)
from slrsym.models.training.initial_conditions import require_dimensions
from slrsym.models.training.initial_gram_matrices import initial_gram_matrices
from slrsym.models.training.parameter_values import (
    add_inner_products_of_start,
    parameter_schedules,
    parameter_values_by_name,
    require_value_of_d,
    with_stated_products,
)
from slrsym.models.training.rates_of_change import require_gradients_of_samples
from slrsym.models.training.reduced_steps import ReducedEngine, ReducedStep, find_reduced_step
from slrsym.models.training.runs import (
    Runs,
    advance_and_save_runs,
    build_runs,
    load,
    save_and_return_risk_error,
)
from slrsym.models.training.schedules import ParameterSchedules
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
    batch: int | None = None,
    samples: int | None = None,
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
    batch = None if batch is None else require_integer("batch", batch, 1)
    samples = None if samples is None else require_integer("samples", samples, batch or 1)
    if samples is not None and isinstance(begin, Runs) and "samples" in begin.attrs:
        raise ValueError(
            "start must not be runs on finite samples, which were not kept; got runs on "
            f"{begin.attrs['samples']:,}: start anew, or leave samples out"
        )
    generator = np.random.default_rng(rng)
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
    stated, factor = initial_gram_matrices(model, by_name, begin, runs, generator, dimensions)
    runs = len(factor)
    require_room(runs)
    add_inner_products_of_start(model, by_name, factor)
    schedule = parameter_schedules(model, by_name, steps, model.parameters)
    if path is not None:
        require_writable(path)
    names = [x.name for x in model.directions]
    columns = {p.name: p for p in (*model.order_parameters, *model.parameters)}
    taken = {
        "run",
        "step",
        "space",
        "direction",
        "other",
        "gram",
        "risk",
        "excess_risk",
        "training_risk",
    }
    if clash := taken & columns.keys():
        raise ValueError(f"parameters must not have names that runs have; got {min(clash)}")
    reduced, sampling = None, dict[str, Any]()
    if batch is None and samples is None:
        reduced = find_reduced_step(model, with_stated_products(model, by_name, stated))
        compiled = model.flow if reduced is None else reduced[0]
        chosen = choose_backend_of_runs(backend, model, steps, runs, compiled)
    else:
        asked = {"samples": samples, "batch": batch}
        sampling = {name: x for name, x in asked.items() if x is not None}
        work = steps * (1 + runs // _RUNS_OF_BATCHES)
        chosen = choose_backend_of_samples(backend, samples is not None, work)
        sampling["seed"] = int(generator.integers(2**63))
    settings = {
        "backend": chosen,
        "alpha": alpha,
        "steps": steps,
        "every": every,
        "start": start if isinstance(start, str) else type(start).__name__,
        **sampling,
    }
    if reduced is not None and reduced[0].is_whole and chosen == "numpy":
        # It takes all runs at once as they are.
        reduced = None
    # Of closed forms NumPy takes all states at once; of a double integral each is a long way.
    excess = model.compile("numpy" if model.is_additive else chosen, "excess_risk")
    noise = model.data.noise**2
    noise_of: Any = lambdify(model.parameters, noise) if noise.free_symbols else None
    with no_waits_said() if progress is False else nullcontext():
        engine: Any
        if sampling:
            how = schedule.at(logged[:1])[0], by_name, dimensions, alpha
            try:
                engine = make_sample_engine(model, factor, *how, **sampling, backend=chosen)
            except NoMachineCodeError:
                if backend == "numba":
                    raise
                engine = make_sample_engine(model, factor, *how, **sampling)
                settings["backend"] = "numpy"
        elif reduced is None:
            engine = DescentEngine(model, factor, alpha, chosen)
        else:
            engine = ReducedEngine(*reduced, alpha, chosen)

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
        if sampling and engine.training_risks:
            training = [engine.training_risks[int(n)] for n in numbers]
            variables["training_risk"] = ("run", "step"), np.transpose(training)
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
    own = engine.work if sampling else 1
    work = runs * (own if model.has_closed_form else 1000)
    result = advance_and_save_runs(engine, schedule.at, logged, work, finish, path, progress)
    _warn_where_states_are_not_finite(model, result, alpha)
    # With batches it rises and falls.
    if schedule.is_constant and not sampling:
        _warn_where_risk_rises(result.excess_risk.values, alpha)
    return result


def make_sample_engine(
    model: DerivedModel, factor: Array, row: Array, by_name: Mapping[str, Any],
    dimensions: Sequence[int] | None, alpha: float, *, seed: int, batch: int | None = None,
    samples: int | None = None, backend: str = "numpy",
) -> Any:  # fmt: skip
    """Return the engine of descent on sampled tokens; raise if the model has none.

    Samples are drawn once, if there is a number of them, and else fresh at each step.
    """
    from slrsym.models.sampling.batch_descent import BatchEngine
    from slrsym.models.sampling.finite_samples import FiniteSampleEngine

    name, count = ("batch", batch) if samples is None else ("samples", samples)
    require_gradients_of_samples(model, (), name)
    if model.reconstructed or model.uses_representatives:
        why = "reconstructs tokens" if model.reconstructed else "has exchangeable units in symbols"
        remedy = f"leave {name} out" if model.reconstructed else "state them one by one"
        raise ValueError(f"{name} must not be given for a model that {why}; got {count}: {remedy}")
    d = require_value_of_d(by_name, "samples are drawn in R^d")
    if dimensions is None and model.spaces > 1:
        raise ValueError(
            f"dimensions must be given with {name}, {model.spaces} numbers that add up to {d}; "
            f"got {dimensions}"
        )
    how = by_name, require_dimensions(dimensions, d, model.spaces), alpha
    if samples is None:
        return BatchEngine(model, factor, row, *how, batch or 1, seed, backend)
    return FiniteSampleEngine(model, factor, row, *how, samples, batch, seed)


def choose_backend_of_samples(backend: str, are_finite: bool, work: int) -> str:
    """Return the backend for descent on sampled tokens, which is NumPy for finitely many.

    For `work`, steps of a few runs, 'auto' means NumPy if it is done before there is machine code.
    """
    if not are_finite:
        chosen = choose_backend(backend)
        return "numpy" if backend == "auto" and work < _COMPILES_BATCHES else chosen
    if backend not in ("auto", "numpy"):
        raise ValueError(f"backend must be 'auto' or 'numpy' with samples; got {backend!r}")
    return "numpy"


# NumPy takes so many steps of README's model while a loop is compiled, and while one is loaded; a
# step of so many runs takes twice as long as one of a few.
_COMPILES, _LOADS, _RUNS = 30_000, 4_000, 300
# So many double integrals of softmax does NumPy take while machine code for them is compiled, and
# while it is loaded.
_COMPILES_INTEGRAL, _LOADS_INTEGRAL = 25_000, 1_500
# So many steps on batches does NumPy take while machine code is compiled for them; one of so many
# runs takes twice as long as one of a few.
_COMPILES_BATCHES, _RUNS_OF_BATCHES = 15_000, 30
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
