"""Claims, axioms, sections, and the whole document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from slrsym.export.document.blocks import Block, Display, Group
from slrsym.export.document.inline import Inline

__all__ = ["AxiomEntry", "ClaimEntry", "Document", "Label", "Section"]


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
