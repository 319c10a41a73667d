"""The special functions as LaTeX, and in code that SymPy prints."""

import math

import numpy as np
import pytest
from mpmath import mp
from sympy import Float, Rational, erf, lambdify, latex, symbols

from slrsym.gaussian.erf_derivatives_and_normal_law import MPMATH_MODULES, NUMPY_MODULES
from slrsym.gaussian.special_functions import (
    OwensT,
    erf_prime,
    erf_second,
    normal_cdf,
    normal_pdf,
    zeta,
)
from tests._profile import thorough_only
from tests.gaussian.values_by_quadrature import relative_error

h, a, t, s, x = symbols("h a t s x", real=True)
APPLIED = [f(x) for f in (erf_prime, erf_second, normal_pdf, normal_cdf)]
APPLIED += [OwensT(h, a), zeta(t, s)]


# -- printing --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (erf_prime(x), r"\operatorname{erf}'\!\left(x\right)"),
        (erf_prime(x) ** 2, r"\operatorname{erf}'^{2}\!\left(x\right)"),
        (erf_second(x), r"\operatorname{erf}''\!\left(x\right)"),
        (OwensT(h, a), r"T\left(h, a\right)"),
        (OwensT(h, a) ** 2, r"T^{2}\left(h, a\right)"),
        (zeta(t, s), r"\zeta\left(t, s\right)"),
        (1 / zeta(t, s), r"\frac{1}{\zeta\left(t, s\right)}"),
        (normal_pdf(x), r"\varphi\left(x\right)"),
        (normal_cdf(x / 2), r"\Phi\left(\frac{x}{2}\right)"),
    ],
)
def test_latex(expression, expected):
    assert latex(expression) == expected


# Every function in a place where missing parentheses would change the value.
CODE_TEST = (
    zeta(t, s) / (3 * erf_prime(t) ** 2)
    + 2 * erf_second(s) ** 2
    - normal_cdf(-t) ** 3
    + 1 / normal_pdf(s)
    + OwensT(t, s) ** 2
    - erf(t * s)
)
POINTS = np.random.default_rng(4).uniform(-2, 2, (2, 50))


def code_test_values() -> np.ndarray:
    return np.array(
        [float(CODE_TEST.subs({t: Float(u), s: Float(v)}).evalf()) for u, v in POINTS.T]
    )


def test_lambdify_numpy():
    compiled = lambdify((t, s), CODE_TEST, modules=NUMPY_MODULES)
    values = compiled(*POINTS)
    assert values.shape == POINTS[0].shape
    np.testing.assert_allclose(values, code_test_values(), rtol=1e-12)
    grid = compiled(POINTS[0][:, None], POINTS[1])
    np.testing.assert_allclose(np.diag(grid), values, rtol=1e-14)


@pytest.mark.parametrize("applied", APPLIED)
def test_lambdify_plain_numpy(applied):
    """Each function is vectorised even by the plain module (SymPy's own erf is not)."""
    arguments = applied.args
    points = POINTS[: len(arguments)]
    values = lambdify(arguments, applied, modules="numpy")(*points)
    expected = [
        float(applied.subs(dict(zip(arguments, map(Float, row), strict=True)))) for row in points.T
    ]
    np.testing.assert_allclose(values, expected, rtol=1e-13)


@pytest.mark.parametrize("modules", ["math", "sympy"])
def test_lambdify_scalar(modules):
    compiled = lambdify((t, s), CODE_TEST, modules=modules)
    values = [float(compiled(u, v)) for u, v in POINTS.T.tolist()]
    np.testing.assert_allclose(values, code_test_values(), rtol=1e-12)


def test_lambdify_mpmath():
    compiled = lambdify((t, s), CODE_TEST, modules=MPMATH_MODULES)
    exact = CODE_TEST.subs({t: Rational(1, 3), s: Rational(-3, 2)}).evalf(60)
    with mp.workdps(60):
        value = compiled(mp.mpf(1) / 3, -mp.mpf(3) / 2)
        assert relative_error(value, mp.mpf(exact._mpf_)) < mp.mpf(10) ** -57


def test_tail_of_the_distribution_function_in_code():
    """1 - erfc or 2 - erfc in the code would give 0."""
    tail = float(normal_cdf(-20).evalf())
    for modules in ("math", "mpmath", "numpy"):
        for compiled, at in (
            (lambdify(x, normal_cdf(x), modules=modules), -20.0),
            (lambdify(x, normal_cdf(-x), modules=modules), 20.0),
        ):
            assert float(compiled(at)) == pytest.approx(tail, rel=1e-12)


def test_zeta_in_scalar_code_keeps_small_values():
    compiled = lambdify((t, s), zeta(t, s), modules="math")
    assert compiled(0.0, 1e-20) == pytest.approx(4e-40 / math.pi, rel=1e-15, abs=0)


def test_printing_has_no_other_lazy_name():
    from slrsym.gaussian import erf_derivatives_and_normal_law as printing

    with pytest.raises(AttributeError, match="no attribute 'FORTRAN_MODULES'"):
        _ = printing.FORTRAN_MODULES


@thorough_only
def test_numba():
    numba = pytest.importorskip("numba", reason="Numba is an optional extra")
    from slrsym.gaussian.erf_derivatives_and_normal_law import NUMBA_MODULES

    compiled = numba.njit(lambdify((t, s), CODE_TEST, modules=NUMBA_MODULES))
    values = [compiled(u, v) for u, v in POINTS.T.tolist()]
    np.testing.assert_allclose(values, code_test_values(), rtol=1e-12)
