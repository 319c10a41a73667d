"""The page of a claim."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from slrsym.book.document import AxiomEntry, ClaimEntry, Document
from slrsym.book.html.page import badge
from slrsym.book.html.render import Renderer
from slrsym.book.justification import inline_text

__all__ = ["claim_body", "neighbours", "statement"]


def claim_body(
    claim: ClaimEntry,
    document: Document,
    users: Sequence[str],
    pages: Mapping[str, str],
    axioms: str,
) -> str:
    """What stands on the page of a claim."""
    renderer = Renderer(document.labels, pages, axioms, claim.agreement)
    parts = [
        f"<h1>{heading(claim, renderer)}</h1>",
        f'<p class="about">{badge(claim.status)} {_source(claim, renderer)}'
        f"<code>{claim.id}</code></p>",
        statement(claim, renderer),
        _proof(claim, renderer),
        _evidence(claim),
        _relatives(claim, document, users, renderer),
        _axioms(claim, document.axioms, renderer, axioms),
    ]
    return "\n".join(filter(None, parts))


def heading(claim: ClaimEntry, renderer: Renderer) -> str:
    """What a claim is called, and its title."""
    name = escape(str(claim.label), quote=False)
    if not claim.title:
        return name
    return f'{name} <span class="title">{renderer.inline(claim.title)}</span>'


def statement(claim: ClaimEntry, renderer: Renderer) -> str:
    """What a claim assumes and says, and what its abbreviations mean."""
    said = renderer.blocks([*claim.assumptions, *claim.statement, *claim.where])
    return f'<section class="statement" aria-label="Statement">\n{said}\n</section>'


def _source(claim: ClaimEntry, renderer: Renderer) -> str:
    own = not claim.source or str(claim.label) == claim.source
    return "" if own else f"{renderer.inline(inline_text(claim.source))} · "


# Of these some step, or all, was not accepted.
_REFUSED = ("failed", "unverified")


def _proof(claim: ClaimEntry, renderer: Renderer) -> str:
    reason = escape(claim.reason, quote=False)
    if claim.status in _REFUSED:
        said = reason or "It was not verified."
        return f'<section class="warning" aria-label="Not proved">\n<p>{said}</p>\n</section>'
    warning = ""
    if claim.status == "certified":
        warning = _warning("certified", "certified on a box of parameters", claim.box, renderer)
    elif claim.status == "tested":
        warning = _warning("tested", "tested by an experiment", claim.trials, renderer)
    elif claim.status != "proved":
        warning = f'<p class="warning {claim.status}">Not proved: {reason}.</p>\n'
    if not claim.proof:
        return warning
    # The idea is a docstring, and may say nothing.
    idea = f'<p class="idea">{renderer.inline(claim.idea)}</p>\n' if claim.idea else ""
    end = '<p class="end" aria-hidden="true">∎</p>\n' if claim.status == "proved" else ""
    return (
        '<section aria-labelledby="proof">\n'
        f'<h2 id="proof">Proof</h2>\n<div class="folds" hidden>'
        '<button type="button" data-fold="open">Unfold all</button> '
        '<button type="button" data-fold="">Fold all</button></div>\n'
        f"{warning}{idea}{renderer.blocks(claim.proof)}\n{end}</section>"
    )


def _warning(status: str, how: str, told: str, renderer: Renderer) -> str:
    said = renderer.inline(inline_text(f"Not proved: {how}: {told}."))
    return f'<p class="warning {status}">{said}</p>\n'


def _evidence(claim: ClaimEntry) -> str:
    steps = f"{claim.steps} step{'' if claim.steps == 1 else 's'}"
    lines = []
    if claim.status not in _REFUSED and claim.steps:
        text = f"{steps}, each accepted by its rule"
        if claim.digits is not None:
            text += (
                f"; at random points of the domain both sides agree to {claim.digits} digits or "
                "more, expectations integrated from their definition"
            )
        lines.append(f"{text}.")
    elif claim.box:
        lines.append("Enclosed by ball arithmetic on the whole box, piece by piece.")
    elif claim.trials:
        lines.append(
            "Nothing follows by a rule; the experiment is made anew each time it is checked."
        )
    else:
        lines.append(f"Not proved; {steps} checked.")
    for sample in claim.monte_carlo:
        lines.append(f"Monte Carlo: {sample}.")
    said = "\n".join(f"<p>{escape(line, quote=False)}</p>" for line in lines)
    return (
        '<section class="evidence" aria-labelledby="evidence">\n'
        f'<h2 id="evidence">How it was checked</h2>\n{said}\n</section>'
    )


def _relatives(
    claim: ClaimEntry, document: Document, users: Iterable[str], renderer: Renderer
) -> str:  # fmt: skip
    known = {c.id: c for c in document.claims}
    lists = []
    for title, ids in (("Uses", claim.depends), ("Used by", users)):
        items = "\n".join(f"<li>{_item(id, known, renderer)}</li>" for id in ids)
        if items:
            lists.append(f"<div><h2>{title}</h2>\n<ul>\n{items}\n</ul></div>")
    if not lists:
        return ""
    return '<nav class="relatives" aria-label="Claims around it">\n' + "\n".join(lists) + "\n</nav>"


def _item(id: str, known: Mapping[str, ClaimEntry], renderer: Renderer) -> str:
    link = renderer.reference(id)
    if id not in known:
        return link
    claim = known[id]
    title = f" {renderer.inline(claim.title)}" if claim.title else ""
    return f"{link}{title}{'' if claim.status == 'proved' else f' {badge(claim.status)}'}"


def _axioms(
    claim: ClaimEntry, entries: Iterable[AxiomEntry], renderer: Renderer, page: str
) -> str:  # fmt: skip
    from slrsym.search.axioms import axiom

    own = [entry for entry in entries if entry.id in claim.axioms]
    if not own:
        return '<section class="axioms"><p>It rests on no axiom.</p></section>'
    items = "\n".join(
        f'<dt><a href="{page}#{entry.id}">{entry.id}</a></dt>'
        f"<dd>{renderer.inline(entry.statement)} "
        f"<cite>{escape(axiom(entry.id).reference, quote=False)}</cite></dd>"
        for entry in own
    )
    count = f"{len(own)} axiom{'' if len(own) == 1 else 's'}"
    return (
        '<section class="axioms" aria-label="Axioms">\n<details><summary>It rests on '
        f"{count}: facts that are not proved here</summary>\n<dl>\n{items}\n</dl>\n</details>\n"
        "</section>"
    )


def neighbours(
    before: ClaimEntry | None, after: ClaimEntry | None, pages: Mapping[str, str]
) -> str:  # fmt: skip
    """Links to the claims before and after one, in the order of the document."""
    links = ""
    if before is not None:
        links += f'<a rel="prev" href="{pages[before.id]}">← {escape(str(before.label))}</a>'
    if after is not None:
        links += f'<a rel="next" href="{pages[after.id]}">{escape(str(after.label))} →</a>'
    return f'<nav class="neighbours" aria-label="Neighbours">{links}</nav>\n'
