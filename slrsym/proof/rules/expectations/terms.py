"""The expectations in an expression: finding them, and changing the outermost ones."""

from __future__ import annotations

from collections.abc import Callable

from sympy import Expr

from slrsym.gaussian.unevaluated import Expectation

__all__ = ["expectations_in", "with_expectations_changed"]


def expectations_in(expr: Expr) -> list[Expectation]:
    """All expectations in an expression, those inside of others included.

    Parameters
    ----------
    expr : Expr
        The expression.

    Returns
    -------
    list of Expectation
        Each once, sorted by how they are written.
    """
    return sorted(expr.atoms(Expectation), key=str)


def with_expectations_changed(expr: Expr, change: Callable[[Expectation], Expr]) -> Expr:
    """The expression with its outermost expectations changed.

    Parameters
    ----------
    expr : Expr
        The expression.
    change : callable
        Takes an expectation, and returns what stands in its place.

    Returns
    -------
    Expr
        What lies inside of an expectation is left to `change`.
    """
    if isinstance(expr, Expectation):
        return change(expr)
    if not expr.has(Expectation):
        return expr
    return expr.func(*(with_expectations_changed(arg, change) for arg in expr.args))
