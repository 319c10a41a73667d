"""Run programs shown in docs/explanation/benchmarks.md and put what they print into the page.

A block of the page that begins with ``$ python benchmarks/...`` shows a command and its output.
``python benchmarks/fill_page.py`` runs each command again, and replaces the output; words as
arguments choose the commands in which one of them occurs. Nothing is replaced where one fails.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "explanation" / "benchmarks.md"
BLOCK = re.compile(r"^```text\n\$ (python benchmarks/[^\n]*)\n.*?^```$", re.MULTILINE | re.DOTALL)


def _filled(block: re.Match[str]) -> str:
    """Return a block with what its command prints today, or as it is if it was not chosen."""
    command = block[1]
    if sys.argv[1:] and not any(word in command for word in sys.argv[1:]):
        return block[0]
    print(command, file=sys.stderr)
    _, *arguments = shlex.split(command)
    ran = subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, check=True, capture_output=True, text=True
    )
    lines = [line.rstrip() for line in ran.stdout.rstrip().splitlines()]
    return "\n".join(["```text", f"$ {command}", *lines, "```"])


def main() -> None:
    """Fill the page."""
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(BLOCK.sub(_filled, page), encoding="utf-8")


if __name__ == "__main__":
    main()
