"""Arguments, checked, where a message says the name, the value, what is allowed; and cores."""

from __future__ import annotations

import math
import operator
import os
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["cores", "foretell", "number", "positive", "real_array", "require_memory", "whole"]


def real_array(name: str, values: Any, allowed: str = "real numbers") -> NDArray[np.float64]:
    """An array of floats."""
    try:
        found = np.asarray(values)
        # NumPy would leave the imaginary part out, with a warning, and take None for NaN.
        if found.dtype.kind == "c" or (found.dtype.kind == "O" and None in found.ravel().tolist()):
            raise TypeError
        return np.asarray(found, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be {allowed}; got {values!r}") from None


def number(value: Any) -> float:
    """A float, NaN for what is none."""
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def positive(name: str, value: Any) -> float:
    """A number that is positive and finite."""
    found = number(value)
    if not (math.isfinite(found) and found > 0):
        raise ValueError(f"{name} must be positive and finite; got {value!r}")
    return found


def whole(name: str, value: Any, least: int) -> int:
    """An integer that is large enough."""
    try:
        found = operator.index(value)
    except TypeError:
        found = least - 1
    if found < least or isinstance(value, bool):
        raise ValueError(f"{name} must be an integer of at least {least}; got {value!r}")
    return found


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def require_memory(what: str, size: float) -> None:
    """Refuse work, before it begins, that needs more memory in bytes than this machine has."""
    try:
        there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not said by every system
        return
    if size > there:
        raise ValueError(
            f"{what} would need {size / 1e9:.3g} GB of memory; this machine has "
            f"{there / 1e9:.3g} GB"
        )


def foretell(what: str, seconds: float) -> None:
    """Say of work, before it begins or soon after, that it takes more than an hour."""
    for unit, size in (("years", 3.16e7), ("days", 86_400.0), ("hours", 3600.0)):
        if seconds > size:
            told = f"{what}: this takes about {float(f'{seconds / size:.2g}'):,g} {unit}"
            warnings.warn(told, RuntimeWarning, stacklevel=2)
            return
