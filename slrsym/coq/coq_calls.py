"""Calls of Coq: search for tactics, compilation, and the axioms of compiled files."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from slrsym.coq.development import CLAIMS, LIBRARY, STATEMENTS, CoqDevelopment
from slrsym.coq.goals import CoqGoal

INSTALL = (
    "Coq is not installed: apt-get install coq libcoq-coquelicot (Debian), "
    "or opam install coq coq-coquelicot"
)
OPENING = "Require Import Slrsym Statements.\nOpen Scope R_scope.\nSet Silent.\n"
# Warnings are about names in Coq's own libraries.
_QUIET = ("-q", "-w", "none")
# So many goals are tried by one process.
_BATCH = 40


class CoqError(RuntimeError):
    """Error raised if Coq is not installed, or stops with an error."""


def coqc_path() -> str:
    """Return the path of the compiler coqc; raise `CoqError` if it is not installed."""
    found = shutil.which("coqc")
    if found is None:
        raise CoqError(INSTALL)
    return found


def _write_and_compile(made: CoqDevelopment, folder: Path, name: str) -> str:
    """Compile a file of a development; return the errors of Coq, empty if it accepts the file."""
    (folder / name).write_text(made.file_texts()[name], encoding="utf-8")
    done = subprocess.run(
        [coqc_path(), *_QUIET, name], cwd=folder, capture_output=True, text=True,
        timeout=3600, check=False,
    )  # fmt: skip
    return done.stderr.strip() or f"exit {done.returncode}" if done.returncode else ""


def write_and_compile_coq_library(folder: Path, made: CoqDevelopment) -> Path:
    """Write slrsym's Coq library and the claims' statements to a folder, and compile both."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in (LIBRARY.name, STATEMENTS):
        if problem := _write_and_compile(made, folder, name):
            raise CoqError(problem)
    return folder


def find_tactic_of_each_goal(
    goals: Iterable[CoqGoal], folder: Path, seconds: int = 3
) -> dict[str, str]:
    """Run Coq to find a tactic that proves each goal; return those found, by goal's name.

    The folder has the compiled library; goals without a text are left out.
    """
    asked = [(g, list(dict.fromkeys(g.tries()))) for g in goals if g.text]
    found: dict[str, str] = {}
    for start in range(0, len(asked), _BATCH):
        batch = asked[start : start + _BATCH]
        lines = [OPENING]
        for number, (goal, tactics) in enumerate(batch):
            tries = " | ".join(
                f'(timeout {seconds} (solve [intros; {tactic}]); idtac "OK {number} {k}")'
                for k, tactic in enumerate(tactics)
            )
            lines.append(f"Goal {goal.text}.\nProof. first [{tries} | idtac]. Abort.")
        done = subprocess.run(
            ["coqtop", *_QUIET], cwd=folder, input="\n".join(lines), text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
        )  # fmt: skip
        for n, k in re.findall(r"^(?:.* < )?OK (\d+) (\d+)\s*$", done.stdout, re.M):
            goal, tactics = batch[int(n)]
            found[goal.name] = tactics[int(k)]
    return found


def list_axioms(folder: Path, modules: Sequence[str]) -> list[str]:
    """Return the names of the axioms that coqchk lists for compiled Coq files."""
    done = subprocess.run(
        ["coqchk", "-silent", "-o", *modules], cwd=folder, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    if done.returncode:
        raise CoqError((done.stdout + done.stderr).strip())
    listed = (done.stdout + done.stderr).split("* Axioms:")[1].split("* Constants")[0]
    return [line.strip() for line in listed.splitlines() if line.strip() not in ("", "<none>")]


def prune_development_and_list_axioms(
    made: CoqDevelopment, folder: Path, search: bool = False
) -> list[str]:
    """Compile a development, drop proofs that Coq refuses, and return the axioms that are left.

    With `search`, tactics are tried for goals that none is known for, and claims are completed.
    """
    write_and_compile_coq_library(folder, made)
    if search:
        goals = [g for g in made.all_goals if g.text and g.name not in made.tactics]
        made.tactics |= find_tactic_of_each_goal(goals, folder)
        mark_complete_claims(made)
    *files, numbers = list(made.file_texts())[2:]
    if any(_write_and_compile(made, folder, name) for name in files[:-1]):
        # Something is refused: each goal is tried apart, in one go.
        known = [
            replace(g, tries=partial(list, (made.tactics[g.name],)))
            for g in made.all_goals
            if g.name in made.tactics
        ]
        made.tactics = find_tactic_of_each_goal(known, folder, seconds=120)
        made.whole = {id: rests for id, rests in made.whole.items() if made.is_complete(id)}
        _store_supposed_claims(made)
        for name in files[:-1]:
            if problem := _write_and_compile(made, folder, name):
                raise CoqError(problem)
    while problem := _write_and_compile(made, folder, CLAIMS):
        if not _unmark_refused_claim(made, folder / CLAIMS, problem):
            raise CoqError(problem)
    problem = _write_and_compile(made, folder, numbers)
    if problem and "Interval" not in problem:  # what is not installed is not asked
        raise CoqError(problem)
    return list_axioms(folder, [STATEMENTS[:-2], *(name.removesuffix(".v") for name in files)])


def mark_complete_claims(development: CoqDevelopment) -> None:
    """Mark each claim of a Coq development whose steps all have proofs as proved by them."""
    development.whole = {id: [] for id in development.goals if development.is_complete(id)}
    _store_supposed_claims(development)


def _store_supposed_claims(made: CoqDevelopment) -> None:
    """Store, for each claim proved by its steps, the unconfirmed claims that it assumes."""
    for id in made.complete_claim_ids_in_order():
        made.whole[id] = made.supposed_claim_ids(id)


def _unmark_refused_claim(made: CoqDevelopment, file: Path, problem: str) -> bool:
    """Remove the mark of the claim at whose proof Coq stopped; return whether one was found."""
    found = re.search(r"line (\d+)", problem)
    if found is None:
        return False
    before = "\n".join(file.read_text(encoding="utf-8").splitlines()[: int(found[1])])
    name = re.findall(r"^Theorem ([\w']+)", before, re.M)[-1]
    del made.whole[next(id for id in made.whole if f"{id.replace('-', '_')}_holds" == name)]
    _store_supposed_claims(made)
    return True
