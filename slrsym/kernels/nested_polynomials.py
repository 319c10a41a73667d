"""Polynomials in nested (Horner) form, which take few multiplications."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import sympy as sp
from sympy import Expr, Symbol


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


# How many terms a polynomial may have that is expanded to be nested; and up to which power of an
# exponential another one is.
_MOST_TERMS, _HIGHEST_POWER = 2000, 4


def nest_in_functions(
    expressions: Sequence[Expr], state: Iterable[Symbol]
) -> tuple[list[Expr], dict[Symbol, Expr]] | None:
    """Write polynomials in symbols, and in functions of them, in nested form.

    Parameters
    ----------
    expressions : sequence of Expr
    state : iterable of Symbol

    Returns
    -------
    (list of Expr, dict of Symbol to Expr) or None
        The nested forms, and the functions that symbols in them stand for. Of exponentials whose
        exponents are multiples of one there is one. None if some expression is no such polynomial,
        or has too many terms.
    """
    state = tuple(state)
    moving = (
        {f for e in expressions for f in e.atoms(sp.Function) if f.has(*state)} if state else ()
    )
    names: dict[Expr, Expr] = {
        f: Symbol(f"function {i}", real=True) for i, f in enumerate(sorted(moving, key=str))
    }
    names |= {f: names[g] ** n for f, (g, n) in _powers_of_others(names).items()}
    named = [e.xreplace(names) for e in expressions]
    used = set().union(*(e.free_symbols for e in named))
    functions = {name: f for f, name in names.items() if name in used}
    generators = (*functions, *state)
    if not all(e.is_polynomial(*generators) and _terms(e) <= _MOST_TERMS for e in named):
        return None
    return [nest_polynomial(e, generators) for e in named], functions


def _powers_of_others(functions: Iterable[Expr]) -> dict[Expr, tuple[Expr, int]]:
    """Return exponentials that are powers of others, with these and the exponents."""
    bells = [f for f in functions if isinstance(f, sp.exp)]
    found: dict[Expr, tuple[Expr, int]] = {}
    for f in bells:
        ratios = ((g, f.args[0] / g.args[0]) for g in bells if g != f)
        whole = [(g, int(n)) for g, n in ratios if n.is_Integer and 1 < n <= _HIGHEST_POWER]
        if whole:
            found[f] = max(whole, key=lambda pair: pair[1])
    return {f: (g, n) for f, (g, n) in found.items() if g not in found}


def _terms(expr: Expr) -> int:
    """Return how many terms an expression has at most, if it is expanded."""
    if expr.is_Add:
        return sum(map(_terms, expr.args))
    if expr.is_Mul:
        return math.prod(map(_terms, expr.args))
    if expr.is_Pow and expr.exp.is_Integer and expr.exp > 0:
        return math.comb(_terms(expr.base) + int(expr.exp) - 1, int(expr.exp))
    return 1
