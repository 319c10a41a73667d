"""Flows and statements about their trajectories: what they may be made of, and how they read."""

from __future__ import annotations

import pytest
from sympy import Derivative, FiniteSet, Lambda, S, Symbol, Tuple, exp, latex, sqrt, symbols

from slrsym.proof import ProofError
from slrsym.prover.statements.flows import Flow, flow
from slrsym.prover.statements.maps import box_map
from slrsym.prover.statements.trajectories import (
    ArrivesAt,
    ConstantAlong,
    DecaysAlong,
    EndsBy,
    FlowLimitsSolve,
    FlowsConvergeTo,
    LastsForEver,
    NullFlowStarts,
    RegionKept,
    SolvedBy,
)

x, y = symbols("x y", real=True)
a, n = Symbol("a", positive=True), Symbol("n", integer=True)
t = Symbol("t", nonnegative=True)
F = flow({x: a * x * (1 - x)}, [2 - x])
PLANE = flow({x: y, y: -x})
A = F.region(x, 1 - x)


def test_a_flow_is_its_field_and_its_domain():
    assert F.coordinates == (x,)
    assert F.velocities == (a * x * (1 - x),)
    assert F.positive == (2 - x,)
    assert F.free_symbols == {a}
    assert [str(c) for c in F.domain_conditions()] == ["2 - x > 0"]
    # Without functions it lives everywhere.
    assert PLANE.positive == (1,)
    assert PLANE.domain_conditions() == ()


@pytest.mark.parametrize(
    ("made", "why"),
    [
        (lambda: flow({a: a}), "declared real, and no more"),
        (lambda: flow({n: n}), "declared real, and no more"),
        (lambda: flow({}), "with a Tuple for a value|Lambda"),
        (lambda: flow({x + 1: x}), "must be a symbol"),
        (lambda: Flow(Lambda((x, y), Tuple(x)), Lambda((x, y), Tuple(x))), "1 velocities"),
        (lambda: Flow(Lambda((x,), Tuple(x)), Lambda((x, y), Tuple(x))), "domain of 2"),
        (lambda: Flow(Lambda((x,), x**2), Lambda((x,), Tuple(x))), "the field must be a Lambda"),
        (lambda: Flow(Lambda((x,), Tuple(x)), x), "the domain must be a Lambda"),
        (lambda: F.function(), "needs a value"),
        (lambda: F.solution(Symbol("x", nonnegative=True), x), "the name of a coordinate"),
        (lambda: F.points(), "points must be a set"),
        (lambda: F.points((1, 2)), "of 1 coordinates"),
        (lambda: F.points((x,)), "depend on the coordinates"),
    ],
)
def test_what_is_no_flow_or_does_not_fit_it_is_refused(made, why):
    with pytest.raises(ProofError, match=why):
        made()


def test_the_rate_of_an_expression_is_its_unevaluated_derivative_along_the_field():
    rate = PLANE.rate_of(x**2 + y**2)
    assert rate.atoms(Derivative)
    assert rate.doit().expand() == 0
    assert F.rate_of(x).doit() == a * x * (1 - x)


def test_functions_regions_and_solutions_are_functions_of_the_coordinates():
    assert Lambda((x,), Tuple(x, 1 - x)) == A
    assert F.region() == Lambda((x,), Tuple(S.One))
    # Unlike a Lambda with the coordinate for a value, which is the identity without a name.
    assert F.function(x).variables == (x,)
    moving = Symbol("t", real=True)
    assert F.solution(t, x * exp(t)) == Lambda((moving, x), Tuple(x * exp(moving)))
    assert F.points((a,), (sqrt(2),)) == FiniteSet(Tuple(a), Tuple(sqrt(2)))


SENTENCES = [
    (RegionKept(F, A),
     "every trajectory from a point with all c >= 0 stays among these points, c(x) = (x, 1 - x), "
     "d/dt (x) = (a*x*(1 - x)) where 2 - x > 0"),
    (RegionKept(PLANE, PLANE.region()),
     "every trajectory stays in the domain, d/dt (x, y) = (y, -x)"),
    (ConstantAlong(PLANE, PLANE.region(x), PLANE.function(y)),
     "every trajectory from a point with c >= 0 keeps the value of f, c(x, y) = (x), "
     "f(x, y) = (y), d/dt (x, y) = (y, -x)"),
    (DecaysAlong(PLANE, PLANE.region(), PLANE.function(y), 0),
     "along every trajectory f never rises, f(x, y) = (y), d/dt (x, y) = (y, -x)"),
    (DecaysAlong(PLANE, PLANE.region(), PLANE.function(y), 2),
     "along every trajectory f is at most its first value times exp(-2*tau) at the time tau, "
     "f(x, y) = (y), d/dt (x, y) = (y, -x)"),
    (LastsForEver(PLANE, PLANE.region()),
     "every trajectory lasts for ever, d/dt (x, y) = (y, -x)"),
    (FlowsConvergeTo(PLANE, PLANE.region(), PLANE.points((0, 0), (1, a))),
     "every trajectory lasts for ever, and converges to (0, 0) or (1, a), d/dt (x, y) = (y, -x)"),
    (ArrivesAt(F, Tuple(a, 2 * a), 1 / a),
     "the trajectory of a is at 2*a at the time 1/a, d/dt (x) = (a*x*(1 - x)) where 2 - x > 0"),
    (NullFlowStarts(PLANE, PLANE.points((0, 0))),
     "the starts whose trajectories converge to (0, 0) are of measure 0, d/dt (x, y) = (y, -x)"),
]  # fmt: skip


@pytest.mark.parametrize(("statement", "text"), SENTENCES, ids=range(len(SENTENCES)))
def test_statements_read_as_sentences(statement, text):
    assert str(statement) == text
    assert r"\frac{d}{dt}" in latex(statement)


def test_the_start_is_said_in_the_other_sentences_too():
    for statement in (FlowLimitsSolve(F, A, F.function(x)), SolvedBy(F, A, F.solution(t, x)),
                      EndsBy(F, A, F.function(1 / x))):  # fmt: skip
        assert str(statement).startswith("every trajectory from a point with all c >= 0 ")


def test_the_letter_of_a_region_is_no_parameter():
    line = flow({x: Symbol("c", real=True) * x})
    text = str(RegionKept(line, line.region(x)))
    assert text.startswith("every trajectory from a point with a >= 0 stays")


WRONG = [
    lambda: RegionKept(box_map({x: x / 2}), A),
    lambda: RegionKept(F),
    lambda: RegionKept(F, A, A),
    lambda: RegionKept(F, PLANE.region(x)),
    lambda: RegionKept(F, Lambda((x,), x**2)),
    lambda: RegionKept(F, Lambda((a,), Tuple(a))),
    lambda: RegionKept(F, Lambda((x,), Tuple())),
    lambda: ConstantAlong(F, A, F.function(x, x)),
    lambda: DecaysAlong(F, A, F.function(x), x),
    lambda: DecaysAlong(F, A, F.function(x), A),
    lambda: FlowLimitsSolve(F, A, F.points((1,))),
    lambda: FlowsConvergeTo(F, A, FiniteSet(1)),
    lambda: FlowsConvergeTo(F, A, FiniteSet(Tuple(x))),
    lambda: FlowsConvergeTo(F, A, FiniteSet()),
    lambda: SolvedBy(F, A, F.function(x)),
    lambda: SolvedBy(F, A, F.solution(t, x, x)),
    lambda: ArrivesAt(PLANE, Tuple(1, 2), 1),
    lambda: ArrivesAt(F, Tuple(1), 1),
    lambda: ArrivesAt(F, Tuple(x, 1), 1),
    lambda: ArrivesAt(F, Tuple(0, 1), x),
    lambda: EndsBy(F, A, F.function(x, 1)),
    lambda: NullFlowStarts(F, PLANE.points((0, 0))),
    lambda: NullFlowStarts(box_map({x: x / 2}), F.points((0,))),
]


@pytest.mark.parametrize("made", WRONG, ids=range(len(WRONG)))
def test_statements_of_other_things_are_refused(made):
    with pytest.raises(ProofError):
        made()
