"""A step of descent as a straight-line program of coordinates, and how many steps are taken."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slrsym.kernels.compile import iterate_step, numpy_constant_and_output_functions
from slrsym.kernels.numba_backend import (
    BLOCK,
    blockwise_loop_source,
    compile_ahead,
    compile_loop,
    is_loop_compiled,
    iterate_compiled,
)
from slrsym.kernels.program import Program

Array = NDArray[np.float64]

# So many runs are taken one by one: a block of several has as many numbers as an instruction takes.
_FEW_RUNS = 2


class StepProgram:
    """A program from the coordinates of a run to those after a step, compiled when it is needed.

    Parameters
    ----------
    program : Program
        It has as many outputs as coordinates.
    """

    def __init__(self, program: Program) -> None:
        self.program = program

    def compile_ahead(self, states: Array) -> None:
        """Compile the loop of machine code before it is waited for in threads.

        Parameters
        ----------
        states : ndarray, shape (runs, n)
        """
        compile_ahead(self.loop, states, len(self.program.parameters))

    def iterate(
        self,
        backend: str,
        states: Array,
        parameters: Sequence[Array],
        steps: int,
        every: int,
        workers: int | None = None,
    ) -> tuple[Array, Array]:
        """Take steps of all runs; return the last states, and each `every`-th one.

        Parameters
        ----------
        backend : {'numpy', 'numba'}
        states : ndarray, shape (runs, n)
            They stay as they are.
        parameters : sequence of ndarray
            For each parameter of the program a number for each step, or one for all.
        steps, every : int
        workers : int, optional
            On how many cores machine code runs; by default on all.

        Returns
        -------
        states : ndarray, shape (runs, n)
        noted : ndarray, shape (steps // every, runs, n)
        """
        if backend == "numba":
            return iterate_compiled(self.loop, states, parameters, steps, every, workers=workers)
        constants, body = self._numpy_parts
        begin: Any = tuple(np.ascontiguousarray(states.T))
        with np.errstate(all="ignore"):
            last, noted = iterate_step(
                lambda state, fixed: body(*state, *fixed),
                constants, begin, parameters, steps, every, np.transpose,
            )  # fmt: skip
        return np.transpose(last).copy(), noted.reshape(-1, *states.shape)

    @cached_property
    def _numpy_parts(self) -> tuple[Callable[..., Any], Callable[..., Any]]:
        return numpy_constant_and_output_functions(self.program)

    @property
    def _parts(self) -> tuple[str, ...]:
        """Source code of the parts of the loop, as of `loop_source`."""
        return (
            "",
            f"work = np.empty({len(self.program.state) * BLOCK})\n"
            "lanes = filled(work, states[first : first + runs])\n"
            f"lanes = runs if runs <= {_FEW_RUNS} else lanes",
            blockwise_loop_source(self.program, ""),
            "emptied(work, states[first : first + runs])",
            "emptied(work, noted[row, first : first + runs])",
        )

    @cached_property
    def loop(self) -> Callable[..., None]:
        """The loop of machine code, compiled when it is first called."""
        return compile_loop(self.program, *self._parts)

    @property
    def is_loop_compiled(self) -> bool:
        """Whether an earlier process has compiled the loop."""
        return is_loop_compiled(self.program, *self._parts)
