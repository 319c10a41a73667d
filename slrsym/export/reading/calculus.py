"""Derivatives, integrals, sums and limits."""

from __future__ import annotations

from typing import Any

from sympy import Derivative, Integral, Lambda, Limit, Subs, Sum

from slrsym.export.reading.expectations import Expectations
from slrsym.export.reading.letters import applied, partial
from slrsym.export.reading.tokens import ReadingError
from slrsym.gaussian import IIDSum

__all__ = ["Calculus"]


class Calculus(Expectations):
    """Reads what is differentiated, integrated or summed.

    Parameters
    ----------
    latex, names
        As of `Tokens`.
    """

    def differential(self) -> bool:
        return self.tokens[self.place : self.place + 4] == ["\\mathrm", "{", "d", "}"]

    def derivative(self) -> Any:
        variables: list[tuple[Any, int]] = []
        while self.peek() == "\\partial":
            self.take()
            self.take("_")
            inside = self.group()
            order = 1
            if self.peek() == "^":
                self.take()
                order = int(self.group())
            if inside.isdigit():
                function = self.names[self.take()]
                return partial(function, int(inside) - 1, order, self.arguments())
            variables.append((self.inner(inside).letter(), order))
        return self.differentiated(variables)

    def differentiated(self, variables: list[tuple[Any, int]]) -> Any:
        start = self.place
        token = self.peek()
        if token in ("\\mathcal", "\\widehat"):
            self.take()
            key = f"{token}{{{self.group().replace(' ', '')}}}"
            key += self.above(key)
            function = self.names.get(key)
            if isinstance(function, Lambda):
                return self.at_values(function, variables)
            self.place = start
        of = self.base()
        result = Derivative(of, *variables, evaluate=False)
        if self.peek() == "|" and self.peek(1) == "_":
            self.take()
            self.take()
            under = self.inner(self.group())
            names, values = [], []
            while True:
                names.append(under.letter())
                under.take("=")
                values.append(under.sum())
                if under.peek() != ",":
                    break
                under.take()
            return Subs(result, tuple(names), tuple(values))
        return result

    def at_values(self, function: Lambda, variables: list[tuple[Any, int]]) -> Any:
        """A derivative of an abbreviated function, at a place."""
        values = self.arguments()
        names = [v for v, _ in variables]
        bar = self.peek() == "|" and self.peek(1) == "_"
        moving = all(any(v in value.free_symbols for value in values) for v in names)
        if bar or moving:
            self_place = self.place
            result = Derivative(applied(function, values), *variables, evaluate=False)
            if not bar:
                return result
            self.place = self_place + 2
            under = self.inner(self.group())
            at: dict[Any, Any] = {}
            while True:
                name = under.letter()
                under.take("=")
                at[name] = under.sum()
                if under.peek() != ",":
                    break
                under.take()
            return Subs(result, tuple(at), tuple(at.values()))
        inner = Derivative(function.expr, *variables, evaluate=False)
        return Subs(inner, tuple(function.variables), tuple(values))

    def bounds(self) -> tuple[str, str]:
        below = above = ""
        if self.peek() == "_":
            self.take()
            below = self.group()
        if self.peek() == "^":
            self.take()
            above = self.group()
        return below, above

    def integral(self) -> Any:
        self.take("\\int")
        below, above = self.bounds()
        inside = self.term()
        if not self.differential():
            raise ReadingError("an integral without its differential")
        self.place += 4
        variable = self.letter()
        ends = [self.inner(end).sum() for end in (below, above) if end]
        return Integral(inside, (variable, *ends))

    def series(self) -> Any:
        self.take("\\sum")
        below, above = self.bounds()
        lower = self.inner(below)
        if lower.peek() == "\\ell" and "\\ell" not in self.names:
            lower.take()
            lower.take("=")
            first, last = lower.sum(), self.inner(above).sum()
            term = self.term()
            law = self.declared(term, None)
            if law is None:
                raise ReadingError("a sum of copies of nothing random")
            return IIDSum(term, law, last - first + 1)
        index = lower.letter()
        lower.take("=")
        return Sum(self.term(), (index, lower.sum(), self.inner(above).sum()))

    def limit(self) -> Any:
        self.take("_")
        under = self.inner(self.group())
        variable = under.letter()
        under.take("\\to")
        return Limit(self.term(), variable, under.sum())
