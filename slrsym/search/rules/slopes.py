"""Inequalities from bounds of derivatives: Lipschitz continuity, and Taylor's formula."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sympy import Abs, And, Basic, Derivative, Expr, Ge, Gt, Le, Symbol, sympify
from sympy.core.relational import Relational

from slrsym.search.chain import D
from slrsym.search.context import Context
from slrsym.search.convergence import require_differentiable
from slrsym.search.gate import require_defined
from slrsym.search.interval import require_interval
from slrsym.search.rules.calculus import derivative_claims
from slrsym.search.rules.expectations import require_integrable
from slrsym.search.step import Link, Proof, Rule
from slrsym.statements.errors import Refused
from slrsym.statements.expressions import put

__all__ = ["lipschitz", "taylor"]


@dataclass(frozen=True)
class _BoundedSlope(Rule):
    """A function whose derivative is bounded on an interval that contains two points.

    `of` is the function, as an expression in `variable`; `bound` proves the bound, under the
    hypotheses that `variable` lies between `low` and `high`.
    """

    of: Expr
    variable: Symbol
    start: Expr
    end: Expr
    low: Expr
    high: Expr
    bound: Proof

    def _inner(self, context: Context) -> Context:
        return context.assuming(Ge(self.variable, self.low), Le(self.variable, self.high))

    def premises(self, link: Link, context: Context) -> Iterable[tuple[str, Proof, Context]]:
        yield "bound", self.bound, self._inner(context)

    def uses(self, link: Link) -> tuple[str, ...]:
        return derivative_claims(D(self.of, self.variable))

    def _at(self, point: Expr) -> Expr:
        return put(self.of, {self.variable: point})

    def _require_setting(self, link: Link, context: Context, times: int) -> None:
        z = self.variable
        if z in set().union(*(h.free_symbols for h in context.hypotheses)):
            raise Refused(f"the variable {z} is restricted from outside; rename it")
        points = (self.start, self.end, self.low, self.high)
        if any(z in point.free_symbols for point in points):
            raise Refused(f"the points contain the variable {z} itself")
        for point in points:
            require_interval(z, point, context)
        for point in points[:2]:
            for relation in (Le(self.low, point), Le(point, self.high)):
                context.require(
                    context.holds(relation),
                    f"{point} is not known to lie between {self.low} and {self.high}",
                )
        for side in (link.lhs, link.rhs):
            require_integrable(side, context)
        inner, function = self._inner(context), self.of
        for _ in range(times):
            require_differentiable(function, z, inner)
            function = function.diff(z)

    def _shown(self, wanted: Expr, statement: Basic, relations: set[str]) -> Expr:
        """What a premise says that `wanted` is at most, or at least."""
        if not isinstance(statement, Relational):
            raise Refused(f"its premise says {statement}, which is no bound of {wanted}")
        shown = Link.of(statement)
        if shown.lhs != wanted:
            raise Refused(f"its premise speaks of {shown.lhs}, not of {wanted}")
        if shown.relation not in relations:
            raise Refused(f"its premise says {shown.relation}, and not {min(relations)}")
        if self.variable in shown.rhs.free_symbols:
            raise Refused(f"the bound {shown.rhs} depends on {self.variable}")
        return shown.rhs


@dataclass(frozen=True)
class _Lipschitz(_BoundedSlope):
    """|f(start) - f(end)| <= M |start - end|, where -M <= f' <= M."""

    name = "Lipschitz continuity"

    def axioms(self, link: Link) -> tuple[str, ...]:
        return ("mean-value-theorem",)

    def check(self, link: Link, context: Context) -> None:
        if link.relation != "<=":
            raise Refused(f"the rule gives <=, and this step says {link.relation}")
        self._require_setting(link, context, 1)
        slope = D(self.of, self.variable)
        parts = And.make_args(self.bound.conclusion)
        if len(parts) != 2:
            raise Refused(f"its premise has to bound {slope} from below and from above")
        # SymPy does not keep the order of the parts.
        above, below = sorted(parts, key=lambda part: isinstance(part, Ge | Gt))
        bound = self._shown(slope, above, {"<=", "<"})
        context.require_equal(self._shown(slope, below, {">=", ">"}), -bound)
        difference = self._at(self.start) - self._at(self.end)
        # Of the sign of what stands between the bars nothing has to be known.
        if isinstance(link.lhs, Abs):
            context.require_equal(link.lhs.args[0] ** 2, difference**2)
        else:
            context.require_equal(link.lhs, Abs(difference))
        if link.rhs != bound * Abs(self.start - self.end):
            context.require_equal(link.rhs, bound * Abs(self.start - self.end))


@dataclass(frozen=True)
class _Taylor(_BoundedSlope):
    """f(end) <= f(start) + f'(start) (end - start) + M (end - start)^2 / 2, where f'' <= M."""

    name = "Taylor's formula"

    def axioms(self, link: Link) -> tuple[str, ...]:
        return ("taylor-theorem",)

    def check(self, link: Link, context: Context) -> None:
        if link.relation != "<=":
            raise Refused(f"the rule gives <=, and this step says {link.relation}")
        self._require_setting(link, context, 2)
        bend = Derivative(self.of, (self.variable, 2), evaluate=False)
        bound = self._shown(bend, self.bound.conclusion, {"<=", "<"})
        # Of a difference, what cancels is not seen.
        for side in (link.lhs, link.rhs):
            require_defined(side, context)
        way = self.end - self.start
        slope = put(self.of.diff(self.variable), {self.variable: self.start})
        parabola = self._at(self.start) + slope * way + bound * way**2 / 2
        context.require_equal(link.rhs - link.lhs, parabola - self._at(self.end))


def lipschitz(
    of: Any, variable: Symbol, start: Any, end: Any, *, low: Any, high: Any, bound: Proof
) -> Rule:
    """Compare the values of a function at two points by a bound of its derivative.

    Rests on the axiom ``mean-value-theorem``.

    Parameters
    ----------
    of : expression
        The function f, in `variable`.
    variable : Symbol
        A variable that occurs nowhere else in the claim's hypotheses.
    start, end : expression
        The two points, between `low` and `high`.
    low, high : expression
        Between which the derivative is bounded.
    bound : Proof
        Of ``D(of, variable) <= M`` and ``D(of, variable) >= -M``, by `all_of`. It may use that the
        variable lies between `low` and `high`.

    Returns
    -------
    Rule
        For ``|f(start) - f(end)| <= M |start - end|``.

    Raises
    ------
    ProofError
        If `bound` is not a proof.
    """
    Proof.require(bound, "bound")
    start, end, low, high = map(sympify, (start, end, low, high))
    return _Lipschitz(sympify(of), variable, start, end, low, high, bound)


def taylor(
    of: Any, variable: Symbol, start: Any, end: Any, *, low: Any, high: Any, bound: Proof
) -> Rule:
    """Bound the value of a function at one point by a parabola at another.

    Rests on the axiom ``taylor-theorem``.

    Parameters
    ----------
    of : expression
        The function f, in `variable`.
    variable : Symbol
        A variable that occurs nowhere else in the claim's hypotheses.
    start, end : expression
        The two points, between `low` and `high`.
    low, high : expression
        Between which the second derivative is bounded.
    bound : Proof
        A chain from ``D(of, variable, variable)`` up to a bound M. It may use that the variable
        lies between `low` and `high`.

    Returns
    -------
    Rule
        For ``f(end) <= f(start) + f'(start) (end - start) + M (end - start)^2 / 2``.

    Raises
    ------
    ProofError
        If `bound` is not a proof.
    """
    Proof.require(bound, "bound")
    start, end, low, high = map(sympify, (start, end, low, high))
    return _Taylor(sympify(of), variable, start, end, low, high, bound)
