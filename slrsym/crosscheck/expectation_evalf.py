"""Numerical values of expectations, for SymPy's ``evalf``.

They come from the quadrature of the cross-check. A value is given only with all digits asked for,
and 0 only where the integrand is odd about the mean, or nothing in it varies. Where there is none,
a warning says why.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from functools import lru_cache
from itertools import product
from typing import Any

import mpmath
import sympy as sp
from flint import acb, arb, ctx
from mpmath.libmp import prec_to_dps
from sympy import Basic, Expr, I, S, Symbol
from sympy.functions.combinatorial.factorials import CombinatorialFunction

from slrsym.crosscheck.ball_quadrature import (
    Ball,
    Inconclusive,
    Number,
    ball_to_number_with_error,
    drop_zero_imaginary_part,
    widen_ball,
)
from slrsym.crosscheck.evaluator import Evaluator
from slrsym.crosscheck.rounded_forms import in_rationals
from slrsym.gaussian.binding import Binder, Expectation
from slrsym.gaussian.erf_derivatives_and_normal_law import MPMATH_MODULES
from slrsym.gaussian.law import GaussianLaw, Law, NoiseLaw


def evaluate(integrand: Expr, law: Law, prec: int) -> Expr | None:
    """Evaluate the expectation of an integrand without free parameters; warn and return None."""
    value = _evaluated(integrand, law, prec)
    if isinstance(value, Expr):
        return value
    warnings.warn(f"{Expectation(integrand, law)} has no number here: {value}", stacklevel=2)
    return None


@lru_cache(maxsize=512)
def _evaluated(integrand: Expr, law: Law, prec: int) -> Expr | str:
    """Return the value of an expectation, or the reason why there is none here."""
    _, imaginary = parts = integrand.as_real_imag() if integrand.has(I) else (integrand, S.Zero)
    try:
        real, imaginary = (_value(part, law, prec) for part in parts)
    except (Inconclusive, ArithmeticError, NotImplementedError, ValueError) as reason:
        return str(reason)
    return real + I * imaginary


def _value(integrand: Expr, law: Law, prec: int) -> Expr:
    if integrand == 0:
        return S.Zero
    slopes = {d: sp.diff(d.expr, *d.variable_count) for d in integrand.atoms(sp.Derivative)}
    integrand, law = in_rationals(integrand.xreplace(slopes), law)
    if integrand.has(CombinatorialFunction):
        integrand = sp.expand_func(integrand)
    node = Expectation(integrand, law)
    _require_known_moments(node)
    node = Expectation(_with_independent_coordinates(integrand, law), law)
    if node.integrand == 0:
        return S.Zero
    if _is_odd(node.integrand, law):
        _WideEvaluator({}, 15).ball(node)
        return S.Zero
    digits = prec_to_dps(prec) + 1
    working = digits + 2
    for _ in range(3):
        value = ball_to_number_with_error(_WideEvaluator({}, working).number(node))
        if value.number == 0 or not isinstance(value.number, mpmath.mpf):
            break
        if value.digits >= digits:
            return Expr._from_mpmath(value.number, prec)
        # So many digits cancel, or are lost in rounding.
        working += math.ceil(digits - value.digits) + 2
    raise Inconclusive("its digits are not found; it may be 0")


def _with_independent_coordinates(integrand: Expr, law: Law) -> Expr:
    """Put in coordinates of singular rational laws what others make them."""
    if integrand.has(sp.DiracDelta):
        return integrand  # which has no density where nothing varies
    for block in law.independent_laws():
        if not isinstance(block, GaussianLaw) or not all(entry.is_Rational for entry in block.cov):
            continue
        # Columns of the covariance are combinations of others as the coordinates are.
        gains, chosen = block.cov.rref()
        centred = [x - mean for x, mean in block.mean.items()]
        determined = {
            x: mean + sum(gains[row, k] * centred[p] for row, p in enumerate(chosen))
            for k, (x, mean) in enumerate(block.mean.items())
            if k not in chosen
        }
        try:
            integrand = integrand.xreplace(determined)
        except RecursionError:
            continue  # SymPy does not come to an end with some conditions
    return integrand


def _require_known_moments(node: Expectation) -> None:
    """Raise `Inconclusive` if a mean depends on more of a noise than its variance."""
    for inner in node.atoms(Binder):
        for law in inner.law.independent_laws():
            if not isinstance(law, NoiseLaw):
                continue
            body = inner.integrand if isinstance(inner, Expectation) else None
            polynomial = None if body is None else sp.expand(body).as_poly(*law.symbols)
            if polynomial is None or polynomial.degree() > 2:
                raise Inconclusive(f"{inner} depends on more than the variance of a noise")


def _is_odd(integrand: Expr, law: Law) -> bool:
    """Return whether the integrand is odd about the mean, in all variables or in one of them."""
    mean: dict[Symbol, Expr] = {}
    groups: list[tuple[Symbol, ...]] = []
    for block in law.independent_laws():
        if isinstance(block, GaussianLaw):
            mean.update(block.mean)
            names = block.symbols
            related = {i: {i} for i in range(len(names))}
            for i, j in product(related, repeat=2):
                if block.cov[i, j] != 0:
                    related[i].add(j)
            groups += [(names[i],) for i, others in related.items() if len(others) == 1]
    for group in (tuple(mean), *groups):
        if integrand.free_symbols & set(group):
            try:
                mirrored = integrand.xreplace({s: 2 * mean[s] - s for s in group})
            except RecursionError:
                continue  # SymPy does not come to an end with some conditions
            if sp.expand(integrand + mirrored) == 0:
                return True
    return False


class _WideEvaluator(Evaluator):
    """An evaluator that takes functions and numbers it does not know from mpmath and SymPy."""

    # A call of mpmath takes up to a millisecond.
    _calls_left = 10_000

    def ball_function(self, expr: Basic) -> Callable[..., Ball] | None:
        """Return the function on balls for a node's outermost function, or None if it has none."""
        found = super().ball_function(expr)
        if found is not None or not expr.is_Function:
            return found
        by_mpmath = _by_mpmath(expr.func, len(expr.args))

        def counted(*arguments: Ball) -> Ball:
            self._calls_left -= 1
            if self._calls_left < 0:
                raise Inconclusive(f"too many values of {expr.func}")
            return by_mpmath(*arguments)

        return counted

    def _number(self, expr: Basic) -> Number:
        try:
            return super()._number(expr)
        except Inconclusive:
            if not expr.is_number or expr.has(Binder):
                raise
        value = expr.evalf(prec_to_dps(self.bits))
        if not value.is_Float:
            raise Inconclusive(f"no numerical evaluation for {expr}")
        return super()._number(value)


@lru_cache(maxsize=64)
def _by_mpmath(function: Any, count: int) -> Callable[..., Ball]:
    """Return a function of SymPy on balls, as accurate as mpmath is."""
    names = sp.symbols(f"x:{count}", real=True)
    compiled = sp.lambdify(names, function(*names), modules=MPMATH_MODULES)

    def value(*arguments: Ball) -> Ball:
        numbers = [ball_to_number_with_error((argument, 0.0)).number for argument in arguments]
        with mpmath.workprec(ctx.prec + 10):
            try:
                found = drop_zero_imaginary_part(acb(mpmath.mpmathify(compiled(*numbers))))
            except (ArithmeticError, NameError, TypeError, ValueError):
                raise Inconclusive(f"mpmath does not evaluate {function}") from None
        return widen_ball(found, found.abs_upper() * arb(2) ** -ctx.prec)

    return value
