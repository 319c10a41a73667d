r"""Batches of sampled tokens: whole tokens in R^d, or their projections alone.

What is asked of a token are its projections on a few directions. They are jointly Gaussian, so that
as many normal numbers for each token stand for d, exactly in law. Given those in which a share is
not affine, what is left is Gaussian, with means that are affine in them and constant covariances;
an expectation over it can be taken in closed form.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator, SeedSequence, default_rng
from numpy.typing import NDArray

from slrsym.models.definition.specification import Noise
from slrsym.models.sampling.token_laws import Geometry, TokenCase, TokenCluster
from slrsym.models.training.initial_conditions import vectors_with_gram_matrix

Array = NDArray[np.float64]

# How many numbers are drawn at once, if a single sample does not need more.
_MOST_NUMBERS = 1_000_000

# Of a pivot of a covariance, relative to its diagonal: what is smaller is rounding.
_FLAT = 1e-13


@dataclass(frozen=True, eq=False)
class TokenBatch:
    """Samples of one case: projections of their tokens, and the noise of the target.

    Parameters
    ----------
    case : int
        Which composition of the sequence of tokens.
    projections : list of ndarray, shape (n, count, q)
        For each role, in the order of its directions; or their means given scores.
    noise : ndarray, shape (n,)
        Zero where it is averaged over.
    uniform : ndarray, shape (n,)
        The uniform number of each sample that has chosen the case.
    squares : ndarray, shape (n,), or float
        The squared lengths of those tokens that are reconstructed, which whole tokens have.
    """

    case: int
    projections: list[Array]
    noise: Array
    uniform: Array
    squares: Array | float = 0.0


class _Cases:
    """The division of samples into cases, by a uniform number for each."""

    def __init__(self, cases: Sequence[TokenCase], noise: float) -> None:
        self.cases, self.noise = cases, noise
        chances = np.array([case.probability for case in cases])
        self._ends = np.cumsum(chances / chances.sum())
        # Rounding must not lead beyond the last case that is possible.
        self._last = int(np.flatnonzero(chances)[-1])

    def divide(self, rng: Generator, n: int) -> Iterator[tuple[int, Array]]:
        """Yield each case with the uniform numbers of its samples."""
        uniform = rng.random(n)
        chosen = np.minimum(np.searchsorted(self._ends, uniform, side="right"), self._last)
        for number in np.unique(chosen).tolist():
            yield number, uniform[chosen == number]


def _triangular_factor(matrix: Array) -> Array:
    """Return a lower triangular factor of a covariance that may be singular."""
    rest, found = matrix.copy(), np.zeros_like(matrix)
    for j in range(len(matrix)):
        if rest[j, j] > _FLAT * matrix[j, j]:
            found[j:, j] = rest[j:, j] / np.sqrt(rest[j, j])
            rest[j:, j:] -= np.outer(found[j:, j], found[j:, j])
    return found


class ClusterOfProjections:
    """The law of the projections of the tokens of a cluster.

    Those that are drawn first come first: with `conditioned`, the others are averaged over.
    """

    def __init__(self, case: TokenCase, cluster: TokenCluster, conditioned: bool) -> None:
        self.roles, self.count = cluster.roles, cluster.count
        roles = [case.roles[i] for i in cluster.roles]
        places = [(i, k) for i, role in enumerate(roles) for k in range(len(role.directions))]
        places.sort(key=lambda place: place[1] >= roles[place[0]].scores)
        directions = [roles[i].directions[k] for i, k in places]
        self.mean, covariance = np.empty(len(places)), np.empty((len(places), len(places)))
        of = np.array([i for i, _ in places])
        for i, law in enumerate(cluster.laws):
            here = of == i
            self.mean[here] = law.projected_mean(
                [roles[i].directions[k] for j, k in places if j == i]
            )
            for j, other in enumerate(cluster.laws):
                whole = law.projected_covariance(directions)
                if j != i:
                    vectors = [not isinstance(x, Noise) for x in directions]
                    tau = cluster.taus[i, j] * other.scale[0] / law.scale[0]
                    whole = tau * whole * np.outer(vectors, vectors)
                there = of == j
                covariance[np.ix_(here, there)] = whole[np.ix_(here, there)]
        self.factor = _triangular_factor(covariance)
        first = sum(role.scores for role in roles)
        self.drawn = first if conditioned else len(places)
        left = self.factor[:, self.drawn :]
        # Where the projections of each role are, and the covariances of what is averaged over.
        self.places = [
            np.array([places.index((i, k)) for k in range(len(role.directions))], dtype=np.intp)
            for i, role in enumerate(roles)
        ]
        self.covariance = left @ left.T
        self.is_even = not self.mean.any() and all(role.is_even() for role in roles)

    def projections(self, normals: Array) -> Iterator[tuple[int, Array]]:
        """Yield each role with its projections, from normal numbers of shape (n, count, drawn)."""
        found = self.mean + normals @ self.factor[:, : self.drawn].T
        for role, places in zip(self.roles, self.places, strict=True):
            yield role, found[..., places]


class ProjectionSource:
    """Source of samples that draws only projections, at a cost independent of d."""

    def __init__(
        self,
        cases: Sequence[TokenCase],
        noise: float,
        conditioned: bool = False,
        antithetic: bool = False,
    ) -> None:
        self._cases = _Cases(cases, noise)
        self.conditioned, self._antithetic = conditioned, antithetic
        self.clusters = [
            [ClusterOfProjections(case, cluster, conditioned) for cluster in case.clusters]
            for case in cases
        ]
        self._most = max(len(part.mean) for some in self.clusters for part in some)
        self._mirrors_all = not any(part.is_even for some in self.clusters for part in some)

    def batches(self, seed: SeedSequence, n: int) -> Iterator[tuple[TokenBatch, ...]]:
        """Yield samples in batches of bounded memory, whose size does not affect the samples."""
        each = self._most + 1
        chooser, *rest = map(default_rng, seed.spawn(1 + 2 * each * len(self.clusters)))
        streams = [rest[i : i + 2 * each] for i in range(0, len(rest), 2 * each)]
        numbers = max(sum(c.count * len(c.mean) for c in some) for some in self.clusters)
        rows = max(1, _MOST_NUMBERS // numbers)
        for first in range(0, n, rows):
            for number, uniform in self._cases.divide(chooser, min(rows, n - first)):
                yield self._batches(number, uniform, streams[number])

    def _batches(
        self, number: int, uniform: Array, streams: list[Generator]
    ) -> tuple[TokenBatch, ...]:
        size, each, clusters = len(uniform), self._most + 1, self.clusters[number]
        normals, noise = self._normals(clusters, size, streams[:each])
        found = self._batch(number, uniform, normals, noise)
        if not self._antithetic:
            return (found,)
        mirrored = [-x for x in normals]
        if not self._mirrors_all:
            # The mirror image of what is even would say the same again.
            fresh, _ = self._normals(clusters, size, streams[each:], noise=False)
            mirrored = [
                new if part.is_even else old
                for part, new, old in zip(clusters, fresh, mirrored, strict=True)
            ]
        return found, self._batch(number, uniform, mirrored, -noise)

    def _normals(
        self,
        clusters: list[ClusterOfProjections],
        size: int,
        streams: list[Generator],
        noise: bool = True,
    ) -> tuple[list[Array], Array]:
        """Draw the normal numbers of each cluster, by a stream for each of its components."""
        found = [np.empty((size, part.count, part.drawn)) for part in clusters]
        for j in range(max(part.drawn for part in clusters)):
            live = [i for i, part in enumerate(clusters) if part.drawn > j]
            counts = [clusters[i].count for i in live]
            drawn = streams[j].standard_normal((size, sum(counts)))
            parts = np.split(drawn, np.cumsum(counts)[:-1], axis=1)
            for i, numbers in zip(live, parts, strict=True):
                found[i][..., j] = numbers
        if self.conditioned or not noise:
            return found, np.zeros(size)
        return found, self._cases.noise * streams[self._most].standard_normal(size)

    def _batch(self, number: int, uniform: Array, normals: list[Array], noise: Array) -> TokenBatch:
        of: dict[int, Array] = {}
        for part, numbers in zip(self.clusters[number], normals, strict=True):
            of.update(part.projections(numbers))
        return TokenBatch(number, [of[i] for i in range(len(of))], noise, uniform)


class WholeTokenSource:
    """Source of samples that draws whole tokens in R^d, as the model states them."""

    conditioned = False

    def __init__(self, cases: Sequence[TokenCase], noise: float, where: Geometry) -> None:
        self._cases, self._where = _Cases(cases, noise), where

    def batches(self, seed: SeedSequence, n: int) -> Iterator[tuple[TokenBatch, ...]]:
        """Yield samples in batches of bounded memory, whose size does not affect the samples."""
        cases, m = self._cases.cases, len(self._where.space)
        # Of each case a stream for the noise, and two for each cluster.
        counts = [1 + 2 * len(case.clusters) for case in cases]
        chooser, *rest = map(default_rng, seed.spawn(1 + sum(counts)))
        ends = np.cumsum(counts).tolist()
        rows = max(1, _MOST_NUMBERS // (max(case.count for case in cases) * m))
        for first in range(0, n, rows):
            for number, uniform in self._cases.divide(chooser, min(rows, n - first)):
                streams = rest[ends[number] - counts[number] : ends[number]]
                yield (self._batch(number, uniform, streams),)

    def _batch(self, number: int, uniform: Array, streams: list[Generator]) -> TokenBatch:
        case, size, m = self._cases.cases[number], len(uniform), len(self._where.space)
        noise = self._cases.noise * streams[0].standard_normal(size)
        of: dict[int, Array] = {}
        squares = np.zeros(size)
        for cluster, normals, own in zip(case.clusters, streams[1::2], streams[2::2], strict=True):
            # Noises of correlation 1 are equal, and their matrix is singular.
            mixing = vectors_with_gram_matrix(cluster.taus)
            rows = [self._where.stack(case.roles[i].directions).T for i in cluster.roles]
            parts = [np.empty((size, cluster.count, x.shape[1])) for x in rows]
            # All tokens of these samples, or one sample's in parts, one after the other.
            step = max(1, _MOST_NUMBERS // (size * m * len(rows)))
            for start in range(0, cluster.count, step):
                count = min(step, cluster.count - start)
                shape = size, count, len(rows), m
                found = _projected_tokens(cluster, normals.standard_normal(shape), mixing, rows)
                for i, part, (here, square) in zip(cluster.roles, parts, found, strict=True):
                    part[:, start : start + count] = here
                    if case.roles[i].is_reconstructed:
                        squares += square
            for i, part in zip(cluster.roles, parts, strict=True):
                for k, x in enumerate(case.roles[i].directions):
                    if isinstance(x, Noise):
                        part[..., k] = own.standard_normal(part.shape[:-1])
                of[i] = part
        return TokenBatch(number, [of[i] for i in range(len(of))], noise, uniform, squares)


def _projected_tokens(
    cluster: TokenCluster, drawn: Array, mixing: Array, rows: Sequence[Array]
) -> Iterator[tuple[Array, Array]]:
    """Yield projections of whole tokens of each role of a cluster, and their squared lengths.

    The normals have the shape (n, count, roles, m); squared lengths are summed over the count.
    """
    alone = len(rows) == 1
    for i, (law, mix, along) in enumerate(zip(cluster.laws, mixing, rows, strict=True)):
        X = law.tokens(drawn[:, :, i] if alone else np.tensordot(drawn, mix, (2, 0)))
        yield X @ along, np.einsum("ncm,ncm->n", X, X)
