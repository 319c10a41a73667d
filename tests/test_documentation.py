"""The documentation builds without a warning, its examples are true, and nothing is fetched."""

from __future__ import annotations

import html
import importlib
import importlib.util
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
def test_names_of_the_package_lead_to_their_description(site):
    """What a text names in full is in the reference, and a click leads there."""
    loose = set()
    for page in (site / "html").rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        text = re.sub(r"<a [^>]*><code.*?</code></a>", "", text, flags=re.DOTALL)
        for name in re.findall(r'<code class="xref py[^"]*">(.*?)</code>', text, re.DOTALL):
            plain = re.sub("<[^>]*>", "", name)
            if plain.startswith("slrsym."):
                loose.add(f"{page.name}: {plain}")
    assert not loose


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


@pytest.mark.parametrize(
    ("latex", "shown"),
    [
        (r"f'(x)", "<mi>f</mi><mo>′</mo>"),
        (r"\operatorname{erf}''(x)", "<mo>erf</mo><mo>″</mo><mo>(</mo>"),
        (r"\log d", "<mo>log</mo><mi>d</mi>"),
        (r"\arg\max_l x", "<mo>arg</mo><msub><mo>max</mo>"),
        (r"X \sim N", "<mi>X</mi><mo>∼</mo><mi>N</mi>"),
        (r"a = -b/2", "<mo>=</mo><mo>−</mo><mi>b</mi><mo>/</mo>"),
        (r"a &= b \\ &= c", "<mtr><mtd></mtd><mtd><mi /><mo>=</mo><mi>c</mi></mtd></mtr>"),
        (r"\begin{aligned} a &= b \end{aligned}", "<mtr><mtd><mi>a</mi></mtd><mtd>"),
    ],
)
def test_formulas(latex, shown):
    pytest.importorskip("docutils", reason="the extra docs is not installed")
    spec = importlib.util.spec_from_file_location("mathml", DOCS / "_ext" / "mathml.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    text = re.sub(r"<(\w+) [^>/]*>", r"<\1>", html.unescape(module.mathml(latex)))
    text = re.sub(r"</?mrow>", "", text).replace("<mtd />", "<mtd></mtd>")
    assert shown in re.sub(r"<mtd [^>]*/>", "<mtd></mtd>", text)
    assert "\\" not in text


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_python_names_that_pages_refer_to_exist(page):
    for name in re.findall(r"\{py:\w+\}`([\w.]+)`", page.read_text(encoding="utf-8")):
        module, _, last = name.rpartition(".")
        try:
            importlib.import_module(name)
        except ImportError:
            assert hasattr(importlib.import_module(module), last), name
