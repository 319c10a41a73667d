"""Ends of intervals: exact rationals or infinite, rounded outwards from ball arithmetic.

Every function here has an argument `upward`, which says on which side of the value the result may
lie: at an upper end the result is at least the value, at a lower end at most.
"""

from __future__ import annotations

from collections.abc import Callable

from flint import arb, ctx, fmpq, fmpz
from sympy import Expr, Integer, Rational, S, integer_nthroot, oo

__all__ = ["BITS", "LONGEST", "integer_power", "of_ball", "of_value", "root", "shortened"]

BITS = 128
LONGEST = 2048
_LARGEST_EXPONENT = 4096
_LARGEST_POWER = 4096
_LONGEST_EXACT_POWER = 2**16


def of_ball(ball: arb, upward: bool) -> Expr:
    """An end of a ball as a rational; infinite if the ball is no number."""
    if not ball.is_finite():
        return oo if upward else -oo
    return _exact(ball.upper() if upward else ball.lower(), upward)


def of_value(function: Callable[[arb], arb], value: Expr, upward: bool) -> Expr:
    """A bound of a function's value at a rational."""
    with ctx.workprec(BITS):
        return of_ball(function(_ball(value)), upward)


def shortened(value: Expr, upward: bool, longest: int = LONGEST) -> Expr:
    """An end, or something a little further out that is shorter to write."""
    if value.is_infinite or _length(value) <= longest:
        return value
    with ctx.workprec(min(longest, 2 * BITS)):
        return of_ball(_ball(value), upward)


def integer_power(end: Expr, n: int, upward: bool) -> Expr:
    """A positive integer power of an end, exact unless that is out of proportion."""
    if end.is_infinite or n == 1:
        return end**n
    if n <= _LARGEST_POWER and n * _length(end) <= _LONGEST_EXACT_POWER:
        return end**n
    return of_value(lambda x: x ** fmpz(n), end, upward)


def root(end: Expr, n: int, upward: bool) -> Expr:
    """The nth root of an end that is not negative, exact where it is rational."""
    if end.is_infinite or n == 1:
        return end
    (p, p_exact), (q, q_exact) = integer_nthroot(int(end.p), n), integer_nthroot(int(end.q), n)
    if p_exact and q_exact:
        return Rational(p, q)
    value = of_value(lambda x: x.root(n), end, upward)
    return value if upward else max(value, S.Zero)


def _length(value: Expr) -> int:
    return max(int(value.p).bit_length(), int(value.q).bit_length())


def _ball(value: Expr) -> arb:
    return arb(fmpq(fmpz(int(value.p)), fmpz(int(value.q))))


def _exact(ball: arb, upward: bool) -> Expr:
    """The value of an exact ball, moved outwards where its exponent is out of proportion."""
    mantissa, exponent = (int(part) for part in ball.man_exp())
    if not mantissa:
        return S.Zero
    size = exponent + abs(mantissa).bit_length()
    if size > _LARGEST_EXPONENT:
        least = Integer(2) ** (_LARGEST_EXPONENT - 1)
        outwards, inwards = (oo, least) if mantissa > 0 else (-oo, -least)
        return outwards if upward is (mantissa > 0) else inwards
    if size < -_LARGEST_EXPONENT:
        if upward is not (mantissa > 0):
            return S.Zero
        tiny = Rational(1, Integer(2) ** _LARGEST_EXPONENT)
        return tiny if upward else -tiny
    scale = Integer(2) ** abs(exponent)
    return Integer(mantissa) * scale if exponent >= 0 else Rational(mantissa, scale)
