"""Values of functions at equal arguments, logarithms of products, and values of sequences."""

import pytest
from sympy import Eq, Function, IndexedBase, exp, log, sqrt, symbols, tanh

from slrsym.proof import Claim, Ledger, algebra, chain

h, k = symbols("h k", real=True)
q, s = symbols("q s", positive=True)
f, P = Function("f", real=True), IndexedBase("P", real=True)
SQUARE = Eq(k, h**2 + 1)


@pytest.mark.parametrize(
    ("left", "right", "wrong", "given"),
    [
        (P[0] + P[1] + P[0], 2 * P[0] + P[1], P[0] + 2 * P[1], []),
        (f(h**2 + 1), f(k), f(k + 1), [SQUARE]),
        (tanh(h), tanh(k**3), tanh(k**2), [Eq(h, k**3)]),
        (log(q**3 * exp(-h)), 3 * log(q) - h, 3 * log(q) + h, []),
        (log(sqrt(q) / s), log(q) / 2 - log(s), log(q) / 2 + log(s), []),
        (log(q * s * exp(h + k)), log(q) + log(s) + h + k, log(q) + log(s) + h - k, []),
    ],
)
def test_algebra_proves_the_true_equation_alone(left, right, wrong, given):
    for side, status in ((right, "proved"), (wrong, "failed")):
        claim = Claim("equal", Eq(left, side, evaluate=False), "test", hypotheses=given)
        claim.proof(lambda goal: chain(goal.lhs).then(goal.rhs, by=algebra))
        (row,) = Ledger({"equal": claim}).verify()
        assert row.status == status, row.error
