"""Recovery on a grid of parameters: counts as of single settings, files, and what is refused."""

import numpy as np
import pytest
from sympy import Symbol, erf

from slrsym.models import Direction, Predictor, Token, TokenSequence, model
from slrsym.models.training.runs import wilson_intervals
from slrsym.models.training.schedules import InverseTimeDecay

c = Symbol("c", positive=True)
u, w = Direction("u", unit=True), Direction("w", sphere=True)
M = model(
    TokenSequence({Token(target=lambda X: erf(c * (X @ u))): 1}),
    Predictor(lambda X: erf(c * (X @ w))),
)
HOW = {"steps": 10, "alpha": 0.3, "runs": 6, "backend": "numpy", "min_overlap": 0.8}


def test_counts_are_those_of_single_settings():
    grid = M.recovery_sweep({}, {"d": [3, 40], c: [0.5, 2.0]}, [(w, u)], **HOW, rng=3)
    assert grid["count"].dims == ("d", "c")
    assert len(set(grid["count"].values.ravel().tolist())) > 1
    for d in (3, 40):
        for value in (0.5, 2.0):
            alone = M.recovery({"d": d, "c": value}, [(w, u)], **HOW, rng=3)
            here = grid.sel(d=d, c=value)
            assert float(here["fraction"]) == alone.fraction
            assert (float(here["lower"]), float(here["upper"])) == alone.interval
            last = np.abs(alone.runs.overlap(w, u).isel(step=-1))
            assert (here["overlap"] == last.values).all()
    lower, _ = wilson_intervals(grid["count"].values, 6)
    assert (grid["lower"] == lower).all()


def test_counts_of_batches_are_those_of_single_settings(tmp_path):
    at = ({"c": 1.5}, {"d": [3, 40]}, [(w, u)])
    grid = M.recovery_sweep(*at, **HOW, batch=2, rng=3, path=tmp_path / "counts.nc")
    assert grid.attrs["batch"] == 2
    for d in (3, 40):
        alone = M.recovery({"d": d, "c": 1.5}, [(w, u)], **HOW, batch=2, rng=3)
        last = np.abs(alone.runs.overlap(w, u).isel(step=-1))
        assert (grid.sel(d=d)["overlap"] == last.values).all()
    exact = M.recovery_sweep(*at, **HOW, rng=3)
    assert not (grid["overlap"] == exact["overlap"]).any()
    with pytest.raises(ValueError, match="holds counts with batch = 2"):
        M.recovery_sweep(*at, **HOW, batch=3, rng=3, path=tmp_path / "counts.nc")


def test_runs_that_leave_all_numbers_are_undecided():
    """Of a free direction, whose cubic descent diverges from starts that are too long."""
    v = Direction("v")
    free = model(
        TokenSequence({Token(target=lambda X: X @ u): 1}), Predictor(lambda X: (X @ v) ** 3)
    )
    start = np.array([[[s, 0], [0, 1]] for s in (0.01, 0.02, 50.0)])
    how = {"steps": 60, "alpha": 1e-3, "backend": "numpy", "min_overlap": 0.0}
    with pytest.warns(RuntimeWarning, match="the states of 1 of 3 runs are not finite"):
        alone = free.recovery({}, [(v, u)], start=start, **how)
    assert (alone.undecided, alone.bounds) == (1, (2 / 3, 1))
    assert np.isnan(alone.fraction)
    assert repr(alone).startswith("66.7 to 100 % of 3 runs recover, 1 undecided (95% interval ")
    # As if it had been missed, and as if it had been aligned.
    assert alone.interval == (*wilson_intervals(2, 3)[0][None], *wilson_intervals(3, 3)[1][None])
    with pytest.warns(RuntimeWarning, match="not finite"):
        grid = free.recovery_sweep({}, {"d": [5, 6]}, [(v, u)], start=start, **how)
    assert grid["undecided"].values.tolist() == [1, 1]
    assert np.isnan(grid["fraction"].values).all()
    assert (float(grid["lower"][0]), float(grid["upper"][0])) == alone.interval
    assert np.isnan(grid["overlap"].values).sum() == 2


def test_a_file_is_read_again_and_other_settings_are_refused(tmp_path):
    file = tmp_path / "counts.nc"
    at = ({"d": 9}, {"c": [1.0, InverseTimeDecay(1, 0.1)]}, [(w, u)])
    found = M.recovery_sweep(*at, **HOW, path=file)
    assert found["c"].values.tolist() == ["1.0", "1/(1+0.1*t)"]
    again = M.recovery_sweep(*at, **HOW, path=file)
    assert again.identical(found)
    with pytest.raises(ValueError, match=r"holds counts with min_overlap = 0\.8"):
        M.recovery_sweep(*at, **HOW | {"min_overlap": 0.9}, path=file)
    other = model(
        TokenSequence({Token(target=lambda X: erf(c * (X @ u))): 1}),
        Predictor(lambda X: 2 * erf(c * (X @ w))),
    )
    with pytest.raises(ValueError, match="holds counts with digest"):
        other.recovery_sweep(*at, **HOW, path=file)


@pytest.mark.parametrize(
    ("values", "grid", "why"),
    [
        ({"d": 9, "c": 1}, {}, "grid must have a parameter with its values"),
        ({"d": 9, "c": 1}, {"c": [1, 2]}, "c must be in values or in grid"),
        ({"d": 9}, {"c": 2.0}, "grid must have a list of values for c; got 2.0"),
        ({"d": 9}, {"c": [2.0, 2]}, "c must have different values; got 2 twice"),
        ({"d": 9}, {"c": [2.0, -1]}, "c must be"),
        ({"d": 9}, {"x": [2.0, 1], "c": [1]}, "no parameter of this model"),
        ({"c": 1}, {"run": [1]}, "must not have names of the result; got run"),
    ],
)
def test_what_a_grid_refuses(values, grid, why):
    with pytest.raises(ValueError, match=why):
        M.recovery_sweep(values, grid, [(w, u)], **HOW)
