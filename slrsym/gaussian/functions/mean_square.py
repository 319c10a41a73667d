"""The mean square of erf of a Gaussian variable, the paper's zeta (7)."""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integral, S, asin, erf, exp, oo, pi, sqrt

from slrsym.gaussian.functions.base import GaussianFunction, are_real, bound_variable, require_index
from slrsym.gaussian.functions.erf_derivatives import erf_prime, erf_second
from slrsym.gaussian.functions.normal import normal_pdf
from slrsym.gaussian.functions.owens_t import OwensT
from slrsym.gaussian.printing import function_call, inline

__all__ = ["gaussian_zeta", "zeta"]


class zeta(GaussianFunction):  # noqa: N801
    r"""Mean square of erf, :math:`\zeta(t, s) = \mathbb{E}\operatorname{erf}(t + sG)^2`.

    Parameters
    ----------
    t, s : Expr
        Real arguments. Even in both.

    Notes
    -----
    With :math:`A = \sqrt{1 + 2s^2}`, :math:`B = \sqrt{1 + 4s^2}`,
    :math:`\zeta(t, s) = 1 - 8T(\sqrt2\,t/A, 1/B)` (claim ``zeta-owens-t``) and

    .. math:: \partial_t\zeta &= \frac{2}{A}\operatorname{erf}\Big(\frac{t}{AB}\Big)
              \operatorname{erf}'\Big(\frac tA\Big), \\
              \partial_s\zeta &= s\,\partial_t^2\zeta = \frac{2s}{A^2}\Big[
              \frac1B \operatorname{erf}'\Big(\frac{t}{AB}\Big)\operatorname{erf}'\Big(\frac tA\Big)
              + \operatorname{erf}\Big(\frac{t}{AB}\Big)\operatorname{erf}''\Big(\frac tA\Big)\Big].

    The second is the heat equation, :math:`\partial_s \mathbb{E}f(t + sG) =
    s\,\partial_t^2\mathbb{E}f(t + sG)`, with :math:`f = \operatorname{erf}^2`.

    Examples
    --------
    >>> from sympy.abc import t, s
    >>> zeta(t, 0), zeta(0, s)
    (erf(t)**2, 2*asin(2*s**2/(2*s**2 + 1))/pi)
    >>> zeta(1, 1).rewrite(OwensT)
    1 - 8*OwensT(sqrt(6)/3, sqrt(5)/5)
    """

    nargs = 2
    _multiprecision = "gaussian_zeta"
    _symbol = r"\zeta"
    # In generated code, "zeta" is Riemann's.
    _sympy_name = "gaussian_zeta"

    @classmethod
    def eval(cls, t: Expr, s: Expr) -> Expr | None:
        if t is S.NaN or s is S.NaN:
            return S.NaN
        if t in (oo, -oo) or s in (oo, -oo):
            return S.One
        if t.is_zero:
            return 2 / pi * asin(2 * s**2 / (1 + 2 * s**2))
        if s.is_zero:
            return erf(t) ** 2
        if t.could_extract_minus_sign():
            return cls(-t, s)
        if s.could_extract_minus_sign():
            return cls(t, -s)
        return None

    def fdiff(self, argindex: int = 1) -> Expr:
        require_index(self, argindex)
        t, s = self.args
        A, B = sqrt(1 + 2 * s**2), sqrt(1 + 4 * s**2)
        inner, outer = t / (A * B), t / A
        if argindex == 1:
            return 2 * erf(inner) * erf_prime(outer) / A
        curvature = erf_prime(inner) * erf_prime(outer) / B + erf(inner) * erf_second(outer)
        return 2 * s * curvature / A**2

    def _eval_rewrite_as_OwensT(self, t: Expr, s: Expr, **kwargs: Any) -> Expr:
        return 1 - 8 * OwensT(sqrt(2) * t / sqrt(1 + 2 * s**2), 1 / sqrt(1 + 4 * s**2))

    def _eval_rewrite_as_Integral(self, t: Expr, s: Expr, **kwargs: Any) -> Expr:
        x = bound_variable(t, s)
        return Integral(erf(t + s * x) ** 2 * normal_pdf(x).rewrite(exp), (x, -oo, oo))

    def _vanishing_part(self, at_zero: list[Expr]) -> Expr | None:
        t, s = self.args
        return 4 / pi * (t**2 + s**2)

    def _eval_is_extended_real(self) -> bool | None:
        return True if are_real(self.args) else None

    def _eval_is_finite(self) -> bool | None:
        return True if are_real(self.args) else None

    def _eval_is_extended_nonnegative(self) -> bool | None:
        return True if are_real(self.args) else None

    def _eval_is_zero(self) -> bool | None:
        if not are_real(self.args):
            return None
        t, s = self.args
        if t.is_zero is False or s.is_zero is False:
            return False
        return True if t.is_zero and s.is_zero else None

    def _scalar_code(self, printer: Any) -> str:
        return function_call(printer, "slrsym.kernels._numba_owens.gaussian_zeta", *self.args)

    def _numpycode(self, printer: Any) -> str:
        return inline(printer, self.rewrite(OwensT))


gaussian_zeta = zeta
