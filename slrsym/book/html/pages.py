"""The pages of the site: the front page, claims, axioms, notation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib.resources import files

from slrsym.book.document import AxiomEntry, ClaimEntry, Document
from slrsym.book.errata import LEAD
from slrsym.book.html.graph import picture
from slrsym.book.html.render import STATUSES, Renderer, badge
from slrsym.book.prose import inline_text

__all__ = ["DEFAULT_TITLE", "MAIN", "site_files"]


def page(
    title: str,
    body: str,
    site: str,
    root: str = "",
    parts: Iterable[tuple[str, str]] = (),
    around: str = "",
    version: str = "",
) -> str:
    """A whole page."""
    ways = [(escape(site, quote=False), "index.html"), *parts]
    links = "".join(f'<li><a href="{root}{href}">{name}</a></li>' for name, href in ways)
    heading = escape(title if title == site else f"{title} · {site}", quote=False)
    by = f"Written by slrsym {escape(version)} from the objects that were checked."
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{heading}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="{root}style.css">
<script src="{root}site.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<nav aria-label="Site"><ul>{links}</ul></nav>
</header>
<main id="content">
{body}
</main>
<footer>
{around}<p>{by}</p>
</footer>
</body>
</html>
"""


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
    said = [] if own else [claim.source]
    said += [f"against the paper: {claim.against}"] if claim.against else []
    return "".join(f"{renderer.inline(inline_text(text))} · " for text in said)


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


def errata_body(document: Document, pages: Mapping[str, str]) -> str:
    """Where the paper is not right, and what should be said besides."""
    renderer = Renderer(document.labels, pages)
    parts = [f"<h1>Errata and remarks</h1>\n<p>{LEAD}</p>"]
    for heading, paragraphs in document.errata:
        said = "\n".join(f"<p>{renderer.inline(text)}</p>" for text in paragraphs)
        parts.append(f"<h2>{renderer.inline(inline_text(heading))}</h2>\n{said}")
    rows = "\n".join(
        f'<tr><th scope="row">{renderer.reference(claim.id)}</th>'
        f"<td>{renderer.inline(claim.title)}</td>"
        f"<td>{renderer.inline(inline_text(claim.against))}</td></tr>"
        for claim in document.claims
        if claim.against
    )
    head = '<tr><th scope="col">claim</th><td></td><th scope="col">against the paper</th></tr>'
    table = f'<table class="ledger">\n<thead>{head}</thead>\n<tbody>\n{rows}\n</tbody>\n</table>'
    return "\n".join([*parts, "<h2>Against the paper</h2>", table])


MAIN = "index.html"
DEFAULT_TITLE = "Derivations, as they are checked"
_ASSETS = ("style.css", "site.js")


def site_files(
    document: Document, title: str = "Derivations, as they are checked"
) -> dict[str, str]:
    """The files of a static site."""
    claims = document.claims
    from_front = {claim.id: f"claims/{claim.id}.html" for claim in claims}
    from_claims = {claim.id: f"{claim.id}.html" for claim in claims}
    used: dict[str, list[str]] = {}
    for claim in claims:
        for id in claim.depends:
            used.setdefault(id, []).append(claim.id)

    parts = [("Ledger", f"{MAIN}#ledger")]
    parts += [("Axioms", "axioms.html")] if document.axioms else []
    parts += [("Notation", "notation.html")] if document.notation else []
    parts += [("Errata", "errata.html")] if document.errata else []

    def made(heading: str, body: str, root: str = "", around: str = "") -> str:
        return page(heading, body, title, root, parts, around, document.version)

    package = files(__package__)
    made_files = {name: (package / name).read_text(encoding="utf-8") for name in _ASSETS}
    made_files[MAIN] = made(title, front_body(document, title, from_front))
    if document.axioms:
        made_files["axioms.html"] = made("Axioms", axioms_body(document, from_front))
    if document.notation:
        made_files["notation.html"] = made("Notation", notation_body(document))
    if document.errata:
        made_files["errata.html"] = made("Errata and remarks", errata_body(document, from_front))
    axioms = "../axioms.html" if document.axioms else ""
    for place, claim in enumerate(claims):
        before = claims[place - 1] if place else None
        after = claims[place + 1] if place + 1 < len(claims) else None
        around = neighbours(before, after, from_claims)
        body = claim_body(claim, document, used.get(claim.id, ()), from_claims, axioms)
        made_files[from_front[claim.id]] = made(str(claim.label), body, "../", around)
    return made_files
