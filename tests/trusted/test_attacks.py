"""Inferences that would make false theorems: names that are caught, and what is random.

Each was accepted once, or is a near variant of one that was.
"""

from __future__ import annotations

import pytest

from slrsym.evidence.writing import plain
from slrsym.trusted.term import Rejected, defined, key, num, parse
from slrsym.trusted.theorem import prove

ZERO, ONE, TWO = num(0), num(1), num(2)
X, Y, Z = (("s", name, "R") for name in "xyz")
NORMAL = ("gauss", 1, ZERO, ONE)
SUM = ("copies", (Y,), (Y,), (TWO, NORMAL))


def mean(body, names=(X,), laws=(NORMAL,)):
    return ("E", names, (body,), laws)


def assume(p):
    return prove("assume", [], p)


def constant_of(z):
    """E z = z, for all z."""
    made = prove("constant", [], mean(z))
    rest = tuple(h for k, h in made.hypotheses.items() if k != key(defined(z)))
    return prove("logic", [prove("symbol", [], z), made], rest, made.conclusion)


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
        prove("fubini", [], mean(body, (X, Y), (NORMAL, law)), 1)


def test_an_outer_law_may_have_the_name_of_an_inner_variable():
    node = mean(Y, (X, Y), (("gauss", 1, Y, ONE), NORMAL))
    nested = prove("fubini", [], node, 1).conclusion[2]
    assert nested[3] == (("gauss", 1, Y, ONE),)


# E (x - x) x = 0 is not E 1 = 1: what the mean says is of another x.
@pytest.mark.parametrize("m", [X, ("+", X, ONE), ("*", TWO, X), ("f", "exp", X), ("^", 2, 1, X)])
@pytest.mark.parametrize("h", [Y, ("^", 2, 1, Y), ("*", X, Y)])
def test_a_mean_is_not_caught_by_its_own_variable(m, h):
    with pytest.raises(Rejected, match="rename"):
        prove("stein", [], mean(ONE, laws=(("gauss", 1, m, ONE),)), ("lam", (Y,), (h,), ()), 0)
    with pytest.raises(Rejected, match="rename"):
        prove("density", [], mean(ONE, laws=(("gauss", 1, m, ONE),)))


def test_a_mean_of_another_name_is_fine():
    node = mean(ONE, laws=(("gauss", 1, Z, ONE),))
    assert prove("stein", [], node, ("lam", (Y,), (Y,), ()), 0).conclusion[0] == "="


# -- a sum of copies is random, and no number ----------------------------------------------------

RANDOM = [SUM, ("+", SUM, ONE), ("^", 2, 1, SUM), ("*", X, SUM), ("f", "abs", SUM)]


@pytest.mark.parametrize("value", RANDOM)
def test_a_symbol_stands_for_no_random_value(value):
    # E z = z for every number z; with the sum for z, it would be its own mean.
    constant = constant_of(Z)
    with pytest.raises(Rejected, match="random"):
        prove("instance", [constant], ((Z, value),))
    with pytest.raises(Rejected, match="random"):
        prove("specialise", [prove("generalise", [constant], Z)], (value,))


@pytest.mark.parametrize("value", RANDOM)
def test_a_function_has_no_random_values(value):
    # E f(x) E f(y) = E f(x) f(y) for every function f; not with the same sum in both.
    f = lambda t: ("u", "f", "R", (0,), t)  # noqa: E731
    node = mean(("*", f(X), f(Z)), (X, Z), (NORMAL, NORMAL))
    apart = prove("independent", [], node, [[0], [1]])
    function = ("lam", (X,), (("+", X, value),), ())
    with pytest.raises(Rejected, match="random"):
        prove("instance", [apart], ((("u", "f", "R", 1), function),))


def test_an_expectation_of_a_sum_is_a_number():
    constant = constant_of(Z)
    assert prove("instance", [constant], ((Z, mean(SUM)),)).conclusion[2] == mean(SUM)


@pytest.mark.parametrize(
    "said", [("=", Z, SUM), ("<=", ZERO, SUM), ("!=", SUM, ZERO), ("=", ("^", -1, 1, SUM), ONE)]
)
def test_a_hypothesis_on_a_sum_stays_outside_of_expectations(said):
    fact = prove("unchecked", [], "test", (said,), ("=", ("f", "abs", SUM), SUM))
    for rule in ("equal bodies", "under"):
        with pytest.raises(Rejected, match="value of a sum"):
            prove(rule, [fact], mean(("f", "abs", SUM)))
    apart = prove("unchecked", [], "test", (said,), ("=", ("f", "abs", SUM), ("*", ONE, SUM)))
    with pytest.raises(Rejected, match="value of a sum"):
        prove("linear", [apart], mean(("f", "abs", SUM)), (ONE,), (SUM,))
    claim = prove("assume", [], ("=", Z, mean(("f", "abs", SUM))))
    with pytest.raises(Rejected, match="value of a sum"):
        prove("rewrite", [claim, fact], [[2, [2, 0]]])


def test_that_a_sum_exists_may_be_supposed():
    fact = prove("unchecked", [], "test", (defined(SUM),), ("=", ("f", "abs", SUM), SUM))
    made = prove("equal bodies", [fact], mean(("f", "abs", SUM)))
    assert key(defined(SUM)) in made.hypotheses


@pytest.mark.parametrize("use", [[2, 0, 1], [0, 1, 2], [2], [1, 2, 0]])
def test_arithmetic_forgets_the_value_of_a_sum_under_an_expectation(use):
    # S >= 0 or S <= 0; but E |S| is neither E S nor -E S.
    a, b = mean(("f", "abs", SUM)), mean(SUM)
    for side, other in ((("<=", ZERO, SUM), b), (("<=", SUM, ZERO), ("*", num(-1), b))):
        facts = [assume(defined(a)), assume(defined(b)), assume(side)]
        with pytest.raises(Rejected):
            prove("arithmetic", facts, (), ("=", a, other), [8, [], use, []])


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
    with pytest.raises(Rejected, match="random"):
        parse(plain(term))


# -- sentences that rules look into ---------------------------------------------------------------


@pytest.mark.parametrize(
    "sentence",
    [
        ("o", "integer"), ("o", "integer", X, ("n", 1, 2)), ("o", "integer", defined(X)),
        ("o", "psd", X), ("o", "psd", ("tuple",)), ("o", "psd", ("tuple", X, X, X)),
        ("o", "psd", ("tuple", defined(X))), ("o", "psd", ("tuple", X), ("tuple", X)),
        ("o", "moderate", X), ("o", "moderate"),
        ("o", "moderate", ("lam", (X,), (X,), (Y,))),
    ],
)  # fmt: skip
def test_sentences_of_another_form(sentence):
    with pytest.raises(Rejected):
        parse(plain(sentence))


def test_the_image_of_a_matrix_has_the_size_of_its_factor():
    p = ("o", "psd", ("tuple", X))
    for source in (p, ("tuple", X), ("tuple",), X, ("o", "integer", X)):
        for factor in ((), (X, X)):
            with pytest.raises(Rejected):
                prove("psd image", [], p, source, factor)
    asked = prove("psd image", [], p, ("tuple", Y), (X,)).hypotheses
    assert key(("<=", ("n", 0, 1), Y)) in asked
    assert key(defined(X)) in asked


# -- what is undefined, and does not show in the value ---------------------------------------------

HALF, INVERSE = num(1, 2), ("^", -1, 1, Z)


def arithmetic(p, hypotheses=(), premises=()):
    use = list(range(len(hypotheses) + len(premises)))
    return prove("arithmetic", list(premises), tuple(hypotheses), p, [40, [], use, []])


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
    assert key(defined(none)) in prove("no copies", [], none).hypotheses


@pytest.mark.parametrize("law", [NORMAL, ("gauss", 1, ZERO, ZERO)])
@pytest.mark.parametrize(
    "coefficient", [INVERSE, ("*", ZERO, INVERSE), ("f", "log", Z), ("^", 1, 2, Z)]
)
def test_a_gaussian_integral_asks_for_the_coefficients_of_its_form(law, coefficient):
    u = ("*", coefficient, X)
    e = ("f", "erf", u)
    for rule, body in (("gaussian integral", e), ("centred pair", ("*", e, e)),
                       ("gaussian integral", ("f", "exp", u))):  # fmt: skip
        given = prove(rule, [], mean(body, laws=(law,))).hypotheses
        assert key(defined(coefficient)) in given
        more = mean(body, (X, Y), (law, NORMAL))
        assert key(defined(coefficient)) in prove(rule, [], more).hypotheses


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


@pytest.mark.parametrize("exponent", [(3, 2), (5, 2), (4, 3)])
def test_terms_of_a_sum_have_derivatives_at_all_places(exponent):
    # The sum of (x + i)^(3/2), i = 0, 1, has no derivative at 0, where another i may be positive.
    p, q = exponent
    total = ("sum", (I,), (("^", p, q, ("+", X, I)),), (ZERO, ONE))
    slopes = ("sum", (I,), (("*", num(p, q), ("^", p - q, q, I)),), (ZERO, ONE))
    with pytest.raises(Rejected, match="differentiable"):
        arithmetic(("=", ("d", (1,), (X,), (total,), (ZERO,)), slopes), [("<", ZERO, I)])
    at_one = ("d", (1,), (X,), (total,), (ONE,))
    arithmetic(defined(at_one))


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
        arithmetic(defined(area))
    turned = ("d", (1,), (X,), (integral(Y, integrand, X, ZERO),), (ONE,))
    with pytest.raises(Rejected):
        arithmetic(defined(turned))


def test_the_fundamental_theorem_inside_of_the_domain():
    root = ("^", 1, 2, ("+", ONE, Y))
    area = ("d", (1,), (X,), (integral(Y, root, ZERO, X),), (HALF,))
    arithmetic(("=", area, ("^", 1, 2, num(3, 2))))


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
    known = arithmetic(defined(square))
    with pytest.raises(Rejected):
        arithmetic(("=", integral(X, slope), square), premises=[known])


# -- a sum of copies does not come under an expectation --------------------------------------------

EXISTS = prove("copies exist", [], SUM)
R_ = ("s", "r", "R")


def test_a_sum_of_copies_is_not_the_mean_of_its_square():
    # At the point S, E r r is S^2; put in for r, it would be E S^2.
    square = mean(("*", R_, R_))
    at = ("d", (0,), (R_,), (square,), (SUM,))
    caught = mean(("*", SUM, SUM))
    known = prove("integrable", [], caught)
    with pytest.raises(Rejected):
        arithmetic(("=", at, caught), premises=[known, EXISTS])


@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("value", RANDOM)
def test_the_derivative_of_an_expectation_is_at_no_random_point(order, value):
    node = ("d", (order,), (R_,), (mean(("*", R_, R_, X)),), (value,))
    with pytest.raises(Rejected, match="copies"):
        prove("derivative of expectation", [], node)


@pytest.mark.parametrize("value", RANDOM)
def test_zeta_of_a_sum_is_no_number(value):
    for arguments in ((value, ZERO), (ONE, value)):
        with pytest.raises(Rejected, match="random"):
            prove("definition", [], ("f", "zeta", *arguments))


@pytest.mark.parametrize("value", RANDOM)
def test_an_image_is_not_shifted_by_a_sum(value):
    node = mean(("f", "erf", X), laws=(("gauss", 1, Z, ONE),))
    for form in (("+", Y, value), ("*", value, Y)):
        with pytest.raises(Rejected, match="random"):
            prove("image", [], node, ("lam", (Y,), (form,), ()), (NORMAL,))


@pytest.mark.parametrize("value", RANDOM)
def test_functions_that_are_means_take_no_random_values(value):
    f = lambda t: ("u", "f", "R", (0,), t)  # noqa: E731
    said = arithmetic(defined(f(SUM)), premises=[EXISTS])
    for body in (mean(("*", X, R_)), mean(X, laws=(("gauss", 1, R_, ONE),))):
        with pytest.raises(Rejected, match="catch"):
            prove("instance", [said], ((("u", "f", "R", 1), ("lam", (R_,), (body,), ())),))
    slopes = [("d", (n,), (Y,), (mean(("*", X, Y)),), (Z,)) for n in (2, 1)]
    bend, slope = (prove("unchecked", [], "test", (), ("<=", ZERO, d)) for d in slopes)
    with pytest.raises(Rejected, match="catch"):
        prove("tangent", [bend], value, ONE)
    with pytest.raises(Rejected, match="catch"):
        prove("tangent", [bend], ONE, value)
    with pytest.raises(Rejected, match="catch"):
        prove("mean value", [slope], Z, ZERO, value)
    total = ("sum", (I,), (mean(("*", X, I)),), (ZERO, TWO))
    with pytest.raises(Rejected, match="catch"):
        prove("term of a sum", [], total, value)


@pytest.mark.parametrize("p", [10**70 + 33, 3 * (10**80 + 129), (10**60 + 7) ** 2])
def test_the_root_of_a_long_number_takes_no_time(p):
    # Its prime factors would take years.
    number = num(p * (10**75 + 129))
    arithmetic(("=", ("^", 2, 1, ("^", 1, 2, number)), number))
    with pytest.raises(Rejected):
        arithmetic(("=", ("^", 1, 2, number), number))
