r"""Integrals that others have tabulated, over the whole line and against a Gaussian weight.

An entry has the integrand and the tabulated right-hand side, as text. The text is read twice: by
SymPy with this package's functions, for the closed form that `expectation` finds in symbols; and by
mpmath alone, which integrates the left-hand side numerically and evaluates the right-hand side,
with Owen's T from its defining integral. The parameters are random rationals.

Sources: D. B. Owen, A table of normal integrals, Comm. Statist. B 9 (1980); E. W. Ng and M. Geller,
A table of integrals of the error functions, J. Res. NBS B 73 (1969); A. P. Prudnikov, Yu. A.
Brychkov, O. I. Marichev, Integrals and series, vol. 1-2; I. S. Gradshteyn, I. M. Ryzhik, Table of
integrals, series, and products; D. B. Owen, Ann. Math. Statist. 27 (1956). Some entries are special
cases of a line of these tables, or its derivative in a parameter. The weight is the normal density
in the entries from Owen's table of 1980, and exp(-p x^2) in the others.
"""

import zlib
from fractions import Fraction
from random import Random
from typing import Any, NamedTuple

import mpmath
import pytest
import sympy
from mpmath import mp
from sympy import Rational, Symbol

from slrsym.gaussian import Expectation, GaussianLaw, OwensT, expectation, normal_cdf, normal_pdf
from tests._profile import THOROUGH, more, one_in

DIGITS = 30


class Entry(NamedTuple):
    """One line of a table; `weight` is "normal", or "p" for exp(-p x^2)."""

    table: str
    integrand: str
    value: str
    weight: str = "normal"


OWEN = [
    # Moments and products of densities.
    ("x**2", "1"),
    ("x**4", "3"),
    ("x**6", "15"),
    ("(a + b*x)**3", "a**3 + 3*a*b**2"),
    ("phi(a + b*x)", "phi(a/sqrt(1 + b**2))/sqrt(1 + b**2)"),
    ("x*phi(a + b*x)", "-a*b*phi(a/sqrt(1 + b**2))/(1 + b**2)**1.5"),
    ("x**2*phi(a + b*x)", "(1 + b**2 + a**2*b**2)*phi(a/sqrt(1 + b**2))/(1 + b**2)**2.5"),
    ("phi(x)**3", "1/((2*pi)**1.5*2)"),
    ("phi(a + b*x)**2", "exp(-a**2/(1 + 2*b**2))/(2*pi*sqrt(1 + 2*b**2))"),
    # One distribution function.
    ("Phi(x)", "1/2"),
    ("Phi(b*x)", "1/2"),
    ("Phi(a + b*x)", "Phi(a/sqrt(1 + b**2))"),
    ("x*Phi(b*x)", "b/sqrt(2*pi*(1 + b**2))"),
    ("x*Phi(a + b*x)", "b/sqrt(1 + b**2)*phi(a/sqrt(1 + b**2))"),
    ("x**2*Phi(a + b*x)", "Phi(a/sqrt(1 + b**2)) - a*b**2/(1 + b**2)**1.5*phi(a/sqrt(1 + b**2))"),
    (
        "x**3*Phi(a + b*x)",
        "b/sqrt(1 + b**2)*phi(a/sqrt(1 + b**2))*(3 - b**2/(1 + b**2) + a**2*b**2/(1 + b**2)**2)",
    ),
    ("x**3*Phi(b*x)", "b*(3 + 2*b**2)/(sqrt(2*pi)*(1 + b**2)**1.5)"),
    ("exp(c*x)*Phi(a + b*x)", "exp(c**2/2)*Phi((a + b*c)/sqrt(1 + b**2))"),
    (
        "x*exp(c*x)*Phi(a + b*x)",
        "exp(c**2/2)*(c*Phi((a + b*c)/sqrt(1 + b**2))"
        " + b/sqrt(1 + b**2)*phi((a + b*c)/sqrt(1 + b**2)))",
    ),
    ("exp(-c*x**2/2)*Phi(a + b*x)", "Phi(a/sqrt(1 + b**2/(1 + c)))/sqrt(1 + c)"),
    # A density and a distribution function.
    (
        "phi(c + d*x)*Phi(a + b*x)",
        "phi(c/sqrt(1 + d**2))/sqrt(1 + d**2)"
        "*Phi((a*(1 + d**2) - b*c*d)/sqrt((1 + d**2)*(1 + b**2 + d**2)))",
    ),
    ("phi(b*x)*Phi(c*x)", "1/(2*sqrt(2*pi)*sqrt(1 + b**2))"),
    ("x*phi(b*x)*Phi(c*x)", "c/(2*pi*(1 + b**2)*sqrt(1 + b**2 + c**2))"),
    # Two distribution functions.
    ("Phi(x)**2", "pi/(3*pi)"),
    ("Phi(b*x)**2", "1/2 - atan(1/sqrt(1 + 2*b**2))/pi"),
    ("Phi(b*x)**2", "atan(sqrt(1 + 2*b**2))/pi"),
    ("Phi(a + b*x)**2", "Phi(a/sqrt(1 + b**2)) - 2*T(a/sqrt(1 + b**2), 1/sqrt(1 + 2*b**2))"),
    (
        "Phi(a + b*x)*Phi(a - b*x)",
        "Phi(a/sqrt(1 + b**2)) - 2*T(a/sqrt(1 + b**2), sqrt(1 + 2*b**2))",
    ),
    ("Phi(b*x)*Phi(c*x)", "1/4 + asin(b*c/sqrt((1 + b**2)*(1 + c**2)))/(2*pi)"),
    (
        "Phi(a + b*x)*Phi(c*x)",
        "Phi(a/sqrt(1 + b**2))/2 + T(a/sqrt(1 + b**2), b*c/sqrt(1 + b**2 + c**2))",
    ),
    (
        "Phi(a + b*x)*Phi(c + d*x)",
        "bivariate(a/sqrt(1 + b**2), c/sqrt(1 + d**2), b*d/sqrt((1 + b**2)*(1 + d**2)))",
    ),
    ("x*Phi(b*x)**2", "b/sqrt(2*pi*(1 + b**2))"),
    (
        "x*Phi(a + b*x)**2",
        "2*b/sqrt(1 + b**2)*phi(a/sqrt(1 + b**2))*Phi(a/sqrt((1 + b**2)*(1 + 2*b**2)))",
    ),
    ("x**2*Phi(b*x)**2", "atan(sqrt(1 + 2*b**2))/pi + b**2/(pi*(1 + b**2)*sqrt(1 + 2*b**2))"),
    ("x*Phi(b*x)*Phi(c*x)", "(b/sqrt(1 + b**2) + c/sqrt(1 + c**2))/(2*sqrt(2*pi))"),
]

# Weight exp(-p x^2), p > 0.
OTHERS = [
    ("Gradshteyn-Ryzhik", "1", "sqrt(pi/p)"),
    ("Gradshteyn-Ryzhik", "x**2", "sqrt(pi/p)/(2*p)"),
    ("Gradshteyn-Ryzhik", "x**4", "3*sqrt(pi/p)/(4*p**2)"),
    ("Gradshteyn-Ryzhik", "exp(2*a*x)", "sqrt(pi/p)*exp(a**2/p)"),
    ("Gradshteyn-Ryzhik", "x*exp(2*a*x)", "a/p*sqrt(pi/p)*exp(a**2/p)"),
    ("Gradshteyn-Ryzhik", "x**2*exp(2*a*x)", "(1 + 2*a**2/p)*sqrt(pi/p)*exp(a**2/p)/(2*p)"),
    ("Gradshteyn-Ryzhik", "cos(a*x)", "sqrt(pi/p)*exp(-a**2/(4*p))"),
    ("Gradshteyn-Ryzhik", "x*sin(a*x)", "a/(2*p)*sqrt(pi/p)*exp(-a**2/(4*p))"),
    (
        "Gradshteyn-Ryzhik",
        "x**2*cos(a*x)",
        "sqrt(pi/p)*(2*p - a**2)/(4*p**2)*exp(-a**2/(4*p))",
    ),
    (
        "Gradshteyn-Ryzhik",
        "sin(a*x)*sin(b*x)",
        "sqrt(pi/p)/2*(exp(-(a - b)**2/(4*p)) - exp(-(a + b)**2/(4*p)))",
    ),
    ("Gradshteyn-Ryzhik", "sin(p*(x + a))", "sqrt(pi/p)*exp(-p/4)*sin(a*p)"),
    ("Gradshteyn-Ryzhik", "cos(p*(x + a))", "sqrt(pi/p)*exp(-p/4)*cos(a*p)"),
    ("Gradshteyn-Ryzhik", "sinh(a*x)**2", "sqrt(pi/p)*(exp(a**2/p) - 1)/2"),
    (
        "Gradshteyn-Ryzhik",
        "cosh(a*x)*cos(b*x)",
        "sqrt(pi/p)*exp((a**2 - b**2)/(4*p))*cos(a*b/(2*p))",
    ),
    ("Ng-Geller", "erf(a*x + b)", "sqrt(pi/p)*erf(b*sqrt(p/(a**2 + p)))"),
    ("Ng-Geller", "x*erf(a*x)", "a/(p*sqrt(a**2 + p))"),
    ("Ng-Geller", "x*erf(a*x + b)", "a/(p*sqrt(a**2 + p))*exp(-b**2*p/(a**2 + p))"),
    ("Ng-Geller", "x**3*erf(a*x)", "a*(2*a**2 + 3*p)/(2*p**2*(a**2 + p)**1.5)"),
    (
        "Ng-Geller",
        "exp(b*x)*erf(a*x)",
        "sqrt(pi/p)*exp(b**2/(4*p))*erf(a*b/(2*sqrt(p*(a**2 + p))))",
    ),
    (
        "Ng-Geller",
        "sinh(b*x)*erf(a*x)",
        "sqrt(pi/p)*exp(b**2/(4*p))*erf(a*b/(2*sqrt(p*(a**2 + p))))",
    ),
    ("Ng-Geller", "erfc(a*x + b)", "sqrt(pi/p)*erfc(b*sqrt(p/(a**2 + p)))"),
    ("Ng-Geller", "erf(a*x)**2", "2/sqrt(pi*p)*atan(a**2/sqrt(p**2 + 2*a**2*p))"),
    (
        "Prudnikov-Brychkov-Marichev",
        "erf(a*x)*erf(b*x)",
        "2/sqrt(pi*p)*atan(a*b/sqrt(p*(a**2 + b**2 + p)))",
    ),
    (
        "Prudnikov-Brychkov-Marichev",
        "sin(b*x)*erf(a*x)",
        "sqrt(pi/p)*exp(-b**2/(4*p))*erfi(a*b/(2*sqrt(p*(a**2 + p))))",
    ),
    (
        "Prudnikov-Brychkov-Marichev",
        "erf(a*x + b)*exp(-c*x**2)",
        "sqrt(pi/(p + c))*erf(b*sqrt((p + c)/(a**2 + p + c)))",
    ),
    (
        "Prudnikov-Brychkov-Marichev",
        "x**2*erf(a*x)*erf(b*x)",
        "atan(a*b/sqrt(p*(a**2 + b**2 + p)))/(sqrt(pi)*p**1.5)"
        " + a*b*(a**2 + b**2 + 2*p)/(sqrt(pi)*p*(a**2 + p)*(b**2 + p)*sqrt(a**2 + b**2 + p))",
    ),
    (
        "Prudnikov-Brychkov-Marichev",
        "x*erf(a*x)*exp(-b*x**2)",
        "a/((p + b)*sqrt(a**2 + p + b))",
    ),
    (
        "Owen 1956",
        "erf(a*x + b)**2",
        "sqrt(pi/p)*(1 - 8*T(b*sqrt(2*p/(a**2 + p)), sqrt(p/(2*a**2 + p))))",
    ),
]

ENTRIES = [Entry("Owen 1980", *line) for line in OWEN] + [Entry(*line, "p") for line in OTHERS]


def owens_t(h: Any, a: Any) -> Any:
    """Owen's T from its definition."""
    return mp.quad(lambda x: mp.exp(-h * h * (1 + x * x) / 2) / (1 + x * x), [0, a]) / (2 * mp.pi)


def bivariate(h: Any, k: Any, rho: Any) -> Any:
    """P(X <= h, Y <= k), from the derivative in the correlation (Plackett)."""

    def density(r: Any) -> Any:
        q = (h * h - 2 * r * h * k + k * k) / (1 - r * r)
        return mp.exp(-q / 2) / (2 * mp.pi * mp.sqrt(1 - r * r))

    return mp.ncdf(h) * mp.ncdf(k) + mp.quad(density, [0, rho])


MPMATH = {
    **{name: getattr(mpmath, name) for name in ("exp", "sqrt", "erf", "erfc", "erfi", "asin")},
    **{name: getattr(mpmath, name) for name in ("sin", "cos", "sinh", "cosh", "atan")},
    "phi": mpmath.npdf,
    "Phi": mpmath.ncdf,
    "T": owens_t,
    "bivariate": bivariate,
}

X = Symbol("x", real=True)
A, C = Symbol("a", positive=True), Symbol("c", positive=True)
B, D, P = (Symbol(name, positive=True) for name in "bdp")
SYMPY = {"x": X, "a": A, "b": B, "c": C, "d": D, "p": P, "phi": normal_pdf, "Phi": normal_cdf}


def by_mpmath(text: str, values: dict[str, Fraction], **more: Any) -> Any:
    numbers = {name: mp.mpf(q.numerator) / q.denominator for name, q in values.items()}
    return eval(text, {}, {**MPMATH, "pi": +mp.pi, **numbers, **more})


def ours(entry: Entry) -> sympy.Expr:
    variance = 1 if entry.weight == "normal" else 1 / (2 * P)
    mass = 1 if entry.weight == "normal" else sympy.sqrt(sympy.pi / P)
    integrand = sympy.sympify(entry.integrand, locals=SYMPY)
    return mass * expectation(integrand, GaussianLaw({X: 0}, [[variance]]))


def identifier(entry: Entry) -> str:
    return f"{entry.table}: {entry.integrand}".replace(" ", "")


def random_values(entry: Entry, run: int) -> dict[str, Fraction]:
    # Seeded by the entry, so that the order of the tests is of no consequence.
    random = Random(zlib.crc32(f"{entry} {run}".encode()))
    return {name: Fraction(random.randint(1, 30), random.randint(11, 19)) for name in "abcdp"}


@more
@pytest.mark.parametrize("entry", one_in(2, ENTRIES), ids=identifier)
def test_closed_form_is_the_tabulated_value(entry):
    closed = ours(entry)
    assert not closed.has(Expectation, sympy.Integral)
    for run in range(2 if THOROUGH else 1):
        values = random_values(entry, run)
        exact = {SYMPY[name]: Rational(q.numerator, q.denominator) for name, q in values.items()}
        with mp.workdps(DIGITS + 10):
            expected = by_mpmath(entry.value, values)
            found = closed.subs(exact).evalf(DIGITS + 5)
            assert found.is_Float or found.is_Rational
            difference = abs(found._to_mpmath(mp.prec) - expected)
            assert difference <= mp.mpf(10) ** -DIGITS * abs(expected), (values, found, expected)


@pytest.mark.parametrize("entry", one_in(3, ENTRIES), ids=identifier)
def test_tabulated_value_is_the_integral(entry):
    values = random_values(entry, 0)
    code = compile(entry.integrand, "integrand", "eval")
    with mp.workdps(DIGITS + 10):
        expected = by_mpmath(entry.value, values)
        rate = mp.mpf(1) / 2 if entry.weight == "normal" else by_mpmath("p", values)
        mass = 1 / mp.sqrt(2 * mp.pi) if entry.weight == "normal" else 1
        reach = mp.sqrt(90 / rate) + 4 / rate + 4
        step = mp.mpf(1) / 8

        def integrand(x: Any) -> Any:
            return mass * mp.exp(-rate * x * x) * by_mpmath(code, values, x=x)

        # The trapezoidal rule, written out; the integrands are entire.
        count = int(reach / step) + 1
        total = step * mp.fsum(integrand(k * step) for k in range(-count, count + 1))
        assert abs(total - expected) <= mp.mpf(10) ** -DIGITS * abs(expected), (values, total)


def test_enough_entries():
    assert len({(e.integrand, e.value, e.weight) for e in ENTRIES}) >= 45


@more
def test_a_wrong_entry_is_found():
    """The comparison itself: a table with a misprint is not reproduced."""
    wrong = Entry("misprint", "Phi(a + b*x)", "Phi(a/sqrt(1 + b))")
    with pytest.raises(AssertionError):
        test_closed_form_is_the_tabulated_value(wrong)
    with pytest.raises(AssertionError):
        test_tabulated_value_is_the_integral(wrong)


def test_owens_t_of_the_test_is_owens_t():
    for h, a in ((Rational(1, 3), Rational(7, 5)), (Rational(9, 4), Rational(1, 8))):
        with mp.workdps(35):
            mine = owens_t(mp.mpf(h.p) / h.q, mp.mpf(a.p) / a.q)
            assert abs(OwensT(h, a).evalf(33)._to_mpmath(mp.prec) - mine) < mp.mpf(10) ** -31
