"""Random samples of Gaussian matrices: what is true agrees with them, and what is not does not."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.random import default_rng
from sympy import Eq, Ge, Identity, Le, MatrixSymbol, Rational, Symbol, Trace, ZeroMatrix

from slrsym.crosscheck.ball_quadrature import Inconclusive
from slrsym.crosscheck.matrices import floats_at_matrix_point
from slrsym.crosscheck.matrix_samples import matrix_value
from slrsym.crosscheck.montecarlo import check_relations_by_sampling
from slrsym.crosscheck.samples import SampleEvaluator
from slrsym.matrices import MatrixMean, Size, along, covariance, matrix

d, N = Size("d"), Size("N")
X, A, L, v = matrix("X", d, N), matrix("A", d), covariance("L", d), matrix("v", d, 1)
R, G, K = covariance("R", N), covariance("G", d, definite=True), matrix("K", d, invertible=True)
u = Symbol("u", real=True)
SQUARE = MatrixMean(Trace(X * X.T * A) ** 2, (X, L, R))
VALUE = Trace(R) ** 2 * Trace(L * A) ** 2 + Trace(R * R) * (
    Trace(L * A * L * A) + Trace(L * A * L * A.T)
)


def equal(a, b):
    return Eq(a, b, evaluate=False)


def one(statement, *given, seed=0):
    (found,) = check_relations_by_sampling(statement, given, (seed,))
    return found


@pytest.mark.parametrize("seed", range(3))
def test_means_over_matrices_are_sampled(seed):
    found = one(equal(SQUARE, VALUE), seed=seed)
    assert not found.contradiction
    assert found.stderr > 0
    assert "N = " in found.point
    assert "contradicted" in one(equal(SQUARE, 2 * VALUE), seed=seed).contradiction
    single = MatrixMean(Trace(v.T * L * v), (v, L, Identity(1)))
    assert not one(Le(single, Trace(L) ** 2), seed=seed).contradiction
    assert one(Ge(single, 2 * Trace(L) ** 2), seed=seed).contradiction


# Both sides are 0, but for the last places of products that cancel.
CANCELLING = equal(
    MatrixMean(Trace(v.T * (A - A.T) * v), (v, L, Identity(1))),
    Trace(A * L * A * L * A) - Trace(L * A * A * L * A),
)


def test_sides_that_are_rounding_errors_contradict_nothing(monkeypatch):
    found = [one(CANCELLING, seed=seed) for seed in range(2)]
    assert not any(item.contradiction or item.refusal for item in found)
    assert all(item.stderr < 1e-10 for item in found)
    monkeypatch.setattr("slrsym.crosscheck.montecarlo._Sides.rounding_error", lambda *_: 0.0)
    assert any(one(CANCELLING, seed=seed).contradiction for seed in range(2))


def test_sides_that_are_small_are_compared():
    tiny = Rational(1, 10**24)
    assert "contradicted" in one(equal(tiny * SQUARE, 2 * tiny * VALUE)).contradiction
    found = one(equal(tiny * SQUARE, tiny * VALUE))
    assert not found.contradiction
    assert 0 < found.stderr < 1e-15


def test_letters_have_the_values_that_hypotheses_give_them():
    spread = MatrixMean(Trace(X * X.T * G.I), (X, L, Identity(N)))
    defined = equal(G, L + Identity(d))
    assert not one(equal(spread, N * (d - Trace(G.I))), defined).contradiction
    assert one(equal(spread, N * d), defined).contradiction


def test_what_is_not_sampled_says_so():
    assert "to compute Along" in one(equal(SQUARE, along(Trace(A), (A, L)))).refusal
    inverse = MatrixMean(Trace((X * X.T).I), (X, L, R))
    assert "no value in coordinates" in one(equal(inverse, u)).refusal
    fixed = one(equal(MatrixMean(Trace(A), (X, L, R)), Trace(A)))
    # But for rounding.
    assert fixed.stderr < 1e-12
    assert not fixed.contradiction


def test_values_of_expressions_are_those_in_exact_coordinates():
    statement = Le(Trace(K + A) + u, Trace(L) + Trace(G))
    point = floats_at_matrix_point(statement, [], default_rng(3))
    at = SampleEvaluator(point, lambda node, at: None)
    k, a, g = (point[x] for x in (K, A, G))
    for e, value in (
        (K.T * K.I.T * A**2, a @ a),
        (u * (A - A.T) + G * G.I, point[u] * (a - a.T) + np.eye(len(a))),
        (ZeroMatrix(d, d) + A * K**-1 * G, a @ np.linalg.solve(k, g)),
    ):
        np.testing.assert_allclose(matrix_value(at, e), value, atol=1e-10)
    with pytest.raises(Inconclusive):
        matrix_value(at, MatrixSymbol("W", d, d))
