"""Velocities of gradient flow and descent in matrices, as sums of words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray
from sympy import Expr

from slrsym.models.definition.specification import exact_expression
from slrsym.models.matrices.matrix_risk import MatrixRisk
from slrsym.models.training.rates_of_change import RATE

Array = NDArray[np.float64]


def checked_rates(trained: Sequence[Any], rate: Any) -> dict[Any, Expr]:
    """Return a rate for each trained letter and symbol."""
    given = rate if isinstance(rate, Mapping) else dict.fromkeys(trained, rate)
    if unknown := [x for x in given if x not in trained]:
        names = ", ".join(x.name for x in trained)
        raise ValueError(f"rate has {unknown[0]}, which is not trained (trained: {names})")
    found = {x: RATE if given.get(x) is None else exact_expression(given[x]) for x in trained}
    for x, value in found.items():
        if value.is_negative or not value.is_real:
            raise ValueError(f"rate must be real and not negative; got {value} of {x.name}")
    return found


class MatrixVelocities:
    """The velocities of what is trained, from the gradient and the rates."""

    def __init__(self, model: MatrixRisk, kind: str, rates: Mapping[Any, Expr]) -> None:
        self.model, self.kind, self.rates = model, kind, dict(rates)

    def __repr__(self) -> str:
        names = ", ".join(x.name for x in self.state)
        return f"MatrixFlow({self.kind}; state: {names})"

    @property
    def state(self) -> tuple[Any, ...]:
        """The letters and symbols that move."""
        return self.model.trained

    @cached_property
    def parameters(self) -> tuple[Any, ...]:
        """The sizes, letters and symbols of the equations that do not move, by name."""
        free = {x for rate in self.rates.values() for x in rate.free_symbols}
        return tuple(sorted({*self.model.parameters, *free}, key=lambda x: x.name))

    @cached_property
    def velocities(self) -> dict[Any, Any]:
        """The drift as sums of words, and polynomials in traces for numbers."""
        return {
            x: {w: sp.expand(-self.rates[x] * c) for w, c in slope.items()}
            for x, slope in self.model.slopes.items()
        }

    @cached_property
    def drift(self) -> dict[Any, Any]:
        """The velocity, or the change in a step: minus the rate times the gradient."""
        return {x: self.model.shown(x, value) for x, value in self.velocities.items()}

    @property
    def risk(self) -> Expr:
        """The risk of the model."""
        return self.model.risk


class PackedFunction:
    """A function of arrays and numbers as one of a single array."""

    def __init__(
        self, function: Callable[..., Any], shapes: Mapping[Any, Any], row: Sequence[Any]
    ) -> None:
        self._function, self._shapes, self._row = function, list(shapes.values()), row
        self._ends = np.cumsum([0, *(int(np.prod(shape)) for shape in self._shapes)])

    def unpacked(self, flat: Array) -> list[Any]:
        """Return the parts of an array, each in its shape."""
        parts = zip(self._ends, self._ends[1:], self._shapes, strict=False)
        return [flat[i:j].reshape(s) if s else float(flat[i]) for i, j, s in parts]

    def __call__(self, flat: Array) -> Array:
        found = self._function(*self.unpacked(flat), *self._row)
        return np.concatenate([np.ravel(part) for part in found])
