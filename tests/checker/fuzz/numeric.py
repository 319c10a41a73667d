"""Generators for `arithmetic` and `numbers`: terms with their values in mind."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from slrsym.checker.term import Term, definedness_equation, neg, num

from .generators import Maker, generator
from .terms import HALF, ONE, TWO, ZERO, I, M, N, P, R, W, X, Y, Z, fn, mean, square, u
from .values import rough

SYMBOLS = (X, Y, Z, P, P, W, N, M, I, ("s", "g", "R<0"), ("s", "k", "R!=0"), ("s", "b", "R<=0"))


def _positive(m: Maker, depth: int = 1) -> Term:
    """Return a term that is positive by the signs of its parts."""
    if depth <= 0:
        return m.t.pick(P, ONE, TWO, M, ("pi",), ("+", W, ONE), ("+", square(X), ONE), HALF)
    less = lambda: _positive(m, depth - 1)  # noqa: E731
    return m.t.pick(
        ("+", less(), less()),
        ("*", less(), less()),
        ("+", less(), square(m.t.pick(X, Y))),
        ("^", m.rng.choice((1, -1)), 2, less()),
        ("^", -1, 1, less()),
        fn("exp", _ring(m, 1)),
        u("h", X, sort="R>0"),
        less(),
    )


def _ring(m: Maker, depth: int = 3) -> Term:
    """Return a term that mostly is defined by its form."""
    if depth <= 0 or m.chance(0.1):
        return m.t.pick(m.rng.choice(SYMBOLS), m.rng.choice(SYMBOLS), m.t.number(), ("pi",))
    less = lambda: _ring(m, depth - 1)  # noqa: E731
    what = m.rng.random()
    if what < 0.3:
        return ("+", *(less() for _ in range(m.rng.choice((1, 2, 2, 3)))))
    if what < 0.55:
        return ("*", *(less() for _ in range(m.rng.choice((1, 2, 2, 3)))))
    if what < 0.65:
        return ("^", m.rng.choice((2, 2, 3)), 1, less())
    if what < 0.73:
        p, q = m.rng.choice(((-1, 1), (1, 2), (-1, 2), (1, 3), (3, 2), (-2, 1)))
        return ("^", p, q, _positive(m))
    if what < 0.87:
        name = m.rng.choice(
            (
                "exp",
                "erf",
                "atan",
                "sin",
                "cos",
                "sinh",
                "cosh",
                "tanh",
                "abs",
                "sign",
                "erf_prime",
                "erf_second",
                "log",
                "asin",
            )
        )
        return fn(
            name, _positive(m) if name == "log" else m.t.number() if name == "asin" else less()
        )
    if what < 0.91:
        return fn(m.rng.choice(("zeta", "owens", "max")), less(), less())
    if what < 0.96:
        return u(
            "h", less(), sort=m.rng.choice(("R", "R>0", "R<=0")), orders=(m.rng.choice((0, 0, 1)),)
        )
    if what < 0.98:
        x = m.t.pick(X, Y)
        return ("d", (m.rng.choice((0, 1, 1, 2)),), (x,), (_ring(m, depth - 1),), (less(),))
    return ("ix", "a", m.rng.choice(("R", "Z>=0")), m.t.pick(N, ("+", I, ONE), M))


def _rewritten(m: Maker, t: Term, depth: int = 5) -> Term:
    """Return another form of a term, of the same value."""
    if depth <= 0 or t[0] in ("n", "s", "pi"):
        return t
    if t[0] in ("+", "*"):
        parts = [_rewritten(m, p, depth - 1) for p in t[1:]]
        m.rng.shuffle(parts)
        if len(parts) > 2 and m.chance(0.5):
            return (t[0], (t[0], *parts[:2]), *parts[2:])
        if t[0] == "*" and len(parts) == 2:
            for i, p in enumerate(parts):
                if p[0] == "+" and m.chance(0.7):
                    return ("+", *(("*", parts[1 - i], q) for q in p[1:]))
        if t[0] == "*" and m.chance(0.1):
            return ("*", neg(parts[0]), neg(ONE), *parts[1:])
        return (t[0], *parts)
    if t[0] == "^" and t[2] == 1 and 0 < t[1] < 4:
        base = _rewritten(m, t[3], depth - 1)
        return ("*", *(base for _ in range(t[1]))) if m.chance(0.6) else ("^", t[1], 1, base)
    if t[0] == "^":
        return ("^", t[1], t[2], _rewritten(m, t[3], depth - 1))
    if t[0] == "f":
        parts = [_rewritten(m, p, depth - 1) for p in t[2:]]
        if t[1] in ("erf", "sin", "atan", "sinh", "tanh") and m.chance(0.4):
            return neg(fn(t[1], neg(parts[0])))
        if t[1] in ("cos", "cosh", "abs") and m.chance(0.4):
            return fn(t[1], neg(parts[0]))
        return fn(t[1], *parts)
    return t


def _opaque(m: Maker) -> Term:
    (x,) = m.t.names(1)
    return m.t.pick(mean((x,), m.t.term(1, (x,)), m.t.laws(1, noise=0)),
                    ("sum", (I,), (m.t.term(1, (I,)),), (ONE, N)),
                    ("int", (x,), (m.t.term(1, (x,)),), (ZERO, ONE)))  # fmt: skip


@generator("arithmetic")
def _arithmetic(m: Maker) -> Any:
    kind = m.rng.random()
    given: list[Term] = []
    premises = []
    answers: list[Any] = []
    if kind < 0.35:
        a = _ring(m)
        b = _rewritten(m, a)
        if m.chance(0.3):
            more = _ring(m, 1)
            a, b = ("+", a, more), ("+", more, b)
        goal: Term = (m.rng.choice(("=", "=", "<=")), a, b)
    elif kind < 0.55:
        low = m.t.pick(ZERO, neg(_positive(m)), m.t.pick(X, R))
        high = ("+", low, _positive(m, 2)) if m.chance(0.8) else _positive(m, 2)
        goal = (m.rng.choice(("<", "<=", "!=")), low, high)
    elif kind < 0.8:
        given, goal = _facts(m)
    elif kind < 0.9:
        goal, answers = _square(m)
    else:
        t = m.t.pick(_opaque(m), _opaque(m))
        given = [
            m.t.pick(
                definedness_equation(t),
                ("=", t, _ring(m, 2)),
                ("<", t, ONE),
                ("and", definedness_equation(t), ("<", R, t)),
            )
        ]
        goal = m.t.pick(("=", ("+", t, t), ("*", TWO, t)), ("<", t, TWO), ("<=", neg(ONE), neg(t)),
                        ("=", ("*", t, t), square(t)), ("o", "integer", m.t.integer()))  # fmt: skip
    if given and m.chance(0.4):
        premises = [m.fact(p, m.t.hypotheses(1)) for p in given]
        given = []
    count = sum(1 for p in [*given, *(f.conclusion for f in premises)] for _ in _relations(p))
    use = list(range(count))
    if m.chance(0.2):
        m.rng.shuffle(use)
    return premises, tuple(given), goal, [m.rng.choice((12, 20, 30)), [], use, answers]


def _relations(p: Term) -> list[Term]:
    if p[0] == "and":
        return [r for q in p[1:] for r in _relations(q)]
    return [p] if p[0] in ("=", "!=", "<", "<=") else []


def _facts(m: Maker) -> tuple[list[Term], Term]:
    """Return facts, and what follows from them by the signs of polynomials."""
    a, b, c = (_ring(m, 1) for _ in range(3))
    p = _positive(m)
    k, n = m.rng.choice(("<", "<=")), m.rng.choice(("<", "<=", "=", "!="))
    return m.t.pick(
        ([(k, a, b)], (k, ("+", a, c), ("+", b, c))),
        ([(k, a, b)], (k, ("*", a, p), ("*", p, b))),
        ([(k, a, b)], (k, neg(b), neg(a))),
        ([("<", ZERO, a), ("<", ZERO, b)], ("<", ZERO, ("+", ("*", a, b), p))),
        ([("<", a, ZERO), ("<", b, ZERO)], ("<", ZERO, ("*", a, b))),
        ([("!=", a, ZERO)], ("<", ZERO, square(a))),
        ([("=", a, b)], ("=", ("*", a, c), ("*", c, b))),
        ([("!=", a, ZERO)], ("=", ("*", a, ("^", -1, 1, a)), ONE)),
        ([("<", ZERO, a)], ("=", square(("^", 1, 2, a)), a)),
        ([("<=", ZERO, a)], ("=", fn("abs", a), a)),
        ([("<=", a, ZERO)], ("=", fn("abs", a), neg(a))),
        ([("<", ZERO, a), (n, b, c)], (n, ("*", a, b), ("*", a, c))),
        ([(n, a, ZERO)], (n, ("*", a, p), ZERO)),
        ([("<", ZERO, X)], ("=", fn("exp", fn("log", X)), X)),
        ([("<", ZERO, a)], ("<", ZERO, fn("erf", a))),
    )


def _square(m: Maker) -> tuple[Term, list[Any]]:
    """Return that a square and a positive number add to a positive one, with its evidence.

    The answer is 1 (-(x^2) - 2 c x - c^2 - e) = -1 (x + c)^2 - e.
    """
    c = Fraction(m.rng.randint(-4, 4), m.rng.randint(1, 3))
    e = Fraction(m.rng.randint(0, 5), m.rng.randint(1, 4))
    x = m.t.pick(X, Y)
    body = ("+", square(x), ("*", _num(2 * c), x), _num(c * c + e))
    p = [["-1", 0, 2], [str(-2 * c), 0, 1], [str(-c * c - e)]]
    wrong = m.rng.choice((0, 0, 0, 1))
    rows = [["-1", [[[["1", 0, 1], [str(c + wrong)]], 2]]], [str(-e), []]]
    kind = "<" if e else m.rng.choice(("<=", "<"))
    return (kind, ZERO, body), [[kind, p, [["sign", p, rows, [["1"]]]]]]


def _num(q: Fraction) -> Term:
    return num(q.numerator, q.denominator)


# -- numbers --------------------------------------------------------------------------------------


def closed(m: Maker, depth: int = 3) -> Term:
    """Return a term without symbols, of moderate size."""
    if depth <= 0 or m.chance(0.2):
        return m.t.pick(num(m.rng.randint(-9, 9), m.rng.randint(1, 9)), ("pi",), ONE, TWO, HALF)
    less = lambda: closed(m, depth - 1)  # noqa: E731
    what = m.rng.random()
    if what < 0.3:
        return ("+", *(less() for _ in range(m.rng.choice((1, 2, 3)))))
    if what < 0.5:
        return ("*", *(less() for _ in range(m.rng.choice((1, 2, 3)))))
    if what < 0.65:
        p, q = m.rng.choice(((2, 1), (3, 1), (-1, 1), (1, 2), (-1, 2), (2, 3)))
        return ("^", p, q, less() if q == 1 or m.chance(0.3) else fn("abs", less()))
    name = m.rng.choice(
        ("exp", "log", "erf", "asin", "atan", "sin", "cos", "sinh", "cosh", "tanh", "abs")
    )
    if name in ("exp", "sinh", "cosh", "asin"):
        return fn(name, fn(m.rng.choice(("erf", "sin", "tanh", "atan")), less()))
    if name == "log" and m.chance(0.7):
        return fn("log", fn("abs", less()))
    return fn(name, less()) if m.chance(0.97) else fn("owens", num(1), num(1, 2))


@generator("numbers")
def _numbers(m: Maker) -> Any:
    a, b = closed(m, 2), closed(m, 2)
    if m.chance(0.6):
        a, b = sorted((a, b), key=rough)
    return (), (m.rng.choice(("<", "<", "<=", "!=")), a, b), m.rng.choice((32, 64, 128, 200))
