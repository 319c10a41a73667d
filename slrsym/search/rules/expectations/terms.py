"""The expectations in an expression: finding them, and changing the outermost ones."""

from __future__ import annotations

from collections.abc import Callable

from sympy import Expr

from slrsym.gaussian.binding import Expectation

__all__ = ["expectations_in", "with_expectations_changed"]


def expectations_in(expr: Expr) -> list[Expectation]:
    """All expectations in an expression, those inside of others included."""
    return sorted(expr.atoms(Expectation), key=str)


def with_expectations_changed(expr: Expr, change: Callable[[Expectation], Expr]) -> Expr:
    """The expression with its outermost expectations changed."""
    if isinstance(expr, Expectation):
        return change(expr)
    if not expr.has(Expectation):
        return expr
    return expr.func(*(with_expectations_changed(arg, change) for arg in expr.args))
