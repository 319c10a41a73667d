"""slrsym paper single-location certify: results, files, refusals, exit codes."""

import json

import pytest

from tests._cli import PAPER, exits, refused
from tests._cli import run as program


def run(*arguments):
    return program(*PAPER, "certify", *arguments)


def test_a_step_size_is_certified_saved_and_checked(tmp_path):
    file = tmp_path / "alpha.json"
    found = run("alpha", "--L", 3, "--lam", "0.1", "--gamma2", "1/2", "--d", 400, "-o", file)
    exits(found, 0, "shown", "alpha = 0.30599", "closed form", "refuted at")
    exits(run("check", file), 0, f"{file}: shown: alpha for lam = 0.1, gamma = sqrt(0.5), d = 400")
    (one,) = json.loads(run("check", file, "--json", "-").stdout)
    assert (one["verdict"], one["refusal"]) == ("shown", "")

    data = json.loads(file.read_text())
    data["parameters"]["lam"] = ["1/10", "1/2"]
    file.write_text(json.dumps(data))
    again = exits(run("check", file), 1, "refused")
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
    exits(run(*arguments), 0, shown)


def test_a_refuted_step_size(tmp_path):
    file = tmp_path / "alpha.json"
    found = run("alpha", "--alpha", "0.31", "-o", file)
    exits(found, 1, "refuted", "it fails at (kappa, nu)   (0, 0)")
    exits(run("check", file), 1, "refuted: alpha")


def test_a_step_size_that_is_left_open():
    found = run("alpha", "--alpha", "0.3", "--max-boxes", 50)
    exits(found, 1, "undecided", "left open", "boxes of square")
    exits(run("alpha", "--max-boxes", 5), 1, "no step size was certified")


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
