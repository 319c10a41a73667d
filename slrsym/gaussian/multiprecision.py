"""The functions of Gaussian calculus in mpmath, to the working precision, in relative terms.

Every function takes numbers that mpmath can convert, takes them as exact, and at real ones returns
an mpf whose relative error is a few units of the working precision, however small the value.
"""

from __future__ import annotations

from typing import Any

import mpmath
from mpmath import mp

_LN2 = 0.6931471805599453


def erf_prime(x: Any) -> Any:
    r""":math:`\operatorname{erf}'(x) = \frac{2}{\sqrt\pi} e^{-x^2}`."""
    x = mp.convert(x)
    with mp.workprec(mp.prec + 10 + _lost_in_square(x)):
        value = 2 * mpmath.exp(-x * x) / mpmath.sqrt(mp.pi)
    return +value


def erf_second(x: Any) -> Any:
    r""":math:`\operatorname{erf}''(x) = -2x\operatorname{erf}'(x)`."""
    x = mp.convert(x)
    with mp.extraprec(10):
        value = -2 * x * erf_prime(x) if mpmath.isfinite(x) else _vanishing(x)
    return +value


def normal_pdf(x: Any) -> Any:
    r""":math:`\varphi(x) = e^{-x^2/2}/\sqrt{2\pi}`."""
    x = mp.convert(x)
    with mp.workprec(mp.prec + 10 + _lost_in_square(x)):
        value = mpmath.exp(-x * x / 2) / mpmath.sqrt(2 * mp.pi)
    return +value


def normal_cdf(x: Any) -> Any:
    r""":math:`\Phi(x) = \tfrac12 \operatorname{erfc}(-x/\sqrt2)`."""
    x = mp.convert(x)
    with mp.workprec(mp.prec + 10 + _lost_in_square(x)):
        value = mpmath.erfc(-x / mpmath.sqrt(2)) / 2
    return +value


def owens_t(h: Any, a: Any) -> Any:
    r"""Owen's T function :math:`T(h, a)`.

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


def gaussian_zeta(t: Any, s: Any) -> Any:
    r""":math:`\zeta(t, s) = \mathbb{E}\operatorname{erf}(t + sG)^2`, G standard normal.

    Notes
    -----
    With :math:`A^2 = 1 + 2s^2`, :math:`B^2 = 1 + 4s^2` and :math:`a = t/A`, this is
    :math:`1 - 8T(\sqrt2 a, 1/B)`. Where that may cancel, at :math:`|a|, |s| \le 1`, Mehler's
    expansion into Hermite polynomials has positive terms only:

    .. math:: \zeta(t, s) = \operatorname{erf}(a)^2
              + \frac4\pi e^{-2a^2} \sum_{n \ge 1} \left(\frac{s}{A}\right)^{2n}
                \frac{H_{n-1}(a)^2}{n!}.
    """
    t, s = _real("t", t), _real("s", s)
    if mpmath.isnan(t) or mpmath.isnan(s):
        return mp.nan
    if mpmath.isinf(t) or mpmath.isinf(s):
        return mp.one
    with mp.workprec(mp.prec + 20):
        square = 1 + 2 * s * s
        a = abs(t) / mpmath.sqrt(square)
        if a > 1 or abs(s) > 1:
            value = 1 - 8 * owens_t(mpmath.sqrt(2) * a, 1 / mpmath.sqrt(1 + 4 * s * s))
        else:
            value = mpmath.erf(a) ** 2 + _variance_of_erf(a, s * s / square)
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


def _lost_in_square(x: Any) -> int:
    """Bits by which rounding x^2/2 is worse than rounding x, in exp(-x^2/2)."""
    return max(0, 2 * int(mpmath.mag(x))) if mpmath.isfinite(x) and x != 0 else 0


def _owens_t(h: Any, a: Any) -> Any:
    """T(h, a) for finite h >= 0 and a > 0."""
    if h == 0:
        return mpmath.atan(a) / (2 * mp.pi)
    if a <= 1:
        return mpmath.exp(-h * h / 2) * _core(h * h / 2, a) / (2 * mp.pi)
    root = mpmath.sqrt(2)
    if mpmath.isinf(a):
        return mpmath.erfc(h / root) / 4
    k = a * h
    if k * k / 2 > (mp.prec + 20) * _LN2 + h * h / 2:
        # Beyond k nothing is left, relative to Q(h).
        return mpmath.erfc(h / root) / 4
    inner = mpmath.exp(-k * k / 2) * _core(k * k / 2, 1 / a) / (2 * mp.pi)
    return mpmath.erfc(h / root) / 4 * mpmath.erf(k / root) + mpmath.erfc(k / root) / 4 - inner


def _core(c: Any, a: Any) -> Any:
    """Integral of exp(-c x^2)/(1 + x^2) over 0 <= x <= a, for c > 0, 0 < a <= 1."""
    if a * a <= 0.5 or c > (mp.prec + 20) * _LN2:
        return _core_by_moments(c, a)
    return _core_by_powers(c, a)


def _core_by_moments(c: Any, a: Any) -> Any:
    r"""The core from :math:`1/(1+x^2) = \sum_j (-x^2)^j`, for :math:`a^2 \le 1/2` or c large.

    The remainder is smaller than the first term left out. The moments
    :math:`m_j = \int_0^a x^{2j} e^{-cx^2}dx` fall like :math:`a^{2j}`, and until j = c also like
    :math:`(j/(ec))^j`.
    """
    negligible = (mp.prec + 20) * _LN2
    ratio = a * a
    if c * ratio > negligible:
        # The integral from a on is nothing here: take the moments of the half-line.
        moment = mpmath.sqrt(mp.pi / c) / 2
        total, j = moment, 0
        while abs(moment) > total * mp.eps / 8:
            j += 1
            moment *= -(2 * j - 1) / (2 * c)
            total += moment
        return total
    last = int(negligible / float(-mpmath.log(ratio)) if ratio <= 0.5 else negligible) + 1
    # Downwards, every term of the recursion is positive.
    decay = mpmath.exp(-c * ratio)
    power = a ** (2 * last + 1)
    moment = _moment(c, ratio, power * decay, last)
    total = moment
    for j in range(last, 0, -1):
        power /= ratio
        moment = (2 * c * moment + power * decay) / (2 * j - 1)
        total = moment - total
    return total


def _moment(c: Any, ratio: Any, leading: Any, order: int) -> Any:
    """The moment of that order, by Kummer's series, all of whose terms are positive."""
    term = leading / (2 * order + 1)
    total = term
    k = 0
    while term > total * mp.eps / 8:
        k += 1
        term *= 2 * c * ratio / (2 * order + 2 * k + 1)
        total += term
    return total


def _core_by_powers(c: Any, a: Any) -> Any:
    r"""The core from the exponential series of :math:`e^{-c(1+x^2)}`, at sufficient precision.

    Its coefficients :math:`\int_0^a (1+x^2)^{k-1} dx` follow a recursion of positive terms.
    """
    # The terms reach exp(c (1 + a^2)), the sum is as small as exp(-c).
    peak = float(c) * (1 + float(a) ** 2)
    with mp.extraprec(int((peak + float(c)) / _LN2) + 10):
        height = 1 + a * a
        total, integral, power = mpmath.atan(a), mp.zero, a
        factor = mp.one
        k = 0
        while k < peak or factor * power > mp.eps:
            k += 1
            factor *= c / k
            integral = (power + 2 * (k - 1) * integral) / (2 * k - 1)
            power *= height
            total += -factor * integral if k % 2 else factor * integral
        total *= mpmath.exp(c)
    return +total


def _variance_of_erf(a: Any, q: Any) -> Any:
    """Variance of erf(t + s G), from a = t/A and q = s^2/A^2, by Mehler's expansion."""
    previous, hermite = mp.zero, mp.one
    weight = q
    total = weight
    n = 1
    # By Cramer's inequality, H_n(a)^2 < 1.2 * 2^n n! exp(a^2).
    bound = 4 * weight * mpmath.exp(a * a)
    while bound > total * mp.eps / 8:
        previous, hermite = hermite, 2 * (a * hermite - (n - 1) * previous)
        n += 1
        weight *= q / n
        bound *= 2 * q
        total += weight * hermite * hermite
    return 4 / mp.pi * mpmath.exp(-2 * a * a) * total
