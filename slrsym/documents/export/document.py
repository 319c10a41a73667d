"""The elements of a document as a tree, before it is rendered as LaTeX or HTML.

A `Document` has sections of claims. A claim has blocks: paragraphs, displayed formulas, and groups
of blocks with a heading, such as the cases of a proof. Formulas are boxes of
`slrsym.documents.typeset`, each with the checked object that it shows; what is not a formula is
text, a reference to a claim, or a citation. A renderer needs to know nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from slrsym.documents.typeset import Box
from slrsym.prover.claims import short_name
from slrsym.prover.claims.papers import Paper, papers_of_files


@dataclass(frozen=True)
class Inline:
    """Base class of a paragraph's pieces, such as text, formulas and references."""


@dataclass(frozen=True)
class Text(Inline):
    """Plain text, which renderers escape."""

    text: str


@dataclass(frozen=True)
class Math(Inline):
    """A formula in running text."""

    box: Box


@dataclass(frozen=True)
class LatexMath(Inline):
    """A formula in running text given as LaTeX, from the title or proof idea of a claim."""

    latex: str


@dataclass(frozen=True)
class Citation(Inline):
    """A citation of a work in the bibliography, with the place in it."""

    key: str
    place: str = ""


@dataclass(frozen=True)
class ClaimReference(Inline):
    """A reference to a claim, by the claim's id."""

    id: str


@dataclass(frozen=True)
class AxiomReference(Inline):
    """A reference to an axiom, by the axiom's id."""

    id: str


@dataclass(frozen=True)
class NotationReference(Inline):
    """A reference, in a paragraph, to the document's page of notation."""


def join_list(parts: Sequence[Inline]) -> list[Inline]:
    """Return a paragraph's pieces with commas and "and" put between them, as an enumeration."""
    result: list[Inline] = []
    for place, part in enumerate(parts):
        if place:
            result.append(Text(" and " if place == len(parts) - 1 else ", "))
        result.append(part)
    return result


@dataclass(frozen=True)
class Block:
    """Base class of the blocks in a claim's entry, such as paragraphs and displayed formulas."""


@dataclass(frozen=True)
class Paragraph(Block):
    """A paragraph of running text and formulas."""

    parts: tuple[Inline, ...]


@dataclass(frozen=True)
class TypesetFormula:
    """A displayed formula, with the SymPy object that was checked."""

    box: Box
    shown: Any


@dataclass(frozen=True)
class DisplayedLink:
    """One relation of a displayed chain: sign, right side, label and justification."""

    sign: str
    formula: TypesetFormula
    label: str = ""
    why: tuple[Inline, ...] = ()


@dataclass(frozen=True)
class Display(Block):
    """A displayed formula or chain of relations."""

    start: TypesetFormula
    links: tuple[DisplayedLink, ...] = ()
    label: str = ""
    why: tuple[Inline, ...] = ()

    @property
    def formulas(self) -> list[TypesetFormula]:
        """All formulas of a displayed chain: the first, and the right side of each relation."""
        return [self.start, *(link.formula for link in self.links)]

    def is_repeat_of(self, statement: Iterable[Block]) -> bool:
        """Return whether a step of a proof only repeats a formula of the claim's statement.

        A formula without a reason is no step: it says what a letter of a sentence stands for.
        """
        boxes = [formula.box for formula in self.formulas]
        if not (self.why or any(link.why for link in self.links)):
            return False
        return not any(link.why for link in self.links[:-1]) and any(
            isinstance(part, Display) and [f.box for f in part.formulas] == boxes
            for part in statement
        )


@dataclass(frozen=True)
class HeadedBlocks(Block):
    """Blocks under a heading, such as a case, the base of an induction, or a premise."""

    heading: tuple[Inline, ...]
    blocks: tuple[Block, ...]


# A statement of the paper, by its id; what else is said of it has more words in its id.
_NUMBERED = re.compile(
    r"(theorem|lemma|proposition|corollary|definition|assumption)-(\d+)(?:-([ivx]+))?"
)


@dataclass(frozen=True)
class ClaimNumberAndName:
    """The label of a claim: its number in the paper, or its name.

    The name is short, and those of steps begin with it: P15.7 is step 7 of Proposition 15, P15.
    """

    kind: str
    number: str
    name: str

    @classmethod
    def from_claim(cls, claim: Any) -> ClaimNumberAndName:
        """Return the label of a claim."""
        name = short_name(claim.id)
        match = _NUMBERED.fullmatch(claim.id)
        if match is None or not claim.source.startswith(f"{match[1].capitalize()} {match[2]}"):
            return cls("Claim", name, name)
        item = f" ({match[3]})" if match[3] else ""
        return cls(match[1].capitalize(), f"{match[2]}{item}", name)

    def __str__(self) -> str:
        return self.name if self.kind == "Claim" else f"{self.kind} {self.number}"


@dataclass(frozen=True)
class ClaimEntry:
    """The entry of a claim in a document: statement, proof, status, checks and dependencies."""

    id: str
    label: ClaimNumberAndName
    title: tuple[Inline, ...]
    source: str
    assumptions: tuple[Block, ...]
    statement: tuple[Block, ...]
    where: tuple[Block, ...]
    idea: tuple[Inline, ...]
    proof: tuple[Block, ...]
    status: str
    evidence: tuple[Inline, ...]
    reason: str
    depends: tuple[str, ...]
    axioms: tuple[str, ...]
    rules: tuple[str, ...]
    steps: int
    digits: int | None
    names: Any = field(repr=False, compare=False)
    # What checking each step gave, by its label; and where the claim stands in its file.
    checks: Mapping[str, Any] = field(default_factory=dict, compare=False)
    place: tuple[Path | None, int] = (None, 0)
    monte_carlo: tuple[Any, ...] = ()
    box: str = ""
    trials: str = ""
    compared_to_source: str = ""
    marks: tuple[str, ...] = ()
    # What letters of the statement mean that the table of notation has, for a page by itself.
    letters: tuple[Block, ...] = ()
    # The paragraph that opens it, and its first sentence.
    explanation: tuple[Inline, ...] = ()
    lead: tuple[Inline, ...] = ()
    # The title as it is typed, and the parts of the statement with its abbreviations: for a search.
    plain_title: str = ""
    abbreviated: tuple[Any, ...] = field(default=(), repr=False, compare=False)

    def displays(self) -> Iterator[Display]:
        """Yield the displayed formulas of the statement, its abbreviations and the proof."""
        ahead: list[Block] = [*self.statement, *self.where, *self.proof]
        while ahead:
            block = ahead.pop(0)
            if isinstance(block, Display) and block.start.shown is not None:
                yield block
            elif isinstance(block, HeadedBlocks):
                ahead = [*block.blocks, *ahead]


@dataclass(frozen=True)
class AxiomEntry:
    """The entry of an axiom in a document."""

    id: str
    statement: tuple[Inline, ...]
    reference: tuple[Inline, ...]
    users: tuple[str, ...]


@dataclass(frozen=True)
class Section:
    """A section of a document: the claims of one derivation file under a heading."""

    title: tuple[Inline, ...]
    claims: tuple[ClaimEntry, ...]
    file: str = ""

    @property
    def derivation_file(self) -> Path | None:
        """The derivation file of the section's claims."""
        return self.claims[0].place[0] if self.claims else None


# What a document is called that is about no paper, and what one of several papers is about.
DEFAULT_TITLE = "Derivations, as they are checked"
SEVERAL = "Learning from Gaussian data"


@dataclass(frozen=True)
class NotationTable:
    """The table of notation of a paper, with further parts under headings."""

    paper: str
    rows: tuple[tuple[tuple[Inline, ...], tuple[Inline, ...]], ...]
    parts: tuple[tuple[str, tuple[Block, ...]], ...] = ()


@dataclass(frozen=True)
class PaperErrata:
    """The errata of a paper, and remarks on it, as headings and paragraphs."""

    paper: str
    entries: tuple[tuple[str, tuple[tuple[Inline, ...], ...]], ...]


@dataclass(frozen=True)
class Document:
    """A document: sections of claims, axioms, notation and errata.

    Attributes
    ----------
    sections : tuple of Section
        The claims, in the paper's order.
    axioms : tuple of AxiomEntry
        Those that a claim of the document rests on.
    labels : dict of str to Label
        What every claim is called that the document speaks of, its own and others.
    notation : tuple of Notation
        The letters of each paper, and what they mean; empty for a document of few claims.
    version : str
        Of the package.
    errata : tuple of PaperErrata
        Where each paper is not right, if the document has all claims that this speaks of.
    """

    sections: tuple[Section, ...]
    axioms: tuple[AxiomEntry, ...]
    labels: dict[str, ClaimNumberAndName]
    notation: tuple[NotationTable, ...] = ()
    version: str = ""
    errata: tuple[PaperErrata, ...] = ()

    @cached_property
    def papers(self) -> list[Paper]:
        """The papers of the document's claims, the one with most files first."""
        return papers_of_files(section.derivation_file for section in self.sections)

    @property
    def claims(self) -> list[ClaimEntry]:
        """The entries of the claims in all sections of a document."""
        return [claim for section in self.sections for claim in section.claims]

    @cached_property
    def users(self) -> dict[str, list[str]]:
        """The document's claims that use a claim, by its id; without those that none uses."""
        found: dict[str, list[str]] = {}
        for claim in self.claims:
            for other in claim.depends:
                found.setdefault(other, []).append(claim.id)
        return found
