"""Search for critical points of the risk of a model, up to its symmetries.

Trained directions are points of spheres, or of the whole space, with coordinates in a basis of the
span of all directions. Orthogonal to this span the Hessian is the same in every direction, so that
it is known in all d dimensions.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import factorial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from slrsym.jobs import show_progress
from slrsym.kernels.arguments import require_integer
from slrsym.models.landscape.critical_point_search import (
    SearchCoverage,
    follow_eigenvectors,
    search_gradient_zeros,
)
from slrsym.models.landscape.critical_point_table import StationaryPoint, StationaryPoints
from slrsym.models.training.initial_conditions import equal_dimensions
from slrsym.models.training.simulation import (
    add_inner_products_of_start,
    initial_gram_factors,
    parameter_row,
    parameter_values_by_name,
    require_trained_directions,
    require_value_of_d,
)

if TYPE_CHECKING:
    from slrsym.models.training.descent import DerivedModel

Array = NDArray[np.float64]

_BATCH = 16
# Steps of difference quotients: of the gradient in searches, and for the Hessian at their ends.
_STEP, _CENTRAL = 1e-7, 1e-5
# Relative to the largest curvature: below it curvatures and gradients vanish.
_FLAT, _ARRIVED = 1e-7, 1e-9
_NEAR = 1e-5
# How far a step leads that follows eigenvectors, and how many there are: a quarter of a sphere is
# crossed by six, and the search that comes after needs no precision.
_REACH, _LED_STEPS = 0.25, 12
# How far along a flat direction another point of a continuum is looked for.
_ASIDE = 0.2


class RiskOfTrainedDirections:
    """The risk as a function of the trained directions, with everything else fixed."""

    def __init__(
        self, model: DerivedModel, factors: Array, row: Array, dimensions: list[int]
    ) -> None:
        self.model, self._flow, self.row = model, model.flow, row
        self._t = t = len(model.trained_directions)
        self.points, self._fixed = factors[:, :, :t], factors[0, :, t:]
        self._risk = model.compile("numpy", "risk", "gradient")
        self._sphere = np.array([x.on_sphere for x in model.trained_directions])
        spaces, _, r = self.points.shape[1:]
        self._dimensions = dimensions
        # In few dimensions some coordinates do not exist.
        lives = np.arange(r) < np.array(dimensions)[:, None]
        self._live = np.flatnonzero(np.broadcast_to(lives[:, None], (spaces, t, r)))
        # Projections on the span of the fixed directions, in each space.
        self._span = np.array([x.T @ np.linalg.pinv(x.T) for x in self._fixed])
        # For each coordinate, which direction it is of.
        self._owner = np.broadcast_to(np.arange(t)[:, None], (spaces, t, r)).ravel()

    def coordinates_of_all_directions(self, points: Array) -> Array:
        """Return the coordinates of all directions, the trained ones first, for each point."""
        fixed = np.broadcast_to(self._fixed, (len(points), *self._fixed.shape))
        return np.concatenate([points, fixed], axis=-2)

    def order_parameters_at(self, points: Array) -> Array:
        """Return the order parameters at points given by coordinates of trained directions."""
        return self._flow.order_parameters_of_gram_factor(
            self.coordinates_of_all_directions(points)
        )

    def risk_and_gradient(self, points: Array) -> tuple[Array, Array]:
        """Return risk and gradient at each point, in coordinates of the trained directions."""
        factor = self.coordinates_of_all_directions(points)
        found = self._risk(self._flow.order_parameters_of_gram_factor(factor), *self.row)
        return found[..., 0], self._flow.gradient_vectors(factor, found[..., 1:])

    def _multipliers(self, points: Array, gradient: Array) -> Array:
        """Return the radial part of the gradient of each direction that is on a sphere, else 0."""
        along = np.sum(points * gradient, axis=(-3, -1))
        return np.where(self._sphere, along, 0.0)

    def tangent_bases(self, points: Array) -> Array:
        """Return an orthonormal basis of the tangent space at each point, as columns."""
        n, size = len(points), self._owner.size
        normals = np.zeros((n, int(self._sphere.sum()), size))
        flat = points.reshape(n, size)
        for row, i in enumerate(np.flatnonzero(self._sphere)):
            normals[:, row] = np.where(self._owner == i, flat, 0.0)
        inside = np.linalg.svd(normals[..., self._live])[2][:, normals.shape[1] :]
        found = np.zeros((n, size, inside.shape[1]))
        found[:, self._live] = np.swapaxes(inside, -1, -2)
        return found

    def tangent_gradient_hessian_and_basis(
        self, points: Array, central_differences: bool = False
    ) -> tuple[Array, Array, Array]:
        """Return the gradient, the Hessian and a basis of the tangent space at each point."""
        n, size = len(points), self._owner.size
        basis = self.tangent_bases(points)
        m = basis.shape[-1]
        _, gradient = self.risk_and_gradient(points)
        moves = np.swapaxes(basis, -1, -2).reshape(n, m, *points.shape[1:])
        flat = gradient.reshape(n, 1, size)

        def at(step: float) -> Array:
            moved = (points[:, None] + step * moves).reshape(n * m, *points.shape[1:])
            return self.risk_and_gradient(moved)[1].reshape(n, m, size)

        if central_differences:
            rates = (at(_CENTRAL) - at(-_CENTRAL)) / (2 * _CENTRAL)
        else:
            rates = (at(_STEP) - flat) / _STEP
        radial = self._multipliers(points, gradient)[:, self._owner]
        hess = rates @ basis - np.swapaxes(basis, -1, -2) @ (radial[:, :, None] * basis)
        grad = (np.swapaxes(basis, -1, -2) @ gradient.reshape(n, size, 1))[..., 0]
        return grad, (hess + np.swapaxes(hess, -1, -2)) / 2, basis

    def project_on_fixed_directions(self, points: Array) -> Array:
        """Return the orthogonal projections of trained directions on the span of the fixed ones."""
        found: Array = points @ self._span
        return found

    def retract(self, points: Array, steps: Array) -> Array:
        """Return points moved by steps, with the directions on spheres normalised."""
        moved = points + steps
        length = np.sqrt(np.sum(moved * moved, axis=(-3, -1)))[..., None, :, None]
        found: Array = np.where(self._sphere[:, None], moved / length, moved)
        return found

    def transverse_curvatures(self, point: Array) -> list[tuple[Array, int]]:
        """Return curvatures orthogonal to all directions, with multiplicities, by eigenspace."""
        factor = self.coordinates_of_all_directions(point[None])
        slopes = self._risk(self._flow.order_parameters_of_gram_factor(factor), *self.row)[..., 1:]
        weights = self._flow.gradient_coefficients(factor, slopes)[0][..., : self._t]
        gradient = self._flow.gradient_vectors(factor, slopes)[0]
        radial = np.diag(self._multipliers(point, gradient))
        live = np.minimum(self._dimensions, point.shape[-1])
        return [
            (np.linalg.eigvalsh(weights[a] - radial), int(d - live[a]))
            for a, d in enumerate(self._dimensions)
        ]

    def orbit_dimension(self, point: Array) -> int:
        """Return the dimension of the set of points that rotations relate to a point."""
        total = 0
        for a, d in enumerate(self._dimensions):
            rest = point[a] - point[a] @ self._span[a]
            q = int(np.linalg.matrix_rank(rest, tol=1e-6))
            free = d - round(float(np.trace(self._span[a])))
            total += q * free - q * (q + 1) // 2
        return total

    def directions_changing_order_parameters(self, point: Array, directions: Array) -> Array:
        """Return the combinations of tangent directions along which order parameters change."""
        if not directions.shape[1]:
            return directions.T
        h = 1e-3
        moves = directions.T.reshape(-1, *point.shape)
        # Order parameters are quadratic: central differences are exact.
        rates = (
            self.order_parameters_at(point + h * moves)
            - self.order_parameters_at(point - h * moves)
        ) / (2 * h)
        vectors, sizes, _ = np.linalg.svd(rates)
        found: Array = (directions @ vectors[:, : int((sizes > 1e-4).sum())]).T
        return found


class RiskSymmetries:
    """Signed permutations of directions under which the risk is invariant, acting on states."""

    def __init__(self, landscape: RiskOfTrainedDirections, states: Array) -> None:
        model = landscape.model
        self._places = {s: i for i, s in enumerate(model.order_parameters)}
        size = len(self._places)
        signs = [np.ones(size)]
        for flipped in model.flow.symmetries():
            signs.append(np.array([-1.0 if s in flipped else 1.0 for s in self._places]))
        risk = model.compile("numpy", "risk")

        def risks(at: Array) -> Array:
            found: Array = risk(at, *landscape.row)[..., 0]
            return found

        before = risks(states)
        orders = [np.arange(size)]
        for order in self._permutations(model):
            if np.allclose(risks(states[:, order]), before, rtol=1e-9, atol=1e-12):
                orders.append(order)
        self.transformations = [(order, sign) for order in orders for sign in signs]

    def _permutations(self, model: DerivedModel) -> list[NDArray[np.int64]]:
        """Return the permutations of order parameters induced by permutations of directions."""
        trained, fixed = model.trained_directions, model.fixed_directions
        if factorial(len(trained)) * factorial(len(fixed)) > _MOST_PERMUTATIONS:
            fixed_orders: list[tuple[Any, ...]] = [fixed]
        else:
            fixed_orders = list(itertools.permutations(fixed))
        found: dict[tuple[int, ...], NDArray[np.int64]] = {}
        trained_orders = itertools.islice(itertools.permutations(trained), _MOST_PERMUTATIONS)
        for first, second in itertools.product(trained_orders, fixed_orders):
            to = dict(zip((*trained, *fixed), (*first, *second), strict=True))
            if any(x.on_sphere != y.on_sphere for x, y in to.items()):
                continue
            if (order := self._order(model, to)) is not None:
                found[tuple(order)] = np.array(order)
        found.pop(tuple(range(len(self._places))), None)
        return list(found.values())

    def _order(self, model: DerivedModel, to: Mapping[Any, Any]) -> list[int] | None:
        """Return the permutation of order parameters induced by one of directions, or None."""
        order = [0] * len(self._places)
        for symbol, (i, j, a) in model.flow.places.items():
            if symbol not in self._places:
                continue
            x, y = model.directions[i], model.directions[j]
            image = model.inner_product(to[x], to[y], a)
            if image not in self._places:
                return None
            order[self._places[symbol]] = self._places[image]
        fixed = model.fixed_directions
        same = all(
            model.inner_product(to[x], to[y], a) == model.inner_product(x, y, a)
            for x in fixed
            for y in fixed
            for a in range(model.spaces)
        )
        return order if same else None

    def images(self, state: Array) -> Array:
        """Return the images of a state under all symmetries."""
        return np.array([sign * state[order] for order, sign in self.transformations])


_MOST_PERMUTATIONS = 5_000


@dataclass
class _Found:
    """A critical point found by the search, or one point of a continuum of them."""

    point: Array
    state: Array
    risk: float
    hess: Array
    basis: Array
    plateau: bool
    hits: int = 0
    samples: list[Array] = field(default_factory=list)


def search_model_critical_points(
    model: DerivedModel,
    values: Mapping[Any, Any],
    *,
    starts: int = 50,
    rng: Any = None,
    progress: bool | None = None,
) -> StationaryPoints:
    """Search for critical points of a model's risk from random starts; return a table of them."""
    require_trained_directions(model, "landscape", "gradient-flow", "fixed_points(...)")
    by_name = parameter_values_by_name(model, values)
    generator = np.random.default_rng(rng)
    d = require_value_of_d(by_name)
    dimensions = equal_dimensions(d, model.spaces)
    starts = require_integer("starts", starts, 1)
    factors = initial_gram_factors(model, by_name, "uniform", starts, generator, dimensions)
    # The risk may depend on inner products of fixed directions: they are those of the first start.
    factors[:, :, len(model.trained_directions) :] = factors[:1, :, len(model.trained_directions) :]
    add_inner_products_of_start(model, by_name, factors)
    there = RiskOfTrainedDirections(model, factors, parameter_row(model, by_name), dimensions)
    symmetries = RiskSymmetries(there, there.order_parameters_at(there.points[:3]))
    known: list[_Found] = []
    lost = 0
    with show_progress(progress, "searches", starts, counted=True) as shown:
        for begin in range(0, starts, _BATCH):
            points = there.points[begin : begin + _BATCH]
            ends, lost_now = _searched(there, _first(there, points, begin, generator))
            lost += lost_now
            for one in ends:
                _enter(known, one, symmetries).hits += 1
            shown(len(points))
    if lost:
        warnings.warn(
            f"{lost} of {starts} searches ended where the risk or a derivative is not finite: "
            "critical points there are not listed",
            RuntimeWarning,
            stacklevel=4,
        )
    rows = _rows(there, known, symmetries)
    names = tuple(p.name for p in model.order_parameters)
    rows.sort(key=lambda p: (p.risk, tuple(p.state)))
    coverage = SearchCoverage(starts, tuple(p.hits for p in rows))
    return StationaryPoints(names, tuple(rows), coverage, len(symmetries.transformations))


def _first(
    there: RiskOfTrainedDirections, points: Array, begin: int, rng: np.random.Generator
) -> Array:
    """Return the points where searches begin: random starts, some moved to raise variety.

    One is led to a minimum and one to a saddle of a random index; `begin` counts the starts before.
    """
    found, number = points.copy(), begin + np.arange(len(points))
    kind, m = number % 4, there.tangent_bases(points[:1]).shape[-1]
    index = np.where(kind == 1, 0, rng.integers(0, m + 1, size=len(points)))
    led = (kind == 1) | (kind == 2)
    if led.any():
        upwards = np.arange(m) < index[led, None]
        found[led] = follow_eigenvectors(
            points[led],
            upwards,
            there.tangent_gradient_hessian_and_basis,
            there.retract,
            _REACH,
            _LED_STEPS,
        )
    for i in np.flatnonzero(kind == 3):
        found[i] = _aligned(there, points[i], int(number[i]) // 4)
    return there.retract(found, np.zeros_like(found))


def _aligned(there: RiskOfTrainedDirections, point: Array, number: int) -> Array:
    """Return a start with each direction in the fixed span, orthogonal to it, or repeated.

    Each direction is put into the span of the fixed ones, or orthogonal to it, or is that before.
    """
    inside = there.project_on_fixed_directions(point)
    found = point.copy()
    for i in range(point.shape[1]):
        number, what = divmod(number, 3)
        part = found[:, i - (i > 0)] if what == 2 else (inside, point - inside)[what][:, i]
        # A vector that would vanish stays.
        if np.sum(part * part) > 1e-8:
            found[:, i] = part
    return found


def _searched(there: RiskOfTrainedDirections, points: Array) -> tuple[list[_Found], int]:
    """Run a search from each point; return critical points, and how many ends are not finite."""
    with np.errstate(all="ignore"):
        ends = search_gradient_zeros(
            points, there.tangent_gradient_hessian_and_basis, there.retract
        )[0]
        grad, hess, basis = there.tangent_gradient_hessian_and_basis(ends, central_differences=True)
        risks, _ = there.risk_and_gradient(ends)
    states = there.order_parameters_at(ends)
    found, lost = [], 0
    for i, end in enumerate(ends):
        if not (np.isfinite(hess[i]).all() and np.isfinite(risks[i])):
            lost += 1
            continue
        values, vectors = np.linalg.eigh(hess[i])
        size = max(1.0, np.abs(values).max(initial=0.0))
        inner, curved = vectors.T @ grad[i], np.abs(values) > _FLAT * size
        if np.abs(grad[i]).max(initial=0.0) <= _ARRIVED * size:
            # Where the risk is flat to rounding, Newton's method would go far nevertheless.
            far = np.abs(inner[curved] / values[curved]).max(initial=0.0)
            plateau = bool(far >= _NEAR)
            found.append(_Found(end, states[i], float(risks[i]), hess[i], basis[i], plateau))
    return found, lost


def _enter(known: list[_Found], one: _Found, symmetries: RiskSymmetries) -> _Found:
    """Return the known point that is equal up to a symmetry, or else the added new point."""
    images = symmetries.images(one.state)
    for other in known:
        if np.abs(images - other.state).max(axis=-1).min() < _NEAR:
            return other
    known.append(one)
    return one


def _rows(
    there: RiskOfTrainedDirections, known: list[_Found], symmetries: RiskSymmetries
) -> list[StationaryPoint]:
    """Return a row of the table for each isolated critical point and each continuum of them."""
    rows: list[StationaryPoint] = []
    for one in known:
        row = _described(there, one, symmetries)
        twin = next((other for other in rows if _same_continuum(row, other)), None)
        if twin is None:
            rows.append(row)
        else:
            samples = np.concatenate([twin.samples, row.samples])
            first, second = sorted((twin, row), key=lambda p: -p.continuum)
            rows[rows.index(twin)] = replace(first, samples=samples, hits=first.hits + second.hits)
    return rows


def _same_continuum(row: StationaryPoint, other: StationaryPoint) -> bool:
    """Return whether two critical points belong to one continuum: equal risk and equal index.

    Where branches of it meet, a point is degenerate.
    """
    close = abs(row.risk - other.risk) <= 1e-8 * max(1.0, abs(row.risk))
    if row.plateau or other.plateau:
        return close and row.plateau == other.plateau
    either, both = row.continuum or other.continuum, (row, other)
    inside = all(p.continuum or p.kind == "degenerate" for p in both)
    return bool(close and either and inside and row.index == other.index)


def _described(
    there: RiskOfTrainedDirections, one: _Found, symmetries: RiskSymmetries
) -> StationaryPoint:
    """Return the table row of a critical point, with its curvatures in all d dimensions."""
    inside, vectors = np.linalg.eigh(one.hess)
    across = there.transverse_curvatures(one.point)
    spectrum = np.concatenate([inside, *(np.repeat(values, count) for values, count in across)])
    tolerance = _FLAT * max(1.0, np.abs(spectrum).max(initial=0.0))
    index, flat = int((spectrum < -tolerance).sum()), int((np.abs(spectrum) <= tolerance).sum())
    free = one.basis @ vectors[:, np.abs(inside) <= tolerance]
    samples, continuum = _continuum(
        there, one, there.directions_changing_order_parameters(one.point, free)
    )
    images = symmetries.images(one.state)
    rounded = [tuple(image) for image in (images.round(6) + 0.0).tolist()]
    if not continuum:
        # Of all images the one whose order parameters are largest, from the first on.
        samples = images[[rounded.index(max(rounded))]]
    return StationaryPoint(
        state=samples[0],
        risk=one.risk,
        eigenvalues=np.sort(spectrum),
        index=index,
        flat=flat,
        orbit=there.orbit_dimension(one.point) + continuum,
        continuum=continuum,
        copies=len(set(rounded)),
        hits=one.hits,
        samples=samples,
        plateau=one.plateau,
    )


def _continuum(there: RiskOfTrainedDirections, one: _Found, free: Array) -> tuple[Array, int]:
    """Return states of the continuum around a critical point, and the dimension of the continuum.

    Curvature may vanish without a continuum: then searches from aside come back.
    """
    samples = [one.state]
    if len(free):
        steps = free.reshape(-1, *one.point.shape) * _ASIDE
        aside = there.retract(one.point[None], np.concatenate([steps, -steps]))
        samples += [
            other.state
            for other in _searched(there, aside)[0]
            if abs(other.risk - one.risk) <= 1e-8 * max(1.0, abs(one.risk))
            and np.abs(other.state - one.state).max() > 1e-3
        ]
    return np.array(samples), len(free) if len(samples) > 1 else 0
