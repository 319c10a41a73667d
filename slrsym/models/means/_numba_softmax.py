"""Means of one role's tokens under softmax at given log s, compiled with Numba.

`role_means` says the same as its namesake for NumPy in `softmax_risk`.
"""

# mypy: ignore-errors

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.polynomial import chebyshev
from scipy.special import erfcx

from slrsym.kernels._numba_special import (
    EXP_POWERS,
    OPTIONS,
    SQRT2,  # noqa: F401 (in what is written out below)
    compile_source,
    exp,  # noqa: F401
    horner_source,
)
from slrsym.models.means import softmax_risk

_RIGHT, _STEP_Y, _STEP_Z = softmax_risk.RIGHT, softmax_risk.STEP_Y, softmax_risk.STEP_Z
log_grid_ends = njit(**OPTIONS)(softmax_risk.log_grid_ends)
_FAST = {"fastmath": {"reassoc", "nsz", "contract"}, **OPTIONS}
_BELL = 1 / math.sqrt(2 * math.pi)


fall = compile_source(
    f"""def fall(w):
    r = 0.0 if w > 0.34 else -w
    return 1.0 - exp(-w) if w > 0.34 else w - r * r * {horner_source(EXP_POWERS, "r")}
""",
    names=globals(),
)


def _summed(head, rows, each):
    """Compile a loop over quadrature nodes that sums weight w^k z^j for k < rows, j <= 3."""
    places = [(k, j) for k in range(rows) for j in range(4)]
    names = [f"s{k}{j}" for k, j in places] + ["above", "below"]
    lines = [f"def {head}:", f"    {' = '.join(names)} = 0.0", "    for n in range(count):"]
    lines += [f"        {line}" for line in each]
    lines += [f"        s{k}{j} += weight{' * w' * k}{' * z' * j}" for k, j in places]
    return compile_source("\n".join([*lines, f"    return {', '.join(names)}"]), _FAST, globals())


_moving = _summed("moving(middle, scale, step, reach, count)", 4, [
    "z = n * step - reach",
    "w = exp(min(middle + scale * z, 6.0))",
    "bell = exp(-z * z / 2) * (_BELL * step)",
    "lost = fall(w) * bell",
    "weight = bell - lost",
    "above += lost",
])  # fmt: skip


# Of exp(x^2) erfc(x) (1 + 2 x), in (x - 4)/(x + 4).
_PLACES = np.cos(np.pi * (np.arange(60) + 0.5) / 60)
_TAILS = 4 * (1 + _PLACES) / (1 - _PLACES)
_TAIL = tuple(
    chebyshev.cheb2poly(chebyshev.chebfit(_PLACES, erfcx(_TAILS) * (1 + 2 * _TAILS), 22)).tolist()
)

tail = compile_source(
    f"""def tail(x, bell):
    u = (x - 4.0) / (x + 4.0)
    return bell * {horner_source(_TAIL, "u")} / (1.0 + 2.0 * x)
""",
    names=globals(),
)


_staying = _summed("staying(middle, inverse, grid, low, weights, count)", 3, [
    "z = (grid[n] - middle) * inverse",
    "bell = exp(-z * z / 2)",
    "beyond = 0.5 * tail(abs(z) / SQRT2, bell)",
    "other = 1.0 - beyond",
    "above += (beyond if z >= 0 else other) * low[n]",
    "below += (other if z >= 0 else beyond) * low[n]",
    "weight, w = low[n] * bell, weights[n]",
])  # fmt: skip


@njit(**OPTIONS)
def role_means(x, mu, mean, spread, tokens):
    """Tabulate E[w^k e^-w z^j] of one role for k, j <= 3 at given log s, in machine code."""
    scale = mu * spread
    left, reach = log_grid_ends(tokens)
    grid = _STEP_Y * np.arange(math.floor(left / _STEP_Y), math.ceil(_RIGHT / _STEP_Y) + 1)
    weights = np.exp(grid)
    low = np.exp(grid - weights) * _STEP_Y
    found = np.zeros((17, len(x)))
    for i in range(len(x)):
        middle = x[i] + mu * mean
        if scale == 0.0:
            w = math.exp(min(middle, 6.0))
            for k in range(4):
                found[4 * k, i] = found[4 * k + 2, i] = w**k * math.exp(-w)
            found[16, i] = -math.expm1(-w)
        elif scale * 2 * reach < _RIGHT - left:
            step = min(_STEP_Y, _STEP_Z * scale) / scale
            sums = _moving(middle, scale, step, reach, math.ceil(2 * reach / step) + 1)
            for n in range(17):
                found[n, i] = sums[n]
        else:
            # These do not move, as the weights are narrower than the bell.
            sums = _staying(middle, 1 / scale, grid, low, weights, len(grid))
            for n in range(12):
                found[4 + n, i] = sums[n] * (_BELL / scale)
            found[0, i] = sums[13]
            found[1, i] = -sums[0] * _BELL
            found[2, i] = sums[13] - sums[1] * _BELL
            found[3, i] = -(sums[2] + 2 * sums[0]) * _BELL
            found[16, i] = sums[12]
    return found
