"""What the command line says of itself, and what it writes for other programs."""

import json
import shlex
import subprocess
import sys

import numpy as np
import pytest
import typer.main

from slrsym.cli.program import app, main
from slrsym.cli.shared import EXAMPLES, write_json
from slrsym.papers.single_location.commands.options import EXAMPLES as OF_PAPER
from slrsym.prover.claims.file_search import builtin_derivation_folder
from tests._cli import PAPER, exits, refused, run
from tests._profile import thorough_cases


def without_group(words):
    """Words of a command without those of the paper's group."""
    return words[len(PAPER) :] if words[: len(PAPER)] == PAPER else words


def commands(group, path=()):
    """Every command that does something, by its path."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))
        else:
            yield " ".join((*path, name)), command


PROGRAM = typer.main.get_command(app)
COMMANDS = dict(commands(PROGRAM))


_PAPER = " ".join(PAPER)
EXAMPLES = EXAMPLES | {f"{_PAPER} {name}": lines for name, lines in OF_PAPER.items()}


def test_every_command_has_an_example():
    assert set(EXAMPLES) == set(COMMANDS)


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_examples_are_shown_and_can_be_typed(name):
    shown = run(*name.split(), "--help").stdout
    for line in EXAMPLES[name]:
        assert f"  {line}\n" in shown
        program, *words = shlex.split(line)
        assert program == "slrsym"
        assert words[: len(name.split())] == name.split()
        COMMANDS[name].make_context(name, words[len(name.split()) :])


def test_options_are_called_the_same_everywhere():
    """What is for a task, and where a picture goes; names of old are not shown."""
    have = {
        name: {option for x in command.params for option in x.opts}
        for name, command in COMMANDS.items()
    }
    of_tasks = {
        f"{_PAPER} {name}" for name in OF_PAPER if name not in ("portrait", "certify check")
    }
    assert len(of_tasks) == 8
    for name in of_tasks:
        assert {"--lam", "--gamma", "--gamma2", "--d", "--L"} <= have[name], name
    for name in ("simulate", "recovery", "landscape"):
        assert "--plot" in have[f"{_PAPER} {name}"]


@pytest.mark.parametrize("group", ["", "export", f"{_PAPER} certify"])
def test_groups_have_examples_too(group):
    shown = run(*group.split(), "--help").stdout.partition("Examples:\n")[2]
    examples = [line.strip() for line in shown.splitlines() if line.startswith("    slrsym ")]
    assert len(examples) >= 3
    for line in examples:
        _, *words = shlex.split(line)
        name = next(n for n in COMMANDS if words[: len(n.split())] == n.split())
        assert name.startswith(group)
        if "--help" not in words:
            COMMANDS[name].make_context(name, words[len(name.split()) :])


@thorough_cases("export all")
@pytest.mark.parametrize("name", COMMANDS)
def test_the_first_line_of_a_help_is_whole_in_the_list(name):
    *path, last = name.split()
    listed = run(*path, "--help").stdout.partition("Commands:")[2]
    (line,) = (line for line in listed.splitlines() if line.split()[:1] == [last])
    assert not line.endswith("...")


def test_the_exit_codes_are_said():
    shown = run("--help").stdout
    for code in ("0 ", "1 ", "2 ", "130 "):
        assert f"\n    {code}" in shown


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_completion(shell):
    # The program itself, because completion is asked of its name.
    result = subprocess.run(
        [sys.executable, "-m", "slrsym"],
        env={"_SLRSYM_COMPLETE": f"source_{shell}", "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0
    assert "_SLRSYM_COMPLETE" in result.stdout


def test_output_that_is_closed_is_not_written(monkeypatch):
    """As by >&- in a shell."""
    seen = []

    def program(prog_name):
        seen.append((sys.stdout.isatty(), sys.stderr.isatty()))
        print(prog_name, file=sys.stdout)

    monkeypatch.setattr("slrsym.cli.program.app", program)
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    main()
    sys.stdout.close()
    sys.stderr.close()
    assert seen == [(False, False)]


LEMMA = builtin_derivation_folder() / "single_location" / "lemma_18.py"

TABLES = [
    ("axioms", "--path", LEMMA),
    ("axioms", "lemma-18-iii", "--path", LEMMA),
    (*PAPER, "compare", "--d", 6, "--L", 2, "--samples", 50),
    (*PAPER, "simulate", "--planar", "--kappa0", 0.1, "--nu0", 0.2, "--steps", 20),
    (*PAPER, "simulate", "--runs", 2, "--steps", 20, "--every", 20),
    (*PAPER, "certify", "rates"),
]


def _called(words):
    return " ".join(map(str, without_group(words)[:2]))


@thorough_cases("simulate --runs")
@pytest.mark.parametrize("words", TABLES, ids=_called)
def test_tables_are_written_for_programs_too(words, tmp_path):
    alone = exits(run(*words, "--json", "-"), 0)
    file = tmp_path / "result.json"
    both = exits(run(*words, "--json", file), 0)
    assert both.stdout
    found, saved = json.loads(alone.stdout), json.loads(file.read_text(encoding="utf-8"))
    for content in (found, saved):
        # How long it took differs.
        if isinstance(content, dict):
            content.pop("seconds", None)
    assert found == saved
    assert [p.name for p in tmp_path.iterdir()] == ["result.json"]


@pytest.mark.parametrize("words", TABLES, ids=_called)
def test_a_file_that_cannot_be_written_is_refused_at_once(words, tmp_path):
    refused(run(*words, "--json", tmp_path / "none" / "result.json"), "--json", "does not exist")


def test_what_json_does_not_have_is_null(tmp_path):
    """Infinities and NaN; NumPy's numbers and arrays are plain ones."""
    file = tmp_path / "result.json"
    found = {"risk": float("inf"), "rows": (np.array([1.0, np.nan]), np.int64(3)), "name": "x"}
    write_json(file, found)
    assert json.loads(file.read_text()) == {"risk": None, "rows": [[1.0, None], 3], "name": "x"}


_NO_TABLE = "derivations", "figure", "recheck"


def test_every_command_with_a_table_has_the_option():
    for name, command in COMMANDS.items():
        options = {option for parameter in command.params for option in parameter.opts}
        without = name in (*_NO_TABLE, f"{_PAPER} portrait") or name.startswith("export ")
        assert ("--json" in options) != without, name
