"""Theorems on orbits as rules: chosen by name, with each hypothesis proved."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from sympy import Basic, Expr, Integer, Tuple, sympify
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from slrsym.checker.extensions.dynamics import FLOW_SCHEMAS
from slrsym.checker.extensions.vectors import VECTOR_SCHEMAS
from slrsym.checker.orbit_theorems import SCHEMAS
from slrsym.prover.rules import convergence_theorems, descent_theorems, flow_theorems
from slrsym.prover.rules.axioms import AXIOMS, OWN_PROOF, Axiom
from slrsym.prover.rules.chain import Chain, structural_step
from slrsym.prover.rules.context import Context
from slrsym.prover.rules.descent_theorems import TheoremHypotheses, TheoremHypothesis
from slrsym.prover.rules.lemmas import Lemma, by_claim
from slrsym.prover.rules.step import Link, Proof, Rule, Step, join_labels
from slrsym.prover.statements.expressions import ProofError
from slrsym.prover.statements.maps import point_set
from slrsym.prover.statements.words import InWords
from slrsym.registry import load_all_registered


def _schema(name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the text and proof of a theorem, by paragraphs, and the axioms it rests on.

    They are those of the proof checker's schema of this name.
    """
    *_, function, axioms = _SCHEMAS[name]
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


_SCHEMAS: Mapping[str, tuple[Any, ...]] = {**SCHEMAS, **VECTOR_SCHEMAS, **FLOW_SCHEMAS}
AXIOMS.update({f"theorem {name}": _OwnTheorem(name) for name in _SCHEMAS})


@dataclass(frozen=True)
class OrbitTheorem:
    """A theorem on orbits as a rule: what it asks for, made of the goal and of named values.

    Parameters
    ----------
    name : str
        That of the proof checker's schema.
    needs : callable
        Returns the hypotheses for a goal, which is its first argument; the others are the values
        that the theorem speaks of besides.
    arguments : callable, optional
        Returns what the checker's schema is given, from the values by their names; by default,
        these in their order.
    """

    name: str
    needs: Callable[..., TheoremHypotheses]
    arguments: Callable[[Mapping[str, Any]], Sequence[Any]] = lambda values: tuple(values.values())

    @property
    def because(self) -> str:
        """The proof of the theorem, in paragraphs."""
        return "\n\n".join(paragraphs_of_theorem(self.name)[1:])

    @property
    def values(self) -> tuple[str, ...]:
        """The names of the values that it speaks of."""
        return tuple(list(inspect.signature(self.needs).parameters)[1:])


def _factor(values: Mapping[str, Any]) -> Sequence[Any]:
    # That points stay apart is said of the second point by its hypothesis.
    return (values["factor"],)


def _matrix_and_eigenvalue(values: Mapping[str, Any]) -> Sequence[Any]:
    return Tuple(*chain.from_iterable(values["matrix"])), values["eigenvalue"]


def _whole_map_and_face(values: Mapping[str, Any]) -> Sequence[Any]:
    whole, value = values["whole"], values["value"]
    return whole, Integer(whole.coordinates.index(values["fixed"])), value, values["of"]


_OWN = (
    OrbitTheorem("decrease", descent_theorems.decrease_hypotheses),
    OrbitTheorem("bounded-descent", descent_theorems.bounded_descent_hypotheses),
    OrbitTheorem("small-steps", descent_theorems.small_steps_hypotheses),
    OrbitTheorem("limits-solve", descent_theorems.limits_solve_hypotheses),
    OrbitTheorem("connected-limits", descent_theorems.connected_limits_hypotheses),
    OrbitTheorem("on-face", descent_theorems.on_face_hypotheses, _whole_map_and_face),
    OrbitTheorem(
        "expansion-injective", convergence_theorems.expansion_injective_hypotheses, _factor
    ),
    OrbitTheorem(
        "expansion-invertible", convergence_theorems.expansion_invertible_hypotheses, _factor
    ),
    OrbitTheorem("local-inverse", convergence_theorems.local_inverse_hypotheses),
    OrbitTheorem(
        "center-stable", convergence_theorems.center_stable_hypotheses, _matrix_and_eigenvalue
    ),
    OrbitTheorem("strict-maximum", convergence_theorems.strict_maximum_hypotheses),
    OrbitTheorem(
        "null-union",
        convergence_theorems.null_union_hypotheses,
        lambda values: (Tuple(*map(point_set, values["parts"])),),
    ),
    OrbitTheorem(
        "all-but-few",
        convergence_theorems.all_but_few_hypotheses,
        lambda values: (point_set(values["others"]),),
    ),
    OrbitTheorem("flow-barrier", flow_theorems.flow_barrier_hypotheses),
    OrbitTheorem("flow-cofactor", flow_theorems.flow_cofactor_hypotheses),
    OrbitTheorem("flow-gronwall", flow_theorems.flow_gronwall_hypotheses),
    OrbitTheorem(
        "flow-for-ever",
        flow_theorems.flow_for_ever_hypotheses,
        lambda values: tuple(values[name] for name in ("function", "rate", "bound", "least")),
    ),
    OrbitTheorem("flow-ends", flow_theorems.flow_ends_hypotheses),
    OrbitTheorem("flow-lasalle", flow_theorems.flow_lasalle_hypotheses),
    OrbitTheorem(
        "flow-limit",
        flow_theorems.flow_limit_hypotheses,
        lambda values: (values["equations"], Tuple(*(Tuple(*q) for q in values["outside"]))),
    ),
    OrbitTheorem(
        "flow-center-stable", flow_theorems.flow_center_stable_hypotheses, _matrix_and_eigenvalue
    ),
    # The time is a name for the proof alone.
    OrbitTheorem("flow-solution", flow_theorems.flow_solution_hypotheses, lambda values: ()),
    OrbitTheorem("flow-time", flow_theorems.flow_time_hypotheses),
)


def _theorems() -> dict[str, OrbitTheorem]:
    """Return the theorems by name: those on maps of boxes, and those that papers register."""
    of_papers = chain.from_iterable(load_all_registered("theorems").values())
    return {theorem.name: theorem for theorem in (*of_papers, *_OWN)}


def names_of_theorems() -> tuple[str, ...]:
    """Return the names of the theorems that `by_theorem` knows."""
    return tuple(sorted(_theorems()))


@dataclass(frozen=True)
class ByTheoremProof(Proof):
    goal: Boolean
    rule: OrbitTheorem
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
    rule = _theorems().get(name)
    if rule is None:
        raise ProofError(f"unknown theorem {name!r}; known are {', '.join(names_of_theorems())}")
    given = {key: _sympified(value) for key, value in (values or {}).items()}
    if set(given) != set(rule.values):
        wanted = ", ".join(rule.values) or "nothing"
        raise ProofError(f"theorem {name} speaks of {wanted}; got {', '.join(given) or 'nothing'}")
    for what, premise in premises.items():
        if not isinstance(premise, Proof | Rule):
            raise ProofError(f"what shows {what!r} must be a proof or a rule; got {premise!r}")
    return ByTheoremProof(goal, rule, {key: given[key] for key in rule.values}, premises)


def _sympified(value: Any) -> Any:
    if isinstance(value, Basic):
        return value
    if isinstance(value, list | tuple):
        return tuple(_sympified(part) for part in value)
    made: Expr = sympify(value)
    return made
