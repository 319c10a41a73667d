"""The rules for expectations: what they give, and that slightly different data is refused."""

from __future__ import annotations

import pytest

from slrsym.checker import Rejected
from slrsym.checker.expectations import joint_moments, polynomial_coefficients
from slrsym.checker.term import canonical_key, definedness_equation, num
from slrsym.checker.theorem import apply_rule

X, Y, T = ("s", "X", "R"), ("s", "Y", "R"), ("s", "t", "R")
ZERO, ONE, TWO = num(0), num(1), num(2)
STANDARD = ("gauss", 1, ZERO, ONE)
NOISE = ("noise", ("s", "v", "R>0"))


def mean(body, names=(X,), laws=(STANDARD,)):
    return ("E", names, (body,), laws)


def erf(u):
    return ("f", "erf", u)


def conclusion(rule, *data, premises=()):
    return canonical_key(apply_rule(rule, premises, *data).conclusion)


@pytest.mark.parametrize(
    "body",
    [
        ("^", 2, 1, X),
        ("*", X, erf(("+", X, T))),
        ("f", "exp", ("*", num(-1), ("^", 2, 1, X))),
        ("f", "exp", ("*", T, X)),
        ("u", "f", "R", (2,), ("*", T, X)),
        ("d", (1,), (Y,), (erf(("*", X, Y)),), (X,)),
    ],
)
def test_moderate_functions_are_integrable(body):
    assert conclusion("integrable", mean(body)) == canonical_key(definedness_equation(mean(body)))


@pytest.mark.parametrize(
    "body",
    [
        ("^", -1, 1, X),
        ("^", 1, 2, X),
        ("f", "log", X),
        ("f", "exp", ("^", 3, 1, X)),
        ("f", "abs", X),
        ("u", "f", "R", (0,), ("^", 2, 1, X)),
        ("f", "exp", erf(X)),
    ],
)
def test_what_is_not_known_to_be_moderate_is_refused(body):
    with pytest.raises(Rejected):
        apply_rule("moderate", (), ("lam", (X,), (body,), ()))


def test_an_exponent_that_grows_is_an_obligation():
    theorem = apply_rule("integrable", (), mean(("f", "exp", ("^", 2, 1, X))))
    assert "(<= (n 0 1) (n -2 1))" in theorem.hypotheses or any(
        h[0] == "<=" for h in theorem.hypotheses.values()
    )


def test_a_law_has_to_exist():
    negative = ("gauss", 1, ZERO, num(-1))
    asked = apply_rule("integrable", (), mean(X, laws=(negative,))).hypotheses
    assert canonical_key(("<=", ZERO, num(-1))) in asked


def test_more_than_a_square_of_noise_is_refused():
    apply_rule("integrable", (), mean(("^", 2, 1, X), laws=(NOISE,)))
    for body in (("^", 3, 1, X), erf(X), ("*", X, ("^", 2, 1, X))):
        with pytest.raises(Rejected):
            apply_rule("integrable", (), mean(body, laws=(NOISE,)))


def test_linearity_needs_what_the_premise_says():
    node = mean(("+", X, T))
    said = ("=", ("+", X, T), ("+", ("*", ONE, X), ("*", T, ONE)))
    premise = apply_rule("logic", (), (said,), said)
    # A hypothesis that speaks of the variable is no equation for all its values.
    with pytest.raises(Rejected, match="contains X"):
        apply_rule("linear", [premise], node, (ONE, T), (X, ONE))
    free = ("=", ("+", T, T), ("*", TWO, T))
    premise = apply_rule("assume", (), free)
    good = apply_rule("linear", [premise], mean(("+", T, T)), (TWO,), (T,))
    assert good.conclusion[0] == "="
    with pytest.raises(Rejected):
        apply_rule("linear", [premise], mean(("+", T, T)), (num(3),), (T,))
    with pytest.raises(Rejected):
        apply_rule("linear", [premise], mean(("+", T, T)), (X,), (T,))


def test_a_sum_of_powers_of_noise_has_the_largest_degree():
    noise = ("noise", ONE)
    body = ("+", X, ("^", 2, 1, X), ("*", X, num(3)))
    apply_rule("integrable", [], ("E", (X,), (body,), (noise,)))
    with pytest.raises(Rejected, match="degree above 2"):
        apply_rule("integrable", [], ("E", (X,), (("*", X, body),), (noise,)))


@pytest.mark.parametrize("mine", [[], [0, 1], [0, 2], [-1], [5]])
def test_independence_needs_laws_that_are_there_on_both_sides(mine):
    node = ("E", (X, Y), (("*", X, Y),), (("gauss", 1, ZERO, ONE), ("gauss", 1, ZERO, ONE)))
    with pytest.raises(Rejected, match="none, all, or not there"):
        apply_rule("independent", [], node, [mine, [1]])


def test_independence_looks_at_the_laws_of_the_factors():
    node = mean(("*", X, erf(Y)), (X, Y), (STANDARD, STANDARD))
    assert "E" in conclusion("independent", node, [[0], [1]])
    for where in ([[1], [1]], [[0], [2]], [[0, 1], [1]], [[], [1]], [[0], []]):
        with pytest.raises(Rejected):
            apply_rule("independent", (), node, where)
    joint = mean(("*", X, Y), (X, Y), (("gauss", 2, ZERO, ZERO, ONE, T, T, ONE),))
    with pytest.raises(Rejected):
        apply_rule("independent", (), joint, [[0], [1]])


def test_an_image_has_the_moments_of_the_old_law():
    node = mean(erf(X), laws=(("gauss", 1, T, num(4)),))
    forms = ("lam", (Y,), (("+", T, ("*", TWO, Y)),), ())
    asked = apply_rule("image", (), node, forms, (STANDARD,)).hypotheses
    assert any("(n 4 1)" in k and k.startswith("(=") for k in asked)
    bent = ("lam", (Y,), (("^", 2, 1, Y),), ())
    with pytest.raises(Rejected, match="affine"):
        apply_rule("image", (), node, bent, (STANDARD,))


def test_steins_lemma_is_for_gaussian_variables():
    h = ("lam", (X,), (erf(X),), ())
    right = apply_rule("stein", (), mean(X), h, 0).conclusion[2]
    assert right[0] == "*"
    with pytest.raises(Rejected, match="not Gaussian"):
        apply_rule("stein", (), mean(X, laws=(NOISE,)), ("lam", (X,), (X,), ()), 0)
    with pytest.raises(Rejected):
        apply_rule("stein", (), mean(X), ("lam", (X,), (("f", "abs", X),), ()), 0)


def test_a_derivative_goes_inside_where_the_law_is_fixed():
    node = ("d", (1,), (T,), (mean(erf(("*", X, T))),), (Y,))
    assert apply_rule("derivative of expectation", (), node).conclusion[2][0] == "E"
    moving = ("d", (1,), (T,), (mean(erf(X), laws=(("gauss", 1, T, ONE),)),), (Y,))
    with pytest.raises(Rejected, match="law contains a variable"):
        apply_rule("derivative of expectation", (), moving)
    kink = ("d", (1,), (T,), (mean(("f", "abs", ("*", X, T))),), (Y,))
    with pytest.raises(Rejected):
        apply_rule("derivative of expectation", (), kink)


def test_a_density_needs_a_variance_that_does_not_vanish():
    law = ("gauss", 1, ZERO, ("s", "s", "R>=0"))
    asked = apply_rule("density", (), mean(X, laws=(law,))).hypotheses
    assert canonical_key(("<", ZERO, ("s", "s", "R>=0"))) in asked


COPIES = ("copies", (Y,), (("f", "erf", Y),), (("s", "n", "Z>=0"), STANDARD))


def test_independent_laws_together_have_a_square_covariance_matrix():
    pair = ("gauss", 2, ZERO, ONE, ONE, X, X, ONE)
    means, rows = joint_moments([STANDARD, pair, STANDARD])
    assert means == [ZERO, ZERO, ONE, ZERO]
    assert [len(row) for row in rows] == [4, 4, 4, 4]
    assert rows[1] == [ZERO, ONE, X, ZERO]


def test_long_integrands_are_too_much_work():
    signs = ("+", *[("f", "sign", X)] * 8000)
    with pytest.raises(Rejected, match="more work"):
        apply_rule("integrable", (), mean(signs))


def test_copies():
    more = apply_rule("one copy more", (), mean(("*", COPIES, COPIES)), COPIES)
    assert canonical_key(("<=", ONE, ("s", "n", "Z>=0"))) in more.hypotheses
    other = ("copies", (Y,), (("f", "erf", Y),), (("s", "m", "Z>=0"), STANDARD))
    with pytest.raises(Rejected, match="another sum"):
        apply_rule("one copy more", (), mean(("*", COPIES, other)), COPIES)
    with pytest.raises(Rejected, match="is a mean over copies"):
        apply_rule("one copy more", (), mean(mean(COPIES)), COPIES)
    # A mean over them beside them is a number.
    assert apply_rule("one copy more", (), mean(("+", COPIES, mean(COPIES, (X,)))), COPIES)
    assert apply_rule("moments of copies", (), mean(("^", 2, 1, COPIES))).conclusion[2][0] == "+"
    with pytest.raises(Rejected):
        apply_rule("moments of copies", (), mean(("^", 3, 1, COPIES)))
    k = ("s", "k", "Z")
    for other in (
        mean(Y, (Y,)),
        ("int", (Y,), (Y,), (ZERO, ONE)),
        ("sum", (k,), (k,), (ZERO, ONE)),
    ):
        with pytest.raises(Rejected, match="a sum of copies"):
            apply_rule("moments of copies", (), mean(("^", 2, 1, other)))
    with pytest.raises(Rejected, match="is not 0"):
        apply_rule("no copies", (), COPIES)


def test_polynomials():
    found = polynomial_coefficients(("^", 2, 1, ("+", X, ("*", T, Y))), (X, Y))
    assert set(found) == {(2, 0), (1, 1), (0, 2)}
    with pytest.raises(Rejected):
        polynomial_coefficients(("^", -1, 1, X), (X,))


RANDOM = ("copies", (Y,), (erf(Y),), (("s", "n", "Z>0"), STANDARD))


@pytest.mark.parametrize(
    ("rule", "data"),
    [
        ("independent", (mean(("*", ("*", X, RANDOM), ("*", Y, RANDOM)), (X, Y), (STANDARD,) * 2),
                         [[0], [1]])),
        ("fubini", (mean(("*", X, Y, RANDOM), (X, Y), (STANDARD,) * 2), 1)),
        ("density", (mean(("*", X, RANDOM)),)),
        ("derivative of expectation",
         (("d", (1,), (T,), (mean(("*", X, T, RANDOM)),), (T,)),)),
        ("constant", (mean(RANDOM),)),
    ],
)  # fmt: skip
def test_sums_of_copies_are_random(rule, data):
    with pytest.raises(Rejected):
        apply_rule(rule, (), *data)


def test_copies_on_one_side_are_independent_of_the_other():
    node = mean(("*", ("*", X, RANDOM), Y), (X, Y), (STANDARD,) * 2)
    assert "fubini" in apply_rule("independent", (), node, [[0], [1]]).axioms


def test_copies_may_be_supposed_to_exist_and_nothing_else():
    node = mean(X)
    for given, fits in (("=", True), ("<=", False), ("<", False), ("!=", False)):
        body = apply_rule("unchecked", (), "body", ((given, COPIES, COPIES),), ("=", X, T))
        if fits:
            assert apply_rule("equal bodies", (body,), node).conclusion == ("=", node, mean(T))
            continue
        with pytest.raises(Rejected, match="value of a sum of copies"):
            apply_rule("equal bodies", (body,), node)
