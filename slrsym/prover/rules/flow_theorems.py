"""Hypotheses of the theorems on flows, made from goals and from what the theorems speak of.

Each relation and each statement has to be proved; that functions are smooth is read off the
expressions. The proofs of the theorems stand with the proof checker's schemas of these names.
"""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy import And, Eq, Expr, Ge, Gt, Integral, Le, Lt, Matrix, Or, Symbol, Tuple
from sympy.core.symbol import uniquely_named_symbol
from sympy.logic.boolalg import Boolean

from slrsym.prover.rules.chain import D, at
from slrsym.prover.rules.descent_theorems import TheoremHypotheses, TheoremHypothesis
from slrsym.prover.statements.expressions import ProofError
from slrsym.prover.statements.flows import Flow, require_function_of_flow
from slrsym.prover.statements.maps import value_at
from slrsym.prover.statements.trajectories import (
    ArrivesAt,
    ConstantAlong,
    DecaysAlong,
    EndsBy,
    FlowLimitsSolve,
    FlowsConvergeTo,
    FlowStatement,
    LastsForEver,
    NullFlowStarts,
    RegionKept,
    SolvedBy,
)


def _goal(goal: Boolean, name: str, *kinds: type[FlowStatement]) -> Any:
    """Return the goal; raise `ProofError` if the theorem concludes another kind of statement."""
    if type(goal) not in kinds:
        wanted = " or ".join(kind.__name__ for kind in kinds)
        raise ProofError(f"theorem {name} shows {wanted}, not {goal}")
    return goal


def _value(flow: Flow, function: Any, what: str, more: tuple[Symbol, ...] = ()) -> Expr:
    """Return the value of a function at the coordinates, or at others symbols."""
    require_function_of_flow(flow, function, what, 1, max(0, len(more) - len(flow.coordinates)))
    (value,) = value_at(function, more or flow.coordinates)
    return value


def _numbers(**values: Any) -> tuple[Expr, ...]:
    for name, value in values.items():
        if not isinstance(value, Expr) or isinstance(value, sp.Lambda):
            raise ProofError(f"{name} must be an expression; got {value}")
    return tuple(values.values())


def _place(value: Any, what: str, count: int) -> int:
    if not (isinstance(value, sp.Integer) and 0 <= value < count):
        raise ProofError(f"{what} must be an integer from 0 to {count - 1}; got {value}")
    return int(value)


def _cube(flow: Flow, half: Expr) -> tuple[Boolean, ...]:
    """Return the relations which say that all coordinates are small enough."""
    return tuple(
        relation
        for x in flow.coordinates
        for relation in (Ge(x, -half, evaluate=False), Le(x, half, evaluate=False))
    )


def _kept(goal: FlowStatement) -> TheoremHypothesis:
    return TheoremHypothesis(RegionKept(goal.map, goal.region))


# -- regions that are kept ---------------------------------------------------------------------


def flow_barrier_hypotheses(goal: Boolean, first: Any) -> TheoremHypotheses:
    goal = _goal(goal, "flow-barrier", RegionKept)
    flow, values = goal.map, tuple(value_at(goal.region, goal.map.coordinates))
    count = _place(first, "first", len(values))
    hypotheses = {}
    if count:
        hypotheses["first"] = TheoremHypothesis(RegionKept(flow, flow.region(*values[:count])))
    for i, a in enumerate(values[count:], start=count + 1):
        rises = Gt(flow.rate_of(a), 0, evaluate=False)
        here = (*goal.region_conditions(), Le(a, 0, evaluate=False))
        hypotheses[f"rises_{i}"] = TheoremHypothesis(rises, here)
    return TheoremHypotheses(hypotheses, flow.coordinates)


def flow_cofactor_hypotheses(goal: Boolean, cofactors: Any) -> TheoremHypotheses:
    goal = _goal(goal, "flow-cofactor", RegionKept)
    flow, values = goal.map, tuple(value_at(goal.region, goal.map.coordinates))
    require_function_of_flow(flow, cofactors, "cofactors", len(values))
    pairs = zip(values, value_at(cofactors, flow.coordinates), strict=True)
    hypotheses = {
        f"rises_{i + 1}": TheoremHypothesis(
            Le(k * a, flow.rate_of(a), evaluate=False), goal.region_conditions(i)
        )
        for i, (a, k) in enumerate(pairs)
    }
    return TheoremHypotheses(hypotheses, flow.coordinates)


# -- functions along trajectories --------------------------------------------------------------


def flow_gronwall_hypotheses(goal: Boolean) -> TheoremHypotheses:
    goal = _goal(goal, "flow-gronwall", DecaysAlong, ConstantAlong)
    flow, v = goal.map, _value(goal.map, goal.function, "the function")
    hypotheses = {"kept": _kept(goal)}
    if isinstance(goal, ConstantAlong):
        said: Boolean = Eq(flow.rate_of(v), 0, evaluate=False)
        hypotheses["constant"] = TheoremHypothesis(said, goal.region_conditions())
    else:
        said = Le(flow.rate_of(v) + goal.rate * v, 0, evaluate=False)
        hypotheses["decays"] = TheoremHypothesis(said, goal.region_conditions())
    return TheoremHypotheses(hypotheses, flow.coordinates)


def flow_for_ever_hypotheses(
    goal: Boolean, function: Any, rate: Expr, bound: Any, least: Any, start: Any, time: Any
) -> TheoremHypotheses:
    goal = _goal(goal, "flow-for-ever", LastsForEver)
    flow = goal.map
    (rate,) = _numbers(rate=rate)
    if not isinstance(start, tuple) or len(start) != len(flow.coordinates):
        raise ProofError(f"start must name {len(flow.coordinates)} coordinates; got {start}")
    for z in start:
        if not isinstance(z, Symbol) or z in flow.coordinates or z.is_extended_real is not True:
            raise ProofError(f"start must be of symbols declared real; got {start}")
    if not isinstance(time, Symbol) or not time.is_nonnegative or time.is_positive:
        raise ProofError(f"time must be a symbol declared nonnegative; got {time}")
    v, first = _value(flow, function, "function"), value_at(function, start)[0]
    half = _value(flow, bound, "bound", (time, *start))
    floor = _value(flow, least, "least", (time, *start))
    put = dict(zip(flow.coordinates, start, strict=True))
    begins = tuple(at_start.xreplace(put) for at_start in goal.region_conditions())
    allowed = Le(v, sp.Abs(first) * sp.exp(-rate * time), evaluate=False)
    inside = [Gt(floor, 0, evaluate=False), *_cube(flow, half)]
    inside += [Ge(h, floor, evaluate=False) for h in flow.positive]
    hypotheses = {
        "kept": _kept(goal),
        "decays": TheoremHypothesis(DecaysAlong(flow, goal.region, function, rate)),
        "bounded": TheoremHypothesis(
            And(*inside, evaluate=False), (*begins, *goal.region_conditions(), allowed)
        ),
    }
    if not rate.is_nonpositive:
        hypotheses["rate"] = TheoremHypothesis(Le(rate, 0, evaluate=False))
    return TheoremHypotheses(hypotheses, (*flow.coordinates, *start, time))


def flow_ends_hypotheses(goal: Boolean) -> TheoremHypotheses:
    goal = _goal(goal, "flow-ends", EndsBy)
    flow, end = goal.map, _value(goal.map, goal.function, "the function")
    here = goal.region_conditions()
    hypotheses = {
        "kept": _kept(goal),
        "nonnegative": TheoremHypothesis(Ge(end, 0, evaluate=False), here),
        "falls": TheoremHypothesis(Le(flow.rate_of(end) + 1, 0, evaluate=False), here),
    }
    return TheoremHypotheses(hypotheses, flow.coordinates)


# -- where trajectories end --------------------------------------------------------------------


def flow_lasalle_hypotheses(
    goal: Boolean, function: Any, factor: Expr, bound: Expr
) -> TheoremHypotheses:
    goal = _goal(goal, "flow-lasalle", FlowLimitsSolve)
    flow = goal.map
    factor, bound = _numbers(factor=factor, bound=bound)
    squares = (e**2 for e in value_at(goal.equations, flow.coordinates))
    least = sp.Add(*squares) + factor * flow.rate_of(_value(flow, function, "function"))
    inside = flow.domain_conditions()
    of_region = tuple(c for c in goal.region_conditions() if c not in inside)
    hypotheses = {
        "kept": _kept(goal),
        "bounded": TheoremHypothesis(And(*inside, *_cube(flow, bound), evaluate=False), of_region),
        "falls": TheoremHypothesis(Le(least, 0, evaluate=False), goal.region_conditions()),
    }
    if not factor.is_positive:
        hypotheses["factor"] = TheoremHypothesis(Gt(factor, 0, evaluate=False))
    return TheoremHypotheses(hypotheses, flow.coordinates)


def flow_limit_hypotheses(goal: Boolean, equations: Any, outside: Any) -> TheoremHypotheses:
    goal = _goal(goal, "flow-limit", FlowsConvergeTo)
    flow = goal.map
    limits = FlowLimitsSolve(flow, goal.region, equations)
    system = And(*(Eq(e, 0, evaluate=False) for e in value_at(equations, flow.coordinates)))
    hypotheses = {"limits": TheoremHypothesis(limits)}
    if not isinstance(outside, tuple | Tuple):
        raise ProofError(f"outside must be points, each followed by a place; got {outside}")
    points = [tuple(p) for p in goal.points]
    for number, q in enumerate(outside, start=1):
        if not isinstance(q, tuple | Tuple) or len(q) != len(flow.coordinates) + 1:
            raise ProofError(
                f"a point outside must be {len(flow.coordinates)} coordinates and the place of a "
                f"function that is negative there; got {q}"
            )
        *point, place = q
        function = value_at(goal.region, point)[_place(place, "a place", len(goal.region.expr))]
        hypotheses[f"outside_{number}"] = TheoremHypothesis(Lt(function, 0, evaluate=False))
        points.append(tuple(point))
    listed = [
        And(*(Eq(x, c, evaluate=False) for x, c in zip(flow.coordinates, p, strict=True)))
        for p in points
    ]
    solved = sp.Equivalent(system, Or(*listed) if len(listed) > 1 else listed[0], evaluate=False)
    if solved != sp.S.true:
        hypotheses["solutions"] = TheoremHypothesis(solved, goal.region_conditions())
    return TheoremHypotheses(hypotheses, flow.coordinates)


def flow_center_stable_hypotheses(
    goal: Boolean, matrix: Any, eigenvalue: Expr
) -> TheoremHypotheses:
    goal = _goal(goal, "flow-center-stable", NullFlowStarts)
    flow = goal.map
    if len(goal.points) != 1:
        raise ProofError(f"theorem flow-center-stable is about one point; got {goal.points}")
    (point,) = goal.points
    size = len(flow.coordinates)
    rows = tuple(matrix) if isinstance(matrix, tuple) else ()
    if len(rows) != size or any(len(row) != size for row in rows):
        raise ProofError(f"matrix must be {size} rows of {size} entries; got {matrix}")
    (eigenvalue,) = _numbers(eigenvalue=eigenvalue)
    place = dict(zip(flow.coordinates, point, strict=True))
    hypotheses = {
        f"inside_{i}": TheoremHypothesis(Gt(at(h, place), 0, evaluate=False))
        for i, h in enumerate(flow.positive, start=1)
        if h != 1
    }
    for i, (velocity, row) in enumerate(zip(flow.velocities, rows, strict=True), start=1):
        hypotheses[f"zero_{i}"] = TheoremHypothesis(Eq(at(velocity, place), 0, evaluate=False))
        for j, (x, entry) in enumerate(zip(flow.coordinates, row, strict=True), start=1):
            slope = Eq(at(D(velocity, x), place), entry, evaluate=False)
            hypotheses[f"entry_{i}{j}"] = TheoremHypothesis(slope)
    root = uniquely_named_symbol("r", [*(Tuple(*row) for row in rows), eigenvalue], real=True)
    shifted = Matrix(rows) - root * sp.eye(size)
    # The other methods divide, and simplify for long where entries have roots.
    characteristic = at(shifted.det(method="laplace"), {root: eigenvalue})
    hypotheses["eigenvalue"] = TheoremHypothesis(Eq(characteristic, 0, evaluate=False))
    hypotheses["positive"] = TheoremHypothesis(Gt(eigenvalue, 0, evaluate=False))
    return TheoremHypotheses(hypotheses, flow.coordinates)


# -- solutions ---------------------------------------------------------------------------------


def flow_solution_hypotheses(goal: Boolean, time: Any) -> TheoremHypotheses:
    goal = _goal(goal, "flow-solution", SolvedBy)
    flow = goal.map
    if not isinstance(time, Symbol) or not time.is_nonnegative or time.is_positive:
        raise ProofError(f"time must be a symbol declared nonnegative; got {time}")
    there = tuple(value_at(goal.solution, (time, *flow.coordinates)))
    first = tuple(value_at(goal.solution, (0, *flow.coordinates)))
    place, here = dict(zip(flow.coordinates, there, strict=True)), goal.region_conditions()
    hypotheses = {}
    for i, (x, u, begin, f) in enumerate(
        zip(flow.coordinates, there, first, flow.velocities, strict=True), start=1
    ):
        if begin != x:
            begins = Eq(begin, x, evaluate=False)
            hypotheses[f"begins_{i}"] = TheoremHypothesis(begins, here)
        moves = Eq(D(u, time), at(f, place), evaluate=False)
        hypotheses[f"moves_{i}"] = TheoremHypothesis(moves, here)
    for j, h in enumerate(flow.positive, start=1):
        if h != 1:
            stays = Gt(at(h, place), 0, evaluate=False)
            hypotheses[f"stays_{j}"] = TheoremHypothesis(stays, here)
    return TheoremHypotheses(hypotheses, (*flow.coordinates, time))


def flow_time_hypotheses(goal: Boolean, direction: Any, reciprocal: Any) -> TheoremHypotheses:
    goal = _goal(goal, "flow-time", ArrivesAt)
    flow = goal.map
    if direction not in (1, -1):
        raise ProofError(f"direction must be 1 or -1; got {direction}")
    (x,), (f,), (start, end) = flow.coordinates, flow.velocities, goal.ends
    q = _value(flow, reciprocal, "reciprocal")
    low, high = (start, end) if direction == 1 else (end, start)
    pushes = Gt(f, 0, evaluate=False) if direction == 1 else Lt(f, 0, evaluate=False)
    between = (Le(low, x, evaluate=False), Le(x, high, evaluate=False))
    hypotheses = {
        "order": TheoremHypothesis(Le(low, high, evaluate=False)),
        "pushes": TheoremHypothesis(
            And(*flow.domain_conditions(), pushes, evaluate=False), between
        ),
        "reciprocal": TheoremHypothesis(Eq(f * q, 1, evaluate=False), between),
        "time": TheoremHypothesis(Eq(goal.time, Integral(q, (x, start, end)), evaluate=False)),
    }
    return TheoremHypotheses(hypotheses, flow.coordinates)
