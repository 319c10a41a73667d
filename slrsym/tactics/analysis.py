"""Evidence for slopes, the fundamental theorem, and sums: functions on intervals and ranges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from sympy import Eq, S, expand

from slrsym.checker import Inference, Rejected
from slrsym.checker.expect import added_all
from slrsym.checker.term import (
    Term,
    bound,
    children,
    defined,
    free,
    fresh,
    inside,
    is_inside,
    key,
    num,
    outside,
    same,
    substitute,
)
from slrsym.proofs.chain import D
from slrsym.proofs.context import Context
from slrsym.proofs.step import Step, labelled
from slrsym.statements.expressions import put
from slrsym.tactics.arithmetic import arithmetic, in_context
from slrsym.tactics.emission import FAILURES, Emission, family, kind_of_proof
from slrsym.tactics.log_writer import plain
from slrsym.tactics.paths import places

ZERO = num(0)


class MeanValue:
    """What holds of a variable between two points that are in order."""

    def __init__(self, em: Emission, context: Context, x: Term) -> None:
        self.em, self.context, self.x = em, context, x
        self.given = [h for h in em.hypotheses(context) if x not in free(h)]

    def narrowed(self, line: Inference, low: Term, high: Term) -> Inference:
        """Discharge all hypotheses on the variable but that it lies between the two points."""
        here = (("<=", low, self.x), ("<=", self.x, high))
        given, proofs = [*self.given, ("<=", low, high), *here], []
        left = {key(h): h for h in here}
        for name, h in line.theorem.hypotheses.items():
            if self.x in free(h) and name not in left:
                proofs.append(arithmetic(self.em, h, given))
        for p in (line, *proofs):
            left |= {k: h for k, h in p.theorem.hypotheses.items() if self.x not in free(h)}
        return self.em.logic([line, *proofs], left.values(), line.theorem.conclusion)

    def apart(self, line: Inference, low: Term, high: Term) -> Inference:
        """Compare values at `low` and `high` by the mean value theorem; `low` is at most `high`."""
        return self.em.script.add("mean value", [self.narrowed(line, low, high)], self.x, low, high)

    def cases(self, a: Term, b: Term, show: Any) -> Inference:
        """Prove for `a <= b` and for `b <= a` by `show(low, high)`, and join both cases."""
        lines = [show(low, high) for low, high in ((a, b), (b, a))]
        order = self.em.script.add("order", (), a, b)
        exist = [self.em.holds(defined(t), self.context) for t in (a, b)]
        ends = {key(("<=", a, b)), key(("<=", b, a))}
        left = {k: h for line in (*lines, *exist) for k, h in line.theorem.hypotheses.items()}
        kept = [h for k, h in left.items() if k not in ends]
        return self.em.logic([*lines, order, *exist], kept, lines[0].theorem.conclusion)


def _relations(line: Inference, em: Emission) -> Iterator[Inference]:
    p = line.theorem.conclusion
    for q in p[1:] if p[0] == "and" else ():
        yield em.logic([line], line.theorem.hypotheses.values(), q)
    if p[0] != "and":
        yield line


@family("_Monotone")
def _monotone(em: Emission, step: Step, premises: Sequence[Inference]) -> Inference:
    rule: Any = step.rule
    (slope,) = premises
    low, high = map(em.term, rule.ends(step.link))
    between = MeanValue(em, step.context, em.term(rule.variable))
    wanted = em.formula(step.statement)
    kind, a, b = slope.theorem.conclusion
    if kind == "<" and wanted[0] == "<=":
        slope = em.conclude(slope, ("<=", a, b), step.context)
    line = em.discharged(between.apart(slope, low, high), step.context)
    return em.from_equations([line], wanted, step.context)


@family("_Lipschitz")
def _lipschitz(em: Emission, step: Step, premises: Sequence[Inference]) -> Inference:
    rule: Any = step.rule
    between = MeanValue(em, step.context, em.term(rule.variable))
    wanted = em.formula(step.statement)
    slopes = list(_relations(premises[0], em))

    def show(low: Term, high: Term) -> Inference:
        lines = [between.apart(slope, low, high) for slope in slopes]
        given = [*em.hypotheses(step.context), ("<=", low, high)]
        size, most = wanted[1:]
        if size[:2] != ("f", "abs"):
            return arithmetic(em, wanted, given, lines)
        split = em.script.add("absolute value", (), size[2])
        proofs = [split, arithmetic(em, defined(size[2]), given)]
        for side in split.theorem.conclusion[1:]:
            value = side[2]
            proofs.append(arithmetic(em, ("<=", value[2], most), given, lines))
            here = em.script.add("assume", (), value)
            proofs.append(em.script.add("chain", [here, proofs[-1]]))
        left = {k: h for p in proofs for k, h in p.theorem.hypotheses.items()}
        known = {key(p.theorem.conclusion) for p in proofs}
        known |= {key(side[2]) for side in split.theorem.conclusion[1:]}
        return em.logic(proofs, [h for k, h in left.items() if k not in known], wanted)

    return between.cases(em.term(rule.start), em.term(rule.end), show)


@family("_Taylor")
def _taylor(em: Emission, step: Step, premises: Sequence[Inference]) -> Inference:
    """Apply the mean value theorem twice: to the derivative, then to the function."""
    rule: Any = step.rule
    x, wanted = em.term(rule.variable), em.formula(step.statement)
    between = MeanValue(em, step.context, x)
    start, end, (bend,) = em.term(rule.start), em.term(rule.end), premises
    _, _, most = bend.theorem.conclusion
    of = em.term(rule.of)
    uses = [em.book.cited(id) for id in step.uses]
    y = fresh(x, [x, *free(of), *free(most), *free(start), *free(end)])

    def slope(f: Term, point: Term) -> Term:
        return ("d", (1,), (y,), (substitute(f, {x: y}),), (point,))

    first = slope(of, x)

    def show(low: Term, high: Term) -> Inference:
        # Between the points the slope is above, or below, that of the parabola.
        here = [("<=", low, high), ("<=", low, x), ("<=", x, high)]
        given = [*between.given, *here]
        near = between.narrowed(bend, low, high)
        step_one = arithmetic(em, ("<=", slope(first, x), most), given, [near, *uses])
        z = fresh(x, [x, y, *free(of), *free(most), *free(start), *free(end)])
        moved = em.script.add("instance", [step_one], ((x, z),))
        inner = MeanValue(em, step.context, z)
        inner.given = [*between.given, *here]
        ends = (low, x) if low == start else (x, high)
        one = inner.apart(moved, *ends)
        at_start = slope(of, start)
        way = ("+", x, ("*", num(-1), start))
        parabola = ("+", ("*", at_start, x), ("*", num(1, 2), most, ("^", 2, 1, way)))
        sides = [slope(of, x), slope(parabola, x)]
        kind = ("<=", *(sides if low == start else sides[::-1]))
        compared = arithmetic(em, kind, given, [one, *uses])
        two = between.apart(compared, low, high)
        return arithmetic(em, wanted, [*em.hypotheses(step.context), here[0]], [two, *uses])

    return between.cases(start, end, show)


@kind_of_proof("_EqualByDerivative")
def _equal_by_derivative(em: Emission, proof: Any, context: Context, label: str) -> Inference:
    t, at = proof.variable, proof.at
    inner = context.substituted({t: at})
    value = em.prove(proof.value, inner, labelled(label, "value"))
    slope = em.prove(proof.derivative, context, labelled(label, "derivative"))
    last = list(proof.steps(context, label))[-1]

    def closed() -> Inference:
        x, point, goal = em.term(t), em.term(at), em.formula(proof.goal)
        start = em.formula(put(proof.goal, {t: at}))
        equal = em.discharged(em.conclude(value, start, inner), context)
        sides = Eq(D(proof.goal.lhs, t), D(proof.goal.rhs, t), evaluate=False)
        along = em.conclude(slope, em.formula(sides), context)
        z = fresh(x, [x, *free(point), *free(goal), *free(along.theorem.conclusion)])
        moved = em.script.add("instance", [along], ((x, z),))
        between = MeanValue(em, context, z)

        def show(low: Term, high: Term) -> Inference:
            line = between.apart(moved, low, high)
            return in_context(em, goal, context, [line, equal], [("<=", low, high)])

        return between.cases(point, x, show)

    return em.step(last, closed)


def _nodes(t: Term, head: str) -> Iterator[Term]:
    """Yield the binders with a given head that stand under no other binder."""
    if t[0] == head:
        yield t
    for place, part in children(t):
        if not is_inside(t, place):
            yield from _nodes(part, head)


@family("_FundamentalTheorem")
def _fundamental_theorem(em: Emission, step: Step, premises: Sequence[Inference]) -> Inference:
    rule: Any = step.rule
    wanted, lines = em.formula(step.statement), []
    primitive = ("lam", (em.term(rule.variable),), (em.term(rule.antiderivative),), ())
    for node in _nodes(wanted, "int"):
        with suppress(*FAILURES):
            lines.append(em.attempt(partial(_integrated, em, step.context, node, primitive)))
    if not lines:
        raise Rejected("no integrand is the derivative")
    return em.from_equations(lines, wanted, step.context)


def _integrated(em: Emission, context: Context, node: Term, primitive: Term) -> Inference:
    (x,), (body,), (low, high) = bound(node), inside(node), outside(node)
    given = [h for h in em.hypotheses(context) if x not in free(h)]
    here = [("<=", low, x)] * (low[0] != "-oo") + [("<=", x, high)] * (high[0] != "oo")
    slope = ("d", (1,), bound(primitive), inside(primitive), (x,))
    # Of a derivative everywhere, the ends may stand in any order.
    line = None
    for ends in (here, []):
        with suppress(*FAILURES):
            line = arithmetic(em, ("=", body, slope), [*given, *ends])
    if line is None:
        raise Rejected("the integrand is not this derivative")
    return em.discharged(em.script.add("fundamental theorem", [line], node), context)


@family("_IntegralAlgebra")
def _integral_algebra(em: Emission, step: Step, premises: Sequence[Inference]) -> Inference:
    wanted, lines = em.formula(step.statement), []
    for node in {key(n): n for n in _nodes(wanted, "int")}.values():
        low, high = outside(node)
        first, second = (("int", bound(node), inside(node), e) for e in ((ZERO, low), (low, high)))
        line = em.script.add("adjacent", (), first, second)
        lines.append(em.discharged(line, step.context))
    return em.from_equations(lines, wanted, step.context)


@family("_SingleOut")
def _single_out(em: Emission, step: Step, premises: Sequence[Inference]) -> Inference:
    rule: Any = step.rule
    wanted, lines = em.formula(step.statement), []
    place = em.term(rule.place)
    for node in {key(n): n for n in _nodes(wanted, "sum")}.values():

        def apart(node: Term = node) -> Inference:
            line = em.script.add("term of a sum", (), node, place)
            if any(em.shown(h, em.hypotheses(step.context), step.context) is None
                   for h in line.theorem.hypotheses.values()):  # fmt: skip
                raise Rejected("the sum is not known to have the term")
            return em.discharged(line, step.context)

        with suppress(*FAILURES):
            lines.append(em.attempt(apart))
    return em.from_equations(lines, wanted, step.context)


@family("_Termwise")
def _termwise(em: Emission, step: Step, premises: Sequence[Inference]) -> Inference:
    """Write the difference of the sides as one sum, and compare its terms to 0."""
    rule: Any = step.rule
    *facts, terms = premises
    i, low, high = map(em.term, (rule.index, rule.low, rule.high))
    within = rule._inner(step.context, len(rule.facts))

    def under_facts(p: Term, lines: Sequence[Inference] = ()) -> Inference:
        """Prove that `p` holds of a term in the range, and discharge the facts this supposes."""
        line = in_context(em, p, within, lines)
        for fact in reversed(facts):
            both = line.theorem.hypotheses | fact.theorem.hypotheses
            left = [h for k, h in both.items() if k != key(fact.theorem.conclusion)]
            line = em.logic([line, fact], left, p)
        return line

    found: dict[Any, Any] = {}
    linear = expand(rule._opened(step.link.lhs, found) - rule._opened(step.link.rhs, found))
    outer = linear.xreplace(dict.fromkeys(found, S.Zero))
    pairs = [(em.term(linear.coeff(place)), em.term(term)) for place, term in found.items()]
    if rule.partition is not None:
        pairs.append((em.term(outer), em.term(rule.partition)))
    factors, parts = zip(*pairs, strict=True)
    body = added_all(factors, parts)
    kind, _, _ = terms.theorem.conclusion
    sides = [body, ZERO]
    if em.formula(step.statement)[1] != em.term(step.link.lhs):
        sides.reverse()
    compared = under_facts((kind, *sides), [terms])

    def whole(t: Term) -> Term:
        return ("sum", (i,), (t,), (low, high))

    def settled(line: Inference) -> Inference:
        return em.discharged(line, step.context, exist)

    exist: list[Inference] = []
    for t in (*parts, body):
        exist.append(settled(em.script.add("under", [under_facts(defined(t))], whole(t))))
        em.keep(defined(whole(t)), step.context, exist[-1])
    added = settled(em.script.add("under", [compared], whole(sides[0])))
    taken = settled(
        em.script.add("linear", [under_facts(defined(body))], whole(body), factors, parts)
    )
    goal = em.formula(step.statement)

    def put(line: Inference, old: Term, new: Term) -> Inference:
        equation = em.from_equations(exist, ("=", old, new), step.context)
        paths = [plain(path) for path in places(line.theorem.conclusion, old)]
        return em.script.add("rewrite", [line, equation], paths) if paths else line

    # A side is the other and the sum, which compares to 0.
    if rule.partition is not None:
        taken = put(taken, whole(em.term(rule.partition)), num(1))
    added = put(added, whole(ZERO), ZERO)
    total, (_, *ends) = whole(body), taken.theorem.conclusion
    (linear_part,) = [t for t in ends if not same(t, total)]
    more, less = goal[1:] if same(sides[0], body) else goal[:0:-1]
    equal = em.from_equations(exist, ("=", ("+", less, linear_part), more), step.context)
    equal = em.script.add("rewrite", [equal, taken], [[1, 2]])
    sides = [("+", less, total), less] if same(sides[0], body) else [less, ("+", less, total)]
    line = em.from_equations([added], (kind, *sides), step.context)
    return em.script.add("rewrite", [line, equal], [[1 if same(sides[1], less) else 2]])
