"""Instances: closed forms against quadrature of the definition, against tokens, and in descent."""

from functools import cache

import mpmath
import numpy as np
import pytest
from scipy.special import erf, expit, ndtr
from scipy.stats import kstest
from sympy import Heaviside, Max, Symbol, cos, exp, sin, symbols, tanh

from slrsym.gaussian import normal_cdf
from slrsym.models import logistic, softmax
from slrsym.models.means import softmax_risk
from slrsym.papers.committee.models import committee
from slrsym.papers.single_location.models import attention, multi_head
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
from tests.models._vectors import descended, numbers_of, state_of, unit

# How many settings a closed form is compared at.
DRAWS = 50 if NIGHTLY else 12

c = Symbol("c", real=True)
BIASES, PLACES = symbols("b_1:4", real=True), symbols("p_1:4", positive=True)

# An instance, its activation as a NumPy function, and whether k* and v* have an angle.
HEADS = {
    "erf": (cache(lambda: attention()), erf, 0.0),
    "angle": (cache(lambda: attention(angle=c)), erf, 0.4),
    "probit": (cache(lambda: attention(normal_cdf, angle=c)), ndtr, 0.4),
    "sine": (cache(lambda: attention(sin)), np.sin, 0.0),
    "exponential": (cache(lambda: attention(exp, angle=c)), np.exp, 0.4),
    "linear": (cache(lambda: attention(lambda u: u, angle=c)), lambda u: u, 0.4),
    "mixed": (cache(lambda: attention(lambda u: u * cos(u) + 1)), lambda u: u * np.cos(u) + 1, 0.0),
    "biased": (cache(lambda: attention(bias=BIASES, location=PLACES, angle=c)), erf, 0.4),
    "relu": (
        cache(lambda: attention(lambda u: Max(u, 0), angle=c)),
        lambda u: np.maximum(u, 0),
        0.4,
    ),
    "step": (cache(lambda: attention(Heaviside)), lambda u: np.heaviside(u, 0.5), 0.0),
    # By quadrature.
    "tanh": (cache(lambda: attention(tanh, angle=c)), np.tanh, 0.4),
    "logistic": (cache(lambda: attention(logistic)), expit, 0.0),
}


@cache
def by_softmax():
    return attention(softmax, angle=c)


def drawn(rng, d, angle):
    """k, v, k*, v* of R^d."""
    k, v, k_star, other = unit(rng.normal(size=(4, d)))
    other = unit(other - (other @ k_star) * k_star)
    return k, v, k_star, angle * k_star + np.sqrt(1 - angle**2) * other


def setting(rng, angle):
    places = rng.dirichlet([2, 2, 2])
    return {
        "d": int(rng.integers(4, 40)), "L": int(rng.integers(1, 12)),
        "gamma": rng.uniform(0.3, 1.5), "epsilon": rng.uniform(0, 1),
        "lambda": rng.uniform(0.05, 0.8), "c": angle,
        **{f"b_{i + 1}": x for i, x in enumerate(rng.normal(size=3))},
        **{f"p_{i + 1}": x for i, x in enumerate(places)},
    }  # fmt: skip


# Gauss and Legendre's rule, for either side of a kink.
NODES, WEIGHTS = np.polynomial.legendre.leggauss(200)


def error_moments(activation, scale, bias, mean, cov):
    """Mean and mean square of Y - S V under the law of (U, V, Y), given the score U first."""
    sd = np.sqrt(cov[0, 0])
    kink = np.clip(-(mean[0] + bias / scale) / sd, -11, 11)
    half = np.array([kink + 11.5, 11.5 - kink])[:, None] / 2
    Z = (np.array([-11.5, kink])[:, None] + half * (1 + NODES)).ravel()
    bell = (half * WEIGHTS).ravel() * np.exp(-Z * Z / 2) / np.sqrt(2 * np.pi)
    S = activation(scale * (mean[0] + sd * Z) + bias)
    row = np.stack([np.zeros_like(Z), -S, np.ones_like(Z)])
    slope = cov[:, 0] / sd
    left = cov - np.outer(slope, slope)
    given = np.sum(row * (mean[:, None] + np.outer(slope, Z)), axis=0)
    spread = np.einsum("in,ij,jn->n", row, left, row)
    return bell @ given, bell @ (given**2 + spread)


def risk_by_quadrature(activation, values, vectors, biased):
    k, v, k_star, v_star = vectors
    W = np.array([k, v, v_star])
    gram, gamma = W @ W.T, values["gamma"]
    laws = [(np.sqrt(values["d"] / 2) * W @ k_star, gamma**2 * gram), (np.zeros(3), gram.copy())]
    laws[1][1][2] = laws[1][1][:, 2] = 0
    scale, tokens = values["lambda"], values["L"]
    if not biased:
        (m, s), (m0, s0) = (error_moments(activation, scale, 0.0, *law) for law in laws)
        rest = tokens - 1
        return values["epsilon"] ** 2 + s - m * m + rest * (s0 - m0 * m0) + (m + rest * m0) ** 2
    total = values["epsilon"] ** 2
    for j in range(3):
        found = [
            error_moments(activation, scale, values[f"b_{i + 1}"], *laws[int(i != j)])
            for i in range(3)
        ]
        bias = sum(m for m, _ in found)
        total += values[f"p_{j + 1}"] * (bias**2 + sum(s - m * m for m, s in found))
    return total


def by_direction(instance, vectors):
    return dict(
        zip((instance.k, instance.v, instance.k_star, instance.v_star), vectors, strict=True)
    )


# Two activations are differentiated in dev, and ten risks compared with quadrature.
@thorough_cases("probit", "sine", "exponential", "mixed", "biased", "relu")
@more
@pytest.mark.parametrize("name", HEADS)
def test_the_risk_against_quadrature_of_the_definition(name):
    make, activation, angle = HEADS[name]
    instance = make()
    risk = instance.model.compile("numpy", "risk")
    rng = np.random.default_rng(sum(map(ord, name)))
    for _ in range(DRAWS):
        values = setting(rng, angle)
        vectors = drawn(rng, values["d"], angle)
        if name == "exponential":
            values["lambda"] /= 4
        state = state_of(instance.model, by_direction(instance, vectors))
        found = risk(state, *numbers_of(instance.model, values))[0]
        expected = risk_by_quadrature(activation, values, vectors, name == "biased")
        assert abs(found / expected - 1) < 1e-12


@thorough_cases(
    "erf", "angle", "probit", "exponential", "mixed", "biased", "relu", "step", "tanh", "logistic"
)
@pytest.mark.parametrize("name", HEADS)
@mpmath.workdps(50)
def test_slopes_and_curvatures_against_differences(name):
    make, _, angle = HEADS[name]
    model = make().model
    rng = np.random.default_rng(7)
    values = setting(rng, angle)
    f = model.compile("mpmath", "risk", "gradient")
    state = [mpmath.mpf(float(x)) for x in rng.uniform(-0.5, 0.5, 5)]
    numbers = numbers_of(model, values)
    n, step = len(state), mpmath.mpf(10) ** -12
    found = f(state, *numbers, dps=40)
    found += model.compile("mpmath", "hessian")(state, *numbers, dps=40)
    upper = [(i, j) for i in range(n) for j in range(i, n)]
    for i in range(n):
        near = [[x + s * step * (i == j) for j, x in enumerate(state)] for s in (1, -1)]
        ahead, behind = (f(x, *numbers, dps=40) for x in near)
        assert abs((ahead[0] - behind[0]) / (2 * step) - found[1 + i]) < 1e-18
        for (a, b), curvature in zip(upper, found[1 + n :], strict=True):
            if a == i:
                assert abs((ahead[1 + b] - behind[1 + b]) / (2 * step) - curvature) < 1e-18


QUICK = ("angle", "probit", "biased")


@thorough_cases("angle", "biased")
@pytest.mark.parametrize(
    "name", [n if n in QUICK else pytest.param(n, marks=thorough_only) for n in HEADS]
)
def test_descent_of_overlaps_is_that_of_vectors(name):
    make, _, angle = HEADS[name]
    instance = make()
    rng = np.random.default_rng(11)
    values = {**setting(rng, angle), "d": 30, "lambda": 0.3}
    vectors = by_direction(instance, drawn(rng, 30, angle))
    ended = descended(instance.model, vectors, values, 0.02, 400)
    values = {p.name: values[p.name] for p in instance.model.parameters}
    runs = instance.model.simulate(
        values, steps=400, alpha=0.02, start=vectors, every=400, backend="numpy"
    )
    for x in instance.model.directions:
        for y in instance.model.trained_directions:
            assert abs(runs.overlap(x, y)[0, -1] - ended[x] @ ended[y]) < 1e-12


def test_descent_starts_from_a_file_of_vectors(tmp_path):
    instance = HEADS["angle"][0]()
    vectors = by_direction(instance, drawn(np.random.default_rng(12), 20, 0.4))
    np.savez(tmp_path / "start.npz", **{x.name: v for x, v in vectors.items()})
    values = {"d": 20.0, "L": 3.0, "gamma": 0.7, "epsilon": 0.0, "lambda": 0.3}
    options = {"steps": 5, "alpha": 0.01, "backend": "numpy"}
    runs = [
        instance.model.simulate(values, start=start, **options)
        for start in (vectors, tmp_path / "start.npz", str(tmp_path / "start.npz"))
    ]
    assert (runs[0].risk == runs[1].risk).all()
    assert (runs[0].risk == runs[2].risk).all()
    np.savez(tmp_path / "other.npz", nobody=np.ones(3))
    (tmp_path / "broken.npz").write_bytes(b"no archive")
    for name, message in (("other", "has nobody, no direction"), ("broken", "cannot be read")):
        with pytest.raises(ValueError, match=message):
            instance.model.simulate(values, start=tmp_path / f"{name}.npz", **options)


# -- symmetry ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "sets"),
    [
        ("erf", [{"theta", "eta", "rho"}, {"kappa", "nu", "rho"}, {"kappa", "nu", "theta", "eta"}]),
        ("angle", [{"kappa", "nu", "theta", "eta"}]),
        thorough("exponential", []),
        ("step", [{"theta", "eta", "rho"}]),
    ],
)
def test_which_signs_do_not_matter(name, sets):
    """Lemma 14: theta = eta = rho = 0 is invariant; with an angle it is not."""
    model = HEADS[name][0]().model
    found = model.flow.symmetries()
    assert {frozenset(p.name for p in flipped) for flipped in found} == set(map(frozenset, sets))
    assert model.flow.is_closed
    assert "multiples of the identity" in model.flow.reason


def test_descent_stays_where_overlaps_vanish_by_symmetry():
    for name, stays in (("erf", True), ("angle", False)):
        instance = HEADS[name][0]()
        k, v, k_star, v_star = by_direction(instance, [None] * 4)
        gram = np.eye(4)
        order = [instance.model.directions.index(x) for x in (k, v, k_star, v_star)]
        angle = HEADS[name][2]
        for (i, j), value in {(0, 2): 0.3, (1, 3): 0.4, (2, 3): angle}.items():
            gram[order[i], order[j]] = gram[order[j], order[i]] = value
        values = {"d": 20.0, "L": 3.0, "gamma": 0.7, "epsilon": 0.0, "lambda": 0.3}
        runs = instance.model.simulate(
            values, steps=20, alpha=0.01, start=gram, backend="numpy", every=20
        )
        assert (abs(runs.overlap(v, k_star)[0, -1]) < 1e-13) == stays


# -- eigenspaces -------------------------------------------------------------------------------


@cache
def eigenspaces():
    own, other = symbols("g_1:3", positive=True), symbols("s_1:3", positive=True)
    return attention(cov=own, other_cov=other)


def in_spaces(instance, vectors, sizes):
    """Order parameters and inner products of fixed directions, by eigenspace."""
    model, ends = instance.model, np.cumsum([0, *sizes])
    return {
        p: vectors[x][ends[a] : ends[a + 1]] @ vectors[y][ends[a] : ends[a + 1]]
        for x in model.directions
        for y in model.directions
        for a in range(2)
        if isinstance(p := model.inner_product(x, y, a), Symbol)
    }


EIGENVALUES = {"g_1": 0.3, "g_2": 0.9, "s_1": 1.2, "s_2": 0.7}


@thorough_only
@more
def test_two_eigenvalues_against_quadrature_of_the_definition():
    instance = eigenspaces()
    model, rng = instance.model, np.random.default_rng(2)
    risk = model.compile("numpy", "risk")
    for _ in range(DRAWS):
        sizes = rng.integers(3, 9, size=2)
        vectors = drawn(rng, sum(sizes), 0.3)
        own, other = (
            np.repeat([EIGENVALUES[f"{x}_1"], EIGENVALUES[f"{x}_2"]], sizes) for x in "gs"
        )
        values = {**setting(rng, 0), **EIGENVALUES, "d": float(sum(sizes))}
        found = in_spaces(instance, by_direction(instance, vectors), sizes)
        values |= {p.name: x for p, x in found.items()}
        state = [found[p] for p in model.order_parameters]
        W = np.array([vectors[0], vectors[1], vectors[3]])
        none = (W * other) @ W.T
        none[2] = none[:, 2] = 0
        scale, rest = values["lambda"], values["L"] - 1
        m, s = error_moments(
            erf, scale, 0.0, np.sqrt(values["d"] / 2) * W @ vectors[2], (W * own) @ W.T
        )
        m0, s0 = error_moments(erf, scale, 0.0, np.zeros(3), none)
        expected = values["epsilon"] ** 2 + s - m * m + rest * (s0 - m0**2) + (m + rest * m0) ** 2
        assert abs(risk(state, *numbers_of(model, values))[0] / expected - 1) < 1e-12


@thorough_only
def test_descent_with_two_eigenvalues_is_that_of_vectors():
    instance = eigenspaces()
    model, rng, sizes, alpha = instance.model, np.random.default_rng(3), (14, 16), 0.02
    start = by_direction(instance, drawn(rng, 30, 0.3))
    first = in_spaces(instance, start, sizes)
    values = {"d": 30.0, "L": 5.0, "epsilon": 0.1, "lambda": 0.3, **EIGENVALUES}
    values |= {p.name: first[p] for p in model.parameters if p in first}
    slopes = model.compile("numpy", "gradient")
    vectors, ends = dict(start), np.cumsum([0, *sizes])
    for _ in range(400):
        found = in_spaces(instance, vectors, sizes)
        slope = slopes([found[p] for p in model.order_parameters], *numbers_of(model, values))
        gradient = {x: np.zeros(30) for x in model.trained_directions}
        for p, value in zip(model.order_parameters, slope, strict=True):
            i, j, a = model.flow.places[p]
            x, y, part = model.directions[i], model.directions[j], slice(ends[a], ends[a + 1])
            gradient[x][part] += value * vectors[y][part]
            if y in gradient:
                gradient[y][part] += value * vectors[x][part]
        for x, g in gradient.items():
            w = vectors[x] - alpha * (g - (vectors[x] @ g) * vectors[x])
            vectors[x] = w / np.linalg.norm(w)
    rows = np.array([start[x] for x in model.directions])
    gram = np.stack(
        [rows[:, ends[a] : ends[a + 1]] @ rows[:, ends[a] : ends[a + 1]].T for a in (0, 1)]
    )
    runs = model.simulate(values, steps=400, alpha=alpha, start=gram, every=400, backend="numpy")
    for x in model.directions:
        for y in model.trained_directions:
            assert abs(runs.overlap(x, y)[0, -1] - vectors[x] @ vectors[y]) < 1e-12


# -- no attention ------------------------------------------------------------------------------


@more
def test_a_committee_machine_against_quadrature_and_in_descent():
    instance = committee(2, 2)
    model, rng = instance.model, np.random.default_rng(4)
    assert len(model.order_parameters) == 7
    risk = model.compile("numpy", "risk")
    z = np.linspace(-9, 9, 301)
    bell = np.exp(-z * z / 2) / np.sqrt(2 * np.pi) * (z[1] - z[0])
    for _ in range(DRAWS):
        teachers = np.linalg.qr(rng.normal(size=(8, 2)))[0].T
        students = rng.normal(size=(2, 8)) / 2
        rows = np.concatenate([students, teachers])
        signs, gram, expected = [1, 1, -1, -1], rows @ rows.T, 0.09
        for i in range(4):
            for j in range(4):
                first = np.sqrt(gram[i, i])
                slope = gram[i, j] / first
                left = np.sqrt(max(gram[j, j] - slope**2, 0))
                one = bell * erf(first * z / np.sqrt(2))
                other = erf((slope * z[:, None] + left * z) / np.sqrt(2)) @ bell
                expected += signs[i] * signs[j] * (one @ other)
        vectors = dict(zip((*instance.students, *instance.teachers), rows, strict=True))
        assert abs(risk(state_of(model, vectors), 0.3)[0] / expected - 1) < 1e-12
    ended = descended(model, vectors, {"epsilon": 0.3}, 0.05, 400)
    runs = model.simulate(
        {"epsilon": 0.3}, steps=400, alpha=0.05, start=vectors, every=400, backend="numpy"
    )
    for x in model.trained_directions:
        for y in model.directions:
            assert abs(runs.overlap(x, y)[0, -1] - ended[x] @ ended[y]) < 1e-12


# -- softmax -----------------------------------------------------------------------------------


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


# -- tokens of R^d -----------------------------------------------------------------------------


@thorough_only
def test_z_scores_are_those_of_a_normal_law():
    """Risks against tokens that are drawn, at 64 settings of several instances."""
    rng = np.random.default_rng(20)
    scores = []
    kinds = ["erf", "angle", "probit", "relu", "tanh", "softmax"]
    instances = {name: by_softmax() if name == "softmax" else HEADS[name][0]() for name in kinds}
    functions = {name: x.model.compile("numpy", "risk") for name, x in instances.items()}
    for number in range(64):
        name = kinds[number % len(kinds)]
        angle = 0.4 if name == "softmax" else HEADS[name][2]
        values = {**setting(rng, angle), "L": 4, "d": int(rng.integers(4, 12))}
        vectors = drawn(rng, values["d"], angle)
        k, v, k_star, v_star = vectors
        X = rng.normal(size=(20_000, 4, values["d"]))
        X[:, 0] = values["gamma"] * X[:, 0] + np.sqrt(values["d"] / 2) * k_star
        score = values["lambda"] * (X @ k)
        if name == "softmax":
            attended = np.exp(score - score.max(axis=1, keepdims=True))
            attended /= attended.sum(axis=1, keepdims=True)
        else:
            attended = HEADS[name][1](score)
        noise = values["epsilon"] * rng.normal(size=len(X))
        square = (X[:, 0] @ v_star + noise - np.sum(attended * (X @ v), axis=1)) ** 2
        state = state_of(instances[name].model, by_direction(instances[name], vectors))
        exact = functions[name](state, *numbers_of(instances[name].model, values))[0]
        scores.append((square.mean() - exact) / (square.std() / np.sqrt(len(square))))
    scores = np.array(scores)
    # Of 64 normal variables: their mean, their mean square, and the largest.
    assert abs(scores.mean()) < 4 / 8
    assert abs(np.square(scores).mean() - 1) < 4 * np.sqrt(2 / 64)
    assert np.abs(scores).max() < 4.2
    assert kstest(scores, "norm").pvalue > 1e-3


def two_head_moments(lam, mean, cov):
    """Mean and mean square of the error of a token, over both scores."""
    z = np.linspace(-9, 9, 161)
    bell = np.exp(-z * z / 2) / np.sqrt(2 * np.pi) * (z[1] - z[0])
    root = np.linalg.cholesky(cov[:2, :2])
    x = np.stack(np.broadcast_arrays(z[:, None], z[None])).reshape(2, -1)
    weight = np.outer(bell, bell).ravel()
    S = erf(lam * (mean[:2, None] + root @ x))
    slope = cov[:, :2] @ np.linalg.inv(root).T
    left = cov - slope @ slope.T
    row = np.concatenate([np.zeros_like(S), -S, np.ones((len(mean) - 4, x.shape[1]))])
    given = np.sum(row * (mean[:, None] + slope @ x), axis=0)
    spread = np.einsum("in,ij,jn->n", row, left, row)
    return weight @ given, weight @ (given**2 + spread)


@thorough_only
@more
def test_two_heads_against_quadrature_of_the_definition():
    """Over both scores of a token, given which the rest is Gaussian."""
    instance = multi_head(2, 2)
    model, rng = instance.model, np.random.default_rng(30)
    risk = model.compile("numpy", "risk")
    for _ in range(DRAWS):
        d, tokens = int(rng.integers(6, 30)), int(rng.integers(2, 12))
        gamma, lam = rng.uniform(0.3, 1.2), rng.uniform(0.05, 0.5)
        rows = unit(rng.normal(size=(8, d)))
        for i in (6, 7):
            rows[i] = unit(rows[i] - (rows[i] @ rows[i - 2]) * rows[i - 2])
        names = (*instance.k, *instance.v, *instance.k_star, *instance.v_star)
        vectors = dict(zip(names, rows, strict=True))

        bias, total = 0.0, 0.09
        for i in (0, 1):
            W = np.concatenate([rows[:4], rows[6 + i : 7 + i]])
            m, s = two_head_moments(lam, np.sqrt(d / 2) * W @ rows[4 + i], gamma**2 * W @ W.T)
            bias, total = bias + m, total + s - m * m
        W = rows[:4]
        m, s = two_head_moments(lam, np.zeros(4), W @ W.T)
        bias, total = bias + (tokens - 2) * m, total + (tokens - 2) * (s - m * m)
        values = {"d": d, "L": tokens, "gamma": gamma, "lambda": lam, "epsilon": 0.3}
        found = risk(state_of(model, vectors), *numbers_of(model, values))[0]
        assert abs(found / (total + bias**2) - 1) < 1e-12


@thorough_only
@needs_numba
def test_means_by_quadrature_by_numba():
    """They are the same, and need more nodes only where the activation is steep."""
    model = HEADS["tanh"][0]().model
    plain, fast = (model.compile(b, "risk", "gradient") for b in ("numpy", "numba"))
    rng = np.random.default_rng(31)
    states = rng.uniform(-0.5, 0.5, (20, 5))
    for scale in (0.05, 1.0, 40.0):
        numbers = numbers_of(model, {**setting(rng, 0.4), "lambda": scale})
        found = plain(states, *numbers)
        size = np.abs(found).max(axis=-1, keepdims=True)
        assert (np.abs(fast(states, *numbers) - found) / size).max() < 1e-12


def test_what_does_not_close_is_said():
    model = HEADS["logistic"][0]().model
    assert not model.has_closed_form
    assert model.quadrature.dimension == 1
    assert "tanh(z)" in model.quadrature.reason
    assert HEADS["relu"][0]().model.quadrature is None
    assert by_softmax().model.quadrature.dimension == 2
    with pytest.raises(ValueError, match="by quadrature are not enclosed"):
        model.compile("ball")
    heads = multi_head(2, 1, activation=tanh).model
    assert heads.quadrature.dimension == 2
    assert "tanh(z)*tanh(z_2), z and z_2 normal" in heads.quadrature.reason


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
