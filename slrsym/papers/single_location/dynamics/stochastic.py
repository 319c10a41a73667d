r"""Stochastic gradient descent, with a fresh batch of samples at each step.

A step depends on the tokens through their coordinates in the span of
:math:`k, v, k^\star, v^\star`, and through two weighted sums of what they have beyond it, with
weights that depend on the coordinates alone. Given the weights, these sums are jointly normal in
:math:`\mathbb{R}^{d-4}`, and the next overlaps depend on them through their Gram matrix, which has
a Wishart law. So runs are drawn exactly in law, at a cost that does not depend on d. The same
holds inside of the span: the weights depend on what a token has along k and v, those of the
informative token also on what it has along :math:`v^\star`, and sums of the rest are drawn as
sums.

Figure 5 is made of such steps. The Wishart law is drawn by the decomposition of Bartlett
(Proceedings of the Royal Society of Edinburgh 53, 1933), which does not need d of 6 at least, as
the density does. In five dimensions the Gram matrix has rank one, and in four or less there is
nothing beyond the span: all coordinates of both sums are drawn, as they are of vectors. So small d
needs no other engine, and runs that are resumed go on to the last bit there too.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import numpy as np
from numpy.random import SeedSequence, default_rng
from numpy.typing import NDArray

from slrsym.kernels.arguments import flag_changed_steps
from slrsym.kernels.compile import iterate_step, numpy_constant_and_output_functions
from slrsym.kernels.kept_programs import program_function_cached_on_disk
from slrsym.kernels.machine_limits import count_cores
from slrsym.kernels.numba_backend import DECORATOR, compile_loop
from slrsym.models.training.runs import Engine
from slrsym.papers.single_location.dynamics import _stochastic_loop
from slrsym.papers.single_location.dynamics.engines import States
from slrsym.papers.single_location.task import Task

__all__ = ["StochasticEngine"]

# After so many steps a run takes new streams of random numbers, so that runs which go on from some
# step find the numbers that belong to it without drawing all that came before.
_BLOCK = 1000

# About how many numbers NumPy draws at a time.
_MOST = 2_000_000


token_program = program_function_cached_on_disk(
    "slrsym.papers.single_location.paper_risk_expressions.erf_token_share_and_derivatives_program"
)


class _Streams:
    """The random numbers of one run, from separate streams for each block of steps.

    Apart, so that many can be drawn at once. The seed of the runs has a child for each run, and
    that one for each block, as `SeedSequence.spawn` makes them.
    """

    def __init__(self, seed: int, run: int, task: Task, batch: int, step: int) -> None:
        self._root, self._run, self._step = SeedSequence([seed, 2]), run, step
        # As `walk` draws them.
        self._count = batch * (2 * task.L + 2) + 11
        self._degrees = [float(x) for x in (task.d - 4, task.d - 5) if x > 0]
        self._open(step % _BLOCK)

    def _open(self, skipped: int) -> None:
        key = (self._run, self._step // _BLOCK)
        child = SeedSequence(self._root.entropy, spawn_key=key)
        self.normal, self.chi = map(default_rng, child.spawn(2))
        most = max(1, _MOST // self._count)
        for begin in range(0, skipped, most):
            self.draw(min(most, skipped - begin))

    def draw(self, steps: int) -> tuple[States, States]:
        """Draw the numbers for some steps: normal, (steps, count), and chi-square, (steps, 2)."""
        others = np.zeros((steps, 2))
        if self._degrees:
            shape = (steps, len(self._degrees))
            others[:, : len(self._degrees)] = self.chi.chisquare(self._degrees, shape)
        return self.normal.standard_normal((steps, self._count)), others

    def pieces(self, steps: int, most: int = _BLOCK) -> Iterator[int]:
        """Yield numbers of steps that lie within one block, and open each block's streams."""
        while steps:
            piece = min(steps, most, _BLOCK - self._step % _BLOCK)
            yield piece
            self._step += piece
            steps -= piece
            if self._step % _BLOCK == 0:
                self._open(0)


class StochasticEngine(Engine):
    """Engine of stochastic gradient descent in the overlaps, exact in distribution.

    Parameters
    ----------
    states : ndarray, shape (runs, 5)
    task : Task
    alpha : float
        Step size.
    batch : int
        How many sequences of tokens a step draws.
    backend : {'numpy', 'numba'}, optional
        Both draw the same numbers.
    seed : int, optional
        Of the random numbers.
    start : int, optional
        The step that the states belong to. Runs that go on from it are, to the last bit, those that
        were never interrupted.
    labels : sequence of int, optional
        Numbers of the runs, by which their random numbers are told apart; by default 0, 1, ...
    """

    def __init__(
        self,
        states: States,
        task: Task,
        alpha: float,
        batch: int,
        backend: str = "numpy",
        seed: int = 0,
        start: int = 0,
        labels: Sequence[int] | None = None,
    ) -> None:
        self._states = np.array(states)
        self._task, self._alpha, self._batch = task, alpha, batch
        names = range(len(states)) if labels is None else map(int, labels)
        self._streams = [_Streams(seed, run, task, batch, start) for run in names]
        self._walk: Any = _compiled_walk() if backend == "numba" else None
        self._rest = (task.gamma, float(task.d), task.L, task.epsilon, alpha, batch)

    @property
    def states(self) -> States:
        """The overlaps of all runs, shape (runs, 5)."""
        return self._states

    def advance(self, inverse_temperatures: NDArray[np.float64], every: int) -> States:
        if self._walk is None:
            return self._advance_together(inverse_temperatures, every)
        # They are moved in place, and those of before may be somebody's.
        self._states = self._states.copy()
        # Compiled here and not in a thread, where an interrupt would wait for it.
        none, streams = self._states[:0], self._streams[0]
        some, fresh = inverse_temperatures[:1], np.ones(1, dtype=bool)
        self._walk(none, none[None], 1, fresh, some, *self._rest, streams.normal, streams.chi)
        noted = np.empty((inverse_temperatures.size // every, *self._states.shape))
        # Machine code runs without the interpreter's lock.
        with ThreadPoolExecutor(count_cores()) as pool:
            runs = range(len(self._states))
            list(
                pool.map(
                    lambda run: self._advance_one(run, inverse_temperatures, every, noted), runs
                )
            )
        return noted

    def _advance_one(
        self, run: int, inverse_temperatures: NDArray[np.float64], every: int, noted: States
    ) -> None:
        streams, done = self._streams[run], 0
        for steps in streams.pieces(inverse_temperatures.size):
            end = done + steps
            while done < end:
                # Whole rows, or what is left of one at either end.
                gap = min(every - done % every, end - done)
                rows = (end - done) // every if gap == every else 1
                some = inverse_temperatures[done : done + rows * gap]
                found, fresh = np.empty((rows, 1, 5)), flag_changed_steps([some], some.size)
                state, numbers = self._states[run : run + 1], (streams.normal, streams.chi)
                self._walk(state, found, gap, fresh, some, *self._rest, *numbers)
                done += rows * gap
                if done % every == 0:
                    noted[done // every - rows : done // every, run] = found[:, 0]

    def _advance_together(self, inverse_temperatures: NDArray[np.float64], every: int) -> States:
        """Take steps of all runs at once in NumPy, with the same results as the compiled loop."""
        constants, body = numpy_constant_and_output_functions(token_program())
        numbers = self._drawn(inverse_temperatures.size)

        def step(states: States, fixed: Any) -> States:
            return self._step(states, body, fixed, *next(numbers))

        given, steps = (inverse_temperatures,), inverse_temperatures.size
        # Of states that are not finite an error tells at the end of all runs.
        with np.errstate(all="ignore"):
            self._states, noted = iterate_step(
                step, constants, self._states, given, steps, every, lambda states: states
            )
        # The streams are moved on after the last step.
        next(numbers, None)
        return noted.reshape(-1, *self._states.shape)

    def _drawn(self, steps: int) -> Iterator[tuple[States, States]]:
        """Yield the random numbers of each step, for all runs."""
        count = self._batch * (2 * self._task.L + 2)
        most = max(1, _MOST // (count * len(self._states)))
        # All runs come to the end of a block together.
        pieces = (streams.pieces(steps, most) for streams in self._streams)
        for piece, *_ in zip(*pieces, strict=True):
            numbers = (streams.draw(piece) for streams in self._streams)
            normals, others = map(np.stack, zip(*numbers, strict=True))
            for i in range(piece):
                yield normals[:, i], others[:, i]

    def _step(
        self, states: States, body: Any, fixed: Any, normals: States, others: States
    ) -> States:
        task, alpha, batch = self._task, self._alpha, self._batch
        runs, least = len(states), min(task.d, 4)
        root = np.sqrt(task.d / 2)
        k, v = _in_frame(states, task.d)
        e, f, width = _beside(k, v, least)
        inner, outer = _dot(k, v)[:, None], _dot(e, v)[:, None]
        # As they are drawn: of the informative token three coordinates, and the noise of the
        # output; two of each other token.
        drawn = normals[:, : batch * (2 * task.L + 2)].reshape(runs, batch, -1)
        along, across, beside, noise = np.moveaxis(drawn[:, :, :4], 2, 0)
        x, y = np.moveaxis(drawn[:, :, 4:].reshape(runs, batch, task.L - 1, 2), 3, 0)
        u = root * k[:, :1] + task.gamma * along
        w = root * v[:, :1] + task.gamma * (inner * along + outer * across)
        output = k[:, 1:2] * along + e[:, 1:2] * across + width[:, None] * beside
        output = task.gamma * output + task.epsilon * noise
        first_part, *first_slopes = body(u, w, *fixed)
        part, *slopes = body(x, inner[:, :, None] * x + outer[:, :, None] * y, *fixed)
        error = (2 / batch) * (first_part - output + part.sum(axis=2))
        first_weights = np.stack([error * slope for slope in first_slopes])
        weights = np.stack([error[:, :, None] * slope for slope in slopes]).reshape(2, runs, -1)
        x, y = x.reshape(runs, -1), y.reshape(runs, -1)
        means = root * first_weights.sum(axis=2)
        first_weights *= task.gamma
        sums_k = _dot(first_weights, along) + _dot(weights, x)
        sums_e = _dot(first_weights, across) + _dot(weights, y)
        sums_f = _dot(first_weights, beside)
        rest = normals[:, -11:]
        # What the other tokens have along f, given the weights.
        gram = _gram(weights)
        sums_f = sums_f + _correlated(*gram, rest[:, 0], rest[:, 1])[0]
        # What all tokens have in the frame, orthogonal to k, e and f.
        first = _gram(first_weights)
        gram = (gram[0] + first[0], gram[1] + first[1], gram[2] + first[2])
        inside = np.zeros((2, runs, 4))
        inside[:, :, :least] = np.moveaxis(rest[:, 2:10].reshape(runs, 2, 4), 1, 0)[:, :, :least]
        sums, (low, free) = _correlated(*gram, inside[0], inside[1])
        for axis, along_axis in ((k, sums_k), (e, sums_e), (f, sums_f)):
            sums = sums + (along_axis - _dot(sums, axis))[:, :, None] * axis
        sums[:, :, 0] += means
        # The parts of both sums beyond the frame, by their Gram matrix: Bartlett's decomposition.
        length = np.sqrt(others[:, 0])
        beyond = low * length + free * rest[:, 10] * (task.d >= 5)
        k = k - alpha * (sums[0] - _dot(sums[0], k)[:, None] * k)
        v = v - alpha * (sums[1] - _dot(sums[1], v)[:, None] * v)
        square, top = alpha * alpha, np.sqrt(gram[0])
        k_norm = np.sqrt(_dot(k, k) + square * (top * length) ** 2)
        v_norm = np.sqrt(_dot(v, v) + square * (beyond**2 + free**2 * others[:, 1]))
        # Not a number where a square overflows.
        k_norm, v_norm = k_norm + 0 * k_norm, v_norm + 0 * v_norm
        both = _dot(k, v) + square * top * length * beyond
        overlaps = (k[:, 0] / k_norm, v[:, 1] / v_norm, v[:, 0] / v_norm, k[:, 1] / k_norm)
        return np.stack([*overlaps, both / (k_norm * v_norm)], axis=1)


def _dot(x: States, y: States) -> States:
    # Along an axis of its own, so that a run does not depend on those beside it, to the last bit.
    result: States = np.add.reduce(x * y, axis=-1)
    return result


def _gram(weights: States) -> tuple[States, States, States]:
    """Return the inner products of the weights of k and of v, of shape (2, runs, n)."""
    a, b = weights
    return _dot(a, a), _dot(a, b), _dot(b, b)


def _correlated(
    aa: States, ab: States, bb: States, r: States, s: States
) -> tuple[States, tuple[States, States]]:
    """Return pairs of correlated normal numbers with a given Gram matrix, from independent ones."""
    low = np.divide(ab, np.sqrt(aa), out=np.zeros_like(ab), where=aa > 0)
    free = np.sqrt(np.maximum(0, bb - low * low))
    shape = aa.shape + (1,) * (r.ndim - 1)
    top, below, beside = (x.reshape(shape) for x in (np.sqrt(aa), low, free))
    return np.stack([top * r, below * r + beside * s]), (low, free)


def _in_frame(states: States, d: int) -> tuple[States, States]:
    """Return coordinates of k and v in an orthonormal frame that begins with k*, v*."""
    k1, v2, v1, k2, inner = states.T
    zero = np.zeros_like(k1)
    k3 = np.sqrt(np.maximum(0, 1 - k1**2 - k2**2)) if d >= 3 else zero
    left = np.maximum(0, 1 - v1**2 - v2**2)
    v3 = np.divide(inner - k1 * v1 - k2 * v2, k3, out=zero.copy(), where=k3 > 1e-8)
    v3 = np.where((d == 3) | (v3**2 > left), np.copysign(np.sqrt(left), v3), v3)
    v4 = np.sqrt(np.maximum(0, left - v3**2)) if d >= 4 else zero
    return np.stack([k1, k2, k3, zero], axis=1), np.stack([v1, v2, v3, v4], axis=1)


def _beside(k: States, v: States, least: int) -> tuple[States, States, States]:
    """Return the unit part of v beside k, that of v* beside both, and the latter's length."""
    e = v - _dot(k, v)[:, None] * k
    flat = _dot(e, e) < 1e-14
    if flat.any():
        # Any will do.
        zero, one = np.zeros(len(k)), np.ones(len(k))
        turned = np.stack([-k[:, 1], k[:, 0], zero, zero], axis=1)
        upright = np.stack([k[:, 2], zero, -k[:, 0], zero], axis=1)
        any_will_do = np.where((_dot(k[:, :2], k[:, :2]) > 0.1)[:, None], turned, upright)
        if least == 4:
            any_will_do = np.stack([zero, zero, zero, one], axis=1)
        e = np.where(flat[:, None], any_will_do, e)
    e = e - _dot(e, k)[:, None] * k
    e = e / np.sqrt(_dot(e, e))[:, None]
    f = -k[:, 1:2] * k - e[:, 1:2] * e
    f[:, 1] += 1
    width = np.sqrt(_dot(f, f))
    width = np.where(width < 1e-8, 0.0, width)
    f = np.divide(f, width[:, None], out=np.zeros_like(f), where=width[:, None] > 0)
    return e, f, width


@cache
def _compiled_walk() -> Any:
    program = token_program()
    parts = (_stochastic_loop.fill_token_contributions, _stochastic_loop.move_state_by_step)
    helpers = "\n\n".join(f"{DECORATOR}{inspect.getsource(part)}" for part in parts)
    rest = "gamma, d, L, epsilon, alpha, batch, normal, chi"
    return compile_loop(
        program,
        rest,
        "work = np.zeros((batch * L + 63) // 64 * 384)\ninformative = np.empty((batch, 3))",
        f"move_state_by_step(states[first], work, informative, fixed, {rest})",
        "",
        "for n in range(states.shape[1]):\n    noted[row, first, n] = states[first, n]",
        helpers,
    )
