"""Inference rules on functions and sums: mean value theorem, fundamental theorem, split ranges."""

from __future__ import annotations

from typing import Any

from slrsym.checker.conditions_on_values import conditions_of_sort
from slrsym.checker.differentiation import (
    differentiated_function,
    require_continuous_where_defined,
    require_interval_variable,
)
from slrsym.checker.expectations import (
    ONE,
    ZERO,
    moderate_growth_conditions,
    polynomial_coefficients,
    require_names_absent,
)
from slrsym.checker.relations import hypotheses_left_by_binder, refuse_reversed_infinite_ends
from slrsym.checker.term import (
    Term,
    apply_function_at,
    binder_bodies,
    bound_variables,
    definedness_equation,
    free_symbols,
    is_same_term,
    is_term,
    neg,
    num,
    parts_outside_binder,
    replace_parts,
    require,
    substitute,
)
from slrsym.checker.theorem import (
    Theorem,
    combined_hypotheses,
    require_relation,
    rule,
    well_formed_node,
)


def antiderivative_at(slope: Term, x: Term, point: Term) -> Term:
    """Return, at a point, an antiderivative of a term that is a derivative at x or free of x.

    A derivative at x has the function that is differentiated; a term free of x has a multiple of x.
    Other terms are refused.
    """
    if x not in free_symbols(slope):
        return ("*", slope, point)
    is_slope = slope[:2] == ("d", (1,)) and parts_outside_binder(slope) == (x,)
    require(is_slope, "the term is no first derivative at the variable")
    return apply_function_at(differentiated_function(slope, x), (), (point,))


@rule("mean value", "t", "t", "t", premises=1)
def _mean_value_theorem(theorem: Theorem, x: Term, low: Term, high: Term) -> Any:
    """Conclude f(high) + g(low) <= g(high) + f(low) from f' <= g' on the interval [low, high].

    Each side of the premise is the derivative of a function at x, or free of x, and then that of a
    multiple of x. As the premise says that the derivatives exist at every point of the closed
    interval, g - f is continuous there, and by the mean value theorem does not fall; it rises if
    the derivatives differ at every point, and the points do. Sorts of symbols are intervals, but
    for the numbers that are not 0; so what lies between two numbers of a sort is of the sort.
    """
    kind, a, b = require_relation(theorem.conclusion)
    require(kind != "!=", "the premise does not compare the derivatives by =, < or <=")
    require_interval_variable(x)
    are_ends = is_term(low) and is_term(high) and x not in free_symbols(low) | free_symbols(high)
    require(are_ends, "an end is no term, or contains the variable")
    given = hypotheses_left_by_binder(
        ("int", (x,), (ZERO,), (low, high)), combined_hypotheses([theorem])
    )
    asked = [("<" if kind == "<" else "<=", low, high)]
    asked += [p for end in (low, high) for p in conditions_of_sort(x[2], end) if x[2] != "R"]
    (f_low, g_low), (f_high, g_high) = (
        [antiderivative_at(slope, x, end) for slope in (a, b)] for end in (low, high)
    )
    conclusion = well_formed_node((kind, ("+", f_high, g_low), ("+", g_high, f_low)))
    return [*given.values(), *asked], conclusion, ("mean-value-theorem",)


@rule("fundamental theorem", "t", premises=1)
def _fundamental_theorem(theorem: Theorem, node: Term) -> Any:
    """Conclude that the integral of a derivative is the difference of the function's end values.

    The premise says that the integrand is the derivative of F at every point of the range. Then F
    is differentiable everywhere in the closed interval, and its derivative is integrable, as the
    integral exists (W. Rudin, Real and Complex Analysis, 7.21). At an infinite end F has to be a
    product of a moderate function and exp of a quadratic form with a negative square: there F
    tends to 0.
    """
    kind, body, slope = require_relation(theorem.conclusion)
    is_of_body = node[0] == "int" and kind == "=" and is_same_term(body, binder_bodies(node)[0])
    require(is_of_body, "the premise is no equation whose left side is the integrand")
    (x,), (low, high) = bound_variables(node), parts_outside_binder(node)
    require_names_absent(
        [x], (low, high), "an end contains the variable of the integral; rename it"
    )
    is_slope = slope[0] == "d" and x in free_symbols(slope)
    require(is_slope, "the right side of the premise is no derivative in the variable")
    given = hypotheses_left_by_binder(node, combined_hypotheses([theorem]))
    asked, values = [definedness_equation(node)], []
    refuse_reversed_infinite_ends(node)
    for end in (low, high):
        if is_term(end):
            values.append(antiderivative_at(slope, x, end))
        else:
            asked += _decay_conditions(antiderivative_at(slope, x, x), x)
            values.append(ZERO)
    conclusion = ("=", node, ("+", values[1], neg(values[0])))
    return [*given.values(), *asked], conclusion, ("fundamental-theorem-of-calculus",)


def _decay_conditions(f: Term, x: Term) -> list[Term]:
    """Return conditions under which a term with a Gaussian factor in x tends to 0 at infinity."""
    parts = f[1:] if f[0] == "*" else (f,)
    places = [i for i, p in enumerate(parts) if p[:2] == ("f", "exp") and x in free_symbols(p)]
    require(places, "no factor is an exponential in the variable")
    exponent = parts[places[0]][2]
    found = polynomial_coefficients(exponent, [x])
    require(max(found) == (2,), "the exponent is not of degree 2 in the variable")
    # The coefficients need not show what in the exponent is undefined.
    rest = [exponent, *(p for i, p in enumerate(parts) if i != places[0])]
    asked = [p for part in rest for p in moderate_growth_conditions(part, frozenset({x}))]
    return [
        *asked,
        *(definedness_equation(c) for c in found.values()),
        well_formed_node(("<", found[2,], ZERO)),
    ]


@rule("bells", "t")
def _integral_with_gaussian_factors_exists(node: Term) -> Any:
    """Conclude that an integral of functions of moderate growth times Gaussian factors exists."""
    require(node[0] == "int", "the node is no integral")
    (x,), (body,), ends = bound_variables(node), binder_bodies(node), parts_outside_binder(node)
    asked = [
        p for part in (body[1:] if body[0] == "+" else (body,)) for p in _decay_conditions(part, x)
    ]
    asked += [definedness_equation(end) for end in ends if is_term(end)]
    require_names_absent([x], asked, "an end contains the variable of the integral; rename it")
    return asked, definedness_equation(node), ("gaussian-moments",)


@rule("integral exists", "t", premises=1)
def _integral_exists(theorem: Theorem, node: Term) -> Any:
    """Conclude that an integral over a finite range exists if its integrand is continuous there."""
    is_finite = node[0] == "int" and all(map(is_term, parts_outside_binder(node)))
    require(is_finite, "the node is no integral between two terms")
    (body,), (x,) = binder_bodies(node), bound_variables(node)
    said = is_same_term(theorem.conclusion, definedness_equation(body))
    require(said, "the premise does not say that the body is defined")
    require_continuous_where_defined(body, x)
    given = hypotheses_left_by_binder(node, combined_hypotheses([theorem]))
    asked = [*given.values(), *map(definedness_equation, parts_outside_binder(node))]
    return asked, definedness_equation(node), ("continuous-functions-integrable",)


@rule("adjacent", "t", "t")
def _sum_of_adjacent_integrals(first: Term, second: Term) -> Any:
    """Conclude that two integrals of one function over adjacent intervals add up, if they exist.

    An integral from a to b is that from b to a with the other sign; so the order does not matter.
    """
    require(first[0] == second[0] == "int", "a node is no integral")
    (_, middle), (other, high) = parts_outside_binder(first), parts_outside_binder(second)
    require(is_term(middle) and is_same_term(middle, other), "the intervals are not adjacent")
    body = ("lam", bound_variables(first), binder_bodies(first), ())
    other_body = ("lam", bound_variables(second), binder_bodies(second), ())
    require(is_same_term(body, other_body), "the integrals are of two functions")
    whole = replace_parts(first, {(3, 1): high})
    asked = [definedness_equation(first), definedness_equation(second)]
    return (
        asked,
        ("=", ("+", first, second), well_formed_node(whole)),
        ("integral-linearity",),
    )


@rule("term of a sum", "t", "t")
def _split_sum_at_index(node: Term, place: Term) -> Any:
    """Conclude that a sum equals the sum before an index, the term there, and the sum after it.

    A sum is defined if its ends are integers, of which the last is at least the first less 1, and
    all its terms are defined; so the parts are, too.
    """
    require(node[0] == "sum" and is_term(place), "the node is no sum, or the place is no term")
    (i,), (body,), (low, high) = (
        bound_variables(node),
        binder_bodies(node),
        parts_outside_binder(node),
    )
    before = well_formed_node(("sum", (i,), (body,), (low, ("+", place, num(-1)))))
    after = well_formed_node(("sum", (i,), (body,), (("+", place, ONE), high)))
    term = substitute(body, {i: place})
    asked = [
        ("o", "integer", place),
        ("<=", low, place),
        ("<=", place, high),
        definedness_equation(node),
    ]
    return asked, ("=", node, ("+", before, term, after)), ("induction",)


@rule("absolute value", "t")
def _cases_of_absolute_value(a: Term) -> Any:
    """Conclude that a >= 0 and |a| = a, or that a <= 0 and |a| = -a."""
    require(is_term(a), "the argument is no term")
    size = ("f", "abs", a)
    sides = (
        ("and", ("<=", ZERO, a), ("=", size, a)),
        ("and", ("<=", a, ZERO), ("=", size, neg(a))),
    )
    return [definedness_equation(a)], ("or", *sides), ()
