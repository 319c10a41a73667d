"""Inferences that would make false theorems: names that are caught, and what is random.

Each was accepted once, or is a near variant of one that was.
"""

from __future__ import annotations

import pytest

from slrsym.checker.term import Rejected, canonical_key, definedness_equation, num, parse_term
from slrsym.checker.theorem import apply_rule
from slrsym.prover.tactics.log_records import tuples_to_lists
from tests.checker.attack_terms import HALF, SUM, X, Y, Z, arithmetic
from tests.checker.terms import NORMAL, ONE, TWO, ZERO, I, assume, mean


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
