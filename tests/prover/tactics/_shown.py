"""Statements as they stand, and whether the proof checker has evidence for one."""

from __future__ import annotations

from sympy import Eq

from slrsym.checker import ProvedClaims
from slrsym.proof import Claim, builtin_ledger, chain
from slrsym.prover.rules.axioms import is_soundness_axiom
from slrsym.prover.rules.context import Context
from slrsym.prover.tactics.emission import ProofEmitter
from slrsym.prover.tactics.judgement import judge_claim


def equal(left, right):
    """Return an equation that SymPy does not decide."""
    return Eq(left, right, evaluate=False)


def claim_of(statement, proof, given=()):
    """Return a claim with a proof."""
    claim = Claim("it", statement, "test", hypotheses=given)
    claim.proof(lambda goal: proof)
    return claim


def claim_by(equation, rule, given=()):
    """Return the claim of an equation with a proof in one step."""
    return claim_of(equation, chain(equation.lhs).then(equation.rhs, by=rule), given)


def is_shown(statement, proof, given=()):
    """Return whether evidence is found for every step of a proof, and for the statement."""
    return refusals(claim_of(statement, proof, given)) == {}


def refusals(claim):
    """Return why steps of a claim have no evidence; empty if all have."""
    found = judge_claim(claim, builtin_ledger().find)
    missing = {label: reason for label, reason in found.refusals.items() if reason}
    missing |= {name: "it is an axiom" for name in found.axioms if is_soundness_axiom(name)}
    return missing or ({"": found.problem} if found.problem else {})


def emitter_and_context(*given):
    """Return an emitter that no claim needs, with all provers, and a context with hypotheses."""
    return ProofEmitter(None, None, ProvedClaims()), Context(given, None)
