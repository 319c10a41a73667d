"""Several heads on several tokens: 22 order parameters, their risk, and descent."""

import mpmath
import numpy as np
import pytest
from scipy.special import erf

from slrsym.papers.single_location.models import multi_head
from tests._profile import thorough, thorough_only
from tests.kernels._cases import needs_numba
from tests.models._vectors import descended, numbers_of, state_of, unit

VALUES = {"d": 12, "L": 5, "gamma": 0.7, "epsilon": 0.3, "lambda": 0.45}


def drawn(instance, rng, d=VALUES["d"]):
    heads, informative = len(instance.k), len(instance.k_star)
    k, v = unit(rng.normal(size=(2, heads, d)))
    k_star = unit(rng.normal(size=(informative, d)))
    v_star = rng.normal(size=(informative, d))
    v_star = unit(v_star - np.sum(v_star * k_star, axis=1, keepdims=True) * k_star)
    return {
        **dict(zip(instance.k, k, strict=True)),
        **dict(zip(instance.v, v, strict=True)),
        **dict(zip(instance.k_star, k_star, strict=True)),
        **dict(zip(instance.v_star, v_star, strict=True)),
    }


def errors(instance, vectors, rng, count, tau=0.0):
    """Squared errors on sequences of tokens of R^d."""
    d, tokens, gamma = VALUES["d"], VALUES["L"], VALUES["gamma"]
    informative = len(instance.k_star)
    X = rng.normal(size=(count, tokens, d))
    own = X[:, :informative].copy()
    shared = rng.normal(size=(count, 1, d))
    X[:, :informative] = gamma * (np.sqrt(1 - tau) * own + np.sqrt(tau) * shared)
    X[:, :informative] += np.sqrt(d / 2) * np.array([vectors[x] for x in instance.k_star])
    Y = sum(X[:, i] @ vectors[u] for i, u in enumerate(instance.v_star))
    Y = Y + VALUES["epsilon"] * rng.normal(size=count)
    for k, v in zip(instance.k, instance.v, strict=True):
        Y -= np.sum(erf(VALUES["lambda"] * X @ vectors[k]) * (X @ vectors[v]), axis=1)
    return Y * Y


@pytest.mark.parametrize(
    ("heads", "informative", "count"), [(1, 1, 5), thorough(2, 2, 22), thorough(2, 1, 14)]
)
def test_as_many_order_parameters_as_counted(heads, informative, count):
    found = multi_head(heads, informative).model.order_parameters
    assert len(found) == count == 4 * heads * informative + heads**2 + heads * (heads - 1)


# Two heads by NumPy, with their gradient in descent, and tokens without correlation.
@thorough_only
@pytest.mark.parametrize("tau", [0, 0.6])
def test_the_risk_against_tokens(tau):
    instance = multi_head(2, 2, tau)
    rng = np.random.default_rng(round(10 * tau))
    risk = instance.model.compile("numpy", "risk")
    scores = []
    for _ in range(8):
        vectors = drawn(instance, rng)
        squares = errors(instance, vectors, rng, 40_000, tau)
        state = state_of(instance.model, vectors)
        one, other = instance.v_star
        between = instance.model.inner_product(one, other).name
        values = {**VALUES, between: vectors[one] @ vectors[other]}
        assert (between in [p.name for p in instance.model.parameters]) == (tau != 0)
        value = risk(state, *numbers_of(instance.model, values))[0]
        scores.append((squares.mean() - value) / (squares.std() / np.sqrt(len(squares))))
    assert np.abs(scores).max() < 4.5
    assert np.square(scores).mean() < 3


# Machine code for 22 order parameters takes a minute to compile: one head shows the same loops.
@thorough_only
@pytest.mark.parametrize(
    ("heads", "backend"),
    [
        (2, "numpy"),
        pytest.param(1, "numba", marks=needs_numba),
        pytest.param(2, "numba", marks=[needs_numba, thorough_only]),
    ],
)
def test_descent_of_overlaps_is_that_of_vectors(heads, backend):
    instance = multi_head(heads, 2)
    rng = np.random.default_rng(3)
    vectors = drawn(instance, rng, 30)
    values = {**VALUES, "d": 30}
    ended = descended(instance.model, vectors, values, 0.01, 400)
    runs = instance.model.simulate(
        values, steps=400, alpha=0.01, start=vectors, every=400, backend=backend
    )
    for x in instance.model.directions:
        for y in instance.model.trained_directions:
            assert abs(runs.overlap(x, y)[0, -1] - ended[x] @ ended[y]) < 1e-12
    moved = max(np.abs(ended[x] - vectors[x]).max() for x in instance.model.trained_directions)
    assert moved > 0.1


@thorough_only
@mpmath.workdps(50)
def test_slopes_against_differences():
    instance = multi_head(2, 2, 0.6)
    model, rng = instance.model, np.random.default_rng(5)
    f = model.compile("mpmath", "risk", "gradient")
    state = [mpmath.mpf(float(x)) for x in state_of(model, drawn(instance, rng))]
    numbers = [VALUES.get(p.name, 0.3) for p in model.parameters]
    slopes = f(state, *numbers, dps=40)[1:]
    step = mpmath.mpf(10) ** -12
    for i, slope in enumerate(slopes):
        near = [[x + s * step * (i == j) for j, x in enumerate(state)] for s in (1, -1)]
        ahead, behind = (f(x, *numbers, dps=40)[0] for x in near)
        assert abs((ahead - behind) / (2 * step) - slope) < 1e-16
