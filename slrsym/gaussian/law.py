"""Laws of random vectors: jointly Gaussian, and those of `sympy.stats` variables.

A law is an immutable SymPy object. Its vector is named by symbols, which the law *binds*: outside
of the law (and of the expectations taken under it) these symbols mean nothing, so substituting a
parameter never touches them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import sympy as sp
from sympy import Basic, Expr, Matrix, Symbol

from slrsym.gaussian.binding import IIDSum
from slrsym.gaussian.covariance import (
    exact_covariance,
    exact_numbers,
    require_covariance_matrix,
    with_short_numbers,
)
from slrsym.gaussian.noise_and_product_laws import (
    Law,
    NoiseLaw,
    ProductLaw,
    joint_law,
    require_real_expression,
    require_symbol_declared_real_only,
)

__all__ = [
    "GaussianLaw",
    "IIDSum",
    "Law",
    "NoiseLaw",
    "ProductLaw",
    "replace_sympy_stats_variables",
    "standard_normal",
]


class GaussianLaw(Law):
    r"""A jointly Gaussian vector :math:`X \sim N(m, \Sigma)`, possibly degenerate.

    Affine images, marginals and conditional laws are as in Anderson, *An Introduction to
    Multivariate Statistical Analysis*, 3rd ed., Theorems 2.4.1 to 2.5.1.

    Parameters
    ----------
    mean : mapping of Symbol to expression
        The names of the coordinates, each with its mean. Names must be declared real.
    cov : Matrix, array or nested lists, shape (n, n)
        The covariance, in the order of `mean`. Symmetric and, wherever that can be decided,
        positive semidefinite: exactly for rationals, up to rounding for floats.

    Raises
    ------
    TypeError
        If a name is not a Symbol, or an entry not an expression.
    ValueError
        If a name or parameter is not declared real, `cov` has the wrong shape, is not symmetric,
        or has a principal minor that is certainly negative.

    Notes
    -----
    A float is the rational number that it is, and means are computed with these. In a covariance of
    n variables that contains floats with rounding unit u, such as ``numpy.cov`` returns it,
    elimination may leave a variance within 4 n u of 0, relative to the one that was given: it is
    taken for 0. One below -64 n u is refused, and so are entries that differ by more from those
    across the diagonal, relative to the root of the product of their variances.

    Examples
    --------
    >>> from sympy import symbols
    >>> X, Y, r = symbols("X Y r", real=True)
    >>> law = GaussianLaw({X: 0, Y: 1}, [[1, r], [r, 1]])
    >>> law.conditional({X: 2}).mean
    {Y: 2*r + 1}
    """

    def __new__(cls, mean: Mapping[Any, Any] | Iterable[Any], cov: Any) -> GaussianLaw:
        pairs = mean.items() if isinstance(mean, Mapping) else [tuple(pair) for pair in mean]
        names = [
            require_symbol_declared_real_only(name, "a Gaussian coordinate") for name, _ in pairs
        ]
        if len(set(names)) != len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise ValueError(f"mean names the coordinate {twice} twice")
        if not names:
            raise ValueError(
                f"mean must name at least one coordinate, such as {{x: 0}}; got {mean!r}"
            )
        means = [
            require_real_expression(m, f"mean of {name}")
            for name, (_, m) in zip(names, pairs, strict=True)
        ]
        matrix = require_covariance_matrix(cov, names)
        own = set(names) & (set().union(*(m.free_symbols for m in means)) | matrix.free_symbols)
        if own:
            raise ValueError(
                f"the parameters of the law contain its own coordinate {min(own, key=str)}"
            )
        result: GaussianLaw = Basic.__new__(cls, sp.Tuple(*map(sp.Tuple, names, means)), matrix)
        return result

    @classmethod
    def _derived(cls, mean: Mapping[Symbol, Expr], cov: Matrix) -> GaussianLaw:
        """Return a Gaussian law without checking its covariance, which comes from a checked law."""
        result: GaussianLaw = Basic.__new__(
            cls, sp.Tuple(*map(sp.Tuple, mean, mean.values())), sp.ImmutableMatrix(cov)
        )
        return result

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        return tuple(pair[0] for pair in self.args[0])

    @property
    def mean(self) -> dict[Symbol, Expr]:
        """The mean of each coordinate of the Gaussian vector, as a dictionary by symbol."""
        return {pair[0]: pair[1] for pair in self.args[0]}

    @property
    def cov(self) -> sp.ImmutableMatrix:
        """The covariance matrix, in the order of `symbols`."""
        return self.args[1]

    @property
    def parameters(self) -> set[Symbol]:
        means = (m.free_symbols for m in self.mean.values())
        return set().union(self.cov.free_symbols, *means)

    def covariance(self, first: Symbol, second: Symbol) -> Expr:
        """Return the covariance of two coordinates.

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
        """Return the law of some of the coordinates, in the order given.

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
            raise ValueError(
                f"chosen must name at least one of {', '.join(map(str, self.symbols))}; got none"
            )
        at = [self._index(symbol) for symbol in chosen]
        mean = self.mean
        if len(set(at)) < len(at):
            raise ValueError(f"chosen names a coordinate twice: {', '.join(map(str, chosen))}")
        return self._derived({symbol: mean[symbol] for symbol in chosen}, self.cov.extract(at, at))

    def linear_image(self, forms: Mapping[Symbol, Any]) -> GaussianLaw:
        """Return the joint law of affine forms of the vector.

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
        exact = without_floats(self)
        for name, form in forms.items():
            constant, row = self.affine_coefficients(without_floats(sp.sympify(form)))
            rounded = exact is not self or sp.sympify(form).has(sp.Float)
            rows.append([0] * len(row) if rounded and _is_rounding(row, exact.cov) else row)
            means = zip(row, exact.mean.values(), strict=True)
            mean[name] = constant + sum(c * m for c, m in means)
        matrix = Matrix(rows)
        cov = (matrix * exact.cov * matrix.T).applyfunc(sp.expand)
        return self._with_numbers_of(mean, cov, *forms.values())

    def affine_coefficients(self, form: Any) -> tuple[Expr, list[Expr]]:
        """Return the constant and the coefficients of an affine form in the coordinates.

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
        form = sp.sympify(form)
        row = [form.diff(symbol) for symbol in self.symbols]
        constant = form.xreplace({symbol: sp.sympify(0) for symbol in self.symbols})
        # Slopes alone do not tell: those of a step function vanish where they exist.
        linear = sum(c * x for c, x in zip(row, self.symbols, strict=True))
        if (
            any(c.free_symbols & set(self.symbols) for c in map(sp.expand, row))
            or sp.expand(form - constant - linear) != 0
        ):
            raise ValueError(f"{form} is not affine in {', '.join(map(str, self.symbols))}")
        return constant, [sp.expand(c) for c in row]

    def conditional(self, values: Mapping[Symbol, Any]) -> GaussianLaw:
        r"""Return the conditional law of the other coordinates, given the values of some.

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
            all_of = ", ".join(map(str, values))
            raise ValueError(f"values must leave a coordinate free; got all of them: {all_of}")
        exact = without_floats(self)
        block = exact.cov.extract(given, given)
        if block.det().expand() == 0:
            which = ", ".join(str(s) for s in values)
            raise ValueError(f"the covariance of ({which}) is singular; condition on fewer")
        means = list(exact.mean.values())
        gain = exact.cov.extract(rest, given) * block.inv()
        places = [without_floats(sp.sympify(value)) for value in values.values()]
        shift = gain * Matrix([v - means[i] for i, v in zip(given, places, strict=True)])
        cov = exact.cov.extract(rest, rest) - gain * exact.cov.extract(given, rest)
        mean = {self.symbols[i]: sp.expand(means[i] + shift[k]) for k, i in enumerate(rest)}
        return self._with_numbers_of(mean, cov.applyfunc(sp.expand), *values.values())

    def _with_numbers_of(self, mean: dict[Symbol, Expr], cov: Matrix, *given: Any) -> GaussianLaw:
        """Return a law with its long numbers written as floats, if there are floats here."""
        if self.has(sp.Float) or any(sp.sympify(value).has(sp.Float) for value in given):
            mean = {name: with_short_numbers(value) for name, value in mean.items()}
            cov = cov.applyfunc(with_short_numbers)
        return GaussianLaw(mean, cov)

    def rename_variables(self, names: Mapping[Symbol, Symbol]) -> GaussianLaw:
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


def standard_normal(*names: Symbol) -> GaussianLaw:
    """Return the law of independent standard normal variables.

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


def _is_rounding(row: list[Expr], cov: Matrix) -> bool:
    """Return whether the variance of a form in rounded numbers is 0 but for their rounding."""
    n = range(len(row))
    terms = [row[i] * cov[i, j] * row[j] for i in n for j in n]
    if not all(term.is_number for term in terms):
        return False
    return bool(abs(sp.Add(*terms)) <= sp.Add(*map(abs, terms)) * sp.Rational(1, 2**48))


def without_floats(expr: Any) -> Any:
    """Replace floats in an expression or law by rationals, and covariances by exact ones."""
    if not expr.has(sp.Float):
        return expr
    if isinstance(expr, GaussianLaw):
        mean = {name: exact_numbers(value) for name, value in expr.mean.items()}
        return GaussianLaw._derived(mean, exact_covariance(expr.cov))
    return sp.Rational(expr) if expr.is_Float else expr.func(*map(without_floats, expr.args))


def replace_sympy_stats_variables(expr: Expr) -> tuple[Expr, Law]:
    """Replace random variables of `sympy.stats` by symbols; return the result and their law."""
    from sympy.stats.rv import random_symbols

    found = sorted(random_symbols(expr), key=str)
    if not found:
        raise TypeError(
            "law is missing: give a Law, such as standard_normal(x), or write the integrand in "
            "normal random variables of sympy.stats"
        )
    names: dict[Any, Symbol] = {}
    laws: list[Law] = []
    for variable in found:
        mean, cov = _moments(variable)
        size = len(mean)
        own = [
            Symbol(variable.name if size == 1 else f"{variable.name}_{k}", real=True)
            for k in range(size)
        ]
        names |= {variable: own[0]} if size == 1 else dict(_entries(variable, own))
        laws.append(GaussianLaw(dict(zip(own, mean, strict=True)), cov))
    taken = {s.name for s in expr.free_symbols - set(found)}
    twice = taken & {s.name for law in laws for s in law.symbols}
    if twice:
        raise ValueError(f"expr contains a symbol of the same name as a variable: {min(twice)}")
    plain = expr.xreplace(names)
    left = random_symbols(plain)
    if left:
        raise TypeError(f"expr must be in entries of {left[0]}, such as {left[0]}[0]")
    return plain, joint_law(laws)


def _entries(variable: Any, own: list[Symbol]) -> list[tuple[Any, Symbol]]:
    return [(sp.Indexed(variable, sp.sympify(k)), symbol) for k, symbol in enumerate(own)]


def _moments(variable: Any) -> tuple[list[Expr], Matrix]:
    distribution = variable.pspace.distribution
    kind = type(distribution).__name__
    if kind == "NormalDistribution":
        return [distribution.mean], Matrix([[distribution.std**2]])
    if kind == "MultivariateNormalDistribution":
        return list(distribution.mu), Matrix(distribution.sigma)
    raise TypeError(f"{variable} must be normal; it has the law {distribution}")
