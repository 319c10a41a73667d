r"""Means of products of the gradients of one sample, by which single samples make runs fluctuate.

A sample with the error :math:`e = \sum_l D_l + \xi` has in x the gradient :math:`2 e \sum_l
\partial_x D_l X_l`. Products of such gradients with fixed vectors and with each other are products
of sums over tokens, which are independent given their roles. A mean is a sum over the ways in which
the factors may belong to the same token or to different ones; each way has a product of means of
one token. The noise :math:`\xi` is normal.

Of another loss D of one token the gradient in x is :math:`\partial_x D\,X`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from itertools import combinations_with_replacement, product
from math import factorial
from typing import Any, NamedTuple, TypeAlias

from sympy import Add, Expr, Mul, S, Symbol, binomial, factorial2, ff
from sympy.utilities.iterables import multiset_partitions

from slrsym.models.definition.projections import TokenRole
from slrsym.models.definition.specification import Direction, NotClosedError
from slrsym.models.means.mean_patterns import ONE, MeanPattern, ProductFactors, Z
from slrsym.models.means.one_sample_means import EMPTY_PRODUCT, OneSampleMeans, ProductTerm

# Means of products of functions of one token, of all covariances.
MOST_PATTERNS = 100


class GradientAlong(NamedTuple):
    """The inner product of y in an eigenspace with a sample's gradient in x; y is None of scalars.

    Such products are of first order in the learning rates.
    """

    x: Direction | Symbol
    y: Direction | None
    space: int


class GradientPair(NamedTuple):
    """The inner product of a sample's gradients in two directions, over d."""

    x: Direction
    y: Direction


SampleProduct: TypeAlias = GradientAlong | GradientPair


class SampleProductNames:
    """Symbols of products of one sample's gradients, in place of their means in `OneSampleMeans`.

    With them rates of change are changes by one sample.
    """

    def __init__(self) -> None:
        self.products: dict[Symbol, SampleProduct] = {}

    def risk(self) -> Expr:
        """Return 0 in place of the risk, which changes do not need."""
        return S.Zero

    def gradient(self, i: Direction, y: Direction, space: int) -> Expr:
        """Return the symbol of the inner product of y with the gradient in direction `i`."""
        return self._named(GradientAlong(i, y, space))

    def slope_in_scalar(self, s: Symbol) -> Expr:
        """Return the symbol of the derivative of the squared error in a trained scalar."""
        return self._named(GradientAlong(s, None, 0))

    def second_moment(self, i: Direction, j: Direction) -> Expr:
        """Return the symbol of the inner product of the gradients in i and in j, over d."""
        first, second = sorted((i, j), key=lambda x: x.name)
        return self._named(GradientPair(first, second))

    def _named(self, value: SampleProduct) -> Symbol:
        name = Symbol("_".join(map(str, (type(value).__name__, *value))), real=True)
        self.products[name] = value
        return name


class GradientProducts:
    """Covariances of products of one sample's gradients, in symbols of moments."""

    def __init__(self, samples: OneSampleMeans) -> None:
        self.samples = samples
        self._known: dict[Any, Expr] = {}

    def require_few_means(self, pairs: Iterable[tuple[SampleProduct, SampleProduct]]) -> None:
        """Raise NotClosedError if covariances of these need too many means of one token.

        Means of polynomials, which are quick, do not count.
        """
        needed = {pattern for pair in pairs for pattern in self._patterns(pair)}
        count = sum(1 for pattern in needed if not pattern.core.is_polynomial())
        if count > MOST_PATTERNS:
            raise NotClosedError(
                f"fluctuations need {count} means of products of functions of a token here, more "
                f"than {MOST_PATTERNS}, which take long to derive. State a predictor of fewer "
                "units, or of polynomials, whose means have no such limit"
            )

    def _patterns(self, parts: tuple[SampleProduct, ...]) -> Iterator[MeanPattern]:
        """Yield the means of a product where one token has all factors, without deriving any."""
        samples = self.samples
        errors = count_errors(parts) if samples.model.loss is None else 0
        for role in {role: None for roles, _ in samples.cases for role, _ in roles}:
            sums = self._factors(role, parts)
            for power in range(errors % 2, errors + 1, 2):
                error = _power(samples._error(role), power)
                for term in reduce(samples._times, sums, error):
                    yield samples._pattern(role, term)[0]

    def covariance(self, one: SampleProduct, other: SampleProduct) -> Expr:
        """Return the covariance of two products, over tokens, their roles and the noise."""
        key = frozenset({one, other})
        if key not in self._known:
            both = self._mean_of_product((one, other))
            self._known[key] = both - self._mean(one) * self._mean(other)
        return self._known[key]

    def _mean(self, of: SampleProduct) -> Expr:
        if isinstance(of, GradientPair):
            return self.samples.second_moment(of.x, of.y)
        if isinstance(of.x, Symbol):
            return self.samples.slope_in_scalar(of.x)
        assert of.y is not None
        return self.samples.gradient(of.x, of.y, of.space)

    def _mean_of_product(self, parts: tuple[SampleProduct, ...]) -> Expr:
        if self.samples.model.loss is not None:
            # A loss other than the square is of one token, and its gradients have no error.
            return Add(
                *(p * self._of_token(role, parts)
                  for roles, p in self.samples.cases for role, _ in roles)
            )  # fmt: skip
        errors = count_errors(parts)
        noise, total = self.samples.model.data.noise, S.Zero
        for power in range(0, errors + 1, 2):
            weight = binomial(errors, power) * factorial2(power - 1) * noise**power
            if weight != 0:
                total += weight * Add(
                    *(p * self._of_sums(roles, errors - power, parts)
                      for roles, p in self.samples.cases)
                )  # fmt: skip
        return 2**errors * total

    def _of_sums(
        self, roles: list[tuple[TokenRole, Expr]], errors: int, parts: tuple[SampleProduct, ...]
    ) -> Expr:
        """Return the mean of a power of the error without noise, times sums over tokens."""
        factors: list[SampleProduct | None] = [*[None] * errors, *parts]
        total, tokens = S.Zero, Add(*(count for _, count in roles))
        for blocks in multiset_partitions(list(range(len(factors)))):
            if tokens.is_number and len(blocks) > tokens:
                continue
            for of in product(roles, repeat=len(blocks)):
                ways = Mul(*(ff(count, of.count((role, count))) for role, count in roles))
                for (role, _), block in zip(of, blocks, strict=True):
                    if ways == 0:
                        break
                    ways *= self._of_token(role, tuple(factors[i] for i in block))
                total += ways
        return total

    def _of_token(self, role: TokenRole, factors: tuple[SampleProduct | None, ...]) -> Expr:
        """Return the mean of a product of what one token adds to sums; None is its error."""
        key = (role, factors)
        if key not in self._known:
            samples, rest = self.samples, [part for part in factors if part is not None]
            error = _power(samples._error(role), len(factors) - len(rest))
            sums = [error, *self._factors(role, rest)]
            name = (role, "product", factors)
            self._known[key] = samples._moment(name, role, frozenset(), sums, 0)
        return self._known[key]

    def _factors(self, role: TokenRole, parts: Iterable[SampleProduct]) -> list[list[ProductTerm]]:
        """Return what a token adds to each gradient of a product, and its variance of pairs."""
        found = []
        for part in parts:
            if isinstance(part, GradientPair):
                variance = ProductTerm(role.token.eigenvalues[0], frozenset(), ONE)
                both = (self.samples._derivative(role, x) for x in (part.x, part.y))
                found += [*both, [variance]]
            else:
                found.append(self._gradient_along(role, part))
        return found

    def _gradient_along(self, role: TokenRole, part: GradientAlong) -> list[ProductTerm]:
        """Return the inner product of y with the gradient in x of what a token adds."""
        slope = self.samples._derivative(role, part.x)
        if part.y is None:
            return slope
        assert isinstance(part.x, Direction)
        weight = ProductFactors((((part.y, self.samples._space(part.space)), Z),), S.One)
        found = self.samples._times(slope, [ProductTerm(S.One, frozenset(), weight)])
        for p, along in self.samples.explicit_parts(part.x, part.y, part.space):
            found += [
                term._replace(coefficient=along * term.coefficient)
                for term in self.samples._derivative(role, p)
            ]
        return found


def count_errors(parts: Iterable[SampleProduct]) -> int:
    """Return the power of the error in a product of gradients of a squared error."""
    return sum(1 if isinstance(part, GradientAlong) else 2 for part in parts)


def _power(parts: list[ProductTerm], exponent: int) -> list[ProductTerm]:
    """Return a power of a sum of products, without equal terms twice."""
    found = []
    for some in combinations_with_replacement(range(len(parts)), exponent):
        ways = factorial(exponent)
        for i in set(some):
            ways //= factorial(some.count(i))
        term = EMPTY_PRODUCT._replace(coefficient=S(ways))
        for i in some:
            (term,) = OneSampleMeans._times([term], [parts[i]])
        found.append(term)
    return found
