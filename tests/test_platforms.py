"""The program where text is not UTF-8, paths have spaces and umlauts, and nothing can be written.

Each program runs in a process of its own. Where that has the rights of root, the installation is
read-only by the rights of its files all the same, which root does not heed: then a test looks
whether anything in it has changed.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import slrsym
from slrsym import jobs
from slrsym.prover.claims import verification

from ._cli import PAPER
from ._profile import thorough_only

ROOT = Path(__file__).resolve().parents[1]
# The C locale without Python's UTF-8 mode, and the encoding of a console of Windows.
PLAIN = {
    "LANG": "C",
    "LC_ALL": "C",
    "PYTHONUTF8": "0",
    "PYTHONCOERCECLOCALE": "0",
    "PYTHONIOENCODING": "cp1252",
}
NAME = "Größe & Maß"

DERIVATION = '''
"""Über die Größe π: ein Satz."""

from sympy import Eq, Symbol

from slrsym.proof import Claim, algebra, chain

x = Symbol("x", real=True)
square = Claim(
    id="square",
    title="The square of a sum, für Größen",
    statement=Eq((x + 1) ** 2, x**2 + 2 * x + 1, evaluate=False),
    source="new",
)


@square.proof
def _(goal):
    """Ausmultiplizieren."""
    return chain(goal.lhs).then(goal.rhs, by=algebra)
'''


def python(*arguments: str, where: Path, package: Path = ROOT, **environment: str):
    """Run Python in a folder, with a package of its own."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=where,
        env=os.environ | {"PYTHONPATH": str(package), "SLRSYM_FRESH": "1"} | environment,
        capture_output=True,
        encoding=environment.get("PYTHONIOENCODING", "utf-8"),
        check=False,
    )


def program(*arguments: str, where: Path, package: Path = ROOT, **environment: str) -> str:
    """Run slrsym, and return its output."""
    done = python("-m", "slrsym", *arguments, where=where, package=package, **environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def folder(tmp_path) -> Path:
    """A folder with spaces and umlauts in its name, which holds a derivation with some in it."""
    made = tmp_path / NAME
    made.mkdir()
    (made / "größen.py").write_text(DERIVATION, encoding="utf-8")
    return made


# A site is written in the same locale.
@thorough_only
def test_a_derivation_is_verified_in_a_plain_locale(folder):
    shown = program("verify", "größen.py", "--workers", "2", where=folder, **PLAIN)
    assert "1 of 1 claims proved" in shown


@thorough_only
def test_a_site_is_written_in_a_plain_locale(folder):
    program("export", "html", "--path", "größen.py", "-o", "Seite", where=folder, **PLAIN)
    pages = list((folder / "Seite").rglob("*.html"))
    assert any("für Größen" in page.read_text(encoding="utf-8") for page in pages)
    program("export", "latex", "--path", "größen.py", "-o", "Buch", where=folder, **PLAIN)
    texts = list((folder / "Buch").rglob("*.tex"))
    assert any("für Größen" in text.read_text(encoding="utf-8") for text in texts)


@thorough_only
def test_runs_are_saved_and_read_at_such_a_path(folder):
    options = ("--d", "40", "--steps", "10", "--runs", "2")
    program(*PAPER, "simulate", *options, "-o", "Läufe.nc", where=folder, **PLAIN)
    assert (folder / "Läufe.nc").stat().st_size > 0
    code = (
        "from pathlib import Path; from slrsym.papers.single_location.dynamics import load; "
        "print(dict(load(*Path().glob('*.nc')).sizes)['run'])"
    )
    assert python("-c", code, where=folder, **PLAIN).stdout.strip() == "2"


@thorough_only
def test_it_works_from_an_installation_that_cannot_be_written(folder):
    """A copy of the package at such a path, with no right to write and another home."""
    package = folder / "Paket"
    for name in ("slrsym", "derivations"):
        shutil.copytree(
            ROOT / name, package / name, ignore=shutil.ignore_patterns("__pycache__", "*.pyc")
        )
    files = sorted(package.rglob("*"))
    for path in [*files, package]:
        path.chmod(path.stat().st_mode & ~0o222)
    before = {path: path.stat().st_mtime_ns for path in files}
    home = folder / "Zuhause"
    home.mkdir()
    there: Any = PLAIN | {"where": home, "package": package, "HOME": str(home)}
    there |= {"XDG_CACHE_HOME": str(home), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        shown = program("verify", "--claim", "lemma-18-v", "--workers", "2", **there)
        assert "3 of 3 claims proved" in shown
        program("figure", "3", "--format", "png", **there)
        assert (home / "figure-3.png").stat().st_size > 0
        assert {path: path.stat().st_mtime_ns for path in sorted(package.rglob("*"))} == before
    finally:
        for path in [package, *files]:
            path.chmod(path.stat().st_mode | 0o200)


def test_workers_are_spawned():
    """So that nothing depends on the start method of the platform, or of the program around."""
    make, ours = jobs.executor_factory_and_ownership(None, 2)
    assert ours
    with make() as pool:
        assert pool._mp_context.get_start_method() == "spawn"
    builtin = slrsym.ledger()
    with verification._Workers(builtin, verification.CheckOptions(), 2) as checking:
        assert checking.pool._mp_context.get_start_method() == "spawn"
