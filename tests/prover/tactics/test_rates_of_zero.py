"""That a function never rises along a flow is a decay at the rate 0, shown by letters."""

from __future__ import annotations

from sympy import S, diff, symbols

from slrsym.proof import Claim, Ledger, chain, check_claim, differentiate, signs
from slrsym.proof.dynamical import DecaysAlong, RegionKept, by_theorem, flow
from slrsym.prover.tactics import orbits

x, y = symbols("x y", real=True)


def verdict(sign):
    F, value = flow({x: sign * x, y: sign * y}), x**2 + y**2
    claim = Claim(
        id="falls",
        statement=DecaysAlong(F, F.region(), F.function(value), S.Zero),
        source="here",
    )

    @claim.proof
    def _(goal):
        stays = chain(S.Zero).le(F.rate_of(S.One), by=differentiate)
        kept = by_theorem(
            RegionKept(F, F.region()), "flow-cofactor", {"cofactors": F.function(0)}, rises_1=stays
        )
        slope = sum(diff(value, z) * f for z, f in zip(F.coordinates, F.velocities, strict=True))
        down = chain(F.rate_of(value)).then(slope, by=differentiate).le(0, by=signs)
        return by_theorem(goal, "flow-gronwall", kept=kept, decays=down)

    return check_claim(claim, Ledger({}).find)


def test_a_rate_of_zero_is_left_out_by_letters(monkeypatch):
    shown = []
    prove = orbits.prove_instance
    monkeypatch.setattr(
        orbits, "prove_instance", lambda *given: shown.append(given[1]) or prove(*given)
    )
    assert verdict(-1).accepted
    a, b = ("s", "a", "R"), ("s", "b", "R")
    assert shown == [("<=", ("+", a, ("*", ("n", 0, 1), b)), ("n", 0, 1))]


def test_a_function_that_rises_is_not_said_to_fall():
    assert not verdict(1).accepted
