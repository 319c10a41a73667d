"""Random numbers of runs, in streams that are opened anew after so many steps.

Apart, so that many can be drawn at once, and a run that goes on from some step finds the numbers
that belong to it without drawing all that came before.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.random import SFC64, Generator, SeedSequence
from numpy.typing import NDArray

Array = NDArray[np.float64]

# After so many steps a run takes new streams.
_BLOCK = 1000

# About how many numbers are drawn at a time.
_MOST = 125_000


class StepNumbers(NamedTuple):
    """The random numbers of some steps, with a row for each.

    Parameters
    ----------
    normal : ndarray, shape (steps, normals)
    chi : ndarray, shape (steps, degrees)
        Chi-squares of so many degrees of freedom; 0 of none.
    uniform : ndarray, shape (steps, uniforms)
    """

    normal: Array
    chi: Array
    uniform: Array


class RunStreams:
    """The random numbers of one run.

    Parameters
    ----------
    seed : int
        Of all runs. It has a child for each run, and that one for each block of steps, as
        `numpy.random.SeedSequence.spawn` makes them.
    run : int
    normals, uniforms : int
        How many a step takes.
    degrees : ndarray
        Of the chi-squares of a step.
    step : int
        The first.
    """

    def __init__(
        self, seed: int, run: int, normals: int, degrees: Array, uniforms: int, step: int
    ) -> None:
        self._root, self._run, self._step = SeedSequence(seed), run, step
        self._normals, self._uniforms, self._count = normals, uniforms, degrees.size
        self._live = np.flatnonzero(degrees > 0)
        self._degrees = degrees[self._live]
        self.most = max(1, _MOST // (normals + uniforms + 1))
        self._open(step % _BLOCK)

    def _open(self, skipped: int) -> None:
        key = (self._run, self._step // _BLOCK)
        child = SeedSequence(self._root.entropy, spawn_key=key)
        # A quarter faster than the default, of which most of a step is made.
        self._normal, self._chi, self._choices = (Generator(SFC64(x)) for x in child.spawn(3))
        for begin in range(0, skipped, self.most):
            self._draw(min(self.most, skipped - begin))

    def _draw(self, steps: int) -> StepNumbers:
        chi, uniform = np.zeros((steps, self._count)), np.zeros((steps, self._uniforms))
        if self._live.size:
            shape = (steps, self._live.size)
            chi[:, self._live] = self._chi.chisquare(self._degrees, shape)
        if self._uniforms:
            uniform = self._choices.random((steps, self._uniforms))
        return StepNumbers(self._normal.standard_normal((steps, self._normals)), chi, uniform)

    def pieces(self, steps: int, most: int | None = None) -> Iterator[StepNumbers]:
        """Yield the numbers of so many steps, of at most so many at a time."""
        while steps:
            piece = min(steps, most or self.most, _BLOCK - self._step % _BLOCK)
            numbers = self._draw(piece)
            self._step += piece
            steps -= piece
            if self._step % _BLOCK == 0:
                self._open(0)
            yield numbers
