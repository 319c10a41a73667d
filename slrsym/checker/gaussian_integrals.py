"""Existence of expectations, a table of Gaussian integrals, and tangents of convex functions.

The table has the means of erf, sign, absolute value and exponential of affine forms, and those of
products of two of the first three where the forms are centred. Signs and absolute values are not
moderate, but bounded as moderate functions are, which is enough for a mean.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from slrsym.checker.conditions_on_values import conditions_of_sort
from slrsym.checker.differentiation import (
    HALF,
    differentiated_function,
    reciprocal_term,
    require_interval_variable,
    square_term,
)
from slrsym.checker.expectations import (
    ONE,
    ZERO,
    affine_coefficients,
    bilinear_form,
    joint_moments,
    law_existence_conditions,
    moderate_growth_conditions,
    open_binder,
    polynomial_coefficients,
    product_of_factors,
    require_body_without_copies,
    require_expectation,
    require_integrand_quadratic_in_noise,
    require_names_absent,
    sum_of_terms,
)
from slrsym.checker.term import (
    NODE,
    Rejected,
    Term,
    binder_bodies,
    bound_variables,
    definedness_equation,
    has_copy_sum_outside_expectation,
    is_term,
    neg,
    num,
    parts_outside_binder,
    replace_parts,
    require,
    spend_work,
    substitute,
)
from slrsym.checker.theorem import Theorem, require_relation, rule, well_formed_node

TWO = num(2)


def sqrt_term(t: Term) -> Term:
    """Return the term of the square root of t."""
    return ("^", 1, 2, t)


# -- what has a mean ------------------------------------------------------------------------------


def moderate_bound_conditions(t: Term, names: frozenset[Term]) -> list[Term]:
    """Return conditions that a function of moderate growth bounds a term, or refuse the term."""
    try:
        return moderate_growth_conditions(t, names)
    except Rejected:
        # If the work was the reason, this refuses again.
        spend_work(10 * NODE * len(t))
    require(
        not has_copy_sum_outside_expectation(t),
        "the function of copies is not known to be moderate",
    )
    if t[0] in ("+", "*"):
        return [p for part in t[1:] for p in moderate_bound_conditions(part, names)]
    if t[0] == "^" and t[1] > 0 and t[2] == 1:
        return moderate_bound_conditions(t[3], names)
    if t[0] == "f" and t[1] in ("abs", "max", "sign"):
        return [p for part in t[2:] for p in moderate_bound_conditions(part, names)]
    if t[:2] == ("f", "log"):
        # |log u| <= u for u >= 1.
        everywhere = well_formed_node(
            ("forall", tuple(sorted(names)), (well_formed_node(("<=", ONE, t[2])),), ())
        )
        return [everywhere, *moderate_bound_conditions(t[2], names)]
    if t[:2] == ("f", "exp"):
        # At each point abs(v) is v or -v, so it is enough to bound both.
        found = [part for part in _parts_of_sums_and_products(t[2]) if part[:2] == ("f", "abs")]
        few = 0 < len(found) <= 8
        require(few, "exp is not known to be bounded: no abs in its exponent, or more than 8")
        sides = (
            replace_in_sums_products_and_functions(t, found[0], v)
            for v in (found[0][2], neg(found[0][2]))
        )
        return [p for side in sides for p in moderate_bound_conditions(side, names)]
    raise Rejected(f"{t[0]} is not known to be bounded as moderate functions are")


def _parts_of_sums_and_products(t: Term) -> Iterator[Term]:
    """Yield the innermost terms and factors of nested sums and products."""
    if t[0] in ("+", "*"):
        for part in t[1:]:
            yield from _parts_of_sums_and_products(part)
    else:
        yield t


def replace_in_sums_products_and_functions(t: Term, old: Term, new: Term) -> Term:
    """Replace a subterm, looking only into sums, products and arguments of named functions."""
    if t == old:
        return new
    if t[0] in ("+", "*", "f"):
        start = 2 if t[0] == "f" else 1
        return (
            *t[:start],
            *(replace_in_sums_products_and_functions(part, old, new) for part in t[start:]),
        )
    return t


@rule("integrable", "t")
def _expectation_exists(node: Term) -> Any:
    """Conclude that the expectation of a function bounded by one of moderate growth exists.

    The body is at most quadratic in noise.
    """
    require_integrand_quadratic_in_noise(require_expectation(node))
    asked = [
        *law_existence_conditions(parts_outside_binder(node)),
        *moderate_bound_conditions(*open_binder(node)),
    ]
    return asked, definedness_equation(node), ("gaussian-moments",)


# -- the table ------------------------------------------------------------------------------------


def _mean_and_coefficients(node: Term, u: Term) -> tuple[Term, list[Term]]:
    """Return the mean and the coefficients of an affine form of an expectation's variables."""
    row, rest = affine_coefficients(u, bound_variables(node))
    means, _ = joint_moments(parts_outside_binder(node))
    return sum_of_terms([rest, *map(product_of_factors, row, means)]), row


def _existence_conditions(node: Term, *forms: Term) -> list[Term]:
    """Return conditions that an expectation's laws and affine forms of its variables exist.

    The value of an integral may not show the parts of the forms.
    """
    asked = law_existence_conditions(parts_outside_binder(node))
    return asked + [
        p
        for u in forms
        for p in moderate_growth_conditions(*open_binder(replace_parts(node, {(2, 0): u})))
    ]


def _covariance_of_forms(node: Term, first: list[Term], second: list[Term]) -> Term:
    """Return the covariance of two affine forms, from their coefficients."""
    return bilinear_form(first, joint_moments(parts_outside_binder(node))[1], second)


def require_body_under_gaussian_laws(node: Term) -> Term:
    """Return the integrand of an expectation under Gaussian laws; refuse one with copies."""
    body = require_body_without_copies(node)
    require(all(law[0] == "gauss" for law in parts_outside_binder(node)), "a law is not Gaussian")
    return body


@rule("gaussian integral", "t")
def _gaussian_integral(node: Term) -> Any:
    """Conclude the mean of erf, sign, absolute value or exponential of an affine form."""
    body = require_body_under_gaussian_laws(node)
    is_listed = body[0] == "f" and body[1] in ("erf", "sign", "abs", "exp")
    require(is_listed, "the function is not in the table of integrals")
    kind, u = body[1:]
    if kind == "exp":
        return _mean_of_exponential(node, u)
    m, row = _mean_and_coefficients(node, u)
    v = _covariance_of_forms(node, row, row)
    asked = _existence_conditions(node, u)
    spread: Term = ("*", TWO, v)
    if kind == "erf":
        spread = ("+", ONE, spread)
    else:
        asked.append(well_formed_node(("<", ZERO, v)))
    value: Term = ("f", "erf", ("*", m, reciprocal_term(spread, 2)))
    if kind == "abs":
        density = ("f", "exp", ("*", num(-1, 2), square_term(m), reciprocal_term(v)))
        value = (
            "+",
            ("*", m, value),
            ("*", sqrt_term(spread), reciprocal_term(("pi",), 2), density),
        )
    return asked, ("=", node, value), ("gaussian-integrals",)


def _mean_of_exponential(node: Term, u: Term) -> Any:
    """Conclude the mean of exp of a quadratic in one variable, or of an affine form in several."""
    asked = _existence_conditions(node, u)
    if (
        len(bound_variables(node)) == 2
        and max(map(sum, polynomial_coefficients(u, bound_variables(node)))) == 2
    ):
        return _mean_of_exponential_of_pair(
            node, polynomial_coefficients(u, bound_variables(node)), asked
        )
    if len(bound_variables(node)) > 1:
        m, row = _mean_and_coefficients(node, u)
        exponent = ("+", m, ("*", HALF, _covariance_of_forms(node, row, row)))
        return asked, ("=", node, ("f", "exp", exponent)), ("gaussian-integrals",)
    found = polynomial_coefficients(u, bound_variables(node))
    require(all(k <= 2 for (k,) in found), "the exponent is of degree above 2")
    a, b, c = (found.get((k,), ZERO) for k in (2, 1, 0))
    _, _, m, v = parts_outside_binder(node)[0]
    left = ("+", ONE, ("*", num(-2), a, v))
    inner = ("+", ("*", a, square_term(m)), ("*", b, m), ("*", HALF, square_term(b), v))
    exponent = ("+", c, ("*", inner, reciprocal_term(left)))
    asked.append(well_formed_node(("<", ZERO, left)))
    value = ("*", reciprocal_term(left, 2), ("f", "exp", exponent))
    return asked, ("=", node, value), ("gaussian-integrals",)


def _mean_of_exponential_of_pair(
    node: Term, found: Mapping[tuple[int, ...], Term], asked: list[Term]
) -> Any:
    """Conclude the mean of exp(q + c) for a quadratic form q of a centred Gaussian pair.

    It holds where the eigenvalues of the symmetric matrix I - 2 R A R are positive, which has the
    same determinant; R is the square root of the covariance S.
    """
    require(len(parts_outside_binder(node)) == 1, "the two variables have no common Gaussian law")
    linear = (1, 0) in found or (0, 1) in found
    require(not linear, "the exponent has a linear and a quadratic part")
    a, b, c = (found.get(k, ZERO) for k in ((2, 0), (0, 2), (0, 0)))
    h = ("*", HALF, found.get((1, 1), ZERO))
    _, _, *means, v, k, _, w = parts_outside_binder(node)[0]
    left = [[("+", ("*", v, a), ("*", k, h)), ("+", ("*", v, h), ("*", k, b))],
            [("+", ("*", k, a), ("*", w, h)), ("+", ("*", k, h), ("*", w, b))]]  # fmt: skip
    first, last = (("+", ONE, ("*", num(-2), left[i][i])) for i in range(2))
    size = ("+", ("*", first, last), ("*", num(-4), left[0][1], left[1][0]))
    asked += [("=", m, ZERO) for m in means]
    asked += [well_formed_node(("<", ZERO, t)) for t in (size, ("+", first, last))]
    return (
        asked,
        ("=", node, ("*", reciprocal_term(size, 2), ("f", "exp", c))),
        ("gaussian-integrals",),
    )


@rule("centred pair", "t")
def _mean_of_product(node: Term) -> Any:
    """Conclude the mean of a product of two erf, sign or absolute values of centred forms."""
    body = require_body_under_gaussian_laws(node)
    require(body[0] == "*" and len(body) == 3, "the body is no product of two functions")
    parts = body[1:]
    are_listed = all(p[0] == "f" and p[1] in ("erf", "sign", "abs") for p in parts)
    require(are_listed, "the function is not in the table of integrals")
    kinds = [p[1] for p in parts]
    (m, first), (k, second) = (_mean_and_coefficients(node, p[2]) for p in parts)
    c = _covariance_of_forms(node, first, second)
    asked = [*_existence_conditions(node, *(p[2] for p in parts)), ("=", m, ZERO), ("=", k, ZERO)]
    spreads = []
    for kind, row in zip(kinds, (first, second), strict=True):
        v = _covariance_of_forms(node, row, row)
        noise = ONE if kind == "erf" else ZERO
        spreads.append(sum_of_terms([noise, ("*", TWO, v)]))
        asked += [] if kind == "erf" else [well_formed_node(("<", ZERO, v))]
    size = sqrt_term(("*", *spreads))
    angle = ("f", "asin", ("*", TWO, c, reciprocal_term(("*", *spreads), 2)))
    scale = ("*", TWO, reciprocal_term(("pi",)))
    if "abs" not in kinds:
        return asked, ("=", node, ("*", scale, angle)), ("bivariate-normal",)
    require(kinds == ["abs", "abs"], "one function is an absolute value, and the other is not")
    rest = ("+", square_term(size), ("*", num(-4), square_term(c)))
    asked.append(well_formed_node(("<=", ZERO, rest)))
    value = ("*", scale, ("+", ("*", HALF, sqrt_term(rest)), ("*", c, angle)))
    return asked, ("=", node, value), ("bivariate-normal",)


# -- convex functions -----------------------------------------------------------------------------


def convex_function_of_premise(theorem: Theorem) -> tuple[Term, Term, Term, bool]:
    """Return the function that a premise on a second derivative shows to be convex or concave.

    Further results: the function's variable, the point of the derivative, whether it is convex.
    """
    kind, low, high = require_relation(theorem.conclusion)
    is_convex = low == ZERO
    second = high if is_convex else low
    is_sign = kind in ("<", "<=") and ZERO in (low, high) and second[:2] == ("d", (2,))
    require(is_sign, "the premise does not say the sign of a second derivative")
    (x,) = parts_outside_binder(second)
    require_interval_variable(x)
    f = differentiated_function(second, x)
    require(
        not has_copy_sum_outside_expectation(binder_bodies(f)[0]), "the function contains copies"
    )
    require_names_absent([x], theorem.hypotheses.values(), "a hypothesis contains the variable")
    return f, bound_variables(second)[0], x, is_convex


@rule("tangent", "t", "t", premises=1)
def _tangent_inequality(theorem: Theorem, at: Term, point: Term) -> Any:
    """Conclude that a convex function lies above its tangents, or a concave one below them."""
    require(is_term(at) and is_term(point), "a point is no term")
    f, y, x, convex = convex_function_of_premise(theorem)
    (body,) = binder_bodies(f)
    slope = ("d", (1,), (y,), (body,), (at,))
    line = ("+", substitute(body, {y: at}), ("*", slope, ("+", point, neg(at))))
    value = substitute(body, {y: point})
    asked = [p for end in (at, point) for p in conditions_of_sort(x[2], end)]
    low, high = (line, value) if convex else (value, line)
    return (
        [*theorem.hypotheses.values(), *asked],
        well_formed_node(("<=", low, high)),
        ("taylor-theorem",),
    )
