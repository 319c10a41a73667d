r"""Descent on batches of sampled tokens, exactly in law and at a cost independent of the dimension.

A step depends on tokens through their coordinates in the span of the directions, and through sums
of what they have beyond it, with weights that depend on these coordinates alone. Given the weights,
such sums are jointly normal and their Gram matrix has a Wishart law, which is drawn by the
decomposition of Bartlett (Proceedings of the Royal Society of Edinburgh 53, 1933). That does not
need as many dimensions as the density does. The same holds inside of the span, for what a token has
beside those directions that its share depends on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from slrsym.kernels.arguments import flag_changed_steps
from slrsym.kernels.machine_limits import count_cores, require_memory
from slrsym.models.sampling.batch_frames import DirectionFrames, roots_of_gram_matrices
from slrsym.models.sampling.cluster_draws import ClusterDraw, ClusterSums, add_to_runs
from slrsym.models.sampling.random_streams import RunStreams, StepNumbers
from slrsym.models.sampling.sample_descent import SampleDescent
from slrsym.models.sampling.token_batches import TokenBatch

if TYPE_CHECKING:
    from slrsym.models.training.descent import DerivedModel

Array = NDArray[np.float64]

# How many numbers are drawn at once for all runs, if one step does not need more.
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
    backend : {'numpy', 'numba'}, optional
        Both draw the same numbers.
    start : int, optional
        The step that the factors belong to. Runs that go on from it are those that were never
        interrupted.
    labels : sequence of int, optional
        Numbers of the runs, by which their random numbers are told apart; by default 0, 1, ...

    Raises
    ------
    NoMachineCodeError
        If there is no machine code for such a model.
    """

    def __init__(
        self, model: DerivedModel, factor: Array, row: Array, others: Any,
        dimensions: Sequence[int], alpha: float, batch: int, seed: int, backend: str = "numpy",
        start: int = 0, labels: Sequence[int] | None = None,
    ) -> None:  # fmt: skip
        super().__init__(model, row, others, alpha, "batch")
        self._batch = batch
        self._frames = frames = DirectionFrames(factor, self._t, dimensions)
        self._states = frames.states
        self._space = frames.width // frames.spaces
        self._draws = [
            [
                ClusterDraw(cluster, case.roles, self._places, self._t, frames.width, batch)
                for cluster in clusters
            ]
            for clusters, case in zip(self._clusters, self._cases, strict=True)
        ]
        # For each sample the numbers of its tokens, and the noise of its target.
        self._each = 1 + max(sum(x.count * x.each for x in draws) for draws in self._draws)
        self._size = batch * self._each
        count = self._size + sum(x.rest for draws in self._draws for x in draws) + frames.normals
        require_memory(f"batch = {batch:,} in {len(factor):,} runs", len(factor) * count * 64)
        names = range(len(factor)) if labels is None else map(int, labels)
        uniforms = batch if len(self._cases) > 1 else 0
        how = count, frames.degrees, uniforms, start
        self._streams = [RunStreams(seed, run, *how) for run in names]
        self._most = max(1, _MOST_NUMBERS // (count * len(factor)))
        self._walk: Any = None
        if backend == "numba":
            from slrsym.models.sampling.batch_loop import BatchLoop

            live = np.asarray(frames.live, dtype=np.float64).reshape(-1)
            self._walk = BatchLoop(
                model, self._laws, self._others, self._cases, self._draws, self._errors.is_loss,
                self._ends[: self._last + 1], live, frames.beyond, batch, alpha,
            )  # fmt: skip
            none = StepNumbers(*(np.zeros((0, n)) for n in (count, frames.degrees.size, uniforms)))
            self._walk.compile_ahead(self._states, row, none)
            self.work = 1 + count // 10

    @property
    def states(self) -> Array:
        """The directions in coordinates of their span, shape (runs, spaces, p, p)."""
        return self._states

    def advance(self, parameters: Array, every: int) -> Array:
        """Take one step for each row of parameters, and return every `every`-th state."""
        if self._walk is None:
            return super().advance(parameters, every)
        self._require_fixed(parameters)
        self._states = self._states.copy()
        noted = np.empty((len(parameters) // every, *self._states.shape))
        begin = self._walk.prepared(parameters)
        fresh = flag_changed_steps([*parameters.T], len(parameters))

        def advance_one(run: int) -> None:
            done, streams = 0, self._streams[run]
            for numbers in streams.pieces(len(parameters)):
                end = done + len(numbers.normal)
                begin(self._states[run], noted[:, run], every, done, fresh[done:end], numbers)
                done = end

        # Machine code runs without the interpreter's lock.
        runs, workers = range(len(self._states)), min(count_cores(), len(self._states))
        if workers == 1:
            for run in runs:
                advance_one(run)
        else:
            with ThreadPoolExecutor(workers) as pool:
                list(pool.map(advance_one, runs))
        self._set_parameters(parameters[-1].tolist())
        return noted

    def _steps(self, count: int) -> Iterator[None]:
        # All runs come to the end of a block together.
        most = min(self._most, *(streams.most for streams in self._streams[:1]))
        pieces = (streams.pieces(count, most) for streams in self._streams)
        for some in zip(*pieces, strict=True):
            normals, chi, uniform = (np.stack(x, axis=1) for x in zip(*some, strict=True))
            for numbers in zip(normals, chi, uniform, strict=True):
                self._states = self._step(*numbers)
                yield

    def _step(self, normals: Array, chi: Array, uniform: Array) -> Array:
        """Return the states after a step, from its random numbers."""
        runs, frames, laws = len(self._states), self._frames, self._laws
        rows = frames.rows(self._states)
        samples = normals[:, : self._size].reshape(runs, self._batch, -1)
        # In the frame, and the Gram matrices of the weights in each eigenspace.
        inside = laws.ridge[:, None] * rows[:, : self._t]
        gram = np.zeros((runs, frames.spaces, self._t, self._t))
        chosen = np.zeros((runs, self._batch), dtype=np.intp)
        if uniform.size:
            chosen = self._chosen(uniform)
        begin = self._size
        for case, draws in enumerate(self._draws):
            sums = [
                ClusterSums(
                    draw, laws, rows, [frames.spread(laws.scales[r.token]) for r in draw.members],
                    self._t,
                )
                for draw in draws
            ]  # fmt: skip
            run, _ = here = np.nonzero(chosen == case)
            if run.size:
                self._add_samples(case, run, samples[here], rows, inside, sums)
            for draw, some in zip(draws, sums, strict=True):
                inside += some.gradients(normals[:, begin : begin + draw.rest])
                begin += draw.rest
                some.add_gram_beyond(gram, np.array([laws.scales[r.token] for r in draw.members]))
        beyond = roots_of_gram_matrices(gram) @ frames.triangles(normals[:, begin:], chi)
        return frames.step(self._states, inside, beyond, self._model.flow.spheres, self._alpha)

    def _add_samples(
        self, case: int, run: NDArray[np.int64], normals: Array, rows: Array, inside: Array,
        sums: list[ClusterSums],
    ) -> None:  # fmt: skip
        """Add samples of a case to the sums of their runs, and to what products have inside."""
        draws, here, begin = self._draws[case], rows[run], 0
        numbers, projections = list[Array](), [np.empty(0)] * len(self._cases[case].roles)
        for draw, some in zip(draws, sums, strict=True):
            end = begin + draw.count * draw.each
            own = normals[:, begin:end].reshape(len(normals), draw.count, draw.each)
            numbers.append(own)
            for i, found in zip(draw.roles, some.projections(run, own), strict=True):
                projections[i] = found
            begin = end
        values = [np.sum(here[:, i, p] * here[:, j, p], axis=-1) for i, j, p in self._moving()]
        self._set_errors(values)
        noise = self._laws.noise * normals[:, -1]
        there = self._errors.evaluate(TokenBatch(case, projections, noise, noise))
        scale = self._scale(there, self._batch)
        weights = self._weights(there, scale)
        for draw, some, own in zip(draws, sums, numbers, strict=True):
            some.add(run, [weights[i] for i in draw.roles], own, self._batch)
        if self._products:
            rates = there.slopes_in_products(len(self._products))
            for (i, j, p), rate in zip(self._moving(), rates, strict=True):
                for moved, other in ((i, j), (j, i)):
                    if moved < self._t:
                        part = (scale * rate)[:, None] * here[:, other, p]
                        add_to_runs(inside[:, moved, p], run, part, self._batch)
