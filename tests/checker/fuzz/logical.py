"""Generators for the rules of logic and of relations, which look at no function."""

from __future__ import annotations

import itertools
from typing import Any

from slrsym.checker.term import (
    Term,
    binder_bodies,
    free_symbols,
    is_term,
    num,
    parts_outside_binder,
    places_and_subterms,
    substitute,
)

from .generators import Maker, generator
from .terms import ONE, RELATIONS, I, M, N, P, X, Y, forall, lam


@generator("assume")
def _assume(m: Maker) -> Any:
    return (), m.t.formula(3)


@generator("unchecked")
def _unchecked(m: Maker) -> Any:
    premises = [m.fact(m.t.formula(1), m.t.hypotheses()) for _ in range(m.rng.randint(0, 2))]
    return premises, m.rng.choice(("name", "a b", "§", "x")), tuple(m.t.hypotheses()), m.t.formula()


@generator("generalise")
def _generalise(m: Maker) -> Any:
    x = m.t.pick(X, Y, P, I, N)
    p = m.t.formula(2, (x,))
    return (m.fact(p, m.hypotheses(without=(x,))),), x


@generator("specialise")
def _specialise(m: Maker) -> Any:
    names = m.rng.sample([X, Y, P, I, N, M], m.rng.randint(1, 2))
    p = forall(names, m.t.formula(2, names))
    return (m.fact(p, m.t.hypotheses()),), tuple(_value(m, s) for s in names)


def _value(m: Maker, s: Term) -> Term:
    return m.t.integer() if s[2][0] == "Z" and m.chance(0.7) else m.t.term(2)


@generator("induction")
def _induction(m: Maker) -> Any:
    n = m.t.pick(N, M)
    goal = m.t.formula(2, (n,))
    given = m.hypotheses(without=(n,))
    first = substitute(goal, {n: num(int(n == M))})
    base = m.fact(first, given)
    step = m.fact(substitute(goal, {n: ("+", n, ONE)}), [*m.hypotheses(without=(n,)), goal])
    return (base, step), n, goal


@generator("instance")
def _instance(m: Maker) -> Any:
    p, given = m.t.formula(3), m.t.hypotheses()
    fact = m.fact(p, given)
    names = sorted(set().union(*map(free_symbols, (p, *given))), key=str)
    if m.chance(0.4):
        names.append(m.t.pick(X, P, I, ("u", "h", "R", 1), ("ix", "a", "R", 1)))
    chosen = m.rng.sample(names, min(len(names), m.rng.randint(0, 3)))
    pairs = []
    for s in dict.fromkeys(chosen):
        if s[0] == "s":
            pairs.append((s, _value(m, s)))
        else:
            variables = (m.rng.sample([I, ("s", "j", "Z")], s[3]) if s[0] == "ix"
                         else m.t.names(s[3]))  # fmt: skip
            pairs.append((s, lam(variables, m.t.term(2, variables))))
    return (fact,), tuple(pairs)


@generator("logic")
def _logic(m: Maker) -> Any:
    atoms = [m.t.relation(1) for _ in range(3)]

    def formula(depth: int) -> Term:
        what = m.rng.random()
        if depth == 0 or what < 0.3:
            return m.rng.choice(atoms)
        if what < 0.45:
            return ("not", formula(depth - 1))
        head = m.rng.choice(("and", "or", "implies", "iff"))
        count = 2 if head in ("implies", "iff") else m.rng.choice((1, 2, 3))
        return (head, *(formula(depth - 1) for _ in range(count)))

    premises = [m.fact(formula(2), [formula(1) for _ in range(m.rng.randint(0, 2))])
                for _ in range(m.rng.randint(0, 3))]  # fmt: skip
    given = [formula(1) for _ in range(m.rng.randint(0, 2))]
    goal = formula(2)
    parts = [*given, *(("or", p.conclusion, *(("not", h) for h in p.hypotheses)) for p in premises)]
    if parts and m.chance(0.6):
        part = m.rng.choice(parts)
        goal = m.t.pick(part, ("or", goal, part), ("implies", goal, part), ("not", ("not", part)),
                        ("iff", part, ("or", part, ("and", part, goal))))  # fmt: skip
    elif m.chance(0.5):
        goal = m.t.pick(("or", goal, ("not", goal)), ("implies", goal, goal), ("iff", goal, goal))
    return premises, tuple(given), goal


@generator("absolute value")
def _absolute(m: Maker) -> Any:
    return (), m.t.term(3)


@generator("sign")
def _sign(m: Maker) -> Any:
    return (), m.t.term(3)


@generator("integers apart")
def _apart(m: Maker) -> Any:
    return (), m.t.term(2), m.rng.randint(-9, 9)


@generator("maximum")
def _maximum(m: Maker) -> Any:
    return (), m.t.term(2), m.t.term(2)


@generator("order")
def _order(m: Maker) -> Any:
    return (), m.t.term(2), m.t.term(2)


@generator("symbol")
def _symbol(m: Maker) -> Any:
    return (), ("s", m.rng.choice("xyzinp"), m.rng.choice("RZ") + m.rng.choice(
        ("", ">0", "<0", ">=0", "<=0", "!=0")))  # fmt: skip


@generator("chain")
def _chain(m: Maker) -> Any:
    terms = [m.t.term(1) for _ in range(m.rng.randint(2, 5))]
    if m.chance(0.3):
        terms[m.rng.randrange(len(terms))] = m.rng.choice(terms)
    premises = []
    for a, b in itertools.pairwise(terms):
        kind = m.rng.choice(("=", "=", "<", "<="))
        sides = (b, a) if kind == "=" and m.chance(0.4) else (a, b)
        premises.append(m.fact((kind, *sides), m.t.hypotheses(1)))
    return (premises,)


def path_in(t: Term, m: Maker, depth: int = 4, binders: bool = True) -> list[Any]:
    """Return the path of some part."""
    path: list[Any] = []
    for _ in range(depth):
        parts = list(places_and_subterms(t))
        if not binders:
            parts = [
                (i, p)
                for i, p in parts
                if is_term(p) and not (type(i) is tuple and t and p in binder_bodies(t))
            ]
        if not parts or (path and m.chance(0.3)):
            break
        place, t = m.rng.choice(parts)
        path.append(list(place) if isinstance(place, tuple) else place)
    return path


@generator("defined")
def _defined(m: Maker) -> Any:
    p = m.t.relation(3)
    return (m.fact(p, m.t.hypotheses()),), path_in(p, m, binders=m.chance(0.1))


@generator("rewrite")
def _rewrite(m: Maker) -> Any:
    """Return a rewriting at one place, or at two, of a formula with many binders."""
    p = m.t.formula(3)
    path = path_in(p, m, 6)
    part = part_at(p, path)
    if not is_term(part):
        p = (m.rng.choice(RELATIONS), m.t.binder(2), m.t.term(2))
        path = path_in(p, m, 6)
        part = part_at(p, path)
    if not is_term(part):
        part = m.t.term(1)
    other = m.t.term(1, tuple(s for s in free_symbols(part) if s[0] == "s"))
    sides = (part, other) if m.chance(0.5) else (other, part)
    bound = bound_on(p, path)
    given = m.hypotheses(*ranges_on(p, path, m), without=bound)
    paths = [path] * m.rng.choice((1, 1, 1, 2))
    return (m.fact(p, m.t.hypotheses()), m.fact(("=", *sides), given)), paths


def part_at(t: Term, path: list[Any]) -> Term:
    """Return the part at a path."""
    for step in path:
        t = dict(places_and_subterms(t))[tuple(step) if isinstance(step, list) else step]
    return t


def _around(t: Term, path: list[Any]) -> list[Term]:
    """Return the binders whose inside a path enters."""
    found = []
    for step in path:
        if isinstance(step, list) and dict(places_and_subterms(t))[tuple(step)] in binder_bodies(t):
            found.append(t)
        t = dict(places_and_subterms(t))[tuple(step) if isinstance(step, list) else step]
    return found


def bound_on(t: Term, path: list[Any]) -> set[Term]:
    """Return the variables of the binders whose inside a path enters."""
    return {x for node in _around(t, path) for x in (node[2] if node[0] == "d" else node[1])}


def ranges_on(t: Term, path: list[Any], m: Maker) -> list[Term]:
    """Return that variables are in their ranges."""
    found: list[Term] = []
    for node in _around(t, path):
        if node[0] in ("sum", "int"):
            ((x,), (low, high)) = node[1], parts_outside_binder(node)
            for p in (("<=", low, x), ("<=", x, high)):
                if m.chance(0.5) and "oo" not in (p[1][0].lstrip("-"), p[2][0].lstrip("-")):
                    found.append(p)
    return found
