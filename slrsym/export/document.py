"""The document that is exported, before it is LaTeX or HTML.

A `Document` has sections of claims. A claim has blocks: paragraphs, displayed formulas, and groups
of blocks with a heading, such as the cases of a proof. Formulas are boxes of
`slrsym.gaussian.typeset`, each with the checked object that it shows; what is not a formula is
text, a reference to a claim, or a citation. A renderer needs to know nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from slrsym.gaussian.typeset import Box

__all__ = [
    "AxiomEntry",
    "AxiomReference",
    "Block",
    "Citation",
    "ClaimEntry",
    "Display",
    "Document",
    "Formula",
    "Group",
    "Inline",
    "Label",
    "Link",
    "Math",
    "Paragraph",
    "Raw",
    "Reference",
    "Section",
    "Text",
]


# -- within a line -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Inline:
    """A piece of a paragraph."""


@dataclass(frozen=True)
class Text(Inline):
    """Plain text, not escaped.

    Attributes
    ----------
    text : str
        Any characters.
    """

    text: str


@dataclass(frozen=True)
class Math(Inline):
    """A formula within the text.

    Attributes
    ----------
    box : Box
        The formula.
    """

    box: Box


@dataclass(frozen=True)
class Raw(Inline):
    """A formula within the text that is LaTeX already, from the title or idea of a claim.

    Attributes
    ----------
    latex : str
        For math mode.
    """

    latex: str


@dataclass(frozen=True)
class Reference(Inline):
    """A claim, by its id.

    Attributes
    ----------
    id : str
        The claim's.
    """

    id: str


@dataclass(frozen=True)
class AxiomReference(Inline):
    """An axiom, by its id.

    Attributes
    ----------
    id : str
        The axiom's.
    """

    id: str


@dataclass(frozen=True)
class Citation(Inline):
    """A work of the bibliography, and the place in it.

    Attributes
    ----------
    key : str
        Of its BibTeX entry.
    place : str
        Such as a theorem's number; empty for the whole work.
    """

    key: str
    place: str = ""


# -- blocks ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Block:
    """A piece of a claim or of its proof."""


@dataclass(frozen=True)
class Paragraph(Block):
    """Running text.

    Attributes
    ----------
    parts : tuple of Inline
        Its pieces.
    """

    parts: tuple[Inline, ...]


@dataclass(frozen=True)
class Formula:
    """What is displayed, and the checked object that it shows.

    Attributes
    ----------
    box : Box
        For the eye.
    shown : Basic
        An expression or statement in the symbols of the claim.
    """

    box: Box
    shown: Any


@dataclass(frozen=True)
class Link:
    """One relation of a displayed chain.

    Attributes
    ----------
    sign : str
        One of =, <=, <, >=, >.
    formula : Formula
        The right side.
    label : str
        Of the step; empty if it is none.
    why : tuple of Inline
        What justifies it.
    """

    sign: str
    formula: Formula
    label: str = ""
    why: tuple[Inline, ...] = ()


@dataclass(frozen=True)
class Display(Block):
    """A formula, or a chain of relations that begins with it.

    Attributes
    ----------
    start : Formula
        The first side; or a whole statement, if there are no links.
    links : tuple of Link
        What follows.
    label : str
        Of the step that a statement without links makes.
    why : tuple of Inline
        What justifies that.
    """

    start: Formula
    links: tuple[Link, ...] = ()
    label: str = ""
    why: tuple[Inline, ...] = ()

    @property
    def formulas(self) -> list[Formula]:
        """Everything that it shows."""
        return [self.start, *(link.formula for link in self.links)]


@dataclass(frozen=True)
class Group(Block):
    """Blocks under a heading: a case, a base, the proof of a premise.

    Attributes
    ----------
    heading : tuple of Inline
        Without a full stop.
    blocks : tuple of Block
        What stands below it.
    """

    heading: tuple[Inline, ...]
    blocks: tuple[Block, ...]


# -- claims ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Label:
    """What a claim is called.

    Attributes
    ----------
    kind : str
        Theorem, Lemma, Proposition, Corollary or Claim.
    number : str
        The paper's, or for a Claim one of this document.
    """

    kind: str
    number: str

    def __str__(self) -> str:
        return f"{self.kind} {self.number}"


@dataclass(frozen=True)
class ClaimEntry:
    """A claim with everything that is said of it.

    Attributes
    ----------
    id : str
        The claim's.
    label : Label
        What it is called.
    title : tuple of Inline
        A few words.
    source : str
        Where the statement stands.
    assumptions, statement, where, idea, proof : tuple of Block
        In the order in which they are read; `where` says what abbreviations mean.
    status : str
        As in the ledger: ``proved``, ``open`` or ``failed``.
    evidence : tuple of Inline
        How it was checked, and what it rests on.
    reason : str
        Why it is not proved; empty if it is.
    depends, axioms : tuple of str
        Ids of the claims that its own steps use, and of all axioms below it.
    rules : tuple of str
        Names of the rules that its steps use.
    steps : int
        How many there are.
    digits : int or None
        To how many digits the two sides of its steps agree.
    names : mapping of str to object
        What each letter means that the formulas use, as `slrsym.export.reading` needs it.
    agreement : mapping of str to int or None
        To how many digits both sides of each step agree, by its label.
    monte_carlo : tuple of MonteCarlo
        What sampling says of the statement's expectations.
    box : str
        On which box of parameters it is certified; empty otherwise.
    trials : str
        What an experiment saw by which it is tested; empty otherwise.
    """

    id: str
    label: Label
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
    agreement: Mapping[str, int | None] = field(default_factory=dict, compare=False)
    monte_carlo: tuple[Any, ...] = ()
    box: str = ""
    trials: str = ""

    def displays(self) -> Iterator[Display]:
        """Every displayed formula of the statement, its abbreviations and the proof, in order.

        Yields
        ------
        Display
            Those in groups, too.
        """
        ahead: list[Block] = [*self.statement, *self.where, *self.proof]
        while ahead:
            block = ahead.pop(0)
            if isinstance(block, Display) and block.start.shown is not None:
                yield block
            elif isinstance(block, Group):
                ahead = [*block.blocks, *ahead]


@dataclass(frozen=True)
class AxiomEntry:
    """A fact that is used and not proved.

    Attributes
    ----------
    id : str
        Its name.
    statement : tuple of Inline
        What it says.
    reference : tuple of Inline
        Where it is proved.
    users : tuple of str
        Ids of the claims of the document whose own steps use it.
    """

    id: str
    statement: tuple[Inline, ...]
    reference: tuple[Inline, ...]
    users: tuple[str, ...]


@dataclass(frozen=True)
class Section:
    """Claims under a heading; of one file of derivations.

    Attributes
    ----------
    title : tuple of Inline
        The heading.
    claims : tuple of ClaimEntry
        In order.
    """

    title: tuple[Inline, ...]
    claims: tuple[ClaimEntry, ...]


@dataclass(frozen=True)
class Document:
    """Everything that is exported.

    Attributes
    ----------
    sections : tuple of Section
        The claims, in the paper's order.
    axioms : tuple of AxiomEntry
        Those that a claim of the document rests on.
    labels : dict of str to Label
        What every claim is called that the document speaks of, its own and others.
    notation : tuple of Block
        The letters, and what they mean; empty for a document of few claims.
    version : str
        Of the package.
    """

    sections: tuple[Section, ...]
    axioms: tuple[AxiomEntry, ...]
    labels: dict[str, Label]
    notation: tuple[Any, ...] = ()
    version: str = ""

    @property
    def claims(self) -> list[ClaimEntry]:
        """The claims of all sections."""
        return [claim for section in self.sections for claim in section.claims]
