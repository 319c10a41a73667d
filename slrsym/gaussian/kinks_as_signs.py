"""Functions with kinks and jumps, rewritten with signs of affine forms.

Absolute values, maxima, steps and functions by cases are sums of smooth functions times products of
signs, but for a set of probability zero. Under a Gaussian law these have expectations of their own.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

import sympy as sp
from sympy import Expr, S, Symbol
from sympy.core.relational import GreaterThan, Relational, StrictGreaterThan

from slrsym.gaussian.binding import Binder

_KINKS = (sp.Abs, sp.sign, sp.Heaviside, sp.Max, sp.Min, sp.Piecewise, sp.Derivative, sp.DiracDelta)
# Increasing functions that vanish at zero alone.
_LIKE_ITS_ARGUMENT = (sp.erf, sp.tanh, sp.sinh, sp.asinh, sp.atan)

# Weights, which are polynomials in signs, and what they are the weights of.
Branches = list[tuple[Expr, Expr]]


class UnsupportedIntegrandError(Exception):
    """Error for an integrand outside the class whose means have closed forms here."""


def total_degree(form: Expr, variables: frozenset[Symbol]) -> int:
    """Return the total degree of a polynomial in the variables, or 99 if it is not a polynomial."""
    present = sorted(form.free_symbols & variables, key=str)
    if not present:
        return 0
    polynomial = form.as_poly(*present)
    if polynomial is None or any(
        set(present) & getattr(c, "free_symbols", set()) for c in polynomial.coeffs()
    ):
        return 99
    return int(polynomial.total_degree())


def rewrite_with_signs(expr: Expr, variables: frozenset[Symbol]) -> Expr:
    """Rewrite functions with kinks, such as Abs and Max, using signs of affine forms."""
    if not _has_kinks(expr, variables):
        return expr
    if isinstance(expr, sp.Add | sp.Mul):
        return expr.func(*(rewrite_with_signs(arg, variables) for arg in expr.args))
    if isinstance(expr, sp.Pow) and expr.exp.is_Integer and expr.exp > 0:
        return rewrite_with_signs(expr.base, variables) ** expr.exp
    if isinstance(expr, sp.Derivative):
        done = expr.doit()
        if isinstance(done, sp.Derivative):
            raise UnsupportedIntegrandError(f"{expr} cannot be differentiated")
        return rewrite_with_signs(done, variables)
    if isinstance(expr, sp.DiracDelta):
        if len(expr.args) > 1 or total_degree(expr.args[0], variables) != 1:
            raise UnsupportedIntegrandError(f"{expr} is no density of an affine form")
        return expr
    return sp.Add(*(weight * value for weight, value in _branches(expr, variables)))


def _has_kinks(expr: Any, variables: frozenset[Symbol]) -> bool:
    if isinstance(expr, Binder):
        return False
    return any(node.free_symbols & variables for node in expr.atoms(*_KINKS))


def _branches(expr: Expr, variables: frozenset[Symbol]) -> Branches:
    """Split an expression into pairs of the indicator of a region and a smooth expression there."""
    if not _has_kinks(expr, variables):
        return [(S.One, expr)]
    if isinstance(expr, sp.Derivative | sp.DiracDelta):
        return [(S.One, rewrite_with_signs(expr, variables))]
    if isinstance(expr, sp.Piecewise):
        return _cases(expr, variables)
    found: Branches = []
    for chosen in itertools.product(*(_branches(arg, variables) for arg in expr.args)):
        weight = sp.Mul(*(w for w, _ in chosen))
        values = [value for _, value in chosen]
        found += [(weight * w, v) for w, v in _pieces(expr, values, variables)]
    return _collected(found)


def _pieces(expr: Expr, values: list[Expr], variables: frozenset[Symbol]) -> Branches:
    """Return pairs of a weight and a smooth value for a function call with smooth arguments."""
    if isinstance(expr, sp.Abs | sp.sign | sp.Heaviside):
        above = _step(values[0], variables)
        low: Expr = {sp.Abs: -values[0], sp.sign: S.NegativeOne, sp.Heaviside: S.Zero}[expr.func]
        high: Expr = values[0] if isinstance(expr, sp.Abs) else S.One
        return [(above, high), (1 - above, low)]
    if isinstance(expr, sp.Max | sp.Min):
        ahead = 1 if isinstance(expr, sp.Max) else -1
        values = list(dict.fromkeys(values))
        return [
            (sp.Mul(*(_step(ahead * (x - y), variables) for y in values if y is not x)), x)
            for x in values
        ]
    return [(S.One, expr.func(*values))]


def _cases(expr: sp.Piecewise, variables: frozenset[Symbol]) -> Branches:
    left: Expr = S.One
    found: Branches = []
    for value, condition in expr.args:
        here = _indicator(condition, variables)
        found += [(left * here * w, v) for w, v in _branches(value, variables)]
        left = sp.expand(left * (1 - here))
    if left != 0 and expr.args[-1][1] != S.true:
        raise UnsupportedIntegrandError(f"{expr} may have no value: add a case (value, True)")
    return _collected(found)


def _collected(branches: Iterable[tuple[Expr, Expr]]) -> Branches:
    weights: dict[Expr, Expr] = {}
    for weight, value in branches:
        weights[value] = weights.get(value, S.Zero) + weight
    return [(weight, value) for value, weight in weights.items() if weight != 0]


def _indicator(condition: Any, variables: frozenset[Symbol]) -> Expr:
    """Return the indicator of a condition as an expression in signs, up to a null set."""
    if condition in (S.true, S.false):
        return S.One if condition == S.true else S.Zero
    if isinstance(condition, sp.And):
        return sp.Mul(*(_indicator(part, variables) for part in condition.args))
    if isinstance(condition, sp.Not):
        return 1 - _indicator(condition.args[0], variables)
    if isinstance(condition, sp.Or):
        return 1 - sp.Mul(*(1 - _indicator(part, variables) for part in condition.args))
    if isinstance(condition, sp.ITE):
        test, yes, no = (_indicator(part, variables) for part in condition.args)
        return test * yes + (1 - test) * no
    if not isinstance(condition, Relational):
        raise UnsupportedIntegrandError(f"{condition} is no condition on real numbers")
    if not condition.free_symbols & variables:
        return sp.Piecewise((S.One, condition), (S.Zero, True))
    if isinstance(condition, sp.Eq | sp.Ne):
        return S.Zero if isinstance(condition, sp.Eq) else S.One
    upward = isinstance(condition, GreaterThan | StrictGreaterThan)
    difference = condition.lhs - condition.rhs
    if not _has_kinks(difference, variables):
        return _step(difference if upward else -difference, variables)
    return sp.Add(
        *(w * _step(v if upward else -v, variables) for w, v in _branches(difference, variables))
    )


def _step(form: Expr, variables: frozenset[Symbol]) -> Expr:
    return (1 + _sign(form, variables)) / 2


def _sign(form: Expr, variables: frozenset[Symbol]) -> Expr:
    """Return the sign of a smooth expression, written with signs of affine forms."""
    if not form.free_symbols & variables:
        return sp.sign(form)
    if form.is_positive or form.is_negative:
        return S.One if form.is_positive else S.NegativeOne
    degree = total_degree(form, variables)
    if degree == 1:
        return _sign_of_affine(form)
    if isinstance(form, sp.Mul):
        return sp.Mul(*(_sign(part, variables) for part in form.args))
    if isinstance(form, sp.Pow) and form.exp.is_Integer:
        return S.One if form.exp.is_even else _sign(form.base, variables)
    if isinstance(form, _LIKE_ITS_ARGUMENT):
        return _sign(form.args[0], variables)
    if degree < 99:
        return _sign_of_polynomial(form, variables)
    return _sign_of_exponentials(form, variables)


def _sign_of_affine(form: Expr) -> Expr:
    form = sp.factor(form) if form.is_Mul else sp.expand(form)
    return -sp.sign(-form) if form.could_extract_minus_sign() else sp.sign(form)


def _sign_of_polynomial(form: Expr, variables: frozenset[Symbol]) -> Expr:
    constant, factors = sp.factor_list(form, *sorted(form.free_symbols & variables, key=str))
    result = sp.sign(constant)
    for part, count in factors:
        if count % 2 == 0:
            continue
        degree = total_degree(part, variables)
        if degree == 1:
            result *= _sign_of_affine(part)
        elif degree == 2:
            result *= _sign_of_quadratic(part, variables)
        else:
            raise UnsupportedIntegrandError(f"the sign of {part} is not one of affine forms")
    return result


def _sign_of_quadratic(form: Expr, variables: frozenset[Symbol]) -> Expr:
    """Rewrite the sign of a quadratic function by signs of affine forms; refuse if undecided."""
    found = next((x for x in sorted(variables, key=str) if form.diff(x, 2) != 0), None)
    if found is not None:
        affine, twice = sp.expand(form.diff(found)), form.diff(found, 2)
        rest = sp.factor(sp.expand(form - affine**2 / (2 * twice)))
        if not rest.free_symbols & variables:
            square = sp.factor(-2 * twice * rest)
            if square.is_nonpositive:
                return sp.sign(twice)
            if square.is_positive:
                root = sp.sqrt(square)
                ends = (_sign_of_affine(affine - root), _sign_of_affine(affine + root))
                return sp.sign(twice) * sp.Mul(*ends)
            raise UnsupportedIntegrandError(
                f"whether {form} has real zeros is not decided: {square} > 0?"
            )
    raise UnsupportedIntegrandError(f"the sign of {form} is not one of affine forms")


def _sign_of_exponentials(form: Expr, variables: frozenset[Symbol]) -> Expr:
    """Return the sign of a exp(u) + b exp(w), written with signs of affine forms."""
    parts = []
    fixed, loose = sp.expand(form).as_independent(*variables, as_Add=True)
    for part in (*sp.Add.make_args(loose), *([sp.factor(fixed)] if fixed != 0 else [])):
        constant, moving = part.as_independent(*variables, as_Add=False)
        if moving != 1 and not isinstance(moving, sp.exp):
            break
        parts.append((constant, moving.args[0] if isinstance(moving, sp.exp) else S.Zero))
    if len(parts) == 2:
        (a, u), (b, w) = parts
        if a.is_negative and b.is_positive:
            (a, u), (b, w) = (b, w), (a, u)
        if a.is_positive and b.is_negative:
            return _sign(u - w + sp.log(a) - sp.log(-b), variables)
    raise UnsupportedIntegrandError(f"the sign of {form} is not one of affine forms")
