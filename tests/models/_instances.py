"""Instances of attention, their activations in numbers, and random settings of them."""

from functools import cache

import numpy as np
from scipy.special import erf, expit, ndtr
from sympy import Heaviside, Max, Symbol, cos, exp, sin, symbols, tanh

from slrsym.gaussian import normal_cdf
from slrsym.models import logistic, softmax
from slrsym.papers.single_location.models import attention
from tests._profile import NIGHTLY
from tests.models._vectors import unit

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


def by_direction(instance, vectors):
    return dict(
        zip((instance.k, instance.v, instance.k_star, instance.v_star), vectors, strict=True)
    )
