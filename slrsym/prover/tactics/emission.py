"""Translation of a proof into inferences of the checker, one step at a time."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, TypeVar

from sympy import Integral, Lambda, Matrix, Symbol

from slrsym.checker import Inference, ProvedClaims, Rejected
from slrsym.checker.arithmetic import relations_in_conjunction
from slrsym.checker.expectations import semidefinite_conditions
from slrsym.checker.log import UNCHECKED, is_circular_step
from slrsym.checker.term import (
    RELATIONS,
    Term,
    canonical_key,
    definedness_equation,
    free_symbols,
    is_same_term,
    num,
    substitute,
)
from slrsym.gaussian.binding import Expectation
from slrsym.prover.rules.chain import StructuralRule
from slrsym.prover.rules.claim_steps import ClaimWithEvidence
from slrsym.prover.rules.context import Context, covariances_of_laws
from slrsym.prover.rules.step import Proof, Step, axioms_added_by_rule, rule_soundness_axiom_name
from slrsym.prover.statements.expressions import ProofError, Refused
from slrsym.prover.tactics.covariances import (
    has_negative_eigenvalue_at_random_point,
    is_plainly_semidefinite,
)
from slrsym.prover.tactics.for_all import conclude_for_all
from slrsym.prover.tactics.formulas_within_theorems import find_among_theorems
from slrsym.prover.tactics.log_records import RecordingProofBuilder
from slrsym.prover.tactics.log_reuse import EarlierInferences
from slrsym.prover.tactics.numerical_values import are_values_close, value_at_pseudorandom_point
from slrsym.prover.tactics.registration import (
    EMITTERS,
    PROOF_EMITTERS,
    PROVER_BY,
    PROVERS,
    USER_EMITTERS,
)
from slrsym.prover.tactics.subterm_paths import paths_to_symbol, subterm_similarity
from slrsym.prover.tactics.term_to_sympy import formula_text, not_shown
from slrsym.prover.tactics.translation import Translator, Untranslatable

_Made = TypeVar("_Made")

# The search effort for one formula, some seconds; a step may use that of so many formulas.
_EFFORT, _SEARCHES = 120_000, 4
_SIDE_CONDITION = "a side condition"
_ON_TRUST = f"{UNCHECKED}{_SIDE_CONDITION}"
# The errors of an emitter that finds no evidence.
FAILURES = (Rejected, Refused, Untranslatable, ProofError, NotImplementedError)


class MissingFact(Rejected):
    """Raised if a fact is missing; the message words it like a statement."""


@dataclass(frozen=True)
class StepOutcome:
    """The outcome of a step: accepted or refused, with the reason."""

    label: str
    # The class of its rule; for a structural rule, also the beginning of its name.
    kind: str
    # Why there is no evidence; empty if the step was accepted.
    refusal: str


class ProofEmitter:
    """Translator of the proof of one claim into inferences of the proof checker."""

    def __init__(
        self, claim: ClaimWithEvidence, find: Callable[[str], ClaimWithEvidence],
        proved_claims: ProvedClaims, earlier: EarlierInferences | None = None,
        patience: float = 1.0, refuted_step_labels: Iterable[str] = (),
    ) -> None:  # fmt: skip
        self.claim, self.find, self.proved_claims = claim, find, proved_claims
        # Labels of wrong steps, for which no evidence is searched.
        self.refuted = frozenset(refuted_step_labels)
        self.earlier = earlier or EarlierInferences({})
        # The search effort for one formula, and what remains of it for the current step.
        self.effort = self.remaining_effort = int(_EFFORT * patience)
        self.script = RecordingProofBuilder(proved_claims)
        self.translator = Translator()
        self.outcomes: list[StepOutcome] = []
        # Why formulas were added as axioms, by the number of the inference.
        self._reasons: dict[Any, str] = {}
        self._proofs: dict[tuple[str, tuple[str, ...]], Inference | None] = {}
        self._open_searches: set[tuple[str, tuple[str, ...]]] = set()
        # Long factors, none of which is known to be equal to another up to sign.
        self.factors: list[Term] = []
        self._covariances: dict[Any, tuple[Term, ...]] = {}

    # -- short names ------------------------------------------------------------------------------

    def formula(self, statement: Any) -> Term:
        return self.translator.formula(statement)

    def term(self, expr: Any) -> Term:
        return self.translator.term(expr)

    def formula_text(self, p: Term) -> str:
        """Return a formula in the wording of statements, for messages."""
        return formula_text(self.translator, p)

    def hypotheses(self, context: Context) -> tuple[Term, ...]:
        """Return the hypotheses of a step as formulas, without those that cannot be translated."""
        found = []
        for h in (*context.hypotheses, *context.granted):
            with contextlib.suppress(Untranslatable):
                found.append(self.formula(h))
        return (*found, *self._covariance_conditions(context))

    def _covariance_conditions(self, context: Context) -> tuple[Term, ...]:
        """Return the conditions, unless implied, that laws have covariance matrices."""
        if not context.covariances:
            return ()
        name = context.covariances, context.hypotheses
        if name not in self._covariances:
            self._covariances[name] = tuple(
                p
                for m in map(Matrix, context.covariances)
                if not is_plainly_semidefinite(m)
                and not self._is_semidefinite_by_hypotheses(m, context)
                for p in semidefinite_conditions(
                    [[self.term(c) for c in row] for row in m.tolist()]
                )
            )
        return self._covariances[name]

    def _is_semidefinite_by_hypotheses(self, m: Matrix, context: Context) -> bool:
        """Return whether the hypotheses imply that a matrix is a covariance matrix."""
        if not m.free_symbols & context.restricted_symbols:
            return False
        if has_negative_eigenvalue_at_random_point(m, context.hypotheses):
            return False
        bare = replace(context, covariances=())
        entries = [[self.term(c) for c in row] for row in m.tolist()]
        return all(self.can_prove(p, bare) for p in semidefinite_conditions(entries))

    def can_prove(self, p: Term, context: Context) -> bool:
        """Return whether a formula can be proved; keep none of the inferences."""
        mark, left = len(self.script.lines), self.remaining_effort
        self.remaining_effort = self.effort
        try:
            line = self.find_proof(p, self.hypotheses(context), context)
            return line is not None and not self.rests_on_trust(line)
        except FAILURES:
            return False
        finally:
            self.remaining_effort = left
            self.undo_from(mark)

    @staticmethod
    def rests_on_trust(line: Inference) -> bool:
        """Return whether a theorem rests on a side condition that was added without a proof."""
        return _ON_TRUST in line.theorem.axioms

    @cached_property
    def claim_context_and_hypotheses(self) -> tuple[Context, tuple[Term, ...]]:
        """The hypotheses of the claim, as a context of its steps and as formulas."""
        claim = self.claim
        laws = covariances_of_laws(claim.statement, *claim.hypotheses)
        context = Context(claim.hypotheses, self.find, covariances=laws)
        given = tuple(map(self.formula, claim.hypotheses))
        return context, tuple(
            {canonical_key(h): h for h in (*given, *self._covariance_conditions(context))}.values()
        )

    def infer_by_logic(
        self, premises: Iterable[Inference], hypotheses: Iterable[Term], p: Term
    ) -> Inference:
        """Derive a formula under hypotheses from premises, by propositional logic."""
        return self.script.add("logic", premises, tuple(hypotheses), p)

    def discharge_by(self, line: Inference, proofs: Sequence[Inference]) -> Inference:
        """Discharge those hypotheses of a theorem that other theorems conclude."""
        shown = {canonical_key(p.theorem.conclusion) for p in proofs}
        left = {k: h for k, h in line.theorem.hypotheses.items() if k not in shown}
        for p in proofs:
            left |= p.theorem.hypotheses
        return self.infer_by_logic([line, *proofs], left.values(), line.theorem.conclusion)

    def infer_from_cases(
        self, premises: Sequence[Inference], p: Term, cases: Container[str] = ()
    ) -> Inference:
        """Derive a formula under all hypotheses of the premises, but for cases, given by key."""
        left = {k: h for line in premises for k, h in line.theorem.hypotheses.items()}
        return self.infer_by_logic(premises, [h for k, h in left.items() if k not in cases], p)

    def discharge_symbol(self, line: Inference, name: Term) -> Inference:
        """Discharge the hypothesis that a symbol is defined, as symbols are."""
        known = self.script.add("symbol", (), name)
        exists = self.infer_by_logic([known], (), definedness_equation(name))
        return self.discharge_by(line, [exists])

    def rewrite(self, line: Inference, equation: Inference, paths: Sequence[Any]) -> Inference:
        """Rewrite a theorem by an equation at given paths, possibly none."""
        return self.script.add("rewrite", [line, equation], [*paths]) if paths else line

    def swap_sides(self, equation: Inference) -> Inference:
        """Derive an equation with its sides exchanged."""
        _, left, right = equation.theorem.conclusion
        given = equation.theorem.hypotheses.values()
        return self.infer_by_logic([equation], given, ("=", right, left))

    def add_unchecked(self, name: str, reason: str, given: Iterable[Term], p: Term) -> Inference:
        """Add a formula as an axiom, because it has no evidence."""
        line = self.script.add("unchecked", (), name, tuple(given), p)
        self._reasons[line.number] = reason
        return line

    # -- formulas ---------------------------------------------------------------------------------

    def prove_or_add_axiom(self, p: Term, context: Context) -> Inference:
        """Prove a formula under a step's hypotheses, or else add it as an axiom."""
        line, given = self.find_proof_once(p, context), self.hypotheses(context)
        return line or self.add_unchecked(_SIDE_CONDITION, not_shown(self.translator, p), given, p)

    def find_proof_once(self, p: Term, context: Context) -> Inference | None:
        """Return the proof of `p`, searched for on the first call only; None if it has none."""
        given = self.hypotheses(context)
        name = (canonical_key(p), tuple(sorted(map(canonical_key, given))))
        if name not in self._proofs:
            if name in self._open_searches:
                raise Rejected(f"{self.formula_text(p)} leads back to itself")
            self._open_searches.add(name)
            try:
                self._proofs[name] = self.find_proof(p, given, context)
            finally:
                self._open_searches.discard(name)
        return self._proofs[name]

    def derive_once(self, name: str, make: Callable[[], Inference]) -> Inference:
        """Return a theorem without hypotheses, deriving it by `make()` on the first call."""
        line = self._proofs.get((name, ()))
        if line is None:
            line = self._proofs[name, ()] = self.run_and_undo_on_failure(make)
        return line

    def store_proof(self, p: Term, context: Context, line: Inference) -> None:
        """Store a theorem as the answer to later searches for `p`."""
        self._proofs[
            canonical_key(p), tuple(sorted(map(canonical_key, self.hypotheses(context))))
        ] = line

    def find_proof(self, p: Term, given: tuple[Term, ...], context: Context) -> Inference | None:
        """Search for a proof of `p` under given hypotheses; return None if every method fails."""
        if canonical_key(p) in map(canonical_key, given):
            return self.script.add("assume", (), p)
        if p[0] == "and":
            parts = [self.prove_or_add_axiom(q, context) for q in p[1:]]
            return self.infer_by_logic(parts, given, p)
        for side in p[1:]:
            if isinstance(side, tuple) and side[:1] == ("s",):
                with contextlib.suppress(Rejected):
                    return self.infer_by_logic([self.script.add("symbol", (), side)], (), p)
        for ask in PROVERS:
            with contextlib.suppress(*FAILURES):
                return self.run_and_undo_on_failure(ask, self, p, given, context)
        return None

    def require_proof(self, p: Term, given: tuple[Term, ...], context: Context) -> Inference:
        """Return a proof of `p` under given hypotheses; raise `Rejected` if every method fails."""
        line = self.find_proof(p, given, context)
        if line is None:
            raise Rejected(not_shown(self.translator, p))
        return line

    def conclude(self, shown: Inference, wanted: Term, context: Context) -> Inference:
        """Derive a formula from a theorem that equals it, contains it, or implies it by parts."""
        p = shown.theorem.conclusion
        if is_same_term(p, wanted):
            return shown
        given = tuple(shown.theorem.hypotheses.values())
        pairs = relations_in_conjunction(p) + relations_in_conjunction(wanted)
        seen: dict[str, Inference] = {}
        for _, a, b in pairs:
            name = " ".join(sorted((canonical_key(a), canonical_key(b))))
            if name not in seen:
                seen[name] = self.script.add("order", (), a, b)
        with contextlib.suppress(Rejected):
            return self.infer_by_logic([shown, *seen.values()], given, wanted)
        if wanted[0] == "and":
            return self.infer_by_logic(
                [self.conclude(shown, q, context) for q in wanted[1:]],
                self.join_hypotheses(given, context),
                wanted,
            )
        if wanted[0] == "forall" and p[0] != "forall":
            return conclude_for_all(self, shown, wanted, context)
        for way in (
            partial(self._conclude_by_equal_sides, shown, wanted, context),
            partial(self.prove_from_equations, [shown], wanted, context),
        ):
            with contextlib.suppress(*FAILURES):
                return self.run_and_undo_on_failure(way)
        raise Rejected(f"it does not follow from {self.formula_text(p)}")

    def _conclude_by_equal_sides(
        self, shown: Inference, wanted: Term, context: Context
    ) -> Inference:
        """Derive a relation from a theorem sharing one side, by proving the other sides equal."""
        p = shown.theorem.conclusion
        if p[0] == wanted[0] and p[0] in RELATIONS:
            for own, other in ((1, 2), (2, 1)):
                a, b = p[other], wanted[other]
                if is_same_term(p[own], wanted[own]) and are_values_close(
                    value_at_pseudorandom_point(a), value_at_pseudorandom_point(b)
                ):
                    with self.half_effort():
                        line = self.find_proof_once(("=", a, b), context)
                    if line is not None:
                        return self.script.add("rewrite", [shown, line], [[other]])
        raise Rejected("no side of the one is a side of the other")

    @contextlib.contextmanager
    def half_effort(self) -> Iterator[None]:
        """Halve the remaining search effort within a block, so that other methods can still run."""
        kept = self.remaining_effort - self.remaining_effort // 2
        self.remaining_effort //= 2
        try:
            yield
        finally:
            self.remaining_effort += kept

    def join_hypotheses(self, given: Iterable[Term], context: Context) -> tuple[Term, ...]:
        """Return formulas together with the hypotheses of a step, each formula once."""
        return tuple({canonical_key(h): h for h in (*given, *self.hypotheses(context))}.values())

    def cite_claim(
        self, id: str, values: Iterable[tuple[Any, Any]], context: Context,
        shown: Sequence[Inference] = (),
    ) -> Inference:  # fmt: skip
        """Instantiate a proved claim at given values, and discharge its hypotheses."""
        if id == self.claim.id:
            raise Refused(f"claim {id} is used in its own proof")
        claim = self.find(id)
        line = self.proved_claims.cite(id)
        pairs = []
        for name, value in values:
            symbol = claim.symbol(name)
            if isinstance(value, Lambda) and isinstance(symbol, Symbol):
                pairs.append(self.translator.sequence_term_and_function(symbol, value))
            elif hasattr(symbol, "is_Symbol") and symbol.is_Symbol:
                pairs.append((Translator().symbol(symbol), self.term(value)))
            else:
                function = self.term(value)
                pairs.append((self.translator.function(symbol, len(function[1])), function))
        pairs = [(s, v) for s, v in pairs if s != v]
        if pairs:
            line = self.script.add("instance", [line], tuple(pairs))
        return self.discharge_hypotheses(line, context, shown)

    def specialise_hypothesis(self, h: Term, values: Sequence[Term], context: Context) -> Inference:
        """Instantiate a hypothesis that holds for all values at given values."""
        line = self.script.add("assume", (), h)
        line = self.script.add("specialise", [line], tuple(values))
        return self.discharge_hypotheses(line, context)

    def discharge_hypotheses(
        self, line: Inference, context: Context, shown: Sequence[Inference] = ()
    ) -> Inference:
        """Discharge all hypotheses of a theorem that the step does not have."""
        own = set(map(canonical_key, self.hypotheses(context)))
        open_ones = [h for k, h in line.theorem.hypotheses.items() if k not in own]
        later = {
            canonical_key(h)
            for h in open_ones
            if is_covariance_matrix_formula(h) and self.find_proof_once(h, context) is None
        }
        open_ones = [h for h in open_ones if canonical_key(h) not in later]
        if not open_ones:
            return line
        proofs = [
            self._conclude_from_any(shown, h, context) or self.prove_or_add_axiom(h, context)
            for h in open_ones
        ]
        needed = {k: h for p in (line, *proofs) for k, h in p.theorem.hypotheses.items()}
        left = [h for k, h in needed.items() if k in own | later]
        return self.infer_by_logic([line, *proofs], left, line.theorem.conclusion)

    def discharge_absent_laws(self, line: Inference, context: Context) -> Inference:
        """Set symbols that only covariance hypotheses contain to 0; discharge these hypotheses."""
        given = self.hypotheses(context)
        known = free_symbols(line.theorem.conclusion).union(*map(free_symbols, given))
        laws = [
            h
            for h in line.theorem.hypotheses.values()
            if is_covariance_matrix_formula(h) and h not in given
        ]
        names = {s for h in laws for s in free_symbols(h) if s[2] == "R"} - known
        if names:
            values = tuple((s, num(0)) for s in sorted(names))
            line = self.script.add("instance", [line], values)
        own = set(map(canonical_key, given))
        left = [h for k, h in line.theorem.hypotheses.items() if k not in own]
        if not left:
            return line
        return self.discharge_by(line, [self.prove_or_add_axiom(h, context) for h in left])

    def _conclude_from_any(
        self, shown: Sequence[Inference], p: Term, context: Context
    ) -> Inference | None:
        """Prove a hypothesis from one of several theorems, most similar first; None if all fail."""
        if (found := find_among_theorems(self.script, shown, p)) is not None:
            return found
        for line in sorted(shown, key=lambda line: -subterm_similarity(p, line.theorem.conclusion)):
            with contextlib.suppress(*FAILURES):
                return self.run_and_undo_on_failure(self.conclude, line, p, context)
        return None

    def run_and_undo_on_failure(
        self, make: Callable[..., _Made], *data: Any, **options: Any
    ) -> _Made:
        """Call `make`; if it fails, remove the inferences that it added and raise its error."""
        mark = len(self.script.lines)
        try:
            return make(*data, **options)
        except FAILURES:
            self.undo_from(mark)
            raise

    def try_in_turn(self, ways: Iterable[Callable[[], Inference]], otherwise: str) -> Inference:
        """Return the result of the first method that succeeds; raise the last error if all fail."""
        reason: Exception = Rejected(otherwise)
        for way in ways:
            try:
                return self.run_and_undo_on_failure(way)
            except FAILURES as failed:
                reason = failed
        raise reason

    def undo_from(self, mark: int) -> None:
        """Remove inferences from a given number on, and the stored proofs that rest on them."""
        self.script.undo_from(mark)
        self.earlier.forget_from(mark)
        self._reasons = {n: reason for n, reason in self._reasons.items() if n < mark}
        self._proofs = {
            k: v for k, v in self._proofs.items()
            if v and (isinstance(v.number, str) or v.number < mark)
        }  # fmt: skip

    def prove_from_equations(
        self, lines: Sequence[Inference], p: Term, context: Context
    ) -> Inference:
        """Prove a formula by arithmetic from known equations or inequalities."""
        missing = Rejected("it does not follow by arithmetic")
        for ask in PROVERS:
            try:
                return self.run_and_undo_on_failure(
                    ask, self, p, self.hypotheses(context), context, lines
                )
            except FAILURES as reason:
                missing = reason if isinstance(reason, MissingFact) else missing
        raise missing

    def prove_or_use_linearity(
        self, step: Step, make: Callable[[], Inference], lines: Sequence[Inference] = ()
    ) -> Inference:
        """Call `make`; if it fails, prove the step by linearity from known theorems."""
        try:
            return self.run_and_undo_on_failure(make)
        except FAILURES:
            if not step.link.statement.has(Expectation, Integral):
                raise
            return PROVER_BY["linearity"](self, step, lines)

    def undo_substitution(
        self,
        line: Inference,
        goal: Term,
        values: Mapping[Term, Term],
        inner: Context,
        context: Context,
    ) -> Inference:
        """Prove a goal under hypotheses ``x = v`` from a proof of the goal with v put for x."""
        given = self.hypotheses(context)
        exact = [substitute(h, values) for h in given]
        line = self.conclude(line, substitute(goal, values), inner)
        by_key = {canonical_key(h): h for h in exact}
        lacking = [h for k, h in line.theorem.hypotheses.items() if k not in by_key]
        proofs = []
        for h in lacking:
            with contextlib.suppress(*FAILURES):
                proofs.append(PROVER_BY["arithmetic"](self, h, exact))
                continue
            # SymPy may have evaluated the hypothesis at the values.
            source = next((e for g, e in zip(inner.hypotheses, exact, strict=False)
                           if is_same_term(self.formula(g), h)), None)  # fmt: skip
            if source is None:
                raise Rejected(f"{self.formula_text(h)} is not shown for the values")
            proofs.append(self.conclude(self.script.add("assume", (), source), h, inner))
        whole = ("implies", ("and", *given), goal) if given else goal
        line = self.infer_by_logic([line, *proofs], (), substitute(whole, values))
        for symbol, value in values.items():
            equation = self.script.add("assume", (), ("=", symbol, value))
            line = self.rewrite(line, equation, paths_to_symbol(whole, symbol))
        equations = [("=", symbol, value) for symbol, value in values.items()]
        return self.infer_by_logic([line], (*given, *equations), goal)

    # -- steps ------------------------------------------------------------------------------------

    def emit_step(self, step: Step, make: Callable[[], Inference], kind: str = "") -> Inference:
        """Return an inference that proves a step; without evidence, state the step as an axiom."""
        kind, start = kind or _step_kind(step), len(self.script.lines)
        wanted, given = self.formula(step.statement), self.hypotheses(step.context)
        self.remaining_effort = _SEARCHES * self.effort
        taken = partial(self.earlier.replay_step, self.script, step.label, step.rule.name, wanted)
        refusal = "it is wrong"
        for way in () if step.label in self.refuted else (taken, make):
            self._reasons = {}
            try:
                line = way()
                if not is_same_term(line.theorem.conclusion, wanted):
                    raise Rejected(f"what is shown is {self.formula_text(line.theorem.conclusion)}")
                line = self.discharge_absent_laws(
                    self.discharge_hypotheses(line, step.context), step.context
                )
                if way is taken and self._reasons:
                    raise Rejected("a condition of it is not known any more")
                if is_circular_step(line.theorem, self.claim_context_and_hypotheses[1]):
                    raise Rejected("it repeats a fact that its proof has shown; leave the step out")
                break
            except FAILURES as reason:
                self.undo_from(start)
                refusal = str(reason)[:400]
            # Any other error of a search also means that there is no evidence.
            except Exception as reason:
                self.undo_from(start)
                refusal = f"the search broke: {type(reason).__name__}: {reason}"[:400]
        else:
            if self.remaining_effort <= 0:
                refusal += (
                    f"; the search for evidence has reached its limit of "
                    f"{_SEARCHES * self.effort:,} units of work for a step: cut the step in two, "
                    "name a long part by a symbol, with an equation as a hypothesis, or raise "
                    "`--effort`"
                )
            line = self.add_unchecked(kind, refusal, given, wanted)
        self.earlier.register_new_inference(step.label, step.rule.name, wanted, line)
        self.script.record_step(step.label, step.rule.name, line)
        refused = "; ".join(dict.fromkeys(filter(None, self._reasons.values())))
        self.outcomes.append(StepOutcome(step.label, kind, refused))
        return line

    def emit_proof(self, proof: Proof, context: Context, label: str = "") -> Inference:
        """Translate a proof into inferences, and return the last one, its conclusion."""
        make = PROOF_EMITTERS.get(type(proof))
        if make is not None:
            return make(self, proof, context, label)
        # A citation is the only kind of proof without an emitter of its own.
        (step,) = proof.steps(context, label)
        return self.emit_step(step, partial(self.emit_by_rule, step, ()))

    def emit_by_rule(self, step: Step, premises: Sequence[Inference]) -> Inference:
        """Prove a step by the emitter of its rule, or by the rule's own `check` and an axiom."""
        if not axioms_added_by_rule(step.rule, step.link):
            return EMITTERS[type(step.rule)](self, step, premises)
        if type(step.rule) in USER_EMITTERS:
            return USER_EMITTERS[type(step.rule)](self, step, premises)

        def holds(relation: Any) -> bool:
            return self.can_prove(self.formula(relation), step.context)

        step.rule.check(step.link, replace(step.context, holds=holds))
        return self.add_soundness_axiom(step, self.formula(step.statement))

    def add_soundness_axiom(self, step: Step, p: Term) -> Inference:
        """Conclude a step from the axiom that its rule is sound, without evidence.

        This is for rules that users define: a claim that rests on such an axiom is conditional.
        """
        return self.add_unchecked(
            rule_soundness_axiom_name(step.rule), "", self.hypotheses(step.context), p
        )


def is_covariance_matrix_formula(p: Term) -> bool:
    """Return whether a formula states that a matrix is a covariance matrix."""
    return p[:2] == ("o", "psd")


def _step_kind(step: Step) -> str:
    """Return the class name of a step's rule; for a structural rule, its name shortened."""
    if not isinstance(step.rule, StructuralRule):
        return type(step.rule).__name__.lstrip("_").removesuffix("Rule")
    words = step.rule.name.split()
    return f"structural: {' '.join(words[:2]) if words[0] in ('the', 'theorem') else words[0]}"
