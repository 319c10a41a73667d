"""Means of functions of two normal variables, against another rule, and risks that need them."""

from functools import cache

import numpy as np
import pytest
from scipy.special import ndtr
from sympy import Rational, exp, log, symbols, tanh

from slrsym.gaussian import GaussianLaw, normal_cdf
from slrsym.kernels import compile_expressions
from slrsym.kernels.symbolic_functions import gaussian_mean
from slrsym.models import Direction, Predictor, Token, TokenSequence, logistic, model, softmax
from slrsym.papers.single_location.models import multi_head
from tests._profile import (
    NIGHTLY,
    THOROUGH,
    more,
    nightly_only,
    thorough,
    thorough_cases,
    thorough_only,
)
from tests.kernels._cases import BACKENDS, needs_numba

x, y = symbols("x y", real=True)
LAW = symbols("m_1 m_2 v_1 c v_2", real=True)
p = symbols("p", positive=True)


@cache
def panels():
    """Gauss-Legendre rules of 16 nodes on panels of half a unit: a rule that slrsym has not."""
    nodes, weights = np.polynomial.legendre.leggauss(16)
    edges = np.arange(-9, 9.1, 0.5)
    z = (edges[:-1, None] + 0.25 * (nodes + 1)).ravel()
    w = np.tile(0.25 * weights, len(edges) - 1) * np.exp(-z * z / 2) / np.sqrt(2 * np.pi)
    return z[:, None], z[None], w[:, None] * w[None]


def by_panels(function, means, cov):
    """The mean of a function of two normal variables."""
    z, w, weight = panels()
    values, vectors = np.linalg.eigh(np.asarray(cov))
    (a, b), (c, d) = vectors * np.sqrt(np.maximum(values, 0))
    return np.sum(weight * function(means[0] + a * z + b * w, means[1] + c * z + d * w))


def sech2(u):
    return 1 / np.cosh(u) ** 2


FUNCTIONS = {
    "tanh": (tanh(x) * tanh(p * y), lambda u, w: np.tanh(u) * np.tanh(0.7 * w)),
    "in x": ((tanh(x) * tanh(p * y)).diff(x), lambda u, w: sech2(u) * np.tanh(0.7 * w)),
    "softplus": (
        log(1 + exp(x)) * log(1 + exp(-y)),
        lambda u, w: np.logaddexp(0, u) * np.logaddexp(0, -w),
    ),
    "of a sum": (tanh(x + y) / (1 + x**2), lambda u, w: np.tanh(u + w) / (1 + u * u)),
}


def laws(count):
    """Means and covariances: random ones, singular ones, a variable that is constant."""
    rng = np.random.default_rng(3)
    for i in range(count):
        spread = rng.uniform(0.1, 1.5, 2)
        r = (rng.uniform(-0.99, 0.99), 1.0, -1.0, 0.0, 1 - 1e-9)[i % 5 if i % 2 else 0]
        if i == 4:
            spread[i % 2] = 0.0
        v, c, w = spread[0] ** 2, r * spread[0] * spread[1], spread[1] ** 2
        yield rng.uniform(-1, 1, 2), np.array([[v, c], [c, w]])


@more
@pytest.mark.parametrize("name", FUNCTIONS)
def test_means_by_numpy(name):
    function, plain = FUNCTIONS[name]
    law = GaussianLaw({x: LAW[0], y: LAW[1]}, [[LAW[2], LAW[3]], [LAW[3], LAW[4]]])
    mean = compile_expressions([gaussian_mean(function, law)], LAW, [p])
    for means, cov in laws(40 if NIGHTLY else 12 if THOROUGH else 10):
        found = mean([*means, cov[0, 0], cov[0, 1], cov[1, 1]], 0.7)[0]
        size = by_panels(lambda *at: np.abs(plain(*at)), means, cov)
        assert abs(found - by_panels(plain, means, cov)) < 1e-13 * size


def mean_and_slopes():
    function = FUNCTIONS["tanh"][0]
    law = GaussianLaw({x: LAW[0], y: LAW[1]}, [[LAW[2], LAW[3]], [LAW[3], LAW[4]]])
    mean = gaussian_mean(function, law)
    return [mean, mean.diff(LAW[0]), mean.diff(LAW[0], LAW[1])]


# The same means by NumPy, and risks that are made of them.
@thorough_cases("numba", "jax")
@pytest.mark.parametrize("backend", [b for b in BACKENDS if b not in ("numpy", "ball")])
def test_backends_agree(backend):
    outputs = mean_and_slopes()[: 1 if backend == "mpmath" else 3]
    function = compile_expressions(outputs, LAW, [p], backend)
    known = compile_expressions(outputs, LAW, [p])
    digits = {"dps": 15} if backend == "mpmath" else {}
    for means, cov in laws(1 if backend == "mpmath" else 6):
        at = [*means, cov[0, 0], cov[0, 1], cov[1, 1]]
        expected = known(at, 0.7)
        found = np.array([float(value) for value in function(at, 0.7, **digits)])
        assert np.abs(found - expected).max() < 1e-13


@thorough_only
def test_derivatives_by_jax():
    """In the law, by the heat equation, and in a parameter of the function."""
    jax = pytest.importorskip("jax", reason="needs JAX: pip install 'slrsym[jax]'")
    mean = mean_and_slopes()[0]
    compiled = jax.jit(jax.grad(compile_first(mean), (0, 1)))
    (u, w), half = LAW[:2], 0.5
    slopes = [mean.diff(u), mean.diff(w), half * mean.diff(u, 2), mean.diff(u, w)]
    known = compile_expressions([*slopes, half * mean.diff(w, 2)], LAW, [p])
    for means, cov in laws(3):
        at = np.array([*means, cov[0, 0], cov[0, 1], cov[1, 1]])
        by_law, by_p = compiled(at, 0.7)
        assert np.abs(np.asarray(by_law) - known(at, 0.7)).max() < 1e-13
        in_p = by_panels(lambda u, w: np.tanh(u) * w * sech2(0.7 * w), means, cov)
        assert float(by_p) == pytest.approx(in_p, rel=1e-12)


def compile_first(mean):
    function = compile_expressions([mean], LAW, [p], "jax")
    return lambda at, p: function(at, p)[0]


def test_there_are_no_balls():
    with pytest.raises(ValueError, match="means by quadrature are not enclosed"):
        compile_expressions(mean_and_slopes(), LAW, [p], "ball")


ACTIVATIONS = {
    "tanh": (tanh, np.tanh, sech2),
    "logistic": (logistic, lambda u: (1 + np.tanh(u / 2)) / 2, lambda u: sech2(u / 2) / 4),
    "softplus": (
        lambda u: log(1 + exp(u)),
        lambda u: np.logaddexp(0, u),
        lambda u: (1 + np.tanh(u / 2)) / 2,
    ),
    "swish": (
        lambda u: u / (1 + exp(-u)),
        lambda u: u * (1 + np.tanh(u / 2)) / 2,
        lambda u: (1 + np.tanh(u / 2)) / 2 + u * sech2(u / 2) / 4,
    ),
}


def student(activation):
    """A student that learns from a teacher of the same activation."""
    u, w = Direction("u", unit=True), Direction("w")
    data = TokenSequence({Token(target=lambda X: activation(X @ u)): 1})
    return model(data, Predictor(lambda X: activation(X @ w)))


@more
@pytest.mark.parametrize("name", ["tanh", "logistic", "softplus", thorough("swish")])
def test_a_student_and_a_teacher(name):
    """Risk, and the gradient in the student's weights, as integrals of their definitions."""
    activation, plain, slope = ACTIVATIONS[name]
    stated = student(activation)
    assert [str(q) for q in stated.order_parameters] == [
        r"\langle w, w\rangle", r"\langle w, u\rangle"
    ]  # fmt: skip
    assert stated.quadrature.dimension == 2
    compiled = stated.compile("numpy")
    rng = np.random.default_rng(4)
    for _ in range(20 if THOROUGH else 3):
        square = rng.uniform(0.1, 2.0)
        overlap = rng.uniform(-1, 1) * np.sqrt(square)
        cov = [[square, overlap], [overlap, 1.0]]
        risk, by_square, by_overlap = compiled([square, overlap])
        known = by_panels(lambda w, u: (plain(w) - plain(u)) ** 2, (0, 0), cov)
        assert abs(risk / known - 1) < 1e-12
        # The gradient in w is 2 by_square w + by_overlap u; along w, and along u.
        along = np.array(cov) @ [2 * by_square, by_overlap]
        for found, factor in zip(along, (lambda w, u: w, lambda w, u: u), strict=True):

            def form(w, u, by=factor):
                return 2 * (plain(w) - plain(u)) * slope(w) * by(w, u)

            size = by_panels(lambda w, u, form=form: np.abs(form(w, u)), (0, 0), cov)
            assert abs(found - by_panels(form, (0, 0), cov)) < 1e-12 * size


def test_gelu_has_a_closed_form():
    stated = student(lambda u: u * normal_cdf(u))
    assert stated.has_closed_form
    found = stated.compile("numpy", "risk")([0.7, 0.3])[0]
    form = lambda w, u: (w * ndtr(w) - u * ndtr(u)) ** 2  # noqa: E731
    assert found == pytest.approx(by_panels(form, (0, 0), [[0.7, 0.3], [0.3, 1.0]]), rel=1e-12)


@thorough_only
def test_two_heads_against_tokens():
    stated = multi_head(2, 1, activation=tanh).model
    values = {"d": 8, "L": 3, "gamma": 0.7, "epsilon": 0.1, "lambda": 0.4}
    assert stated.check(values, samples=20_000, rng=0).is_passed
    runs = stated.simulate(values, steps=2, alpha=1e-2, rng=0, backend="numpy")
    assert np.isfinite(runs.risk.values).all()


@more
@nightly_only
def test_the_gradient_of_many_order_parameters_is_short():
    # Written out, its 28 entries take 2,000 lines, and with noise and a bias 10,000, for which
    # Numba needs ten minutes and several gigabytes.
    u = Direction("u", unit=True)
    pairs = [(Direction(f"k_{i}", sphere=True), Direction(f"v_{i}")) for i in (1, 2)]
    token = Token(cov=(Rational(1, 2), symbols("gamma", positive=True)), target=lambda X: X @ u)
    share = lambda X: sum((X @ k) / (1 + (X @ k) ** 2) * (X @ v) for k, v in pairs)  # noqa: E731
    stated = model(TokenSequence({token: 1}), Predictor(share))
    assert stated.program("gradient").body.count("\n") < 400
    assert stated.check({"d": 8, "gamma": 0.7}, samples=20_000, rng=0).is_passed


@more
@needs_numba
@thorough_only
def test_a_student_by_numba():
    stated = student(tanh)
    states = np.array([[0.7, 0.3], [1.5, -0.8], [0.2, 0.1]])
    plain, fast = (stated.compile(b, "risk", "gradient", "hessian") for b in ("numpy", "numba"))
    assert np.abs(fast(states) - plain(states)).max() < 1e-12


def test_two_heads_of_softmax_say_how_many_dimensions():
    def share(X):
        heads = ((Direction(f"k_{i}", sphere=True), Direction(f"v_{i}")) for i in (1, 2))
        return sum(softmax(X @ k) * (X @ v) for k, v in heads)

    u = Direction("u", unit=True)
    token = Token(target=lambda X: X @ u)
    with pytest.raises(ValueError, match="got 2, whose risk is an integral of 4 dimensions"):
        _ = model(TokenSequence({token: 3}), Predictor(share)).risk
