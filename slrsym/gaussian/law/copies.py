"""Sums of independent copies of a random variable, of a number that may be symbolic."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sympy import Dummy, Expr, Symbol, sympify

from slrsym.gaussian.binding import Binder
from slrsym.gaussian.law.base import Law
from slrsym.gaussian.law.product import ProductLaw

__all__ = ["IIDSum"]


class IIDSum(Binder):
    r"""The random variable :math:`\sum_{l=1}^{n} f(X^{(l)})`, for independent copies of X.

    It stands inside an expectation, and is independent of every variable that the expectation's law
    names. Equal sums are one and the same random variable.

    Parameters
    ----------
    term : expression
        The summand f, in the symbols of `law`.
    law : Law
        The law of each copy.
    count : expression
        How many copies: a non-negative integer, symbolic or not.

    Raises
    ------
    TypeError
        If `law` is no law.
    ValueError
        If `count` is certainly not a non-negative integer.
    """

    is_real = True
    is_commutative = True

    def __new__(cls, term: Any, law: Law, count: Any) -> IIDSum:
        term, count = sympify(term), sympify(count)
        if not isinstance(law, Law):
            raise TypeError(f"law must be a Law, such as a GaussianLaw; got {law!r}")
        if count.is_integer is False or count.is_negative:
            raise ValueError(f"count must be a non-negative integer; got {count}")
        result: IIDSum = Expr.__new__(cls, term, law, count)
        return result

    @property
    def term(self) -> Expr:
        """The summand."""
        return self.args[0]

    @property
    def law(self) -> Law:
        """The law of one copy."""
        result: Law = self.args[1]
        return result

    @property
    def count(self) -> Expr:
        """How many copies there are."""
        return self.args[2]

    @property
    def free_symbols(self) -> set[Symbol]:
        inner = self.term.free_symbols - set(self.law.symbols)
        result: set[Symbol] = inner | self.law.parameters | self.count.free_symbols
        return result

    def renamed(self, names: Mapping[Symbol, Symbol]) -> IIDSum:
        """The same sum, the variables of one copy named anew.

        Parameters
        ----------
        names : mapping of Symbol to Symbol
            New names, declared real. Variables that are not in it keep theirs.

        Returns
        -------
        IIDSum
            An equal random variable.
        """
        return IIDSum(self.term.xreplace(names), self.law.renamed(names), self.count)

    def _eval_derivative(self, symbol: Symbol) -> Expr:
        if symbol not in self.free_symbols:
            return sympify(0)
        raise NotImplementedError(f"derivative of a sum of independent copies in {symbol}")

    def copies(self, count: int) -> tuple[Expr, ProductLaw | Law]:
        """The sum written out.

        Parameters
        ----------
        count : int
            How many copies to write, in the place of `self.count`.

        Returns
        -------
        total : Expr
            The sum of that many summands, each in variables of its own.
        law : ProductLaw
            The joint law of these variables.
        """
        terms, laws = [], []
        for index in range(1, count + 1):
            names = {s: Dummy(f"{s.name}_{index}", real=True) for s in self.law.symbols}
            terms.append(self.term.xreplace(names))
            laws.append(self.law.renamed(names))
        return sum(terms, start=sympify(0)), ProductLaw(*laws)

    def _latex(self, printer: Any) -> str:
        count = printer._print(self.count)
        return rf"\sum_{{\ell=1}}^{{{count}}} {printer._print(self.term)}"

    def _sympystr(self, printer: Any) -> str:
        return f"IIDSum({printer._print(self.term)}, {printer._print(self.count)})"
