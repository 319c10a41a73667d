"""Absolute values, signs, maxima and functions by cases: a rule for each case."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sympy import (
    Abs,
    And,
    Basic,
    Derivative,
    Eq,
    Expr,
    Ge,
    Gt,
    Heaviside,
    Integral,
    Le,
    Limit,
    Lt,
    Max,
    Min,
    Not,
    Piecewise,
    S,
    Subs,
    Sum,
    preorder_traversal,
    sign,
    true,
)
from sympy.logic.boolalg import Boolean

from slrsym.gaussian.binding import Expectation, IIDSum
from slrsym.search.context import Context, require_defined
from slrsym.search.step import Link, Rule, axioms_of
from slrsym.statements.expressions import ProofError, Refused, rebuilt

_KINKS = (Abs, sign, Heaviside, Max, Min, Piecewise)
# At a kink, a derivative or a limit is not that of the piece which has the value there.
_BINDERS = (Derivative, Expectation, IIDSum, Integral, Limit, Subs, Sum)
_MOST_CASES = 200


@dataclass(frozen=True)
class _Piecewise(Rule):
    """What a rule accepts wherever absolute values, maxima, ... stand for one of their pieces."""

    by: Rule

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"piece by piece, {self.by.name}"

    def axioms(self, link: Link) -> tuple[str, ...]:
        return axioms_of(self.by, link)

    def uses(self, link: Link) -> tuple[str, ...]:
        return self.by.uses(link)

    def check(self, link: Link, context: Context) -> None:
        if any(self.by.premises(link, context)):
            raise Refused(f"{self.by} rests on proofs of its own, and is used once for each case")
        # What a piece multiplies by zero, or cancels, has to be a number all the same.
        for side in (link.lhs, link.rhs):
            require_defined(side, context)
        for count, (piece, here) in enumerate(cases_of(link, context)):
            if count > _MOST_CASES:
                raise Refused("there are too many cases")
            self.by.check(piece, here)


def piecewise(by: Rule) -> Rule:
    """Use a rule once for each case of absolute values, signs, Heaviside, Max, Min, Piecewise.

    In each case, what decides it is among the hypotheses. What stands under expectations, sums,
    integrals, derivatives and limits is left alone.

    Parameters
    ----------
    by : Rule
        A rule that rests on no proofs of its own, such as ``sign`` or ``algebra``.

    Returns
    -------
    Rule
        For what `by` is for.

    Raises
    ------
    ProofError
        If `by` is not a rule.
    """
    if not isinstance(by, Rule) or not by.chainable:
        raise ProofError(f"by must be a rule; got {by!r}")
    return _Piecewise(by)


def cases_of(link: Link, context: Context) -> Iterator[tuple[Link, Context]]:
    """The link without kinks, in each case; the cases are all there are."""
    node = next((n for side in (link.lhs, link.rhs) for n in _innermost(side)), None)
    if node is None:
        yield link, context
        return
    for condition, value in _pieces(node, context):
        here = context if condition is true else context.assuming(*And.make_args(condition))
        left, right = (_with(node, value, side) for side in (link.lhs, link.rhs))
        yield from cases_of(Link(left, link.relation, right), here)


def _with(old: Basic, new: Expr, expr: Expr) -> Expr:
    """The expression with another part, except under binders."""

    def change(node: Basic) -> Any:
        if node == old:
            return new
        return node if isinstance(node, _BINDERS) else None

    return rebuilt(expr, change)


def _innermost(expr: Expr) -> Iterator[Basic]:
    """The kinks that have none inside, and stand under no binder."""
    walk = preorder_traversal(expr)
    for node in walk:
        if isinstance(node, _BINDERS):
            walk.skip()
        elif isinstance(node, _KINKS) and not any(part.has(*_KINKS) for part in node.args):
            yield node


def _pieces(node: Basic, context: Context) -> Iterator[tuple[Boolean, Expr]]:
    if isinstance(node, Piecewise):
        yield from _of_piecewise(node, context)
        return
    for argument in node.args:
        context.require(context.is_real(argument), f"{argument} is not known to be a real number")
    u = node.args[0]
    if isinstance(node, Abs):
        yield Ge(u, 0, evaluate=False), u
        yield Lt(u, 0, evaluate=False), -u
    elif isinstance(node, Max | Min):
        order = Ge if isinstance(node, Max) else Le
        for a in node.args:
            others = [order(a, b, evaluate=False) for b in node.args if b is not a]
            yield And(*others, evaluate=False), a
    else:
        low, zero = (S.NegativeOne, S.Zero) if isinstance(node, sign) else (S.Zero, S.Half)
        if isinstance(node, Heaviside) and len(node.args) > 1:
            zero = node.args[1]
        yield Gt(u, 0, evaluate=False), S.One
        yield Eq(u, 0, evaluate=False), zero
        yield Lt(u, 0, evaluate=False), low


def _of_piecewise(node: Piecewise, context: Context) -> Iterator[tuple[Boolean, Expr]]:
    if node.args[-1][1] != true:
        raise Refused(f"the pieces of {node} may leave something out")
    before: list[Boolean] = []
    for value, condition in node.args:
        if condition != true and not isinstance(condition, Ge | Gt | Le | Lt):
            raise Refused(f"{condition} is no inequality")
        for side in condition.args if condition != true else ():
            require_defined(side, context)
        parts = [*before, *([] if condition == true else [condition])]
        yield And(*parts, evaluate=False) if parts else true, value
        before.append(Not(condition))
