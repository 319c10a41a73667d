"""Programs that are kept on disk, so that a second process derives nothing and needs no SymPy."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, TypeVar

from slrsym.files import cache_key_of_files, replace_atomically
from slrsym.kernels.program import Program

_T = TypeVar("_T")


def cache_folder() -> Path:
    """Return the folder that caches programs, generated sources and machine code."""
    given = os.environ.get("SLRSYM_CACHE_DIR")
    if given:
        return Path(given)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "slrsym"


@cache
def _package() -> str:
    """Return a hash of the package's files and SymPy's version, which programs depend on."""
    return cache_key_of_files(
        sorted(Path(__file__).resolve().parents[1].rglob("*.py")), version("sympy")
    )


def program_function_cached_on_disk(path: str) -> Callable[..., Program]:
    """Return a program function, found by its import path, with its results cached on disk.

    A program is found there as long as nothing of the package changes, and then what derives it is
    not imported, nor is SymPy.

    Not where runs are to be fresh; and for floating point only: what is certain does not rest on
    files that anybody may write.
    """

    def derive(*arguments: Any) -> Program:
        found: Program = resolve_name(path)(*arguments)
        return found

    @cache
    def program(*arguments: Any) -> Program:
        return load_or_derive_program(f"{path}{arguments}", lambda: derive(*arguments))

    return program


def _read(found: Any) -> Program:
    state, parameters, constants, outputs, setup, body, means = found
    inner = tuple((name, _read(program), tuple(orders)) for name, program, orders in means)
    names = (tuple(state), tuple(parameters), tuple(constants))
    return Program(*names, outputs, setup, body, inner)


def load_or_derive_program(text: str, derive: Callable[[], Program]) -> Program:
    """Return a program from the cache folder, or derive it and keep it there.

    The text says all that the program depends on besides the package.
    """
    return load_or_derive(text, derive, _read)


def load_or_derive(text: str, derive: Callable[[], _T], read: Callable[[Any], _T]) -> _T:
    """Return what is kept in the cache folder under a text, or derive it and keep it there.

    The text says all that it depends on besides the package; `read` makes it of what JSON gives. A
    file that is damaged, or was kept under another text, is written anew. Where runs are to be
    fresh, nothing is kept.
    """
    if os.environ.get("SLRSYM_FRESH") or os.environ.get("CI"):
        return derive()
    key = sha256(f"{_package()} {text}".encode()).hexdigest()
    with suppress(OSError, RuntimeError, ValueError):
        check, _, content = _file(key).read_text(encoding="utf-8").partition("\n")
        if check == _digest(key, content):
            return read(json.loads(content))
    found = derive()
    content = json.dumps(found)
    with suppress(OSError, RuntimeError):
        cache_folder().mkdir(parents=True, exist_ok=True)
        with replace_atomically(_file(key)) as draft:
            draft.write_text(f"{_digest(key, content)}\n{content}", encoding="utf-8")
    return found


def _file(key: str) -> Path:
    return cache_folder() / f"slrsym_program_{key[:20]}.txt"


def _digest(key: str, content: str) -> str:
    """Return a digest of what is kept, which tells whether it is whole and of this key."""
    return sha256(f"{key} {content}".encode()).hexdigest()
