"""The trapezoidal rule on the whole line, for powers of erf and of a standard normal variable.

It converges faster than any power of its step for such integrands.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import mpmath
from mpmath import mp, mpf

__all__ = ["erf_moments"]


def _normal_means(
    functions: Callable[[Any], Sequence[Any]], spread: Any, shift: Any
) -> tuple[Any, ...]:
    """Means of functions of a standard normal variable, to the working precision.

    The functions are made of powers of the variable z and of erf(t + spread z), squared at most;
    beside the real line they grow like exp(2 spread^2 y^2). A shift of 0 and one of 1/2 give two
    rules that have no node in common.
    """
    rate = mpf(1) / 2 + 2 * spread**2
    size = (mp.dps + 5) * mpmath.log(10)
    step = mpmath.pi / mpmath.sqrt(size * rate)
    # Beyond this the density is nothing, and so it is times powers.
    reach = int(mpmath.sqrt(2 * size) / step) + 2
    total = [mpf(0)] * len(functions(mpf(0)))
    for n in range(-reach, reach + 1):
        z = (n + shift) * step
        weight = mpmath.exp(-z * z / 2)
        total = [x + weight * value for x, value in zip(total, functions(z), strict=True)]
    front = step / mpmath.sqrt(2 * mpmath.pi)
    return tuple(front * x for x in total)


@lru_cache(maxsize=64)
def erf_moments(mean: Any, spread: Any, shift: Any, dps: int) -> dict[tuple[int, int], Any]:
    """Means of erf(mean + spread z)^q z^p over a standard normal z; q = 1, 2 and p = 0, 1, 2."""
    keys = list(itertools.product((1, 2), (0, 1, 2)))

    def functions(z: Any) -> list[Any]:
        f = mpmath.erf(mean + spread * z)
        return [f**q * z**p for q, p in keys]

    return dict(zip(keys, _normal_means(functions, spread, shift), strict=True))
