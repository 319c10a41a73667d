"""Whole formulas, read from the LaTeX of a display."""

from collections.abc import Mapping
from typing import Any

from tests.documents.reading.statements import Reader
from tests.documents.reading.tokens import ReadingError

__all__ = ["read", "read_display"]


def read(latex: str, names: Mapping[str, Any]) -> Any:
    """A formula without relations."""
    reader = Reader(latex, names)
    value = reader._sum()
    reader._require_end()
    return value


def read_display(latex: str, names: Mapping[str, Any]) -> list[Any]:
    """A displayed formula or chain."""
    reader = Reader(_without_reasons(latex), names)
    return reader._display()


def _without_reasons(latex: str) -> str:
    result, place = "", 0
    while (found := latex.find("\\slrwhy", place)) >= 0:
        result += latex[place:found]
        place = found + len("\\slrwhy")
        for _ in range(2):
            place = _group_end(latex, place)
    return result + latex[place:]


def _group_end(latex: str, start: int) -> int:
    depth = 0
    for place in range(start, len(latex)):
        depth += {"{": 1, "}": -1}.get(latex[place], 0)
        if depth == 0:
            return place + 1
    raise ReadingError("a brace is not closed")
