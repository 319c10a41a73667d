"""Generators for rules that are not about matrices alone, where terms have matrices in them.

Each has a row with a colon, beside the row for terms without matrices.
"""

from __future__ import annotations

from typing import Any

from slrsym.checker.term import Term, free_symbols, is_term, num
from tests.checker.matrix_expressions import Expressions

from .generators import Maker, generator
from .logical import bound_on, part_at, path_in, ranges_on
from .matrices import LETTERS, NUMBERS, RANDOM, Matrices, turned_around
from .matrix_rules import (
    as_tuples,
    hypotheses,
    matrix,
    reordered,
    scalar,
    size,
    square_matrix,
    with_letters,
)

U = NUMBERS[0]


def _mean(m: Maker, depth: int = 1) -> Term:
    """Return a mean over matrices, also one whose body has means."""
    node: Term = Matrices(m.rng).mean()
    if depth and m.chance(0.5):
        _, names, (body,), laws = node
        a = m.rng.choice(LETTERS[:5])
        inner = _mean(m, depth - 1)
        more = m.t.pick(inner, ("*", inner, body), ("M.tr", ("M.scale", inner, a)))
        node = ("M.E", names, (("+", body, more),), laws)
    if m.chance(0.2):
        # A letter beside another one of its name.
        x, y = m.rng.sample([*LETTERS[:2], *RANDOM, ("M", "V", "M", "d", "N", "")], 2)
        node = with_letters(node, {x: ("M", y[1], *x[2:])})
    return node


def _formula(m: Maker, depth: int = 2) -> Term:
    """Return a formula about matrices."""
    if depth and m.chance(0.5):
        parts = [_formula(m, depth - 1) for _ in range(2)]
        return (m.rng.choice(("and", "or", "implies", "iff")), *parts)
    if m.chance(0.4):
        t = _mean(m)
        return m.t.pick(
            ("<=", t, U), ("=", t, reordered(m, t)), ("forall", (U,), (("<", U, t),), ())
        )
    _, a = square_matrix(m)
    trace = ("M.tr", a)
    return m.t.pick(
        ("M.psd", a),
        ("M.invertible", a),
        ("M.eq", a, a),
        ("o", "integer", ("M.dim", "N")),
        ("<", num(0), trace),
        ("forall", (U,), (("<", U, ("*", U, trace)),), ()),
        ("o", "Kind", a, ("tuple", a)),
    )


@generator("assume: matrices")
def _assume(m: Maker) -> Any:
    return (), _formula(m)


@generator("logic: matrices")
def _logic(m: Maker) -> Any:
    p, q = _formula(m), _formula(m, 0)
    facts = [m.fact(("implies", p, q), hypotheses(m))]
    given = [reordered(m, p)]
    if m.chance(0.5):
        facts.append(m.fact(p, hypotheses(m)))
    return facts, tuple(given), reordered(m, q)


@generator("arithmetic: traces")
def _arithmetic(m: Maker) -> Any:
    make, n = Matrices(m.rng), m.rng.choice("dddN")
    a: Term = make.matrix(n, n, m.rng.choice((1, 2)))
    if m.chance(0.3):
        n = m.rng.choice("nm12")
        a = as_tuples(Expressions(m.rng).matrix(n, n, 1))
    left: Term = ("M.tr", a)
    right = ("M.tr", turned_around(a, m.rng))
    given: list[Term] = []
    what = m.rng.random()
    if what < 0.2:
        left = ("*", left, ("M.dim", n))
        right = ("M.tr", ("M.scale", right, ("M.id", n)))
    elif what < 0.35:
        node = _mean(m)
        left, right = ("+", left, node), ("+", reordered(m, node), right)
        given = [("=", node, node)]
    elif what < 0.45:
        left, right = ("M.dim", n), ("M.tr", ("M.id", n))
        if m.chance(0.4):
            left, right = num(1), ("+", right, m.t.pick(num(0), num(1, 2)))
            return (), (), (m.rng.choice(("<", "<=", "!=")), left, right), [40, [], [], []]
    elif what < 0.55:
        c, d = m.rng.choice((U, ("M.dim", "N"))), matrix(m, n, n)
        left = ("+", left, ("*", c, ("M.tr", d)))
        right = ("M.tr", ("M.add", a, ("M.scale", c, ("M.T", d))))
    elif what < 0.65:
        left, right = right, left
        given = [("<=", num(0), left)]
        relation = m.rng.choice(("<=", "<="))
        return (), tuple(given), (relation, num(0), ("*", ("M.dim", "d"), right)), [
            40, [], [0], []]  # fmt: skip
    use = [*range(len(given))]
    if m.chance(0.5):
        given, use = [*given, ("!=", U, num(0))], [*use, len(use)]
    head = m.rng.choice(("=", "=", "<="))
    return (), tuple(given), (head, left, right), [m.rng.choice((1, 3, 5, 20, 40)), [], use, []]


@generator("derivative: traces")
def _derivative(m: Maker) -> Any:
    make = Matrices(m.rng)
    body: Term = make.term(m.rng.choice((1, 2)))
    if m.chance(0.5):
        n = size(m)
        c = m.t.pick(U, ("*", U, U), ("f", "sin", U), ("^", 2, 1, U), ("^", 1, 2, U))
        a = ("M.add", make.matrix(n, n, 1), ("M.scale", c, make.matrix(n, n, 1)))
        body = m.t.pick(("M.tr", ("M.mul", a, ("M.T", a))), ("f", "exp", ("M.tr", a)),
                        ("*", body, ("M.tr", a)), ("^", 2, 1, ("M.tr", a)))  # fmt: skip
    if m.chance(0.1):
        body = ("+", body, make.mean())
    point = m.t.pick(U, num(0), ("M.dim", "d"), ("M.tr", LETTERS[0]))
    return (), ("d", (m.rng.choice((0, 1, 1, 1, 2)),), (U,), (body,), (point,))


def _about(m: Maker) -> tuple[Term, list[Term]]:
    """Return a formula about matrices, and hypotheses."""
    return _formula(m, 1), hypotheses(m)


def _letters(*formulas: Term) -> list[Term]:
    found = set().union(*map(free_symbols, formulas))
    return sorted((x for x in found if x[0] == "M"), key=str)


@generator("instance: letters")
def _instance(m: Maker) -> Any:
    p, given = _about(m)
    free = _letters(p, *given)
    chosen = m.rng.sample(free, min(len(free), m.rng.randint(1, 2)))
    if m.chance(0.2):
        chosen.append(m.rng.choice([*LETTERS, *RANDOM]))
    if m.chance(0.9):
        kin = {(x[5], x[3]) for x in chosen if x[5]}
        chosen += [x for x in free if (x[5], x[3]) in kin]
    symbols = [*dict.fromkeys(chosen), *([U] if m.chance(0.2) else [])]
    m.rng.shuffle(symbols)
    return (m.fact(p, given),), tuple((x, _value(m, x)) for x in symbols)


def _value(m: Maker, x: Term) -> Term:
    if x[0] != "M":
        return m.t.pick(("M.tr", LETTERS[0]), m.t.term(1), ("M.dim", "d"), _mean(m))
    rows, columns = x[3:5]
    own = [y for y in (*LETTERS, *RANDOM) if y[3:5] == (rows, columns)]
    return m.t.pick(
        x,
        matrix(m, rows, columns, 0),
        matrix(m, rows, columns),
        ("M", "B", *x[2:]),
        ("M.scale", scalar(m), matrix(m, rows, columns, 0)),
        *([m.rng.choice(own)] if own else []),
        *([("M.id", rows)] if rows == columns else []),
    )


@generator("instance: sizes")
def _sizes(m: Maker) -> Any:
    p, given = _about(m)
    letters = _letters(p, *given)
    if len(letters) > 1 and m.chance(0.4):
        # Two letters of one name, which sizes may make one.
        x, y = m.rng.sample(letters, 2)
        p, *given = (with_letters(q, {x: (*y[:3], *x[3:5], y[5])}) for q in (p, *given))
        letters = _letters(p, *given)
    names = sorted({n for x in letters for n in x[3:5] if not n.isdigit()} or {"d"})
    if m.chance(0.2):
        names.append(m.rng.choice(("q", "r")))
    chosen = m.rng.sample(names, m.rng.randint(1, len(names)))
    if m.chance(0.05):
        chosen.append("1")
    new = ("d", "N", "1", "2", "n", "m", "r", "p")
    if m.chance(0.3):
        new = (m.rng.choice(new),)
    return (m.fact(p, given),), tuple((("M.dim", n), ("M.dim", m.rng.choice(new))) for n in chosen)


@generator("rewrite: matrices")
def _rewrite(m: Maker) -> Any:
    p = m.t.pick(_formula(m, 1), ("=", _mean(m), U), ("<", U, _mean(m)))
    path = path_in(p, m, 8)
    while path and not is_term(part_at(p, path)):
        path = path[:-1]
    if not path:
        p, path = ("=", _mean(m), U), [1]
    part = part_at(p, path)
    other = m.t.pick(U, _mean(m), ("M.tr", matrix(m, "d", "d", 0)), scalar(m))
    sides = (part, other) if m.chance(0.5) else (other, part)
    bound = bound_on(p, path)
    given = hypotheses(m, [*bound]) + ranges_on(p, path, m)
    return (m.fact(p, hypotheses(m)), m.fact(("=", *sides), given)), [path]


@generator("defined: matrices")
def _defined(m: Maker) -> Any:
    a, t = square_matrix(m)[1], _mean(m)
    p = m.t.pick(("=", ("M.tr", a), t), ("<=", t, U), ("!=", U, ("M.tr", a)), ("M.eq", a, a))
    return (m.fact(p, hypotheses(m)),), path_in(p, m, 4, binders=m.chance(0.3))


@generator("specialise: matrices")
def _specialise(m: Maker) -> Any:
    p = ("forall", (U,), (_formula(m, 1),), ())
    return (m.fact(p, hypotheses(m)),), (m.t.pick(scalar(m), _mean(m), ("M.tr", LETTERS[0])),)
