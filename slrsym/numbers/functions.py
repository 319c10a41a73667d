"""Functions on balls: what a node of an expression does to numbers that bound their own errors."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, reduce
from typing import Any

from flint import acb, arb, ctx, fmpq
from sympy import Basic, Integer, Rational

from slrsym.numbers.balls import (
    DIGITS_PER_BIT,
    Ball,
    Undecided,
    complex_ball,
    double_exponential,
    magnitude,
    order_of,
    simplest,
)


def square_root(x: Ball) -> Ball:
    """The principal square root; what may be zero by rounding counts as not negative."""
    x = simplest(x)
    if isinstance(x, acb):
        return x.sqrt()
    if x >= 0:
        return x.sqrt()
    if x < 0:
        return acb(0, (-x).sqrt())
    return x.abs_upper().sqrt().union(arb(0)) if magnitude(x) < -ctx.prec / 2 else acb(x).sqrt()


def _log(x: Ball) -> Ball:
    x = simplest(x)
    return x.log() if isinstance(x, arb) and x > 0 else complex_ball(x).log()


def _asin(x: Ball) -> Ball:
    x = simplest(x)
    return x.asin() if isinstance(x, arb) and abs(x) <= 1 else complex_ball(x).asin()


def _acos(x: Ball) -> Ball:
    x = simplest(x)
    return x.acos() if isinstance(x, arb) and abs(x) <= 1 else complex_ball(x).acos()


def _sign(x: Ball) -> Ball:
    return arb(order_of(x, arb(0)))


def _absolute(x: Ball) -> Ball:
    return abs(x)


def _heaviside(x: Ball, at_zero: Ball | None = None) -> Ball:
    sign = order_of(x, arb(0))
    if sign == 0:
        return arb(fmpq(1, 2)) if at_zero is None else at_zero
    return arb(int(sign > 0))


def _delta(a: Ball, b: Ball) -> Ball:
    return arb(int(order_of(a, b) == 0))


def _erf_prime(x: Ball) -> Ball:
    return 2 * (-x * x).exp() / arb.pi().sqrt()


def _erf_second(x: Ball) -> Ball:
    return -4 * x * (-x * x).exp() / arb.pi().sqrt()


def _normal_pdf(x: Ball) -> Ball:
    return (-x * x / 2).exp() / (2 * arb.pi()).sqrt()


def _normal_cdf(x: Ball) -> Ball:
    return (-x / arb(2).sqrt()).erfc() / 2


def _owens_t(h: Ball, a: Ball) -> Ball:
    r""":math:`\frac1{2\pi}\int_0^a e^{-h^2(1+x^2)/2}/(1+x^2)\,dx`."""
    square = h * h / 2
    if isinstance(a, arb) and not a.is_finite():
        digits = int(ctx.prec * DIGITS_PER_BIT) - 10

        def density(x: Ball) -> Ball:
            return (-square * (1 + x * x)).exp() / (1 + x * x)

        value = double_exponential(density, arb(0), arb.pos_inf(), digits).value
        return (value if a > 0 else -value) / (2 * arb.pi())
    value = acb.integral(
        lambda x, _: (-square * (1 + x * x)).exp() / (1 + x * x), acb(0), complex_ball(a)
    )
    real = isinstance(simplest(h), arb) and isinstance(simplest(a), arb)
    return (value.real if real else value) / (2 * arb.pi())


_FUNCTIONS: dict[str, Callable[..., Ball]] = {
    "exp": lambda x: x.exp(),
    "log": _log,
    "erf": lambda x: x.erf(),
    "erfc": lambda x: x.erfc(),
    "erfi": lambda x: x.erfi(),
    "sin": lambda x: x.sin(),
    "cos": lambda x: x.cos(),
    "tan": lambda x: x.tan(),
    "sinh": lambda x: x.sinh(),
    "cosh": lambda x: x.cosh(),
    "tanh": lambda x: x.tanh(),
    "asin": _asin,
    "acos": _acos,
    "atan": lambda x: x.atan(),
    "asinh": lambda x: x.asinh(),
    "gamma": lambda x: x.gamma(),
    "factorial": lambda x: (x + 1).gamma(),
    "re": lambda x: complex_ball(x).real,
    "im": lambda x: complex_ball(x).imag,
    "conjugate": lambda x: x.conjugate() if isinstance(x, acb) else x,
    "Abs": _absolute,
    "sign": _sign,
    "Heaviside": _heaviside,
    "KroneckerDelta": _delta,
    "Max": lambda *xs: reduce(lambda a, b: a if order_of(a, b) >= 0 else b, xs),
    "Min": lambda *xs: reduce(lambda a, b: a if order_of(a, b) <= 0 else b, xs),
    "erf_prime": _erf_prime,
    "erf_second": _erf_second,
    "normal_pdf": _normal_pdf,
    "normal_cdf": _normal_cdf,
    "OwensT": _owens_t,
}


def ball_function(expr: Basic) -> Callable[..., Ball] | None:
    """The function of a node, by the name of its class."""
    return _FUNCTIONS.get(type(expr).__name__)


@lru_cache(maxsize=512)
def rational_power(exponent: Rational) -> Callable[[Ball], Ball]:
    """Raising to a rational power."""
    if exponent == 2:
        return lambda x: x * x
    if exponent.is_Integer:
        n = int(exponent)
        return lambda x: x**n if n > 0 else 1 / x**-n
    p, q = int(exponent.p), int(exponent.q)
    if q == 2:
        root: Callable[[Ball], Ball] = (
            (lambda x: square_root(x) ** p) if p > 0 else lambda x: 1 / square_root(x) ** -p
        )
        return root

    def general(x: Ball) -> Ball:
        x = simplest(x)
        if x.is_zero() and p > 0:
            return arb(0)
        return (_log(x) * fmpq(p, q)).exp()

    return general


def general_power(base: Ball, exponent: Ball) -> Ball:
    """The principal value of a power."""
    exponent = simplest(exponent)
    if isinstance(exponent, arb) and exponent.is_integer():
        return rational_power(Integer(int(exponent.unique_fmpz())))(base)
    return (_log(base) * exponent).exp()


RELATIONS: dict[str, Callable[[int], bool]] = {
    "Equality": lambda c: c == 0,
    "Unequality": lambda c: c != 0,
    "LessThan": lambda c: c <= 0,
    "StrictLessThan": lambda c: c < 0,
    "GreaterThan": lambda c: c >= 0,
    "StrictGreaterThan": lambda c: c > 0,
}


def select(*pairs: Any) -> Ball:
    """The value of a Piecewise."""
    for value, condition in zip(pairs[::2], pairs[1::2], strict=True):
        if condition:
            return value
    raise Undecided("no branch of a Piecewise applies")
