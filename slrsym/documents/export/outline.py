"""The outline of a paper: sections, numbered statements, and the claims for each.

A statement of the paper stands in its section. A claim that helps to prove one stands below it:
below the statement that its id begins with, else below the nearest one that rests on it. What the
paper says without a number stands in its section; what nothing in the paper rests on comes last,
under the heading of its file.
"""

from __future__ import annotations

import math
import re
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from slrsym.documents.export.document import ClaimEntry, Document, Inline, Text
from slrsym.prover.claims.papers import Paper, paper_of_file

_PLACE = re.compile(r"(?:Section|Appendix) (\w+)\b|\((\d+)\)|against (\w+) (\d+)")


@dataclass
class OutlineEntry:
    """A claim of the outline, numbered in the paper or not, with those that help to prove it."""

    claim: ClaimEntry
    helpers: list[ClaimEntry] = field(default_factory=list)
    is_numbered: bool = False


@dataclass
class OutlineSection:
    """A part of the outline: a section of the paper, or a heading for further claims."""

    number: str
    title: tuple[Inline, ...]
    entries: list[OutlineEntry] = field(default_factory=list)
    paper: Paper | None = None


def build_outline(document: Document) -> list[OutlineSection]:
    """Return the outline of a document, by the paper's sections or else by derivation files.

    The sections of a paper stand together, those of the paper with the most files first.
    """
    claims = {claim.id: claim for claim in document.claims}
    parts: dict[tuple[Paper, str], OutlineSection] = {}
    stated: dict[str, OutlineEntry] = {}
    for paper in document.papers:
        for section in paper.sections:
            part = OutlineSection(section.number, (Text(section.title),), paper=paper)
            parts[paper, section.number] = part
            for id in section.statements:
                if id in claims:
                    stated[id] = OutlineEntry(claims[id], is_numbered=True)
                    part.entries.append(stated[id])
    beyond: list[OutlineSection] = []
    for group in document.sections:
        rest = OutlineSection("", group.title)
        for claim in group.claims:
            own = paper_of_file(claim.place[0])
            owner = _owner(claim.id, stated, document.users)
            place = parts.get((own, _section(claim.source, own))) if own else None
            if claim.id in stated:
                continue
            if owner and (place is None or claim.id.startswith(f"{owner}-")):
                stated[owner].helpers.append(claim)
            else:
                part = place if place is not None and stated else rest
                part.entries.append(OutlineEntry(claim))
        beyond += [rest] if rest.entries else []
    for part in parts.values():
        # What has a number comes first; the sort is stable.
        part.entries.sort(key=lambda entry: not entry.is_numbered)
    return [part for part in parts.values() if part.entries] + beyond


def _section(source: str, paper: Paper) -> str:
    """Return the number of the paper's section that a source is in, unless it is in a proof."""
    found = _PLACE.match(source)
    if found is None:
        return ""
    if found[1]:
        named = next((s for s in paper.sections if s.number == found[1]), None)
        return "" if named is None or named.proofs else named.number
    if found[2]:
        starts = [s for s in paper.sections if (s.first_equation or math.inf) <= int(found[2])]
        return starts[-1].number if starts else ""
    return paper.places.get(f"{found[3].lower()}-{found[4]}", "")


def _owner(id: str, stated: Iterable[str], users: Mapping[str, list[str]]) -> str:
    """Return the id of the numbered statement that a claim helps to prove; empty if none."""
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
