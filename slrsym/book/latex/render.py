"""Blocks, claims and axioms as LaTeX."""

from __future__ import annotations

import re
from collections.abc import Iterable

from slrsym.book.document import (
    AxiomEntry,
    Block,
    ClaimEntry,
    Display,
    Group,
    Math,
    Paragraph,
    Raw,
    Reference,
)
from slrsym.book.justification import inline_text
from slrsym.book.latex.displays import SIGNS, TEXT_WIDTH, Displays
from slrsym.book.text import escaped
from slrsym.typeset import to_latex

__all__ = ["Renderer"]


class Renderer(Displays):
    r"""Writes LaTeX."""

    def blocks(self, blocks: Iterable[Block]) -> str:
        """Blocks below each other."""
        texts: list[str] = []
        short: list[tuple[str, Display]] = []
        blocks = list(blocks)
        for place, block in enumerate(blocks):
            headed = self._short(block)
            if headed is not None:
                short.append(headed)
                continue
            texts += self._headed(short)
            short.clear()
            texts.append(self._block(block))
            following = blocks[place + 1] if place + 1 < len(blocks) else None
            # A display must not begin a paragraph.
            if isinstance(block, Paragraph) and isinstance(following, Paragraph):
                texts.append("\\par")
        return "\n".join([*texts, *self._headed(short)])

    def _short(self, block: Block) -> tuple[str, Display] | None:
        """The heading and the formula of a group that is no more than these, and fits on a line."""
        if not isinstance(block, Group) or len(block.blocks) != 1:
            return None
        (only,) = block.blocks
        if not isinstance(only, Display) or len(only.links) > 1:
            return None
        if any(isinstance(piece, Math | Raw) for piece in block.heading):
            return None
        heading = self.inline(block.heading)
        why = only.links[-1].why if only.links else only.why
        said = sum(len(getattr(piece, "text", "")) * 0.4 + 2 for piece in why)
        widths = sum(f.box.width + 2 for f in only.formulas) + 0.6 * len(heading) + said
        return (heading, only) if widths < TEXT_WIDTH - 4 else None

    def _headed(self, short: list[tuple[str, Display]]) -> list[str]:
        """Short groups below each other."""
        if not short:
            return []
        rows = []
        for heading, display in short:
            parts = [to_latex(display.start.box)]
            for link in display.links:
                parts += [SIGNS[link.sign], to_latex(link.formula.box)]
            label, why = display.label, display.why
            if display.links:
                label, why = "", display.links[-1].why
            tag = self.tag(label, why)
            rows.append(f"& \\textit{{{heading}.}} && {' '.join(parts)}{tag}")
        body = "\\\\\n".join(rows)
        return [f"\\begin{{align*}}\n{body}\n\\end{{align*}}"]

    def _block(self, block: Block) -> str:
        match block:
            case Paragraph(parts):
                return self.inline(parts)
            case Display():
                return self.display(block)
            case Group(heading, inside):
                title = self.inline(heading)
                return f"\\slrgroup{{{title}}}\n{self.blocks(inside)}\n\\slrendgroup"
        raise TypeError(f"no block: {block!r}")

    # -- claims --------------------------------------------------------------------------------

    def claim(self, claim: ClaimEntry) -> str:
        """A claim with its proof and its evidence."""
        kind = claim.label.kind.lower()
        title = f"[{{{self.inline(claim.title)}}}]" if claim.title else ""
        parts = [
            f"\\slrnumber{{{kind}}}{{{escaped(claim.label.number)}}}{{{claim.id}}}",
            f"\\begin{{{kind}}}{title}\\label{{{claim.id}}}\\slrindex{{{_entry(claim.id)}}}",
            self.blocks([*claim.assumptions, *claim.statement, *claim.where]),
            f"\\end{{{kind}}}",
        ]
        if claim.status != "proved":
            parts.append(f"\\slrunproved{{{claim.status}}}")
        if claim.status == "certified":
            box = self.inline(inline_text(f"{claim.box}."))
            parts.append(f"What is certified is the statement on a box: {box}")
        if claim.proof:
            idea = self.inline(claim.idea)
            parts += [
                "\\begin{slrproof}",
                f"{idea}\\slrgap",
                self.blocks(claim.proof),
                "\\end{slrproof}",
            ]
        parts += [f"\\slrindex{{{_entry(rule)}}}%" for rule in claim.rules]
        source = (
            f"{self.inline(inline_text(claim.source))}. "
            if str(claim.label) != claim.source
            else ""
        )
        evidence = self.inline(claim.evidence)
        shown = "\\slrqed " if claim.proof and claim.status == "proved" else ""
        parts.append(f"\\slrstatus{{{shown}{source}{evidence}}}{{{escaped(claim.id)}}}\n")
        return "\n".join(part for part in parts if part is not None)

    def axiom(self, axiom: AxiomEntry) -> str:
        """An axiom with its reference and its users."""
        users = ", ".join(self.piece(Reference(id)) for id in axiom.users)
        used = f" Used by {users}." if users else ""
        return (
            f"\\item[{escaped(axiom.id)}]\\phantomsection\\label{{axiom:{axiom.id}}}"
            f"\\slrindex{{{_entry(axiom.id)}}} {self.inline(axiom.statement)} "
            f"{self.inline(axiom.reference)}.{used}"
        )


def _entry(text: str) -> str:
    """Text for the index, where two signs have a meaning."""
    return re.sub("[!@]", r'"\g<0>', escaped(text))
