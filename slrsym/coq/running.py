"""Running Coq: what proves a goal, whether a development compiles, and which axioms it rests on."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

from slrsym.coq.goals import Goal

LIBRARY = Path(__file__).with_name("Slrsym.v")
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
    done = subprocess.run(
        ["coqtop", *_QUIET], cwd=folder, input="\n".join(lines), capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    (folder / "search.log").write_text(done.stdout + done.stderr)
    (folder / "search.v").write_text("\n".join(lines))
    found = re.findall(r"^(?:.* < )?OK (\d+) (\d+)\s*$", done.stdout, re.M)
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
