"""Branches of critical points of any model along a parameter, with their bifurcations."""

from functools import cache

import numpy as np
import pytest
from sympy import Max, Symbol, erf

from slrsym.models import Direction, Predictor, Token, TokenSequence, model
from slrsym.models.landscape import continuation
from slrsym.models.landscape.continuation import ParameterLine
from slrsym.models.landscape.distinct_points import KnownPoints
from slrsym.models.landscape.search_starts import StartDraws
from slrsym.papers.committee.models import committee
from slrsym.papers.single_location.models import attention, multi_head
from tests._profile import nightly_cases, thorough

A = Symbol("a", real=True)
S = Symbol("s", positive=True)


@cache
def tilted():
    """A linear unit on the sphere, with more variance along the target's direction."""
    w, u = Direction("w", sphere=True), Direction("u", unit=True)
    token = Token(cov={1: 1, u: S}, target=lambda X: A * (X @ u))
    return model(TokenSequence({token: 1}), Predictor(lambda X: X @ w))


def test_a_fork_is_where_the_second_derivative_vanishes():
    """With p = w @ u the risk is 1 + s p^2 - 2 a (1 + s) p + a^2 (1 + s)."""
    one = tilted()
    a = 0.3
    branches = one.branches({"a": a, "d": 4}, S, 0.1, 3.0, anchors=4, starts=12, rng=0)
    fork = a / (1 - a)
    by_end = {round(float(b.states[np.argmax(b.values), 0]), 6): b for b in branches}
    assert {1.0, -1.0} < set(by_end)
    # p = 1 is a minimum until s = a/(1 - a), and then a maximum.
    (event,) = by_end[1.0].events
    assert event.kind == "stability"
    assert event.value == pytest.approx(fork, rel=1e-7)
    assert by_end[1.0].index.min() == 0
    assert by_end[1.0].index.max() == 3
    (inside,) = [b for b in branches if abs(b.states[np.argmax(b.values), 0]) < 0.9]
    order = np.argsort(inside.values)
    s = inside.values[order]
    np.testing.assert_allclose(inside.states[order, 0], a * (1 + s) / s, atol=1e-7)
    # It is born at the fork, where it meets its mirror image.
    assert s[0] == pytest.approx(fork, rel=1e-4)
    assert [e.kind for e in inside.events] == ["pitchfork"]
    assert (inside.index[1:-1] == 0).all()
    assert inside.excess_risk[-1] == pytest.approx(
        1 + 3 * inside.states[-1, 0] ** 2 - 2 * a * 4 * inside.states[-1, 0] + a**2 * 4, rel=1e-9
    )


VALUES = {"gamma": 0.7, "d": 8, "L": 3, "epsilon": 0.1}
MODELS = {
    "erf": (lambda: attention(erf).model, VALUES, "lambda", 0.15, 0.4),
    "relu": (lambda: attention(lambda x: Max(x, 0)).model, VALUES, "lambda", 0.2, 0.3),
    "two heads": (lambda: multi_head(2, 1).model, VALUES, "lambda", 0.2, 0.25),
    "committee": (lambda: committee(3, 2).model, {"d": 7}, "epsilon", 0.1, 0.2),
}


@nightly_cases("two heads")
@pytest.mark.parametrize("name", ["erf", thorough("relu"), thorough("two heads")])
def test_points_of_branches_are_critical_and_have_their_indices(name):
    make, values, parameter, low, high = MODELS[name]
    one = make()
    found = one.branches(values, parameter, low, high, anchors=2, starts=12, rng=0)
    assert found
    draws = StartDraws(one, {**values, parameter: low}, np.random.default_rng(0))
    there, _ = draws.draw(1)
    line = ParameterLine(KnownPoints(there, draws.by_name), parameter)
    for branch in found:
        assert branch.values.min() >= low * (1 - 1e-12)
        assert branch.values.max() <= high * (1 + 1e-12)
        slopes, bend, _ = line.derivatives(branch.points, branch.values)
        size = np.abs(bend).max(axis=(1, 2))
        assert (np.linalg.norm(slopes, axis=1) < 1e-8 * np.maximum(1, size)).all()
        risks = one.compile("numpy", "excess_risk")
        np.testing.assert_allclose(
            risks(branch.states, *line.row(branch.values))[..., 0], branch.excess_risk, rtol=1e-10
        )
        for i in np.flatnonzero(np.diff(branch.index)):
            ends = sorted(branch.values[i : i + 2])
            assert any(ends[0] * 0.999 <= e.value <= ends[1] * 1.001 for e in branch.events)


def test_derivatives_in_the_parameter(monkeypatch):
    """Derived for few order parameters; differences of sixth order say the same."""
    one = MODELS["erf"][0]()
    draws = StartDraws(one, VALUES | {"lambda": 0.3}, np.random.default_rng(0))
    there, points = draws.draw(2)
    line = ParameterLine(KnownPoints(there, draws.by_name), "lambda")
    exact = line.rate(points[0], np.log(0.3))
    h = 1e-5
    ahead, behind = (
        line.at(0.3 * np.exp(s * h)).there.risk_and_gradient(points[:1])[1] for s in (1, -1)
    )
    np.testing.assert_allclose(exact, ((ahead - behind) / (2 * h)).ravel(), rtol=1e-6, atol=1e-8)
    monkeypatch.setattr(continuation, "_FEW", 0)
    np.testing.assert_allclose(line.rate(points[0], np.log(0.3)), exact, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"parameter": "d"}, "parameter must be one of .*lambda; got 'd'"),
        ({"parameter": "zeta"}, "parameter must be one of .*lambda; got 'zeta'"),
        ({"low": 0.5}, "low must be less than high; got 0.5 and 0.4"),
        ({"low": -1}, "low must be positive"),
        ({"anchors": 1}, "anchors must be an integer of at least 2; got 1"),
        ({"values": VALUES | {"lambda": 1}}, "values must not have lambda, along which"),
    ],
)
def test_bad_input(changed, said):
    one = MODELS["erf"][0]()
    given = {"values": VALUES, "parameter": "lambda", "low": 0.3, "high": 0.4} | changed
    with pytest.raises(ValueError, match=said):
        one.branches(**given)


def test_eigenspaces_have_no_branches():
    one = attention(cov=(1, 2), other_cov=(1, 1)).model
    with pytest.raises(ValueError, match="branches need second derivatives and one eigenspace"):
        one.branches({"d": 8, "L": 3, "epsilon": 0}, "lambda", 0.1, 0.2)
