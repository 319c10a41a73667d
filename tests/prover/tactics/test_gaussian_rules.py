"""Rules of the Gaussian calculus, for which the search finds evidence."""

from __future__ import annotations

import pytest
from sympy import (
    Abs,
    Derivative,
    Eq,
    Function,
    Le,
    Max,
    Min,
    Rational,
    Symbol,
    cos,
    erf,
    exp,
    sin,
    sqrt,
)

from slrsym.checker import ProvedClaims
from slrsym.gaussian import (
    Expectation,
    GaussianLaw,
    NoiseLaw,
    OwensT,
    ProductLaw,
    erf_prime,
    erf_second,
    standard_normal,
    zeta,
)
from slrsym.gaussian.integrals import erf_product_mean
from slrsym.proof import (
    Claim,
    algebra,
    ball_arithmetic,
    builtin_ledger,
    chain,
    conditioning,
    differentiate_under_expectation,
    gaussian_calculus,
    linearity,
    noise_moments,
    piecewise,
    substitution,
    symmetry,
)
from slrsym.prover.tactics.emission import ProofEmitter, is_covariance_matrix_formula
from tests._profile import thorough, thorough_only
from tests.prover.tactics._shown import is_shown, refusals

G, H, U, V, W, g, t = (Symbol(name, real=True) for name in "GHUVWgt")
r = Symbol("r", real=True)
p = Symbol("p", positive=True)
f = Function("f", real=True)
UNIT = standard_normal(G)


def E(integrand, law=UNIT):
    return Expectation(integrand, law)


def equal(left, right, by, given=()):
    return is_shown(Eq(left, right, evaluate=False), chain(left).then(right, by=by), given)


# -- conditioning ---------------------------------------------------------------------------------


def pair(c):
    return GaussianLaw({U: 0, W: 0}, [[1, c], [c, 2]])


def nested(f, c, inner):
    return E(E(f, inner), GaussianLaw({W: 0}, [[2]]))


@pytest.mark.parametrize(
    ("mean", "variance", "shown"),
    [
        thorough(W * r / 2, 1 - r**2 / 2, True),
        (W * r / 2, 1, False),
        (-W * r / 2, 1 - r**2 / 2, False),
    ],
)
def test_given_a_correlated_variable(mean, variance, shown):
    f = W * erf(U + t)
    right = nested(f, r, GaussianLaw({U: mean}, [[variance]]))
    assert equal(E(f, pair(r)), right, conditioning(W), (r > -1, r < 1)) == shown


def test_given_one_of_three_with_others_beside():
    f = sin(U * V) * cos(W + H)
    half, third = Rational(1, 2), Rational(1, 3)
    cov = [[1, 0, half], [0, 1, third], [half, third, 1]]
    law = GaussianLaw(dict.fromkeys((U, V, W), 0), cov)
    law = ProductLaw(law, standard_normal(H))
    inner = law.args[0].conditional({W: W})
    right = E(E(f, ProductLaw(inner, standard_normal(H))), standard_normal(W))
    assert equal(E(f, law), right, conditioning(W))


@pytest.mark.parametrize(("variance", "shown"), [(1, True), (2, False)])
def test_given_a_variable_of_a_function_with_kinks(variance, shown):
    # That the iterated mean exists follows from the closed form of the inner one.
    f = U * Abs(U + W + t)
    right = E(E(f, GaussianLaw({W: 0}, [[variance]])), standard_normal(U))
    assert equal(E(f, standard_normal(U, W)), right, conditioning(U)) == shown


@pytest.mark.parametrize(("factor", "shown"), [(1, True), (2, False)])
def test_given_all_variables_of_one_law_of_several(factor, shown):
    f, over = W * sin(U + W), standard_normal(W)
    right = factor * E(E(f, standard_normal(U)), over)
    assert equal(E(f, ProductLaw(standard_normal(U), over)), right, conditioning(W)) == shown


# -- other variables ------------------------------------------------------------------------------


SKEW = GaussianLaw({G: 0, H: 0}, [[1, Rational(1, 2)], [Rational(1, 2), 1]])
SUM_AND_DIFFERENCE = substitution({U: G + H, W: G - H}, SKEW)


@pytest.mark.parametrize(("variance", "shown"), [(3, True), (2, False)])
def test_new_variables_that_are_correlated(variance, shown):
    left = E(sin(U) * cos(W), GaussianLaw({U: 0, W: 0}, [[variance, 0], [0, 1]]))
    assert equal(left, E(sin(G + H) * cos(G - H), SKEW), SUM_AND_DIFFERENCE) == shown


@pytest.mark.parametrize(("value", "shown"), [(0, True), (1, False)])
def test_a_mean_beside_one_that_is_reflected(value, shown):
    other = E(U**2, standard_normal(U))
    assert equal(E(G * exp(-(G**2))) + other, other + value, symmetry(G)) == shown


@pytest.mark.parametrize(("value", "shown"), [(r**2 + 1, True), (r**2, False)])
def test_the_square_of_a_sum_of_noise_times_a_factor(value, shown):
    law = ProductLaw(NoiseLaw(U, r**2), NoiseLaw(W, 1))
    assert equal(E(p * (U + W) ** 2, law), p * value, noise_moments) == shown


# -- pieces ---------------------------------------------------------------------------------------


@thorough_only
@pytest.mark.parametrize(("slope", "shown"), [(Rational(1, 2), True), (1, False)])
def test_cases_that_exclude_one_another(slope, shown):
    clipped = Max(-1, Min(1, t))
    right = slope * (Abs(t + 1) - Abs(t - 1))
    assert equal(clipped, right, piecewise(algebra)) == shown


# -- linearity ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("right", "shown"),
    [(exp(t * g + 1) * E(G * exp(g * G)), True), (exp(t * g - 1) * E(G * exp(g * G)), False)],
)
def test_exponents_that_do_not_vary_are_factors(right, shown):
    assert equal(E(G * exp(g * (G + t) + 1)), right, linearity) == shown


# -- derivatives ----------------------------------------------------------------------------------


def slope(f, x=t):
    return Derivative(f, x)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (
            slope(p**2 * E(sin(p * G + 1)), p),
            2 * p * E(sin(p * G + 1)) + p**2 * E(G * cos(p * G + 1)),
        ),
        (slope(t**2) + slope(E(sin(t + G))), 2 * t + E(cos(t + G))),
        (
            slope(E(sin(t + G)) * E(cos(t * H), standard_normal(H))),
            E(cos(t + G)) * E(cos(t * H), standard_normal(H))
            - E(sin(t + G)) * E(H * sin(t * H), standard_normal(H)),
        ),
    ],
)
def test_derivatives_of_polynomials_of_expectations(left, right):
    assert equal(left, right, differentiate_under_expectation)


def test_a_derivative_without_the_term_of_a_factor():
    left = slope(t * E(sin(t + G)))
    assert not equal(left, t * E(cos(t + G)), differentiate_under_expectation)


# -- values ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mean", "most", "shown"),
    [
        (E(exp(4 * G)), 2981, True),
        (E(exp(4 * G)), 2980, False),
        (E(Abs(G)) + E(G**4), Rational(38, 10), True),
        (E(sin(G) ** 2 / (1 + G**2)), 1, False),
    ],
)
def test_a_mean_with_a_closed_form_is_compared(mean, most, shown):
    assert is_shown(Le(mean, most), chain(mean).le(most, by=ball_arithmetic)) == shown


@thorough_only
def test_powers_of_maxima_are_polynomials_of_bars():
    left = E(Max(G, 0) ** 4)
    assert equal(left, Rational(3, 2), gaussian_calculus)
    assert not equal(left, Rational(4, 3), gaussian_calculus)


D = 1 + 2 * p**2


@pytest.mark.parametrize(
    ("integrand", "value"),
    [
        (erf(G) ** 2, 1 - 8 * OwensT(sqrt(2) * t / sqrt(D), 1 / sqrt(1 + 4 * p**2))),
        thorough(
            exp(-(G**2)) * erf(G), exp(-(t**2) / D) * erf(t / sqrt(D * (1 + 4 * p**2))) / sqrt(D)
        ),
    ],
)
def test_means_under_a_law_that_is_not_centred(integrand, value):
    left = E(integrand, GaussianLaw({G: t}, [[p**2]]))
    assert equal(left, value, gaussian_calculus)
    assert not equal(left, value + p, gaussian_calculus)


def test_a_mean_without_a_closed_form_is_named():
    mean = E(sin(G) ** 2 / (1 + G**2))
    said = {"the existence of ": (), "no closed form is known of ": (mean <= 1,)}
    for begin, given in said.items():
        claim = Claim("it", Eq(mean, g, evaluate=False), "test", hypotheses=given)
        claim.proof(lambda goal: chain(goal.lhs).then(goal.rhs, by=gaussian_calculus))
        assert refusals(claim)["1"].startswith(f"{begin}E[sin(G)**2/(G**2 + 1)]")


@pytest.mark.parametrize(("most", "shown"), [(2, True), (3, False)])
def test_a_law_that_exists_where_hypotheses_say_so(most, shown):
    claim = Claim("it", Eq(E(f(U), pair(t)), E(f(U), pair(t)), evaluate=False), "test",
                  hypotheses=(t**2 <= most,))  # fmt: skip
    emitter = ProofEmitter(claim, builtin_ledger().find, ProvedClaims())
    _, given = emitter.claim_context_and_hypotheses
    assert len(given) == (1 if shown else 2)
    assert is_covariance_matrix_formula(given[-1]) != shown


def test_exponentials_of_independent_variables_are_taken_apart():
    left = E(exp(-(G**2) - H**2), ProductLaw(UNIT, standard_normal(H)))
    assert equal(left, Rational(1, 3), gaussian_calculus)
    assert not equal(left, Rational(1, 2), gaussian_calculus)


@thorough_only
@pytest.mark.parametrize("factor", [1, Rational(1001, 1000)])
def test_a_product_of_correlated_erf(factor):
    first, second = (Symbol(name, real=True, nonzero=True) for name in ("m", "n"))
    law = GaussianLaw({U: first, W: second}, [[p**2, r * p**2], [r * p**2, p**2]])
    value = erf_product_mean(2 * p * first, 2 * p * second, 4 * p**4, 4 * p**4, 4 * p**4 * r)
    left = E(erf(2 * p * U) * erf(2 * p * W), law)
    assert equal(left, factor * value, gaussian_calculus, (Le(r**2, 1),)) == (factor == 1)


R2 = 1 + 4 * p**2 + 4 * p**4 * (1 - r**2)


@pytest.mark.parametrize(
    ("integrand", "value"),
    [
        (exp(-(U**2) - W**2), exp(-D * t**2 / R2) / sqrt(R2)),
        pytest.param(
            exp(-(W**2)) * erf(U), erf(t * sqrt(D) / sqrt(R2)) / sqrt(D), marks=thorough_only
        ),
    ],
)
def test_means_of_exponentials_of_correlated_variables(integrand, value):
    left = E(integrand, GaussianLaw({U: t, W: 0}, [[p**2, r * p**2], [r * p**2, p**2]]))
    assert equal(left, value, gaussian_calculus, (Le(r**2, 1),))


@thorough_only
def test_another_mean_of_exponentials_is_refused():
    left = E(exp(-(U**2) - W**2), GaussianLaw({U: t, W: 0}, [[p**2, r * p**2], [r * p**2, p**2]]))
    assert not equal(left, exp(-D * t**2 / R2) / sqrt(R2) + p, gaussian_calculus, (Le(r**2, 1),))


# SymPy's zeta is even: the arguments that are written may have other signs than the score.
@pytest.mark.parametrize("score", [thorough(1 - p * U), p * U - t])
def test_the_mean_of_a_square_is_zeta(score):
    left = E(erf(score) ** 2, GaussianLaw({U: t}, [[r**2]]))
    at_mean = score.subs(U, t)
    assert equal(left, zeta(at_mean, p * r), gaussian_calculus, (r > 0,))
    assert not equal(left, zeta(at_mean + 1, p * r), gaussian_calculus, (r > 0,))


def test_products_of_slopes_of_erf_are_exponentials_of_sums():
    A, B = sqrt(1 + 2 * p**2), sqrt(1 + 4 * p**2)
    products = erf_prime(t / A) * erf_prime(t / (A * B)) / B + erf_second(t / A) * erf(t / (A * B))
    slope = 2 * erf_prime(t / A) * erf(t / (A * B)) / A
    left = E(U**2 * erf(U) ** 2, GaussianLaw({U: t}, [[p**2]]))
    value = (t**2 + p**2) * zeta(t, p) + 2 * t * p**2 * slope + 2 * p**4 * products / A**2
    assert equal(left, value, gaussian_calculus)
