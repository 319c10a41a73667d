r"""Jumps of functions of projections: where they are, how high, and derivatives across them.

A step has the derivative 0 almost everywhere, and that of its mean is another: a jump of height h
at r adds h times a delta function at r. SymPy leaves that out of a `Piecewise`, and writes deltas
for :math:`z\,\mathrm{sign}\,z`, where none is.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any

from sympy import (
    Abs,
    Add,
    And,
    DiracDelta,
    Dummy,
    Eq,
    Expr,
    Function,
    Ge,
    Gt,
    Heaviside,
    Max,
    Min,
    Mul,
    Ne,
    Not,
    Or,
    Piecewise,
    Pow,
    S,
    Symbol,
    sign,
    simplify,
)  # fmt: skip
from sympy.core.relational import Relational

from slrsym.models.means.smooth_pieces import (
    KINKS,
    conditions_of,
    kink_forms,
    real_roots,
    smooth_pieces,
)


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
    function = _with_plain_steps(function)
    found = []
    for root, sides in sorted(_changes(function, x).items(), key=lambda item: str(item[0])):
        above, below = (
            function.xreplace({node: side[k] for node, side in sides.items()}).subs(x, root)
            for k in (0, 1)
        )
        height = _simplified(above - below)
        if height != 0:
            found.append((root, height))
    return tuple(found)


def _with_plain_steps(function: Expr) -> Expr:
    """Write steps of functions with kinks of one variable by steps at the places of their jumps.

    Where its argument only touches 0, as of ``sign(Max(0, z))``, a step is neither a jump from one
    side to the other nor, at the place, the mean of both. Others, as with symbols, stay.
    """
    written = {}
    steps = function.atoms(sign, Heaviside, Piecewise)
    for node in sorted(steps, key=str):
        conditions = [node] if isinstance(node, sign | Heaviside) else conditions_of(node)
        symbols = set().union(*(part.free_symbols for part in conditions))
        if len(symbols) != 1 or not any(arg.has(*KINKS) for c in conditions for arg in c.args):
            continue
        (z,) = symbols
        pieces = smooth_pieces(node, z)
        if pieces is not None:
            parts = ((above.function - below.function) * Heaviside(z - above.ends[0])
                     for below, above in pairwise(pieces))  # fmt: skip
            written[node] = Add(pieces[0].function, *parts)
    return function.xreplace(written)


def _simplified(height: Expr) -> Expr:
    # SymPy simplifies the sign of a sum to branches, which have no closed mean.
    nodes = sorted(height.atoms(Abs, Heaviside, Max, Min, sign), key=str)
    names = {node: Dummy(real=True) for node in nodes}
    given = {name: node for node, name in names.items()}
    return simplify(height.xreplace(names)).xreplace(given)


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


def with_means_at_jumps(function: Expr) -> Expr:
    """Write a function that jumps by steps, whose value at a jump is the mean of both sides.

    There a delta function in the derivative of its square meets it. What has no jump stays.

    Parameters
    ----------
    function : Expr

    Returns
    -------
    Expr

    Raises
    ------
    ValueError
        If a jump is inside of another function, or a power of a step.
    """
    if not any(jumps_of(function, x) for x in sorted(function.free_symbols, key=str)):
        return function
    plain = _with_plain_steps(function).replace(Heaviside, lambda x, *_: Heaviside(x))
    written = plain.replace(Piecewise, _by_steps)
    for part in sorted(written.atoms(Function, Pow) - written.atoms(Heaviside, sign), key=str):
        if part.has(Heaviside, sign):
            raise ValueError(
                f"a function jumps inside of {part}; write it as a sum of functions times steps, "
                "such as a * Heaviside(z) + b * Heaviside(-z)"
            )
    return written


def _by_steps(*pieces: Any) -> Expr:
    total, rest = S.Zero, S.One
    for value, condition in pieces:
        step = _step(condition)
        total, rest = total + rest * step * value, rest * (1 - step)
    return total


def _step(condition: Any) -> Expr:
    """Return 1 where a condition holds and 0 elsewhere, but for edges."""
    if condition in (S.true, S.false):
        return S.One if condition == S.true else S.Zero
    if isinstance(condition, And):
        return Mul(*map(_step, condition.args))
    if isinstance(condition, Or):
        return 1 - Mul(*(1 - _step(part) for part in condition.args))
    if isinstance(condition, Not):
        return 1 - _step(condition.args[0])
    if isinstance(condition, Eq | Ne):
        return S.Zero if isinstance(condition, Eq) else S.One
    difference = condition.lhs - condition.rhs
    return Heaviside(difference if isinstance(condition, Gt | Ge) else -difference)


def _changes(function: Expr, x: Symbol) -> dict[Expr, dict[Any, tuple[Any, Any]]]:
    """Return, for each value of x where steps or conditions change, these above and below it."""
    found: dict[Expr, dict[Any, tuple[Any, Any]]] = {}
    for node in _nodes(function):
        argument = node.lhs - node.rhs if isinstance(node, Relational) else node.args[0]
        if not argument.has(x) or isinstance(node, Eq | Ne):
            continue
        kinks = [form for part in argument.atoms(*KINKS) for form in kink_forms(part)]
        for root in _roots(argument, x):
            slope = argument.diff(x).subs(x, root)
            touches = any(place.subs(x, root).is_zero is not False for place in kinks)
            if touches or slope.is_positive is None or slope.is_zero is not False:
                raise ValueError(
                    f"it is not known in which direction {argument} changes its sign; declare the "
                    "symbols in it as positive, or write the condition for one projection alone"
                )
            high, low = _sides(node)
            found.setdefault(root, {})[node] = (high, low) if slope.is_positive else (low, high)
    return found


def _nodes(function: Expr) -> list[Any]:
    """Return the steps of a function, and the conditions in it."""
    nodes: set[Any] = function.atoms(sign, Heaviside)
    return sorted(nodes.union(*map(conditions_of, function.atoms(Piecewise))), key=str)


def _roots(argument: Expr, x: Symbol) -> list[Expr]:
    """Return the real zeros of an argument in a variable, of a positive one the positive zeros."""
    slope = argument.diff(x)
    if not slope.has(x) and slope != 0:
        roots = [-argument.subs(x, 0) / slope]
    else:
        try:
            roots = real_roots(argument, x)
        except NotImplementedError:
            raise ValueError(f"it is not known where {argument} changes its sign") from None
    kind = "is_positive" if x.is_positive else "is_real"
    return [root for root in roots if getattr(root, kind) is not False]


def _sides(node: Any) -> tuple[Any, Any]:
    """Return the value of a step or a condition where its argument is positive, and negative."""
    if isinstance(node, sign):
        return S.One, S.NegativeOne
    if isinstance(node, Heaviside):
        return S.One, S.Zero
    greater = isinstance(node, Gt | Ge)
    return (S.true, S.false) if greater else (S.false, S.true)
