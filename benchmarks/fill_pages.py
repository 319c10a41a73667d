"""Run the commands whose output pages of the documentation show, and replace it.

A comment ``<!-- output: python ... -->`` before a block of a page names the command that printed
it. ``python benchmarks/fill_pages.py WORD ...`` runs those in which one of the words occurs, or all
of them. A page stays as it is if one of its commands fails.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(
    r"(<!-- output: (python [^\n]*) -->\n```text\n).*?^```$", re.MULTILINE | re.DOTALL
)


def _filled(block: re.Match[str]) -> str:
    """Return a block with the output of its command today, or as it is if it was not chosen."""
    before, command = block.groups()
    if sys.argv[1:] and not any(word in command for word in sys.argv[1:]):
        return block[0]
    print(command, file=sys.stderr)
    _, *arguments = shlex.split(command)
    ran = subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, check=True, capture_output=True, text=True
    )
    lines = [line.rstrip() for line in ran.stdout.rstrip().splitlines()]
    return before + "\n".join([*lines, "```"])


def main() -> None:
    """Fill the pages."""
    for page in sorted((ROOT / "docs").rglob("*.md")):
        before = page.read_text(encoding="utf-8")
        after = BLOCK.sub(_filled, before)
        if after != before:
            page.write_text(after, encoding="utf-8")


if __name__ == "__main__":
    main()
