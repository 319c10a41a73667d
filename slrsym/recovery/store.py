"""Parts of a sweep on disk: each is complete or not there at all."""

from __future__ import annotations

import io
import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from slrsym.files import DamagedFileError, NotSavedError, replacing
from slrsym.recovery.chunks import Ends

__all__ = ["Parts"]

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
