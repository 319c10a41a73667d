"""The page of statements from textbooks: all proved, by short proofs."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from statistics import median

import pytest

from slrsym.proof import builtin_ledger
from slrsym.prover.claims.check import make_step_report, step_seed, try_numerical_check
from slrsym.prover.claims.ledger import load_claims
from slrsym.prover.rules.axioms import is_soundness_axiom
from slrsym.prover.rules.claim_steps import steps_of_claim
from slrsym.prover.tactics.judgement import judge_claim
from tests._profile import thorough_cases

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "textbook.py"
CLAIMS = load_claims(PAGE)
# What rests on the axiom that a rule is sound: limits, and closed forms that the checker has not.
CONDITIONAL = {
    "arc-cosine-kernel-two", "clipped", "limit-at-zero", "limit-of-erf", "limit-of-zeta",
    "logarithm-of-a-square", "tanh-squared",
}  # fmt: skip


# The other statements of the page; their evidence is searched for in tests/checker.
@thorough_cases(
    "relu",
    "probit",
    "chi-square-moment",
    "truncated-mean",
    "hermite-orthogonality",
    "larger-of-two",
    "sheppard",
    "quadrant",
    "arc-cosine-kernel-one",
    "arc-cosine-kernel-two",
    "hermite-pair",
    "price",
    "arcsine-by-price",
    "hypercontractive",
    "mills",
    "subgaussian-tail",
    "tenth-moment",
    "bell",
    "limit-of-zeta",
)
@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_proved(claim):
    find = builtin_ledger().find
    judgement = judge_claim(claim, find)
    # One random point for each step: two-dimensional quadratures with kinks take seconds.
    reports = [
        make_step_report(
            step, try_numerical_check(step, step_seed(claim, number, 0), points=1), judgement
        )
        for number, step in enumerate(steps_of_claim(claim, find))
    ]
    assert reports
    assert [str(report) for report in reports if not report.accepted] == []
    assert judgement.problem == ""
    assert any(map(is_soundness_axiom, judgement.axioms)) == (claim.id in CONDITIONAL)


def test_the_page_says_which_are_conditional():
    page = PAGE.with_suffix(".md").read_text(encoding="utf-8")
    told = page.split("## How much the proof checker confirms")[1]
    rows = [line for line in told.splitlines() if line.startswith("| `")]
    assert set(re.findall(r"`([a-z-]+)`", "".join(rows))) == CONDITIONAL
    assert f"proves {len(CLAIMS) - len(CONDITIONAL)} of the {len(CLAIMS)} statements" in told


def lines_of_proofs() -> dict[str, int]:
    """The lines of each proof: those of its body, a docstring apart."""
    found = {}
    for node in ast.parse(PAGE.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef) and node.name == "_":
            (decorator,) = node.decorator_list
            start = node.body[0].lineno
            found[decorator.args[0].value] = node.end_lineno - start + 1
    return found


def test_proofs_are_short():
    lines = lines_of_proofs()
    print(f"{len(lines)} statements, median {median(lines.values())} lines")
    assert set(lines) == {claim.id for claim in CLAIMS}
    assert len(lines) >= 30
    assert median(lines.values()) <= 4
