"""Functions that are differentiable on the whole of their domain, read off their expressions."""

from __future__ import annotations

from sympy import Add, Expr, Ge, Integral, Le, Mul, Pow, Rational, Symbol, asin, exp
from sympy.core.function import AppliedUndef

from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.functions import OwensT, zeta
from slrsym.search.context import Context
from slrsym.search.growth import BOUNDED, require_moderate
from slrsym.statements.errors import Refused

__all__ = ["between_ends", "require_smooth"]

_SMOOTH = (*BOUNDED, exp, OwensT, zeta)


def require_smooth(expr: Expr, variable: Symbol, context: Context) -> None:
    """Refuse unless `expr` is a differentiable function of a real variable on its whole domain.

    Expectations have to be moderate in it, under a law without it; integrals are taken to converge.
    """
    if variable not in expr.free_symbols or isinstance(expr, Symbol):
        return
    if isinstance(expr, Expectation):
        if variable in expr.law.free_symbols:
            raise Refused(f"the law of {expr} depends on {variable}; standardise it first")
        require_moderate(expr.integrand, frozenset({*expr.law.symbols, variable}), context)
        return
    if isinstance(expr, Integral):
        require_smooth(expr.function, variable, between_ends(expr, context))
        for limit in expr.limits:
            for end in limit[1:]:
                require_smooth(end, variable, context)
        return
    if isinstance(expr, (Add, Mul, AppliedUndef, *_SMOOTH)):
        for part in expr.args:
            require_smooth(part, variable, context)
        return
    if isinstance(expr, asin):
        require_smooth(expr.args[0], variable, context)
        context.require(
            context.sign(1 - expr.args[0] ** 2).positive, f"{expr} may reach the end of its domain"
        )
        return
    if isinstance(expr, Pow) and isinstance(expr.args[1], Rational):
        base, power = expr.args
        require_smooth(base, variable, context)
        if power.is_Integer and power >= 0:
            return
        if power.is_Integer:
            context.require(context.sign(base).nonzero, f"{base} may vanish in {expr}")
            return
        context.require(context.sign(base).positive, f"{base} may fail to be positive in {expr}")
        return
    raise Refused(f"{expr} is not known to be differentiable in {variable}")


def between_ends(node: Integral, context: Context) -> Context:
    """The context inside an integral: its variable lies between ends that are in order."""
    for x, *ends in node.limits:
        if len(ends) == 2 and context.holds(Le(*ends)):
            context = context.assuming(Ge(x, ends[0]), Le(x, ends[1]))
    return context
