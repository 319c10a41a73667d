"""What every command says in one way: errors and exit codes, JSON, a progress bar."""

from __future__ import annotations

import json
import os
import sys
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from slrsym.files import DamagedFileError, NotSavedError, replacing

if TYPE_CHECKING:
    from rich.progress import Progress

_debug = False


def show_tracebacks(wanted: bool) -> None:
    """Say whether unexpected errors are shown in full."""
    global _debug
    _debug = wanted


@contextmanager
def reported() -> Iterator[None]:
    """Turn whatever goes wrong into a line on standard error and an exit code."""
    try:
        yield
    except KeyboardInterrupt:
        typer.echo("interrupted", err=True)
        raise typer.Exit(130) from None
    except BrokenPipeError:
        # The reader has left; what is still buffered has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(1) from None
    except (typer.Exit, typer.Abort, typer.BadParameter):
        raise
    except (DamagedFileError, NotSavedError) as problem:
        if _debug:
            traceback.print_exc()
        typer.echo(f"error: {problem}", err=True)
        raise typer.Exit(1) from None
    except Exception as problem:
        if _debug:
            traceback.print_exc()
        else:
            typer.echo(f"error: {problem} (slrsym --debug shows where)", err=True)
        raise typer.Exit(1) from None


@contextmanager
def refusals(option: str | None = None) -> Iterator[None]:
    """Turn what the library refuses into bad usage; bad files are none."""
    from slrsym.kernels.numba_backend import NumbaMissingError

    try:
        yield
    except DamagedFileError:
        raise
    except (ValueError, NumbaMissingError) as problem:
        if _debug:
            traceback.print_exc()
        raise typer.BadParameter(str(problem), param_hint=option) from None


@contextmanager
def warnings_told() -> Iterator[None]:
    """Show warnings of the library as lines on standard error."""

    def tell(message: Warning | str, *_: object, **__: object) -> None:
        typer.echo(f"warning: {message}", err=True)

    with warnings.catch_warnings():
        warnings.simplefilter("always", RuntimeWarning)
        warnings.showwarning = tell
        yield


def require_writable(file: Path, option: str) -> None:
    """Refuse a file that could not be written, before anything has been computed."""
    folder = file.resolve().parent
    if not folder.is_dir():
        raise typer.BadParameter(f"the folder {folder} does not exist", param_hint=option)
    if file.is_dir() or not os.access(folder, os.W_OK):
        raise typer.BadParameter(f"cannot write a file {file}", param_hint=option)


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


def progress_bar() -> Progress:
    """A bar that disappears when it is done."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[told]}"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )
