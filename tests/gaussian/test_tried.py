"""The list of expectations in the documentation: up to date, and right."""

from pathlib import Path
from random import Random

import pytest
from sympy import Rational

from slrsym.gaussian import Expectation, IntegrabilityError, expectation
from tests._benchmarks import benchmark
from tests._profile import one_in, thorough_cases, thorough_only

DOCS = Path(__file__).parents[2] / "docs"
tried = benchmark("expectations", DOCS / "_ext")


# All its rows are tried but every second.
@thorough_only
def test_the_page_is_what_the_program_prints():
    page = (DOCS / "reference" / "expectations.md").read_text(encoding="utf-8")
    assert page == tried.page()
    assert len(tried.TRIED) == 47
    assert page.count("| open: ") == 5


@thorough_cases("38")
@pytest.mark.parametrize("place", one_in(2, range(47)))
def test_closed_forms_against_their_definitions(place):
    integrand, law = tried.TRIED[place]
    node = Expectation(integrand, law)
    try:
        value = expectation(integrand, law)
    except IntegrabilityError:
        value = node
    if value.has(Expectation) or law is not tried.ONE:
        pytest.skip("open, or of several variables, which other tests integrate")
    rng = Random(place)
    at = {p: Rational(rng.randint(-9, 9), 7) for p in node.free_symbols}
    at[tried.s] = Rational(rng.randint(3, 9), 6)
    difference = value.subs(at).evalf(20) - node.subs(at).evalf(20)
    assert abs(difference) < 1e-17
