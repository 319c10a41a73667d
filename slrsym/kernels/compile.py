"""The front door: derived expressions become functions, in the numbers of a backend.

==========  =====================================================================================
backend     numbers
==========  =====================================================================================
``numpy``   float64 arrays; what runs use where Numba cannot be had
``numba``   float64 arrays, by machine code that is kept on disk; what runs use
``mpmath``  one state at a time, to any number of digits
``ball``    one state at a time, in balls that certainly hold the value
==========  =====================================================================================
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from slrsym.kernels.program import Program

if TYPE_CHECKING:
    from sympy import Expr, Symbol

BACKENDS = ("numpy", "numba", "mpmath", "ball")


def require_backend(backend: str, allowed: Sequence[str] = BACKENDS) -> str:
    """Refuse a backend that there is not."""
    if backend not in allowed:
        raise ValueError(f"backend must be one of {', '.join(allowed)}; got {backend!r}")
    return backend


def chosen_backend(backend: str) -> str:
    """What runs are computed by."""
    require_backend(backend, ("auto", "numpy", "numba"))
    if backend == "auto":
        return "numpy" if importlib.util.find_spec("numba") is None else "numba"
    if backend == "numba":
        from slrsym.kernels.numba_backend import require_numba

        require_numba()
    return backend


def compile_expressions(
    outputs: Sequence[Expr],
    state: Sequence[Symbol],
    parameters: Sequence[Symbol],
    backend: str = "numpy",
) -> Callable[..., Any]:
    """Make a function of some expressions.

    Parameters
    ----------
    outputs : sequence of expressions
        In `state` and `parameters`, made of arithmetic, powers, exp, erf, erfc, asin, atan, Abs,
        Max, Min, and the functions of ``slrsym.kernels.functions``.
    state : sequence of Symbol
        Inputs that vary fast.
    parameters : sequence of Symbol
        Inputs that vary slowly: what depends on them alone is computed once.
    backend : {'numpy', 'numba', 'mpmath', 'ball'}
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
    NumbaMissingError
        If the backend is Numba and it is not installed.
    """
    require_backend(backend)
    if not outputs:
        raise ValueError("outputs must hold at least one expression; got none")
    from slrsym.kernels.printing import printed

    return compiled(printed(outputs, state, parameters), backend)


def compiled(program: Program, backend: str) -> Callable[..., Any]:
    """The function of a program, in the numbers of a backend."""
    # Imported when asked for: each brings its own library.
    if backend == "numba":
        from slrsym.kernels.numba_backend import numba_function

        return numba_function(program)
    if backend == "mpmath":
        from slrsym.kernels.mpmath_backend import mpmath_function

        return mpmath_function(program)
    if backend == "ball":
        from slrsym.kernels.ball_backend import ball_function

        return ball_function(program)
    from slrsym.kernels.backends import numpy_function

    return numpy_function(program)
