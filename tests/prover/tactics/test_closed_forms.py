"""Closed forms of Gaussian expectations, as theorems, and their values worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from sympy import (
    Abs,
    Eq,
    Function,
    Heaviside,
    Max,
    Min,
    Rational,
    S,
    Symbol,
    asin,
    cos,
    erf,
    exp,
    lambdify,
    pi,
    sign,
    sin,
    sqrt,
    tanh,
)

from slrsym.checker import ProvedClaims, Rejected
from slrsym.gaussian import (
    Expectation,
    GaussianLaw,
    IIDSum,
    NoiseLaw,
    ProductLaw,
    erf_prime,
    erf_second,
    normal_cdf,
    normal_pdf,
    standard_normal,
    zeta,
)
from slrsym.proof import Claim, builtin_ledger
from slrsym.prover.tactics.closed_forms import (
    ClosedFormSearch,
    derive_closed_form,
)
from slrsym.prover.tactics.emission import ProofEmitter
from slrsym.prover.tactics.integrands import forms_with_squares, split_by_independence
from slrsym.prover.tactics.judgement import _assume_claim
from slrsym.prover.tactics.term_to_sympy import TermToSympy

G, H, U, V, W, t = (Symbol(name, real=True) for name in "GHUVWt")
p = Symbol("p", positive=True)
n = Symbol("n", integer=True, nonnegative=True)
X = Symbol("X", real=True)
NOISE = NoiseLaw(X, p)
f = Function("f", real=True)
UNIT, BOTH = standard_normal(G), standard_normal(G, H)
AT_2 = GaussianLaw({G: 2}, [[2]])
MOVED = GaussianLaw({G: t}, [[p**2]])
third, half = Rational(1, 3), Rational(1, 2)
PAIR = GaussianLaw({U: 0, W: 0}, [[1, half], [half, 1]])
THREE = GaussianLaw({U: 0, V: 0, W: 0}, [[1, half, 0], [half, 1, 0], [0, 0, 4]])
LEDGER = builtin_ledger()
POINT = {t: Rational(3, 7), p: Rational(5, 4), n: 7}


def emitter():
    claim = Claim("it", Eq(t, t, evaluate=False), "test")
    return ProofEmitter(claim, LEDGER.find, ProvedClaims())


def closed_form(integrand, law, cited=()):
    work = emitter()
    for id in cited:
        _assume_claim(work.proved_claims, LEDGER.find(id), LEDGER.find)
    context, _ = work.claim_context_and_hypotheses
    line = derive_closed_form(work, Expectation(integrand, law), context)
    assert not line.theorem.hypotheses
    assert "unchecked: a side condition" not in line.theorem.axioms
    value = TermToSympy(work.translator).expression(line.theorem.conclusion[2])
    assert not value.has(Expectation)
    return value


def copies(term, count):
    return IIDSum(term, standard_normal(H), count)


def density(u):
    return exp(-(S(u) ** 2) / 2) / sqrt(2 * pi)


def mean_of_abs(m, s):
    m, s = S(m), S(s)
    return s * sqrt(2 / pi) * exp(-(m**2) / (2 * s**2)) + m * erf(m / (s * sqrt(2)))


VALUES = [
    # Powers, exponentials and erf.
    (3, UNIT, 3),
    (G**3, MOVED, t**3 + 3 * t * p**2),
    (G * erf(t * G), UNIT, 2 * t / sqrt(pi * (1 + 2 * t**2))),
    (exp(U + 2 * W), PAIR, exp((1 + 4 + 2) * half)),
    (erf(U) * erf(W), PAIR, 2 / pi * asin(third)),
    (erf(G) ** 2, BOTH, 2 / pi * asin(2 * third)),
    (tanh(t * G), UNIT, 0),
    (sin(U) * cos(W), PAIR, 0),
    # Functions that are written by others.
    (normal_cdf(G + t), UNIT, (1 + erf(t / 2)) / 2),
    (normal_pdf(G), UNIT, 1 / (2 * sqrt(pi))),
    (erf_prime(G), UNIT, 2 / sqrt(3 * pi)),
    (erf_second(G + t), UNIT, -4 * t * exp(-(t**2) / 3) / (3 * sqrt(3 * pi))),
    (Heaviside(G - 1), UNIT, (1 - erf(1 / sqrt(2))) / 2),
    (G * Max(G, 0), UNIT, half),
    (Min(G, 1), UNIT, (1 - mean_of_abs(1, 1)) / 2),
    (Max(G, H), BOTH, 1 / sqrt(pi)),
    # Signs and absolute values.
    (G * sign(2 * G - 1), UNIT, 2 * density(half)),
    (Abs(G - t), UNIT, mean_of_abs(t, 1)),
    (exp(G) * Abs(G), BOTH, exp(half) * mean_of_abs(1, 1)),
    # The law N(2, 2) is tilted to N(4/3, 2/3).
    (exp(-(G**2) / 2 + G) * Abs(G), AT_2,
     exp(third) / sqrt(3) * mean_of_abs(4 * third, sqrt(2 * third))),
    # Independent factors.
    (Abs(G) * Abs(H), BOTH, 2 / pi),
    (Abs(G) * Abs(U), ProductLaw(UNIT, PAIR), 2 / pi),
    (Abs(U) * Abs(W), THREE, 4 / pi),
    (Abs(W) * U * V, THREE, sqrt(2 / pi)),
    # Noise, and sums of copies.
    ((X + G) ** 2, ProductLaw(NOISE, UNIT), p + 1),
    (X**2 * G**2 + X, ProductLaw(UNIT, NOISE), p),
    (copies(H + 1, n), UNIT, n),
    (copies(H + 1, n) ** 2, UNIT, n * (n + 1)),
    (copies(H**2, n) * G**2, UNIT, n),
    (G**2 * (1 + copies(H, 0)), UNIT, 1),
]  # fmt: skip


@pytest.mark.parametrize(("integrand", "law", "value"), VALUES)
def test_a_mean_is_evaluated(integrand, law, value):
    error = (closed_form(integrand, law) - value).subs(POINT)
    assert abs(error.evalf(30, chop=True)) < 1e-20


@pytest.mark.parametrize(
    ("integrand", "law"),
    [
        (Max(G, 0, t), UNIT),
        (exp(-(G**4)) * Abs(G), UNIT),
        (cos(U) * Abs(W), PAIR),
        (sin(G) ** 2, MOVED),
        (exp(G * t) * f(G), UNIT),
    ],
)
def test_no_closed_form_is_found(integrand, law):
    with pytest.raises(Rejected, match="no closed form is known"):
        closed_form(integrand, law)


@pytest.mark.parametrize(
    ("form", "value"),
    [
        (1 - 2 * G, zeta(1 - 2 * t, 2 * p)),
        (G / 3, zeta(t / 3, p / 3)),
        (G**2, None),
        (G * H, None),
    ],
)
def test_the_mean_of_a_square_by_zeta(form, value):
    work = emitter()
    context, _ = work.claim_context_and_hypotheses
    search, law = ClosedFormSearch(work, context), MOVED
    node = Expectation(erf(form) ** 2, ProductLaw(law, standard_normal(H)) if form.has(H) else law)
    assert search.express_erf_square_by_zeta(node) is None
    search.in_terms_of_zeta = True
    found = search.express_erf_square_by_zeta(node)
    if value is None:
        assert found is None
    else:
        line, _ = found
        assert line.theorem.conclusion == ("=", work.term(node), work.term(value))


# Claims by which the search evaluates means of two functions of correlated variables.
BY_CLAIMS = [
    (erf((1 - U) / 2) * erf((W - U) / 3), ("erf-product-on-line",)),
    (exp(-((U - 1) ** 2) / 4) * erf(1 - W), ("two-gaussian-factors", "gaussian-factor-and-erf")),
]


@pytest.mark.parametrize(("integrand", "ids"), BY_CLAIMS)
def test_a_mean_of_correlated_variables_is_evaluated_by_a_claim(integrand, ids):
    law = GaussianLaw({U: half, W: -third}, [[1, half], [half, 2]])
    value = closed_form(integrand, law, ids)
    x, w = np.polynomial.hermite_e.hermegauss(60)
    first, second = np.meshgrid(x, x)
    at = 0.5 + first, -1 / 3 + first / 2 + np.sqrt(1.75) * second
    expected = np.sum(np.outer(w, w) * lambdify((U, W), integrand, "scipy")(*at)) / (2 * np.pi)
    assert float(value) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("exponent", "parts"),
    [
        (G + 2 * H + 1, {G + 1, 2 * H}),
        (H, {H}),
        (G + H**2 - H, {G, H**2 - H}),
        (G * H + G, {G * H + G}),
        (U * W + U + G, {U * W + U, G}),
    ],
)
def test_an_exponent_issplit_by_independence(exponent, parts):
    law = ProductLaw(UNIT, standard_normal(H), PAIR)
    assert set(split_by_independence(exponent, law)) == parts


@pytest.mark.parametrize(
    ("exponent", "forms"),
    [
        (-(U**2) - W**2, [U, W]),
        (-(U**2) / 4, [U / 2]),
        (-(U**2) - 2 * U * W - 2 * W**2 - 2 * W - 1, [U + W, W + 1]),
        # A remainder, a square of the other sign, and another degree.
        (-(U**2) - 1, []),
        (U**2, []),
        (-(U**2) + W**2, []),
        (-(U**4), []),
        (-U, []),
    ],
)
def test_an_exponent_is_a_sum_of_squares(exponent, forms):
    assert forms_with_squares(exponent, PAIR) == forms
