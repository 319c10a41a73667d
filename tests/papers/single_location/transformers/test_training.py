"""Runs of a Transformer layer: they learn, can be cut anywhere, and do not see each other."""

import numpy as np
import pytest
import xarray as xr

from slrsym.papers.single_location import Task
from slrsym.papers.single_location.transformers import (
    LayerRuns,
    MultipleLocation,
    overlaps_with_matched_stars,
)
from tests._profile import thorough_only


def small(runs=2, heads=1, n=1, **others):
    task = MultipleLocation(Task(12, 4, 0.7, 0.1), n)
    settings = {"alpha": 1e-2, "batch": 8, "steps": 60, "every": 5} | others
    return LayerRuns(task, heads, width=10, runs=runs, test=50, **settings)


@thorough_only
def test_figure_8_in_small():
    task = MultipleLocation(Task(40, 6, 0.5**0.5, 0.1))
    data = LayerRuns(task, 1, 100, 2e-2, 64, 2000, 500, 1).compute(workers=1)
    last = data.isel(step=-1)
    assert last.excess_risk < 0.05 < 0.3 < data.excess_risk[0, 0]
    assert abs(last.kappa) > 0.95
    assert last.nu > 0.93
    assert last.ratio < 1e-3


def test_the_log():
    data = small(heads=2, n=2).compute(workers=1)
    assert data.kappa.dims == data.nu.dims == ("run", "step", "head", "star")
    assert data.step.values.tolist() == list(range(0, 61, 5))
    # Queries are zero at first, and have no direction.
    assert np.isnan(data.kappa[:, 0]).all()
    assert np.isfinite(data.kappa[:, 1:]).all()
    assert np.isfinite(data.excess_risk).all()
    assert "state" not in data
    assert data.attrs["task_noise"] == "independent"


@thorough_only
def test_a_run_is_the_same_alone():
    every, alone = small(3).compute(workers=1), small(1).compute(workers=1)
    assert every.isel(run=[0])[["kappa", "nu", "excess_risk"]].equals(
        alone[["kappa", "nu", "excess_risk"]]
    )
    assert not np.array_equal(every.excess_risk[0], every.excess_risk[1])


@thorough_only
def test_processes_make_the_same():
    here, there = small().compute(workers=1), small().compute(workers=2)
    assert here.drop_attrs().equals(there.drop_attrs())


def test_interrupted_runs_go_on_to_the_last_bit(tmp_path, monkeypatch):
    whole, file = small().compute(workers=1), tmp_path / "runs.nc"
    walk, calls = LayerRuns._walk, []

    def interrupted(self, *arguments):
        calls.append(arguments)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return walk(self, *arguments)

    monkeypatch.setattr(LayerRuns, "_walk", interrupted)
    with pytest.raises(KeyboardInterrupt):
        small().compute(file, workers=1)
    monkeypatch.undo()
    half = small().read(file)
    assert 0 < np.isfinite(half.excess_risk).sum() < half.excess_risk.size
    found = small().complete(half, file, workers=1)
    for data in (found, small().read(file)):
        assert data.drop_attrs().equals(whole.drop_attrs())
    # Nothing is made again.
    monkeypatch.setattr(LayerRuns, "_walk", None)
    assert small().complete(found).equals(found)


def test_the_tasks_tokens_have_the_law_of_the_papers():
    task = Task(6, 4, 0.6, 0.3)
    rng = np.random.default_rng(0)
    k, v = (x[0] for x in MultipleLocation(task).draw_stars(rng))
    X, y = MultipleLocation(task).draw(rng, k[None], v[None], 40_000)
    spread = [0.6, 1, 1, 1]
    for found, mean, std in (
        (X @ k, [3**0.5, 0, 0, 0], spread), (X @ v, 0, spread), (y, 0, 0.45**0.5)
    ):  # fmt: skip
        assert np.allclose(found.mean(axis=0), mean, atol=0.03)
        assert np.allclose(found.std(axis=0), std, atol=0.03)
    assert np.corrcoef(X[:, 0] @ v, y)[0, 1] == pytest.approx(0.6 / 0.45**0.5, abs=0.01)


def test_shared_noise_is_shared():
    task = MultipleLocation(Task(6, 4, 0.6), 2, shared=True)
    rng = np.random.default_rng(0)
    k, v = task.draw_stars(rng)
    assert np.allclose((k * v).sum(axis=1), 0)
    X, _ = task.draw(rng, k, v, 10)
    noise = X[:, :2] - np.sqrt(3) * k
    assert np.allclose(noise[:, 0], noise[:, 1])
    assert not np.allclose(X[:, 2], X[:, 3])
    independent, _ = MultipleLocation(Task(6, 4, 0.6), 2).draw(rng, k, v, 10)
    assert not np.allclose(independent[:, 0] - independent[:, 1], np.sqrt(3) * (k[0] - k[1]))


def test_heads_are_matched_by_the_best_permutation():
    kappa = np.zeros((2, 2, 2, 2))
    nu = np.zeros((2, 2, 2, 2))
    # At the last step the first run is crossed; by kappa alone it would not be.
    kappa[0, 1], nu[0, 1] = [[0.5, 0.4], [0.4, 0.5]], [[0.1, -0.9], [0.9, 0.1]]
    kappa[1, 1] = [[0.9, 0.1], [0.2, -0.8]]
    kappa[:, 0] = [[1, 2], [3, 4]]
    dims = ("run", "step", "head", "star")
    found = overlaps_with_matched_stars(xr.Dataset({"kappa": (dims, kappa), "nu": (dims, nu)}))
    assert found.kappa.transpose("run", "step", "head").values.tolist() == [
        [[2, 3], [0.4, 0.4]],
        [[1, 4], [0.9, -0.8]],
    ]
    assert found.nu.transpose("run", "step", "head").values[0, 1].tolist() == [-0.9, 0.9]


def test_what_is_refused():
    with pytest.raises(ValueError, match="d must be a multiple of heads = 5; got 12"):
        small(heads=5)
    for name in ("runs", "batch", "every"):
        with pytest.raises(ValueError, match=f"{name} must be"):
            small(**{name: 0})
    with pytest.raises(ValueError, match="alpha must be"):
        small(alpha=-1.0)


def test_weights_that_no_memory_holds_are_refused():
    task = MultipleLocation(Task(10**9, 4, 1.0), 1)
    with pytest.raises(ValueError, match=r"^d = 1,000,000,000 with batch = 2 would need .* GB"):
        LayerRuns(task, 1, 10, 0.1, 2, 1, 1, 1)
