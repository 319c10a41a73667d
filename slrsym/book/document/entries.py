"""Claims, axioms, sections, and the whole document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from slrsym.book.document.blocks import Block, Display, Group
from slrsym.book.document.inline import Inline

__all__ = ["AxiomEntry", "ClaimEntry", "Document", "Label", "Section"]


@dataclass(frozen=True)
class Label:
    """What a claim is called."""

    kind: str
    number: str

    def __str__(self) -> str:
        return f"{self.kind} {self.number}"


@dataclass(frozen=True)
class ClaimEntry:
    """A claim with everything that is said of it."""

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
        """Every displayed formula of the statement, its abbreviations and the proof, in order."""
        ahead: list[Block] = [*self.statement, *self.where, *self.proof]
        while ahead:
            block = ahead.pop(0)
            if isinstance(block, Display) and block.start.shown is not None:
                yield block
            elif isinstance(block, Group):
                ahead = [*block.blocks, *ahead]


@dataclass(frozen=True)
class AxiomEntry:
    """A fact that is used and not proved."""

    id: str
    statement: tuple[Inline, ...]
    reference: tuple[Inline, ...]
    users: tuple[str, ...]


@dataclass(frozen=True)
class Section:
    """Claims under a heading; of one file of derivations."""

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
