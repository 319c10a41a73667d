"""Ways through the kernel that the other tests do not go."""

from __future__ import annotations

import pytest

from slrsym.checker.expectations import law_moments
from slrsym.checker.term import Rejected, definedness_equation, is_same_term, num, parse_term
from slrsym.checker.theorem import apply_rule
from slrsym.prover.tactics.log_records import tuples_to_lists
from tests._profile import thorough
from tests.checker.terms import ONE, TWO, ZERO, I, J, N, X, Y, f, proved, total

T = ("s", "t", "R")


def shown(statement, hypotheses=(), size=12, use=()):
    return apply_rule("arithmetic", [], tuple(hypotheses), statement, [size, [], list(use), []])


def slope(body, at=X, name=T, order=1):
    return ("d", (order,), (name,), (body,), (at,))


def test_zeta_and_owens_by_what_they_stand_for():
    for name, head in (("zeta", "E"), ("owens", "*")):
        made = apply_rule("definition", [], ("f", name, X, Y))
        assert made.conclusion[1] == ("f", name, X, Y)
        assert made.conclusion[2][0] == head
        assert len(made.hypotheses) == 2
    for t in (("f", "erf", X), X):
        with pytest.raises(Rejected):
            apply_rule("definition", [], t)


def test_derivatives_of_sums_and_of_derivatives():
    square = ("^", 2, 1, T)
    summed = total(I, ("*", I, square), ONE, TWO)
    right = total(I, ("*", TWO, I, X), ONE, TWO)
    assert proved(("=", slope(summed), right)).conclusion[0] == "="
    cube = ("^", 3, 1, ("s", "v", "R"))
    inner = ("d", (1,), (("s", "v", "R"),), (cube,), (T,))
    assert shown(("=", slope(inner), ("*", num(6), X)))
    for body in (
        ("f", "max", T, ZERO),
        ("E", (("s", "g", "R"),), (T,), (("gauss", 1, ZERO, ONE),)),
    ):
        with pytest.raises(Rejected):
            shown(("=", slope(body), ONE))


def test_what_an_inner_derivative_drops_has_to_be_differentiable():
    # The root of -x^2 exists at 0 alone, so that nothing is differentiable in x there.
    v = ("s", "v", "R")
    alone = ("^", 1, 2, ("*", num(-1), ("^", 2, 1, T)))
    body = ("+", alone, ("*", v, T))
    inner = ("d", (1,), (v,), (body,), (ZERO,))
    both = [("d", (1, 1), names, (body,), (ZERO, ZERO)) for names in ((v, T), (T, v))]
    for node in (slope(inner, ZERO), *both):
        with pytest.raises(Rejected):
            shown(("=", node, ONE))
        asked = apply_rule("derivative", [], node).hypotheses.values()
        assert any(h[0] == "<" and h[1] == ZERO for h in asked)


def test_roots_of_quotients_and_of_zero():
    root = lambda t: ("^", 1, 2, t)  # noqa: E731
    inverse = lambda t: ("^", -1, 1, t)  # noqa: E731
    assert shown(("=", root(ZERO), ZERO))
    below = ("+", num(-1), ("*", num(-1), ("^", 2, 1, X)))
    quotient = ("*", num(-1), inverse(below))
    assert shown(("<=", ZERO, root(quotient)))
    with pytest.raises(Rejected):
        shown(definedness_equation(root(inverse(X))))
    with pytest.raises(Rejected):
        shown(definedness_equation(root(num(-2))))
    # An exponent with a root below.
    half = ("f", "exp", inverse(root(Y)))
    assert shown(("=", ("^", 2, 1, half), ("f", "exp", ("*", TWO, inverse(root(Y)))))) is not None


def test_what_is_defined_under_a_sum_alone_is_asked_for_outside():
    # Between the ends of the sum, i is not negative; outside, x may be.
    root = ("^", 1, 2, X)
    summed = total(I, ("*", I, root), ONE, TWO)
    with pytest.raises(Rejected):
        shown(definedness_equation(summed))
    with pytest.raises(Rejected):
        shown(definedness_equation(total(I, ("f", "log", X), ONE, TWO)))


def test_no_derivative_of_a_function_that_is_a_claim():
    for name in ("zeta", "owens"):
        with pytest.raises(Rejected, match="cite it"):
            apply_rule("derivative", [], slope(("f", name, T, Y)))
    with pytest.raises(Rejected):
        shown(("o", "moderate", ("lam", (T,), (f(T, T),), ())))
    assert is_same_term(
        shown(("o", "integer", ("+", I, TWO))).conclusion, ("o", "integer", ("+", I, TWO))
    )
    with pytest.raises(Rejected):
        shown(("o", "integer", X))


# -- faults of a letter that no other test noticed ------------------------------------------------


def test_the_density_is_the_normal_one():
    v = ("s", "v", "R>0")
    made = apply_rule("density", [], ("E", (X,), (X,), (("gauss", 1, ZERO, v),))).conclusion[2]
    assert made[2][0][1] == ("^", -1, 2, ("*", TWO, ("pi",), v))


def test_a_covariance_is_read_row_by_row():
    law = ("gauss", 2, ZERO, ONE, num(3), num(4), num(5), num(6))
    assert law_moments(law) == ((ZERO, ONE), [(num(3), num(4)), (num(5), num(6))])


def test_a_root_of_a_power_is_a_power_of_the_root():
    assert shown(("=", ("^", 2, 3, Y), ("^", 1, 3, ("^", 2, 1, Y))))
    with pytest.raises(Rejected):
        shown(("=", ("*", TWO, ("^", 1, 3, Y)), ("^", 1, 3, ("^", 2, 1, Y))))


def test_a_quotient_of_unknown_signs_has_none():
    z = ("s", "z", "R!=0")
    for a, b in ((X, z), (("*", X, Y), z)):
        with pytest.raises(Rejected):
            shown(("<=", ("*", a, ("^", -1, 1, b)), ZERO))


def test_an_end_of_the_name_of_the_variable_is_another_thing():
    v = ("s", "v", "R")
    with pytest.raises(Rejected, match="contains the bound variable"):
        apply_rule("derivative", [], slope(("int", (v,), (("*", T, v),), (ZERO, v))))


# -- sums -----------------------------------------------------------------------------------------

K = ("s", "k", "Z")


def of(name, *indices):
    return ("ix", name, "R", *indices)


def test_a_sum_of_terms_above_0_is_above_0_if_there_is_a_term():
    some, none = ("s", "m", "Z>0"), ("s", "m", "Z>=0")
    for end, accepted in ((some, True), (none, False)):
        positive = total(I, ("f", "exp", of("a", I)), ONE, end)
        if accepted:
            assert proved(("<", ZERO, positive))
        else:
            with pytest.raises(Rejected):
                proved(("<", ZERO, positive), effort=15_000)


@pytest.mark.parametrize(
    "make",
    [
        lambda j: of("b", j),
        thorough(lambda j: ("f", "erf", of("b", j))),
        lambda j: ("f", "exp", of("b", j)),
        thorough(lambda j: ("*", ("pi",), total(K, ("*", of("b", j), of("c", K)), ONE, N))),
    ],
)
def test_a_sum_is_taken_out_of_another(make):
    inner = total(J, ("*", make(J), of("a", I)), ONE, TWO)
    assert proved(definedness_equation(total(I, inner, ONE, TWO)))


def test_what_may_be_undefined_is_not_taken_out_of_a_sum():
    # For k = n + 1 the outer sums are empty, and the sum from n + 1 to k - 1 runs backwards.
    inner = total(J, of("b", J), ("+", N, TWO), K)
    outer = total(I, ("*", of("a", I), inner), ("+", N, ONE), K)
    given = (("<=", N, K), ("<=", ZERO, N))
    assert proved(definedness_equation(total(I, of("a", I), ("+", N, ONE), K)), given)
    with pytest.raises(Rejected):
        proved(definedness_equation(outer), given)
    for make in (lambda j: ("^", 1, 2, of("b", j)), lambda j: ("^", -1, 1, of("b", j)),
                 lambda j: ("f", "log", of("b", j))):  # fmt: skip
        hidden = total(I, ("*", of("a", I), total(J, make(J), ONE, TWO)), ONE, N)
        with pytest.raises(Rejected):
            proved(definedness_equation(hidden), effort=15_000)


def test_a_root_of_an_exponential_is_one_of_half_the_exponent():
    half = ("f", "exp", ("*", num(1, 2), X))
    assert proved(("=", ("^", 1, 2, ("f", "exp", X)), half))
    with pytest.raises(Rejected):
        proved(("=", ("^", 1, 2, ("f", "exp", X)), ("f", "exp", X)), effort=15_000)


# -- one way each ----------------------------------------------------------------------------------


def root(t):
    return ("^", 1, 2, t)


def test_a_root_that_comes_out_of_a_sum():
    square = ("^", 2, 1, I)
    count = ("s", "m", "Z>0")
    wanted = ("=", total(I, root(("*", TWO, square)), ONE, count),
              ("*", root(TWO), total(I, I, ONE, count)))  # fmt: skip
    assert proved(wanted)


def test_arcs_that_are_known():
    sixth = ("*", num(1, 6), ("pi",))
    assert shown(("=", ("f", "asin", num(1, 2)), sixth))
    assert shown(("=", ("f", "atan", num(-1)), ("*", num(-1, 4), ("pi",))))
    assert shown(definedness_equation(("f", "asin", num(1, 3))))
    for number in (num(1, 3), num(1)):
        with pytest.raises(Rejected):
            shown(("=", ("f", "asin", number), sixth))


def test_values_that_are_known():
    zero, one = ("+", X, ("*", num(-1), X)), ("*", TWO, num(1, 2))
    for name, at, value, other in (
        ("cos", zero, ONE, ZERO), ("cosh", zero, ONE, ZERO), ("log", one, ZERO, ONE),
    ):  # fmt: skip
        assert shown(("=", ("f", name, at), value))
        for wrong in (("=", ("f", name, at), other), ("=", ("f", name, TWO), value)):
            with pytest.raises(Rejected):
                shown(wrong)


def test_a_premise_that_is_no_slope_of_the_table():
    line = apply_rule("assume", [], ("=", slope(f(T, T)), ZERO))
    free_line = apply_rule(
        "logic", [apply_rule("unchecked", [], "u", (), line.conclusion)], (), line.conclusion
    )
    assert apply_rule("arithmetic", [free_line], (), ("=", X, X), [4, [], [], []])


def test_sums_compare_as_their_terms():
    bound = apply_rule("unchecked", [], "u", (), ("<", of("a", I), of("b", I)))
    node = total(I, of("a", I), ONE, N)
    made = apply_rule("under", [bound], node)
    assert made.conclusion == ("<", node, total(I, of("b", I), ONE, N))
    assert ("<=", ONE, N) in made.hypotheses.values()
    weak = apply_rule("unchecked", [], "u", (), ("<=", of("a", I), of("b", I)))
    made = apply_rule("under", [weak], node)
    assert made.conclusion == ("<=", node, total(I, of("b", I), ONE, N))
    assert ("<=", ONE, ("+", N, ONE)) in made.hypotheses.values()


def test_an_image_that_is_plain():
    v = ("s", "v", "R")
    made = apply_rule("psd image", [], ("o", "psd", ("tuple", v)), ("tuple", v), (ONE,))
    assert list(made.hypotheses.values()) == [("<=", ZERO, v)]


def test_steins_lemma_has_no_term_for_a_covariance_of_0():
    law = ("gauss", 2, ZERO, ZERO, TWO, ZERO, ZERO, ONE)
    y = ("s", "y", "R")
    made = apply_rule(
        "stein", [], ("E", (X, y), (ONE,), (law,)), ("lam", (X, y), (f(X, y),), ()), 0
    )
    slope_in_x = ("d", (1, 0), (X, y), (f(X, y),), (X, y))
    assert made.conclusion[2] == ("*", TWO, ("E", (X, y), (slope_in_x,), (law,)))


def test_the_mean_of_a_sum_of_copies():
    law = ("gauss", 1, ONE, ONE)
    copies = ("copies", (X,), (X,), (N, law))
    other = ("s", "z", "R")
    node = ("E", (other,), (copies,), (("gauss", 1, ZERO, ONE),))
    made = apply_rule("moments of copies", [], node)
    assert made.conclusion == ("=", node, ("*", N, ("E", (X,), (X,), (law,))))
    assert made.axioms == {"fubini", "induction"}


def test_what_has_no_rule_of_the_kernel():
    with pytest.raises(Rejected, match="not known to be moderate"):
        apply_rule("moderate", [], ("lam", (X,), (total(I, X, ONE, TWO),), ()))
    g, law = ("s", "g", "R"), ("gauss", 1, ZERO, ONE)
    at = lambda x: ("E", (g,), (("*", g, x),), (law,))  # noqa: E731
    with pytest.raises(Rejected, match="no derivative of E"):
        apply_rule("derivative", [], slope(at(T)))


# -- more faults that no other test noticed --------------------------------------------------------


def test_an_absolute_value_is_not_the_number():
    size = ("f", "abs", X)
    for p in (("=", size, X), ("<=", size, X), ("=", size, ("*", num(-1), X))):
        with pytest.raises(Rejected):
            proved(p, effort=9_000)
    quotient = ("*", X, ("^", -1, 1, ("s", "z", "R!=0")))
    with pytest.raises(Rejected):
        proved(("<=", ("f", "abs", quotient), quotient), effort=9_000)


def test_a_root_is_below_a_number_whose_square_is_above_if_that_is_not_negative():
    less, goal = ("<=", Y, ("^", 2, 1, X)), ("<=", root(Y), X)
    assert proved(goal, (less, ("<=", ZERO, X)))
    with pytest.raises(Rejected):
        proved(goal, (less,), effort=15_000)


def test_how_many_formulas_a_connective_takes():
    p, q = ("<", X, Y), ("=", X, Y)
    for made in (("iff", p, q), ("implies", p, q), ("not", p)):
        assert parse_term(tuples_to_lists(made)) == made
    for made in (("iff", p, q, p), ("implies", p, q, p), ("not", p, q), ("iff", p), ("and",)):
        with pytest.raises(Rejected):
            parse_term(tuples_to_lists(made))


def test_an_absolute_value_by_the_sign_of_what_stands_between_the_bars():
    size = ("f", "abs", X)
    for given, value in ((("<=", ZERO, X), X), (("<=", X, ZERO), ("*", num(-1), X))):
        assert shown(("=", size, value), [given], use=[0])
        with pytest.raises(Rejected):
            shown(("=", size, ("*", num(-1), value)), [given], use=[0])


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ("exp", "no product of exponentials"), ("tangent", "no product of exponentials"),
        ("root", "no square root"), ("inverse", "no value of an odd increasing function"),
        ("increasing", "not values of one function"),
    ],
)  # fmt: skip
def test_a_table_says_of_which_generators_it_is(table, why):
    # Of pi, which has no data.
    entry = [table, [["1", 0, 1]], [["1", 0, 1]]]
    answer = ["<", [["1", 0, 1], ["-4"]], [entry]]
    with pytest.raises(Rejected, match=why):
        apply_rule("arithmetic", [], (), ("<", ("pi",), num(4)), [1, [], [], [answer]])


@pytest.mark.parametrize("sign", [1, -1])
def test_a_root_is_above_both_numbers_of_a_smaller_square(sign):
    # The entry is of x, which may be negative; it says as much of -x.
    larger = root(("+", ("^", 2, 1, X), ("s", "p", "R>0")))
    answer = ["<", [[str(sign), 0, 1], ["-1", 2, 1]], [["root", [["1", 2, 1]], [["1", 0, 1]]]]]
    goal = ("<", ("*", num(sign), X), larger)
    assert apply_rule("arithmetic", [], (), goal, [3, [], [], [answer]])
    with pytest.raises(Rejected, match="not known to compare"):
        apply_rule("arithmetic", [], (), goal, [3, [], [], []])


def test_a_quotient_whose_denominator_has_no_sign_left_is_multiplied_out():
    # Nothing satisfies these facts; the rule goes on as with any sign that is not a single one.
    r = root(("s", "w", "R>=0"))
    more, less = ("+", ONE, r), ("+", ONE, ("*", num(-1), r))
    negative = ("<", ("*", less, ("^", -1, 1, more)), ZERO)
    assert shown(("<", ONE, r[3]), [("=", more, ZERO), negative], use=[0, 1])


@pytest.mark.parametrize("end", [("oo",), ("-oo",)])
def test_an_infinite_end_is_no_derivative_of_an_expectation(end):
    with pytest.raises(Rejected, match="no first derivative"):
        apply_rule("price", [], end)
