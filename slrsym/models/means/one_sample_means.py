r"""Means over one fresh sample that occur in equations of motion, by the law of its tokens.

The error of a sample is :math:`e = \sum_l D_l + \xi`, for what the tokens add to the target minus
the prediction. Given their roles, tokens are independent, so a mean of the square of e, or of its
gradient, is a polynomial in means of one token each: of D, of :math:`D\,\partial D\,Y` for a
projection Y, and so on. These are the `MomentSum`\ s: sums of patterns at the laws of their
variables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, NamedTuple, TypeAlias

from sympy import Add, Expr, Matrix, S, Symbol, expand, factor

from slrsym.gaussian import GaussianLaw
from slrsym.models.definition.exchangeable_units import (
    UnitTag,
    count_represented_terms,
    unit_tags_in,
)
from slrsym.models.definition.projections import ProjectionLaws, TokenRole
from slrsym.models.definition.specification import Direction, softmax
from slrsym.models.means.affine_forms import with_forms_as_variables
from slrsym.models.means.jumps import derivative_across_jumps, with_means_at_jumps
from slrsym.models.means.label_means import law_of_matrix, terms_by_label
from slrsym.models.means.mean_patterns import (
    ONE,
    GaussianMeanFormula,
    MeanPattern,
    MeanPolynomial,
    ProductFactors,
    Z,
    factorise_product,
    pattern_of_core,
    pattern_of_product,
)
from slrsym.models.means.means_at_places import SlopeTerm, terms_of_slope
from slrsym.models.means.moments import (
    covariance_symbol,
    expand_into_coefficient_pairs,
    mean_symbol,
)


class ProductTerm(NamedTuple):
    """A coefficient times a product of functions of projections, with tags of its summed units."""

    coefficient: Expr
    tags: frozenset[Symbol]
    product: ProductFactors


EMPTY_PRODUCT = ProductTerm(S.One, frozenset(), ONE)


Mean: TypeAlias = GaussianMeanFormula | MeanPolynomial


@dataclass
class MomentSum:
    """A sum of coefficients times Gaussian means, each at given means and covariances."""

    terms: dict[tuple[Mean, tuple[Expr, ...]], Expr] = field(default_factory=dict)

    def add(self, mean: Mean, entries: tuple[Expr, ...], coefficient: Expr) -> None:
        """Add a coefficient times a Gaussian mean at given entries of the law."""
        if coefficient != 0 and not mean.vanishes:
            key = (mean, entries)
            self.terms[key] = self.terms.get(key, S.Zero) + coefficient
            if self.terms[key] == 0:
                del self.terms[key]

    def expression(self) -> Expr:
        """Return the moment sum as one SymPy expression."""
        return Add(
            *(
                c * mean.value.xreplace(dict(zip(mean.arguments, entries, strict=True)))
                for (mean, entries), c in self.terms.items()
            )
        )

    def printed(self) -> Expr:
        """Return the moment sum in the form for programs."""
        terms = self.terms.items()
        return Add(*(c * mean.printed_at(entries) for (mean, entries), c in terms))

    def written(self, named: Callable[..., Expr], whole: bool = False) -> Expr:
        """Return the moment sum with its parts named, as `GaussianMeanFormula.written_at` does."""
        terms = self.terms.items()
        return Add(*(c * mean.written_at(entries, named, whole) for (mean, entries), c in terms))

    def slope(self, x: Symbol) -> MomentSum:
        """Return the partial derivative of a moment sum in a symbol, as a moment sum."""
        found = MomentSum()
        for (mean, entries), c in self.terms.items():
            if x in c.free_symbols:
                found.add(mean, entries, c.diff(x))
            for argument, entry in zip(mean.arguments, entries, strict=True):
                if x not in entry.free_symbols:
                    continue
                values = dict(zip(mean.arguments, entries, strict=True))
                for part in _terms_of_slope(mean, argument):
                    law = {a: e.xreplace(values) for a, e in part.law.items()}
                    at = tuple(law.get(a, values.get(a, a)) for a in part.mean.arguments)
                    found.add(part.mean, at, c * part.coefficient.xreplace(values) * entry.diff(x))
        return found


def _terms_of_slope(mean: Mean, argument: Symbol) -> list[SlopeTerm]:
    if isinstance(mean, MeanPolynomial):
        return [SlopeTerm(S.One, mean.slope(argument), {})]
    return terms_of_slope(mean, argument)


def total_derivative(expr: Expr, p: Symbol, means: Any) -> Expr:
    """Return the total derivative in `p` of an expression in moments, which depend on `p`, too."""
    total = expr.diff(p)
    for name in sorted(expr.free_symbols & means.moments.keys(), key=str):
        total += expr.diff(name) * means.moment_derivative_symbol(name, p)
    return total


class OneSampleMeans:
    """Means over one sample of products of the error and its derivatives, found on first use."""

    def __init__(self, model: ProjectionLaws) -> None:
        if any(error.has(softmax) for error, _ in model.shares.values()):
            raise ValueError(
                "equations are for predictors that are sums over tokens; softmax is none. Use "
                "simulate, which runs descent on its exact risk"
            )
        for pair, tau in model.data.correlation.items():
            names = " and ".join(sorted(token.name for token in pair))
            raise ValueError(
                f"equations are for tokens whose noises are independent; those of {names} have the "
                f"correlation {tau}. Use simulate, which runs descent on the exact risk"
            )
        self.model = model
        self.moments: dict[Symbol, MomentSum] = {}
        self.cases = [(list(counts.values()), p) for counts, p in model.role_count_cases()]
        self._known: dict[Any, Expr] = {}
        self._parts: dict[Any, list[ProductTerm]] = {}
        self._laws: dict[Any, Expr] = {}

    # -- sums over roles -----------------------------------------------------------------------

    def risk(self) -> Expr:
        """Return the mean squared error, noise included, in symbols of moments."""
        total: Expr = self.model.data.noise**2
        for roles, probability in self.cases:
            variances = (n * (self._square(r) - self._mean(r) ** 2) for r, n in roles)
            total += probability * (Add(*variances) + self._bias(roles) ** 2)
        return total

    def mean_square(self) -> Expr:
        """Return the mean squared error of data of one token, but for the noise, as one moment."""
        moment = MomentSum()
        for ((role, _),), probability in self.cases:
            for part in self._squared(self._error(role)):
                self._add(moment, role, part, frozenset(), probability)
        return self._named(moment)

    def gradient(self, i: Direction, y: Direction, space: int) -> Expr:
        """Return the mean inner product of y with the squared error's gradient in direction `i`."""
        weight = ProductFactors((((y, self._space(space)), Z),), S.One)
        found = self._slope(i, weight, (i, y, space), self._tags(i, y))
        for p, along in self.explicit_parts(i, y, space):
            found += along * self.slope_in_scalar(p)
        return found

    def explicit_parts(self, i: Direction, y: Direction, space: int) -> list[tuple[Symbol, Expr]]:
        """Return the inner products in shares that the gradient in `i` has a part of.

        Beside each is what the inner product of its own gradient with y is.
        """
        found = []
        for p, (a, b, a_space) in self.model.products_in_shares.items():
            ends = [other for one, other in ((a, b), (b, a)) if one is i and a_space == space]
            if ends:
                found.append((p, Add(*(self.model.inner_product(z, y, space) for z in ends))))
        return found

    def slope_in_scalar(self, s: Symbol) -> Expr:
        """Return the mean of the derivative of the squared error in a trained scalar."""
        return self._slope(s, ONE, (s,), frozenset())

    def _slope(
        self,
        x: Direction | Symbol,
        weight: ProductFactors,
        name: tuple[Any, ...],
        fixed: frozenset[Symbol],
    ) -> Expr:
        total: Expr = S.Zero
        for roles, probability in self.cases:
            for role, count in roles:
                first = [self._derivative(role, x), [ProductTerm(S.One, frozenset(), weight)]]
                part = self._moment((role, "D", *name), role, fixed, first, 1)
                others = self._bias(roles) - self._mean(role)
                if others != 0:
                    part += others * self._moment((role, *name), role, fixed, first, 0)
                total += 2 * probability * count * part
        return total

    def second_moment(self, i: Direction, j: Direction) -> Expr:
        r"""Return the mean inner product of one sample's gradients in i and in j, divided by d.

        In high dimension tokens are orthogonal to each other, and the square of the length of one,
        over d, is the variance that it has in almost all directions.
        """
        total: Expr = S.Zero
        fixed = self._tags(i, j)
        for roles, probability in self.cases:
            bias = self._bias(roles)
            spread = Add(
                self.model.data.noise**2,
                *(n * (self._square(r) - self._mean(r) ** 2) for r, n in roles),
            )
            for role, count in roles:
                both = [self._derivative(role, i), self._derivative(role, j)]
                part = self._moment((role, "DD", i, j), role, fixed, both, 2)
                mean = self._mean(role)
                others, rest = bias - mean, spread - self._square(role) + mean**2
                if others != 0:
                    both_and = self._moment((role, "D", i, j), role, fixed, both, 1)
                    part += 2 * others * both_and
                if others != 0 or rest != 0:
                    alone = self._moment((role, i, j), role, fixed, both, 0)
                    part += (rest + others**2) * alone
                total += 4 * probability * count * role.token.eigenvalues[0] * part
        return total

    def require_few_second_moments(self) -> None:
        """Raise an error if second moments need too many means; of sums over tokens they do not."""

    def _bias(self, roles: Iterable[tuple[TokenRole, Expr]]) -> Expr:
        return Add(*(n * self._mean(r) for r, n in roles))

    def moment_derivative_symbol(self, name: Symbol, x: Symbol) -> Expr:
        """Return the symbol of a moment's partial derivative, or 0 if the derivative vanishes."""
        if (name, x) not in self._known:
            self._known[name, x] = self._named(self.moments[name].slope(x))
        return self._known[name, x]

    # -- one role ------------------------------------------------------------------------------

    def _mean(self, role: TokenRole) -> Expr:
        return self._moment((role, "D"), role, frozenset(), [], 1)

    def _square(self, role: TokenRole) -> Expr:
        return self._moment((role, "DD"), role, frozenset(), [], 2)

    def _space(self, space: int) -> int | None:
        return None if self.model.spaces == 1 else space

    def _tags(self, *directions: Direction) -> frozenset[Symbol]:
        if not self.model.uses_representatives:
            return frozenset()
        groups = [x.group for x in directions if x.group is not None]
        return frozenset(UnitTag(group.count, i) for group, i in groups)

    def _error(self, role: TokenRole) -> list[ProductTerm]:
        if (role, None) not in self._parts:
            error = with_means_at_jumps(role.share)
            parts = (
                role.error
                if error is role.share
                else expand_into_coefficient_pairs(error, role.symbols)
            )
            self._parts[role, None] = self._split(role, parts)
        return self._parts[role, None]

    def _derivative(self, role: TokenRole, x: Direction | Symbol) -> list[ProductTerm]:
        if (role, x) not in self._parts:
            variable = role.symbol_of.get(x) if isinstance(x, Direction) else x
            slope = S.Zero if variable is None else derivative_across_jumps(role.share, variable)
            self._parts[role, x] = self._split(
                role, expand_into_coefficient_pairs(slope, role.symbols)
            )
        return self._parts[role, x]

    def _split(self, role: TokenRole, terms: Iterable[tuple[Expr, Expr]]) -> list[ProductTerm]:
        variables_of = {s: (x, None) for x, s in role.symbol_of.items()}
        found = []
        for coefficient, core in terms:
            if unit_tags_in(core):
                raise ValueError(
                    "a sum over exchangeable units must stand outside of functions of projections; "
                    f"got {core}"
                )
            tags = unit_tags_in(coefficient)
            plain = coefficient.xreplace(dict.fromkeys(tags, S.One))
            found.append(ProductTerm(plain, tags, factorise_product(core, variables_of)))
        return found

    @staticmethod
    def _times(first: list[ProductTerm], second: list[ProductTerm]) -> list[ProductTerm]:
        return [
            ProductTerm(a.coefficient * b.coefficient, a.tags | b.tags, a.product * b.product)
            for a in first
            for b in second
        ]

    @staticmethod
    def _squared(parts: list[ProductTerm]) -> list[ProductTerm]:
        both = [(a, b, 1 if a is b else 2) for i, a in enumerate(parts) for b in parts[i:]]
        return [
            ProductTerm(n * a.coefficient * b.coefficient, a.tags | b.tags, a.product * b.product)
            for a, b, n in both
        ]

    def _moment(
        self,
        name: tuple[Any, ...],
        role: TokenRole,
        fixed: frozenset[Symbol],
        factors: list[list[ProductTerm]],
        power: int,
    ) -> Expr:
        """Return the symbol of the mean of a product of sums and a power of the error.

        It is 0 if the mean vanishes.
        """
        if name in self._known:
            return self._known[name]
        error = self._error(role)
        powers = {0: [], 1: [error], 2: [self._squared(error)]}
        moment = MomentSum()
        for part in reduce(self._times, [*factors, *powers[power]], [EMPTY_PRODUCT]):
            self._add(moment, role, part, fixed)
        self._known[name] = self._named(moment)
        return self._known[name]

    @staticmethod
    def _pattern(role: TokenRole, part: ProductTerm) -> tuple[MeanPattern, tuple[Any, ...]]:
        """Return the pattern of a product of a token's projections, and its variables in order."""
        symbol_of = {(x, None): s for x, s in role.symbol_of.items()}
        return pattern_of_product(part.product, symbol_of)

    def _named(self, moment: MomentSum) -> Expr:
        if not moment.terms:
            return S.Zero
        if self.model.uses_representatives:
            moment.terms = {key: factor(c) for key, c in moment.terms.items()}
        symbol = Symbol(f"moment_{len(self.moments)}", real=True)
        self.moments[symbol] = moment
        return symbol

    def _add(
        self,
        moment: MomentSum,
        role: TokenRole,
        part: ProductTerm,
        fixed: frozenset[Symbol],
        share: Expr = S.One,
    ) -> None:
        pattern, order = self._pattern(role, part)
        law = {mean_symbol(i): self._projection_mean(role, v) for i, v in enumerate(order)}
        centred = all(m == 0 for m in law.values())
        for i, v in enumerate(order):
            for j, w in enumerate(order[i:], i):
                law[covariance_symbol(i, j)] = self._projection_covariance(role, v, w)
        weight = count_represented_terms(part.tags, fixed) if part.tags else S.One
        weight *= share * part.coefficient
        cov = Matrix(len(order), len(order), lambda i, j: law[covariance_symbol(i, j)])
        terms = terms_by_label(pattern.core, cov) if centred else None
        for term in terms or ():
            mean = pattern_of_core(term.core, term.cov.rows).mean(not any(term.means))
            at = law_of_matrix(term.cov, term.means)
            entries = tuple(at.get(a, a) for a in mean.arguments)
            moment.add(mean, entries, weight * term.coefficient)
        if terms is not None:
            return
        by_forms = with_forms_as_variables(pattern.core, len(order))
        if by_forms is not None:
            core, rows = by_forms
            pattern = pattern_of_core(core, rows.rows)
            means = rows * Matrix([law[mean_symbol(i)] for i in range(len(order))])
            law = law_of_matrix((rows * cov * rows.T).applyfunc(expand), tuple(means))
        mean = pattern.mean(centred)
        moment.add(mean, tuple(law.get(a, a) for a in mean.arguments), weight)

    # -- laws ----------------------------------------------------------------------------------

    def projection_law(self, role: TokenRole, symbols: Mapping[Any, Symbol]) -> GaussianLaw:
        """Return the joint law of a token's projections, named by the given symbols."""
        return GaussianLaw(
            {s: self._projection_mean(role, v) for v, s in symbols.items()},
            [[self._projection_covariance(role, v, w) for w in symbols] for v in symbols],
        )

    def _projection_mean(self, role: TokenRole, variable: tuple[Direction, int | None]) -> Expr:
        """Return the mean of a projection on a direction, in one eigenspace or (None) in all."""
        x, space = variable
        key = (role.token, variable)
        if key not in self._laws:
            self._laws[key] = self.model.mean_of(role.token, x, self._within(space))
        return self._laws[key]

    def _within(self, space: int | None) -> Callable[..., Expr]:
        """Return a function for inner products in one eigenspace, which is 0 for the others."""

        def inner(x: Direction, y: Direction, a: int = 0) -> Expr:
            return self.model.inner_product(x, y, a) if space in (None, a) else S.Zero

        return inner

    def _projection_covariance(self, role: TokenRole, one: Any, other: Any) -> Expr:
        key = (role.token, one, other)
        if key not in self._laws:
            (x, a), (y, b) = one, other
            space = b if a is None else a
            found = self.model.covariance_of(role.token, x, y, self._within(space))
            self._laws[key] = self._laws[role.token, other, one] = found
        return self._laws[key]
