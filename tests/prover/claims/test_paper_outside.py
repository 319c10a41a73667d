"""A paper of three files outside of the repository has all that those of the package have."""

import subprocess
import sys

import pytest

from tests._profile import thorough_only

ABOUT = """\
title = "A theory of squares"
authors = ["A. Nonymous"]
identifier = "Journal of Squares 1 (2026)"
module = "squares_module"
letters = "squares"
notation = [['q', "the square of a sum"]]

[[sections]]
number = "1"
title = "Squares"
statements = ["square-of-a-sum", "square-of-a-difference"]
"""
CLAIMS = """\
'''Squares of sums.'''

from sympy import Eq, symbols
from slrsym.proof import Claim, algebra, chain

x, y = symbols("x y", real=True)


def stated(id, total, square):
    claim = Claim(id=id, title=id, statement=Eq(total**2, square, evaluate=False), source="(1)")

    @claim.proof
    def _(goal):
        '''Multiply out.'''
        return chain(goal.lhs).then(goal.rhs, by=algebra)

    return claim


sum_claim = stated("square-of-a-sum", x + y, x**2 + 2 * x * y + y**2)
difference_claim = stated("square-of-a-difference", x - y, x**2 - 2 * x * y + y**2)
"""
MODULE = """\
'''What only this paper has.'''

from dataclasses import dataclass

import typer

from slrsym.documents.figures import FigureEntry
from slrsym.models.registered_models import RegisteredModel
from slrsym.registry import register


@dataclass(frozen=True)
class Squares:
    points: int = 5

    @property
    def settings(self):
        return {"points": self.points}

    def compute(self, path=None, progress=None):
        import numpy as np
        import xarray as xr

        x = np.arange(self.points)
        data = xr.Dataset({"square": ("x", x**2)}, attrs=self.settings)
        if path is not None:
            data.to_netcdf(path)
        return data

    def read(self, path):
        import xarray as xr

        with xr.open_dataset(path) as data:
            return data.load()


def drawn(data):
    from matplotlib.figure import Figure

    figure = Figure()
    figure.subplots().plot(data.square)
    return figure


def model():
    from sympy import erf
    from slrsym.models import Direction, Predictor, Token, TokenSequence, model

    u, w = Direction("u", unit=True), Direction("w")
    data = TokenSequence({Token(target=lambda X: erf(X @ u)): 1})
    return model(data, Predictor(lambda X: erf(X @ w)))


def notation():
    from slrsym.documents.export.paper_notation import PaperNotation

    return PaperNotation()


commands = typer.Typer(help="Commands about squares.")


@commands.callback()
def _group() -> None:
    pass


@commands.command()
def square(number: int) -> None:
    '''Print the square of a number.'''
    typer.echo(f"the square is {number**2}")


FIGURES = {"parabola": FigureEntry(Squares, drawn, lambda data: f"{len(data.x)} points")}
MODELS = {"erf-unit": RegisteredModel(model, {"d": 20}, {"steps": 10, "alpha": 0.1, "runs": 2})}
NOTATION = notation()
register({
    "figures.squares": "squares_module.FIGURES",
    "models.squares": "squares_module.MODELS",
    "commands.squares": "squares_module.commands",
    "notation.squares": "squares_module.NOTATION",
})
"""
# In a process of its own, because what is registered stays registered.
PROGRAM = """\
import sys
from typer.testing import CliRunner
from slrsym.cli.program import app

def run(*words):
    result = CliRunner().invoke(app, list(words))
    assert result.exit_code == 0, (words, result.output, result.exception)
    return result.stdout

for words, said in (
    (["paper", "--help"], "squares"),
    (["paper", "squares", "--help"], "Print the square of a number."),
    (["paper", "squares", "square", "7"], "the square is 49"),
    (["figure", "--help"], "parabola"),
    (["paper", "--help"], "single-location"),
    (["figure", "parabola", "--set", "points=9", "--format", "svg"], "9 points"),
    (["simulate", "--help"], "erf-unit"),
    (["simulate", "erf-unit", "--backend", "numpy"], "after 10 steps"),
    (["check", "erf-unit", "--samples", "1000"], "Agrees with sampled tokens"),
    (["verify", "squares"], "2 of 2 claims proved"),
    (["export", "all", "-o", "made", "--path", "squares"], "made"),
):
    shown = " ".join(run(*words).split())
    assert said in shown, (words, shown)
"""


@pytest.fixture
def folder(tmp_path):
    """A folder with a paper in a folder of it."""
    made = tmp_path / "squares"
    made.mkdir()
    for name, text in (
        ("paper.toml", ABOUT), ("squares.py", CLAIMS), ("squares_module.py", MODULE)
    ):  # fmt: skip
        (made / name).write_text(text, encoding="utf-8")
    return tmp_path


@thorough_only
def test_a_paper_of_three_files_outside_of_the_repository(folder):
    subprocess.run([sys.executable, "-c", PROGRAM], cwd=folder, check=True)
    assert (folder / "figure-parabola.svg").is_file()
    site, book = folder / "made" / "html", folder / "made" / "latex"
    page = (site / "claims" / "square-of-a-difference.html").read_text(encoding="utf-8")
    assert "proved" in page
    assert "Not proved" not in page
    assert "A theory of squares" in (site / "index.html").read_text(encoding="utf-8")
    assert "the square of a sum" in (site / "notation.html").read_text(encoding="utf-8")
    assert any("square-of-a-sum" in file.read_text(encoding="utf-8") for file in book.glob("*.tex"))


def test_a_module_that_fails_is_named(folder):
    (folder / "squares" / "squares_module.py").write_text("1 / 0\n")
    done = subprocess.run(
        [sys.executable, "-m", "slrsym", "derivations"], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 0
    assert "squares_module" in done.stderr
    assert "division by zero" in done.stderr
    assert done.stderr.startswith("warning: the module 'squares_module' of ")
    assert done.stderr.count("\n") == 1
