"""The documented expectations at edges of their parameters, on every backend.

Right values are integrals of the definition by mpmath, or reductions to them by hand.
"""

import math
from random import Random

import mpmath
import numpy as np
import pytest
from mpmath import mpf
from sympy import lambdify

from slrsym.gaussian import Expectation, IntegrabilityError, expectation
from slrsym.kernels import compile_expressions
from tests._benchmarks import benchmark
from tests._profile import NIGHTLY, more
from tests.gaussian.test_tried import DOCS
from tests.kernels._cases import INSTALLED
from tests.kernels.table_of_integrals import _FACTORS, error, mean_of_two, quadrature, ramp
from tests.kernels.test_table_of_integrals import relative_error

tried = benchmark("expectations", DOCS / "_ext")
x, y, z = tried.x, tried.y, tried.z

# By the number of the row: both factors of a product.
PAIRS = {
    2: ("z^2", "z^2"), 11: ("erf", "erf"), 12: ("erf", "erf"), 13: ("z erf", "z erf"),
    14: ("slope", "slope"), 17: ("cdf", "cdf"), 32: ("sign", "sign"), 33: ("sign", "sign"),
    34: ("sign", "erf"), 35: ("step", "step"), 36: ("ramp", "ramp"), 37: ("square", "square"),
    38: ("ramp", "ramp"), 41: ("size", "size"),
}  # fmt: skip
KINKS = {22: (0,), 23: (0,), 25: (0,), 26: (0,), 27: (-1, 1), 28: (0,), 29: (0,), 30: (-1, 1),
         31: (-math.sqrt(2), math.sqrt(2))}  # fmt: skip
CLOSED = range(1, 42)

MEANS = (0.0, 1.0, -1.0, 0.3, 1e-300, -1e-300, 2.0, -7.5)
WIDTHS = (0.0, 1e-300, 1e-8, 1.0, 3.0)
RATES = (0.5, -1.5, 0.0, 1e-9)
NEAR = (1.0, 0.9999999999999999, 1 - 1e-12, 1 - 1e-6, 0.9, 0.5, 0.3, 1e-3, 1e-8, 1e-100)
CORRELATIONS = [0.0, *(way * c for c in NEAR for way in (1, -1))]
PLACES = [(0.0, 0.0), (1.0, 1.0), (1.0, -1.0), (-0.5, 1e-300), (0.3, 2.0), (-3.0, -4.0)]
MOST = 40


def function_of(integrand):
    """The integrand in mpmath, with the mean of both sides at a jump, and erf far out."""
    steps = {"Heaviside": lambda u, *_: (1 + mpmath.sign(u)) / 2, "erf": error}
    names = [x, *sorted(integrand.free_symbols - {x}, key=str)]
    return lambdify(names, integrand, [steps, "mpmath"])


def of_one(number, point):
    """The mean of a function of one variable, by quadrature over it."""
    integrand, _ = tried.TRIED[number - 1]
    f = function_of(integrand)
    rest = [point[p] for p in sorted(integrand.free_symbols - {x}, key=str)]
    mean, width = mpf(point[tried.m]), mpf(point[tried.s])
    if number in (30, 31):
        return part_of_line(number, mean, width)
    kinks = KINKS.get(number, (point[tried.a],) if number == 24 else ())
    if width == 0:
        return f(mean, *map(mpf, rest)), mpf(0)
    places = [((mpf(k) - mean) / width, 0) for k in kinks]
    if width > 2:
        places += [((mpf(k) - mean) / width, 1 / (9 * width)) for k in kinks or (0,)]
    return quadrature(lambda u: f(mean + width * u, *map(mpf, rest)), places)


def part_of_line(number, mean, width):
    """The mean of x on (-1, 1), or of 1 on (-sqrt 2, sqrt 2), where half of an end counts."""
    end = mpf(1) if number == 30 else mpmath.sqrt(2)
    f = (lambda u: u) if number == 30 else (lambda u: mpf(1))
    if width == 0:
        return f(mean) * (mpmath.sign(end - mean) + mpmath.sign(end + mean)) / 2, mpf(0)
    low, high = ((way * end - mean) / width for way in (-1, 1))
    inside = lambda u: f(mean + width * u) if low < u < high else mpf(0)  # noqa: E731
    return quadrature(inside, [(low, 0), (high, 0)])


def right_value(number, point):
    if number in PAIRS:
        first, second = (_FACTORS[name] for name in PAIRS[number])
        means = [point.get(p, 0.0) for p in (tried.m, tried.n)]
        return mean_of_two(first, second, *means, 1.0, 1.0, point[tried.r])
    if number == 20:
        return mpf(0), mpf(0)
    if number == 21:
        # By Stein's lemma, and with the density that the slope of erf tilts.
        r = mpf(point[tried.r])
        inner = (r - 2 * r**2 / 3) / (mpf(3) / 2 - 2 * r**2 / 3)
        return (1 + 2 * r) * 4 / mpmath.pi * mpmath.asin(inner) / mpmath.sqrt(3 * mpmath.pi), mpf(0)
    if number == 39:
        # Y + max(0, X - Y).
        m, n, r = (mpf(point[p]) for p in (tried.m, tried.n, tried.r))
        width = mpmath.sqrt(2 - 2 * r)
        if width == 0:
            return n + ramp(m - n), mpf(0)
        with mpmath.extraprec(200):
            u = (m - n) / width
            return +(n + (m - n) * mpmath.ncdf(u) + width * mpmath.npdf(u)), mpf(10) ** -25
    if number == 40:
        return 3 / (2 * mpmath.sqrt(mpmath.pi)), mpf(0)
    return of_one(number, point)


def edges_of(number, symbols):
    """At most 40 points, from all combinations of edges."""
    choices = {
        tried.m: MEANS, tried.s: WIDTHS, tried.a: RATES, tried.b: RATES[:2],
        tried.r: [c for c in CORRELATIONS if number not in (20, 21) or c >= -0.5], tried.n: MEANS,
    }  # fmt: skip
    rng = Random(number)
    if {tried.m, tried.n} <= set(symbols):
        points = [{tried.m: m, tried.n: n, tried.r: r} for m, n in PLACES for r in CORRELATIONS]
    else:
        points = [{}]
        for p in symbols:
            points = [{**point, p: value} for point in points for value in choices[p]]
    rng.shuffle(points)
    return points[:MOST]


@more
@pytest.mark.parametrize("number", CLOSED if NIGHTLY else CLOSED[::6])
def test_documented_expectations_at_edges(number, record_property):
    integrand, law = tried.TRIED[number - 1]
    closed = expectation(integrand, law)
    assert not closed.has(Expectation)
    symbols = sorted(law.free_symbols - {x, y, z} | integrand.free_symbols - {x, y, z}, key=str)
    points = edges_of(number, symbols)[: MOST if NIGHTLY else 6]
    with mpmath.workdps(30):
        known = [right_value(number, point) for point in points]
    for backend in INSTALLED if NIGHTLY else ("numpy", "ball"):
        function = compile_expressions([closed], symbols, (), backend)
        worst = 0.0
        for point, (right, noise) in zip(points, known, strict=True):
            # What is smaller is beyond double precision, or beyond the quadrature of this test.
            least = 1e-290 if backend in ("numpy", "numba", "jax") else mpf(10) ** -1000
            if right and not least < abs(right) < 1e300:
                continue
            with np.errstate(all="ignore"), mpmath.workdps(40):
                found = function([float(point[p]) for p in symbols])[0]
                off = relative_error(backend, found, right, noise)
            assert off <= 1e-11, (backend, point, found, mpmath.nstr(right, 15))
            worst = max(worst, off)
        record_property(f"worst error, {backend}", worst)
        print(number, len(points), backend, worst)


def test_the_others_are_open_or_refused():
    for integrand, law in tried.TRIED[41:]:
        try:
            assert expectation(integrand, law).has(Expectation)
        except IntegrabilityError:
            assert integrand.has(tried.tan)
