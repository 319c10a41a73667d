r"""Values of the risk and its derivatives to many digits, from the definition.

Nothing here knows a closed form. Given the location, tokens are independent, so that the mean of
the squared error is made of means over one token each. Given its score :math:`k \cdot X`, what else
is seen of a token is Gaussian, by the definition of the task, and polynomials in it have means that
are polynomials in its conditional mean and covariance. What is left are integrals over one standard
normal variable, of powers of erf and of the variable; they are done by quadrature. Derivatives are
differences of values, taken with so many digits that enough of them are left.

``python -m tests.papers.single_location.testing.references`` computes the values that are kept in
``slrsym/papers/single_location/testing/data``, at points of its own choice;
`slrsym.papers.single_location.testing.accuracy` reads them.

Notes
-----
The trapezoidal rule on the whole line converges faster than any power of its step for such
integrands. Two grids, one in the gaps of the other, have to agree; one of them also has the
differences of half the length, so that these have to agree, too.
"""

import argparse
import itertools
import json
import math
import operator
import random
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import mpmath
from mpmath import mp, mpf

from slrsym.papers.single_location.testing.accuracy import (
    DIGITS,
    RISK_REGIONS,
    ZETA_REGIONS,
    RiskAndDerivatives,
    RiskSetting,
)

PROGRAM = "python -m tests.papers.single_location.testing.references"


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


def random_setting(rng: random.Random, region: str) -> RiskSetting:
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
    return RiskSetting(state, lam, gamma, d, tokens)


def random_argument(rng: random.Random, region: str) -> tuple[float, float]:
    """Mean and standard deviation of an argument of erf, in a region."""
    low, high = {"small s": (1e-5, 0.05), "large s": (5, 50)}.get(region, (0.05, 5))
    s = _spread(rng, low, high)
    most = (4, 18) if region == "large t" else (1e-3, 4)
    return rng.choice((-1, 1)) * _spread(rng, *most) * math.hypot(1, math.sqrt(2) * s), s


def _normal_means(
    functions: Callable[[Any], Sequence[Any]], spread: Any, shift: Any
) -> tuple[Any, ...]:
    """Means of functions of a standard normal variable, to the working precision.

    The functions are made of powers of the variable z and of erf(t + spread z), squared at most;
    beside the real line they grow like exp(2 spread^2 y^2). A shift of 0 and one of 1/2 give two
    rules that have no node in common.
    """
    rate = mpf(1) / 2 + 2 * spread**2
    size = (mp.dps + 5) * mpmath.log(10)
    step = mpmath.pi / mpmath.sqrt(size * rate)
    # Beyond this the density is nothing, and so it is times powers.
    reach = int(mpmath.sqrt(2 * size) / step) + 2
    total = [mpf(0)] * len(functions(mpf(0)))
    for n in range(-reach, reach + 1):
        z = (n + shift) * step
        weight = mpmath.exp(-z * z / 2)
        total = [x + weight * value for x, value in zip(total, functions(z), strict=True)]
    front = step / mpmath.sqrt(2 * mpmath.pi)
    return tuple(front * x for x in total)


@lru_cache(maxsize=64)
def erf_moments(mean: Any, spread: Any, shift: Any, dps: int) -> dict[tuple[int, int], Any]:
    """Means of erf(mean + spread z)^q z^p over a standard normal z; q = 1, 2 and p = 0, 1, 2."""
    keys = list(itertools.product((1, 2), (0, 1, 2)))

    def functions(z: Any) -> list[Any]:
        f = mpmath.erf(mean + spread * z)
        return [f**q * z**p for q, p in keys]

    return dict(zip(keys, _normal_means(functions, spread, shift), strict=True))


def _excess_risk(state: Sequence[Any], rest: Sequence[Any], shift: Any) -> Any:
    """The mean of (Y - xi - T(X))^2, given the location."""
    kappa, nu, theta, eta, rho = state
    lam, gamma, d, L = rest
    drift = mpmath.sqrt(d / 2)
    # The informative token: its score is drift kappa + gamma z. Given z, the coordinates along v*
    # and v have the means gamma eta z and push + gamma rho z, and these covariances.
    push = drift * theta
    along_star, across, along = (gamma**2 * x for x in (1 - eta**2, nu - eta * rho, 1 - rho**2))
    m = erf_moments(lam * drift * kappa, lam * gamma, shift, mp.dps)
    error = -(push * m[1, 0] + gamma * rho * m[1, 1])
    error_square = (
        (gamma * eta) ** 2 + along_star
        - 2 * gamma * eta * (push * m[1, 1] + gamma * rho * m[1, 2])
        - 2 * across * m[1, 0]
        + push**2 * m[2, 0] + 2 * push * gamma * rho * m[2, 1] + (gamma * rho) ** 2 * m[2, 2]
        + along * m[2, 0]
    )  # fmt: skip
    # Every other token: its score is z, and given z the coordinate along v has mean rho z.
    n = erf_moments(mpf(0), lam, shift, mp.dps)
    other = rho * n[1, 1]
    other_square = rho**2 * n[2, 2] + (1 - rho**2) * n[2, 0]
    return (
        error_square
        - 2 * (L - 1) * error * other
        + (L - 1) * other_square
        + (L - 1) * (L - 2) * other**2
    )


def _derivatives(
    state: Sequence[Any], rest: Sequence[Any], shift: Any, length: Any
) -> RiskAndDerivatives:
    """Central differences; the risk is quadratic in all but kappa, which has a scale of its own."""
    lam, _, d, _ = rest
    steps = [length / (1 + lam * mpmath.sqrt(d / 2)), *[length] * 4]

    def at(*moves: tuple[int, int]) -> Any:
        moved = list(state)
        for i, times in moves:
            moved[i] += times * steps[i]
        return _excess_risk(moved, rest, shift)

    here = at()
    gradient, hessian = [], []
    for i in range(5):
        ahead, behind = at((i, 1)), at((i, -1))
        gradient.append((ahead - behind) / (2 * steps[i]))
        hessian.append((ahead - 2 * here + behind) / steps[i] ** 2)
        for j in range(i + 1, 5):
            corners = [a * b * at((i, a), (j, b)) for a, b in itertools.product((1, -1), repeat=2)]
            hessian.append(mpmath.fsum(corners) / (4 * steps[i] * steps[j]))
    return RiskAndDerivatives((here,), tuple(gradient), tuple(hessian))


def _agreed(
    compute: Callable[[Any, Any], Sequence[tuple[Any, ...]]], digits: int
) -> list[tuple[Any, ...]]:
    """Groups of numbers that two quadratures agree about, relative to the largest of each group."""
    # The error of a difference is of the order of the square of its length.
    length = mpf(10) ** (-(digits // 2) - 8)
    for dps in (3 * digits, 5 * digits, 8 * digits, 20 * digits):
        with mp.workdps(dps):
            pairs = list(zip(compute(mpf(0), length), compute(mpf(0.5), length / 2), strict=True))
            close = [
                max(abs(x - y) for x, y in zip(a, b, strict=True))
                <= max(map(abs, a)) * mpf(10) ** -digits
                for a, b in pairs
            ]
            if all(close):
                return [tuple((x + y) / 2 for x, y in zip(a, b, strict=True)) for a, b in pairs]
            # By symmetry all entries may be zero, and rounding is all there is of them.
            gone = [max(map(abs, (*a, *b))) < mpf(10) ** (-dps // 2) for a, b in pairs]
    if all(map(operator.or_, close, gone)):
        return [
            tuple(x if known else mpf(0) for x in group)
            for (group, _), known in zip(pairs, close, strict=True)
        ]
    raise ArithmeticError(f"the quadratures do not agree to {digits} digits")


def compute_risk(setting: RiskSetting, digits: int = DIGITS) -> RiskAndDerivatives:
    """The excess risk, its gradient and Hessian, from the definition.

    Examples
    --------
    >>> oracle = RiskSetting((1.0, 1.0, 0.0, 0.0, 0.0), lam=0.1, gamma=0.5**0.5, d=400, L=10)
    >>> (risk,) = compute_risk(oracle, digits=10).excess_risk
    >>> print(mpmath.nstr(risk, 8))
    0.11349808
    """

    def compute(shift: Any, length: Any) -> RiskAndDerivatives:
        state = [mpf(x) for x in setting.state]
        return _derivatives(state, [mpf(x) for x in setting[1:]], shift, length)

    return RiskAndDerivatives(*_agreed(compute, digits))


def compute_zeta(t: float, s: float, digits: int = DIGITS) -> tuple[Any, Any]:
    r"""Second moment and variance of :math:`\operatorname{erf}(t + sG)`, from the definition."""

    def compute(shift: Any, length: Any) -> list[tuple[Any, ...]]:
        m = erf_moments(mpf(t), mpf(s), shift, mp.dps)
        return [(m[2, 0],), (m[2, 0] - m[1, 0] ** 2,)]

    (zeta,), (variance,) = _agreed(compute, digits)
    return zeta, variance


def _written(values: Iterable[Any]) -> list[str]:
    """Numbers as text, each to the same absolute precision."""
    numbers = list(values)
    size = max(map(abs, numbers))
    texts = []
    for x in numbers:
        kept = DIGITS - (int(mpmath.log10(size / abs(x))) if x else DIGITS)
        texts.append(mpmath.nstr(x, kept) if kept > 0 else "0.0")
    return texts


def risk_row(region: str, setting: RiskSetting) -> dict[str, Any]:
    """A row of the file of risks, computed."""
    values = compute_risk(setting)
    return {
        "region": region,
        "state": [x.hex() for x in setting.state],
        "lam": setting.lam.hex(),
        "gamma": setting.gamma.hex(),
        "d": setting.d,
        "L": setting.L,
        **{name: _written(getattr(values, name)) for name in RiskAndDerivatives._fields},
    }


def zeta_row(region: str, t: float, s: float) -> dict[str, Any]:
    """A row of the file of zeta, computed."""
    zeta, variance = (_written([x])[0] for x in compute_zeta(t, s))
    return {"region": region, "t": t.hex(), "s": s.hex(), "zeta": zeta, "variance": variance}


def text_of(rows: list[dict[str, Any]]) -> str:
    """Where the rows come from, and one row a line, so that a change of one is seen as such."""
    head = f'{{"made by": "{PROGRAM}", "digits": {DIGITS}, "rows": ['
    return head + "\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]}\n"


def main(arguments: Sequence[str] | None = None) -> None:
    """Compute all values, and write them to a folder."""
    parser = argparse.ArgumentParser(prog=PROGRAM, description="Compute the reference values.")
    parser.add_argument("folder", type=Path, help="where to write risk.json and zeta.json")
    parser.add_argument("--each", type=int, default=12, help="points in each region (default 12)")
    chosen = parser.parse_args(arguments)
    if chosen.each < 1:
        parser.error(f"--each must be at least 1; got {chosen.each}")
    chosen.folder.mkdir(parents=True, exist_ok=True)
    risks, zetas = [], []
    for region in ZETA_REGIONS:
        rng = random.Random(f"zeta, {region}")
        for _ in range(chosen.each):
            zetas.append(zeta_row(region, *random_argument(rng, region)))
    (chosen.folder / "zeta.json").write_text(text_of(zetas), encoding="utf-8")
    for region in RISK_REGIONS:
        rng = random.Random(f"risk, {region}")
        for number in range(chosen.each):
            begin = time.perf_counter()
            risks.append(risk_row(region, random_setting(rng, region)))
            seconds = time.perf_counter() - begin
            print(f"{region} {number + 1}: {seconds:.1f} s", file=sys.stderr, flush=True)
    (chosen.folder / "risk.json").write_text(text_of(risks), encoding="utf-8")


if __name__ == "__main__":
    main()
