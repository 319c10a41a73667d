"""Hypotheses about functions whose parameters the laws of means have, too."""

from __future__ import annotations

from typing import Any

import pytest
from sympy import Eq, Function, Ge, Implies, Le, symbols

from slrsym.gaussian import Expectation, GaussianLaw
from slrsym.proof import (
    ClaimVerdict,
    ForAll,
    chain,
    check_claim,
    gaussian_calculus,
    inside,
    instance,
    signs,
)
from tests.prover.tactics._shown import claim_of

m, r, u, v, z, w = symbols("m r u v z w", real=True)
s = symbols("s", positive=True)
f, h = Function("f", real=True), Function("h", real=True)
pair = GaussianLaw({u: 0, v: 0}, [[1, r], [r, 1]])
single = GaussianLaw({u: m}, [[s**2]])

linear = ForAll(z, Eq(f(z), r * z))
square = ForAll(z, Eq(f(z), r * z**2))
below = ForAll(z, Le(f(z), r * z))
later = ForAll(z, Implies(Ge(z, 0), Eq(f(z), r * z)))
affine = ForAll(z, Eq(f(z), m * z + s))
product = ForAll(z, ForAll(w, Eq(h(z, w), r * z * w)))


def E(integrand: Any, law: GaussianLaw = pair) -> Expectation:
    return Expectation(integrand, law)


def verdict(relation: Any, start: Any, value: Any, links: Any, given: Any) -> ClaimVerdict:
    """Judge how a mean compares with a value, by the links of a chain that ends with it."""
    made = chain(start)
    for to, rule in links:
        made = made.le(to, by=rule) if relation is Le else made.then(to, by=rule)
    made = made.then(value, by=gaussian_calculus)
    statement = relation(start, value, evaluate=False)
    return check_claim(claim_of(statement, made, given), {}.__getitem__)


at_most = signs.using(chain(f(u)).le(r * u, by=instance(below, u)))
CASES = [
    pytest.param(Eq, E(u * v), r, [], linear, id="not-used"),
    pytest.param(
        Eq, E(f(u) * v**2), r * (1 + 2 * r**2),
        [(E(r * u**2 * v**2), inside(instance(square, u)))], square, id="square",
    ),
    pytest.param(
        Le, E(f(u) * v**2), 0, [(E(r * u * v**2), inside(at_most))], below, id="inequality"
    ),
    pytest.param(
        Eq, E(f(s) * u * v), r**2 * s, [(E(r * s * u * v), inside(instance(later, s)))], later,
        id="half-line",
    ),
    pytest.param(
        Eq, E(f(u), single), m**2 + s, [(E(m * u + s, single), inside(instance(affine, u)))],
        affine, id="mean-and-variance",
    ),
    pytest.param(
        Eq, E(h(u, v)), r**2, [(E(r * u * v), inside(instance(product, u, v)))], product,
        id="two-variables",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("relation", "start", "value", "links", "given"), CASES)
def test_means_under_hypotheses_about_a_function(relation, start, value, links, given):
    given = [r > -1, r < 1, given]
    found = verdict(relation, start, value, links, given)
    assert found.accepted, found.failure
    assert not verdict(relation, start, value - 1, links, given).accepted
