"""Random piecewise polynomials under random laws, one in two of them singular, three times over.

The closed form, the quadrature and integrals that share no code with either are the same.
"""

import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slrsym.gaussian import Expectation, expectation
from tests._profile import NIGHTLY, more

from .random_piecewise import Example, examples


# Few integrands bend in two directions by day, for a quadrature of these takes a second.
@more
@pytest.mark.timeout(7200 if NIGHTLY else 600)
@settings(max_examples=2000 if NIGHTLY else 200)
@given(st.deferred(lambda: examples(planes=8 if NIGHTLY else 20)))
def test_closed_forms_quadrature_and_sums_agree(example: Example):
    expected = example.reference()
    size = 1 + abs(expected)
    closed = expectation(example.integrand, example.law)
    if closed.has(Expectation):
        assert closed.reason
    else:
        assert abs(closed.evalf(20) - expected) < 1e-9 * size
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        number = Expectation(example.integrand, example.law).evalf(5)
    if number.has(Expectation):
        # What is zero is not told from what is small.
        assert said
        assert abs(expected) < 1e-9 * size
    else:
        assert abs(number - expected) < 1e-4 * size
