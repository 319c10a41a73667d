"""Claims about sequences: hypotheses for all indices, their instances, and inductions."""

from __future__ import annotations

from typing import Any

import pytest
from sympy import (
    And,
    Derivative,
    Eq,
    Function,
    Ge,
    Gt,
    Implies,
    IndexedBase,
    Lambda,
    Le,
    Lt,
    Or,
    S,
    Sum,
    Symbol,
    erf,
    exp,
    sqrt,
    symbols,
)

from slrsym.gaussian import Expectation, GaussianLaw
from slrsym.proof import (
    Claim,
    ClaimVerdict,
    D,
    ForAll,
    algebra,
    all_of,
    by_claim,
    cases,
    chain,
    check_claim,
    differentiate,
    equal_by_derivative,
    gaussian_calculus,
    having,
    induction,
    inside,
    instance,
    sign,
)
from slrsym.prover.claims.check import is_compared_with_numbers
from slrsym.prover.rules.claim_steps import steps_of_claim
from slrsym.prover.statements.expressions import ProofError, infix_text, substitute_simultaneously
from tests.prover.tactics._shown import claim_of, refusals

x, y = (IndexedBase(name, real=True) for name in "xy")
n, t = symbols("n t", integer=True, nonnegative=True)
c, s = symbols("c s", positive=True)
falls = ForAll(t, Le(x[t + 1], x[t]))
halves = ForAll(t, Le(y[t + 1], x[t] / 2))


def not_found(id: str) -> Any:
    raise AssertionError(f"claim {id} is used")


def checked(statement: Any, hypotheses: list[Any], proof: Any) -> ClaimVerdict:
    claim = Claim(id="sequence", statement=statement, source="school", hypotheses=hypotheses)
    claim.proof(proof)
    return check_claim(claim, not_found)


def by_recursion(goal: Any) -> Any:
    step = having(
        chain(x[n + 1]).le(x[n], by=instance(falls, n)), chain(x[n + 1]).le(x[0], by=sign)
    )
    return induction(goal, n, base=sign, step=lambda known: step)


def test_a_sequence_that_falls_stays_below_its_start() -> None:
    assert checked(Le(x[n], x[0]), [falls], by_recursion).accepted


def test_what_holds_at_one_index_is_no_recursion() -> None:
    # The hypothesis is about one n, and the claim would be about all n.
    alone = Le(x[n + 1], x[n])

    def proof(goal: Any) -> Any:
        return induction(goal, n, base=sign, step=lambda known: chain(x[n + 1]).le(x[0], by=sign))

    found = checked(Le(x[n], x[0]), [alone], proof)
    assert not found.accepted
    assert any("contradicted numerically" in report.reason for report in found.reports)
    # Without numbers, the checker refuses it as well.
    refused = refusals(claim_of(goal := Le(x[n], x[0]), proof(goal), [alone]))
    assert any("a hypothesis contains n" in reason for reason in refused.values())


@pytest.mark.parametrize("value", [n - 1, n / 2, c])
def test_instances_are_those_of_the_values_that_the_variable_runs_over(value: Any) -> None:
    found = checked(
        Le(x[value + 1], x[value]),
        [falls],
        lambda goal: chain(goal.lhs).le(goal.rhs, by=instance(falls, value)),
    )
    assert not found.accepted


@pytest.mark.parametrize(
    ("declared", "part", "value"),
    [
        ({"rational": True}, lambda z: (z**2 - 2) ** 2, sqrt(2)),
        ({"real": True, "zero": False}, lambda z: z**2, 0),
        ({"real": True, "integer": False}, lambda z: (z - 1) ** 2, 1),
        ({"integer": True, "even": True}, lambda z: (z - 1) ** 2, 1),
        ({"zero": True}, lambda z: (z - 1) ** 2, 1),
    ],
)
def test_a_variable_has_a_domain_of_the_checker(declared: Any, part: Any, value: Any) -> None:
    """A hypothesis for all rational numbers, say, is not one for all real numbers."""
    z = Symbol("z", **declared)
    hypothesis = ForAll(z, Gt(part(z), 0, evaluate=False))
    wrong = Gt(0, 0, evaluate=False)
    found = checked(
        wrong, [hypothesis], lambda goal: chain(S.Zero).gt(0, by=instance(hypothesis, value))
    )
    assert not found.accepted


def test_a_value_with_the_bound_variable_is_not_caught_by_it() -> None:
    hypothesis = ForAll(t, ForAll(n, Le(x[t], y[n])))
    inner = Le(x[n], y[n])  # a capture would conclude this, for the same index

    def proof(goal: Any) -> Any:
        return chain(goal.lhs).le(goal.rhs, by=instance(hypothesis, n))

    assert not checked(inner, [hypothesis], proof).accepted


def test_another_statement_is_no_instance() -> None:
    def proof(goal: Any) -> Any:
        return chain(goal.lhs).le(goal.rhs, by=instance(falls, n))

    assert checked(Le(x[n + 1], x[n]), [falls], proof).accepted
    assert not checked(Le(x[n + 2], x[n + 1]), [falls], proof).accepted
    # A hypothesis that the claim does not have.
    assert not checked(Le(x[n + 1], x[n]), [halves], proof).accepted


def test_a_conjunction_is_shown_by_induction() -> None:
    statement = And(Le(x[n], x[0]), Le(y[n + 1], x[0] / 2), evaluate=False)

    def proof(goal: Any) -> Any:
        first = chain(y[1]).le(x[0] / 2, by=instance(halves, 0))
        next_x = chain(x[n + 1]).le(x[n], by=instance(falls, n))
        next_y = chain(y[n + 2]).le(x[n + 1] / 2, by=instance(halves, n + 1))
        step = having(
            next_x,
            having(next_y, all_of(*(chain(z).le(b, by=sign) for z, b in (
                (x[n + 1], x[0]), (y[n + 2], x[0] / 2),
            )))),
        )  # fmt: skip
        base = all_of(chain(x[0]).le(x[0], by=sign), first)
        return induction(goal, n, base=base, step=lambda known: step)

    assert checked(statement, [falls, halves], proof).accepted


def test_a_part_of_a_conjunction_is_not_supposed_one_step_ahead() -> None:
    """Each part would follow from the other at the next index, and neither is known."""
    statement = And(Le(x[n], 0), Le(y[n], 0), evaluate=False)
    first = ForAll(t, Le(x[t + 1], y[t + 1]))
    second = ForAll(t, Le(y[t + 1], x[t + 1]))

    def proof(goal: Any) -> Any:
        base = all_of(chain(x[0]).le(0, by=sign), chain(y[0]).le(0, by=sign))
        next_x = chain(x[n + 1]).le(y[n + 1], by=instance(first, n)).le(0, by=sign)
        next_y = chain(y[n + 1]).le(x[n + 1], by=instance(second, n)).le(0, by=sign)
        return induction(goal, n, base=base, step=lambda known: all_of(next_x, next_y))

    given = [first, second, Le(x[0], 0), Le(y[0], 0)]
    assert not checked(statement, given, proof).accepted


def counted(goal: Any) -> Any:
    target = Or(Le(x[n + 1], 0), Le(x[n + 1], x[0] - (n + 1) * s), evaluate=False)
    moved = Le(x[n], x[0] - n * s, evaluate=False)
    both = chain(x[n + 1]).le(x[n] - s, by=instance(steady, n))
    low = having(both, chain(x[n + 1]).le(x[0] - (n + 1) * s, by=sign))
    kept = chain(x[n + 1]).le(x[n] - s, by=instance(steady, n))
    rest = having(kept, chain(x[n + 1]).le(0, by=sign))
    step = cases(target, (Le(x[n], 0), rest), (moved, low))
    return induction(goal, n, base=chain(x[0]).le(x[0], by=sign), step=lambda known: step)


steady = ForAll(t, Le(x[t + 1], x[t] - s))


def test_a_disjunction_is_shown_by_induction() -> None:
    statement = Or(Le(x[n], 0), Le(x[n], x[0] - n * s), evaluate=False)
    assert checked(statement, [steady], counted).accepted
    # A count that begins one step too late.
    late = Or(Le(x[n], 0), Le(x[n], x[0] - (n + 1) * s), evaluate=False)
    assert not checked(late, [steady], counted).accepted


def test_random_numbers_do_not_object_to_a_recursion() -> None:
    claim = Claim(id="s", statement=Le(x[n], x[0]), source="school", hypotheses=[falls])
    claim.proof(by_recursion)
    assert not any(map(is_compared_with_numbers, steps_of_claim(claim, not_found)))


def test_the_variable_is_bound() -> None:
    assert t not in falls.free_symbols
    assert x.label in falls.free_symbols
    assert substitute_simultaneously(falls, {t: n}) == falls
    shifted = substitute_simultaneously(ForAll(t, Le(x[t], c)), {c: t + 1})
    assert shifted.variable != t
    assert shifted.statement == Le(x[shifted.variable], t + 1)
    assert falls.instantiate(3) == Le(x[4], x[3])
    assert falls.func(*falls.args, evaluate=False) == falls
    assert infix_text(falls) == "x[t + 1] <= x[t] for all nonnegative integers t"


@pytest.mark.parametrize(
    ("variable", "statement"),
    [(n + 1, Ge(c, 0, evaluate=False)), (Symbol("z"), Le(c, s)), (t, c), (t, Symbol("p"))],
)
def test_what_is_no_statement_for_all(variable: Any, statement: Any) -> None:
    with pytest.raises(ProofError):
        ForAll(variable, statement)


def test_what_is_no_hypothesis_for_all() -> None:
    with pytest.raises(ProofError, match="must be a ForAll"):
        instance(Le(x[1], x[0]), n)  # type: ignore[arg-type]


def test_a_claim_holds_of_the_mirror_image_of_a_sequence() -> None:
    """The sequence and its recursion are replaced, and the recursion is shown for the new one."""
    odd = ForAll(t, Eq(x[t + 1], erf(x[t]), evaluate=False))
    step = Claim(id="step", statement=Eq(x[n + 1], erf(x[n])), source="school", hypotheses=[odd])
    step.proof(lambda goal: chain(goal.lhs).then(goal.rhs, by=instance(odd, n)))
    even = ForAll(t, Eq(x[t + 1], x[t] ** 2, evaluate=False))
    for hypothesis, accepted in ((odd, True), (even, False)):
        claim = Claim(
            id="mirrored",
            statement=Eq(-x[n + 1], erf(-x[n]), evaluate=False),
            source="school",
            hypotheses=[hypothesis],
        )
        claim.proof(lambda goal: by_claim(goal, "step", {"x": Lambda(t, -x[t])}))
        assert check_claim(claim, {"step": step}.__getitem__).accepted is accepted


f = Function("f", real=True)
u, v, z = symbols("u v z", real=True)
bounded = ForAll(u, Implies(And(Ge(u, 0), Le(u, 1)), Le(f(u), c)))
rises = ForAll(u, ForAll(v, Implies(Le(u, v), Le(f(u), f(v)))))
rises_later = ForAll(u, Implies(Ge(u, 0), ForAll(v, Implies(Le(u, v), Le(f(u), f(v))))))
additive = ForAll(u, ForAll(v, Eq(f(u + v), f(u) + f(v))))


def by_instance(hypothesis, *values):
    def proof(goal: Any) -> Any:
        rule = instance(hypothesis, *values)
        made = chain(goal.lhs)
        return (made.then if isinstance(goal, Eq) else made.le)(goal.rhs, by=rule)

    return proof


@pytest.mark.parametrize(
    ("statement", "hypotheses", "proof"),
    [
        (Eq(f(z + s), f(z) + f(s)), [additive], by_instance(additive, z, s)),
        (Eq(f(z + s), f(z) + f(s)), [additive], by_instance(instance(additive, z), s)),
        (Le(f(z), c), [bounded, Ge(z, 0), Le(z, 1)], by_instance(bounded, z)),
        (Le(f(S.Half), c), [bounded], by_instance(bounded, S.Half)),
        (Le(f(z), f(z + s)), [rises], by_instance(rises, z, z + s)),
        (Le(f(s), f(2 * s)), [rises_later], by_instance(rises_later, s, 2 * s)),
    ],
)
def test_hypotheses_for_all_values_of_several_variables_and_on_intervals(
    statement: Any, hypotheses: list[Any], proof: Any
) -> None:
    assert checked(statement, hypotheses, proof).accepted


@pytest.mark.parametrize(
    ("statement", "hypotheses", "proof", "reason"),
    [
        (
            Le(f(z), c), [bounded, Ge(z, 0)], by_instance(bounded, z),
            "the hypothesis supposes z <= 1, which is not shown",
        ),
        (
            Le(f(s), c), [bounded, Le(s, 2)], by_instance(bounded, s),
            "the hypothesis supposes s <= 1, which is not shown",
        ),
        (
            Le(f(z), f(z - 1)), [rises], by_instance(rises, z, z - 1),
            "the hypothesis supposes z <= z - 1, which is not shown",
        ),
        (
            Le(f(z), f(z + s)), [rises_later], by_instance(rises_later, z, z + s),
            "the hypothesis supposes 0 <= z, which is not shown",
        ),
        (
            Eq(f(z + s), f(z) - f(s)), [additive], by_instance(additive, z, s),
            "it does not follow from f(s + z) = f(s) + f(z)",
        ),
    ],
)  # fmt: skip
def test_instances_say_what_a_hypothesis_supposes(
    statement: Any, hypotheses: list[Any], proof: Any, reason: str
) -> None:
    found = checked(statement, hypotheses, proof)
    assert not found.accepted
    assert found.reports[0].refusal == reason


def test_instances_take_no_more_values_than_there_are_variables() -> None:
    with pytest.raises(ProofError, match="the hypothesis is for all u, v; got 3 values"):
        instance(additive, 1, 2, 3)
    with pytest.raises(ProofError, match="the hypothesis must be a ForAll"):
        instance(Le(z, 1), 1)


def test_a_flow_on_an_interval() -> None:
    m, t, end = (
        Function("m", real=True),
        symbols("t", nonnegative=True),
        symbols("T", positive=True),
    )
    flow = ForAll(z, Implies(And(Ge(z, 0), Le(z, end)), Eq(Derivative(m(z), z), -m(z))))
    decays = Eq(m(t) * exp(t), m(0))

    def proof(goal: Any) -> Any:
        rate = chain(D(m(t), t)).then(-m(t), by=instance(flow, t))
        slope = (
            chain(D(m(t) * exp(t), t))
            .then((D(m(t), t) + m(t)) * exp(t), by=differentiate)
            .then(D(m(0), t), by=algebra.using(rate))
        )
        return equal_by_derivative(goal, t, at=0, value=algebra, derivative=slope)

    assert checked(decays, [flow, Le(t, end)], proof).accepted
    assert not checked(decays, [flow], proof).accepted


def test_laws_and_hypotheses_about_functions_have_parameters_in_common() -> None:
    r = symbols("r", real=True)
    linear = ForAll(z, Eq(f(z), r * z))
    pair = GaussianLaw({u: 0, v: 0}, [[1, r], [r, 1]])

    def proof(goal: Any) -> Any:
        inner = Expectation(r * u * v, pair)
        return (
            chain(goal.lhs)
            .then(inner, by=inside(instance(linear, u)))
            .then(goal.rhs, by=gaussian_calculus)
        )

    statement = Eq(Expectation(f(u) * v, pair), r**2)
    assert checked(statement, [Gt(r, -1), Lt(r, 1), linear], proof).accepted
    wrong = Eq(Expectation(f(u) * v, pair), r)
    assert not checked(wrong, [Gt(r, -1), Lt(r, 1), linear], proof).accepted


def test_a_sequence_may_begin_at_zero() -> None:
    # Numbers are drawn for any index, and not only from 1 on.
    found = checked(
        Eq(x[0] + x[0], 2 * x[0], evaluate=False), [],
        lambda goal: chain(goal.lhs).then(goal.rhs, by=algebra),
    )  # fmt: skip
    assert found.accepted
    total = Sum(x[t] + y[t], (t, 0, n))
    parts = Sum(x[t], (t, 0, n)) + Sum(y[t], (t, 0, n))
    found = checked(Eq(total, parts), [], lambda goal: chain(total).then(parts, by=algebra))
    assert found.accepted
    assert found.digits is not None
    wrong = Eq(total, parts + x[0])
    found = checked(wrong, [], lambda goal: chain(total).then(parts + x[0], by=algebra))
    assert "contradicted numerically" in found.failure
