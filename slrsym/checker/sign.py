"""Known signs of polynomials, and how the checker infers further ones from evidence.

A sign is a set of -1, 0, 1: the values that the sign may still have.
"""

from __future__ import annotations

import re
from math import comb
from typing import Any, TypeAlias

import flint
from flint import fmpq

from slrsym.checker.term import BITS, NODE, require, spend_work

Poly: TypeAlias = Any
Sign: TypeAlias = frozenset[int]

POS, NEG, ZERO, NN, NP, NZ, ANY = map(
    frozenset, ([1], [-1], [0], [0, 1], [-1, 0], [-1, 1], [-1, 0, 1])
)
# What a relation to zero says of a polynomial on its left; questions may be of all six.
SIGNS: dict[str, Sign] = {"=": ZERO, "<=": NP, "<": NEG, "!=": NZ}
QUESTIONS: dict[str, Sign] = {**SIGNS, ">=": NN, ">": POS}


def sign_of_product(a: Sign, b: Sign) -> Sign:
    """Return the possible signs of a product of two numbers with given possible signs."""
    return frozenset(x * y for x in a for y in b)


def sign_of_sum(a: Sign, b: Sign) -> Sign:
    """Return the possible signs of a sum of two numbers with given possible signs."""
    if any(x * y < 0 for x in a for y in b):
        return ANY
    return frozenset(x or y for x in a for y in b)


def sign_of_power(a: Sign, n: int) -> Sign:
    """Return the possible signs of the n-th power of a number with given possible signs."""
    return POS if n == 0 else a if n % 2 else sign_of_product(a, a) & NN


def generator_indices_in(p: Poly) -> list[int]:
    """Return the indices of the generators that occur in a polynomial."""
    return [] if p.is_constant() else [i for i, n in enumerate(p.degrees()) if n]


def sign_of_rational(c: Any) -> Sign:
    """Return the set of the one sign that a rational number has."""
    return POS if c > 0 else NEG if c < 0 else ZERO


_NUMBER = re.compile(r"-?[0-9]+(/[1-9][0-9]*)?")
# How many bits a product or power may have before it is multiplied out, and which degree; how many
# terms a polynomial may have that is reduced, divided, factored or looked up, and which degree one
# that is factored.
_LONGEST, _DEGREE, _TERMS, _FACTORED = 1 << 27, 10_000, 10_000, 200


def _coefficient_bits(p: Poly) -> int:
    return max((fmpq(c).height_bits() for c in p.coeffs()), default=0)


def poly_product(a: Poly, b: Poly) -> Poly:
    """Return the product of two polynomials; refuse one that may be too long."""
    if a.is_one() or b.is_one():
        return b if a.is_one() else a
    length, degree = (
        len(a) * len(b) * (_coefficient_bits(a) + _coefficient_bits(b)),
        a.total_degree() + b.total_degree(),
    )
    require(length <= _LONGEST and degree <= _DEGREE, "the polynomial is too long")
    spend_work(length >> 9)
    return a * b


def poly_power(p: Poly, n: int) -> Poly:
    """Return a power of a polynomial; refuse one that may be too long."""
    require(n * max(1, p.total_degree()) <= _DEGREE, "the polynomial is too long")
    length = comb(len(p) + n - 1, n) * n * (_coefficient_bits(p) + len(p)) if p != 0 else 0
    require(length <= _LONGEST, "the polynomial is too long")
    spend_work(length >> 9)
    return p**n


def factor_polynomial(p: Poly) -> Any:
    """Return the constant and the factors of a polynomial; refuse one that may take too long."""
    short = p.total_degree() <= _FACTORED and len(p) <= _TERMS and _coefficient_bits(p) <= BITS
    require(short or len(p) == 1, "the polynomial is too long to be factored")
    spend_work(NODE * len(p))
    return p.factor()


def greatest_common_divisor(a: Poly, b: Poly) -> Poly:
    """Return the greatest common divisor of two polynomials; refuse ones that may take too long."""
    require(max(len(a), len(b)) <= _TERMS, "the polynomials are too long to be divided")
    spend_work(len(a) + len(b))
    return a.gcd(b)


class SignFacts:
    """Known signs of polynomials in the generators of a ring."""

    def __init__(self, size: int) -> None:
        self.ring = flint.fmpq_mpoly_ctx.get([("g", size)], flint.Ordering.lex)
        self.x = self.ring.gens()
        self.one, self.zero = self.ring.constant(1), self.ring.constant(0)
        # The roots: the generator with this number to the power q is a polynomial in those before.
        self.roots: list[tuple[int, int, Poly]] = []
        # By the printing of the polynomial with leading coefficient 1.
        self._facts: dict[str, tuple[Poly, Sign]] = {}
        # By the same printing, since the same polynomials are factored again and again.
        self._factors: dict[str, Any] = {}

    def reduce(self, p: Poly) -> Poly:
        """Return a polynomial with powers r^q of root generators replaced by their radicands."""
        require(len(p) <= _TERMS, "the polynomial is too long")
        if not self.roots or p.is_constant():
            return p
        degrees = p.degrees()
        for i, q, base in reversed(self.roots):
            if degrees[i] < q:
                continue
            parts: dict[int, dict[Any, Any]] = {}
            for m, c in p.to_dict().items():
                k, left = divmod(int(m[i]), q)
                parts.setdefault(k, {})[(*m[:i], left, *m[i + 1 :])] = c
            p = self.zero
            for k, terms in parts.items():
                p += poly_product(self.ring.from_dict(terms), poly_power(base, k))
                require(len(p) <= _TERMS, "the polynomial is too long")
            degrees = p.degrees()
        return p

    def _monic(self, p: Poly) -> tuple[str, Poly, Sign]:
        c = p.leading_coefficient()
        monic = p / c
        return str(monic), monic, sign_of_rational(c)

    def all_facts(self) -> list[tuple[Poly, Sign]]:
        """Return all known facts: polynomials with their signs."""
        return list(self._facts.values())

    def _sign_of_monic(self, name: str) -> Sign:
        return self._facts[name][1] if name in self._facts else ANY

    def learn(self, p: Poly, sign: Sign) -> None:
        """Store that a polynomial's sign is in a set; intersect it with the signs stored before."""
        p = self.reduce(p)
        if not p.is_constant():
            name, monic, s = self._monic(p)
            self._facts[name] = monic, self._sign_of_monic(name) & sign_of_product(sign, s)

    def possible_signs(self, p: Poly, deep: bool = True) -> Sign:
        """Return a polynomial's possible signs by facts, its terms and, if `deep`, its factors."""
        p = self.reduce(p)
        if p.is_constant():
            return sign_of_rational(p.leading_coefficient()) if p != 0 else ZERO
        name, monic, s = self._monic(p)
        found = sign_of_product(self._sign_of_monic(name), s)
        if len(found) == 1:
            return found
        single = [(i, self._sign_of_monic(str(self.x[i]))) for i in generator_indices_in(p)]
        terms, total = p.terms(), ZERO
        for m, c in terms:
            t = sign_of_rational(c)
            for i, sign in single:
                if m[i]:
                    t = sign_of_product(t, sign_of_power(sign, int(m[i])))
            total = sign_of_sum(total, t)
            if total == ANY:
                break
        found &= total
        if len(found) > 1 and len(p) > 1 and deep:
            if name not in self._factors:
                self._factors[name] = factor_polynomial(monic)
            c, factors = self._factors[name]
            if len(factors) > 1 or factors[0][1] > 1:
                t = sign_of_product(s, sign_of_rational(c))
                for f, n in factors:
                    t = sign_of_product(t, sign_of_power(self.possible_signs(f, False), int(n)))
                found &= t
        return found

    # -- certificates -----------------------------------------------------------------------------

    def learn_sign_from_combination(
        self, p: Poly, rows: list[tuple[fmpq, list[tuple[Poly, int]]]], factor: Poly
    ) -> None:
        """Store the sign of p, given that factor * p = sum of c * product of g^n and factor > 0."""
        total, sign = self.zero, ZERO
        for c, parts in rows:
            t, s = self.ring.constant(c), sign_of_rational(c)
            for g, n in parts:
                t, s = (
                    poly_product(t, poly_power(g, n)),
                    sign_of_product(s, sign_of_power(self.possible_signs(g), n)),
                )
            total, sign = total + t, sign_of_sum(sign, s)
        require(self.possible_signs(factor) == POS, "the multiplier is not known to be positive")
        rest = self.reduce(poly_product(p, factor) - total)
        require(rest == 0, "the combination is another polynomial")
        require(sign != ANY, "the combination says nothing")
        self.learn(p, sign)

    # -- JSON -------------------------------------------------------------------------------------

    def to_json(self, p: Poly) -> list[Any]:
        """Return a polynomial as a list of terms ``[coefficient, generator, exponent, ...]``."""
        return [
            [str(c), *(k for i, n in enumerate(m) if n for k in (i, int(n)))]
            for m, c in p.to_dict().items()
        ]

    def hashable_key(self, p: Poly) -> tuple[tuple[Any, ...], ...]:
        """Return a polynomial as a hashable tuple that does not depend on the ring's size."""
        return tuple(map(tuple, self.to_json(p)))

    def from_json(self, data: Any) -> Poly:
        """Return the polynomial that a JSON list of terms describes."""
        is_list = isinstance(data, list) and len(data) < 10_000
        require(is_list, "the data are no polynomial, or too long a one")
        terms: dict[tuple[int, ...], fmpq] = {}
        for term in data:
            require(isinstance(term, list) and len(term) % 2, "malformed term of a polynomial")
            exponents = [0] * len(self.x)
            for i, n in zip(term[1::2], term[2::2], strict=True):
                require(type(i) is int and 0 <= i < len(self.x), "no such generator")
                require(type(n) is int and 0 < n < 500, "an exponent is not from 1 to 499")
                require(exponents[i] == 0, "a generator stands twice in one term")
                exponents[i] = n
            require(tuple(exponents) not in terms, "a monomial stands twice in one polynomial")
            terms[tuple(exponents)] = parse_rational(term[0])
        return self.ring.from_dict(terms)


def parse_rational(text: Any) -> fmpq:
    """Return the rational number that a text p or p/q denotes."""
    is_text = isinstance(text, str) and len(text) < 5_000
    require(is_text, "a number is not written as a text of fewer than 5,000 characters")
    require(_NUMBER.fullmatch(text), f"malformed number {text!a:.40}")
    p, _, q = text.partition("/")
    return fmpq(int(p), int(q or 1))
