r"""Smooth functions of moderate growth: what may be integrated, differentiated and exchanged.

A function of several real variables is called *moderate* here if it is smooth and, with all its
derivatives, bounded by :math:`C e^{c|x|}`. Moderate functions are integrable against every
Gaussian, derivatives in parameters may be taken under the expectation (the bound is locally
uniform), and Stein's lemma holds for them.
"""

from __future__ import annotations

from sympy import (
    Add,
    Expr,
    Ge,
    Integral,
    Le,
    Matrix,
    Mul,
    Pow,
    Rational,
    Symbol,
    asin,
    atan,
    cos,
    erf,
    erfc,
    exp,
    expand,
    sin,
    tanh,
    true,
)
from sympy.core.function import AppliedUndef, Derivative, Subs

from slrsym.gaussian.functions import OwensT, erf_prime, erf_second, normal_cdf, normal_pdf, zeta
from slrsym.gaussian.law import IIDSum
from slrsym.gaussian.unevaluated import Expectation
from slrsym.proof.context import Context
from slrsym.proof.errors import Refused

__all__ = ["between_ends", "is_semidefinite", "require_moderate", "require_smooth"]

_BOUNDED = (erf, erfc, erf_prime, erf_second, normal_cdf, normal_pdf, sin, cos, atan, tanh)


def require_moderate(expr: Expr, variables: frozenset[Symbol], context: Context) -> None:
    """Refuse unless `expr` is a moderate function of the variables.

    Undefined functions and their derivatives are taken to be moderate: that is what a claim that
    speaks of one assumes. Their arguments have to be affine, for f(x**2) may grow faster than f.

    Parameters
    ----------
    expr : Expr
        The function.
    variables : frozenset of Symbol
        Real variables.
    context : Context
        What may be taken for granted.

    Raises
    ------
    Refused
        With the part that is not moderate, or cannot be shown to be.
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
    if isinstance(expr, _BOUNDED):
        # Bounded on the real line, that is.
        argument = expr.args[0]
        context.require(context.is_real(argument), f"{argument} is not known to be real in {expr}")
        _require_polynomial(expr.args[0], variables, context)
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


def is_semidefinite(matrix: Matrix, context: Context) -> bool:
    """Whether elimination shows a symmetric matrix to be positive semidefinite.

    Parameters
    ----------
    matrix : Matrix
        The matrix.
    context : Context
        What may be taken for granted.

    Returns
    -------
    bool
        False also of what is semidefinite and cannot be shown to be.
    """
    work = matrix.copy()
    n = work.shape[0]
    for i in range(n):
        pivot = work[i, i].cancel()
        sign = context.sign(pivot)
        if sign.zero:
            if any(expand(work[i, j]) != 0 for j in range(i + 1, n)):
                return False
            continue
        if not sign.positive:
            if not sign.nonnegative or i < n - 2:
                return False
            if i == n - 1:
                return True
            # Two rows are left, of which the first may vanish: their determinant has to.
            determinant = work[i, i] * work[i + 1, i + 1] - work[i, i + 1] ** 2
            return expand(determinant) == 0 and context.sign(work[i + 1, i + 1]).nonnegative
        for j in range(i + 1, n):
            for k in range(i + 1, n):
                work[j, k] = (work[j, k] - work[j, i] * work[i, k] / pivot).cancel()
    return True


def between_ends(node: Integral, context: Context) -> Context:
    """The context inside an integral: its variable lies between ends that are in order.

    Parameters
    ----------
    node : Integral
        The integral.
    context : Context
        The context outside.

    Returns
    -------
    Context
        With both bounds, if the first end is known not to exceed the second.
    """
    for x, *ends in node.limits:
        if len(ends) == 2 and context.holds(Le(*ends)):
            bounds = (Ge(x, ends[0]), Le(x, ends[1]))
            context = context.assuming(*(b for b in bounds if b != true))
    return context


_SMOOTH = (*_BOUNDED, exp, OwensT, zeta)


def require_smooth(expr: Expr, variable: Symbol, context: Context) -> None:
    """Refuse unless `expr` is a differentiable function of a real variable on its whole domain.

    Expectations have to be moderate in it, under a law without it; integrals are taken to converge.

    Parameters
    ----------
    expr : Expr
        The function.
    variable : Symbol
        The variable.
    context : Context
        What may be taken for granted.

    Raises
    ------
    Refused
        With the part that may fail to be differentiable.
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
