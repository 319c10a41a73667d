"""Claims about a flow with one part drawn and made false are not proved by the same proof.

The flow is u' = a u (1 - u) of `docs/how-to/flows.py`, with a growth rate, for 0 < delta < 1 and
starts between delta and 1. Each variant is false for some values of the parameters, by hand.
"""

import numpy as np
import pytest
from sympy import Eq, Equivalent, Lt, Or, Rational, symbols

from slrsym.proof import (
    Claim,
    Ledger,
    all_of,
    chain,
    differentiate,
    having,
    lemma,
    only_at,
    signs,
    solution,
    solution_set,
    split_product,
)
from slrsym.proof.dynamical import (
    DecaysAlong,
    FlowLimitsSolve,
    FlowsConvergeTo,
    RegionKept,
    by_theorem,
    flow,
)
from tests._profile import more, thorough_only

u = symbols("u", real=True)
a, delta = symbols("a delta", positive=True)
TRUE = {"sign": 1, "constant": 0, "region": delta, "rate": a * delta, "end": 1}
# What is said of the flow, and may be made false.
IDS = ("kept", "rate", "ends", "tends")


def claims(sign, constant, region, rate, end):
    """Return the claims that the region is kept, limits are zeros, and what decays, and tends."""
    speed = a * u * (1 - u)
    F = flow({u: sign * speed + constant})
    starts, zeros = F.region(1 - u, u - region), F.function(2 * u * (1 - u))
    about = {"source": "logistic growth", "hypotheses": [Lt(delta, 1)]}
    kept = Claim(id="variant-kept", statement=RegionKept(F, starts), **about)
    decays = Claim(
        id="variant-rate", statement=DecaysAlong(F, starts, F.function(1 - u), rate), **about
    )
    ends = Claim(id="variant-ends", statement=FlowLimitsSolve(F, starts, zeros), **about)
    tends = Claim(
        id="variant-tends", statement=FlowsConvergeTo(F, starts, F.points((end,))), **about
    )
    at = region if region != 0 else delta

    @kept.proof
    def _(goal):
        """Divide the slope of the distance from 1 by it; at the lower end the size rises."""
        divides = chain(-a * u * (1 - u)).le(F.rate_of(1 - u), by=differentiate)
        rises = having(
            chain(u).le(at, by=signs).lt(1, by=signs),
            chain(1 - u).gt(0, by=signs),
            chain(F.rate_of(u - region)).then(speed, by=differentiate).gt(0, by=signs),
        )
        below = RegionKept(F, F.region(1 - u))
        first = by_theorem(
            below, "flow-cofactor", {"cofactors": F.function(-a * u)}, rises_1=divides
        )
        return by_theorem(goal, "flow-barrier", {"first": 1}, first=first, rises_2=rises)

    @decays.proof
    def _(goal):
        """The distance is multiplied by -a u, and u >= delta."""
        falls = chain(F.rate_of(1 - u) + rate * (1 - u)).then(
            -(a * u - rate) * (1 - u), by=differentiate
        )
        fast = having(chain(a * u - rate).ge(0, by=signs), falls.le(0, by=signs))
        return by_theorem(goal, "flow-gronwall", kept=lemma("variant-kept"), decays=fast)

    @ends.proof
    def _(goal):
        """Integrate minus the speed: this function falls."""
        height = (u**3 / 3 - u**2 / 2) / a
        falls = chain(4 * u**2 * (1 - u) ** 2 + 4 * F.rate_of(height)).then(0, by=differentiate)
        return by_theorem(
            goal,
            "flow-lasalle",
            {"function": F.function(height), "factor": 4, "bound": 1},
            kept=lemma("variant-kept"),
            bounded=all_of(chain(u).ge(-1, by=signs), chain(u).le(1, by=signs)),
            falls=falls.le(0, by=signs),
        )

    @tends.proof
    def _(goal):
        """Of the two zeros one is outside of the region."""
        other = 1 - end
        return by_theorem(
            goal,
            "flow-limit",
            {"equations": zeros, "outside": ((other, 1),)},
            limits=lemma("variant-ends"),
            solutions=lemma("variant-rest"),
            outside_1=chain(other - region).lt(0, by=signs),
        )

    rest = Claim(
        id="variant-rest",
        source="logistic growth",
        statement=Equivalent(
            Eq(2 * u * (1 - u), 0, evaluate=False), Or(Eq(u, 0), Eq(u, 1)), evaluate=False
        ),
    )

    @rest.proof
    def _(goal):
        """Split the product: it is 0 where a factor is."""
        at_0 = only_at(2 * u, u, 0, then=solution())
        at_1 = only_at(1 - u, u, 1, then=solution())
        return solution_set(goal, (u,), split_product(2 * u * (1 - u), at_0, at_1))

    return kept, decays, ends, tends, rest


def statuses(parts):
    """Return the status of each claim, by the last word of its id."""
    ledger = Ledger()
    for claim in claims(**parts):
        ledger.add(claim)
    assert not ledger.problems
    return {row.id.removeprefix("variant-"): row.status for row in ledger.verify(effort=0.2)}


def drawn(part, rng):
    """Return the parts with one that is false, and the claims that this makes false."""
    small = Rational(int(rng.integers(1, 10)), int(rng.integers(10, 1000)))
    side = int(rng.choice([-1, 1]))
    value, false = {
        # Shrinks: it leaves the region, and tends to the other zero.
        "sign": (-1, [x for x in IDS if x != "ends"]),
        # Where a is small, it leaves at one of both ends. Upwards, the distance decays faster.
        "constant": (side * small, [x for x in IDS if side < 0 or x != "rate"]),
        # From u < 0 it tends to minus infinity, and 0 rests.
        "region": (-small * delta, IDS),
        # At u = delta it is faster than the distance decays.
        "rate": (a * delta * (1 + small), ["rate"]),
        "end": (0, ["tends"]),
    }[part]
    return TRUE | {part: value}, false


@more
def test_the_true_claims_are_proved():
    assert statuses(TRUE) == dict.fromkeys((*IDS, "rest"), "proved")


@thorough_only
@pytest.mark.parametrize("part", [*TRUE])
def test_no_false_variant_is_proved(part):
    rng = np.random.default_rng([*TRUE].index(part))
    for _ in range(1 if part in ("sign", "end") else 3):
        parts, false = drawn(part, rng)
        found = statuses(parts)
        assert [name for name in false if found[name] == "proved"] == [], parts
