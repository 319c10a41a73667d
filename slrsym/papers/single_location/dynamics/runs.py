"""Run, log and resume projected gradient descent on the paper's task."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from slrsym.files import require_writable
from slrsym.kernels.arguments import require_integer, require_positive, require_real_array
from slrsym.kernels.compile import choose_backend
from slrsym.kernels.machine_limits import require_memory, warn_of_long_work
from slrsym.models.training.runs import (
    MODEL_RUNS,
    RUN_SETTINGS,
    Engine,
    Runs,
    RunsLayout,
    advance_and_save_runs,
    build_runs,
    load,
    require_runs_dataset,
)
from slrsym.models.training.schedules import (
    ParameterSchedules,
    Schedule,
    as_schedule,
    describe_schedule,
    schedule_from_text,
)
from slrsym.papers.single_location.dynamics.engines import (
    BatchTaskEngine,
    TaskEngine,
    vectors_of_start,
)
from slrsym.papers.single_location.dynamics.initial_conditions import (
    Start,
    as_start,
    require_feasible,
)
from slrsym.papers.single_location.dynamics.spheres import (
    largest_curvatures,
    manifold_vectors,
    overlaps_of_vectors,
    vectors_from_overlaps,
)
from slrsym.papers.single_location.paper_risk import excess_risk
from slrsym.papers.single_location.task import (
    ORACLE,
    OrderParameters,
    Task,
    task_from_settings,
    task_settings,
)

TASK_RUNS = RunsLayout(
    RUN_SETTINGS | {"schedule", *(f"task_{name}" for name in Task.__dataclass_fields__)},
    frozenset({"run", "step"}),
    frozenset({*OrderParameters._fields, "lam"}),
    frozenset({"vector", "axis"}),
)

# A step with batches takes longer than one without, by as much as so many tokens make it.
_TOKENS = 5

# At how many states, of the second half of all, it is looked whether the step is too large.
_LOOKED_AT = 1000


def simulate(
    task: Task,
    start: Start | ArrayLike | tuple[ArrayLike, ArrayLike],
    schedule: float | ArrayLike | Schedule,
    alpha: float,
    steps: int,
    every: int = 1,
    backend: str = "auto",
    *,
    batch: int | None = None,
    rng: int | np.random.Generator | None = None,
    path: str | Path | None = None,
    progress: bool | None = None,
) -> Runs:
    r"""Run projected gradient descent (Definition 1) from a start; return the logged runs.

    Parameters
    ----------
    task : Task
        Dimension, number of tokens, gamma, epsilon.
    start : start object, array_like of shape (runs, 5) or (runs, 2), or pair of ndarrays
        `UniformStart`, `ManifoldStart`, or overlaps kappa, nu, theta, eta, rho; on the manifold,
        kappa, nu: there the map is that of Lemma 7. Two arrays ``(k0, v0)`` of shape (d,) or
        (runs, d) are unit vectors, as in `VectorStart`.
    schedule : float, array_like of shape (steps + 1,), or callable
        Inverse temperature: a constant, one for each step, `InverseTimeDecay`, `Formula`, or a
        function that is given an array of steps.
    alpha : float
        Step size, positive.
    steps : int
        How many steps, not negative.
    every : int, optional
        After how many steps the state is logged, at least 1. The last step is logged in any case.
    backend : {'auto', 'numpy', 'numba'}, optional
        By default Numba, where it is installed.
    batch : int, optional
        How many sequences of tokens each step draws, at least 1: the gradient is then that of their
        mean squared error, with output noise of the standard deviation `task.epsilon`, as in
        figure 5. By default it is that of the risk.
    rng : int or Generator, optional
        Where the random numbers of the batches come from: a seed, not negative, or a generator
        that one is drawn from; by default the seed 0. The attribute ``seed`` of the runs says
        which.
    path : path, optional
        Where to save the runs, at the end and when interrupted, also by SIGTERM, which then
        ends the process, unless the program has a handler of its own.
    progress : bool, optional
        Whether to show progress. By default a bar on a terminal, and elsewhere a line of
        the log every 30 s.

    Returns
    -------
    Runs
        An `xarray.Dataset` with the variables ``kappa, nu, theta, eta, rho, excess_risk, distance``
        over ``run, step``, where `distance` is :math:`\sqrt{\theta^2 + \eta^2 + \rho^2}`, and
        ``lam`` over ``step``. All variables at a step belong to the state before that step. The
        settings and versions are attributes. The excess risk is that of the law of the tokens, with
        batches too. In ``coordinates`` are k and v after the last step along k*, v* and two more
        axes, from which `resume` goes on.

    Raises
    ------
    ValueError
        If an argument is out of its range; the message names it, its value, and what is allowed.
    TypeError
        If `task` is not a `slrsym.papers.single_location.Task`.
    NumbaMissingError
        If Numba is asked for and not installed.

    Warns
    -----
    RuntimeWarning
        If the step is too large for the curvature of the risk where runs are in the second half of
        the steps; it says the largest stable one.

    Notes
    -----
    With batches the overlaps are drawn exactly in law, in any dimension, at a cost that does not
    depend on it, as those of any model are. Each run has random numbers of its own, from the child
    of the seed that `numpy.random.SeedSequence.spawn` gives it: it does not depend on how many
    stand beside it.

    Examples
    --------
    >>> from slrsym.papers.single_location import Task, simulate
    >>> from slrsym.papers.single_location.dynamics import ManifoldStart
    >>> runs = simulate(Task(400, 10, 0.5**0.5), ManifoldStart(runs=2), 0.1, 4e-3, 20_000, 10_000)
    >>> bool((abs(runs.kappa.isel(step=-1)) > 0.95).all())
    True
    """
    if not isinstance(task, Task):
        raise TypeError(f"task must be a Task; got {task!r}")
    alpha, steps = require_positive("alpha", alpha), require_integer("steps", steps, 0)
    every = require_integer("every", every, 1)
    sampling = _sampling(batch, rng)
    begin = as_start(start)
    _require_memory(begin, task, schedule, steps, every)
    if batch is not None:
        # A sample of a batch takes about a microsecond, a step at least some twenty.
        runs = getattr(begin, "runs", 1)
        warn_of_long_work(f"batch = {batch:,}", runs * steps * (2e-5 + 1e-6 * sampling["batch"]))
    # A start may be anybody's.
    states = require_feasible(require_real_array("start", begin.overlaps(task)))
    settings = {
        "backend": choose_backend(backend),
        **task_settings(task),
        "alpha": alpha,
        "steps": steps,
        "every": every,
        "schedule": describe_schedule(rule := as_schedule(schedule)),
        "start": repr(begin),
        **sampling,
    }
    # Lemma 7 is about the whole square, also where d is too small for vectors inside of it.
    if states.shape[1] == 5 or batch is not None:
        states = require_feasible(_padded(states), task.d)
    logged = np.append(np.arange(0, steps, every), steps)
    lam = ParameterSchedules([(rule, "schedule", ["positive"])], 0, steps)
    if path is not None:
        require_writable(path)
    points = vectors_of_start(states, task.d, in_dimension=batch is not None)
    return _run(task, _padded(states), points, lam, logged, settings, None, path, progress)


def resume(
    runs: xr.Dataset | str | Path,
    steps: int | None = None,
    schedule: float | ArrayLike | Schedule | None = None,
    *,
    backend: str | None = None,
    path: str | Path | None = None,
    progress: bool | None = None,
) -> Runs:
    """Continue runs of descent from their last logged step; return old and new states.

    Parameters
    ----------
    runs : Dataset or path
        What `simulate` or `resume` returned or saved, interrupted or not.
    steps : int, optional
        Up to which step; by default as many as were asked for at first.
    schedule : float, array_like of shape (steps + 1,), or callable, optional
        Has to be given again if it was a table or a function.
    backend : {'auto', 'numpy', 'numba'}, optional
        By default as before.
    path : path, optional
        Where to save the runs; by default where they came from, if that is a file.
    progress : bool, optional
        Whether to show progress. By default a bar on a terminal, and elsewhere a line of
        the log every 30 s.

    Returns
    -------
    Runs
        All that was logged, before and after: the same as from an uninterrupted run, to the last
        bit, with batches too. Of runs whose last steps were cut off, or which an earlier version
        saved, the same up to rounding.

    Raises
    ------
    ValueError
        If the runs are no runs, `steps` lies before their last step, or the schedule is missing.
    NumbaMissingError
        If they were made with Numba, it is not installed, and no other backend is given.
    """
    if isinstance(runs, str | Path):
        path = path or runs
        runs = load(runs)
    if MODEL_RUNS.fits(runs):
        raise ValueError(
            "runs must be of the single-location task; these are of a model: its simulate goes on "
            "from them as start"
        )
    require_runs_dataset(runs, TASK_RUNS)
    runs = runs.transpose("run", "step", ...)
    # An earlier version saved how its steps were taken.
    left_out = ("version_", "dynamics")
    settings = {name: x for name, x in runs.attrs.items() if not name.startswith(left_out)}
    last = int(runs.step[-1])
    steps = require_integer("steps", settings["steps"] if steps is None else steps, 0)
    if steps < last:
        raise ValueError(f"steps must be at least {last}, the last step logged; got {steps}")
    if schedule is not None:
        rule = as_schedule(schedule)
        settings["schedule"] = describe_schedule(rule)
    else:
        try:
            rule = schedule_from_text(str(settings["schedule"]))
        except ValueError:
            raise ValueError(
                f"schedule must be given again: it was {settings['schedule']}"
            ) from None
    task = task_from_settings(settings)
    settings |= {"steps": steps, "backend": choose_backend(backend or str(settings["backend"]))}
    states = require_feasible(_states(runs.isel(step=[-1]))[0], name="runs")
    points = _points_of_last_step(runs, states, task)
    # The last step of all is logged off the beat; what comes next is on it again.
    every = int(settings["every"])
    logged = np.append(np.arange(last - last % every + every, steps, every), steps)
    logged = np.unique(np.append(last, logged))
    lam = ParameterSchedules([(rule, "schedule", ["positive"])], last, steps)
    if path is not None:
        require_writable(path)
    return _run(task, states, points, lam, logged, settings, runs, path, progress)


def _padded(states: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return five overlaps of each run; those that are not given are 0."""
    return np.pad(states, ((0, 0), (0, len(OrderParameters._fields) - states.shape[1])))


def _states(runs: xr.Dataset) -> NDArray[np.float64]:
    """Return the logged states of runs, with shape (step, run, 5)."""
    return np.stack([runs[name].values.T for name in OrderParameters._fields], axis=2)


def _points_of_last_step(
    runs: xr.Dataset, states: NDArray[np.float64], task: Task
) -> NDArray[np.float64]:
    """Return k and v at the last step: those of the runs, if they are of that step."""
    if "coordinates" in runs:
        points = np.asarray(runs.coordinates.values, dtype=np.float64)
        if (overlaps_of_vectors(points) == states).all():
            return points
    return vectors_of_start(states, task.d, in_dimension="batch" in runs.attrs)


# -- the settings ------------------------------------------------------------------------------


def _sampling(batch: int | None, rng: int | np.random.Generator | None) -> dict[str, int]:
    if batch is None:
        if rng is not None:
            raise ValueError(f"rng must not be given without batch, which it is for; got {rng!r}")
        return {}
    batch = require_integer("batch", batch, 1)
    if isinstance(rng, np.random.Generator):
        # A number, so that it can be saved, and runs can go on.
        return {"batch": batch, "seed": int(rng.integers(2**63))}
    try:
        seed = require_integer("rng", 0 if rng is None else rng, 0)
    except ValueError as problem:
        raise ValueError(f"{problem}, or a numpy.random.Generator") from None
    return {"batch": batch, "seed": seed}


def _require_memory(begin: Start, task: Task, schedule: Any, steps: int, every: int) -> None:
    """Raise an error, before anything is allocated, if runs would not fit in memory."""
    runs = getattr(begin, "runs", 1)
    rows = steps // every + 2
    # Seven variables and eight coordinates, twice while they are gathered; inverse temperatures; a
    # generator each.
    size = runs * rows * 15 * 16 + 1500 * runs + ParameterSchedules.memory([schedule], steps)
    require_memory(f"runs = {runs:,} of {steps:,} steps, with {rows:,} logged,", size)


# -- the runs ----------------------------------------------------------------------------------


def _engine(
    points: NDArray[np.float64],
    task: Task,
    settings: dict[str, Any],
    step: int,
    labels: NDArray[np.int64],
) -> Engine:
    backend, alpha = settings["backend"], settings["alpha"]
    if "batch" not in settings:
        return TaskEngine(points, task, alpha, backend)
    chosen = (backend, settings["seed"], step, labels.tolist())
    return BatchTaskEngine(points, task, alpha, settings["batch"], *chosen)


def _run(
    task: Task,
    states: NDArray[np.float64],
    points: NDArray[np.float64],
    lam: ParameterSchedules,
    logged: NDArray[np.int64],
    settings: dict[str, Any],
    earlier: xr.Dataset | None,
    path: str | Path | None,
    progress: bool | None,
) -> Runs:
    """Run descent from the first logged step to the last, and return the runs."""
    labels = np.arange(len(states)) if earlier is None else earlier.run.values
    engine = _engine(points, task, settings, int(logged[0]), labels)

    def finish(noted: NDArray[np.float64], steps: NDArray[np.int64]) -> Runs:
        at = lam.at(steps)[:, 0]
        noted, last = overlaps_of_vectors(noted), noted[-1]
        # As they are given, without the rounding of vectors.
        noted[0] = states
        if earlier is not None:
            # The first row is the last one of the runs before; that stays if it is on the beat.
            stays = len(noted) == 1 or logged[0] % settings["every"] == 0
            before = earlier if stays else earlier.isel(step=slice(0, -1))
            noted = np.concatenate([_states(before), noted[1:]])
            steps = np.concatenate([before.step.values, steps[1:]])
            at = np.concatenate([before.lam.values, at[1:]])
        return _dataset(task, noted, last, steps, at, labels, settings)

    work = len(states) * (1 + settings.get("batch", 0) * task.L // _TOKENS)
    try:
        result = advance_and_save_runs(
            engine, lambda steps: lam.at(steps)[:, 0], logged, work, finish, path, progress
        )
    except OverflowError:
        raise _overflow(task, lam.at(logged)[:, 0], settings) from None
    _warn_of_large_steps(task, result.isel(step=slice(-1 - result.sizes["step"] // 2, None)))
    return result


def _warn_of_large_steps(task: Task, runs: xr.Dataset) -> None:
    """Warn about unstable step sizes, which projection to the sphere would otherwise hide."""
    alpha, planar = runs.attrs["alpha"], not runs.distance.values.any()
    noted, lam = _states(runs), runs.lam.values
    states = noted.reshape(-1, noted.shape[-1])
    inverse_temperatures = np.repeat(lam, noted.shape[1])
    chosen = np.unique(np.linspace(0, len(states) - 1, _LOOKED_AT).astype(int))
    at = np.append(inverse_temperatures[chosen], lam[-1])
    # The oracle, where thrown runs do not come, is to be stable, too.
    rows = np.vstack([states[chosen], ORACLE])
    points = manifold_vectors(rows[:, :2]) if planar else vectors_from_overlaps(rows, task)
    try:
        curvatures = largest_curvatures(points, at, task, planar=planar)
    except ValueError:
        raise _overflow(task, lam, runs.attrs) from None
    most, stable = curvatures[:-1].max(), 2 / curvatures.max()
    if alpha * most > 2:
        warnings.warn(
            f"alpha = {alpha:g} is too large: steps throw runs about where alpha times the "
            f"curvature of the risk is above 2, and it is up to {alpha * most:.3g} here; the "
            f"largest stable step is {stable:.3g}",
            RuntimeWarning,
            stacklevel=4,
        )


def _overflow(task: Task, lam: NDArray[np.float64], settings: dict[str, Any]) -> ValueError:
    return ValueError(
        "alpha, schedule and task must be such that no step overflows; got alpha = "
        f"{settings['alpha']!r}, inverse temperatures up to {lam.max():.6g}, {task!r}"
    )


def _dataset(
    task: Task,
    noted: NDArray[np.float64],
    last: NDArray[np.float64],
    steps: NDArray[np.int64],
    lam: NDArray[np.float64],
    labels: NDArray[np.int64],
    settings: dict[str, Any],
) -> Runs:
    """Return a dataset of runs from logged states of shape (step, run, 5), and the last points."""
    states = np.moveaxis(noted, 0, 1)
    if not np.isfinite(states).all():
        raise _overflow(task, lam, settings)
    variables = {name: states[..., i] for i, name in enumerate(OrderParameters._fields)}
    variables["excess_risk"] = excess_risk(states, lam, task)
    variables["distance"] = np.hypot(np.hypot(states[..., 2], states[..., 3]), states[..., 4])
    found: dict[str, Any] = {name: (("run", "step"), values) for name, values in variables.items()}
    found["coordinates"] = (("run", "vector", "axis"), last)
    coords = {"run": labels, "step": steps}
    return build_runs(found | {"lam": ("step", lam)}, coords, settings)
