"""Equality by normal form."""

from __future__ import annotations

from collections.abc import Callable

from slrsym.search.context import Context
from slrsym.search.step import Link, Rule
from slrsym.statements.errors import Refused

__all__ = ["algebra", "in_either_direction", "require_equality"]


def require_equality(link: Link) -> None:
    """Refuse a link that is not an equality."""
    if link.relation != "=":
        raise Refused(f"the rule shows equalities, and this step says {link.relation}")


def in_either_direction(
    check: Callable[[Link, Context], None], link: Link, context: Context
) -> None:
    """Refuse an equality unless it passes a check as it is, or read from right to left."""
    try:
        check(link, context)
    except Refused as reason:
        try:
            check(link.flipped, context)
        except Refused:
            raise reason from None


class _Algebra(Rule):
    """Both sides have the same normal form over exp, erf, roots and the other atoms."""

    name = "algebra"

    def check(self, link: Link, context: Context) -> None:
        require_equality(link)
        context.require_equal(link.lhs, link.rhs)


algebra = _Algebra()
