"""Models and equations in LaTeX: what is written is the risk, and it fits a text of 6.5 in."""

import re
import shutil
import subprocess

import numpy as np
import pytest
from sympy import Add, Symbol, erf, prime, sin, sqrt, tanh

from slrsym.documents.typeset.displays import PAGE_WIDTH
from slrsym.kernels.symbolic_functions import DifferenceFromErf, ErfVariance, GaussianMean
from slrsym.models import Direction, Predictor, Token, TokenSequence, model, model_formulas
from slrsym.models.model_formulas import model_latex
from tests._profile import NIGHTLY, THOROUGH, more, nightly, thorough
from tests.models._programs import MODELS
from tests.models._random_models import drawn


def three_kinds(f=erf):
    """The model of three kinds of tokens whose displays were thousands of points too wide."""
    d, lam = Symbol("d", positive=True), Symbol("lambda", positive=True)
    k_star, v_star, u = (Direction(name, unit=True) for name in ("k^*", "v^*", "u"))
    k, v = Direction("k", sphere=True), Direction("v", sphere=True)
    one = Token(sqrt(d / 2) * k_star, 0.5, lambda X: X @ v_star, name="one")
    two = Token(0.3 * u, 0.25, name="two")
    rest = {one: 1, two: 2, Token(name="rest"): Symbol("L", integer=True, positive=True) - 3}
    return model(TokenSequence(rest), Predictor(lambda X: f(lam * (X @ k)) * (X @ v)))


@pytest.mark.parametrize(
    "name", ["three kinds", "tanh", nightly("random 2"), thorough("random 31")]
)
def test_the_formulas_that_are_written_are_risk_and_gradient(name, monkeypatch):
    if name.startswith("random"):
        stated = drawn(1000 + int(name.split()[1])).model
    else:
        stated = three_kinds(tanh if name == "tanh" else erf)
    made = []
    real = model_formulas.NamedParts
    monkeypatch.setattr(model_formulas, "NamedParts", lambda *a: made.append(real(*a)) or made[-1])
    model_latex(stated)
    (parts,) = made
    found = list(parts.formulas)
    for letter, meaning in reversed(parts.definitions.items()):
        found = [e.xreplace({letter: meaning}) for e in found]
    numbers = dict.fromkeys(sorted(stated.order_parameters, key=str), 0.0)
    numbers |= dict.fromkeys(stated.parameters, 0.0)
    rng = np.random.default_rng(0)
    numbers = {s: 7 if s.name == "L" else rng.uniform(0.1, 0.4) for s in numbers}
    for expr, known in zip(found, [stated.risk, *stated.gradient], strict=True):
        value = _without_quadrature(known).subs(numbers).evalf(20)
        assert abs(_without_quadrature(expr).subs(numbers).evalf(20) - value) < 1e-12


def _without_quadrature(expr):
    """Put a function of the arguments in the place of each mean that has no closed form."""

    def stand_in(node):
        kind = sum(map(ord, f"{node.func.__name__} {getattr(node, 'orders', '')}"))
        return sin(kind + Add(*(prime(i + 2) * arg for i, arg in enumerate(node.args))))

    expr = expr.replace(lambda e: isinstance(e, GaussianMean | ErfVariance), stand_in)
    return expr.replace(DifferenceFromErf, lambda x, y: x - erf(y))


@pytest.mark.parametrize("name", ["angle", "tanh", "committee 2", "gradient flow"])
def test_what_is_long_is_abbreviated(name):
    text = MODELS[name]().to_latex()
    assert "Abbreviations" in text
    assert text.count(r"\begingroup") == text.count(r"\endgroup") == 1
    assert not re.search(r"\d\.\d", text)
    # About how long a line is of 6.5 in: as text it is several times as long as it is wide.
    lines = [x for x in text.splitlines() if "pmatrix" not in x and "sloppy" not in x]
    assert max(map(len, lines)) < 14 * PAGE_WIDTH


def test_a_short_model_has_no_abbreviations():
    text = MODELS["linear"]().to_latex()
    assert "Abbreviations" not in text
    assert r"\mathcal{R} &= 1 + Q - 2R + \sigma^{2}" in text
    assert r"\partial_{R}\,\mathcal{R} &= -2" in text


def test_terms_that_cancel_are_not_written():
    """Of an erf student of an erf teacher, what the erf of a mean adds to the gradient."""
    w, u = Direction("w"), Direction("u", unit=True)
    names = {w @ u: Symbol("R", real=True), w @ w: Symbol("Q", positive=True)}
    data = TokenSequence({Token(target=lambda X: erf(X @ u / sqrt(2))): 1})
    m = model(data, Predictor(lambda X: erf(X @ w / sqrt(2))), names=names)
    text = m.to_latex()
    assert "Abbreviations" not in text
    rows = re.findall(r"\\partial_\{\w\}\\,.*", text)
    assert [row.count(r"\frac{") - row.count("R^{2}}{2") for row in rows] == [1, 2]


def test_functions_without_a_closed_form_are_named():
    text = three_kinds(tanh).to_latex()
    assert r"f_{1}(z) &= \operatorname{tanh}(z)\\" in text
    assert r"\mathrm{M}[f_{1}](" in text


@more
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_no_display_is_wider_than_the_page(tmp_path):
    """All models of the documentation and 60 random ones at night, some of them by day."""
    names = list(MODELS) if THOROUGH else ["angle", "committee 2"]
    made = {name: stated for name in names if (stated := MODELS[name]()) is not None}
    seeds = range(0, 60, 1 if NIGHTLY else 4) if THOROUGH else (10, 45)
    made |= {f"random {i}": drawn(1000 + i).model for i in seeds}
    body = "\n".join(f"\\typeout{{== {name}}}\n{x.to_latex()}" for name, x in made.items())
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
