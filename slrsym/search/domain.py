"""Where a step is to hold: its hypotheses, and what is certain under them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

from sympy import Basic, Expr, Sum, Symbol, true
from sympy.logic.boolalg import Boolean

from slrsym.search.bounds.enclosure import Facts
from slrsym.search.signs.decider import holds, is_defined, is_nonzero, sign_of
from slrsym.search.signs.signs import Sign
from slrsym.statements.errors import Refused


@dataclass(frozen=True)
class Domain:
    """Hypotheses, and questions about expressions under them."""

    hypotheses: tuple[Boolean, ...] = ()

    @cached_property
    def facts(self) -> Facts:
        """The hypotheses, ready for questions of sign."""
        return Facts(self.hypotheses)

    def assuming(self, *hypotheses: Boolean) -> Self:
        """The same with more hypotheses."""
        more = (h for h in hypotheses if h is not true)
        return replace(self, hypotheses=(*self.hypotheses, *more))

    @cached_property
    def restricted(self) -> frozenset[Symbol]:
        """The symbols that hypotheses speak of."""
        return frozenset().union(*(h.free_symbols for h in self.hypotheses))

    # -- questions ----------------------------------------------------------------------------

    def sign(self, expr: Expr) -> Sign:
        """What is known of the sign of an expression."""
        return sign_of(expr, self.facts)

    def holds(self, relation: Basic) -> bool:
        """Whether a relation is certain."""
        return bool(holds(relation, self.facts))

    def is_real(self, expr: Expr) -> bool:
        """Whether an expression is certainly a real number, all over the domain."""
        return expr.is_real is True or is_defined(expr, self.facts)

    def require_nonzero(self, denominator: Expr) -> None:
        """Refuse unless an expression is certainly different from zero."""
        if not is_nonzero(self.with_names_of_hypotheses(denominator), self.facts):
            raise Refused(f"it divides by {denominator}, which is not known to be nonzero here")

    def with_names_of_hypotheses(self, expr: Expr) -> Expr:
        """The expression, its sums with the index that they have in a hypothesis, if any."""
        stated = [node for h in self.hypotheses for node in h.atoms(Sum) if len(node.limits) == 1]
        for node in expr.atoms(Sum):
            index, *ends = node.limits[0]
            for other in stated if len(node.limits) == 1 else ():
                name = other.limits[0][0]
                if name in node.free_symbols:
                    continue
                if Sum(node.function.xreplace({index: name}), (name, *ends)) == other:
                    expr = expr.xreplace({node: other})
        return expr

    def require(self, condition: Any, reason: str) -> None:
        """Refuse, with a reason, unless a condition is true."""
        if not condition:
            raise Refused(reason)
