"""Theorems about means by their names, and a table of Gaussian integrals.

The table has the means of erf, sign, absolute value and exponential of affine forms, and those of
products of two of the first three where the forms are centred. Signs and absolute values are not
moderate, but bounded as moderate functions are, which is enough for a mean.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from slrsym.checker.calculus import HALF, inverse, square
from slrsym.checker.expect import (
    ONE,
    ZERO,
    _noise,
    added,
    affine,
    exists,
    expected,
    joint,
    moderate,
    multiplied,
    opened,
    polynomial,
)
from slrsym.checker.term import (
    Rejected,
    Term,
    bound,
    defined,
    free,
    has_copies,
    inside,
    is_term,
    neg,
    num,
    outside,
    replaced,
    require,
    sort_conditions,
    substitute,
)
from slrsym.checker.theorem import Theorem, checked, relation, rule

TWO = num(2)


def root(t: Term, power: int = 1) -> Term:
    return ("^", power, 2, t)


# -- what has a mean ------------------------------------------------------------------------------


def growing(t: Term, names: frozenset[Term]) -> list[Term]:
    """What has to hold for a term to be bounded as moderate functions are; refused if unknown."""
    try:
        return moderate(t, names)
    except Rejected:
        pass
    require(not has_copies(t), "the function of copies is not known to be moderate")
    if t[0] in ("+", "*"):
        return [p for part in t[1:] for p in growing(part, names)]
    if t[0] == "^" and t[1] > 0 and t[2] == 1:
        return growing(t[3], names)
    if t[0] == "f" and t[1] in ("abs", "max", "sign"):
        return [p for part in t[2:] for p in growing(part, names)]
    if t[:2] == ("f", "log"):
        # |log u| <= u for u >= 1.
        everywhere = checked(("forall", tuple(sorted(names)), (checked(("<=", ONE, t[2])),), ()))
        return [everywhere, *growing(t[2], names)]
    if t[:2] == ("f", "exp"):
        # One of the two signs of what stands between bars is the right one.
        found = [part for part in _parts(t[2]) if part[:2] == ("f", "abs")]
        require(0 < len(found) <= 8, "an exponential grows too fast, or has too many cases")
        bars = found[0]
        sides = (_exchanged(t, bars, v) for v in (bars[2], neg(bars[2])))
        return [p for side in sides for p in growing(side, names)]
    raise Rejected(f"{t[0]} is not known to be bounded as moderate functions are")


def _parts(t: Term) -> Iterator[Term]:
    """The parts of sums and products."""
    if t[0] in ("+", "*"):
        for part in t[1:]:
            yield from _parts(part)
    else:
        yield t


def _exchanged(t: Term, old: Term, new: Term) -> Term:
    if t == old:
        return new
    if t[0] in ("+", "*", "f"):
        start = 2 if t[0] == "f" else 1
        return (*t[:start], *(_exchanged(part, old, new) for part in t[start:]))
    return t


@rule("integrable", "t")
def _integrable(node: Term) -> Any:
    """What is bounded as moderate functions are, and at most quadratic in noise, has a mean."""
    asked = exists(outside(expected(node))) + _noise(node)
    return [*asked, *growing(*opened(node))], defined(node), ("gaussian-moments",)


# -- functions with kinks -------------------------------------------------------------------------


@rule("sign", "t")
def _sign(u: Term) -> Any:
    """The sign of a number is 1, 0 or -1."""
    require(is_term(u), "the argument is no term")
    value = ("f", "sign", u)
    sides = (
        ("and", checked(("<", ZERO, u)), ("=", value, ONE)),
        ("and", ("=", u, ZERO), ("=", value, ZERO)),
        ("and", ("<", u, ZERO), ("=", value, num(-1))),
    )
    return [defined(u)], ("or", *sides), ()


# -- the table ------------------------------------------------------------------------------------


def _form(node: Term, u: Term) -> tuple[Term, list[Term]]:
    """The mean of an affine form of the variables, and its coefficients."""
    row, rest = affine(u, bound(node))
    means, _ = joint(outside(node))
    return added([rest, *map(multiplied, row, means)]), row


def _exist(node: Term, *forms: Term) -> list[Term]:
    """That the laws exist, and forms of the variables; the value may not show what is in them."""
    asked = exists(outside(node))
    return asked + [p for u in forms for p in moderate(*opened(replaced(node, {(2, 0): u})))]


def _covariance(node: Term, first: list[Term], second: list[Term]) -> Term:
    _, rows = joint(outside(node))
    pairs = product(enumerate(first), enumerate(second))
    return added([multiplied(a, rows[i][j], b) for (i, a), (j, b) in pairs])


@rule("gaussian integral", "t")
def _gaussian_integral(node: Term) -> Any:
    """The mean of erf, sign, absolute value or exponential of an affine form."""
    require(not has_copies(inside(expected(node))[0]), "the body contains copies")
    require(all(law[0] == "gauss" for law in outside(node)), "a law is not Gaussian")
    (body,) = inside(node)
    require(
        body[0] == "f" and body[1] in ("erf", "sign", "abs", "exp"),
        "the function is not in the table of integrals",
    )
    kind, u = body[1:]
    if kind == "exp":
        return _exponential(node, u)
    m, row = _form(node, u)
    v = _covariance(node, row, row)
    asked = _exist(node, u)
    if kind == "erf":
        return asked, ("=", node, ("f", "erf", ("*", m, root(("+", ONE, ("*", TWO, v)), -1)))), (
            "gaussian-integrals",
        )  # fmt: skip
    asked.append(checked(("<", ZERO, v)))
    value: Term = ("f", "erf", ("*", m, root(("*", TWO, v), -1)))
    if kind == "abs":
        bell = ("f", "exp", ("*", num(-1, 2), square(m), inverse(v)))
        value = ("+", ("*", m, value), ("*", root(("*", TWO, v)), root(("pi",), -1), bell))
    return asked, ("=", node, value), ("gaussian-integrals",)


def _exponential(node: Term, u: Term) -> Any:
    """E exp(a x^2 + b x + c) in one variable, where 1 - 2 a v > 0; or of an affine form in more."""
    asked = _exist(node, u)
    if len(bound(node)) == 2 and max(map(sum, polynomial(u, bound(node)))) == 2:
        return _of_two(node, polynomial(u, bound(node)), asked)
    if len(bound(node)) > 1:
        m, row = _form(node, u)
        total = ("+", m, ("*", HALF, _covariance(node, row, row)))
        return asked, ("=", node, ("f", "exp", total)), ("gaussian-integrals",)
    found = polynomial(u, bound(node))
    require(all(k <= 2 for (k,) in found), "the exponent is of degree above 2")
    a, b, c = (found.get((k,), ZERO) for k in (2, 1, 0))
    _, _, m, v = outside(node)[0]
    left = ("+", ONE, ("*", num(-2), a, v))
    inner = ("+", ("*", a, square(m)), ("*", b, m), ("*", HALF, square(b), v))
    total = ("+", c, ("*", inner, inverse(left)))
    asked.append(checked(("<", ZERO, left)))
    return asked, ("=", node, ("*", root(left, -1), ("f", "exp", total))), ("gaussian-integrals",)


def _of_two(node: Term, found: Mapping[tuple[int, ...], Term], asked: list[Term]) -> Any:
    """E exp(q + c) = |I - 2 S A|^(-1/2) exp(c) for a quadratic form q and a centred pair.

    Where the roots of the symmetric matrix are positive, of which this is the determinant, too:
    I - 2 R A R with the square root R of the covariance S.
    """
    require(len(outside(node)) == 1, "the two variables have no common Gaussian law")
    require(
        (1, 0) not in found and (0, 1) not in found,
        "the exponent has a linear and a quadratic part",
    )
    a, b, c = (found.get(k, ZERO) for k in ((2, 0), (0, 2), (0, 0)))
    h = ("*", HALF, found.get((1, 1), ZERO))
    _, _, *means, v, k, _, w = outside(node)[0]
    left = [[("+", ("*", v, a), ("*", k, h)), ("+", ("*", v, h), ("*", k, b))],
            [("+", ("*", k, a), ("*", w, h)), ("+", ("*", k, h), ("*", w, b))]]  # fmt: skip
    first, last = (("+", ONE, ("*", num(-2), left[i][i])) for i in range(2))
    size = ("+", ("*", first, last), ("*", num(-4), left[0][1], left[1][0]))
    asked += [("=", m, ZERO) for m in means]
    asked += [checked(("<", ZERO, t)) for t in (size, ("+", first, last))]
    return asked, ("=", node, ("*", root(size, -1), ("f", "exp", c))), ("gaussian-integrals",)


@rule("centred pair", "t")
def _pair(node: Term) -> Any:
    """The mean of a product of erf or sign of two centred forms, or of two absolute values."""
    require(not has_copies(inside(expected(node))[0]), "the body contains copies")
    require(all(law[0] == "gauss" for law in outside(node)), "a law is not Gaussian")
    (body,) = inside(node)
    require(body[0] == "*" and len(body) == 3, "the body is no product of two functions")
    parts = body[1:]
    require(
        all(p[0] == "f" and p[1] in ("erf", "sign", "abs") for p in parts),
        "the function is not in the table of integrals",
    )
    kinds = [p[1] for p in parts]
    (m, first), (k, second) = (_form(node, p[2]) for p in parts)
    c = _covariance(node, first, second)
    asked = [*_exist(node, *(p[2] for p in parts)), ("=", m, ZERO), ("=", k, ZERO)]
    spreads = []
    for kind, row in zip(kinds, (first, second), strict=True):
        v = _covariance(node, row, row)
        noise = ONE if kind == "erf" else ZERO
        spreads.append(added([noise, ("*", TWO, v)]))
        asked += [] if kind == "erf" else [checked(("<", ZERO, v))]
    size = root(("*", *spreads))
    angle = ("f", "asin", ("*", TWO, c, root(("*", *spreads), -1)))
    scale = ("*", TWO, inverse(("pi",)))
    if "abs" not in kinds:
        return asked, ("=", node, ("*", scale, angle)), ("bivariate-normal",)
    require(kinds == ["abs", "abs"], "one function is an absolute value, and the other is not")
    rest = ("+", square(size), ("*", num(-4), square(c)))
    asked.append(checked(("<=", ZERO, rest)))
    value = ("*", scale, ("+", ("*", HALF, root(rest)), ("*", c, angle)))
    return asked, ("=", node, value), ("bivariate-normal",)


# -- theorems -------------------------------------------------------------------------------------


def sign_of_derivative(theorem: Theorem, order: int) -> tuple[Term, Term, Term, bool]:
    """The function, by a variable, whose derivative has the sign that a premise says."""
    kind, low, high = relation(theorem.conclusion)
    rising = low == ZERO
    require(
        kind in ("<", "<=") and ZERO in (low, high),
        "the premise does not say the sign of a second derivative",
    )
    slope = high if rising else low
    require(
        slope[0] == "d" and slope[1] == (order,),
        "the premise does not say the sign of a second derivative",
    )
    (x,) = outside(slope)
    require(
        x[0] == "s" and x[2][0] == "R" and x[2] != "R!=0", "the sort of the variable is no interval"
    )
    f = ("lam", bound(slope), inside(slope), ())
    require(x not in free(f), "the function that is differentiated contains the variable")
    require(not has_copies(inside(f)[0]), "the function contains copies")
    given = theorem.hypotheses.values()
    require(not any(x in free(h) for h in given), "a hypothesis contains the variable")
    return f, bound(slope)[0], x, rising


@rule("tangent", "t", "t", premises=1)
def _tangent(theorem: Theorem, at: Term, point: Term) -> Any:
    """A convex function lies above its tangents, a concave one below."""
    require(is_term(at) and is_term(point), "a point is no term")
    f, y, x, convex = sign_of_derivative(theorem, 2)
    (body,) = inside(f)
    slope = ("d", (1,), (y,), (body,), (at,))
    line = ("+", substitute(body, {y: at}), ("*", slope, ("+", point, neg(at))))
    value = substitute(body, {y: point})
    asked = [p for end in (at, point) for p in sort_conditions(x[2], end)]
    low, high = (line, value) if convex else (value, line)
    return [*theorem.hypotheses.values(), *asked], checked(("<=", low, high)), ("taylor-theorem",)
