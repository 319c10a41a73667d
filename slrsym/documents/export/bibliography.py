"""The bibliography of axioms and claims, read from ``references.bib``."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from slrsym.documents.export.document import Citation, Inline, Text
from slrsym.documents.export.prose import escape_latex
from slrsym.prover.claims.papers import Paper, builtin_papers
from slrsym.prover.rules.axioms import OWN_PROOF, SPECIFICATION


@dataclass(frozen=True)
class BibliographyEntry:
    """A cited work: its key, its BibTeX entry, and the text with which references to it begin."""

    key: str
    entry: str
    called: str


@cache
def bibliography_entries() -> tuple[BibliographyEntry, ...]:
    """Return all works in `references.bib`, and the papers of the derivations."""
    text = (files(__package__) / "references.bib").read_text(encoding="utf-8")
    found = []
    for entry in _ENTRY.findall(text):
        called = _CALLED.search(entry)
        assert called is not None
        found.append(
            BibliographyEntry(
                entry.partition("{")[2].partition(",")[0], _CALLED.sub("", entry), called[1]
            )
        )
    found += [
        BibliographyEntry(p.bibtex_key, p.bibtex, p.called) for p in builtin_papers() if p.called
    ]
    return tuple(found)


_ENTRY = re.compile(r"^@.*?^}\n", re.MULTILINE | re.DOTALL)
_CALLED = re.compile(r"^  called = \{(.*)\},\n", re.MULTILINE)
_EDITION = re.compile(r"^,? *\d+(st|nd|rd|th) ed\.,? *")


def citation_from_reference(reference: str) -> tuple[Inline, ...]:
    """Return the document's citation of a work, from an axiom's or claim's reference as text."""
    for work in bibliography_entries():
        if reference.startswith(work.called):
            rest = reference.removeprefix(work.called)
            return (Citation(work.key, _EDITION.sub("", rest).strip(" ,")),)
    own = ("the author of the rule", SPECIFICATION)
    if reference in own or reference.startswith(OWN_PROOF):
        return (Text(reference),)
    return (Citation(f"ref{zlib.crc32(reference.encode()):08x}"),)


def bibtex_file_text(references: Iterable[str], papers: Iterable[Paper] = ()) -> str:
    """Return the BibTeX file for some references and papers."""
    works = {work.key: work.entry for work in bibliography_entries()}
    entries = {}
    for reference in references:
        for piece in citation_from_reference(reference):
            if isinstance(piece, Citation):
                # BibTeX counts brackets, also those behind a backslash.
                note = escape_latex(reference).replace(r"\{", r"\textbraceleft{}")
                note = note.replace(r"\}", r"\textbraceright{}")
                made = f"@misc{{{piece.key},\n  note = {{{note}}},\n}}\n"
                entries[piece.key] = works.get(piece.key, made)
    own = {paper.bibtex_key: paper.bibtex for paper in papers}
    rest = sorted(entries.keys() - own.keys())
    return "\n".join([*own.values(), *(entries[key] for key in rest)])
