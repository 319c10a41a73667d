"""Claims that the gradient flow keeps where units are alike: proved, or refused in words."""

from __future__ import annotations

import numpy as np
import pytest
from sympy import Add, Max, S, erf, sqrt

from slrsym.crosscheck.flows import find_contradicting_trajectory
from slrsym.models import Direction, Predictor, Token, TokenSequence, model
from slrsym.models.claims.bounds_of_changes import BoundsOfChanges
from slrsym.models.claims.exchanges import exchange_of, find_exchanges
from slrsym.models.claims.model_flow import flow_of_equations
from slrsym.models.claims.sector_claims import SectorClaims
from slrsym.proof import Ledger, check_claim
from tests._benchmarks import benchmark
from tests._profile import thorough

flows = benchmark("model_flows")


def output(z):
    return erf(z / sqrt(2))


def committee(students, teachers, activation, rates=None):
    """Return the flow of several units that learn others, which are orthonormal."""
    u = [Direction(f"u_{k}", unit=True) for k in range(1, teachers + 1)]
    w = [Direction(f"w_{k}") for k in range(1, students + 1)]
    target = Token(target=lambda X: Add(*(activation(X @ x) for x in u)))
    return model(
        TokenSequence({target: 1}),
        Predictor(lambda X: Add(*(activation(X @ x) for x in w))),
        inner_products={x @ y: 0 for k, x in enumerate(u) for y in u[:k]},
    ).equations("gradient-flow", rate=rates and dict(zip(w, rates, strict=True)))


def differences(claim):
    """Return what is 0 in the region of a claim, which is minus a sum of squares."""
    (value,) = claim.statement.region.expr
    return {str((-term).base) for term in Add.make_args(value)}


def accepts(claims):
    """Return whether the checker accepts all of the claims."""
    ledger = Ledger({claim.id: claim for claim in claims})
    verdicts = {claim.id: check_claim(claim, ledger.find) for claim in claims}
    assert all(v.accepted for v in verdicts.values()), [v.failure for v in verdicts.values()]


def test_orthogonal_stays_orthogonal():
    claims = flows.equations("phase retrieval").flow_claims("sector-kept", name="own")
    assert claims[-1].id == "own-flow-sector-1-kept"
    assert differences(claims[-1]) == {"R"}
    ledger = Ledger({claim.id: claim for claim in claims})
    assert {row.status for row in ledger.verify()} == {"proved"}


CASES = {
    "linear": (lambda: committee(2, 1, lambda z: z), 1),
    "erf": (lambda: committee(2, 1, output), 1),
    "erf, two teachers": (lambda: committee(2, 2, output), 3),
    "three squares": (lambda: committee(3, 1, lambda z: z**2), 5),
    "three erf": (lambda: committee(3, 1, output), 1),
}


@pytest.mark.parametrize("name", [n if n == "linear" else thorough(n) for n in CASES])
def test_like_units_stay_alike(name):
    make, count = CASES[name]
    claims = make().flow_claims("sector-kept", name="own")
    kept = [claim for claim in claims if claim.id.endswith("-kept")]
    assert len(kept) == count
    accepts(claims)


def test_one_of_three_exchanges_of_like_units_is_stated():
    exchanges = find_exchanges(committee(3, 1, output))
    assert [len(group) for group in exchanges] == [3]
    (first, *_) = exchanges[0]
    assert first.in_words == "exchange of $w_1$ and $w_2$"


def test_attention_keeps_manifolds():
    """Without an activation, queries and values may be exchanged, and pairs change their signs."""
    equations = flows.attention(lambda z: z).equations("gradient-flow")
    claims = equations.flow_claims("sector-kept", name="own")
    kept = [claim for claim in claims if claim.id.endswith("-kept")]
    start = "The gradient flow keeps the points that the "
    assert [claim.title.removeprefix(start).removesuffix(" leaves alone") for claim in kept] == [
        "exchange of $k$ and $v$",
        "change of the signs of $k$, $v$",
        "change of the signs of $k$, $v^*$",
    ]
    others = ("own-flow-sector-1", "own-flow-sector-2")
    accepts([claim for claim in claims if not claim.id.startswith(others)])


def forced(equations):
    """Return the claims of an exchange of two students, which need be no symmetry."""
    model = equations.model
    images = {x: (x, 1) for x in model.directions}
    x, y, *_ = model.trained_directions
    exchange = exchange_of(equations, images | {x: (y, 1), y: (x, 1)})
    lemmas = BoundsOfChanges("own", "here")
    made = SectorClaims(flow_of_equations(equations), exchange, lemmas, 1).claims()
    return [*lemmas.made.values(), *made]


def test_a_sector_of_units_with_other_rates_is_not_kept():
    """Units with different rates do not stay alike: nothing is found, and a proof is refused."""
    equations = committee(2, 1, lambda z: z, rates=(1, 2))
    assert find_exchanges(equations) == []
    with pytest.raises(ValueError, match="no units are alike"):
        equations.flow_claims("sector-kept")
    claims = forced(equations)
    ledger = Ledger({claim.id: claim for claim in claims})
    assert not check_claim(ledger.find("own-flow-sector-1-form"), ledger.find).accepted
    said = claims[-1].statement
    found = find_contradicting_trajectory(said, (), np.random.default_rng(0))
    assert "a function of the region is" in found


def test_a_smaller_bound_is_refused(monkeypatch):
    """The rate at which differences grow has a constant that is used up."""
    monkeypatch.setattr(SectorClaims, "_bound_of", lambda *_: S(1) / 100)
    claims = forced(committee(2, 1, lambda z: z))
    ledger = Ledger({claim.id: claim for claim in claims})
    assert not check_claim(ledger.find("own-flow-sector-1-form"), ledger.find).accepted


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: flows.equations("linear student"), "no units are alike: no exchange"),
        thorough(lambda: committee(2, 1, lambda z: Max(0, z)), "it moves asin, too"),
        thorough(lambda: flows.equations("attention"), "at most 20000 are taken"),
    ],
)
def test_others_are_refused_in_words(make, says):
    with pytest.raises(ValueError, match=says):
        make().flow_claims("sector-kept")
