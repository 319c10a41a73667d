"""Papers are data: a paper in a folder of one's own works as those that come with the package."""

from __future__ import annotations

import json

import pytest

from slrsym.prover.claims.file_search import DerivationError, builtin_derivation_folder
from slrsym.prover.claims.papers import builtin_papers, paper_of_file, papers_of_files
from tests._cli import run as program

ABOUT = """\
title = "A theory of squares"
authors = ["A. Nonymous", "B. Nonymous"]
identifier = "Journal of Squares 1 (2026)"
notation = [['x', "a real number"]]

[[sections]]
number = "1"
title = "Squares"
statements = ["square-of-a-sum"]

[[errata]]
heading = "The cross term"
text = ["The paper forgets the cross term: `square-of-a-sum`."]
"""
CLAIM = """\
'''Squares of sums.'''

from sympy import Eq, symbols
from slrsym.proof import Claim, algebra, chain

x, y = symbols("x y", real=True)
claim = Claim(
    id="square-of-a-sum", title="The square of a sum",
    statement=Eq((x + y) ** 2, x**2 + 2 * x * y + y**2, evaluate=False), source="(1)",
)


@claim.proof
def _(goal):
    '''Multiply out.'''
    return chain(goal.lhs).then(goal.rhs, by=algebra)
"""


@pytest.fixture
def folder(tmp_path):
    """A folder outside of the repository, with a paper of one claim."""
    made = tmp_path / "squares"
    made.mkdir()
    (made / "paper.toml").write_text(ABOUT, encoding="utf-8")
    (made / "squares.py").write_text(CLAIM, encoding="utf-8")
    return made


def run(*words):
    result = program(*words)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_builtin_papers():
    titles = [paper.title for paper in builtin_papers()]
    assert titles[0].startswith("Attention layers")
    assert titles[1].startswith("On-line learning")
    assert paper_of_file(builtin_derivation_folder() / "gaussian" / "stein.py") is None
    assert paper_of_file(None) is None


def test_sections_and_chapters_name_what_exists():
    import slrsym

    claims = slrsym.ledger().claims
    stems = {claim.file.stem for claim in claims.values()}
    for paper in builtin_papers():
        assert set(paper.places) <= set(claims), paper.title
        assert {file for chapter in paper.chapters for file in chapter.files} <= stems, paper.title
        own = {claim.file.stem for claim in claims.values() if paper_of_file(claim.file) == paper}
        assert own <= {file for chapter in paper.chapters for file in chapter.files}, paper.title


def test_a_third_paper_is_verified(folder, tmp_path):
    rows = tmp_path / "rows.json"
    run("verify", folder, "--workers", 1, "--json", rows)
    assert [(row["id"], row["status"]) for row in json.loads(rows.read_text())] == [
        ("square-of-a-sum", "proved")
    ]
    assert "rests on no axioms" in run("axioms", "square-of-a-sum", "--path", folder)


def test_a_third_paper_has_a_site_and_a_book(folder, tmp_path):
    out = tmp_path / "out"
    run("export", "all", "--output", out, "--path", folder, "--workers", 1)
    pages = {name: (out / "html" / f"{name}.html").read_text() for name in ("index", "errata")}
    assert "<title>A theory of squares</title>" in pages["index"]
    assert "</span> Squares</h3>" in pages["index"]
    assert 'href="claims/square-of-a-sum.html"' in pages["errata"]
    assert "a real number" in (out / "html" / "notation.html").read_text()
    assert "On the manifold" not in (out / "html" / "notation.html").read_text()
    data = (out / "html" / "data.js").read_text()
    assert '"paper":"A theory of squares"' in data
    assert "claim of the paper~\\cite{squares}" in (out / "latex" / "book.tex").read_text()
    bib = (out / "latex" / "references.bib").read_text()
    assert "author = {A. Nonymous and B. Nonymous}" in bib
    assert "forgets the cross term" in (out / "latex" / "errata.tex").read_text()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("title = ", "paper.toml does not describe a paper: Invalid value"),
        ('title = "x"\nauthors = []', "paper.toml does not say the paper's identifier"),
        (ABOUT.replace("number", "name"), "paper.toml does not describe a paper: .*name"),
        (ABOUT.replace("['x', ", "['x', 'y', "), "paper.toml does not describe a paper: too many"),
    ],
)
def test_what_is_no_paper(folder, text, said):
    (folder / "paper.toml").write_text(text, encoding="utf-8")
    with pytest.raises(DerivationError, match=said):
        papers_of_files([folder / "squares.py"])
