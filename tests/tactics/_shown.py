"""Whether the proof checker has evidence for a statement."""

from __future__ import annotations

from slrsym.checker import ProvedClaims
from slrsym.proof import Claim, builtin_ledger
from slrsym.proofs.axioms import is_soundness_axiom
from slrsym.proofs.context import Context
from slrsym.tactics.emission import ProofEmitter
from slrsym.tactics.judgement import judge_claim


def is_shown(statement, proof, given=()):
    """Return whether evidence is found for every step of a proof, and for the statement."""
    claim = Claim("it", statement, "test", hypotheses=given)
    claim.proof(lambda goal: proof)
    return refusals(claim) == {}


def refusals(claim):
    """Return why steps of a claim have no evidence; empty if all have."""
    found = judge_claim(claim, builtin_ledger().find)
    missing = {label: reason for label, reason in found.refusals.items() if reason}
    missing |= {name: "it is an axiom" for name in found.axioms if is_soundness_axiom(name)}
    return missing or ({"": found.problem} if found.problem else {})


def emitter_and_context(*given):
    """Return an emitter that no claim needs, with all provers, and a context with hypotheses."""
    return ProofEmitter(None, None, ProvedClaims()), Context(given, None)
