"""Means of functions that have no closed form: symbols for them, and their values by quadrature."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from sympy import Rational, Symbol, exp, expand, latex, symbols, tanh

from slrsym.gaussian import GaussianLaw
from slrsym.kernels import compile_expressions
from slrsym.kernels.symbolic_functions import gaussian_mean
from tests.kernels._cases import needs_numba

from .test_program import value

x, y, m, n = symbols("x y m n", real=True)
p, q, v, w = symbols("p q v w", positive=True)


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
    with pytest.raises(ValueError, match="differentiated in the means of the arguments"):
        mean.fdiff(3)


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
