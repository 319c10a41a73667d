"""Laws of sampled tokens: how many there are of each role, and which are correlated."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sympy import Dummy, Expr, S, expand

from slrsym.models.definition.projections import TokenRole
from slrsym.models.definition.specification import Direction, Noise, Token, softmax
from slrsym.models.definition.symbolic_token import SymbolicToken
from slrsym.models.training.initial_conditions import vectors_with_gram_matrix

if TYPE_CHECKING:
    from slrsym.models.training.descent import DerivedModel

Array = NDArray[np.float64]


def split_at_softmax(share: Expr) -> tuple[Expr, Expr, Expr | None, Expr]:
    """Return what a share is beside softmax, the factor of softmax, its score, and its extra.

    Parameters
    ----------
    share : Expr

    Returns
    -------
    rest, factor : Expr
        The share is the rest plus the factor times the softmax weight.
    score : Expr or None
        None without softmax.
    extra : Expr
        What is added to the sum of exponentials.
    """
    heads = list(share.atoms(softmax))
    if not heads:
        return share, S.Zero, None, S.Zero
    (head,) = heads
    extra = head.args[1] if len(head.args) == 2 else S.Zero
    return share.subs(head, 0), share.coeff(head), head.args[0], extra


def target_of(model: DerivedModel, role: TokenRole) -> Expr:
    """Return a token's share of the target, in the symbols of its projections."""
    X = SymbolicToken()
    if model.loss is not None or role.token.target is None:
        return S.Zero
    return X.share_of("target", role.token.target)


class SampledRole:
    """The tokens of one role in a sample, by the directions that they are projected on.

    These are those of the share, `drawn_last` at the end, and then `more` of the model. Of the
    last the share and the target are affine functions, so that means given the others are known.
    The share of a readout is what is added to each sum, of which none is taken for affine.
    """

    def __init__(
        self, model: DerivedModel, role: TokenRole, count: int, more: Sequence[Any] = ()
    ) -> None:
        self.role, self.token, self.count = role, role.token, count
        self.shares = role.share.args if model.readout_error is not None else (role.share,)
        self.is_reconstructed = role.token in model.reconstructed
        self.rest, self.factor, self.score, self.extra = split_at_softmax(self.shares[0])
        self.target = target_of(model, role)
        affine = self._affine_symbols() if len(self.shares) == 1 else set()
        own = list(role.symbol_of.items())
        first = [pair for pair in own if pair[1] not in affine]
        last = [pair for pair in own if pair[1] in affine]
        self.symbols = [symbol for _, symbol in (*first, *last)]
        rest = [x for x in more if x not in role.directions]
        self.directions: list[Any] = [x for x, _ in (*first, *last)] + rest
        self.scores = len(first)

    def _affine_symbols(self) -> set[Any]:
        """Return projections in which share and target are affine, jointly."""
        parts = [self.rest, self.factor, self.target]
        found: list[Any] = []
        for x in self.role.symbols:
            in_score = self.score is not None and self.score.has(x)
            slopes = [part.diff(x) for part in parts]
            if not in_score and not any(slope.has(y) for slope in slopes for y in (x, *found)):
                found.append(x)
        return set(found)

    def is_even(self) -> bool:
        """Return whether the share stays where all projections change their signs."""
        turned = {x: Dummy() for x in self.symbols}
        back = {y: -x for x, y in turned.items()}
        return self.score is None and all(
            expand(share.subs(turned).subs(back) - share) == 0 for share in self.shares
        )


@dataclass(frozen=True, eq=False)
class Geometry:
    """Directions in an orthonormal basis, each vector of which lies in one eigenspace.

    Parameters
    ----------
    vectors : dict of Direction to ndarray, shape (m,)
        All directions of a model, and others that tokens are projected on.
    space : ndarray of int, shape (m,)
        The eigenspace of each coordinate.
    """

    vectors: dict[Any, Array]
    space: NDArray[np.int64]

    def stack(self, directions: Sequence[Any]) -> Array:
        """Return directions as rows; those of a `Noise`, which is no vector, are zero."""
        zero = np.zeros(len(self.space))
        return np.array([self.vectors.get(x, zero) for x in directions]).reshape(-1, len(zero))

    def inner_products(self, x: Any, others: Sequence[Any], space: int) -> Array:
        """Return the inner products of a direction with others, of their parts in one eigenspace.

        Parameters
        ----------
        x : Direction
        others : sequence of Direction
        space : int

        Returns
        -------
        ndarray, shape (len(others),)
        """
        here = self.space == space
        return np.asarray(self.stack(others)[:, here] @ self.vectors[x][here])

    def with_room(self, count: int) -> Geometry:
        """Return the same directions with more coordinates, of which they have none.

        Parameters
        ----------
        count : int
            How many more there are in each eigenspace.

        Returns
        -------
        Geometry
        """
        spaces = int(self.space.max(initial=0)) + 1
        order = np.argsort(
            np.append(self.space, np.repeat(np.arange(spaces), count)), kind="stable"
        )
        more = {x: np.append(v, np.zeros(spaces * count))[order] for x, v in self.vectors.items()}
        return Geometry(more, np.append(self.space, np.repeat(np.arange(spaces), count))[order])


class TokenLaw:
    """The mean and the covariance of a token in the coordinates of a geometry, in numbers."""

    def __init__(self, token: Token, where: Geometry, number: Callable[[Expr], float]) -> None:
        values = np.array([number(e) for e in token.eigenvalues])
        self.scale = np.sqrt(values)
        self._where, self._values = where, values
        self._spikes = {u: number(c) for u, c in token.spikes.items()}
        self._mean = {u: number(c) for u, c in token.mean.terms.items()}

    @cached_property
    def mean(self) -> Array:
        """The mean, shape (m,)."""
        total = np.zeros(len(self._where.space))
        for u, c in self._mean.items():
            total += c * self._where.vectors[u]
        return total

    @cached_property
    def spread(self) -> Array:
        """The root of the covariance along each coordinate, but for spikes, shape (m,)."""
        space = self._where.space
        return np.asarray(self.scale[space if len(self.scale) > 1 else np.zeros_like(space)])

    @cached_property
    def _root_of_spikes(self) -> tuple[Array, Array]:
        basis, along = np.linalg.qr(self._where.stack(list(self._spikes)).T)
        spikes = along * [*self._spikes.values()] @ along.T
        unit = np.eye(len(spikes))
        root = vectors_with_gram_matrix(self._values[0] * unit + spikes)
        return basis, root.T - self.scale[0] * unit

    def tokens(self, noise: Array) -> Array:
        """Return tokens of given standard normal noises, shape (..., m)."""
        found: Array = self.spread * noise + self.mean
        if self._spikes:
            basis, change = self._root_of_spikes
            found += (noise @ basis) @ change @ basis.T
        return found

    def projected_mean(self, directions: Sequence[Any]) -> Array:
        """Return the mean of the projections on directions, shape (q,)."""
        rows = self._where.stack(directions)
        found: Array = np.zeros(len(rows))
        for u, c in self._mean.items():
            found += c * (rows @ self._where.vectors[u])
        return found

    def projected_covariance(self, directions: Sequence[Any]) -> Array:
        """Return the covariance of the projections on directions, shape (q, q)."""
        rows = self._where.stack(directions)
        scaled = rows * self.spread
        found: Array = scaled @ scaled.T
        for u, c in self._spikes.items():
            along = rows @ self._where.vectors[u]
            found += c * np.outer(along, along)
        noises = [isinstance(x, Noise) for x in directions]
        return found + np.diag(np.array(noises, dtype=np.float64))


@dataclass(frozen=True, eq=False)
class TokenCluster:
    """Tokens that are drawn together: of one role, or one each of roles that are correlated.

    Parameters
    ----------
    roles : tuple of int
        Which roles of the case.
    count : int
        How many independent tokens there are of each.
    laws : tuple of TokenLaw
        Of the roles.
    taus : ndarray
        Correlations of the noises of the roles.
    """

    roles: tuple[int, ...]
    count: int
    laws: tuple[TokenLaw, ...]
    taus: Array


@dataclass(frozen=True, eq=False)
class TokenCase:
    """A possible composition of the sequence of tokens, with its probability."""

    roles: list[SampledRole]
    clusters: list[TokenCluster]
    probability: float

    @property
    def count(self) -> int:
        """The number of tokens."""
        return sum(role.count for role in self.roles)


# Which roles of a case have noises that are drawn together, with the correlations of these.
Together: TypeAlias = tuple[tuple[int, ...], Array]


def compositions(
    model: DerivedModel, number: Callable[[Expr], float], more: Sequence[Direction] = ()
) -> Iterator[tuple[list[SampledRole], list[Together], float]]:
    """Yield the possible compositions of a model's sequence of tokens.

    Parameters
    ----------
    model : DerivedModel
    number : callable
        Returns the value of an expression.
    more : sequence of Direction, optional
        Directions that tokens are projected on beside those of their shares.

    Yields
    ------
    roles : list of SampledRole
    together : list
        Groups of roles whose tokens are drawn together, each with the correlations of its noises.
    probability : float
    """
    for counts, probability in model.role_count_cases():
        listed = [(role, round(number(n))) for role, n in counts.values()]
        roles = [SampledRole(model, role, n, more) for role, n in listed if n]
        taus = np.eye(len(roles))
        for i, x in enumerate(roles):
            for j, y in enumerate(roles[:i]):
                tau = model.data.correlation.get(frozenset({x.token, y.token}), S.Zero)
                taus[i, j] = taus[j, i] = number(tau)
        correlated = [i for i in range(len(roles)) if np.count_nonzero(taus[i]) > 1]
        alone = [(i,) for i in range(len(roles)) if i not in correlated]
        groups = sorted([*alone, *([tuple(correlated)] if correlated else [])])
        yield roles, [(some, taus[np.ix_(some, some)]) for some in groups], number(probability)


def token_cases(
    model: DerivedModel,
    where: Geometry,
    given: Mapping[Any, float],
    more: Sequence[Direction] = (),
) -> list[TokenCase]:
    """Return the possible compositions of a model's sequence of tokens, with their laws.

    Parameters
    ----------
    model : DerivedModel
    where : Geometry
    given : mapping of Symbol to float
    more : sequence of Direction, optional
        Directions that tokens are projected on beside those of their shares.

    Returns
    -------
    list of TokenCase
    """

    def number(expr: Expr) -> float:
        return float(expr.subs(given))

    found = []
    for roles, together, probability in compositions(model, number, more):
        laws = [TokenLaw(role.token, where, number) for role in roles]
        clusters = [
            TokenCluster(some, roles[some[0]].count, tuple(laws[i] for i in some), taus)
            for some, taus in together
        ]
        found.append(TokenCase(roles, clusters, probability))
    return found
