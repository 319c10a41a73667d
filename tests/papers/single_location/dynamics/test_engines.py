"""Steps of the model and of vectors in R^d: how far they agree, in two backends; what they keep."""

import numpy as np
import pytest

from slrsym.papers.single_location.dynamics import InverseTimeDecay, ManifoldStart, UniformStart
from slrsym.papers.single_location.dynamics.engines import TaskEngine, vectors_of_start
from slrsym.papers.single_location.dynamics.spheres import gram_matrices, overlaps_of_vectors
from slrsym.papers.single_location.task import Task
from tests._profile import THOROUGH, more, one_in, thorough, thorough_cases, thorough_only
from tests.kernels._cases import needs_numba
from tests.papers.single_location.dynamics._vectors import VectorEngine

PAPER = Task(400, 10, 0.5**0.5)

# The paper's experiments: task, schedule, step size. With the settings of figure 4a the map is
# chaotic for a while; what can be said there is below.
SETTINGS = {
    "4b": (PAPER, InverseTimeDecay(0.1, 0), 4e-3),
    "5": (Task(80, 10, 0.5**0.5), InverseTimeDecay(2, 1e-4), 1e-3),
    "7a": (PAPER, InverseTimeDecay(0.9, 0), 1e-3),
    "7b": (PAPER, InverseTimeDecay(0.1, 0), 4e-3),
}

RUNS = 20 if THOROUGH else 8

BACKENDS = ["numpy", pytest.param("numba", marks=needs_numba)]


def descent(states, task, alpha, backend="numpy", workers=None):
    return TaskEngine(vectors_of_start(states, task.d), task, alpha, backend, workers)


def moved(states, task, alpha, lam, every, backend="numpy"):
    """Overlaps after each `every`-th step."""
    return overlaps_of_vectors(descent(states, task, alpha, backend).advance(lam, every))


def inverse_temperatures(schedule, steps):
    return schedule(np.arange(steps))


def difference(one, other):
    return np.abs(one - other).max()


@more
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("figure", [thorough("5"), thorough("7a"), "7b"])
def test_vectors_and_overlaps_agree(figure, backend):
    task, schedule, alpha = SETTINGS[figure]
    states, lam = UniformStart(RUNS, seed=1).overlaps(task), inverse_temperatures(schedule, 2000)
    vectors = VectorEngine(states, task, alpha, backend, seed=3).advance(lam, 50)
    overlaps = moved(states, task, alpha, lam, 50, backend)
    assert difference(vectors, overlaps) < 1e-12
    # They have gone somewhere.
    assert difference(overlaps[-1], states) > 0.1


@thorough_cases("4b-numpy", "4b-numba", "7a-numba")
@more
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("figure", one_in(2, sorted(SETTINGS)))
def test_the_step_on_the_manifold_is_that_of_all_states(figure, backend):
    task, schedule, alpha = SETTINGS[figure]
    states, lam = ManifoldStart(RUNS, seed=1).overlaps(task), inverse_temperatures(schedule, 2000)
    two = descent(states, task, alpha, backend).advance(lam, 50)
    # One run that is not there makes that all take the step of all states.
    others = vectors_of_start(UniformStart(1, seed=1).overlaps(task), task.d)
    both = np.concatenate([vectors_of_start(states, task.d), others])
    whole = TaskEngine(both, task, alpha, backend).advance(lam, 50)[:, :-1]
    assert difference(two, whole) < 1e-13
    assert (overlaps_of_vectors(whole)[..., 2:] == 0).all()
    assert difference(overlaps_of_vectors(two[-1])[:, :2], states) > 0.1


@more
@needs_numba
@pytest.mark.parametrize("start", [UniformStart, ManifoldStart])
@pytest.mark.parametrize("figure", sorted(SETTINGS))
def test_backends_agree(figure, start):
    task, schedule, alpha = SETTINGS[figure]
    states, lam = start(RUNS, seed=2).overlaps(task), inverse_temperatures(schedule, 1000)
    one, other = (moved(states, task, alpha, lam, 50, b) for b in ("numpy", "numba"))
    assert difference(one, other) < 1e-13


@thorough_only
@more
@pytest.mark.parametrize("d", [thorough(2), 3])
@pytest.mark.parametrize("backend", BACKENDS)
def test_in_few_dimensions_overlaps_stay_those_of_vectors(d, backend):
    task, lam = Task(d, 3, 0.7), np.full(1500, 0.3)
    states = UniformStart(RUNS, seed=1).overlaps(task)
    overlaps = moved(states, task, 0.01, lam, 100, backend)
    vectors = VectorEngine(states, task, 0.01).advance(lam, 100)
    assert difference(vectors, overlaps) < 1e-12
    # What the Gram matrix has beyond the rank d is rounding, and stays it where steps are large.
    for alpha, hot in ((0.01, 0.3), (1.0, 0.5)):
        rows = moved(states, task, alpha, np.full(500, hot), 10, backend)
        values = np.linalg.eigvalsh(gram_matrices(rows.reshape(-1, 5)))
        assert np.abs(values[:, : 4 - d]).max() < 1e-14


def shaken(states, task, alpha, lam, every, ulps, seed):
    """The orbit, with rounding errors of some units in the last place made on purpose."""
    rng, points = np.random.default_rng(seed), vectors_of_start(states, task.d)
    rows = []
    for first in range(0, lam.size, every):
        points = points * (1 + ulps * 2.0**-52 * rng.choice([-1, 1], points.shape))
        engine = TaskEngine(points, task, alpha)
        engine.advance(lam[first : first + every], every)
        points = engine.states
        rows.append(engine.overlaps)
    return np.array(rows)


def gone(one, other):
    """How far two orbits of each run have been from each other, up to each row."""
    return np.maximum.accumulate(np.abs(one - other).max(axis=-1))


@thorough_only
def test_in_the_chaos_of_figure_4a_arithmetics_part_as_rounding_errors_grow():
    """For 400 steps they agree; then 1e-13 grows to 1e-2, in whatever arithmetic it arises."""
    alpha, lam, runs, copies = 4e-3, inverse_temperatures(InverseTimeDecay(1, 1e-4), 2000), 20, 8
    states = UniformStart(runs, seed=0).overlaps(PAPER)
    plain = moved(states, PAPER, alpha, lam, 10)
    grown = {}
    for ulps in (1, 20):
        orbit = shaken(np.repeat(states, copies, axis=0), PAPER, alpha, lam, 10, ulps, seed=ulps)
        parted = gone(orbit.reshape(200, runs, copies, 5), plain[:, :, None])
        grown[ulps] = parted.max(axis=-1) + 1e-15
    # That is chaos: one unit in the last place, every ten steps.
    assert grown[1][29].max() < 1e-14
    assert np.median(grown[1][-1]) > 1e-2

    # An inner product of 400 terms has an error of some twenty units, and grows as such an error
    # does, thirty steps sooner or later.
    vectors = VectorEngine(states, PAPER, alpha).advance(lam, 10)
    assert gone(vectors, plain)[29].max() < 1e-14
    assert (gone(vectors, plain)[:-3] < 5 * grown[20][3:]).all()
    pytest.importorskip("numba", reason="needs numba: pip install numba")
    machine = moved(states, PAPER, alpha, lam, 10, "numba")
    assert gone(machine, plain)[29].max() < 1e-15
    assert (gone(machine, plain) < 5 * grown[1]).all()


@thorough_cases("UniformStart-numpy")
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("start", [UniformStart, ManifoldStart])
def test_a_run_does_not_depend_on_others(start, backend):
    """To the last bit, where the map is chaotic too, for any number of runs."""
    lam, alpha = inverse_temperatures(InverseTimeDecay(1, 1e-4), 1000), 4e-3
    few = start(3, seed=5).overlaps(PAPER)
    alone = descent(few, PAPER, alpha, backend).advance(lam, 100)
    for runs in (1, 2, 600):
        # From 512 on NumPy takes another way through the quadrature.
        steps = lam[:200] if runs > 512 else lam
        many = descent(start(runs, seed=5).overlaps(PAPER), PAPER, alpha, backend)
        found = many.advance(steps, 100)[:, :3]
        assert (found == alone[: len(found), : found.shape[1]]).all()


@thorough_cases("numpy")
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_run_of_vectors_does_not_depend_on_others(backend):
    task, lam = Task(30, 10, 0.7), np.full(300, 0.5)
    few = UniformStart(2, seed=5).overlaps(task)
    alone = VectorEngine(few, task, 4e-3, backend).advance(lam, 100)
    for runs in (1, 7, 300):
        many = VectorEngine(UniformStart(runs, seed=5).overlaps(task), task, 4e-3, backend)
        found = many.advance(lam, 100)[:, :2]
        assert (found == alone[:, : found.shape[1]]).all()


@needs_numba
@pytest.mark.parametrize("workers", [1, 2, 3, 50])
def test_runs_do_not_depend_on_the_workers(workers):
    states, lam = UniformStart(7, seed=6).overlaps(PAPER), np.full(200, 0.5)
    engine, other = (descent(states, PAPER, 4e-3, "numba", n) for n in (workers, None))
    assert (engine.advance(lam, 50) == other.advance(lam, 50)).all()


def engines(backend, states):
    yield descent(states, PAPER, 4e-3, backend)
    yield descent(states[:, :2], PAPER, 4e-3, backend)


@pytest.mark.parametrize("backend", BACKENDS)
def test_steps_may_be_made_in_parts(backend):
    states, lam = (
        UniformStart(4, seed=7).overlaps(PAPER),
        inverse_temperatures(InverseTimeDecay(1, 1e-2), 60),
    )
    for whole, parts in zip(engines(backend, states), engines(backend, states), strict=True):
        rows = whole.advance(lam, 20)
        assert rows.shape == (3, 4, 2, 4)
        assert (rows[-1] == whole.states).all()
        assert parts.advance(lam[:0], 5).shape == (0, 4, 2, 4)
        found = [*parts.advance(lam[:40], 20), *parts.advance(lam[40:], 20)]
        assert (np.array(found) == rows).all()


@pytest.mark.parametrize("backend", BACKENDS)
def test_an_engine_leaves_its_start_alone(backend):
    for states in (UniformStart(4, seed=7).overlaps(PAPER), ManifoldStart(4).overlaps(PAPER)):
        points = vectors_of_start(states, PAPER.d)
        before = points.copy()
        TaskEngine(points, PAPER, 4e-3, backend).advance(np.full(10, 0.5), 10)
        assert (points == before).all()


@pytest.mark.parametrize("backend", BACKENDS)
def test_each_step_has_its_temperature(backend):
    """The gradient of a step is taken at the inverse temperature of that step."""
    states, lam = UniformStart(3, seed=8).overlaps(PAPER), np.array([0.9, 0.1, 0.1, 0.5])
    for together, one_by_one in zip(
        engines(backend, states), engines(backend, states), strict=True
    ):
        rows = together.advance(lam, 1)
        assert (rows == [one_by_one.advance(lam[i : i + 1], 1)[0] for i in range(4)]).all()
        swapped = TaskEngine(rows[0], PAPER, 4e-3, backend).advance(lam[::-1].copy(), 1)
        assert difference(swapped[0], rows[1]) > 1e-6


def test_vectors_stay_units_and_the_others_where_they_are():
    engine = VectorEngine(UniformStart(5, seed=9).overlaps(PAPER), PAPER, 0.1)
    k_star, v_star = engine.k_star.copy(), engine.v_star.copy()
    engine.advance(np.full(100, 0.5), 100)
    for x in (engine.k, engine.v):
        assert np.linalg.norm(x, axis=1) == pytest.approx(1, abs=1e-15)
    assert (engine.k_star == k_star).all()
    assert (engine.v_star == v_star).all()


@thorough_cases("numpy")
@pytest.mark.parametrize("backend", BACKENDS)
def test_near_a_saddle_rounding_does_not_lead_out_of_the_feasible_set(backend):
    """At k = k*, v = -v* the map is unstable across the boundary: 1e-16 grows until it is NaN."""
    rng = np.random.default_rng(0)
    states = []
    for off in (0, 1e-16, 1e-12, 1e-9):
        for sign in (1, -1):
            k, v = np.eye(4)[0] * sign, -np.eye(4)[1] * sign
            k, v = k + off * rng.normal(size=4), v + off * rng.normal(size=4)
            k, v = k / np.linalg.norm(k), v / np.linalg.norm(v)
            states.append([k[0], v[1], v[0], k[1], k @ v])
    states = np.array(states)
    steps = 40_000 if backend == "numba" else 8000
    # Where steps are larger, so that NumPy gets as far.
    alpha = 4e-3 if backend == "numba" else 2e-2
    five = moved(states, PAPER, alpha, np.full(steps, 0.1), 100, backend)
    assert np.linalg.eigvalsh(gram_matrices(five.reshape(-1, 5)))[:, 0].min() > -1e-14
    # Those that are not exactly at the saddle have left it.
    assert (np.abs(five[-1, 2:] - states[2:]).max(axis=1) > 0.1).all()
    planar = states[:, :2] * (1 + np.array([[-1e-12, 1e-12]]))
    two = moved(planar, PAPER, alpha, np.full(steps, 0.1), 100, backend)
    assert np.abs(two).max() <= 1 + 1e-14


@thorough_only
@pytest.mark.parametrize("backend", BACKENDS)
def test_large_steps_stay_in_the_feasible_set(backend):
    rng = np.random.default_rng(1)
    with np.errstate(all="raise", under="ignore"):
        for seed in range(40):
            task = Task(
                int(rng.choice([2, 3, 4, 400, 10**7])), int(rng.choice([1, 2, 10, 10**4])), 0.7
            )
            alpha, lam = 10.0 ** rng.uniform(-3, 6), np.full(60, 10.0 ** rng.uniform(-3, 1))
            for start in (UniformStart, ManifoldStart):
                states = start(6, seed).overlaps(task)
                rows = moved(states, task, alpha, lam, 5, backend).reshape(-1, 5)
                assert np.linalg.eigvalsh(gram_matrices(rows))[:, 0].min() > -1e-13


def test_opposite_vectors_and_a_very_large_step():
    """Found by Hypothesis: an overlap of 1e39."""
    task = Task(4, 8000, 3.0)
    rows = moved(np.array([[0, 0, 0, 0, -1.0]]), task, 403.4, np.full(50, 1.0), 1)
    assert np.abs(rows).max() <= 1 + 1e-14
