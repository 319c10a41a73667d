"""Run the commands whose output pages of the documentation show, and replace it.

A comment ``<!-- output: python ... -->`` before a block of a page names the command that printed
it; ``<!-- measured: python ... -->`` one that prints times or random numbers besides.
``python benchmarks/fill_pages.py WORD ...`` runs those in which one of the words occurs, or all of
them. A page stays as it is if one of its commands fails. With ``--check`` nothing is written:
commands of outputs are run, and it is an error if a page shows something else. The tables of steps
that Coq confirms and of the rules of extensions are filled and checked, too, and so are rows of
the tables of normal integrals and of flows of models.
"""

from __future__ import annotations

import difflib
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(
    r"(<!-- (output|measured): (python [^\n]*) -->\n```text\n).*?^```$", re.MULTILINE | re.DOTALL
)


# Pages, and commands that write their table into a page.
_TABLES = (
    ("docs/explanation/coq.md", ["-m", "slrsym.coq", "table"]),
    ("docs/explanation/checker.md", ["benchmarks/extension_rules.py"]),
)
# Those whose rows show times: each writes its page, or checks some of the rows itself.
_TIMED = (
    ("docs/reference/normal-integrals.md", "benchmarks/normal_integrals.py"),
    ("docs/how-to/flows.md", "benchmarks/model_flows.py"),
)


def _is_chosen(command: str, words: list[str]) -> bool:
    return not words or any(word in command for word in words)


def _printed(command: str) -> str:
    """Return what a command prints today."""
    print(command, file=sys.stderr)
    _, *arguments = shlex.split(command)
    ran = subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return "\n".join(line.rstrip() for line in ran.stdout.rstrip().splitlines())


def _filled(page: str, words: list[str], is_check: bool) -> str:
    """Return a page's text with the outputs of its chosen commands today."""

    def filled(block: re.Match[str]) -> str:
        before, kind, command = block.groups()
        if not _is_chosen(command, words) or (is_check and kind == "measured"):
            return block[0]
        return f"{before}{_printed(command)}\n```"

    return BLOCK.sub(filled, page)


def _with_table(page: str, command: list[str], words: list[str]) -> str:
    """Return a page with the table that a command writes into it today."""
    if not _is_chosen(" ".join(command), words):
        return page
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "page.md")
        copy.write_text(page, encoding="utf-8")
        print(*command, file=sys.stderr)
        subprocess.run([sys.executable, *command, str(copy)], cwd=ROOT, check=True)
        return copy.read_text(encoding="utf-8")


def _timed_table_is_old(page: str, program: str, words: list[str], is_check: bool) -> bool:
    """Write a table whose rows show times; or check rows, and return whether they are old."""
    if not _is_chosen(program, words) or not (ROOT / page).exists():
        return False
    print(program, file=sys.stderr)
    task = "--check" if is_check else "--write"
    ran = subprocess.run([sys.executable, program, task, page], cwd=ROOT, check=not is_check)
    return ran.returncode != 0


def main(arguments: list[str]) -> int:
    """Fill the pages, or return 1 if one of them is old."""
    is_check = "--check" in arguments
    words = [word for word in arguments if word != "--check"]
    old = []
    for page in sorted((ROOT / "docs").rglob("*.md")):
        before = page.read_text(encoding="utf-8")
        after = _filled(before, words, is_check)
        for of, command in _TABLES:
            if page == ROOT / of:
                after = _with_table(after, command, words)
        if after == before:
            continue
        if not is_check:
            page.write_text(after, encoding="utf-8")
            continue
        old.append(page)
        changes = difflib.unified_diff(before.split("\n"), after.split("\n"), lineterm="", n=0)
        print(f"{page.relative_to(ROOT)} is old:", *changes, sep="\n")
    old += [
        ROOT / page
        for page, program in _TIMED
        if _timed_table_is_old(page, program, words, is_check)
    ]
    if old:
        print("python benchmarks/fill_pages.py writes them anew")
    return int(bool(old))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
