"""Proofs by derivative, by cases, by induction and in parts: sound ones pass, others do not."""

from __future__ import annotations

from typing import Any

import pytest
from sympy import (
    Abs,
    And,
    Eq,
    Function,
    Ge,
    Gt,
    Le,
    Lt,
    Ne,
    Or,
    S,
    Symbol,
    asin,
    atan,
    exp,
    pi,
    sqrt,
    symbols,
)

from slrsym.checker import ProvedClaims, Rejected
from slrsym.proof import Claim
from slrsym.prover.rules.calculus import algebra, differentiate
from slrsym.prover.rules.chain import chain
from slrsym.prover.rules.context import Context
from slrsym.prover.rules.inequalities import sign
from slrsym.prover.rules.lemmas import by_claim
from slrsym.prover.rules.structure import all_of, cases, equal_by_derivative, having, induction
from slrsym.prover.statements.expressions import ProofError, Refused
from slrsym.prover.tactics.emission import ProofEmitter
from tests._profile import thorough_only

from ._steps import check, eq

x, y, t = symbols("x y t", real=True)
p = Symbol("p", positive=True)
n = Symbol("n", integer=True, nonnegative=True)


# -- concluding --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shown", "wanted", "enough"),
    [
        (eq(x, y), eq(x, y), True),
        (eq(x, y), eq(y, x), True),
        (eq(x, y + y), eq(x, 2 * y), True),
        (eq(x, y), Le(x, y), True),
        (Lt(x, y), Le(x, y), True),
        (Le(x, y), Lt(x, y), False),
        (Le(x, y), eq(x, y), False),
        (Gt(y, x), Lt(x, y), True),
        (Gt(y, x), Le(x, y), True),
        (Gt(x, y), Lt(x, y), False),
        (Lt((x + 1) ** 2, y), Lt(x**2 + 2 * x + 1, y), True),
        (Lt(x, y), Lt(x, y + 1), True),
        (And(Lt(x, y), Gt(p, 1)), And(Gt(p, 1), Le(x, y)), True),
        (And(Lt(x, y), Gt(p, 1)), And(Gt(p, 2), Le(x, y)), False),
        (And(Lt(x, y), Gt(p, 1), Gt(t, 0)), And(Gt(p, 1), Le(x, y)), True),
        (And(Lt(x, y), Gt(p, 1)), Le(x, y), True),
        (And(Lt(x, y), Gt(p, 1)), Lt(x, p), False),
        (Ne(x, y), Ne(x, y), True),
        (Or(Lt(x, y), Gt(p, 1)), Lt(x, y), False),
    ],
)
def test_what_concludes_what(shown: Any, wanted: Any, enough: bool) -> None:
    claim = Claim("under-test", wanted, "test", hypotheses=(shown,))
    work = ProofEmitter(claim, lambda id: claim, ProvedClaims())
    context, _ = work.claim_context_and_hypotheses
    known = work.script.add("assume", (), work.formula(shown))
    if enough:
        work.conclude(known, work.formula(wanted), context)
    else:
        with pytest.raises(Rejected):
            work.conclude(known, work.formula(wanted), context)


# -- by derivative -----------------------------------------------------------------------------


def by_derivative(goal: Any, at: Any, variable: Symbol = x) -> Any:
    return equal_by_derivative(goal, variable, at=at, value=algebra, derivative=differentiate)


@thorough_only
def test_equal_by_derivative() -> None:
    check(by_derivative(eq(asin(x / sqrt(1 + x**2)), atan(x)), 0), x < 1, x > -1)
    check(by_derivative(eq(atan(x) + atan(1 / x), pi / 2), 1), x > 0)


@pytest.mark.parametrize(
    ("goal", "at", "given"),
    [
        (eq(x**2, x**2 + 1), 0, []),
        (eq(x**2, x), 0, []),
        # Two intervals, and a point outside of the domain.
        (eq(Abs(x) / x, S.One), 1, [Ne(x, 0)]),
        (eq(atan(x) + atan(1 / x), pi / 2), 1, [Ne(x, 0)]),
        (eq(atan(x) + atan(1 / x), pi / 2), -1, [x > 0]),
    ],
)
def test_not_equal_by_derivative(goal: Any, at: Any, given: list[Any]) -> None:
    with pytest.raises(Refused):
        check(by_derivative(goal, at), *given)


def test_only_equalities_are_shown_by_derivative() -> None:
    with pytest.raises(ProofError, match="shows equalities"):
        by_derivative(Le(x, y), 0)


# -- cases -------------------------------------------------------------------------------------


def test_cases_that_cover_everything() -> None:
    goal = Ge(Abs(x), x, evaluate=False)
    part = chain(Abs(x)).ge(x, by=sign)
    check(cases(goal, (Gt(x, 0), part), (Le(x, 0), part)))
    check(cases(goal, (Gt(x, 0), part), (Lt(-x, 0), part), (Le(x, 0), part)))
    check(cases(goal, (Ge(x, 0), part)), x > -0)
    zero = chain(Abs(S.Zero)).ge(0, by=sign)
    check(cases(goal, (Gt(x, 0), part), (Lt(x, 0), part), (Eq(x, 0), zero)))


@pytest.mark.parametrize(
    "kinds",
    [
        [Gt(x, 0), Lt(x, 0)],
        [Ne(x, 0)],
        [Gt(x, 0), Le(y, 0)],
    ],
)
def test_cases_that_leave_something_out_or_are_not_comparable(kinds: list[Any]) -> None:
    part = chain(Abs(x)).ge(x, by=sign)
    with pytest.raises(Refused):
        check(cases(Ge(Abs(x), x, evaluate=False), *((kind, part) for kind in kinds)))


def test_cases_of_what_may_be_complex_are_refused() -> None:
    w = Symbol("w")
    part = chain(w).then(w, by=algebra)
    with pytest.raises(Refused, match="not declared real"):
        check(cases(eq(w, w), (Gt(w, 0), part), (Le(w, 0), part)))


# -- parts -------------------------------------------------------------------------------------


def test_parts_are_all_checked() -> None:
    good, bad = chain(exp(x)).gt(0, by=sign), chain(x).gt(0, by=sign)
    both = all_of(good, good)
    assert len(list(both.steps(Context()))) == 2
    assert isinstance(all_of(good, bad).conclusion, And)
    check(both)
    with pytest.raises(Refused):
        check(all_of(good, bad))
    with pytest.raises(ProofError, match="must be a proof"):
        all_of(good, algebra)  # type: ignore[arg-type]


# -- induction ---------------------------------------------------------------------------------

_F = Function("F", real=True)


def _by_hypothesis(goal: Any, hypothesis: Any) -> Any:
    after = goal.subs(n, n + 1)
    return chain(after.lhs).then(after.rhs, by=hypothesis)


def test_the_base_and_the_step_are_both_needed() -> None:
    trivial = eq(n * (n + 1), n**2 + n)
    check(induction(trivial, n, algebra, lambda h: _by_hypothesis(trivial, algebra)))
    wrong = eq(n * (n + 1), n**2 + 1)
    with pytest.raises(Refused):
        check(induction(wrong, n, algebra, lambda h: _by_hypothesis(wrong, h)))


def test_the_hypothesis_is_granted_within_the_step_only() -> None:
    goal = eq(_F(n), _F(n + 1))
    kept: list[Any] = []

    def step(hypothesis: Any) -> Any:
        kept.append(hypothesis)
        return chain(_F(n)).then(_F(n + 1), by=hypothesis)

    proof = induction(goal, n, algebra, step)
    outside = chain(_F(n)).then(_F(n + 1), by=kept[0])
    with pytest.raises(Refused):
        check(outside)
    with pytest.raises(Refused):
        check(proof)


def test_a_rule_may_be_given_the_hypothesis_among_its_facts() -> None:
    goal = Ge(2**n, 1 + n, evaluate=False)

    def step(hypothesis: Any) -> Any:
        doubled = chain(2 ** (n + 1)).then(2 * 2**n, by=algebra.using(hypothesis))
        return doubled.ge(n + 2, by=sign.using(hypothesis))

    check(induction(goal, n, sign, step))


def test_a_rule_among_facts_is_told_what_to_write() -> None:
    with pytest.raises(ProofError, match=r"got the rule 'algebra': write what it shows, as in ch"):
        sign.using(algebra)


@pytest.mark.parametrize(
    "variable",
    [Symbol("k", integer=True), Symbol("k", real=True), Symbol("k", integer=True, positive=True)],
)
def test_induction_runs_over_the_natural_numbers(variable: Symbol) -> None:
    goal = eq(variable * (variable + 1), variable**2 + variable)
    following = chain((variable + 1) * (variable + 2)).then(
        (variable + 1) ** 2 + variable + 1, by=algebra
    )
    with pytest.raises(Refused):
        check(induction(goal, variable, algebra, lambda h: following))


def test_induction_over_a_restricted_variable_is_refused() -> None:
    trivial = eq(n * (n + 1), n**2 + n)
    proof = induction(trivial, n, algebra, lambda h: _by_hypothesis(trivial, algebra))
    with pytest.raises(Refused):
        check(proof, n < 5)


def test_induction_shows_relations_of_order_alone() -> None:
    with pytest.raises(ProofError, match="shows equalities and inequalities"):
        induction(Ne(n, p), n, algebra, lambda h: h)


# -- claims ------------------------------------------------------------------------------------


def test_a_claim_outside_of_a_ledger_is_unknown() -> None:
    with pytest.raises(Refused, match="unknown claim"):
        check(by_claim(eq(x, y), "nothing"))


# -- facts first -------------------------------------------------------------------------------


def test_several_facts_are_shown_one_after_the_other():
    above, far, rest = (chain(p + k).gt(0, by=sign) for k in range(3))
    together = having(above, far, rest)
    assert together == having(above, having(far, rest))
    hypotheses = [step.context.hypotheses for step in together.steps(Context(()), "")]
    first, second = above.conclusion, far.conclusion
    assert hypotheses == [(), (first,), (first, second)]


def test_each_fact_is_a_relation():
    fact, goal = chain(p).gt(0, by=sign), chain(p + 1).gt(0, by=sign)
    with pytest.raises(ProofError, match="the fact must be a relation"):
        having(fact, all_of(fact, goal), goal)
    with pytest.raises(ProofError, match="what follows"):
        having(fact, goal, p > 0)
