"""Theorems on orbits as rules: chosen by name, with each hypothesis proved."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Any

from sympy import Basic, Expr, sympify
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from slrsym.prover.rules import convergence_theorems, descent_theorems
from slrsym.prover.rules.axioms import AXIOMS, OWN_PROOF, Axiom
from slrsym.prover.rules.chain import Chain, structural_step
from slrsym.prover.rules.context import Context
from slrsym.prover.rules.descent_theorems import TheoremHypotheses, TheoremHypothesis
from slrsym.prover.rules.lemmas import InWords, Lemma, by_claim
from slrsym.prover.rules.step import Link, Proof, Rule, Step, join_labels
from slrsym.prover.statements.expressions import ProofError


@cache
def _schema(name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the text and proof of a theorem, by paragraphs, and the axioms it rests on.

    They are those of the proof checker's schema of this name.
    """
    from slrsym.checker.extensions.vectors import VECTOR_SCHEMAS
    from slrsym.checker.orbit_theorems import SCHEMAS

    *_, function, axioms = (SCHEMAS | VECTOR_SCHEMAS)[name]
    paragraphs = (inspect.getdoc(function) or "").split("\n\n")
    return tuple(" ".join(p.split()) for p in paragraphs), axioms


def paragraphs_of_theorem(name: str) -> tuple[str, ...]:
    """Return the text of a theorem, followed by its proof, by paragraphs."""
    return _schema(name)[0]


class _OwnTheorem(Axiom):
    """A theorem that this package states and proves itself, listed like those of the literature."""

    def __init__(self, name: str) -> None:
        object.__setattr__(self, "id", f"theorem {name}")

    @property
    def statement(self) -> str:
        return " ".join(paragraphs_of_theorem(self.id.removeprefix("theorem ")))

    @property
    def reference(self) -> str:
        _, axioms = _schema(self.id.removeprefix("theorem "))
        return f"{OWN_PROOF}, from {', '.join(axioms) or 'nothing else'}"


@dataclass(frozen=True)
class _TheoremRule:
    name: str
    needs: Callable[..., TheoremHypotheses]

    @property
    def because(self) -> str:
        """The proof of the theorem, in paragraphs."""
        return "\n\n".join(paragraphs_of_theorem(self.name)[1:])

    @property
    def values(self) -> tuple[str, ...]:
        return tuple(list(inspect.signature(self.needs).parameters)[1:])


_rules: dict[str, _TheoremRule] = {}
for _needs in (
    descent_theorems.conditional_risk_hypotheses,
    descent_theorems.decrease_hypotheses,
    descent_theorems.bounded_descent_hypotheses,
    descent_theorems.small_steps_hypotheses,
    descent_theorems.limits_solve_hypotheses,
    descent_theorems.connected_limits_hypotheses,
    descent_theorems.on_face_hypotheses,
    convergence_theorems.expansion_injective_hypotheses,
    convergence_theorems.expansion_invertible_hypotheses,
    convergence_theorems.local_inverse_hypotheses,
    convergence_theorems.center_stable_hypotheses,
    convergence_theorems.strict_maximum_hypotheses,
    convergence_theorems.null_union_hypotheses,
    convergence_theorems.all_but_few_hypotheses,
    convergence_theorems.from_overlaps_and_edges_hypotheses,
):
    _name = _needs.__name__.removesuffix("_hypotheses").replace("_", "-")
    _rules[_name] = _TheoremRule(_name, _needs)
    AXIOMS[f"theorem {_name}"] = _OwnTheorem(_name)
_RULES = MappingProxyType(_rules)
del _rules, _name, _needs


def names_of_theorems() -> tuple[str, ...]:
    """Return the names of the theorems that `by_theorem` knows."""
    return tuple(sorted(_RULES))


@dataclass(frozen=True)
class _ByTheorem(Proof):
    goal: Boolean
    rule: _TheoremRule
    values: Mapping[str, Any]
    premises: Mapping[str, Proof | Rule] = field(default_factory=dict)

    def needs(self) -> TheoremHypotheses:
        return self.rule.needs(self.goal, **self.values)

    def steps(self, context: Context, label: str = "") -> Iterable[Step]:
        needs = self.needs()
        unknown = [name for name in self.premises if name not in needs.hypotheses]
        if unknown:
            known = ", ".join(needs.hypotheses)
            raise ProofError(
                f"theorem {self.rule.name} has no hypothesis {unknown[0]!r}; it has {known}"
            )
        for name, hypothesis in needs.hypotheses.items():
            if name in self.premises:
                proof = proof_of_hypothesis(hypothesis, self.premises[name])
                yield from _shown(hypothesis, proof, context, join_labels(label, name))

        yield structural_step(
            join_labels(label, "theorem"),
            self.goal,
            f"theorem {self.rule.name}",
            context,
            because=self.rule.because,
            numeric=not isinstance(self.goal, InWords),
        )


def proof_of_hypothesis(hypothesis: TheoremHypothesis, by: Proof | Rule) -> Proof:
    statement = hypothesis.statement
    if isinstance(by, Proof):
        return by
    if isinstance(statement, Relational):
        link = Link.from_relation(statement)
        return Chain(link.lhs, ((link, by),))
    if isinstance(by, Lemma) and by.factor == 1 and not by.conditions:
        return by_claim(statement, by.id, dict(by.values))
    raise ProofError(f"{by} does not show a statement such as {statement}; give a proof of it")


def _shown(
    hypothesis: TheoremHypothesis, proof: Proof, context: Context, label: str
) -> Iterable[Step]:
    inner = context.assuming(*hypothesis.hypotheses)
    yield from proof.steps(inner, label)
    # What stands there as it is needs no step of its own.
    if proof.conclusion != hypothesis.statement:
        name = "a hypothesis of the theorem"
        yield structural_step(join_labels(label, "needed"), hypothesis.statement, name, inner)


def by_theorem(
    goal: Boolean, name: str, values: Mapping[str, Any] | None = None, /, **premises: Proof | Rule
) -> Proof:
    """Conclude a statement about orbits by a named theorem, whose hypotheses are proved.

    Parameters
    ----------
    goal : Boolean
        The statement.
    name : str
        One of `names_of_theorems`.
    values : mapping of str to expression, optional
        The expressions that the theorem speaks of besides those in the statement.
    **premises : Proof or Rule
        For each hypothesis of the theorem what shows it: a proof, or a rule that does so in one
        step, such as a `lemma`.

    Returns
    -------
    Proof
        Of the statement. Every hypothesis is one of its steps, and refused unless what is shown for
        it is the formula that the theorem makes from the map.

    Raises
    ------
    ProofError
        If the theorem is unknown, or a value is missing or one too many, or does not fit.
    """
    if name not in _RULES:
        raise ProofError(
            f"unknown theorem {name!r}; known are {', '.join(names_of_theorems())}"
        )  # fmt: skip
    rule = _RULES[name]
    given = {key: _sympified(value) for key, value in (values or {}).items()}
    if set(given) != set(rule.values):
        wanted = ", ".join(rule.values) or "nothing"
        raise ProofError(f"theorem {name} speaks of {wanted}; got {', '.join(given) or 'nothing'}")
    for what, premise in premises.items():
        if not isinstance(premise, Proof | Rule):
            raise ProofError(f"what shows {what!r} must be a proof or a rule; got {premise!r}")
    return _ByTheorem(goal, rule, given, premises)


def _sympified(value: Any) -> Any:
    if isinstance(value, Basic):
        return value
    if isinstance(value, list | tuple):
        return tuple(_sympified(part) for part in value)
    made: Expr = sympify(value)
    return made
