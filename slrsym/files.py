"""Atomic reading and writing of result files."""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import xarray as xr
    from numpy.typing import NDArray

_Data = TypeVar("_Data")

# Of pictures, by the endings of their files.
FORMATS = ("pdf", "png", "svg")


class DamagedFileError(ValueError):
    """An error for a file that cannot be read, is damaged, or has unexpected contents."""


class SavingFailedError(OSError):
    """An error for a file that could not be written; its earlier version is unchanged.

    Nothing is lost: what was to be saved is its `result`, if that is known.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.result: Any = None


def cache_key_of_files(files: Iterable[Path], *more: object) -> str:
    """Return the SHA-256 hash of files' paths and contents, Python's version and more objects."""
    digest = hashlib.sha256(repr([sys.version, *more]).encode())
    for file in files:
        digest.update(b"\n" + os.fsencode(file) + b"\n")
        digest.update(file.read_bytes())
    return digest.hexdigest()


@contextmanager
def replace_atomically(path: str | Path) -> Iterator[Path]:
    """Yield the path of a draft, which replaces a file when the block ends without an error.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "numbers.txt"
    >>> with replace_atomically(file) as draft:
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
        raise SavingFailedError(f"{path} could not be written: {problem.strerror}") from None
    draft = Path(name)
    try:
        yield draft
        _open_to_others(draft, 0o666)
        draft.replace(file)
    except OSError as problem:
        why = problem.strerror or str(problem).replace(name, str(path))
        raise SavingFailedError(f"{path} could not be written: {why}") from problem
    finally:
        draft.unlink(missing_ok=True)


def _open_to_others(draft: Path, mode: int) -> None:
    """Apply the umask: `tempfile` creates files readable only by their owner."""
    mask = os.umask(0)
    os.umask(mask)
    draft.chmod(mode & ~mask)


def require_writable(path: str | Path, argument: str = "path") -> None:
    """Raise an error, before any computation, if a file could not be written."""
    file = Path(path)
    if file.exists() and not file.is_file():
        what = "a folder" if file.is_dir() else "not one"
        raise ValueError(f"{argument} must be a file; {file} is {what}")
    if not file.parent.is_dir():
        raise ValueError(f"{argument} must be in a folder that exists; {file.parent} does not")
    if not os.access(file if file.exists() else file.parent, os.W_OK):
        raise ValueError(f"{argument} must be writable; {file} is not")


def text_written_as_well(make_text: Callable[[], str], file: str | Path | None) -> str:
    """Return a text that takes time to make; write it to a file as well, if one is given."""
    if file is not None:
        require_writable(file, "file")
    text = make_text()
    if file is not None:
        with replace_atomically(file) as draft:
            draft.write_text(text, encoding="utf-8")
    return text


def write_netcdf(data: xr.Dataset, path: str | Path) -> None:
    """Write data to a netCDF file, which replaces an earlier file only when complete."""
    with replace_atomically(path) as draft:
        data.to_netcdf(draft, engine="scipy", format="NETCDF3_64BIT")


def read_netcdf(path: str | Path, what: str = "data") -> xr.Dataset:
    """Read a netCDF file and return its dataset; raise DamagedFileError if that fails.

    Attributes that earlier versions saved by other names have those of today.
    """
    import xarray as xr

    try:
        found = xr.load_dataset(path, engine="scipy")
    except OSError as problem:
        why = f"it cannot be read: {problem.strerror}" if problem.strerror else _NO_NETCDF
    except Exception:  # SciPy reads a damaged file until it trips over anything
        why = _NO_NETCDF
    else:
        found.attrs = {_EARLIER_NAMES.get(name, name): x for name, x in found.attrs.items()}
        return found
    raise DamagedFileError(f"{path} is no file of {what}: {why}")


_EARLIER_NAMES = {"log_every": "every"}

_NO_NETCDF = "it is not in netCDF format 3, or is cut short or damaged"


def write_if_path(
    data: _Data, path: str | Path | None, write: Callable[[_Data, Path], None]
) -> _Data:
    """Write data by the given function if there is a path, and return the data."""
    if path is not None:
        try:
            write(data, Path(path))
        except SavingFailedError as problem:
            problem.result = data
            raise
    return data


def parts_folder(path: Path) -> Path:
    """Return the path of the folder for the parts of a sweep whose file is not yet complete."""
    return path.with_name(f"{path.name}.parts")


def require_equal_settings(
    what: str, found: Mapping[str, Any], wanted: Mapping[str, Any], remedy: str = ""
) -> None:
    """Raise an error if data were computed with other settings than those wanted."""
    for name in {**wanted, **found}:
        if found.get(name) != wanted.get(name):
            raise ValueError(
                f"{what} with {name} = {found.get(name)}; needed is {name} = {wanted.get(name)}"
                f"{remedy}"
            )


_SETTINGS = "settings.json"


class SweepParts:
    """A folder with the finished parts of a sweep, one file of arrays for each.

    It is made if there is none. The settings of the sweep are kept in it, and later ones must equal
    them.
    """

    def __init__(self, folder: Path, settings: dict[str, Any]) -> None:
        self._folder = folder
        wanted = json.loads(json.dumps(settings))
        file = folder / _SETTINGS
        if not folder.exists():
            try:
                folder.mkdir()
            except OSError as problem:
                raise SavingFailedError(f"{folder} could not be made: {problem.strerror}") from None
        if file.is_file():
            try:
                found = json.loads(file.read_text(encoding="utf-8"))
            except ValueError as problem:
                raise DamagedFileError(f"{file} is damaged: {problem}") from None
            remedy = "; give the same again, or another file"
            require_equal_settings(f"{folder} holds parts", found, wanted, remedy)
        elif not folder.is_dir() or any(folder.iterdir()):
            raise DamagedFileError(f"{folder} holds something else than parts of a sweep")
        else:
            with replace_atomically(file) as draft:
                draft.write_text(json.dumps(wanted, indent=2) + "\n", encoding="utf-8")

    def read(self, name: str, fields: Iterable[str]) -> dict[str, NDArray[Any]] | None:
        """Return the arrays of a part of the sweep; None if its file is missing or damaged."""
        import numpy as np

        file = self._folder / f"{name}.npz"
        if not file.is_file():
            return None
        try:
            with np.load(io.BytesIO(file.read_bytes())) as arrays:
                found = dict(arrays)
        except (OSError, EOFError, ValueError, TypeError, zipfile.BadZipFile):
            # Damaged: it will be made again.
            return None
        return found if found.keys() == set(fields) else None

    def write(self, name: str, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Write the arrays of a part of the sweep to its .npz file in the folder."""
        import numpy as np

        with replace_atomically(self._folder / f"{name}.npz") as draft, draft.open("wb") as file:
            np.savez(file, allow_pickle=False, **arrays)

    def remove(self) -> None:
        """Delete the folder of the sweep's parts, with all files in it."""
        shutil.rmtree(self._folder)


def load_or_compute_in_parts(
    compute: Callable[[SweepParts | None], xr.Dataset],
    settings: dict[str, Any],
    path: str | Path | None,
    *,
    kind: str,
    content: str = "data",
    remedy: str = "",
) -> xr.Dataset:
    """Return the data of a sweep from its file, or compute and save them, part by part.

    `compute` is given the parts that are complete, or None without a path; its dataset has the
    settings as JSON in its attribute ``settings``. Messages say by `kind`, `content` and `remedy`
    what such a file is of, what it holds, and what to do if it holds another.
    """
    if path is None:
        return compute(None)
    file = Path(path)
    if file.is_file():
        data = read_netcdf(file, kind)
        try:
            found = json.loads(data.attrs["settings"])
        except (KeyError, TypeError, ValueError):
            raise DamagedFileError(
                f"{file} is no file of {kind}: it holds something else"
            ) from None
        require_equal_settings(f"{file} holds {content}", found, settings, remedy)
        return data
    require_writable(file)
    # Another version may compute other bits.
    parts = SweepParts(parts_folder(file), settings | {"version": version("slrsym")})
    with _held_by_one_process(parts_folder(file) / _SETTINGS, file):
        data = write_if_path(compute(parts), file, write_netcdf)
        parts.remove()
    return data


@contextmanager
def _held_by_one_process(settings: Path, file: Path) -> Iterator[None]:
    """Hold the parts of a sweep in a ``with`` block; raise `ValueError` if another process does.

    The system lets go of them when the process ends, however it does. Where it has no such locks,
    as on Windows, nothing is held.
    """
    try:
        import fcntl
    except ImportError:
        yield
        return
    with settings.open("rb") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ValueError(
                f"path must be a file that no other process is computing; {file} is one. Wait for "
                "it, or choose another name"
            ) from None
        yield


class SaveableComputation:
    """Base class of recipes whose `compute` can save the data to a file, for `read` to load."""

    def compute_data(self) -> xr.Dataset:
        """Compute the data of this computation and return the dataset, without saving it."""
        raise NotImplementedError

    def compute(self, path: str | Path | None = None, progress: bool | None = None) -> xr.Dataset:
        """Compute the data, save them as netCDF if a path is given, and return the dataset."""
        return self._kept(self.compute_data(), path)

    def read(self, path: str | Path) -> xr.Dataset:
        """Return data that `compute` saved; raise DamagedFileError for anything but netCDF."""
        return read_netcdf(path)

    @staticmethod
    def _kept(data: xr.Dataset, path: str | Path | None) -> xr.Dataset:
        return write_if_path(data, path, write_netcdf)


def read_start_arrays(path: str | Path, names: Sequence[str], rows: Sequence[str] = ()) -> Any:
    """Return the arrays of a start file, .npz or .npy, by name; raise if it is damaged."""
    import numpy as np

    if not Path(path).is_file():
        raise ValueError(f"start must be a file that exists; {path} is none")
    try:
        with Path(path).open("rb") as opened:
            found = np.load(opened, allow_pickle=False)
            if isinstance(found, np.ndarray):
                return dict(zip(rows, found, strict=True))
            arrays = dict(found)
    except Exception:  # NumPy's readers and those of archives fail in many ways
        why = "it is damaged, or holds something else than vectors"
        raise DamagedFileError(f"{path} cannot be read: {why}") from None
    if unknown := sorted(arrays.keys() - set(names)):
        allowed = ", ".join(names)
        raise DamagedFileError(f"{path} has {unknown[0]}, no direction; it may hold {allowed}")
    return arrays


_MANIFEST = ".slrsym-export.json"
# What TeX leaves beside a document.
_LEFT_BY_TEX = (
    *(".aux", ".bbl", ".bcf", ".blg", ".fdb_latexmk", ".fls", ".idx", ".ilg", ".ind", ".lof"),
    *(".log", ".out", ".pdf", ".run.xml", ".synctex.gz", ".toc"),
)


class ExportFolderError(ValueError):
    """An error for an export folder that is not writable or holds files that would be lost."""


def require_safe_export_folder(folder: Path, ending: str = "") -> None:
    """Raise an error if files cannot be exported to a folder without losing others."""
    folder = folder.resolve()
    if not folder.exists():
        above = next(p for p in folder.parents if p.exists())
        if not above.is_dir() or not os.access(above, os.W_OK | os.X_OK):
            raise ExportFolderError(f"cannot make a folder in {above}")
        return
    if not folder.is_dir():
        raise ExportFolderError(f"{folder} is not a folder")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ExportFolderError(f"the folder {folder} cannot be written to")
    known = _manifest(folder)
    if known and not any(name.endswith(ending) for name in known):
        raise ExportFolderError(
            f"the folder {folder} holds another kind of export, with {min(known)}; choose another"
        )
    for file in folder.rglob("*"):
        name = file.relative_to(folder).as_posix()
        if file.is_dir() or name == _MANIFEST or _is_by_product(name, known):
            continue
        if name not in known:
            raise ExportFolderError(
                f"the folder {folder} holds {name}, which no export has written; choose another"
            )
        if _digest(file.read_bytes()) != known[name]:
            raise ExportFolderError(
                f"{name} in {folder} was changed since it was exported; choose another folder, or "
                f"move it away"
            )


def write_export_folder(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Write files to a folder, replacing those of an earlier export."""
    require_safe_export_folder(folder)
    folder = folder.resolve()
    contents = {
        # A path in the text has surrogates if the locale does not know its letters.
        name: text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text
        for name, text in files.items()
    }
    digests = {name: _digest(content) for name, content in sorted(contents.items())}
    signed = contents | {_MANIFEST: (json.dumps(digests, indent=1) + "\n").encode("utf-8")}
    if not folder.exists():
        make_folder_with_files(folder, signed)
        return
    with _told(folder):
        _replace(folder, signed)


@contextmanager
def _told(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as problem:
        why = problem.strerror or problem
        raise SavingFailedError(f"{folder} could not be written: {why}") from problem


def make_folder_with_files(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Make a folder with files of given contents, or not at all; it must be new or empty."""
    with _told(folder):
        folder = folder.resolve()
        folder.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(dir=folder.parent, prefix=".slrsym-"))
        try:
            _fill(draft, contents)
            _open_to_others(draft, 0o777)
            draft.replace(folder)
        finally:
            shutil.rmtree(draft, ignore_errors=True)


def _replace(folder: Path, contents: Mapping[str, bytes]) -> None:
    old = _manifest(folder)
    draft = Path(tempfile.mkdtemp(dir=folder, prefix=".slrsym-"))
    try:
        _fill(draft, contents)
        for name in contents.keys() - {_MANIFEST}:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (draft / name).replace(folder / name)
        for name in set(old) - set(contents):
            (folder / name).unlink(missing_ok=True)
        # What TeX made of the earlier export is not of this one.
        for file in [*folder.iterdir()]:
            if file.is_file() and _is_by_product(file.name, old):
                file.unlink()
        (draft / _MANIFEST).replace(folder / _MANIFEST)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _fill(folder: Path, contents: Mapping[str, bytes]) -> None:
    for name, content in contents.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _manifest(folder: Path) -> dict[str, str]:
    try:
        found = json.loads((folder / _MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _is_by_product(name: str, known: Mapping[str, str]) -> bool:
    stems = {n.removesuffix(".tex") for n in known if n.endswith(".tex")}
    return any(name == stem + ending for stem in stems for ending in _LEFT_BY_TEX)
