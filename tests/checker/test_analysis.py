"""Slopes, the fundamental theorem, parts of ranges: what the rules give, and what they refuse."""

from __future__ import annotations

import mpmath
import pytest

from slrsym.checker import Rejected
from slrsym.checker.term import canonical_key, num
from slrsym.checker.theorem import apply_rule
from tests.checker.terms import fn
from tests.checker.test_numbers import VALUES, value

X, Y, A, B = ("s", "x", "R"), ("s", "y", "R"), ("s", "a", "R"), ("s", "b", "R")
I, N, P = ("s", "i", "Z"), ("s", "n", "Z>0"), ("s", "p", "Z")  # noqa: E741
ZERO, ONE = num(0), num(1)


def slope(f, point=X):
    """The derivative at a point of a function of y."""
    return ("d", (1,), (Y,), (f,), (point,))


def trusted(p, *given):
    return apply_rule("unchecked", (), "a test", tuple(given), p)


def between(p):
    return trusted(p, ("<=", A, X), ("<=", X, B))


def hypotheses(theorem):
    return set(theorem.hypotheses)


# -- the table of derivatives ---------------------------------------------------------------------

GAUSSIANS = {
    "erf_prime": lambda u: 2 / mpmath.sqrt(mpmath.pi) * mpmath.exp(-u * u),
    "erf_second": lambda u: -4 * u / mpmath.sqrt(mpmath.pi) * mpmath.exp(-u * u),
}


@pytest.mark.parametrize("name", sorted({*VALUES, *GAUSSIANS} - {"owens"}))
@pytest.mark.parametrize("point", [num(3, 7), num(-3, 7)])
def test_slopes_of_the_table_are_those_of_the_functions(name, point, monkeypatch):
    for other, function in GAUSSIANS.items():
        monkeypatch.setitem(VALUES, other, function)
    _, _, found = apply_rule("derivative", [], slope(fn(name, Y), point)).conclusion
    if name == "log" and point[1] < 0:
        return
    with mpmath.workdps(30):
        assert mpmath.almosteq(value(found), mpmath.diff(VALUES[name], value(point)), 1e-12)


def test_a_first_power_has_the_slope_of_its_base():
    _, _, found = apply_rule("derivative", [], slope(("^", 1, 1, Y))).conclusion
    assert value(found) == 1


# -- the mean value theorem -----------------------------------------------------------------------


def test_slopes_compare_differences():
    line = apply_rule("mean value", [between(("<=", ZERO, slope(fn("erf", Y))))], X, A, B)
    left, right = ("+", ("*", ZERO, B), fn("erf", A)), ("+", fn("erf", B), ("*", ZERO, A))
    assert canonical_key(line.conclusion) == canonical_key(("<=", left, right))
    assert hypotheses(line) == {canonical_key(("<=", A, B))}
    assert "mean-value-theorem" in line.axioms


def test_strict_slopes_ask_for_two_points():
    line = apply_rule("mean value", [between(("<", ZERO, slope(fn("erf", Y))))], X, A, B)
    assert line.conclusion[0] == "<"
    assert canonical_key(("<", A, B)) in hypotheses(line)


@pytest.mark.parametrize(
    ("premise", "data"),
    [
        # Something else is supposed of x.
        (trusted(("<=", ZERO, slope(Y)), ("<", ZERO, X)), (X, A, B)),
        (trusted(("<=", ZERO, slope(Y)), ("!=", X, ONE)), (X, A, B)),
        # The range of other points.
        (between(("<=", ZERO, slope(Y))), (X, A, ONE)),
        # The function itself depends on x; the slope is no derivative at x; of second order.
        (between(("<=", ZERO, slope(("*", X, Y)))), (X, A, B)),
        (between(("<=", ZERO, ("*", X, X))), (X, A, B)),
        (between(("<=", ZERO, slope(Y, ("^", 2, 1, X)))), (X, A, B)),
        (between(("<=", ZERO, ("d", (2,), (Y,), (Y,), (X,)))), (X, A, B)),
        # Differences say nothing; an end that moves with x; an end that is no number.
        (between(("!=", ZERO, slope(Y))), (X, A, B)),
        (trusted(("<=", ZERO, slope(Y))), (X, ZERO, ("*", num(2), X))),
        (trusted(("<=", ZERO, slope(Y))), (X, ZERO, ("oo",))),
        # Integers, and the numbers that are not 0, make no interval.
        (trusted(("<=", ZERO, slope(Y, P))), (P, ZERO, ONE)),
        (trusted(("<", slope(("^", -1, 1, Y), ("s", "x", "R!=0")), ZERO)),
         (("s", "x", "R!=0"), num(-1), ONE)),
    ],
)  # fmt: skip
def test_slopes_that_say_nothing_are_refused(premise, data):
    with pytest.raises(Rejected):
        apply_rule("mean value", [premise], *data)


def test_between_positive_numbers_both_points_are_positive():
    z = ("s", "z", "R>0")
    line = apply_rule(
        "mean value", [trusted(("<", slope(("^", -1, 1, Y), z), ZERO))], z, num(-1), ONE
    )
    assert canonical_key(("<", ZERO, num(-1))) in hypotheses(line)


# -- the fundamental theorem ----------------------------------------------------------------------


def test_the_integral_of_a_derivative():
    node = ("int", (X,), (slope(fn("erf", Y)),), (A, B))
    line = apply_rule("fundamental theorem", [between(("=", *[slope(fn("erf", Y))] * 2))], node)
    assert canonical_key(line.conclusion[2]) == canonical_key(
        ("+", fn("erf", B), ("*", num(-1), fn("erf", A)))
    )
    assert hypotheses(line) == {canonical_key(("=", node, node)), canonical_key(("<=", A, B))}


def line_integral(f, low=("-oo",), high=("oo",)):
    return ("int", (X,), (slope(f),), (low, high))


BELL = fn("exp", ("*", num(-1), ("^", 2, 1, Y)))


def everywhere(f):
    return trusted(("=", slope(f), slope(f)))


def test_at_infinity_moderate_functions_times_bells_vanish():
    f = ("*", ("u", "h", "R", (0,), Y), BELL)
    line = apply_rule("fundamental theorem", [everywhere(f)], line_integral(f))
    assert canonical_key(line.conclusion[2]) == canonical_key(("+", ZERO, ("*", num(-1), ZERO)))
    assert canonical_key(("<", num(-1), ZERO)) in hypotheses(line)


@pytest.mark.parametrize(
    "f",
    [
        fn("erf", Y),
        ("*", Y, fn("erf", Y)),
        ("*", Y, fn("exp", Y)),
        ("*", Y, fn("exp", ("*", num(-1), ("^", 4, 1, Y)))),
        ("*", fn("exp", ("^", 2, 1, Y)), fn("abs", Y)),
        ("*", ("^", -1, 1, Y), BELL),
        ("*", fn("log", Y), BELL),
    ],
)
def test_what_may_not_vanish_at_infinity_is_refused(f):
    with pytest.raises(Rejected):
        apply_rule("fundamental theorem", [everywhere(f)], line_integral(f))


def test_a_bell_that_grows_is_asked_to_fall():
    grows = ("*", Y, fn("exp", ("*", A, ("^", 2, 1, Y))))
    line = apply_rule("fundamental theorem", [everywhere(grows)], line_integral(grows))
    assert canonical_key(("<", A, ZERO)) in hypotheses(line)


@pytest.mark.parametrize(
    ("premise", "node"),
    [
        # The premise is about another integrand, other points, or supposes more.
        (between(("=", X, slope(Y))), ("int", (X,), (slope(Y),), (A, B))),
        (between(("=", *[slope(Y)] * 2)), ("int", (X,), (slope(Y),), (ZERO, B))),
        (trusted(("=", *[slope(Y)] * 2), ("!=", X, ONE)), ("int", (X,), (slope(Y),), (A, B))),
        (between(("<=", *[slope(Y)] * 2)), ("int", (X,), (slope(Y),), (A, B))),
        # Sums are no integrals.
        (between(("=", *[slope(Y)] * 2)), ("E", (X,), (slope(Y),), (("gauss", 1, ZERO, ONE),))),
    ],
)
def test_other_integrands_are_refused(premise, node):
    with pytest.raises(Rejected):
        apply_rule("fundamental theorem", [premise], node)


# -- integrals of bells ---------------------------------------------------------------------------


def bell_integral(body, low=ZERO, high=("oo",)):
    return ("int", (X,), (body,), (low, high))


HERE = fn("exp", ("*", num(-1), ("^", 2, 1, X)))


@pytest.mark.parametrize(
    "body", [HERE, ("*", X, HERE), ("+", ("*", A, HERE), ("*", fn("erf", X), X, HERE))]
)
@pytest.mark.parametrize("ends", [(ZERO, ("oo",)), (("-oo",), A), (("-oo",), ("oo",))])
def test_integrals_of_bells_exist(body, ends):
    node = bell_integral(body, *ends)
    line = apply_rule("bells", [], node)
    assert canonical_key(line.conclusion) == canonical_key(("=", node, node))
    assert canonical_key(("<", num(-1), ZERO)) in hypotheses(line)
    assert line.axioms == {"gaussian-moments"}


def test_what_stands_beside_a_bell_is_asked_for():
    narrow = fn("exp", ("*", A, ("^", 2, 1, X)))
    line = apply_rule("bells", [], bell_integral(("*", B, narrow), ("^", -1, 1, P)))
    wanted = [("<", A, ZERO), *(("=", t, t) for t in (A, B, ("^", -1, 1, P)))]
    assert hypotheses(line) >= set(map(canonical_key, wanted))


@pytest.mark.parametrize(
    "node",
    [
        bell_integral(X),
        bell_integral(("+", X, ("*", X, HERE))),
        bell_integral(("+", ("*", X, HERE), X)),
        bell_integral(("*", ("^", -1, 1, X), HERE)),
        bell_integral(fn("exp", X)),
        # The end is another x.
        bell_integral(HERE, X),
        ("E", (X,), (HERE,), (("gauss", 1, ZERO, ONE),)),
    ],
)
def test_other_integrals_may_not_exist(node):
    with pytest.raises(Rejected):
        apply_rule("bells", [], node)


def test_bells_need_no_premise():
    with pytest.raises(Rejected):
        apply_rule("bells", [everywhere(X)], bell_integral(HERE))


# -- parts of a range -----------------------------------------------------------------------------


def integral(low, high, body=X):
    return ("int", (X,), (body,), (low, high))


def test_adjacent_integrals_add_up():
    line = apply_rule("adjacent", (), integral(A, ZERO), integral(ZERO, B))
    assert canonical_key(line.conclusion[2]) == canonical_key(integral(A, B))
    assert len(line.hypotheses) == 2


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (integral(A, ZERO), integral(ONE, B)),
        (integral(A, ZERO), integral(ZERO, B, Y)),
        (integral(A, ("oo",)), integral(("oo",), B)),
        (("sum", (I,), (I,), (N, P)), ("sum", (I,), (I,), (P, N))),
    ],
)
def test_other_integrals_do_not(first, second):
    with pytest.raises(Rejected):
        apply_rule("adjacent", (), first, second)


def test_a_term_of_a_sum():
    node = ("sum", (I,), (("ix", "w", "R", I),), (ONE, N))
    line = apply_rule("term of a sum", (), node, P)
    assert ("ix", "w", "R", P) in line.conclusion[2]
    formulas = [("o", "integer", P), ("<=", ONE, P), ("<=", P, N), ("=", node, node)]
    wanted = set(map(canonical_key, formulas))
    assert hypotheses(line) == wanted


def test_integrals_have_no_terms():
    with pytest.raises(Rejected):
        apply_rule("term of a sum", (), integral(A, B), P)


def test_sums_are_linear_if_the_factors_exist():
    node = ("sum", (I,), (("*", B, I),), (ONE, N))
    said = trusted(("=", ("*", B, I), ("*", B, I)))
    line = apply_rule("linear", [said], node, (B,), (I,))
    assert canonical_key(("=", B, B)) in hypotheses(line)
    with pytest.raises(Rejected):
        apply_rule("linear", [trusted(("=", ("*", B, I), ("*", I, B)))], node, (I,), (B,))
    with pytest.raises(Rejected):
        apply_rule(
            "linear", [trusted(("=", ("*", B, I), ("*", B, I)), ("!=", I, P))], node, (B,), (I,)
        )


def test_an_absolute_value_is_one_of_two():
    line = apply_rule("absolute value", (), ("^", -1, 1, X))
    assert hypotheses(line) == {canonical_key(("=", *[("^", -1, 1, X)] * 2))}
    with pytest.raises(Rejected):
        apply_rule("absolute value", (), ("oo",))
