"""SymPy functions of one variable: derivatives of erf, the normal density and distribution.

How they print as code, and the modules to lambdify them with:

``lambdify(args, expr, modules=NUMPY_MODULES)``
    vectorised over NumPy arrays, by SciPy's special functions. (SymPy's plain ``"numpy"`` binds erf
    to ``math.erf``, which takes scalars only.)
``lambdify(args, expr, modules=MPMATH_MODULES)``
    scalar, to mpmath's working precision.
``lambdify(args, expr, modules=NUMBA_MODULES)``
    scalar, and ready for ``numba.njit`` or ``numba.vectorize``. Reading this name imports Numba.
"""

from __future__ import annotations

from typing import Any

import sympy as sp
from mpmath import mp
from sympy import Expr, S, Symbol, exp
from sympy.core.function import ArgumentIndexError, Function
from sympy.core.symbol import uniquely_named_symbol
from sympy.printing.pycode import SymPyPrinter

from slrsym.gaussian import mpmath_special_functions
from slrsym.registry import load_registered

NUMPY_MODULES: list[Any] = ["scipy", "numpy"]
MPMATH_MODULES: list[Any] = ["mpmath"]
NUMBA_MODULES: list[Any]


def __getattr__(name: str) -> Any:
    if name == "NUMBA_MODULES":
        return [load_registered("numba.functions")(), "math"]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def function_call_code(printer: Any, function: str, *args: Expr) -> str:
    """Return code that calls a function by its full name, and note the name for the imports."""
    return f"{printer._module_format(function)}({', '.join(map(printer._print, args))})"


def parenthesised_code(printer: Any, formula: Expr) -> str:
    """Return code for a formula in parentheses: the printer treats a function call as an atom."""
    return f"({printer._print(formula)})"


class SpecialFunction(Function):  # type: ignore[misc]
    """Base class of this package's SymPy functions: numerical values, leading terms, printing."""

    _multiprecision: str
    _symbol: str
    _opening = ""
    _sympy_name: str | None = None

    def _eval_evalf(self, prec: int) -> Expr | None:
        working = prec + 10
        arguments = self._numerical_arguments()
        try:
            numbers = [arg._to_mpmath(working) for arg in arguments]
            # The functions fall like exp(-x^2), which magnifies a relative error of x by 2 x^2.
            size = max((mp.mag(x) for x in numbers if x and mp.isfinite(x)), default=0)
            if size > 0:
                numbers = [arg._to_mpmath(working + 2 * int(size)) for arg in arguments]
            with mp.workprec(working):
                value = getattr(mpmath_special_functions, self._multiprecision)(*numbers)
        except ValueError:
            return None
        return Expr._from_mpmath(value, prec)

    def _numerical_arguments(self) -> tuple[Expr, ...]:
        """Return the arguments that the function in mpmath takes."""
        found: tuple[Expr, ...] = self.args
        return found

    def _eval_as_leading_term(self, x: Symbol, logx: Any, cdir: Any) -> Expr:
        at_zero = [
            arg.limit(x, 0, "-" if sp.sympify(cdir).is_negative else "+") for arg in self.args
        ]
        value = self.func(*at_zero)
        if value.is_zero is not True and value.is_finite is not False:
            return value
        if all(arg.is_finite for arg in at_zero):
            vanishing = self._vanishing_part(at_zero)
            if vanishing is not None:
                return vanishing.as_leading_term(x, logx=logx, cdir=cdir)
        raise NotImplementedError(f"leading term of {self} as {x} tends to 0")

    def _vanishing_part(self, at_zero: list[Expr]) -> Expr | None:
        """Return an expression with the same leading term near a zero of the function, or None."""
        return None

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        power = "" if exp is None else f"^{{{exp}}}"
        args = ", ".join(map(printer._print, self.args))
        return rf"{self._symbol}{power}{self._opening}\left({args}\right)"

    def _mpmathcode(self, printer: Any) -> str:
        name = f"{mpmath_special_functions.__name__}.{self._multiprecision}"
        return function_call_code(printer, name, *self.args)

    def _pythoncode(self, printer: Any) -> str:
        if isinstance(printer, SymPyPrinter):
            name = self._sympy_name or self.func.__name__
            return function_call_code(
                printer, f"slrsym.gaussian.special_functions.{name}", *self.args
            )
        return self._scalar_code(printer)

    def _scalar_code(self, printer: Any) -> str:
        """Return Python code for a float argument, from the form in exp unless overridden."""
        return parenthesised_code(printer, self.rewrite(exp))

    def _numpycode(self, printer: Any) -> str:
        return parenthesised_code(printer, self.rewrite(exp))


class EntireFunction(SpecialFunction):
    """Base class of entire functions of one variable that are real on the real line."""

    unbranched = True
    # The values at 0, and at the left and right end; the sign of f(-x)/f(x), or 0.
    _at_zero: Expr
    _at_ends: tuple[Expr, Expr] = (S.Zero, S.Zero)
    _parity = 1

    @classmethod
    def eval(cls, x: Expr) -> Expr | None:
        if x is S.NaN:
            return S.NaN
        if x.is_zero:
            return cls._at_zero
        if x in (sp.oo, -sp.oo):
            return cls._at_ends[x is sp.oo]
        if cls._parity and x.could_extract_minus_sign():
            return cls._parity * cls(-x)
        return None

    def _eval_is_extended_real(self) -> bool | None:
        return True if self.args[0].is_extended_real else None

    def _eval_is_finite(self) -> bool | None:
        return True if self.args[0].is_finite or self.args[0].is_extended_real else None

    def _eval_conjugate(self) -> Expr:
        return self.func(self.args[0].conjugate())

    def _eval_rewrite_as_tractable(self, x: Expr, limitvar: Any = None, **kwargs: Any) -> Expr:
        return self.rewrite(exp)


class ConstantMultipleOfGaussian(EntireFunction):
    """Base class of multiples of exp(-x^2) and exp(-x^2/2)."""

    _rate: Expr

    @classmethod
    def taylor_term(cls, n: int, x: Any, *previous_terms: Expr) -> Expr:
        if n < 0 or n % 2:
            return S.Zero
        return cls._at_zero * (-cls._rate) ** (n // 2) * sp.sympify(x) ** n / sp.factorial(n // 2)

    def _eval_rewrite_as_exp(self, x: Expr, **kwargs: Any) -> Expr:
        return self._at_zero * exp(-self._rate * x**2)

    def _eval_is_extended_positive(self) -> bool | None:
        return True if self.args[0].is_real else None

    def _eval_is_extended_nonnegative(self) -> bool | None:
        return True if self.args[0].is_extended_real else None

    def _eval_is_zero(self) -> bool | None:
        (x,) = self.args
        if x.is_finite:
            return False
        return True if x.is_extended_real and x.is_infinite else None


def require_argument_index(function: Function, argindex: int) -> None:
    """Raise an error if a derivative is asked for in an argument the function does not have."""
    if not 1 <= argindex <= len(function.args):
        raise ArgumentIndexError(function, argindex)


def fresh_integration_variable(*free: Expr) -> Symbol:
    """Return a variable of integration that differs from the given symbols."""
    return uniquely_named_symbol("x", free, real=True)


def are_extended_real(args: tuple[Expr, ...]) -> bool:
    """Return whether all arguments are real numbers or infinite."""
    return all(arg.is_extended_real for arg in args)


class erf_prime(ConstantMultipleOfGaussian):  # noqa: N801
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
    _at_zero, _rate = 2 / sp.sqrt(sp.pi), S.One
    _symbol = r"\operatorname{erf}'"
    _opening = r"\!"

    def fdiff(self, argindex: int = 1) -> Expr:
        require_argument_index(self, argindex)
        return erf_second(self.args[0])


class erf_second(EntireFunction):  # noqa: N801
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
    _at_zero, _parity = S.Zero, -1
    _symbol = r"\operatorname{erf}''"
    _opening = r"\!"

    def fdiff(self, argindex: int = 1) -> Expr:
        require_argument_index(self, argindex)
        (x,) = self.args
        return (4 * x**2 - 2) * erf_prime(x)

    @staticmethod
    def taylor_term(n: int, x: Any, *previous_terms: Expr) -> Expr:
        if n < 0 or n % 2 == 0:
            return S.Zero
        k = n // 2
        return -4 / sp.sqrt(sp.pi) * S.NegativeOne**k * sp.sympify(x) ** n / sp.factorial(k)

    def _eval_rewrite_as_exp(self, x: Expr, **kwargs: Any) -> Expr:
        return -4 * x * exp(-(x**2)) / sp.sqrt(sp.pi)

    def _eval_rewrite_as_erf_prime(self, x: Expr, **kwargs: Any) -> Expr:
        return -2 * x * erf_prime(x)

    def _vanishing_part(self, at_zero: list[Expr]) -> Expr | None:
        return -4 / sp.sqrt(sp.pi) * self.args[0]

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


class normal_pdf(ConstantMultipleOfGaussian):  # noqa: N801
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
    _at_zero, _rate = 1 / sp.sqrt(2 * sp.pi), S.Half
    _symbol = r"\varphi"

    def fdiff(self, argindex: int = 1) -> Expr:
        require_argument_index(self, argindex)
        return -self.args[0] * self

    def _eval_rewrite_as_erf_prime(self, x: Expr, **kwargs: Any) -> Expr:
        return erf_prime(x / sp.sqrt(2)) / (2 * sp.sqrt(2))


class normal_cdf(EntireFunction):  # noqa: N801
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
    _at_zero, _at_ends, _parity = S.Half, (S.Zero, S.One), 0
    _symbol = r"\Phi"

    def fdiff(self, argindex: int = 1) -> Expr:
        require_argument_index(self, argindex)
        return normal_pdf(self.args[0])

    @staticmethod
    def taylor_term(n: int, x: Any, *previous_terms: Expr) -> Expr:
        if n == 0:
            return S.Half
        return normal_pdf.taylor_term(n - 1, x) * sp.sympify(x) / n

    def _eval_rewrite_as_erf(self, x: Expr, **kwargs: Any) -> Expr:
        return (1 + sp.erf(x / sp.sqrt(2))) / 2

    def _eval_rewrite_as_erfc(self, x: Expr, **kwargs: Any) -> Expr:
        return sp.erfc(-x / sp.sqrt(2)) / 2

    def _eval_rewrite_as_Integral(self, x: Expr, **kwargs: Any) -> Expr:
        u = fresh_integration_variable(x)
        return sp.Integral(normal_pdf(u).rewrite(exp), (u, -sp.oo, x))

    def _eval_rewrite_as_tractable(self, x: Expr, limitvar: Any = None, **kwargs: Any) -> Expr:
        return self.rewrite(sp.erf).rewrite("tractable", limitvar=limitvar)

    def _eval_is_extended_positive(self) -> bool | None:
        (x,) = self.args
        return True if x.is_real or x.is_extended_nonnegative else None

    def _eval_is_extended_nonnegative(self) -> bool | None:
        return True if self.args[0].is_extended_real else None

    def _scalar_code(self, printer: Any) -> str:
        # Printed by hand: SymPy turns erfc(-x) into 2 - erfc(x), which cancels.
        code = printer._print(-self.args[0] / sp.sqrt(2))
        return f"(0.5*{printer._module_format('math.erfc')}({code}))"

    def _numpycode(self, printer: Any) -> str:
        return function_call_code(printer, "scipy.special.ndtr", *self.args)
