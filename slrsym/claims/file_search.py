"""Search for derivation files and claim ids by reading text, without running code.

A derivation file is a Python file that calls `Claim`. Files are recognised by reading their text,
so looking for them, and for the claims in them, runs no code, and needs nothing but the standard
library.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Callable, Collection, Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

# Describes the paper that the derivations of a folder are about.
PAPER = "paper.toml"
_NEVER = {"conftest.py", "setup.py", "noxfile.py"}


class DerivationError(Exception):
    """Raised if a path has no derivation, or if a derivation file cannot be loaded."""


def traceback_line_suffix(problem: BaseException, file: Path) -> str:
    """Return ``:N`` for the last line N of a file in a traceback; empty if it has none."""
    if isinstance(problem, SyntaxError) and problem.lineno and problem.filename == str(file):
        return f":{problem.lineno}"
    lines = []
    trace = problem.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(file):
            lines.append(trace.tb_lineno)
        trace = trace.tb_next
    return f":{lines[-1]}" if lines else ""


def builtin_derivation_folder() -> Path:
    """Return the folder of the derivations that come with slrsym."""
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "derivations", package.parent / "derivations"):
        if folder.is_dir():
            return folder
    raise DerivationError(f"the installation in {package} has no folder of derivations")


class DeclaredClaimIds(NamedTuple):
    """The ids of claims in a derivation file, as read from its text without running it."""

    ids: tuple[str, ...]
    patterns: tuple[str, ...]  # of ids that are put together when the file runs


def is_derivation_file(path: Path) -> bool:
    """Return whether the text of a file shows that it is Python and calls `Claim`.

    A file that does not parse counts as one if it speaks of claims at all: loading it gives the
    error to show.
    """
    return _is_named_so(path) and _declared_claims(_text(path)) is not None


def files_with_claim(id: str, folder: Path) -> list[Path]:
    """Return the files in and below a folder whose text seems to state a given claim."""
    texts = {file: _text(file) for file in sorted(_files_below(folder)) if _is_named_so(file)}
    # To parse a text takes long: most do not even speak of the id.
    spoken = [file for file, text in texts.items() if id in text]
    named = [file for file in spoken if (made := _declared_claims(texts[file])) and id in made.ids]
    if named:
        return named
    found = {file: made for file, text in texts.items() if (made := _declared_claims(text))}
    return [f for f, made in found.items() if any(re.fullmatch(x, id) for x in made.patterns)]


def claim_ids_in_folder(folder: Path, among: Collection[str] | None = None) -> list[str]:
    """Return the ids of claims that files in and below a folder write as literal strings."""
    texts = [_text(file) for file in sorted(_files_below(folder)) if _is_named_so(file)]
    if among is not None:
        texts = [text for text in texts if any(id in text for id in among)]
    found = [id for text in texts if (made := _declared_claims(text)) for id in made.ids]
    return found if among is None else [id for id in found if id in among]


def _is_named_so(path: Path) -> bool:
    never = path.name in _NEVER or path.name.startswith(("test_", "_"))
    return path.suffix == ".py" and not never


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


# The files of the package are looked at again and again.
@lru_cache(maxsize=256)
def _declared_claims(text: str) -> DeclaredClaimIds | None:
    if "Claim" not in text or "slrsym" not in text:
        return None
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return DeclaredClaimIds((), (".*",))
    ids: list[str] = []
    patterns: list[str] = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        if getattr(node.func, "id", getattr(node.func, "attr", None)) != "Claim":
            continue
        match [word.value for word in node.keywords if word.arg == "id"] or node.args[:1]:
            case [ast.Constant(value=str(id))]:
                ids.append(id)
            case [ast.JoinedStr(values=parts)]:
                known = (getattr(part, "value", None) for part in parts)
                patterns.append(
                    "".join(re.escape(x) if isinstance(x, str) else ".*" for x in known)
                )
            case _:
                patterns.append(".*")
    return DeclaredClaimIds(tuple(ids), tuple(patterns)) if ids or patterns else None


def derivation_files(path: Path) -> list[Path]:
    """Return the derivation file at a path, or all those in and below a folder."""
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise DerivationError(f"{path} does not exist")
    found = [file for file in sorted(_files_below(path)) if is_derivation_file(file)]
    if not found:
        raise DerivationError(f"{path} has no derivation: no .py file in it calls Claim")
    return found


def python_and_paper_toml_files(folder: Path) -> list[Path]:
    """Return all Python files and descriptions of papers in and below a folder."""
    found = _files_below(folder)
    return sorted(file for file in found if file.suffix == ".py" or file.name == PAPER)


def files_that_derivations_may_read(folder: Path) -> list[Path]:
    """Return all files in and below a folder, but for those in hidden folders and caches.

    Folders of virtual environments are left out as well. A derivation may import or read the files.
    """
    return sorted(_files_below(folder, lambda name: name[0] == "." or name == "__pycache__"))


def _is_hidden_or_private(name: str) -> bool:
    return name.startswith((".", "_"))


def _files_below(
    folder: Path, is_left_out: Callable[[str], bool] = _is_hidden_or_private
) -> Iterator[Path]:
    """Yield the files in and below a folder, without virtual environments and folders left out."""
    for here, below, files in os.walk(folder):
        below[:] = [
            name
            for name in below
            if not is_left_out(name) and not Path(here, name, "pyvenv.cfg").exists()
        ]
        yield from (Path(here, name) for name in files)
