"""slrsym export html."""

import pytest

from tests._cli import exits, refused
from tests._cli import run as program
from tests._profile import thorough_only
from tests.conftest import HEADER, claim_text
from tests.documents.export.site_check import Page, problems

WRONG = claim_text("wrong", rhs="x**2 + 2*x + 2")


@pytest.fixture
def run(derivation):
    file = derivation(
        "squares.py",
        claim_text("square"),
        claim_text("again", by="lemma('square')"),
        claim_text("sine", "sin(x)*0 + x", "x"),
    )

    def run(*args, path=file):
        return program("export", "html", "--path", path, "--workers", "1", *args)

    return run


def read(folder):
    files = (f for f in folder.rglob("*") if f.is_file() and not f.name.startswith("."))
    return {f.relative_to(folder).as_posix(): f.read_text(encoding="utf-8") for f in files}


@thorough_only
def test_a_site(run, tmp_path):
    out = tmp_path / "new" / "out"
    result = run("-o", out, "--title", "My <claims>")
    exits(result, 0, f"wrote 3 of them to {out / 'index.html'} in ")
    files = read(out)
    assert problems(files) == []
    assert {n for n in files if n.startswith("claims/")} == {
        "claims/again.html", "claims/sine.html", "claims/square.html"
    }  # fmt: skip
    assert "3 of 3 claims proved, in 6 steps" in Page(files["index.html"]).shown
    assert "<title>My &lt;claims&gt;</title>" in files["index.html"]
    page = Page(files["claims/again.html"])
    assert "2 steps, all accepted" in page.shown
    assert 'href="square.html"' in files["claims/again.html"]
    assert 'href="again.html"' in files["claims/square.html"]
    # Of claims that are not the paper's, its letters say nothing.
    assert "notation.html" not in files
    assert run("-o", out).exit_code == 0


@thorough_only
def test_claims_with_what_they_rest_on(run, tmp_path):
    assert run("again", "-o", tmp_path / "out").exit_code == 0
    files = read(tmp_path / "out")
    assert problems(files) == []
    assert {n for n in files if n.startswith("claims/")} == {
        "claims/again.html",
        "claims/square.html",
    }
    # Its steps are found by their rules, and the rules by the steps.
    assert 'href="../claims/square.html#square.1"' in files["rules/algebra.html"]
    assert 'href="../rules/algebra.html"' in files["claims/square.html"]
    assert 'href="../source/squares.html#L' in files["claims/square.html"]
    assert "Eq((x + 1)**2, x**2 + 2*x + 1)" in files["claims/square.html"]


def test_a_claim_that_fails_is_marked_where_it_is_asked_for(run, derivation, tmp_path):
    # True, but by a claim that is not there; so what rests on it has nothing against it but that.
    refused = claim_text("refused", by="lemma('no-such-claim')")
    on_it = claim_text("on-it", by="lemma('refused')")
    file = derivation("wrong.py", WRONG, refused, on_it, header=HEADER)
    assert run("--unproved", "-o", tmp_path / "out", path=file).exit_code == 0
    files = read(tmp_path / "out")
    assert problems(files) == []
    for name, text in files.items():
        if name.startswith("claims/"):
            assert 'class="status proved"' not in text
            assert "∎" not in text
    assert 'class="status failed"' in files["claims/wrong.html"]
    assert "is refused" in Page(files["claims/wrong.html"]).shown
    assert 'class="status conditional"' in files["claims/on-it.html"]
    assert "0 of 3 claims proved" in files["index.html"]


def test_a_file_in_the_way(run, tmp_path):
    (tmp_path / "out").write_text("mine")
    refused(run("-o", tmp_path / "out"), "is not a folder")
