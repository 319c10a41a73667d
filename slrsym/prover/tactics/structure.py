"""Evidence for chains, cases, induction and citations of claims, by logic alone."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import Any

from sympy import Eq, S

from slrsym.checker import Inference, Rejected
from slrsym.checker.term import Term, canonical_key, is_same_term, num, substitute
from slrsym.prover.rules.chain import Chain
from slrsym.prover.rules.context import Context
from slrsym.prover.rules.lemmas import ClaimedProof, Lemma
from slrsym.prover.rules.step import Step, join_labels
from slrsym.prover.rules.structure import (
    AllOfProof,
    CasesProof,
    HavingProof,
    HypothesisRule,
    InductionProof,
    InstanceRule,
)
from slrsym.prover.statements.expressions import substitute_simultaneously
from slrsym.prover.tactics.arithmetic import prove_in_context
from slrsym.prover.tactics.emission import FAILURES, ProofEmitter
from slrsym.prover.tactics.registration import (
    register_emitter_for_proofs,
    register_emitter_for_rules,
)
from slrsym.prover.tactics.subterm_paths import (
    paths_to_subterm,
    replace_at_paths,
    subterm_similarity,
)


@register_emitter_for_proofs(Chain)
def _emit_chain(emitter: ProofEmitter, proof: Any, context: Context, label: str) -> Inference:
    """Prove the links of a chain, and join them to a relation of its ends."""
    lines = []
    for number, (link, rule) in enumerate(proof.links, start=1):
        here = join_labels(label, str(number))
        premises = [
            emitter.emit_proof(inner, within, join_labels(here, name))
            for name, inner, within in rule.premises(link, context)
        ]
        step = Step(here, link.statement, rule, link, context)
        lines.append(emitter.emit_step(step, partial(emitter.emit_by_rule, step, premises)))
    wanted = emitter.formula(proof.conclusion)
    if wanted[0] != "=" and len(lines) > 0 and wanted[1] == emitter.term(proof.end):
        lines.reverse()
    line = emitter.script.add("chain", lines) if len(lines) > 1 else lines[0]
    return emitter.conclude(line, wanted, context)


@register_emitter_for_proofs(AllOfProof)
def _emit_all_of(emitter: ProofEmitter, proof: Any, context: Context, label: str) -> Inference:
    parts = [
        emitter.emit_proof(part, context, join_labels(label, f"part {number}"))
        for number, part in enumerate(proof.parts, start=1)
    ]
    return emitter.infer_from_cases(parts, emitter.formula(proof.conclusion))


@register_emitter_for_proofs(HavingProof)
def _emit_having(emitter: ProofEmitter, proof: Any, context: Context, label: str) -> Inference:
    """Prove a fact, and with it as a hypothesis the goal; then discharge the fact."""
    fact = emitter.emit_proof(proof.fact, context, join_labels(label, proof.name))
    then = emitter.emit_proof(proof.then, context.assuming(proof.fact.conclusion), label)
    # The claim itself may assume the fact, which then stays a hypothesis.
    return emitter.discharge_by(then, [fact])


@register_emitter_for_proofs(CasesProof)
def _emit_cases(emitter: ProofEmitter, proof: Any, context: Context, label: str) -> Inference:
    """Prove a goal in each case, and that the cases leave nothing out."""
    branches = []
    steps = list(proof.steps(context, label))
    for number, (case, inner) in enumerate(proof.branches, start=1):
        within, goal = proof._inside(case, context)
        here = join_labels(label, f"case {number}")
        shown = emitter.emit_proof(inner, within, here)
        step = next(s for s in steps if s.label == join_labels(here, "shown"))
        wanted = emitter.formula(goal)
        line = emitter.emit_step(step, partial(emitter.conclude, shown, wanted, within), "case")
        branches.append((case, line))

    def conclude_from_cases() -> Inference:
        goal, given = emitter.formula(proof.goal), emitter.hypotheses(context)
        relations = [emitter.formula(case) for case, _ in branches]
        lines = []
        for (case, line), r in zip(branches, relations, strict=True):
            if isinstance(case, Eq) and case.lhs.is_Symbol:
                values = {emitter.term(case.lhs): emitter.term(case.rhs)}
                within, _ = proof._inside(case, context)
                line = emitter.undo_substitution(line, goal, values, within, context)
            lines.append(line)
            first = relations[0]
            if {canonical_key(t) for t in r[1:]} != {canonical_key(t) for t in first[1:]}:
                # The case compares the same quantity, but is written differently.
                for other in ((r[0], *first[1:]), (r[0], *first[:0:-1])):
                    with suppress(*FAILURES):
                        lines.append(
                            emitter.run_and_undo_on_failure(
                                _prove_implication, emitter, r, other, context
                            )
                        )
        (_, a, b) = relations[0]
        facts = [emitter.script.add("order", (), a, b)]
        facts += [emitter.prove_or_add_axiom(("=", t, t), context) for t in (a, b)]
        with suppress(Rejected):
            return emitter.infer_by_logic([*lines, *facts], given, goal)
        # The cases do not cover everything, unless the hypotheses exclude the rest.
        for p in (("<=", b, a), ("<=", a, b), ("!=", a, b)):
            with suppress(*FAILURES):
                if known := emitter.find_proof_once(p, context):
                    facts.append(known)
        try:
            return emitter.infer_by_logic([*lines, *facts], given, goal)
        except Rejected:
            raise Rejected("the cases leave something out") from None

    return emitter.emit_step(steps[-1], conclude_from_cases, "cases")


def _prove_implication(emitter: ProofEmitter, p: Term, other: Term, context: Context) -> Inference:
    """Prove, without hypotheses, that `other` and the step's hypotheses imply `p`."""
    given = (*emitter.hypotheses(context), other)
    line = emitter.require_proof(p, given, context)
    return emitter.infer_by_logic([line], (), ("implies", ("and", *given), p))


@register_emitter_for_proofs(InductionProof)
def _emit_induction(emitter: ProofEmitter, proof: Any, context: Context, label: str) -> Inference:
    """Prove a goal for all natural numbers from its base and its step."""
    n, goal = proof.variable, emitter.formula(proof.goal)
    at_zero = context.substitute({n: S.Zero})
    base = emitter.emit_proof(proof.base, at_zero, join_labels(label, "base"))
    step = emitter.emit_proof(
        proof.step, context.with_granted_goal(proof.goal), join_labels(label, "step")
    )
    first, following = (
        emitter.formula(substitute_simultaneously(proof.goal, {n: v})) for v in (S.Zero, n + 1)
    )
    symbol = emitter.term(n)

    def conclude() -> Inference:
        wanted = [
            substitute(goal, {symbol: num(0)}),
            substitute(goal, {symbol: ("+", symbol, num(1))}),
        ]
        lines = []
        for line, said, exact, within in (
            (base, first, wanted[0], at_zero),
            (step, following, wanted[1], context.with_granted_goal(proof.goal)),
        ):
            if goal[0] in ("and", "or"):
                line = _conclude_by_parts(emitter, line, exact, within)
            else:
                line = emitter.conclude(line, said, within)
                line = line if is_same_term(said, exact) else emitter.conclude(line, exact, within)
            # The parts of a conjunction, the induction hypothesis, are hypotheses of the steps.
            parts = {canonical_key(p) for p in goal[1:]} if goal[0] == "and" else set()
            if parts & set(line.theorem.hypotheses):
                kept = [h for k, h in line.theorem.hypotheses.items() if k not in parts]
                line = emitter.infer_by_logic([line], [*kept, goal], line.theorem.conclusion)
            lines.append(line)
        return emitter.script.add("induction", lines, symbol, goal)

    last = list(proof.steps(context, label))[-1]
    return emitter.emit_step(last, conclude, "induction")


def _conclude_by_parts(
    emitter: ProofEmitter, line: Inference, p: Term, context: Context
) -> Inference:
    """Prove a conjunction part by part from a theorem with equal parts."""
    if p[0] != "and":
        conclude = _conclude_disjunction if p[0] == "or" else type(emitter).conclude
        return conclude(emitter, line, p, context)
    shown, given = line.theorem.conclusion, tuple(line.theorem.hypotheses.values())
    known = shown[1:] if shown[0] == "and" else (shown,)
    parts = []
    for wanted in p[1:]:
        likely = sorted(known, key=lambda q: -subterm_similarity(wanted, q))
        ways = (
            partial(
                _conclude_by_parts,
                emitter,
                emitter.infer_by_logic([line], given, q),
                wanted,
                context,
            )
            for q in likely
        )
        parts.append(emitter.try_in_turn(ways, "it shows no part of the conjunction"))
    return emitter.infer_from_cases(parts, p)


def _conclude_disjunction(
    emitter: ProofEmitter, line: Inference, p: Term, context: Context
) -> Inference:
    """Prove a disjunction from one with equal parts, or from a theorem that is one of its parts."""
    shown = line.theorem.conclusion
    parts = shown[1:] if shown[0] == "or" else (shown,)
    lines, given = [line], dict(line.theorem.hypotheses)
    for part in parts:
        if any(is_same_term(part, other) for other in p[1:]):
            continue
        supposed = emitter.script.add("assume", (), part)
        others = sorted(p[1:], key=lambda other: -subterm_similarity(part, other))
        ways = (partial(emitter.conclude, supposed, other, context) for other in others)
        lines.append(emitter.try_in_turn(ways, "it shows no part of the disjunction"))
        left = lines[-1].theorem.hypotheses.items()
        given |= {k: h for k, h in left if k != canonical_key(part)}
    return emitter.infer_by_logic(lines, given.values(), p)


@register_emitter_for_rules(HypothesisRule)
def _emit_hypothesis(emitter: ProofEmitter, step: Step, premises: Any) -> Inference:
    rule: Any = step.rule
    line = emitter.script.add("assume", (), emitter.formula(rule.goal))
    return emitter.prove_from_equations([line], emitter.formula(step.statement), step.context)


@register_emitter_for_rules(InstanceRule)
def _emit_instance(emitter: ProofEmitter, step: Step, premises: Any) -> Inference:
    """Prove what a hypothesis says of the values of the rule."""
    line = instance_of_hypothesis(emitter, step)
    return emitter.conclude(line, emitter.formula(step.statement), step.context)


def instance_of_hypothesis(emitter: ProofEmitter, step: Step) -> Inference:
    """Instantiate a hypothesis at the values of the rule, and discharge what it supposes there."""
    rule: Any = step.rule
    line = emitter.script.add("assume", (), emitter.formula(rule.hypothesis))
    for value in map(emitter.term, rule.values):
        of_matrices = line.theorem.conclusion[0] == "M.forall"
        name = "specialise letters" if of_matrices else "specialise"
        line = emitter.script.add(name, [line], (value,))
        line = _without_conditions(emitter, line, step.context)
    return emitter.discharge_hypotheses(line, step.context)


def _without_conditions(emitter: ProofEmitter, line: Inference, context: Context) -> Inference:
    """Derive the conclusion of an implication, by proving what it supposes."""
    while line.theorem.conclusion[0] == "implies":
        _, condition, conclusion = line.theorem.conclusion
        shown = []
        for p in condition[1:] if condition[0] == "and" else (condition,):
            proof = emitter.find_proof_once(p, context)
            if proof is None or emitter.rests_on_trust(proof):
                raise Rejected(
                    f"the hypothesis supposes {emitter.formula_text(p)}, which is not shown"
                )
            shown.append(proof)
        given = {k: h for proof in (line, *shown) for k, h in proof.theorem.hypotheses.items()}
        line = emitter.infer_by_logic([line, *shown], given.values(), conclusion)
    return line


@register_emitter_for_proofs(ClaimedProof)
def _emit_by_claim(emitter: ProofEmitter, proof: Any, context: Context, label: str) -> Inference:
    """Prove a goal as an instance of a claim."""
    (step,) = proof.steps(context, label)

    def cite() -> Inference:
        line = emitter.cite_claim(proof.id, proof.values, context)
        return emitter.conclude(line, emitter.formula(proof.goal), context)

    return emitter.emit_step(step, cite, "claim")


@register_emitter_for_rules(Lemma)
def _emit_lemma(emitter: ProofEmitter, step: Step, premises: Any) -> Inference:
    """Prove a step from an instance of a claim, also inside derivatives and expectations."""
    rule: Any = step.rule
    wanted = emitter.formula(step.statement)
    line = emitter.cite_claim(rule.id, rule.values, step.context, premises)
    with suppress(*FAILURES):
        return emitter.run_and_undo_on_failure(
            prove_by_identity_under_derivatives, emitter, line, wanted, step.context
        )
    return emitter.prove_or_use_linearity(
        step, partial(emitter.conclude, line, wanted, step.context), [line]
    )


def prove_by_identity_under_derivatives(
    emitter: ProofEmitter, line: Inference, wanted: Term, context: Context
) -> Inference:
    """Rewrite a statement by an identity, also inside derivatives."""
    p = line.theorem.conclusion
    for old, new in (p[1:], p[:0:-1]) if p[0] == "=" else ():
        paths = paths_to_subterm(wanted, old, through=("d",))
        if len(paths) == len(paths_to_subterm(wanted, old)):
            continue
        shown = prove_in_context(emitter, replace_at_paths(wanted, paths, new), context)
        return emitter.rewrite(shown, line, paths)
    raise Rejected("the equation does not stand there")
