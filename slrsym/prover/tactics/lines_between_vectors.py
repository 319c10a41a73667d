"""Evidence for steps on unknown functions along the line from one vector to another."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from slrsym.checker import Inference
from slrsym.checker.differentiation import evaluate_derivative
from slrsym.checker.expectations import product_of_factors, sum_of_terms
from slrsym.checker.extensions.matrix_language import shape
from slrsym.checker.term import (
    Term,
    bound_variables,
    free_symbols,
    is_same_term,
    num,
    require,
    substitute,
)
from slrsym.prover.rules.matrix_functions import TangentPlaneRule
from slrsym.prover.rules.step import Step
from slrsym.prover.tactics.emission import ProofEmitter
from slrsym.prover.tactics.matrices import prove_by_traces
from slrsym.prover.tactics.matrix_functions import (
    EqualVectors,
    parts_of_conjunction,
    prove_relation,
    settle,
)
from slrsym.prover.tactics.registration import register_emitter_for_rules

_ZERO, _ONE = num(0), num(1)


class Line:
    """The line from a vector x to a vector y, at x + t (y - x) for a number t."""

    def __init__(self, emitter: ProofEmitter, given: Sequence[Term], x: Term, y: Term) -> None:
        self.emitter, self.given, self.x, self.y = emitter, given, x, y
        taken = free_symbols(x) | free_symbols(y)
        taken = taken.union(*map(free_symbols, given))
        name = "t"
        while any(s[1] == name for s in taken):
            name += "'"
        self.t: Term = ("s", name, "R")
        self.v: Term = ("M.add", y, ("M.scale", num(-1), x))
        self.ends = EqualVectors(emitter, given)
        self.ends.equate(self.at(_ZERO), x)
        self.ends.equate(self.at(_ONE), y)

    def at(self, t: Term) -> Term:
        return "M.add", self.x, ("M.scale", t, self.v)

    def specialised(self, everywhere: Term) -> list[Inference]:
        """Return what a hypothesis on all vectors says of a point of the line, part by part."""
        assumed = self.emitter.script.add("assume", (), everywhere)
        line = self.emitter.script.add("specialise letters", [assumed], (self.at(self.t),))
        return parts_of_conjunction(self.emitter, settle(self.emitter, line, self.given))

    def specialised_hypotheses(self) -> list[Inference]:
        """Return what all hypotheses on all vectors of this size say of a point of the line."""
        found = []
        for h in self.given:
            if h[0] == "M.forall" and [shape(z) for z in bound_variables(h)] == [shape(self.v)]:
                found += self.specialised(h)
        return found

    def facts(self) -> list[Inference]:
        """Return how functions at y compare with tangent planes at x, by bounds of Hessians."""
        found: list[Inference] = []
        for line in self.specialised_hypotheses():
            if line.theorem.conclusion[0] == "M.psd":
                found += self._beside_tangent(line)
        return found

    def _beside_tangent(self, known: Inference) -> list[Inference]:
        """Return f(0) + f'(0) <= f(1) for the f with f'' = v'P v, from P semidefinite."""
        emitter, script, t = self.emitter, self.emitter.script, self.t
        matrix = known.theorem.conclusion[1]
        outer: Term = ("M.mul", self.v, ("M.T", self.v))
        square = settle(emitter, script.add("semidefinite", (), outer), self.given)
        fact = script.add("trace of semidefinite", (), matrix, outer)
        fact = emitter.discharge_by(fact, [known, square])
        f = self.integrated(matrix)
        bend = ("d", (2,), (t,), (f,), (t,))
        convex = prove_relation(emitter, ("<=", _ZERO, bend), self.given, [fact])
        above = settle(emitter, script.add("tangent", [convex], _ZERO, _ONE), self.given)
        slope = ("d", (1,), (t,), (f,), (_ZERO,))
        values = [substitute(f, {t: end}) for end in (_ZERO, _ONE)]
        return [above, *self.ends.facts(*values, evaluate_derivative(slope, {}, []))]

    def integrated(self, matrix: Term) -> Term:
        """Return the f of t with f'' = v'P v, for a sum P of constants and of Hessians."""
        terms = []
        for part in summands_of_matrix(matrix):
            factor, inner = part
            if inner[0] == "M.hess" and is_same_term(inner[2], self.at(self.t)):
                terms.append(product_of_factors(factor, ("M.h", *inner[1:])))
                continue
            free = free_symbols(inner) | free_symbols(factor)
            require(self.t not in free, "the bound of the Hessian depends on the vector")
            form = ("M.tr", ("M.mul", ("M.T", self.v), inner, self.v))
            terms.append(product_of_factors(num(1, 2), factor, ("^", 2, 1, self.t), form))
        return sum_of_terms(terms)


def summands_of_matrix(matrix: Term) -> list[tuple[Term, Term]]:
    """Return the summands of a matrix, each as a factor and a matrix."""
    if matrix[0] == "M.add":
        return [pair for part in matrix[1:] for pair in summands_of_matrix(part)]
    if matrix[0] == "M.scale":
        inner = summands_of_matrix(matrix[2])
        return [(product_of_factors(matrix[1], c), m) for c, m in inner]
    return [(_ONE, matrix)]


@register_emitter_for_rules(TangentPlaneRule)
def _emit_tangent_plane(
    emitter: ProofEmitter, step: Step, premises: Sequence[Inference]
) -> Inference:
    """Compare a function at a vector with its tangent plane at another one."""
    rule: Any = step.rule
    p, given = emitter.formula(step.statement), emitter.hypotheses(step.context)
    found: list[Inference] = []
    for pair in rule.lines:
        found += Line(emitter, given, *map(emitter.term, pair.args)).facts()
    require(found, "no hypothesis bounds a Hessian at all vectors, such as Convex or Smooth")
    ways = (
        partial(prove_relation, emitter, p, given, found),
        # Squared lengths in it are not negative.
        partial(prove_by_traces, emitter, p, given, step.context, found),
    )
    return emitter.try_in_turn(ways, "it does not follow from the tangent planes")
