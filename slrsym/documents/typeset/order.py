"""The order in which terms and factors are printed, and the parts of products."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import filterfalse
from typing import Any

from sympy import (
    Add,
    Derivative,
    Expr,
    Function,
    Integer,
    Integral,
    Mul,
    Pow,
    Rational,
    S,
    Subs,
    Sum,
    Symbol,
    exp,
    factorint,
    factorrat,
    pi,
)
from sympy.tensor.indexed import Indexed

from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.law import IIDSum
from slrsym.prover.statements.expressions import expression_text

_SUMS = (Sum, IIDSum)
_INTEGRALS = (Integral, Derivative, Subs)


def is_negative_term(term: Expr) -> bool:
    """Return whether a term of a sum is written with a minus sign before it."""
    coefficient = term.as_coeff_Mul()[0]
    return bool(coefficient.is_real and coefficient.is_negative)


class PrintingOrder:
    """The order in which terms, factors and symbols are printed, from a list of letters."""

    def __init__(self, letters: Sequence[str] = ()) -> None:
        self._ranks = {name: place for place, name in enumerate(letters)}

    def symbol_key(self, symbol: Any, bound: frozenset[Symbol] = frozenset()) -> tuple[Any, ...]:
        """Return the key by which symbols are sorted for printing, bound variables last."""
        name = getattr(symbol, "name", str(symbol))
        # x_2 before x_10.
        parts = [int(p) if p.isdecimal() else p for p in re.split(r"(\d+)", name.lower())]
        return (symbol in bound, self._ranks.get(name, len(self._ranks)), parts, name)

    def sorted_terms(self, terms: Iterable[Expr], bound: frozenset[Symbol]) -> list[Expr]:
        """Return a sum's terms in printing order, with a positive term first if there is one."""
        found = list(terms)
        if len(found) == 2:
            counts = [t for t in found if t.is_Symbol and t.is_integer]
            if len(counts) == 1 and any(isinstance(t, Integer) for t in found):
                return sorted(found, key=lambda t: t is not counts[0])
        ordered = sorted(found, key=lambda term: self._term_key(term, bound))
        for place, term in enumerate(ordered):
            if not is_negative_term(term):
                return [term, *ordered[:place], *ordered[place + 1 :]]
        return ordered

    def sorted_factors(self, factors: Iterable[Expr], bound: frozenset[Symbol]) -> list[Expr]:
        """Return a product's factors in printing order: numbers, letters, functions."""
        return sorted(factors, key=lambda factor: self._factor_key(factor, bound))

    # -- keys ----------------------------------------------------------------------------------

    def _factor_key(self, factor: Expr, bound: frozenset[Symbol]) -> tuple[Any, ...]:
        base = factor.base if isinstance(factor, Pow) else factor
        half = isinstance(factor, Pow) and factor.exp.is_Rational and not factor.exp.is_Integer
        if base.is_number and not base.has(exp):
            return (0, base != pi, expression_text(base))
        if isinstance(base, Symbol | Indexed):
            count = base.is_integer and not half
            return (1 if count else 3 if half else 2, self.symbol_key(base, bound))
        if isinstance(base, Add) and base.free_symbols and all(
            s.is_integer for s in base.free_symbols
        ):  # fmt: skip
            # L - 1 after L, but (L - 1)(L - 2).
            return (1, (True, 0), -float(base.as_coeff_Add()[0]))
        if isinstance(base, Add):
            plain, least = self._sum_key(base, bound)
            return (6 if plain else 3.5, least, expression_text(base))
        if isinstance(base, exp):
            return (5, expression_text(base))
        if isinstance(base, Expectation):
            return (7, expression_text(base))
        if isinstance(base, _INTEGRALS):
            return (8, expression_text(base))
        if isinstance(base, _SUMS):
            return (9, expression_text(base))
        return (4, type(base).__name__, expression_text(base))

    def _sum_key(self, base: Expr, bound: frozenset[Symbol]) -> tuple[Any, ...]:
        names = [self.symbol_key(s, bound) for s in base.free_symbols]
        return (base.has(Function), min(names, default=()))

    def _term_key(self, term: Expr, bound: frozenset[Symbol]) -> tuple[Any, ...]:
        rest = term.as_coeff_Mul()[1]
        factors = Mul.make_args(rest)
        counts = sum(
            bool(f.free_symbols) and all(s.is_integer for s in f.free_symbols) for f in factors
        )
        letters = sorted(
            (self.symbol_key(s, bound) for s in rest.free_symbols),
            key=lambda key: (key[0], key[1:]),
        )
        return (
            rest.has(*_SUMS),
            0 if not letters else 1 + counts if counts and len(factors) > 1 else 1,
            _complexity_rank(rest),
            sorted(str(f.func) for f in rest.atoms(Function)),
            any(key[0] for key in letters),
            _letter_exponent(rest),
            letters,
            expression_text(rest),
        )


def _complexity_rank(rest: Expr) -> int:
    """Return a rank for sorting: 0 for letters, 1 with functions, 2 with means or integrals."""
    if rest.has(Expectation, *_INTEGRALS):
        return 2
    return 1 if rest.has(Function) else 0


def _letter_exponent(rest: Expr) -> int:
    """Return the exponent of an integer power of a symbol, and 1 for any other expression."""
    if isinstance(rest, Pow) and rest.exp.is_Integer and rest.base.is_Symbol:
        return int(rest.exp)
    return 1


# A sum of integers with more terms than this is no letter: a fraction stands before it.
_SHORT_SUM = 5


def _is_letter(base: Expr) -> bool:
    """Return whether a factor is printed among the letters, before functions and sums."""
    if isinstance(base, Symbol | Indexed) or base == pi or base.is_Rational:
        return True
    symbols = base.free_symbols
    is_short = isinstance(base, Add) and len(base.args) <= _SHORT_SUM
    return is_short and bool(symbols) and all(s.is_integer for s in symbols)


@dataclass(frozen=True)
class ProductParts:
    """The factors of a product, sorted by kind: number, roots, letters, others, denominator."""

    number: Expr = S.One
    roots: tuple[Expr, ...] = ()
    denominator_radicands: tuple[Expr, ...] = ()
    letters: tuple[Expr, ...] = ()
    others: tuple[Expr, ...] = ()
    negative: bool = False
    below: ProductParts | None = None
    is_power: bool = False

    @property
    def denominator(self) -> ProductParts:
        """The denominator of the product, as a product; empty if there is none."""
        return self.below or ProductParts()

    @cached_property
    def has_open_ended_factor(self) -> bool:
        """Whether a product has a sum or derivative as a factor, whose end is not visible."""
        return any(isinstance(f, Sum | IIDSum | Derivative | Subs) for f in self.others)

    @classmethod
    def from_product(cls, expr: Expr) -> ProductParts:
        """Return the parts of a product, a power or a rational number."""
        coefficient, rest = expr.as_coeff_Mul()
        if not coefficient.is_Rational:
            coefficient, rest = S.One, expr
        if coefficient.is_negative:
            return cls(negative=True)
        if coefficient.p == 0:
            return cls(number=S.Zero)
        primes: defaultdict[int, Rational] = defaultdict(lambda: S.Zero)
        for prime, count in factorrat(coefficient).items():
            primes[prime] += count
        above: list[Expr] = []
        below: list[Expr] = []
        roots: list[Expr] = []
        roots_below: list[Expr] = []
        factors = [] if rest == 1 else list(Mul.make_args(rest))
        for factor in factors:
            base, exponent = factor.as_base_exp() if isinstance(factor, Pow) else (factor, S.One)
            if base.is_Integer and exponent.is_Rational and exponent.q == 2 and base > 0:
                for prime, count in factorint(base).items():
                    primes[prime] += count * exponent
            elif exponent.is_Rational and exponent.is_negative:
                if exponent == -S.Half and _is_letter(base):
                    roots_below.append(base)
                else:
                    below.append(Pow(base, -exponent))
            elif exponent == S.Half and _is_letter(base):
                roots.append(base)
            elif isinstance(factor, Add) and factor.primitive()[0].is_Integer:
                # 2 (L - 1), where SymPy holds 2 L - 2.
                content, primitive = factor.primitive()
                for prime, count in factorint(content.p).items():
                    primes[prime] += count
                above.append(primitive)
            else:
                above.append(factor)
        if len(factors) == 1 and not primes and not below and not roots and not roots_below:
            (only,) = factors
            if isinstance(only, Pow):
                return cls(is_power=True)
        number, divisor = S.One, S.One
        root, root_below = 1, 1
        for prime, exponent in primes.items():
            # Towards zero; the half that is left, if any, is a root.
            whole = int(exponent)
            if exponent > 0:
                number *= prime**whole
                root *= prime if exponent.q == 2 else 1
            else:
                divisor *= prime**-whole
                root_below *= prime if exponent.q == 2 else 1
        inside = [*([S(root)] if root > 1 else []), *roots]
        inside_below = [*([S(root_below)] if root_below > 1 else []), *roots_below]
        # The root of d/2 is one root; that of 2 pi below a bar, too.
        together = bool(roots) and not roots_below and root_below > 1
        denominator = cls(
            number=divisor,
            roots=() if together else tuple(inside_below),
            letters=tuple(filter(_is_power_of_letter, below)),
            others=tuple(filterfalse(_is_power_of_letter, below)),
        )
        return cls(
            number=number,
            roots=tuple(inside),
            denominator_radicands=tuple(inside_below) if together else (),
            letters=tuple(filter(_is_power_of_letter, above)),
            others=tuple(filterfalse(_is_power_of_letter, above)),
            below=denominator,
        )


def _is_power_of_letter(factor: Expr) -> bool:
    return _is_letter(factor.base if isinstance(factor, Pow) else factor)
