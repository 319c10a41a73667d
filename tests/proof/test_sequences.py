"""Claims about sequences: hypotheses for all indices, their instances, and inductions."""

from __future__ import annotations

from typing import Any

import pytest
from sympy import And, Eq, Ge, Gt, IndexedBase, Lambda, Le, Or, S, Symbol, erf, sqrt, symbols

from slrsym.proof import (
    Claim,
    ClaimVerdict,
    ForAll,
    all_of,
    by_claim,
    cases,
    chain,
    check_claim,
    having,
    induction,
    instance,
    sign,
)
from slrsym.prover.claims.check import is_compared_with_numbers
from slrsym.prover.rules.claim_steps import steps_of_claim
from slrsym.prover.statements.expressions import ProofError, infix_text, substitute_simultaneously

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
    assert any("a hypothesis contains n" in report.refusal for report in found.reports)


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
