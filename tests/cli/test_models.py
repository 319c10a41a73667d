"""Commands for any model: of a file, or registered; what they show, write and refuse."""

import json

import numpy as np
import pytest
import xarray as xr

from slrsym.models.registered_models import find_model, registered_models
from slrsym.papers.single_location.models import attention
from tests._cli import exits, refused, run
from tests._profile import thorough_only

MODEL = """\
from sympy import Symbol, erf
from slrsym.models import Direction, Predictor, Token, TokenSequence, model

tau = Symbol("tau", nonnegative=True)
u, w = Direction("u", unit=True), Direction("w")
data = TokenSequence({Token(target=lambda X: erf(X @ u)): 1}, noise=tau)
m = model(data, Predictor(lambda X: erf(X @ w)))
number = 3
"""
NUMPY = ("--backend", "numpy")


@pytest.fixture
def stated(tmp_path):
    """A model in a file, with values of its parameters."""
    file = tmp_path / "my_model.py"
    file.write_text(MODEL, encoding="utf-8")
    return (f"{file}:m", "--set", "d=100", "--set", "tau=1/10")


def test_descent_of_a_model_in_a_file(tmp_path, stated):
    file, numbers = tmp_path / "runs.nc", tmp_path / "ends.json"
    options = ("--alpha", 0.05, "--runs", 3, *NUMPY, "--json", numbers)
    shown = exits(run("simulate", *stated, "--steps", 300, *options, "-o", file), 0, f"{file}\n")
    assert "<w, u>" in shown.stdout
    (end,) = json.loads(numbers.read_text())["ends"]
    assert end["runs"] == 3
    with xr.open_dataset(file) as found:
        # The same as by the method.
        by_method = (
            find_model(stated[0])
            .make()
            .simulate({"d": 100, "tau": 0.1}, steps=300, alpha=0.05, runs=3, rng=0, backend="numpy")
        )
        assert (found.excess_risk.values == by_method.excess_risk.values).all()
        assert end["excess_risk"] == pytest.approx(float(found.excess_risk[:, -1].mean()))
    # Saved runs go on.
    more = exits(
        run("simulate", *stated, "--start", file, "--steps", 500, "--alpha", 0.05, *NUMPY), 0
    )
    assert "after 500 steps" in more.stdout


def test_critical_points_recovery_and_check_of_a_model(tmp_path, stated):
    exits(run("landscape", *stated, "--starts", 6), 0, "minimum", "<w, u>")
    (point,) = json.loads(run("landscape", *stated, "--starts", 6, "--json", "-").stdout)
    assert point["risk"] == pytest.approx(0.01)
    training = ("--steps", 300, "--alpha", 0.05, "--runs", 3, *NUMPY)
    shown = exits(run("recovery", *stated, "--pair", "w,u", *training), 0, "100 % of 3 runs")
    assert "interval" in shown.stdout
    found = json.loads(run("recovery", *stated, "--pair", "w,u", *training, "--json", "-").stdout)
    assert (found["fraction"], found["runs"]) == (1, 3)
    exits(run("check", *stated, "--samples", 2000), 0, "Agrees with sampled tokens")


def test_a_model_that_samples_contradict_fails(monkeypatch, stated):
    from slrsym.models.model_reports import SampledTokenComparison

    wrong = SampledTokenComparison(1.0, 2.0, 0.1, {"risk": 10.0})
    monkeypatch.setattr("slrsym.models.stated_model.Model.check", lambda *_, **__: wrong)
    exits(run("check", *stated), 1, "Disagrees")


def test_a_registered_model_has_usual_values():
    assert {"single-location", "committee"} <= registered_models().keys()
    how = ("--steps", 20, "--runs", 2, *NUMPY)
    shown = exits(run("simulate", "--set", "lambda=0.3", "--set", "d=30", *how), 0)
    assert "kappa" in shown.stdout
    again = run("simulate", "single-location", "--set", "d=30", "--set", "lambda=0.3", *how)
    assert again.stdout == shown.stdout
    falling = run("simulate", "--set", "lambda=1/(1+0.1*t)", "--set", "d=30", *how)
    assert exits(falling, 0).stdout != shown.stdout
    batches = run("simulate", "--set", "lambda=0.3", "--set", "d=30", "--batch", 2, *how)
    assert exits(batches, 0).stdout != shown.stdout


@thorough_only
def test_the_paper_s_own_engine_ends_at_the_same_places():
    """From the same Gram matrices, at the settings of figure 7b."""
    from slrsym.papers.single_location import Task, simulate
    from slrsym.papers.single_location.dynamics import UniformStart

    task = Task(400, 10, 0.5**0.5)
    theirs = simulate(task, UniformStart(5, seed=1), 0.1, 4e-3, 2000, 2000)
    values = registered_models()["single-location"].values
    of = attention()
    first = theirs.isel(step=0)
    places = {x: i for i, x in enumerate(of.model.directions)}
    start = np.zeros((5, 4, 4)) + np.eye(4)
    products = {
        (of.k, of.v): "rho", (of.k, of.k_star): "kappa", (of.v, of.v_star): "nu",
        (of.v, of.k_star): "theta", (of.k, of.v_star): "eta",
    }  # fmt: skip
    for (x, y), name in products.items():
        start[:, places[x], places[y]] = start[:, places[y], places[x]] = first[name]
    ours = of.model.simulate(values, steps=2000, alpha=4e-3, start=start, backend="numpy")
    for name in ("kappa", "nu", "theta", "eta", "rho"):
        assert np.abs(ours[name][:, -1].values - theirs[name][:, -1].values).max() < 1e-10


def test_bad_usage(tmp_path, stated):
    model = stated[0]
    refused(run("simulate", "nothing"), "MODEL", "one of single-location, ", "got 'nothing'")
    refused(run("simulate", f"{tmp_path / 'no.py'}:m"), "MODEL", "there is no file")
    refused(run("check", model.replace(":m", ":number")), "no model in", "models in it are m")
    refused(run("simulate", *stated, "--alpha", 1), "--steps", "is needed, such as 1000")
    refused(run("simulate", *stated, "--steps", 1), "--alpha", "is needed")
    how = ("--steps", 1, "--alpha", 1, "--runs", 1)
    refused(run("simulate", model, "--set", "d=9", *how), "--set", "tau is needed, such as")
    refused(run("simulate", *stated, "--set", "beta=1", *how), "beta")
    refused(run("simulate", *stated, "--set", "d=9", *how), "--set", "d is given already")
    refused(run("simulate", *stated, "--dimensions", "4,x", *how), "--dimensions", "got '4,x'")
    refused(run("simulate", *stated, "--dimensions", "40,50", *how), "dimensions")
    refused(run("recovery", *stated, "--pair", "w,z", *how), "--pair", "two of ", "got 'w,z'")
    broken = tmp_path / "broken.py"
    broken.write_text("1 / 0\n")
    refused(run("check", f"{broken}:m"), "cannot be run: ZeroDivisionError")


# -- several values of a parameter --------------------------------------------------------------

GRID = ("--set", "tau=0.1,1/2")
DESCENT = ("--steps", 40, "--alpha", 0.05, "--runs", 3, *NUMPY)


def test_a_table_and_a_file_for_each_value(tmp_path, stated):
    model, file = stated[0], tmp_path / "runs.nc"
    shown = run("simulate", model, "--set", "d=100", *GRID, *DESCENT, "-o", file, "--json", "-")
    points = json.loads(exits(shown, 0).stdout)
    assert [point["set"] for point in points] == [{"tau": 0.1}, {"tau": 0.5}]
    assert "τ" in shown.stderr or "tau" in shown.stderr
    for point in points:
        tau = point["set"]["tau"]
        alone = ("--set", "d=100", "--set", f"tau={tau}", *DESCENT, "--json", "-")
        assert json.loads(run("simulate", model, *alone).stdout)["ends"] == point["ends"]
        with xr.open_dataset(tmp_path / f"runs-tau-{tau}.nc") as found:
            assert (found["tau"] == tau).all()
    assert not file.exists()


def test_two_grids_make_all_pairs(stated):
    shown = run("check", stated[0], "--set", "d=10,20", *GRID, "--samples", 500, "--json", "-")
    found = [point["set"] for point in json.loads(shown.stdout)]
    assert found == [{"d": d, "tau": tau} for d in (10, 20) for tau in (0.1, 0.5)]


def test_critical_points_at_each_value(stated):
    shown = run("landscape", stated[0], "--set", "d=100", *GRID, "--starts", 4, "--json", "-")
    risks = {x["set"]["tau"]: x["points"][0]["risk"] for x in json.loads(shown.stdout)}
    assert risks == pytest.approx({0.1: 0.01, 0.5: 0.25})


def test_recovery_on_a_grid_has_a_row_for_each_value_and_goes_on(tmp_path, stated, monkeypatch):
    file = tmp_path / "counts.nc"
    grid = (stated[0], "--set", "tau=0.1", "--set", "d=5,100", "--pair", "w,u", *DESCENT)
    rows = json.loads(exits(run("recovery", *grid, "--json", "-"), 0).stdout)
    for row in rows:
        alone = (*grid[:3], "--set", f"d={row['set']['d']}", *grid[5:], "--json", "-")
        one = json.loads(run("recovery", *alone).stdout)
        assert (one["fraction"], one["interval"]) == (row["fraction"], row["interval"])
    # Interrupted at the second value, it goes on from the first.
    import slrsym.models.training.recovery_sweep as sweeps

    seen, descend = [], sweeps.simulate

    def counted(model, values, **how):
        seen.append(values["d"])
        if len(seen) == 2:
            raise KeyboardInterrupt
        return descend(model, values, **how)

    monkeypatch.setattr(sweeps, "simulate", counted)
    stopped = run("recovery", *grid, "-o", file)
    assert "the same command goes on, from" in stopped.stderr
    exits(run("recovery", *grid, "-o", file), 0, f"saved in {file}")
    assert seen == [5, 100, 100]
    with xr.open_dataset(file) as found:
        assert found["fraction"].values.tolist() == [row["fraction"] for row in rows]
        assert found["d"].values.tolist() == [5, 100]
    refused(run("recovery", *grid, "-o", file, "--seed", 1), "holds counts with rng = 0")
    refused(run("recovery", *grid, "-o", file, "--batch", 2), "batch")


def test_schedules_on_a_grid_are_told_by_their_formulas(stated):
    values = ("--set", "d=30", "--set", "tau=0.1,min(1,t),1/(1+0.5*t)")
    shown = run("recovery", stated[0], *values, "--pair", "w,u", *DESCENT, "--json", "-")
    found = [row["set"]["tau"] for row in json.loads(exits(shown, 0).stdout)]
    assert found == [0.1, "min(1,t)", "1/(1+0.5*t)"]


def test_bad_grids(tmp_path, stated):
    refused(run("simulate", stated[0], "--set", "tau=1,1", *DESCENT), "--set", "1 twice")
    refused(run("simulate", stated[0], "--set", "tau=1,", *DESCENT), "--set", "tau: must be")
    wrong = ("--set", "d=30", "--set", "tau=1,-1", "--pair", "w,u", *DESCENT)
    refused(run("recovery", stated[0], *wrong), "tau must be")
    both = ("--set", "d=30", "--set", "tau=1/(1+t*2),1/(1+t/2)", "-o", tmp_path / "x.nc")
    refused(run("simulate", stated[0], *both, *DESCENT), "--output")
