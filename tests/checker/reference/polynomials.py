"""Polynomials and fractions over the rationals (section 5.1).

A polynomial is a `Poly` with a dictionary from packed exponents to rationals.
Packed exponents are one integer: the fields of g0, g1, ... from the highest on, and the total
degree in the lowest field.  So they add under products and compare in the order of 5.1.
"""

import os
import re
from fractions import Fraction
from functools import cache

from .terms import Refused, show, whole

os.environ.setdefault("SYMPY_GROUND_TYPES", "python")
BITS = 16
MASK = (1 << BITS) - 1
RATIONAL = re.compile("-?[0-9]+(/[1-9][0-9]*)?")


def thin(c):
    """Return a rational as int where it is one."""
    if type(c) is Fraction and c.denominator == 1:
        return c.numerator
    return c


class Poly:
    """Hold a polynomial: packed exponents to rationals that are not 0."""

    __slots__ = ("_degree", "_hash", "_tag", "terms")

    def __init__(self, terms):
        self.terms = terms
        self._tag = self._hash = self._degree = None

    @property
    def tag(self):
        """Return a hashable form."""
        if self._tag is None:
            self._tag = frozenset(self.terms.items())
        return self._tag

    def __hash__(self):
        if self._hash is None:
            self._hash = hash(self.tag)
        return self._hash

    def __eq__(self, other):
        return self is other or self.terms == other.terms

    def __bool__(self):
        return bool(self.terms)

    def degree(self):
        """Return the total degree."""
        if self._degree is None:
            self._degree = max((m & MASK for m in self.terms), default=0)
        return self._degree

    def constant(self):
        """Tell whether no generator occurs."""
        return not self.terms or (len(self.terms) == 1 and 0 in self.terms)

    def lead(self):
        """Return the leading monomial."""
        return max(self.terms)

    def lc(self):
        """Return the leading coefficient."""
        return self.terms[max(self.terms)]

    def ordered(self):
        """Return the terms from the leading one on."""
        return sorted(self.terms.items(), reverse=True)

    def __neg__(self):
        return Poly({m: -c for m, c in self.terms.items()})

    def __add__(self, other):
        if not self.terms:
            return other
        if not other.terms:
            return self
        small, big = sorted((self.terms, other.terms), key=len)
        out = dict(big)
        for m, c in small.items():
            c = out.get(m, 0) + c
            if c:
                out[m] = thin(c)
            else:
                del out[m]
        return Poly(out)

    def __sub__(self, other):
        return self + (-other)

    def __mul__(self, other):
        if not self.terms or not other.terms:
            return ZERO
        if self is ONE or other is ONE:
            return other if self is ONE else self
        if self.degree() + other.degree() > 10000 or len(self.terms) * len(other.terms) > 1 << 24:
            raise Refused("a product of polynomials is too large")
        out = {}
        for m, c in self.terms.items():
            for k, d in other.terms.items():
                out[m + k] = out.get(m + k, 0) + c * d
        return Poly({m: thin(c) for m, c in out.items() if c})

    def scaled(self, c):
        """Return a rational multiple."""
        if c == 1:
            return self
        return Poly({m: thin(c * d) for m, d in self.terms.items()}) if c else ZERO

    def over(self, c):
        """Return the quotient by a rational."""
        return self if c == 1 else self.scaled(thin(1 / Fraction(c)))

    def __pow__(self, n):
        if len(self.terms) == 1:
            if self.degree() * n > 10000:
                raise Refused("a power is too large")
            ((m, c),) = self.terms.items()
            return Poly({m * n: c**n})
        out, base = ONE, self
        while n:
            if n & 1:
                out = out * base
            n >>= 1
            if n:
                base = base * base
        return out


ZERO, ONE = Poly({}), Poly({0: 1})


def const(c):
    """Return a constant polynomial."""
    c = thin(c)
    return Poly({0: c}) if c else ZERO


class Ring:
    """Know the number of generators: packing, reading, gcd and factors."""

    def __init__(self, size):
        self.size = size
        self.shift = [BITS * (size - i) for i in range(size)]
        self.guard = sum(1 << (s + BITS - 1) for s in self.shift) | (1 << (BITS - 1))

    def gen(self, i):
        """Return generator i."""
        return Poly({(1 << self.shift[i]) | 1: 1})

    def exponents(self, m):
        """Return the exponents of a packed monomial."""
        return tuple((m >> s) & MASK for s in self.shift)

    def is_gen(self, p):
        """Return the number of the generator that p is, or None."""
        if len(p.terms) != 1:
            return None
        ((m, c),) = p.terms.items()
        return self.exponents(m).index(1) if c == 1 and m & MASK == 1 else None

    def support(self, p):
        """Return the numbers of the generators that occur."""
        every = 0
        for m in p.terms:
            every |= m
        return [i for i, s in enumerate(self.shift) if (every >> s) & MASK]

    def read(self, data):
        """Read a polynomial from JSON."""
        if type(data) is not list or len(data) >= 10000:
            raise Refused("no polynomial")
        out = {}
        for t in data:
            if type(t) is not list or not t or len(t) % 2 == 0:
                raise Refused("no term of a polynomial")
            m, c, seen = 0, rational(t[0]), set()
            for i, n in zip(t[1::2], t[2::2], strict=True):
                if (
                    not (whole(i) and 0 <= i < self.size and whole(n) and 1 <= n <= 499)
                    or i in seen
                ):
                    raise Refused("no monomial")
                seen.add(i)
                m += (n << self.shift[i]) + n
            if m in out:
                raise Refused("a monomial occurs twice")
            out[m] = c
        return Poly({m: c for m, c in out.items() if c})

    def divide(self, p, d):
        """Return p / d if d divides p exactly, else None."""
        lead, lc = d.lead(), d.lc()
        guard, left, out = self.guard, dict(p.terms), {}
        if len(d.terms) == 1:
            for m, c in left.items():
                if ((m | guard) - lead) & guard != guard:
                    return None
                out[m - lead] = c if lc == 1 else thin(Fraction(c) / lc)
            return Poly(out)
        if p.degree() < d.degree():
            return None
        rest = [(m, c) for m, c in d.terms.items() if m != lead]
        while left:
            m = max(left)
            c = left.pop(m)
            if ((m | guard) - lead) & guard != guard:
                return None
            k = m - lead
            c = out[k] = c if lc == 1 else thin(Fraction(c) / lc)
            for n, e in rest:
                v = left.get(n + k, 0) - c * e
                if v:
                    left[n + k] = thin(v)
                else:
                    del left[n + k]
        return Poly(out)

    def monomial_gcd(self, p):
        """Return the packed largest monomial that divides p."""
        out = [min(es) for es in zip(*map(self.exponents, p.terms), strict=True)]
        return sum((e << s) + e for e, s in zip(out, self.shift, strict=True))

    def gcd(self, a, b):
        """Return a greatest common divisor (up to a constant)."""
        if a.constant() or b.constant():
            return ONE
        k = self.monomial_gcd(a)
        if len(a.terms) == 1 or len(b.terms) == 1:
            x, y = self.exponents(k), self.exponents(self.monomial_gcd(b))
            return Poly(
                {
                    sum(
                        (min(e, f) << s) + min(e, f)
                        for e, f, s in zip(x, y, self.shift, strict=True)
                    ): 1
                }
            )
        x, y = self.support(a), self.support(b)
        if set(x).isdisjoint(y):
            return ONE
        for p, q, ps, qs in ((a, b, x, y), (b, a, y, x)):
            alone = [i for i in ps if i not in qs]
            if alone:
                for c in sorted(self.coefficients(p, alone), key=lambda c: len(c.terms)):
                    q = self.gcd(q, c)
                    if q.constant():
                        return ONE
                return q
        if len(a.terms) >= len(b.terms) and self.divide(a, b) is not None:
            return b
        if len(b.terms) >= len(a.terms) and self.divide(b, a) is not None:
            return a
        return common(self, a, b, x)

    def coefficients(self, p, gens):
        """Return the coefficients of p as a polynomial in some generators."""
        mask = sum(MASK << self.shift[i] for i in gens)
        out = {}
        for m, c in p.terms.items():
            k = m & mask
            out.setdefault(k, {})[m - k - sum(self.exponents(k))] = c
        return [Poly(t) for t in out.values()]

    def lower(self, p, gens):
        """Return p as sorted terms in these generators only."""
        shifts = [self.shift[i] for i in gens]
        return tuple(
            sorted((tuple((m >> s) & MASK for s in shifts), c) for m, c in p.terms.items())
        )

    def lift(self, terms, gens):
        """Return the polynomial that `lower` made into these terms."""
        return Poly(
            {
                sum((e << self.shift[i]) + e for e, i in zip(es, gens, strict=True)): thin(c)
                for es, c in terms
            }
        )

    def factors(self, p):
        """Return the constant and the sorted factors of p != 0 (5.1)."""
        if p.constant():
            return p.terms[0], []
        out = sorted(
            split(self, p).items(),
            key=lambda fn: [(*self.exponents(m), k) for m, k in fn[0].ordered()],
        )
        c = Fraction(p.lc())
        for f, n in out:
            c /= f.lc() ** n
        return thin(c), out


def rational(s):
    """Read a rational."""
    if type(s) is not str or len(s) >= 5000 or not RATIONAL.fullmatch(s):
        raise Refused(f"no rational: {show(s)}")
    return thin(Fraction(s))


@cache
def sympy_ring(n):
    """Return sympy's ring of n generators over the rationals."""
    from sympy.polys.domains import QQ
    from sympy.polys.orderings import lex
    from sympy.polys.rings import ring

    return ring([f"x{i}" for i in range(n)], QQ, lex)[0]


def to_sympy(terms, n):
    """Return a polynomial of sympy with these terms."""
    r = sympy_ring(n)
    q = r.domain
    return r.from_dict({e: q(c.numerator, c.denominator) for e, c in terms})


def from_sympy(p):
    """Return the terms of a polynomial of sympy."""
    return tuple(
        sorted(
            (tuple(e), thin(Fraction(int(c.numerator), int(c.denominator)))) for e, c in p.terms()
        )
    )


@cache
def sympy_factors(terms, n):
    """Return the factors of terms with their multiplicities, by sympy."""
    return [(from_sympy(f), k) for f, k in to_sympy(terms, n).factor_list()[1]]


from .factoring import common, split  # noqa: E402  (it needs the names above)
