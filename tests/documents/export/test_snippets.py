"""Equations for pasting compile as they stand, in a document of the reader's own."""

import re
import shutil
import subprocess

import pytest

from slrsym.cli.export import _snippets
from tests._profile import thorough_only


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


@thorough_only
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
@pytest.mark.parametrize("proof", [False, True])
def test_they_compile_as_they_are_pasted(document, tmp_path, proof):
    """And fit a text of 6.5 in, but for formulas that have no place to break."""
    shown = "\n".join(_snippets(document, proof))
    head = "\\documentclass{article}\n\\usepackage[textwidth=6.5in]{geometry}\n"
    head += "\\usepackage{amsmath,amssymb}\n\\begin{document}\n"
    (tmp_path / "a.tex").write_text(f"{head}{shown}\n\\end{{document}}\n", encoding="utf-8")
    words = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "a.tex"]
    ran = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout[-3000:]
    wide = [float(by) for by in re.findall(r"Overfull \\hbox \(([\d.]+)pt", ran.stdout)]
    assert [by for by in wide if by > 5] == []
