"""Means of functions that have no closed form: symbols for them, and their values by quadrature."""

import math

import mpmath
import numpy as np
import pytest
from scipy.special import voigt_profile
from sympy import Rational, Symbol, exp, expand, latex, symbols, tanh

from slrsym.gaussian import GaussianLaw
from slrsym.kernels import compile_expressions, numpy_special_functions
from slrsym.kernels.mpmath_backend import _cholesky, _trapezoid
from slrsym.kernels.numpy_special_functions import compute_normal_means
from slrsym.kernels.symbolic_functions import GaussianMean, gaussian_mean
from tests._profile import thorough_cases
from tests.kernels._cases import needs_numba

from .test_program import value

x, y, m, n = symbols("x y m n", real=True)
p, q, v, w = symbols("p q v w", positive=True)


@thorough_cases("numba")
@pytest.mark.parametrize("backend", ["numpy", pytest.param("numba", marks=needs_numba), "mpmath"])
def test_numbers_in_means_by_quadrature(backend):
    """The root of e is a number, and no rational: nothing passes it on to the integrand."""
    logistic = expand(1 / (1 + exp(-x - Rational(1, 2))))
    mean = gaussian_mean(logistic, GaussianLaw({x: p}, [[q]]))
    found = value([mean], [p], [q], [0.3], [0.2], backend)
    nodes, weights = np.polynomial.hermite_e.hermegauss(100)
    at = 0.3 + math.sqrt(0.2) * nodes
    values = 1 / (1 + np.exp(-at - 0.5))
    assert found[0] == pytest.approx(weights @ values / math.sqrt(2 * math.pi), rel=1e-12)


def test_sums_of_means_are_ordered_without_their_values(monkeypatch):
    mean = gaussian_mean(tanh(x), GaussianLaw({x: Rational(1, 3)}, [[Rational(1, 2)]]))
    assert float(mean.evalf()) == pytest.approx(value([mean], [x], [], [0.0], [])[0], rel=1e-12)
    monkeypatch.setattr(type(mean), "_eval_evalf", lambda *_: pytest.fail("it is evaluated"))
    assert "tanh" in str(mean * y + x)
    assert "tanh" in latex(mean * y + x)


def test_means_by_quadrature_of_two_variables_are_expectations():
    """Polynomials show by their moments which mean belongs to which variable."""
    c = Symbol("c", real=True)
    mean = gaussian_mean(x**2 * y, GaussianLaw({x: m, y: n}, [[v, c], [c, w]]))
    known = (m**2 + v) * n + 2 * m * c
    for found, exact in ((mean, known), (mean.fdiff(1), known.diff(m)), (mean.fdiff(2), m**2 + v)):
        assert expand(found.as_expectation().doit() - exact) == 0
    # In the covariances, too: the upper triangle, row by row.
    for index, slope in ((3, n), (4, 2 * m), (5, 0)):
        found = mean.fdiff(index).replace(
            lambda e: isinstance(e, GaussianMean), lambda e: e.as_expectation().doit()
        )
        assert expand(found - slope) == 0


def test_means_are_of_the_steepest_form_in_each_variable():
    for function, mean, variance in (
        (tanh(2 * x + 1) * exp(5 - 3 * x) * tanh(x), 5 - 3 * m, 9 * v),
        (tanh(x / 2) * tanh(x**2), m / 2, v / 4),
        (tanh(x * 7 * y) * tanh(2 * x + y), 2 * m, 4 * v),
    ):
        law = GaussianLaw({x: m, y: n}, [[v, 0], [0, w]])
        law = law if function.has(y) else law.marginal(x)
        found = gaussian_mean(function, law)
        assert (found.args[0], found.args[len(law.symbols)]) == (mean, variance)


@mpmath.workdps(15)
def test_derivatives_of_wide_means_by_mpmath(monkeypatch):
    """The second derivative of E tanh(m + 3 G), computed by Hermite's polynomial."""
    mean = gaussian_mean(tanh(x), GaussianLaw({x: m}, [[9]]))
    kernel = compile_expressions([mean.diff(m, 2)], [m], [], "mpmath")
    known = mpmath.quad(
        lambda g: -2 * mpmath.tanh(0.4 + 3 * g) / mpmath.cosh(0.4 + 3 * g) ** 2 * mpmath.npdf(g),
        mpmath.linspace(-8, 8, 17),
    )
    assert abs(kernel([0.4], dps=7)[0] - known) < 1e-7
    monkeypatch.setattr("slrsym.kernels.mpmath_backend.HALVINGS", (0, 0))
    assert mpmath.isnan(kernel([0.4], dps=7)[0])


@pytest.mark.parametrize(
    ("width", "spread", "by_mpmath", "by_numpy"),
    [(2.0, 1, 1 / 8, 1 / 4), (0.5, 1, 1 / 32, 1 / 16), (3.0, 3, 1 / 12, 1 / 16)],
)
@pytest.mark.parametrize("backend", ["mpmath", "numpy"])
def test_grids_are_halved_until_they_agree(width, spread, by_mpmath, by_numpy, backend):
    """The nodes are those of one grid, for functions with poles at that distance from the line."""
    seen = []

    def f(z):
        seen.extend(np.ravel(z).tolist())
        return [1 / (1 + (z / width) ** 2)] * 2

    mean = 0.25 * spread
    if backend == "mpmath":
        with mpmath.workdps(17):
            found = _trapezoid(f, (0,), mpmath.mpf(mean), mpmath.mpf(spread) ** 2)
        step, reach = by_mpmath, math.sqrt(2 * 22 * math.log(10)) + 2
    else:
        found = compute_normal_means(f, (0,), mean, spread**2)
        step, reach = by_numpy, 10
    # Voigt's profile, the mean of Cauchy's density.
    known = voigt_profile(mean, spread, width) * math.pi * width
    assert float(found) == pytest.approx(known, rel=1e-13)
    nodes = sorted({round((float(z) - mean) / spread, 9) for z in seen})
    assert len(nodes) == len(seen)
    # At the upper end grids may stop at different nodes.
    assert np.diff(nodes)[:-8] == pytest.approx(step, abs=1e-8)
    assert reach - step < -nodes[0] < reach + 1e-8
    assert reach - step < nodes[-1] < reach + 0.75


@pytest.mark.parametrize(
    ("backend", "root", "steps"),
    [("mpmath", (0.5, 0.75, 0.25), (3 / 8, 3 / 8)), ("numpy", (1.0, 1.5, 0.5), (1 / 8, 1 / 4))],
)
def test_grids_in_two_variables(backend, root, steps, monkeypatch):
    """Each node once, in a disc, for a law whose second variable varies much with the first."""
    seen, (a, b, c) = [], root

    def f(z, t):
        seen.extend(np.round(np.array([z, t], dtype=float).reshape(2, -1).T, 9).tolist())
        cosine = mpmath.cos if backend == "mpmath" else np.cos
        return [cosine(z) * cosine(t)]

    law = (0.5, -0.25, a**2, a * b, b**2 + c**2)
    if backend == "mpmath":
        monkeypatch.setattr("slrsym.kernels.mpmath_backend.GRID_STEP", 0.75)
        with mpmath.workdps(9):
            found = _trapezoid(f, (0, 0), *map(mpmath.mpf, law))
    else:
        found = compute_normal_means(f, (0, 0), *law)
    # Half the cosines of the sum and of the difference, whose roots are a + b and b - a.
    falls = (math.exp(-((b + s * a) ** 2 + c**2) / 2) for s in (1, -1))
    exact = sum(fall * math.cos(m) / 2 for fall, m in zip(falls, (0.25, 0.75), strict=True))
    assert float(found) == pytest.approx(exact, abs=1e-8 if backend == "mpmath" else 1e-14)
    assert len({tuple(node) for node in seen}) == len(seen)
    first = (np.array(seen)[:, 0] - 0.5) / a
    second = (np.array(seen)[:, 1] + 0.25 - b * first) / c
    reach = math.sqrt(2 * 14 * math.log(10)) + 3 if backend == "mpmath" else 10.5
    assert reach - 0.3 < np.hypot(first, second).max() < reach + 0.01
    for places, step in zip((first, second), steps, strict=True):
        assert np.diff(sorted(set(np.round(places, 2)))) == pytest.approx(step, abs=0.011)
    assert len(seen) == pytest.approx(math.pi * reach**2 / math.prod(steps), rel=0.09)


def test_roots_of_covariances():
    for cov, rows in (((4,), [[2]]), ((4, 2, 10), [[2], [1, 3]]), ((0, 0, 9), [[0], [0, 3]]),
                      ((4, 6, 9), [[2], [3, 0]])):  # fmt: skip
        assert _cholesky([mpmath.mpf(x) for x in cov]) == rows
        arrays = numpy_special_functions._cholesky([np.array([float(x)]) for x in cov])
        assert [[float(x[0]) for x in row] for row in arrays] == rows
