"""Functions of `slrsym.kernels.orthant_arrays` in balls, and in mpmath by way of balls."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

import mpmath
from flint import acb, arb, ctx
from mpmath.libmp import from_man_exp

from slrsym.kernels.orthant_arrays import moment_at_start, orthant_integrands

# Where matrices may be singular, wider balls are not integrated over.
_WIDE = 2.0**-20
# How far from the end of the path to a matrix that may be singular the rest is bounded.
_END = 2.0**-24
# Pieces of the path for mpmath.
_PIECES = 8


class _Analytic:
    """Functions of complex balls that are no numbers where they are not analytic, if so asked."""

    asked = False

    @classmethod
    def sqrt(cls, x: Any) -> Any:
        if not isinstance(x, arb):
            return x.sqrt(analytic=cls.asked)
        if x > 0:
            return x.sqrt()
        # Minors are not negative.
        return arb(0).union(arb.max(x.upper(), arb(0)).sqrt())

    @classmethod
    def angle(cls, x: Any, y: Any) -> Any:
        if isinstance(x, arb) and isinstance(y, arb):
            return arb.atan2(y, x)
        turned = acb(0, 1) * y
        logs = [(x + z).log(analytic=cls.asked) for z in (turned, -turned)]
        return (logs[0] - logs[1]) / acb(0, 2)

    @staticmethod
    def positive(x: Any) -> Any:
        return arb.max(x, arb(0)) if isinstance(x, arb) else x


def _integrand(which: int) -> Any:
    functions = _Analytic.sqrt, _Analytic.angle, _Analytic.positive
    return orthant_integrands(*functions, arb.pi(), lambda function: function)[which]


def _integral(which: int, r: Sequence[Any], least: Any, to_end: bool, **tolerance: Any) -> Any:
    """Integrate the derivative along the path, up to a distance from its end, or all of it.

    Beyond that distance a matrix has no roots; on the way there the logarithm is the variable, by
    which all roots are about as far away.
    """
    integrand = _integrand(which)

    def at(z: Any, analytic: bool) -> Any:
        _Analytic.asked = analytic
        half = (z / 2).sin()
        return integrand(*r, z.cos(), 2 * half * half, z.sin())

    def at_logarithm(s: Any, analytic: bool) -> Any:
        z = (-s).exp()
        return z * at(z, analytic)

    near = arb(0.25)
    total = acb.integral(at, acb(near), acb(arb.pi() / 2), **tolerance)
    if to_end:
        total += acb.integral(at, acb(0), acb(least))
    ends = [-near.log(), -least.log()]
    pieces = 1 + int(float((ends[1] - ends[0]).mid()) / 3)
    marks = [ends[0] + (ends[1] - ends[0]) * k / pieces for k in range(pieces + 1)]
    for one, other in pairwise(marks):
        total += acb.integral(at_logarithm, acb(one), acb(other), **tolerance)
    return total.real


def _least_pivot(r: Sequence[Any]) -> Any | None:
    """Return the least pivot of the matrix, or None if it may be singular."""
    ab, ac, ad, bc, bd, cd = r
    rows = [[arb(1), ab, ac, ad], [ab, arb(1), bc, bd], [ac, bc, arb(1), cd], [ad, bd, cd, arb(1)]]
    least = arb(1)
    for k in range(4):
        if not rows[k][k] > 0:
            return None
        least = arb.min(least, rows[k][k])
        for i in range(k + 1, 4):
            factor = rows[i][k] / rows[k][k]
            rows[i] = [x - factor * y for x, y in zip(rows[i], rows[k], strict=True)]
    return least


def _value(which: int, r: Sequence[Any]) -> Any:
    most = arb(0).union(arb(1) / 2)
    start = [arb(1) / 16, moment_at_start(arb.pi()) + r[-1] / 16][which]
    if not all(x.is_finite() for x in r):
        return arb("nan") if any(x.is_nan() for x in r) else most
    middle = [x.mid() for x in r]
    least = _least_pivot(middle)
    if least is not None:
        at_middle = [arb(1) / 16, moment_at_start(arb.pi()) + middle[-1] / 16][which]
        found = at_middle + _integral(which, middle, (least.sqrt() / 16).mid(), True)
        for x, has_root in zip(r, (True, *[which == 0] * 5), strict=True):
            if x.rad() == 0:
                continue
            slope = 1 / (4 * arb.pi() * ((1 - x) * (1 + x)).sqrt()) if has_root else arb(1) / 2
            if not slope.is_finite():
                return most
            found += arb(0, x.rad()) * slope
        return arb.min(arb.max(found, arb(0)), arb(1) / 2)
    width = max(float(x.rad()) for x in r)
    if width > _WIDE:
        return most
    # The integrand is below 1; before the end the matrix is positive definite beyond its error.
    end = arb.max(arb(_END), 64 * arb(width).sqrt()).mid()
    tolerance = {"rel_tol": arb(_END) / 8, "abs_tol": arb(_END) / 8}
    found = start + _integral(which, r, end, False, **tolerance) + arb(0, end)
    return arb.min(arb.max(found, arb(0)), arb(1) / 2)


def orthant_probability(*correlations: Any) -> Any:
    """Enclose the probability that four normal variables are positive."""
    return _value(0, [arb(x) for x in correlations])


def orthant_moment(*correlations: Any) -> Any:
    """Enclose the mean of the product of the last two where all four are positive."""
    return _value(1, [arb(x) for x in correlations])


def mpmath_orthant_function(name: str, *correlations: Any) -> Any:
    """Return a function of orthants, by its name, of mpmath numbers, which are taken as exact."""
    which = ("OrthantProbability", "OrthantMoment").index(name)
    numbers = [mpmath.mpf(x) for x in correlations]
    if any(mpmath.isnan(x) for x in numbers):
        return mpmath.nan
    wanted = mpmath.mp.prec
    _Analytic.asked = False
    with ctx.workprec(2 * wanted + 40):
        exact = [_ball(max(mpmath.mpf(-1), min(mpmath.mpf(1), x))) for x in numbers]
        start = [arb(1) / 16, moment_at_start(arb.pi()) + exact[-1] / 16][which]
        count, last = wanted // 3 + 8, None
        while True:
            found = start + _gauss_sum(_integrand(which), exact, count)
            if last is not None and abs(found - last).mid() < arb(2) ** -(wanted + 3):
                break
            if count > 8 * wanted:
                return mpmath.nan
            last, count = found, count + count // 3
        return +mpmath.make_mpf(from_man_exp(*map(int, found.mid().man_exp())))


def _ball(x: Any) -> Any:
    sign, mantissa, exponent, _ = x._mpf_
    return arb(int(mantissa) * (-1) ** sign) * arb(2) ** int(exponent)


def _gauss_sum(integrand: Any, r: Sequence[Any], count: int) -> Any:
    """Integrate by Gauss-Legendre quadrature on pieces that get shorter towards the path's end."""
    total = arb(0)
    far = arb.pi() / 2
    for piece in range(_PIECES):
        near = arb(0) if piece == _PIECES - 1 else far / 8
        for node, weight in _gauss_rule(count, ctx.prec):
            z = near + (far - near) * (1 + node) / 2
            half = (z / 2).sin()
            # Where a matrix is singular, errors of a ball are those of its root.
            value = integrand(*r, z.cos().mid(), (2 * half * half).mid(), z.sin().mid())
            total += weight * (far - near) / 2 * value.mid()
        far = near
    return total


@lru_cache(maxsize=64)
def _gauss_rule(count: int, precision: int) -> list[tuple[Any, Any]]:
    return [arb.legendre_p_root(count, k, weight=True) for k in range(count)]
