"""What the commands that verify share: loading derivations, and checking behind a progress bar."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from slrsym.cli.progress import progress_bar

if TYPE_CHECKING:
    from slrsym.claims.check import Verdict
    from slrsym.claims.ledger import Ledger
    from slrsym.claims.rows import Row

__all__ = ["checked", "cores", "loaded", "unknown"]


def loaded(paths: list[Path] | None) -> Ledger:
    """The ledger of some paths, or that of the claims that come with the package."""
    from slrsym.claims.ledger import Ledger, builtin_ledger

    return Ledger.load(*paths) if paths else builtin_ledger()


def unknown(ledger: Ledger, id: str) -> str:
    """Why an id is not that of a claim."""
    from slrsym.search.errors import ProofError

    try:
        ledger.find(id)
    except ProofError as reason:
        return str(reason)
    raise AssertionError(f"{id} is known")


def checked(
    ledger: Ledger,
    ids: list[str] | None,
    seed: int,
    workers: int,
    verdicts: dict[str, Verdict],
) -> list[Row]:
    """Check claims behind a progress bar, and keep every verdict."""
    with progress_bar() as bar:
        task = bar.add_task("checking", total=len(ledger.claims if ids is None else ids), told="")

        def note(verdict: Verdict) -> None:
            verdicts[verdict.id] = verdict
            total = max(len(verdicts), int(bar.tasks[0].total or 0))
            told = f"{len(verdicts)}/{total} {verdict.id}"
            bar.update(task, completed=len(verdicts), total=total, told=told)

        return ledger.verify(ids, seed=seed, workers=workers, on_verdict=note)


def cores() -> int:
    """How many processes can run at once."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1
