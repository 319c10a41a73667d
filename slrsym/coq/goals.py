"""Coq goals for the steps of claims, with their premises."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import sympy as sp
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from slrsym.coq.printing import CoqPrinter, NotExpressibleInCoqError
from slrsym.coq.tactics import candidate_tactics
from slrsym.prover.claims.claim import Claim
from slrsym.prover.rules.chain import StructuralRule
from slrsym.prover.rules.claim_steps import steps_of_claim
from slrsym.prover.rules.step import Step
from slrsym.prover.statements.expressions import conjuncts

# A goal longer than this says little to a reader, and Coq takes minutes.
_LONGEST = 40_000


@dataclass
class CoqGoal:
    """The Coq goal of a step, or the reason why Coq cannot express the step."""

    name: str  # of the lemma
    claim: str  # the step that it stands for: its claim, label and kind of rule
    label: str
    kind: str
    step: Step = field(repr=False)
    text: str = ""  # empty if it cannot be said in Coq
    lack: str = ""  # why it cannot
    tries: Callable[[], Iterable[str]] = field(default=tuple, repr=False)  # finds tactics
    facts: list[Step] = field(default_factory=list, repr=False)  # steps that it may suppose
    printer: CoqPrinter = field(default_factory=CoqPrinter, repr=False)
    claims: list[str] = field(default_factory=list)  # that it supposes


def coq_name(id: str) -> str:
    """Return the Coq identifier for a claim's id."""
    return id.replace("-", "_")


def sign_condition(x: Any) -> Boolean | None:
    """Return the sign condition in a symbol's assumptions, such as x > 0, or None."""
    for holds, kind in (
        (x.is_positive, sp.Gt), (x.is_negative, sp.Lt), (x.is_nonnegative, sp.Ge),
        (x.is_nonpositive, sp.Le), (x.is_nonzero, sp.Ne),
    ):  # fmt: skip
        if holds:
            return kind(x, 0, evaluate=False)
    return None


def kind_of_rule(step: Step) -> str:
    """Return the name of a step's kind, such as algebra or sign, from its rule."""
    name, rule = type(step.rule).__name__, step.rule.name
    if not isinstance(step.rule, StructuralRule):
        return {"DifferentiateRule": "differentiation"}.get(name, name.removesuffix("Rule").lower())
    if rule.startswith("claim "):
        return "lemma"
    if rule in ("algebra", "sign", "injectivity"):
        return rule
    return "theorem" if rule.startswith("theorem ") else "conclusion"


def _quantified_statement(
    printer: CoqPrinter, statement: Any, given: Iterable[Any], known: set[Any]
) -> str:
    """Return a statement and its hypotheses as Coq text, quantified over its new symbols."""
    before = dict(printer.free)
    conclusion = printer.statement(statement)
    premises = [printer.statement(h) for h in given]
    late = [x for x in printer.free if x not in before and x not in known]
    new = [x for x in late if isinstance(x, sp.Symbol)]
    if any(isinstance(x, sp.IndexedBase) for x in late):
        raise NotExpressibleInCoqError("a sequence that only a fact speaks of")
    # A part that became a variable is one number, whatever a fact says for all values of others.
    if any(x in e.free_symbols for e in printer.opaque_subexpressions.values() for x in new):
        raise NotExpressibleInCoqError("a fact for all values of what a part depends on")
    premises = [p for x in new for p in _assumption_premises(printer, x)] + premises
    for x in new:
        del printer.free[x]
    text = " -> ".join([*premises, conclusion])
    if new:
        return f"(forall {' '.join(printer.names[x] for x in new)} : R, {text})"
    return f"({text})" if premises else text


def _assumption_premises(printer: CoqPrinter, x: Any) -> list[str]:
    """Return a symbol's assumptions, such as its sign, as Coq texts of premises."""
    if isinstance(x, sp.IndexedBase):
        return _sequence_sign_premises(printer, x)
    if not isinstance(x, sp.Symbol):
        return []
    sign = sign_condition(x)
    whole = [f"is_int {printer.names[x]}"] if x.is_integer else []
    return whole + ([] if sign is None else [printer.statement(sign)])


def _sequence_sign_premises(printer: CoqPrinter, x: sp.IndexedBase) -> list[str]:
    """Return the Coq premise that all terms of a sequence have a sign, if that is declared."""
    relation = next((r for r, holds in (("<", x.label.is_positive), ("<=", x.label.is_nonnegative))
                     if holds), None)  # fmt: skip
    if relation is None:
        return []
    places = ["i", "i'", "i''"][: printer.free[x]]
    return [
        f"(forall {' '.join(places)} : R, 0 {relation} ({' '.join([printer.names[x], *places])}))"
    ]


def _goal_text(printer: CoqPrinter, premises: list[str], conclusion: str) -> str:
    variables = " ".join(f"({printer.names[x]} : {'R -> ' * n}R)" for x, n in printer.free.items())
    declared = [p for x in list(printer.free) for p in _assumption_premises(printer, x)]
    body = " ->\n  ".join(dict.fromkeys([*declared, *premises])) if declared or premises else ""
    text = f"{body} ->\n  {conclusion}" if body else conclusion
    return f"forall {variables},\n  {text}" if variables else text


def coq_statement_and_printer(claim: Claim) -> tuple[str, CoqPrinter]:
    """Return a claim's statement as Coq text and its printer; raise if Coq cannot express it."""
    printer = CoqPrinter()
    if claim.statement.atoms(sp.core.function.AppliedUndef):
        raise NotExpressibleInCoqError("it speaks of all functions of a kind")
    conclusion = printer.statement(claim.statement)
    premises = [printer.statement(h) for h in claim.hypotheses]
    premises += [c for h in claim.hypotheses for c in coq_definedness_premises(h, printer)]
    if printer.opaque_subexpressions:
        raise NotExpressibleInCoqError(
            f"{next(iter(printer.opaque_subexpressions.values()))} has no words in Coq"
        )
    return _goal_text(printer, premises, conclusion), printer


def coq_definedness_premises(p: Any, printer: CoqPrinter) -> list[str]:
    """Return Coq texts of the conditions under which a hypothesis's roots and quotients exist.

    An undefined hypothesis is no premise.
    """
    found = []
    for node in sp.preorder_traversal(p):
        if isinstance(node, sp.Pow) and node.exp.is_Rational and not node.base.is_number:
            if node.exp.q == 2:
                relation = sp.Ge if node.exp > 0 else sp.Gt
                found.append(printer.statement(relation(node.base, 0, evaluate=False)))
            elif node.exp < 0:
                found.append(printer.statement(sp.Ne(node.base, 0, evaluate=False)))
        if isinstance(node, sp.log | sp.asin | sp.acos):
            raise NotExpressibleInCoqError("a hypothesis with a logarithm or an arc sine")
    return found


class CoqGoalBuilder:
    """Writer of Coq goals for the steps of claims, which prints each statement once."""

    def __init__(self, find: Callable[[str], Claim]) -> None:
        self._find = find
        self._said: dict[str, tuple[str, CoqPrinter] | NotExpressibleInCoqError] = {}

    def statement_and_printer(self, id: str) -> tuple[str, CoqPrinter]:
        """Return a claim's statement as Coq text, and its printer; raise if it has no such text."""
        if id not in self._said:
            try:
                self._said[id] = coq_statement_and_printer(self._find(id))
            except NotExpressibleInCoqError as lack:
                self._said[id] = lack
        found = self._said[id]
        if isinstance(found, NotExpressibleInCoqError):
            raise found
        return found

    def goals(self, id: str) -> list[CoqGoal]:
        """Return a Coq goal for each step of a claim."""
        claim = self._find(id)
        steps = steps_of_claim(claim, self._find)
        made: list[CoqGoal] = []
        for number, step in enumerate(steps):
            name = f"{coq_name(id)}__{re.sub(r'[^0-9A-Za-z]+', '_', step.label)}"
            while any(name == other.name for other in made):
                name += "'"
            goal = CoqGoal(name, id, step.label, kind_of_rule(step), step)
            try:
                self._fill_goal(goal, steps[:number])
                if len(goal.text) > _LONGEST:
                    raise NotExpressibleInCoqError("it is too long")
            except NotExpressibleInCoqError as lack:
                goal.text, goal.lack = "", str(lack)[:200]
            made.append(goal)
        return made

    def _fill_goal(self, goal: CoqGoal, before: list[Step]) -> None:
        step, printer = goal.step, goal.printer
        conclusion = printer.statement(step.statement)
        if printer.opaque_subexpressions and all(
            isinstance(r, Relational)
            and {r.lhs, r.rhs} <= set(printer.opaque_subexpressions.values())
            for r in conjuncts(step.statement)
        ):
            raise NotExpressibleInCoqError("both sides are beyond Coq's words")
        context, premises = step.context, []
        for h in dict.fromkeys((*context.hypotheses, *context.granted)):
            mark = dict(printer.free)
            try:
                premises.append(printer.statement(h))
            except NotExpressibleInCoqError:
                printer.free = mark
        claims = list(step.uses)
        if goal.kind == "lemma":
            self.statement_and_printer(claims[0])
        if goal.kind == "differentiation":
            claims = []
        goal.claims = [c for c in claims if self._is_expressible(c)]
        premises += [f"claim_{coq_name(c)}" for c in goal.claims]
        facts = self._premises_from_earlier_steps(goal, before, premises)
        goal.text = _goal_text(printer, [*premises, *facts], conclusion)
        goal.tries = lambda: candidate_tactics(goal, self._find, self.statement_and_printer)

    def _is_expressible(self, id: str) -> bool:
        try:
            self.statement_and_printer(id)
        except NotExpressibleInCoqError:
            return False
        return True

    def _premises_from_earlier_steps(
        self, goal: CoqGoal, before: list[Step], premises: list[str]
    ) -> list[str]:
        """Return earlier steps as Coq texts of premises of a goal; add them to the goal's facts."""
        step = goal.step
        stem = re.sub(r"(conclusion|shown|needed|statement)$", "", step.label)
        within = f"{stem.rstrip('.')}." if stem else ""
        if goal.kind in ("algebra", "sign", "differentiation", "injectivity"):
            return []
        known = set(goal.printer.free)
        own = {*step.context.hypotheses, *step.context.granted}
        texts = []
        for other in before:
            if not other.label.startswith(within) or len(before) > 60:
                continue
            mark = dict(goal.printer.free)
            given = [h for h in (*other.context.hypotheses, *other.context.granted) if h not in own]
            try:
                text = _quantified_statement(goal.printer, other.statement, given, known)
            except NotExpressibleInCoqError:
                goal.printer.free = mark
                continue
            if text not in texts and text not in premises:
                texts.append(text)
                goal.facts.append(other)
        return texts
