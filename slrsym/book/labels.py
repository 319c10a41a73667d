"""What claims are called, and the order in which the paper has them."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from slrsym.book.document import Label
from slrsym.proof import Claim

__all__ = ["file_title", "labels", "sections"]

# A number of the paper, and perhaps what is said of its constants; not a part of its proof, or what
# several items together say.
_NUMBERED = re.compile(
    r"(Theorem|Lemma|Proposition|Corollary|Definition) (\d+)( \([ivx]+\))?"
    r"(?:[,;] (?!proof\b)[a-z].*)?"
)


def labels(claims: Iterable[Claim]) -> dict[str, Label]:
    """A name for each claim."""
    claims = list(claims)
    numbered = {c.id: m for c in claims if (m := _NUMBERED.fullmatch(c.source))}
    shared = Counter(_item(m) for m in numbered.values())
    seen: Counter[str] = Counter()
    result: dict[str, Label] = {}
    for claim in claims:
        match = numbered.get(claim.id)
        if match is None:
            seen["Claim"] += 1
            result[claim.id] = Label("Claim", str(seen["Claim"]))
            continue
        letter = ""
        item = _item(match)
        if shared[item] > 1 and claim.id != item.lower().replace(" ", "-"):
            letter = _letter(seen[item])
            seen[item] += 1
        result[claim.id] = Label(match[1], f"{match[2]}{letter}{match[3] or ''}")
    return result


def _item(match: re.Match[str]) -> str:
    return f"{match[1]} {match[2]}{match[3] or ''}"


def _letter(count: int) -> str:
    more, last = divmod(count, 26)
    return (_letter(more - 1) if more else "") + "abcdefghijklmnopqrstuvwxyz"[last]


def sections(claims: Iterable[Claim]) -> list[tuple[str, list[Claim]]]:
    """Claims by the files that make them, files in the order of the paper's numbers."""
    files: dict[Path | None, list[Claim]] = {}
    for claim in claims:
        files.setdefault(claim.file, []).append(claim)

    def key(item: tuple[Path | None, list[Claim]]) -> tuple[bool, int, str]:
        file, inside = item
        match = re.match(r"[A-Za-z]+ (\d+)", file_title(file)) or next(
            (m for c in inside if (m := re.search(r"[A-Z][a-z]+ (\d+)", c.source))), None
        )
        return (file is None, int(match[1]) if match else 10**6, str(file))

    return [(file_title(file), inside) for file, inside in sorted(files.items(), key=key)]


def file_title(file: Path | None) -> str:
    """The first line of a file's docstring."""
    if file is None:
        return "Claims"
    try:
        text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8")))
    except (OSError, SyntaxError, UnicodeDecodeError):
        text = None
    return (text or file.stem).splitlines()[0].strip().rstrip(".")
