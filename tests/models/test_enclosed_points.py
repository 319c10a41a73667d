"""Critical points of any model in balls: that they exist, and which signs curvatures have."""

from functools import cache

import numpy as np
import pytest
from flint import arb
from sympy import Max, Rational, erf, sqrt, tanh

from slrsym.models import Direction, Predictor, Token, TokenSequence, model, softmax
from slrsym.models.landscape import critical_points
from slrsym.models.landscape.ball_risk import triangle_of_balls
from slrsym.models.landscape.critical_points import _searched, describe_point, search_in_batches
from slrsym.models.landscape.distinct_points import FoundPoint, KnownPoints
from slrsym.models.landscape.risk_of_directions import RiskOfTrainedDirections
from slrsym.models.landscape.search_starts import StartDraws
from slrsym.models.landscape.symmetries import coordinate_signs, proved_sign_symmetries
from slrsym.papers.committee.models import committee
from slrsym.papers.single_location.models import attention, multi_head
from tests._profile import nightly_cases, thorough, thorough_only

VALUES = {"lambda": 0.2, "gamma": 0.7, "d": 8, "L": 3, "epsilon": 0.1}


def own():
    """Two trained directions, one on a sphere and one free, and fixed ones that are not unit."""
    w, y = Direction("w", sphere=True), Direction("y")
    u, z = Direction("u", unit=True), Direction("z")
    data = TokenSequence(
        {Token(target=lambda X: erf(X @ u) + (X @ z) / 3): 1}, noise=Rational(1, 5)
    )
    given = {u @ z: Rational(1, 2), z @ z: 2}
    return model(data, Predictor(lambda X: erf(X @ w) + erf(X @ y) / 2), inner_products=given)


MODELS = {
    "erf": (lambda: attention(erf).model, VALUES),
    "angle": (lambda: attention(erf, angle=Rational(3, 10)).model, VALUES),
    "root": (lambda: attention(erf, angle=sqrt(2) / 5).model, VALUES),
    "relu": (lambda: attention(lambda x: Max(x, 0)).model, VALUES),
    "two heads": (lambda: multi_head(2, 1).model, VALUES | {"d": 6}),
    "committee": (lambda: committee(3, 2).model, {"d": 7, "epsilon": 0.1}),
    "own": (own, {"d": 6}),
}


@cache
def stated(name):
    return MODELS[name][0]()


def known_points(name, seed=0, starts=4):
    draws = StartDraws(stated(name), MODELS[name][1], np.random.default_rng(seed))
    there, points = draws.draw(starts)
    return KnownPoints(there, draws.by_name), points


@nightly_cases("two heads")
@pytest.mark.parametrize(
    "name", ["angle", "own", *map(thorough, ["erf", "relu", "two heads", "committee"])]
)
def test_derivatives_are_those_of_the_risk(name):
    known, points = known_points(name)
    there = known.there
    gradient, hessian = there.ambient_derivatives(points)
    np.testing.assert_allclose(gradient, there.risk_and_gradient(points)[1], atol=1e-12)
    h, n = 1e-5, points[0].size
    for i, move in enumerate(h * np.eye(n).reshape(n, *points.shape[1:])):
        ahead, behind = (there.risk_and_gradient(points + s * move) for s in (1, -1))
        slope = gradient.reshape(len(points), n)[:, i]
        np.testing.assert_allclose((ahead[0] - behind[0]) / (2 * h), slope, atol=1e-8)
        rates = (ahead[1] - behind[1]).reshape(len(points), n) / (2 * h)
        np.testing.assert_allclose(rates, hessian[:, i], atol=2e-8)


@thorough_only
def test_derivatives_with_eigenspaces():
    one = attention(cov=(1, 2), other_cov=(1, 1)).model
    values = {name: x for name, x in VALUES.items() if name != "gamma"}
    draws = StartDraws(one, values, np.random.default_rng(0))
    there, points = draws.draw(3)
    exact = there.tangent_gradient_hessian_and_basis(points)
    differences = there._by_differences(points, True)
    np.testing.assert_allclose(exact[0], differences[0], atol=1e-12)
    np.testing.assert_allclose(exact[1], differences[1], atol=1e-7)
    assert not KnownPoints(there, draws.by_name).are_enclosable


@nightly_cases("two heads-10-1")
@pytest.mark.parametrize(
    ("name", "starts", "sure"),
    [
        ("erf", 16, 5),
        ("angle", 12, 4),
        thorough("root", 12, 3),
        thorough("relu", 12, 2),
        thorough("two heads", 10, 1),
        thorough("committee", 10, 1),
        ("own", 10, 1),
    ],
)
def test_points_are_confirmed(name, starts, sure):
    """Their index is that of the Hessian in all d dimensions, from vectors of R^d."""
    points = stated(name).landscape(MODELS[name][1], starts=starts, confirm=True, rng=1)
    confirmed = [p for p in points if p.confirmed]
    assert len(confirmed) >= sure
    assert "sure" in repr(points)
    for p in confirmed:
        assert p.gradient < 1e-12
        assert p.radius < 1e-15
        assert p.flat == p.orbit
        values = p.eigenvalues
        size = np.abs(values).max()
        assert (values < -1e-9 * size).sum() == p.index
        assert (np.abs(values) < 1e-9 * size).sum() == p.flat
        risk = stated(name).compile("numpy", "risk")
        row = [MODELS[name][1][q.name] for q in stated(name).parameters]
        assert float(risk(p.state, *row)[0]) == pytest.approx(p.risk, rel=1e-12)


@pytest.mark.parametrize("name", ["angle", "own"])
def test_a_point_nearby_is_refined_and_elsewhere_there_is_none(name):
    known, starts = known_points(name, seed=1, starts=12)
    assert [start for start in starts[:3] if known.enclosed(start) is not None] == []
    rng, tried = np.random.default_rng(3), 0
    for one in _searched(known.there, starts)[0]:
        exact = known.enclosed(one.point)
        if exact is None or not exact.is_decided:
            continue
        # Parts beyond the fixed directions span what they did.
        t = len(one.point)
        step = np.where(known.there.span, rng.standard_normal(one.point.shape), 0.0)
        step = 1e-7 * (step + rng.standard_normal((t, t)) @ one.point)
        again = known.enclosed(known.there.spheres.retract(one.point, step))
        gram = [x.point @ x.point.T for x in (exact, again)]
        np.testing.assert_allclose(*gram, atol=1e-13)
        assert again.inertia(9) == exact.inertia(9)
        tried += 1
    assert tried > 0


def test_balls_do_not_reach_quadratures():
    v, k = Direction("v", sphere=True), Direction("k", sphere=True)
    u = Direction("u", unit=True)
    data = TokenSequence({Token(target=lambda X: X @ u): 1, Token(): 2})
    for share in (lambda X: tanh(X @ k) * (X @ v), lambda X: softmax(X @ k) * (X @ v)):
        one = model(data, Predictor(share))
        with pytest.warns(RuntimeWarning, match="no point is confirmed: ball arithmetic needs"):
            points = one.landscape({"d": 5}, starts=2, confirm=True, rng=0)
        assert not any(p.confirmed for p in points)


# -- symmetries by the statement ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "count"), [("erf", 4), ("angle", 2), ("relu", 2), ("committee", 1), ("own", 1)]
)
def test_proved_symmetries_leave_the_risk_as_it_is(name, count):
    one = stated(name)
    signs = proved_sign_symmetries(one)
    assert len(signs) == count
    assert (signs[0] == 1).all()
    known, points = known_points(name)
    there, t = known.there, len(one.trained_directions)
    before = there.risk_and_gradient(points)[0]
    reflections = known.coordinate_signs(points.shape[-1])
    assert len(reflections) >= len(signs)
    for sign in reflections:
        assert sign.shape == points.shape[1:]
        np.testing.assert_allclose(there.risk_and_gradient(sign * points)[0], before, rtol=1e-12)
    # The other sign of one direction alone is no symmetry.
    other = points.copy()
    other[:, 0] *= -1
    assert np.abs(there.risk_and_gradient(other)[0] - before).max() > 1e-5
    assert signs.shape[1] == t + len(one.fixed_directions)


def test_signs_that_an_axis_cannot_have_are_left_out():
    signs = np.array([[1, 1, 1], [-1, 1, -1], [1, -1, -1]])
    assert len(coordinate_signs(signs, np.eye(2), 1, 0)) == 3
    assert len(coordinate_signs(signs, np.array([[1, 0], [0.5, 1]]), 1, 0)) == 2
    assert len(coordinate_signs(signs[:1], np.eye(2), 1, 2)) == 4


def test_a_triangle_of_balls():
    gram = np.array([[4.0, 2, 1], [2, 5, 3], [1, 3, 6]])

    rows = triangle_of_balls([[arb(x) for x in row] for row in gram.tolist()])
    found = np.array([[float(x.mid()) for x in row] for row in rows])
    np.testing.assert_allclose(found, np.linalg.cholesky(gram), rtol=1e-14)


def test_points_fixed_by_symmetries_are_critical_at_any_parameters():
    known, _ = known_points("erf")
    found = known.points_fixed_by_symmetry()
    # Both on the axes of the fixed directions, both on one more, or on two more.
    assert len(found) == 2 * 4 + 2 * 4 + 2 * 4
    for point in found:
        there = known.there_of(point)
        assert np.abs(there.tangent_gradient_hessian_and_basis(point[None])[0]).max() < 1e-13
    assert known_points("own")[0].points_fixed_by_symmetry() == []


def test_curvatures_far_below_rounding_are_certain_in_a_search():
    """At the oracle the risk curves by less than doubles can tell."""
    values = VALUES | {"d": 400, "lambda": 1.0}
    rng = np.random.default_rng(0)
    known = search_in_batches(
        StartDraws(stated("erf"), values, rng),
        rng,
        16,
        None,
        16,
        False,
        enclose=True,
        isolated=True,
    )
    oracle = known.find(np.array([1.0, 1, 0, 0, 0]))
    assert oracle.enclosure.is_decided
    assert 0 < oracle.enclosure.across_values[0] < 1e-30
    described = describe_point(known, oracle)
    assert described.confirmed
    assert described.flat == described.orbit == 0


def test_beside_a_refused_point_none_of_the_same_risk_is_tried(monkeypatch):
    known, points = known_points("erf", starts=2)
    tried = []
    monkeypatch.setattr(known, "enclosed", tried.append)
    monkeypatch.setattr(critical_points, "_continuum", lambda _, one, *rest: (one.state[None], 0))
    first, other = (FoundPoint(p, known.there.order_parameters_at(p)) for p in points)
    known.entries = [first, first, other]
    assert len(critical_points._rows(known, True)) == 3
    assert [id(x) for x in tried] == [id(first.point), id(other.point)]


# -- batches, names, and the count of Poincare and Hopf ----------------------------------------


def test_batches_go_on_until_little_is_missed():
    one = stated("erf")
    few = one.landscape(VALUES, starts=8, rng=0)
    assert not few.is_balanced
    assert "some missing" in repr(few)
    more = one.landscape(VALUES, starts=64, max_expected_missed=0.5, rng=0)
    assert more.is_balanced
    assert (more.euler, more.euler_expected) == (4, 4)
    assert more.coverage.expected_missed <= 0.5
    assert more.coverage.starts % 64 == 0
    assert "signs of the indices add up to 4, as they must" in repr(more)
    assert len(more) > len(few)
    capped = one.landscape(VALUES, starts=8, max_expected_missed=1e-9, max_starts=16, rng=0)
    assert capped.coverage.starts == 16


def test_the_count_is_that_of_the_domain():
    """In the plane it is 0; where a direction is free it says nothing."""
    flat = stated("erf").landscape(VALUES | {"d": 2}, starts=40, max_expected_missed=0.5, rng=0)
    assert (flat.euler, flat.euler_expected) == (0, 0)
    free = stated("own").landscape({"d": 6}, starts=4, rng=0)
    assert free.euler is None
    assert free.euler_expected is None
    assert "signs of the indices" not in repr(free)


def test_points_are_named_up_to_symmetries():
    names = {"oracle": {"kappa": 1, "nu": 1}, "swapped": {"theta": -1, "eta": -1}}
    points = stated("erf").landscape(VALUES, starts=24, names=names, rng=0)
    found = {p.name: p for p in points if p.name}
    assert {"oracle", "swapped"} >= set(found)
    assert "oracle" in found
    np.testing.assert_allclose(np.abs(found["oracle"].state), [1, 1, 0, 0, 0], atol=1e-9)
    assert "oracle" in repr(points)
    assert [d for d in points.as_dicts() if d.get("name") == "oracle"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"max_expected_missed": 0}, "max_expected_missed must be positive; got 0"),
        ({"max_expected_missed": float("nan")}, "max_expected_missed must be positive; got nan"),
        ({"max_starts": 0}, "max_starts must be an integer of at least 1; got 0"),
        ({"names": {"a": {"zeta": 1}}}, r"names must map each name to order parameters \(kappa"),
        ({"names": {"a": 3}}, "names must map each name to order parameters .* for 'a'"),
    ],
)
def test_bad_options(options, said):
    with pytest.raises(ValueError, match=said):
        stated("erf").landscape(VALUES, starts=2, **options)


def test_what_a_step_does_near_a_point():
    points = stated("erf").landscape(VALUES, starts=16, rng=0)
    best = points.minima[0]
    assert best.stability_text(0.9 * best.largest_step) == "attracts"
    assert best.stability_text(1.1 * best.largest_step) == "overshoots"
    saddle = next(p for p in points if p.kind == "saddle")
    assert saddle.stability_text(1e-3) == "repels"
    values = np.repeat(*zip(*best.step_eigenvalues(0.1), strict=True))
    np.testing.assert_allclose(np.sort(1 - values), np.sort(0.1 * best.eigenvalues), atol=1e-15)


# -- second derivatives by samples -------------------------------------------------------------

ALONG = "curvature along a random geodesic"


@pytest.mark.parametrize("name", ["erf", "own", thorough("angle"), thorough("committee")])
def test_curvatures_agree_with_sampled_tokens(name, monkeypatch):
    found = [
        stated(name).check(MODELS[name][1], samples=20_000, curvature=True, rng=seed)
        for seed in range(4)
    ]
    scores = np.array([one.z_scores[ALONG] for one in found])
    assert all(one.is_passed for one in found)
    assert 0 < np.mean(scores**2) < 5
    whole = RiskOfTrainedDirections.curvature_along
    monkeypatch.setattr(
        RiskOfTrainedDirections, "curvature_along", lambda *given: 1.2 * whole(*given) + 0.1
    )
    wrong = stated(name).check(MODELS[name][1], samples=20_000, curvature=True, rng=0)
    assert abs(wrong.z_scores[ALONG] - found[0].z_scores[ALONG]) > 1


def test_curvatures_across_kinks_are_not_compared():
    relu = stated("relu").check(VALUES, samples=200, curvature=True, rng=0)
    assert ALONG not in relu.z_scores
    assert ALONG not in stated("erf").check(VALUES, samples=200, rng=0).z_scores
