"""A Coq development of claims: statements, proofs of steps, and proofs assembled from them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sympy as sp

from slrsym.coq.goal_parser import (
    CoqGoalMismatchError,
    require_coq_text_states_claim,
    require_goal_states_step,
)
from slrsym.coq.goals import CoqGoal, CoqGoalBuilder, coq_name
from slrsym.coq.printing import CoqPrinter, NotExpressibleInCoqError
from slrsym.prover.claims.claim import Claim
from slrsym.prover.statements.expressions import conjuncts

# Functions, their slopes and bounds, and tactics: what the goals rest on.
LIBRARY = Path(__file__).with_name("Slrsym.v")
STATEMENTS, CLAIMS, NUMBERS = "Statements.v", "Claims.v", "Numbers.v"


@dataclass
class CoqDevelopment:
    """Coq goals of claims, and the Coq files that prove those with known tactics."""

    find: Callable[[str], Claim]
    goals: dict[str, list[CoqGoal]] = field(default_factory=dict)  # of a claim, one for each step
    statements: dict[str, str] = field(default_factory=dict)  # what claims say, if it can be said
    refused: dict[str, str] = field(default_factory=dict)  # goals that say something else, and why
    tactics: dict[str, str] = field(default_factory=dict)  # what proves a goal, by its name
    whole: dict[str, list[str]] = field(default_factory=dict)  # claims, each with what it supposes

    @classmethod
    def from_claims(
        cls, ids: Iterable[str], find: Callable[[str], Claim], read: bool = True
    ) -> CoqDevelopment:
        """Build the Coq development with the goals of claims, without goals that misstate steps."""
        made, exporter = cls(find), CoqGoalBuilder(find)
        for id in ids:
            made.goals[id] = exporter.goals(id)
        asked = dict.fromkeys([*made.goals, *(c for g in made.all_goals for c in g.claims)])
        for id in asked:
            try:
                text, printer = exporter.statement_and_printer(id)
                if read:
                    require_coq_text_states_claim(text, find(id), printer.names)
            except (NotExpressibleInCoqError, CoqGoalMismatchError):
                continue
            made.statements[id] = text
        for goal in made.all_goals:
            if not read or not goal.text:
                continue
            try:
                require_goal_states_step(goal)
            except CoqGoalMismatchError as reason:
                made.refused[goal.name] = str(reason)
                goal.text = ""
        return made

    @property
    def all_goals(self) -> list[CoqGoal]:
        """The Coq goals of the steps of all claims in this development, in order."""
        return [goal for goals in self.goals.values() for goal in goals]

    def store_known_proofs(
        self, known: Mapping[str, Mapping[str, str]], whole: Mapping[str, list[str]]
    ) -> None:
        """Store known tactics as proofs of goals, and known whole claims that are complete."""
        for id, goals in self.goals.items():
            for goal in goals:
                if goal.text and goal.label in known.get(id, {}):
                    self.tactics[goal.name] = known[id][goal.label]
        self.whole = {id: list(rests) for id, rests in whole.items() if self.is_complete(id)}

    def is_complete(self, id: str) -> bool:
        """Return whether all steps of a claim have proofs, and Coq can express its statement."""
        goals = self.goals.get(id, [])
        return bool(goals) and id in self.statements and all(g.name in self.tactics for g in goals)

    def step_count_rows(self) -> list[tuple[Any, ...]]:
        """Return table rows: kind of step; number of all, expressible and confirmed steps."""
        goals = self.all_goals
        kinds = Counter(goal.kind for goal in goals)
        said = Counter(goal.kind for goal in goals if goal.text)
        good = Counter(goal.kind for goal in goals if goal.name in self.tactics)
        rows = [(kind, n, said[kind], good[kind]) for kind, n in kinds.most_common() if said[kind]]
        rows.append(("others", sum(n for kind, n in kinds.items() if not said[kind]), 0, 0))
        return [*rows, ("all", kinds.total(), said.total(), good.total())]

    def statement_definitions(self, ids: Iterable[str]) -> str:
        """Return Coq definitions of the statements of given claims, one for each claim."""
        return "\n".join(
            f"{_title_comment(self.find(id))}Definition claim_{coq_name(id)} : Prop :=\n  {said}.\n"
            for id, said in self.statements.items()
            if id in ids
        )

    def write_confirmed_steps(self, path: Path) -> None:
        """Write the list of confirmed steps and claims to a JSON file."""
        steps = {
            id: {g.label: self.tactics[g.name] for g in goals if g.name in self.tactics}
            for id, goals in self.goals.items()
        }
        content = {"steps": {id: s for id, s in steps.items() if s}, "claims": self.whole}
        path.write_text(json.dumps(content, indent=1, sort_keys=True) + "\n", encoding="utf-8")

    # -- files ------------------------------------------------------------------------------------

    def file_texts(self, step_file_count: int = 2) -> dict[str, str]:
        """Return the texts of the development's Coq files by name, in the order of compilation."""
        texts = {id: self._step_lemmas(id) for id in self.goals}
        size, chunks = sum(map(len, texts.values())) / step_file_count, [""]
        for text in texts.values():
            if len(chunks[-1]) > size and len(chunks) < step_file_count:
                chunks.append("")
            chunks[-1] += text
        opening = "Require Import Slrsym.\nOpen Scope R_scope.\n\n"
        steps = {f"Steps{n}.v": f"{opening.replace('Slrsym', 'Slrsym Statements')}{chunk}"
                 for n, chunk in enumerate(chunks, start=1)}  # fmt: skip
        names = " ".join(["Slrsym", "Statements", *(name[:-2] for name in steps)])
        claims = "".join(self._claim_theorem(id) for id in self.complete_claim_ids_in_order())
        return {
            LIBRARY.name: LIBRARY.read_text(encoding="utf-8"),
            STATEMENTS: opening + self.statement_definitions(self.statements),
            **steps,
            CLAIMS: f"{opening.replace('Slrsym', names)}{claims}",
            NUMBERS: self._numerical_lemmas(),
        }

    def _numerical_lemmas(self) -> str:
        """Return Coq lemmas, proved by coq-interval, for claims certified at one point."""
        text = "(* Needs coq-interval (Debian: libcoq-interval). *)\nRequire Import Slrsym.\n"
        text += "From Interval Require Import Tactic.\nOpen Scope R_scope.\n\n"
        for id in self.goals:
            ranges = getattr(self.find(id).certificate(), "ranges", None) or {}
            if not ranges or any(isinstance(value, tuple) for value in ranges.values()):
                continue
            if any(not isinstance(f, sp.exp) for f in self.find(id).statement.atoms(sp.Function)):
                continue  # which the tactic does not know
            at = {x: sp.Rational(str(value)) for x, value in ranges.items()}
            text += _title_comment(self.find(id))
            for k, part in enumerate(conjuncts(self.find(id).statement), start=1):
                said = part.func(*(a.subs(at) for a in part.args), evaluate=False)
                text += f"Lemma {coq_name(id)}__{k} : {CoqPrinter().statement(said)}.\n"
                text += "Proof. interval. Qed.\n"
        return text

    def _step_lemmas(self, id: str) -> str:
        text = _title_comment(self.find(id))
        for goal in self.goals[id]:
            about = f"{goal.label}: {goal.step.rule.name}"
            if goal.name in self.tactics:
                text += f"(* {_text_for_comment(about)} *)\nLemma {goal.name} : {goal.text}.\n"
                text += f"Proof. intros; {self.tactics[goal.name]}. Qed.\n"
            else:
                why = f"it cannot be said: {goal.lack}" if goal.lack else "no tactic proves it"
                text += (
                    f"(* {_text_for_comment(about)}: not confirmed, {_text_for_comment(why)} *)\n"
                )
        return text + "\n"

    def complete_claim_ids_in_order(self) -> list[str]:
        """Return the ids of claims with complete Coq proofs, each after those that it uses."""
        order: dict[str, None] = {}

        def visit(id: str) -> None:
            if id in order or id not in self.whole:
                return
            for goal in self.goals[id]:
                for used in goal.claims:
                    if used != id:
                        visit(used)
            order[id] = None

        for id in self.whole:
            visit(id)
        return list(order)

    def _claim_theorem(self, id: str) -> str:
        rests, name = self.whole[id], coq_name(id)
        arrows = "".join(f"claim_{coq_name(other)} -> " for other in rests)
        return (
            f"{_title_comment(self.find(id))}Theorem {name}_holds : {arrows}claim_{name}.\n"
            f"Proof. intros; unfold claim_{name}; intros; {self._assembled_proof(id)}. Qed.\n\n"
        )

    def _assembled_proof(self, id: str) -> str:
        """Return the Coq proof script that derives a claim from the lemmas of its steps."""
        names = {goal.label: goal for goal in self.goals[id]}
        used = dict.fromkeys(c for g in self.goals[id] for c in g.claims)
        holds = " | ".join(
            f"(apply {coq_name(c)}_holds; assumption)" for c in used if c in self.whole
        )
        base = f"first [eassumption | lra{f' | {holds}' if holds else ''}"

        def proved(goal: CoqGoal) -> str:
            facts = " | ".join(
                f"solve [intros; {proved(names[other.label])}]"
                for other in goal.facts if other.label in names
            )  # fmt: skip
            return f"eapply {goal.name}; {base}{f' | {facts}' if facts else ''}]"

        return proved(self.goals[id][-1])

    def supposed_claim_ids(self, id: str) -> list[str]:
        """Return the ids of the unconfirmed claims on which a claim with complete proof rests."""
        used = dict.fromkeys(c for goal in self.goals[id] for c in goal.claims if c != id)
        rests: dict[str, None] = {}
        for other in used:
            if other in self.whole:
                rests |= dict.fromkeys(self.whole[other])
            else:
                rests[other] = None
        return list(rests)


def _text_for_comment(text: str) -> str:
    """Return a text without the characters that would end a Coq comment."""
    return " ".join(text.replace("*", "x").replace('"', "'").split())


def _title_comment(claim: Claim) -> str:
    title = f": {claim.title}" if claim.title else ""
    return f"(* {_text_for_comment(f'{claim.id}, {claim.source}{title}')} *)\n"
