"""Balls: numbers that bound their own errors. How large and wide they are, what ends in none."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import mpmath
from flint import acb, arb, ctx
from mpmath.libmp import from_man_exp
from sympy import Expr


class Undecided(Exception):  # noqa: N818
    """A value could not be computed well enough; nothing is said about the statement."""


class NotALaw(ValueError):  # noqa: N818
    """At this point the covariance is not positive semidefinite, or a variance is negative."""


Ball: TypeAlias = Any

DIGITS_PER_BIT = math.log10(2)


def magnitude(ball: Ball) -> float:
    """Binary logarithm of an upper bound of the absolute value."""
    if not ball.is_finite():
        raise Undecided("an intermediate value is not finite")
    upper = ball.abs_upper()
    if upper.is_zero():
        return -math.inf
    mantissa, exponent = upper.man_exp()
    bits = int(mantissa).bit_length()
    shift = max(0, bits - 53)
    return math.log2(int(mantissa) >> shift) + shift + int(exponent)


def radius(ball: Ball) -> Ball:
    """How far the number may be from the middle of the ball."""
    return ball.rad() if isinstance(ball, arb) else ball.real.rad() + ball.imag.rad()


def widened(ball: Ball, error: Ball) -> Ball:
    """The ball with its radius enlarged."""
    margin = arb(0, error)
    return ball + margin if isinstance(ball, arb) else ball + acb(margin, margin)


def complex_ball(x: Ball) -> Ball:
    """The number as a complex ball."""
    return x if isinstance(x, acb) else acb(x)


def simplest(x: Ball) -> Ball:
    """The real ball of a complex one whose imaginary part is exactly zero."""
    return x.real if isinstance(x, acb) and x.imag.is_zero() else x


def real_ball(x: Ball, what: str) -> Ball:
    """The number as a real ball."""
    x = simplest(x)
    if isinstance(x, arb):
        return x
    if x.imag.contains(0):
        return x.real
    raise Undecided(f"{what} needs a real number; got {x.str(8)}")


def order_of(a: Ball, b: Ball) -> int:
    """The sign of a - b."""
    d = real_ball(a - b, "an order")
    if d > 0:
        return 1
    if d < 0:
        return -1
    size = max(magnitude(a), magnitude(b), 0.0)
    if d.is_zero() or magnitude(d) < size - ctx.prec / 2:
        return 0
    raise Undecided("a sign is lost in rounding")


Point: TypeAlias = Mapping[Any, Any]
Number: TypeAlias = tuple[Ball, float]


@dataclass(frozen=True)
class Later:
    """An expression that is to be evaluated in its own environment, at whatever precision."""

    expr: Expr
    environment: Mapping[Any, Any]


@dataclass(frozen=True)
class Value:
    """A number and how far to trust it."""

    number: Any
    error: Any
    scale: float

    @property
    def digits(self) -> float:
        """Decimal digits that are right, relative to the number; infinite if it is exact."""
        return digits_of(self.error, abs(self.number))

    def __str__(self) -> str:
        result: str = mpmath.nstr(self.number, int(max(2.0, min(60.0, self.digits))))
        return result


def digits_of(error: Any, size: Any) -> float:
    """How many digits of a number an error leaves."""
    if error == 0:
        return math.inf
    if size == 0:
        return -math.inf
    return float(mpmath.log10(size) - mpmath.log10(error))


def _mpf(exact: Ball) -> Any:
    if not exact.is_finite():
        raise Undecided("a value is not finite")
    mantissa, exponent = exact.man_exp()
    return mpmath.make_mpf(from_man_exp(int(mantissa), int(exponent)))


def value_of(number: Number) -> Value:
    """The midpoint and radius of a ball as numbers of mpmath."""
    ball, scale = number
    ball = simplest(ball)
    if isinstance(ball, arb):
        return Value(_mpf(ball.mid()), _mpf(ball.rad()), scale)
    real, imag = _mpf(ball.real.mid()), _mpf(ball.imag.mid())
    error = _mpf((ball.real.rad() + ball.imag.rad()).abs_upper())
    return Value(mpmath.make_mpc((real._mpf_, imag._mpf_)), error, scale)
