"""Subterms and paths to them, replacement at paths, and the similarity of terms."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from slrsym.checker.remembered_measures import RememberedMeasure
from slrsym.checker.term import (
    Term,
    binder_bodies,
    bound_variables,
    canonical_key,
    free_symbols,
    is_bound_place,
    places_and_subterms,
    replace_parts,
    substitute,
)


def subterms(t: Term, deep: bool = False, inner_first: bool = False) -> Iterator[Term]:
    """Yield a term and its subterms outside all binders, if deep also those inside."""
    if not inner_first:
        yield t
    for place, part in places_and_subterms(t):
        if deep or not is_bound_place(t, place):
            yield from subterms(part, deep, inner_first)
    if inner_first:
        yield t


def body_in_variables(binder: Term, names: Sequence[Term]) -> Term:
    """Return the body of a binder, such as an integrand, with other terms for its variables."""
    values = dict(zip(bound_variables(binder), names, strict=True))
    return substitute(binder_bodies(binder)[0], values)


def subterm_similarity(a: Term, b: Term) -> float:
    """Return the fraction of subterms that two terms share."""
    mine, theirs = _subterm_keys(a), _subterm_keys(b)
    return len(mine & theirs) / len(mine | theirs)


def _subterm_keys(t: Term) -> set[str]:
    return {canonical_key(t)}.union(*(_subterm_keys(part) for _, part in places_and_subterms(t)))


def replace_at_path(t: Term, path: Sequence[Any], part: Term) -> Term:
    """Replace the subterm at a path by another term."""
    if not path:
        return part
    inner = dict(places_and_subterms(t))[path[0]]
    return replace_parts(t, {path[0]: replace_at_path(inner, path[1:], part)})


def replace_at_paths(t: Term, paths: Iterable[Sequence[Any]], part: Term) -> Term:
    """Replace the subterms at several paths by the same term."""
    for path in paths:
        t = replace_at_path(t, path, part)
    return t


def paths_to_subterm(t: Term, wanted: Term, through: Collection[str] = ()) -> list[tuple[Any, ...]]:
    """Return the paths to a subterm that lead through no binder except the given kinds."""
    key, leaves = canonical_key(wanted), leaf_count(wanted)
    # The same part stands in a nested term many times, often as one object.
    known: dict[int, list[tuple[Any, ...]]] = {}

    def paths(t: Term) -> list[tuple[Any, ...]]:
        # Terms that are the same have as many leaves, and to count these is quick.
        if leaf_count(t) < leaves:
            return []
        if id(t) not in known:
            is_wanted = t[0] == wanted[0] and canonical_key(t) == key
            known[id(t)] = [()] if is_wanted else [
                (place, *path)
                for place, part in places_and_subterms(t)
                if not is_bound_place(t, place) or t[0] in through
                for path in paths(part)
            ]  # fmt: skip
        return known[id(t)]

    return paths(t)


@RememberedMeasure
def leaf_count(t: Term) -> int:
    """Return how many subterms of a term have no parts; nested and flat sums have as many."""
    parts = places_and_subterms(t)
    return sum(leaf_count(part) for _, part in parts) if parts else 1


def paths_to_symbol(t: Term, symbol: Term) -> list[tuple[Any, ...]]:
    """Return the paths at which a symbol occurs free."""
    if t == symbol:
        return [()]
    if symbol not in free_symbols(t):
        return []
    return [
        (place, *rest)
        for place, part in places_and_subterms(t)
        if not (is_bound_place(t, place) and symbol in bound_variables(t))
        for rest in paths_to_symbol(part, symbol)
    ]
