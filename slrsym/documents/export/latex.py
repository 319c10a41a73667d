"""Displayed formulas, blocks, claims and axioms as LaTeX."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import TypeGuard, cast

from slrsym.documents.export.document import (
    AxiomEntry,
    AxiomReference,
    Block,
    Citation,
    ClaimEntry,
    ClaimNumberAndName,
    ClaimReference,
    Display,
    DisplayedLink,
    HeadedBlocks,
    Inline,
    LatexMath,
    Math,
    NotationReference,
    Paragraph,
    Text,
    TypesetFormula,
    join_list,
)
from slrsym.documents.export.paper_notation import Picture, pictures_by_claim
from slrsym.documents.export.prose import escape_latex, split_at_dollar_signs
from slrsym.documents.typeset import Box, break_lines, to_latex
from slrsym.documents.typeset.boxes import BracketedBox, MatrixBox, Operator, RowBox, ScriptBox
from slrsym.documents.typeset.displays import PAGE_WIDTH, aligned, line_latex
from slrsym.documents.typeset.elision import elide_terms_shared_with_previous_sum

# The room for a displayed formula on the page that `latex_preamble` lays out, in em.
TEXT_WIDTH = PAGE_WIDTH
# A left side that is wider than this stands in a line of its own.
_WIDE_LEFT = 14.0
# Also where what follows does not fit beside it, unless it is narrow.
_NARROW_LEFT = 5.0
_INDENT = 2.0
# Formulas of which each is narrower than the half of this stand beside each other: as they are
# short, not much is added to their widths for safety.
_SHARED = 39.0
# A step of more lines shows what it changes.
_LONG = 2

# The part of its width that a matrix saves within the text, where it is small.
_SAVED = 0.4

_PART = re.compile(r"Parts? \d+( to \d+)?")

SIGNS = {"=": "=", "<=": r"\le", "<": "<", ">=": r"\ge", ">": ">"}


class LatexRenderer:
    """Renderer of documents as LaTeX."""

    def __init__(
        self,
        labels: Mapping[str, ClaimNumberAndName],
        linked: Collection[str] = (),
        axioms: Mapping[str, Collection[str]] | None = None,
        step_numbers: bool = True,
        brief: bool = False,
        pictured: bool = False,
        site: str = "",
    ) -> None:
        self.labels = labels
        # The folder of pages of claims.
        self.site = site.removesuffix("index.html")
        # Whether statements have their pictures, and which have been drawn.
        self.pictured = pictured
        self.drawn: frozenset[Picture] = frozenset()
        self.brief = brief
        # The formulas of the statement, which its proof need not repeat.
        self.stated: frozenset[Box] = frozenset()
        self.proving: tuple[Block, ...] = ()
        self.linked = frozenset(linked)
        # The axioms that have a place in the document, with the claims that use them themselves.
        self.axioms = axioms or {}
        self.step_numbers = step_numbers

    def inline(self, parts: Iterable[Inline]) -> str:
        """Return the LaTeX of a paragraph, with punctuation moved into displayed formulas."""
        text = "".join(map(self.piece, parts))
        return re.sub(r"(\n\\end\{align\*\}\n)([.,]) ?", r"\2\1", text)

    def piece(self, part: Inline) -> str:
        """Return the LaTeX of one piece of a paragraph, such as text, a formula or a citation."""
        match part:
            case Text(text):
                return escape_latex(text)
            case Math(box) if _unbreakable(box) > TEXT_WIDTH - 6:
                shown = self.display(Display(TypesetFormula(box, None)))
                return f"\n{shown}\n"
            case Math(box):
                return f"${_small(to_latex(box))}$"
            case LatexMath(latex):
                return f"${latex}$"
            case ClaimReference(id):
                if id in self.linked:
                    return rf"\cref{{{id}}}"
                label = self.labels.get(id)
                return escape_latex(str(label) if label else id).replace(" ", "~", 1)
            case AxiomReference(id):
                shown = escape_latex(id.replace("-", " "))
                return rf"\hyperref[axiom:{id}]{{{shown}}}" if id in self.axioms else shown
            case NotationReference():
                return r"\hyperref[notation]{Notation}"
            case Citation(key, place):
                return rf"\cite[{escape_latex(place)}]{{{key}}}" if place else rf"\cite{{{key}}}"
        raise TypeError(f"no piece of a paragraph: {part!r}")

    def display(self, display: Display, width: float = TEXT_WIDTH) -> str:
        r"""Return the LaTeX of a displayed formula or chain, as an ``align*`` environment."""
        return aligned(self._rows(display, width))

    def _rows(self, display: Display, width: float) -> list[str]:
        start = display.start.box
        if not display.links:
            lines = break_lines(start, width)
            rows = [f"& {line_latex(line)}" for line in lines]
            return [*rows[:-1], rows[-1] + self.tag(display.label, display.why)]
        if self._is_between(display, width):
            first, last = display.links
            parts = [start, first.formula.box, last.formula.box]
            low, of, high = map(to_latex, parts)
            row = f"& {low} {SIGNS[first.sign]} {of} {SIGNS[last.sign]} {high}"
            return [row + self.tag(last.label, last.why)]
        fits = all(link.formula.box.width <= width - start.width - 2.0 for link in display.links)
        beside = start.width <= (_WIDE_LEFT if fits else _NARROW_LEFT)
        if beside:
            room = width - start.width - 2.0
            rows = [f"{to_latex(start)}"]
        else:
            room = width - _INDENT - 2.0
            rows = [f"& {line_latex(line)}" for line in break_lines(start, width)]
        before_it = start
        alone = len(display.links) == 1 and not display.links[0].why
        for place, link in enumerate(display.links):
            box = link.formula.box
            lines = break_lines(box, room)
            told = place < len(display.links) - 1 or (place and box in self.stated)
            if self.brief and len(lines) > _LONG and told:
                lines = break_lines(elide_terms_shared_with_previous_sum(before_it, box), room)
            before_it = box
            sign = SIGNS[link.sign]
            before = "" if beside else r"\quad "
            made = [
                f"& {before}{sign} {to_latex(lines[0].box)}",
                *(f"& {before}{line_latex(line)}" for line in lines[1:]),
            ]
            made[-1] += self.tag(link.label, link.why)
            if beside and place == 0:
                rows[0] += made.pop(0)
            elif place == 0 and len(made) == 1 and self._ends(start, link, width, alone):
                # What is no more than "= 0" needs no line of its own.
                rows[-1] += made.pop(0).replace("& \\quad ", " ", 1)
            rows += made
        return rows

    @staticmethod
    def _ends(start: Box, link: DisplayedLink, width: float, alone: bool) -> bool:
        """Return whether a relation's right side fits on the line on which its left side ends."""
        last = break_lines(start, width)[-1]
        said = 10.0 if link.why else 0.0
        used = last.indent + last.box.width + link.formula.box.width + 2.0 + said
        return used <= width and (alone or link.formula.box.width <= _NARROW_LEFT)

    def _is_between(self, display: Display, width: float) -> bool:
        """Return whether a display is an expression between two bounds, and fits on a line."""
        short = len(display.links) == 2 and not display.links[0].why
        said = 8.0 if display.links[-1].why else 0.0
        used = sum(f.box.width + 2.0 for f in display.formulas) + said
        return short and display.start.box.width < _NARROW_LEFT and used <= width

    def tag(self, label: str, why: tuple[Inline, ...]) -> str:
        """Return the LaTeX of a step's justification at the right margin; empty if it has none."""
        if not why:
            return ""
        number = label.rsplit(".", 1)[-1]
        shown = number if self.step_numbers and number.isdigit() else ""
        return rf" \slrwhy{{{shown}}}{{{self.inline(why)}}}"

    # -- blocks --------------------------------------------------------------------------------

    def blocks(self, blocks: Iterable[Block]) -> str:
        """Return the LaTeX of a sequence of blocks."""
        texts: list[str] = []
        short: list[tuple[str, Display]] = []
        for block in _beside(self._together(blocks)):
            if isinstance(block, list):
                shown = r", \qquad ".join(map(_on_a_line, block))
                texts.append(aligned([f"& {shown}"]))
                continue
            headed = self._short(block)
            if headed is not None:
                short.append(headed)
                continue
            texts += self._headed(short)
            short.clear()
            texts.append(self._block(block))
        return "\n".join([*texts, *self._headed(short)])

    def _together(self, blocks: Iterable[Block]) -> list[Block]:
        """Merge consecutive parts of a proof that repeat parts of the claim for the same reason."""
        made: list[Block] = []
        for block in blocks:
            named, before = self._part(block), self._part(made[-1]) if made else None
            if named and before and named[1] == before[1]:
                heading = f"Parts {before[0].split()[1]} to {named[0].split()[-1]}"
                block = HeadedBlocks((Text(heading),), cast(HeadedBlocks, made.pop()).blocks)
            made.append(block)
        return made

    def _part(self, block: Block) -> tuple[str, tuple[Inline, ...]] | None:
        """Return a proof part's heading and reason if it repeats a part of the claim, else None."""
        match block:
            case HeadedBlocks(blocks=(Display() as only,)) if only.is_repeat_of(self.proving):
                heading = self.inline(block.heading)
                return (heading, _reasons(only)) if _PART.fullmatch(heading) else None
        return None

    def _short(self, block: Block) -> tuple[str, Display] | None:
        """Return the heading and formula of headed blocks that fit on one line, else None."""
        if not isinstance(block, HeadedBlocks) or len(block.blocks) != 1:
            return None
        (only,) = block.blocks
        if not isinstance(only, Display) or len(only.links) > 1 or only.is_repeat_of(self.proving):
            return None
        if any(isinstance(piece, Math | LatexMath) for piece in block.heading):
            return None
        heading = self.inline(block.heading)
        why = _reasons(only)
        said = sum(len(getattr(piece, "text", "")) * 0.4 + 2 for piece in why)
        widths = _width(only) + 0.6 * len(heading) + said
        return (heading, only) if widths < TEXT_WIDTH - 4 else None

    def _headed(self, short: list[tuple[str, Display]]) -> list[str]:
        """Return the LaTeX of pairs of a short heading and a formula, aligned below each other."""
        if not short:
            return []
        rows = []
        for heading, display in short:
            tag = self.tag("" if display.links else display.label, _reasons(display))
            rows.append(f"& \\textit{{{heading}.}} && {_on_a_line(display)}{tag}")
        return [aligned(rows)]

    def _block(self, block: Block) -> str:
        match block:
            case Paragraph(parts):
                return self.inline(parts)
            case Display() if block.is_repeat_of(self.proving):
                return f"By {self.inline(_reasons(block))}."
            case Display():
                return self.display(block)
            case HeadedBlocks(heading, inside):
                title = self.inline(heading)
                return f"\\slrgroup{{{title}}}\n{self.blocks(inside)}\n\\slrendgroup"
        raise TypeError(f"no block: {block!r}")

    # -- claims --------------------------------------------------------------------------------

    def claim(self, claim: ClaimEntry) -> str:
        """Return the LaTeX of a claim with its proof and the summary of its checks."""
        self.stated = frozenset(
            f.box for d in claim.statement if isinstance(d, Display) for f in d.formulas
        )
        self.proving = ()
        kind = claim.label.kind.lower()
        title = f"[{{{self.inline(claim.title)}}}]" if claim.title else ""
        opening = (
            f"\\slrexplained{{{self.inline(claim.explanation)}}}" if claim.explanation else None
        )
        parts = [
            opening,
            f"\\slrnumber{{{kind}}}{{{escape_latex(claim.label.number)}}}{{{claim.id}}}",
            f"\\begin{{{kind}}}{title}\\label{{{claim.id}}}\\slrindex{{{_entry(claim.id)}}}",
            self._margin(claim) + "%",
            self.blocks([*claim.assumptions, *claim.statement, *claim.where]),
            f"\\end{{{kind}}}",
            *self._picture(claim.id),
        ]
        if claim.status != "proved":
            parts.append(f"\\slrunproved{{{claim.status}}}")
        if claim.status == "certified":
            box = self.inline(split_at_dollar_signs(f"{claim.box}."))
            parts.append(f"What is certified is the statement on a box: {box}")
        if claim.proof:
            idea = self.inline(claim.idea)
            self.proving = claim.statement if self.brief else ()
            parts += [
                "\\begin{slrproof}",
                f"{idea}\\slrgap",
                self.blocks(claim.proof),
                "\\end{slrproof}",
            ]
        parts += [f"\\slrindex{{{_entry(rule)}}}%" for rule in claim.rules]
        source = (
            f"{self.inline(split_at_dollar_signs(claim.source))}. "
            if str(claim.label) != claim.source
            else ""
        )
        if claim.compared_to_source:
            compared = self.inline(split_at_dollar_signs(claim.compared_to_source))
            source += f"Compared to the paper: {compared}. "
        shown = "\\slrqed " if claim.proof and claim.status == "proved" else ""
        evidence = self.inline(self._beneath(claim))
        called = escape_latex(claim.id)
        if self.site:
            called = rf"\href{{{self.site}claims/{claim.id}.html}}{{{called}}}"
        parts.append(f"\\slrstatus{{{shown}{source}{evidence}}}{{{called}}}\n")
        return "\n".join(part for part in parts if part is not None)

    def _picture(self, id: str) -> list[str]:
        """Return the LaTeX of the figure that illustrates a claim; a reference if already shown."""
        picture = pictures_by_claim().get(id) if self.pictured else None
        if picture is None:
            return []
        seen, self.drawn = self.drawn, self.drawn | {picture}
        if picture in seen:
            return [rf"See \cref{{{picture.name}}}.\par"]
        caption = self.inline(split_at_dollar_signs(picture.caption))
        return [
            r"\begin{figure}[htb]\centering",
            rf"\includegraphics[max width=\linewidth]{{{picture.name}.pdf}}",
            rf"\caption{{{caption}}}\label{{{picture.name}}}",
            r"\end{figure}",
        ]

    def _margin(self, claim: ClaimEntry) -> str:
        """Return the LaTeX of a claim's status and number of axioms, for the margin."""
        count = len(claim.axioms)
        told = [claim.status, *claim.marks, f"{count or 'no'} axiom{'' if count == 1 else 's'}"]
        return "\\slrmargin{" + "\\\\".join(told) + "}"

    def _beneath(self, claim: ClaimEntry) -> tuple[Inline, ...]:
        """Return the paragraph below a claim, as pieces: what it uses, or how it was checked."""
        if claim.status != "proved" or not self.brief:
            return claim.evidence
        own = [AxiomReference(name) for name, users in self.axioms.items() if claim.id in users]
        used = [*map(ClaimReference, claim.depends), *own]
        place = " It takes the place"
        replaced = (p for p in claim.evidence if isinstance(p, Text) and p.text.startswith(place))
        said = (Text("Uses "), *join_list(used), Text(".")) if used else ()
        return (*said, *replaced)

    def axiom(self, axiom: AxiomEntry) -> str:
        """Return the LaTeX of an axiom, with its reference and the claims that use it."""
        users = ", ".join(self.piece(ClaimReference(id)) for id in axiom.users)
        used = f" Used by {users}." if users else ""
        name = escape_latex(axiom.id.replace("-", " "))
        return (
            f"\\item[{name}]\\phantomsection\\label{{axiom:{axiom.id}}}"
            f"\\slrindex{{{_entry(axiom.id)}}} {self.inline(axiom.statement)} "
            f"{self.inline(axiom.reference)}.{used}"
        )


class PlainLatexRenderer(LatexRenderer):
    """Renderer of LaTeX without the macros of the book: documents need amsmath and amssymb only."""

    def tag(self, label: str, why: tuple[Inline, ...]) -> str:
        """Return a step's justification as a tag of amsmath; empty if it has none."""
        number = f"({label}) " if self.step_numbers else ""
        return rf" \tag*{{{number}{self.inline(why)}}}" if why else ""

    def _block(self, block: Block) -> str:
        if isinstance(block, HeadedBlocks):
            return f"\\par\\emph{{{self.inline(block.heading)}.}}\n{self.blocks(block.blocks)}"
        return super()._block(block)

    def claim(self, claim: ClaimEntry) -> str:
        """Return the LaTeX of a claim's assumptions, statement and proof."""
        parts = [self.blocks([*claim.assumptions, *claim.statement, *claim.where])]
        if claim.proof:
            parts += [rf"\par\emph{{Proof.}} {self.inline(claim.idea)}", self.blocks(claim.proof)]
        return "\n".join(parts)


def _unbreakable(box: Box) -> float:
    """Return the width in em of a formula's widest part without a comma, the whole if none."""
    if not isinstance(box, RowBox):
        return box.width - _SAVED * _matrices(box)
    longest = width = 0.0
    for part in box.parts:
        if isinstance(part, Operator) and part.kind == "comma":
            longest, width = max(longest, width), 0.0
        else:
            width += part.width - _SAVED * _matrices(part)
    return max(longest, width)


def _matrices(box: Box) -> float:
    """Return the total width, in em, of the matrices in a formula, except those in fractions."""
    match box:
        case MatrixBox():
            return box.width
        case RowBox(parts):
            return sum(map(_matrices, parts))
        case ScriptBox(base):
            return _matrices(base)
        case BracketedBox(body=body):
            return _matrices(body)
    return 0.0


_MATRIX = re.compile(r"\\begin\{pmatrix\}(.*?)\\end\{pmatrix\}")


def _small_matrix(found: re.Match[str]) -> str:
    """Return the LaTeX of a matrix in running text, in brackets as high as its rows need."""
    rows = 1 + found[1].count(r"\\")
    size = "big" if rows < 4 else "bigg" if rows < 6 else "Bigg"
    inside = rf"\begin{{smallmatrix}}{found[1]}\end{{smallmatrix}}"
    return rf"\{size}l({inside}\{size}r)"


def _small(latex: str) -> str:
    """Return LaTeX for running text, with small matrices and lists that may break."""
    if "pmatrix" in latex:
        latex = latex.replace(r"\biggl", r"\bigl").replace(r"\biggr", r"\bigr")
        latex = _MATRIX.sub(_small_matrix, latex)
    result, depth = "", 0
    for place, character in enumerate(latex):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(character, 0)
        listed = character == "," and depth == 0 and latex[place - 1] != "\\"
        result += r",\allowbreak" if listed else character
    return result


def latex_snippet(display: Display, width: float = TEXT_WIDTH) -> str:
    """Return the LaTeX of a displayed formula by itself, for pasting."""
    links = tuple(DisplayedLink(link.sign, link.formula) for link in display.links)
    if len(links) <= 1 and sum(f.box.width for f in display.formulas) + 2 <= width:
        return _on_a_line(display)
    rows = LatexRenderer({})._rows(Display(display.start, links), width)
    return aligned(rows, "aligned")


def _beside(blocks: Iterable[Block]) -> list[Block | list[Display]]:
    """Return blocks, with short formulas without reasons in lists that each fit on one line."""
    made: list[Block | list[Display]] = []
    lines: list[list[Display]] = []
    for block in blocks:
        if not _is_plain(block):
            lines = []
        elif (width := _width(block)) <= _SHARED / 2:
            for line in lines:
                if sum(map(_width, line)) + width <= _SHARED:
                    line.append(block)
                    break
            else:
                lines.append([block])
                made.append(lines[-1])
            continue
        made.append(block)
    return [x[0] if isinstance(x, list) and len(x) == 1 else x for x in made]


def _is_plain(block: Block) -> TypeGuard[Display]:
    """Return whether a block is a single formula, or one between two bounds, without a reason."""
    if not isinstance(block, Display) or _reasons(block):
        return False
    bounds = all(link.sign in ("<", "<=") and not link.why for link in block.links)
    return len(block.links) < 2 or (len(block.links) == 2 and bounds)


def _reasons(display: Display) -> tuple[Inline, ...]:
    return display.links[-1].why if display.links else display.why


def _width(display: Display) -> float:
    """Return a displayed chain's width on one line, in em, with a margin of 2 em per formula."""
    return sum(f.box.width + 2 for f in display.formulas)


def _on_a_line(display: Display) -> str:
    parts = [to_latex(display.start.box)]
    for link in display.links:
        parts += [SIGNS[link.sign], to_latex(link.formula.box)]
    return " ".join(parts)


def _entry(text: str) -> str:
    """Escape the characters of a LaTeX index entry that have a special meaning in the index."""
    return re.sub("[!@]", r'"\g<0>', escape_latex(text))
