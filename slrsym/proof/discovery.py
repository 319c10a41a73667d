"""Finding and loading files of derivations.

A derivation file is a Python file that calls `Claim`. Files are recognised by reading their text, so
that looking for them runs no code.
"""

from __future__ import annotations

import ast
import importlib.util
import sys
import zlib
from pathlib import Path

from slrsym.proof.claim import Claim, collecting
from slrsym.proof.errors import DerivationError

__all__ = ["builtin_folder", "derivation_files", "is_derivation_file", "load_file"]

_NEVER = {"conftest.py", "setup.py", "noxfile.py"}


def builtin_folder() -> Path:
    """The folder of the derivations that come with the package.

    Raises
    ------
    DerivationError
        If the installation has none.
    """
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
    """The derivation files at a path: the file itself, or those in and below a folder.

    Raises
    ------
    DerivationError
        If there is no such path, or nothing at it is a derivation.
    """
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise DerivationError(f"{path} does not exist")
    hidden = (".", "_")
    found = [
        file
        for file in sorted(path.rglob("*.py"))
        if not any(part.startswith(hidden) for part in file.relative_to(path).parts[:-1])
        and is_derivation_file(file)
    ]
    if not found:
        raise DerivationError(f"{path} has no derivation: no .py file in it calls Claim")
    return found


def load_file(path: Path) -> list[Claim]:
    """The claims of a derivation file, in the order in which it makes them.

    Raises
    ------
    DerivationError
        If the file cannot be read, does not import, or makes no claim.
    """
    resolved = path.resolve()
    name = f"slrsym_derivation_{resolved.stem}_{zlib.crc32(str(resolved).encode()):08x}"
    spec = importlib.util.spec_from_file_location(name, resolved)
    if spec is None or spec.loader is None:
        raise DerivationError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        with collecting() as claims:
            spec.loader.exec_module(module)
    except Exception as problem:  # user code: whatever it raises is why it does not import
        sys.modules.pop(name, None)
        where = _line_in(problem, resolved)
        raise DerivationError(
            f"{path}{where} does not import: {type(problem).__name__}: {problem}"
        ) from problem
    if not claims:
        raise DerivationError(f"{path} makes no claim")
    for claim in claims:
        claim.file = resolved
    return claims


def _line_in(problem: BaseException, path: Path) -> str:
    """The last line of the file that the traceback passes through."""
    if isinstance(problem, SyntaxError) and problem.lineno and problem.filename == str(path):
        return f":{problem.lineno}"
    lines = []
    trace = problem.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(path):
            lines.append(trace.tb_lineno)
        trace = trace.tb_next
    return f":{lines[-1]}" if lines else ""
