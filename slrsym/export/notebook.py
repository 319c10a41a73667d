"""Claims and chains as LaTeX and HTML by themselves, for notebooks."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

from slrsym.export.claims import ORDER, claim_entry
from slrsym.export.document import Display, Label, Link, Paragraph
from slrsym.export.html.render import Renderer as HtmlRenderer
from slrsym.export.labels import labels
from slrsym.export.latex.render import Renderer, snippet
from slrsym.export.proofs import Writer
from slrsym.gaussian.typeset import Printer, declared_laws
from slrsym.gaussian.typeset.boxes import Operator
from slrsym.gaussian.typeset.mathml import to_mathml
from slrsym.proof.chain import Chain
from slrsym.proof.claim import Claim

__all__ = ["chain_html", "chain_latex", "claim_html", "claim_latex"]

# How each relation is written; the operator's name is that of its LaTeX command.
_SIGNS = {"=": "=", "<=": "le", "<": "<", ">=": "ge", ">": ">"}


def _as_it_is(expr: Any) -> Any:
    return expr


def _no_claims(id: str) -> Claim:
    raise KeyError(id)


def _writer(shown: list[Any], find: Callable[[str], Claim] = _no_claims) -> Writer:
    return Writer(Printer(ORDER, declared_laws(shown)), _as_it_is, find)


def _label(claim: Claim) -> Label:
    return labels([claim])[claim.id]


def claim_latex(claim: Claim, proof: bool = False) -> str:
    """The statement of a claim.

    Parameters
    ----------
    claim : Claim
        The claim.
    proof : bool, optional
        Whether to write the proof, too, with its steps and their rules.

    Returns
    -------
    str
        LaTeX for math mode, which needs amsmath only and abbreviates nothing. With a proof, the
        blocks of a document that has the preamble of `slrsym.export.latex.preamble`.
    """
    if proof:
        from slrsym.proof.ledger import builtin_ledger

        ledger = builtin_ledger()
        entry = claim_entry(claim, ledger.find, _label(claim))
        renderer = Renderer(labels([*ledger.claims.values(), claim]))
        return renderer.blocks([*entry.statement, *entry.where, *entry.proof])
    renderer = Renderer({})
    return r" \\ ".join(
        # Words in the midst of formulas, and formulas in the midst of words.
        rf"\text{{{renderer.inline(block.parts)}}}"
        if isinstance(block, Paragraph)
        else snippet(block)
        for block in _statement(claim)
    )


def claim_html(claim: Claim) -> str:
    """A claim with its name, for a notebook.

    Parameters
    ----------
    claim : Claim
        The claim.

    Returns
    -------
    str
        HTML with MathML in it.
    """
    title = "" if claim.title == claim.source else f" ({escape(claim.title)})"
    formulas = "".join(
        f"<p>{HtmlRenderer({}).inline(block.parts)}</p>"
        if isinstance(block, Paragraph)
        else _display_html(block)
        for block in _statement(claim)
    )
    return f"<div><strong>{escape(claim.source)}</strong>{title}{formulas}</div>"


def chain_latex(chain: Chain, step_numbers: bool = False) -> str:
    """A chain as an aligned display, each relation with its rule.

    Parameters
    ----------
    chain : Chain
        The chain.
    step_numbers : bool, optional
        Whether each rule is preceded by the number of its step.

    Returns
    -------
    str
        An ``align*`` environment that needs amsmath only.
    """
    text = Renderer({}, step_numbers=step_numbers).display(_chain_display(chain))
    return _with_tags(text)


def chain_html(chain: Chain) -> str:
    """A chain as a table, each relation with its rule.

    Parameters
    ----------
    chain : Chain
        The chain.

    Returns
    -------
    str
        HTML with MathML in it.
    """
    display = _chain_display(chain)
    rows = [f"<tr><td>{to_mathml(display.start.box, False)}</td><td></td><td></td></tr>"]
    for link in display.links:
        sign = to_mathml(Operator(_SIGNS[link.sign], "relation"), False)
        side = to_mathml(link.formula.box, False)
        why = escape("".join(getattr(p, "text", getattr(p, "id", "")) for p in link.why))
        rows.append(f"<tr><td>{sign} {side}</td><td>({link.label})</td><td>{why}</td></tr>")
    return f"<table>{''.join(rows)}</table>"


def _statement(claim: Claim) -> list[Display | Paragraph]:
    blocks = _writer([claim.statement]).display(claim.statement)
    return [block for block in blocks if isinstance(block, Display | Paragraph)]


def _display_html(display: Display) -> str:
    from slrsym.gaussian.typeset.boxes import row

    parts = [display.start.box]
    for link in display.links:
        parts += [Operator(_SIGNS[link.sign], "relation"), link.formula.box]
    return to_mathml(row(parts))


def _chain_display(chain: Chain) -> Display:
    shown = [chain.start, *(link.rhs for link, _ in chain.links)]
    writer = _writer(shown)
    links = tuple(
        Link(link.relation, writer.formula(link.rhs), str(number), writer.why(rule))
        for number, (link, rule) in enumerate(chain.links, start=1)
    )
    return Display(writer.formula(chain.start), links)


def _with_tags(text: str) -> str:
    r"""Reasons as tags of amsmath, in place of the macro of the book."""
    result, place = "", 0
    while (found := text.find("\\slrwhy{", place)) >= 0:
        number_end = text.index("}", found)
        number = text[found + len("\\slrwhy{") : number_end]
        start = number_end + 2
        depth, end = 1, start
        while depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        said = text[start : end - 1]
        lead = f"({number}) " if number else ""
        result += f"{text[place:found]}\\tag*{{{lead}{said}}}"
        place = end
    return result + text[place:]
