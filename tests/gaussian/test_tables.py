r"""Integrals that others have tabulated, over the whole line and against a Gaussian weight.

An entry has the integrand and the tabulated right-hand side, as text. The text is read twice: by
SymPy with this package's functions, for the closed form that `expectation` finds in symbols; and by
mpmath alone, which integrates the left-hand side numerically and evaluates the right-hand side,
with Owen's T from its defining integral. The parameters are random rationals.

The entries, with their sources, are those of `benchmarks/normal_integrals.py` that have a value.
The weight is the normal density in those of Owen's table of 1980, and exp(-p x^2) in the others.
"""

import zlib
from fractions import Fraction
from random import Random
from typing import Any

import mpmath
import pytest
import sympy
from mpmath import mp
from sympy import Rational

from slrsym.gaussian import Expectation, GaussianLaw, OwensT, expectation
from tests._benchmarks import benchmark
from tests._profile import THOROUGH, more, one_in

DIGITS = 30


table = benchmark("normal_integrals")
Entry, X, SYMPY = table.Entry, table.X, table.SYMPY
P = SYMPY["p"]
ENTRIES = [entry for entry in table.ENTRIES if entry.value]


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
