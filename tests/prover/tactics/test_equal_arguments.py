"""Equals for equals under any function: f(a) = f(b) from a = b."""

from __future__ import annotations

import pytest
from sympy import Function, IndexedBase, Integral, Max, Sum, Symbol, erf, exp, symbols, tanh

from slrsym.gaussian import Expectation, standard_normal
from slrsym.proof import D, algebra, at, chain
from slrsym.proof import sign as signs
from tests.prover.tactics._shown import claim_by, equal, is_shown, refusals

a, b, c, d, x, G = symbols("a b c d x G", real=True)
f, g, h = (Function(name, real=True) for name in "fgh")
n, i = symbols("n i", integer=True)
w = IndexedBase("w", real=True)
square = equal(a, b**2)


def mean(integrand):
    return Expectation(integrand, standard_normal(G))


@pytest.mark.parametrize(
    ("left", "right", "given"),
    [
        pytest.param(f(a), f(b**2), [square], id="unknown"),
        pytest.param(erf(a), erf(b**2), [square], id="erf"),
        pytest.param(exp(a), exp(b**2), [square], id="exp"),
        pytest.param(c * tanh(a) * f(c), c * tanh(b**2) * f(c), [square], id="factor"),
        pytest.param(Max(a, c), Max(b**2, c), [square], id="maximum"),
        pytest.param(h(a, c), h(b**2, d), [square, equal(c, d)], id="two-arguments"),
        pytest.param(f(a - c), f(b - d), [equal(a, b), equal(c, d)], id="two-equations"),
        pytest.param(f(g(a) + 1), f(1 + g(b**2)), [square], id="nested"),
        pytest.param(f(1 - a), f(b), [equal(a + b, 1)], id="implicit"),
        pytest.param(f(a), c, [square, equal(f(b**2), c)], id="known-value"),
        pytest.param(c, d, [square, equal(f(a), c), equal(f(b**2), d)], id="two-known-values"),
        pytest.param(f(w[n]), f(c), [equal(w[n], c)], id="entry"),
        pytest.param(w[n + 1], w[i], [equal(i, n + 1)], id="index"),
        pytest.param(
            at(D(f(x), x), {x: a}), at(D(f(x), x), {x: b**2}), [square], id="derivative"
        ),
        pytest.param(mean(f(a * G)), mean(f(b**2 * G)), [square], id="mean"),
        pytest.param(
            Integral(f(a * x), (x, 0, 1)), Integral(f(b**2 * x), (x, 0, 1)), [square], id="integral"
        ),
        pytest.param(
            Sum(f(a * i), (i, 1, 9)), Sum(f(b**2 * i), (i, 1, 9)), [square], id="sum"
        ),
    ],
)  # fmt: skip
def test_functions_of_equals_are_equal(left, right, given):
    assert refusals(claim_by(equal(left, right), algebra, given)) == {}


@pytest.mark.parametrize(
    ("left", "right", "given"),
    [
        (f(a), f(b), [square]),
        (f(a), g(b**2), [square]),
        (h(a, c), h(c, b**2), [square]),
        (erf(a), erf(b), [equal(a**2, b**2)]),
        (f(a) + g(a), 2 * f(b**2), [square]),
        (a, b**2, [equal(f(a), f(b**2))]),
        (f(a), f(b), [equal(g(a), g(b))]),
        (mean(f(a * G)), mean(f(b**2 + G)), [square]),
        (at(D(f(x), x), {x: a}), f(b**2), [square]),
    ],
)
def test_functions_of_others_are_not_equal(left, right, given):
    assert refusals(claim_by(equal(left, right), algebra, given)) != {}


def test_inequalities_follow_from_equal_values():
    proof = chain(f(a)).le(f(b**2) + 1, by=signs)
    assert is_shown(f(a) <= f(b**2) + 1, proof, [square])


def test_an_equation_may_be_a_fact_of_the_step():
    known = chain(a).then(b**2, by=algebra)
    proof = chain(f(a)).then(f(b**2), by=algebra.using(known))
    assert is_shown(equal(f(a), f(b**2)), proof, [square])


def test_a_function_that_is_not_defined_is_equal_to_nothing():
    y = Symbol("y", real=True)
    claim = claim_by(equal(1 / a, 1 / y), algebra, [equal(a, y)])
    assert refusals(claim) != {}
