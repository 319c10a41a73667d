"""Sixty integrals of a normal law, after Owen's table, with their values at edges by quadrature.

D. B. Owen, A table of normal integrals, Communications in Statistics B 9 (1980). Nothing here is
from `slrsym` but the names of functions in the integrands: the values are integrals in mpmath of
the definition, over what is left of the law where it is singular. At a jump a function has the mean
of its values on both sides, which is its limit as a variance goes to 0.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import mpmath
from mpmath import mpf
from mpmath.calculus.quadrature import GaussLegendre
from sympy import Abs, Expr, Heaviside, Max, Min, Symbol, cos, erf, erfc, exp, sign, sin, symbols

from slrsym.gaussian import GaussianLaw, erf_prime, normal_cdf, normal_pdf

x, y = symbols("x y", real=True)
m, n, r, c = symbols("m n r c", real=True)
s, t, a, b = symbols("s t a b", positive=True)

ONE = GaussianLaw({x: m}, [[s**2]])
TWO = GaussianLaw({x: m, y: n}, [[s**2, r * s * t], [r * s * t, t**2]])
COVARIANCE = GaussianLaw({x: m, y: n}, [[a, c], [c, b]])
CENTRED = GaussianLaw({x: 0, y: 0}, [[1, r], [r, 1]])


# Of 24 nodes: polynomials of degree 47 are integrated exactly on each piece.
_DEGREE = 4


class Integral(NamedTuple):
    """An integrand under a law, its edges, and its value there, with its error, in mpmath."""

    name: str
    integrand: Expr
    law: GaussianLaw
    symbols: tuple[Symbol, ...]
    edges: Sequence[tuple[float, ...]]
    value: Callable[..., Any]


def step(z: Any) -> Any:
    """Return Heaviside's function, 1/2 at 0."""
    return (1 + mpmath.sign(z)) / 2


def ramp(z: Any) -> Any:
    """Return the positive part."""
    return max(z, mpf(0))


def bell(z: Any) -> Any:
    """Return the standard normal density."""
    return mpmath.exp(-z * z / 2) / mpmath.sqrt(2 * mpmath.pi)


def tail(z: Any) -> Any:
    """Return the probability of a standard normal number above z."""
    return mpmath.erfc(z / mpmath.sqrt(2)) / 2 if abs(z) < 10**6 else step(-z)


def error(z: Any) -> Any:
    """Return erf, also far out."""
    return mpmath.erf(z) if abs(z) < 10**6 else mpmath.sign(z)


def quadrature(f: Callable[[Any], Any], features: Sequence[tuple[Any, Any]]) -> Any:
    """Return the mean of f under the standard normal law, and what it may be off.

    Features of f have a place and a width.
    """
    reach = 13 if all(abs(place) < 4 or abs(place) > 45 for place, _ in features) else 48
    ends = {mpf(z) for z in range(-reach, reach + 1, 2)} | {mpf(reach)}
    for place, width in features:
        around = (place + way * width * 3**k for way in (1, -1) for k in range(12))
        ends |= {place, *around} if width else {place}
    ends = sorted(z for z in ends if abs(z) <= reach)
    terms = [
        weight * half * f(middle + half * node) * bell(middle + half * node)
        for low, high in itertools.pairwise(ends)
        for middle, half in [((low + high) / 2, (high - low) / 2)]
        for node, weight in _nodes(mpmath.mp.prec)
    ]
    size = mpmath.fsum(map(abs, terms))
    return mpmath.fsum(terms), size * mpf(10) ** -17


@cache
def _nodes(bits: int) -> list[tuple[Any, Any]]:
    return list(GaussLegendre(mpmath.mp).calc_nodes(_DEGREE, bits))


# -- one variable ----------------------------------------------------------------------------------

# Integrand, its function, where it has kinks, and the largest power or exponential in it: "flat" if
# it is bounded, "power" where it is not, "wave" if it oscillates or grows without bounds.
H = 1
_SINGLE: list[tuple[Expr, Callable[[Any], Any], tuple[int, ...], str]] = [
    (x, lambda z: z, (), "power"),
    (x**2, lambda z: z**2, (), "power"),
    (x**3, lambda z: z**3, (), "power"),
    (x**4, lambda z: z**4, (), "power"),
    (exp(x / 2), lambda z: mpmath.exp(z / 2), (), "wave"),
    (exp(-(x**2)), lambda z: mpmath.exp(-z * z), (), "bell"),
    (x * exp(-(x**2)), lambda z: z * mpmath.exp(-z * z), (), "bell"),
    (cos(2 * x), lambda z: mpmath.cos(2 * z), (), "wave"),
    (x * sin(x), lambda z: z * mpmath.sin(z), (), "wave"),
    (erf(x), error, (), "flat"),
    (x * erf(x), lambda z: z * error(z), (), "power"),
    (erf(x) ** 2, lambda z: error(z) ** 2, (), "flat"),
    (erfc(x), lambda z: 1 - error(z), (), "flat"),
    (erf(x) * exp(x), lambda z: error(z) * mpmath.exp(z), (), "wave"),
    (normal_cdf(2 * x + 1), lambda z: tail(-2 * z - 1), (), "flat"),
    (x * normal_cdf(x), lambda z: z * tail(-z), (), "power"),
    (normal_cdf(x) ** 2, lambda z: tail(-z) ** 2, (), "flat"),
    (normal_pdf(x), bell, (), "bell"),
    (normal_pdf(x) * normal_cdf(2 * x), lambda z: bell(z) * tail(-2 * z), (), "bell"),
    (normal_pdf(x) * x**2, lambda z: bell(z) * z * z, (), "bell"),
    (Abs(x), abs, (0,), "power"),
    (sign(x), mpmath.sign, (0,), "flat"),
    (x * sign(x - H), lambda z: z * mpmath.sign(z - H), (H,), "power"),
    (Heaviside(x - H), lambda z: step(z - H), (H,), "flat"),
    (Heaviside(x) * x**2, lambda z: step(z) * z**2, (0,), "power"),
    (Max(x - H, 0), lambda z: ramp(z - H), (H,), "power"),
    (Max(x, 0) ** 2, lambda z: ramp(z) ** 2, (0,), "power"),
    (Max(x, 0) ** 3, lambda z: ramp(z) ** 3, (0,), "power"),
    (Min(Max(x, -1), 1), lambda z: max(min(z, mpf(1)), mpf(-1)), (-1, 1), "flat"),
    (Heaviside(x) * exp(-x), lambda z: step(z) * mpmath.exp(-z), (0,), "wave"),
    (exp(-Abs(x)), lambda z: mpmath.exp(-abs(z)), (0,), "wave"),
    (Max(exp(x) - 1, 0), lambda z: ramp(mpmath.exp(z) - 1), (0,), "wave"),
    (Heaviside(x) * normal_pdf(x), lambda z: step(z) * bell(z), (0,), "bell"),
    (Heaviside(x) * erf(x), lambda z: step(z) * error(z), (0,), "flat"),
    (Heaviside(x) * normal_cdf(2 * x), lambda z: step(z) * tail(-2 * z), (0,), "flat"),
    (Heaviside(x - H) * Heaviside(2 - x), lambda z: step(z - H) * step(2 - z), (1, 2), "flat"),
]  # fmt: skip

_MEANS = (0.0, 1.0, -1.0, 0.3, 1e-300, -1e-300, 2.0)
_WIDTHS = (0.0, 1e-300, 1e-8, 1.0, 30.0)
_ORDINARY = [(mean, width) for mean in _MEANS for width in _WIDTHS]
_FAR = {
    "flat": [
        (1e155, 1.0),
        (-1e155, 0.0),
        (1e155, 1e155),
        (6.0, 1.0),
        (float("inf"), 1.0),
        (1e307, 1e307),
    ],
    "power": [(1e70, 1.0), (-1e70, 0.0), (1e70, 1e70), (3.0, 1e-160), (-2.0, 0.7)],
    "bell": [(4.0, 1.0), (-20.0, 0.0), (5.0, 0.5), (3.0, 1e-160), (-2.0, 0.7)],
    "wave": [(3.0, 2.0), (-30.0, 0.0), (-3.0, 1e-160), (3.0, 1e-160), (-2.0, 0.7)],
}


def _mean_of_one(f: Callable[[Any], Any], kinks: tuple[int, ...], mean: float, width: float) -> Any:
    centre, spread = mpf(mean), mpf(width)
    if mpmath.isinf(centre):
        centre = mpf(10) ** 200
    if spread == 0:
        return f(centre), mpf(0)
    features = [((k - centre) / spread, 0) for k in kinks]
    if spread > 2:
        features += [((k - centre) / spread, 1 / (9 * spread)) for k in kinks or (0,)]
    return quadrature(lambda z: f(centre + spread * z), features)


def _singles() -> list[Integral]:
    rows = []
    for integrand, f, kinks, kind in _SINGLE:
        edges = [*_ORDINARY, *_FAR[kind]]
        if kind == "wave":
            edges = [(mean, min(width, 3.0)) for mean, width in edges]

        def value(mean: float, width: float, f: Any = f, kinks: Any = kinks) -> Any:
            return _mean_of_one(f, kinks, mean, width)

        rows.append(Integral(str(integrand), integrand, ONE, (m, s), edges, value))
    return rows


# -- two variables ---------------------------------------------------------------------------------


class Factor(NamedTuple):
    """A function of one variable, and its mean under a normal law, by hand."""

    integrand: Callable[[Any], Expr]
    function: Callable[[Any], Any]
    mean: Callable[[Any, Any], Any]
    kinked: bool


def _mean_ramp(mean: Any, width: Any) -> Any:
    if width == 0 or abs(mean) > 10**6 * width:
        return ramp(mean)
    with mpmath.extraprec(100 if mean < 0 else 0):
        return width * bell(mean / width) + mean * tail(-mean / width)


def _mean_square(mean: Any, width: Any) -> Any:
    if width == 0 or abs(mean) > 10**6 * width:
        return ramp(mean) ** 2 + (width**2 if mean > 0 else 0)
    with mpmath.extraprec(100 if mean < 0 else 0):
        u = mean / width
        return (mean**2 + width**2) * tail(-u) + mean * width * bell(u)


def _over(mean: Any, width: Any) -> Any:
    return mean / width if width else mpmath.sign(mean) * mpf(10) ** 9


def _mean_of_z_erf(mean: Any, width: Any) -> Any:
    root = mpmath.sqrt(1 + 2 * width**2)
    slope = 2 * width**2 * mpmath.exp(-((mean / root) ** 2)) / (mpmath.sqrt(mpmath.pi) * root)
    return mean * error(mean / root) + slope


_FACTORS = {
    "erf": Factor(erf, error, lambda u, w: error(u / mpmath.sqrt(1 + 2 * w * w)), False),
    "cdf": Factor(
        normal_cdf, lambda z: tail(-z), lambda u, w: tail(-u / mpmath.sqrt(1 + w * w)), False
    ),
    "slope": Factor(
        erf_prime,
        lambda z: 2 * mpmath.exp(-z * z) / mpmath.sqrt(mpmath.pi),
        lambda u, w: 2 * mpmath.exp(-u * u / (1 + 2 * w * w))
        / mpmath.sqrt(mpmath.pi * (1 + 2 * w * w)),
        False,
    ),
    "z erf": Factor(lambda z: z * erf(z), lambda z: z * error(z), _mean_of_z_erf, False),
    "z": Factor(lambda z: z, lambda z: z, lambda u, w: u, False),
    "z^2": Factor(lambda z: z**2, lambda z: z**2, lambda u, w: u**2 + w**2, False),
    "sign": Factor(sign, mpmath.sign, lambda u, w: error(_over(u, w) / mpmath.sqrt(2)), True),
    "step": Factor(Heaviside, step, lambda u, w: tail(-_over(u, w)), True),
    "ramp": Factor(lambda z: Max(z, 0), ramp, _mean_ramp, True),
    "square": Factor(lambda z: Max(z, 0) ** 2, lambda z: ramp(z) ** 2, _mean_square, True),
    "size": Factor(Abs, abs, lambda u, w: _mean_ramp(u, w) + _mean_ramp(-u, w), True),
}  # fmt: skip

_PAIRS = [
    ("erf", "erf"), ("cdf", "cdf"), ("slope", "slope"), ("z erf", "z erf"), ("z", "erf"),
    ("z", "sign"), ("z^2", "step"), ("sign", "sign"), ("sign", "erf"), ("sign", "cdf"),
    ("step", "step"), ("step", "erf"), ("step", "z"), ("ramp", "ramp"), ("ramp", "step"),
    ("ramp", "z"), ("size", "size"), ("size", "sign"), ("square", "step"), ("square", "square"),
    ("slope", "sign"), ("slope", "erf"), ("ramp", "size"), ("z^2", "square"),
]  # fmt: skip

_ROOT = 0.9999999999999999
_CORRELATIONS = (1.0, -1.0, _ROOT, -_ROOT, 0.0, 0.3)
_CENTRES = ((0.0, 0.0), (1.0, 1.0), (1.0, -1.0), (0.0, 1.0), (-0.5, 1e-300))
_TWO_EDGES = [
    *((*centre, 1.0, 1.0, z) for centre in _CENTRES for z in _CORRELATIONS),
    # Without variance at its kink, a variable's correlation has to be 0: else there is no limit.
    (0.0, 0.0, 0.0, 1.0, 0.0), (0.3, 0.4, 0.0, 1.0, -1.0),
    *((0.5, -1.0, 0.0, 1.0, z) for z in (0.0, 1.0)),
    *((*centre, 1.0, 0.0, -0.5) for centre in ((0.0, 0.0), (0.5, -1.0))),
    (1.0, 2.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0, 0.0), (1e70, 0.5, 1.0, 2.0, 0.5),
    (1.0, 2.0, 1e-8, 1.0, -1.0),
]  # fmt: skip
_CENTRED_EDGES = [
    (z,)
    for size in (1.0, _ROOT, 1 - 1e-15, 1 - 1e-12, 1 - 1e-9, 1 - 1e-6, 0.999, 0.9, 0.75, 0.6, 0.5,
                 0.3, 0.1, 1e-3, 1e-8, 1e-16, 1e-100, 1e-155, 1e-300, 5e-324)
    for z in (size, -size)
]  # fmt: skip


def mean_of_two(
    f: Factor, g: Factor, u: float, w: float, v1: float, v2: float, cosine: float
) -> Any:
    """Return the mean of f(X) g(Y) by means, deviations and the correlation of X and Y."""
    first, second, p, q, rho = map(mpf, (u, w, v1, v2, cosine))
    if p == 0:
        return f.function(first) * g.mean(second, q), mpf(0)
    left = q * mpmath.sqrt((1 - rho) * (1 + rho))
    features: list[Any] = []
    width = abs(left / (q * rho)) if q * rho != 0 and left < q / 4 else 0
    if f.kinked:
        # What is left beside it may fall as fast as the other variable's.
        features.append((-first / p, width))
    if q * rho != 0:
        # Where Y is 0 given X, a kink that is smooth if something is left to vary.
        features.append((-second / (q * rho), width))
    return quadrature(
        lambda z: f.function(first + p * z) * g.mean(second + q * rho * z, left), features
    )


def _doubles() -> list[Integral]:
    rows = []
    for number, (one, other) in enumerate(_PAIRS):
        f, g = _FACTORS[one], _FACTORS[other]

        def general(u: Any, w: Any, p: Any, q: Any, z: Any, f: Any = f, g: Any = g) -> Any:
            return mean_of_two(f, g, u, w, p, q, z)

        def centred(z: float, f: Any = f, g: Any = g) -> Any:
            return mean_of_two(f, g, 0, 0, 1, 1, z)

        integrand = f.integrand(x) * g.integrand(y)
        name = f"{one}, {other}"
        law, names, edges, value = (
            (CENTRED, (r,), _CENTRED_EDGES, centred)
            if number % 3 == 2 or name == "square, square"
            else (TWO, (m, n, s, t, r), _TWO_EDGES, general)
        )
        if number % 3 == 1 and law is TWO:
            law, names = COVARIANCE, (m, n, a, b, c)

            def general_covariance(
                u: Any, w: Any, va: Any, vb: Any, both: Any, f: Any = f, g: Any = g
            ) -> Any:
                p, q = mpmath.sqrt(va), mpmath.sqrt(vb)
                rho = mpf(both) / (p * q) if p * q else 0
                return mean_of_two(f, g, u, w, p, q, rho)

            edges = [(u, w, p * p, q * q, z * p * q) for u, w, p, q, z in _TWO_EDGES]
            value = general_covariance
        rows.append(Integral(name, integrand, law, names, edges, value))
    return rows


TABLE = [*_singles(), *_doubles()]
