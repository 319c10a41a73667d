"""Pieces of a paragraph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from slrsym.typeset import Box

__all__ = ["AxiomReference", "Citation", "Inline", "Math", "Raw", "Reference", "Text", "listed"]


@dataclass(frozen=True)
class Inline:
    """A piece of a paragraph."""


@dataclass(frozen=True)
class Text(Inline):
    """Plain text, not escaped."""

    text: str


@dataclass(frozen=True)
class Math(Inline):
    """A formula within the text."""

    box: Box


@dataclass(frozen=True)
class Raw(Inline):
    """A formula within the text that is LaTeX already, from the title or idea of a claim."""

    latex: str


@dataclass(frozen=True)
class Reference(Inline):
    """A claim, by its id."""

    id: str


@dataclass(frozen=True)
class AxiomReference(Inline):
    """An axiom, by its id."""

    id: str


@dataclass(frozen=True)
class Citation(Inline):
    """A work of the bibliography, and the place in it."""

    key: str
    place: str = ""


def listed(parts: Sequence[Inline]) -> list[Inline]:
    """Several pieces in a sentence, with commas and an "and"."""
    result: list[Inline] = []
    for place, part in enumerate(parts):
        if place:
            result.append(Text(" and " if place == len(parts) - 1 else ", "))
        result.append(part)
    return result
