"""Stochastic gradient descent: exact in law in the overlaps, whatever the dimension."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ks_2samp

from slrsym.models.sampling import random_streams
from slrsym.papers.single_location.dynamics import UniformStart
from slrsym.papers.single_location.dynamics.engines import BatchTaskEngine, vectors_of_start
from slrsym.papers.single_location.dynamics.spheres import gram_matrices, overlaps_of_vectors
from slrsym.papers.single_location.task import Task
from tests._profile import THOROUGH, more, thorough_only
from tests.kernels._cases import needs_numba
from tests.papers.single_location.dynamics._vectors import StochasticVectorEngine, VectorEngine
from tests.properties._examples import examples

BACKENDS = ["numpy", pytest.param("numba", marks=needs_numba)]

RUNS = 6000 if THOROUGH else 1000

# With batches of fewer tokens than there are dimensions beyond the span, and of more; and where
# there are so few dimensions that the Wishart law has no density, or that there are none beyond.
SETTINGS = [
    pytest.param(60, 4, 2, id="fewer tokens than dimensions"),
    pytest.param(20, 10, 5, id="more tokens than dimensions"),
    pytest.param(9, 1, 3, id="one token"),
    pytest.param(6, 2, 1, id="d=6", marks=thorough_only),
    pytest.param(5, 3, 2, id="d=5", marks=thorough_only),
    pytest.param(4, 3, 2, id="d=4"),
    pytest.param(3, 3, 2, id="d=3", marks=thorough_only),
    pytest.param(2, 3, 2, id="d=2"),
]
STEPS = (1, 2, 5)

# Bonferroni: that any of all the tests fails by chance has at most this probability.
LEVEL = 1e-3 / (len(SETTINGS) * len(STEPS) * 5)


class OverlapEngine:
    """The engine of batches, from overlaps to overlaps."""

    def __init__(self, states, task, *arguments, **more):
        points = vectors_of_start(np.array(states), task.d, in_dimension=True)
        self.engine = BatchTaskEngine(points, task, *arguments, **more)

    def advance(self, lam, every):
        return overlaps_of_vectors(self.engine.advance(lam, every))


def spread(task, seed, runs=RUNS):
    """One start, for many runs."""
    return np.repeat(UniformStart(1, seed).overlaps(task), runs, axis=0)


def after(engine, task, batch, seed):
    """Overlaps after some steps, (step, run, 5)."""
    # Of such a size that the noise is seen and does not drown all else.
    states = engine(spread(task, task.d), task, 0.3 / task.d, batch, seed=seed)
    return states.advance(np.full(STEPS[-1], 0.7), 1)[[step - 1 for step in STEPS]]


def p_values(one, other):
    """Of each coordinate at each step; as small as they are, the limit's are good enough."""
    columns = ([rows[:, i] for rows in steps for i in range(5)] for steps in (one, other))
    pairs = zip(*columns, strict=True)
    return np.array([ks_2samp(x, y, method="asymp").pvalue for x, y in pairs])


@thorough_only
@more
@pytest.mark.parametrize(("d", "tokens", "batch"), SETTINGS)
def test_the_law_is_that_of_vectors(d, tokens, batch):
    task = Task(d, tokens, 0.8, 2.0)
    one, other = (
        after(engine, task, batch, seed)
        for engine, seed in ((OverlapEngine, 1), (StochasticVectorEngine, 2))
    )
    assert (p_values(one, other) > LEVEL).all()


@thorough_only
def test_other_laws_are_told_from_it():
    task = Task(6, 2, 0.8, 2.0)
    full = after(StochasticVectorEngine, task, 1, 2)
    for other, batch in (
        (replace(task, gamma=1.2), 1),
        (replace(task, epsilon=1.0), 1),
        (replace(task, L=3), 1),
        (task, 2),
    ):
        assert p_values(after(OverlapEngine, other, batch, 1), full).min() < LEVEL


@more
@pytest.mark.parametrize("state", [(1, 1, 0, 0, 0), (0, 0, 0.6, -1, 0), (0.6, 0.8, 0.6, 0.8, 1)])
def test_the_law_where_vectors_lie_in_one_plane(state):
    """At an oracle, at a swap point, and where k is v: there the frame has axes to spare."""
    task = Task(12, 3, 0.8, 0.3)
    states = np.repeat(np.array([state], dtype=float), RUNS, axis=0)
    one, other = (
        engine(states, task, 0.1, 2, seed=seed).advance(np.full(2, 0.7), 1)
        for engine, seed in ((OverlapEngine, 1), (StochasticVectorEngine, 2))
    )
    assert (p_values(one, other) > LEVEL).all()


@thorough_only
def test_what_lies_beyond_the_span_has_as_many_dimensions():
    """Second moments after a step that forgets where it began show them better.

    A dimension more or less, in either variate of Bartlett's, moves some by six errors or more.
    """
    task, states = Task(6, 3, 1.0, 3.0), np.full((6000, 5), 0.1)
    means, squares = [], []
    for engine, seed in ((OverlapEngine, 1), (StochasticVectorEngine, 2)):
        rows = engine(states, task, 1e3, 8, seed=seed).advance(np.full(1, 0.7), 1)[0]
        products = np.stack([rows[:, i] * rows[:, j] for i in range(5) for j in range(i + 1)])
        means.append(products.mean(axis=1))
        squares.append(products.var(axis=1) / len(rows))
    assert (np.abs(means[0] - means[1]) < 4 * np.sqrt(squares[0] + squares[1])).all()


def drift(task, lam, batch, seed, runs, steps):
    """What steps add on average, its error, and what a step of the population adds."""
    # All steps together lead nowhere: to first order each begins at the start.
    alpha, states = 1e-9, spread(task, seed, runs)
    engine = OverlapEngine(states, task, alpha, batch, seed=seed)
    rows = np.concatenate([states[None], engine.advance(np.full(steps, lam), 1)])
    moved = np.diff(rows, axis=0).reshape(-1, 5) / alpha
    population = VectorEngine(states[:1], task, alpha)
    before = population.states[0]
    expected = (population.advance(np.array([lam]), 1)[0, 0] - before) / alpha
    return moved.mean(axis=0), moved.std(axis=0) / np.sqrt(len(moved)), expected


@examples(0.15)
@given(
    st.builds(
        Task,
        d=st.integers(2, 12) | st.sampled_from([80, 1000]),
        L=st.integers(1, 6),
        gamma=st.floats(0.3, 1.5),
        epsilon=st.floats(0, 1),
    ),
    st.floats(0.05, 1.5),
    st.integers(1, 4),
    st.integers(0, 10**6),
)
def test_the_drift_is_the_step_of_the_population(task, lam, batch, seed):
    mean, error, expected = drift(task, lam, batch, seed, 80, 50)
    # And a little for rounding, which is large beside so small a step.
    assert (np.abs(mean - expected) < 6 * error + 1e-5).all()


@more
def test_a_drift_is_told_from_others():
    task = Task(30, 4, 0.8, 0.3)
    mean, error, expected = drift(task, 0.7, 2, 7, 400, 100)
    assert (np.abs(mean - expected) < 4.5 * error).all()
    for other in (replace(task, L=2), replace(task, gamma=1.0), replace(task, d=20)):
        wrong = drift(other, 0.7, 2, 7, 1, 1)[2]
        assert (np.abs(mean - wrong) > 6 * error).any()


@needs_numba
@pytest.mark.parametrize("d", [2, 3, 4, 5, 6, 7, 80, 10**6])
def test_both_backends_draw_the_same_numbers(d):
    task, lam = Task(d, 10, 0.7, 0.1), 2 / (1 + 1e-3 * np.arange(60))
    states = UniformStart(3, 1).overlaps(task)
    one, other = (
        OverlapEngine(states, task, min(1e-3, 0.08 / d), 5, backend).advance(lam, 20)
        for backend in ("numpy", "numba")
    )
    np.testing.assert_allclose(one, other, rtol=0, atol=1e-11)
    assert np.abs(one[0] - states).max() > 1e-3


def reduced(backend):
    return lambda *arguments, **more: OverlapEngine(*arguments, backend=backend, **more)


@pytest.mark.parametrize(
    "engine",
    [reduced("numpy"), pytest.param(reduced("numba"), marks=needs_numba), StochasticVectorEngine],
    ids=["numpy", "numba", "vectors"],
)
def test_a_run_does_not_depend_on_those_beside_it(engine):
    task, lam = Task(9, 3, 0.7, 0.1), np.full(8, 0.5)
    states = UniformStart(4, 2).overlaps(task)
    whole = engine(states, task, 1e-2, 2).advance(lam, 4)
    np.testing.assert_array_equal(whole[:, :2], engine(states[:2], task, 1e-2, 2).advance(lam, 4))
    np.testing.assert_array_equal(whole[:, :1], engine(states[:1], task, 1e-2, 2).advance(lam, 4))
    # Nor do runs from one start share their numbers, nor seeds.
    same = engine(states[[0, 0]], task, 1e-2, 2).advance(lam, 4)
    assert (same[:, 0] != same[:, 1]).all()
    assert (engine(states, task, 1e-2, 2, seed=1).advance(lam, 4) != whole).all()


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_numbers_do_not_depend_on_what_is_noted(backend):
    task, lam = Task(9, 3, 0.7, 0.1), np.full(12, 0.5)
    states = UniformStart(2, 2).overlaps(task)
    often = OverlapEngine(states, task, 1e-2, 2, backend).advance(lam, 1)
    seldom = OverlapEngine(states, task, 1e-2, 2, backend)
    before = seldom.engine.states
    kept = before.copy()
    np.testing.assert_array_equal(often[5], seldom.advance(lam[:6], 6)[0])
    np.testing.assert_array_equal(before, kept)
    np.testing.assert_array_equal(often[11], seldom.advance(lam[6:], 6)[0])


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("d", [2, 6])
def test_a_run_goes_on_from_any_step_with_the_numbers_that_belong_to_it(d, backend, monkeypatch):
    task, lam = Task(d, 2, 0.7, 0.1), np.full(23, 0.5)
    # Streams change often, and numbers are skipped and drawn few at a time.
    monkeypatch.setattr(random_streams, "_BLOCK", 7)
    monkeypatch.setattr(random_streams, "_MOST", 100)
    points = vectors_of_start(UniformStart(3, 2).overlaps(task), d, in_dimension=True)
    whole = BatchTaskEngine(points, task, 1e-2, 2, backend).advance(lam, 1)
    for step in (1, 6, 7, 13, 22):
        later = BatchTaskEngine(whole[step - 1], task, 1e-2, 2, backend, start=step)
        np.testing.assert_array_equal(later.states, whole[step - 1])
        np.testing.assert_array_equal(later.advance(lam[step:], 1), whole[step:])
    # By their labels, some runs alone.
    chosen = BatchTaskEngine(whole[4, [2, 0]], task, 1e-2, 2, backend, start=5, labels=[2, 0])
    np.testing.assert_array_equal(chosen.advance(lam[5:], 1), whole[5:][:, [2, 0]])


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("d", [2, 3, 4, 6])
def test_overlaps_stay_feasible(d, backend):
    task, lam = Task(d, 5, 2.0, 0.5), np.full(200, 1.5)
    states = OverlapEngine(UniformStart(20, 4).overlaps(task), task, 0.5, 1, backend).advance(
        lam, 1
    )
    values = np.linalg.eigvalsh(gram_matrices(states.reshape(-1, 5)))
    assert values[:, 0].min() > -1e-13
    if d < 4:
        assert np.abs(values[:, 3 - d]).max() < 1e-13
