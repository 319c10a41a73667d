"""Enclosures hold what they should, and are refused where nothing is."""

import numpy as np
import pytest
from flint import arb, arb_mat, ctx

from slrsym.kernels.ball_backend import to_ball
from slrsym.models.landscape.ball_risk import ball_risk
from slrsym.models.landscape.critical_points import _searched
from slrsym.models.landscape.enclosures import _Attempt, inertia_of_ball_matrix
from slrsym.papers.single_location import Task
from slrsym.papers.single_location.dynamics.spheres import riemannian_derivatives_and_basis
from slrsym.papers.single_location.landscape import swap_point_and_excess_risk
from slrsym.papers.single_location.landscape.enumeration import TaskStarts, task_risk
from slrsym.papers.single_location.paper_risk import kernel

TASK, LAM = Task(d=50, L=5, gamma=0.8), 0.4


def enclose_critical_point(point, lam, task):
    return task_risk(task, lam).enclosed(point)


def wide(array):
    """With the coordinates beyond the plane that vanish."""
    return np.pad(array, ((0, 0), (0, 3 - array.shape[1])))


@pytest.fixture(scope="module")
def points():
    there, starts = TaskStarts(TASK, LAM, np.random.default_rng(0)).draw(40)
    return np.array([end.point for end in _searched(there, starts)[0] if not end.flat])


def test_points_are_refined_to_what_doubles_can_hold(points):
    for point in points[:6]:
        found = enclose_critical_point(point + 1e-6 * np.sin(np.arange(6)).reshape(2, 3), LAM, TASK)
        assert np.abs(wide(found.point) - point).max() < 1e-9
        assert found.radius < 1e-20
        assert found.is_decided
        values = np.linalg.eigvalsh(riemannian_derivatives_and_basis(point, LAM, TASK)[1])
        counts = np.array(found.inertia(3))
        assert counts.tolist() == [(values < 0).sum(), 0, (values > 0).sum()]
        assert (found.point[found.zeros] == 0).all()


def test_elsewhere_nothing_is_enclosed(points):
    rng = np.random.default_rng(1)
    for _ in range(4):
        point = rng.standard_normal((2, 3))
        point /= np.linalg.norm(point, axis=-1, keepdims=True)
        far = np.abs(points - point).max(axis=(1, 2)).min()
        found = enclose_critical_point(point, LAM, TASK)
        assert far > 1e-2
        assert found is None


def test_what_symmetry_fixes_needs_no_box():
    oracle = enclose_critical_point(np.eye(3)[:2], LAM, TASK)
    assert oracle.radius == 0
    assert oracle.zeros.tolist() == [[False, True], [True, False]]
    # Nearby points on the spheres are not the oracle unless Newton leads there.
    tilted = np.array([[np.cos(1e-5), 0, np.sin(1e-5)], [0, 1, 0]])
    near = wide(enclose_critical_point(tilted, LAM, TASK).point)
    assert np.abs(near - np.eye(3)[:2]).max() < 1e-12


def test_curvatures_far_below_rounding_have_certain_signs():
    """At the oracle of a large dimension the risk is flat, and still curves upwards."""
    task = Task(d=2000, L=10, gamma=0.5**0.5)
    found = enclose_critical_point(np.eye(3)[:2], 0.5, task)
    assert found.is_decided
    assert 0 < found.across_values[0] < 1e-60
    assert found.across == (0, 0, 2)
    assert found.digits > 40
    exact = kernel("gradient", "ball")(
        [1, 1, 0, 0, 0], 0.5, task.gamma, task.d, task.L, 0.0, dps=300
    )[0]
    assert float(-exact) == pytest.approx(found.across_values[0], rel=1e-10)


def test_curvatures_of_different_orders_are_no_obstacle():
    """One of 1e9 beside one of 8: Newton's steps end above the usual goal."""
    task, lam = Task(d=1000, L=30_000, gamma=2.0), 0.9
    k = [0.2995683744325861, -0.9540748340878812, 0]
    v = [-0.9537354123065561, -0.30064724065330045, 0]
    found = enclose_critical_point(np.array([k, v]), lam, task)
    assert found.is_decided
    assert found.digits == 40
    assert found.inertia(3) == (1, 0, 3)
    assert found.gradient_norm < 1e-20
    assert found.radius < 1e-16


def bound_of(point, lam, task):
    with ctx.workdps(40):
        known = task_risk(task, lam)
        risk = ball_risk(known.there.model, known.there.row, known.by_name, known.triangle)
        width = point.shape[1]
        pivots = [1] if width == 3 else []
        attempt = _Attempt(risk, point, 2, pivots, np.ones((1, 2, width)), 40)
        return attempt.gradient_norm([[to_ball(c) for c in row] for row in point.tolist()])


def test_the_gradient_vanishes_to_more_digits_than_doubles_have():
    """Where curvatures are large, no state in double precision has a gradient below 1e-12."""
    task, lam = Task(d=4000, L=1000, gamma=0.7), 0.3
    (_, _, theta, eta, _), _ = swap_point_and_excess_risk(task, lam)
    point = np.array([[0, eta, 0], [theta, 0, np.sqrt(1 - theta**2)]])
    slope, bend, _ = riemannian_derivatives_and_basis(point, lam, task)
    assert np.abs(bend).max() > 500
    found = enclose_critical_point(point, lam, task)
    assert 0 < found.gradient_norm < 1e-30
    # What it bounds, at the middle in double precision, is as large as rounding makes it.
    rounded = bound_of(found.point, lam, task)
    assert 1e-18 < rounded < 1e-11
    here, _, _ = riemannian_derivatives_and_basis(found.point, lam, task)
    assert np.linalg.norm(here) < 1e-10
    assert np.linalg.norm(slope) < 1e-10
    moved = found.point + 1e-3 * np.array([[0, 0, 1], [0, 1, 0]])
    moved /= np.linalg.norm(moved, axis=1, keepdims=True)
    away, _, _ = riemannian_derivatives_and_basis(moved, lam, task)
    assert bound_of(moved, lam, task) == pytest.approx(np.linalg.norm(away), rel=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_inertia_of_random_matrices(seed):
    rng = np.random.default_rng(seed)
    matrix = rng.standard_normal((5, 5)) * 10.0 ** rng.integers(-3, 3, 5)
    matrix = matrix + matrix.T
    values = np.linalg.eigvalsh(matrix)
    balls = arb_mat(5, 5, [arb(float(x)) for x in matrix.ravel()])
    assert inertia_of_ball_matrix(balls) == ((values < 0).sum(), 0, (values > 0).sum())


def test_inertia_does_not_guess():
    zero = arb(0, 1e-9)
    assert inertia_of_ball_matrix(arb_mat([[zero, arb(0)], [arb(0), arb(1)]])) == (0, 1, 1)
    assert inertia_of_ball_matrix(arb_mat([[arb(0), arb(1)], [arb(1), arb(0)]])) == (1, 0, 1)
    assert inertia_of_ball_matrix(arb_mat([[arb(1), arb(1)], [arb(1), arb(1)]]))[1] == 1
    assert inertia_of_ball_matrix(arb_mat([[arb("nan")]])) == (0, 1, 0)
