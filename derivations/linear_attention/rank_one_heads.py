"""Heads of rank one: the key, the query and the value of each head stay balanced.

The prediction is $b' P x$, and $P$ is the sum of $v k q'$ over heads, with a number $v$ and vectors
$k, q$ of its own for each. All other heads together are a matrix $B$.
"""

from prompts import B, T, d, loss, matrix_gradient
from sympy import Eq, S, Symbol, Trace

from slrsym.matrices import along, matrix
from slrsym.proof import Claim, algebra, chain

v = Symbol("v", real=True)
k, q, h = (matrix(name, d, 1) for name in "kqh")
P = v * k * q.T + B
slope = matrix_gradient(T, S.One, P)
value_slope, key_slope, query_slope = Trace(k.T * slope * q), v * slope * q, v * slope.T * k


def _gradient_claim(part, move, value):
    claim = Claim(
        id=f"rank-one-{part}-gradient",
        title=f"The gradient of the loss in the {part} of one head of rank one, among any others",
        statement=Eq(along(loss(T, S.One, P), move), value, evaluate=False),
        source="new",
    )

    @claim.proof
    def _(goal):
        """The derivative along every direction."""
        return chain(goal.lhs).then(goal.rhs, by=algebra)

    return claim


value_gradient = _gradient_claim("value", (v, 1), value_slope)
key_gradient = _gradient_claim("key", (k, h), Trace(key_slope.T * h))
query_gradient = _gradient_claim("query", (q, h), Trace(query_slope.T * h))

key_balance = Claim(
    id="rank-one-key-balance",
    title="Along gradient flow $v^2 - |k|^2$ of a head of rank one does not change",
    statement=Eq(
        along(v**2 - Trace(k.T * k), (v, -value_slope), (k, -key_slope)), 0, evaluate=False
    ),
    source="new",
)


@key_balance.proof
def _(goal):
    """The derivative along the negative gradient vanishes."""
    return chain(goal.lhs).then(goal.rhs, by=algebra)


query_balance = Claim(
    id="rank-one-query-balance",
    title="Along gradient flow $v^2 - |q|^2$ of a head of rank one does not change",
    statement=Eq(
        along(v**2 - Trace(q.T * q), (v, -value_slope), (q, -query_slope)), 0, evaluate=False
    ),
    source="new",
)


@query_balance.proof
def _(goal):
    """The derivative along the negative gradient vanishes."""
    return chain(goal.lhs).then(goal.rhs, by=algebra)
