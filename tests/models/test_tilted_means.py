"""Means of exponentials times error functions, at any law, against integrals of this file."""

import mpmath
import pytest
from sympy import erf, exp, lambdify, symbols

from slrsym.kernels.compile import compile_program
from slrsym.models.means.mean_patterns import MeanPattern
from tests._profile import thorough

x, y = symbols("Z_0 Z_1", real=True)
LAW = {"m_0": 0.3, "m_1": -0.4, "c_0_0": 0.7, "c_0_1": 0.5, "c_1_1": 0.9}
PRODUCTS = [
    (exp(-2 * x**2) * erf(x) ** 2, 1),
    (y * exp(-(x**2)) * erf(x) ** 2, 2),
    (exp(-(x**2)) * erf(x), 1),
    thorough(x**2 * exp(-(x**2)) * erf(x) * erf(3 * x / 2), 1),
]


@pytest.mark.parametrize(("product", "count"), PRODUCTS)
def test_two_error_functions_of_one_variable_have_no_branches(product, count):
    mean = MeanPattern(product, count).general_mean
    # Owen's T at infinite arguments has limits, which take long to find.
    assert not mean.has_ends
    found = compile_program(mean.program, "numpy")([LAW[s.name] for s in mean.arguments])
    value = lambdify((x, y), product, "mpmath")
    spread, slope = mpmath.sqrt(LAW["c_0_0"]), LAW["c_0_1"] / LAW["c_0_0"]

    def integrand(g):
        # Of y, which stands alone, the mean given x is enough.
        moved = spread * g
        return value(LAW["m_0"] + moved, LAW["m_1"] + slope * moved) * mpmath.npdf(g)

    right = mpmath.quad(integrand, [-9, -3, 0, 3, 9])
    assert found[0] == pytest.approx(float(right), rel=1e-13)
