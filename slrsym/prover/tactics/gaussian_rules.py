"""Evidence for each rule of the Gaussian calculus, from the equations that the rule allows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from sympy import (
    Abs,
    Add,
    Derivative,
    Dummy,
    Expr,
    Integral,
    Mul,
    S,
    Symbol,
    default_sort_key,
    exp,
    expand,
    pi,
    sign,
    simplify,
    sqrt,
)

from slrsym.checker import Inference, Rejected
from slrsym.checker.term import (
    BINDERS,
    Term,
    binder_bodies,
    bound_variables,
    canonical_key,
    is_bound_place,
    num,
    parts_outside_binder,
    places_and_subterms,
    substitute,
)
from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.law import GaussianLaw, IIDSum, Law
from slrsym.gaussian.noise_and_product_laws import joint_law
from slrsym.gaussian.special_functions import erf_prime
from slrsym.prover.rules.calculus import DifferentiateRule
from slrsym.prover.rules.context import Context
from slrsym.prover.rules.expectations import (
    ConditioningRule,
    DifferentiateUnderExpectationRule,
    IndependenceRule,
    InsideRule,
    LinearityRule,
    NoiseMomentsRule,
    PeelCopyRule,
)
from slrsym.prover.rules.gaussian import (
    CompleteTheSquareRule,
    DensityRule,
    SteinRule,
    SubstitutionRule,
    SymmetryRule,
    partial_derivative,
)
from slrsym.prover.rules.step import Step
from slrsym.prover.statements.expressions import substitute_simultaneously
from slrsym.prover.tactics.arithmetic import is_improper_integral
from slrsym.prover.tactics.closed_forms import ClosedFormSearch, derive_closed_form
from slrsym.prover.tactics.emission import FAILURES, ProofEmitter
from slrsym.prover.tactics.existence_of_laws_and_expectations import (
    store_existence_proof_of_image_law,
)
from slrsym.prover.tactics.expectations import ExpectationCalculus, outermost_expectations
from slrsym.prover.tactics.registration import register_emitter_for_rules, register_prover_by
from slrsym.prover.tactics.structure import prove_by_identity_under_derivatives
from slrsym.prover.tactics.subterm_paths import body_in_variables, paths_to_subterm

# -- emitters of rules ----------------------------------------------------------------------------


def _reduce_expectations(
    emitter: ProofEmitter, step: Step, *ways: str, rule: Any = None, deep: bool = True
) -> ExpectationCalculus:
    """Derive equations for a step's expectations, by linearity and by methods of given names."""
    work = ExpectationCalculus(emitter, step.context)
    chosen: list[Any] = [
        work.drop_empty_copy_sums,
        partial(work.expand_integrand, deep=deep),
        work.evaluate_constant,
        *(getattr(work, way) for way in ways),
        *([partial(work.apply_stein_lemma, rule.variables)] if rule else []),
        work.drop_unused_variables,
    ]
    for node in outermost_expectations(step):
        work.store_reduction_equations(node, chosen)
    return work


@register_prover_by("linearity")
def prove_by_linearity(
    emitter: ProofEmitter, step: Step, lines: Sequence[Inference] = ()
) -> Inference:
    """Prove a step by arithmetic and the linearity of expectations, from known theorems."""

    def prove(*ways: str) -> Inference:
        work = _reduce_expectations(emitter, step, *ways)
        return work.conclude(
            emitter.formula(step.statement), [*lines, *_split_improper_integrals(work, step)]
        )

    try:
        return emitter.run_and_undo_on_failure(prove)
    except FAILURES:
        if not step.link.statement.has(exp):
            raise
        return prove("move_out_constant_exponents")


def _split_improper_integrals(work: ExpectationCalculus, step: Step) -> Iterator[Inference]:
    """Yield equations that split improper integrals by the terms of their integrands."""
    for node in step.link.statement.atoms(Integral):
        t, x = work.emitter.term(node), node.variables[0]
        if not is_improper_integral(t):
            continue
        parts: dict[Expr, Expr] = {}
        for term in Add.make_args(expand(node.function)):
            c, f = term.as_independent(x, as_Add=False)
            parts[f] = parts.get(f, S.Zero) + c
        bodies = [
            body_in_variables(work.emitter.term(node.func(f, *node.limits)), bound_variables(t))
            for f in parts
        ]
        factors = map(work.emitter.term, parts.values())
        yield work.apply_linearity(t, list(zip(factors, bodies, strict=True)))


@register_emitter_for_rules(DifferentiateRule)
def _emit_differentiate(
    emitter: ProofEmitter, step: Step, premises: Sequence[Inference]
) -> Inference:
    """Prove a step by derivatives of elementary functions, or by splitting improper integrals."""
    uses = [emitter.proved_claims.cite(id) for id in step.uses]
    wanted = emitter.formula(step.statement)
    try:
        return emitter.run_and_undo_on_failure(
            emitter.prove_from_equations, uses, wanted, step.context
        )
    except FAILURES:
        # Move constant factors out of improper integrals first.
        for line in _split_improper_integrals(ExpectationCalculus(emitter, step.context), step):
            with suppress(*FAILURES):
                return emitter.run_and_undo_on_failure(
                    prove_by_identity_under_derivatives, emitter, line, wanted, step.context
                )
        slopes = step.link.statement.atoms(Derivative)
        if means := sorted({str(e) for d in slopes for e in d.expr.atoms(Expectation)}):
            raise Rejected(
                f"this rule does not differentiate {means[0]}; differentiate it in a step of its "
                "own, by differentiate_under_expectation or price"
            ) from None
        raise


@register_emitter_for_rules(LinearityRule)
def _emit_linearity(emitter: ProofEmitter, step: Step, premises: Sequence[Inference]) -> Inference:
    return prove_by_linearity(emitter, step)


@register_emitter_for_rules(IndependenceRule)
def _emit_independence(
    emitter: ProofEmitter, step: Step, premises: Sequence[Inference]
) -> Inference:
    return _reduce_expectations(emitter, step, "factor_independent").conclude(
        emitter.formula(step.statement)
    )


@register_emitter_for_rules(NoiseMomentsRule)
def _emit_noise_moments(
    emitter: ProofEmitter, step: Step, premises: Sequence[Inference]
) -> Inference:
    def prove(deep: bool) -> Inference:
        work = _reduce_expectations(
            emitter,
            step,
            "evaluate_noise_moment",
            "evaluate_copies_moment",
            "factor_independent",
            deep=deep,
        )
        return work.conclude(emitter.formula(step.statement))

    def prove_with_gaussian_moments() -> Inference:
        work = ClosedFormSearch(emitter, step.context)
        for node in outermost_expectations(step):
            work.store_reduction_equations(node, work.methods)
        return work.conclude(emitter.formula(step.statement))

    ways: list[Callable[[], Inference]] = [
        partial(prove, deep=False), partial(prove, deep=True), prove_with_gaussian_moments,
    ]  # fmt: skip
    return emitter.try_in_turn(ways, "")


def _require_gaussian(step: Step, variables: Sequence[Symbol]) -> None:
    """Raise an error for variables that no expectation has, or that are not Gaussian."""
    blocks = [b for node in outermost_expectations(step) for b in node.law.independent_laws()]
    blocks = [b for b in blocks if set(b.symbols) & set(variables)]
    if not blocks:
        raise Rejected(f"no expectation has a variable of {', '.join(map(str, variables))}")
    for block in blocks:
        if not isinstance(block, GaussianLaw):
            raise Rejected(f"{block.symbols[0]} is not Gaussian")


@register_emitter_for_rules(SteinRule)
def _emit_stein(emitter: ProofEmitter, step: Step, premises: Sequence[Inference]) -> Inference:
    rule: Any = step.rule
    _require_gaussian(step, rule.variables)
    return _reduce_expectations(emitter, step, rule=step.rule).conclude(
        emitter.formula(step.statement)
    )


@register_emitter_for_rules(SubstitutionRule)
def _emit_substitution(
    emitter: ProofEmitter, step: Step, premises: Sequence[Inference]
) -> Inference:
    """Prove a step by the change of variables that its rule states."""
    rule: Any = step.rule
    forms, work = dict(rule.forms), ExpectationCalculus(emitter, step.context)
    _require_gaussian(step, list(forms))
    for node in outermost_expectations(step):
        if set(node.law.symbols) == set(forms):
            store_existence_proof_of_image_law(work, node, forms, rule.law)

            def moved(node: Expectation = node) -> Inference:
                return work.discharge_all(work.change_variables(node, forms, rule.law))

            with suppress(*FAILURES):
                work.equations[canonical_key(emitter.term(node))] = emitter.run_and_undo_on_failure(
                    moved
                )
    return work.conclude(emitter.formula(step.statement))


@register_emitter_for_rules(SymmetryRule)
def _emit_symmetry(emitter: ProofEmitter, step: Step, premises: Sequence[Inference]) -> Inference:
    """Prove a step by reflecting Gaussian variables at their means."""
    rule: Any = step.rule
    _require_gaussian(step, rule.variables)
    work = ExpectationCalculus(emitter, step.context)
    for node in outermost_expectations(step):
        flipped = [s for s in node.law.symbols if s in rule.variables]
        if not flipped:
            continue
        names = {s: Dummy(s.name, real=True) for s in node.law.symbols}
        means = {
            s: m
            for b in node.law.independent_laws()
            if isinstance(b, GaussianLaw)
            for s, m in b.mean.items()
        }
        forms = {s: 2 * means[s] - names[s] if s in flipped else names[s] for s in names}
        line = work.change_variables(node, forms, node.law.rename_variables(names))
        mirror = line.theorem.conclusion[2]
        t = emitter.term(node)
        odd = work.apply_linearity(
            mirror, [(num(-1), body_in_variables(t, bound_variables(mirror)))]
        )
        work.equations[canonical_key(t)] = work.rewrite_right_side(line, odd, mirror)
    return work.conclude(emitter.formula(step.statement))


@register_emitter_for_rules(DifferentiateUnderExpectationRule)
def _emit_differentiate_under_expectation(
    emitter: ProofEmitter, step: Step, premises: Sequence[Inference]
) -> Inference:
    work, wanted = _reduce_expectations(emitter, step), emitter.formula(step.statement)
    nodes = [n for side in (step.link.lhs, step.link.rhs) for n in side.atoms(Derivative)]
    for node in nodes:
        if isinstance(node.expr, Expectation):
            work.equations[canonical_key(emitter.term(node))] = _differentiate_inside(work, node)
        elif node.expr.has(Expectation):
            with suppress(*FAILURES):
                work.equations[canonical_key(emitter.term(node))] = emitter.run_and_undo_on_failure(
                    _differentiate_as_one_mean, work, node
                )
    return work.conclude(wanted)


def _differentiate_inside(work: ExpectationCalculus, node: Derivative) -> Inference:
    """Prove that the derivative of an expectation is the expectation of the derivative."""
    line = work.add("derivative of expectation", (), work.emitter.term(node))
    inner = line.theorem.conclusion[2]
    slope = node.expr.integrand
    for x, n in node.variable_count:
        for _ in range(int(n)):
            slope = partial_derivative(slope, x)
    moved = Expectation(slope, node.expr.law)
    wanted = body_in_variables(work.term(moved), bound_variables(inner))
    line = work.rewrite_right_side(line, work.replace_integrand(inner, wanted), inner)
    work.reduce(moved, work.factor_independent)
    return line


def _differentiate_as_one_mean(work: ExpectationCalculus, node: Derivative) -> Inference:
    """Differentiate a polynomial in expectations after writing it as one expectation."""
    emitter = work.emitter
    names = {x: Dummy(x.name, real=True) for x in node.variables}
    whole, equation = _write_as_one_mean(emitter, node.expr.xreplace(names), work.context)
    t = emitter.term(node)
    for (x, y), name in zip(names.items(), bound_variables(t), strict=True):
        whole = whole.xreplace({y: x})
        if emitter.term(y) != name:
            equation = emitter.script.add("instance", [equation], ((emitter.term(y), name),))
            equation = emitter.discharge_symbol(equation, name)
    line = _differentiate_inside(work, node.func(whole, *node.variable_count))
    exists = work.add("defined", [line], [1])
    place = next(place for place, _ in places_and_subterms(t) if is_bound_place(t, place))
    exists = emitter.rewrite(exists, equation, [(1, place)])
    return work.add("chain", [exists, line])


def _write_as_one_mean(
    emitter: ProofEmitter, expr: Expr, context: Context
) -> tuple[Expectation, Inference]:
    """Write a polynomial in expectations as one expectation; return it with the equation."""
    laws: list[Law] = []
    integrands: dict[Expr, Expr] = {}
    for mean in sorted(expr.atoms(Expectation), key=default_sort_key):
        names = {s: Dummy(s.name, real=True) for s in mean.law.symbols}
        laws.append(mean.law.rename_variables(names))
        integrands[mean] = mean.integrand.xreplace(names)
    whole = Expectation(expr.xreplace(integrands), joint_law(laws))
    work = ExpectationCalculus(emitter, context)
    for mean in (whole, *integrands):
        work.reduce(mean, work.factor_independent)
    return whole, work.discharge_all(work.conclude(("=", emitter.term(expr), emitter.term(whole))))


@register_emitter_for_rules(DensityRule)
def _emit_density(emitter: ProofEmitter, step: Step, premises: Sequence[Inference]) -> Inference:
    """Prove that an expectation is an integral against the Gaussian density."""
    work = ExpectationCalculus(emitter, step.context)
    wanted = emitter.formula(step.statement)
    for side, other in ((1, 2), (2, 1)):
        if wanted[side][0] == "E" and wanted[other][0] == "int":
            line, exists = work.integrate_against_density(wanted[side])
            integral = line.theorem.conclusion[2]
            body = body_in_variables(wanted[other], bound_variables(integral))
            line = work.rewrite_right_side(
                line, work.replace_integrand(integral, body, exists), integral
            )
            return emitter.conclude(line, wanted, step.context)
    raise NotImplementedError("a density beside other terms")


@register_emitter_for_rules(CompleteTheSquareRule)
def _emit_complete_the_square(
    emitter: ProofEmitter, step: Step, premises: Sequence[Inference]
) -> Inference:
    """Prove two expectations equal by equal integrals against their densities."""
    rule: Any = step.rule
    work, ways, sides = ExpectationCalculus(emitter, step.context), [], []
    for side in (step.link.lhs, step.link.rhs):
        nodes = [n for n in Mul.make_args(side) if isinstance(n, Expectation)]
        node = nodes[0] if nodes else Expectation(S.One, rule.law)
        factor = side / node if nodes else side
        whole = Expectation(factor * node.integrand, node.law)
        t = emitter.term(whole)
        way = []
        if not nodes:
            way.append(work.add("constant", (), t))
        elif factor != 1:
            way.append(
                work.apply_linearity(
                    t, [(emitter.term(factor), work.integrand_term(node.integrand, whole))]
                )
            )
        line, exists = work.integrate_against_density(t)
        ways.append([*way, line])
        sides.append((whole, line.theorem.conclusion[2], exists))
    (first, left, exists), (second, right, _) = sides
    names = bound_variables(left)
    right = (right[0], names, (body_in_variables(right, names),), parts_outside_binder(right))
    one = _collect_exponentials(work, first, left)
    other = _collect_exponentials(work, second, right)
    # The ring does not add exponents in products of exponentials, so each side has one of them.
    equal = work.prove(("=", one.theorem.conclusion[2], other.theorem.conclusion[2]), (), names)
    line = work.add("chain", [one, equal, other])
    equal = work.take_expectations(line, left, exists)
    line = work.add("chain", [*ways[0], equal, *reversed(ways[1])])
    return emitter.conclude(line, emitter.formula(step.statement), step.context)


def _collect_exponentials(
    work: ExpectationCalculus, whole: Expectation, integral: Term
) -> Inference:
    """Write the integrand of a Lebesgue integral with a single exponential factor."""
    (body,), names = binder_bodies(integral), bound_variables(integral)
    ((x, mean),) = whole.law.mean.items()
    of = whole.integrand.replace(erf_prime, lambda u: 2 * exp(-(u**2)) / sqrt(pi))
    factors = Mul.make_args(of)
    exponents = [f.args[0] for f in factors if isinstance(f, exp)]
    rest = Mul(*(f for f in factors if not isinstance(f, exp)))
    mine = Add(*exponents)
    # The exponent in the proof checker's density.
    density = next(f[2] for f in body[1:] if f[:2] == ("f", "exp") and f[2][0] == "*")
    total = expand(simplify(mine - (x - mean) ** 2 / (2 * whole.law.cov[0, 0])))
    to = dict(zip(bound_variables(work.term(whole)), names, strict=True))

    def term(expr: Expr) -> Term:
        return substitute(work.integrand_term(expr, whole), to)

    parts = ("+", term(mine), density)
    split = work.add("exponential of a sum", (), ("f", "exp", parts))
    split = work.discharge(split, (), names)
    whole_exponent = work.prove(("=", parts, term(total)), (), names)
    # exp(total) = exp(mine) exp(density)
    split = work.emitter.rewrite(split, whole_exponent, [(1, 2)])
    _, _, product = split.theorem.conclusion
    norm = ("*", body[1], term(rest))
    taken = work.prove(("=", body, ("*", norm, product)), (), names)
    return work.emitter.rewrite(taken, split, [(2, 2)])


@register_emitter_for_rules(InsideRule)
def _emit_inside(emitter: ProofEmitter, step: Step, premises: Sequence[Inference]) -> Inference:
    """Prove a relation of two expectations under one law by that of their integrands."""
    rule: Any = step.rule
    link, left, right = rule.inner(step.link), step.link.lhs, step.link.rhs
    if link is None or left.law != right.law:
        raise Rejected("the two sides are not expectations under the same law")
    inner = Step(step.label, link.statement, rule.by, link, step.context)
    line = emitter.emit_by_rule(inner, premises)
    t = emitter.term(left)
    order = [emitter.term(s) for block in left.law.independent_laws() for s in block.symbols]
    line = ExpectationCalculus(emitter, step.context).discharge(line, (), order)
    here = ("E", tuple(order), (line.theorem.conclusion[1],), parts_outside_binder(t))
    name = "equal bodies" if step.link.relation == "=" else "under"
    line = emitter.script.add(name, [line], here)
    return emitter.conclude(line, emitter.formula(step.statement), step.context)


@register_emitter_for_rules(ConditioningRule)
def _emit_conditioning(
    emitter: ProofEmitter, step: Step, premises: Sequence[Inference]
) -> Inference:
    rule: Any = step.rule
    work = ExpectationCalculus(emitter, step.context)
    for node in outermost_expectations(step):
        chosen = [s for s in node.law.symbols if s in rule.given]
        if chosen and len(chosen) < len(node.law.symbols):
            work.equations[canonical_key(emitter.term(node))] = _prove_total_expectation(
                work, node, chosen
            )
    return work.conclude(emitter.formula(step.statement))


def _prove_total_expectation(
    work: ExpectationCalculus, e: Expectation, chosen: Sequence[Symbol]
) -> Inference:
    """Prove E f = E E(f | some variables), the law of total expectation.

    A correlated variable is an affine form of the given ones and of a remainder that is independent
    of them. So both f and the inner expectation can be written under product laws.
    """
    first: list[Law] = []
    last: list[Law] = []
    inner: list[Law] = []
    forms: dict[Symbol, Expr] = {}
    for block in e.law.independent_laws():
        others = [s for s in block.symbols if s not in chosen]
        if not others:
            first.append(block)
            continue
        given = [s for s in block.symbols if s in chosen]
        rest = block
        if given and isinstance(block, GaussianLaw):
            first.append(block.marginal(*given))
            rest = block.conditional({s: s for s in given})
        inner.append(rest)
        names = {s: Dummy(s.name, real=True) for s in others}
        left_over = rest.rename_variables(names)
        if given and isinstance(rest, GaussianLaw):
            left_over = GaussianLaw(dict.fromkeys(names.values(), S.Zero), rest.cov)
            forms |= {s: rest.mean[s] + names[s] for s in others}
        else:
            forms |= names
        last.append(left_over)
    # Translate these variables first, so that they keep their names.
    order = tuple(work.emitter.term(s) for law in first for s in law.symbols)
    # On the left, the remainders are independent variables.
    again = {s: Dummy(s.name, real=True) for s in chosen}
    moved = {s: f.xreplace(again) for s, f in (forms | {s: s for s in chosen}).items()}
    independent = [law.rename_variables(again) for law in first] + last
    line = work.change_variables(e, moved, joint_law(independent))
    split = work.add("fubini", (), line.theorem.conclusion[2], len(first))
    if not e.integrand.has(Abs, sign):
        line = work.discharge_all(work.add("chain", [line, split]))
    else:
        over_last = Expectation(substitute_simultaneously(e.integrand, moved), joint_law(last))
        nested_exists = _iterated_mean_exists(work, over_last, joint_law(independent[: len(first)]))
        line = work.discharge_all(work.discharge(work.add("chain", [line, split]), [nested_exists]))
    # On the right, the same of the inner expectation.
    small = Expectation(e.integrand, joint_law(inner))
    equal = work.discharge_all(work.change_variables(small, forms, joint_law(last)))
    _, _, other = equal.theorem.conclusion
    equal = work.emitter.swap_sides(equal)
    # This side of the equation is known to exist.
    nested = (
        "E",
        order,
        (other,),
        parts_outside_binder(work.term(Expectation(small, joint_law(first)))),
    )
    same = work.take_expectations(equal, nested, work.add("defined", [line], [2]))
    line = work.add("chain", [line, work.discharge_all(same)])
    exists = work.add("defined", [line], [2])
    work.emitter.store_proof(exists.theorem.conclusion, work.context, exists)
    return line


def _iterated_mean_exists(work: ExpectationCalculus, inner: Expectation, outer: Law) -> Inference:
    """Prove that an iterated expectation exists, from the closed form of the inner one.

    A function with kinks is not of moderate growth, but its mean often is.
    """
    value = derive_closed_form(work.emitter, inner, work.context)
    closed = value.theorem.conclusion[2]
    t = work.term(Expectation(inner, outer))
    names = [work.emitter.term(s) for block in outer.independent_laws() for s in block.symbols]
    value = work.discharge(value, (), names)
    back = work.emitter.swap_sides(value)
    node = ("E", tuple(names), (closed,), parts_outside_binder(t))
    line = work.discharge_all(work.take_expectations(back, node))
    return work.add("defined", [line], [2])


@register_emitter_for_rules(PeelCopyRule)
def _emit_peel_copy(emitter: ProofEmitter, step: Step, premises: Sequence[Inference]) -> Inference:
    """Prove a step by splitting one copy off each sum of independent copies."""
    work = ExpectationCalculus(emitter, step.context)
    for node in outermost_expectations(step):
        for copies in node.integrand.atoms(IIDSum):
            if not step.link.lhs.has(copies):
                continue
            t = emitter.term(node)
            line = work.add("one copy more", (), t, emitter.term(copies))
            less, wanted = emitter.term(copies.count), emitter.term(copies.count - 1)
            less = ("+", less, num(-1))
            count = work.prove(("=", less, wanted))
            found = paths_to_subterm(line.theorem.conclusion[2], less, through=BINDERS)
            paths = [(2, *path) for path in found]
            work.equations[canonical_key(t)] = emitter.rewrite(line, count, paths)
    return work.conclude(emitter.formula(step.statement))
