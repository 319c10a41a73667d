"""The page on Gaussian expectations: its examples, and the integrals of SymPy's issues."""

import doctest
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mpmath import mp

from slrsym.gaussian import OwensT, sympy_owens_t

PAGE = Path(__file__).parents[2] / "docs" / "gaussian.md"


@pytest.fixture(scope="module")
def session() -> dict[str, str]:
    """The examples of the page, run in order; and what each printed."""
    text = PAGE.read_text(encoding="utf-8")
    blocks = re.findall(r"```\{doctest\}\n(.*?)```", text, re.DOTALL)
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "page", None, 0)
    shown: list[str] = []
    failed = doctest.DocTestRunner(verbose=False).run(test, out=shown.append, clear_globs=False)
    assert not failed.failed, "".join(shown)
    return test.globs


def test_the_examples_are_true(session):
    assert session["left"].reason


def gauss(f: Callable[[Any], Any], mean: Any, deviation: Any, low: Any = None) -> Any:
    """The integral of f against a normal density, from `low` on."""
    start = mean - 14 * deviation if low is None else mp.mpf(low)
    return mp.quad(
        lambda u: f(u) * mp.npdf(u, mean, deviation), [start, mean + 3, mean + 14 * deviation]
    )


# Each issue of SymPy: the expression on the page, values of its parameters, the integral asked for.
ISSUES: dict[int, tuple[str, dict[str, Any], Callable[[], Any]]] = {
    19846: (
        "expectation(normal_cdf(x - c), standard_normal(x))",
        {"c": 0.75},
        lambda: gauss(lambda u: mp.ncdf(u - 0.75), 0, 1),
    ),
    20540: (
        "expectation(exp(Y[0]) * Y[1]**2)",
        {},
        # Given the first, the second has mean u/10 and variance 99/100.
        lambda: gauss(lambda u: mp.exp(u) * (u**2 / 100 + mp.mpf(99) / 100), 0, 1),
    ),
    19364: ("expectation(sin(Normal('Z', 2, 3)))", {}, lambda: gauss(mp.sin, 2, 3)),
    14573: (
        "square - mean**2",
        {"m": 0.75, "s": 1.5},
        lambda: gauss(lambda u: mp.sin(u) ** 2, 0.75, 1.5) - gauss(mp.sin, 0.75, 1.5) ** 2,
    ),
    15566: (
        "expectation(x * Heaviside(x - c), GaussianLaw({x: m}, [[s**2]]))",
        {"m": 0.75, "s": 1.5, "c": 0.25},
        lambda: gauss(lambda u: u, 0.75, 1.5, 0.25),
    ),
    7907: (
        "sqrt(pi) * expectation(Max(c, x), half)",
        {"c": 0.25},
        lambda: mp.quad(lambda u: max(u, 0.25) * mp.exp(-(u**2)), [-12, 0.25, 3, 12]),
    ),
    19952: (
        "expectation(Matrix([[A, A**2]]))[1]",
        {"m": 0.75, "s": 1.5},
        lambda: gauss(lambda u: u**2, 0.75, 1.5),
    ),
    30110: (
        "sqrt(pi) * expectation(erf(c * x) * Heaviside(t - x), half)",
        {"c": 1.5, "t": 0.25},
        lambda: mp.quad(lambda u: mp.exp(-(u**2)) * mp.erf(1.5 * u), [-12, -3, 0, 0.25]),
    ),
}


@pytest.mark.parametrize("number", ISSUES)
def test_integrals_of_sympys_issues(session, number):
    text, values, integral = ISSUES[number]
    page = PAGE.read_text(encoding="utf-8")
    assert f"[#{number}]" in page
    found = eval(text, dict(session))
    at = {session[name]: mp.mpf(value) for name, value in values.items()}
    with mp.workdps(20):
        found = found.replace(sympy_owens_t(), OwensT).subs(at).evalf(17)
        assert abs(found._to_mpmath(60) - integral()) < 1e-15
