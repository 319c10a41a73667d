"""The expectation E[f(X)] of an expression under a law, as an unevaluated SymPy node."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sympy import Expr, Symbol, sympify

from slrsym.gaussian.binding import Binder
from slrsym.gaussian.law import Law

__all__ = ["Expectation"]


class Expectation(Binder):
    r"""The unevaluated expectation :math:`\mathbb{E}[f(X)]`, X distributed as `law`.

    Parameters
    ----------
    expr : expression
        The integrand f, in the symbols of `law` and in parameters.
    law : Law
        The law of the random vector. It binds its symbols.

    Raises
    ------
    TypeError
        If `law` is not a law.

    Notes
    -----
    Differentiating in a parameter gives an unevaluated derivative: exchanging derivative and
    expectation is a step with hypotheses, and has to be asked for.

    ``evalf(n)`` integrates the definition numerically (see `quadrature`), and returns the node as
    it is where a parameter has no value or n digits are out of reach.
    """

    is_commutative = True

    def __new__(cls, expr: Any, law: Law) -> Expectation:
        if not isinstance(law, Law):
            raise TypeError(f"law must be a Law, such as a GaussianLaw; got {law!r}")
        result: Expectation = Expr.__new__(cls, sympify(expr), law)
        return result

    @property
    def integrand(self) -> Expr:
        """The expression whose expectation is meant."""
        return self.args[0]

    @property
    def law(self) -> Law:
        """The law of the random vector."""
        result: Law = self.args[1]
        return result

    @property
    def free_symbols(self) -> set[Symbol]:
        result: set[Symbol] = (
            self.integrand.free_symbols - set(self.law.symbols)
        ) | self.law.parameters
        return result

    def _eval_is_extended_real(self) -> bool | None:
        result: bool | None = self.integrand.is_extended_real
        return result

    def _eval_is_finite(self) -> bool | None:
        return True

    def renamed(self, names: Mapping[Symbol, Symbol]) -> Expectation:
        return Expectation(self.integrand.xreplace(names), self.law.renamed(names))

    def _eval_evalf(self, prec: int) -> Expr | None:
        if self.free_symbols:
            return None
        from slrsym.gaussian.quadrature import evaluate

        return evaluate(self.integrand, self.law, prec)

    def _eval_derivative(self, symbol: Symbol) -> Expr:
        from sympy import Derivative

        if symbol not in self.free_symbols:
            return sympify(0)
        return Derivative(self, symbol, evaluate=False)

    def to_latex(self) -> str:
        r"""The expectation in LaTeX, with its law.

        Returns
        -------
        str
            For math mode; it needs amsmath only.

        Examples
        --------
        >>> from sympy import Symbol, erf
        >>> from slrsym.gaussian import standard_normal
        >>> G = Symbol("G", real=True)
        >>> print(Expectation(erf(G), standard_normal(G)).to_latex())
        \mathbb{E}_{G \sim \mathcal{N}(0, 1)}\bigl[\operatorname{erf}(G)\bigr]
        """
        from slrsym.typeset import Printer, to_latex

        return to_latex(Printer(laws={}).box(self))

    def _repr_latex_(self) -> str:
        return rf"$\displaystyle {self.to_latex()}$"

    def _repr_html_(self) -> str:
        from slrsym.typeset import Printer
        from slrsym.typeset.mathml import to_mathml

        return to_mathml(Printer(laws={}).box(self))

    def _latex(self, printer: Any) -> str:
        return rf"\mathbb{{E}}\left[{printer._print(self.integrand)}\right]"

    def _sympystr(self, printer: Any) -> str:
        return f"E[{printer._print(self.integrand)}]"
