"""Sums of independent copies of a random variable: one copy more, no copies, and two moments."""

from __future__ import annotations

from typing import Any

from slrsym.checker.expect import (
    ONE,
    ZERO,
    exists,
    expectation,
    expected,
    moderate,
    require_without,
)
from slrsym.checker.term import (
    Term,
    apart,
    bound,
    children,
    defined,
    free,
    has_copies,
    inside,
    num,
    outside,
    replaced,
    require,
    same,
    substitute,
)
from slrsym.checker.theorem import checked, rule


def require_copies(t: Term) -> None:
    """Refuse a term that is no sum of copies."""
    require(t[0] == "copies", "the term is no sum of copies")


@rule("one copy more", "t", "t")
def _copy(node: Term, copies: Term) -> Any:
    """Split off one copy of a sum of n copies, independent of all else."""
    require_copies(copies)
    (body,), names = inside(expected(node)), bound(node)
    require_without(names, [copies], "the copies contain a variable of the expectation")
    count, *laws = outside(copies)
    new = apart(bound(copies), free(node) | set(names))
    less = replaced(copies, {(3, 0): ("+", count, num(-1))})
    # Another sum could be one of n - 1 of the same copies, and would then not be independent.
    alone = not has_copies(replace_outside_binders(body, copies, ZERO))
    require(alone, "the body contains another sum of copies, or this one under a binder")
    averaged = body[0] == "E" and any(map(has_copies, inside(body)))
    require(not averaged, "the body is a mean over copies")
    rest = ("+", less, substitute(inside(copies)[0], new))
    body = replace_outside_binders(body, copies, rest)
    other = expectation((*names, *new.values()), body, (*outside(node), *laws))
    asked = [("o", "integer", count), checked(("<=", ONE, count)), defined(node), defined(other)]
    return asked, ("=", node, other), ("fubini",)


def replace_outside_binders(t: Term, old: Term, new: Term) -> Term:
    """Return a term with another one in place of a part, where it stands under no binder."""
    if same(t, old):
        return new
    if bound(t):
        return t
    return replaced(t, {i: replace_outside_binders(p, old, new) for i, p in children(t)})


@rule("copies exist", "t")
def _copies_exist(copies: Term) -> Any:
    """Conclude that a sum of copies of a moderate function is defined."""
    require_copies(copies)
    return moderate(copies, frozenset()), defined(copies), ()


@rule("moments of copies", "t")
def _moments_of_copies(node: Term) -> Any:
    """Conclude E S = n E f, and E S^2 = n E f^2 + n (n - 1) (E f)^2, for n copies of f."""
    (body,) = inside(expected(node))
    squared = body[:3] == ("^", 2, 1)
    copies = body[3] if squared else body
    require(copies[0] == "copies", "the body is not a sum of copies or its square")
    require_without(bound(node), [copies], "the copies contain a variable of the expectation")
    n, *laws = outside(copies)
    (f,) = inside(copies)
    first, second = (expectation(bound(copies), g, laws) for g in (f, ("^", 2, 1, f)))
    asked = [*exists(outside(node)), ("o", "integer", n), checked(("<=", ZERO, n))]
    mean = ("*", n, first)
    if not squared:
        return [*asked, defined(first)], ("=", node, mean), ("fubini", "induction")
    pairs = ("*", n, ("+", n, num(-1)), ("^", 2, 1, first))
    asked += [defined(first), defined(second)]
    return asked, ("=", node, ("+", ("*", n, second), pairs)), ("fubini", "induction")


@rule("no copies", "t")
def _no_copies(copies: Term) -> Any:
    """Conclude that a sum of no copies is 0."""
    require_copies(copies)
    require(outside(copies)[0] == ZERO, "the number of copies is not 0")
    return [defined(copies)], ("=", copies, ZERO), ()
