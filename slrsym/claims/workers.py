"""Checking claims, here or in worker processes that load the same files."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, Self

from sympy.core.function import AppliedUndef

from slrsym.claims.check import Verdict, check_claim
from slrsym.claims.claim import Claim
from slrsym.statements.errors import ProofError

# Processes take seconds to start: a few claims are checked before that.
_FEW = 8


class Claims(Protocol):
    """What of a ledger is asked for here."""

    claims: dict[str, Claim]

    @property
    def files(self) -> list[Path]: ...

    def find(self, id: str) -> Claim: ...

    @classmethod
    def load(cls, *paths: Path) -> Self: ...


class Checker:
    """Checks claims of a ledger, here or in worker processes that load the same files."""

    def __init__(self, ledger: Claims, seed: int, workers: int | None) -> None:
        if workers is not None and workers < 1:
            raise ValueError(f"workers must be at least 1; got {workers}")
        self.ledger = ledger
        self.seed = seed
        self.few = _FEW if workers is None else 2
        workers = workers or _cores()
        self.pool: ProcessPoolExecutor | None = None
        # Claims that come from no file exist in this process alone.
        if workers > 1 and all(c.file is not None for c in ledger.claims.values()):
            self.pool = ProcessPoolExecutor(
                workers,
                mp_context=multiprocessing.get_context("spawn"),
                initializer=_start_worker,
                initargs=(ledger.load, ledger.files),
            )

    def __enter__(self) -> Checker:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if self.pool is None:
            return
        if kind is not None:
            for process in multiprocessing.active_children():
                process.terminate()
        self.pool.shutdown(wait=kind is None, cancel_futures=True)

    def check(self, ids: list[str]) -> Iterable[Verdict]:
        """Check claims, in any order."""
        if self.pool is None or len(ids) < self.few:
            for id in ids:
                yield _check(self.ledger, id, self.seed)
            return
        # What speaks of arbitrary functions takes longest, and should not be left for the end.
        first = sorted(ids, key=lambda id: not self.ledger.find(id).statement.has(AppliedUndef))
        try:
            with _no_interrupt():
                tasks = [self.pool.submit(_check_in_worker, id, self.seed) for id in first]
            for task in as_completed(tasks):
                yield task.result()
        except BrokenProcessPool:
            raise ProofError(
                "a worker process died, perhaps for want of memory, or because it ran the script "
                "that started it, which has to verify under `if __name__ == '__main__':`; try "
                "again with one worker"
            ) from None


_worker_ledger: Claims | None = None


def _start_worker(load: Callable[..., Claims], files: list[Path]) -> None:
    global _worker_ledger
    # An interrupt is the parent's to handle, which then ends the workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _worker_ledger = load(*files)


def _check_in_worker(id: str, seed: int) -> Verdict:
    assert _worker_ledger is not None
    return _check(_worker_ledger, id, seed)


def _check(ledger: Claims, id: str, seed: int) -> Verdict:
    try:
        return check_claim(ledger.find(id), ledger.find, seed)
    except SystemExit as stop:
        # Let through, it would end the program with an exit code that says all is well.
        raise ProofError(f"the proof of claim {id} calls sys.exit({stop.code})") from None


@contextmanager
def _no_interrupt() -> Iterator[None]:
    """Hold interrupts back; processes started meanwhile hold them back for ever.

    A worker that is interrupted while it starts, before `_start_worker`, would print a traceback.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _cores() -> int:
    """How many processes can run at once."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1
