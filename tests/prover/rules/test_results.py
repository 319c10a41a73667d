"""What rules say that they give: the result of a rule beside a step that it refused."""

from __future__ import annotations

from typing import Any

import mpmath
import pytest
from sympy import (
    Add,
    Derivative,
    Float,
    Function,
    ImmutableMatrix,
    Integral,
    Rational,
    S,
    Symbol,
    cos,
    erf,
    exp,
    factorial2,
    lambdify,
    oo,
    pi,
    simplify,
    sin,
    sqrt,
    symbols,
)

from slrsym.gaussian import (
    Expectation,
    GaussianLaw,
    IIDSum,
    NoiseLaw,
    OwensT,
    ProductLaw,
    erf_prime,
    standard_normal,
    zeta,
)
from slrsym.gaussian.noise_and_product_laws import Law
from slrsym.proof import (
    D,
    algebra,
    conditioning,
    definition,
    density,
    differentiate,
    differentiate_under_expectation,
    gaussian_calculus,
    peel_copy,
    price,
    stein,
    substitution,
    symmetry,
)
from slrsym.prover.rules.chain import at
from slrsym.prover.rules.context import Context, covariances_of_laws
from slrsym.prover.rules.gaussian import partial_derivative, replace_outermost_expectations
from slrsym.prover.rules.step import Link, Rule
from slrsym.prover.statements.expressions import Refused

t, G, H, Y, Z = symbols("t G H Y Z", real=True)
p, q = symbols("p q", positive=True)
r = Symbol("r", real=True)
n = Symbol("n", integer=True, nonnegative=True)
h, f = Function("h", real=True), Function("f", real=True)
ONE, OTHER, NOISE = standard_normal(G), standard_normal(H), NoiseLaw(Y, 1)
PAIR = GaussianLaw({G: 0, H: 0}, [[1, r], [r, 1]])
MEANS = GaussianLaw({G: p, H: q}, [[2, r], [r, 3]])
MOVING = GaussianLaw({G: t, H: t**2}, [[1, t], [t, 2]])
SHIFTED = GaussianLaw({G: t}, [[p]])
APART = ProductLaw(ONE, OTHER)
COPY = Symbol("G'", real=True)


def E(integrand: Any, law: Any = ONE) -> Expectation:
    return Expectation(integrand, law)


def given(law: Any, rule: Rule, integrand: Any) -> tuple[Rule, Any, Any]:
    """Return a case in which a rule leaves an expectation as it is."""
    return rule, E(integrand, law), E(integrand, law)


FORMS = {G: Z, H: r * Z + Y}
NEW = GaussianLaw({Z: 0, Y: 0}, [[1, 0], [0, 1 - r**2]])
# The integrand's slope in t, and half of the derivative of 2 t in both orders of G and H.
MEAN_OF_PRICE = E(2 * G * H, MOVING) + 2 * t * E(G**2, MOVING) + E(2 * G, MOVING)

RESULTS = [
    # Of analysis.
    (algebra, t, None),
    (differentiate, D(t**3, t) + at(D(sin(t * r), t), {r: p}), 3 * t**2 + p * cos(p * t)),
    (differentiate, D(E(exp(t * G)), t) + D(t, t), D(E(exp(t * G)), t) + 1),
    (definition, zeta(t, p) * t, t * E(erf(t + p * G) ** 2)),
    # Of expectations.
    (differentiate_under_expectation, 1 + p * D(E(exp(t * G)), t), 1 + p * E(G * exp(t * G))),
    (differentiate_under_expectation, D(E(exp(t * G)), (t, 2)), E(G**2 * exp(t * G))),
    (differentiate_under_expectation, D(t**2, t), D(t**2, t)),
    (conditioning(H), E(G * H, PAIR),
     E(E(G * H, GaussianLaw({G: r * H}, [[1 - r**2]])), OTHER)),
    (conditioning(H), E(G * H, MEANS),
     E(E(G * H, GaussianLaw({G: p + r * (H - q) / 3}, [[2 - r**2 / 3]])),
       GaussianLaw({H: q}, [[3]]))),
    (conditioning(G), E(G * H, APART), E(E(G * H, OTHER), ONE)),
    (conditioning(H, Y), E(G * H * Y, ProductLaw(PAIR, NOISE)),
     E(E(G * H * Y, GaussianLaw({G: r * H}, [[1 - r**2]])), ProductLaw(OTHER, NOISE))),
    given(PAIR, conditioning(Y), G * H),
    given(PAIR, conditioning(G, H), G * H),
    (peel_copy, E(t * IIDSum(G**2, ONE, n + 1) + H, OTHER),
     E(t * (IIDSum(G**2, ONE, n) + COPY**2) + H, ProductLaw(OTHER, standard_normal(COPY)))),
    given(OTHER, peel_copy, H + IIDSum(G, ONE, n) * IIDSum(G**2, ONE, n)),
    (gaussian_calculus, E(G**4) + E(exp(t * G)), 3 + exp(t**2 / 2)),
    (gaussian_calculus, E(exp(-p * G**2)), 1 / sqrt(1 + 2 * p)),
    (gaussian_calculus, E(D(t * G**2, t)), 1),
    (price, D(E(G**2 * H, MOVING), t), MEAN_OF_PRICE),
    (price, D(E(G**2 * H + t * G, MOVING), t),
     E(G, MOVING) + E(2 * G * H + t, MOVING) + 2 * t * E(G**2, MOVING) + E(2 * G, MOVING)),
    (price, D(t**2, t), D(t**2, t)),
    (price, D(E(G**2, MOVING), (t, 2)), D(E(G**2, MOVING), (t, 2))),
    (price, D(E(t * Y, NOISE), t), D(E(t * Y, NOISE), t)),
    # Of Gaussian variables.
    (stein(G), E(G * h(H), PAIR), r * E(Derivative(h(H), H), PAIR)),
    (stein(G), E(G * sin(G), SHIFTED), t * E(sin(G), SHIFTED) + p * E(cos(G), SHIFTED)),
    (stein(G), E(G * erf(t * G)), t * E(erf_prime(t * G))),
    (stein(G), 1 + t * E(G**3 * exp(t * G)), 1 + t * (3 * t + t**3) * E(exp(t * G))),
    (stein(G), E(G * sin(H), APART), S.Zero),
    (stein(G, H), E(G * H * exp(t * G), PAIR), (r + r * t**2) * E(exp(t * G), PAIR)),
    given(PAIR, stein(G), H * sin(G)),
    given(NOISE, stein(Y), Y**2),
    given(ONE, stein(G), sin(G) / G),
    (substitution(FORMS, NEW), 2 * E(G * H, PAIR), 2 * E(Z * (r * Z + Y), NEW)),
    given(ONE, substitution(FORMS, NEW), G),
    (symmetry(G), E(G**2 + G**3), E(G**2)),
    (symmetry(G), E(G, SHIFTED), E(t, SHIFTED)),
    (symmetry(G, H), E(G * H + G, PAIR), E(G * H, PAIR)),
    (symmetry(G), E(G * H + H, APART), E(H, APART)),
    given(ProductLaw(ONE, NOISE), symmetry(Y), Y * G),
    given(APART, density, G),
    given(PAIR, density, G),
]  # fmt: skip


def without_constants(node: Expectation) -> Any:
    """Return an expectation as a sum, with what is no random variable outside of it."""
    parts = [
        term.as_independent(*node.law.symbols, as_Add=False)
        for term in Add.make_args(node.integrand.expand(power_exp=False))
    ]
    return Add(*(factor * (1 if rest == 1 else E(rest, node.law)) for factor, rest in parts))


def split(expr: Any) -> Any:
    return replace_outermost_expectations(expr, without_constants).as_dummy().expand()


@pytest.mark.parametrize("case", RESULTS, ids=lambda case: f"{case[0]}: {case[1]}")
def test_a_rule_gives(case: Any) -> None:
    rule, left, result = case
    made = rule.gives(Link(left, "=", S.Zero), Context())
    assert made == result or split(made - result) == 0


def test_the_result_of_prices_theorem_is_the_derivative_of_the_moment() -> None:
    """E G^2 H is m^2 k + m^2's variance times k + 2 m c for means m, k and covariance c."""
    moment = t**2 * t**2 + 1 * t**2 + 2 * t * t
    made = gaussian_calculus.gives(Link(MEAN_OF_PRICE, "=", S.Zero), Context())
    assert (made - moment.diff(t)).expand() == 0


def test_a_density_is_that_of_the_law() -> None:
    made = density.gives(Link(2 * E(G * cos(G), SHIFTED), "=", S.Zero), Context())
    factor, integral = made.args
    assert (factor, integral.limits) == (2, ((G, -oo, oo),))
    wanted = G * cos(G) * exp(-((G - t) ** 2) / (2 * p)) / sqrt(2 * pi * p)
    assert simplify(integral.function / wanted) == 1


def test_owens_t_is_defined_by_its_integral() -> None:
    """At a = 1 it is P(1 - P)/2, where P is the normal distribution function at h."""
    value = Rational(3, 10)
    made = definition.gives(Link(2 * OwensT(value, 1), "=", S.Zero), Context())
    ((x, *ends),) = made.atoms(Integral).pop().limits
    area = mpmath.quad(lambdify(x, made.atoms(Integral).pop().function, "mpmath"), ends)
    found = made.replace(Integral, lambda *_: Float(area))
    normal = (1 + erf(value / sqrt(2))) / 2
    assert abs((found - normal * (1 - normal)).evalf()) < 1e-13


@pytest.mark.parametrize(
    ("function", "slope"),
    [
        (G * erf(t * G), erf(t * G) + t * G * erf_prime(t * G)),
        (G**3 * H, 3 * G**2 * H),
        # At 0 as well: a power is not divided by its base.
        (H * G ** (n + 2), (n + 2) * H * G ** (n + 1)),
        (H ** (n + 2) * G, H ** (n + 2)),
    ],
    ids=str,
)  # fmt: skip
def test_a_slope_is_written_without_quotients(function: Any, slope: Any) -> None:
    made = partial_derivative(function, G)
    assert (made - slope).expand(power_exp=False) == 0


class Twice(Law):
    """The law of one variable and the same again, which is of no kind that rules know."""

    symbols, parameters = (G, H), frozenset()


@pytest.mark.parametrize(
    ("rule", "node", "message"),
    [
        (conditioning(G), E(G * H, Twice()), "cannot condition Twice()"),
        (stein(G), E(G**80), "Stein's lemma does not come to an end here"),
    ],
    ids=str,
)
def test_a_rule_gives_nothing(rule: Rule, node: Expectation, message: str) -> None:
    with pytest.raises(Refused) as refusal:
        rule.gives(Link(node, "=", S.Zero), Context())
    assert str(refusal.value) == message


def test_steins_lemma_is_used_39_times_on_a_term() -> None:
    made = stein(G).gives(Link(E(G**78), "=", S.Zero), Context())
    assert made == E(factorial2(77))


def test_covariances_are_read_from_laws_that_have_some() -> None:
    found = covariances_of_laws(E(G * H, Twice()) + E(Y, NOISE) + E(G * H, PAIR))
    assert found == (ImmutableMatrix([[1, r], [r, 1]]), ImmutableMatrix([[1]]))
