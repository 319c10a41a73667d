"""Cases that hypotheses leave over, and facts that are used or not."""

from __future__ import annotations

import pytest
from sympy import Abs, Eq, Ge, Ne, Rational, S, Symbol, erf

from slrsym.proof import ball_arithmetic, cases, chain, having
from slrsym.proof import sign as signs
from tests.prover.tactics._shown import is_shown

x, y = (Symbol(name, real=True) for name in "xy")
GOAL = Ge(Abs(x) + 1, x, evaluate=False)
SHOWN = chain(GOAL.lhs).ge(GOAL.rhs, by=signs)
AT_ZERO = chain(Abs(S.Zero) + 1).ge(0, by=signs)


@pytest.mark.parametrize(
    ("relations", "given", "shown"),
    [
        ([x > 0, x <= 0], (), True),
        # The same quantity with a factor, of either sign.
        ([2 * x >= 2, x <= 1], (), True),
        ([x > 0, -x > 0, Eq(x, 0)], (), True),
        # A hypothesis excludes the rest.
        ([x > 0, Eq(x, 0)], (x >= 0,), True),
        ([x < 0, Eq(x, 0)], (x <= 0,), True),
        ([x < 0, x > 0], (Ne(x, 0),), True),
        ([x > 0, Eq(x, 0)], (x >= y, y >= 0), True),
        # Something is left out.
        ([x > 1, x <= 0], (), False),
        ([x > 0, Eq(x, 0)], (x >= -1,), False),
        ([3 * x >= 2, x <= Rational(1, 2)], (), False),
    ],
)
def test_cases_cover_what_the_hypotheses_allow(relations, given, shown):
    branches = [(case, AT_ZERO if isinstance(case, Eq) else SHOWN) for case in relations]
    assert is_shown(GOAL, cases(GOAL, *branches), given) == shown


@pytest.mark.parametrize(("fact", "shown"), [(Abs(x) - x + y**2, True), (x**2 - 1, False)])
def test_a_fact_may_be_used_or_not(fact, shown):
    assert is_shown(GOAL, having(chain(fact).ge(0, by=signs), SHOWN)) == shown


def test_a_fact_is_not_shown_again_where_it_is_used():
    # The rule of the second step does not know the number.
    least = Rational(4, 5)
    goal = Ge(erf(1) * x**2, least * x**2, evaluate=False)
    fact = chain(erf(1)).gt(least, by=ball_arithmetic)
    assert is_shown(goal, having(fact, chain(goal.lhs).ge(goal.rhs, by=signs)))
