"""Inference rules on sums of independent copies: split off a copy, empty sums, two moments."""

from __future__ import annotations

from typing import Any

from slrsym.checker.expectations import (
    ONE,
    ZERO,
    law_existence_conditions,
    make_expectation,
    moderate_growth_conditions,
    require_expectation,
    require_names_absent,
)
from slrsym.checker.term import (
    Term,
    binder_bodies,
    bound_variables,
    definedness_equation,
    free_symbols,
    fresh_symbols_by_symbol,
    has_copy_sum_outside_expectation,
    is_same_term,
    num,
    parts_outside_binder,
    places_and_subterms,
    replace_parts,
    require,
    substitute,
)
from slrsym.checker.theorem import rule, well_formed_node


def require_copy_sum(t: Term) -> None:
    """Refuse a term that is not a sum of independent copies."""
    require(t[0] == "copies", "the term is no sum of copies")


@rule("one copy more", "t", "t")
def _split_off_copy(node: Term, copies: Term) -> Any:
    """Conclude that an expectation stays the same if one copy is split off a sum of n copies."""
    require_copy_sum(copies)
    (body,), names = binder_bodies(require_expectation(node)), bound_variables(node)
    require_names_absent(names, [copies], "the copies contain a variable of the expectation")
    count, *laws = parts_outside_binder(copies)
    new = fresh_symbols_by_symbol(bound_variables(copies), free_symbols(node) | set(names))
    less = replace_parts(copies, {(3, 0): ("+", count, num(-1))})
    # Another sum could be one of n - 1 of the same copies, and would then not be independent.
    alone = not has_copy_sum_outside_expectation(replace_outside_binders(body, copies, ZERO))
    require(alone, "the body contains another sum of copies, or this one under a binder")
    averaged = body[0] == "E" and any(map(has_copy_sum_outside_expectation, binder_bodies(body)))
    require(not averaged, "the body is a mean over copies")
    rest = ("+", less, substitute(binder_bodies(copies)[0], new))
    body = replace_outside_binders(body, copies, rest)
    other = make_expectation((*names, *new.values()), body, (*parts_outside_binder(node), *laws))
    asked = [
        ("o", "integer", count),
        well_formed_node(("<=", ONE, count)),
        definedness_equation(node),
        definedness_equation(other),
    ]
    return asked, ("=", node, other), ("fubini",)


def replace_outside_binders(t: Term, old: Term, new: Term) -> Term:
    """Replace a subterm by another one wherever it is outside all binders."""
    if is_same_term(t, old):
        return new
    if bound_variables(t):
        return t
    return replace_parts(
        t, {i: replace_outside_binders(p, old, new) for i, p in places_and_subterms(t)}
    )


@rule("copies exist", "t")
def _copies_exist(copies: Term) -> Any:
    """Conclude that a sum of independent copies of a function of moderate growth is defined."""
    require_copy_sum(copies)
    return moderate_growth_conditions(copies, frozenset()), definedness_equation(copies), ()


@rule("moments of copies", "t")
def _moments_of_copies(node: Term) -> Any:
    """Conclude the first or second moment of a sum of n independent copies of a variable f."""
    (body,) = binder_bodies(require_expectation(node))
    squared = body[:3] == ("^", 2, 1)
    copies = body[3] if squared else body
    require(copies[0] == "copies", "the body is not a sum of copies or its square")
    require_names_absent(
        bound_variables(node), [copies], "the copies contain a variable of the expectation"
    )
    n, *laws = parts_outside_binder(copies)
    (f,) = binder_bodies(copies)
    first, second = (
        make_expectation(bound_variables(copies), g, laws) for g in (f, ("^", 2, 1, f))
    )
    asked = [
        *law_existence_conditions(parts_outside_binder(node)),
        ("o", "integer", n),
        well_formed_node(("<=", ZERO, n)),
    ]
    mean = ("*", n, first)
    if not squared:
        return [*asked, definedness_equation(first)], ("=", node, mean), ("fubini", "induction")
    pairs = ("*", n, ("+", n, num(-1)), ("^", 2, 1, first))
    asked += [definedness_equation(first), definedness_equation(second)]
    return asked, ("=", node, ("+", ("*", n, second), pairs)), ("fubini", "induction")


@rule("no copies", "t")
def _empty_sum_of_copies(copies: Term) -> Any:
    """Conclude that a sum of zero independent copies is 0."""
    require_copy_sum(copies)
    require(parts_outside_binder(copies)[0] == ZERO, "the number of copies is not 0")
    return [definedness_equation(copies)], ("=", copies, ZERO), ()
