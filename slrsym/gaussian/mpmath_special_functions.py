"""Special functions of the Gaussian calculus in mpmath, to full relative precision.

Every function takes numbers that mpmath can convert, takes them as exact, and at real ones returns
an mpf whose relative error is a few units of the working precision, however small the value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
from flint import acb, arb, ctx
from mpmath import mp
from mpmath.libmp import from_man_exp

from slrsym.gaussian.bivariate_normal_balls import bivariate_normal_ball, normal_covariance_ball
from slrsym.gaussian.quadrant_moments_balls import (
    half_line_moment_to_all_bits,
    quadrant_moment_ball,
)

_LN2 = 0.6931471805599453


def erf_prime(x: Any) -> Any:
    r"""Evaluate :math:`\operatorname{erf}'(x) = \frac{2}{\sqrt\pi} e^{-x^2}`."""
    return _with_exact_square(lambda x: 2 * mpmath.exp(-x * x) / mpmath.sqrt(mp.pi), x)


def erf_second(x: Any) -> Any:
    r"""Evaluate :math:`\operatorname{erf}''(x) = -2x\operatorname{erf}'(x)`."""
    x = mp.convert(x)
    with mp.extraprec(10):
        value = -2 * x * erf_prime(x) if mpmath.isfinite(x) else _vanishing(x)
    return +value


def normal_pdf(x: Any) -> Any:
    r"""Evaluate :math:`\varphi(x) = e^{-x^2/2}/\sqrt{2\pi}`."""
    return _with_exact_square(lambda x: mpmath.exp(-x * x / 2) / mpmath.sqrt(2 * mp.pi), x)


def normal_cdf(x: Any) -> Any:
    r"""Evaluate :math:`\Phi(x) = \tfrac12 \operatorname{erfc}(-x/\sqrt2)`."""
    return _with_exact_square(lambda x: erfc(-x / mpmath.sqrt(2)) / 2, x)


def erfc(x: Any) -> Any:
    r"""Evaluate :math:`\operatorname{erfc}(x) = 1 - \operatorname{erf}(x)`.

    Notes
    -----
    From 2^30 on, where mpmath takes the square of x for a double, it is
    :math:`e^{-x^2}/(\sqrt\pi x)\,[1 - 1/(2x^2) + 1\cdot3/(2x^2)^2 - \ldots]`.
    """
    x = mp.convert(x)
    if isinstance(x, mpmath.mpc) or not mpmath.isfinite(x) or abs(x) < _FAR:
        return mpmath.erfc(x)
    return _with_exact_square(_far_erfc, x)


_FAR = 2**30


def _far_erfc(x: Any) -> Any:
    if x < 0:
        return 2 - _far_erfc(-x)
    total, term, k = mp.one, mp.one, 1
    while mpmath.mag(term) > -mp.prec:
        term *= -(2 * k - 1) / (2 * x * x)
        total, k = total + term, k + 1
    return mpmath.exp(-x * x) / (mpmath.sqrt(mp.pi) * x) * total


def erf_real_part(x: Any, y: Any) -> Any:
    """Compute the real part of erf(x + i y)."""
    return _part_of_erf(x, y, lambda value: value.real)


def erf_imaginary_part(x: Any, y: Any) -> Any:
    """Compute the imaginary part of erf(x + i y)."""
    return _part_of_erf(x, y, lambda value: value.imag)


def _part_of_erf(x: Any, y: Any, part: Callable[[acb], arb]) -> Any:
    x, y = _real("x", x), _real("y", y)
    bits = mp.prec + 20
    # Where one part is near 1 and the other is tiny, or beside a zero, more bits are needed.
    most = 64 * bits + _lost_in_square(x) + _lost_in_square(y)
    while True:
        with ctx.workprec(bits):
            found = part(acb(_ball(x), _ball(y)).erf())
        if found.rel_accuracy_bits() > mp.prec + 5 or bits > most:
            return _middle(found)
        bits *= 2


def owens_t(h: Any, a: Any) -> Any:
    r"""Evaluate Owen's T function :math:`T(h, a)`.

    Notes
    -----
    For a > 1, with :math:`k = ah` and the upper tail :math:`Q`,
    :math:`T(h, a) = \tfrac12 Q(h)\operatorname{erf}(k/\sqrt2) + [\tfrac12 Q(k) - T(k, 1/a)]`, where
    the difference cancels only where the first term exceeds it.
    """
    h, a = _real("h", h), _real("a", a)
    if mpmath.isnan(h) or mpmath.isnan(a):
        return mp.nan
    if mpmath.isinf(h) or a == 0:
        return mp.zero
    with mp.workprec(mp.prec + 20 + _lost_in_square(h)):
        value = _owens_t(abs(h), abs(a))
    return +value if a > 0 else -value


def bivariate_normal_cdf(h: Any, k: Any, r: Any, left: Any = None) -> Any:
    r"""Evaluate :math:`\Phi_2(h, k; r)`, the bivariate normal distribution function.

    `left` is 1 - r^2, where it is known better than from r. What is below 0 by rounding is 0, and
    so is what is below exp(-5e9).
    """
    h, k, r = _real("h", h), _real("k", k), _real("r", r)
    with mp.workprec(2 * mp.prec + 20):
        left = (1 - r) * (1 + r) if left is None else _real("left", left)
    if any(map(mpmath.isnan, (h, k, r, left))) or left < -1e-13:
        return mp.nan
    if min(h, k) < -(10**5):
        return mp.zero
    if max(h, k) > 2 * 10**5:
        # Beyond it there is exp(-2e10), which is nothing beside exp(-5e9).
        return normal_cdf(min(h, k))
    # The exponents are up to (|h| + |k|)^2 over `left`.
    lost = int(max(0, -mpmath.mag(left))) if left > 0 else 0
    prec, wanted = mp.prec + 40 + _lost_in_square(h) + _lost_in_square(k) + lost, mp.prec + 10
    for _ in range(6):
        with ctx.workprec(prec):
            root = arb(0) if left <= 0 else _ball(left).sqrt()
            found = bivariate_normal_ball(_ball(h), _ball(k), _ball(r), root)
            if found == 0 or found.rel_accuracy_bits() > wanted:
                break
        prec *= 2
    return _middle(found)


def normal_covariance(h: Any, k: Any, cosine: Any, sine: Any) -> Any:
    r"""Evaluate :math:`\Phi_2(h, k; r) - \Phi(h)\Phi(k)` for a correlation, given as an angle's."""
    lost = _lost_in_square(h) + _lost_in_square(k)
    with ctx.workprec(mp.prec + 20 + min(lost, 200)):
        return _middle(normal_covariance_ball(*map(_ball, (h, k, cosine, sine))))


def half_line_moment(n: int, u: Any) -> Any:
    r"""Evaluate :math:`\mathbb{E}(u + Z)_+^n` for a standard normal Z."""
    with ctx.workprec(mp.prec + 20 + _lost_in_square(u)):
        return _middle(half_line_moment_to_all_bits(n, _ball(u)))


def quadrant_moment(p: int, q: int, h: Any, k: Any, cosine: Any, sine: Any) -> Any:
    r"""Evaluate :math:`\mathbb{E}(h + X)_+^p (k + Y)_+^q` by an angle of that cosine."""
    with mp.workprec(mp.prec + 20):
        end = sine / (1 + abs(cosine))
    with ctx.workprec(mp.prec + 20 + _lost_in_square(h) + _lost_in_square(k)):
        return _middle(quadrant_moment_ball(p, q, _ball(h), _ball(k), cosine < 0, _ball(end)))


def gaussian_zeta(t: Any, s: Any) -> Any:
    r"""Evaluate :math:`\zeta(t, s) = \mathbb{E}\operatorname{erf}(t + sG)^2`, G standard normal.

    Notes
    -----
    With :math:`A^2 = 1 + 2s^2`, :math:`B^2 = 1 + 4s^2` and :math:`a = t/A`, this is
    :math:`1 - 8T(\sqrt2 a, 1/B)`, and :math:`\operatorname{erf}(a)^2 = 1 - 8T(\sqrt2 a, 1)`. So
    nothing cancels in

    .. math:: \zeta(t, s) = \operatorname{erf}(a)^2
              + \frac4\pi \int_{1/B}^1 \frac{e^{-a^2(1+x^2)}}{1+x^2}dx.
    """
    t, s = _real("t", t), _real("s", s)
    if mpmath.isnan(t) or mpmath.isnan(s):
        return mp.nan
    if mpmath.isinf(t) or mpmath.isinf(s):
        return mp.one
    with mp.workprec(mp.prec + 20):
        a, B = abs(t) / mpmath.sqrt(1 + 2 * s * s), mpmath.sqrt(1 + 4 * s * s)
        value = mpmath.erf(a) ** 2
        if a * a < (mp.prec + 20) * _LN2:
            # The length 1 - 1/B, where B may be next to 1.
            length = 4 * s * s / (B * (1 + B))
            value += 4 / mp.pi * mpmath.exp(-a * a) * _bell_integral(a * a, mp.one, -length)
    return +value


def _real(name: str, value: Any) -> Any:
    number = mp.convert(value)
    if isinstance(number, mpmath.mpc):
        if number.imag != 0:
            raise ValueError(f"{name} must be real; got {value}")
        number = number.real
    return number


def _vanishing(x: Any) -> Any:
    return mp.nan if mpmath.isnan(x) or isinstance(x, mpmath.mpc) else mp.zero


def _with_exact_square(function: Callable[[Any], Any], x: Any) -> Any:
    """Evaluate a function that falls like exp(-x^2), with the bits that its exponent loses."""
    x = mp.convert(x)
    with mp.workprec(mp.prec + 10 + _lost_in_square(x)):
        value = function(x)
    return +value


def _lost_in_square(x: Any) -> int:
    """Return how many bits the factor exp(-x^2/2) loses if x^2/2 is rounded."""
    return max(0, 2 * int(mpmath.mag(x))) if mpmath.isfinite(x) and x != 0 else 0


def _owens_t(h: Any, a: Any) -> Any:
    """Evaluate Owen's T function T(h, a) for finite h >= 0 and a > 0."""
    if h == 0:
        return mpmath.atan(a) / (2 * mp.pi)
    if a <= 1:
        return mpmath.exp(-h * h / 2) * _core(h * h / 2, a) / (2 * mp.pi)
    root = mpmath.sqrt(2)
    if mpmath.isinf(a):
        return erfc(h / root) / 4
    k = a * h
    if k * k / 2 > (mp.prec + 20) * _LN2 + h * h / 2:
        # Beyond k nothing is left, relative to Q(h).
        return erfc(h / root) / 4
    inner = mpmath.exp(-k * k / 2) * _core(k * k / 2, 1 / a) / (2 * mp.pi)
    return erfc(h / root) / 4 * mpmath.erf(k / root) + erfc(k / root) / 4 - inner


def _core(c: Any, a: Any) -> Any:
    """Integrate exp(-c x^2)/(1 + x^2) over 0 <= x <= a, for c > 0, 0 < a <= 1."""
    # Beyond this nothing is left.
    far = mpmath.sqrt((mp.prec + 20) * _LN2 / c)
    return _bell_integral(c, mp.zero, min(a, far))


def _bell_integral(c: Any, start: Any, length: Any) -> Any:
    """Integrate exp(-c x^2)/(1 + x^2) between two points, by the Arb library."""
    if length == 0:
        return mp.zero
    with ctx.workprec(mp.prec + 30 + int(max(0, mpmath.mag(c)))):
        steep, low, along = map(_ball, (c, start, length))

        def integrand(y: Any, _: Any) -> Any:
            square = (low + along * y) ** 2
            return (-steep * square).exp() / (1 + square)

        found = abs(along) * acb.integral(integrand, 0, 1, abs_tol=0).real
        return mpmath.make_mpf(from_man_exp(*map(int, found.mid().man_exp())))


def _middle(ball: Any) -> Any:
    """Return the middle of a ball to the working precision, 0 if it may be that."""
    if ball.contains(0):
        return mp.zero
    return +mpmath.make_mpf(from_man_exp(*map(int, ball.mid().man_exp())))


def _ball(x: Any) -> arb:
    # Numbers of a program itself are no mpmath numbers.
    sign, mantissa, exponent, _ = mp.convert(x)._mpf_
    return arb(int(mantissa) * (-1) ** sign) * arb(2) ** int(exponent)
