"""The critical inverse temperature, and the swap point, against other ways to find them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from slrsym.papers.single_location import Task, excess_risk, risk
from slrsym.papers.single_location.landscape import (
    critical_inverse_temperature,
    oracle_hessian_in_angles,
    saturated_critical_inverse_temperature,
    swap_point_and_excess_risk,
)
from slrsym.papers.single_location.paper_risk import kernel
from tests._profile import thorough_only
from tests.properties._examples import examples


def turned(x, y):
    """Overlaps as k and v turn in the plane of k* and v*."""
    return np.array([np.cos(x), np.cos(y), np.sin(y), np.sin(x), np.sin(x + y)])


@pytest.mark.parametrize(("d", "L", "gamma", "lam"), [(400, 10, 0.7, 0.5), (7, 4, 1.3, 0.8)])
def test_the_hessian_at_the_oracle_is_that_of_the_risk(d, L, gamma, lam):
    task, h = Task(d, L, gamma), 1e-4

    def value(x, y):
        return risk(turned(x, y), lam, task)

    centre = value(0, 0)
    expected = np.array(
        [
            [
                (value(h, 0) + value(-h, 0) - 2 * centre) / h**2,
                (value(h, h) + value(-h, -h) - value(h, -h) - value(-h, h)) / (4 * h**2),
            ],
            [0, (value(0, h) + value(0, -h) - 2 * centre) / h**2],
        ]
    )
    expected[1, 0] = expected[0, 1]
    assert oracle_hessian_in_angles(task, lam) == pytest.approx(expected, rel=1e-4)
    assert oracle_hessian_in_angles(task, [lam, 2 * lam]).shape == (2, 2, 2)


@thorough_only
@examples(0.25)
@given(st.integers(5, 10_000), st.integers(2, 50), st.floats(0.1, 2.0), st.floats(0.01, 0.2))
def test_the_oracle_loses_its_stability_there(d, L, gamma, off):
    task = Task(d, L, gamma)
    critical = critical_inverse_temperature(task)
    if math.isinf(critical):
        least = np.linalg.eigvalsh(oracle_hessian_in_angles(task, np.geomspace(1e-2, 1e3, 50)))
        assert (least > 0).all()
        return
    below, above = (
        np.linalg.eigvalsh(oracle_hessian_in_angles(task, critical * f)) for f in (1 - off, 1 + off)
    )
    assert below[0] > 0
    assert above[0] < 0 < above[1]


def test_the_determinant_certainly_changes_its_sign(paper):
    critical = critical_inverse_temperature(paper)

    def determinant(lam):
        numbers = (lam, paper.gamma, paper.d, paper.L, 0.0)
        state = [1, 1, 0, 0, 0]
        k, n, _, _, r = kernel("gradient", "ball")(state, *numbers)
        upper = iter(kernel("hessian", "ball")(state, *numbers))
        h = {(i, j): next(upper) for i in range(5) for j in range(i, 5)}
        kk = h[4, 4] + h[3, 3] + 2 * h[3, 4] - k
        vv = h[4, 4] + h[2, 2] + 2 * h[2, 4] - n
        kv = h[2, 3] + h[4, 4] + h[2, 4] + h[3, 4] + r
        return kk * vv - kv * kv

    assert determinant(critical * (1 - 1e-9)) > 0
    assert determinant(critical * (1 + 1e-9)) < 0


def test_the_closed_form_is_approached():
    for d, L, gamma in ((400, 10, 0.5**0.5), (3000, 100, 1.1), (10**6, 1000, 0.3)):
        task = Task(d, L, gamma)
        exact = critical_inverse_temperature(task)
        assert saturated_critical_inverse_temperature(task) == pytest.approx(exact, rel=1e-8)
    task = Task(10**9, 10, 0.5)
    assert critical_inverse_temperature(task) == pytest.approx(math.sqrt(3) / 2, rel=1e-6)
    # With this many tokens the oracle is stable at all inverse temperatures.
    crowded = Task(10, 50, 2.0)
    assert math.isinf(critical_inverse_temperature(crowded))
    assert math.isinf(saturated_critical_inverse_temperature(crowded))


@pytest.mark.parametrize(
    "function", [critical_inverse_temperature, saturated_critical_inverse_temperature]
)
def test_one_token_has_no_critical_temperature(function):
    with pytest.raises(ValueError, match="two tokens at least"):
        function(Task(10, 1, 0.5))


@examples(0.5)
@given(st.integers(2, 2000), st.integers(1, 30), st.floats(0.1, 2), st.floats(0.01, 3))
def test_no_theta_is_better_than_that_of_the_swap_point(d, L, gamma, lam):
    task = Task(d, L, gamma)
    state, least = swap_point_and_excess_risk(task, lam)

    def along(theta):
        return float(excess_risk([0, 0, theta, 1, 0], lam, task))

    best = minimize_scalar(along, bounds=(-1, 1), method="bounded", options={"xatol": 1e-10})
    # Off the manifold the risk is a sum of terms of the size of gamma^2, which may cancel.
    rounding = 8 * np.finfo(float).eps * gamma**2
    assert least <= best.fun * (1 + 1e-12) + rounding
    assert state.theta == pytest.approx(best.x, abs=1e-5)


def test_the_swap_point_of_figure_7b(paper):
    state, value = swap_point_and_excess_risk(paper, 0.1)
    assert state == pytest.approx((0, 0, 0.630, 1, 0), abs=5e-4)
    assert value == pytest.approx(0.115512, abs=5e-7)
    # Its risk is the same in any dimension.
    assert swap_point_and_excess_risk(Task(800, 10, paper.gamma), 0.1)[1] == pytest.approx(
        value, rel=1e-12
    )
