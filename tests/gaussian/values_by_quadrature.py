"""Values of the special functions by quadrature of their definitions."""

from itertools import pairwise
from typing import Any

import flint
import mpmath
from mpmath import mp


def owens_t_by_quadrature(height: Any, end: Any) -> Any:
    """T(h, a) from its integral; the panels follow the width of the Gaussian factor."""
    height, end = mp.mpf(height), mp.mpf(end)
    width = 1 / max(1, abs(height))
    reach = min(end, mpmath.sqrt(2 * mp.prec) / abs(height))
    panels = [mp.zero]
    while panels[-1] < reach:
        panels.append(min(reach, 2 * panels[-1] + width))
    integral = mpmath.quad(lambda u: mpmath.exp(-((height * u) ** 2) / 2) / (1 + u * u), panels)
    return mpmath.exp(-(height**2) / 2) * integral / (2 * mp.pi)


def zeta_by_quadrature(mean: Any, scale: Any) -> Any:
    """E erf(t + s G)^2 from its definition."""
    reach = int(mpmath.sqrt(2 * mp.prec)) + 1
    return mpmath.quad(
        lambda g: mpmath.erf(mean + scale * g) ** 2 * mpmath.npdf(g), range(-reach, reach + 1)
    )


def owens_t_enclosed(height: float, end: float, prec: int = 133) -> float:
    """T(h, a) of two doubles by rigorous integration in ball arithmetic, to 40 digits."""
    before = flint.ctx.prec
    try:
        flint.ctx.prec = prec + 40
        ball = flint.arb(height)

        def integrand(z: Any, analytic: bool) -> Any:
            return (-(ball**2) * z * z / 2).exp() / (1 + z * z)

        panels, upper = [0.0], min(end, 1.0, 1.0 / max(height, 1e-300))
        while panels[-1] < end and panels[-1] * height < 16.0:
            panels.append(upper)
            upper = min(2.0 * upper, end)
        total = sum(
            (
                flint.acb.integral(integrand, flint.acb(lo), flint.acb(hi)).real
                for lo, hi in pairwise(panels)
            ),
            start=flint.arb(0),
        )
        value = (-(ball**2) / 2).exp() * total / (2 * flint.arb.pi())
        assert value.rel_accuracy_bits() > 100
        return float(value.mid())
    finally:
        flint.ctx.prec = before


def relative_error(value: Any, reference: Any) -> Any:
    return abs(mp.mpf(value) / reference - 1)
