"""The kernels against the derived closed form at many digits, over the whole domain."""

from __future__ import annotations

from functools import cache

import mpmath
import numpy as np
import pytest
from sympy import lambdify

from slrsym.kernels import excess_risk, gradient, hessian, risk
from slrsym.notation import ORDER_PARAMETERS, L, d, epsilon, gamma, lam
from slrsym.symbolic import closed_form
from slrsym.task import OrderParameters, Task

EPS = 2.0**-53
INPUTS = (*ORDER_PARAMETERS, lam, gamma, d, L)


@cache
def reference(order: int):
    """The excess risk or its gradient at arbitrary precision, as derived, with Owen's T."""
    expr = closed_form().subs(epsilon, 0)
    outputs = [expr] if order == 0 else [expr.diff(p) for p in ORDER_PARAMETERS]
    return lambdify(INPUTS, outputs, modules="mpmath", cse=True)


def feasible(rng, kind):
    """Overlaps of unit vectors: anywhere, near the corner, at a swap point, on M, at a corner."""
    k, v = rng.normal(size=4), rng.normal(size=4)
    if kind == "near":
        k = np.eye(4)[0] + 10 ** rng.uniform(-8, 0) * k
        v = np.eye(4)[1] + 10 ** rng.uniform(-8, 0) * v
    if kind == "swap":
        k, v[0], v[1:] = np.eye(4)[1], rng.uniform(-1, 1), [0.0, 0.0, 0.0]
        v[3] = np.sqrt(1 - v[0] ** 2)
    k, v = k / np.linalg.norm(k), v / np.linalg.norm(v)
    state = np.array([k[0], v[1], v[0], k[1], k @ v])
    if kind == "manifold":
        state[2:] = 0
    if kind == "corner":
        state = np.array([rng.choice([-1, 1]), rng.choice([-1, 1]), 0, 0, 0], dtype=float)
    return state


def setting(rng):
    span = lambda low, high: float(np.exp(rng.uniform(np.log(low), np.log(high))))  # noqa: E731
    tokens = 1 if rng.random() < 0.2 else round(span(1, 1e4))
    return span(1e-3, 10), Task(round(span(2, 1e7)), tokens, span(0.05, 5))


KINDS = ["anywhere", "near", "swap", "manifold", "corner"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("order", [0, 1], ids=["excess risk", "gradient"])
def test_accuracy(kind, order):
    rng = np.random.default_rng([order, KINDS.index(kind)])
    worst = 0.0
    with mpmath.workdps(60):
        for _ in range(25):
            state, (temperature, task) = feasible(rng, kind), setting(rng)
            function = excess_risk if order == 0 else gradient
            found = np.atleast_1d(function(state, temperature, task))
            inputs = [*map(mpmath.mpf, state.tolist()), temperature, task.gamma, task.d, task.L]
            inputs = [mpmath.mpf(x) for x in inputs]
            exact = reference(order)(*inputs)
            size = max(abs(x) for x in exact)
            if size < mpmath.mpf(10) ** -280:
                assert np.abs(found).max() < 1e-270
                continue
            error = max(abs(mpmath.mpf(f) - e) for f, e in zip(found.tolist(), exact, strict=True))
            allowed = max(mpmath.mpf("1e-13"), 10 * EPS * conditioning(order, inputs, exact, size))
            worst = max(worst, float(error / size / allowed))
    assert worst < 1


def conditioning(order, inputs, exact, size):
    """How much a relative change of one input moves the result, relative to its largest entry."""
    worst = mpmath.mpf(0)
    step = mpmath.mpf(10) ** -25
    for i, x in enumerate(inputs):
        if x != 0:
            moved = [*inputs[:i], x * (1 + step), *inputs[i + 1 :]]
            near = reference(order)(*moved)
            change = max(abs(a - b) for a, b in zip(near, exact, strict=True))
            worst = max(worst, change / step / size)
    return worst


def test_the_oracle_with_almost_no_noise():
    # 60-digit evaluation of the closed form: the plain formula in double precision gives 0.
    exact = 1.526726653702490971509651e-24
    value = excess_risk([1, 1, 0, 0, 0], 0.05, Task(20_000, 1, np.sqrt(0.5)))
    assert abs(value / exact - 1) < 1e-13
    with mpmath.workdps(60):
        inputs = [1, 1, 0, 0, 0, mpmath.mpf(0.05), mpmath.mpf(np.sqrt(0.5)), 20_000, 1]
        (again,) = reference(0)(*inputs)
    assert abs(float(again) / exact - 1) < 1e-14


def test_nothing_overflows_at_the_ends_of_the_domain():
    rng = np.random.default_rng(3)
    states = np.array([feasible(rng, kind) for kind in KINDS for _ in range(4)])
    for temperature in (1e-3, 10.0):
        for g in (0.05, 5.0):
            for dim in (2, 10**7):
                for tokens in (1, 2, 10**4):
                    task = Task(dim, tokens, g)
                    assert (excess_risk(states, temperature, task) >= 0).all()
                    assert np.isfinite(gradient(states, temperature, task)).all()
                    assert np.isfinite(hessian(states, temperature, task)).all()


# -- derivatives -------------------------------------------------------------------------------


def slope(errors, steps):
    return np.polyfit(np.log(steps), np.log(errors), 1)[0]


@pytest.mark.parametrize("direction", range(5))
def test_differences_of_the_risk_approach_the_gradient(direction):
    rng = np.random.default_rng(direction)
    task, temperature = Task(30, 4, 0.8), 0.4
    state, steps = feasible(rng, "anywhere") / 2, np.array([3e-2, 1e-2, 3e-3, 1e-3])
    move = np.eye(5)[direction]
    ahead, behind = (
        risk(state + sign * steps[:, None] * move, temperature, task) for sign in (1, -1)
    )
    exact = gradient(state, temperature, task)[direction]
    errors = np.abs((ahead - behind) / (2 * steps) - exact)
    # The risk is quadratic in all but kappa, where central differences are exact.
    if direction == 0:
        assert 1.9 < slope(errors, steps) < 2.1
    else:
        assert errors.max() < 1e-11 * max(1.0, np.abs(ahead).max()) / steps[-1]


def test_differences_of_the_gradient_approach_the_hessian():
    rng = np.random.default_rng(7)
    task, temperature = Task(30, 4, 0.8), 0.4
    state, step = feasible(rng, "anywhere") / 2, 1e-5
    moves = step * np.eye(5)
    ahead, behind = (gradient(state + s * moves, temperature, task) for s in (1, -1))
    found = hessian(state, temperature, task)
    assert found == pytest.approx(found.T)
    assert (ahead - behind) / (2 * step) == pytest.approx(found, rel=1e-7, abs=1e-6)


# -- shapes and arguments ----------------------------------------------------------------------

TASK = Task(400, 10, 0.7, 0.1)


def test_shapes():
    rng = np.random.default_rng(1)
    states = np.array([[feasible(rng, "anywhere") for _ in range(3)] for _ in range(2)])
    assert risk(states, 0.1, TASK).shape == (2, 3)
    assert gradient(states, 0.1, TASK).shape == (2, 3, 5)
    assert hessian(states, 0.1, TASK).shape == (2, 3, 5, 5)
    assert np.ndim(risk(states[0, 0], 0.1, TASK)) == 0
    assert gradient(states[:0], 0.1, TASK).shape == (0, 3, 5)


def test_each_row_is_computed_by_itself():
    rng = np.random.default_rng(2)
    states = np.array([feasible(rng, "anywhere") for _ in range(5000)])
    temperatures = rng.uniform(0.05, 2, 5000)
    together = gradient(states, temperatures, TASK)
    for i in (0, 17, 4095, 4096, 4999):
        alone = gradient(states[i], temperatures[i], TASK)
        assert together[i] == pytest.approx(alone, rel=1e-12)


def test_order_parameters_are_states():
    state = OrderParameters(kappa=0.3, nu=0.2, theta=0.1, eta=0.0, rho=0.4)
    assert gradient(state, 0.3, TASK) == pytest.approx(gradient([0.3, 0.2, 0.1, 0, 0.4], 0.3, TASK))


def test_the_noise_is_on_top():
    state = [0.3, 0.2, 0.1, 0.0, 0.4]
    assert risk(state, 0.3, TASK) == pytest.approx(excess_risk(state, 0.3, TASK) + 0.01)


@pytest.mark.parametrize(
    ("state", "temperature", "said"),
    [
        ([0, 0, 0, 0], 1, r"shape \(\.\.\., 5\).*got \(4,\)"),
        (0.5, 1, "shape"),
        ([0, 0, 0, 0, np.nan], 1, "NaN"),
        ([0, 0, 0, 0, np.inf], 1, "infinity"),
        ([0, 0, 0, 0, 0], 0, "lam must be positive"),
        ([0, 0, 0, 0, 0], -1, "got -1"),
        ([0, 0, 0, 0, 0], [1, np.inf], "lam must be positive and finite"),
    ],
)
def test_bad_input(state, temperature, said):
    with pytest.raises(ValueError, match=said):
        gradient(state, temperature, TASK)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((1, 1, 1), "d must be an integer of at least 2; got 1"),
        ((2.5, 1, 1), "d must be"),
        ((float("nan"), 1, 1), "d must be"),
        ((4, 0, 1), "L must be an integer of at least 1; got 0"),
        ((4, 1, 0), "gamma must be finite and positive; got 0"),
        ((4, 1, float("inf")), "gamma must be"),
        ((4, 1, 1, -0.1), "epsilon must be finite and not negative; got -0.1"),
    ],
)
def test_bad_tasks(arguments, said):
    with pytest.raises(ValueError, match=said):
        Task(*arguments)


def test_no_task():
    with pytest.raises(TypeError, match=r"must be a slrsym\.Task"):
        gradient([0, 0, 0, 0, 0], 1, (4, 1, 1))
