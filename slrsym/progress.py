"""The progress bar of long work, on standard error, where someone looks on or wants it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def advancing(
    wanted: bool | None, what: str, total: int, *, counted: bool = False
) -> Iterator[Callable[[int], object]]:
    """A progress bar while a block runs."""
    if wanted is False or (wanted is None and not sys.stderr.isatty()):
        yield lambda more: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    columns: tuple[ProgressColumn, ...] = Progress.get_default_columns()
    if counted:
        columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    # Where nothing can be overwritten, the end of the bar is all that is shown of it.
    with Progress(*columns, console=console, transient=console.is_terminal) as bar:
        task = bar.add_task(what, total=total)
        yield lambda more: bar.advance(task, more)
