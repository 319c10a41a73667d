"""Means over an interval of a normal variable, at any variance and mean."""

import numpy as np
import pytest
from scipy.stats import norm
from sympy import S, Symbol, exp

from slrsym.kernels.compile import compile_program
from slrsym.kernels.piece_means import mean_on_piece
from slrsym.kernels.printing import program_from_expressions

z, m = Symbol("z", real=True), Symbol("m", real=True)
v = Symbol("v", positive=True)


def compiled(function, low, high):
    value = mean_on_piece(function, z, m, v, (S(low), S(high)))
    return compile_program(program_from_expressions([value], (m, v), ()), "numpy")


@pytest.mark.parametrize("variance", [1e-300, 1e-60, 1e-20, 1e-4, 1, 1e4])
def test_the_mass_of_an_interval(variance):
    mass = compiled(S.One, 0, 1)
    s = np.sqrt(variance)
    for centre in (0.0, 1.0, 0.3, -3 * s, 1 + 3 * s, -50 * s):
        right = norm.cdf((1 - centre) / s) - norm.cdf(-centre / s)
        if centre <= 0:
            right = norm.sf(-centre / s) - norm.sf((1 - centre) / s)
        assert mass([centre, variance])[0] == pytest.approx(right, rel=1e-9, abs=1e-30)


def test_a_function_that_grows_as_fast_as_the_density_falls():
    # E exp(10 x) on [0, 30] is exp(50) times the mass of a variable of mean 10.
    found = compiled(exp(10 * z), 0, 30)([0, 1])[0]
    assert found == pytest.approx(np.exp(50), rel=1e-12)
