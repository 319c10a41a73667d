"""Base class of laws; noise of known variance; products of independent laws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sympy import Basic, Dummy, Expr, S, Symbol, sympify

from slrsym.gaussian.special_functions import with_own_owens_t


class Law(Basic):  # type: ignore[misc]
    """Base class of laws of random vectors, which bind the symbols of their coordinates."""

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """The symbols naming the random variables, in order."""
        raise NotImplementedError

    @property
    def parameters(self) -> set[Symbol]:
        """The symbols that the law depends on, other than those of its random variables."""
        raise NotImplementedError

    @property
    def free_symbols(self) -> set[Symbol]:
        return self.parameters

    @property
    def bound_symbols(self) -> list[Symbol]:
        """The symbols that name the random variables, in order."""
        return list(self.symbols)

    @property
    def canonical_variables(self) -> dict[Symbol, Symbol]:
        """An empty dictionary, since `Expectation` renames the variables of a law itself."""
        return {}

    def independent_laws(self) -> tuple[Law, ...]:
        """Return the independent laws whose product this law is."""
        return (self,)

    def rename_variables(self, names: Mapping[Symbol, Symbol]) -> Law:
        """Return the law with its random variables renamed.

        Parameters
        ----------
        names : mapping of Symbol to Symbol
            New names, declared real. Variables that are not in it keep theirs.

        Returns
        -------
        Law
            A law of the same kind.
        """
        raise NotImplementedError

    def _eval_subs(self, old: Basic, new: Basic) -> Basic | None:
        if old in self.symbols:
            return self
        return None


# What a bound variable may be declared: that it is real, and what follows from that.
_PLAIN = frozenset({"commutative", "complex", "extended_real", "finite", "hermitian", "real"})


def is_declared_real_only(symbol: Symbol) -> bool:
    """Return whether a symbol is declared real, with no other assumption."""
    return bool(symbol.is_real) and not set(symbol._assumptions_orig) - _PLAIN


def require_symbol_declared_real_only(symbol: Any, role: str) -> Symbol:
    """Return a random variable's symbol; raise an error unless it is declared real and no more."""
    symbol = sympify(symbol)
    if not isinstance(symbol, Symbol):
        raise TypeError(f"{role} must be named by a SymPy Symbol; got {symbol!r}")
    if not symbol.is_real:
        raise ValueError(
            f"{role} {symbol} is not declared real; write Symbol({symbol.name!r}, real=True)"
        )
    more = set(symbol._assumptions_orig) - _PLAIN
    if more:
        raise ValueError(
            f"{role} {symbol} is declared {min(more)}, which its law does not make it; "
            f"write Symbol({symbol.name!r}, real=True)"
        )
    return symbol


def require_real_expression(expr: Any, what: str) -> Expr:
    """Return a parameter of a law as an expression; raise an error if it is not real."""
    expr = sympify(expr)
    if not isinstance(expr, Expr):
        raise TypeError(f"{what} must be an expression; got {expr!r}")
    expr = with_own_owens_t(expr)
    loose = sorted(s.name for s in expr.free_symbols if not s.is_real and not _is_placeholder(s))
    if loose:
        raise ValueError(
            f"{what} is {expr}, and {', '.join(loose)} is not declared real; "
            f"write Symbol({loose[0]!r}, real=True)"
        )
    if expr.has(S.NaN, S.ComplexInfinity) or False in (expr.is_real, expr.is_finite):
        raise ValueError(f"{what} must be real and finite; got {expr}")
    return expr


def _is_placeholder(symbol: Symbol) -> bool:
    """Return whether a symbol is a placeholder that SymPy's simultaneous `subs` made."""
    return isinstance(symbol, Dummy) and symbol.name.startswith("subs_")


class NoiseLaw(Law):
    """A real random variable of mean zero and known variance, and otherwise arbitrary.

    Noises of one variance have one law.

    Parameters
    ----------
    symbol : Symbol
        Its name, declared real.
    variance : expression
        Its second moment, not negative.

    Raises
    ------
    TypeError
        If the name is not a Symbol, or the variance not an expression.
    ValueError
        If the variance is certainly negative or depends on the variable, or something is not
        declared real.
    """

    def __new__(cls, symbol: Any, variance: Any) -> NoiseLaw:
        symbol = require_symbol_declared_real_only(symbol, "a noise variable")
        variance = require_real_expression(variance, f"variance of {symbol}")
        if symbol in variance.free_symbols:
            raise ValueError(f"variance of {symbol} must not depend on {symbol}; got {variance}")
        if variance.is_negative:
            raise ValueError(f"variance of {symbol} must not be negative; got {variance}")
        result: NoiseLaw = Basic.__new__(cls, symbol, variance)
        return result

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        return (self.args[0],)

    @property
    def variance(self) -> Expr:
        """The variance of the noise."""
        return self.args[1]

    @property
    def parameters(self) -> set[Symbol]:
        return set(self.variance.free_symbols)

    def rename_variables(self, names: Mapping[Symbol, Symbol]) -> NoiseLaw:
        return NoiseLaw(names.get(self.args[0], self.args[0]), self.variance)

    def _latex(self, printer: Any) -> str:
        xi, variance = map(printer._print, self.args)
        return (
            rf"\mathbb{{E}}\left[{xi}\right] = 0,\; "
            rf"\operatorname{{Var}}\left({xi}\right) = {variance}"
        )


class ProductLaw(Law):
    """The joint law of independent random vectors.

    Parameters
    ----------
    *laws : Law
        Laws that name different variables. Products are flattened.

    Raises
    ------
    TypeError
        If one is no law.
    ValueError
        If there is none, two name the same variable, or one has a variable of another for a
        parameter.
    """

    def __new__(cls, *laws: Law) -> ProductLaw:
        if not laws:
            raise ValueError("laws must be one law at least, such as standard_normal(x); got none")
        for law in laws:
            if not isinstance(law, Law):
                raise TypeError(f"laws must be Laws, such as a GaussianLaw; got {law!r}")
        flat = tuple(block for law in laws for block in law.independent_laws())
        names = [symbol for law in flat for symbol in law.symbols]
        twice = {s.name for s in names if names.count(s) > 1}
        if twice:
            raise ValueError(
                f"independent laws must name different variables; shared: {min(twice)}"
            )
        entangled = set(names) & set().union(*(law.parameters for law in flat))
        if entangled:
            raise ValueError(
                f"a factor of the product has the random variable {min(entangled, key=str)} of "
                "the product as a parameter; such laws are not independent"
            )
        result: ProductLaw = Basic.__new__(cls, *flat)
        return result

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        return tuple(symbol for law in self.args for symbol in law.symbols)

    @property
    def parameters(self) -> set[Symbol]:
        return set().union(*(law.parameters for law in self.args))

    def independent_laws(self) -> tuple[Law, ...]:
        result: tuple[Law, ...] = self.args
        return result

    def rename_variables(self, names: Mapping[Symbol, Symbol]) -> ProductLaw:
        return ProductLaw(*(law.rename_variables(names) for law in self.args))

    def _latex(self, printer: Any) -> str:
        return r" \perp ".join(rf"\left({printer._print(law)}\right)" for law in self.args)


def joint_law(laws: Sequence[Law]) -> Law:
    """Return the joint law of independent vectors: a product, unless there is one law only."""
    return laws[0] if len(laws) == 1 else ProductLaw(*laws)
