"""Known signs of polynomials, for a search that asks the same questions again and again.

Signs and products are remembered, and roots are rewritten by division: the answers are those of the
proof checker, in a fraction of the time.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from flint import fmpq_mpoly

from slrsym.checker.ring import Ring
from slrsym.checker.sign import Sign, SignFacts, generator_indices_in, poly_product
from slrsym.checker.term import require

# From this number of terms on, the reduction of a polynomial counts as work.
_LONG = 100
# The length that a polynomial may have after roots are rewritten, as in the proof checker.
_LONGEST = 10_000
# How many products are remembered.
_REMEMBERED = 4_000
# A monomial in a printed polynomial, such as g1*g4^2.
_MONOMIAL = re.compile(r"g\d+(?:\^\d+)?(?:\*g\d+(?:\^\d+)?)*")

# Polynomials, each with its power in a product.
Parts: TypeAlias = list[tuple[Any, int]]


def coefficients_by_monomial(p: Any) -> dict[str, Any]:
    """Return the coefficients of a polynomial by the printing of their monomials, in order.

    Printing takes a tenth of the time that the exponents of all generators take.
    """
    names = _MONOMIAL.findall(str(p))
    coefficients = p.coeffs()
    if len(names) < len(coefficients):
        names.append("1")
    return dict(zip(names, coefficients, strict=True))


@dataclass(frozen=True)
class FactShape:
    """A polynomial of a fact and its opposite, with measures by which facts are sorted."""

    polynomial: Any
    opposite: Any
    generators: frozenset[int]
    length: int
    degree: int


class ReducedProduct:
    """A product of polynomials after reduction."""

    def __init__(self, parts: Parts, polynomial: Any, work: int) -> None:
        # The parts are kept because products are found by the identity of their parts.
        self.parts, self.polynomial, self.work = parts, polynomial, work

    @cached_property
    def name(self) -> str:
        """The printing of the product."""
        return str(self.polynomial)

    @cached_property
    def coefficients(self) -> dict[str, Any]:
        """The coefficients by monomial."""
        return coefficients_by_monomial(self.polynomial)


class WorkCountingFacts(SignFacts):
    """Known signs of polynomials that count the reductions of long ones as work of the search."""

    def __init__(self, size: int, count_work: Callable[[int], None]) -> None:
        super().__init__(size)
        self._count_work, self._counted = count_work, 0
        self._signs: dict[tuple[str, bool], Sign] = {}
        self._shapes: dict[str, FactShape] = {}
        self._exponents: dict[str, np.ndarray] = {}
        # Products by their parts, with the roots that were known when they were reduced.
        self._products: dict[tuple[Any, ...], ReducedProduct] = {}
        self._roots_of_products: list[Any] = []

    def reduce(self, p: Any) -> Any:
        """Return the polynomial with powers of roots replaced, and count the work if it is long."""
        require(len(p) <= _LONGEST, "the polynomial is too long")
        if not self.roots or p.is_constant():
            return p
        degrees = p.degrees()
        if len(p) >= _LONG:
            rewritten = [k for k, (i, q, _) in enumerate(self.roots) if degrees[i] >= q]
            # A root's radicand contains earlier roots, which are rewritten in turn.
            self._count(len(p) * (1 + rewritten[-1]) if rewritten else 0)
        for i, q, base in reversed(self.roots):
            if degrees[i] >= q:
                p = _with_power_replaced(p, self.x[i] ** q, base)
                degrees = p.degrees()
        return p

    def _count(self, more: int) -> None:
        self._counted += more
        self._count_work(more)

    def learn(self, p: Any, sign: Sign) -> None:
        """Store that a polynomial's sign is in a set; forget signs if that is new."""
        p = self.reduce(p)
        if p.is_constant():
            return
        name = self._monic(p)[0]
        before = self._facts.get(name)
        super().learn(p, sign)
        if before is None or before[1] != self._facts[name][1]:
            self._signs.clear()

    def possible_signs(self, p: Any, deep: bool = True) -> Sign:
        """Return a polynomial's possible signs, remembered until a fact is new."""
        p = self.reduce(p)
        name = str(p), deep
        if name not in self._signs:
            self._signs[name] = super().possible_signs(p, deep)
        return self._signs[name]

    def snapshot(self) -> tuple[Any, ...]:
        """Return a snapshot of the facts and roots for `restore`."""
        return dict(self._facts), list(self.roots)

    def restore(self, state: tuple[Any, ...]) -> None:
        """Reset the facts and roots to a snapshot."""
        self._facts, self.roots = state
        self._signs.clear()

    def shapes(self) -> Iterator[tuple[FactShape, Sign]]:
        """Yield all known facts: the shapes of their polynomials with the signs."""
        for name, (f, sign) in self._facts.items():
            shape = self._shapes.get(name)
            if shape is None:
                used = frozenset(generator_indices_in(f))
                shape = FactShape(f, -f, used, len(f), int(f.total_degree()))
                self._shapes[name] = shape
            yield shape, sign

    def exponents(self, p: Any) -> np.ndarray:
        """Return the exponents of a polynomial: a row for each monomial."""
        name = str(p)
        if name not in self._exponents:
            rows = [list(map(int, m)) for m in p.monoms()]
            self._exponents[name] = np.array(rows, dtype=int).reshape(len(rows), len(self.x))
        return self._exponents[name]

    def product(self, parts: Parts) -> ReducedProduct:
        """Return the reduced product of some polynomials, and count its work each time."""
        if self._roots_of_products != self.roots or len(self._products) >= _REMEMBERED:
            self._products.clear()
            self._roots_of_products = list(self.roots)
        name = tuple([(id(f), n) for f, n in parts])
        found = self._products.get(name)
        if found is None:
            counted = self._counted
            p = self.reduce(product_of_powers(self.one, parts))
            found = self._products[name] = ReducedProduct(parts, p, self._counted - counted)
        elif found.work:
            self._count(found.work)
        return found


class RememberingRing(Ring):
    """A polynomial ring whose facts remember signs and products."""

    facts: WorkCountingFacts


def product_of_powers(one: Any, parts: Iterable[tuple[Any, int]]) -> Any:
    """Return the product of some polynomials, each with its power."""
    return math.prod((f if n == 1 else f**n for f, n in parts), start=one)


def _with_power_replaced(p: fmpq_mpoly, power: fmpq_mpoly, base: fmpq_mpoly) -> fmpq_mpoly:
    """Return a polynomial with a power of a generator replaced by a polynomial without it."""
    rests = []
    while p != 0:
        # No term of the rest is a multiple of the power.
        p, rest = divmod(p, power)
        rests.append(rest)
    total = rests.pop()
    for rest in reversed(rests):
        total = poly_product(total, base) + rest
        require(len(total) <= _LONGEST, "the polynomial is too long")
    return total
