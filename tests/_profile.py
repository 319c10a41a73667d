"""How thorough the tests are: what dev leaves to ci and nightly, and what ci leaves to nightly."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

THOROUGH = settings.default.max_examples >= 400
NIGHTLY = settings.default.max_examples >= 10_000

_LEFT = "left to the profile"
thorough_only = pytest.mark.skipif(not THOROUGH, reason=f"{_LEFT}s ci and nightly")
nightly_only = pytest.mark.skipif(not NIGHTLY, reason=f"{_LEFT} nightly")


def thorough(*values: Any) -> Any:
    """A case that dev leaves out."""
    return pytest.param(*values, marks=thorough_only)


def one_in(share: int, cases: Sequence[Any]) -> list[Any]:
    """All cases, of which dev leaves out all but one in so many."""
    return [case if i % share == 0 else thorough(*_values(case)) for i, case in enumerate(cases)]


def _values(case: Any) -> tuple[Any, ...]:
    # Fields of a named tuple are not values of their own.
    return case if type(case) is tuple else (case,)


# -- what a more thorough profile does otherwise than dev --------------------------------------


def beyond_dev(item: pytest.Item) -> bool:
    """Whether a test is left out in dev, or does something else there.

    It is one of Hypothesis, or it or a fixture of it reads `THOROUGH`, in nightly `NIGHTLY`, be it
    by way of other names of its file. Steps of derivations have more points, and so have they in
    ``slrsym verify``.
    """
    if not isinstance(item, pytest.Function):
        return False
    if any(mark.kwargs.get("reason", "").startswith(_LEFT) for mark in item.iter_markers("skipif")):
        return True
    return any(name in _reading(file) for file, name in _functions_of(item))


def _functions_of(item: pytest.Function) -> Iterator[tuple[Path, str]]:
    """A test and its fixtures: their files, and their names or those of their classes."""
    yield item.path, item.cls.__name__ if item.cls else item.originalname
    for definitions in item._fixtureinfo.name2fixturedefs.values():
        for function in (inspect.unwrap(definition.func) for definition in definitions):
            yield Path(inspect.getfile(function)), function.__qualname__.split(".")[0]


@cache
def _reading(file: Path) -> frozenset[str]:
    """The names of a file whose values the profile decides, by themselves or by what they use."""
    deciding = {"given", "THOROUGH", *(["NIGHTLY"] if NIGHTLY else [])}
    found: set[str] = set()
    uses: dict[str, set[str]] = {}
    for part in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(part, ast.ImportFrom):
            if (part.module or "").split(".")[-1] in ("hypothesis", "_profile"):
                found |= deciding & {alias.name for alias in part.names}
            continue
        names = [node for node in ast.walk(part) if isinstance(node, ast.Name)]
        one = isinstance(part, ast.FunctionDef | ast.ClassDef)
        defined = [part.name] if one else [n.id for n in names if isinstance(n.ctx, ast.Store)]
        for name in defined:
            uses.setdefault(name, set()).update(n.id for n in names)
    while more := {name for name, used in uses.items() if used & found} - found:
        found |= more
    return frozenset(found)
