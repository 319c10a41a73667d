"""A map taken many times, with parameters that may change: by NumPy, and as machine code.

Parameters are arrays with a number for each step, or of one number. Constants of a program are
computed anew where one of them changes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slrsym.kernels.numba_backend import BLOCK, DECORATOR, compiled_module, program_source
from slrsym.kernels.program import Program

Array = NDArray[np.float64]


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def changes(parameters: Sequence[Array], steps: int) -> NDArray[np.bool_]:
    """At which steps a parameter is another than before."""
    found = np.zeros(steps, dtype=bool)
    found[:1] = True
    for p in parameters:
        if p.size > 1:
            found[1:] |= p[1:steps] != p[: steps - 1]
    return found


def iterated(
    step: Callable[[Any, Any], Any],
    constants: Callable[..., Any],
    state: Any,
    parameters: Sequence[Array],
    steps: int,
    every: int,
    read: Callable[[Any], Any],
) -> tuple[Any, Array]:
    """The state after some steps, and what is read of it after every so many of them."""
    fixed: Any = ()
    noted = []
    for number, fresh in enumerate(changes(parameters, steps).tolist()):
        if fresh:
            fixed = constants(*(float(p[number if p.size > 1 else 0]) for p in parameters))
        state = step(state, fixed)
        if (number + 1) % every == 0:
            noted.append(read(state))
    return state, np.array(noted)


def machine_loop(
    program: Program, arguments: str, begin: str, step: str, end: str, note: str, helpers: str = ""
) -> Callable[..., None]:
    """The loop over blocks of runs and over steps, compiled, around the text of a step.

    In the text there are ``states``, the ``first`` of a block of ``runs``, the number of a ``row``
    of what is ``noted``, the constants and ``body`` of the program, and other arguments.
    """
    assign = f"({''.join(f'{c}, ' for c in program.constants)}) = " if program.constants else ""
    values = ", ".join(f"{p}[step if {p}.size > 1 else 0]" for p in program.parameters)
    names = "".join(f"{p}, " for p in program.parameters)
    source = (
        f"def trajectory(states, noted, every, fresh, {names}{arguments}):\n"
        f"    for first in range(0, states.shape[0], {BLOCK}):\n"
        f"        runs = min({BLOCK}, states.shape[0] - first)\n"
        f"        step = 0\n"
        f"        {assign}constants({values})\n"
        f"{_indented(begin, 8)}"
        f"        for row in range(noted.shape[0]):\n"
        f"            for step in range(row * every, (row + 1) * every):\n"
        f"                if fresh[step]:\n"
        f"                    {assign}constants({values})\n"
        f"{_indented(step, 16)}"
        f"{_indented(note, 12)}"
        f"{_indented(end, 8)}"
    )
    text = f"{program_source(program)}{helpers}\n\n{DECORATOR}{source}"
    trajectory: Callable[..., None] = compiled_module(text).trajectory
    return trajectory


def _indented(text: str, by: int) -> str:
    return "".join(f"{' ' * by}{line}\n" for line in text.splitlines())


def machine_iterated(
    trajectory: Callable[..., None],
    states: Array,
    parameters: Sequence[Array],
    steps: int,
    every: int,
    *rest: Any,
    workers: int | None = None,
) -> tuple[Array, Array]:
    """As `iterated`, for states of shape (runs, ...), some of the runs on each core."""
    fresh = changes(parameters, steps)

    def work(states: Array) -> Array:
        noted = np.empty((steps // every, *states.shape))
        trajectory(states, noted, every, fresh, *parameters, *rest)
        return noted

    # Machine code runs without the interpreter's lock.
    workers = min(workers or cores(), len(states))
    parts = [np.array(part) for part in np.array_split(states, workers)]
    if workers == 1:
        return parts[0], work(parts[0])
    with ThreadPoolExecutor(workers) as pool:
        noted = list(pool.map(work, parts))
    return np.concatenate(parts), np.concatenate(noted, axis=1)
