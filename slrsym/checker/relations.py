"""Inference rules on relations: order, chains, rewriting, and comparison inside binders."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

from slrsym.checker.conditions_on_values import conditions_of_sort
from slrsym.checker.term import (
    Term,
    binder_bodies,
    bound_variables,
    canonical_key,
    definedness_equation,
    free_symbols,
    has_copy_sum_outside_expectation,
    is_bound_place,
    is_same_term,
    is_term,
    num,
    parts_outside_binder,
    places_and_subterms,
    replace_parts,
    require,
)
from slrsym.checker.theorem import (
    Theorem,
    combined_hypotheses,
    require_relation,
    rule,
    well_formed_node,
)


@rule("symbol", "t")
def _sort_of_symbol(symbol: Term) -> Any:
    """Conclude that a symbol is defined and satisfies the condition of its sort, such as x > 0."""
    require(symbol[0] == "s", "the argument is no symbol")
    return [], ("and", definedness_equation(symbol), *conditions_of_sort(symbol[2], symbol)), ()


@rule("order", "t", "t")
def _trichotomy(a: Term, b: Term) -> Any:
    """Conclude that exactly one of <, =, > holds of defined terms, and what <= and != mean."""
    less, equal, more = well_formed_node(("<", a, b)), ("=", a, b), ("<", b, a)
    both_defined, one_holds = (
        ("and", definedness_equation(a), definedness_equation(b)),
        ("or", less, equal, more),
    )
    at_most_one = [("not", ("and", x, y)) for x, y in combinations((less, equal, more), 2)]
    definitions = [
        ("iff", ("<=", a, b), ("or", less, equal)),
        ("iff", ("<=", b, a), ("or", more, equal)),
        ("iff", ("!=", a, b), ("or", less, more)),
    ]
    return [], ("and", ("iff", both_defined, one_holds), *at_most_one, *definitions), ()


@rule("chain", premises=None)
def _chain(premises: Sequence[Theorem]) -> Any:
    """Conclude the relation of two ends from a chain of relations; equations are read either way.

    The first equation is read from right to left if only its left side goes on.
    """
    require(premises, "there is no premise")
    kind, left, right = require_relation(premises[0].conclusion)
    goes_on = len(premises) < 2 or any(is_same_term(right, t) for t in premises[1].conclusion[1:])
    start = end = left if goes_on or kind != "=" else right
    kinds = []
    for p in premises:
        kind, a, b = require_relation(p.conclusion)
        require(kind != "!=", "a premise is a relation !=")
        if not is_same_term(a, end):
            a, b = b, a
            require(kind == "=" and is_same_term(a, end), "the chain is broken")
        kinds.append(kind)
        end = b
    kind = "<" if "<" in kinds else "<=" if "<=" in kinds else "="
    return combined_hypotheses(premises).values(), (kind, start, end), ()


@rule("defined", "json", premises=1)
def _defined_part(theorem: Theorem, path: Any) -> Any:
    """Conclude that a subterm of a true relation is defined, if it is in no binder's scope."""
    require_relation(theorem.conclusion)
    nodes, part = nodes_on_path(theorem.conclusion, path)
    require(not any(is_bound_place(t, i) for t, i in nodes), "the place lies under a binder")
    return theorem.hypotheses.values(), well_formed_node(definedness_equation(part)), ()


@rule("rewrite", "json", premises=2)
def _rewrite(theorem: Theorem, equation: Theorem, paths: Any) -> Any:
    """Rewrite subterms of the first premise, at given paths, by an equation, the second premise.

    This is done under a binder, too, if the hypotheses of the equation say nothing of the variables
    bound there but that they are in its range.
    """
    kind, a, b = require_relation(equation.conclusion)
    require(kind == "=", "the second premise is no equation")
    conclusion, given = theorem.conclusion, combined_hypotheses([theorem])
    require(isinstance(paths, list), "the places are no list")
    for path in paths:
        nodes, part = nodes_on_path(conclusion, path)
        require(is_same_term(part, a) or is_same_term(part, b), "another term stands at this place")
        part, mine = (b if is_same_term(part, a) else a), combined_hypotheses([equation])
        for t, i in reversed(nodes):
            part = well_formed_node(replace_parts(t, {i: part}))
            if bound_variables(t) and is_bound_place(t, i):
                mine = hypotheses_left_by_binder(t, mine)
        conclusion, given = part, given | mine
    return given.values(), conclusion, ()


def nodes_on_path(t: Term, path: Any) -> tuple[list[tuple[Term, Any]], Term]:
    """Return the nodes on a path into a term, each with the next place, and the subterm there."""
    nodes = []
    require(isinstance(path, list) and len(path) < 200, "a place is no list, or too long")
    for step in path:
        numbers = step if isinstance(step, list) else [step]
        require(all(type(n) is int for n in numbers), "a place is no list of numbers")
        place = tuple(step) if isinstance(step, list) else step
        parts = dict(places_and_subterms(t))
        require(place in parts, "there is no such place")
        nodes.append((t, place))
        t = parts[place]
    return nodes, t


def hypotheses_left_by_binder(node: Term, given: dict[str, Term]) -> dict[str, Term]:
    """Return the hypotheses left when a relation is put under a binder; refuse any it catches."""
    names, added = set(bound_variables(node)), []
    if node[0] in ("sum", "int"):
        ((x,), (low, high)) = bound_variables(node), parts_outside_binder(node)
        for end, wanted in ((low, ("<=", low, x)), (high, ("<=", x, high))):
            held = None if end[0] in ("oo", "-oo") else given.get(canonical_key(wanted))
            if held is not None and x not in free_symbols(end):
                given = {k: h for k, h in given.items() if k != canonical_key(wanted)}
                # If low > high, no x satisfies both hypotheses, but the integral still depends on
                # the points between; so low <= high is supposed.
                added += [("<=", low, high)] if node[0] == "int" else []
    # c = c says that the copies c exist; it holds for every outcome, and may leave E.
    with_copies = [h for h in given.values() if has_copy_sum_outside_expectation(h) and not (
        h[0] == "=" and h[1][0] == "copies" and is_same_term(h[1], h[2]))]  # fmt: skip
    require(node[0] != "E" or not with_copies, "a hypothesis contains the value of a sum of copies")
    caught = sorted(s[1] for s in names if any(s in free_symbols(h) for h in given.values()))
    require(not caught, f"a hypothesis contains {', '.join(caught)}, which is bound here")
    return given | {canonical_key(h): well_formed_node(h) for h in added}


def refuse_reversed_infinite_ends(node: Term) -> None:
    """Refuse an integral from oo or to -oo, whose ends are in reverse order."""
    first, last = (end[0] for end in parts_outside_binder(node))
    in_order = first != "oo" and last != "-oo"
    require(in_order, "the ends are in the wrong order: the first is oo, or the second is -oo")


@rule("under", "t", premises=1)
def _compare_binders(theorem: Theorem, node: Term) -> Any:
    """Conclude that sums, integrals or expectations compare as their terms do, if defined.

    The node is the left one; its body is the left side of the premise. Sums are defined if their
    terms are, which the premise says, and the ends are integers in order.
    """
    require(node[0] in ("sum", "int", "E"), f"{node[0]} is not known to be monotone")
    kind, other, given = relation_between_binders(theorem, node)
    require(kind in ("=", "<", "<="), "the premise does not compare the terms")
    asked: list[Term] = []
    if node[0] == "sum":
        # Sums of no terms are equal, so a strict comparison needs at least one term.
        asked = sum_range_conditions(node, is_empty_allowed=kind != "<")
    elif node[0] == "int" and all(map(is_term, parts_outside_binder(node))) and kind != "=":
        asked = [well_formed_node((kind, *parts_outside_binder(node)))]
    elif node[0] == "int":
        refuse_reversed_infinite_ends(node)
    exist = [] if node[0] == "sum" else [definedness_equation(node), definedness_equation(other)]
    return [*given, *asked, *exist], (kind, node, other), ()


@rule("equal bodies", "t", premises=1)
def _equal_bodies(theorem: Theorem, node: Term) -> Any:
    """Conclude that two expectations or integrals with equal bodies are equal."""
    require(node[0] in ("E", "int"), "the node is no expectation or integral")
    kind, other, given = relation_between_binders(theorem, node)
    require(kind == "=", "the premise is no equation")
    return [*given, definedness_equation(node)], ("=", node, other), ()


def relation_between_binders(theorem: Theorem, node: Term) -> tuple[str, Term, Iterable[Term]]:
    """Return a premise's relation, the node with its right side as body, and hypotheses."""
    kind, body, other = require_relation(theorem.conclusion)
    require(binder_bodies(node)[0] == body, "the body is not the left side of the premise")
    given = hypotheses_left_by_binder(node, combined_hypotheses([theorem]))
    return kind, well_formed_node(replace_parts(node, {(2, 0): other})), given.values()


def sum_range_conditions(node: Term, is_empty_allowed: bool = True) -> list[Term]:
    """Return formulas which say that a sum's first and last index are integers in order.

    If `is_empty_allowed`, the last may be the first less 1.
    """
    low, high = parts_outside_binder(node)
    last = ("+", high, num(1)) if is_empty_allowed else high
    return [("o", "integer", low), ("o", "integer", high), ("<=", low, last)]
