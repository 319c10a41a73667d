"""Equations of long sums follow from equations of their parts, whatever the summands are."""

from __future__ import annotations

import pytest
from sympy import Add, Symbol, cos, erf, exp, sqrt

from slrsym.checker import ProvedClaims, Rejected
from slrsym.checker.term import is_same_term
from slrsym.proof import Claim, builtin_ledger
from slrsym.prover.tactics.emission import ProofEmitter
from slrsym.prover.tactics.subterm_generalisation import _prove_with_symbols_for_summands
from tests._profile import thorough_only
from tests.prover.tactics._shown import equal

x, y = Symbol("x", real=True), Symbol("y", positive=True)
A, B = exp(-(x**2) / (y + 1)) * cos(sqrt(y**2 + 1) * x / (y + 2)) * erf(x), Symbol("B", real=True)


@pytest.fixture(scope="module")
def terms():
    """Terms that differ, each too long to be looked into: more than arithmetic takes generators."""
    return [
        exp(-(x**2) * n / (y + n)) * erf(x * sqrt(n + y**2) / (1 + n * y)) * cos(x + n * y)
        for n in range(2, 82)
    ]


@pytest.fixture(scope="module")
def facts(terms):
    return equal(A, Add(*terms[:45])), equal(B, Add(*terms[45:]))


def conclusion_from(statement, *facts):
    """Return what is concluded from facts that are assumed, as the proof checker words it."""
    claim = Claim("it", statement, "test")
    emitter = ProofEmitter(claim, builtin_ledger().find, ProvedClaims())
    lines = [emitter.script.add("assume", (), emitter.formula(fact)) for fact in facts]
    wanted = emitter.formula(statement)
    shown = _prove_with_symbols_for_summands(
        emitter, wanted, (), emitter.claim_context_and_hypotheses[0], lines
    )
    assert set(shown.theorem.hypotheses) <= {k for p in lines for k in p.theorem.hypotheses}
    return is_same_term(shown.theorem.conclusion, wanted)


@thorough_only
def test_a_sum_of_sums_of_many_long_summands(terms, facts):
    assert conclusion_from(equal(A + B + y, Add(*terms) + y), *facts)


@thorough_only
def test_an_inequality_beside_the_equations_does_no_harm(terms, facts):
    assert conclusion_from(equal(A + B, Add(*terms)), *facts, A < B)


@pytest.mark.parametrize(("first", "more"), [(1, 0), (0, y)])
def test_another_sum_does_not_follow(first, more, terms, facts):
    with pytest.raises(Rejected):
        conclusion_from(equal(A + B, Add(*terms[first:]) + more), *facts)


@thorough_only
def test_summands_that_stand_in_two_facts(terms):
    both, more, C = Add(*terms[:20]), Add(*terms[40:50]), terms[30]
    facts = equal(A, both + B), equal(C, both + y)
    assert conclusion_from(equal(A + y + more, C + B + more), *facts)
