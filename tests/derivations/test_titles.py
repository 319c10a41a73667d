"""What titles speak of stands in the statements: means, variances and moments, for one."""

from __future__ import annotations

import re

from slrsym.gaussian import Expectation
from slrsym.matrices import MatrixMean
from slrsym.prover.statements.words import InWords

OF_MEANS = re.compile(r"\$E |E\[|\bmeans?\b|\bmean square|variance|\bmoments?\b|probability")
# Their titles speak of a mean without one in the statement, and say so: of numbers by another
# claim or in closed form, of weights that are given, or of a formula that the claim is a part of.
WITHOUT = {
    "arctangents-of-slopes": "In the formula for",
    "assumption-1": "by claim assumption-1-mean",
    "bayes-risk-given-tokens": "sum w_l y_l/sum w_l",
    "committee-floor-linear": "the sum of covariances $u",
    "committee-floor-linear-error": "half the sum $u$ of covariances",
    "committee-floor-solution": "Cramer's rule solves",
    "informative-token-alignment": "in closed form",
    "proposition-3-constant-location": "its probability is 0 or 1",
    "proposition-3-moment": "second moment $1 + p (gamma^2 - 1)$",
    "proposition-3-steepness": "second moment $1 + p (gamma^2 - 1)$",
    "proposition-3-token": "informative with probability $p$",
    "proposition-3-token-bound": "informative with probability $p$",
    "softmax-conditional-mean": "by the weights of Bayes' formula",
    "token-norms-equal": "by claim token-norms",
}


def test_titles_of_means_have_means(ledger):
    found = {
        id: claim.title
        for id, claim in ledger.claims.items()
        if OF_MEANS.search(claim.title)
        and not any(
            part.has(Expectation, MatrixMean) for part in (claim.statement, *claim.hypotheses)
        )
        and not claim.statement.has(InWords)
    }
    assert found.keys() == WITHOUT.keys()
    assert all(WITHOUT[id] in title for id, title in found.items())


def test_titles_name_claims_that_there_are(ledger):
    """They name them with the word "claim" before, or as the ids of several words."""
    for id, claim in ledger.claims.items():
        text = re.sub(r"\$[^$]*\$", "", f"{claim.title} {claim.source} {claim.proof_idea}")
        named = re.findall(r"\bclaim ([a-z0-9]+(?:-[a-z0-9]+)+)", text)
        assert set(named) <= ledger.claims.keys(), id
