"""Normal forms, signs and derivatives: what they show, and what is refused before it can cancel."""

from __future__ import annotations

import math
from functools import reduce
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slrsym.checker.term import Rejected, definedness_equation, neg, num
from slrsym.checker.theorem import apply_rule
from slrsym.prover.tactics.arithmetic import search_arithmetic_evidence
from tests._profile import THOROUGH, more, thorough_cases
from tests.checker.terms import proved

ZERO, ONE, TWO, HALF = num(0), num(1), num(2), num(1, 2)
x, y, z, a, b = (("s", name, "R") for name in "xyzab")
p, q = (("s", name, "R>0") for name in "pq")
i, j, n, m = (*(("s", k, "Z") for k in "ij"), ("s", "n", "Z>=0"), ("s", "m", "Z>0"))
PI = ("pi",)


def plus(*terms):
    return ("+", *terms)


def mul(*terms):
    return ("*", *terms)


def pw(t, e, r=1):
    return ("^", e, r, t)


def f(name, *terms):
    return ("f", name, *terms)


def minus(s, t):
    return plus(s, neg(t))


def div(s, t):
    return mul(s, pw(t, -1))


def root(t):
    return pw(t, 1, 2)


def total(k, body, low, high):
    return ("sum", (k,), (body,), (low, high))


def integral(k, body, low, high):
    return ("int", (k,), (body,), (low, high))


def d(body, v, at=None):
    return ("d", (1,), (v,), (body,), (v if at is None else at,))


def shown(p, *hypotheses, premises=()):
    """Searched for, and judged by the checker from the evidence alone."""
    return proved(p, hypotheses, tuple(premises))


TRUE = {
    "square": (("=", pw(plus(x, ONE), 2), plus(pw(x, 2), mul(TWO, x), ONE)),),
    "quotient": (("=", div(pw(p, 2), p), p),),
    "root of a square": (("=", root(pw(x, 2)), f("abs", x)),),
    "root of a positive square": (("=", root(pw(p, 2)), p),),
    "root of a product": (("=", root(mul(num(8), p)), mul(TWO, root(TWO), root(p))),),
    "exponentials": (("=", mul(f("exp", x), f("exp", y)), f("exp", plus(x, y))),),
    "half exponents": (("=", pw(f("exp", mul(HALF, x)), 2), f("exp", x)),),
    "odd": (("=", f("erf", neg(x)), neg(f("erf", x))),),
    "bell": (("=", f("erf_prime", ZERO), div(TWO, root(PI))),),
    "amgm": (("<=", mul(TWO, x, y), plus(pw(x, 2), pw(y, 2))),),
    "bound": (("<", f("erf", x), ONE),),
    "monotone": (("<", f("erf", p), f("erf", plus(p, q))),),
    "tangent": (("<=", plus(ONE, x), f("exp", x)),),
    "pi": (("<", num(3), PI),),
    "conjugate": (("<", x, root(plus(ONE, pw(x, 2)))),),
    "hypothesis": (("<", pw(x, 2), ONE), ("<", x, ONE), ("<", neg(ONE), x)),
    "linear sum": (("=", total(i, plus(("ix", "w", "R", i), ONE), ONE, n),
                    plus(total(j, ("ix", "w", "R", j), ONE, n), n)),),
    "sum of squares": (("<=", ZERO, total(i, pw(("ix", "w", "R", i), 2), ONE, n)),),
    "integral": (("=", integral(y, mul(x, plus(y, ONE)), ZERO, ONE),
                  plus(x, mul(x, integral(z, z, ZERO, ONE)))),),
    "positive integral": (("<", ZERO, integral(y, f("exp", y), ZERO, ONE)),),
    "slope": (("=", d(pw(x, 3), x), mul(num(3), pw(x, 2))),),
    "slope of log": (("=", d(f("log", x), x, p), pw(p, -1)),),
    "slope of abs": (("=", d(f("abs", x), x, p), ONE),),
    "slope of asin": (("=", d(f("asin", mul(HALF, x)), x, ZERO), HALF),),
    "chain rule": (("=", d(("u", "g", "R", (0,), pw(x, 2)), x),
                    mul(TWO, x, ("u", "g", "R", (1,), pw(x, 2)))),),
    "leibniz": (("=", d(integral(y, f("exp", mul(x, y)), ZERO, x), x),
                 plus(f("exp", pw(x, 2)), integral(y, mul(y, f("exp", mul(x, y))), ZERO, x))),),
    "integer": (("o", "integer", plus(mul(TWO, n), i, num(-3))),),
}  # fmt: skip


@pytest.mark.parametrize("name", TRUE)
def test_true_statements_are_shown(name):
    shown(*TRUE[name])


law = ("gauss", 2, ZERO, ONE, ONE, ZERO, ZERO, ONE)
FALSE = {
    "cancelled": (("<=", div(ONE, y), plus(pw(x, 2), div(ONE, y))),),
    "one": (("=", mul(y, pw(y, -1)), ONE),),
    "zero": (("=", minus(pw(y, -1), pw(y, -1)), ZERO),),
    "times zero": (("=", mul(ZERO, root(x)), ZERO),),
    "root": (("=", pw(root(x), 2), x),),
    "root of a square": (("=", root(pw(x, 2)), x),),
    "logarithm": (("=", mul(ZERO, f("log", x)), ZERO),),
    "arc sine": (("=", mul(ZERO, f("asin", x)), ZERO),),
    "half a square": (("=", pw(pw(x, 2), 3, 2), pw(x, 3)),),
    "difference": (("!=", x, y),),
    "strict": (("<", ZERO, pw(x, 2)),),
    "root of a product": (("=", root(mul(x, y)), mul(root(x), root(y))), ("<=", ZERO, mul(x, y))),
    "sign of a root": (("<=", ZERO, plus(y, mul(ZERO, root(mul(pw(x, 2), y))))),
                       ("<=", ZERO, mul(pw(x, 2), y))),
    "leak of an integral": (("<=", ZERO, plus(a, mul(ZERO, integral(y, root(a), ZERO, a)))),),
    "leak of a sum": (("<=", ONE, plus(n, mul(ZERO, total(i, root(minus(n, ONE)), ONE, n)))),),
    "leak of a sum's value": (("=", total(i, root(minus(n, ONE)), ONE, n),
                               mul(n, root(minus(n, ONE)))),),
    "range of another binder": (("<=", total(i, total(j, j, num(3), num(4)), ONE, TWO),
                                 total(i, total(j, TWO, num(3), num(4)), ONE, TWO)),),
    "ends in disorder": (("<=", ZERO, integral(y, f("exp", y), ZERO, a)),),
    "empty interval": (("<", ZERO, integral(y, f("exp", y), a, b)), ("<=", a, b)),
    "empty sum": (("<", ZERO, total(i, ONE, ONE, n)),),
    "backwards": (("=", total(i, ONE, ZERO, j), plus(j, ONE)),),
    "pole inside": (("=", integral(y, mul(ZERO, pw(y, -1)), neg(ONE), ONE), ZERO),),
    "improper": (("=", mul(ZERO, integral(y, y, ZERO, ("oo",))), ZERO),),
    "index": (("=", mul(ZERO, ("ix", "w", "R", HALF)), ZERO),),
    "ends of a sum": (("=", total(i, ZERO, ZERO, p), ZERO),),
    "two sums": (("=", total(i, total(j, ("ix", "w", "R", j), ONE, n), ONE, n),
                  total(i, total(j, ("ix", "w", "R", i), ONE, n), ONE, m)),),
    "swapped variables": (("=", ("E", (x, y), (plus(x, mul(TWO, y)),), (law,)),
                           ("E", (x, y), (plus(y, mul(TWO, x)),), (law,))),
                          definedness_equation(("E", (x, y), (plus(x, mul(TWO, y)),), (law,))),
                          definedness_equation(("E", (x, y), (plus(y, mul(TWO, x)),), (law,)))),
    "expectation": (("=", mul(ZERO, ("E", (x, y), (x,), (law,))), ZERO),),
    "slope at a kink": (("=", mul(ZERO, d(f("abs", x), x)), ZERO),),
    "slope at an end": (("=", mul(ZERO, d(root(x), x, y)), ZERO), ("<=", ZERO, y)),
    "slope of what is not": (("=", d(plus(x, mul(ZERO, pw(y, -1))), x), ONE),),
    "slope of log": (("=", mul(x, d(f("log", x), x)), ONE),),
    "slope of a claim": (("=", mul(ZERO, d(f("zeta", x, ONE), x)), ZERO),),
    "slope in an end": (("=", mul(ZERO, d(total(i, x, ONE, n), x)), ONE),),
    "slope of max": (("=", mul(ZERO, d(f("max", x, PI), x)), ZERO),),
    "slope under an integral": (
        ("=", mul(ZERO, d(integral(y, f("abs", minus(x, y)), ZERO, ONE), x)), ZERO),
    ),
    "no integer": (("o", "integer", mul(HALF, n)),),
    "no arithmetic": (("o", "moderate", x),),
    "no relation": (("not", ("=", x, y)),),
}  # fmt: skip


@pytest.mark.parametrize("name", FALSE)
def test_false_and_undefined_statements_are_refused(name):
    with pytest.raises(Rejected):
        shown(*FALSE[name])


def test_slopes_that_are_cited():
    t, s = ("s", "t", "R"), ("s", "s", "R")
    v = ("s", "v", "R")
    value = mul(t, s)
    claim = apply_rule(
        "unchecked", [], "slope", (), ("=", ("d", (1,), (v,), (f("zeta", v, s),), (t,)), value)
    )
    shown(("=", d(f("zeta", pw(x, 2), y), x), mul(TWO, x, pw(x, 2), y)), premises=[claim])
    with pytest.raises(Rejected):
        shown(("=", d(f("zeta", y, x), x), ZERO), premises=[claim])
    supposed = apply_rule("unchecked", [], "slope", (("<", ZERO, t),), claim.conclusion)
    with pytest.raises(Rejected):
        shown(("=", d(f("zeta", x, y), x), mul(x, y)), premises=[supposed])


def test_what_is_known_to_be_defined_may_stand():
    e = ("E", (x, y), (f("exp", plus(x, y)),), (law,))
    other = ("E", (y, z), (mul(f("exp", z), f("exp", y)),), (law,))
    # With another order of the variables, it is another name for the same.
    same_one = ("E", (y, x), (f("exp", plus(y, x)),), (law,))
    shown(("=", minus(e, same_one), ZERO), definedness_equation(e))
    shown(("=", minus(e, other), ZERO), definedness_equation(e), definedness_equation(other))
    improper = integral(y, f("exp", neg(pw(y, 2))), ZERO, ("oo",))
    shown(("=", mul(TWO, improper), plus(improper, improper)), ("<", ZERO, improper))
    third = ("E", (y, z), (f("exp", z),), (law,))
    with pytest.raises(Rejected):
        shown(("=", mul(ZERO, minus(e, third)), ZERO), definedness_equation(e))


# Those that arithmetic shows alone.
IN_SEVERAL_STEPS = ("linear sum", "sum of squares", "integral", "positive integral", "leibniz")


@pytest.mark.parametrize("name", [name for name in TRUE if name not in IN_SEVERAL_STEPS])
def test_evidence_for_one_statement_shows_no_other(name):
    """Each true statement with a constant, a side or a strictness changed."""
    goal, *hypotheses = TRUE[name]
    rule, premises, given_, p, evidence = search_arithmetic_evidence(
        goal, tuple(hypotheses), (), effort=60_000
    )
    if p[0] == "o":
        return
    kind, left, right = p
    changed = [(kind, plus(left, num(1, 7)), right), (kind, mul(TWO, left), right)]
    opposite = {"=": "!=", "<": "<=", "<=": "<"}[kind]
    changed = changed if kind == "=" else []
    changed.append((opposite, right, left))
    for wrong in changed:
        with pytest.raises(Rejected):
            apply_rule(rule, premises, given_, wrong, evidence)


# What the statement below asks for.
GOAL = ("<=", ZERO, plus(pw(x, 2), pw(y, 2), neg(mul(x, y))))
QUESTION = ["<=", [["-1", 0, 2], ["1", 0, 1, 1, 1], ["-1", 1, 2]]]


def answer(*entry):
    return [32, [], [], [[*QUESTION, [list(entry)]]]]


def test_the_question_is_the_one_that_is_asked():
    half = [["1", 0, 1], ["-1/2", 1, 1]]
    rows = [["-1", [[half, 2]]], ["-3/4", [[[["1", 1, 1]], 2]]]]
    assert apply_rule("arithmetic", [], (), GOAL, answer("sign", QUESTION[1], rows, [["1"]]))


CORRUPT = [
    None, [], [32], [0, [], [], []], [True, [], [], []], [32, [], [9], []], [32, [], ["0"], []],
    [32, [[1]], [], []], [32, [["a", "1", "1"]], [], []],
    [32, [[[["1", 1, 1]], [["1"]], "0"]], [], []], [32, [], [], 1], [32, [], [], [1]],
    [32, [], [], [["<=", []]]], [32, [], [], [["?", [], []]]], [32, [], [], [["<=", [], 1]]],
    [32, [], [], [["<=", 1, []]]], [32, [], [], [["<=", [["1", 0, 1, 0, 1]], []]]],
    [32, [], [], [["<=", [["1", 0, 1], ["1", 0, 1]], []]]], answer(), answer(1, [], []),
    answer("luck", [], []), answer("exp", []), answer("sign", [], [[1]], []),
    answer("sign", [], [["1", [1]]], []), answer("sign", [["1", 40, 1]], [], []),
    answer("sign", [["1", 0, -1]], [], []), answer("sign", [["x"]], [], []),
    answer("sign", [["1/0"]], [], []), answer("sign", [[" 1"]], [], []),
    answer("sign", [["1_0"]], [], []), answer("sign", [[1]], [], []),
    answer("sign", [["1", 0]], [], []), answer("hope", [], [], []), answer("sign", 1, [], []),
    answer("sign", [["1"]], [["1", [[[["1"]], 0]]]], [["1"]]),
    answer("sign", [["1", 7, 1]], [["1", [[[["1", 7, 1]], 1]]]], [["1"]]),
]  # fmt: skip


@pytest.mark.parametrize("evidence", CORRUPT)
def test_corrupt_evidence_is_refused(evidence):
    with pytest.raises(Rejected):
        apply_rule("arithmetic", [], (), GOAL, evidence)


def test_a_multiplier_has_to_be_positive():
    # x * x = x^2, which says nothing of x if x may be negative.
    entry = ["sign", [["1", 0, 1]], [["1", [[[["1", 0, 1]], 2]]]], [["1", 0, 1]]]
    question = ["<=", [["-1", 0, 1]]]
    with pytest.raises(Rejected, match="multiplier"):
        apply_rule("arithmetic", [], (), ("<=", ZERO, x), [32, [], [], [[*question, [entry]]]])


def test_a_question_that_is_asked_again_takes_its_next_answer():
    # The sign of x is asked for under both roots; the second answer is of another question.
    square = ["sign", [["1", 0, 2]], [["1", [[[["1", 0, 1]], 2]]]], [["1"]]]
    for answers in ([], [[">=", [["1", 1, 1]], [square]]]):
        with pytest.raises(Rejected):
            apply_rule("arithmetic", [], (), definedness_equation(root(x)), [32, [], [], answers])


# -- random statements against numbers ------------------------------------------------------------

leaves = st.sampled_from([x, y, p, ONE, TWO, num(-1), HALF])
random_terms = st.recursive(
    leaves,
    lambda t: st.one_of(
        st.tuples(st.sampled_from("+*"), t, t), t.map(root), t.map(lambda s: pw(s, -1)),
        t.map(lambda s: pw(s, 2)), t.map(lambda s: f("abs", s)), t.map(lambda s: f("exp", s)),
        t.map(lambda s: f("log", s)), t.map(lambda s: f("erf", s)),
        t.map(lambda s: integral(z, mul(s, z), ZERO, s)),
    ),
    max_leaves=5,
)  # fmt: skip


def value(t, env):
    """In floating point; None where it is undefined."""
    if t[0] == "n":
        return t[1] / t[2]
    if t[0] == "s":
        return env[t]
    if t[0] == "int":
        s = value(t[3][1], env)
        return None if s is None else s**3 / 2
    parts = [value(u, env) for u in t[1:] if isinstance(u, tuple)]
    if None in parts:
        return None
    try:
        if t[0] == "+":
            return sum(parts)
        if t[0] == "*":
            return math.prod(parts)
        if t[0] == "^":
            return None if t[2] == 2 and parts[0] < 0 else parts[0] ** (t[1] / t[2])
        return {"abs": abs, "exp": math.exp, "log": math.log, "erf": math.erf}[t[1]](*parts)
    except (ValueError, ZeroDivisionError, OverflowError):
        return None


# A search may take half a second and more.
@more
@settings(max_examples=100 if THOROUGH else 10)
@given(st.sampled_from(["=", "<", "<=", "!="]), random_terms, random_terms, st.randoms())
def test_whatever_is_shown_holds_at_points(kind, s, t, rng):
    statement = (kind, s, t)
    try:
        proved(statement, effort=15_000)
    except Rejected:
        return
    points = [-2.0, -1.0, 0.0, 0.5, 1.0, rng.uniform(-3, 3)]
    for u, v, w in product(points, points, (0.25, 1.0, 3.0)):
        left, right = (value(side, {x: u, y: v, p: w}) for side in (s, t))
        assert left is not None, statement
        assert right is not None, statement
        near = math.isclose(left, right, rel_tol=1e-9, abs_tol=1e-9)
        # Numbers cannot tell equal from almost equal.
        held = {"=": near, "<=": left <= right or near, "<": left <= right or near, "!=": True}
        assert held[kind] or max(abs(left), abs(right)) > 1e100, (statement, u, v, w)


def test_exp_undoes_log_of_what_is_positive():
    positive, real = ("s", "a", "R>0"), ("s", "b", "R")
    exp, log = (lambda t: ("f", "exp", t)), (lambda t: ("f", "log", t))
    assert search_arithmetic_evidence(("=", exp(log(positive)), positive), ())
    inverse = ("^", -1, 1, positive)
    assert search_arithmetic_evidence(("=", exp(("*", num(-1), log(positive))), inverse), ())
    for p in (
        ("=", exp(log(real)), real),
        ("=", exp(log(positive)), ("^", 2, 1, positive)),
        ("=", exp(("*", num(1, 2), log(positive))), positive),
        ("=", exp(("*", num(-1), log(positive))), positive),
    ):
        with pytest.raises(Rejected):
            search_arithmetic_evidence(p, ())


# -- what would not fit into memory ----------------------------------------------------------------

TOWER = pw(pw(pw(plus(x, y), 999), 999), 999)
LONG = {
    "powers of powers": TOWER,
    "powers of a long sum": pw(plus(x, y, z, a, b), 999),
    "powers of powers of numbers": pw(pw(pw(TWO, 999), 999), 999),
    "a high degree": pw(pw(x, 999), 999),
    "squares of squares": reduce(lambda t, _: mul(t, t), range(14), plus(x, ONE)),
    "a power of an exponential": f("exp", mul(num(10**9), f("log", plus(p, q)))),
    "an exponential of a long number": mul(f("exp", x), f("exp", mul(num(10**12), x))),
    "a sum of fractions": plus(*(pw(plus(p, num(k)), -99) for k in range(1, 99))),
    "powers of a root": pw(pw(root(plus(p, q, ONE)), 999), 998),
    "a derivative of high order": (
        "d", (60,), (x,), (f("exp", f("sin", f("exp", f("sin", x)))),), (x,)),
}  # fmt: skip


@thorough_cases("squares of squares", "a derivative of high order")
@pytest.mark.parametrize("name", LONG)
def test_what_would_be_too_long_is_refused_at_once(name):
    t = LONG[name]
    with pytest.raises(Rejected):
        apply_rule("arithmetic", (), (), ("=", t, plus(t, ONE)), [32, [], [], []])
    # Nor is it equal to itself, if that takes normal forms: not shown is not false.
    with pytest.raises(Rejected, match=r"too long|too large|not known to be defined"):
        apply_rule(
            "arithmetic",
            (),
            (),
            ("<=", plus(t, ZERO), t),
            [32, [[[["1", 0, 1]], [["1"]], "1"]], [], []],
        )


def test_a_polynomial_in_powers_of_powers_is_refused_at_once():
    t = reduce(lambda t, _: pw(plus(t, a), 8), range(9), x)
    with pytest.raises(Rejected, match="too long"):
        apply_rule("moderate", (), ("lam", (x,), (f("erf", t),), ()))


def test_functions_within_functions_are_put_in_while_that_is_short():
    u = ("u", "u", "R", (0,), x)
    tower = reduce(lambda t, _: ("u", "u", "R", (0,), t), range(100), x)
    theorem = apply_rule("assume", (), definedness_equation(tower))
    twice = ("lam", (y,), (plus(y, y),), ())
    with pytest.raises(Rejected, match="too long"):
        apply_rule("instance", [theorem], ((("u", "u", "R", 1), twice),))
    assert apply_rule(
        "instance",
        [apply_rule("assume", (), definedness_equation(u))],
        ((("u", "u", "R", 1), twice),),
    )
