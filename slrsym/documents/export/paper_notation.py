"""What a paper registers for the documents of its claims: its letters, pictures and pages.

A paper without letters of its own has those of `PaperNotation`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from pathlib import Path
from types import MappingProxyType
from typing import Any

from sympy import Basic, Expr, Symbol
from sympy.core.function import UndefinedFunction

from slrsym.documents.export.document import Block
from slrsym.documents.export.shorthand import Shorthand
from slrsym.documents.typeset import FormulaPrinter
from slrsym.documents.typeset.boxes import Box
from slrsym.prover.claims.claim import Claim
from slrsym.prover.claims.papers import paper_of_file, registered_by_papers


class PaperNotation:
    """How formulas of a paper's claims are abbreviated, and where its letters are defined.

    A paper that has letters of its own registers an instance of a subclass, and names it in its
    description.
    """

    # Spellings of letters by their names; the fixed ones are drawn as what they stand for.
    fixed_spellings: Mapping[str, Box] = MappingProxyType({})
    other_spellings: Mapping[str, Box] = MappingProxyType({})
    # Names of letters whose order is usual.
    order: Sequence[str] = ()
    # Names of printed letters, with their symbols, that every claim may speak of.
    known_letters: Mapping[str, Symbol] = MappingProxyType({})

    def shorthand(self, claim: Claim, shown: Collection[Basic]) -> Shorthand:
        """Return the abbreviations that fit what a claim and its proof display."""
        return Shorthand()

    def is_in_table(self, shorthand: Shorthand, letter: Symbol, value: Expr) -> bool:
        """Return whether the paper's table of notation defines a letter as a claim does."""
        return False

    def explain_letters(
        self, shorthand: Shorthand, used: set[Symbol], said: Iterable[Any], printer: FormulaPrinter
    ) -> tuple[Block, ...]:
        """Return a paragraph, or none, on those letters of a statement that the table defines."""
        return ()

    def function_blocks(
        self,
        function: UndefinedFunction,
        shorthand: Shorthand,
        printer: FormulaPrinter,
        included: Collection[str],
        defined: bool,
    ) -> list[Block]:
        """Return blocks that define a function of the abbreviations, or say where it is defined."""
        return []

    def last_blocks(self, claim: Claim, printer: FormulaPrinter) -> list[Block]:
        """Return blocks that name what a claim defines."""
        return []

    def table_parts(self) -> tuple[tuple[str, tuple[Block, ...]], ...]:
        """Return titles with blocks that stand below the paper's table of notation."""
        return ()


def notation_of_file(file: Path | None) -> PaperNotation:
    """Return the notation of the paper to which a derivation file belongs.

    General lemmas, which belong to none, are written with the letters of the first paper.
    """
    registered = registered_by_papers("notation")
    paper = paper_of_file(file)
    if paper is None:
        return next(iter(registered.values()), PaperNotation())
    found: PaperNotation = registered[paper.letters] if paper.letters else PaperNotation()
    return found


@dataclass(frozen=True)
class Picture:
    """A stored figure that illustrates statements, with a caption that may contain formulas.

    Its files, ``figure-NAME.svg`` and ``figure-NAME.pdf``, are in a folder.
    """

    figure: str
    caption: str
    folder: Traversable

    @property
    def name(self) -> str:
        """The file name of the picture, without an extension."""
        return f"figure-{self.figure}"

    def svg(self) -> str:
        """Return the text of the picture's stored SVG file, for the site."""
        return (self.folder / f"{self.name}.svg").read_text(encoding="utf-8")

    def pdf(self) -> bytes:
        """Return the content of the picture's stored PDF file, for the book."""
        return (self.folder / f"{self.name}.pdf").read_bytes()


def pictures_by_claim() -> dict[str, Picture]:
    """Return the pictures that papers register, by the ids of the claims that they illustrate."""
    return {
        id: picture
        for pictures in registered_by_papers("pictures").values()
        for id, picture in pictures.items()
    }


@dataclass(frozen=True)
class InteractiveScript:
    """A script that draws in the pages of some claims, in an element of the class ``portrait``."""

    claims: frozenset[str]
    file: str
    script: Callable[[], str]


def interactive_scripts() -> list[InteractiveScript]:
    """Return the scripts that papers register for pages of the site."""
    return list(registered_by_papers("interactive").values())
