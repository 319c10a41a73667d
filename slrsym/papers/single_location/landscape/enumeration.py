"""Search for all critical points of the risk at one inverse temperature.

The risk is that of equation (6), on the product of the spheres of k and v.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from slrsym.kernels.arguments import explain_arguments, float_or_nan, require_integer
from slrsym.models.landscape.critical_point_search import (
    SearchCoverage,
    distances_to_zero_if_converged,
    follow_eigenvectors,
    search_gradient_zeros,
)
from slrsym.papers.single_location.dynamics.spheres import (
    dimensions_needed_for_critical_points,
    normalised,
    overlaps_of_vectors,
    retract_to_spheres,
    riemannian_derivatives_and_basis,
)
from slrsym.papers.single_location.landscape.critical_point_enclosures import (
    EnclosedPoint,
    enclose_critical_point,
    enclose_second_derivatives,
    inertia_of_ball_matrix,
)
from slrsym.papers.single_location.landscape.points import (
    CriticalPoint,
    canonical_states,
    coordinate_signs_of_symmetries,
    count_symmetric_images,
    describe_freedom_of_k_and_v,
    distance_up_to_symmetry,
    number_repeated_names,
    point_name,
    require_inverse_temperature,
)
from slrsym.papers.single_location.paper_risk import excess_risk, hessian
from slrsym.papers.single_location.task import OrderParameters, Task

_Array = NDArray[np.float64]


def random_points(count: int, lam: float, task: Task, m: int, rng: Generator) -> _Array:
    r"""Draw starts of searches: pairs of unit vectors k and v, from four laws in turn."""
    points = normalised(rng.standard_normal((count, 2, m)))
    drift = math.sqrt(task.d / 2)
    scores = min(1.0, 2 * math.sqrt(1 + 2 * (lam * task.gamma) ** 2) / (lam * drift))
    for kind in (1, 2):
        points[kind::4, 0, 0] *= scores
        points[kind::4, 1, 0] *= min(1.0, 2 / drift)
    points[2::4, :, 2:] = 0.0
    near = points[3::4]
    reach = 10.0 ** rng.uniform(-4, 0, len(near)) * (rng.uniform(size=len(near)) > 0.1)
    # k from v*, and v from where it has no part along v*.
    near[:, 0, 1] = np.sign(near[:, 0, 1])
    near[:, 0, 0] *= scores * reach
    near[:, 0, 2:] *= reach[:, None]
    near[:, 1, 0] *= scores
    near[:, 1, 1] *= reach
    points[3::4] = near
    return normalised(points)


def draw_near_critical_points(count: int, known: _Array, rng: Generator) -> _Array:
    """Draw random unit vectors near known critical points, and between pairs of them."""
    m = known.shape[-1]
    signs = coordinate_signs_of_symmetries(m)
    first, second = (
        known[rng.integers(len(known), size=count)] * signs[rng.integers(len(signs), size=count)]
        for _ in range(2)
    )
    part = rng.uniform(size=(count, 1, 1)) ** 2
    noise = 10.0 ** rng.uniform(-5, -0.3, (count, 1, 1)) * rng.standard_normal((count, 2, m))
    return normalised((1 - part) * first + part * second + noise)


def move_to_random_index(points: _Array, lam: float, task: Task, rng: Generator) -> _Array:
    """Move points towards critical points of random index, by following eigenvectors."""
    size = 2 * points.shape[-1] - 2
    index = rng.integers(0, size + 1, size=(len(points), 1))
    return follow_eigenvectors(
        points,
        np.arange(size) < index,
        lambda at: riemannian_derivatives_and_basis(at, lam, task),
        retract_to_spheres,
    )


def move_pairs_to_critical_points(points: _Array, lam: float, task: Task) -> tuple[_Array, _Array]:
    """Move points to critical points by Levenberg-Marquardt; return ends and Newton steps."""
    ends, grad, hess, _ = search_gradient_zeros(
        points, lambda at: riemannian_derivatives_and_basis(at, lam, task), retract_to_spheres
    )
    return ends, distances_to_zero_if_converged(grad, hess)


_BATCH = 512
_NEAR = 1e-5
# A critical point has been reached where Newton's method would go no farther than this.
_ARRIVED = 1e-6


@dataclass(frozen=True)
class CriticalPoints:
    """The critical points of the risk, in order of their excess risk.

    Parameters
    ----------
    task : Task
    lam : float
        Inverse temperature.
    points : tuple of CriticalPoint
        One of each set that symmetries relate.
    coverage : Coverage
        How often each was found.
    plateaus : int
        How many searches ended where the gradient is below rounding, without a critical point
        nearby: the risk is flat there.
    euler : int
        The sum of (-1)^index over all critical points in the span of k*, v* and one more direction.
    euler_expected : int
        What it must be if none is missing, by the theorem of Poincare and Hopf: 4 for two spheres,
        0 for two circles.
    """

    task: Task
    lam: float
    points: tuple[CriticalPoint, ...]
    coverage: SearchCoverage
    plateaus: int
    euler: int
    euler_expected: int

    @property
    def minima(self) -> tuple[CriticalPoint, ...]:
        """The critical points that are local minima, the global minimum first."""
        return tuple(p for p in self.points if p.kind == "minimum")

    @property
    def is_balanced(self) -> bool:
        """Whether the signs (-1)^index of the points add up to the Euler characteristic."""
        return self.euler == self.euler_expected

    def as_dict(self) -> dict[str, Any]:
        """Return the critical points as plain data for JSON."""
        missed = self.coverage.expected_missed
        return {
            "task": {"d": self.task.d, "L": self.task.L, "gamma": self.task.gamma},
            "lam": self.lam,
            "points": [p.as_dict() for p in self.points],
            "starts": self.coverage.starts,
            "found": self.coverage.total_hits,
            "plateaus": self.plateaus,
            "expected_missed": missed if math.isfinite(missed) else None,
            "unseen_mass": self.coverage.unseen_mass,
            "euler": self.euler,
            "euler_expected": self.euler_expected,
        }


@dataclass
class FoundPoint:
    """A critical point during the search, with its enclosure and number of hits."""

    point: _Array
    state: _Array
    enclosure: EnclosedPoint | None
    hits: int


class CriticalPointRegister:
    """The critical points found so far in a search."""

    def __init__(self, lam: float, task: Task) -> None:
        self._lam, self._task = lam, task
        self.entries: list[FoundPoint] = []

    def add(self, points: _Array, hits: int = 1) -> None:
        """Count hits of known critical points, and add new ones with their enclosures."""
        states = canonical_states(overlaps_of_vectors(points))
        for point, state in zip(points, states, strict=True):
            known = self._known(state)
            if known is None:
                enclosure = enclose_critical_point(point, self._lam, self._task)
                if enclosure is not None:
                    point = enclosure.point
                    state = canonical_states(overlaps_of_vectors(point))
                    known = self._known(state, 1e-9)
                if known is None:
                    known = FoundPoint(point, state, enclosure, 0)
                    self.entries.append(known)
            known.hits += hits

    def _known(self, state: _Array, near: float = _NEAR) -> FoundPoint | None:
        if not self.entries:
            return None
        known = np.array([f.state for f in self.entries])
        far = distance_up_to_symmetry(known, state)
        best = int(np.argmin(far))
        return self.entries[best] if far[best] < near else None

    def euler_sum(self) -> int:
        """Return the sum of (-1)^index over the points and their images under symmetries."""
        total = 0
        for found in self.entries:
            images = coordinate_signs_of_symmetries(found.point.shape[1]) * found.point + 0.0
            count = len({tuple(row) for row in images.reshape(len(images), -1).round(7).tolist()})
            if found.enclosure is None:
                below = int((self.curvatures(found) < 0).sum())
            else:
                below = found.enclosure.inside[0]
            total += count * (-1) ** below
        return total

    def curvatures(self, found: FoundPoint) -> _Array:
        """Return all eigenvalues of the Hessian at a critical point, in ascending order."""
        _, hess, _ = riemannian_derivatives_and_basis(found.point, self._lam, self._task)
        return np.asarray(np.linalg.eigvalsh(hess), dtype=np.float64)


def points_fixed_by_symmetry(dimension: int) -> _Array:
    """Return the points that are critical at all parameters because symmetries fix them."""
    axes = np.eye(dimension)
    pairs = [(axes[0], axes[1]), (axes[0], -axes[1]), (axes[1], axes[0]), (axes[1], -axes[0])]
    if dimension > 2:
        pairs.append((axes[2], axes[2]))
    return np.array(pairs)


@explain_arguments
def find_critical_points(
    task: Task,
    lam: float,
    *,
    max_expected_missed: float = 0.1,
    max_searches: int = 40_000,
    seed: int = 0,
) -> CriticalPoints:
    """Find the critical points of the risk as a function of k and v on the spheres.

    Parameters
    ----------
    task : Task
    lam : float
        Inverse temperature, positive.
    max_expected_missed : float, optional
        Stop once the expected number of undiscovered points (`Coverage.expected_missed`) is at most
        this, unless the indices of those found violate the theorem of Poincare and Hopf
        (`CriticalPoints.is_balanced`).
    max_searches : int, optional
        Maximum number of searches.
    seed : int, optional
        Of the random starts.

    Returns
    -------
    CriticalPoints

    Raises
    ------
    ValueError
        If a number is out of its range.
    TypeError
        If `task` is none.

    Notes
    -----
    Starts are random, and every other time led along valleys between points that are known. That
    nothing is missing is likely, and not proved: a point that few starts lead to may be missed
    together with another of the opposite sign.

    Examples
    --------
    >>> from slrsym.papers.single_location import Task
    >>> from slrsym.papers.single_location.landscape import find_critical_points
    >>> task = Task(d=400, L=10, gamma=0.5**0.5)
    >>> found = find_critical_points(task, 0.1, max_expected_missed=0.5)
    >>> [point.name for point in found.minima]
    ['oracle', 'swap']
    >>> found.is_balanced
    True
    """
    require_inverse_temperature(lam, task)
    register, coverage, plateaus = search_critical_points(
        task, float(lam), max_expected_missed, max_searches, seed
    )
    points = [_described(f, register, lam, task) for f in register.entries]
    if task.d >= 4:
        points.append(_null_point(lam, task))
    ordered = sorted(points, key=lambda p: (p.excess_risk, p.state))
    named, euler = tuple(number_repeated_names(ordered)), register.euler_sum()
    return CriticalPoints(task, float(lam), named, coverage, plateaus, euler, _expected(task))


def search_critical_points(
    task: Task, lam: float, max_expected_missed: float, max_searches: int, seed: int
) -> tuple[CriticalPointRegister, SearchCoverage, int]:
    """Search for critical points; return them, the coverage, and the count of flat ends."""
    if not float_or_nan(max_expected_missed) > 0:
        raise ValueError(f"max_expected_missed must be positive; got {max_expected_missed!r}")
    max_searches = require_integer("max_searches", max_searches, 1)
    seed = require_integer("seed", seed, 0)
    m = dimensions_needed_for_critical_points(task)
    rng = np.random.default_rng(seed)
    register = CriticalPointRegister(lam, task)
    register.add(points_fixed_by_symmetry(m), hits=0)
    begun = plateaus = 0
    while True:
        count = min(_BATCH, max_searches - begun)
        # Every other time where narrow valleys lead, to saddles that starts anywhere miss.
        if begun // _BATCH % 2:
            known = np.array([f.point for f in register.entries])
            first = move_to_random_index(
                draw_near_critical_points(count, known, rng), lam, task, rng
            )
        else:
            first = random_points(count, lam, task, m, rng)
        ends, far = move_pairs_to_critical_points(first, lam, task)
        begun += count
        register.add(ends[far < _ARRIVED])
        plateaus += int(((far >= _ARRIVED) & np.isfinite(far)).sum())
        coverage = SearchCoverage(begun, tuple(f.hits for f in register.entries if f.hits))
        balanced = register.euler_sum() == _expected(task)
        enough = coverage.expected_missed <= max_expected_missed
        if (enough and balanced) or begun >= max_searches:
            return register, coverage, plateaus


def _expected(task: Task) -> int:
    """Return the Euler characteristic of the product of two spheres, or of two circles."""
    return 4 if dimensions_needed_for_critical_points(task) == 3 else 0


def _described(
    found: FoundPoint, register: CriticalPointRegister, lam: float, task: Task
) -> CriticalPoint:
    point, m = found.point, found.point.shape[1]
    more = task.d - m
    grad, _, _ = riemannian_derivatives_and_basis(point, lam, task)
    values = register.curvatures(found)
    state = OrderParameters(*(float(x) for x in found.state))
    family, free = describe_freedom_of_k_and_v(state, task.d)
    enclosure = found.enclosure
    if enclosure is None:
        # No sign is certain.
        index, flat = int((values < 0).sum()), 2 * m - 2
        spectrum = [(float(x), 1) for x in values]
        risk = float(excess_risk(found.state, lam, task))
    else:
        index = enclosure.inside[0] + more * enclosure.across[0]
        flat = enclosure.inside[1] + more * enclosure.across[1]
        risk = enclosure.excess_risk
        across, beyond = enclosure.across_values, more
        if not point[:, 2:].any():
            # Out of the plane, curvatures may be far below rounding; balls have them.
            _, hess, _ = riemannian_derivatives_and_basis(point[:, :2], lam, task)
            values = np.asarray(np.linalg.eigvalsh(hess), dtype=np.float64)
            beyond = task.d - 2
        spectrum = [(float(x), 1) for x in values]
        spectrum += [(x, beyond) for x in across if beyond]
    return CriticalPoint(
        name=point_name(state),
        state=state,
        copies=count_symmetric_images(found.state),
        family=family,
        family_dimension=free,
        excess_risk=risk,
        index=index,
        flat=flat,
        spectrum=tuple(sorted(spectrum)),
        gradient=enclosure.gradient_norm if enclosure else float(np.linalg.norm(grad)),
        radius=enclosure.radius if enclosure else math.nan,
        confirmed=enclosure is not None and enclosure.is_decided,
        hits=found.hits,
    )


def _null_point(lam: float, task: Task) -> CriticalPoint:
    """Return the description of the null point, at which all overlaps vanish."""
    state = OrderParameters(0.0, 0.0, 0.0, 0.0, 0.0)
    zero = np.zeros(5)
    # k and v both change rho, so that it changes by the root of 2 on a unit vector.
    scale = np.array([1, 1, 1, 1, math.sqrt(2)])
    values = np.linalg.eigvalsh(hessian(zero, lam, task) * np.outer(scale, scale))
    below, undecided, _ = inertia_of_ball_matrix(
        enclose_second_derivatives([0] * 5, (lam, *task.kernel_parameters), 40)
    )
    family, free = describe_freedom_of_k_and_v(state, task.d)
    return CriticalPoint(
        name="null",
        state=state,
        copies=1,
        family=family,
        family_dimension=free,
        excess_risk=float(excess_risk(zero, lam, task)),
        index=below,
        flat=free + undecided,
        spectrum=tuple(sorted([*((float(x), 1) for x in values), (0.0, free)])),
        gradient=0.0,
        radius=0.0,
        confirmed=undecided == 0,
        hits=0,
    )
