"""Greatest common divisors and factors of polynomials in many generators (section 5.1).

Images modulo a prime bound the degree of a common divisor in each generator, and images at
integers show that a polynomial is irreducible; what they leave open goes on by remainders, by
square roots of discriminants, and at last by sympy.
"""

from fractions import Fraction
from math import gcd as number_gcd
from math import isqrt, lcm
from random import Random

from . import polynomials as pl

PRIME = (1 << 61) - 1


def image(ring, p, v, point, prime):
    """Return the coefficients in g_v (lowest first) at integers, modulo a prime or exactly."""
    out = {}
    for m, c in p.terms.items():
        if prime:
            c = c.numerator * pow(c.denominator, -1, prime) % prime if c.denominator != 1 else c
        at = 0
        for i, e in enumerate(ring.exponents(m)):
            if i == v:
                at = e
            elif e:
                c = c * pow(point[i], e, prime) % prime if prime else c * point[i] ** e
        out[at] = out.get(at, 0) + c
    return [(out.get(i, 0) % prime if prime else out.get(i, 0)) for i in range(max(out) + 1)]


def image_degree(a, b):
    """Return the degree of the greatest common divisor modulo the prime."""
    while b:
        inverse = pow(b[-1], -1, PRIME)
        while len(a) >= len(b):
            q, shift = a[-1] * inverse % PRIME, len(a) - len(b)
            for i, c in enumerate(b):
                a[shift + i] = (a[shift + i] - q * c) % PRIME
            while a and not a[-1]:
                a.pop()
        a, b = b, a
    return len(a) - 1


def bound(ring, a, b, v, rng):
    """Return a bound of the degree in g_v of a common divisor."""
    for _ in range(5):
        point = [rng.randrange(1, PRIME) for _ in range(ring.size)]
        x, y = image(ring, a, v, point, PRIME), image(ring, b, v, point, PRIME)
        if x[-1] and y[-1]:
            return image_degree(x, y)
    return min(degree(ring, a, v), degree(ring, b, v))


def degree(ring, p, v):
    """Return the degree in g_v."""
    return max(((m >> ring.shift[v]) & pl.MASK for m in p.terms), default=0)


def common(ring, a, b, gens):
    """Return a greatest common divisor of polynomials in the same generators."""
    rng = Random(1)
    for v in gens:
        if bound(ring, a, b, v, rng) == 0:
            parts = ring.coefficients(a, [v]) + ring.coefficients(b, [v])
            return of_all(ring, parts)
    v = min(gens, key=lambda i: (max(degree(ring, a, i), degree(ring, b, i)), i))
    ca, cb = (of_all(ring, ring.coefficients(p, [v])) for p in (a, b))
    content = ring.gcd(ca, cb)
    a, b = ring.divide(a, ca), ring.divide(b, cb)
    if degree(ring, a, v) < degree(ring, b, v):
        a, b = b, a
    while b:
        r = remainder(ring, a, b, v)
        if r and degree(ring, r, v) == 0:
            return content
        if r:
            r = integral(ring.divide(r, of_all(ring, ring.coefficients(r, [v]))))
        a, b = b, r
    return a * content


def of_all(ring, parts):
    """Return a greatest common divisor of polynomials."""
    parts = sorted(parts, key=lambda c: len(c.terms))
    out = parts[0]
    for p in parts[1:]:
        out = ring.gcd(out, p)
        if out.constant():
            return pl.ONE
    return out if not out.constant() else pl.ONE


def by_degree(ring, p, v):
    """Return the coefficients of p in g_v, by exponent."""
    shift, out = ring.shift[v], {}
    for m, c in p.terms.items():
        e = (m >> shift) & pl.MASK
        out.setdefault(e, {})[m - (e << shift) - e] = c
    return {e: pl.Poly(t) for e, t in out.items()}


def remainder(ring, a, b, v):
    """Return a pseudo-remainder of a by b in g_v."""
    parts = by_degree(ring, b, v)
    n = max(parts)
    lead, g = parts[n], ring.gen(v)
    while a:
        top = by_degree(ring, a, v)
        m = max(top)
        if m < n:
            break
        a = a * lead - b * top[m] * g ** (m - n)
    return a


def integral(p):
    """Return the multiple with coprime integer coefficients and a positive leading one."""
    scale = lcm(*(c.denominator for c in p.terms.values()))
    whole = number_gcd(*(int(c * scale) for c in p.terms.values()))
    c = Fraction(scale, whole)
    return p.scaled(pl.thin(c if p.lc() > 0 else -c))


def split(ring, p):
    """Return the irreducible factors of p with their multiplicities."""
    out = {}
    if p.constant():
        return out
    m = ring.monomial_gcd(p)
    for i, e in enumerate(ring.exponents(m)):
        if e:
            out[ring.gen(i)] = e
    p = ring.divide(p, pl.Poly({m: 1}))
    if not p.constant():
        merge(out, split_rest(ring, integral(p)))
    return out


def merge(out, more, times=1):
    """Add multiplicities to those of `out`."""
    for f, n in more.items():
        out[f] = out.get(f, 0) + n * times


def split_rest(ring, p):
    """Return the factors of a polynomial that no monomial divides."""
    gens = ring.support(p)
    v = min(gens, key=lambda i: (degree(ring, p, i), i))
    n = degree(ring, p, v)
    content = of_all(ring, ring.coefficients(p, [v]))
    if not content.constant():
        out = split(ring, content)
        merge(out, split(ring, ring.divide(p, content)))
        return out
    if n == 1:
        return {p: 1}
    if n == 2:
        return split_quadratic(ring, p, v)
    rng = Random(2)
    for _ in range(6):
        point = [rng.randrange(-30, 31) for _ in range(ring.size)]
        row = image(ring, p, v, point, 0)
        if row[-1]:
            terms = tuple(((i,), c) for i, c in enumerate(row) if c)
            found = pl.sympy_factors(terms, 1)
            if len(found) == 1 and found[0][1] == 1:
                return {p: 1}
    slope = pl.Poly(
        {
            k: c
            for k, c in (
                (m - (1 << ring.shift[v]) - 1, c * ((m >> ring.shift[v]) & pl.MASK))
                for m, c in p.terms.items()
            )
            if c
        }
    )
    g = ring.gcd(p, slope)
    if not g.constant():
        out = split(ring, g)
        merge(out, split(ring, ring.divide(p, g)))
        return out
    out = {}
    for f, k in pl.sympy_factors(ring.lower(p, gens), len(gens)):
        merge(out, {integral(ring.lift(f, gens)): k})
    return out


def split_quadratic(ring, p, v):
    """Return the factors of a polynomial of degree 2 in g_v without content in g_v."""
    parts = by_degree(ring, p, v)
    a, b, c = (parts.get(i, pl.ZERO) for i in (2, 1, 0))
    s = square_root(ring, b * b - a * c.scaled(4))
    if s is None:
        return {p: 1}
    out = {}
    for sign in (1, -1):
        f = a.scaled(2) * ring.gen(v) + b + s.scaled(sign)
        f = ring.divide(f, of_all(ring, ring.coefficients(f, [v])))
        merge(out, {integral(f): 1})
    return out


def square_root(ring, p):
    """Return a polynomial with the square p, or None."""
    if not p:
        return p
    rng = Random(3)
    for _ in range(3):
        value = Fraction(0)
        point = [rng.randrange(-99, 100) for _ in range(ring.size)]
        for m, c in p.terms.items():
            for i, e in enumerate(ring.exponents(m)):
                if e:
                    c = c * point[i] ** e
            value += c
        if rational_root(value) is None:
            return None
    m, c = p.lead(), rational_root(p.lc())
    if c is None or any(e % 2 for e in ring.exponents(m)):
        return None
    half = pl.Poly({m // 2: pl.thin(c)})
    out, rest = half, p - half * half
    while rest:
        t = ring.divide(pl.Poly({rest.lead(): rest.lc()}), half.scaled(2))
        if t is None or t.lead() >= min(out.terms):
            return None
        rest = rest - t * (out.scaled(2) + t)
        out = out + t
    return out


def rational_root(c):
    """Return the rational square root of a rational, or None."""
    c = Fraction(c)
    if c < 0:
        return None
    n, d = isqrt(c.numerator), isqrt(c.denominator)
    return Fraction(n, d) if n * n == c.numerator and d * d == c.denominator else None
