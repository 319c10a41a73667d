"""Equations for pasting compile as they stand, in a document of the reader's own."""

import re
import shutil
import subprocess

import pytest

from slrsym.cli.export import _snippets
from slrsym.documents.export.build import build
from tests._profile import thorough_only
from tests.documents.export.conftest import FEW, as_if_proved


def test_mathematics_stands_in_displays_and_all_else_in_comments(document):
    text = "\n".join(_snippets(document))
    inside, count = False, 0
    for line in text.splitlines():
        if line in (r"\[", r"\]"):
            assert inside == (line == r"\]")
            inside, count = not inside, count + 1
            continue
        # An empty line would end a display.
        assert line
        assert inside or line.startswith("%"), line
    assert not inside
    assert count >= 2 * len(document.claims) - 4


def compiled(lines, folder):
    """What TeX says of lines, pasted into a document of the reader's own with a text of 6.5 in."""
    head = "\\documentclass{article}\n\\usepackage[textwidth=6.5in]{geometry}\n"
    head += "\\usepackage{amsmath,amssymb}\n\\begin{document}\n"
    shown = "\n".join(lines)
    (folder / "a.tex").write_text(f"{head}{shown}\n\\end{{document}}\n", encoding="utf-8")
    words = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "a.tex"]
    ran = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout[-3000:]
    return ran.stdout


@thorough_only
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_they_compile_as_they_are_pasted(document, tmp_path):
    compiled(_snippets(document), tmp_path)


@thorough_only
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_proofs_compile_as_they_are_pasted(ledger, tmp_path):
    ids = [id for id in FEW if id in ledger.claims]
    lines = _snippets(build(ledger, as_if_proved(ledger, ids), {}, notation=False), proof=True)
    said = compiled(lines, tmp_path)
    assert "\n".join(lines).count(r"\emph{Proof.}") > 10
    wide = [float(by) for by in re.findall(r"Overfull \\hbox \(([\d.]+)pt", said)]
    assert [by for by in wide if by > 5] == []
