"""Means of sines and cosines times error functions: real in form, against integrals here."""

import math

import mpmath
import numpy as np
import pytest
from sympy import Heaviside, I, Max, Rational, cos, erf, exp, im, lambdify, re, sin, symbols

from slrsym.gaussian import GaussianLaw, expectation, normal_cdf
from slrsym.gaussian.complex_error_function import erf_imaginary_part, erf_real_part
from slrsym.gaussian.erf_derivatives_and_normal_law import MPMATH_MODULES, NUMPY_MODULES
from slrsym.kernels import compile_expressions

x, y, a, b, c, d = symbols("x y a b c d", real=True)
ONE = GaussianLaw({x: 0}, [[1]])
AT = {a: Rational(3, 10), b: Rational(-7, 10), c: Rational(13, 10), d: 2}

INTEGRANDS = [
    sin(c * x) * normal_cdf(a + b * x),
    cos(c * x) * normal_cdf(a + b * x),
    sin(c * x + 1) * erf(a + b * x),
    sin(c * x) * sin(d * x) * erf(x + a),
    cos(c * x) * cos(d * x) * normal_cdf(a + b * x),
    exp(x) * sin(c * x) * normal_cdf(a + b * x),
    exp(-(x**2)) * cos(c * x) * erf(a + x),
    x * sin(c * x) * normal_cdf(x + a),
    x**2 * cos(x) * erf(b * x + 1),
    sin(x) * Heaviside(x - 1),
    cos(c * x) * Max(0, x - 1),
]


@pytest.mark.parametrize("integrand", INTEGRANDS, ids=str)
def test_a_real_mean_is_real_in_form(integrand):
    found = expectation(integrand, ONE)
    assert not found.has(I)
    steps = {"Heaviside": lambda z, _: mpmath.mpf(z > 0)}
    function = lambdify(x, integrand.subs(AT), [steps, *MPMATH_MODULES])
    right = mpmath.quad(
        lambda z: function(z) * mpmath.npdf(z), [-12, -4, mpmath.mpf("-0.5"), 1, 4, 12]
    )
    assert float(found.subs(AT)) == pytest.approx(float(right), rel=1e-13)


def test_a_mean_under_a_law_with_letters_and_of_pairs():
    m, s = symbols("m s", positive=True)
    moved = expectation(sin(c * x) * normal_cdf(x), GaussianLaw({x: m}, [[s**2]]))
    law = GaussianLaw({x: Rational(1, 2)}, [[Rational(9, 4)]])
    at = {m: Rational(1, 2), s: Rational(3, 2)}
    assert (
        abs((moved.subs(at) - expectation(sin(c * x) * normal_cdf(x), law)).subs(AT).evalf())
        < 1e-14
    )
    pair = GaussianLaw({x: 0, y: 1}, [[1, Rational(1, 3)], [Rational(1, 3), 2]])
    found = expectation(sin(x) * normal_cdf(y), pair)
    # Given x, y has the mean 1 + x/3 and the variance 17/9.
    right = expectation(
        sin(x) * normal_cdf((1 + x / 3) / ((1 + Rational(17, 9)) ** Rational(1, 2))), ONE
    )
    assert float(found) == pytest.approx(float(right), rel=1e-14)


def test_a_complex_mean_stays_complex():
    found = expectation(exp(I * x) * normal_cdf(x + 1), ONE).evalf()
    both = [expectation(f(x) * normal_cdf(x + 1), ONE).evalf() for f in (cos, sin)]
    assert abs(re(found) - both[0]) < 1e-14
    assert abs(im(found) - both[1]) < 1e-14


@pytest.mark.parametrize(
    ("p", "q"), [(0.3, 0.4), (9, 1), (1, 9), (30, 2), (30, 30.5), (0.1, 1e-30), (-2, -3), (0, 2)]
)
def test_parts_keep_their_digits(p, q):
    with mpmath.workdps(900):
        right = mpmath.erf(mpmath.mpc(p, q))
    for function, exact in ((erf_real_part, right.real), (erf_imaginary_part, right.imag)):
        found = function(Rational(p), Rational(q)).evalf(30)
        with mpmath.workdps(40):
            assert abs(mpmath.mpf(str(found)) - exact) <= 1e-28 * abs(exact)


def test_parts_have_slopes_symmetries_and_programs():
    for function, part in ((erf_real_part, re), (erf_imaginary_part, im)):
        for place, step in ((x, 1), (y, I)):
            slope = function(x, y).diff(place).subs({x: 0.3, y: -1.2})
            derivative = 2 / math.sqrt(math.pi) * exp(-((0.3 - 1.2 * I) ** 2)) * step
            assert abs(slope - part(derivative)).evalf() < 1e-14
        values = lambdify([x, y], function(x, y), NUMPY_MODULES)(np.array([0.3, -0.4]), 1.2)
        right = [part(erf(z + 1.2 * I)).evalf() for z in (0.3, -0.4)]
        assert values == pytest.approx([float(z) for z in right], rel=1e-13)
    assert erf_real_part(-x, -y) == -erf_real_part(x, y)
    assert erf_imaginary_part(-x, -y) == -erf_imaginary_part(x, y)
    assert (erf_real_part(x, 0), erf_imaginary_part(x, 0)) == (erf(x), 0)
    with pytest.raises(ValueError, match=r"erf_real_part.*kernels cannot compute"):
        compile_expressions([erf_real_part(x, y)], [x, y], ())
