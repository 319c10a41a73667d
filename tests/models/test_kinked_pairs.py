"""Pairs of units with kinks on tokens with means: against samples in R^d, by this file."""

import numpy as np
import pytest
from scipy.integrate import dblquad
from sympy import Abs, Heaviside, Max, Piecewise, Rational, symbols

from slrsym.gaussian import GaussianLaw
from slrsym.kernels import compile_expressions
from slrsym.models import Direction, Predictor, Token, TokenSequence, model
from slrsym.models.means.mean_patterns import pattern_of_core
from slrsym.models.means.moments import covariance_symbol, generic_gaussian_variables, mean_symbol
from tests._profile import more, nightly_only, thorough, thorough_cases, thorough_only

pytestmark = more

a, b = symbols("a b", real=True)
u, s, w, v = Direction("u", unit=True), Direction("s", unit=True), Direction("w"), Direction("v")
CLUSTERS = [(2 * u, 1), (-2 * u, 1), (2 * s, -1), (-2 * s, -1)]


def exclusive_or():
    tokens = [Token(mean=mean, target=lambda X, y=y: y) for mean, y in CLUSTERS]
    data = TokenSequence([({token: 1}, Rational(1, 4)) for token in tokens])
    share = Predictor(lambda X: a * Max(0, X @ w) + b * Max(0, X @ v))
    return model(data, share, inner_products={u @ s: 0})


@thorough_only
def test_exclusive_or_with_two_units():
    m, d, count = exclusive_or(), 6, 150_000
    rng = np.random.default_rng(0)
    W, second = rng.standard_normal((2, d)) / 2, np.array([0.7, -0.4])
    axes = np.eye(d)[:2]
    signs, which = rng.choice([-1, 1], count), rng.integers(2, size=count)
    X = rng.standard_normal((count, d)) + 2 * signs[:, None] * axes[which]
    hidden = X @ W.T
    error = 1 - 2 * which - np.maximum(hidden, 0) @ second
    rows = dict(zip((w, v, u, s), (*W, *axes), strict=True))
    places = {m.inner_product(x, y): rows[x] @ rows[y] for x in rows for y in rows}
    e, online = (m.equations(k, rate=1, train=(a, b)) for k in ("gradient-flow", "online-sgd"))
    state = [*(places[p] for p in e.state[:-2]), *second]

    def agrees(samples, exact):
        spread = samples.std() / np.sqrt(count)
        return abs(samples.mean() - exact) <= 4 * spread

    assert agrees(error**2, e.compile("numpy", "risk")(state)[0])
    change = e.compile("numpy")(state)
    noise = online.compile("numpy")(state) - change
    on = (hidden > 0) * second
    for p, rate, more_noise in zip(e.state[:-2], change, noise, strict=False):
        i, j, _ = m.gram_indices[p]
        steps = 2 * error * on[:, i] * (X @ (*W, *axes)[j])
        if j < 2:
            steps = steps + 2 * error * on[:, j] * hidden[:, i]
            assert agrees(4 * error**2 * on[:, i] * on[:, j], more_noise), p
        assert agrees(steps, rate), p
    for i in (0, 1):
        assert agrees(2 * error * np.maximum(hidden[:, i], 0), change[i - 2])


@thorough_only
def test_aligned_units_on_tokens_with_means():
    m = exclusive_or()
    of = m.compile("numpy", "risk", "gradient")
    at = [0.5, 0.5, 0.1, 0.2, 0.5, 0.1, 0.2]
    assert m.order_parameters[1] == m.inner_product(w, v)
    found, near = (of([at[0], at[1] - away, *at[2:]], 0.7, -0.4) for away in (0, 1e-10))
    # Risk and slopes differ by the angle of the two, which is the root of twice what is away.
    assert found == pytest.approx(near, abs=1e-5)
    single = exclusive_or().compile("numpy", "risk")(at, 0.3, 0)
    assert found[0] == pytest.approx(single[0], rel=1e-13)
    mpmath = m.compile("mpmath", "risk", "gradient")(at, 0.7, -0.4)
    # The angle of a correlation next to 1 has half of its digits.
    assert [float(x) for x in mpmath] == pytest.approx(found, abs=1e-7)
    assert float(mpmath[2]) == pytest.approx(0.7 * -0.4, rel=1e-14)


@thorough_only
@thorough_cases("<lambda>0")
@pytest.mark.parametrize("unit", [lambda x: Max(0, 1 - x), lambda x: Max(x, x / 5)])
def test_two_hinges_and_two_leaky_units(unit):
    m = model(
        TokenSequence({Token(mean=s, target=lambda X: unit(X @ u)): 1}),
        Predictor(lambda X: unit(X @ w)), inner_products={u @ s: 0},
    )  # fmt: skip
    assert m.has_closed_form
    assert m.check({"d": 5}, rng=0, samples=20_000).is_passed
    parts = {w @ w: 1, w @ u: 1, w @ s: 0}
    (risk,) = m.compile("numpy", "risk")([parts[x] for x in (w @ w, w @ u, w @ s)])
    assert abs(risk) <= 1e-15


# Hessians take up to two minutes to derive.
@nightly_only
@pytest.mark.parametrize(
    "unit", [lambda x: Piecewise((x, x > 1), (0, True)), lambda x: Max(0, 1 - x)]
)
def test_slopes_and_curvatures_are_differences(unit):
    data = TokenSequence({Token(mean=s, cov=Rational(1, 2), target=lambda X: unit(X @ u)): 1})
    m = model(data, Predictor(lambda X: unit(X @ w)), inner_products={u @ s: 0})
    at, step = np.array([0.9, 0.3, -0.2]), 1e-5
    risk, slope, bend = (m.compile("numpy", what) for what in ("risk", "gradient", "hessian"))
    moves = step * np.eye(3)
    assert slope(at) == pytest.approx(
        [(risk(at + x)[0] - risk(at - x)[0]) / (2 * step) for x in moves], abs=1e-9
    )
    rows = [(slope(at + x) - slope(at - x)) / (2 * step) for x in moves]
    assert bend(at) == pytest.approx([rows[i][j] for i in range(3) for j in range(i, 3)], abs=1e-8)


KINKS = {
    "relu": (lambda x: Max(0, x), lambda x: max(0, x)),
    "abs": (Abs, abs),
    "step": (Heaviside, lambda x: float(x > 0)),
}


@pytest.mark.parametrize(
    ("one", "other"), [("relu", "step"), thorough("abs", "relu"), thorough("abs", "abs")]
)
@pytest.mark.parametrize("means", [(0.4, -0.3), (0, 0.7), (-1.2, -0.5)])
@pytest.mark.parametrize("backend", ["numpy", "mpmath"])
def test_means_of_pairs(one, other, means, backend):
    z = generic_gaussian_variables(2)
    core = KINKS[one][0](z[0]) * KINKS[other][0](z[1])
    mean = pattern_of_core(core, 2).mean(centred=False)
    p, q, c = 1.3, 0.8, -0.6
    at = {mean_symbol(0): means[0], mean_symbol(1): means[1], covariance_symbol(0, 0): p,
          covariance_symbol(0, 1): c, covariance_symbol(1, 1): q}  # fmt: skip
    names = tuple(at)
    found = compile_expressions([mean.value], names, (), backend)([*at.values()])[0]
    law = GaussianLaw(dict(zip(z, means, strict=True)), [[p, c], [c, q]])
    inverse = np.linalg.inv(np.array(law.cov, dtype=float))
    front = np.sqrt(np.linalg.det(inverse)) / (2 * np.pi)

    def inside(y, x):
        away = np.array([x - means[0], y - means[1]])
        value = KINKS[one][1](x) * KINKS[other][1](y)
        return value * front * np.exp(-away @ inverse @ away / 2)

    ends = (-9, 0, 9)
    right = sum(
        dblquad(inside, *ends[i : i + 2], *ends[j : j + 2], epsabs=1e-9)[0]
        for i in (0, 1)
        for j in (0, 1)
    )
    assert float(found) == pytest.approx(right, abs=1e-7)
