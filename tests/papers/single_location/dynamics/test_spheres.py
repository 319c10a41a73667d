"""The risk on two spheres: its derivatives, and its symmetries."""

import numpy as np
import pytest

from slrsym.papers.single_location import Task, risk
from slrsym.papers.single_location.dynamics.spheres import (
    SPHERES,
    ambient_derivatives,
    gram_entries_of_orthogonal_parts,
    manifold_vectors,
    overlaps_of_vectors,
    riemannian_derivatives_and_basis,
)
from slrsym.papers.single_location.landscape.enumeration import task_risk
from slrsym.papers.single_location.landscape.points import (
    OVERLAP_SIGNS,
)
from slrsym.testing import UnitSpheres, check_hessian
from tests._profile import thorough_cases


def random_points(count, m, seed):
    points = np.random.default_rng(seed).standard_normal((count, 2, m))
    return points / np.linalg.norm(points, axis=-1, keepdims=True)


@thorough_cases("2-2-1-0.3-2.0")
@pytest.mark.parametrize(("d", "L", "gamma", "lam"), [(2, 1, 0.3, 2.0), (30, 7, 1.5, 0.3)])
@pytest.mark.parametrize("m", [2, 3, 4])
def test_derivatives_belong_to_the_risk(d, L, gamma, lam, m):
    task = Task(d, L, gamma)
    (point,) = random_points(1, m, m)

    def riemannian_hessian(at, direction):
        bend = SPHERES.lagrangian(at, *ambient_derivatives(at, lam, task))
        return UnitSpheres().tangent(at, (bend @ direction.ravel()).reshape(at.shape))

    def riemannian_gradient(at):
        return UnitSpheres().tangent(at, ambient_derivatives(at, lam, task)[0])

    check = check_hessian(
        lambda at: float(risk(overlaps_of_vectors(at), lam, task)),
        riemannian_gradient,
        riemannian_hessian,
        point,
        manifold=UnitSpheres(),
    )
    assert check.slope > 2.9


def test_what_lies_beyond_two_directions():
    points = np.random.default_rng(5).standard_normal((20, 2, 6))
    points /= np.linalg.norm(points, axis=-1, keepdims=True)
    rest = points[..., 2:]
    parts = [np.sum(rest[:, i] * rest[:, j], axis=-1) for i, j in ((0, 0), (1, 1), (0, 1))]
    np.testing.assert_allclose(
        gram_entries_of_orthogonal_parts(overlaps_of_vectors(points)), parts, atol=1e-14
    )


def test_many_points_are_as_many_single_ones():
    task, points = Task(50, 4, 0.7), random_points(5, 3, 1)
    lams = np.geomspace(0.1, 1, 5)
    together = riemannian_derivatives_and_basis(points, lams, task)
    for i, lam in enumerate(lams):
        for all_of_them, one in zip(
            together, riemannian_derivatives_and_basis(points[i], lam, task), strict=True
        ):
            assert np.allclose(all_of_them[i], one, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("m", [2, 3, 4])
def test_symmetries_leave_the_risk_alone_and_nothing_else_does(m):
    task, lam = Task(12, 5, 0.8), 0.6
    (point,) = random_points(1, m, 7)
    value = risk(overlaps_of_vectors(point), lam, task)
    signs = task_risk(task, lam, m).coordinate_signs(m)
    assert len(signs) == 2**m
    assert np.allclose(risk(overlaps_of_vectors(signs * point), lam, task), value, rtol=1e-13)
    # Other changes of the signs of overlaps are not symmetries.
    state = overlaps_of_vectors(point)
    for pattern in np.array(np.meshgrid(*[[1, -1]] * 5)).reshape(5, -1).T:
        same = abs(risk(pattern * state, lam, task) - value) < 1e-9
        assert same == any((pattern == row).all() for row in OVERLAP_SIGNS)


def test_related_states_have_one_name():
    known = task_risk(Task(12, 5, 0.8), 0.6)
    for state in overlaps_of_vectors(random_points(40, 3, 3)):
        count, first = known.copies(state)
        assert count == 4
        for image in OVERLAP_SIGNS * state:
            np.testing.assert_allclose(known.copies(image)[1], first, atol=0)
        assert first[0] > 0
        assert first[2] > 0
    # Zeros have no sign.
    assert known.copies(np.array([1e-12, 0, -0.3, 1, 0]))[1].tolist() == pytest.approx(
        [0, 0, 0.3, -1, 0]
    )
    assert known.copies(np.array([1, 1, 0, 0, 0]))[0] == 2
    assert known.copies(np.zeros(5))[0] == 1


def test_points_of_the_manifold_are_unit_vectors_of_its_overlaps():
    states = np.random.default_rng(3).uniform(-1, 1, (20, 2))
    points = manifold_vectors(states)
    np.testing.assert_allclose(np.linalg.norm(points, axis=-1), 1, atol=1e-15)
    expected = np.concatenate([states, np.zeros((20, 3))], axis=-1)
    np.testing.assert_allclose(overlaps_of_vectors(points), expected, atol=1e-15)
