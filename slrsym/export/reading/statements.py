"""Statements, and chains of relations."""

from __future__ import annotations

from typing import Any

from slrsym.export.reading.expressions import RELATIONS, Expressions
from slrsym.export.reading.tokens import ReadingError

__all__ = ["Reader"]


class Reader(Expressions):
    """Reads statements.

    Parameters
    ----------
    latex, names
        As of `Tokens`.
    """

    def display(self) -> list[Any]:
        start = self.place
        try:
            first = self.sum()
            if not self.peek():
                return [first]
            chain = [first]
            while self.peek() in RELATIONS and self.peek() != "\\neq":
                chain.append((RELATIONS[self.take()], self.sum()))
            if not self.peek() and len(chain) > 1:
                return chain
        except ReadingError:
            pass
        self.place = start
        statement = self.statement()
        self.require_end()
        return [statement]

    def statement(self) -> Any:
        parts = [self.conjunct()]
        word = ""
        while self.peek() in ("\\implies", "\\iff") or self.peek().startswith("\\text{"):
            word = self.take()
            parts.append(self.conjunct())
        if not word:
            return parts[0]
        kind = {"\\implies": "implies", "\\iff": "iff"}.get(word, word[7:-2])
        return (kind, *parts)

    def conjunct(self) -> Any:
        start = self.place
        try:
            return self.relation()
        except ReadingError:
            self.place = start
        self.take("(")
        inside = self.statement()
        self.take(")")
        return inside

    def relation(self) -> Any:
        start = self.place
        points = self.points()
        if points is not None:
            return points
        self.place = start
        left = self.sum()
        sign = self.take()
        if sign not in RELATIONS:
            raise ReadingError(f"{sign} is no relation")
        return (RELATIONS[sign], left, self.sum())

    def points(self) -> Any:
        if "\\in" not in self.tokens[self.place :]:
            return None
        try:
            names = self.tuple_() if self.peek() == "(" else (self.sum(),)
            self.take("\\in")
            self.take("\\{")
            values = [self.tuple_() if self.peek() == "(" else (self.sum(),)]
            while self.peek() == ",":
                self.take()
                values.append(self.tuple_() if self.peek() == "(" else (self.sum(),))
            self.take("\\}")
        except ReadingError:
            return None
        return ("points", names, frozenset(values))

    def tuple_(self) -> tuple[Any, ...]:
        self.take("(")
        values = [self.sum()]
        while self.peek() == ",":
            self.take()
            values.append(self.sum())
        self.take(")")
        return tuple(values)
