"""Runs of descent as datasets, and their storage in files.

Runs of the paper's task and those of any model are the same kind of data. How many of them do
something is said with Wilson's interval.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import xarray as xr
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri
from xarray.plot.accessor import DatasetPlotAccessor

from slrsym.files import (
    DamagedFileError,
    read_netcdf,
    require_writable,
    write_if_path,
    write_netcdf,
)
from slrsym.jobs import end_on_sigterm, hold_signals, show_progress
from slrsym.kernels.arguments import require_integer, require_real_array
from slrsym.prover.claims.papers import registered_by_papers
from slrsym.registry import load_registered

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# About how many steps, of all runs together, an engine makes before it is asked again: few enough
# for an interrupt to be felt at once.
_STRIDE = 400_000


class RunPlots(DatasetPlotAccessor):
    """The plots of runs: training curves when called, and those that `xarray` has of datasets."""

    __slots__ = ()

    def __call__(self, quantities: Any = None, *, band: float = 0.8, ax: Axes | None = None) -> Any:
        """Draw order parameters and risk along the runs, with bands over runs.

        Parameters
        ----------
        quantities : str, Symbol or sequence of them, optional
            What to draw, by name. By default all order parameters in one panel, or those six whose
            values differ most, and the risk in another below.
        band : float, optional
            The share of runs in a band, from 0 (none) to below 1. Lines are medians. The default is
            0.8: the band goes from the 10 % to the 90 % quantile.
        ax : matplotlib.axes.Axes, optional
            Where to draw; by default in a new figure. Without `quantities`, these are the order
            parameters.

        Returns
        -------
        matplotlib.axes.Axes
            Without `quantities` and `ax`, an array of two: order parameters, and risk.

        Raises
        ------
        ValueError
            If the runs have no such quantity, or `band` is out of its range.
        """
        return load_registered("draw.runs")(self._ds, quantities, band=band, ax=ax)


class Runs(xr.Dataset):  # type: ignore[no-untyped-call]
    """A dataset of runs, over ``run`` and ``step`` for descent, over ``time`` for equations.

    It has a variable for each order parameter, by its name, the excess risk, and settings as
    attributes. In ``gram`` are the inner products of all directions, in each eigenspace, if
    `Model.simulate` or `Equations.solve` made the runs.
    """

    __slots__ = ()

    def __getitem__(self, key: Any) -> Any:
        """Return a variable of the runs by its name, or an order parameter by its SymPy symbol."""
        return super().__getitem__(getattr(key, "name", key))

    @property
    def plot(self) -> RunPlots:  # type: ignore[override]
        """The plots of runs: ``runs.plot()`` draws training curves, `xarray` has other plots."""
        return RunPlots(self)

    def overlap(self, x: Any, y: Any) -> xr.DataArray:
        """Return the inner product of two directions of a model, along all runs.

        Parameters
        ----------
        x, y : Direction or str

        Returns
        -------
        DataArray of shape (run, step)

        Raises
        ------
        ValueError
            If there is no such direction, or there are no inner products of all directions.
        """
        if "gram" not in self.variables:
            raise ValueError(
                "runs must have gram, as those of Model.simulate; these have "
                f"{', '.join(map(str, self.variables))}"
            )
        known = self.direction.values.tolist()
        for name in map(str, (x, y)):
            if name not in known:
                raise ValueError(f"x and y must be of {', '.join(known)}; got {name}")
        found: xr.DataArray = self.gram.sel(direction=str(x), other=str(y), drop=True)
        # A state that is no number has no overlaps, and not the overlap 0.
        return found.sum("space", skipna=False) if "space" in found.dims else found


def build_runs(variables: dict[str, Any], coords: dict[str, Any], settings: dict[str, Any]) -> Runs:
    """Return a dataset of runs, with settings and package versions as attributes."""
    packages = ("slrsym", "numpy", "scipy", *(("numba",) if settings["backend"] == "numba" else ()))
    return Runs(
        {name: _variable(*given) for name, given in variables.items()},
        coords=_coordinates(coords),
        attrs=settings | {f"version_{name}": _version(name) for name in packages},
    )


# Read from a file each time.
_version = cache(version)


# xarray asks of each array whether it is one of Dask's, which imports Dask where it is installed,
# in half a second. It does not of variables that are made ready, and of the indices of Pandas.


def _variable(dims: Any, values: Any) -> xr.Variable:
    return xr.Variable(dims, np.asarray(values), fastpath=True)


def _coordinates(values: dict[str, Any]) -> xr.Coordinates:
    """Return coordinates along dimensions of their names."""
    arrays = {name: np.asarray(x) for name, x in values.items()}
    indexes = {
        name: xr.indexes.PandasIndex(pd.Index(x), name, x.dtype) for name, x in arrays.items()
    }
    variables = {name: index.create_variables()[name] for name, index in indexes.items()}
    return xr.Coordinates(variables, indexes)


@dataclass(frozen=True)
class RunsLayout:
    """What datasets of runs of one kind have: settings, dimensions, and some of the variables.

    Other dimensions they may have.
    """

    settings: frozenset[str]
    dimensions: frozenset[str]
    variables: frozenset[str]
    other_dimensions: frozenset[str] = frozenset()

    def fits(self, runs: Any) -> bool:
        """Return whether an object is a dataset of runs of this kind."""
        return (
            isinstance(runs, xr.Dataset)
            and self.settings <= runs.attrs.keys()
            and bool({"batch", "samples"} & runs.attrs.keys()) == ("seed" in runs.attrs)
            and self.variables | self.dimensions <= {*runs.variables}
            and {*runs.dims} - self.other_dimensions == self.dimensions
            and all(runs.sizes.values())
        )


# The settings of all runs, and those of `Model.simulate`.
RUN_SETTINGS = frozenset({"backend", "alpha", "steps", "every", "start"})
MODEL_RUNS = RunsLayout(
    RUN_SETTINGS,
    frozenset({"run", "step", "space", "direction", "other"}),
    frozenset({"excess_risk"}),
)


def require_runs_dataset(runs: Any, *layouts: RunsLayout) -> None:
    """Raise `ValueError` for data that are not runs of one of the given layouts."""
    if not any(layout.fits(runs) for layout in layouts):
        of = f" of {', '.join(map(str, runs.variables))}" if isinstance(runs, xr.Dataset) else ""
        raise ValueError(
            "runs must be a dataset that simulate returned or saved; "
            f"got a {type(runs).__name__}{of}"
        )


def save(runs: xr.Dataset, path: str | Path) -> None:
    """Write runs to a netCDF file, which replaces an earlier file only when complete.

    Parameters
    ----------
    runs : Dataset
        As `Model.simulate` returns it, or a paper's own `simulate`.
    path : path

    Raises
    ------
    ValueError
        If the file cannot be written.
    """
    require_writable(path)
    # The format has no larger integers.
    large = {name: str(x) for name, x in runs.attrs.items() if _is_large(x)}
    runs = runs.assign_attrs(large)
    write_netcdf(runs, path)


def _is_large(value: object) -> bool:
    return isinstance(value, int) and not -(2**31) <= value < 2**31


class RiskNotComputedError(RuntimeError):
    """An error for finished runs whose risk could not be computed; it holds the runs.

    The message names the file that holds the runs; they are its `result`, too, with NaN as risk.
    """

    def __init__(self, message: str, result: Runs) -> None:
        super().__init__(message)
        self.result = result


def save_and_return_risk_error(
    runs: Runs, path: str | Path | None, problem: Exception
) -> RiskNotComputedError:
    """Save runs without their risk, and return an error that says where they are."""
    if path is None:
        handle, path = tempfile.mkstemp(prefix="slrsym-runs-", suffix=".nc")
        os.close(handle)
    write_if_path(runs, path, save)
    return RiskNotComputedError(
        f"the runs are complete, but their risk could not be computed ({problem}). They are kept "
        f"in {path}, with NaN as risk: {__name__}.load reads them, start={str(path)!r} "
        "continues them",
        runs,
    )


def load(path: str | Path) -> Runs:
    """Read runs of descent from a netCDF file; raise DamagedFileError if it holds none.

    Parameters
    ----------
    path : path
        Of a file that `save`, `Model.simulate` or a paper's own `simulate` wrote.

    Returns
    -------
    Runs

    Raises
    ------
    ValueError
        If there is no such file, or it holds no runs.
    """
    file = Path(path)
    if not file.is_file():
        raise ValueError(f"path must be a file that exists; {file} is none")
    runs = read_netcdf(file, "runs")
    try:
        require_runs_dataset(runs, MODEL_RUNS, *registered_by_papers("runs").values())
    except ValueError:
        raise DamagedFileError(f"{file} is no file of runs: it holds something else") from None
    # As they were before they were saved.
    whole = {name: x.astype(np.int64) for name, x in runs.coords.items() if x.dtype.kind == "i"}
    attrs = {name: _restored(value) for name, value in runs.attrs.items()}
    runs = runs.assign_coords(whole)
    return Runs(runs.data_vars, coords=runs.coords, attrs=attrs)


def _restored(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    return int(value) if isinstance(value, str) and value.lstrip("-").isdecimal() else value


class Engine(Protocol):
    """Protocol of engines, which hold the states of runs and advance them by steps."""

    @property
    def states(self) -> NDArray[np.float64]:
        """The current states of all runs, an array of shape (runs, ...)."""
        ...

    def advance(self, inverse_temperatures: NDArray[np.float64], every: int) -> NDArray[np.float64]:
        """Take a descent step per inverse temperature in all runs; return each `every`-th state.

        Parameters
        ----------
        inverse_temperatures : ndarray, shape (rows * every, ...)
            Inverse temperatures, or of other models a row of parameters for each step.
        every : int
            After how many steps the states are noted.

        Returns
        -------
        ndarray of shape (rows, runs, ...)
        """
        ...


def advance_and_save_runs(
    engine: Engine,
    parameters: Callable[[NDArray[np.int64]], NDArray[np.float64]],
    logged: NDArray[np.int64],
    work: int,
    finish: Callable[[NDArray[np.float64], NDArray[np.int64]], Runs],
    path: str | Path | None,
    progress: bool | None,
) -> Runs:
    """Advance an engine to the last logged step, and save and return the runs.

    `parameters` returns those of an array of steps; `work` is how many steps a step of all runs
    counts for. Interrupted, all that is complete is kept; with a path, also where the process is
    asked to end by SIGTERM, if the program has no handler of it.
    """
    rows, done = [engine.states[None]], int(logged[0])
    with nullcontext() if path is None else end_on_sigterm():
        try:
            with show_progress(progress, "steps", int(logged[-1] - logged[0])) as shown:
                for every, count, whole_gap in _strides(np.diff(logged), work):
                    steps = np.arange(done, done + every * count, dtype=np.int64)
                    noted = engine.advance(parameters(steps), every)
                    done += every * count
                    if whole_gap:
                        rows.append(noted)
                    shown(every * count)
        finally:
            with hold_signals():
                noted = np.concatenate(rows)
                result = write_if_path(finish(noted, logged[: len(noted)]), path, save)
    return result


def _strides(gaps: NDArray[np.int64], work: int) -> Iterator[tuple[int, int, bool]]:
    """Yield (steps per saved state, number of saved states, whether they are rows of the log).

    Equal gaps between logged steps are taken together, but not too many; a long one is cut.
    """
    longest = max(1, _STRIDE // work)
    at = 0
    while at < gaps.size:
        gap, same = int(gaps[at]), 1
        while same < longest // gap and at + same < gaps.size and gaps[at + same] == gap:
            same += 1
        while gap > longest:
            yield longest, 1, False
            gap -= longest
        yield gap, same, True
        at += same


# Of intervals.
CONFIDENCE = 0.95


def wilson_intervals(
    counts: ArrayLike, total: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return lower and upper ends of Wilson's 95 % intervals of probabilities, from counts.

    The interval is that of E. B. Wilson, Journal of the American Statistical Association 22 (1927).

    Parameters
    ----------
    counts : array_like of int, any shape
        How often each was seen.
    total : int
        Among how many, at least 1.

    Returns
    -------
    lower : ndarray, of the shape of `counts`
        The lower ends.
    upper : ndarray, of the shape of `counts`
        The upper ends.

    Raises
    ------
    ValueError
        If `total` is not an integer of at least 1, or a count is not one from 0 to `total`.

    Examples
    --------
    >>> lower, upper = wilson_intervals([16], 300)
    >>> [lower.round(3).tolist(), upper.round(3).tolist()]
    [[0.033], [0.085]]
    """
    total = require_integer("total", total, 1)
    array = require_real_array("counts", counts)
    if not ((array >= 0) & (array <= total) & (array == np.floor(array))).all():
        raise ValueError(f"counts must be integers from 0 to {total}; got {counts!r}")
    # From where on the normal law leaves half of the rest.
    z = ndtri((1 + CONFIDENCE) / 2)
    middle, half = array + z * z / 2, z * np.sqrt(array * (1 - array / total) + z * z / 4)
    lower = np.where(array == 0, 0.0, (middle - half) / (total + z * z))
    return lower, np.where(array == total, 1.0, (middle + half) / (total + z * z))
