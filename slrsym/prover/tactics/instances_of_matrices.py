"""Instances of hypotheses that hold for all vectors or matrices, stated or found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from slrsym.checker import Inference
from slrsym.checker.extensions.matrix_language import shape
from slrsym.checker.term import (
    Term,
    bound_variables,
    canonical_key,
    free_symbols,
    is_same_term,
    require,
)
from slrsym.prover.rules.context import Context
from slrsym.prover.rules.step import Step
from slrsym.prover.rules.structure import InstanceOfMatricesRule
from slrsym.prover.statements.expressions import infix_text
from slrsym.prover.tactics.emission import FAILURES, ProofEmitter
from slrsym.prover.tactics.matrices import prove_matrix_equation
from slrsym.prover.tactics.matrix_functions import (
    EqualVectors,
    function_nodes,
    parts_of_conjunction,
    prove_relation,
    settle,
)
from slrsym.prover.tactics.registration import register_emitter_for_rules, register_prover
from slrsym.prover.tactics.structure import instance_of_hypothesis


@register_emitter_for_rules(InstanceOfMatricesRule)
def _emit_instance(emitter: ProofEmitter, step: Step, premises: Sequence[Inference]) -> Inference:
    """Prove what follows by arithmetic from a hypothesis at the matrices of the rule."""
    rule: Any = step.rule
    p, given = emitter.formula(step.statement), emitter.hypotheses(step.context)
    require(
        canonical_key(emitter.formula(rule.hypothesis)) in map(canonical_key, given),
        f"{infix_text(rule.hypothesis)} is no hypothesis",
    )
    line = instance_of_hypothesis(emitter, step)
    with suppress(*FAILURES):
        return emitter.run_and_undo_on_failure(emitter.conclude, line, p, step.context)
    parts = parts_of_conjunction(emitter, line)
    said = [q for q in (p, *(part.theorem.conclusion for part in parts)) if is_relation(q)]
    require(
        is_relation(p) and len(said) > 1,
        f"{infix_text(rule.hypothesis)} says nothing of numbers",
    )
    sides = [side for q in said for side in q[1:]]
    vectors = EqualVectors(emitter, given)
    vectors.equate_all(sides)
    facts = [part for part in parts if is_relation(part.theorem.conclusion)]
    return prove_relation(emitter, p, given, [*facts, *vectors.facts(*sides)])


def is_relation(p: Term) -> bool:
    """Return whether a formula is a relation of numbers."""
    return p[0] in ("=", "!=", "<", "<=")


def _prove_semidefinite_by_instance(
    emitter: ProofEmitter, p: Term, given: Sequence[Term], context: Context,
    lines: Sequence[Inference] = (),
) -> Inference:  # fmt: skip
    """Prove that a matrix is semidefinite by a hypothesis for all vectors, at one in the matrix."""
    require(p[0] == "M.psd", "no semidefinite matrix")
    ways = (
        partial(_conclude_from_instance, emitter, p, given, h, value)
        for h, value in _likely_instances(p, given)
    )
    return emitter.try_in_turn(ways, "no hypothesis says so of all vectors")


def _likely_instances(p: Term, given: Sequence[Term]) -> Iterator[tuple[Term, Term]]:
    """Yield hypotheses for all vectors or matrices, with values that may give a formula."""
    nodes = function_nodes(p)
    letters = sorted(s for s in free_symbols(p) if s[0] == "M")
    for h in given:
        if h[0] != "M.forall" or len(bound_variables(h)) != 1:
            continue
        names = {n[1] for n in function_nodes(h)}
        near = [n[2] for n in nodes if n[1] in names] if names else letters
        kind = shape(bound_variables(h)[0])
        for value in {canonical_key(v): v for v in near if shape(v) == kind}.values():
            yield h, value


def _conclude_from_instance(
    emitter: ProofEmitter, p: Term, given: Sequence[Term], everywhere: Term, value: Term
) -> Inference:
    """Prove that a matrix is semidefinite, as one is that a hypothesis speaks of."""
    assumed = emitter.script.add("assume", (), everywhere)
    line = emitter.script.add("specialise letters", [assumed], (value,))
    parts = parts_of_conjunction(emitter, settle(emitter, line, given))

    def conclude(part: Inference) -> Inference:
        shown = part.theorem.conclusion
        require(shown[0] == "M.psd" and shape(shown[1]) == shape(p[1]), "another statement")
        if is_same_term(shown, p):
            return part
        equal = prove_matrix_equation(emitter, ("M.eq", shown[1], p[1]), given)
        return emitter.script.add("equal matrices", [part, equal])

    return emitter.try_in_turn(
        (partial(conclude, part) for part in parts), "the hypothesis says something else"
    )


register_prover(13, _prove_semidefinite_by_instance)
