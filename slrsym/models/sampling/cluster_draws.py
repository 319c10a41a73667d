r"""Sums of the tokens of a cluster, drawn by way of the projections that a step depends on.

A token is an affine function of white noise. Its weights in a gradient depend on the components of
the noise along few vectors. Given the weights, what the weighted sums of noises have beyond these
vectors is normal: it is drawn as sums, not token by token, where that takes fewer numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from slrsym.models.definition.specification import Noise
from slrsym.models.sampling.batch_frames import orthonormal_rows, roots_of_gram_matrices
from slrsym.models.sampling.sample_descent import Cluster, TokenLaws
from slrsym.models.sampling.token_laws import SampledRole

Array = NDArray[np.float64]


class ClusterDraw:
    """The layout of the random numbers of a cluster of a case.

    Parameters
    ----------
    cluster : Cluster
    roles : list of SampledRole
        Of the case.
    places : dict of Direction to int
    trained, width, batch : int
        How many directions are trained, how many coordinates there are, and samples a step.

    Attributes
    ----------
    size : int
        The white noise of a token of one role: coordinates, and one number for each spike.
    vectors : list of tuple of int
        Whose components are needed: a role of the cluster, and the place of a direction.
    columns : list of list of int
        For each role where its projections are, among those on vectors and, behind them, noises.
    drawn, each, rest : int
        How many components are drawn of each token, numbers with those noises that are inside of
        shares, and numbers of what is drawn as sums.
    """

    def __init__(
        self, cluster: Cluster, roles: list[SampledRole], places: dict[Any, int], trained: int,
        width: int, batch: int,
    ) -> None:  # fmt: skip
        self.roles, self.count, self.mixing = cluster.roles, cluster.count, cluster.mixing
        self.members = [roles[i] for i in cluster.roles]
        # Correlated tokens have as many spikes.
        self.size = width + len(self.members[0].token.spikes)
        self.vectors = [
            (i, places[x]) for i, role in enumerate(self.members) for x in role.directions
            if not isinstance(x, Noise)
        ]  # fmt: skip
        self.columns, vectors, noises = list[list[int]](), 0, len(self.vectors)
        for role in self.members:
            own = []
            for x in role.directions:
                inside = isinstance(x, Noise)
                own.append(noises if inside else vectors)
                noises, vectors = noises + inside, vectors + (not inside)
            self.columns.append(own)
        whole, sums = len(self.members) * self.size, trained * len(self.members)
        # In whole tokens there is no rest.
        saved = batch * self.count * (whole - len(self.vectors))
        self.is_whole = saved <= sums * whole
        self.drawn = whole if self.is_whole else len(self.vectors)
        self.each = self.drawn + noises - len(self.vectors)
        self.rest = 0 if self.is_whole else sums * whole


class ClusterSums:
    """Weighted sums of the tokens of a cluster in all runs, while samples are added.

    Parameters
    ----------
    draw : ClusterDraw
    laws : TokenLaws
    rows : ndarray, shape (runs, p, width)
        The directions.
    spreads : list of ndarray, shape (width,)
        Of tokens of each role along each coordinate.
    """

    def __init__(
        self, draw: ClusterDraw, laws: TokenLaws, rows: Array, spreads: list[Array], trained: int
    ) -> None:
        self._draw, self._rows, self._spreads, self._trained = draw, rows, spreads, trained
        runs, self._width = len(rows), rows.shape[-1]
        self._spikes = [
            [(place, np.sqrt(c)) for place, c in laws.spikes[role.token].items()]
            for role in draw.members
        ]
        self._means = [np.zeros((runs, self._width)) for _ in draw.members]
        for mean, role in zip(self._means, draw.members, strict=True):
            for place, c in laws.means[role.token].items():
                mean += c * rows[:, place]
        self._vectors = np.zeros((runs, len(draw.vectors), len(draw.members) * draw.size))
        self._offsets = np.zeros((runs, len(draw.vectors)))
        for n, (i, place) in enumerate(draw.vectors):
            x = rows[:, place]
            self._offsets[:, n] = np.sum(self._means[i] * x, axis=-1)
            own = np.concatenate(
                [self._spreads[i] * x]
                + [c * np.sum(rows[:, u] * x, axis=-1)[:, None] for u, c in self._spikes[i]],
                axis=-1,
            )
            self._vectors[:, n] = (draw.mixing[i][:, None] * own[:, None]).reshape(runs, -1)
        self._basis, self._lower = np.zeros(0), self._vectors
        if not draw.is_whole:
            self._basis, self._lower = orthonormal_rows(self._vectors)
        sums = trained * len(draw.members)
        self.gram = np.zeros((runs, sums, sums))
        self._along = np.zeros((runs, sums, draw.drawn))
        self._weights = np.zeros((runs, sums))

    def projections(self, run: NDArray[np.int64], numbers: Array) -> list[Array]:
        """Return the projections of tokens of each role, from numbers of shape (n, count, each)."""
        drawn = self._draw.drawn
        found = numbers[..., :drawn] @ np.swapaxes(self._lower, -1, -2)[run]
        found += self._offsets[run, None]
        whole = np.concatenate([found, numbers[..., drawn:]], axis=-1)
        return [whole[..., columns] for columns in self._draw.columns]

    def add(self, run: NDArray[np.int64], weights: list[Array], numbers: Array, batch: int) -> None:
        """Add tokens with their weights, of shape (t, n, count) for each role."""
        # Sums are numbered by trained directions, and then by roles.
        own = np.stack(weights, axis=1).reshape(-1, *weights[0].shape[1:]).swapaxes(0, 1)
        drawn = np.ascontiguousarray(numbers[..., : self._draw.drawn])
        add_to_runs(self._along, run, own @ drawn, batch)
        add_to_runs(self.gram, run, own @ np.swapaxes(own, -1, -2), batch)
        add_to_runs(self._weights, run, own.sum(axis=-1), batch)

    def gradients(self, rest: Array) -> Array:
        """Return the sums in the frame, shape (runs, t, width), given numbers for the rest."""
        draw, runs = self._draw, len(self._rows)
        whole = self._along
        if not draw.is_whole:
            noise = rest.reshape(*self._along.shape[:2], -1)
            noise = noise - (noise @ np.swapaxes(self._basis, -1, -2)) @ self._basis
            whole = self._along @ self._basis + roots_of_gram_matrices(self.gram) @ noise
        members = len(draw.members)
        shaped = whole.reshape(runs, self._trained, members, members, draw.size)
        total = np.zeros((runs, self._trained, self._width))
        for i, mix in enumerate(draw.mixing):
            noise = np.sum(mix[:, None] * shaped[:, :, i], axis=2)
            total += self._spreads[i] * noise[..., : self._width]
            for k, (u, c) in enumerate(self._spikes[i]):
                total += c * noise[..., self._width + k, None] * self._rows[:, None, u]
            own = self._weights.reshape(runs, self._trained, members)[..., i]
            total += own[..., None] * self._means[i][:, None]
        return total

    def add_gram_beyond(self, gram: Array, scales: Array) -> None:
        """Add the Gram matrices of what the sums have beyond the frame, in each eigenspace.

        Parameters
        ----------
        gram : ndarray, shape (runs, spaces, t, t)
        scales : ndarray, shape (roles, spaces)
        """
        members, t = len(self._draw.members), self._trained
        own = self.gram.reshape(len(gram), t, members, t, members)
        both = self._draw.mixing @ self._draw.mixing.T
        for i in range(members):
            for j in range(members):
                factors = both[i, j] * scales[i] * scales[j]
                gram += factors[:, None, None] * own[:, None, :, i, :, j]


def add_to_runs(totals: Array, run: NDArray[np.int64], values: Array, batch: int) -> None:
    """Add the values of samples to the totals of their runs."""
    if len(run) == len(totals) * batch:
        # All samples, in the order of their runs.
        totals += values.reshape(len(totals), batch, *values.shape[1:]).sum(axis=1)
    else:
        np.add.at(totals, run, values)
