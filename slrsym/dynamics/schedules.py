r"""Schedules of the inverse temperature: :math:`\lambda_t` as a function of the step t.

It is that of Definition 1; figures 4 to 7 have constant and falling ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from slrsym.kernels.arguments import number, positive, real_array

__all__ = [
    "Constant",
    "Inverse",
    "Schedule",
    "Tabulated",
    "as_schedule",
    "describe",
    "schedule_from_text",
    "temperatures",
]

_ALLOWED = "a number, a list of numbers or a function of steps"


@dataclass(frozen=True)
class Constant:
    """The same inverse temperature at every step.

    Parameters
    ----------
    lam : float
        Inverse temperature, positive.

    Raises
    ------
    ValueError
        If it is not positive and finite.
    """

    lam: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "lam", positive("lam", self.lam))

    def __call__(self, steps: NDArray[np.int64]) -> NDArray[np.float64]:
        """The inverse temperatures at some steps."""
        return np.full(steps.shape, self.lam, dtype=np.float64)


@dataclass(frozen=True)
class Inverse:
    r"""An inverse temperature that falls: :math:`\lambda_0 / (1 + c t)`.

    Parameters
    ----------
    lam0 : float
        Inverse temperature at the start, positive.
    c : float
        Rate, not negative.

    Raises
    ------
    ValueError
        If `lam0` is not positive and finite, or `c` is negative or not finite.
    """

    lam0: float
    c: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "lam0", positive("lam0", self.lam0))
        rate = number(self.c)
        if not (math.isfinite(rate) and rate >= 0):
            raise ValueError(f"c must be finite and not negative; got {self.c!r}")
        object.__setattr__(self, "c", rate)

    def __call__(self, steps: NDArray[np.int64]) -> NDArray[np.float64]:
        """The inverse temperatures at some steps."""
        return np.asarray(self.lam0 / (1 + self.c * steps), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Tabulated:
    """An inverse temperature for each step, in a table."""

    values: NDArray[np.float64]

    def __post_init__(self) -> None:
        table = np.array(real_array("schedule", self.values, _ALLOWED))
        if table.ndim != 1 or not table.size:
            raise ValueError(f"schedule must be a list of numbers; it has shape {table.shape}")
        object.__setattr__(self, "values", table)

    def __call__(self, steps: NDArray[np.int64]) -> NDArray[np.float64]:
        """The inverse temperatures at some steps."""
        if steps.size and steps.max() >= self.values.size:
            raise ValueError(
                f"schedule must have a value for each step from 0 to {steps.max()}, "
                f"that is {steps.max() + 1}; got {self.values.size}"
            )
        return self.values[steps]

    def __repr__(self) -> str:
        return f"Tabulated({self.values.size} values)"


Schedule = Callable[[NDArray[np.int64]], NDArray[np.float64]]


def as_schedule(schedule: float | ArrayLike | Schedule) -> Schedule:
    """A number, a table or a function as a schedule."""
    if callable(schedule):
        return schedule
    values = real_array("schedule", schedule, _ALLOWED)
    return Tabulated(values) if values.ndim else Constant(positive("schedule", schedule))


def temperatures(schedule: Schedule, start: int, stop: int) -> NDArray[np.float64]:
    """The inverse temperatures from one step to another, both included."""
    steps = np.arange(start, stop + 1, dtype=np.int64)
    values = real_array("schedule", schedule(steps), "a function that gives numbers")
    if values.shape != steps.shape:
        raise ValueError(
            f"schedule must give one inverse temperature for each of {steps.size} steps; "
            f"it gave an array of shape {values.shape}"
        )
    wrong = ~(np.isfinite(values) & (values > 0))
    if wrong.any():
        at = int(np.argmax(wrong))
        raise ValueError(
            f"schedule must be positive and finite; it is {float(values[at])} at step {steps[at]}"
        )
    return values


def schedule_from_text(text: str) -> Constant | Inverse:
    """The schedule that a text describes."""
    plain = text.replace(" ", "")
    try:
        if plain.startswith("Constant(lam=") and plain.endswith(")"):
            return Constant(float(plain[13:-1]))
        if plain.startswith("Inverse(lam0=") and plain.endswith(")"):
            first, _, rate = plain[13:-1].partition(",c=")
            return Inverse(float(first), float(rate))
        first, slash, rest = plain.partition("/(1+")
        if slash and rest.endswith("t)"):
            return Inverse(float(first), float(rest[:-2].removesuffix("*")))
        return Constant(float(plain))
    except ValueError:
        raise ValueError(
            f"schedule must be a number, or LAM0/(1+C*t) such as 1/(1+1e-4*t); got {text!r}"
        ) from None


def describe(schedule: Any) -> str:
    """A schedule in words that `schedule_from_text` reads, if it is one of those."""
    return repr(schedule) if isinstance(schedule, Constant | Inverse | Tabulated) else "user-given"
