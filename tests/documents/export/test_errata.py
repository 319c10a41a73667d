"""The page of errata in book and site: whole documents have it, with a link to each claim."""

from dataclasses import replace

import pytest

from slrsym.documents.export import build
from slrsym.documents.export.errata import collect_errata, ids_of_mentioned_claims
from slrsym.documents.export.latex_book import latex_book_files
from slrsym.documents.export.site import site_files
from slrsym.prover.claims.papers import builtin_papers

from .conftest import as_if_proved
from .site_check import problems

PAPERS = builtin_papers()
ERRATA = [entry for paper in PAPERS for entry in paper.errata]
SPOKEN = sorted({id for _, said in ERRATA for text in said for id in ids_of_mentioned_claims(text)})
# The whole takes long; these stand for it.
FEW = ["bayes-bound-given-tokens", "equation-14", "theorem-5-plane"]


@pytest.fixture(scope="module")
def document(ledger):
    return replace(
        build(ledger, as_if_proved(ledger, FEW), {}), errata=collect_errata(PAPERS, SPOKEN)
    )


def test_documents_have_it_that_have_its_claims(ledger):
    told = collect_errata(PAPERS, SPOKEN)
    assert sum(len(paper.entries) for paper in told) == len(ERRATA)
    assert len(collect_errata(PAPERS, SPOKEN[1:])) == len(told) - 1
    assert set(SPOKEN) <= set(ledger.claims)
    part = build(ledger, as_if_proved(ledger, ["lemma-16"]), {})
    assert not part.errata
    assert "errata.html" not in site_files(part)
    assert "errata.tex" not in latex_book_files(part)


def test_the_site_links_to_the_claims(document):
    site = site_files(document)
    page = site["errata.html"]
    assert problems(site) == []
    for id in FEW:
        assert f'href="claims/{id}.html"' in page, id
    assert page.count("<h2>") == len(collect_errata(PAPERS, SPOKEN)) + 1
    assert page.count("<h3>") == len(ERRATA)
    assert "compared to the paper" in site["claims/theorem-5-plane.html"]


def test_the_book_has_it(document):
    files = latex_book_files(document)
    assert "\\input{errata.tex}" in files["book.tex"]
    for id in FEW:
        assert f"{{{id}}}" in files["errata.tex"], id
    assert "Compared to the paper: weaker" in "".join(files.values())
