"""Claims about fixed points of gradient flows: rates, and that few starts end at a saddle."""

from __future__ import annotations

import pytest
from sympy import Rational, S, Symbol, sqrt

from slrsym.models.claims import fixed_point_claims
from slrsym.models.claims.fixed_point_claims import FixedPointClaims
from slrsym.proof import Ledger, check_claim
from tests._benchmarks import benchmark
from tests._profile import thorough, thorough_only
from tests.models.test_sector_claims import accepts, committee, output

flows = benchmark("model_flows")
rate = Symbol("rate", positive=True)
ORTHOGONAL = {"R": 0, "Q": Rational(1, 3)}


def test_the_optimum_of_a_linear_student_has_two_rates():
    equations = flows.equations("linear student")
    claims = equations.flow_claims("rates", at={"R": 1, "Q": 1}, name="own")
    assert [claim.id for claim in claims] == ["own-flow-rates", "own-flow-risk-decays"]
    assert claims[0].title.endswith("has the eigenvalues $- 2 rate$, $- 4 rate$")
    assert claims[1].statement.rate == 4 * rate
    ledger = Ledger({claim.id: claim for claim in claims})
    assert {row.status for row in ledger.verify()} == {"proved"}


def test_a_greater_rate_is_refused(monkeypatch):
    monkeypatch.setattr(fixed_point_claims, "cancel", lambda _: 5 * rate)
    equations = flows.equations("linear student")
    *_, claim = equations.flow_claims("rates", at={"R": 1, "Q": 1}, name="own")
    assert claim.statement.rate == 5 * rate
    assert not check_claim(claim, Ledger({claim.id: claim}).find).accepted


CASES = {
    "orthogonal": (lambda: flows.equations("phase retrieval"), ORTHOGONAL, True),
    "erf": (lambda: flows.equations("erf student"), {"R": 1, "Q": 1}, False),
}


@pytest.mark.parametrize("name", CASES)
def test_rates_and_saddles_are_proved(name):
    make, point, is_saddle = CASES[name]
    equations = make()
    kinds = ("rates", "few-starts") if is_saddle else ("rates",)
    claims = equations.flow_claims(*kinds, at=point, name="own")
    assert [claim.id for claim in claims] == [f"own-flow-{kind}" for kind in kinds]
    accepts(claims)


@pytest.mark.parametrize("name", [thorough("plateau")])
def test_the_plateau_of_two_students_has_rates(name):
    """The plateau has roots for coordinates, and the escape rate for an eigenvalue."""
    equations = committee(2, 2, output)
    point = {p: 1 / sqrt(6) if "u" in p.name else Rational(1, 3) for p in equations.state}
    accepts(equations.flow_claims("rates", at=point, name="own"))
    # The theorem is for four coordinates at most.
    with pytest.raises(ValueError, match="few-starts is for at most 4 coordinates"):
        equations.flow_claims("few-starts", at=point, name="own")


@thorough_only
def test_attention_starts_at_a_point_of_rest():
    equations = flows.attention(lambda z: z).equations("gradient-flow")
    point = dict.fromkeys(equations.state, 0)
    accepts(equations.flow_claims("rates", at=point, name="own"))


def test_a_stable_point_is_no_saddle(monkeypatch):
    equations = flows.equations("phase retrieval")
    with pytest.raises(ValueError, match="an eigenvalue of the Jacobian has to be positive"):
        equations.flow_claims("few-starts", at={"R": 1, "Q": 1})
    # A proof with an eigenvalue that the Jacobian does not have is refused.
    made = FixedPointClaims(equations, {"R": 1, "Q": 1}, "own", "here")
    monkeypatch.setitem(vars(made), "_eigenvalues", {16 * rate: 1})
    (claim,) = made.few_starts()
    assert not check_claim(claim, Ledger({claim.id: claim}).find).accepted


def test_another_constant_in_the_jacobian_is_refused():
    made = FixedPointClaims(flows.equations("phase retrieval"), ORTHOGONAL, "own", "here")
    made._jacobian[0, 0] += rate
    (claim,) = made.rates()
    assert not check_claim(claim, Ledger({claim.id: claim}).find).accepted


@pytest.mark.parametrize(
    ("kinds", "at", "says"),
    [
        (("rates",), None, "rates is about a fixed point: give its exact coordinates as at"),
        (("rates",), {"R": 0}, "at must have a value for Q"),
        (("rates",), {"R": 0, "Q": 0.5}, "at must have exact values; that of Q is 0.5"),
        (("rates",), {"R": 0, "Q": S.One}, "at must be a fixed point; at Q = 1, R = 0"),
        (("rates",), {"R": 0, "Q": 0, "z": 1}, "at has z, no coordinate of the state"),
        (("rates",), {"R": 0, "Q": Symbol("Q")}, "at must be a point"),
    ],
)
def test_others_are_refused_in_words(kinds, at, says):
    with pytest.raises(ValueError, match=says):
        flows.equations("phase retrieval").flow_claims(*kinds, at=at)


def test_a_number_of_units_that_is_a_symbol_is_refused():
    equations = flows.equations("committee of K units")
    with pytest.raises(ValueError, match="at is for models whose number of units is stated"):
        equations.flow_claims("rates", at=dict.fromkeys(equations.state, 0))
