"""Polynomials in nested (Horner) form, which take few multiplications."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp
from sympy import Expr


def nest_polynomial(expr: Expr, generators: Sequence[Expr]) -> Expr:
    """Write a polynomial in nested (Horner) form, with factored coefficients.

    Factoring keeps the relative accuracy of coefficients such as (L - 1)(L - 2).
    """
    polynomial = sp.Poly(sp.expand(expr), *generators)
    terms = {powers: _factor_numbers(coefficient) for powers, coefficient in polynomial.terms()}
    return _nested(terms, tuple(generators))


def _factor_numbers(coefficient: Expr) -> Expr:
    """Factor the polynomial that multiplies each product of functions in a coefficient.

    Factoring a sum of exponentials and erf as a polynomial in them can take hours.
    """
    functions = coefficient.atoms(sp.Function)
    if not functions:
        return sp.factor(coefficient)
    by_functions: dict[Expr, list[Expr]] = {}
    for term in sp.Add.make_args(coefficient):
        number, rest = term.as_independent(*functions, as_Add=False)
        by_functions.setdefault(rest, []).append(number)
    return sp.Add(*(sp.factor(sp.Add(*numbers)) * rest for rest, numbers in by_functions.items()))


def _nested(terms: dict[tuple[int, ...], Expr], generators: tuple[Expr, ...]) -> Expr:
    """Return the nested form of a polynomial, outermost in the generator that most terms have."""
    uses = [sum(powers[i] > 0 for powers in terms) for i in range(len(generators))]
    i = uses.index(max(uses))
    if uses[i] < 2:
        return sp.Add(
            *(
                coefficient * sp.Mul(*(g**n for g, n in zip(generators, powers, strict=True)))
                for powers, coefficient in terms.items()
            )
        )
    least = min(powers[i] for powers in terms if powers[i])
    inside = {
        (*powers[:i], powers[i] - least, *powers[i + 1 :]): coefficient
        for powers, coefficient in terms.items()
        if powers[i]
    }
    outside = {powers: coefficient for powers, coefficient in terms.items() if not powers[i]}
    product = generators[i] ** least * _nested(inside, generators)
    return product + _nested(outside, generators) if outside else product
