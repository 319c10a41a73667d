"""Folders of exported files: written whole or not at all, and never over what is someone else's."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from slrsym.files import replacing

__all__ = ["FolderError", "require_ours", "write_folder"]

_MANIFEST = ".slrsym-export.json"
# What TeX leaves beside a document.
_LEFT_BY_TEX = (
    *(".aux", ".bbl", ".bcf", ".blg", ".fdb_latexmk", ".fls", ".idx", ".ilg", ".ind", ".lof"),
    *(".log", ".out", ".pdf", ".run.xml", ".synctex.gz", ".toc"),
)


class FolderError(ValueError):
    """A folder cannot be written to, or holds what would be lost."""


def require_ours(folder: Path, ending: str = "") -> None:
    """Refuse a folder that files could not be exported to."""
    folder = folder.resolve()
    if not folder.exists():
        above = next(p for p in folder.parents if p.exists())
        if not above.is_dir() or not os.access(above, os.W_OK | os.X_OK):
            raise FolderError(f"cannot make a folder in {above}")
        return
    if not folder.is_dir():
        raise FolderError(f"{folder} is not a folder")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise FolderError(f"the folder {folder} cannot be written to")
    known = _manifest(folder)
    if known and not any(name.endswith(ending) for name in known):
        raise FolderError(
            f"the folder {folder} holds another kind of export, with {min(known)}; choose another"
        )
    for file in folder.rglob("*"):
        name = file.relative_to(folder).as_posix()
        if file.is_dir() or name == _MANIFEST or _is_by_product(name, known):
            continue
        if name not in known:
            raise FolderError(
                f"the folder {folder} holds {name}, which no export has written; choose another"
            )
        if _digest(file.read_bytes()) != known[name]:
            raise FolderError(
                f"{name} in {folder} was changed since it was exported; choose another folder, or "
                f"move it away"
            )


def write_folder(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Write files to a folder, in place of those of an earlier export."""
    require_ours(folder)
    folder = folder.resolve()
    contents = {
        name: text.encode("utf-8") if isinstance(text, str) else text
        for name, text in files.items()
    }
    try:
        if folder.exists():
            _replace(folder, contents)
        else:
            _make(folder, contents)
    except OSError as problem:
        raise FolderError(f"cannot write to {folder}: {problem}") from problem


def _make(folder: Path, contents: Mapping[str, bytes]) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(dir=folder.parent, prefix=".slrsym-"))
    try:
        _fill(draft, contents)
        # mkdtemp makes folders that only their owner may enter.
        mask = os.umask(0)
        os.umask(mask)
        draft.chmod(0o777 & ~mask)
        draft.rename(folder)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _replace(folder: Path, contents: Mapping[str, bytes]) -> None:
    old = _manifest(folder)
    draft = Path(tempfile.mkdtemp(dir=folder, prefix=".slrsym-"))
    try:
        _fill(draft, contents)
        for name in contents:
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
    digests = {name: _digest(content) for name, content in sorted(contents.items())}
    with replacing(folder / _MANIFEST) as draft:
        draft.write_text(json.dumps(digests, indent=1) + "\n", encoding="utf-8")


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
