"""The proof log by the command line: written, checked by the checker alone, refused if forged."""

import json
import re
import subprocess
import sys

import pytest

import slrsym
from slrsym.checker import ProvedClaims
from slrsym.checker.log import chained_digest
from slrsym.checker.term import num
from slrsym.proof import Ledger
from slrsym.prover.claims.__main__ import _is_known
from slrsym.prover.tactics.log_records import RecordingProofBuilder, log_lines
from slrsym.prover.tactics.proof_log import statement_and_step_records, write_log
from tests._cli import exits, run
from tests._profile import thorough, thorough_only
from tests.checker.terms import X

# The function of this name hides the module.
COMMAND = sys.modules["slrsym.cli.recheck"]
CLAIM = """
from sympy import Ge, Symbol
from slrsym.proof import Claim, chain, sign
x = Symbol("x", real=True)
claim = Claim("square", Ge(x**2 + 1, 1, evaluate=False), "ours")
claim.proof(lambda goal: chain(x**2 + 1).ge(1, by=sign))
"""

OTHER = CLAIM.replace("x**2 + 1, 1", "x**2 + 2, 2").replace("+ 1).ge(1", "+ 2).ge(2")


@pytest.fixture(scope="module")
def logged(tmp_path_factory):
    folder = tmp_path_factory.mktemp("logged")
    (folder / "mine.py").write_text(CLAIM)
    log = folder / "proofs.log"
    exits(run("verify", folder / "mine.py", "--proof-log", log), 0, "2 of 2 steps with evidence")
    return folder / "mine.py", log


@pytest.fixture
def stated():
    """The process that says what derivations state."""
    return COMMAND._stated


@pytest.fixture(autouse=True)
def few_processes(request, stated, monkeypatch):
    """Ask a process for the claims of files only where a test says so, and never for all claims.

    A process takes more than a second to start, and several to load the claims of the package.
    `test_a_process_says_what_is_said_here` compares the two.
    """
    by_process = "by_process" in request.fixturenames

    def answer(ids, paths):
        return stated(ids, paths) if paths and by_process else said_here(ids, paths)

    monkeypatch.setattr(COMMAND, "_stated", answer)


@pytest.fixture
def by_process():
    """Mark tests that are about the process."""


def said_here(ids, paths=()):
    ledger = Ledger.load(*paths) if paths else slrsym.ledger()
    known = [id for id in ids if _is_known(ledger, id)]
    return {
        x["claim"]: json.loads(json.dumps(x))
        for x in statement_and_step_records(known, ledger.find)
    }


@thorough_only
def test_a_process_says_what_is_said_here(stated, logged):
    ids = ["lemma-16", "square", "lemma-18-i", "theorem-1-overlaps"]
    for paths, count in (([], 3), ([logged[0]], 4)):
        assert stated(ids, paths) == said_here(ids, paths)
        assert len(said_here(ids, paths)) == count


def judge(*words):
    done = run("recheck", *words)
    return done.exit_code, done.output


def judged(words, expected, *said):
    """Judge a log, and require the exit code and these parts of what is said."""
    code, output = judge(*words)
    assert code == expected, output
    for part in said:
        assert part in output, output
    return output


@thorough_only
def test_what_was_proved_is_judged_again(logged):
    source, log = logged
    judged(
        (log, "--path", source),
        0,
        "2 of 2 steps follow by the proof checker",
        "1 of 1 claims rest on nothing else",
        "Every claim, and every step, says what its derivation says.",
    )


def test_steps_without_evidence_are_named(logged, tmp_path):
    source, log = logged
    assert (
        "2 of 2 steps have evidence of their own"
        in judge(log, "--no-compare", "--list-unchecked")[1]
    )
    bare = tmp_path / "bare.log"
    write_log(bare, ["square"], Ledger.load(source).find, patience=0)
    judged(
        (bare, "--no-compare", "--list-unchecked"),
        0,
        "0 of 2 steps follow by the proof checker",
        "1 of 2 steps have evidence of their own",
        "  square 1: Sign",
    )
    assert "square 1" not in judge(bare, "--no-compare")[1]


def test_a_step_has_evidence_of_its_own_whatever_the_order_of_steps(tmp_path):
    """Step 1 rests on what steps 2 and 3 say, and step 4 ends where step 2 does."""
    script = RecordingProofBuilder(ProvedClaims())
    hope, one, fear = ("<", num(0), X), ("=", num(1), num(1)), ("<", X, num(0))
    hoped = script.add("unchecked", (), "hope", (), hope)
    feared = script.add("unchecked", (), "fear", (), fear)
    last = script.add("logic", [hoped, feared], (), ("and", hope, fear))
    shown = script.add("arithmetic", (), (), one, [1, [], [], []])
    for label, line in (("1", last), ("2", feared), ("3", hoped), ("4", feared), ("5", shown)):
        script.record_step(label, "rule", line)
    record = script.finish_claim("mine", one, (), shown)
    log = tmp_path / "mine.log"
    log.write_text("".join(f"{line}\n" for line in log_lines({}, [record])))
    said = judged((log, "--no-compare", "--list-unchecked"), 0, "1 of 5 steps follow by")
    assert re.findall(r"^(\d of 5 steps have evidence.*|  mine.*)$", said, re.MULTILINE) == [
        "3 of 5 steps have evidence of their own; not so:", "  mine 2: fear", "  mine 3: hope",
    ]  # fmt: skip


def test_a_derivation_that_says_something_else(logged, tmp_path):
    _, log = logged
    other = tmp_path / "mine.py"
    other.write_text(OTHER)
    judged((log, "--path", other), 1, "claim square says something else in its derivation")
    assert judge(log, "--no-compare")[0] == 0


def test_derivations_are_arguments_as_of_verify(logged, tmp_path):
    source, log = logged
    judged((log, source), 0, "Every claim, and every step, says what its derivation says.")
    other = tmp_path / "other.py"
    other.write_text(CLAIM.replace('"square"', '"another"'))
    judged(
        (log, other), 1, "claim square is none of the derivations; name those that make it as PATH"
    )


def test_claims_of_ones_own_need_their_derivations(logged, monkeypatch):
    """Nothing is loaded to say so."""
    _, log = logged
    monkeypatch.setattr(COMMAND, "_stated", lambda *_: pytest.fail("derivations were loaded"))
    code, said = judge(log)
    said = " ".join(said.split())
    assert code == 2
    assert f"claim square of {log} does not come with slrsym; name its derivations" in said
    assert "--path PATH" in said


def test_own_claims_are_not_compared_with_those_of_the_package(logged, stated, monkeypatch):
    """The built-in ledger is not loaded for them."""
    source, log = logged
    asked = []

    def answer(ids, paths):
        asked.append(paths)
        return said_here(ids, paths)

    monkeypatch.setattr(COMMAND, "_stated", answer)
    assert judge(log, source)[0] == 0
    assert asked == [[source]]


def test_derivations_in_the_place_of_a_log(logged):
    source, _ = logged
    code, said = judge(source)
    said = " ".join(said.split())
    assert code == 2
    assert "is no proof log; write one with: slrsym verify" in said
    assert judge(source.parent)[0] == 2
    assert "nowhere does not exist" in judge(logged[1], "nowhere")[1]


def forged(log, target, change):
    lines, before = [], ""
    for number, line in enumerate(log.read_text().splitlines()):
        record = json.loads(line)
        if number:
            change(record)
        record["digest"] = before = chained_digest(before, record)
        lines.append(json.dumps(record))
    target.write_text("\n".join(lines) + "\n")
    return target


@pytest.mark.parametrize(
    "change",
    [
        lambda record: record.update(statement=["<", ["n", 1, 1], record["statement"][2]]),
        lambda record: record.update(axioms=["fubini"]),
        lambda record: record.update(lines=record["lines"][:-1]),
        lambda record: record.update(given=[["<", ["n", 1, 1], ["n", 0, 1]]], shown=99),
    ],
)
def test_forged_logs_are_refused(logged, tmp_path, change):
    judged((forged(logged[1], tmp_path / "forged.log", change), "--no-compare"), 1, "refused")


@pytest.mark.parametrize(
    "change",
    [
        lambda steps: steps.pop(0),
        lambda steps: steps.clear(),
        lambda steps: steps.append(steps[0]),
        lambda steps: steps[0].__setitem__(0, "7"),
    ],
    ids=["one fewer", "none", "one twice", "another label"],
)
def test_steps_that_are_not_those_of_the_proof(logged, tmp_path, change):
    # The claim is the same, and follows; but the log counts other steps than were checked.
    source, log = logged
    log = forged(log, tmp_path / "forged.log", lambda record: change(record["steps"]))
    assert judge(log, "--no-compare")[0] == 0
    judged((log, "--path", source), 1, "claim square has other steps in its derivation")


def test_a_changed_byte_is_refused(logged, tmp_path):
    damaged = tmp_path / "damaged.log"
    damaged.write_text(logged[1].read_text().replace('"seed":0', '"seed":1'))
    judged((damaged, "--no-compare"), 1, "digest")


def test_the_judge_loads_no_search_and_no_sympy(logged):
    code = (
        "import sys\n"
        "for name in ('rules', 'tactics', 'claims.ledger'):\n"
        "    sys.modules[f'slrsym.prover.{name}'] = None\n"
        "sys.modules['sympy'] = None\n"
        "from typer.testing import CliRunner\n"
        "from slrsym.cli.program import app\n"
        f"done = CliRunner().invoke(app, ['recheck', {str(logged[1])!r}, '--no-compare'])\n"
        "print(done.output); sys.exit(done.exit_code)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_file_that_is_not_there():
    judged(("nowhere.log",), 2, "there is no file nowhere.log")


def test_a_claim_in_the_place_of_a_built_in_one_is_named(tmp_path):
    source = tmp_path / "mine.py"
    log = tmp_path / "proofs.log"
    source.write_text(CLAIM.replace('"square"', '"lemma-16"'))
    exits(run("verify", source, "--proof-log", log), 0)
    judged((log, "--path", source), 0, "in the place of a claim that comes with slrsym: lemma-16")
    judged((log,), 1, "lemma-16 says something else")


LIAR = """
import json, sys
for line in open("proofs.log").readlines()[1:]:
    print(json.dumps({name: json.loads(line)[name] for name in ("claim", "given", "statement")}))
"""


# The other file beside the log.
@pytest.mark.usefixtures("by_process")
@pytest.mark.parametrize("name", [thorough("slrsym/prover/claims/__main__.py"), "json.py"])
def test_nothing_beside_the_log_answers_for_the_derivations(logged, tmp_path, monkeypatch, name):
    _, log = logged
    (tmp_path / "proofs.log").write_text(log.read_text())
    liar = tmp_path / name
    liar.parent.mkdir(parents=True, exist_ok=True)
    for folder in (liar.parent, liar.parent.parent):
        if tmp_path in folder.parents:
            (folder / "__init__.py").touch()
    liar.write_text(LIAR)
    other = tmp_path / "derivations" / "mine.py"
    other.parent.mkdir()
    other.write_text(OTHER)
    monkeypatch.chdir(tmp_path)
    judged(("proofs.log", "--path", other), 1, "claim square says something else in its derivation")


@pytest.mark.usefixtures("by_process")
def test_what_a_derivation_prints_is_no_answer(logged, tmp_path):
    source, log = logged
    printing = tmp_path / "mine.py"
    says = '{"claim": "square", "given": [], "statement": ["o", "anything"]}'
    printing.write_text(f"print('{says}')\n{source.read_text()}\nprint('and more')\n")
    judged((log, "--path", printing), 0)
