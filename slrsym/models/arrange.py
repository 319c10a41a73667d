"""Polynomials arranged for speed and accuracy, the same for every model."""

from __future__ import annotations

from collections.abc import Sequence

from sympy import Add, Expr, Mul, Poly, expand, factor

__all__ = ["nested"]


def nested(expr: Expr, generators: Sequence[Expr]) -> Expr:
    """A polynomial in the generators, nested, its coefficients factored.

    Factoring keeps the relative accuracy of coefficients such as (L - 1)(L - 2).
    """
    polynomial = Poly(expand(expr), *generators)
    terms = {powers: factor(coefficient) for powers, coefficient in polynomial.terms()}
    return _nested(terms, tuple(generators))


def _nested(terms: dict[tuple[int, ...], Expr], generators: tuple[Expr, ...]) -> Expr:
    """The polynomial, with the generator taken out that most of its terms have."""
    uses = [sum(powers[i] > 0 for powers in terms) for i in range(len(generators))]
    i = uses.index(max(uses))
    if uses[i] < 2:
        return Add(
            *(
                coefficient * Mul(*(g**n for g, n in zip(generators, powers, strict=True)))
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
