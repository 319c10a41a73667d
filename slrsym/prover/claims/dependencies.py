"""Direct dependencies of claims, and the table of those of the claims that come with slrsym.

The table stands beside the bundled proof log, whose evidence it is read from, and holds only for
the same log, derivations and proof checker.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import slrsym.checker
from slrsym.files import replace_atomically
from slrsym.prover.claims.file_search import builtin_derivation_folder, python_and_paper_toml_files
from slrsym.prover.tactics.bundled_log import BUNDLED_LOG

# Written by slrsym verify --proof-log together with the log.
TABLE = BUNDLED_LOG.with_name("ledger.dependencies.json")


@dataclass(frozen=True)
class DirectDependencies:
    """The claims and axioms that a claim's own evidence uses directly."""

    depends: tuple[str, ...]
    axioms: tuple[str, ...]
    error: str = ""
    replaces: bool = False


def write_table(found: Mapping[str, DirectDependencies]) -> None:
    """Write the table of the direct dependencies of claims, one claim a line, to a JSON file."""
    rows = [json.dumps([id, own.depends, own.axioms, own.error]) for id, own in found.items()]
    head = f'{{"digest": "{_digest()}", "claims": [\n'
    with replace_atomically(TABLE) as draft:
        draft.write_text(head + ",\n".join(rows) + "\n]}\n", encoding="utf-8", newline="\n")


def read_table() -> dict[str, DirectDependencies]:
    """Return the direct dependencies of all claims that come with slrsym, by id, from the table.

    It is empty if there is no table, or if it was made of another log, of other derivations, or
    with another proof checker.
    """
    with suppress(OSError, ValueError, KeyError, TypeError):
        content = json.loads(TABLE.read_text(encoding="utf-8"))
        if content["digest"] == _digest():
            return {
                id: DirectDependencies(tuple(depends), tuple(axioms), error)
                for id, depends, axioms, error in content["claims"]
            }
    return {}


def _digest() -> str:
    """Return a digest of the bundled log, the derivations and the proof checker."""
    digest = sha256(BUNDLED_LOG.read_bytes())
    for folder in (builtin_derivation_folder(), Path(slrsym.checker.__file__).parent):
        for file in python_and_paper_toml_files(folder):
            # Wherever the package lies, and however its lines end.
            name, text = file.relative_to(folder).as_posix(), file.read_text(encoding="utf-8")
            digest.update(f"\n{name}\n{text}".encode())
    return digest.hexdigest()
