"""The command ``figure``: what it says, writes and refuses."""

from dataclasses import replace

import pytest

from slrsym.documents.figures import figure_names
from slrsym.papers.single_location import Task
from slrsym.papers.single_location.dynamics import load
from slrsym.papers.single_location.experiments import EXPERIMENTS, SECTION_E3
from tests._cli import exits, refused
from tests._cli import run as program
from tests._profile import THOROUGH, more, thorough_only
from tests.papers.single_location.probing.tiny import write_bert


def run(*arguments):
    return program("figure", *arguments)


def setting(*values):
    return [word for value in values for word in ("--set", value)]


@pytest.fixture
def small(monkeypatch):
    """The paper's experiments, with few runs and steps, and grids of few points."""
    for name in ("SquareSurvey", "BasinSurvey"):
        defaults = (Task(d=400, L=10, gamma=0.5**0.5), 0.1, 9, 0.1)
        monkeypatch.setattr(
            f"slrsym.papers.single_location.surveys.{name}.__init__.__defaults__", defaults
        )
    for name in ("4a", "4b", "5", "7a", "7b"):
        start = type(EXPERIMENTS[name].start)(3)
        monkeypatch.setitem(
            EXPERIMENTS, name, replace(EXPERIMENTS[name], start=start, steps=60, every=20)
        )
    few = {"steps": 4, "every": 2}
    layer = {"runs": 2, "width": 8, "batch": 4, "test": 20} | few
    for name, changes in (("8", layer), ("9", {"starts": 2} | few), ("10", layer)):
        monkeypatch.setitem(SECTION_E3, name, replace(SECTION_E3[name], **changes))
    # Machine code takes longer to compile than so few steps, and processes to start.
    monkeypatch.setattr(
        "slrsym.papers.single_location.dynamics.runs.choose_backend", lambda backend: "numpy"
    )
    monkeypatch.setattr("slrsym.papers.single_location.transformers.layer.count_cores", lambda: 1)
    monkeypatch.setattr(
        "slrsym.papers.single_location.surveys.OracleSurvey.__init__.__defaults__",
        ((10, 100), (10,), 10, 0.7, 0.1, 50, 0),
    )
    for name, defaults in {
        "PlateauSurvey": ((2,), 0.2, 0.02, 0.2, 4, 10, 2, 0),
        "NoiseFloorSurvey": (2, (0,), (0.2,), 0.1, 0.1, 0.1, 10, 2, 0),
        "CriticalLearningRateSurvey": ((2, 4), (2,), (0.9,), 1, 10, 0),
    }.items():
        monkeypatch.setattr(
            f"slrsym.papers.committee.surveys.{name}.__init__.__defaults__", defaults
        )


def names_in(folder):
    return sorted(f.name for f in folder.iterdir())


ALL = tuple(name for name in figure_names() if name != "1")


@more
@pytest.mark.parametrize(
    ("form", "names"),
    [("png", ("3", "4b", "8")), *[(form, ALL) for form in ("pdf", "png", "svg") if THOROUGH]],
)
def test_figures(tmp_path, small, form, names):
    wanted = ("all",) if names == ALL else names
    folder = tmp_path / "new" / "folder"
    result = exits(run(*wanted, "-o", folder, "--format", form), 0)
    figures = {f"figure-{name}.{form}" for name in names}
    # The page needs pictures that a browser shows.
    more = {"index.html"} if names == ALL else set()
    more |= {f"figure-{name}.png" for name in names} if names == ALL else set()
    assert figures <= {*names_in(folder)} <= figures | more
    for file in figures:
        assert f"/{file}\n" in result.stdout


@pytest.fixture
def undrawn(monkeypatch):
    """Figures that are files with their names in them: of those that are drawn, others tell."""
    monkeypatch.setattr(
        "slrsym.documents.figures.draw", lambda name, data, note="": f"{name} {note}".strip()
    )
    monkeypatch.setattr(
        "slrsym.documents.figures.style.save_figure",
        lambda drawn, target, form="": target.write_text(drawn),
    )


# test_figure_1_in_small trains the same encoder.
@thorough_only
def test_all_figures_are_asked_for_by_one_word(tmp_path, small, undrawn):
    result = exits(run("all", "-o", tmp_path), 0)
    found = {f.name: f.read_text() for f in tmp_path.iterdir()}
    page = found.pop("index.html")
    assert found == {f"figure-{name}.{form}": name for name in ALL for form in ("pdf", "png")}
    # Captions, settings, what was seen, time; and why figure 1 is not there.
    for part in ("Proposition 13", "heads separate in", "<td>task_d</td><td>80</td>", "Time: "):
        assert part in page
    assert "Not drawn: it reads the directory of an encoder" in page
    assert "figure 1: not drawn" in result.stderr
    assert [page.count(f'src="figure-{name}.png"') for name in ALL] == [1] * len(ALL)


def test_one_figure_and_its_data(tmp_path, small):
    file = tmp_path / "runs.nc"
    arguments = ("7b", "-o", tmp_path, "--format", "svg", "--data", file)
    assert run(*arguments).exit_code == 0
    assert names_in(tmp_path) == ["figure-7b.svg", "runs.nc"]
    assert load(file).equals(EXPERIMENTS["7b"].compute())
    drawn, kept = (tmp_path / "figure-7b.svg").read_bytes(), file.stat().st_mtime_ns
    assert run(*arguments).exit_code == 0
    assert (tmp_path / "figure-7b.svg").read_bytes() == drawn
    assert file.stat().st_mtime_ns == kept


def test_data_of_trained_layers_are_read_again(tmp_path, small, undrawn, monkeypatch):
    options = ("-o", tmp_path, "--data", tmp_path / "8.nc")
    first = exits(run("8", *options), 0, "Concluded: the layer solves the task")
    monkeypatch.setattr("slrsym.papers.single_location.transformers.LayerRuns._walk", None)
    assert run("8", *options).stdout == first.stdout
    refused(run("8", "--set", "seed=1", *options), "--data", "seed = 0; needed is seed = 1")


@thorough_only
def test_many_figures_and_their_data(tmp_path, small, undrawn):
    data = tmp_path / "data"
    options = ("-o", tmp_path, "--format", "png", "--data", data)
    assert run("3", "4b", "6", *options).exit_code == 0
    assert names_in(data) == ["figure-3.nc", "figure-4b.nc", "figure-6.nc"]
    assert run("4b", "4b", *options).exit_code == 0
    assert names_in(data) == ["figure-3.nc", "figure-4b.nc", "figure-6.nc"]


def test_a_figure_for_each_value(tmp_path, small, undrawn):
    data = tmp_path / "data"
    exits(run("7b", *setting("d=20,30", "runs=2"), "-o", tmp_path, "--data", data), 0)
    for d in (20, 30):
        said = (tmp_path / f"figure-7b-d-{d}.pdf").read_text()
        assert said == f"7b not the paper's: d = {d}, runs = 2"
        assert load(data / f"figure-7b-d-{d}.nc").attrs["task_d"] == d
    refused(run("all", *setting("d=20,30")), "--set", "for figures that are named")


def test_data_of_another_figure_are_refused(tmp_path, small, undrawn):
    file = tmp_path / "runs.nc"
    run("4a", "-o", tmp_path, "--data", file)
    before = file.read_bytes()
    result = run("7a", "-o", tmp_path, "--data", file)
    refused(result, "--data", "alpha = 0.004; needed is alpha = 0.001")
    assert file.read_bytes() == before
    assert names_in(tmp_path) == ["figure-4a.pdf", "runs.nc"]


@thorough_only
def test_other_parameters_and_the_title_that_says_so(tmp_path, small, undrawn):
    file = tmp_path / "4a.nc"
    changes = setting("d=100", "lam=0.2", "steps=30", "runs=5")
    assert run("4a", *changes, "-o", tmp_path, "--data", file).exit_code == 0
    found = load(file)
    assert (found.sizes["run"], found.attrs["task_d"], found.attrs["steps"]) == (5, 100, 30)
    assert found.attrs["schedule"] == "Constant(lam=0.2)"
    said = "not the paper's: d = 100, λ = 0.2, steps = 30, runs = 5"
    assert (tmp_path / "figure-4a.pdf").read_text() == f"4a {said}"
    exits(run("9", *setting("shared=true", "lam0=1", "rate=0.01"), "-o", tmp_path), 0)
    changes = setting("lam=0.5/(1+0.01*t)", "gamma=sqrt(1/4)", "runs=2", "steps=30")
    file = tmp_path / "falling.nc"
    assert run("4a", *changes, "-o", tmp_path, "--data", file).exit_code == 0
    assert load(file).attrs["schedule"] == "InverseTimeDecay(lam0=0.5, c=0.01)"
    assert load(file).attrs["task_gamma"] == 0.5
    refused(run("4a", "--set", "lam=exp(-t)"), "a schedule lam0/(1 + c t); got ")
    refused(run("4a", *setting("lam=1/(1+t)", "rate=1")), "not be given together with rate")
    assert "shared = true" in (tmp_path / "figure-9.pdf").read_text()


@thorough_only
def test_figures_of_an_encoder(tmp_path, monkeypatch):
    from tests.papers.single_location.probing.test_probing import few

    few(monkeypatch)
    write_bert(tmp_path / "tiny")
    options = ("-o", tmp_path, "--model", tmp_path / "tiny", "--format", "png")
    exits(run("1", "2", *options), 0, "In the encoder tiny: ")
    assert names_in(tmp_path) == ["figure-1.png", "figure-2.png", "tiny"]


def test_bad_usage(tmp_path, small):
    file = tmp_path / "file"
    file.write_text("not a folder")
    refused(run("11"), "FIGURE", "must be one of 1, 2, 3, 4a, ", "got '11'; did you mean 1?")
    refused(run(), "FIGURE")
    refused(run("1"), "the directory of an encoder, --model DIR", "how-to/probe.md")
    refused(run("1", "--model", tmp_path), "figure 1", "with a file config.json")
    refused(run("3", "--set", "runs=3"), "figure 3: runs is no parameter of it; there are L, gamma")
    refused(run("4a", "--set", "batch=3"), "figure 4a: batch is no parameter of it")
    refused(run("4a", "--set", "d=1"), "figure 4a: d must be an integer of at least 2; got 1")
    refused(run("4a", *setting("lam=1", "rate=1")), "lam must not be given together")
    refused(run("4a", "--set", "d"), "--set", "a name and a value, such as d=400; got 'd'")
    refused(run("4a", *setting("d=5", "d=6")), "--set", "d is given already, as 5")
    refused(run("4a", "--set", "d=five"), "--set", "d: must be a number, true, false, or a formula")
    refused(run("9", "--set", "shared=1"), "figure 9: shared must be true or false; got 1")
    refused(run("9", "--set", "alpha=t"), "figure 9: alpha must be a number; got Formula")
    refused(run("3", "--format", "gif"), "--format", "gif")
    refused(run("3", "-o", file), "--output", "(it is a file); name a folder")
    refused(
        run("3", "6", "-o", tmp_path, "--data", file), "--data", "(it is a file); name a folder"
    )
    refused(run("3", "-o", tmp_path, "--data", tmp_path / "no" / "file"), "--data", "exist")
    same = tmp_path / "figure-3.pdf"
    refused(run("3", "-o", tmp_path, "--data", same), "--data", "another file than", "--output")
    damaged = exits(run("3", "-o", tmp_path, "--data", file), 1)
    assert "is no file of data" in damaged.stderr
    assert file.read_text() == "not a folder"
    assert names_in(tmp_path) == ["file"]


def test_help_says_how_data_are_kept():
    shown = " ".join(run("--help").stdout.split())
    assert "data of other settings are refused and left alone" in shown
