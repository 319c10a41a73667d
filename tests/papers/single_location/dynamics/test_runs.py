"""Runs as they are logged, resumed, interrupted and shown, and what is refused."""

import importlib.metadata
import importlib.util
import sys

import numpy as np
import pytest
import xarray as xr

from slrsym.kernels.numba_backend import NumbaMissingError
from slrsym.papers import single_location
from slrsym.papers.single_location.dynamics import (
    InverseTimeDecay,
    ManifoldStart,
    UniformStart,
    load,
    resume,
    simulate,
)
from slrsym.papers.single_location.dynamics import runs as runs_module
from slrsym.papers.single_location.dynamics.engines import TaskEngine, vectors_of_start
from slrsym.papers.single_location.dynamics.spheres import (
    largest_curvatures,
    overlaps_of_vectors,
    riemannian_derivatives_and_basis,
)
from slrsym.papers.single_location.paper_risk import excess_risk
from slrsym.papers.single_location.task import Task
from tests._cli import Screen
from tests._profile import thorough_cases, thorough_only
from tests.kernels._cases import needs_numba
from tests.papers.single_location.dynamics._runs import BACKENDS, NAMES, same, states

TASK = Task(400, 10, 0.7, 0.1)
FALLING = InverseTimeDecay(0.9, 1e-3)

STARTS = [UniformStart(3, seed=1), ManifoldStart(3, seed=1)]


# -- what is logged ----------------------------------------------------------------------------


@thorough_cases("start0-numpy")
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("start", STARTS)
def test_the_shape_of_runs(start, backend):
    found = simulate(TASK, start, FALLING, 4e-3, 10, 4, backend)
    assert found.sizes == {"run": 3, "step": 4, "vector": 2, "axis": 4}
    # The last step is logged off the beat.
    assert found.step.values.tolist() == [0, 4, 8, 10]
    assert found.run.values.tolist() == [0, 1, 2]
    assert set(found.data_vars) == {*NAMES, "excess_risk", "distance", "coordinates", "lam"}
    for name in {*NAMES, "excess_risk", "distance"}:
        assert found[name].dims == ("run", "step")
        assert found[name].dtype == np.float64
    assert found.lam.dims == ("step",)
    assert found.coordinates.dims == ("run", "vector", "axis")
    assert (overlaps_of_vectors(found.coordinates.values) == states(found)[:, -1]).all()


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("start", STARTS)
def test_what_is_logged_together_belongs_together(start, backend):
    """Overlaps, risk and inverse temperature of the same step, none of the one before or after."""
    found = simulate(TASK, start, FALLING, 4e-3, 40, 7, backend)
    logged, lam = states(found), found.lam.values
    assert (lam == FALLING(found.step.values)).all()
    assert (found.excess_risk.values == excess_risk(logged, lam, TASK)).all()
    assert found.distance.values == pytest.approx(
        np.linalg.norm(logged[..., 2:], axis=-1), rel=1e-15
    )
    # Neighbours are different enough for a shift to be seen.
    assert (np.diff(found.excess_risk.values, axis=1) != 0).all()
    assert (np.diff(lam) < 0).all()
    given = start.overlaps(TASK)
    assert (logged[:, 0, : given.shape[1]] == given).all()
    assert not logged[:, 0, given.shape[1] :].any()


@pytest.mark.parametrize("backend", BACKENDS)
def test_each_row_is_a_step_from_the_row_before(backend):
    found = simulate(TASK, UniformStart(3, seed=1), FALLING, 4e-3, 12, 1, backend)
    logged = states(found)
    for step in range(12):
        engine = TaskEngine(vectors_of_start(logged[:, step], TASK.d), TASK, 4e-3)
        engine.advance(FALLING(np.array([step])), 1)
        assert np.abs(engine.overlaps - logged[:, step + 1]).max() < 1e-15


def test_how_often_is_no_matter_to_what():
    often = simulate(TASK, UniformStart(3), FALLING, 4e-3, 60, 1, "numpy")
    seldom = simulate(TASK, UniformStart(3), FALLING, 4e-3, 60, 20, "numpy")
    xr.testing.assert_equal(often.sel(step=[0, 20, 40, 60]), seldom)


def test_settings_and_versions_are_attributes():
    found = simulate(TASK, UniformStart(2, seed=5), FALLING, 4e-3, 10, 3, "numpy")
    packages = {f"version_{p}": importlib.metadata.version(p) for p in ("slrsym", "numpy", "scipy")}
    assert found.attrs == {
        "backend": "numpy",
        "task_d": 400,
        "task_L": 10,
        "task_gamma": 0.7,
        "task_epsilon": 0.1,
        "alpha": 4e-3,
        "steps": 10,
        "every": 3,
        "schedule": "InverseTimeDecay(lam0=0.9, c=0.001)",
        "start": "UniformStart(runs=2, seed=5)",
        **packages,
    }


@needs_numba
def test_the_version_of_numba_is_an_attribute_where_it_is_used():
    found = simulate(TASK, UniformStart(1), 0.1, 4e-3, 2)
    assert found.attrs["backend"] == "numba"
    assert found.attrs["version_numba"] == importlib.metadata.version("numba")


def test_runs_that_start_on_the_manifold_stay_there():
    begin = ManifoldStart(2).overlaps(TASK)
    found = simulate(TASK, begin, 0.1, 4e-3, 20)
    assert (found.distance == 0).all()
    assert (np.diff(found.kappa) != 0).all()
    five = simulate(TASK, np.pad(begin, ((0, 0), (0, 3))), 0.1, 4e-3, 20)
    assert (states(five) == states(found)).all()


def test_no_steps_at_all():
    found = simulate(TASK, UniformStart(2), 0.1, 4e-3, 0)
    assert found.step.values.tolist() == [0]
    assert (states(found)[:, 0] == UniformStart(2).overlaps(TASK)).all()


@pytest.mark.parametrize(
    "schedule", [[0.9] * 11, lambda t: np.full(t.shape, 0.9), np.full(11, 0.9)]
)
def test_schedules_of_all_kinds(schedule):
    found = simulate(TASK, UniformStart(2), schedule, 4e-3, 10, 5, "numpy")
    assert (
        states(found) == states(simulate(TASK, UniformStart(2), 0.9, 4e-3, 10, 5, "numpy"))
    ).all()


def test_a_start_of_ones_own():
    class Corner:
        def overlaps(self, task):
            return np.array([[1, 1, 0, 0, 0]])

    assert simulate(TASK, Corner(), 0.1, 4e-3, 5).kappa.values.tolist() == [[1.0] * 6]

    class Nonsense(Corner):
        def overlaps(self, task):
            return np.array([[1, 1, 1, 0, 0.0]])

    with pytest.raises(ValueError, match="start must be feasible"):
        simulate(TASK, Nonsense(), 0.1, 4e-3, 5)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_dimension_of_a_thousand_million(backend):
    """Where kappa is of the order of d^(-1/2), so has lambda to be."""
    found = simulate(Task(10**9, 10, 0.7), UniformStart(5), 1e-4, 1e-8, 2000, 500, backend)
    assert np.isfinite(states(found)).all()
    assert (found.excess_risk.isel(step=-1) < found.excess_risk.isel(step=0)).all()


def test_long_gaps_are_made_in_pieces(monkeypatch):
    """So that an interrupt is felt soon, and the bar moves; nothing else is to be noticed."""
    whole = simulate(TASK, UniformStart(3), FALLING, 4e-3, 100, 40, "numpy")
    asked = []

    class Watched(TaskEngine):
        def advance(self, inverse_temperatures, every):
            asked.append(inverse_temperatures.size)
            return super().advance(inverse_temperatures, every)

    monkeypatch.setattr(runs_module, "TaskEngine", Watched)
    for stride, most in ((21, 7), (3, 1), (1, 1), (90, 30), (150, 40), (250, 80), (10**6, 80)):
        asked.clear()
        monkeypatch.setattr("slrsym.models.training.runs._STRIDE", stride)
        same(simulate(TASK, UniformStart(3), FALLING, 4e-3, 100, 40, "numpy"), whole)
        assert sum(asked) == 100
        assert max(asked) == most


# -- resumed -----------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:.*is too large:RuntimeWarning")
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("first", [0, 16, 18, 3], ids=["at once", "on the beat", "off it", "early"])
def test_resumed_runs_are_those_that_were_not_interrupted(first, start, backend):
    def run(steps):
        return simulate(TASK, start, FALLING, 4e-3, steps, 4, backend)

    same(resume(run(first), 30), run(30))
    same(resume(resume(run(first), 21), 30), run(30))


@pytest.mark.parametrize("cut", [lambda r: r.isel(step=slice(4)), lambda r: r.drop_dims("axis")])
@pytest.mark.parametrize("start", STARTS)
def test_runs_without_the_coordinates_of_their_last_step_are_resumed_up_to_rounding(start, cut):
    """They were cut off, or saved by an earlier version."""
    whole = simulate(TASK, start, FALLING, 4e-3, 30, 4, "numpy")
    before = cut(simulate(TASK, start, FALLING, 4e-3, 18, 4, "numpy"))
    found = resume(before, 30)
    assert found.step.values.tolist() == whole.step.values.tolist()
    assert np.abs(states(found) - states(whole)).max() < 1e-14
    assert (states(found)[:, :4] == states(whole)[:, :4]).all()


@thorough_only
def test_resumed_from_a_file(tmp_path):
    file, other = tmp_path / "runs.nc", tmp_path / "other.nc"
    simulate(TASK, UniformStart(3), FALLING, 4e-3, 18, 4, "numpy", path=file)
    whole = simulate(TASK, UniformStart(3), FALLING, 4e-3, 30, 4, "numpy")
    same(resume(file, 30, path=other), whole)
    same(load(other), whole)
    assert int(load(file).step[-1]) == 18
    same(resume(str(file), 30), whole)
    same(load(file), whole)


def test_resumed_by_another_backend():
    before = simulate(TASK, UniformStart(3), FALLING, 4e-3, 16, 4, "numpy")
    before.attrs |= {"backend": "numba", "version_numba": "0.0", "version_numpy": "0.0"}
    found = resume(before, 30, backend="numpy")
    same(found, simulate(TASK, UniformStart(3), FALLING, 4e-3, 30, 4, "numpy"))


def test_resumed_with_another_schedule():
    before = simulate(TASK, UniformStart(3), 0.9, 4e-3, 8, 4, "numpy")
    table = [0.9] * 8 + [0.5] * 9
    found = resume(before, 16, 0.5)
    assert found.attrs["schedule"] == "Constant(lam=0.5)"
    # The step at which it is resumed was logged before.
    assert found.lam.values.tolist() == [0.9, 0.9, 0.9, 0.5, 0.5]
    assert (
        states(found) == states(simulate(TASK, UniformStart(3), table, 4e-3, 16, 4, "numpy"))
    ).all()


@pytest.mark.parametrize(
    "schedule", [[0.9] * 31, lambda t: 0.9 + 0.0 * t], ids=["table", "function"]
)
def test_a_schedule_without_words_has_to_be_given_again(schedule):
    before = simulate(TASK, UniformStart(3), schedule, 4e-3, 16, 4, "numpy")
    with pytest.raises(ValueError, match="schedule must be given again: it was"):
        resume(before, 30)
    found = resume(before, 30, schedule)
    same(found, simulate(TASK, UniformStart(3), schedule, 4e-3, 30, 4, "numpy"))


def test_some_of_the_runs_are_resumed():
    before = simulate(TASK, UniformStart(5), FALLING, 4e-3, 18, 4, "numpy")
    whole = simulate(TASK, UniformStart(5), FALLING, 4e-3, 30, 4, "numpy")
    same(resume(before.isel(run=[3, 1]), 30), whole.isel(run=[3, 1]))
    # Transposed they are the same runs; five of them and five steps, which a mistake would mix.
    assert resume(before, 18).sizes == before.sizes
    turned = before.isel(step=slice(5)).transpose("step", "run", ...)
    assert np.abs(states(resume(turned, 30)) - states(whole)).max() < 1e-14


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda r: r.drop_attrs(), "runs must be a dataset that simulate returned or saved"),
        (lambda r: r.drop_vars("rho"), "runs must be a dataset"),
        (lambda r: r.isel(run=0), "runs must be a dataset"),
        (lambda r: r.isel(step=slice(0)), "runs must be a dataset"),
        (lambda r: r.kappa, "runs must be a dataset"),
        (lambda r: None, "runs must be a dataset"),
        (lambda r: r.assign(kappa=r.kappa * np.nan), "runs must be finite; run 0"),
        (lambda r: r.assign(kappa=r.kappa + 2), "runs must be feasible"),
    ],
)
def test_what_cannot_be_resumed(change, said):
    before = simulate(TASK, UniformStart(2), 0.1, 4e-3, 4, backend="numpy")
    with pytest.raises(ValueError, match=said):
        resume(change(before), 9)


def test_runs_are_not_resumed_into_the_past():
    before = simulate(TASK, UniformStart(2), 0.1, 4e-3, 4, backend="numpy")
    with pytest.raises(ValueError, match="steps must be at least 4, the last step logged; got 3"):
        resume(before, 3)
    same(resume(before), before)


# -- interrupted -------------------------------------------------------------------------------


def interrupted(monkeypatch, after):
    """Interrupts an engine after some steps, in the middle of others."""
    advance = TaskEngine.advance
    made = []

    def until(self, inverse_temperatures, every):
        if sum(made) >= after:
            advance(self, inverse_temperatures[:1], 1)
            raise KeyboardInterrupt
        made.append(inverse_temperatures.size)
        return advance(self, inverse_temperatures, every)

    monkeypatch.setattr(TaskEngine, "advance", until)
    monkeypatch.setattr("slrsym.models.training.runs._STRIDE", 12)


@pytest.mark.parametrize("after", [0, 4, 12])
def test_an_interrupt_leaves_a_complete_file_that_can_be_resumed(after, tmp_path, monkeypatch):
    file = tmp_path / "runs.nc"
    with monkeypatch.context() as patch:
        interrupted(patch, after)
        with pytest.raises(KeyboardInterrupt):
            simulate(TASK, UniformStart(3), FALLING, 4e-3, 30, 4, "numpy", path=file)
    assert [f.name for f in tmp_path.iterdir()] == ["runs.nc"]
    assert int(load(file).step[-1]) == after
    # Up to where it was to go at first.
    same(resume(file), simulate(TASK, UniformStart(3), FALLING, 4e-3, 30, 4, "numpy"))
    assert int(load(file).step[-1]) == 30


def test_an_interrupt_of_resumed_runs_loses_nothing(tmp_path, monkeypatch):
    file = tmp_path / "runs.nc"
    before = simulate(TASK, UniformStart(3), FALLING, 4e-3, 18, 4, "numpy", path=file)
    with monkeypatch.context() as patch:
        interrupted(patch, 0)
        with pytest.raises(KeyboardInterrupt):
            resume(file, 30)
    # The step off the beat is there until one after it is.
    xr.testing.assert_equal(load(file), before)
    assert load(file).attrs["steps"] == 30
    same(resume(file), simulate(TASK, UniformStart(3), FALLING, 4e-3, 30, 4, "numpy"))


def test_a_long_gap_that_is_interrupted_goes_back_to_its_beginning(tmp_path, monkeypatch):
    file = tmp_path / "runs.nc"
    with monkeypatch.context() as patch:
        interrupted(patch, 8)
        with pytest.raises(KeyboardInterrupt):
            simulate(TASK, UniformStart(3), FALLING, 4e-3, 30, 15, "numpy", path=file)
    assert load(file).step.values.tolist() == [0]
    same(resume(file), simulate(TASK, UniformStart(3), FALLING, 4e-3, 30, 15, "numpy"))


def test_an_interrupt_without_a_file_is_one(monkeypatch):
    interrupted(monkeypatch, 4)
    with pytest.raises(KeyboardInterrupt):
        simulate(TASK, UniformStart(3), FALLING, 4e-3, 30, 4, "numpy")


# -- what is refused ---------------------------------------------------------------------------

GOOD = {"task": TASK, "start": UniformStart(1), "schedule": 0.1, "alpha": 1e-3, "steps": 3}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"alpha": 0}, "alpha must be positive and finite; got 0"),
        ({"alpha": -1e-3}, "alpha must be positive and finite; got -0.001"),
        ({"alpha": np.nan}, "alpha must be positive and finite; got nan"),
        ({"alpha": np.inf}, "alpha must be positive and finite; got inf"),
        ({"alpha": "small"}, "alpha must be positive and finite; got 'small'"),
        ({"alpha": None}, "alpha must be positive and finite; got None"),
        ({"steps": -1}, "steps must be an integer of at least 0; got -1"),
        ({"steps": 2.0}, "steps must be an integer of at least 0; got 2.0"),
        ({"steps": True}, "steps must be an integer of at least 0; got True"),
        ({"every": 0}, "every must be an integer of at least 1; got 0"),
        ({"every": 0.5}, "every must be an integer of at least 1; got 0.5"),
        ({"backend": "jax"}, "backend must be one of auto, numpy, numba; got 'jax'"),
        ({"backend": "ball"}, "backend must be one of auto, numpy, numba; got 'ball'"),
        ({"backend": None}, "backend must be one of auto, numpy, numba; got None"),
        ({"start": [[0, 0, 0, 0, np.nan]]}, "start must be finite; run 0 has"),
        ({"start": [[1, 0, 1, 0, 0]]}, "start must be feasible: the Gram matrix"),
        ({"start": [[1.5, 0]]}, r"start must be feasible.*run 0 has \[1.5, 0.0\]"),
        ({"start": [1, 0]}, "start must have shape"),
        (
            {"start": [[0] * 5], "task": Task(2, 1, 1)},
            "start must be feasible.* a rank above d = 2",
        ),
        ({"schedule": 0}, "schedule must be positive and finite; got 0"),
        ({"schedule": [0.1, 0.1]}, "a value for each step from 0 to 3, that is 4; got 2"),
        ({"schedule": "hot"}, "schedule must be a number"),
    ],
    ids=str,
)
def test_bad_input(change, said):
    with pytest.raises(ValueError, match=said):
        simulate(**(GOOD | change))


def test_no_task():
    with pytest.raises(TypeError, match=r"task must be a Task; got \(400, 10, 0.7\)"):
        simulate((400, 10, 0.7), UniformStart(1), 0.1, 1e-3, 3)


def test_the_planar_map_is_one_of_the_square_whatever_d_is():
    found = simulate(Task(2, 1, 1.0), [[0.1, 0.2]], 0.3, 0.1, 5)
    assert (np.diff(found.kappa.values) != 0).all()


def test_without_numba(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    assert simulate(**GOOD).attrs["backend"] == "numpy"
    with pytest.raises(NumbaMissingError, match="pip install numba"):
        simulate(**GOOD, backend="numba")
    before = simulate(**GOOD, backend="numpy")
    before.attrs["backend"] = "numba"
    with pytest.raises(NumbaMissingError, match="backend='numpy' works without"):
        resume(before, 9)
    assert resume(before, 9, backend="auto").attrs["backend"] == "numpy"


def test_the_default_backend():
    fast = importlib.util.find_spec("numba") is not None
    assert simulate(**GOOD).attrs["backend"] == ("numba" if fast else "numpy")


def test_simulate_is_public():
    assert single_location.simulate is simulate


# -- the progress bar --------------------------------------------------------------------------


@pytest.mark.parametrize("terminal", [True, False])
@pytest.mark.parametrize("wanted", [None, True, False])
def test_the_progress_bar(wanted, terminal, monkeypatch, capsys):
    screen = Screen(terminal)
    monkeypatch.setattr(sys, "stderr", screen)
    for name in ("NO_COLOR", "TERM", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("slrsym.models.training.runs._STRIDE", 30)
    shown = simulate(TASK, UniformStart(3), 0.1, 1e-3, 200, 10, "numpy", progress=wanted)
    xr.testing.assert_equal(
        shown, simulate(TASK, UniformStart(3), 0.1, 1e-3, 200, 10, "numpy", progress=False)
    )
    by_default = terminal if wanted is None else wanted
    text = screen.getvalue()
    assert bool(text.strip()) == by_default
    if by_default:
        assert "steps" in text
        assert "100%" in text
    # Nothing of it is in what is to be piped on.
    assert capsys.readouterr().out == ""


# -- step sizes --------------------------------------------------------------------------------


# The other engine; tests/properties has descent of risks.
@thorough_cases("numpy-start0", "numpy-start1")
@pytest.mark.parametrize("start", [UniformStart(3, seed=1), ManifoldStart(3, seed=1)])
@pytest.mark.parametrize("backend", BACKENDS)
def test_too_large_a_step_is_told_with_the_largest_stable_one(start, backend):
    task = Task(60, 4, 0.8)
    with pytest.warns(RuntimeWarning, match="alpha = 4 is too large") as told:
        thrown = simulate(task, start, 0.2, 4, 300, 10, backend)
    stable = float(str(told[0].message).rpartition(" ")[2])
    # With that step it settles, and nothing is said.
    settled = simulate(task, start, 0.2, 0.9 * stable, 20_000, 200, backend)
    assert np.ptp(settled.excess_risk.values[:, -10:], axis=1).max() < 1e-9
    assert (thrown.excess_risk.values[:, -1] > settled.excess_risk.values[:, -1] + 0.05).all()


def test_the_largest_curvature_is_that_of_the_hessian():
    task = Task(30, 4, 0.8)
    points = np.random.default_rng(0).standard_normal((50, 2, 5))
    points /= np.linalg.norm(points, axis=-1, keepdims=True)
    for lam in (0.1, 1.0):
        exact = np.linalg.eigvalsh(riemannian_derivatives_and_basis(points, lam, task)[1])[:, -1]
        assert largest_curvatures(points, lam, task) == pytest.approx(exact, rel=1e-6, abs=1e-6)


def test_the_figures_steps_are_not_too_large():
    """That of figure 4a is, at its start, and is not where runs end."""
    simulate(
        Task(400, 10, 0.5**0.5),
        UniformStart(4, seed=1),
        InverseTimeDecay(1, 1e-4),
        4e-3,
        60_000,
        600,
    )


def test_long_work_is_foretold(monkeypatch):
    def stop(*_, **__):
        raise InterruptedError

    # Nothing is run: what is said comes before.
    monkeypatch.setattr(runs_module, "as_schedule", stop)
    task = Task(d=10, L=2, gamma=1.0)
    for batch, told in ((10**6, "8.3 hours"), (10**8, "35 days"), (10**12, "950 years")):
        with pytest.warns(RuntimeWarning, match=f"about {told}"), pytest.raises(InterruptedError):
            simulate(task, UniformStart(3), 0.1, 1e-3, 10_000, batch=batch)
    # Any warning would be an error here.
    with pytest.raises(InterruptedError):
        simulate(task, UniformStart(3), 0.1, 1e-3, 10_000, batch=5)
