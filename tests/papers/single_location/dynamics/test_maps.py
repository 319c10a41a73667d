"""A step against Definition 1 in vectors, at 50 digits, and against Lemma 7."""

import mpmath
import numpy as np
import pytest

from slrsym.kernels.mpmath_backend import mpmath_function
from slrsym.papers.single_location.dynamics.engines import COORDINATES, TaskEngine
from slrsym.papers.single_location.step_programs import descent_step_program
from slrsym.papers.single_location.task import Task
from tests.kernels._cases import exact

DPS = 50


def dot(x, y):
    return mpmath.fsum(a * b for a, b in zip(x, y, strict=True))


def unit(x):
    norm = mpmath.sqrt(dot(x, x))
    return [a / norm for a in x]


def beside(x, *others):
    """What is left of a vector beside orthonormal ones."""
    for y in others:
        along = dot(x, y)
        x = [a - along * b for a, b in zip(x, y, strict=True)]
    return x


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
    with mpmath.workdps(DPS):
        k, v, k_star, other = (
            unit([mpmath.mpf(x) for x in row]) for row in rng.normal(size=(4, d)).tolist()
        )
        v_star = unit(beside(other, k_star))

        def risk(state):
            inputs = [*state, *(mpmath.mpf(x) for x in (lam, task.gamma, task.d, task.L))]
            return exact(0, inputs, digits=DPS)[0]

        expected = overlaps(*definition_1(k, v, k_star, v_star, risk, alpha), k_star, v_star)
        # Two more axes span with k* and v* what k and v do; in few dimensions there is none.
        axes, zero = [k_star, v_star], [mpmath.mpf(0)] * d
        for x in (k, v):
            rest = beside(x, *axes)
            axes.append(unit(rest) if len(axes) < d else zero)
        flat = [dot(x, axis) for x in (k, v) for axis in axes]
        given = (task.L, task.d, 0, task.gamma, lam, alpha)
        packed = [flat[i] for i in COORDINATES[False]]
        after = mpmath_function(descent_step_program(False))(packed, *given, dps=DPS)
        whole = dict(zip(COORDINATES[False], after, strict=True))
        k, v = ([whole[4 * i + j] for j in range(4)] for i in (0, 1))
        one, other = ([mpmath.mpf(i == j) for j in range(4)] for i in (0, 1))
        found = overlaps(k, v, one, other)
        assert max(abs(a - b) for a, b in zip(found, expected, strict=True)) < 1e-28


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
            kappa, nu, lam, gamma = map(mpmath.mpf, (kappa, nu, lam, gamma))
            expected = lemma_7(kappa, nu, lam, gamma, d, step)
            k_rest, v_rest = mpmath.sqrt(1 - kappa**2), mpmath.sqrt(1 - nu**2)
            found = mpmath_function(descent_step_program(True))(
                [k_rest, kappa, v_rest, nu], L, d, 0, gamma, lam, step, dps=DPS
            )
            assert max(abs(found[1] - expected[0]), abs(found[3] - expected[1])) < 1e-45
            assert abs(found[0] ** 2 + found[1] ** 2 - 1) < 1e-45
            # The step of all k and v does the same, and leaves what is 0 so.
            whole = {2: k_rest, 0: kappa, 7: v_rest, 5: nu}
            flat = [whole.get(i, mpmath.mpf(0)) for i in COORDINATES[False]]
            after = mpmath_function(descent_step_program(False))(
                flat, L, d, 0, gamma, lam, step, dps=DPS
            )
            after = dict(zip(COORDINATES[False], after, strict=True))
            assert max(abs(after[0] - expected[0]), abs(after[5] - expected[1])) < 1e-45
            assert [after[i] for i in (1, 3, 4, 6)] == [0] * 4


def test_a_step_takes_few_exponentials():
    """What cancels in the slopes of the model is not computed, and no square of an exponential."""
    for on_manifold, bells in ((False, 2), (True, 1)):
        body = descent_step_program(on_manifold).body
        found = {name: body.count(f" {name}(") + body.count(f"*{name}(") for name in ("exp", "erf")}
        assert found == {"exp": bells, "erf": 2}
        assert "damped_factor" not in body


def test_corners_and_the_origin_are_fixed():
    corners = np.array([(1, 1), (-1, -1), (1, -1), (-1, 1), (0, 0)], dtype=float)
    points = np.zeros((5, 2, 4))
    points[:, 0, 0], points[:, 1, 1] = corners.T
    points[4, 0, 2] = points[4, 1, 3] = 1
    engine = TaskEngine(points, Task(400, 10, 0.7), 0.01)
    engine.advance(np.full(1, 0.3), 1)
    assert (engine.states == points).all()


def test_the_noise_does_not_matter():
    points = np.random.default_rng(0).normal(size=(4, 2, 4))
    points /= np.linalg.norm(points, axis=-1, keepdims=True)
    ends = [
        TaskEngine(points, Task(40, 5, 0.7, noise), 0.1).advance(np.full(3, 0.3), 3)
        for noise in (0, 3)
    ]
    assert (ends[0] == ends[1]).all()
