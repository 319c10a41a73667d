"""Definition 1 in all d dimensions, by the gradient of the risk, and by that of sampled tokens.

Steps of the package never see these vectors: they are of overlaps, or of a few coordinates.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.random import Generator, SeedSequence, default_rng
from numpy.typing import NDArray
from scipy.special import erf

from slrsym.kernels.compile import iterate_step
from slrsym.papers.single_location.dynamics.spheres import SPHERES, frame_coordinates
from slrsym.papers.single_location.paper_risk import kernel
from slrsym.papers.single_location.task import PLACES, Task

States = NDArray[np.float64]


def draw_vectors_and_stars_with_overlaps(
    states: NDArray[np.float64], d: int, seed: int = 0
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Draw vectors k, v, k*, v* with given overlaps, in a random position."""
    result = np.empty((4, len(states), d))
    # The streams that starts do not use.
    children = SeedSequence([seed, 1]).spawn(len(states))
    coordinates = frame_coordinates(states, min(d, 4))
    for i, child in enumerate(children):
        frame, triangle = np.linalg.qr(default_rng(child).standard_normal((d, min(d, 4))))
        # With these signs the frame is that of Gram and Schmidt, whose law no rotation changes.
        result[:, i] = coordinates[i] @ (frame * np.sign(np.diag(triangle))).T
    return result[0], result[1], result[2], result[3]


class VectorEngineBase:
    r"""Base class of engines that move vectors in :math:`\mathbb{R}^d` (Definition 1).

    Vectors that have the overlaps of the states are put in a random position.
    """

    def __init__(self, states: States, task: Task, alpha: float, seed: int = 0) -> None:
        self.k, self.v, self.k_star, self.v_star = draw_vectors_and_stars_with_overlaps(
            states, task.d, seed
        )
        self._task, self._alpha = task, alpha

    @property
    def vectors(self) -> tuple[States, ...]:
        """The vectors k, v, k*, v*, each of shape (runs, d)."""
        return self.k, self.v, self.k_star, self.v_star

    @property
    def states(self) -> States:
        """The overlaps of k, v, k* and v* in each run, shape (runs, 5)."""
        x = self.vectors
        return np.stack([np.einsum("rd,rd->r", x[i], x[j]) for i, j in PLACES], axis=1)

    def advance(self, inverse_temperatures: NDArray[np.float64], every: int) -> States:

        def step(_: Any, inverse_temperature: float) -> None:
            # Both gradients are taken at the old point.
            k_gradient, v_gradient = self._gradients(inverse_temperature)
            self.k = SPHERES.step(self.k, k_gradient, self._alpha)
            self.v = SPHERES.step(self.v, v_gradient, self._alpha)

        steps, given = inverse_temperatures.size, (inverse_temperatures,)
        noted = iterate_step(step, float, None, given, steps, every, lambda _: self.states)[1]
        return noted.reshape(-1, len(self.k), len(PLACES))

    def _gradients(self, inverse_temperature: float) -> tuple[States, States]:
        """Return gradients of the risk, or estimates, in k and in v, each of shape (runs, d)."""
        raise NotImplementedError


class VectorEngine(VectorEngineBase):
    """An engine that moves k and v in R^d by the exact gradient of the risk."""

    def __init__(
        self, states: States, task: Task, alpha: float, backend: str = "numpy", seed: int = 0
    ) -> None:
        super().__init__(states, task, alpha, seed)
        self._slopes = kernel("gradient", backend)
        self._rest = task.kernel_parameters

    def _gradients(self, inverse_temperature: float) -> tuple[States, States]:
        slopes = self._slopes(self.states, inverse_temperature, *self._rest)
        found: list[Any] = [0.0, 0.0]
        # The gradient of an inner product in one of its factors is the other factor.
        for (i, j), slope in zip(PLACES, slopes.T[:, :, None], strict=True):
            found[i] = found[i] + slope * self.vectors[j]
            if j < 2:
                found[j] = found[j] + slope * self.vectors[i]
        return found[0], found[1]


class StochasticVectorEngine(VectorEngineBase):
    """Engine of stochastic gradient descent with vectors and tokens in R^d.

    Parameters
    ----------
    states : ndarray, shape (runs, 5) or (runs, 2)
        Overlaps, as for `VectorEngineBase`.
    task : Task
    alpha : float
        Step size.
    batch : int
        How many sequences of tokens a step draws.
    seed : int, optional
        Of the random positions, and of the tokens, too.
    start : int, optional
        The step that the states belong to.
    labels : sequence of int, optional
        Numbers of the runs, by which their random numbers are told apart; by default 0, 1, ...
    """

    def __init__(
        self,
        states: States,
        task: Task,
        alpha: float,
        batch: int,
        seed: int = 0,
        start: int = 0,
        labels: Sequence[int] | None = None,
    ) -> None:
        super().__init__(states, task, alpha, seed)
        self._batch = batch
        names = range(len(states)) if labels is None else map(int, labels)
        keys = ((run, start) for run in names)
        self._streams = [default_rng(SeedSequence([seed, 3], spawn_key=key)) for key in keys]

    def _gradients(self, inverse_temperature: float) -> tuple[States, States]:
        pairs = [
            self._of_run(run, stream, inverse_temperature)
            for run, stream in enumerate(self._streams)
        ]
        k_gradients, v_gradients = zip(*pairs, strict=True)
        return np.array(k_gradients), np.array(v_gradients)

    def _of_run(self, run: int, stream: Generator, lam: float) -> tuple[States, States]:
        task = self._task
        tokens = stream.standard_normal((self._batch, task.L, task.d))
        # The law of the gradient does not depend on where the informative token stands.
        tokens[:, 0] *= task.gamma
        tokens[:, 0] += np.sqrt(task.d / 2) * self.k_star[run]
        noise = task.epsilon * stream.standard_normal(self._batch)
        u, w = tokens @ self.k[run], tokens @ self.v[run]
        part_w = erf(lam * u)
        part_u = 2 * lam / np.sqrt(np.pi) * np.exp(-((lam * u) ** 2)) * w
        error = (part_w * w).sum(axis=1) - tokens[:, 0] @ self.v_star[run] - noise
        slope = (2 / self._batch) * error[:, None]
        return (
            np.einsum("bl,bld->d", slope * part_u, tokens),
            np.einsum("bl,bld->d", slope * part_w, tokens),
        )
