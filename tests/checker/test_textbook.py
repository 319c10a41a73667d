"""Evidence for the page of statements from textbooks, and which of them have none."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from slrsym.claims.ledger import Ledger, load_file
from slrsym.tactics.bundled_log import SHIPPED
from slrsym.tactics.log_reuse import best_records
from slrsym.tactics.proof_log import emitted
from tests._profile import thorough

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "textbook.py"
# Nested maxima, squares of two, and balls for means that the table has not.
BARE = {"clipped", "arc-cosine-kernel-two", "tanh-squared", "logarithm-of-a-square"}
# Limits, and a power with a variable in the exponent.
NO_WORDS = {"even-moments", "limit-of-erf", "limit-of-zeta", "limit-at-zero"}
# Searches of more than a second.
SLOW = {
    "arcsine-by-price", "poincare", "arc-cosine-kernel-one", "arc-cosine-kernel-two", "mills",
    "subgaussian-tail", "clipped", "probit", "relu", "truncated-mean", "larger-of-two",
    "jensen-exponential",
}  # fmt: skip
IDS = [claim.id for claim in load_file(PAGE)]


@pytest.fixture(scope="module")
def ledger():
    return Ledger.load(PAGE)


@pytest.fixture(scope="module")
def shipped():
    return best_records(SHIPPED)


@pytest.mark.parametrize("id", [thorough(id) if id in SLOW else id for id in IDS])
def test_steps_have_evidence(id, ledger, shipped):
    left_out = []
    made = {em.claim.id: em for _, em in emitted([id], ledger.find, left_out, shipped)}
    assert left_out == ([id] if id in NO_WORDS else [])
    if id not in NO_WORDS:
        bare = [outcome.label for outcome in made[id].outcomes if outcome.refusal]
        assert bare == (["1"] if id in BARE else [])


def test_the_page_says_which_have_none():
    page = PAGE.with_suffix(".md").read_text(encoding="utf-8")
    told = page.split("## How much the proof checker confirms")[1]
    rows = [line for line in told.splitlines() if line.startswith("| `")]
    assert set(re.findall(r"`([a-z-]+)`", "".join(rows))) == BARE | NO_WORDS
    whole, total = len(load_file(PAGE)) - len(BARE | NO_WORDS), len(load_file(PAGE))
    assert re.search(rf"{whole} of the\s{total} completely", told)
