"""Points where searches for critical points of a model begin."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from slrsym.models.landscape.critical_point_search import follow_eigenvectors
from slrsym.models.landscape.risk_of_directions import RiskOfTrainedDirections
from slrsym.models.training.initial_conditions import equal_dimensions
from slrsym.models.training.initial_gram_matrices import initial_gram_factors
from slrsym.models.training.parameter_values import (
    add_inner_products_of_start,
    parameter_row,
    parameter_values_by_name,
    require_value_of_d,
)

if TYPE_CHECKING:
    from slrsym.models.landscape.distinct_points import KnownPoints
    from slrsym.models.training.descent import DerivedModel

Array = NDArray[np.float64]

# How far a step leads that follows eigenvectors, and how many there are: a quarter of a sphere is
# crossed by six, and the search that comes after needs no precision.
_REACH, _LED_STEPS = 0.25, 12


class Starts(Protocol):
    """Protocol of laws of starts, with the risk of a model where the starts are."""

    @property
    def by_name(self) -> dict[str, Any]:
        """The parameters of the model, by name."""
        ...

    def draw(self, count: int) -> tuple[RiskOfTrainedDirections, Array]:
        """Draw starts; return the risk as a function of trained directions, and the starts.

        Parameters
        ----------
        count : int

        Returns
        -------
        risk : RiskOfTrainedDirections
            The same each time.
        points : ndarray, shape (count, t, m)
        """
        ...


class StartDraws(Starts):
    """Random points where searches of a model begin, batch after batch, with the risk there.

    Parameters
    ----------
    model : DerivedModel
    values : mapping of Symbol or str to number
    rng : Generator
    """

    def __init__(
        self, model: DerivedModel, values: Mapping[Any, Any], rng: np.random.Generator
    ) -> None:
        self._model, self._rng = model, rng
        self._by_name = parameter_values_by_name(model, values)
        d = require_value_of_d(self._by_name)
        self._dimensions = equal_dimensions(d, model.spaces)
        self._fixed: Array | None = None

    @property
    def by_name(self) -> dict[str, Any]:
        return self._by_name

    def draw(self, count: int) -> tuple[RiskOfTrainedDirections, Array]:
        model, t = self._model, len(self._model.trained_directions)
        factors = initial_gram_factors(
            model, self.by_name, "uniform", count, self._rng, self._dimensions
        )
        if self._fixed is None:
            # The risk may depend on inner products of fixed directions: they are those of the
            # first start.
            self._fixed = factors[:1, :, t:].copy()
        factors[:, :, t:] = self._fixed
        add_inner_products_of_start(model, self._by_name, factors)
        row = parameter_row(model, self.by_name)
        return RiskOfTrainedDirections.of_gram_factors(model, row, factors, self._dimensions)


def first_points(
    there: RiskOfTrainedDirections, points: Array, begin: int, rng: np.random.Generator
) -> Array:
    """Return the points where searches begin: random starts, some moved to raise variety.

    One is led to a minimum and one to a saddle of a random index; `begin` counts the starts before.
    """
    found, number = points.copy(), begin + np.arange(len(points))
    kind, m = number % 4, there.spheres.tangent_basis(points[:1]).shape[-1]
    index = np.where(kind == 1, 0, rng.integers(0, m + 1, size=len(points)))
    led = (kind == 1) | (kind == 2)
    if led.any():
        upwards = np.arange(m) < index[led, None]
        found[led] = follow_eigenvectors(
            points[led],
            upwards,
            there.tangent_gradient_hessian_and_basis,
            there.spheres.retract,
            _REACH,
            _LED_STEPS,
        )
    for i in np.flatnonzero(kind == 3):
        found[i] = _aligned(there, points[i], int(number[i]) // 4)
    return there.spheres.retract(found, np.zeros_like(found))


def _aligned(there: RiskOfTrainedDirections, point: Array, number: int) -> Array:
    """Return a start with each direction in the fixed span, orthogonal to it, or repeated.

    Each direction is put into the span of the fixed ones, or orthogonal to it, or is that before.
    """
    inside = there.project_on_fixed_directions(point)
    found = point.copy()
    for i in range(len(point)):
        number, what = divmod(number, 3)
        part = found[i - (i > 0)] if what == 2 else (inside, point - inside)[what][i]
        # A vector that would vanish stays.
        if np.sum(part * part) > 1e-8:
            found[i] = part
    return found


def points_between_known(known: KnownPoints, points: Array, rng: np.random.Generator) -> Array:
    """Draw as many points near known ones and between pairs, and lead them to a random index.

    Where nothing is known, the given points are returned.
    """
    there, count = known.there, len(points)
    width = there.fixed.shape[1]
    some = np.array([f.point for f in known.entries if f.point.shape[1] == width])
    if not len(some) or known.triangle is None:
        return points
    signs = known.coordinate_signs(width)
    first, second = (
        some[rng.integers(len(some), size=count)] * signs[rng.integers(len(signs), size=count)]
        for _ in range(2)
    )
    part = rng.uniform(size=(count, 1, 1)) ** 2
    noise = 10.0 ** rng.uniform(-5, -0.3, (count, 1, 1)) * rng.standard_normal(points.shape)
    near = there.spheres.normalise((1 - part) * first + part * second + noise)
    size = there.spheres.tangent_basis(near[:1]).shape[-1]
    upwards = np.arange(size) < rng.integers(0, size + 1, size=(count, 1))
    return follow_eigenvectors(
        near, upwards, there.tangent_gradient_hessian_and_basis, there.spheres.retract
    )
