r"""Density and distribution function of a standard normal variable."""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integral, Rational, S, erf, erfc, exp, factorial, oo, pi, sqrt, sympify

from slrsym.gaussian.functions.base import Bell, Entire, bound_variable, require_index
from slrsym.gaussian.functions.erf_derivatives import erf_prime
from slrsym.gaussian.printing import function_call

__all__ = ["normal_cdf", "normal_pdf"]


class normal_pdf(Bell):  # noqa: N801
    r"""Standard normal density, :math:`\varphi(x) = e^{-x^2/2}/\sqrt{2\pi}`.

    Parameters
    ----------
    x : Expr
        The argument, which may be complex.

    Examples
    --------
    >>> from sympy.abc import x
    >>> normal_pdf(x).diff(x)
    -x*normal_pdf(x)
    """

    nargs = 1
    _multiprecision = "normal_pdf"
    _symbol = r"\varphi"

    @classmethod
    def eval(cls, x: Expr) -> Expr | None:
        if x is S.NaN:
            return S.NaN
        if x.is_zero:
            return 1 / sqrt(2 * pi)
        if x in (oo, -oo):
            return S.Zero
        if x.could_extract_minus_sign():
            return cls(-x)
        return None

    def fdiff(self, argindex: int = 1) -> Expr:
        require_index(self, argindex)
        return -self.args[0] * self

    @staticmethod
    def taylor_term(n: int, x: Any, *previous_terms: Expr) -> Expr:
        if n < 0 or n % 2:
            return S.Zero
        return Rational(-1, 2) ** (n // 2) * sympify(x) ** n / factorial(n // 2) / sqrt(2 * pi)

    def _eval_rewrite_as_exp(self, x: Expr, **kwargs: Any) -> Expr:
        return exp(-(x**2) / 2) / sqrt(2 * pi)

    def _eval_rewrite_as_erf_prime(self, x: Expr, **kwargs: Any) -> Expr:
        return erf_prime(x / sqrt(2)) / (2 * sqrt(2))


class normal_cdf(Entire):  # noqa: N801
    r"""Standard normal distribution function, :math:`\Phi(x)`.

    Parameters
    ----------
    x : Expr
        The argument, which may be complex.

    Notes
    -----
    :math:`\Phi(-x)` is not replaced by :math:`1 - \Phi(x)`, which would cancel in the tail.

    Examples
    --------
    >>> from sympy import erf
    >>> from sympy.abc import x
    >>> normal_cdf(x).diff(x)
    normal_pdf(x)
    >>> normal_cdf(x).rewrite(erf)
    erf(sqrt(2)*x/2)/2 + 1/2
    """

    nargs = 1
    _multiprecision = "normal_cdf"
    _symbol = r"\Phi"

    @classmethod
    def eval(cls, x: Expr) -> Expr | None:
        if x is S.NaN:
            return S.NaN
        if x.is_zero:
            return S.Half
        if x is oo:
            return S.One
        if x is -oo:
            return S.Zero
        return None

    def fdiff(self, argindex: int = 1) -> Expr:
        require_index(self, argindex)
        return normal_pdf(self.args[0])

    @staticmethod
    def taylor_term(n: int, x: Any, *previous_terms: Expr) -> Expr:
        if n == 0:
            return S.Half
        return normal_pdf.taylor_term(n - 1, x) * sympify(x) / n

    def _eval_rewrite_as_erf(self, x: Expr, **kwargs: Any) -> Expr:
        return (1 + erf(x / sqrt(2))) / 2

    def _eval_rewrite_as_erfc(self, x: Expr, **kwargs: Any) -> Expr:
        return erfc(-x / sqrt(2)) / 2

    def _eval_rewrite_as_Integral(self, x: Expr, **kwargs: Any) -> Expr:
        u = bound_variable(x)
        return Integral(normal_pdf(u).rewrite(exp), (u, -oo, x))

    def _eval_rewrite_as_tractable(self, x: Expr, limitvar: Any = None, **kwargs: Any) -> Expr:
        return self.rewrite(erf).rewrite("tractable", limitvar=limitvar)

    def _eval_is_extended_positive(self) -> bool | None:
        (x,) = self.args
        return True if x.is_real or x.is_extended_nonnegative else None

    def _eval_is_extended_nonnegative(self) -> bool | None:
        return True if self.args[0].is_extended_real else None

    def _scalar_code(self, printer: Any) -> str:
        # Printed by hand: SymPy turns erfc(-x) into 2 - erfc(x), which cancels.
        code = printer._print(-self.args[0] / sqrt(2))
        return f"(0.5*{printer._module_format('math.erfc')}({code}))"

    def _numpycode(self, printer: Any) -> str:
        return function_call(printer, "scipy.special.ndtr", *self.args)
