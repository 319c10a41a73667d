"""The gradient flow of a model as a `Flow`, on the domain where its closed forms are smooth.

The coordinates are the order parameters and the trained scalars, declared real alone. The domain is
read off the closed forms: denominators, what stands below roots, and distances of arguments of
inverse sines from 1 are positive, as they are where the trained directions are orthonormal and
orthogonal to the others.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from sympy import (
    Add,
    Expr,
    Function,
    Pow,
    S,
    Symbol,
    asin,
    atan,
    cos,
    default_sort_key,
    erf,
    exp,
    expand,
    factor_list,
    fraction,
    log,
    sin,
    together,
)

from slrsym.gaussian import OwensT, erf_prime
from slrsym.models.claims.risk_claims import replace_variances_by_differences
from slrsym.prover.statements.flows import Flow, flow

if TYPE_CHECKING:
    from slrsym.models.training.equation_system import EquationSystem

# Functions that are smooth everywhere.
_SMOOTH = (erf, erf_prime, exp, sin, cos, atan, OwensT)


def flow_of_equations(equations: EquationSystem, *more: Expr) -> Flow:
    """Return the flow of gradient-flow equations, where further expressions are positive, too.

    Raises
    ------
    ValueError
        If the equations are of another kind, or have no closed form, or the domain cannot be read
        off it.
    """
    if equations.kind != "gradient-flow":
        raise ValueError(
            f"a flow is that of gradient-flow; these are equations of {equations.kind}. Ask the "
            'model for equations("gradient-flow")'
        )
    put = coordinates_of(equations)
    forms = closed_forms(equations)
    start = _reference_point(equations)
    domain = [_positive(part, start) for part in dict.fromkeys(_in_question(forms))]
    conditions = dict.fromkeys([*filter(None, domain), *(e.xreplace(put) for e in more)])
    velocities = dict(zip((put[p] for p in equations.state), forms, strict=False))
    return flow(velocities, conditions)


def coordinates_of(equations: EquationSystem) -> dict[Symbol, Symbol]:
    """Return the coordinates of the flow: symbols of the state's names, declared real alone."""
    return {p: Symbol(p.name, real=True) for p in equations.state}


def closed_forms(equations: EquationSystem) -> list[Expr]:
    """Return the velocities and the risk in the coordinates, without variances of erf."""
    put = coordinates_of(equations)
    forms = (*equations.drift, equations.risk)
    return [replace_variances_by_differences(e).xreplace(put) for e in forms]


def _reference_point(equations: EquationSystem) -> dict[Symbol, Expr]:
    """Return the point at which trained directions are orthonormal, and scalars are 1."""
    model, put = equations.model, coordinates_of(equations)
    point = dict.fromkeys(put.values(), S.One)
    for p, (i, j, _) in model.gram_indices.items():
        if p in put:
            point[put[p]] = S(int(i == j))
    return point


def _in_question(forms: Iterable[Expr]) -> Iterable[Expr]:
    """Yield the expressions that must not vanish, or not be negative, where forms are smooth."""
    nodes = sorted({n for form in forms for n in form.atoms(Pow, Function)}, key=default_sort_key)
    for node in nodes:
        if isinstance(node, Pow):
            if not node.exp.is_Integer and not node.exp.is_Rational and node.base.is_positive:
                continue
            if not (node.exp.is_Integer and node.exp.is_nonnegative):
                yield node.base
        elif isinstance(node, asin):
            yield 1 - node.args[0] ** 2
        elif isinstance(node, log):
            yield node.args[0]
        elif not isinstance(node, _SMOOTH):
            raise ValueError(
                f"the equations have no closed form of smooth functions: {type(node).__name__} "
                f"occurs, as {node}. What is known of it is known as a number: use solve, or "
                "fixed_points"
            )


def _positive(part: Expr, start: dict[Symbol, Expr]) -> Expr | None:
    """Return what has to be positive, without factors that always are; None if nothing is left."""
    top, _ = fraction(together(part))
    left: Expr = S.One
    for factor, power in factor_list(expand(top))[1] if top.free_symbols else []:
        if not factor.free_symbols & start.keys():
            continue
        value = factor.xreplace(start)
        if value.is_positive is None or value == 0:
            raise ValueError(
                f"the domain cannot be read off: whether {factor} is positive where the trained "
                f"directions are orthonormal depends on {value}. Declare parameters, as positive"
            )
        if power % 2:
            left *= factor if value.is_positive else -factor
    return None if left == 1 else _tidy(left)


def _tidy(expr: Expr) -> Expr:
    return expr if isinstance(expr, Add) else expand(expr)
