"""Pieces of the line on which a function with kinks is smooth."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any, NamedTuple

from sympy import (
    Abs,
    Expr,
    Heaviside,
    Max,
    Min,
    Piecewise,
    S,
    Symbol,
    erfinv,
    oo,
    preorder_traversal,
    sign,
    solve,
)
from sympy.core.relational import Relational

KINKS = (Abs, Heaviside, Max, Min, Piecewise, sign)


class SmoothPiece(NamedTuple):
    """A function without kinks, and the ends between which it is what was asked for."""

    ends: tuple[Expr, Expr]
    function: Expr


def smooth_pieces(
    function: Expr, z: Symbol, breaks: Iterable[Expr] = ()
) -> list[SmoothPiece] | None:
    """Return the pieces of a function of one variable between its kinks and jumps.

    Parameters
    ----------
    function : Expr
    z : Symbol
    breaks : iterable of Expr, optional
        Numbers at which to part the line as well.

    Returns
    -------
    list of SmoothPiece or None
        From below; None if it is not known where all kinks are, as of symbols in them.
    """
    found: list[SmoothPiece] = []
    ends = [-oo, *sorted(set(breaks)), oo]
    left = [SmoothPiece(piece, function) for piece in reversed(list(pairwise(ends)))]
    while left:
        piece = left.pop()
        node = _innermost_kink(piece.function, z)
        if node is None:
            found.append(piece)
            continue
        cuts = _changes(node, z)
        if cuts is None:
            return None
        low, high = piece.ends
        inside = sorted(x for x in cuts if low < x < high)
        for part in reversed(list(pairwise([low, *inside, high]))):
            branch = _branch(node, z, _between(*part))
            if branch is None:
                return None
            left.append(SmoothPiece(part, piece.function.xreplace({node: branch})))
    return found


def _innermost_kink(function: Expr, z: Symbol) -> Any:
    """Return a part with a kink in the variable, inside of which there is none."""
    parts = [part for part in preorder_traversal(function)
             if isinstance(part, KINKS) and part.has(z)]  # fmt: skip
    return parts[-1] if parts else None


def kink_forms(node: Any) -> list[Expr]:
    """Return the expressions that change their sign where the branch of a kink changes.

    Parameters
    ----------
    node : Abs, sign, Heaviside, Max, Min or Piecewise

    Returns
    -------
    list of Expr
    """
    if isinstance(node, Piecewise):
        return [r.lhs - r.rhs for r in conditions_of(node)]
    if isinstance(node, Max | Min):
        args = node.args
        return [a - b for i, a in enumerate(args) for b in args[i + 1 :]]
    return [node.args[0]]


def conditions_of(node: Piecewise) -> list[Relational]:
    """Return the relations in the conditions of a function in pieces, in order.

    Parameters
    ----------
    node : Piecewise

    Returns
    -------
    list of Relational
    """
    found: set[Relational] = set().union(*(c.atoms(Relational) for _, c in node.args))
    return sorted(found, key=str)


def _changes(node: Any, z: Symbol) -> set[Expr] | None:
    """Return the places at which a kink may change its branch, or None if that is not known."""
    found: set[Expr] = set()
    for form in kink_forms(node):
        if form.free_symbols - {z}:
            return None
        if not form.has(z):
            continue
        try:
            found.update(real_roots(form, z))
        except NotImplementedError:
            return None
    return found if all(root.is_comparable for root in found) else None


def real_roots(form: Expr, z: Symbol) -> list[Expr]:
    """Return the zeros of a form in a variable that may be real.

    Parameters
    ----------
    form : Expr
    z : Symbol

    Returns
    -------
    list of Expr

    Raises
    ------
    NotImplementedError
        If SymPy does not find them.
    """
    roots = solve(form, z)
    return [root for root in roots if root.is_real is not False and not _is_beyond(root)]


def _is_beyond(root: Expr) -> bool:
    # SymPy takes the inverse of erf at 2, which erf does not reach, for a number.
    return any(node.args[0].is_number and abs(node.args[0]) >= 1 for node in root.atoms(erfinv))


def _between(low: Expr, high: Expr) -> Expr:
    if low == -oo and high == oo:
        return S.Zero
    if low == -oo:
        return high - 1
    return low + 1 if high == oo else (low + high) / 2


def _branch(node: Any, z: Symbol, at: Expr) -> Expr | None:
    """Return what a kink is beside a place that is none of its kinks."""
    if isinstance(node, Piecewise):
        holds = (value for value, condition in node.args if condition.subs(z, at) == True)  # noqa: E712
        return next(holds, None)
    if isinstance(node, Max | Min):
        values = [(arg.subs(z, at).evalf(), i) for i, arg in enumerate(node.args)]
        return node.args[(max if isinstance(node, Max) else min)(values)[1]]
    positive = node.args[0].subs(z, at).evalf() > 0
    if isinstance(node, Abs):
        return node.args[0] if positive else -node.args[0]
    if isinstance(node, sign):
        return S.One if positive else S.NegativeOne
    return S.One if positive else S.Zero
