"""What stands beside the claims of the paper for those who read them: prose, written by hand."""

import re

import pytest
from sympy import And, Eq, Symbol
from sympy.core.relational import Relational

from slrsym.documents.export.build import build
from slrsym.documents.export.document import ClaimNumberAndName, Display, Paragraph
from slrsym.documents.export.latex_book import latex_book_files
from slrsym.documents.export.prose import split_at_dollar_signs
from slrsym.documents.export.site import site_files
from slrsym.proof import Claim, Explanation, ProofError
from slrsym.prover.statements.expressions import conjuncts
from tests._profile import thorough
from tests.documents.export.conftest import as_if_proved
from tests.documents.export.site_check import Page

MOST_WORDS = 150
MOST_OF_A_LEAD = 30
x = Symbol("x", real=True)


@pytest.fixture(scope="module")
def numbered(ledger):
    """The statements that a paper numbers: not before they are needed, for it takes seconds."""
    found = [
        claim
        for claim in ledger.claims.values()
        if ClaimNumberAndName.from_claim(claim).kind != "Claim"
    ]
    assert len(found) > 20
    return found


def missing(claim):
    """The equations of a statement of several parts that no sentence introduces."""
    parts = conjuncts(claim.statement)
    told = claim.explanation.equations
    return [p for p in parts if isinstance(p, Relational) and len(parts) > 1 and p not in told]


def test_every_numbered_statement_opens_with_a_paragraph(numbered):
    for claim in numbered:
        said = claim.explanation
        assert 25 <= len(said) <= MOST_WORDS, claim.id
        assert len(said.first_sentence.split()) <= MOST_OF_A_LEAD, said.first_sentence
        assert said.text.endswith("."), claim.id
        # Formulas are typed in plain notation, and have their dollar signs.
        assert said.text.count("$") % 2 == 0, claim.id
        plain = re.sub(r"\$[^$]*\$", "", said.text)
        assert not re.search(r"[\^_=<>*]|\b(?:erf|zeta|sqrt|alpha|kappa)\b", plain), plain
        assert split_at_dollar_signs(said.text)


def test_every_equation_of_a_statement_has_its_sentence(numbered):
    assert {claim.id: missing(claim) for claim in numbered if missing(claim)} == {}


def test_an_explanation_counts_its_words():
    said = Explanation("It is so. Hence $x = 1$.")
    assert (len(said), bool(said), said.first_sentence) == (7, True, "It is so.")
    assert not Explanation("")


def test_a_missing_sentence_is_noticed():
    claim = Claim(
        id="pair",
        statement=And(Eq(x, x**2, evaluate=False), Eq(x, 1, evaluate=False), evaluate=False),
        source="mine",
        explanation=Explanation("It is so.", {Eq(x, 1, evaluate=False): "First:"}),
    )
    assert missing(claim) == [Eq(x, x**2, evaluate=False)]


def test_a_sentence_for_what_is_not_stated_is_refused():
    said = Explanation("It is so.", {Eq(x, 2, evaluate=False): "Two:"})
    with pytest.raises(ProofError, match=r"claim one: explanation has a sentence for Eq\(x, 2\)"):
        Claim(id="one", statement=Eq(x, 1, evaluate=False), source="mine", explanation=said)


@pytest.fixture(scope="module")
def documents(ledger):
    return build(ledger, as_if_proved(ledger, ["lemma-14", "proposition-10", "theorem-5"]), {})


def test_sentences_stand_before_their_equations(documents):
    """Those of one sentence together, and no display of several parts without a sentence."""
    for claim in documents.claims:
        blocks = claim.statement
        before = None
        for block in blocks:
            assert not (isinstance(block, Display) and before is None), claim.id
            before = block
    lemma = next(claim for claim in documents.claims if claim.id == "lemma-14")
    kinds = [type(block) for block in lemma.statement]
    assert kinds == [Paragraph, Display, Paragraph, Display, Display, Display]


def test_pages_open_with_the_paragraph(documents):
    page = site_files(documents)["claims/theorem-5.html"]
    shown = Page(page).shown
    assert page.index('class="explanation"') < page.index('class="statement"')
    assert "which uses Assumption 1, descent stays on the manifold" in shown


def test_an_explanation_may_be_a_text():
    claim = Claim(
        id="one", statement=Eq(x, 1, evaluate=False), source="mine", explanation="So it is.\n  Yes."
    )
    assert claim.explanation.text == "So it is. Yes."
    assert claim.explanation.first_sentence == "So it is."
    assert len(claim.explanation) == 4
    assert "So it is" in repr(claim.explanation)


@pytest.mark.parametrize(
    ("id", "said", "unsaid"),
    [
        ("theorem-5", ["A=1+2λ2γ2", "istherisk", "Notation"], ["B=", "a="]),
        ("theorem-1", ["A=1+2s2", "s=λγ", "ζ(t,s)=", "forastandardnormalG"], ["B="]),
        thorough("lemma-16", [], ["Notation", "A="]),
        ("proposition-9", ["a=t/A", "B=1+4s2", "t=λ"], ["ζ(", "risk"]),
        thorough("owens-t-derivative-h", ["T(h,x)=12π"], ["risk", "ζ"]),
    ],
)
def test_letters_of_a_statement_are_explained_on_its_page(ledger, id, said, unsaid):
    """The abbreviations that it is written with, and no others; the book has them in its table."""
    # Lemma 16 brings the table of its paper's letters.
    document = build(ledger, as_if_proved(ledger, list(dict.fromkeys([id, "lemma-16"]))), {})
    page = site_files(document)[f"claims/{id}.html"]
    start = page.partition('<div class="letters">')[2].partition("</div>")[0]
    shown = re.sub(r"\s", "", Page(f"<div>{start}</div>").shown)
    assert [text for text in said if text not in shown] == []
    assert [text for text in unsaid if text in shown] == []
    assert not any(
        "letters are explained" in text
        for text in latex_book_files(document).values()
        if isinstance(text, str)
    )
