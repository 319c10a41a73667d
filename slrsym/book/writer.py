"""Formulas, statements and reasons of one claim, written in its letters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sympy import And
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from slrsym.book.document import Block, Display, Formula, Inline, Link, Paragraph, Text
from slrsym.book.justification import inline_text, why
from slrsym.book.orbits import orbit_blocks
from slrsym.search.step import Link as CheckedLink
from slrsym.search.structure.citation import InWords
from slrsym.statements.orbits import OrbitStatement
from slrsym.typeset import Printer

__all__ = ["Writer"]


@dataclass
class Writer:
    """How formulas and reasons of one claim are written."""

    printer: Printer
    shorten: Callable[[Any], Any]
    find: Callable[[str], Any]

    def formula(self, shown: Any) -> Formula:
        """An expression or statement as a formula."""
        return Formula(self.printer.box(self.shorten(shown)), shown)

    def why(self, rule: Any) -> tuple[Inline, ...]:
        """The justification of a step."""
        return why(rule, self.printer, self.shorten, self.find)

    def display(
        self, statement: Boolean, label: str = "", reason: tuple[Inline, ...] = ()
    ) -> list[Block]:
        """A statement as displayed formulas, one for each part of a conjunction."""
        parts = statement.args if isinstance(statement, And) else (statement,)
        blocks: list[Block] = []
        if isinstance(statement, InWords):
            text = str(statement.args[0]).rstrip(".")
            said = inline_text(text[:1].upper() + text[1:])
            after: tuple[Inline, ...] = (Text(" ("), *reason, Text(")")) if reason else ()
            return [Paragraph((*said, *after, Text(".")))]
        # What a claim says of orbits stands at its end, after what can be said in a line.
        parts = sorted(parts, key=lambda part: isinstance(part, OrbitStatement))
        map_is_shown = bool(label)
        for place, part in enumerate(parts):
            last = place == len(parts) - 1
            said = reason if last else ()
            if isinstance(part, OrbitStatement):
                blocks += orbit_blocks(part, self, said, with_map=not map_is_shown)
                map_is_shown = True
                continue
            blocks.append(self._one(part, label if last else "", said))
        return blocks

    def _one(self, part: Boolean, label: str, reason: tuple[Inline, ...]) -> Display:
        if isinstance(part, Relational) and part.rel_op != "!=":
            link = CheckedLink.of(part)
            right = self.formula(link.rhs)
            links = (Link(link.relation, right, label, reason),)
            return Display(self.formula(link.lhs), links)
        return Display(self.formula(part), (), label, reason)
