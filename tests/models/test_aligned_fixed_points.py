"""Fixed points of committees with kinks where students are aligned with their teachers."""

from functools import cache

import numpy as np
import pytest
from sympy import Abs, Max

from slrsym.models import Direction, Predictor, Token, TokenSequence, model
from tests._profile import nightly, thorough, thorough_only

UNITS = {
    "relu": lambda z: Max(0, z),
    "size": Abs,
    "leaky": lambda z: Max(z, z / 5),
    "squared relu": lambda z: Max(0, z) ** 2,
}
# The slopes of units on both sides.
SLOPE = {"relu": (1, 0), "size": (1, -1), "leaky": (1, 0.2)}


@cache
def flow(name):
    W = [Direction("w_1"), Direction("w_2")]
    U = [Direction("u_1", unit=True), Direction("u_2", unit=True)]
    g = UNITS[name]
    data = TokenSequence({Token(target=lambda X: sum(g(X @ x) for x in U)): 1})
    learner = Predictor(lambda X: sum(g(X @ x) for x in W))
    m = model(data, learner, inner_products={U[0] @ U[1]: 0})
    return m.equations("gradient-flow", rate=1)


def optimum(e):
    rows = np.eye(2)[[0, 1, 0, 1]]
    gram = rows @ rows.T
    return np.array([gram[i, j] for i, j, _ in map(e.model.gram_indices.get, e.state)])


def own_jacobian(name, e):
    """The Jacobian at the optimum, from the mean of products of slopes in R^2.

    With D of both students in a row, the gradient is 2 H D, whose blocks are E g'(a) g'(b) X X'.
    """
    up, down = SLOPE[name]
    # By the signs of both projections: their means of x x', and of x alone.
    H = np.zeros((4, 4))
    for s in (1, -1):
        for t in (1, -1):
            slopes = np.array([up if s > 0 else down, up if t > 0 else down])
            corner = np.array([[0.25, s * t / (2 * np.pi)], [s * t / (2 * np.pi), 0.25]])
            H += np.kron(np.outer(slopes, slopes), corner)
    rows = np.eye(2)[[0, 1, 0, 1]]
    places = [e.model.gram_indices[p] for p in e.state]

    def gram_change(D):
        """The first-order change of order parameters if students move by D."""
        moved = np.concatenate([D.reshape(2, 2), np.zeros((2, 2))])
        both = moved @ rows.T + rows @ moved.T
        return np.array([both[i, j] for i, j, _ in places])

    return np.stack([gram_change(x) for x in np.eye(4)], axis=1), -2 * H


@pytest.mark.parametrize("name", ["relu", thorough("size"), thorough("leaky")])
def test_the_jacobian_at_the_optimum_is_that_of_vectors(name):
    e = flow(name)
    state = optimum(e)
    assert np.abs(e.compile("numpy")(state)).max() < 1e-15
    jacobian = e.linearise(state).matrix
    tangent, right = own_jacobian(name, e)
    # Students that move by D change order parameters by T D, and D changes by -2 H D.
    np.testing.assert_allclose(jacobian @ tangent, tangent @ right, atol=1e-14)


@pytest.mark.parametrize(
    "name", ["relu", nightly("size"), nightly("leaky"), nightly("squared relu")]
)
def test_the_search_finds_the_optimum(name):
    e = flow(name)
    starts = 20 if name == "relu" else 50
    points = e.fixed_points(starts=starts, rng=0)
    assert points[0].risk < 1e-12
    found = np.array([abs(points[0].state[p]) for p in e.state])
    swapped = optimum(e).reshape(-1)[[0, 1, 3, 2, 4, 6, 5]]
    off = min(np.abs(found - x).max() for x in (optimum(e), swapped))
    assert off < 1e-9
    assert points[0].linearisation.eigenvalues.real.max() < 0
    # And the saddle where students are alike.
    assert name != "relu" or any(abs(p.risk - 0.147226) < 1e-6 for p in points)


@thorough_only
@pytest.mark.parametrize("name", UNITS)
def test_solutions_from_ten_starts_end_at_the_optimum(name):
    for seed in range(10):
        found = flow(name).solve({"d": 50}, "uniform", 300, points=2, rng=seed)
        assert found.risk[-1] < 1e-8
