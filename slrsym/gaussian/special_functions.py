r"""The special functions of Gaussian calculus, as SymPy functions.

=============  =================================================================================
`erf_prime`    :math:`\operatorname{erf}'(x) = \frac{2}{\sqrt\pi}e^{-x^2}`
`erf_second`   :math:`\operatorname{erf}''(x) = -2x\operatorname{erf}'(x)`
`OwensT`       :math:`T(h, a) = \frac{1}{2\pi}\int_0^a \frac{e^{-h^2(1+x^2)/2}}{1+x^2}dx`
`zeta`         :math:`\zeta(t, s) = \mathbb{E}\operatorname{erf}(t + sG)^2`, G standard normal
`normal_pdf`   :math:`\varphi(x) = e^{-x^2/2}/\sqrt{2\pi}`
`normal_cdf`   :math:`\Phi(x) = \int_{-\infty}^x \varphi`
=============  =================================================================================

They differentiate to any order, expand in series, rewrite among one another, evaluate to any
precision and print as code (see `erf_derivatives_and_normal_law`).

SymPy has Owen's T itself from version 1.15 on, as ``sympy.owens_t``. It is accepted wherever
`OwensT` is (`with_own_owens_t`), and closed forms are given in it (`with_sympy_owens_t`).
"""

from __future__ import annotations

from typing import Any

import sympy
from sympy import Abs, Basic, Expr, Integral, S, asin, atan, erf, erfc, exp, oo, pi, sqrt
from sympy.core.relational import Relational

from slrsym.gaussian.erf_derivatives_and_normal_law import (
    SpecialFunction,
    are_extended_real,
    erf_prime,
    erf_second,
    fresh_integration_variable,
    function_call_code,
    normal_cdf,
    normal_pdf,
    parenthesised_code,
    require_argument_index,
)
from slrsym.registry import dotted_name

__all__ = [
    "OwensT",
    "erf_prime",
    "erf_second",
    "gaussian_zeta",
    "normal_cdf",
    "normal_pdf",
    "with_own_owens_t",
    "with_sympy_owens_t",
    "zeta",
]


class OwensT(SpecialFunction):
    r"""Owen's T function, :math:`\frac{1}{2\pi}\int_0^a \frac{e^{-h^2(1+x^2)/2}}{1+x^2}dx`.

    Parameters
    ----------
    h, a : Expr
        Real arguments. Even in h, odd in a.

    Notes
    -----
    .. math:: \partial_h T &= -\frac{e^{-h^2/2}}{2\sqrt{2\pi}}
              \operatorname{erf}\frac{ah}{\sqrt2}, \\
              \partial_a T &= \frac{e^{-h^2(1+a^2)/2}}{2\pi(1+a^2)}.

    References
    ----------
    Owen, D. B., Tables for computing bivariate normal probabilities, Ann. Math. Statist. 27 (1956).

    Examples
    --------
    >>> from sympy.abc import h, a
    >>> OwensT(-h, -a), OwensT(0, a)
    (-owens_t(h, a), atan(a)/(2*pi))
    >>> OwensT(1, 2).evalf(20)
    0.078468186993084096345
    """

    nargs = 2
    _multiprecision = "owens_t"
    _symbol = "T"

    # One name in print, whether SymPy has the function or not.
    def _sympystr(self, printer: Any) -> str:
        return f"owens_t({', '.join(map(printer._print, self.args))})"

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
        require_argument_index(self, argindex)
        h, a = self.args
        if argindex == 1:
            return -exp(-(h**2) / 2) * erf(a * h / sqrt(2)) / (2 * sqrt(2 * pi))
        return exp(-(h**2) * (1 + a**2) / 2) / (2 * pi * (1 + a**2))

    def _eval_rewrite_as_Integral(self, h: Expr, a: Expr, **kwargs: Any) -> Expr:
        x = fresh_integration_variable(h, a)
        integrand = exp(-(h**2) * (1 + x**2) / 2) / (1 + x**2)
        return Integral(integrand, (x, 0, a)) / (2 * pi)

    def _eval_rewrite_as_owens_t(self, h: Expr, a: Expr, **kwargs: Any) -> Expr | None:
        return sympy_owens_t()(h, a)

    def _vanishing_part(self, at_zero: list[Expr]) -> Expr | None:
        h, a = at_zero
        return self.args[1] * exp(-(h**2) / 2) / (2 * pi) if a.is_zero else None

    def _eval_is_extended_real(self) -> bool | None:
        return True if are_extended_real(self.args) else None

    def _eval_is_finite(self) -> bool | None:
        return True if are_extended_real(self.args) else None

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
        return function_call_code(printer, dotted_name("numba.owens_t"), *self.args)

    def _numpycode(self, printer: Any) -> str:
        return function_call_code(printer, "scipy.special.owens_t", *self.args)


def sympy_owens_t() -> type[Expr]:
    """Return SymPy's function `owens_t`, or `OwensT` if this version of SymPy has none."""
    result: type[Expr] = getattr(sympy, "owens_t", OwensT)
    return result


def with_own_owens_t(expr: Any) -> Any:
    """Replace SymPy's ``owens_t`` by `OwensT` in an expression; a relation stays unevaluated.

    Anything but an expression or a relation is left as it is, for the caller to refuse.
    """
    theirs = sympy_owens_t()
    if theirs is OwensT or not isinstance(expr, Basic) or not expr.has(theirs):
        return expr
    if isinstance(expr, Relational):
        return expr.func(*map(with_own_owens_t, expr.args), evaluate=False)
    return expr.replace(theirs, OwensT)


def with_sympy_owens_t(expr: Basic) -> Any:
    """Replace `OwensT` by SymPy's ``owens_t`` in an expression, if this SymPy has it."""
    theirs = sympy_owens_t()
    return expr if theirs is OwensT else expr.replace(OwensT, theirs)


class zeta(SpecialFunction):  # noqa: N801
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
              \partial_s\zeta &= s\,\partial_t^2\zeta \\
              &= \frac{2s}{A^2}\Big[
              \frac1B \operatorname{erf}'\Big(\frac{t}{AB}\Big)
              \operatorname{erf}'\Big(\frac tA\Big) \\
              &\qquad + \operatorname{erf}\Big(\frac{t}{AB}\Big)
              \operatorname{erf}''\Big(\frac tA\Big)\Big].

    The second is the heat equation, :math:`\partial_s \mathbb{E}f(t + sG) =
    s\,\partial_t^2\mathbb{E}f(t + sG)`, with :math:`f = \operatorname{erf}^2`.

    Examples
    --------
    >>> from sympy.abc import t, s
    >>> zeta(t, 0), zeta(0, s)
    (erf(t)**2, 2*asin(2*s**2/(2*s**2 + 1))/pi)
    >>> zeta(1, 1).rewrite(OwensT)
    1 - 8*owens_t(sqrt(6)/3, sqrt(5)/5)
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
        require_argument_index(self, argindex)
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
        x = fresh_integration_variable(t, s)
        return Integral(erf(t + s * x) ** 2 * normal_pdf(x).rewrite(exp), (x, -oo, oo))

    def _vanishing_part(self, at_zero: list[Expr]) -> Expr | None:
        t, s = self.args
        return 4 / pi * (t**2 + s**2)

    def _eval_is_extended_real(self) -> bool | None:
        return True if are_extended_real(self.args) else None

    def _eval_is_finite(self) -> bool | None:
        return True if are_extended_real(self.args) else None

    def _eval_is_extended_nonnegative(self) -> bool | None:
        return True if are_extended_real(self.args) else None

    def _eval_is_zero(self) -> bool | None:
        nonzero = any(arg.is_zero is False for arg in self.args)
        return False if nonzero and are_extended_real(self.args) else None

    def _scalar_code(self, printer: Any) -> str:
        return function_call_code(printer, dotted_name("numba.zeta"), *self.args)

    def _numpycode(self, printer: Any) -> str:
        return parenthesised_code(printer, self.rewrite(OwensT))


gaussian_zeta = zeta
