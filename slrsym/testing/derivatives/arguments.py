"""Arrays and steps that the checks are given."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["PER_DECADE", "Array", "finite_array", "increasing_steps"]

Array = NDArray[np.float64]

# How many steps there are by default from one power of ten to the next.
PER_DECADE = 10
_STEPS = np.logspace(-9, 0, 9 * PER_DECADE + 1)


def finite_array(name: str, value: Any, shape: tuple[int, ...] | None = None) -> Array:
    """Something given as an array."""
    array = np.asarray(value, dtype=np.float64)
    if shape is not None and array.shape != shape:
        raise ValueError(f"{name} must have shape {shape}; got {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite; got {value!r}")
    return array


def increasing_steps(steps: ArrayLike | None) -> Array:
    """How far to go along a curve."""
    values = _STEPS if steps is None else finite_array("steps", steps)
    if values.ndim != 1 or values.size < 2 * PER_DECADE or values[0] <= 0:
        raise ValueError(f"steps must be {2 * PER_DECADE} positive numbers at least; got {steps!r}")
    if (np.diff(values) <= 0).any():
        raise ValueError(f"steps must increase; got {steps!r}")
    return values
