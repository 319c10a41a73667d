"""Ten flows that no function of all times solves: marked if supposed, and harmless as data."""

from __future__ import annotations

import pytest
from sympy import Eq, Function, Gt, Lt, Symbol, exp, log

from slrsym.proof import Claim, D, ForAll, Ledger, chain, signs
from slrsym.proof.dynamical import LastsForEver, flow
from slrsym.prover.statements.expressions import ProofError
from tests._profile import one_in

x = Symbol("x", real=True)
s = Symbol("s", nonnegative=True)
r = Symbol("r", real=True)
m = Function("m", real=True)

# The velocity of each, and the time: the past is supposed where it is a real symbol.
FLOWS = {
    "square": (lambda v: v**2, s),
    "cube": (lambda v: v**3, s),
    "exponential": (exp, s),
    "tangent": (lambda v: 1 + v**2, s),
    "high power": (lambda v: v**7 + 1, s),
    "to the edge": (lambda v: -1 / v, s),
    "log squared": (lambda v: v * log(v) ** 2, s),
    "beyond exponentials": (lambda v: v * log(v), s),
    "backwards": (lambda v: -(v**3), r),
    "backwards to the edge": (lambda v: 1 / v, r),
}


@pytest.mark.parametrize("name", one_in(5, [*FLOWS]))
def test_a_function_of_all_times_is_marked(name):
    velocity, t = FLOWS[name]
    supposed = ForAll(t, Eq(D(m(t), t), velocity(m(t))))
    claim = Claim(
        id="absurd",
        statement=Gt(m(2) ** 2 + 1, 0, evaluate=False),
        hypotheses=[supposed, Gt(m(0), 2)],
        source="none",
    )

    @claim.proof
    def _(goal):
        return chain(goal.lhs).gt(0, by=signs)

    ledger = Ledger()
    ledger.add(claim)
    (row,) = ledger.verify()
    assert row.supposes.startswith("supposes a solution of a differential equation for all")


@pytest.mark.parametrize("name", one_in(5, [*FLOWS]))
def test_as_a_flow_it_is_data_and_no_hypothesis(name):
    velocity, _ = FLOWS[name]
    F = flow({x: velocity(x)}, positive=(x,))
    forever = LastsForEver(F, F.region(x - 2))
    # What a trajectory does can be concluded, and not supposed.
    with pytest.raises(ProofError, match="is proved and not supposed"):
        Claim(id="absurd", statement=Lt(x, 0), hypotheses=[forever], source="none")
    # Nor is there a place for a function of time among coordinates.
    with pytest.raises(ProofError, match="a coordinate must be a symbol"):
        flow({m(s): velocity(m(s))})
