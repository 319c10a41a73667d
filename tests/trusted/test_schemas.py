"""Theorems on orbits: what each asks for, and data that it refuses."""

from __future__ import annotations

import pytest

from slrsym.trusted import Rejected
from slrsym.trusted.schemas import SCHEMAS
from slrsym.trusted.term import key, num
from slrsym.trusted.theorem import prove

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
    return prove("theorem", (), name, goal, values)


G = box_map(HALF)
PLANE = box_map(HALF, Y, names=(X, Y))
SQUARE = lam(("^", 2, 1, X))
ORIGIN = points(ZERO)
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
}  # fmt: skip


def test_every_theorem_is_tried():
    assert STATEMENTS.keys() == SCHEMAS.keys()


@pytest.mark.parametrize("name", sorted(SCHEMAS))
def test_a_theorem_names_itself_and_supposes_something(name):
    goal, values = STATEMENTS[name]
    line = theorem(name, goal, *values)
    assert line.conclusion == goal
    assert {f"theorem {name}", *SCHEMAS[name][3]} == line.axioms
    assert line.hypotheses


@pytest.mark.parametrize("name", sorted(SCHEMAS))
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
    assert key(caught) not in line.hypotheses


@pytest.mark.parametrize(
    ("name", "goal", "values"),
    [
        # A limit on the face that is not listed; a face outside; no face; a point that moves.
        ("on-face", STATEMENTS["on-face"][0], (PLANE, ONE, ONE, points((ONE, ONE)))),
        ("on-face", STATEMENTS["on-face"][0], (PLANE, ONE, TWO, points((ZERO, ONE)))),
        ("on-face", STATEMENTS["on-face"][0], (PLANE, TWO, ONE, points((ZERO, ONE)))),
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
        assert key(p) in asked


def smoothness(body, at=ONE):
    return set(prove("smooth", (), lam(body), ("tuple", at)).hypotheses)


def test_smooth_functions_ask_for_open_relations():
    assert key(("<", ZERO, A)) in smoothness(("^", 1, 2, X), A)
    assert key(("!=", A, ZERO)) in smoothness(("^", -1, 1, X), A)
    assert key(("<", ("^", 2, 1, A), ONE)) in smoothness(("f", "asin", X), A)
    assert key(("!=", A, ZERO)) in smoothness(("f", "abs", X), A)


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
