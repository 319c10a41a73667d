"""Estimators: their laws, their costs, their streams of random numbers, and what they refuse."""

import numpy as np
import pytest
from numpy.random import SeedSequence, default_rng

from slrsym.models.sampling import token_batches
from slrsym.models.sampling.running_means import BLOCK
from slrsym.papers.single_location import Task, risk
from slrsym.papers.single_location.linear import best_linear
from slrsym.papers.single_location.sampled_risk import (
    Erf,
    HardOracle,
    Linear,
    Softmax,
    risk_estimate,
)
from slrsym.papers.single_location.task import OrderParameters
from tests._profile import thorough_only
from tests.papers.single_location.sampled_risk._settings import random_state, settings

TASK = Task(d=7, L=4, gamma=0.8, epsilon=0.3)
STATE = OrderParameters(*random_state(default_rng(1), 4))
BESIDE = OrderParameters(0.0, 0.5, 0.0, 0.3, -0.2)
PREDICTORS = [HardOracle(), Softmax(0.7), Erf(0.4)]


def ids(predictor):
    return predictor.name


# -- the law -----------------------------------------------------------------------------------


@pytest.mark.parametrize("predictor", PREDICTORS, ids=ids)
def test_all_methods_agree(predictor):
    found = [
        risk_estimate(predictor, TASK, STATE, method=method, antithetic=pairs, rng=i, **more)
        for i, (method, pairs, more) in enumerate(
            [
                ("plain", False, {"samples": 20_000, "probabilities": [0.6, 0.4, 0, 0]}),
                ("projected", False, {"samples": 20_000}),
                ("projected", True, {"samples": 20_000}),
                ("conditioned", False, {}),
                ("conditioned", True, {}),
            ]
        )
    ]
    best = found[-1]
    for other in found[:-1]:
        error = np.hypot(other.stderr, best.stderr)
        assert abs(other.value - best.value) < 4.5 * error
        # The interval is tight enough for this to mean something.
        assert error < 0.05 * best.value


def test_the_hard_oracle_is_softmax_at_zero_temperature():
    hard = risk_estimate(HardOracle(), TASK, method="conditioned", rng=1)
    soft = risk_estimate(Softmax(1e6), TASK, method="conditioned", rng=1)
    assert hard.value == pytest.approx(soft.value, rel=1e-3)
    assert TASK.epsilon**2 < hard.value < best_linear(TASK).risk
    # It does not look at directions.
    assert risk_estimate(HardOracle(), TASK, STATE, method="conditioned", rng=1).value == hard.value


def test_unequal_locations_matter_to_linear_predictors_alone():
    p = np.array([0.7, 0.1, 0.2, 0.0])
    for method in ("plain", "projected"):
        options = {"method": method, "samples": 40_000}
        found = risk_estimate(Linear(), TASK, probabilities=p, **options)
        assert abs(found.zscore(best_linear(TASK, p).risk)) < 4.5
        assert found.zscore(best_linear(TASK).risk) < -10
        other = risk_estimate(
            Linear(best_linear(TASK).coefficients), TASK, probabilities=p, **options
        )
        assert other.zscore(best_linear(TASK, p).risk) > 5
        erf = risk_estimate(Erf(0.4), TASK, STATE, probabilities=p, **options)
        assert abs(erf.zscore(risk(STATE, 0.4, TASK))) < 4.5


# -- cost and variance -------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["projected", "conditioned"])
def test_the_cost_does_not_depend_on_d(method, monkeypatch):
    drawn = []
    original = token_batches.default_rng

    class Counting:
        def __init__(self, seed):
            self.rng = original(seed)
            self.random = self.rng.random

        def standard_normal(self, shape):
            drawn.append(int(np.prod(shape)))
            return self.rng.standard_normal(shape)

    monkeypatch.setattr(token_batches, "default_rng", Counting)
    costs, values = [], []
    for d in (10, 10**6):
        drawn.clear()
        found = risk_estimate(Erf(0.4), Task(d, 5, 0.8, 0.1), BESIDE, method=method, samples=100)
        costs.append(sum(drawn))
        values.append(found.value)
    per_sample = 5 if method == "conditioned" else 2 * 5 + 2
    assert costs[0] == costs[1] >= 100 * per_sample
    # Without overlaps with k*, even the risk does not depend on d.
    assert values[0] == values[1]


@thorough_only
def test_conditioning_never_loses_and_says_what_it_gains():
    for s in settings(6, 3):
        plain, conditioned, pairs = (
            risk_estimate(Erf(s.lam), s.task, s.state, samples=20_000, rng=i, **options)
            for i, options in enumerate(
                ({}, {"method": "conditioned"}, {"method": "projected", "antithetic": True})
            )
        )
        assert plain.gain is None
        assert conditioned.gain > 1
        for reduced in (conditioned, pairs):
            # As many samples of the task for each.
            ratio = (plain.stderr / reduced.stderr) ** 2
            assert reduced.gain == pytest.approx(ratio, rel=0.35)


def test_pairs_are_counted_as_two_samples():
    found = risk_estimate(Erf(0.4), TASK, STATE, antithetic=True, samples=1001)
    assert (found.samples, found.observations) == (1000, 500)
    told = []
    risk_estimate(
        Erf(0.4), TASK, STATE, antithetic=True, samples=1001,
        progress=lambda n, error: told.append(n),
    )  # fmt: skip
    assert told == [1000]


# -- random numbers ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("predictor", "method"),
    [(p, m) for p in PREDICTORS for m in ("plain", "projected", "conditioned")]
    + [(Linear(), "plain"), (Linear(), "projected")],
)
def test_the_size_of_the_parts_does_not_matter(predictor, method, monkeypatch):
    options = {"method": method, "samples": BLOCK + 500, "antithetic": method == "conditioned"}
    whole = risk_estimate(predictor, TASK, STATE, **options)
    monkeypatch.setattr(token_batches, "_MOST_NUMBERS", 5000)
    parts = risk_estimate(predictor, TASK, STATE, **options)
    assert parts.value == pytest.approx(whole.value, rel=1e-12)
    assert parts.stderr == pytest.approx(whole.stderr, rel=1e-9)


def test_seeds():
    def value(rng, state=STATE):
        return risk_estimate(Erf(0.4), TASK, state, samples=500, rng=rng).value

    assert value(1) == value(1) == value(SeedSequence(1)) == value([1])
    assert value(1) != value(2)
    seed = SeedSequence(1)
    assert value(seed) == value(seed)
    assert value(SeedSequence(1).spawn(1)[0]) != value(1)
    generator = default_rng(3)
    first = value(generator)
    assert value(generator) != first == value(default_rng(3))
    assert value(None) != value(None)
    # Each state has its own stream; the first has that of a state by itself.
    both = value(1, [STATE, STATE])
    assert both.shape == (2,)
    assert both[0] == value(1) != both[1]


def test_states_are_a_leading_axis():
    states = np.array([STATE, BESIDE, STATE, BESIDE]).reshape(2, 2, 5)
    found = risk_estimate(Erf(0.4), TASK, states, samples=500, method="conditioned")
    assert (
        found.value.shape == found.stderr.shape == found.gain.shape == found.samples.shape == (2, 2)
    )
    low, high = found.interval()
    assert (low < found.value).all()
    assert (found.value < high).all()


# -- results -----------------------------------------------------------------------------------


def test_a_target_is_reached_or_said_not_to_be():
    told = []
    found = risk_estimate(
        Erf(0.4), TASK, STATE, target_stderr=0.02, samples=10**6,
        progress=lambda n, error: told.append((n, error)),
    )  # fmt: skip
    assert found.is_reached
    assert found.stderr <= 0.02
    assert 2 * BLOCK <= found.samples < 10**6
    assert found.samples % BLOCK == 0
    assert [n for n, _ in told] == [BLOCK * (i + 1) for i in range(len(told))]
    assert told[-1][1] == found.stderr < told[0][1]
    # A block less would not have done.
    assert told[-2][1] > 0.02 or len(told) == 2
    missed = risk_estimate(Erf(0.4), TASK, STATE, target_stderr=1e-9, samples=5000)
    assert (missed.is_reached, missed.samples) == (False, 5000)
    # Two blocks at least, however easy the target.
    easy = risk_estimate(Erf(0.4), TASK, STATE, target_stderr=100, samples=10**6)
    assert easy.samples == 2 * BLOCK
    exactly = risk_estimate(Erf(0.4), TASK, STATE, samples=4321)
    assert (exactly.is_reached, exactly.samples, exactly.target_stderr) == (True, 4321, None)


def test_no_spread_is_no_reason_to_stop():
    # The hard oracle misses the informative token here, but very seldom.
    task = Task(d=160, L=2, gamma=0.5)
    found = risk_estimate(HardOracle(), task, method="conditioned", target_stderr=1, samples=20_000)
    assert (found.stderr, found.samples) == (0, 20_000)


def test_scores_without_spread():
    found = risk_estimate(Softmax(1), Task(5, 1, 1.0, 0.5), method="conditioned", samples=10)
    assert found.value == 0.25
    assert found.stderr == 0
    assert (found.zscore(0.25), found.zscore(0)) == (0, np.inf)


def test_rounding_is_no_deviation():
    """Where scores hardly matter, the spread of what is averaged is less than an ulp of it."""
    task = Task(2, 1, 0.7, 0.3)
    found = risk_estimate(Erf(1e-8), task, method="conditioned", antithetic=True, samples=20_000)
    assert 0 < found.stderr < 1e-17
    assert found.zscore(risk([1, 1, 0, 0, 0], 1e-8, task)) == 0
    assert found.zscore(found.value + 1e-12) < -1000


# -- refusals ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"start": [1, 1, 1, 0, 0]}, "start must be feasible"),
        ({"start": [1, 1, 0, 0]}, r"overlaps of shape \(..., 5\)"),
        ({"start": [1, np.nan, 0, 0, 0]}, "start must be finite"),
        ({"start": "here"}, "start must be overlaps"),
        ({"task": Task(2, 2, 1.0), "start": [0, 0, 0, 0, 0]}, "rank above d = 2"),
        ({"method": "best"}, "method must be one of plain, projected, conditioned; got 'best'"),
        ({"method": "plain", "antithetic": True}, "antithetic must be False"),
        ({"antithetic": 2}, "antithetic must be True or False; got 2"),
        ({"samples": 1}, "samples must be an integer of at least 2; got 1"),
        ({"samples": 2.5}, "samples must be an integer of at least 2; got 2.5"),
        ({"samples": 3, "antithetic": True}, "samples must be an integer of at least 4"),
        ({"target_stderr": 0}, "target_stderr must be positive and finite; got 0"),
        ({"rng": -1}, "rng must be an integer that is not negative"),
        ({"rng": 1.5}, "rng must be an integer"),
        ({"rng": "x"}, "rng must be an integer"),
        ({"probabilities": [1.0]}, r"probabilities must be 4 numbers in \[0, 1\] of sum 1"),
        ({"predictor": Linear(), "method": "conditioned"}, "which has no scores"),
        ({"predictor": Linear([[1, 2]])}, r"coefficients must have shape \(4, 2\); got \(1, 2\)"),
    ],
)
def test_bad_arguments(change, said):
    arguments = {"predictor": Erf(0.4), "task": TASK, "start": STATE, "samples": 10} | change
    predictor, task, start = (arguments.pop(name) for name in ("predictor", "task", "start"))
    with pytest.raises(ValueError, match=said):
        risk_estimate(predictor, task, start, **arguments)


def test_bad_predictors():
    for lam in (0, -1, np.inf, "hot"):
        for kind in (Erf, Softmax):
            with pytest.raises(ValueError, match="lam must be positive and finite"):
                kind(lam)
    for beta in ([1, 2], [[1, 2, 3]], [[np.nan, 1]]):
        with pytest.raises(ValueError, match=r"coefficients must be finite and of shape \(L, 2\)"):
            Linear(beta)
    with pytest.raises(TypeError, match="predictor must be a HardOracle, Softmax, Erf or Linear"):
        risk_estimate("erf", TASK)
    with pytest.raises(TypeError, match=r"task must be a Task; got 4"):
        risk_estimate(Erf(1), 4)
