"""Values: numbers with their errors, and the scale that errors are measured by."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import mpmath
from flint import arb
from mpmath.libmp import from_man_exp
from sympy import Expr

from slrsym.numbers.balls import simplest
from slrsym.numbers.magnitudes import Ball

__all__ = ["Later", "Number", "Point", "Value", "digits_of", "value_of"]

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
    mantissa, exponent = exact.man_exp()
    return mpmath.make_mpf(from_man_exp(int(mantissa), int(exponent)))


def value_of(number: Number) -> Value:
    """The midpoint and radius of a ball as numbers of mpmath."""
    ball, scale = number
    ball = simplest(ball)
    if isinstance(ball, arb):
        return Value(_mpf(ball.mid()), _mpf(ball.rad()), scale)
    real, imag = _mpf(ball.real.mid()), _mpf(ball.imag.mid())
    error = _mpf(ball.real.rad() + ball.imag.rad())
    return Value(mpmath.make_mpc((real._mpf_, imag._mpf_)), error, scale)
