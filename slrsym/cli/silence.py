"""Say that a command is at work where no bar or line of progress says it."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from slrsym import jobs

# Seconds that a command is silent for on a terminal; in a log as many as between lines of progress.
TERMINAL_INTERVAL = 4.0

# What a command is at, the innermost last.
_at: list[str] = ["working"]


@contextmanager
def doing(what: str) -> Iterator[None]:
    """Name what a command is at within a block, such as "drawing figure 6"."""
    _at.append(what)
    try:
        yield
    finally:
        _at.pop()


@contextmanager
def break_silence() -> Iterator[None]:
    """Say within a block what a command is at, if it has written nothing for some seconds.

    On a terminal in a line that goes when something is written, elsewhere in a line of the log.
    """
    silence = _Silence()
    streams = [stream for stream in (sys.stdout, sys.stderr) if stream is not None]
    for stream in streams:
        silence.listen_to(stream)
    thread = threading.Thread(target=silence.watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        silence.ended.set()
        thread.join()
        silence.erase()
        for stream in streams:
            with suppress(AttributeError):
                del stream.write


class _Silence:
    """The time since a command has written something, and the line that says it is at work."""

    def __init__(self) -> None:
        self.ended = threading.Event()
        self._on_terminal = sys.stderr is not None and sys.stderr.isatty()
        self._begun = self._last = time.monotonic()
        self._lock, self._is_shown = threading.RLock(), False
        self._write: Callable[[str], object] = lambda text: None

    def listen_to(self, stream: Any) -> None:
        """Note when something is written to a stream, before which the line goes."""
        write = stream.write
        if stream is sys.stderr:
            self._write = write

        def noted(text: Any) -> Any:
            with self._lock:
                self.erase()
                self._last = time.monotonic()
                return write(text)

        # A stream that takes no attribute of its own is left alone.
        with suppress(AttributeError):
            stream.write = noted

    def watch(self) -> None:
        """Say what the command is at whenever it has been silent for too long."""
        most = TERMINAL_INTERVAL if self._on_terminal else jobs.LOG_INTERVAL
        while not self.ended.wait(min(1.0, most / 4)):
            with self._lock, suppress(OSError, ValueError):
                now = time.monotonic()
                if now - self._last >= most * 0.9 and not jobs.is_progress_logged():
                    self._say(now - self._begun)

    def _say(self, seconds: float) -> None:
        if self._on_terminal:
            self._write(f"\r\x1b[2K{_at[-1]}, {seconds:.0f} s")
            self._is_shown = True
        else:
            self._write(jobs.progress_line(_at[-1], 0, None, seconds) + "\n")
            self._last = time.monotonic()
        sys.stderr.flush()

    def erase(self) -> None:
        """Remove the line from the terminal, if it is there."""
        with self._lock, suppress(OSError, ValueError):
            if self._is_shown:
                self._is_shown = False
                self._write("\r\x1b[2K")
                sys.stderr.flush()
