"""Run jobs on an executor, again where they are lost; end on signals; report progress."""

from __future__ import annotations

import multiprocessing
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent import futures
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from contextvars import ContextVar
from typing import Any

Maker = Callable[[], futures.Executor]

# A job is a function and its arguments; with it goes whatever tells the jobs apart.
Jobs = deque[tuple[Any, Callable[..., Any], tuple[Any, ...]]]

# At once, so that what is to be computed is not all in memory.
_IN_FLIGHT = 256

# How often in a row a pool may break before any job is completed.
_PATIENCE = 5


def executor_factory_and_ownership(
    executor: futures.Executor | Maker | None, workers: int | None
) -> tuple[Maker, bool]:
    """Return a function that makes executors, and whether the caller must shut them down."""
    if executor is None:
        # Forked processes would share what threads have locked.
        context = multiprocessing.get_context("spawn")
        # An interruption is for the process that waits; these end with what they are at.
        return lambda: futures.ProcessPoolExecutor(
            workers, context, signal.signal, (signal.SIGINT, signal.SIG_IGN)
        ), True
    # Clients of clusters make executors that are not registered as such.
    if hasattr(executor, "submit"):
        given: Any = executor
        return lambda: given, False
    if callable(executor):
        return executor, True
    raise TypeError(
        "executor must be a concurrent.futures.Executor, or a function that makes one; "
        f"got {executor!r}"
    )


def iterate_results(
    jobs: Jobs, executor: futures.Executor | Maker | None, workers: int
) -> Iterator[tuple[Any, Any]]:
    """Yield each job's name and result as it finishes, in this process or on an executor."""
    if executor is not None or workers > 1:
        yield from iterate_results_on_executor(
            jobs, *executor_factory_and_ownership(executor, workers)
        )
    while jobs:
        name, function, arguments = jobs.popleft()
        yield name, function(*arguments)


def iterate_results_on_executor(jobs: Jobs, maker: Maker, ours: bool) -> Iterator[tuple[Any, Any]]:
    """Yield each job's name and result as it finishes on an executor; run lost jobs again.

    Where it is left early, as by an interrupt, worker processes of our own are ended at once.
    """
    with end_on_sigterm() if ours else nullcontext():
        yield from _iterate_on_pools(jobs, maker, ours)


def _iterate_on_pools(jobs: Jobs, maker: Maker, ours: bool) -> Iterator[tuple[Any, Any]]:
    broken = 0
    while jobs:
        others = set(multiprocessing.active_children())
        pool = maker()
        flying: dict[futures.Future[Any], Any] = {}
        try:
            while jobs or flying:
                while jobs and len(flying) < _IN_FLIGHT:
                    job = jobs.popleft()
                    try:
                        with start_processes_uninterrupted() if ours else nullcontext():
                            flying[pool.submit(job[1], *job[2])] = job
                    except BaseException:
                        jobs.appendleft(job)
                        raise
                for future in futures.wait(flying, return_when=futures.FIRST_COMPLETED).done:
                    result = future.result()
                    name = flying.pop(future)[0]
                    broken = 0
                    yield name, result
        except futures.BrokenExecutor as problem:
            broken += 1
            # A result that came before the end is not lost, nor is a job.
            jobs.extendleft(reversed(list(flying.values())))
            if not ours or broken >= _PATIENCE:
                why = (
                    "the executor broke"
                    if not ours
                    else f"workers died {broken} times in a row before any had done its part"
                )
                raise RuntimeError(f"{why}: {problem}") from problem
        finally:
            for future in flying:
                future.cancel()
            if ours:
                if flying:
                    for process in set(multiprocessing.active_children()) - others:
                        process.terminate()
                pool.shutdown(wait=True, cancel_futures=True)


# -- signals ----------------------------------------------------------------------------------


class Terminated(SystemExit):
    """Exception raised where SIGTERM arrives, which ends the process with the exit code 143."""


@contextmanager
def end_on_sigterm() -> Iterator[None]:
    """Raise `Terminated` where SIGTERM arrives within a block, which saves its work and ends.

    Without it SIGTERM, which Slurm, Docker and ``timeout`` send, ends a process at once. A handler
    of the program is left alone, and so is everything outside of the main thread. A library in
    which the signal arrives may catch the exception, or raise one of its own in place of it: the
    block ends with `Terminated` all the same.
    """
    came: list[int] = []

    def end(number: int, frame: object) -> None:
        came.append(number)
        raise Terminated(128 + number)

    if not _is_main_thread() or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, end)
    try:
        yield
    except Exception as error:
        if came:
            raise Terminated(128 + came[0]) from error
        raise
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if came:
        raise Terminated(128 + came[0])


@contextmanager
def hold_signals() -> Iterator[None]:
    """Hold SIGINT and SIGTERM back until a block has saved its work, unless one comes again."""
    held: list[int] = []

    def hold(number: int, frame: object) -> None:
        if number not in held:
            held.append(number)
            return
        signal.signal(number, before[number])
        signal.raise_signal(number)

    numbers = (signal.SIGINT, signal.SIGTERM) if _is_main_thread() else ()
    # None stands for a handler that Python cannot restore.
    before: dict[int, Any] = {n: h for n in numbers if (h := signal.getsignal(n)) is not None}
    for number in before:
        signal.signal(number, hold)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    for number in held:
        signal.raise_signal(number)


@contextmanager
def start_processes_uninterrupted() -> Iterator[None]:
    """Hold SIGINT and SIGTERM back within a block, and SIGINT for good in processes started in it.

    A process that is interrupted while it starts, before any code of ours, would print a traceback,
    and so would one whose starting is left half done. Another thread of this process may be sent a
    signal, which Python handles in the main one: blocking it there is not enough.
    """
    with hold_signals():
        if not hasattr(signal, "pthread_sigmask"):  # Windows
            yield
            return
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _is_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


# -- progress ---------------------------------------------------------------------------------

# Seconds between the lines that long work logs where there is no terminal.
LOG_INTERVAL = 30.0

# What is said at this interval now, the outermost first.
_logged: list[Callable[[float], str]] = []


def is_progress_logged() -> bool:
    """Return whether lines of progress are written to the log now and then."""
    return bool(_logged)


@contextmanager
def print_progress_periodically(line: Callable[[float], str]) -> Iterator[None]:
    """Print a progress line to standard error every 30 s while a `with` block runs.

    A thread of its own writes it, so that one long part of the work is no silence.
    """
    ended, start = threading.Event(), time.monotonic()

    def write() -> None:
        while not ended.wait(LOG_INTERVAL):
            # The reader may have left; the work goes on.
            with suppress(OSError, ValueError):
                print(line(time.monotonic() - start), file=sys.stderr, flush=True)

    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    _logged.append(line)
    try:
        yield
    finally:
        _logged.remove(line)
        ended.set()
        thread.join()


def progress_line(
    what: str, done: float, total: float | None, seconds: float, reached: float | None = None
) -> str:
    """Return a line on the progress of work: the part done, and elapsed and remaining time.

    `reached` is the time at which so much was done. If what follows takes longer than the parts
    before it did, nothing is said of the time left.

    Examples
    --------
    >>> progress_line("steps", 30_000, 120_000, 90)
    'steps: 30,000 of 120,000 (25%) after 1:30, about 4:30 left'
    >>> progress_line("checking", 1, 3, 90, reached=5)
    'checking: 1 of 3 (33%) after 1:30'
    """
    reached = seconds if reached is None else reached
    if not total:
        return f"{what}: {_clock(seconds)} so far"
    # Of what is counted, the numbers; of a part of a whole, the percentage alone.
    count = f"{done:,.0f} of {total:,.0f} ({done / total:.0%})" if total > 1 else f"{done:.0%}"
    more = reached * total / done - seconds if 0 < done < total else 0.0
    left = f", about {_clock(more)} left" if more > 0 else ""
    return f"{what}: {count} after {_clock(seconds)}{left}"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


@contextmanager
def show_progress(
    wanted: bool | None, what: str, total: int, *, counted: bool = False
) -> Iterator[Callable[[int], object]]:
    """Show progress during a `with` block: a bar on a terminal, else a line every 30 s."""
    if wanted is False:
        with no_waits_said():
            yield lambda more: None
        return
    done, reached, start = 0, 0.0, time.monotonic()

    def advance(more: int) -> None:
        nonlocal done, reached
        done, reached = done + more, time.monotonic() - start
        if shown is not None:
            shown(more)

    with ExitStack() as stack:
        on_terminal = sys.stderr.isatty()
        shown = stack.enter_context(_bar(what, total, counted)) if wanted or on_terminal else None
        if not on_terminal:
            stack.enter_context(
                print_progress_periodically(
                    lambda seconds: progress_line(what, done, total, seconds, reached)
                )
            )
        yield advance


@contextmanager
def _bar(what: str, total: int, counted: bool) -> Iterator[Callable[[int], object]]:
    from rich import progress as p
    from rich.console import Console

    columns: tuple[p.ProgressColumn, ...] = p.Progress.get_default_columns()
    if counted:
        columns = (
            p.TextColumn(what), p.BarColumn(), p.MofNCompleteColumn(), p.TimeRemainingColumn(),
        )  # fmt: skip
    console = Console(stderr=True)
    # Where nothing can be overwritten, the end of the bar is all that is shown of it.
    with p.Progress(*columns, console=console, transient=console.is_terminal) as bar:
        task = bar.add_task(what, total=total)
        _bars.append(lambda text: bar.update(task, description=text or what))
        try:
            yield lambda more: bar.advance(task, more)
        finally:
            _bars.pop()


# -- waits ------------------------------------------------------------------------------------

# Functions that write beside the bars on the terminal, which own its last line.
_bars: list[Callable[[str], object]] = []

_is_quiet: ContextVar[bool] = ContextVar("_is_quiet", default=False)


@contextmanager
def no_waits_said() -> Iterator[None]:
    """Say nothing of waits within a block, as where no progress is to be shown."""
    token = _is_quiet.set(True)
    try:
        yield
    finally:
        _is_quiet.reset(token)


@contextmanager
def say_wait(what: str) -> Iterator[None]:
    """Say while a block runs what is waited for, as in "compiling, 4 s".

    On a terminal from the first second on, in a line that goes when the wait ends, or beside the
    bar; elsewhere a line of the log every 30 s.
    """
    if _is_quiet.get():
        yield
        return
    if not sys.stderr.isatty():
        with print_progress_periodically(lambda seconds: f"{what}: {_clock(seconds)} so far"):
            yield
        return
    ended, start = threading.Event(), time.monotonic()
    said = _bars[-1] if _bars else _rewrite_line

    def write() -> None:
        while not ended.wait(1.0):
            with suppress(OSError, ValueError):
                said(f"{what}, {time.monotonic() - start:.0f} s")
        with suppress(OSError, ValueError):
            said("")

    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _rewrite_line(text: str) -> None:
    sys.stderr.write(f"\r\x1b[2K{text}")
    sys.stderr.flush()
