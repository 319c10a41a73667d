"""Validation of arguments, and vectorisation of functions over leading axes."""

from __future__ import annotations

import difflib
import inspect
import math
import operator
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "explain_arguments",
    "float_or_nan",
    "require_integer",
    "require_positive",
    "require_real_array",
]  # fmt: skip

_F = TypeVar("_F", bound=Callable[..., Any])


def explain_arguments(function: _F) -> _F:
    """Decorate a function: wrong or missing arguments raise a `TypeError` naming valid ones."""
    signature = inspect.signature(function)
    parameters = [p for p in signature.parameters.values() if p.name != "self"]
    names = [p.name for p in parameters]
    called = function.__qualname__.split(".")[-2 if function.__name__ == "__init__" else -1]

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        for name in kwargs.keys() - set(names):
            near = difflib.get_close_matches(name, names, 1)
            rest = f"did you mean {near[0]}?" if near else f"it takes {', '.join(names)}"
            raise TypeError(f"{called} has no parameter {name}; {rest}")
        given = signature.bind_partial(*args, **kwargs).arguments
        missing = [p for p in parameters if p.default is p.empty and p.name not in given]
        if missing:
            named = [p.name for p in missing]
            listed = " and ".join(filter(None, (", ".join(named[:-1]), named[-1])))
            shown = ", ".join(
                p.name if p.kind is p.POSITIONAL_OR_KEYWORD else f"{p.name}=..."
                for p in parameters
                if p.default is p.empty
            )
            raise TypeError(f"{listed} {'are' if named[1:] else 'is'} needed: {called}({shown})")
        return function(*args, **kwargs)

    return cast(_F, call)


def require_real_array(
    name: str, values: Any, allowed: str = "real numbers"
) -> NDArray[np.float64]:
    """Return an argument as an array of floats; raise `ValueError` if it is not real numbers."""
    try:
        found = np.asarray(values)
        # NumPy would leave the imaginary part out, with a warning, and take None for NaN.
        if found.dtype.kind == "c" or (found.dtype.kind == "O" and None in found.ravel().tolist()):
            raise TypeError
        return np.asarray(found, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be {allowed}; got {values!r}") from None


def float_or_nan(value: Any) -> float:
    """Convert a value to a float, or to NaN if it is not a number."""
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def require_positive(name: str, value: Any) -> float:
    """Convert an argument to a positive, finite float, or raise `ValueError`."""
    found = float_or_nan(value)
    if not (math.isfinite(found) and found > 0):
        raise ValueError(f"{name} must be positive and finite; got {value!r}")
    return found


def require_integer(name: str, value: Any, least: int) -> int:
    """Convert an argument to an integer of at least `least`, or raise `ValueError`."""
    try:
        found = operator.index(value)
    except TypeError:
        found = least - 1
    if found < least or isinstance(value, bool):
        raise ValueError(f"{name} must be an integer of at least {least}; got {value!r}")
    return found


def vectorise_over_leading_axes(
    fill: Callable[..., None], width: int, count: int, names: Sequence[str] = ()
) -> Callable[..., Any]:
    """Turn a function that fills rows of results into one for arrays with any leading axes.

    With `names` of state and parameters, an `ArithmeticError` names the first row that raises it.
    """

    def evaluate(state: Any, *parameters: Any) -> Any:
        state = np.asarray(state, dtype=np.float64)
        # Machine code would read beyond the end.
        if state.shape[-1:] != (width,):
            raise ValueError(f"state must have shape (..., {width}); got {state.shape}")
        shape = state.shape[:-1]
        arrays: list[Any] = list(parameters)
        if any(type(p) is not float and np.ndim(p) for p in parameters):
            arrays = [np.asarray(p, dtype=np.float64) for p in parameters]
            shape = np.broadcast_shapes(shape, *(p.shape for p in arrays))
            arrays = [np.broadcast_to(p, shape).reshape(-1) for p in arrays]
            state = np.broadcast_to(state, (*shape, state.shape[-1]))
        # Of a state without components the number of rows cannot be told by reshaping.
        rows = state.reshape(math.prod(shape), width)
        result = np.empty((len(rows), count))
        try:
            fill(rows, arrays, result)
        except ArithmeticError as error:
            # Those of Python itself are of other kinds.
            if type(error) is not ArithmeticError or not names:
                raise
            raise _at_point(error, fill, rows, arrays, result, names) from None
        return result.reshape(*shape, count)

    return evaluate


def _at_point(
    error: ArithmeticError,
    fill: Callable[..., None],
    rows: NDArray[np.float64],
    parameters: Sequence[Any],
    result: NDArray[np.float64],
    names: Sequence[str],
) -> ArithmeticError:
    """Return an error with the names and numbers of the first row at which it is raised."""
    first, last = 0, len(rows)
    while last - first > 1:
        middle = (first + last) // 2
        some = slice(first, middle)
        try:
            fill(rows[some], [p[some] if np.ndim(p) else p for p in parameters], result[some])
            first = middle
        except ArithmeticError:
            last = middle
    given = [p[first] if np.ndim(p) else p for p in parameters]
    values = zip(names, [*rows[first], *given], strict=True)
    shown = ", ".join(f"{name.removesuffix('_')} = {x:.10g}" for name, x in values)
    return ArithmeticError(f"{error}. It is at {shown}")


def flag_changed_steps(parameters: Sequence[NDArray[np.float64]], steps: int) -> NDArray[np.bool_]:
    """Return a flag for each step: true at step 0 and where a parameter changes."""
    found = np.zeros(steps, dtype=bool)
    found[:1] = True
    for p in parameters:
        if p.size > 1:
            used = p[:steps]
            found[1:] |= used[1:] != used[:-1]
    return found
