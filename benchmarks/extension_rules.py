"""Write the table of the rules of extensions, with the claims that use them, into a page.

``python benchmarks/extension_rules.py PAGE`` reads the log that comes with the package. It
replaces what lies between two comments, and the counts of claims in the list above the table.
"""

from __future__ import annotations

import json
import lzma
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from slrsym.checker.log import EXTENSIONS, load_extensions
from slrsym.checker.theorem import RULES
from slrsym.prover.tactics.bundled_log import BUNDLED_LOG

TABLE = re.compile(
    r"(<!-- rules of extensions -->\n).*(<!-- end of the rules of extensions -->)", re.DOTALL
)


def _records() -> Iterator[dict[str, Any]]:
    """Yield the records of the log that comes with the package."""
    with lzma.open(BUNDLED_LOG, "rt", encoding="utf-8") as lines:
        next(lines)
        yield from map(json.loads, lines)


def _rows(records: list[dict[str, Any]]) -> Iterator[str]:
    """Yield a row for each rule of an extension: the claims whose proofs have it."""
    yield "| extension | rule | claims whose proofs use it |\n|---|---|---|\n"
    for extension, name in sorted((r.extension, n) for n, r in RULES.items() if r.extension):
        users = sorted(r["claim"] for r in records if name in {line[0] for line in r["lines"]})
        claims = ", ".join(f"`{claim}`" for claim in users) or "none"
        yield f"| `{extension}` | `{name}` | {claims} |\n"


def _with_counts(page: str, records: list[dict[str, Any]]) -> str:
    """Replace the counts of claims in the list of extensions."""
    for extension in EXTENSIONS:
        users = sum(extension in record["extensions"] for record in records)
        rest = sum(f"extension {extension}" in record["axioms"] for record in records) - users
        said = f"- `{extension}`: {users} claims use it, and {rest or 'no'} others rest on these."
        page = re.sub(rf"^- `{extension}`: [^.]*\.", said, page, count=1, flags=re.MULTILINE)
    return page


def main(page: Path) -> None:
    """Write the table and the counts into a page."""
    load_extensions([*EXTENSIONS])
    records = list(_records())
    text = _with_counts(page.read_text(encoding="utf-8"), records)
    table = "".join(_rows(records))
    page.write_text(TABLE.sub(lambda marks: marks[1] + table + marks[2], text), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
