r"""Functions of moderate growth: what may be integrated, and exchanged with a derivative.

A function of several real variables is called *moderate* here if it is smooth and, with all its
derivatives, bounded by :math:`C e^{c|x|}`. Moderate functions are integrable against every
Gaussian, derivatives in parameters may be taken under the expectation (the bound is locally
uniform), and Stein's lemma holds for them.
"""

from __future__ import annotations

from sympy import (
    Add,
    Expr,
    Matrix,
    Mul,
    Pow,
    Rational,
    Symbol,
    atan,
    cos,
    erf,
    erfc,
    exp,
    expand,
    sin,
    tanh,
)
from sympy.core.function import AppliedUndef, Derivative, Subs

from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.functions import erf_prime, erf_second, normal_cdf, normal_pdf
from slrsym.gaussian.law import IIDSum
from slrsym.search.context import Context
from slrsym.search.semidefinite import is_semidefinite
from slrsym.statements.errors import Refused

__all__ = ["BOUNDED", "require_moderate"]

# Smooth, and bounded on the real line with all their derivatives.
BOUNDED = (erf, erfc, erf_prime, erf_second, normal_cdf, normal_pdf, sin, cos, atan, tanh)


def require_moderate(expr: Expr, variables: frozenset[Symbol], context: Context) -> None:
    """Refuse unless `expr` is a moderate function of the variables.

    Undefined functions and their derivatives are taken to be moderate: that is what a claim that
    speaks of one assumes. Their arguments have to be affine, for f(x**2) may grow faster than f.
    """
    if not expr.free_symbols & variables and not expr.has(IIDSum):
        return
    if isinstance(expr, Symbol):
        return
    if isinstance(expr, AppliedUndef):
        for argument in expr.args:
            _require_polynomial(argument, variables, context, most=1)
        return
    if isinstance(expr, Derivative):
        require_moderate(expr.expr, variables | set(expr.variables), context)
        return
    if isinstance(expr, Subs):
        require_moderate(expr.expr, variables | set(expr.variables), context)
        for point in expr.point:
            _require_polynomial(point, variables, context, most=1)
        return
    if isinstance(expr, Add | Mul):
        for part in expr.args:
            require_moderate(part, variables, context)
        return
    if isinstance(expr, IIDSum):
        require_moderate(expr.term, frozenset(expr.law.symbols), context)
        return
    if isinstance(expr, Expectation) and not expr.law.free_symbols & variables:
        # Moderate in all variables together, hence in the outer ones after integration.
        require_moderate(expr.integrand, variables | set(expr.law.symbols), context)
        return
    if isinstance(expr, Pow) and isinstance(expr.args[1], Rational):
        base, power = expr.args
        if power.is_Integer and power >= 0:
            require_moderate(base, variables, context)
            return
    if isinstance(expr, exp):
        _require_tame_exponent(expr.args[0], variables, context)
        return
    if isinstance(expr, BOUNDED):
        # Bounded on the real line, that is.
        argument = expr.args[0]
        context.require(context.is_real(argument), f"{argument} is not known to be real in {expr}")
        _require_polynomial(argument, variables, context)
        return
    raise Refused(f"{expr} is not known to be smooth and of moderate growth")


def _require_polynomial(
    expr: Expr, variables: frozenset[Symbol], context: Context, most: int | None = None
) -> None:
    """Refuse unless `expr` is a polynomial in the variables, of degree `most` at the most."""
    for copies in expr.atoms(IIDSum):
        require_moderate(copies, variables, context)
    present = sorted(expr.free_symbols & variables, key=str)
    if not present:
        return
    polynomial = expr.as_poly(*present)
    if polynomial is None or (most is not None and polynomial.total_degree() > most):
        kind = "polynomial" if most is None else f"polynomial of degree {most}"
        raise Refused(f"{expr} is no {kind} in {', '.join(map(str, present))}")


def _require_tame_exponent(q: Expr, variables: frozenset[Symbol], context: Context) -> None:
    """A quadratic form that is nowhere positive, plus an affine one."""
    present = sorted(q.free_symbols & variables, key=str)
    polynomial = expand(q).as_poly(*present)
    if polynomial is None or polynomial.total_degree() > 2:
        raise Refused(f"exp({q}) is not known to be of moderate growth")
    hessian = Matrix([[expand(-q.diff(x, y)) for y in present] for x in present])
    if not is_semidefinite(hessian, context):
        raise Refused(f"exp({q}) is not known to be of moderate growth")
