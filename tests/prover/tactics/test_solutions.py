"""Solution sets of equations whose factors have parameters."""

from __future__ import annotations

import pytest
from sympy import Eq, Equivalent, Or, Symbol

from slrsym.proof import only_at, solution, solution_set, split_product
from tests.prover.tactics._shown import is_shown

x, y = (Symbol(name, real=True) for name in "xy")
p, q = (Symbol(name, positive=True) for name in "pq")


@pytest.mark.parametrize(
    ("factors", "shown"),
    [
        ([p * (x - 1), x - 2], True),
        ([p * (x - 1), q * (x - 2), (p + q) * (x - 3)], True),
        ([y * (x - 1), x - 2], False),
    ],
)
def test_a_parameter_must_not_vanish(factors, shown):
    product = 1
    for factor in factors:
        product *= factor
    values = range(1, len(factors) + 1)
    goal = Equivalent(Eq(product, 0), Or(*(Eq(x, v) for v in values)))
    roots = [only_at(f, x, v, solution()) for f, v in zip(factors, values, strict=True)]
    assert is_shown(goal, solution_set(goal, [x], split_product(product, *roots))) == shown
