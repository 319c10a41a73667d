"""Matrices that are surely positive semidefinite, and such as are not."""

from __future__ import annotations

import pytest
from sympy import Function, Matrix, Symbol, symbols

from slrsym.tactics.covariances import (
    has_negative_eigenvalue_at_random_point,
    is_plainly_semidefinite,
)

rho, eta = symbols("rho eta", real=True)
gamma, alpha = symbols("gamma alpha", positive=True)
d = Symbol("d", integer=True, positive=True)
f = Function("f", real=True)
PAIR = gamma**2 * Matrix([[1, rho], [rho, 1]])


@pytest.mark.parametrize(
    "hypotheses",
    [(), (rho <= 2,), (rho <= 2, eta >= rho), (alpha * d * (1 + rho**2) < 1, d >= 3)],
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


def test_plain_ones_by_declarations_alone():
    assert is_plainly_semidefinite(gamma**2 * Matrix([[2, 1], [1, 1]]))
    assert not is_plainly_semidefinite(PAIR)
