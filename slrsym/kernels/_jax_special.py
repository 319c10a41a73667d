"""The functions of the kernels that JAX lacks, each with a rule for its derivatives.

They say the same as their namesakes in `slrsym.kernels.special`. A rule gives partial derivatives,
which have rules themselves, so that derivatives of every order are right.
"""

# mypy: ignore-errors

from __future__ import annotations

import math
import types
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.custom_derivatives import SymbolicZero
from jax.scipy.special import erf, erfc

from slrsym.kernels.special import (
    AGREED,
    GRID_REACH,
    GRID_STEP,
    HALVINGS,
    LEAST,
    NODES,
    NOTHING,
    PIECE,
    REACH,
    SQRT2,
    WEIGHTS,
    hermite,
)

Function = Callable[..., Any]


def differentiable(function: Function, slope: Callable[[int], Function]) -> Function:
    """Return an elementwise function of which ``slope(i)`` is the i-th partial derivative.

    A partial derivative is made and computed only if JAX asks for it.
    """
    value = jax.custom_jvp(function)

    def rule(inputs: Any, tangents: Any) -> Any:
        found = value(*inputs)
        total = jnp.zeros_like(found)
        for i, tangent in enumerate(tangents):
            if not isinstance(tangent, SymbolicZero):
                total += slope(i)(*inputs) * tangent
        return found, total

    value.defjvp(rule, symbolic_zeros=True)
    return value


def partial_derivative(function: Function, i: int) -> Function:
    """Return the i-th partial derivative of an elementwise function, by JAX."""

    def slope(*inputs: Any) -> Any:
        def along(x: Any) -> Any:
            return function(*inputs[:i], x, *inputs[i + 1 :])

        return jax.jvp(along, (inputs[i],), (jnp.ones_like(inputs[i]),))[1]

    return slope


# -- branches --------------------------------------------------------------------------------------


def select(test: Any, then: Callable[[], Any], otherwise: Callable[[], Any]) -> Any:
    """Return one of two alternatives, both of which are computed.

    Notes
    -----
    The one that is not chosen may divide by zero. Derivatives are taken forwards, which leaves it
    out; backwards JAX would multiply its infinite slope by 0.
    """
    cells = [cell for branch in (then, otherwise) for cell in branch.__closure__ or ()]
    leaves, shape = jax.tree_util.tree_flatten([cell.cell_contents for cell in cells])

    def value(test: Any, *leaves: Any) -> Any:
        inside = iter(map(types.CellType, jax.tree_util.tree_unflatten(shape, leaves)))
        found = [
            types.FunctionType(
                branch.__code__,
                branch.__globals__,
                closure=tuple(next(inside) for _ in branch.__closure__ or ()),
            )()
            for branch in (then, otherwise)
        ]
        return jnp.where(test, *found)

    return _forwards(value)(test, *(jnp.asarray(leaf, dtype=jnp.float64) for leaf in leaves))


def _forwards(function: Function) -> Function:
    """Return the function, whose derivatives of every order are taken forwards."""
    return differentiable(function, lambda i: _forwards(partial_derivative(function, i)))


# -- error functions -------------------------------------------------------------------------------


def _erf_prime(x: Any) -> Any:
    return 2 / math.sqrt(math.pi) * jnp.exp(-x * x)


def normal_cdf(x: Any) -> Any:
    """Return the standard normal distribution function."""
    return 0.5 * erfc(-x / SQRT2)


def _erf_defect(x: Any, y: Any) -> Any:
    small = erfc(jnp.abs(y))
    return jnp.where(y >= 0, (x - 1) + small, (x + 1) - small)


erf_defect = differentiable(
    _erf_defect,
    lambda i: (lambda x, y: jnp.ones_like(x + y)) if i == 0 else (lambda x, y: -_erf_prime(y)),
)


def decay_series(exponent: Any, ends: Any) -> Any:
    r"""Return :math:`\int_0^w e^{-Er} / (1 + l^2 + r)\,dy`, r = y (2l + y), by quadrature.

    Derivatives are those of the quadrature, whose integrand stays of one sign.
    """
    low, width = ends
    e = jnp.where(exponent > NOTHING, 0.0, exponent)
    reach = REACH / jnp.maximum(e, 1.0)
    short = reach / (low + jnp.sqrt(low * low + reach))
    width = jnp.where(e * width * (2 * low + width) > REACH, short, width)
    e, low, width = (x[..., None] for x in jnp.broadcast_arrays(e, low, width))
    step = width * NODES
    rise = step * (2 * low + step)
    terms = WEIGHTS * jnp.exp(-e * rise) / (1 + low * low + rise)
    return jnp.sum(width * terms, axis=-1)


def _owens_t(h: Any, a: Any) -> Any:
    h, slope = jnp.abs(h), jnp.abs(a)
    steep = slope > 1
    other = jnp.where(h > 0, jnp.minimum(slope * h, 40.0), 0.0)
    k = jnp.where(steep, other, h)
    inner = jnp.where(steep, 1 / slope, slope)
    inside = decay_series(k * k / 2, (0.0, inner)) / (2 * math.pi)
    value = jnp.exp(-k * k / 2) * inside
    below = (erfc(h / SQRT2) * erf(k / SQRT2) + erfc(k / SQRT2)) / 4
    return jnp.sign(a) * jnp.where(steep, below - value, value)


def _owens_t_by_h(h: Any, a: Any) -> Any:
    return -jnp.exp(-h * h / 2) * erf(a * h / SQRT2) / (2 * math.sqrt(2 * math.pi))


def _owens_t_by_a(h: Any, a: Any) -> Any:
    square = 1 + a * a
    return jnp.exp(-h * h * square / 2) / (2 * math.pi * square)


# The first argument is the height, the second the slope.
owens_t = differentiable(_owens_t, lambda i: (_owens_t_by_h, _owens_t_by_a)[i])


def _erf_covariance(x: Any, y: Any, r: Any) -> Any:
    x, y, r = jnp.broadcast_arrays(x, y, r)
    y, sign, r = jnp.where(r < 0, -y, y), jnp.sign(r), jnp.abs(r)
    rise, fall = ((x + y) / 2) ** 2, ((x - y) / 2) ** 2
    start = jnp.maximum(jnp.sqrt((1 - r) / (1 + r)), LEAST)
    best = jnp.clip(jnp.where(rise > 0, (fall / rise) ** 0.25, 1.0), start, 1.0)
    least = rise * best**2 + fall / best**2
    top = least + REACH
    root = (top + jnp.sqrt(jnp.maximum(top * top - 4 * rise * fall, 0.0))) / 2
    start = jnp.maximum(start, jnp.sqrt(fall / root))
    stop = jnp.where(rise > 0, jnp.minimum(1.0, jnp.sqrt(root / rise)), 1.0)
    total = _log_pieces(rise, fall, least, start, best)
    total += _log_pieces(rise, fall, least, best, stop)
    return 4 / math.pi * sign * jnp.exp(-(x * x + y * y) / 2 - least) * total


def _log_pieces(rise: Any, fall: Any, least: Any, start: Any, stop: Any) -> Any:
    """Integrate from `start` to `stop`, in pieces of the same ratio."""
    stop = jnp.maximum(start, stop)
    length = jnp.log(stop / start)
    count = jnp.maximum(1.0, jnp.ceil(length / PIECE))
    ratio = jnp.exp(length / count)

    def piece(number: Any, so_far: Any) -> Any:
        low, total = so_far
        width = jnp.where(number < count, low * (ratio - 1), 0.0)
        square = (low[..., None] + width[..., None] * NODES) ** 2
        exponent = least[..., None] - rise[..., None] * square - fall[..., None] / square
        terms = WEIGHTS / (1 + square) * jnp.exp(exponent)
        return low + width, total + width * jnp.sum(terms, axis=-1)

    most = jnp.max(jnp.where(count < jnp.inf, count, 1.0), initial=1.0).astype(int)
    return jax.lax.fori_loop(0, most, piece, (start, jnp.zeros_like(start)))[1]


def _erf_covariance_by_mean(x: Any, y: Any, r: Any) -> Any:
    return _erf_prime(x) * (erf((y - r * x) / jnp.sqrt((1 - r) * (1 + r))) - erf(y))


def _erf_covariance_by_r(x: Any, y: Any, r: Any) -> Any:
    left = (1 - r) * (1 + r)
    square = ((x - r * y) ** 2 + left * y * y) / left
    return 2 / math.pi * jnp.exp(-square) / jnp.sqrt(left)


_COVARIANCE_SLOPES = (
    _erf_covariance_by_mean,
    lambda x, y, r: _erf_covariance_by_mean(y, x, r),
    _erf_covariance_by_r,
)
erf_covariance = differentiable(_erf_covariance, lambda i: _COVARIANCE_SLOPES[i])


# -- means by quadrature ---------------------------------------------------------------------------

# Nodes that are taken together.
_TOGETHER = 64


def gaussian_mean(pair: Function, order: int) -> Function:
    """Return E f(m + sqrt(v) G), and with `order` n that of the n-th derivative of f.

    Parameters
    ----------
    pair : callable
        Of z and parameters: the derivative, and f itself.
    order : int

    Returns
    -------
    callable
        Of m, v and the parameters. By the heat equation, a derivative in v is half a second one in
        m.

    Notes
    -----
    The rule is `slrsym.kernels.special.trapezoid_arrays`, for one number at a time.
    """

    def along(pair: Function, i: int, both: bool) -> Function:
        slopes = [partial_derivative(lambda *z, k=k: pair(*z)[k], i) for k in range(2)]
        return lambda *z: (slopes[0](*z), slopes[1](*z) if both else pair(*z)[1])

    def slope(i: int) -> Function:
        if i > 1:
            return gaussian_mean(along(pair, i - 1, both=True), order)
        once = along(pair, 0, both=False)
        if i == 0:
            return gaussian_mean(once, order + 1)
        twice = gaussian_mean(along(once, 0, both=False), order + 2)
        return lambda *inputs: twice(*inputs) / 2

    one = jnp.vectorize(lambda *inputs: _trapezoid(pair, order, *inputs))
    return differentiable(lambda *inputs: one(*inputs), slope)


def _trapezoid(pair: Function, order: int, m: Any, v: Any, *parameters: Any) -> Any:
    spread = jnp.sqrt(v)
    steep = spread > 1
    first = GRID_STEP / 2.0 ** jnp.ceil(jnp.log2(jnp.where(steep, spread, 1.0)))

    def sums(start: Any, step: Any) -> Any:
        def block(number: Any, so_far: Any) -> Any:
            z = start - GRID_REACH + step * (number * _TOGETHER + np.arange(_TOGETHER))
            bell = jnp.exp(-z * z / 2) * (step / math.sqrt(2 * math.pi))
            bell = jnp.where(z < GRID_REACH + step / 4, bell, 0.0)
            z = jnp.minimum(z, GRID_REACH)
            derivative, plain = pair(m + spread * z, *parameters)
            tilted = plain * hermite(z, order) / spread**order
            terms = jnp.where(steep, tilted, derivative) * bell
            return so_far[0] + jnp.sum(terms), so_far[1] + jnp.sum(jnp.abs(terms))

        blocks = jnp.ceil((2 * GRID_REACH / step + 1) / _TOGETHER).astype(int)
        return jax.lax.fori_loop(0, blocks, block, (0.0, 0.0))

    def goes_on(state: Any) -> Any:
        halvings, _, _, _, agree = state
        return (halvings < HALVINGS) & ~agree

    def halved(state: Any) -> Any:
        halvings, total, size, step, _ = state
        other, more = sums(step / 2, step)
        agree = jnp.abs(total - other) <= AGREED * (size + more)
        return halvings + 1, (total + other) / 2, (size + more) / 2, step / 2, agree

    state = (0, *sums(0.0, first), first, jnp.array(False))
    finite = jnp.isfinite(first)
    state = (jnp.where(finite, 0, HALVINGS), *state[1:])
    _, total, _, _, agree = jax.lax.while_loop(goes_on, halved, state)
    return jnp.where(agree, total, jnp.nan)
