"""What numbers object to in statements about orbits, for maps whose orbits are known by hand."""

from __future__ import annotations

import re

import mpmath
import numpy as np
import pytest
from sympy import Abs, Ge, Gt, Lambda, Le, Rational, Symbol, erf, sqrt, symbols

from slrsym.crosscheck import Inconclusive, orbit_iteration, orbits
from slrsym.crosscheck.orbit_iteration import MapInstance, solve_by_newton
from slrsym.crosscheck.orbits import ContradictedStatement, require_no_orbit_counterexample
from slrsym.gaussian import Expectation, standard_normal
from slrsym.papers.single_location.pairs import (
    AlmostEveryPairConvergesTo,
    NullPairs,
    SphereDescent,
)
from slrsym.papers.single_location.pairs import crosscheck as pairs
from slrsym.prover.statements.expressions import ProofError
from slrsym.prover.statements.maps import box_map, lambda_of_coordinates, point_set
from slrsym.prover.statements.orbits import (
    AccumulationPointsSolve,
    AlmostEveryStartConvergesTo,
    DecreasesAlong,
    Injective,
    InvertibleJacobian,
    LocalDiffeomorphism,
    NullStarts,
    OrbitsConvergeTo,
    OrbitStatement,
    StepsVanish,
    VanishesAlong,
)

R = Rational
HALF = R(1, 2)
x, y = symbols("x y", real=True)
a = Symbol("a", positive=True)
FEW = r"orbits were seen to behave as it says, in 3 examples; that is too few"


def on_line(image, low=-1, high=1):
    return box_map({x: image}, low=low, high=high)


def of_x(value):
    return lambda_of_coordinates((x,), value)


def points(*places):
    return point_set([(place,) for place in places])


def examine(statement, given=()):
    require_no_orbit_counterexample(statement, given, np.random.default_rng(1))


def assert_contradicted(statement, said, given=()):
    with pytest.raises(ContradictedStatement, match=said):
        examine(statement, given)


@pytest.fixture
def brief(monkeypatch):
    """Fewer steps, which are enough for maps that contract."""
    monkeypatch.setattr(orbit_iteration, "STEPS", 120)
    monkeypatch.setattr(orbit_iteration, "STARTS", 8)


def instance(image, low=-1, high=1, seed=0):
    return MapInstance(on_line(image, low, high), {}, np.random.default_rng(seed))


half = on_line(x / 2)
# 0 repels. 1/2 and -1/2 are exchanged, and attract all others, as the derivative there is 0.
exchange = on_line(2 * x**3 - R(3, 2) * x)
# 1/2 attracts all but 0, which repels.
logistic = on_line(2 * x * (1 - x), 0, 1)
# The slope at 0 is 1, and orbits come to within 1/n^2 of it all the same.
slow = on_line(x - 2 * x * sqrt(Abs(x)), -R(1, 4), R(1, 4))
shear = box_map({x: y / 2, y: x / 2 + y**2 / 4})


@pytest.mark.parametrize(
    "statement",
    [
        StepsVanish(half),
        OrbitsConvergeTo(half, points(0)),
        VanishesAlong(half, of_x(x**2)),
        # Far outside of the box it increases.
        DecreasesAlong(half, of_x(x**2 - x**4 / 2)),
        AccumulationPointsSolve(logistic, of_x((x * (2 * x - 1), 0))),
        OrbitsConvergeTo(logistic, points(0, R(1, 2))),
        AlmostEveryStartConvergesTo(logistic, points(R(1, 2))),
        NullStarts(logistic, points(0)),
        Injective(shear),
        InvertibleJacobian(shear),
        LocalDiffeomorphism(shear, point_set([(0, 0), (1, -1)])),
        StepsVanish(on_line(a * x)),
    ],
)
def test_a_true_statement_is_accepted(statement, brief):
    examine(statement, [Le(a, R(1, 2))] if a in statement.free_symbols else [])


@pytest.mark.parametrize(
    ("statement", "orbits_seen"),
    [
        (StepsVanish(half), 8),
        (OrbitsConvergeTo(half, points(0)), 8),
        (VanishesAlong(half, of_x(x**2)), 8),
        # What is a statement on the map alone needs three examples.
        (DecreasesAlong(half, of_x(x**2)), 2),
        (Injective(half), 2),
        (InvertibleJacobian(half), 2),
        (LocalDiffeomorphism(half, points(0)), 2),
    ],
)
def test_orbits_that_confirm_a_statement_are_counted(statement, orbits_seen, brief):
    case = MapInstance(half, {}, np.random.default_rng(0))
    assert orbits._JUDGES[type(statement)](statement, case) == orbits_seen


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        (StepsVanish(on_line(R(3, 2) * x)), r"^the orbit of \(-?\d.*\) leaves the box$"),
        (
            OrbitsConvergeTo(on_line(R(3, 2) * x), points(0)),
            r"^the orbit of \(-?\d.*\) leaves the box$",
        ),
        (DecreasesAlong(on_line(2 * x), of_x(-(x**2))), "^an orbit leaves the box$"),
        (DecreasesAlong(half, of_x(1 - x**2)), r"^it increases from \(-?0\.\d+\)$"),
        (
            StepsVanish(exchange),
            r"^the orbit of \(-?0.5\) returns after two steps, by way of elsewhere$",
        ),
        (
            VanishesAlong(exchange, of_x(2 * x)),
            r"^the orbit of \(-?0.5\) returns after two steps, by way of elsewhere$",
        ),
        (
            OrbitsConvergeTo(exchange, points(0)),
            r"^the orbit of \(-?0.5\) returns after two steps, by way of elsewhere$",
        ),
        (VanishesAlong(logistic, of_x(2 * x)), r"^it is 1.0 at the fixed point \(0.5\)$"),
        (
            AccumulationPointsSolve(logistic, of_x((0, 3 * x * (2 * x - 1), x))),
            r"^an equation is off by 0.5 at the fixed point \(0.5\)$",
        ),
        (
            OrbitsConvergeTo(logistic, points(R(1, 2))),
            r"^\(-?\d.*\) is a fixed point, and is not listed$",
        ),
        (
            AlmostEveryStartConvergesTo(logistic, points(0)),
            r"^\(0.5\) attracts all near it, and is not listed$",
        ),
        (
            NullStarts(logistic, points(0, R(1, 2))),
            r"^\(0.5\) attracts all orbits near it$",
        ),
        (NullStarts(slow, points(0)), r"^the orbit of \(-?0.\d+\) comes to within 1e-6 of one$"),
        (
            InvertibleJacobian(on_line(x - x**2)),
            r"^the Jacobian determinant is -0\.9\d* at \(0\.9\d*\) and 2\.9\d* at \(-0\.9\d*\), "
            r"so that it vanishes in between$",
        ),
        (
            LocalDiffeomorphism(on_line(x**2), points(R(1, 2), 0)),
            r"^the Jacobian determinant changes its sign near \(0.0\)$",
        ),
        (StepsVanish(on_line(a + x)), r"^the orbit of .* leaves the box, at a = [1-9]\d*(/\d+)?$"),
    ],
)
def test_a_false_statement_is_contradicted(statement, said, brief, monkeypatch):
    if statement.map == slow:
        monkeypatch.setattr(orbit_iteration, "STEPS", 1500)
    given = [Ge(a, R(1, 4))] if a in statement.free_symbols else []
    assert_contradicted(statement, said, given)


@pytest.mark.parametrize(
    ("statement", "seen"),
    [
        # All is true but the last, and nothing of it is to be seen where a slope is 1 or 0.
        (OrbitsConvergeTo(on_line(x - x**3 / 10), points(0)), 0),
        (StepsVanish(on_line(x - x**3 / 10)), 0),
        (VanishesAlong(on_line(x - x**3 / 10), of_x(2 * x)), 0),
        (InvertibleJacobian(on_line(x**3)), 0),
        (LocalDiffeomorphism(on_line(x**3), points(R(1, 2), 0)), 0),
    ],
)
def test_what_is_not_seen_is_undecided(statement, seen, brief):
    with pytest.raises(Inconclusive, match=f"^{seen} {FEW}$"):
        examine(statement)


@pytest.mark.parametrize("statement", [AlmostEveryStartConvergesTo, OrbitsConvergeTo])
def test_an_orbit_is_followed_to_a_limit_that_the_search_missed(statement, brief, monkeypatch):
    monkeypatch.setattr(MapInstance, "fixed_points", lambda case, period=1: [])
    assert_contradicted(
        statement(logistic, points(0)), r"^the orbit of \(0.\d+\) converges to \(0.5\)$"
    )


def test_two_points_with_one_image_are_found():
    with pytest.raises(ContradictedStatement) as found:
        examine(Injective(on_line(R(4, 5) * x**2)))
    first, second = (
        float(place) for place in str(found.value).replace("(", "").replace(")", "").split()[:3:2]
    )
    assert abs(first + second) < 1e-6 < abs(first)
    assert str(found.value).endswith(" have the same image")


# -- maps and their periodic points ---------------------------------------------------------------


def test_periodic_points_of_a_box_are_found_and_no_others():
    # Others of the cubic are plus and minus the root of 5/4, outside.
    case = MapInstance(exchange, {}, np.random.default_rng(0))
    (zero,) = case.fixed_points()
    assert abs(zero[0]) < 1e-30
    twice = sorted(point[0] for point in case.fixed_points(period=2))
    np.testing.assert_allclose(np.array(twice, dtype=float), [-0.5, 0, 0.5], rtol=0, atol=1e-30)


@pytest.mark.parametrize(
    ("image", "place", "attracts"),
    [
        (x / 2, 0, True),
        (-R(9, 10) * x, 0, True),
        (-R(11, 10) * x, 0, False),
        (x - x**3, 0, False),
        (2 * x * (1 - x), R(1, 2), True),
        (2 * x * (1 - x), 0, False),
    ],
)
def test_a_fixed_point_attracts_where_the_slope_is_below_one(image, place, attracts):
    assert instance(image).is_attracting([place]) is attracts


def test_a_fixed_point_in_the_plane_attracts_if_all_directions_do():
    for second, attracts in ((R(1, 2), True), (2, False)):
        planar = box_map({x: x / 3 + y, y: second * y})
        assert MapInstance(planar, {}, np.random.default_rng(0)).is_attracting([0, 0]) is attracts


def test_another_point_with_the_same_image():
    case = instance(x**2)
    (found,) = case.find_collision([0.25], [-0.7])
    assert abs(found + mpmath.mpf(1) / 4) < 1e-40
    # The point itself is no other, and one outside of the box is none.
    assert case.find_collision([0.25], [0.3]) is None
    assert instance(x**2, 0, 1).find_collision([0.25], [-0.7]) is None


@pytest.mark.parametrize(
    ("function", "start", "solution"),
    [
        (lambda x: [x * x - 2], [1.5], lambda: [mpmath.sqrt(2)]),
        (lambda x, y: [x + y - 3, x * y - 2], [0.5, 2.5], lambda: [1, 2]),
        (lambda x: [x - 3], [3.0], lambda: [3]),
        # A double zero, none at all, one too far away, and one where nothing can be divided.
        (lambda x: [x * x], [0.0], None),
        (lambda x: [x * x], [1.0], None),
        (lambda x: [x * x + 1], [0.4], None),
        (lambda x: [x - 1000], [0.0], None),
        (lambda x: [mpmath.mpf(1)], [0.0], None),
        (lambda x: [1 / x], [0.0], None),
    ],
)
def test_zeros_by_newtons_method(function, start, solution):
    found = solve_by_newton(function, start)
    if solution is None:
        assert found is None
        return
    with mpmath.workdps(50):
        assert max(abs(p - q) for p, q in zip(found, solution(), strict=True)) < 1e-45


def test_what_cannot_be_compiled_is_undecided():
    mean = Expectation(erf(x + y), standard_normal(y))
    with pytest.raises(Inconclusive, match=r"^Lambda\(x, E\[.*\]\) cannot be computed: Unsupp"):
        examine(VanishesAlong(half, of_x(mean)))
    with pytest.raises(Inconclusive, match=r"^the gradient cannot be computed: Unsupported"):
        pairs._Slopes(descent(kappa * mean.xreplace({x: nu})), {})


# -- pairs of unit vectors ------------------------------------------------------------------------

n = Symbol("n", integer=True)
overlaps = kappa, nu, theta, eta, rho = symbols("kappa nu theta eta rho", real=True)


def descent(value, rate=HALF):
    return SphereDescent(Lambda(overlaps, value), rate, n)


# The gradient leads k to k* and v to v*, or to the nearer one of both signs.
to_teacher, to_either = descent(-kappa - nu), descent(-(kappa**2) - nu**2)
BOTH = point_set([(1, 1), (1, -1), (-1, 1), (-1, -1)])


@pytest.mark.parametrize(
    ("statement", "given", "said"),
    [
        (AlmostEveryPairConvergesTo(to_teacher, point_set([(1, 1)])), [Ge(n, 4)], ""),
        (AlmostEveryPairConvergesTo(to_either, BOTH), [Ge(n, 3)], ""),
        (AlmostEveryPairConvergesTo(descent(-a * (kappa + nu), 1 / a), point_set([(1, 1)])),
         [Ge(n, 4)], ""),
        (NullPairs(to_teacher, point_set([(-1, -1), (0, 0), (1, 0), (0, 1)])), [Ge(n, 4)], ""),
        (
            AlmostEveryPairConvergesTo(to_teacher, point_set([(1, -1), (-1, 1)])),
            [Gt(n, 4)],
            r"the pair that begins with k . k\* = (-?0\.\d+), v . v\* = (-?0\.\d+) ends with "
            r"k . k\* = 1, v . v\* = 1, at n = [567]",
        ),
        # In three dimensions v begins at v* or at -v*, and stays there.
        (
            AlmostEveryPairConvergesTo(to_teacher, point_set([(1, 1)])),
            [Ge(n, 3), Le(n, 3)],
            r"the pair that begins with k . k\* = (\S+), v . v\* = (\S+) ends with "
            r"k . k\* = (-1, v . v\* = 1|1, v . v\* = -1), at n = 3",
        ),
        (
            NullPairs(to_teacher, point_set([(-1, -1), (1, 1)])),
            [Ge(n, 4)],
            r"the pair that begins with k . k\* = (-?0\.\d+), v . v\* = (-?0\.\d+) ends with "
            r"k . k\* = 1, v . v\* = 1, at n = [4567]",
        ),
    ],
)  # fmt: skip
def test_pairs_end_where_it_is_said(statement, given, said, monkeypatch):
    monkeypatch.setattr(pairs, "PAIR_STEPS", 120)
    try:
        examine(statement, given)
        found = ""
    except ContradictedStatement as error:
        found = str(error)
    assert re.fullmatch(said, found)


def test_pairs_that_have_not_arrived_decide_nothing(monkeypatch):
    monkeypatch.setattr(pairs, "PAIR_STEPS", 3)
    with pytest.raises(Inconclusive, match="0 of 96 pairs were seen to arrive; that is too few"):
        examine(
            AlmostEveryPairConvergesTo(descent(-kappa - nu, R(1, 100)), point_set([(1, 1)])),
            [Ge(n, 4)],
        )


def test_a_statement_about_other_maps_needs_a_cross_check():
    class Mine(OrbitStatement):
        """Which says nothing."""

    with pytest.raises(ProofError, match="statements of the kind Mine have no cross-check"):
        examine(Mine(on_line(x / 2)))
