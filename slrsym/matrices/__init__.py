"""Vectors and matrices whose sizes are symbols, and means over Gaussian matrices.

Matrices are SymPy's, with letters of a declared kind; `Trace`, `Identity`, products and transposes
are those of SymPy. A statement about them is for all sizes, and all matrices of their kinds.
"""

from typing import TYPE_CHECKING, Any

from slrsym.matrices.functions import ForAllMatrices, SmoothFunction, smooth_function
from slrsym.matrices.letters import Letter, Size, covariance, matrix, symmetric
from slrsym.matrices.means import Loewner, MatrixMean, along

if TYPE_CHECKING:
    from slrsym.matrices.values import gradient, mean

__all__ = [
    "ForAllMatrices",
    "Letter",
    "Loewner",
    "MatrixMean",
    "Size",
    "SmoothFunction",
    "along",
    "covariance",
    "gradient",
    "matrix",
    "mean",
    "smooth_function",
    "symmetric",
]


def __getattr__(name: str) -> Any:
    # Values need the normal form of the proof checker, which statements do not.
    if name in ("gradient", "mean"):
        from slrsym.matrices import values

        return getattr(values, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
