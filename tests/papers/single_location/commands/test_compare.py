"""The command that compares predictors: its table, its data, and what it refuses."""

import json
import re
from dataclasses import replace

import pytest

from slrsym.cli import terminal_output
from slrsym.papers.single_location import Task, risk
from slrsym.papers.single_location.commands.compare import PredictorRisk, risk_table
from slrsym.papers.single_location.linear import best_linear
from slrsym.papers.single_location.sampled_risk import (
    Erf,
    HardOracle,
    Linear,
    Softmax,
    risk_estimate,
)
from tests._cli import PAPER, Screen, exits, refused, run

SMALL = ("--d", "20", "--L", "4", "--epsilon", "0.1", "--lam", "0.3", "--samples", "4000")
TASK = Task(d=20, L=4, gamma=0.5**0.5, epsilon=0.1)
ORACLE = (1, 1, 0, 0, 0)


def compare(*arguments):
    return run(*PAPER, "compare", *arguments)


@pytest.fixture(scope="module")
def found():
    result = exits(compare(*SMALL, "--json", "-"), 0)
    return json.loads(result.stdout)


def test_the_risks_are_those_of_the_library(found):
    assert found["task"] == {"d": 20, "L": 4, "gamma": 0.5**0.5, "epsilon": 0.1}
    assert found["bayes_bound"] == pytest.approx(0.01)
    rows = found["predictors"]
    names = [row["predictor"] for row in rows]
    assert names == ["hard oracle", "softmax", "erf attention", "linear"]
    for row, predictor in zip(rows, (HardOracle(), Softmax(0.3), Erf(0.3), Linear()), strict=True):
        expected = risk_estimate(predictor, TASK, method=row["method"], samples=4000)
        assert (row["risk"], row["stderr"]) == (expected.value, expected.stderr)
        assert row["interval"] == list(map(float, expected.interval()))
        assert row["gain"] == expected.gain
        assert row["samples"] == 4000
        assert row["risk"] > found["bayes_bound"]
    assert [row["method"] for row in rows] == ["conditioned"] * 3 + ["projected"]
    assert rows[0]["closed_form"] is rows[1]["closed_form"] is rows[0]["z"] is None
    assert rows[2]["closed_form"] == risk(ORACLE, 0.3, TASK)
    assert rows[3]["closed_form"] == best_linear(TASK).risk
    for row in rows[2:]:
        z = (row["risk"] - row["closed_form"]) / row["stderr"]
        assert row["z"] == pytest.approx(z)
        assert abs(z) < 4


def test_the_table_says_the_same(found):
    shown = compare(*SMALL).stdout
    assert "d = 20, L = 4, gamma = 0.7071, epsilon = 0.1, lambda = 0.3" in shown
    assert "softmax and erf attention at the true directions" in shown
    for row in found["predictors"]:
        pattern = rf"^ {row['predictor']} +(\S+) +(\S+) to (\S+) +(\S+) +(\S+) +4,000"
        line = re.search(pattern, shown, re.MULTILINE)
        value, low, high = map(float, line.groups()[:3])
        assert value == pytest.approx(row["risk"], abs=1e-4)
        assert [low, high] == pytest.approx(row["interval"], abs=1e-4)
        if row["z"] is None:
            assert line.groups()[3:] == ("-", "-")
        else:
            assert float(line[4]) == pytest.approx(row["closed_form"], abs=1e-4)
            assert float(line[5]) == pytest.approx(row["z"], abs=0.006)
    assert re.search(r"^ Bayes bound +0\.0100", shown, re.MULTILINE)


def test_overlaps_and_locations_are_options():
    p = "0.7,0.1,0.2,0"
    overlaps = ("--kappa", "0.5", "--nu", "0.6", "--theta", "0.1", "--eta", "-0.2", "--rho", "0.3")
    found = json.loads(compare(*SMALL, *overlaps, "--p", p, "--json", "-").stdout)
    _, _, erf, linear = found["predictors"]
    assert erf["closed_form"] == risk([0.5, 0.6, 0.1, -0.2, 0.3], 0.3, TASK)
    assert linear["closed_form"] == best_linear(TASK, [0.7, 0.1, 0.2, 0]).risk
    for row in (erf, linear):
        assert abs(row["z"]) < 4
    shown = compare(*SMALL, *overlaps).stdout
    assert "at kappa = 0.5, nu = 0.6, theta = 0.1, eta = -0.2, rho = 0.3" in shown


def test_a_target_and_what_misses_it():
    result = compare(*SMALL[:-2], "--target-stderr", "0.01", "--samples", "50000", "--json", "-")
    rows = json.loads(result.stdout)["predictors"]
    assert all(row["target_reached"] and row["stderr"] <= 0.01 for row in rows)
    assert rows[0]["samples"] == 8192 < 50_000
    assert result.stderr == ""
    missed = exits(compare(*SMALL, "--target-stderr", "1e-6"), 0)
    assert "erf attention: the standard error is 0.00" in missed.stderr
    assert "after 4,000 samples, above the target" in missed.stderr


def test_methods_and_seeds():
    rows = {
        options: json.loads(compare(*SMALL, *options, "--json", "-").stdout)["predictors"]
        for options in [(), ("--seed", "1"), ("--method", "plain"), ("--method", "projected")]
    }
    assert len({found[2]["risk"] for found in rows.values()}) == 4
    assert {row["method"] for row in rows["--method", "plain"]} == {"plain"}
    assert all(row["gain"] is None for row in rows["--method", "projected"])


def test_data_in_a_file(tmp_path):
    file = tmp_path / "found.json"
    result = compare(*SMALL, "--json", file)
    assert "Bayes bound" in result.stdout
    assert [p.name for p in tmp_path.iterdir()] == ["found.json"]
    assert len(json.loads(file.read_text())["predictors"]) == 4


def test_no_spread_is_said():
    result = compare("--d", "1000", "--samples", "100", "--json", "-")
    (hard, *_) = json.loads(result.stdout)["predictors"]
    assert (hard["stderr"], hard["gain"]) == (0, None)
    shown = compare("--d", "1000", "--samples", "100").stdout
    assert re.search(r"hard oracle +0\.0+ +no spread", shown)
    assert "No spread: all samples gave the same; what is rarer has not been seen." in shown


@pytest.mark.parametrize("width", [80, 120])
def test_the_table_fits_a_terminal(width):
    big = Task(d=10**6, L=1000, gamma=1.0)
    estimate = risk_estimate(Erf(0.05), big, method="conditioned", samples=50)
    estimate = replace(estimate, samples=10_000_000, stderr=0.0000123, value=12.3456789)
    out = terminal_output.console(Screen())
    out.width = width
    out.print(
        risk_table(
            [PredictorRisk("erf attention", estimate, "conditioned", 12.3457)], big, 0.95, width
        )
    )
    lines = [re.sub(r"\x1b\[[\d;]*m", "", x) for x in out.file.getvalue().splitlines()]
    assert all(len(line) <= width for line in lines)
    assert not any("…" in line for line in lines)
    assert any("12.345" in line and "10,000,000" in line for line in lines)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--d", "1"), "d must be an integer of at least 2; got 1"),
        (("--L", "0"), "L must be an integer of at least 1; got 0"),
        (("--gamma", "1", "--gamma2", "1"), "gamma is given already"),
        (("--gamma", "0"), "gamma must be finite and positive; got 0.0"),
        (("--epsilon", "-1"), "epsilon must be finite and not negative; got -1.0"),
        (("--lam", "0"), "lam must be positive and finite; got 0.0"),
        (("--lam", "1e308"), "no number overflows; got lam = 1e+308"),
        (("--kappa", "2"), "the overlaps must be feasible"),
        (("--kappa", "nan"), "the overlaps must be finite"),
        (("--kappa", "0.5", "--eta", "1"), "the overlaps must be feasible"),
        (("--p", "0.5,0.5"), "--p: probabilities must be 10 numbers in [0, 1] of sum 1"),
        (("--p", "all"), "--p: p must be numbers separated by commas; got 'all'"),
        (("--samples", "1"), "--samples"),
        (("--target-stderr", "0"), "--target-stderr: must be positive and finite; got 0.0"),
        (("--level", "1"), "--level: must lie in (0, 1); got 1.0"),
        (("--method", "fast"), "--method: must be one of auto, plain, projected, conditioned"),
        (("--seed", "-1"), "--seed"),
        (("--json", "/nowhere/x.json"), "--json: the folder /nowhere does not exist"),
    ],
)
def test_bad_usage(arguments, said):
    refused(compare(*arguments), said)
