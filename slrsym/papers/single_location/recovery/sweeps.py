"""Recovery runs at one setting, and on a grid of settings.

Figures 4(a) and 7 show 30 starts of each of their settings; here there are as many as one likes,
over any executor, kept on disk in parts as they come.
"""

from __future__ import annotations

import json
import warnings
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from importlib.metadata import version
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from slrsym.files import DamagedFileError, SavingFailedError, SweepParts, load_or_compute_in_parts
from slrsym.jobs import Jobs, Maker, iterate_results, show_progress
from slrsym.kernels.arguments import float_or_nan, require_integer
from slrsym.kernels.compile import choose_backend
from slrsym.kernels.machine_limits import count_cores, require_memory
from slrsym.models.training.runs import CONFIDENCE
from slrsym.papers.single_location.recovery.setting import (
    MOVING,
    NEAR,
    VERDICTS,
    ClassifiedRuns,
    Setting,
    build_tubes,
    count_verdicts,
    endpoint_statistics,
    follow_to_ends,
)
from slrsym.papers.single_location.task import OrderParameters

AXES = ("lam0", "rate", "d", "L", "gamma", "alpha")

_Values = float | Sequence[float]


def recover(
    setting: Setting,
    runs: int,
    rng: int = 0,
    *,
    executor: Executor | Maker | None = None,
    workers: int | None = None,
    path: str | Path | None = None,
    progress: bool | None = None,
    backend: str = "auto",
    stopping: bool = True,
) -> xr.Dataset:
    """Run descent from uniform k and v at one setting, and classify the endpoints.

    Parameters
    ----------
    setting : Setting
    runs : int
        How many, at least 1.
    rng : int, optional
        Of the starts, not negative. Each run has random numbers of its own.
    executor : Executor or callable, optional
        What the runs are divided over: any executor of `concurrent.futures`, or a function that
        makes one, again if it breaks. By default processes. One of Dask is that of
        ``Client.get_executor()``.
    workers : int, optional
        How many processes; by default one for each core. With 1 there are no others.
    path : path, optional
        A netCDF file. Until it is complete, parts are kept in a folder beside it, and a call that
        was interrupted goes on from them. If it is there, it is read.
    progress : bool, optional
        Whether to show progress. By default a bar on a terminal, and elsewhere a line of
        the log every 30 s.
    backend : {'auto', 'numpy', 'numba'}, optional
        By default Numba, or NumPy where it cannot be had.
    stopping : bool, optional
        Whether runs stop when their verdicts are certain, by
        `slrsym.papers.single_location.recovery.tubes`; otherwise all steps are taken.

    Returns
    -------
    Dataset
        ``verdict`` (numbers of ``verdict_names``), ``decided`` (after which step it was known),
        ``start`` and ``end`` over ``run``; ``count``, ``fraction``, ``lower`` and ``upper`` over
        ``verdict_names``. Fractions and intervals are those of the runs that have ended; of the
        runs that still move there is the fraction of all.

    Raises
    ------
    ValueError
        If an argument is out of its range, or the file holds something else.
    TypeError
        If `setting` is not a `Setting`.
    NumbaMissingError
        If Numba is asked for and not installed.
    RuntimeError
        If workers die again and again.

    Warns
    -----
    RuntimeWarning
        If runs still move after the last step.

    Notes
    -----
    Where lambda and the step size are large, as at the start of figure 4a, descent is chaotic: a
    change of 1e-13 grows to 1e-2. Which run ends where may then differ between backends, versions
    and machines; how many do is what means something.

    Examples
    --------
    >>> from slrsym.papers.single_location.recovery import Setting, recover
    >>> runs = recover(Setting(0.1, 0, 400, 10, 0.5**0.5, 4e-3, 20_000), 5, workers=1)
    >>> runs.verdict.values.tolist()
    [1, 0, 0, 1, 1]
    """
    if not isinstance(setting, Setting):
        raise TypeError(
            f"setting must be a slrsym.papers.single_location.recovery.Setting; got {setting!r}"
        )
    checked = _checked(runs, 1, rng, workers, backend) | {"stopping": bool(stopping)}
    settings = {"kind": "runs", **setting.as_dict(), **checked}

    def compute(parts: SweepParts | None) -> xr.Dataset:
        ends = follow_runs([setting], executor, workers, parts, progress, **checked)
        return _of_runs(ends[0], settings)

    return _kept(compute, settings, path)


def sweep(
    lam0: _Values = 1.0,
    rate: _Values = 1e-4,
    d: int | Sequence[int] = 400,
    L: int | Sequence[int] = 10,
    gamma: _Values = 0.5**0.5,
    alpha: _Values = 4e-3,
    *,
    steps: int = 120_000,
    runs: int = 1000,
    rng: int = 0,
    executor: Executor | Maker | None = None,
    workers: int | None = None,
    path: str | Path | None = None,
    progress: bool | None = None,
    backend: str = "auto",
    stopping: bool = True,
) -> xr.Dataset:
    """Run descent at each point of a grid of settings, and count the classes of endpoints.

    Parameters
    ----------
    lam0, rate, d, L, gamma, alpha : number or sequence of numbers
        As for `Setting`. Every combination is a setting.
    steps : int, optional
        How many steps, at least 1.
    runs : int, optional
        How many for each setting, at least 1.
    rng : int, optional
        Of the starts, not negative. Every run of every setting has random numbers of its own, so
        that it does not depend on what else is in the grid.
    executor, workers, path, progress, backend, stopping : optional
        As for `recover`.

    Returns
    -------
    Dataset
        ``count``, ``fraction``, and Wilson's intervals from ``lower`` to ``upper`` over ``lam0,
        rate, d, L, gamma, alpha, verdict``, and ``decided``, the mean step after which a verdict
        was known.

    Raises
    ------
    ValueError
        If an argument is out of its range, an axis has a value twice or none, or the file holds
        something else.
    NumbaMissingError
        If Numba is asked for and not installed.
    RuntimeError
        If workers die again and again.

    Examples
    --------
    >>> from slrsym.papers.single_location.recovery import sweep
    >>> grid = sweep(lam0=[0.05, 0.1], rate=0, steps=20_000, runs=4, workers=1)
    >>> grid["count"].sel(verdict="oracle").values.ravel().tolist()
    [2, 2]
    """
    given = (lam0, rate, d, L, gamma, alpha)
    axes = {name: _axis(name, values) for name, values in zip(AXES, given, strict=True)}
    cells = [
        Setting(**dict(zip(AXES, values, strict=True)), steps=steps)
        for values in product(*axes.values())
    ]
    checked = _checked(runs, len(cells), rng, workers, backend) | {"stopping": bool(stopping)}
    settings = {"kind": "sweep", **axes, "steps": steps, **checked}

    def compute(parts: SweepParts | None) -> xr.Dataset:
        found = follow_runs(cells, executor, workers, parts, progress, **checked)
        return _of_grid(found, axes, settings)

    return _kept(compute, settings, path)


def _axis(name: str, values: Any) -> list[Any]:
    found = [values] if np.ndim(values) == 0 else list(values)
    if not found:
        raise ValueError(f"{name} must have one value at least; got {values!r}")
    if name in ("d", "L"):
        # What is no integer is refused by Task, by name.
        axis = [int(x) if float_or_nan(x).is_integer() else x for x in found]
    else:
        axis = [float_or_nan(x) if np.isfinite(float_or_nan(x)) else x for x in found]
    for i, x in enumerate(axis):
        if x in axis[:i]:
            raise ValueError(f"{name} must have different values; got {x!r} twice")
    return axis


def _checked(runs: int, cells: int, rng: int, workers: int | None, backend: str) -> dict[str, Any]:
    runs = require_integer("runs", runs, 1)
    # Start, end, verdict and step of each, in parts and together.
    require_memory(f"runs = {runs:,} for each of {cells:,} settings", 400.0 * runs * cells)
    if workers is not None:
        require_integer("workers", workers, 1)
    backend = choose_backend(backend)
    return {"runs": runs, "rng": require_integer("rng", rng, 0), "backend": backend}


# -- datasets ----------------------------------------------------------------------------------


def _attributes(settings: dict[str, Any]) -> dict[str, Any]:
    axes = {name: values for name, values in settings.items() if not isinstance(values, list)}
    return {
        "settings": json.dumps(settings),
        **axes,
        "near": NEAR,
        "confidence": CONFIDENCE,
        **{f"version_{name}": version(name) for name in ("slrsym", "numpy", "scipy")},
    }


def _of_runs(ends: ClassifiedRuns, settings: dict[str, Any]) -> xr.Dataset:
    counts = endpoint_statistics(count_verdicts(ends.verdict), settings["runs"], ())
    return xr.Dataset(
        {
            "verdict": ("run", ends.verdict),
            "decided": ("run", ends.decided.astype(np.int32)),
            "start": (("run", "overlap"), ends.start),
            "end": (("run", "overlap"), ends.end),
        }
        | {name: ("verdict_names", x.values) for name, x in counts.items()},
        {"overlap": list(OrderParameters._fields), "verdict_names": list(VERDICTS)},
        _attributes(settings),
    )


def _of_grid(
    found: Sequence[ClassifiedRuns], axes: dict[str, list[Any]], settings: dict[str, Any]
) -> xr.Dataset:
    shape = tuple(len(values) for values in axes.values())
    counts = np.array([count_verdicts(ends.verdict) for ends in found]).reshape(
        *shape, len(VERDICTS)
    )
    decided = np.array([ends.decided.mean() for ends in found]).reshape(shape)
    return xr.Dataset(
        endpoint_statistics(counts, settings["runs"], AXES)
        | {"decided": xr.Variable(AXES, decided)},
        {**axes, "verdict": list(VERDICTS)},
        _attributes(settings),
    )


def _kept(
    compute: Callable[[SweepParts | None], xr.Dataset],
    settings: dict[str, Any],
    path: str | Path | None,
) -> xr.Dataset:
    """Return data from a complete file, or compute them and save parts on the way."""
    data = load_or_compute_in_parts(compute, settings, path, kind="runs, nor of a sweep")
    if tuple(data["verdict" if "verdict" in data.coords else "verdict_names"].values) != VERDICTS:
        raise DamagedFileError(
            f"{path} holds verdicts of an earlier version; remove it to count anew"
        )
    _warn(data)
    return data


def _warn(data: xr.Dataset) -> None:
    moving = data["count"].values[..., MOVING].sum() / data["count"].values.sum()
    if moving:
        warnings.warn(
            f"{100 * moving:.3g} % of the runs still move after {data.attrs['steps']:,} steps; "
            "fractions in the data are those of the others, and more steps may change them",
            RuntimeWarning,
            stacklevel=4,
        )


# The same whatever the number of workers is, so that parts are.
_CHUNK = 250


def _chunks(runs: int) -> list[tuple[int, int]]:
    return [(first, min(first + _CHUNK, runs)) for first in range(0, runs, _CHUNK)]


def _part_name(cell: int, first: int) -> str:
    return f"cell-{cell:05}-run-{first:07}"


def follow_runs(
    settings: Sequence[Setting],
    executor: Executor | Maker | None,
    workers: int | None,
    parts: SweepParts | None,
    progress: bool | None,
    *,
    runs: int,
    rng: int,
    backend: str,
    stopping: bool,
) -> list[ClassifiedRuns]:
    """Return the endpoints of the runs at each setting, computed in parallel."""
    fields = ClassifiedRuns.__dataclass_fields__
    found: dict[tuple[int, int], ClassifiedRuns] = {}
    jobs: Jobs = deque()
    for cell, setting in enumerate(settings):
        missing = []
        for first, stop in _chunks(runs):
            part = None if parts is None else parts.read(_part_name(cell, first), fields)
            if part is None:
                missing.append((first, stop))
            else:
                found[cell, first] = ClassifiedRuns(**part)
        if missing:
            enough = runs if stopping else 0
            jobs.append(((cell, missing), build_tubes, (setting, rng, enough, backend)))
    with show_progress(progress, "runs", runs * len(settings), counted=True) as shown:
        shown(sum(len(part.verdict) for part in found.values()))
        # To start a process takes as long as to follow many runs.
        workers = min(workers or count_cores(), sum(len(missing) for (_, missing), _, _ in jobs))
        for name, result in iterate_results(jobs, executor, workers):
            if isinstance(name[1], list):
                # The tubes of a cell are known: its runs come next.
                cell, missing = name
                more = [
                    (
                        (cell, first),
                        follow_to_ends,
                        (settings[cell], rng, first, stop, result, backend, stopping),
                    )
                    for first, stop in missing
                ]
                jobs.extendleft(reversed(more))
                continue
            cell, first = name
            # What cannot be kept is still counted; that the disk is full is told in the end.
            if parts is not None:
                with suppress(SavingFailedError):
                    parts.write(_part_name(cell, first), vars(result))
            found[cell, first] = result
            shown(len(result.verdict))
    return [
        _together([found[cell, first] for first, _ in _chunks(runs)])
        for cell in range(len(settings))
    ]


def _together(parts: Sequence[ClassifiedRuns]) -> ClassifiedRuns:
    columns = zip(*(vars(part).values() for part in parts), strict=True)
    return ClassifiedRuns(*(np.concatenate(column) for column in columns))
