"""Theorems on orbits: what each asks for, and data that it refuses."""

from __future__ import annotations

import math

import numpy as np
import pytest

from slrsym.checker import Rejected
from slrsym.checker.extensions.vectors import BAYES_RISK, VECTOR_SCHEMAS
from slrsym.checker.orbit_theorems import SCHEMAS, register_theorem
from slrsym.checker.term import canonical_key, free_symbols, num
from slrsym.checker.theorem import apply_rule
from slrsym.prover.tactics.bundled_log import BUNDLED_LOG
from slrsym.prover.tactics.log_reuse import read_log_records
from tests.checker.terms import value

X, Y, A = ("s", "x", "R"), ("s", "y", "R"), ("s", "a", "R>0")
ZERO, ONE, TWO = num(0), num(1), num(2)
HALF = ("*", num(1, 2), X)


def lam(*bodies, names=(X,)):
    return ("lam", names, bodies, ())


def box_map(*images, names=(X,), low=-1, high=1):
    n = len(images)
    ends = [("tuple", *(num(e) for _ in range(n))) for e in (low, high)]
    return ("tuple", ("text", "BoxMap"), lam(*images, names=names), *ends)


def points(*values):
    return ("set", *(("tuple", *(p if isinstance(p[0], tuple) else (p,))) for p in values))


def theorem(name, goal, *values):
    rule = "vector theorem" if name in VECTOR_SCHEMAS else "theorem"
    return apply_rule(rule, (), name, goal, values)


G = box_map(HALF)
PLANE = box_map(HALF, Y, names=(X, Y))
SQUARE = lam(("^", 2, 1, X))
ORIGIN = points(ZERO)
OVERLAPS = tuple(("s", f"u_{i}", "R") for i in range(1, 6))
# P and Q are what the slopes are; the map of the overlaps is any.
P, Q = ("s", "p", "R"), ("s", "q", "R")
SLOPES = ("lam", (X, Y), (("*", P, X), ("*", Q, Y)), ())
DESCENT = ("tuple", ("text", "SphereDescent"), lam(("*", *OVERLAPS), names=OVERLAPS), A,
           ("s", "d", "Z>0"))  # fmt: skip
SIGN_PAIRS = (ONE, ONE), (num(-1), num(-1))
SIGNS = points(*SIGN_PAIRS)
PAIRS = ("o", "AlmostEveryPairConvergesTo", DESCENT, SIGNS)
STATEMENTS = {
    "decrease": (("o", "DecreasesAlong", G, SQUARE), ()),
    "bounded-descent": (("o", "VanishesAlong", G, SQUARE), (SQUARE, ONE, ZERO)),
    "small-steps": (("o", "StepsVanish", G), (SQUARE, ONE)),
    "limits-solve": (("o", "AccumulationPointsSolve", G, lam(X)), (SQUARE, ONE)),
    "connected-limits": (("o", "OrbitsConvergeTo", G, ORIGIN), (lam(X),)),
    "on-face": (("o", "OrbitsConvergeTo", G, ORIGIN),
                (PLANE, ONE, ONE, points((ZERO, ONE), (ZERO, num(-1))))),
    "expansion-injective": (("o", "Injective", G), (num(1, 2),)),
    "expansion-invertible": (("o", "InvertibleJacobian", G), (num(1, 2),)),
    "local-inverse": (("o", "LocalDiffeomorphism", G, ORIGIN), ()),
    "center-stable": (("o", "NullStarts", G, ORIGIN), (("tuple", TWO), TWO)),
    "strict-maximum": (("o", "NullStarts", G, points(ONE)), (SQUARE,)),
    "null-union": (("o", "NullStarts", G, points(ONE, ZERO)), (("tuple", ORIGIN, points(ONE)),)),
    "all-but-few": (("o", "AlmostEveryStartConvergesTo", G, ORIGIN), (points(ONE),)),
    "from-overlaps-and-edges": (PAIRS, (PLANE, SLOPES, G, G, G, G)),
    "conditional-risk": (("o", "InWords", ("text", BAYES_RISK)), ()),
}  # fmt: skip


def test_every_theorem_is_tried():
    assert STATEMENTS.keys() == {*SCHEMAS, *VECTOR_SCHEMAS}
    assert not SCHEMAS.keys() & VECTOR_SCHEMAS


@pytest.mark.parametrize("name", sorted(STATEMENTS))
def test_a_theorem_names_itself_and_supposes_something(name):
    goal, values = STATEMENTS[name]
    line = theorem(name, goal, *values)
    assert line.conclusion == goal
    own = SCHEMAS[name][3] if name in SCHEMAS else ("extension vectors", *VECTOR_SCHEMAS[name][3])
    assert {f"theorem {name}", *own} == line.axioms
    assert line.hypotheses


@pytest.mark.parametrize("name", sorted(STATEMENTS))
def test_no_rule_makes_theorems_of_the_other(name):
    goal, values = STATEMENTS[name]
    for rule, mine in (("theorem", SCHEMAS), ("vector theorem", VECTOR_SCHEMAS)):
        if name not in mine:
            with pytest.raises(Rejected, match="no theorem of this name"):
                apply_rule(rule, (), name, goal, values)


def test_no_theorem_takes_the_place_of_another():
    with pytest.raises(Rejected, match="two theorems have the name decrease"):
        register_theorem("decrease", "InWords", 0)(lambda goal: [])


@pytest.mark.parametrize("name", sorted(STATEMENTS))
def test_another_goal_or_other_values_are_refused(name):
    goal, values = STATEMENTS[name]
    for other in (("o", "Forever", *goal[2:]), (*goal, ONE, ONE), goal[:2], ("=", ONE, ONE)):
        with pytest.raises(Rejected):
            theorem(name, other, *values)
    for wrong in ((*values, ONE), values[1:] if values else (ONE,)):
        with pytest.raises(Rejected):
            theorem(name, goal, *wrong)
    with pytest.raises(Rejected):
        theorem("from nothing", goal, *values)


@pytest.mark.parametrize(
    "g",
    [
        box_map(HALF, low=1, high=1),
        box_map(HALF, low=1, high=-1),
        box_map(HALF, X),
        box_map(("s", "n", "Z"), names=(("s", "n", "Z"),)),
        (*G[:3], ("tuple", A), ("tuple", ONE)),
        ("tuple", ("text", "SphereDescent"), *G[2:]),
        HALF,
    ],
)
def test_what_is_no_map_of_a_box_is_refused(g):
    with pytest.raises(Rejected):
        theorem("decrease", ("o", "DecreasesAlong", g, SQUARE))


def test_a_parameter_is_not_caught_by_a_coordinate():
    # The function has a parameter of the name of the coordinate of the map.
    f = ("lam", (Y,), (("*", X, Y),), ())
    line = theorem("decrease", ("o", "DecreasesAlong", G, f))
    caught = ("forall", (X,), (("implies", ("and", ("<=", num(-1), X), ("<=", X, ONE)),
              ("<=", ("+", ("*", X, HALF), ("*", num(-1), ("*", X, X))), ZERO)),), ())  # fmt: skip
    assert canonical_key(caught) not in line.hypotheses


OF_PAIRS = ("from-overlaps-and-edges",)


@pytest.mark.parametrize(
    ("name", "goal", "values"),
    [
        # A limit on the face that is not listed; a face outside; no face; a point that moves.
        ("on-face", STATEMENTS["on-face"][0], (PLANE, ONE, ONE, points((ONE, ONE)))),
        ("on-face", STATEMENTS["on-face"][0], (PLANE, ONE, TWO, points((ZERO, ONE)))),
        ("on-face", STATEMENTS["on-face"][0], (PLANE, TWO, ONE, points((ZERO, ONE)))),
        ("on-face", STATEMENTS["on-face"][0], (PLANE, num(1, 2), *STATEMENTS["on-face"][1][2:])),
        ("on-face", STATEMENTS["on-face"][0], (PLANE, ONE, ONE, points((ZERO, ("pi",))))),
        (
            "on-face",
            ("o", "OrbitsConvergeTo", box_map(HALF, high=2), ORIGIN),
            (PLANE, ONE, ONE, points((ZERO, ONE))),
        ),
        # The parts lack a point; points of another space; points with parameters.
        ("null-union", STATEMENTS["null-union"][0], (("tuple", ORIGIN),)),
        ("null-union", STATEMENTS["null-union"][0], (("tuple", ORIGIN, points((ONE, ONE))),)),
        ("all-but-few", STATEMENTS["all-but-few"][0], (points(A),)),
        # One point at a time; a matrix of another size.
        ("center-stable", ("o", "NullStarts", G, points(ZERO, ONE)), (("tuple", TWO), TWO)),
        ("center-stable", STATEMENTS["center-stable"][0], (("tuple", TWO, TWO), TWO)),
        # Functions of other variables, or with other numbers of values.
        ("decrease", ("o", "DecreasesAlong", G, lam(X, X)), ()),
        ("decrease", ("o", "DecreasesAlong", PLANE, SQUARE), ()),
        ("small-steps", ("o", "StepsVanish", G), (lam(X, X), ONE)),
        ("small-steps", ("o", "StepsVanish", G, SQUARE), (SQUARE, ONE)),
        # Ends that are no signs; an edge without an end; another square, other slopes, other edges.
        (*OF_PAIRS, (*PAIRS[:3], points((ONE, ZERO), (num(-1), ONE))), (PLANE, SLOPES, G, G, G, G)),
        (*OF_PAIRS, (*PAIRS[:3], points((ONE, ONE), (ONE, num(-1)))), (PLANE, SLOPES, G, G, G, G)),
        (*OF_PAIRS, (*PAIRS[:3], points(*SIGN_PAIRS, (ZERO, ZERO))), (PLANE, SLOPES, G, G, G, G)),
        (
            *OF_PAIRS,
            (*PAIRS[:2], ("tuple", ("text", "Descent"), *DESCENT[2:]), SIGNS),
            (PLANE, SLOPES, G, G, G, G),
        ),
        (*OF_PAIRS, ("o", "NullPairs", DESCENT, points((A, ONE))), (PLANE, SLOPES, G, G, G, G)),
        (*OF_PAIRS, (*PAIRS, SIGNS), (PLANE, SLOPES, G, G, G, G)),
        (*OF_PAIRS, PAIRS, (box_map(HALF, Y, names=(X, Y), high=2), SLOPES, G, G, G, G)),
        (*OF_PAIRS, PAIRS, (box_map(HALF, Y, names=(X, Y), low=0), SLOPES, G, G, G, G)),
        (*OF_PAIRS, PAIRS, (box_map(HALF, Y, names=(X, Y), high=0), SLOPES, G, G, G, G)),
        (*OF_PAIRS, PAIRS, (PLANE, lam(X, names=(X, Y)), G, G, G, G)),
        (*OF_PAIRS, PAIRS, (PLANE, lam(X, X), G, G, G, G)),
        (*OF_PAIRS, PAIRS, (PLANE, lam(X, X, names=(X, ("s", "n", "Z"))), G, G, G, G)),
        (*OF_PAIRS, PAIRS, (PLANE, SLOPES, G, G, G, box_map(HALF, high=2))),
        (*OF_PAIRS, PAIRS, (PLANE, SLOPES, G, G, G, box_map(HALF, low=-2))),
        (*OF_PAIRS, PAIRS, (PLANE, SLOPES, G, G, G, PLANE)),
        # What moves otherwise; functions of other numbers, or with two values.
        (*OF_PAIRS, (*PAIRS[:2], G, SIGNS), (PLANE, SLOPES, G, G, G, G)),
        *(
            (
                *OF_PAIRS,
                (*PAIRS[:2], (*DESCENT[:2], f, *DESCENT[3:]), SIGNS),
                (PLANE, SLOPES, G, G, G, G),
            )
            for f in (
                PLANE,
                lam(X, names=OVERLAPS[:4]),
                lam(X, X, names=OVERLAPS),
                lam(X, names=(*OVERLAPS[:4], ("s", "n", "Z"))),
            )
        ),
        # A step size or a dimension that is no term.
        *(
            (*OF_PAIRS, ("o", kind, descent, SIGNS), (PLANE, SLOPES, G, G, G, G))
            for kind in ("AlmostEveryPairConvergesTo", "NullPairs")
            for wrong in (("<", ZERO, ONE), ("tuple", ONE), ("text", "a"), ("oo",), SLOPES)
            for descent in ((*DESCENT[:3], wrong, DESCENT[4]), (*DESCENT[:4], wrong))
        ),
        # Another sentence, and the sentence about something.
        ("conditional-risk", ("o", "InWords", ("text", "All is well.")), ()),
        ("conditional-risk", ("o", "InWords", ("text", BAYES_RISK), ONE), ()),
    ],
)
def test_data_that_does_not_fit_is_refused(name, goal, values):
    with pytest.raises(Rejected):
        theorem(name, goal, *values)


def test_an_eigenvalue_is_asked_to_be_one():
    goal, values = STATEMENTS["center-stable"]
    asked = theorem("center-stable", goal, *values).hypotheses
    slope = ("d", (1,), (X,), (HALF,), (ZERO,))
    zero = ("+", ("*", ONE, ("+", TWO, ("*", num(-1), TWO))))
    for p in (("=", slope, TWO), ("=", zero, ZERO), ("<", ONE, TWO), ("<", num(-1), ZERO)):
        assert canonical_key(p) in asked


def smoothness(body, at=ONE):
    return set(apply_rule("smooth", (), lam(body), ("tuple", at)).hypotheses)


def test_smooth_functions_ask_for_open_relations():
    assert canonical_key(("<", ZERO, A)) in smoothness(("^", 1, 2, X), A)
    assert canonical_key(("!=", A, ZERO)) in smoothness(("^", -1, 1, X), A)
    assert canonical_key(("<", ("^", 2, 1, A), ONE)) in smoothness(("f", "asin", X), A)
    assert canonical_key(("!=", A, ZERO)) in smoothness(("f", "abs", X), A)


@pytest.mark.parametrize(
    "body",
    [
        ("f", "max", X, ONE),
        ("E", (Y,), (("*", X, Y),), (("gauss", 1, ZERO, ONE),)),
        ("int", (Y,), (("*", X, Y),), (ZERO, ONE)),
    ],
)
def test_what_is_not_known_to_be_smooth_is_refused(body):
    with pytest.raises(Rejected):
        smoothness(body)


def of_pairs(goal=PAIRS, *faces):
    return theorem(*OF_PAIRS, goal, PLANE, SLOPES, *(faces or (G, G, G, G)))


def on_square(p):
    ends = [r for x in (X, Y) for r in (("<=", num(-1), x), ("<=", x, ONE))]
    return ("forall", (X,), (("forall", (Y,), (("implies", ("and", *ends), p),), ()),), ())


def test_pairs_ask_for_all_that_makes_them_follow_the_overlaps():
    risk = ("*", X, Y, *OVERLAPS[2:])
    flat = ("tuple", X, Y, ZERO, ZERO, ZERO)
    slopes = (("*", P, X), ("*", Q, Y), ZERO, ZERO, ZERO)
    wanted = [("<=", num(3), ("s", "d", "Z>0")), on_square(("o", "smooth", DESCENT[2], flat))]
    for x, slope in zip((X, Y, *OVERLAPS[2:]), slopes, strict=True):
        inner = ("d", (1,), (x,), (risk,), (x,))
        here = ("d", (0, 0, 0), OVERLAPS[2:], (inner,), (ZERO, ZERO, ZERO))
        wanted.append(on_square(("=", here, slope)))
    made = of_pairs().hypotheses
    assert {canonical_key(p) for p in wanted} <= made.keys()
    # The planar map, and where it leads on the edges.
    assert canonical_key(("o", "AlmostEveryStartConvergesTo", PLANE, SIGNS)) in made
    ends = points(ONE), points(num(-1))
    assert {
        canonical_key(("o", "AlmostEveryStartConvergesTo", G, end)) for end in ends
    } <= made.keys()


def step(x, slope, rate):
    """The overlap after a step of a unit vector in R^3 whose gradient is along the first axis."""
    here = np.array([x, 0.6, 0.8]) * np.array([1, *(2 * [math.sqrt(1 - x * x)])])
    gradient = np.array([slope, 0.0, 0.0])
    moved = here - rate * (gradient - here * (here @ gradient))
    return moved[0] / np.linalg.norm(moved)


@pytest.mark.parametrize("seed", range(5))
def test_the_step_that_pairs_ask_for_is_that_of_vectors(seed):
    x, y, p, q, a = np.random.default_rng(seed).uniform(-0.9, 0.9, 5)
    numbers = {X: x, Y: y, P: p, Q: q, A: a}
    found = []
    for h in of_pairs().hypotheses.values():
        body = h[2][0][2][0][-1] if h[0] == "forall" and h[2][0][0] == "forall" else h
        if body[0] == "=" and body[1][0] == "*" and body[1][-1][:3] == ("^", -1, 2):
            assert free_symbols(body) <= numbers.keys()
            top, root = (value(t, numbers) for t in (body[1][1], body[1][2][3]))
            found.append(top / math.sqrt(root))
    assert found == pytest.approx([step(x, p * x, a), step(y, q * y, a)], rel=1e-12)


def test_an_edge_keeps_its_place_and_moves_as_the_square_does():
    # The first coordinate stands still, the second one moves by what the first one says.
    plane = box_map(X, ("*", X, Y), names=(X, Y))
    made = theorem(*OF_PAIRS, PAIRS, plane, SLOPES, G, G, G, G).hypotheses
    inside = ("and", ("<=", num(-1), X), ("<=", X, ONE))
    for end in (ONE, num(-1)):
        for p in (("=", end, end), ("=", HALF, ("*", end, X)), ("=", ("*", X, end), end),
                  ("=", HALF, X)):  # fmt: skip
            assert canonical_key(("forall", (X,), (("implies", inside, p),), ())) in made


def test_few_pairs_end_where_few_starts_do():
    # Of the points on an edge one is asked, of others none.
    made = of_pairs(("o", "NullPairs", DESCENT, points((ZERO, ZERO), (ONE, ZERO))))
    said = [h for h in made.hypotheses.values() if h[:2] == ("o", "NullStarts")]
    assert sorted(map(canonical_key, said)) == sorted(
        [canonical_key(("o", "NullStarts", PLANE, points((ZERO, ZERO), (ONE, ZERO)))),
         canonical_key(("o", "NullStarts", G, points(ZERO)))]
    )  # fmt: skip


@pytest.mark.parametrize("name", [OVERLAPS[3], P])
def test_a_coordinate_of_the_map_may_be_called_like_something_else(name):
    # Else the slope in an overlap would be one in the first coordinate.
    made, other = (
        theorem(*OF_PAIRS, PAIRS, box_map(x, Y, names=(x, Y)), SLOPES, G, G, G, G)
        for x in (name, X)
    )
    assert made.hypotheses.keys() == other.hypotheses.keys()


def test_a_coordinate_of_an_edge_may_be_called_like_a_parameter():
    plane = box_map(("*", P, X), Y, names=(X, Y))
    made, other = (
        theorem(*OF_PAIRS, PAIRS, plane, SLOPES, *(4 * [box_map(x, names=(x,))])) for x in (P, X)
    )
    assert made.hypotheses.keys() == other.hypotheses.keys()


def test_the_bayes_risk_asks_for_what_is_claimed_of_numbers():
    def read(row):
        return tuple(map(read, row)) if isinstance(row, list) else row

    log = read_log_records(BUNDLED_LOG)
    tokens, noise = (log[f"bayes-{name}-given-tokens"] for name in ("risk", "bound"))
    (total,) = map(read, tokens["given"])
    error = read(noise["statement"])[2]
    wanted = [
        read(noise["statement"]),
        ("implies", total, read(tokens["statement"])),
        ("<=", ("^", 2, 1, ("s", "epsilon", "R>=0")), error),
    ]
    asked = theorem("conditional-risk", *STATEMENTS["conditional-risk"][:1]).hypotheses.values()
    for h, p in zip(asked, wanted, strict=True):
        ((m,), _, _), ((q,), (body,), _) = h[1:], h[2][0][1:]
        assert {m[1], q[1]} == {"m", "p"}
        assert plainly(body) == plainly(p)


def plainly(t):
    """A term whose sums and products are in one order, without brackets in products."""
    if not isinstance(t, tuple):
        return t
    parts = [plainly(part) for part in t]
    if t[0] not in ("+", "*"):
        return tuple(parts)
    flat = [f for part in parts[1:] for f in (part[1:] if part[:1] == (t[0],) else [part])]
    return (t[0], *sorted(flat, key=repr))
