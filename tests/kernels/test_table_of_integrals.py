"""The table of integrals at its edges, and what is no mean of a normal law beside it."""

import math
import random

import mpmath
import numpy as np
import pytest
from sympy import Piecewise, Symbol, asin, atan, erf, exp, sqrt, symbols, tanh

from slrsym.gaussian import Expectation, expectation, normal_cdf
from slrsym.kernels import compile_expressions
from tests._profile import NIGHTLY, more
from tests.kernels._cases import INSTALLED
from tests.kernels.table_of_integrals import TABLE

x, y = symbols("x y", real=True)
z = Symbol("z", positive=True)

# Of the exponential of such an exponent, its own digits are not enough.
_NOTHING = mpmath.mpf(10) ** -(10**9)
# By NumPy and balls, a sample of rows and three edges of each.
_QUICK = ("numpy", "ball")
_SAMPLE = range(60) if NIGHTLY else sorted(random.Random(17).sample(range(36), 6))


def relative_error(backend, found, right, noise):
    """Return the relative error of a value, infinite if a ball does not hold what is right."""
    size = abs(right) or mpmath.mpf(1)
    if backend != "ball":
        number = found if isinstance(found, mpmath.mpf) else mpmath.mpf(float(found))
        if max(abs(number), abs(right)) < _NOTHING:
            return 0.0
        if number == right:
            return 0.0
        return float(max(abs(number - right) - noise, 0) / size)
    if not found.is_finite():
        return math.inf
    if right < _NOTHING and abs(found) < 1e-300:
        return 0.0
    middle, radius = (mpmath.mpf(z.str(50, radius=False)) for z in (found.mid(), found.rad()))
    held = abs(middle - right) <= radius + noise + size * mpmath.mpf(10) ** -25
    return float(radius / size) if held else math.inf


@more
@pytest.mark.parametrize("number", _SAMPLE, ids=lambda i: TABLE[i].name)
def test_integrals_at_edges(number, record_property):
    row = TABLE[number]
    closed = expectation(row.integrand, row.law)
    assert not closed.has(Expectation)
    edges = row.edges if NIGHTLY else random.Random(number).sample(list(row.edges), 3)
    with mpmath.workdps(30):
        known = [row.value(*edge) for edge in edges]
    for backend in INSTALLED if NIGHTLY else _QUICK:
        function = compile_expressions([closed], row.symbols, (), backend)
        worst: tuple[float, object] = (0.0, None)
        for edge, (right, noise) in zip(edges, known, strict=True):
            # Beyond the range of double precision nothing is asked.
            if backend not in ("mpmath", "ball") and not (
                right == 0 or 1e-290 < abs(right) < 1e300
            ):
                continue
            with np.errstate(all="ignore"), mpmath.workdps(40):
                error = relative_error(backend, function([float(z) for z in edge])[0], right, noise)
            assert error <= 1e-11, (backend, edge, mpmath.nstr(right, 15))
            worst = max(worst, (error, edge), key=lambda pair: pair[0])
        record_property(f"worst error, {backend}", worst)
        print(row.name, backend, *worst)


# What has no limit, or one that is not 0: an expression, a point, and what NumPy gives.
_NO_MEAN = [
    (erf(x * y / (x**2 + y**2)), (0, 0), math.nan),
    (erf(x / y), (0, 0), math.nan),
    (atan((x - y) / (x + y)), (0, 0), math.nan),
    (asin(x / sqrt(x**2 + y**2)), (0, 0), math.nan),
    (erf((x - y) / sqrt(x * y - 1)), (1, 1), math.nan),
    (normal_cdf(x / (1 - y)), (0, 1), math.nan),
    (exp(-y / (1 - x)) / (1 - x) ** 2, (1, 0), math.nan),
    (y**2 * exp(-x) / (1 - x), (1000, 1e200), math.nan),
    (sqrt(x - 1), (1 - 1e-15, 0), math.nan),
    (sqrt(1 - x**2), (1 + 1e-15, 0), math.nan),
    (sqrt(x * y - 1), (1, 1 - 1e-15), math.nan),
    (asin(x), (1 + 1e-15, 0), math.nan),
    (normal_cdf((x + z) / z), (0, 0), 0.8413447460685429),
    (Piecewise((sqrt(1 - x), x < 1), (1 / (1 - x), True)), (2, 0), -1.0),
    (exp(-x) * exp(y) / (1 - x**2), (800, 800), -1 / 639999),
]  # fmt: skip


@pytest.mark.parametrize(("expr", "point", "right"), _NO_MEAN, ids=lambda v: str(v)[:30])
def test_what_is_no_mean_is_left_as_it_is(expr, point, right):
    names = [x, z if expr.has(z) else y]
    with np.errstate(all="ignore"):
        found = compile_expressions([expr], names, ())([float(v) for v in point])[0]
    assert found == pytest.approx(right, rel=1e-13, nan_ok=True)


@pytest.mark.parametrize(
    ("expr", "point"),
    [
        (atan(1 / x), (0, 0)),
        (tanh(1 / (1 - x)), (1, 0)),
        (exp(-1 / (1 - x)), (1, 0)),
        (erf(x * y / (x**2 + y**2)), (0, 0)),
        (asin(x), (2, 0)),
        (asin(x), (1 + 1e-15, 0)),
        (sqrt(1 - x**2), (1 + 1e-15, 0)),
        (x / sqrt(x**2 - y**2), (1, 1 + 1e-7)),
        (exp(-(y**2) / (1 - x**2)) / sqrt(1 - x**2), (2, 1)),
    ],
    ids=str,
)
def test_no_ball_where_nothing_is_defined(expr, point):
    (found,) = compile_expressions([expr], [x, y], (), "ball")([float(v) for v in point])
    assert not found.is_finite()


def test_no_ball_of_a_root_that_is_partly_undefined():
    from flint import arb

    root = compile_expressions([sqrt(1 - x**2)], [x], (), "ball")
    assert not root([arb(1, 0.25)])[0].is_finite()
    assert root([arb(1)])[0] == 0
