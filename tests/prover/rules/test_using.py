"""Equations that `algebra.using` puts in: means with their values."""

from __future__ import annotations

from typing import Any

import pytest
from sympy import Eq, Expr, Le, Symbol, erf, exp, sqrt

from slrsym.gaussian import Expectation, GaussianLaw
from slrsym.proof import Claim, algebra, chain, check_claim, gaussian_calculus
from slrsym.prover.statements.expressions import ProofError

t, u, g = (Symbol(name, real=True) for name in ("t", "u", "g"))
STANDARD = GaussianLaw({g: 0}, [[1]])


def mean(integrand: Expr) -> Expectation:
    return Expectation(integrand, STANDARD)


def shown(e: Expr, value: Expr) -> Any:
    return chain(e).then(value, by=gaussian_calculus)


A, A_VALUE = mean(erf(t + g)), erf(t / sqrt(3))
B, B_VALUE = mean(exp(u * g)), exp(u**2 / 2)


def is_accepted(left: Expr, right: Expr, *facts: Any) -> bool:
    claim = Claim(id="means", statement=Eq(left, right, evaluate=False), source="school")
    claim.proof(lambda goal: chain(goal.lhs).then(goal.rhs, by=algebra.using(*facts)))
    return check_claim(claim, lambda id: None).accepted  # type: ignore[arg-type, return-value]


@pytest.mark.parametrize(
    ("left", "right", "accepted"),
    [
        (2 * A + 1, 2 * A_VALUE + 1, True),
        ((A - B) * (A + B), A_VALUE**2 - B_VALUE**2, True),
        (A * B, A_VALUE * B_VALUE, True),
        # A coefficient, a summand and a power that are others.
        (2 * A + 1, 3 * A_VALUE + 1, False),
        (A + B, A_VALUE, False),
        (A + B, A_VALUE + 2 * B_VALUE, False),
        (A**2, A_VALUE, False),
        # Values that change places.
        (A + 2 * B, B_VALUE + 2 * A_VALUE, False),
        # A mean of which no fact speaks.
        (mean(erf(u + g)) + B, A_VALUE + B_VALUE, False),
    ],
)
def test_means_are_replaced_by_their_values(left: Expr, right: Expr, accepted: bool) -> None:
    assert is_accepted(left, right, shown(A, A_VALUE), shown(B, B_VALUE)) is accepted


def test_a_wrong_fact_is_not_used() -> None:
    assert not is_accepted(2 * A + 1, 2 * erf(t) + 1, shown(A, erf(t)))


def test_a_fact_may_be_given_twice_or_without_need() -> None:
    assert is_accepted(A + 1, A_VALUE + 1, shown(A, A_VALUE), shown(A, A_VALUE), shown(B, B_VALUE))


def test_a_fact_is_a_proof() -> None:
    with pytest.raises(ProofError, match="each fact"):
        algebra.using(Le(t, u))  # type: ignore[arg-type]
