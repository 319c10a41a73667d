"""What is integrated numerically: a function of affine forms, of which some are in a polynomial."""

from __future__ import annotations

from dataclasses import dataclass

from mpmath import mp, mpf
from sympy import (
    Add,
    Expr,
    Mul,
    Pow,
    Symbol,
    asinh,
    atan,
    cos,
    cosh,
    erf,
    erfc,
    exp,
    sin,
    sinh,
    tanh,
)

from slrsym.gaussian.functions import OwensT, erf_prime, erf_second, normal_cdf, normal_pdf, zeta
from slrsym.gaussian.integrand import in_affine_forms

__all__ = ["ANALYTIC", "OutOfReach", "Reduced", "number", "reduced"]

_ENTIRE = (exp, erf, erfc, sin, cos, sinh, cosh, erf_prime, erf_second, normal_cdf, normal_pdf)
ANALYTIC = (*_ENTIRE, tanh, atan, asinh, OwensT, zeta)


class OutOfReach(Exception):  # noqa: N818
    """The digits cannot be had by the means of this module."""


@dataclass
class Reduced:
    """An integrand as a function of affine forms; forms with analytic part first."""

    function: Expr
    arguments: list[Symbol]
    forms: list[Expr]
    curved: int
    degree: int
    analytic: bool


def reduced(addend: Expr, variables: frozenset[Symbol]) -> Reduced:
    """An addend of an integrand in its affine forms."""
    found = in_affine_forms(addend, variables)
    if found is None:
        raise OutOfReach
    function, names = found
    curved: set[Symbol] = set()
    symbols = set(names.values())
    degree = _degree(function, symbols, curved)
    order = sorted(names.items(), key=lambda item: item[1] not in curved)
    if curved:
        degree = _degree(function, symbols - curved, set())
    return Reduced(
        function,
        [u for _, u in order],
        [form for form, _ in order],
        len(curved),
        degree,
        _is_analytic(function, symbols),
    )


def _degree(node: Expr, symbols: set[Symbol], curved: set[Symbol]) -> int:
    """A bound of the degree of the polynomial part; what is in other parts goes to `curved`."""
    if not node.free_symbols & symbols:
        return 0
    if isinstance(node, Symbol):
        return 1
    if isinstance(node, Add):
        return max(_degree(arg, symbols, curved) for arg in node.args)
    if isinstance(node, Mul):
        return sum(_degree(arg, symbols, curved) for arg in node.args)
    if isinstance(node, Pow) and node.exp.is_Integer and node.exp > 0:
        return int(node.exp) * _degree(node.base, symbols, curved)
    curved |= node.free_symbols & symbols
    return 0


def _is_analytic(node: Expr, symbols: set[Symbol]) -> bool:
    if not node.free_symbols & symbols or isinstance(node, Symbol):
        return True
    if isinstance(node, Pow):
        smooth = node.exp.is_Integer and node.exp > 0
        known = smooth or node.base.is_positive
    else:
        known = isinstance(node, (Add, Mul, *ANALYTIC))
    return bool(known) and all(_is_analytic(arg, symbols) for arg in node.args)


def number(expr: Expr) -> mpf:
    """An expression without symbols, as a number."""
    value = expr.evalf(mp.dps + 5)
    if not value.is_Float and not value.is_Rational:
        raise OutOfReach
    return mp.mpf(value._to_mpmath(mp.prec + 10))
