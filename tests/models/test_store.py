"""Runs of models, kept as those of the paper's task: saved, read, interrupted, gone on with."""

import numpy as np
import pytest
import xarray as xr
from sympy import Rational, Symbol, tanh

from slrsym.models import Direction, Predictor, Token, TokenSequence, model
from slrsym.models.training.simulation import DescentEngine
from slrsym.papers.single_location.dynamics import (
    InverseTimeDecay,
    UniformStart,
    load,
    resume,
    save,
    simulate,
)
from slrsym.papers.single_location.models import attention
from slrsym.papers.single_location.task import Task
from tests._profile import thorough_only

VALUES = {"d": 20, "L": 3, "gamma": 0.7, "epsilon": 0.1, "lambda": 0.2}
OPTIONS = {"alpha": 1e-2, "rng": 3, "backend": "numpy", "progress": False}


@thorough_only
def test_they_come_back_as_they_were(tmp_path):
    for stated, more in (
        (attention().model, {"runs": 3}),
        (attention(cov=(Rational(1, 2), 2)).model, {"dimensions": (8, 12)}),
    ):
        known = {n: VALUES[n] for n in {"d", *(p.name for p in stated.parameters)} & VALUES.keys()}
        before = stated.simulate(known, steps=7, every=3, path=tmp_path / "a.nc", **more, **OPTIONS)
        after = load(tmp_path / "a.nc")
        xr.testing.assert_identical(after, before)
        assert type(after) is type(before)
        x, y = stated.directions[0], stated.directions[-1]
        assert (after.overlap(x, y) == before.overlap(x.name, y.name)).all()
        assert before.step.values.tolist() == [0, 3, 6, 7]


def test_those_of_the_paper_are_of_the_same_kind(tmp_path):
    """The same order parameters, risk and names, from one start and by one schedule."""
    stated, falling = attention().model, InverseTimeDecay(0.2, 0.1)
    task = Task(20, 3, 0.7, 0.1)
    state = np.array([0.1, 0.2, 0.05, -0.1, 0.3])
    theirs = simulate(task, state[None], falling, 1e-2, 7, 3, "numpy", progress=False)
    gram = np.eye(4)
    for p, value in zip(stated.order_parameters, state, strict=True):
        i, j, _ = stated.flow.places[p]
        gram[i, j] = gram[j, i] = value
    ours = stated.simulate(VALUES | {"lambda": falling}, steps=7, every=3, start=gram, **OPTIONS)
    assert type(ours) is type(theirs)
    assert ours.kappa.dims == theirs.kappa.dims
    for p in stated.order_parameters:
        assert np.abs(ours[p] - theirs[p]).max() < 1e-13
    assert np.abs(ours.excess_risk - theirs.excess_risk).max() < 1e-13
    assert (ours["lambda"].values == theirs.lam.values).all()
    assert len(np.unique(theirs.lam)) == 4
    assert np.abs(ours.risk - ours.excess_risk - 0.01).max() < 1e-15
    with pytest.raises(ValueError, match="runs must have gram"):
        theirs.overlap("k", "v")
    with pytest.raises(ValueError, match=r"x and y must be of k, v, .*; got w"):
        ours.overlap("w", "v")
    save(theirs, tmp_path / "theirs.nc")
    xr.testing.assert_identical(load(tmp_path / "theirs.nc"), theirs)
    with pytest.raises(ValueError, match="its simulate goes on"):
        resume(ours)
    with pytest.raises(ValueError, match="start must be runs of a model of k, v"):
        stated.simulate(VALUES, steps=1, start=theirs, **OPTIONS)


@thorough_only
def test_random_starts_are_those_of_the_paper():
    """The paper's task is a model among others, and a run does not depend on those beside it."""
    stated = attention().model
    # The same coordinates are along the model's first fixed direction, and along k^*.
    (k, v), (one, other) = stated.trained_directions, stated.fixed_directions
    pairs = ((k, one), (v, other), (v, one), (k, other), (k, v))
    for d in (2, 3, 20):
        theirs = UniformStart(5, seed=3).overlaps(Task(d, 3, 0.7))
        for runs in (5, 2):
            made = stated.simulate(VALUES | {"d": d}, steps=1, runs=runs, **OPTIONS)
            ours = np.stack([made.overlap(x, y).values[:, 0] for x, y in pairs], axis=1)
            assert np.abs(ours - theirs[:runs]).max() < 1e-14


@thorough_only
def test_they_go_on(tmp_path):
    stated, file = attention().model, tmp_path / "first.nc"
    first = stated.simulate(VALUES, steps=8, runs=3, path=file, **OPTIONS)
    whole = stated.simulate(VALUES, steps=20, runs=3, **OPTIONS)
    for start in (first, file, str(file)):
        rest = stated.simulate(VALUES, steps=12, start=start, **OPTIONS)
        assert rest.sizes["run"] == 3
        assert np.abs(rest.gram.values - whole.gram.values[:, 8:]).max() < 1e-13


@pytest.mark.parametrize("activation", [None, tanh])
def test_interrupted_runs_keep_what_is_complete(activation, tmp_path, monkeypatch):
    stated = attention(*([activation] if activation else [])).model
    whole = stated.simulate(VALUES, steps=20, every=5, runs=2, **OPTIONS)
    monkeypatch.setattr(
        "slrsym.models.training.runs._STRIDE", 6 * (1 if stated.has_closed_form else 1000)
    )
    advance, calls = DescentEngine.advance, []

    def interrupted(self, *arguments):
        calls.append(1)
        if len(calls) == 5:
            raise KeyboardInterrupt
        return advance(self, *arguments)

    monkeypatch.setattr(DescentEngine, "advance", interrupted)
    with pytest.raises(KeyboardInterrupt):
        stated.simulate(VALUES, steps=20, every=5, runs=2, path=tmp_path / "a.nc", **OPTIONS)
    kept = load(tmp_path / "a.nc")
    assert 1 < kept.sizes["step"] < 5
    assert (kept.gram == whole.gram.isel(step=slice(kept.sizes["step"]))).all()


def test_what_is_refused(tmp_path):
    stated = attention().model
    with pytest.raises(ValueError, match="path must be in a folder that exists"):
        stated.simulate(VALUES, steps=3, path=tmp_path / "none" / "a.nc", **OPTIONS)
    with pytest.raises(ValueError, match="path must be a file that exists"):
        stated.simulate(VALUES, steps=3, start=tmp_path / "a.nc", **OPTIONS)
    u, w = Direction("u", unit=True), Direction("w", sphere=True)
    step = Symbol("step", positive=True)
    named = model(
        TokenSequence({Token(step * u, target=lambda X: X @ u): 1}), Predictor(lambda X: X @ w)
    )
    with pytest.raises(ValueError, match="must not have names that runs have; got step"):
        named.simulate({"d": 9, "step": 1}, steps=3, **OPTIONS)
    runs = stated.simulate(VALUES, steps=3, **OPTIONS)
    with pytest.raises(ValueError, match="start must be runs of a model of w, u"):
        named.simulate({"d": 9, "step": 1}, steps=3, start=runs, **OPTIONS)
