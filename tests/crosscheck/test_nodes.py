"""Values of single nodes, and what the numerical check does not give a value."""

from __future__ import annotations

import re

import numpy as np
import pytest
from flint import arb
from sympy import (
    ITE,
    Abs,
    And,
    Derivative,
    Eq,
    EulerGamma,
    Heaviside,
    I,
    IndexedBase,
    Integral,
    KroneckerDelta,
    Limit,
    Max,
    Min,
    Mul,
    N,
    Not,
    Or,
    Piecewise,
    Product,
    Rational,
    S,
    Subs,
    Sum,
    Symbol,
    Xor,
    acos,
    asin,
    asinh,
    atan,
    conjugate,
    cos,
    cosh,
    erf,
    erfc,
    erfi,
    exp,
    factorial,
    gamma,
    im,
    log,
    pi,
    sign,
    sin,
    sinh,
    sqrt,
    symbols,
    tan,
    tanh,
)
from sympy import re as real_part

from slrsym.crosscheck import Disagreement, Inconclusive, compare, evaluate, is_true_at
from slrsym.crosscheck.ball_quadrature import correct_digits
from slrsym.crosscheck.gaussian_factors import (
    absorb_exponential_into_density,
    split_off_gaussian_exponent,
)
from slrsym.crosscheck.integrands import evaluate_elementary_derivative
from slrsym.crosscheck.node_evaluator import NodeEvaluator
from slrsym.crosscheck.random_values import Bounds, has_declared_properties, random_family_entries
from slrsym.gaussian import Expectation, IIDSum, NoiseLaw, standard_normal
from slrsym.gaussian.special_functions import erf_prime, erf_second, normal_cdf, normal_pdf

R = Rational
x, y, z, G, U, V, W = symbols("x y z G U V W", real=True)
n = Symbol("n", integer=True)
j = Symbol("j", integer=True)
p, q = IndexedBase("p"), IndexedBase("q", shape=(n,))
NORMAL = standard_normal(G)
PLANE = standard_normal(U, W)


def assert_value(expr, point, exact, digits=30):
    found = evaluate(expr, point, digits).number
    assert abs(complex(found - N(exact, 50)._to_mpmath(200))) < 10.0 ** (1 - digits)


def mean(integrand, law=NORMAL):
    return Expectation(integrand, law)


CASES = Piecewise((1, And(x > 0, y > 0)), (2, Or(x > 0, y > 0)), (3, Not(Eq(x, -1))), (4, True))
OTHERS = Piecewise((1, Eq(x, 1)), (2, x >= 3), (3, x <= -2), (4, x < 0), (5, True))


@pytest.mark.parametrize(
    ("expr", "point", "exact"),
    [
        (CASES, {x: 1, y: 1}, 1),
        (CASES, {x: 1, y: 0}, 2),
        (CASES, {x: 0, y: 1}, 2),
        (CASES, {x: -2, y: 0}, 3),
        (CASES, {x: -1, y: 0}, 4),
        *((OTHERS, {x: at}, is_) for at, is_ in ((1, 1), (3, 2), (-2, 3), (-1, 4), (0, 5))),
        (x ** R(1, 3), {x: 0}, 0),
        (x ** R(2, 3), {x: 8}, 4),
        (x ** R(-1, 3), {x: 8}, R(1, 2)),
        (x ** R(1, 3), {x: -8}, 1 + sqrt(3) * I),
        (x ** R(-3, 2), {x: 4}, R(1, 8)),
        (sqrt(x), {x: -4}, 2 * I),
        (x**y, {x: 2, y: R(1, 2)}, sqrt(2)),
        (x**y, {x: -2, y: -3}, -R(1, 8)),
        (x**y, {x: -1, y: R(1, 3)}, R(1, 2) + sqrt(3) * I / 2),
        (log(x), {x: -1}, pi * I),
        (Max(x, y, z), {x: 1, y: 3, z: 2}, 3),
        (Min(x, y, z), {x: 2, y: 3, z: 1}, 1),
        (KroneckerDelta(x, y), {x: R(1, 2), y: R(1, 2)}, 1),
        (KroneckerDelta(x, y), {x: R(1, 2), y: R(1, 3)}, 0),
        (factorial(x), {x: 4}, 24),
        (real_part(3 + 4 * I * Symbol("c")), {Symbol("c"): 2 + I}, -1),
        (im(3 + 4 * I * Symbol("c")), {Symbol("c"): 2 + I}, 8),
        (conjugate(Symbol("c")), {Symbol("c"): 2 + I}, 2 - I),
        (Abs(Symbol("c")), {Symbol("c"): 3 + 4 * I}, 5),
        (x + Integral(1 / z, (z, y, y)), {x: 2, y: 1}, 2),
        (Integral(3 * z**2, (z, y, x)), {x: 2, y: 1}, 7),
        (Integral(3 * z**2, (z, y, x)), {x: 1, y: 2}, -7),
        (Limit(sign(x) + x, x, 0, "+"), {}, 1),
        (Limit(sign(x) + x, x, 0, "-"), {}, -1),
        (p[1, 2] + p[2, 1], {p: {(1, 2): 5, (2, 1): R(1, 2)}}, R(11, 2)),
        (p[2] - p[7], {p: {2: 5, 7: 1}}, 4),
        (p[n], {p[3]: 7, n: 3}, 7),
        (Product(j, (j, 1, n)), {n: 4}, 24),
        (Product(j, (j, 1, n)), {n: 0}, 1),
        *((f(x), {x: R(1, 3)}, f(R(1, 3)))
          for f in (exp, erf, erfc, erfi, sin, cos, tan, sinh, cosh, tanh, asin, acos, atan, asinh,
                    gamma, normal_pdf, normal_cdf)),
        (erf_prime(x), {x: R(1, 3)}, 2 * exp(-R(1, 9)) / sqrt(pi)),
        (erf_second(x), {x: R(1, 3)}, -4 * exp(-R(1, 9)) / sqrt(pi) / 3),
    ],
)  # fmt: skip
def test_values(expr, point, exact):
    assert_value(expr, point, exact)


density = normal_pdf(1)
inside = erf(1 / sqrt(2))


@pytest.mark.parametrize(
    ("integrand", "law", "exact"),
    [
        (Piecewise((1, And(G > 0, G < 1)), (0, True)), NORMAL, inside / 2),
        (Piecewise((1, Or(G < -1, G > 1)), (0, True)), NORMAL, 1 - inside),
        (Piecewise((0, Not(And(G > -1, G <= 1))), (x, x > 1), (0, True)), NORMAL, 2 * inside),
        # Half the mean of log |G|, and half that of |G|^(-1/2).
        (Piecewise((log(Abs(G)), G > 0), (0, True)), NORMAL, -(EulerGamma + log(2)) / 4),
        (Piecewise((1 / sqrt(Abs(G)), G > 0), (0, True)), NORMAL,
         gamma(R(1, 4)) / (2 * 2 ** R(1, 4) * sqrt(pi))),
        # From 0 to infinity |1 - g| is of mean 2 Phi(1) - 3/2 - phi(0) + 2 phi(1).
        (Abs(sign(G) - G), NORMAL, 2 * inside - 1 - 2 * normal_pdf(0) + 4 * density),
        (Abs(Heaviside(G) - G), NORMAL, inside - R(1, 2) + 2 * density),
        (Abs(G**2 + 1), NORMAL, 2),
        # E[q] = 1, and q = (2 G + 1)(G - 1) is negative from -1/2 to 1.
        (Abs(2 * G**2 - G - 1), NORMAL,
         1 - inside - erf(1 / sqrt(8)) + 2 * density + 4 * normal_pdf(R(1, 2))),
        (U**2 + 1, NoiseLaw(U, 0), 1),
        (Sum(G**j, (j, 1, 4)), NORMAL, 4),
        (Product(G + j, (j, 1, 2)), NORMAL, 3),
        (Subs(Derivative(sin(y), y), y, G), NORMAL, exp(-R(1, 2))),
        # The rays at 45 and at 90 degrees bound an eighth of the plane, and only two of the three
        # lines cross there.
        (Heaviside(U) * Heaviside(U + W) * Heaviside(W - U), PLANE, R(1, 8)),
        # Given U + W = sqrt(2) v, the probability of U > 0 is Phi(v).
        (Heaviside(U + W) * Heaviside(1 - U - W) * Heaviside(U), PLANE,
         (normal_cdf(1 / sqrt(2)) ** 2 - R(1, 4)) / 2),
        # The determinant of 1 + B B^T is 5 for the rows (1, -1) and (1, 0) of B.
        (normal_pdf(U - W) * normal_pdf(U), PLANE, 1 / (2 * pi * sqrt(5))),
    ],
)  # fmt: skip
def test_expectations(integrand, law, exact):
    assert_value(mean(integrand, law), {x: 2}, exact, 7)


copies = IIDSum(U, standard_normal(U), n)


@pytest.mark.parametrize(
    ("expr", "point", "kind", "said"),
    [
        (Piecewise((1, x > 0)), {x: -1}, Inconclusive,
         "no branch of Piecewise((1, x > 0)) applies"),
        (Sum(j, (j, 1, n)), {n: 100_002}, Inconclusive,
         "Sum(j, (j, 1, n)) has more than 100000 terms"),
        (Sum(j, (j, 1, x)), {x: R(1, 2)}, Inconclusive, "x is not an integer at this point"),
        (p[3], {p: (1, 2)}, ValueError, "p[3] is outside of the 2 values given for p"),
        (p[0], {p: (1, 2)}, ValueError, "p[0] is outside of the 2 values given for p"),
        (p[3], {}, ValueError, "the point has no value for p[3]"),
        (p[1, 3], {p: {(1, 2): 5}}, ValueError, "the point has no value for p[1, 3]"),
        (mean(IIDSum(copies, NORMAL, 2)), {n: 1}, Inconclusive,
         "a sum of copies inside a sum of copies: "),
        (mean(copies), {n: -2}, Inconclusive, " has -2 copies at this point"),
        (Derivative(sin(x), (x, n)), {x: 1, n: 1}, Inconclusive,
         "cannot differentiate n times in x"),
        (Integral(x, x), {x: 1}, Inconclusive, "Integral(x, x) has no limits of integration"),
        (Heaviside(Symbol("c")), {Symbol("c"): I}, Inconclusive,
         "an order needs a real number; got 1.0000000j"),
        (Integral(z, (z, 0, Symbol("c"))), {Symbol("c"): I}, Inconclusive,
         "a limit of integration needs a real number; got 1.0000000j"),
        (mean(Max(U, V, W), standard_normal(U, V, W)), {}, Inconclusive,
         "it bends or jumps in 3 independent directions"),
        (mean(Abs(U * W + sin(U)), PLANE), {}, Inconclusive,
         "where U*W + sin(U) vanishes is not known, and the integrand bends there"),
    ],
)  # fmt: skip
def test_what_has_no_value_is_said(expr, point, kind, said):
    with pytest.raises(kind, match=re.escape(said)):
        evaluate(expr, point)


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        (S.true, True),
        (S.false, False),
        (Xor(x > 0, y > 0), True),
        (Xor(x > 0, y < 0), False),
        (Xor(x > 0, y < 0, z > 0), True),
        (ITE(x > 0, y > 0, y < 0), False),
        (ITE(x < 0, y > 0, y < 0), True),
    ],
)
def test_combinations_of_relations(statement, expected):
    assert is_true_at(statement, {x: 1, y: -1, z: 1}) is expected


@pytest.mark.parametrize(
    ("statement", "given", "said"),
    [
        (S.false, (), "False fails: False against True"),
        (Eq(x, 3, evaluate=False), [Eq(x, R(5, 2), evaluate=False)],
         "x = 3 fails at x = 5/2: 2.5 against 3.0"),
        (x**2 < 6, [Eq(x, R(5, 2), evaluate=False)], "x**2 < 6 fails at x = 5/2: 6.25 against 6.0"),
        # What differs late is shown with so many digits that the difference is seen.
        (Eq(x, R(5, 2) + R(1, 10**22), evaluate=False), [Eq(x, R(5, 2), evaluate=False)],
         "2.5 against 2.5000000000000000000001"),
    ],
)  # fmt: skip
def test_a_disagreement_names_the_point_and_both_sides(statement, given, said):
    with pytest.raises(Disagreement) as found:
        compare(statement, given, rng=np.random.default_rng(0))
    assert str(found.value).endswith(said)


@pytest.mark.parametrize(
    "f",
    [exp, log, erf, erfc, erfi, sin, cos, sinh, cosh, atan, asin, acos, erf_prime, erf_second,
     normal_pdf, normal_cdf, lambda u: u**3 * sqrt(u) / (1 + u), lambda u: (2 + y) ** 3 * u],
)  # fmt: skip
def test_slopes(f):
    found = evaluate_elementary_derivative(Derivative(f(x / 3), x, evaluate=False))
    exact = f(x / 3).rewrite(erf).diff(x) if f in (erf_prime, erf_second) else f(x / 3).diff(x)
    assert abs(N((found - exact).subs({x: R(7, 5), y: 2}).doit(), 30)) < 1e-25


@pytest.mark.parametrize(
    ("exponent", "root", "absorbed"),
    [
        # N(1/2, 4) times exp(x - x^2/2): precision 1 + 1/4, mean (1 + 1/8)/(5/4).
        (x - x**2 / 2, 2, (exp(R(19, 40)) / sqrt(5), R(9, 10), 2 / sqrt(5))),
        (3 * x + 7, 2, (exp(R(53, 2)), R(25, 2), 2)),
        # The integral diverges, the exponent is not real, nothing is random.
        (x**2 / 8, 2, None),
        (I * x**2, 2, None),
        (-(x**2), None, None),
    ],
)
def test_a_factor_is_absorbed_into_the_density(exponent, root, absorbed):
    roots = {x: [] if root is None else [arb(root)]}
    found = absorb_exponential_into_density(
        exponent, {x: arb(1) / 2}, roots, NodeEvaluator({}, 30).ball
    )
    if absorbed is None:
        assert found is None
    else:
        factor, means, turned = found
        for ball, exact in zip((factor, means[x], abs(turned[x][0])), absorbed, strict=True):
            assert abs(float(ball) / float(exact) - 1) < 1e-14


@pytest.mark.parametrize(
    ("integrand", "parts"),
    [
        (normal_pdf(x) ** 2 * cos(y), (1 / (2 * pi), cos(y), -(x**2))),
        (erf_prime(x - y) * exp(x), (2 / sqrt(pi), 1, x - (x - y) ** 2)),
        (exp(x**3) * exp(x * z) * 3, (1, 3 * exp(x**3) * exp(x * z), 0)),
        (exp(x) ** -2, (1, 1, -2 * x)),
        (Mul(exp(2 * x), 1 / normal_pdf(y)), (1, 1 / normal_pdf(y), 2 * x)),
    ],
)
def test_gaussian_factors_are_split_off(integrand, parts):
    found = split_off_gaussian_exponent(integrand, frozenset((x, y)), frozenset((x, y, z)))
    assert all((a - b).expand() == 0 for a, b in zip(found, map(S, parts), strict=True))


def test_families_have_as_many_entries_as_is_said():
    rng = np.random.default_rng(0)
    matrix, m = IndexedBase("q", shape=(n, 2)), IndexedBase("q", shape=(n,))
    assert len(random_family_entries(m, None, {n: S(3)}, rng)) == 3
    assert set(random_family_entries(matrix, None, {n: S(2)}, rng)) == {
        (1, 1), (1, 2), (2, 1), (2, 2),
    }  # fmt: skip
    weights = random_family_entries(p, n, {n: S(4)}, rng)
    assert (len(weights), sum(weights)) == (4, 1)
    assert all(weight >= 0 for weight in weights)
    for length in (R(1, 2), S(-1)):
        assert random_family_entries(m, None, {n: length}, rng) is None
        assert random_family_entries(matrix, None, {n: length}, rng) is None
        assert random_family_entries(p, n, {n: length}, rng) is None
    assert random_family_entries(p, n, {n: S(0)}, rng) is None
    assert len(random_family_entries(p, None, {n: S(9)}, rng)) == 9


@pytest.mark.parametrize(
    ("bounds", "inside", "outside"),
    [
        (Bounds(), (-9, 0, 9), ()),
        (Bounds(low=R(1)), (1, 2), (0,)),
        (Bounds(low=R(1), low_open=True), (2,), (0, 1)),
        (Bounds(high=R(1)), (0, 1), (2,)),
        (Bounds(high=R(1), high_open=True), (0,), (1, 2)),
        (Bounds(R(0), R(1), False, True), (0, R(1, 2)), (-1, 1, 2)),
        (Bounds(low=R(1)).intersect(Bounds(R(1), R(2), True)), (R(3, 2), 2), (1, 3)),
        (Bounds(high=R(2)).intersect(Bounds(R(1), R(2), False, True)), (1,), (R(1, 2), 2)),
    ],
)
def test_bounds_contain_their_ends_unless_these_are_open(bounds, inside, outside):
    assert all(bounds.contains(S(value)) for value in inside)
    assert not any(bounds.contains(S(value)) for value in outside)


@pytest.mark.parametrize(
    ("fact", "values"),
    [
        ("positive", {2}),
        ("negative", {-1, -R(1, 2)}),
        ("nonnegative", {0, 2}),
        ("nonpositive", {-1, -R(1, 2), 0}),
        ("nonzero", {-1, -R(1, 2), 2}),
        ("zero", {0}),
        ("integer", {-1, 0, 2}),
        ("real", {-1, -R(1, 2), 0, 2}),
    ],
)
def test_a_number_has_the_properties_that_a_symbol_declares(fact, values):
    symbol = Symbol("s", **{fact: True})
    drawn = map(S, (-1, -R(1, 2), 0, 2))
    assert {value for value in drawn if has_declared_properties(value, symbol)} == values


def test_digits_are_counted_relative_to_the_size():
    assert correct_digits(0, 5) == float("inf")
    assert correct_digits(1, 0) == -float("inf")
    assert abs(correct_digits(0.003, 30) - 4) < 1e-12
