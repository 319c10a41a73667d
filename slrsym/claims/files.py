"""Finding files of derivations.

A derivation file is a Python file that calls `Claim`. Files are recognised by reading their text,
so looking for them runs no code, and needs nothing but the standard library.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

__all__ = ["DerivationError", "builtin_folder", "derivation_files", "is_derivation_file"]

_NEVER = {"conftest.py", "setup.py", "noxfile.py"}


class DerivationError(Exception):
    """There is no derivation at a path, or a file of derivations does not load."""


def builtin_folder() -> Path:
    """The folder of the derivations that come with the package."""
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "derivations", package.parent / "derivations"):
        if folder.is_dir():
            return folder
    raise DerivationError(f"the installation in {package} has no folder of derivations")


def is_derivation_file(path: Path) -> bool:
    """Whether a file is Python and calls `Claim`, as far as its text tells.

    A file that does not parse counts as one if it speaks of claims at all: loading it gives the
    error to show.
    """
    if path.suffix != ".py" or path.name in _NEVER or path.name.startswith(("test_", "_")):
        return False
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    return _calls_claim(text)


# The files of the package are looked at again and again.
@lru_cache(maxsize=256)
def _calls_claim(text: str) -> bool:
    if "Claim" not in text or "slrsym" not in text:
        return False
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return True
    return any(
        isinstance(node, ast.Call)
        and getattr(node.func, "id", getattr(node.func, "attr", None)) == "Claim"
        for node in ast.walk(tree)
    )


def derivation_files(path: Path) -> list[Path]:
    """The derivation files at a path: the file itself, or those in and below a folder."""
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise DerivationError(f"{path} does not exist")
    found = [file for file in sorted(_files_below(path)) if is_derivation_file(file)]
    if not found:
        raise DerivationError(f"{path} has no derivation: no .py file in it calls Claim")
    return found


def _files_below(folder: Path) -> Iterator[Path]:
    for here, below, files in os.walk(folder):
        below[:] = [
            name
            for name in below
            if not name.startswith((".", "_")) and not Path(here, name, "pyvenv.cfg").exists()
        ]
        yield from (Path(here, name) for name in files)
