"""Random inferences about unknown functions of vectors, and near misses.

Nothing here imports a checker: inferences are nested tuples, as in a log.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, NamedTuple

from tests.checker.function_values import columns_of, rows_of

Term = Any


def letter(name: str, rows: str = "d", columns: str = "1", sort: str = "M") -> Term:
    return ("M", name, sort, rows, columns, "")


g, x, y, z, a, b = (letter(name) for name in "gxyzab")
WIDE = letter("w", "N")
ONE_ROW = letter("c", "1")
X, Y = letter("X", "d", "N"), letter("Y", "d", "N")
A, B = letter("A", "d", "d"), letter("B", "N", "d")
S, Q = letter("S", "d", "d", "S>=0"), letter("Q", "d", "d", "S>0")
J = letter("J", "N", "N", "S>=0")
LETTERS = (g, x, y, z, a, b, WIDE, ONE_ROW, X, Y, A, B, S, Q, J)
U, K, T_ = ("s", "u", "R"), ("s", "k", "R>=0"), ("s", "t", "R")
COVARIANCES = {"d": (("M.id", "d"), S, Q), "N": (("M.id", "N"), J), "1": (("M.id", "1"),)}
RANDOM = (g, x, z, WIDE, X, Y, A)
# What has a copy: a random number.
COPIES = ("copies", (U,), (U,), (("n", 2, 1), ("gauss", 1, ("n", 0, 1), ("n", 1, 1))))


def num(p: int, q: int = 1) -> Term:
    return ("n", p, q)


def flipped(m: Term) -> Term:
    return ("M.T", m)


def tr(*parts: Term) -> Term:
    return ("M.tr", ("M.mul", *parts) if len(parts) > 1 else parts[0])


def moved(v: Term, by: Term, w: Term) -> Term:
    return ("M.add", v, ("M.scale", by, w))


def mean(names: Sequence[Term], f: Term, laws: Sequence[Term]) -> Term:
    return ("M.E", tuple(names), (f,), tuple(laws))


def for_all(names: Sequence[Term], p: Term) -> Term:
    return ("M.forall", tuple(names), (p,), ())


def parts_of(t: Any) -> Iterator[Term]:
    """Yield a node and all nodes in it."""
    if type(t) is tuple and t:
        if type(t[0]) is str:
            yield t
        for part in t:
            yield from parts_of(part)


class Draft(NamedTuple):
    """An inference: the rule, premises (a conclusion, and hypotheses), and data."""

    rule: str
    premises: tuple[tuple[Term, tuple[Term, ...]], ...]
    data: tuple[Any, ...]

    @property
    def bound(self) -> tuple[Term, ...]:
        """The letters for all of whose values the rule uses a premise."""
        if self.rule == "generalise letters":
            return tuple(self.data[0])
        if self.rule == "compare means":
            return tuple(self.data[0][1])
        if self.rule not in ("rewrite", "specialise letters"):
            return ()
        binders = [t for t in parts_of(self.premises[0][0]) if t[0] in ("M.forall", "M.E")]
        return tuple(dict.fromkeys(v for t in binders for v in t[1]))


class Functions:
    """Random terms, matrices and formulas with unknown functions."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    def pick(self, *ways: Term) -> Term:
        return self.rng.choice(ways)

    def number(self) -> Term:
        return self.pick(num(self.rng.randint(-2, 3)), num(1, 2), U, K, ("M.dim", "d"),
                         ("^", 2, 1, U), ("*", num(-1), U), ("+", U, num(1)))  # fmt: skip

    def name(self) -> str:
        return self.rng.choice(("h", "h", "h", "k", "f"))

    def vector(self, n: str = "d", depth: int = 1, of: Sequence[Term] = ()) -> Term:
        """Return a vector of a size, mostly of some letters."""
        known = [v for v in of if v[3:5] == (n, "1")]
        plain = [v for v in LETTERS if v[3:5] == (n, "1")] or [letter("v", n)]
        if depth == 0 or self.chance(0.3):
            return self.rng.choice(known if known and self.chance(0.8) else plain)

        def less(size: str = n) -> Term:
            return self.vector(size, depth - 1, of)

        ways = [("M.add", less(), less()), ("M.scale", self.number(), less()), ("M.add", less()),
                moved(less(), self.number(), less()), ("M.grad", self.name(), less()),
                ("M.mul", ("M.hess", self.name(), less()), less()),
                ("M.scale", ("M.h", self.name(), less()), less())]  # fmt: skip
        if n == "d":
            ways += [("M.mul", A, less()), ("M.mul", S, less())]
            ways += [("M.mul", v, self.vector("N", 0, of)) for v in of if v[3:5] == ("d", "N")]
        if n == "N":
            ways += [("M.mul", B, less("d"))]
        return self.rng.choice(ways)

    def node(self, v: Term, *heads: str) -> Term:
        """Return a function, its gradient or its Hessian at a vector."""
        return (self.rng.choice(heads or ("M.h", "M.grad", "M.hess")), self.name(), v)

    def size(self) -> str:
        return self.rng.choice("ddddddNN1")

    def term(self, depth: int = 1, of: Sequence[Term] = (), smooth: bool = False) -> Term:
        """Return a term, also with Hessians of letters if it need not be smooth."""
        if depth > 0 and self.chance(0.5):
            parts = [self.term(depth - 1, of, smooth) for _ in range(self.rng.choice((1, 2, 2)))]
            return self.pick(("+", *parts), ("*", *parts), ("*", self.number(), parts[0]),
                             ("^", 2, 1, parts[0]), ("+", *parts, self.number()))  # fmt: skip
        n = self.rng.choice([v[3] for v in of if v[4] == "1"] or [self.size()])
        deep = 1 if self.chance(0.3) else 0
        v, w = self.vector(n, deep, of), self.vector(n, 0, of)
        fixed = self.vector(n, 0)
        ways = [("M.h", self.name(), v)] * 3 + [
            tr(flipped(w), self.node(v, "M.grad")), tr(flipped(fixed), w),
            tr(flipped(self.node(v, "M.grad")), self.node(w, "M.grad")),
            tr(flipped(v), w)]  # fmt: skip
        ways += [tr(self.square(n), m) for m in of if m[3:5] == (n, n)]
        ways += [tr(flipped(m), m) for m in of if m[4] != "1"]
        if not smooth:
            ways += [tr(self.node(v, "M.hess")),
                     tr(flipped(fixed), self.node(v, "M.hess"), w)]  # fmt: skip
        return self.rng.choice(ways)

    def square(self, n: str) -> Term:
        """Return a square matrix."""
        v = self.vector(n, 1)
        ways = [("M.id", n), ("M.mul", v, flipped(self.vector(n, 0))), self.node(v, "M.hess")]
        return self.rng.choice([*ways, *(m for m in LETTERS if m[3:5] == (n, n))])

    def law(self, v: Term) -> Term:
        return ("M.gauss", self.rng.choice(COVARIANCES[v[3]]), self.rng.choice(COVARIANCES[v[4]]))

    def variables(self) -> tuple[Term, ...]:
        return tuple(self.rng.sample(RANDOM, self.rng.choice((1, 1, 1, 2))))

    def mean(self, smooth: bool = False) -> Term:
        names = self.variables()
        return mean(names, self.term(1, names, smooth), [self.law(v) for v in names])

    def equal_to(self, v: Term) -> Term:
        """Return a vector that mostly has the same value."""
        return self.pick(moved(v, num(0), self.vector(rows_of(v), 0)), ("M.mul", v), ("M.add", v),
                         ("M.scale", num(1), v), ("M.T", flipped(v)),
                         ("M.add", *v[:0:-1]) if v[0] == "M.add" else v,
                         ("M.mul", ("M.id", rows_of(v)), v),
                         self.vector(rows_of(v), 1))  # fmt: skip

    def atom(self, of: Sequence[Term] = ()) -> Term:
        """Return a formula without connectives."""
        t = self.term(1, of)
        n = self.rng.choice([v[3] for v in of if v[4] == "1"] or ["d"])
        v = self.vector(n, 1, of)
        return self.pick(("<=", t, self.number()), ("=", t, t), ("<=", num(0), ("^", 2, 1, t)),
                         ("M.eq", v, self.equal_to(v)), ("M.psd", self.node(v, "M.hess")),
                         ("M.psd", ("M.mul", v, flipped(v))), ("<", num(0), t),
                         ("<=", tr(flipped(v), v), K),
                         ("M.psd", moved(("M.scale", K, ("M.id", n)), num(-1),
                                         self.node(v, "M.hess"))))  # fmt: skip

    def formula(self, of: Sequence[Term] = (), depth: int = 1) -> Term:
        if depth and self.chance(0.35):
            kind = self.rng.choice(("and", "or", "implies", "M.forall", "M.forall"))
            if kind == "M.forall":
                names = self.rng.sample((g, x, z), self.rng.choice((1, 1, 2)))
                return for_all(names, self.formula((*of, *names), depth - 1))
            return (kind, self.formula(of, depth - 1), self.formula(of, depth - 1))
        return self.atom(of)

    def given(self, without: Sequence[Term] = ()) -> tuple[Term, ...]:
        """Return hypotheses, mostly such that do not speak of some letters."""
        found = [self.formula() for _ in range(self.rng.choice((0, 0, 0, 1, 2)))]
        return tuple(p for p in found if self.chance(0.1) or not free(p) & {*without})


def free(t: Any) -> set[Term]:
    """Return the letters that are free in a term."""
    if type(t) is not tuple or not t:
        return set()
    if t[0] == "M":
        return {t}
    if t[0] in ("M.E", "M.forall"):
        return (free(t[2]) - {*t[1]}).union(free(t[3]))
    return set().union(*(free(p) for p in t if type(p) is tuple))


def exchanged(t: Any, old: Any, new: Any) -> Any:
    """Return a term with another part wherever one stands."""
    if t == old:
        return new
    return tuple(exchanged(p, old, new) for p in t) if type(t) is tuple else t


# -- the seven rules ------------------------------------------------------------------------------


def equal_vectors(m: Functions) -> Draft:
    v = m.vector(m.size(), m.rng.choice((0, 1, 2)))
    left = m.equal_to(v) if m.chance(0.03) else v
    return Draft("equal vectors", ((("M.eq", left, m.equal_to(v)), m.given()),), (m.node(v),))


def generalise_letters(m: Functions) -> Draft:
    names = tuple(m.rng.sample((g, x, z, WIDE, X, A), m.rng.choice((1, 1, 2))))
    p = m.formula(names)
    if m.chance(0.3):
        p = ("=", m.term(1, names), m.term(1, names))
    if m.chance(0.3):
        t = m.term(1, names)
        p = m.pick(("=", ("+", t, num(0)), t), ("<=", num(0), ("^", 2, 1, t)),
                   ("<", num(0), ("+", ("^", 2, 1, t), num(1))))  # fmt: skip
    given = m.given(names)
    if m.chance(0.15):
        p = m.pick(("<=", m.term(1, names), m.number()), m.atom(names))
        given = (*given, p)
    if m.chance(0.05):
        one = (*g[:2], "S>=0", "1", "1", "")
        names = m.pick((S,), (*names, names[0]), (), (U,), (T_, g), (one,))
    return Draft("generalise letters", ((p, given),), (names,))


def specialise_letters(m: Functions) -> Draft:
    names = tuple(m.rng.sample((g, x, z, WIDE, X), m.rng.choice((1, 1, 2))))
    p = for_all(names, m.formula(names))
    if names[0][3:5] == ("d", "1") and m.chance(0.3):
        # An inner letter of the name of one in a value.
        inner = m.pick(g, x, z, y)
        equation = ("=", tr(flipped(inner), inner), tr(flipped(names[0]), inner))
        q = m.pick(equation, equation, m.atom((*names, inner)))
        p = for_all(names, m.pick(for_all((inner,), q), ("not", for_all((inner,), q))))
    values = []
    for v in names:
        rows, columns = v[3:5]
        own = m.vector(rows, m.rng.choice((0, 1, 1))) if columns == "1" else m.pick(X, Y, v)
        values.append(m.pick(v, own, own, own, ("M.scale", m.number(), own),
                             ("M.scale", ("^", -1, 1, U), own)))  # fmt: skip
    if m.chance(0.05):
        values[0] = m.pick(("M.scale", COPIES, values[0]), flipped(values[0]), WIDE, A, U)
    if m.chance(0.03):
        values.append(values[0])
    return Draft("specialise letters", ((p, (*m.given(), *([p] if m.chance(0.8) else []))),),
                 (tuple(values),))  # fmt: skip


def wild(m: Functions, f: Term) -> Term:
    """Return a term that mostly has no place in a mean of these rules."""
    return m.pick(("f", "abs", f), ("^", -1, 1, f), ("^", 1, 2, f), ("f", "exp", f),
                  ("u", "v", "R", (0,), f), ("f", "max", f, num(0)), ("f", "erf", f),
                  mean((Y,), ("*", f, tr(flipped(Y), Y)), (("M.gauss", S, J),)),
                  ("E", (U,), (("*", U, f),), (("gauss", 1, num(0), num(1)),)),
                  ("*", f, ("^", -1, 1, U)), ("*", ("f", "exp", U), f), ("*", f, COPIES),
                  ("d", (1,), (U,), (("*", U, f),), (num(0),)), ("*", ("^", -1, 1, num(0)), f),
                  ("sum", (("s", "i", "Z"),), (f,), (num(0), num(1))))  # fmt: skip


def mean_exists(m: Functions) -> Draft:
    _, names, (f,), laws = m.mean()
    if m.chance(0.2):
        f = wild(m, f)
    return Draft("mean exists", (), (mean(names, f, laws),))


def compare_means(m: Functions) -> Draft:
    names = m.variables()
    laws = [m.law(v) for v in names]
    count = m.rng.choice((1, 1, 2, 3))
    parts = [m.term(1, names) for _ in range(count)]
    factors = [m.pick(m.number(), ("M.h", "h", a), ("M.dim", "N"), tr(flipped(a), b))
               for _ in range(count)]  # fmt: skip
    if m.chance(0.05):
        factors[0] = m.pick(m.term(0, names), COPIES)
    combined: Term = ("*", factors[0], parts[0]) if count == 1 else (
        "+", *(("*", c, f) for c, f in zip(factors, parts, strict=True)))  # fmt: skip
    kind, square = m.rng.choice(("=", "=", "<", "<=", "<=")), ("^", 2, 1, m.term(0, names))
    if kind == "=":
        f = ("+", combined, num(0)) if m.chance(0.5) else combined
        if m.chance(0.3):
            f = ("+", *combined[:0:-1]) if count > 1 else ("*", parts[0], factors[0])
    else:
        f = ("+", combined, ("*", num(-1), square), *([num(-1)] if kind == "<" else []))
    if m.chance(0.1):
        f = m.term(1, names)
    premise = (m.rng.choice((kind,) * 20 + ("!=", "=", "<")), f, combined)
    given = m.given(names)
    if m.chance(0.1):
        premise = ("<=", f := m.term(1, names), combined)
        given = (*given, premise)
    node = mean(names, f, laws)
    return Draft("compare means", ((premise, given),), (node, tuple(factors), tuple(parts)))


def stein(m: Functions) -> Draft:
    names = m.variables()
    moving = m.rng.choice(names)
    n, k = moving[3:5]
    row = [flipped(m.vector(n, 1, (*names, *([moving] * 2)))), flipped(m.vector(n, 0))]
    first = m.rng.choice(row) if k == "1" else m.pick(
        ("M.mul", m.vector(k, 0), m.rng.choice(row)), flipped(moving), flipped(m.pick(X, A))
        if k == "N" else ("M.mul", A, m.square(n)))  # fmt: skip
    if (rows_of(first), columns_of(first)) != (k, n):
        first = flipped(moving)
    f = m.term(1, names, smooth=m.chance(0.9))
    if m.chance(0.08):
        f = wild(m, f)
    body: Term = ("*", tr(first, moving), f)
    if m.chance(0.06):
        body = m.pick(("*", f, body[1]), (*body, num(1)), body[1], ("*", tr(moving, first), f),
                      ("*", tr(first, ("M.mul", moving)), f), ("+", *body[1:]),
                      ("*", tr(first, ("M.id", n), moving), f))  # fmt: skip
    node = mean(names, body, [m.law(v) for v in names])
    return Draft("stein for matrices", (),
                 (node, m.pick(*names, g) if m.chance(0.05) else moving))  # fmt: skip


def poincare(m: Functions) -> Draft:
    _, names, (f,), laws = m.mean(smooth=m.chance(0.9))
    if m.chance(0.08):
        f = wild(m, f)
    return Draft("poincare for matrices", (), (mean(names, f, laws),))


# -- rules that know of functions, too ------------------------------------------------------------


def evidence(facts: int = 0, size: int = 40) -> list[Any]:
    return [size, [], list(range(facts)), []]


def isserlis(m: Functions) -> Draft:
    """Return a mean of traces of a variable between gradients and Hessians, with its value."""
    v, law = m.rng.choice((g, z)), m.rng.choice((("M.id", "d"), S, Q))
    p, q = m.vector("d", 1), m.vector("d", 1)
    h = m.square("d") if m.chance(0.5) else m.node(q, "M.hess")
    scalar = m.pick(("M.h", m.name(), p), m.number())
    first, second, both = tr(flipped(p), v), tr(flipped(q), v), tr(flipped(v), h, v)
    pair, middle = tr(flipped(p), law, q), tr(h, law)
    longer = [tr(flipped(p), law, k, law, q) for k in (h, flipped(h))]
    body, value = m.pick(
        (("*", first, second), pair), (both, middle),
        (("*", first, second, both), ("+", ("*", pair, middle), *longer)),
        (("*", scalar, first, second), ("*", pair, scalar)), (("*", scalar, first), num(0)),
        (("+", both, scalar), ("+", scalar, middle)),
        (("^", 2, 1, first), tr(flipped(p), law, p)), (scalar, scalar))  # fmt: skip
    if m.chance(0.1):
        body = m.pick(("*", body, ("M.h", m.name(), v)), ("*", body, tr(("M.hess", "h", v))),
                      ("+", body, tr(flipped(v), ("M.grad", "h", v))),
                      tr(flipped(p), ("M.scale", ("M.h", "h", v), q)))  # fmt: skip
    node = mean((v,), body, (("M.gauss", law, ("M.id", "1")),))
    return Draft("isserlis", (), ((), ("=", node, value), evidence()))


def arithmetic(m: Functions) -> Draft:
    """Return an equation of traces in another order."""
    v, w = m.vector("d", 1), m.vector("d", 1)
    s, t = m.term(1), m.term(1)
    h, k, s_ = m.node(v, "M.hess"), m.square("d"), m.node(v, "M.grad")
    left, right = m.pick(
        (("+", s, t), ("+", t, s)), (("*", s, t), ("*", t, s)),
        (tr(flipped(w), h, k), tr(flipped(k), h, w)), (tr(h, k), tr(flipped(k), h)),
        (tr(flipped(v), w), tr(flipped(w), v)),
        (tr(v, flipped(w), k), tr(flipped(w), k, v)),
        (tr(s_, flipped(w), k), tr(w, flipped(s_), m.pick(k, flipped(k), flipped(k)))),
        (tr(flipped(("M.mul", A, h)), k), tr(h, m.pick(A, flipped(A), flipped(A)), k)),
        (("M.h", "h", w), ("M.h", "h", m.equal_to(w))),
        (("*", num(0), ("M.h", "h", ("M.scale", ("^", -1, 1, U), w))), num(0)),
        (tr(("M.mul", v, flipped(w)), ("M.mul", w, flipped(v))),
         ("*", tr(flipped(w), w), tr(flipped(v), v))))  # fmt: skip
    given = (("!=", U, num(0)),) if m.chance(0.6) else ()
    return Draft("arithmetic", (), (given, ("=", left, right), evidence(len(given))))


def line(m: Functions) -> Term:
    """Return a vector that depends on t."""
    v, w = m.vector("d", 1), m.vector("d", 0)
    return m.pick(moved(v, T_, w), moved(v, ("^", 2, 1, T_), w), ("M.scale", T_, v),
                  moved(v, T_, ("M.grad", "h", w)), moved(v, T_, ("M.grad", "k", moved(v, T_, w))),
                  moved(v, ("^", -1, 1, T_), w), moved(v, ("^", 1, 2, T_), w))  # fmt: skip


def derivative(m: Functions) -> Draft:
    p, w = line(m), m.vector("d", 0)
    body = m.pick(("M.h", "h", p), ("*", T_, ("M.h", "h", p)), ("^", 2, 1, ("M.h", "h", p)),
                  tr(flipped(w), ("M.grad", "h", p)), tr(flipped(p), ("M.grad", "k", p)),
                  ("+", ("M.h", "h", p), ("*", T_, U)), tr(("M.hess", "h", p)),
                  ("*", tr(("M.hess", "h", w)), ("M.h", "k", p)))  # fmt: skip
    point = m.pick(T_, num(0), num(1), U, ("M.h", "h", w))
    orders = (m.rng.choice((0, 1, 1, 1, 2, 2, 3)),)
    return Draft("derivative", (), (("d", orders, (T_,), (body,), (point,)),))


def instance(m: Functions) -> Draft:
    p = m.formula()
    names = sorted(v for v in free(p) if v[2] == "M" and v[4] == "1") or [g]
    chosen = m.rng.sample(names, min(len(names), m.rng.choice((1, 1, 2))))
    pairs = tuple((v, m.vector(v[3], 1)) for v in chosen)
    if m.chance(0.1):
        pairs = m.pick(((("M.h", "h", g), ("M.h", "k", g)),), ((("M.grad", "h", g), g),),
                       (*pairs, (U, m.term(1))),
                       (*pairs, (("s", "h", "R"), m.term(0))))  # fmt: skip
    return Draft("instance", ((p, (*m.given(), p)),), (pairs,))


def sizes(m: Functions) -> Draft:
    """Return an instance of sizes, of functions and of bound letters."""
    p = m.formula((), 2)
    if m.chance(0.5):
        p = ("and", p, ("=", ("M.h", "h", WIDE), ("M.h", m.name(), m.pick(WIDE, ONE_ROW))))
    if m.chance(0.3):
        p = for_all((letter("g", "N"), g), ("and", p, ("<=", ("M.h", "k", letter("g", "N")), U)))
    names = m.rng.sample(("d", "N"), m.rng.choice((1, 1, 2)))
    pairs = tuple((("M.dim", n), ("M.dim", m.pick("n", "N", "d", "1", "2"))) for n in names)
    return Draft("instance", ((p, (p, *m.given())),), (pairs,))


def rewrite(m: Functions) -> Draft:
    """Return an equation that is used below a formula about all vectors."""
    v, w = m.rng.sample((g, x, z), 2)
    t = m.term(1, (v,))
    inner = m.pick(("<=", t, ("+", t, K)), ("=", t, t), ("<=", t, U),
                   ("and", ("<", t, ("+", t, num(1))), ("=", U, U)))  # fmt: skip
    path: list[Any] = [1, 1] if inner[0] == "and" else [1]
    p = m.pick(for_all((v,), inner), for_all((w, v), inner), for_all((v,), for_all((w,), inner)))
    if p[2][0][0] == "M.forall":
        path = [[2, 0], *path]
    path = [[2, 0], *path]
    other = m.pick(("+", t, num(0)), ("*", num(1), t), m.term(0, (v,)))
    return Draft("rewrite", ((p, m.given()), (("=", t, other), m.given((v, w)))), ([path],))


def semidefinite(m: Functions) -> Draft:
    v, w = m.vector("d", 1), m.vector("d", 0)
    h = m.node(v, "M.hess")
    small = ("M", "q", "S", "1", "1", "F")
    return Draft(m.rng.choice(("semidefinite", "invertible")), (), (m.pick(
        ("M.mul", h, S, h), ("M.mul", h, flipped(h)), ("M.mul", flipped(h), h), ("M.add", h, S),
        ("M.mul", ("M.grad", "h", w), flipped(("M.grad", "h", w))), ("M.scale", U, h), h,
        ("M.mul", h, h), flipped(h), ("M.mul", ("M.hess", "h", small), small),
        ("M.mul", v, flipped(v)), ("M.grad", "h", ONE_ROW),
        ("M.hess", "h", ONE_ROW)),))  # fmt: skip


DRAFTS = {
    "equal vectors": equal_vectors, "generalise letters": generalise_letters,
    "specialise letters": specialise_letters, "mean exists": mean_exists,
    "compare means": compare_means, "stein for matrices": stein,
    "poincare for matrices": poincare, "isserlis: functions": isserlis,
    "arithmetic: functions": arithmetic, "derivative: functions": derivative,
    "instance: functions": instance, "instance: sizes of functions": sizes,
    "rewrite: for all letters": rewrite, "semidefinite: functions": semidefinite,
}  # fmt: skip


# -- near misses ----------------------------------------------------------------------------------


class Changes:
    """One change of an inference, at a random place."""

    def __init__(self, rng: Random) -> None:
        self.rng, self.make = rng, Functions(rng)

    def __call__(self, draft: Draft) -> Draft:
        """Return the inference with one change of a premise or of its data."""
        rng = self.rng
        if draft.premises and rng.random() < 0.5:
            premises = list(draft.premises)
            i = rng.randrange(len(premises))
            p, given = premises[i]
            if rng.random() < 0.4:
                names = [*draft.bound] or [g]
                given = (*given, self.make.atom(names)) if rng.random() < 0.6 else given[:-1]
            else:
                p = self.changed(p)
            premises[i] = p, given
            return draft._replace(premises=tuple(premises))
        data = list(draft.data)
        places = [i for i, d in enumerate(data) if type(d) is tuple and d]
        if not places:
            return draft
        i = rng.choice(places)
        data[i] = self.changed(data[i])
        return draft._replace(data=tuple(data))

    def changed(self, t: Any) -> Any:
        """Return a term, or a list of them, with one change somewhere."""
        rng = self.rng
        places = [i for i, p in enumerate(t) if type(p) is tuple and p]
        if type(t[0]) is not str:
            if not places or (len(t) > 1 and rng.random() < 0.1):
                return t[:-1]
            i = rng.choice(places)
            return (*t[:i], self.changed(t[i]), *t[i + 1 :])
        if t[0] in ("M", "M.id", "s", "n", "M.dim") or not places or rng.random() < 0.25:
            return self.other(t)
        i = rng.choice(places)
        return (*t[:i], self.changed(t[i]), *t[i + 1 :])

    def other(self, t: Term) -> Term:
        rng, head, make = self.rng, t[0], self.make
        if head == "M":
            near = [v for v in LETTERS if v[3:5] == t[3:5] and v != t]
            return rng.choice([*near, flipped(t), (*t[:3], t[4], t[3], t[5]),
                               (t[0], t[1] + "'", *t[2:]), (*t[:2], "S>=0", *t[3:])])  # fmt: skip
        if head in ("M.h", "M.grad", "M.hess"):
            v = t[2]
            return make.pick((head, "k" if t[1] == "h" else "h", v), (head, t[1], make.equal_to(v)),
                             (rng.choice(("M.h", "M.grad", "M.hess")), t[1], v),
                             (head, t[1], make.vector(rows_of(v), 0)))  # fmt: skip
        if head == "n":
            return num(t[1] + rng.choice((-1, 1)), t[2])
        if head in ("s", "M.dim"):
            return make.number()
        if head in ("M.E", "M.forall"):
            names, laws = t[1], t[3]
            new = rng.choice(LETTERS)
            i = rng.randrange(len(names))
            renamed = (*names[:i], new, *names[i + 1 :])
            return make.pick((head, renamed, *t[2:]), (head, names[1:], t[2], laws[1:]),
                             (head, renamed, exchanged(t[2], names[i], new), laws),
                             (head, names, t[2], laws[::-1]))  # fmt: skip
        if head == "M.gauss":
            return make.pick((head, t[2], t[1]), (head, S, t[2]), (head, t[1], t[1]))
        if head in ("M.mul", "M.add", "+", "*", "and", "or") and len(t) > 2:
            i, j = sorted(rng.sample(range(1, len(t)), 2))
            if rng.random() < 0.4:
                return (*t[:i], *t[i + 1 :])
            return (*t[:i], t[j], *t[i + 1 : j], t[i], *t[j + 1 :])
        if head == "M.T":
            return t[1]
        if head in ("=", "<", "<=", "!=", "M.eq"):
            kinds = ("=", "<", "<=", "!=") if head != "M.eq" else (head,)
            return make.pick((head, t[2], t[1]), (rng.choice(kinds), *t[1:]))
        if head == "M.tr":
            return make.pick(("*", num(-1), t), tr(flipped(t[1])), make.term(0))
        if head == "^":
            return make.pick((head, t[1] + 1, *t[2:]), (head, -t[1], *t[2:]), t[3])
        return t[-1] if type(t[-1]) is tuple and t[-1] and type(t[-1][0]) is str else t
