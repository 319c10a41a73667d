"""Evidence for inequalities of expectations and of convex functions, and for signs by cases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import product
from typing import Any

from sympy import Add, Derivative, Dummy, Expr, Symbol, floor

from slrsym.checker import Inference, Rejected
from slrsym.checker.term import (
    Term,
    binder_bodies,
    bound_variables,
    canonical_key,
    is_same_term,
    neg,
    num,
    parts_outside_binder,
)
from slrsym.gaussian.binding import Expectation
from slrsym.prover.rules.classical_inequalities import (
    CauchySchwarzRule,
    IncreasingRule,
    JensenRule,
    PoincareRule,
    TangentRule,
)
from slrsym.prover.rules.context import Context
from slrsym.prover.rules.inequalities import PiecewiseRule, SignRule
from slrsym.prover.rules.step import Step
from slrsym.prover.statements.expressions import substitute_simultaneously
from slrsym.prover.tactics.arithmetic import opaque_terms, prove_by_arithmetic, prove_in_context
from slrsym.prover.tactics.derivatives_of_laws import evaluate_inner_derivatives
from slrsym.prover.tactics.emission import FAILURES, ProofEmitter
from slrsym.prover.tactics.expectations import (
    ExpectationCalculus,
    expectations_outside_binders,
    outermost_expectations,
)
from slrsym.prover.tactics.numerical_values import value_at_pseudorandom_point
from slrsym.prover.tactics.registration import register_emitter_for_rules
from slrsym.prover.tactics.subterm_paths import (
    body_in_variables,
    paths_to_subterm,
    replace_at_paths,
    subterms,
)

ZERO = num(0)

# -- theorems -------------------------------------------------------------------------------------


def _fresh_variable_like(x: Symbol, context: Context) -> Symbol:
    """Return a fresh variable with the assumptions of x; refuse if a hypothesis restricts x."""
    declared = set(x._assumptions_orig) - {"commutative"}
    if not x.is_real or declared - {"real", "positive", "nonnegative", "negative", "nonpositive"}:
        raise Rejected(f"{x} has to be declared real, and of a sign at most")
    if x in context.restricted_symbols:
        raise Rejected(f"a hypothesis speaks of {x}; rename the variable")
    return Dummy(x.name, **x._assumptions_orig)


def _hypotheses_at(emitter: ProofEmitter, x: Term, context: Context) -> list[Inference]:
    """Return the hypotheses for all real values of a variable, at a real variable."""
    found = []
    for h in emitter.hypotheses(context):
        if h[0] == "forall" and len(bound_variables(h)) == 1:
            with suppress(*FAILURES):
                found.append(
                    emitter.run_and_undo_on_failure(emitter.specialise_hypothesis, h, [x], context)
                )
    return found


def _prove_derivative_sign(
    emitter: ProofEmitter, of: Expr, x: Symbol, order: int, context: Context
) -> Inference:
    """Prove the sign of a derivative of a function at an arbitrary point."""
    place = _fresh_variable_like(x, context)
    slope = (
        "d",
        (order,),
        *emitter.term(Derivative(substitute_simultaneously(of, {x: place}), (place, 1)))[2:],
    )
    value = value_at_pseudorandom_point(
        emitter.term(substitute_simultaneously(of, {x: place}).diff(place, order))
    )
    signs: list[Term] = [("<=", num(0), slope), ("<=", slope, num(0))]
    for p in reversed(signs) if value is not None and value < 0 else signs:
        if (line := emitter.find_proof(p, emitter.hypotheses(context), context)) is not None:
            return line
        if instances := _hypotheses_at(emitter, emitter.term(place), context):
            with suppress(*FAILURES):
                return emitter.run_and_undo_on_failure(
                    emitter.prove_from_equations, instances, p, context
                )
    kind = {1: "increase, nor to decrease,", 2: "be convex, nor concave,"}[order]
    raise Rejected(f"{of} is not known to {kind} in {x}")


@register_emitter_for_rules(TangentRule)
def _emit_tangent(emitter: ProofEmitter, step: Step, premises: Sequence[Inference]) -> Inference:
    """Compare a function with its tangent, by the sign of its second derivative."""
    rule: Any = step.rule
    bend = _prove_derivative_sign(emitter, rule.of, rule.variable, 2, step.context)
    line = emitter.script.add("tangent", [bend], emitter.term(rule.at), emitter.term(rule.point))
    line = emitter.discharge_hypotheses(line, step.context)
    return emitter.prove_from_equations([line], emitter.formula(step.statement), step.context)


@register_emitter_for_rules(IncreasingRule)
def _emit_increasing(emitter: ProofEmitter, step: Step, premises: Sequence[Inference]) -> Inference:
    """Compare two values of a function at compared points, by the sign of its derivative."""
    rule: Any = step.rule
    (order,) = premises
    _, low, high = order.theorem.conclusion
    rising = _prove_derivative_sign(emitter, rule.of, rule.variable, 1, step.context)
    x = parts_outside_binder(rising.theorem.conclusion[2])[0]
    line = emitter.script.add("mean value", [rising], x, low, high)
    line = emitter.discharge_hypotheses(line, step.context, [order])
    return emitter.prove_from_equations([line], emitter.formula(step.statement), step.context)


@register_emitter_for_rules(JensenRule)
def _emit_jensen(emitter: ProofEmitter, step: Step, premises: Sequence[Inference]) -> Inference:
    """Prove Jensen's inequality for the first expectation of the step that it fits."""
    rule: Any = step.rule
    bend = _prove_derivative_sign(emitter, rule.of, rule.variable, 2, step.context)
    nodes = sorted(step.statement.atoms(Expectation), key=str)
    ways = [partial(_apply_jensen, emitter, step, bend, node) for node in nodes]
    return emitter.try_in_turn(ways, "no expectation fits")


def _apply_jensen(
    emitter: ProofEmitter, step: Step, bend: Inference, node: Expectation
) -> Inference:
    work = ExpectationCalculus(emitter, step.context)
    line = work.discharge_all(emitter.script.add("jensen", [bend], emitter.term(node)))
    return _conclude_with_other_integrands(work, line, emitter.formula(step.statement))


def _conclude_with_other_integrands(
    work: ExpectationCalculus, line: Inference, wanted: Term
) -> Inference:
    """Derive a statement whose means have integrands that are equal but written differently."""
    for node in expectations_outside_binders(line.theorem.conclusion).values():
        for other in expectations_outside_binders(wanted).values():
            if is_same_term(node, other) or not is_same_term(
                ("tuple", *parts_outside_binder(node)), ("tuple", *parts_outside_binder(other))
            ):
                continue
            with suppress(*FAILURES):
                body = body_in_variables(other, bound_variables(node))
                equal = work.emitter.run_and_undo_on_failure(work.replace_integrand, node, body)
                paths = paths_to_subterm(line.theorem.conclusion, node)
                line = work.emitter.rewrite(line, equal, paths)
                break
    return work.emitter.run_and_undo_on_failure(
        lambda: work.emitter.discharge_hypotheses(work.prove(wanted, [line]), work.context)
    )


@register_emitter_for_rules(CauchySchwarzRule, PoincareRule)
def _emit_cauchy_schwarz_or_poincare(
    emitter: ProofEmitter, step: Step, premises: Sequence[Inference]
) -> Inference:
    """Apply the inequality of the rule under the first law of the step that it fits."""
    rule: Any = step.rule
    laws = sorted({n.law for n in step.statement.atoms(Expectation)}, key=str)
    under = _apply_cauchy_schwarz if isinstance(rule, CauchySchwarzRule) else _apply_poincare
    return emitter.try_in_turn(
        [partial(under, emitter, step, rule, law) for law in laws], "no law fits"
    )


def _apply_cauchy_schwarz(emitter: ProofEmitter, step: Step, rule: Any, law: Any) -> Inference:
    names = list(law.symbols)
    work = ExpectationCalculus(emitter, step.context)
    total = Expectation(Add(*names), law)
    _, variables, _, laws = emitter.term(total)
    f, g = (
        ("E", variables, (work.integrand_term(h, total),), laws) for h in (rule.first, rule.second)
    )
    line = work.discharge_all(emitter.script.add("cauchy-schwarz", (), f, g))
    return _conclude_with_other_integrands(work, line, emitter.formula(step.statement))


def _apply_poincare(emitter: ProofEmitter, step: Step, rule: Any, law: Any) -> Inference:
    work = ExpectationCalculus(emitter, step.context)
    node = Expectation(rule.of, law)
    line = emitter.script.add("poincare", (), emitter.term(node))
    line = work.discharge_all(evaluate_inner_derivatives(work, line, rule.of, law))
    for node in outermost_expectations(step):
        work.reduce(node)
    return work.conclude(emitter.formula(step.statement), [work.resolve_right_side(line, ())])


# -- integers -------------------------------------------------------------------------------------


@register_emitter_for_rules(SignRule)
def _emit_sign(emitter: ProofEmitter, step: Step, premises: Sequence[Inference]) -> Inference:
    """Prove a sign by arithmetic, by signs of expectations, or on both sides of an integer."""
    p, given = emitter.formula(step.statement), emitter.hypotheses(step.context)
    try:
        return emitter.run_and_undo_on_failure(prove_in_context, emitter, p, step.context, premises)
    except FAILURES:
        with suppress(*FAILURES):
            if signs := _prove_signs_of_means(emitter, p, step.context):
                return emitter.run_and_undo_on_failure(
                    prove_in_context, emitter, p, step.context, (*premises, *signs)
                )
        for t, k in _integer_cuts(emitter, step):
            with suppress(*FAILURES):
                return emitter.run_and_undo_on_failure(
                    _prove_on_both_sides_of_cut, emitter, p, given, t, k, step.context
                )
        return emitter.prove_from_equations(premises, p, step.context)


def _prove_signs_of_means(emitter: ProofEmitter, p: Term, context: Context) -> list[Inference]:
    """Prove signs of the expectations in a formula, from signs of their integrands."""
    lines = []
    for node in opaque_terms(p).values():
        if node[0] != "E":
            continue
        zero = ("E", bound_variables(node), (num(0),), parts_outside_binder(node))
        (body,) = binder_bodies(node)
        for kind, is_above in product(("<", "<="), (True, False)):
            said = (kind, num(0), body) if is_above else (kind, body, num(0))
            with suppress(*FAILURES):
                known = emitter.run_and_undo_on_failure(
                    ExpectationCalculus(emitter, context).prove, said, (), bound_variables(node)
                )
                lines.append(emitter.script.add("constant", (), zero))
                lines.append(emitter.script.add("under", [known], zero if is_above else node))
                break
    return [emitter.discharge_hypotheses(line, context) for line in lines]


def _integer_cuts(emitter: ProofEmitter, step: Step) -> Iterator[tuple[Term, int]]:
    """Yield integer variables with the integers below zeros of the difference of both sides."""
    difference = step.link.lhs - step.link.rhs
    # As a polynomial in another symbol, the difference would be multiplied out for nothing.
    for x in sorted((x for x in difference.free_symbols if x.is_integer), key=str):
        polynomial = difference.as_poly(x)
        if polynomial is None or not polynomial.domain.is_QQ | (polynomial.domain.is_ZZ):
            continue
        for zero in dict.fromkeys(map(floor, polynomial.real_roots())):
            yield emitter.term(x), int(zero)


def _prove_on_both_sides_of_cut(
    emitter: ProofEmitter, p: Term, given: tuple[Term, ...], t: Term, k: int, context: Context
) -> Inference:
    """Prove a formula for t <= k and for t >= k + 1, where t is an integer."""
    split = emitter.discharge_hypotheses(emitter.script.add("integers apart", (), t, k), context)
    halves = [
        prove_by_arithmetic(emitter, p, (*given, case)) for case in split.theorem.conclusion[1:]
    ]
    return emitter.infer_by_logic([split, *halves], given, p)


# -- pieces ---------------------------------------------------------------------------------------


@register_emitter_for_rules(PiecewiseRule)
def _emit_piecewise(emitter: ProofEmitter, step: Step, premises: Sequence[Inference]) -> Inference:
    return prove_by_pieces(emitter, emitter.formula(step.statement), step.context, ())


def _with_zero(
    emitter: ProofEmitter, p: Term, context: Context, cases: tuple[Term, ...], zero: Term
) -> Inference:
    """Prove a formula in a case u = 0, which is `zero`, with 0 put for u, in exponents, too."""
    _, u, nought = zero
    spots = paths_to_subterm(p, u)
    line = prove_in_context(emitter, replace_at_paths(p, spots, nought), context, (), cases)
    return emitter.rewrite(line, emitter.script.add("assume", (), zero), spots)


def prove_by_pieces(
    emitter: ProofEmitter, p: Term, context: Context, cases: tuple[Term, ...]
) -> Inference:
    """Prove a formula case by case, replacing signs, absolute values and maxima in each case."""
    # The inner ones first.
    with_kinks = (
        s for s in subterms(p, inner_first=True) if s[0] == "f" and s[1] in ("sign", "abs", "max")
    )
    node = next(with_kinks, None)
    if node is None:
        ways = [partial(prove_in_context, emitter, p, context, (), cases)]
        ways += [
            partial(_with_zero, emitter, p, context, cases, case)
            for case in cases
            if case[0] == "=" and paths_to_subterm(p, case[1])
        ]
        return emitter.try_in_turn(ways, "")
    name, first, *others = node[1:]
    u, zero = ("+", first, *map(neg, others)) if others else first, num(0)
    known = [emitter.script.add("maximum", (), first, *others)] if others else []
    parts = [emitter.script.add("sign", (), u), emitter.script.add("order", (), u, zero)]
    last = others[0] if others else neg(first)
    pieces = [num(k) for k in (1, 0, -1)] if name == "sign" else [first, first, last]
    paths, decided = paths_to_subterm(p, node), set[str]()

    def within(here: Term, value: Term, piece: Term) -> Inference:
        decided.update(map(canonical_key, (here, value)))
        with suppress(Rejected):
            # An outer case for the same number excludes this one.
            return emitter.infer_by_logic([parts[1]], (here, *cases), p)
        if name == "sign":
            equal = emitter.script.add("assume", (), value)
        else:
            equal = prove_in_context(emitter, ("=", node, piece), context, known, (here, *cases))
        line = prove_by_pieces(emitter, replace_at_paths(p, paths, piece), context, (here, *cases))
        return emitter.rewrite(line, equal, paths)

    def signs_of_u() -> Iterator[Inference]:
        """Yield proofs that the number is 0, or of its sign, by hypotheses and by outer cases."""
        strict = ("<", zero, u), ("<", u, zero)
        yield from filter(None, (emitter.find_proof_once(sign, context) for sign in strict))
        for sign in (*strict, ("=", u, zero)) if cases else ():
            with suppress(*FAILURES):
                yield emitter.run_and_undo_on_failure(
                    prove_in_context, emitter, sign, context, (), cases
                )

    def by_contradiction(here: Term) -> Inference:
        """Prove anything in a case that contradicts a sign that is known."""
        for line in signs_of_u():
            given = line.theorem.hypotheses.values()
            with suppress(Rejected):
                return emitter.infer_by_logic([parts[1], line], (here, *cases, *given), p)
        raise Rejected("the case contradicts nothing that is known")

    for case, piece in zip(parts[0].theorem.conclusion[1:], pieces, strict=True):
        side, value = case[1:]
        decided.add(canonical_key(side))
        try:
            # An inequality is more useful to the search than an equation.
            weak = ("<=", zero, u) if side[0] == "=" else side
            parts.append(emitter.run_and_undo_on_failure(within, weak, value, piece))
        except FAILURES as reason:
            try:
                parts.append(by_contradiction(side))
            except FAILURES:
                if side[0] != "=":
                    raise reason from None
                parts.append(within(side, value, piece))
    decided -= set(map(canonical_key, (*cases, *emitter.hypotheses(context))))
    return emitter.infer_from_cases(parts, p, decided)
