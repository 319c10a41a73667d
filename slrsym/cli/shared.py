"""Shared parts of commands: options, examples, errors, exit codes, JSON, progress."""

from __future__ import annotations

import errno
import json
import math
import os
import sys
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from slrsym.cli.silence import break_silence
from slrsym.files import FORMATS, DamagedFileError, SavingFailedError, replace_atomically
from slrsym.jobs import (
    Terminated,
    end_on_sigterm,
    print_progress_periodically,
    progress_line,
)

if TYPE_CHECKING:
    from rich.progress import Progress


# -- of files ----------------------------------------------------------------------------------


def output_option(what: str) -> Any:
    """Return the option --output, a command's file for a result, with its help text."""
    return typer.Option("--output", "-o", metavar="FILE", help=what)


def plot_option(what: str) -> Any:
    """Return the option --plot, a command's file for a picture, with its help text."""
    return typer.Option("--plot", metavar="FILE", help=f"{what}, as {', '.join(FORMATS)}.")


def require_writable_plot(file: Path | None) -> None:
    """Raise an error if a picture's file has a wrong ending or cannot be written."""
    if file is None:
        return
    if file.suffix.removeprefix(".").lower() not in FORMATS:
        endings = ", ".join(f".{form}" for form in FORMATS)
        raise typer.BadParameter(f"{file} must end with one of {endings}", param_hint="--plot")
    require_writable(file, "--plot")


# -- of what verifies claims -------------------------------------------------------------------

CLAIMS = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="CLAIM",
        help="Ids of claims, which are exported with what they rest on; all by default.",
    ),
]
PATHS = Annotated[
    list[Path] | None,
    typer.Option(
        "--path",
        metavar="PATH",
        help="A file or folder of derivations; by default those of the package.",
    ),
]
SEED = Annotated[
    int,
    typer.Option(
        "--seed", min=0, metavar="N", help="Moves the random points of the numerical check."
    ),
]
WORKERS = Annotated[
    int | None,
    typer.Option(
        "--workers",
        min=1,
        metavar="N",
        help="How many processes to use; by default one for each core, if there are many claims.",
    ),
]


_T = TypeVar("_T")

EXAMPLES: dict[str, tuple[str, ...]] = {
    "verify": (
        "slrsym verify",
        "slrsym verify --claim lemma-18-v -v",
        "slrsym verify my_derivations --json ledger.json",
        "slrsym verify --claim stein-multivariate --proof-log proofs.log",
    ),
    "recheck": ("slrsym recheck", "slrsym recheck proofs.log my_derivations"),
    "axioms": ("slrsym axioms theorem-5",),
    "derivations": ("slrsym derivations", "slrsym derivations --copy my_derivations"),
    "simulate": (
        "slrsym simulate --set lambda=0.1 --steps 2000 --runs 5",
        "slrsym simulate my_model.py:m --set d=100 --steps 1000 --alpha 0.01 --runs 5 -o runs.nc",
    ),
    "landscape": ("slrsym landscape --set lambda=0.9 --set d=400",),
    "recovery": (
        "slrsym recovery my_model.py:m --set d=100 --pair w,u --steps 1000 --alpha 0.01 --runs 50",
    ),
    "check": ("slrsym check my_model.py:m --set d=10", "slrsym check --samples 20000"),
    "figure": ("slrsym figure 4a 5 -o figures --format png",),
    "export latex": (
        "slrsym export latex -o book --pdf",
        "slrsym export latex lemma-18-v --snippet",
    ),
    "export html": (
        "slrsym export html -o site",
        "slrsym export html --claim theorem-5 -o theorem-5",
    ),
    "export coq": ("slrsym export coq -o coq", "slrsym export coq lemma-16 -o lemma-16"),
    "export all": ("slrsym export all -o checked",),
}

# What to try first.
_PROGRAM = ("slrsym verify", "slrsym figure 6 --format png", "slrsym simulate --help")

EXIT_CODES = """\
\b
Exit codes:
  0    all is well
  1    something failed: a claim is not proved, a certificate not shown, a file not written
  2    bad usage: an option or an argument that is not allowed
  130  interrupted (SIGINT)
  143  terminated (SIGTERM)
"""


def format_examples(
    command: str, examples: Mapping[str, tuple[str, ...]] = MappingProxyType(EXAMPLES)
) -> str:
    """Return the examples at the end of the help of a command or group."""
    inside = [lines[0] for name, lines in examples.items() if name.startswith(f"{command} ")]
    lines = examples.get(command) or tuple(inside) or _PROGRAM
    title = "Example:" if len(lines) == 1 else "Examples:"
    return "\n".join(("\b", title, *(f"  {line}" for line in lines)))


_debug = False


def set_traceback_display(wanted: bool) -> None:
    """Set whether unexpected errors are shown with a traceback."""
    global _debug
    _debug = wanted


@contextmanager
def errors_as_exit_codes() -> Iterator[None]:
    """Turn exceptions in a ``with`` block into a line on standard error and an exit code.

    Also SIGTERM, at which a command saves its work as at an interrupt. A command that is silent for
    long says what it is at.
    """
    try:
        with break_silence(), end_on_sigterm():
            yield
    except KeyboardInterrupt:
        typer.echo("interrupted", err=True)
        raise typer.Exit(130) from None
    except Terminated as stop:
        typer.echo("terminated", err=True)
        raise typer.Exit(int(str(stop))) from None
    except BrokenPipeError:
        # The reader has left; what is still buffered has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(1) from None
    except (typer.Exit, typer.Abort, typer.BadParameter):
        raise
    except (DamagedFileError, SavingFailedError) as problem:
        if _debug:
            traceback.print_exc()
        typer.echo(f"error: {problem}", err=True)
        raise typer.Exit(1) from None
    except Exception as problem:
        if _debug:
            traceback.print_exc()
        elif is_stdout_error(problem):
            report_stdout_failure(problem)
        else:
            typer.echo(f"error: {problem} (slrsym --debug shows where)", err=True)
        raise typer.Exit(1) from None


def exit_if_problems(problems: Iterable[object]) -> None:
    """Print problems as lines on standard error, and exit if there are any."""
    found = list(problems)
    for problem in found:
        typer.echo(f"error: {problem}", err=True)
    if found:
        raise typer.Exit(1)


def is_stdout_error(problem: Exception) -> bool:
    """Return whether an error comes from writing to standard output, as it names no file."""
    full = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
    return isinstance(problem, OSError) and problem.filename is None and problem.errno in full


def report_stdout_failure(problem: Any) -> None:
    """Report that standard output cannot be written, and discard its buffer."""
    typer.echo(
        f"error: standard output could not be written: {problem.strerror or problem}. Redirect it "
        "to a file on a disk that has room",
        err=True,
    )
    # Python would try again when it ends.
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def value_errors_as_usage_errors(
    option: str | None = None, also: type[Exception] = ValueError
) -> Iterator[None]:
    """Turn ValueErrors in a ``with`` block into usage errors of a command's option.

    Those of another class, too, if it is given.
    """
    from slrsym.kernels.numba_backend import NumbaMissingError

    try:
        yield
    except DamagedFileError:
        raise
    except (ValueError, NumbaMissingError, also) as problem:
        if _debug:
            traceback.print_exc()
        raise typer.BadParameter(str(problem), param_hint=option) from None


def result_and_saving_error(make: Callable[[], _T]) -> tuple[_T, SavingFailedError | None]:
    """Call a function that computes and saves; return its result, and the error of saving."""
    try:
        return make(), None
    except SavingFailedError as problem:
        if problem.result is None:
            raise
        return problem.result, problem


@contextmanager
def show_warnings() -> Iterator[None]:
    """Print warnings of the library in a block as lines on standard error."""

    def tell(message: Warning | str, *_: object, **__: object) -> None:
        typer.echo(f"warning: {message}", err=True)

    with warnings.catch_warnings():
        warnings.simplefilter("always", RuntimeWarning)
        warnings.showwarning = tell
        yield


def require_writable(file: Path, option: str) -> None:
    """Raise an error of a given option if its file could not be written."""
    folder = file.resolve().parent
    if not folder.is_dir():
        raise typer.BadParameter(f"the folder {folder} does not exist", param_hint=option)
    if file.is_dir() or not os.access(folder, os.W_OK):
        raise typer.BadParameter(f"cannot write a file {file}", param_hint=option)


def require_distinct_files(*named: tuple[str, Path | None]) -> None:
    """Raise an error if two options name the same file, as one result would be lost."""
    options: dict[Path, str] = {}
    for option, file in named:
        if file is None or (option == "--json" and str(file) == "-"):
            continue
        place = file.resolve()
        if place.exists() and not place.is_file():
            continue  # such as /dev/null, where nothing is replaced
        if place in options:
            raise typer.BadParameter(
                f"must be another file than that of {options[place]}; got {file}", param_hint=option
            )
        options[place] = option


JsonFile = Annotated[
    Path | None,
    typer.Option(
        "--json",
        metavar="FILE",
        help="Write the result to a file, as JSON; - is standard output, instead of the table.",
    ),
]


def is_json_on_stdout(file: Path | None) -> bool:
    """Return whether --json names standard output; raise an error if its file is not writable."""
    if file is None or str(file) == "-":
        return file is not None
    require_writable(file, "--json")
    return False


def write_json(file: Path | None, content: Any) -> None:
    """Write a result as JSON to a file or to standard output, completely or not at all."""
    if file is None:
        return
    to_stdout = str(file) == "-"
    # Standard output may know fewer letters than a file.
    text = json.dumps(_json_data(content), indent=2, ensure_ascii=to_stdout, allow_nan=False)
    if to_stdout:
        typer.echo(text)
        return
    with replace_atomically(file) as draft:
        draft.write_text(text + "\n", encoding="utf-8")


def _json_data(x: Any) -> Any:
    """Convert NumPy numbers and arrays to plain data, with null for NaN and infinities."""
    if isinstance(x, dict):
        return {name: _json_data(value) for name, value in x.items()}
    x = x.tolist() if hasattr(x, "tolist") else x
    if isinstance(x, list | tuple):
        return [_json_data(part) for part in x]
    return None if isinstance(x, float) and not math.isfinite(x) else x


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """Show a progress bar during a block; without a terminal, print a line every 30 s."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    on_terminal = sys.stderr.isatty()
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[told]}"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
        disable=not on_terminal,
    )

    seen: tuple[Any, float, float] = (None, 0.0, 0.0)

    def line(seconds: float) -> str:
        nonlocal seen
        # Tasks come one after the other.
        if not bar.tasks:
            return progress_line("working", 0, None, seconds)
        task = bar.tasks[-1]
        told = f" ({task.fields['told']})" if task.fields["told"] else ""
        if seen[:2] != (task.id, task.completed):
            seen = (task.id, task.completed, seconds)
        return progress_line(task.description, task.completed, task.total, seconds, seen[2]) + told

    with bar, nullcontext() if on_terminal else print_progress_periodically(line):
        yield bar


@contextmanager
def show_activity(what: str) -> Iterator[None]:
    """Show a progress line for work of unknown length during a ``with`` block."""
    with progress_bar() as bar:
        bar.add_task(what, total=None, told="")
        yield
