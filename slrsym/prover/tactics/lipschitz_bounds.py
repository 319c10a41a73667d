"""Evidence for Lipschitz bounds of unknown functions of vectors, and of their gradients.

A function, or the scalar product of its gradient with a vector, is followed on the line from x to
y. The mean value theorem compares its ends, by a bound of its derivative that has no root in it:
the vector is the difference that is to be bounded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from slrsym.checker import Inference
from slrsym.checker.extensions.matrix_language import shape
from slrsym.checker.extensions.matrix_means import polynomial_in_traces
from slrsym.checker.term import (
    Term,
    canonical_key,
    free_symbols,
    is_same_term,
    num,
    require,
    substitute,
)
from slrsym.prover.rules.matrix_functions import LipschitzBoundRule
from slrsym.prover.rules.step import Step
from slrsym.prover.tactics.arithmetic import prove_with_given_equations
from slrsym.prover.tactics.emission import ProofEmitter
from slrsym.prover.tactics.lines_between_vectors import Line, summands_of_matrix
from slrsym.prover.tactics.matrix_functions import function_nodes, prove_relation, settle
from slrsym.prover.tactics.matrix_means import search_ring, term_of_trace_polynomial
from slrsym.prover.tactics.registration import register_emitter_for_rules

_ZERO, _ONE, _HALF = num(0), num(1), num(1, 2)
# What stands for the numbers of a bound, while it is proved once for all of them.
_CHANGE, _SLOPE, _LENGTH, _WAY, _BOUND = (("s", name, "R") for name in "dmuvc")


def _minus(a: Term, b: Term) -> Term:
    return "+", a, ("*", num(-1), b)


def _square(t: Term) -> Term:
    return "^", 2, 1, t


def _half_sum(a: Term, b: Term) -> Term:
    return "*", _HALF, ("+", a, b)


def _dot(u: Term, w: Term) -> Term:
    return "M.tr", ("M.mul", ("M.T", u), w)


def _combination(u: Term, factor: Term, w: Term) -> Term:
    return "M.add", u, ("M.scale", factor, w)


class BoundsOnLine:
    """Bounds of the change of functions, and of their gradients, between the ends of a line."""

    def __init__(self, line: Line) -> None:
        self.line, self.emitter, self.given = line, line.emitter, line.given
        self.here = line.at(line.t)
        self.size = shape(line.v)[0]
        self.way = _dot(line.v, line.v)

    def facts(self) -> list[Inference]:
        """Return what the hypotheses for all vectors say of the ends."""
        found, bends = [], []
        for known in self.line.specialised_hypotheses():
            p = known.theorem.conclusion
            if p[0] in ("<=", "<") and any(n[0] == "M.grad" for n in function_nodes(p)):
                found.append(self.change_of_value(known))
            elif p[0] == "M.psd":
                bends += self._bound_of_hessian(known)
        for number, (above, upper, name) in enumerate(bends):
            if upper is None or name in [b[2] for b in bends[:number] if b[1] is not None]:
                continue
            below = [b for b in bends if b[1] is None and b[2] == name]
            require(
                below, f"the Hessian of {name} is bounded on one side alone; Smooth bounds both"
            )
            found.append(self.change_of_gradient(name, upper, above, below[0][0]))
        return found

    # -- values -----------------------------------------------------------------------------------

    def change_of_value(self, known: Inference) -> Inference:
        """Prove (h(y) - h(x))^2 <= c (y - x)'(y - x), from c as a bound of the squared gradient."""
        _, low, high = known.theorem.conclusion
        (name,) = {n[1] for n in function_nodes(known.theorem.conclusion)}
        slope: Term = ("M.grad", name, self.here)
        length = _dot(slope, slope)
        c = self._simplified(("+", high, _minus(length, low)))
        require(
            self.line.t not in free_symbols(c),
            f"the hypothesis does not bound the squared length of the gradient of {name}",
        )
        change = _minus(("M.h", name, self.line.y), ("M.h", name, self.line.x))
        m = _dot(slope, self.line.v)
        most = prove_relation(self.emitter, ("<=", length, c), self.given, [known])
        bound = self._instance(
            _prove_bound_of_change(self.emitter),
            {_CHANGE: change, _SLOPE: m, _LENGTH: length, _WAY: self.way, _BOUND: c},
            [self._cauchy_schwarz(slope, self.line.v), most, self._is_positive(self.line.v)],
        )
        f: Term = ("*", change, ("M.h", name, self.here))
        half = _half_sum(_square(change), ("*", c, self.way))
        wanted = ("<=", _square(change), ("*", c, self.way))
        return self._compare_ends(f, half, bound, wanted)

    def _cauchy_schwarz(self, a: Term, b: Term) -> Inference:
        unit: Term = ("M.id", self.size)
        line = self.emitter.script.add("cauchy-schwarz for matrices", (), a, unit, b)
        line = self.emitter.discharge_by(line, [self.emitter.script.add("semidefinite", (), unit)])
        line = settle(self.emitter, line, self.given)
        said = ("<=", _square(_dot(a, b)), ("*", _dot(a, a), _dot(b, b)))
        return prove_relation(self.emitter, said, (), [line])

    # -- gradients --------------------------------------------------------------------------------

    def _bound_of_hessian(self, known: Inference) -> list[tuple[Inference, Term | None, str]]:
        """Return a theorem with the c of which it says psd(c 1 - H), or None for psd(H + ...)."""
        bounds, hessians = [], []
        for factor, inner in summands_of_matrix(known.theorem.conclusion[1]):
            if inner[0] == "M.hess" and is_same_term(inner[2], self.here):
                hessians.append((self._simplified(factor), inner[1]))
            elif inner == ("M.id", self.size) and self.line.t not in free_symbols(factor):
                bounds.append(factor)
            else:
                return []
        if len(hessians) != 1 or hessians[0][0] not in (_ONE, num(-1)):
            return []
        (sign, name) = hessians[0]
        upper = self._simplified(("+", _ZERO, *bounds))
        return [(known, None if sign == _ONE else upper, name)]

    def change_of_gradient(
        self, name: str, c: Term, above: Inference, below: Inference
    ) -> Inference:
        """Prove that the squared length of the change of a gradient is at most c^2 (y - x)'(y - x).

        The theorems say psd(c 1 - H) and psd(H - m 1), with -c <= m, of the Hessian on the line.
        """
        grad = [("M.grad", name, end) for end in (self.line.x, self.line.y)]
        u = _combination(grad[1], num(-1), grad[0])
        hessian: Term = ("M.hess", name, self.here)
        m: Term = ("M.tr", ("M.mul", ("M.T", u), hessian, self.line.v))
        length = _dot(u, u)
        near = self._nearly_bounded(name, c, below)
        bounds = []
        for factor in (c, _ONE):
            # Of (u + s v)'(c - H)(u + s v) and (u - s v)'(c + H)(u - s v), both are not negative.
            parts = [
                self._form(psd, _combination(u, s, self.line.v))
                for psd, s in ((above, factor), (near, ("*", num(-1), factor)))
            ]
            total = _minus(
                ("*", c, ("*", num(2), ("+", length, ("*", _square(factor), self.way)))),
                ("*", num(4), ("*", factor, m)),
            )
            bounds.append(prove_relation(self.emitter, ("<=", _ZERO, total), self.given, parts))
        positive = prove_relation(self.emitter, ("<=", _ZERO, c), self.given)
        lines = [*bounds, positive, self._is_positive(u)]
        values = {_SLOPE: m, _LENGTH: length, _WAY: self.way, _BOUND: c}
        bound = self._instance(_prove_bound_of_bend(self.emitter), values, lines)
        most = ("*", _square(c), self.way)
        wanted = ("<=", length, most)
        f = _dot(u, ("M.grad", name, self.here))
        return self._compare_ends(f, _half_sum(length, most), bound, wanted)

    def _nearly_bounded(self, name: str, c: Term, below: Inference) -> Inference:
        """Prove psd(c 1 + H), or the same with other summands, from psd(H - m 1)."""
        matrix = below.theorem.conclusion[1]
        factors = [f for f, inner in summands_of_matrix(matrix) if inner[0] == "M.id"]
        missing = self._simplified(("+", c, *(("*", num(-1), f) for f in factors)))
        if missing == _ZERO:
            return below
        add, unit = self.emitter.script.add, ("M.id", self.size)
        multiple = self.emitter.discharge_by(
            add("semidefinite", (), ("M.scale", missing, unit)), [add("semidefinite", (), unit)]
        )
        line = add("semidefinite", (), ("M.add", matrix, ("M.scale", missing, unit)))
        known = self.emitter.discharge_by(line, [below, multiple])
        return settle(self.emitter, known, self.given)

    # -- both -------------------------------------------------------------------------------------

    def _simplified(self, t: Term) -> Term:
        ring = search_ring()
        return term_of_trace_polynomial(ring, polynomial_in_traces(ring, t))

    def _form(self, psd: Inference, w: Term) -> Inference:
        """Prove 0 <= w'P w from P semidefinite, as a trace."""
        outer: Term = ("M.mul", w, ("M.T", w))
        square = self.emitter.script.add("semidefinite", (), outer)
        square = settle(self.emitter, square, self.given)
        matrix = psd.theorem.conclusion[1]
        line = self.emitter.script.add("trace of semidefinite", (), matrix, outer)
        return self.emitter.discharge_by(line, [psd, square])

    def _is_positive(self, w: Term) -> Inference:
        unit = self.emitter.script.add("semidefinite", (), ("M.id", self.size))
        said = ("<=", _ZERO, _dot(w, w))
        return prove_relation(self.emitter, said, (), [self._form(unit, w)])

    def _instance(
        self, line: Inference, values: Mapping[Term, Term], proofs: Sequence[Inference]
    ) -> Inference:
        """Put values for the numbers of a bound, whose hypotheses other theorems conclude."""
        line = self.emitter.script.add("instance", [line], tuple(values.items()))
        return settle(self.emitter, self.emitter.discharge_by(line, proofs), self.given)

    def _compare_ends(self, f: Term, bound: Term, known: Inference, wanted: Term) -> Inference:
        """Conclude a relation of the ends from a bound of the derivative of f on the line."""
        emitter, t = self.emitter, self.line.t
        slope: Term = ("d", (1,), (t,), (f,), (t,))
        rising = prove_relation(emitter, ("<=", slope, bound), self.given, [known])
        apart = emitter.script.add("mean value", [rising], t, _ZERO, _ONE)
        apart = settle(emitter, apart, self.given)
        values = [substitute(f, {t: end}) for end in (_ZERO, _ONE)]
        return prove_relation(emitter, wanted, self.given, [apart, *self.line.ends.facts(*values)])


def _prove_bound_of_change(emitter: ProofEmitter) -> Inference:
    """Prove d m <= (d^2 + c v)/2 for m^2 <= u v, u <= c and 0 <= v."""
    given = [("<=", _square(_SLOPE), ("*", _LENGTH, _WAY)), ("<=", _LENGTH, _BOUND),
             ("<=", _ZERO, _WAY)]  # fmt: skip
    most = _half_sum(_square(_CHANGE), ("*", _BOUND, _WAY))
    return prove_with_given_equations(emitter, ("<=", ("*", _CHANGE, _SLOPE), most), given)


def _prove_bound_of_bend(emitter: ProofEmitter) -> Inference:
    """Prove m <= (u + c^2 v)/2 from 4 s m <= 2 c (u + s^2 v) for s = c and s = 1, if 0 <= c."""
    bounds = [
        ("<=", _ZERO, _minus(
            ("*", _BOUND, ("*", num(2), ("+", _LENGTH, ("*", _square(s), _WAY)))),
            ("*", num(4), ("*", s, _SLOPE))))
        for s in (_BOUND, _ONE)
    ]  # fmt: skip
    wanted = ("<=", _SLOPE, _half_sum(_LENGTH, ("*", _square(_BOUND), _WAY)))
    order = emitter.script.add("order", (), _ZERO, _BOUND)
    defined = [prove_with_given_equations(emitter, ("=", x, x), ()) for x in (_ZERO, _BOUND)]
    cases: list[Term] = [("<", _ZERO, _BOUND), ("=", _ZERO, _BOUND)]
    of_cases = [[bounds[0]], [bounds[1], ("<=", _ZERO, _LENGTH)]]
    lines = [prove_with_given_equations(emitter, wanted, [*known, case])
             for known, case in zip(of_cases, cases, strict=True)]  # fmt: skip
    positive = emitter.script.add("assume", (), ("<=", _ZERO, _BOUND))
    return emitter.infer_from_cases(
        [*lines, order, *defined, positive], wanted, set(map(canonical_key, cases))
    )


@register_emitter_for_rules(LipschitzBoundRule)
def _emit_lipschitz_bound(
    emitter: ProofEmitter, step: Step, premises: Sequence[Inference]
) -> Inference:
    """Bound the change of a function or of its gradient between vectors."""
    rule: Any = step.rule
    p, given = emitter.formula(step.statement), emitter.hypotheses(step.context)
    found: list[Inference] = []
    for pair in rule.lines:
        found += BoundsOnLine(Line(emitter, given, *map(emitter.term, pair.args))).facts()
    require(
        found,
        "no hypothesis bounds a gradient or a Hessian at all vectors, such as Lipschitz or Smooth",
    )
    return prove_relation(emitter, p, given, found)
