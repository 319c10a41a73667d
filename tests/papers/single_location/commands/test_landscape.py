"""The command ``landscape``: what it says, writes and refuses."""

import io
import json
import math

import numpy as np
import pytest
from rich.console import Console

from slrsym.papers.single_location import Task
from slrsym.papers.single_location.commands.landscape import branch_table, critical_point_table
from slrsym.papers.single_location.figures.landscape import (
    bifurcation_diagram_figure,
    critical_points_figure,
)
from slrsym.papers.single_location.landscape import Branch, BranchEvent, find_critical_points
from slrsym.papers.single_location.task import OrderParameters
from tests._cli import PAPER, exits, refused
from tests._cli import run as program
from tests._profile import thorough_only

SMALL = ("--d", 2, "--L", 3, "--lam", 0.8)


def run(*arguments):
    return program(*PAPER, "landscape", *arguments)


@pytest.fixture(scope="module")
def found():
    return find_critical_points(Task(2, 3, math.sqrt(0.5)), 0.8, max_expected_missed=0.5)


@pytest.fixture(scope="module")
def branch():
    count = 20
    states = np.tile([1.0, 1.0, 0.0, 0.0, 0.0], (count, 1))
    lam = np.geomspace(0.1, 2, count)
    index = (lam > 0.9).astype(int)
    event = BranchEvent("stability", 0.9, OrderParameters(1.0, 1.0, 0.0, 0.0, 0.0))
    points = np.tile(np.eye(2), (count, 1, 1))
    return Branch("oracle", lam, points, states, lam**2, index, (event,))


def printed(table, width):
    out = io.StringIO()
    Console(file=out, width=width).print(table)
    return out.getvalue()


def test_critical_points_are_printed_and_written(tmp_path):
    file, picture = tmp_path / "points.json", tmp_path / "points.png"
    result = run(*SMALL, "--gamma2", "1/2", "--alpha", 0.1, "--json", file, "--plot", picture)
    assert result.exit_code == 0, result.output
    assert "anti-oracle" in result.stdout
    assert "signs of the indices add up to 0, as they must" in result.stdout
    assert "descent with alpha = 0.1 ends at: " in result.stdout
    content = json.loads(file.read_text())
    assert content["task"] == {"d": 2, "L": 3, "gamma": math.sqrt(0.5)}
    assert all(p["confirmed"] for p in content["points"])
    assert all(p["name"].split()[0] in result.stdout for p in content["points"])
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert result.stdout.endswith(f"drawn in {picture}\n")


def test_json_alone_is_on_standard_output():
    result = exits(run(*SMALL, "--json", "-"), 0)
    assert json.loads(result.stdout)["lam"] == 0.8
    assert "oracle" in result.stderr


@pytest.mark.parametrize(("width", "columns"), [(80, 10), (120, 13)])
def test_tables_fit(found, width, columns):
    text = printed(critical_point_table(found, width=width), width)
    lines = text.splitlines()
    assert max(map(len, lines)) <= width
    assert "…" not in text
    assert len(lines) == len(found.points) + 2
    assert len(critical_point_table(found, width=width).columns) == columns
    for point, line in zip(found.points, lines[2:], strict=True):
        assert line.startswith(point.name)
        assert str(point.index) in line.split()
    assert "repels" in printed(critical_point_table(found, 0.1, width), width)


def test_branches_are_told_with_their_events(branch):
    text = printed(branch_table([branch]), 100)
    assert "0, 1" in text
    assert "stability at 0.9" in text
    # The other way around it is the same.
    order = slice(None, None, -1)
    back = Branch(
        "oracle", branch.values[order], branch.points, branch.states, branch.excess_risk,
        branch.index[order], branch.events,
    )  # fmt: skip
    assert printed(branch_table([back]), 100) == text


# tests/papers/single_location/landscape follows branches.
@thorough_only
def test_branches_from_the_command_line(tmp_path):
    file = tmp_path / "branches.json"
    exits(run("--d", 2, "--L", 3, "--branches", 0.6, 0.8, "--json", file), 0)
    content = json.loads(file.read_text())
    assert {b["name"] for b in content} >= {"oracle", "anti-oracle", "full swap", "anti-swap"}
    assert all(len(b["lam"]) == len(b["states"]) == len(b["index"]) for b in content)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--lam", -1), "lam must be positive"),
        (("--lam", 1e300), "parameters must not be so large that their powers overflow"),
        (("--gamma2", "1/0"), "must be a positive number; got '1/0'"),
        (("--d", 1), "d must be an integer of at least 2"),
        (("--alpha", 0), "alpha must be positive"),
        (("--branches", 2, 1), "low must be less than high"),
        (("--plot", "points.gif"), "must end with one of"),
        (("--json", "no/such/folder.json"), "does not exist"),
        (("--json", "x.svg", "--plot", "x.svg"), "another file than that of --json"),
    ],
)
def test_bad_usage(arguments, said):
    refused(run(*arguments), said)


def test_the_figure_shows_every_point(found):
    left, right = critical_points_figure(found).axes
    assert [t.get_text() for t in left.get_yticklabels()] == [p.name for p in found.points]
    shown = {
        (float(x), int(y)) for line in right.lines for x, y in zip(*line.get_data(), strict=True)
    }
    assert shown == {(p.excess_risk, i) for i, p in enumerate(found.points)}
    indices = [int(t.get_text()) for t in right.texts]
    assert indices == [p.index for p in found.points]


def test_the_figure_of_branches_tells_stable_from_unstable(branch):
    above, below = bifurcation_diagram_figure([branch], Task(10, 3, 0.7), [(0.9, "here")]).axes
    solid, dashed = (line for line in above.lines if len(line.get_xdata()) > 2)
    assert solid.get_linestyle() == "-"
    assert dashed.get_linestyle() == "--"
    assert solid.get_xdata()[-1] == dashed.get_xdata()[0]
    assert [t.get_text() for t in above.texts] == ["here"]
    assert all(np.all(line.get_ydata() == 0) for line in below.lines if len(line.get_xdata()) > 2)
