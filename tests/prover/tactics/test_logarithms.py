"""Logarithms of products, quotients, powers, roots and exponentials of positive terms."""

from __future__ import annotations

import pytest
from sympy import Function, Rational, exp, log, sqrt, symbols

from slrsym.gaussian import Expectation, standard_normal
from slrsym.proof import algebra, chain
from slrsym.proof import sign as signs
from tests.prover.tactics._shown import claim_by, equal, is_shown, refusals

a, b, x, y, G = symbols("a b x y G", real=True)
A, B, C = symbols("A B C", positive=True)
f = Function("f", real=True)
both_positive, both_negative = [x > 0, y > 0], [x < 0, y < 0]


@pytest.mark.parametrize(
    ("left", "right", "given"),
    [
        pytest.param(log(A * exp(a)), a + log(A), [], id="exponential"),
        pytest.param(log(A**2 / B**2), 2 * log(A) - 2 * log(B), [], id="quotient-of-squares"),
        pytest.param(log(A * B * C), log(A) + log(B) + log(C), [], id="product"),
        pytest.param(log(A / B), -log(B / A), [], id="inverse"),
        pytest.param(log(sqrt(A)), log(A) / 2, [], id="root"),
        pytest.param(log(sqrt(1 + x**2)), log(1 + x**2) / 2, [], id="root-of-sum"),
        pytest.param(log(A ** Rational(3, 2) / B**2), log(A) * 3 / 2 - 2 * log(B), [], id="powers"),
        pytest.param(log(A**x), x * log(A), [], id="power"),
        pytest.param(log(12), 2 * log(2) + log(3), [], id="number"),
        pytest.param(log(x * y), log(x) + log(y), both_positive, id="hypotheses"),
        pytest.param(log(x * y), log(-x) + log(-y), both_negative, id="negative-factors"),
        pytest.param(log(x**2 + 2 * x + 1), 2 * log(x + 1), [x > -1], id="factors"),
        pytest.param(log(exp(a) + exp(b)), a + log(1 + exp(b - a)), [], id="log-sum-exp"),
        pytest.param(log(1 + exp(x)) - log(1 + exp(-x)), x, [], id="softplus"),
        pytest.param(f(log(A * B)), f(log(A) + log(B)), [], id="inside-a-function"),
        pytest.param(log(A), log(C) - log(B), [equal(log(A * B), log(C))], id="in-a-hypothesis"),
        pytest.param(
            Expectation(f(log(A * B) * G), standard_normal(G)),
            Expectation(f((log(A) + log(B)) * G), standard_normal(G)), [], id="inside-a-mean",
        ),
    ],
)  # fmt: skip
def test_logarithms_of_products(left, right, given):
    assert refusals(claim_by(equal(left, right), algebra, given)) == {}


@pytest.mark.parametrize(
    ("left", "right", "given"),
    [
        (log(A + B), log(A) + log(B), []),
        (log(A**2 / B**2), 2 * log(A) - log(B), []),
        (log(x * y), log(x) + log(y), [x * y > 0]),
        (log(x**2), 2 * log(x), []),
        (log(x**2), 2 * log(-x), [x > 0]),
        (log(A) / log(B), log(A / B), []),
        (log(1 + exp(x)) - log(1 + exp(-x)), -x, []),
        (log(12), 2 * log(3) + log(2), []),
    ],
)
def test_wrong_equations_of_logarithms(left, right, given):
    assert refusals(claim_by(equal(left, right), algebra, given)) != {}


def test_bounds_of_logarithms_of_products():
    proof = chain(log(A * B) - log(A)).le(B - 1, by=signs)
    assert is_shown(log(A * B) - log(A) <= B - 1, proof)
    proof = chain(log(A * B) - log(A)).le(B - 2, by=signs)
    assert not is_shown(log(A * B) - log(A) <= B - 2, proof)
