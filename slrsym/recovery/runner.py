"""Many runs of several settings, over any executor, kept on disk as they come."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from slrsym.dynamics.engines import cores
from slrsym.files import NotSavedError
from slrsym.progress import advancing
from slrsym.recovery.chunks import Ends, follow, tubes
from slrsym.recovery.executors import Jobs, Maker, as_maker, completed
from slrsym.recovery.setting import Setting
from slrsym.recovery.store import Parts

__all__ = ["Plan", "followed", "parts_folder"]

# The same whatever the number of workers is, so that parts are.
_CHUNK = 250


def _chunks(runs: int) -> list[tuple[int, int]]:
    return [(first, min(first + _CHUNK, runs)) for first in range(0, runs, _CHUNK)]


@dataclass(frozen=True)
class Plan:
    """How runs are followed, which does not change where they end."""

    executor: Executor | Maker | None
    workers: int | None
    parts: Parts | None
    progress: bool | None


def followed(
    settings: Sequence[Setting],
    plan: Plan,
    *,
    runs: int,
    seed: int,
    backend: str,
    stopping: bool,
) -> list[Ends]:
    """Follow the runs of each setting."""
    parts = plan.parts
    found: dict[tuple[int, int], Ends] = {}
    jobs: Jobs = deque()
    for cell, setting in enumerate(settings):
        missing = []
        for first, stop in _chunks(runs):
            part = None if parts is None else parts.read(cell, first)
            if part is None:
                missing.append((first, stop))
            else:
                found[cell, first] = part
        if missing:
            enough = runs if stopping else 0
            jobs.append(((cell, missing), tubes, (setting, seed, enough, backend)))
    with advancing(plan.progress, "runs", runs * len(settings), counted=True) as shown:
        shown(sum(len(part.verdict) for part in found.values()))
        for name, result in _results(jobs, plan.executor, plan.workers):
            if isinstance(name[1], list):
                # The tubes of a cell are known: its runs come next.
                cell, missing = name
                more = [
                    (
                        (cell, first),
                        follow,
                        (settings[cell], seed, first, stop, result, backend, stopping),
                    )
                    for first, stop in missing
                ]
                jobs.extendleft(reversed(more))
                continue
            cell, first = name
            # What cannot be kept is still counted; that the disk is full is told in the end.
            if parts is not None:
                with suppress(NotSavedError):
                    parts.write(cell, first, result)
            found[cell, first] = result
            shown(len(result.verdict))
    return [
        _together([found[cell, first] for first, _ in _chunks(runs)])
        for cell in range(len(settings))
    ]


def _results(
    jobs: Jobs, executor: Executor | Maker | None, workers: int | None
) -> Iterator[tuple[Any, Any]]:
    if executor is None:
        # To start a process takes as long as to follow many runs.
        parts = sum(len(missing) for (_, missing), _, _ in jobs)
        workers = min(workers or cores(), parts)
        if workers <= 1:
            while jobs:
                name, function, arguments = jobs.popleft()
                yield name, function(*arguments)
            return
    yield from completed(jobs, *as_maker(executor, workers))


def _together(parts: Sequence[Ends]) -> Ends:
    names = parts[0].as_dict()
    return Ends(
        **{name: np.concatenate([part.as_dict()[name] for part in parts]) for name in names}
    )


def parts_folder(path: Path) -> Path:
    """Where parts are kept until a file is complete."""
    return path.with_name(f"{path.name}.parts")
