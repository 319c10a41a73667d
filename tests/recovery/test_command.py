"""The command ``recovery``: what it says, writes and refuses."""

import json

import numpy as np
import pytest
import xarray as xr
from typer.testing import CliRunner

from slrsym.cli import app
from slrsym.recovery import Setting, recover, sweeps

QUICK = ("--d", 40, "--L", 3, "--alpha", 2e-2, "--steps", 300, "--runs", 4, "--workers", 1)


def run(*arguments):
    return CliRunner().invoke(app, ["recovery", *map(str, arguments)])


def test_one_setting_is_counted_and_saved(tmp_path):
    file, numbers = tmp_path / "runs.nc", tmp_path / "runs.json"
    picture = tmp_path / "basin.svg"
    result = run(*QUICK, "-o", file, "--json", numbers, "--plot", picture, "--seed", 3)
    assert result.exit_code == 0, result.output
    setting = Setting(1, 1e-4, 40, 3, 0.5**0.5, 2e-2, 300)
    with pytest.warns(RuntimeWarning):
        data = recover(setting, 4, 3, workers=1)
    with xr.open_dataset(file, engine="scipy") as saved:
        assert saved.equals(data)
    content = json.loads(numbers.read_text())
    for i, name in enumerate(("oracle", "swap", "manifold", "elsewhere", "moving")):
        assert content["verdicts"][name]["count"] == int(data["count"][i])
        upper = content["verdicts"][name]["upper"]
        assert (np.nan if upper is None else upper) == pytest.approx(data.upper[i], nan_ok=True)
    assert "still moving" in result.stdout
    assert "warning: 100 % of the runs still move after 300 steps" in result.stderr
    assert content["separation"] is None
    assert "at a swap point" in result.stdout
    assert "lam0 = 1, rate = 0.0001, d = 40" in result.stdout
    assert picture.read_text().startswith("<?xml")
    assert result.stdout.endswith(f"saved in {file}\ndrawn in {picture}\n")


def test_what_tells_swap_points_is_printed(data, monkeypatch):
    monkeypatch.setattr("slrsym.recovery.recover", lambda *_, **__: data)
    result = run()
    assert result.exit_code == 0
    assert "growing at" in result.stdout
    assert "mode to the oracle" in result.stdout
    count, total = int(data["count"][1]), data.sizes["run"]
    assert f"{count}     {100 * count / total:.2f}%" in result.stdout


@pytest.mark.parametrize(
    ("given", "lam0", "rate"),
    [
        ((), 1, 1e-4),
        (("--lam", "0.3"), 0.3, 0),
        (("--lam", "2/(1 + 1e-3*t)"), 2, 1e-3),
        (("--rate", "0"), 1, 0),
    ],
)
def test_the_inverse_temperature(given, lam0, rate, data, monkeypatch):
    asked = []
    monkeypatch.setattr("slrsym.recovery.recover", lambda at, **_: asked.append(at) or data)
    assert run(*given, "--gamma2", "1/4").exit_code == 0
    assert (asked[0].lam0, asked[0].rate, asked[0].gamma) == (lam0, rate, 0.5)


def test_several_values_make_a_grid(tmp_path):
    picture = tmp_path / "grid.png"
    arguments = ("--lam", "0.1,0.4", "--gamma2", "1/2,2", *QUICK)
    result = run(*arguments, "--json", "-", "--plot", picture)
    assert result.exit_code == 0, result.output
    content = json.loads(result.stdout)
    counts = content["data"]["count"]
    assert np.sum(counts["values"]) == 16
    assert counts["dims"][-1] == "verdict"
    assert content["coords"]["gamma"] == [0.5**0.5, 2**0.5]
    assert picture.stat().st_size > 1000
    shown = run(*arguments).stdout
    assert shown.splitlines()[0].startswith("4 runs of 300 steps each; rate = 0, d = 40")
    assert "moving" in shown.splitlines()[1]
    assert shown.splitlines()[1].count("95% interval") == 2
    # Two settings have no end yet.
    assert shown.count("%") + shown.count(" -") == 4 * 7 + 2


def test_an_interrupted_command_says_how_to_go_on(tmp_path, monkeypatch):
    def interrupted(*arguments):
        raise KeyboardInterrupt

    file = tmp_path / "runs.nc"
    monkeypatch.setattr(sweeps, "follow", interrupted)
    result = run(*QUICK, "-o", file)
    assert result.exit_code == 130
    assert f"goes on, from {file}.parts" in result.stderr
    monkeypatch.undo()
    assert run(*QUICK, "-o", file).exit_code == 0
    assert [entry.name for entry in tmp_path.iterdir()] == ["runs.nc"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--lam0", "warm"), "--lam0"),
        (("--lam0", "-1"), "lam0 must be positive"),
        (("--lam", "1", "--lam0", "1"), "the schedule is given by --lam already"),
        (("--lam", "1,x"), "--lam"),
        (("--lam", "exp(-t)"), "must be a number, or a schedule LAM0/(1+C*t)"),
        (("--lam", "log(t"), "a formula in the step t"),
        (("--rate", "1,,2"), "--rate"),
        (("--lam0", ""), "several with commas between them; got ''"),
        (("--rate", ""), "several with commas between them; got ''"),
        (("--gamma2", ""), "must be a positive number; got ''"),
        (("--d", "1.5"), "d must be an integer"),
        (("--gamma", "1", "--gamma2", "1"), "gamma is given already"),
        (("--gamma2", "-1"), "must be a positive number; got '-1'"),
        (("--runs", "0"), "runs must be an integer"),
        (("--steps", "0"), "steps must be an integer"),
        (("--plot", "basin.txt"), "must end with one of"),
        (("--lam0", "1,2", "--d", "10,20", "--L", "2,3", "--plot", "x.png"), "one or two"),
        (("-o", "nowhere/runs.nc"), "does not exist"),
        (("--json", "nowhere/runs.json"), "does not exist"),
        (("-o", "x.nc", "--json", "x.nc"), "another file than that of --output; got x.nc"),
    ],
)
def test_bad_usage_is_refused(arguments, message):
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.replace("│", " ").split())
