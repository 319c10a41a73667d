"""Inferences that would make false theorems: what is undefined, derivatives, and integrals.

Each was accepted once, or is a near variant of one that was.
"""

from __future__ import annotations

import pytest

from slrsym.checker.term import Rejected, canonical_key, definedness_equation, num
from slrsym.checker.theorem import apply_rule
from tests._profile import thorough
from tests.checker.attack_terms import HALF, X, Y, Z, arithmetic
from tests.checker.terms import NORMAL, ONE, TWO, ZERO, I, mean, proved

# -- what is undefined, and does not show in the value ---------------------------------------------

INVERSE = ("^", -1, 1, Z)


@pytest.mark.parametrize(
    "law",
    [
        ("gauss", 1, INVERSE, ONE), ("gauss", 1, ZERO, INVERSE), ("noise", INVERSE),
        ("gauss", 1, ("f", "log", Z), ONE), ("gauss", 1, ZERO, ("^", 1, 2, Z)),
    ],
)  # fmt: skip
def test_a_sum_of_no_copies_has_a_law_that_exists(law):
    none = ("copies", (Y,), (Y,), (ZERO, law))
    # What stands in the law would be defined for all z, and 0 would differ from 0.
    assert canonical_key(definedness_equation(none)) in apply_rule("no copies", [], none).hypotheses


@pytest.mark.parametrize("law", [NORMAL, ("gauss", 1, ZERO, ZERO)])
@pytest.mark.parametrize(
    "coefficient", [INVERSE, ("*", ZERO, INVERSE), ("f", "log", Z), ("^", 1, 2, Z)]
)
def test_a_gaussian_integral_asks_for_the_coefficients_of_its_form(law, coefficient):
    u = ("*", coefficient, X)
    e = ("f", "erf", u)
    for rule, body in (("gaussian integral", e), ("centred pair", ("*", e, e)),
                       ("gaussian integral", ("f", "exp", u))):  # fmt: skip
        given = apply_rule(rule, [], mean(body, laws=(law,))).hypotheses
        assert canonical_key(definedness_equation(coefficient)) in given
        more = mean(body, (X, Y), (law, NORMAL))
        assert (
            canonical_key(definedness_equation(coefficient))
            in apply_rule(rule, [], more).hypotheses
        )


# -- derivatives -----------------------------------------------------------------------------------


@pytest.mark.parametrize("orders", [(1, 0), (2, 0), (1, 1)])
@pytest.mark.parametrize("first", ["a", "b'", "c''"])
def test_a_derivative_is_in_the_variable_that_it_names(first, orders):
    # d/da of g(a') is 0, whatever the two are called.
    a, other = ("s", first, "R"), ("s", first + "'", "R")
    slope = ("d", orders, (a, other), (("f", "exp", other),), (ZERO, ZERO))
    assert arithmetic(("=", slope, ZERO)).conclusion[2] == ZERO
    with pytest.raises(Rejected):
        arithmetic(("=", slope, ONE))


def integral(x, body, low=ZERO, high=ONE):
    return ("int", (x,), (body,), (low, high))


@pytest.mark.parametrize("exponent", [(3, 2), thorough((5, 2)), (4, 3)])
def test_terms_of_a_sum_have_derivatives_at_all_places(exponent):
    # The sum of (x + i)^(3/2), i = 0, 1, has no derivative at 0, where another i may be positive.
    p, q = exponent
    total = ("sum", (I,), (("^", p, q, ("+", X, I)),), (ZERO, ONE))
    slopes = ("sum", (I,), (("*", num(p, q), ("^", p - q, q, I)),), (ZERO, ONE))
    with pytest.raises(Rejected):
        proved(("=", ("d", (1,), (X,), (total,), (ZERO,)), slopes), (("<", ZERO, I),))
    asked = apply_rule("derivative", [], ("d", (1,), (X,), (total,), (ZERO,))).hypotheses.values()
    everywhere = [h for h in asked if h[0] == "forall"]
    assert [h[2][0][2] for h in everywhere] == [("<", ZERO, ("+", ZERO, everywhere[0][1][0]))]
    proved(definedness_equation(("d", (1,), (X,), (total,), (ONE,))))


@pytest.mark.parametrize(
    "integrand",
    [
        ("f", "sign", ("+", Y, num(-1))), ("f", "asin", Y),
        *(("^", p, q, ("+", ONE, ("*", num(-1), Y))) for p, q in ((1, 2), (3, 2), (1, 3))),
    ],
)  # fmt: skip
def test_at_an_end_that_moves_the_integrand_is_continuous(integrand):
    # The integral of sign(y - 1) to x is |x - 1| - 1; that of (1 - y)^(1/2) ends at 1.
    area = ("d", (1,), (X,), (integral(Y, integrand, ZERO, X),), (ONE,))
    with pytest.raises(Rejected):
        proved(definedness_equation(area), effort=9_000)
    turned = ("d", (1,), (X,), (integral(Y, integrand, X, ZERO),), (ONE,))
    with pytest.raises(Rejected):
        proved(definedness_equation(turned), effort=9_000)


def test_the_fundamental_theorem_inside_of_the_domain():
    root = ("^", 1, 2, ("+", ONE, Y))
    area = ("d", (1,), (X,), (integral(Y, root, ZERO, X),), (HALF,))
    proved(("=", area, ("^", 1, 2, num(3, 2))))


@pytest.mark.parametrize("depth", range(1, 6))
def test_a_bound_variable_is_called_like_nothing_else(depth):
    # Putting P(w) into a function nests binders deeper than they stood.
    w, y, inner = (("s", name, "R") for name in ("w", "y", "v"))

    def nested(t, n):
        for k in range(n):
            t = integral(("s", "abcdefghijkl"[k], "R"), t)
        return t

    value = ("d", (0,), (inner,), (nested(("*", inner, y, y), depth),), (nested(w, depth),))
    slope = ("d", (1,), (y,), (integral(w, value),), (X,))
    # The integral of 2 x w over the square is 1/2, that of 2 w^2 is 2/3.
    square = ("*", TWO, integral(w, ("*", w, nested(w, 2 * depth))))
    known = proved(definedness_equation(square))
    with pytest.raises(Rejected):
        arithmetic(("=", integral(X, slope), square), premises=[known])
    if depth < 3:
        with pytest.raises(Rejected):
            proved(("=", integral(X, slope), square), effort=9_000)


# -- derivatives under an integral -----------------------------------------------------------------


def under_the_integral(body, low=ZERO, high=ONE, at=ZERO):
    return ("d", (1,), (X,), (integral(Y, body, low, high),), (at,))


# 1 at y = 0, and 1/y elsewhere.
SPIKE = ("^", -1, 1, ("+", Y, ONE, ("*", num(-1), ("^", 2, 1, ("f", "sign", Y)))))
NARROW = ("*", ("^", 2, 1, X), Y, ("f", "exp", ("*", num(-1), ("^", 2, 1, X), ("^", 2, 1, Y))))
TILTED = [
    # The integral of x^2/y does not exist but for x = 0.
    under_the_integral(("*", ("^", 2, 1, X), SPIKE)),
    under_the_integral(("*", X, SPIKE)),
    under_the_integral(("*", X, ("f", "sign", Y))),
    under_the_integral(("f", "erf", ("*", X, SPIKE))),
    under_the_integral(("*", X, SPIKE), ONE, ZERO),
    under_the_integral(("*", X, ("E", (Z,), (("*", Y, Z),), (NORMAL,)))),
    under_the_integral(("*", X, ("int", (Z,), (Y,), (ZERO, ONE)))),
    # The integral of this to infinity is 1/2 for x != 0, and 0 for x = 0.
    under_the_integral(NARROW, ZERO, ("oo",)),
    under_the_integral(NARROW, ("oo",), ZERO),
    under_the_integral(NARROW, ("-oo",), ("oo",)),
    under_the_integral(NARROW, ("oo",), ("-oo",)),
    under_the_integral(NARROW, ZERO, ("-oo",)),
]


@pytest.mark.parametrize("t", TILTED, ids=range(len(TILTED)))
def test_leibniz_rule_needs_a_continuous_integrand_on_a_bounded_interval(t):
    with pytest.raises(Rejected):
        apply_rule("derivative", [], t)
    with pytest.raises(Rejected):
        apply_rule("arithmetic", [], (), ("=", t, ZERO), [20, [], [], []])


@pytest.mark.parametrize("ends", [(ZERO, ONE), (ONE, num(-1)), (Z, ZERO), (ZERO, X), (X, ZERO)])
@pytest.mark.parametrize("body", [("f", "abs", ("+", X, Y)), ("f", "log", ("+", X, Y, ONE))])
def test_leibniz_rule_asks_between_the_ends_in_either_order(body, ends):
    asked = apply_rule("derivative", [], under_the_integral(body, *ends)).hypotheses.values()
    everywhere = [h for h in asked if h[0] == "forall"]
    assert len(everywhere) == 2
    for h in everywhere:
        _, (y,), (p,), _ = h
        low, high = (("+", ZERO, e) if e == X else e for e in ends)
        first, second = p[1][1:]
        assert {first[1][1], second[2][2]} <= {low, high, ZERO}
        assert (first[1][0], first[1][2], second[2][1]) == ("<=", y, y)


def test_the_product_under_an_integral_may_vanish():
    # 0/y is not defined at 0, although the integral of 0 is.
    with pytest.raises(Rejected):
        proved(("=", under_the_integral(("*", X, ("^", -1, 1, Y))), ZERO), effort=9_000)
    assert proved(("=", under_the_integral(("*", X, ("f", "exp", Y)), at=ONE),
                   integral(Y, ("f", "exp", Y))))  # fmt: skip
