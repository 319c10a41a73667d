"""Risks of several heads on several tokens, against quadrature of their definition.

The error is a sum over tokens, so its square is a sum of means of pairs of terms. Such a mean
depends on two scores and two values; given the scores, the values are Gaussian with means linear in
them. What remains is an integral over two independent normal variables, by the trapezoid rule. It
shares nothing with the closed form, which has bivariate normal probabilities.
"""

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import erf
from sympy import Integer, Rational

from slrsym.papers.single_location.models import MultiHead, multi_head
from tests._profile import THOROUGH, more, nightly, thorough
from tests.models._vectors import numbers_of, state_of, unit

Array = NDArray[np.float64]
POINTS = 5 if THOROUGH else 2
# Nodes of the trapezoid rule for the normal law. For these functions, of which those of a complex
# argument grow as exp(y^2 / 2) at most, its error is far below rounding.
NODES = np.arange(-28, 29) * 0.35
WEIGHTS = 0.35 * np.exp(-(NODES**2) / 2) / np.sqrt(2 * np.pi)


def mean_of_product(
    scores: list[tuple[float, Array]],
    values: list[tuple[float, Array]],
    factor: Callable[..., Array],
) -> float:
    """Return the mean of factor(scores) times two values.

    Each is its mean and its coefficients in independent standard normal variables.
    """
    rows = np.array([row for _, row in scores + values])
    # Coefficients in an orthonormal basis whose first vectors span those of the scores.
    root = np.linalg.qr(rows.T, mode="r").T
    n = len(scores)
    grid = np.meshgrid(*[NODES] * n, indexing="ij")
    weights = np.ones(())
    for _ in range(n):
        weights = np.multiply.outer(weights, WEIGHTS)

    def given_scores(i: int, mean: float) -> Array:
        return mean + sum(root[i, j] * grid[j] for j in range(n))

    at = [given_scores(i, mean) for i, (mean, _) in enumerate(scores)]
    one, other = (given_scores(n + i, mean) for i, (mean, _) in enumerate(values))
    rest = root[n, n:] @ root[n + 1, n:]
    return float(np.sum(weights * factor(*at) * (one * other + rest)))


def risk_of_vectors(
    instance: MultiHead, vectors: dict, values: dict[str, float], tau: float
) -> float:
    """Return E (Y - T)^2 for vectors of R^d, token by token."""
    d, lam, gamma = int(values["d"]), values["lambda"], values["gamma"]
    count = len(instance.k_star)
    heads = list(zip(instance.k, instance.v, strict=True))
    zero = np.zeros(d)

    def linear(token: int, u: Array) -> tuple[float, Array]:
        """Return the projection of a token on u, in the noises common and of each token."""
        if token == count:  # one that is not informative
            return 0.0, np.concatenate([zero] * (count + 1) + [u])
        noises = [zero] * (count + 2)
        noises[0] = gamma * np.sqrt(tau) * u
        noises[token + 1] = gamma * np.sqrt(1 - tau) * u
        mean = np.sqrt(d / 2) * vectors[instance.k_star[token]] @ u
        return float(mean), np.concatenate(noises)

    # The terms of the error: sign, scores (one or none), value.
    def terms(token: int) -> list[tuple[int, list, tuple[float, Array]]]:
        found = [(-1, [linear(token, vectors[k])], linear(token, vectors[v])) for k, v in heads]
        if token < count:
            found.append((1, [], linear(token, vectors[instance.v_star[token]])))
        return found

    def factor(*scores: Array) -> Array:
        product = np.ones(())
        for score in scores:
            product = product * erf(lam * score)
        return product

    def product(one: list, other: list) -> float:
        """Return the mean of the product of two sums of terms."""
        return sum(
            s * t * mean_of_product(a + b, [p, q], factor)
            for (s, a, p), (t, b, q) in itertools.product(one, other)
        )

    informative = [terms(i) for i in range(count)]
    total = values["epsilon"] ** 2
    total += sum(product(one, other) for one, other in itertools.product(informative, repeat=2))
    # Tokens that are not informative are independent of all others, and alike.
    constant = [(1, [], (1.0, np.zeros((count + 2) * d)))]
    others, mean = values["L"] - count, product(terms(count), constant)
    total += others * product(terms(count), terms(count)) + others * (others - 1) * mean**2
    total += 2 * others * mean * sum(product(one, constant) for one in informative)
    return float(total)


def drawn(instance: MultiHead, rng: np.random.Generator, d: int) -> dict:
    """Draw vectors by direction, with each v*_i orthogonal to its k*_i."""
    names = (instance.k, instance.v, instance.k_star, instance.v_star)
    vectors = {x: unit(rng.normal(size=d)) for group in names for x in group}
    for key, value in zip(instance.k_star, instance.v_star, strict=True):
        vectors[value] = unit(vectors[value] - vectors[value] @ vectors[key] * vectors[key])
    return vectors


@more
@pytest.mark.parametrize(
    ("heads", "informative", "correlation"),
    [
        (1, 1, Integer(0)),
        thorough(1, 2, Rational(1, 3)),
        thorough(2, 1, Integer(0)),
        thorough(2, 2, Integer(0)),
        thorough(2, 2, Rational(3, 5)),
        thorough(2, 3, Integer(1)),
        thorough(3, 1, Integer(0)),
        thorough(3, 2, Rational(1, 2)),
        nightly(3, 3, Rational(1, 4)),
        nightly(3, 3, Integer(1)),
    ],
)
def test_the_risk_of_several_heads_is_that_of_quadrature(heads, informative, correlation):
    instance = multi_head(heads, informative, correlation)
    stated = instance.model
    risk = stated.compile("numpy", "risk")
    rng = np.random.default_rng(100 * heads + 10 * informative + round(4 * float(correlation)))
    for _ in range(POINTS):
        values = {
            "d": int(rng.integers(4, 20)),
            "L": int(rng.integers(informative + 1, 12)),
            "gamma": rng.uniform(0.2, 1),
            "epsilon": rng.uniform(0, 0.5),
            "lambda": rng.uniform(0.05, 0.7),
        }
        vectors = drawn(instance, rng, values["d"])
        fixed = {
            p.name: float(vectors[x] @ vectors[y])
            for group in (instance.k_star, instance.v_star, instance.k_star + instance.v_star)
            for x, y in itertools.combinations(group, 2)
            if (p := stated.inner_product(x, y)) in stated.parameters
        }
        found = risk(state_of(stated, vectors), *numbers_of(stated, values | fixed))[0]
        expected = risk_of_vectors(instance, vectors, values, float(correlation))
        assert abs(found - expected) <= 1e-12 * expected
