"""Testing utilities for slrsym and for packages built on it.

`check_gradient`, `check_hessian` and `check_retraction` compare derivatives with the functions that
they belong to. Nothing here is imported before it is asked for.
"""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from slrsym.testing.derivatives import (
        ManifoldLike,
        TaylorCheck,
        UnitSpheres,
        check_gradient,
        check_hessian,
        check_retraction,
    )

__all__ = [
    "ManifoldLike",
    "TaylorCheck",
    "UnitSpheres",
    "check_gradient",
    "check_hessian",
    "check_retraction",
]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(_import_module("slrsym.testing.derivatives"), name)
    raise AttributeError(f"module 'slrsym.testing' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
