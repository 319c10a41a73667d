"""Running Coq: what proves a goal, whether a development compiles, and which axioms it rests on."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

from slrsym.coq.development import CLAIMS, LIBRARY, Development
from slrsym.coq.goals import Goal

INSTALL = (
    "Coq is not installed: apt-get install coq libcoq-coquelicot (Debian), "
    "or opam install coq coq-coquelicot"
)
OPENING = "Require Import Slrsym.\nOpen Scope R_scope.\nUnset Printing Notations.\n"
# Warnings are about names in Coq's own libraries.
_QUIET = ("-q", "-w", "none")


class CoqError(RuntimeError):
    """Coq is missing, or refuses."""


def require_coq() -> str:
    """Where coqc is.

    Raises
    ------
    CoqError
        If it is not installed; says how to do that.
    """
    found = shutil.which("coqc")
    if found is None:
        raise CoqError(INSTALL)
    return found


def compiled(folder: Path, name: str, limit: float = 600) -> str:
    """Compile one file, and return what Coq says against it; empty if it accepts."""
    done = subprocess.run(
        [require_coq(), *_QUIET, name], cwd=folder, capture_output=True, text=True,
        timeout=limit, check=False,
    )  # fmt: skip
    return done.stderr.strip() or f"exit {done.returncode}" if done.returncode else ""


def with_library(folder: Path) -> Path:
    """A folder with the compiled library in it."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(LIBRARY, folder / LIBRARY.name)
    if problem := compiled(folder, LIBRARY.name):
        raise CoqError(problem)
    return folder


def searched(
    goals: Iterable[Goal], definitions: str, folder: Path, seconds: int = 3
) -> dict[str, str]:
    """For each goal that one of its tactics proves, that tactic.

    Parameters
    ----------
    goals : iterable of Goal
        Those without a text are left out.
    definitions : str
        What they rest on, as text of Coq.
    folder : Path
        Where the compiled library is.
    seconds : int, optional
        How long a tactic may take.
    """
    asked = [g for g in goals if g.text]
    lines = [OPENING, definitions]
    for number, goal in enumerate(asked):
        tries = " | ".join(
            f'(timeout {seconds} (solve [intros; {tactic}]); idtac "OK {number} {k}")'
            for k, tactic in enumerate(goal.tactics)
        )
        lines.append(f"Goal {goal.text}.\nProof. first [{tries} | idtac]. Abort.")
    log = folder / "search.log"
    with log.open("w") as out:
        subprocess.run(
            ["coqtop", *_QUIET], cwd=folder, input="\n".join(lines), text=True, stdout=out,
            stderr=subprocess.STDOUT, check=False,
        )  # fmt: skip
    found = re.findall(r"^(?:.* < )?OK (\d+) (\d+)\s*$", log.read_text(), re.M)
    return {asked[int(n)].name: asked[int(n)].tactics[int(k)] for n, k in found}


def axioms(folder: Path, modules: Sequence[str]) -> list[str]:
    """The axioms of compiled files, as coqchk finds them."""
    done = subprocess.run(
        ["coqchk", "-silent", "-o", *modules], cwd=folder, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    if done.returncode:
        raise CoqError((done.stdout + done.stderr).strip())
    listed = (done.stdout + done.stderr).split("* Axioms:")[1].split("* Constants")[0]
    return [line.strip() for line in listed.splitlines() if line.strip() not in ("", "<none>")]


def checked(made: Development, folder: Path, search: bool = False) -> list[str]:
    """Compile a development; what Coq refuses loses its mark. Returns the axioms that coqchk lists.

    Parameters
    ----------
    made : Development
        Its tactics, and the claims that follow, are what Coq accepts afterwards.
    folder : Path
        Where to compile.
    search : bool, optional
        Whether to try tactics for the goals that none is known for, and to complete claims.
    """
    with_library(folder)
    if search:
        goals = [g for g in made.all_goals if g.text and g.name not in made.tactics]
        made.tactics |= searched(goals, made.definitions(made.statements), folder)
        complete(made)
    files = list(made.files())[1:]
    for name in files:
        while problem := _compiled_as_is(made, folder, name):
            if not _dropped(made, folder / name, problem):
                raise CoqError(problem)
    return axioms(folder, [name.removesuffix(".v") for name in files])


def complete(made: Development) -> None:
    """Every claim whose steps all have proofs is to follow from them."""
    waiting = [id for id in made.goals if made.is_complete(id)]
    made.whole = {id: [] for id in waiting}
    for id in made.in_order():
        made.whole[id] = made.supposed(id)


def _compiled_as_is(made: Development, folder: Path, name: str) -> str:
    (folder / name).write_text(made.files()[name])
    return compiled(folder, name, limit=3600)


def _dropped(made: Development, file: Path, problem: str) -> bool:
    """Take the mark from the lemma or claim that Coq stopped at."""
    found = re.search(r"line (\d+)", problem)
    if found is None:
        return False
    before = "\n".join(file.read_text().splitlines()[: int(found[1])])
    names = re.findall(r"^(?:Lemma|Theorem) ([\w']+)", before, re.M)
    if not names:
        return False
    if file.name != CLAIMS:
        return made.tactics.pop(names[-1], None) is not None
    claim = next(id for id in made.whole if f"{id.replace('-', '_')}_holds" == names[-1])
    del made.whole[claim]
    for id in made.in_order():
        made.whole[id] = made.supposed(id)
    return True
