"""Random settings and arguments, region by region, for which values are computed."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

from slrsym.testing.reference.records import Setting

__all__ = ["RISK_REGIONS", "ZETA_REGIONS", "random_argument", "random_setting"]

RISK_REGIONS = (
    "oracle", "manifold", "generic", "boundary", "small lambda", "large lambda", "large d"
)  # fmt: skip
ZETA_REGIONS = ("small s", "moderate", "large s", "large t")


def _spread(rng: random.Random, least: float, most: float) -> float:
    return math.exp(rng.uniform(math.log(least), math.log(most)))


def _feasible(k: Sequence[float], v: Sequence[float]) -> tuple[float, ...]:
    k, v = ([x / math.hypot(*y) for x in y] for y in (k, v))
    return k[0], v[1], v[0], k[1], math.fsum(x * y for x, y in zip(k, v, strict=True))


def _normal(rng: random.Random, count: int = 4) -> list[float]:
    return [rng.gauss(0, 1) for _ in range(count)] + [0.0] * (4 - count)


def _near_oracle(rng: random.Random) -> tuple[float, ...]:
    distance = 10 ** rng.uniform(-8, -2)
    k, v = ([distance * x for x in _normal(rng)] for _ in range(2))
    return _feasible([1 + k[0], *k[1:]], [v[0], 1 + v[1], *v[2:]])


def _on_manifold(rng: random.Random) -> tuple[float, ...]:
    special = (0.0, 1.0, -1.0, 1 - 2.0**-30, 2.0**-40)
    kappa, nu = (
        rng.uniform(-1, 1) if rng.random() < 0.6 else rng.choice(special) for _ in range(2)
    )
    return kappa, nu, 0.0, 0.0, 0.0


def _on_boundary(rng: random.Random) -> tuple[float, ...]:
    kind = rng.randrange(4)
    if kind == 0:  # all in the plane of k* and v*
        return _feasible(_normal(rng, 2), _normal(rng, 2))
    if kind == 1:  # k = v
        k = _normal(rng)
        return _feasible(k, k)
    if kind == 2:  # a swap
        return _feasible([0.0, 1.0, 0.0, 0.0], [rng.uniform(-1, 1), 0.0, 0.0, 1.0])
    corners = (
        (1, -1, 0, 0, 0),
        (0, 0, 1, -1, 0),
        (0, 0, 0, 0, 1),
        (0, 0, 0, 0, 0),
        (1, 0, 1, 0, 1),
    )
    return tuple(map(float, rng.choice(corners)))


def random_setting(rng: random.Random, region: str) -> Setting:
    """A setting in a region."""
    lam, gamma = _spread(rng, 0.02, 2), _spread(rng, 0.3, 2)
    d, tokens = round(_spread(rng, 2, 2000)), round(_spread(rng, 1, 200))
    state = _feasible(_normal(rng), _normal(rng))
    if region == "oracle":
        state = (1.0, 1.0, 0.0, 0.0, 0.0) if rng.random() < 0.5 else _near_oracle(rng)
        tokens = rng.choice((1, 1, 10, tokens))
    elif region == "manifold":
        state = _on_manifold(rng)
    elif region == "boundary":
        state = _on_boundary(rng)
    elif region == "small lambda":
        lam = _spread(rng, 1e-3, 1e-2)
    elif region == "large lambda":
        lam, gamma = _spread(rng, 3, 10), _spread(rng, 0.05, 5)
    elif region == "large d":
        d, tokens, lam = round(_spread(rng, 1e5, 1e7)), round(_spread(rng, 1, 1e4)), lam / 5
        state = _near_oracle(rng) if rng.random() < 0.5 else state
    return Setting(state, lam, gamma, d, tokens)


def random_argument(rng: random.Random, region: str) -> tuple[float, float]:
    """Mean and standard deviation of an argument of erf, in a region."""
    low, high = {"small s": (1e-5, 0.05), "large s": (5, 50)}.get(region, (0.05, 5))
    s = _spread(rng, low, high)
    most = (4, 18) if region == "large t" else (1e-3, 4)
    return rng.choice((-1, 1)) * _spread(rng, *most) * math.hypot(1, math.sqrt(2) * s), s
