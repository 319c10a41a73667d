"""Degenerate Gaussian laws: which variances are 0, and which coordinates others determine.

At a kink or a jump it matters whether an affine form of variance 0 has its mean exactly there. So a
number counts as zero if it is, floats if they are zero but for rounding, and an expression in
symbols if it is zero whatever their values; otherwise results are those for other values.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache

import sympy as sp
from sympy import Expr, S, Symbol

from slrsym.gaussian.integrals import DivergenceError, simplify_complex_rational
from slrsym.gaussian.law import GaussianLaw

_EXACT, _ROUNDED = sp.Float("1e-20"), sp.Float(2) ** -48
# Whether rationals stand for floats, which are rounded.
_FROM_FLOATS: ContextVar[bool] = ContextVar("_FROM_FLOATS", default=False)


@contextmanager
def rationals_from_floats() -> Iterator[None]:
    """Let what is zero but for the rounding of floats count as zero for a while."""
    token = _FROM_FLOATS.set(True)
    try:
        yield
    finally:
        _FROM_FLOATS.reset(token)


_PRIMES = tuple(sp.prime(k) for k in range(1, 40))


def is_zero_sum(*terms: Expr) -> bool:
    """Return whether expressions add up to 0, floats up to their rounding."""
    found = map(sp.sympify, terms)
    return _is_zero_sum(tuple(_without_zeros(term) for term in found), _FROM_FLOATS.get())


def _without_zeros(term: Expr) -> Expr:
    """Put 0 in place of symbols that are declared to be 0."""
    return term.xreplace({s: S.Zero for s in term.free_symbols if s.is_zero})


@lru_cache(maxsize=4096)
def _is_zero_sum(terms: tuple[Expr, ...], rounded: bool) -> bool:
    total = sp.Add(*terms)
    if total.is_Rational and (total == 0 or not rounded):
        return bool(total == 0)
    floats = rounded or any(term.has(sp.Float) for term in terms)
    if not floats:
        # Terms that cancel are apart only where all is multiplied out.
        total = sp.expand(total)
        terms = sp.Add.make_args(total)
        if total.is_Rational:
            return bool(total == 0)
    # Numbers at two points refute it in most cases, and faster than a simplification.
    for shift in (0, 7):
        point = _sample_point(frozenset(total.free_symbols), shift)
        values = [term.xreplace(point).evalf(30) for term in terms]
        if not all(value.is_number and value.is_finite for value in values):
            break
        size, found = sp.Add(*map(abs, values)), sp.Add(*values)
        lost = len(values) == 1 and getattr(found, "_prec", 9) < 9
        if not lost and abs(found) > size * (_ROUNDED if floats else _EXACT):
            return False
    else:
        if floats:
            return True
    return bool(simplify_complex_rational(total) == 0 or total.equals(0) or sp.simplify(total) == 0)


def _sample_point(symbols: frozenset[Symbol], shift: int) -> dict[Symbol, Expr]:
    """Return numbers between 0 and 1, or -1 and 0, for symbols."""
    return {
        symbol: (-1 if symbol.is_negative else 1)
        * sp.Rational(_PRIMES[(k + shift) % 30], _PRIMES[(k + shift) % 30 + 3 + k % 5])
        for k, symbol in enumerate(sorted(symbols, key=str))
    }


def constant_value(form: Expr, law: GaussianLaw) -> Expr | None:
    """Return the mean of an affine form whose variance is 0, and None for other affine forms."""
    return _constant_value(form, law, _FROM_FLOATS.get())


@lru_cache(maxsize=4096)
def _constant_value(form: Expr, law: GaussianLaw, rounded: bool) -> Expr | None:
    constant, row = law.affine_coefficients(sp.expand(form))
    n = range(len(row))
    if not is_zero_sum(*(row[i] * law.cov[i, j] * row[j] for i in n for j in n)):
        return None
    terms = [constant, *(c * m for c, m in zip(row, law.mean.values(), strict=True))]
    return S.Zero if is_zero_sum(*terms) else simplify_complex_rational(sp.Add(*terms))


@lru_cache(maxsize=1024)
def determined_coordinates(law: GaussianLaw) -> dict[Symbol, Expr]:
    """Return coordinates that others determine with probability one, as affine forms of these.

    There is none if numbers are rounded, or if an affine form has a denominator that may be zero.
    The others have a nonsingular covariance.
    """
    if law.cov.has(sp.Float) or not is_singular(law):
        return {}
    # A column of the covariance is the same combination of others as its coordinate.
    gains, chosen = law.cov.as_mutable().rref(iszerofunc=is_zero_sum, simplify=_simplified)
    if any(sp.fraction(sp.together(gain))[1].is_nonzero is not True for gain in gains):
        return {}
    names, mean, found = law.symbols, list(law.mean.values()), {}
    for k in sorted(set(range(len(names))) - set(chosen)):
        slopes = [_simplified(gains[row, k]) for row in range(len(chosen))]
        parts = [mean[k], *(-c * mean[p] for c, p in zip(slopes, chosen, strict=True))]
        constant = S.Zero if is_zero_sum(*parts) else _simplified(sp.Add(*parts))
        found[names[k]] = constant + sum(c * names[p] for c, p in zip(slopes, chosen, strict=True))
    return found


def _simplified(entry: Expr) -> Expr:
    return sp.radsimp(sp.sqrtdenest(simplify_complex_rational(sp.sympify(entry))))


@lru_cache(maxsize=1024)
def is_singular(law: GaussianLaw) -> bool:
    """Return whether the covariance is singular for all values of its symbols."""
    names = range(len(law.symbols))
    scale = sp.Mul(*(law.cov[i, i] for i in names))
    if any(is_zero_sum(law.cov[i, i]) for i in names):
        return True
    point = _sample_point(frozenset(law.cov.free_symbols), 3)
    found, size = law.cov.xreplace(point).evalf(40).det(), abs(scale.xreplace(point).evalf(40))
    floats = law.cov.has(sp.Float)
    if found.is_number and size.is_number and abs(found) > size * (_ROUNDED if floats else _EXACT):
        return False
    return floats or is_zero_sum(law.cov.det(method="berkowitz"))


def without_determined_coordinates(
    expr: Expr, law: GaussianLaw
) -> tuple[Expr, GaussianLaw | None] | None:
    """Return an integrand and a law without the coordinates that others determine.

    The law is None if all coordinates in the integrand are constant; the result is None if there
    are no such coordinates. Derivatives and delta functions need all coordinates; cases between
    symbols are left to signs. Raise an error if the integrand is infinite where these are put in.
    """
    involved = [s for s in law.symbols if s in expr.free_symbols]
    if not involved or _FROM_FLOATS.get() or expr.has(sp.Derivative, sp.DiracDelta):
        return None
    law = law.marginal(*involved)
    determined = determined_coordinates(law)
    if not determined:
        return None
    try:
        reduced = expr.xreplace(determined)
    except RecursionError:
        # SymPy does not come to an end with some conditions.
        return None
    if reduced.has(S.NaN, S.ComplexInfinity, S.Infinity, S.NegativeInfinity):
        where = ", ".join(f"{symbol} = {form}" for symbol, form in determined.items())
        raise DivergenceError(f"not integrable: {expr} has no finite value at {where}")
    if any(
        node.free_symbols and not node.free_symbols & set(involved)
        for node in reduced.atoms(sp.Heaviside, sp.Max, sp.Min, sp.Piecewise) - expr.atoms()
    ):
        return None
    left = [s for s in involved if s not in determined]
    return reduced, law.marginal(*left) if left else None
