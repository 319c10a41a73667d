"""What rules say where they refuse: one step for each reason."""

from __future__ import annotations

from typing import Any

import pytest
from sympy import Function, Ge, Le, Symbol, symbols
from sympy import sign as sgn

from slrsym.gaussian import Expectation, GaussianLaw, IIDSum, NoiseLaw, standard_normal
from slrsym.proof import (
    D,
    algebra,
    cauchy_schwarz,
    chain,
    complete_the_square,
    gaussian_calculus,
    inside,
    jensen,
    poincare,
    price,
    sign,
    stein,
    substitution,
    symmetry,
    tangent,
)
from slrsym.prover.rules.step import Rule
from slrsym.prover.statements.expressions import Refused
from tests._profile import thorough_cases

from ._steps import check

a, b, t, G, H, Y = symbols("a b t G H Y", real=True)
p = Symbol("p", positive=True)
r = Symbol("r", real=True)
n = Symbol("n", integer=True)
LAW = standard_normal(G)
PAIR = GaussianLaw({G: 0, H: 0}, [[1, r], [r, 1]])
NOISE = NoiseLaw(Y, 1)
h = Function("h", real=True)


def E(integrand: Any, law: Any = LAW) -> Expectation:
    return Expectation(integrand, law)


copies = IIDSum(G**2, LAW, n)

REFUSED: list[tuple[Any, str, Any, Rule, str]] = [
    # Of expectations.
    (E(G), "=", E(G, PAIR), inside(algebra), "not expectations under the same law"),
    (E(G), "=", 0, inside(algebra), "not expectations under the same law"),
    (D(E(G**2), (t, 2)), "=", 0, price, "is no first derivative"),
    (E(sgn(G - H) ** 2, PAIR), "=", 1, gaussian_calculus, "0 < 2 - 2*r is not shown"),
    # Of Gaussian variables.
    (E(G), "=", 0, stein(a), "no expectation has a variable of a"),
    (E(Y, NOISE), "=", 0, stein(Y), "Y is not Gaussian"),
    (E(H, standard_normal(H)), "=", 0, substitution({G: Y}, standard_normal(Y)), "variable of G"),
    (E(Y, NOISE), "=", 0, symmetry(Y), "Y is not Gaussian"),
    (E(G, PAIR), "=", 0, symmetry(G), "r = -r is not shown"),
    (G * E(G), "=", 0, complete_the_square(LAW), "contains a variable of the node"),
    # Of analysis.
    (a * E(t), "<", b * E(t) + 1, tangent(t**2, t, a, b), "are not known to compare"),
    (E(G) ** 2, "<=", E(h(G) ** 2), jensen(t**2, t), "are not known to compare"),
    (E(h(G)) ** 2, "<=", E(h(G) ** 4), cauchy_schwarz(G, h(G)), "are not known to compare"),
    (E(h(G)) ** 2, "<=", 1, poincare(h(G)), "are not known to compare"),
    (a, ">", b, sign, "are not known to compare: -a + b < 0"),
]  # fmt: skip


@thorough_cases("Gaussian calculus: E[sign(G - H)**2] = 1")
@pytest.mark.parametrize(
    "case", REFUSED, ids=lambda case: f"{case[3]}: {case[0]} {case[1]} {case[2]}"
)
def test_a_rule_refuses_and_says_why(case: Any) -> None:
    left, relation, right, rule, why = case
    step = getattr(chain(left), {"=": "then", "<=": "le", "<": "lt", ">": "gt"}[relation])
    with pytest.raises(Refused) as refusal:
        check(step(right, by=rule), Ge(r, -1), Le(r, 1))
    assert why in str(refusal.value), str(refusal.value)
