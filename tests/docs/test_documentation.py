"""The documentation builds without a warning, its examples are true, and nothing is fetched."""

import html
import importlib
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import typer
from typer.main import get_command

import slrsym
from slrsym.cli.program import app
from tests._benchmarks import benchmark
from tests._browser import AXE, WIDTHS, look, needs_axe, needs_browser
from tests._cli import PAPER, exits, run
from tests._profile import NIGHTLY, more, thorough_only
from tests._public import reference
from tests.papers.single_location.probing.tiny import write_bert

# All pages are made, and visited, before the first test that looks at them.
pytestmark = pytest.mark.timeout(1800)

DOCS = Path(__file__).resolve().parents[2] / "docs"
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
    assert done.returncode == 0, done.stderr[-2000:]
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
def test_no_initial_of_a_name_begins_a_list(site):
    pages = (site / "html").rglob("*.html")
    listed = [page.name for page in pages if '<ol class="upper' in page.read_text("utf-8")]
    assert listed == []


@thorough_only
def test_long_names_are_broken_at_their_joints(site):
    """In titles, and in those of the pages beside it."""
    folder = site / "html" / "reference" / "generated"
    name = "slrsym.papers.single_location.landscape"
    text = (folder / f"{name}.html").read_text(encoding="utf-8")
    broken = name.replace(".", ".<wbr/?>").replace("_", "_<wbr/?>")
    assert re.search(f"<h1>{broken}: Critical points", text)
    models = (folder / "slrsym.models.html").read_text(encoding="utf-8")
    assert re.search(r'"prev-next-title">slrsym\.<wbr/?>models', models)


@thorough_only
def test_the_list_beside_a_page_breaks_names_between_their_words(site):
    """And it names members without the class under which they stand."""
    page = site / "html" / "reference" / "generated" / "slrsym.models.html"
    beside = page.read_text(encoding="utf-8").partition('id="pst-page-toc-nav"')[2]
    shown = [name.replace("/", "") for name in re.findall(r'class="pre">(.*?)</span>', beside)]
    assert {"Fixed<wbr>Point", "is_<wbr>certified"} <= set(shown)
    assert not any("." in name for name in shown)


@thorough_only
def test_what_commands_print_is_there(site):
    text = (site / "html" / "tutorial.html").read_text(encoding="utf-8")
    assert "2 of 2 claims proved" in text
    assert "0 of 1 claims proved" in text
    assert "error:" not in text
    assert "<math" in text


@thorough_only
def test_every_claim_and_every_command_is_listed(site):
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


DESK_AND_PHONE = (WIDTHS[0], WIDTHS[-1])
SPOILED = "spoiled.html"


@pytest.fixture(scope="module")
def seen(site, tmp_path_factory):
    """What a browser measured of the pages, on a desk and on a phone, and what axe-core said."""
    folder = site / "html"
    pages = [page.relative_to(folder) for page in sorted(folder.rglob("*.html"))]
    names = [page.as_posix() for page in pages if page.parts[0] != "_static"]
    # At night all; else those at the top, and some of each kind of page below, none of which is so
    # large that axe-core works for minutes.
    sized, looked = names, names
    if not NIGHTLY:
        small = [name for name in names if (folder / name).stat().st_size < 100_000]
        looked = [name for name in small if "/" not in name] + small[::18]
        sized = sorted({*looked, *names[::3]})
    wrong = '<div style="width:2000px">wide</div><img src="data:,">'
    wrong += '<div style="width:9px;overflow:hidden;white-space:nowrap">cut off</div>'
    page = (folder / "index.html").read_text(encoding="utf-8")
    (folder / SPOILED).write_text(page.replace("</article>", f"{wrong}</article>"), "utf-8")
    wanted = [(name, DESK_AND_PHONE, "size") for name in [*sized, SPOILED]]
    if AXE:
        wanted += [(name, [w], "axe") for name in [*looked, SPOILED] for w in DESK_AND_PHONE]
    found, _ = look(folder, wanted, tmp_path_factory.mktemp("profile"))
    return found


def pages(seen, task):
    measured = [m for m in seen if m["task"] == task and m["name"] != SPOILED]
    assert len(measured) > 40
    return {(m["name"], m["width"], m["scheme"]): m for m in measured}


@needs_browser
@thorough_only
@pytest.mark.parametrize("what", ["overflow", "outside", "cut", "clipped", "moved"])
def test_nothing_is_cut_on_a_desk_or_a_phone(seen, what):
    assert {key: m[what] for key, m in pages(seen, "size").items() if m[what]} == {}


@needs_browser
@needs_axe
@thorough_only
def test_axe_finds_nothing(seen):
    assert {key: m["faults"] for key, m in pages(seen, "axe").items() if m["faults"]} == {}


@needs_browser
@thorough_only
def test_a_page_that_is_wrong_is_noticed(seen):
    spoiled = [m for m in seen if m["name"] == SPOILED]
    assert len(spoiled) == (8 if AXE else 4)
    for measured in spoiled:
        if measured["task"] == "size":
            assert measured["outside"] == 1
            assert any(cut.endswith("cut off") for cut in measured["cut"])
        elif measured["scheme"] == "light":
            assert any(fault.startswith("image-alt") for fault in measured["faults"])


@more
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
    found = html.unescape(benchmark("mathml", DOCS / "_ext").mathml(latex))
    text = re.sub(r"<(\w+) [^>/]*>", r"<\1>", found)
    text = re.sub(r"</?mrow>", "", text).replace("<mtd />", "<mtd></mtd>")
    assert shown in re.sub(r"<mtd [^>]*/>", "<mtd></mtd>", text)
    assert "\\" not in text


TABLE = re.compile(r"^(\|.*)\|\n\|[-:| ]+\|$", re.MULTILINE)


def test_every_column_of_a_table_has_a_name():
    """A reader who hears the page is told which column a cell belongs to."""
    nameless = {
        (page.name, heads)
        for page in [*PAGES, DOCS.parent / "README.md", DOCS.parent / "CONTRIBUTING.md"]
        for heads in TABLE.findall(page.read_text(encoding="utf-8"))
        if not all(head.strip() for head in re.split(r"(?<!\\)\|", heads)[1:])
    }
    assert nameless == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_python_names_that_pages_refer_to_exist(page):
    for name in re.findall(r"\{py:\w+\}`([\w.]+)`", page.read_text(encoding="utf-8")):
        module, _, last = name.rpartition(".")
        try:
            importlib.import_module(name)
        except ImportError:
            assert hasattr(importlib.import_module(module), last), name


# Codes of numpydoc: the order of sections and of parameters, types, and descriptions of results.
NUMPYDOC = {
    "GL03", "GL05", "GL06", "GL07", "GL08", "PR03", "PR04", "PR05", "PR06", "PR10", "RT02", "SS02",
    "YD01",
}  # fmt: skip


@more
def test_numpydoc_validates_public_docstrings():
    validate = pytest.importorskip("numpydoc.validate", reason="the extra docs is not installed")
    names = reference()
    found = [
        f"{package}.{name}: {code} {said}"
        for package in names.PACKAGES
        for name in names.public(importlib.import_module(package))
        for code, said in validate.validate(f"{package}.{name}")["errors"]
        if code in NUMPYDOC
    ]
    assert found == []


BLOCKS = [
    (page, language, text)
    for page in [*PAGES, DOCS.parent / "README.md", DOCS.parent / "CONTRIBUTING.md"]
    for language, text in re.findall(
        r"^ *```(\w+)[^\n]*\n(.*?)^ *```",
        page.read_text(encoding="utf-8"),
        re.DOTALL | re.MULTILINE,
    )
]


def commands_in_blocks():
    for page, language, text in BLOCKS:
        for line in text.splitlines() if language == "sh" else ():
            for part in line.partition("#")[0].split("&&"):
                words = part.split()
                if words and Path(words[0]).name == "slrsym":
                    yield pytest.param(shlex.split(part)[1:], id=f"{page.stem}: {part.strip()}")


@pytest.mark.parametrize("words", [*commands_in_blocks()])
def test_commands_in_blocks_are_understood(words, tmp_path, monkeypatch):
    """Each option is there, and takes the value that it is given; nothing is run."""
    monkeypatch.chdir(tmp_path)
    Path("DIR").mkdir()
    for name in ("alpha.json", "proofs.log", "proofs.jsonl"):
        Path(name).touch()
    command = get_command(app)
    context = command.make_context("slrsym", list(words))
    while hasattr(command, "resolve_command"):
        rest = [*context._protected_args, *context.args]
        name, command, rest = command.resolve_command(context, rest)
        context = command.make_context(name, rest, parent=context)


@thorough_only
def test_a_command_that_is_not_there_is_noticed(tmp_path, monkeypatch):
    for words in (
        ["figure", "4a", "--lambda", "1"],
        ["prove"],
        [*PAPER, "simulate", "--steps", "many"],
    ):
        with pytest.raises(typer.BadParameter.__base__):
            test_commands_in_blocks_are_understood(words, tmp_path, monkeypatch)
        (tmp_path / "DIR").rmdir()


def test_every_block_has_a_language_that_is_checked():
    for page, language, text in BLOCKS:
        # Sessions and files of derivations have tests of their own; so have printed tables.
        assert language in {"sh", "python", "toml", "text", "bibtex"}, page
        if language == "python" and page.parent != DOCS.parent:
            marked = any((page, text) == (where, told) for where, _, told in EXAMPLES)
            assert marked or page.stem in RUN, page
        if language == "toml":
            tomllib.loads(text)


RUN = ("pictures", "probe", "sweep")
# Files of derivations in pages; that of the guide is verified in tests/test_project.py.
MARK = re.compile(r"<!-- example: my_derivations/(\w+)\.py -->\n```python\n(.*?)```", re.DOTALL)
EXAMPLES = [
    (page, *found) for page in PAGES for found in MARK.findall(page.read_text(encoding="utf-8"))
]


@pytest.mark.parametrize(
    "text",
    [pytest.param(text, id=name) for _, name, text in EXAMPLES if name != "median"],
)
def test_claims_in_blocks_are_proved(text, tmp_path):
    (tmp_path / "mine.py").write_text(text, encoding="utf-8")
    # Built-in claims that they use are verified, too.
    count = text.count("Claim(\n") + len(set(re.findall(r'lemma\("([\w-]+)"', text)))
    exits(run("verify", tmp_path, "--workers", "1"), 0, f"{count} of {count} claims proved")


@thorough_only
@pytest.mark.parametrize("name", RUN)
def test_programs_in_blocks_run(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_bert(tmp_path / "DIR")
    (text,) = [t for page, language, t in BLOCKS if page.stem == name and language == "python"]
    # The same, with fewer runs.
    Path("program.py").write_text(text.replace("runs=1000", "runs=10"), encoding="utf-8")
    done = subprocess.run([sys.executable, "program.py"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
