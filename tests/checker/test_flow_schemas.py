"""Theorems on flows: what each asks for, data that it refuses, and traps."""

from __future__ import annotations

import itertools

import pytest

from slrsym.checker import Rejected
from slrsym.checker.extensions.dynamics import FLOW_SCHEMAS
from slrsym.checker.term import canonical_key, free_symbols, num
from slrsym.checker.theorem import apply_rule

X, Y, A, N = ("s", "x", "R"), ("s", "y", "R"), ("s", "a", "R>0"), ("s", "n", "Z")
T, S = ("s", "t", "R>=0"), ("s", "s", "R")
ZERO, ONE, TWO, MINUS = num(0), num(1), num(2), num(-1)


def lam(*bodies, names=(X,)):
    return ("lam", names, bodies, ())


def minus(t):
    return ("*", MINUS, t)


def exp(t):
    return ("f", "exp", t)


def flow(*field, names=(X,), domain=(ONE,)):
    return ("tuple", ("text", "Flow"), lam(*field, names=names), lam(*domain, names=names))


def points(*values):
    return ("set", *(("tuple", *(p if isinstance(p[0], tuple) else (p,))) for p in values))


def derivative(t, x=X):
    return ("d", (1,), (x,), (t,), (x,))


def slope(t, field):
    return ("+", ("*", derivative(t), field))


def everywhere(p, *where, names=(X,)):
    p = ("implies", ("and", *where), p)
    for x in reversed(names):
        p = ("forall", (x,), (p,), ())
    return p


def smooth(*bodies, names=(X,)):
    return ("o", "smooth", lam(*bodies, names=names), ("tuple", *names))


def theorem(name, goal, *values):
    return apply_rule("flow theorem", (), name, goal, values)


def said(kind, flow, *about):
    return ("o", kind, flow, *about)


LOGISTIC = ("*", X, ("+", ONE, minus(X)))
F = flow(LOGISTIC)
IN_ALL = ("<", ZERO, ONE)
HALF_LINE = lam(X)
UNIT = lam(X, ("+", ONE, minus(X)))
IN_UNIT = ("<=", ZERO, X), ("<=", ZERO, ("+", ONE, minus(X)))
PLANE = flow(Y, minus(X), names=(X, Y))
SADDLE = flow(X, minus(Y), names=(X, Y))
SQUARE = ("^", 2, 1, X)
SOLUTION = ("lam", (Y, X), (("*", X, exp(minus(Y))),), ())
GOALS = {
    "flow-barrier": (said("RegionKept", F, UNIT), (ONE,)),
    "flow-cofactor": (said("RegionKept", F, HALF_LINE), (lam(("+", ONE, minus(X))),)),
    "flow-gronwall": (said("DecaysAlong", F, UNIT, lam(SQUARE), A), ()),
    "flow-for-ever": (
        said("LastsForEver", F, UNIT), (lam(ZERO), ZERO, lam(ONE, names=(Y, X)),
                                        lam(ONE, names=(Y, X)))),
    "flow-ends": (said("EndsBy", flow(SQUARE), HALF_LINE, lam(("^", -1, 1, X))), ()),
    "flow-lasalle": (said("FlowLimitsSolve", F, UNIT, lam(LOGISTIC)), (lam(SQUARE), ONE, ONE)),
    "flow-limit": (said("FlowsConvergeTo", F, UNIT, points(ZERO, ONE)),
                   (lam(LOGISTIC), ("tuple", ("tuple", MINUS, ZERO)))),
    "flow-center-stable": (said("NullFlowStarts", SADDLE, points((ZERO, ZERO))),
                           (("tuple", ONE, ZERO, ZERO, MINUS), ONE)),
    "flow-solution": (said("SolvedBy", flow(minus(X)), HALF_LINE, SOLUTION), ()),
    "flow-time": (said("ArrivesAt", flow(SQUARE), ("tuple", ONE, TWO), num(1, 2)),
                  (ONE, lam(("^", -2, 1, X)))),
}  # fmt: skip


def hypotheses_of(name):
    goal, values = GOALS[name]
    return set(theorem(name, goal, *values).hypotheses)


def keys(*formulas):
    return set(map(canonical_key, formulas))


def test_every_theorem_is_tried():
    assert GOALS.keys() == FLOW_SCHEMAS.keys()


@pytest.mark.parametrize("name", sorted(GOALS))
def test_a_theorem_names_itself_its_axioms_and_its_extension(name):
    goal, values = GOALS[name]
    line = theorem(name, goal, *values)
    assert line.conclusion == goal
    assert line.axioms == {f"theorem {name}", "extension dynamics", *FLOW_SCHEMAS[name][3]}
    assert line.hypotheses
    # Nothing is asked of coordinates but what holds for all of them.
    allowed = free_symbols(goal).union(*map(free_symbols, values))
    assert all(free_symbols(h) <= allowed for h in line.hypotheses.values())


@pytest.mark.parametrize("name", sorted(GOALS))
def test_other_kinds_parts_and_values_are_refused(name):
    goal, values = GOALS[name]
    kinds = {kind for kind, *_ in FLOW_SCHEMAS.values()}
    for kind in {k for known in kinds for k in known.split()} - set(FLOW_SCHEMAS[name][0].split()):
        with pytest.raises(Rejected):
            theorem(name, ("o", kind, *goal[2:]), *values)
    for other in (goal[:-1], (*goal, ONE), goal[:2], ("=", ONE, ONE), ("o", "Forever", *goal[2:])):
        with pytest.raises(Rejected):
            theorem(name, other, *values)
    for wrong in ((*values, ONE), values[1:] if values else (ONE,)):
        with pytest.raises(Rejected):
            theorem(name, goal, *wrong)
    for rule in ("theorem", "flow theorem"):
        with pytest.raises(Rejected):
            apply_rule(rule, (), name if rule == "theorem" else "decrease", goal, values)


INTEGER = lam(N, names=(N,))
NO_FLOWS = [
    flow(X, X), flow(X, names=(X, Y)), flow(N, names=(N,)), F[:3], (*F, lam(ONE)),
    ("tuple", ("text", "BoxMap"), *F[2:]), ("tuple", F[2], F[3]), X, ("set", *F[1:]),
    (*F[:3], lam(ONE, names=(X, Y))), (*F[:3], INTEGER), (*F[:2], LOGISTIC, F[3]),
    (*F[:2], ("tuple", X), F[3]), (*F[:3], ("tuple", ONE)),
]  # fmt: skip


@pytest.mark.parametrize("wrong", NO_FLOWS, ids=range(len(NO_FLOWS)))
@pytest.mark.parametrize("name", sorted(GOALS))
def test_what_is_no_flow_is_refused(name, wrong):
    goal, values = GOALS[name]
    with pytest.raises(Rejected):
        theorem(name, (*goal[:2], wrong, *goal[3:]), *values)


@pytest.mark.parametrize("name", sorted(GOALS))
def test_functions_of_other_coordinates_are_refused(name):
    """Each function of the goal and of the values has its numbers of variables and of values."""
    goal, values = GOALS[name]
    for place, part in itertools.chain(enumerate(goal), enumerate(values, start=len(goal))):
        if place < 3 or part[0] != "lam":
            continue
        more = (*part[:1], (*part[1], ("s", "w", "R")), *part[2:])
        for wrong in (INTEGER, X, ("tuple", X), more):
            changed = [*goal, *values]
            changed[place] = wrong
            with pytest.raises(Rejected):
                theorem(name, tuple(changed[: len(goal)]), *changed[len(goal) :])


@pytest.mark.parametrize("name", ["flow-limit", "flow-center-stable"])
def test_points_have_as_many_terms_as_coordinates(name):
    goal, values = GOALS[name]
    size = len(goal[-1][1]) - 1
    right = ("tuple", *(ZERO,) * size)
    for wrong in (("set",), ("set", right[:-1]), ("set", (*right, ZERO)), right, ("tuple", right),
                  ("set", ("tuple", *(("oo",),) * size)), ("set", ZERO), lam(ZERO)):  # fmt: skip
        with pytest.raises(Rejected):
            theorem(name, (*goal[:-1], wrong), *values)


def test_the_example_of_the_specification():
    c = ("+", ONE, minus(X))
    expected = keys(
        everywhere(smooth(LOGISTIC, ONE), IN_ALL),
        everywhere(smooth(X, c), IN_ALL),
        everywhere(("<=", ("*", c, X), slope(X, LOGISTIC)), IN_ALL),
    )
    assert hypotheses_of("flow-cofactor") == expected


def test_a_barrier_asks_for_strict_slopes_and_functions_smooth_on_the_domain():
    c = ("+", ONE, minus(X))
    rises = everywhere(("<", ZERO, slope(c, LOGISTIC)), IN_ALL, *IN_UNIT, ("<=", c, ZERO))
    first = ("o", "RegionKept", F, lam(X))
    assert hypotheses_of("flow-barrier") == keys(
        first, everywhere(smooth(X, c), IN_ALL), rises
    )  # fmt: skip
    none = theorem("flow-barrier", GOALS["flow-barrier"][0], ZERO)
    assert set(none.hypotheses) == keys(
        everywhere(smooth(LOGISTIC, ONE), IN_ALL), everywhere(smooth(X, c), IN_ALL), rises,
        everywhere(("<", ZERO, slope(X, LOGISTIC)), IN_ALL, *IN_UNIT, ("<=", X, ZERO)),
    )  # fmt: skip


@pytest.mark.parametrize("first", [TWO, num(3), MINUS, num(1, 2), A, ("pi",)])
def test_a_barrier_needs_a_function_that_rises(first):
    with pytest.raises(Rejected):
        theorem("flow-barrier", GOALS["flow-barrier"][0], first)


def test_a_cofactor_is_asked_for_where_the_functions_before_are_not_negative():
    """Not where all are: x' = 1 would keep -x^2 >= 0, which holds at 0 alone."""
    c = ("+", ONE, minus(X))
    found = theorem("flow-cofactor", said("RegionKept", F, UNIT), lam(A, c))
    assert set(found.hypotheses) == keys(
        everywhere(smooth(LOGISTIC, ONE), IN_ALL),
        everywhere(smooth(X, A), IN_ALL),
        everywhere(("<=", ("*", A, X), slope(X, LOGISTIC)), IN_ALL),
        everywhere(smooth(c, c), IN_ALL, IN_UNIT[0]),
        everywhere(("<=", ("*", c, c), slope(c, LOGISTIC)), IN_ALL, IN_UNIT[0]),
    )


def test_gronwall_asks_that_the_region_is_kept():
    here = IN_ALL, *IN_UNIT
    kept, v = ("o", "RegionKept", F, UNIT), everywhere(smooth(SQUARE), IN_ALL, *IN_UNIT)
    change = ("+", slope(SQUARE, LOGISTIC), ("*", A, SQUARE))
    assert hypotheses_of("flow-gronwall") == keys(
        kept, v, everywhere(("<=", change, ZERO), *here), ("=", A, A)
    )  # fmt: skip
    same = theorem("flow-gronwall", said("ConstantAlong", F, UNIT, lam(SQUARE)))
    assert set(same.hypotheses) == keys(
        kept, v, everywhere(("=", slope(SQUARE, LOGISTIC), ZERO), *here)
    )  # fmt: skip


def test_to_last_for_ever_the_domain_is_smooth_on_the_whole_cube():
    """Otherwise x' = -1 would, on x != 0, which 1/x^2 > 0 says as well: it is large at its edge."""
    h = ("^", -2, 1, X)
    region, v, z = HALF_LINE, ("*", A, X), ("s", "z", "R")
    half, least = ("+", z, T), exp(minus(T))
    goal = said("LastsForEver", flow(MINUS, domain=(h,)), region)
    names = (Y, X)
    values = (lam(v), MINUS, lam(("+", X, Y), names=names), lam(exp(minus(Y)), names=names))
    found = theorem("flow-for-ever", goal, *values)
    begins = ("<", ZERO, ("^", -2, 1, z)), ("<=", ZERO, z)
    cube = ("<=", minus(half), X), ("<=", X, half)
    growth = exp(("*", MINUS, MINUS, T))
    inside = ("and", ("<", ZERO, least), *cube, ("<=", least, h))
    bounded = ("<=", v, ("*", ("f", "abs", ("*", A, z)), growth))
    assert set(found.hypotheses) == keys(
        ("o", "RegionKept", goal[2], region),
        ("o", "DecaysAlong", goal[2], region, lam(v), MINUS),
        ("<=", MINUS, ZERO),
        everywhere(smooth(h), *begins, *cube, names=(X, z, T)),
        everywhere(inside, *begins, ("<", ZERO, h), ("<=", ZERO, X), bounded, names=(X, z, T)),
    )


def test_ends_are_asked_for_a_rate_of_one():
    end, here = ("^", -1, 1, X), (IN_ALL, ("<=", ZERO, X))
    assert hypotheses_of("flow-ends") == keys(
        ("o", "RegionKept", flow(SQUARE), HALF_LINE),
        everywhere(smooth(end), *here),
        everywhere(("<=", ZERO, end), *here),
        everywhere(("<=", ("+", slope(end, SQUARE), ONE), ZERO), *here),
    )


def test_lasalle_asks_for_a_compact_region():
    """Its functions are smooth on the whole cube, and all points where they are >= 0 lie in it."""
    cube = ("<=", minus(ONE), X), ("<=", X, ONE)
    least = ("+", ("^", 2, 1, LOGISTIC), ("*", ONE, slope(SQUARE, LOGISTIC)))
    assert hypotheses_of("flow-lasalle") == keys(
        ("o", "RegionKept", F, UNIT),
        everywhere(smooth(*UNIT[2]), *cube),
        everywhere(("and", IN_ALL, *cube), *IN_UNIT),
        everywhere(smooth(SQUARE), IN_ALL, *IN_UNIT),
        everywhere(("<=", least, ZERO), IN_ALL, *IN_UNIT),
        ("<", ZERO, ONE),
    )


def test_limits_asks_that_points_outside_are_outside():
    at = lambda c: ("and", ("=", X, c))  # noqa: E731
    solved = ("implies", ("and", ("=", LOGISTIC, ZERO)), ("or", at(ZERO), at(ONE), at(MINUS)))
    assert hypotheses_of("flow-limit") == keys(
        ("o", "FlowLimitsSolve", F, UNIT, lam(LOGISTIC)),
        ("<", MINUS, ZERO),
        everywhere(solved, IN_ALL, *IN_UNIT),
    )
    # To list 0 as outside of 0 <= x <= 1 asks for 0 < 0.
    values = (lam(LOGISTIC), ("tuple", ("tuple", ZERO, ZERO)))
    found = theorem("flow-limit", said("FlowsConvergeTo", F, UNIT, points(ONE)), *values)
    assert canonical_key(("<", ZERO, ZERO)) in found.hypotheses
    for wrong in (ONE, ("tuple", ZERO), ("tuple", ("tuple", ZERO)), ("tuple", ("tuple", ZERO, TWO)),
                  ("tuple", ("tuple", ZERO, MINUS)), ("tuple", ("tuple", ("oo",), ZERO)),
                  ("set", ("tuple", MINUS, ZERO))):  # fmt: skip
        with pytest.raises(Rejected):
            theorem("flow-limit", GOALS["flow-limit"][0], lam(LOGISTIC), wrong)


def test_the_center_stable_theorem_asks_for_an_eigenvalue_above_zero():
    d = lambda j, t: ("d", tuple(int(k == j) for k in (0, 1)), (X, Y), (t,), (ZERO, ZERO))  # noqa: E731
    minors = (("+", ONE, minus(ONE)), ZERO), (ZERO, ("+", MINUS, minus(ONE)))
    determinant = ("+", ("*", ONE, minors[0][0], minors[1][1]), ("*", MINUS, ZERO, ZERO))
    assert hypotheses_of("flow-center-stable") == keys(
        everywhere(smooth(X, minus(Y), ONE, names=(X, Y)), IN_ALL, names=(X, Y)),
        IN_ALL, ("=", ZERO, ZERO), ("=", minus(ZERO), ZERO),
        ("=", d(0, X), ONE), ("=", d(1, X), ZERO),
        ("=", d(0, minus(Y)), ZERO), ("=", d(1, minus(Y)), MINUS),
        ("=", determinant, ZERO), ("<", ZERO, ONE),
    )  # fmt: skip
    goal, values = GOALS["flow-center-stable"]
    two = (*goal[:3], points((ZERO, ZERO), (ONE, ONE)))
    with pytest.raises(Rejected, match="more than one point"):
        theorem("flow-center-stable", two, *values)
    for matrix in (("tuple", ONE, ZERO, ZERO), ("tuple", ONE, ZERO, ZERO, lam(X)),
                   ("set", *values[0][1:])):  # fmt: skip
        with pytest.raises(Rejected):
            theorem("flow-center-stable", goal, matrix, ONE)
    with pytest.raises(Rejected):
        theorem("flow-center-stable", goal, values[0], lam(X))


def test_a_solution_is_asked_for_at_all_times():
    u = ("*", X, exp(minus(T)))
    there = ("d", (1,), (S,), (("*", X, exp(minus(S))),), (T,))
    here = IN_ALL, ("<=", ZERO, X)
    assert hypotheses_of("flow-solution") == keys(
        everywhere(smooth(minus(X), ONE), IN_ALL),
        everywhere(("=", ("*", X, exp(minus(ZERO))), X), *here),
        everywhere(("=", there, minus(u)), *here, names=(X, T)),
        everywhere(IN_ALL, *here, names=(X, T)),
    )


@pytest.mark.parametrize("direction", [ONE, MINUS])
def test_times_are_asked_for_by_the_direction(direction):
    field = SQUARE if direction == ONE else minus(SQUARE)
    a, b = (ONE, TWO) if direction == ONE else (TWO, ONE)
    goal = said("ArrivesAt", flow(field), ("tuple", a, b), num(1, 2))
    pushes = ("<", ZERO, field) if direction == ONE else ("<", field, ZERO)
    q = ("^", -2, 1, X) if direction == ONE else minus(("^", -2, 1, X))
    found = theorem("flow-time", goal, direction, lam(q))
    between = ("<=", ONE, X), ("<=", X, TWO)
    assert set(found.hypotheses) == keys(
        everywhere(smooth(field, ONE), IN_ALL),
        ("<=", ONE, TWO),
        everywhere(("and", IN_ALL, pushes), *between),
        everywhere(("=", ("*", field, q), ONE), *between),
        ("=", num(1, 2), ("int", (X,), (q,), (a, b))),
    )


def test_times_are_refused_for_other_data():
    goal, values = GOALS["flow-time"]
    for wrong in (ZERO, TWO, A, ("+", ONE)):
        with pytest.raises(Rejected):
            theorem("flow-time", goal, wrong, values[1])
    plane = said("ArrivesAt", PLANE, ("tuple", ONE, TWO), ONE)
    ends = [(*goal[:3], wrong, ONE) for wrong in
            (ONE, ("tuple", ONE), ("tuple", ONE, TWO, TWO), ("tuple", ONE, ("oo",)))]  # fmt: skip
    for other in (plane, *ends, (*goal[:4], lam(X))):
        with pytest.raises(Rejected):
            theorem("flow-time", other, *values)


def test_a_parameter_is_not_caught_by_a_coordinate():
    """A free x in a region, a cofactor or a bound is a parameter; the field's x is renamed."""
    region = lam(("+", Y, minus(X)), names=(Y,))
    found = theorem("flow-cofactor", said("RegionKept", F, region), lam(X, names=(Y,)))
    z, field = ("s", "z", "R"), ("*", ("s", "z", "R"), ("+", ONE, minus(("s", "z", "R"))))
    a = ("+", z, minus(X))
    slope_of = ("+", ("*", derivative(a, z), field))
    assert canonical_key(everywhere(("<=", ("*", X, a), slope_of), IN_ALL, names=(z,))) in (
        found.hypotheses
    )
    assert all(free_symbols(h) <= {X} for h in found.hypotheses.values())
    goal = said("FlowLimitsSolve", F, UNIT, lam(LOGISTIC))
    bounded = theorem("flow-lasalle", goal, lam(SQUARE), ONE, X)
    assert any(X in free_symbols(h) for h in bounded.hypotheses.values())
