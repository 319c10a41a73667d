"""Symmetries of the risk, as they hold: not every change of sign is one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slrsym.models.sampling.sampled_errors import softmax_weights
from slrsym.papers.single_location import Task, excess_risk, gradient, hessian, risk
from slrsym.papers.single_location.sampled_risk import HardOracle
from slrsym.papers.single_location.testing.strategies import (
    inverse_temperatures,
    overlaps,
    step_sizes,
    tasks,
)
from tests.papers.single_location.dynamics._vectors import VectorEngine

from ._examples import EPS

# What becomes of kappa, nu, theta, eta, rho.
BOTH = np.array([-1, -1, -1, -1, 1])
REFLECTED = np.array([1, 1, -1, -1, -1])
K_ALONE = np.array([-1, 1, 1, -1, -1])
V_ALONE = np.array([1, -1, -1, 1, -1])


# Where kappa is zero, the order of two sums depends on the sign of nu.
A_ROUNDING = 4 * EPS


@pytest.mark.parametrize(
    "signs", [BOTH, REFLECTED, BOTH * REFLECTED], ids=["both", "mirror", "all"]
)
@given(overlaps(), inverse_temperatures(), tasks())
def test_the_risk_is_even(signs, state, lam, task):
    """(k, v) -> (-k, -v); a mirror that turns v* round; both of them."""
    state = np.array(state)
    before, after = (excess_risk(x, lam, task) for x in (state, signs * state))
    assert after == pytest.approx(before, rel=A_ROUNDING)
    # Derivatives take the signs of what they are derivatives in. Not to rounding: exactly.
    assert (gradient(signs * state, lam, task) == signs * gradient(state, lam, task)).all()
    turned = np.outer(signs, signs) * hessian(state, lam, task)
    assert (hessian(signs * state, lam, task) == turned).all()


@given(overlaps(), inverse_temperatures(), tasks())
def test_turning_k_round_is_turning_v_round(state, lam, task):
    k_turned, v_turned = (excess_risk(x * np.array(state), lam, task) for x in (K_ALONE, V_ALONE))
    assert k_turned == pytest.approx(v_turned, rel=A_ROUNDING)


@given(inverse_temperatures(0.05, 1.0), tasks(d=(50, 10**5)))
def test_turning_k_round_alone_is_no_symmetry(lam, task):
    good, bad = excess_risk([[1, 1, 0, 0, 0], [-1, 1, 0, 0, 0]], lam, task)
    # Prediction and output then have opposite signs: -2 E[Y T] is added instead of taken off.
    assert bad > good + task.gamma**2 * min(1.0, lam * np.sqrt(task.d)) / 10


@given(overlaps(), inverse_temperatures(), tasks())
def test_no_predictor_beats_the_noise(state, lam, task):
    assert excess_risk(state, lam, task) >= 0
    assert risk(state, lam, task) >= task.epsilon**2


@given(overlaps(), inverse_temperatures(), tasks(L=(1, 1)), st.integers(2, 30))
def test_a_lone_token_has_no_scale_of_its_own(state, lam, task, c):
    """Tokens, output and noise c times as large, and lambda as much smaller."""
    larger = Task(c**2 * task.d, 1, c * task.gamma, c * task.epsilon)
    before, after = risk(state, lam, task), risk(state, lam / c, larger)
    # The exponent of the smallest contributions loses as many digits as it is large.
    assert after / c**2 == pytest.approx(before, rel=1e-11, abs=1e-250)


def test_other_tokens_set_a_scale():
    """With other tokens, whose variance is 1 whatever that of the first, that is no symmetry."""
    oracle, lam, c = [1, 1, 0, 0, 0], 0.3, 3
    before, after = (
        excess_risk(oracle, lam / x, Task(x**2 * 200, 10, 0.7 * x)) / x**2 for x in (1, c)
    )
    assert after < 0.5 * before


@given(overlaps(), inverse_temperatures(), tasks(L=(1, 10**3)), st.integers(1, 100))
def test_the_risk_is_quadratic_in_the_number_of_tokens(state, lam, task, step):
    """Pairs of other tokens are alike, and there are (L - 1)(L - 2) / 2 of them."""
    risks = [excess_risk(state, lam, Task(task.d, task.L + i * step, task.gamma)) for i in range(4)]
    third = risks[3] - 3 * risks[2] + 3 * risks[1] - risks[0]
    assert abs(third) <= 200 * EPS * max(risks)


@given(st.integers(1, 30), st.sampled_from([0.0, 1.0, None]), st.integers(0, 2**32))
def test_tokens_may_change_places(count, extra, seed):
    """No weight looks at where a token stands."""
    rng = np.random.default_rng(seed)
    scores, order = 10 * rng.standard_normal((3, count)), rng.permutation(count)
    weigh = HardOracle().weights if extra is None else lambda u: softmax_weights(u, extra)
    assert weigh(scores[:, order]) == pytest.approx(weigh(scores)[:, order], rel=1e-13)


@given(
    st.data(), tasks(d=(2, 12), L=(1, 50)), inverse_temperatures(0.05, 2.0), step_sizes(1e-4, 0.1)
)
def test_rotations_of_the_space_change_nothing(data, task, lam, alpha):
    """All vectors turned alike: so are those after a step, and no overlap notices."""
    state = data.draw(overlaps(task.d))
    seed = data.draw(st.integers(0, 2**32))
    engine = VectorEngine(np.array([state]), task, alpha)
    rotation, _ = np.linalg.qr(np.random.default_rng(seed).standard_normal((task.d, task.d)))
    turned = VectorEngine(np.array([state]), task, alpha)
    for name in ("k", "v", "k_star", "v_star"):
        setattr(turned, name, getattr(engine, name) @ rotation)
    assert turned.states == pytest.approx(engine.states, abs=1e-14)
    start = engine.states[0]
    slope = np.abs(gradient(start, lam, task)).sum()
    engine.advance(np.array([lam]), 1)
    turned.advance(np.array([lam]), 1)
    # Where overlaps differ in their last places, gradients differ by so many times as much.
    bend = np.abs(hessian(start, lam, task)).sum(axis=-1).max()
    allowed = 100 * EPS * (1 + alpha * slope) * (1 + alpha * (slope + bend))
    assert turned.k == pytest.approx(engine.k @ rotation, abs=allowed)
    assert turned.v == pytest.approx(engine.v @ rotation, abs=allowed)
    assert turned.states == pytest.approx(engine.states, abs=allowed)
