"""Whether what a proof shows is what it should show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sympy import And
from sympy.core.relational import Relational

from slrsym.search.context import Context
from slrsym.search.step import Link
from slrsym.statements.errors import Refused

if TYPE_CHECKING:
    from sympy.logic.boolalg import Boolean

__all__ = ["concludes"]


def concludes(shown: Boolean, wanted: Boolean, context: Context) -> None:
    """Refuse unless one statement is the other, or a part of it, or implies it side by side."""
    if shown == wanted:
        return
    if isinstance(wanted, And) and isinstance(shown, And):
        for part in wanted.args:
            if not any(_concluded(other, part, context) for other in shown.args):
                raise Refused(f"no part shows {part}")
        return
    if isinstance(shown, And) and any(_concluded(part, wanted, context) for part in shown.args):
        return
    if not isinstance(shown, Relational) or not isinstance(wanted, Relational):
        raise Refused(f"what is shown is {shown}, not {wanted}")
    mine, goal = Link.of(shown), Link.of(wanted)
    if not goal.follows_from(mine.relation):
        mine = mine.flipped
        if not goal.follows_from(mine.relation):
            raise Refused(f"what is shown is {shown}, not {wanted}")
    for side, other, name in ((mine.lhs, goal.lhs, "left"), (mine.rhs, goal.rhs, "right")):
        if side != other:
            try:
                context.require_equal(side, other)
            except Refused as reason:
                raise Refused(f"the proof's {name} side {side} is not {other}: {reason}") from None


def _concluded(shown: Boolean, wanted: Boolean, context: Context) -> bool:
    try:
        concludes(shown, wanted, context)
    except Refused:
        return False
    return True
