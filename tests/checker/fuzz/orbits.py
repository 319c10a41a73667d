"""Generators for the schemas of the rules for theorems, each a row of its own."""

from __future__ import annotations

from typing import Any

from slrsym.checker.extensions.vectors import BAYES_RISK, VECTOR_SCHEMAS
from slrsym.checker.orbit_theorems import SCHEMAS
from slrsym.checker.term import Term, num

from . import both
from .generators import Maker, generator
from .terms import ONE, TWO, ZERO, P, R, W, X, Y, Z, fn, lam, square

both.SCHEMAS = frozenset({*SCHEMAS, *VECTOR_SCHEMAS})
MINUS = num(-1)
_COORDINATES = (("s", "c", "R"), ("s", "x", "R"), ("s", "k", "R"), ("s", "q", "R"))


def _names(m: Maker, n: int) -> tuple[Term, ...]:
    return tuple(m.rng.sample(_COORDINATES, n))


def value(m: Maker, names: tuple[Term, ...]) -> Term:
    """Return a body of a map or a function: polynomials with a few functions."""
    t = m.t.polynomial(names, 2)
    return m.t.pick(t, t, fn("erf", t), ("+", t, m.t.pick(P, R, fn("sin", t))), m.t.term(2, names))


def _map(m: Maker, n: int, low: Term | None = None, high: Term | None = None) -> Term:
    names = _names(m, n)
    lows = [low or m.t.pick(MINUS, ZERO, num(-1, 2), num(-3)) for _ in names]
    highs = [high or m.t.pick(ONE, TWO, num(1, 3), num(5)) for _ in names]
    return ("tuple", ("text", "BoxMap"), lam(names, *(value(m, names) for _ in names)),
            ("tuple", *lows), ("tuple", *highs))  # fmt: skip


def function(m: Maker, n: int, values: int = 1) -> Term:
    """Return a function of n coordinates."""
    names = _names(m, n)
    return lam(names, *(value(m, names) for _ in range(values)))


def number(m: Maker) -> Term:
    """Return a number without symbols."""
    return m.t.pick(ONE, ZERO, num(1, 3), ("^", 1, 2, TWO), ("pi",), ("+", ONE, TWO), MINUS)


def points(m: Maker, n: int, least: int = 1, plain: bool = False) -> Term:
    """Return a set of points of n coordinates."""

    def coordinate() -> Term:
        return m.t.pick(ONE, ZERO, MINUS, num(1, 2)) if plain else number(m)

    count = m.rng.randint(least, 3)
    return ("set", *(("tuple", *(coordinate() for _ in range(n))) for _ in range(count)))


def size(m: Maker) -> int:
    """Return a number of coordinates."""
    return m.rng.choice((1, 1, 2, 2, 3))


def constant(m: Maker) -> Term:
    """Return a term that is mostly a plain constant."""
    return m.t.pick(P, W, R, ONE, TWO, ("+", P, ONE), square(Z), m.t.term(1))


@generator("theorem: decrease")
def _decrease(m: Maker) -> Any:
    n = size(m)
    return (), "decrease", ("o", "DecreasesAlong", _map(m, n), function(m, n)), ()


@generator("theorem: bounded-descent")
def _bounded(m: Maker) -> Any:
    n = size(m)
    goal = ("o", "VanishesAlong", _map(m, n), function(m, n))
    return (), "bounded-descent", goal, (function(m, n), constant(m), constant(m))


@generator("theorem: small-steps")
def _steps(m: Maker) -> Any:
    n = size(m)
    return (), "small-steps", ("o", "StepsVanish", _map(m, n)), (function(m, n), constant(m))


@generator("theorem: limits-solve")
def _limits(m: Maker) -> Any:
    n = size(m)
    goal = ("o", "AccumulationPointsSolve", _map(m, n), function(m, n, m.rng.randint(1, 3)))
    return (), "limits-solve", goal, (function(m, n), constant(m))


@generator("theorem: connected-limits")
def _connected(m: Maker) -> Any:
    n = size(m)
    goal = ("o", "OrbitsConvergeTo", _map(m, n), points(m, n))
    return (), "connected-limits", goal, (function(m, n, m.rng.randint(1, 3)),)


@generator("theorem: on-face")
def _face(m: Maker) -> Any:
    n = m.rng.choice((1, 2))
    whole = _map(m, n + 1)
    i = m.rng.randrange(n + 1)
    low, high = whole[3], whole[4]
    edge = m.t.pick(low[1 + i], high[1 + i], ZERO)
    face = _map(m, n)
    ends = tuple(("tuple", *(e[1 + j] for j in range(n + 1) if j != i)) for e in (low, high))
    face = (*face[:3], *ends)
    if m.chance(0.5):
        goal: Term = ("o", "DecreasesAlong", face, function(m, n))
        of: Term = function(m, n + 1)
    else:
        of = points(m, n + 1, plain=True)
        found = [("tuple", *(c for j, c in enumerate(p[1:]) if j != i)) for p in of[1:]
                  if p[1 + i] == edge or m.chance(0.3)]  # fmt: skip
        if m.chance(0.3):
            found.append(points(m, n)[1])
        goal = (
            "o",
            "OrbitsConvergeTo",
            face,
            ("set", *found, *(points(m, n)[1:] if not found else ())),
        )
    return (), "on-face", goal, (whole, num(i), edge, of)


@generator("theorem: expansion-injective")
def _injective(m: Maker) -> Any:
    return (), "expansion-injective", ("o", "Injective", _map(m, size(m))), (constant(m),)


@generator("theorem: expansion-invertible")
def _invertible(m: Maker) -> Any:
    goal = ("o", "InvertibleJacobian", _map(m, size(m)))
    return (), "expansion-invertible", goal, (constant(m),)


@generator("theorem: local-inverse")
def _inverse(m: Maker) -> Any:
    n = size(m)
    return (), "local-inverse", ("o", "LocalDiffeomorphism", _map(m, n), points(m, n)), ()


@generator("theorem: center-stable")
def _center(m: Maker) -> Any:
    n = m.rng.choice((1, 1, 2, 2, 3))
    goal = ("o", "NullStarts", _map(m, n), ("set", points(m, n)[1]))
    matrix = ("tuple", *(m.t.pick(number(m), m.t.coefficient()) for _ in range(n * n)))
    return (), "center-stable", goal, (matrix, constant(m))


@generator("theorem: strict-maximum")
def _maximum(m: Maker) -> Any:
    n = size(m)
    return (), "strict-maximum", ("o", "NullStarts", _map(m, n), points(m, n)), (function(m, n),)


@generator("theorem: null-union")
def _union(m: Maker) -> Any:
    n = m.rng.choice((1, 2))
    parts = [points(m, n, plain=True) for _ in range(m.rng.randint(1, 3))]
    chosen = [p for part in parts for p in part[1:] if m.chance(0.7)] or [parts[0][1]]
    m.rng.shuffle(chosen)
    goal = ("o", "NullStarts", _map(m, n), ("set", *chosen))
    return (), "null-union", goal, (("tuple", *parts),)


@generator("theorem: all-but-few")
def _few(m: Maker) -> Any:
    n = m.rng.choice((1, 2))
    goal = ("o", "AlmostEveryStartConvergesTo", _map(m, n), points(m, n, plain=True))
    return (), "all-but-few", goal, (points(m, n, plain=True),)


def _descent(m: Maker) -> Term:
    names = tuple(m.rng.sample([X, Y, Z, R, *_COORDINATES[2:], ("s", "v", "R")], 5))
    body = m.t.pick(m.t.polynomial(names, 3), m.t.term(2, names), value(m, names))
    count = m.t.pick(("s", "n", "Z>0"), num(5), ("+", ("s", "n", "Z>=0"), TWO), P)
    rate = m.t.pick(P, R, X, ONE) if m.chance(0.95) else ("tuple", ONE)
    return ("tuple", ("text", "SphereDescent"), lam(names, body), rate, count)


def _signs(m: Maker, zeros: bool) -> Term:
    values = (ONE, MINUS, ZERO) if zeros else (ONE, MINUS)
    return ("set", *(("tuple", m.rng.choice(values), m.rng.choice(values))
                     for _ in range(m.rng.randint(1, 4))))  # fmt: skip


def _overlaps(m: Maker, kind: str) -> tuple[Term, Term, Term]:
    planar = _map(m, 2, MINUS, ONE)
    goal = ("o", kind, _descent(m), _signs(m, kind == "NullPairs"))
    return goal, planar, function(m, 2, 2)


@generator("vector theorem: from-overlaps-and-edges")
def _edges(m: Maker) -> Any:
    kind = m.rng.choice(("AlmostEveryPairConvergesTo", "NullPairs"))
    goal, *values = _overlaps(m, kind)
    if kind != "NullPairs" and m.chance(0.9):
        goal = (*goal[:3], ("set", *goal[3][1:], ("tuple", ONE, MINUS), ("tuple", MINUS, ONE)))
    edges = [_map(m, 1, MINUS, ONE) for _ in range(4)]
    return (), "from-overlaps-and-edges", goal, (*values, *edges)


@generator("vector theorem: conditional-risk")
def _risk(m: Maker) -> Any:
    # There is one instance; what a text says may be longer.
    text = BAYES_RISK if m.chance(0.8) else BAYES_RISK.replace("$p$", m.rng.choice("pqx"))
    return (), "conditional-risk", ("o", "InWords", ("text", text)), ()
