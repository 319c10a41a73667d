"""Grids of settings: labelled, resumed bit for bit, over any executor, whoever dies."""

import json
import multiprocessing
import os
import signal
import subprocess
import sys
from collections import deque
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from slrsym.jobs import iterate_results_on_executor
from slrsym.models.training.schedules import InverseTimeDecay
from slrsym.papers.single_location.dynamics import OverlapStart, simulate
from slrsym.papers.single_location.recovery import Setting, classify_states, recover, sweep, sweeps
from slrsym.papers.single_location.recovery.setting import MOVING
from tests._profile import thorough_only

# Runs are short here.
pytestmark = pytest.mark.filterwarnings("ignore:.*runs still move:RuntimeWarning")

GRID = {"lam0": [0.3, 1.0], "rate": [0.0, 1e-3], "d": 40, "L": [3, 6], "alpha": 2e-2}
SIZE = {"steps": 700, "runs": 12, "rng": 7}


@pytest.fixture(scope="module", autouse=True)
def _small_chunks():
    """So that a setting has several parts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sweeps, "_CHUNK", 5)
        yield


@pytest.fixture(scope="module")
def grid():
    return sweep(**GRID, **SIZE, workers=1)


@thorough_only
def test_the_grid_is_labelled(grid):
    assert grid["count"].dims == ("lam0", "rate", "d", "L", "gamma", "alpha", "verdict")
    assert grid["count"].shape == (2, 2, 1, 2, 1, 1, 5)
    assert (grid["count"].sum("verdict") == 12).all()
    inside = (grid.lower <= grid.fraction) & (grid.fraction <= grid.upper)
    assert (inside == grid.lower.notnull()).all()
    assert inside.any()
    assert grid.attrs["runs"] == 12


def test_a_cell_is_the_runs_of_its_setting(grid):
    setting = Setting(1.0, 1e-3, 40, 6, 0.5**0.5, 2e-2, 700)
    alone = recover(setting, 12, 7, workers=1)
    cell = grid.sel(lam0=1.0, rate=1e-3, L=6).squeeze()
    assert (alone["count"].values == cell["count"].values).all()
    assert float(cell.decided) == alone.decided.values.mean()
    # And these are what `simulate` makes of their starts.
    runs = simulate(
        setting.task, OverlapStart(alone.start.values), InverseTimeDecay(1.0, 1e-3), 2e-2, 700, 700
    )
    last = runs.isel(step=-1)
    ends = np.stack([last[name].values for name in alone.overlap.values], axis=1)
    assert (ends == alone.end.values).all()
    stay = alone.verdict.values != MOVING
    found = classify_states(ends, setting.final_lam, setting.task)
    assert (found == alone.verdict.values)[stay].all()


def test_runs_do_not_depend_on_what_else_is_asked_for(grid):
    part = sweep(**GRID | {"lam0": [1.0], "L": [6, 9]}, **SIZE, workers=1)
    same = {"lam0": 1.0, "L": 6}
    assert part["count"].sel(**same).equals(grid["count"].sel(**same))


_SCRIPT = """
import os, signal, sys
from slrsym.papers.single_location.recovery import sweep, sweeps
sweeps._CHUNK = 5
follow, left = sweeps.follow_to_ends, list(range(5))

def killed(*arguments):
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)
    left.pop()
    return follow(*arguments)

sweeps.follow_to_ends = killed
sweep(**{grid}, **{size}, workers=1, path=sys.argv[1])
"""


@thorough_only
def test_a_killed_sweep_goes_on_and_gives_the_same_grid(grid, tmp_path):
    file = tmp_path / "grid.nc"
    parts = tmp_path / "grid.nc.parts"
    script = _SCRIPT.format(grid=GRID, size=SIZE)
    ended = subprocess.run([sys.executable, "-c", script, str(file)], check=False)
    assert ended.returncode == -signal.SIGKILL
    done = {part.name: part.stat().st_mtime_ns for part in parts.glob("cell-*")}
    assert 3 <= len(done) <= 5
    assert not file.exists()
    watched = []
    with pytest.MonkeyPatch.context() as patch:
        follow = sweeps.follow_to_ends
        patch.setattr(sweeps, "follow_to_ends", lambda *a: watched.append(a[2:4]) or follow(*a))
        found = sweep(**GRID, **SIZE, workers=1, path=file)
    assert found.identical(grid)
    assert len(watched) == 24 - len(done)
    assert not parts.exists()
    with xr.open_dataset(file, engine="scipy") as saved:
        assert saved.equals(grid)
    # What is complete is read.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sweeps, "follow_to_ends", None)
        assert sweep(**GRID, **SIZE, path=file).equals(grid)


def test_a_damaged_part_is_made_again(grid, tmp_path):
    file = tmp_path / "grid.nc"
    _interrupted(4, **GRID, **SIZE, path=file)
    parts = sorted((tmp_path / "grid.nc.parts").glob("cell-*"))
    assert len(parts) == 4
    parts[0].write_bytes(parts[0].read_bytes()[:100])
    parts[1].write_bytes(b"")
    assert sweep(**GRID, **SIZE, workers=1, path=file).identical(grid)


def _interrupted(count, **given):
    """A sweep that is interrupted after some parts."""
    follow, calls = sweeps.follow_to_ends, []

    def work(*arguments):
        calls.append(1)
        if len(calls) > count:
            raise KeyboardInterrupt
        return follow(*arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sweeps, "follow_to_ends", work)
        with pytest.raises(KeyboardInterrupt):
            sweep(**given, workers=1)


def test_other_settings_are_refused_and_left_alone(tmp_path):
    file = tmp_path / "grid.nc"
    small = {"d": 40, "L": 3, "alpha": 2e-2, "steps": 20}
    sweep(**small, runs=2, workers=1, path=file)
    before = file.read_bytes()
    with pytest.raises(ValueError, match=r"runs = 2; needed is runs = 3"):
        sweep(**small, runs=3, workers=1, path=file)
    assert file.read_bytes() == before
    other = tmp_path / "other.nc"
    _interrupted(1, **small, runs=7, path=other)
    with pytest.raises(ValueError, match=r"parts with rng = 0; needed is rng = 1"):
        sweep(**small, runs=7, rng=1, workers=1, path=other)
    (tmp_path / "mine.nc.parts").mkdir()
    (tmp_path / "mine.nc.parts" / "notes").write_text("mine")
    with pytest.raises(ValueError, match="something else"):
        sweep(**small, runs=7, workers=1, path=tmp_path / "mine.nc")
    file.write_text("no data")
    with pytest.raises(ValueError, match="is no file of runs, nor of a sweep"):
        sweep(**small, runs=2, workers=1, path=file)
    recover(Setting(1, 0, 9, 2, 1, 0.1, 5), 2, workers=1, path=tmp_path / "runs.nc")
    with pytest.raises(ValueError, match="kind = runs; needed is kind = sweep"):
        sweep(**small, runs=2, workers=1, path=tmp_path / "runs.nc")


def test_over_threads_that_the_user_hands_in(grid):
    with ThreadPoolExecutor(3) as pool:
        assert sweep(**GRID, **SIZE, executor=pool).identical(grid)
        assert pool.submit(int, "3").result() == 3, "it is the user's to shut down"


@thorough_only
def test_over_processes(grid, tmp_path):
    """Each makes its own compiled code known to itself, which takes its time."""
    file = tmp_path / "grid.nc"
    assert sweep(**GRID, **SIZE, workers=2, path=file).identical(grid)


@thorough_only
def test_over_a_cluster_of_dask(grid):
    from distributed import Client

    with (
        Client(
            n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None
        ) as client,
        client.get_executor() as executor,
    ):
        assert sweep(**GRID, **SIZE, executor=executor).identical(grid)


class Deadly(ProcessPoolExecutor):
    """Processes of which some die: the first to take a part, as long as it finds a licence."""

    def __init__(self, folder):
        super().__init__(2, mp_context=multiprocessing.get_context("fork"))
        self.folder = folder

    def submit(self, function, *arguments):
        return super().submit(_or_die, self.folder, function, arguments)


def _or_die(folder, function, arguments):
    for licence in sorted(Path(folder).glob("*")):
        try:
            licence.unlink()
        except FileNotFoundError:
            continue
        os.kill(os.getpid(), signal.SIGKILL)
    return function(*arguments)


# Forked workers have all that is compiled; nothing else runs while they are made.
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_worker_that_dies_loses_nothing(grid, tmp_path):
    for i in range(2):
        (tmp_path / f"{i}").touch()
    made = []

    def maker():
        made.append(Deadly(tmp_path))
        return made[-1]

    assert sweep(**GRID, **SIZE, executor=maker).identical(grid)
    assert not list(tmp_path.iterdir())
    assert 2 <= len(made) <= 3


class Dead(ThreadPoolExecutor):
    """Breaks at once."""

    def submit(self, function, *arguments):
        raise BrokenProcessPool("all died")


def test_workers_that_always_die_are_not_made_for_ever(tmp_path):
    made = []

    def maker():
        made.append(Dead())
        return made[-1]

    file = tmp_path / "grid.nc"
    with pytest.raises(RuntimeError, match="workers died 5 times in a row"):
        sweep(**GRID, **SIZE, executor=maker, path=file)
    assert len(made) == 5
    with Dead() as pool, pytest.raises(RuntimeError, match="the executor broke"):
        sweep(**GRID, **SIZE, executor=pool)
    with pytest.raises(TypeError, match="executor must be"):
        sweep(**GRID, **SIZE, executor=3)


def test_what_a_job_raises_is_raised():
    with ThreadPoolExecutor(1) as pool, pytest.raises(ZeroDivisionError):
        list(iterate_results_on_executor(deque([("a", divmod, (1, 0))]), lambda: pool, False))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"lam0": 0}, "lam0 must be positive"),
        ({"lam0": "warm"}, "lam0 must be positive"),
        ({"lam0": []}, "lam0 must have one value at least"),
        ({"lam0": [1, 2, 1.0]}, "lam0 must have different values"),
        ({"rate": -1}, "rate must be finite and not negative"),
        ({"d": 1}, "d must be an integer of at least 2"),
        ({"d": 2.5}, "d must be an integer of at least 2; got 2.5"),
        ({"L": 0}, "L must be an integer of at least 1"),
        ({"gamma": -1}, "gamma must be finite and positive"),
        ({"alpha": float("nan")}, "alpha must be positive and finite"),
        ({"steps": 0}, "steps must be an integer of at least 1"),
        ({"runs": 0}, "runs must be an integer of at least 1"),
        ({"rng": -1}, "rng must be an integer of at least 0"),
        ({"workers": 0}, "workers must be an integer of at least 1"),
        ({"backend": "cuda"}, "backend must be one of"),
        ({"path": "nowhere/grid.nc"}, "path must be in a folder that exists"),
    ],
)
def test_what_is_out_of_range_is_named(given, message):
    with pytest.raises(ValueError, match=message):
        sweep(**{"steps": 5, "runs": 1} | given)


def test_settings_are_written_beside_the_data(grid, tmp_path):
    assert json.loads(grid.attrs["settings"])["lam0"] == [0.3, 1.0]
    with pytest.raises(TypeError, match="setting must be"):
        recover(3, 5)


def test_numpy_gives_nearly_the_same(grid):
    """Up to rounding, in few steps."""
    setting = Setting(0.3, 0.0, 40, 3, 0.5**0.5, 2e-2, 50)
    one, other = (recover(setting, 6, workers=1, backend=b) for b in ("numpy", "numba"))
    assert np.allclose(one.end, other.end, atol=1e-10)
    assert (one.start.values == other.start.values).all()
