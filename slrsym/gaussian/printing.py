"""How the functions of Gaussian calculus print as code, and the modules to lambdify them with.

``lambdify(args, expr, modules=NUMPY_MODULES)``
    vectorised over NumPy arrays, by SciPy's special functions. (SymPy's plain ``"numpy"`` binds erf
    to ``math.erf``, which takes scalars only.)
``lambdify(args, expr, modules=MPMATH_MODULES)``
    scalar, to mpmath's working precision.
``lambdify(args, expr, modules=NUMBA_MODULES)``
    scalar, and ready for ``numba.njit`` or ``numba.vectorize``. Reading this name imports Numba.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr

from slrsym.registry import registered

__all__ = ["MPMATH_MODULES", "NUMBA_MODULES", "NUMPY_MODULES", "function_call", "inline"]

NUMPY_MODULES: list[Any] = ["scipy", "numpy"]
MPMATH_MODULES: list[Any] = ["mpmath"]
NUMBA_MODULES: list[Any]


def __getattr__(name: str) -> Any:
    if name == "NUMBA_MODULES":
        return [registered("numba.functions")(), "math"]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def function_call(printer: Any, function: str, *args: Expr) -> str:
    """A call of the function of that full name, which the printer notes as an import."""
    return f"{printer._module_format(function)}({', '.join(map(printer._print, args))})"


def inline(printer: Any, formula: Expr) -> str:
    """The formula in parentheses, since the printer takes a function for an atom."""
    return f"({printer._print(formula)})"
