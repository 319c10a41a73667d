"""Owen's T function."""

from __future__ import annotations

from typing import Any

from sympy import Abs, Expr, Integral, S, atan, erf, erfc, exp, oo, pi, sqrt

from slrsym.gaussian.functions.base import GaussianFunction, are_real, bound_variable, require_index
from slrsym.gaussian.printing import function_call

__all__ = ["OwensT"]


class OwensT(GaussianFunction):
    r"""Owen's T function, :math:`\frac{1}{2\pi}\int_0^a \frac{e^{-h^2(1+x^2)/2}}{1+x^2}dx`.

    Parameters
    ----------
    h, a : Expr
        Real arguments. Even in h, odd in a.

    Notes
    -----
    .. math:: \partial_h T = -\frac{e^{-h^2/2}}{2\sqrt{2\pi}}\operatorname{erf}\frac{ah}{\sqrt2},
              \qquad \partial_a T = \frac{e^{-h^2(1+a^2)/2}}{2\pi(1+a^2)}.

    References
    ----------
    D. B. Owen, Tables for computing bivariate normal probabilities, Ann. Math. Statist. 27 (1956).

    Examples
    --------
    >>> from sympy.abc import h, a
    >>> OwensT(-h, -a), OwensT(0, a)
    (-OwensT(h, a), atan(a)/(2*pi))
    >>> OwensT(1, 2).evalf(20)
    0.078468186993084096345
    """

    nargs = 2
    _multiprecision = "owens_t"
    _symbol = "T"

    @classmethod
    def eval(cls, h: Expr, a: Expr) -> Expr | None:
        if h is S.NaN or a is S.NaN:
            return S.NaN
        if a.is_zero or h in (oo, -oo):
            return S.Zero
        if h.is_zero:
            return atan(a) / (2 * pi)
        if a is oo and h.is_extended_real:
            return erfc(Abs(h) / sqrt(2)) / 4
        if a.could_extract_minus_sign():
            return -cls(h, -a)
        if h.could_extract_minus_sign():
            return cls(-h, a)
        return None

    def fdiff(self, argindex: int = 1) -> Expr:
        require_index(self, argindex)
        h, a = self.args
        if argindex == 1:
            return -exp(-(h**2) / 2) * erf(a * h / sqrt(2)) / (2 * sqrt(2 * pi))
        return exp(-(h**2) * (1 + a**2) / 2) / (2 * pi * (1 + a**2))

    def _eval_rewrite_as_Integral(self, h: Expr, a: Expr, **kwargs: Any) -> Expr:
        x = bound_variable(h, a)
        integrand = exp(-(h**2) * (1 + x**2) / 2) / (1 + x**2)
        return Integral(integrand, (x, 0, a)) / (2 * pi)

    def _vanishing_part(self, at_zero: list[Expr]) -> Expr | None:
        h, a = at_zero
        return self.args[1] * exp(-(h**2) / 2) / (2 * pi) if a.is_zero else None

    def _eval_is_extended_real(self) -> bool | None:
        return True if are_real(self.args) else None

    def _eval_is_finite(self) -> bool | None:
        return True if are_real(self.args) else None

    def _eval_is_zero(self) -> bool | None:
        h, a = self.args
        return a.is_zero if h.is_real and a.is_extended_real else None

    def _eval_is_extended_positive(self) -> bool | None:
        h, a = self.args
        return a.is_extended_positive if h.is_real else None

    def _eval_is_extended_negative(self) -> bool | None:
        h, a = self.args
        return a.is_extended_negative if h.is_real else None

    def _eval_is_extended_nonnegative(self) -> bool | None:
        h, a = self.args
        return True if h.is_extended_real and a.is_extended_nonnegative else None

    def _eval_is_extended_nonpositive(self) -> bool | None:
        h, a = self.args
        return True if h.is_extended_real and a.is_extended_nonpositive else None

    def _scalar_code(self, printer: Any) -> str:
        return function_call(printer, "slrsym.kernels._numba_owens.owens_t", *self.args)

    def _numpycode(self, printer: Any) -> str:
        return function_call(printer, "scipy.special.owens_t", *self.args)
