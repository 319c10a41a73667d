r"""Jumps of functions of projections: where they are, how high, and derivatives across them.

A step has the derivative 0 almost everywhere, and that of its mean is another: a jump of height h
at r adds h times a delta function at r. SymPy leaves that out of a `Piecewise`, and writes deltas
for :math:`z\,\mathrm{sign}\,z`, where none is.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import (
    DiracDelta,
    Eq,
    Expr,
    Ge,
    Gt,
    Heaviside,
    Ne,
    Piecewise,
    S,
    Symbol,
    sign,
    simplify,
    solve,
)
from sympy.core.relational import Relational


@cache
def jumps_of(function: Expr, x: Symbol) -> tuple[tuple[Expr, Expr], ...]:
    """Return where a function jumps in a variable, with the heights.

    Parameters
    ----------
    function : Expr
    x : Symbol

    Returns
    -------
    tuple of pairs of Expr
        A value of the variable, and the limit from above less the limit from below.

    Raises
    ------
    ValueError
        If it is not known where, or in which direction, a condition changes.
    """
    found = []
    for root, sides in sorted(_changes(function, x).items(), key=lambda item: str(item[0])):
        above, below = (
            function.xreplace({node: side[k] for node, side in sides.items()}).subs(x, root)
            for k in (0, 1)
        )
        height = simplify(above - below)
        if height != 0:
            found.append((root, height))
    return tuple(found)


def derivative_across_jumps(function: Expr, x: Symbol) -> Expr:
    """Return the derivative of a function in a variable, with a delta function for each jump.

    Parameters
    ----------
    function : Expr
    x : Symbol

    Returns
    -------
    Expr
    """
    between: Expr = function.diff(x).replace(DiracDelta, lambda *_: S.Zero)
    for root, height in jumps_of(function, x):
        between += height * DiracDelta(x - root)
    return between


def _changes(function: Expr, x: Symbol) -> dict[Expr, dict[Any, tuple[Any, Any]]]:
    """Return, for each value of x where steps or conditions change, these above and below it."""
    nodes: set[Any] = function.atoms(sign, Heaviside)
    for node in function.atoms(Piecewise):
        nodes |= set().union(*(c.atoms(Relational) for _, c in node.args))
    found: dict[Expr, dict[Any, tuple[Any, Any]]] = {}
    for node in sorted(nodes, key=str):
        argument = node.lhs - node.rhs if isinstance(node, Relational) else node.args[0]
        if not argument.has(x) or isinstance(node, Eq | Ne):
            continue
        for root in _roots(argument, x):
            slope = argument.diff(x).subs(x, root)
            if slope.is_positive is None or slope.is_zero is not False:
                raise ValueError(
                    f"it is not known in which direction {argument} changes its sign; declare the "
                    "symbols in it as positive, or write the condition for one projection alone"
                )
            high, low = _sides(node)
            found.setdefault(root, {})[node] = (high, low) if slope.is_positive else (low, high)
    return found


def _roots(argument: Expr, x: Symbol) -> list[Expr]:
    """Return the real zeros of an argument in a variable."""
    slope = argument.diff(x)
    if not slope.has(x) and slope != 0:
        return [-argument.subs(x, 0) / slope]
    try:
        roots = solve(argument, x)
    except NotImplementedError:
        raise ValueError(f"it is not known where {argument} changes its sign") from None
    return [root for root in roots if root.is_real is not False]


def _sides(node: Any) -> tuple[Any, Any]:
    """Return the value of a step or a condition where its argument is positive, and negative."""
    if isinstance(node, sign):
        return S.One, S.NegativeOne
    if isinstance(node, Heaviside):
        return S.One, S.Zero
    greater = isinstance(node, Gt | Ge)
    return (S.true, S.false) if greater else (S.false, S.true)
