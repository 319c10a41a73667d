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
    """Something given as an array.

    Parameters
    ----------
    name : str
        What it is, for errors.
    value : array_like, any shape
        What is given.
    shape : tuple of int, optional
        The shape that it has to have; any by default.

    Returns
    -------
    ndarray, shape as given
        Of floats.

    Raises
    ------
    ValueError
        If it has another shape, or is not finite.
    """
    array = np.asarray(value, dtype=np.float64)
    if shape is not None and array.shape != shape:
        raise ValueError(f"{name} must have shape {shape}; got {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite; got {value!r}")
    return array


def increasing_steps(steps: ArrayLike | None) -> Array:
    """How far to go along a curve.

    Parameters
    ----------
    steps : array_like, shape (n,), or None
        What is given; None for the default.

    Returns
    -------
    ndarray, shape (n,)
        Of floats.

    Raises
    ------
    ValueError
        If they are too few, not positive, or do not increase.
    """
    values = _STEPS if steps is None else finite_array("steps", steps)
    if values.ndim != 1 or values.size < 2 * PER_DECADE or values[0] <= 0:
        raise ValueError(f"steps must be {2 * PER_DECADE} positive numbers at least; got {steps!r}")
    if (np.diff(values) <= 0).any():
        raise ValueError(f"steps must increase; got {steps!r}")
    return values
