"""Inferences that would make false theorems: names that are caught, and what is random.

Each was accepted once, or is a near variant of one that was.
"""

from __future__ import annotations

import pytest

from slrsym.checker.term import (
    Rejected,
    canonical_key,
    definedness_equation,
    num,
    parse_term,
    substitute,
)
from slrsym.checker.theorem import apply_rule
from slrsym.prover.tactics.log_records import tuples_to_lists
from tests._profile import thorough
from tests.checker.terms import NORMAL, ONE, TWO, ZERO, assume, mean, proved

X, Y, Z = (("s", name, "R") for name in "xyz")
SUM = ("copies", (Y,), (Y,), (TWO, NORMAL))


def constant_of(z):
    """E z = z, for all z."""
    made = apply_rule("constant", [], mean(z))
    rest = tuple(
        h for k, h in made.hypotheses.items() if k != canonical_key(definedness_equation(z))
    )
    return apply_rule("logic", [apply_rule("symbol", [], z), made], rest, made.conclusion)


# -- a law whose parameter is called like the variable -------------------------------------------

# E y = x under N(x, 1), and no expectation in x can take it.
LAWS = [
    ("gauss", 1, X, ONE),
    ("gauss", 1, ZERO, ("^", 2, 1, X)),
    ("gauss", 1, ("*", TWO, X), ("f", "exp", X)),
    ("noise", ("^", 2, 1, X)),
    ("gauss", 1, ("f", "sin", X), ONE),
]


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("body", [Y, ("^", 2, 1, Y)])
def test_an_inner_law_is_not_caught_by_an_outer_expectation(law, body):
    with pytest.raises(Rejected, match="rename"):
        apply_rule("fubini", [], mean(body, (X, Y), (NORMAL, law)), 1)


def test_an_outer_law_may_have_the_name_of_an_inner_variable():
    node = mean(Y, (X, Y), (("gauss", 1, Y, ONE), NORMAL))
    nested = apply_rule("fubini", [], node, 1).conclusion[2]
    assert nested[3] == (("gauss", 1, Y, ONE),)


# E (x - x) x = 0 is not E 1 = 1: what the mean says is of another x.
@pytest.mark.parametrize("m", [X, ("+", X, ONE), ("*", TWO, X), ("f", "exp", X), ("^", 2, 1, X)])
@pytest.mark.parametrize("h", [Y, ("^", 2, 1, Y), ("*", X, Y)])
def test_a_mean_is_not_caught_by_its_own_variable(m, h):
    with pytest.raises(Rejected, match="rename"):
        apply_rule("stein", [], mean(ONE, laws=(("gauss", 1, m, ONE),)), ("lam", (Y,), (h,), ()), 0)
    with pytest.raises(Rejected, match="rename"):
        apply_rule("density", [], mean(ONE, laws=(("gauss", 1, m, ONE),)))


def test_a_mean_of_another_name_is_fine():
    node = mean(ONE, laws=(("gauss", 1, Z, ONE),))
    assert apply_rule("stein", [], node, ("lam", (Y,), (Y,), ()), 0).conclusion[0] == "="


# -- a sum of copies is random, and no number ----------------------------------------------------

RANDOM = [SUM, ("+", SUM, ONE), ("^", 2, 1, SUM), ("*", X, SUM), ("f", "abs", SUM)]


@pytest.mark.parametrize("value", RANDOM)
def test_a_symbol_stands_for_no_random_value(value):
    # E z = z for every number z; with the sum for z, it would be its own mean.
    constant = constant_of(Z)
    with pytest.raises(Rejected, match="random"):
        apply_rule("instance", [constant], ((Z, value),))
    with pytest.raises(Rejected, match="random"):
        apply_rule("specialise", [apply_rule("generalise", [constant], Z)], (value,))


@pytest.mark.parametrize("value", RANDOM)
def test_a_function_has_no_random_values(value):
    # E f(x) E f(y) = E f(x) f(y) for every function f; not with the same sum in both.
    f = lambda t: ("u", "f", "R", (0,), t)  # noqa: E731
    node = mean(("*", f(X), f(Z)), (X, Z), (NORMAL, NORMAL))
    apart = apply_rule("independent", [], node, [[0], [1]])
    function = ("lam", (X,), (("+", X, value),), ())
    with pytest.raises(Rejected, match="random"):
        apply_rule("instance", [apart], ((("u", "f", "R", 1), function),))


def test_an_expectation_of_a_sum_is_a_number():
    constant = constant_of(Z)
    assert apply_rule("instance", [constant], ((Z, mean(SUM)),)).conclusion[2] == mean(SUM)


@pytest.mark.parametrize(
    "said", [("=", Z, SUM), ("<=", ZERO, SUM), ("!=", SUM, ZERO), ("=", ("^", -1, 1, SUM), ONE)]
)
def test_a_hypothesis_on_a_sum_stays_outside_of_expectations(said):
    fact = apply_rule("unchecked", [], "test", (said,), ("=", ("f", "abs", SUM), SUM))
    for rule in ("equal bodies", "under"):
        with pytest.raises(Rejected, match="value of a sum"):
            apply_rule(rule, [fact], mean(("f", "abs", SUM)))
    apart = apply_rule("unchecked", [], "test", (said,), ("=", ("f", "abs", SUM), ("*", ONE, SUM)))
    with pytest.raises(Rejected, match="value of a sum"):
        apply_rule("linear", [apart], mean(("f", "abs", SUM)), (ONE,), (SUM,))
    claim = apply_rule("assume", [], ("=", Z, mean(("f", "abs", SUM))))
    with pytest.raises(Rejected, match="value of a sum"):
        apply_rule("rewrite", [claim, fact], [[2, [2, 0]]])


def test_that_a_sum_exists_may_be_supposed():
    fact = apply_rule(
        "unchecked", [], "test", (definedness_equation(SUM),), ("=", ("f", "abs", SUM), SUM)
    )
    made = apply_rule("equal bodies", [fact], mean(("f", "abs", SUM)))
    assert canonical_key(definedness_equation(SUM)) in made.hypotheses


@pytest.mark.parametrize("use", [[2, 0, 1], [0, 1, 2], [2], [1, 2, 0]])
def test_arithmetic_forgets_the_value_of_a_sum_under_an_expectation(use):
    # S >= 0 or S <= 0; but E |S| is neither E S nor -E S.
    a, b = mean(("f", "abs", SUM)), mean(SUM)
    for side, other in ((("<=", ZERO, SUM), b), (("<=", SUM, ZERO), ("*", num(-1), b))):
        facts = [assume(definedness_equation(a)), assume(definedness_equation(b)), assume(side)]
        with pytest.raises(Rejected):
            apply_rule("arithmetic", facts, (), ("=", a, other), [8, [], use, []])


@pytest.mark.parametrize(
    "term",
    [
        mean(X, laws=(("gauss", 1, SUM, ONE),)),
        mean(X, laws=(("gauss", 1, ZERO, ("^", 2, 1, SUM)),)),
        mean(X, laws=(("noise", ("^", 2, 1, SUM)),)),
        ("copies", (X,), (("+", X, SUM),), (TWO, NORMAL)),
        ("copies", (X,), (X,), (SUM, NORMAL)),
        ("copies", (X,), (X,), (TWO, ("gauss", 1, SUM, ONE))),
    ],
)
def test_no_law_and_no_copies_of_what_is_random(term):
    with pytest.raises(Rejected, match="contains copies"):
        parse_term(tuples_to_lists(term))


# -- sentences that rules look into ---------------------------------------------------------------


@pytest.mark.parametrize(
    "sentence",
    [
        ("o", "integer"), ("o", "integer", X, ("n", 1, 2)), ("o", "integer",
        definedness_equation(X)), ("o", "psd", X), ("o", "psd", ("tuple",)), ("o", "psd", ("tuple",
        X, X, X)), ("o", "psd", ("tuple", definedness_equation(X))), ("o", "psd", ("tuple", X),
        ("tuple", X)), ("o", "moderate", X), ("o", "moderate"), ("o", "moderate", ("lam", (X,),
        (X,), (Y,))),
    ],
)  # fmt: skip
def test_sentences_of_another_form(sentence):
    with pytest.raises(Rejected):
        parse_term(tuples_to_lists(sentence))


def test_the_image_of_a_matrix_has_the_size_of_its_factor():
    p = ("o", "psd", ("tuple", X))
    for source in (p, ("tuple", X), ("tuple",), X, ("o", "integer", X)):
        for factor in ((), (X, X)):
            with pytest.raises(Rejected):
                apply_rule("psd image", [], p, source, factor)
    asked = apply_rule("psd image", [], p, ("tuple", Y), (X,)).hypotheses
    assert canonical_key(("<=", ("n", 0, 1), Y)) in asked
    assert canonical_key(definedness_equation(X)) in asked


# -- what is undefined, and does not show in the value ---------------------------------------------

HALF, INVERSE = num(1, 2), ("^", -1, 1, Z)


def arithmetic(p, hypotheses=(), premises=()):
    use = list(range(len(hypotheses) + len(premises)))
    return apply_rule("arithmetic", list(premises), tuple(hypotheses), p, [40, [], use, []])


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


I = ("s", "i", "Z")  # noqa: E741


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


# -- data that rules stumble over ------------------------------------------------------------------

SAID = assume(("<", ZERO, X))
STUMBLES = [
    ("generalise", [SAID], (("pi",),)), ("chain", [SAID, assume(("forall", (Y,), (
        ("<", ZERO, Y),), ()))], ()), ("defined", [SAID], ([{}],)), ("defined", [SAID], ([True],)),
    ("independent", [], (mean(("*", X, Y), (X, Y), (NORMAL, NORMAL)), [[[]], [1]])),
    ("instance", [SAID], (((("u", "f", "R", 1), ("lam", (Y,), (Y, Y), ())),),)),
    ("instance", [SAID], (((X, ("<", ZERO, Y)),),)), ("instance", [SAID], (((X, ("tuple", Y)),),)),
    ("instance", [SAID], (((X, ("oo",)),),)),
    ("instance", [SAID], (((X, ("u", "f", "R", (0, 0), ("s", "y", "R) (s z R"))),),)),
    ("theorem", [], ("null-union", ("o", "NullStarts", ("tuple", ("text", "BoxMap"), ("lam", (X,),
        (X,), ()), ("tuple", ZERO), ("tuple", ONE)), ("text", "a")),
        (("tuple", ("set", ("tuple", ZERO))),))),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(STUMBLES)))
def test_what_a_rule_cannot_read_is_refused(number):
    rule, premises, data = STUMBLES[number]
    with pytest.raises(Rejected):
        apply_rule(rule, premises, *data)


def test_rewriting_makes_no_copies_of_copies():
    outer = ("copies", (X,), (("*", X, Z),), (TWO, NORMAL))
    said = assume(("=", outer, ZERO))
    with pytest.raises(Rejected):
        apply_rule("rewrite", [said, assume(("=", Z, SUM))], [[1, [2, 0], 2]])


def test_a_conclusion_is_no_deeper_than_what_is_read():
    deep = X
    for _ in range(140):
        deep = ("f", "exp", deep)
    with pytest.raises(Rejected):
        apply_rule("instance", [assume(("=", deep, Y))], ((X, substitute(deep, {X: Z})),))


# -- a sum of copies does not come under an expectation --------------------------------------------

EXISTS = apply_rule("copies exist", [], SUM)
R_ = ("s", "r", "R")


def test_a_sum_of_copies_is_not_the_mean_of_its_square():
    # At the point S, E r r is S^2; put in for r, it would be E S^2.
    square = mean(("*", R_, R_))
    at = ("d", (0,), (R_,), (square,), (SUM,))
    caught = mean(("*", SUM, SUM))
    known = apply_rule("integrable", [], caught)
    with pytest.raises(Rejected):
        arithmetic(("=", at, caught), premises=[known, EXISTS])


@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("value", RANDOM)
def test_the_derivative_of_an_expectation_is_at_no_random_point(order, value):
    node = ("d", (order,), (R_,), (mean(("*", R_, R_, X)),), (value,))
    with pytest.raises(Rejected, match="copies"):
        apply_rule("derivative of expectation", [], node)


@pytest.mark.parametrize("value", RANDOM)
def test_zeta_of_a_sum_is_no_number(value):
    for arguments in ((value, ZERO), (ONE, value)):
        with pytest.raises(Rejected, match="random"):
            apply_rule("definition", [], ("f", "zeta", *arguments))


@pytest.mark.parametrize("value", RANDOM)
def test_an_image_is_not_shifted_by_a_sum(value):
    node = mean(("f", "erf", X), laws=(("gauss", 1, Z, ONE),))
    for form in (("+", Y, value), ("*", value, Y)):
        with pytest.raises(Rejected, match="random"):
            apply_rule("image", [], node, ("lam", (Y,), (form,), ()), (NORMAL,))


@pytest.mark.parametrize("value", RANDOM)
def test_functions_that_are_means_take_no_random_values(value):
    f = lambda t: ("u", "f", "R", (0,), t)  # noqa: E731
    said = arithmetic(definedness_equation(f(SUM)), premises=[EXISTS])
    for body in (mean(("*", X, R_)), mean(X, laws=(("gauss", 1, R_, ONE),))):
        with pytest.raises(Rejected, match="cannot be put inside"):
            apply_rule("instance", [said], ((("u", "f", "R", 1), ("lam", (R_,), (body,), ())),))
    slopes = [("d", (n,), (Y,), (mean(("*", X, Y)),), (Z,)) for n in (2, 1)]
    bend, slope = (apply_rule("unchecked", [], "test", (), ("<=", ZERO, d)) for d in slopes)
    with pytest.raises(Rejected, match="cannot be put inside"):
        apply_rule("tangent", [bend], value, ONE)
    with pytest.raises(Rejected, match="cannot be put inside"):
        apply_rule("tangent", [bend], ONE, value)
    with pytest.raises(Rejected, match="cannot be put inside"):
        apply_rule("mean value", [slope], Z, ZERO, value)
    total = ("sum", (I,), (mean(("*", X, I)),), (ZERO, TWO))
    with pytest.raises(Rejected, match="cannot be put inside"):
        apply_rule("term of a sum", [], total, value)


@pytest.mark.parametrize("p", [10**70 + 33, 3 * (10**80 + 129), (10**60 + 7) ** 2])
def test_the_root_of_a_long_number_takes_no_time(p):
    # Its prime factors would take years.
    number = num(p * (10**75 + 129))
    arithmetic(("=", ("^", 2, 1, ("^", 1, 2, number)), number))
    with pytest.raises(Rejected):
        arithmetic(("=", ("^", 1, 2, number), number))


# -- variables of one binder, read at another depth ------------------------------------------------

FIVE, W, V = num(5), ("s", "w", "R"), ("s", "v", "R")
PAIR = (NORMAL, ("gauss", 1, FIVE, ONE))


def deeper(t, depth=1, order=0):
    """`t` as a derivative of order 0 at t, or of order 1 of a primitive, so many binders deeper."""
    for k in range(depth):
        x = ("s", f"w{k}", "R")
        body = x if order == 0 else ("*", HALF, ("^", 2, 1, x)) if order == 1 else ("*", x, x)
        at = t if order == 0 else ("+", t, ZERO)
        t = ("d", (order,), (x,), (body,), (at,)) if order < 2 else t
    return t


def under_sum(t):
    return ("sum", (I,), (("*", t, ("^", -1, 1, num(3))),), (ZERO, TWO))


def under_integral(t):
    return ("int", (V,), (t,), (ZERO, ONE))


BINDING = {
    "one binder deeper": (Y, deeper(X), (X, Y), PAIR),
    "two binders deeper": (Y, deeper(X, 2), (X, Y), PAIR),
    "a first derivative": (Y, deeper(X, 1, 1), (X, Y), PAIR),
    "three variables": (Z, deeper(Y), (X, Y, Z), (*PAIR, ("gauss", 1, TWO, ONE))),
    "two apart": (Z, deeper(X, 2), (X, Y, Z), (*PAIR, ("gauss", 1, TWO, ONE))),
    "one law of two": (Y, deeper(X), (X, Y), (("gauss", 2, ZERO, FIVE, ONE, ZERO, ZERO, ONE),)),
    "noise": (Y, deeper(X), (X, Y), (("noise", ONE), ("gauss", 1, FIVE, ONE))),
    "inside an integral": (Y, under_integral(X), (X, Y), PAIR),
    "a sum inside": (Y, under_sum(X), (X, Y), PAIR),
    "both deeper": (deeper(Y), deeper(X, 2), (X, Y), PAIR),
    "squares": (("^", 2, 1, Y), ("^", 2, 1, deeper(X)), (X, Y), PAIR),
    "inside erf": (("f", "erf", Y), ("f", "erf", deeper(X)), (X, Y), PAIR),
}


@pytest.mark.parametrize("name", BINDING)
@pytest.mark.parametrize("around", [False, True])
def test_variables_of_one_expectation_are_not_exchanged(name, around):
    first, second, names, laws = BINDING[name]
    a, b = mean(first, names, laws), mean(second, names, laws)
    if around:
        a, b = (("int", (W,), (("*", t, W),), (ZERO, ONE)) for t in (a, b))
    facts = [assume(definedness_equation(a)), assume(definedness_equation(b))]
    for use in ([0, 1], [1, 0], []):
        for p in (("=", a, b), ("<=", a, b), ("=", ("+", a, ("*", num(-1), b)), ZERO)):
            with pytest.raises(Rejected):
                apply_rule("arithmetic", facts, (), p, [16, [], use, []])


@pytest.mark.parametrize("head", ["sum", "int"])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_variables_of_nested_ranges_are_not_exchanged(head, depth):
    # The sum over i to 1 and j to 3 of i is not that of j.
    sort = "Z" if head == "sum" else "R"
    i, j = ("s", "i", sort), ("s", "j", sort)

    def over(t):
        return (head, (i,), ((head, (j,), (t,), (ZERO, num(3))),), (ZERO, ONE))

    for a, b in ((i, j), (deeper(i, depth), j), (i, deeper(j, depth))):
        with pytest.raises(Rejected):
            arithmetic(("=", over(("f", "erf", a)), over(("f", "erf", b))))


def improper(t):
    return ("int", (W,), (("*", t, ("f", "exp", ("*", num(-1), ("^", 2, 1, W)))),),
            (("-oo",), ("oo",)))  # fmt: skip


COPIES = [
    improper(SUM), improper(("*", SUM, W, W)), improper(("^", 2, 1, SUM)),
    improper(("+", SUM, W)), improper(("f", "erf", SUM)), improper(("*", X, SUM)),
    ("d", (1,), (V,), (improper(("*", V, SUM)),), (ONE,)),
    ("int", (W,), (("*", SUM, ("f", "sign", W)),), (("-oo",), ONE)),
    improper(improper(SUM)), ("+", improper(SUM), num(3)),
]  # fmt: skip


@pytest.mark.parametrize("t", COPIES, ids=range(len(COPIES)))
def test_what_contains_a_sum_of_copies_has_no_sign_under_an_expectation(t):
    # T >= 0 or T <= 0; but E |T| is neither E T nor E -T.
    size = mean(("f", "abs", t))
    for side, other in (
        (("<=", ZERO, t), mean(t)),
        (("<=", t, ZERO), mean(("*", num(-1), t))),
    ):
        facts = [
            assume(definedness_equation(size)),
            assume(definedness_equation(other)),
            assume(definedness_equation(t)),
            assume(side),
        ]
        for use in ([0, 1, 2, 3], [3, 2, 1, 0], [2, 3], [2, 3, 0, 1]):
            with pytest.raises(Rejected):
                apply_rule("arithmetic", facts, (), ("=", size, other), [24, [], use, []])


# -- data that no log could say --------------------------------------------------------------------

UNREADABLE = {
    "a name that no letter begins": mean(("*", X, ("s", "_0", "R"))),
    "a name with a space": ("*", X, ("s", "x y", "R")),
    "a name that is empty": ("s", "", "R"),
    "an unknown sort": ("s", "x", "C"),
    "an unknown function": ("f", "gamma", X),
    "a function of two arguments": ("f", "erf", X, Y),
    "a fraction not in lowest terms": ("*", X, ("n", 2, 4)),
    "a float": ("+", X, ("n", 0.5, 1)),
    "an exponent of nothing": ("^", 0, 1, X),
    "a formula for a term": ("+", X, ("=", X, Y)),
    "a law for a term": ("+", X, NORMAL),
    "a variable bound twice": ("E", (X, X), (X,), (NORMAL, NORMAL)),
    "an unknown head": ("?", X),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_rules_take_nothing_that_a_log_could_not_say(name):
    t = UNREADABLE[name]
    p = ("=", t, t)
    for rule, data in (
        ("assume", (p,)), ("logic", ((p,), p)), ("order", (t, ZERO)), ("instance", (((X, t),),)),
        ("arithmetic", ((p,), p, [8, [], [0], []])), ("absolute value", (t,)),
    ):  # fmt: skip
        premises = [assume(("<", ZERO, X))] if rule == "instance" else []
        with pytest.raises(Rejected):
            apply_rule(rule, premises, *data)


# -- objects that give other parts when they are read again ---------------------------------------

FALSE = ("<", ONE, ZERO)


class Turning(list):
    """A list that is one thing for some readings, and another one after that."""

    def __init__(self, first, second, readings):
        super().__init__(first)
        self.second, self.left = second, readings

    def __iter__(self):
        self.left -= 1
        return iter(self.second) if self.left < 0 else super().__iter__()


@pytest.mark.parametrize("readings", range(6))
def test_premises_are_read_once(readings):
    class Fake:
        hypotheses, axioms, conclusion = {}, frozenset(), FALSE

    true = apply_rule("symbol", [], X)
    with pytest.raises(Rejected):
        apply_rule("logic", Turning([true], [Fake()], readings), (), FALSE)


class Alike(str):
    """A text that is equal to another one."""

    def __eq__(self, other):
        return True

    def __hash__(self):
        return hash("R")


@pytest.mark.parametrize(
    "term",
    [
        ("s", "x", Alike("R>0")),
        ("s", Alike("x"), "R"),
        ("f", Alike("R"), X),
        ("u", "f", Alike("R>0"), (0,), X),
        ("u", "f", "R", Turning([0], [1], 1), X),
        ("ix", Alike("c"), "R", ONE),
    ],
)
def test_words_and_orders_are_of_the_types_themselves(term):
    with pytest.raises(Rejected):
        apply_rule("assume", [], ("<", ZERO, term))


@pytest.mark.parametrize("readings", range(8))
def test_pairs_are_a_tuple(readings):
    y = ("s", "y", "R>0")
    pairs = Turning([(y, ONE)], [(y, num(-1))], readings)
    with pytest.raises(Rejected, match="tuple of pairs"):
        apply_rule("instance", [apply_rule("symbol", [], y)], pairs)
    with pytest.raises(Rejected, match="tuple of pairs"):
        apply_rule("instance", [apply_rule("symbol", [], y)], ([y, ONE],))


def test_data_of_json_are_plain():
    with pytest.raises(Rejected, match="lists, texts and integers"):
        apply_rule("numbers", [], ("<", ZERO, ONE), Turning([64], [64], 9))
    with pytest.raises(Rejected, match="lists, texts and integers"):
        apply_rule("unchecked", [], Alike("x"), (), FALSE)


# -- what reads like something else ---------------------------------------------------------------


@pytest.mark.parametrize(
    "term",
    [
        *(
            ("s", name, "R<0")
            for name in ("pi", "π", "oo", "e", "E", "x^2", "exp", "sum", "pi'", "e'", "π'", "E^*")
        ),
        ("s", "x^2", "R"),
        ("ix", "x^2", "R<0", ONE),
        *(("u", name, "R<0", (0,), X) for name in ("exp", "E", "erf'", "lam", "x^2")),
        *(("s", name, "R") for name in ("x_{1}", "a.b", "a*b", "k^", "_x", "1x", "x\n", "о", "")),
    ],
)
def test_a_name_reads_like_nothing_else(term):
    with pytest.raises(Rejected, match=r"no symbol|no function"):
        apply_rule("assume", [], ("<", term, ZERO))


@pytest.mark.parametrize("term", [
    ("s", "k^*", "R"), ("s", "W_12''", "R>0"), ("s", "e", "R"), ("s", "E", "R"), ("s", "θ_1", "R"),
    ("ix", "beta^2", "R", ONE), ("u", "q_star", "R", (0,), X),
])  # fmt: skip
def test_usual_names_are_names(term):
    assert assume(("<", term, ZERO)).conclusion == ("<", term, ZERO)


@pytest.mark.parametrize("name", ["\x1b[2A\x1b[J289 claims", "a\nb", " a", "", "ä", 7, "a" * 201])
def test_the_name_of_an_unchecked_statement_can_be_shown(name):
    with pytest.raises(Rejected, match="unchecked"):
        apply_rule("unchecked", [], name, (), FALSE)


def test_a_symbol_is_given_no_function():
    fact = apply_rule("arithmetic", [], (), ("<=", ZERO, ("^", 2, 1, X)), [4, [], [], []])
    for_all = apply_rule("generalise", [fact], X)
    assert apply_rule("specialise", [for_all], (Y,)).conclusion[2] == ("^", 2, 1, Y)
    with pytest.raises(Rejected, match="no term"):
        apply_rule("specialise", [for_all], (("lam", (Y,), (Y,), ()),))
