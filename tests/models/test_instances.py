"""Instances: closed forms against quadrature of the definition, against tokens, and in descent."""

from functools import cache

import mpmath
import numpy as np
import pytest
from scipy.special import erf
from scipy.stats import kstest
from sympy import Symbol, symbols, tanh

from slrsym.papers.committee.models import committee
from slrsym.papers.single_location.models import attention, multi_head
from tests._profile import more, thorough, thorough_cases, thorough_only
from tests.kernels._cases import needs_numba
from tests.models._instances import DRAWS, HEADS, by_direction, by_softmax, drawn, setting
from tests.models._vectors import descended, numbers_of, state_of, unit

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


@thorough_only
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


@thorough_only
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
