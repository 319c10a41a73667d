"""Batches, momentum and ridge in equations of motion, against recursions and runs in R^d."""

import numpy as np
import pytest
from sympy import Max, Rational, Symbol, expand, simplify

from slrsym.models import Direction, Directions, Predictor, Token, TokenSequence, model
from slrsym.papers.single_location.models import attention
from slrsym.proof import builtin_ledger, check_claim
from tests._profile import THOROUGH, more, nightly_only, thorough, thorough_only
from tests.kernels._cases import BACKENDS

R, Q = Symbol("R", real=True), Symbol("Q", positive=True)
KAPPA, ETA = Symbol("kappa", nonnegative=True), Symbol("eta", positive=True)
B, BETA = Symbol("B", positive=True), Symbol("beta", nonnegative=True)
w, u = Direction("w"), Direction("u", unit=True)
UNITS = {
    "linear": lambda z: z,
    "phase": lambda z: z**2,
    "relu": lambda z: Max(0, z),
}


def stated(unit="linear", sphere=False, **options):
    of = w if not sphere else Direction("w", sphere=True)
    data = TokenSequence(
        {Token(target=lambda X: UNITS[unit](X @ u)): 1}, noise=Symbol("sigma", nonnegative=True)
    )
    names = {of @ u: R} | ({} if sphere else {of @ of: Q})
    return model(data, Predictor(lambda X: UNITS[unit](X @ of)), names=names, **options)


def means_of_linear_regression(d, steps, rate, batch, momentum, sigma):
    """The mean overlap and squared length after steps from Q = 1, R = 0, by exact recursions in d.

    With w = u + D and the velocity V, the matrix of a batch has the mean 1, and the mean of its
    square is (d + 2)/B + 1 - 1/B.
    """
    square = (d + 2) / batch + 1 - 1 / batch
    a, r, b = rate / d, 1.0, momentum
    # Means of D.u and V.u; of D.D, D.V and V.V; the gradient is 2 A D plus noise.
    du, vu, dd, dv, vv = -1.0, 0.0, 2.0, 0.0, 0.0
    for _ in range(steps):
        noise = 4 * a**2 * sigma**2 * d / batch
        new_vu = b * vu - 2 * a * r * du
        new_vv = b**2 * vv - 4 * a * b * dv + 4 * a**2 * square * dd + noise
        new_dv = b * dv - 2 * a * dd + new_vv
        dd += 2 * (b * dv - 2 * a * dd) + new_vv
        du, vu, dv, vv = du + new_vu, new_vu, new_dv, new_vv
    return 1 + du, dd + 2 * du + 1


@pytest.mark.parametrize(("batch", "momentum"), [(1, 0), (4, 0), (1, 0.6), (3, 0.9)])
def test_means_over_runs_of_linear_regression_approach_the_equations_like_1_over_d(batch, momentum):
    rate = 0.3 * (1 - momentum)
    e = stated().equations("online-sgd", rate=ETA, batch=B, momentum=BETA)
    values = {"eta": rate, "B": batch, "beta": momentum, "sigma": 0.5}
    found = e.solve(values, {"R": 0, "Q": 1}, 2, points=2)
    limit = np.array([found[name].values[-1] for name in ("R", "Q")])
    off = [
        np.array(means_of_linear_regression(d, 2 * d, rate, batch, momentum, 0.5)) - limit
        for d in (400, 800, 1_600)
    ]
    assert np.abs(off[-1]).max() < 10 / 1_600
    # Halved each time that d is twice as large.
    np.testing.assert_allclose(off[0] / off[1], 2, rtol=0.05)
    np.testing.assert_allclose(off[1] / off[2], 2, rtol=0.05)


def test_rates_over_1_less_the_momentum_and_noise_over_the_batch():
    one = stated("phase").equations("online-sgd", rate=ETA / (1 - BETA), decay=KAPPA / (1 - BETA))
    both = stated("phase").equations("online-sgd", rate=ETA, decay=KAPPA, batch=B, momentum=BETA)
    assert (one.drift - both.drift).applyfunc(simplify).is_zero_matrix
    assert (one.noise / B - both.noise).applyfunc(simplify).is_zero_matrix
    ball = stated("phase", sphere=True)
    one, both = (
        ball.equations("online-sgd", rate=rate, **options)
        for rate, options in ((ETA / (1 - BETA), {}), (ETA, {"batch": B, "momentum": BETA}))
    )
    assert (one.noise / B - both.noise).applyfunc(simplify).is_zero_matrix
    text = repr(both)
    assert "batch:      B" in text
    assert "momentum:   beta" in text
    assert "momentum" in both._repr_html_()
    assert "batch" not in repr(one)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"batch": 0}, "batch must be a whole number of at least 1; got 0"),
        ({"batch": 2.5}, "batch must be a whole number of at least 1; got 5/2"),
        ({"momentum": 1}, "momentum must be from 0 to below 1; got 1. With 1 - momentum of order"),
        ({"momentum": -0.1}, "velocity is an order parameter of its own, which is not derived"),
        ({"batch": "two words"}, "batch must be a number or an expression"),
        ({"kind": "gradient-flow", "batch": 2}, "batch is for online-sgd.*Got 2; leave it out"),
        ({"kind": "projected-descent", "momentum": 0.5}, "momentum is for online-sgd"),
    ],
)
def test_batches_and_momenta_that_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        stated().equations(**{"kind": "online-sgd"} | options)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"B": 1.5, "beta": 0}, "batch must be a whole number of at least 1; got 1.5"),
        ({"B": 2, "beta": 1}, "momentum must be from 0 to below 1; got 1"),
    ],
)
def test_values_that_are_refused(values, message):
    e = stated().equations("online-sgd", rate=1, batch=B, momentum=BETA)
    with pytest.raises(ValueError, match=message):
        e.solve(values | {"sigma": 0}, {"R": 0, "Q": 1})


def runs(unit, d, count, time, *, rate, batch, momentum, sphere, rng):
    """The overlap and squared length at the end of runs of descent on batches in R^d."""
    found = np.empty((count, 2))
    slope = {"phase": lambda z: 2 * z, "relu": lambda z: z > 0}[unit]
    g = {"phase": np.square, "relu": lambda z: np.maximum(0, z)}[unit]
    for k in range(count):
        U = np.eye(d)[0]
        W = 0.5 * U + np.sqrt(0.75) * np.eye(d)[1]
        before = W.copy()
        for _ in range(time * d):
            X = rng.normal(size=(batch, d))
            z = X @ W
            error = g(X @ U) - g(z)
            gradient = (-2 * error * slope(z)) @ X / batch
            new = W + momentum * (W - before) - rate / d * gradient
            before, W = W, new / np.linalg.norm(new) if sphere else new
        found[k] = W @ U, W @ W
    return found


@nightly_only
@pytest.mark.parametrize(
    ("unit", "batch", "momentum", "sphere"),
    [
        ("relu", 4, 0, False),
        ("relu", 1, 0.6, False),
        ("phase", 3, 0, True),
        ("phase", 2, 0.7, True),
    ],
)
def test_runs_in_high_dimension_approach_the_equations_like_1_over_d(unit, batch, momentum, sphere):
    rng, rate, time = np.random.default_rng(7), 0.25 * (1 - momentum), 1
    e = stated(unit, sphere).equations("online-sgd", rate=rate, batch=batch, momentum=momentum)
    start = {"R": 0.5} | ({} if sphere else {"Q": 1})
    found = e.solve({"sigma": 0}, start, time, points=2)
    limit = np.array([found["R"].values[-1], 1 if sphere else found["Q"].values[-1]])
    options = {"rate": rate, "batch": batch, "momentum": momentum, "sphere": sphere, "rng": rng}
    for d, count in ((400, 200), (1600, 60)):
        sampled = runs(unit, d, count, time, **options)
        error = np.maximum(sampled.std(axis=0) / np.sqrt(count), 1e-9)
        # Means over runs are off by about 1/d.
        assert (np.abs(sampled.mean(axis=0) - limit) < 3 * error + 3 / d).all()


def test_ridge_is_decay_by_the_rate_in_all_kinds_of_motion():
    with_ridge, without = stated("phase", ridge=KAPPA), stated("phase")
    for kind in ("gradient-flow", "projected-descent", "online-sgd"):
        one = with_ridge.equations(kind, rate=ETA)
        other = without.equations(kind, rate=ETA, decay=ETA * KAPPA)
        assert (one.drift - other.drift).applyfunc(expand).is_zero_matrix
        assert (one.noise - other.noise).applyfunc(expand).is_zero_matrix
        assert expand(one.risk - other.risk - KAPPA * Q / 2) == 0
    flow = with_ridge.equations("gradient-flow", rate=1)
    gradient = dict(zip(with_ridge.order_parameters, with_ridge.gradient, strict=True))
    # Of the inner product with u: it is the gradient of the risk, with its penalty.
    assert expand(flow.drift[flow.state.index(R)] + gradient[R] + 2 * R * gradient[Q]) == 0


@more
@pytest.mark.parametrize("backend", BACKENDS if THOROUGH else ["numpy", "mpmath", "ball"])
def test_ridge_in_compiled_risk_and_gradient(backend):
    m = stated("relu", ridge=KAPPA)
    plain = stated("relu")
    assert m.order_parameters == plain.order_parameters
    assert [p.name for p in m.parameters] == ["kappa", "sigma"]
    point = dict(zip(map(str, m.order_parameters), (0.3, 0.7), strict=True))
    state = [point[str(p)] for p in m.order_parameters]
    found = m.compile(backend)(state, 0.4, 0.1)
    right = plain.compile("numpy")(np.array(state), 0.1)
    added = [0.2 * point["Q"], *(0.2 * (p == Q) for p in m.order_parameters)]
    np.testing.assert_allclose(np.array(found, dtype=float), right + added, rtol=1e-13)


def test_ridge_is_checked_against_samples_and_shrinks_the_minimum():
    m = stated("linear", ridge=KAPPA)
    assert m.check({"d": 20, "kappa": 3, "sigma": 0.2}, samples=20_000, rng=1).is_passed
    # The least of (1 + kappa/2) |w|^2 - 2 R is at w = u / (1 + kappa/2).
    (point,) = m.landscape({"d": 5, "kappa": 2, "sigma": 0}, starts=3, rng=0)
    least = dict(zip(m.order_parameters, point.state, strict=True))
    np.testing.assert_allclose([least[R], least[Q]], [0.5, 0.25], rtol=1e-8)
    (fixed,) = m.equations("gradient-flow", rate=1).fixed_points({"kappa": 2, "sigma": 0}, rng=0)
    np.testing.assert_allclose([fixed.state[Q], fixed.state[R]], [0.25, 0.5], rtol=1e-9)
    run = m.simulate({"d": 5, "kappa": 2, "sigma": 0}, steps=200, alpha=0.1, runs=1, rng=0)
    np.testing.assert_allclose(run["R"].values[0, -1], 0.5, rtol=1e-6)
    assert "ridge:      kappa" in repr(m)
    assert "ridge" not in repr(stated())


def test_ridge_of_units_whose_number_is_a_symbol():
    K = Symbol("K", integer=True, positive=True)
    units = Directions("v", K)

    def learner(**options):
        data = TokenSequence({Token(target=lambda X: X @ u): 1})
        return model(data, Predictor(lambda X: units.sum(lambda v: (X @ v) ** 2)), **options)

    one = learner(ridge=Rational(1, 3)).equations("online-sgd", rate=ETA)
    other = learner().equations("online-sgd", rate=ETA, decay=ETA / 3)
    assert (one.drift - other.drift).applyfunc(expand).is_zero_matrix
    square = one.model.inner_product(units.unit(0), units.unit(0))
    assert expand(one.risk - other.risk - K * square / 6) == 0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: stated(ridge=-1), "ridge must not be negative; got -1"),
        (lambda: stated(ridge=Symbol("a")), "ridge must not be negative; got a; declare"),
        (lambda: stated("linear", True, ridge=1), "trained directions without sphere=True"),
        thorough(
            lambda: model(attention().model.data, attention().model.predictor, ridge=1),
            "trained directions without sphere=True",
        ),
    ],
)
def test_ridges_that_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@thorough_only
def test_claims_of_a_model_with_ridge_are_proved():
    claims = stated("linear", ridge=KAPPA).claims("m")
    assert [claim.id for claim in claims[-2:]] == ["m-risk", "m-gradient"]
    find = builtin_ledger().find
    assert all(check_claim(claim, find).accepted for claim in claims)


def test_sampled_curvatures_have_the_ridge():
    token = Token(target=lambda X: X @ u)
    of = model(TokenSequence({token: 1}), Predictor(lambda X: X @ w), ridge=40)
    assert of.check({"d": 6}, samples=2_000, curvature=True, rng=0).is_passed
