"""Statements as they stand, and proofs whose steps the proof checker judges."""

from __future__ import annotations

from typing import Any

from sympy import Eq

from slrsym.proof import Claim
from slrsym.prover.claims.ledger import builtin_ledger
from slrsym.prover.rules.claim_steps import steps_of_claim
from slrsym.prover.statements.expressions import Refused
from slrsym.prover.tactics.judgement import judge_claim

LEDGER = builtin_ledger()


def eq(left: Any, right: Any) -> Eq:
    return Eq(left, right, evaluate=False)


def check(proof: Any, *given: Any) -> None:
    """Raise `Refused` unless the proof checker has a theorem of every step and the conclusion."""
    claim = Claim("under-test", proof.conclusion, "test", hypotheses=given)
    claim.proof(lambda goal: proof)
    steps_of_claim(claim, LEDGER.find)
    found = judge_claim(claim, LEDGER.find)
    for reason in (*found.refusals.values(), found.problem):
        if reason:
            raise Refused(reason)
