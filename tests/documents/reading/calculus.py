"""Derivatives, integrals, sums and limits."""

from typing import Any

from sympy import Derivative, Integral, Lambda, Limit, Subs, Sum

from slrsym.gaussian import IIDSum
from tests.documents.reading.expectations import Expectations
from tests.documents.reading.letters import applied, partial
from tests.documents.reading.tokens import ReadingError

__all__ = ["Calculus"]


class Calculus(Expectations):
    """Reads what is differentiated, integrated or summed."""

    def _differential(self) -> bool:
        return self.tokens[self.place : self.place + 4] == ["\\mathrm", "{", "d", "}"]

    def _derivative(self) -> Any:
        variables: list[tuple[Any, int]] = []
        while self._peek() == "\\partial":
            self._take()
            self._take("_")
            inside = self._group()
            order = 1
            if self._peek() == "^":
                self._take()
                order = int(self._group())
            if inside.isdigit():
                function = self.names[self._take()]
                return partial(function, int(inside) - 1, order, self._arguments())
            variables.append((self._inner(inside)._letter(), order))
        return self._differentiated(variables)

    def _differentiated(self, variables: list[tuple[Any, int]]) -> Any:
        start = self.place
        token = self._peek()
        if token in ("\\mathcal", "\\widehat"):
            self._take()
            key = f"{token}{{{self._group().replace(' ', '')}}}"
            key += self._above(key)
            function = self.names.get(key)
            if isinstance(function, Lambda):
                return self._at_values(function, variables)
            self.place = start
        of = self._plain_base()
        result = Derivative(of, *variables, evaluate=False)
        return self._at_point(result)

    def _at_point(self, of: Any) -> Any:
        """What stands before a bar with values below it, or in brackets, at these values."""
        if not self._is_at_point():
            return of
        below = self._take() == "|"
        if below:
            self._take("_")
        under = self._inner(self._group()) if below else self
        at: dict[Any, Any] = {}
        while True:
            name = under._letter()
            if not below:
                under._take(":")
            under._take("=")
            at[name] = under._sum()
            if under._peek() != ",":
                break
            under._take()
        if not below:
            self._take("]")
        return Subs(of, tuple(at), tuple(at.values()))

    def _is_at_point(self) -> bool:
        """Whether values come: below a bar, as numbers and letters, or as formulas in brackets."""
        if self._peek() == "[":
            rest = self.tokens[self.place :]
            inside = rest[: rest.index("]")] if "]" in rest else rest
            return ":" in inside and "[" not in inside[1 : inside.index(":")]
        return self._peek() == "|" and self._peek(1) == "_"

    def _at_values(self, function: Lambda, variables: list[tuple[Any, int]]) -> Any:
        """A derivative of an abbreviated function, at a place."""
        values = self._arguments()
        names = [v for v, _ in variables]
        bar = self._is_at_point()
        moving = all(any(v in value.free_symbols for value in values) for v in names)
        if bar or moving:
            self_place = self.place
            result = Derivative(applied(function, values), *variables, evaluate=False)
            if not bar:
                return result
            self.place = self_place
            return self._at_point(result)
        inner = Derivative(function.expr, *variables, evaluate=False)
        return Subs(inner, tuple(function.variables), tuple(values))

    def _bounds(self) -> tuple[str, str]:
        below = above = ""
        if self._peek() == "_":
            self._take()
            below = self._group()
        if self._peek() == "^":
            self._take()
            above = self._group()
        return below, above

    def _integral(self) -> Any:
        self._take("\\int")
        below, above = self._bounds()
        inside = self._term()
        if not self._differential():
            raise ReadingError("an integral without its differential")
        self.place += 4
        variable = self._letter()
        ends = [self._inner(end)._sum() for end in (below, above) if end]
        return Integral(inside, (variable, *ends))

    def _series(self) -> Any:
        self._take("\\sum")
        below, above = self._bounds()
        lower = self._inner(below)
        if lower._peek() == "\\ell" and "\\ell" not in self.names:
            lower._take()
            lower._take("=")
            first, last = lower._sum(), self._inner(above)._sum()
            term = self._term()
            law = self._declared(term, None)
            if law is None:
                raise ReadingError("a sum of copies of nothing random")
            return IIDSum(term, law, last - first + 1)
        index = lower._letter()
        lower._take("=")
        return Sum(self._term(), (index, lower._sum(), self._inner(above)._sum()))

    def _limit(self) -> Any:
        self._take("_")
        under = self._inner(self._group())
        variable = under._letter()
        under._take("\\to")
        return Limit(self._term(), variable, under._sum())
