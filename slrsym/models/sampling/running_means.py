"""Sampling until the standard error is small enough, with reproducible random numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.random import SeedSequence
from numpy.typing import NDArray

from slrsym.kernels.machine_limits import warn_of_long_work

# Each block of so many observations has its own stream of random numbers, and the standard error
# is looked at after each.
BLOCK = 4096

Progress: TypeAlias = Callable[[int, float], None]


# What is averaged: a function from a batch of samples to rows of values, one for each sample.
Quantity: TypeAlias = Callable[[Any], NDArray[np.float64]]


class Source(Protocol):
    """A source of samples, in batches; of an antithetic pair there are two."""

    def batches(self, seed: SeedSequence, n: int) -> Iterator[tuple[Any, ...]]:
        """Yield samples in batches of bounded memory, whose size does not affect the samples."""


def child_seed_sequence(root: SeedSequence, *key: int) -> SeedSequence:
    """Return a child of a seed sequence by its key, without changing the seed sequence."""
    return SeedSequence(root.entropy, spawn_key=(*root.spawn_key, *key), pool_size=root.pool_size)


def root_seed_sequence(rng: Any) -> SeedSequence:
    """Return the seed sequence of a random generator or seed; return a seed sequence as it is."""
    if isinstance(rng, np.random.Generator):
        return SeedSequence(rng.integers(2**32, size=4).tolist())
    if isinstance(rng, SeedSequence):
        # A copy: whoever passes it in does not see it change.
        return child_seed_sequence(rng)
    try:
        if isinstance(rng, bool | float):
            raise TypeError
        return SeedSequence(rng)
    except (TypeError, ValueError):
        raise ValueError(
            "rng must be an integer that is not negative, a SeedSequence, a Generator or None; "
            f"got {rng!r}"
        ) from None


def sample_quantity(
    quantity: Quantity,
    source: Source,
    root: SeedSequence,
    observations: int,
    target_stderr: float | None = None,
    progress: Progress | None = None,
) -> RunningMoments:
    """Sample a quantity to a number of observations or a target error; return its moments."""
    moments = RunningMoments()
    block, begun = 0, perf_counter()
    while moments.count < observations:
        count = min(BLOCK, observations - moments.count)
        for batches in source.batches(child_seed_sequence(root, block), count):
            rows = quantity(batches[0])
            for other in batches[1:]:
                rows = (rows + quantity(other)) / 2
            moments.add(rows)
        block += 1
        if block == 1 and target_stderr is None:
            took = perf_counter() - begun
            warn_of_long_work(
                f"{observations:,} samples", took * (observations / moments.count - 1)
            )
        error = float(moments.stderr.max())
        if progress is not None:
            progress(moments.count, error)
        # The first block may have missed what is rare, and seem better than it is; where there was
        # no spread at all, nothing rare has been met yet.
        if target_stderr is not None and block >= 2 and 0 < error <= target_stderr:
            break
    return moments


class RunningMoments:
    """Running mean and variance of samples, updated without loss of precision.

    Each part gives its own mean and centred sum of squares; two of these are merged as in T. F.
    Chan, G. H. Golub, R. J. LeVeque, *Algorithms for computing the sample variance* (1983).
    """

    def __init__(self) -> None:
        self.count = 0
        # Arrays as soon as there are observations, which say how many components there are.
        self.mean: Any = 0.0
        self._squares: Any = 0.0

    def add(self, rows: NDArray[np.float64]) -> None:
        """Update the running mean and variance with observations, one in each row."""
        if not len(rows):
            return
        # Equal numbers have no spread, not even by rounding of their mean.
        mean = rows[0] + (rows - rows[0]).mean(axis=0)
        centred = rows - mean
        apart = mean - self.mean
        total = self.count + len(rows)
        weight = self.count * (len(rows) / total)
        self._squares += np.einsum("ni,ni->i", centred, centred) + weight * apart**2
        self.mean = self.mean + apart * (len(rows) / total)
        self.count = total

    @property
    def variance(self) -> NDArray[np.float64]:
        """The variance of each component of one observation, shape (size,)."""
        return np.asarray(self._squares / (self.count - 1))

    @property
    def stderr(self) -> NDArray[np.float64]:
        """The standard errors of the mean, shape (size,)."""
        return np.sqrt(self.variance / self.count)
