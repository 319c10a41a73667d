"""What the special functions share: evaluation, leading terms, printing."""

from __future__ import annotations

from typing import Any

from mpmath import mp
from sympy import Expr, Symbol, exp, sympify
from sympy.core.function import ArgumentIndexError, Function
from sympy.core.symbol import uniquely_named_symbol
from sympy.printing.pycode import SymPyPrinter

from slrsym.gaussian import multiprecision
from slrsym.gaussian.printing import function_call, inline

__all__ = ["Bell", "Entire", "GaussianFunction", "are_real", "bound_variable", "require_index"]


class GaussianFunction(Function):  # type: ignore[misc]
    """What all of them share: evaluation by `multiprecision`, leading terms, printing."""

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
            return function_call(printer, f"{__package__}.{name}", *self.args)
        return self._scalar_code(printer)

    def _scalar_code(self, printer: Any) -> str:
        """Code for a float; here and in NumPy, the formula in exp."""
        return inline(printer, self.rewrite(exp))

    def _numpycode(self, printer: Any) -> str:
        return inline(printer, self.rewrite(exp))


class Entire(GaussianFunction):
    """What the functions of one variable share, which are entire, and real on the real line."""

    unbranched = True

    def _eval_is_extended_real(self) -> bool | None:
        return True if self.args[0].is_extended_real else None

    def _eval_is_finite(self) -> bool | None:
        return True if self.args[0].is_finite or self.args[0].is_extended_real else None

    def _eval_conjugate(self) -> Expr:
        return self.func(self.args[0].conjugate())


class Bell(Entire):
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


def require_index(function: Function, argindex: int) -> None:
    """Refuse to differentiate in an argument that there is not."""
    if not 1 <= argindex <= len(function.args):
        raise ArgumentIndexError(function, argindex)


def bound_variable(*free: Expr) -> Symbol:
    """A variable of integration."""
    return uniquely_named_symbol("x", free, real=True)


def are_real(args: tuple[Expr, ...]) -> bool:
    """Whether arguments are real or infinite."""
    return all(arg.is_extended_real for arg in args)
