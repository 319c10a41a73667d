"""Inequalities: by the sign of the difference, and by monotonicity."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sympy import Expr, Ge, Gt, Le, Lt, Symbol, expand, factor, sympify

from slrsym.search.chain import D
from slrsym.search.context import Context
from slrsym.search.convergence import require_differentiable
from slrsym.search.interval import require_interval
from slrsym.search.rules.expectations import require_integrable
from slrsym.search.sign import Sign
from slrsym.search.step import Link, Proof, Rule
from slrsym.statements.errors import Refused
from slrsym.statements.expressions import put

__all__ = ["monotone", "sign"]


class _Sign(Rule):
    """The difference of the two sides has the sign that the relation asks for."""

    name = "sign"

    def check(self, link: Link, context: Context) -> None:
        if link.relation == "=":
            raise Refused("the sign of a difference shows inequalities, and this step says =")
        for side in (link.lhs, link.rhs):
            # What cancels in the difference has to be a number all the same.
            context.require(context.is_real(side), f"{side} is not known to be a real number here")
            require_integrable(side, context)
        if link.statement in context.facts.relations:
            return
        # Most of two long sides cancels, and what is left is a product more often than not.
        difference = factor(expand(link.lhs - link.rhs))
        # Integrals come apart on the way, though; so look at the two sides as they stand, too.
        stands = link.lhs - link.rhs
        if not any(_has_sign(link.relation, context.sign(e)) for e in (difference, stands)):
            raise Refused(f"{difference} is not known to be {link.relation} 0 here")


def _has_sign(relation: str, known: Sign) -> bool:
    return {
        "<=": known.nonpositive,
        "<": known.negative,
        ">=": known.nonnegative,
        ">": known.positive,
    }[relation]


sign = _Sign()


@dataclass(frozen=True)
class _Monotone(Rule):
    """The two sides are values of a function whose derivative has a sign between the points.

    `of` is the function, as an expression in `variable`; the left side is its value at `start`, the
    right side at `end`; `derivative` proves a relation between the derivative and zero under the
    hypothesis that `variable` lies between the two points.
    """

    of: Expr
    variable: Symbol
    start: Expr
    end: Expr
    derivative: Proof

    name = "monotonicity"

    def _ascending(self, context: Context) -> bool:
        if context.holds(Le(self.start, self.end)):
            return True
        if context.holds(Ge(self.start, self.end)):
            return False
        raise Refused(f"it is not known which of {self.start} and {self.end} is the larger")

    def _between(self, context: Context) -> tuple[Any, ...]:
        low, high = (self.start, self.end) if self._ascending(context) else (self.end, self.start)
        return Ge(self.variable, low), Le(self.variable, high)

    def premises(self, link: Link, context: Context) -> Iterable[tuple[str, Proof, Context]]:
        try:
            inner = context.assuming(*self._between(context))
        except Refused:
            inner = context
        yield "derivative", self.derivative, inner

    def axioms(self, link: Link) -> tuple[str, ...]:
        return ("mean-value-theorem",)

    def check(self, link: Link, context: Context) -> None:
        if self.variable in set().union(*(h.free_symbols for h in context.hypotheses)):
            raise Refused(f"the variable {self.variable} is restricted from outside; rename it")
        if self.variable in self.start.free_symbols | self.end.free_symbols:
            raise Refused(f"the end points contain the variable {self.variable} itself")
        for point in (self.start, self.end):
            require_interval(self.variable, point, context)
        ascending = self._ascending(context)
        inner = context.assuming(*self._between(context))
        require_differentiable(self.of, self.variable, inner)
        context.require_equal(link.lhs, put(self.of, {self.variable: self.start}))
        context.require_equal(link.rhs, put(self.of, {self.variable: self.end}))
        shown = Link.of(self.derivative.conclusion)
        inner.require_equal(shown.rhs, sympify(0))
        if shown.lhs != D(self.of, self.variable):
            raise Refused(f"its premise speaks of {shown.lhs}, not of the derivative of {self.of}")
        strict = len(shown.relation) == 1 and self._strictly_apart(context)
        rising = {"<=": -1, "<": -1, ">=": 1, ">": 1}.get(shown.relation)
        if rising is None:
            raise Refused("its premise is no inequality")
        direction = rising if ascending else -rising
        # The right side is larger if the function rises from start to end.
        wanted = {1: {"<=", "<"} if strict else {"<="}, -1: {">=", ">"} if strict else {">="}}
        if link.relation not in wanted[direction]:
            raise Refused(
                f"the derivative is {shown.relation} 0, which does not give {link.relation} here"
            )

    def _strictly_apart(self, context: Context) -> bool:
        return context.holds(Lt(self.start, self.end)) or context.holds(Gt(self.start, self.end))


def monotone(of: Any, variable: Symbol, start: Any, end: Any, derivative: Proof) -> Rule:
    """Compare the values of a function at two points by the sign of its derivative.

    Rests on the axiom ``mean-value-theorem``.

    Parameters
    ----------
    of : expression
        The function, in `variable`.
    variable : Symbol
        A variable that occurs nowhere else in the claim's hypotheses.
    start, end : expression
        Where the left and the right side take their values.
    derivative : Proof
        A chain from ``D(of, variable)`` to 0. It may use that the variable lies between the points.

    Returns
    -------
    Rule
        For inequalities, strict only where the derivative's is and the points are apart.

    Raises
    ------
    ProofError
        If `derivative` is not a proof.
    """
    Proof.require(derivative, "derivative")
    return _Monotone(sympify(of), variable, sympify(start), sympify(end), derivative)
