"""The mpmath backend: functions computed to any number of digits."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from numbers import Rational
from typing import Any

import mpmath
import numpy as np

from slrsym.gaussian import mpmath_special_functions
from slrsym.kernels.arguments import require_integer
from slrsym.kernels.edge_arrays import ROUNDING
from slrsym.kernels.numpy_special_functions import GRID_STEP, HALVINGS, hermite_polynomial
from slrsym.kernels.orthant_balls import mpmath_orthant_function
from slrsym.kernels.program import Program, execute_source

# With so many more bits, what is left of a difference counts as 0.
_MOST_BITS = 2**13
# More digits than asked for, which rounding and the quadrature may use up.
_GUARD = 10


def _decay_integral(exponent: Any, low: Any, width: Any) -> Any:
    """Compute the integral of `DecayIntegral` in pieces, up to where it is negligible."""
    if width == 0 or mpmath.isinf(exponent):
        return mpmath.mpf(0)
    cut = (mpmath.mp.prec + 20) * mpmath.log(2)
    if exponent * width * (2 * low + width) > cut:
        reach = cut / exponent
        width = reach / (low + mpmath.sqrt(low * low + reach))
    fall = exponent * width * (2 * low + width)
    pieces = 1 + int(mpmath.ceil(mpmath.sqrt(fall)))

    def integrand(y: Any) -> Any:
        rise = width * y * (2 * low + width * y)
        return mpmath.exp(-exponent * rise) / (1 + low * low + rise)

    # Gauss-Legendre, for an analytic function between ends where nothing is singular.
    return width * mpmath.quadgl(integrand, mpmath.linspace(0, 1, pieces + 1))


def _erf_covariance(x: Any, y: Any, r: Any) -> Any:
    """Return the covariance of erf of two Gaussian variables, by quadrature in mpmath."""
    if r == 0 or max(abs(x), abs(y)) > 10**4:
        # It is below 2 erfc of the larger one.
        return mpmath.mpf(0)
    if r < 0:
        return -_erf_covariance(x, -y, -r)
    rise, fall, digits = (x + y) ** 2 / 4, (x - y) ** 2 / 4, (mpmath.mp.prec + 20) * mpmath.log(2)
    start = mpmath.log((1 - r) / (1 + r)) / 2 if r < 1 else -digits
    peak = min(0, max(start, mpmath.log(fall / rise) / 4)) if rise and fall else 0
    if not fall:
        peak = start
    # The quadrature counts errors in absolute terms.
    least = rise * mpmath.exp(2 * peak) + fall * mpmath.exp(-2 * peak)
    if fall:
        start = max(start, mpmath.log(fall / (least + digits)) / 2)

    def integrand(z: Any) -> Any:
        square = mpmath.exp(2 * z)
        return mpmath.exp(z + least - rise * square - fall / square) / (1 + square)

    pieces = 2 + int(abs(start)) + int(mpmath.sqrt(rise + fall))
    total = mpmath.quadgl(integrand, mpmath.linspace(start, 0, pieces))
    return 4 / mpmath.pi * mpmath.exp(-(x * x + y * y) / 2 - least) * total


def _precise_erf_defect(x: Any, y: Any) -> Any:
    small = mpmath_special_functions.erfc(abs(y))
    return (x - 1) + small if y >= 0 else (x + 1) - small


def _ratio(n: Any, d: Any, size: Any) -> Any:
    if d:
        return n / d
    return mpmath.mpf(0) if abs(n) <= ROUNDING * size else n * mpmath.inf


def _root(x: Any, size: Any) -> Any:
    if x > 0:
        return mpmath.sqrt(x)
    return mpmath.mpf(0) if x >= -ROUNDING * size else mpmath.nan


def _quotient(exponent: Any, n: Any, d: Any) -> Any:
    if exponent == mpmath.ninf or (n == 0 and d == 0):
        return mpmath.mpf(0)
    found = mpmath.exp(exponent) * n
    return found / d if d else found * mpmath.inf


def _more_precise(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that is computed with as many more bits as its terms may cancel."""

    def evaluate(*inputs: Any) -> Any:
        with mpmath.workprec(2 * mpmath.mp.prec + 40):
            value = function(*inputs)
        return +value

    return evaluate


def _ramp_mean(m: Any, s: Any) -> Any:
    if s < 0:
        return -_ramp_mean(-m, -s)
    if s == 0 or mpmath.isinf(m):
        return max(m, mpmath.mpf(0))
    cdf, pdf = mpmath_special_functions.normal_cdf, mpmath_special_functions.normal_pdf
    return m * cdf(m / s) + s * pdf(m / s)


def _interval_moment(direct: Any, low: Any, high: Any, length: Any, *coefficients: Any) -> Any:
    inside = min(low, high) < 0 < max(low, high) and abs(length) > 2
    if inside or not (mpmath.isfinite(low) and mpmath.isfinite(high)):
        # Nothing cancels there; but of an end far out, the mean's own digits are lost.
        return direct
    cdf, pdf = mpmath_special_functions.normal_cdf, mpmath_special_functions.normal_pdf

    def mean() -> Any:
        high, power = low + length, mpmath.mpf(1)
        moments = [cdf(-low) - cdf(-high) if low > 0 else cdf(high) - cdf(low)]
        moments.append(pdf(low) - pdf(high) - low * moments[0])
        for n in range(2, len(coefficients) // 2):
            power *= length
            moments.append((n - 1) * moments[-2] - low * moments[-1] - power * pdf(high))
        return mpmath.fdot(coefficients[: len(moments)], moments)

    return _to_all_bits(mean)


def _exponential_excess(way: int, m: Any, s: Any) -> Any:
    s = way * s
    if s == 0 or mpmath.isinf(m):
        return mpmath.expm1(m) if way * m > 0 else mpmath.mpf(0)
    cdf = mpmath_special_functions.normal_cdf
    return _to_all_bits(lambda: mpmath.exp(m + s * s / 2) * cdf(m / s + s) - cdf(m / s))


def _to_all_bits(compute: Callable[[], Any]) -> Any:
    """Return a number that is computed with more bits until all that are asked for agree."""
    wanted, more, last = mpmath.mp.prec, 20, None
    while True:
        with mpmath.workprec(wanted + more):
            found = mpmath.mpf(compute())
            if last is not None and mpmath.mag(found - last) < mpmath.mag(found) - wanted + 3:
                break
        if more > _MOST_BITS:
            break
        last, more = found, 4 * more
    return +found


def _size_difference(low: Any, high: Any, length: Any, total: Any, s: Any) -> Any:
    if s < 0:
        return -_size_difference(low, high, length, total, -s)
    if abs(total) < abs(length):
        low, length, total = -low, total, length
    way = -1 if total < 0 else 1
    if abs(length) > 2 * s:
        return way * length / 2 + _ramp_mean(-abs(high), s) - _ramp_mean(-abs(low), s)
    if not length:
        return mpmath.mpf(0)

    def sign_at(v: Any) -> Any:
        x = abs(low + length * v) / (s * mpmath.sqrt(2))
        return mpmath.mpf(1) if mpmath.isinf(x) else mpmath.erf(x)

    return way * length * mpmath.quadgl(sign_at, [0, 1]) / 2


def _normal_interval(low: Any, high: Any, length: Any) -> Any:
    cdf = mpmath_special_functions.normal_cdf
    return cdf(-low) - cdf(-high) if low > 0 else cdf(high) - cdf(low)


def _bivariate_normal(h: Any, k: Any, cosine: Any, sine: Any) -> Any:
    left = sine * sine if cosine else mpmath.mpf(1)
    return mpmath_special_functions.bivariate_normal_cdf(h, k, cosine, left)


def _normal_covariance(h: Any, k: Any, cosine: Any, sine: Any) -> Any:
    if not (cosine and mpmath.isfinite(h) and mpmath.isfinite(k)):
        return mpmath.mpf(0)
    return mpmath_special_functions.normal_covariance(h, k, cosine, sine)


def _half_line_moment(n: Any, m: Any, s: Any) -> Any:
    m, s = mpmath.mpf(m), mpmath.mpf(s)
    if s == 0 or mpmath.isinf(m):
        return (1 + mpmath.sign(m)) / 2 if n == 0 else max(m, mpmath.mpf(0)) ** n
    return s**n * mpmath_special_functions.half_line_moment(int(n), m / s)


def _quadrant_moment(p: Any, q: Any, m: Any, s: Any, n: Any, t: Any, cosine: Any, sine: Any) -> Any:
    # Numbers of the program itself are no mpmath numbers.
    m, s, n, t = map(mpmath.mpf, (m, s, n, t))
    if not (s and t and cosine and mpmath.isfinite(m) and mpmath.isfinite(n)):
        return _half_line_moment(p, m, s) * _half_line_moment(q, n, t)
    found = mpmath_special_functions.quadrant_moment(int(p), int(q), m / s, n / t, cosine, sine)
    return s**p * t**q * found


def _mills_ratio(x: Any) -> Any:
    return mpmath_special_functions.normal_pdf(x) / mpmath_special_functions.normal_cdf(x)


def _cosine_of_slope(x: Any) -> Any:
    # At infinity a number that vanishes beside every other, but does not make infinity nothing.
    return mpmath.ldexp(1, -(10**6)) if mpmath.isinf(x) else 1 / mpmath.sqrt(1 + x * x)


def _over_root(x: Any, c: Any, y: Any) -> Any:
    if mpmath.isinf(y):
        return x * _cosine_of_slope(y)
    return x / mpmath.sqrt(1 + c * y * y)


def _divided_square(x: Any, c: Any, y: Any) -> Any:
    if mpmath.isinf(y):
        return _over_root(x, c, y) ** 2
    return x * x / (1 + c * y * y)


def _nan_of(numbers: tuple[Any, ...]) -> Any:
    """Return nan if one of the numbers is, which comparisons leave out, else None."""
    return mpmath.nan if any(map(mpmath.isnan, numbers)) else None


_NAMESPACE = {
    "ratio": _ratio, "root": _root, "quotient": _quotient, "ramp_mean": _more_precise(_ramp_mean),
    "size_difference": _more_precise(_size_difference),
    "normal_interval": _more_precise(_normal_interval), "bivariate_normal": _bivariate_normal,
    "log_normal_cdf": lambda x: mpmath.log(mpmath_special_functions.normal_cdf(x)),
    "half_line_moment": _half_line_moment, "interval_moment": _interval_moment,
    "exponential_excess": _exponential_excess, "mills_ratio": _mills_ratio,
    "normal_covariance": _normal_covariance,
    "quadrant_moment": _quadrant_moment,
    "orthant_probability": partial(mpmath_orthant_function, "OrthantProbability"),
    "orthant_moment": partial(mpmath_orthant_function, "OrthantMoment"),
    "sqrt": mpmath.sqrt, "exp": mpmath.exp, "arcsin": mpmath.asin, "arctan": mpmath.atan,
    "pi": mpmath.pi, "erf": mpmath.erf, "erfc": mpmath_special_functions.erfc,
    "erfinv": mpmath.erfinv, "abs": abs,
    "maximum": lambda *x: _nan_of(x) or max(x), "minimum": lambda *x: _nan_of(x) or min(x),
    "sin": mpmath.sin, "cos": mpmath.cos, "tanh": mpmath.tanh, "log": mpmath.log,
    "sign": mpmath.sign, "nan": mpmath.nan, "owens_t": mpmath_special_functions.owens_t,
    "normal_cdf": mpmath_special_functions.normal_cdf,
    "erf_defect": _precise_erf_defect, "cosine_of_slope": _cosine_of_slope,
    "sine_of_slope": lambda x: mpmath.sign(x) if mpmath.isinf(x) else x * _cosine_of_slope(x),
    "scaled_argument": lambda x, scale: x * scale if x and scale else mpmath.mpf(0),
    "divided_square": _divided_square, "over_root": _over_root,
    "with_slopes_of_zeta": lambda value, t, s: value,
    "damped_factor": lambda u, factor: mpmath.mpf(0) if u == mpmath.ninf else factor,
    "decay_coefficients": lambda *ends: ends,
    "evaluate_erf_variance_integral": lambda exponent, ends: _decay_integral(exponent, *ends),
    "erf_covariance": _erf_covariance,
    "rational": lambda p, q: mpmath.mpf(p) / q,
}  # fmt: skip


def _number(x: Any) -> Any:
    if isinstance(x, Rational):
        return mpmath.mpf(int(x.numerator)) / int(x.denominator)
    return mpmath.mpf(float(x) if isinstance(x, np.floating) else x)


def _trapezoid(f: Callable[..., Any], orders: tuple[int, ...], *inputs: Any) -> Any:
    """Return the mean of a function of one or two normal variables, to mpmath's precision."""
    count = len(orders)
    entries = count * (count + 3) // 2
    means, cov, parameters = inputs[:count], inputs[count:entries], inputs[entries:]
    root = _cholesky(cov)
    digits = mpmath.mp.dps + 5
    # In one variable there is a margin, which in two would take four times as long.
    agreed = mpmath.mpf(10) ** (-digits * 2 // 3 if count == 1 else -digits // 2 - 1)
    reach = mpmath.sqrt(2 * digits * mpmath.log(10)) + 2
    scales = [max(abs(row[k]) for row in root[k:]) for k in range(count)]
    steps = [mpmath.mpf(GRID_STEP) / max(1, mpmath.ceil(s)) for s in scales]
    steep = count == 1 and root[0][0] > 1
    shifts = list(itertools.product((0, mpmath.mpf(0.5)), repeat=count))

    def sums(shift: Any) -> tuple[Any, Any]:
        axes = [
            [(z, mpmath.npdf(z) * step) for n in range(int(2 * reach / step) + 2)
             for z in [(s + n) * step - reach]]
            for s, step in zip(shift, steps, strict=True)
        ]  # fmt: skip
        terms = []
        for nodes in itertools.product(*axes):
            if sum(z * z for z, _ in nodes) > (reach + 1) ** 2:
                continue
            at = [
                mean + sum(row[k] * nodes[k][0] for k in range(i + 1))
                for i, (mean, row) in enumerate(zip(means, root, strict=True))
            ]
            term = f(*at, *parameters)[int(steep)] * mpmath.fprod(w for _, w in nodes)
            if steep:
                term *= hermite_polynomial(nodes[0][0], orders[0]) / root[0][0] ** orders[0]
            terms.append(term)
        return mpmath.fsum(terms), mpmath.fsum(map(abs, terms))

    total, size = sums(shifts[0])
    for _ in range(HALVINGS[count - 1]):
        other, more = (mpmath.fsum(x) for x in zip(*map(sums, shifts[1:]), strict=True))
        weight = len(shifts) - 1
        agree = abs(total - other / weight) <= agreed * (size + more / weight)
        total, size = (total + other) / 2**count, (size + more) / 2**count
        steps = [step / 2 for step in steps]
        if agree:
            return total
    return mpmath.nan


def _cholesky(cov: Sequence[Any]) -> list[list[Any]]:
    """Return the rows of L with L L' equal to a covariance, which may be singular."""
    if len(cov) == 1:
        return [[mpmath.sqrt(cov[0])]]
    v, both, w = cov
    first = mpmath.sqrt(v)
    across = both / first if v > 0 else mpmath.mpf(0)
    return [[first], [across, mpmath.sqrt(max(w - across * across, 0))]]


def mpmath_function(program: Program) -> Callable[..., Any]:
    """Return a function that runs a program in mpmath numbers at one state."""
    means = {
        name: partial(_trapezoid, execute_source(pair.body, _NAMESPACE)["body"], orders)
        for name, pair, orders in program.means
    }
    scope = execute_source(program.setup + program.body, _NAMESPACE | means)

    def evaluate(state: Iterable[Any], *parameters: Any, dps: int = 50) -> list[Any]:
        digits = require_integer("dps", dps, 1)
        at = program.require_state(state)
        with mpmath.workdps(digits + _GUARD):
            try:
                fixed = scope["constants"](*map(_number, parameters))
                values = scope["body"](*map(_number, at), *fixed)
            except ZeroDivisionError:
                where = ", ".join(
                    f"{name.removesuffix('_')} = {mpmath.nstr(_number(x), 8)}"
                    for name, x in zip(program.state, at, strict=True)
                )
                raise ZeroDivisionError(
                    f"a value is infinite or has no limit at {where or 'these parameters'}; the "
                    "backends of arrays return inf or nan for it, and the others beside it"
                ) from None
        with mpmath.workdps(digits):
            return [+mpmath.mpf(value) for value in values]

    return evaluate
