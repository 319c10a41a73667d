"""Why an inference is refused: the first thing that is wrong with its data, in full."""

from __future__ import annotations

import pytest

from slrsym.checker.term import Rejected, definedness_equation, num, parse_term
from slrsym.checker.theorem import apply_rule
from slrsym.prover.tactics.log_records import tuples_to_lists
from tests.checker.terms import NORMAL, ONE, TWO, ZERO, mean
from tests.checker.test_schemas import PLANE, SQUARE, G, box_map, lam, points

X, Y, Z = (("s", name, "R") for name in "xyz")
COPIES = ("copies", (Z,), (Z,), (TWO, NORMAL))
PAIR = ("gauss", 2, ZERO, ZERO, ONE, ZERO, ZERO, ONE)


def integral(body):
    return ("int", (X,), (body,), (ZERO, ONE))


def said(p):
    return apply_rule("unchecked", [], "said", (), p)


def exp(u):
    return ("f", "exp", u)


BOTH = mean(("*", X, Y), (X, Y), (NORMAL, NORMAL))
MIXED = mean(("*", ("*", X, Y), Y), (X, Y), (NORMAL, NORMAL))
RANDOM = mean(("*", ("*", X, COPIES), ("*", Y, COPIES)), (X, Y), (NORMAL, NORMAL))
TWICE = said(("=", ("+", Y, Y), ("*", TWO, Y)))
SPACE = box_map(X, Y, Z, names=(X, Y, Z))
AREA = integral(("*", X, Y))
RULES = {
    "the body contains copies": [
        ("fubini", (), (RANDOM, 1)), ("density", (), (mean(COPIES),)),
        ("constant", (), (mean(COPIES),)),
    ],
    "the numbers of factors and parts differ, or are 0": [
        ("linear", (TWICE,), (mean(("+", Y, Y)), f, p))
        for f, p in (((), ()), ((TWO,), ()), ((TWO,), (Y, Y)), ((TWO, TWO), (Y,)))
    ],
    "a factor contains copies": [("linear", (TWICE,), (mean(("+", Y, Y)), (COPIES,), (Y,)))],
    "the premise is not that the body is the combination": [
        ("linear", (TWICE,), (mean(("+", Y, Y)), (ONE,), (Y,))),
    ],
    "the places are not two lists": [
        ("independent", (), (BOTH, where)) for where in (1, [[0]], [[0], [1], [1]])
    ],
    "a place is no integer": [("independent", (), (BOTH, [[True], [1]]))],
    "a place is listed twice": [
        ("independent", (), (BOTH, where)) for where in ([[0, 0], [1]], [[0], [1, 1]])
    ],
    "a factor contains variables of both groups of laws": [
        ("independent", (), (MIXED, [[0], [1]])), ("independent", (), (BOTH, [[0], [2]])),
    ],
    "both factors contain copies": [("independent", (), (RANDOM, [[0], [1]]))],
    "the argument is no function": [
        ("stein", (), (mean(X), h, 0)) for h in (X, ("lam", (X,), (X, X), ()))
    ] + [("smooth", (), (X, ("tuple", ONE)))],
    "the place is not that of a variable": [
        ("stein", (), (mean(X), lam(X), place)) for place in (-1, 1, True)
    ],
    "the function contains copies": [
        ("stein", (), (mean(X), lam(COPIES), 0)),
        ("tangent", (said(("<=", ZERO, ("d", (2,), (Y,), (("*", Y, COPIES),), (X,)))),),
         (ONE, TWO)),
    ],
    "the derivative contains copies": [
        ("derivative of expectation", (), (("d", (1,), (Y,), (mean(("*", X, Y)),), (COPIES,)),)),
    ],
    "the argument is no function with one value": [
        ("moderate", (), (f,)) for f in (X, ("lam", (X,), (X, X), ()))
    ],
    "the exponent has a linear and a quadratic part": [
        ("gaussian integral", (), (mean(exp(("+", ("*", X, Y), v)), (X, Y), (PAIR,)),))
        for v in (X, Y)
    ],
    "the two variables have no common Gaussian law": [
        ("gaussian integral", (), (mean(exp(("*", X, Y)), (X, Y), (NORMAL, NORMAL)),)),
    ],
    "the body contains another sum of copies, or this one under a binder": [
        ("one copy more", (), (mean(body), COPIES))
        for body in (("*", COPIES, ("copies", (Z,), (Z,), (ONE, NORMAL))),
                     ("*", COPIES, ("int", (Y,), (COPIES,), (ZERO, ONE))))
    ],
    "the premise does not compare the derivatives by =, < or <=": [
        ("mean value", (said(("!=", ZERO, Y)),), (X, ZERO, ONE)),
    ],
    "the premise does not compare the terms": [
        ("under", (said(("!=", ("*", X, Y), Z)),), (AREA,)),
    ],
    "the place lies under a binder": [("defined", (said(("=", AREA, Y)),), ([1, [2, 0]],))],
    "a place is no list, or too long": [
        ("defined", (said(("=", X, Y)),), (path,)) for path in (1, [1] * 200)
    ],
    "there is no such place": [("defined", (said(("=", X, Y)),), ([3],))],
    "the second argument is no point": [("smooth", (), (lam(X), ("set", ONE)))],
    "the sentence is not about exactly one more thing": [
        ("theorem", (), ("decrease", ("o", "DecreasesAlong", G, *more), ()))
        for more in ((), (SQUARE, SQUARE))
    ],
    "the subject is no map of a box": [
        ("theorem", (), ("decrease", ("o", "DecreasesAlong", g, SQUARE), ()))
        for g in ((*G[:3], ("set", num(-1)), ("set", ONE)), (*G[:3], ("tuple", num(-1)), ONE), G[1])
    ],
    "the map on the face has not one coordinate less": [
        ("theorem", (), ("on-face", ("o", "OrbitsConvergeTo", g, points(p)),
                         (whole, ZERO, ONE, points(p))))
        for g, whole, p in ((PLANE, PLANE, (ZERO, ONE)), (G, G, ZERO), (G, SPACE, ZERO))
    ],
    "the premise is no statement for all, or the number of values differs": [
        ("specialise", (said(p),), values)
        for p, values in ((("forall", (X,), (("=", X, X),), ()), ((),)),
                          (("not", ("=", X, Y)), ((),)), (("=", X, Y), ((ONE,),)))
    ],
    "the data are no tuple of terms": [
        ("logic", (), ([definedness_equation(X)], definedness_equation(X))),
    ],
}  # fmt: skip


@pytest.mark.parametrize("why", RULES)
def test_a_rule_says_what_is_wrong(why):
    for name, premises, data in RULES[why]:
        with pytest.raises(Rejected) as refused:
            apply_rule(name, premises, *data)
        assert str(refused.value) == why, (name, data)


@pytest.mark.parametrize(
    ("node", "why"),
    [
        (("sum", (X,), (X,)), "the binder has not three lists of parts"),
        (("int", (X,), (X,), (ZERO, ONE), ()), "the binder has not three lists of parts"),
        (("^", "1", 1, X), "the power has no exponent p/q"),
        (("^", 1, 0, X), "the power has no exponent p/q"),
        (("^", 1000, 1, X), "the exponent of the power is too large"),
        (("^", 1, 1000, X), "the exponent of the power is too large"),
        (("^", 2, 4, X), "the exponent is 0, or not in lowest terms"),
        (("E", (X, Y), (X,), (NORMAL,)),
         "the laws have other dimensions than there are variables"),
        (("E", (X,), (X,), (PAIR,)), "the laws have other dimensions than there are variables"),
        (("int", (X,), (X,), (("oo",), ("oo",))), "both ends are the same infinity"),
        (("sum", (("s", "i", "Z"),), (X,), (ONE, ("oo",))), "an end of sum is no term"),
        (("gauss", 0), "the dimension of the law is no positive integer"),
    ],
)  # fmt: skip
def test_a_node_says_what_is_wrong(node, why):
    with pytest.raises(Rejected) as refused:
        parse_term(tuples_to_lists(node))
    assert str(refused.value) == why


# -- evidence -------------------------------------------------------------------------------------

# 0 <= x^2 + x y + y^2, as it is the sum of (x + y/2)^2 and 3/4 y^2.
FORM = [["1", 0, 2], ["1", 0, 1, 1, 1], ["1", 1, 2]]
MINUS = [[f"-{c}", *powers] for c, *powers in FORM]
STATEMENT = ("<=", ZERO, ("+", ("^", 2, 1, X), ("*", X, Y), ("^", 2, 1, Y)))
HALVES, UNIT = [["1", 0, 1], ["1/2", 1, 1]], [["1"]]
ROWS = [["1", [[HALVES, 2]]], ["3/4", [[[["1", 1, 1]], 2]]]]


def judged(entry=None, **parts):
    evidence = {
        "size": 8, "units": [], "use": [], "answers": [["<=", MINUS, [entry]]], **parts,
    }  # fmt: skip
    return apply_rule("arithmetic", [], (), STATEMENT, list(evidence.values()))


def combination(rows=ROWS, form=FORM, factor=UNIT):
    return ["sign", form, rows, factor]


def polynomial(data):
    return combination([["1", [[data, 2]]]])


def test_a_sum_of_squares_is_evidence():
    assert judged(combination()).conclusion == STATEMENT
    thrice = [["3", ROWS[0][1]], ["9/4", ROWS[1][1]]]
    assert judged(combination(thrice, factor=[["3"]])).hypotheses == {}


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ([], "malformed entry"),
        ("sign", "malformed entry"),
        (["sign", FORM, ROWS], "malformed combination"),
        (["sign", FORM, "", UNIT], "malformed combination"),
        (["exp", UNIT], "malformed comparison"),
        ([1, UNIT, UNIT], "malformed comparison"),
        (["size", UNIT, UNIT], "unknown comparison 'size'"),
        (["tangent", [["1"], ["1", 0, 1]], UNIT], "the polynomial is no monomial"),
        (["tangent", [["2", 0, 1]], UNIT], "the polynomial is no monomial"),
        (["tangent", [["1", 0, 1]], UNIT], "the polynomial is no product of exponentials"),
        (["root", [["1", 0, 1]], UNIT], "the polynomial is no square root"),
        (combination([["1"]]), "malformed row of a combination"),
        (combination([["1", UNIT, UNIT]]), "malformed row of a combination"),
        (combination([["1", "2"]]), "malformed row of a combination"),
        (combination([["1", [[HALVES]]]]), "malformed power in a combination"),
        (combination([["1", [[HALVES, 0]]]]), "an exponent is not from 1 to 99"),
        (combination([["1", [[HALVES, 100]]]]), "an exponent is not from 1 to 99"),
        (combination([["1", [[HALVES, True]]]]), "an exponent is not from 1 to 99"),
        (combination(ROWS[:1]), "the combination is another polynomial"),
        (combination([["2", ROWS[0][1]], ROWS[1]]), "the combination is another polynomial"),
        (combination(factor=[["2"]]), "the combination is another polynomial"),
        (combination([["1", [[FORM, 1]]]]), "the combination says nothing"),
        (combination([["0", []]], factor=[]), "the multiplier is not known to be positive"),
        (combination(factor=[["-1"]]), "the multiplier is not known to be positive"),
        (combination(factor=[["1", 0, 2]]), "the multiplier is not known to be positive"),
        (polynomial([["1", 8, 1]]), "no such generator"),
        (polynomial([["1", -1, 1]]), "no such generator"),
        (polynomial([["1", 0, 1, 0, 1]]), "a generator stands twice in one term"),
        (polynomial([["1", 0, 1], ["2", 0, 1]]), "a monomial stands twice in one polynomial"),
        (polynomial([["1", 0, 0]]), "an exponent is not from 1 to 499"),
        (polynomial([["1", 0, 500]]), "an exponent is not from 1 to 499"),
        (polynomial([["1", 0]]), "malformed term of a polynomial"),
        (polynomial("1"), "the data are no polynomial, or too long a one"),
        (polynomial([[1, 0, 1]]), "a number is not written as a text of fewer than 5,000 "
         "characters"),
        (polynomial([["1" * 5000]]), "a number is not written as a text of fewer than 5,000 "
         "characters"),
        (polynomial([["1/0"]]), "malformed number '1/0'"),
        (polynomial([["+1"]]), "malformed number '+1'"),
    ],
)  # fmt: skip
def test_evidence_says_what_is_wrong(entry, why):
    with pytest.raises(Rejected) as refused:
        judged(entry)
    assert str(refused.value) == why


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        *(({"size": n}, "malformed evidence: the number of generators is not from 1 to 64")
          for n in (0, 65, True, "8")),
        ({"more": []}, "malformed evidence: expected four parts"),
        ({"units": ""}, "malformed evidence: the units are not a list"),
        ({"units": [[UNIT, UNIT]]}, "malformed unit: expected three parts"),
        ({"units": [[UNIT, UNIT, "0"]]}, "malformed unit: not positive"),
        ({"units": [[UNIT, UNIT, "-1"]]}, "malformed unit: not positive"),
        ({"use": ""}, "malformed evidence: the facts to use are not a list"),
        *(({"use": [n]}, "malformed evidence: no such fact") for n in (0, -1, True)),
        ({"answers": ""}, "malformed evidence: the answers are not a list"),
        ({"answers": [["<=", MINUS]]}, "malformed answer"),
        ({"answers": [["~", MINUS, []]]}, "malformed answer"),
        ({"answers": [["<=", MINUS, ""]]}, "malformed answer: no list of entries"),
        ({"answers": []}, "the two sides are not known to compare"),
        # An answer to another question is none.
        *(({"answers": [[*question, [combination()]]]}, "the two sides are not known to compare")
          for question in (["<=", FORM], [">=", MINUS], ["<", MINUS])),
    ],
)  # fmt: skip
def test_other_parts_of_the_evidence_say_what_is_wrong(parts, why):
    with pytest.raises(Rejected) as refused:
        judged(**{"answers": [["<=", MINUS, [combination()]]], **parts})
    assert str(refused.value) == why


def test_what_is_known_of_pi_are_six_digits():
    def shown(p):
        return apply_rule("arithmetic", [], (), p, [2, [], [], []]).conclusion == p

    pi, low, high = ("pi",), num(314159, 100000), num(314160, 100000)
    for p in (("<", ZERO, pi), ("<", low, pi), ("<", pi, high)):
        assert shown(p)
    for p in (("<", pi, low), ("<", high, pi), ("<", pi, ZERO)):
        with pytest.raises(Rejected, match="not known to compare"):
            shown(p)
