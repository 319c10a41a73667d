"""Signs of means, derivatives in the scale of a variable, exponents, and moments of copies."""

from __future__ import annotations

import pytest
from sympy import (
    Eq,
    Function,
    Rational,
    Symbol,
    asin,
    atan,
    cos,
    erf,
    exp,
    pi,
    sign,
    sqrt,
    symbols,
)

from slrsym.gaussian import Expectation, GaussianLaw, IIDSum, normal_cdf, standard_normal
from slrsym.proof import D, at, chain, gaussian_calculus, noise_moments, price, signs
from tests._profile import thorough_only
from tests.prover.tactics._shown import claim_by, equal, is_shown, refusals

a, b, r, t, x, G, U, V, W, X = symbols("a b r t x G U V W X", real=True)
s = Symbol("s", positive=True)
N = Symbol("N", integer=True, positive=True)
f = Function("f", real=True)
apart = GaussianLaw({U: 0, W: 0}, [[1, 0], [0, 1]])


def mean(integrand, law=None):
    return Expectation(integrand, law or standard_normal(G))


def slope(u, order):
    return at(D(f(x), *[x] * order), {x: u})


@pytest.mark.parametrize(
    ("left", "right"),
    [
        pytest.param(mean(f(s * G)), s * mean(slope(s * G, 2)), id="scale"),
        pytest.param(mean(f(s * G + a)), s * mean(slope(s * G + a, 2)), id="apart"),
        pytest.param(
            mean(f(s * G + s)), s * mean(slope(s * G + s, 2)) + mean(slope(s * G + s, 1)), id="mean"
        ),
        pytest.param(
            mean(f(U + s * W), apart), s * mean(slope(U + s * W, 2), apart), id="two-variables"
        ),
        pytest.param(mean(f(a - s * G)), s * mean(slope(a - s * G, 2)), id="turned"),
        pytest.param(
            mean(f(X), GaussianLaw({X: 0}, [[s**2]])),
            s * mean(D(f(X), X, X), GaussianLaw({X: 0}, [[s**2]])),
            id="law",
        ),
        pytest.param(
            mean(f(s * U + s * W), apart), 2 * s * mean(slope(s * U + s * W, 2), apart), id="sum"
        ),
        pytest.param(mean(cos(s * G)), -s * mean(cos(s * G)), id="known-function"),
    ],
)
def test_derivatives_of_means_in_a_scale(left, right):
    assert refusals(claim_by(equal(D(left, s), right), price)) == {}


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (mean(f(s * G)), mean(slope(s * G, 2))),
        (mean(f(s * G)), s * mean(slope(s * G, 1))),
        (mean(s + f(s * G)), s * mean(slope(s * G, 2))),
        (mean(f(s * G) * s), s * mean(slope(s * G, 2))),
        (mean(f(a - s * G)), -s * mean(slope(a - s * G, 2))),
        (mean(f(s * U + s * W), apart), s * mean(slope(s * U + s * W, 2), apart)),
    ],
)
def test_wrong_derivatives_of_means_in_a_scale(left, right):
    assert refusals(claim_by(equal(D(left, s), right), price)) != {}


@pytest.mark.parametrize(
    ("left", "right", "given"),
    [
        (mean(exp(t * (G**2 - 1))), exp(-t) / sqrt(1 - 2 * t), [2 * t < 1]),
        (mean(exp(t * (G - 1) * (G + 1))), exp(-t) / sqrt(1 - 2 * t), [2 * t < 1]),
        (mean(exp(t * (U**2 + W**2 - 2)), apart), exp(-2 * t) / (1 - 2 * t), [2 * t < 1]),
        (
            mean(exp(t * ((s * G) ** 2 - s**2))),
            exp(-t * s**2) / sqrt(1 - 2 * t * s**2),
            [2 * t * s**2 < 1],
        ),
        (
            mean(exp(t * ((G + a) ** 2 - a**2))),
            exp(2 * t**2 * a**2 / (1 - 2 * t)) / sqrt(1 - 2 * t),
            [2 * t < 1],
        ),
        (
            mean(exp(t * (X**2 - s**2)), GaussianLaw({X: 0}, [[s**2]])),
            exp(-t * s**2) / sqrt(1 - 2 * t * s**2),
            [2 * t * s**2 < 1],
        ),
    ],
)
def test_exponents_that_differ_by_a_constant(left, right, given):
    assert refusals(claim_by(equal(left, right), gaussian_calculus, given)) == {}
    assert refusals(claim_by(equal(left, right), gaussian_calculus)) != {}
    assert refusals(claim_by(equal(left, 2 * right), gaussian_calculus, given)) != {}


@pytest.mark.parametrize(
    ("left", "right"),
    [
        pytest.param(normal_cdf(G) ** 3, Rational(1, 4), id="cube"),
        pytest.param(
            normal_cdf(b * G) ** 2,
            asin(b**2 / (1 + b**2)) / (2 * pi) + Rational(1, 4),
            id="square",
            marks=thorough_only,
        ),
        pytest.param(
            erf(s * G) * sign(G), 2 / pi * atan(sqrt(2) * s), id="sign", marks=thorough_only
        ),
    ],
)
def test_angles_in_means_of_distribution_functions(left, right):
    assert refusals(claim_by(equal(mean(left), right), gaussian_calculus)) == {}
    assert refusals(claim_by(equal(mean(left), right + b), gaussian_calculus)) != {}


@pytest.mark.parametrize(
    "body", [exp(G), 1 + G**2, normal_cdf(a + b * G), exp(-(G**2)) * (2 + f(G) ** 2 / 3)]
)
def test_means_of_positive_functions_are_positive(body):
    assert is_shown(mean(body) > 0, chain(mean(body)).gt(0, by=signs))
    assert is_shown(mean(-body) < 0, chain(mean(-body)).lt(0, by=signs))


def test_means_of_other_functions_have_no_known_sign():
    assert is_shown(mean(f(G) ** 2) >= 0, chain(mean(f(G) ** 2)).ge(0, by=signs))
    assert not is_shown(mean(f(G) ** 2) > 0, chain(mean(f(G) ** 2)).gt(0, by=signs))
    assert not is_shown(mean(G) > 0, chain(mean(G)).gt(0, by=signs))
    assert not is_shown(mean(f(G)) >= 0, chain(mean(f(G))).ge(0, by=signs))


def copies(term, power):
    return mean(IIDSum(term, standard_normal(X), N) ** power, standard_normal(V))


_THIRD = (
    N * mean(f(G) ** 3)
    + 3 * N * (N - 1) * mean(f(G) ** 2) * mean(f(G))
    + N * (N - 1) * (N - 2) * mean(f(G)) ** 3
)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        pytest.param(copies(X**2, 1), N, id="mean-of-squares"),
        pytest.param(copies(X**2, 2), N**2 + 2 * N, id="square-of-squares"),
        pytest.param(copies(X**2 + X, 2), N**2 + 3 * N, id="square-of-polynomials"),
        pytest.param(copies(X, 3), 0, id="third"),
        pytest.param(copies(X, 4), 3 * N**2, id="fourth"),
        pytest.param(copies(X**2, 3), N * (N + 2) * (N + 4), id="third-of-squares"),
        pytest.param(copies(f(X), 3), _THIRD, id="third-of-any-function"),
    ],
)
def test_moments_of_sums_of_copies(left, right):
    assert refusals(claim_by(equal(left, right), noise_moments)) == {}
    assert refusals(claim_by(equal(left, right + N), noise_moments)) != {}


def test_a_moment_holds_for_any_number_of_copies():
    n = Symbol("n", integer=True, nonnegative=True)
    left = mean(IIDSum(X, standard_normal(X), n) ** 4, standard_normal(V))
    assert refusals(claim_by(Eq(left, 3 * n**2, evaluate=False), gaussian_calculus)) == {}
