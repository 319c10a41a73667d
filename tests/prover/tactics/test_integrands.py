"""Means of sines, hyperbolic functions and steps, and hypotheses for all values, in proofs."""

import pytest
from sympy import (
    Eq,
    Function,
    Heaviside,
    Lambda,
    Max,
    Symbol,
    cos,
    cosh,
    erf,
    erfc,
    exp,
    sin,
    sinh,
    symbols,
)

from slrsym.gaussian import Expectation, GaussianLaw, expectation, normal_cdf, standard_normal
from slrsym.proof import (
    Claim,
    D,
    ForAll,
    algebra,
    builtin_ledger,
    chain,
    differentiate,
    differentiate_under_expectation,
    equal_by_derivative,
    gaussian_calculus,
    instance,
    lemma,
    stein,
)
from slrsym.prover.rules.axioms import is_soundness_axiom
from slrsym.prover.tactics.judgement import judge_claim
from tests._profile import one_in

a, b, h, m, r, x, y, z = symbols("a b h m r x y z", real=True)
s = Symbol("s", positive=True)
f = Function("f", real=True)
ONE, WIDE = standard_normal(x), GaussianLaw({x: m}, [[s**2]])
PAIR = GaussianLaw({x: 0, y: 0}, [[1, r], [r, 1]])


def judged(statement, make, hypotheses=(), own=()):
    claim = Claim(id="tried", statement=statement, hypotheses=hypotheses, source="test")
    claim.proof(make)
    found = {c.id: c for c in own}
    return judge_claim(claim, lambda id: found.get(id) or builtin_ledger().find(id))


def is_proved(integrand, law, value):
    statement = Eq(Expectation(integrand, law), value, evaluate=False)
    verdict = judged(
        statement,
        lambda goal: chain(goal.lhs).then(goal.rhs, by=gaussian_calculus),
        [r > -1, r < 1],
    )
    return not verdict.problem and not any(map(is_soundness_axiom, verdict.axioms))


MEANS = [
    (cos(x), ONE), (sin(a + b * x), ONE), (cos(x), WIDE), (x * sin(a * x), ONE),
    (sin(a * x) * sin(b * x), ONE), (cos(x) ** 2, WIDE), (cos(a * x) * cos(b * y), PAIR),
    (x * y * cos(x - y), PAIR), (sinh(a * x), ONE), (sinh(x) ** 2, ONE),
    (cosh(a * x) * cos(x), ONE), (sinh(a * x) * erf(x), ONE), (erfc(a * x + b), ONE),
    (Heaviside(x - h), ONE), (Heaviside(h - x), ONE), (x * Heaviside(x - h), ONE),
    (exp(a * x) * Heaviside(x - h), ONE),
    (normal_cdf(s + b * x) ** 2, ONE), (x * normal_cdf(s + b * x) ** 2, ONE),
]  # fmt: skip


@pytest.mark.parametrize(("integrand", "law"), one_in(3, MEANS), ids=str)
def test_a_mean_is_proved(integrand, law):
    assert is_proved(integrand, law, expectation(integrand, law))


@pytest.mark.parametrize(
    ("integrand", "law"),
    one_in(5, [pair for pair in MEANS if not pair[0].has(normal_cdf)]),
    ids=str,
)
def test_a_wrong_mean_is_not_proved(integrand, law):
    value = expectation(integrand, law)
    assert not is_proved(integrand, law, value + 1)
    # A mean of 0 is its own opposite.
    assert value == 0 or not is_proved(integrand, law, -value)


# -- hypotheses for all values of a variable ------------------------------------------------------

t = Symbol("t", real=True)
keeps = Claim(
    id="keeps",
    statement=Eq(f(a), f(b), evaluate=False),
    hypotheses=[ForAll(t, Eq(D(f(t), t), 0))],
    source="test",
)


@keeps.proof
def _(goal):
    """Both sides are equal at a = b, and do not change with a."""
    slope = chain(D(f(a), a)).then(0, by=instance(ForAll(t, Eq(D(f(t), t), 0)), a))
    slope = slope.then(D(f(b), a), by=differentiate)
    return equal_by_derivative(goal, a, at=b, value=algebra, derivative=slope)


def constant(body, slope, values, statement, hypotheses=()):
    """Judge a statement by the claim that a function without slope is constant."""
    rule = lemma("keeps", f=Lambda(z, body), **values).where(slope)
    return judged(
        statement, lambda goal: chain(goal.lhs).then(goal.rhs, by=rule), hypotheses, [keeps]
    )


def test_a_proof_in_a_free_letter_shows_a_hypothesis_for_all_values():
    def mean(w):
        return Expectation(cos(w * x), ONE)

    slope = (
        chain(D(mean(z), z))
        .then(Expectation(-x * sin(z * x), ONE), by=differentiate_under_expectation)
        .then(-z * mean(z), by=stein(x))
    )
    rule = lemma("rate-of-a-bell", f=Lambda(z, mean(z)), p=1).where(slope)
    verdict = judged(
        Eq(mean(m), mean(0) * exp(-(m**2) / 2), evaluate=False),
        lambda goal: chain(goal.lhs).then(goal.rhs, by=rule),
    )
    assert verdict.problem == ""
    assert not any(map(is_soundness_axiom, verdict.axioms))


@pytest.mark.parametrize("slope_of", [z**2, sin(z), Max(z, 0)])
def test_a_false_hypothesis_for_all_values_is_refused(slope_of):
    slope = chain(D(slope_of, z)).then(0, by=differentiate)
    statement = Eq(slope_of.subs(z, x), slope_of.subs(z, y), evaluate=False)
    assert constant(slope_of, slope, {"a": x, "b": y}, statement).problem


def test_a_letter_that_a_hypothesis_restricts_is_no_variable():
    """That f' = 0 at one place does not say that it is 0 everywhere."""
    there = Eq(D(f(z), z), 0)
    slope = chain(D(f(z), z)).then(0, by=algebra)
    statement = Eq(f(x), f(y), evaluate=False)
    assert constant(f(z), slope, {"a": x, "b": y}, statement, [there]).problem
    everywhere = ForAll(z, there)
    slope = chain(D(f(z), z)).then(0, by=instance(everywhere, z))
    assert not constant(f(z), slope, {"a": x, "b": y}, statement, [everywhere]).problem
