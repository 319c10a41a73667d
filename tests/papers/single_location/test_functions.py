"""The kernels against the derived closed form at many digits, over the whole domain."""

import mpmath
import numpy as np
import pytest

from slrsym.papers.single_location.paper_risk import excess_risk, gradient, hessian, risk
from slrsym.papers.single_location.task import OrderParameters, Task
from tests._profile import THOROUGH, more, thorough_cases
from tests.kernels._cases import (
    ARRAY_BACKENDS,
    EPS,
    KINDS,
    conditioning,
    exact,
    feasible,
    numbers,
    setting,
)


@thorough_cases("excess risk-anywhere-numba")
@more
@pytest.mark.parametrize("backend", ARRAY_BACKENDS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("order", [0, 1], ids=["excess risk", "gradient"])
def test_accuracy(backend, kind, order):
    rng = np.random.default_rng([order, KINDS.index(kind)])
    function = excess_risk if order == 0 else gradient
    for _ in range(25 if THOROUGH else 12):
        state, (inverse_temperature, task) = feasible(rng, kind), setting(rng)
        found = np.atleast_1d(function(state, inverse_temperature, task, backend))
        inputs = numbers(state, inverse_temperature, task)
        values = exact(order, inputs)
        size = max(map(abs, values))
        if size < 1e-280:
            assert np.abs(found).max() < 1e-270
            continue
        with mpmath.workdps(60):
            pairs = zip(found.tolist(), values, strict=True)
            error = max(abs(mpmath.mpf(f) - e) for f, e in pairs) / size
        assert error < 1e-13 or error < 10 * EPS * conditioning(order, inputs, values)


@pytest.mark.parametrize("backend", ARRAY_BACKENDS)
def test_the_oracle_with_almost_no_noise(backend):
    # The plain formula in double precision gives 0.
    known = 1.526726653702490971509651e-24
    task = Task(20_000, 1, np.sqrt(0.5))
    value = excess_risk([1, 1, 0, 0, 0], 0.05, task, backend)
    assert abs(value / known - 1) < 1e-13
    (again,) = exact(0, numbers([1, 1, 0, 0, 0], 0.05, task))
    assert abs(float(again) / known - 1) < 1e-14


@thorough_cases("numba")
@pytest.mark.parametrize("backend", ARRAY_BACKENDS)
def test_nothing_overflows_at_the_ends_of_the_domain(backend):
    rng = np.random.default_rng(3)
    states = np.array([feasible(rng, kind) for kind in KINDS for _ in range(4)])
    # A warning is an error here; that numbers too small for a double become 0 is none.
    with np.errstate(all="raise", under="ignore"):
        for inverse_temperature in (1e-3, 10.0):
            for g in (0.05, 5.0):
                for dim in (2, 10**7):
                    for tokens in (1, 2, 10**4):
                        task = Task(dim, tokens, g)
                        assert (excess_risk(states, inverse_temperature, task, backend) >= 0).all()
                        assert np.isfinite(
                            gradient(states, inverse_temperature, task, backend)
                        ).all()
                        assert np.isfinite(
                            hessian(states, inverse_temperature, task, backend)
                        ).all()


def slope(errors, steps):
    return np.polyfit(np.log(steps), np.log(errors), 1)[0]


@pytest.mark.parametrize("direction", range(5))
def test_differences_of_the_risk_approach_the_gradient(direction):
    rng = np.random.default_rng(direction)
    task, inverse_temperature = Task(30, 4, 0.8), 0.4
    state, steps = feasible(rng, "anywhere") / 2, np.array([3e-2, 1e-2, 3e-3, 1e-3])
    move = np.eye(5)[direction]
    ahead, behind = (
        risk(state + sign * steps[:, None] * move, inverse_temperature, task) for sign in (1, -1)
    )
    exact = gradient(state, inverse_temperature, task)[direction]
    errors = np.abs((ahead - behind) / (2 * steps) - exact)
    # The risk is quadratic in all but kappa, where central differences are exact.
    if direction == 0:
        assert 1.9 < slope(errors, steps) < 2.1
    else:
        assert errors.max() < 1e-11 * max(1.0, np.abs(ahead).max()) / steps[-1]


def test_differences_of_the_gradient_approach_the_hessian():
    rng = np.random.default_rng(7)
    task, inverse_temperature = Task(30, 4, 0.8), 0.4
    state, step = feasible(rng, "anywhere") / 2, 1e-5
    moves = step * np.eye(5)
    ahead, behind = (gradient(state + s * moves, inverse_temperature, task) for s in (1, -1))
    found = hessian(state, inverse_temperature, task)
    assert found == pytest.approx(found.T)
    assert (ahead - behind) / (2 * step) == pytest.approx(found, rel=1e-7, abs=1e-6)


TASK = Task(400, 10, 0.7, 0.1)


@thorough_cases("numba")
@pytest.mark.parametrize("backend", ARRAY_BACKENDS)
def test_shapes(backend):
    rng = np.random.default_rng(1)
    states = np.array([[feasible(rng, "anywhere") for _ in range(3)] for _ in range(2)])
    assert risk(states, 0.1, TASK, backend).shape == (2, 3)
    assert gradient(states, 0.1, TASK, backend).shape == (2, 3, 5)
    assert hessian(states, 0.1, TASK, backend).shape == (2, 3, 5, 5)
    assert np.ndim(risk(states[0, 0], 0.1, TASK, backend)) == 0
    assert gradient(states[:0], 0.1, TASK, backend).shape == (0, 3, 5)
    assert risk(states, [[0.1], [0.2]], TASK, backend).shape == (2, 3)
    assert risk(states[0, 0], np.ones((4, 1)), TASK, backend).shape == (4, 1)
    assert risk(states[0, 0], [], TASK, backend).shape == (0,)


@thorough_cases("numba")
@pytest.mark.parametrize("backend", ARRAY_BACKENDS)
def test_each_row_is_computed_by_itself(backend):
    rng = np.random.default_rng(2)
    states = np.array([feasible(rng, "anywhere") for _ in range(5000)])
    inverse_temperatures = rng.uniform(0.05, 2, 5000)
    together = gradient(states, inverse_temperatures, TASK, backend)
    for i in (0, 17, 4095, 4096, 4999):
        alone = gradient(states[i], inverse_temperatures[i], TASK, backend)
        assert together[i] == pytest.approx(alone, rel=1e-12)
    # At one inverse temperature to the last bit, whichever stand beside and however many.
    together = gradient(states, 0.3, TASK, backend)
    for size in (1, 2, 3, 30, 512, 513, 4000):
        some = rng.permutation(5000)[:size]
        assert (gradient(states[some], 0.3, TASK, backend) == together[some]).all()


@thorough_cases("numba")
@pytest.mark.parametrize("backend", ARRAY_BACKENDS)
def test_arrays_of_any_layout(backend):
    rng = np.random.default_rng(4)
    states = np.array([feasible(rng, "anywhere") for _ in range(6)])
    plain = gradient(states, 0.3, TASK, backend)
    locked = states.copy()
    locked.flags.writeable = False
    for same in (np.asfortranarray(states), states.astype(">f8"), states.tolist(), locked):
        assert (gradient(same, 0.3, TASK, backend) == plain).all()
    assert (gradient(states[::2], 0.3, TASK, backend) == plain[::2]).all()
    assert (
        gradient([1, 0, 0, 0, 0], 1, TASK, backend)
        == gradient([1.0, 0, 0, 0, 0], 1.0, TASK, backend)
    ).all()


def test_order_parameters_are_states():
    state = OrderParameters(kappa=0.3, nu=0.2, theta=0.1, eta=0.0, rho=0.4)
    assert gradient(state, 0.3, TASK) == pytest.approx(gradient([0.3, 0.2, 0.1, 0, 0.4], 0.3, TASK))


def test_the_noise_is_on_top():
    state = [0.3, 0.2, 0.1, 0.0, 0.4]
    assert risk(state, 0.3, TASK) == pytest.approx(excess_risk(state, 0.3, TASK) + 0.01)


@pytest.mark.parametrize(
    ("state", "inverse_temperature", "said"),
    [
        ([0, 0, 0, 0], 1, r"shape \(\.\.\., 5\).*got \(4,\)"),
        (0.5, 1, "shape"),
        ([0, 0, 0, 0, np.nan], 1, r"state must be finite; state\[4\] is nan"),
        ([0, 0, 0, 0, np.inf], 1, r"state\[4\] is inf"),
        ([0, 0, 0, 0, 0], 0, "lam must be positive"),
        ([0, 0, 0, 0, 0], -1, "got -1"),
        ([0, 0, 0, 0, 0], [1, np.inf], "lam must be positive and finite"),
        ([0, 0, 0, 0, 0], None, "lam must be real numbers; got None"),
        ([0, 0, 0, 0, 0], "hot", "lam must be real numbers; got 'hot'"),
        ([0, 0, 0, 0, 1j], 1, "state must be real numbers; got"),
        ([[0, 0, 0, 0, 0], [0]], 1, "state must be real numbers; got"),
        ([0, 0, 0, 0, 0], 1e200, r"no number overflows; got lam = 1e\+200, Task\(d="),
        ([0, 0, 0, 0, 0], [1, 1e200], r"no number overflows; got lam = \[1, 1e\+200\]"),
        (np.zeros((3, 5)), [1, 1], r"lam must broadcast.*\(3,\); it has shape \(2,\)"),
    ],
)
def test_bad_input(state, inverse_temperature, said):
    with pytest.raises(ValueError, match=said):
        gradient(state, inverse_temperature, TASK)


@pytest.mark.parametrize("backend", ["ball", "mpmath", "jax", None])
def test_no_backend_for_arrays(backend):
    with pytest.raises(ValueError, match=f"backend must be one of numpy, numba; got {backend!r}"):
        gradient([0, 0, 0, 0, 0], 1, TASK, backend)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((1, 1, 1), "d must be an integer of at least 2; got 1"),
        ((2.5, 1, 1), "d must be"),
        ((float("nan"), 1, 1), "d must be"),
        (("ten", 1, 1), "d must be an integer of at least 2; got 'ten'"),
        ((None, 1, 1), "d must be an integer of at least 2; got None"),
        ((True, 1, 1), "d must be an integer of at least 2; got True"),
        ((float("inf"), 1, 1), "d must be an integer of at least 2; got inf"),
        ((4, 0, 1), "L must be an integer of at least 1; got 0"),
        ((4, 1, "wide"), "gamma must be finite and positive; got 'wide'"),
        ((4, 1, 1j), "gamma must be finite and positive; got 1j"),
        ((4, 1, 0), "gamma must be finite and positive; got 0"),
        ((4, 1, float("inf")), "gamma must be"),
        ((4, 1, 1e151), r"gamma must be at most 1e150; got 1e\+151"),
        ((4, 1, 1, 1e200), r"epsilon must be at most 1e150; got 1e\+200"),
        ((4, 1, 1, -0.1), "epsilon must be finite and not negative; got -0.1"),
    ],
)
def test_bad_tasks(arguments, said):
    with pytest.raises(ValueError, match=said):
        Task(*arguments)


def test_no_task():
    with pytest.raises(TypeError, match=r"must be a Task"):
        gradient([0, 0, 0, 0, 0], 1, (4, 1, 1))
