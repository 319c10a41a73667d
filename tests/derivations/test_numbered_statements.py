"""Every numbered statement of the paper has a row, and no row says more than was shown."""

import pytest

import slrsym
from slrsym.proof import AXIOMS
from slrsym.proof.checker import steps_of
from slrsym.proof.citation import CITED, InWords

# From the text of the paper, in its order. Equations that are definitions are not in the list.
NUMBERED = {
    "the attention layer (4)-(5) and the predictor (2)": ["attention"],
    "Assumption 1": ["assumption-1", "assumption-1-mean"],
    "Theorem 1": ["theorem-1", "theorem-1-projections", "theorem-1-location", "proposition-15"],
    "(7)": ["zeta-derivative", "zeta-owens-t"],
    "(8)": ["bayes-bound", "bayes-bound-given-tokens"],
    "Corollary 2": ["corollary-2", "corollary-2-bound", "corollary-2-rate"],
    "(9)": ["oracle-decomposition", "oracle-decomposition-distance"],
    "Proposition 3": ["proposition-3", "proposition-3-attained", "proposition-3-bound"],
    "Definition 1": ["definition-1"],
    "Lemma 4": ["lemma-4", "lemma-4-chain-rule"],
    "Theorem 5": ["theorem-5"],
    "Lemma 6": ["lemma-6"],
    "Lemma 7": ["lemma-7"],
    "Proposition 8": ["proposition-8", "proposition-8-descent"],
    "Proposition 9": ["proposition-9"],
    "Proposition 10": [
        "proposition-10-minimum",
        "proposition-10-maximum",
        "proposition-10-saddle",
    ],
    "Proposition 11": ["proposition-11"],
    "Proposition 12": ["proposition-12", "proposition-12-injective", "proposition-12-jacobian"],
    "Proposition 13": ["proposition-13"],
    "Lemma 14": ["lemma-14"],
    "Proposition 15": ["proposition-15"],
    "Lemma 16": ["lemma-16"],
    "Lemma 17": ["lemma-17-i", "lemma-17-ii", "lemma-17-iii"],
    "Lemma 18": [f"lemma-18-{part}" for part in ("i", "ii", "iii", "iv", "v", "vi")],
}
LEFT_TO_THE_LITERATURE = {
    "proposition-8", "proposition-11", "proposition-12", "proposition-13", "theorem-5",
}  # fmt: skip


@pytest.fixture(scope="module")
def ledger():
    return slrsym.ledger()


@pytest.mark.parametrize("item", NUMBERED)
def test_has_a_row(ledger, item):
    for id in NUMBERED[item]:
        assert id in ledger.claims, item


def test_only_what_is_in_words_is_cited(ledger):
    in_words = {id for id, claim in ledger.claims.items() if claim.statement.has(InWords)}
    assert in_words == LEFT_TO_THE_LITERATURE
    for id, claim in ledger.claims.items():
        cites = any(step.rule.name == CITED for step in steps_of(claim, ledger.find))
        assert cites == (id in LEFT_TO_THE_LITERATURE), id


def test_no_step_uses_an_axiom_that_its_row_does_not_list(ledger):
    rows = {row.id: row for row in ledger.verify(["definition-1", "proposition-9"])}
    for id, row in rows.items():
        used, ahead = set(), [id]
        seen = set()
        while ahead:
            name = ahead.pop()
            if name in seen:
                continue
            seen.add(name)
            for step in steps_of(ledger.find(name), ledger.find):
                used |= set(step.axioms)
                ahead += step.uses
        assert used == set(row.axioms), id
        assert used <= set(AXIOMS)
        assert row.status == "proved", id
