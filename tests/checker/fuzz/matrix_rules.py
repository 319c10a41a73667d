"""Generators for the rules about matrices, and random matrices for others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from slrsym.checker.extensions.matrix_language import shape
from slrsym.checker.term import Term, free_symbols, num
from slrsym.prover.tactics.matrix_means import mean_as_term
from tests.checker.matrix_expressions import Expressions, formed, random_mean

from .generators import Maker, generator
from .matrices import LETTERS, NUMBERS, RANDOM, Matrices

U = NUMBERS[0]


def as_tuples(t: Any) -> Any:
    """Return a term of lists, as a log has it, with tuples."""
    return tuple(map(as_tuples, t)) if type(t) is list else t


def size(m: Maker) -> str:
    """Return a size, most often d."""
    return m.rng.choice("dddN1")


def matrix(m: Maker, rows: str, columns: str, depth: int = 1) -> Term:
    """Return a matrix of a shape."""
    if {rows, columns} - {"d", "N", "1"} or m.chance(0.2):
        return as_tuples(Expressions(m.rng).matrix(rows, columns, depth))
    return Matrices(m.rng).matrix(rows, columns, depth)


def square_with_form(m: Maker, n: str, depth: int = 1) -> Term:
    """Return a square matrix which is often semidefinite or invertible."""
    rng = m.rng
    if m.chance(0.5) and n in ("1", "2", "n", "m"):
        return as_tuples(formed(Expressions(rng), n, depth))
    if m.chance(0.3):
        return matrix(m, n, n, depth)
    b = matrix(m, n, m.rng.choice("dN1"))
    inside = [] if m.chance(0.5) else [matrix(m, shape(b)[1], shape(b)[1], 0)]
    family = [x for x in LETTERS if x[5]]
    return m.t.pick(
        ("M.mul", b, *inside, ("M.T", b)),
        ("M.mul", ("M.T", ("M.T", b)), *inside, ("M.T", b)),
        ("M.add", matrix(m, n, n, 0), matrix(m, n, n, 0)),
        ("M.scale", scalar(m), ("M.id", n)),
        ("M.mul", *(rng.choice([*family, ("M.inv", family[0]), ("M.id", "d")]) for _ in "ab")),
    )


def square_matrix(m: Maker) -> tuple[str, Term]:
    """Return a size, and a square matrix of it."""
    n = m.rng.choice((size(m), size(m), "n", "m", "2"))
    if n in ("n", "m", "2"):
        return n, as_tuples(formed(Expressions(m.rng), n, m.rng.choice((1, 2))))
    t = square_with_form(m, n)
    return shape(t)[0], t


def scalar(m: Maker) -> Term:
    """Return a factor of a matrix."""
    return Matrices(m.rng).number() if m.chance(0.7) else m.t.term(1)


def matrix_like(m: Maker, t: Term) -> Term:
    """Return a matrix of the same shape as another, which may be equal to it."""
    return m.t.pick(t, ("M.add", t), ("M.mul", t), ("M.T", ("M.T", t)), ("M.scale", num(1), t),
                    matrix(m, *shape(t)), Matrices(m.rng).changed(t))  # fmt: skip


def hypotheses(m: Maker, without: Sequence[Term] = ()) -> list[Term]:
    """Return some hypotheses about matrices, mostly such that do not speak of some letters."""
    found = []
    for _ in range(m.rng.randint(0, 2)):
        _, a = square_matrix(m)
        p = m.t.pick(("M.psd", a), ("M.invertible", a), ("M.eq", a, a), ("<", num(0), ("M.tr", a)),
                     m.t.relation(1))  # fmt: skip
        if not free_symbols(p) & {*without} or m.chance(0.05):
            found.append(p)
    return found


def reordered(m: Maker, t: Any) -> Any:
    """Return a term with sums and products in another order, and other names of bound letters."""
    if type(t) is not tuple or not t or t[0] in ("M", "s", "n", "M.id", "M.dim"):
        return t
    if t[0] == "M.E":
        _, names, (body,), laws = t
        new = {x: ("M", m.rng.choice(("X", "Y", "X'", "V", "W", "v")) + "'" * i, *x[2:])
               for i, x in enumerate(names) if m.chance(0.7)}  # fmt: skip
        if set(new.values()) & free_symbols(body):
            new = {}
        body = with_letters(body, new)
        return ("M.E", tuple(new.get(x, x) for x in names), (reordered(m, body),), laws)
    parts = [reordered(m, p) for p in t[1:]]
    chance = {"M.mul": 0.03, "M.add": 0.03, "M.eq": 0.03}
    if m.chance(0.5 if t[0] in ("+", "*", "and", "or", "=") else chance.get(t[0], 0)):
        m.rng.shuffle(parts)
    return (t[0], *parts)


def with_letters(t: Any, new: dict[Term, Term]) -> Any:
    """Return a term with other letters, bound ones included."""
    if type(t) is not tuple:
        return t
    return new[t] if t in new else tuple(with_letters(p, new) for p in t)


@generator("semidefinite")
def _semidefinite(m: Maker) -> Any:
    return (), square_matrix(m)[1]


@generator("invertible")
def _invertible(m: Maker) -> Any:
    return (), square_matrix(m)[1]


@generator("symmetric")
def _symmetric(m: Maker) -> Any:
    return ((m.fact(("M.psd", square_matrix(m)[1]), hypotheses(m)),),)


@generator("equal matrices")
def _equal(m: Maker) -> Any:
    _, a = square_matrix(m)
    head = m.rng.choice(("M.psd", "M.invertible"))
    other = reordered(m, a) if m.chance(0.9) else matrix_like(m, a)
    equation = ("M.eq", other, matrix_like(m, a))
    return ((m.fact((head, a), hypotheses(m)), m.fact(equation, hypotheses(m))),)


@generator("trace of semidefinite")
def _trace(m: Maker) -> Any:
    n, p = square_matrix(m)
    return (
        (),
        p,
        square_with_form(m, n) if n in "dN1" else as_tuples(formed(Expressions(m.rng), n, 1)),
    )


@generator("definite trace")
def _definite(m: Maker) -> Any:
    n, p = square_matrix(m)
    n, p = (n, p) if n in "dN1" else ("d", square_with_form(m, "d"))
    n = shape(p)[0]
    k = m.rng.choice("dN1")
    return (), p, matrix(m, n, k), square_with_form(m, k)


@generator("cauchy-schwarz for matrices")
def _cauchy(m: Maker) -> Any:
    n, k = m.rng.choice("dN1"), m.rng.choice("dN1")
    return (), matrix(m, n, k), square_with_form(m, n), matrix(m, n, k)


@generator("sandwich")
def _sandwich(m: Maker) -> Any:
    n, k, r = (m.rng.choice("dN1") for _ in range(3))
    a = matrix(m, n, k)
    p, q = matrix(m, r, n), matrix(m, k, r)
    return (m.fact(("M.eq", a, matrix_like(m, a)), hypotheses(m)),), p, q


@generator("matrix identity")
def _identity(m: Maker) -> Any:
    n, k = m.rng.choice("dN"), m.rng.choice("dN1")
    a = matrix(m, n, k)
    b = matrix_like(m, a)
    z = ("M", "Z", "M", k, n, "")
    if m.chance(0.1):
        z = m.rng.choice([x for x in (*LETTERS, *RANDOM, z) if x[3:5] == (k, n)])
    said = ("=", ("M.tr", ("M.mul", a, z)), ("M.tr", ("M.mul", b, z)))
    if m.chance(0.1):
        said = ("=", said[2], said[1])
    given = hypotheses(m, [z])
    if m.chance(0.1):
        given.append(("M.eq", ("M.T", z), ("M.T", z)))
    return (m.fact(said, given),), ("M.eq", a, b), z


@generator("size")
def _size_rule(m: Maker) -> Any:
    return (), m.t.pick(*(("M.dim", n) for n in ("d", "N", "1", "7", "999", "n'")), num(3), U)


@generator("isserlis")
def _isserlis(m: Maker) -> Any:
    node = Matrices(m.rng).mean() if m.chance(0.6) else as_tuples(random_mean(m.rng, 4))
    if m.chance(0.3):
        _, names, (body,), laws = node
        more = m.t.pick(("*", body, ("M.dim", "d")), ("+", body, U), ("*", m.t.term(1), body),
                        ("^", 1, 1, body), ("^", -1, 1, body))  # fmt: skip
        if len(str(body)) < 300 and m.chance(0.3):
            more = ("^", 2, 1, body)
        node = ("M.E", names, (more,), laws)
    value = mean_as_term(node)
    if m.chance(0.3):
        value = reordered(m, value)
    if m.chance(0.1):
        value = ("+", value, m.t.pick(num(0), ("*", num(0), ("M.tr", ("M.id", "d")))))
    facts = [m.fact(("!=", U, num(0)), hypotheses(m))] if m.chance(0.3) else []
    given = [("!=", U, num(0))] if m.chance(0.3) else []
    evidence = [m.rng.choice((2, 4, 6, 9, 20, 40, 64)), [], [*range(len(facts) + len(given))], []]
    return facts, tuple(given), ("=", node, value), evidence
