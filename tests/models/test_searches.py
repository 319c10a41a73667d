"""Searches for critical points in the plane, where each step is known."""

from types import SimpleNamespace

import numpy as np
import pytest

from slrsym.models.landscape.critical_point_search import (
    SearchCoverage,
    follow_eigenvectors,
    search_gradient_zeros,
)
from slrsym.models.landscape.critical_point_table import CriticalPoint
from slrsym.models.landscape.critical_points import _searched
from slrsym.models.landscape.risk_of_directions import RiskOfTrainedDirections
from slrsym.models.landscape.search_starts import _aligned, first_points

START = np.array([[3.0, 3.0], [0.0, -1.0]])


def saddle(points):
    """Return gradient, Hessian and basis of x^2 - 2 x - y^2 / 2 + 2 y, whose saddle is (1, 2)."""
    x, y = points.T
    hess = np.broadcast_to(np.diag([2.0, -1.0]), (len(points), 2, 2))
    basis = np.broadcast_to(np.eye(2), (len(points), 2, 2))
    return np.stack([2 * x - 2, 2 - y], axis=1), hess.copy(), basis.copy()


def retract(points, steps):
    return points + steps


@pytest.mark.parametrize(
    ("upwards", "reach", "ends"),
    [
        # Of the eigenvectors, the first is along y.
        ((True, False), 9, [[1, 2], [1, 2]]),
        ((False, False), 9, [[1, 4], [1, -4]]),
        ((True, True), 9, [[5, 2], [-1, 2]]),
        ((True, False), 0.5**0.5, [[3 - 0.4**0.5, 3 - 0.1**0.5], [0.05**0.5, -1 + 0.45**0.5]]),
    ],
)
def test_a_step_along_eigenvectors(upwards, reach, ends):
    marked = np.tile(upwards, (2, 1))
    found = follow_eigenvectors(START, marked, saddle, retract, reach, steps=1)
    np.testing.assert_allclose(found, ends, atol=1e-12)


def test_searches_end_where_the_gradient_vanishes():
    points, grad, hess, basis = search_gradient_zeros(START, saddle, retract)
    np.testing.assert_allclose(points, [[1, 2], [1, 2]], atol=1e-12)
    assert np.abs(grad).max() < 1e-12
    assert hess.shape == basis.shape == (2, 2, 2)
    assert (START == [[3, 3], [0, -1]]).all()


def test_no_step_of_a_search_is_longer_than_half_a_right_angle():
    seen = []

    def noted(points, steps):
        seen.append(np.linalg.norm(steps, axis=1))
        return points + steps

    search_gradient_zeros(np.array([[30.0, 2.0]]), saddle, noted)
    assert np.allclose(seen[:36], 0.8, rtol=1e-12, atol=0)
    assert np.concatenate(seen).max() <= 0.8 + 1e-12


@pytest.mark.parametrize(
    ("hits", "missed", "unseen"),
    [
        ((), np.inf, 1),
        ((3, 1), np.inf, 1 / 4),
        ((1, 1, 1), np.inf, 1),
        ((4, 1), 8 - 2, 1 / 5),
        ((20, 10, 2, 1), 4 * 32 / 27 - 4, 1 / 33),
        ((5, 5), 2 * 9 / 6 - 2, 0),
    ],
)
def test_how_many_points_are_missed(hits, missed, unseen):
    coverage = SearchCoverage(40, hits)
    assert coverage.total_hits == sum(hits)
    assert coverage.expected_missed == pytest.approx(missed)
    assert coverage.unseen_mass == pytest.approx(unseen)


def test_where_searches_begin():
    """Of four starts, one stays, two are led by the curvature, and one is aligned."""

    def bowl(points):
        grad, hess, basis = saddle(points.reshape(-1, 2))
        return grad * [1, -1], np.abs(hess), basis

    there = SimpleNamespace(
        tangent_gradient_hessian_and_basis=bowl,
        spheres=SimpleNamespace(
            retract=retract, tangent_basis=lambda points: np.zeros((len(points), 2, 2))
        ),
        project_on_fixed_directions=lambda point: point * [1, 0],
    )
    points = np.random.default_rng(0).normal(size=(8, 1, 2))
    found = first_points(there, points, 4, np.random.default_rng(1))
    moved = np.abs(found - points).max(axis=(1, 2)) > 1e-9
    assert moved.tolist() == [False, True, True, True, False, True, True, False]
    # Led to the minimum, one comes nearer to it, which is at (1, 2).
    gaps = [np.linalg.norm(x.reshape(8, 2) - [1, 2], axis=1) for x in (found, points)]
    assert (gaps[0] < gaps[1])[[1, 5]].all()
    assert found[3].tolist() == [[0, points[3, 0, 1]]]


@pytest.mark.parametrize(
    ("number", "first", "second"),
    [
        (0, [1, 0], [3, 0]),
        (1, [0, 2], [3, 0]),
        (2, [1, 2], [3, 0]),
        (3, [1, 0], [0, 4]),
        (4, [0, 2], [0, 4]),
        (6, [1, 0], [1, 0]),
        (7, [0, 2], [0, 2]),
        (8, [1, 2], [1, 2]),
    ],
)
def test_each_direction_is_in_the_span_across_it_or_that_before(number, first, second):
    there = SimpleNamespace(project_on_fixed_directions=lambda point: point * [1, 0])
    assert _aligned(there, np.array([[1.0, 2], [3, 4]]), number).tolist() == [first, second]
    # What would vanish stays.
    flat = _aligned(there, np.array([[1.0, 0], [0, 4]]), 1)
    assert flat.tolist() == [[1, 0], [0, 4]]


def line(slopes, curvatures=np.zeros_like):
    """Return a landscape on a line, by the slopes of its risk at points."""

    def bent(points, central_differences=False):
        flat = points.reshape(-1, 1)
        return slopes(flat), curvatures(flat)[:, :, None], np.ones((len(points), 1, 1))

    return SimpleNamespace(
        tangent_gradient_hessian_and_basis=bent,
        spheres=SimpleNamespace(retract=retract),
        risk_and_gradient=lambda points: (points.reshape(-1), slopes(points)),
        order_parameters_at=lambda points: points.reshape(-1, 1),
        orbit_dimension=lambda point, widths: 0,
        widths=[1],
    )


def test_what_has_no_zero_of_its_slope_is_no_critical_point():
    starts = np.array([0.5, -3.0]).reshape(2, 1, 1, 1)
    assert _searched(line(lambda x: 0 * x + 0.5), starts) == ([], 0)
    found, lost = _searched(line(lambda x: 2 * x - 2, lambda x: 0 * x + 2), starts)
    assert [(one.state.round(9).tolist(), one.plateau) for one in found] == [([1], False)] * 2
    assert lost == 0


@pytest.mark.parametrize(
    ("count", "index", "flat", "orbit", "kind"),
    [
        (4, 0, 0, 0, "minimum"),
        (4, 4, 0, 0, "maximum"),
        (4, 1, 0, 0, "saddle"),
        (4, 3, 1, 1, "maximum"),
        (4, 2, 1, 1, "saddle"),
        (4, 3, 1, 0, "degenerate"),
        (4, 0, 2, 2, "minimum"),
        (4, 0, 2, 1, "degenerate"),
        (4, 1, 2, 1, "saddle"),
    ],
)
def test_the_kind_of_a_point(count, index, flat, orbit, kind):
    state = np.zeros(1)
    numbers = (state, 0.0, 0.0, ((0.0, count),), index, flat, orbit, 0, 1, 1, state[None])
    assert CriticalPoint(*numbers).kind == kind
    assert CriticalPoint(*numbers, True).kind == "plateau"


@pytest.mark.parametrize(
    ("curvature", "slope", "plateau", "flat"),
    [
        (1e-9, 5e-10, False, True),
        (1e-9, 5e-15, False, False),
        (1e-12, 0.0, False, True),
        (1e-4, 5e-10, False, False),
        (2e-5, 5e-10, True, True),
    ],
)
def test_a_plateau_is_where_newtons_method_would_go_far(curvature, slope, plateau, flat):
    """A curvature below 1e-7 times the largest is none, and a step of 1e-5 is far.

    A point is flat if a curvature is below 1e-13 times the largest, or that step is far.
    """
    hess = np.diag([100.0, curvature])

    def bent(points, central_differences=False):
        return np.array([[0, slope]]), hess[None].copy(), np.eye(2)[None].copy()

    there = line(lambda x: x)
    there.tangent_gradient_hessian_and_basis = bent
    there.spheres = SimpleNamespace(retract=lambda points, steps: points)
    there.risk_and_gradient = lambda points: (np.zeros(1), None)
    (found,), _ = _searched(there, np.ones((1, 1, 1, 2)))
    assert (found.plateau, found.flat) == (plateau, flat)
    # A rotation along which the risk does not change is no reason.
    there.orbit_dimension = lambda point, widths: 1
    assert not _searched(there, np.ones((1, 1, 1, 2)))[0][0].flat


@pytest.mark.parametrize(("d", "rank", "dimension"), [(5, 2, 3), (5, 1, 2), (7, 2, 7), (2, 2, 0)])
def test_rotations_that_leave_the_fixed_directions_where_they_are(d, rank, dimension):
    """Of `rank` vectors orthogonal to the two fixed ones, in d dimensions: frames in d - 2."""
    there = SimpleNamespace(
        dimensions=[d], blocks=[slice(0, 4)], span=np.array([True, True, False, False])
    )
    rows = np.ones((3, 4)) if rank == 1 else np.eye(3, 4, 1)
    rows[:, 2:] *= d > 2
    assert RiskOfTrainedDirections.orbit_dimension(there, rows) == dimension
