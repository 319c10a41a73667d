"""Where the time of commands goes: loading modules, and work. ``python benchmarks/commands.py``.

Each command runs in a process of its own, twice; the second is measured, when all that is kept for
the next time is there. Seconds are of the processor, its children's too, so that other work on the
machine hardly changes them. ``--write`` puts the table into docs/explanation/speed.md.
"""

from __future__ import annotations

import argparse
import builtins
import contextlib
import importlib
import io
import json
import os
import runpy
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

COMMANDS = (
    "--version",
    "verify --claim lemma-18-v",
    "figure 4a",
    "paper single-location certify alpha --lam 0.1 --gamma2 1/2 --d 400",
    "paper single-location landscape --lam 0.9",
    "paper single-location landscape --branches 0.02 3",
    "paper single-location compare --d 400 --L 10 --lam 0.1",
    "export latex lemma-18-v --snippet",
    "paper single-location portrait -o page.html",
)

HEAD = "| slrsym | s | of that, loading modules |\n|---|---|---|"


def _inside(words: list[str]) -> None:
    """Run a command, and print its seconds and those of the outermost imports."""
    began, loading, deep = time.process_time(), 0.0, False

    def timed(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            nonlocal loading, deep
            if deep:
                return function(*args, **kwargs)
            deep, at = True, time.process_time()
            try:
                return function(*args, **kwargs)
            finally:
                deep = False
                loading += time.process_time() - at

        return call

    builtins.__import__ = timed(builtins.__import__)
    importlib.import_module = timed(importlib.import_module)
    sys.argv = ["slrsym", *words]
    nowhere = io.StringIO()
    with contextlib.redirect_stdout(nowhere), contextlib.suppress(SystemExit):
        runpy.run_module("slrsym", run_name="__main__")
    children = sum(os.times()[2:4])
    print(json.dumps([time.process_time() - began + children, loading]))


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="the page of the documentation, too")
    given = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for command in COMMANDS:
            call = [sys.executable, str(Path(__file__).resolve()), "--inside", *command.split()]
            for _ in range(2):
                output = subprocess.run(
                    call, check=True, cwd=folder, stdout=subprocess.PIPE, text=True
                ).stdout
            seconds, loading = json.loads(output.splitlines()[-1])
            rows.append(f"| `{command}` | {seconds:.1f} | {loading:.1f} |")
            print(rows[-1], flush=True)
    if given.write:
        from dynamics import write_table

        write_table(HEAD, rows)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--inside"]:
        _inside(sys.argv[2:])
    else:
        main()
