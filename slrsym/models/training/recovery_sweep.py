"""Recovery of directions on a grid of parameters: how many runs end with them aligned."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib.metadata import version
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from slrsym.files import SavingFailedError, SweepParts, load_or_compute_in_parts
from slrsym.jobs import show_progress
from slrsym.kernels.arguments import float_or_nan, require_integer
from slrsym.kernels.machine_limits import require_memory
from slrsym.models.training.parameter_values import parameter_row, parameter_values_by_name
from slrsym.models.training.runs import CONFIDENCE, Runs, wilson_intervals
from slrsym.models.training.schedules import describe_schedule, schedule_formula
from slrsym.models.training.simulation import simulate

if TYPE_CHECKING:
    from slrsym.models.definition.specification import Direction
    from slrsym.models.training.descent import DerivedModel

Array = NDArray[np.float64]

_RESULTS = ("count", "undecided", "fraction", "lower", "upper")


def require_pairs(model: DerivedModel, pairs: Sequence[Any], min_overlap: Any) -> None:
    """Raise `ValueError` unless pairs are of a model's directions, and a bound is an overlap."""
    if not pairs:
        raise ValueError("pairs must have two directions at least that are to be aligned; got none")
    known = {x.name for x in model.directions}
    names = sorted(known)
    for pair in pairs:
        two = pair if isinstance(pair, Sequence) and not isinstance(pair, str) else ()
        if len(two) != 2 or not known.issuperset(map(str, two)):
            raise ValueError(
                f"pairs must be of two directions of this model ({', '.join(names)}), as in "
                f"[({', '.join(names[:2])})]; got {pair!r}"
            )
    if not 0 <= float_or_nan(min_overlap) <= 1:
        raise ValueError(f"min_overlap must be an overlap from 0 to 1; got {min_overlap!r}")


def least_aligned_overlaps(runs: Runs, pairs: Sequence[tuple[Direction, Direction]]) -> Array:
    """Return, for each run, the least absolute overlap of the pairs after the last step."""
    last = [np.abs(runs.overlap(x, y).isel(step=-1).values) for x, y in pairs]
    least: Array = np.min(last, axis=0)
    return least


def recovery_statistics(least: Array, min_overlap: float) -> dict[str, Array]:
    """Return counts of aligned and of undecided runs, with the fraction of the first and bounds.

    Parameters
    ----------
    least : ndarray, shape (..., runs)
        The least absolute overlap of each run; not finite for undecided runs, whose states are not.
    min_overlap : float
        From which overlap on a run is aligned.

    Returns
    -------
    dict of str to ndarray, shape (...)
        ``count`` and ``undecided``; the ``fraction``, NaN where runs are undecided; and ``lower``
        and ``upper``, Wilson's 95 % interval, which holds whatever these would have done.
    """
    runs = least.shape[-1]
    decided = np.isfinite(least)
    count = np.sum(decided & (least >= min_overlap), axis=-1)
    undecided = np.sum(~decided, axis=-1)
    return {
        "count": count,
        "undecided": undecided,
        "fraction": np.where(undecided > 0, np.nan, count / runs),
        "lower": wilson_intervals(count, runs)[0],
        "upper": wilson_intervals(count + undecided, runs)[1],
    }


def sweep(
    model: DerivedModel,
    values: Mapping[Any, Any],
    grid: Mapping[Any, Sequence[Any]],
    pairs: Sequence[tuple[Direction, Direction]],
    *,
    steps: int,
    alpha: float,
    min_overlap: float,
    runs: int | None,
    start: Any,
    batch: int | None,
    samples: int | None,
    rng: int,
    dimensions: Sequence[int] | None,
    backend: str,
    path: str | Path | None,
    progress: bool | None,
) -> xr.Dataset:
    """Count the runs that end aligned at each point of a grid of parameters."""
    require_pairs(model, pairs, min_overlap)
    rng = require_integer("rng", rng, 0)
    by_name = parameter_values_by_name(model, values)
    axes = {name: _axis(name, x) for name, x in parameter_values_by_name(model, grid).items()}
    if not axes:
        raise ValueError("grid must have a parameter with its values, such as {'d': [100, 200]}")
    if both := sorted(axes.keys() & by_name.keys()):
        raise ValueError(f"{both[0]} must be in values or in grid; got it in both")
    if taken := sorted(axes.keys() & {*_RESULTS, "run", "overlap"}):
        raise ValueError(f"parameters must not have names of the result; got {taken[0]}")
    cells = [by_name | dict(zip(axes, cell, strict=True)) for cell in product(*axes.values())]
    for cell in cells:
        # What is out of range is refused before the first run.
        parameter_row(model, cell)
    how: dict[str, Any] = {
        "steps": steps, "alpha": alpha, "runs": runs, "start": start, "batch": batch,
        "samples": samples, "dimensions": dimensions, "backend": backend, "rng": rng,
    }  # fmt: skip
    # One row is logged: that of the end.
    require_integer("steps", steps, 1)
    settings = {
        "kind": "recovery",
        "grid": {name: [_json_value(x) for x in axis] for name, axis in axes.items()},
        "values": {name: _json_value(x) for name, x in by_name.items()},
        "pairs": [[str(x), str(y)] for x, y in pairs],
        "min_overlap": float(min_overlap),
        **{name: _json_value(x) for name, x in how.items() if x is not None},
        "digest": _digest(model),
    }

    def compute(parts: SweepParts | None) -> xr.Dataset:
        found = []
        with show_progress(progress, "settings", len(cells), counted=True) as shown:
            for number, cell in enumerate(cells):
                part = None if parts is None else parts.read(f"cell-{number:05}", ["overlap"])
                if part is None:
                    ends = simulate(model, cell, **how, every=steps, path=None, progress=False)
                    part = {"overlap": least_aligned_overlaps(ends, pairs)}
                    require_memory("the overlaps of all runs", part["overlap"].nbytes * len(cells))
                    # What cannot be kept is still returned; that the disk is full is told later.
                    if parts is not None:
                        with suppress(SavingFailedError):
                            parts.write(f"cell-{number:05}", part)
                found.append(part["overlap"])
                shown(1)
        return _dataset(axes, np.stack(found), settings)

    return load_or_compute_in_parts(
        compute, settings, path,
        kind="recovery on a grid", content="counts", remedy="; choose another file",
    )  # fmt: skip


def _axis(name: str, values: Any) -> list[Any]:
    if isinstance(values, str) or np.ndim(values) != 1 or not len(values):
        raise ValueError(f"grid must have a list of values for {name}; got {values!r}")
    axis = [x.item() if isinstance(x, np.generic) else x for x in values]
    for i, x in enumerate(axis):
        if x in axis[:i]:
            raise ValueError(f"{name} must have different values; got {x!r} twice")
    return axis


def _json_value(x: Any) -> Any:
    """Return a setting as a file keeps it: a number, a list of them, or a text."""
    if isinstance(x, bool | int | float | str):
        return x
    if isinstance(x, np.generic):
        return x.item()
    array = np.asarray(x) if isinstance(x, list | tuple | np.ndarray) else None
    if array is not None and array.dtype.kind in "if":
        # Of starts and of values for each step a digest: they may be many.
        return hashlib.sha256(repr((array.shape, array.tolist())).encode()).hexdigest()
    return describe_schedule(x)


def _digest(model: DerivedModel) -> str:
    """Return a hash of what is stated of a model: its shares, tokens, noise, inner products."""
    data = model.data
    tokens = [
        [sorted((x.name, str(c)) for x, c in token.mean.terms.items()), str(token.eigenvalues),
         sorted((x.name, str(c)) for x, c in token.spikes.items())]
        for token in data.tokens
    ]  # fmt: skip
    shares = [str(share) for share, _ in model.shares.values()]
    mixture = [[str(p), sorted(map(str, counts.values()))] for counts, p in data.mixture]
    gram = [[str(model.inner_product(x, y)) for y in model.directions] for x in model.directions]
    text = repr((tokens, shares, mixture, gram, str(data.noise), str(data.location),
                 sorted(map(str, data.correlation.items()))))  # fmt: skip
    return hashlib.sha256(text.encode()).hexdigest()


def _text(x: Any) -> str:
    """Return a value of an axis on which there are schedules, which have formulas."""
    return str(x) if isinstance(x, int | float) else schedule_formula(x)


def _dataset(axes: dict[str, list[Any]], least: Array, settings: dict[str, Any]) -> xr.Dataset:
    shape, runs = tuple(map(len, axes.values())), least.shape[-1]
    found = recovery_statistics(least.reshape(*shape, runs), settings["min_overlap"])
    dims = tuple(axes)
    numbers = {
        name: axis if all(isinstance(x, int | float) for x in axis) else list(map(_text, axis))
        for name, axis in axes.items()
    }
    plain = {name: x for name, x in settings.items() if not isinstance(x, list | dict)}
    return xr.Dataset(
        {
            **{name: (dims, values) for name, values in found.items()},
            "overlap": ((*dims, "run"), least.reshape(*shape, runs)),
        },
        numbers,
        {
            "settings": json.dumps(settings),
            **plain,
            "runs": runs,
            "confidence": CONFIDENCE,
            **{f"version_{name}": version(name) for name in ("slrsym", "numpy", "scipy")},
        },
    )
