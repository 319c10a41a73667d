r"""Descent on batches of sampled tokens, exactly in law and at a cost independent of the dimension.

A step depends on tokens through their coordinates in the span of the directions, and through sums
of what they have beyond it, with weights that depend on these coordinates alone. Given the weights,
such sums are jointly normal and their Gram matrix has a Wishart law, which is drawn by the
decomposition of Bartlett (Proceedings of the Royal Society of Edinburgh 53, 1933).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import SeedSequence, default_rng
from numpy.typing import NDArray

from slrsym.kernels.machine_limits import require_memory
from slrsym.models.definition.specification import Noise
from slrsym.models.sampling.batch_frames import DirectionFrames, roots_of_gram_matrices
from slrsym.models.sampling.sample_descent import Cluster, SampleDescent
from slrsym.models.sampling.token_batches import TokenBatch
from slrsym.models.sampling.token_laws import SampledRole

if TYPE_CHECKING:
    from slrsym.models.training.descent import DerivedModel

Array = NDArray[np.float64]

# How many numbers are drawn at once, if one step does not need more.
_MOST_NUMBERS = 1_000_000


class BatchEngine(SampleDescent):
    """Engine of descent on the mean error of batches of sampled tokens, fresh at each step.

    Parameters
    ----------
    model : DerivedModel
    factor : ndarray, shape (runs, spaces, p, r)
        Factors of the Gram matrices of the directions, trained ones first.
    row : sequence of float
        The parameters of the risk at the first step, on which numbers of tokens depend.
    others : mapping of str to number
        Values by name, of what else the samples depend on.
    dimensions : sequence of int
        Of the eigenspaces.
    alpha : float
        Step size.
    batch : int
        How many samples a step draws.
    seed : int
        Each run has numbers of its own: it does not depend on how many stand beside it.
    """

    def __init__(
        self, model: DerivedModel, factor: Array, row: Array, others: Any,
        dimensions: Sequence[int], alpha: float, batch: int, seed: int,
    ) -> None:  # fmt: skip
        super().__init__(model, row, others, alpha, "batch")
        self._batch = batch
        self._frames = DirectionFrames(factor, self._t, dimensions)
        self._states = self._frames.states
        self._space = self._frames.width // self._frames.spaces
        size = max(map(self._count, range(len(self._cases))))
        # For each sample the numbers of its tokens, and the noise of its target.
        self._size = batch * (size + 1)
        require_memory(f"batch = {batch:,} in {len(factor):,} runs", len(factor) * self._size * 64)
        children = (SeedSequence(seed, spawn_key=(run,)) for run in range(len(factor)))
        self._streams = [[default_rng(s) for s in child.spawn(3)] for child in children]

    @property
    def states(self) -> Array:
        """The directions in coordinates of their span, shape (runs, spaces, p, p)."""
        return self._states

    def _width(self, role: SampledRole) -> int:
        """Return how many numbers a token needs: coordinates, spikes, and noises inside."""
        noises = sum(isinstance(x, Noise) for x in role.directions)
        return self._frames.width + len(role.token.spikes) + noises

    def _count(self, case: int) -> int:
        roles = self._cases[case].roles
        return sum(role.count * self._width(role) for role in roles)

    def _steps(self, count: int) -> Iterator[None]:
        for numbers in self._drawn(count):
            self._states = self._step(*numbers)
            yield

    def _drawn(self, steps: int) -> Iterator[tuple[Array, Array, Array]]:
        """Yield the random numbers of each step, of all runs: normal, chi-square and uniform."""
        frames, runs = self._frames, len(self._streams)
        count = self._size + frames.normals
        most = max(1, _MOST_NUMBERS // (count * runs))
        for begin in range(0, steps, most):
            some = min(most, steps - begin)
            normals = np.empty((some, runs, count))
            chi = np.zeros((some, runs, frames.degrees.size))
            uniform = np.zeros((some, runs, self._batch))
            live = frames.degrees > 0
            for run, (normal, squares, choices) in enumerate(self._streams):
                normals[:, run] = normal.standard_normal((some, count))
                if live.any():
                    shape = (some, int(live.sum()))
                    chi[:, run, live] = squares.chisquare(frames.degrees[live], shape)
                if len(self._cases) > 1:
                    uniform[:, run] = choices.random((some, self._batch))
            yield from zip(normals, chi, uniform, strict=True)

    def _step(self, normals: Array, chi: Array, uniform: Array) -> Array:
        """Return the states after a step, from its random numbers."""
        runs, frames = len(self._states), self._frames
        rows = frames.rows(self._states)
        samples = normals[:, : self._size].reshape(runs, self._batch, -1)
        # In the frame, and the Gram matrices of the weights in each eigenspace.
        inside = self._laws.ridge[:, None] * rows[:, : self._t]
        gram = np.zeros((runs, frames.spaces, self._t, self._t))
        chosen = self._chosen(uniform)
        for case in np.unique(chosen).tolist():
            run, _ = here = np.nonzero(chosen == case)
            self._add_samples(case, run, samples[here], rows, inside, gram)
        beyond = roots_of_gram_matrices(gram) @ frames.triangles(normals[:, self._size :], chi)
        return frames.step(self._states, inside, beyond, self._model.flow.spheres, self._alpha)

    def _add_samples(
        self, case: int, run: NDArray[np.int64], normals: Array, rows: Array, inside: Array,
        gram: Array,
    ) -> None:  # fmt: skip
        """Add what samples of a case have of the gradient: in the frame, and by its weights."""
        laws, roles, here = self._laws, self._cases[case].roles, rows[run]
        tokens: list[Array] = [np.empty(0)] * len(roles)
        projections, begin = list(tokens), 0
        for cluster in self._clusters[case]:
            begin = self._fill_tokens(cluster, roles, normals, begin, here, tokens, projections)
        values = [np.sum(here[:, i, p] * here[:, j, p], axis=-1) for i, j, p in self._moving()]
        self._set_errors(values)
        noise = laws.noise * normals[:, -1]
        there = self._errors.evaluate(TokenBatch(case, projections, noise, noise))
        scale = self._scale(there, self._batch)
        weights = self._weights(there, scale)
        for found, X in zip(weights, tokens, strict=True):
            self._add(inside, run, np.einsum("tnc,ncs->nts", found, X))
        for cluster in self._clusters[case]:
            scales = np.array([laws.scales[roles[i].token] for i in cluster.roles])
            for mix in cluster.mixing.T:
                for space, factors in enumerate((mix[:, None] * scales).T):
                    some = zip(factors, cluster.roles, strict=True)
                    total = np.sum([f * weights[i] for f, i in some], axis=0)
                    squares = np.einsum("tnc,unc->ntu", total, total)
                    self._add(gram[:, space], run, squares)
        if self._products:
            rates = there.slopes_in_products(len(self._products))
            for (i, j, p), rate in zip(self._moving(), rates, strict=True):
                for moved, other in ((i, j), (j, i)):
                    if moved < self._t:
                        part = (scale * rate)[:, None] * here[:, other, p]
                        self._add(inside[:, moved, p], run, part)

    def _add(self, totals: Array, run: NDArray[np.int64], values: Array) -> None:
        """Add the values of samples to the totals of their runs."""
        if len(run) == len(totals) * self._batch:
            # All samples, in the order of their runs.
            totals += values.reshape(len(totals), self._batch, *values.shape[1:]).sum(axis=1)
        else:
            np.add.at(totals, run, values)

    def _fill_tokens(
        self, cluster: Cluster, roles: list[SampledRole], normals: Array, begin: int, here: Array,
        tokens: list[Array], projections: list[Array],
    ) -> int:  # fmt: skip
        """Fill in tokens in the frame and their projections; return where numbers go on."""
        laws, width = self._laws, self._frames.width
        parts = []
        for i in cluster.roles:
            count = cluster.count * self._width(roles[i])
            part = normals[:, begin : begin + count]
            parts.append(part.reshape(len(normals), cluster.count, self._width(roles[i])))
            begin += count
        for i, mix, own in zip(cluster.roles, cluster.mixing, parts, strict=True):
            role, token = roles[i], roles[i].token
            # With their spikes, of which correlated tokens have as many.
            size = width + len(token.spikes)
            some = zip(mix, parts, strict=True)
            noise = np.sum([m * part[..., :size] for m, part in some if m], axis=0)
            X = noise[..., :width] * self._frames.spread(laws.scales[token])
            for k, (place, spike) in enumerate(laws.spikes[token].items()):
                X = X + np.sqrt(spike) * noise[..., width + k, None] * here[:, None, place]
            for place, c in laws.means[token].items():
                X = X + c * here[:, None, place]
            tokens[i], found, at = X, [], size
            for x in role.directions:
                if isinstance(x, Noise):
                    found.append(own[..., at])
                    at += 1
                else:
                    found.append(np.einsum("ncs,ns->nc", X, here[:, self._places[x]]))
            projections[i] = np.stack(found, axis=-1) if found else X[..., :0]
        return begin
