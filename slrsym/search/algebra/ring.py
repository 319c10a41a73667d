"""The ring of one proof step: its generators, products of elements, and which of them are zero.

Integer powers of primes and of i are numbers. A *root* is a generator that stands for an element,
its base; clearing the roots writes the base for it wherever that takes no negative power.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import floor

from flint import fmpq
from sympy import Add, Expr, I, Integer, Mul, Pow, Rational, exp

from slrsym.search.algebra.elements import Element, Monomial, add, constant, rational, subtract

__all__ = ["Ring"]


@dataclass
class _Generator:
    """A generator: the expression it stands for, what is known of it, its base if it is a root."""

    expr: Expr
    positive: bool = False
    base: Element | None = None


class Ring:
    """Elements in generators that are numbered as they come up."""

    def __init__(self) -> None:
        self._generators: list[_Generator] = []
        self._roots: list[int] = []
        # Exponents of exponentials; the first is zero.
        self._exponents: list[Element] = [{}]
        self._sums: dict[tuple[int, int], int] = {}

    def vanishes(self, element: Element) -> bool:
        """Whether an element is zero, its roots cleared."""
        return not self._cleared(element)[0]

    def expression(self, element: Element) -> Expr:
        """An element written as a SymPy expression again."""
        terms = []
        for (m, e), c in element.items():
            factors = [
                Pow(self._generators[g].expr, Rational(p.numerator, p.denominator)) for g, p in m
            ]
            if e:
                factors.append(exp(self.expression(self._exponents[e])))
            terms.append(Mul(rational(c), *factors))
        return Add(*terms)

    def _new_generator(
        self, expr: Expr, positive: bool = False, base: Element | None = None
    ) -> int:
        self._generators.append(_Generator(expr, positive, base))
        return len(self._generators) - 1

    # -- products ------------------------------------------------------------------------------

    def _multiply(self, first: Element, second: Element) -> Element:
        total: Element = {}
        for (m, e), c in first.items():
            for (n, f), d in second.items():
                scale, monomial = self._merge(m, n)
                key = (monomial, self._add_exponents(e, f))
                value = total.get(key, 0) + c * d * scale
                if value:
                    total[key] = value
                else:
                    total.pop(key, None)
        return total

    def _merge(self, first: Monomial, second: Monomial) -> tuple[fmpq, Monomial]:
        if not first or not second:
            return fmpq(1), first or second
        powers = dict(first)
        for g, e in second:
            powers[g] = powers.get(g, Fraction(0)) + e
        return self._fold(powers)

    def _fold(self, powers: dict[int, Fraction]) -> tuple[fmpq, Monomial]:
        """A product of powers as a number times a monomial."""
        scale = fmpq(1)
        kept = []
        for g in sorted(powers):
            e = powers[g]
            if e == 0:
                continue
            expr = self._generators[g].expr
            if expr is I and self._generators[g].base is None:
                quarter = int(e) % 4
                if quarter >= 2:
                    scale = -scale
                e = Fraction(quarter % 2)
            elif isinstance(expr, Integer):
                whole = floor(e)
                if whole:
                    scale *= fmpq(int(expr)) ** whole
                    e -= whole
            if e:
                kept.append((g, e))
        return scale, tuple(kept)

    def _integer_power(self, element: Element, n: int) -> Element:
        result = constant(1)
        for _ in range(n):
            result = self._multiply(result, element)
        return result

    # -- exponents of exponentials -------------------------------------------------------------

    def _exponent(self, element: Element) -> int:
        """The number of an exponent; the same one for equal exponents."""
        for index, known in enumerate(self._exponents):
            if self.vanishes(subtract(known, element)):
                return index
        self._exponents.append(element)
        return len(self._exponents) - 1

    def _add_exponents(self, first: int, second: int) -> int:
        if not first or not second:
            return first or second
        key = (min(first, second), max(first, second))
        if key not in self._sums:
            self._sums[key] = self._exponent(add(self._exponents[first], self._exponents[second]))
        return self._sums[key]

    def _scaled_exponent(self, index: int, factor: Fraction) -> int:
        if not index:
            return 0
        c = fmpq(factor.numerator, factor.denominator)
        return self._exponent({key: v * c for key, v in self._exponents[index].items()})

    # -- roots ---------------------------------------------------------------------------------

    def _cleared(self, element: Element) -> tuple[Element, dict[int, int]]:
        """Write ``element = prod(root**shift) * cleared``, every power of a root in [0, 1)."""
        shifts: dict[int, int] = {}
        # A later root may have earlier ones in its base.
        for root in reversed(self._roots):
            levels = [floor(dict(m).get(root, Fraction(0))) for m, _ in element]
            if not any(levels):
                continue
            lowest = min(levels)
            if lowest:
                shifts[root] = lowest
            base = self._generators[root].base
            assert base is not None
            grouped: dict[int, Element] = {}
            for ((m, e), c), level in zip(element.items(), levels, strict=True):
                powers = dict(m)
                powers[root] = powers.get(root, Fraction(0)) - level
                scale, monomial = self._fold(powers)
                part = grouped.setdefault(level - lowest, {})
                part[(monomial, e)] = part.get((monomial, e), fmpq(0)) + c * scale
            element = {}
            for level, part in grouped.items():
                element = add(element, self._multiply(part, self._integer_power(base, level)))
        return element, shifts
