"""Estimators: their laws, their costs, their streams of random numbers, and what they refuse."""

import tracemalloc
from functools import partial

import numpy as np
import pytest
from numpy.random import SeedSequence, default_rng
from scipy.stats import ks_2samp

from slrsym.papers.single_location import Task, risk
from slrsym.papers.single_location.linear import best_linear
from slrsym.papers.single_location.montecarlo import (
    BLOCK,
    Directions,
    Erf,
    HardOracle,
    Linear,
    Softmax,
    gradient_estimate,
    output_summary,
    risk_estimate,
    sampling,
)
from slrsym.papers.single_location.montecarlo.predictors import (
    output_moment_integrands,
    squared_errors,
)
from slrsym.papers.single_location.montecarlo.sampling import (
    LocationLaw,
    RunningMoments,
    ScoreAndValueSource,
    sample_quantity,
)
from slrsym.papers.single_location.task import OrderParameters
from tests._profile import thorough_only
from tests.montecarlo._settings import random_state, settings

TASK = Task(d=7, L=4, gamma=0.8, epsilon=0.3)
STATE = OrderParameters(*random_state(default_rng(1), 4))
BESIDE = OrderParameters(0.0, 0.5, 0.0, 0.3, -0.2)
PREDICTORS = [HardOracle(), Softmax(0.7), Erf(0.4)]


def ids(predictor):
    return predictor.name


# -- the law -----------------------------------------------------------------------------------


def rows(predictor, method, quantity, seed, n=BLOCK, p=None):
    """What is averaged, sample by sample."""
    found = []
    if method == "plain":
        at = Directions.draw_with_overlaps(STATE, TASK, SeedSequence(1))
        k, v = (at.k_star, at.v_star) if predictor.oracle else (at.k, at.v)
        source = sampling.TokenSource(TASK, LocationLaw(TASK, p), k, v, at.k_star, at.v_star)
    else:
        state = OrderParameters(1, 1, 0, 0, 0) if predictor.oracle else STATE
        source = ScoreAndValueSource(TASK, LocationLaw(TASK, None, fixed=True), state)
    sample_quantity(partial(quantity, predictor), source, SeedSequence(seed), n, keep=found.append)
    return np.concatenate(found)


@pytest.mark.parametrize("predictor", PREDICTORS, ids=ids)
def test_plain_and_projected_samples_have_one_law(predictor):
    # Whatever the law of the location: predictors that treat all tokens alike do not see it.
    p = np.array([0.7, 0.1, 0.2, 0.0])
    for quantity in (squared_errors, output_moment_integrands):
        plain = rows(predictor, "plain", quantity, 1, p=p)
        projected = rows(predictor, "projected", quantity, 2)
        for a, b in zip(plain.T, projected.T, strict=True):
            assert ks_2samp(a, b).pvalue > 0.01


def test_another_law_is_seen():
    other = ScoreAndValueSource(Task(7, 6, 0.8, 0.3), LocationLaw(TASK, None, fixed=True), STATE)
    found = []
    sample_quantity(
        partial(output_moment_integrands, Erf(0.4)),
        other,
        SeedSequence(2),
        BLOCK,
        keep=found.append,
    )
    erf_rows = rows(Erf(0.4), "plain", output_moment_integrands, 1)
    assert ks_2samp(erf_rows[:, 1], np.concatenate(found)[:, 1]).pvalue < 1e-4


@pytest.mark.parametrize("predictor", PREDICTORS, ids=ids)
def test_all_methods_agree(predictor):
    found = [
        risk_estimate(predictor, TASK, STATE, method=method, antithetic=pairs, rng=i, **more)
        for i, (method, pairs, more) in enumerate(
            [
                ("plain", False, {"max_samples": 20_000, "probabilities": [0.6, 0.4, 0, 0]}),
                ("projected", False, {"max_samples": 20_000}),
                ("projected", True, {"max_samples": 20_000}),
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


def test_gradients_of_softmax_are_slopes():
    # By finite differences of the conditioned risk with common random numbers.
    predictor, h = Softmax(0.7), 1e-4
    found = gradient_estimate(predictor, TASK, STATE, method="conditioned", rng=1)
    for i in range(5):
        ends = []
        for sign in (1, -1):
            moved = np.array(STATE)
            moved[i] += sign * h
            ends.append(risk_estimate(predictor, TASK, moved, method="conditioned", rng=1).value)
        slope = (ends[0] - ends[1]) / (2 * h)
        assert abs(found.value[i] - slope) < 5 * np.hypot(found.stderr[i], 1e-6) + 0.002
        assert found.stderr[i] < 0.02
    at = Directions.draw_with_overlaps(STATE, TASK, SeedSequence(3))
    plain, projected = (
        gradient_estimate(predictor, TASK, at, method=method, rng=i, max_samples=20_000)
        for i, method in enumerate(("plain", "projected"))
    )
    z = (plain.value - projected.value) / np.hypot(plain.stderr, projected.stderr)
    assert plain.value.shape == (2, 7)
    assert np.abs(z).max() < 4.5
    # What lies outside of the span of the four vectors is noise, which one of them does not have.
    assert (projected.stderr <= 1.1 * plain.stderr).all()


def test_unequal_locations_matter_to_linear_predictors_alone():
    p = np.array([0.7, 0.1, 0.2, 0.0])
    for method in ("plain", "projected"):
        options = {"method": method, "max_samples": 40_000}
        found = risk_estimate(Linear(), TASK, probabilities=p, **options)
        assert abs(found.zscore(best_linear(TASK, p).risk)) < 4.5
        assert found.zscore(best_linear(TASK).risk) < -10
        other = risk_estimate(
            Linear(best_linear(TASK).coefficients), TASK, probabilities=p, **options
        )
        assert other.zscore(best_linear(TASK, p).risk) > 5
        erf = risk_estimate(Erf(0.4), TASK, STATE, probabilities=p, **options)
        assert abs(erf.zscore(risk(STATE, 0.4, TASK))) < 4.5


def test_locations_follow_their_law():
    p = np.array([0.5, 0.0, 0.3, 0.2])
    n = 40_000
    for law, expected in ((p, p), (None, np.full(4, 0.25))):
        found = np.bincount(LocationLaw(TASK, law).draw(default_rng(1), n), minlength=4)
        assert np.abs(found - n * expected).max() < 4.5 * np.sqrt(n) / 2
        assert found[expected == 0].sum() == 0


# -- cost and variance -------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["projected", "conditioned"])
def test_the_cost_does_not_depend_on_d(method, monkeypatch):
    drawn = []
    original = sampling.default_rng

    class Counting:
        def __init__(self, seed):
            self.rng = original(seed)

        def standard_normal(self, shape):
            drawn.append(int(np.prod(shape)))
            return self.rng.standard_normal(shape)

    monkeypatch.setattr(sampling, "default_rng", Counting)
    costs, values = [], []
    for d in (10, 10**6):
        drawn.clear()
        found = risk_estimate(
            Erf(0.4), Task(d, 5, 0.8, 0.1), BESIDE, method=method, max_samples=100
        )
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
            risk_estimate(Erf(s.lam), s.task, s.state, max_samples=20_000, rng=i, **options)
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


@pytest.mark.parametrize("conditioned", [False, True])
@pytest.mark.parametrize("mirrors_all", [False, True])
def test_pairs_mirror_each_other(mirrors_all, conditioned):
    law = LocationLaw(TASK, np.array([0.5, 0.2, 0.2, 0.1]))
    source = ScoreAndValueSource(TASK, law, STATE, conditioned, True, mirrors_all)
    ((first, second),) = source.batches(SeedSequence(1), 500)
    assert (first.place == second.place).all()
    signal = np.sqrt(TASK.d / 2)
    for x, mean in (("u", STATE.kappa), ("v", STATE.theta)):
        own = first.informative_entry(getattr(first, x)) + second.informative_entry(
            getattr(second, x)
        )
        assert own == pytest.approx(2 * signal * mean, abs=1e-12)
        others = (getattr(first, x) + getattr(second, x))[np.arange(4) != first.place[:, None]]
        if mirrors_all:
            assert others == pytest.approx(0, abs=1e-12)
        else:
            # Sums of two independent normal variables.
            assert others.std() == pytest.approx(
                np.sqrt(2) * (abs(STATE.rho) if conditioned and x == "v" else 1), rel=0.1
            )
    assert first.y + second.y == pytest.approx(0, abs=1e-12)


def test_pairs_are_counted_as_two_samples():
    found = risk_estimate(Erf(0.4), TASK, STATE, antithetic=True, max_samples=1001)
    assert (found.samples, found.observations) == (1000, 500)
    told = []
    risk_estimate(
        Erf(0.4), TASK, STATE, antithetic=True, max_samples=1001,
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
    options = {"method": method, "max_samples": BLOCK + 500, "antithetic": method == "conditioned"}
    whole = risk_estimate(predictor, TASK, STATE, **options)
    monkeypatch.setattr(sampling, "_MOST_NUMBERS", 5000)
    parts = risk_estimate(predictor, TASK, STATE, **options)
    assert parts.value == pytest.approx(whole.value, rel=1e-12)
    assert parts.stderr == pytest.approx(whole.stderr, rel=1e-9)


@pytest.mark.parametrize(("d", "L", "samples"), [(50_000, 3, 20), (100_000, 40, 2)])
def test_memory_is_bounded(d, L, samples):
    """Of 24 and 64 megabytes of tokens, and a few directions, no more than a part is there."""
    task = Task(d, L, gamma=1.0)
    at = Directions.draw_with_overlaps(STATE, task, SeedSequence(1))
    tracemalloc.start()
    try:
        risk_estimate(Erf(0.4), task, at, method="plain", max_samples=samples)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 20e6


def test_more_samples_begin_with_those_of_fewer():
    kept = {}
    for n in (BLOCK + 7, 2 * BLOCK):
        found = []
        source = ScoreAndValueSource(TASK, LocationLaw(TASK, None, fixed=True), STATE)
        errors = partial(squared_errors, Erf(0.4))
        sample_quantity(errors, source, SeedSequence(1), n, keep=found.append)
        kept[n] = np.concatenate(found)
    # A block that is cut short has its numbers in other places: up to there, they are the same.
    few, many = kept[BLOCK + 7], kept[2 * BLOCK]
    assert (few[:BLOCK] == many[:BLOCK]).all()
    assert (few[BLOCK:] == many[BLOCK : BLOCK + 7]).all()


def test_seeds():
    def value(rng, state=STATE):
        return risk_estimate(Erf(0.4), TASK, state, max_samples=500, rng=rng).value

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
    found = risk_estimate(Erf(0.4), TASK, states, max_samples=500, method="conditioned")
    assert (
        found.value.shape == found.stderr.shape == found.gain.shape == found.samples.shape == (2, 2)
    )
    low, high = found.interval()
    assert (low < found.value).all()
    assert (found.value < high).all()
    slopes = gradient_estimate(Erf(0.4), TASK, states, max_samples=500)
    assert slopes.value.shape == (2, 2, 5)
    assert slopes.interval()[0].shape == (2, 2, 5)


# -- results -----------------------------------------------------------------------------------


def test_a_target_is_reached_or_said_not_to_be():
    told = []
    found = risk_estimate(
        Erf(0.4), TASK, STATE, target_stderr=0.02, max_samples=10**6,
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
    missed = risk_estimate(Erf(0.4), TASK, STATE, target_stderr=1e-9, max_samples=5000)
    assert (missed.is_reached, missed.samples) == (False, 5000)
    # Two blocks at least, however easy the target.
    easy = risk_estimate(Erf(0.4), TASK, STATE, target_stderr=100, max_samples=10**6)
    assert easy.samples == 2 * BLOCK
    exactly = risk_estimate(Erf(0.4), TASK, STATE, max_samples=4321)
    assert (exactly.is_reached, exactly.samples, exactly.target_stderr) == (True, 4321, None)


def test_no_spread_is_no_reason_to_stop():
    # The hard oracle misses the informative token here, but very seldom.
    task = Task(d=160, L=2, gamma=0.5)
    found = risk_estimate(
        HardOracle(), task, method="conditioned", target_stderr=1, max_samples=20_000
    )
    assert (found.stderr, found.samples) == (0, 20_000)


def test_intervals_hold_the_value_as_often_as_they_say():
    states = np.repeat(np.array(STATE)[None], 400, axis=0)
    found = risk_estimate(Erf(0.4), TASK, states, method="conditioned", max_samples=500)
    for level in (0.5, 0.9):
        low, high = found.interval(level)
        inside = int(((low < risk(STATE, 0.4, TASK)) & (risk(STATE, 0.4, TASK) < high)).sum())
        assert abs(inside - 400 * level) < 4 * np.sqrt(400 * level * (1 - level))
    few = risk_estimate(Erf(0.4), TASK, STATE, max_samples=2)
    low, high = few.interval()
    assert high - low == pytest.approx(2 * 12.706204736 * few.stderr)
    for level in (0, 1, "much", np.nan):
        with pytest.raises(ValueError, match=r"level must lie in \(0, 1\); got"):
            few.interval(level)


def test_scores_without_spread():
    found = risk_estimate(Softmax(1), Task(5, 1, 1.0, 0.5), method="conditioned", max_samples=10)
    assert found.value == 0.25
    assert found.stderr == 0
    assert (found.zscore(0.25), found.zscore(0)) == (0, np.inf)


def test_rounding_is_no_deviation():
    """Where scores hardly matter, the spread of what is averaged is less than an ulp of it."""
    task = Task(2, 1, 0.7, 0.3)
    found = risk_estimate(
        Erf(1e-8), task, method="conditioned", antithetic=True, max_samples=20_000
    )
    assert 0 < found.stderr < 1e-17
    assert found.zscore(risk([1, 1, 0, 0, 0], 1e-8, task)) == 0
    assert found.zscore(found.value + 1e-12) < -1000


def test_quantiles_of_the_output():
    found = output_summary(HardOracle(), Task(10**6, 3, 1.0))
    for quantile, normal in zip(
        found.quantiles, (-1.959964, -0.67449, 0, 0.67449, 1.959964), strict=True
    ):
        assert quantile.low < quantile.value < quantile.high
        assert quantile.low < normal < quantile.high
        # The standard error of a quantile is sqrt(q (1 - q) / n) over the density there.
        q = quantile.level
        error = np.sqrt(q * (1 - q) / 100_000 * 2 * np.pi) * np.exp(normal**2 / 2)
        assert quantile.high - quantile.low == pytest.approx(2 * 2.24 * error, rel=0.2)
    assert found.std == pytest.approx(1, abs=0.02)
    assert not output_summary(Erf(1), TASK, method="conditioned", max_samples=10).quantiles
    assert not output_summary(Erf(1), TASK, antithetic=True, max_samples=10).quantiles


def test_moments_lose_no_digits():
    values = default_rng(1).standard_normal((1000, 3)) * [1, 1e-3, 10]
    far = values + 1e9
    moments = RunningMoments()
    for part in np.split(far, [0, 1, 4, 700]):
        moments.add(part)
    exact = np.cov((far - 1e9).T)
    # Sums of squares of the values themselves would be off by hundreds.
    assert moments.covariance == pytest.approx(exact, abs=1e-7)
    assert moments.mean - 1e9 == pytest.approx((far - 1e9).mean(axis=0), abs=1e-6)
    wide = RunningMoments()
    rows = default_rng(2).standard_normal((50, 20))
    wide.add(rows[:20])
    wide.add(rows[20:])
    assert wide.variance == pytest.approx(rows.var(axis=0, ddof=1))
    with pytest.raises(ValueError, match="covariances are kept for at most 16 components"):
        _ = wide.covariance


# -- refusals ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"at": [1, 1, 1, 0, 0]}, "at must be feasible"),
        ({"at": [1, 1, 0, 0]}, r"overlaps of shape \(..., 5\)"),
        ({"at": [1, np.nan, 0, 0, 0]}, "at must be finite"),
        ({"at": "here"}, "at must be overlaps"),
        ({"task": Task(2, 2, 1.0), "at": [0, 0, 0, 0, 0]}, "rank above d = 2"),
        ({"method": "best"}, "method must be one of plain, projected, conditioned; got 'best'"),
        ({"method": "plain", "antithetic": True}, "antithetic must be False"),
        ({"antithetic": 2}, "antithetic must be True or False; got 2"),
        ({"max_samples": 1}, "max_samples must be an integer of at least 2; got 1"),
        ({"max_samples": 2.5}, "max_samples must be an integer of at least 2; got 2.5"),
        ({"max_samples": 3, "antithetic": True}, "max_samples must be an integer of at least 4"),
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
    arguments = {"predictor": Erf(0.4), "task": TASK, "at": STATE, "max_samples": 10} | change
    predictor, task, at = (arguments.pop(name) for name in ("predictor", "task", "at"))
    for estimate in (risk_estimate, output_summary):
        with pytest.raises(ValueError, match=said):
            estimate(predictor, task, at, **arguments)
    if isinstance(predictor, Erf):
        with pytest.raises(ValueError, match=said):
            gradient_estimate(predictor, task, at, **arguments)


def test_bad_predictors_and_gradients():
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
    for predictor in (HardOracle(), Linear()):
        with pytest.raises(ValueError, match="predictor must have directions k, v of its own"):
            gradient_estimate(predictor, TASK)
    with pytest.raises(ValueError, match="kind must be 'euclidean' or 'riemannian'; got 'flat'"):
        gradient_estimate(Erf(1), TASK, kind="flat")
    at = Directions.draw_with_overlaps(STATE, TASK, SeedSequence(1))
    with pytest.raises(ValueError, match="variance is reduced at overlaps"):
        gradient_estimate(Erf(1), TASK, at, method="conditioned")
    with pytest.raises(ValueError, match=r"at must be one state, of shape \(5,\)"):
        output_summary(Erf(1), TASK, [STATE, STATE])


def test_vectors_must_be_as_in_the_task():
    e = np.eye(3)
    for vectors, said in (
        ((e[0], e[1], e[0], e[0]), "k_star and v_star must be orthogonal"),
        ((2 * e[0], e[1], e[0], e[1]), "k must be a unit vector; its norm is 2"),
        ((e[0], e[1][:2], e[0], e[1]), r"v must have shape \(3,\); got \(2,\)"),
        ((e, e[1], e[0], e[1]), r"k must be finite and of shape \(d,\)"),
        ((e[0] * np.nan, e[1], e[0], e[1]), r"k must be finite and of shape \(d,\)"),
    ):
        with pytest.raises(ValueError, match=said):
            Directions(*vectors)
    at = Directions(e[0], e[1], e[0], e[1])
    for estimate in (risk_estimate, gradient_estimate, output_summary):
        with pytest.raises(ValueError, match=r"at must have vectors of shape \(7,\); got \(3,\)"):
            estimate(Erf(1), TASK, at)
    assert at.overlaps == (1, 1, 0, 0, 0)
