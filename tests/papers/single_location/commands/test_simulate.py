"""The command ``simulate``: what it says, writes and refuses."""

import importlib.util
import re

import numpy as np
import pytest

from slrsym.papers.single_location import Task
from slrsym.papers.single_location import simulate as simulated
from slrsym.papers.single_location.dynamics import (
    Formula,
    InverseTimeDecay,
    ManifoldStart,
    OverlapStart,
    UniformStart,
    VectorStart,
    load,
)
from slrsym.papers.single_location.dynamics.engines import TaskEngine
from tests._cli import PAPER, exits, refused, run
from tests._profile import thorough, thorough_only

TASK = Task(d=400, L=10, gamma=0.5**0.5)
SHORT = ("--steps", 40, "--every", 20, "--runs", 3, "--backend", "numpy")


def simulate(*arguments):
    return run(*PAPER, "simulate", *arguments)


@pytest.mark.parametrize(
    ("arguments", "start", "schedule", "task"),
    [
        ((), UniformStart(3), 0.1, TASK),
        thorough(("--start", "manifold", "--seed", 5), ManifoldStart(3, 5), 0.1, TASK),
        thorough(("--lam", "0.5/(1+1e-2*t)"), UniformStart(3), InverseTimeDecay(0.5, 1e-2), TASK),
        thorough(("--lam", "0.1 + exp(-t/9)"), UniformStart(3), Formula("0.1 + exp(-t/9)"), TASK),
        thorough(("--gamma2", "1/4"), UniformStart(3), 0.1, Task(400, 10, 0.5)),
        thorough(
            ("--d", 50, "--L", 3, "--gamma2", 4, "--epsilon", 0.5),
            UniformStart(3),
            0.1,
            Task(50, 3, 2.0, 0.5),
        ),
        thorough(("--gamma", 2), UniformStart(3), 0.1, Task(400, 10, 2.0)),
    ],
)
def test_runs_are_those_of_the_library(tmp_path, arguments, start, schedule, task):
    file = tmp_path / "runs.nc"
    exits(simulate(*SHORT, *arguments, "-o", file), 0, f"saved in {file}")
    made = simulated(task, start, schedule, 4e-3, 40, 20, "numpy")
    assert load(file).equals(made)
    assert load(file).attrs == made.attrs


@thorough_only
def test_a_given_start(tmp_path):
    file = tmp_path / "runs.nc"
    arguments = SHORT[:4]
    assert simulate("--start", "-0.5,0.25,.1,-.1,1e-1", *arguments, "-o", file).exit_code == 0
    start = OverlapStart(np.array([[-0.5, 0.25, 0.1, -0.1, 0.1]]))
    assert load(file).equals(simulated(TASK, start, 0.1, 4e-3, 40, 20))


def test_vectors_of_a_file(tmp_path):
    """Their dimension is that of the task, unless that is given and another."""
    rng = np.random.default_rng(3)
    k, v = (x / np.linalg.norm(x, axis=1, keepdims=True) for x in rng.standard_normal((2, 4, 9)))
    axes = np.linalg.qr(rng.standard_normal((9, 2)))[0].T
    files = {name: tmp_path / name for name in ("pair.npy", "pair.npz", "axes.npz", "odd.npz")}
    np.save(files["pair.npy"], [k, v])
    np.savez(files["pair.npz"], k0=k, v0=v)
    np.savez(files["axes.npz"], k0=k, v0=v, k_star=axes[0], v_star=axes[1])
    np.savez(files["odd.npz"], k=k, v=v)
    short, runs = SHORT[:4], tmp_path / "runs.nc"
    for name, start in {
        "pair.npy": (k, v), "pair.npz": (k, v), "axes.npz": VectorStart(k, v, *axes)
    }.items():  # fmt: skip
        exits(simulate("--start", files[name], *short, "-o", runs), 0)
        task = Task(9, 10, 0.5**0.5)
        assert load(runs).equals(simulated(task, start, 0.1, 4e-3, 40, 20))
    given = ("--start", files["pair.npz"])
    refused(simulate(*given, "--d", 10), "vectors in R^10; they are in R^9")
    refused(simulate(*given, "--runs", 2), "--runs", "a given start")
    np.save(files["pair.npy"], [k, 2 * v])
    refused(simulate("--start", files["pair.npy"]), "pair.npy: v0 must have length 1")
    for content in (files["odd.npz"].read_bytes(), b"", b"PK\x03\x04 and no more"):
        files["odd.npz"].write_bytes(content)
        ended = exits(simulate("--start", files["odd.npz"]), 1)
        assert ended.stderr.startswith(f"error: {files['odd.npz']} ")


def test_batches(tmp_path):
    file, other = tmp_path / "runs.nc", tmp_path / "plot.png"
    sampled = (*SHORT, "--epsilon", 0.1, "--batch", 2)
    exits(simulate(*sampled, "--seed", 4, "-o", file, "--plot", other), 0)
    task = Task(400, 10, 0.5**0.5, 0.1)
    made = simulated(task, UniformStart(3, 4), 0.1, 4e-3, 40, 20, "numpy", batch=2, rng=4)
    assert load(file).equals(made)
    assert load(file).attrs == made.attrs
    assert simulate("--resume", file, "--steps", 50).exit_code == 0
    longer = simulated(task, UniformStart(3, 4), 0.1, 4e-3, 50, 20, "numpy", batch=2, rng=4)
    assert load(file).equals(longer)
    # From one start, many runs.
    assert simulate(*sampled, "--start", "0.5,0.5,0,0,0", "-o", file).exit_code == 0
    ends = load(file).isel(step=-1).kappa.values
    assert len(set(ends)) == 3
    assert (load(file).kappa[:, 0] == 0.5).all()


def test_runs_that_end_together_share_a_line():
    arguments = ("--steps", 6000, "--runs", 12)
    result = exits(simulate(*arguments), 0, "after 6,000 steps")
    names = "count kappa nu theta eta rho excess risk distance"
    assert re.search(" +".join(names.split()), result.stdout)
    rows = [
        [float(part) for part in line.split()]
        for line in result.stdout.splitlines()
        if re.match(r" +\d+ ", line)
    ]
    assert 2 <= len(rows) <= 6
    assert sum(row[0] for row in rows) == 12
    assert [row[0] for row in rows] == sorted((row[0] for row in rows), reverse=True)
    made = simulated(TASK, UniformStart(12), 0.1, 4e-3, 6000, 200).isel(step=-1)
    for count, kappa, nu, theta, *_, risk, distance in rows:
        near = abs(made.kappa - kappa) + abs(made.nu - nu) + abs(made.theta - theta) < 0.06
        assert int(near.sum()) == count
        assert risk == pytest.approx(float(made.excess_risk[near].mean()), abs=1e-4)
        assert distance == pytest.approx(float(made.distance[near].mean()), rel=0.06)


def test_a_run_that_does_not_move():
    shown = simulate("--start", "1,1,0,0,0", "--steps", 0).stdout
    assert re.search(r"^ *1 +1\.0000 +1\.0000( +0\.0000){3} +0\.1135 +0 *$", shown, re.MULTILINE)


def test_the_reduced_dynamics_in_a_line():
    result = exits(simulate("--planar", "--kappa0", -0.3, "--nu0", -0.1), 0)
    made = simulated(TASK, [[-0.3, -0.1]], 0.1, 4e-3, 20_000, 20_000).isel(run=0, step=-1)
    assert result.stdout == (
        f"kappa = {float(made.kappa):.6f}, nu = {float(made.nu):.6f}, "
        f"excess risk {float(made.excess_risk):.6f} after 20,000 steps\n"
    )
    assert float(made.kappa) < -0.95
    assert float(made.nu) < -0.9999


@pytest.fixture
def coarse(monkeypatch):
    """Fields on a grid of few points."""
    monkeypatch.setattr(
        "slrsym.papers.single_location.surveys.SquareSurvey.__init__.__defaults__",
        (TASK, 0.1, 9, 0.02),
    )


@pytest.mark.parametrize("form", [thorough("pdf"), thorough("png"), "svg"])
def test_plots(tmp_path, coarse, form):
    for more in (("--planar", "--kappa0", 0.5, "--nu0", -0.5, "--steps", 20), SHORT):
        file = tmp_path / f"plot.{form}"
        exits(simulate(*more, "--plot", file), 0, f"drawn in {file}")
        assert [f.name for f in tmp_path.iterdir()] == [file.name]
        file.unlink()


@thorough_only
def test_resume(tmp_path):
    first, second = tmp_path / "first.nc", tmp_path / "second.nc"
    simulate(*SHORT, "-o", first)
    before = first.read_bytes()
    exits(simulate("--resume", first, "--steps", 80, "-o", second), 0, "after 80 steps")
    whole = simulated(TASK, UniformStart(3), 0.1, 4e-3, 80, 20, "numpy")
    assert load(second).equals(whole)
    assert first.read_bytes() == before
    assert simulate("--resume", first, "--steps", 80, "--lam", "0.1").exit_code == 0
    assert load(first).equals(whole)


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["--alpha", "0"], ["alpha must be positive and finite; got 0.0"]),
        (["--alpha", "-1"], ["alpha must be positive and finite; got -1.0"]),
        (["--alpha", "nan"], ["alpha must be positive and finite; got nan"]),
        (
            ["--alpha", "1e308", "--steps", "9"],
            ["no step overflows; got alpha = 1e+308, inverse temperatures"],
        ),
        (["--alpha", "1e308", "--backend", "numpy"], ["no step overflows; got alpha = 1e+308"]),
        (["--lam", "1e60", "--steps", "9"], ["no step overflows; got alpha", "up to 1e+60"]),
        (["--d", "1"], ["d must be an integer of at least 2; got 1"]),
        (["--L", "0"], ["L must be an integer of at least 1; got 0"]),
        (["--gamma", "0"], ["gamma must be finite and positive; got 0.0"]),
        (["--gamma2", "-2"], ["--gamma2", "must be a positive number; got '-2'"]),
        (["--gamma", "1", "--gamma2", "1"], ["--gamma2", "gamma is given already"]),
        (["--epsilon", "-1"], ["epsilon must be finite and not negative; got -1.0"]),
        (["--steps", "-1"], ["steps must be an integer of at least 0; got -1"]),
        (["--steps", "1.5"], ["--steps", "integer"]),
        (["--every", "0"], ["every must be an integer of at least 1; got 0"]),
        (["--runs", "0"], ["runs must be an integer of at least 1; got 0"]),
        (["--seed", "-1"], ["seed must be an integer of at least 0; got -1"]),
        (["--lam", "1/x"], ["--lam", "must be a number, or a formula in the step t", "got '1/x'"]),
        (["--lam", "1/t"], ["schedule must be positive and finite; it is inf at step 0"]),
        (["--lam", "-1"], ["--lam", "schedule must be", "-1"]),
        (["--start", "none.npz"], ["start must be a file that exists; none.npz is none"]),
        (["--backend", "cuda"], ["backend must be one of auto, numpy, numba; got 'cuda'"]),
        (["--start", "moon"], ["start must be sphere, manifold, five numbers", "got 'moon'"]),
        (["--start", "0,0"], ["start must be sphere, manifold, five numbers", "got '0,0'"]),
        (["--start", "0,nan,0,0,0"], ["start must be finite", "nan"]),
        (["--start", "1,1,1,1,1"], ["start must be feasible", "[1.0, 1.0, 1.0, 1.0, 1.0]"]),
        (["--start", "0,0,0,0,0", "--runs", "2"], ["--runs", "a given start is one run"]),
        (["--batch", "0"], ["batch must be an integer of at least 1; got 0"]),
        (["--planar", "--batch", "2"], ["--batch", "batches leave the manifold"]),
        (["--resume", "none.nc", "--batch", "2"], ["--batch", "cannot be changed"]),
        (["--planar"], ["--kappa0", "is needed with --planar"]),
        (["--planar", "--kappa0", "1"], ["--nu0", "is needed with --planar"]),
        (["--planar", "--kappa0", "2", "--nu0", "0"], ["kappa0 must lie in [-1, 1]; got 2.0"]),
        (["--planar", "--kappa0", "0", "--nu0", "nan"], ["nu0 must lie in [-1, 1]; got nan"]),
        (["--planar", "--kappa0", "0", "--nu0", "0", "--runs", "2"], ["--runs", "one run"]),
        (["--nu0", "1"], ["--nu0", "needs --planar"]),
        (["--resume", "none.nc"], ["none.nc"]),
        (["--resume", "none.nc", "--alpha", "1"], ["--alpha", "cannot be changed"]),
        (["--resume", "none.nc", "--every", "1"], ["--every", "cannot be changed"]),
        (["--resume", "none.nc", "--planar"], ["--planar"]),
        (["-o", "none/runs.nc"], ["--output", "does not exist"]),
        (["-o", "a", "--json", "./a"], ["--json", "another file than that of --output; got a"]),
        (["-o", "a.svg", "--plot", "a.svg"], ["--output", "another file than", "got a.svg"]),
        (["--start", "a.npz", "-o", "a.npz"], ["--output", "another file than that of --start"]),
        (["--resume", "a", "--json", "a"], ["--json", "another file than that of --resume"]),
        (["--plot", "none/plot.pdf"], ["--plot", "does not exist"]),
        (["--plot", "plot.gif"], ["--plot", "plot.gif must end with one of .pdf, .png, .svg"]),
    ],
    ids=lambda part: " ".join(part) if part and part[0].startswith("-") else "",
)
def test_bad_usage(tmp_path, monkeypatch, arguments, parts):
    monkeypatch.chdir(tmp_path)
    refused(simulate(*arguments), *parts)
    assert not list(tmp_path.iterdir())


def test_resumed_steps_must_not_lie_in_the_past(tmp_path):
    file = tmp_path / "runs.nc"
    simulate(*SHORT, "-o", file)
    refused(simulate("--resume", file, "--steps", 3), "steps must be at least 40", "got 3")


def test_numba_missing(monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *_: None if name == "numba" else found(name)
    )
    refused(simulate("--backend", "numba"), "backend='numba' needs", "pip install numba")
    # Without being asked for, it is not missed.
    assert simulate("--steps", 3).exit_code == 0


def test_an_unexpected_error_is_no_bad_usage(monkeypatch):
    def fail(*_, **__):
        raise RuntimeError("out of cheese")

    monkeypatch.setattr("slrsym.papers.single_location.dynamics.simulate", fail)
    result = exits(simulate(), 1)
    assert result.stderr == "error: out of cheese (slrsym --debug shows where)\n"


@thorough_only
def test_interrupted_runs_are_saved_and_can_be_resumed(tmp_path, monkeypatch):
    file = tmp_path / "runs.nc"
    advance = TaskEngine.advance
    spans = []

    def interrupted(self, inverse_temperatures, every):
        spans.append(len(inverse_temperatures))
        if len(spans) > 1:
            raise KeyboardInterrupt
        return advance(self, inverse_temperatures, every)

    # So many steps that they are made in several spans.
    arguments = ("--steps", 3000, "--every", 1500, "--runs", 200, "--backend", "numpy")
    monkeypatch.setattr(TaskEngine, "advance", interrupted)
    result = simulate(*arguments, "-o", file)
    assert spans == [1500, 1500]
    assert result.exit_code == 130
    assert result.stdout == ""
    goes_on = f"slrsym paper single-location simulate --resume {file} goes on"
    assert result.stderr == f"{goes_on}\ninterrupted\n"
    assert load(file).step.values.tolist() == [0, 1500]
    assert [f.name for f in tmp_path.iterdir()] == [file.name]

    monkeypatch.undo()
    assert simulate("--resume", file).exit_code == 0
    assert load(file).equals(simulated(TASK, UniformStart(200), 0.1, 4e-3, 3000, 1500, "numpy"))


@thorough_only
def test_help_says_the_default():
    assert "[default: 0.004]" in run(*PAPER, "simulate", "--help").stdout
