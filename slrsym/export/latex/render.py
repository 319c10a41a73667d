"""Blocks, claims and lines of text as LaTeX."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from slrsym.export.document import (
    AxiomEntry,
    AxiomReference,
    Block,
    Citation,
    ClaimEntry,
    Display,
    Formula,
    Group,
    Inline,
    Label,
    Link,
    Math,
    Paragraph,
    Raw,
    Reference,
    Text,
)
from slrsym.export.justification import inline_text
from slrsym.export.text import escaped
from slrsym.gaussian.typeset import Box, Line, broken, to_latex

__all__ = ["TEXT_WIDTH", "Renderer", "snippet"]

# The room for a displayed formula on the page that `preamble` lays out, in em.
TEXT_WIDTH = 36.0
# A left side that is wider than this stands in a line of its own.
_WIDE_LEFT = 14.0
# Also where what follows does not fit beside it, unless it is narrow.
_NARROW_LEFT = 5.0
_INDENT = 2.0

_SIGNS = {"=": "=", "<=": r"\le", "<": "<", ">=": r"\ge", ">": ">"}


class Renderer:
    r"""Writes LaTeX.

    Parameters
    ----------
    labels : mapping of str to Label
        What claims are called.
    linked : collection of str, optional
        Ids of the claims of the same document, which are referred to by ``\cref``; others by
        name.
    axioms : collection of str, optional
        Ids of the axioms of the same document.
    step_numbers : bool, optional
        Whether justifications say the number of the step.
    """

    def __init__(
        self,
        labels: Mapping[str, Label],
        linked: Collection[str] = (),
        axioms: Collection[str] = (),
        step_numbers: bool = True,
    ) -> None:
        self.labels = labels
        self.linked = frozenset(linked)
        self.axioms = frozenset(axioms)
        self.step_numbers = step_numbers

    # -- within a line -------------------------------------------------------------------------

    def inline(self, parts: Iterable[Inline]) -> str:
        """Pieces of a paragraph.

        Parameters
        ----------
        parts : iterable of Inline
            The pieces.

        Returns
        -------
        str
            LaTeX for text mode.
        """
        return "".join(map(self._piece, parts))

    def _piece(self, part: Inline) -> str:
        match part:
            case Text(text):
                return escaped(text)
            case Math(box) if box.width > TEXT_WIDTH - 6:
                shown = self.display(Display(Formula(box, None)))
                return f"\n{shown}\n"
            case Math(box):
                return f"${_small(to_latex(box))}$"
            case Raw(latex):
                return f"${latex}$"
            case Reference(id):
                if id in self.linked:
                    return rf"\cref{{{id}}}"
                label = self.labels.get(id)
                return escaped(str(label) if label else id).replace(" ", "~", 1)
            case AxiomReference(id):
                shown = escaped(id)
                return rf"\hyperref[axiom:{id}]{{{shown}}}" if id in self.axioms else shown
            case Citation(key, place):
                return rf"\cite[{escaped(place)}]{{{key}}}" if place else rf"\cite{{{key}}}"
        raise TypeError(f"no piece of a paragraph: {part!r}")

    # -- blocks --------------------------------------------------------------------------------

    def blocks(self, blocks: Iterable[Block]) -> str:
        """Blocks below each other.

        Parameters
        ----------
        blocks : iterable of Block
            In order.

        Returns
        -------
        str
            Lines of LaTeX.
        """
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
                parts += [_SIGNS[link.sign], to_latex(link.formula.box)]
            label, why = display.label, display.why
            if display.links:
                label, why = "", display.links[-1].why
            tag = self._tag(label, why)
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

    def display(self, display: Display, width: float = TEXT_WIDTH) -> str:
        r"""A displayed formula or chain, as an ``align*`` environment.

        Parameters
        ----------
        display : Display
            What to show.
        width : float, optional
            The room for a line, in em.

        Returns
        -------
        str
            Long formulas are broken; each justification stands at the right.
        """
        rows = "\\\\\n".join(self._rows(display, width))
        return f"\\begin{{align*}}\n{rows}\n\\end{{align*}}"

    def _rows(self, display: Display, width: float) -> list[str]:
        start = display.start.box
        if not display.links:
            lines = broken(start, width)
            rows = [f"& {_line(line)}" for line in lines]
            return [*rows[:-1], rows[-1] + self._tag(display.label, display.why)]
        fits = all(link.formula.box.width <= width - start.width - 2.0 for link in display.links)
        beside = start.width <= (_WIDE_LEFT if fits else _NARROW_LEFT)
        if beside:
            room = width - start.width - 2.0
            rows = [f"{to_latex(start)}"]
        else:
            room = width - _INDENT - 2.0
            rows = [f"& {_line(line)}" for line in broken(start, width)]
        for place, link in enumerate(display.links):
            lines = broken(link.formula.box, room)
            sign = _SIGNS[link.sign]
            before = "" if beside else r"\quad "
            made = [
                f"& {before}{sign} {to_latex(lines[0].box)}",
                *(f"& {before}{_line(line)}" for line in lines[1:]),
            ]
            made[-1] += self._tag(link.label, link.why)
            if beside and place == 0:
                rows[0] += made.pop(0)
            rows += made
        return rows

    def _tag(self, label: str, why: tuple[Inline, ...]) -> str:
        if not why:
            return ""
        number = label.rsplit(".", 1)[-1]
        shown = number if self.step_numbers and number.isdigit() else ""
        return rf" \slrwhy{{{shown}}}{{{self.inline(why)}}}"

    # -- claims --------------------------------------------------------------------------------

    def claim(self, claim: ClaimEntry) -> str:
        """A claim with its proof and its evidence.

        Parameters
        ----------
        claim : ClaimEntry
            What is said of it.

        Returns
        -------
        str
            A theorem environment, a proof, and a line on its status.
        """
        kind = claim.label.kind.lower()
        title = f"[{{{self.inline(claim.title)}}}]" if claim.title else ""
        parts = [
            f"\\slrnumber{{{kind}}}{{{escaped(claim.label.number)}}}{{{claim.id}}}",
            f"\\begin{{{kind}}}{title}\\label{{{claim.id}}}\\slrindex{{{_entry(claim)}}}",
            self.blocks([*claim.assumptions, *claim.statement, *claim.where]),
            f"\\end{{{kind}}}",
        ]
        if claim.status != "proved":
            parts.append(f"\\slrunproved{{{claim.status}}}")
        if claim.proof:
            idea = self.inline(claim.idea)
            parts += [
                "\\begin{slrproof}",
                f"{idea}\\slrgap",
                self.blocks(claim.proof),
                "\\end{slrproof}",
            ]
        parts += [f"\\slrindex{{{escaped(rule)}}}%" for rule in claim.rules]
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
        """An axiom with its reference and its users.

        Parameters
        ----------
        axiom : AxiomEntry
            The axiom.

        Returns
        -------
        str
            An item of a description list.
        """
        users = ", ".join(self._piece(Reference(id)) for id in axiom.users)
        used = f" Used by {users}." if users else ""
        return (
            f"\\item[{escaped(axiom.id)}]\\phantomsection\\label{{axiom:{axiom.id}}}"
            f"\\slrindex{{{escaped(axiom.id)}}} {self.inline(axiom.statement)} "
            f"{self.inline(axiom.reference)}.{used}"
        )


def _small(latex: str) -> str:
    """A formula within the text: small matrices, and lists that may be broken."""
    if "pmatrix" in latex:
        latex = latex.replace(r"\begin{pmatrix}", r"\bigl(\begin{smallmatrix}")
        latex = latex.replace(r"\end{pmatrix}", r"\end{smallmatrix}\bigr)")
        latex = latex.replace(r"\biggl", r"\bigl").replace(r"\biggr", r"\bigr")
    result, depth = "", 0
    for place, character in enumerate(latex):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(character, 0)
        listed = character == "," and depth == 0 and latex[place - 1] != "\\"
        result += r",\allowbreak" if listed else character
    return result


def _entry(claim: ClaimEntry) -> str:
    return escaped(claim.id)


def _line(line: Line) -> str:
    text = to_latex(line.box)
    if text.startswith(("+", "-", "=")) or line.indent:
        text = "{}" + text
    return f"\\hspace{{{line.indent:g}em}}{text}" if line.indent else text


def snippet(display: Display, width: float = TEXT_WIDTH) -> str:
    """A displayed formula alone, for pasting.

    Parameters
    ----------
    display : Display
        What to show; justifications are left out.
    width : float, optional
        The room for a line, in em.

    Returns
    -------
    str
        LaTeX that needs amsmath only: one formula without an environment if it fits on a line, an
        ``aligned`` environment otherwise.
    """
    links = tuple(Link(link.sign, link.formula) for link in display.links)
    boxes: list[Box] = [f.box for f in display.formulas]
    if len(links) <= 1 and sum(box.width for box in boxes) + 2 <= width:
        parts = [to_latex(boxes[0])]
        for link in links:
            parts += [_SIGNS[link.sign], to_latex(link.formula.box)]
        return " ".join(parts)
    rows = Renderer({})._rows(Display(display.start, links), width)
    return "\\begin{aligned}\n" + "\\\\\n".join(rows) + "\n\\end{aligned}"
