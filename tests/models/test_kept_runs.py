"""A run is never lost to what is computed of it, and what can fail fails before it."""

import warnings
from functools import cache

import numpy as np
import pytest
from sympy import Rational, Symbol, erf, sqrt

from slrsym.gaussian import normal_cdf
from slrsym.models import Direction, Predictor, Token, TokenSequence, model
from slrsym.models.training.runs import RiskNotComputedError
from slrsym.models.training.simulation import DescentEngine
from slrsym.papers.single_location.dynamics import load
from tests._profile import thorough, thorough_only
from tests.kernels._cases import needs_numba

d, q = Symbol("d", positive=True), Symbol("q", positive=True)
k, v = Direction("k", sphere=True), Direction("v", sphere=True)
k_star, v_star = Direction("k^*", unit=True), Direction("v^*", unit=True)
OPTIONS = {"alpha": 1e-3, "rng": 0, "progress": False}


@cache
def stated(activation=erf):
    """One head without an inverse temperature, and a mean with a parameter."""
    one = Token(sqrt(d / 2) * k_star, target=lambda X: X @ v_star)
    head = Predictor(lambda X: activation(X @ k) * (X @ v))
    return model(TokenSequence({one: 1, Token(): 3}), head, inner_products={k_star @ v_star: 0})


def _shifted(x):
    return erf(x / 3 + Rational(1, 2))


@thorough_only
@pytest.mark.parametrize(
    "backend", ["numpy", pytest.param("numba", marks=[needs_numba, thorough_only])]
)
@pytest.mark.parametrize("activation", [erf, thorough(normal_cdf), thorough(_shifted)])
def test_activations_without_a_symbol(activation, backend):
    one = stated(activation)
    runs = one.simulate({"d": 20}, steps=4, runs=2, backend=backend, **OPTIONS)
    f = one.compile("numpy", "risk")
    for i in range(2):
        state = [float(runs[p].values[i, -1]) for p in one.order_parameters]
        assert float(runs.risk[i, -1]) == pytest.approx(f(state, 20)[0], rel=1e-13)
    found = one.recovery({"d": 20}, [(k, k_star)], steps=2, runs=2, backend=backend, **OPTIONS)
    assert 0 <= found.fraction <= 1


def _fails_for_many_steps(monkeypatch, model):
    """Let the risk fail for more than one step at a time, as it did."""
    compiled = type(model).compile

    def compile_(self, backend="numpy", *what):
        f = compiled(self, backend, *what)

        def evaluate(states, *rest):
            if len(states) > 1:
                raise ValueError("inhomogeneous shape")
            return f(states, *rest)

        return evaluate if what == ("excess_risk",) else f

    monkeypatch.setattr(type(model), "compile", compile_)


@pytest.mark.parametrize("named", [True, False])
def test_a_failing_risk_keeps_the_run(tmp_path, monkeypatch, named):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    one = stated()
    good = one.simulate({"d": 20}, steps=6, every=2, runs=2, backend="numpy", **OPTIONS)
    _fails_for_many_steps(monkeypatch, one)
    path = tmp_path / "a.nc" if named else None
    with pytest.raises(
        RiskNotComputedError, match=r"their risk .* \(inhomogeneous shape\).* kept in"
    ) as lost:
        one.simulate({"d": 20}, steps=6, every=2, runs=2, backend="numpy", path=path, **OPTIONS)
    (file,) = tmp_path.glob("*.nc")
    assert str(file) in str(lost.value)
    for found in (lost.value.result, load(file)):
        assert np.isnan(found.risk).all()
        assert (found.gram == good.gram).all()
    monkeypatch.undo()
    more = one.simulate({"d": 20}, steps=2, start=file, backend="numpy", **OPTIONS)
    assert more.sizes["run"] == 2
    assert more.risk.values[:, 0] == pytest.approx(good.risk.values[:, -1], rel=1e-12)


def test_a_risk_that_fails_at_the_start_fails_before_the_run(monkeypatch):
    one = stated()
    monkeypatch.setattr(DescentEngine, "advance", lambda *_: pytest.fail("it ran"))

    def compile_(*_):
        def fail(*_):
            raise ValueError("no risk")

        return fail

    monkeypatch.setattr(type(one), "compile", compile_)
    with pytest.raises(ValueError, match="no risk"):
        one.simulate({"d": 20}, steps=6, backend="numpy", **OPTIONS)


@pytest.mark.parametrize(
    ("pairs", "more", "message"),
    [
        ([(k, Direction("w"))], {}, r"two directions of this model \(k, k\^\*, v, v\^\*\)"),
        ([k, k_star], {}, r"as in \[\(k, k\^\*\)\]; got k"),
        (["kv"], {}, "got 'kv'"),
        ([(k, k_star)], {"min_overlap": 2}, "min_overlap must be an overlap from 0 to 1; got 2"),
    ],
)
def test_recovery_asks_before_the_run(monkeypatch, pairs, more, message):
    monkeypatch.setattr(DescentEngine, "advance", lambda *_: pytest.fail("it ran"))
    with pytest.raises(ValueError, match=message):
        stated().recovery({"d": 20}, pairs, steps=2, backend="numpy", **more, **OPTIONS)


def test_too_large_a_step_is_said():
    u, w = Direction("u", unit=True), Direction("w", sphere=True)
    stated = model(TokenSequence({Token(target=lambda X: X @ u): 1}), Predictor(lambda X: X @ w))
    with pytest.warns(RuntimeWarning, match=r"rises in [123] of 3 runs.*alpha = 100 is too large"):
        stated.simulate({"d": 5}, steps=41, alpha=100, runs=3, rng=0, backend="numpy")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        stated.simulate({"d": 5}, steps=400, alpha=0.1, runs=3, rng=0, backend="numpy")
