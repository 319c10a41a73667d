"""Verification of all claims of a ledger, in this process or in parallel workers."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass
from multiprocessing import connection
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, Protocol

from sympy.core.function import AppliedUndef

from slrsym.jobs import Terminated, start_processes_uninterrupted
from slrsym.prover.claims import kept_verdicts
from slrsym.prover.claims.check import CheckOptions, ClaimVerdict
from slrsym.prover.claims.claim import Claim
from slrsym.prover.claims.claim_digests import statement_digest
from slrsym.prover.claims.files_read import (
    State,
    add_files_read,
    read_since_last_told,
    start_recording,
)
from slrsym.prover.rules.axioms import is_soundness_axiom
from slrsym.prover.rules.lemmas import CITED
from slrsym.prover.statements.expressions import ProofError, infix_text

if TYPE_CHECKING:
    from slrsym.crosscheck.montecarlo import MonteCarloCheck


# Of a statement that stands in the place of a title, no more characters are shown.
_LONGEST_TITLE = 1000


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_TITLE else f"{text[:_LONGEST_TITLE]} ..."


@dataclass(frozen=True)
class ClaimSummary:
    """Summary of a claim's check: one line of the printed ledger.

    Attributes
    ----------
    id, title, source : str
        The claim, formulas between dollar signs; where it has no title, its statement, or the
        beginning of a long one.
    status : str
        ``proved`` if the proof checker accepts every step and everything it rests on is proved;
        ``certified`` if it has no proof, is shown on a box, and rests on proofs or certificates
        only; ``empirical`` if it has none, and no trial of an experiment contradicts it;
        ``cited`` if all steps were accepted, here and below, but a conclusion is left to the
        literature; ``conditional`` if its own steps were accepted, but a claim that it rests on is
        not proved, or steps, here or below, rest on a rule from outside of the package without
        evidence for the proof checker; ``unproved`` if there is no proof, and nothing speaks
        against the statement; ``failed`` if a step was refused, or is wrong.
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
    monte_carlo : tuple of MonteCarloCheck
        What sampling says of the statement's expectations; empty if there are none.
    box : str
        On which box it is certified; empty otherwise.
    trials : str
        What an experiment saw by which it is tested, with counts; empty otherwise.
    replaces : bool
        Whether it takes the place of a claim of the same id that comes with the package.
    against : str
        How it stands against what the paper says; empty if the paper does not say it.
    hypotheses, hypotheses_not_tried : tuple of str
        The claim's hypotheses, and those that no values were found to satisfy with the others.
    supposes : str
        Which solutions of differential equations the hypotheses suppose, in words; or empty.
    hypotheses_note : str
        Both in words, and why hypotheses were not tried; or empty.
    steps_not_compared : int
        How many steps are not compared with numbers since a hypothesis is for all values.
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
    monte_carlo: tuple[MonteCarloCheck, ...] = ()
    box: str = ""
    trials: str = ""
    replaces: bool = False
    against: str = ""
    hypotheses: tuple[str, ...] = ()
    hypotheses_not_tried: tuple[str, ...] = ()
    supposes: str = ""
    hypotheses_note: str = ""
    steps_not_compared: int = 0

    def as_dict(self) -> dict[str, Any]:
        """Return the summary as plain data for JSON."""
        row = asdict(self)
        return {name: list(x) if isinstance(x, tuple) else x for name, x in row.items()}


def transitive_dependencies(id: str, depends: Mapping[str, Iterable[str]]) -> set[str]:
    """Return the ids of all claims on which a claim rests, directly or through others."""
    seen: set[str] = set()
    stack = list(depends[id])
    while stack:
        other = stack.pop()
        if other not in seen:
            seen.add(other)
            stack.extend(depends.get(other, ()))
    return seen


def shortest_cycle(id: str, depends: Mapping[str, Iterable[str]]) -> list[str]:
    """Return a shortest cycle of claims, each using the next, through a claim; empty if none."""
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


def summarise_claim(
    claim: Claim, verdicts: Mapping[str, ClaimVerdict], replaces: bool = False
) -> ClaimSummary:
    verdict = verdicts[claim.id]
    depends = {id: v.depends for id, v in verdicts.items()}
    below = transitive_dependencies(claim.id, depends)
    axioms = {a for id in (claim.id, *below) if id in verdicts for a in verdicts[id].axioms}
    status, error = "proved", ""
    if not verdict.accepted:
        status, error = "failed", verdict.failure
        if not error:
            status, error = "unproved", "the proof has no steps"
    elif claim.id in below:
        way = shortest_cycle(claim.id, depends)
        status, error = "failed", f"it rests on itself: {' -> '.join(way)}"
    elif verdict.trials:
        status = "empirical"
    elif rotten := sorted(id for id in below if not _is_sound(id, verdicts, depends, verdict.box)):
        status, error = "conditional", f"it rests on {', '.join(rotten)}, not proved"
    elif cited := [id for id in (claim.id, *sorted(below)) if _cites(verdicts[id])]:
        status = "cited"
        error = f"what is concluded in {', '.join(cited)} is cited, not checked"
    elif trusted := sorted(filter(is_soundness_axiom, axioms)):
        rules = ", ".join(name.removeprefix("rule: ") for name in trusted)
        status, error = "conditional", f"the proof checker has no evidence for steps by {rules}"
    elif verdict.box:
        status = "certified"
    return ClaimSummary(
        claim.id,
        claim.title or _short(infix_text(claim.statement)),
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
        str(verdict.trials) if status == "empirical" else "",
        replaces,
        claim.compared_to_source,
        tuple(map(infix_text, claim.hypotheses)),
        verdict.hypotheses.not_tried,
        verdict.hypotheses.supposes,
        verdict.hypotheses.note,
        verdict.steps_not_compared,
    )


def _is_sound(
    id: str,
    verdicts: Mapping[str, ClaimVerdict],
    depends: Mapping[str, tuple[str, ...]],
    for_box: str = "",
) -> bool:
    """Return whether a claim on which another rests is proved or, if `for_box`, certified.

    A proof may not rest on a certificate, since that holds on a box only, nor on an experiment.
    """
    if id not in verdicts or id in transitive_dependencies(id, depends):
        return False
    verdict = verdicts[id]
    return verdict.accepted and not verdict.trials and bool(for_box or not verdict.box)


# The theorem whose conclusion, a sentence in words, is an axiom itself, but for the algebra that it
# asks for. By its axiom, it is found in the evidence of rules of users, too.
_IN_WORDS = "theorem conditional-risk"


def _cites(verdict: ClaimVerdict) -> bool:
    cites = any(report.rule == CITED for report in verdict.reports)
    return cites or _IN_WORDS in verdict.axioms


# Processes take seconds to start: a few claims are checked before that.
_FEW = 8


class LedgerProtocol(Protocol):
    """Protocol of ledgers: claims by id, and the files from which workers can load them."""

    @property
    def claims(self) -> Mapping[str, Claim]: ...
    @property
    def files(self) -> list[Path]: ...
    @property
    def load(self) -> Callable[..., LedgerProtocol]: ...
    def find(self, id: str) -> Claim: ...
    def has_claim(self, id: str) -> bool: ...


def verify_claims(
    ledger: LedgerProtocol,
    ids: Iterable[str],
    options: CheckOptions,
    workers: int | None,
    on_verdict: Callable[[ClaimVerdict], None] | None,
) -> dict[str, ClaimVerdict]:
    """Check claims and all claims that they use; return the verdicts by claim id.

    Raise `ProofError` if claims are replaced meanwhile: each is checked once, for all that cite it.
    """
    wanted = [ledger.find(id).id for id in ids]
    verdicts: dict[str, ClaimVerdict] = {}
    with _Workers(ledger, options, workers) as checker:
        while missing := [id for id in wanted if id not in verdicts]:
            for verdict in checker.check(missing):
                verdicts[verdict.id] = verdict
                if on_verdict is not None:
                    on_verdict(verdict)
            used = {d for id in missing for d in verdicts[id].depends if ledger.has_claim(d)}
            wanted = [*wanted, *sorted(used - set(wanted))]
    changed = sorted(id for id, claim in checker.found.items() if ledger.find(id) is not claim)
    if changed:
        raise ProofError(f"{', '.join(changed)} changed while claims were verified; verify again")
    return verdicts


class _Workers:
    """A pool that checks claims in this process, or in worker processes."""

    def __init__(self, ledger: LedgerProtocol, options: CheckOptions, workers: int | None) -> None:
        if workers is not None and workers < 1:
            raise ValueError(f"workers must be at least 1; got {workers}")
        self.ledger = ledger
        self.options = options
        self.few = _FEW if workers is None else 2
        # The claims that were looked at, so that all checks see the same.
        self.found: dict[str, Claim] = {}
        workers = workers or _cores()
        self.pool: ProcessPoolExecutor | None = None
        # Claims that come from no file of the ledger exist in this process alone.
        if workers > 1 and all(c.file and c.file in ledger.files for c in ledger.claims.values()):
            self.pool = ProcessPoolExecutor(
                workers,
                mp_context=multiprocessing.get_context("spawn"),
                initializer=_start_worker,
                initargs=(ledger.load, ledger.files),
            )

    def __enter__(self) -> _Workers:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if self.pool is None:
            return
        if kind is not None:
            for process in multiprocessing.active_children():
                process.terminate()
        self.pool.shutdown(wait=kind is None, cancel_futures=True)

    def _find(self, id: str) -> Claim:
        if id not in self.found:
            self.found[id] = self.ledger.find(id)
        return self.found[id]

    def _keep(self, verdict: ClaimVerdict, entry: dict[str, Any] | None) -> ClaimVerdict:
        if entry is not None:
            kept_verdicts.keep(self._find(verdict.id), entry)
        return verdict

    def check(self, ids: list[str]) -> Iterable[ClaimVerdict]:
        """Yield the verdict on each claim: that of an earlier run, if it is kept, or a new one."""
        new = []
        for id in ids:
            kept = kept_verdicts.kept_verdict(self._find(id), self._find, self.options)
            if kept is None:
                new.append(id)
            else:
                yield kept
        yield from self._check_anew(new)
        if self.options.use_cache:
            kept_verdicts.remove_oldest()

    def _check_anew(self, ids: list[str]) -> Iterable[ClaimVerdict]:
        if self.pool is None or len(ids) < self.few:
            for id in ids:
                yield self._keep(*_check(self._find, id, self.options))
            return
        # What speaks of arbitrary functions takes longest, and should not be left for the end.
        first = sorted(ids, key=lambda id: not self.ledger.find(id).statement.has(AppliedUndef))
        try:
            with start_processes_uninterrupted():
                tasks = [self.pool.submit(_check_in_worker, id, self.options) for id in first]
            for task in as_completed(tasks):
                verdict, entry, digest, read = task.result()
                add_files_read(*read)
                if digest != statement_digest(self.ledger.find(verdict.id)):
                    raise ProofError(
                        f"claim {verdict.id} says something else in a worker process; its file "
                        "has to state the same wherever it is run"
                    )
                yield self._keep(verdict, entry)
        except BrokenProcessPool:
            raise ProofError(
                "a worker process died, perhaps for want of memory, or because it ran the script "
                "that started it, which has to verify under `if __name__ == '__main__':`; try "
                "again with one worker"
            ) from None


_worker_ledger: LedgerProtocol | None = None


def _start_worker(load: Callable[..., LedgerProtocol], files: list[Path]) -> None:
    global _worker_ledger
    # An interrupt is the parent's to handle, which then ends the workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()
    start_recording()
    _worker_ledger = load(*files)


def _end_with_parent() -> None:
    """End this worker process when its parent process has ended, even if that was killed."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    connection.wait([parent.sentinel])
    os._exit(1)


def _check_in_worker(
    id: str, options: CheckOptions
) -> tuple[ClaimVerdict, dict[str, Any] | None, str, tuple[dict[str, State], list[str]]]:
    """Return the verdict on a claim, what to keep, the digest of what it states, and files read."""
    assert _worker_ledger is not None
    verdict, entry = _check(_worker_ledger.find, id, options)
    return verdict, entry, statement_digest(_worker_ledger.find(id)), read_since_last_told()


def _check(
    find: Callable[[str], Claim], id: str, options: CheckOptions
) -> tuple[ClaimVerdict, dict[str, Any] | None]:
    """Return the verdict on a claim, and what is to be kept of it."""
    try:
        return kept_verdicts.check_and_describe(find(id), find, options)
    except Terminated:
        raise
    except SystemExit as stop:
        # Let through, it would end the program with an exit code that says all is well.
        raise ProofError(f"the proof of claim {id} calls sys.exit({stop.code})") from None


def _cores() -> int:
    """Return the number of processes that can run in parallel."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1
