"""Expressions as fast functions, in the numbers of four backends."""

from importlib import import_module
from typing import Any

from slrsym.kernels.compile import compile_expressions
from slrsym.kernels.special import erf_variance, zeta

# Names of version 0.1, which belong to the paper's model.
_MOVED = {
    **dict.fromkeys(
        ("excess_risk", "gradient", "hessian", "kernel", "risk"), "slrsym.models.paper"
    ),
}


def __getattr__(name: str) -> Any:
    if name in _MOVED:
        return getattr(import_module(_MOVED[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
