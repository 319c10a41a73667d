"""Conditions under which all parts of an expression, as it is written, are real numbers.

A relation with an undefined side is false, and SymPy cancels undefined terms: the sides of
log(y) + 1 > log(y) differ by 1 for negative y, too. So the conditions are read off the sides, and
not off their difference.
"""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp
from sympy.core.relational import Relational
from sympy.functions.elementary.piecewise import ExprCondPair
from sympy.logic.boolalg import And, BooleanAtom, Not, Or

from slrsym.gaussian import OwensT, erf_prime, erf_second, normal_cdf, normal_pdf, zeta
from slrsym.kernels.symbolic_functions import ErfVariance

# Values of these are real numbers wherever their arguments are. A function of a user's own that
# extends one of them, with values or slopes of its own, is none of them.
_DEFINED_EVERYWHERE = {
    sp.Add, sp.Mul, sp.Abs, sp.Max, sp.Min, sp.atan, sp.cos, sp.erf, sp.erfc, sp.exp, sp.sign,
    sp.sin, sp.tanh, OwensT, erf_prime, erf_second, normal_cdf, normal_pdf, zeta, ErfVariance,
    ExprCondPair,
}  # fmt: skip
_ALSO_DEFINED = (sp.Symbol, sp.Rational, sp.Float, Relational, BooleanAtom, And, Or, Not)


def domain_conditions(expr: sp.Basic) -> dict[sp.Expr, sp.Expr]:
    """Return expressions to prove positive on a box so that an expression is defined there.

    The value of each is the part that may be undefined elsewhere. Roots of zero are defined, but
    boxes do not show that a radicand is at least zero. Parts of unknown domain raise `ValueError`.
    """
    found: dict[sp.Expr, sp.Expr] = {}
    for part in sp.preorder_traversal(expr):
        for condition in _conditions_of(part):
            found.setdefault(condition, part)
    return found


def _conditions_of(part: sp.Basic) -> Iterator[sp.Expr]:
    kind = type(part)
    if kind is sp.Pow:
        yield from _conditions_of_power(part)
    elif kind is sp.log:
        yield part.args[0]
    elif kind is sp.asin:
        yield 1 - part.args[0] ** 2
    elif kind is sp.Piecewise:
        if part.args[-1].cond != True:  # noqa: E712
            raise ValueError(f"{part} may have no branch that applies; give it a last one")
    elif not (
        kind in _DEFINED_EVERYWHERE or isinstance(part, _ALSO_DEFINED) or part in (sp.pi, sp.E)
    ):
        raise ValueError(f"{part} is not known to be defined")


def _conditions_of_power(part: sp.Pow) -> Iterator[sp.Expr]:
    base, exponent = part.args
    if base in (sp.pi, sp.E) or (base.is_Rational and base > 0):
        return
    if exponent.is_Integer:
        if exponent < 0:
            yield base**2
    else:
        yield base
