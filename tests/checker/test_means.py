"""Theorems about means and the table of integrals: what they say, and what they refuse."""

from __future__ import annotations

import random
from math import asin, erf, exp, pi, sqrt

import numpy as np
import pytest

from slrsym.checker import Rejected
from slrsym.checker.differentiation import square_term
from slrsym.checker.term import canonical_key, num
from slrsym.checker.theorem import apply_rule

X, Y, R, V = ("s", "x", "R"), ("s", "y", "R"), ("s", "r", "R"), ("s", "v", "R")
ZERO, ONE = num(0), num(1)
SHIFTED, MINUS = ("gauss", 1, num(1, 3), num(4, 5)), num(-2, 7)


def mean(body, names=(X,), law=SHIFTED):
    return ("E", names, (body,), (law,))


def pair(body, r=MINUS):
    return mean(body, (X, Y), ("gauss", 2, ZERO, ZERO, ONE, r, r, ONE))


def value(t):
    """The number that a closed term stands for."""
    head, rest = t[0], t[1:]
    if head == "n":
        return rest[0] / rest[1]
    if head == "pi":
        return pi
    if head == "+":
        return sum(map(value, rest))
    if head == "*":
        product = 1.0
        for part in rest:
            product *= value(part)
        return product
    if head == "^":
        return value(rest[2]) ** (rest[0] / rest[1])
    return {"erf": erf, "exp": exp, "asin": asin}[rest[0]](value(rest[1]))


def f(name, *arguments):
    return ("f", name, *arguments)


M, S2 = 1 / 3, 4 / 5
FORM = ("+", ("*", num(2), X), num(-1))
A, W = 2 * M - 1, 4 * S2


@pytest.mark.parametrize(
    ("body", "number"),
    [
        (f("erf", FORM), erf(A / sqrt(1 + 2 * W))),
        (f("sign", FORM), erf(A / sqrt(2 * W))),
        (f("abs", FORM), A * erf(A / sqrt(2 * W)) + sqrt(2 * W / pi) * exp(-(A**2) / 2 / W)),
        (f("exp", FORM), exp(A + W / 2)),
        (
            f("exp", ("+", ("*", num(-3, 2), ("^", 2, 1, X)), X)),
            exp((-1.5 * M**2 + M + S2 / 2) / (1 + 3 * S2)) / sqrt(1 + 3 * S2),
        ),
    ],
)
def test_integrals_of_the_table(body, number):
    theorem = apply_rule("gaussian integral", [], mean(body))
    assert value(theorem.conclusion[2]) == pytest.approx(number, rel=1e-12)


@pytest.mark.parametrize(
    ("first", "second", "number"),
    [
        ("sign", "sign", 2 / pi * asin(-2 / 7)),
        ("erf", "erf", 2 / pi * asin(-4 / 21)),
        ("erf", "sign", 2 / pi * asin(-4 / 7 / sqrt(6))),
        ("abs", "abs", 2 / pi * (sqrt(45) / 7 - 2 / 7 * asin(-2 / 7))),
    ],
)
def test_centred_pairs(first, second, number):
    theorem = apply_rule("centred pair", [], pair(("*", f(first, X), f(second, Y))))
    assert value(theorem.conclusion[2]) == pytest.approx(number, rel=1e-12)


def rational(rng, low, high):
    return num(rng.randint(int(60 * low), int(60 * high)), 60)


def quadratic(rng):
    """E exp(a x^2 + 2 h x y + b y^2 + c) under a centred pair, and the matrices of both."""
    roots = [[rational(rng, -1, 1) for _ in range(2)] for _ in range(2)]
    rows = [[("+", *(("*", p, q) for p, q in zip(r, s, strict=True))) for s in roots]
            for r in roots]  # fmt: skip
    a, b, h, c = (rational(rng, -1, 1) for _ in range(4))
    form = ("+", ("*", a, square_term(X)), ("*", num(2), h, X, Y), ("*", b, square_term(Y)), c)
    node = mean(f("exp", form), (X, Y), ("gauss", 2, ZERO, ZERO, *rows[0], *rows[1]))
    numbers = [[[value(t) for t in row] for row in m] for m in (roots, [[a, h], [h, b]])]
    return node, np.array(numbers[0]), np.array(numbers[1]), value(c)


@pytest.mark.parametrize("seed", range(40))
def test_exponentials_of_quadratic_forms(seed):
    node, root, form, constant = quadratic(random.Random(seed))
    theorem = apply_rule("gaussian integral", [], node)
    asked = [value(h[2]) for h in theorem.hypotheses.values() if h[:2] == ("<", ZERO)]
    # The law is that of `root` g, so that the form is one of g.
    left = np.eye(2) - 2 * root.T @ form @ root
    eigenvalues = np.linalg.eigvalsh(left)
    assert len(asked) == 2
    assert (min(asked) > 0) == (min(eigenvalues) > 0)
    if min(eigenvalues) > 0.3:
        x, w = np.polynomial.hermite_e.hermegauss(80)
        g = root @ np.array([x.repeat(80), np.tile(x, 80)])
        weights = np.outer(w, w).ravel() / (2 * pi)
        number = weights @ np.exp(np.einsum("in,ij,jn->n", g, form, g) + constant)
        assert value(theorem.conclusion[2]) == pytest.approx(number, rel=1e-6)


def test_exponentials_of_pairs_that_are_not_centred():
    law = ("gauss", 2, ZERO, A_MEAN, ONE, MINUS, MINUS, ONE)
    theorem = apply_rule("gaussian integral", [], mean(f("exp", square_term(X)), (X, Y), law))
    assert canonical_key(("=", A_MEAN, ZERO)) in theorem.hypotheses
    assert any(h[:2] == ("o", "psd") for h in theorem.hypotheses.values())
    for form in (("+", square_term(X), Y), ("+", square_term(Y), X), ("*", X, square_term(Y))):
        with pytest.raises(Rejected):
            apply_rule("gaussian integral", [], pair(f("exp", form)))
    two = ("E", (X, Y), (f("exp", ("*", X, Y)),), (("gauss", 1, ZERO, ONE),) * 2)
    with pytest.raises(Rejected, match="common Gaussian law"):
        apply_rule("gaussian integral", [], two)


A_MEAN = num(1, 9)
COPIES = ("copies", (Y,), (Y,), (num(3), ("gauss", 1, ZERO, ONE)))


@pytest.mark.parametrize(
    ("rule", "node"),
    [
        ("gaussian integral", mean(f("sin", X))),
        ("gaussian integral", mean(f("erf", ("^", 2, 1, X)))),
        ("gaussian integral", mean(f("exp", ("^", 3, 1, X)))),
        ("gaussian integral", mean(f("abs", ("+", X, COPIES)))),
        ("gaussian integral", mean(f("sign", X), law=("noise", ONE))),
        ("centred pair", pair(("*", f("abs", X), f("sign", Y)))),
        ("centred pair", pair(("*", f("erf", X), f("erf", Y), f("erf", X)))),
        ("integrable", mean(f("exp", ("^", 4, 1, X)))),
        ("integrable", mean(("^", -1, 1, f("abs", X)))),
        ("integrable", mean(f("exp", ("+", ("^", 4, 1, X), ("^", 3, 1, X))))),
        ("price", ("d", (2,), (R,), (pair(("*", X, Y), R),), (R,))),
        ("price", ("d", (1,), (R,), (pair(("*", X, Y, R), R),), (R,))),
        ("poincare", mean(f("abs", X))),
        ("poincare", mean(("+", X, COPIES))),
        ("gaussian integral", mean(f("exp", ("+", X, COPIES)))),
        ("centred pair", pair(("*", f("sign", ("+", X, COPIES)), f("sign", Y)))),
        ("price", ("d", (1,), (R,), (pair(("*", X, Y, COPIES), R),), (R,))),
    ],
)
def test_what_is_not_in_it_is_refused(rule, node):
    with pytest.raises(Rejected):
        apply_rule(rule, [], node)


def test_what_is_asked_for():
    variance = ("gauss", 1, ZERO, V)
    integral = apply_rule("gaussian integral", [], mean(f("sign", X), law=variance))
    assert any(h[:2] == ("<", ZERO) for h in integral.hypotheses.values())
    shifted = apply_rule("centred pair", [], mean(("*", f("erf", X), f("erf", X))))
    assert any(h[0] == "=" and h[2] == ZERO for h in shifted.hypotheses.values())
    price = apply_rule("price", [], ("d", (1,), (R,), (pair(("*", X, Y), R),), (R,)))
    assert sum(h[0] == "<" for h in price.hypotheses.values()) == 2


def test_convex_functions():
    square = ("d", (2,), (Y,), (("^", 2, 1, Y),), (R,))
    bend = apply_rule("assume", [], ("<=", ZERO, square))
    with pytest.raises(Rejected, match="contains the variable"):
        apply_rule("jensen", [bend], mean(X))
    with pytest.raises(Rejected, match="contains the variable"):
        apply_rule("tangent", [bend], ZERO, X)
    constant = apply_rule("assume", [], ("<=", ZERO, ONE))
    with pytest.raises(Rejected, match="sign of a second derivative"):
        apply_rule("jensen", [constant], mean(X))


def test_schwarz_is_of_one_law():
    with pytest.raises(Rejected, match="same laws"):
        apply_rule("cauchy-schwarz", [], mean(X), mean(X, law=("gauss", 1, ZERO, ONE)))
    with pytest.raises(Rejected, match=r"other variables|contains copies"):
        apply_rule("cauchy-schwarz", [], mean(X), mean(COPIES))


# -- what each rule concludes, and from what ------------------------------------------------------


def asked(theorem):
    return set(map(canonical_key, theorem.hypotheses.values()))


@pytest.mark.parametrize(
    "body",
    [
        f("abs", X),
        ("*", f("sign", X), f("max", X, ONE)),
        ("^", 3, 1, ("+", f("abs", X), f("sin", X))),
        ("^", 1, 1, f("abs", X)),
        f("exp", f("abs", X)),
        ("+", X, f("exp", ("*", num(2), f("abs", ("+", X, ONE))))),
    ],
)
def test_what_grows_slowly_has_a_mean(body):
    theorem = apply_rule("integrable", [], mean(body))
    assert theorem.conclusion == ("=", mean(body), mean(body))
    assert theorem.axioms == {"gaussian-moments"}


def test_a_logarithm_has_a_mean_if_it_is_not_negative():
    u = ("+", ("^", 2, 1, X), ONE)
    theorem = apply_rule("integrable", [], mean(f("log", u)))
    assert canonical_key(("forall", (X,), (("<=", ONE, u),), ())) in asked(theorem)
    for body in (f("atan", f("log", X)), f("sinh", u), f("tanh", f("abs", X)), f("asin", X),
                 f("zeta", f("abs", X), X)):  # fmt: skip
        with pytest.raises(Rejected):
            apply_rule("integrable", [], mean(body))


def test_signs_and_maxima():
    made = apply_rule("sign", [], X)
    assert [side[2][2] for side in made.conclusion[1:]] == [ONE, ZERO, num(-1)]
    made = apply_rule("maximum", [], X, Y)
    for _, left, right in made.conclusion[1:]:
        assert left == ("f", "max", X, Y)
        assert right[:2] == ("*", num(1, 2))
        a, b, (_, name, away) = right[2][1:]
        assert (a, b, name) == (X, Y, "abs")
        assert away in [("+", p, ("*", num(-1), q)) for p, q in ((X, Y), (Y, X))]
    n = ("s", "n", "Z")
    made = apply_rule("integers apart", [], n, 3)
    assert made.conclusion == ("or", ("<=", n, num(3)), ("<=", num(4), n))
    assert asked(made) == {canonical_key(("o", "integer", n))}
    for data in ((X, 1.5), (("<", X, Y), 1)):
        with pytest.raises(Rejected):
            apply_rule("integers apart", [], *data)


def curved(shape):
    """The sign of the second derivative of z^4 at t >= 0, on trust; and z^4."""
    z, at = ("s", "z", "R"), ("s", "t", "R>=0")
    second = ("d", (2,), (z,), (("^", 4, 1, z),), (at,))
    sides = (ZERO, second) if shape == "convex" else (second, ZERO)
    return apply_rule("unchecked", [], "curved", (), ("<=", *sides)), lambda u: ("^", 4, 1, u)


@pytest.mark.parametrize("shape", ["convex", "concave"])
def test_tangents_lie_on_one_side(shape):
    line, power = curved(shape)
    made = apply_rule("tangent", [line], X, Y)
    tangent, value = made.conclusion[1:] if shape == "convex" else made.conclusion[:0:-1]
    assert value == power(Y)
    assert tangent[:2] == ("+", power(X))
    assert asked(made) == {canonical_key(("<=", ZERO, X)), canonical_key(("<=", ZERO, Y))}


@pytest.mark.parametrize("shape", ["convex", "concave"])
def test_jensen_says_which_mean_is_larger(shape):
    line, power = curved(shape)
    node = mean(square_term(X))
    made = apply_rule("jensen", [line], node)
    low, high = made.conclusion[1:] if shape == "convex" else made.conclusion[:0:-1]
    assert low == power(node)
    assert high == mean(power(square_term(X)))
    assert canonical_key(("forall", (X,), (("<=", ZERO, square_term(X)),), ())) in asked(made)


def test_schwarz_and_poincare():
    first, second = mean(X), mean(square_term(X))
    made = apply_rule("cauchy-schwarz", [], first, second)
    bound = ("*", mean(square_term(X)), mean(square_term(square_term(X))))
    assert made.conclusion == ("<=", square_term(mean(("*", X, square_term(X)))), bound)
    assert len(asked(made)) == 3
    made = apply_rule("poincare", [], first)
    slope = ("d", (1,), (X,), (X,), (X,))
    assert made.conclusion[2] == ("*", num(4, 5), mean(("*", slope, slope)))
    assert "gaussian-poincare" in made.axioms


def test_the_two_entries_for_a_covariance_need_not_be_one_object():
    other = ("s", "".join("r"), "R")
    law = ("gauss", 2, ZERO, ZERO, ONE, ("*", num(1, 2), R), ("*", num(1, 2), other), ONE)
    apply_rule("price", [], ("d", (1,), (R,), (mean(("*", X, Y), (X, Y), law),), (num(1, 3),)))


def test_price_in_a_mean_and_in_a_variance():
    law = ("gauss", 1, ("*", num(2), R), ("+", R, ONE))
    at = ("s", "a", "R")
    made = apply_rule("price", [], ("d", (1,), (R,), (mean(f("sin", X), law=law),), (at,)))
    total = made.conclusion[2]
    assert total[0] == "+"
    assert [len(part[1:]) for part in total[1:]] == [2, 3]
    assert canonical_key(("<", ZERO, ("+", at, ONE))) in asked(made)
