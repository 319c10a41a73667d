"""Descent from many starts of figure 4a at once, by JAX and by Numba.

Run ``python benchmarks/jax_starts.py [--starts N] [--steps N]``, where slrsym is installed with its
extra ``jax``. Both take the same steps, from the same random starts, and have to end at the same
states. The table gives nanoseconds per start and step, after compilation: elapsed, and of all cores
together. JAX takes a GPU if it finds one; processor time is the host's alone then.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

jax.config.update("jax_enable_x64", True)

from slrsym.kernels.compile import compile_program  # noqa: E402
from slrsym.papers.single_location.dynamics import InverseTimeDecay, UniformStart  # noqa: E402
from slrsym.papers.single_location.dynamics.engines import (  # noqa: E402
    COORDINATES,
    TaskEngine,
    vectors_of_start,
)
from slrsym.papers.single_location.step_programs import descent_step_program  # noqa: E402
from slrsym.papers.single_location.task import Task  # noqa: E402

TASK, ALPHA, SCHEDULE = Task(400, 10, 0.5**0.5), 4e-3, InverseTimeDecay(1, 1e-4)


def by_jax(points: Any, inverse_temperatures: Any) -> Any:
    """Take a step for each inverse temperature, each start by `jax.vmap`."""
    step = compile_program(descent_step_program(False), "jax")
    gamma, d, L, epsilon = TASK.kernel_parameters
    at = np.array(COORDINATES[False])

    def moved(state: Any, lam: Any) -> Any:
        return step(state, L, d, epsilon, gamma, lam, ALPHA), None

    def run(point: Any) -> Any:
        end = jax.lax.scan(moved, point.reshape(8)[at], inverse_temperatures)[0]
        return end[np.argsort(at)].reshape(2, 4)

    return jax.jit(jax.vmap(run)).lower(points).compile()


def by_numba(inverse_temperatures: Any) -> Callable[[Any], Any]:
    """Take the same steps by the engine of `slrsym.papers.single_location.simulate`."""

    def run(points: Any) -> Any:
        engine = TaskEngine(points, TASK, ALPHA, "numba")
        engine.advance(inverse_temperatures, len(inverse_temperatures))
        return engine.states

    run(vectors_of_start(UniformStart(1).overlaps(TASK), TASK.d))
    return run


def main() -> None:
    """Print a row for each backend."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--starts", type=int, default=100_000)
    parser.add_argument("--steps", type=int, default=100)
    options = parser.parse_args()
    starts = vectors_of_start(UniformStart(options.starts).overlaps(TASK), TASK.d)
    inverse_temperatures = SCHEDULE(np.arange(options.steps))
    ends = []
    print(f"{options.starts:,} starts, {options.steps:,} steps, on {jax.devices()[0].device_kind}")
    print(f"{'':12}{'elapsed':>12}{'all cores':>12}   ns per start and step")
    functions = {
        "JAX": by_jax(starts, inverse_temperatures),
        "Numba": by_numba(inverse_temperatures),
    }
    for name, function in functions.items():
        began, busy = time.perf_counter(), time.process_time()
        ends.append(np.asarray(function(starts)))
        spent = time.perf_counter() - began, time.process_time() - busy
        each = 1e9 / (options.starts * options.steps)
        print(f"{name:12}{spent[0] * each:12.1f}{spent[1] * each:12.1f}")
    print(f"largest difference of the ends: {np.abs(ends[0] - ends[1]).max():.1e}")


if __name__ == "__main__":
    main()
