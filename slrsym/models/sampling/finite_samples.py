r"""Descent on finitely many samples of tokens, which are drawn once.

What a step depends on are inner products of directions and tokens. Those parts of the tokens that
are beyond the span of the directions at the start are independent normal vectors, and have a
Wishart matrix of inner products. It is drawn by the decomposition of Bartlett (Proceedings of the
Royal Society of Edinburgh 53, 1933), so that vectors have as many coordinates as there are tokens
and directions, however large d is, and d where that is less.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.random import Generator, SeedSequence, default_rng
from numpy.typing import NDArray

from slrsym.kernels.machine_limits import require_memory
from slrsym.models.definition.specification import Noise
from slrsym.models.sampling.batch_frames import DirectionFrames
from slrsym.models.sampling.sample_descent import SampleDescent
from slrsym.models.sampling.sampled_errors import EvaluatedBatch
from slrsym.models.sampling.token_batches import TokenBatch

if TYPE_CHECKING:
    from slrsym.models.training.descent import DerivedModel

Array = NDArray[np.float64]


class _Samples(NamedTuple):
    """The samples of one run that have one composition.

    Parameters
    ----------
    tokens : list of ndarray, shape (n, count, width)
        For each role.
    noises : list of ndarray, shape (n, count, k)
        For each role the values of each `Noise` inside of its share and target.
    noise : ndarray, shape (n,)
        Of the target, as standard normal numbers.
    """

    tokens: list[Array]
    noises: list[Array]
    noise: Array

    def take(self, chosen: NDArray[np.intp]) -> _Samples:
        """Return some of the samples."""
        tokens, noises = ([x[chosen] for x in some] for some in (self.tokens, self.noises))
        return _Samples(tokens, noises, self.noise[chosen])


class FiniteSampleEngine(SampleDescent):
    """Engine of descent on the mean error of samples that are drawn once, for each run.

    Parameters
    ----------
    model : DerivedModel
    factor : ndarray, shape (runs, spaces, p, r)
        Factors of the Gram matrices of the directions, trained ones first.
    row : sequence of float
        The parameters of the risk at the first step.
    others : mapping of str to number
        Values by name, of what else the samples depend on.
    dimensions : sequence of int
        Of the eigenspaces.
    alpha : float
        Step size.
    samples : int
        How many samples a run has.
    batch : int or None
        How many of them a step takes, at most all. Each pass through them has a new random order;
        what is left at its end, less than a batch, is left out. None takes all at each step.
    seed : int
        Each run has numbers of its own: it does not depend on how many stand beside it.
    """

    _reason = "tokens depend on it"

    def __init__(
        self, model: DerivedModel, factor: Array, row: Array, others: Any,
        dimensions: Sequence[int], alpha: float, samples: int, batch: int | None, seed: int,
    ) -> None:  # fmt: skip
        super().__init__(model, row, others, alpha, "samples")
        self._batch, self._size = batch, samples
        self._fixed = [
            i for i, s in enumerate(model.parameters) if i in self._fixed or s in self._laws.symbols
        ]
        self._frames = frames = DirectionFrames(factor, self._t, dimensions)
        runs, spaces, p, _ = frames.states.shape
        tokens = samples * max(sum(role.count for role in case.roles) for case in self._cases)
        self._rooms = [min(d, tokens) for d in frames.beyond.tolist()]
        self._space = p + max(self._rooms)
        self._width = spaces * self._space
        require_memory(f"samples = {samples:,} in {runs:,} runs", runs * tokens * self._width * 16)
        wide = np.pad(frames.states, ((0, 0), (0, 0), (0, 0), (0, max(self._rooms))))
        self._vectors = np.swapaxes(wide, 1, 2).reshape(runs, p, self._width)
        self._set_parameters([float(x) for x in row])
        children = [SeedSequence(seed, spawn_key=(run,)) for run in range(runs)]
        streams = [[default_rng(s) for s in child.spawn(4)] for child in children]
        self._samples: list[list[_Samples]] = []
        # Of each sample its composition, and its place among those of the same.
        self._positions: list[tuple[NDArray[np.intp], NDArray[np.intp]]] = []
        for vectors, (normal, chi, choices, _) in zip(self._vectors, streams, strict=True):
            chosen = self._chosen(choices.random(samples))
            counts = np.bincount(chosen, minlength=len(self._cases))
            rank = np.argsort(np.argsort(chosen, kind="stable"), kind="stable")
            self._positions.append((chosen, rank - (np.cumsum(counts) - counts)[chosen]))
            self._samples.append(self._drawn(counts.tolist(), vectors, normal, chi))
        self._orders = [some[3] for some in streams]
        self._left = [np.empty(0, dtype=np.intp) for _ in range(runs)]
        self._done = 0
        self._note_training_risks()

    def _drawn(
        self, counts: list[int], vectors: Array, normal: Generator, chi: Generator
    ) -> list[_Samples]:
        """Draw the samples of a run, so many of each composition."""
        sizes = [
            n * sum(role.count for role in case.roles)
            for n, case in zip(counts, self._cases, strict=True)
        ]
        white, begin, found = self._white_noise(sum(sizes), normal, chi), 0, []
        for case, (n, size) in enumerate(zip(counts, sizes, strict=True)):
            part = white[begin : begin + size]
            found.append(self._samples_of(case, n, part, vectors, normal))
            begin += size
        return found

    def _white_noise(self, count: int, normal: Generator, chi: Generator) -> Array:
        """Draw white noise of tokens, shape (count, spaces, coordinates)."""
        frames, p = self._frames, self._vectors.shape[1]
        found = np.zeros((count, frames.spaces, self._space))
        found[:, :, :p] = normal.standard_normal((count, frames.spaces, p)) * frames.live
        for space, (room, d) in enumerate(zip(self._rooms, frames.beyond.tolist(), strict=True)):
            beyond = found[:, space, p : p + room]
            if room == d:
                beyond[:] = normal.standard_normal(beyond.shape)
                continue
            # What is beyond the first tokens has no direction of its own: Bartlett's decomposition.
            beyond[:, :count] = np.tril(normal.standard_normal((count, count)), -1)
            index = np.arange(count)
            beyond[index, index] = np.sqrt(chi.chisquare(d - index))
        return found

    def _samples_of(
        self, case: int, n: int, white: Array, vectors: Array, normal: Generator
    ) -> _Samples:
        """Return samples of a composition from the white noise of their tokens."""
        laws, roles = self._laws, self._cases[case].roles
        tokens: list[Array] = [np.empty(0)] * len(roles)
        begin = 0
        for cluster in self._clusters[case]:
            size, parts, spikes = n * cluster.count, [], []
            for i in cluster.roles:
                part = white[begin : begin + size]
                parts.append(part.reshape(n, cluster.count, *part.shape[1:]))
                begin += size
                count = len(laws.spikes[roles[i].token])
                spikes.append(normal.standard_normal((n, cluster.count, count)))
            for i, mix in zip(cluster.roles, cluster.mixing, strict=True):
                token = roles[i].token
                X = np.tensordot(mix, parts, 1) * laws.scales[token][:, None]
                X = X.reshape(n, cluster.count, self._width)
                # Correlated tokens have as many spikes.
                along = np.tensordot(mix, spikes, 1)
                for k, (place, spike) in enumerate(laws.spikes[token].items()):
                    X += np.sqrt(spike) * along[..., k, None] * vectors[place]
                for place, c in laws.means[token].items():
                    X += c * vectors[place]
                tokens[i] = X
        noises = [
            normal.standard_normal((n, r.count, sum(isinstance(x, Noise) for x in r.directions)))
            for r in roles
        ]
        return _Samples(tokens, noises, normal.standard_normal(n))

    @property
    def states(self) -> Array:
        """The directions in coordinates of their span, shape (runs, spaces, p, p)."""
        moved = self._vectors[:, : self._t]
        shape = (*moved.shape[:2], self._frames.spaces, self._space)
        return self._frames.with_moved(self._frames.states, moved.reshape(shape))

    def _note_training_risks(self) -> None:
        total = np.zeros(len(self._vectors))
        for case, some in self._by_composition(self._samples):
            there, of = self._evaluated(case, some)
            total += np.bincount(of, self._errors.risks(there)[:, 0], len(total))
        trained = self._vectors[:, : self._t]
        penalty = np.sum(self._laws.ridge[:, None] * trained**2, axis=(1, 2)) / 2
        self.training_risks[self._done] = total / self._size + penalty

    def _steps(self, count: int) -> Iterator[None]:
        spheres = self._model.flow.spheres
        for _ in range(count):
            trained = self._vectors[:, : self._t]
            self._vectors[:, : self._t] = spheres.step(trained, self._gradients(), self._alpha)
            self._done += 1
            yield

    def _gradients(self) -> Array:
        """Return the gradients of the mean errors of a step's samples, shape (runs, t, width)."""
        vectors, runs = self._vectors, range(len(self._vectors))
        found = self._laws.ridge[:, None] * vectors[:, : self._t]
        chosen = [self._chosen_samples(run) for run in runs]
        for case, some in self._by_composition(chosen):
            there, of = self._evaluated(case, some)
            scale = self._scale(there, self._batch or self._size)
            ends = np.cumsum([samples.noise.size for samples in some])[:-1]
            for i, weights in enumerate(self._weights(there, scale)):
                for run, own in enumerate(np.split(weights, ends, axis=1)):
                    tokens = some[run].tokens[i].reshape(-1, self._width)
                    found[run] += own.reshape(self._t, -1) @ tokens
            if self._products:
                rates = there.slopes_in_products(len(self._products)) * scale
                for (i, j, part), rate in zip(self._moving(), rates, strict=True):
                    total = np.bincount(of, rate, len(runs))[:, None]
                    for moved, other in ((i, j), (j, i)):
                        if moved < self._t:
                            found[:, moved, part] += total * vectors[:, other, part]
        return np.asarray(found)

    def _by_composition(
        self, samples: list[list[_Samples]]
    ) -> Iterator[tuple[int, list[_Samples]]]:
        """Yield each composition that a run has samples of, with those of all runs."""
        for case in range(len(self._cases)):
            some = [own[case] for own in samples]
            if any(part.noise.size for part in some):
                yield case, some

    def _chosen_samples(self, run: int) -> list[_Samples]:
        """Return the samples of a run's next step, by their compositions."""
        samples = self._samples[run]
        if self._batch is None:
            return samples
        chosen = self._next(run)
        cases, places = (x[chosen] for x in self._positions[run])
        return [some.take(places[cases == case]) for case, some in enumerate(samples)]

    def _next(self, run: int) -> NDArray[np.intp]:
        """Return the numbers of a run's next samples, in the order of its pass through them."""
        batch = self._batch or self._size
        if len(self._left[run]) < batch:
            self._left[run] = self._orders[run].permutation(self._size)
        chosen, self._left[run] = self._left[run][:batch], self._left[run][batch:]
        return chosen

    def _evaluated(
        self, case: int, samples: Sequence[_Samples]
    ) -> tuple[EvaluatedBatch, NDArray[np.intp]]:
        """Return the errors of samples of a composition, of all runs, and the run of each."""
        of = np.repeat(np.arange(len(samples)), [some.noise.size for some in samples])
        projections = []
        for i, role in enumerate(self._cases[case].roles):
            vectors = [x for x in role.directions if not isinstance(x, Noise)]
            places = [self._places[x] for x in vectors]
            parts = [
                some.tokens[i] @ rows[places].T
                for some, rows in zip(samples, self._vectors, strict=True)
            ]
            inside = np.concatenate([some.noises[i] for some in samples])
            columns = iter(np.moveaxis(np.concatenate(parts), -1, 0))
            noises = iter(np.moveaxis(inside, -1, 0))
            found = np.empty((*inside.shape[:2], len(role.directions)))
            for k, x in enumerate(role.directions):
                found[..., k] = next(noises if isinstance(x, Noise) else columns)
            projections.append(found)
        self._set_errors([
            np.sum(self._vectors[:, i, part] * self._vectors[:, j, part], axis=-1)[of]
            for i, j, part in self._moving()
        ])  # fmt: skip
        noise = self._laws.noise * np.concatenate([some.noise for some in samples])
        return self._errors.evaluate(TokenBatch(case, projections, noise, noise)), of
