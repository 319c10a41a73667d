"""The documentation builds without a warning, its examples are true, and nothing is fetched."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from slrsym.cli import app

from ._profile import thorough_only

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGES = sorted(file for file in DOCS.rglob("*.md") if "_build" not in file.parts)


def build(builder, folder):
    pytest.importorskip("sphinx", reason="the extra docs is not installed")
    pytest.importorskip("myst_nb", reason="the extra docs is not installed")
    return subprocess.run(
        [
            *(sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", builder),
            *("-d", str(folder / "doctrees"), str(DOCS), str(folder / builder)),
        ],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("docs")
    done = build("html", folder)
    assert done.returncode == 0, done.stderr
    return folder


@thorough_only
def test_nothing_is_fetched(site):
    pages = list((site / "html").rglob("*.html"))
    assert len(pages) > 30
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert not re.search(r"<(?:script|link|img)[^>]*(?:src|href)=\"https?:", text), page.name


@thorough_only
def test_what_commands_print_is_there(site):
    text = (site / "html" / "tutorial.html").read_text(encoding="utf-8")
    assert "4 of 4 claims proved" in text
    assert "0 of 1 claims proved" in text
    assert "error:" not in text
    assert "<math" in text


@thorough_only
def test_every_claim_and_every_command_is_listed(site):
    import slrsym

    claims = (site / "html" / "reference" / "claims.html").read_text(encoding="utf-8")
    for id in slrsym.ledger().claims:
        assert f">{id}<" in claims
    commands = (site / "html" / "reference" / "commands.html").read_text(encoding="utf-8")
    for command in app.registered_commands:
        assert f"slrsym {command.callback.__name__}" in commands


@thorough_only
def test_the_examples_are_true(site):
    done = build("doctest", site)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_python_names_that_pages_refer_to_exist(page):
    import importlib

    for name in re.findall(r"\{py:\w+\}`([\w.]+)`", page.read_text(encoding="utf-8")):
        module, _, last = name.rpartition(".")
        try:
            importlib.import_module(name)
        except ImportError:
            assert hasattr(importlib.import_module(module), last), name
