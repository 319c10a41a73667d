"""LaTeX as tokens, and what every part of the grammar needs of them."""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Self

from sympy import Symbol

from slrsym.gaussian.law import Law

__all__ = ["ReadingError", "Tokens"]

_NOISE = re.compile(
    r"\\begin\{align\*\}|\\end\{align\*\}|\\hspace\{[^}]*\}|\\(?:big|Big|bigg)[lr]\b"
    r"|\\,|\\q?quad\b|\\allowbreak|\{\}|&|\\\\|\\textit\{[^}]*\}"
)
_OPENING_BAR = re.compile(r"\\[bB]igg?l\s*\|")
# Not the one of a value at a point.
_CLOSING_BAR = re.compile(r"\\[bB]igg?r\s*\|(?!\s*_)")
_TOKEN = re.compile(r"\\text\{ \w+ \}|\\[A-Za-z]+|\\.|[A-Za-z]|\d+(?:\.\d+)?|\S")


class ReadingError(ValueError):
    """A formula is not of the grammar that the printer writes."""


class Tokens(ABC):
    """A formula as tokens, and a place in it."""

    def __init__(self, latex: str, names: Mapping[str, Any]) -> None:
        latex = _OPENING_BAR.sub(r"\\lvert ", _CLOSING_BAR.sub(r"\\rvert ", latex))
        self.tokens = _TOKEN.findall(_NOISE.sub(" ", latex))
        self.place = 0
        self.names = names
        self.laws: Mapping[Symbol, Law] = names.get("laws", {})

    def _peek(self, ahead: int = 0) -> str:
        at = self.place + ahead
        return self.tokens[at] if at < len(self.tokens) else ""

    def _take(self, expected: str = "") -> str:
        token = self._peek()
        if not token or (expected and token != expected):
            near = " ".join(self.tokens[max(0, self.place - 5) : self.place + 5])
            raise ReadingError(f"expected {expected or 'more'}, found {token!r} near {near}")
        self.place += 1
        return token

    def _require_end(self) -> None:
        if self._peek():
            near = " ".join(self.tokens[self.place : self.place + 8])
            raise ReadingError(f"what is left over: {near}")

    def _group(self) -> str:
        """The tokens of a group in braces, as text."""
        self._take("{")
        depth, inside = 1, []
        while depth:
            token = self._take()
            depth += {"{": 1, "}": -1}.get(token, 0)
            inside.append(token)
        return " ".join(inside[:-1])

    def _inner(self, latex: str) -> Self:
        """A reader of the inside of a group."""
        return type(self)(latex, self.names)

    # -- the grammar, of which each part needs others ------------------------------------------

    @abstractmethod
    def _sum(self) -> Any:
        """Terms with signs between them."""

    @abstractmethod
    def _term(self) -> Any:
        """Factors beside each other."""

    @abstractmethod
    def _base(self) -> Any:
        """A factor without its exponent."""
