"""Verdicts of an earlier run are shown while nothing has changed that they depend on."""

from __future__ import annotations

import importlib
import json
import os
import sqlite3
import sys
from contextlib import closing

import pytest

from slrsym.checker import Rejected
from slrsym.prover.claims import cache, files_read
from slrsym.prover.tactics.emission import ProofEmitter
from tests._cli import run as program
from tests._profile import thorough
from tests.conftest import claim_text

SAID = "Nothing has changed since these verdicts were found"
KEPT = "found earlier, of the same claims"
# Another text that makes the same claims.
UNUSED = "unused = 1\n"


@pytest.fixture
def verify(monkeypatch, tmp_path):
    """Runs the command where earlier runs count; what was run is noted."""
    monkeypatch.delenv("SLRSYM_FRESH", raising=False)
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("SLRSYM_CACHE", str(tmp_path / "kept"))

    def run(*arguments):
        return program("verify", "--workers", "1", *arguments)

    return run


def body(result):
    """What is said but for times."""
    lines = [line for line in result.stdout.splitlines() if not (SAID in line or KEPT in line)]
    return [line.rsplit(",", 1)[0] if line.endswith(" s") else line for line in lines]


def test_a_single_earlier_verdict_is_counted(verify, derivation):
    file = derivation("a.py", claim_text("one"), claim_text("two", by='lemma("one")'))
    verify(file, "--claim", "one")
    assert "1 of these verdicts was found earlier" in verify(file).stdout


def test_an_earlier_run_is_shown_again(verify, derivation, tmp_path):
    file = derivation("a.py", claim_text("one"), claim_text("two", by='lemma("one")'))
    for options in ((), ("-v",), ("--claim", "one"), ("--seed", "3")):
        first = verify(file, *options)
        again = verify(file, *options)
        assert SAID not in first.stdout
        assert SAID in again.stdout
        assert body(again) == body(first)
        assert (first.exit_code, again.exit_code) == (0, 0)
    assert SAID not in verify(file, "--no-cache").stdout
    for name in ("first", "again"):
        verify(file, "--json", tmp_path / name, *(["--no-cache"] if name == "first" else []))
    first, again = (json.loads((tmp_path / name).read_text()) for name in ("first", "again"))
    assert [row | {"seconds": 0} for row in again] == [row | {"seconds": 0} for row in first]


def test_what_has_changed_is_checked_again(verify, derivation, monkeypatch):
    file = derivation("a.py", claim_text("one"))
    verify(file)
    assert SAID in verify(file).stdout
    # What a derivation may import lies beside it.
    derivation("helper.py", "a = 1\n")
    assert SAID not in verify(file).stdout
    assert SAID in verify(file).stdout
    derivation("a.py", claim_text("two"))
    changed = verify(file)
    assert SAID not in changed.stdout
    assert "two" in changed.stdout
    monkeypatch.setattr("slrsym.prover.claims.cache.version", lambda name: f"another {name}")
    assert SAID not in verify(file).stdout


READS = """
import pathlib
value = int((pathlib.Path(__file__).parent / "{}").read_text())
"""


@pytest.mark.parametrize("name", ["value.txt", "_private/value", ".value", "below/of/it/v.csv"])
def test_a_file_that_a_derivation_reads_is_noticed(verify, derivation, name):
    text = READS.format(name), claim_text("one", rhs="x**2 + 2*x + value")
    file = derivation("a.py", "value = 1\n")
    (file.parent / name).parent.mkdir(parents=True, exist_ok=True)
    (file.parent / name).write_text("1")
    derivation("a.py", *text)
    assert verify(file).exit_code == 0
    assert SAID in verify(file).stdout
    (file.parent / name).write_text("2")
    changed = verify(file)
    assert (changed.exit_code, SAID in changed.stdout) == (1, False)


@pytest.mark.parametrize("workers", [1, thorough(2)])
def test_a_comment_that_a_derivation_reads_is_noticed(workers, verify, derivation):
    """Where a Python file is imported, a comment makes no difference; where it is read, it does."""
    value = "value = int(pathlib.Path(__file__).with_name('table.py').read_text().split()[-1])\n"
    claim = claim_text("one", rhs="x**2 + 2*x + value")
    table = derivation("table.py", "a = 1  # 1", header="")
    file = derivation("a.py", "import pathlib, table\n", value, claim, claim_text("two"))
    options = "--workers", str(workers)
    assert verify(file, *options).exit_code == 0
    assert SAID in verify(file, *options).stdout
    table.write_text("a = 1  # 2")
    assert verify(file, *options).exit_code == 1


def test_a_file_that_changes_during_the_run_is_noticed(derivation, verify, tmp_path):
    file = derivation("a.py", claim_text("one"))
    (file.parent / "value.txt").write_text("1")

    def make():
        (file.parent / "value.txt").write_text("22")
        return {"problems": []}

    for _ in range(2):
        assert cache.load_or_compute(make, [file]) == ({"problems": []}, False)
        (file.parent / "value.txt").write_text("1")


def test_files_that_no_derivation_reads_make_no_other_key(derivation, monkeypatch):
    file = derivation("a.py", claim_text("one"))
    folder = file.parent
    # The cache may lie among the derivations; other files there count.
    monkeypatch.setenv("SLRSYM_CACHE", str(folder))
    key = cache.cache_key([folder])
    for name in ("__pycache__/a.pyc", ".git/index", "env/pyvenv.cfg", "env/lib.py"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("")
    cache.save_cached(key, {})
    cache._write(folder / "evidence", key, {}, 9)
    (folder / "out.json").write_text("[]")
    assert cache.cache_key([folder], written=[folder / "out.json"]) == key
    assert cache.cache_key([folder]) != key


def test_a_file_that_the_command_writes_makes_no_other_key(verify, derivation):
    file = derivation("a.py", claim_text("one"))
    assert verify(file, "--json", file.parent / "out.json").exit_code == 0
    assert SAID in verify(file, "--json", file.parent / "out.json").stdout


def test_a_changed_package_is_another(derivation, tmp_path, monkeypatch):
    package = tmp_path / "slrsym" / "claims"
    package.mkdir(parents=True)
    (tmp_path / "derivations").mkdir()
    monkeypatch.setattr("slrsym.prover.claims.cache.__file__", str(package / "cache.py"))
    keys = set()
    for text in ("a = 1\n", "a = 2\n"):
        (package / "rules.py").write_text(text)
        keys.add(cache.cache_key(None, 0))
    assert len(keys) == 2


def test_what_has_failed_is_not_kept(verify, derivation):
    file = derivation("a.py", claim_text("wrong", "x", "x + 1"), claim_text("one"))
    for _ in range(2):
        found = verify(file)
        assert found.exit_code == 1
        assert SAID not in found.stdout


@pytest.mark.parametrize("name", ["CI", "SLRSYM_FRESH"])
def test_continuous_integration_checks_each_time(verify, derivation, monkeypatch, name):
    file = derivation("a.py", claim_text("one"))
    verify(file)
    monkeypatch.setenv(name, "true")
    assert SAID not in verify(file).stdout


def test_a_damaged_or_unwritable_cache_is_no_trouble(verify, derivation, tmp_path, monkeypatch):
    file = derivation("a.py", claim_text("one"))
    verify(file)
    (kept,) = (tmp_path / "kept").glob("*.json")
    kept.write_text("{")
    assert verify(file).exit_code == 0
    blocked = tmp_path / "blocked"
    blocked.write_text("a file")
    monkeypatch.setenv("SLRSYM_CACHE", str(blocked / "below"))
    for _ in range(2):
        found = verify(file)
        assert found.exit_code == 0
        assert SAID not in found.stdout


def test_old_runs_are_forgotten(monkeypatch, tmp_path):
    monkeypatch.setenv("SLRSYM_CACHE", str(tmp_path))
    monkeypatch.setattr(cache, "_MOST", 3)
    for number in range(5):
        cache.save_cached(f"{number}", {"proofs": {}})
    assert len(list(tmp_path.iterdir())) == 3


# One command that shows an earlier run is enough.
@pytest.mark.parametrize(
    "command", ["axioms one --path", "axioms --path", thorough("export snippet")]
)
def test_other_commands_show_an_earlier_run(command, verify, derivation, monkeypatch):
    """What they print is the same, and nothing is loaded for it."""
    file = derivation("a.py", claim_text("one"), claim_text("two", by='lemma("one")'))
    words = command.split()
    if command == "export snippet":
        words = ["export", "latex", "one", "--snippet", "--path"]
    first = program(*words, file)
    assert first.exit_code == 0, first.output
    assert "one" in first.stdout
    with monkeypatch.context() as patch:
        patch.setattr(
            "slrsym.prover.claims.ledger.Ledger.load", lambda *_: pytest.fail("it was loaded")
        )
        again = program(*words, file)
        assert (again.exit_code, again.stdout) == (0, first.stdout)
    derivation("a.py", claim_text("one", lhs="(x + 2)**2", rhs="x**2 + 4*x + 4"))
    changed = program(*words, file)
    assert changed.exit_code == 0
    assert changed.stdout != first.stdout or command.startswith("axioms")
    derivation("a.py", claim_text("one", rhs="x**2 + 3*x + 1"))
    failed = program("export", "latex", "one", "--snippet", "--path", file)
    assert failed.exit_code == 1
    assert failed.stdout == ""


def test_two_files_of_a_folder_are_told_apart(tmp_path):
    for name in ("one.py", "two.py"):
        (tmp_path / name).write_text("", encoding="utf-8")
    asked = [None, [tmp_path], [tmp_path / "one.py"], [tmp_path / "two.py"]]
    assert len({cache.cache_key(paths) for paths in asked}) == len(asked)


# -- evidence --------------------------------------------------------------------------------------


def axioms_of(result, file):
    """The axioms of the one claim, from the file for programs."""
    assert result.exit_code == 0, result.output
    (row,) = json.loads(file.read_text())
    return row["axioms"]


@pytest.fixture
def kept(verify, derivation, tmp_path):
    """A file of derivations, of whose claim the evidence is kept, and where it is."""
    file = derivation("a.py", claim_text("one"))
    assert verify(file).exit_code == 0
    (evidence,) = (tmp_path / "kept" / "evidence").iterdir()
    # The verdict is not.
    for kept_verdict in (tmp_path / "kept" / "verdicts").iterdir():
        kept_verdict.unlink()
    return file, evidence


@pytest.fixture
def without_search(monkeypatch):
    def refused(*_):
        raise Rejected("nothing is searched")

    monkeypatch.setattr(ProofEmitter, "emit_by_rule", refused)


def test_evidence_of_an_earlier_run_is_judged_again(
    verify, derivation, tmp_path, kept, without_search
):
    file, _ = kept
    told = tmp_path / "told.json"
    # The file has changed, and the claim has not.
    derivation("a.py", UNUSED, claim_text("one"))
    again = verify(file, "--json", told)
    assert SAID not in again.stdout
    assert axioms_of(again, told) == []
    assert "nothing is searched" in verify(file, "--no-cache").output


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"lines": 3}', '{"lines": [], "steps": [[]]}'])
def test_evidence_that_is_damaged_is_searched_again(verify, derivation, tmp_path, kept, text):
    file, evidence = kept
    evidence.write_text(text)
    told = tmp_path / "told.json"
    derivation("a.py", UNUSED, claim_text("one"))
    assert axioms_of(verify(file, "--json", told), told) == []
    assert json.loads(evidence.read_text())["claim"] == "one"


def test_evidence_of_another_statement_proves_nothing(
    verify, derivation, tmp_path, kept, without_search
):
    file, _ = kept
    derivation("a.py", claim_text("one", "(x + 2)**2", "x**2 + 4*x + 4"))
    assert "nothing is searched" in verify(file).output


def test_the_package_keeps_no_evidence_for_its_own_claims(verify, tmp_path):
    assert verify("--claim", "lemma-16").exit_code == 0
    assert not (tmp_path / "kept" / "evidence").exists()


def test_a_cache_lies_where_the_system_keeps_caches(verify, derivation, monkeypatch, tmp_path):
    """In the folder of the desktop's standard, if it names one, or in that of the user."""
    file = derivation("a.py", claim_text("one"))
    monkeypatch.delenv("SLRSYM_CACHE")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name, place in (("", tmp_path / "home" / ".cache"), ("named", tmp_path / "named")):
        monkeypatch.setenv("XDG_CACHE_HOME", name and str(tmp_path / name))
        assert SAID not in verify(file).stdout
        assert SAID in verify(file).stdout
        assert len(list((place / "slrsym" / "evidence").glob("*.json"))) == 1


# -- what derivations read elsewhere -----------------------------------------------------------

IMPORTS = "import mymodel\nvalue = mymodel.value\n"
BY_PATH = "import sys\nsys.path.insert(0, {folder!r})\n" + IMPORTS
READ_FILE = "import pathlib\nvalue = pathlib.Path({folder!r}, 'value.txt').read_text()\n"
UPDATED = """
with open({folder!r} + '/value.txt', 'r+') as file:
    value = file.read()
"""
READ_HERE = "import os, pathlib\nvalue = pathlib.Path('elsewhere/value.txt').read_text()\n"
EXECUTED = "import pathlib\nexec(pathlib.Path({folder!r}, 'plain.py').read_text())\n"
COUNTED = "import glob\nvalue = len(glob.glob({folder!r} + '/*.csv'))\n"
ASKING = "import sys\nsys.path.insert(0, {folder!r})\nfrom asking import value\n"
IF_ON = "import pathlib\nvalue = 1 + pathlib.Path({folder!r}, 'on').exists()\n"
SIZE = "import os\nvalue = os.path.getsize({folder!r} + '/value.txt')\n"
PROGRAM = """
import os
with os.popen('cat ' + {folder!r} + '/value.txt') as said:
    value = said.read()
"""
DATABASE = """
import contextlib, sqlite3
with contextlib.closing(sqlite3.connect({folder!r} + '/data')) as data:
    value = data.execute('pragma user_version').fetchone()[0]
"""
IF_THERE = """
import sys
sys.path.insert(0, {folder!r})
try:
    from later import value
except ImportError:
    value = 1
"""


def mymodel(text):
    return lambda folder: (folder / "mymodel.py").write_text(text)


def deeper(folder):
    (folder / "package" / "inner.py").write_text("value = 22222\n")


def write(name, text):
    return lambda folder: (folder / name).write_text(text)


def version(number):
    def change(folder):
        with closing(sqlite3.connect(folder / "data")) as data:
            data.execute(f"pragma user_version = {number}")

    return change


CHANGES = {
    "a module by PYTHONPATH": (IMPORTS, mymodel("value = 22222\n"), False),
    "a module by sys.path": (BY_PATH, mymodel("value = 22222\n"), False),
    "a module of a package, by way of another": (BY_PATH, deeper, False),
    "a module that is gone": (BY_PATH, lambda folder: (folder / "mymodel.py").unlink(), False),
    "a module that comes": (IF_THERE, write("later.py", "value = 2\n"), False),
    "a package that comes": (IF_THERE, lambda folder: (folder / "later").mkdir(), True),
    "a file": (READ_FILE, write("value.txt", "2"), False),
    "a file that may be written": (UPDATED, write("value.txt", "2"), False),
    "a file of the current folder": (READ_HERE, write("value.txt", "2"), False),
    "a file that is executed": (EXECUTED, write("plain.py", "value = 2"), False),
    "a variable that a module asks for": (
        ASKING, lambda _: os.environ.update(SLR_ASKED="2"), False,
    ),
    "another variable": (BY_PATH, lambda _: os.environ.update(SLR_ASKED="2"), None),
    "a file that is looked for": (IF_ON, write("on", ""), False),
    "the size of a file": (SIZE, write("value.txt", "22"), False),
    "what a program reads": (PROGRAM, write("value.txt", "2"), False),
    "a database": (DATABASE, version(2), False),
    "a folder": (COUNTED, write("b.csv", ""), False),
    "a file that nobody read": (BY_PATH, write("other.txt", ""), None),
}  # fmt: skip
# What asks for more than files is not found again, though nothing changed.
NOT_KEPT = {"a file that is looked for", "the size of a file", "what a program reads", "a database"}


@pytest.mark.parametrize("case", CHANGES)
def test_what_is_read_elsewhere_is_noticed(case, verify, derivation, tmp_path, monkeypatch):
    head, change, still_true = CHANGES[case]
    folder = tmp_path / "elsewhere"
    (folder / "package").mkdir(parents=True)
    (folder / "package" / "__init__.py").write_text("")
    (folder / "package" / "inner.py").write_text("value = 1\n")
    (folder / "mymodel.py").write_text("from package.inner import value\n")
    (folder / "value.txt").write_text("1")
    (folder / "plain.py").write_text("value = 1")
    (folder / "a.csv").write_text("")
    (folder / "asking.py").write_text("import os\nvalue = os.environ['SLR_ASKED']\n")
    version(1)(folder)
    monkeypatch.setenv("SLR_ASKED", "1")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path, str(folder)] if head == IMPORTS else [*sys.path])
    before = list(sys.path)

    def verified():
        """Run as a process of its own would, which has imported nothing yet."""
        for name in ("mymodel", "package", "package.inner", "later", "asking"):
            sys.modules.pop(name, None)
        sys.path[:] = before
        os.chdir(tmp_path)
        importlib.invalidate_caches()
        return verify(file)

    text = head.format(folder=str(folder)) + "value = int(value)\n"
    file = derivation("a.py", text, claim_text("one", rhs="x**2 + 2*x + value"))
    assert verified().exit_code == 0
    assert (SAID in verified().stdout) == (case not in NOT_KEPT)
    change(folder)
    changed = verified()
    assert (SAID in changed.stdout) == (still_true is None)
    assert (changed.exit_code == 0) == (still_true is not False)
    for name in ("mymodel", "package", "package.inner", "later", "asking"):
        sys.modules.pop(name, None)


def test_other_search_paths_make_another_key(verify, derivation, tmp_path, monkeypatch):
    file = derivation("a.py", claim_text("one"))
    verify(file)
    assert SAID in verify(file).stdout
    monkeypatch.syspath_prepend(tmp_path)
    assert SAID not in verify(file).stdout


def test_a_file_elsewhere_that_changes_during_the_run_is_noticed(derivation, verify, tmp_path):
    file, value = derivation("a.py", claim_text("one")), tmp_path / "value.txt"

    def make():
        value.read_text()
        value.write_text(value.read_text() + "1")
        return {"problems": []}

    value.write_text("1")
    # What a run wrote is no reason to run again.
    assert cache.load_or_compute(make, [file])[1] is False
    assert cache.load_or_compute(make, [file])[1] is True


@pytest.mark.parametrize("text", ["value = 1\n", "value = 2\n"])
def test_workers_tell_what_they_read(text, tmp_path):
    name = str(tmp_path / "value.py")
    (tmp_path / "value.py").write_text(text)
    with files_read.record_files_read() as found:
        files_read.read_since_last_told()
        (tmp_path / "value.py").read_text()
        assert files_read.read_since_last_told() == ({name: files_read.state_of(name)}, [name])
        assert files_read.read_since_last_told() == ({}, [name])
        found.clear()
        files_read.add_files_read({name: ["1", "2", "3"]})
        assert found == {name: ["1", "2", "3"]}
    assert not files_read.are_unchanged(found)
    files_read.add_files_read({name: []})
    assert files_read.are_unchanged({name: files_read.state_of(name), name + "x": []})
