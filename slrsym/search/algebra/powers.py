"""Powers of elements: principal ones, taken apart into factors only where signs are known."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import lcm

from flint import fmpq
from sympy import Add, Dummy, Expr, I, Integer, Mul, Symbol, factor_list, factorint

from slrsym.search.algebra.elements import (
    Element,
    Key,
    NotNormalizable,
    add,
    constant,
    exact,
    generated,
    negative,
    rational,
)
from slrsym.search.algebra.ring import Ring

__all__ = ["RingOfPowers"]


class RingOfPowers(Ring):
    """A ring in which elements have rational powers."""

    def __init__(
        self, positive: Callable[[Expr], bool], nonnegative: Callable[[Expr], bool]
    ) -> None:
        super().__init__()
        self.positive = positive
        self.nonnegative = nonnegative
        self._symbols: dict[Expr, int] = {}

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
            for prime, n in factorint(number).items():
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
        stand_in = {g: Dummy(f"g{g}") for g in powers}
        exponentials = {e: Dummy(f"e{e}") for _, e in element if e}
        terms = [
            rational(c)
            * Mul(*(stand_in[g] ** int((ps[i] - lowest[g]) * scale[g]) for g, ps in powers.items()))
            * (exponentials[e] if e else 1)
            for i, ((_, e), c) in enumerate(element.items())
        ]
        content, pairs = factor_list(Add(*terms))
        back: dict[Symbol, Element] = {
            d: generated(g, Fraction(1, scale[g])) for g, d in stand_in.items()
        }
        back |= {d: {((), e): fmpq(1)} for e, d in exponentials.items()}
        factors = [(generated(g), int(n)) for g, n in lowest.items() if n]
        for poly, n in pairs:
            value: Element = {}
            for exponents, c in poly.as_poly().terms():
                piece = constant(exact(c))
                for generator, e in zip(poly.as_poly().gens, exponents, strict=True):
                    piece = self._multiply(piece, self._integer_power(back[generator], e))
                value = add(value, piece)
            factors.append((value, int(n)))
        return exact(content), factors
