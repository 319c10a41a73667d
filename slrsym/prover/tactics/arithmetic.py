"""Evidence for steps of algebra, signs and derivatives, found by one search for certificates."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from slrsym.checker import Inference, Rejected
from slrsym.checker.arithmetic import (
    binder_keys_in_facts,
    learn_relation,
    relations_in_conjunction,
    require_relation_holds,
)
from slrsym.checker.ring import ExponentUnitTooCoarse
from slrsym.checker.term import (
    Term,
    binder_bodies,
    bound_variables,
    canonical_key,
    definedness_equation,
    free_symbols,
    has_copy_sum_outside_expectation,
    is_bound_place,
    num,
    parts_outside_binder,
    places_and_subterms,
    replace_parts,
)
from slrsym.checker.theorem import Theorem, apply_rule
from slrsym.prover.rules.calculus import AlgebraRule, DefinitionRule
from slrsym.prover.rules.chain import StructuralRule
from slrsym.prover.rules.context import Context
from slrsym.prover.rules.lemmas import CITED, citation_axiom_name
from slrsym.prover.rules.step import Step
from slrsym.prover.statements.expressions import expression_text
from slrsym.prover.tactics.binders import (
    BinderEquationSearch,
    outer_binders,
    polynomial_term,
    ring_with_search,
)
from slrsym.prover.tactics.emission import FAILURES, MissingFact, ProofEmitter
from slrsym.prover.tactics.registration import (
    register_emitter_for_rules,
    register_prover,
    register_prover_by,
)
from slrsym.prover.tactics.sign_search import (
    RELATION_OF,
    SearchHintRecordingRing,
    SignSearch,
    UnknownSign,
)
from slrsym.prover.tactics.subterm_paths import (
    body_in_variables,
    paths_to_subterm,
    replace_at_path,
    replace_at_paths,
)
from slrsym.prover.tactics.term_to_sympy import TermToSympy

ZERO = num(0)
# Evidence, or the error of a failed search, by a digest of the question. Evidence is checked again.
EVIDENCE_CACHE: dict[str, Any] = {}
# The longest polynomial, in terms and in parts of the term that it stands for, that is useful in a
# message.
_MOST_TERMS, _MOST_PARTS = 12, 300


class NoEquationsKnown(Rejected):
    """Raised if arithmetic has no equation for an expectation, integral or other opaque term."""


def search_arithmetic_evidence(
    p: Term, given: Sequence[Term], premises: Sequence[Theorem] = (), effort: int = 120_000,
    emitter: ProofEmitter | None = None, first: int = 0,
) -> tuple[Any, ...]:  # fmt: skip
    """Search for arithmetic evidence for a relation; return the inference rule, premises and data.

    The ring learns the first `first` premises before all else: equations for opaque terms.
    """
    said = [
        canonical_key(p),
        "given",
        *map(canonical_key, given),
        "premises",
        *(canonical_key(t.conclusion) for t in premises),
    ]
    said.append(str(first))
    name = hashlib.sha256("\n".join(said).encode()).hexdigest()
    if name in EVIDENCE_CACHE:
        if isinstance(EVIDENCE_CACHE[name], partial):
            raise EVIDENCE_CACHE[name]()
        # It may have been found by another version of the proof checker.
        with suppress(Rejected):
            apply_rule("arithmetic", premises, tuple(given), p, EVIDENCE_CACHE[name])
            return "arithmetic", premises, tuple(given), p, EVIDENCE_CACHE[name]
    try:
        made = _search_with_growing_facts(p, given, premises, effort, emitter, first)
    except Rejected as failed:
        reason = _rejection_in_words_of_statements(emitter, failed)
        # A step with more effort left may find evidence.
        if emitter is None or emitter.remaining_effort > 0:
            # Without its traceback, which would keep much memory.
            EVIDENCE_CACHE[name] = partial(type(reason), str(reason))
        raise reason from None
    EVIDENCE_CACHE[name] = made[-1]
    return made


def _rejection_in_words_of_statements(emitter: ProofEmitter | None, reason: Rejected) -> Rejected:
    """Return a new error for a failed search, with its reason in the wording of statements."""
    if (
        emitter
        and isinstance(reason, UnknownSign)
        and len(reason.polynomial) <= _MOST_TERMS
        and reason.ring.number_of_parts(reason.polynomial) <= _MOST_PARTS
    ):
        with suppress(*FAILURES, IndexError, KeyError):
            term = polynomial_term(reason.ring, reason.polynomial)
            text = expression_text(TermToSympy(emitter.translator).expression(term))
            return MissingFact(f"{reason}: {text} {RELATION_OF[reason.sign]} 0")
    return Rejected(str(reason))


def _search_with_growing_facts(
    p: Term, given: Sequence[Term], premises: Sequence[Theorem], effort: int,
    emitter: ProofEmitter | None, first: int,
) -> tuple[Any, ...]:  # fmt: skip
    """Search for evidence from few of the hypotheses first, and from all of them last."""
    start = sum(len(relations_in_conjunction(q)) for q in given)
    leading = list(
        range(
            start,
            start + sum(len(relations_in_conjunction(t.conclusion)) for t in premises[:first]),
        )
    )
    facts = [
        r for q in (*given, *(t.conclusion for t in premises)) for r in relations_in_conjunction(q)
    ]
    symbols, reason = free_symbols(p), None
    near = [i for i, fact in enumerate(facts) if free_symbols(fact) & symbols and _is_short(fact)]
    # Most statements need few of the hypotheses, and most equations few signs: brief searches spend
    # little on the signs of arguments of functions.
    every, is_equation = list(range(len(facts))), p[0] == "="
    ways: list[tuple[list[int], float, bool]] = []
    if facts or is_equation:
        ways.append(([], 0.1, is_equation))
    if premises and not is_equation:
        ways.append((every, 0.4, True))
    if len(near) < len(facts):
        ways.append((near, 0.4, is_equation))
    if is_equation:
        ways.append((every, 0.4, True))
    for chosen, share, is_brief in (*ways, (every, 1.0, False)):
        chosen = [*leading, *(i for i in chosen if i not in leading)]
        try:
            return _search_with_facts(
                p, given, premises, facts, chosen, int(share * effort), emitter, is_brief
            )
        except Rejected as refusal:
            reason = refusal
    raise reason or Rejected("nothing was tried")


def _is_short(fact: Term) -> bool:
    """Return whether a fact is short, so that arithmetic tries it early."""
    return len(canonical_key(fact)) < 200


def _search_with_facts(
    p: Term, given: Sequence[Term], premises: Sequence[Theorem], facts: Sequence[Term],
    chosen: Sequence[int], effort: int, emitter: ProofEmitter | None, is_brief: bool,
) -> tuple[Any, ...]:  # fmt: skip
    """Search for evidence from chosen facts, with a ring made larger or finer where necessary."""
    units: dict[Any, Any] = {}
    size = 32
    for _ in range(12):
        # Easy questions cost little, and are answered even if others have used up the effort.
        most = max(emitter.remaining_effort, effort // 50) if emitter else math.inf
        if most <= 0:
            raise Rejected("the search has done what it may for a step")
        search = SignSearch(effort, most, is_brief)
        ring = ring_with_search(size, units, search, premises, facts)
        try:
            use = _learn_facts(ring, search, facts, chosen)
            require_relation_holds(ring, p)
        except ExponentUnitTooCoarse:
            units = ring.units
            continue
        except Rejected as reason:
            if "more generators" in str(reason) and size < 64:
                size, units = 64, {}
                continue
            raise
        finally:
            if emitter:
                emitter.remaining_effort -= search.work
        # The proof checker is given as few generators as the evidence needs.
        size = max(1, len(ring.generators))
        written = [[list(map(list, m)), list(map(list, d)), str(u)] for (m, d), u in units.items()]
        return "arithmetic", premises, tuple(given), p, [size, written, use, search.answers]
    raise Rejected("units of exponents do not settle")


def prove_with_given_equations(
    emitter: ProofEmitter, p: Term, given: Sequence[Term], lines: Sequence[Inference] = (),
    equations: Sequence[Inference] = (), effort: int = 0,
) -> Inference:  # fmt: skip
    """Prove a relation by arithmetic, given equations between opaque terms such as expectations."""
    premises = [*equations, *lines]
    theorems, most = [line.theorem for line in premises], effort or emitter.effort
    name, _, *data = search_arithmetic_evidence(p, given, theorems, most, emitter, len(equations))
    return emitter.script.add(name, premises, *data)


@register_prover_by("arithmetic")
def prove_by_arithmetic(
    emitter: ProofEmitter,
    p: Term,
    given: Sequence[Term],
    lines: Sequence[Inference] = (),
    effort: int = 0,
) -> Inference:
    """Prove a relation by arithmetic from hypotheses and known theorems, or raise `Rejected`."""
    try:
        return prove_with_given_equations(emitter, p, given, lines, effort=effort)
    except Rejected as reason:
        formulas = [p, *given, *(line.theorem.conclusion for line in lines)]
        if not any(any(outer_binders(q)) for q in formulas):
            raise
        try:
            return emitter.run_and_undo_on_failure(
                _prove_with_binder_equations, emitter, p, given, lines, formulas, effort
            )
        except NoEquationsKnown:
            raise reason from None


def _prove_with_binder_equations(
    emitter: ProofEmitter, p: Term, given: Sequence[Term], lines: Sequence[Inference],
    formulas: Sequence[Term], effort: int,
) -> Inference:  # fmt: skip
    """Prove a relation after deriving equations for its sums, integrals and expectations."""
    equations = BinderEquationSearch(
        emitter, given, lines, prove_with_given_equations
    ).equations_for(formulas)
    if not equations:
        raise NoEquationsKnown("nothing is known of the sums, integrals and expectations")
    return prove_with_given_equations(emitter, p, given, lines, equations, effort)


def _learn_facts(
    ring: SearchHintRecordingRing, search: SignSearch, facts: Sequence[Term], chosen: Sequence[int]
) -> list[int]:
    """Add chosen facts to the ring if their terms are defined; return the numbers of the added."""
    use: list[int] = []
    for _ in range(2):
        for i in chosen:
            fact = facts[i]
            if i in use:
                continue
            mark = ring.snapshot(), len(search.answers)
            try:
                learn_relation(ring, fact)
                use.append(i)
            except ExponentUnitTooCoarse:
                raise
            except Rejected:
                # Undo all that was learned from it.
                ring.restore(mark[0])
                del search.answers[mark[1] :]
                search.failed.clear()
    return use


def is_improper_integral(t: Term) -> bool:
    return t[0] == "int" and any(end[0] in ("oo", "-oo") for end in parts_outside_binder(t))


def opaque_terms(t: Term) -> dict[str, Term]:
    """Return the terms, such as expectations, that arithmetic treats as unknown numbers, by key.

    These are expectations, their derivatives, sums of copies, and improper integrals.
    """
    if (
        t[0] in ("E", "copies")
        or (t[0] == "d" and binder_bodies(t)[0][0] == "E")
        or is_improper_integral(t)
    ):
        # An expectation also counts the sums of copies inside it.
        return {canonical_key(t): t} | {
            canonical_key(c): c for c in _free_copy_sums(t, t) if t[0] == "E"
        }
    found: dict[str, Term] = {}
    for place, part in places_and_subterms(t):
        if not is_bound_place(t, place):
            found |= opaque_terms(part)
    return found


def definedness_of_opaque_terms(p: Term, lines: Sequence[Inference]) -> list[Term]:
    """Return the equations t = t for the opaque terms of formulas that are not known to exist."""
    said = [line.theorem.conclusion for line in lines]
    nodes = {k: n for q in (p, *said) for k, n in opaque_terms(q).items()}
    known = binder_keys_in_facts([r for q in said for r in relations_in_conjunction(q)])
    return [definedness_equation(n) for k, n in nodes.items() if k not in known]


def theorems_on_special_values(emitter: ProofEmitter, formulas: Sequence[Term]) -> list[Inference]:
    """Return theorems on values at 0 of erf, zeta and the like, which SymPy evaluates silently."""
    found: dict[str, list[Inference]] = {}
    for t in (part for p in formulas for part in _special_values(p)):
        at = drop_zero_terms(t)
        if canonical_key(at) in found:
            continue
        own = found.setdefault(canonical_key(at), [])
        if t[0] == "E" and at[0] == "E":
            (body,) = binder_bodies(at)
            if not free_symbols(body) & set(
                bound_variables(at)
            ) and not has_copy_sum_outside_expectation(body):
                own.append(emitter.script.add("constant", (), at))
        elif at[:3] == ("f", "owens", ZERO) and "owens-t-at-zero" in emitter.proved_claims:
            own.append(_instantiate_claim(emitter, "owens-t-at-zero", at[3]))
        elif at[:3] == ("f", "zeta", ZERO) and "zeta-at-zero" in emitter.proved_claims:
            own += [
                emitter.script.add("definition", (), at),
                _instantiate_claim(emitter, "zeta-at-zero", at[3]),
            ]
        elif at[:2] == ("f", "zeta") and at[3] == ZERO:
            own.append(emitter.script.add("definition", (), at))
            own.append(
                emitter.script.add("constant", (), drop_zero_terms(own[0].theorem.conclusion[2]))
            )
    return [line for lines in found.values() for line in lines]


def _instantiate_claim(emitter: ProofEmitter, id: str, value: Term) -> Inference:
    """Return a proved claim about a real number, instantiated at a value."""
    line = emitter.proved_claims.cite(id)
    (x,) = free_symbols(line.theorem.conclusion)
    if x == value:
        return line
    line = emitter.script.add("instance", [line], ((x, value),))
    with suppress(*FAILURES):
        exists = emitter.run_and_undo_on_failure(
            prove_by_arithmetic, emitter, definedness_equation(value), ()
        )
        line = emitter.infer_by_logic([line, exists], (), line.theorem.conclusion)
    return line


def drop_zero_terms(t: Term) -> Term:
    """Replace subterms that are evidently 0, such as ``erf(0)``, by 0."""
    if t[0] in ("s", "n", "ix", "u"):
        return t
    t = replace_parts(t, {place: drop_zero_terms(part) for place, part in places_and_subterms(t)})
    if t[0] == "*" and ZERO in t[1:]:
        return ZERO
    if t[0] == "+":
        rest = tuple(a for a in t[1:] if a != ZERO)
        return ZERO if not rest else rest[0] if len(rest) == 1 else ("+", *rest)
    odd = t[0] == "f" and t[1] in ("erf", "asin", "atan")
    return ZERO if (odd and t[2] == ZERO) or (t[0] == "^" and t[1] > 0 and t[3] == ZERO) else t


def _special_values(t: Term) -> Iterator[Term]:
    """Yield expectations, and values of zeta and Owen's T, that are outside all binders.

    Inside a derivative, these are values at the point of differentiation.
    """
    if t[0] == "E" or (t[0] == "f" and t[1] in ("zeta", "owens")):
        yield t
    if t[0] == "d":
        at_point = body_in_variables(t, parts_outside_binder(t))
        yield from (u for u in _special_values(at_point) if u[0] == "f")
    for place, part in places_and_subterms(t):
        if not is_bound_place(t, place):
            yield from _special_values(part)


def _free_copy_sums(t: Term, node: Term) -> Iterator[Term]:
    """Yield the sums of copies in an expectation that contain none of its variables."""
    if t[0] == "copies":
        if not free_symbols(t) & set(bound_variables(node)):
            yield t
        return
    for place, part in places_and_subterms(t):
        if t is node or not is_bound_place(t, place):
            yield from _free_copy_sums(part, node)


def prove_in_context(
    emitter: ProofEmitter,
    p: Term,
    context: Context,
    lines: Sequence[Inference] = (),
    given: Sequence[Term] = (),
) -> Inference:
    """Prove a relation by arithmetic under a step's hypotheses; expectations count as numbers."""
    said = [p, *(line.theorem.conclusion for line in lines)]
    lines = [*lines, *theorems_on_special_values(emitter, said)]
    exist = [
        emitter.prove_or_add_axiom(q, context)
        for q in definedness_of_opaque_terms(p, lines)
        if canonical_key(q) != canonical_key(p)
    ]
    own = emitter.hypotheses(context)
    keys = set(map(canonical_key, own))
    more = [h for h in given if canonical_key(h) not in keys]
    return prove_by_arithmetic(emitter, p, (*own, *more), [*lines, *exist])


# From the hypotheses of a step and from further ones.
register_prover(
    3,
    lambda emitter, p, given, context, lines=(): prove_in_context(
        emitter, p, context, lines, given
    ),
)


class RewrittenFormula:
    """A formula that is rewritten by equations, to be proved in its new form."""

    def __init__(self, emitter: ProofEmitter, p: Term, through: Collection[str] = ()) -> None:
        self.emitter, self.formula, self.through = emitter, p, through
        # The equations, each with the paths at which it was applied.
        self.steps: list[tuple[Inference, list[Any]]] = []

    def apply(self, equation: Inference, backwards: bool = False) -> None:
        """Replace the left side of an equation by its right side, or the right by the left."""
        _, old, new = equation.theorem.conclusion
        old, new = (new, old) if backwards else (old, new)
        paths = paths_to_subterm(self.formula, old, self.through)
        self.formula = replace_at_paths(self.formula, paths, new)
        self.steps.append((equation, paths))

    def prove_original(self, shown: Inference) -> Inference:
        """Return a proof of the formula as it was, from one of its new form."""
        for equation, paths in reversed(self.steps):
            shown = self.emitter.rewrite(shown, equation, paths)
        return shown


def prove_after_rewriting(
    emitter: ProofEmitter,
    p: Term,
    equations: Iterable[Inference],
    prove: Callable[[Term], Inference],
) -> Inference:
    """Rewrite a formula by equations, prove the result by `prove`, and rewrite back."""
    work = RewrittenFormula(emitter, p)
    for equation in equations:
        work.apply(equation)
    return work.prove_original(prove(work.formula))


def _is_mean_equation(p: Term) -> bool:
    return bool(p[0] == "=" and p[1][0] == "E")


@register_emitter_for_rules(AlgebraRule)
def _emit_algebra(emitter: ProofEmitter, step: Step, premises: Sequence[Inference]) -> Inference:
    """Prove a step by arithmetic, by linearity of expectations, or by equal function values."""
    wanted = emitter.formula(step.statement)
    if premises and all(_is_mean_equation(line.theorem.conclusion) for line in premises):
        return prove_after_rewriting(
            emitter, wanted, premises, lambda p: emitter.prove_from_equations((), p, step.context)
        )
    if premises:
        return emitter.prove_from_equations(premises, wanted, step.context)
    try:
        return emitter.prove_or_use_linearity(
            step, partial(prove_in_context, emitter, wanted, step.context), premises
        )
    except FAILURES as reason:
        with suppress(*FAILURES):
            return emitter.run_and_undo_on_failure(
                emitter.prove_from_equations, (), wanted, step.context
            )
        raise reason


@register_emitter_for_rules(DefinitionRule)
def _emit_definition(emitter: ProofEmitter, step: Step, premises: Sequence[Inference]) -> Inference:
    """Replace zeta and Owen's T by their definitions, prove the result, and rewrite back."""
    wanted, context = emitter.formula(step.statement), step.context
    calls = list(_calls_of_zeta_and_owens_t(wanted))
    meant, terms = wanted, {}
    for path, t in calls:
        line = emitter.script.add("definition", (), t)
        for name in free_symbols(t):
            # A bound variable needs no hypothesis that it is defined.
            line = emitter.discharge_symbol(line, name)
        terms[canonical_key(t)] = line
        meant = replace_at_path(meant, path, line.theorem.conclusion[2])
    line = emitter.prove_from_equations((), meant, context)
    for path, t in calls:
        line = emitter.rewrite(line, terms[canonical_key(t)], [path])
    return emitter.discharge_hypotheses(line, context)


def _calls_of_zeta_and_owens_t(
    t: Term, path: tuple[Any, ...] = ()
) -> Iterator[tuple[tuple[Any, ...], Term]]:
    """Yield path and term of each call of zeta or Owen's T in a term, also inside derivatives."""
    if t[0] == "f" and t[1] in ("zeta", "owens"):
        yield path, t
    for place, part in places_and_subterms(t):
        if not is_bound_place(t, place) or t[0] == "d":
            yield from _calls_of_zeta_and_owens_t(part, (*path, place))


@register_emitter_for_rules(StructuralRule)
def _emit_structural_step(
    emitter: ProofEmitter, step: Step, premises: Sequence[Inference]
) -> Inference:
    """Prove a structural step, such as that the conjunction of the parts gives the whole."""
    rule: Any = step.rule
    p, given = emitter.formula(step.statement), emitter.hypotheses(step.context)
    if rule.name == CITED:
        for id in rule.citing:
            emitter.find(id)
        return emitter.add_unchecked(citation_axiom_name(rule.theorems), "", given, p)
    if rule.name not in ("algebra", "sign", "injectivity"):
        raise NotImplementedError(f"no evidence for {rule.name!r:.60} yet")
    if p[0] == "implies":
        line = prove_by_arithmetic(emitter, p[2], (*given, p[1]))
        return emitter.infer_by_logic([line], given, p)
    if p[0] == "and":
        return emitter.infer_by_logic(
            [prove_by_arithmetic(emitter, q, given) for q in p[1:]], given, p
        )
    return prove_by_arithmetic(emitter, p, given)
