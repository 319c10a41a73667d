"""What holds of every orbit: feasibility, symmetry, descent."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slrsym.papers.single_location.dynamics.engines import TaskEngine, vectors_of_start
from slrsym.papers.single_location.dynamics.spheres import gram_matrices, overlaps_of_vectors
from slrsym.papers.single_location.paper_risk import excess_risk, gradient, hessian
from slrsym.papers.single_location.task import Task
from tests._profile import thorough_cases
from tests.kernels._cases import needs_numba
from tests.properties._examples import costly

BACKENDS = ["numpy", pytest.param("numba", marks=needs_numba)]


def moved(states, task, alpha, backend, lam, steps, every):
    """Overlaps after each `every`-th step."""
    engine = TaskEngine(vectors_of_start(states, task.d), task, alpha, backend)
    return overlaps_of_vectors(engine.advance(np.full(steps, lam), every))


def spread(least, most):
    """Numbers of all sizes between two."""
    return st.floats(np.log(least), np.log(most)).map(lambda x: float(np.exp(x)))


TASKS = st.builds(
    Task, d=st.sampled_from([4, 5, 30, 400, 10**5]), L=st.integers(1, 50), gamma=spread(0.1, 3)
)
SIZES = st.one_of(st.just(0.0), spread(1e-9, 1.0), spread(1e-9, 1.0).map(lambda x: -x))


@st.composite
def feasible(draw):
    """Overlaps of unit vectors, some of whose components are small or none."""
    k, v = (np.array(draw(st.lists(SIZES, min_size=4, max_size=4))) for _ in range(2))
    # Next to each other, and exactly so.
    if draw(st.booleans()):
        v = draw(st.sampled_from([1.0, -1.0])) * k + draw(SIZES) * v
    k, v = (x if np.linalg.norm(x) > 1e-9 else np.eye(4)[i] for i, x in enumerate((k, v)))
    k, v = k / np.linalg.norm(k), v / np.linalg.norm(v)
    return np.array([k[0], v[1], v[0], k[1], k @ v])


@pytest.mark.parametrize("backend", BACKENDS)
@costly()
@given(feasible(), TASKS, spread(1e-2, 3), spread(1e-5, 1e2))
def test_orbits_stay_feasible(backend, state, task, lam, alpha):
    rows = moved(state[None], task, alpha, backend, lam, 60, 4)[:, 0]
    assert np.linalg.eigvalsh(gram_matrices(rows))[:, 0].min() > -2e-14


# What becomes of kappa, nu, theta, eta, rho if k and v are turned round, or v* is.
BOTH = np.array([-1, -1, -1, -1, 1])
MIRROR = np.array([1, -1, 1, -1, 1]) * np.array([1, -1, -1, 1, -1])


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("signs", [BOTH, MIRROR, BOTH * MIRROR], ids=["both", "mirror", "all"])
@costly()
@given(feasible(), TASKS, spread(1e-2, 3), spread(1e-5, 1.0))
def test_symmetries_commute_with_the_map(backend, signs, state, task, lam, alpha):
    """(k, v) -> (-k, -v); v -> -v together with v* -> -v*. Not up to rounding: exactly."""
    rows = moved(np.array([state, signs * state]), task, alpha, backend, lam, 30, 3)
    assert (rows[:, 1] == signs * rows[:, 0]).all()


def test_turning_k_round_alone_is_no_symmetry():
    state, signs = np.array([0.3, 0.2, 0.1, 0.15, 0.25]), np.array([-1, 1, 1, -1, -1])
    both = np.array([state, signs * state])
    rows = moved(both, Task(30, 5, 0.7), 0.01, "numpy", 0.5, 3, 1)
    assert np.abs(rows[:, 1] - signs * rows[:, 0]).max() > 1e-3


# The other engine, whose steps are those of NumPy in test_engines.
@thorough_cases("numba")
@pytest.mark.parametrize("backend", BACKENDS)
@costly()
@given(feasible(), TASKS, spread(1e-2, 3))
def test_small_steps_descend(backend, state, task, lam):
    """Proposition 8's inequality, off the manifold too: by about alpha |tangent|^2."""
    slope, bend = gradient(state, lam, task), hessian(state, lam, task)
    alpha = 1e-3 / (1 + np.abs(slope).sum() + np.abs(bend).sum())
    after = moved(state[None], task, alpha, backend, lam, 1, 1)[0, 0]
    kappa, nu, theta, eta, rho = state
    a, b, c, d, e = slope
    # |grad_k R|^2 and its part along k, of a k* + d v* + e v; the same for v.
    k_square = a * a + d * d + e * e + 2 * e * (a * theta + d * nu)
    v_square = b * b + c * c + e * e + 2 * e * (b * eta + c * kappa)
    tangent = (
        k_square
        + v_square
        - (a * kappa + d * eta + e * rho) ** 2
        - (b * nu + c * theta + e * rho) ** 2
    )
    risk, less = excess_risk(np.array([state, after]), lam, task)
    rounding = 1e-13 * (risk + np.abs(slope).sum())
    assert less - risk <= -0.9 * alpha * tangent + rounding
    assert less - risk >= -1.1 * alpha * tangent - rounding
