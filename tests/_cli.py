"""The program as the tests call it, in their own process."""

import io
from functools import cache
from typing import Any

from typer import testing

from slrsym.cli.program import app

# Commands that only the first paper has come after these words.
PAPER = ("paper", "single-location")

# Typer makes all commands anew from their signatures for every call, in 25 ms.
testing._get_command = cache(testing._get_command)  # type: ignore[attr-defined]


def run(*words: Any) -> testing.Result:
    """Run the program with these words."""
    return testing.CliRunner().invoke(app, [str(word) for word in words])


def exits(result: testing.Result, code: int, *parts: str) -> testing.Result:
    """Require an exit code, and these parts of standard output."""
    assert result.exit_code == code, result.output
    for part in parts:
        assert part in result.stdout, result.stdout
    return result


def refused(result: testing.Result, *parts: str) -> None:
    """Bad usage: exit code 2, nothing on standard output, and all these parts of a message."""
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    # Lines are broken to the width of a terminal.
    said = " ".join(result.stderr.replace("│", " ").split())
    for part in parts:
        assert part in said, said


class Screen(io.StringIO):
    """Stand in for an output that is a terminal, or that says it is none."""

    def __init__(self, terminal: bool = True) -> None:
        super().__init__()
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal
