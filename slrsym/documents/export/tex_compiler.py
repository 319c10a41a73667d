"""Compilation of a LaTeX document by an installed LaTeX program."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

# The Debian packages that hold what is used here.
PACKAGES = (
    "texlive-latex-base",
    "texlive-latex-recommended",
    "texlive-latex-extra",
    "texlive-fonts-recommended",
    "latexmk",
)
_INSTALL = f"apt-get install --no-install-recommends {' '.join(PACKAGES)}"

_OPTIONS = ("-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape")
_SECONDS = 600


class TeXMissingError(RuntimeError):
    """Error raised if no LaTeX is installed, with the names of programs to install."""


class LatexCompileError(RuntimeError):
    """Error raised if LaTeX stops, with a quotation from its log as the message."""


def find_latex_compiler() -> str:
    """Return the name of the LaTeX compiler, or raise `TeXMissingError`."""
    if shutil.which("pdflatex"):
        return "latexmk" if shutil.which("latexmk") else "pdflatex"
    raise TeXMissingError(f"no pdflatex is installed. On Debian or Ubuntu: {_INSTALL}")


def compile_document(folder: Path, main: str) -> Path:
    """Compile a LaTeX document in a copy of its folder, and put the PDF beside the source."""
    program = find_latex_compiler()
    stem = main.removesuffix(".tex")
    with tempfile.TemporaryDirectory(prefix="slrsym-") as name:
        work = Path(name)
        for file in folder.iterdir():
            if file.suffix in (".tex", ".bib") or file.name.startswith("figure-"):
                shutil.copy(file, work / file.name)
        if program == "latexmk":
            _run(["latexmk", "-pdf", *_OPTIONS, main], work, stem)
        else:
            latex = ["pdflatex", *_OPTIONS, main]
            _run(latex, work, stem)
            for tool in (["bibtex", stem], ["makeindex", "-q", f"{stem}.idx"]):
                if shutil.which(tool[0]):
                    subprocess.run(
                        tool, cwd=work, capture_output=True, timeout=_SECONDS, check=False
                    )
            for _ in range(3):
                _run(latex, work, stem)
        for ending in (".log", ".pdf"):
            if (work / f"{stem}{ending}").is_file():
                shutil.copy(work / f"{stem}{ending}", folder / f"{stem}{ending}")
    return folder / f"{stem}.pdf"


def _run(command: list[str], work: Path, stem: str) -> None:
    try:
        done = subprocess.run(command, cwd=work, capture_output=True, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise LatexCompileError(f"{command[0]} took more than {_SECONDS} s") from None
    if done.returncode:
        log = work / f"{stem}.log"
        text = log.read_text(encoding="latin-1") if log.is_file() else ""
        raise LatexCompileError(f"{command[0]} failed: {_first_error(text)}")


def _first_error(log: str) -> str:
    match = re.search(r"^! (.+(?:\n.*){0,4})", log, re.MULTILINE)
    if match is None:
        return "its log names no error"
    lines = " ".join(match[1].split())
    missing = re.search(r"File `([\w.-]+)' not found", lines)
    return f"{missing[0]}; on Debian or Ubuntu: {_INSTALL}" if missing else lines
