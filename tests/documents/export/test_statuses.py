"""Claims that are not proved: what is said of them, and that "proved" never is."""

import re

import pytest

from slrsym.documents.export.build import build
from slrsym.documents.export.latex_book import latex_book_files
from slrsym.documents.export.site import site_files
from slrsym.prover.claims.ledger import Ledger
from tests.conftest import claim_text
from tests.documents.export.site_check import Page, problems

HEADER = """
from sympy import Eq, Gt, Symbol, erf

from slrsym.proof import InequalitiesOnBox
from slrsym.proof import Claim, Trials, algebra, by_citation, chain, differentiate, in_words, lemma

x = Symbol("x", real=True)
y = Symbol("y", real=True)
"""
CERTIFIED = """
boxed = Claim(id="boxed", statement=Gt(erf(x), x / 5), source="test")

@boxed.certified_by
def _():
    return InequalitiesOnBox({x: ("1/10", 3)})
"""
TESTED = """
counted = Claim(id="counted", statement=in_words("cubes are large."), source="test")

@counted.tested_by
def _(rng):
    return Trials(2345, "cubes up to a million")
"""
CITED = """
named = Claim(id="named", statement=in_words("Squares end somewhere"), source="test")

@named.proof
def _(goal):
    \"\"\"By the literature.\"\"\"
    return by_citation(goal, "taylor-theorem", hypotheses=["square"])
"""
ON_WRONG = """
equal = Eq((y + 1)**2, y**2 + 2*y + 1, evaluate=False)
hopeful = Claim(id="hopeful", statement=equal, source="test")

@hopeful.proof
def _(goal):
    \"\"\"By a claim that fails.\"\"\"
    return chain(goal.lhs).then(goal.rhs, by=lemma("wrong", x=y))
"""
SAID = {
    "boxed": ("certified", "x in [1/10, 3]"),
    "counted": ("empirical", "2,345 cubes up to a million, none against it"),
    "named": ("cited", "what is concluded in named is cited, not checked"),
    "wrong": ("failed", "step 1 [claim no-such-claim] is refused"),
    "hopeful": ("conditional", "it rests on no-such-claim, wrong, not proved"),
}


@pytest.fixture(scope="module")
def document(tmp_path_factory):
    file = tmp_path_factory.mktemp("statuses") / "statuses.py"
    claims = [claim_text("square"), claim_text("wrong", by="lemma('no-such-claim')")]
    file.write_text("".join([HEADER, *claims, CERTIFIED, TESTED, CITED, ON_WRONG]))
    ledger = Ledger.load(file)
    assert ledger.problems == []
    verdicts = {}
    rows = ledger.verify(on_verdict=lambda v: verdicts.__setitem__(v.id, v))
    return build(ledger, rows, verdicts, list(SAID), notation=False)


@pytest.fixture(scope="module")
def book(document):
    return latex_book_files(document)


@pytest.fixture(scope="module")
def site(document):
    return site_files(document)


def plain(shown):
    """What is shown, whether a formula is drawn as one or not."""
    for sign, word in ((r"\textasciicircum{}", "^"), (r"\in", "in"), ("∈", "in"), ("$", "")):
        shown = shown.replace(sign, word)
    return re.sub(r"\s", "", shown)


@pytest.mark.parametrize("id", SAID)
def test_the_ledger_gave_each_its_status(document, id):
    (claim,) = (c for c in document.claims if c.id == id)
    assert claim.status == SAID[id][0]


@pytest.mark.parametrize("id", SAID)
def test_the_book_says_the_status_and_its_evidence(book, id):
    status, reason = SAID[id]
    own = "".join(t for name, t in book.items() if name.startswith("section"))
    own = own[own.index(f"\\label{{{id}}}") :]
    own = own[: own.index("\\slrstatus") + own[own.index("\\slrstatus") :].index("\n")]
    assert f"\\slrunproved{{{status}}}" in own
    assert plain(reason) in plain(own)
    last = own[own.index("\\slrstatus") :]
    assert f"{status.capitalize()}, not proved" in last
    assert not re.search(r"Proved|\\slrqed", own)


def test_the_book_counts_none_of_them(book):
    assert "0 of 5 claims proved" in book["book.tex"]
    assert "0 of 5 claims proved" in book["ledger.tex"]
    assert "1 certified" in book["book.tex"]
    # Where it holds is said with the statement, not in small print alone.
    said = "What is certified is the statement on a box: x in [1/10, 3]."
    assert plain(said) in plain("".join(book.values()))
    for status, _ in SAID.values():
        assert f"\\textcolor{{slr{status}}}{{{status}}}" in book["ledger.tex"]
        assert f"draw=slr{status}" in book["graph.tex"]
    assert "slrproved" not in book["ledger.tex"] + book["graph.tex"]


@pytest.mark.parametrize("id", SAID)
def test_the_site_says_the_status_and_its_evidence(site, id):
    status, reason = SAID[id]
    page = site[f"claims/{id}.html"]
    assert f'class="status {status}"' in page
    assert 'class="status proved"' not in page
    shown = Page(page).shown
    assert plain(reason) in plain(shown)
    assert not re.search(r"(?<!not )\bproved\b", shown.replace("Not proved", "not proved"))
    assert "∎" not in page


def test_the_site_counts_none_of_them(site):
    assert problems(site) == []
    assert "0 of 5 claims proved" in site["index.html"]
