"""What numbers object to in statements about flows whose trajectories are known by hand."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from sympy import Function, Lt, Rational, S, Symbol, Tuple, cos, exp, log, pi, sqrt, symbols, tanh

from slrsym.crosscheck import Inconclusive, trajectories
from slrsym.crosscheck.flows import find_contradicting_trajectory
from slrsym.crosscheck.orbit_iteration import random_map_instances
from slrsym.crosscheck.orbits import ContradictedStatement, require_no_orbit_counterexample
from slrsym.prover.statements.flows import flow
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
from tests._profile import thorough, thorough_only

x, y = symbols("x y", real=True)
a, b, delta = symbols("a b delta", positive=True)
t = Symbol("t", nonnegative=True)
HALF = Rational(1, 2)
RADIUS = x**2 + y**2
LOGISTIC = flow({x: x * (1 - x)})
SHRINKING = flow({x: -x * (1 - x)})
BLOWUP = flow({x: x**2})
LATER = flow({x: x**2 - Rational(7, 20)})
ROOT = flow({x: -sqrt(x)}, [x])
DECAY = flow({x: -x}, [x])
TO_EDGE = flow({x: -1 / x}, [x])
CUBIC = flow({x: -a * x**3})
RIGHT, LEFT = flow({x: S.One}), flow({x: S.NegativeOne})
SPRING = flow({x: y, y: -x})
SADDLE = flow({x: x, y: -y})
SINK = flow({x: -x, y: -y})
CYCLE = flow({x: x - y - x * RADIUS, y: x + y - y * RADIUS})
RING = CYCLE.region(2 - RADIUS, RADIUS - HALF)
# The loss a x^2 y^2/2 - b x y, whose flow keeps x^2 - y^2.
LOSS = a * x**2 * y**2 / 2 - b * x * y
DESCENT = flow({x: -LOSS.diff(x), y: -LOSS.diff(y)})
BELOW = DESCENT.region(-delta - LOSS)
GAP = a / 2 * (x * y - b / a) ** 2
ROOM = (Lt(2 * a * delta, b**2),)

TRUE = {
    "kept": (RegionKept(LOGISTIC, LOGISTIC.region(x)), ()),
    "limits": (FlowsConvergeTo(LOGISTIC, LOGISTIC.region(x), LOGISTIC.points((1,), (0,))), ()),
    "limit": (FlowsConvergeTo(LOGISTIC, LOGISTIC.region(x - delta), LOGISTIC.points((1,))), ()),
    "limit-of-parameters": (
        FlowsConvergeTo(flow({x: a - x}), flow({x: a - x}).region(1 - (x - a) ** 2),
                        flow({x: a - x}).points((a,))), ()),
    "balanced": (ConstantAlong(DESCENT, DESCENT.region(), DESCENT.function(x**2 - y**2)), ()),
    "rate": (DecaysAlong(DESCENT, BELOW, DESCENT.function(GAP), 4 * delta * a / b), ROOM),
    "slow": (DecaysAlong(CUBIC, CUBIC.region(), CUBIC.function(x**2), 0), ()),
    "energy": (ConstantAlong(SPRING, SPRING.region(), SPRING.function(RADIUS)), ()),
    "cycle": (FlowLimitsSolve(CYCLE, RING, CYCLE.function(RADIUS - 1)), ()),
    "exponential": (LastsForEver(flow({x: x}), flow({x: x}).region()), ()),
    "double-exponential": (
        LastsForEver(flow({x: x * log(x)}, [x]), flow({x: x * log(x)}, [x]).region(x - 2)), ()),
    "to-the-edge-slowly": (LastsForEver(DECAY, DECAY.region()), ()),
    "blow-up": (EndsBy(BLOWUP, BLOWUP.region(x - 1), BLOWUP.function(1 / x)), ()),
    "edge": (EndsBy(TO_EDGE, TO_EDGE.region(), TO_EDGE.function(x**2 / 2)), ()),
    "arrives": (ArrivesAt(BLOWUP, Tuple(a, 2 * a), 1 / (2 * a)), ()),
    "arrives-below": (ArrivesAt(flow({x: -x}), Tuple(2 * a, a), log(2)), ()),
    "saddle": (NullFlowStarts(SADDLE, SADDLE.points((0, 0))), ()),
    "axis": (RegionKept(SADDLE, SADDLE.region(y, -y)), ()),
    "diagonal": (RegionKept(flow({x: y - x, y: x - y}), SADDLE.region(x - y, y - x)), ()),
    "diagonal-by-squares": (
        RegionKept(flow({x: y - x, y: x - y}), SADDLE.region(-((x - y) ** 2))), ()),
    "origin-by-squares": (RegionKept(SADDLE, SADDLE.region(-2 * x**2 - y**2)), ()),
    "circle": (RegionKept(SPRING, SPRING.region(RADIUS - 1, 1 - RADIUS)), ()),
    "solution": (SolvedBy(DECAY, DECAY.region(), DECAY.solution(t, x * exp(-t))), ()),
}  # fmt: skip

# Those of section 7 of the design, and others, with what contradicts them; "undecided" refuses.
FALSE = {
    "pole": (RegionKept(LEFT, LEFT.region(1 / x)), (), "a function of the region is -"),
    "blow-up-for-ever": (
        SolvedBy(BLOWUP, BLOWUP.region(x), BLOWUP.solution(t, x / (1 - x * t))), (), "ends soon"),
    "saddle-left-out": (
        FlowsConvergeTo(LOGISTIC, LOGISTIC.region(x), LOGISTIC.points((1,))), (),
        "stays there, where the field is 0"),
    "degenerate-region": (
        RegionKept(RIGHT, RIGHT.region(-(x**2))), (), "a function of the region is -"),
    "not-conserved": (
        ConstantAlong(DESCENT, DESCENT.region(), DESCENT.function(x**2 - 2 * y**2)), (), "not "),
    "rate": (DecaysAlong(DESCENT, BELOW, DESCENT.function(GAP), 9 * delta * a / b), ROOM, "not "),
    "root-for-ever": (
        SolvedBy(ROOT, ROOT.region(x), ROOT.solution(t, (sqrt(x) - t / 2) ** 2)), (), "ends soon"),
    "not-compact": (
        FlowLimitsSolve(RIGHT, RIGHT.region(x), RIGHT.function(exp(-x / 2))), (), "undecided"),
    "cubic-rate": (DecaysAlong(CUBIC, CUBIC.region(), CUBIC.function(x**2), 2 * a), (), "not "),
    "half-plane": (RegionKept(SPRING, SPRING.region(x)), (), "a function of the region is -"),
    "cycle-as-zeros": (
        FlowLimitsSolve(CYCLE, RING, CYCLE.function(*CYCLE.velocities)), (), "undecided"),
    "wrong-limit": (
        FlowsConvergeTo(LOGISTIC, LOGISTIC.region(x - HALF), LOGISTIC.points((2,))), (),
        "it is near (1.0) at the time 1000, a sink"),
    # The trajectories leave the region, for a zero outside of it.
    "sink-outside": (
        FlowsConvergeTo(SHRINKING, SHRINKING.region(1 - x, x - HALF), SHRINKING.points((1,))), (),
        "at the time 1000, a sink"),
    "fast-logistic": (
        SolvedBy(LOGISTIC, LOGISTIC.region(x),
                 LOGISTIC.solution(t, x * exp(4 * t) / (1 + x * (exp(4 * t) - 1)))), (),
        "the formula gives"),
    "lasts": (LastsForEver(BLOWUP, BLOWUP.region()), (), "ends soon"),
    "lasts-at-edge": (LastsForEver(TO_EDGE, TO_EDGE.region()), (), "ends soon"),
    "lasts-at-root": (LastsForEver(ROOT, ROOT.region()), (), "ends soon"),
    "ends-too-early": (
        EndsBy(BLOWUP, BLOWUP.region(x - 1), BLOWUP.function(1 / (2 * x))), (), "goes on"),
    # Two methods agree on it but roughly, near its end.
    "ends-somewhat-later": (
        EndsBy(LATER, LATER.region(x - 1), LATER.function(1 / x)), (), "goes on"),
    "ends-at-no-time": (
        EndsBy(BLOWUP, BLOWUP.region(x - 1), BLOWUP.function(-x)), (), "the time is -"),
    "arrives-late": (ArrivesAt(BLOWUP, Tuple(a, 2 * a), 1 / a), (), "ends soon|undecided"),
    "arrives-elsewhere": (ArrivesAt(flow({x: -x}), Tuple(2 * a, a), log(3)), (), "it is at"),
    "arrives-backwards": (ArrivesAt(flow({x: x}), Tuple(2 * a, a), -log(2)), (), "the time is -"),
    "sink": (NullFlowStarts(SINK, SINK.points((0, 0))), (), "all trajectories near by"),
    "diagonal": (
        RegionKept(flow({x: y - x + 1, y: x - y}), SADDLE.region(x - y, y - x)), (),
        "a function of the region is -"),
    "other-solution": (
        SolvedBy(DECAY, DECAY.region(), DECAY.solution(t, x * exp(-2 * t))), (),
        "the formula gives"),
}  # fmt: skip


# Left to ci.
SLOW = {
    "cycle", "cycle-as-zeros", "limit", "limits", "exponential", "circle", "arrives-below",
    "lasts-at-root", "arrives-elsewhere", "other-solution", "wrong-limit",
}  # fmt: skip


def examine(statement, given=(), seed=1):
    try:
        return find_contradicting_trajectory(statement, given, np.random.default_rng(seed))
    except Inconclusive as reason:
        return f"undecided: {reason}"


@pytest.mark.parametrize("name", [thorough(n) if n in SLOW else n for n in TRUE])
def test_what_is_true_is_accepted(name):
    assert examine(*TRUE[name]) == ""


@pytest.mark.parametrize("name", [thorough(n) if n in SLOW else n for n in FALSE])
def test_what_is_false_is_contradicted_or_undecided(name):
    statement, given, why = FALSE[name]
    found = examine(statement, given)
    assert any(part in found for part in why.split("|")), found


def test_a_contradiction_names_a_start_a_time_and_parameters():
    found = examine(*FALSE["not-conserved"][:2])
    assert found.startswith("from (")
    assert "at the time" in found
    assert "a = " in found
    with pytest.raises(ContradictedStatement, match=r"from \("):
        require_no_orbit_counterexample(
            FALSE["half-plane"][0], (), np.random.default_rng(1)
        )  # fmt: skip


def test_slowness_contradicts_no_limit():
    """The flow of -x^3 falls like a root of time; it is not seen to come to 0, nor to stay away."""
    slow = FlowsConvergeTo(flow({x: -(x**3) / 1000}), RIGHT.region(4 - x**2), RIGHT.points((0,)))
    assert "undecided" in examine(slow)


def test_little_time_leaves_it_undecided(monkeypatch):
    monkeypatch.setattr(trajectories.Clock.__init__, "__defaults__", (-1.0,))
    assert "takes more than" in examine(*TRUE["balanced"])


def test_unknown_functions_are_drawn():
    f = Function("f", real=True)
    any_field, factor = flow({x: f(x)}), flow({x: x * f(x) - x**3})
    assert "a function of the region is -" in examine(RegionKept(any_field, any_field.region(x)))
    assert examine(RegionKept(factor, factor.region(x))) == ""


@thorough_only
def test_stiff_and_oscillating_flows_are_judged():
    stiff = flow({x: -1000 * (x - cos(y)), y: S.One})
    assert examine(RegionKept(stiff, stiff.region(2 - x, 2 + x))) == ""
    fast = flow({x: 200 * pi * y, y: -200 * pi * x})
    assert examine(ConstantAlong(fast, fast.region(), fast.function(RADIUS))) == ""


@pytest.mark.parametrize(("field", "expected"), [({x: -a * x}, 4), ({x: -x}, 12)])
def test_costly_trajectories_are_followed_from_the_first_starts(field, expected):
    """Of these, every other one is on the boundary; without parameters there is one such flow."""
    decay = flow(field)
    statement = RegionKept(decay, decay.region(x - 1))
    (case,) = islice(random_map_instances(statement, (), np.random.default_rng(2)), 1)
    instance = trajectories.FlowInstance(case, statement.region, trajectories.Clock())
    instance.evaluations = 10**6
    starts = [*instance.affordable_starts(8)]
    assert len(starts) == expected
    assert [abs(start[0] - 1) < 1e-9 for start in starts[:4]] == [True, False] * 2


def test_whole_domain_is_kept_without_a_look():
    assert examine(RegionKept(ROOT, ROOT.region())) == ""


def test_python_numbers_and_arrays_give_the_same_field():
    """Both are real or nan, also where Python's power is complex, or overflows."""
    field = flow({x: sqrt(x) + exp(-x) / (1 + exp(y)), y: x ** Rational(1, 3) + tanh(y)})
    (case,) = islice(
        random_map_instances(RegionKept(field, field.region()), (), np.random.default_rng(2)), 1
    )
    instance = trajectories.FlowInstance(case, field.region(), trajectories.Clock())
    for point in [(0.5, -2.0), (-0.5, 0.1), (2.0, 800.0), (0.0, 0.0), (np.inf, 1.0), (-900.0, 0.0)]:
        place = np.array(point)
        np.testing.assert_allclose(instance.velocity(place), instance.field(place), rtol=1e-14)


def test_a_method_that_does_not_return_is_ended():
    """Where the velocity is nan, a step of a method has no end of its own."""
    root = flow({x: sqrt(x)})
    (case,) = islice(
        random_map_instances(RegionKept(root, root.region()), (), np.random.default_rng(2)), 1
    )
    instance = trajectories.FlowInstance(case, root.region(), trajectories.Clock())
    path = instance.follow(np.array([-1.0]), np.array([0.0, 1.0]))
    assert len(path.points) == 1
    assert not path.ends
    assert not path.complete
