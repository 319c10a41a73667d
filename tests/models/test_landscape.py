"""The table of critical points: one row for an orbit or a continuum, found fast, printed narrow."""

import io
import sys
from functools import cache

import numpy as np
import pytest
from sympy import Max, Symbol, erf, tanh

from slrsym.models import CriticalPoint, Direction, Predictor, Token, TokenSequence, model
from slrsym.models.landscape.critical_point_search import SearchCoverage
from slrsym.models.landscape.critical_point_table import CriticalPoints
from slrsym.papers.committee.models import committee
from slrsym.papers.single_location.models import attention, multi_head
from tests._cli import Screen
from tests._profile import nightly_only, thorough, thorough_only

VALUES = {"lambda": 0.2, "gamma": 0.7, "d": 8, "L": 3, "epsilon": 0.1}
ACTIVATIONS = {"tanh": tanh, "relu": lambda x: Max(x, 0), "erf": erf}

# Found by the search of slrsym 0.1 (Levenberg-Marquardt and L-BFGS from 50 starts), one of each
# orbit: kappa, nu, theta, eta, rho and the risk.
EARLIER = {
    "tanh": [
        ((0, 0, 1, 1, 0), 0.274366),
        ((1, 1, 0, 0, 0), 0.283311),
        ((0, 0, 0, 0, 0), 0.583482),
        ((0.3453, -0.4065, -0.3421, 0.3947, 0.4428), 0.727406),
    ],
    "relu": [((1, 1, 0, 0, 0), 0.235915), ((-0.0246, 0.1654, -0.51, 0.5285, 0.8163), 0.622745)],
}


@cache
def found(name, starts=24):
    return attention(ACTIVATIONS[name]).model.landscape(VALUES, starts=starts, rng=0)


@thorough_only
@pytest.mark.parametrize("name", ["tanh", "relu"])
def test_all_earlier_orbits_are_found(name):
    points = found(name, 50)
    signs = [np.ones(5), np.array([1, 1, -1, -1, -1])]
    signs += [signs[0] * [-1, -1, -1, -1, 1], signs[1] * [-1, -1, -1, -1, 1]]
    allowed = signs if name == "tanh" else signs[:2]
    for state, risk in EARLIER[name]:
        far = [
            min(np.abs(np.array(state) * s - p.state).max() for s in allowed)
            for p in points
            if abs(p.risk - risk) < 2e-6
        ]
        assert min(far) < 2e-4, (state, risk)


@pytest.mark.parametrize("name", [thorough("tanh"), "relu"])
def test_points_are_critical_sorted_and_one_of_each_orbit(name):
    stated, points = attention(ACTIVATIONS[name]).model, found(name)
    assert points.overlaps == ("kappa", "nu", "theta", "eta", "rho")
    risks = [p.risk for p in points]
    assert risks == sorted(risks)
    f = stated.compile("numpy", "risk")
    row = [VALUES[p.name] for p in stated.parameters]
    for p in points:
        assert float(f(p.state, *row)[0]) == pytest.approx(p.risk, rel=1e-12)
        assert len(p.eigenvalues) == 2 * (VALUES["d"] - 1)
        # Of each orbit, the point whose first overlap that is not 0 is positive.
        assert name == "relu" or p.continuum or next((x for x in p.state.round(6) if x), 1) > 0
    isolated = [p for p in points if not p.continuum]
    assert len({(round(p.risk, 7), p.index) for p in isolated}) == len(isolated)


@thorough_only
def test_the_index_is_that_of_all_dimensions():
    """With the oracle as a strict minimum, and saddles whose descending directions grow with d."""
    stated = attention(tanh).model
    counts = {}
    for d in (8, 20):
        points = stated.landscape(VALUES | {"d": d}, starts=24, rng=0)
        oracle = min(points, key=lambda p: np.abs(p.state - [1, 1, 0, 0, 0]).max())
        assert (oracle.kind, oracle.index, oracle.flat) == ("minimum", 0, 0)
        assert len(oracle.eigenvalues) == 2 * (d - 1)
        null = min(points, key=lambda p: np.abs(p.state).max())
        # Rotations of k and v orthogonal to k*, v* and each other change nothing.
        assert null.flat == 2 * d - 7
        counts[d] = null.index
    assert counts[8] == counts[20] == 2


@thorough_only
def test_the_index_agrees_with_vectors_in_all_dimensions():
    """With the Hessian by differences of the risk of vectors in R^6."""
    stated, d = attention(erf).model, 6
    values = VALUES | {"d": d}
    points = stated.landscape(values, starts=16, rng=1)
    f = stated.compile("numpy", "gradient")
    row = [values[p.name] for p in stated.parameters]
    k_star, v_star = np.eye(d)[:2]
    tried = 0
    for p in points:
        kappa, nu, theta, eta, rho = p.state
        gram = np.array([[1, rho, kappa, eta], [rho, 1, theta, nu], [kappa, theta, 1, 0],
                         [eta, nu, 0, 1]])  # fmt: skip
        rest = gram[:2, :2] - gram[:2, 2:] @ gram[2:, :2]
        values_, axes = np.linalg.eigh(rest)
        vectors = np.zeros((2, d))
        vectors[:, :2] = gram[:2, 2:]
        vectors[:, 2:4] = axes * np.sqrt(np.maximum(values_, 0))

        def tangent(flat):
            k, v = w = flat.reshape(2, d)
            g = f([k @ k_star, v @ v_star, v @ k_star, k @ v_star, k @ v], *row)
            full = np.array([g[0] * k_star + g[3] * v_star + g[4] * v,
                             g[1] * v_star + g[2] * k_star + g[4] * k])  # fmt: skip
            along = np.sum(w * full, axis=1, keepdims=True)
            return (full - along * w).ravel()

        order = [p.name for p in stated.order_parameters]
        assert order == ["kappa", "nu", "theta", "eta", "rho"]
        normals = np.zeros((2, 2 * d))
        normals[0, :d], normals[1, d:] = vectors
        basis = np.linalg.svd(normals)[2][2:]
        h = 1e-5
        at = vectors.ravel()
        bend = basis @ np.array(
            [(tangent(at + h * b) - tangent(at - h * b)) / (2 * h) for b in basis]
        ).T  # fmt: skip
        eigenvalues = np.linalg.eigvalsh((bend + bend.T) / 2)
        assert p.eigenvalues == pytest.approx(eigenvalues, abs=1e-6)
        tried += 1
    assert tried == len(points) > 3


def test_a_continuum_is_one_row():
    """Three unit vectors whose sum is u: it may be one of them, and the others opposite."""
    u, *vectors = Direction("u", unit=True), *(Direction(x, sphere=True) for x in "wyz")
    token = Token(0, 1, lambda X: (X @ u) / 3)
    predictor = Predictor(lambda X: sum(X @ x for x in vectors) / 3)
    stated = model(TokenSequence({token: 1}), predictor)
    points = stated.landscape({"d": 5}, starts=16, rng=0)
    (best,) = [p for p in points if p.risk < 1e-12]
    assert points[0] is best
    assert best.kind == "minimum"
    assert best.continuum > 0
    assert len(best.samples) > 3
    assert ".." in repr(points)
    assert "the range over a continuum" in repr(points)
    ranges = [p for p in points if p.continuum]
    assert len({(round(p.risk, 6), p.index) for p in ranges}) == len(ranges)
    # All permutations of the three.
    assert points.symmetries >= 6


@nightly_only
def test_permutations_of_units_are_symmetries():
    stated = committee(2, 1).model
    points = stated.landscape({"d": 6, "epsilon": 0.1}, starts=12, rng=0)
    assert points.symmetries >= 2
    two = multi_head(2, 1).model
    again = two.landscape(VALUES | {"d": 6}, starts=8, rng=0)
    assert again.symmetries >= 4


@thorough_only
def test_few_dimensions():
    points = attention(erf).model.landscape(VALUES | {"d": 2}, starts=12, rng=0)
    assert len(points) > 2
    assert all(len(p.eigenvalues) == 2 for p in points)


@pytest.mark.parametrize("name", ["erf", thorough("tanh"), thorough("relu")])
def test_the_table_is_narrow_and_names_everything(name):
    points = found(name, 12)
    text = str(points)
    assert max(map(len, text.splitlines())) <= 80
    for word in ("risk", "kind", "index", "flat", "copies", "kappa", "rho", "minimum"):
        assert word in text
    assert f"{len(points)} critical points up to" in text
    assert points.as_dicts()[0]["kind"] == points[0].kind
    assert points.states.shape == (len(points), 5)
    assert points.minima[0] is next(p for p in points if p.kind == "minimum")


def _point(state, **changes):
    numbers = {
        "risk": 0.5, "excess_risk": 0.5, "spectrum": ((1.0, 3),), "index": 0, "flat": 0, "orbit": 0,
        "continuum": 0, "copies": 1, "hits": 1,
    }  # fmt: skip
    state = np.array(state, dtype=float)
    return CriticalPoint(state, **(numbers | changes), samples=state[None])


def test_many_overlaps_are_broken_into_blocks():
    names = tuple(rf"\langle k_{i}, k^\star_{i}\rangle" for i in range(22))
    table = CriticalPoints(names, (_point(np.linspace(-1, 1, 22)),), SearchCoverage(3, (1,)), 2)
    text = repr(table)
    assert max(map(len, text.splitlines())) <= 80
    assert all(f"<k_{i}, k*_{i}>" in text for i in range(22))
    assert "1 critical point up to 2 symmetries\n1 of 3 searches ended at one" in text


def test_no_point():
    assert repr(CriticalPoints(("x",), (), SearchCoverage(4, ()), 1)) == (
        "no critical point found by 4 searches"
    )


def test_progress_is_shown(monkeypatch):
    stream = Screen()
    monkeypatch.setattr(sys, "stderr", stream)
    stated = attention(erf).model
    stated.landscape(VALUES, starts=2, rng=0, progress=True)
    assert "searches" in stream.getvalue()
    monkeypatch.setattr(sys, "stderr", silent := io.StringIO())
    stated.landscape(VALUES, starts=2, rng=0, progress=False)
    assert silent.getvalue() == ""


def test_a_seed_gives_the_same_points():
    stated = attention(erf, angle=Symbol("c", real=True)).model
    first, second = (stated.landscape(VALUES | {"c": 0.3}, starts=6, rng=5) for _ in range(2))
    assert np.array_equal(first.states, second.states)
