"""Spheres: tangents, steps and second derivatives, beside spaces without a constraint."""

from itertools import permutations

import numpy as np
import pytest

from slrsym.models.training.descent import DescentMap
from slrsym.models.training.spheres import Spheres
from slrsym.papers.committee.models import committee
from slrsym.papers.single_location.models import attention

MASKS = [True, [True, False], [False, True], [False, False]]


def points_on(mask, m, seed=0, count=5):
    rng = np.random.default_rng(seed)
    return Spheres(mask).normalise(rng.standard_normal((count, 2, m))), rng


@pytest.mark.parametrize("mask", MASKS, ids=str)
@pytest.mark.parametrize("m", [1, 2, 5])
def test_the_tangent_basis_is_orthonormal_and_tangent(mask, m):
    points, rng = points_on(mask, m)
    points[0, 0], points[1, 0] = np.eye(m)[0], -np.eye(m)[0]
    spheres = Spheres(mask)
    basis = spheres.tangent_basis(points)
    free = 2 * m - np.broadcast_to(mask, 2).sum()
    assert basis.shape == (5, 2 * m, free)
    assert np.allclose(np.swapaxes(basis, -1, -2) @ basis, np.eye(free), atol=1e-14)
    vectors = rng.standard_normal(points.shape)
    projected = basis @ (np.swapaxes(basis, -1, -2) @ vectors.reshape(5, -1, 1))
    np.testing.assert_allclose(
        projected.reshape(vectors.shape), spheres.project(points, vectors), atol=1e-13
    )


@pytest.mark.parametrize("mask", MASKS, ids=str)
def test_a_step_is_that_of_the_definition(mask):
    points, rng = points_on(mask, 4)
    slopes, alpha = rng.standard_normal(points.shape), 0.3
    found = Spheres(mask).step(points, slopes, alpha)
    for x, g, new in zip(points, slopes, found, strict=True):
        for i, on_sphere in enumerate(np.broadcast_to(mask, 2)):
            radial = (x[i] @ g[i]) * x[i] if on_sphere else 0.0
            moved = x[i] - alpha * (g[i] - radial)
            expected = moved / np.linalg.norm(moved) if on_sphere else moved
            np.testing.assert_allclose(new[i], expected, rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("mask", MASKS, ids=str)
def test_the_riemannian_hessian_is_that_along_retractions(mask):
    """Of a cubic, by second differences; at a point that is not critical, geodesics count."""
    points, rng = points_on(mask, 3, seed=4, count=1)
    spheres, n = Spheres(mask), 6
    tensor = rng.standard_normal((n, n, n))

    def cost(x):
        return float(np.einsum("ijk,i,j,k", tensor, x, x, x))

    x = points[0].ravel()
    symmetric = sum(tensor.transpose(order) for order in permutations(range(3)))
    grad, hess = np.einsum("ijk,j,k->i", symmetric, x, x) / 2, symmetric @ x
    slope, bend, basis = spheres.hessian_to_riemannian(points[0], grad.reshape(2, 3), hess)
    h = 1e-4
    for i, u in enumerate(basis.T):
        ahead, behind = (
            cost(spheres.retract(points[0], s * h * u.reshape(2, 3)).ravel()) for s in (1, -1)
        )
        assert slope[i] == pytest.approx((ahead - behind) / (2 * h), abs=1e-6)
        assert bend[i, i] == pytest.approx((ahead + behind - 2 * cost(x)) / h**2, abs=1e-5)


@pytest.mark.parametrize(
    "stated",
    [attention().model, attention(cov=(1, 2), other_cov=(1, 1)).model, committee(2, 1).model],
    ids=["sphere", "eigenspaces", "free"],
)
def test_a_step_of_a_model_is_that_of_its_vectors(stated):
    """With eigenspaces, a vector has coordinates in all of them, and one length."""
    rng = np.random.default_rng(3)
    t, p, q = len(stated.trained_directions), len(stated.directions), stated.spaces
    factor = rng.standard_normal((q, p, 6))
    slopes = rng.standard_normal(len(stated.order_parameters))
    flow = DescentMap(stated)
    mask = np.array([x.on_sphere for x in stated.trained_directions])
    rows = np.concatenate(list(factor), axis=-1)
    lengths = np.where(mask, np.linalg.norm(rows[:t], axis=-1), 1.0)
    factor[:, :t] /= lengths[:, None]
    rows[:t] /= lengths[:, None]
    slope = np.concatenate(list(flow.gradient_vectors(factor, slopes)), axis=-1)
    after = np.concatenate(list(flow.gram_factor_after_step(factor, slopes, 0.2)), axis=-1)
    np.testing.assert_allclose(after[:t], Spheres(mask).step(rows[:t], slope, 0.2), atol=1e-14)
    assert (after[t:] == rows[t:]).all()
