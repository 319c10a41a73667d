"""Loading files of derivations."""

from __future__ import annotations

import importlib.util
import sys
import zlib
from importlib.machinery import SOURCE_SUFFIXES, SourceFileLoader
from pathlib import Path
from types import CodeType

from slrsym.claims.claim import Claim, collecting
from slrsym.claims.files import DerivationError, builtin_folder

# The package's own files as they were run last: their text, and what they made of it.
_loaded: dict[Path, tuple[bytes, list[Claim]]] = {}


def load_file(path: Path) -> list[Claim]:
    """The claims of a derivation file, in the order in which it makes them."""
    resolved = path.resolve()
    try:
        text = resolved.read_bytes() if resolved.parent == builtin_folder() else None
    except (DerivationError, OSError):
        text = None  # what is wrong with the file is found below
    if text is None:
        return _run(path, resolved)
    if resolved not in _loaded or _loaded[resolved][0] != text:
        _loaded[resolved] = text, _run(path, resolved)
    return list(_loaded[resolved][1])


class _AsItStands(SourceFileLoader):
    """Compiles the text of a file each time.

    Python takes compiled code for up to date if the second of the last change and the size of the
    file are the same: a proof that was just mended could be checked as it was.
    """

    def get_code(self, fullname: str) -> CodeType:
        file = self.get_filename(fullname)
        code: CodeType = self.source_to_code(self.get_data(file), file)
        return code


def _run(path: Path, resolved: Path) -> list[Claim]:
    name = f"slrsym_derivation_{resolved.stem}_{zlib.crc32(str(resolved).encode()):08x}"
    loader = _AsItStands(name, str(resolved))
    spec = importlib.util.spec_from_file_location(name, resolved, loader=loader)
    if spec is None or spec.loader is None or resolved.suffix not in SOURCE_SUFFIXES:
        raise DerivationError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        with collecting(resolved) as claims:
            spec.loader.exec_module(module)
    # User code: whatever it raises is why it does not import, a call of sys.exit included.
    except (Exception, SystemExit) as problem:
        sys.modules.pop(name, None)
        where = _line_in(problem, resolved)
        raise DerivationError(
            f"{path}{where} does not import: {type(problem).__name__}: {problem}"
        ) from problem
    if not claims:
        raise DerivationError(f"{path} makes no claim")
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
