"""The Bayes risk: what the theorem on conditional expectations asks for, and what it refuses."""

from __future__ import annotations

import pytest
from sympy import Eq, Gt, IndexedBase, Le, Sum, Symbol, symbols

from slrsym.gaussian import Expectation, NoiseLaw, standard_normal
from slrsym.papers.single_location.bayes_risk import BAYES_RISK
from slrsym.papers.single_location.notation import L, epsilon
from slrsym.papers.single_location.task import noise, xi
from slrsym.proof import (
    Claim,
    Ledger,
    algebra,
    chain,
    check_claim,
    in_words,
    lemma,
    noise_moments,
    sign,
)
from slrsym.proof.dynamical import by_theorem

l = symbols("l", integer=True)  # noqa: E741
w, y = IndexedBase("w", real=True), IndexedBase("y", real=True)
m, p = symbols("m p", real=True)


def average(term):
    return Sum(w[l] * term, (l, 1, L)) / Sum(w[l], (l, 1, L))


def identity(mistake):
    best = average(y[l])
    right = average((y[l] - best) ** 2 + epsilon**2) + (1 + mistake) * (best - p) ** 2
    statement = Eq(average((y[l] - p) ** 2 + epsilon**2), right, evaluate=False)
    claim = Claim("given-tokens", statement, "", hypotheses=[Gt(Sum(w[l], (l, 1, L)), 0)])
    claim.proof(lambda goal: chain(goal.lhs).then(goal.rhs, by=algebra))
    return claim


def noisy():
    statement = Eq(Expectation((m + xi - p) ** 2, noise()), (m - p) ** 2 + epsilon**2)
    claim = Claim("given-location", statement, "")
    claim.proof(lambda goal: chain(goal.lhs).then(goal.rhs, by=noise_moments))
    return claim


def bayes(goal=BAYES_RISK, law=None, given=(), **without):
    claim = Claim("bayes", goal, "", hypotheses=list(given))
    shown = {
        "given_location": lemma("given-location"),
        "given_tokens": lemma("given-tokens"),
        "at_least": chain((m - p) ** 2 + epsilon**2).ge(epsilon**2, by=sign),
    }
    values = {"noise": noise() if law is None else law}
    kept = {name: by for name, by in shown.items() if without.get(name, True)}
    claim.proof(lambda goal: by_theorem(goal, "conditional-risk", values, **kept))
    return claim


def verdict(*claims):
    ledger = Ledger({c.id: c for c in claims}, [])
    return check_claim(claims[-1], ledger.find)


def test_it_is_shown_from_the_risk_at_given_tokens():
    found = verdict(noisy(), identity(0), bayes())
    assert found.accepted, found
    assert "conditional-expectation" in found.axioms


@pytest.mark.parametrize("missing", ["given_location", "given_tokens", "at_least"])
def test_nothing_may_be_missing(missing):
    assert not verdict(noisy(), identity(0), bayes(**{missing: False})).accepted


def test_another_identity_is_not_proved():
    """The statement rests on an axiom of the proof checker; the claim, on one that is false."""
    claims = noisy(), identity(1), bayes()
    rows = {row.id: row for row in Ledger({claim.id: claim for claim in claims}).verify()}
    assert (rows["given-tokens"].status, rows["bayes"].status) == ("failed", "conditional")


# Sequences are free in what the theorem asks for, so that a hypothesis may restrict them.
_free = pytest.mark.xfail(strict=True, reason="the checker's schema allows it")


@pytest.mark.parametrize(
    "restriction",
    [
        Gt(p, 0),
        pytest.param(Le(y[l], 1), marks=_free),
        pytest.param(Gt(w[l], 0), marks=_free),
        Eq(m, 0),
    ],
)
def test_what_holds_for_all_may_not_be_restricted(restriction):
    found = verdict(noisy(), identity(0), bayes(given=[restriction]))
    assert not found.accepted


@pytest.mark.parametrize(
    ("goal", "law", "message"),
    [
        (in_words("Every predictor is perfect."), None, "shows Every measurable"),
        (BAYES_RISK, NoiseLaw(Symbol("xi", real=True), epsilon), "noise of variance"),
        (BAYES_RISK, standard_normal(xi), "noise of variance"),
    ],
)
def test_other_goals_and_noises_are_refused(goal, law, message):
    found = verdict(noisy(), identity(0), bayes(goal, law))
    assert not found.accepted
    assert message in str(found)
