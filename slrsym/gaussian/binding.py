"""Expressions that bind the symbols of a law: expectations, and sums of independent copies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sympy import Basic, Dummy, Expr, Symbol, sympify

from slrsym.gaussian.noise_and_product_laws import Law, ProductLaw
from slrsym.gaussian.special_functions import with_own_owens_t, with_sympy_owens_t
from slrsym.registry import load_registered


class Binder(Expr):  # type: ignore[misc]
    """Base class of expressions that bind the random variables of a law, such as expectations.

    Subclasses have the properties `law` and `free_symbols` and the method `rename_variables`.
    Substituting a parameter never captures: where the new expression contains a symbol that is
    bound here, the bound one is renamed first. Expressions that differ in the names of bound
    symbols only have the same ``as_dummy()``.
    """

    law: Any

    def rename_variables(self, names: Mapping[Symbol, Symbol]) -> Any:
        """Return the expression with its random variables renamed.

        Parameters
        ----------
        names : mapping of Symbol to Symbol
            New names, declared real. Variables that are not in it keep theirs.

        Returns
        -------
        Binder
            An expression of the same kind and meaning.
        """
        raise NotImplementedError

    @property
    def bound_symbols(self) -> list[Symbol]:
        """The symbols that name the random variables, in order."""
        return list(self.law.symbols)

    @property
    def canonical_variables(self) -> dict[Symbol, Symbol]:
        """A standard name for each bound symbol: ``_0``, ``_1``, ..., declared real."""
        bound = self.bound_symbols
        taken = {symbol.name for symbol in self.atoms(Symbol) - set(bound)}
        names = (f"_{k}" for k in range(len(taken) + len(bound)) if f"_{k}" not in taken)
        return {symbol: Symbol(name, real=True) for symbol, name in zip(bound, names, strict=False)}

    def _with_fresh_names(self, captured: set[Symbol]) -> Any:
        return self.rename_variables({s: Dummy(s.name, **s._assumptions_orig) for s in captured})

    def _eval_subs(self, old: Basic, new: Basic) -> Basic | None:
        bound = set(self.bound_symbols)
        if old.free_symbols & bound:
            return self
        captured = bound & new.free_symbols
        if captured and not self._free_of(old):
            return self._with_fresh_names(captured)._subs(old, new)
        return None

    def _free_of(self, old: Basic) -> bool:
        return bool(old.free_symbols) and not old.free_symbols <= self.free_symbols

    def _xreplace(self, rule: Any) -> tuple[Any, bool]:
        if self in rule:
            return rule[self], True
        bound = set(self.bound_symbols)
        if not isinstance(rule, Mapping):
            result: tuple[Any, bool] = super()._xreplace(rule)
            return result
        names = {
            key: value
            for key, value in rule.items()
            if key in bound and isinstance(value, Symbol) and value not in self.free_symbols
        }
        others = {key: value for key, value in rule.items() if key not in bound}
        incoming: set[Symbol] = set()
        for key, value in others.items():
            if not self._free_of(key):
                incoming |= getattr(value, "free_symbols", set())
        captured = (incoming & bound) - set(names)
        node = self._with_fresh_names(captured) if captured else self
        pairs = [arg._xreplace({**others, **names}) for arg in node.args]
        if not any(changed for _, changed in pairs):
            return (node, True) if captured else (self, False)
        return node.func(*(arg for arg, _ in pairs)), True


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
        term, count = with_own_owens_t(sympify(term)), sympify(count)
        if not isinstance(law, Law):
            raise TypeError(f"law must be a Law, such as a GaussianLaw; got {law!r}")
        if count.is_integer is False or count.is_negative:
            raise ValueError(f"count must be a non-negative integer; got {count}")
        result: IIDSum = Expr.__new__(cls, term, law, count)
        return result

    @property
    def term(self) -> Expr:
        """The summand, as a function of one copy of the random vector."""
        return self.args[0]

    @property
    def law(self) -> Law:
        """The law of each independent copy of the random vector."""
        result: Law = self.args[1]
        return result

    @property
    def count(self) -> Expr:
        """Number of independent copies over which the sum runs."""
        return self.args[2]

    @property
    def free_symbols(self) -> set[Symbol]:
        inner = self.term.free_symbols - set(self.law.symbols)
        result: set[Symbol] = inner | self.law.parameters | self.count.free_symbols
        return result

    def rename_variables(self, names: Mapping[Symbol, Symbol]) -> IIDSum:
        return IIDSum(self.term.xreplace(names), self.law.rename_variables(names), self.count)

    def _eval_derivative(self, symbol: Symbol) -> Expr:
        raise NotImplementedError(f"derivative of a sum of independent copies in {symbol}")

    def write_out_copies(self, count: int) -> tuple[Expr, ProductLaw | Law]:
        """Return the sum written out for a given number of copies, with the joint law of these.

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
            laws.append(self.law.rename_variables(names))
        return sum(terms, start=sympify(0)), ProductLaw(*laws)

    def _latex(self, printer: Any) -> str:
        count = printer._print(self.count)
        return rf"\sum_{{\ell=1}}^{{{count}}} {printer._print(self.term)}"

    def _sympystr(self, printer: Any) -> str:
        return f"IIDSum({printer._print(self.term)}, {printer._print(self.count)})"


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

    ``evalf(n)`` integrates the definition numerically. It returns the node as it is where a
    parameter has no value; also where n digits are out of reach, and then a warning says why.
    """

    is_commutative = True

    def __new__(cls, expr: Any, law: Law) -> Expectation:
        if not isinstance(law, Law):
            raise TypeError(f"law must be a Law, such as a GaussianLaw; got {law!r}")
        result: Expectation = Expr.__new__(cls, with_own_owens_t(sympify(expr)), law)
        return result

    @property
    def integrand(self) -> Expr:
        """The function of the random vector whose expectation is taken."""
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

    def rename_variables(self, names: Mapping[Symbol, Symbol]) -> Expectation:
        return Expectation(self.integrand.xreplace(names), self.law.rename_variables(names))

    def _eval_evalf(self, prec: int) -> Expr | None:
        if self.free_symbols:
            return None
        value: Expr | None = load_registered("expectation.value")(self.integrand, self.law, prec)
        return value

    def _eval_derivative(self, symbol: Symbol) -> Expr:
        from sympy import Derivative

        return Derivative(self, symbol, evaluate=False)

    def doit(self, **hints: Any) -> Expr:
        """Return the expectation's closed form, as far as there is one; ignore SymPy's hints."""
        value: Expr = with_sympy_owens_t(load_registered("expectation.closed_form")(self))
        return value

    @property
    def reason(self) -> str:
        """The reason, as text, why this expectation has no closed form; empty if it has one."""
        return str(load_registered("expectation.reason")(self))

    def to_latex(self) -> str:
        r"""Return the LaTeX of the expectation, with its law.

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
        return str(load_registered("expectation.latex")(self))

    def _repr_latex_(self) -> str:
        return rf"$\displaystyle {self.to_latex()}$"

    def _repr_html_(self) -> str:
        return str(load_registered("expectation.html")(self))

    def _latex(self, printer: Any) -> str:
        return rf"\mathbb{{E}}\left[{printer._print(self.integrand)}\right]"

    def _sympystr(self, printer: Any) -> str:
        return f"E[{printer._print(self.integrand)}]"


def require_real_parameters(expr: Expr, law: Law) -> None:
    """Raise an error if parameters are not declared real or share names with random variables."""
    names = {symbol.name for symbol in law.symbols}
    for symbol in sorted(expr.free_symbols - set(law.symbols), key=str):
        if symbol.name in names and not symbol.is_real:
            raise ValueError(
                f"expr contains a symbol {symbol} that is not the law's variable of that name, "
                f"which is declared real; write Symbol({symbol.name!r}, real=True) in both"
            )
    loose = sorted(s.name for s in Expectation(expr, law).free_symbols if not s.is_real)
    if loose:
        raise ValueError(
            f"the parameter {loose[0]} of expr or law is not declared real; "
            f"write Symbol({loose[0]!r}, real=True)"
        )
