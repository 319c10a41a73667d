"""What one does with a model, for each instance: runs, critical points, recovery, tokens, LaTeX."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from sympy import Heaviside, Max, Rational, Symbol, exp, sin, symbols, tanh

from slrsym.gaussian import normal_cdf
from slrsym.models import Direction, Predictor, Token, TokenSequence, model, softmax
from slrsym.models.examples import attention, committee, multi_head
from tests._profile import thorough, thorough_only

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


@pytest.mark.parametrize("name", ALL)
def test_tokens_agree_with_every_instance(name):
    stated = made[name]()
    found = stated.check(values_of(stated), samples=20_000, rng=1)
    assert found.is_passed, found
    assert np.mean(np.square(list(found.z_scores.values()))) < 4


@pytest.mark.parametrize("name", ["angle", "spike", thorough("two eigenvalues")])
def test_critical_points_are_critical(name):
    stated = made[name]()
    points = stated.landscape(values_of(stated), starts=2, rng=3)
    assert points
    assert all(np.isfinite(point.risk) for point in points)


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
