"""Integrals over intervals, by double exponential quadrature.

The rule is stopped by comparing two sums: its discretisation error is estimated, not bounded.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from flint import arb, fmpq

from slrsym.numbers.errors import Undecided
from slrsym.numbers.magnitudes import DIGITS_PER_BIT, Ball, magnitude, widened
from slrsym.numbers.quadrature import Sum

__all__ = ["double_exponential"]

_FINEST_LEVEL = 10


def double_exponential(
    integrand: Callable[[Ball], Ball], low: Ball, high: Ball, digits: int
) -> Sum:
    r"""Integral over an interval, finite or not.

    Notes
    -----
    Substitutes :math:`x = \tanh(\frac\pi2 \sinh t)`, :math:`e^{\frac\pi2\sinh t}` or
    :math:`\sinh(\frac\pi2\sinh t)` and sums over an equidistant lattice in t.
    """
    nodes = _change_of_variable(low, high)
    goal = -(digits + 3.0)
    total, absolute = arb(0), arb(0)
    previous: Ball | None = None
    limits = [0.0, 0.0]
    for level in range(2, _FINEST_LEVEL):
        step = 2**level
        for side, sign in enumerate((1, -1)):
            quiet = 0
            first = (1 if sign == -1 else 0) if level == 2 else 1
            k = first
            while True:
                t = k / step
                if level > 2 and t > limits[side]:
                    break
                node, weight = nodes(arb(fmpq(sign * k, step)))
                term = weight * integrand(node)
                if not term.is_finite():
                    if level == 2 and quiet > 0 and t >= 2.5:
                        # So close to a singular end that the distance to it has been lost.
                        limits[side] = t - 1 / step
                        break
                    raise Undecided("the integrand is not finite inside the range of integration")
                total, absolute = total + term, absolute + abs(term)
                if level == 2:
                    small = magnitude(term) - magnitude(absolute)
                    quiet = quiet + 1 if small * DIGITS_PER_BIT < goal - 2 else 0
                    if (quiet >= 3 and t >= 2.5) or t > 8.0:
                        if quiet < 3 and not absolute.is_zero():
                            raise Undecided("the integrand does not become negligible at an end")
                        limits[side] = t
                        break
                k += 1 if level == 2 else 2
        value = total / step
        whole = magnitude(absolute / step)
        if whole == -math.inf:
            return Sum(arb(0), whole)
        if previous is not None:
            difference = value - previous
            gap = (magnitude(difference) - whole) * DIGITS_PER_BIT
            if gap < goal:
                return Sum(widened(value, difference.abs_upper()), whole)
        previous = value
    raise Undecided("double exponential quadrature does not converge")


def _change_of_variable(low: Ball, high: Ball) -> Callable[[Ball], tuple[Ball, Ball]]:
    """The map from t to node and weight."""
    half_pi = arb.pi() / 2
    if low.is_finite() and high.is_finite():

        def finite(t: Ball) -> tuple[Ball, Ball]:
            u = half_pi * t.sinh()
            left, right = 1 / (1 + (-2 * u).exp()), 1 / (1 + (2 * u).exp())
            length = high - low
            # Measured from the nearer end, so that a singularity there is seen from close by.
            x = low + length * left if u < 0 else high - length * right
            return x, 2 * half_pi * t.cosh() * length * left * right

        return finite
    if low.is_finite() or high.is_finite():
        end, sign = (low, 1) if low.is_finite() else (high, -1)

        def half(t: Ball) -> tuple[Ball, Ball]:
            away = (half_pi * t.sinh()).exp()
            return end + sign * away, half_pi * t.cosh() * away

        return half

    def whole(t: Ball) -> tuple[Ball, Ball]:
        u = half_pi * t.sinh()
        return u.sinh(), half_pi * t.cosh() * u.cosh()

    return whole
