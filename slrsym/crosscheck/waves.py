"""Exact sums of polynomials times cosines and sines of affine forms in standard normal variables.

Such sums are closed under products, and their means are known: that of z^n cos(a z + b) is the
exponential of -a^2/2 times a Hermite polynomial in a times a cosine or a sine of b. All numbers are
rational until a value is asked for, which is a ball.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import comb
from typing import Any

from flint import arb, ctx, fmpq

from slrsym.crosscheck.ball_quadrature import Inconclusive

# By its index, the slope of an angle in each normal variable that is in it.
Slopes = tuple[tuple[int, fmpq], ...]
# An angle, and q of the factor exp(-q).
_Key = tuple[Slopes, fmpq, fmpq]
# Of balls, in bits.
PRECISION = 256
_MOST_TERMS = 20_000


class Wave:
    """A sum of (P cos t + Q sin t) exp(-q), for polynomials P, Q and angles t = a z + b."""

    def __init__(self, terms: dict[_Key, tuple[Any, Any]]) -> None:
        self.terms = terms

    @classmethod
    def of_number(cls, x: Any) -> Wave:
        """Return a number or a polynomial as a sum with one angle, 0."""
        return cls({((), fmpq(0), fmpq(0)): (x, fmpq(0))})

    @classmethod
    def cosine(cls, angle: Any, turned: fmpq, amplitude: fmpq) -> Wave:
        """Return a multiple of the cosine of an affine form and an angle."""
        slopes, offset = _affine(angle)
        made = cls({})
        made._add((slopes, offset + turned, fmpq(0)), amplitude, fmpq(0))
        return made

    @classmethod
    def sine(cls, angle: Any, turned: fmpq, amplitude: fmpq) -> Wave:
        """Return a multiple of the sine of an affine form and an angle."""
        slopes, offset = _affine(angle)
        made = cls({})
        made._add((slopes, offset + turned, fmpq(0)), fmpq(0), amplitude)
        return made

    def _add(self, key: _Key, p: Any, q: Any) -> None:
        slopes, offset, decay = key
        # Of an angle and its negative, one is kept.
        first = slopes[0][1] if slopes else offset
        if first < 0:
            slopes, offset, q = tuple((i, -a) for i, a in slopes), -offset, -q
        if not slopes and offset == 0:
            q = fmpq(0)
        key = (slopes, offset, decay)
        known = self.terms.get(key, (fmpq(0), fmpq(0)))
        self.terms[key] = (known[0] + p, known[1] + q)
        if len(self.terms) > _MOST_TERMS:
            raise Inconclusive("a product of random functions has too many terms")

    def __add__(self, other: Any) -> Any:
        if isinstance(other, arb):
            return self.ball() + other
        if not _is_exact(other):
            return NotImplemented
        made = Wave(dict(self.terms))
        for key, (p, q) in _wave(other).terms.items():
            made._add(key, p, q)
        return made

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, arb):
            return self.ball() * other
        if not _is_exact(other):
            return NotImplemented
        made = Wave({})
        for (a, b, c), (p, q) in self.terms.items():
            for (d, e, f), (r, s) in _wave(other).terms.items():
                # Products of cosines and sines, by sums and differences of angles.
                plus, minus = (_combined(a, d, sign) for sign in (1, -1))
                made._add((plus, b + e, c + f), (p * r - q * s) / 2, (p * s + q * r) / 2)
                made._add((minus, b - e, c + f), (p * r + q * s) / 2, (q * r - p * s) / 2)
        return made

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Any:
        return self * fmpq(-1)

    def __sub__(self, other: Any) -> Any:
        return self + other * fmpq(-1)

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __truediv__(self, other: Any) -> Any:
        return self * (1 / other)

    def __rtruediv__(self, other: Any) -> Any:
        return other / self.ball()

    def __pow__(self, n: int) -> Any:
        made: Any = Wave.of_number(fmpq(1))
        for _ in range(n):
            made = made * self
        return made

    def ball(self) -> arb:
        """Return a ball around a value that depends on no variable."""
        with ctx.workprec(PRECISION):
            total = arb(0)
            for (slopes, offset, decay), (p, q) in self.terms.items():
                if slopes or not all(isinstance(x, int | fmpq) for x in (p, q)):
                    raise Inconclusive("a random function is in a place that has no exact value")
                angle, size = arb(offset), arb(-decay).exp()
                total += size * (angle.cos() * arb(p) + angle.sin() * arb(q))
            return total

    def mean(self) -> Wave:
        """Return the mean over the standard normal variables."""
        made = Wave({})
        for (slopes, offset, decay), parts in self.terms.items():
            table = dict(slopes)
            decay = decay + sum((a * a for a in table.values()), fmpq(0)) / 2
            (p, q), (r, s) = (_moment(part, table) for part in parts)
            # Of P the real part of exp(ib) (p + iq), of Q the imaginary part of exp(ib) (r + is).
            made._add(((), offset, decay), p + s, r - q)
        return made


def _is_exact(x: Any) -> bool:
    return isinstance(x, int | fmpq | Wave) or hasattr(x, "to_dict")


def _wave(x: Any) -> Wave:
    return x if isinstance(x, Wave) else Wave.of_number(x)


def _affine(form: Any) -> tuple[Slopes, fmpq]:
    """Return the slopes and the value at 0 of a polynomial of degree 1 at most."""
    if isinstance(form, int | fmpq):
        return (), fmpq(form)
    slopes, offset = [], fmpq(0)
    for powers, c in form.to_dict().items():
        degree = sum(map(int, powers))
        if degree > 1:
            raise Inconclusive("a random function of a vector that is not affine in the matrices")
        if degree:
            slopes.append((next(i for i, n in enumerate(powers) if n), fmpq(c)))
        else:
            offset = fmpq(c)
    return tuple(sorted(slopes)), offset


def _combined(a: Slopes, b: Slopes, sign: int) -> Slopes:
    table = dict(a)
    for i, x in b:
        table[i] = table.get(i, fmpq(0)) + sign * x
    return tuple(sorted((i, x) for i, x in table.items() if x != 0))


def _monomials(p: Any) -> Iterator[tuple[tuple[int, ...], fmpq]]:
    if isinstance(p, int | fmpq):
        yield (), fmpq(p)
        return
    for powers, c in p.to_dict().items():
        yield tuple(map(int, powers)), fmpq(c)


def _moment(p: Any, slopes: dict[int, fmpq]) -> tuple[fmpq, fmpq]:
    """Return real and imaginary part of the mean of P(z + ia) for the slopes a."""
    parts = [fmpq(0), fmpq(0), fmpq(0), fmpq(0)]
    for powers, c in _monomials(p):
        for i, n in enumerate(powers):
            c = c * _hermite(n, slopes.get(i, fmpq(0)))
        parts[sum(powers) % 4] += c
    return parts[0] - parts[2], parts[1] - parts[3]


def _hermite(n: int, x: fmpq) -> fmpq:
    """Return the Hermite polynomial He_n at x."""
    total = fmpq(0)
    for k in range(n // 2 + 1):
        pairings = 1
        for j in range(2 * k - 1, 0, -2):
            pairings *= j
        total += (-1) ** k * comb(n, 2 * k) * pairings * x ** (n - 2 * k)
    return total


def as_ball(x: Any) -> arb:
    """Return a ball around an exact number, or a ball itself."""
    if isinstance(x, arb):
        return x
    with ctx.workprec(PRECISION):
        return x.ball() if isinstance(x, Wave) else arb(x)


def sign_of_difference(a: Any, b: Any) -> int:
    """Return the sign of a - b: 0 also if they are too close to each other to be told apart."""
    if isinstance(a, fmpq) and isinstance(b, fmpq):
        return int(a > b) - int(a < b)
    with ctx.workprec(PRECISION):
        difference = as_ball(a) - as_ball(b)
        return int(difference > 0) - int(difference < 0)
