"""The one store of results: files that are complete or not there at all, and refused by name."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import xarray as xr

__all__ = [
    "FORMATS",
    "DamagedFileError",
    "NotSavedError",
    "Saved",
    "read_netcdf",
    "replacing",
    "require_writable",
    "write_netcdf",
]

# Of pictures, by the endings of their files.
FORMATS = ("pdf", "png", "svg")


class DamagedFileError(ValueError):
    """A file that cannot be read, is cut short or damaged, or holds something else."""


class NotSavedError(OSError):
    """A file could not be written, for lack of room or of permission; an earlier one is as it was.

    Attributes
    ----------
    result : object
        What was to be saved, if that is known; nothing of it is lost.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.result: Any = None


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """A draft beside a file, which takes the place of the file when the block has ended well.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "numbers.txt"
    >>> with replacing(file) as draft:
    ...     written = draft.write_text("1 2 3")
    ...     file.exists()
    False
    >>> file.read_text()
    '1 2 3'
    """
    file = Path(path)
    if file.exists() and not file.is_file():
        yield file
        return
    file = file.resolve()
    try:
        handle, name = tempfile.mkstemp(dir=file.parent, prefix=".slrsym-", suffix=".part")
        os.close(handle)
    except OSError as problem:
        raise NotSavedError(f"{path} could not be written: {problem.strerror}") from None
    draft = Path(name)
    try:
        yield draft
        # mkstemp makes files that only their owner may read.
        mask = os.umask(0)
        os.umask(mask)
        draft.chmod(0o666 & ~mask)
        draft.replace(file)
    except OSError as problem:
        why = problem.strerror or str(problem).replace(name, str(path))
        raise NotSavedError(f"{path} could not be written: {why}") from problem
    finally:
        draft.unlink(missing_ok=True)


def require_writable(path: str | Path) -> None:
    """Refuse a file that could not be written, before anything has been computed."""
    file = Path(path)
    if file.exists() and not file.is_file():
        what = "a folder" if file.is_dir() else "not one"
        raise ValueError(f"path must be a file; {file} is {what}")
    if not file.parent.is_dir():
        raise ValueError(f"path must be in a folder that exists; {file.parent} does not")
    if not os.access(file if file.exists() else file.parent, os.W_OK):
        raise ValueError(f"path must be writable; {file} is not")


def write_netcdf(data: xr.Dataset, path: str | Path) -> None:
    """Write data to a netCDF file, which takes the place of an earlier one when it is complete."""
    with replacing(path) as draft:
        data.to_netcdf(draft, engine="scipy", format="NETCDF3_64BIT")


def read_netcdf(path: str | Path, what: str = "data") -> xr.Dataset:
    """The dataset of a file."""
    import xarray as xr

    try:
        return xr.load_dataset(path, engine="scipy")
    except OSError as problem:
        why = f"it cannot be read: {problem.strerror}" if problem.strerror else _NO_NETCDF
    except Exception:  # SciPy reads a damaged file until it trips over anything
        why = _NO_NETCDF
    raise DamagedFileError(f"{path} is no file of {what}: {why}")


_NO_NETCDF = "it is not in netCDF format 3, or is cut short or damaged"


class Saved:
    """What makes data, and reads them again from the file that it saved them in."""

    def read(self, path: str | Path) -> xr.Dataset:
        """Data from a file that `compute` saved; a DamagedFileError if it is no netCDF file."""
        return read_netcdf(path)

    @staticmethod
    def _kept(data: xr.Dataset, path: str | Path | None) -> xr.Dataset:
        """The data, which are saved if there is a path."""
        if path is not None:
            try:
                write_netcdf(data, path)
            except NotSavedError as problem:
                problem.result = data
                raise
        return data
