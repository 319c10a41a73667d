"""Theorems, and the rules that make them; nothing else does.

A theorem says: for all values of its free symbols in their sorts, if all hypotheses hold, then the
conclusion does. Rules take theorems and data, and give a theorem or raise `Rejected`. Side
conditions of a rule become hypotheses, which other theorems remove by `logic`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from slrsym.checker.logic import contradictory
from slrsym.checker.term import (
    RELATIONS,
    Rejected,
    Term,
    all_well_formed,
    bound,
    children,
    conditions,
    defined,
    free,
    has_copies,
    inside,
    is_formula,
    is_function,
    is_inside,
    is_small,
    is_term,
    key,
    num,
    outside,
    replaced,
    require,
    same,
    sort_conditions,
    substitute,
    well_formed,
)

_MAKING = object()


class Theorem:
    """A theorem: hypotheses by their keys, a conclusion, and the axioms that it rests on."""

    __slots__ = ("axioms", "conclusion", "hypotheses")
    hypotheses: MappingProxyType[str, Term]
    conclusion: Term
    axioms: frozenset[str]

    def __init__(self, making: object, hypotheses: Iterable[Term], conclusion: Term,
                 axioms: Iterable[str]) -> None:  # fmt: skip
        if making is not _MAKING:
            raise TypeError("theorems are made by the rules of the checker")
        require(is_formula(conclusion), "the conclusion is no formula")
        hypotheses = tuple(hypotheses)
        require(is_small((conclusion, *hypotheses)), "the theorem is too long")
        found = {key(h): h for h in hypotheses}
        require(all(map(is_formula, found.values())), "a hypothesis is no formula")
        object.__setattr__(self, "hypotheses", MappingProxyType(found))
        object.__setattr__(self, "conclusion", conclusion)
        object.__setattr__(self, "axioms", frozenset(axioms))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a theorem does not change")


class KernelRule(NamedTuple):
    """A rule: its function, the kinds of its data, how many premises it has, and its extension.

    The kinds: ``t`` a term or formula, ``ts`` a list of them, ``pairs`` a list of pairs, ``json``
    anything that JSON can say, which the rule reads itself.
    """

    apply: Callable[..., tuple[Iterable[Term], Term, Iterable[str]]]
    kinds: tuple[str, ...]
    premises: int | None
    extension: str


RULES: dict[str, KernelRule] = {}


def rule(
    name: str, *kinds: str, premises: int | None = 0, extension: str = ""
) -> Callable[[Any], Any]:
    """Register a rule: a function of its premises and then its data, in order.

    With any number of premises (None) it takes a list of them. A log that uses a rule of an
    extension has to name the extension.
    """

    def register(function: Any) -> Any:
        require(name not in RULES, f"two rules have the name {name}")
        RULES[name] = KernelRule(function, kinds, premises, extension)
        return function

    return register


def prove(name: str, premises: Sequence[Theorem], *data: Any) -> Theorem:
    """Return the theorem that a rule makes; `Rejected` says why there is none."""
    require(name in RULES, f"unknown rule {name!r:.40}")
    require(all(type(p) is Theorem for p in premises), "a premise is no theorem")
    apply, kinds, count, _ = RULES[name]
    require(count in (None, len(premises)), f"{name} takes {count} premises")
    require(len(data) == len(kinds), f"{name} takes {len(kinds)} data")
    try:
        for kind, value in zip(kinds, data, strict=True):
            _validate(kind, value)
        hypotheses, conclusion, axioms = apply(*([premises] if count is None else premises), *data)
        inherited = (a for p in premises for a in p.axioms)
        return Theorem(_MAKING, hypotheses, conclusion, (*axioms, *inherited))
    except Rejected:
        raise
    # A rule that stumbles over its data has not accepted them.
    except Exception as reason:
        raise Rejected(f"malformed data of {name}: {type(reason).__name__}") from reason


def _validate(kind: str, data: Any) -> None:
    """Refuse data that the reader of a log would refuse."""
    if kind == "t":
        all_well_formed([data])
    elif kind == "ts":
        require(type(data) is tuple, "the data are no tuple of terms")
        all_well_formed(data)
    elif kind == "pairs":
        require(all(len(pair) == 2 for pair in data), "a pair has not two parts")
        all_well_formed([value for _, value in data])
        all_well_formed([s for s, _ in data if s[0] not in ("u", "ix")])
        functions = [s for s, _ in data if s[0] in ("u", "ix")]
        require(
            all(map(is_function, functions)), "a function has no name, sort or number of arguments"
        )


def combined_hypotheses(premises: Iterable[Theorem]) -> dict[str, Term]:
    return {k: h for p in premises for k, h in p.hypotheses.items()}


def relation(t: Term) -> tuple[str, Term, Term]:
    require(t[0] in RELATIONS, "the statement is no relation")
    return t


def checked(t: Term) -> Term:
    well_formed(t)
    return t


# -- logic ----------------------------------------------------------------------------------------


@rule("assume", "t")
def _assume(p: Term) -> Any:
    """Assume p: p follows from the hypothesis p."""
    return [p], p, ()


@rule("logic", "ts", "t", premises=None)
def _logic(premises: Sequence[Theorem], hypotheses: tuple[Term, ...], conclusion: Term) -> Any:
    """What follows from the premises by the truth table of the connectives.

    A premise counts as the implication of its conclusion by its hypotheses; so this rule cuts,
    discharges, takes conjunctions apart and puts cases together.
    """
    clauses = [("not", conclusion), *hypotheses]
    for p in premises:
        given = tuple(p.hypotheses.values())
        clauses.append(("or", p.conclusion, *(("not", h) for h in given)))
    require(contradictory(clauses), "the conclusion does not follow by logic")
    return hypotheses, conclusion, ()


@rule("instance", "pairs", premises=1)
def _instance(theorem: Theorem, pairs: tuple[tuple[Term, Term], ...]) -> Any:
    """Put values for the symbols of a theorem; that they are of the right sorts is supposed."""
    values = dict(pairs)
    require(len(values) == len(pairs), "a symbol is given two values")
    asked = []
    for symbol, value in pairs:
        function = symbol[0] in ("u", "ix")
        require(
            function or symbol[0] == "s",
            "a value is given to what is neither a symbol nor a function",
        )
        require(
            function == (value[0] == "lam"), "a function is given a term, or a symbol a function"
        )
        asked += conditions(symbol, value)
    given = [substitute(h, values) for h in theorem.hypotheses.values()]
    return [*given, *asked], substitute(theorem.conclusion, values), ()


@rule("generalise", "t", premises=1)
def _generalise(theorem: Theorem, symbol: Term) -> Any:
    """Conclude for all values of a symbol of which the hypotheses do not speak."""
    given = theorem.hypotheses.values()
    require(not any(symbol in free(h) for h in given), f"a hypothesis speaks of {symbol[1]}")
    return given, checked(("forall", (symbol,), (theorem.conclusion,), ())), ()


@rule("induction", "t", "t", premises=2)
def _induction(base: Theorem, step: Theorem, n: Term, goal: Term) -> Any:
    """Conclude for all n from the goal at the first n, and from each n to the next."""
    require(n[0] == "s" and n[2] in ("Z>=0", "Z>0"), "the symbol is not of sort Z>=0 or Z>0")
    first = substitute(goal, {n: num(int(n[2] == "Z>0"))})
    following = substitute(goal, {n: ("+", n, num(1))})
    require(same(base.conclusion, first), "the first premise is not the goal at the start")
    require(same(step.conclusion, following), "the second premise is not the goal one further")
    given = combined_hypotheses([base]) | {
        k: h for k, h in step.hypotheses.items() if k != key(goal)
    }
    require(not any(n in free(h) for h in given.values()), f"a hypothesis restricts {n[1]}")
    return given.values(), goal, ()


# -- relations ------------------------------------------------------------------------------------


@rule("symbol", "t")
def _symbol(symbol: Term) -> Any:
    """State that a symbol is defined and satisfies the condition of its sort, such as x > 0."""
    require(symbol[0] == "s", "the argument is no symbol")
    return [], ("and", defined(symbol), *sort_conditions(symbol[2], symbol)), ()


@rule("order", "t", "t")
def _order(a: Term, b: Term) -> Any:
    """State how <, =, <= and != between two terms depend on each other."""
    less, equal, more = checked(("<", a, b)), ("=", a, b), ("<", b, a)
    both = ("and", defined(a), defined(b))
    some = ("or", less, equal, more)
    alone = [("not", ("and", x, y)) for x, y in ((less, equal), (less, more), (equal, more))]
    named = [
        ("iff", ("<=", a, b), ("or", less, equal)),
        ("iff", ("<=", b, a), ("or", more, equal)),
        ("iff", ("!=", a, b), ("or", less, more)),
    ]
    return [], ("and", ("iff", both, some), *alone, *named), ()


@rule("chain", premises=None)
def _chain(premises: Sequence[Theorem]) -> Any:
    """Chain relations one after the other, equations read either way."""
    require(premises, "there is no premise")
    kinds = []
    start = end = relation(premises[0].conclusion)[1]
    swapped = len(premises) > 1 and premises[0].conclusion[0] == "="
    if swapped and not any(same(premises[0].conclusion[2], t) for t in premises[1].conclusion[1:]):
        start = end = premises[0].conclusion[2]
    for p in premises:
        kind, a, b = relation(p.conclusion)
        require(kind != "!=", "a premise is a relation !=")
        if not same(a, end):
            a, b = b, a
            require(kind == "=" and same(a, end), "the chain is broken")
        kinds.append(kind)
        end = b
    kind = "<" if "<" in kinds else "<=" if "<=" in kinds else "="
    return combined_hypotheses(premises).values(), (kind, start, end), ()


@rule("defined", "json", premises=1)
def _defined(theorem: Theorem, path: Any) -> Any:
    """Conclude that a part of a relation that holds is defined, unless it stands under a binder."""
    relation(theorem.conclusion)
    nodes, part = descend(theorem.conclusion, path)
    require(not any(is_inside(t, i) for t, i in nodes), "the place lies under a binder")
    return theorem.hypotheses.values(), checked(defined(part)), ()


@rule("rewrite", "json", premises=2)
def _rewrite(theorem: Theorem, equation: Theorem, paths: Any) -> Any:
    """Equals for equals, at places of the first premise.

    Under a binder, too, if the hypotheses of the equation say of the variables bound there nothing
    but that they are in its range.
    """
    kind, a, b = relation(equation.conclusion)
    require(kind == "=", "the second premise is no equation")
    conclusion, given = theorem.conclusion, combined_hypotheses([theorem])
    require(isinstance(paths, list), "the places are no list")
    for path in paths:
        nodes, part = descend(conclusion, path)
        require(same(part, a) or same(part, b), "another term stands at this place")
        part, mine = (b if same(part, a) else a), combined_hypotheses([equation])
        for t, i in reversed(nodes):
            part = checked(replaced(t, {i: part}))
            if bound(t) and is_inside(t, i):
                mine = leaving(t, mine)
        conclusion, given = part, given | mine
    return given.values(), conclusion, ()


def descend(t: Term, path: Any) -> tuple[list[tuple[Term, Any]], Term]:
    """Return the nodes on the way to a part, each with the next place, and the part."""
    nodes = []
    require(
        isinstance(path, list) and len(path) < 200, "a place is no list of numbers, or too long"
    )
    for step in path:
        numbers = step if isinstance(step, list) else [step]
        require(all(type(n) is int for n in numbers), "a place is no list of numbers, or too long")
        place = tuple(step) if isinstance(step, list) else step
        parts = dict(children(t))
        require(place in parts, "there is no such place")
        nodes.append((t, place))
        t = parts[place]
    return nodes, t


def leaving(node: Term, given: dict[str, Term]) -> dict[str, Term]:
    """Return what has to be supposed outside of a binder, from the hypotheses inside."""
    names, added = set(bound(node)), []
    if node[0] in ("sum", "int"):
        ((x,), (low, high)) = bound(node), outside(node)
        for end, wanted in ((low, ("<=", low, x)), (high, ("<=", x, high))):
            held = None if end[0] in ("oo", "-oo") else given.get(key(wanted))
            if held is not None and x not in free(end):
                given = {k: h for k, h in given.items() if k != key(wanted)}
                # Between ends in the wrong order, nothing lies where the integral looks.
                added += [("<=", low, high)] if node[0] == "int" else []
    # That copies exist does not speak of their value.
    random = [h for h in given.values() if has_copies(h) and not (
        h[0] == "=" and h[1][0] == "copies" and same(h[1], h[2]))]  # fmt: skip
    require(node[0] != "E" or not random, "a hypothesis speaks of the value of a sum of copies")
    require(
        not any(free(h) & names for h in given.values()),
        f"a hypothesis speaks of {', '.join(sorted(s[1] for s in names))}, bound here",
    )
    return given | {key(h): checked(h) for h in added}


@rule("under", "t", premises=1)
def _under(theorem: Theorem, node: Term) -> Any:
    """Compare sums, integrals or expectations as their terms compare, if both are defined.

    The node is the left one; its body is the left side of the premise. Sums are defined if their
    terms are, which the premise says, and the ends are integers in order.
    """
    kind, a, b = relation(theorem.conclusion)
    require(kind in ("=", "<", "<="), "the premise does not compare the terms")
    require(node[0] in ("sum", "int", "E"), f"{node[0]} is not known to be monotone")
    require(inside(node)[0] == a, "the body is not the left side of the premise")
    other = replaced(node, {(len(node) - 2, 0): b})
    given = leaving(node, combined_hypotheses([theorem]))
    asked: list[Term] = []
    if node[0] == "sum":
        low, high = outside(node)
        last = high if kind == "<" else ("+", high, num(1))
        asked = [("o", "integer", low), ("o", "integer", high), ("<=", low, last)]
    elif node[0] == "int" and all(map(is_term, outside(node))) and kind != "=":
        asked = [checked((kind, *outside(node)))]
    elif node[0] == "int":
        require(
            outside(node)[0][0] != "oo" and outside(node)[1][0] != "-oo",
            "the first end is oo, or the second is -oo",
        )
    exist = [] if node[0] == "sum" else [defined(node), defined(other)]
    return [*given.values(), *asked, *exist], (kind, node, other), ()
