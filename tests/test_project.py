"""What the README says, what is public, and how the package starts."""

import ast
import doctest
import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest
import sympy

import slrsym
from slrsym.prover.claims.file_search import builtin_derivation_folder

from ._cli import exits, run
from ._profile import thorough_only
from ._public import MODULES

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def block(mark: str, language: str, text: str = README) -> str:
    """The fenced block that follows a mark."""
    return re.search(rf"{re.escape(mark)}\n```{language}\n(.*?)```", text, re.DOTALL)[1]


def test_the_readme_is_short():
    assert len(README.splitlines()) <= 130


def test_the_example_of_the_guide_is_proved(tmp_path):
    file = tmp_path / "my_derivations" / "median.py"
    file.parent.mkdir()
    guide = (ROOT / "docs" / "how-to" / "prove.md").read_text(encoding="utf-8")
    file.write_text(block("<!-- example: my_derivations/median.py -->", "python", guide))
    exits(run("verify", file.parent, "--workers", "1"), 0, "4 of 4 claims proved")


@thorough_only
def test_the_example_of_the_guide_for_contributors_is_proved(tmp_path):
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    mark = "<!-- example: derivations/erf_times_g.py -->"
    example = re.search(rf"{mark}\n   ```python\n(.*?)   ```", guide, re.DOTALL)[1]
    file = tmp_path / "erf_times_g.py"
    file.write_text(dedent(example), encoding="utf-8")
    exits(run("verify", file, "--workers", "1"), 0, "2 of 2 claims proved")
    # As step 4 says.
    file.write_text(dedent(example).replace("2 * g / sqrt", "3 * g / sqrt"), encoding="utf-8")
    exits(run("verify", file, "--workers", "1"), 1, "step 2 [claim lemma-18-i] is refused")


def test_a_constant_of_a_module_has_one_value():
    """Two of one name, far apart in a file, would be one."""
    twice = []
    for file in sorted((ROOT / "slrsym").rglob("*.py")):
        seen = set()
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            targets = node.targets if isinstance(node, ast.Assign) else ()
            read = {
                x.id for x in ast.walk(node) if isinstance(x, ast.Name) and type(x.ctx) is ast.Load
            }
            made = {x.id for t in targets for x in ast.walk(t) if isinstance(x, ast.Name)} - read
            twice += [f"{file.name}: {name}" for name in made & seen if name.isupper()]
            seen |= made
    assert twice == []


def test_the_version_is_said_once():
    cited = re.search(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)[1]
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)[1]
    assert cited == newest == slrsym.__version__


def test_the_session_of_the_readme(tmp_path):
    sessions = [b for b in re.findall(r"```python\n(.*?)```", README, re.DOTALL) if ">>>" in b]
    assert len(sessions) == 3
    names = {}
    for session in sessions:
        test = doctest.DocTestParser().get_doctest(session, names, "README", None, 0)
        assert len(test.examples) >= 3
        assert doctest.DocTestRunner(verbose=False).run(test, clear_globs=False).failed == 0
        # A later session goes on with the names of an earlier one.
        names = test.globs


def test_the_output_of_the_readme_is_of_this_version():
    shown = block("<!-- output: slrsym verify -->", "text")
    counts = re.search(r"^(\d+) of (\d+) claims proved(.*), \d+ steps", shown, re.MULTILINE)
    others = re.findall(r", (\d+) (?:certified on a box|empirical|cited)", counts[3])
    total = int(counts[1]) + sum(map(int, others))
    assert int(counts[2]) == total == len(slrsym.ledger().claims)
    row = re.compile(r"^ ([a-z0-9-]+) .* proved +\d+ +\d+ +\S+ +(\d+) +[\d.]+$", re.MULTILINE)
    assert len(row.findall(shown)) > 2
    for id, axioms in row.findall(shown):
        exits(run("axioms", id), 0, f"{id} rests on {axioms} axioms")


@pytest.mark.parametrize("mark", ["# verify every claim", "# run the tests"])
def test_the_commands_of_the_readme_are_one_line(mark):
    lines = README.splitlines()
    command = lines[lines.index(mark) + 1]
    assert command.startswith("python3 -m venv .venv && ")
    assert lines[lines.index(mark) + 2] == "```"


def test_what_the_readme_links_to_is_there():
    links = re.findall(r"\]\(([^)#]+)\)", README)
    assert len(links) > 10
    for link in links:
        assert link.startswith("https://") or (ROOT / link).exists(), link


def test_the_import_is_light():
    code = "import sys, slrsym; sys.exit(any(m in sys.modules for m in ('sympy', 'numpy', 'rich')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_derivations_are_found():
    names = {file.name for file in builtin_derivation_folder().rglob("*.py")}
    assert {"lemma_18.py", "proposition_15.py", "zeta.py"} <= names


@pytest.mark.parametrize("name", MODULES)
def test_what_is_public_is_documented(name):
    module = importlib.import_module(name)
    assert module.__doc__, f"{name} has no docstring"
    for public in getattr(module, "__all__", ()):
        thing = getattr(module, public)
        if not (inspect.isclass(thing) or inspect.isfunction(thing)):
            continue
        assert inspect.getdoc(thing), f"{name}.{public} has no docstring"


def test_derivations_have_sources_and_ideas():
    for claim in slrsym.ledger().claims.values():
        assert claim.source
        assert claim.proof_idea, f"the proof of {claim.id} does not say its idea"


def test_star_imports_leave_sympys_names_alone():
    code = "from sympy import *\n"
    for name in ("slrsym.proof", "slrsym.gaussian"):
        module = importlib.import_module(name)
        for public in set(module.__all__) & set(dir(sympy)):
            assert getattr(module, public) is getattr(sympy, public), public
        code += f"from {name} import *\nsymbols('x'); print(sign(-2), trace)\n"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.count("-1 <function trace") == 2
