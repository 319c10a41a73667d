r"""The bivariate normal distribution function in balls, to full relative precision in every tail.

By Plackett (1954) its derivative in the correlation is the density at (h, k), which is positive: so
are all terms of

.. math:: \Phi_2(h, k; \rho) &= \Phi(h)\Phi(k) + I(h, k; w_\rho, 1), & \rho \ge 0, \\
          \Phi_2(h, k; \rho) &= \max(0, \Phi(h) - \Phi(-k)) + I(h, -k; 0, w_{-\rho}), & \rho < 0,

.. math:: I(h, k; a, b) = \frac1\pi \int_a^b \exp\Big(-\frac{h^2 + k^2}4 - \frac{(h+k)^2 w^2}8
          - \frac{(h-k)^2}{8w^2}\Big) \frac{dw}{1 + w^2}

with :math:`w_\rho = \sqrt{(1 - \rho)/(1 + \rho)}`.
"""

from __future__ import annotations

import math
from typing import Any

from flint import acb, arb, ctx

_LN2 = math.log(2)
_FAR = 2 * 10**5


def bivariate_normal_ball(h: Any, k: Any, r: Any, root: Any) -> Any:
    """Return a ball around the bivariate normal distribution function at finite numbers.

    `root` is the square root of 1 - r^2, which r alone does not determine well where it is small.
    """
    return quadrant_ball(h, k, bool(r < 0), root / (1 + abs(r)))


def quadrant_ball(h: Any, k: Any, negative: bool, end: Any) -> Any:
    """Return a ball around the bivariate normal distribution function at real numbers.

    The correlation is given by its sign and the root of (1 - |r|)/(1 + |r|).
    """
    if not h.is_finite() or not k.is_finite():
        least = arb.min(h, k)
        return arb(0) if least < 0 and not least.is_finite() else normal_cdf(least)
    if abs(h) > _FAR or abs(k) > _FAR:
        # A quadrature to so small numbers would not end. One event misses no more than the other's
        # complement.
        least = normal_cdf(arb.min(h, k))
        return least.union(arb.max(arb(0), least - normal_cdf(-arb.max(h, k))))
    if negative:
        return probability_between(-k, h) + _integral(h, -k, arb(0), end)
    return normal_cdf(h) * normal_cdf(k) + _integral(h, k, end, arb(1))


def normal_covariance_ball(h: Any, k: Any, r: Any, root: Any) -> Any:
    """Return a ball around the bivariate normal distribution function less the product of both.

    `root` is the square root of 1 - r^2. The ends h and k are exact.
    """
    if r < 0:
        return -normal_covariance_ball(h, -k, -r, root)
    if r == 0 or not h.is_finite() or not k.is_finite() or abs(h) > _FAR or abs(k) > _FAR:
        larger = abs(h) if abs(h) > abs(k) else abs(k)
        return arb(0) if r == 0 else arb(0, normal_cdf(-larger).upper())
    if not r < arb(0.5):
        return _to_one(h, k, root / (1 + r))
    # Near 1 the lower end has as many digits as the correlation is small.
    lost = 0 if r > arb(2) ** -20 else 2 * _size_in_bits(r)
    with ctx.workprec(ctx.prec + lost):
        value = _to_one(h, k, ((1 - r) / (1 + r)).sqrt())
    return +value


def _size_in_bits(r: Any) -> int:
    return min(10**5, int(-float((abs(r).lower() + arb(2) ** -(10**5)).log().mid()) / _LN2))


def _to_one(h: Any, k: Any, start: Any) -> Any:
    """Integrate the density from exact bounds of a start up to 1."""
    ends = [arb.max(end, arb(0)) for end in (start.lower(), start.upper())]
    found = [_integral(h, k, end, arb(1)) for end in ends]
    return found[0].union(found[-1])


def probability_between(low: Any, high: Any) -> Any:
    """Return a ball around the probability of a normal number from `low` to `high`, or 0."""
    if high <= low:
        return arb(0)
    if not low < high:
        return arb.max(arb(0), normal_cdf(high) - normal_cdf(low))
    return normal_cdf(-low) - normal_cdf(-high) if low > 0 else normal_cdf(high) - normal_cdf(low)


def normal_cdf(x: Any) -> Any:
    """Return a ball around the normal distribution function."""
    if x.is_exact() and not x.is_finite():
        return arb(1 if x > 0 else 0)
    return (-x / arb(2).sqrt()).erfc() / 2


def _integral(h: Any, k: Any, low: Any, high: Any) -> Any:
    rise, fall = (h + k) ** 2 / 8, (h - k) ** 2 / 8
    front = (-(h * h + k * k) / 4).exp() / arb.pi()
    if not high > low:
        return arb(0)
    if fall == 0:
        steep = acb(rise)

        def plain(w: Any, _: Any) -> Any:
            return (-steep * w * w).exp() / (1 + w * w)

        return front * acb.integral(plain, acb(low), acb(high), abs_tol=0).real
    # In log w. Errors count relative to the largest value, and it is cut where it is small.
    peak = high.mid()
    if rise > 0 and (fall / rise).root(4) < high:
        peak = (fall / rise).root(4).mid()
    if low > peak:
        peak = low.mid()
    least = rise * peak**2 + fall / peak**2
    far = (fall / (least + (ctx.prec + 20) * _LN2)).sqrt().mid()
    beyond = arb(0)
    if not low > far:
        beyond = arb(0, (far * (least - fall / far**2).exp()).upper())
        low = far
    up, down, shift = acb(rise), acb(fall), acb(least)

    def integrand(z: Any, _: Any) -> Any:
        square = (2 * z).exp()
        return (z + shift - up * square - down / square).exp() / (1 + square)

    total = acb.integral(integrand, acb(low.log()), acb(high.log()), abs_tol=0).real
    return front * (-least).exp() * (total + beyond)
