"""Special functions that Python's math module lacks, compiled with Numba.

They say the same as their namesakes for NumPy. The quadrature has an exponential of its own: calls
of the C library are made one at a time, while a polynomial is evaluated for several nodes at once.
"""

# mypy: ignore-errors

from __future__ import annotations

import math

import numpy as np
from numba import literal_unroll, njit, types
from numba.extending import intrinsic

from slrsym.kernels import _numba_owens
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
OPTIONS = {"error_model": "numpy"}
_INLINE = {"fastmath": {"contract"}, "forceinline": True, **OPTIONS}

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


EXP_POWERS, _ERF, _ERFC = (tuple(TABLES[name].tolist()) for name in ("exp", "erf", "erfc"))
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


def horner_source(powers, x):
    """Return source code that evaluates a polynomial of given coefficients in Horner's form."""
    text = repr(powers[-1])
    for c in powers[-2::-1]:
        text = f"({text} * {x} + {c!r})"
    return text


def compile_source(text, options=_INLINE, names=None):
    """Execute a function's source code among names, and compile the function with Numba."""
    exec(text, globals() if names is None else names, found := {})
    return njit(**options)(*found.values())


# No branch and no call, so that several states are computed by one instruction.
exp = compile_source(f"""def exp(x):
    x = -746.0 if x < -746.0 else x
    x = 710.0 if x > 710.0 else x
    shifted = x * _LOG2E + _WHOLE
    k = shifted - _WHOLE
    r = (x - k * _LN2_HIGH) - k * _LN2_LOW
    p = 1.0 + (r + r * r * {horner_source(EXP_POWERS, "r")})
    # What is no normal number is reached in two steps.
    shift = 64 if k < -1000.0 else (-1 if k > 1000.0 else 0)
    last = 2.0**-64 if k < -1000.0 else (2.0 if k > 1000.0 else 1.0)
    return p * _as_float((_as_bits(shifted) + (1023 + shift)) << 52) * last
""")

erf = compile_source(f"""def erf(x):
    size = abs(x)
    square = x * x
    near = x + x * {horner_source(_ERF, "square")}
    u = (5.0 if size > 6.0 else size - 1.0)
    far = 1.0 - exp(-{horner_source(_ERFC, "u")})
    return near if size < 1.0 else math.copysign(far, x)
""")


# The rational function of fdlibm, by which asin x = x + x f(x^2) if |x| <= 1/2; larger arguments
# come from asin x = pi/2 - 2 asin sqrt((1 - x)/2).
_ARCSIN = (
    1.66666666666666657415e-01, -3.25565818622400915405e-01, 2.01212532134862925881e-01,
    -4.00555345006794114027e-02, 7.91534994289814532176e-04, 3.47933107596021167570e-05,
)  # fmt: skip
_ARCSIN_BELOW = (
    1.0, -2.40339491173441421878e+00, 2.02094576023350569471e+00, -6.88283971605453293030e-01,
    7.70381505559019352791e-02,
)  # fmt: skip

arcsin = compile_source(f"""def arcsin(x):
    size = abs(x)
    far = 0.5 * (1.0 - size)
    square = x * x if size < 0.5 else far
    root = size if size < 0.5 else math.sqrt(far)
    above = square * {horner_source(_ARCSIN, "square")}
    found = root + root * (above / {horner_source(_ARCSIN_BELOW, "square")})
    found = found if size < 0.5 else {math.pi / 2!r} - (2.0 * found - {6.123233995736766e-17!r})
    return math.copysign(found, x)
""")

damped_factor = compile_source("""def damped_factor(u, factor):
    return 0.0 if u < DAMPED else factor
""")

scaled_argument = compile_source("""def scaled_argument(x, scale):
    product = x * scale
    return 0.0 if product != product and x == x and scale == scale else product
""")

cosine_of_slope = compile_source("""def cosine_of_slope(x):
    size = abs(x)
    near = LARGEST if size > LARGEST else size
    far = max(1.0 / max(size, 1.0), LEAST_POSITIVE)
    return far if size > LARGEST else 1.0 / math.sqrt(1.0 + near * near)
""")

over_root = compile_source("""def over_root(x, c, y):
    size = abs(y)
    far = x / (1.0 if size < LARGEST else size) / math.sqrt(c)
    far = x if far != far and x == x and y == y else far
    return x / math.sqrt(1.0 + c * (y * y)) if size < LARGEST else far
""")

divided_square = compile_source("""def divided_square(x, c, y):
    far = over_root(x, c, y)
    near = abs(x) < LARGEST and abs(y) < LARGEST
    return x * x / (1.0 + c * y * y) if near else far * far
""")

sine_of_slope = compile_source("""def sine_of_slope(x):
    near = LARGEST if x > LARGEST else (-LARGEST if x < -LARGEST else x)
    return near / math.sqrt(1.0 + near * near)
""")


@njit(**OPTIONS)
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

evaluate_erf_variance_integral = compile_source(f"""def evaluate_erf_variance_integral(exponent, s):
    z = math.sqrt((LARGEST if exponent > LARGEST else exponent) * s[_TERMS_Z])
    r = 1.0 / (z + _SCALE)
    t1 = s[_TERMS_Z + 1] * (z * r) - 1.0
    {_chebyshev("t", _WIDTH + 1)}
    b1 = t{_WIDTH}
    {_chebyshev("b", _BLOCKS)}
    return r * ({_SUM})
""")


@njit(**OPTIONS)
def erf_defect(x, y):
    """Compute `x - erf(y)` without cancellation, by way of the smaller of erf and 1 - erf."""
    small = math.erfc(abs(y))
    return (x - 1) + small if y >= 0 else (x + 1) - small


@njit(**OPTIONS)
def erfinv(x):
    """Compute the inverse of erf, after Winitzki (2008) and by three steps of Halley."""
    if not abs(x) < 1:
        return math.copysign(math.inf, x) if abs(x) == 1 else math.nan
    size = abs(x)
    low = math.log1p(-size * size)
    half = 2 / (math.pi * 0.147) + low / 2
    y = math.sqrt(math.sqrt(half * half - low / 0.147) - half)
    for _ in range(3):
        error = math.erf(y) - size if size < 0.5 else (1 - size) - math.erfc(y)
        step = error * math.sqrt(math.pi) / 2 * math.exp(y * y)
        y -= step / (1 + y * step)
    return math.copysign(y, x)


@njit(fastmath={"reassoc", "nsz", "contract"}, **OPTIONS)
def _piece(rise, root, least, low, width):
    total = 0.0
    for i in range(len(NODES)):
        place = low + width * NODES[i]
        square = place * place
        exponent = least - rise * square - (root / place) ** 2
        total += WEIGHTS[i] / (1 + square) * exp(max(exponent, -700.0))
    return total * width


@njit(**OPTIONS)
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


@njit(**OPTIONS)
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


@njit(**OPTIONS)
def maximum(*x):
    """Return the largest of several numbers, or nan if one is."""
    found = 1.0 * x[0]
    for value in literal_unroll(x):
        if not value <= found:
            found = value if found == found else found
    return found


@njit(**OPTIONS)
def minimum(*x):
    """Return the smallest of several numbers, or nan if one is."""
    found = 1.0 * x[0]
    for value in literal_unroll(x):
        if not value >= found:
            found = value if found == found else found
    return found
