"""Special functions that Python's math module lacks, compiled with Numba.

They say the same as their namesakes for NumPy. The quadrature has an exponential of its own: calls
of the C library are made one at a time, while a polynomial is evaluated for several nodes at once.
"""

# mypy: ignore-errors

from __future__ import annotations

import math

import numpy as np
from numba import njit, types
from numba.extending import intrinsic
from numpy.polynomial import chebyshev
from scipy.special import erfcx

from slrsym.kernels import _numba_owens, softmax_risk
from slrsym.kernels.numpy_special_functions import (
    DAMPED,  # noqa: F401 (in what is written out below)
    LARGEST,  # noqa: F401
    LEAST,
    LEAST_POSITIVE,  # noqa: F401
    NODES,
    NOTHING,
    PIECE,
    REACH,
    SQRT2,  # noqa: F401 (in what is written out below)
    TABLES,
    WEIGHTS,
)

# Division by zero gives an infinity, as in NumPy; a check of every divisor would keep the loop from
# being vectorised. Not kept on disk: what is compiled here becomes part of the machine code of its
# callers, which is, under a name that says which tables and text it was made from.
_OPTIONS = {"error_model": "numpy"}
_INLINE = {"fastmath": {"contract"}, "forceinline": True, **_OPTIONS}

# How many terms of a Chebyshev series are summed together.
_WIDTH = 8


def _in_blocks(series):
    """Convert Chebyshev coefficients to blocks that multiply T_0, T_w, T_2w and so on.

    This uses T_(k + jw) = 2 T_k T_jw - T_(jw - k).
    """
    found = series.copy()
    for first in range(found.shape[-1] - _WIDTH, 0, -_WIDTH):
        for k in range(1, _WIDTH):
            found[..., first - k] -= found[..., first + k]
            found[..., first + k] *= 2
    return found


_EXP, _ERF, _ERFC = (tuple(TABLES[name].tolist()) for name in ("exp", "erf", "erfc"))
_DECAY, _SCALE = _in_blocks(TABLES["decay"]), float(TABLES["scale"])
_EDGES, _ENDS = tuple(TABLES["edges"].tolist()), tuple(TABLES["ends"].tolist())
_TERMS_L, _TERMS_Z = _DECAY.shape[1:]
_BLOCKS = _TERMS_Z // _WIDTH

_LOG2E = 1.4426950408889634
# The logarithm of 2, split so that small multiples of the first part are exact.
_LN2_HIGH = 6.93147180369123816490e-01
_LN2_LOW = 1.90821492927058770002e-10
# A double of this size has no digits after the point.
_WHOLE = 1.5 * 2.0**52


@intrinsic
def _as_float(typing_context, bits):
    """Reinterpret the bits of an integer as a float, in compiled code."""

    def generate(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], context.get_value_type(types.float64))

    return types.float64(types.int64), generate


@intrinsic
def _as_bits(typing_context, number):
    """Reinterpret the bits of a float as an integer, in compiled code."""

    def generate(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], context.get_value_type(types.int64))

    return types.int64(types.float64), generate


def _horner(powers, x):
    """Return source code that evaluates a polynomial of given coefficients in Horner's form."""
    text = repr(powers[-1])
    for c in powers[-2::-1]:
        text = f"({text} * {x} + {c!r})"
    return text


def _written(text, options=_INLINE):
    """Execute the source code of a function and compile the function with Numba."""
    exec(text, globals(), found := {})
    return njit(**options)(*found.values())


# No branch and no call, so that several states are computed by one instruction.
exp = _written(f"""def exp(x):
    x = -746.0 if x < -746.0 else x
    x = 710.0 if x > 710.0 else x
    shifted = x * _LOG2E + _WHOLE
    k = shifted - _WHOLE
    r = (x - k * _LN2_HIGH) - k * _LN2_LOW
    p = 1.0 + (r + r * r * {_horner(_EXP, "r")})
    # What is no normal number is reached in two steps.
    shift = 64 if k < -1000.0 else (-1 if k > 1000.0 else 0)
    last = 2.0**-64 if k < -1000.0 else (2.0 if k > 1000.0 else 1.0)
    return p * _as_float((_as_bits(shifted) + (1023 + shift)) << 52) * last
""")

erf = _written(f"""def erf(x):
    size = abs(x)
    square = x * x
    near = x + x * {_horner(_ERF, "square")}
    u = (5.0 if size > 6.0 else size - 1.0)
    far = 1.0 - exp(-{_horner(_ERFC, "u")})
    return near if size < 1.0 else math.copysign(far, x)
""")


damped_factor = _written("""def damped_factor(u, factor):
    return 0.0 if u < DAMPED else factor
""")

scaled_argument = _written("""def scaled_argument(x, scale):
    product = x * scale
    return 0.0 if product != product and x == x and scale == scale else product
""")

cosine_of_slope = _written("""def cosine_of_slope(x):
    size = abs(x)
    near = LARGEST if size > LARGEST else size
    far = max(1.0 / max(size, 1.0), LEAST_POSITIVE)
    return far if size > LARGEST else 1.0 / math.sqrt(1.0 + near * near)
""")

divided_square = _written("""def divided_square(x, c, y):
    far = x * cosine_of_slope(math.sqrt(c) * y)
    near = abs(x) < LARGEST and abs(y) < LARGEST
    return x * x / (1.0 + c * y * y) if near else far * far
""")

sine_of_slope = _written("""def sine_of_slope(x):
    near = LARGEST if x > LARGEST else (-LARGEST if x < -LARGEST else x)
    return near / math.sqrt(1.0 + near * near)
""")


@njit(**_OPTIONS)
def decay_coefficients(low, width):
    """Return the coefficients in E of `DecayIntegral` for scalars l and w, in machine code."""
    part = 0
    while part < len(_EDGES) - 2 and low > _EDGES[part + 1]:
        part += 1
    x = 2 * (low - _EDGES[part]) / (_EDGES[part + 1] - _EDGES[part]) - 1
    front = _SCALE * width
    total = np.zeros(_TERMS_Z + 2)
    before, now = front * x, front
    for n in range(_TERMS_L):
        for k in range(_TERMS_Z):
            total[k] += now * _DECAY[part, n, k]
        before, now = now, 2 * x * now - before
    total[_TERMS_Z], total[_TERMS_Z + 1] = width * (2 * low + width), 2 / _ENDS[part]
    return total


def _chebyshev(t, count):
    """Return source code for the Chebyshev polynomials T_2 to T_(count - 1) of a variable."""
    lines = [f"{t}2 = 2.0 * {t}1 * {t}1 - 1.0"]
    for n in range(3, count):
        low = n // 2
        rest = f"{t}1" if n % 2 else "1.0"
        lines.append(f"{t}{n} = 2.0 * {t}{low} * {t}{n - low} - {rest}")
    return "\n    ".join(lines)


def _block(first):
    """Return source code for the sum of one block of a Chebyshev series, highest order first."""
    terms = [f"s[{first + k}] * t{k}" for k in range(_WIDTH - 1, 0, -1)]
    return f"({' + '.join(terms)} + s[{first}])"


_SUM = " + ".join([f"b{k} * {_block(k * _WIDTH)}" for k in range(_BLOCKS - 1, 0, -1)] + [_block(0)])

evaluate_erf_variance_integral = _written(f"""def evaluate_erf_variance_integral(exponent, s):
    z = math.sqrt((LARGEST if exponent > LARGEST else exponent) * s[_TERMS_Z])
    r = 1.0 / (z + _SCALE)
    t1 = s[_TERMS_Z + 1] * (z * r) - 1.0
    {_chebyshev("t", _WIDTH + 1)}
    b1 = t{_WIDTH}
    {_chebyshev("b", _BLOCKS)}
    return r * ({_SUM})
""")


@njit(**_OPTIONS)
def erf_defect(x, y):
    """Compute `x - erf(y)` without cancellation, by way of the smaller of erf and 1 - erf."""
    small = math.erfc(abs(y))
    return (x - 1) + small if y >= 0 else (x + 1) - small


@njit(fastmath={"reassoc", "nsz", "contract"}, **_OPTIONS)
def _piece(rise, root, least, low, width):
    total = 0.0
    for i in range(len(NODES)):
        place = low + width * NODES[i]
        square = place * place
        exponent = least - rise * square - (root / place) ** 2
        total += WEIGHTS[i] / (1 + square) * exp(max(exponent, -700.0))
    return total * width


@njit(**_OPTIONS)
def _integral_on_geometric_pieces(rise, fall, least, low, stop):
    if not stop > low:
        return 0.0
    length = math.log(stop / low)
    count = max(1, math.ceil(length / PIECE))
    ratio = math.exp(length / count)
    total, root = 0.0, math.sqrt(fall)
    for _ in range(count):
        width = low * (ratio - 1)
        total += _piece(rise, root, least, low, width)
        low += width
    return total


@njit(**_OPTIONS)
def erf_covariance(x, y, r):
    """Return the covariance of erf of two Gaussian variables for scalars, in machine code."""
    if x != x or y != y or not abs(r) <= 1:
        return math.nan
    sign = 1.0
    if r < 0:
        sign, y, r = -1.0, -y, -r
    if r == 0:
        return 0.0
    x, y = min(max(x, -1e3), 1e3), min(max(y, -1e3), 1e3)
    rise, fall = ((x + y) / 2) ** 2, ((x - y) / 2) ** 2
    start = max(math.sqrt((1 - r) / (1 + r)), LEAST)
    best = min(1.0, max(start, (fall / rise) ** 0.25)) if rise > 0 else 1.0
    least = rise * best**2 + fall / best**2
    if (x * x + y * y) / 2 + least > NOTHING:
        return 0.0
    top = least + REACH
    root = (top + math.sqrt(max(top * top - 4 * rise * fall, 0.0))) / 2
    start = max(start, math.sqrt(fall / root))
    stop = min(1.0, math.sqrt(root / rise)) if rise > 0 else 1.0
    total = _integral_on_geometric_pieces(rise, fall, least, start, best)
    total += _integral_on_geometric_pieces(rise, fall, least, best, stop)
    return 4 / math.pi * sign * math.exp(-(x * x + y * y) / 2 - least) * total


owens_t = _numba_owens.compile_owens()["owens_t"]

_RIGHT, _STEP_Y, _STEP_Z = softmax_risk.RIGHT, softmax_risk.STEP_Y, softmax_risk.STEP_Z
log_grid_ends = njit(**_OPTIONS)(softmax_risk.log_grid_ends)
_FAST = {"fastmath": {"reassoc", "nsz", "contract"}, **_OPTIONS}
_BELL = 1 / math.sqrt(2 * math.pi)


fall = _written(f"""def fall(w):
    r = 0.0 if w > 0.34 else -w
    return 1.0 - exp(-w) if w > 0.34 else w - r * r * {_horner(_EXP, "r")}
""")


def _summed(head, rows, each):
    """Compile a loop over quadrature nodes that sums weight w^k z^j for k < rows, j <= 3."""
    places = [(k, j) for k in range(rows) for j in range(4)]
    names = [f"s{k}{j}" for k, j in places] + ["above", "below"]
    lines = [f"def {head}:", f"    {' = '.join(names)} = 0.0", "    for n in range(count):"]
    lines += [f"        {line}" for line in each]
    lines += [f"        s{k}{j} += weight{' * w' * k}{' * z' * j}" for k, j in places]
    return _written("\n".join([*lines, f"    return {', '.join(names)}"]), _FAST)


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

tail = _written(f"""def tail(x, bell):
    u = (x - 4.0) / (x + 4.0)
    return bell * {_horner(_TAIL, "u")} / (1.0 + 2.0 * x)
""")


_staying = _summed("staying(middle, inverse, grid, low, weights, count)", 3, [
    "z = (grid[n] - middle) * inverse",
    "bell = exp(-z * z / 2)",
    "beyond = 0.5 * tail(abs(z) / SQRT2, bell)",
    "other = 1.0 - beyond",
    "above += (beyond if z >= 0 else other) * low[n]",
    "below += (other if z >= 0 else beyond) * low[n]",
    "weight, w = low[n] * bell, weights[n]",
])  # fmt: skip


@njit(**_OPTIONS)
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
