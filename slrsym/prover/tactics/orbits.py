"""Evidence for theorems on orbits: an axiom scheme of the checker, and proofs of its hypotheses."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from slrsym.checker import Inference, Rejected
from slrsym.checker.extensions.dynamics import FLOW_SCHEMAS
from slrsym.checker.orbit_theorems import SCHEMAS
from slrsym.checker.term import (
    Term,
    binder_bodies,
    bound_variables,
    canonical_key,
    definedness_equation,
    free_symbols,
    fresh_symbol,
    is_same_term,
    substitute,
)
from slrsym.prover.rules.context import Context
from slrsym.prover.rules.step import Step, join_labels
from slrsym.prover.rules.theorems import ByTheoremProof, proof_of_hypothesis
from slrsym.prover.statements.expressions import infix_text
from slrsym.prover.tactics.arithmetic import prove_in_context
from slrsym.prover.tactics.emission import FAILURES, ProofEmitter
from slrsym.prover.tactics.numerical_values import are_values_close, value_at_pseudorandom_point
from slrsym.prover.tactics.registration import register_emitter_for_proofs
from slrsym.prover.tactics.subterm_generalisation import ZERO, prove_instance
from slrsym.prover.tactics.subterm_paths import subterm_similarity

# How many of the proved relations are tried, the most similar ones first.
_NEAREST = 2
# The rules of the proof checker, with the theorems that each knows.
_RULES: Mapping[str, Container[str]] = {"theorem": SCHEMAS, "flow theorem": FLOW_SCHEMAS}


@register_emitter_for_proofs(ByTheoremProof)
def _emit_by_theorem(emitter: ProofEmitter, proof: Any, context: Context, label: str) -> Inference:
    needs, steps = proof.needs(), {s.label: s for s in proof.steps(context, label)}
    lines = []
    missing = [name for name in needs.hypotheses if name not in proof.premises]
    for name, hypothesis in needs.hypotheses.items():
        if name in missing:
            continue
        inner, here = context.assuming(*hypothesis.hypotheses), join_labels(label, name)
        line = emitter.emit_proof(
            proof_of_hypothesis(hypothesis, proof.premises[name]), inner, here
        )
        step = steps.get(join_labels(here, "needed"))
        if step is not None:
            wanted = emitter.formula(hypothesis.statement)
            line = emitter.emit_step(step, partial(emitter.conclude, line, wanted, inner), "needed")
        lines.append((line, replace(inner, covariances=())))
    last = steps[join_labels(label, "theorem")]

    def conclude() -> Inference:
        if missing:
            wanted = needs.hypotheses[missing[0]].statement
            raise Rejected(f"it needs the hypothesis {missing[0]!r}: {infix_text(wanted)}")
        return _apply_schema(emitter, proof, last, needs, lines)

    return emitter.emit_step(last, conclude)


def _apply_schema(
    emitter: ProofEmitter,
    proof: Any,
    step: Step,
    needs: Any,
    lines: list[tuple[Inference, Context]],
) -> Inference:
    """Apply the checker's axiom scheme of a theorem on orbits, and prove its hypotheses."""
    name = proof.rule.name
    values = tuple(map(emitter.term, proof.rule.arguments(proof.values)))
    rule = next((r for r, known in _RULES.items() if name in known), "vector theorem")
    line = emitter.script.add(rule, (), name, emitter.formula(proof.goal), values)
    places = [emitter.term(x) for x in needs.bound]
    # Covariance hypotheses may contain coordinates, but the theorem is for all coordinates.
    context = replace(step.context, covariances=())
    lines = [(emitter.discharge_absent_laws(known, inner), inner) for known, inner in lines]
    lines += [
        (emitter.infer_from_cases([known], part), inner)
        for known, inner in lines if known.theorem.conclusion[0] == "and"
        for part in known.theorem.conclusion[1:]
    ]  # fmt: skip
    proofs = [
        _prove_hypothesis(emitter, h, places, context, lines)
        for h in line.theorem.hypotheses.values()
    ]
    return emitter.discharge_by(line, proofs)


def _prove_hypothesis(
    emitter: ProofEmitter, h: Term, places: Sequence[Term], context: Context,
    lines: list[tuple[Inference, Context]],
) -> Inference:  # fmt: skip
    """Prove a hypothesis of a theorem on orbits for all points of a box."""
    body, names = h, list[Term]()
    while body[0] == "forall":
        (x,) = bound_variables(body)
        own = places[len(names)] if len(names) < len(places) else x
        if own in free_symbols(body):
            own = fresh_symbol(own, [*free_symbols(body), *places, *names])
        names.append(own)
        body = substitute(binder_bodies(body)[0], {x: own})
    given: tuple[Term, ...] = ()
    if names and body[0] == "implies":
        given = body[1][1:] if body[1][0] == "and" else body[1:2]
    line = _prove_from_theorems(emitter, body[2] if given else body, given, context, lines)
    if given:
        line = emitter.infer_from_cases([line], body, set(map(canonical_key, given)))
    for x in reversed(names):
        line = emitter.script.add("generalise", [line], x)
    if not is_same_term(line.theorem.conclusion, h):
        raise Rejected("the hypothesis speaks of other points")
    return line


def _prove_from_theorems(
    emitter: ProofEmitter, p: Term, given: Sequence[Term], context: Context,
    lines: list[tuple[Inference, Context]],
) -> Inference:  # fmt: skip
    """Prove a formula from the proved hypotheses of a theorem on orbits, or by arithmetic."""
    allowed = {canonical_key(h) for h in (*given, *emitter.hypotheses(context))}

    def without_others(line: Inference) -> Inference:
        """Remove hypotheses that the theorem does not grant, but that follow from what it does."""
        others = [h for k, h in line.theorem.hypotheses.items() if k not in allowed]
        shown = [prove_in_context(emitter, h, context, (), given) for h in others]
        return emitter.discharge_by(line, shown) if shown else line

    for line, _ in lines:
        if is_same_term(line.theorem.conclusion, p):
            return without_others(line)
    if p[0] == "and":
        parts = [_prove_from_theorems(emitter, q, given, context, lines) for q in p[1:]]
        return emitter.infer_from_cases(parts, p)
    if p[:2] == ("o", "smooth"):
        line = emitter.script.add("smooth", (), p[2], p[3])
        asked = [
            prove_in_context(emitter, q, context, (), given)
            for q in line.theorem.hypotheses.values()
        ]
        return emitter.discharge_by(line, asked)
    if p[0] == "=" and are_values_close(
        value_at_pseudorandom_point(p[1]), value_at_pseudorandom_point(p[2])
    ):
        # Most often, both sides have the same form, so a cheap proof is tried first.
        with suppress(*FAILURES), emitter.half_effort():
            return emitter.run_and_undo_on_failure(prove_in_context, emitter, p, context, (), given)
    with suppress(*FAILURES):
        return without_others(
            emitter.run_and_undo_on_failure(_prove_without_rate, emitter, p, given, context, lines)
        )
    relations = [(line, inner) for line, inner in lines if line.theorem.conclusion[0] != "o"]
    relations.sort(key=lambda pair: -subterm_similarity(p, pair[0].theorem.conclusion))

    def conclude(line: Inference, inner: Context) -> Inference:
        found = emitter.conclude(line, p, inner)
        if not set(found.theorem.hypotheses) <= allowed:
            raise Rejected("it holds in the box alone")
        return found

    for line, inner in relations if p[0] != "o" else ():
        with suppress(*FAILURES):
            found = emitter.run_and_undo_on_failure(conclude, line, inner)
            # Hypotheses are asked for in the order of the theorems, so a used one goes last.
            lines.append(lines.pop(next(i for i, (n, _) in enumerate(lines) if n is line)))
            return found
    try:
        return emitter.run_and_undo_on_failure(prove_in_context, emitter, p, context, (), given)
    except FAILURES:
        # What was shown was perhaps shown under hypotheses in another form.
        for line, inner in relations[:_NEAREST] if p[0] != "o" else ():
            with suppress(*FAILURES):
                return emitter.run_and_undo_on_failure(
                    lambda line=line, inner=inner: without_others(emitter.conclude(line, p, inner))
                )
        raise


def _prove_without_rate(
    emitter: ProofEmitter, p: Term, given: Sequence[Term], context: Context,
    lines: list[tuple[Inference, Context]],
) -> Inference:  # fmt: skip
    """Prove that a + 0 v <= 0 from a <= 0, in letters for a and v, which may be long."""
    if p[0] != "<=" or p[1][0] != "+" or p[1][-1][:2] != ("*", ZERO):
        raise Rejected("no rate is 0")
    *others, (_, _, v) = p[1][1:]
    whole = ("+", *others) if len(others) > 1 else others[0]
    for line, _ in lines:
        if is_same_term(line.theorem.conclusion, ("<=", whole, p[2])):
            a, b = ("s", "a", "R"), ("s", "b", "R")
            wanted = ("<=", ("+", a, ("*", ZERO, b)), p[2])
            exists = prove_in_context(emitter, definedness_equation(v), context, (), given)
            shown = [line, exists]
            return prove_instance(
                emitter, wanted, [("<=", a, p[2])], {a: whole, b: v}, shown, context
            )
    raise Rejected("no theorem says it without the rate")
