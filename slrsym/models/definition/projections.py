"""Directions of a stated model, and the laws of the projections of tokens on them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sympy import Add, Expr, ImmutableMatrix, Matrix, S, Symbol, expand, sqrt, sympify

from slrsym.gaussian import GaussianLaw
from slrsym.models.definition.exchangeable_units import (
    inner_product_class_names,
    unit_tags_in,
    write_out_group_products,
)
from slrsym.models.definition.losses import Loss
from slrsym.models.definition.readouts import sum_symbols
from slrsym.models.definition.shares import evaluate_shares
from slrsym.models.definition.specification import (
    INNER_PRODUCT,
    Direction,
    InnerProduct,
    Noise,
    Predictor,
    Token,
    TokenSequence,
    exact_expression,
    inner_product_symbol,
    ridge_expression,
    softmax,
)


@dataclass(frozen=True)
class TokenRole:
    """The law of the tokens with one role and one bias, with their contribution to the error.

    `share` is the contribution in `symbols`, the projections on `directions`; `error` has its
    coefficients and products.
    """

    token: Token
    share: Expr
    directions: tuple[Direction, ...]
    symbols: tuple[Symbol, ...]
    error: tuple[tuple[Expr, Expr], ...]
    means: tuple[Expr, ...]
    cov: ImmutableMatrix

    @property
    def symbol_of(self) -> dict[Direction, Symbol]:
        """The symbols of the projections, by direction."""
        return dict(zip(self.directions, self.symbols, strict=True))

    def numbered(self, number: int) -> tuple[dict[Symbol, Symbol], GaussianLaw]:
        """Return names for the projections of one of several tokens, and their law."""
        names = {s: Symbol(rf"{s.name}^{{({number})}}", real=True) for s in self.symbols}
        return names, GaussianLaw(dict(zip(names.values(), self.means, strict=True)), self.cov)


class ProjectionLaws:
    """The directions of a model, their inner products, and the laws of tokens' projections."""

    def __init__(
        self,
        data: TokenSequence,
        predictor: Predictor,
        inner_products: Mapping[InnerProduct, Any],
        names: Mapping[InnerProduct, Any],
        loss: Loss | None = None,
        ridge: Any = 0,
    ) -> None:
        self.data, self.predictor = data, predictor
        self.ridge = ridge_expression(ridge)
        stated = evaluate_shares(data, predictor, loss)
        self.loss, self._predicted = stated.loss, stated.predicted
        self.shares, self.reconstructed = stated.shares, stated.reconstructed
        self.readout_error = stated.readout_error
        self.spaces = self._spaces()
        self.stated_products = (dict(inner_products), dict(names), loss)
        products = write_out_group_products(inner_products, self.directions, named=False)
        self._inner_products = {pair: exact_expression(value) for pair, value in products.items()}
        self._names = write_out_group_products(names, self.directions, named=True)
        if self.uses_representatives:
            self._names = inner_product_class_names(self.directions) | self._names
        self._check_directions()
        self.shares = {
            key: (self._with_inner_products(e), names) for key, (e, names) in self.shares.items()
        }
        if self.readout_error is not None:
            self.readout_error = self._with_inner_products(self.readout_error)
        self._check_ridge()

    # -- the statement ---------------------------------------------------------------------------

    def _with_inner_products(self, share: Expr) -> Expr:
        """Write the inner products in a share by the symbols or values that the model has."""
        inside = {s for s in share.free_symbols if s.name.startswith(INNER_PRODUCT)}
        if not inside:
            return share
        if self.uses_representatives:
            raise ValueError(
                f"{min(map(str, inside))} stands in a share with a number of units that is a "
                "symbol; state their number"
            )
        listed = list(self.directions)
        at = {
            inner_product_symbol(x, y): Add(
                *(self.inner_product(x, y, a) for a in range(self.spaces))
            )
            for i, x in enumerate(listed)
            for y in listed[i:]
        }
        if missing := sorted(map(str, inside - at.keys())):
            raise ValueError(
                f"{missing[0]} stands in a share or loss, and one of its directions in no "
                "projection; use it in the predictor, the target or the law of a token"
            )
        return share.xreplace(at)

    @cached_property
    def products_in_shares(self) -> dict[Symbol, tuple[Direction, Direction, int]]:
        """The symbols of moving inner products that shares have beside projections.

        Each has its two directions and the eigenspace.
        """
        inside = set().union(*(e.free_symbols for e, _ in self.shares.values()))
        if self.readout_error is not None:
            inside |= self.readout_error.free_symbols
        x = self.directions
        return {p: (x[i], x[j], a) for p, (i, j, a) in self.gram_indices.items() if p in inside}

    @cached_property
    def mean_squared_length(self) -> Expr:
        """The mean squared length of a token that is reconstructed, which the loss has besides."""
        if not self.reconstructed:
            return S.Zero
        if self.spaces > 1:
            raise ValueError(
                "a token as target is for covariances that are multiples of the identity, with "
                f"spikes; these have {self.spaces} eigenspaces, whose dimensions would be needed"
            )
        laws = [e for t in self.data.tokens for e in (*t.mean.terms.values(), *t.eigenvalues)]
        named = {s for e in laws for s in e.free_symbols if s.name == "d"}
        d = min(named, key=str) if named else Symbol("d", positive=True)
        found: Expr = S.Zero
        for counts, probability in self.data.mixture:
            for token in counts.keys() & self.reconstructed:
                spread = d * token.eigenvalues[0] + Add(
                    *(c * self.inner_product(u, u) for u, c in token.spikes.items())
                )
                mean = token.mean.terms.items()
                middle = (b * c * self.inner_product(x, y) for x, b in mean for y, c in mean)
                found += probability * (spread + Add(*middle))
        return expand(found)

    @property
    def uses_representatives(self) -> bool:
        """Whether sums over exchangeable units are written by a few representative units."""
        return any(unit_tags_in(error) for error, _ in self.shares.values())

    @property
    def directions(self) -> tuple[Direction, ...]:
        """The directions of the model, trained ones first."""
        found: dict[Direction, None] = {}
        for _, symbols in self.shares.values():
            found.update(dict.fromkeys(symbols))
        for token in self.data.tokens:
            found.update(dict.fromkeys((*token.mean.terms, *token.spikes)))
        found = {x: None for x in found if not isinstance(x, Noise)}
        return tuple(sorted(found, key=lambda x: not self.is_trained(x)))

    def is_trained(self, x: Direction) -> bool:
        """Return whether a direction is trained: the predictor uses it, and it is not `unit`.

        Parameters
        ----------
        x : Direction

        Returns
        -------
        bool
        """
        return x in self._predicted and not x.is_unit

    @property
    def trained_directions(self) -> tuple[Direction, ...]:
        """The trained directions of the model."""
        return tuple(x for x in self.directions if self.is_trained(x))

    @property
    def fixed_directions(self) -> tuple[Direction, ...]:
        """The fixed directions of the model: those of the data alone, and those of `unit`."""
        return tuple(x for x in self.directions if not self.is_trained(x))

    @property
    def sum_symbols(self) -> tuple[Symbol, ...]:
        """The symbols of the sums of a readout, the last of the target; none of other models."""
        return () if self.readout_error is None else sum_symbols(len(self.predictor.sums) + 1)

    @property
    def scalars(self) -> tuple[Symbol, ...]:
        """The symbols of predictor and target that are no projections, by name."""
        found = set().union(
            *(error.free_symbols - {*of.values()} for error, of in self.shares.values())
        )
        if self.readout_error is not None:
            found |= self.readout_error.free_symbols - set(
                sum_symbols(len(self.predictor.sums) + 1)
            )
        x = self.directions
        pairs = itertools.combinations_with_replacement(x, 2)
        found -= {self.inner_product(*pair, a) for pair in pairs for a in range(self.spaces)}
        return tuple(sorted(found, key=lambda s: s.name))

    def _spaces(self) -> int:
        counts = {len(token.eigenvalues) for token in self.data.tokens} - {1}
        if len(counts) > 1:
            raise ValueError(
                "covariances must have the same eigenspaces: as many eigenvalues each, or one "
                f"number; got {sorted(counts)}"
            )
        return counts.pop() if counts else 1

    def _check_directions(self) -> None:
        names = [x.name for x in self.directions]
        if twice := {name for name in names if names.count(name) > 1}:
            raise ValueError(f"directions must have different names; two are called {min(twice)}")
        self._check_roles()
        pairs = {InnerProduct(x, y) for x in self.directions for y in self.directions}
        for what, mapping in (("inner_products", self._inner_products), ("names", self._names)):
            for pair in mapping:
                if pair not in pairs:
                    raise ValueError(f"{what} has {pair}, which is no inner product of this model")
        for pair, value in self._inner_products.items():
            if any(map(self.is_trained, pair.pair)):
                raise ValueError(
                    f"inner_products has {pair}, which is an order parameter: it is trained"
                )
            x, y = pair.pair
            most = sqrt(self.squared_length(x) * self.squared_length(y))
            if x is y:
                self._check_length(x, value)
            elif value.is_number and most.is_number and abs(value) > most:
                raise ValueError(
                    f"inner_products says {pair} = {value}; of vectors of these lengths "
                    f"it is at most {most}"
                )
        for token in self.data.tokens:
            self._check_spikes(token)
        if self.spaces == 1:
            for some in (*itertools.combinations(self.fixed_directions, 3), self.fixed_directions):
                self._check_lengths(some)

    def _check_roles(self) -> None:
        """Raise an error for a direction declared to be trained, or fixed, that is the other."""
        for x in self.directions:
            if x.on_sphere and x not in self._predicted:
                raise ValueError(
                    f"{x} has sphere=True, so it is to be trained, and the predictor does not use "
                    f"it. A direction of the data alone is fixed: Direction({x.name!r}, unit=True)"
                )
        for token in self.data.tokens:
            for what, parts in (("mean", token.mean.terms), ("cov", token.spikes)):
                for x in filter(self.is_trained, parts):
                    raise ValueError(
                        f"{what} of {token.name} contains {x}, which the predictor trains. The law "
                        f"of the data is fixed: take another direction, or make {x} a fixed one "
                        "(unit=True)"
                    )

    def _check_ridge(self) -> None:
        if self.ridge == 0:
            return
        if any(error.has(softmax) for error, _ in self.shares.values()):
            raise ValueError(
                "ridge is for predictors that are sums over tokens; softmax is none. Leave out "
                f"ridge={self.ridge}"
            )
        if self.ridge_penalty == 0:
            raise ValueError(
                f"ridge is for trained directions without sphere=True, whose length is free; this "
                f"model has none. Got {self.ridge}; leave it out"
            )

    def _check_length(self, x: Direction, square: Expr) -> None:
        """Raise an error if the square of a fixed direction's length cannot be as stated."""
        if x.is_unit and square != 1:
            raise ValueError(
                f"inner_products says {x @ x} = {square}; it is 1, as {x} has unit=True. Leave "
                "unit out for a fixed direction of another length"
            )
        if self.spaces > 1 and square != 1:
            raise ValueError(
                f"inner_products says {x @ x} = {square}; with {self.spaces} eigenspaces fixed "
                "directions have length 1"
            )
        if square.is_positive is False:
            raise ValueError(f"inner_products says {x @ x} = {square}; it must be positive")

    def _check_spikes(self, token: Token) -> None:
        """Raise an error if the covariance of a token is certainly not positive along spikes."""
        along, base = tuple(token.spikes), token.eigenvalues[0]
        gram = Matrix([[self.inner_product(x, y) for y in along] for x in along])
        product = Matrix.diag(*token.spikes.values()) * gram if along else Matrix([])
        if self.spaces == 1 and along and not {*product.free_symbols, *base.free_symbols}:
            spikes = np.linalg.eigvals(np.array(product.evalf(), dtype=float)).real
            least = float(base) + spikes.min()
            if least <= 0:
                raise ValueError(
                    f"cov of {token.name} must be positive: with the spikes along "
                    f"{', '.join(map(str, along))} the least eigenvalue is {least:g}"
                )

    def _check_lengths(self, directions: tuple[Direction, ...]) -> None:
        gram = Matrix([[self.inner_product(x, y) for y in directions] for x in directions])
        if gram and not gram.free_symbols:
            least = np.linalg.eigvalsh(np.array(gram.evalf(), dtype=float)).min()
            if least < -1e-12:
                raise ValueError(
                    f"directions contradict each other: no vectors {directions} have the "
                    f"inner products {dict(self._inner_products)}"
                )

    def inner_product(self, x: Direction, y: Direction, space: int = 0) -> Expr:
        """Return the inner product of two directions in an eigenspace: a symbol or stated value.

        Parameters
        ----------
        x, y : Direction
        space : int, optional
            Which of the eigenspaces; of one, the whole.

        Returns
        -------
        Expr
            An order parameter, or the value that the model states.
        """
        pair = InnerProduct(x, y)
        if self.spaces == 1:
            if pair in self._inner_products:
                return self._inner_products[pair]
            if x is y and (x.on_sphere or not self.is_trained(x)):
                return S.One
        named = self._names.get(pair)
        if isinstance(named, tuple):
            return named[space]
        if named is not None and self.spaces == 1:
            return named
        x, y = sorted((x, y), key=self.directions.index)
        index = "" if self.spaces == 1 else f"_{space + 1}"
        return Symbol(
            rf"\langle {x.name}, {y.name}\rangle{index}",
            **({"positive": True} if x is y else {"real": True}),
        )

    def ridge_of(self, x: Any) -> Expr:
        """Return the ridge of what is trained: 0 of scalars, and of directions on spheres.

        Parameters
        ----------
        x : Direction or Symbol

        Returns
        -------
        Expr
        """
        return self.ridge if isinstance(x, Direction) and not x.on_sphere else S.Zero

    @property
    def ridge_penalty(self) -> Expr:
        """The part of the risk that ridge adds: half of it, times the sum of squared lengths."""
        found: Expr = S.Zero
        for x in self.trained_directions:
            count: Expr = S.One
            if self.uses_representatives and x.group is not None:
                # The first of the units stands for all.
                count = x.group[0].count if x.group[1] == 0 else S.Zero
            squares = (self.inner_product(x, x, a) for a in range(self.spaces))
            found += self.ridge_of(x) / 2 * count * Add(*squares)
        return found

    def fixed_inner_product(self, x: Direction, y: Direction) -> Expr | None:
        """Return the stated inner product of two fixed directions; None if it is a free parameter.

        Parameters
        ----------
        x, y : Direction

        Returns
        -------
        Expr or None
        """
        return self._inner_products.get(InnerProduct(x, y))

    def squared_length(self, x: Direction) -> Expr:
        """Return the square of the length of a fixed direction, 1 unless it is stated.

        Parameters
        ----------
        x : Direction
            The direction.

        Returns
        -------
        Expr
            Its inner product with itself.
        """
        return self._inner_products.get(InnerProduct(x, x), S.One)

    @cached_property
    def moving_inner_products(self) -> tuple[Symbol, ...]:
        """The symbols of the inner products of trained directions, in order of their naming."""
        named = [s for x in self._names.values() for s in (x if isinstance(x, tuple) else (x,))]
        both = dict.fromkeys((*named, *self.gram_indices))
        return tuple(s for s in both if isinstance(s, Symbol))

    @cached_property
    def gram_indices(self) -> dict[Symbol, tuple[int, int, int]]:
        """The row, column and eigenspace of each moving inner product in the Gram matrices.

        Of exchangeable units these are the first two that have it.
        """
        found: dict[Symbol, tuple[int, int, int]] = {}
        for i, x in enumerate(self.trained_directions):
            for j, y in enumerate(self.directions[i:], i):
                for a in range(self.spaces):
                    symbol = self.inner_product(x, y, a)
                    if isinstance(symbol, Symbol):
                        found.setdefault(symbol, (i, j, a))
        return found

    # -- laws --------------------------------------------------------------------------------------

    @cached_property
    def roles(self) -> dict[tuple[Token, Expr | None], TokenRole]:
        """The law of projections and the contribution to the error, for each token and bias."""
        return {key: self._role(key[0], *value) for key, value in self.shares.items()}

    def _role(self, token: Token, error: Expr, symbols: dict[Direction, Symbol]) -> TokenRole:
        # What is kept of a model is found without.
        from slrsym.models.means.moments import expand_into_coefficient_pairs

        directions, names = tuple(symbols), tuple(symbols.values())
        count = len(directions)
        cov = ImmutableMatrix(
            count, count, lambda i, j: self.covariance_of(token, directions[i], directions[j])
        )
        means = tuple(self.mean_of(token, x) for x in directions)
        parts = tuple(expand_into_coefficient_pairs(error, names))
        return TokenRole(token, error, directions, names, parts, means, cov)

    def mean_of(self, token: Token, x: Direction, inner: Callable[..., Expr] | None = None) -> Expr:
        """Return the mean of the projection of a token on a direction.

        Parameters
        ----------
        token : Token
        x : Direction
        inner : callable, optional
            What takes the place of `inner`.

        Returns
        -------
        Expr
        """
        if isinstance(x, Noise):
            return S.Zero
        inner = inner or self.inner_product
        spaces = range(self.spaces)
        return Add(*(c * inner(x, y, a) for y, c in token.mean.terms.items() for a in spaces))

    def covariance_of(
        self, token: Token, x: Direction, y: Direction, inner: Callable[..., Expr] | None = None
    ) -> Expr:
        """Return the covariance of the projections of a token on two directions.

        Parameters
        ----------
        token : Token
        x, y : Direction
        inner : callable, optional
            What takes the place of `inner`.

        Returns
        -------
        Expr
        """
        if isinstance(x, Noise) or isinstance(y, Noise):
            return S(int(x is y))
        inner = inner or self.inner_product
        spaces = range(self.spaces)
        values = token.eigenvalues * (self.spaces if len(token.eigenvalues) == 1 else 1)
        spread = [e * inner(x, y, a) for a, e in enumerate(values)]
        for s, c in token.spikes.items():
            along = [Add(*(inner(z, s, a) for a in spaces)) for z in (x, y)]
            spread.append(c * along[0] * along[1])
        return Add(*spread)

    def covariance_between(self, role: TokenRole, i: int, other: TokenRole, j: int) -> Expr:
        """Return the covariance of projections of two tokens whose noises are correlated.

        Parameters
        ----------
        role, other : Role
        i, j : int
            Which of their projections.

        Returns
        -------
        Expr
        """
        tau = self.data.correlation.get(frozenset({role.token, other.token}), S.Zero)
        scale = sqrt(role.token.eigenvalues[0] * other.token.eigenvalues[0])
        return tau * scale * self.inner_product(role.directions[i], other.directions[j])

    def law(self, token: Token) -> GaussianLaw:
        """Return the joint law of a token's projections on the directions that the model uses.

        Parameters
        ----------
        token : Token
            One of the roles.

        Returns
        -------
        GaussianLaw
            In the symbols that stand for projections.
        """
        role = next(role for (other, _), role in self.roles.items() if other is token)
        return GaussianLaw(dict(zip(role.symbols, role.means, strict=True)), role.cov)

    def role_count_cases(self) -> Iterator[tuple[dict[int, tuple[TokenRole, Expr]], Expr]]:
        """Yield the possible numbers of tokens of each role and bias, with their probabilities.

        Yields
        ------
        counts : dict
            Roles and their numbers.
        probability : Expr

        Raises
        ------
        ValueError
            If a bias of positions does not fit the tokens.
        """
        data, bias = self.data, self.predictor.bias
        if bias is None:
            for counts, probability in data.mixture:
                yield {id(t): (self.roles[t, None], n) for t, n in counts.items()}, probability
            return
        ((counts, _),) = data.mixture
        # Of two tokens each may be the single one: that with a target is.
        alone = [token for token, n in counts.items() if n == 1]
        single = [token for token in alone if token.target is not None] or alone
        rest = [token for token in counts if token not in single]
        if len(single) != 1 or len(rest) != 1:
            raise ValueError(
                "a bias of positions needs one token of one role, and others of another; got "
                + ", ".join(f"{n} of {token.name}" for token, n in counts.items())
            )
        total = Add(*counts.values())
        if expand(total - len(bias)) != 0:
            raise ValueError(
                f"bias must have one number for each of {total} tokens; got {len(bias)}"
            )
        places = data.location or (sympify(1) / len(bias),) * len(bias)
        if len(places) != len(bias):
            raise ValueError(f"location must have {len(bias)} probabilities; got {len(places)}")
        for j, probability in enumerate(places):
            case: dict[int, tuple[TokenRole, Expr]] = {}
            for place, b in enumerate(bias):
                role = self.roles[single[0] if place == j else rest[0], b]
                before = case.get(id(role), (role, S.Zero))[1]
                case[id(role)] = (role, before + 1)
            yield case, probability
