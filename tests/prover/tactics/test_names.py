"""False statements that names would prove: bound ones, shared ones, and those of axioms."""

from __future__ import annotations

from typing import Any

import pytest
from sympy import (
    Abs,
    And,
    Derivative,
    Eq,
    Function,
    Ge,
    Gt,
    Implies,
    IndexedBase,
    Integral,
    KroneckerDelta,
    Le,
    Limit,
    Rational,
    Subs,
    Sum,
    Symbol,
    oo,
    symbols,
)

from slrsym.checker import Inference
from slrsym.checker.theorem import apply_rule
from slrsym.gaussian import Expectation, GaussianLaw, IIDSum, standard_normal
from slrsym.proof import Claim, algebra, builtin_ledger, chain, differentiate, instance, sign
from slrsym.proof.step import Rule, tactic
from slrsym.prover.claims.check import check_claim, hypotheses_to_test
from slrsym.prover.rules.lemmas import CITED
from slrsym.prover.statements.expressions import AtPoint, ForAll
from tests.prover.tactics._shown import claim_by, equal, is_shown, refusals

a, m, n, t, x, y = symbols("a m n t x y", real=True)
G, H, U = symbols("G H U", real=True)
k = Symbol("k", integer=True)
N = Symbol("N", integer=True, positive=True)
s = Symbol("s", positive=True)
f, g = Function("f", real=True), Function("g", real=True)
v = IndexedBase("v", real=True)
HALF = Rational(1, 2)
SQUARE = equal((x + 1) ** 2, x**2 + 2 * x + 1)


def square_mean(variance: Any) -> Expectation:
    return Expectation(G**2, GaussianLaw({G: 0}, [[variance]]))


# -- bound variables -----------------------------------------------------------------------------

GROWING = ForAll(a, Implies(a >= 0, equal(square_mean(a), a)))
INSIDE = Ge(Integral(square_mean(t), (t, 0, 1)), 0, evaluate=False)


@pytest.mark.parametrize(
    ("goal", "given"),
    [
        (Ge(a, 0), (GROWING,)),
        (Ge(a, 0), (GROWING, a < 0)),
        (Gt((t + 2) ** 2, 0), (INSIDE,)),
        (Gt((k + 9) ** 2, 0), (Ge(Sum(square_mean(k), (k, 1, 3)), 0, evaluate=False),)),
    ],
)
def test_a_law_with_a_bound_variance_says_nothing_of_a_symbol(goal: Any, given: Any) -> None:
    made = chain(goal.lhs)
    assert not is_shown(
        goal, getattr(made, "ge" if isinstance(goal, Ge) else "gt")(goal.rhs, by=sign), given
    )


def test_a_law_with_a_free_variance_supposes_that_it_is_one() -> None:
    mean = square_mean(a)
    assert is_shown(Ge(a * mean, 0), chain(a * mean).ge(0, by=sign))
    # A variance that is bound at one place is free at another.
    whole = equal(mean, a)
    assert is_shown(Ge(a, 0), chain(a).ge(0, by=sign), (whole,))
    assert is_shown(Ge(a, 0), chain(a).ge(0, by=sign), (GROWING, whole))


@pytest.mark.parametrize(
    ("bound", "value"),
    [
        (Integral(v[1], (v[1], 0, 1)), v[1]),
        (Integral(f(t), (f(t), 0, 1)), f(t)),
        (Sum(v[1], (v[1], 1, 2)), 2 * v[1]),
        (Subs(f(x) + 1, f(x), 0), f(x) + 1),
        (AtPoint(f(x) + 1, (f(x),), (0,)), f(x) + 1),
        (AtPoint(v[1] + 1, (v[1],), (0,)), v[1] + 1),
    ],
    ids=str,
)
def test_only_symbols_are_bound(bound: Any, value: Any) -> None:
    assert "is bound, and is no symbol" in _only(equal(bound, value))


@pytest.mark.parametrize(
    "bound",
    [
        Integral(KroneckerDelta(0, k), (k, 0, HALF)),
        Subs(KroneckerDelta(0, k), k, HALF),
        AtPoint(KroneckerDelta(0, k), (k,), (HALF,)),
    ],
    ids=str,
)
def test_a_variable_is_declared_as_it_is_bound(bound: Any) -> None:
    assert "is not of integers" in _only(equal(bound, HALF))


def test_a_power_of_a_variable_that_runs_below_zero() -> None:
    assert "the exponent of s**n is no number" in _only(equal(Integral(s**n, (s, -1, 0)), 0))
    assert is_shown(equal(s**n * s, s * s**n), chain(s**n * s).then(s * s**n, by=algebra))


def _only(statement: Any) -> str:
    """Return why there is no evidence for a statement with sides that algebra would equate."""
    return " ".join(refusals(claim_by(statement, algebra)).values())


# -- sentences and points ------------------------------------------------------------------------


def test_values_are_put_into_a_limit() -> None:
    """The hypothesis is true of g(t) = t and m = 0; the limit is not zero where n < 0."""
    limit = equal(Limit(x * (n - Abs(n)), x, oo), 0)
    given = ForAll(n, And(Implies(Eq(g(n), 0), limit), Eq(g(m), 0)))
    proof = chain(limit.lhs).then(0, by=instance(given, m))
    assert not is_shown(limit, proof, (given,))
    assert "a limit with f(x)" in _only(equal(Limit(f(x), x, oo), Limit(f(x), x, oo) + 0 * y))


def nested(inside: Any) -> Any:
    return Subs(t + Subs(inside, x, 0), y, 0)


@pytest.mark.parametrize("function", [x + 2 * y, f(x, y)], ids=str)
def test_points_that_sympy_confuses(function: Any) -> None:
    sides = [nested(Derivative(function, variable)) for variable in (x, y)]
    assert sides[0] == sides[1]
    assert "is the same to SymPy" in _only(equal(*sides))
    # Nor may a hypothesis have such a point.
    first, second = (Subs(Derivative(f(x, y), z), (x, y), (0, 0)) for z in (x, y))
    claim = claim_by(equal(second, 1), algebra, (equal(first, 1), Eq(t, t + 0 * x)))
    assert "is the same to SymPy" in " ".join(refusals(claim).values())


def test_points_that_sympy_tells_apart() -> None:
    left = AtPoint(Derivative(x + 2 * y, x), (x, y), (0, 0))
    assert is_shown(equal(left, 1), chain(left).then(1, by=differentiate))
    inner = Subs(t + Subs(Derivative(f(x, y), x), x, 0), y, 1)
    assert is_shown(equal(inner, inner * 1), chain(inner).then(inner, by=algebra))


# -- shared names --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (f(x), Function("f", rational=True)(x)),
        (v[k], IndexedBase("v", shape=(3,), real=True)[k]),
    ],
    ids=["functions", "sequences"],
)
def test_two_that_have_one_name(one: Any, other: Any) -> None:
    assert "are declared differently" in _only(equal(one, other))


def test_copies_are_named_alike() -> None:
    one, two = (IIDSum(z, standard_normal(z), N) for z in (G, H))
    for left, right in (
        (Expectation((one - two) ** 2, standard_normal(U)), 0),
        (Expectation(one * two, standard_normal(U)), Expectation(one**2, standard_normal(U))),
        (one, two),
    ):
        assert "differ in the names of their variables only" in _only(equal(left, right))
    other = IIDSum(H**2, standard_normal(H), N)
    assert is_shown(
        equal(one + other, other + one), chain(one + other).then(other + one, by=algebra)
    )


def test_an_unknown_function_has_no_integer_values() -> None:
    floor = Function("g", integer=True)
    slope = Derivative(Integral(floor(x), (x, 0, t)), t)
    assert "is a function whose values are integers" in _only(equal(slope, floor(t)))


# -- names of axioms -----------------------------------------------------------------------------


class _Forged(Rule):
    name = "forged"
    axiom = ""


@tactic(_Forged)
def _state(work: Any, step: Any, premises: Any) -> Any:
    return work.script.add("unchecked", (), step.rule.axiom, (), work.formula(step.statement))


@pytest.mark.parametrize("axiom", ["claim lemma-16", f"{CITED}: stein-lemma"])
def test_a_tactic_does_not_state_that_a_claim_or_the_literature_says_so(axiom: str) -> None:
    rule = _Forged()
    rule.axiom = axiom
    found = check_claim(claim_by(SQUARE, rule), builtin_ledger().find)
    assert not found.accepted
    assert f"a tactic states without evidence: {axiom}" in found.failure


class _Elsewhere(Rule):
    name = "elsewhere"


@tactic(_Elsewhere)
def _return_another_theorem(work: Any, step: Any, premises: Any) -> Any:
    stated = work.formula(step.statement)
    return Inference(0, apply_rule("unchecked", (), "claim lemma-16", (), stated))


class _Entered(Rule):
    name = "entered"


@tactic(_Entered)
def _enter_a_claim(work: Any, step: Any, premises: Any) -> Any:
    stated = work.formula(step.statement)
    shown = apply_rule("unchecked", (), "claim lemma-16", (), stated)
    work.proved_claims.enter("entered", stated, (), shown)
    return work.proved_claims.cite("entered")


@pytest.mark.parametrize(
    ("rule", "reason"),
    [(_Elsewhere(), "no earlier inference 0"), (_Entered(), "has not been shown before")],
)
def test_a_tactic_proves_by_inferences_of_the_record(rule: Rule, reason: str) -> None:
    found = check_claim(claim_by(SQUARE, rule), builtin_ledger().find)
    assert not found.accepted
    assert reason in found.failure


class _Renamed(Rule):
    """Has the name of a citation, but cites nothing."""

    name = CITED
    theorems = ("stein-lemma",)


@tactic(_Renamed)
def _cite(work: Any, step: Any, premises: Any) -> Any:
    stated = work.formula(step.statement)
    return work.script.add("unchecked", (), f"{CITED}: stein-lemma", (), stated)


def test_a_rule_is_no_citation_by_its_name() -> None:
    found = check_claim(claim_by(SQUARE, _Renamed()), builtin_ledger().find)
    assert "states without evidence" in found.failure


def test_every_part_of_a_check_is_about_one_proof() -> None:
    claim, made = Claim("it", SQUARE, "test"), []

    @claim.proof
    def _(goal: Any) -> Any:
        made.append(goal)
        return chain(goal.lhs).then(goal.rhs, by=algebra)

    assert check_claim(claim, builtin_ledger().find).accepted
    assert len(made) == 1


# -- hypotheses that numbers cannot test ---------------------------------------------------------


def test_a_statement_for_all_that_is_apart_is_left_out() -> None:
    apart = ForAll(n, Le(n, Abs(n), evaluate=False))
    of_f, of_v = ForAll(n, Ge(f(n), 0)), ForAll(k, Ge(v[k], a))
    assert hypotheses_to_test(Ge(x, 0), (apart, Gt(x, -1))) == (Gt(x, -1),)
    assert hypotheses_to_test(Ge(x, 0), (apart, of_f, of_v)) == ()
    assert hypotheses_to_test(Ge(x, 0), (Gt(x, a), Gt(a, 1))) == (Gt(x, a), Gt(a, 1))
    assert hypotheses_to_test(Ge(f(x), 0), (of_f,)) is None
    assert hypotheses_to_test(Ge(v[1], 0), (of_v,)) is None
    # It is linked by another hypothesis.
    assert hypotheses_to_test(Ge(x, 0), (of_v, Gt(y, a), Gt(x, y))) is None
    assert hypotheses_to_test(apart, ()) is None


def test_a_false_step_is_found_beside_a_statement_for_all() -> None:
    apart = ForAll(n, Le(n, Abs(n), evaluate=False))
    claim = claim_by(equal(x, x + 1), algebra, (apart,))
    assert "contradicted numerically" in check_claim(claim, builtin_ledger().find).failure
