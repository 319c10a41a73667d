"""The command ``recovery``: what it says, writes and refuses."""

import io
import json

import numpy as np
import pytest
import xarray as xr
from rich.console import Console

from slrsym.papers.single_location.commands.recovery import _short as short
from slrsym.papers.single_location.commands.recovery import sweep_table
from slrsym.papers.single_location.recovery import VERDICTS, Setting, recover, sweeps
from slrsym.papers.single_location.recovery.setting import endpoint_statistics
from tests._cli import PAPER, exits, refused
from tests._cli import run as program
from tests._profile import thorough_cases, thorough_only

QUICK = ("--d", 40, "--L", 3, "--alpha", 2e-2, "--steps", 300, "--runs", 4, "--workers", 1)


def run(*arguments):
    return program(*PAPER, "recovery", *arguments)


def test_one_setting_is_counted_and_saved(tmp_path):
    file, numbers = tmp_path / "runs.nc", tmp_path / "runs.json"
    picture = tmp_path / "basin.svg"
    result = exits(run(*QUICK, "-o", file, "--json", numbers, "--plot", picture, "--seed", 3), 0)
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


@thorough_only
def test_what_tells_swap_points_is_printed(data, monkeypatch):
    monkeypatch.setattr("slrsym.papers.single_location.recovery.recover", lambda *_, **__: data)
    result = exits(run(), 0, "growing at", "mode to the oracle")
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
    monkeypatch.setattr(
        "slrsym.papers.single_location.recovery.recover", lambda at, **_: asked.append(at) or data
    )
    assert run(*given, "--gamma2", "1/4").exit_code == 0
    assert (asked[0].lam0, asked[0].rate, asked[0].gamma) == (lam0, rate, 0.5)


def test_several_values_make_a_grid(tmp_path):
    picture = tmp_path / "grid.png"
    arguments = ("--lam", "0.1,0.4", "--gamma2", "1/2,2", *QUICK)
    result = exits(run(*arguments, "--json", "-", "--plot", picture), 0)
    content = json.loads(result.stdout)
    counts = content["data"]["count"]
    assert np.sum(counts["values"]) == 16
    assert counts["dims"][-1] == "verdict"
    assert content["coords"]["gamma"] == [0.5**0.5, 2**0.5]
    assert picture.stat().st_size > 1000
    shown = run(*arguments).stdout
    assert shown.splitlines()[0].startswith("4 runs of 300 steps each; rate = 0, d = 40")
    assert "moving" in shown.splitlines()[1]
    assert shown.splitlines()[1].count("(95% interval)") == 2
    assert "as moving runs may end anywhere" in shown


def _grid(counts):
    """Return a sweep of two inverse temperatures and three others, with these counts."""
    runs = int(np.sum(counts, axis=-1).ravel()[0])
    axes = {"lam0": [0.1, 1], "rate": [0, 1e-4], "d": [40, 400], "L": [3, 10], "gamma": [0.5, 0.7]}
    axes["alpha"] = [0.004, 0.02]
    shape = tuple(len(x) for x in axes.values())
    full = np.broadcast_to(np.asarray(counts, dtype=np.int32), (*shape, 5)).copy()
    coords = axes | {"verdict": list(VERDICTS)}
    return xr.Dataset(
        endpoint_statistics(full, runs, tuple(axes)), coords, {"runs": runs, "steps": 9000}
    )


@thorough_cases(
    "80-3-counts2",
    "80-6-counts0",
    "80-6-counts1",
    "80-6-counts2",
    "100-6-counts0",
    "100-6-counts1",
    "100-6-counts2",
    "160-6-counts0",
    "160-6-counts1",
    "160-6-counts2",
)
@pytest.mark.parametrize("counts", [(520, 480, 0, 0, 0), (0, 300, 10, 210, 480), (1, 998, 1, 0, 0)])
@pytest.mark.parametrize("several", [2, 3, 6])
@pytest.mark.parametrize("width", [80, 100, 160])
def test_no_value_is_cut_at_any_width(counts, several, width):
    data = _grid(counts)
    few = [*data.sizes][several:-1]
    data = data.isel({name: slice(1) for name in few})
    text = io.StringIO()
    out = Console(file=text, width=width)
    out.print(sweep_table(data, out))
    shown = text.getvalue()
    assert "…" not in shown
    assert max(map(len, shown.splitlines())) <= width
    assert "moving" in shown or not counts[-1]


def test_where_runs_move_a_range_is_given():
    data = _grid((0, 300, 10, 210, 480)).isel(d=0, L=[0], gamma=[0], alpha=[0])
    data = data.expand_dims("d", 2)
    out = Console(file=io.StringIO(), width=160)
    out.print(sweep_table(data, out))
    line = out.file.getvalue().splitlines()[3]
    assert "0.00 to 48.00%" in line
    assert "30.00 to 78.00%" in line
    assert line.endswith("48.00%")
    narrow = Console(file=io.StringIO(), width=80)
    narrow.print(sweep_table(data, narrow))
    assert "0-48%" in narrow.file.getvalue()


def test_fractions_of_runs_that_move_are_ranges(tmp_path):
    """Of one setting, too, in the table and in JSON."""
    result = run(*QUICK, "--json", tmp_path / "runs.json")
    said = " ".join(result.stdout.split())
    assert "possible fraction" in said
    assert "95% interval" not in said
    assert "0.00 to 100.00%" in said
    assert "4 of 4 runs still move after 300 steps: they may end anywhere" in said
    verdicts = json.loads((tmp_path / "runs.json").read_text())["verdicts"]
    assert verdicts["oracle"]["possible"] == [0, 1]
    assert verdicts["moving"]["possible"] == [1, 1]


@pytest.mark.parametrize(
    ("fraction", "text"),
    [(0, "0"), (1, "100"), (0.5, "50"), (0.0038, "0.38"), (0.998, "99.80"), (2e-6, "0.0002")],
)
def test_short_percentages_are_told_from_0_and_100(fraction, text):
    assert short(fraction) == text


def test_an_interrupted_command_says_how_to_go_on(tmp_path, monkeypatch):
    def interrupted(*arguments):
        raise KeyboardInterrupt

    file = tmp_path / "runs.nc"
    monkeypatch.setattr(sweeps, "follow_to_ends", interrupted)
    result = exits(run(*QUICK, "-o", file), 130)
    assert f"goes on, from {file}.parts" in result.stderr
    monkeypatch.undo()
    assert run(*QUICK, "-o", file).exit_code == 0
    assert [entry.name for entry in tmp_path.iterdir()] == ["runs.nc"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--lam0", "warm"), "--lam0"),
        (("--lam0", "-1"), "lam0 must be positive"),
        (("--lam", "1", "--lam0", "1"), "the schedule is given already, by --lam 1"),
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
        (
            ("--lam0", "1,2", "--d", "10,20", "--L", "2,3", "--plot", "x.png"),
            "room for two options",
        ),
        (("-o", "nowhere/runs.nc"), "does not exist"),
        (("--json", "nowhere/runs.json"), "does not exist"),
        (("-o", "x.nc", "--json", "x.nc"), "another file than that of --output; got x.nc"),
    ],
)
def test_bad_usage_is_refused(arguments, message):
    refused(run(*arguments), message)
