"""What this machine has, cores and memory, and work that would be too much or very long."""

from __future__ import annotations

import os
import warnings


def count_cores() -> int:
    """Return the number of processor cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def require_memory(what: str, size: float) -> None:
    """Raise `ValueError` if work would need more bytes of memory than this machine has."""
    try:
        there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not said by every system
        return
    if size > there:
        raise ValueError(
            f"{what} would need {size / 1e9:.3g} GB of memory; this machine has "
            f"{there / 1e9:.3g} GB"
        )


def warn_of_long_work(what: str, seconds: float) -> None:
    """Warn if work is expected to take more than an hour."""
    for unit, size in (("years", 3.16e7), ("days", 86_400.0), ("hours", 3600.0)):
        if seconds > size:
            told = f"{what}: this takes about {float(f'{seconds / size:.2g}'):,g} {unit}"
            warnings.warn(told, RuntimeWarning, stacklevel=2)
            return
