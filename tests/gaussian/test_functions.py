"""The special functions: derivatives, series, limits, rewriting, and assumptions."""

import pickle

import mpmath
import pytest
import sympy
from mpmath import mp
from sympy import (
    Abs,
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
    limit,
    nan,
    oo,
    pi,
    sqrt,
    symbols,
)
from sympy.core.function import ArgumentIndexError

from slrsym.gaussian import mpmath_special_functions as in_mpmath
from slrsym.gaussian.special_functions import (
    OwensT,
    erf_prime,
    erf_second,
    normal_cdf,
    normal_pdf,
    zeta,
)
from tests._profile import one_in, thorough, thorough_only
from tests.gaussian.values_by_quadrature import relative_error

h, a, t, s, x = symbols("h a t s x", real=True)
p = Symbol("p", positive=True)
n = Symbol("n", negative=True)
w = Symbol("w")

ONE_ARGUMENT = [erf_prime, erf_second, normal_pdf, normal_cdf]
APPLIED = [f(x) for f in ONE_ARGUMENT] + [OwensT(h, a), zeta(t, s)]


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
