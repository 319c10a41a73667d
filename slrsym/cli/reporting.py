"""Whatever goes wrong becomes a line on standard error and an exit code."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

__all__ = ["refusals", "reported", "require_writable", "show_tracebacks"]

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
    except Exception as problem:
        if _debug:
            traceback.print_exc()
        else:
            typer.echo(f"error: {problem} (slrsym --debug shows where)", err=True)
        raise typer.Exit(1) from None


@contextmanager
def refusals(option: str | None = None) -> Iterator[None]:
    """Turn what the library refuses into bad usage."""
    from slrsym.kernels.numba_backend import NumbaMissingError

    try:
        yield
    except (ValueError, NumbaMissingError) as problem:
        if _debug:
            traceback.print_exc()
        raise typer.BadParameter(str(problem), param_hint=option) from None


def require_writable(file: Path, option: str) -> None:
    """Refuse a file that could not be written, before anything has been computed."""
    folder = file.resolve().parent
    if not folder.is_dir():
        raise typer.BadParameter(f"the folder {folder} does not exist", param_hint=option)
    if file.is_dir() or not os.access(folder, os.W_OK):
        raise typer.BadParameter(f"cannot write a file {file}", param_hint=option)
