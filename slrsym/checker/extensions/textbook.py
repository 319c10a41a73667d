"""Inference rules that few proofs need, on means, maxima, signs and integers.

They are an extension: a record of a log that uses one of them has to name it, so that whoever
judges a log without it does not trust them. The log of all claims does: thirteen use `maximum`,
`sign` or `price`.
"""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any

from slrsym.checker.conditions_on_values import conditions_of_sort
from slrsym.checker.differentiation import HALF, square_term
from slrsym.checker.expectations import (
    ONE,
    ZERO,
    joint_moments,
    law_existence_conditions,
    make_expectation,
    moderate_growth_conditions,
    open_binder,
    require_body_without_copies,
    require_expectation,
    require_names_absent,
    sum_of_terms,
)
from slrsym.checker.gaussian_integrals import (
    convex_function_of_premise,
    require_body_under_gaussian_laws,
)
from slrsym.checker.term import (
    Term,
    binder_bodies,
    bound_variables,
    definedness_equation,
    free_symbols,
    is_term,
    neg,
    num,
    parts_outside_binder,
    require,
    substitute,
)
from slrsym.checker.theorem import Theorem, well_formed_node
from slrsym.checker.theorem import rule as base_rule

rule = partial(base_rule, extension="textbook")


@rule("maximum", "t", "t")
def _maximum(a: Term, b: Term) -> Any:
    """Conclude max(a, b) = (a + b + ``|a - b|``)/2."""
    require(is_term(a) and is_term(b), "an argument is no term")
    distances = (("f", "abs", ("+", x, neg(y))) for x, y in ((a, b), (b, a)))
    values = (("=", ("f", "max", a, b), ("*", HALF, ("+", a, b, d))) for d in distances)
    return (
        [definedness_equation(a), definedness_equation(b)],
        well_formed_node(("and", *values)),
        (),
    )


@rule("sign", "t")
def _cases_of_sign(u: Term) -> Any:
    """Conclude that the sign of a number is 1, 0 or -1, by cases."""
    require(is_term(u), "the argument is no term")
    value = ("f", "sign", u)
    sides = (
        ("and", well_formed_node(("<", ZERO, u)), ("=", value, ONE)),
        ("and", ("=", u, ZERO), ("=", value, ZERO)),
        ("and", ("<", u, ZERO), ("=", value, num(-1))),
    )
    return [definedness_equation(u)], ("or", *sides), ()


@rule("integers apart", "t", "json")
def _integers_apart(t: Term, k: Any) -> Any:
    """Conclude that an integer t is at most k or at least k + 1."""
    require(is_term(t) and type(k) is int, "the arguments are not a term and an integer")
    return [("o", "integer", t)], ("or", ("<=", t, num(k)), ("<=", num(k + 1), t)), ()


@rule("jensen", "t", premises=1)
def _jensen_inequality(theorem: Theorem, node: Term) -> Any:
    """Conclude Jensen's inequality f(E h) <= E f(h) for a convex function f."""
    f, y, x, convex = convex_function_of_premise(theorem)
    (body,), h, names = binder_bodies(f), require_body_without_copies(node), bound_variables(node)
    require_names_absent(names, [f], "the function contains a variable of the law; rename it")
    outer = substitute(body, {y: node})
    mean = make_expectation(names, substitute(body, {y: h}), parts_outside_binder(node))
    everywhere = [
        well_formed_node(("forall", names, (p,), ())) for p in conditions_of_sort(x[2], h)
    ]
    low, high = (outer, mean) if convex else (mean, outer)
    asked = [definedness_equation(node), definedness_equation(mean), *everywhere]
    return (
        [*theorem.hypotheses.values(), *asked],
        well_formed_node(("<=", low, high)),
        ("jensen",),
    )


@rule("cauchy-schwarz", "t", "t")
def _cauchy_schwarz_inequality(f: Term, g: Term) -> Any:
    """Conclude (E f g)^2 <= E f^2 E g^2, from two expectations under the same laws."""
    require(
        require_expectation(f)[3] == require_expectation(g)[3],
        "the two expectations are not under the same laws",
    )
    names = bound_variables(f)
    require(names == bound_variables(g), "the two expectations have other variables")
    a, b = require_body_without_copies(f), require_body_without_copies(g)
    both, first, second = (
        make_expectation(names, body, parts_outside_binder(f))
        for body in (("*", a, b), square_term(a), square_term(b))
    )
    asked = list(map(definedness_equation, (both, first, second)))
    return (
        asked,
        well_formed_node(("<=", square_term(both), ("*", first, second))),
        ("cauchy-schwarz",),
    )


@rule("poincare", "t")
def _poincare_inequality(node: Term) -> Any:
    """Conclude Poincare's inequality: E f^2 - (E f)^2 is at most the mean of C_ij f_i f_j."""
    f, names = require_body_under_gaussian_laws(node), bound_variables(node)
    _, rows = joint_moments(parts_outside_binder(node))
    entries = [c for row in rows for c in row]
    require_names_absent(
        names, entries, "the covariance matrix contains a variable of the expectation"
    )
    slopes = [
        ("d", tuple(int(i == j) for j in range(len(names))), names, (f,), names)
        for i in range(len(names))
    ]
    energies = [
        (
            rows[i][j],
            make_expectation(names, ("*", slopes[i], slopes[j]), parts_outside_binder(node)),
        )
        for i, j in product(range(len(names)), repeat=2)
        if rows[i][j] != ZERO
    ]
    squared = make_expectation(names, square_term(f), parts_outside_binder(node))
    variance = ("+", squared, neg(square_term(node)))
    bound_on_variance = sum_of_terms([("*", c, e) for c, e in energies])
    asked = law_existence_conditions(parts_outside_binder(node)) + moderate_growth_conditions(
        *open_binder(node)
    )
    asked += [
        definedness_equation(node),
        definedness_equation(squared),
        *(definedness_equation(e) for _, e in energies),
    ]
    return (
        asked,
        well_formed_node(("<=", variance, bound_on_variance)),
        ("gaussian-poincare",),
    )


@rule("price", "t")
def _price_theorem(t: Term) -> Any:
    """Conclude Price's theorem: an expectation's derivative in a parameter of its law.

    The law has a density.
    """
    require(t[0] == "d" and t[1] == (1,), "the term is no first derivative")
    (node,), (r,), (point,) = binder_bodies(t), bound_variables(t), parts_outside_binder(t)
    f, names = require_body_without_copies(node), bound_variables(node)
    require(r not in free_symbols(f), "the body contains the parameter")
    is_one = [law[0] for law in parts_outside_binder(node)] == ["gauss"] and len(names) <= 2
    require(is_one, "the law is not one Gaussian law of one or two variables")
    require_names_absent(
        names, [point], "the point contains a variable of the expectation; rename it"
    )
    means, rows = joint_moments(parts_outside_binder(node))
    laws = tuple(substitute(law, {r: point}) for law in parts_outside_binder(node))
    _, here = joint_moments(laws)
    asked = [well_formed_node(("<", ZERO, here[0][0]))]
    if len(names) == 2:
        require(rows[0][1] == rows[1][0], "the two entries for the covariance are not identical")
        minor = ("+", ("*", here[0][0], here[1][1]), neg(square_term(here[0][1])))
        asked.append(well_formed_node(("<", ZERO, minor)))
    terms: list[Term] = []

    def slope(entry: Term) -> Term:
        return ("d", (1,), (r,), (entry,), (point,))

    def mean(*places: int) -> Term:
        orders = tuple(places.count(k) for k in range(len(names)))
        return make_expectation(names, ("d", orders, names, (f,), names), laws)

    for i, m in enumerate(means):
        if r in free_symbols(m):
            terms.append(("*", slope(m), mean(i)))
    for i, j in product(range(len(names)), repeat=2):
        if r in free_symbols(rows[i][j]):
            terms.append(("*", HALF, slope(rows[i][j]), mean(i, j)))
    require(terms, "the law does not depend on the parameter")
    asked += [definedness_equation(part) for term in terms for part in term[1:] if part != HALF]
    asked += moderate_growth_conditions(*open_binder(make_expectation(names, f, laws)))
    asked += [*law_existence_conditions(laws), definedness_equation(point)]
    return asked, well_formed_node(("=", t, sum_of_terms(terms))), ("price-theorem",)
