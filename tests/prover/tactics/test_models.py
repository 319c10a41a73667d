"""The risk of models with several tokens: means of sums of copies and of noise."""

from __future__ import annotations

import pytest
from sympy import Eq, exp

from slrsym.papers.committee.models import committee
from slrsym.papers.single_location.models import attention
from slrsym.proof import chain, gaussian_calculus
from tests._profile import thorough, thorough_only
from tests.prover.tactics._shown import is_shown, refusals

MODELS = {
    "erf": lambda: attention(),
    "linear": lambda: attention(lambda u: u),
    "exponential": lambda: attention(exp),
    "committee": lambda: committee(1, 1),
}


def risk(name):
    (claim,) = (c for c in MODELS[name]().model.claims("m") if c.id == "m-risk")
    return claim


# Five other activations.
@pytest.mark.parametrize("name", [thorough("erf"), "linear", "exponential", thorough("committee")])
def test_the_risk_is_shown(name):
    assert refusals(risk(name)) == {}


@thorough_only
def test_another_risk_is_not():
    left, right = risk("linear").statement.args
    wrong = Eq(left, right + 1, evaluate=False)
    assert not is_shown(wrong, chain(left).then(right + 1, by=gaussian_calculus))
