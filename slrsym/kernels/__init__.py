"""Compilation of expressions to fast functions for several backends."""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from slrsym.kernels.compile import compile_expressions
    from slrsym.kernels.numpy_special_functions import erf_variance, zeta

__all__ = ["compile_expressions", "erf_variance", "zeta"]

# Loaded when first asked for: proofs need checks of arguments, and no compilation.
_LAZY = {
    "compile_expressions": "slrsym.kernels.compile",
    **dict.fromkeys(("erf_variance", "zeta"), "slrsym.kernels.numpy_special_functions"),
}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(_import_module(_LAZY[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
