"""How relations, and what is made of them, are written, as boxes."""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy.core.relational import Relational
from sympy.logic.boolalg import And, Equivalent, Implies, Not, Or

from slrsym.typeset.boxes import Box, Fence, Operator, Space, row, words
from slrsym.typeset.writing import ATOM, COMMA, LOGIC, RELATION, SUM, Writing

__all__ = ["Statements"]

_SIGNS = {
    "Equality": "=", "Unequality": "neq", "LessThan": "le", "StrictLessThan": "<",
    "GreaterThan": "ge", "StrictGreaterThan": ">",
}  # fmt: skip
_WORDS: dict[Any, Box] = {
    And: words("and"),
    Or: words("or"),
    Implies: Operator("implies", "relation", breaks=True),
    Equivalent: Operator("iff", "relation", breaks=True),
}


class Statements(Writing):
    """Writes statements."""

    def _relation(self, expr: Relational) -> tuple[Box, int]:
        sign = Operator(_SIGNS[type(expr).__name__], "relation", breaks=True)
        sides = [self._within(side, SUM) for side in expr.args]
        return row([sides[0], sign, sides[1]]), RELATION

    def _logic(self, expr: Any) -> tuple[Box, int]:
        points = self._points(expr)
        if points is not None:
            return points, RELATION
        args = expr.args
        if not isinstance(expr, Implies):
            args = sorted(args, key=str)
        if isinstance(expr, Equivalent):
            args = sorted(args, key=lambda arg: self._points(arg) is not None)
        parts: list[Box] = []
        for arg in args:
            parts += [_WORDS[expr.func]] if parts else []
            parts.append(self._within(arg, RELATION))
        return row(parts), LOGIC

    def _points(self, expr: Any) -> Box | None:
        """A list of values for the same symbols, as a set of points."""
        if not isinstance(expr, Or):
            return None
        points = []
        for option in expr.args:
            equations = And.make_args(option)
            if not all(isinstance(e, sp.Eq) and e.lhs.is_Symbol for e in equations):
                return None
            points.append({e.lhs: e.rhs for e in equations})
        names = sorted(points[0], key=self.order.symbol)
        if any(set(point) != set(names) for point in points):
            return None
        listed = sorted(
            ([point[s] for s in names] for point in points), key=sp.default_sort_key, reverse=True
        )
        inside: list[Box] = []
        for values in listed:
            inside += [COMMA, Space(0.17, breaks=True)] if inside else []
            inside.append(self._list(values))
        member = Operator("in", "relation", breaks=True)
        return row([self._list(names), member, Fence("{", row(inside), "}")])

    def _negation(self, expr: Not) -> tuple[Box, int]:
        return row([Operator("neg", "prefix"), self._within(expr.args[0], ATOM)]), LOGIC
