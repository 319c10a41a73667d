r"""Gaussian means of products of functions of projections, derived once for each form.

A product such as :math:`g'(l_1)\,g'(l_2)\,g(r_1)\,g(r_2)` is the same function of four jointly
Gaussian variables whichever units it is about. Its mean is derived once, by `slrsym.gaussian`, with
symbols for means and covariances; equations of motion evaluate it at the law of each instance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache, cached_property
from itertools import combinations
from typing import Any, NamedTuple

from sympy import Expr, Mul, Piecewise, Pow, S, Symbol, erf, exp

from slrsym.gaussian import (
    Expectation,
    GaussianLaw,
    OwensT,
    bivariate_normal_cdf,
    expectation,
    normal_cdf,
)
from slrsym.gaussian.special_functions import with_own_owens_t
from slrsym.kernels.limits import with_limits
from slrsym.kernels.printing import program_from_expressions
from slrsym.kernels.program import Program
from slrsym.models.definition.specification import NotClosedError
from slrsym.models.means.moments import (
    ATOMS,
    atomic_means_in,
    covariance_symbol,
    derivatives_in_law_entries,
    differentiate_closed_form,
    generic_gaussian_variables,
    mean_symbol,
    product_mean,
    split_atomic_mean_derivative,
)
from slrsym.models.training.alignment import (
    with_limit_at_alignment,
    without_poles_at_alignment,
)

Z = generic_gaussian_variables(1)[0]


class ProductFactors(NamedTuple):
    """A product, split into functions of one variable each and a rest that mixes variables."""

    factors: tuple[tuple[Any, Expr], ...]
    rest: Expr

    def __mul__(self, other: ProductFactors) -> ProductFactors:  # type: ignore[override]
        factors = dict(self.factors)
        for variable, function in other.factors:
            factors[variable] = factors.get(variable, S.One) * function
        return ProductFactors(tuple(factors.items()), self.rest * other.rest)


ONE = ProductFactors((), S.One)


def factorise_product(core: Expr, variables_of: Mapping[Symbol, Any]) -> ProductFactors:
    """Split a product into functions of one variable each and a rest that mixes variables."""
    factors: dict[Any, Expr] = {}
    rest: Expr = S.One
    for factor in Mul.make_args(core):
        used = factor.free_symbols & variables_of.keys()
        if len(used) == 1:
            (symbol,) = used
            variable = variables_of[symbol]
            factors[variable] = factors.get(variable, S.One) * factor.xreplace({symbol: Z})
        else:
            rest *= factor
    return ProductFactors(tuple(factors.items()), rest)


@cache
def _text(function: Expr) -> str:
    return str(function)


def pattern_of_product(
    product: ProductFactors, symbol_of: Mapping[Any, Symbol]
) -> tuple[MeanPattern, tuple[Any, ...]]:
    """Return the pattern of a product (its form, without names), and its variables in order.

    By `symbol_of` the rest of the product names its variables.
    """
    factors = dict(product.factors)
    for variable, symbol in symbol_of.items():
        if product.rest.has(symbol):
            factors.setdefault(variable, S.One)
    order = sorted(factors, key=lambda v: (_text(factors[v]), str(v)))
    names = generic_gaussian_variables(len(order))
    rest = product.rest
    if rest is not S.One:
        rest = rest.xreplace(
            {symbol_of[v]: z for v, z in zip(order, names, strict=True) if v in symbol_of}
        )
    return _pattern(tuple(factors[v] for v in order), rest), tuple(order)


@cache
def _pattern(functions: tuple[Expr, ...], rest: Expr) -> MeanPattern:
    names = generic_gaussian_variables(len(functions))
    core = Mul(rest, *(f.xreplace({Z: z}) for f, z in zip(functions, names, strict=True)))
    return MeanPattern(core, len(functions))


class MeanPattern:
    """The mean of a product of functions of a few Gaussian variables, as a function of their law.

    The product, `core`, is in `slrsym.models.means.moments.generic_gaussian_variables`.
    """

    def __init__(self, core: Expr, count: int) -> None:
        self.core, self.count = core, count

    @cached_property
    def centred_mean(self) -> GaussianMeanFormula | None:
        """The pattern's mean under laws with zero means, or None if no closed form is known."""
        if not self.count:
            return GaussianMeanFormula(self, self.core)
        law = GaussianLaw(
            dict.fromkeys(generic_gaussian_variables(self.count), S.Zero),
            [[covariance_symbol(i, j) for j in range(self.count)] for i in range(self.count)],
        )
        value = with_own_owens_t(expectation(self.core, law))
        if value.has(Expectation, Piecewise, bivariate_normal_cdf):
            return None
        found = GaussianMeanFormula(self, value)
        # Slopes of what has roots beside Owen's T lose digits where two variables align.
        return None if value.has(OwensT) and found.has_roots else found

    @cached_property
    def general_mean(self) -> GaussianMeanFormula:
        """The pattern's mean as a function of any means and covariances of its variables."""
        formal = product_mean(self.core, self.count)
        return GaussianMeanFormula(self, _written(formal), formal)

    def mean(self, centred: bool) -> GaussianMeanFormula:
        """Return the pattern's mean for laws with zero means if `centred`, else for any law."""
        found = self.centred_mean if centred else None
        if found is not None and not found.has_ends:
            return found
        try:
            return self.general_mean
        except NotClosedError:
            if found is None:
                raise
            return found


class GaussianMeanFormula:
    """A Gaussian mean as a function of means, covariances and parameters, with its derivatives."""

    def __init__(self, pattern: MeanPattern, value: Expr, formal: Expr | None = None) -> None:
        self.pattern, self._formal = pattern, formal
        self.value = value
        if formal is None and not self.has_ends:
            self.value = self._pairwise(without_poles_at_alignment, value)
        self._slopes: dict[Symbol, GaussianMeanFormula] = {}

    @cached_property
    def has_ends(self) -> bool:
        """Whether the value has functions of ends that go to infinity where two are aligned."""
        functions = self.value.atoms(erf, exp, normal_cdf, OwensT)
        return self.value.has(OwensT) or any(map(self._has_pole, functions))

    @property
    def has_roots(self) -> bool:
        """Whether the value has roots that vanish where two are aligned, but for those in ends."""
        functions = self.value.atoms(erf, exp, normal_cdf, OwensT)
        return self._has_pole(self.value.xreplace(dict.fromkeys(functions, S.One)))

    def _has_pole(self, part: Expr) -> bool:
        pairs = combinations(range(self.pattern.count), 2)
        covariances = {covariance_symbol(*pair) for pair in pairs}
        return any(
            power.exp.is_negative and covariances & power.base.free_symbols
            for power in part.atoms(Pow)
        )

    def _pairwise(self, write: Callable[..., Expr], value: Expr, *parts: Any) -> Expr:
        """Return a value in the form of a function for each two variables in it."""
        for i, j in combinations(range(self.pattern.count), 2):
            c = covariance_symbol(i, j)
            if c in value.free_symbols:
                variances = covariance_symbol(i, i), covariance_symbol(j, j)
                value = write(value, *variances, c, *parts)
        return value

    @cached_property
    def _printed(self) -> tuple[Expr, dict[Symbol, Expr]]:
        """The value in the form for programs, with definitions of the symbols of its parts."""
        if self.has_ends:
            return with_limits(self.value), {}
        parts: dict[Symbol, Expr] = {}
        return self._pairwise(with_limit_at_alignment, self.value, parts), parts

    def printed_at(
        self, entries: Iterable[Expr], named: Callable[[Expr], Expr] = lambda part: part
    ) -> Expr:
        """Return the value in the form for programs, at given arguments, with its parts named."""
        at = dict(zip(self.arguments, entries, strict=True))
        value, parts = self._printed
        for symbol, meaning in parts.items():
            at[symbol] = named(meaning.xreplace(at))
        return value.xreplace(at)

    @cached_property
    def program(self) -> Program:
        """The program that computes the mean from its arguments."""
        value, parts = self._printed
        return program_from_expressions([value], self.arguments, (), given=parts)

    @cached_property
    def arguments(self) -> tuple[Symbol, ...]:
        """The symbols that the mean depends on: means, covariances and parameters."""
        return tuple(sorted(self.value.free_symbols, key=lambda s: s.name))

    def slope(self, argument: Symbol) -> GaussianMeanFormula:
        """Return the mean's partial derivative in one of its symbols, as a parametric mean."""
        if argument not in self._slopes:
            formal: Expr | None = None
            count = self.pattern.count
            if self._formal is not None and argument in mean_and_covariance_symbols(count):
                formal = derivatives_in_law_entries(self._formal, count).get(argument, S.Zero)
            value = self.value.diff(argument) if formal is None else _written(formal)
            self._slopes[argument] = GaussianMeanFormula(self.pattern, value, formal)
        return self._slopes[argument]


@cache
def mean_and_covariance_symbols(count: int) -> frozenset[Symbol]:
    """Return the set of the fixed symbols m_i, c_i_j of `count` variables."""
    means = {mean_symbol(i) for i in range(count)}
    return frozenset(means | {covariance_symbol(i, j) for i in range(count) for j in range(count)})


def _written(formal: Expr) -> Expr:
    """Replace the symbols of atomic means in an expression by their closed forms."""
    found = {}
    for node in atomic_means_in(formal):
        function, orders = split_atomic_mean_derivative(node)
        atom = ATOMS[function.func]
        found[node] = differentiate_closed_form(atom.closed, orders).xreplace(atom.constants)
    return formal.xreplace(found)
