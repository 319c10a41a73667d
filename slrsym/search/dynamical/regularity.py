"""Which functions are continuously differentiable on a box, read off their expressions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sympy import Derivative, Expr, Integral, Limit, Subs, Sum, Symbol, Tuple
from sympy.core.function import AppliedUndef

from slrsym.gaussian import Expectation
from slrsym.gaussian.law import IIDSum
from slrsym.search.context import Context
from slrsym.search.smoothness import require_smooth
from slrsym.statements.errors import Refused

__all__ = ["require_differentiable_on"]

# What is taken to be smooth elsewhere because a claim supposes it, or under hypotheses of its own.
_NOT_READ = (AppliedUndef, Derivative, Expectation, IIDSum, Integral, Limit, Subs, Sum)


def require_differentiable_on(
    function: Any, coordinates: Iterable[Symbol], context: Context
) -> None:
    r"""Refuse unless a function is built so that it is smooth on the closed box.

    It has to be made of sums, products and smooth functions of the coordinates, of powers whose
    base does not vanish in the closed box, and of roots whose base is positive there. Each of its
    parts is then smooth (:math:`C^\infty`) on a neighbourhood of the box, and so is the whole.
    """
    for part in function if isinstance(function, Tuple) else (function,):
        _require(part, tuple(coordinates), context)


def _require(expr: Expr, coordinates: tuple[Symbol, ...], context: Context) -> None:
    unread = sorted(expr.atoms(*_NOT_READ), key=str)
    if unread:
        raise Refused(f"whether {unread[0]} is continuously differentiable is not looked into here")
    if not context.is_real(expr):
        raise Refused(f"{expr} is not known to be a real number on the whole box")
    for x in coordinates:
        require_smooth(expr, x, context)
