"""The works that axioms and claims refer to, as BibTeX entries."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable
from dataclasses import dataclass

from slrsym.book.document import Citation, Inline, Text

__all__ = ["PAPER", "WORKS", "Work", "bibtex", "cited"]

PAPER = "marion2025"


@dataclass(frozen=True)
class Work:
    """One work."""

    key: str
    kind: str
    fields: tuple[tuple[str, str], ...]
    called: str

    def entry(self) -> str:
        """The BibTeX entry."""
        lines = "".join(f"  {name} = {{{value}}},\n" for name, value in self.fields)
        return f"@{self.kind}{{{self.key},\n{lines}}}\n"


def _work(key: str, kind: str, called: str, **fields: str) -> Work:
    return Work(key, kind, tuple(fields.items()), called)


WORKS: tuple[Work, ...] = (
    _work(
        PAPER, "inproceedings", "Marion, Berthier, Biau, Boyer",
        author="Pierre Marion and Rapha{\\\"e}l Berthier and G{\\'e}rard Biau and Claire Boyer",
        title="Attention layers provably solve single-location regression",
        booktitle="International Conference on Learning Representations",
        year="2025",
        note="arXiv:2410.01537",
    ),
    _work(
        "anderson2003", "book", "Anderson, An Introduction to Multivariate Statistical Analysis",
        author="Theodore W. Anderson",
        title="An Introduction to Multivariate Statistical Analysis",
        edition="Third", publisher="Wiley", address="Hoboken, NJ", year="2003",
    ),
    _work(
        "federer1969", "book", "Federer, Geometric Measure Theory",
        author="Herbert Federer",
        title="Geometric Measure Theory",
        publisher="Springer", address="Berlin", year="1969",
    ),
    _work(
        "folland1999", "book", "Folland, Real Analysis",
        author="Gerald B. Folland",
        title="Real Analysis: Modern Techniques and Their Applications",
        edition="Second", publisher="Wiley", address="New York", year="1999",
    ),
    _work(
        "lange2013", "book", "Lange, Optimization",
        author="Kenneth Lange",
        title="Optimization",
        edition="Second", series="Springer Texts in Statistics", publisher="Springer",
        address="New York", year="2013",
    ),
    _work(
        "lee2013", "book", "Lee, Introduction to Smooth Manifolds",
        author="John M. Lee",
        title="Introduction to Smooth Manifolds",
        edition="Second", publisher="Springer", address="New York", year="2013",
    ),
    _work(
        "muirhead1982", "book", "Muirhead, Aspects of Multivariate Statistical Theory",
        author="Robb J. Muirhead",
        title="Aspects of Multivariate Statistical Theory",
        publisher="Wiley", address="New York", year="1982",
    ),
    _work(
        "munkres2000", "book", "Munkres, Topology",
        author="James R. Munkres",
        title="Topology",
        edition="Second", publisher="Prentice Hall", address="Upper Saddle River, NJ", year="2000",
    ),
    _work(
        "owen1956", "article", "Owen (1956)",
        author="Donald B. Owen",
        title="Tables for computing bivariate normal probabilities",
        journal="The Annals of Mathematical Statistics",
        volume="27", number="4", pages="1075--1090", year="1956",
    ),
    _work(
        "peano1889", "book", "Peano",
        author="Giuseppe Peano",
        title="Arithmetices principia, nova methodo exposita",
        publisher="Bocca", address="Turin", year="1889",
    ),
    _work(
        "rudin1976", "book", "Rudin, Principles of Mathematical Analysis",
        author="Walter Rudin",
        title="Principles of Mathematical Analysis",
        edition="Third", publisher="McGraw-Hill", address="New York", year="1976",
    ),
    _work(
        "rudin1987", "book", "Rudin, Real and Complex Analysis",
        author="Walter Rudin",
        title="Real and Complex Analysis",
        edition="Third", publisher="McGraw-Hill", address="New York", year="1987",
    ),
    _work(
        "shub1987", "book", "Shub, Global Stability of Dynamical Systems",
        author="Michael Shub",
        title="Global Stability of Dynamical Systems",
        publisher="Springer", address="New York", year="1987",
    ),
)  # fmt: skip

_EDITION = re.compile(r"^,? *\d+(st|nd|rd|th) ed\.,? *")


def cited(reference: str) -> tuple[Inline, ...]:
    """A reference, as it stands in the code, as a citation."""
    for work in WORKS:
        if reference.startswith(work.called):
            rest = reference.removeprefix(work.called)
            return (Citation(work.key, _EDITION.sub("", rest).strip(" ,")),)
    if reference == "the author of the rule":
        return (Text(reference),)
    return (Citation(_made_key(reference)),)


def _made_key(reference: str) -> str:
    return f"ref{zlib.crc32(reference.encode()):08x}"


def bibtex(references: Iterable[str]) -> str:
    """The BibTeX file for some references."""
    from slrsym.book.prose import escaped

    entries = {}
    for reference in references:
        for piece in cited(reference):
            if isinstance(piece, Citation):
                known = next((work for work in WORKS if work.key == piece.key), None)
                # BibTeX counts brackets, also those behind a backslash.
                note = escaped(reference).replace(r"\{", r"\textbraceleft{}")
                note = note.replace(r"\}", r"\textbraceright{}")
                entries[piece.key] = known.entry() if known else (
                    f"@misc{{{piece.key},\n  note = {{{note}}},\n}}\n"
                )  # fmt: skip
    entries.pop(PAPER, None)
    paper = next(work for work in WORKS if work.key == PAPER)
    return "\n".join([paper.entry(), *(entries[key] for key in sorted(entries))])
