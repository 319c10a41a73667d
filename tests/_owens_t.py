"""A stand-in for the function `owens_t` that SymPy has from version 1.15 on.

With ``SLRSYM_OWENS_T=stub`` in the environment, the whole suite runs as if this SymPy had it.
"""

from typing import Any

from sympy import Expr, Function, Integral, S, Symbol, atan, erf, erfc, exp, pi, sqrt


class owens_t(Function):  # type: ignore[misc]  # noqa: N801
    """Evaluate at special points, differentiate and integrate as SymPy's function does.

    Unlike `slrsym.gaussian.OwensT`, it is evaluated at a = 1, and does not print as code.
    """

    nargs = 2

    @classmethod
    def eval(cls, h: Expr, a: Expr) -> Expr | None:
        if a.is_zero:
            return S.Zero
        if h.is_zero:
            return atan(a) / (2 * pi)
        if a in (S.Infinity, S.NegativeInfinity):
            return (1 if a is S.Infinity else -1) * erfc(sqrt(h**2) / sqrt(2)) / 4
        if a in (S.One, S.NegativeOne):
            return a * erfc(-h / sqrt(2)) * erfc(h / sqrt(2)) / 8
        if h.could_extract_minus_sign():
            return cls(-h, a)
        if a.could_extract_minus_sign():
            return -cls(h, -a)
        return None

    def fdiff(self, argindex: int = 1) -> Expr:
        h, a = self.args
        if argindex == 1:
            return -exp(-(h**2) / 2) * erf(a * h / sqrt(2)) / (2 * sqrt(2 * pi))
        return exp(-(h**2) * (1 + a**2) / 2) / (2 * pi * (1 + a**2))

    def _eval_rewrite_as_Integral(self, h: Expr, a: Expr, **kwargs: Any) -> Expr:
        u = Symbol("u", real=True)
        return Integral(exp(-(h**2) * (1 + u**2) / 2) / (1 + u**2), (u, 0, a)) / (2 * pi)

    def _eval_evalf(self, prec: int) -> Any:
        return self.rewrite(Integral)._eval_evalf(prec)
