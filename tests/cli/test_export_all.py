"""slrsym export all, and the refusals that all kinds of export share."""

import re
from pathlib import Path

import pytest

from tests._cli import exits, refused
from tests._cli import run as program
from tests._profile import thorough
from tests.conftest import claim_text

WRONG = claim_text("wrong", rhs="x**2 + 2*x + 2")


@pytest.fixture
def run(derivation):
    file = derivation("squares.py", claim_text("square"), claim_text("again", by="lemma('square')"))

    def run(command, *args, path=file):
        # What writes a development of Coq verifies nothing.
        alone = [] if command == "coq" else ["--workers", "1"]
        return program("export", command, "--path", path, *alone, *args)

    return run


def read(folder):
    return {f.relative_to(folder): f.read_bytes() for f in folder.rglob("*") if f.is_file()}


def test_both_are_what_the_two_commands_write(run, tmp_path):
    exits(run("all", "-o", tmp_path / "both", "--title", "Squares"), 0, "verified 2 claims in ")
    assert run("html", "-o", tmp_path / "html", "--title", "Squares").exit_code == 0
    assert read(tmp_path / "both" / "html") == read(tmp_path / "html")
    assert run("latex", "-o", tmp_path / "latex", "--title", "Squares").exit_code == 0
    both, alone = read(tmp_path / "both" / "latex"), read(tmp_path / "latex")
    to_claim, to_site = rb"\\href\{[^}]*/claims/\w+\.html\}\{(\w+)\}", rb"\\noindent See also: .*"
    for name, text in both.items():
        # A book that stands beside a site links to it.
        plain = re.sub(to_site, b"", re.sub(to_claim, rb"\1", text))
        assert plain == alone[name] or name.name == ".slrsym-export.json"
    assert b"html/claims/square.html" in both[Path("section-01.tex")]


def test_neither_is_written_where_one_cannot_be(run, tmp_path):
    site = tmp_path / "both" / "html"
    site.mkdir(parents=True)
    (site / "mine.txt").write_text("mine")
    refused(run("all", "-o", tmp_path / "both"), "which no export has written")
    assert [path.name for path in (tmp_path / "both").rglob("*")] == ["html", "mine.txt"]


@pytest.mark.parametrize(("command", "name"), [("latex", "thesis.tex"), ("html", "index.html")])
def test_a_foreign_folder(run, command, name, tmp_path):
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / name).write_text("mine")
    refused(run(command, "-o", tmp_path / "own"), "which no export has written")
    assert [file.read_text() for file in (tmp_path / "own").iterdir()] == ["mine"]


@pytest.mark.parametrize("command", ["html", "all"])
def test_a_claim_that_fails_is_not_exported(run, command, derivation, tmp_path):
    result = exits(run(command, "-o", tmp_path / "out", path=derivation("wrong.py", WRONG)), 1)
    assert "claim wrong is not proved (failed): step 1 [algebra] is refused" in result.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("command", ["latex", "html", "all"])
def test_no_folder(run, command):
    refused(run(command), "is needed: where to write")


@pytest.mark.parametrize("command", ["latex", thorough("html"), "coq", "all"])
def test_claims_can_be_named_by_an_option(run, command, tmp_path):
    """The option of verify, for what else is an argument; both at once are one list."""
    arguments = {"one": ["square"], "other": ["--claim", "square"]}
    for name, claims in arguments.items():
        exits(run(command, *claims, "-o", tmp_path / name), 0)
    assert read(tmp_path / "one") == read(tmp_path / "other")
    assert run(command, "square", "--claim", "square", "-o", tmp_path / "one").exit_code == 0
    for unknown in (["squre"], ["--claim", "squre"]):
        found = run(command, *unknown, "-o", tmp_path / "none")
        refused(found, "unknown claim 'squre'; did you mean square?")
    assert not (tmp_path / "none").exists()
