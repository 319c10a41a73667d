r"""Special functions in NumPy to full relative accuracy: variance of erf, zeta, Owen's T.

.. math:: \operatorname{Var}\operatorname{erf}(t + sG)
    = \frac4\pi \int_{1/B}^{1} \frac{e^{-a^2(1 + x^2)}}{1 + x^2}\,dx,
    \qquad a = t/A,\ A = \sqrt{1 + 2s^2},\ B = \sqrt{1 + 4s^2}.

This is claim ``zeta-variance``. The integrand is positive, so that a quadrature rule with positive
weights loses no digits, where :math:`1 - 8T(\sqrt2 a, 1/B) - \operatorname{erf}(a)^2` loses all of
them for small s or large t. What is integrated is `DecayIntegral`, which leaves out the part of the
exponential that does not depend on x.
"""

from __future__ import annotations

import itertools
import math
from bisect import bisect_left
from collections.abc import Callable, Iterator
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
from numpy.polynomial.legendre import leggauss
from numpy.typing import ArrayLike, NDArray
from scipy.special import erf as _erf
from scipy.special import erfc as _erfc

from slrsym.kernels.arguments import require_real_array

# Beyond this many e-foldings the integrand is too small to matter, and the interval is cut there.
REACH = 40.0

# From here on exp(-E), which the integral is multiplied by, is zero in double precision.
NOTHING = 750.0

# Where the exponential of u is so small that no other factor matters; a square root that does not
# overflow, and what is added to it; the least positive number. See `CosineOfSlope` and its kin.
DAMPED, LARGEST, LEAST_POSITIVE = -1e6, 1e150, 5e-324

# Gauss-Legendre on [0, 1], exact to 3e-16 up to there.
NODES, WEIGHTS = leggauss(24)
NODES, WEIGHTS = (NODES + 1) / 2, WEIGHTS / 2

SQRT2 = math.sqrt(2.0)

# Up to here states are taken together: what is at hand stays in the cache.
_TOGETHER = 4096


def damped_factor_with_arrays(xp: Any, u: Any, factor: Any) -> Any:
    """Return a factor of exp(u), but 0 where u is below -10^6, for arrays of NumPy or JAX."""
    return xp.where(u < DAMPED, 0.0, factor)


def scaled_argument_with_arrays(xp: Any, x: Any, scale: Any) -> Any:
    """Return a product, which is 0 if either factor is, for arrays of NumPy or JAX."""
    product = x * scale
    return xp.where((product != product) & (x == x) & (scale == scale), 0.0, product)


def cosine_of_slope_with_arrays(xp: Any, x: Any) -> Any:
    """Return the cosine of the angle of slope x, at least the least positive number."""
    size = xp.abs(x)
    near = xp.minimum(size, LARGEST)
    far = xp.maximum(1 / xp.maximum(size, 1.0), LEAST_POSITIVE)
    return xp.where(size > LARGEST, far, 1 / xp.sqrt(1 + near * near))


def sine_of_slope_with_arrays(xp: Any, x: Any) -> Any:
    """Return the sine of the angle of slope x."""
    near = xp.clip(x, -LARGEST, LARGEST)
    return near / xp.sqrt(1 + near * near)


def over_root_with_arrays(xp: Any, x: Any, c: float, y: Any) -> Any:
    """Return x/sqrt(1 + c y^2), also where c y^2 overflows, for arrays of NumPy or JAX."""
    size = xp.abs(y)
    near = size < LARGEST
    b = xp.where(near, y, 0.0)
    # Not by way of 1/y, which is no normal number if y is as large as can be.
    far = x / xp.where(near, 1.0, size) / math.sqrt(c)
    far = xp.where((far != far) & (x == x) & (y == y), x, far)
    return xp.where(near, x / xp.sqrt(1 + c * (b * b)), far)


def divided_square_with_arrays(xp: Any, x: Any, c: float, y: Any) -> Any:
    """Return x^2/(1 + c y^2), also where squares overflow, for arrays of NumPy or JAX."""
    near = (xp.abs(x) < LARGEST) & (xp.abs(y) < LARGEST)
    a, b = xp.where(near, x, 0.0), xp.where(near, y, 0.0)
    far = over_root_with_arrays(xp, x, c, y)
    return xp.where(near, a * a / (1 + c * b * b), far * far)


def exponentially_scaled_decay_integral(exponent: Any, low: Any, width: Any) -> NDArray[np.float64]:
    r"""Return the integral `DecayIntegral` for arrays E, l and w, by Gauss-Legendre quadrature.

    Where E is so large that :math:`e^{-E}`, with which they are used, is 0 in double precision,
    they are finite, and not meant.
    """
    inputs = np.broadcast_arrays(*(np.asarray(x, dtype=np.float64) for x in (exponent, low, width)))
    result = np.empty(inputs[0].shape)
    flat, columns = result.reshape(-1), [x.reshape(-1) for x in inputs]
    for start in range(0, flat.size, _TOGETHER):
        e, l, w = (x[start : start + _TOGETHER] for x in columns)  # noqa: E741
        e = np.where(e > NOTHING, 0.0, e)
        reach = REACH / np.maximum(e, 1.0)
        w = np.where(e * w * (2 * l + w) > REACH, reach / (l + np.sqrt(l * l + reach)), w)
        base, total = 1 + l * l, flat[start : start + _TOGETHER]
        total[:] = 0.0
        for node, weight in zip(NODES.tolist(), WEIGHTS.tolist(), strict=True):
            step = w * node
            rise = step * (2 * l + step)
            total += np.exp(-e * rise) * (weight / (base + rise))
        total *= w
    return result


# Made by `tests.kernels.polynomials`, which says what they are.
POLYNOMIALS = Path(__file__).with_name("polynomials.npz")
TABLES = dict(np.load(POLYNOMIALS))
_PIECES, _EDGES, _ENDS = TABLES["pieces"], TABLES["edges"].tolist(), TABLES["ends"].tolist()
_SCALE = float(TABLES["scale"])

Coefficients = tuple[NDArray[np.float64], float, float]


def decay_coefficients(low: Any, width: Any) -> Coefficients | NDArray[np.float64]:
    """Return the coefficients in E of `DecayIntegral` for one pair of l and w, from a table.

    Also returned are the scales by which `evaluate_erf_variance_integral` makes its variable z of
    E. For many l the result has l and w themselves, in rows.
    """
    if np.ndim(low) or np.ndim(width):
        return np.stack(np.broadcast_arrays(low, width), axis=-1)
    part = bisect_left(_EDGES, low, 1, len(_EDGES) - 1) - 1
    x = 2 * (low - _EDGES[part]) / (_EDGES[part + 1] - _EDGES[part]) - 1
    table = _PIECES[part]
    orders = np.arange(len(table)) * math.acos(max(-1.0, min(1.0, x)))
    found = np.cos(orders) @ table.reshape(len(table), -1)
    found = (_SCALE * width * found).reshape(table.shape[1:])
    return found, float(width * (2 * low + width)), table.shape[-1] / _ENDS[part]


def evaluate_erf_variance_integral(
    exponent: Any, coefficients: Coefficients | NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the integral of exp(-E r)/(1 + l^2 + r) over y from 0 to w, r = y(2l + y)."""
    if isinstance(coefficients, np.ndarray):
        return exponentially_scaled_decay_integral(
            exponent, coefficients[..., 0], coefficients[..., 1]
        )
    powers, span, slope = coefficients
    exponent = np.minimum(np.asarray(exponent, dtype=np.float64), LARGEST)
    result = np.empty(exponent.shape)
    flat, found = exponent.reshape(-1), result.reshape(-1)
    for start in range(0, flat.size, _TOGETHER):
        z = np.sqrt(flat[start : start + _TOGETHER] * span)
        r = 1 / (z + _SCALE)
        place = slope * (z * r)
        with np.errstate(invalid="ignore"):
            piece = np.minimum(place.astype(np.intp), powers.shape[1] - 1)
        t = 2 * (place - piece) - 1
        *rest, total = powers.take(piece, axis=1, mode="clip")
        for power in reversed(rest):
            total *= t
            total += power
        found[start : start + _TOGETHER] = r * total
    return result


# Of `erf_covariance`: how long pieces are at most, on a logarithmic scale.
PIECE = 1.2
# So near to 0, relative to the end of an integral, its exponent is as good as constant.
NEAR = 1e-8
# Below this there is nothing of an integral from 0 on that a double could hold.
LEAST = 1e-20


def erf_covariance(x: Any, y: Any, r: Any) -> NDArray[np.float64]:
    """Return the covariance of erf of two Gaussian variables, for arrays x, y, r in NumPy."""
    x, y, r = (np.asarray(z, dtype=np.float64) for z in (x, y, r))
    with np.errstate(divide="ignore", invalid="ignore"):
        result: NDArray[np.float64] = erf_covariance_with_arrays(
            np, integral_on_geometric_pieces, x, y, r
        )
    return result


def erf_covariance_with_arrays(
    xp: Any, log_pieces: Callable[..., Any], x: Any, y: Any, r: Any
) -> Any:
    """Return the covariance of erf of two Gaussian variables, for arrays of NumPy or JAX."""
    # Long before, there is nothing left.
    x, y, r = xp.broadcast_arrays(xp.clip(x, -1e3, 1e3), xp.clip(y, -1e3, 1e3), r)
    y, sign, r = xp.where(r < 0, -y, y), xp.sign(r), xp.abs(r)
    rise, fall = ((x + y) / 2) ** 2, ((x - y) / 2) ** 2
    start = xp.maximum(xp.sqrt((1 - r) / (1 + r)), LEAST)
    # The exponent is least here; it is cut where it has grown by so much.
    best = xp.where(rise > 0, (fall / rise) ** 0.25, 1.0)
    best = xp.clip(best, xp.maximum(start, NEAR), 1.0)
    least = rise * best**2 + fall / best**2
    top = least + REACH
    root = (top + xp.sqrt(xp.maximum(top * top - 4 * rise * fall, 0.0))) / 2
    start = xp.maximum(start, xp.sqrt(fall / root))
    stop = xp.where(rise > 0, xp.minimum(1.0, xp.sqrt(root / rise)), 1.0)
    total = log_pieces(rise, fall, least, start, best)
    total += log_pieces(rise, fall, least, best, stop)
    return 4 / math.pi * sign * xp.exp(-(x * x + y * y) / 2 - least) * total


def integral_on_geometric_pieces(rise: Any, fall: Any, least: Any, start: Any, stop: Any) -> Any:
    """Integrate exp(least - rise x^2 - fall/x^2)/(1 + x^2), on pieces equally long in log x."""
    inputs = rise, np.sqrt(fall), least
    return integrate_on_geometric_pieces(_bell_of_slope, inputs, start, stop)


def _bell_of_slope(x: Any, rise: Any, root: Any, least: Any) -> Any:
    # Not over the square of x, which may be too small for a number.
    square = x * x
    return np.exp(least - rise * square - (root / x) ** 2) / (1 + square)


def integrate_on_geometric_pieces(
    f: Callable[..., Any], inputs: tuple[Any, ...], start: Any, stop: Any
) -> Any:
    """Integrate f(x, *inputs) over x for arrays, on pieces equally long in log x."""
    stop = np.maximum(start, stop)
    length = np.log(stop / start)
    count = np.maximum(1, np.ceil(length / PIECE))
    ratio = np.exp(length / count)
    total, low = np.zeros(np.shape(length)), start
    for piece in range(int(np.fmax.reduce(count, axis=None, initial=1))):
        width = np.where(piece < count, low * (ratio - 1), 0.0)
        for node, weight in zip(NODES, WEIGHTS, strict=True):
            total += width * weight * f(low + width * node, *inputs)
        low = low + width
    return total


def owens_t(h: Any, a: Any) -> NDArray[np.float64]:
    """Compute Owen's T for arrays h and a, by `exponentially_scaled_decay_integral`."""
    h, a = np.broadcast_arrays(*(np.asarray(z, dtype=np.float64) for z in (h, a)))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        result: NDArray[np.float64] = owens_t_with_arrays(
            np, _erf, _erfc, exponentially_scaled_decay_integral, h, a
        )
    return result


def owens_t_with_arrays(
    xp: Any, erf: Any, erfc: Any, integral: Callable[..., Any], h: Any, a: Any
) -> Any:
    """Compute Owen's T for arrays of NumPy or JAX, by the `integral` over y of `DecayIntegral`."""
    h, slope = xp.abs(h), xp.abs(a)
    steep = slope > 1
    k = xp.where(steep, xp.where(h > 0, xp.minimum(slope * h, 40.0), 0.0), h)
    inner = xp.where(steep, 1 / slope, slope)
    value = xp.exp(-k * k / 2) * integral(k * k / 2, 0.0, inner) / (2 * math.pi)
    below = (erfc(h / SQRT2) * erf(k / SQRT2) + erfc(k / SQRT2)) / 4
    return xp.sign(a) * xp.where(steep, below - value, value)


def erf_variance(t: ArrayLike, s: ArrayLike) -> Any:
    r"""Compute the variance of :math:`\operatorname{erf}(t + sG)`, for a standard normal G.

    By the claim ``zeta-variance`` it is an integral of a positive function: nothing cancels.

    Parameters
    ----------
    t, s : array_like
        Mean and standard deviation of the argument, of shapes that broadcast.

    Returns
    -------
    ndarray or float
        The variance, in [0, 1], to a relative error of a few units in the last place where it is
        not so small that the exponential has lost digits.

    Raises
    ------
    ValueError
        If an argument is not real numbers.
    """
    t, s = require_real_array("t", t), require_real_array("s", s)
    with np.errstate(over="ignore", invalid="ignore"):
        low = cosine_of_slope_with_arrays(np, 2 * s)
        width = sine_of_slope_with_arrays(np, 2 * s) ** 2 / (1 + low)
        exponent = np.minimum(divided_square_with_arrays(np, t, 2, s), LARGEST)
        front = 4 / np.pi * np.exp(-exponent * (1 + divided_square_with_arrays(np, 1.0, 4, s)))
    result = front * evaluate_erf_variance_integral(exponent, decay_coefficients(low, width))
    return result if result.ndim else float(result)


def zeta(t: ArrayLike, s: ArrayLike) -> Any:
    r"""Compute the second moment :math:`\zeta(t, s) = \mathbb{E}\operatorname{erf}(t + sG)^2`.

    It is that of equation (7).

    Parameters
    ----------
    t, s : array_like
        Mean and standard deviation of the argument, of shapes that broadcast.

    Returns
    -------
    ndarray or float
        Values in [0, 1].

    Raises
    ------
    ValueError
        If an argument is not real numbers.

    Notes
    -----
    Equation (7) of the paper, as variance plus square of the mean: relative accuracy holds where
    both are tiny, too.
    """
    t, s = require_real_array("t", t), require_real_array("s", s)
    with np.errstate(over="ignore", invalid="ignore"):
        mean = over_root_with_arrays(np, t, 2.0, s)
    return erf_variance(t, s) + _erf(mean) ** 2


# -- means by quadrature -----------------------------------------------------------------------

# E f(m + L G) for functions that have no closed form, of one or two normal variables, L L' being
# their covariance. The trapezoidal rule converges exponentially for analytic f: once a grid and
# those shifted by half a step agree to 1e-9, their mean is good to the last digits. The first step
# is half a unit of the arguments of f, on which functions of a score vary. In one variable, where v
# is above 1, the mean of the derivative of order n is that of f He_n(G) / v^(n/2), which loses no
# digits: derivatives of a steep f are large, and their mean is small.

# Of the grids: how far they reach, the first step, what they agree to, how often it is halved, in
# one variable and in two.
GRID_REACH, GRID_STEP, AGREED, HALVINGS = 10.0, 0.5, 1e-9, (12, 5)

TOO_STEEP = (
    "a mean by quadrature is not found to 1e-8: its integrand overflows, or changes too fast. Make "
    "the lengths smaller"
)


def hermite_polynomial(z: Any, order: int) -> Any:
    """Return the value at z of the probabilists' Hermite polynomial He_n for n = `order`."""
    value, before = z**0, 0 * z
    for k in range(order):
        value, before = z * value - k * before, value
    return value


# How many nodes are taken together, in one variable and in two.
_NODES = (64, 1024)


def compute_normal_means(
    f: Callable[..., Any], orders: tuple[int, ...], *inputs: Any, has_no_gaps: bool = False
) -> NDArray[np.float64]:
    """Compute means of a partial derivative of a function of one or two normal variables.

    Inputs, which broadcast, are the means, the covariances (the upper triangle, row by row) and
    parameters of f. Of one variable f(z, ...) is a pair, the derivative of that order and the
    function; of two f(z, z_2, ...) has the derivative alone. If there are no gaps (`has_no_gaps`)
    between the first nodes that hide a peak, a sum of 0 is the mean.

    Raises
    ------
    ArithmeticError
        If a law is known, but the finest grids do not agree.
    """
    count = len(orders)
    arrays = np.broadcast_arrays(*(np.asarray(x, dtype=np.float64) for x in inputs))
    shape = arrays[0].shape
    columns = [x.reshape(-1)[:, None] for x in arrays]
    entries = count * (count + 3) // 2
    means, cov, values = columns[:count], columns[count:entries], columns[entries:]
    root = _cholesky(cov)
    found = np.full(means[0].shape[0], np.nan)
    scales = [reduce(np.maximum, (np.abs(row[k]) for row in root[k:])) for k in range(count)]
    with np.errstate(invalid="ignore"):
        levels = np.ceil(np.log2(np.maximum(np.concatenate(scales, axis=1), 1.0)))
    shifts = list(itertools.product((0.0, 0.5), repeat=count))
    for level in np.unique(levels[np.isfinite(levels).all(axis=1)], axis=0):
        left = np.flatnonzero((levels == level).all(axis=1))
        steps = GRID_STEP / 2.0**level
        steep = count == 1 and level[0] > 0

        def sums(rows: Any, steps: Any, shift: Any, steep: bool = steep) -> Any:
            """Return the quadrature sums of the integrand and of its absolute value on one grid.

            The nodes are taken in blocks, so that arrays stay small.
            """
            total, size = np.zeros(len(rows)), np.zeros(len(rows))
            for z in _grid_nodes(steps, shift):
                bell = np.exp(-(z * z).sum(axis=0) / 2)
                bell = bell * np.prod(steps / np.sqrt(2 * np.pi))
                places = [
                    mean[rows] + sum(row[k][rows] * z[k] for k in range(i + 1))
                    for i, (mean, row) in enumerate(zip(means, root, strict=True))
                ]
                # What overflows is refused below, in words.
                with np.errstate(all="ignore"):
                    at = f(*places, *(x[rows] for x in values))
                if steep:
                    bell = (
                        bell * hermite_polynomial(z[0], orders[0]) / root[0][0][rows] ** orders[0]
                    )
                terms = at[int(steep)] * bell
                total += terms.sum(axis=-1)
                size += np.abs(terms).sum(axis=-1)
            return total, size

        total, size = sums(left, steps, shifts[0])
        for last in range(1 - HALVINGS[count - 1], 1):
            others = [sums(left, steps, shift) for shift in shifts[1:]]
            other, more = (sum(x) for x in zip(*others, strict=True))
            if not np.isfinite(size + more).all():
                raise ArithmeticError(TOO_STEEP)
            weight = len(others)
            with np.errstate(invalid="ignore"):
                agree = np.abs(total - other / weight) <= AGREED * (size + more / weight)
            # Where all nodes miss a peak, sums are 0.
            agree &= (size + more > 0) | has_no_gaps | (last == 0)
            total, size, steps = (total + other) / 2**count, (size + more) / 2**count, steps / 2
            found[left[agree]] = total[agree]
            left, total, size = left[~agree], total[~agree], size[~agree]
            if not left.size:
                break
        if left.size:
            raise ArithmeticError(TOO_STEEP)
    result: NDArray[np.float64] = found.reshape(shape)
    return result


def _cholesky(cov: list[Any]) -> list[list[Any]]:
    """Return the rows of L with L L' equal to a covariance, which may be singular."""
    if len(cov) == 1:
        return [[np.sqrt(cov[0])]]
    v, both, w = cov
    first = np.sqrt(v)
    with np.errstate(invalid="ignore", divide="ignore"):
        across = np.where(v > 0, both / first, 0.0)
    return [[first], [across, np.sqrt(np.maximum(w - across * across, 0.0))]]


def _grid_nodes(steps: Any, shift: Any) -> Iterator[NDArray[np.float64]]:
    """Yield the nodes of a quadrature grid in blocks of shape (variables, nodes)."""
    axes = [
        np.arange(s * step - GRID_REACH, GRID_REACH + step / 4, step)
        for s, step in zip(shift, steps, strict=True)
    ]
    sizes = tuple(map(len, axes))
    together = _NODES[len(axes) - 1]
    for first in range(0, math.prod(sizes), together):
        places = np.unravel_index(np.arange(first, min(first + together, math.prod(sizes))), sizes)
        nodes = np.stack([axis[place] for axis, place in zip(axes, places, strict=True)])
        yield nodes[:, (nodes * nodes).sum(axis=0) <= (GRID_REACH + 0.5) ** 2]
