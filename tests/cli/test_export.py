"""slrsym export latex."""

import json
import shutil

import pytest

from tests._cli import exits, refused
from tests._cli import run as program
from tests._profile import thorough_only
from tests.conftest import claim_text

WRONG = claim_text("wrong", rhs="x**2 + 2*x + 2")


@pytest.fixture
def run(derivation):
    file = derivation("squares.py", claim_text("square"), claim_text("sine", "sin(x)*0 + x", "x"))

    def run(*args, path=file):
        return program("export", "latex", "--path", path, "--workers", "1", *args)

    return run


@thorough_only
def test_a_book(run, tmp_path):
    out = tmp_path / "out"
    exits(run("-o", out), 0, "verified 2 claims in ", f"wrote 2 of them to {out} in ")
    assert "2 of 2 claims proved" in (out / "book.tex").read_text()
    assert r"(1 + x)^{2}& = 1 + 2x + x^{2}" in (out / "section-01.tex").read_text()
    kept = json.loads((out / ".slrsym-export.json").read_text())
    assert set(kept) >= {"book.tex", "preamble.tex"}
    assert run("-o", out).exit_code == 0


def test_one_claim_by_itself(run, tmp_path):
    out = tmp_path / "out"
    assert run("square", "--standalone", "-o", out).exit_code == 0
    assert {f.name for f in out.iterdir()} == {"square.tex", "square.bib", ".slrsym-export.json"}
    text = (out / "square.tex").read_text()
    assert text.startswith("\\documentclass")
    assert text.rstrip().endswith("\\end{document}")


def test_a_snippet(run):
    result = exits(run("square", "--snippet"), 0)
    needs = "% This needs \\usepackage{amsmath,amssymb}."
    shown = ["\\[", "(1 + x)^{2} = 1 + 2x + x^{2}", "\\]"]
    assert result.stdout.splitlines() == ["% square, proved", needs, *shown]


def test_a_snippet_with_its_proof(run):
    result = exits(run("square", "--snippet", "--proof"), 0)
    begin, end = r"\begin{align*}", r"\end{align*}"
    *before, proof = result.stdout.split(r"\par\emph{Proof.}")
    assert len(before) == 1
    assert before[0].count(begin) == before[0].count(end) == 1
    assert r"\tag*{algebra}" in proof
    assert r"\slr" not in result.stdout
    assert exits(run("square", "--snippet"), 0).stdout != result.stdout


def test_a_claim_that_fails_is_not_exported(run, derivation, tmp_path):
    file = derivation("wrong.py", WRONG)
    for args in ([], ["wrong"], ["wrong", "--standalone"]):
        result = exits(run(*args, "-o", tmp_path / "out", path=file), 1)
        assert "claim wrong is not proved (failed): step 1 [algebra] is refused" in result.stderr
        assert "nothing was written" in result.stderr
        assert not (tmp_path / "out").exists()
    assert run("wrong", "--snippet", path=file).stdout == ""


def test_a_claim_that_fails_is_marked_where_it_is_asked_for(run, derivation, tmp_path):
    file = derivation("wrong.py", WRONG)
    assert run("--unproved", "-o", tmp_path / "out", path=file).exit_code == 0
    text = "".join(f.read_text() for f in (tmp_path / "out").glob("*.tex"))
    assert "\\slrunproved{failed}" in text
    assert "0 of 1 claims proved" in text
    assert run("wrong", "--snippet", "--unproved", path=file).stdout.startswith("% wrong, failed")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--snippet"], "needs a claim"),
        (["square", "--snippet", "--pdf"], "prints, and writes no file"),
        (["square", "--snippet", "--standalone"], "prints, and writes no file"),
        (["square", "--proof", "-o", "x"], "--proof is for --snippet"),
    ],
)
def test_bad_usage(run, args, message):
    refused(run(*args), message)


def test_a_file_that_does_not_load(run, derivation, tmp_path):
    file = derivation("broken.py", "1/0\n", claim_text("square"))
    result = exits(run("-o", tmp_path / "out", path=file), 1)
    assert "ZeroDivisionError" in result.stderr
    assert not (tmp_path / "out").exists()


def test_without_tex_the_source_is_left(run, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    result = exits(run("-o", tmp_path / "out", "--pdf"), 1)
    assert "apt-get install --no-install-recommends texlive-latex-base" in result.stderr
    assert (tmp_path / "out" / "book.tex").is_file()


# tests/documents/export compiles parts of the book, where there is LaTeX.
@thorough_only
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX is installed")
def test_a_pdf(run, tmp_path):
    result = run("square", "--standalone", "-o", tmp_path / "out", "--pdf")
    exits(result, 0, "compiled square.pdf in ")
    assert (tmp_path / "out" / "square.pdf").read_bytes().startswith(b"%PDF")


def test_symbols_that_the_paper_does_not_have(run, derivation, tmp_path):
    """Names that could break the document, and letters that the paper uses for other things."""
    header = (
        "from sympy import Eq, Function, Symbol, sqrt\n"
        "from slrsym.proof import Claim, algebra, chain\n"
        "A, s, R, odd = (Symbol(n, positive=True) for n in ('A', 's', 'R', 'rate%_x$'))\n"
        "h = Function('h', real=True)\n"
    )
    claims = claim_text("clash", "sqrt(1 + 2*s**2)*A*R*odd", "A*R*odd*sqrt(1 + 2*s**2)")
    claims = claims.replace('source="test"', "source='50% & {x_1} #2 ~ ^'")
    file = derivation("own.py", claims, header=header)
    exits(run("-o", tmp_path / "out", path=file), 0)
    text = (tmp_path / "out" / "section-01.tex").read_text()
    assert r"\sqrt{1 + 2s^{2}}" in text
    assert r"50\% \& \{x\_1\} \#2" in text
    assert "$rate" not in text


def test_a_site_is_not_put_in_the_place_of_a_book(run, derivation, tmp_path):
    out = tmp_path / "out"
    assert run("square", "-o", out).exit_code == 0
    (file,) = (tmp_path / "derivations").iterdir()
    html = ["export", "html", "--path", str(file), "--workers", "1", "-o", str(out)]
    result = program(*html)
    refused(result, "holds another kind of export, with book.tex; choose another")
    assert (out / "book.tex").is_file()
    # A single claim and a book are of one kind.
    assert run("square", "-o", out, "--standalone").exit_code == 0
    assert (out / "square.tex").is_file()
    assert not (out / "book.tex").exists()
