"""Programs as functions of NumPy arrays, in blocks that fit the cache, and of mpmath numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import partial, reduce
from numbers import Rational
from typing import Any

import mpmath
import numpy as np
from numpy.typing import NDArray
from scipy import special as scipy_special

from slrsym.gaussian import multiprecision
from slrsym.kernels.arguments import whole
from slrsym.kernels.means import trapezoid_arrays, trapezoid_mpmath
from slrsym.kernels.program import Program, Style, defined
from slrsym.kernels.special import (
    decay_coefficients,
    decay_integral,
    decay_series,
    erf_covariance,
    owens_t,
)

__all__ = [
    "batched",
    "mpmath_function",
    "numpy_function",
    "numpy_parts",
]


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
    "decay_integral": decay_integral, "decay_coefficients": decay_coefficients,
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
    means = _means(program, "arrays", _ARRAYS, trapezoid_arrays)
    constants = defined(program.setup, _NUMBERS | means)["constants"]
    return constants, defined(program.body, _ARRAYS | means, "arrays")["body"]


def _means(
    program: Program, style: Style, namespace: dict[str, Any], rule: Callable[..., Any]
) -> dict[str, Any]:
    """The means that a program has of functions, by quadrature."""
    return {
        name: partial(rule, defined(pair.body, namespace, style)["body"], order)
        for name, pair, order in program.means
    }


def numpy_function(program: Program) -> Callable[..., Any]:
    """A function of a state array of shape (..., n) and parameters that broadcast with (...)."""
    constants, body = numpy_parts(program)
    means = _means(program, "arrays", _ARRAYS, trapezoid_arrays)
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


# More digits than asked for, which rounding and the quadrature may use up.
_GUARD = 10


def _decay_integral(exponent: Any, low: Any, width: Any) -> Any:
    """The integral, over pieces short against its decay, up to where nothing is left of it."""
    if width == 0:
        return mpmath.mpf(0)
    cut = (mpmath.mp.prec + 20) * mpmath.log(2)
    if exponent * width * (2 * low + width) > cut:
        reach = cut / exponent
        width = reach / (low + mpmath.sqrt(low * low + reach))
    fall = exponent * width * (2 * low + width)
    pieces = 1 + int(mpmath.ceil(mpmath.sqrt(fall)))

    def integrand(y: Any) -> Any:
        rise = width * y * (2 * low + width * y)
        return mpmath.exp(-exponent * rise) / (1 + low * low + rise)

    # Gauss-Legendre, for an analytic function between ends where nothing is singular.
    return width * mpmath.quadgl(integrand, mpmath.linspace(0, 1, pieces + 1))


def _erf_covariance(x: Any, y: Any, r: Any) -> Any:
    """The integral of `ErfCovariance`, on a logarithmic scale."""
    if r == 0:
        return mpmath.mpf(0)
    if r < 0:
        return -_erf_covariance(x, -y, -r)
    rise, fall, digits = (x + y) ** 2 / 4, (x - y) ** 2 / 4, (mpmath.mp.prec + 20) * mpmath.log(2)
    start = mpmath.log((1 - r) / (1 + r)) / 2 if r < 1 else -digits
    peak = min(0, max(start, mpmath.log(fall / rise) / 4)) if rise and fall else 0
    if not fall:
        peak = start
    # The quadrature counts errors in absolute terms.
    least = rise * mpmath.exp(2 * peak) + fall * mpmath.exp(-2 * peak)
    if fall:
        start = max(start, mpmath.log(fall / (least + digits)) / 2)

    def integrand(z: Any) -> Any:
        square = mpmath.exp(2 * z)
        return mpmath.exp(z + least - rise * square - fall / square) / (1 + square)

    pieces = 2 + int(abs(start)) + int(mpmath.sqrt(rise + fall))
    total = mpmath.quadgl(integrand, mpmath.linspace(start, 0, pieces))
    return 4 / mpmath.pi * mpmath.exp(-(x * x + y * y) / 2 - least) * total


def _precise_erf_defect(x: Any, y: Any) -> Any:
    small = mpmath.erfc(abs(y))
    return (x - 1) + small if y >= 0 else (x + 1) - small


def _mpmath_namespace() -> dict[str, Any]:
    return {
        "sqrt": mpmath.sqrt, "exp": mpmath.exp, "arcsin": mpmath.asin, "arctan": mpmath.atan,
        "pi": mpmath.pi, "erf": mpmath.erf, "erfc": mpmath.erfc, "abs": abs, "maximum": max,
        "minimum": min,
        "sin": mpmath.sin, "cos": mpmath.cos, "tanh": mpmath.tanh, "log": mpmath.log,
        "sign": mpmath.sign, "nan": mpmath.nan, "owens_t": multiprecision.owens_t,
        "normal_cdf": multiprecision.normal_cdf,
        "decay_integral": _decay_integral, "erf_defect": _precise_erf_defect,
        "decay_coefficients": lambda *ends: ends,
        "decay_series": lambda exponent, ends: _decay_integral(exponent, *ends),
        "erf_covariance": _erf_covariance,
        "rational": lambda p, q: mpmath.mpf(p) / q,
    }  # fmt: skip


def _number(x: Any) -> Any:
    if isinstance(x, Rational):
        return mpmath.mpf(int(x.numerator)) / int(x.denominator)
    return mpmath.mpf(float(x) if isinstance(x, np.floating) else x)


def mpmath_function(program: Program) -> Callable[..., Any]:
    """A function of one state, in mpmath numbers."""
    namespace = _mpmath_namespace()
    means = _means(program, "numbers", namespace, trapezoid_mpmath)
    scope = defined(program.setup + program.body, namespace | means)

    def evaluate(state: Iterable[Any], *parameters: Any, dps: int = 50) -> list[Any]:
        digits = whole("dps", dps, 1)
        with mpmath.workdps(digits + _GUARD):
            fixed = scope["constants"](*map(_number, parameters))
            values = scope["body"](*map(_number, program.checked(state)), *fixed)
        with mpmath.workdps(digits):
            return [+mpmath.mpf(value) for value in values]

    return evaluate
