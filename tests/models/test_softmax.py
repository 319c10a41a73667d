"""Attention by softmax: against quadrature of the definition, to the last digits, at its ends."""

import mpmath
import numpy as np
import pytest

from slrsym.models import softmax
from slrsym.models.means import softmax_risk
from slrsym.papers.single_location.models import attention
from tests._profile import (
    NIGHTLY,
    THOROUGH,
    more,
    nightly_cases,
    thorough,
    thorough_cases,
    thorough_only,
)
from tests.kernels._cases import needs_numba
from tests.models._instances import by_direction, by_softmax, c, drawn, setting
from tests.models._vectors import numbers_of, state_of


def law_of(vectors, values):
    k, v, k_star, v_star = vectors
    W = np.array([k, v, v_star])
    gram = W @ W.T
    other = gram.copy()
    other[2] = other[:, 2] = 0
    return np.sqrt(values["d"] / 2) * W @ k_star, values["gamma"] ** 2 * gram, other


def softmax_by_quadrature(vectors, values, plus=0.0):
    """For two tokens: over the scores of both, given which values and target are Gaussian."""
    mean, own, other = law_of(vectors, values)
    mu = values["lambda"]
    z = np.linspace(-9.5, 9.5, 1501)
    bell = np.exp(-z * z / 2) / np.sqrt(2 * np.pi) * (z[1] - z[0])
    sd, sd0 = np.sqrt(own[0, 0]), np.sqrt(other[0, 0])
    one, two = mu * (mean[0] + sd * z)[:, None], mu * (sd0 * z)
    top = np.maximum(one, two)
    weight = np.exp(one - top), np.exp(two - top)
    total = weight[0] + weight[1] + plus * np.exp(-top)
    a, b = weight[0] / total, weight[1] / total
    slope, slope0 = own[:, 0] / sd, other[:, 0] / sd0
    left = own - np.outer(slope, slope)
    error = (mean[2] + slope[2] * z)[:, None] - a * (mean[1] + slope[1] * z)[:, None]
    error = error - b * (slope0[1] * z)
    spread = left[2, 2] - 2 * a * left[1, 2] + a * a * left[1, 1]
    spread = spread + b * b * (other[1, 1] - slope0[1] ** 2)
    return values["epsilon"] ** 2 + bell @ (error**2 + spread) @ bell


@thorough_only
@more
@pytest.mark.parametrize("plus", [0, 1])
def test_softmax_against_quadrature_of_the_definition(plus):
    instance = attention(lambda u: softmax(u, 1), angle=c) if plus else by_softmax()
    risk = instance.model.compile("numpy", "risk")
    rng = np.random.default_rng(5 + plus)
    for _ in range(50 if NIGHTLY else 12 if THOROUGH else 4):
        values = {**setting(rng, 0.4), "L": 2, "lambda": float(np.exp(rng.uniform(-2, 1.5)))}
        vectors = drawn(rng, values["d"], 0.4)
        state = state_of(instance.model, by_direction(instance, vectors))
        found = risk(state, *numbers_of(instance.model, values))[0]
        size = values["gamma"] ** 2 + values["d"] / 2 * 0.16
        assert abs(found - softmax_by_quadrature(vectors, values, plus)) < 1e-12 * max(1, size)


def two_scores(mu, gamma, d, state, angle, extra):
    """The law of log odds and (V, V', Y): of two tokens, or of one beside what is added."""
    kappa, nu, theta, eta, rho = state
    a, g = mpmath.sqrt(mpmath.mpf(d) / 2), mpmath.mpf(gamma) ** 2
    other = 0 if extra else 1
    mean = [mu * a * kappa - (mpmath.log(extra) if extra else 0), a * theta, 0, a * angle]
    cov = mpmath.matrix(4, 4)
    rows = [(0, 0, mu**2 * (g + other)), (0, 1, mu * g * rho), (0, 2, -mu * other * rho),
            (0, 3, mu * g * eta), (1, 1, g), (1, 3, g * nu), (2, 2, other), (3, 3, g)]  # fmt: skip
    for i, j, value in rows:
        cov[i, j] = cov[j, i] = value
    return mean, cov


@mpmath.workdps(30)
def exact_softmax(mu, gamma, d, state, angle, extra):
    """From the definition: weights depend on one Gaussian variable, given which all is Gaussian."""
    mean, cov = two_scores(mu, gamma, d, state, angle, extra)
    sd = mpmath.sqrt(cov[0, 0])

    def square(z):
        s = mean[0] + sd * z
        weights = [-1 / (1 + mpmath.exp(-s)), -1 / (1 + mpmath.exp(s)), 1]
        along = sum(w * (mean[i] + cov[0, i] / sd * z) for i, w in enumerate(weights, 1))
        left = sum(
            p * q * (cov[i, j] - cov[0, i] * cov[0, j] / cov[0, 0])
            for i, p in enumerate(weights, 1)
            for j, q in enumerate(weights, 1)
        )
        return (along**2 + left) * mpmath.npdf(z)

    turns = [(t - mean[0]) / sd for t in (-80, -40, -20, -10, -5, 0, 5, 10, 20, 40, 80)]
    ends = sorted({*map(mpmath.mpf, range(-14, 15, 2)), *(t for t in turns if abs(t) < 14)})
    return mpmath.quad(square, ends)


@thorough_cases("20-0", "1000000-0", "1000000-0.3")
@more
@needs_numba
@pytest.mark.parametrize("plus", [0, 0.3])
@pytest.mark.parametrize("d", [20, thorough(400), thorough(10**5), 10**6])
def test_softmax_to_the_last_digits(d, plus):
    """To 1e-13 of E Y^2, or of the risk where it is larger; slopes to 1e-12 of the largest.

    Of slopes some 1e-14 mu gamma is lost: that in a score is what is left of terms so much larger.
    """
    rng = np.random.default_rng(d)
    model = attention(lambda u: softmax(u, plus), angle=c).model if plus else by_softmax().model
    backends = ("numpy", "numba") if THOROUGH else ("numpy",)
    compiled = [model.compile(b, "risk", "gradient") for b in backends]
    for _ in range(20 if NIGHTLY else 1):
        angle, gamma = float(rng.choice([0, 0.4])), rng.uniform(0.3, 1.5)
        mu = float(np.sqrt(d / 2) * np.exp(rng.uniform(-2, 1)))
        k, v, k_star, v_star = drawn(rng, 6, angle)
        # Scores that compete: a large mean decides them all.
        state = [rng.normal() / np.sqrt(d / 2), v @ v_star, v @ k_star, k @ v_star, k @ v]
        values = {"d": d, "L": 1 if plus else 2, "gamma": gamma, "epsilon": 0, "lambda": mu}
        numbers = numbers_of(model, {**values, "c": angle})
        exact = exact_softmax(mu, gamma, d, state, angle, plus)
        size = max(gamma**2 + d / 2 * angle**2, exact)
        slopes = []
        for i in range(5 if NIGHTLY else 2 * THOROUGH):
            # The risk turns within 1e-6 of a score, where d is a million.
            with mpmath.workdps(30):
                h = mpmath.mpf(10) ** -13
                near = [[x + s * h * (i == j) for j, x in enumerate(state)] for s in (1, -1)]
                ahead, behind = (exact_softmax(mu, gamma, d, x, angle, plus) for x in near)
                slopes.append((ahead - behind) / (2 * h))
        for found in (f(np.array(state), *numbers) for f in compiled):
            assert abs(found[0] - exact) < 1e-13 * size
            largest = np.abs(found[1:]).max()
            lost = 1e-14 * max(100, mu * gamma)
            for x, y in zip(found[1:], slopes, strict=False):
                assert abs(x - y) < lost * largest


@pytest.mark.parametrize("tokens", [10, 10**6, 10**9])
def test_softmax_among_many_tokens_does_not_depend_on_the_steps(tokens, monkeypatch):
    """The rare scores count that win among many."""
    model = by_softmax().model
    f = model.compile("numpy", "risk")
    numbers = numbers_of(
        model, {"d": 400, "L": tokens, "gamma": 1.0, "epsilon": 0.0, "lambda": 14.0, "c": 0.3}
    )
    state = np.array([np.sqrt(2 * np.log(tokens) / 200), 0.6, 0.1, 0.2, 0.1])
    coarse = f(state, *numbers)[0]
    for name in ("STEP_Y", "STEP_Z", "STEP_1", "STEP_S"):
        monkeypatch.setattr(softmax_risk, name, getattr(softmax_risk, name) / 2)
    assert abs(f(state, *numbers)[0] / coarse - 1) < 1e-13


@pytest.mark.parametrize(
    ("d", "tokens", "risk"),
    [(6, 5, 0.3881356), (20, 10, 0.1121325), (100, 100, 4.03407e-05), (100, 10**4, 1.76739e-03)],
)
def test_where_softmax_is_the_conditional_mean(d, tokens, risk):
    """Known values of the Bayes risk; in mu, the risk is stationary there."""
    model = attention(softmax).model
    f = model.compile("numpy", "risk", "gradient")
    values = {"d": d, "L": tokens, "gamma": 1.0, "epsilon": 0.0}

    def at(inverse_temperature):
        return f([1, 1, 0, 0, 0], *numbers_of(model, {**values, "lambda": inverse_temperature}))

    best = np.sqrt(d / 2)
    assert at(best)[0] == pytest.approx(risk, rel=3e-6)
    for step in (1e-3, -1e-3):
        assert at(best * (1 + step))[0] > at(best)[0]


@pytest.mark.parametrize("d", [10**5, 10**6])
def test_softmax_at_large_inverse_temperatures(d):
    """The nodes do not become more, and nothing of the accuracy is lost."""
    model = by_softmax().model
    f = model.compile("numpy", "risk")
    mu = np.sqrt(d / 2)
    numbers = numbers_of(
        model, {"d": d, "L": 10, "gamma": 1.0, "epsilon": 0.0, "lambda": mu, "c": 0.0}
    )
    # At the oracle nothing is left; with k orthogonal to all, one token of ten is hit by chance.
    assert abs(f([1, 1, 0, 0, 0], *numbers)[0]) < 1e-12
    x, _ = softmax_risk.log_grid_nodes(
        mu, 0.0, np.array([mu, 0.0]), np.array([1.0, 1.0]), np.array([1.0, 9.0])
    )
    assert len(x) < 500
    # The largest of ten scores decides: Y is V of the right token, or an independent one.
    assert f([0, 1, 0, 0, 0], *numbers)[0] == pytest.approx(2 * (1 - 0.1), rel=2e-2)


def test_slopes_of_softmax():
    instance = by_softmax()
    f = instance.model.compile("numpy", "risk", "gradient")
    rng = np.random.default_rng(8)
    values = {**setting(rng, 0.4), "lambda": 1.7}
    numbers = numbers_of(instance.model, values)
    state, step = rng.uniform(-0.5, 0.5, 5), 1e-4
    slopes = f(state, *numbers)[1:]
    for i, e in enumerate(np.eye(5)):
        near = [f(state + n * step * e, *numbers)[0] for n in (-2, -1, 1, 2)]
        by_differences = (near[0] - 8 * near[1] + 8 * near[2] - near[3]) / (12 * step)
        assert slopes[i] == pytest.approx(by_differences, abs=1e-9)


def softmax_at(inverse_temperature, seed):
    """Parameters and a state."""
    rng = np.random.default_rng(seed)
    values = {**setting(rng, 0.4), "lambda": inverse_temperature}
    return rng.uniform(-0.5, 0.5, 5), numbers_of(by_softmax().model, values)


@needs_numba
@thorough_only
def test_softmax_by_numba():
    plain, fast = (by_softmax().model.compile(b, "risk", "gradient") for b in ("numpy", "numba"))
    for seed, inverse_temperature in enumerate((0.3, 2.0, 9.0)):
        state, numbers = softmax_at(inverse_temperature, seed)
        found = plain(state, *numbers)
        assert np.abs(found - fast(state, *numbers)).max() < 1e-12 * max(1, np.abs(found).max())


@nightly_cases("9.0")
@thorough_only
@pytest.mark.parametrize("inverse_temperature", [0.3, 2.0, 9.0])
def test_softmax_to_more_digits(inverse_temperature):
    state, numbers = softmax_at(inverse_temperature, 9)
    found = by_softmax().model.compile("numpy", "risk")(state, *numbers)[0]
    exact = by_softmax().model.compile("mpmath", "risk")(state.tolist(), *numbers, dps=18)[0]
    assert abs(found - float(exact)) < 1e-12 * max(1, found)
