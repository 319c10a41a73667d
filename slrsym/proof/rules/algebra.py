"""Equality by normal form."""

from __future__ import annotations

from slrsym.proof.context import Context
from slrsym.proof.errors import Refused
from slrsym.proof.step import Link, Rule

__all__ = ["algebra", "require_equality"]


def require_equality(link: Link) -> None:
    """Refuse a link that is not an equality.

    Parameters
    ----------
    link : Link
        The link.

    Raises
    ------
    Refused
        If it is an inequality.
    """
    if link.relation != "=":
        raise Refused(f"the rule shows equalities, and this step says {link.relation}")


class _Algebra(Rule):
    """Both sides have the same normal form over exp, erf, roots and the other atoms."""

    name = "algebra"

    def check(self, link: Link, context: Context) -> None:
        require_equality(link)
        context.require_equal(link.lhs, link.rhs)


algebra = _Algebra()
