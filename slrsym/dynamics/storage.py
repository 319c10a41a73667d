"""Runs on disk: netCDF files that are complete or not there at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from slrsym.files import DamagedFileError, read_netcdf, require_writable, write_netcdf
from slrsym.task import OrderParameters, Task

__all__ = ["load", "require_runs", "save"]


def require_runs(runs: Any) -> None:
    """Refuse what is no result of `slrsym.simulate`."""
    settings = ("dynamics", "backend", "alpha", "steps", "log_every", "schedule", "start")
    needed = {*settings, *(f"task_{name}" for name in Task.__dataclass_fields__)}
    variables = {*OrderParameters._fields, "lam", "run", "step"}
    if not (
        isinstance(runs, xr.Dataset)
        and needed <= runs.attrs.keys()
        and ("batch" in runs.attrs) == ("seed" in runs.attrs)
        and variables <= {*runs.variables}
        and {*runs.dims} == {"run", "step"}
        and all(runs.sizes.values())
    ):
        raise ValueError("runs must be a dataset that simulate returned or saved; this one is not")


def save(runs: xr.Dataset, path: str | Path) -> None:
    """Write runs to a netCDF file, which takes the place of an earlier one when it is complete.

    Parameters
    ----------
    runs : Dataset
        As `slrsym.simulate` returns it.
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


def load(path: str | Path) -> xr.Dataset:
    """Read runs from a file.

    Parameters
    ----------
    path : path
        Of a file that `save` or `slrsym.simulate` wrote.

    Returns
    -------
    Dataset

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
        require_runs(runs)
    except ValueError:
        raise DamagedFileError(f"{file} is no file of runs: it holds something else") from None
    # As they were before they were saved.
    whole = {name: x.astype(np.int64) for name, x in runs.coords.items() if x.dtype.kind == "i"}
    return runs.assign_coords(whole).assign_attrs(
        {name: _restored(value) for name, value in runs.attrs.items()}
    )


def _restored(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    return int(value) if isinstance(value, str) and value.lstrip("-").isdecimal() else value
