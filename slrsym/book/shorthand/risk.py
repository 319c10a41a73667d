"""Expressions that are values of the risk, recognised."""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Add, Expr, Pow, S

from slrsym import notation
from slrsym.gaussian import Expectation, IIDSum

__all__ = [
    "FIVE",
    "is_closed_risk",
    "overlaps_of_risk",
    "place_on_manifold",
    "risk_definition",
    "risk_on_manifold",
]

FIVE = notation.ORDER_PARAMETERS


@cache
def risk_definition() -> Any:
    """The risk as it is defined."""
    from slrsym import symbolic

    return symbolic.risk_definition()


@cache
def risk_on_manifold() -> Any:
    """The right-hand side of Lemma 6."""
    from slrsym.proof import builtin_ledger

    return builtin_ledger().find("lemma-6").statement.rhs


@cache
def overlaps_of_risk(expr: Expectation) -> tuple[Expr, ...] | None:
    """The overlaps at which an expectation is the risk."""
    definition = risk_definition()
    if expr == definition:
        return FIVE
    if not isinstance(expr.integrand, Pow) or not expr.has(IIDSum):
        return None
    for values in _RISK_ARGUMENTS:
        if definition.subs(dict(zip(FIVE, values, strict=True))) == expr:
            return values
    return None


_K, _N = notation.kappa, notation.nu
_RISK_ARGUMENTS = (
    (_K, _N, S.Zero, S.Zero, S.Zero),
    *((x, y, S.Zero, S.Zero, S.Zero) for x in (S.One, -S.One) for y in (S.One, -S.One)),
)


@cache
def place_on_manifold(expr: Add) -> tuple[Expr, Expr] | None:
    """Where a sum is the value of the risk on the manifold."""
    fixed = {notation.epsilon, notation.gamma, notation.L, notation.lam, notation.d}
    if not fixed <= expr.free_symbols or notation.epsilon**2 not in expr.args:
        return None
    free = sorted(expr.free_symbols - fixed, key=str)
    if len(free) > 2 or not all(s.is_real for s in free):
        return None
    values = [*free, *(-s for s in free), S.One, S.NegativeOne, S.Zero]
    for x in values:
        for y in values:
            if {*x.free_symbols, *y.free_symbols} >= set(free) and _value_on_m(x, y) == expr:
                return x, y
    return None


def is_closed_risk(expr: Add) -> bool:
    """Whether a sum is the closed form of the risk."""
    result: bool = {*FIVE, notation.epsilon} <= expr.free_symbols and expr == _closed_risk()
    return result


@cache
def _closed_risk() -> Any:
    """The form without cancellation, of claim excess-risk-stable, and what it leaves out."""
    from slrsym.symbolic import excess_risk_stable

    return notation.epsilon**2 + excess_risk_stable()


@cache
def _value_on_m(x: Expr, y: Expr) -> Any:
    both = {notation.kappa: x, notation.nu: y}
    return risk_on_manifold().subs(both, simultaneous=True)
