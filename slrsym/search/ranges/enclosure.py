"""Ranges of expressions under facts, each computed once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from operator import add, mul
from typing import TYPE_CHECKING, Any, Self

from sympy import Add, Expr, Mul, Pow, Rational, S
from sympy.core.function import AppliedUndef

from slrsym.search.ranges.binders import BINDERS
from slrsym.search.ranges.functions import CONSTANTS, FUNCTIONS
from slrsym.search.ranges.intervals import NoRange, Range
from slrsym.search.ranges.names import declared, is_name

if TYPE_CHECKING:
    from slrsym.search.ranges.facts import Facts

__all__ = ["Enclosure"]

_RULES = {**FUNCTIONS, **BINDERS}


class Enclosure:
    """Ranges of expressions under facts.

    Some methods are hooks for a subclass that knows more; its answers may depend on ranges, and
    ranges on its answers.
    """

    def __init__(self, facts: Facts, bounds: Mapping[Expr, Range] | None = None) -> None:
        self.facts = facts
        self.bounds = facts.bounds if bounds is None else bounds
        self._known: dict[Expr, Range] = {}

    def inside(self, *more: Any) -> Self:
        """An enclosure of the same kind, for what is bound by an integral or an expectation.

        Facts that speak of integrals, sums or expectations stay outside: asking for the range of
        one within another would come back to itself.
        """
        return type(self)(self.facts.extended(*more).plain)

    def range(self, expr: Expr) -> Range:
        """An interval that contains every value of an expression."""
        found = self._known.get(expr)
        if found is None:
            found = self.by_node(expr)
            bound = self.bounds.get(expr)
            if bound is not None:
                found = found.within(bound)
            found = self.refined(expr, found)
            self._remember(expr, found)
        return found

    def _remember(self, expr: Expr, found: Range) -> None:
        self._known[expr] = found

    # -- hooks ---------------------------------------------------------------------------------

    def refined(self, expr: Expr, found: Range) -> Range:
        """A smaller range than what the node alone tells."""
        return found

    def radicand(self, expr: Expr) -> Range:
        """The range of something that has to be nonnegative."""
        return self.range(expr)

    def sine(self, expr: Expr) -> Range:
        """The range of something that has to be in [-1, 1]."""
        return self.range(expr)

    def nonzero(self, expr: Expr) -> bool:
        """Whether an expression is certainly defined and not zero."""
        if not self.range(expr).contains_zero or (is_name(expr) and expr.is_nonzero is True):
            return True
        if isinstance(expr, Mul):
            return all(map(self.nonzero, expr.args))
        if isinstance(expr, Pow) and expr.exp.is_Rational:
            return self.nonzero(expr.base)
        return any(expr in (other, -other) for other in self.facts.nonzeros)

    # -- by kind of node -----------------------------------------------------------------------

    def by_node(self, expr: Expr) -> Range:
        """The range that the kind of node tells, from those of its arguments."""
        if isinstance(expr, Rational):
            return Range.point(expr)
        if expr in CONSTANTS:
            return CONSTANTS[expr]
        if is_name(expr):
            for part in expr.args if isinstance(expr, AppliedUndef) else ():
                self.range(part)
            return declared(expr)
        if isinstance(expr, Add):
            return reduce(add, map(self.range, expr.args))
        if isinstance(expr, Mul):
            coefficient, rest = expr.as_coeff_Mul()
            if coefficient is not S.One:
                return self.range(coefficient) * self.range(rest)
            return reduce(mul, map(self.range, expr.args))
        rule = _RULES.get(type(expr))
        if rule is None:
            raise NoRange(f"{expr} is not understood")
        return rule(self, *expr.args)
