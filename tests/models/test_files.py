"""The files of users in the documentation: short, and they run."""

import ast
import runpy
from pathlib import Path

import matplotlib as mpl
import pytest

from tests._profile import thorough_cases

mpl.use("Agg")

FILES = sorted((Path(__file__).parents[2] / "docs" / "models").glob("*.py"))


def test_there_are_seven():
    assert len(FILES) == 7


# Two other files of docs/models run.
@thorough_cases("angle", "committee", "pictures", "plateau", "probit", "two_heads")
@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_they_are_short_and_run(file, tmp_path, monkeypatch):
    text = file.read_text(encoding="utf-8")
    assert ast.get_docstring(ast.parse(text))
    lines = [line for line in text.splitlines()[1:] if line.strip()]
    assert len(lines) <= 20
    monkeypatch.chdir(tmp_path)
    # To compile machine code takes longer than the steps.
    monkeypatch.setattr("slrsym.models.training.simulation.choose_backend", lambda backend: "numpy")
    monkeypatch.setattr("slrsym.models.training.solutions.choose_backend", lambda backend: "numpy")
    namespace = runpy.run_path(str(file))
    names = ["curves", "landscape", "field"] if file.stem == "pictures" else [file.stem]
    for name in names:
        assert (tmp_path / f"{name}.png").stat().st_size > 1000
    runs = namespace["runs"]
    assert (runs.risk[..., -1] < runs.risk[..., 0]).all()
