"""The ledger: every claim with its status, what it rests on, and the evidence.

A ledger of a user's own claims may refer to those that come with the package. These fill gaps: they
are loaded when an id is asked for that the user's files do not have, and checked like any other.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from sympy.core.function import AppliedUndef

from slrsym.derivation_files import DerivationError, builtin_folder, derivation_files
from slrsym.proof.checker import Verdict, check_claim, sealed, steps_of
from slrsym.proof.citation import CITED
from slrsym.proof.claim import Claim
from slrsym.proof.errors import ProofError
from slrsym.proof.loading import load_file
from slrsym.proof.montecarlo import MonteCarlo
from slrsym.proof.rules import RULE_CLAIMS

__all__ = ["Foundation", "Ledger", "Row", "builtin_ledger", "circle"]


@dataclass(frozen=True)
class Row:
    """One line of the ledger.

    Attributes
    ----------
    id, title, source : str
        The claim.
    status : str
        ``proved`` if every step was accepted and everything it rests on is proved; ``certified`` if
        it has no proof, and is shown on a box; ``tested`` if it has none, and no trial of an
        experiment contradicts it; ``cited`` if all steps were accepted, here and
        below, but a conclusion is left to the literature; ``open`` if its own steps were accepted
        but something it rests on is not proved; ``failed`` otherwise.
    steps : int
        How many steps were checked.
    digits : int or None
        The fewest digits to which two sides agreed numerically.
    axioms : tuple of str
        The axioms it rests on, through its dependencies too.
    depends : tuple of str
        The claims that its steps use.
    seconds : float
        How long checking took.
    error : str
        What is wrong; empty if proved.
    monte_carlo : tuple of MonteCarlo
        What sampling says of the statement's expectations; empty if there are none.
    box : str
        On which box it is certified; empty otherwise.
    trials : str
        What an experiment saw by which it is tested, with counts; empty otherwise.
    """

    id: str
    title: str
    source: str
    status: str
    steps: int
    digits: int | None
    axioms: tuple[str, ...]
    depends: tuple[str, ...]
    seconds: float
    error: str
    monte_carlo: tuple[MonteCarlo, ...] = ()
    box: str = ""
    trials: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The row as plain data, for JSON.

        Returns
        -------
        dict
            Strings, numbers, None, and lists of strings and of such dicts.
        """
        row = asdict(self)
        return row | {name: list(row[name]) for name in ("axioms", "depends", "monte_carlo")}


@dataclass(frozen=True)
class Foundation:
    """What the proof of a claim uses itself.

    Attributes
    ----------
    depends, axioms : tuple of str
        The ids of claims and axioms that its steps name.
    error : str
        Why there is no proof to read them from; empty otherwise.
    """

    depends: tuple[str, ...]
    axioms: tuple[str, ...]
    error: str = ""


@dataclass
class Ledger:
    """A set of claims that may refer to each other.

    Attributes
    ----------
    claims : dict
        The claims by id.
    problems : list of str
        What was wrong with files: each is reported, the other claims stand.
    """

    claims: dict[str, Claim] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    _files: dict[Path, list[Claim]] = field(default_factory=dict, repr=False)
    _failed: dict[Path, DerivationError] = field(default_factory=dict, repr=False)
    _library: dict[str, Claim] | None = field(default=None, repr=False)
    _founded: dict[str, Foundation] = field(default_factory=dict, repr=False, compare=False)

    @property
    def files(self) -> list[Path]:
        """The files that were loaded, or tried."""
        return list(self._files)

    @classmethod
    def load(cls, *paths: Path) -> Ledger:
        """The claims of the derivation files at some paths.

        What cannot be loaded is noted in `problems`.

        Parameters
        ----------
        *paths : Path
            Files and folders.

        Returns
        -------
        Ledger
            A new one.
        """
        ledger = cls()
        for path in paths:
            try:
                ledger.look_in(Path(path))
            except DerivationError as problem:
                ledger.problems.append(str(problem))
        return ledger

    def look_in(self, path: Path) -> None:
        """Add the claims of the derivation files at a path; what does not load is a problem.

        Parameters
        ----------
        path : Path
            A file or a folder.

        Raises
        ------
        DerivationError
            If there is no derivation at the path.
        """
        for file in derivation_files(path):
            if file.resolve() not in self._files:
                try:
                    self.load_file(file)
                except DerivationError as problem:
                    self.problems.append(str(problem))

    def load_file(self, file: Path) -> list[Claim]:
        """Add the claims of a file, once.

        Parameters
        ----------
        file : Path
            The file.

        Returns
        -------
        list of Claim
            All claims of the file, those included whose ids were taken.

        Raises
        ------
        DerivationError
            If the file does not load.
        """
        file = file.resolve()
        if file in self._failed:
            raise self._failed[file]
        if file not in self._files:
            self._files[file] = []
            try:
                self._files[file] = load_file(file)
            except DerivationError as problem:
                self._failed[file] = problem
                raise
            for claim in self._files[file]:
                self.add(claim)
        return self._files[file]

    def add(self, claim: Claim) -> None:
        """Add a claim; a second claim of the same id is a problem, and the first one stands.

        Parameters
        ----------
        claim : Claim
            The claim. The ids that rules rest on are kept for the package's own.
        """
        if claim.id in RULE_CLAIMS and not _is_builtin(claim):
            self.problems.append(
                f"the id {claim.id!r} is that of a claim of the package that rules rest on; "
                f"choose another"
            )
            return
        known = self.claims.setdefault(claim.id, claim)
        if known is not claim:
            places = " and ".join(str(c.file or "<unknown>") for c in (known, claim))
            self.problems.append(f"the id {claim.id!r} stands for two claims, in {places}")

    def find(self, id: str) -> Claim:
        """The claim of an id, here or among those that come with the package.

        Parameters
        ----------
        id : str
            The id.

        Returns
        -------
        Claim
            This ledger's own, if there are two.

        Raises
        ------
        ProofError
            If there is none.
        """
        claim = self.claims.get(id) or self._builtin().get(id)
        if claim is None:
            close = _closest(id, [*self.claims, *self._builtin()])
            hint = f"; did you mean {close}?" if close else ""
            raise ProofError(f"unknown claim {id!r}{hint}")
        return claim

    def knows(self, id: str) -> bool:
        """Whether an id is that of a claim, here or among those that come with the package.

        Parameters
        ----------
        id : str
            The id.

        Returns
        -------
        bool
            Whether `find` would find it.
        """
        return id in self.claims or id in self._builtin()

    def _builtin(self) -> dict[str, Claim]:
        """The package's claims that are in none of this ledger's files."""
        if self._library is None:
            self._library = {}
            for file in derivation_files(builtin_folder()):
                if file.resolve() not in self._files:
                    try:
                        self._library |= {claim.id: claim for claim in load_file(file)}
                    except DerivationError as problem:
                        self.problems.append(str(problem))
        return self._library

    # -- what rests on what --------------------------------------------------------------------

    def foundations(self, id: str) -> dict[str, Foundation]:
        """What a claim rests on, directly and through others; nothing is checked.

        Parameters
        ----------
        id : str
            The claim.

        Returns
        -------
        dict of str to Foundation
            The claim itself, and every claim that it rests on.

        Raises
        ------
        ProofError
            If the id is unknown.
        """
        found: dict[str, Foundation] = {}
        ahead = [self.find(id).id]
        while ahead:
            name = ahead.pop(0)
            if name not in found:
                found[name] = self._foundation(name)
                ahead += found[name].depends
        return found

    def _foundation(self, id: str) -> Foundation:
        # A claim of an id stays, and so does its proof; what could not be built may be mended yet.
        if id in self._founded:
            return self._founded[id]
        try:
            steps = steps_of(self.find(id), self.find)
            depends = dict.fromkeys(name for step in steps for name in step.uses)
            axioms = dict.fromkeys(name for step in steps for name in step.axioms)
        # A proof is user code: whatever it raises is why, a call of sys.exit included.
        except (Exception, SystemExit) as problem:
            return Foundation((), (), f"{type(problem).__name__}: {problem}")
        self._founded[id] = Foundation(tuple(depends), tuple(sorted(axioms)))
        return self._founded[id]

    # -- verification --------------------------------------------------------------------------

    def verify(
        self,
        ids: Iterable[str] | None = None,
        *,
        seed: int = 0,
        workers: int = 1,
        on_verdict: Callable[[Verdict], None] | None = None,
    ) -> list[Row]:
        """Check claims and all that they rest on.

        Parameters
        ----------
        ids : iterable of str, optional
            The claims; all by default.
        seed : int, optional
            Moves the random points of the numerical checks.
        workers : int, optional
            How many processes to use.
        on_verdict : callable, optional
            Called with every verdict as it comes.

        Returns
        -------
        list of Row
            The claims asked for and what they rest on, in the ledger's order.

        Raises
        ------
        ProofError
            If an id is unknown, a proof ends the program, or a worker process dies.
        ValueError
            If `workers` is less than 1, or `seed` is negative.
        """
        if seed < 0:
            raise ValueError(f"seed must not be negative; got {seed}")
        asked = list(self.claims) if ids is None else list(ids)
        wanted = [self.find(id).id for id in dict.fromkeys(asked)]
        verdicts: dict[str, Verdict] = {}
        with _Checker(self, seed, workers) as checker:
            while missing := [id for id in wanted if id not in verdicts]:
                for verdict in checker.check(missing):
                    verdicts[verdict.id] = verdict
                    if on_verdict is not None:
                        on_verdict(verdict)
                used = {d for id in missing for d in verdicts[id].depends if self.knows(d)}
                wanted = [*wanted, *sorted(used - set(wanted))]
        order = [id for id in self.claims if id in verdicts]
        order += [id for id in verdicts if id not in self.claims]
        return [self._row(verdicts[id], verdicts) for id in order]

    def _row(self, verdict: Verdict, verdicts: dict[str, Verdict]) -> Row:
        claim = self.find(verdict.id)
        below = _reachable(verdict.id, verdicts)
        axioms = {a for id in (verdict.id, *below) if id in verdicts for a in verdicts[id].axioms}
        status, error = "proved", ""
        if not verdict.accepted:
            status, error = "failed", verdict.failure or "the proof has no steps"
        elif verdict.id in below:
            way = circle(verdict.id, {id: v.depends for id, v in verdicts.items()})
            status, error = "failed", f"it rests on itself: {' -> '.join(way)}"
        elif verdict.box:
            status = "certified"
        elif verdict.trials:
            status = "tested"
        else:
            rotten = [id for id in below if not _sound(id, verdicts)]
            if rotten:
                status = "open"
                error = f"it rests on {', '.join(sorted(rotten))}, not proved"
            elif cited := [id for id in (verdict.id, *sorted(below)) if _cites(id, verdicts)]:
                status = "cited"
                error = f"what is concluded in {', '.join(cited)} is cited, not checked"
        return Row(
            claim.id,
            claim.title,
            claim.source,
            status,
            len(verdict.reports),
            verdict.digits,
            tuple(sorted(axioms)),
            verdict.depends,
            verdict.seconds,
            error,
            verdict.monte_carlo,
            verdict.box if status == "certified" else "",
            str(verdict.trials) if status == "tested" else "",
        )


def _is_builtin(claim: Claim) -> bool:
    """Whether a claim is the package's own, or says the same."""
    for file in derivation_files(builtin_folder()):
        if claim.file is not None and claim.file.resolve() == file.resolve():
            return True
    for file in derivation_files(builtin_folder()):
        for other in load_file(file):
            if other.id == claim.id:
                return (other.statement, other.given) == (claim.statement, claim.given)
    return False


def builtin_ledger() -> Ledger:
    """The ledger of the claims that come with the package."""
    return Ledger.load(builtin_folder())


def _closest(id: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches

    return next(iter(get_close_matches(id, known, n=1)), "")


def _reachable(id: str, verdicts: dict[str, Verdict]) -> set[str]:
    """The claims that a claim rests on, itself only if there is a circle."""
    seen: set[str] = set()
    stack = list(verdicts[id].depends)
    while stack:
        other = stack.pop()
        if other not in seen:
            seen.add(other)
            stack.extend(verdicts[other].depends if other in verdicts else ())
    return seen


def _sound(id: str, verdicts: dict[str, Verdict]) -> bool:
    """Whether a claim's own steps prove it: what is certified on a box, or tested, is not."""
    proved = id in verdicts and verdicts[id].accepted
    proved = proved and not (verdicts[id].box or verdicts[id].trials)
    return proved and id not in _reachable(id, verdicts)


def _cites(id: str, verdicts: dict[str, Verdict]) -> bool:
    return any(report.rule == CITED for report in verdicts[id].reports)


def circle(id: str, depends: Mapping[str, Iterable[str]]) -> list[str]:
    """A shortest way from a claim back to itself.

    Parameters
    ----------
    id : str
        The claim.
    depends : mapping
        The claims that each claim uses itself.

    Returns
    -------
    list of str
        It begins and ends with `id`; empty if there is no circle.
    """
    paths, seen = [[id]], {id}
    while paths:
        path = paths.pop(0)
        for other in sorted(depends.get(path[-1], ())):
            if other == id:
                return [*path, id]
            if other not in seen:
                seen.add(other)
                paths.append([*path, other])
    return []


# -- processes ---------------------------------------------------------------------------------

_worker_ledger: Ledger | None = None


def _start_worker(files: list[Path]) -> None:
    global _worker_ledger
    # An interrupt is the parent's to handle, which then ends the workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _worker_ledger = Ledger.load(*files)


def _check_in_worker(id: str, seed: int) -> tuple[Any, ...]:
    assert _worker_ledger is not None
    found = _check(_worker_ledger, id, seed)
    return tuple(getattr(found, f.name) for f in fields(found))


def _check(ledger: Ledger, id: str, seed: int) -> Verdict:
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


class _Checker:
    """Checks claims of a ledger, here or in worker processes that load the same files."""

    def __init__(self, ledger: Ledger, seed: int, workers: int) -> None:
        if workers < 1:
            raise ValueError(f"workers must be at least 1; got {workers}")
        self.ledger = ledger
        self.seed = seed
        self.pool: ProcessPoolExecutor | None = None
        # Claims that come from no file exist in this process alone.
        if workers > 1 and all(c.file is not None for c in ledger.claims.values()):
            self.pool = ProcessPoolExecutor(
                workers,
                mp_context=multiprocessing.get_context("spawn"),
                initializer=_start_worker,
                initargs=(ledger.files,),
            )

    def __enter__(self) -> _Checker:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if self.pool is None:
            return
        if kind is not None:
            for process in multiprocessing.active_children():
                process.terminate()
        self.pool.shutdown(wait=kind is None, cancel_futures=True)

    def check(self, ids: list[str]) -> Iterable[Verdict]:
        if self.pool is None or len(ids) == 1:
            for id in ids:
                yield _check(self.ledger, id, self.seed)
            return
        # What speaks of arbitrary functions takes longest, and should not be left for the end.
        first = sorted(ids, key=lambda id: not self.ledger.find(id).statement.has(AppliedUndef))
        try:
            with _no_interrupt():
                tasks = [self.pool.submit(_check_in_worker, id, self.seed) for id in first]
            for task in as_completed(tasks):
                yield sealed(*task.result())
        except BrokenProcessPool:
            raise ProofError(
                "a worker process died, perhaps for want of memory; try again with --workers 1"
            ) from None
