"""Random settings: overlaps of vectors, tasks, inverse temperatures, laws of the location."""

from typing import NamedTuple

import numpy as np

from slrsym.papers.single_location import Task


class Setting(NamedTuple):
    """Where an estimate is made."""

    task: Task
    state: np.ndarray
    lam: float
    probabilities: np.ndarray


def random_state(rng: np.random.Generator, dimension: int) -> np.ndarray:
    """Overlaps of random vectors; of three dimensions and fewer, on the boundary."""
    k, v = (x / np.linalg.norm(x) for x in rng.standard_normal((2, dimension)))
    return np.array([k[0], v[1], v[0], k[1], k @ v])


def settings(count: int, seed: int, most_d: float = 1e4, most_t: float = np.inf) -> list[Setting]:
    """Random settings, the same ones every time.

    Where the mean score t of the informative token is large, its attention is saturated, and
    derivatives live on samples that are too rare to be met.
    """
    found = []
    for child in np.random.SeedSequence(seed).spawn(count):
        rng = np.random.default_rng(child)
        d = int(2 * (most_d / 2) ** rng.random())
        L = int(rng.integers(1, 9))
        gamma, epsilon = np.exp(rng.uniform(-1, 0.7)), rng.uniform(0, 0.5)
        state = random_state(rng, min(d, int(rng.integers(2, 6))))
        lam = np.exp(rng.uniform(np.log(0.03), np.log(3)))
        score = lam * np.sqrt(d / 2) * abs(state[0])
        lam *= min(1.0, most_t / score)
        found.append(Setting(Task(d, L, gamma, epsilon), state, lam, rng.dirichlet(np.ones(L))))
    return found
