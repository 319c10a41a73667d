"""The front page, the axioms, the notation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from html import escape

from slrsym.book.document import ClaimEntry, Document
from slrsym.book.html.graph import picture
from slrsym.book.html.page import STATUSES, badge
from slrsym.book.html.render import Renderer

__all__ = ["axioms_body", "front_body", "notation_body"]

_LEAD = (
    "Every statement, proof and formula here is printed from the objects that were checked. Each "
    "step of a proof is checked twice: by the rule that stands with it, and by numbers at random "
    "points of the domain, where expectations are integrated from their definition."
)


def front_body(document: Document, title: str, pages: Mapping[str, str]) -> str:
    """The front page: what is proved, what rests on what, and the ledger."""
    claims = document.claims
    counts = Counter(claim.status for claim in claims)
    steps = sum(claim.steps for claim in claims)
    legend = "".join(
        f"<li>{badge(status)} {meaning}: {counts[status]}</li>"
        for status, (_, meaning) in STATUSES.items()
        if counts[status] or status == "proved"
    )
    return f"""<h1>{escape(title, quote=False)}</h1>
<p class="lead">{counts["proved"]} of {len(claims)} claims proved, in {steps:,} steps.</p>
<p>{_LEAD}</p>
<section aria-labelledby="graph">
<h2 id="graph">What rests on what</h2>
<p>Arrows go from a claim to those that use it; an arrow that follows from others is left out.
Each claim is a link.</p>
<ul class="legend" aria-label="Legend">{legend}</ul>
<div class="scroll">
{picture(document, pages)}
</div>
</section>
<section aria-labelledby="ledger">
<h2 id="ledger">Ledger</h2>
{_ledger(document, pages)}
</section>"""


def _ledger(document: Document, pages: Mapping[str, str]) -> str:
    renderer = Renderer(document.labels, pages)
    bodies = []
    for section in document.sections:
        rows = "\n".join(_row(claim, renderer) for claim in section.claims)
        title = renderer.inline(section.title)
        bodies.append(
            f'<tbody>\n<tr><th colspan="6" scope="rowgroup">{title}</th></tr>\n{rows}\n</tbody>'
        )
    heads = ("claim", "", "status", "steps", "digits", "axioms")
    cells = "".join(f'<th scope="col">{head}</th>' if head else "<td></td>" for head in heads)
    return (
        f'<table class="ledger">\n<thead><tr>{cells}</tr></thead>\n' + "\n".join(bodies)
    ) + "\n</table>"


def _row(claim: ClaimEntry, renderer: Renderer) -> str:
    digits = "–" if claim.digits is None else str(claim.digits)
    title = renderer.inline(claim.title) or f"<code>{claim.id}</code>"
    return (
        f'<tr><th scope="row">{renderer.reference(claim.id)}</th><td>{title}</td>'
        f"<td>{badge(claim.status)}</td><td>{claim.steps}</td><td>{digits}</td>"
        f"<td>{len(claim.axioms)}</td></tr>"
    )


def axioms_body(document: Document, pages: Mapping[str, str]) -> str:
    """The axioms, each with its reference and the claims that use it."""
    from slrsym.search.axioms import axiom

    renderer = Renderer(document.labels, pages)
    items = []
    for entry in document.axioms:
        users = ", ".join(map(renderer.reference, entry.users))
        used = f'<p class="users">Used by {users}.</p>' if users else ""
        items.append(
            f'<dt id="{entry.id}">{entry.id}</dt>\n<dd><p>{renderer.inline(entry.statement)}</p>\n'
            f"<p><cite>{escape(axiom(entry.id).reference, quote=False)}</cite></p>{used}</dd>"
        )
    body = "\n".join(items)
    lead = "Facts that the proofs use and that are not proved here, each with its reference."
    return f'<h1>Axioms</h1>\n<p>{lead}</p>\n<dl class="axioms">\n{body}\n</dl>'


def notation_body(document: Document) -> str:
    """The letters and what they mean, and the definition of the risk."""
    renderer = Renderer(document.labels)
    letters, risk = document.notation
    rows = "\n".join(
        f'<tr><th scope="row">{renderer.inline(letter)}</th>'
        f"<td>{renderer.inline(meaning)}</td></tr>"
        for letter, meaning in letters
    )
    return (
        f'<h1>Notation</h1>\n<table class="notation">\n<tbody>\n{rows}\n</tbody>\n</table>\n'
        f'<section aria-labelledby="risk">\n<h2 id="risk">The risk</h2>\n{renderer.blocks(risk)}\n'
        "</section>"
    )
