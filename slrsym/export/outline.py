"""The paper as an outline: sections, numbered statements, and the claims below each.

A statement of the paper stands in its section. A claim that helps to prove one stands below it:
below the statement that its id begins with, else below the nearest one that rests on it. What the
paper says without a number stands in its section; what nothing in the paper rests on comes last,
under the heading of its file.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from slrsym.export.document import ClaimEntry, Document, Inline, Text

# The paper's sections, and the numbered statements in each, in its order.
_SECTIONS = {
    "2": ("Single-location regression task", "assumption-1"),
    "3": ("An attention-based predictor to solve the regression task", ""),
    "4": ("Risk of the oracle and of the linear predictors", "theorem-1 corollary-2 proposition-3"),
    "5": (
        "Gradient descent provably recovers the oracle predictor",
        "definition-1 lemma-4 theorem-5",
    ),
    "A": (
        "Outline of the proof of Theorem 5",
        "lemma-6 lemma-7 proposition-8 proposition-9 proposition-10 proposition-11 proposition-12 "
        "proposition-13",
    ),
    "B": ("Proofs of the main results", "lemma-14"),
    "C": ("Expression of the risk beyond the invariant manifold", "proposition-15"),
    "D": (
        "Technical results",
        "lemma-16 lemma-17-i lemma-17-ii lemma-17-iii lemma-18-i lemma-18-ii lemma-18-iii "
        "lemma-18-iv lemma-18-v lemma-18-vi",
    ),
    "E": ("Experimental details and additional results", ""),
}
# Which section an equation stands in: the last one whose first equation is not behind it.
_FIRST_EQUATION = {1: "2", 2: "3", 6: "4", 10: "5", 14: "A", 16: "B", 27: "C"}
_PLACE = re.compile(r"(?:Section|Appendix) ([2-5A-E])\b|\((\d+)\)|against Theorem 5()")


@dataclass
class Entry:
    """A statement, and the claims that help to prove it."""

    claim: ClaimEntry
    helpers: list[ClaimEntry] = field(default_factory=list)

    @property
    def is_numbered(self) -> bool:
        """Whether the paper gives it a number."""
        return self.claim.label.kind != "Claim"

    @property
    def count_of_helpers(self) -> int:
        """How many claims help to prove it."""
        return len(self.helpers)


@dataclass
class OutlinePart:
    """A section of the paper, or claims beyond it under a heading."""

    number: str
    title: tuple[Inline, ...]
    entries: list[Entry] = field(default_factory=list)


def outline(document: Document) -> list[OutlinePart]:
    """The parts of a document; without statements of the paper, those of its files."""
    claims = {claim.id: claim for claim in document.claims}
    places = {id: number for number, (_, ids) in _SECTIONS.items() for id in ids.split()}
    stated = {id: Entry(claims[id]) for id in places if id in claims}
    users: dict[str, list[str]] = {}
    for claim in claims.values():
        for other in claim.depends:
            users.setdefault(other, []).append(claim.id)
    parts = {
        number: OutlinePart(number, (Text(title),)) for number, (title, _) in _SECTIONS.items()
    }
    for id, entry in stated.items():
        parts[places[id]].entries.append(entry)
    beyond: list[OutlinePart] = []
    for section in document.sections:
        part = OutlinePart("", section.title)
        for claim in section.claims:
            place, owner = _section(claim.source), _owner(claim.id, stated, users)
            if claim.id in stated:
                continue
            if owner and (place not in parts or claim.id.startswith(f"{owner}-")):
                stated[owner].helpers.append(claim)
            elif place in parts and stated:
                parts[place].entries.append(Entry(claim))
            elif owner:
                stated[owner].helpers.append(claim)
            else:
                part.entries.append(Entry(claim))
        beyond += [part] if part.entries else []
    for part in parts.values():
        # What has a number comes first; the sort is stable.
        part.entries.sort(key=lambda entry: entry.claim.id not in stated)
    return [part for part in parts.values() if part.entries] + beyond


def _section(source: str) -> str:
    """Where the paper says something, outside of its proofs."""
    found = _PLACE.match(source)
    if found is None:
        return ""
    if found[1]:
        return "" if found[1] == "B" else found[1]
    number = int(found[2] or 0)
    return next((s for n, s in reversed(_FIRST_EQUATION.items()) if n <= number), "5")


def _owner(id: str, stated: Iterable[str], users: Mapping[str, list[str]]) -> str:
    """The statement that a claim helps to prove; empty if it helps none."""
    named = [other for other in stated if id.startswith(f"{other}-")]
    if named:
        return max(named, key=len)
    ahead, seen = deque([id]), {id}
    while ahead:
        here = ahead.popleft()
        if here in stated:
            return here
        for user in users.get(here, ()):
            if user not in seen:
                seen.add(user)
                ahead.append(user)
    return ""
