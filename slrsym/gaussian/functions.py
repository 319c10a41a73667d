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
precision and print as code (see `printing`).
"""

from __future__ import annotations

from typing import Any

from mpmath import mp
from sympy import (
    Abs,
    Expr,
    Integral,
    Rational,
    S,
    Symbol,
    asin,
    atan,
    erf,
    erfc,
    exp,
    factorial,
    oo,
    pi,
    sqrt,
    sympify,
)
from sympy.core.function import ArgumentIndexError, Function
from sympy.core.symbol import uniquely_named_symbol
from sympy.printing.pycode import SymPyPrinter

from slrsym.gaussian import multiprecision
from slrsym.gaussian.printing import function_call, inline

__all__ = ["OwensT", "erf_prime", "erf_second", "normal_cdf", "normal_pdf", "zeta"]


class _GaussianFunction(Function):  # type: ignore[misc]
    """What the functions share: evaluation by `multiprecision`, leading terms, printing."""

    _multiprecision: str
    _symbol: str
    _opening = ""
    _sympy_name: str | None = None

    def _eval_evalf(self, prec: int) -> Expr | None:
        working = prec + 10
        try:
            numbers = [arg._to_mpmath(working) for arg in self.args]
            # The functions fall like exp(-x^2), which magnifies a relative error of x by 2 x^2.
            size = max((mp.mag(x) for x in numbers if x and mp.isfinite(x)), default=0)
            if size > 0:
                numbers = [arg._to_mpmath(working + 2 * int(size)) for arg in self.args]
            with mp.workprec(working):
                value = getattr(multiprecision, self._multiprecision)(*numbers)
        except ValueError:
            return None
        return Expr._from_mpmath(value, prec)

    def _eval_as_leading_term(self, x: Symbol, logx: Any, cdir: Any) -> Expr:
        at_zero = [arg.limit(x, 0, "-" if sympify(cdir).is_negative else "+") for arg in self.args]
        value = self.func(*at_zero)
        if value.is_zero is not True and value.is_finite is not False:
            return value
        if all(arg.is_finite for arg in at_zero):
            vanishing = self._vanishing_part(at_zero)
            if vanishing is not None:
                return vanishing.as_leading_term(x, logx=logx, cdir=cdir)
        raise NotImplementedError(f"leading term of {self} as {x} tends to 0")

    def _vanishing_part(self, at_zero: list[Expr]) -> Expr | None:
        """Something simpler with the same leading term, where the function tends to 0."""
        return None

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        power = "" if exp is None else f"^{{{exp}}}"
        args = ", ".join(map(printer._print, self.args))
        return rf"{self._symbol}{power}{self._opening}\left({args}\right)"

    def _mpmathcode(self, printer: Any) -> str:
        name = f"{multiprecision.__name__}.{self._multiprecision}"
        return function_call(printer, name, *self.args)

    def _pythoncode(self, printer: Any) -> str:
        if isinstance(printer, SymPyPrinter):
            name = self._sympy_name or self.func.__name__
            return function_call(printer, f"{__name__}.{name}", *self.args)
        return self._scalar_code(printer)

    def _scalar_code(self, printer: Any) -> str:
        """Code for a float; here and in NumPy, the formula in exp."""
        return inline(printer, self.rewrite(exp))

    def _numpycode(self, printer: Any) -> str:
        return inline(printer, self.rewrite(exp))


class _Entire(_GaussianFunction):
    """What the functions of one variable share, which are entire, and real on the real line."""

    unbranched = True

    def _eval_is_extended_real(self) -> bool | None:
        return True if self.args[0].is_extended_real else None

    def _eval_is_finite(self) -> bool | None:
        return True if self.args[0].is_finite or self.args[0].is_extended_real else None

    def _eval_conjugate(self) -> Expr:
        return self.func(self.args[0].conjugate())


class _Bell(_Entire):
    """What exp(-x^2) and exp(-x^2/2) share, up to a factor."""

    def _eval_is_extended_positive(self) -> bool | None:
        return True if self.args[0].is_real else None

    def _eval_is_extended_nonnegative(self) -> bool | None:
        return True if self.args[0].is_extended_real else None

    def _eval_is_zero(self) -> bool | None:
        (x,) = self.args
        if x.is_finite:
            return False
        return True if x.is_extended_real and x.is_infinite else None

    def _eval_rewrite_as_tractable(self, x: Expr, limitvar: Any = None, **kwargs: Any) -> Expr:
        return self.rewrite(exp)


class erf_prime(_Bell):  # noqa: N801
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
        _require_index(self, argindex)
        return erf_second(self.args[0])

    @staticmethod
    def taylor_term(n: int, x: Any, *previous_terms: Expr) -> Expr:
        if n < 0 or n % 2:
            return S.Zero
        return 2 / sqrt(pi) * S.NegativeOne ** (n // 2) * sympify(x) ** n / factorial(n // 2)

    def _eval_rewrite_as_exp(self, x: Expr, **kwargs: Any) -> Expr:
        return 2 * exp(-(x**2)) / sqrt(pi)


class erf_second(_Entire):  # noqa: N801
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
        _require_index(self, argindex)
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


class normal_pdf(_Bell):  # noqa: N801
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
        _require_index(self, argindex)
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


class normal_cdf(_Entire):  # noqa: N801
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
        _require_index(self, argindex)
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
        u = _bound_variable(x)
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


class OwensT(_GaussianFunction):
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
        _require_index(self, argindex)
        h, a = self.args
        if argindex == 1:
            return -exp(-(h**2) / 2) * erf(a * h / sqrt(2)) / (2 * sqrt(2 * pi))
        return exp(-(h**2) * (1 + a**2) / 2) / (2 * pi * (1 + a**2))

    def _eval_rewrite_as_Integral(self, h: Expr, a: Expr, **kwargs: Any) -> Expr:
        x = _bound_variable(h, a)
        integrand = exp(-(h**2) * (1 + x**2) / 2) / (1 + x**2)
        return Integral(integrand, (x, 0, a)) / (2 * pi)

    def _vanishing_part(self, at_zero: list[Expr]) -> Expr | None:
        h, a = at_zero
        return self.args[1] * exp(-(h**2) / 2) / (2 * pi) if a.is_zero else None

    def _eval_is_extended_real(self) -> bool | None:
        return True if _are_real(self.args) else None

    def _eval_is_finite(self) -> bool | None:
        return True if _are_real(self.args) else None

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
        return function_call(printer, "slrsym.gaussian._numba_owens.owens_t", *self.args)

    def _numpycode(self, printer: Any) -> str:
        return function_call(printer, "scipy.special.owens_t", *self.args)


class zeta(_GaussianFunction):  # noqa: N801
    r"""Mean square of erf, :math:`\zeta(t, s) = \mathbb{E}\operatorname{erf}(t + sG)^2`.

    Parameters
    ----------
    t, s : Expr
        Real arguments. Even in both.

    Notes
    -----
    With :math:`A = \sqrt{1 + 2s^2}`, :math:`B = \sqrt{1 + 4s^2}`,
    :math:`\zeta(t, s) = 1 - 8T(\sqrt2\,t/A, 1/B)` and

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
        _require_index(self, argindex)
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
        x = _bound_variable(t, s)
        return Integral(erf(t + s * x) ** 2 * normal_pdf(x).rewrite(exp), (x, -oo, oo))

    def _vanishing_part(self, at_zero: list[Expr]) -> Expr | None:
        t, s = self.args
        return 4 / pi * (t**2 + s**2)

    def _eval_is_extended_real(self) -> bool | None:
        return True if _are_real(self.args) else None

    def _eval_is_finite(self) -> bool | None:
        return True if _are_real(self.args) else None

    def _eval_is_extended_nonnegative(self) -> bool | None:
        return True if _are_real(self.args) else None

    def _eval_is_zero(self) -> bool | None:
        if not _are_real(self.args):
            return None
        t, s = self.args
        if t.is_zero is False or s.is_zero is False:
            return False
        return True if t.is_zero and s.is_zero else None

    def _scalar_code(self, printer: Any) -> str:
        return function_call(printer, "slrsym.gaussian._numba_owens.gaussian_zeta", *self.args)

    def _numpycode(self, printer: Any) -> str:
        return inline(printer, self.rewrite(OwensT))


gaussian_zeta = zeta


def _require_index(function: Function, argindex: int) -> None:
    if not 1 <= argindex <= len(function.args):
        raise ArgumentIndexError(function, argindex)


def _bound_variable(*free: Expr) -> Symbol:
    return uniquely_named_symbol("x", free, real=True)


def _are_real(args: tuple[Expr, ...]) -> bool:
    return all(arg.is_extended_real for arg in args)
