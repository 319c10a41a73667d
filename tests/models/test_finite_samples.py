"""Descent on samples that are drawn once: its law against steps in R^d and known laws."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import beta, chi2, kstest
from sympy import Symbol

from slrsym.models import Direction, Predictor, Token, TokenSequence, model
from slrsym.models.training.parameter_values import add_inner_products_of_start, parameter_row
from slrsym.models.training.simulation import make_sample_engine
from slrsym.papers.single_location.models import task_model
from tests._profile import thorough, thorough_only
from tests.models.test_sampled_batches import (
    ALPHA,
    LEVEL,
    VALUES,
    attention_by_softmax,
    committee_of_two,
    correlated_tokens,
    noisy_clusters,
    require_law_of_steps,
    start_of,
    vectors_in_eigenspaces,
)

RUNS = 800


def linear(epsilon=0):
    """A student that can be any vector, of one teacher, with noise."""
    w, u = Direction("w"), Direction("u", unit=True)
    data = TokenSequence({Token(target=lambda X: X @ u): 1}, noise=epsilon)
    return model(data, Predictor(lambda X: X @ w)), w, u


def engine_of(stated, values, vectors, spaces, samples, batch=None, runs=RUNS):
    """The engine of runs that start from the same vectors, and its parameters."""
    blocks = np.split(vectors, np.cumsum(spaces)[:-1], axis=1)
    blocks = [np.pad(x, ((0, 0), (0, max(spaces) - x.shape[1]))) for x in blocks]
    start = np.repeat(np.stack(blocks)[None], runs, axis=0)
    by_name = values | {"d": sum(spaces)}
    add_inner_products_of_start(stated, by_name, start)
    row = parameter_row(stated, by_name)
    how = {"samples": samples, "batch": batch, "seed": 1}
    return make_sample_engine(stated, start, row, by_name, spaces, ALPHA, **how), row


# In few dimensions all coordinates of tokens are drawn, in more those of their span alone.
@pytest.mark.parametrize(
    ("case", "times", "samples", "batch"),
    [
        (attention_by_softmax, 1, 2, 1),
        (attention_by_softmax, 4, 3, None),
        (noisy_clusters, 3, 2, None),
        (correlated_tokens, 3, 2, 1),
        (vectors_in_eigenspaces, 2, 2, None),
        thorough(noisy_clusters, 1, 3, 1),
        thorough(committee_of_two, 1, 2, None),
        thorough(committee_of_two, 5, 2, 1),
        thorough(vectors_in_eigenspaces, 1, 3, None),
    ],
)
def test_the_law_is_that_of_steps_in_all_dimensions(case, times, samples, batch):
    stated, gradients, values, dimensions = case()
    spaces = (np.atleast_1d(dimensions) * times).tolist()
    vectors = start_of(stated, sum(spaces))
    order = np.argsort(np.random.default_rng(3).random((RUNS, samples)), axis=1)

    def mean_gradients(step, W, U):
        # The same seed for the same sample.
        seeds = [np.random.default_rng([7, n]) for n in range(samples)]
        each = np.array([gradients(seed, W, U, *values.values()) for seed in seeds])
        return each.mean(axis=0) if batch is None else each[order[:, step], np.arange(RUNS)]

    engine, row = engine_of(stated, values, vectors, spaces, samples, batch)
    require_law_of_steps(stated, engine, row, vectors, mean_gradients)


def test_least_squares_with_fewer_samples_than_dimensions():
    """From 0, descent ends at the projection of the teacher onto the span of the samples."""
    stated, w, u = linear()
    n, d, runs = 20, 60, 100
    found = stated.simulate(
        {"d": d}, steps=300, alpha=0.08, runs=runs, samples=n, rng=1, every=300,
        start={w @ w: 0, w @ u: 0},
    )  # fmt: skip
    assert found.attrs["samples"] == n
    first, last = found.training_risk.values.T
    assert kstest(n * first, chi2(n).cdf).pvalue > LEVEL
    assert last.max() < 1e-20
    overlap = found.overlap(w, u).values[:, -1]
    assert kstest(overlap, beta(n / 2, (d - n) / 2).cdf).pvalue > LEVEL
    assert_allclose(found.overlap(w, w).values[:, -1], overlap, rtol=1e-9)
    assert_allclose(found.excess_risk.values[:, -1], 1 - overlap, rtol=1e-9)


def test_least_squares_with_noise_and_more_samples_than_dimensions():
    epsilon = Symbol("epsilon", positive=True)
    stated, w, u = linear(epsilon)
    n, d, runs = 40, 4, 150
    found = stated.simulate(
        {"d": d, "epsilon": 0.5}, steps=120, alpha=0.25, runs=runs, samples=n, rng=2, every=120,
        start={w @ w: 0, w @ u: 0},
    )  # fmt: skip
    residual = n * found.training_risk.values[:, -1] / 0.25
    assert kstest(residual, chi2(n - d).cdf).pvalue > LEVEL
    excess = found.excess_risk.values[:, -1]
    error = excess.std() / np.sqrt(runs)
    assert abs(excess.mean() - 0.25 * d / (n - d - 1)) < 4 * error


def test_each_pass_takes_every_sample_once_and_leaves_a_rest_out():
    engine, _ = engine_of(linear()[0], {}, np.eye(2, 5), [5], samples=7, batch=3, runs=2)
    passes = [[engine._next(run) for _ in range(4)] for run in range(2)]
    for steps in passes:
        for first, second in (steps[:2], steps[2:]):
            assert len({*first.tolist(), *second.tolist()}) == 6
    assert not np.array_equal(passes[0], passes[1])


def test_a_run_does_not_depend_on_others_nor_on_where_it_is_interrupted():
    stated, _, values, d = noisy_clusters()
    vectors = start_of(stated, d)
    together, row = engine_of(stated, values, vectors, [d], 4, 2, runs=3)
    alone, _ = engine_of(stated, values, vectors, [d], 4, 2, runs=1)
    found = together.advance(np.tile(row, (6, 1)), 2)
    parts = [alone.advance(np.tile(row, (steps, 1)), 2) for steps in (2, 4)]
    assert_allclose(np.concatenate(parts)[:, 0], found[:, 0], rtol=1e-10, atol=1e-10)
    assert (found[:, 0] != found[:, 1]).any()
    assert {*together.training_risks} == {0, 2, 4, 6}
    for step, risks in alone.training_risks.items():
        assert_allclose(risks, together.training_risks[step][:1], rtol=1e-10)


@thorough_only
def test_samples_are_kept_where_a_rate_or_the_noise_changes(tmp_path):
    """The noise of the target may have a schedule, and tokens may not."""
    m, file = task_model(), tmp_path / "runs.nc"
    values = VALUES | {"epsilon": [0.5, 0.4, 0.3]}
    how = {"steps": 2, "alpha": 0.01, "runs": 2, "samples": 3, "rng": 3, "every": 1}
    found = m.simulate(values, path=file, **how)
    assert found.training_risk.shape == (2, 3)
    assert (m.simulate(values, **how).gram.values == found.gram.values).all()
    with pytest.raises(ValueError, match="gamma must be the same at all steps with samples, as to"):
        m.simulate(VALUES | {"gamma": [0.8, 0.7, 0.6]}, **how)
    with pytest.raises(ValueError, match=r"start must not be runs on finite samples, .* runs on 3"):
        m.simulate(values, start=file, **how | {"runs": None})
    # On their law, or on fresh samples, they go on.
    assert m.simulate(values, start=file, **how | {"runs": None, "samples": None}).gram.size


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"samples": 0}, "samples must be an integer of at least 1; got 0"),
        ({"samples": 2, "batch": 3}, "samples must be an integer of at least 3; got 2"),
        ({"backend": "numba"}, "backend must be 'auto' or 'numpy' with samples; got 'numba'"),
        ({"values": {}}, r"values must have a number for d, as samples are drawn"),
        ({"samples": 10**7}, "samples = 10,000,000 in 2 runs"),
    ],
)
def test_what_samples_refuse(changes, said):
    stated, w, u = linear()
    given = {
        "values": {"d": 10**6}, "steps": 2, "alpha": 0.1, "samples": 2, "runs": 2,
        "start": {w @ w: 0.5, w @ u: 0.1},
    } | changes  # fmt: skip
    with pytest.raises((ValueError, MemoryError), match=said):
        stated.simulate(**given)
