"""Rules for the sign of an irreducible polynomial in generators.

A rule gets a decider, which it asks for ranges of generators and signs of simpler expressions, and
the polynomial. Its docstring says why it is right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from itertools import combinations_with_replacement
from operator import add, mul
from typing import TYPE_CHECKING

import sympy as sp
from sympy import QQ, Abs, Dummy, Expr, Min, Poly, S

from slrsym.gaussian.functions import OwensT, normal_cdf
from slrsym.proofs.generators import (
    Terms,
    coefficient,
    discriminant,
    polynomial,
    product,
    terms_of,
    value,
)
from slrsym.proofs.intervals import (
    NONNEGATIVE,
    NONZERO,
    POSITIVE,
    UNKNOWN,
    ZERO,
    RealInterval,
    Sign,
)
from slrsym.proofs.ranges import is_name

if TYPE_CHECKING:
    from slrsym.proofs.signs import Decider


def nonnegative_polynomials(decider: Decider, p: Poly) -> list[tuple[Poly, Sign]]:
    """Polynomials that are not negative, of use for the sign of another one."""
    found: list[tuple[Poly, Sign]] = []
    for q, sign in decider.statements:
        if sign.nonnegative:
            found.append((q, sign))
        elif sign.nonpositive:
            found.append((-q, -sign))
    for g in p.gens:
        found += _bounds_of(decider, g)
        found += _defining(decider, g)
    return found[:_MOST_CANDIDATES]


def _bounds_of(decider: Decider, g: Dummy) -> Iterator[tuple[Poly, Sign]]:
    inside = decider.short_range_of_generator(g)
    for end, is_open, side in (
        (inside.low, inside.low_open, 1),
        (inside.high, inside.high_open, -1),
    ):
        if not end.is_infinite:
            yield polynomial(side * (g - end)), POSITIVE if is_open else NONNEGATIVE


def _defining(decider: Decider, g: Dummy) -> Iterator[tuple[Poly, Sign]]:
    """How a generator compares with others by its definition."""
    meaning = decider.generators.meaning[g]
    half_turn = decider.generators.atomised(S.Pi)
    bounded: list[tuple[Expr, Sign]] = []
    if isinstance(meaning, sp.asin):
        for side in (1, -1):
            bounded.append((half_turn - 2 * side * g, decider.sign(1 - side * meaning.args[0])))
    elif isinstance(meaning, sp.atan):
        bounded = [(half_turn - 2 * side * g, POSITIVE) for side in (1, -1)]
    elif isinstance(meaning, Abs | sp.Max | Min):
        others = meaning.args
        if isinstance(meaning, Abs):
            others = (*others, -others[0])
        side = -1 if isinstance(meaning, Min) else 1
        bounded = [(side * (g - decider.generators.canonical(u)), NONNEGATIVE) for u in others]
    for difference, sign in bounded:
        fraction = decider.generators.fraction(difference)
        if fraction is not None and fraction.bottom.is_ground:
            yield fraction.top * fraction.bottom.as_expr(), sign


_MOST_CANDIDATES = 40
_MOST_FOR_INTEGERS = 12
_MOST_FOR_PRODUCTS = 8

# Strictly increasing on the whole of their domains, which are intervals.
_INCREASING = (sp.erf, normal_cdf, sp.atan, sp.asin, sp.tanh, sp.sinh, sp.log)
_DECREASING = (sp.erfc, sp.acos)
# Those that are odd, too.
ODD = (sp.erf, sp.atan, sp.asin, sp.tanh, sp.sinh)


# -- by where the generators lie ---------------------------------------------------------------


def by_terms(decider: Decider, p: Poly) -> Sign:
    """Its terms have known signs, which agree."""
    return _sign_of_terms(terms_of(p), decider.of_generator)


def _sign_of_terms(terms: Terms, sign_of: Callable[[Dummy], Sign]) -> Sign:
    total = ZERO
    for monomial, c in terms.items():
        term = Sign.of_number(c)
        for g, n in monomial:
            term *= sign_of(g) ** n
        total += term
        if total == UNKNOWN:
            break
    return total


def by_integers(decider: Decider, p: Poly) -> Sign:
    """It is a polynomial in one integer, and has this sign at all integers where that may lie."""
    present = [g for g, n in zip(p.gens, p.degree_list(), strict=True) if n]
    if len(present) != 1 or p.domain not in (sp.ZZ, QQ):
        return UNKNOWN
    name = decider.generators.meaning[present[0]]
    if not is_name(name) or name.is_integer is not True:
        return UNKNOWN
    q = Poly(p.as_expr(), present[0], domain=QQ)
    if q.degree() > _MOST_FOR_INTEGERS:
        return UNKNOWN
    reach = decider.range_of_generator(present[0])
    # Between two real zeros the sign is that at any integer there, if there is one: it is enough
    # to look beside the zeros, and at the ends.
    ends = [x for x in (reach.low, reach.high) if x.is_finite]
    places = {sp.floor(x) + k for x in ends for k in (-1, 0, 1, 2)} or {S.Zero}
    for (low, high), _ in q.intervals(eps=sp.Rational(1, 4)):
        places |= {
            sp.floor(low) - 1,
            sp.floor(low),
            sp.ceiling(low),
            sp.floor(high),
            sp.ceiling(high),
        }
        places.add(sp.ceiling(high) + 1)
    values = [q.eval(n) for n in places if n in reach]
    if not values:
        return UNKNOWN
    lowest, highest = min(values), max(values)
    low, high = (S.Zero if lowest >= 0 else -sp.oo), (S.Zero if highest <= 0 else sp.oo)
    found = Sign.of_range(RealInterval(low, high, lowest > 0, highest < 0))
    return found if 0 in values else found & NONZERO


def _by_range(decider: Decider, p: Poly) -> Sign:
    """The ranges of its terms add up to no more."""
    terms = [
        reduce(
            mul,
            (
                decider.range_of_generator(g).power(n)
                for g, n in zip(p.gens, powers, strict=True)
                if n
            ),
            RealInterval.point(c),
        )
        for powers, c in p.terms()
    ]
    return Sign.of_range(reduce(add, terms))


def _by_discriminant(decider: Decider, p: Poly) -> Sign:
    """It is quadratic in a variable, with a discriminant that is not positive."""
    for g in p.gens:
        if p.degree(g) != 2:
            continue
        leading = decider.of_polynomial(coefficient(p, g, 2))
        if not leading.positive and not leading.negative:
            continue
        found = decider.of_polynomial(discriminant(p, g))
        if found.negative:
            return leading
        if found.nonpositive:
            return Sign(leading.possible | {0})
    return UNKNOWN


def _by_ends(decider: Decider, p: Poly) -> Sign:
    """It is linear, convex or concave in a variable, and has this sign at the ends."""
    found = UNKNOWN
    for g in p.gens:
        degree = p.degree(g)
        if degree > 2:
            continue
        reach = decider.short_range_of_generator(g)
        ends = [e for e in (reach.low, reach.high) if not e.is_infinite]
        slope = decider.of_polynomial(coefficient(p, g, degree))
        at = [decider.of_polynomial(value(p, g, e)) for e in ends]
        if len(ends) == 2:
            for side in (1, -1):
                # A concave function is at least what the chord is.
                if degree == 2 and not (slope.nonpositive if side == 1 else slope.nonnegative):
                    continue
                low, high = at if side == 1 else [-s for s in at]
                if low.nonnegative and high.nonnegative:
                    chord = _chord(low, high, reach)
                    found &= chord if side == 1 else -chord
        elif len(ends) == 1 and degree == 1:
            away = Sign.of_range(reach - RealInterval.point(ends[0]))
            found &= at[0] + slope * away
        if found.decided:
            break
    return found


def _chord(low: Sign, high: Sign, reach: RealInterval) -> Sign:
    """The sign of a mean of two nonnegative values, weighted by the place in an interval."""
    never_zero = (
        (low.positive and high.positive)
        or (low.positive and reach.high_open)
        or (high.positive and reach.low_open)
    )
    return POSITIVE if never_zero else NONNEGATIVE


# -- by comparison -----------------------------------------------------------------------------


def _by_squares(decider: Decider, p: Poly) -> Sign:
    """The squares of a root and of the rest can be compared."""
    for g in p.gens:
        if g not in decider.generators.roots or p.degree(g) != 1:
            continue
        q, b = decider.generators.roots[g]
        if q != 2:
            continue
        u, w = coefficient(p, g, 0), coefficient(p, g, 1)
        first, second = decider.of_polynomial(u), decider.of_polynomial(w) * decider.of_generator(g)
        norm = decider.generators.fraction(w.as_expr() ** 2 * b - u.as_expr() ** 2)
        norm = norm and decider.generators.reduced(norm)
        if norm is None:
            continue
        larger = decider.of_fraction(norm)
        if larger.nonnegative or larger.nonpositive:
            outweighing = second if larger.nonnegative else first
            return outweighing if larger.nonzero else Sign(outweighing.possible | {0})
    return UNKNOWN


def _by_monotony(decider: Decider, p: Poly) -> Sign:
    """It is the difference of two values of a monotone function."""
    if len(p.terms()) != 2:
        return UNKNOWN
    (first, c), (second, e) = ((_monomial(p, powers), c) for powers, c in p.terms())
    if abs(c) != abs(e):
        return UNKNOWN
    u, v = (decider.generators.back(polynomial(m)) for m in (first, second))
    direction = Sign.of_number(c)
    if isinstance(u, sp.exp) and isinstance(v, sp.exp):
        # A negative sum of exponentials is found by the signs of its terms.
        return direction * decider.sign(u.args[0] - v.args[0]) if c == -e else UNKNOWN
    if type(u) is not type(v):
        return UNKNOWN
    if isinstance(u, OwensT):
        if u.args[0] != v.args[0]:
            return UNKNOWN
        difference = u.args[1] - v.args[1] if c == -e else u.args[1] + v.args[1]
        return direction * decider.sign(difference)
    if isinstance(u, _DECREASING):
        return -direction * decider.sign(u.args[0] - v.args[0]) if c == -e else UNKNOWN
    if isinstance(u, _INCREASING):
        if c == -e:
            return direction * decider.sign(u.args[0] - v.args[0])
        if isinstance(u, ODD):
            return direction * decider.sign(u.args[0] + v.args[0])
    return UNKNOWN


def _monomial(p: Poly, powers: tuple[int, ...]) -> Expr:
    return sp.Mul(*(g**n for g, n in zip(p.gens, powers, strict=True)))


# -- by combination ----------------------------------------------------------------------------


def _by_combination(decider: Decider, p: Poly) -> Sign:
    """It is a combination of hypotheses and of terms of known sign."""
    known = [(terms_of(q), sign) for q, sign in nonnegative_polynomials(decider, p)]
    terms = terms_of(p)
    candidates = list(known)
    if len(known) <= _MOST_FOR_PRODUCTS:
        pairs = combinations_with_replacement(known, 2)
        candidates += [(product(q, r), s * t) for (q, s), (r, t) in pairs]
        for g in p.gens:
            n = 1 if decider.of_generator(g).nonnegative else 2
            multiplier = {frozenset({(g, n)}): QQ(1)}
            sign = decider.of_generator(g) ** n
            candidates += [(product(q, multiplier), s * sign) for q, s in known]
    useful = [(q, s) for q, s in candidates if s.nonnegative and not terms.keys().isdisjoint(q)]
    found = UNKNOWN
    for side in (1, -1):
        signed = {monomial: side * c for monomial, c in terms.items()}
        reached = _combined(decider, signed, useful[:_MOST_CANDIDATES], depth=2)
        found &= reached if side == 1 else -reached
    return found


def _combined(
    decider: Decider, terms: Terms, candidates: list[tuple[Terms, Sign]], depth: int
) -> Sign:
    """Nonnegative or positive if there is a nonnegative combination; otherwise unknown."""
    best = UNKNOWN
    for q, sign in candidates:
        ratios = {terms[monomial] / c for monomial, c in q.items() if monomial in terms}
        for ratio in sorted(ratios):
            if ratio < 0 and not sign.zero:
                continue
            rest = dict(terms)
            for monomial, c in q.items():
                rest[monomial] = rest.get(monomial, QQ(0)) - ratio * c
                if not rest[monomial]:
                    del rest[monomial]
            if len(rest) > len(terms):
                continue
            remainder = _sign_of_terms(rest, decider.of_generator)
            if not remainder.nonnegative and depth > 1:
                remainder = _combined(decider, rest, candidates, depth - 1)
            if remainder.nonnegative:
                best &= remainder + sign
                if best.decided:
                    return best
    return best


# -- the rules ---------------------------------------------------------------------------------

# In the order in which they are tried, the quick ones first.
RULES: tuple[Callable[[Decider, Poly], Sign], ...] = (
    by_terms,
    _by_range,
    _by_monotony,
    _by_squares,
    _by_combination,
    _by_ends,
    _by_discriminant,
)
# For polynomials whose roots and factors would take long.
RULES_FOR_LARGE: tuple[Callable[[Decider, Poly], Sign], ...] = (by_terms, _by_range, _by_monotony)
