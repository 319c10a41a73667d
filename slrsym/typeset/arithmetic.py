"""How sums, products and powers are written, as boxes."""

from __future__ import annotations

import sympy as sp
from sympy import Add, Expr, Function, Pow, S

from slrsym.typeset.boxes import (
    Atom,
    Box,
    Fence,
    Fraction,
    Operator,
    Root,
    Script,
    number,
    row,
)
from slrsym.typeset.order import is_negative_term
from slrsym.typeset.products import Product
from slrsym.typeset.writing import ATOM, POWER, PREFIX, PRODUCT, SUM, Writing

__all__ = ["Arithmetic"]

# What stands below a slash is no wider than this, in em.
_WIDE_DIVISOR = 7.0
# What stands after a fraction, rather than in its numerator, is wider than this.
_WIDE_FACTOR = 11.0
# A sum above a fraction bar is no wider than this, in em.
_WIDE_SUM = 20.0


class Arithmetic(Writing):
    """Writes sums, products and powers."""

    def _sum(self, expr: Add, inline: bool) -> tuple[Box, int]:
        parts: list[Box] = []
        for place, term in enumerate(self.order.terms(expr.args, self._bound)):
            negative = is_negative_term(term)
            if place:
                parts.append(Operator("-" if negative else "+", "binary", breaks=True))
            elif negative:
                parts.append(Operator("-", "prefix"))
            parts.append(self._within(-term if negative else term, PRODUCT, inline))
        return row(parts), SUM

    def _product(self, expr: Expr, inline: bool) -> tuple[Box, int]:
        product = Product.of(expr)
        if product.negative:
            positive = self._within(-expr, PRODUCT, inline)
            return row([Operator("-", "prefix"), positive]), SUM
        if product.is_power:
            return self._power(expr.base, expr.exp), POWER
        simple, tail = self._split(product)
        below, rest = self._split(product.inverse)
        denominator = [*below, *rest]
        if not denominator:
            factors = [*simple, *tail] or [number(1)]
            return self._beside(factors), PRODUCT if len(factors) > 1 else POWER
        if inline and len(denominator) <= 2 and _are_small(denominator):
            under = self._beside(denominator)
            if len(denominator) > 1 and not isinstance(under, Fence):
                under = Fence("(", under, ")")
            above = self._beside([*simple, *tail] or [number(1)])
            return row([above, Operator("/", "slash"), under]), PRODUCT
        width = sum(box.width for box in tail)
        if not simple and len(tail) == 1 and _is_flat_sum(tail[0]):
            return self._fraction(tail, denominator), PRODUCT
        loose = product.opens_wide or any(isinstance(box, Fence) or box.height >= 2 for box in tail)
        if tail and (loose or width > _WIDE_FACTOR):
            return self._beside([self._fraction(simple, denominator), *tail]), PRODUCT
        return self._fraction([*simple, *tail], denominator), PRODUCT

    def _fraction(self, above: list[Box], below: list[Box]) -> Box:
        parts = [self._beside(boxes or [number(1)]) for boxes in (above, below)]
        bare = [p.body if isinstance(p, Fence) and p.opening == "(" else p for p in parts]
        return Fraction(*bare)

    def _split(self, product: Product) -> tuple[list[Box], list[Box]]:
        """What belongs before a fraction bar, and what after it."""
        simple: list[Box] = [] if product.number == 1 else [number(product.number)]
        tail: list[Box] = []
        roots: list[Box] = []
        if product.root is not None:
            above, below = product.root
            inside: Box = self._beside([self._power(b, S.One) for b in above] or [number(1)])
            if below:
                under = self._beside([self._power(b, S.One) for b in below])
                inside = row([inside, Operator("/", "slash"), under])
            roots = [Root(inside)]
            if all(b.is_number for b in above):
                simple, roots = [*simple, *roots], []
        letters = self.order.factors(product.letters, self._bound)
        for factor in letters:
            base = factor.base if isinstance(factor, Pow) else factor
            if base in self._bound and roots:
                simple += roots
                roots = []
            simple.append(self._factor(factor))
        simple += roots
        others = self.order.factors(product.others, self._bound)
        for place, factor in enumerate(others):
            last = place == len(others) - 1
            tail.append(self._within(factor, PREFIX if last else POWER))
        return simple, tail

    def _factor(self, factor: Expr) -> Box:
        base, exponent = factor.as_base_exp() if isinstance(factor, Pow) else (factor, S.One)
        return self._power(base, exponent)

    def _power(self, base: Expr, exponent: Expr) -> Box:
        if exponent == S.Half:
            return Root(self._print(base)[0])
        if exponent == 1:
            return self._within(base, POWER)
        above = self._print(exponent, inline=True)[0]
        plain = isinstance(base, Function) and base.func in self.named
        if plain and exponent.is_Integer and exponent.is_positive:
            called = self.named[base.func]
            if isinstance(called, Atom) and called.kind == "name":
                return self._call(Script(called, above=above), base.args)
        if isinstance(base, Function) and not isinstance(base, sp.exp | sp.Abs):
            return Script(self._print(base)[0], above=above)
        box = self._within(base, ATOM)
        if isinstance(box, Script) and box.above is None:
            return Script(box.base, box.below, above)
        if isinstance(box, Script):
            box = Fence("(", box, ")")
        return Script(box, above=above)


def _is_flat_sum(box: Box) -> bool:
    """Whether it may stand above a fraction bar, where it cannot be broken."""
    return isinstance(box, Fence) and box.height < 2 and box.width <= _WIDE_SUM


def _are_small(boxes: list[Box]) -> bool:
    loose = len(boxes) > 1 and any(isinstance(box, Fence) for box in boxes)
    wide = sum(box.width for box in boxes) >= _WIDE_DIVISOR
    return not loose and not wide and not any(box.height >= 2 for box in boxes)
