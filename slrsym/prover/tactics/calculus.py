"""Evidence for derivatives, the fundamental theorem of calculus, and termwise bounds of sums."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from sympy import Eq, S, expand

from slrsym.checker import Inference, Rejected
from slrsym.checker.expectations import linear_combination_term
from slrsym.checker.term import (
    Term,
    binder_bodies,
    bound_variables,
    canonical_key,
    definedness_equation,
    free_symbols,
    fresh_symbol,
    is_same_term,
    num,
    parts_outside_binder,
    substitute,
)
from slrsym.prover.rules.calculus import (
    FundamentalTheoremRule,
    IntegralAlgebraRule,
    SingleOutRule,
    TermwiseRule,
)
from slrsym.prover.rules.chain import D
from slrsym.prover.rules.context import Context
from slrsym.prover.rules.inequalities import LipschitzRule, MonotoneRule, TaylorRule
from slrsym.prover.rules.step import Step, join_labels
from slrsym.prover.rules.structure import EqualByDerivativeProof
from slrsym.prover.statements.expressions import substitute_simultaneously
from slrsym.prover.tactics.arithmetic import prove_by_arithmetic, prove_in_context
from slrsym.prover.tactics.emission import FAILURES, ProofEmitter
from slrsym.prover.tactics.registration import (
    register_emitter_for_proofs,
    register_emitter_for_rules,
)
from slrsym.prover.tactics.subterm_paths import paths_to_subterm, subterms

ZERO = num(0)


class MeanValueTheoremProver:
    """Applications of the mean value theorem in one variable, under the hypotheses of a step."""

    def __init__(self, emitter: ProofEmitter, context: Context, x: Term) -> None:
        self.emitter, self.context, self.x = emitter, context, x
        self.given = [h for h in emitter.hypotheses(context) if x not in free_symbols(h)]

    def discharge_all_but_interval(self, line: Inference, low: Term, high: Term) -> Inference:
        """Discharge all hypotheses on x except that it lies between `low` and `high`."""
        here = (("<=", low, self.x), ("<=", self.x, high))
        given = [*self.given, ("<=", low, high), *here]
        proofs = [
            prove_by_arithmetic(self.emitter, h, given)
            for name, h in line.theorem.hypotheses.items()
            if self.x in free_symbols(h) and name not in map(canonical_key, here)
        ]
        return self.emitter.discharge_by(line, proofs)

    def compare_ends(self, line: Inference, low: Term, high: Term) -> Inference:
        """Compare values at `low` and `high`, given a comparison of derivatives between them."""
        return self.emitter.script.add(
            "mean value", [self.discharge_all_but_interval(line, low, high)], self.x, low, high
        )

    def prove_for_both_orders(self, a: Term, b: Term, show: Any) -> Inference:
        """Prove a statement by `show(a, b)` if `a <= b` and by `show(b, a)` if `b <= a`."""
        try:
            return self.emitter.run_and_undo_on_failure(self._prove_for_each_order, a, b, show)
        except FAILURES as reason:
            for ends in ((a, b), (b, a)):
                with suppress(*FAILURES):
                    return self.emitter.run_and_undo_on_failure(
                        self._prove_for_known_order, *ends, show
                    )
            raise reason

    def _prove_for_known_order(self, low: Term, high: Term, show: Any) -> Inference:
        """Prove a statement by `show(low, high)`, where the hypotheses say that low <= high."""
        order = prove_by_arithmetic(self.emitter, ("<=", low, high), self.given)
        return self.emitter.discharge_by(show(low, high), [order])

    def _prove_for_each_order(self, a: Term, b: Term, show: Any) -> Inference:
        lines = [show(low, high) for low, high in ((a, b), (b, a))]
        order = self.emitter.script.add("order", (), a, b)
        exist = [
            self.emitter.prove_or_add_axiom(definedness_equation(t), self.context) for t in (a, b)
        ]
        ends = [canonical_key(("<=", low, high)) for low, high in ((a, b), (b, a))]
        # What the other case supposes, too, is declared of a variable, as 0 <= t of a time.
        ends = [
            key
            for key, line in zip(ends, lines[::-1], strict=True)
            if key not in line.theorem.hypotheses
        ]
        premises = [*lines, order, *exist]
        return self.emitter.infer_from_cases(premises, lines[0].theorem.conclusion, set(ends))


@register_emitter_for_rules(MonotoneRule)
def _emit_monotone(emitter: ProofEmitter, step: Step, premises: Sequence[Inference]) -> Inference:
    """Compare two values of a function by the sign of its derivative between them."""
    rule: Any = step.rule
    (slope,) = premises
    x, of = emitter.term(rule.variable), emitter.term(rule.of)
    slope = _as_slope(emitter, slope, of, x)
    low, high = map(emitter.term, rule.ends(step.link))
    between = MeanValueTheoremProver(emitter, step.context, emitter.term(rule.variable))
    wanted = emitter.formula(step.statement)
    kind, a, b = slope.theorem.conclusion
    if kind == "<" and wanted[0] == "<=":
        slope = emitter.conclude(slope, ("<=", a, b), step.context)
    line = emitter.discharge_hypotheses(between.compare_ends(slope, low, high), step.context)
    return emitter.prove_from_equations([line], wanted, step.context)


def _as_slope(emitter: ProofEmitter, line: Inference, of: Term, x: Term) -> Inference:
    """Write a bound of a derivative as one of the first derivative of a function."""
    y = fresh_symbol(x, [x, *free_symbols(of)])
    slope = ("d", (1,), (y,), (substitute(of, {x: y}),), (x,))
    given = tuple(line.theorem.hypotheses.values())
    for place, side in enumerate(line.theorem.conclusion[1:], start=1):
        if side[0] != "d" or is_same_term(side, slope):
            continue
        with suppress(*FAILURES):
            equal = emitter.run_and_undo_on_failure(
                prove_by_arithmetic, emitter, ("=", side, slope), given
            )
            return emitter.rewrite(line, equal, [[place]])
    return line


@register_emitter_for_rules(LipschitzRule)
def _emit_lipschitz(emitter: ProofEmitter, step: Step, premises: Sequence[Inference]) -> Inference:
    """Bound the difference of two values of a function by a bound of its derivative."""
    rule: Any = step.rule
    between = MeanValueTheoremProver(emitter, step.context, emitter.term(rule.variable))
    wanted = emitter.formula(step.statement)
    (bounds,) = premises
    x, of = emitter.term(rule.variable), emitter.term(rule.of)
    slopes = [_as_slope(emitter, line, of, x) for line in _parts_of_bounds(emitter, bounds)]

    def show(low: Term, high: Term) -> Inference:
        lines = [between.compare_ends(slope, low, high) for slope in slopes]
        given = [*emitter.hypotheses(step.context), ("<=", low, high)]
        size, most = wanted[1:]
        if size[:2] != ("f", "abs"):
            return prove_by_arithmetic(emitter, wanted, given, lines)
        split = emitter.script.add("absolute value", (), size[2])
        proofs = [split, prove_by_arithmetic(emitter, definedness_equation(size[2]), given)]
        for side in split.theorem.conclusion[1:]:
            value = side[2]
            proofs.append(prove_by_arithmetic(emitter, ("<=", value[2], most), given, lines))
            here = emitter.script.add("assume", (), value)
            proofs.append(emitter.script.add("chain", [here, proofs[-1]]))
        known = {canonical_key(p.theorem.conclusion) for p in proofs}
        known |= {canonical_key(side[2]) for side in split.theorem.conclusion[1:]}
        return emitter.infer_from_cases(proofs, wanted, known)

    return between.prove_for_both_orders(emitter.term(rule.start), emitter.term(rule.end), show)


@register_emitter_for_rules(TaylorRule)
def _emit_taylor(emitter: ProofEmitter, step: Step, premises: Sequence[Inference]) -> Inference:
    """Prove a bound of second order by applying the mean value theorem twice."""
    (bounds,), x = premises, emitter.term(step.rule.variable)  # type: ignore[attr-defined]
    ways = [
        partial(_emit_taylor_from_bound, emitter, step, bend, is_upper)
        for bend in _parts_of_bounds(emitter, bounds)
        for is_upper, most in zip((False, True), bend.theorem.conclusion[1:], strict=True)
        if x not in free_symbols(most)
    ]
    return emitter.try_in_turn(ways, "there is no bound of the second derivative")


def _parts_of_bounds(emitter: ProofEmitter, bounds: Inference) -> list[Inference]:
    """Return the relations of a conjunction of bounds, each as a theorem."""
    p, given = bounds.theorem.conclusion, bounds.theorem.hypotheses.values()
    if p[0] != "and":
        return [bounds]
    return [emitter.infer_by_logic([bounds], given, q) for q in p[1:]]


def _emit_taylor_from_bound(
    emitter: ProofEmitter, step: Step, bend: Inference, is_upper: bool
) -> Inference:
    """Prove a bound of second order from an upper, or a lower, bound of the second derivative."""
    rule: Any = step.rule
    x, wanted = emitter.term(rule.variable), emitter.formula(step.statement)
    between = MeanValueTheoremProver(emitter, step.context, x)
    start, end = emitter.term(rule.start), emitter.term(rule.end)
    most = bend.theorem.conclusion[2 if is_upper else 1]
    of = emitter.term(rule.of)
    uses = [emitter.proved_claims.cite(id) for id in step.uses]
    taken = [x, *(s for t in (of, most, start, end) for s in free_symbols(t))]
    y = fresh_symbol(x, taken)
    z = fresh_symbol(x, [*taken, y])

    def derivative_at(f: Term, point: Term) -> Term:
        return ("d", (1,), (y,), (substitute(f, {x: y}),), (point,))

    first = derivative_at(of, x)

    def show(low: Term, high: Term) -> Inference:
        # Between the points the derivative is at least, or at most, that of the parabola.
        here = [("<=", low, high), ("<=", low, x), ("<=", x, high)]
        given = [*between.given, *here]
        near = between.discharge_all_but_interval(bend, low, high)
        sides = [derivative_at(first, x), most]
        step_one = prove_by_arithmetic(
            emitter, ("<=", *(sides if is_upper else sides[::-1])), given, [near, *uses]
        )
        moved = emitter.script.add("instance", [step_one], ((x, z),))
        inner = MeanValueTheoremProver(emitter, step.context, z)
        inner.given = [*between.given, *here]
        ends = (low, x) if low == start else (x, high)
        one = inner.compare_ends(moved, *ends)
        at_start = derivative_at(of, start)
        way = ("+", x, ("*", num(-1), start))
        parabola = ("+", ("*", at_start, x), ("*", num(1, 2), most, ("^", 2, 1, way)))
        sides = [derivative_at(of, x), derivative_at(parabola, x)]
        kind = ("<=", *(sides if (low == start) == is_upper else sides[::-1]))
        compared = prove_by_arithmetic(emitter, kind, given, [one, *uses])
        two = between.compare_ends(compared, low, high)
        return prove_by_arithmetic(
            emitter, wanted, [*emitter.hypotheses(step.context), here[0]], [two, *uses]
        )

    return between.prove_for_both_orders(start, end, show)


@register_emitter_for_proofs(EqualByDerivativeProof)
def _emit_equal_by_derivative(
    emitter: ProofEmitter, proof: Any, context: Context, label: str
) -> Inference:
    """Prove two functions equal from their derivatives and their values at one point."""
    t, at = proof.variable, proof.at
    inner = context.substitute({t: at})
    value = emitter.emit_proof(proof.value, inner, join_labels(label, "value"))
    slope = emitter.emit_proof(proof.derivative, context, join_labels(label, "derivative"))
    last = list(proof.steps(context, label))[-1]

    def conclude() -> Inference:
        x, point, goal = emitter.term(t), emitter.term(at), emitter.formula(proof.goal)
        start = emitter.formula(substitute_simultaneously(proof.goal, {t: at}))
        equal = emitter.discharge_hypotheses(emitter.conclude(value, start, inner), context)
        sides = Eq(D(proof.goal.lhs, t), D(proof.goal.rhs, t), evaluate=False)
        along = emitter.conclude(slope, emitter.formula(sides), context)
        z = fresh_symbol(
            x,
            [x, *free_symbols(point), *free_symbols(goal), *free_symbols(along.theorem.conclusion)],
        )
        moved = emitter.script.add("instance", [along], ((x, z),))
        between = MeanValueTheoremProver(emitter, context, z)

        def show(low: Term, high: Term) -> Inference:
            line = between.compare_ends(moved, low, high)
            # The left side is f(high) + g(low), and the right side g(high) + f(low).
            places = [(2, 2), (1, 2)] if low == point else [(1, 1), (2, 1)]
            with suppress(*FAILURES):
                short = emitter.run_and_undo_on_failure(align_values, line, places)
                return emitter.prove_from_equations([short, equal], goal, context)
            return prove_in_context(emitter, goal, context, [line, equal], [("<=", low, high)])

        def align_values(line: Inference, places: Sequence[tuple[int, int]]) -> Inference:
            """Rewrite values at the point to the form that they have in the proved equation."""
            for (side, summand), wanted in zip(places, equal.theorem.conclusion[1:], strict=True):
                raw = line.theorem.conclusion[side][summand]
                if raw != wanted:
                    same = prove_in_context(emitter, ("=", raw, wanted), context)
                    line = emitter.script.add("rewrite", [line, same], [[side, summand]])
            return line

        return between.prove_for_both_orders(point, x, show)

    return emitter.emit_step(last, conclude)


def _binders_of_kind(t: Term, head: str) -> list[Term]:
    """Return the different binders of a given kind, such as sums, that are outside all others."""
    return list({canonical_key(s): s for s in subterms(t) if s[0] == head}.values())


@register_emitter_for_rules(FundamentalTheoremRule)
def _emit_fundamental_theorem(
    emitter: ProofEmitter, step: Step, premises: Sequence[Inference]
) -> Inference:
    """Prove a step by evaluating integrals with the antiderivative that its rule states."""
    rule: Any = step.rule
    wanted, lines = emitter.formula(step.statement), []
    primitive = ("lam", (emitter.term(rule.variable),), (emitter.term(rule.antiderivative),), ())
    for node in _binders_of_kind(wanted, "int"):
        with suppress(*FAILURES):
            lines.append(
                emitter.run_and_undo_on_failure(_integrate, emitter, step.context, node, primitive)
            )
    if not lines:
        raise Rejected("no integrand is the derivative")
    return emitter.prove_from_equations(lines, wanted, step.context)


def _integrate(emitter: ProofEmitter, context: Context, node: Term, primitive: Term) -> Inference:
    """Evaluate an integral by an antiderivative, a function of one variable."""
    (x,), (body,) = bound_variables(node), binder_bodies(node)
    low, high = parts_outside_binder(node)
    given = [h for h in emitter.hypotheses(context) if x not in free_symbols(h)]
    here = [("<=", low, x)] * (low[0] != "-oo") + [("<=", x, high)] * (high[0] != "oo")
    slope = ("d", (1,), bound_variables(primitive), binder_bodies(primitive), (x,))
    # If the derivative is known everywhere, the ends may be in any order.
    line = None
    for ends in (here, []):
        with suppress(*FAILURES):
            line = prove_by_arithmetic(emitter, ("=", body, slope), [*given, *ends])
    if line is None:
        raise Rejected("the integrand is not this derivative")
    return emitter.discharge_hypotheses(
        emitter.script.add("fundamental theorem", [line], node), context
    )


@register_emitter_for_rules(IntegralAlgebraRule)
def _emit_integral_algebra(
    emitter: ProofEmitter, step: Step, premises: Sequence[Inference]
) -> Inference:
    """Prove a relation of integrals by writing each as a difference of integrals from 0."""
    wanted, lines = emitter.formula(step.statement), []
    for node in _binders_of_kind(wanted, "int"):
        low, high = parts_outside_binder(node)
        first, second = (
            ("int", bound_variables(node), binder_bodies(node), e)
            for e in ((ZERO, low), (low, high))
        )
        line = emitter.script.add("adjacent", (), first, second)
        lines.append(emitter.discharge_hypotheses(line, step.context))
    return emitter.prove_from_equations(lines, wanted, step.context)


@register_emitter_for_rules(SingleOutRule)
def _emit_single_out(emitter: ProofEmitter, step: Step, premises: Sequence[Inference]) -> Inference:
    """Prove a relation of sums by splitting one term off each of them."""
    rule: Any = step.rule
    wanted, lines = emitter.formula(step.statement), []
    place = emitter.term(rule.place)

    def split_off(node: Term) -> Inference:
        line = emitter.script.add("term of a sum", (), node, place)
        for h in line.theorem.hypotheses.values():
            emitter.require_proof(h, emitter.hypotheses(step.context), step.context)
        return emitter.discharge_hypotheses(line, step.context)

    for node in _binders_of_kind(wanted, "sum"):
        with suppress(*FAILURES):
            lines.append(emitter.run_and_undo_on_failure(split_off, node))
    return emitter.prove_from_equations(lines, wanted, step.context)


@register_emitter_for_rules(TermwiseRule)
def _emit_termwise(emitter: ProofEmitter, step: Step, premises: Sequence[Inference]) -> Inference:
    """Compare two sums by writing their difference as one sum and finding the sign of its terms."""
    rule: Any = step.rule
    *facts, terms = premises
    i, low, high = map(emitter.term, (rule.index, rule.low, rule.high))
    within = rule._inner(step.context, len(rule.facts))

    def under_facts(p: Term, lines: Sequence[Inference] = ()) -> Inference:
        """Prove `p` for an index in the range of the sum, and discharge the rule's facts."""
        line = prove_in_context(emitter, p, within, lines)
        for fact in reversed(facts):
            line = emitter.discharge_by(line, [fact])
        return line

    found: dict[Any, Any] = {}
    linear = expand(rule._opened(step.link.lhs, found) - rule._opened(step.link.rhs, found))
    outer = linear.xreplace(dict.fromkeys(found, S.Zero))
    pairs = [
        (emitter.term(linear.coeff(place)), emitter.term(term)) for place, term in found.items()
    ]
    if rule.partition is not None:
        pairs.append((emitter.term(outer), emitter.term(rule.partition)))
    factors, parts = zip(*pairs, strict=True)
    body = linear_combination_term(factors, parts)
    kind, _, _ = terms.theorem.conclusion
    sides = [body, ZERO]
    if emitter.formula(step.statement)[1] != emitter.term(step.link.lhs):
        sides.reverse()
    compared = under_facts((kind, *sides), [terms])

    def sum_over_range(t: Term) -> Term:
        return ("sum", (i,), (t,), (low, high))

    def discharge(line: Inference) -> Inference:
        return emitter.discharge_hypotheses(line, step.context, exist)

    exist: list[Inference] = []
    for t in (*parts, body):
        there = under_facts(definedness_equation(t))
        exist.append(discharge(emitter.script.add("under", [there], sum_over_range(t))))
        emitter.store_proof(definedness_equation(sum_over_range(t)), step.context, exist[-1])
    added = discharge(emitter.script.add("under", [compared], sum_over_range(sides[0])))
    there, total = under_facts(definedness_equation(body)), sum_over_range(body)
    taken = discharge(emitter.script.add("linear", [there], total, factors, parts))
    goal = emitter.formula(step.statement)

    def rewrite_equal(line: Inference, old: Term, new: Term) -> Inference:
        equation = emitter.prove_from_equations(exist, ("=", old, new), step.context)
        return emitter.rewrite(line, equation, paths_to_subterm(line.theorem.conclusion, old))

    # One side is the other side plus a sum that compares to 0.
    if rule.partition is not None:
        taken = rewrite_equal(taken, sum_over_range(emitter.term(rule.partition)), num(1))
    added = rewrite_equal(added, sum_over_range(ZERO), ZERO)
    _, *ends = taken.theorem.conclusion
    (linear_part,) = [t for t in ends if not is_same_term(t, total)]
    more, less = goal[1:] if is_same_term(sides[0], body) else goal[:0:-1]
    equal = emitter.prove_from_equations(exist, ("=", ("+", less, linear_part), more), step.context)
    equal = emitter.script.add("rewrite", [equal, taken], [[1, 2]])
    sides = (
        [("+", less, total), less] if is_same_term(sides[0], body) else [less, ("+", less, total)]
    )
    line = emitter.prove_from_equations([added], (kind, *sides), step.context)
    return emitter.script.add(
        "rewrite", [line, equal], [[1 if is_same_term(sides[1], less) else 2]]
    )
