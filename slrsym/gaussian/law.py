"""Laws of random vectors: jointly Gaussian, noise of known variance, products, sums of copies.

A law is an immutable SymPy object. Its vector is named by symbols, which the law *binds*: outside
of the law (and of the expectations taken under it) these symbols mean nothing, so substituting a
parameter never touches them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import combinations
from typing import Any

from sympy import (
    Basic,
    Dummy,
    Expr,
    ImmutableMatrix,
    Matrix,
    Symbol,
    Tuple,
    expand,
    factor,
    factor_terms,
    sympify,
)

from slrsym.gaussian.binding import Binder

__all__ = ["GaussianLaw", "IIDSum", "Law", "NoiseLaw", "ProductLaw", "standard_normal"]


class Law(Basic):  # type: ignore[misc]
    """Common ground of all laws: they bind the symbols that name their random variables."""

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """The symbols naming the random variables, in order."""
        raise NotImplementedError

    @property
    def parameters(self) -> set[Symbol]:
        """The symbols that the law depends on."""
        raise NotImplementedError

    @property
    def free_symbols(self) -> set[Symbol]:
        return self.parameters

    @property
    def bound_symbols(self) -> list[Symbol]:
        return list(self.symbols)

    @property
    def canonical_variables(self) -> dict[Symbol, Symbol]:
        """None: names are changed by the expression under the law, in it and its law at once."""
        return {}

    def blocks(self) -> tuple[Law, ...]:
        """The independent laws that this one is made of."""
        return (self,)

    def renamed(self, names: Mapping[Symbol, Symbol]) -> Law:
        """The same law, its random variables named anew.

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


# What a random variable may be declared: that it is real, and what follows from that.
_PLAIN = frozenset({"commutative", "complex", "extended_real", "finite", "hermitian", "real"})


def _real_symbol(symbol: Any, role: str) -> Symbol:
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


def _is_placeholder(symbol: Symbol) -> bool:
    """Whether the symbol stands for a new value in the midst of a simultaneous `subs`."""
    return isinstance(symbol, Dummy) and symbol.name.startswith("subs_")


def _real_expression(expr: Any, what: str) -> Expr:
    expr = sympify(expr)
    if not isinstance(expr, Expr):
        raise TypeError(f"{what} must be an expression; got {expr!r}")
    loose = sorted(s.name for s in expr.free_symbols if not s.is_real and not _is_placeholder(s))
    if loose:
        raise ValueError(
            f"{what} is {expr}, and {', '.join(loose)} is not declared real; "
            f"write Symbol({loose[0]!r}, real=True)"
        )
    if expr.is_real is False or (not expr.is_finite and expr.is_finite is not None):
        raise ValueError(f"{what} must be real and finite; got {expr}")
    return expr


@lru_cache(maxsize=1024)
def _negative_minor(matrix: ImmutableMatrix) -> tuple[tuple[int, ...], Expr] | None:
    """A principal minor that is certainly negative, with its rows."""
    n = matrix.rows
    for size in range(1, n + 1):
        for chosen in combinations(range(n), size):
            if size > 3 and not all(matrix[i, j].is_number for i in chosen for j in chosen):
                continue
            minor = matrix.extract(list(chosen), list(chosen)).det(method="berkowitz")
            if minor.is_negative or factor(minor).is_negative:
                return chosen, minor
    return None


class GaussianLaw(Law):
    r"""A jointly Gaussian vector :math:`X \sim N(m, \Sigma)`, possibly degenerate.

    Parameters
    ----------
    mean : mapping of Symbol to expression
        The names of the coordinates, each with its mean. Names must be declared real.
    cov : Matrix or nested lists, shape (n, n)
        The covariance, in the order of `mean`. Symmetric and, wherever that can be decided,
        positive semidefinite.

    Raises
    ------
    TypeError
        If a name is not a Symbol, or an entry not an expression.
    ValueError
        If a name or parameter is not declared real, `cov` has the wrong shape, is not symmetric,
        or has a principal minor that is certainly negative.

    Examples
    --------
    >>> from sympy import symbols
    >>> X, Y, r = symbols("X Y r", real=True)
    >>> law = GaussianLaw({X: 0, Y: 1}, [[1, r], [r, 1]])
    >>> law.condition({X: 2}).mean
    {Y: 2*r + 1}
    """

    def __new__(cls, mean: Mapping[Any, Any] | Iterable[Any], cov: Any) -> GaussianLaw:
        pairs = mean.items() if isinstance(mean, Mapping) else [tuple(pair) for pair in mean]
        names = [_real_symbol(name, "a Gaussian coordinate") for name, _ in pairs]
        if len(set(names)) != len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise ValueError(f"mean names the coordinate {twice} twice")
        if not names:
            raise ValueError("mean is empty; a Gaussian vector needs at least one coordinate")
        means = [
            _real_expression(m, f"mean of {name}")
            for name, (_, m) in zip(names, pairs, strict=True)
        ]
        matrix = cls._validated_covariance(cov, names)
        own = set(names) & (set().union(*(m.free_symbols for m in means)) | matrix.free_symbols)
        if own:
            raise ValueError(
                f"the parameters of the law contain its own coordinate {min(own, key=str)}"
            )
        result: GaussianLaw = Basic.__new__(cls, Tuple(*map(Tuple, names, means)), matrix)
        return result

    @classmethod
    def _derived(cls, mean: Mapping[Symbol, Expr], cov: Matrix) -> GaussianLaw:
        """A law whose parameters come from those of a valid one, and need no validation."""
        result: GaussianLaw = Basic.__new__(
            cls, Tuple(*map(Tuple, mean, mean.values())), ImmutableMatrix(cov)
        )
        return result

    @staticmethod
    def _validated_covariance(cov: Any, names: list[Symbol]) -> ImmutableMatrix:
        try:
            matrix = ImmutableMatrix(cov)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"cov must be a matrix or nested lists of equal length; {error}"
            ) from None
        n = len(names)
        if matrix.shape != (n, n):
            raise ValueError(f"cov has shape {matrix.shape}; {n} coordinates need ({n}, {n})")
        for i in range(n):
            for j in range(i + 1):
                _real_expression(matrix[i, j], f"cov[{i}, {j}]")
                if i != j and expand(matrix[i, j] - matrix[j, i]) != 0:
                    raise ValueError(
                        f"cov is not symmetric: cov[{i}, {j}] = {matrix[i, j]}, "
                        f"cov[{j}, {i}] = {matrix[j, i]}"
                    )
        found = _negative_minor(matrix)
        if found is not None:
            chosen, minor = found
            which = ", ".join(names[i].name for i in chosen)
            raise ValueError(
                f"cov is not positive semidefinite: the principal minor of ({which}) "
                f"is {factor_terms(minor)} < 0"
            )
        return matrix

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        return tuple(pair[0] for pair in self.args[0])

    @property
    def mean(self) -> dict[Symbol, Expr]:
        """The mean of each coordinate."""
        return {pair[0]: pair[1] for pair in self.args[0]}

    @property
    def cov(self) -> ImmutableMatrix:
        """The covariance matrix, in the order of `symbols`."""
        return self.args[1]

    @property
    def parameters(self) -> set[Symbol]:
        means = (m.free_symbols for m in self.mean.values())
        return set().union(self.cov.free_symbols, *means)

    def covariance(self, first: Symbol, second: Symbol) -> Expr:
        """Covariance of two coordinates.

        Parameters
        ----------
        first, second : Symbol
            The coordinates, which may be one and the same.

        Returns
        -------
        Expr
            The entry of `cov`.

        Raises
        ------
        KeyError
            If one of them is not a coordinate of this law.
        """
        return self.cov[self._index(first), self._index(second)]

    def _index(self, symbol: Symbol) -> int:
        try:
            return self.symbols.index(symbol)
        except ValueError:
            known = ", ".join(s.name for s in self.symbols)
            raise KeyError(f"{symbol} is not a coordinate of this law ({known})") from None

    def marginal(self, *chosen: Symbol) -> GaussianLaw:
        """The law of some of the coordinates, in the order given.

        Parameters
        ----------
        *chosen : Symbol
            The coordinates to keep.

        Returns
        -------
        GaussianLaw
            Their joint law.

        Raises
        ------
        KeyError
            If one of them is not a coordinate of this law.
        ValueError
            If there is none, or one of them is named twice.
        """
        if not chosen:
            raise ValueError("chosen must name one coordinate at least")
        at = [self._index(symbol) for symbol in chosen]
        mean = self.mean
        if len(set(at)) < len(at):
            raise ValueError(f"chosen names a coordinate twice: {', '.join(map(str, chosen))}")
        return self._derived({symbol: mean[symbol] for symbol in chosen}, self.cov.extract(at, at))

    def linear_image(self, forms: Mapping[Symbol, Any]) -> GaussianLaw:
        """The joint law of affine forms of the vector.

        Parameters
        ----------
        forms : mapping of Symbol to expression
            New names, each with an affine expression in the coordinates.

        Returns
        -------
        GaussianLaw
            The law of the forms, in the order of `forms`.

        Raises
        ------
        ValueError
            If a form is not affine in the coordinates, a new name is not declared real, or a form
            contains one of the new names.
        """
        rows = []
        mean = {}
        for name, form in forms.items():
            constant, row = self.affine_coefficients(form)
            rows.append(row)
            mean[name] = constant + sum(c * m for c, m in zip(row, self.mean.values(), strict=True))
        matrix = Matrix(rows)
        return GaussianLaw(mean, (matrix * self.cov * matrix.T).applyfunc(expand))

    def affine_coefficients(self, form: Any) -> tuple[Expr, list[Expr]]:
        """Constant and coefficients of an affine form.

        Parameters
        ----------
        form : expression
            An affine expression in the coordinates.

        Returns
        -------
        constant : Expr
            What is left where every coordinate is 0.
        coefficients : list of Expr
            Those of the coordinates, in the order of `symbols`.

        Raises
        ------
        ValueError
            If `form` is not affine in the coordinates.
        """
        form = sympify(form)
        row = [form.diff(symbol) for symbol in self.symbols]
        constant = form.xreplace({symbol: sympify(0) for symbol in self.symbols})
        # Slopes alone do not tell: those of a step function vanish where they exist.
        linear = sum(c * x for c, x in zip(row, self.symbols, strict=True))
        if (
            any(c.free_symbols & set(self.symbols) for c in map(expand, row))
            or expand(form - constant - linear) != 0
        ):
            raise ValueError(f"{form} is not affine in {', '.join(map(str, self.symbols))}")
        return constant, [expand(c) for c in row]

    def condition(self, values: Mapping[Symbol, Any]) -> GaussianLaw:
        r"""The law of the other coordinates, given the values of some.

        The conditional mean is :math:`m_1 + \Sigma_{12}\Sigma_{22}^{-1}(x_2 - m_2)` and the
        covariance :math:`\Sigma_{11} - \Sigma_{12}\Sigma_{22}^{-1}\Sigma_{21}`.

        Parameters
        ----------
        values : mapping of Symbol to expression
            The coordinates that are given, each with its value :math:`x_2`.

        Returns
        -------
        GaussianLaw
            The conditional law of the rest, in the order of `symbols`.

        Raises
        ------
        KeyError
            If a name is not a coordinate of this law.
        ValueError
            If every coordinate is given, or the covariance of those given is singular.
        """
        given = [self._index(symbol) for symbol in values]
        rest = [i for i in range(len(self.symbols)) if i not in given]
        if not rest:
            raise ValueError("values fixes every coordinate; nothing is left to have a law")
        block = self.cov.extract(given, given)
        if block.det().expand() == 0:
            which = ", ".join(str(s) for s in values)
            raise ValueError(f"the covariance of ({which}) is singular; condition on fewer")
        means = list(self.mean.values())
        gain = self.cov.extract(rest, given) * block.inv()
        shift = gain * Matrix(
            [sympify(v) - means[i] for i, v in zip(given, values.values(), strict=True)]
        )
        cov = self.cov.extract(rest, rest) - gain * self.cov.extract(given, rest)
        mean = {self.symbols[i]: expand(means[i] + shift[k]) for k, i in enumerate(rest)}
        return GaussianLaw(mean, cov.applyfunc(lambda entry: expand(entry)))

    def renamed(self, names: Mapping[Symbol, Symbol]) -> GaussianLaw:
        return GaussianLaw(
            {names.get(symbol, symbol): m for symbol, m in self.mean.items()}, self.cov
        )

    def _latex(self, printer: Any) -> str:
        names, mean, cov = self.symbols, list(self.mean.values()), self.cov
        if len(names) == 1:
            parts = [printer._print(x) for x in (names[0], mean[0], cov[0, 0])]
        else:
            parts = [printer._print(Matrix(list(x))) for x in (names, mean)]
            parts.append(printer._print(cov))
        return rf"{parts[0]} \sim \mathcal{{N}}\left({parts[1]}, {parts[2]}\right)"


class NoiseLaw(Law):
    """A real random variable of mean zero and known variance, and otherwise arbitrary.

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
        symbol = _real_symbol(symbol, "a noise variable")
        variance = _real_expression(variance, f"variance of {symbol}")
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
        """The second moment."""
        return self.args[1]

    @property
    def parameters(self) -> set[Symbol]:
        return set(self.variance.free_symbols)

    def renamed(self, names: Mapping[Symbol, Symbol]) -> NoiseLaw:
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
            raise ValueError("laws must be one law at least")
        for law in laws:
            if not isinstance(law, Law):
                raise TypeError(f"laws must be Laws, such as a GaussianLaw; got {law!r}")
        flat = tuple(block for law in laws for block in law.blocks())
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

    def blocks(self) -> tuple[Law, ...]:
        result: tuple[Law, ...] = self.args
        return result

    def renamed(self, names: Mapping[Symbol, Symbol]) -> ProductLaw:
        return ProductLaw(*(law.renamed(names) for law in self.args))

    def _latex(self, printer: Any) -> str:
        return r" \perp ".join(rf"\left({printer._print(law)}\right)" for law in self.args)


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


def standard_normal(*names: Symbol) -> GaussianLaw:
    """The law of independent standard normal variables.

    Parameters
    ----------
    *names : Symbol
        Their names, one at least, different and declared real.

    Returns
    -------
    GaussianLaw
        Mean 0, covariance the identity.

    Raises
    ------
    TypeError
        If a name is not a Symbol.
    ValueError
        If there is no name, one occurs twice, or one is not declared real.

    Examples
    --------
    >>> from sympy import Symbol
    >>> standard_normal(Symbol("G", real=True)).cov
    Matrix([[1]])
    """
    n = len(names)
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise ValueError(
            f"names must be different; {twice[0]} occurs {names.count(twice[0])} times"
        )
    return GaussianLaw(dict.fromkeys(names, 0), [[int(i == j) for j in range(n)] for i in range(n)])
