"""Conditions under which all parts of an expression, as it is written, are real numbers.

A relation with an undefined side is false, and SymPy cancels undefined terms: the sides of
log(y) + 1 > log(y) differ by 1 for negative y, too. So the conditions are read off the sides, and
not off their difference.
"""

from __future__ import annotations

from collections.abc import Iterator

from sympy import (
    Abs,
    Add,
    Basic,
    E,
    Expr,
    Float,
    Max,
    Min,
    Mul,
    Piecewise,
    Pow,
    Rational,
    Symbol,
    asin,
    atan,
    cos,
    erf,
    erfc,
    exp,
    log,
    pi,
    preorder_traversal,
    sign,
    sin,
    tanh,
)
from sympy.core.relational import Relational
from sympy.functions.elementary.piecewise import ExprCondPair
from sympy.logic.boolalg import BooleanAtom

from slrsym.gaussian import OwensT, erf_prime, erf_second, normal_cdf, normal_pdf, zeta
from slrsym.kernels.symbolic_functions import ErfVariance

# Values of these are real numbers wherever their arguments are. A function of a user's own that
# extends one of them, with values or slopes of its own, is none of them.
_DEFINED_EVERYWHERE = {
    Add, Mul, Abs, Max, Min, atan, cos, erf, erfc, exp, sign, sin, tanh,
    OwensT, erf_prime, erf_second, normal_cdf, normal_pdf, zeta, ErfVariance, ExprCondPair,
}  # fmt: skip
_ALSO_DEFINED = (Symbol, Rational, Float, Relational, BooleanAtom)


def domain_conditions(expr: Basic) -> dict[Expr, Expr]:
    """Return expressions to prove positive on a box so that an expression is defined there.

    Parameters
    ----------
    expr : Basic
        The expression, which is looked at as it is written.

    Returns
    -------
    dict of Expr to Expr
        For each expression that has to be positive, the part that may be undefined elsewhere. Roots
        of zero are defined, but boxes do not show that a radicand is at least zero.

    Raises
    ------
    ValueError
        If a part of the expression is none whose domain is known here.
    """
    found: dict[Expr, Expr] = {}
    for part in preorder_traversal(expr):
        for condition in _conditions_of(part):
            found.setdefault(condition, part)
    return found


def _conditions_of(part: Basic) -> Iterator[Expr]:
    kind = type(part)
    if kind is Pow:
        yield from _conditions_of_power(part)
    elif kind is log:
        yield part.args[0]
    elif kind is asin:
        yield 1 - part.args[0] ** 2
    elif kind is Piecewise:
        if part.args[-1].cond != True:  # noqa: E712
            raise ValueError(f"{part} may have no branch that applies; give it a last one")
    elif not (kind in _DEFINED_EVERYWHERE or isinstance(part, _ALSO_DEFINED) or part in (pi, E)):
        raise ValueError(f"{part} is not known to be defined")


def _conditions_of_power(part: Pow) -> Iterator[Expr]:
    base, exponent = part.args
    if base in (pi, E) or (base.is_Rational and base > 0):
        return
    if exponent.is_Integer:
        if exponent < 0:
            yield base**2
    else:
        yield base
