"""The bivariate normal distribution function as a SymPy function, with its limits at the edges."""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy import Expr, S, asin, erf, exp, oo, pi, sqrt
from sympy.core.sorting import default_sort_key

from slrsym.gaussian.erf_derivatives_and_normal_law import (
    SpecialFunction,
    are_extended_real,
    fresh_integration_variable,
    normal_cdf,
    normal_pdf,
    parenthesised_code,
    require_argument_index,
)
from slrsym.gaussian.integrals import erf_product_mean
from slrsym.gaussian.special_functions import OwensT


class bivariate_normal_cdf(SpecialFunction):  # noqa: N801
    r"""Bivariate normal distribution function, :math:`\Phi_2(h, k; r) = P(X \le h, Y \le k)`.

    Parameters
    ----------
    h, k : Expr
        The bounds of two standard normal variables X and Y. Symmetric in both.
    r : Expr
        Their correlation, from -1 to 1.

    Notes
    -----
    At r = 1 it is :math:`\Phi(\min(h, k))`, at r = -1 :math:`\max(0, \Phi(h) - \Phi(-k))`. It keeps
    its relative accuracy in every tail, where the form in Owen's T cancels.

    .. math:: \partial_h\Phi_2 &= \varphi(h)\,\Phi\Big(\frac{k - rh}{\sqrt{1-r^2}}\Big), \\
              \partial_r\Phi_2 &= \frac{1}{2\pi\sqrt{1-r^2}} \\
              &\quad \cdot \exp\Big(-\frac{h^2 - 2rhk + k^2}{2(1-r^2)}\Big).

    References
    ----------
    Plackett, R. L., A reduction formula for normal multivariate integrals, Biometrika 41 (1954).

    Examples
    --------
    >>> from sympy.abc import h, k, r
    >>> bivariate_normal_cdf(h, k, 0), bivariate_normal_cdf(0, 0, r)
    (normal_cdf(h)*normal_cdf(k), asin(r)/(2*pi) + 1/4)
    >>> bivariate_normal_cdf(-9, -9, -0.9).evalf(5)
    7.4922e-357
    """

    nargs = 3
    _multiprecision = "bivariate_normal_cdf"
    _symbol = r"\Phi_2"

    @classmethod
    def eval(cls, h: Expr, k: Expr, r: Expr) -> Expr | None:
        if S.NaN in (h, k, r):
            return S.NaN
        if -oo in (h, k):
            return S.Zero
        if oo in (h, k):
            return normal_cdf(k if h is oo else h)
        if r.is_zero:
            return normal_cdf(h) * normal_cdf(k)
        if r == 1:
            return normal_cdf(sp.Min(h, k))
        if r == -1:
            # Between -k and h, on the side where the difference does not cancel.
            h, k = (k, h) if h.is_positive else (h, k)
            return sp.Max(0, normal_cdf(h) - normal_cdf(-k))
        if h.is_zero and k.is_zero:
            return S.One / 4 + asin(r) / (2 * pi)
        if default_sort_key(k) < default_sort_key(h):
            return cls(k, h, r)
        return None

    def fdiff(self, argindex: int = 1) -> Expr:
        require_argument_index(self, argindex)
        h, k, r = self.args
        left = 1 - r**2
        if argindex == 3:
            return exp(-(h**2 - 2 * r * h * k + k**2) / (2 * left)) / (2 * pi * sqrt(left))
        if argindex == 2:
            h, k = k, h
        return normal_pdf(h) * normal_cdf((k - r * h) / sqrt(left))

    def _numerical_arguments(self) -> tuple[Expr, ...]:
        # Near 1 and -1 the root of 1 - r^2 has more digits than r alone would give.
        return (*self.args, 1 - self.args[2] ** 2)

    def _eval_rewrite_as_OwensT(self, h: Expr, k: Expr, r: Expr, **kwargs: Any) -> Expr:
        both = erf_product_mean(h, k, S.One, S.One, r, 0, 0)
        return (1 + erf(h / sqrt(2)) + erf(k / sqrt(2)) + both) / 4

    def _eval_rewrite_as_Integral(self, h: Expr, k: Expr, r: Expr, **kwargs: Any) -> Expr:
        u = fresh_integration_variable(h, k, r)
        inner = normal_cdf((k - r * u) / sqrt(1 - r**2))
        return sp.Integral(normal_pdf(u).rewrite(exp) * inner, (u, -oo, h))

    def _eval_is_extended_real(self) -> bool | None:
        return True if are_extended_real(self.args) else None

    def _eval_is_finite(self) -> bool | None:
        return True if are_extended_real(self.args) else None

    def _eval_is_extended_nonnegative(self) -> bool | None:
        return True if are_extended_real(self.args) else None

    def _scalar_code(self, printer: Any) -> str:
        return parenthesised_code(printer, self.rewrite(OwensT))

    def _numpycode(self, printer: Any) -> str:
        return parenthesised_code(printer, self.rewrite(OwensT))
