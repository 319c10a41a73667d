"""Many runs of several settings, over any executor, kept on disk in parts as they come."""

from __future__ import annotations

import io
import json
import shutil
import zipfile
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from slrsym.dynamics.engines import cores
from slrsym.files import DamagedFileError, NotSavedError, replacing
from slrsym.jobs import Jobs, Maker, as_maker, completed
from slrsym.progress import advancing
from slrsym.recovery.setting import Ends, Setting, follow, tubes

__all__ = ["Parts", "Plan", "followed", "parts_folder"]

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


_SETTINGS = "settings.json"


class Parts:
    """A folder with one file for each part."""

    def __init__(self, folder: Path, settings: dict[str, Any]) -> None:
        self._folder = folder
        wanted = json.loads(json.dumps(settings))
        file = folder / _SETTINGS
        if not folder.exists():
            try:
                folder.mkdir()
            except OSError as problem:
                raise NotSavedError(f"{folder} could not be made: {problem.strerror}") from None
        if file.is_file():
            try:
                found = json.loads(file.read_text(encoding="utf-8"))
            except ValueError as problem:
                raise DamagedFileError(f"{file} is damaged: {problem}") from None
            for name in {**wanted, **found}:
                if found.get(name) != wanted.get(name):
                    raise ValueError(
                        f"{folder} holds parts with {name} = {found.get(name)}; needed is "
                        f"{name} = {wanted.get(name)}; give the same again, or another file"
                    )
        elif not folder.is_dir() or any(folder.iterdir()):
            raise DamagedFileError(f"{folder} holds something else than parts of a sweep")
        else:
            with replacing(file) as draft:
                draft.write_text(json.dumps(wanted, indent=2) + "\n", encoding="utf-8")

    def _file(self, cell: int, first: int) -> Path:
        return self._folder / f"cell-{cell:05}-run-{first:07}.npz"

    def read(self, cell: int, first: int) -> Ends | None:
        """A part, if it is there."""
        file = self._file(cell, first)
        if not file.is_file():
            return None
        try:
            with np.load(io.BytesIO(file.read_bytes())) as arrays:
                return Ends(**arrays)
        except (OSError, EOFError, ValueError, TypeError, zipfile.BadZipFile):
            # Damaged: it will be made again.
            return None

    def write(self, cell: int, first: int, part: Ends) -> None:
        """Keep a part."""
        with replacing(self._file(cell, first)) as draft, draft.open("wb") as file:
            np.savez(file, allow_pickle=False, **part.as_dict())

    def remove(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self._folder)
