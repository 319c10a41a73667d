"""Compilation of expressions to fast functions for several backends."""

from importlib import import_module
from typing import Any

from slrsym.kernels.compile import compile_expressions
from slrsym.kernels.numpy_special_functions import erf_variance, zeta


def __getattr__(name: str) -> Any:
    # Names of version 0.1, which belong to the paper's model.
    if name in ("excess_risk", "gradient", "hessian", "kernel", "risk"):
        return getattr(import_module("slrsym.models.paper_risk"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
