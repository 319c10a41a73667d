"""Moments of lengths with the Gamma function, against integrals of the definition."""

from typing import Any

import pytest
from mpmath import mp
from sympy import (
    Abs,
    EulerGamma,
    Integer,
    Rational,
    Symbol,
    exp,
    eye,
    gamma,
    hyperexpand,
    log,
    pi,
    simplify,
    sqrt,
    symbols,
)
from sympy.core.expr import Expr

from slrsym.gaussian import (
    Expectation,
    GaussianLaw,
    IntegrabilityError,
    expectation,
    standard_normal,
)
from slrsym.gaussian.closed_form import closed_form_for_proofs

x, y, z, m, b = symbols("x y z m b", real=True)
s = Symbol("s", positive=True)
a = Symbol("a", nonnegative=True)
HALF = Rational(1, 2)
PAIR = GaussianLaw({x: 0, y: 0}, [[1, HALF], [HALF, 1]])


def density(u: Any, mean: Any, deviation: Any) -> Any:
    """The normal density, by mpmath."""
    return mp.exp(-((u - mean) ** 2) / (2 * deviation**2)) / (deviation * mp.sqrt(2 * mp.pi))


def integral(f: Any, mean: Any = 0, deviation: Any = 1) -> Any:
    """The mean of f(x) for a function with a kink or a pole at 0, to 25 digits."""
    ends = [mean - 16 * deviation, 0, mean, mean + 16 * deviation]
    return mp.quad(lambda u: f(u) * density(u, mean, deviation), sorted({*map(mp.mpf, ends)}))


def value(expr: Expr) -> Any:
    """A closed form without parameters, as a number."""
    assert not expr.has(Expectation)
    return expr.evalf(25)._to_mpmath(100)


@pytest.fixture(autouse=True)
def digits() -> Any:
    with mp.workdps(30):
        yield


def test_known_moments():
    assert expectation(sqrt(x**2 + y**2), standard_normal(x, y)) == sqrt(pi / 2)
    mean = expectation(log(Abs(x)), standard_normal(x))
    assert mean.equals(-(EulerGamma + log(2)) / 2)
    found = expectation(Abs(x) ** a, GaussianLaw({x: 0}, [[s**2]]))
    assert simplify(found - (2 * s**2) ** (a / 2) * gamma((a + 1) / 2) / sqrt(pi)) == 0
    assert expectation(1 / (x**2 + y**2 + z**2), standard_normal(x, y, z)) == 1


@pytest.mark.parametrize("mean", [Integer(0), Rational(3, 4), Integer(-2)])
@pytest.mark.parametrize("power", [Rational(1, 3), Rational(-1, 2), Rational(5, 2), pi])
def test_powers_of_absolute_values(power, mean):
    found = expectation(Abs(x) ** power, GaussianLaw({x: mean}, [[Rational(9, 4)]]))
    # The substitution u = v^5 takes away the pole of the weakest root.
    p, centre = power._to_mpmath(100), mp.mpf(mean)
    ends = sorted({mp.mpf(0), abs(centre) ** 0.2, mp.mpf(2), mp.mpf(2.5)})

    def both(v: Any) -> Any:
        return 5 * v ** (4 + 5 * p) * (density(v**5, centre, 1.5) + density(-(v**5), centre, 1.5))

    assert abs(value(found) - mp.quad(both, ends)) < 1e-18


@pytest.mark.parametrize("power", [HALF, Rational(-1, 2), Rational(3, 2), Rational(7, 3)])
@pytest.mark.parametrize(("names", "surface"), [((x, y), 2), ((x, y, z), 4)])
def test_powers_of_sums_of_squares(names, surface, power):
    """In polar coordinates; the surface of the unit sphere is 2 pi or 4 pi."""
    k, p = len(names), mp.mpf(power)
    law = GaussianLaw(dict.fromkeys(names, 0), 4 * eye(k))
    found = expectation(sum(v**2 for v in names) ** power, law)
    radial = mp.quad(lambda r: r ** (k - 1 + 2 * p) * mp.exp(-(r**2) / 8), [0, 4, 12, 40])
    expected = surface * mp.pi * radial / (8 * mp.pi) ** (mp.mpf(k) / 2)
    assert abs(value(found) / expected - 1) < 1e-20


def test_a_length_about_another_point():
    """The mean of the length of (x + 2, y): one integral over the angle, one over the radius."""
    law = GaussianLaw({x: 2, y: 0}, [[1, 0], [0, 1]])
    found = expectation(sqrt(x**2 + y**2), law)
    rice = mp.quad(lambda r: r**2 * mp.exp(-(r**2 + 4) / 2) * mp.besseli(0, 2 * r), [0, 2, 6, 20])
    assert abs(value(found) - rice) < 1e-20
    assert expectation(sqrt((x - 2) ** 2 + y**2), law) == sqrt(pi / 2)


@pytest.mark.parametrize(
    ("inside", "number", "root", "deviation"),
    [(3 * Abs(x), "3", 1, HALF), (sqrt(Abs(x)) / 5, "0.2", 2, Integer(2))],
)
def test_logarithms_of_absolute_values(inside, number, root, deviation):
    """With number |x|^(1/root) in the logarithm."""
    found = expectation(log(inside), GaussianLaw({x: 0}, [[deviation**2]]))

    def both(v: Any) -> Any:
        return 10 * v**4 * 5 * mp.log(v) / root * density(v**5, 0, mp.mpf(deviation))

    numeric = mp.log(mp.mpf(number)) + mp.quad(both, [0, 0.5, 1, 1.5, 2, 2.2])
    assert abs(value(found) - numeric) < 1e-15


def test_the_logarithm_of_a_sum_of_squares():
    found = expectation(log(x**2 + y**2), standard_normal(x, y))
    numeric = mp.quad(lambda r: r * mp.exp(-(r**2) / 2) * 2 * mp.log(r), [0, 1, 4, 20])
    assert abs(value(found) - numeric) < 1e-20


def test_the_derivative_in_the_power_is_the_mean_of_the_logarithm():
    power = expectation(Abs(x) ** a, GaussianLaw({x: 0}, [[s**2]]))
    mean = expectation(log(Abs(x)), GaussianLaw({x: 0}, [[s**2]]))
    assert simplify(power.diff(a).subs(a, 0) - mean) == 0


def test_dependent_variables():
    """x^2 - x y + y^2 is 3/4 chi-squared at correlation 1/2; x^2 + y^2 is none."""
    closed = expectation(sqrt(x**2 - x * y + y**2), PAIR)
    assert closed == sqrt(Rational(3, 4)) * sqrt(pi / 2)
    assert expectation(sqrt(x**2 + y**2), PAIR).has(Expectation)
    assert expectation(sqrt(Abs(x - y)), PAIR) == expectation(sqrt(Abs(x)), standard_normal(x))


def test_products():
    one = standard_normal(x, y)
    root = expectation(sqrt(Abs(x)), one)
    assert expectation(sqrt(Abs(x)) * sqrt(Abs(y)), one) == root**2
    assert expectation(sqrt(Abs(x)) * y**4, one) == 3 * root
    assert expectation(x**2 * sqrt(Abs(x)), one) == expectation(Abs(x) ** Rational(5, 2), one)
    # No product of moments where the variables are dependent.
    assert expectation(sqrt(Abs(x)) * sqrt(Abs(y)), PAIR).has(Expectation)
    assert expectation(sqrt(Abs(x)) * exp(x), one).has(Expectation)
    assert expectation(x * sqrt(Abs(x)), one).has(Expectation)


def test_variance_that_may_vanish():
    """|m| of a real m is its deviation; at m = 0 the formula holds for positive powers."""
    law = GaussianLaw({x: 0}, [[m**2]])
    found = expectation(Abs(x) ** HALF, law)
    assert found.subs(m, -4) == expectation(Abs(x) ** HALF, GaussianLaw({x: 0}, [[16]]))
    assert found.subs(m, 0) == 0
    assert expectation(Abs(x) ** -HALF, law).has(Expectation)


def test_a_mean_becomes_a_hypergeometric_function():
    """Which SymPy expands where it is elementary."""
    law = GaussianLaw({x: m}, [[s**2]])
    general = expectation(Abs(x) ** a, law)
    assert simplify(hyperexpand(general.subs(a, 2)) - (m**2 + s**2)) == 0
    numeric = general.subs({a: 1, m: 1, s: 2})
    assert abs(value(numeric) - value(expectation(Abs(x), law).subs({m: 1, s: 2}))) < 1e-20


@pytest.mark.parametrize("integrand", [1 / Abs(x), 1 / (x**2 + y**2), Abs(x) ** Rational(-3, 2)])
def test_poles_are_refused(integrand):
    with pytest.raises(IntegrabilityError, match="has a pole"):
        expectation(integrand, standard_normal(x, y))


def test_undecided_powers_are_refused():
    with pytest.raises(IntegrabilityError, match=r"b/2 \+ 1/2 > 0, which the assumptions on b"):
        expectation(Abs(x) ** b, standard_normal(x))


def test_a_random_exponent_or_a_mean_of_a_logarithm_stays():
    assert expectation(Abs(x) ** Abs(y), standard_normal(x, y)).has(Expectation)
    assert expectation(log(Abs(x - 2)), standard_normal(x)).has(Expectation)
    assert expectation(log(m * Abs(x)), standard_normal(x)).has(Expectation)


def test_the_trace_names_the_step():
    found, trace = expectation(sqrt(Abs(x)) * sqrt(Abs(y)), standard_normal(x, y), trace=True)
    rules = [step.rule for step in trace]
    assert rules == ["independence", "moment of a length", "moment of a length"]
    assert trace.steps[-1].rhs ** 2 == found


def test_kernels_and_proofs_get_no_gamma_function():
    assert closed_form_for_proofs(sqrt(Abs(x)), standard_normal(x)).has(Expectation)
