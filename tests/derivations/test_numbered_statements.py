"""Every numbered statement of the paper has a row, and no row says more than was shown."""

import re
from pathlib import Path

import pytest

from slrsym.documents.export.errata import ids_of_mentioned_claims
from slrsym.papers.single_location.bayes_risk import BAYES_RISK
from slrsym.prover.claims.papers import builtin_papers
from slrsym.prover.rules.claim_steps import steps_of_claim
from slrsym.prover.rules.lemmas import CITED
from slrsym.prover.statements.words import InWords
from slrsym.prover.tactics.bundled_log import bundled_record
from tests._profile import thorough_only

# From the text of the paper, in its order. Equations that are definitions are not in the list.
NUMBERED = {
    "(1)": ["attention-hard", "hard-attention-two-tokens"],
    "the attention layer (4)-(5) and the predictors (2), (3)": [
        "attention",
        "attention-erf",
        "attention-layer",
        "attention-layer-erf",
    ],
    "(2)": ["softmax-tends-to-hard"],
    "Assumption 1": ["assumption-1", "assumption-1-mean"],
    "Theorem 1": [
        "theorem-1",
        "theorem-1-overlaps",
        "theorem-1-laws",
        "theorem-1-location",
        "proposition-15",
    ],
    "(7)": ["zeta-derivative", "zeta-owens-t"],
    "(8)": ["bayes-risk", "bayes-bound", "bayes-bound-given-tokens"],
    "Corollary 2": ["corollary-2", "corollary-2-optimal", "corollary-2-rate"],
    "(9)": ["oracle-decomposition", "oracle-decomposition-distance"],
    "after (9)": ["linear-attention-fails"],
    "Proposition 3": [
        "proposition-3",
        "proposition-3-attained",
        "proposition-3-unique",
        "proposition-3-bound",
    ],
    "Definition 1": ["definition-1", "definition-1-tangent"],
    "Lemma 4": ["lemma-4", "lemma-4-chain-rule", "manifold-step"],
    "Theorem 5": ["theorem-5", "theorem-5-planar", "theorem-5-plane"],
    "Lemma 6": ["lemma-6"],
    "Lemma 7": ["lemma-7"],
    "Proposition 8": ["proposition-8", "proposition-8-descent"],
    "(14)": ["equation-14", "equation-14-vectors", "equation-14-counterexample"],
    "Proposition 9": ["proposition-9"],
    "Proposition 10": ["proposition-10", "proposition-10-minimum-only"],
    "Proposition 11": ["proposition-11"],
    "Proposition 12": ["proposition-12", "proposition-12-injective", "proposition-12-jacobian"],
    "Proposition 13": ["proposition-13", "proposition-13-manifold"],
    "Lemma 14": ["lemma-14"],
    "Proposition 15": ["proposition-15"],
    "Lemma 16": ["lemma-16"],
    "Lemma 17": ["lemma-17-i", "lemma-17-ii", "lemma-17-iii"],
    "Lemma 18": [f"lemma-18-{part}" for part in ("i", "ii", "iii", "iv", "v", "vi")],
    "(30), (31)": [
        "several-tokens-risk",
        "several-heads-mean",
        "several-heads-target",
        "several-heads-informative-pair",
        "several-heads-pair",
        "several-heads-oracle",
    ],
}


@pytest.mark.parametrize("item", NUMBERED)
def test_has_a_row(ledger, item):
    for id in NUMBERED[item]:
        assert id in ledger.claims, item


@thorough_only
def test_the_documentation_lists_them(ledger):
    page = Path(__file__).parents[2] / "docs" / "reference" / "paper.md"
    table = page.read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.*?) \| .* \| (`.*`) \|$", table, re.MULTILINE)
    shown = {name: re.findall(r"`([\w-]+)`", ids) for name, ids in rows}
    assert shown == {name[0].upper() + name[1:]: ids for name, ids in NUMBERED.items()}
    # It says that they are proved; what is certified or tested has no steps.
    for id in {id for ids in NUMBERED.values() for id in ids}:
        assert steps_of_claim(ledger.claims[id], ledger.find), id


def test_each_says_how_it_stands_against_the_paper(ledger):
    items = {id for ids in NUMBERED.values() for id in ids} - {"assumption-1", "assumption-1-mean"}
    without = {id for id in items if not ledger.claims[id].compared_to_source}
    # Steps on the way and risks, which the paper does not say, and special cases.
    assert without <= {
        "hard-attention-two-tokens",
        *NUMBERED["(30), (31)"],
        "bayes-bound",
        "zeta-owens-t",
        "theorem-5-planar",
        "oracle-decomposition-distance",
        "proposition-12-injective",
        "proposition-12-jacobian",
        "manifold-step",
    }
    # What is weaker than the paper, or against it, is told on the page of errata.
    errata = [texts for paper in builtin_papers() for _, texts in paper.errata]
    spoken = {id for texts in errata for text in texts for id in ids_of_mentioned_claims(text)}
    assert spoken <= set(ledger.claims)
    for id, claim in ledger.claims.items():
        assert not claim.compared_to_source.startswith(("weaker", "false")) or id in spoken, id


def test_nothing_is_left_to_the_literature(ledger, steps):
    for id, claim in ledger.claims.items():
        # Evidence on a box makes the sentence that it is for, and takes no other; and one sentence
        # is what a theorem shows.
        shown = (
            claim.is_empirical or claim.certificate() is not None or claim.statement == BAYES_RISK
        )
        assert not claim.statement.has(InWords) or shown, id
        assert CITED not in {step.rule.name for step in steps[id]}, id


# What the paper concludes by a theorem of the literature, and the one that it names.
BY_THEOREMS = {
    "proposition-8": {"monotone-convergence"},
    "proposition-11": {"connected-accumulation-points"},
    "proposition-13": {"center-stable-manifold", "null-sets-discs"},
    "theorem-5": {
        "center-stable-manifold",
        "connected-accumulation-points",
        "monotone-convergence",
        "null-sets-images",
        "null-sets-unions",
        "sphere-coordinates",
    },
}


@pytest.mark.parametrize("id", BY_THEOREMS)
def test_theorems_of_the_literature_are_listed(id):
    assert BY_THEOREMS[id] <= set(bundled_record(id)["axioms"])


@thorough_only
@pytest.mark.parametrize("id", BY_THEOREMS)
def test_theorems_of_the_literature_are_found_without_the_log(ledger, id):
    found = ledger.foundations(id).values()
    assert BY_THEOREMS[id] <= {name for foundation in found for name in foundation.axioms}


def test_a_row_lists_the_axioms_of_its_proof_in_the_log(ledger):
    for row in ledger.verify(["definition-1", "proposition-9"]):
        assert set(row.axioms) == set(bundled_record(row.id)["axioms"]), row.id
