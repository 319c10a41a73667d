"""Parts of the iteration of maps and of descent: orbits, slopes, determinants, random pairs."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from sympy import Abs, Lambda, Le, Rational, Symbol, cos, exp, sin, symbols

from slrsym.crosscheck import orbit_iteration, orbits
from slrsym.crosscheck.orbit_iteration import (
    MapInstance,
    StartMiddleAndEndOfOrbits,
    _is_regular,
    is_close,
    numerical_jacobian,
)
from slrsym.papers.single_location.pairs import (
    AlmostEveryPairConvergesTo,
    NullPairs,
    SphereDescent,
)
from slrsym.papers.single_location.pairs import crosscheck as pairs
from slrsym.papers.single_location.pairs.crosscheck import (
    _is_near,
    _manifold,
    _Slopes,
    _step,
    find_contradiction_in_simulated_descent,
)
from slrsym.prover.statements.maps import box_map, lambda_of_coordinates, point_set

R = Rational
x, y = symbols("x y", real=True)
a = Symbol("a", positive=True)
n = Symbol("n", integer=True)
overlaps = kappa, nu, theta, eta, rho = symbols("kappa nu theta eta rho", real=True)


def instance(image, low, high, point=()):
    return MapInstance(box_map(image, low=low, high=high), dict(point), np.random.default_rng(0))


def test_orbits_are_kept_at_the_start_in_the_middle_and_at_the_end(monkeypatch):
    monkeypatch.setattr(orbit_iteration, "STEPS", 10)
    monkeypatch.setattr(orbit_iteration, "STARTS", 5)
    found = instance({x: x / 2}, -1, 1).follow_orbits()
    start = found.start
    assert start.shape == (1, 5)
    for place, steps in ((found.middle, 6), (found.before, 9), (found.end, 10)):
        assert (place * 2**steps == start).all()
    assert not found.left.any()
    # From 1/2 on an orbit of the doubled number leaves the box in the first step.
    found = instance({x: 2 * x}, 0, 1).follow_orbits()
    assert found.left.all()


def test_orbits_that_stand_still_are_followed_no_further(monkeypatch):
    steps = []
    monkeypatch.setattr(MapInstance, "outside_flags", lambda case, x: steps.append(x) or False)
    found = instance({x: R(1, 3)}, -1, 1).follow_orbits()
    assert len(steps) == 2
    assert all((place == 1 / 3).all() for place in (found.middle, found.before, found.end))
    # One that returns after two steps never does.
    instance({x: -x}, -1, 1).follow_orbits()
    assert len(steps) == 2 + orbit_iteration.STEPS


def test_starts_fill_the_box_and_an_orbit_may_leave_it_by_rounding():
    case = instance({x: x, y: y}, (-3, 1), (-1, 4))
    starts = case.random_starts(400)
    for row, low, high in zip(starts, (-3, 1), (-1, 4), strict=True):
        assert low <= row.min() < low + 0.1
        assert high - 0.1 < row.max() <= high
    places = np.array([[-3, -3 - 1e-10, -3 - 1e-8, -2, -1 + 1e-8], [1, 2, 2, 4 + 1e-8, 4.0]])
    assert case.outside_flags(places).tolist() == [False, False, True, True, True]
    still = np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]])
    moved = still + np.array([[0, 2e-7, 0], [5e-8, 0, 2e-7]])
    ends = StartMiddleAndEndOfOrbits(still, still, still, moved, still[0] > 1)
    assert ends.stopped_flags.tolist() == [True, False, False]


@mpmath.workdps(50)
def test_a_jacobian_by_differences():
    matrix = numerical_jacobian(
        lambda u, v: [u**2 * v, mpmath.exp(v)], [mpmath.mpf(2), mpmath.mpf(1) / 2]
    )
    exact = mpmath.matrix([[2, 4], [0, mpmath.exp(0.5)]])
    assert mpmath.norm(matrix - exact) < 1e-30
    assert _is_regular(matrix)
    assert not _is_regular(mpmath.matrix([[1, 2], [1, 2 + mpmath.mpf(10) ** -9]]))
    assert _is_regular(mpmath.matrix([[1, 2], [1, 2 + mpmath.mpf(10) ** -6]]))
    assert not _is_regular(mpmath.matrix([[mpmath.inf]]))
    for shift, close in ((9e-7, True), (1.1e-6, False)):
        assert is_close([1, 2], [1, 2 - shift]) is close


def test_a_parameter_has_its_value_in_both_kinds_of_numbers():
    case = instance({x: a * x}, -1, 1, {a: R(1, 3)})
    function = lambda_of_coordinates((x,), (a + x, a * x))
    assert case.compile_function(function, "scipy")(0.5) == pytest.approx([5 / 6, 1 / 6])
    with mpmath.workdps(40):
        (found, _) = case.compile_function(function, "mpmath")(mpmath.mpf(0))
        assert abs(found - mpmath.mpf(1) / 3) < 1e-39


def test_determinants_stay_inside_of_the_box():
    """Of (x^2 y, x + y^2) it is 4 x y^2 - x^2; outside the map would not be real."""
    case = instance({x: x**2 * y, y: x + y**2}, 0, 1)
    places = np.array([[0.5, 0.25, 1.0], [0.5, 1.0, 0.5]])
    found = orbits._determinants(case, places.copy())
    assert found == pytest.approx(4 * places[0] * places[1] ** 2 - places[0] ** 2, abs=1e-5)
    seen = []
    case.images_of_points = lambda z: seen.append(z) or z
    assert orbits._determinants(case, np.array([[0.0, 1.0], [1.0, 0.0]])).tolist() == pytest.approx(
        [1, 1]
    )
    assert min(z.min() for z in seen) >= 0
    assert max(z.max() for z in seen) <= 1


def test_numbers_beside_listed_points():
    assert orbits._is_listed((1, 2), [(0, 0), (1.0005, 2)], 1e-3)
    assert not orbits._is_listed((1, 2), [(1, 0), (1.0015, 2)], 1e-3)
    assert not orbits._is_listed((1, 2), [], 1e-3)
    assert orbits._shown((R(1, 3), 2)) == "(0.33333333, 2.0)"
    values = orbits._largest(lambda u, v: (u, -2 * v, 1.5), np.array([[1.0, -3.0], [0.5, 1.0]]))
    assert values.tolist() == [1.5, 3.0]


# -- pairs of unit vectors -------------------------------------------------------------------------


@pytest.mark.parametrize("dimension", [3, 4, 6])
def test_random_pairs_lie_on_the_manifold(dimension, monkeypatch):
    """The mean square of a coordinate of a uniform unit vector is one over the dimension."""
    monkeypatch.setattr(pairs, "PAIRS", 4000)
    k, v = _manifold(dimension, np.random.default_rng(0))
    assert k.shape == v.shape == (4000, dimension)
    for product in ((k * k).sum(axis=1) - 1, (v * v).sum(axis=1) - 1, k[:, 1], v[:, 0]):
        assert np.abs(product).max() < 1e-15
    assert not (k * v).sum(axis=1).any()
    squares = np.array([(k[:, 0] ** 2).mean(), (v[:, 1] ** 2).mean()])
    if dimension == 3:
        # Of half of the pairs one vector is a direction of the axes, of both signs.
        assert squares == pytest.approx([0.75, 0.75], abs=0.02)
        assert (np.abs(k[:, 0]) == 1).mean() == pytest.approx(0.5, abs=0.03)
        assert ((np.abs(k[:, 0]) == 1) != (np.abs(v[:, 1]) == 1)).all()
        for fixed, other in ((k[:, 0], v[:, 1]), (v[:, 1], k[:, 0])):
            assert fixed[np.abs(fixed) == 1].mean() == pytest.approx(0, abs=0.07)
            assert other[np.abs(other) < 1].mean() == pytest.approx(0, abs=0.05)
    else:
        assert squares == pytest.approx([1 / (dimension - 1), 1 / (dimension - 2)], abs=0.02)
        assert [k[:, 0].mean(), v[:, 1].mean()] == pytest.approx([0, 0], abs=0.03)


def test_a_step_of_descent_on_spheres():
    """Against differences of the function along each axis, and a projection."""
    value = sin(kappa) * nu + theta**2 * exp(eta) + cos(rho) * kappa * eta - nu * theta * rho
    slopes = _Slopes(SphereDescent(Lambda(overlaps, value), R(1, 4), n), {})
    rng = np.random.default_rng(0)
    k, v = (rng.normal(size=(2, 3)) for _ in range(2))
    k, v = (z / np.linalg.norm(z, axis=1, keepdims=True) for z in (k, v))
    found = _step(k, v, slopes, 0.25)

    def at(k, v):
        here = zip(overlaps, (k[0], v[1], v[0], k[1], k @ v), strict=True)
        return float(value.subs(dict(here)))

    for row in range(2):
        for which, image in enumerate(found):
            pair = [k[row], v[row]]
            gradient = np.zeros(3)
            for i in range(3):
                ahead, behind = (
                    at(*(z + s * 1e-5 * np.eye(3)[i] * (j == which) for j, z in enumerate(pair)))
                    for s in (1, -1)
                )
                gradient[i] = (ahead - behind) / 2e-5
            z = pair[which]
            moved = z - 0.25 * (gradient - (gradient @ z) * z)
            assert image[row] == pytest.approx(moved / np.linalg.norm(moved), abs=1e-9)


def test_pairs_near_a_listed_one():
    """Of almost every pair all coordinates count, of few pairs the two overlaps alone."""
    still = SphereDescent(Lambda(overlaps, kappa), R(1, 4), n)
    many = AlmostEveryPairConvergesTo(still, point_set([(1, 1)]))
    few = NullPairs(still, point_set([(1, 1)]))
    k, v, off = np.eye(4)[0], np.eye(4)[1], 5e-3 * np.eye(4)[2]
    for statement, first, second, near in (
        (many, k, v, True), (many, k + off, v - off, True), (many, k + 3 * off, v, False),
        (many, k, v - 3 * off, False), (many, -k, v, False), (few, k + 3 * off, v - 3 * off, True),
        (few, k * (1 - 9e-7), v, True), (few, k * (1 - 2e-6), v, False),
        (few, k, v * (1 - 2e-6), False), (few, k, -v, False),
    ):  # fmt: skip
        assert _is_near(statement, first, second, R(1), R(1)) is near


def test_parameters_of_descent_are_moderate(monkeypatch):
    """Integers are at most 4, others from 1/4 to 2, but for the step size and the dimension."""
    m = Symbol("m", integer=True, positive=True)
    b = Symbol("b", positive=True)
    descent = SphereDescent(Lambda(overlaps, m * a * kappa), b, n)
    seen = []
    monkeypatch.setattr(
        pairs, "_arrivals", lambda s, point, d, rng: seen.append((point, d)) or (1, "")
    )
    statement = AlmostEveryPairConvergesTo(descent, point_set([(1, 1)]))
    given = [Le(n, 5)]
    for seed in range(6):
        found = find_contradiction_in_simulated_descent(
            statement, given, np.random.default_rng(seed)
        )
        assert found == ""
    assert len(seen) == 36
    assert {point[n] for point, _ in seen} == {d for _, d in seen} == {3, 4, 5}
    assert {point[m] for point, _ in seen} == {1, 2, 3, 4}
    assert 0.25 <= min(point[a] for point, _ in seen) < 0.5
    assert 1.5 < max(point[a] for point, _ in seen) <= 2
    assert max(point[b] for point, _ in seen) > 2


def test_a_search_finds_all_fixed_points_and_forgets_none():
    case = instance({x: x + sin(math.pi * 2 * x) / 10}, -1, 1)
    found = sorted(float(point[0]) for point in case.fixed_points())
    assert found == pytest.approx([-1, -0.5, 0, 0.5, 1], abs=1e-15)
    assert case.fixed_points(period=2)
    assert not instance({x: 1 + Abs(x)}, -1, 1).fixed_points()
