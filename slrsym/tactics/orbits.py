"""Evidence for theorems on orbits: the schema, and its hypotheses from the proof."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from slrsym.checker import Inference, Rejected
from slrsym.checker.term import (
    Term,
    bound,
    free,
    fresh,
    inside,
    key,
    num,
    same,
    substitute,
)
from slrsym.proofs.context import Context
from slrsym.proofs.step import Step, labelled
from slrsym.proofs.theorems import proof_of_hypothesis
from slrsym.statements.expressions import spoken
from slrsym.statements.maps import point_set
from slrsym.tactics.arithmetic import in_context
from slrsym.tactics.emission import FAILURES, Emission, kind_of_proof
from slrsym.tactics.paths import likeness
from slrsym.tactics.values import at_random, close

# What the schemas of the kernel speak of, from what the theorems of the search do.
_VALUES: dict[str, Callable[..., list[Any]]] = {
    "on-face": lambda em, v: [
        em.term(v["whole"]), num(v["whole"].coordinates.index(v["fixed"])),
        em.term(v["value"]), em.term(v["of"]),
    ],
    "center-stable": lambda em, v: [
        ("tuple", *(em.term(c) for row in v["matrix"] for c in row)), em.term(v["eigenvalue"]),
    ],
    "expansion-injective": lambda em, v: [em.term(v["factor"])],
    "expansion-invertible": lambda em, v: [em.term(v["factor"])],
    "null-union": lambda em, v: [("tuple", *(em.term(point_set(p)) for p in v["parts"]))],
    "all-but-few": lambda em, v: [em.term(point_set(v["others"]))],
    "from-overlaps-and-edges": lambda em, v: [
        em.term(v["planar"]), em.term(v["slopes"]),
        *(em.term(v["planar"].face(x, end)) for x in v["planar"].coordinates for end in (1, -1)),
    ],
    "from-overlaps": lambda em, v: [em.term(v["planar"]), em.term(v["slopes"])],
    # The law of the noise is part of the sentence.
    "conditional-risk": lambda em, v: [],
}  # fmt: skip


@kind_of_proof("_ByTheorem")
def _by_theorem(em: Emission, proof: Any, context: Context, label: str) -> Inference:
    needs, steps = proof.needs(), {s.label: s for s in proof.steps(context, label)}
    lines = []
    missing = [name for name in needs.hypotheses if name not in proof.premises]
    for name, hypothesis in needs.hypotheses.items():
        if name in missing:
            continue
        inner, here = context.assuming(*hypothesis.given), labelled(label, name)
        line = em.prove(proof_of_hypothesis(hypothesis, proof.premises[name]), inner, here)
        step = steps.get(labelled(here, "needed"))
        if step is not None:
            wanted = em.formula(hypothesis.statement)
            line = em.step(step, partial(em.conclude, line, wanted, inner), "needed")
        lines.append((line, replace(inner, covariances=())))
    last = steps[labelled(label, "theorem")]

    def concluded() -> Inference:
        if missing:
            wanted = needs.hypotheses[missing[0]].statement
            raise Rejected(f"it needs the hypothesis {missing[0]!r}: {spoken(wanted)}")
        return _by_schema(em, proof, last, needs, lines)

    return em.step(last, concluded)


def _by_schema(
    em: Emission, proof: Any, step: Step, needs: Any, lines: list[tuple[Inference, Context]]
) -> Inference:
    name = proof.rule.name
    read = _VALUES.get(name)
    values = tuple(read(em, proof.values) if read else map(em.term, proof.values.values()))
    line = em.script.add("theorem", (), name, em.formula(proof.goal), values)
    places = [em.term(x) for x in needs.bound]
    # Laws that the claim speaks of may have coordinates in them, over all of which this has to run.
    context = replace(step.context, covariances=())
    lines = [(em.of_some_law(known, inner), inner) for known, inner in lines]
    proofs = [_shown(em, h, places, context, lines) for h in line.theorem.hypotheses.values()]
    left = {k: h for p in proofs for k, h in p.theorem.hypotheses.items()}
    return em.logic([line, *proofs], left.values(), line.theorem.conclusion)


def _shown(
    em: Emission, h: Term, places: Sequence[Term], context: Context,
    lines: list[tuple[Inference, Context]],
) -> Inference:  # fmt: skip
    """Prove a schema's hypothesis for all points of a box, at the coordinates in its place."""
    body, names = h, list[Term]()
    while body[0] == "forall":
        (x,) = bound(body)
        own = places[len(names)] if len(names) < len(places) else x
        if own in free(body):
            own = fresh(own, [*free(body), *places, *names])
        names.append(own)
        body = substitute(inside(body)[0], {x: own})
    given: tuple[Term, ...] = ()
    if names and body[0] == "implies":
        given = body[1][1:] if body[1][0] == "and" else body[1:2]
    line = _from(em, body[2] if given else body, given, context, lines)
    if given:
        supposed = {key(p) for p in given}
        left = {k: p for k, p in line.theorem.hypotheses.items() if k not in supposed}
        line = em.logic([line], left.values(), body)
    for x in reversed(names):
        line = em.script.add("generalise", [line], x)
    if not same(line.theorem.conclusion, h):
        raise Rejected("the hypothesis speaks of other points")
    return line


def _from(
    em: Emission, p: Term, given: Sequence[Term], context: Context,
    lines: list[tuple[Inference, Context]],
) -> Inference:  # fmt: skip
    for line, _ in lines:
        if same(line.theorem.conclusion, p):
            return line
    if p[:2] == ("o", "smooth"):
        line = em.script.add("smooth", (), p[2], p[3])
        asked = [in_context(em, q, context, (), given) for q in line.theorem.hypotheses.values()]
        left = {k: h for a in asked for k, h in a.theorem.hypotheses.items()}
        return em.logic([line, *asked], left.values(), p)
    if p[0] == "=" and close(at_random(p[1]), at_random(p[2])):
        # Of the same form on both sides, most often; the lines may be long.
        with suppress(*FAILURES), em.frugally():
            return em.attempt(lambda: in_context(em, p, context, (), given))
    relations = [(line, inner) for line, inner in lines if line.theorem.conclusion[0] != "o"]
    relations.sort(key=lambda pair: -likeness(p, pair[0].theorem.conclusion))
    allowed = {key(h) for h in (*given, *em.hypotheses(context))}

    def concluded(line: Inference, inner: Context) -> Inference:
        found = em.conclude(line, p, inner)
        if not set(found.theorem.hypotheses) <= allowed:
            raise Rejected("it holds in the box alone")
        return found

    for line, inner in relations if p[0] != "o" else ():
        with suppress(*FAILURES):
            found = em.attempt(partial(concluded, line, inner))
            # The others are wanted in the order in which they stand.
            lines.append(lines.pop(next(i for i, (n, _) in enumerate(lines) if n is line)))
            return found
    return in_context(em, p, context, (), given)
