"""Evidence for derivatives of expectations in parameters of their Gaussian law."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from sympy import Add, Derivative, Dummy, Expr, Mul, Symbol, preorder_traversal

from slrsym.checker import Inference, Rejected
from slrsym.checker.term import (
    Term,
    binder_bodies,
    bound_variables,
    canonical_key,
    is_bound_place,
    is_same_term,
    places_and_subterms,
)
from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.law import GaussianLaw
from slrsym.prover.rules.expectations import PriceRule
from slrsym.prover.rules.gaussian import partial_derivative
from slrsym.prover.rules.step import Step
from slrsym.prover.statements.expressions import substitute_simultaneously
from slrsym.prover.tactics.emission import ProofEmitter
from slrsym.prover.tactics.expectations import (
    ExpectationCalculus,
    expectations_outside_binders,
    outermost_expectations,
)
from slrsym.prover.tactics.registration import register_emitter_for_rules
from slrsym.prover.tactics.subterm_paths import body_in_variables


@register_emitter_for_rules(PriceRule)
def _emit_price(emitter: ProofEmitter, step: Step, premises: Sequence[Inference]) -> Inference:
    """Prove derivatives of expectations in parameters of their law, by Price's theorem."""
    work = ExpectationCalculus(emitter, step.context)
    for side in (step.link.lhs, step.link.rhs):
        for node in side.atoms(Derivative):
            if isinstance(node.expr, Expectation):
                name = canonical_key(emitter.term(node))
                if node.expr.integrand.has(*node.variables):
                    for mean in outermost_expectations(step):
                        work.reduce(mean)
                    work.equations[name] = _differentiate_law_of_form(work, node)
                else:
                    line = work.add("price", (), emitter.term(node))
                    law = node.expr.law
                    work.equations[name] = evaluate_inner_derivatives(
                        work, line, node.expr.integrand, law
                    )
    return work.conclude(emitter.formula(step.statement))


def _differentiate_law_of_form(work: ExpectationCalculus, node: Derivative) -> Inference:
    """Differentiate E f(u) in a parameter of u, an affine form of Gaussian variables.

    The parameter moves into the law of u, where Price's theorem finds it.
    """
    emitter, mean = work.emitter, node.expr
    if not isinstance(mean.law, GaussianLaw):
        raise Rejected("the law is not Gaussian")
    ((s, _),) = node.variable_count
    form, x = _form_with(mean, s), Dummy("X", real=True)
    of = mean.integrand.xreplace({form: x})
    if of.has(s, *mean.law.symbols):
        raise Rejected(f"{mean.integrand} depends on {s} other than by {form}")
    # In the derivative, the parameter is bound, and any real number.
    y = Dummy(s.name, real=True)
    inside = mean.xreplace({s: y})
    less = Expectation(of, inside.law.linear_image({x: form.xreplace({s: y})}))
    equal = work.discharge_all(_write_in_form(work, less, form.xreplace({s: y}), inside))
    t, law = emitter.term(node), mean.law.linear_image({x: form})
    (name,) = bound_variables(t)
    equal = emitter.script.add("instance", [equal], ((emitter.term(y), name),))
    equal = emitter.discharge_symbol(equal, name)
    price = work.add("price", (), emitter.term(Derivative(Expectation(of, law), s)))
    exists = work.add("defined", [price], [1])
    (place,) = (place for place, _ in places_and_subterms(t) if is_bound_place(t, place))
    line = work.add("chain", [emitter.rewrite(exists, equal, [(1, place)]), price])
    line = evaluate_inner_derivatives(work, line, of, law)
    for part in expectations_outside_binders(line.theorem.conclusion[2]).values():
        for slope in (partial_derivative(of, x), partial_derivative(partial_derivative(of, x), x)):
            less = Expectation(slope, law)
            if is_same_term(work.term(less), part):
                line = work.rewrite_right_side(line, _write_in_form(work, less, form, mean), part)
                break
    return line


def _form_with(mean: Expectation, s: Symbol) -> Expr:
    """Return the affine form of the variables of a mean that contains a parameter."""
    names = set(mean.law.symbols)
    for node in preorder_traversal(mean.integrand):
        if not (node.has(s) and node.free_symbols & names and isinstance(node, Add | Mul)):
            continue
        with suppress(ValueError):
            mean.law.affine_coefficients(node)
            return node
    raise Rejected(f"{s} stands in no affine form of {', '.join(map(str, names))}")


def _write_in_form(
    work: ExpectationCalculus, less: Expectation, form: Expr, mean: Expectation
) -> Inference:
    """Prove that a mean of f(X) equals that of f(u), for an affine form u of the law of X."""
    (x,) = less.law.symbols
    line = work.change_variables(less, {x: form}, mean.law)
    node = line.theorem.conclusion[2]
    wanted = Expectation(substitute_simultaneously(less.integrand, {x: form}), mean.law)
    body = body_in_variables(work.term(wanted), bound_variables(node))
    work.reduce(wanted)
    return work.rewrite_right_side(line, work.replace_integrand(node, body), node)


def evaluate_inner_derivatives(
    work: ExpectationCalculus, line: Inference, f: Expr, law: Any
) -> Inference:
    """Evaluate the derivatives inside expectations on the right-hand side of an equation."""
    order = [s for block in law.independent_laws() for s in block.symbols]
    for node in expectations_outside_binders(line.theorem.conclusion[2]).values():
        (body,) = binder_bodies(node)

        def derivative_of(t: Term) -> Expr:
            if t[0] == "*":
                return Mul(*map(derivative_of, t[1:]))
            expr = f
            for x, n in zip(order, t[1], strict=True):
                for _ in range(n):
                    expr = partial_derivative(expr, x)
            return expr

        moved = Expectation(derivative_of(body), law)
        if not moved.integrand.free_symbols & set(law.symbols):
            wanted = work.emitter.term(moved.integrand)
        else:
            wanted = body_in_variables(work.term(moved), bound_variables(node))
        equal = work.replace_integrand(node, wanted)
        line = work.rewrite_right_side(line, equal, node)
        work.reduce(moved)
    return line
