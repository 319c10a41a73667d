"""Paragraphs, displayed formulas, and groups of these."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from slrsym.book.document.inline import Inline
from slrsym.typeset import Box

__all__ = ["Block", "Display", "Formula", "Group", "Link", "Paragraph"]


@dataclass(frozen=True)
class Block:
    """A piece of a claim or of its proof."""


@dataclass(frozen=True)
class Paragraph(Block):
    """Running text."""

    parts: tuple[Inline, ...]


@dataclass(frozen=True)
class Formula:
    """What is displayed, and the checked object that it shows."""

    box: Box
    shown: Any


@dataclass(frozen=True)
class Link:
    """One relation of a displayed chain."""

    sign: str
    formula: Formula
    label: str = ""
    why: tuple[Inline, ...] = ()


@dataclass(frozen=True)
class Display(Block):
    """A formula, or a chain of relations that begins with it."""

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
    """Blocks under a heading: a case, a base, the proof of a premise."""

    heading: tuple[Inline, ...]
    blocks: tuple[Block, ...]
