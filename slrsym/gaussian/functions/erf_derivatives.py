r"""The derivatives of the error function."""

from __future__ import annotations

from typing import Any

from sympy import Expr, S, exp, factorial, oo, pi, sqrt, sympify

from slrsym.gaussian.functions.base import Bell, Entire, require_index

__all__ = ["erf_prime", "erf_second"]


class erf_prime(Bell):  # noqa: N801
    r"""Derivative of the error function, :math:`\frac{2}{\sqrt\pi}e^{-x^2}`.

    Parameters
    ----------
    x : Expr
        The argument, which may be complex.

    Examples
    --------
    >>> from sympy.abc import x
    >>> erf_prime(x).diff(x)
    erf_second(x)
    >>> erf_prime(-x), erf_prime(0)
    (erf_prime(x), 2/sqrt(pi))
    """

    nargs = 1
    _multiprecision = "erf_prime"
    _symbol = r"\operatorname{erf}'"
    _opening = r"\!"

    @classmethod
    def eval(cls, x: Expr) -> Expr | None:
        if x is S.NaN:
            return S.NaN
        if x.is_zero:
            return 2 / sqrt(pi)
        if x in (oo, -oo):
            return S.Zero
        if x.could_extract_minus_sign():
            return cls(-x)
        return None

    def fdiff(self, argindex: int = 1) -> Expr:
        require_index(self, argindex)
        return erf_second(self.args[0])

    @staticmethod
    def taylor_term(n: int, x: Any, *previous_terms: Expr) -> Expr:
        if n < 0 or n % 2:
            return S.Zero
        return 2 / sqrt(pi) * S.NegativeOne ** (n // 2) * sympify(x) ** n / factorial(n // 2)

    def _eval_rewrite_as_exp(self, x: Expr, **kwargs: Any) -> Expr:
        return 2 * exp(-(x**2)) / sqrt(pi)


class erf_second(Entire):  # noqa: N801
    r"""Second derivative of the error function, :math:`-2x\operatorname{erf}'(x)`.

    Parameters
    ----------
    x : Expr
        The argument, which may be complex.

    Examples
    --------
    >>> from sympy.abc import x
    >>> erf_second(x).diff(x)
    (4*x**2 - 2)*erf_prime(x)
    >>> erf_second(-x), erf_second(0)
    (-erf_second(x), 0)
    """

    nargs = 1
    _multiprecision = "erf_second"
    _symbol = r"\operatorname{erf}''"
    _opening = r"\!"

    @classmethod
    def eval(cls, x: Expr) -> Expr | None:
        if x is S.NaN:
            return S.NaN
        if x.is_zero or x in (oo, -oo):
            return S.Zero
        if x.could_extract_minus_sign():
            return -cls(-x)
        return None

    def fdiff(self, argindex: int = 1) -> Expr:
        require_index(self, argindex)
        (x,) = self.args
        return (4 * x**2 - 2) * erf_prime(x)

    @staticmethod
    def taylor_term(n: int, x: Any, *previous_terms: Expr) -> Expr:
        if n < 0 or n % 2 == 0:
            return S.Zero
        k = n // 2
        return -4 / sqrt(pi) * S.NegativeOne**k * sympify(x) ** n / factorial(k)

    def _eval_rewrite_as_exp(self, x: Expr, **kwargs: Any) -> Expr:
        return -4 * x * exp(-(x**2)) / sqrt(pi)

    def _eval_rewrite_as_erf_prime(self, x: Expr, **kwargs: Any) -> Expr:
        return -2 * x * erf_prime(x)

    def _eval_rewrite_as_tractable(self, x: Expr, limitvar: Any = None, **kwargs: Any) -> Expr:
        return self.rewrite(exp)

    def _vanishing_part(self, at_zero: list[Expr]) -> Expr | None:
        return -4 / sqrt(pi) * self.args[0]

    def _eval_is_zero(self) -> bool | None:
        (x,) = self.args
        if x.is_finite:
            result: bool | None = x.is_zero
            return result
        return True if x.is_extended_real and x.is_infinite else None

    def _eval_is_extended_positive(self) -> bool | None:
        (x,) = self.args
        return x.is_extended_negative if x.is_real else None

    def _eval_is_extended_negative(self) -> bool | None:
        (x,) = self.args
        return x.is_extended_positive if x.is_real else None

    def _eval_is_extended_nonnegative(self) -> bool | None:
        return True if self.args[0].is_extended_nonpositive else None

    def _eval_is_extended_nonpositive(self) -> bool | None:
        return True if self.args[0].is_extended_nonnegative else None
