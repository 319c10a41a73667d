"""LaTeX and HTML of single claims and chains, as notebooks display them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import Any

from sympy import Basic, Expr

from slrsym.documents.export.document import (
    ClaimEntry,
    ClaimNumberAndName,
    Display,
    DisplayedLink,
    Paragraph,
)
from slrsym.documents.export.html import WIDE, HtmlRenderer, box_of_display, box_of_link
from slrsym.documents.export.latex import LatexRenderer, PlainLatexRenderer, latex_snippet
from slrsym.documents.export.plain_formulas import split_title
from slrsym.documents.export.proofs import ProofWriter
from slrsym.documents.export.prose import (
    ORDER,
    arbitrary_functions_in,
    assumption_paragraphs,
    free_symbols_of_statements,
)
from slrsym.documents.typeset import Box, FormulaPrinter, break_lines, choose_declared_laws
from slrsym.documents.typeset.latex_and_mathml import to_mathml
from slrsym.prover.claims.claim import Claim
from slrsym.prover.rules.chain import Chain


def _as_it_is(expr: Any) -> Any:
    return expr


def _no_claims(id: str) -> Claim:
    raise KeyError(id)


def _writer(shown: list[Any], find: Callable[[str], Claim] = _no_claims) -> ProofWriter:
    return ProofWriter(FormulaPrinter(ORDER, choose_declared_laws(shown)), _as_it_is, find)


def _entry(claim: Claim) -> tuple[ClaimEntry, dict[str, ClaimNumberAndName]]:
    """Return the document entry of a claim, and labels of the claims that it may mention."""
    # With a proof, which is seldom asked for: for start-up time.
    from slrsym.documents.export.claim_entries import build_claim_entry
    from slrsym.prover.claims.ledger import builtin_ledger

    ledger = builtin_ledger()
    entry = build_claim_entry(claim, ledger.find, ClaimNumberAndName.from_claim(claim))
    return entry, {
        other.id: ClaimNumberAndName.from_claim(other) for other in [*ledger.claims.values(), claim]
    }


def claim_latex(claim: Claim, proof: bool = False) -> str:
    """Return the LaTeX of a claim's statement; on request of its assumptions and proof, too."""
    if proof:
        entry, found = _entry(claim)
        return PlainLatexRenderer(found, step_numbers=False).claim(entry)
    renderer = LatexRenderer({})
    return r" \\ ".join(
        # Words in the midst of formulas, and formulas in the midst of words.
        rf"\text{{{renderer.inline(block.parts)}}}"
        if isinstance(block, Paragraph)
        else latex_snippet(block)
        for block in _statement(claim)
    )


def cell_latex(claim: Claim) -> str:
    """Return the LaTeX of a claim for a notebook that is converted to a LaTeX document."""
    renderer = LatexRenderer({})
    said = [renderer.inline(p.parts) for p in _assumptions([claim.statement], claim.hypotheses)]
    return "\n\n".join([*said, rf"$\displaystyle {claim_latex(claim)}$"])


class _Unstyled(HtmlRenderer):
    """Renderer of HTML for notebooks, in which a formula has one layout for all widths.

    A page has a style sheet, which chooses between a layout for a desk and one for a phone.
    """

    def formula(self, box: Box) -> str:
        return to_mathml(break_lines(box, WIDE))


def claim_html(claim: Claim, proof: bool = False) -> str:
    """Return the HTML of a claim's name, assumptions, statement and, on request, proof."""
    if proof:
        entry, found = _entry(claim)
        whole = [*entry.assumptions, *entry.statement, *entry.where, *entry.proof]
        shown = _Unstyled(found, claim=entry).blocks(whole)
        return f"<div>{_heading(claim)}\n{shown}</div>"
    blocks: list[Display | Paragraph] = [
        *_assumptions([claim.statement], claim.hypotheses),
        *_statement(claim),
    ]
    formulas = "".join(
        f"<p>{HtmlRenderer({}).inline(block.parts)}</p>"
        if isinstance(block, Paragraph)
        else to_mathml(break_lines(box_of_display(block), WIDE))
        for block in blocks
    )
    return f"<div>{_heading(claim)}{formulas}</div>"


def _assumptions(shown: Sequence[Basic], given: Sequence[Basic] = ()) -> list[Paragraph]:
    """Return paragraphs with the assumptions on symbols, functions and random variables."""
    everything = [*shown, *given]
    printer = _writer(everything).printer
    said = assumption_paragraphs(
        free_symbols_of_statements(everything),
        arbitrary_functions_in(everything),
        given,
        printer.laws or {},
        printer,
    )
    return [block for block in said if isinstance(block, Paragraph)]


def _heading(claim: Claim) -> str:
    # As the site does: the name that stands everywhere, then what it says, with its formulas.
    title = HtmlRenderer({}).inline(split_title(claim.title)) if claim.title else ""
    label = escape(str(ClaimNumberAndName.from_claim(claim)))
    return f"<strong>{label}</strong>{f' ({title})' if title else ''}"


def chain_latex(chain: Chain, step_numbers: bool = False) -> str:
    """Return the LaTeX of a chain as an aligned display, each relation with its rule."""
    return PlainLatexRenderer({}, step_numbers=step_numbers).display(_chain_display(chain))


def chain_html(chain: Chain) -> str:
    """Return the HTML of a chain as a table, each relation with its rule, below its assumptions."""
    display = _chain_display(chain)
    said = "".join(HtmlRenderer({}).inline(p.parts) for p in _assumptions(_shown(chain)))
    style = "caption-side: top; text-align: left"
    caption = f'<caption style="{style}">{said}</caption>' if said else ""
    start = to_mathml(break_lines(display.start.box, WIDE), False)
    rows = [f"<tr><td>{start}</td><td></td><td></td></tr>"]
    for link in display.links:
        side = to_mathml(break_lines(box_of_link(link), WIDE), False)
        why = HtmlRenderer({}).inline(link.why)
        rows.append(f"<tr><td>{side}</td><td>({link.label})</td><td>{why}</td></tr>")
    return f"<table>{caption}{''.join(rows)}</table>"


def _statement(claim: Claim) -> list[Display | Paragraph]:
    blocks = _writer([claim.statement]).display(claim.statement)
    return [block for block in blocks if isinstance(block, Display | Paragraph)]


def _shown(chain: Chain) -> list[Expr]:
    return [chain.start, *(link.rhs for link, _ in chain.links)]


def _chain_display(chain: Chain) -> Display:
    writer = _writer(_shown(chain))
    links = tuple(
        DisplayedLink(
            link.relation, writer.formula(link.rhs), str(number), writer.justification(rule)
        )
        for number, (link, rule) in enumerate(chain.links, start=1)
    )
    return Display(writer.formula(chain.start), links)
