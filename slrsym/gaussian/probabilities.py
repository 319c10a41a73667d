r"""Closed forms in normal probabilities, which keep their relative accuracy in the tails.

Means are taken of signs and of erf, so that a probability comes as 1/2 - erf(u)/2, or as a quarter
of the sum of four such terms, of which no digit is left where it is small. Here these terms become
`normal_cdf` and `bivariate_normal_cdf` again.
"""

from __future__ import annotations

import itertools
from typing import Any

import sympy as sp
from sympy import Expr, Function, Rational, S

from slrsym.gaussian.bivariate_normal import bivariate_normal_cdf
from slrsym.gaussian.integrals import erf_product_mean
from slrsym.gaussian.special_functions import OwensT, normal_cdf

# The rational coefficients of products, without their coefficients.
_Terms = dict[Expr, Rational]


class MeanOfTwoSigns(Function):  # type: ignore[misc]
    r"""The mean :math:`4\Phi_2(h, k; r) - 2\Phi(h) - 2\Phi(k) + 1`, until its sum is known.

    The last argument is the form that it has if it stands for itself.
    """

    nargs = 4
    is_extended_real = True
    is_finite = True


def mean_of_two_signs(
    mean_u: Expr,
    mean_w: Expr,
    variance_u: Expr,
    variance_w: Expr,
    covariance: Expr,
    twice_noise_variance_u: int,
    twice_noise_variance_w: int,
) -> Expr:
    """Return the mean of `erf_product_mean` as `MeanOfTwoSigns`, unless it is elementary."""
    pair = (mean_u, mean_w, variance_u, variance_w, covariance)
    form = erf_product_mean(*pair, twice_noise_variance_u, twice_noise_variance_w)
    if not form.has(OwensT):
        return form
    scale_u = sp.sqrt(sp.factor(twice_noise_variance_u + 2 * variance_u))
    scale_w = sp.sqrt(sp.factor(twice_noise_variance_w + 2 * variance_w))
    h, k = (sp.sqrt(2) * sp.factor(m) / a for m, a in ((mean_u, scale_u), (mean_w, scale_w)))
    r = 2 * sp.factor(covariance) / (scale_u * scale_w)
    if len(form.atoms(OwensT)) > 1:
        # Owen's T has branches here, and cancels where r is near 1 or -1.
        form = 2 * bivariate_normal_cdf(h, k, r) + 2 * bivariate_normal_cdf(-h, -k, r) - 1
    return MeanOfTwoSigns(h, k, r, form)


def in_erf(value: Expr) -> Expr:
    """Return an expression with each mean of two signs in the form that stands for itself."""
    return value.replace(MeanOfTwoSigns, lambda h, k, r, form: form)


def in_normal_probabilities(value: Expr) -> Expr:
    """Return a closed form with its one-sided and two-sided probabilities as such."""
    if not value.has(sp.erf, MeanOfTwoSigns):
        return value
    terms: _Terms = {}
    plain: list[tuple[Expr, list[Expr]]] = []
    for addend in sp.Add.make_args(value):
        parts = _products(addend)
        if len(parts) > 1 and not addend.has(sp.erf, MeanOfTwoSigns):
            plain.append((addend, parts))
        for product in parts:
            number, rest = product.as_coeff_Mul(rational=True)
            terms[rest] = terms.get(rest, S.Zero) + number
    signs = [e for e in value.atoms(sp.erf) if not e.has(S.ImaginaryUnit)]
    pairs = _pairs(terms)
    merged = [_merge_quadruples(terms, *pair) for pair in sorted(pairs, key=str)]
    merged += [_merge_couples(terms, sign) for sign in sorted(signs, key=str)]
    merged += [_turn_to_tail(terms, sign) for sign in sorted(signs, key=str)]
    if not any(merged):
        return in_erf(value)
    # What was multiplied out for nothing is put together again.
    kept = []
    for addend, parts in plain:
        split = dict(reversed(part.as_coeff_Mul(rational=True)) for part in parts)
        if all(terms.get(rest) == number for rest, number in split.items()):
            kept.append(addend)
            for rest in split:
                del terms[rest]
    return in_erf(sp.Add(_collected(terms), *kept))


def _products(expr: Expr) -> list[Expr]:
    """Return the addends of an expression, its products of sums with erf multiplied out."""
    if isinstance(expr, sp.Add):
        return [part for addend in expr.args for part in _products(addend)]
    if not expr.has(sp.erf, MeanOfTwoSigns) or not isinstance(expr, sp.Mul | sp.Pow):
        return list(sp.Add.make_args(sp.expand_mul(expr, deep=False)))
    if isinstance(expr, sp.Pow):
        sums = isinstance(expr.base, sp.Add) and expr.exp.is_Integer and expr.exp > 0
        factors = [expr.base] * int(expr.exp) if sums else []
        if not factors:
            return [expr]
    else:
        factors = list(expr.args)
    found: list[Expr] = [S.One]
    for factor in factors:
        parts = _products(factor) if factor.has(sp.erf, MeanOfTwoSigns) else [
            *sp.Add.make_args(factor)
        ]  # fmt: skip
        found = [a * b for a, b in itertools.product(found, parts)]
    return found


def _pairs(terms: _Terms) -> list[tuple[Expr, Expr, Expr, Expr]]:
    """Return products of two signs: their form in the terms, both means, and the correlation."""
    found = []
    for node in set().union(*(t.atoms(MeanOfTwoSigns) for t in terms)):
        h, k, r, _ = node.args
        found.append((node, sp.erf(h / sp.sqrt(2)), sp.erf(k / sp.sqrt(2)), r))
    return found


def _take(terms: _Terms, key: Expr, number: Rational) -> None:
    terms[key] -= number
    if terms[key] == 0:
        del terms[key]


def _shares(terms: _Terms, key: Expr, number: Rational) -> int:
    """Return the sign with which a term holds at least this number, in absolute value, or 0."""
    held = terms.get(key, S.Zero)
    return int(sp.sign(held)) if abs(held) >= abs(number) else 0


def _with_factor(terms: _Terms, factor: Expr) -> list[tuple[Expr, Rational]]:
    """Return the terms that have a factor, in an order that does not change."""
    found = [item for item in terms.items() if factor in sp.Mul.make_args(item[0])]
    return sorted(found, key=str) if len(found) > 1 else found


def _merge_quadruples(terms: _Terms, node: Expr, first: Expr, second: Expr, r: Expr) -> bool:
    """Put probabilities of a quadrant in place of the mean of q (1 + s X)(1 + t Y), X, Y signs."""
    merged = False
    # erf(-u) is -erf(u), and so may be either of the two.
    functions = [_with_sign(e) for e in (first, second)]
    for key, number in _with_factor(terms, node):
        rest = key / node
        if rest.has(node):
            continue
        whole, size = _shares(terms, rest, number), abs(number)
        # The signs s and t; one that stands at an erf of 0 follows from the other.
        signs = [whole * _shares(terms, rest * e, number) * z if e else None for e, z in functions]
        both = whole * int(sp.sign(number))
        s, t = (both * (signs[1 - i] or 0) if z is None else z for i, z in enumerate(signs))
        if not s or s * t != both:
            continue
        for (e, z), sign in zip(functions, (s, t), strict=True):
            if e:
                _take(terms, rest * e, whole * sign * z * size)
        _take(terms, rest, whole * size)
        del terms[key]
        h, k, *_ = node.args
        new = rest * bivariate_normal_cdf(_times(s, h), _times(t, k), s * t * r)
        terms[new] = terms.get(new, S.Zero) + 4 * whole * size
        merged = True
    return merged


def _with_sign(e: Expr) -> tuple[Expr, int]:
    number, function = e.as_coeff_Mul()
    return (e, 1) if e == 0 else (function, int(number))


def _merge_couples(terms: _Terms, sign: Expr) -> bool:
    """Put probabilities in place of q (1 + e) and q (1 - e), where e is an erf."""
    merged = False
    for key, number in _with_factor(terms, sign):
        rest = key / sign
        held = 0 if rest.has(sign) else _shares(terms, rest, number)
        if not held:
            continue
        size = abs(number)
        up = held * int(sp.sign(number))
        _take(terms, rest, held * size)
        _take(terms, key, number)
        new = rest * normal_cdf(_times(up, sp.sqrt(2) * sign.args[0]))
        terms[new] = terms.get(new, S.Zero) + 2 * held * size
        merged = True
    return merged


def _turn_to_tail(terms: _Terms, sign: Expr) -> bool:
    """Write a difference of two erf whose arguments have one sign by the tails on that side."""
    merged = False
    above = sign.args[0].is_positive
    if above is None or not (above or sign.args[0].is_negative):
        return False
    for key, number in _with_factor(terms, sign):
        rest = key / sign
        if rest.has(sign):
            continue
        for other in sorted(_with_coefficient(terms, rest, -number), key=str):
            if other != sign and other.args[0].is_positive == above:
                way = -1 if above else 1
                for e, q in ((sign, number), (other, -number)):
                    _take(terms, rest * e, q)
                    new = rest * normal_cdf(_times(way, sp.sqrt(2) * e.args[0]))
                    terms[new] = terms.get(new, S.Zero) + 2 * way * q
                merged = True
                break
    return merged


def _with_coefficient(terms: _Terms, rest: Expr, number: Rational) -> list[Expr]:
    """Return the erf whose product with a factor is among the terms, times a given number."""
    return [
        e
        for key, q in terms.items()
        if q == number
        for e in sp.Mul.make_args(key)
        if isinstance(e, sp.erf) and rest * e == key and not e.has(S.ImaginaryUnit)
    ]


def _times(sign: int, u: Expr) -> Expr:
    """Return u or -u, where a sum in u is negated term by term."""
    if sign > 0:
        return u
    factors = list(sp.Mul.make_args(u))
    for i, factor in enumerate(factors):
        if isinstance(factor, sp.Add) and any(x.could_extract_minus_sign() for x in factor.args):
            factors[i] = sp.Add(*(-x for x in factor.args))
            return sp.Mul(*factors)
    return -u


def _collected(terms: _Terms) -> Expr:
    """Return a sum of terms, those with one probability together."""
    found: dict[Expr, list[Expr]] = {}
    for key, number in terms.items():
        chosen: list[Expr] = []
        rest: list[Expr] = []
        for factor in sp.Mul.make_args(key):
            special = factor.has(normal_cdf, bivariate_normal_cdf)
            (chosen if special else rest).append(factor)
        found.setdefault(sp.Mul(*chosen), []).append(number * sp.Mul(*rest))
    total: list[Any] = []
    for probability, coefficients in found.items():
        factor = sp.Add(*coefficients)
        if probability != 1 and len(coefficients) > 1 and not factor.has(Function):
            factor = sp.factor(factor)
        total.append(factor * probability)
    return sp.Add(*total)
