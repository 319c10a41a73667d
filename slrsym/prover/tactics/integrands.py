"""Integrands in terms of the functions whose Gaussian means the proof checker has."""

from __future__ import annotations

from sympy import (
    Add,
    Expr,
    Heaviside,
    Mul,
    Pow,
    S,
    cos,
    cosh,
    erf,
    erfc,
    exp,
    expand,
    pi,
    sign,
    simplify,
    sin,
    sinh,
    sqrt,
)
from sympy.simplify.fu import TR8

from slrsym.gaussian.law import GaussianLaw, Law
from slrsym.gaussian.special_functions import erf_prime, erf_second, normal_cdf, normal_pdf


def in_terms_of_erf_and_signs(integrand: Expr) -> Expr:
    """Write steps, distribution functions and hyperbolic functions by erf, signs and exp.

    Products of sines and cosines become sums of them.
    """
    plain = integrand.replace(normal_cdf, lambda u: (1 + erf(u / sqrt(2))) / 2)
    plain = plain.replace(erfc, lambda u: 1 - erf(u))
    plain = plain.replace(sinh, lambda u: (exp(u) - exp(-u)) / 2)
    plain = plain.replace(cosh, lambda u: (exp(u) + exp(-u)) / 2)
    products = _circular_products(plain)
    # Over a function the parts have no closed forms, either, and would be named in a refusal.
    is_divided = any(f.exp.is_negative and f.base.free_symbols for f in plain.atoms(Pow))
    if not is_divided and any(len(f.atoms(sin, cos)) > 1 or f.is_Pow for f in products):
        plain = TR8(expand(plain))
    plain = plain.replace(normal_pdf, lambda u: exp(-(u**2) / 2) / sqrt(2 * pi))
    plain = plain.replace(erf_second, lambda u: -2 * u * erf_prime(u))
    plain = plain.replace(erf_prime, lambda u: 2 * exp(-(u**2)) / sqrt(pi))
    return plain.replace(Heaviside, lambda u, *_: _half_of_sign(u))


def _half_of_sign(u: Expr) -> Expr:
    """Return the step at u in terms of the sign of u or -u, as the translation chooses it."""
    return (1 - sign(-u)) / 2 if u.could_extract_minus_sign() else (1 + sign(u)) / 2


def _circular_products(expr: Expr) -> list[Expr]:
    """Return the products, and the powers, that have sines or cosines as factors."""
    return [f for f in expr.atoms(Mul, Pow) if any(g.has(sin, cos) for g in f.args)]


def split_by_independence(exponent: Expr, law: Law) -> list[Expr]:
    """Split a sum into parts that depend on independent variables."""
    parts: dict[tuple[int, ...], Expr] = {}
    for term in Add.make_args(exponent):
        blocks = enumerate(law.independent_laws())
        own = tuple(i for i, b in blocks if term.free_symbols & set(b.symbols))
        if len(own) > 1:
            return [exponent]
        own = own or (0,)
        parts[own] = parts.get(own, S.Zero) + term
    return list(parts.values())


def forms_with_squares(exponent: Expr, law: GaussianLaw) -> list[Expr]:
    """Return affine forms whose squares add up to the negative of a quadratic exponent, or none."""
    forms, left = list[Expr](), -exponent
    for x in law.symbols:
        square = left.as_poly(x)
        if square is None or square.degree() > 2:
            return []
        if square.degree() > 0:
            a, b = square.coeff_monomial(x**2), square.coeff_monomial(x)
            if not a.is_positive:
                return []
            forms.append(sqrt(a) * x + expand(b / (2 * sqrt(a))))
            left = expand(simplify(left - forms[-1] ** 2))
    return forms if left == 0 else []
