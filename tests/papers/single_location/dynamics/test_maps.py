"""A step in the overlaps against Definition 1 in vectors, at 50 digits, and against Lemma 7."""

import mpmath
import numpy as np
import pytest

from slrsym.kernels.compile import numpy_constant_and_output_functions
from slrsym.kernels.mpmath_backend import mpmath_function
from slrsym.papers.single_location.dynamics.spheres import gram_matrices
from slrsym.papers.single_location.paper_risk_expressions import (
    feasibility_correction_program,
    overlap_step_program,
    planar_step_program,
)
from slrsym.papers.single_location.task import Task
from tests.kernels._cases import exact, numbers

DPS = 50
# The square of a norm, and some rounding.
ONE = 1 + 4e-15


def dot(x, y):
    return mpmath.fsum(a * b for a, b in zip(x, y, strict=True))


def unit(x):
    norm = mpmath.sqrt(dot(x, x))
    return [a / norm for a in x]


def overlaps(k, v, k_star, v_star):
    return [dot(k, k_star), dot(v, v_star), dot(v, k_star), dot(k, v_star), dot(k, v)]


def definition_1(k, v, k_star, v_star, risk, alpha):
    """One step, with the gradients in k and v by differences along all axes of R^d."""
    step = mpmath.mpf(10) ** -18

    def slope(which, i):
        ends = []
        for sign in (1, -1):
            moved = [list(k), list(v)]
            moved[which][i] += sign * step
            ends.append(risk(overlaps(*moved, k_star, v_star)))
        return (ends[0] - ends[1]) / (2 * step)

    def moved(x, gradient):
        along = dot(x, gradient)
        return unit([a - alpha * (g - along * a) for a, g in zip(x, gradient, strict=True)])

    # Both gradients at the old point.
    in_k, in_v = ([slope(which, i) for i in range(len(k))] for which in (0, 1))
    return moved(k, in_k), moved(v, in_v)


@pytest.mark.parametrize("d", [2, 3, 4, 6])
@pytest.mark.parametrize("alpha", ["0.003", "0.7"])
def test_a_step_is_that_of_definition_1(d, alpha):
    rng = np.random.default_rng(d)
    task, lam, alpha = Task(d, 4, 0.8), 0.6, mpmath.mpf(alpha)
    rest = (lam, task.gamma, task.d, task.L, 0)
    with mpmath.workdps(DPS):
        k, v, k_star, other = (
            unit([mpmath.mpf(x) for x in row]) for row in rng.normal(size=(4, d)).tolist()
        )
        along = dot(other, k_star)
        v_star = unit([a - along * b for a, b in zip(other, k_star, strict=True)])

        def risk(state):
            inputs = [*state, *(mpmath.mpf(x) for x in rest[:-1])]
            return exact(0, inputs, digits=DPS)[0]

        expected = overlaps(*definition_1(k, v, k_star, v_star, risk, alpha), k_star, v_star)
        state = overlaps(k, v, k_star, v_star)
        *found, room = mpmath_function(overlap_step_program())(state, *rest, alpha, dps=DPS)
        assert max(abs(a - b) for a, b in zip(found, expected, strict=True)) < 1e-28
        kappa, nu, theta, eta, rho = expected
        k_left, v_left = (ONE - a**2 - b**2 for a, b in ((kappa, eta), (theta, nu)))
        square = k_left * v_left - (rho - kappa * theta - eta * nu) ** 2
        assert abs(room - min(k_left, square)) < 1e-26
        # In two and three dimensions there is no room in the feasible set, but for 4e-15.
        assert (room > 1e-10) == (d > 3)
        assert room > 0


def test_a_step_in_double_precision():
    rng = np.random.default_rng(0)
    task = Task(50, 6, 0.8)
    rest = (0.4, task.gamma, float(task.d), float(task.L), 0.0, 0.02)
    constants, body = numpy_constant_and_output_functions(overlap_step_program())
    states = []
    for _ in range(20):
        k, v = rng.normal(size=(2, 5))
        k, v = k / np.linalg.norm(k), v / np.linalg.norm(v)
        states.append([k[0], v[1], v[0], k[1], k @ v])
    columns = body(*np.array(states).T, *constants(*rest))
    for i, state in enumerate(states):
        precise = mpmath_function(overlap_step_program())(state, *rest)
        assert [c[i] for c in columns[:5]] == pytest.approx(
            [float(x) for x in precise[:5]], abs=1e-14
        )


def lemma_7(kappa, nu, lam, gamma, d, alpha):
    """The paper's formulas, typed in."""
    s = lam * gamma
    A, B = mpmath.sqrt(1 + 2 * s**2), mpmath.sqrt(1 + 4 * s**2)
    a = lam * mpmath.sqrt(d / mpmath.mpf(2)) * kappa / A
    bell = 2 / mpmath.sqrt(mpmath.pi) * mpmath.exp(-(a**2))
    R_kappa = (
        2 * gamma**2 * (lam * mpmath.sqrt(d / mpmath.mpf(2)) / A) * bell * (mpmath.erf(a / B) - nu)
    )
    R_nu = -2 * gamma**2 * mpmath.erf(a)
    return [
        (x - alpha * R * (1 - x**2)) / mpmath.sqrt(1 + alpha**2 * R**2 * (1 - x**2))
        for x, R in ((kappa, R_kappa), (nu, R_nu))
    ]


@pytest.mark.parametrize("alpha", ["0.003", "3"])
def test_the_planar_map_is_lemma_7(alpha):
    rng = np.random.default_rng(1)
    for _ in range(10):
        kappa, nu = rng.uniform(-1, 1, 2).tolist()
        lam, gamma = rng.uniform(0.05, 2, 2).tolist()
        d, L = int(rng.integers(2, 1000)), int(rng.integers(1, 50))
        with mpmath.workdps(DPS):
            step = mpmath.mpf(alpha)
            inputs = [mpmath.mpf(x) for x in (kappa, nu, lam, gamma, d)]
            expected = lemma_7(*inputs, step)
            found = mpmath_function(planar_step_program())(
                [kappa, nu], lam, gamma, d, L, 0, step, dps=DPS
            )
            assert max(abs(a - b) for a, b in zip(found, expected, strict=False)) < 1e-45
            assert abs(found[2] - min(ONE - x**2 for x in expected)) < 1e-45
            # The map of five overlaps does the same, and keeps the other three at 0.
            five = mpmath_function(overlap_step_program())(
                [kappa, nu, 0, 0, 0], lam, gamma, d, L, 0, step, dps=DPS
            )
            assert max(abs(a - b) for a, b in zip(five, expected, strict=False)) < 1e-45
            assert five[2:5] == [0, 0, 0]


def test_corners_and_the_origin_are_fixed():
    points = np.array([(1, 1), (-1, -1), (1, -1), (-1, 1), (0, 0)], dtype=float)
    constants, body = numpy_constant_and_output_functions(planar_step_program())
    columns = body(*points.T, *constants(0.3, 0.7, 400.0, 10.0, 0.0, 0.01))
    assert (np.stack(columns[:2], axis=1) == points).all()


def test_the_noise_does_not_matter():
    state = numbers([0.3, 0.2, 0.1, 0.4, 0.5], 0.3, Task(40, 5, 0.7))
    move = mpmath_function(overlap_step_program())
    assert move(state[:5], *state[5:], 0, 0.1) == move(state[:5], *state[5:], 3, 0.1)


def restored(states, d):
    return np.stack(
        numpy_constant_and_output_functions(feasibility_correction_program(5, d))[1](*states.T),
        axis=1,
    )


def near_the_boundary(d, count=3000):
    """Overlaps of unit vectors in R^d whose components are of all sizes."""
    rng = np.random.default_rng(d)
    k, v = rng.normal(size=(2, count, 4)) * 10.0 ** rng.uniform(-12, 0, (2, count, 4))
    k[:, d:] = v[:, d:] = 0
    k, v = (x / np.linalg.norm(x, axis=1, keepdims=True) for x in (k, v))
    return np.stack([k[:, 0], v[:, 1], v[:, 0], k[:, 1], (k * v).sum(axis=1)], axis=1)


@pytest.mark.parametrize("d", [2, 3, 4])
def test_what_is_off_by_rounding_moves_by_as_little(d):
    states = near_the_boundary(d)
    noise = np.random.default_rng(9).normal(size=states.shape)
    for off in (0, 1e-16, 1e-15, 1e-12):
        moved = restored(states * (1 + off * noise), d)
        # Not by the root of a rounding error, to which entries of the Gram matrix may be small.
        assert np.abs(moved - states).max() < 1e-15 + 8 * off
        values = np.linalg.eigvalsh(gram_matrices(moved))
        assert values[:, 0].min() > -3e-15
        if d < 4:
            assert values[:, 3 - d].max() < 3e-15


@pytest.mark.parametrize("d", [2, 4])
def test_whatever_comes_becomes_feasible(d):
    rng = np.random.default_rng(d)
    states = rng.normal(size=(3000, 5)) * 10.0 ** rng.uniform(-10, 10, (3000, 5))
    moved = restored(states, d)
    assert np.linalg.eigvalsh(gram_matrices(moved))[:, 0].min() > -1e-14
    assert np.abs(moved).max() <= 1 + 1e-15


def test_on_the_manifold_there_is_the_square():
    move = numpy_constant_and_output_functions(feasibility_correction_program(2))[1]
    kappa, nu = move(np.array([1 + 1e-12, 0.3, -5.0]), np.array([-1.0, -1 - 1e-9, 0.0]))
    assert kappa.tolist() == [1.0, 0.3, -1.0]
    assert nu.tolist() == [-1.0, -1.0, 0.0]
