"""A state and the parameters of equations of motion as numbers, in the equations' order."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sympy import Symbol

from slrsym.models.training.schedules import SORTS, parameter_values


def numbers_of_motion(
    state: tuple[Symbol, ...], parameters: tuple[Symbol, ...], point: Any, known: Mapping[str, Any]
) -> tuple[NDArray[np.float64], list[float]]:
    """Return a state, given by names or in order, and parameters by their names as numbers.

    Raises
    ------
    ValueError
        If a number is missing, not finite, or of no symbol of the equations.
    """
    if isinstance(point, Mapping):
        at = np.array([_number("point", p, point) for p in state])
        known = {**{n: v for n, v in point.items() if n not in _names(state)}, **known}
    else:
        at = np.asarray(point, dtype=np.float64)
        if at.shape != (len(state),):
            raise ValueError(f"point must have {len(state)} numbers, of {state}; got {point!r}")
        if not np.isfinite(at).all():
            raise ValueError(f"point must have finite numbers; got {point!r}")
    if unknown := sorted(known.keys() - _names(parameters) - _names(state)):
        allowed = ", ".join(p.name for p in parameters)
        raise ValueError(f"values has {unknown[0]}, no parameter of the equations ({allowed})")
    return at, [_number("values", p, known) for p in parameters]


def require_ranges(parameters: tuple[Symbol, ...], row: list[float]) -> None:
    """Raise an error for the first number that its parameter's assumptions exclude.

    Raises
    ------
    ValueError
    """
    for p, number in zip(parameters, row, strict=True):
        sorts = [x for x in SORTS if x == "real" or getattr(p, f"is_{x}")]
        parameter_values(number, 0, 0, p.name, sorts)


def _names(symbols: tuple[Symbol, ...]) -> set[str]:
    return {s.name for s in symbols}


def _number(argument: str, p: Symbol, given: Mapping[str, Any]) -> float:
    if p.name not in given:
        raise ValueError(f"{argument} must have a number for {p.name}")
    try:
        number = float(given[p.name])
    except (TypeError, ValueError):
        raise ValueError(f"{p.name} must be a number; got {given[p.name]!r}") from None
    if not math.isfinite(number):
        raise ValueError(f"{p.name} must be finite; it is {number}")
    return number
