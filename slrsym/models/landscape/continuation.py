r"""Pseudo-arclength continuation of branches of critical points along a parameter.

The unknowns are the trained directions and the parameter, or its logarithm if it is positive. A
step along the tangent of the branch is corrected by Newton's method, orthogonal to it, so that a
branch may turn back. It ends where it leaves the range of the parameter, or where it meets its own
mirror image under a symmetry of the risk. Points have as many coordinates as their directions span;
along rotations of these, which change nothing, no step goes.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from slrsym.models.landscape.distinct_points import KnownPoints
from slrsym.models.landscape.risk_of_directions import RiskOfTrainedDirections

_Array = NDArray[np.float64]

_FIRST, _SHORTEST, _LONGEST = 0.02, 1e-9, 0.1
_MOST_STEPS = 4000
# Tangents of neighbouring places may differ by an angle with this cosine.
_BEND = 0.98
# Relative to the largest curvature.
_NOISE = 1e-11
# Parts of directions that are shorter may be rounding.
_PART = 1e-6

# Of more order parameters, derivatives in a parameter are differences.
_FEW = 8
# Weights and offsets of a central difference of sixth order, whose error is below rounding.
_OFFSETS = 2e-3 * np.array([-3, -2, -1, 1, 2, 3])
_WEIGHTS = np.array([-1, 9, -45, 45, -9, 1]) / (60 * 2e-3)


@dataclass(frozen=True, eq=False)
class BranchPoint:
    """A critical point on a branch, with the tangent of the branch there."""

    point: _Array
    place: float
    tangent: _Array
    descending: int


@dataclass(frozen=True, eq=False)
class HalfBranch:
    """A branch followed from a critical point in one direction, with its events."""

    places: tuple[BranchPoint, ...]
    events: tuple[tuple[str, BranchPoint], ...]


class ParameterLine:
    """The risk of a model along one of its parameters.

    The place on the line is the logarithm of the parameter if it is positive, else its value.

    Parameters
    ----------
    known : KnownPoints
        With a basis of the fixed directions.
    parameter : str
        Name of a parameter of the risk.
    """

    def __init__(self, known: KnownPoints, parameter: str) -> None:
        self.known, self.model = known, known.there.model
        names = [p.name for p in self.model.parameters]
        self._index = names.index(parameter)
        self._parameter = parameter
        self.is_log = bool(self.model.parameters[self._index].is_positive)
        self.d = known.d
        # The fixed directions are the first coordinates.
        self.span = len(self.model.fixed_directions)

    def place_of(self, value: float) -> float:
        """Return the place of a value of the parameter."""
        return math.log(value) if self.is_log else value

    def value_at(self, place: float) -> float:
        """Return the value of the parameter at a place."""
        return math.exp(place) if self.is_log else place

    def between(self, one: float, other: float) -> float:
        """Return the value whose place is half way between those of two values."""
        return math.sqrt(one * other) if self.is_log else (one + other) / 2

    def row(self, values: ArrayLike) -> list[_Array]:
        """Return the parameters of the risk, of which the line's is an array of values."""
        row = [np.asarray(x) for x in self.known.there.row]
        row[self._index] = np.asarray(values, dtype=np.float64)
        return row

    def at(self, value: float) -> KnownPoints:
        """Return an empty set of points at a value of the parameter."""
        there = self.known.there
        row = np.array(there.row)
        row[self._index] = value
        moved = RiskOfTrainedDirections(
            self.model, row, there.fixed, there.dimensions, there.widths
        )
        return KnownPoints(moved, {**self.known.by_name, self._parameter: value}, self.known.signs)

    @cached_property
    def _by_width(self) -> dict[int, RiskOfTrainedDirections]:
        return {}

    def there(self, width: int) -> RiskOfTrainedDirections:
        """Return the risk in so many coordinates."""
        if width not in self._by_width:
            self._by_width[width] = self.known.there_of_triangle(width)
        return self._by_width[width]

    def derivatives(self, points: _Array, values: ArrayLike) -> tuple[_Array, _Array, _Array]:
        """Return gradient and Hessian on the spheres, and the bases, without rotations."""
        there = self.there(points.shape[-1])
        gradient, hessian = there.ambient_derivatives(points, self.row(values))
        basis = self._without_rotations(points, there.spheres.tangent_basis(points))
        across = np.swapaxes(basis, -1, -2)
        second = across @ there.spheres.lagrangian(points, gradient, hessian) @ basis
        flat = gradient.reshape(*gradient.shape[:-2], -1, 1)
        return (across @ flat)[..., 0], second, basis

    def rate(self, point: _Array, place: float) -> _Array:
        """Return the derivative of the gradient in the place, as of unconstrained directions."""
        there = self.there(point.shape[-1])
        state = there.order_parameters_at(point)
        if len(state) <= _FEW and self.model.has_closed_form:
            value = self.value_at(place)
            slope = self.model.gradient_rate(self.model.parameters[self._index])
            partial = slope(state, *self.row(value))
            exact: _Array = there.rates(point).T @ (value * partial if self.is_log else partial)
            return exact
        near = place + _OFFSETS
        values = np.exp(near) if self.is_log else near
        slopes = self.model.compiled("numpy", "gradient")(
            np.broadcast_to(state, (len(near), len(state))), *self.row(values)
        )
        found: _Array = there.rates(point).T @ (_WEIGHTS @ slopes)
        return found

    def _without_rotations(self, points: _Array, basis: _Array) -> _Array:
        """Return bases without the directions of rotations beyond the fixed directions."""
        f, width = self.span, points.shape[-1]
        pairs = list(itertools.combinations(range(f, width), 2))
        if not pairs:
            return basis
        turned = np.zeros((*points.shape[:-2], len(pairs), *points.shape[-2:]))
        for row, (a, b) in enumerate(pairs):
            turned[..., row, :, a], turned[..., row, :, b] = -points[..., b], points[..., a]
        flat = turned.reshape(*turned.shape[:-2], -1) @ basis
        free = np.linalg.svd(flat, full_matrices=True)[2][..., len(pairs) :, :]
        found: _Array = basis @ np.swapaxes(free, -1, -2)
        return found

    def correct(self, point: _Array, value: float) -> _Array | None:
        """Return the critical point near a given point by Newton's method, or None."""
        start, spheres = point, self.there(point.shape[-1]).spheres
        for _ in range(20):
            grad, hess, basis = self.derivatives(point, value)
            step = -np.linalg.lstsq(hess, grad, rcond=1e-14)[0]
            size = float(np.linalg.norm(step))
            if not size <= 0.5:
                return None
            point = spheres.retract(point, (basis @ step).reshape(point.shape))
            if size < 1e-12:
                break
        return point if np.abs(point - start).max() < 0.3 else None

    def indices(
        self, points: _Array, values: _Array
    ) -> tuple[NDArray[np.int_], NDArray[np.int_], NDArray[np.bool_]]:
        """Return numbers of descending directions, of those in each further dimension, and flags.

        Shapes are (..., t, m) and (...) to (...), (...) and (...); the flags say where all signs
        are certain.
        """
        there = self.there(points.shape[-1])
        _, second, _ = self.derivatives(points, values)
        inside = np.linalg.eigvalsh((second + np.swapaxes(second, -1, -2)) / 2)
        slopes = there.slopes(points, self.row(values))
        beyond = there.transverse_matrices(points, slopes)
        flat = points.reshape(-1, *points.shape[-2:])
        count, sure = np.zeros(len(flat), dtype=int), np.ones(len(flat), dtype=bool)
        size = np.abs(inside).max(axis=-1, initial=0.0).reshape(-1)
        for n, (point, matrix) in enumerate(
            zip(flat, beyond.reshape(-1, *beyond.shape[-2:]), strict=True)
        ):
            pivots = self.pivots(point)
            others = [i for i in range(len(point)) if i not in pivots]
            # Parts beyond the fixed directions are the kernel of the matrix.
            across = np.linalg.eigvalsh(matrix[np.ix_(others, others)])
            count[n] = (across < 0).sum()
            sure[n] = ((np.abs(across) > _NOISE * size[n]) | (across == 0.0)).all()
        shape = points.shape[:-2]
        certain = (np.abs(inside) > _NOISE * size.reshape(*shape, 1)).all(axis=-1)
        return (inside < 0).sum(axis=-1), count.reshape(shape), certain & sure.reshape(shape)

    def pivots(self, point: _Array) -> list[int]:
        """Return directions whose parts beyond the fixed ones span those of all."""
        rest = point[:, self.span :]
        if not rest.size:
            return []
        _, triangle, order = scipy.linalg.qr(rest.T, mode="economic", pivoting=True)
        rank = int((np.abs(np.diagonal(triangle)) > _PART).sum())
        return [int(i) for i in order[:rank]]

    # -- along a branch ------------------------------------------------------------------------

    def follow(
        self, point: _Array, value: float, direction: int, low: float, high: float
    ) -> HalfBranch:
        """Follow the branch through a critical point in one direction, and return that half."""
        ends = self.place_of(low), self.place_of(high)
        here = self._place(point, self.place_of(value), None, direction)
        places, events = [here], []
        length = _FIRST
        while len(places) < _MOST_STEPS and length > _SHORTEST:
            there = self._step(here, length)
            if there is None:
                length /= 2
                continue
            # Past the end of the range there is nothing to look at.
            outside = not ends[0] <= there.place <= ends[1]
            turned = there.tangent[-1] * here.tangent[-1] < 0
            if not outside and (turned or there.descending != here.descending):
                kind, event = self._located(here, length, turned)
                events.append((kind, event))
                if kind == "pitchfork":
                    places.append(event)
                    break
            if outside:
                edge = ends[0] if there.place < ends[0] else ends[1]
                last = self.correct(here.point, self.value_at(edge))
                if last is not None:
                    places.append(self._place(last, edge, here.tangent, 0))
                break
            here = there
            places.append(here)
            length = min(_LONGEST, 1.4 * length)
            if len(places) > 10 and _returned(places[0], here, length):
                break
        return HalfBranch(tuple(places), tuple(events))

    def _equations(self, point: _Array, place: float) -> tuple[_Array, _Array, _Array]:
        """Return the gradient, its Jacobian in (tangent coordinates, place), and the basis."""
        grad, hess, basis = self.derivatives(point, self.value_at(place))
        return grad, np.column_stack([hess, basis.T @ self.rate(point, place)]), basis

    def _place(
        self, point: _Array, place: float, before: _Array | None, direction: int
    ) -> BranchPoint:
        _, jacobian, basis = self._equations(point, place)
        null = np.linalg.svd(jacobian)[2][-1]
        tangent = np.append(basis @ null[:-1], null[-1])
        forward = tangent[-1] * direction if before is None else tangent @ before
        values = np.linalg.eigvalsh((jacobian[:, :-1] + jacobian[:, :-1].T) / 2)
        descending = int((values < -_NOISE * np.abs(values).max(initial=0.0)).sum())
        return BranchPoint(point, place, tangent if forward >= 0 else -tangent, descending)

    def _step(self, here: BranchPoint, length: float) -> BranchPoint | None:
        """Return the branch's point an arc length on; None if Newton fails or it bends sharply."""
        spheres = self.there(here.point.shape[-1]).spheres
        moved = length * here.tangent
        point = spheres.retract(here.point, moved[:-1].reshape(here.point.shape))
        place = here.place + moved[-1]
        for _ in range(8):
            grad, jacobian, basis = self._equations(point, place)
            across = np.append(here.tangent[:-1] @ basis, here.tangent[-1])
            matrix = np.vstack([jacobian, across * np.abs(jacobian).max()])
            if not np.isfinite(matrix).all():
                return None
            try:
                change = -np.linalg.solve(matrix, np.append(grad, 0.0))
            except np.linalg.LinAlgError:
                return None
            size = float(np.linalg.norm(change))
            if not size <= length:
                return None
            point = spheres.retract(point, (basis @ change[:-1]).reshape(point.shape))
            place += float(change[-1])
            if size < 1e-11:
                break
        else:
            if size > 1e-8:
                return None
        there = self._place(point, place, here.tangent, 0)
        straight = there.tangent @ here.tangent > _BEND
        return there if straight else None

    def _located(self, here: BranchPoint, length: float, turned: bool) -> tuple[str, BranchPoint]:
        """Locate a fold, fork or change of stability by bisection; return its kind and point."""
        low, high, best = 0.0, length, here
        for _ in range(50):
            middle = (low + high) / 2
            there = self._step(here, middle)
            if there is None:
                break
            best = there
            after = (
                there.tangent[-1] * here.tangent[-1] < 0
                if turned
                else there.descending != here.descending
            )
            low, high = (low, middle) if after else (middle, high)
            if high - low < 1e-10:
                break
        if not turned:
            return "crossing", best
        return ("pitchfork" if self._mirrored(best) else "fold"), best

    def _mirrored(self, place: BranchPoint) -> bool:
        """Return whether a symmetry fixes the point and reverses the branch through it."""
        tangent = place.tangent[:-1].reshape(place.point.shape)
        for sign in self.known.coordinate_signs(place.point.shape[1]):
            fixed = np.abs(sign * place.point - place.point).max() < 0.05
            if fixed and np.sum(sign * tangent * tangent) < -0.95 * np.sum(tangent**2):
                return True
        # Permutations act on order parameters.
        there = self.there(place.point.shape[1])
        state = there.order_parameters_at(place.point)
        moved = there.rates(place.point) @ place.tangent[:-1]
        square = float(moved @ moved)
        return square > 1e-12 and any(
            np.abs(sign * state[order] - state).max() < 0.05
            and float((sign * moved[order]) @ moved) < -0.95 * square
            for order, sign in self.known.symmetries.transformations
        )


def _returned(first: BranchPoint, here: BranchPoint, length: float) -> bool:
    same = abs(first.place - here.place) < length / 2
    return bool(same and np.abs(first.point - here.point).max() < length / 2)
