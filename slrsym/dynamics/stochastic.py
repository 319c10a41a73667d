r"""Stochastic gradient descent: each step takes the gradient of the error on a fresh batch.

A step depends on the tokens through their coordinates in the span of
:math:`k, v, k^\star, v^\star`, and through two weighted sums of what they have beyond it, with
weights that depend on the coordinates alone. Given the weights, these sums are jointly normal in
:math:`\mathbb{R}^{d-4}`, and the next overlaps depend on them through their Gram matrix, which has
a Wishart law. So runs are drawn exactly in law, at a cost that does not depend on d.
"""

from __future__ import annotations

import inspect
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import numpy as np
from numpy.random import Generator, SeedSequence, default_rng
from numpy.typing import NDArray
from sympy import erf

from slrsym.dynamics import _stochastic_loop
from slrsym.dynamics.engines import States, Vectors, cores
from slrsym.kernels.numpy_backend import numpy_parts
from slrsym.kernels.program import Program
from slrsym.notation import lam
from slrsym.task import Task, U, V

__all__ = ["LEAST_DIMENSION", "StochasticEngine", "StochasticVectorEngine", "token_program"]

# Below, the space beyond the span is too small for the Gram matrix to have a density.
LEAST_DIMENSION = 6


@cache
def token_program() -> Program:
    """A token's contribution to the prediction (3), and its derivatives in X.k and X.v.

    Returns
    -------
    Program
        Of a state U, V and the parameter lambda.
    """
    part = erf(lam * U) * V
    return Program.of((part, part.diff(U), part.diff(V)), (U, V), (lam,))


def _streams(seed: int, runs: int, start: int) -> list[tuple[Generator, Generator]]:
    """For each run normal variates and others, apart, so that many can be drawn at once.

    A run that goes on from a later step has streams of its own.
    """
    children = SeedSequence([seed, 2, start]).spawn(runs)
    return [tuple(map(default_rng, child.spawn(2))) for child in children]  # type: ignore[misc]


class StochasticEngine:
    """Runs in the overlaps, exact in law.

    Parameters
    ----------
    states : ndarray, shape (runs, 5)
    task : Task
        With d of at least `LEAST_DIMENSION`.
    alpha : float
        Step size.
    batch : int
        How many sequences of tokens a step draws.
    backend : {'numpy', 'numba'}, optional
        Both draw the same numbers.
    seed : int, optional
        Of the random numbers.
    start : int, optional
        The step that the states belong to.

    Raises
    ------
    ValueError
        If d is too small.
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
    ) -> None:
        if task.d < LEAST_DIMENSION:
            raise ValueError(
                f"d must be at least {LEAST_DIMENSION} for batches in the overlaps; got {task.d}"
            )
        self._states = np.array(states)
        self._task, self._alpha, self._batch = task, alpha, batch
        self._streams = _streams(seed, len(states), start)
        self._walk = _compiled_walk() if backend == "numba" else None

    @property
    def states(self) -> States:
        """The states, (runs, 5)."""
        return self._states

    def advance(self, temperatures: NDArray[np.float64], every: int) -> States:
        """Move by a step for each temperature.

        Parameters
        ----------
        temperatures : ndarray, shape (rows * every,)
        every : int
            After how many steps the states are noted.

        Returns
        -------
        ndarray of shape (rows, runs, 5)
        """
        if self._walk is None:
            return self._advance_together(temperatures, every)
        task, walk = self._task, self._walk
        noted = np.empty((len(self._states), temperatures.size // every, 5))
        rest = (task.gamma, float(task.d), task.L, task.epsilon, self._alpha, self._batch)

        def work(run: int) -> None:
            walk(self._states[run], temperatures, every, *rest, *self._streams[run], noted[run])

        with ThreadPoolExecutor(cores()) as pool:
            list(pool.map(work, range(len(self._states))))
        return np.moveaxis(noted, 0, 1)

    def _advance_together(self, temperatures: NDArray[np.float64], every: int) -> States:
        """The same in NumPy, all runs at once; the loop in `_stochastic_loop` says what happens."""
        task, batch = self._task, self._batch
        constants, body = numpy_parts(token_program())
        count = batch * (4 * task.L + 1) + 1
        most = max(1, 2_000_000 // (count * len(self._states)))
        noted = np.empty((temperatures.size // every, *self._states.shape))
        for first in range(0, temperatures.size, most):
            some = temperatures[first : first + most]
            normals = np.stack([r.standard_normal((some.size, count)) for r, _ in self._streams])
            degrees = [task.d - 4.0, task.d - 5.0]
            others = np.stack([r.chisquare(degrees, (some.size, 2)) for _, r in self._streams])
            for i, temperature in enumerate(some.tolist()):
                fixed = constants(temperature)
                self._states = self._step(body, fixed, normals[:, i], others[:, i])
                if (first + i + 1) % every == 0:
                    noted[(first + i + 1) // every - 1] = self._states
        return noted

    def _step(self, body: Any, fixed: Any, normals: States, others: States) -> States:
        task, alpha, batch, runs = self._task, self._alpha, self._batch, len(self._states)
        k, v = _in_frame(self._states)
        # As they are drawn: the informative token, the noise of the output, the other tokens.
        drawn = normals[:, :-1].reshape(runs, batch, -1)
        noise = drawn[:, :, 4]
        tokens = np.delete(drawn, 4, axis=2).reshape(runs, batch, task.L, 4)
        tokens[:, :, 0] *= task.gamma
        tokens[:, :, 0, 0] += np.sqrt(task.d / 2)
        u, w = (np.einsum("rbli,ri->rbl", tokens, x) for x in (k, v))
        part, part_u, part_w = body(u, w, *fixed)
        outputs = tokens[:, :, 0, 1] + task.epsilon * noise
        slope = (2 / batch) * (part.sum(axis=2) - outputs)[:, :, None]
        weights = np.stack([slope * part_u, slope * part_w])
        sums = np.einsum("crbl,rbli->cri", weights, tokens)
        weights[:, :, :, 0] *= task.gamma
        aa, ab, bb = (
            np.einsum("rbl,rbl->r", weights[i], weights[j]) for i, j in ((0, 0), (0, 1), (1, 1))
        )
        low = np.divide(ab, np.sqrt(aa), out=np.zeros(runs), where=aa > 0)
        free = np.sqrt(np.maximum(0, bb - low * low))
        length = np.sqrt(others[:, 0])
        across = low * length + free * normals[:, -1]
        k = k - alpha * (sums[0] - (sums[0] * k).sum(axis=1, keepdims=True) * k)
        v = v - alpha * (sums[1] - (sums[1] * v).sum(axis=1, keepdims=True) * v)
        beyond = alpha * alpha
        k_norm = np.sqrt((k * k).sum(axis=1) + beyond * aa * length**2)
        v_norm = np.sqrt((v * v).sum(axis=1) + beyond * (across**2 + free**2 * others[:, 1]))
        inner = (k * v).sum(axis=1) + beyond * np.sqrt(aa) * length * across
        return np.stack(
            [
                k[:, 0] / k_norm,
                v[:, 1] / v_norm,
                v[:, 0] / v_norm,
                k[:, 1] / k_norm,
                inner / (k_norm * v_norm),
            ],
            axis=1,
        )


def _in_frame(states: States) -> tuple[States, States]:
    """Coordinates of k and v in a frame that begins with k*, v*, and has k in three axes."""
    kappa, nu, theta, eta, rho = states.T
    zero = np.zeros_like(kappa)
    k3 = np.sqrt(np.maximum(0, 1 - kappa**2 - eta**2))
    v3 = np.divide(rho - kappa * theta - eta * nu, k3, out=zero.copy(), where=k3 > 1e-8)
    v4 = np.sqrt(np.maximum(0, 1 - theta**2 - nu**2 - v3**2))
    return np.stack([kappa, eta, k3, zero], axis=1), np.stack([theta, nu, v3, v4], axis=1)


@cache
def _compiled_walk() -> Any:
    from slrsym.kernels.numba_backend import DECORATOR, compiled_module, program_source

    loop = inspect.getsource(_stochastic_loop.walk)
    source = f"import numpy as np\n\n\n{program_source(token_program())}{DECORATOR}{loop}"
    return compiled_module(source).walk


class StochasticVectorEngine(Vectors):
    """Vectors, moved by the gradient of the error on tokens drawn in all their dimensions.

    Parameters
    ----------
    states, task, alpha, seed
        As for `Vectors`; the seed is of the tokens, too.
    batch : int
        How many sequences of tokens a step draws.
    start : int, optional
        The step that the states belong to.
    """

    def __init__(
        self, states: States, task: Task, alpha: float, batch: int, seed: int = 0, start: int = 0
    ) -> None:
        super().__init__(states, task, alpha, seed)
        self._batch = batch
        self._streams = [normal for normal, _ in _streams(seed, len(states), start)]
        self._constants, self._body = numpy_parts(token_program())

    def _gradients(self, temperature: float) -> tuple[States, States]:
        fixed = self._constants(temperature)
        pairs = [self._of_run(run, stream, fixed) for run, stream in enumerate(self._streams)]
        k_gradients, v_gradients = zip(*pairs, strict=True)
        return np.array(k_gradients), np.array(v_gradients)

    def _of_run(self, run: int, stream: Generator, fixed: Any) -> tuple[States, States]:
        task = self._task
        tokens = stream.standard_normal((self._batch, task.L, task.d))
        # The law of the gradient does not depend on where the informative token stands.
        tokens[:, 0] *= task.gamma
        tokens[:, 0] += np.sqrt(task.d / 2) * self.k_star[run]
        noise = task.epsilon * stream.standard_normal(self._batch)
        part, part_u, part_w = self._body(tokens @ self.k[run], tokens @ self.v[run], *fixed)
        error = part.sum(axis=1) - tokens[:, 0] @ self.v_star[run] - noise
        slope = (2 / self._batch) * error[:, None]
        return (
            np.einsum("bl,bld->d", slope * part_u, tokens),
            np.einsum("bl,bld->d", slope * part_w, tokens),
        )
