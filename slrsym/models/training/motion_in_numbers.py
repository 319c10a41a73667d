"""Equations of motion in numbers: what they have to offer, to be searched and drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np
    from numpy.typing import NDArray
    from sympy import Expr, Symbol


class MotionInNumbers:
    """Equations of motion whose state is a list of numbers.

    Attributes
    ----------
    model : object
        It knows the directions whose inner products the state has.
    """

    model: Any

    if TYPE_CHECKING:

        @property
        def kind(self) -> str: ...
        @property
        def is_symmetric(self) -> bool: ...
        @property
        def state(self) -> tuple[Symbol, ...]: ...
        @property
        def parameters(self) -> tuple[Symbol, ...]: ...
        @property
        def drift(self) -> Any: ...
        @property
        def noise(self) -> Any: ...
        @property
        def risk(self) -> Expr: ...
        def compile(self, backend: str = "numpy", *what: str) -> Callable[..., Any]: ...
        def numerical_values(
            self, point: Any, values: Mapping[Any, Any] | None
        ) -> tuple[NDArray[np.float64], list[float]]: ...
