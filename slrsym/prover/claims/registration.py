"""Registration of claims: each is noted when it is made, with the file that makes it.

A claim that a module makes while it is imported is noted in the namespace of the module, so that
nobody has to find it by a name, and so that it is known however the module came to be imported.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any

from slrsym.prover.claims.imports import imported_module_names, is_installed, source_text

if TYPE_CHECKING:
    from types import FrameType, ModuleType

_NAME = "__slrsym_claims__"
_recorded: ContextVar[tuple[Path, list[Any]] | None] = ContextVar("a file is run", default=None)
# For threads that a file starts, which know nothing of the context.
_running: list[tuple[Path, list[Any]]] = []


@contextmanager
def record_created_claims(file: Path) -> Iterator[list[Any]]:
    """Yield a list to which each claim is added that is created inside the ``with`` block.

    They are said to come from the file, but for those that another module makes on its import.
    """
    claims: list[Any] = []
    _running.append((file, claims))
    token = _recorded.set(_running[-1])
    try:
        yield claims
    finally:
        _recorded.reset(token)
        _running.pop()


def register_claim(claim: Any) -> Path | None:
    """Note a claim that was just made; return the file that makes it, if one does on its import."""
    is_in_thread = threading.current_thread() is not threading.main_thread()
    file, claims = _recorded.get() or (_running[-1] if _running and is_in_thread else (None, []))
    claims.append(claim)
    namespace = _namespace_of_import()
    if namespace is None:
        return file
    namespace.setdefault(_NAME, []).append(claim)
    return Path(namespace["__file__"]).resolve()


def _namespace_of_import() -> dict[str, Any] | None:
    """Return the namespace of the module that is being imported, the innermost if there are more.

    A program, and a cell of a notebook, is no module that anything could import.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        namespace: dict[str, Any] = frame.f_globals
        name = namespace.get("__name__", "__main__")
        # A file that runpy runs has a name in angle brackets, for as long as it runs.
        is_module = frame.f_code.co_name == "<module>" and not name.startswith("<")
        if is_module and name != "__main__" and "__file__" in namespace:
            known = getattr(sys.modules.get(name), "__dict__", None)
            if known is namespace:
                return known
        frame = frame.f_back
    return None


def claims_of_module(module: ModuleType) -> list[Any]:
    """Return the claims that a module made when it was imported, in order."""
    return list(vars(module).get(_NAME, ()))


def claims_of_imported_modules(module: ModuleType) -> list[Any]:
    """Return the claims of the modules that a module has imported, and that these have.

    Of libraries that are installed, it is those of the modules that are named.
    """
    found: list[Any] = []
    seen, ahead = {id(module)}, [module]
    while ahead:
        here = ahead.pop(0)
        for name in _loaded_by(here):
            other = sys.modules.get(name)
            if other is None or id(other) in seen:
                continue
            seen.add(id(other))
            found += claims_of_module(other)
            if (file := file_of_module(other)) is not None and not is_installed(file):
                ahead.append(other)
    return found


def _loaded_by(module: ModuleType) -> Iterator[str]:
    """Yield the names of modules, and of what is in them, that the text of a module imports."""
    file = file_of_module(module)
    text = "" if file is None else source_text(file)
    for name in imported_module_names(text, module.__package__ or ""):
        parts = name.split(".")
        yield from (".".join(parts[:count]) for count in range(1, len(parts) + 1))


def file_of_module(module: ModuleType | None) -> Path | None:
    """Return the file of a module, if it is one of Python."""
    file = getattr(module, "__file__", None)
    return Path(file).resolve() if isinstance(file, str) and file.endswith(".py") else None


def modules_of_file(file: Path) -> list[ModuleType]:
    """Return the modules that a file was imported as."""
    name = file.name  # not asked for at each of some thousand modules
    return [
        module
        for module in list(sys.modules.values())
        # What a lazy module answers to other questions is not asked for.
        if str(getattr(module, "__dict__", {}).get("__file__")).endswith(name)
        and file_of_module(module) == file
    ]
