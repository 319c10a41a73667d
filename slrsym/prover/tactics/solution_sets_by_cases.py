"""Evidence for solution sets: a tree of cases, translated to logic and arithmetic."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from slrsym.checker import Inference, Rejected
from slrsym.checker.term import Term, is_same_term, num
from slrsym.prover.rules.context import Context
from slrsym.prover.rules.solutions import SolutionSetProof, _Never, _OnlyAt, _Solution
from slrsym.prover.rules.step import Step, join_labels
from slrsym.prover.tactics.arithmetic import prove_by_arithmetic
from slrsym.prover.tactics.emission import FAILURES, ProofEmitter
from slrsym.prover.tactics.registration import register_emitter_for_proofs
from slrsym.prover.tactics.subterm_generalisation import prove_instance

ZERO = num(0)


@register_emitter_for_proofs(SolutionSetProof)
def _emit_solution_set(
    emitter: ProofEmitter, proof: Any, context: Context, label: str
) -> Inference:
    *steps, last = proof.steps(context, label)
    shown = {
        step.label: (emitter.emit_step(step, partial(_prove_case_step, emitter, step)), step)
        for step in steps
    }
    return emitter.emit_step(
        last,
        partial(_CaseTree(emitter, proof, context, label, shown).conclude, last),
        "solution set",
    )


def _prove_case_step(emitter: ProofEmitter, step: Step) -> Inference:
    try:
        return emitter.run_and_undo_on_failure(emitter.emit_by_rule, step, ())
    except FAILURES:
        if step.rule.name != "injectivity":
            raise
        return _prove_only_root(emitter, step)


def _prove_only_root(emitter: ProofEmitter, step: Step) -> Inference:
    """Prove that c (x - v) = 0 implies x = v, by proving that c does not vanish."""
    statement: Any = step.statement
    vanishes, root = statement.args
    f, (x, v) = vanishes.lhs, root.args
    c = f.diff(x)
    if x in c.free_symbols:
        raise Rejected("no factor times a difference")
    factor, rest, side = emitter.term(c), emitter.term(x - v), emitter.term(f)
    split = emitter.prove_from_equations([], ("=", side, ("*", factor, rest)), step.context)
    positive = emitter.prove_from_equations([], ("<", ZERO, factor), step.context)
    assumed = emitter.script.add("assume", (), emitter.formula(vanishes))
    zero = emitter.script.add("rewrite", [assumed, split], [[1]])
    a, b = ("s", "a", "R"), ("s", "b", "R")
    supposed = [("=", ("*", a, b), ZERO), ("<", ZERO, a)]
    values, shown = {a: factor, b: rest}, [zero, positive]
    line = prove_instance(emitter, ("=", b, ZERO), supposed, values, shown, step.context)
    line = emitter.conclude(line, emitter.formula(root), step.context)
    return emitter.infer_by_logic(
        [line], emitter.hypotheses(step.context), emitter.formula(step.statement)
    )


class _CaseTree:
    """Translation of a tree of cases to the theorem that equations have the listed solutions."""

    def __init__(
        self, emitter: ProofEmitter, proof: Any, context: Context, label: str,
        shown: Mapping[str, tuple[Inference, Step]],
    ) -> None:  # fmt: skip
        self.emitter, self.proof, self.context = emitter, proof, context
        self.label, self.shown = label, shown
        self.given = emitter.hypotheses(context)
        self.equations = [emitter.formula(e) for e in proof.equations]
        self.points = [
            {emitter.term(u): emitter.term(v) for u, v in point.items()}
            for point in proof.solutions
        ]
        listed = [("and", *(("=", u, v) for u, v in point.items())) for point in self.points]
        self.listed: Term = ("or", *listed)

    def conclude(self, last: Step) -> Inference:
        """Prove that equations hold exactly at the listed solutions."""
        goal = ("and", *self.equations)
        lines = [
            self.prove_branch(self.proof.tree, {}, self.context, join_labels(self.label, "case"))
        ]
        for number, point in enumerate(self.points, start=1):
            line, step = self.shown[join_labels(self.label, f"solution {number}")]
            lines.append(
                self.emitter.undo_substitution(line, goal, point, step.context, self.context)
            )
        return self.emitter.infer_by_logic(lines, self.given, self.emitter.formula(last.statement))

    def undo_substitution(self, label: str, goal: Term, values: Mapping[Term, Term]) -> Inference:
        """Prove the goal of a labelled step, in which values are substituted, for the unknowns."""
        line, step = self.shown[label]
        return self.emitter.undo_substitution(line, goal, values, step.context, self.context)

    def prove_branch(
        self, branch: Any, values: Mapping[Term, Term], context: Context, label: str
    ) -> Inference:
        """Prove that one of the listed solutions holds, on one branch of the case distinction."""
        emitter, found = self.emitter, tuple(("=", u, v) for u, v in values.items())
        supposed = (*self.given, *self.equations, *found)
        if isinstance(branch, _Solution):
            return emitter.infer_by_logic([], supposed, self.listed)
        parts: tuple[Any, ...] = branch.branches
        factors = [emitter.term(part.factor) for part in parts]
        product: Term = ("*", *factors) if len(factors) > 1 else factors[0]
        side = emitter.term(branch.equation)
        equation = next(e for e in self.equations if any(is_same_term(t, side) for t in e[1:]))
        vanishes = emitter.script.add("assume", (), equation)
        if (here := join_labels(label, "product")) in self.shown:
            split = self.undo_substitution(here, ("=", side, product), values)
            vanishes = emitter.script.add("chain", [split, vanishes])
        vanishes = emitter.conclude(vanishes, ("=", product, ZERO), context)
        # Written with the factors in this order.
        left = vanishes.theorem.hypotheses.values()
        vanishes = emitter.infer_by_logic([vanishes], left, ("=", product, ZERO))
        lines = [vanishes]
        # Each factor is zero or not; if all but the last are not, the last one is.
        for place, factor in enumerate(factors, start=1):
            lines.append(emitter.script.add("order", (), factor, ZERO))
            if len(factors) > 1:
                lines.append(emitter.script.add("defined", [vanishes], [1, place]))
        lines.append(
            emitter.infer_by_logic(
                [prove_by_arithmetic(emitter, ("=", ZERO, ZERO), ())], (), ("=", ZERO, ZERO)
            )
        )
        # Prove it for any numbers as factors, and instantiate it.
        symbols = tuple(("s", f"f{place}", "R") for place in range(len(factors)))
        zero = ("=", ("*", *symbols) if len(symbols) > 1 else symbols[0], ZERO)
        others = [emitter.script.add("assume", (), ("!=", f, ZERO)) for f in factors[:-1]]
        lines.append(
            prove_instance(
                emitter, ("=", symbols[-1], ZERO), [zero, *(("!=", s, ZERO) for s in symbols[:-1])],
                dict(zip(symbols, factors, strict=True)), [vanishes, *others], context,
            )
        )  # fmt: skip
        for number, part in enumerate(parts, start=1):
            here, factor = join_labels(label, str(number)), factors[number - 1]
            if isinstance(part, _Never):
                never: Term = ("!=", factor, ZERO)
                lines.append(self.undo_substitution(join_labels(here, "never"), never, values))
            elif isinstance(part, _OnlyAt):
                unknown, value = emitter.term(part.unknown), emitter.term(part.value)
                root: Term = ("implies", ("=", factor, ZERO), ("=", unknown, value))
                lines.append(self.undo_substitution(join_labels(here, "only root"), root, values))
                inner = context.substitute({part.unknown: part.value})
                lines.append(self.prove_branch(part.then, {**values, unknown: value}, inner, here))
        return emitter.infer_by_logic(lines, supposed, self.listed)
