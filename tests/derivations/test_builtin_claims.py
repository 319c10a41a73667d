"""Every claim that comes with the package is accepted, whatever the random points."""

import pytest

import slrsym
from slrsym.proof import AXIOMS


@pytest.fixture(scope="module")
def ledger():
    return slrsym.ledger()


def test_every_file_loads(ledger):
    assert ledger.problems == []


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_claim_is_proved(ledger, seed):
    rows = ledger.verify(seed=seed, workers=2)
    assert len(rows) == len(ledger.claims)
    assert [(row.id, row.error) for row in rows if row.status != "proved"] == []
    assert min(row.digits for row in rows if row.digits is not None) >= 28
    assert all(row.steps >= 2 for row in rows)
    assert {name for row in rows for name in row.axioms} <= set(AXIOMS)


def test_the_ledger_has_every_claim_that_the_derivations_are_about(ledger):
    expected = {
        "lemma-6", "lemma-6-stable", "lemma-16", "lemma-17-i", "lemma-17-ii", "lemma-17-iii",
        "lemma-18-i", "lemma-18-ii", "lemma-18-iii", "lemma-18-iv", "lemma-18-v", "lemma-18-vi",
        "proposition-9", "proposition-9-gradient-kappa", "proposition-9-gradient-nu",
        "proposition-10-hessian", "proposition-10-maximum", "proposition-10-minimum",
        "proposition-10-saddle", "proposition-15", "stein-multivariate", "stein-one-dimensional",
        "theorem-1", "zeta-owens-t", "zeta-variance",
    }  # fmt: skip
    assert expected <= set(ledger.claims)


def test_theorem_1_rests_on_lemma_18_and_steins_lemma(ledger):
    rows = ledger.verify(["theorem-1"], workers=2)
    ids = {row.id for row in rows}
    assert {"proposition-15", "lemma-18-v", "stein-multivariate", "sum-of-copies"} <= ids
    (theorem,) = (row for row in rows if row.id == "theorem-1")
    assert "dominated-convergence" in theorem.axioms
    assert "gaussian-normalisation" in theorem.axioms
