"""Runs with batches: logged, saved, resumed, told apart by their seed, and what is refused."""

import numpy as np
import pytest

from slrsym.papers.single_location.dynamics import (
    InverseTimeDecay,
    ManifoldStart,
    UniformStart,
    load,
    resume,
    simulate,
)
from slrsym.papers.single_location.dynamics import runs as runs_module
from slrsym.papers.single_location.dynamics.engines import BatchTaskEngine, vectors_of_start
from slrsym.papers.single_location.dynamics.spheres import overlaps_of_vectors
from slrsym.papers.single_location.paper_risk import excess_risk
from slrsym.papers.single_location.task import Task
from tests._profile import thorough_cases, thorough_only
from tests.kernels._cases import needs_numba
from tests.papers.single_location.dynamics._runs import BACKENDS, same, states

TASK = Task(30, 4, 0.7, 0.1)
FALLING = InverseTimeDecay(2, 1e-2)


def run(steps=30, backend="numpy", task=TASK, runs=3, **more):
    more = {"batch": 2, "rng": 5} | more
    return simulate(task, UniformStart(runs, 1), FALLING, 1e-2, steps, 4, backend, **more)


# The same by NumPy; machine code of engines without batches is tried in test_engines.
@thorough_cases("numba")
@pytest.mark.parametrize("backend", BACKENDS)
def test_what_is_logged_are_the_states_of_the_engine(backend):
    found, start = run(30, backend), UniformStart(3, 1).overlaps(TASK)
    engine = BatchTaskEngine(vectors_of_start(start, TASK.d), TASK, 1e-2, 2, seed=5)
    rows = engine.advance(FALLING(np.arange(30)), 1)
    expected = np.concatenate([start[None], overlaps_of_vectors(rows)])[found.step.values]
    assert found.step.values.tolist() == [*range(0, 30, 4), 30]
    assert np.allclose(states(found), np.moveaxis(expected, 0, 1), rtol=0, atol=1e-11)
    assert (states(found)[:, 0] == start).all()
    # Of the law of the tokens, not of the batches, and without the noise of the output.
    risk = excess_risk(states(found), found.lam.values, Task(30, 4, 0.7))
    assert np.allclose(found.excess_risk, risk, rtol=1e-12)
    assert {name: found.attrs[name] for name in ("batch", "seed", "task_epsilon")} == {
        "batch": 2, "seed": 5, "task_epsilon": 0.1
    }  # fmt: skip


@thorough_cases(
    "at once-numba", "on the beat, d=3-numba", "off it-numba", "off it, d=3-numba", "early-numba"
)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("first", "d"),
    [(0, 30), (16, 3), (18, 30), (18, 3), (3, 30)],
    ids=["at once", "on the beat, d=3", "off it", "off it, d=3", "early"],
)
def test_resumed_runs_are_those_that_were_not_interrupted(first, d, backend, tmp_path):
    task, file = Task(d, 4, 0.7, 0.1), tmp_path / "runs.nc"
    whole = run(30, backend, task)
    run(first, backend, task, path=file)
    same(resume(resume(load(file), 21), 30), whole)
    same(resume(file, 30), whole)
    same(load(file), whole)


@thorough_only
@needs_numba
def test_beyond_a_thousand_steps():
    """Where runs take new streams of random numbers."""
    whole = run(1100, "numba")
    same(resume(run(998, "numba"), 1100), whole)
    same(resume(run(1003, "numba"), 1100), whole)


@thorough_cases("numba")
@pytest.mark.parametrize("backend", BACKENDS)
def test_some_of_the_runs_go_on_alone(backend):
    whole = run(30, backend)
    found = resume(run(12, backend).isel(run=[2, 0]), 30)
    assert (states(found) == states(whole)[[2, 0]]).all()


@thorough_cases("numba")
@pytest.mark.parametrize("backend", BACKENDS)
def test_runs_do_not_depend_on_how_many_there_are(backend):
    few, many = run(30, backend, runs=2), run(30, backend, runs=7)
    same(many.isel(run=slice(2)).assign_attrs(start=few.start), few)


@thorough_cases("numba")
@pytest.mark.parametrize("backend", BACKENDS)
def test_the_span_of_steps_does_not_matter(backend, monkeypatch):
    whole = run(30, backend)
    for stride in (1, 10, 40):
        monkeypatch.setattr("slrsym.models.training.runs._STRIDE", stride)
        same(run(30, backend), whole)


@pytest.mark.filterwarnings("ignore:.*is too large:RuntimeWarning")
def test_an_engine_is_asked_for_fewer_steps_where_they_take_longer(monkeypatch):
    asked = []

    class Watched(BatchTaskEngine):
        def advance(self, inverse_temperatures, every):
            asked.append(inverse_temperatures.size)
            return super().advance(inverse_temperatures, every)

    monkeypatch.setattr(runs_module, "BatchTaskEngine", Watched)
    monkeypatch.setattr("slrsym.models.training.runs._STRIDE", 150)
    run(30, task=Task(30, 20, 0.7), runs=1, batch=2)
    assert max(asked) == 16  # rows of 4, of 150 // 9
    assert sum(asked) == 30


def test_an_interrupt_leaves_a_complete_file_that_can_be_resumed(tmp_path, monkeypatch):
    file, advance, calls = tmp_path / "runs.nc", BatchTaskEngine.advance, []

    def until(self, inverse_temperatures, every):
        found = advance(self, inverse_temperatures, every)
        calls.append(every)
        if len(calls) > 2:
            raise KeyboardInterrupt
        return found

    with monkeypatch.context() as patch:
        patch.setattr(BatchTaskEngine, "advance", until)
        patch.setattr("slrsym.models.training.runs._STRIDE", 24)
        with pytest.raises(KeyboardInterrupt):
            run(path=file)
    assert 0 < int(load(file).step[-1]) < 30
    same(resume(file), run())


def test_the_seed_is_of_the_batches_alone():
    one, other = run(), run(rng=6)
    assert (states(one)[:, 0] == states(other)[:, 0]).all()
    assert (states(one)[:, 1:] != states(other)[:, 1:]).all()
    same(run(rng=None), run(rng=0))


def test_a_generator_gives_a_seed_that_is_saved(tmp_path):
    file = tmp_path / "runs.nc"
    rng = np.random.default_rng(3)
    found = run(rng=rng, path=file)
    seed = found.attrs["seed"]
    assert seed == int(np.random.default_rng(3).integers(2**63)) > 2**31
    same(load(file), run(rng=seed))
    same(resume(file, 40), run(40, rng=seed))
    # The next runs are others.
    assert run(rng=rng).attrs["seed"] != seed


@thorough_only
def test_runs_from_the_manifold_leave_it():
    found = simulate(TASK, ManifoldStart(2), FALLING, 1e-2, 5, batch=2)
    assert (found.distance[:, 0] == 0).all()
    assert (found.distance[:, 1:] > 1e-3).all()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"batch": 0}, "batch must be an integer of at least 1; got 0"),
        ({"batch": 2.5}, "batch must be an integer of at least 1; got 2.5"),
        ({"rng": -1}, "rng must be an integer of at least 0; got -1, or a numpy.random.Generator"),
        ({"rng": "x"}, "rng must be an integer of at least 0; got 'x', or a numpy.random.Gene"),
        ({"batch": None}, "rng must not be given without batch, which it is for; got 5"),
    ],
    ids=str,
)
def test_bad_input(change, said):
    with pytest.raises(ValueError, match=said):
        run(**change)


def test_runs_without_their_seed_are_refused():
    found = run()
    del found.attrs["seed"]
    with pytest.raises(ValueError, match="runs must be a dataset that simulate returned or saved"):
        resume(found, 40)
