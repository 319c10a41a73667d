"""Verdict of the proof checker on a claim, after a search for evidence for its steps."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from slrsym.checker import ProvedClaims, Rejected
from slrsym.checker.log import UNCHECKED, check_claim_record
from slrsym.checker.term import canonical_key
from slrsym.checker.theorem import apply_rule
from slrsym.prover.rules.axioms import is_soundness_axiom
from slrsym.prover.rules.claim_steps import ClaimWithEvidence, steps_of_claim
from slrsym.prover.rules.context import require_unambiguous_statement
from slrsym.prover.rules.lemmas import CITED, citation_axiom_name, is_citation
from slrsym.prover.rules.step import Step
from slrsym.prover.statements.expressions import ProofError, Refused
from slrsym.prover.tactics.arithmetic import EVIDENCE_CACHE
from slrsym.prover.tactics.bundled_log import bundled_record
from slrsym.prover.tactics.emission import ProofEmitter
from slrsym.prover.tactics.log_reuse import EarlierInferences
from slrsym.prover.tactics.proof_log import claim_ids_used_by, emit_claim
from slrsym.prover.tactics.refusals_in_words import refusal_in_words
from slrsym.prover.tactics.registration import USER_EMITTERS
from slrsym.prover.tactics.translation import Untranslatable

# The name of a claim among the axioms of claims that use it begins with this.
_CLAIM = f"{UNCHECKED}claim "


@dataclass(frozen=True)
class CheckerVerdict:
    """The proof checker's verdict on a claim, given the claims that it uses."""

    # For each label of a step, why the checker refuses it; empty if it accepts the step.
    refusals: Mapping[str, str]
    # Why the checker refuses the statement; empty if it accepts the statement.
    problem: str = ""
    # The claims and the axioms on which the theorem rests.
    uses: tuple[str, ...] = ()
    axioms: tuple[str, ...] = ()
    # The evidence, as a record of the proof log; empty if there is none.
    record: Mapping[str, Any] = field(default_factory=dict)

    def refusal_reason(self, label: str) -> str:
        """Return why the proof checker refuses a step; an empty string if it accepts the step."""
        return self.refusals.get(label, self.problem or "no evidence was made for it")


def judge_claim(
    claim: ClaimWithEvidence, find: Callable[[str], ClaimWithEvidence], patience: float = 1.0,
    refuted_step_labels: Iterable[str] = (), earlier: Mapping[str, Any] | None = None,
) -> CheckerVerdict:  # fmt: skip
    """Search for evidence for the steps of a claim, and have the proof checker judge it.

    The claims that it uses are assumed. For unchanged steps, evidence comes from an earlier record
    or from the bundled log; for other steps it is searched for, but not for those that are refuted.
    `patience` is the search effort, relative to the default of 1: some seconds for a hard step. A
    failed search counts as a refusal, so nothing is raised.
    """
    # Otherwise the evidence would depend on earlier searches.
    EVIDENCE_CACHE.clear()
    try:
        proved_claims = _assumed_claims(claim, find)
        known = EarlierInferences(earlier or bundled_record(claim.id))
        record, emitter = emit_claim(
            claim, find, proved_claims, known, patience, refuted_step_labels
        )
        steps = steps_of_claim(claim, find)
        if any(type(step.rule) in USER_EMITTERS for step in steps):
            # A tactic may return a theorem that no inference of the record proves.
            proved_claims = _replay(record, claim, find)
    except Untranslatable as reason:
        said = f"the proof checker has no words for it: {reason}"
        return CheckerVerdict(_unclear_statements(steps_of_claim(claim, find)), said)
    # A proof is user code and may raise anything; then there is no evidence.
    except Exception as reason:
        said = refusal_in_words(f"{type(reason).__name__}: {reason}")
        return CheckerVerdict({}, f"no evidence can be made: {said}")
    shown = proved_claims.cite(claim.id).theorem.axioms
    trusted = {
        a.removeprefix(UNCHECKED)
        for a in shown
        if a.startswith(UNCHECKED) and not a.startswith(_CLAIM)
    }
    foreign = {name for name in trusted if is_soundness_axiom(name)}
    cited = {name for name in trusted if name.startswith(CITED)}
    if forged := _forged_axioms(emitter, steps, trusted):
        said = f"a tactic states without evidence: {', '.join(forged)}"
        return CheckerVerdict({}, said)
    theorems = {t for name in cited for t in name.removeprefix(f"{CITED}: ").split(", ")}
    stated = emitter.translator.translated_pairs()
    refusals = {
        outcome.label: refusal_in_words(outcome.refusal, stated) for outcome in emitter.outcomes
    }
    unclear = _unclear_statements(steps)
    return CheckerVerdict(
        refusals | unclear,
        "a step of its proof has no evidence" if trusted - foreign - cited or unclear else "",
        tuple(sorted(a.removeprefix(_CLAIM) for a in shown if a.startswith(_CLAIM))),
        tuple(sorted({a for a in shown if not a.startswith(UNCHECKED)}.union(foreign, theorems))),
        record,
    )


def _replay(
    record: dict[str, Any], claim: ClaimWithEvidence, find: Callable[[str], ClaimWithEvidence]
) -> ProvedClaims:
    """Check a record as the checker does one of a log; return the proved claims.

    Raise `Rejected` if it refuses the record, or if the record says something else than the claim.
    """
    emitter = ProofEmitter(claim, find, ProvedClaims())
    _, given = emitter.claim_context_and_hypotheses
    proved_claims = _assumed_claims(claim, find)
    judged = check_claim_record(json.loads(json.dumps(record)), proved_claims)
    says_the_claim = (
        judged.id == claim.id
        and canonical_key(judged.statement) == canonical_key(emitter.formula(claim.statement))
        and set(map(canonical_key, judged.given)) <= set(map(canonical_key, given))
    )
    if not says_the_claim:
        raise Rejected("the evidence is of another statement, or of other hypotheses")
    return proved_claims


def _forged_axioms(
    emitter: ProofEmitter, steps: Iterable[Step], trusted: Iterable[str]
) -> list[str]:
    """Return the axioms of a proof that tactics state, but only claims and citations may add."""
    rules: list[Any] = [step.rule for step in steps]
    cited = {citation_axiom_name(rule.theorems) for rule in rules if is_citation(rule)}
    stated = {data[0] for rule, _, data in emitter.script.lines if rule == "unchecked"}
    return sorted(
        name
        for name in stated.union(trusted) - cited
        if f"{UNCHECKED}{name}".startswith(_CLAIM) or name.startswith(CITED)
    )


def _unclear_statements(steps: Iterable[Step]) -> dict[str, str]:
    """Return the reason, by label, for each step whose statement is ambiguous or trivial."""
    found = {}
    for step in steps:
        try:
            require_unambiguous_statement(step.statement, step.context)
        except Refused as reason:
            found[step.label] = str(reason)
    return found


def _assumed_claims(
    claim: ClaimWithEvidence, find: Callable[[str], ClaimWithEvidence]
) -> ProvedClaims:
    """Return the claims that a claim uses, each assumed as an axiom."""
    proved_claims = ProvedClaims()
    for id in claim_ids_used_by(claim, find):
        # A missing claim is reported by the step that cites it.
        with suppress(ProofError):
            _assume_claim(proved_claims, find(id), find)
    return proved_claims


def _assume_claim(
    proved_claims: ProvedClaims, claim: ClaimWithEvidence, find: Callable[[str], ClaimWithEvidence]
) -> None:
    """Assume a claim: add it to the proved claims as an axiom."""
    emitter = ProofEmitter(claim, find, proved_claims)
    statement, (_, given) = emitter.formula(claim.statement), emitter.claim_context_and_hypotheses
    name = f"claim {claim.id}"
    proved_claims.enter(
        claim.id, statement, given, apply_rule("unchecked", (), name, given, statement)
    )
