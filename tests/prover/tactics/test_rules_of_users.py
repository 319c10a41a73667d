"""Rules that a user defines: with a tactic, and with a check alone."""

from __future__ import annotations

import pytest
from sympy import Eq, Gt, Symbol, cos, sin

from slrsym.checker.term import num
from slrsym.proof import Claim, Refused, chain
from slrsym.prover.rules.step import Rule
from slrsym.prover.tactics.registration import USER_EMITTERS, tactic
from tests.prover.tactics._shown import refusals

x = Symbol("x", real=True)
p = Symbol("p", positive=True)
LEFT, RIGHT = sin(2 * x), 2 * sin(x) * cos(x)


class Doubling(Rule):
    """A rule whose evidence is that of arithmetic."""

    name = "doubling"


@pytest.fixture
def with_tactic():
    """Register a tactic within a test, and remove it afterwards."""
    registered = []

    def register(function):
        registered.append(tactic(Doubling)(function))
        assert USER_EMITTERS[Doubling] is function

    yield register
    del USER_EMITTERS[Doubling]


def claimed(left, right, rule):
    claim = Claim("it", Eq(left, right, evaluate=False), "test")
    claim.proof(lambda goal: chain(goal.lhs).then(goal.rhs, by=rule))
    return refusals(claim)


def test_a_step_is_proved_by_the_tactic_of_its_rule(with_tactic):
    @with_tactic
    def by_arithmetic(work, step, premises):
        return work.prove_from_equations(premises, work.formula(step.statement), step.context)

    assert claimed(LEFT, RIGHT, Doubling()) == {}


def test_a_tactic_that_proves_something_else_is_refused(with_tactic):
    @with_tactic
    def of_another_statement(work, step, premises):
        return work.prove_from_equations([], ("<", num(0), num(1)), step.context)

    assert claimed(LEFT, RIGHT, Doubling()) == {"1": "what is shown is 0 < 1"}


class Positive(Rule):
    """A rule that asks which relations hold."""

    name = "positive"

    def __init__(self, side):
        self.side = side

    def check(self, link, context):
        if not context.holds(Gt(self.side, 0, evaluate=False)):
            raise Refused("it may not be positive")


@pytest.mark.parametrize(
    ("side", "reason"),
    [(p + x**2, "an axiom"), (p - x**2, "it may not be positive"), (x**2, "it may not")],
)
def test_a_check_asks_what_is_positive(side, reason):
    (found,) = claimed(LEFT, RIGHT, Positive(side)).values()
    assert reason in found
