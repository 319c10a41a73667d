"""Runs on disk: netCDF files that are complete or not there at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import xarray as xr

__all__ = ["load", "require_writable", "save"]


def require_writable(path: str | Path) -> None:
    """Refuse a file that could not be written, before anything has been computed.

    Parameters
    ----------
    path : path

    Raises
    ------
    ValueError
    """
    file = Path(path)
    if file.is_dir():
        raise ValueError(f"path must be a file; {file} is a folder")
    if not file.parent.is_dir():
        raise ValueError(f"path must be in a folder that exists; {file.parent} does not")
    if not os.access(file if file.exists() else file.parent, os.W_OK):
        raise ValueError(f"path must be writable; {file} is not")


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
    file = Path(path)
    handle, draft = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}-", suffix=".part")
    os.close(handle)
    try:
        runs.to_netcdf(draft, engine="scipy", format="NETCDF3_64BIT")
        # As a new file would be, not for the owner alone.
        mask = os.umask(0)
        os.umask(mask)
        Path(draft).chmod(0o666 & ~mask)
        Path(draft).replace(file)
    finally:
        Path(draft).unlink(missing_ok=True)


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
    try:
        return xr.load_dataset(file, engine="scipy")
    except (OSError, TypeError, ValueError) as problem:
        raise ValueError(f"{file} is no file of runs: {problem}") from None
