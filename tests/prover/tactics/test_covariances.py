"""Matrices that are surely positive semidefinite, and such as are not."""

from __future__ import annotations

import pytest
from sympy import Function, Matrix, Symbol, diag, symbols

from slrsym.gaussian.integrals import ldl_decomposition
from slrsym.prover.tactics.covariances import (
    has_negative_eigenvalue_at_random_point,
    is_plainly_semidefinite,
)

rho, eta = symbols("rho eta", real=True)
gamma, alpha = symbols("gamma alpha", positive=True)
d = Symbol("d", integer=True, positive=True)
f = Function("f", real=True)
PAIR = gamma**2 * Matrix([[1, rho], [rho, 1]])


@pytest.mark.parametrize(
    "hypotheses", [(), (rho <= 2,), (rho <= 2, eta >= rho), (alpha * d * (1 + rho**2) < 1, d >= 3)]
)
def test_a_negative_eigenvalue_is_found(hypotheses):
    assert has_negative_eigenvalue_at_random_point(PAIR, hypotheses)


@pytest.mark.parametrize(
    "hypotheses",
    [
        (rho >= -1, rho <= 1),
        # By way of another symbol.
        (rho**2 <= eta**2, eta <= 1, eta >= 0),
        # No point is met, or a hypothesis has no value there.
        (rho >= 100,),
        (f(rho) >= 0,),
    ],
)
def test_otherwise_nothing_is_told(hypotheses):
    assert not has_negative_eigenvalue_at_random_point(PAIR, hypotheses)


@pytest.mark.parametrize("kind", [{"negative": True}, {"nonpositive": True}, {"complex": True}])
def test_nothing_is_told_of_other_symbols(kind):
    x = Symbol("x", **kind)
    assert not has_negative_eigenvalue_at_random_point(Matrix([[1, 3 * x], [3 * x, 1]]), ())


@pytest.mark.parametrize(
    "matrix",
    [
        Matrix([[4, 2, -2], [2, 5, 3], [-2, 3, 6]]),
        Matrix([[gamma, rho, 1], [rho, eta, rho], [1, rho, 2]]),
        Matrix([[0, 0, 0], [0, eta, 1], [0, 1, rho]]),
    ],
)
def test_a_matrix_is_the_product_of_its_factors(matrix):
    diagonal, lower = ldl_decomposition(matrix)
    assert lower.is_lower
    assert list(lower.diagonal()) == [1, 1, 1]
    wrong = lower * diag(*diagonal) * lower.T - matrix
    assert wrong.subs({gamma: 2, rho: 3, eta: 7}).is_zero_matrix


def test_a_pivot_that_vanishes_beside_others_has_no_decomposition():
    matrix = Matrix([[0, 1], [1, 2]])
    assert ldl_decomposition(matrix) is None
    assert not is_plainly_semidefinite(matrix)
    assert is_plainly_semidefinite(Matrix([[0, 0], [0, 2]]))
    assert not is_plainly_semidefinite(Matrix([[0, 0], [0, -2]]))


def test_plain_ones_by_declarations_alone():
    assert is_plainly_semidefinite(gamma**2 * Matrix([[2, 1], [1, 1]]))
    assert not is_plainly_semidefinite(PAIR)
