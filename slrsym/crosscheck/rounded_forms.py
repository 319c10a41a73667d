"""Affine forms that do not vary but for the rounding of floats, in conditions and at kinks.

A float is the rational number that it is, so that 3 x - y has a variance of 1e-17 where the floats
0.1, 0.3 and 0.9 are its covariances: at a jump, this matters. As in closed forms, it counts as 0.
"""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy import Basic, Expr
from sympy.core.relational import Relational

from slrsym.gaussian.degeneracy import constant_value, rationals_from_floats
from slrsym.gaussian.law import GaussianLaw, Law, without_floats

_STEPS = (sp.Abs, sp.sign, sp.Heaviside, sp.floor, sp.ceiling, sp.frac)
_KINKS = (Relational, sp.Max, sp.Min, *_STEPS)


def in_rationals(integrand: Expr, law: Law) -> tuple[Expr, Law]:
    """Return an integrand and a law without floats; what varies by rounding alone is constant."""
    if not (integrand.has(sp.Float) or law.has(sp.Float)):
        return integrand, law
    exact, integrand = without_floats(law), without_floats(integrand)
    blocks = [b for b in exact.independent_laws() if isinstance(b, GaussianLaw)]
    with rationals_from_floats():
        return _without_rounding(integrand, blocks), exact


def _without_rounding(expr: Basic, blocks: list[GaussianLaw]) -> Any:
    """Put their means in place of forms without variance where an expression bends or jumps."""
    random = {symbol for block in blocks for symbol in block.symbols}
    if not expr.has(*_KINKS) or not expr.free_symbols & random:
        return expr
    args = [_without_rounding(arg, blocks) for arg in expr.args]
    if isinstance(expr, Relational):
        difference = args[0] - args[1]
        found = _constant_factors(difference, blocks)
        return expr.func(*args) if found == difference else expr.func(found, 0)
    if isinstance(expr, sp.Max | sp.Min):
        kept: list[Expr] = []
        for arg in args:
            apart = ((other, _constant(arg - other, blocks)) for other in kept)
            kept.append(next((other + c for other, c in apart if c is not None), arg))
        return expr.func(*kept)
    if isinstance(expr, _STEPS):
        args[0] = _constant_factors(args[0], blocks)
    return expr.func(*args)


def _constant_factors(form: Expr, blocks: list[GaussianLaw]) -> Expr:
    """Return a form with its factors without variance replaced by their means."""
    constant = _constant(form, blocks)
    if constant is not None:
        return constant
    factored = sp.factor(form) if form.is_polynomial() else form
    if isinstance(factored, sp.Mul):
        args = [_constant_factors(arg, blocks) for arg in factored.args]
    elif isinstance(factored, sp.Pow):
        args = [_constant_factors(factored.base, blocks), factored.exp]
    else:
        return form
    return form if tuple(args) == factored.args else factored.func(*args)


def _constant(form: Expr, blocks: list[GaussianLaw]) -> Expr | None:
    """Return the mean of an affine form without variance, or None for other expressions."""
    for block in blocks:
        if not form.free_symbols & set(block.symbols):
            continue
        try:
            found = constant_value(form, block)
        except ValueError:
            return None  # not affine
        if found is None:
            return None
        form = found
    return None if any(form.free_symbols & set(block.symbols) for block in blocks) else form
