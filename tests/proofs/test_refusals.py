"""What rules say where they refuse: one step for each reason."""

from __future__ import annotations

from typing import Any

import pytest
from sympy import (
    Abs,
    Derivative,
    Function,
    Ge,
    Integral,
    Le,
    Piecewise,
    S,
    Sum,
    Symbol,
    erf,
    exp,
    oo,
    symbols,
)
from sympy import (
    sign as sgn,
)

from slrsym.gaussian import (
    Expectation,
    GaussianLaw,
    IIDSum,
    NoiseLaw,
    standard_normal,
)
from slrsym.proof import (
    D,
    algebra,
    cauchy_schwarz,
    chain,
    complete_the_square,
    density,
    differentiate_under_expectation,
    gaussian_calculus,
    increasing,
    inside,
    integral_algebra,
    jensen,
    peel_copy,
    piecewise,
    poincare,
    price,
    sign,
    single_out,
    stein,
    substitution,
    symmetry,
    tangent,
)
from slrsym.proofs.step import Rule
from slrsym.statements.expressions import Refused

from ._steps import check

a, b, t, G, H, Y = symbols("a b t G H Y", real=True)
p = Symbol("p", positive=True)
r = Symbol("r", real=True)
n = Symbol("n", integer=True)
LAW = standard_normal(G)
PAIR = GaussianLaw({G: 0, H: 0}, [[1, r], [r, 1]])
MOVING = GaussianLaw({G: t}, [[1]])
NOISE = NoiseLaw(Y, 1)
h = Function("h", real=True)


def E(integrand: Any, law: Any = LAW) -> Expectation:
    return Expectation(integrand, law)


copies = IIDSum(G**2, LAW, n)

REFUSED: list[tuple[Any, str, Any, Rule, str]] = [
    # Of expectations.
    (E(G), "=", E(G, PAIR), inside(algebra), "not expectations under the same law"),
    (E(G), "=", 0, inside(algebra), "not expectations under the same law"),
    (E(G), "<", E(G + 1), inside(sign), "gives only a weak one here"),
    (D(a, a), "=", 1, differentiate_under_expectation, "neither side has a derivative of an exp"),
    (D(E(erf(t * G), MOVING), t), "=", 0, differentiate_under_expectation, "standardise it first"),
    (a, "=", a, gaussian_calculus, "neither side has an expectation"),
    (E(exp(G**2)), "=", 1, gaussian_calculus, "the exponential outgrows the density"),
    (E(a), "=", a, peel_copy, "not exactly one sum of copies"),
    (E(IIDSum(G, LAW, n) * H, standard_normal(H)), "=", 0, peel_copy, "a positive integer"),
    (a, "=", a, price, "neither side has a derivative of an expectation"),
    (D(E(G**2), (t, 2)), "=", 0, price, "is no first derivative"),
    (Derivative(E(erf(t * G)), t, a, evaluate=False), "=", 0, price, "is no first derivative"),
    (D(E(t * Y, NOISE), t), "=", 0, price, "is not Gaussian"),
    (D(E(erf(G), GaussianLaw({G: 0}, [[t]])), t), "=", 0, price, "may not exist here"),
    (E(sgn(G - H) ** 2, PAIR), "=", 1, gaussian_calculus, "may vanish for certain"),
    # Of Gaussian variables.
    (E(G), "=", 0, stein(a), "no expectation on the left has a variable of"),
    (E(Y, NOISE), "=", 0, stein(Y), "Y is not Gaussian"),
    (E(G), "=", 0, substitution({G: H}, standard_normal(a)), "H is not 0"),
    (E(H, standard_normal(H)), "=", 0, substitution({G: Y}, standard_normal(Y)), "is over G"),
    (E(G), "=", 0, substitution({G: 2 * Y}, standard_normal(Y)), "is not the law on the left"),
    (E(Y, NOISE), "=", 0, symmetry(Y), "its law need not be symmetric"),
    (E(G, PAIR), "=", 0, symmetry(G), "the normal forms of the two sides differ"),
    (E(G) * E(G**2), "=", 0, complete_the_square(LAW), "is not linear in expectations"),
    (E(H, standard_normal(H)), "=", 0, complete_the_square(LAW), "is not under a Gaussian law of"),
    (G * E(G), "=", 0, complete_the_square(LAW), "contains a variable of the law"),
    (E(G, PAIR), "=", 0, density, "is not an expectation in one Gaussian variable"),
    (E(G, GaussianLaw({G: 0}, [[t**2]])), "=", 0, density, "may be degenerate"),
    # Of analysis.
    (Integral(exp(-(a**2)), (a, 0, oo)), "=", 1, integral_algebra, "over a bounded interval"),
    (Sum(a, (n, 1, 3)), "=", 3 * a, single_out(t), "is not known to be an integer"),
    (Sum(a, (n, 1, 3)), "=", 3 * a, single_out(S(4)), "is known to have a term number 4"),
    (Sum(a, (n, 1, 3)), "=", 4 * a, single_out(S(2)), "of a sum apart"),
    (a, "<", a + 1, tangent(t**2, t, a, b), "this step says <"),
    (a, "<=", b, tangent(t**3, t, a, b), "is not known to be convex, nor concave"),
    (E(erf(G)), "<=", 0, jensen(t**2, t), "0 is no expectation"),
    (0, "<=", 1, jensen(t**2, t), "is no expectation"),
    (E(G) ** 2, "<=", E(G**4), jensen(t**2, t), "the normal forms of the two sides differ"),
    (E(a * G) ** 2, "<=", 0, cauchy_schwarz(G, a), "is none of the forms of the inequality"),
    (E(G) ** 2, "<=", 0, poincare(G), "is not the inequality for"),
    (a, "<=", Abs(a), piecewise(increasing(t**3, t, chain(a).le(b, by=sign))), "rests on proofs"),
    (Piecewise((a, a > 0)), "<=", a**2, piecewise(sign), "may leave something out"),
    (a, "=", b, sign, "this step says ="),
    (a, ">", b, sign, "is not known to be > 0 here"),
]  # fmt: skip


@pytest.mark.parametrize(
    "case", REFUSED, ids=lambda case: f"{case[3]}: {case[0]} {case[1]} {case[2]}"
)
def test_a_rule_refuses_and_says_why(case: Any) -> None:
    left, relation, right, rule, why = case
    step = getattr(chain(left), {"=": "then", "<=": "le", "<": "lt", ">": "gt"}[relation])
    with pytest.raises(Refused) as refusal:
        check(step(right, by=rule), Ge(r, -1), Le(r, 1))
    assert why in str(refusal.value), str(refusal.value)
