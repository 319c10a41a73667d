"""Fluctuations of online SGD: the diffusion matrix, and the covariance over runs at a finite d."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy.special import erf as scipy_erf
from scipy.special import ndtri
from sympy import Max, Rational, Symbol, erf, expand

from slrsym.models import (
    Direction,
    Directions,
    Predictor,
    Token,
    TokenSequence,
    model,
)
from slrsym.papers.committee.models import committee
from tests._profile import nightly_only, thorough

R, Q = Symbol("R", real=True), Symbol("Q", positive=True)
SIGMA, ETA = Symbol("sigma", nonnegative=True), Symbol("eta", positive=True)
w, u = Direction("w"), Direction("u", unit=True)
UNITS = {
    "linear": (lambda z: z, lambda z: z, np.ones_like),
    "phase": (lambda z: z**2, np.square, lambda z: 2 * z),
    "relu": (lambda z: Max(0, z), lambda z: np.maximum(0, z), lambda z: 1.0 * (z > 0)),
    "erf": (erf, scipy_erf, lambda z: 2 / np.sqrt(np.pi) * np.exp(-(z**2))),
}


def stated(unit, sphere=False, **options):
    of, g = Direction("w", sphere=sphere), UNITS[unit][0]
    data = TokenSequence({Token(target=lambda X: g(X @ u)): 1}, noise=SIGMA)
    names = {of @ u: R} | ({} if sphere else {of @ of: Q})
    return model(data, Predictor(lambda X: g(X @ of)), names=names, **options)


def online(unit, sphere=False, **options):
    return stated(unit, sphere).equations("online-sgd", rate=ETA, **options)


def test_diffusion_of_linear_regression_is_that_of_products_of_normal_variables():
    # The error e = D.X + xi with D = u - w is normal, and so are X.u and X.w.
    e = online("linear")
    V, c, f = 1 - 2 * R + Q + SIGMA**2, 1 - R, R - Q
    right = {
        (R, R): 4 * ETA**2 * (V + c**2),
        (Q, R): 8 * ETA**2 * (V * R + c * f) + 16 * ETA**3 * V * c,
        (Q, Q): 16 * ETA**2 * (V * Q + f**2) + 64 * ETA**3 * V * f + 32 * ETA**4 * V**2,
    }
    places = {p: i for i, p in enumerate(e.state)}
    for (p, q), value in right.items():
        for entry in (e.diffusion[places[p], places[q]], e.diffusion[places[q], places[p]]):
            assert expand(entry - value) == 0
        first = value.expand().coeff(ETA, 2) * ETA**2
        assert expand(e.leading_diffusion[places[p], places[q]] - first) == 0


def test_diffusion_of_phase_retrieval_without_overlap_is_the_known_polynomial():
    e = online("phase")
    i = e.state.index(R)
    known = 240 * Q**3 - 288 * Q**2 + 16 * SIGMA**2 * Q + 240 * Q
    assert expand(e.diffusion[i, i].subs(R, 0) - ETA**2 * known) == 0


def test_batch_and_momentum_in_the_diffusion():
    B, beta = Symbol("B", positive=True), Symbol("beta", nonnegative=True)
    both = online("phase", batch=B, momentum=beta)
    once = online("phase")
    leading = once.leading_diffusion.subs(ETA, ETA / (1 - beta)) / B
    assert (
        (both.leading_diffusion - leading).applyfunc(lambda x: expand(x.together())).is_zero_matrix
    )
    # In what is of higher order the second moment has another factor 1/B.
    i = once.state.index(Q)
    orders = [expand(once.diffusion[i, i]).coeff(ETA, n) for n in (2, 3, 4)]
    whole = sum(
        x * (ETA / (1 - beta)) ** n / B ** (n - 1) for n, x in zip((2, 3, 4), orders, strict=True)
    )
    assert expand((both.diffusion[i, i] - whole).together()) == 0


# Squares have heavy tails: at larger rates rare steps are long, and d has to be large.
RATES = dict.fromkeys(("linear", "relu", "mixture"), Rational(3, 10)) | dict.fromkeys(
    ("phase", "tokens"), Rational(1, 50)
)


def one_step(kind, d, count, rng):
    """D times the changes of order parameters by one step in R^d, with their names."""
    U = np.eye(d)[0]
    W = 0.5 * U + 0.8 * np.eye(d)[1]
    unit, batch = kind.split()[0], 3 if "batch" in kind else 1
    rate = float(RATES[unit])
    if "sphere" in kind:
        W /= np.linalg.norm(W)
    found = []
    for _ in range(count):
        if unit == "mixture":
            label = np.where(rng.uniform(size=batch) < 0.25, 1.0, -1.0)
            X = rng.normal(size=(batch, d)) * np.sqrt(0.5) + 0.9 * label[:, None] * U
            error = label - X @ W + 0.2 * rng.normal(size=batch)
            gradient = -2 * error @ X / batch
        elif unit == "tokens":
            X, Y = rng.normal(size=(2, batch, d))
            X = X + 0.7 * U
            error = X @ U - (X @ W) ** 2 - (Y @ W) ** 2 + 0.2 * rng.normal(size=batch)
            moved = (X @ W)[:, None] * X + (Y @ W)[:, None] * Y
            gradient = -4 * error @ moved / batch
        else:
            _, g, slope = UNITS[unit]
            X = rng.normal(size=(batch, d))
            error = g(X @ U) - g(X @ W) + 0.2 * rng.normal(size=batch)
            gradient = -2 * (error * slope(X @ W)) @ X / batch
        new = W - rate / d * gradient
        if "sphere" in kind:
            new /= np.linalg.norm(new)
        found.append([d * (new @ U - W @ U), d * (new @ new - W @ W)])
    return np.array(found), {"R": W @ U, "Q": W @ W}


def equations_of(kind):
    unit, batch = kind.split()[0], 3 if "batch" in kind else 1
    of = Direction("w", sphere="sphere" in kind)
    noise = Rational(1, 5)
    if unit == "mixture":
        one, other = (
            Token(mean=Rational(9, 10) * y * u, cov=Rational(1, 2), target=lambda X, y=y: y)
            for y in (1, -1)
        )
        data = TokenSequence(
            [({one: 1}, Rational(1, 4)), ({other: 1}, Rational(3, 4))], noise=noise
        )
        share = lambda X: X @ of  # noqa: E731
    elif unit == "tokens":
        one = Token(mean=Rational(7, 10) * u, target=lambda X: X @ u)
        data = TokenSequence({one: 1, Token(): 1}, noise=noise)
        share = lambda X: (X @ of) ** 2  # noqa: E731
    else:
        g = UNITS[unit][0]
        data = TokenSequence({Token(target=lambda X: g(X @ u)): 1}, noise=noise)
        share = lambda X: g(X @ of)  # noqa: E731
    names = {of @ u: R} | ({} if of.on_sphere else {of @ of: Q})
    stated = model(data, Predictor(share), names=names)
    return stated.equations("online-sgd", rate=RATES[unit], batch=batch)


@pytest.mark.parametrize(
    "kind",
    [
        "phase sphere",
        "mixture",
        thorough("relu"),
        thorough("relu batch"),
        thorough("relu sphere"),
        thorough("phase batch sphere"),
        thorough("mixture batch"),
        thorough("mixture sphere"),
        thorough("tokens"),
        thorough("tokens sphere batch"),
        thorough("linear"),
    ],
)
def test_diffusion_is_the_covariance_of_changes_by_a_step(kind):
    count, d = 6_000, 400
    changes, point = one_step(kind, d, count, np.random.default_rng(5))
    e = equations_of(kind)
    names = [p.name for p in e.state]
    assert names == (["R"] if "sphere" in kind else ["Q", "R"])
    state, row = e.numerical_values({n: point[n] for n in names}, {})
    found = e.compile("numpy", "diffusion")(state, *row).reshape(len(names), -1)
    written = np.array(e.diffusion.subs({R: point["R"], Q: point["Q"]}), dtype=float)
    np.testing.assert_allclose(found, written, rtol=1e-10)
    b = changes[:, [{"R": 0, "Q": 1}[n] for n in names]]
    b = b - b.mean(axis=0)
    products = b[:, :, None] * b[:, None]
    error = products.std(axis=0) / np.sqrt(count)
    off = np.abs(products.mean(axis=0) - found)
    # It is off by about 1/d.
    assert (off < 4 * error + 4 / d * np.abs(found).max()).all(), (off / error, found)
    # So many samples tell a wrong factor.
    assert (error.diagonal() < 0.2 * found.diagonal()).all()


def variance_of_linear_regression(d, steps, rate, sigma):
    """The variance of R after steps from w = 0, by exact recursions in d; E is u.(w - u)."""
    first, square, length = -1.0, 1.0, 1.0
    a = 2 * rate / d
    for _ in range(steps):
        noise = a**2 * sigma**2
        square += -2 * a * square + a**2 * (length + 2 * square) + noise
        length += -2 * a * length + a**2 * (d + 2) * length + noise * d
        first -= a * first
    return square - first**2


def test_variance_over_runs_of_linear_regression_approaches_the_prediction_like_1_over_d():
    time, sigma = 2, 0.5
    e = online("linear")
    off = []
    for d in (200, 400, 800):
        found = e.solve_fluctuations(
            {"eta": 0.3, "sigma": sigma, "d": d}, {"R": 0, "Q": 1e-12}, time, points=3
        )
        predicted = d * float(found.covariance[-1].sel(quantity="R", other_quantity="R"))
        off.append(d * variance_of_linear_regression(d, time * d, 0.3, sigma) - predicted)
    assert abs(off[-1]) < 0.01
    np.testing.assert_allclose(np.array(off[:-1]) / off[1:], 2, rtol=0.05)


def test_a_predicted_band_is_a_dataset_with_a_plot(tmp_path):
    e, path = online("linear"), tmp_path / "band.nc"
    values = {"eta": 0.2, "sigma": 0.1, "d": 300}
    start = {"R": 0.1, "Q": 0.5}
    found = e.solve_fluctuations(values, start, 1, points=5, path=path)
    plain = e.solve({k: v for k, v in values.items() if k != "d"}, start, 1, points=5)
    for name in ("R", "Q", "risk"):
        np.testing.assert_allclose(found[name], plain[name], rtol=1e-7)
    assert found.covariance.dims == ("time", "quantity", "other_quantity")
    assert found.quantity.values.tolist() == ["Q", "R", "risk"]
    covariance = found.covariance.values
    assert (covariance[0] == 0).all()
    np.testing.assert_allclose(covariance, np.swapaxes(covariance, -1, -2), rtol=1e-12)
    # The risk is Q - 2 R + 1 + sigma^2.
    slopes = np.array([1, -2])
    right = np.einsum("i,tij,j->t", slopes, covariance[:, :2, :2], slopes)
    np.testing.assert_allclose(covariance[:, 2, 2], right, rtol=1e-12)
    assert path.is_file()
    assert found.attrs["d"] == 300
    ax = found.plot("R", band=0.9)
    edge = ax.lines[-1].get_ydata()
    right = found["R"] + ndtri(0.95) * np.sqrt(covariance[:, 1, 1])
    np.testing.assert_allclose(edge, right, rtol=1e-12)
    plt.close("all")
    assert len(found.plot()) == 2
    plt.close("all")


def test_bands_of_drawn_starts_and_of_scalars():
    sphere = online("linear", True).solve_fluctuations(
        {"eta": 0.2, "sigma": 0.1, "d": 100}, "uniform", 1, points=3, rng=2
    )
    assert sphere.covariance[-1, 0, 0] > 0
    a = Symbol("a", real=True)
    data = TokenSequence({Token(target=lambda X: X @ u): 1})
    scaled = model(data, Predictor(lambda X: a * (X @ w)), names={w @ u: R, w @ w: Q})
    e = scaled.equations("online-sgd", rate=ETA, train=a)
    V = 1 - 2 * a * R + a**2 * Q
    place = e.state.index(a)
    # The slope in a is -2 e (X.w), of normal variables.
    right = 4 * ETA**2 * (V * Q + (R - a * Q) ** 2)
    assert expand(e.diffusion[place, place] - right) == 0
    found = e.solve_fluctuations({"eta": 0.1, "d": 50, "a": 0.5}, {"R": 0.1, "Q": 0.5}, 1, points=3)
    assert found.quantity.values.tolist()[-2:] == ["a", "risk"]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: stated("linear").equations("gradient-flow").diffusion,
            "fluctuations are those of online-sgd, whose samples are random; gradient-flow has",
        ),
        (
            lambda: online("linear").solve_fluctuations({"eta": 1, "sigma": 0}, {"R": 0, "Q": 1}),
            "values must have a number for d",
        ),
        (
            lambda: online("linear").solve_fluctuations(
                {"eta": 1, "sigma": 0, "d": 2.5}, {"R": 0, "Q": 1}
            ),
            "d must be an integer of at least 2; got 2.5",
        ),
        (
            lambda: alike().equations("online-sgd", symmetric=True).diffusion,
            "without symmetric=True",
        ),
    ],
)
def test_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def alike():
    units = Directions("v", 2)
    data = TokenSequence({Token(target=lambda X: X @ u): 1})
    return model(data, Predictor(lambda X: units.sum(lambda v: X @ v)))


@nightly_only
def test_leading_orders_of_committees_of_erf_are_a_covariance():
    e = committee(2, 1).model.equations("online-sgd")
    state = [0.5, 0.1, 0.2, 0.6, 0.3]
    point = dict(zip(e.state, state, strict=True))
    values = dict.fromkeys(e.parameters, 0.4)
    found = np.array(e.leading_diffusion.subs(point | values), dtype=float)
    assert np.linalg.eigvalsh(found).min() > 0


def many_runs(unit, d, count, time, rate, sphere, rng):
    """The overlap and squared length at the end of runs in R^d from R = 0.5, Q = 1."""
    _, g, slope = UNITS[unit]
    W = np.zeros((count, d))
    W[:, 0], W[:, 1] = 0.5, np.sqrt(0.75)
    for _ in range(time * d):
        X = rng.normal(size=(count, d))
        z = np.einsum("ij,ij->i", X, W)
        error = g(X[:, 0]) - g(z) + 0.3 * rng.normal(size=count)
        W += (2 * rate / d * error * slope(z))[:, None] * X
        if sphere:
            W /= np.linalg.norm(W, axis=1)[:, None]
    return np.stack([W[:, 0], np.einsum("ij,ij->i", W, W)], axis=1)


@nightly_only
@pytest.mark.parametrize(
    ("unit", "sphere", "rate"),
    [
        ("linear", False, 0.15),
        ("relu", False, 0.15),
        ("relu", True, 0.15),
        ("phase", True, 0.01),
        ("erf", True, 0.15),
    ],
)
def test_covariance_over_1500_runs_is_the_predicted_one(unit, sphere, rate):
    d, count, time = 300, 1500, 2
    ends = many_runs(unit, d, count, time, rate, sphere, np.random.default_rng(11))
    found = online(unit, sphere).solve_fluctuations(
        {"eta": rate, "sigma": 0.3, "d": d}, {"R": 0.5} | ({} if sphere else {"Q": 1}), time
    )
    size = 1 if sphere else 2
    order = [{"R": 0, "Q": 1}[n] for n in found.quantity.values[:size]]
    b = ends[:, order] - ends[:, order].mean(axis=0)
    products = d * b[:, :, None] * b[:, None]
    error = products.std(axis=0) / np.sqrt(count)
    predicted = d * found.covariance.values[-1, :size, :size]
    assert (np.abs(products.mean(axis=0) - predicted) < 3 * error).all()
    middle = np.array([found[n].values[-1] for n in found.quantity.values[:size]])
    spread = ends[:, order].std(axis=0) / np.sqrt(count)
    assert (np.abs(ends[:, order].mean(axis=0) - middle) < 3 * spread + 2 / d).all()
