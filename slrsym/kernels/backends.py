"""Programs as functions of NumPy arrays, in blocks that fit the cache."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special as scipy_special

from slrsym.kernels.means import trapezoid_arrays
from slrsym.kernels.program import Program, defined
from slrsym.kernels.special import (
    decay_coefficients,
    decay_series,
    erf_covariance,
    owens_t,
)

_BLOCK = 16384


def _erf_defect(x: Any, y: Any) -> Any:
    """The difference of x and erf(y), by the complement that is the smaller."""
    small = scipy_special.erfc(np.abs(y))
    return np.where(y >= 0, (x - 1) + small, (x + 1) - small)


def _select(test: Any, then: Callable[[], Any], otherwise: Callable[[], Any]) -> Any:
    """Both alternatives are computed: one of them may divide by zero where it is not chosen."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.where(test, then(), otherwise())


_ARRAYS = {
    "sqrt": np.sqrt, "exp": np.exp, "arcsin": np.arcsin, "arctan": np.arctan, "pi": math.pi,
    "erf": scipy_special.erf, "erfc": scipy_special.erfc, "abs": np.abs,
    "maximum": lambda *x: reduce(np.maximum, x), "minimum": lambda *x: reduce(np.minimum, x),
    "sin": np.sin, "cos": np.cos, "tanh": np.tanh, "log": np.log, "sign": np.sign,
    "decay_coefficients": decay_coefficients,
    "decay_series": decay_series, "erf_defect": _erf_defect, "owens_t": owens_t,
    "erf_covariance": erf_covariance, "normal_cdf": scipy_special.ndtr,
    "select": _select, "nan": math.nan,
    "rational": lambda p, q: p / q,
}  # fmt: skip
# A hundred times faster on single numbers.
_NUMBERS = _ARRAYS | {
    "sqrt": math.sqrt, "exp": math.exp, "arcsin": math.asin, "arctan": math.atan,
    "erf": math.erf, "erfc": math.erfc, "sin": math.sin, "cos": math.cos, "tanh": math.tanh,
    "log": math.log,
}  # fmt: skip


def numpy_parts(program: Program) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The two halves of a program: constants from numbers, and outputs from columns of states."""
    means = _means(program)
    constants = defined(program.setup, _NUMBERS | means)["constants"]
    return constants, defined(program.body, _ARRAYS | means, "arrays")["body"]


def _means(program: Program) -> dict[str, Any]:
    """The means that a program has of functions, by quadrature."""
    return {
        name: partial(trapezoid_arrays, defined(pair.body, _ARRAYS, "arrays")["body"], order)
        for name, pair, order in program.means
    }


def numpy_function(program: Program) -> Callable[..., Any]:
    """A function of a state array of shape (..., n) and parameters that broadcast with (...)."""
    constants, body = numpy_parts(program)
    means = _means(program)
    varying = defined(program.setup, _ARRAYS | means, "arrays")["constants"]

    def fill(states: NDArray[np.float64], parameters: list[Any], result: Any) -> None:
        single = all(np.ndim(p) == 0 for p in parameters)
        fixed = constants(*map(float, parameters)) if single else varying(*parameters)
        for start in range(0, len(states), _BLOCK):
            block = slice(start, start + _BLOCK)
            columns = np.ascontiguousarray(states[block].T)
            here = fixed if single else [c[block] if np.ndim(c) else c for c in fixed]
            for k, value in enumerate(body(*columns, *here)):
                result[block, k] = value

    return batched(fill, len(program.state), program.outputs)


def batched(fill: Callable[..., None], width: int, count: int) -> Callable[..., Any]:
    """A function over leading axes, from one that fills rows."""

    def evaluate(state: Any, *parameters: Any) -> Any:
        state = np.asarray(state, dtype=np.float64)
        # Machine code would read beyond the end.
        if state.shape[-1:] != (width,):
            raise ValueError(f"state must have shape (..., {width}); got {state.shape}")
        shape = state.shape[:-1]
        arrays: list[Any] = list(parameters)
        if any(np.ndim(p) for p in parameters):
            arrays = [np.asarray(p, dtype=np.float64) for p in parameters]
            shape = np.broadcast_shapes(shape, *(p.shape for p in arrays))
            arrays = [np.broadcast_to(p, shape).reshape(-1) for p in arrays]
            state = np.broadcast_to(state, (*shape, state.shape[-1]))
        rows = state.reshape(-1, state.shape[-1])
        result = np.empty((len(rows), count))
        fill(rows, arrays, result)
        return result.reshape(*shape, count)

    return evaluate
