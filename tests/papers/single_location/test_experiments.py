"""The paper's settings, what is seen when they are run, and data that are kept."""

import importlib.util
from dataclasses import replace

import numpy as np
import pytest

from slrsym.documents.figures import recipe
from slrsym.documents.figures.recipes import (
    load_or_compute,
    parameter_names,
    with_parameters,
)
from slrsym.papers.single_location import Task, experiments
from slrsym.papers.single_location.dynamics import (
    Constant,
    InverseTimeDecay,
    ManifoldStart,
    UniformStart,
    load,
    save,
)
from slrsym.papers.single_location.experiments import EXPERIMENTS
from slrsym.papers.single_location.paper_risk import excess_risk
from slrsym.papers.single_location.surveys import OracleSurvey, SquareSurvey
from tests._profile import nightly_only, thorough_only

needs_numba = pytest.mark.skipif(
    importlib.util.find_spec("numba") is None,
    reason="the figures' full number of steps takes a minute without Numba",
)

SMALL = replace(EXPERIMENTS["4a"], start=UniformStart(3), steps=50, every=20)
SAMPLED = replace(EXPERIMENTS["5"], start=UniformStart(3), steps=50, every=20)


def test_the_table_of_the_paper():
    shown = {
        name: (e.task.d, e.task.L, e.schedule, e.start, e.alpha, e.steps, e.runs, e.batch)
        for name, e in EXPERIMENTS.items()
    }
    assert shown == {
        "4a": (400, 10, InverseTimeDecay(1, 1e-4), UniformStart(30), 4e-3, 120_000, 30, None),
        "4b": (400, 10, Constant(0.1), ManifoldStart(30), 4e-3, 20_000, 30, None),
        "5": (80, 10, InverseTimeDecay(2, 1e-4), UniformStart(30), 1e-3, 200_000, 30, 5),
        "7a": (400, 10, Constant(0.9), UniformStart(30), 1e-3, 120_000, 30, None),
        "7b": (400, 10, Constant(0.1), UniformStart(30), 4e-3, 20_000, 30, None),
    }
    for name, experiment in EXPERIMENTS.items():
        assert experiment.task.gamma**2 == pytest.approx(0.5, rel=1e-15)
        assert experiment.task.epsilon == (0.1 if name == "5" else 0)
        assert 200 <= experiment.every <= 500
        assert experiment.steps % experiment.every == 0


@pytest.fixture(scope="module")
def full():
    return {name: EXPERIMENTS[name].compute() for name in ("4a", "4b", "7a", "7b")}


@pytest.fixture(scope="module")
def sampled():
    return replace(EXPERIMENTS["5"], steps=20_000).compute()


@needs_numba
class TestFullSize:
    """Section 5 and appendix E.2 of the paper, in numbers."""

    @thorough_only
    def test_all_steps_of_all_runs(self, full):
        for name, runs in full.items():
            assert runs.sizes["run"] == 30
            assert int(runs.step[-1]) == EXPERIMENTS[name].steps

    def test_4a_recovers_and_nu_is_faster(self, full):
        runs = full["4a"]
        last = runs.isel(step=-1)
        assert (abs(last.kappa) > 0.999).all()
        assert (abs(last.nu) > 0.999).all()
        assert (last.kappa * last.nu > 0).all()
        assert (last.distance < 1e-8).all()
        # Steps until half of the way, run by run.
        half = {name: (abs(runs[name]) > 0.5).argmax("step") for name in ("kappa", "nu")}
        assert (half["kappa"] > 5 * half["nu"]).all()
        assert (np.diff(runs.excess_risk.mean("run")) < 0).all()

    def test_4b_recovers_on_the_manifold(self, full):
        last = full["4b"].isel(step=-1)
        assert (abs(last.kappa) > 0.97).all()
        assert (abs(last.nu) > 0.9999).all()
        assert (last.kappa * last.nu > 0).all()
        assert (full["4b"].distance == 0).all()

    def test_7a_is_stuck_far_from_the_manifold(self, full):
        last = full["7a"].isel(step=-1)
        assert ((abs(last.kappa) > 0.27) & (abs(last.kappa) < 0.32)).all()
        assert float(abs(last.nu).mean()) > 0.95
        assert float(last.distance.mean()) > 0.5
        assert float(last.excess_risk.min()) > 3.8

    def test_7b_recovers_or_swaps(self, full):
        last = full["7b"].isel(step=-1)
        recovered = (abs(last.kappa) > 0.97) & (abs(last.nu) > 0.999) & (last.distance < 1e-6)
        swapped = (abs(last.kappa) < 1e-3) & (abs(last.nu) < 1e-3) & (last.distance > 1)
        assert (recovered | swapped).all()
        assert 5 <= int(swapped.sum()) <= 25
        assert float(last.excess_risk.max()) < 0.12
        assert np.allclose(abs(last.theta[swapped]), 0.630, atol=5e-4)
        assert np.allclose(last.excess_risk[swapped], 0.115512, atol=5e-7)

    @thorough_only
    def test_5_recovers_with_noise(self, sampled):
        """As in figure 4a, up to the noise of the batches, which leave the manifold."""
        assert sampled.sizes["run"] == 30
        # A tenth of the steps: the whole takes fifteen seconds of a core.
        last = sampled.isel(step=-1)
        assert ((abs(last.nu) > 0.65) & (abs(last.nu) < 0.95)).all()
        assert ((abs(last.kappa) > 0.1) & (abs(last.kappa) < 0.5)).all()
        assert (last.kappa * last.nu > 0).all()
        assert ((last.distance > 1e-3) & (last.distance < 0.4)).all()
        assert float(abs(sampled.nu[:, 0]).max()) < 0.4
        # They begin where they should.
        start = EXPERIMENTS["5"].start.overlaps(EXPERIMENTS["5"].task)
        assert np.array_equal(sampled.kappa[:, 0], start[:, 0])

    @nightly_only  # fifteen seconds of a core
    def test_5_in_whole(self):
        runs = EXPERIMENTS["5"].compute()
        last = runs.isel(step=-1)
        assert int(last.step) == 200_000
        assert (abs(last.kappa) > 0.99).all()
        assert (abs(last.nu) > 0.99).all()
        assert (last.kappa * last.nu > 0).all()
        assert (last.distance < 0.1).all()
        # By then, not below the oracle's.
        oracle = excess_risk([1, 1, 0, 0, 0], float(last.lam), EXPERIMENTS["5"].task)
        assert ((last.excess_risk > oracle) & (last.excess_risk < 1.1 * oracle)).all()


@pytest.fixture
def file(tmp_path):
    return tmp_path / "runs.nc"


@pytest.fixture
def no_more_runs(monkeypatch):
    """From here on nothing may be computed."""

    def stop():
        def fail(*_, **__):
            raise AssertionError("computed again")

        monkeypatch.setattr(experiments, "simulate", fail)
        monkeypatch.setattr(experiments, "resume", fail)

    return stop


def test_settings_are_attributes_of_the_data():
    for experiment in (
        SMALL,
        replace(SMALL, start=ManifoldStart(2), schedule=Constant(0.3)),
        SAMPLED,
    ):
        attributes = experiment.compute().attrs
        assert experiment.settings == {name: attributes[name] for name in experiment.settings}
        # All there are but the backend and versions, which do not matter.
        others = set(attributes) - set(experiment.settings)
        assert all(name == "backend" or name.startswith("version_") for name in others)


def test_without_a_file_nothing_is_kept(tmp_path):
    assert load_or_compute(SMALL).sizes["run"] == 3
    assert not list(tmp_path.iterdir())


def test_data_are_kept_and_read_again(file, no_more_runs):
    made = load_or_compute(SMALL, file)
    no_more_runs()
    assert load_or_compute(SMALL, file).identical(load(file))
    assert load_or_compute(SMALL, file).equals(made)
    assert [f.name for f in file.parent.iterdir()] == ["runs.nc"]


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (replace(SMALL, alpha=1e-3), r"alpha = 0\.004; needed is alpha = 0\.001"),
        (replace(SMALL, task=Task(401, 10, 0.5**0.5)), "task_d = 400; needed is task_d = 401"),
        (replace(SMALL, start=UniformStart(3, seed=1)), r"seed=0\); needed is .*seed=1\)"),
        (replace(SMALL, schedule=Constant(1)), r"needed is schedule = Constant\(lam=1\.0\)"),
        (replace(SMALL, steps=60), "steps = 50; needed is steps = 60"),
    ],
)
def test_data_of_other_settings_are_refused_and_left_alone(file, other, said):
    load_or_compute(SMALL, file)
    before = file.read_bytes()
    with pytest.raises(ValueError, match=said):
        load_or_compute(other, file)
    assert file.read_bytes() == before


def test_other_data_are_refused(file):
    save(SMALL.compute().drop_attrs(), file)
    with pytest.raises(ValueError, match="is no file of runs"):
        load_or_compute(SMALL, file)
    file.write_text("no netCDF")
    with pytest.raises(ValueError, match="is no file of runs"):
        load_or_compute(SMALL, file)
    assert file.read_text() == "no netCDF"


@thorough_only
def test_surveys_are_kept_and_read_again(file, monkeypatch):
    survey = SquareSurvey(points=9)
    made = load_or_compute(survey, file)
    monkeypatch.setattr(SquareSurvey, "compute", None)
    assert load_or_compute(survey, file).equals(made)
    with pytest.raises(ValueError, match=r"lam = 0\.1; needed is lam = 0\.2"):
        load_or_compute(replace(survey, lam=0.2), file)
    before = file.read_bytes()
    with pytest.raises(ValueError, match="survey = square; needed is survey = oracle"):
        load_or_compute(OracleSurvey(), file)
    with pytest.raises(ValueError, match="is no file of runs"):
        load_or_compute(SMALL, file)
    assert file.read_bytes() == before


def test_data_that_are_not_the_survey_are_refused(file):
    load_or_compute(SMALL, file)
    with pytest.raises(ValueError, match="holds other data: it has no setting survey"):
        load_or_compute(OracleSurvey(), file)
    file.write_text("no netCDF")
    with pytest.raises(ValueError, match="is no file of data"):
        load_or_compute(OracleSurvey(), file)


@pytest.mark.filterwarnings("ignore:.*is too large:RuntimeWarning")
@pytest.mark.parametrize("experiment", [SMALL, SAMPLED], ids=["law", "batches"])
def test_interrupted_runs_are_completed(file, experiment):
    made = experiment.compute()
    save(replace(experiment, steps=20).compute().assign_attrs(steps=50), file)
    assert int(load(file).step[-1]) == 20
    assert load_or_compute(experiment, file).equals(made)
    assert load(file).equals(made)


def test_runs_that_an_earlier_version_saved_are_read_and_completed(file):
    """They have no coordinates, and an attribute that says how steps were taken."""
    made = SMALL.compute(backend="numpy")
    short = made.isel(step=slice(2)).drop_dims("axis").assign_attrs(dynamics="overlaps")
    save(short, file)
    found = load_or_compute(SMALL, file)
    assert found.attrs == made.attrs
    assert np.abs(found.kappa - made.kappa).max() < 1e-12


def test_runs_with_batches_are_not_taken_for_runs_without(file):
    law, sampled = replace(SAMPLED, batch=None), replace(SAMPLED, batch=4)
    load_or_compute(SAMPLED, file)
    with pytest.raises(ValueError, match="batch = 5; needed is batch = 4"):
        load_or_compute(sampled, file)
    with pytest.raises(ValueError, match="holds data with batch = 5; needed are data without"):
        load_or_compute(law, file)
    save(law.compute(), file)
    with pytest.raises(ValueError, match="it has no setting batch"):
        load_or_compute(SAMPLED, file)


@pytest.mark.parametrize("name", ["2", "3", "4a", "5", "8", "9", "basins"])
def test_parameters_are_those_that_can_be_altered(name):
    found = recipe(name)
    values = {"lam": 0.2, "lam0": 0.3, "rate": 1e-3, "gamma": 0.9, "epsilon": 0.2, "alpha": 3e-3}
    values |= {"shared": True}
    for parameter in ("d", "L", "steps", "runs", "batch", "seed", "shared", *values):
        if parameter in parameter_names(found):
            changed = with_parameters(found, **{parameter: values.get(parameter, 24)})
            assert changed.settings != found.settings
        else:
            with pytest.raises(ValueError, match=f"^{parameter} is no parameter of it; there are"):
                with_parameters(found, **{parameter: 20})
    assert ("d" in parameter_names(found)) == (name != "3")
    assert ("batch" in parameter_names(found)) == (name in ("5", "8", "9"))
