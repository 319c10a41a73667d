"""Integrals that exist: algebra may take them apart only then."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sympy import Expr, Integral, Mul, S, Symbol, exp, expand

from slrsym.gaussian.independent import is_plainly_real
from slrsym.search.growth import require_moderate
from slrsym.search.smoothness import between_ends, require_smooth
from slrsym.statements.errors import Refused

if TYPE_CHECKING:
    from slrsym.search.context import Context

__all__ = ["require_convergent", "require_decay", "require_differentiable"]


def require_convergent(node: Integral, context: Context) -> None:
    """Refuse unless an integral in one variable is known to converge absolutely.

    Between finite ends the integrand has to be smooth; over an infinite range it has to be moderate
    times a Gaussian.
    """
    if len(node.limits) != 1 or len(node.limits[0]) != 3:
        raise Refused(f"{node} is not an integral in one variable between two ends")
    x, low, high = node.limits[0]
    if not is_plainly_real(x):
        raise Refused(f"the variable {x} of {node} has to be declared real, and no more")
    if x in set().union(*(h.free_symbols for h in context.hypotheses)):
        raise Refused(f"a hypothesis speaks of the variable {x} of {node}; rename the variable")
    if low.is_infinite or high.is_infinite:
        require_decay(node.function, x, context)
        return
    require_smooth(node.function, x, between_ends(node, context))


def require_differentiable(expr: Expr, variable: Symbol, context: Context) -> None:
    """Refuse unless `expr` is differentiable in a variable, under its integrals as well.

    An integral between finite ends of an integrand that is smooth in both variables may be; so may
    one of a moderate function times a Gaussian. Expectations are left to their own rule.
    """
    for node in sorted(expr.atoms(Integral), key=str):
        require_convergent(node, context)
    require_smooth(expr, variable, context)


def require_decay(expr: Expr, x: Symbol, context: Context) -> None:
    """Refuse unless every term is a moderate function of x times a Gaussian, so small far out."""
    for term in expand(expr).as_ordered_terms():
        exponent, rest = S.Zero, S.One
        for factor in Mul.make_args(term):
            if isinstance(factor, exp):
                exponent += factor.args[0]
            else:
                rest *= factor
        polynomial = expand(exponent).as_poly(x)
        if term != 0 and not (
            polynomial is not None
            and polynomial.degree() == 2
            and context.sign(polynomial.LC()).negative
        ):
            raise Refused(f"{expr} is not known to vanish at infinity, and to be integrable")
        require_moderate(rest, frozenset({x}), context)
