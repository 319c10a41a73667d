"""Files and folders elsewhere that derivations read, so that a change of one is noticed.

Python tells of every file that it opens, and of every folder that it lists. Left out is what lies
in the standard library, among installed packages or in caches, and what a cache key covers.
"""

from __future__ import annotations

import importlib.machinery
import os
import site
import sys
import sysconfig
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from importlib.util import source_from_cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType

# Of a file its size and the times of its last change, of a folder the names in it, of nothing []. A
# name that ends with a separator is that of a folder in which Python looked for modules.
State = list[str]

_SYSTEM = ("/proc", "/sys", "/dev", "/run", "/etc")
_SEARCH = "<frozen importlib"
_MACHINERY = str(Path(__file__).parent) + os.sep
_PACKAGE = str(Path(__file__).parents[2]) + os.sep
_IMPORTABLE = tuple(importlib.machinery.all_suffixes())
# Stands for the current folder, which counts if a file is named relative to it.
_HERE = ""

# What was read since recording began, as it was when it was read first; None outside of recording.
_states: dict[str, State] | None = None
# When recording began, by the clock of files; and what neither Python nor slrsym's own search read.
_began = 0
_read_by_code: set[str] = set()
_imported: set[str] = set()
_written: set[str] = set()
_relative: set[str] = set()
_folder_at_start = ""
# What this process, a worker, has told its parent.
_told: set[str] = set()


def _notice(event: str, arguments: tuple[object, ...]) -> None:
    if _states is None or event not in ("open", "os.listdir", "os.scandir"):
        return
    path = arguments[0] if arguments and arguments[0] is not None else "."
    if not isinstance(path, str | bytes | os.PathLike):
        return
    # An error here would end what the derivation does.
    with suppress(Exception):
        text = os.fsdecode(path)
        name = os.path.abspath(text)
        flags = arguments[2] if event == "open" and len(arguments) > 2 else 0
        if isinstance(flags, int) and _only_writes(flags):
            _written.add(name)
            return
        asking = sys._getframe(1).f_code.co_filename
        if asking.startswith(_SEARCH):
            # Not for the derivation, but in Python's search for modules.
            if event == "os.listdir":
                name += os.sep
            else:
                _imported.add(name)
        if name not in _states and asking != __file__:
            _states[name] = state_of(name)
            if not os.path.isabs(text):
                _relative.add(name)
        if name not in _read_by_code and _is_asked_by_code(sys._getframe(1)):
            _read_by_code.add(name)


def _only_writes(flags: int) -> bool:
    """Return whether a file that is opened is not read as it was."""
    return bool(flags & os.O_WRONLY or (flags & os.O_RDWR and flags & os.O_TRUNC))


def _is_asked_by_code(frame: FrameType | None) -> bool:
    """Return whether neither Python's search for modules nor that for derivations asks."""
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith((_SEARCH, _MACHINERY)):
            return False
        if not _is_installed(file) or file.startswith(_PACKAGE):
            return True
        frame = frame.f_back
    return True


@cache
def _listen() -> None:
    sys.addaudithook(_notice)


def start_recording() -> dict[str, State]:
    """Record what is read from now on, in the mapping that is returned."""
    global _states, _folder_at_start, _began
    _listen()
    _folder_at_start = os.getcwd()
    _states = found = dict[str, State]()
    _began = time.time_ns()
    for names in (_written, _relative, _told, _read_by_code, _imported):
        names.clear()
    return found


@contextmanager
def record_files_read() -> Iterator[dict[str, State]]:
    """Yield a mapping of the files and folders that are read in the block, with their states."""
    global _states
    try:
        yield start_recording()
    finally:
        _states = None


def recording_began() -> int | None:
    """Return when recording began, in nanoseconds of the clock of files; None outside of it."""
    return None if _states is None else _began


def read_by_code() -> dict[str, State]:
    """Return what derivations have read so far, apart from Python files that they import.

    Modules of other kinds are among it.
    """
    recorded = _states or {}
    found = {n: recorded[n] for n in _read_by_code if n in recorded and not _is_installed(n)}
    for module in list(sys.modules.values()):
        file = getattr(module, "__dict__", {}).get("__file__")
        if isinstance(file, str) and not file.endswith(".py"):
            name = os.path.abspath(file)
            if not _is_installed(name):
                found[name] = state_of(name)
    found = {name: state for name, state in found.items() if name not in _written}
    if not _relative.isdisjoint(found):
        found[_HERE] = [_folder_at_start]
    return found


def texts_read_by_code() -> dict[str, State]:
    """Return the Python files that derivations have read as texts, in which comments may count."""
    return {name: state for name, state in read_by_code().items() if name.endswith(".py")}


def texts_of_modules(read: Iterable[str]) -> list[bytes]:
    """Return the texts of Python files that were imported here, derivations included, or read."""
    names = sorted({*map(_source, _imported), *read})
    files = [Path(n) for n in names if n.endswith(".py") and not _is_installed(n)]
    return [file.read_bytes() for file in files if file.is_file()]


def read_since_last_told() -> tuple[dict[str, State], list[str]]:
    """Return what this process, a worker, has read and not told yet, and the texts among it."""
    found = files_read_elsewhere(_states or {}, lambda _: False)
    new = {name: state for name, state in found.items() if name not in _told}
    _told.update(new)
    return new, list(texts_read_by_code())


def add_files_read(found: Mapping[str, State], texts: Iterable[str] = ()) -> None:
    """Add what a worker has read to what is being recorded, with the names of texts among it."""
    if _states is not None:
        for name, state in found.items():
            _states.setdefault(name, state)
        _read_by_code.update(texts)


def files_read_elsewhere(
    found: Mapping[str, State], is_covered: Callable[[Path], bool]
) -> dict[str, State]:
    """Return the states of what was read, of modules, and of folders with modules.

    Files that were written are left out, and all that a key covers.
    """
    modules = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
    names = [_source(name) for name in found if name != _HERE]
    names += [os.path.abspath(module) for module in modules if isinstance(module, str)]
    names += [os.path.abspath(place) + os.sep for place in sys.path]
    kept: dict[str, State] = {}
    for name in dict.fromkeys(names):
        if name not in _written and not _is_installed(name) and not is_covered(Path(name)):
            kept[name] = found[name] if name in found else state_of(name)
    if _HERE in found or not _relative.isdisjoint(kept):
        kept[_HERE] = [_folder_at_start]
    return kept


def are_unchanged(found: Mapping[str, State]) -> bool:
    """Return whether files and folders are in the states in which they were read."""
    return all(state_of(name) == state for name, state in found.items())


def state_of(name: str) -> State:
    """Return the state of a file or folder; empty if there is none."""
    with suppress(OSError):
        if name == _HERE:
            return [os.getcwd()]
        if os.path.isdir(name):
            names = [n for n in sorted(os.listdir(name)) if n != "__pycache__"]
            if name.endswith(os.sep):
                return [n for n in names if n.endswith(_IMPORTABLE) or n.isidentifier()]
            return names
        found = os.stat(name)
        return [str(found.st_size), str(found.st_mtime_ns), str(found.st_ctime_ns)]
    return []


def search_paths() -> list[str]:
    """Return the folders other than those of Python in which modules are looked for."""
    places = [os.path.abspath(place) for place in sys.path]
    return [place for place in places if not _is_installed(place)]


def _source(name: str) -> str:
    """Return the file from which a file of compiled code was made, or the name itself."""
    if os.path.basename(os.path.dirname(name)) == "__pycache__":
        with suppress(ValueError, NotImplementedError):
            return source_from_cache(name.partition(".pyc")[0] + ".pyc")
    return name


@cache
def _is_installed(name: str) -> bool:
    """Return whether a file lies in Python, an installed package, slrsym, a cache or the system."""
    places = (*_installed_folders(), *_SYSTEM, *_cache_folders())
    forms = (name, os.path.realpath(name))
    return any(
        form == place or form.startswith(place + os.sep) for form in forms for place in places
    )


@cache
def _installed_folders() -> tuple[str, ...]:
    keys = ("stdlib", "platstdlib", "purelib", "platlib")
    folders = [sysconfig.get_path(key) for key in keys]
    folders += [site.getusersitepackages(), *site.getsitepackages()]
    folders += [os.path.join(sys.base_prefix, "lib"), os.path.dirname(sys.executable)]
    # Every key covers the package.
    folders += [str(Path(__file__).parents[2])]
    return tuple(sorted({form for f in folders for form in (f, os.path.realpath(f))}))


def _cache_folders() -> Iterator[str]:
    yield os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    for name in ("SLRSYM_CACHE", "SLRSYM_CACHE_DIR"):
        if os.environ.get(name):
            yield os.environ[name]
