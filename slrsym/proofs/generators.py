"""Expressions as reduced fractions of polynomials in generators.

A generator stands for a symbol, a root, or the value of a function; equal arguments, reduced, have
the same generator. Roots and absolute values obey equations, by which high powers of them are
lowered; other relations between generators are not used.

Generators are taken in the order in which they were made, so that the same question always meets
the same polynomial.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flint import Ordering, fmpq, fmpq_mpoly_ctx
from sympy import QQ, Abs, Add, Dummy, Expr, Integer, Mul, Poly, Pow, Rational, S, Symbol, exp
from sympy.polys.fields import FracField
from sympy.polys.orderings import lex
from sympy.polys.polyerrors import BasePolynomialError

_HIGHEST_DEGREE = 12
_LONGEST_COEFFICIENT = 256
_UNUSED = Dummy("unused")

# The coefficients of a polynomial; a monomial is the set of its (generator, exponent).
Terms = dict[frozenset[tuple[Dummy, int]], Any]


def generators_in(expr: Expr) -> list[Dummy]:
    return sorted(expr.free_symbols, key=lambda g: int(g.dummy_index))


def polynomial(expr: Expr) -> Poly:
    return Poly(expr, *(generators_in(expr) or [_UNUSED]), domain=QQ)


def is_small(p: Poly) -> bool:
    """Whether a polynomial is such that factors and roots are found quickly."""
    lengths = (max(abs(c.p).bit_length(), c.q.bit_length()) for _, c in p.terms())
    return bool(p.total_degree() <= _HIGHEST_DEGREE and max(lengths) <= _LONGEST_COEFFICIENT)


def coefficient(p: Poly, g: Dummy, n: int) -> Poly:
    return trimmed(_coefficient(p, g, n))


def discriminant(p: Poly, g: Dummy) -> Poly:
    a, b, c = (_coefficient(p, g, n) for n in (2, 1, 0))
    return trimmed(b**2 - 4 * a * c)


def value(p: Poly, g: Dummy, end: Rational) -> Poly:
    """A polynomial with a number for a generator."""
    found = p.eval(g, end)
    return trimmed(found) if isinstance(found, Poly) else polynomial(found)


def trimmed(p: Poly) -> Poly:
    """A polynomial, as one in the generators that it contains."""
    terms = p.rep.terms()
    places = [i for i in range(len(p.gens)) if any(m[i] for m, _ in terms)]
    if not places:
        return polynomial(p.as_expr())
    kept = {tuple(m[i] for i in places): c for m, c in terms}
    return Poly.from_dict(kept, *(p.gens[i] for i in places), domain=QQ)


def factored(p: Poly) -> tuple[Rational, list[tuple[Poly, int]]]:
    """A constant, and irreducible factors with integer coefficients, the first one positive."""
    context = fmpq_mpoly_ctx.get(tuple(f"x{i}" for i in range(len(p.gens))), Ordering.lex)
    terms = {m: fmpq(int(c.numerator), int(c.denominator)) for m, c in p.rep.terms()}
    constant, found = context.from_dict(terms).factor()
    factors = []
    for factor, n in found:
        kept = {m: QQ(int(c.p), int(c.q)) for m, c in factor.to_dict().items()}
        factors.append((trimmed(Poly.from_dict(kept, *p.gens, domain=QQ)), int(n)))
    factors.sort(key=lambda pair: (pair[1], len(pair[0].gens), pair[0].rep.to_list()))
    return Rational(int(constant.p), int(constant.q)), factors


def ratio(p: Poly, q: Poly) -> Rational | None:
    """The number p/q, if it is one."""
    if p.gens != q.gens:
        return None
    quotient = p.LC() / q.LC()
    return quotient if (p - q * quotient).is_zero else None


def terms_of(p: Poly) -> Terms:
    return {
        frozenset((g, n) for g, n in zip(p.gens, powers, strict=True) if n): c
        for powers, c in p.rep.terms()
    }


def product(first: Terms, second: Terms) -> Terms:
    total: Terms = {}
    for one, c in first.items():
        for other, e in second.items():
            powers = dict(one)
            for g, n in other:
                powers[g] = powers.get(g, 0) + n
            monomial = frozenset(powers.items())
            total[monomial] = total.get(monomial, QQ(0)) + c * e
    return {monomial: c for monomial, c in total.items() if c}


def _coefficient(p: Poly, g: Dummy, n: int) -> Poly:
    """The coefficient of a power, as a polynomial in all the generators."""
    place = p.gens.index(g)
    kept = {
        (*m[:place], 0, *m[place + 1 :]): coefficient
        for m, coefficient in p.rep.terms()
        if m[place] == n
    }
    return Poly.from_dict(kept, *p.gens, domain=QQ)


_MOST_OPERATIONS = 400
_HIGHEST_POWER = 24
_MOST_TERMS = 80


@dataclass(frozen=True)
class Quotient:
    """A quotient of polynomials in generators, reduced."""

    top: Poly
    bottom: Poly


class Generators:
    def __init__(self) -> None:
        self.meaning: dict[Dummy, Expr] = {}
        self.roots: dict[Dummy, tuple[int, Expr]] = {}
        self._by_key: dict[Any, Dummy] = {}
        self._factors: dict[Poly, tuple[Rational, list[tuple[Poly, int]]]] = {}

    def atomised(self, expr: Expr) -> Expr:
        """An expression, written as a rational one in generators."""
        if isinstance(expr, Rational):
            return expr
        if isinstance(expr, Add | Mul):
            return expr.func(*map(self.atomised, expr.args))
        if isinstance(expr, exp):
            return self._exponential(expr.args[0])
        if isinstance(expr, Pow) and isinstance(expr.exp, Rational):
            base, power = expr.args
            if isinstance(power, Integer) and abs(power) <= _HIGHEST_POWER:
                return self.atomised(base) ** power
            if power.q > 1 and abs(power) <= _HIGHEST_POWER:
                whole, part = divmod(int(power.p), int(power.q))
                root = self._root(base, int(power.q))
                return self.atomised(base) ** whole * root**part
        if isinstance(expr, Abs):
            (u,) = expr.args
            square = self.canonical(u) ** 2
            g = self._generator((Abs, square), expr)
            self.roots.setdefault(g, (2, square))
            return g
        if expr.is_Function and expr.args:
            return self._generator((expr.func, *map(self.canonical, expr.args)), expr)
        return self._generator(expr, expr)

    def canonical(self, expr: Expr) -> Expr:
        """An expression as a reduced fraction in generators, if it is not too large for that."""
        atomised = self.atomised(expr)
        fraction = self.fraction(atomised)
        if fraction is None:
            return atomised
        return fraction.top.as_expr() / fraction.bottom.as_expr()

    def fraction(self, atomised: Expr) -> Quotient | None:
        """The reduced fraction that an expression is equal to."""
        generators = generators_in(atomised)
        if atomised.count_ops() > _MOST_OPERATIONS:
            return None
        if not generators:
            if not atomised.is_Rational:
                return None
            return Quotient(polynomial(atomised), polynomial(S.One))
        field = FracField(generators, QQ, lex)
        try:
            element = field.from_expr(atomised)
        except (ZeroDivisionError, ValueError, BasePolynomialError):
            return None
        top, bottom = (polynomial(part.as_expr()) for part in (element.numer, element.denom))
        if len(top.terms()) > _MOST_TERMS or len(bottom.terms()) > _MOST_TERMS:
            return None
        return Quotient(top, bottom)

    def reduced(self, fraction: Quotient) -> Quotient | None:
        """A fraction with no power of a root that could be written without it."""
        for _ in range(len(self.roots) + 1):
            high = [
                (g, q, b)
                for g, (q, b) in self.roots.items()
                if any(p.degree(g) >= q for p in (fraction.top, fraction.bottom) if g in p.gens)
            ]
            if not high:
                break
            g, q, b = high[-1]
            lowered = _lowered(fraction.top, g, q, b) / _lowered(fraction.bottom, g, q, b)
            following = self.fraction(lowered)
            if following is None:
                return None
            fraction = following
        return fraction

    def rationalised(self, atomised: Expr) -> Expr:
        """An expression with symbols written by means of roots: x by sqrt(1 + x), say."""
        for g in generators_in(atomised):
            if g not in self.roots:
                continue
            q, b = self.roots[g]
            present = list(b.free_symbols)
            if len(present) != 1 or not isinstance(self.meaning[present[0]], Symbol):
                continue
            (x,) = present
            slope = b.diff(x)
            if slope.is_Rational and x in atomised.free_symbols:
                atomised = atomised.xreplace({x: (g**q - b.xreplace({x: S.Zero})) / slope})
        return atomised

    def factors(self, p: Poly) -> tuple[Rational, list[tuple[Poly, int]]]:
        """The irreducible factors of a polynomial, found once."""
        if p not in self._factors:
            self._factors[p] = factored(p)
        return self._factors[p]

    def back(self, p: Poly) -> Expr:
        """What a polynomial stands for."""
        return p.as_expr().xreplace(self.meaning)

    def _generator(self, key: Any, meaning: Expr) -> Dummy:
        if key not in self._by_key:
            self._by_key[key] = Dummy("g")
            self.meaning[self._by_key[key]] = meaning
        return self._by_key[key]

    def _root(self, base: Expr, q: int) -> Expr:
        inner = self.canonical(base)
        g = self._generator((Pow, inner, q), Pow(base, Rational(1, q)))
        self.roots.setdefault(g, (q, inner))
        return g

    def _exponential(self, exponent: Expr) -> Expr:
        inner = self.canonical(exponent)
        content, primitive = inner.as_content_primitive()
        if not isinstance(content, Rational) or max(abs(content.p), content.q) > _HIGHEST_POWER:
            return self._generator((exp, inner), exp(exponent))
        if primitive.could_extract_minus_sign():
            content, primitive = -content, -primitive
        g = self._generator((exp, primitive, content.q), exp(exponent / content.p))
        return g**content.p


def _lowered(p: Poly, g: Dummy, q: int, b: Expr) -> Expr:
    if g not in p.gens:
        return p.as_expr()
    coefficients = Poly(p.as_expr(), g).terms()
    return Add(*(c * b ** (n // q) * g ** (n % q) for (n,), c in coefficients))
