"""Polynomials in generators, with rational coefficients.

A generator is a dummy symbol. Generators are taken in the order in which they were made, so that
the same question always meets the same polynomial.
"""

from __future__ import annotations

from typing import Any

from sympy import QQ, Dummy, Expr, Poly, Rational

__all__ = [
    "Terms",
    "coefficient",
    "discriminant",
    "generators_in",
    "is_small",
    "polynomial",
    "product",
    "ratio",
    "terms_of",
    "trimmed",
    "value",
]

_HIGHEST_DEGREE = 12
_LONGEST_COEFFICIENT = 256
_UNUSED = Dummy("unused")

# The coefficients of a polynomial; a monomial is the set of its (generator, exponent).
Terms = dict[frozenset[tuple[Dummy, int]], Any]


def generators_in(expr: Expr) -> list[Dummy]:
    """The generators that occur in an expression."""
    return sorted(expr.free_symbols, key=lambda g: int(g.dummy_index))


def polynomial(expr: Expr) -> Poly:
    """The polynomial in the generators that an expression contains."""
    return Poly(expr, *(generators_in(expr) or [_UNUSED]), domain=QQ)


def is_small(p: Poly) -> bool:
    """Whether a polynomial is such that factors and roots are found quickly."""
    lengths = (max(abs(c.p).bit_length(), c.q.bit_length()) for _, c in p.terms())
    return bool(p.total_degree() <= _HIGHEST_DEGREE and max(lengths) <= _LONGEST_COEFFICIENT)


def coefficient(p: Poly, g: Dummy, n: int) -> Poly:
    """The coefficient of a power of a generator."""
    return trimmed(_coefficient(p, g, n))


def discriminant(p: Poly, g: Dummy) -> Poly:
    """The discriminant of a polynomial that is quadratic in a generator."""
    a, b, c = (_coefficient(p, g, n) for n in (2, 1, 0))
    return trimmed(b**2 - 4 * a * c)


def value(p: Poly, g: Dummy, end: Rational) -> Poly:
    """A polynomial with a number for a generator."""
    found = p.eval(g, end)
    return trimmed(found) if isinstance(found, Poly) else polynomial(found)


def trimmed(p: Poly) -> Poly:
    """A polynomial, as one in the generators that it contains."""
    terms = p.rep.terms()
    places = [i for i in range(len(p.gens)) if any(m[i] for m, _ in terms)]
    if not places:
        return polynomial(p.as_expr())
    kept = {tuple(m[i] for i in places): c for m, c in terms}
    return Poly.from_dict(kept, *(p.gens[i] for i in places), domain=QQ)


def ratio(p: Poly, q: Poly) -> Rational | None:
    """The number p/q, if it is one."""
    if p.gens != q.gens:
        return None
    quotient = p.LC() / q.LC()
    return quotient if (p - q * quotient).is_zero else None


def terms_of(p: Poly) -> Terms:
    """The terms of a polynomial."""
    return {
        frozenset((g, n) for g, n in zip(p.gens, powers, strict=True) if n): c
        for powers, c in p.rep.terms()
    }


def product(first: Terms, second: Terms) -> Terms:
    """The product of two polynomials."""
    total: Terms = {}
    for one, c in first.items():
        for other, e in second.items():
            powers = dict(one)
            for g, n in other:
                powers[g] = powers.get(g, 0) + n
            monomial = frozenset(powers.items())
            total[monomial] = total.get(monomial, QQ(0)) + c * e
    return {monomial: c for monomial, c in total.items() if c}


def _coefficient(p: Poly, g: Dummy, n: int) -> Poly:
    """The coefficient of a power, as a polynomial in all the generators."""
    place = p.gens.index(g)
    kept = {
        (*m[:place], 0, *m[place + 1 :]): coefficient
        for m, coefficient in p.rep.terms()
        if m[place] == n
    }
    return Poly.from_dict(kept, *p.gens, domain=QQ)
