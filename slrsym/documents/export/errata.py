"""Errata of a paper and remarks on it, for the book, the site and the documentation.

Claims and commands stand between backquotes, formulas between dollar signs, as in titles of claims.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from slrsym.documents.export.document import ClaimReference, Inline, PaperErrata, Text
from slrsym.documents.export.prose import split_at_dollar_signs
from slrsym.prover.claims.papers import Paper

LEAD = (
    "Each claim says how it compares to the paper: exact, stronger, weaker or false, and how. This "
    "page collects what the paper states otherwise, then remarks on its open questions."
)

_QUOTED = re.compile(r"`([^`]+)`")
_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)+")


def ids_of_mentioned_claims(text: str) -> list[str]:
    """Return the ids of the claims that a text mentions."""
    return [quoted for quoted in _QUOTED.findall(text) if _ID.fullmatch(quoted)]


def collect_errata(papers: Iterable[Paper], included: Collection[str]) -> tuple[PaperErrata, ...]:
    """Return the errata of those papers whose mentioned claims are all in the document."""
    made = []
    for paper in papers:
        spoken = {
            id
            for _, texts in paper.errata
            for text in texts
            for id in ids_of_mentioned_claims(text)
        }
        if paper.errata and spoken <= set(included):
            entries = ((heading, tuple(map(_paragraph, texts))) for heading, texts in paper.errata)
            made.append(PaperErrata(paper.title, tuple(entries)))
    return tuple(made)


def _paragraph(text: str) -> tuple[Inline, ...]:
    made: list[Inline] = []
    for place, part in enumerate(_QUOTED.split(text)):
        if not place % 2:
            made += split_at_dollar_signs(part)
        else:
            made.append(ClaimReference(part) if _ID.fullmatch(part) else Text(part))
    return tuple(made)
