"""Cache of verdicts, and of evidence for the steps of claims.

A run is found again only if no claim failed, and if nothing has changed of the package, the folders
of the derivations with all their files, the versions and the options, and the files, modules and
folders elsewhere that were read. Nor is it found again if what was run may ask for what nothing of
this tells, such as the time. Whoever can write here can write anything: `--no-cache` checks again.
Evidence is found by its claim, and the proof checker judges it anew.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from slrsym.files import cache_key_of_files, replace_atomically
from slrsym.prover.claims.file_search import (
    PAPER,
    builtin_derivation_folder,
    files_that_derivations_may_read,
)
from slrsym.prover.claims.files_read import (
    are_unchanged,
    files_read_elsewhere,
    record_files_read,
    search_paths,
    texts_of_modules,
    texts_read_by_code,
)
from slrsym.prover.claims.source_code import (
    asks_for_environment,
    asks_the_system,
    code_digest,
)

if TYPE_CHECKING:
    from slrsym.prover.claims.claim import Claim

LIBRARIES = ("slrsym", "sympy", "mpmath", "numpy", "scipy", "python-flint")
# They name folders of caches, or say whether these are used.
_OF_CACHES = ("SLRSYM_CACHE", "SLRSYM_CACHE_DIR", "SLRSYM_FRESH")
_MOST = 30
_MOST_EVIDENCE = 1_000


def is_cache_allowed() -> bool:
    """Return whether cached results may be used, as they may outside continuous integration."""
    return not (os.environ.get("CI") or os.environ.get("SLRSYM_FRESH"))


def cache_key(
    paths: Iterable[Path] | None, *options: object, written: Collection[Path] = ()
) -> str:
    """Return a digest of the package, the derivations, library versions and options.

    Python files of the package and descriptions of papers count by their contents, those of
    derivations by what they do, and other files of the folders by their size and the times of their
    last change. Files that are written are left out. Environment variables count if the text of a
    derivation asks for any.
    """
    asked = None if paths is None else [path.resolve() for path in paths]
    left_out = {path.resolve() for path in written}
    package = _package_folder()
    # Two files of one folder have the same beside them.
    files = [
        file
        for folder in _covered_folders(paths)
        for file in files_that_derivations_may_read(folder)
        if file not in left_out and not _is_of_cache(file)
    ]
    done, read, states = list[tuple[str, str]](), list[Path](), list[tuple[str, ...]]()
    environment: list[tuple[str, str]] = []
    for file in files:
        if not _counts_by_content(file):
            states.append(state_of_file(file))
        elif file.suffix != ".py" or file.is_relative_to(package):
            read.append(file)
        else:
            text = file.read_bytes()
            done.append((str(file), code_digest(text)))
            if not environment and asks_for_environment(text):
                environment = sorted(os.environ.items())
    environment += environment_of_slrsym()
    return cache_key_of_files(
        read, *map(version, LIBRARIES), options, asked, states, done, environment
    )


def environment_of_slrsym() -> list[tuple[str, str]]:
    """Return the environment variables that slrsym reads, apart from those of caches."""
    return sorted(
        item for item in os.environ.items()
        if item[0].startswith("SLRSYM_") and item[0] not in _OF_CACHES
    )  # fmt: skip


def files_of_package() -> list[Path]:
    """Return all files of the package."""
    return files_that_derivations_may_read(_package_folder())


def _package_folder() -> Path:
    return Path(__file__).resolve().parents[2]


def _covered_folders(paths: Iterable[Path] | None) -> list[Path]:
    """Return the folders of which a key covers all files."""
    asked = [path.resolve() for path in paths or ()]
    folders = [_package_folder(), builtin_derivation_folder()]
    folders += [path if path.is_dir() else path.parent for path in asked]
    return [folder.resolve() for folder in folders]


def _covered_by_key(
    paths: Iterable[Path] | None, written: Collection[Path]
) -> Callable[[Path], bool]:
    """Return a function that tells whether a key covers a file, or leaves it out for good.

    Folders of the derivations are listed for keys, except hidden ones and virtual environments.
    """
    folders = _covered_folders(paths)
    files = {file for folder in folders for file in files_that_derivations_may_read(folder)}
    files |= {file.resolve() for file in written}

    def is_covered(path: Path) -> bool:
        real = path.resolve()
        inside = real.is_dir() and any(real.is_relative_to(folder) for folder in folders)
        return real in files or inside

    return is_covered


def _is_of_cache(file: Path) -> bool:
    """Return whether a file is one of this cache, which may lie beside derivations."""
    if not re.fullmatch(r"[0-9a-f]{64}\.json", file.name):
        return False
    here = folder().resolve()
    return file.parent in (here, here / "evidence", here / "verdicts")


def _counts_by_content(file: Path) -> bool:
    return (file.suffix == ".py" or file.name == PAPER) and file.is_file()


def state_of_file(file: Path) -> tuple[str, ...]:
    """Return the name, the size and the times of the last change of a file that may be large."""
    with suppress(OSError):
        found = file.stat()
        return tuple(map(str, (file, found.st_size, found.st_mtime_ns, found.st_ctime_ns)))
    return (str(file),)


def read_cached(key: str) -> Any:
    """Return the cached data for a key, or None if there are none."""
    with suppress(OSError, ValueError):
        return json.loads((folder() / f"{key}.json").read_text(encoding="utf-8"))
    return None


def _without_problems(content: dict[str, Any]) -> bool:
    return not content["problems"]


def load_or_compute(
    make: Callable[[], dict[str, Any]],
    paths: Iterable[Path] | None,
    *options: object,
    fresh: bool = False,
    is_good: Callable[[dict[str, Any]], bool] = _without_problems,
    written: Iterable[Path | None] = (),
) -> tuple[dict[str, Any], bool]:
    """Return a saved result, or compute and save it; also return whether it had been saved.

    A saved result is not looked for if `fresh`. The files that the caller writes, `written`, do not
    make another key.
    """
    if not is_cache_allowed():
        return make(), False
    paths, left_out = paths and list(paths), [file for file in written if file is not None]
    # A derivation may add to them.
    options = (*options, search_paths())
    key = cache_key(paths, *options, written=left_out)
    saved: dict[str, Any] | None = None if fresh else read_cached(key)
    if saved is not None and are_unchanged(saved["read"]) and _is_environment(saved["environment"]):
        return saved["content"], True
    with record_files_read() as found:
        content = make()
        texts = texts_read_by_code()
    read = files_read_elsewhere(found, _covered_by_key(paths, left_out)) | texts
    # Workers import as well.
    modules = texts_of_modules(found.keys() & read.keys())
    if (
        is_good(content)
        and not any(map(asks_the_system, modules))
        # A file may have changed after the key was made and before it was read, or after that.
        and are_unchanged(read)
        and cache_key(paths, *options, written=left_out) == key
    ):
        asked = any(map(asks_for_environment, modules))
        environment = _environment_digest() if asked else ""
        save_cached(key, {"content": content, "read": read, "environment": environment})
    return content, False


def _environment_digest() -> str:
    return cache_key_of_files([], sorted(os.environ.items()))


def _is_environment(digest: str) -> bool:
    """Return whether the environment variables are those of a digest; of none, any are."""
    return digest in ("", _environment_digest())


def verify_result_to_objects(content: dict[str, Any]) -> Any:
    """Convert the plain data of `slrsym verify` to objects with attributes."""
    found = json.loads(json.dumps(content), object_hook=lambda entry: SimpleNamespace(**entry))
    found.proofs = vars(found.proofs)
    return found


def objects_to_json_data(entry: Any) -> Any:
    """Convert an object that was read from the cache back to plain data."""
    if isinstance(entry, SimpleNamespace):
        return {name: objects_to_json_data(value) for name, value in vars(entry).items()}
    return [objects_to_json_data(value) for value in entry] if isinstance(entry, list) else entry


def save_cached(key: str, content: Any) -> None:
    """Save a result in the cache, unless the cache cannot be written."""
    _write(folder(), key, content, _MOST)


def cached_evidence(claim: Claim) -> dict[str, Any]:
    """Return the record of evidence that an earlier run saved for a claim; empty if none."""
    with suppress(OSError, ValueError):
        text = (folder() / "evidence" / f"{name_of_claim(claim)}.json").read_text(encoding="utf-8")
        record = json.loads(text)
        return record if isinstance(record, dict) else {}
    return {}


def cache_evidence(claim: Claim, record: Mapping[str, Any]) -> None:
    """Save the evidence for a claim, a record of the proof log, in the cache."""
    _write(folder() / "evidence", name_of_claim(claim), record, _MOST_EVIDENCE)


def name_of_claim(claim: Claim) -> str:
    """Return the name under which something is kept of a claim: that of the id and the file."""
    # Of a claim that is changed, the steps that stay have their evidence.
    return cache_key_of_files([], claim.id, claim.file and str(claim.file.resolve()))


def _write(folder: Path, name: str, content: Any, most: int) -> None:
    """Write a file to a folder, and remove the oldest files; do nothing if that fails."""
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        with replace_atomically(folder / f"{name}.json") as draft:
            draft.write_text(json.dumps(content), encoding="utf-8")
        kept = sorted(folder.glob("*.json"), key=lambda file: file.stat().st_mtime)
        for old in kept[:-most]:
            old.unlink()


def folder() -> Path:
    """Return the folder of the cache."""
    chosen = os.environ.get("SLRSYM_CACHE")
    if chosen:
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "slrsym"
