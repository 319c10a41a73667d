"""The page of lemmas of other papers: all proved, quickly, and none of their false variants."""

import re
from collections import Counter
from pathlib import Path
from statistics import median
from time import process_time

import pytest

from slrsym.proof import builtin_ledger
from slrsym.prover.claims.check import check_claim
from slrsym.prover.claims.ledger import load_claims
from slrsym.prover.rules.axioms import is_soundness_axiom
from tests._benchmarks import benchmark
from tests._profile import NIGHTLY, more, nightly_only, one_in, thorough_cases, thorough_only
from tests.docs._false_lemmas import false_variants, is_false

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "lemmas.md"
FILES = sorted(PAGE.parent.glob("lemmas*.py"))
CLAIMS = [claim for file in FILES for claim in load_claims(file)]
FIND = builtin_ledger().find
KIND = benchmark("false_lemmas").kind_of


def by_id(claim):
    return claim.id


@thorough_cases("robbins-siegmund-sums")
@pytest.mark.parametrize("claim", one_in(9, CLAIMS), ids=by_id)
def test_proved(claim):
    start = process_time()
    verdict = check_claim(claim, FIND)
    seconds = process_time() - start
    assert verdict.failure == ""
    assert verdict.accepted
    assert not any(map(is_soundness_axiom, verdict.axioms))
    # Some seconds; more than that is a search that has gone astray.
    assert seconds <= 30


@nightly_only
def test_proofs_are_found_quickly():
    seconds = []
    for claim in CLAIMS:
        start = process_time()
        check_claim(claim, FIND)
        seconds.append(process_time() - start)
    print(f"{len(seconds)} lemmas, median {median(seconds):.2f} s, at most {max(seconds):.1f} s")
    assert median(seconds) <= 3
    assert max(seconds) <= 30


def test_the_page_shows_every_lemma():
    text = PAGE.read_text(encoding="utf-8")
    assert f"Here are {len(CLAIMS)} lemmas" in text
    assert len({claim.id for claim in CLAIMS}) == len(CLAIMS) >= 30
    assert all(claim.title and claim.source for claim in CLAIMS)
    for file in FILES:
        marks = re.findall(r"^# \[(\w+)\]$", file.read_text(encoding="utf-8"), re.MULTILINE)
        assert marks
        assert all(f'{file.name}\n:start-after: "# [{mark}]"' in text for mark in marks)


@pytest.mark.parametrize("claim", one_in(9, CLAIMS), ids=by_id)
def test_no_lemma_is_false_at_a_point(claim):
    assert not is_false(claim)


@thorough_only
@pytest.mark.parametrize("claim", CLAIMS, ids=by_id)
def test_no_false_variant_is_proved(claim):
    count = 3 if NIGHTLY else 1
    found = false_variants(claim, count)
    assert len(found) == count
    assert [v.id for v in found if check_claim(v, FIND).accepted] == []


def test_a_false_variant_is_refused():
    (claim,) = (c for c in CLAIMS if c.id == "laurent-massart")
    (variant,) = false_variants(claim, 1)
    verdict = check_claim(variant, FIND)
    assert KIND(verdict.accepted, verdict.failure) == "point"


@more
@nightly_only
def test_refusals_of_three_hundred_false_variants_name_the_point():
    found = [v for seed in range(1, 7) for claim in CLAIMS for v in false_variants(claim, 1, seed)]
    assert len(found) >= 300
    verdicts = [check_claim(variant, FIND) for variant in found]
    kinds = Counter(KIND(v.accepted, v.failure) for v in verdicts)
    print(kinds)
    assert kinds["proved"] == 0
    assert kinds["point"] >= 0.9 * len(verdicts)
