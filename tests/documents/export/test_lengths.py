"""How many printed lines statements and steps take: what is longer is not read."""

import re

import pytest

from slrsym.documents.export.build import build
from slrsym.documents.export.document import Display, HeadedBlocks
from slrsym.documents.export.latex import LatexRenderer
from tests._profile import thorough_only
from tests.documents.export.conftest import as_if_proved

MOST_OF_A_STATEMENT, MOST_OF_A_STEP = 12, 15
# Statements that are longer, with their lines. A whole run has the hypotheses of four phases; the
# curvatures of two heads are five derivatives of one risk.
LONGER = {
    "swap-hessian": 13,
    "theorem-1-overlaps": 13,
    "convergence-time-run": 13,
    "convergence-time-run-risk": 17,
    "schedule-run": 17,
    "schedule-run-risk": 13,
    "several-heads-curvatures": 17,
    # The velocities of four coordinates, which no name abbreviates.
    "committee-flow-gram-kept": 24,
    "committee-flow-risk-falls": 28,
    "committee-flow-own-teacher": 23,
    "committee-flow-undecided": 23,
    "committee-flow-escape-time": 28,
    "committee-flow-plateau-null": 23,
    # The velocities of seven coordinates, and letters for their inverse roots.
    "committee-sector-form-two": 24,
    "committee-sector-kept-two": 28,
    # A polynomial of 51 terms.
    "two-layers-risk": 42,
    # The means of tr S^k for k from 2 to 6, by letters.
    "three-scalar-layers-risk": 15,
}
# As many signs of text fill a line of the book.
_SIGNS = 92
_DISPLAY = re.compile(r"\\begin\{align\*\}\n(.*?)\n\\end\{align\*\}", re.DOTALL)
_MATRIX = re.compile(r"\\begin\{pmatrix\}.*?\\end\{pmatrix\}", re.DOTALL)
_LONG = "theorem-5-certified oracle-stable-certified attraction-quadratic oracle-transverse-hessian"


def rows_of(display: str) -> int:
    """The lines of a display; one with a matrix has as many as it."""
    matrices = [matrix.count("\\\\") for matrix in _MATRIX.findall(display)]
    return 1 + _MATRIX.sub("", display).count("\\\\") + max(matrices, default=0)


def lines_of_text(latex: str) -> int:
    named = re.sub(r"\\(cref|hyperref\[[^]]*\])\{[^}]*\}", "Proposition 15", latex)
    plain = re.sub(r"\\(allowbreak|mathbb|mathcal|operatorname|sqrt|quad|par)\b", "", named)
    return -(-len(re.sub(r"[{}$^_\s]", "", re.sub(r"\\[a-zA-Z]+", "x", plain))) // _SIGNS)


def printed_lines(latex: str) -> int:
    """The lines of blocks, as the book lays them out."""
    pieces = _DISPLAY.split(latex)
    return sum(map(rows_of, pieces[1::2])) + sum(map(lines_of_text, pieces[::2]))


def lines_of_steps(blocks, renderer):
    for block in blocks:
        if isinstance(block, HeadedBlocks):
            yield from lines_of_steps(block.blocks, renderer)
        elif isinstance(block, Display):
            count = 0
            for line in _DISPLAY.search(renderer.display(block))[1].split("\\\\\n"):
                count += rows_of(line)
                if "\\slrwhy" in line:
                    yield count
                    count = 0


def check(document):
    renderer = LatexRenderer(document.labels, brief=True)
    for claim in document.claims:
        kind = claim.label.kind.lower()
        whole = renderer.claim(claim).partition(f"\\end{{{kind}}}")[0]
        shown = whole.partition("\\slrmargin")[2].partition("%\n")[2]
        count = printed_lines(shown)
        assert count <= LONGER.get(claim.id, MOST_OF_A_STATEMENT), f"{claim.id}: {count}\n{shown}"
        steps = max(lines_of_steps(claim.proof, renderer), default=0)
        most = max(MOST_OF_A_STEP, LONGER.get(claim.id, 0) + 3)
        assert steps <= most, f"{claim.id}: {steps}"


@thorough_only
def test_statements_and_steps_are_short(ledger):
    """All of them: what a claim has from others is not written out."""
    check(build(ledger, as_if_proved(ledger, list(ledger.claims)), {}))


def test_coefficients_have_names(ledger):
    check(build(ledger, as_if_proved(ledger, [*_LONG.split(), "landscape-risk"]), {}))


@pytest.mark.parametrize(
    ("latex", "count"),
    [
        ("Let $x > 0$.", 1),
        ("Let $x > 0$. \n\\begin{align*}\nx& = y\\\\\n& \\quad + z\n\\end{align*}", 3),
        ("\\begin{align*}\n\\begin{pmatrix}1\\\\2\\\\3\\end{pmatrix}& = y\n\\end{align*}", 3),
        ("word " * 44, 2),
    ],
)
def test_counting(latex, count):
    assert printed_lines(latex) == count
