"""Rules that no bundled proof needs: theorems on means, maxima, cases of signs and integers.

They are an extension: a log that uses one of them has to name it, so that whoever judges a log
without it does not trust them.
"""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any

from slrsym.checker.calculus import HALF, square
from slrsym.checker.expect import (
    ONE,
    ZERO,
    added,
    body_without_copies,
    exists,
    expectation,
    expected,
    joint,
    moderate,
    opened,
    require_without,
)
from slrsym.checker.gaussian_integrals import convexity, gaussian_body
from slrsym.checker.term import (
    Term,
    bound,
    defined,
    free,
    inside,
    is_term,
    neg,
    num,
    outside,
    require,
    sort_conditions,
    substitute,
)
from slrsym.checker.theorem import Theorem, checked
from slrsym.checker.theorem import rule as base_rule

rule = partial(base_rule, extension="textbook")


@rule("maximum", "t", "t")
def _maximum(a: Term, b: Term) -> Any:
    """Conclude that max(a, b) is the mean of a and b, and half their distance more."""
    require(is_term(a) and is_term(b), "an argument is no term")
    distances = (("f", "abs", ("+", x, neg(y))) for x, y in ((a, b), (b, a)))
    values = (("=", ("f", "max", a, b), ("*", HALF, ("+", a, b, d))) for d in distances)
    return [defined(a), defined(b)], checked(("and", *values)), ()


@rule("sign", "t")
def _cases_of_sign(u: Term) -> Any:
    """Conclude that the sign of a number is 1, 0 or -1, by cases."""
    require(is_term(u), "the argument is no term")
    value = ("f", "sign", u)
    sides = (
        ("and", checked(("<", ZERO, u)), ("=", value, ONE)),
        ("and", ("=", u, ZERO), ("=", value, ZERO)),
        ("and", ("<", u, ZERO), ("=", value, num(-1))),
    )
    return [defined(u)], ("or", *sides), ()


@rule("integers apart", "t", "json")
def _integers_apart(t: Term, k: Any) -> Any:
    """Conclude that an integer is at most k, or at least k + 1."""
    require(is_term(t) and type(k) is int, "the arguments are not a term and an integer")
    return [("o", "integer", t)], ("or", ("<=", t, num(k)), ("<=", num(k + 1), t)), ()


@rule("jensen", "t", premises=1)
def _jensen(theorem: Theorem, node: Term) -> Any:
    """Conclude f(E h) <= E f(h) for a convex function f; the node is E h."""
    f, y, x, convex = convexity(theorem)
    (body,), h, names = inside(f), body_without_copies(node), bound(node)
    require_without(names, [f], "the function contains a variable of the law; rename it")
    outer = substitute(body, {y: node})
    mean = expectation(names, substitute(body, {y: h}), outside(node))
    everywhere = [checked(("forall", names, (p,), ())) for p in sort_conditions(x[2], h)]
    low, high = (outer, mean) if convex else (mean, outer)
    asked = [defined(node), defined(mean), *everywhere]
    return [*theorem.hypotheses.values(), *asked], checked(("<=", low, high)), ("jensen",)


@rule("cauchy-schwarz", "t", "t")
def _cauchy_schwarz(f: Term, g: Term) -> Any:
    """Conclude (E f g)^2 <= E f^2 E g^2, from two expectations under the same laws."""
    require(expected(f)[3] == expected(g)[3], "the two expectations are not under the same laws")
    names = bound(f)
    require(names == bound(g), "the two expectations have other variables")
    a, b = body_without_copies(f), body_without_copies(g)
    both, first, second = (
        expectation(names, body, outside(f)) for body in (("*", a, b), square(a), square(b))
    )
    asked = list(map(defined, (both, first, second)))
    return asked, checked(("<=", square(both), ("*", first, second))), ("cauchy-schwarz",)


@rule("poincare", "t")
def _poincare(node: Term) -> Any:
    """Conclude that E f^2 - (E f)^2 is at most the mean of C_ij f_i f_j."""
    f, names = gaussian_body(node), bound(node)
    _, rows = joint(outside(node))
    entries = [c for row in rows for c in row]
    require_without(names, entries, "the covariance matrix contains a variable of the expectation")
    slopes = [
        ("d", tuple(int(i == j) for j in range(len(names))), names, (f,), names)
        for i in range(len(names))
    ]
    energies = [
        (rows[i][j], expectation(names, ("*", slopes[i], slopes[j]), outside(node)))
        for i, j in product(range(len(names)), repeat=2)
        if rows[i][j] != ZERO
    ]
    squared = expectation(names, square(f), outside(node))
    variance = ("+", squared, neg(square(node)))
    bound_on_variance = added([("*", c, e) for c, e in energies])
    asked = exists(outside(node)) + moderate(*opened(node))
    asked += [defined(node), defined(squared), *(defined(e) for _, e in energies)]
    return asked, checked(("<=", variance, bound_on_variance)), ("gaussian-poincare",)


@rule("price", "t")
def _price(t: Term) -> Any:
    """Conclude the derivative of an expectation in a parameter of its law, which has a density."""
    require(t[0] == "d" and t[1] == (1,), "the term is no first derivative")
    (node,), (r,), (point,) = inside(t), bound(t), outside(t)
    f, names = body_without_copies(node), bound(node)
    require(r not in free(f), "the body contains the parameter")
    is_one = [law[0] for law in outside(node)] == ["gauss"] and len(names) <= 2
    require(is_one, "the law is not one Gaussian law of one or two variables")
    require_without(names, [point], "the point contains a variable of the expectation; rename it")
    means, rows = joint(outside(node))
    laws = tuple(substitute(law, {r: point}) for law in outside(node))
    _, here = joint(laws)
    asked = [checked(("<", ZERO, here[0][0]))]
    if len(names) == 2:
        require(rows[0][1] == rows[1][0], "the two entries for the covariance are not identical")
        minor = ("+", ("*", here[0][0], here[1][1]), neg(square(here[0][1])))
        asked.append(checked(("<", ZERO, minor)))
    terms: list[Term] = []

    def slope(entry: Term) -> Term:
        return ("d", (1,), (r,), (entry,), (point,))

    def mean(*places: int) -> Term:
        orders = tuple(places.count(k) for k in range(len(names)))
        return expectation(names, ("d", orders, names, (f,), names), laws)

    for i, m in enumerate(means):
        if r in free(m):
            terms.append(("*", slope(m), mean(i)))
    for i, j in product(range(len(names)), repeat=2):
        if r in free(rows[i][j]):
            terms.append(("*", HALF, slope(rows[i][j]), mean(i, j)))
    require(terms, "the law does not depend on the parameter")
    asked += [defined(part) for term in terms for part in term[1:] if part != HALF]
    asked += moderate(*opened(expectation(names, f, laws)))
    asked += [*exists(laws), defined(point)]
    return asked, checked(("=", t, added(terms))), ("price-theorem",)
