"""Sampling until the standard error is small enough, or the samples are used up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.random import SeedSequence
from numpy.typing import NDArray

from slrsym.montecarlo.draws import Batch, Coordinates, Tokens
from slrsym.montecarlo.moments import Moments

__all__ = ["BLOCK", "Progress", "Quantity", "root_of", "sampled"]

# Each block of so many observations has its own stream of random numbers, and the standard error
# is looked at after each.
BLOCK = 4096

Progress: TypeAlias = Callable[[int, float], None]


class Quantity(Protocol):
    """What is averaged."""

    @property
    def size(self) -> int:
        """How many components it has."""
        ...

    def of(self, batch: Batch) -> NDArray[np.float64]:
        """One row for each sample."""
        ...


def root_of(rng: Any) -> SeedSequence:
    """Where the random numbers come from."""
    if isinstance(rng, np.random.Generator):
        return SeedSequence(rng.integers(2**32, size=4).tolist())
    if isinstance(rng, SeedSequence):
        # A copy: whoever passes it in does not see it change.
        return SeedSequence(
            rng.entropy,
            spawn_key=rng.spawn_key,
            pool_size=rng.pool_size,
        )
    try:
        if isinstance(rng, bool | float):
            raise TypeError
        return SeedSequence(rng)
    except (TypeError, ValueError):
        raise ValueError(
            "rng must be an integer that is not negative, a SeedSequence, a Generator or None; "
            f"got {rng!r}"
        ) from None


def sampled(
    quantity: Quantity,
    source: Tokens | Coordinates,
    root: SeedSequence,
    observations: int,
    target_stderr: float | None = None,
    progress: Progress | None = None,
    keep: Callable[[NDArray[np.float64]], None] | None = None,
) -> Moments:
    """Moments of a quantity."""
    moments = Moments(quantity.size)
    block = 0
    while moments.count < observations:
        seed = SeedSequence(
            root.entropy,
            spawn_key=(*root.spawn_key, block),
            pool_size=root.pool_size,
        )
        for batches in source.batches(seed, min(BLOCK, observations - moments.count)):
            rows = quantity.of(batches[0])
            for other in batches[1:]:
                rows = (rows + quantity.of(other)) / 2
            moments.add(rows)
            if keep is not None:
                keep(rows)
        block += 1
        error = float(moments.stderr.max())
        if progress is not None:
            progress(moments.count, error)
        # The first block may have missed what is rare, and seem better than it is; where there was
        # no spread at all, nothing rare has been met yet.
        if target_stderr is not None and block >= 2 and 0 < error <= target_stderr:
            break
    return moments
