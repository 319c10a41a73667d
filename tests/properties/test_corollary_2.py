"""Corollary 2: the oracle's excess risk vanishes along its scalings, and not without them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import erf, erfc

from slrsym.papers.single_location import Task, excess_risk
from slrsym.papers.single_location.testing.strategies import (
    inverse_temperatures,
    log_uniform,
    tasks,
)

ORACLE = [1, 1, 0, 0, 0]

# Up to so many that what vanishes slowly has vanished: d = exp(8), ..., exp(300).
DIMENSIONS = [round(math.exp(x)) for x in (8, 20, 50, 100, 200, 300)]


def risk_of_the_oracle(task, lam):
    return float(excess_risk(ORACLE, lam, task))


def explicit_bound(task, lam):
    """2 gamma^2 erfc(a) + (4 / pi) (L - 1) lambda^2 at kappa = 1."""
    a = lam * math.sqrt(task.d / 2) / math.sqrt(1 + 2 * (lam * task.gamma) ** 2)
    return float(2 * task.gamma**2 * erfc(a) + 4 / math.pi * (task.L - 1) * lam**2)


@given(tasks(), inverse_temperatures())
def test_the_explicit_bound_holds_everywhere(task, lam):
    assert 0 <= risk_of_the_oracle(task, lam) <= explicit_bound(task, lam) * (1 + 1e-12)


@given(st.floats(0.0, 0.7), st.floats(0.2, 0.8), log_uniform(0.2, 5.0), log_uniform(0.1, 3.0))
def test_the_risk_vanishes_along_scalings(tokens, between, factor, gamma):
    """L = d^tokens; as `between` goes from 0 to 1, lambda goes from d^(-1/2) to L^(-1/2)."""
    risks, bounds = [], []
    for d in DIMENSIONS:
        task = Task(d, round(d**tokens), gamma)
        lam = factor * d ** (-(1 - between) / 2) * task.L ** (-between / 2)
        risks.append(risk_of_the_oracle(task, lam))
        bounds.append(explicit_bound(task, lam) * (1 + 1e-12))
    assert (np.array(risks) <= bounds).all()
    # (4 / pi) (L / d)^(1 - between) factor^2 is left, of which L / d is exp(-90) at most.
    assert bounds[-1] < 1e-6


@given(st.floats(0.0, 0.9), log_uniform(1.0, 5.0), log_uniform(0.1, 3.0))
def test_the_best_temperature_has_the_rate_that_is_claimed(tokens, f, gamma):
    """O((L / d) log(d / L)), at lambda^2 = 2 f log(d / L) / d for any f of at least 1."""
    for d in DIMENSIONS[2:]:
        task = Task(d, round(d**tokens), gamma)
        room = math.log(d / task.L)
        risk = risk_of_the_oracle(task, math.sqrt(2 * f * room / d))
        # erfc(a) <= exp(-a^2), where a^2 is f log(d / L) up to a factor that tends to 1.
        assert risk <= (8 / math.pi * f * room + 2.1 * gamma**2) * task.L / d


def share_of_other_tokens(task, lam):
    """A lower bound of (L - 1) zeta(0, lambda), by arcsin(x) >= x."""
    return 4 / math.pi * (task.L - 1) * lam**2 / (1 + 2 * lam**2)


def share_of_small_scores(task, lam):
    """A lower bound of the rest, by E erf(U)^2 >= (E erf(U))^2, where scores do not saturate."""
    return task.gamma**2 * (1 - erf(lam * math.sqrt(task.d / 2))) ** 2


@given(st.floats(0.1, 0.9), st.floats(0.0, 0.3), log_uniform(0.05, 3.0), log_uniform(0.1, 3.0))
def test_the_risk_stays_where_lambda_sqrt_l_does_not_vanish(tokens, growth, c, gamma):
    """Here lambda sqrt(L) = c L^growth; if it is constant, (4 / pi) c^2 is the limit."""
    for d in DIMENSIONS:
        task = Task(d, max(2, round(d**tokens)), gamma)
        lam = c * task.L ** (growth - 0.5)
        risk = risk_of_the_oracle(task, lam)
        assert risk >= share_of_other_tokens(task, lam) * (1 - 1e-12)
        # What is left, whatever d.
        assert risk >= 4 / math.pi * c**2 / 2 / (1 + 2 * c**2)
    if growth == 0:
        assert risk == pytest.approx(4 / math.pi * c**2, rel=1e-6)


@given(st.floats(0.0, 0.9), log_uniform(0.05, 3.0), log_uniform(0.1, 3.0))
def test_the_risk_stays_where_lambda_sqrt_d_is_bounded(tokens, c, gamma):
    """With lambda sqrt(d) = c attention does not saturate: (1 - erf(c / sqrt(2)))^2 is left."""
    limit = gamma**2 * (1 - erf(c / math.sqrt(2))) ** 2
    for d in DIMENSIONS:
        risk = risk_of_the_oracle(Task(d, round(d**tokens), gamma), c / math.sqrt(d))
        # The score is smaller than in the limit, so that the risk is larger.
        assert risk >= limit * (1 - 1e-9)
    others = 4 / math.pi * c**2 * d ** (tokens - 1)
    assert risk == pytest.approx(limit, rel=1e-9, abs=1.01 * others)


@given(log_uniform(0.05, 20.0), log_uniform(0.1, 3.0), log_uniform(1e-3, 1e3))
def test_no_temperature_does_where_tokens_are_as_many_as_dimensions(ratio, gamma, c):
    """L = ratio d: lambda sqrt(L) -> 0 and lambda sqrt(d) -> infinity contradict each other."""
    for d in DIMENSIONS:
        task = Task(d, max(2, round(ratio * d)), gamma)
        lam = c / math.sqrt(d)
        risk = risk_of_the_oracle(task, lam)
        assert risk >= share_of_other_tokens(task, lam) * (1 - 1e-12)
        assert risk >= share_of_small_scores(task, lam) * (1 - 1e-9) - 1e-15
        # One of the two, on either side of c = 1.
        assert (
            risk >= min(4 / math.pi * ratio / 4, gamma**2 * (1 - erf(math.sqrt(0.5))) ** 2) * 0.999
        )
