"""The risk of a model in balls, at given parameters, where its means have closed forms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray
from sympy import Expr, Float, Rational, Symbol

from slrsym.kernels.ball_backend import to_ball
from slrsym.kernels.compile import compile_expressions
from slrsym.models.landscape.enclosures import BallRisk
from slrsym.models.landscape.symmetries import order_of_triangle

if TYPE_CHECKING:
    from slrsym.models.training.descent import DerivedModel

Array = NDArray[np.float64]

# Of more order parameters, second derivatives take too long in balls.
_MOST = 30


def ball_risk(
    model: DerivedModel, row: Array, by_name: Mapping[str, Any], triangle: Array
) -> BallRisk | None:
    """Return the risk of a model in balls, or None if balls do not reach it.

    Parameters
    ----------
    model : DerivedModel
    row : ndarray, shape (parameters,)
        The parameters of the risk.
    by_name : mapping of str to number
        These, with the inner products of fixed directions.
    triangle : ndarray, shape (f, f)
        The fixed directions in a basis of their span, a triangle in some order of them.

    Returns
    -------
    BallRisk or None
        None if a mean is a quadrature, there are several eigenspaces, or more than 30 order
        parameters.
    """
    names = model.order_parameters
    reached = model.spaces == 1 and model.is_additive and len(names) <= _MOST
    if not reached or not model.has_closed_form:
        return None
    both = model.compiled("ball", "gradient", "hessian")
    excess = model.compiled("ball", "excess_risk")
    values = [float(x) for x in row]
    x, order = model.fixed_directions, order_of_triangle(triangle).tolist()
    gram = [[model.inner_product(y, z) for z in x] for y in x]

    def fixed() -> list[list[Any]]:
        ordered = [[_ball(gram[i][j], by_name) for j in order] for i in order]
        rows = dict(zip(order, triangle_of_balls(ordered), strict=True))
        return [rows[i] for i in range(len(order))]

    return BallRisk(
        places=[model.gram_indices[p][:2] for p in names],
        on_sphere=[y.on_sphere for y in model.trained_directions],
        fixed=fixed,
        derivatives=lambda state, digits: both(state, *values, dps=digits),
        excess_risk=lambda state, digits: excess(state, *values, dps=digits)[0],
    )


def _ball(expr: Expr, by_name: Mapping[str, Any]) -> Any:
    """Return a ball around an inner product of fixed directions."""
    value = by_name[expr.name] if isinstance(expr, Symbol) else expr
    if isinstance(value, Float):
        return to_ball(float(value))
    if isinstance(value, Rational):
        return to_ball(value) if value.q != 1 else arb(int(value))
    if isinstance(value, Expr):
        symbols = sorted(value.free_symbols, key=str)
        numbers = [float(by_name[s.name]) for s in symbols]
        unused = Symbol("unused", real=True)
        evaluate = compile_expressions([value], [unused], symbols, "ball")
        return evaluate([0], *numbers, dps=ctx.dps)[0]
    return to_ball(value)


def triangle_of_balls(gram: list[list[Any]]) -> list[list[Any]]:
    """Return the triangle of Cholesky of a matrix of balls, by rows.

    Parameters
    ----------
    gram : list of list of arb
        Positive definite.

    Returns
    -------
    list of list of arb
    """
    size = len(gram)
    found = [[arb(0)] * size for _ in range(size)]
    for i in range(size):
        for j in range(i + 1):
            rest = gram[i][j] - sum((found[i][c] * found[j][c] for c in range(j)), arb(0))
            found[i][j] = rest.sqrt() if i == j else rest / found[j][j]
    return found
