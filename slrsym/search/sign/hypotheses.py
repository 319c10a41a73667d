"""What hypotheses, bounds and definitions say of polynomials in generators."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sympy import Abs, Dummy, Expr, Max, Min, Poly, S, asin, atan

from slrsym.search.ranges import NoRange
from slrsym.search.sign.polynomials import polynomial
from slrsym.search.sign.signs import NONNEGATIVE, NONZERO, POSITIVE, UNKNOWN, ZERO, Sign

if TYPE_CHECKING:
    from slrsym.search.sign.decider import Decider

__all__ = ["nonnegative_polynomials", "statements"]

_MOST_CANDIDATES = 40


def statements(decider: Decider) -> list[tuple[Poly, Sign]]:
    """The hypotheses, as signs of polynomials.

    A hypothesis counts where it is certainly defined, which may follow from other ones.
    """
    found = list(_translated(decider))
    return found + list(_quotients(decider, found))


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


def _translated(decider: Decider) -> Iterator[tuple[Poly, Sign]]:
    stated = [
        *((e, POSITIVE if strict else NONNEGATIVE) for e, strict in decider.facts.inequalities),
        *((e, ZERO) for e in decider.facts.zeros),
        *((e, NONZERO) for e in decider.facts.nonzeros),
    ]
    for expr, sign in stated:
        try:
            decider.require_defined(expr)
        except NoRange:
            continue
        fraction = decider.generators.fraction(decider.generators.atomised(expr))
        for form in dict.fromkeys((fraction, fraction and decider.generators.reduced(fraction))):
            if form is not None and not form.top.is_ground:
                yield form.top, sign * (NONZERO & decider.of_polynomial(form.bottom))


def _quotients(decider: Decider, stated: list[tuple[Poly, Sign]]) -> Iterator[tuple[Poly, Sign]]:
    """The signs of single factors, where those of the others are known."""
    for p, sign in stated:
        constant, factors = decider.generators.factors(p)
        for i, (factor, n) in enumerate(factors):
            others = Sign.of_number(constant)
            for j, (other, m) in enumerate(factors):
                if i != j:
                    others *= decider.of_factor(other) ** m
            if not others.nonzero and not sign.nonzero:
                continue
            if sign.nonzero:
                others &= NONZERO
            quotient = sign * others
            if n % 2 == 0:
                quotient = quotient if quotient.zero or quotient.nonzero else UNKNOWN
                quotient = NONZERO if quotient.nonzero else quotient
            if quotient != UNKNOWN:
                yield factor, quotient


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
    if isinstance(meaning, asin):
        for side in (1, -1):
            bounded.append((half_turn - 2 * side * g, decider.sign(1 - side * meaning.args[0])))
    elif isinstance(meaning, atan):
        bounded = [(half_turn - 2 * side * g, POSITIVE) for side in (1, -1)]
    elif isinstance(meaning, Abs | Max | Min):
        others = meaning.args
        if isinstance(meaning, Abs):
            others = (*others, -others[0])
        side = -1 if isinstance(meaning, Min) else 1
        bounded = [(side * (g - decider.generators.canonical(u)), NONNEGATIVE) for u in others]
    for difference, sign in bounded:
        fraction = decider.generators.fraction(difference)
        if fraction is not None and fraction.bottom.is_ground:
            yield fraction.top * fraction.bottom.as_expr(), sign
