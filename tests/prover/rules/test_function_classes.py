"""Hypotheses about any function: bounds of its values, its slope and its second derivative."""

from __future__ import annotations

import pytest
from sympy import Abs, And, Function, Ge, Le, Symbol, cos, sin, symbols

from slrsym.gaussian import Expectation, standard_normal
from slrsym.proof import (
    Bounded,
    Convex,
    D,
    ForAll,
    Increasing,
    Lipschitz,
    PolyakLojasiewicz,
    ProofError,
    Smooth,
    algebra,
    all_of,
    chain,
    differentiate,
    gaussian_calculus,
    having,
    inside,
    instance,
    jensen,
    lipschitz,
    monotone,
    poincare,
    tangent,
    taylor,
)
from slrsym.proof import sign as signs
from slrsym.prover.rules.function_classes import bounds_at
from tests.prover.tactics._shown import claim_of, refusals

u, v, x, z, G, mu, least, bound = symbols("u v x z G mu f_* c", real=True)
L = Symbol("L", positive=True)
f = Function("f", real=True)


def link(left, relation, right, rule):
    return {"<=": chain(left).le, ">=": chain(left).ge}[relation](right, by=rule)


def mean(integrand):
    return Expectation(integrand, standard_normal(G))


def line_at(point):
    return f(point) + D(f(point), point) * (v - point)


def test_each_hypothesis_is_what_one_would_write_by_hand():
    assert Lipschitz(f, L) == ForAll(x, And(Le(D(f(x), x), L), Ge(D(f(x), x), -L)))
    assert Smooth(f, L, z) == ForAll(z, And(Le(D(f(z), z, z), L), Ge(D(f(z), z, z), -L)))
    assert Convex(f) == ForAll(x, Ge(D(f(x), x, x), 0))
    assert Convex(f, mu) == ForAll(x, Ge(D(f(x), x, x), mu))
    assert Increasing(f) == ForAll(x, Ge(D(f(x), x), 0))
    assert Bounded(f, L) == ForAll(x, And(Le(f(x), L), Ge(f(x), -L)))
    above = 2 * mu * (f(x) - least)
    assert PolyakLojasiewicz(f, mu, least) == ForAll(x, Le(above, D(f(x), x) ** 2))


def test_what_is_no_hypothesis_about_a_function():
    with pytest.raises(ProofError, match="f must be a function"):
        Lipschitz(f(x), L)
    with pytest.raises(ProofError, match=r"bound = 2\*x must not depend on x"):
        Lipschitz(f, 2 * x)
    with pytest.raises(ProofError, match="bounds no derivative"):
        bounds_at(Bounded(f, L), z)


_SLOPES = Lipschitz(f, bound)
_BENDS = Smooth(f, bound)


@pytest.mark.parametrize(
    ("left", "relation", "right", "rule", "given"),
    [
        pytest.param(
            Abs(f(u) - f(v)), "<=", bound * Abs(u - v), lipschitz(f(z), z, u, v, bound=_SLOPES),
            [_SLOPES], id="lipschitz",
        ),
        pytest.param(
            Abs(f(u) - f(v)), "<=", bound * Abs(u - v), lipschitz(f(z), z, u, v, bound=_SLOPES),
            [_SLOPES, u <= v], id="lipschitz-in-order",
        ),
        pytest.param(
            Abs(f(u) - f(0)), "<=", bound * u, lipschitz(f(z), z, 0, u, bound=_SLOPES),
            [_SLOPES, u >= 0], id="lipschitz-from-a-number",
        ),
        pytest.param(
            Abs(D(f(u), u) - D(f(v), v)), "<=", bound * Abs(u - v),
            lipschitz(D(f(z), z), z, u, v, bound=_BENDS), [_BENDS], id="lipschitz-slope",
        ),
        pytest.param(
            f(v), "<=", line_at(u) + bound * (v - u) ** 2 / 2, taylor(f(z), z, u, v, bound=_BENDS),
            [_BENDS], id="smooth",
        ),
        pytest.param(
            f(v), ">=", line_at(u) + mu * (v - u) ** 2 / 2,
            taylor(f(z), z, u, v, bound=Convex(f, mu)), [Convex(f, mu)], id="strongly-convex",
        ),
        pytest.param(
            f(v), ">=", line_at(u), tangent(f(z), z, at=u, point=v), [Convex(f)], id="convex"
        ),
        pytest.param(mean(f(G)), ">=", f(mean(G)), jensen(f(z), z), [Convex(f)], id="jensen"),
        pytest.param(
            f(u), "<=", f(u + 1), monotone(f(z), z, u, u + 1, Increasing(f)), [Increasing(f)],
            id="increasing",
        ),
        pytest.param(
            mean(f(G)), "<=", mean(L), inside(instance(Bounded(f, L), G)), [Bounded(f, L)],
            id="bounded",
        ),
    ],
)  # fmt: skip
def test_what_follows_from_hypotheses_about_a_function(left, relation, right, rule, given):
    proof = link(left, relation, right, rule)
    assert refusals(claim_of(proof.conclusion, proof, given)) == {}


@pytest.mark.parametrize(
    ("left", "relation", "right", "rule", "given"),
    [
        (
            Abs(f(u) - f(v)), "<=", bound * Abs(u - v) / 2,
            lipschitz(f(z), z, u, v, bound=_SLOPES), [_SLOPES],
        ),
        (f(v), "<=", line_at(u), taylor(f(z), z, u, v, bound=_BENDS), [_BENDS]),
        (
            f(v), ">=", line_at(u) + mu * (v - u) ** 2,
            taylor(f(z), z, u, v, bound=Convex(f, mu)), [Convex(f, mu)],
        ),
        (f(v), "<=", line_at(u), tangent(f(z), z, at=u, point=v), [Convex(f)]),
        (f(v), ">=", line_at(u), tangent(f(z), z, at=u, point=v), [Convex(f, -1)]),
        (f(u), ">=", f(u + 1), monotone(f(z), z, u, u + 1, Increasing(f)), [Increasing(f)]),
        # The hypothesis is the rule's, but not the claim's.
        (Abs(f(u) - f(v)), "<=", bound * Abs(u - v), lipschitz(f(z), z, u, v, bound=_SLOPES), []),
    ],
)  # fmt: skip
def test_what_does_not_follow(left, relation, right, rule, given):
    proof = link(left, relation, right, rule)
    assert refusals(claim_of(proof.conclusion, proof, given)) != {}


def test_the_points_of_a_bounded_slope_may_be_in_any_order():
    slopes = all_of(
        chain(D(sin(z), z)).then(cos(z), by=differentiate).le(1, by=signs),
        chain(D(sin(z), z)).then(cos(z), by=differentiate).ge(-1, by=signs),
    )
    rule = lipschitz(sin(z), z, u, v, bound=slopes)
    proof = link(Abs(sin(u) - sin(v)), "<=", Abs(u - v), rule)
    assert refusals(claim_of(proof.conclusion, proof)) == {}


def test_poincare_for_a_lipschitz_function():
    slopes = Lipschitz(f, L)
    bounds = (
        chain(D(f(G), G)).le(L, by=instance(slopes, G)),
        chain(D(f(G), G)).ge(-L, by=instance(slopes, G)),
    )
    proof = (
        chain(mean(f(G) ** 2) - mean(f(G)) ** 2)
        .le(mean(D(f(G), G) ** 2), by=poincare(f(G)))
        .le(mean(L**2), by=inside(signs.using(*bounds)))
        .then(L**2, by=gaussian_calculus)
    )
    assert refusals(claim_of(proof.conclusion, proof, [slopes])) == {}


def test_gradient_descent_under_the_polyak_lojasiewicz_inequality():
    smooth, steep = Smooth(f, L), PolyakLojasiewicz(f, mu, least)
    slope = D(f(u), u)
    after = u - slope / L
    falls = (
        chain(f(after))
        .le(f(u) + slope * (after - u) + L * (after - u) ** 2 / 2,
            by=taylor(f(z), z, u, after, bound=smooth))
        .then(f(u) - slope**2 / (2 * L), by=algebra)
    )  # fmt: skip
    proof = having(
        chain(2 * mu * (f(u) - least)).le(slope**2, by=instance(steep, u)),
        falls,
        chain(f(after) - least)
        .le(f(u) - slope**2 / (2 * L) - least, by=signs)
        .le(f(u) - 2 * mu * (f(u) - least) / (2 * L) - least, by=signs)
        .then((1 - mu / L) * (f(u) - least), by=algebra),
    )
    assert refusals(claim_of(proof.conclusion, proof, [smooth, steep])) == {}
