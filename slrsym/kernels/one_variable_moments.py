r"""Means over a part of a normal law in one variable, found in sums of their closed forms.

The mean of a polynomial over a half-line or an interval comes as a polynomial times a normal
probability plus one times a density. Far out, and on a short interval, these terms cancel; so do
the two probabilities of :math:`\mathbb{E}(e^X - 1)_+` where next to nothing varies. Here such sums
become functions of `slrsym.kernels.edge_functions`. All decisions are symbolic.

The mean of :math:`f(Z)` over :math:`Z < u` is :math:`\alpha\Phi(u) - g(u)\varphi(u)` with
:math:`f = \alpha - g' + zg`, by Stein's lemma. Of a variable :math:`m + \sigma Z`, the heat
equation gives the polynomial :math:`F` whose mean :math:`\alpha(m)` is.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import sympy as sp
from sympy import Expr, Function, S, Symbol, pi, sqrt

from slrsym.gaussian import normal_cdf
from slrsym.gaussian.roots import is_root
from slrsym.kernels.edge_functions import (
    MOST_COEFFICIENTS,
    ExponentialExcess,
    HalfLineMoment,
    IntervalMoment,
    NormalInterval,
    RampMean,
)

# A sum with more terms than this, multiplied out, is left as it is.
_MOST_TERMS = 60
_ROOT_TWO_PI = sqrt(2 * pi)
_TAILS = (normal_cdf, sp.erf)


class _ClosedTerm(NamedTuple):
    """A coefficient times the exponential of an exponent, times a probability of `u` or 1.

    In a sum, terms belong together that have the same other factors, such as a sign: the group.
    """

    group: Expr
    coefficient: Expr
    exponent: Expr
    u: Expr | None

    def value(self) -> Expr:
        """Return the product, without the factors of the group."""
        tail = S.One if self.u is None else normal_cdf(self.u)
        return self.coefficient * sp.exp(self.exponent) * tail


class _End:
    """An end u of a part of the line, with the terms of its probability and its density."""

    def __init__(self, u: Expr) -> None:
        self.u = u
        self.probability: Expr = S.Zero
        self.density: Expr = S.Zero
        # What is left as probabilities of -u are written by those of u.
        self.constant: Expr = S.Zero
        self.terms: list[_ClosedTerm] = []

    def add(self, term: _ClosedTerm) -> None:
        """Add a term with a probability of u or -u, or with the density there."""
        self.terms.append(term)
        if term.u is None:
            self.density += term.coefficient * _ROOT_TWO_PI
        elif term.u == self.u or _equal(term.u, self.u):
            self.probability += term.coefficient
        else:
            self.probability -= term.coefficient
            self.constant += term.coefficient

    def turned(self) -> _End:
        """Return the same end, by the probability of -u."""
        other = _End(-self.u)
        other.probability, other.density = -self.probability, self.density
        other.constant, other.terms = self.constant + self.probability, self.terms
        return other


def with_one_variable_moments(total: Expr) -> tuple[Expr, list[Expr]]:
    """Return a sum with its means over parts of a normal law, and the sums in it to be left."""
    if len(total.args) > _MOST_TERMS or len(total.atoms(sp.exp)) + total.has(normal_cdf) < 2:
        return total, []
    by_group: dict[Expr, list[_ClosedTerm]] = {}
    for term in _terms(total):
        by_group.setdefault(term.group, []).append(term)
    found, left, changed = [], [], False
    for group, terms in by_group.items():
        new, sums = _rewritten(terms)
        changed |= bool(new)
        found += [group * value for value in new or [term.value() for term in terms]]
        left += sums
    return (sp.Add(*found), left) if changed else (total, [])


# -- terms -----------------------------------------------------------------------------------------


class TooManyProductsError(Exception):
    """Error for a product of sums with more terms than are wanted."""


def multiplied_out(expr: Expr, tails: tuple[type[Expr], ...], most: float = math.inf) -> list[Expr]:
    """Return the addends of an expression, its sums of probabilities and bells multiplied out.

    Raises `TooManyProductsError` for a product of more than `most` terms.
    """
    if isinstance(expr, sp.Add):
        return [part for addend in expr.args for part in multiplied_out(addend, tails, most)]
    if not isinstance(expr, sp.Mul) or not expr.has(*tails, sp.exp):
        return [expr]
    sums = [multiplied_out(f, tails, most) if f.has(*tails, sp.exp) else [f] for f in expr.args]
    if math.prod(map(len, sums)) > most:
        raise TooManyProductsError
    return [sp.Mul(*parts) for parts in itertools.product(*sums)]


def _terms(total: Expr) -> Iterator[_ClosedTerm]:
    for product in multiplied_out(total, _TAILS):
        factors = sp.Mul.make_args(product)
        tails = [f for f in factors if isinstance(f, _TAILS)]
        bells = [f for f in factors if isinstance(f, sp.exp)]
        others = [f for f in factors if f not in tails and f not in bells and f.has(Function)]
        if len(tails) > 1 or any(f.has(sp.exp, *_TAILS) for f in others):
            yield _ClosedTerm(product, S.One, S.Zero, None)
            continue
        group = sp.Mul(*others)
        rest = sp.Mul(*(f for f in factors if not f.has(Function)))
        exponent = sp.Add(*(f.args[0] for f in bells))
        if not tails:
            yield _ClosedTerm(group, rest, exponent, None)
        elif isinstance(tails[0], sp.erf):
            yield _ClosedTerm(group, 2 * rest, exponent, sqrt(2) * tails[0].args[0])
            yield _ClosedTerm(group, -rest, exponent, None)
        else:
            yield _ClosedTerm(group, rest, exponent, tails[0].args[0])


@lru_cache(maxsize=4096)
def _normal(expr: Expr) -> Expr:
    """Return a form that is the same for equal rational functions of symbols and roots."""
    return sp.cancel(sp.together(sp.expand(expr)))


def _equal(a: Expr, b: Expr) -> bool:
    return bool(a == b or _normal(a - b) == 0)


# -- one group -------------------------------------------------------------------------------------


def _rewritten(terms: list[_ClosedTerm]) -> tuple[list[Expr], list[Expr]]:
    """Return the addends of a sum with functions for means, if there are any, and sums to leave."""
    ends: dict[Expr, _End] = {}
    rest: list[_ClosedTerm] = []
    for term in sorted(terms, key=lambda t: t.u is None):
        square = _square(term)
        if square is None:
            rest.append(term)
            continue
        if square not in ends:
            u = _root_of_square(square) if term.u is None else term.u
            if u is None:
                rest.append(term)
                continue
            ends[square] = _End(u)
        ends[square].add(term)
    waiting = list(ends.values())
    found = _excesses(waiting, rest)
    left = []
    for low, high in itertools.permutations(list(waiting), 2):
        value = _interval(low, high) if low in waiting and high in waiting else None
        if value is not None:
            found += value
            left.append(value[0].args[0])
            waiting = [e for e in waiting if e is not low and e is not high]
    # Of an interval below the mean, two half-lines would cancel.
    for end in [e for e in waiting if e.probability != 0 and e.density != 0]:
        value = _half_line(end)
        if value is not None:
            found += [value, end.constant]
            waiting.remove(end)
    if not found:
        return [], []
    rest += [term for e in waiting for term in e.terms]
    return [x for x in found if x != 0] + [term.value() for term in rest], left


def _square(term: _ClosedTerm) -> Expr | None:
    """Return the square of the end that a probability or a density belongs to, or None."""
    if term.u is not None:
        return _normal(term.u**2) if term.exponent == 0 else None
    if term.exponent == 0 or term.exponent.has(Function):
        return None
    return _normal(-2 * term.exponent)


def _root_of_square(square: Expr) -> Expr | None:
    root = sp.sqrt(sp.factor(square)).replace(sp.Abs, lambda x: x)
    halves = [p for p in root.atoms(sp.Pow) if not p.exp.is_Integer]
    return root if all(p.base.is_positive for p in halves) else None


# -- half-lines ------------------------------------------------------------------------------------


def _linear(u: Expr) -> Iterator[tuple[Symbol, Expr, Expr]]:
    """Yield symbols in which an expression is linear, with its slope and its zero."""
    for x in sorted(u.free_symbols, key=str):
        slope = sp.diff(u, x)
        if slope != 0 and x not in slope.free_symbols:
            yield x, slope, _normal(x - u / slope)


def _before_heat(alpha: Expr, x: Symbol, variance: Expr) -> Expr:
    """Return the polynomial in x whose mean under a normal law around x is another."""
    total, term, order = S.Zero, alpha, 0
    while term != 0:
        total += term
        order += 1
        term = -variance / (2 * order) * sp.diff(term, x, 2)
    return sp.expand(total)


def _stein(f: Expr, z: Symbol) -> Expr:
    """Return g with f = alpha - g' + z g."""
    coefficients = sp.Poly(f, z).all_coeffs()[::-1]
    found = [S.Zero] * (len(coefficients) + 1)
    for j in range(len(coefficients) - 2, -1, -1):
        found[j] = coefficients[j + 1] + (j + 2) * (found[j + 2] if j + 2 < len(found) else 0)
    return sp.Add(*(c * z**j for j, c in enumerate(found)))


def _taylor(f: Expr, x: Symbol, place: Expr) -> list[Expr]:
    """Return the coefficients of a polynomial in the distance from a place."""
    y = sp.Dummy("y")
    moved = sp.expand(f.subs(x, place + y))
    return [_tidy(c) for c in sp.Poly(moved, y).all_coeffs()[::-1]]


def _tidy(c: Expr) -> Expr:
    return sp.factor(c) if isinstance(c, sp.Add) else c


def _half_line(end: _End) -> Expr | None:
    """Return the mean of a polynomial over a half-line, in powers of the distance from its end."""
    z = sp.Dummy("z", real=True)
    for x, slope, zero in _linear(end.u):
        if not end.probability.is_polynomial(x) or sp.degree(sp.expand(end.probability), x) < 2:
            continue
        deviation = 1 / slope
        f = _before_heat(end.probability, x, deviation**2)
        standard = sp.expand(f.subs(x, zero + deviation * (z + end.u)))
        # The mean over Z > -u, which is that of f(-Z) over Z < u.
        g = _stein(standard.subs(z, -z), z)
        if not _equal(-g.subs(z, end.u), end.density):
            continue
        coefficients = _taylor(f, x, zero)
        if len(coefficients) > MOST_COEFFICIENTS:
            return None
        return _sum_of_half_lines(coefficients, deviation, end.u)
    return None


def _sum_of_half_lines(coefficients: list[Expr], deviation: Expr, u: Expr) -> Expr:
    size = deviation
    if deviation.is_negative or deviation.could_extract_minus_sign():
        size = -deviation
    # A root is never below 0 where it is real.
    if not all(f.is_nonnegative or is_root(f) for f in sp.Mul.make_args(size)):
        size = S.One
    mean = _normal(size * u)
    total = S.Zero
    for n, c in enumerate(coefficients):
        scale = c * (deviation / size) ** n
        total += scale * (
            normal_cdf(u) if n == 0 else RampMean(mean, size) if n == 1
            else HalfLineMoment(n, mean, size)
        )  # fmt: skip
    return total


# -- intervals -------------------------------------------------------------------------------------


def _interval(low: _End, high: _End) -> list[Expr] | None:
    """Return the mean of a polynomial over an interval, and a constant, of two of its ends."""
    if (low.probability == 0) != (high.probability == 0):
        return None
    for lower in (low, low.turned()):
        if not _equal(lower.probability, -high.probability):
            continue
        u, w, alpha = lower.u, high.u, high.probability
        found = _polynomial_on(u, w, alpha, low.density, high.density)
        if found is None or not found[1].has(found[0]):
            continue
        z, f = found
        below, above = (_taylor(f, z, place) for place in (u, w))
        if len(below) > MOST_COEFFICIENTS:
            continue
        pad = [S.Zero] * (MOST_COEFFICIENTS - len(below))
        length = _tidy(sp.together(w - u))
        direct = sp.Add(
            alpha * NormalInterval(u, w, length),
            *(e.density / _ROOT_TWO_PI * sp.exp(-(e.u**2) / 2) for e in (low, high)),
        )
        mean = IntervalMoment(direct, u, w, length, *below, *pad, *above, *pad)
        return [mean, lower.constant + high.constant]
    return None


def _polynomial_on(
    u: Expr, w: Expr, alpha: Expr, below: Expr, above: Expr
) -> tuple[Symbol, Expr] | None:
    """Return the polynomial whose mean over an interval has these coefficients, or None."""
    z = sp.Dummy("z", real=True)
    for x, slope, _ in _linear(w):
        if u.has(x) or alpha.has(x) or not above.is_polynomial(x):
            continue
        g = sp.expand(-above.subs(x, (z - sp.expand(w - slope * x)) / slope))
        if not g.is_polynomial(z) or g.has(x) or not _equal(g.subs(z, u), below):
            continue
        return z, sp.expand(alpha - sp.diff(g, z) + z * g)
    for x, slope, _ in _linear(w):
        if not alpha.is_polynomial(x) or not _equal(sp.diff(u, x), slope):
            continue
        deviation = -1 / slope
        f = _before_heat(alpha, x, deviation**2)
        standard = sp.expand(f.subs(x, x + deviation * z))
        g = _stein(standard, z)
        if _equal(g.subs(z, u), below) and _equal(-g.subs(z, w), above):
            return z, standard
    return None


# -- exponentials ----------------------------------------------------------------------------------


def _excesses(waiting: list[_End], rest: list[_ClosedTerm]) -> list[Expr]:
    """Return multiples of means of (exp(m + s Z) - 1)_+, and take their terms out of the lists."""
    found: list[Expr] = []
    open_ = [t for t in rest if t.u is not None]
    alone = {end.terms[0]: end for end in waiting if len(end.terms) == 1 and end.density == 0}
    for term in list(open_):
        for other in [t for t in (*alone, *open_) if term in open_ and t is not term]:
            if term.u is None or other.u is None:
                continue
            ratio = _normal(-term.coefficient / other.coefficient)
            s = _normal(term.u - other.u)
            if not ratio.is_positive or not (s.is_nonnegative or s.is_nonpositive):
                continue
            exponent = sp.Add(term.exponent, -other.exponent)
            exponent += sp.expand_log(sp.log(ratio), force=True)
            mean = sp.expand(exponent - s**2 / 2)
            if s == 0 or not _equal(mean, s * other.u):
                continue
            scale = -other.coefficient * sp.exp(other.exponent)
            way = 1 if s.is_nonnegative else -1
            found.append(scale * ExponentialExcess(way, mean, way * s))
            for taken in (term, other):
                if taken in alone:
                    waiting.remove(alone.pop(taken))
                else:
                    rest.remove(taken)
                    open_.remove(taken)
    return found
