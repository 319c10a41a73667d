"""Exact arithmetic with rational functions of symbols, pi and square roots.

A value is a numerator and a denominator, polynomials whose variables are the symbols, pi and the
roots of factors that occur. The square of a root is its factor, so that a value is 0 exactly if its
numerator is. Nothing is rounded, and no common factor is looked for.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import sympy as sp
from sympy import Expr

# A numerator and a denominator.
Value = tuple[Any, Any]


class NotAlgebraicError(Exception):
    """Error for an expression that is no rational function of symbols, pi and square roots."""


_factors = lru_cache(maxsize=1024)(sp.factor_list)


class _UnknownRootError(Exception):
    """Error for a root that the field does not have yet."""


class AlgebraicNumbers:
    """The field of the numbers in some expressions.

    Parameters
    ----------
    exprs : sequence of expressions
        What is to be told apart, all by the same field.
    point : mapping of Symbol to float
        A place where all roots are real: factors under them have the signs that they have there.
    """

    def __init__(self, exprs: Sequence[Expr], point: dict[Expr, float]) -> None:
        self._pi = sp.Dummy("pi")
        self._point = {**point, self._pi: math.pi}
        self._factors: dict[Expr, tuple[int, dict[Expr, int]]] = {}
        self._symbols: set[Expr] = set()
        self._take(exprs)

    def _take(self, exprs: Sequence[Expr]) -> None:
        """Take the symbols and the roots of expressions into the field."""
        bases = {
            power.base for e in exprs for power in e.atoms(sp.Pow)
            if power.exp.is_Rational and power.exp.q == 2
        }  # fmt: skip
        self._factors |= {base: self._split(base) for base in bases if base not in self._factors}
        self._symbols |= set().union(*(e.free_symbols for e in exprs))
        under = sorted({f for _, factors in self._factors.values() for f in factors}, key=str)
        symbols = [*sorted(self._symbols, key=str), self._pi]
        names = [sp.Dummy(f"root_{n}") for n in range(len(under))]
        self._ring = sp.ring([*symbols, *names], sp.QQ)[0]
        gens, one = self._ring.gens, self._ring.one
        self._known = {x: (gen, one) for x, gen in zip(symbols, gens, strict=False)}
        self._known[sp.pi] = self._known[self._pi]
        self._roots = dict(zip(under, gens[len(symbols) :], strict=True))
        self._meanings = [*symbols[:-1], sp.pi, *map(sp.sqrt, under)]
        # What the square of a root is, by the root's place.
        self._squares: dict[int, Any] = {}
        self._squares = {len(symbols) + n: self(f)[0] for n, f in enumerate(under)}

    def _split(self, base: Expr) -> tuple[int, dict[Expr, int]]:
        """Return the denominator and the factors of what stands under a root, each positive."""
        top, bottom = sp.fraction(sp.together(sp.expand(base.xreplace({sp.pi: self._pi}))))
        found: dict[Expr, int] = {}
        content = sp.S.One
        for part, way in ((top, 1), (bottom, -1)):
            if any(not p.exp.is_Integer for p in part.atoms(sp.Pow)) or part.has(sp.Function):
                raise NotAlgebraicError
            number, factors = _factors(part)
            content *= number**way
            for factor, power in factors:
                if factor.evalf(15, subs=self._point) < 0:
                    factor, content = sp.expand(-factor), content * (-1) ** power
                found[factor] = found.get(factor, 0) + way * int(power)
        if not content.is_Rational or content <= 0:
            raise NotAlgebraicError
        # The root of p/q is that of p q over q.
        for prime, power in sp.factorint(content.p * content.q).items():
            found[sp.Integer(prime)] = int(power)
        return int(content.q), found

    def __call__(self, expr: Expr) -> Value:
        """Return the value of an expression; raise `NotAlgebraicError` if it has none."""
        if not expr.free_symbols <= self._symbols | {self._pi}:
            self._take([expr])
        try:
            return self._value_of(expr)
        except _UnknownRootError:
            self._take([expr])
            return self._value_of(expr)

    def _value_of(self, expr: Expr) -> Value:
        if expr not in self._known:
            self._known[expr] = self._value(expr)
        return self._known[expr]

    def _value(self, expr: Expr) -> Value:
        one = self._ring.one
        if expr.is_Rational:
            return one * sp.QQ(expr.p, expr.q), one
        if expr.is_Add:
            parts = list(map(self._value_of, expr.args))
            top, bottom = parts[0]
            for other, under in parts[1:]:
                if under == bottom:
                    top = top + other
                else:
                    top, bottom = top * under + other * bottom, bottom * under
            return self._reduced(top), self._reduced(bottom)
        if expr.is_Mul:
            top, bottom = one, one
            for other, under in map(self._value_of, expr.args):
                top, bottom = top * other, bottom * under
            return self._reduced(top), self._reduced(bottom)
        if expr.is_Pow and expr.exp.is_Rational and expr.exp.q <= 2:
            if not expr.exp.is_Integer and expr.base not in self._factors:
                raise _UnknownRootError
            top, bottom = (
                self._value_of(expr.base) if expr.exp.is_Integer else self._root(expr.base)
            )
            if expr.exp < 0:
                top, bottom = bottom, top
            power = abs(expr.exp.p)
            return self._reduced(top**power), self._reduced(bottom**power)
        raise NotAlgebraicError

    def _root(self, base: Expr) -> Value:
        denominator, factors = self._factors[base]
        top, bottom = self._ring.one, self._ring.one * denominator
        for factor, power in factors.items():
            square = self(factor)[0]
            # An odd power has the root once, and whole factors above or below.
            whole = (power - power % 2) // 2
            top *= self._roots[factor] ** (power % 2) * square ** max(whole, 0)
            bottom *= square ** max(-whole, 0)
        return self._reduced(top), self._reduced(bottom)

    def _reduced(self, polynomial: Any) -> Any:
        """Return a polynomial in which no root has a power above 1."""
        found = polynomial
        for place, square in self._squares.items():
            if all(powers[place] < 2 for powers in found):
                continue
            total = self._ring.zero
            by_power: dict[int, Any] = {}
            for powers, c in found.items():
                half = powers[place] // 2
                rest = (*powers[:place], powers[place] % 2, *powers[place + 1 :])
                by_power.setdefault(half, self._ring.zero)[rest] = c
            for half, part in by_power.items():
                total += part * square**half
            found = total
        return found

    def is_zero(self, expr: Expr) -> bool:
        """Return whether an expression is 0 as a function of its symbols."""
        return expr == 0 or not self(expr)[0]

    def are_equal(self, a: Expr, b: Expr) -> bool:
        """Return whether two expressions are equal as functions of their symbols."""
        return a == b or self.ratio(a, b) == 1

    def ratio(self, a: Expr, b: Expr) -> Expr | None:
        """Return the ratio of two expressions if it is a product of powers, else None."""
        for expr in (a, b, a):
            # A new root would change the field.
            self(expr)
        (top, bottom), (other, under) = self(a), self(b)
        first, second = self._reduced(top * under), self._reduced(other * bottom)
        if not first or not second:
            return sp.S.Zero if second and not first else None
        number, powers = first.LC / second.LC, list(zip(first.LM, second.LM, strict=True))
        above, below = (
            self._reduced(self._ring({tuple(max(way * (p - q), 0) for p, q in powers): 1}))
            for way in (1, -1)
        )
        if self._reduced(first * below) != self._reduced(second * above) * number:
            return None
        factors = zip(self._meanings, powers, strict=True)
        return sp.Mul(
            sp.Rational(number.numerator, number.denominator),
            *(x ** (p - q) for x, (p, q) in factors),
        )
