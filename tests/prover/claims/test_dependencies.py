"""The table of what claims use, which stands beside the bundled log."""

import json
import re
import shutil
from importlib import import_module

import pytest

from slrsym.prover.claims import dependencies
from slrsym.prover.claims.dependencies import DirectDependencies, read_table, write_table
from slrsym.prover.claims.file_search import builtin_derivation_folder
from slrsym.prover.tactics import bundled_log
from tests._cli import exits, run
from tests._profile import thorough_only
from tests.conftest import claim_text

# Its name is that of a command, too.
commands = import_module("slrsym.cli.verify")
NOTE = "have changed since the table"
FOUND = {
    "lemma-18-i": DirectDependencies((), ("fubini", "induction")),
    "no-proof": DirectDependencies((), (), "ProofError: there is no proof"),
    "two": DirectDependencies(("lemma-18-i", "one"), ("fubini",)),
    "one": DirectDependencies(("no-proof",), ("tonelli",)),
}


@pytest.fixture
def table(tmp_path, monkeypatch):
    """The file of a table of its own, which is not there yet; no earlier run counts."""
    monkeypatch.setattr(dependencies, "TABLE", tmp_path / "table.json")
    monkeypatch.setenv("SLRSYM_FRESH", "1")
    return tmp_path / "table.json"


def test_a_table_is_read_as_it_was_written(table):
    assert read_table() == {}
    write_table(FOUND)
    assert read_table() == FOUND
    assert list(read_table()) == list(FOUND)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"digest": 1}', "\0"])
def test_a_damaged_table_is_none(table, text):
    table.write_text(text)
    assert read_table() == {}


@pytest.mark.parametrize("change", ["edit", "add", "rename", "paper"])
def test_a_table_of_other_derivations_is_none(table, tmp_path, monkeypatch, change):
    folder = tmp_path / "derivations"
    shutil.copytree(builtin_derivation_folder(), folder)
    write_table(FOUND)
    monkeypatch.setattr(dependencies, "builtin_derivation_folder", lambda: folder)
    # Wherever they are.
    assert read_table() == FOUND
    file = next(folder.rglob("lemma_18.py"))
    if change == "edit":
        file.write_text(file.read_text() + "# more\n")
    elif change == "add":
        file.with_name("lemma_180.py").write_text("")
    elif change == "rename":
        file.rename(file.with_name("lemma_180.py"))
    else:
        next(folder.rglob("paper.toml")).write_text("")
    assert read_table() == {}


def test_a_table_of_another_log_or_checker_is_none(table, tmp_path, monkeypatch):
    write_table(FOUND)
    for name, value in (("BUNDLED_LOG", tmp_path / "a.xz"), ("__file__", str(tmp_path / "a.py"))):
        (tmp_path / name).write_text("")
        with monkeypatch.context() as patch:
            where = dependencies if name == "BUNDLED_LOG" else dependencies.slrsym.checker
            (tmp_path / "a.xz").write_bytes(b"another")
            patch.setattr(where, name, value)
            assert read_table() == {}
        assert read_table() == FOUND


def test_the_command_judges_where_there_is_no_table_and_reads_it_where_there_is(
    table, tmp_path, monkeypatch
):
    judged = exits(run("axioms", "lemma-18-iii", "--json", tmp_path / "judged.json"), 0)
    assert NOTE in judged.stderr
    found = commands.load_ledger(None, ["lemma-18-iii"]).foundations("lemma-18-iii")
    assert len(found) > 1
    write_table(found)
    with monkeypatch.context() as patch:
        patch.delattr(commands, "load_ledger")
        read = exits(run("axioms", "lemma-18-iii", "--json", tmp_path / "read.json"), 0)
        listed = exits(run("axioms"), 0, "mean-value-theorem", "used by no claim")
    assert read.stdout == judged.stdout
    assert (tmp_path / "read.json").read_text() == (tmp_path / "judged.json").read_text()
    assert NOTE not in read.stderr + listed.stderr
    (used,) = found["lemma-18-iii"].axioms[:1]
    assert f"used by {', '.join(n for n in found if used in found[n].axioms)}" in listed.stdout


def test_claims_of_ones_own_are_judged(table, derivation):
    write_table(FOUND)
    result = exits(run("axioms", "--path", derivation("a.py", claim_text("square"))), 0)
    assert NOTE not in result.stderr


UNSOUND = """
from sympy import Gt, Symbol
from slrsym.proof import Claim, chain
from slrsym.prover.rules.step import Rule

class Trusted(Rule):
    name = "trusted"
    def check(self, link, context):
        pass

x = Symbol("x", real=True)
claim = Claim("one", Gt(x**2 + 1, 0, evaluate=False), "ours")
claim.proof(lambda goal: chain(goal.lhs).gt(0, by=Trusted()))
"""


def test_a_rule_without_evidence_is_listed_among_all_axioms(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(UNSOUND)
    for words in (["axioms", "one"], ["axioms"]):
        shown = exits(run(*words, "--path", file), 0).stdout
        assert re.search(r"rule: \S+Trusted\n(.*\n){2} +used by one\n", shown)


@thorough_only
def test_the_command_that_writes_the_log_writes_the_table(table, tmp_path, monkeypatch, derivation):
    log = tmp_path / "own.log.xz"
    file = derivation("a.py", claim_text("square"), claim_text("more", by='lemma("square")'))
    exits(run("verify", file, "--proof-log", log), 0)
    assert not table.exists()
    for module in (bundled_log, dependencies):
        monkeypatch.setattr(module, "BUNDLED_LOG", log)
    exits(run("verify", file, "--proof-log", log), 0)
    bundled_log.forget_log()
    assert read_table() == {
        "square": DirectDependencies((), ()),
        "more": DirectDependencies(("square",), ()),
    }


@thorough_only
def test_the_table_that_comes_with_slrsym_is_of_this_log_and_these_derivations(ledger):
    """If not, ``slrsym verify --proof-log`` with the path of the log writes both again."""
    found = read_table()
    assert found.keys() == ledger.claims.keys()
    for name in ("lemma-18-iii", "young", "corollary-2-rate"):
        assert found[name] == ledger.foundations(name)[name]
    assert json.loads(dependencies.TABLE.read_text(encoding="utf-8"))["digest"]
