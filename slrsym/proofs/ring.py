"""The ring of one proof step: sums of terms, their products and powers, and which of them are zero.

A term is a number times powers of generators and an exponential; generators and exponents are known
by their numbers, which the ring hands out. Integer powers of primes and of i are numbers. A *root*
is a generator that stands for an element, its base; clearing the roots writes the base for it
wherever that takes no negative power. Powers are principal ones, taken apart into factors only
where signs are known.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import floor, lcm

import sympy as sp
from flint import Ordering, fmpq, fmpq_mpoly_ctx
from sympy import Add, Expr, I, Integer, Mul, Rational, Symbol

# Pairs of a generator and its exponent, in order.
Monomial = tuple[tuple[int, Fraction], ...]
# A monomial, and the exponent of an exponential.
Key = tuple[Monomial, int]
Element = dict[Key, fmpq]

UNIT: Key = ((), 0)


class NotNormalizable(Exception):  # noqa: N818
    """The expression has a part that the normal form does not cover."""


def exact(value: Rational) -> fmpq:
    return fmpq(int(value.p), int(value.q))


def rational(value: fmpq) -> Rational:
    return Rational(int(value.p), int(value.q))


def constant(value: fmpq | int) -> Element:
    return {UNIT: fmpq(value)} if value else {}


def generated(generator: int, power: Fraction | int = 1, coefficient: fmpq | int = 1) -> Element:
    return {(((generator, Fraction(power)),), 0): fmpq(coefficient)}


def add(first: Element, second: Element) -> Element:
    total = dict(first)
    for key, c in second.items():
        value = total.get(key, 0) + c
        if value:
            total[key] = value
        else:
            total.pop(key, None)
    return total


def negative(element: Element) -> Element:
    return {key: -c for key, c in element.items()}


def subtract(first: Element, second: Element) -> Element:
    return add(first, negative(second))


@dataclass
class _Generator:
    """A generator: the expression it stands for, what is known of it, its base if it is a root."""

    expr: Expr
    positive: bool = False
    base: Element | None = None


class GrowingRing:
    """Elements in generators that are numbered as they come up."""

    def __init__(
        self, positive: Callable[[Expr], bool], nonnegative: Callable[[Expr], bool]
    ) -> None:
        self.positive = positive
        self.nonnegative = nonnegative
        self._symbols: dict[Expr, int] = {}
        self._generators: list[_Generator] = []
        self._roots: list[int] = []
        # Exponents of exponentials; the first is zero.
        self._exponents: list[Element] = [{}]
        self._sums: dict[tuple[int, int], int] = {}

    def vanishes(self, element: Element) -> bool:
        return not self._cleared(element)[0]

    def expression(self, element: Element) -> Expr:
        terms = []
        for (m, e), c in element.items():
            factors = [
                sp.Pow(self._generators[g].expr, Rational(p.numerator, p.denominator)) for g, p in m
            ]
            if e:
                factors.append(sp.exp(self.expression(self._exponents[e])))
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

    # -- rational powers -----------------------------------------------------------------------

    def _power(self, element: Element, q: Fraction) -> Element:
        if q.denominator == 1 and q >= 0:
            return self._integer_power(element, int(q))
        if not element:
            raise NotNormalizable("a negative or fractional power of zero")
        if len(element) == 1:
            ((key, c),) = element.items()
            return self._monomial_power(key, c, q)
        cleared, shifts = self._cleared(element)
        if not cleared:
            raise NotNormalizable("a negative or fractional power of zero")
        if len(cleared) == 1 and not shifts:
            ((key, c),) = cleared.items()
            return self._monomial_power(key, c, q)
        content, factors = self._factored(cleared)
        factors += [(generated(root), n) for root, n in shifts.items()]
        return self._product_power(content, factors, q)

    def _monomial_power(self, key: Key, c: fmpq, q: Fraction) -> Element:
        monomial, e = key
        if q.denominator == 1:
            powers = {g: p * q for g, p in monomial}
            scale, folded = self._fold(powers)
            return {(folded, self._scaled_exponent(e, q)): scale * c ** int(q)}
        factors: list[tuple[Element, int]] = []
        powers = {}
        for g, p in monomial:
            generator = self._generators[g]
            if generator.positive:
                powers[g] = p * q
            elif p.denominator == 1:
                factors.append((generated(g), int(p)))
            else:
                raise NotNormalizable(f"a root of the root {self.expression({key: c})}")
        if e and not self._is_real(self._exponents[e]):
            raise NotNormalizable("a root of an exponential that may not be real")
        scale, folded = self._fold(powers)
        known = {(folded, self._scaled_exponent(e, q)): scale}
        return self._multiply(known, self._product_power(c, factors, q))

    def _product_power(
        self, content: fmpq, factors: list[tuple[Element, int]], q: Fraction
    ) -> Element:
        """Power of ``content * prod(f**n)``; only positive factors leave a fractional power."""
        result = constant(1)
        rest = constant(1)
        flipped = content < 0
        for base, n in factors:
            sign = 1 if q.denominator == 1 else self._sign(base, strict=n * q < 0)
            if sign == 0 and n > 0:
                rest = self._multiply(rest, self._integer_power(base, n))
            elif sign == 0:
                raise NotNormalizable(
                    f"a root of a quotient by {self.expression(base)}, whose sign is not known"
                )
            else:
                if sign < 0:
                    base = negative(base)
                    flipped ^= bool(n % 2)
                result = self._multiply(result, self._generator_power(base, n * q))
        result = self._multiply(result, self._rational_power(abs(content), q))
        if flipped:
            rest = negative(rest)
        if rest == constant(1):
            return result
        if q.denominator == 1:
            return self._multiply(result, self._power(rest, q))
        if rest == constant(-1) and q.denominator == 2:
            turn = 1 if (q.numerator - 1) % 4 == 0 else -1
            return self._multiply(result, generated(self._symbol(I), 1, turn))
        return self._multiply(result, self._generator_power(rest, q))

    def _generator_power(self, base: Element, e: Fraction) -> Element:
        if len(base) == 1:
            (((monomial, exponent), c),) = base.items()
            single = c == 1 and not exponent and len(monomial) == 1 and monomial[0][1] == 1
            # Powers of i are folded, which is right for integers only.
            if single and (e.denominator == 1 or self._generators[monomial[0][0]].expr is not I):
                scale, folded = self._fold({monomial[0][0]: e})
                return {(folded, 0): scale}
        return generated(self._root(base), e)

    def _root(self, base: Element) -> int:
        for root in self._roots:
            if self._generators[root].base == base:
                return root
        positive = self._sign(base) > 0
        self._roots.append(self._new_generator(self.expression(base), positive, base))
        return self._roots[-1]

    def _rational_power(self, value: fmpq, q: Fraction) -> Element:
        powers: dict[int, Fraction] = {}
        for number, direction in ((int(value.p), 1), (int(value.q), -1)):
            for prime, n in sp.factorint(number).items():
                if prime != 1:
                    g = self._symbol(Integer(prime))
                    powers[g] = powers.get(g, Fraction(0)) + direction * n * q
        scale, folded = self._fold(powers)
        return {(folded, 0): scale}

    def _symbol(self, expr: Expr) -> int:
        if expr not in self._symbols:
            positive = (expr.is_number and expr is not I) or bool(expr.is_positive)
            if isinstance(expr, Symbol) and not positive:
                positive = self.positive(expr)
            self._symbols[expr] = self._new_generator(expr, positive)
        return self._symbols[expr]

    def _sign(self, element: Element, strict: bool = True) -> int:
        """1 or -1 if the element has that sign (or, unless strict, may vanish too), otherwise 0."""
        expr = self.expression(element)
        known = self.positive if strict else self.nonnegative
        if known(expr):
            return 1
        return -1 if known(-expr) else 0

    def _is_real(self, element: Element) -> bool:
        """Whether each term is known to be real, its square being so and not negative."""
        return all(self.nonnegative(self.expression({key: c}) ** 2) for key, c in element.items())

    def _factored(self, element: Element) -> tuple[fmpq, list[tuple[Element, int]]]:
        """Content and irreducible factors of an element without roots to clear."""
        present = {g for m, _ in element for g, _ in m}
        powers = {g: [dict(m).get(g, Fraction(0)) for m, _ in element] for g in sorted(present)}
        # Each generator as a power of its own root, so that all exponents are integers.
        scale = {g: lcm(*(p.denominator for p in ps)) for g, ps in powers.items()}
        lowest = {g: min(*ps, Fraction(0)) for g, ps in powers.items()}
        if any(n.denominator != 1 for n in lowest.values()):
            raise NotNormalizable("a root of a sum with fractional negative powers")
        exponentials = list(dict.fromkeys(e for _, e in element if e))
        back = [generated(g, Fraction(1, n)) for g, n in scale.items()]
        back += [{((), e): fmpq(1)} for e in exponentials]
        terms = {
            (
                *(int((ps[i] - lowest[g]) * scale[g]) for g, ps in powers.items()),
                *(int(e == other) for other in exponentials),
            ): c
            for i, ((_, e), c) in enumerate(element.items())
        }
        ring = fmpq_mpoly_ctx.get(tuple(f"x{i}" for i in range(len(back))), Ordering.lex)
        content, found = ring.from_dict(terms).factor()
        factors = [(generated(g), int(n)) for g, n in lowest.items() if n]
        for factor, n in found:
            value: Element = {}
            for exponents, c in factor.to_dict().items():
                piece = constant(c)
                for generator, e in zip(back, exponents, strict=True):
                    piece = self._multiply(piece, self._integer_power(generator, int(e)))
                value = add(value, piece)
            factors.append((value, int(n)))
        return content, factors
