"""The page of what can be stated: its table is what the command prints."""

import re
from pathlib import Path

import pytest

from tests._benchmarks import benchmark

PAGE = Path(__file__).resolve().parents[2] / "docs" / "explanation" / "scope.md"
scope, fill_pages = benchmark("scope"), benchmark("fill_pages")


def test_every_row_is_on_the_page():
    rows = re.search(r"```text\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[1]
    shown = [line[:42].strip() for line in rows.splitlines()[1:] if line[:1].strip()]
    assert shown == [name for name, _ in scope.ROWS]
    # As wide as a terminal.
    assert max(map(len, rows.splitlines())) <= 80


@pytest.mark.parametrize(
    ("name", "found", "why"),
    [
        ("linear regression", ["closed"] * 3, ""),
        ("perceptron: sign student and teacher", ["closed", "closed", "-"], "jumps"),
        ("two Gaussian classes, squared loss, tanh", ["quad. 1"] * 3, ""),
        ("unit with a pole, 1/x", ["-"] * 3, "finite for all"),
        ("token of another law than a Gaussian", ["-"] * 3, "cov of token"),
    ],
)
def test_a_row_is_what_running_the_model_says(name, found, why):
    verdicts, said = scope.verdicts(dict(scope.ROWS)[name])
    assert verdicts == found
    assert why in said
    assert bool(said) == bool(why)


def test_an_old_table_is_noticed(tmp_path, monkeypatch, capsys):
    page = tmp_path / "docs" / "page.md"
    page.parent.mkdir()
    text = "<!-- {0}: python -c 'print(1 + {1})' -->\n```text\n2\n```\n"
    monkeypatch.setattr(fill_pages, "ROOT", tmp_path)
    page.write_text(text.format("output", 1), encoding="utf-8")
    assert fill_pages.main(["--check", "print"]) == 0
    page.write_text(text.format("measured", 2), encoding="utf-8")
    assert fill_pages.main(["--check", "print"]) == 0
    page.write_text(text.format("output", 2), encoding="utf-8")
    assert fill_pages.main(["--check", "another"]) == 0
    assert fill_pages.main(["--check", "print"]) == 1
    shown = capsys.readouterr().out
    assert "is old:" in shown
    assert "+3" in shown
    assert "\n2\n" in page.read_text(encoding="utf-8")
    assert fill_pages.main(["print"]) == 0
    assert "\n3\n" in page.read_text(encoding="utf-8")
