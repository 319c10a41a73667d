"""Runs on disk: as they were, complete or not there, and never in the place of anything else."""

import os
import stat

import numpy as np
import pytest
import xarray as xr

from slrsym.papers.single_location.dynamics import (
    InverseTimeDecay,
    ManifoldStart,
    OverlapStart,
    UniformStart,
    load,
    resume,
    save,
    simulate,
)
from slrsym.papers.single_location.task import Task

TASK = Task(400, 10, 0.7, 0.1)


@pytest.fixture
def runs():
    return simulate(
        TASK, UniformStart(3, seed=1), InverseTimeDecay(0.9, 1e-3), 4e-3, 30, 4, "numpy"
    )


@pytest.mark.parametrize(
    "start",
    [UniformStart(2), ManifoldStart(2), OverlapStart([[0.1, 0.2, 0.3, 0.4, 0.1]])],
    ids=repr,
)
def test_runs_come_back_as_they_were(start, tmp_path):
    before = simulate(TASK, start, 0.3, 4e-3, 10, 3, "numpy")
    save(before, tmp_path / "runs.nc")
    after = load(tmp_path / "runs.nc")
    xr.testing.assert_identical(after, before)
    for name, value in before.attrs.items():
        assert type(after.attrs[name]) is type(value), name
    for name in before.variables:
        assert after[name].dtype == before[name].dtype, name


def test_other_programs_can_read_them(runs, tmp_path):
    save(runs, str(tmp_path / "runs.nc"))
    with xr.open_dataset(tmp_path / "runs.nc", engine="scipy") as found:
        assert found.kappa.values == pytest.approx(runs.kappa.values, abs=0)


@pytest.mark.parametrize("d", [2**31 - 1, 2**31, 10**10, 10**18])
def test_dimensions_that_take_more_than_32_bits(d, tmp_path):
    file = tmp_path / "runs.nc"
    before = simulate(Task(d, 10, 0.7), UniformStart(2), 1e-4, 1e-12, 10, 5, "numpy", path=file)
    xr.testing.assert_identical(load(file), before)
    assert load(file).attrs["task_d"] == d
    assert resume(file, 20).attrs["task_d"] == d


@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
def test_permissions_are_those_of_a_new_file(runs, tmp_path):
    (tmp_path / "plain").write_text("")
    save(runs, tmp_path / "runs.nc")
    assert (tmp_path / "runs.nc").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_names_of_all_kinds(runs, tmp_path):
    for name in ("é ü.nc", "x" * 250, "no ending"):
        save(runs, tmp_path / name)
        xr.testing.assert_identical(load(str(tmp_path / name)), runs)


def test_a_file_that_cannot_be_completed_is_not_begun(runs, tmp_path, monkeypatch):
    file = tmp_path / "runs.nc"
    save(runs, file)
    before = file.read_bytes()

    def half(self, path, **options):
        with open(path, "wb") as stream:  # noqa: PTH123
            stream.write(b"half of a fi")
        raise OSError("no space left on device")

    monkeypatch.setattr(xr.Dataset, "to_netcdf", half)
    for target in (file, tmp_path / "new.nc"):
        with pytest.raises(OSError, match="no space left"):
            save(runs, target)
    assert [f.name for f in tmp_path.iterdir()] == ["runs.nc"]
    assert file.read_bytes() == before


@pytest.mark.skipif(os.name != "posix", reason="links and pipes are those of POSIX")
def test_only_files_are_replaced(runs, tmp_path):
    real, link, pipe = tmp_path / "real.nc", tmp_path / "link.nc", tmp_path / "pipe"
    real.write_text("old")
    link.symlink_to(real)
    save(runs, link)
    assert link.is_symlink()
    xr.testing.assert_identical(load(real), runs)
    os.mkfifo(pipe)
    # With a reader, so that nobody who writes to it all the same has to wait.
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with pytest.raises(ValueError, match=r"path must be a file; .*pipe is not one"):
        save(runs, pipe)
    os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    with pytest.raises(ValueError, match=r"path must be a file; .* is a folder"):
        save(runs, tmp_path)
    with pytest.raises(
        ValueError, match=r"path must be in a folder that exists; .*nowhere does not"
    ):
        save(runs, tmp_path / "nowhere" / "runs.nc")


def test_a_path_is_checked_before_anything_is_computed(runs, tmp_path, monkeypatch):
    monkeypatch.setattr("slrsym.papers.single_location.dynamics.runs._run", None)
    nowhere = tmp_path / "nowhere" / "runs.nc"
    with pytest.raises(ValueError, match="path must be in a folder that exists"):
        simulate(TASK, UniformStart(1), 0.1, 1e-3, 10, path=nowhere)
    with pytest.raises(ValueError, match="path must be in a folder that exists"):
        resume(runs, 40, path=nowhere)


def test_no_file(tmp_path):
    for path in (tmp_path / "none.nc", tmp_path):
        with pytest.raises(ValueError, match="path must be a file that exists"):
            load(path)


def test_damaged_files(runs, tmp_path):
    save(runs, tmp_path / "runs.nc")
    whole, file = (tmp_path / "runs.nc").read_bytes(), tmp_path / "damaged.nc"
    rng = np.random.default_rng(0)
    for size in (0, 3, 21, 100, *rng.integers(len(whole), size=40).tolist()):
        file.write_bytes(whole[:size])
        with pytest.raises(ValueError, match=r"damaged.nc is no file of runs"):
            load(file)
    noise = np.frombuffer(whole, np.uint8).copy()
    for _ in range(150):
        damaged = noise.copy()
        damaged[rng.integers(len(whole) // 2)] ^= 1 << rng.integers(8)
        file.write_bytes(damaged.tobytes())
        # What is still a file of runs may be read; nothing else happens than that it is refused.
        try:
            load(file)
        except ValueError as refused:
            assert "is no file of runs" in str(refused)  # noqa: PT017


def test_files_of_something_else(tmp_path):
    file = tmp_path / "other.nc"
    xr.Dataset({"kappa": ("step", [1.0, 2.0])}).to_netcdf(file, engine="scipy")
    with pytest.raises(ValueError, match=r"other.nc is no file of runs: it holds something else"):
        load(file)
    file.write_text("kappa,nu\n1,2\n")
    said = "other.nc is no file of runs: it is not in netCDF format 3, or is cut short or damaged"
    with pytest.raises(ValueError, match=said):
        resume(file)


def test_an_attribute_of_an_earlier_version_has_its_name_of_today(runs, tmp_path):
    every = runs.attrs["every"]
    earlier = runs.assign_attrs(log_every=every)
    del earlier.attrs["every"]
    earlier.to_netcdf(tmp_path / "runs.nc", engine="scipy")
    xr.testing.assert_identical(load(tmp_path / "runs.nc"), runs)
