"""What a command shows, as JSON for other programs: the option --json FILE of every table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from slrsym.cli.reporting import require_writable
from slrsym.files import replacing

__all__ = ["JsonFile", "for_programs", "write_json"]

JsonFile = Annotated[
    Path | None,
    typer.Option(
        "--json",
        metavar="FILE",
        help="Write the result to a file, as JSON; - is standard output, instead of the table.",
        show_default=False,
    ),
]


def for_programs(file: Path | None) -> bool:
    """Whether standard output is for the JSON alone."""
    if file is None or str(file) == "-":
        return file is not None
    require_writable(file, "--json")
    return False


def write_json(file: Path | None, content: Any) -> None:
    """Write a result where the option says, whole or not at all."""
    if file is None:
        return
    to_stdout = str(file) == "-"
    # Standard output may know fewer letters than a file.
    text = json.dumps(content, indent=2, ensure_ascii=to_stdout, allow_nan=False)
    if to_stdout:
        typer.echo(text)
        return
    with replacing(file) as draft:
        draft.write_text(text + "\n", encoding="utf-8")
