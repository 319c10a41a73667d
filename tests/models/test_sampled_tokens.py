"""Sampled tokens of models: whole ones, projections, and means given scores have one law."""

import tracemalloc

import numpy as np
import pytest
from numpy.random import SeedSequence, default_rng
from scipy.stats import ks_2samp
from sympy import Abs, Symbol, erf, tanh

from slrsym.models import Direction, Noise, Predictor, Token, TokenSequence, model
from slrsym.models.sampling import token_batches
from slrsym.models.sampling.running_means import BLOCK, RunningMoments, sample_quantity
from slrsym.models.sampling.sampled_risk import Sampling, sample_risk, sampled_point
from slrsym.papers.single_location.models import attention
from tests._profile import thorough, thorough_only
from tests.models.test_methods import made, values_of

TASK = {"d": 7, "L": 4, "gamma": 0.8, "epsilon": 0.3, "lambda": 0.4}
STATE = {"kappa": 0.3, "nu": 0.6, "theta": 0.1, "eta": -0.2, "rho": 0.3}
WAYS = [("projected", False), ("projected", True), ("conditioned", False), ("conditioned", True)]

w, u = Direction("w"), Direction("u", unit=True)
# Models whose predictors are tried nowhere else with all ways of sampling.
MORE = {
    "noise in the target": lambda: model(
        TokenSequence({Token(target=lambda X: tanh(X @ u + X @ Noise("xi") / 2)): 1}, noise=0.2),
        Predictor(lambda X: X @ w),
    ),
    "another loss": lambda: model(
        TokenSequence({Token(target=lambda X: X @ u): 1}),
        Predictor(lambda X: X @ w),
        loss=lambda y, f: (y - f) ** 4,
    ),
    "ridge": lambda: model(
        TokenSequence({Token(target=lambda X: X @ u): 1}),
        Predictor(lambda X: erf(X @ w)),
        ridge=0.7,
    ),
}


def instance(name):
    stated = (made | MORE)[name]()
    return stated, values_of(stated) if name in made else {"d": 6}


NAMES = [
    "softmax", "spike", "random number", *MORE,
    *(thorough(x) for x in ("erf", "correlated tokens", "two eigenvalues", "biased", "relu")),
    *(thorough(x) for x in ("step", "committee", "exponential")),
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_all_ways_of_sampling_have_one_law(name):
    stated, values = instance(name)
    known = stated.check(values, samples=20_000, method="plain", curvature=True, rng=2)
    scores = [*known.z_scores.values()]
    for method, antithetic in WAYS:
        options = {"method": method, "antithetic": antithetic, "samples": 20_000, "rng": 2}
        found = stated.check(values, curvature=True, **options)
        assert found.is_passed, found
        assert found.z_scores.keys() == known.z_scores.keys()
        assert found.method == method
        scores += found.z_scores.values()
        assert found.moments.keys() == known.moments.keys()
        for key, one in found.moments.items():
            other = known.moments[key]
            assert abs(one.value - other.value) < 4.5 * np.hypot(one.stderr, other.stderr)
        if method == "conditioned" and not antithetic:
            assert found.error < 1.15 * known.error
    assert 0.1 < np.mean(np.square(scores)) < 2.5


def test_another_law_is_seen():
    """Errors of a model whose tokens are a little wider."""
    found = []
    for gamma, seed in ((0.8, 1), (0.8, 2), (0.95, 3)):
        rows = errors_of_samples(attention().model, TASK | {"gamma": gamma}, seed)
        found.append(rows)
    assert ks_2samp(found[0], found[1]).pvalue > 0.01
    assert ks_2samp(found[0], found[2]).pvalue < 1e-4


def errors_of_samples(stated, values, seed, method="projected", n=4 * BLOCK, antithetic=False):
    """The errors of samples, one by one; of mirrored pairs both."""
    point = sampled_point(stated, values, STATE, SeedSequence(0))
    way = Sampling(point, method, antithetic)
    cases, where = way.cases()
    source, found = way.source(cases, where), []
    errors = way.errors(cases, source)
    for batches in source.batches(SeedSequence(seed), n):
        found.append(np.stack([errors.evaluate(batch).error for batch in batches], axis=1))
    return np.concatenate(found)[:, slice(None) if antithetic else 0]


def test_errors_of_whole_tokens_and_of_projections_have_one_law():
    for stated in (attention().model, attention(tanh).model):
        plain = errors_of_samples(stated, TASK, 1, "plain")
        assert ks_2samp(plain, errors_of_samples(stated, TASK, 2)).pvalue > 0.01


def test_the_tokens_of_a_pair_mirror_each_other_unless_they_are_even():
    stated = attention().model
    point = sampled_point(stated, TASK, STATE, SeedSequence(0))
    source = Sampling(point, "projected", True).source(*Sampling(point, "projected").cases())
    ((first, second),) = source.batches(SeedSequence(1), 500)
    (one, others), (mirrored, fresh) = first.projections, second.projections
    # Of k, v and v*, about twice the mean.
    mean = np.sqrt(7 / 2) * np.array([STATE["kappa"], STATE["theta"], 0])
    assert one + mirrored == pytest.approx(np.broadcast_to(2 * mean, one.shape), abs=1e-12)
    assert first.noise + second.noise == pytest.approx(0, abs=1e-12)
    # An erf of the score times the value is even in both.
    assert (others + fresh).std() == pytest.approx(np.sqrt(2), rel=0.1)
    soft = attention(Abs).model
    cases, _ = Sampling(sampled_point(soft, TASK, STATE, SeedSequence(0)), "projected").cases()
    assert not any(role.is_even() for role in cases[0].roles)


@pytest.mark.parametrize("name", ["erf", "correlated tokens", "random number", "biased"])
@pytest.mark.parametrize(("method", "antithetic"), [("plain", False), *WAYS[1:]])
def test_the_size_of_the_parts_does_not_matter(name, method, antithetic, monkeypatch):
    stated, values = instance(name)
    options = {"method": method, "antithetic": antithetic, "samples": BLOCK + 500, "rng": 3}
    whole = sample_risk(stated, values, **options)
    monkeypatch.setattr(token_batches, "_MOST_NUMBERS", 5000)
    parts = sample_risk(stated, values, **options)
    assert parts.value == pytest.approx(whole.value, rel=1e-12)
    assert parts.stderr == pytest.approx(whole.stderr, rel=1e-9, abs=1e-15)


@pytest.mark.parametrize(("d", "L", "samples"), [(50_000, 3, 60), (100_000, 40, 2)])
def test_memory_is_bounded(d, L, samples):
    """Of 72 and 64 megabytes of tokens, and a few directions, no more than a part is there."""
    stated, values = attention().model, TASK | {"d": d, "L": L}
    sample_risk(stated, values, samples=2, rng=0)
    tracemalloc.start()
    try:
        sample_risk(stated, values, method="plain", samples=samples, rng=0)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 36e6


def test_the_default_draws_projections_where_whole_tokens_are_many():
    stated = attention().model
    few = stated.check(TASK, samples=50, rng=0)
    many = stated.check(TASK | {"d": 10**12, "lambda": 1e-6}, samples=2000, rng=0)
    assert (few.method, many.method) == ("plain", "projected")
    assert many.is_passed
    with pytest.raises(ValueError, match=r"whole tokens in R\^1000000000000 would need"):
        stated.check(TASK | {"d": 10**12}, samples=2, method="plain", rng=0)


def test_more_samples_begin_with_those_of_fewer():
    stated = attention().model
    few, many = (errors_of_samples(stated, TASK, 1, n=n) for n in (BLOCK, 2 * BLOCK))
    assert (few == many[:BLOCK]).all()


def test_a_start_is_where_the_model_is_checked():
    """The oracle's risk is the noise where attention is sharp; and a point of the model's runs."""
    stated = attention().model
    there = {"kappa": 1, "nu": 1, "theta": 0, "eta": 0, "rho": 0}
    sharp = TASK | {"d": 10**4, "L": 1, "lambda": 1.0}
    found = stated.check(sharp, start=there, method="conditioned", samples=2000, rng=0)
    assert found.risk == pytest.approx(0.09, abs=1e-12)
    assert found.is_passed
    runs = stated.simulate(TASK, steps=5, alpha=0.01, runs=1, rng=0, backend="numpy")
    at_end = stated.check(TASK, start=runs, samples=2000, rng=0)
    assert at_end.risk == pytest.approx(runs.risk.values[0, -1])
    with pytest.raises(ValueError, match="start must be one point; got 2"):
        stated.check(TASK, start=stated.simulate(TASK, steps=1, alpha=0.1, runs=2, rng=0))


def test_directions_beyond_the_dimension_are_refused():
    three = np.eye(4)
    with pytest.raises(ValueError, match=r"start must have directions in R\^2; these span more"):
        attention().model.check(TASK | {"d": 2}, start=three, samples=10, method="plain")


def test_a_jump_has_no_curvature():
    stated, values = instance("step")
    found = stated.check(values, samples=200, curvature=True, rng=0)
    assert not any("curvature" in name for name in found.z_scores)


@thorough_only
def test_intervals_hold_the_value_as_often_as_they_say():
    stated, inside = attention().model, {0.5: 0, 0.9: 0}
    exact = stated.check(TASK, start=STATE, samples=2, rng=0).risk
    for seed in range(200):
        found = sample_risk(
            stated, TASK, start=STATE, method="conditioned", samples=500, rng=[1, seed]
        )
        for level in inside:
            low, high = found.interval(level)
            inside[level] += low < exact < high
    for level, count in inside.items():
        assert abs(count - 200 * level) < 4 * np.sqrt(200 * level * (1 - level))


def test_intervals_of_few_samples():
    few = sample_risk(attention().model, TASK, start=STATE, samples=2, rng=0)
    low, high = few.interval()
    assert high - low == pytest.approx(2 * 12.706204736 * few.stderr)
    for level in (0, 1, "much", np.nan):
        with pytest.raises(ValueError, match=r"level must lie in \(0, 1\); got"):
            few.interval(level)


def test_moments_lose_no_digits():
    far = default_rng(1).standard_normal((1000, 3)) * [1, 1e-3, 10] + 1e9
    moments = RunningMoments()
    for part in np.split(far, [0, 1, 4, 700]):
        moments.add(part)
    # Sums of squares of the values themselves would be off by hundreds.
    exact = (far - 1e9).var(axis=0, ddof=1)
    assert moments.variance == pytest.approx(exact, abs=1e-7)
    assert moments.mean - 1e9 == pytest.approx((far - 1e9).mean(axis=0), abs=1e-6)


def test_equal_numbers_have_no_spread():
    moments = RunningMoments()
    for size in (3, 1000, 7):
        moments.add(np.full((size, 1), 0.1))
    assert (moments.mean[0], moments.stderr[0]) == (0.1, 0)


def test_a_run_of_samples_stops_at_a_target():
    class Normal:
        def batches(self, seed, n):
            yield (default_rng(seed).standard_normal((n, 1)),)

    found = sample_quantity(lambda rows: rows, Normal(), SeedSequence(1), 10**6, 0.01)
    assert found.stderr[0] <= 0.01
    assert found.count == 3 * BLOCK


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"method": "best"}, "method must be one of plain, projected, conditioned; got 'best'"),
        ({"method": "plain", "antithetic": True}, "antithetic must be False for method='plain'"),
        ({"antithetic": 2}, "antithetic must be True or False; got 2"),
        ({"samples": 1}, "samples must be an integer of at least 2; got 1"),
        ({"samples": 3, "antithetic": True}, "samples must be an integer of at least 4; got 3"),
        ({"rng": -1}, "rng must be an integer that is not negative"),
        ({"start": "here"}, "start must be 'uniform'"),
        ({"values": TASK | {"m": 1}}, "values has m, no parameter of this model"),
    ],
)
def test_bad_arguments(change, said):
    options = {"values": TASK} | change
    with pytest.raises(ValueError, match=said):
        attention().model.check(**options)


def test_what_the_risk_does_not_depend_on_may_be_left_out():
    sigma = Symbol("sigma", positive=True)
    stated = model(
        TokenSequence({Token(target=lambda X: X @ u): 1}, noise=sigma), Predictor(lambda X: X @ w)
    )
    found = stated.check({"d": 5, "sigma": 0.5}, samples=5000, rng=0)
    assert found.is_passed
    with pytest.raises(ValueError, match="values must have a number for sigma"):
        stated.check({"d": 5}, samples=10)
