"""Public entry point: compile SymPy expressions to functions of a backend.

==========  =====================================================================================
backend     numbers
==========  =====================================================================================
``numpy``   float64 arrays; what runs use where Numba cannot be had
``numba``   float64 arrays, by machine code that is kept on disk; what runs use
``mpmath``  one state at a time, to any number of digits
``ball``    one state at a time, in balls that certainly hold the value
``jax``     JAX arrays of float64, to be differentiated, compiled and vectorised by JAX
==========  =====================================================================================

That of NumPy stands here, which works in blocks that fit the cache.
"""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial, reduce
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import special as scipy_special

from slrsym.kernels.arguments import flag_changed_steps, vectorise_over_leading_axes
from slrsym.kernels.edge_arrays import edge_functions
from slrsym.kernels.numpy_special_functions import (
    compute_normal_means,
    cosine_of_slope_with_arrays,
    damped_factor_with_arrays,
    decay_coefficients,
    divided_square_with_arrays,
    erf_covariance,
    evaluate_erf_variance_integral,
    integral_on_geometric_pieces,
    integrate_on_geometric_pieces,
    over_root_with_arrays,
    owens_t,
    scaled_argument_with_arrays,
    sine_of_slope_with_arrays,
)
from slrsym.kernels.orthant_arrays import orthant_functions
from slrsym.kernels.program import Program, execute_source, has_no_gaps
from slrsym.kernels.quadrant_arrays import quadrant_functions

if TYPE_CHECKING:
    from sympy import Expr, Symbol

Array = NDArray[np.float64]

BACKENDS = ("numpy", "numba", "mpmath", "ball", "jax")


def require_backend(backend: str, allowed: Sequence[str] = BACKENDS) -> str:
    """Return a backend's name, or raise an error that lists the allowed ones."""
    if backend not in allowed:
        raise ValueError(f"backend must be one of {', '.join(allowed)}; got {backend!r}")
    return backend


def choose_backend(backend: str) -> str:
    """Return the backend for runs, NumPy or Numba; 'auto' means Numba if it is installed."""
    require_backend(backend, ("auto", "numpy", "numba"))
    if backend == "auto":
        return "numpy" if importlib.util.find_spec("numba") is None else "numba"
    if backend == "numba":
        from slrsym.kernels.numba_backend import require_numba_installed

        require_numba_installed()
    return backend


def compile_expressions(
    outputs: Sequence[Expr],
    state: Sequence[Symbol],
    parameters: Sequence[Symbol],
    backend: str = "numpy",
) -> Callable[..., Any]:
    """Compile SymPy expressions to a function of a state and parameters, for a backend.

    Parameters
    ----------
    outputs : sequence of expressions
        In `state` and `parameters`, made of arithmetic, powers, exp, erf, erfc, erfinv, asin, atan,
        Abs, Max, Min, and the functions of ``slrsym.kernels.symbolic_functions``.
    state : sequence of Symbol
        Inputs that vary fast.
    parameters : sequence of Symbol
        Inputs that vary slowly: what depends on them alone is computed once.
    backend : {'numpy', 'numba', 'mpmath', 'ball', 'jax'}
        In which numbers.

    Returns
    -------
    callable
        ``f(state, *parameters)``. For arrays, `state` has shape (..., n), the parameters broadcast
        with (...), and the result has shape (..., k). With mpmath and balls, `state` is a list of
        n numbers, the result a list of k, and a keyword ``dps`` says how many digits to work with.

    Raises
    ------
    ValueError
        If there is no such backend, there are no outputs, two inputs have the same name, or an
        expression has another symbol or function.
    NumbaMissingError, JaxMissingError
        If the backend is Numba or JAX and it is not installed.
    RuntimeError
        If the backend is JAX, which is set to single precision.
    """
    require_backend(backend)
    if not outputs:
        raise ValueError("outputs must hold at least one expression; got none")
    from slrsym.kernels.limits import has_cancelling_roots, with_limits
    from slrsym.kernels.printing import program_from_expressions

    inputs = (*state, *parameters)

    def program_of(expressions: Sequence[Expr]) -> Program:
        limits = [with_limits(expr) for expr in expressions]
        return program_from_expressions(limits, state, parameters)

    if backend == "jax" and all(map(has_cancelling_roots, outputs)):
        from slrsym.kernels.jax_backend import jax_function_with_derivatives

        return jax_function_with_derivatives(
            outputs, program_of, lambda exprs, i: [e.diff(inputs[i]) for e in exprs]
        )
    return compile_program(program_of(outputs), backend)


def compile_program(program: Program, backend: str) -> Callable[..., Any]:
    """Compile a straight-line program to a function of a state and parameters, for a backend."""
    # Imported when asked for: each brings its own library.
    if backend == "numba":
        from slrsym.kernels.numba_backend import numba_function

        return numba_function(program)
    if backend == "mpmath":
        from slrsym.kernels.mpmath_backend import mpmath_function

        return mpmath_function(program)
    if backend == "ball":
        from slrsym.kernels.ball_backend import compile_ball_function

        return compile_ball_function(program)
    if backend == "jax":
        from slrsym.kernels.jax_backend import jax_function

        return jax_function(program)
    return numpy_function(program)


# -- NumPy -----------------------------------------------------------------------------------------

_BLOCK = 16384


def _erf_defect(x: Any, y: Any) -> Any:
    """Compute `x - erf(y)` without cancellation, by way of the smaller of erf and 1 - erf."""
    small = scipy_special.erfc(np.abs(y))
    return np.where(y >= 0, (x - 1) + small, (x + 1) - small)


def _select(test: Any, then: Callable[[], Any], otherwise: Callable[[], Any]) -> Any:
    """Return, elementwise, one of two alternatives by a test, in NumPy; both are computed."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.where(test, then(), otherwise())


def _quiet(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that divides by zero without a warning: it chooses among branches."""

    def evaluate(*inputs: Any) -> Any:
        with np.errstate(all="ignore"):
            return function(*inputs)

    return evaluate


_ARRAYS = {
    "sqrt": np.sqrt, "exp": np.exp, "arcsin": np.arcsin, "arctan": np.arctan, "pi": math.pi,
    "erf": scipy_special.erf, "erfc": scipy_special.erfc, "erfinv": scipy_special.erfinv,
    "abs": np.abs,
    "maximum": lambda *x: reduce(np.maximum, x), "minimum": lambda *x: reduce(np.minimum, x),
    "sin": np.sin, "cos": np.cos, "tanh": np.tanh, "log": np.log, "sign": np.sign,
    "decay_coefficients": decay_coefficients,
    "evaluate_erf_variance_integral": evaluate_erf_variance_integral, "erf_defect": _erf_defect,
    "owens_t": owens_t, "erf_covariance": erf_covariance, "normal_cdf": scipy_special.ndtr,
    "select": _select, "nan": math.nan,
    "with_slopes_of_zeta": lambda value, t, s: value,
    "damped_factor": partial(damped_factor_with_arrays, np),
    "cosine_of_slope": partial(cosine_of_slope_with_arrays, np),
    "sine_of_slope": partial(sine_of_slope_with_arrays, np),
    "scaled_argument": partial(scaled_argument_with_arrays, np),
    "over_root": partial(over_root_with_arrays, np),
    "divided_square": partial(divided_square_with_arrays, np),
    "rational": lambda p, q: p / q,
    **{
        name: _quiet(function)
        for name, function in edge_functions(
            np, scipy_special.erf, scipy_special.erfc, integral_on_geometric_pieces
        ).items()
    },
    **{
        name: _quiet(function)
        for name, function in quadrant_functions(
            np, scipy_special.erfc, integrate_on_geometric_pieces
        ).items()
    },
    **{name: _quiet(function) for name, function in orthant_functions(np).items()},
}  # fmt: skip
# A hundred times faster on single numbers.
_NUMBERS = _ARRAYS | {
    "sqrt": math.sqrt, "exp": math.exp, "arcsin": math.asin, "arctan": math.atan,
    "erf": math.erf, "erfc": math.erfc, "sin": math.sin, "cos": math.cos, "tanh": math.tanh,
    "log": math.log,
}  # fmt: skip


def numpy_constant_and_output_functions(
    program: Program,
) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return two NumPy functions of a program: for its constants and for its outputs."""
    means = _means(program)
    constants = execute_source(program.setup, _NUMBERS | means)["constants"]
    return constants, execute_source(program.body, _ARRAYS | means, "arrays")["body"]


def _means(program: Program) -> dict[str, Any]:
    """Return, by name, functions that compute the Gaussian means in a program by quadrature."""
    return {
        name: partial(
            compute_normal_means,
            execute_source(pair.body, _ARRAYS, "arrays")["body"],
            orders,
            has_no_gaps=has_no_gaps(pair),
        )
        for name, pair, orders in program.means
    }


class ParametersOverflowError(ValueError, OverflowError):
    """Error for parameters with powers beyond floating point numbers."""


def numpy_function(program: Program) -> Callable[..., Any]:
    """Compile a program to a NumPy function of states of shape (..., n) and parameters."""
    constants, body = numpy_constant_and_output_functions(program)
    means = _means(program)
    varying = execute_source(program.setup, _ARRAYS | means, "arrays")["constants"]

    def constants_of(numbers: Iterable[float]) -> Any:
        given = list(numbers)
        try:
            return constants(*given)
        except OverflowError:
            named = zip(program.parameters, given, strict=True)
            shown = ", ".join(f"{name.rstrip('_')} = {x:g}" for name, x in named)
            raise ParametersOverflowError(
                f"parameters must not be so large that their powers overflow; got {shown}"
            ) from None

    def fill(states: Array, parameters: list[Any], result: Any) -> None:
        single = all(np.ndim(p) == 0 for p in parameters)
        fixed = constants_of(map(float, parameters)) if single else varying(*parameters)
        for start in range(0, len(states), _BLOCK):
            block = slice(start, start + _BLOCK)
            columns = np.ascontiguousarray(states[block].T)
            here = fixed if single else [_rows_of(c, block) for c in fixed]
            for k, value in enumerate(body(*columns, *here)):
                result[block, k] = value

    return vectorise_over_leading_axes(
        fill, len(program.state), program.outputs, (*program.state, *program.parameters)
    )


def _rows_of(constant: Any, block: slice) -> Any:
    """Return the part of a constant that belongs to a block of states.

    A constant without parameters is a number, or a tuple of coefficients (`decay_coefficients`):
    it holds for every row.
    """
    return constant[block] if isinstance(constant, np.ndarray) and constant.ndim else constant


# -- a map taken many times ------------------------------------------------------------------------

# Parameters are arrays with a number for each step, or of one number. Constants of a program are
# computed anew where one of them changes.


def iterate_step(
    step: Callable[[Any, Any], Any],
    constants: Callable[..., Any],
    state: Any,
    parameters: Sequence[Array],
    steps: int,
    every: int,
    read: Callable[[Any], Any],
) -> tuple[Any, Array]:
    """Iterate a step; return the last state, and the values of `read` every `every` steps."""
    fixed: Any = ()
    noted = []
    for number, fresh in enumerate(flag_changed_steps(parameters, steps).tolist()):
        if fresh:
            fixed = constants(*(float(p[number if p.size > 1 else 0]) for p in parameters))
        state = step(state, fixed)
        if (number + 1) % every == 0:
            noted.append(read(state))
    return state, np.array(noted)
