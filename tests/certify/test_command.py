"""slrsym certify: results, files, refusals, exit codes."""

from __future__ import annotations

import json

import pytest

from tests._cli import refused
from tests._cli import run as program


def run(*arguments):
    return program("certify", *arguments)


def test_a_step_size_is_certified_saved_and_checked(tmp_path):
    file = tmp_path / "alpha.json"
    found = run("alpha", "--L", 3, "--lam", "0.1", "--gamma2", "1/2", "--d", 400, "-o", file)
    assert found.exit_code == 0
    assert "shown" in found.stdout
    assert "alpha = 0.30599" in found.stdout
    assert "closed form" in found.stdout
    assert "refuted at" in found.stdout
    again = run("check", file)
    assert again.exit_code == 0
    assert f"{file}: shown: alpha for lam = 0.1, gamma = sqrt(0.5), d = 400" in again.stdout
    (one,) = json.loads(run("check", file, "--json", "-").stdout)
    assert (one["verdict"], one["refusal"]) == ("shown", "")

    data = json.loads(file.read_text())
    data["parameters"]["lam"] = ["1/10", "1/2"]
    file.write_text(json.dumps(data))
    again = run("check", file)
    assert again.exit_code == 1
    assert "refused" in again.stdout
    assert "error: " in again.stderr


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (("fixed-points",), "solutions in the square   5"),
        (("fixed-points", "--lam", "0.1..0.11"), "lam in [0.1, 0.11]"),
        (("classification",), "shown"),
        (("rates",), "1 - kappa falls in a step by"),
        (("alpha", "--alpha", "0.2"), "shown"),
    ],
)
def test_results_are_readable(arguments, shown):
    found = run(*arguments)
    assert found.exit_code == 0
    assert shown in found.stdout


def test_a_refuted_step_size(tmp_path):
    file = tmp_path / "alpha.json"
    found = run("alpha", "--alpha", "0.31", "-o", file)
    assert found.exit_code == 1
    assert "refuted" in found.stdout
    assert "it fails at (kappa, nu)   (0, 0)" in found.stdout
    again = run("check", file)
    assert again.exit_code == 1
    assert "refuted: alpha" in again.stdout


def test_a_step_size_that_is_left_open():
    found = run("alpha", "--alpha", "0.3", "--max-boxes", 50)
    assert found.exit_code == 1
    assert "undecided" in found.stdout
    assert "left open" in found.stdout
    assert "boxes of square" in found.stdout
    found = run("alpha", "--max-boxes", 5)
    assert found.exit_code == 1
    assert "no step size was certified" in found.stdout


def test_the_result_as_json():
    found = run("fixed-points", "--json", "-")
    data = json.loads(found.stdout)
    assert (data["verdict"], data["numbers"]) == ("shown", {"count": "5"})
    assert data["parameters"]["gamma"] == ["sqrt(1/2)", "sqrt(1/2)"]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("alpha", "--lam", "x"), "lam must be"),
        (("alpha", "--lam", "-1"), "lam must be"),
        (("alpha", "--lam", "0.2..0.1"), "goes upwards"),
        (("alpha", "--d", "1"), "d must be at least 2"),
        (("alpha", "--gamma", "1", "--gamma2", "1"), "gamma is given already"),
        (("alpha", "--gamma", ""), "gamma must be a decimal number"),
        (("alpha", "--gamma2", "sqrt(2)"), "gamma2 must be rational"),
        (("alpha", "--tolerance", "2"), "tolerance must lie"),
        (("alpha", "--seconds", "0"), "seconds must be positive"),
        (("fixed-points", "-o", "/no/such/folder/file"), "does not exist"),
        (("rates", "--alpha", "9"), "alpha must be such that the map contracts"),
        (("check", "/no/such/file"), "cannot be read"),
        (("rates", "-o", "x.json", "--json", "x.json"), "another file than that of --output"),
        (("check", "a.json", "x.json", "--json", "x.json"), "another file than that of FILE"),
    ],
)
def test_bad_input_is_refused(arguments, why):
    refused(run(*arguments), why)
