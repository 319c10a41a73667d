r"""Means over one sample if the prediction is a polynomial of several sums over tokens.

With the error :math:`e(S_1, \dots, S_m, y)`, a polynomial in the sums and the target, the gradient
of :math:`(e + \xi)^2` in x is :math:`2 (e + \xi) \sum_a \partial_a e \sum_l \partial_x s_a(X_l)
X_l`. So each mean is one of a product of sums over tokens, which are independent given their roles:
the token with which the first sum begins may be one of any role, and takes some of the other sums
with it; what is left is a mean over the other tokens.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations_with_replacement, product
from math import comb
from typing import Any, NamedTuple, TypeAlias

from sympy import Expr, Mul, Poly, S, Symbol, binomial, factorial2

from slrsym.models.definition.projections import ProjectionLaws, TokenRole
from slrsym.models.definition.specification import Direction, NotClosedError
from slrsym.models.means.gradient_products import (
    GradientAlong,
    GradientPair,
    GradientProducts,
    SampleProduct,
    count_errors,
)
from slrsym.models.means.jumps import derivative_across_jumps
from slrsym.models.means.mean_patterns import ONE, ProductFactors, Z
from slrsym.models.means.moments import expand_into_coefficient_pairs
from slrsym.models.means.one_sample_means import OneSampleMeans, ProductTerm

# Of one token, for all products of two gradients, or for all covariances of products.
MOST_MEANS = 500


class Summand(NamedTuple):
    """What one token adds to a sum: a share, or a derivative of one, or a product of derivatives.

    `number` is that of the share, `x` what it is differentiated in, and `y` the direction of a
    projection that it is multiplied by. A product has the pair of each.
    """

    number: int
    x: Any = None
    y: Any = None


Pair: TypeAlias = tuple[Summand, Summand]


class ReadoutMeans(OneSampleMeans):
    """Means over one sample of the squared error of a readout, and of products of its gradients."""

    def __init__(self, model: ProjectionLaws) -> None:
        super().__init__(model)
        assert model.readout_error is not None
        self.error = model.readout_error
        self.sums = model.sum_symbols

    def risk(self) -> Expr:
        """Return the mean squared error, noise included, in symbols of moments."""
        return self.model.data.noise**2 + self._mean_of(self.error**2, ())

    def gradient(self, i: Direction, y: Direction, space: int) -> Expr:
        """Return the mean inner product of y with the squared error's gradient in direction `i`."""
        return self.mean_of_product((GradientAlong(i, y, space),))

    def slope_in_scalar(self, s: Symbol) -> Expr:
        """Return the mean of the derivative of the squared error in a trained scalar."""
        return self.mean_of_product((GradientAlong(s, None, 0),))

    def second_moment(self, i: Direction, j: Direction) -> Expr:
        """Return the mean inner product of one sample's gradients in i and in j, divided by d."""
        return self.mean_of_product((GradientPair(i, j),))

    def mean_of_product(self, parts: tuple[SampleProduct, ...]) -> Expr:
        """Return the mean of a product of what gradients of one sample give."""
        if parts in self._known:
            return self._known[parts]
        errors = count_errors(parts)
        noise, total = self.model.data.noise, S.Zero
        for power in range(0, errors + 1, 2):
            weight = binomial(errors, power) * factorial2(power - 1) * noise**power
            if weight == 0:
                continue
            for slopes, more in self._factors(parts):
                total += weight * self._mean_of(self.error ** (errors - power) * slopes, more)
        self._known[parts] = 2**errors * total
        return self._known[parts]

    def _factors(
        self, parts: tuple[SampleProduct, ...]
    ) -> Iterator[tuple[Expr, tuple[Summand | Pair, ...]]]:
        """Yield the terms of a product but for errors: polynomials in the sums, times more sums."""
        choices = [self._with_pairs(p) if isinstance(p, GradientPair) else self._along(p)
                   for p in parts]  # fmt: skip
        for chosen in product(*choices):
            more = (summand for _, summand in chosen if summand is not None)
            yield Mul(*(slope for slope, _ in chosen)), tuple(more)

    def _along(self, part: GradientAlong) -> list[tuple[Expr, Summand | None]]:
        """Return the terms of half a gradient's product with y, but for the error.

        Each is a polynomial in the sums times a sum over tokens.
        """
        y = None if part.y is None else (part.y, self._space(part.space))
        found: list[tuple[Expr, Summand | None]] = [
            (self.error.diff(s), Summand(a, part.x, y)) for a, s in enumerate(self.sums)
        ]
        if part.y is None:
            return [*found, (self.error.diff(part.x), None)]
        assert isinstance(part.x, Direction)
        for p, along in self.explicit_parts(part.x, part.y, part.space):
            inside = self._along(GradientAlong(p, None, 0))
            found += [(along * slope, summand) for slope, summand in inside]
        return found

    def _with_pairs(self, part: GradientPair) -> list[tuple[Expr, Any]]:
        """Return the same of a quarter of the product of two gradients, over d."""
        slopes = [self.error.diff(s) for s in self.sums]
        return [
            (slopes[a] * slopes[b], (Summand(a, part.x), Summand(b, part.y)))
            for a in range(len(slopes))
            for b in range(len(slopes))
        ]

    def require_few_second_moments(self) -> None:
        """Raise NotClosedError if second moments of gradients need too many means of one token."""
        trained = combinations_with_replacement(self.model.trained_directions, 2)
        self.require_few_means((GradientPair(x, y),) for x, y in trained)

    def require_few_means(self, products: Iterable[tuple[SampleProduct, ...]]) -> None:
        """Raise NotClosedError if products need too many means of one token.

        Means of polynomials, which are quick, do not count.
        """
        needed: set[tuple[TokenRole, tuple[tuple[Any, int], ...]]] = set()
        roles = {role: None for roles, _ in self.cases for role, _ in roles}
        sums = [Summand(a) for a, _ in enumerate(self.sums)]
        if all(self._kind(role, part) != "function" for role in roles for part in sums):
            return
        for polynomial, more in self._terms(products):
            for powers in Poly(polynomial, *self.sums).monoms():
                factors = [part for part, n in zip(sums, powers, strict=True) for _ in range(n)]
                counted = sorted(Counter([*factors, *more]).items(), key=str)
                for role in roles:
                    needed |= {(role, block) for block in self._blocks(role, counted)}
            if len(needed) > MOST_MEANS:
                *names, target = self.sums
                raise NotClosedError(
                    f"the readout {target - self.error} of {', '.join(map(str, names))} needs more "
                    f"than {MOST_MEANS} means of products of functions of a token here, which take "
                    "long to derive. Ask for gradient-flow, which needs fewer, or state a readout "
                    "of lower degree; sums of polynomials have no such limit"
                )

    def _terms(
        self, products: Iterable[tuple[SampleProduct, ...]]
    ) -> Iterator[tuple[Expr, tuple[Summand | Pair, ...]]]:
        """Yield the terms of products: polynomials in the sums, times more sums."""
        for parts in products:
            errors = self.error ** count_errors(parts)
            for slopes, more in self._factors(parts):
                if slopes != 0:
                    yield errors * slopes, more

    def _blocks(
        self, role: TokenRole, counted: list[tuple[Any, int]]
    ) -> Iterator[tuple[tuple[Any, int], ...]]:
        """Yield the parts of a product that one token may have, but for polynomials."""
        kinds = [self._kind(role, factor) for factor, _ in counted]
        most = [n if kind else 0 for (_, n), kind in zip(counted, kinds, strict=True)]
        for taken in product(*(range(n + 1) for n in most)):
            chosen = zip(counted, taken, kinds, strict=True)
            block = [(factor, n, kind) for (factor, _), n, kind in chosen if n]
            if any(kind == "function" for _, _, kind in block):
                yield tuple((factor, n) for factor, n, _ in block)

    def _kind(self, role: TokenRole, part: Summand | Pair) -> str:
        """Return "function" or "polynomial" for what a token adds to a sum, or "" for 0."""
        if not isinstance(part, Summand):
            kinds = {self._kind(role, x) for x in part}
            return "" if "" in kinds else min(kinds)
        if not self._summand(role, part):
            return ""
        share = role.share.args[part.number]
        return "polynomial" if share.is_polynomial(*role.symbols) else "function"

    # -- sums over tokens --------------------------------------------------------------------------

    def _mean_of(self, polynomial: Expr, more: tuple[Summand | Pair, ...]) -> Expr:
        """Return the mean of a polynomial in the sums, times more sums."""
        total: Expr = S.Zero
        for powers, coefficient in Poly(polynomial, *self.sums).terms():
            if coefficient == 0:
                continue
            factors = [Summand(a) for a, n in enumerate(powers) for _ in range(n)]
            counted = Counter([*factors, *more])
            listed = tuple(sorted(counted.items(), key=str))
            for roles, p in self.cases:
                total += p * coefficient * self._of_sums(tuple(roles), listed, (0,) * len(roles))
        return total

    def _of_sums(
        self,
        roles: tuple[tuple[TokenRole, Expr], ...],
        factors: tuple[tuple[Any, int], ...],
        used: tuple[int, ...],
    ) -> Expr:
        """Return the mean of a product of powers of sums over all tokens but those used."""
        if not factors:
            return S.One
        key = (tuple((id(role), count) for role, count in roles), factors, used)
        if key in self._known:
            return self._known[key]
        # A token takes the first factor, and any of the others.
        (first, n), *rest = factors
        first_ones = [(first, n - 1)] if n > 1 else []
        total: Expr = S.Zero
        for taken in product(*(range(m + 1) for _, m in [*first_ones, *rest])):
            listed = [*first_ones, *rest]
            ways = Mul(*(comb(m, k) for (_, m), k in zip(listed, taken, strict=True)))
            left = tuple((f, m - k) for (f, m), k in zip(listed, taken, strict=True) if m > k)
            block = [first]
            for (f, _), k in zip(listed, taken, strict=True):
                block += [f] * k
            for r, (role, count) in enumerate(roles):
                others = count - used[r]
                if others == 0:
                    continue
                mean = self._of_token(role, tuple(sorted(block, key=str)))
                if mean != 0:
                    after = tuple(k + (i == r) for i, k in enumerate(used))
                    total += ways * others * mean * self._of_sums(roles, left, after)
        self._known[key] = total
        return total

    def _of_token(self, role: TokenRole, block: Sequence[Any]) -> Expr:
        """Return the mean of a product of what one token adds to sums."""
        sums = [terms for part in block for terms in self._terms_of(role, part)]
        return self._moment((role, "sums", *block), role, frozenset(), sums, 0)

    def _terms_of(self, role: TokenRole, part: Summand | Pair) -> list[list[ProductTerm]]:
        if isinstance(part, Summand):
            return [self._summand(role, part)]
        variance = ProductTerm(role.token.eigenvalues[0], frozenset(), ONE)
        return [*(self._summand(role, x) for x in part), [variance]]

    def _summand(self, role: TokenRole, part: Summand) -> list[ProductTerm]:
        if (role, part) not in self._parts:
            share = role.share.args[part.number]
            if part.x is not None:
                x = role.symbol_of.get(part.x) if isinstance(part.x, Direction) else part.x
                share = S.Zero if x is None else derivative_across_jumps(share, x)
            terms = self._split(role, expand_into_coefficient_pairs(share, role.symbols))
            if part.y is not None:
                weight = ProductFactors(((part.y, Z),), S.One)
                terms = self._times(terms, [ProductTerm(S.One, frozenset(), weight)])
            self._parts[role, part] = terms
        return self._parts[role, part]

    def _error(self, role: TokenRole) -> list[ProductTerm]:
        """Return nothing: the error is no sum over tokens."""
        return []


class ReadoutProducts(GradientProducts):
    """Covariances of products of one sample's gradients of a readout."""

    def require_few_means(self, pairs: Iterable[tuple[SampleProduct, SampleProduct]]) -> None:
        """Raise NotClosedError if covariances of these need too many means of one token."""
        assert isinstance(self.samples, ReadoutMeans)
        self.samples.require_few_means(pairs)

    def _mean_of_product(self, parts: tuple[SampleProduct, ...]) -> Expr:
        assert isinstance(self.samples, ReadoutMeans)
        return self.samples.mean_of_product(parts)


def products_of_gradients(samples: OneSampleMeans) -> GradientProducts:
    """Return the covariances of products of one sample's gradients, of a readout or of a sum."""
    if isinstance(samples, ReadoutMeans):
        return ReadoutProducts(samples)
    return GradientProducts(samples)
