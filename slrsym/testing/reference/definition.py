"""The risk, its derivatives and zeta, computed from the definition to any number of digits."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import mpmath
from mpmath import mp, mpf

from slrsym.testing.reference.quadrature import erf_moments
from slrsym.testing.reference.records import DIGITS, Derivatives, Setting

__all__ = ["compute_risk", "compute_zeta"]


def _excess_risk(state: Sequence[Any], rest: Sequence[Any], shift: Any) -> Any:
    """The mean of (Y - xi - T(X))^2, given the location."""
    kappa, nu, theta, eta, rho = state
    lam, gamma, d, L = rest
    drift = mpmath.sqrt(d / 2)
    # The informative token: its score is drift kappa + gamma z. Given z, the coordinates along v*
    # and v have the means gamma eta z and push + gamma rho z, and these covariances.
    push = drift * theta
    along_star, across, along = (gamma**2 * x for x in (1 - eta**2, nu - eta * rho, 1 - rho**2))
    m = erf_moments(lam * drift * kappa, lam * gamma, shift, mp.dps)
    error = -(push * m[1, 0] + gamma * rho * m[1, 1])
    error_square = (
        (gamma * eta) ** 2 + along_star
        - 2 * gamma * eta * (push * m[1, 1] + gamma * rho * m[1, 2])
        - 2 * across * m[1, 0]
        + push**2 * m[2, 0] + 2 * push * gamma * rho * m[2, 1] + (gamma * rho) ** 2 * m[2, 2]
        + along * m[2, 0]
    )  # fmt: skip
    # Every other token: its score is z, and given z the coordinate along v has mean rho z.
    n = erf_moments(mpf(0), lam, shift, mp.dps)
    other = rho * n[1, 1]
    other_square = rho**2 * n[2, 2] + (1 - rho**2) * n[2, 0]
    return (
        error_square
        - 2 * (L - 1) * error * other
        + (L - 1) * other_square
        + (L - 1) * (L - 2) * other**2
    )


def _derivatives(state: Sequence[Any], rest: Sequence[Any], shift: Any, length: Any) -> Derivatives:
    """Central differences; the risk is quadratic in all but kappa, which has a scale of its own."""
    lam, _, d, _ = rest
    steps = [length / (1 + lam * mpmath.sqrt(d / 2)), *[length] * 4]

    def at(*moves: tuple[int, int]) -> Any:
        moved = list(state)
        for i, times in moves:
            moved[i] += times * steps[i]
        return _excess_risk(moved, rest, shift)

    here = at()
    gradient, hessian = [], []
    for i in range(5):
        ahead, behind = at((i, 1)), at((i, -1))
        gradient.append((ahead - behind) / (2 * steps[i]))
        hessian.append((ahead - 2 * here + behind) / steps[i] ** 2)
        for j in range(i + 1, 5):
            corners = [a * b * at((i, a), (j, b)) for a, b in itertools.product((1, -1), repeat=2)]
            hessian.append(mpmath.fsum(corners) / (4 * steps[i] * steps[j]))
    return Derivatives((here,), tuple(gradient), tuple(hessian))


def _agreed(
    compute: Callable[[Any, Any], Sequence[tuple[Any, ...]]], digits: int
) -> list[tuple[Any, ...]]:
    """Groups of numbers that two quadratures agree about, relative to the largest of each group."""
    # The error of a difference is of the order of the square of its length.
    length = mpf(10) ** (-(digits // 2) - 8)
    for dps in (3 * digits, 5 * digits, 8 * digits, 20 * digits):
        with mp.workdps(dps):
            pairs = list(zip(compute(mpf(0), length), compute(mpf(0.5), length / 2), strict=True))
            close = [
                max(abs(x - y) for x, y in zip(a, b, strict=True))
                <= max(map(abs, a)) * mpf(10) ** -digits
                for a, b in pairs
            ]
            if all(close):
                return [tuple((x + y) / 2 for x, y in zip(a, b, strict=True)) for a, b in pairs]
            # By symmetry all entries may be zero, and rounding is all there is of them.
            gone = [max(map(abs, (*a, *b))) < mpf(10) ** (-dps // 2) for a, b in pairs]
    if all(map(operator.or_, close, gone)):
        return [
            tuple(x if known else mpf(0) for x in group)
            for (group, _), known in zip(pairs, close, strict=True)
        ]
    raise ArithmeticError(f"the quadratures do not agree to {digits} digits")


def compute_risk(setting: Setting, digits: int = DIGITS) -> Derivatives:
    """The excess risk, its gradient and Hessian, from the definition.

    Examples
    --------
    >>> oracle = Setting((1.0, 1.0, 0.0, 0.0, 0.0), lam=0.1, gamma=0.5**0.5, d=400, L=10)
    >>> (risk,) = compute_risk(oracle, digits=10).excess_risk
    >>> print(mpmath.nstr(risk, 8))
    0.11349808
    """

    def compute(shift: Any, length: Any) -> Derivatives:
        state = [mpf(x) for x in setting.state]
        return _derivatives(state, [mpf(x) for x in setting[1:]], shift, length)

    return Derivatives(*_agreed(compute, digits))


def compute_zeta(t: float, s: float, digits: int = DIGITS) -> tuple[Any, Any]:
    r"""Second moment and variance of :math:`\operatorname{erf}(t + sG)`, from the definition."""

    def compute(shift: Any, length: Any) -> list[tuple[Any, ...]]:
        m = erf_moments(mpf(t), mpf(s), shift, mp.dps)
        return [(m[2, 0],), (m[2, 0] - m[1, 0] ** 2,)]

    (zeta,), (variance,) = _agreed(compute, digits)
    return zeta, variance
