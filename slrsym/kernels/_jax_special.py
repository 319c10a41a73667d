"""Special functions that JAX lacks, each with a rule for its derivatives.

They say the same as their namesakes in `slrsym.kernels.numpy_special_functions`. A rule gives
partial derivatives, which have rules themselves, so that derivatives of every order are right.
"""

# mypy: ignore-errors

from __future__ import annotations

import math
import types
from collections.abc import Callable
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import sympy as sp
from jax.custom_derivatives import SymbolicZero
from jax.scipy.special import erf, erfc
from jax.scipy.special import erfinv as _rough_erfinv

from slrsym.kernels.edge_arrays import edge_functions
from slrsym.kernels.numpy_special_functions import (
    NODES,
    NOTHING,
    PIECE,
    REACH,
    SQRT2,
    WEIGHTS,
    cosine_of_slope_with_arrays,
    damped_factor_with_arrays,
    divided_square_with_arrays,
    erf_covariance_with_arrays,
    over_root_with_arrays,
    owens_t_with_arrays,
    scaled_argument_with_arrays,
    sine_of_slope_with_arrays,
)
from slrsym.kernels.orthant_arrays import orthant_functions
from slrsym.kernels.orthants import OrthantMoment, OrthantProbability
from slrsym.kernels.quadrant_arrays import quadrant_functions

Function = Callable[..., Any]


def make_differentiable(function: Function, slope: Callable[[int], Function]) -> Function:
    """Return an elementwise JAX function with ``slope(i)`` as its i-th partial derivative.

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


def select_elementwise(test: Any, then: Callable[[], Any], otherwise: Callable[[], Any]) -> Any:
    """Return, elementwise, one of two alternatives by a test, in JAX; both are computed.

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
    """Transform a function so that JAX takes its derivatives of all orders in forward mode."""
    return make_differentiable(function, lambda i: _forwards(partial_derivative(function, i)))


# -- error functions -------------------------------------------------------------------------------


def _erf_prime(x: Any) -> Any:
    return 2 / math.sqrt(math.pi) * jnp.exp(-x * x)


def normal_cdf(x: Any) -> Any:
    """Return the standard normal distribution function at x, a JAX array."""
    return 0.5 * erfc(-x / SQRT2)


def _erf_defect(x: Any, y: Any) -> Any:
    small = erfc(jnp.abs(y))
    return jnp.where(y >= 0, (x - 1) + small, (x + 1) - small)


erf_defect = make_differentiable(
    _erf_defect,
    lambda i: (lambda x, y: jnp.ones_like(x + y)) if i == 0 else (lambda x, y: -_erf_prime(y)),
)


def _erfinv(x: Any) -> Any:
    # JAX's own has eleven digits in a tail; a step of Halley brings all.
    y, size = _rough_erfinv(x), jnp.abs(x)
    tail = jnp.sign(x) * ((1 - size) - erfc(jnp.abs(y)))
    step = jnp.where(size < 0.5, erf(y) - x, tail) / _erf_prime(y)
    return jnp.where(size < 1, y - step / (1 + y * step), y)


erfinv = make_differentiable(_erfinv, lambda _: lambda x: 1 / _erf_prime(_erfinv(x)))


def damped_factor(u: Any, factor: Any) -> Any:
    """Return a factor of exp(u), but 0 where u is below -10^6."""
    return damped_factor_with_arrays(jnp, u, factor)


def scaled_argument(x: Any, scale: Any) -> Any:
    """Return a product, which is 0 if either factor is."""
    return scaled_argument_with_arrays(jnp, x, scale)


def over_root(x: Any, c: float, y: Any) -> Any:
    """Return x/sqrt(1 + c y^2), also where c y^2 overflows."""
    return over_root_with_arrays(jnp, x, c, y)


def divided_square(x: Any, c: float, y: Any) -> Any:
    """Return x^2/(1 + c y^2), also where squares overflow."""
    return divided_square_with_arrays(jnp, x, c, y)


cosine_of_slope = make_differentiable(
    lambda x: cosine_of_slope_with_arrays(jnp, x),
    lambda i: lambda x: -sine_of_slope(x) * cosine_of_slope(x) ** 2,
)
sine_of_slope = make_differentiable(
    lambda x: sine_of_slope_with_arrays(jnp, x), lambda i: lambda x: cosine_of_slope(x) ** 3
)


def _zeta_by_t(value: Any, t: Any, s: Any) -> Any:
    scale = cosine_of_slope(SQRT2 * s)
    a = over_root(t, 2.0, s)
    return 2 * scale * erf(a * cosine_of_slope(2 * s)) * _erf_prime(a)


def _zeta_by_s(value: Any, t: Any, s: Any) -> Any:
    scale, narrow = cosine_of_slope(SQRT2 * s), cosine_of_slope(2 * s)
    a = over_root(t, 2.0, s)
    curvature = _erf_prime(a * narrow) * narrow - 2 * a * erf(a * narrow)
    return SQRT2 * sine_of_slope(SQRT2 * s) * scale * _erf_prime(a) * curvature


_ZETA_SLOPES = (lambda value, t, s: jnp.zeros_like(value), _zeta_by_t, _zeta_by_s)
with_slopes_of_zeta = make_differentiable(
    lambda value, t, s: value + jnp.zeros_like(t * s), lambda i: _ZETA_SLOPES[i]
)


def decay_coefficients(low: Any, width: Any) -> Any:
    """Return both ends of `DecayIntegral`, of which the second has the slope of 1 - l."""
    return low, jax.lax.stop_gradient(width) - (low - jax.lax.stop_gradient(low))


def evaluate_erf_variance_integral(exponent: Any, ends: Any) -> Any:
    r"""Return :math:`\int_0^w e^{-Er} / (1 + l^2 + r)\,dy` with r = y (2l + y), by quadrature.

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
    def integral(exponent: Any, *ends: Any) -> Any:
        return evaluate_erf_variance_integral(exponent, ends)

    return owens_t_with_arrays(jnp, erf, erfc, integral, h, a)


def _owens_t_by_h(h: Any, a: Any) -> Any:
    return -jnp.exp(-h * h / 2) * erf(a * h / SQRT2) / (2 * math.sqrt(2 * math.pi))


def _owens_t_by_a(h: Any, a: Any) -> Any:
    square = 1 + a * a
    return jnp.exp(-h * h * square / 2) / (2 * math.pi * square)


# The first argument is the height, the second the slope.
owens_t = make_differentiable(_owens_t, lambda i: (_owens_t_by_h, _owens_t_by_a)[i])


def _integral_on_geometric_pieces(rise: Any, fall: Any, least: Any, start: Any, stop: Any) -> Any:
    """Integrate exp(least - rise x^2 - fall/x^2)/(1 + x^2) on geometric pieces."""
    return _integrate(_bell_of_slope, (rise, jnp.sqrt(fall), least), start, stop)


def _bell_of_slope(x: Any, rise: Any, root: Any, least: Any) -> Any:
    square = x * x
    return jnp.exp(least - rise * square - (root / x) ** 2) / (1 + square)


def _integrate(f: Function, inputs: tuple[Any, ...], start: Any, stop: Any) -> Any:
    """Integrate f(x, *inputs) over x, on pieces equally long in log x."""
    stop = jnp.maximum(start, stop)
    length = jnp.log(stop / start)
    count = jnp.maximum(1.0, jnp.ceil(length / PIECE))
    ratio = jnp.exp(length / count)
    inputs = tuple(x[..., None] for x in inputs)

    def piece(number: Any, so_far: Any) -> Any:
        low, total = so_far
        width = jnp.where(number < count, low * (ratio - 1), 0.0)
        terms = WEIGHTS * f(low[..., None] + width[..., None] * NODES, *inputs)
        return low + width, total + width * jnp.sum(terms, axis=-1)

    most = jnp.max(jnp.where(count < jnp.inf, count, 1.0), initial=1.0).astype(int)
    return jax.lax.fori_loop(0, most, piece, (start, jnp.zeros_like(start)))[1]


def _erf_covariance(x: Any, y: Any, r: Any) -> Any:
    return erf_covariance_with_arrays(jnp, _integral_on_geometric_pieces, x, y, r)


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
erf_covariance = make_differentiable(_erf_covariance, lambda i: _COVARIANCE_SLOPES[i])


# -- edges and tails -------------------------------------------------------------------------------


def _normal_pdf(x: Any) -> Any:
    return jnp.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def _bivariate_by_bound(h: Any, k: Any, cosine: Any, sine: Any) -> Any:
    inner = _EDGES["ratio"](k - cosine * h, jnp.where(cosine == 0, 1.0, sine))
    return _normal_pdf(h) * normal_cdf(inner)


def _bivariate_by_cosine(h: Any, k: Any, cosine: Any, sine: Any) -> Any:
    sine = jnp.where(cosine == 0, 1.0, sine)
    square = _EDGES["ratio"]((h - k) ** 2 + 2 * (1 - cosine) * h * k, sine * sine)
    return _EDGES["quotient"](jnp.exp(-square / 2), 1 / (2 * math.pi), sine)


_EDGES = edge_functions(jnp, erf, erfc, _integral_on_geometric_pieces)
_bivariate = make_differentiable(
    _EDGES["bivariate_normal"],
    lambda i: (
        _bivariate_by_bound,
        lambda h, k, c, s: _bivariate_by_bound(k, h, c, s),
        _bivariate_by_cosine,
    )[i],
)
_interval = make_differentiable(
    _EDGES["normal_interval"],
    lambda i: (lambda a, b, _: -_normal_pdf(a), lambda a, b, _: _normal_pdf(b))[i],
)
_mills = make_differentiable(
    _EDGES["mills_ratio"], lambda _: lambda x: -_mills(x) * (x + _mills(x))
)
_QUADRANTS = quadrant_functions(jnp, erfc, _integrate)


def _over(n: Any, d: Any) -> Any:
    return n / jnp.where(d == 0, jnp.inf, d)


_RATIO, _QUOTIENT = _EDGES["ratio"], _EDGES["quotient"]
_ratio = make_differentiable(
    _RATIO,
    lambda i: (
        lambda n, d, size: _over(jnp.ones_like(n), d),
        lambda n, d, size: -_over(_over(n, d), d),
        lambda n, d, size: jnp.zeros_like(n),
    )[i],
)
_quotient = make_differentiable(
    _QUOTIENT,
    lambda i: (
        _quotient_below,
        lambda e, n, d: _quotient_below(e, jnp.ones_like(n), d),
        lambda e, n, d: -_over(_quotient_below(e, n, d), d),
    )[i],
)


def _quotient_below(exponent: Any, n: Any, d: Any) -> Any:
    return _quotient(exponent, n, jnp.where(d == 0, jnp.inf, d))


_EDGES |= {"ratio": lambda n, d, size=0.0: _ratio(n, d, size), "quotient": _quotient}


def _half_line_by(n: int, i: int) -> Function:
    """Return the derivative of the mean of (m + s Z)_+^n in m or in s."""

    def slope(m: Any, s: Any) -> Any:
        if n > i:
            factor = n if i == 0 else n * (n - 1) * s
            return factor * _half_line_moment(n - 1 - i, m, s)
        over = _EDGES["ratio"](m, s)
        if n:
            return _normal_pdf(over)
        bell = _EDGES["quotient"](-over * over / 2, 1 / math.sqrt(2 * math.pi), s)
        return -over * bell if i else bell

    return slope


@cache
def _half_line(n: int) -> Function:
    return make_differentiable(
        lambda m, s: _QUADRANTS["half_line_moment"](n, m, s), lambda i: _half_line_by(n, i)
    )


def _half_line_moment(n: int, m: Any, s: Any) -> Any:
    """Return the mean of (m + s Z)_+^n."""
    return _half_line(n)(m, s)


def _given_end(n: int, m: Any, s: Any, over: Any, cosine: Any, sine: Any) -> Any:
    """Return the mean of (m + s X)_+^n, given the other variable, times its density there."""
    sine = jnp.where(cosine == 0, 1.0, sine)
    return _normal_pdf(over) * _half_line_moment(n, m - s * cosine * over, s * sine)


def _quadrant_by_mean(p: int, q: int, flipped: bool) -> Function:
    """Return the derivative of a quadrant's moment in the mean of its first variable."""

    def slope(m: Any, s: Any, n: Any, t: Any, cosine: Any, sine: Any) -> Any:
        if p:
            return p * quadrant_moment(p - 1, q, m, s, n, t, cosine, sine)
        over = _EDGES["ratio"](m, s)
        return _EDGES["ratio"](_given_end(q, n, t, over, cosine, sine), s)

    return _swapped(slope) if flipped else slope


def _quadrant_by_both(p: int, q: int) -> Function:
    """Return the mean of the second derivative, once in each variable, over both deviations."""

    def slope(m: Any, s: Any, n: Any, t: Any, cosine: Any, sine: Any) -> Any:
        if p and q:
            return p * q * quadrant_moment(p - 1, q - 1, m, s, n, t, cosine, sine) * s * t
        first, other = _EDGES["ratio"](m, s), _EDGES["ratio"](n, t)
        if p:
            return p * s * _given_end(p - 1, m, s, other, cosine, sine)
        if q:
            return q * t * _given_end(q - 1, n, t, first, cosine, sine)
        return _bivariate_by_cosine(first, other, cosine, sine)

    return slope


def _quadrant_by_deviation(p: int, q: int, flipped: bool) -> Function:
    """Return the derivative of a quadrant's moment in the deviation of its first variable."""
    both = _quadrant_by_both(p, q)

    def slope(m: Any, s: Any, n: Any, t: Any, cosine: Any, sine: Any) -> Any:
        inputs = m, s, n, t, cosine, sine
        over = _EDGES["ratio"](m, s)
        total = _EDGES["ratio"](cosine * both(*inputs), s)
        if p > 1:
            return total + p * (p - 1) * s * quadrant_moment(p - 2, q, *inputs)
        density = _given_end(q, n, t, over, cosine, sine)
        return total + (density if p else -_EDGES["ratio"](over * density, s) - total)

    return _swapped(slope) if flipped else slope


def _swapped(slope: Function) -> Function:
    return lambda m, s, n, t, cosine, sine: slope(n, t, m, s, cosine, sine)


@cache
def _quadrant(p: int, q: int) -> Function:
    slopes = (
        lambda: _quadrant_by_mean(p, q, False), lambda: _quadrant_by_deviation(p, q, False),
        lambda: _quadrant_by_mean(q, p, True), lambda: _quadrant_by_deviation(q, p, True),
        lambda: _quadrant_by_both(p, q),
    )  # fmt: skip
    return make_differentiable(
        lambda *inputs: _QUADRANTS["quadrant_moment"](p, q, *inputs), lambda i: slopes[i]()
    )


def quadrant_moment(p: int, q: int, m: Any, s: Any, n: Any, t: Any, cosine: Any, sine: Any) -> Any:
    """Return the mean of (m + s X)_+^p (n + t Y)_+^q."""
    if p < q:
        p, q, m, s, n, t = q, p, n, t, m, s
    return _quadrant(p, q)(m, s, n, t, cosine, jax.lax.stop_gradient(sine))


def _covariance_by_bound(h: Any, k: Any, cosine: Any, sine: Any) -> Any:
    return _bivariate_by_bound(h, k, cosine, sine) - _normal_pdf(h) * normal_cdf(k)


_normal_covariance = make_differentiable(
    _EDGES["normal_covariance"],
    lambda i: (
        _covariance_by_bound,
        lambda h, k, c, s: _covariance_by_bound(k, h, c, s),
        _bivariate_by_cosine,
    )[i],
)


def _size_by_mean(mean: Any, s: Any) -> Any:
    return erf(_EDGES["ratio"](mean, jnp.abs(s)) / SQRT2) / 2 * jnp.where(s < 0, -1.0, 1.0)


_size_difference = make_differentiable(
    _EDGES["size_difference"],
    lambda i: {
        0: lambda low, high, length, total, s: -_size_by_mean(low, s),
        1: lambda low, high, length, total, s: _size_by_mean(high, s),
        4: lambda low, high, length, total, s: (
            _normal_pdf(_EDGES["ratio"](high, jnp.abs(s)))
            - _normal_pdf(_EDGES["ratio"](low, jnp.abs(s)))
        ),
    }[i],
)


@cache
def _excess(way: int) -> Function:
    def by_mean(m: Any, s: Any) -> Any:
        return jnp.exp(m + s * s / 2) * normal_cdf(way * _EDGES["ratio"](m + s * s, s))

    def by_deviation(m: Any, s: Any) -> Any:
        return way * _normal_pdf(_EDGES["ratio"](m, s)) + s * by_mean(m, s)

    value = _EDGES["exponential_excess"]
    return make_differentiable(lambda m, s: value(way, m, s), lambda i: (by_mean, by_deviation)[i])


def _orthant(name: str, kind: type) -> Function:
    """Return a function of orthants, whose slopes are those of its SymPy namesake."""
    names = sp.symbols("r0:6", real=True)

    @cache
    def slope(i: int) -> Function:
        found = kind(*names).fdiff(i + 1)
        return sp.lambdify(
            names, found, [{"OrthantProbability": _ORTHANTS["orthant_probability"]}, "jax"]
        )

    return make_differentiable(orthant_functions(jnp)[name], slope)


_ORTHANTS: dict[str, Function] = {}
_ORTHANTS["orthant_probability"] = _orthant("orthant_probability", OrthantProbability)
_ORTHANTS["orthant_moment"] = _orthant("orthant_moment", OrthantMoment)


EDGE_FUNCTIONS = (
    _EDGES
    | _ORTHANTS
    | {
        "quadrant_moment": quadrant_moment,
        "half_line_moment": _half_line_moment,
        "exponential_excess": lambda way, m, s: _excess(way)(m, s),
        "normal_covariance": lambda h, k, c, s: _normal_covariance(
            h, k, c, jax.lax.stop_gradient(s)
        ),
        # The sine is a function of the cosine, and the length of the ends.
        "bivariate_normal": lambda h, k, c, s: _bivariate(h, k, c, jax.lax.stop_gradient(s)),
        "normal_interval": lambda low, high, length: _interval(
            low, high, jax.lax.stop_gradient(length)
        ),
        "mills_ratio": _mills,
        "size_difference": lambda low, high, length, total, s: _size_difference(
            low, high, jax.lax.stop_gradient(length), jax.lax.stop_gradient(total), s
        ),
        "log_normal_cdf": make_differentiable(_EDGES["log_normal_cdf"], lambda _: _mills),
        "ramp_mean": make_differentiable(
            _EDGES["ramp_mean"],
            lambda i: (
                lambda m, s: normal_cdf(_EDGES["ratio"](m, s)),
                lambda m, s: _normal_pdf(_EDGES["ratio"](m, s)),
            )[i],
        ),
    }
)
