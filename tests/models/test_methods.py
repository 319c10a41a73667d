"""What one does with a model, for each instance: runs, critical points, recovery, tokens, LaTeX."""

from functools import cache

import numpy as np
import pytest
from sympy import Heaviside, Max, Rational, Symbol, exp, expand, sin, symbols, tanh

from slrsym.gaussian import normal_cdf
from slrsym.models import Direction, Predictor, Token, TokenSequence, model, softmax
from slrsym.models.model_reports import SampledTokenComparison
from slrsym.models.training.descent import risk_slope_symbol
from slrsym.papers.committee.models import committee
from slrsym.papers.single_location.models import attention, multi_head
from tests._profile import thorough, thorough_cases, thorough_only
from tests.kernels._cases import needs_numba

c = Symbol("c", real=True)
high = Symbol("h", positive=True)
k, u = Direction("k", sphere=True), Direction("u", unit=True)
spiked = Token(u, {1: 1, u: high}, lambda X: X @ u, "spiked")
few, many = Symbol("p_1", positive=True), Symbol("p_2", positive=True)

INSTANCES = {
    "erf": lambda: attention().model,
    "angle": lambda: attention(angle=c).model,
    "probit": lambda: attention(normal_cdf).model,
    "sine": lambda: attention(sin).model,
    "exponential": lambda: attention(exp).model,
    "relu": lambda: attention(lambda x: Max(x, 0)).model,
    "step": lambda: attention(Heaviside).model,
    "tanh": lambda: attention(tanh).model,
    "softmax": lambda: attention(softmax).model,
    "two eigenvalues": lambda: attention(cov=(Rational(1, 2), 2)).model,
    "biased": lambda: (
        attention(bias=symbols("b_1:3", real=True), location=symbols("p_1:3", positive=True)).model
    ),
    "two tokens": lambda: multi_head(1, 2).model,
    "correlated tokens": lambda: multi_head(1, 2, Rational(1, 3)).model,
    "committee": lambda: committee(2, 1).model,
    "spike": lambda: model(TokenSequence({spiked: 1}), Predictor(lambda X: X @ k)),
    "random number": lambda: model(
        TokenSequence([({spiked: 1}, few), ({spiked: 1, Token(): 2}, many)]),
        Predictor(lambda X: X @ k),
    ),
}
# Of the others, whose derivations take a second or two each, in thorough profiles.
QUICK = ("angle", "softmax", "two eigenvalues", "spike", "random number")
ALL = [n if n in QUICK else pytest.param(n, marks=thorough_only) for n in INSTANCES]
made = {name: cache(make) for name, make in INSTANCES.items()}
NUMBERS = {
    "lambda": 0.2, "gamma": 0.7, "d": 8, "L": 3, "epsilon": 0.1, "c": 0.3, "h": 0.5,
    "p_1": 0.3, "p_2": 0.7, "b_1": 0.4, "b_2": -0.2,
}  # fmt: skip


def values_of(stated):
    known = {p.name for p in stated.parameters} | {"d"}
    return {name: value for name, value in NUMBERS.items() if name in known}


@thorough_cases("angle", "two eigenvalues")
@pytest.mark.parametrize("name", ALL)
def test_every_method_of_every_instance(name):
    stated = made[name]()
    values = values_of(stated)
    # Several runs of two eigenspaces have directions of their own, on which the risk depends.
    several = 2 if stated.spaces == 1 else 1
    more = {"backend": "numpy"} | ({"dimensions": (4, 4)} if stated.spaces > 1 else {})
    runs = stated.simulate(values, steps=3, alpha=1e-3, runs=several, rng=0, **more)
    assert runs.risk.shape == (several, 4)
    assert (np.diff(runs.risk, axis=1) < 0).all()
    pair = (stated.trained_directions[0], stated.directions[-1])
    found = stated.recovery(values, [pair], steps=2, alpha=1e-3, runs=several, rng=0, **more)
    assert found.interval[0] <= found.fraction <= found.interval[1]
    text = stated.to_latex()
    assert "Order parameters" in text


@thorough_cases("angle")
@pytest.mark.parametrize("name", ALL)
def test_tokens_agree_with_every_instance(name):
    stated = made[name]()
    found = stated.check(values_of(stated), samples=20_000, rng=2)
    assert found.is_passed is True, found
    # A score of the slope in each trained direction along all, but for lengths on spheres.
    slopes = sum(len(stated.directions) - x.on_sphere for x in stated.trained_directions)
    assert len(found.z_scores) == 1 + slopes or name == "step"
    assert np.mean(np.square(list(found.z_scores.values()))) < 4


@pytest.mark.parametrize(("score", "passed"), [(4.99, True), (5.0, False), (-5.01, False)])
def test_the_verdict_is_that_of_the_largest_score(score, passed):
    found = SampledTokenComparison(0.5, 0.52, 0.01, {"risk": 2.0, "gradient in k, along u": score})
    assert found.is_passed is passed
    assert repr(found) == (
        f"{'Agrees' if passed else 'Disagrees'} with sampled tokens\n"
        "  risk:     0.5; sampled 0.52, standard error 0.01, z = 2.00\n"
        f"  z-scores: gradient in k, along u {score:.2f}"
    )


@pytest.mark.parametrize(
    ("factors", "passed"), [((1, 1), True), ((1.1, 1), False), ((1, 1.1), False)]
)
def test_a_wrong_risk_or_gradient_disagrees_with_tokens(factors, passed, monkeypatch):
    """Of tokens whose noises are correlated; their law is in the risk that is found by hand."""
    w, u = Direction("w"), Direction("u", unit=True)
    one, two = Token(target=lambda X: X @ u, name="one"), Token(name="two")
    tau = Rational(1, 3)
    data = TokenSequence({one: 1, two: 1}, correlation={(one, two): tau})
    stated = model(data, Predictor(lambda X: X @ w))
    # Of u - w in the first token and -w in the second.
    Q, R = stated.inner_product(w, w), stated.inner_product(w, u)
    assert expand(stated.risk - (1 - 2 * R + Q + Q - 2 * tau * (R - Q))) == 0
    exact = stated.compile("numpy", "risk", "gradient")
    scale = np.array([factors[0], factors[1], factors[1]])
    monkeypatch.setattr(type(stated), "compile", lambda *_: lambda *at: scale * exact(*at))
    assert stated.check({"d": 6}, samples=20_000, rng=2).is_passed is passed


@pytest.mark.parametrize("name", ["angle", "spike", thorough("two eigenvalues")])
def test_critical_points_are_critical(name):
    stated = made[name]()
    points = stated.landscape(values_of(stated), starts=2, rng=3)
    assert points
    assert all(np.isfinite(point.risk) for point in points)


@thorough_only
def test_tokens_of_equal_noise():
    """The matrix of correlations is singular."""
    stated = multi_head(1, 2, 1, sin).model
    assert stated.check(values_of(stated), samples=2_000, rng=1).is_passed


def test_critical_points_where_a_fixed_inner_product_is_not_given():
    w = Direction("w", unit=True)
    token = Token(w, 1, lambda X: X @ u)
    stated = model(TokenSequence({token: 1}), Predictor(lambda X: sin(X @ k)))
    assert stated.landscape({"d": 6}, starts=3, rng=0)
    spaces = model(
        TokenSequence({Token(w, (1, high), lambda X: X @ u): 1}), Predictor(lambda X: X @ k)
    )
    assert spaces.landscape({"d": 6, "h": 0.5}, starts=3, rng=0)


def test_the_map_of_a_step_is_that_of_vectors():
    """With any slopes, here by three vectors of R^4; free directions have no such map."""
    v, w, alpha = Direction("v", sphere=True), Direction("w"), Symbol("alpha", positive=True)
    token = Token(target=lambda X: X @ u)
    stated = model(TokenSequence({token: 1}), Predictor(lambda X: (X @ k) * (X @ v) + X @ k))
    new, definitions = stated.flow.step_map(alpha)
    rng = np.random.default_rng(8)
    rows = rng.normal(size=(3, 4))
    rows /= np.linalg.norm(rows, axis=1)[:, None]
    slopes = dict(zip(new, rng.normal(size=3), strict=True))
    at = {alpha: 0.3} | {risk_slope_symbol(p): s for p, s in slopes.items()}
    gradients = np.zeros((2, 4))
    for p, (i, j, _) in stated.flow.places.items():
        at[p] = rows[i] @ rows[j]
        gradients[i] += slopes[p] * rows[j]
        if j < 2:
            gradients[j] += slopes[p] * rows[i]
    along = np.sum(gradients * rows[:2], axis=1)[:, None]
    moved = rows.copy()
    moved[:2] -= 0.3 * (gradients - along * rows[:2])
    moved /= np.linalg.norm(moved, axis=1)[:, None]
    for name, meaning in definitions.items():
        at[name] = float(meaning.subs(at))
    for p, (i, j, _) in stated.flow.places.items():
        assert float(new[p].subs(at)) == pytest.approx(moved[i] @ moved[j], abs=1e-14)
    free = model(TokenSequence({token: 1}), Predictor(lambda X: X @ w + X @ k))
    with pytest.raises(ValueError, match="has 1 eigenspaces, and on spheres 1 of 2 directions"):
        free.flow.step_map(alpha)


def test_the_hessian_is_that_of_the_risk():
    """Of a student b w, which a spike along u makes quadratic: h (1 - b R)^2 + 1 - 2 b R + b^2."""
    w, b = Direction("w", sphere=True), Symbol("b", real=True)
    token = Token(cov={1: 1, u: high}, target=lambda X: X @ u)
    stated = model(TokenSequence({token: 1}), Predictor(lambda X: b * (X @ w)))
    (R,) = stated.order_parameters
    assert expand(stated.risk - (high * (1 - b * R) ** 2 + 1 - 2 * b * R + b**2)) == 0
    assert expand(stated.hessian[0, 0]) == 2 * high * b**2
    assert stated.hessian.shape == (1, 1)


@needs_numba
def test_the_compiled_descent_takes_the_same_steps(monkeypatch):
    """Of a free direction and one on a sphere in two eigenspaces; the loop is run by Python."""
    import numba

    monkeypatch.setattr(numba.config, "DISABLE_JIT", True)
    w, v = Direction("w"), Direction("v", sphere=True)
    token = Token(cov=(1, 3), target=lambda X: X @ u)
    stated = model(TokenSequence({token: 1}), Predictor(lambda X: X @ w + 2 * (X @ v)))
    assert stated.flow.reason == (
        "in 2 Gram matrices of w, v, u: a gradient is a combination of their projections on the "
        "eigenspaces, which all covariances have in common"
    )
    rows = np.random.default_rng(6).normal(size=(2, 3, 4))
    rows[:, 1:] /= np.sqrt(np.sum(rows[:, 1:] ** 2, axis=(0, 2)))[:, None]
    options = {"steps": 6, "alpha": 0.02, "start": rows @ rows.transpose(0, 2, 1), "every": 2}
    values = {str(stated.inner_product(u, u, a)): float(rows[a, 2] @ rows[a, 2]) for a in (0, 1)}
    values = {p.name: values[p.name] for p in stated.parameters}
    runs = [stated.simulate(values, **options, backend=name).gram for name in ("numpy", "numba")]
    assert runs[0].shape == runs[1].shape
    np.testing.assert_allclose(runs[0], runs[1], rtol=0, atol=1e-14)


def test_each_place_has_its_bias():
    """Of a linear student b_J w at the place of the token u, and b_i w at those of the others."""
    w = Direction("w")
    biases, places = symbols("b_1:4", real=True), (Rational(1, 2), Rational(1, 3), Rational(1, 6))
    one, other = Token(mean=2 * u, target=lambda X: X @ u), Token(name="other")
    data = TokenSequence({one: 1, other: 2}, location=places)
    stated = model(data, Predictor(lambda X, b: b * (X @ w), bias=biases))
    Q, R = stated.inner_product(w, w), stated.inner_product(w, u)
    known = sum(
        p * (1 - 2 * b * R + 4 * (1 - b * R) ** 2 + Q * sum(x**2 for x in biases))
        for p, b in zip(places, biases, strict=True)
    )
    assert expand(stated.risk - known) == 0
