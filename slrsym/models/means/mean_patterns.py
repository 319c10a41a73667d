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

from sympy import Add, Expr, Mul, Piecewise, Pow, S, Symbol, asin, erf, exp, expand

from slrsym.gaussian import (
    Expectation,
    GaussianLaw,
    OwensT,
    bivariate_normal_cdf,
    expectation,
    normal_cdf,
)
from slrsym.gaussian.roots import cancel_roots
from slrsym.gaussian.special_functions import with_own_owens_t
from slrsym.kernels.limits import with_limits
from slrsym.kernels.printing import program_from_expressions
from slrsym.kernels.program import Program
from slrsym.kernels.symbolic_functions import GaussianMean
from slrsym.models.definition.specification import NotClosedError
from slrsym.models.means.conditional_means import mean_given_few_variables
from slrsym.models.means.kinked_pairs import (
    derivative_in_law,
    mean_at_kink,
    mean_of_kinked_pair,
)
from slrsym.models.means.label_means import LabelledProduct
from slrsym.models.means.moments import (
    ATOMS,
    atomic_means_in,
    covariance_symbol,
    derivatives_in_law_entries,
    differentiate_closed_form,
    generic_gaussian_variables,
    mean_symbol,
    product_covariance,
    product_mean,
    split_atomic_mean_derivative,
)
from slrsym.models.means.orthant_means import mean_by_orthants
from slrsym.models.training.alignment import (
    vanishes_at_alignment,
    with_least_variances,
    with_least_widths,
    with_limit_at_alignment,
    with_merged_powers,
    with_quotients_at_alignment,
    with_roots_beyond_alignment,
    with_rounding_as_zero,
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
    return pattern_of_core(core, len(functions))


@cache
def pattern_of_core(core: Expr, count: int) -> MeanPattern:
    """Return the pattern of a product that is written in the first of the generic variables."""
    return MeanPattern(core, count)


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
            by_orthants = self._mean_by_orthants()
            return None if by_orthants is None else GaussianMeanFormula(self, by_orthants)
        return GaussianMeanFormula(self, value)

    def _mean_by_orthants(self) -> Expr | None:
        variables = generic_gaussian_variables(self.count)
        parts = factorise_product(self.core, {z: z for z in variables})
        functions = dict(parts.factors)
        if self.count != 4 or parts.rest != 1 or len(functions) != 4:
            return None
        return mean_by_orthants({z: functions[z].xreplace({Z: z}) for z in variables})

    @cached_property
    def general_mean(self) -> GaussianMeanFormula:
        """The pattern's mean as a function of any means and covariances of its variables."""
        return GaussianMeanFormula(self, formal=product_mean(self.core, self.count))

    def mean(self, centred: bool) -> GaussianMeanFormula:
        """Return the pattern's mean for laws with zero means if `centred`, else for any law."""
        found = self._mean(centred)
        found.is_of_core = True
        return found

    def _mean(self, centred: bool) -> GaussianMeanFormula:
        found = self.centred_mean if centred else None
        if found is not None and not found.has_ends:
            return found
        try:
            return self.general_mean
        except NotClosedError:
            if found is not None:
                return found
            found = self._kinked_mean or self._conditional_mean(centred)
            if found is None:
                raise
            return found

    @cached_property
    def law(self) -> GaussianLaw:
        """The law of the variables that occur, with symbols for all means and covariances."""
        names = generic_gaussian_variables(self.count)
        used = [i for i, z in enumerate(names) if self.core.has(z)]
        return GaussianLaw(
            {names[i]: mean_symbol(i) for i in used},
            [[covariance_symbol(i, j) for j in used] for i in used],
        )

    @cached_property
    def _kinked_mean(self) -> GaussianMeanFormula | None:
        """The mean of a pair of kinks at any law, or None if it is another function."""
        value = mean_of_kinked_pair(self.core, self.law) if self.count else None
        return None if value is None else KinkedMeanFormula(self, value)

    @cache  # noqa: B019 (patterns are kept for ever)
    def _conditional_mean(self, centred: bool) -> GaussianMeanFormula | None:
        """Return the mean as a quadrature over one or two variables given which it closes."""
        value = mean_given_few_variables(self.core, self.count, centred)
        if value is None:
            return None
        product = LabelledProduct.of(self.core, self.count) if centred else None
        if product is None:
            return GaussianMeanFormula(self, value)
        return _MeanWithLabel(self, value, product)

    def covariance(self, other: MeanPattern, centred: bool) -> GaussianMeanFormula | MeanPolynomial:
        """Return the covariance with another product in the same variables.

        It has no terms that cancel, but for laws with zero means (`centred`) where only these have
        a formula.
        """
        try:
            formal = product_covariance(self.core, other.core, self.count)
        except NotClosedError:
            both = pattern_of_core(self.core * other.core, self.count)
            product = (both.centred_mean if centred else None) or both._kinked_mean
            if product is None:
                # Its own words are of all variables.
                _ = both.general_mean
                raise
            means = self.mean(centred), other.mean(centred)
            return MeanPolynomial({(product,): S.One, means: S.NegativeOne})
        return GaussianMeanFormula(self, formal=formal)


class GaussianMeanFormula:
    """A Gaussian mean as a function of means, covariances and parameters, with its derivatives."""

    is_of_core = False
    """Whether it is the mean of the product of its pattern, and not a derivative of one."""

    def __init__(
        self, pattern: MeanPattern, value: Expr | None = None, formal: Expr | None = None
    ) -> None:
        self.pattern, self._formal = pattern, formal
        if value is not None:
            self.value = value
            if not self.has_ends:
                self.value = self._pairwise(without_poles_at_alignment, value)
        self._slopes: dict[Symbol, GaussianMeanFormula] = {}

    @cached_property
    def value(self) -> Expr:
        """The mean in closed form, or with a quadrature."""
        return _written(self._formal)

    @property
    def vanishes(self) -> bool:
        """Whether the mean is 0 at every law."""
        return bool((self.value if self._formal is None else self._formal) == 0)

    @cached_property
    def has_ends(self) -> bool:
        """Whether the value has functions of ends that go to infinity where two are aligned."""
        functions = _functions_of_ends(self.value)
        return (
            self.value.has(OwensT)
            or any(map(self._has_pole, functions))
            or any(map(self._is_angle_with_pole, self.value.atoms(asin)))
        )

    @cached_property
    def _ends_vanish(self) -> bool:
        """Whether the value has functions of ends that go to infinity where a variable is fixed."""
        written = self._formal is None or any(
            _has_pole_at_zero(constant, variance)
            for node in atomic_means_in(self._formal)
            for constant in ATOMS[split_atomic_mean_derivative(node)[0].func].constants.values()
            for variance in self._variances
        )
        return written and any(
            _has_pole_at_zero(part, variance)
            for part in _functions_of_ends(self.value)
            for variance in self._variances
        )

    @property
    def _variances(self) -> dict[Symbol, frozenset[Symbol]]:
        """Each variance, with the covariances of its variable with others."""
        count = range(self.pattern.count)
        return {
            covariance_symbol(i, i): frozenset(covariance_symbol(i, j) for j in count if j != i)
            for i in count
        }

    @property
    def _covariances(self) -> frozenset[Symbol]:
        pairs = combinations(range(self.pattern.count), 2)
        return frozenset(covariance_symbol(*pair) for pair in pairs)

    def _has_pole(self, part: Expr) -> bool:
        return any(
            power.exp.is_negative and self._covariances & power.base.free_symbols
            for power in part.atoms(Pow)
        )

    def _is_angle_with_pole(self, angle: Expr) -> bool:
        """Return whether an arc sine is of a quotient that is 0/0 where two are aligned."""
        return any(
            vanishes_at_alignment(power.base, covariance_symbol(i, i), covariance_symbol(j, j), c)
            for i, j in combinations(range(self.pattern.count), 2)
            if (c := covariance_symbol(i, j)) in angle.free_symbols
            for power in angle.atoms(Pow)
            if power.exp.is_negative
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
        parts: dict[Symbol, Expr] = {}
        if self.value.has(GaussianMean):
            found = with_least_widths(self.value, self._covariances)
        elif self.has_ends:
            whole = with_merged_powers(self.value, self._covariances)
            found = with_roots_beyond_alignment(with_limits(whole))
        elif self._ends_vanish:
            found = with_limits(self.value)
        else:
            whole = cancel_roots(self.value, sums=True)
            found = self._pairwise(with_limit_at_alignment, whole, parts)
        divided = self.has_ends or self.value.has(GaussianMean)
        return with_least_variances(found, self._variances, divided), parts

    def entries_in_programs(self, entries: Iterable[Expr]) -> list[Expr]:
        """Return given arguments in the form for programs."""
        variances = self._variances
        return [
            with_rounding_as_zero(entry) if x in variances else entry
            for x, entry in zip(self.arguments, entries, strict=True)
        ]

    def printed_at(
        self, entries: Iterable[Expr], named: Callable[[Expr], Expr] = lambda part: part
    ) -> Expr:
        """Return the value in the form for programs, at given arguments, with its parts named."""
        at = dict(zip(self.arguments, self.entries_in_programs(entries), strict=True))
        value, parts = self._printed
        for symbol, meaning in parts.items():
            at[symbol] = named(meaning.xreplace(at))
        return value.xreplace(at)

    def written_at(
        self, entries: Iterable[Expr], named: Callable[..., Expr], whole: bool = False
    ) -> Expr:
        """Return the value at given arguments, with its parts named.

        Parameters
        ----------
        entries : iterable of Expr
            In the order of `arguments`.
        named : callable
            Returns a symbol for an expression, and for its form in programs, if that is another.
        whole : bool, optional
            Whether to name the arguments and the value, too, in place of expanding it.
        """
        entries = tuple(entries)
        at = dict(zip(self.arguments, entries, strict=True))
        if self._formal is None or self._ends_vanish:
            value = self.value.xreplace(at)
            return named(value, self.printed_at(entries, named))
        variances = self._variances
        parts = {
            node: _atom_at(node, at, named, variances) for node in atomic_means_in(self._formal)
        }
        if not whole:
            return expand(self._formal.xreplace(parts).xreplace(at))
        return named(self._formal.xreplace(parts).xreplace({x: named(e) for x, e in at.items()}))

    @cached_property
    def program(self) -> Program:
        """The program that computes the mean from its arguments."""
        value, parts = self._printed
        value = with_quotients_at_alignment(value, parts)
        return program_from_expressions([value], self.arguments, (), given=parts)

    @cached_property
    def arguments(self) -> tuple[Symbol, ...]:
        """The symbols that the mean depends on: means, covariances and parameters."""
        found = self.value.free_symbols if self._formal is None else _symbols_in(self._formal)
        return tuple(sorted(found, key=lambda s: s.name))

    def slope(self, argument: Symbol) -> GaussianMeanFormula:
        """Return the mean's partial derivative in one of its symbols, as a parametric mean."""
        if argument not in self._slopes:
            formal: Expr | None = None
            count = self.pattern.count
            if self._formal is not None and argument in mean_and_covariance_symbols(count):
                formal = derivatives_in_law_entries(self._formal, count).get(argument, S.Zero)
            value = self.value.diff(argument) if formal is None else None
            self._slopes[argument] = GaussianMeanFormula(self.pattern, value, formal)
        return self._slopes[argument]


class _MeanWithLabel(GaussianMeanFormula):
    """The mean of a product with a sign, by quadrature, with derivatives at alignment, too."""

    def __init__(self, pattern: MeanPattern, value: Expr, product: LabelledProduct) -> None:
        super().__init__(pattern, value)
        self._product = product
        count = range(pattern.count)
        self._places = {covariance_symbol(i, j): (i, j) for i in count for j in count if i <= j}

    def slope(self, argument: Symbol) -> GaussianMeanFormula:
        """Return the mean's partial derivative in one of its symbols."""
        if argument not in self._places:
            return super().slope(argument)
        if argument not in self._slopes:
            terms = self._product.slope(*self._places[argument])
            means = [pattern_of_core(term.core, term.variables).mean(True) for term in terms]
            if len(terms) == 1 and terms[0].coefficient == 1 and not terms[0].law:
                self._slopes[argument] = means[0]
            else:
                parts = zip(terms, means, strict=True)
                total = Add(*(t.coefficient * mean.value.xreplace(t.law) for t, mean in parts))
                self._slopes[argument] = GaussianMeanFormula(self.pattern, total)
        return self._slopes[argument]


class KinkedMeanFormula(GaussianMeanFormula):
    """The mean of a function with kinks of two variables, whose slopes are means themselves."""

    def slope(self, argument: Symbol) -> GaussianMeanFormula:
        """Return the mean's partial derivative in one of its symbols, as a parametric mean."""
        if argument not in self._slopes:
            try:
                core = derivative_in_law(self.pattern.core, argument, self.pattern.count)
            except ValueError as problem:
                raise NotClosedError(
                    f"no closed form is known of the slopes of the mean of {self.pattern.core}: "
                    f"{problem}; m.check samples tokens for any function"
                ) from None
            if core is None:
                return super().slope(argument)
            pattern = pattern_of_core(core, self.pattern.count)
            value = mean_at_kink(core, pattern.law)
            self._slopes[argument] = (
                pattern.mean(centred=False)
                if value is None
                else GaussianMeanFormula(pattern, value)
            )
        return self._slopes[argument]


class MeanPolynomial:
    """A polynomial in Gaussian means, as a function of their law: the covariance of two products.

    `terms` has the coefficient of each product of means.
    """

    def __init__(self, terms: Mapping[tuple[GaussianMeanFormula, ...], Expr]) -> None:
        self.terms = {means: c for means, c in terms.items() if not any(m.vanishes for m in means)}

    @property
    def vanishes(self) -> bool:
        """Whether there are no terms."""
        return not self.terms

    @cached_property
    def value(self) -> Expr:
        """The polynomial as an expression."""
        return Add(*(c * Mul(*(m.value for m in means)) for means, c in self.terms.items()))

    @cached_property
    def arguments(self) -> tuple[Symbol, ...]:
        """The symbols that one of the means depends on."""
        found = {x for means in self.terms for mean in means for x in mean.arguments}
        return tuple(sorted(found, key=lambda s: s.name))

    def slope(self, argument: Symbol) -> MeanPolynomial:
        """Return the partial derivative in a symbol."""
        terms: dict[tuple[GaussianMeanFormula, ...], Expr] = {}
        for means, c in self.terms.items():
            for i, mean in enumerate(means):
                if argument in mean.arguments:
                    moved = (*means[:i], mean.slope(argument), *means[i + 1 :])
                    terms[moved] = terms.get(moved, S.Zero) + c
        return MeanPolynomial(terms)

    def written_at(
        self, entries: Iterable[Expr], named: Callable[..., Expr], whole: bool = False
    ) -> Expr:
        """Return the value at given arguments, as `GaussianMeanFormula.written_at` does."""
        at = dict(zip(self.arguments, entries, strict=True))

        def written(mean: GaussianMeanFormula) -> Expr:
            return mean.written_at([at[x] for x in mean.arguments], named, whole)

        return expand(Add(*(c * Mul(*map(written, means)) for means, c in self.terms.items())))

    def printed_at(
        self, entries: Iterable[Expr], named: Callable[[Expr], Expr] = lambda part: part
    ) -> Expr:
        """Return the value in the form for programs, as `GaussianMeanFormula.printed_at` does."""
        at = dict(zip(self.arguments, entries, strict=True))

        def printed(mean: GaussianMeanFormula) -> Expr:
            return mean.printed_at([at[x] for x in mean.arguments], named)

        return Add(*(c * Mul(*map(printed, means)) for means, c in self.terms.items()))


@cache
def mean_and_covariance_symbols(count: int) -> frozenset[Symbol]:
    """Return the set of the fixed symbols m_i, c_i_j of `count` variables."""
    means = {mean_symbol(i) for i in range(count)}
    return frozenset(means | {covariance_symbol(i, j) for i in range(count) for j in range(count)})


def _functions_of_ends(value: Expr) -> set[Expr]:
    found: set[Expr] = value.atoms(erf, exp, normal_cdf, OwensT)
    return found


def _has_pole_at_zero(part: Expr, variance: Symbol) -> bool:
    """Return whether a part is divided by a power of what vanishes with a variance."""
    return any(
        power.exp.is_negative
        and variance in power.base.free_symbols
        and power.base.subs(variance, 0) == 0
        for power in part.atoms(Pow)
    )


def _written(formal: Expr) -> Expr:
    """Replace the symbols of atomic means in an expression by their closed forms."""
    found = {}
    for node in atomic_means_in(formal):
        function, orders = split_atomic_mean_derivative(node)
        atom = ATOMS[function.func]
        found[node] = differentiate_closed_form(atom.closed, orders).xreplace(atom.constants)
    return formal.xreplace(found)


def _symbols_in(formal: Expr) -> set[Symbol]:
    """Return the symbols that an expression in atomic means depends on."""
    found = set(formal.free_symbols)
    for node in atomic_means_in(formal):
        atom = ATOMS[split_atomic_mean_derivative(node)[0].func]
        found |= atom.closed.free_symbols.union(*(e.free_symbols for e in atom.constants.values()))
        found -= atom.constants.keys()
    return found


def _atom_at(
    node: Expr,
    at: Mapping[Symbol, Expr],
    named: Callable[..., Expr],
    variances: Mapping[Symbol, frozenset[Symbol]],
) -> Expr:
    """Return the name of an atomic mean, or of its derivative, at given entries of the law."""
    function, orders = split_atomic_mean_derivative(node)
    atom = ATOMS[function.func]

    def both(expr: Expr) -> tuple[Expr, Expr]:
        return expr.xreplace(at), with_least_variances(expr, variances).xreplace(at)

    constants = {c: named(*both(e)) for c, e in atom.constants.items()}
    closed = differentiate_closed_form(atom.closed, orders)
    return named(*both(closed.xreplace(constants)))
