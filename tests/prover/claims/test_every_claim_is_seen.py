"""False claims in files of every name, made in every way: `verify` and pytest see each."""

import json
from pathlib import Path

import pytest

from slrsym.proof import Ledger
from slrsym.prover.claims.file_search import derivation_files
from tests._cli import run
from tests._profile import thorough_only

_IMPORT = "from sympy import Eq, Symbol\nfrom slrsym.proof import Claim\nx = Symbol('x')\n"
_FALSE = "statement=Eq(x + 1, x, evaluate=False), source='s'"

# The text of each file, after the imports, and the ids of the claims that it makes.
_WAYS = {
    "test_model.py": (f"c = Claim(id='in-tests', {_FALSE})\ndef test_it(): pass\n", ["in-tests"]),
    "model_test.py": (f"Claim(id='dropped', {_FALSE})\n", ["dropped"]),
    "_private.py": (f"c = Claim(id='in-private', {_FALSE})\n", ["in-private"]),
    "conftest.py": (f"c = Claim(id='in-conftest', {_FALSE})\n", ["in-conftest"]),
    "setup.py": (f"c = Claim(id='in-setup', {_FALSE})\n", ["in-setup"]),
    "by_partial.py": (
        f"from functools import partial\nmade = partial(Claim, {_FALSE})\nc = made(id='partial')\n",
        ["partial"],
    ),
    "by_subclass.py": (
        f"class Own(Claim):\n    pass\nc = Own(id='subclass', {_FALSE})\n", ["subclass"],
    ),
    "in_loop.py": (
        f"for n in range(2):\n    Claim(id=f'loop-{{n}}', {_FALSE})\n", ["loop-0", "loop-1"],
    ),
    "in_comprehension.py": (
        f"cs = [Claim(id=n, {_FALSE}) for n in ('first', 'second')]\n", ["first", "second"],
    ),
    "in_class.py": (f"class A:\n    c = Claim(id='in-class', {_FALSE})\n", ["in-class"]),
    "in_function.py": (
        f"def make():\n    return Claim(id='function', {_FALSE})\nmake()\n", ["function"],
    ),
    "by_alias.py": (f"from slrsym.proof import Claim as C\nC(id='alias', {_FALSE})\n", ["alias"]),
    "by_module.py": (f"import slrsym.proof as p\np.Claim(id='module', {_FALSE})\n", ["module"]),
    "by_getattr.py": (
        f"import slrsym\ngetattr(slrsym.proof, 'Claim')(id='getattr', {_FALSE})\n", ["getattr"],
    ),
    "by_exec.py": (
        "exec(\"Claim(id='by-exec', statement=Eq(x, 2*x), source='s')\")\n", ["by-exec"],
    ),
    "by_exec_alone.py": (
        f"exec({_IMPORT + f'Claim(id=%r, {_FALSE})' % 'exec-alone'!r})\n", ["exec-alone"],
    ),
    "by_name.py": (
        f"from importlib import import_module\nfor name in ['slrsym.proof']:\n"
        f"    import_module(name).Claim(id='by-name', {_FALSE})\n", ["by-name"],
    ),
    "by_alias_of_import.py": (
        "from importlib import import_module as get\nNAME = 'slrsym.proof'\n"
        f"get(NAME).Claim(id='by-alias-of-import', {_FALSE})\n", ["by-alias-of-import"],
    ),
    "by_path.py": (
        "import os, sys\nsys.path.insert(0, os.path.join(os.path.dirname(__file__), 'library'))\n"
        "from shared import make\nmake('by-path')\n", ["by-path"],
    ),
    "sub/by_parents.py": (
        "import sys\nfrom pathlib import Path\n"
        "sys.path.append(str(Path(__file__).parents[1] / 'library'))\n"
        "import shared\nshared.make('by-parents')\n", ["by-parents"],
    ),
    "by_spec.py": (
        "import importlib.util as u, pathlib\nfile = pathlib.Path(__file__).parent / 'library'\n"
        "spec = u.spec_from_file_location('m', file / 'shared.py')\n"
        "m = u.module_from_spec(spec)\nspec.loader.exec_module(m)\nm.make('by-spec')\n",
        ["by-spec"],
    ),
    "by_runpy.py": (
        "import runpy\nrunpy.run_path(__file__.replace('by_runpy.py', 'claims.txt'))\n",
        ["by-runpy"],
    ),
    "latin.py": (f"caf\xe9 = 1\nc = Claim(id='in-latin', {_FALSE})\n", ["in-latin"]),
    "by_helper.py": (f"from helper import make\nmake('by-helper', {_FALSE})\n", ["by-helper"]),
    "by_import_only.py": ("import makes_on_import\n", ["on-import"]),
    "sub/pack/__init__.py": (f"c = Claim(id='in-init', {_FALSE})\n", ["in-init"]),
    "sub/pack/member.py": (
        f"from .inner import make\nmake('in-package', {_FALSE})\n", ["in-package"],
    ),
    "_drafts/draft.py": (f"c = Claim(id='in-draft', {_FALSE})\n", ["in-draft"]),
}  # fmt: skip
# What these need: the one makes claims when it is imported, and not when its name is looked at.
_HELPERS = {
    "helper.py": "def make(id, **said):\n    return Claim(id=id, **said)\n",
    "makes_on_import.py": f"c = Claim(id='on-import', {_FALSE})\n",
    "library/shared.py": f"def make(id):\n    return Claim(id=id, {_FALSE})\n",
    "claims.txt": f"Claim(id='by-runpy', {_FALSE})\n",
    "sub/pack/inner.py": "def make(id, **said):\n    return Claim(id=id, **said)\n",
}
# Without a word of slrsym in them.
_PLAIN = {
    "by_exec_alone.py", "by_helper.py", "by_import_only.py", "sub/pack/member.py", "by_name.py",
    "by_alias_of_import.py", "by_path.py", "sub/by_parents.py", "by_spec.py", "by_runpy.py",
}  # fmt: skip


def _write(folder: Path, name: str, text: str) -> Path:
    head = "from sympy import Eq, Symbol\nx = Symbol('x')\n" if name in _PLAIN else _IMPORT
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    encoding = "latin-1" if name == "latin.py" else "utf-8"
    file.write_text(f"# coding: {encoding}\n{head}{text}", encoding=encoding)
    return file


@pytest.fixture
def folder(tmp_path):
    for name, text in (_HELPERS | {name: text for name, (text, _) in _WAYS.items()}).items():
        _write(tmp_path / "mine", name, text)
    return tmp_path / "mine"


_ALL = sorted(id for _, ids in _WAYS.values() for id in ids)


def test_the_ledger_of_a_folder_has_every_claim(folder):
    for _ in range(2):  # the second time, helpers have been imported before
        ledger = Ledger.load(folder)
        assert ledger.problems == []
        assert sorted(ledger.claims) == _ALL
    notes = "\n".join(ledger.notes)
    assert "helper.py makes no claim when it is imported" in notes
    assert "inner.py makes no claim" in notes
    assert "shared.py makes no claim" in notes
    assert len(ledger.notes) == 3


def test_a_linked_folder_with_claims_is_named(tmp_path, folder):
    for name in ("mine", "other"):
        _write(tmp_path / name, "model.py", f"c = Claim(id='in-{name}', {_FALSE})\n")
    for link in ("link", ".hidden"):
        (folder / link).symlink_to(tmp_path / "other", target_is_directory=True)
    (folder / "loop").symlink_to(folder, target_is_directory=True)
    ledger = Ledger.load(folder)
    assert "in-mine" in ledger.claims
    assert "in-other" not in ledger.claims
    linked = [note for note in ledger.notes if "is a link to a folder" in note]
    assert len(linked) == 1


@pytest.mark.parametrize("name", ["conftest.py", "by_exec.py", "by_import_only.py"])
def test_a_file_given_as_argument(folder, name):
    ledger = Ledger.load(folder / name)
    assert ledger.problems == []
    ids = set(_WAYS[name][1])
    assert ids == set(ledger.claims)
    assert {claim.file for claim in ledger.claims.values()} & set(ledger.files)


def test_verify_sees_every_claim(folder):
    found = run("verify", folder, "--json", "-", "--workers", 1)
    assert found.exit_code == 1
    rows = json.loads(found.stdout)
    assert sorted(row["id"] for row in rows) == _ALL
    assert {row["status"] for row in rows} == {"failed"}
    assert "helper.py makes no claim when it is imported" in found.stderr


@pytest.mark.parametrize("options", [["--import-mode=importlib"], ["--import-mode=prepend"]])
def test_pytest_sees_every_claim(pytester, folder, options):
    result = pytester.runpytest_inprocess("-p", "no:randomly", "-p", "no:xdist", *options, folder)
    failed = sorted(line.split("::")[1] for line in result.outlines if line.startswith("FAILED "))
    assert failed == _ALL
    # The test beside the claim in a module of tests runs, too.
    result.assert_outcomes(passed=1, failed=len(_ALL))
    notes = [line for line in result.outlines if line.startswith("slrsym: ")]
    assert len(notes) == 3
    assert all("makes no claim when it is imported, and has no test" in note for note in notes)


@pytest.mark.parametrize(
    "name", ["test_model.py", "_private.py", "by_import_only.py", "sub/pack/member.py"]
)
def test_pytest_sees_the_claims_of_a_file_that_is_named(pytester, folder, name):
    result = pytester.runpytest_inprocess(
        "-p", "no:randomly", "-p", "no:xdist", "--import-mode=importlib", folder / name
    )
    # What its package makes on import is imported as well.
    failed = len(_WAYS[name][1]) + (name == "sub/pack/member.py")
    result.assert_outcomes(passed=name == "test_model.py", failed=failed)


@pytest.mark.parametrize("asks", ["m.claims()", "m.equations('gradient-flow').flow_claims()"])
def test_a_file_that_asks_a_model_for_claims_is_a_derivation(tmp_path, asks):
    """Be the model its own, or that of another file, where slrsym is not spoken of."""
    made = "from slrsym.models import Direction, model\nm = model(...)\n"
    for name, text in {
        "mine.py": f"{made}found = {asks}\n",
        "model_of.py": made,
        "asks.py": f"from model_of import m\nfound = {asks}\n",
        "by_way.py": "import asks\n",
        "other.py": "from model_of import m\nm.simulate()\n",
        "claims.py": "claims = insurance.claims()\n",
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    found = {file.name for file in derivation_files(tmp_path)}
    assert found == {"mine.py", "asks.py", "by_way.py"}


def test_the_claims_of_a_skipped_file_are_spoken_of(pytester, tmp_path):
    text = f"import pytest\nClaim(id='before', {_FALSE})\npytest.skip(allow_module_level=True)\n"
    file = _write(tmp_path, "test_skipped.py", text)
    result = pytester.runpytest_inprocess("-p", "no:randomly", "-p", "no:xdist", file)
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines([f"slrsym: {file} is skipped, so that no claim of it is checked"])


@thorough_only
def test_workers_of_pytest_see_every_claim(pytester, folder):
    pytest.importorskip("xdist")
    result = pytester.runpytest_subprocess("-n", "2", folder)
    result.assert_outcomes(passed=1, failed=len(_ALL))


def test_a_file_of_claims_that_is_named_keeps_its_tests(pytester, tmp_path):
    file = _write(tmp_path, "model.py", f"def test_one():\n    Claim(id='inside', {_FALSE})\n")
    result = pytester.runpytest_inprocess("-p", "no:randomly", "-p", "no:xdist", file)
    result.assert_outcomes(passed=1)


def test_one_id_twice(tmp_path):
    file = _write(tmp_path, "test_a.py", 2 * f"Claim(id='twice', {_FALSE})\n")
    (problem,) = Ledger.load(file).problems
    assert problem.startswith("the id 'twice' stands for two claims, in ")
    found = run("verify", tmp_path)
    assert (found.exit_code, problem in found.stderr) == (1, True)


def test_what_cannot_be_imported_is_an_error(tmp_path):
    _write(tmp_path, "good.py", "c = Claim(id='good', statement=Eq(x, 1), source='s')\n")
    _write(tmp_path, "test_bad.py", "import no_such_module\n")
    _write(tmp_path, "test_skipped.py", "import pytest\npytest.importorskip('no_such_module')\n")
    _write(tmp_path, "swallows.py", "try:\n    import test_bad\nexcept ImportError:\n    pass\n")
    problems = Ledger.load(tmp_path).problems
    assert [text.split(" does not import: ")[1].split(":")[0] for text in problems] == [
        "ModuleNotFoundError", "Skipped",
    ]  # fmt: skip
    assert run("verify", tmp_path).exit_code == 1


def test_modules_of_one_name_in_two_folders(tmp_path):
    for part in ("one", "two"):
        _write(tmp_path, f"{part}/helper.py", f"name = {part!r}\n")
        _write(tmp_path, f"{part}/a.py", f"from helper import name\nClaim(id=name, {_FALSE})\n")
        _write(tmp_path, f"{part}/tests/__init__.py", "")
        text = f"from .other import name\nClaim(id=f'{{name}}-in-tests', {_FALSE})\n"
        _write(tmp_path, f"{part}/tests/b.py", text)
        _write(tmp_path, f"{part}/tests/other.py", f"name = {part!r}\n")
    ledger = Ledger.load(tmp_path)
    assert ledger.problems == []
    assert sorted(ledger.claims) == ["one", "one-in-tests", "two", "two-in-tests"]


def test_claims_of_a_notebook_are_not_seen_and_that_is_said(tmp_path):
    _write(tmp_path, "good.py", f"c = Claim(id='good', {_FALSE})\n")
    notebook = tmp_path / "model.ipynb"
    notebook.write_text(json.dumps({"cells": [{"source": _IMPORT + "Claim()"}]}), encoding="utf-8")
    assert Ledger.load(tmp_path).notes == [
        f"{notebook} is a notebook, whose claims are not checked"
    ]
    (problem,) = Ledger.load(notebook).problems
    assert problem == f"{notebook} is a notebook; write its claims into a Python file"
    assert "is a notebook, whose claims are not checked" in run("verify", tmp_path).stderr


def test_a_claim_made_in_a_thread(tmp_path):
    text = f"""
from threading import Thread
def make():
    Claim(id='in-thread', {_FALSE})
thread = Thread(target=make)
thread.start()
thread.join()
"""
    _write(tmp_path, "a.py", text)
    assert list(Ledger.load(tmp_path / "a.py").claims) == ["in-thread"]
