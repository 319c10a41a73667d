"""The symmetric sector is kept for three students, too; a part of its equations is not."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest

from slrsym.crosscheck.flows import find_contradicting_trajectory
from slrsym.proof import Ledger
from slrsym.proof.dynamical import RegionKept
from tests._profile import nightly

FILE = Path(__file__).parents[2] / "derivations" / "committee" / "symmetric_sector.py"


@pytest.fixture(scope="module")
def sectors():
    return runpy.run_path(str(FILE))


@pytest.mark.parametrize("students", [nightly(3)])
def test_the_sector_is_kept_for_more_students(sectors, students):
    """Its statement is too long for the book: of three students it fills two pages."""
    differences = len(sectors["Sector"](students).moved)
    ledger = Ledger()
    for claim in (
        sectors["squares_claim"](differences),
        *sectors["sector_claims"](students, "x", "t"),
    ):
        ledger.add(claim)
    assert {row.status for row in ledger.verify()} == {"proved"}


def test_equal_lengths_alone_are_not_kept(sectors):
    sector = sectors["Sector"](2)
    x = sector.moved[0]
    statement = RegionKept(sector.flow, sector.flow.region(-((x - sector.image(x)) ** 2)))
    found = find_contradicting_trajectory(statement, (), np.random.default_rng(0))
    assert "a function of the region is -" in found


def test_coefficients_add_up_to_the_difference_of_velocities(sectors):
    """At numbers, by letters that stand for what they are short for."""
    sector = sectors["Sector"](2)
    letters = sectors["Letters"](sector)
    named = {sectors["real"](x): value for x, value in letters.values.items()}
    at = {x: 0.3 + 0.1 * k for k, x in enumerate(sector.flow.coordinates)}
    for x in sector.moved:
        row = [n.xreplace(named) for n in letters.coefficients(x)]
        total = sum(n * (y - sector.image(y)) for n, y in zip(row, sector.moved, strict=True))
        wanted = sector.velocity[x] - sector.velocity[sector.image(x)]
        assert abs(float(total.subs(at)) - float(wanted.subs(at))) < 1e-12
