"""Commands for any model: of a file, or registered; what they show, write and refuse."""

import json

import numpy as np
import pytest
import xarray as xr

from slrsym.models.registered_models import find_model, registered_models
from slrsym.papers.single_location.models import attention
from tests._profile import thorough_only

from ._cli import exits, refused, run

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
