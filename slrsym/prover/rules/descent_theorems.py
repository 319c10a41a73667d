"""Hypotheses of the theorems on descending orbits, made from goals.

From the statement, and a few expressions that it speaks of (a rate, a second point), a theorem
makes its hypotheses: relations for all points of the box, statements about orbits, and that
functions are continuously differentiable. Each of the first two kinds has to be proved; the third
is read off the expressions. How the conclusion follows stands with the
proof checker's schema of its name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sympy as sp
from sympy import And, Eq, Expr, Ge, Gt, Lambda, Le, Symbol
from sympy.logic.boolalg import Boolean

from slrsym.prover.rules.chain import at
from slrsym.prover.statements.expressions import ProofError, substitute_simultaneously
from slrsym.prover.statements.maps import BoxMap, lambda_of_coordinates, point_set
from slrsym.prover.statements.orbits import (
    AccumulationPointsSolve,
    DecreasesAlong,
    OrbitsConvergeTo,
    OrbitStatement,
    StepsVanish,
    VanishesAlong,
)


@dataclass(frozen=True)
class TheoremHypothesis:
    """A hypothesis of a theorem: a statement to prove, under hypotheses of its own."""

    statement: Boolean
    hypotheses: tuple[Boolean, ...] = ()


@dataclass(frozen=True)
class TheoremHypotheses:
    """All hypotheses of a theorem on orbits for one goal, and its bound symbols."""

    hypotheses: Mapping[str, TheoremHypothesis]
    bound: tuple[Symbol, ...]


def require_goal_kind(goal: Boolean, kind: type[OrbitStatement], name: str) -> Any:
    """Return the goal; raise `ProofError` if the theorem concludes another kind of statement."""
    if type(goal) is not kind:
        raise ProofError(f"theorem {name} shows {kind.__name__}, not {goal}")
    return goal


def box_invariance_and_given_hypotheses(
    g: BoxMap, **statements: Boolean
) -> dict[str, TheoremHypothesis]:
    """Return named statements, and the box's invariance, as hypotheses at all its points."""
    formulas = {"stays": g.invariance_condition(), **statements}
    return {
        name: TheoremHypothesis(formula, g.inside_conditions())
        for name, formula in formulas.items()
    }


def membership_statement(g: BoxMap, points: sp.FiniteSet) -> Boolean:
    """Return the statement that a map's coordinates are those of one of the given points."""
    at = [And(*map(Eq, g.coordinates, point)) for point in points]
    return sp.Or(*at) if len(at) > 1 else at[0]


def _numbers(*values: Any) -> tuple[Expr, ...]:
    if not all(isinstance(value, Expr) for value in values):
        raise ProofError(f"expected expressions; got {values}")
    return values


def decrease_hypotheses(goal: Boolean) -> TheoremHypotheses:
    goal = require_goal_kind(goal, DecreasesAlong, "decrease")
    g, f = goal.map, goal.function
    change = g.value_after_step(f) - g.value_before_step(f)
    return TheoremHypotheses(
        box_invariance_and_given_hypotheses(g, decreases=Le(change, 0, evaluate=False)),
        g.coordinates,
    )


def bounded_descent_hypotheses(
    goal: Boolean, risk: Lambda, rate: Expr, floor: Expr
) -> TheoremHypotheses:
    goal = require_goal_kind(goal, VanishesAlong, "bounded-descent")
    g, slack = goal.map, goal.map.value_before_step(goal.function)
    rate, floor = _numbers(rate, floor)
    hypotheses = box_invariance_and_given_hypotheses(
        g,
        descends=Le(
            g.value_after_step(risk) - g.value_before_step(risk) + rate * slack, 0, evaluate=False
        ),
        nonnegative=Ge(slack, 0, evaluate=False),
        bounded=Ge(g.value_before_step(risk), floor, evaluate=False),
    )
    hypotheses["rate"] = TheoremHypothesis(Gt(rate, 0, evaluate=False))
    return TheoremHypotheses(hypotheses, g.coordinates)


def small_steps_hypotheses(goal: Boolean, slack: Lambda, factor: Expr) -> TheoremHypotheses:
    goal = require_goal_kind(goal, StepsVanish, "small-steps")
    g = goal.map
    (factor,) = _numbers(factor)
    bound = Le(g.squared_step_length() - factor * g.value_before_step(slack), 0, evaluate=False)
    hypotheses = box_invariance_and_given_hypotheses(g, steps=bound)
    hypotheses["vanishes"] = TheoremHypothesis(VanishesAlong(g, slack))
    return TheoremHypotheses(hypotheses, g.coordinates)


def limits_solve_hypotheses(goal: Boolean, slack: Lambda, factor: Expr) -> TheoremHypotheses:
    goal = require_goal_kind(goal, AccumulationPointsSolve, "limits-solve")
    g, values = goal.map, goal.map.value_before_step(goal.equations)
    (factor,) = _numbers(factor)
    squares = sp.Add(*(e**2 for e in values))
    bound = Le(squares - factor * g.value_before_step(slack), 0, evaluate=False)
    hypotheses = box_invariance_and_given_hypotheses(g, equations=bound)
    hypotheses["vanishes"] = TheoremHypothesis(VanishesAlong(g, slack))
    return TheoremHypotheses(hypotheses, g.coordinates)


def connected_limits_hypotheses(goal: Boolean, equations: Lambda) -> TheoremHypotheses:
    goal = require_goal_kind(goal, OrbitsConvergeTo, "connected-limits")
    g = goal.map
    if not isinstance(equations, Lambda) or not isinstance(equations.expr, sp.Tuple):
        raise ProofError(f"equations must be made by lambda_of_coordinates; got {equations!r}")
    system = And(*(Eq(e, 0, evaluate=False) for e in g.value_before_step(equations)))
    solutions = sp.Equivalent(system, membership_statement(g, goal.points), evaluate=False)
    # The equations may be the list itself.
    hypotheses = (
        box_invariance_and_given_hypotheses(g, solutions=solutions)
        if solutions != sp.S.true
        else box_invariance_and_given_hypotheses(g)
    )
    hypotheses["steps"] = TheoremHypothesis(StepsVanish(g))
    hypotheses["limits"] = TheoremHypothesis(AccumulationPointsSolve(g, equations))
    return TheoremHypotheses(hypotheses, g.coordinates)


def on_face_hypotheses(
    goal: Boolean, whole: Any, fixed: Any, value: Expr, of: Any
) -> TheoremHypotheses:
    if type(whole) is not BoxMap or fixed not in whole.coordinates:
        raise ProofError(f"theorem on-face needs a BoxMap and one of its coordinates; got {fixed}")
    place = whole.coordinates.index(fixed)
    if not (whole.low[place] <= value) == True or not (value <= whole.high[place]) == True:  # noqa: E712
        raise ProofError(f"the face must be one of the box; got {fixed} = {value}")
    face = whole.face(fixed, value)
    shown: OrbitStatement
    if type(goal) is DecreasesAlong:
        shown = DecreasesAlong(whole, of)
        restricted = lambda_of_coordinates(
            face.coordinates, substitute_simultaneously(whole.value_before_step(of), {fixed: value})
        )
        wanted: Boolean = DecreasesAlong(face, restricted)
    else:
        shown = OrbitsConvergeTo(whole, of)
        here = [(*p[:place], *p[place + 1 :]) for p in map(tuple, of) if p[place] == value]
        wanted = OrbitsConvergeTo(face, point_set(here))
    if goal != wanted:
        raise ProofError(f"theorem on-face shows {wanted}, not {goal}")
    kept = Eq(at(whole.images[place], {fixed: value}), value, evaluate=False)
    hypotheses = {
        "kept": TheoremHypothesis(kept, face.inside_conditions()),
        "whole": TheoremHypothesis(shown),
    }
    return TheoremHypotheses(hypotheses, whole.coordinates)
