"""The special functions: values, derivatives, series, precision, assumptions, printing."""

import math
import pickle
from itertools import pairwise
from typing import Any

import flint
import mpmath
import numpy as np
import pytest
import scipy.special
import sympy
from mpmath import mp
from sympy import (
    Abs,
    Float,
    I,
    Integral,
    O,
    Rational,
    S,
    Symbol,
    asin,
    atan,
    conjugate,
    erf,
    erfc,
    exp,
    lambdify,
    latex,
    limit,
    nan,
    oo,
    pi,
    sqrt,
    symbols,
)
from sympy.core.function import ArgumentIndexError

from slrsym.gaussian import mpmath_special_functions as in_mpmath
from slrsym.gaussian.erf_derivatives_and_normal_law import MPMATH_MODULES, NUMPY_MODULES
from slrsym.gaussian.special_functions import (
    OwensT,
    erf_prime,
    erf_second,
    normal_cdf,
    normal_pdf,
    zeta,
)
from slrsym.kernels import _numba_owens
from tests._profile import THOROUGH, more, one_in, thorough, thorough_only

h, a, t, s, x = symbols("h a t s x", real=True)
p = Symbol("p", positive=True)
n = Symbol("n", negative=True)
w = Symbol("w")

ONE_ARGUMENT = [erf_prime, erf_second, normal_pdf, normal_cdf]
APPLIED = [f(x) for f in ONE_ARGUMENT] + [OwensT(h, a), zeta(t, s)]


# -- definitions, by quadrature --------------------------------------------------------------------


def owens_t_by_quadrature(height: Any, end: Any) -> Any:
    """T(h, a) from its integral; the panels follow the width of the Gaussian factor."""
    height, end = mp.mpf(height), mp.mpf(end)
    width = 1 / max(1, abs(height))
    reach = min(end, mpmath.sqrt(2 * mp.prec) / abs(height))
    panels = [mp.zero]
    while panels[-1] < reach:
        panels.append(min(reach, 2 * panels[-1] + width))
    integral = mpmath.quad(lambda u: mpmath.exp(-((height * u) ** 2) / 2) / (1 + u * u), panels)
    return mpmath.exp(-(height**2) / 2) * integral / (2 * mp.pi)


def zeta_by_quadrature(mean: Any, scale: Any) -> Any:
    """E erf(t + s G)^2 from its definition."""
    reach = int(mpmath.sqrt(2 * mp.prec)) + 1
    return mpmath.quad(
        lambda g: mpmath.erf(mean + scale * g) ** 2 * mpmath.npdf(g), range(-reach, reach + 1)
    )


def owens_t_enclosed(height: float, end: float, prec: int = 133) -> float:
    """T(h, a) of two doubles by rigorous integration in ball arithmetic, to 40 digits."""
    before = flint.ctx.prec
    try:
        flint.ctx.prec = prec + 40
        ball = flint.arb(height)

        def integrand(z: Any, analytic: bool) -> Any:
            return (-(ball**2) * z * z / 2).exp() / (1 + z * z)

        panels, upper = [0.0], min(end, 1.0, 1.0 / max(height, 1e-300))
        while panels[-1] < end and panels[-1] * height < 16.0:
            panels.append(upper)
            upper = min(2.0 * upper, end)
        total = sum(
            (
                flint.acb.integral(integrand, flint.acb(lo), flint.acb(hi)).real
                for lo, hi in pairwise(panels)
            ),
            start=flint.arb(0),
        )
        value = (-(ball**2) / 2).exp() * total / (2 * flint.arb.pi())
        assert value.rel_accuracy_bits() > 100
        return float(value.mid())
    finally:
        flint.ctx.prec = before


def relative_error(value: Any, reference: Any) -> Any:
    return abs(mp.mpf(value) / reference - 1)


# -- automatic evaluation --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (erf_prime(0), 2 / sqrt(pi)),
        (erf_prime(oo), 0),
        (erf_prime(-oo), 0),
        (erf_second(0), 0),
        (erf_second(oo), 0),
        (erf_second(-oo), 0),
        (normal_pdf(0), 1 / sqrt(2 * pi)),
        (normal_pdf(-oo), 0),
        (normal_cdf(0), Rational(1, 2)),
        (normal_cdf(oo), 1),
        (normal_cdf(-oo), 0),
        (OwensT(0, a), atan(a) / (2 * pi)),
        (OwensT(0, 1), Rational(1, 8)),
        (OwensT(h, 0), 0),
        (OwensT(oo, a), 0),
        (OwensT(-oo, a), 0),
        (OwensT(h, oo), erfc(Abs(h) / sqrt(2)) / 4),
        (OwensT(h, -oo), -erfc(Abs(h) / sqrt(2)) / 4),
        (OwensT(0, oo), Rational(1, 4)),
        (zeta(0, s), 2 / pi * asin(2 * s**2 / (1 + 2 * s**2))),
        (zeta(t, 0), erf(t) ** 2),
        (zeta(0, 0), 0),
        (zeta(oo, s), 1),
        (zeta(-oo, s), 1),
        (zeta(t, oo), 1),
        (zeta(t, -oo), 1),
    ],
)
def test_special_values(value, expected):
    assert value == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (erf_prime(-x), erf_prime(x)),
        (erf_second(-x), -erf_second(x)),
        (normal_pdf(-x), normal_pdf(x)),
        (OwensT(-h, a), OwensT(h, a)),
        (OwensT(h, -a), -OwensT(h, a)),
        (OwensT(-h, -a), -OwensT(h, a)),
        (zeta(-t, s), zeta(t, s)),
        (zeta(t, -s), zeta(t, s)),
        (zeta(-t, -s), zeta(t, s)),
    ],
)
def test_parity(value, expected):
    assert value == expected


def test_what_is_not_safe_stays():
    assert isinstance(OwensT(h, 1), OwensT)
    assert isinstance(OwensT(w, oo), OwensT)
    assert normal_cdf(-x).args == (-x,)
    assert OwensT(I, 2).evalf() == OwensT(I, 2)
    assert zeta(1, w).evalf() == zeta(1, w)


@pytest.mark.parametrize("function", ONE_ARGUMENT)
def test_nan(function):
    assert function(nan) is S.NaN
    for both in (OwensT, zeta):
        assert both(nan, 1) is S.NaN
        assert both(1, nan) is S.NaN


def test_not_riemanns_zeta():
    assert zeta(t, s) != sympy.zeta(t, s)
    assert zeta(t, s) - sympy.zeta(t, s) != 0


# -- derivatives -----------------------------------------------------------------------------------


def test_derivatives_by_each_other():
    assert erf_prime(x).diff(x) == erf_second(x)
    assert erf_second(x).diff(x) == (4 * x**2 - 2) * erf_prime(x)
    assert normal_cdf(x).diff(x) == normal_pdf(x)
    assert normal_pdf(x).diff(x) == -x * normal_pdf(x)


@pytest.mark.parametrize("orders", [(1, 0), (0, 1), (1, 1), (2, 0), (0, 2), (2, 1)])
@pytest.mark.parametrize(
    ("function", "numeric"), [(OwensT, in_mpmath.owens_t), (zeta, in_mpmath.gaussian_zeta)]
)
@pytest.mark.parametrize("point", one_in(3, [["0.7", "1.3"], ["-1.1", "0.4"], ["0.2", "-2.5"]]))
def test_derivatives_of_two_arguments(function, numeric, orders, point):
    first, second = (Rational(c) for c in point)
    derivative = function(t, s)
    for variable, order in zip((t, s), orders, strict=True):
        derivative = derivative.diff(variable, order)
    with mp.workdps(60):
        found = mp.mpf(derivative.subs({t: first, s: second}).evalf(40)._mpf_)
        difference = mpmath.diff(numeric, (mp.mpf(point[0]), mp.mpf(point[1])), orders)
        assert relative_error(found, difference) < mp.mpf(10) ** -30


@pytest.mark.parametrize("function", ONE_ARGUMENT)
@pytest.mark.parametrize("order", [1, 2, 3, 6])
def test_derivatives_of_one_argument(function, order):
    numeric = getattr(in_mpmath, function.__name__)
    with mp.workdps(60):
        found = mp.mpf(function(x).diff(x, order).subs(x, Rational("0.7")).evalf(40)._mpf_)
        difference = mpmath.diff(numeric, mp.mpf("0.7"), order)
        assert relative_error(found, difference) < mp.mpf(10) ** -30


@pytest.mark.parametrize("applied", APPLIED)
def test_no_further_argument(applied):
    with pytest.raises(ArgumentIndexError):
        applied.fdiff(len(applied.args) + 1)


# -- series and limits -----------------------------------------------------------------------------


def test_series_of_owens_t():
    in_h = OwensT(h, a).series(h, 0, 5)
    expected = atan(a) - a * h**2 / 2 + (a + a**3 / 3) * h**4 / 8
    assert sympy.expand(2 * pi * in_h.removeO() - expected) == 0
    assert in_h.getO() == O(h**5)
    in_a = OwensT(h, a).series(a, 0, 5)
    expected = exp(-(h**2) / 2) * (a - (h**2 / 2 + 1) * a**3 / 3)
    assert sympy.expand(2 * pi * in_a.removeO() - expected) == 0


@thorough_only
def test_series_of_zeta():
    in_s = zeta(t, s).series(s, 0, 4)
    expected = erf(t) ** 2 + s**2 * (erf_prime(t) ** 2 + erf(t) * erf_second(t))
    assert sympy.expand(in_s.removeO() - expected) == 0
    in_t = zeta(t, s).series(t, 0, 4)
    curvature = 4 / (pi * (1 + 2 * s**2) * sqrt(1 + 4 * s**2))
    assert sympy.simplify(in_t.removeO() - zeta(0, s) - curvature * t**2) == 0
    along = zeta(t, t).series(t, 0, 5)
    assert along == 8 * t**2 / pi - 80 * t**4 / (3 * pi) + O(t**5)


@pytest.mark.parametrize("function", ONE_ARGUMENT)
@pytest.mark.parametrize("argument", [thorough(x), 2 * x, thorough(sympy.sin(x)), thorough(x + 1)])
def test_series_of_one_argument(function, argument):
    target = erf if function is normal_cdf else exp
    difference = function(argument).series(x, 0, 6) - function(argument).rewrite(target).series(
        x, 0, 6
    )
    assert difference.removeO().rewrite(target).rewrite(exp).expand() == 0
    assert difference.getO() == O(x**6)


@pytest.mark.parametrize(
    ("expression", "variable", "at", "expected"),
    [
        (x * erf_prime(x), x, oo, 0),
        (exp(x) * erf_second(-x), x, oo, 0),
        (exp(x) * normal_pdf(x), x, oo, 0),
        (normal_cdf(x), x, -oo, 0),
        (x * normal_cdf(x) / normal_pdf(x), x, -oo, -1),
        (erf_second(x) / x, x, 0, -4 / sqrt(pi)),
        (erf_prime(x), x, 0, 2 / sqrt(pi)),
        (OwensT(h, a) / a, a, 0, exp(-(h**2) / 2) / (2 * pi)),
        (OwensT(1, a), a, oo, erfc(1 / sqrt(2)) / 4),
        (zeta(t, 2 * t) / t**2, t, 0, 20 / pi),
        (zeta(1, s), s, oo, 1),
    ],
)
def test_limits(expression, variable, at, expected):
    assert limit(expression, variable, at) == expected


# -- rewriting -------------------------------------------------------------------------------------


def test_rewriting():
    assert erf_prime(x).rewrite(exp) == 2 * exp(-(x**2)) / sqrt(pi)
    assert erf_second(x).rewrite(exp) == -4 * x * exp(-(x**2)) / sqrt(pi)
    assert erf_second(x).rewrite(erf_prime) == -2 * x * erf_prime(x)
    assert normal_pdf(x).rewrite(exp) == exp(-(x**2) / 2) / sqrt(2 * pi)
    assert normal_pdf(x).rewrite(erf_prime).rewrite(exp) == normal_pdf(x).rewrite(exp)
    assert normal_cdf(x).rewrite(erf) == (1 + erf(x / sqrt(2))) / 2
    assert normal_cdf(x).rewrite(erfc) == erfc(-x / sqrt(2)) / 2
    expected = 1 - 8 * OwensT(sqrt(2) * t / sqrt(1 + 2 * s**2), 1 / sqrt(1 + 4 * s**2))
    assert zeta(t, s).rewrite(OwensT) == expected


@pytest.mark.parametrize(
    ("applied", "target"),
    [
        (OwensT(Rational(3, 4), 2), Integral),
        thorough(zeta(Rational(1, 3), Rational(5, 4)), Integral),
        (zeta(Rational(1, 3), Rational(5, 4)), OwensT),
        (normal_cdf(-1), Integral),
        (normal_cdf(-1), erf),
        (normal_cdf(-1), erfc),
    ],
)
def test_rewriting_keeps_the_value(applied, target):
    rewritten = applied.rewrite(target)
    assert rewritten.has(target)
    assert abs(rewritten.evalf(20) - applied.evalf(20)) < 1e-18


def test_the_bound_variable_is_not_captured():
    integral = OwensT(x, a).rewrite(Integral)
    assert integral.free_symbols == {x, a}
    assert abs(integral.subs({x: 1, a: 2}).evalf() - OwensT(1, 2).evalf()) < 1e-14


# -- assumptions -----------------------------------------------------------------------------------


@pytest.mark.parametrize("applied", APPLIED)
def test_real_for_real_arguments(applied):
    assert applied.is_real is True
    assert applied.xreplace(dict.fromkeys(applied.free_symbols, w)).is_real is None


@pytest.mark.parametrize(
    ("applied", "fact", "verdict"),
    [
        (erf_prime(x), "positive", True),
        (erf_prime(w), "positive", None),
        (erf_prime(I), "zero", False),
        (normal_pdf(x), "positive", True),
        (normal_cdf(x), "positive", True),
        (normal_cdf(w), "positive", None),
        (erf_second(p), "negative", True),
        (erf_second(n), "positive", True),
        (erf_second(x), "nonnegative", None),
        (OwensT(h, p), "positive", True),
        (OwensT(h, n), "negative", True),
        (OwensT(h, a), "nonnegative", None),
        (OwensT(h, Symbol("b", nonnegative=True)), "nonnegative", True),
        (OwensT(h, Symbol("b", nonpositive=True)), "nonpositive", True),
        (OwensT(w, p), "positive", None),
        (zeta(t, s), "nonnegative", True),
        (zeta(t, s), "zero", None),
        (zeta(t, p), "positive", True),
        (zeta(n, s), "positive", True),
        (zeta(w, s), "nonnegative", None),
        (zeta(t, s).diff(t), "real", True),
    ],
)
def test_assumptions(applied, fact, verdict):
    assert getattr(applied, f"is_{fact}") is verdict


def test_vanishing_at_infinity():
    infinite = Symbol("y", extended_real=True, infinite=True)
    for function in (erf_prime, erf_second, normal_pdf):
        assert function(infinite).is_zero is True
    extended = Symbol("y", extended_real=True)
    assert erf_prime(extended).is_positive is None
    assert erf_prime(extended).is_nonnegative is True


def test_conjugate():
    assert conjugate(erf_prime(w)) == erf_prime(conjugate(w))
    assert conjugate(OwensT(h, a)) == OwensT(h, a)


# -- evaluation to any precision -------------------------------------------------------------------

OWENS_POINTS = [
    ("1/3", "1/2"),
    ("-2", "1"),
    ("1", "-3"),
    ("9", "99/100"),
    ("9", "101/100"),
    ("30", "1"),
    ("30", "2"),
    ("30", "1/10"),
    ("1/7", "40"),
    ("1e-12", "1"),
    ("1e-12", "1e6"),
    ("2", "1e6"),
    ("2", "1e-15"),
    ("1000", "2/3"),
]


@pytest.mark.parametrize(("height", "end"), OWENS_POINTS)
@pytest.mark.parametrize("digits", [15, 50])
def test_owens_t_to_any_precision(height, end, digits):
    value = OwensT(Rational(height), Rational(end)).evalf(digits)
    with mp.workdps(digits + 15):
        exact = [mp.mpf(c.p) / c.q for c in (Rational(height), Rational(end))]
        reference = owens_t_by_quadrature(exact[0], abs(exact[1])) * mpmath.sign(exact[1])
        assert relative_error(mp.mpf(value._mpf_), reference) < mp.mpf(10) ** (1 - digits)


@pytest.mark.parametrize(
    ("height", "end"), one_in(3, [("1/3", "1/2"), ("9", "99/100"), ("2", "5")])
)
def test_owens_t_to_200_digits(height, end):
    value = OwensT(Rational(height), Rational(end)).evalf(200)
    with mp.workdps(220):
        exact = [mp.mpf(c.p) / c.q for c in (Rational(height), Rational(end))]
        assert (
            relative_error(mp.mpf(value._mpf_), owens_t_by_quadrature(*exact)) < mp.mpf(10) ** -199
        )


@thorough_only
def test_owens_t_agrees_across_precisions():
    """The choice of algorithm depends on the precision: two precisions must agree."""
    rng = np.random.default_rng(20)
    for _ in range(150):
        height = float(
            rng.choice([rng.uniform(0, 40), rng.uniform(0, 8), 10 ** rng.uniform(-9, 0)])
        )
        end = float(rng.choice([10 ** rng.uniform(-12, 6), rng.uniform(0.5, 1.6)]))
        with mp.workprec(53):
            low = in_mpmath.owens_t(height, end)
        with mp.workprec(400):
            assert relative_error(low, in_mpmath.owens_t(height, end)) < 2.0**-52


def test_owens_t_far_out():
    """Rounding h^2/2 to the working precision would cost 46 bits here."""
    with mp.workprec(53):
        low = in_mpmath.owens_t(12345678.9, 0.3)
    with mp.workprec(300):
        square = mp.mpf(12345678.9) ** 2 / 2
        leading = mpmath.exp(-square) * mpmath.sqrt(mp.pi / square) / (4 * mp.pi)
        assert relative_error(low, leading * (1 - 1 / (2 * square))) < 2.0**-52


@thorough_only
@pytest.mark.parametrize(
    ("mean", "scale", "digits"),
    [
        ("1/3", "1/2", 15),
        thorough("1/3", "1/2", 50),
        ("0", "3", 15),
        thorough("1", "1", 15),
        thorough("2", "1/5", 15),
        thorough("1/5", "2", 50),
        ("-1", "-4", 15),
    ],
)
def test_zeta_to_any_precision(mean, scale, digits):
    value = zeta(Rational(mean), Rational(scale)).evalf(digits)
    with mp.workdps(digits + 15):
        exact = [mp.mpf(c.p) / c.q for c in (Rational(mean), Rational(scale))]
        assert relative_error(mp.mpf(value._mpf_), zeta_by_quadrature(*exact)) < mp.mpf(10) ** (
            1 - digits
        )


@pytest.mark.parametrize("scale", ["1e-20", "1e-3", "1", "1001/1000", "1e8"])
@pytest.mark.parametrize("digits", [15, 50, 200])
def test_zeta_on_the_axis(scale, digits):
    """Against the arcsine, evaluated with digits to spare."""
    with mp.workdps(digits + 60):
        square = 2 * mpmath.mpf(Rational(scale).p) ** 2 / Rational(scale).q ** 2
        reference = 2 / mp.pi * mpmath.asin(square / (1 + square))
    with mp.workdps(digits):
        for tiny in (0, mp.mpf(10) ** -400):
            value = in_mpmath.gaussian_zeta(tiny, mp.mpf(Rational(scale).p) / Rational(scale).q)
            assert relative_error(value, reference) < mp.mpf(10) ** (2 - digits)


def test_zeta_of_tiny_arguments():
    value = zeta(Rational("1e-22"), Rational("1e-20")).evalf(30)
    leading = (4 / pi * (Rational("1e-44") + Rational("1e-40"))).evalf(30)
    assert abs(value / leading - 1) < 1e-28


def test_evalf_of_the_elementary_functions():
    assert str(erf_prime(10**6 * pi).evalf(30)) == str(
        (2 / sqrt(pi) * exp(-((10**6 * pi) ** 2))).evalf(30)
    )
    assert abs(
        erf_second(Rational(1, 3)).evalf(60) - erf_second(Rational(1, 3)).rewrite(exp).evalf(60)
    ) < Float("1e-59", 60)
    assert abs(normal_cdf(-40).evalf(30) / (erfc(40 / sqrt(2)) / 2).evalf(30) - 1) < 1e-28
    assert (
        abs(
            normal_pdf(Rational(-7, 2)).evalf(30)
            - normal_pdf(Rational(7, 2)).rewrite(exp).evalf(30)
        )
        < 1e-29
    )
    assert abs(erf_prime(1 + I).evalf(30) - erf_prime(1 + I).rewrite(exp).evalf(30)) < 1e-28
    assert abs(normal_cdf(oo) - normal_cdf(Float(40))) < 1e-15


def test_floats_evaluate_and_the_rest_waits():
    assert OwensT(Float("0.5"), Float("0.25")).is_Float
    assert OwensT(Float("0.5"), a).args == (Float("0.5"), a)
    assert abs(OwensT(h, a).evalf(30, subs={h: 1, a: 2}) - OwensT(1, 2).evalf(30)) < 1e-28
    assert OwensT(h, a).evalf() == OwensT(h, a)


def test_multiprecision_at_the_edges():
    assert in_mpmath.owens_t(mp.inf, 2) == 0
    assert in_mpmath.owens_t(2, 0) == 0
    assert in_mpmath.owens_t(0, mp.inf) == mp.mpf(1) / 4
    assert mpmath.almosteq(in_mpmath.owens_t(1, -mp.inf), -mpmath.erfc(mpmath.sqrt(0.5)) / 4)
    assert in_mpmath.gaussian_zeta(mp.inf, 1) == 1
    assert in_mpmath.gaussian_zeta(1, -mp.inf) == 1
    assert in_mpmath.gaussian_zeta(0, 0) == 0
    assert in_mpmath.erf_second(mp.inf) == 0
    for value in (
        in_mpmath.owens_t(mp.nan, 1),
        in_mpmath.gaussian_zeta(1, mp.nan),
        in_mpmath.erf_second(mp.nan),
    ):
        assert mpmath.isnan(value)
    assert in_mpmath.owens_t(mp.mpc(1, 0), 2) == in_mpmath.owens_t(1, 2)


@pytest.mark.parametrize(
    ("function", "message"),
    [(in_mpmath.owens_t, "h must be real"), (in_mpmath.gaussian_zeta, "t must be real")],
)
def test_multiprecision_refuses_complex_arguments(function, message):
    with pytest.raises(ValueError, match=message):
        function(mp.mpc(1, 1), 1)


# -- double precision ------------------------------------------------------------------------------


def owens_arguments(count: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    heights = rng.uniform(0, 38, count)
    small = rng.random(count) < 0.5
    heights[small] = 10 ** rng.uniform(-12, 1, small.sum())
    ends = 10 ** rng.uniform(-12, 12, count)
    moderate = rng.random(count) < 0.5
    ends[moderate] = rng.uniform(0, 3, moderate.sum())
    return np.column_stack([heights, ends])


def test_quadrature_rule():
    order = 2 * len(_numba_owens.NODES)
    with mp.workdps(40):
        for node, weight in zip(_numba_owens.NODES, _numba_owens.WEIGHTS, strict=True):
            root = mpmath.findroot(lambda z: mpmath.legendre(order, z), node)
            slope = -order * mpmath.legendre(order - 1, root) / (root**2 - 1)
            assert float(root) == node
            assert float(2 / ((1 - root**2) * slope**2)) == weight


@thorough_only
@more
def test_scalar_owens_t_to_the_last_digits():
    for height, end in owens_arguments(1000 if THOROUGH else 300, seed=1).tolist():
        reference = owens_t_enclosed(height, end)
        error = abs(_numba_owens.owens_t(height, end) - reference)
        assert error <= 5 * np.spacing(reference), (height, end)


def test_scalar_owens_t_agrees_with_scipy():
    points = owens_arguments(3000, seed=2)
    ours = np.array([_numba_owens.owens_t(*point) for point in points.tolist()])
    np.testing.assert_allclose(ours, scipy.special.owens_t(*points.T), rtol=1e-13, atol=2e-16)


def test_scalar_owens_t_at_the_edges():
    owens_t = _numba_owens.owens_t
    assert owens_t(0.0, math.inf) == 0.25
    assert owens_t(math.inf, 0.5) == owens_t(math.inf, 2.0) == owens_t(math.inf, math.inf) == 0.0
    assert owens_t(1.0, 0.0) == 0.0
    assert owens_t(-1.0, -2.0) == -owens_t(1.0, 2.0)
    assert owens_t(1.0, math.inf) == pytest.approx(math.erfc(math.sqrt(0.5)) / 4, rel=1e-15)
    assert owens_t(2.0, 1e300) == owens_t(2.0, math.inf)
    assert math.isnan(owens_t(math.nan, 1.0))
    assert math.isnan(owens_t(1.0, math.nan))


def test_scalar_zeta_to_the_last_digits():
    rng = np.random.default_rng(3)
    for _ in range(400):
        mean = float(rng.choice([rng.normal(), 10 ** rng.uniform(-20, 2), 0.0]))
        scale = float(rng.choice([rng.normal(), 10 ** rng.uniform(-20, 8), 0.0]))
        with mp.workprec(130):
            reference = float(in_mpmath.gaussian_zeta(mean, scale))
        error = abs(_numba_owens.gaussian_zeta(mean, scale) - reference)
        assert error <= 8 * np.spacing(reference), (mean, scale)
    assert _numba_owens.gaussian_zeta(math.inf, 1.0) == 1.0
    assert _numba_owens.gaussian_zeta(1.0, -math.inf) == 1.0
    assert math.isnan(_numba_owens.gaussian_zeta(1.0, math.nan))


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


@thorough_only
def test_numba_owens_t_is_the_scalar_one():
    pytest.importorskip("numba", reason="Numba is an optional extra")
    functions = _numba_owens.compile_owens()
    for height, end in owens_arguments(2000, seed=5).tolist():
        expected = _numba_owens.owens_t(height, end)
        assert abs(functions["owens_t"](height, end) - expected) <= 2 * np.spacing(expected)
        expected = _numba_owens.gaussian_zeta(height / 10, end)
        found = functions["gaussian_zeta"](height / 10, end)
        assert abs(found - expected) <= 4 * np.spacing(expected)


# -- expressions as objects ------------------------------------------------------------------------


@pytest.mark.parametrize("applied", APPLIED)
def test_pickle_rebuild_hash(applied):
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        copy = pickle.loads(pickle.dumps(applied, protocol))
        assert copy == applied
        assert type(copy) is type(applied)
        assert hash(copy) == hash(applied)
    assert applied.func(*applied.args) == applied
    assert pickle.loads(pickle.dumps(applied.func)) is applied.func


@pytest.mark.parametrize("applied", APPLIED)
def test_wrong_number_of_arguments(applied):
    with pytest.raises(TypeError):
        applied.func(*applied.args, 1)
