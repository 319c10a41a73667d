"""The critical points that a search has found, told apart up to symmetries, with what is known."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sympy import Expr

from slrsym.models.landscape.ball_risk import ball_risk
from slrsym.models.landscape.critical_point_search import SearchCoverage
from slrsym.models.landscape.enclosures import BallRisk, EnclosedPoint, enclose_critical_point
from slrsym.models.landscape.risk_of_directions import RiskOfTrainedDirections
from slrsym.models.landscape.symmetries import (
    RiskSymmetries,
    coordinate_signs,
    is_fixed_by_signs,
    order_of_triangle,
    proved_sign_symmetries,
)

Array = NDArray[np.float64]

_NEAR = 1e-5
# What is left of a direction orthogonal to the fixed ones, if anything is.
_PART = 1e-6
# Of more points with each direction on an axis, none are looked at.
_MOST_AXES = 5_000


@dataclass
class FoundPoint:
    """A critical point found by a search, or one point of a continuum of them.

    It is flat if a curvature vanishes to rounding, but for those along rotations; on a plateau,
    Newton's method would go far.
    """

    point: Array
    state: Array
    hits: int = 0
    plateau: bool = False
    flat: bool = False
    enclosure: EnclosedPoint | None = None


class KnownPoints:
    """The critical points found so far, one of each set that symmetries relate.

    Parameters
    ----------
    there : RiskOfTrainedDirections
    by_name : mapping of str to number
        All parameters, with the inner products of fixed directions.
    signs : ndarray, shape (n, p), optional
        Symmetries of the risk, as signs of all directions; by default those that the statement of
        the model proves.
    encloses : bool, optional
        Whether points are enclosed in balls when they are found, if balls reach the risk; then only
        those that are count.
    """

    def __init__(
        self,
        there: RiskOfTrainedDirections,
        by_name: Mapping[str, Any],
        signs: Any = None,
        encloses: bool = False,
    ) -> None:
        self.there, self.by_name, self.signs = there, by_name, signs
        self.encloses = encloses and self.are_enclosable
        self.d = sum(there.dimensions)
        self.entries: list[FoundPoint] = []
        # How many searches were begun, and how many ended where a derivative is not finite, or the
        # risk is flat.
        self.begun = self.lost = self.flat_ends = 0
        self._coordinate_signs: dict[int, Array] = {}

    @cached_property
    def symmetries(self) -> RiskSymmetries:
        """The signs and permutations of order parameters that leave the risk as it is."""
        t, m = len(self.there.model.trained_directions), self.there.fixed.shape[1]
        points = np.random.default_rng(0).standard_normal((3, t, m))
        states = self.there.order_parameters_at(self.there.spheres.normalise(points))
        return RiskSymmetries(self.there, states)

    def find(self, state: Array, near: float = _NEAR) -> FoundPoint | None:
        """Return the known point that is nearest up to symmetries, if it is near."""
        if not self.entries:
            return None
        images = self.symmetries.images(state)
        known = np.array([one.state for one in self.entries])
        far = np.abs(images[:, None] - known).max(axis=-1).min(axis=0)
        best = int(np.argmin(far))
        return self.entries[best] if far[best] < near else None

    def add(
        self, point: Array, hits: int = 1, *, plateau: bool = False, flat: bool = False
    ) -> FoundPoint:
        """Count hits of a critical point, which is added if it is new; return its entry."""
        state = self.there_of(point).order_parameters_at(point)
        known = self.find(state)
        if known is None:
            enclosure = None if plateau or flat or not self.encloses else self.enclosed(point)
            if enclosure is not None:
                point = self.wide(enclosure.point)
                state = self.there_of(point).order_parameters_at(point)
                known = self.find(state, 1e-9)
            if known is None:
                known = FoundPoint(point, state, 0, plateau, flat, enclosure)
                self.entries.append(known)
        known.hits += hits
        return known

    @property
    def counted(self) -> list[FoundPoint]:
        """The entries that counts are made of: of a search that encloses, those enclosed."""
        return [f for f in self.entries if not self.encloses or f.enclosure is not None]

    @property
    def coverage(self) -> SearchCoverage:
        """How often searches ended at each of the points that count."""
        hits = tuple(f.hits for f in self.counted if f.hits)
        return SearchCoverage(self.begun, hits, self.flat_ends)

    # -- in a basis of the fixed directions ----------------------------------------------------

    @cached_property
    def triangle(self) -> Array | None:
        """The fixed directions in a basis of their span; None if they depend on each other.

        In some order of the directions it is a triangle.
        """
        fixed = self.there.fixed
        f = len(fixed)
        if self.there.model.spaces > 1 or f > fixed.shape[1] or fixed[:, f:].any():
            return None
        found = np.array(fixed[:, :f])
        ordered = found[order_of_triangle(found)]
        if np.triu(ordered, 1).any() or np.abs(np.diagonal(ordered)).min(initial=1.0) < 1e-9:
            return None
        return found

    def there_of_triangle(self, width: int) -> RiskOfTrainedDirections:
        """Return the risk in coordinates that begin with those of the triangle."""
        if self.triangle is None:
            raise ValueError("the fixed directions depend on each other")
        f = len(self.triangle)
        fixed = np.pad(self.triangle, ((0, 0), (0, width - f)))
        return RiskOfTrainedDirections(
            self.there.model, self.there.row, fixed, self.there.dimensions
        )

    def there_of(self, point: Array) -> RiskOfTrainedDirections:
        """Return the risk in as many coordinates as a point has."""
        width = point.shape[1]
        return self.there if width == self.there.fixed.shape[1] else self.there_of_triangle(width)

    def wide(self, point: Array) -> Array:
        """Return a point with as many coordinates as the search has, those that are new zero."""
        return np.pad(point, ((0, 0), (0, max(0, self.there.fixed.shape[1] - point.shape[1]))))

    # -- in balls ------------------------------------------------------------------------------

    @cached_property
    def _balls(self) -> BallRisk | None:
        if self.triangle is None:
            return None
        there = self.there
        return ball_risk(there.model, there.row, self.by_name, self.triangle)

    def coordinate_signs(self, width: int) -> Array:
        """Return the symmetries of the risk, as signs of coordinates, shape (n, t, width)."""
        if self.triangle is None:
            raise ValueError("the fixed directions depend on each other")
        if self.signs is None:
            self.signs = proved_sign_symmetries(self.there.model)
        if width not in self._coordinate_signs:
            t = len(self.there.model.trained_directions)
            # More reflections than there are directions say nothing new.
            rest = width - len(self.triangle)
            found = coordinate_signs(self.signs, self.triangle, t, min(t, rest))
            wide = ((0, 0), (0, 0), (0, max(0, rest - t)))
            self._coordinate_signs[width] = np.pad(found, wide, constant_values=1)
        return self._coordinate_signs[width]

    def points_fixed_by_symmetry(self) -> list[Array]:
        """Return points that are critical at all parameters because symmetries fix them.

        Each direction lies on an axis, of those of the fixed directions and one more for each
        trained direction, as far as there are dimensions.
        """
        on_sphere, t = self.there.spheres.on_sphere, len(self.there.model.trained_directions)
        if self.triangle is None or not on_sphere.all():
            return []
        width = min(self.d, len(self.triangle) + t)
        if (2 * width) ** t > _MOST_AXES:
            return []
        axes = np.concatenate([np.eye(width), -np.eye(width)])
        signs = self.coordinate_signs(width)
        found = (np.array(rows) for rows in itertools.product(axes, repeat=t))
        return [point for point in found if is_fixed_by_signs(point, signs)]

    @property
    def are_enclosable(self) -> bool:
        """Whether ball arithmetic reaches the risk of this model."""
        return self._balls is not None

    def enclosed(self, point: Array) -> EnclosedPoint | None:
        """Prove that a critical point is near a point of the search; return None if that fails."""
        if self._balls is None or self.triangle is None:
            return None
        signs = self.coordinate_signs(point.shape[1])
        return enclose_critical_point(self._balls, point, len(self.triangle), signs)

    # -- counts and curvatures -----------------------------------------------------------------

    def curvatures(self, found: FoundPoint) -> tuple[tuple[float, int], ...]:
        """Return all curvatures at a point, ascending, with the numbers of their directions.

        Orthogonal to all directions they may be far below rounding; balls have them.
        """
        enclosure, point = found.enclosure, found.point
        if enclosure is None or not enclosure.is_decided:
            there = self.there_of(point)
            values, across = self._inside(there, point), there.transverse_curvatures(point)
            spectrum = [(float(x), 1) for x in values]
            spectrum += [(float(x), n) for some, n in across for x in some if n]
        else:
            there = self.there_of(enclosure.point)
            values, more = self._inside(there, enclosure.point), self.d - enclosure.point.shape[1]
            # Rotations that leave the fixed directions where they are change nothing.
            turns = enclosure.rank * (enclosure.rank - 1) // 2
            values[np.argsort(np.abs(values))[:turns]] = 0.0
            spectrum = [(float(x), 1) for x in values]
            spectrum += [(x, more) for x in enclosure.across_values if more]
        # Of what vanishes there is one entry.
        zeros = sum(count for value, count in spectrum if value == 0)
        curved = [(value, count) for value, count in spectrum if value != 0]
        return tuple(sorted([*curved, *([(0.0, zeros)] if zeros else [])]))

    @staticmethod
    def _inside(there: RiskOfTrainedDirections, point: Array) -> Array:
        hess = there.tangent_gradient_hessian_and_basis(point[None], central_differences=True)[1]
        return np.linalg.eigvalsh(hess[0])

    def copies(self, state: Array) -> tuple[int, Array]:
        """Return how many states symmetries make of one, and the first of them.

        That is the one whose order parameters are largest, from the first on.
        """
        images = self.symmetries.images(state)
        rounded = [tuple(image) for image in (images.round(6) + 0.0).tolist()]
        return len(set(rounded)), images[rounded.index(max(rounded))] + 0.0

    @property
    def euler_expected(self) -> int | None:
        """The Euler characteristic of the spheres of the fixed directions and one more axis."""
        if self.triangle is None or not (
            self.there.model.spaces == 1 and self.there.spheres.on_sphere.all()
        ):
            return None
        t = len(self.there.model.trained_directions)
        width = min(self.d, len(self.triangle) + 1)
        return 2**t if width % 2 else 0

    def euler_sum(self) -> int | None:
        """Return the sum of (-1)^index over all critical points there; None if one is degenerate.

        A point stands for its images under symmetries, and for its mirror image if it has a part
        along the further axis.
        """
        if self.euler_expected is None or self.triangle is None:
            return None
        f, total = len(self.triangle), 0
        for found in self.counted:
            enclosure = found.enclosure
            if enclosure is not None and enclosure.is_decided:
                rank, width = enclosure.rank, f + min(1, self.d - f)
                more = width - enclosure.point.shape[1]
                below = enclosure.inside[0] + more * enclosure.across[0]
                flat = enclosure.inside[1] + more * enclosure.across[1]
            else:
                point = found.point
                rest, sizes, _ = np.linalg.svd(point[:, f:], full_matrices=False)
                rank = int((sizes > _PART).sum())
                if rank > 1:
                    continue
                part = (rest * sizes)[:, : min(1, self.d - f)]
                near = np.concatenate([point[:, :f], part], axis=1)
                values = self._inside(self.there_of_triangle(near.shape[1]), near)
                size = max(1.0, np.abs(values).max(initial=0.0))
                below, flat = int((values < 0).sum()), int((np.abs(values) < 1e-7 * size).sum())
            if rank > 1:
                continue
            if flat or found.plateau:
                return None
            total += self.copies(found.state)[0] * (2 if rank else 1) * (-1) ** below
        return total


def noise_variance(model: Any, by_name: Mapping[str, Any]) -> float:
    """Return the part of the risk of a model that is noise.

    Parameters
    ----------
    model : DerivedModel
    by_name : mapping of str to number

    Returns
    -------
    float
    """
    noise: Expr = model.data.noise**2
    return float(noise.subs({s: by_name[s.name] for s in noise.free_symbols}))


def norm_of_gradient(there: RiskOfTrainedDirections, point: Array) -> float:
    """Return the norm of the gradient on the spheres at a point, in double precision.

    Parameters
    ----------
    there : RiskOfTrainedDirections
    point : ndarray, shape (t, m)

    Returns
    -------
    float
    """
    _, gradient = there.risk_and_gradient(point[None])
    found = float(np.linalg.norm(there.spheres.project(point[None], gradient)))
    return found if math.isfinite(found) else math.nan
