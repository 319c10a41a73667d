"""Functions with kinks and jumps, rewritten with signs of affine forms.

Absolute values, maxima, steps and functions by cases are sums of smooth functions times products of
signs, but for a set of probability zero. Under a Gaussian law these have expectations of their own.
An affine form of variance 0 is a number: its sign is that of its mean, and may be 0.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

import sympy as sp
from sympy import Expr, S, Symbol
from sympy.core.relational import Relational

from slrsym.gaussian.binding import Binder
from slrsym.gaussian.degeneracy import constant_value, is_singular, is_zero_sum
from slrsym.gaussian.forms import affine_form_moments
from slrsym.gaussian.law import GaussianLaw

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
    return 0 if polynomial.is_zero else int(polynomial.total_degree())


def rewrite_with_signs(expr: Expr, law: GaussianLaw) -> Expr:
    """Rewrite functions with kinks, such as Abs and Max, using signs of affine forms.

    Both sides are equal with probability one under the law.
    """
    if not _has_kinks(expr, law):
        return expr
    if isinstance(expr, sp.Add | sp.Mul):
        return expr.func(*(rewrite_with_signs(arg, law) for arg in expr.args))
    if isinstance(expr, sp.Pow) and isinstance(expr.base, sp.sign) and expr.exp.is_even:
        below, _, above = _sides(expr.base.args[0], law, may_vanish=True)
        if expr.exp > 0:
            return sp.expand(below + above)
    if isinstance(expr, sp.Pow) and expr.exp.is_Integer and expr.exp > 0:
        return rewrite_with_signs(expr.base, law) ** expr.exp
    if isinstance(expr, sp.Derivative):
        done = expr.doit()
        if isinstance(done, sp.Derivative):
            raise UnsupportedIntegrandError(f"{expr} cannot be differentiated")
        return rewrite_with_signs(done, law)
    if isinstance(expr, sp.DiracDelta):
        if len(expr.args) > 1 or total_degree(expr.args[0], frozenset(law.symbols)) != 1:
            raise UnsupportedIntegrandError(f"{expr} is no density of an affine form")
        return expr
    return sp.Add(*(weight * value for weight, value in _branches(expr, law)))


def _has_kinks(expr: Any, law: GaussianLaw) -> bool:
    if isinstance(expr, Binder):
        return False
    return any(node.free_symbols & set(law.symbols) for node in expr.atoms(*_KINKS))


def _branches(expr: Expr, law: GaussianLaw) -> Branches:
    """Split an expression into pairs of the indicator of a region and a smooth expression there."""
    if not _has_kinks(expr, law):
        return [(S.One, expr)]
    if isinstance(expr, sp.Derivative | sp.DiracDelta):
        return [(S.One, rewrite_with_signs(expr, law))]
    if isinstance(expr, sp.Piecewise):
        return _cases(expr, law)
    found: Branches = []
    for chosen in itertools.product(*(_branches(arg, law) for arg in expr.args)):
        weight = sp.Mul(*(w for w, _ in chosen))
        values = [value for _, value in chosen]
        found += [(weight * w, v) for w, v in _pieces(expr, values, law)]
    return _collected(found)


def _pieces(expr: Expr, values: list[Expr], law: GaussianLaw) -> Branches:
    """Return pairs of a weight and a smooth value for a function call with smooth arguments."""
    if isinstance(expr, sp.Abs | sp.sign | sp.Heaviside):
        argument, *middle = values
        low: Expr = {sp.Abs: -argument, sp.sign: S.NegativeOne, sp.Heaviside: S.Zero}[expr.func]
        high: Expr = argument if isinstance(expr, sp.Abs) else S.One
        # Elsewhere the value at 0 is the mean of both sides, or what both sides go to.
        below, at_zero, above = _sides(argument, law, middle not in ([], [S.Half]))
        if at_zero != 0 and S.NaN in middle:
            raise UnsupportedIntegrandError(f"{expr} has no value at 0")
        return [(above, high), (at_zero, middle[0] if middle else S.Zero), (below, low)]
    if isinstance(expr, sp.Max | sp.Min):
        ahead = 1 if isinstance(expr, sp.Max) else -1
        values = list(dict.fromkeys(values))
        # Of several that are equal, the first is taken.
        return [
            (
                sp.Mul(
                    *(_indicator_of_sign(ahead * (x - y), ">", law) for y in values[:k]),
                    *(_indicator_of_sign(ahead * (x - y), ">=", law) for y in values[k + 1 :]),
                ),
                x,
            )
            for k, x in enumerate(values)
        ]
    return [(S.One, expr.func(*values))]


def _cases(expr: sp.Piecewise, law: GaussianLaw) -> Branches:
    left: Expr = S.One
    found: Branches = []
    for value, condition in expr.args:
        here = _indicator(condition, law)
        found += [(left * here * w, v) for w, v in _branches(value, law)]
        left = _without_squares(left * (1 - here), law)
    if left != 0 and expr.args[-1][1] != S.true:
        raise UnsupportedIntegrandError(f"{expr} may have no value: add a case (value, True)")
    return _collected(found)


def _without_squares(weight: Expr, law: GaussianLaw) -> Expr:
    """Expand a polynomial in signs, whose squares are 1 with probability one."""

    def is_power(node: Any) -> bool:
        return (
            isinstance(node, sp.Pow)
            and isinstance(node.base, sp.sign)
            and bool(node.base.free_symbols & set(law.symbols))
        )

    return sp.expand(weight).replace(is_power, lambda node: node.base ** (node.exp % 2))


def _collected(branches: Iterable[tuple[Expr, Expr]]) -> Branches:
    weights: dict[Expr, Expr] = {}
    for weight, value in branches:
        weights[value] = weights.get(value, S.Zero) + weight
    return [(weight, value) for value, weight in weights.items() if weight != 0]


def _indicator(condition: Any, law: GaussianLaw) -> Expr:
    """Return an expression in signs that is the indicator of a condition with probability one."""
    if condition in (S.true, S.false):
        return S.One if condition == S.true else S.Zero
    if isinstance(condition, sp.And):
        return sp.Mul(*(_indicator(part, law) for part in condition.args))
    if isinstance(condition, sp.Not):
        return 1 - _indicator(condition.args[0], law)
    if isinstance(condition, sp.Or):
        return 1 - sp.Mul(*(1 - _indicator(part, law) for part in condition.args))
    if isinstance(condition, sp.ITE):
        test, yes, no = (_indicator(part, law) for part in condition.args)
        return test * yes + (1 - test) * no
    if isinstance(condition, sp.Xor | sp.Implies | sp.Equivalent):
        return _indicator(condition.to_nnf(simplify=False), law)
    if not isinstance(condition, Relational):
        raise UnsupportedIntegrandError(f"{condition} is no condition on real numbers")
    if not condition.free_symbols & set(law.symbols):
        return sp.Piecewise((S.One, condition), (S.Zero, True))
    difference, kind = condition.lhs - condition.rhs, condition.rel_op
    return sp.Add(
        *(
            weight * _indicator_of_sign(v, kind, law, may_vanish=True)
            for weight, v in _branches(difference, law)
        )
    )


def _indicator_of_sign(
    form: Expr, relation: str, law: GaussianLaw, may_vanish: bool = False
) -> Expr:
    """Return the indicator that a smooth expression is in a relation to 0, such as ``">="``."""
    try:
        below, at_zero, above = _sides(form, law, may_vanish)
    except UnsupportedIntegrandError:
        if relation not in ("==", "!=") or not _is_nowhere_constant(form, law):
            raise
        return S.One if relation == "!=" else S.Zero
    return {
        "<": below,
        "<=": below + at_zero,
        "==": at_zero,
        "!=": below + above,
        ">=": above + at_zero,
        ">": above,
    }[relation]


def _is_nowhere_constant(form: Expr, law: GaussianLaw) -> bool:
    """Return whether an expression is a polynomial that has each value with probability zero."""
    variables = frozenset(law.symbols)
    involved = [s for s in law.symbols if s in form.free_symbols]
    is_polynomial = bool(involved) and 0 < total_degree(form, variables) < 99
    return is_polynomial and not is_singular(law.marginal(*involved))


def _sides(form: Expr, law: GaussianLaw, may_vanish: bool = False) -> tuple[Expr, Expr, Expr]:
    """Return indicators that a smooth expression is negative, zero and positive.

    With `may_vanish` it counts as zero, too, where a variance that is declared nonnegative is 0.
    """
    sign = _sign(form, law)
    square = _square(sign, law)
    if may_vanish:
        square -= _vanishes(form, law)
    return (square - sign) / 2, 1 - square, (square + sign) / 2


def _vanishes(form: Expr, law: GaussianLaw) -> Expr:
    """Return 1 where symbols declared nonnegative make an affine form 0 for certain, else 0."""
    variables = frozenset(law.symbols)
    if total_degree(form, variables) != 1:
        return S.Zero
    (mean,), ((variance,),) = affine_form_moments([form], law)
    variance = sp.factor(variance)
    variance = variance.base if variance.is_Pow else variance
    declared = any(s.is_nonnegative and not s.is_positive for s in variance.free_symbols)
    if not declared or not variance.is_nonnegative or variance.is_positive:
        return S.Zero
    condition = sp.And(sp.Eq(variance, 0), sp.Eq(sp.expand(mean), 0))
    return sp.Piecewise((S.One, condition), (S.Zero, True)) if condition != False else S.Zero  # noqa: E712


def _square(sign: Expr, law: GaussianLaw) -> Expr:
    """Return the square of a product of signs, of which those that vary are 1 or -1."""
    return sign.as_independent(*law.symbols, as_Add=False)[0] ** 2


def _sign(form: Expr, law: GaussianLaw) -> Expr:
    """Return the sign of a smooth expression, written with signs of affine forms."""
    variables = frozenset(law.symbols)
    if not form.free_symbols & variables:
        return S.Zero if not form.free_symbols and is_zero_sum(form) else sp.sign(form)
    if form.is_positive or form.is_negative:
        return S.One if form.is_positive else S.NegativeOne
    degree = total_degree(form, variables)
    if degree <= 1:
        return _sign_of_affine(form, law)
    if isinstance(form, sp.Mul):
        return sp.Mul(*(_sign(part, law) for part in form.args))
    if isinstance(form, sp.Pow) and form.exp.is_Integer:
        base = _sign(form.base, law)
        square = _square(base, law)
        if form.exp < 0 and square != 1:
            raise UnsupportedIntegrandError(f"{form} has no value where {form.base} = 0")
        return square if form.exp.is_even else base * square
    if isinstance(form, _LIKE_ITS_ARGUMENT):
        return _sign(form.args[0], law)
    if degree < 99:
        return _sign_of_polynomial(form, law)
    return _sign_of_exponentials(form, law)


def _sign_of_affine(form: Expr, law: GaussianLaw) -> Expr:
    constant = constant_value(form, law)
    if constant is not None:
        return sp.sign(constant)
    form = sp.factor(form) if form.is_Mul else sp.expand(form)
    return -sp.sign(-form) if form.could_extract_minus_sign() else sp.sign(form)


def _sign_of_polynomial(form: Expr, law: GaussianLaw) -> Expr:
    variables = frozenset(law.symbols)
    constant, factors = sp.factor_list(form, *sorted(form.free_symbols & variables, key=str))
    result = sp.sign(constant)
    for part, count in factors:
        degree = total_degree(part, variables)
        if degree == 1:
            found = _sign_of_affine(part, law)
        elif degree == 2:
            found = _sign_of_quadratic(part, law)
        elif count % 2 == 0 and _is_nowhere_constant(part, law):
            found = S.One
        else:
            raise UnsupportedIntegrandError(f"the sign of {part} is not one of affine forms")
        result *= found if count % 2 else _square(found, law)
    return result


def _sign_of_quadratic(form: Expr, law: GaussianLaw) -> Expr:
    """Rewrite the sign of a quadratic function by signs of affine forms; refuse if undecided."""
    variables = frozenset(law.symbols)
    found = next((x for x in sorted(variables, key=str) if form.diff(x, 2) != 0), None)
    if found is not None:
        affine, twice = sp.expand(form.diff(found)), form.diff(found, 2)
        rest = sp.factor(sp.expand(form - affine**2 / (2 * twice)))
        if not rest.free_symbols & variables:
            constant = constant_value(affine, law)
            if constant is not None:
                return _sign(constant**2 / (2 * twice) + rest, law)
            square = sp.factor(-2 * twice * rest)
            if square.is_nonpositive:
                return sp.sign(twice)
            if square.is_positive:
                root = sp.sqrt(square)
                ends = (_sign_of_affine(affine - root, law), _sign_of_affine(affine + root, law))
                return sp.sign(twice) * sp.Mul(*ends)
            raise UnsupportedIntegrandError(
                f"whether {form} has real zeros is not decided: {square} > 0?"
            )
    raise UnsupportedIntegrandError(f"the sign of {form} is not one of affine forms")


def _sign_of_exponentials(form: Expr, law: GaussianLaw) -> Expr:
    """Return the sign of a exp(u) + b exp(w), written with signs of affine forms."""
    parts = []
    fixed, loose = sp.expand(form).as_independent(*law.symbols, as_Add=True)
    for part in (*sp.Add.make_args(loose), *([sp.factor(fixed)] if fixed != 0 else [])):
        constant, moving = part.as_independent(*law.symbols, as_Add=False)
        if moving != 1 and not isinstance(moving, sp.exp):
            break
        parts.append((constant, moving.args[0] if isinstance(moving, sp.exp) else S.Zero))
    if len(parts) == 2:
        (a, u), (b, w) = parts
        if a.is_negative and b.is_positive:
            (a, u), (b, w) = (b, w), (a, u)
        if a.is_positive and b.is_negative:
            return _sign(u - w + sp.log(a) - sp.log(-b), law)
    raise UnsupportedIntegrandError(f"the sign of {form} is not one of affine forms")
