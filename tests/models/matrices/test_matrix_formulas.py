"""Models of matrices in LaTeX, in notebooks, and in pictures."""

import re
import shutil
import subprocess
from dataclasses import replace
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pytest
from sympy import Float, Rational, Symbol

from slrsym.matrices import Size, covariance, matrix
from slrsym.models.matrices import LinearAttention, LinearNetwork, MatrixModel, Prompt, Regression
from tests._profile import more, thorough

mpl.use("agg")

d, N, h, k = (Size(name) for name in "dNhk")
L, U, u = covariance("L", d, definite=True, family="F"), matrix("U", d), Symbol("u", real=True)
PROMPT = Prompt(d, pairs=N, covariance=L)
HEAD = LinearAttention(lambda p: u * p.b.T * U * p.x)


@pytest.fixture(scope="module")
def head():
    return MatrixModel(PROMPT, HEAD)


def parts(shown):
    """Read the caption and the rows of a table of two columns."""
    tree = ElementTree.fromstring(f"<div>{shown._repr_html_()}</div>")
    rows = {row[0].text: "".join(row[1].itertext()) for row in tree.iter("tr")}
    return tree.find(".//caption").text, rows


def test_the_latex_of_a_model_has_laws_error_risk_and_gradient(head, tmp_path):
    text = head.to_latex(tmp_path / "model.tex")
    assert (tmp_path / "model.tex").read_text(encoding="utf-8") == text
    assert "Trained: $U$, $u$. Parameters: $L$, $N$, $d$." in text
    assert r"& X \sim \mathcal{N}(0, I_{N} \otimes L)" in text
    assert r"e &= -w^{\mathrm{T}}x + \frac{u}{N}w^{\mathrm{T}}XX^{\mathrm{T}}Ux" in text
    assert r"\mathcal{R} &= \operatorname{tr}(L) - 2u\operatorname{tr}(UL^{2}) + " in text
    assert r"\nabla_{U}\,\mathcal{R} &= -2uL^{2} + " in text
    assert re.search(r"\\partial_\{u\}\\,\\mathcal\{R\} &= .*operatorname\{tr\}\(UL\^\{2\}\)", text)


def test_the_latex_of_equations(head):
    flow = head.equations("gradient-flow", rate=Rational(1, 2))
    assert r"\frac{d}{dt}\,U &= uL^{2} - " in flow.to_latex()
    reduced = flow.reduced("F").to_latex()
    assert r"\frac{d}{dt}\,U_{i} &= " in reduced
    assert r"\sum_{j = 1}^{d}L_{j}^{2}U_{j}" in reduced
    assert r"\Delta U &= uL^{2} - " in head.equations("projected-descent", rate=0.5).to_latex()


def test_floats_are_exact():
    noisy = Prompt(d, pairs=N, covariance=L, noise=0.25)
    halves = LinearAttention(lambda p: 0.5 * u * p.b.T * U * p.x)
    flow = MatrixModel(noisy, halves).equations(rate={U: 0.5})
    assert not any(e.has(Float) for e in (flow.risk, *flow.drift.values()))
    assert not re.search(r"\d\.\d", flow.to_latex() + flow.model.to_latex())
    layered = MatrixModel(PROMPT, LinearAttention(layers=[0.5 * U, u]))
    assert not layered.risk.has(Float)
    assert not any(claim.statement.has(Float) for claim in layered.claims())


@more
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_no_display_is_wider_than_the_page(tmp_path):
    layers = LinearAttention(layers=[matrix("A_1", d), matrix("A_2", d)])
    models = [
        MatrixModel(PROMPT, layers),
        MatrixModel(Prompt(d, N, L, covariance("T", d), Symbol("sigma", nonnegative=True)), HEAD),
        MatrixModel(Regression(matrix("A", k, d), covariance=L), LinearNetwork([d, h, h, k])),
    ]
    body = "".join(m.to_latex() + m.equations().to_latex() for m in models)
    page = (
        r"\documentclass{article}\usepackage{amsmath,amssymb}"
        r"\usepackage[textwidth=6.5in]{geometry}\begin{document}"
    )
    (tmp_path / "a.tex").write_text(f"{page}\n{body}\n\\end{{document}}\n", encoding="utf-8")
    words = ["pdflatex", "-interaction=nonstopmode", "a.tex"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, check=False)
    log = (tmp_path / "a.log").read_text(encoding="utf-8", errors="replace")
    assert done.returncode == 0, log[-3000:]
    wide = [float(x) for x in re.findall(r"Overfull \\hbox \(([\d.]+)pt", log)]
    assert max(wide, default=0.0) < 5


def test_a_notebook_shows_model_equations_and_minimum(head):
    caption, rows = parts(head)
    assert caption == "Model of matrices"
    assert (rows["trained"], rows["parameters"]) == ("U, u", "L, N, d")
    assert rows["data"].startswith("X∼")
    assert rows["risk"].replace("\u2061", "").startswith("tr(L)−2utr(UL2)")
    caption, rows = parts(head.equations(rate=1))
    assert caption == "Equations of gradient flow"
    assert rows.keys() == {"velocity of U", "velocity of u"}
    caption, rows = parts(head.equations("projected-descent", rate=1).reduced("F"))
    assert caption == "Equations of projected descent"
    assert rows.keys() == {"change of U[i]", "change of u"}
    caption, rows = parts(MatrixModel(PROMPT, LinearAttention(layers=[U])).minimum)
    assert (caption, rows["at"]) == ("Least risk", "UT = G−1")
    assert rows["where"].startswith("G=")


def test_a_notebook_shows_a_fixed_point(head):
    flow = head.equations(rate=1)
    best = flow.fixed_points({"L": [1, 2], "N": 10}, starts=5, rng=0)[0]
    caption, rows = parts(best)
    assert caption == "Fixed point"
    assert rows.keys() == {"U", "u", "risk", "residual"}
    assert float(rows["risk"]) == pytest.approx(best.risk, rel=1e-5)
    assert float(rows["u"].replace("\u2212", "-")) == pytest.approx(best.point[u], rel=1e-5)
    cells = ElementTree.fromstring(best._repr_html_()).findall(".//mtable//mn")
    written = [float(x.text) for x in cells]
    assert written == pytest.approx(np.abs(best.point[U]).ravel(), rel=1e-5, abs=1e-9)
    large = replace(best, point={U: np.ones((7, 7)), u: 0.5})
    assert parts(large)[1]["U"] == "a matrix of 7 x 7 numbers"


@pytest.mark.parametrize("count", [2, thorough(3)])
def test_a_formula_of_many_terms_is_told_by_their_number(count):
    layers = [matrix("A_1", d), *[Symbol(f"a_{n}", real=True) for n in range(2, count + 1)]]
    stated = MatrixModel(PROMPT, LinearAttention(layers=layers))
    assert re.fullmatch(r"a sum of \d+ terms", parts(stated)[1]["risk"])
    assert len(stated._repr_html_()) < 20_000


def test_curves_of_matrices_are_one_for_each_entry(head):
    """Entries are no runs: their median would be of nothing."""
    values = {"L": [1, 2, 0.5], "N": 10}
    flow = head.equations("gradient-flow", rate=Rational(1, 2))
    eigenvalues = flow.reduced("F").solve(values, {"U": 0.1, "u": 0.1}, time=5)
    matrices = flow.solve(values, {"U": [[0.1, 0, 0], [0, 0.2, 0.1], [0, 0, 0.3]], "u": 1}, time=5)
    for runs, count in ((eigenvalues, 3), (matrices, 9)):
        above, _ = runs.plot()
        lines = [x for x in above.lines if x.get_color() == above.lines[0].get_color()]
        assert len(lines) == count
        drawn = sorted(tuple(x.get_ydata()) for x in lines)
        assert drawn == sorted(map(tuple, runs.U.values.reshape(len(runs.time), -1).T))
        assert not above.collections
        assert [x.get_text() for x in above.get_legend().get_texts()] == ["$U$", "$u$"]
