"""Statements, and chains of relations."""

from typing import Any

from tests.documents.reading.expressions import RELATIONS, Expressions
from tests.documents.reading.tokens import ReadingError

__all__ = ["Reader"]


class Reader(Expressions):
    """Reads statements."""

    def _display(self) -> list[Any]:
        start = self.place
        try:
            first = self._sum()
            if not self._peek():
                return [first]
            chain = [first]
            while self._peek() in RELATIONS and self._peek() != "\\neq":
                chain.append((RELATIONS[self._take()], self._sum()))
            if not self._peek() and len(chain) > 1:
                return chain
        except ReadingError:
            pass
        self.place = start
        statement = self._statement()
        self._require_end()
        return [statement]

    def _statement(self) -> Any:
        parts = [self._conjunct()]
        word = ""
        while self._peek() in ("\\implies", "\\iff") or self._peek().startswith("\\text{"):
            word = self._take()
            parts.append(self._conjunct())
        if not word:
            return parts[0]
        kind = {"\\implies": "implies", "\\iff": "iff"}.get(word, word[7:-2])
        return (kind, *parts)

    def _conjunct(self) -> Any:
        start = self.place
        try:
            return self._relation()
        except ReadingError:
            self.place = start
        self._take("(")
        inside = self._statement()
        self._take(")")
        return inside

    def _relation(self) -> Any:
        start = self.place
        points = self._points()
        if points is not None:
            return points
        self.place = start
        left = self._sum()
        sign = self._take()
        if sign not in RELATIONS:
            raise ReadingError(f"{sign} is no relation")
        return (RELATIONS[sign], left, self._sum())

    def _points(self) -> Any:
        if "\\in" not in self.tokens[self.place :]:
            return None
        try:
            names = self._tuple_() if self._peek() == "(" else (self._sum(),)
            self._take("\\in")
            self._take("\\{")
            values = [self._tuple_() if self._peek() == "(" else (self._sum(),)]
            while self._peek() == ",":
                self._take()
                values.append(self._tuple_() if self._peek() == "(" else (self._sum(),))
            self._take("\\}")
        except ReadingError:
            return None
        return ("points", names, frozenset(values))

    def _tuple_(self) -> tuple[Any, ...]:
        self._take("(")
        values = [self._sum()]
        while self._peek() == ",":
            self._take()
            values.append(self._sum())
        self._take(")")
        return tuple(values)
