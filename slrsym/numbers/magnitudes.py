"""How large balls are, and how wide."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

from flint import acb, arb

from slrsym.numbers.errors import Undecided

__all__ = ["DIGITS_PER_BIT", "Ball", "magnitude", "radius", "widened"]

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
