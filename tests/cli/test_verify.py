"""The command line: exit codes, streams, files, and what is said."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from slrsym import __version__
from slrsym.cli import terminal_output
from slrsym.cli.verify import _FAILED
from slrsym.prover.claims.file_search import builtin_derivation_folder
from slrsym.prover.claims.verification import ClaimSummary
from tests._cli import Screen, exits, refused, run
from tests._profile import thorough, thorough_only
from tests.conftest import claim_text

OWN = builtin_derivation_folder() / "single_location"
BELL = """\
from sympy import Eq, Symbol, exp, pi, sqrt
from slrsym.gaussian import erf_prime
from slrsym.proof import Claim, chain, lemma
x = Symbol("x", real=True)
"""
KEYS = ["id", "title", "source", "status", "steps", "digits", "axioms", "depends", "seconds"]


def verify(*arguments):
    return run("verify", *arguments, "--workers", 1)


@pytest.fixture
def folder(derivation):
    """A folder with two true claims, one of which rests on a built-in one."""
    derivation("a.py", claim_text("square"))
    file = derivation(
        "b.py",
        claim_text("bell", "erf_prime(x)", "2*exp(-x**2)/sqrt(pi)", 'lemma("lemma-17-i")'),
        header=BELL,
    )
    return file.parent


# -- success -----------------------------------------------------------------------------------


@thorough_only
def test_a_folder_of_true_claims(folder):
    result = exits(verify(folder), 0)
    assert re.search(r"3 of 3 claims proved, \d+ steps, agreement to 30 digits", result.stdout)
    for id in ("square", "bell", "lemma-17-i"):
        assert re.search(rf"^ {id} .* proved ", result.stdout, re.MULTILINE)
    assert result.stderr == ""


@thorough_only
def test_a_claim_without_a_title_shows_its_statement(folder):
    shown = next(row for row in verify(folder).stdout.splitlines() if row.startswith(" square"))
    assert "(x + 1)**2 = x**2 + 2*x + 1" in shown
    said = verify(folder, "--claim", "square", "-v").stdout.splitlines()[0]
    assert said.split()[0] == "square"
    assert "=" not in said


def test_what_is_asked_for_and_what_it_rests_on(folder):
    exits(verify(folder / "a.py"), 0, "1 of 1 claims proved")
    exits(verify("--claim", "lemma-17-ii"), 0, "1 of 1 claims proved")
    result = exits(verify(folder, "--claim", "bell"), 0, "2 of 2 claims proved")
    assert "square" not in result.stdout
    exits(run("axioms", "bell", "--path", folder), 0, "lemma-17-i, which uses no other claim")


@thorough_only
def test_a_proof_step_by_step(folder):
    shown = verify(folder, "--claim", "bell", "-v").stdout
    assert "In one step." in shown
    assert "1 [claim lemma-17-i]  accepted, 30 digits" in shown
    assert "erf_prime(x) = 2*exp(-x**2)/sqrt(pi)" in shown
    assert "rests on: lemma-17-i" in shown


def test_the_table_is_whole_when_piped(derivation, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    id = "a-claim-with-quite-a-long-name-that-must-not-be-cut"
    shown = verify(derivation("a.py", claim_text(id))).stdout
    assert re.search(rf"^ {id} +\(x .* +proved +2 +30 +- +0 +\d+\.\d\d *$", shown, re.MULTILINE)
    assert "\x1b" not in shown
    assert "…" not in shown


@pytest.mark.parametrize("width", [40, 80, 120])
def test_the_table_fits_a_terminal(width):
    ids = ["proposition-10-minimum-strict", "lemma-6"]
    rows = [
        ClaimSummary(id, "a title of many words " * 9, "", "open", 2, 30, (), (), 1.5, "")
        for id in ids
    ]
    out = terminal_output.console(Screen())
    out.width = max(width, 80)
    out.print(terminal_output.claim_table(rows, out.width))
    lines = [line for line in out.file.getvalue().splitlines() if re.search("prop|lemma", line)]
    assert len(lines) == 2
    for line, id in zip(lines, ids, strict=True):
        plain = re.sub(r"\x1b\[[\d;]*m", "", line)
        assert re.search(rf"^ {id} +a title.*… +open +2 +30 +(\d+|-|all) +0 +1\.50 *$", plain)
        assert len(plain) <= max(width, 80)


def test_a_narrow_terminal_is_taken_for_one_of_80_columns(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    assert terminal_output.console(Screen()).width == 80
    monkeypatch.setenv("COLUMNS", "99")
    assert terminal_output.console(Screen()).width == 99


# -- the ledger as JSON ------------------------------------------------------------------------


@thorough_only
def test_json_file(folder, tmp_path):
    file = tmp_path / "ledger.json"
    exits(verify(folder, "--json", file), 0)
    rows = json.loads(file.read_text())
    assert [list(row) for row in rows] == [
        [
            *KEYS, "error", "monte_carlo", "box", "trials", "replaces", "against", "hypotheses",
            "hypotheses_not_tried", "supposes", "hypotheses_note", "steps_not_compared",
        ]
    ] * 3  # fmt: skip
    bell = next(row for row in rows if row["id"] == "bell")
    assert bell["depends"] == ["lemma-17-i"]
    assert bell["status"] == "proved"
    assert bell["error"] == ""
    assert bell["digits"] == 30
    assert sorted(p.name for p in tmp_path.iterdir()) == ["derivations", "ledger.json"]


@thorough_only
def test_json_on_standard_output(folder):
    result = verify(folder, "--json", "-")
    assert {row["id"] for row in json.loads(result.stdout)} == {"square", "bell", "lemma-17-i"}
    assert "claims proved" in result.stderr


def test_json_has_failures_too(derivation, tmp_path):
    file = tmp_path / "ledger.json"
    exits(verify(derivation("a.py", claim_text("wrong", rhs="x**2 + 1")), "--json", file), 1)
    (row,) = json.loads(file.read_text())
    assert row["status"] == "failed"
    assert "step 1 [algebra] is refused" in row["error"]


def test_a_missing_folder_is_said_before_the_work(folder, tmp_path, monkeypatch):
    def work(*_, **__):
        raise AssertionError("claims were checked")

    monkeypatch.setattr("slrsym.prover.claims.ledger.Ledger.verify", work)
    result = exits(verify(folder, "--json", tmp_path / "none" / "ledger.json"), 2)
    assert "does not exist" in result.stderr
    assert "claims were checked" not in result.stderr
    assert result.stdout == ""


def test_one_file_for_two_options(folder, tmp_path):
    """The later would take the place of the earlier, which may be a derivation."""
    file, new = folder / "a.py", tmp_path / "result"
    before = file.read_bytes()
    for arguments, option in (
        (("verify", file, "--json", file), "PATH"),
        (("verify", folder, file, "--proof-log", file), "PATH"),
        (("verify", file, "--proof-log", new, "--json", new), "--proof-log"),
        (("axioms", "square", "--path", file, "--json", file), "--path"),
    ):
        refused(run(*arguments), f"must be another file than that of {option}")
    assert file.read_bytes() == before
    assert not new.exists()


def test_an_old_file_survives_a_failed_write(folder, tmp_path, monkeypatch):
    file = tmp_path / "ledger.json"
    file.write_text("old")

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr("pathlib.Path.replace", fail)
    result = exits(verify(folder, "--json", file), 1)
    assert "disk full" in result.stderr
    assert file.read_text() == "old"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["derivations", "ledger.json"]


def test_a_device_is_written_to_and_not_replaced(folder, tmp_path):
    # A named pipe with a reader stands for /dev/null, which a test had better not risk.
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert verify(folder, "--json", pipe).exit_code == 0
        assert len(json.loads(os.read(reader, 1 << 16))) == 3
    finally:
        os.close(reader)
    assert pipe.is_fifo()


@thorough_only
def test_a_link_stays_a_link(folder, tmp_path):
    (tmp_path / "real").mkdir()
    link = tmp_path / "ledger.json"
    link.symlink_to(tmp_path / "real" / "ledger.json")
    assert verify(folder, "--json", link).exit_code == 0
    assert link.is_symlink()
    assert [p.name for p in (tmp_path / "real").iterdir()] == ["ledger.json"]
    assert len(json.loads(link.read_text())) == 3


# -- failure -----------------------------------------------------------------------------------


def test_a_false_claim(derivation):
    result = verify(derivation("a.py", claim_text("wrong", rhs="x**2 + 1"), claim_text("right")))
    exits(result, 1, "wrong failed: step 1 [algebra] is refused", "1 of 2 claims proved")
    assert re.search(r"fails at x = \S+: \S+ against \S+", result.stdout)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("b.py", "y = 1 / 0\n", "ZeroDivisionError: division by zero"),
        ("b.py", "def (:\n", "SyntaxError"),
        ("a.py", "exit(0)\n", "SystemExit: 0"),
    ],
)
def test_a_file_that_does_not_import(derivation, name, text, said):
    derivation("a.py" if name == "b.py" else "b.py", claim_text("right"))
    broken = derivation(name, text, claim_text("never"))
    result = exits(verify(broken.parent), 1, "1 of 1 claims proved")
    assert f"{name}:4 does not import: {said}" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("workers", [1, thorough(2)])
def test_a_proof_that_calls_exit_does_not_pass(derivation, workers):
    file = derivation("a.py", claim_text("one", by="exit(0)"), claim_text("two"))
    result = exits(run("verify", file, "--workers", workers), 1)
    assert re.search(r"sys\.exit\(0\)|SystemExit: 0", result.output)


TRUSTING = """
from slrsym.proof.step import Rule
class Trust(Rule):
    name = "trust"
    def check(self, link, context):
        pass
"""


def test_a_conditional_claim_is_no_failure(derivation):
    base = 'Claim(id="base", statement=Eq(x + x, 2*x, evaluate=False), source="s")\n'
    trusting = derivation("a.py", TRUSTING, claim_text("one", by="Trust()"))
    resting = derivation("b.py", base, claim_text("upon", by='lemma("base")'))
    for file, code, line in (
        (trusting, 0, "0 of 1 claims proved, 1 conditional"),
        # A claim that is not proved is among those that are checked.
        (resting, 1, "0 of 2 claims proved"),
    ):
        exits(verify(file), code, line)


def test_the_page_on_commands_names_the_statuses_that_are_failures():
    page = Path(__file__).parents[2] / "docs" / "reference" / "commands.md"
    told = page.read_text(encoding="utf-8").split("1 if something failed (")[1].split(",")[0]
    assert set(re.findall(r"`(\w+)`", told)) == set(_FAILED)


def test_a_missing_dependency(derivation):
    file = derivation("a.py", claim_text("right"), claim_text("lost", by='lemma("no-such")'))
    exits(
        verify(file),
        1,
        "step 1 [claim no-such] is refused: ",
        "1 of 2 claims proved",
        "no proof was found: unknown claim 'no-such'",
    )


def test_a_claim_that_rests_on_a_false_one(derivation):
    upon = claim_text("upon-it", "x**2 + 1", "x + 1", by='lemma("wrong")')
    file = derivation("a.py", claim_text("wrong", "x**2", "x"), upon)
    shown = exits(verify(file, "--claim", "upon-it"), 1, "0 of 2 claims proved").stdout
    # Agreement is said of what is proved.
    assert "agreement" not in shown
    assert "red" in terminal_output.outcome_line([], 0.0).style


def test_a_duplicate_id(derivation):
    derivation("a.py", claim_text("one"))
    file = derivation("b.py", claim_text("one"), claim_text("two"))
    result = exits(verify(file.parent), 1, "2 of 2 claims proved")
    assert "the id 'one' stands for two claims" in result.stderr
    assert "a.py and " in result.stderr


def test_an_unknown_claim(folder):
    found = verify(folder, "--claim", "sqare", "--claim", "square")
    refused(found, "unknown claim 'sqare'; did you mean square?")


def test_a_claim_in_the_place_of_one_of_the_package_is_marked(derivation, tmp_path):
    file = derivation(
        "a.py", claim_text("lemma-17-i"), claim_text("mine", by='lemma("lemma-17-i")')
    )
    result = verify(file, "-v", "--json", tmp_path / "rows.json")
    marked = "* in the place of a claim that comes with slrsym: lemma-17-i\n"
    assert marked in result.stdout
    # Once in its proof, once in the table.
    assert result.stdout.count("lemma-17-i *") == 2
    assert "mine *" not in result.stdout
    rows = json.loads((tmp_path / "rows.json").read_text())
    assert {row["id"]: row["replaces"] for row in rows} == {"lemma-17-i": True, "mine": False}
    result = run("axioms", "mine", "--path", file)
    assert "lemma-17-i *, which uses no other claim" in result.stdout
    assert marked in result.stdout


def test_a_copy_of_a_file_of_the_package_replaces_nothing(tmp_path):
    copy = tmp_path / "lemma_16.py"
    copy.write_bytes((OWN / "lemma_16.py").read_bytes())
    assert "in the place of" not in verify(copy).stdout
    copy.write_text(copy.read_text() + "# changed\n")
    assert "in the place of a claim that comes with slrsym: lemma-16" in verify(copy).stdout


def test_only_the_files_are_loaded_that_are_needed():
    code = """
import sys
import slrsym.proof
from slrsym.cli.verify import load_ledger
ledger = load_ledger(None, ["lemma-18-v"])
print(*ledger.foundations("lemma-18-v"))
assert "slrsym.documents.export" not in sys.modules
print(*{claim.file.stem for claim in ledger._library.values()}, file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "lemma-18-v" in done.stdout.split()
    names = set(done.stderr.split())
    assert "lemma_18" in names
    assert not names & {"theorem_05", "proposition_10", "observations", "planar_taylor"}


def test_circles(derivation):
    by = {"one": "two", "two": "one", "own": "own"}
    file = derivation("a.py", *(claim_text(id, by=f'lemma("{on}")') for id, on in by.items()))
    exits(
        verify(file),
        1,
        "it rests on itself: one -> two -> one",
        "0 of 3 claims proved",
        "claim own is used in its own proof",
    )


@pytest.mark.parametrize(
    ("name", "said"), [("nothing", "does not exist"), ("empty", "has no derivation")]
)
def test_no_derivations(tmp_path, name, said):
    (tmp_path / "empty").mkdir()
    refused(verify(tmp_path / name), said)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["verify", "--seed", "-1"], "--seed"),
        (["verify", "--workers", "0"], "--workers"),
        (["verify", "--nonsense"], "--nonsense"),
        (["prove"], "prove"),
    ],
)
def test_bad_usage(arguments, said):
    refused(run(*arguments), said)


# -- seeds -------------------------------------------------------------------------------------


@thorough_only
def test_the_seed_moves_the_points(derivation):
    file = derivation("a.py", claim_text("wrong", "sin(x)", "x"))

    def point(seed):
        return re.search(r"fails at x = (\S+):", verify(file, "--seed", seed).stdout)[1]

    points = {point(seed) for seed in range(5)}
    assert len(points) > 1
    assert point(3) == point(3)


# -- axioms ------------------------------------------------------------------------------------


def test_axioms_of_a_claim():
    shown = run("axioms", "lemma-18-iii").stdout
    assert "dominated-convergence" in shown
    assert "Folland" in shown
    assert re.search(r"lemma-18-i, which uses no other claim", shown)


# The axioms of one claim are listed; an interrupt ends workers.
@thorough_only
def test_all_axioms():
    result = exits(run("axioms"), 0)
    for name in ("fubini", "induction", "mean-value-theorem"):
        assert re.search(rf"^  {name}$", result.stdout, re.MULTILINE)
    # Those of rules for claims of one's own.
    unused = re.findall(
        r"^  (\S.*)\n(?:      .*\n)*?      used by no claim$", result.stdout, re.MULTILINE
    )
    assert {name for name in unused if not name.startswith("theorem flow-")} == {
        "cauchy-schwarz", "gaussian-poincare", "jensen", "limits-of-functions",
    }  # fmt: skip


def test_axioms_of_an_unknown_claim():
    refused(run("axioms", "lemma-18-iiii"), "did you mean lemma-18-ii")
    assert run("axioms", "").exit_code == 2


# -- the program -------------------------------------------------------------------------------


def test_the_program_alone_shows_help_and_its_version():
    shown = run().output
    assert shown.startswith("Usage: ")
    assert "verify" in shown
    assert "axioms" in shown
    assert run("--version").stdout == f"slrsym {__version__}\n"


def test_unexpected_errors_are_one_line(folder, monkeypatch):
    def fail(*_, **__):
        raise RuntimeError("out of cheese")

    monkeypatch.setattr("slrsym.prover.claims.ledger.Ledger.verify", fail)
    result = exits(verify(folder), 1)
    assert result.stderr == "error: out of cheese (slrsym --debug shows where)\n"
    result = run("--debug", "verify", folder)
    assert "Traceback" in result.stderr
    run("verify", "--help")


def test_help_does_not_load_sympy():
    code = "import sys, slrsym.cli; sys.exit('sympy' in sys.modules or 'rich.table' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def started(*arguments):
    """The program as started from a terminal, where an interrupt is not ignored."""
    return subprocess.Popen(
        [sys.executable, "-m", "slrsym", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def test_interrupt(derivation):
    slow = "import time\nprint('ready', flush=True)\ntime.sleep(60)\n"
    file = derivation("a.py", slow, claim_text("one"))
    process = started("verify", str(file))
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 130
    assert errors == "interrupted\n"


def started_with_workers(derivation, folder):
    """The program with two workers, each of which makes a file of its number and then waits."""
    # Imported quickly by the program and slowly in the workers, to tell them apart.
    slow = (
        "import os, time, multiprocessing, pathlib\n"
        "if multiprocessing.parent_process():\n"
        f"    pathlib.Path({str(folder)!r}, f'worker {{os.getpid()}}').touch()\n"
        "    time.sleep(60)\n"
        "else:\n    print('ready', flush=True)\n"
    )
    file = derivation("a.py", slow, claim_text("one"), claim_text("two"))
    process = started("verify", str(file), "--workers", "2")
    assert process.stdout.readline() == "ready\n"
    return process


def working(process, folder):
    """Wait for workers, unless the program ends; return the files that they have made."""
    while not (found := list(folder.glob("worker *"))) and process.poll() is None:
        time.sleep(0.02)
    return found


@thorough_only
@pytest.mark.parametrize("phase", ["as they start", "as they work"])
def test_interrupt_of_workers(derivation, tmp_path, phase):
    process = started_with_workers(derivation, tmp_path)
    # However far they have come as they start, the end is the same.
    time.sleep(0.2)
    if phase == "as they work":
        working(process, tmp_path)
    # As from a keyboard: the workers are sent it too.
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 130
    # Where much else runs, a line says before that it goes on.
    *more, last = errors.splitlines()
    assert last == "interrupted"
    assert all(line.startswith("working: ") for line in more)


@thorough_only
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are looked up in /proc")
def test_workers_end_with_a_program_that_was_killed(derivation, tmp_path):
    process = started_with_workers(derivation, tmp_path)
    workers = working(process, tmp_path)
    process.kill()
    process.communicate(timeout=10)
    # A process that has ended and waits to be collected has no command line any more.
    commands = [Path("/proc", worker.name.split()[1], "cmdline") for worker in workers]
    assert commands

    def running():
        return [file for file in commands if file.exists() and file.read_bytes()]

    deadline = time.monotonic() + 10
    while running() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not running()


# -- the derivations that come with the package ------------------------------------------------


def test_where_the_derivations_are():
    for options in ((), ("--path",)):
        assert run("derivations", *options).stdout.strip() == str(builtin_derivation_folder())


def test_a_copy_of_the_derivations(tmp_path):
    copy = tmp_path / "mine"
    exits(run("derivations", "--copy", copy), 0, f"pytest {copy} checks them")
    names = {
        x.relative_to(builtin_derivation_folder())
        for x in builtin_derivation_folder().rglob("*.[pt]*[yl]")
    }
    assert {x.relative_to(copy) for x in copy.rglob("*") if x.is_file()} == names
    zeta = copy / "single_location" / "zeta.py"
    assert zeta.read_bytes() == (OWN / "zeta.py").read_bytes()
    zeta.write_text("mine")
    exits(run("derivations", "--copy", copy), 2)
    assert zeta.read_text() == "mine"


@thorough_only
def test_a_proof_in_a_pipe_is_neither_padded_nor_broken(derivation):
    long = " + ".join(f"x**{n}" for n in range(2, 90))
    shown = verify(derivation("a.py", claim_text("long", long, long)), "-v").stdout.splitlines()
    proof = shown[: next(i for i, line in enumerate(shown) if line.startswith(" claim"))]
    assert max(map(len, proof)) > 1000
    assert not any(line != line.rstrip() for line in proof if line.strip())
