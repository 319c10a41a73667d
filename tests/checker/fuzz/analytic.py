"""Generators for the rules of calculus, sums and integrals."""

from __future__ import annotations

from typing import Any

from slrsym.checker.term import (
    Term,
    binder_bodies,
    definedness_equation,
    free_symbols,
    neg,
    num,
    parts_outside_binder,
    replace_parts,
)

from .generators import Maker, generator
from .terms import ANY_OF_ONE, ONE, SMOOTH, ZERO, I, N, P, R, W, X, Y, Z, fn, lam, square

VARIABLES = (X, P, W, ("s", "x", "R>=0"), ("s", "x", "R<0"), ("s", "x", "R<=0"))


@generator("definition")
def _definition(m: Maker) -> Any:
    return (), fn(m.rng.choice(("zeta", "owens")), m.t.term(2), m.t.term(2))


@generator("derivative")
def _derivative(m: Maker) -> Any:
    names = m.t.names(m.rng.choice((1, 1, 2)))
    orders = tuple(m.rng.choice((0, 1, 1, 1, 2)) for _ in names)
    body = _differentiable(m, names, m.rng.choice((1, 2, 2, 3)))
    premises = []
    if m.chance(0.5):
        premises = [_cited(m, name, place) for name in ("zeta", "owens", "max") for place in (0, 1)
                    if m.chance(0.7)]  # fmt: skip
    if m.chance(0.1):
        premises.append(m.fact(m.t.relation(1), m.t.hypotheses()))
    return premises, ("d", orders, names, (body,), tuple(m.t.term(1) for _ in names))


def _cited(m: Maker, name: str, place: int) -> Any:
    """Return a theorem that states the derivative of a function of two arguments."""
    a, b = m.t.names(2)
    x = m.t.pick(Y, Z, ("s", "q", "R"))
    arguments = (x, b) if place == 0 else (a, x)
    point = (a, b)[place]
    value = m.t.pick(fn("exp", ("*", a, b)), ("+", a, square(b)), b, fn("erf", a), ONE)
    node = ("d", (1,), (x,), (fn(name, *arguments),), (point,))
    return m.fact(("=", node, value), m.t.hypotheses(1) if m.chance(0.1) else ())


def _differentiable(m: Maker, of: tuple[Term, ...], depth: int) -> Term:
    """Return a term that has a derivative, mostly."""
    r = m.rng
    if depth <= 0:
        return m.t.leaf(of)
    less = lambda: _differentiable(m, of, depth - 1)  # noqa: E731
    what = r.random()
    if what < 0.2:
        return ("+", less(), less(), *([less()] if m.chance(0.2) else []))
    if what < 0.4:
        return ("*", less(), less(), *([less()] if m.chance(0.2) else []))
    if what < 0.52:
        p, q = r.choice(((2, 1), (3, 1), (-1, 1), (1, 2), (-1, 2), (3, 2), (1, 3), (1, 1)))
        return ("^", p, q, less())
    if what < 0.68:
        return fn(r.choice(ANY_OF_ONE[:-3] if m.chance(0.9) else ANY_OF_ONE), less())
    if what < 0.74:
        n = r.choice((1, 2))
        return ("u", "hg"[n - 1], "R", tuple(r.choice((0, 1)) for _ in range(n)),
                *(less() for _ in range(n)))  # fmt: skip
    if what < 0.8:
        return fn(r.choice(("zeta", "owens", "max")), less(), less())
    if what < 0.86:
        i = m.t.pick(I, ("s", "j", "Z"))
        return ("sum", (i,), (_differentiable(m, (*of, i), depth - 1),), (ONE, m.t.integer()))
    if what < 0.94:
        (y,) = m.t.names(1)
        ends = (m.t.pick(ZERO, R, less()), m.t.pick(ONE, P, less()))
        return ("int", (y,), (_differentiable(m, (*of, y), depth - 1),), ends)
    (y,) = m.t.names(1)
    return (
        "d",
        (r.choice((0, 1, 1)),),
        (y,),
        (_differentiable(m, (*of, y), depth - 1),),
        (less(),),
    )


@generator("exponential of a sum")
def _exponential(m: Maker) -> Any:
    return (), fn("exp", ("+", *(m.t.term(1) for _ in range(m.rng.randint(1, 4)))))


def _slope(m: Maker, x: Term, order: int = 1) -> Term:
    """Return a derivative at x of a function of another variable."""
    (y,) = m.t.names(1, [x] if m.chance(0.7) else [])
    while True:
        body = m.t.term(2, (y,))
        if x == y or x not in free_symbols(body) or m.chance(0.03):
            return ("d", (order,), (y,), (body,), (x,))


def _without(m: Maker, x: Term, depth: int = 1) -> Term:
    while True:
        t = m.t.term(depth)
        if x not in free_symbols(t) or m.chance(0.02):
            return t


@generator("mean value")
def _mean_value(m: Maker) -> Any:
    x = m.rng.choice(VARIABLES)
    low, high = _without(m, x), _without(m, x)
    sides = [_slope(m, x) if m.chance(0.65) else _without(m, x, 2) for _ in range(2)]
    given = m.hypotheses(without=(x,))
    given += [p for p in (("<=", low, x), ("<=", x, high)) if m.chance(0.5)]
    return (m.fact((m.rng.choice(("=", "<", "<=")), *sides), given),), x, low, high


@generator("fundamental theorem")
def _fundamental(m: Maker) -> Any:
    (x,) = m.t.names(1)
    low: Term = m.t.pick(_without(m, x), _without(m, x), ("-oo",))
    high: Term = m.t.pick(_without(m, x), _without(m, x), ("oo",))
    slope = _slope(m, x)
    if "oo" in (low[0][1:], high[0]) and m.chance(0.9):
        (y,) = m.t.names(1, [x])
        slope = ("d", (1,), (y,), (_bell(m, y),), (x,))
    body = m.t.term(2, (x,))
    given = m.hypotheses(without=(x,))
    given += [p for p in (("<=", low, x), ("<=", x, high))
              if m.chance(0.5) and not {low[0], high[0]} & {"oo", "-oo"}]  # fmt: skip
    return (m.fact(("=", body, slope), given),), ("int", (x,), (body,), (low, high))


def _bell(m: Maker, x: Term) -> Term:
    """Return a moderate function times the exponential of a quadratic form."""
    form = ("+", ("*", m.t.pick(num(-1), neg(P), R, num(-1, 2)), square(x)),
            *([("*", m.t.coefficient(), x)] if m.chance(0.4) else []),
            *([m.t.coefficient()] if m.chance(0.3) else []))  # fmt: skip
    bell = fn("exp", form[1] if len(form) == 2 and m.chance(0.5) else form)
    others = [m.t.moderate((x,), 1) for _ in range(m.rng.choice((0, 1, 1, 2)))]
    if m.chance(0.1):
        others.append(fn("exp", m.t.affine((x,))))
    parts = [bell, *others]
    m.rng.shuffle(parts)
    return bell if not others else ("*", *parts)


@generator("bells")
def _bells(m: Maker) -> Any:
    (x,) = m.t.names(1)
    bells = [_bell(m, x) for _ in range(m.rng.choice((1, 1, 2, 3)))]
    body = bells[0] if len(bells) == 1 else ("+", *bells)
    ends = (m.t.pick(("-oo",), _without(m, x), ("oo",)), m.t.pick(("oo",), _without(m, x)))
    return (), ("int", (x,), (body,), ends)


@generator("smooth")
def _smooth(m: Maker) -> Any:
    names = m.t.names(m.rng.choice((1, 2, 3)))
    bodies = [_formed(m, names, 3) for _ in range(m.rng.choice((1, 1, 2)))]
    return (), lam(names, *bodies), ("tuple", *(m.t.pick(x, m.t.term(1)) for x in names))


def _formed(m: Maker, of: tuple[Term, ...], depth: int) -> Term:
    """Return a term of functions that are smooth where they are defined."""
    if depth <= 0 or m.chance(0.15):
        return m.t.leaf(of)
    less = lambda: _formed(m, of, depth - 1)  # noqa: E731
    what = m.rng.random()
    if what < 0.45:
        return (m.rng.choice("+*"), less(), less())
    if what < 0.6:
        p, q = m.rng.choice(((2, 1), (-1, 1), (1, 2), (-3, 2), (3, 1)))
        return ("^", p, q, less())
    if what < 0.85:
        return fn(m.rng.choice((*SMOOTH, "log", "abs", "asin", "erf_prime", "erf_second")), less())
    if what < 0.92:
        return ("u", "h", "R", (m.rng.choice((0, 1)),), less())
    return m.t.pick(fn("zeta", less(), less()), fn("owens", less(), less()), m.t.term(1))


@generator("tangent")
def _tangent(m: Maker) -> Any:
    x = m.rng.choice(VARIABLES)
    return (convexity(m, x),), m.t.term(1), m.t.term(1)


def convexity(m: Maker, x: Term) -> Any:
    slope = _slope(m, x, 2)
    kind = m.rng.choice(("<", "<="))
    sides = (ZERO, slope) if m.chance(0.5) else (slope, ZERO)
    return m.fact((kind, *sides), m.hypotheses(without=(x,)))


# -- sums and integrals ---------------------------------------------------------------------------


def integral(m: Maker, finite: bool = False) -> Term:
    (x,) = m.t.names(1)
    low, high = m.t.term(1), m.t.term(1)
    if not finite and m.chance(0.3):
        low, high = m.t.pick(("-oo",), low), m.t.pick(("oo",), high)
    return ("int", (x,), (m.t.term(2, (x,)),), (low, high))


def total(m: Maker) -> Term:
    i = m.t.pick(I, ("s", "j", "Z"))
    return ("sum", (i,), (m.t.term(2, (i,)),), (m.t.integer(), m.t.pick(m.t.integer(), N)))


def node(m: Maker, *heads: str) -> Term:
    head = m.rng.choice(heads)
    return {"sum": total, "int": integral, "E": lambda m: m.t.expectation(moderate=False)}[head](m)


def within(m: Maker, t: Term) -> list[Term]:
    """Return hypotheses of a premise that is used in a binder."""
    found = m.hypotheses(without=t[1])
    if t[0] in ("sum", "int"):
        ((x,), (low, high)) = t[1], parts_outside_binder(t)
        ends = [("<=", low, x)] if low[0] not in ("oo", "-oo") else []
        ends += [("<=", x, high)] if high[0] not in ("oo", "-oo") else []
        found += [p for p in ends if m.chance(0.6)]
    return found


@generator("adjacent")
def _adjacent(m: Maker) -> Any:
    first = integral(m)
    ((x,), (f,), (_, middle)) = first[1:]
    y = m.t.pick(x, *m.t.names(1))
    from slrsym.checker.term import substitute

    body = substitute(f, {x: y}) if y == x or y not in free_symbols(f) else f
    name = y if y == x or y not in free_symbols(f) else x
    return (), first, ("int", (name,), (body,), (middle, m.t.pick(m.t.term(1), ("oo",))))


@generator("constant")
def _constant(m: Maker) -> Any:
    t = node(m, "E", "int", "sum")
    body = m.t.term(2)
    if m.chance(0.9):
        from slrsym.checker.term import substitute

        body = substitute(body, dict.fromkeys(t[1], ONE))
    return (), replace_parts(t, {(2, 0): body})


@generator("equal bodies")
def _equal_bodies(m: Maker) -> Any:
    t = node(m, "E", "int")
    other = m.t.term(2, t[1])
    return (m.fact(("=", binder_bodies(t)[0], other), within(m, t)),), t


@generator("integral exists")
def _integral_exists(m: Maker) -> Any:
    t = integral(m, finite=True)
    body = _formed(m, t[1], 2) if m.chance(0.8) else binder_bodies(t)[0]
    t = replace_parts(t, {(2, 0): body})
    return (m.fact(definedness_equation(body), within(m, t)),), t


@generator("linear")
def _linear(m: Maker) -> Any:
    t = node(m, "E", "int", "sum")
    count = m.rng.choice((1, 2, 2, 3))
    factors = [_without(m, t[1][0]) for _ in range(count)]
    parts = [m.t.term(1, t[1]) for _ in range(count)]
    products = [("*", c, f) for c, f in zip(factors, parts, strict=True)]
    said = products[0] if count == 1 else ("+", *products)
    fact = m.fact(("=", binder_bodies(t)[0], said), within(m, t))
    return (fact,), t, tuple(factors), tuple(parts)


@generator("term of a sum")
def _term_of_a_sum(m: Maker) -> Any:
    return (), total(m), m.t.pick(m.t.integer(), m.t.integer(), m.t.term(1))


@generator("under")
def _under(m: Maker) -> Any:
    t = node(m, "E", "int", "sum")
    kind = m.rng.choice(("=", "<", "<="))
    return (m.fact((kind, binder_bodies(t)[0], m.t.term(2, t[1])), within(m, t)),), t
