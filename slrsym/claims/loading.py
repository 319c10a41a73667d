"""Loading files of derivations, and checking their claims, here or in worker processes."""

from __future__ import annotations

import importlib.util
import multiprocessing
import os
import signal
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from importlib.machinery import SOURCE_SUFFIXES, SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Protocol, Self

from sympy.core.function import AppliedUndef

from slrsym.claims.check import Verdict, check_claim
from slrsym.claims.claim import Claim, collecting
from slrsym.claims.files import DerivationError, builtin_folder
from slrsym.statements.expressions import ProofError

# The package's own files as they were run last: their text, and what they made of it.
_loaded: dict[Path, tuple[bytes, list[Claim]]] = {}


def load_file(path: Path) -> list[Claim]:
    """The claims of a derivation file, in the order in which it makes them."""
    resolved = path.resolve()
    try:
        text = resolved.read_bytes() if resolved.parent == builtin_folder() else None
    except (DerivationError, OSError):
        text = None  # what is wrong with the file is found below
    if text is None:
        return _run(path, resolved)
    if resolved not in _loaded or _loaded[resolved][0] != text:
        _loaded[resolved] = text, _run(path, resolved)
    return list(_loaded[resolved][1])


class _AsItStands(SourceFileLoader):
    """Compiles the text of a file each time.

    Python takes compiled code for up to date if the second of the last change and the size of the
    file are the same: a proof that was just mended could be checked as it was.
    """

    def get_code(self, fullname: str) -> CodeType:
        file = self.get_filename(fullname)
        code: CodeType = self.source_to_code(self.get_data(file), file)
        return code


def _run(path: Path, resolved: Path) -> list[Claim]:
    name = f"slrsym_derivation_{resolved.stem}_{zlib.crc32(str(resolved).encode()):08x}"
    loader = _AsItStands(name, str(resolved))
    spec = importlib.util.spec_from_file_location(name, resolved, loader=loader)
    if spec is None or spec.loader is None or resolved.suffix not in SOURCE_SUFFIXES:
        raise DerivationError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        with collecting(resolved) as claims:
            spec.loader.exec_module(module)
    # User code: whatever it raises is why it does not import, a call of sys.exit included.
    except (Exception, SystemExit) as problem:
        sys.modules.pop(name, None)
        where = _line_in(problem, resolved)
        raise DerivationError(
            f"{path}{where} does not import: {type(problem).__name__}: {problem}"
        ) from problem
    if not claims:
        raise DerivationError(f"{path} makes no claim")
    return claims


def _line_in(problem: BaseException, path: Path) -> str:
    """The last line of the file that the traceback passes through."""
    if isinstance(problem, SyntaxError) and problem.lineno and problem.filename == str(path):
        return f":{problem.lineno}"
    lines = []
    trace = problem.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(path):
            lines.append(trace.tb_lineno)
        trace = trace.tb_next
    return f":{lines[-1]}" if lines else ""


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
