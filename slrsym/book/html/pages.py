"""The pages of the site: the front page, claims, axioms, notation, errata; each from a template."""

from __future__ import annotations

from collections import Counter
from html import escape
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from slrsym.book.document import Document
from slrsym.book.errata import LEAD
from slrsym.book.html.graph import picture
from slrsym.book.html.render import STATUSES, Renderer, badge
from slrsym.book.prose import inline_text
from slrsym.search.axioms import axiom

__all__ = ["DEFAULT_TITLE", "MAIN", "site_files"]

MAIN = "index.html"
DEFAULT_TITLE = "Derivations, as they are checked"
_ASSETS = ("style.css", "site.js")


def _text(said: str) -> str:
    return escape(said, quote=False)


def _reference(id: str, show: Renderer) -> str:
    return show.reference(id)


def _environment() -> Environment:
    # What renderers write is HTML already; the filter text is for all else.
    made = Environment(
        loader=PackageLoader("slrsym.book.html"),
        undefined=StrictUndefined,
        autoescape=False,
        keep_trailing_newline=True,
    )
    made.filters |= {"text": _text, "reference": _reference}
    made.globals |= {"axiom": axiom, "badge": badge, "inline_text": inline_text}
    return made


def site_files(document: Document, title: str = DEFAULT_TITLE) -> dict[str, str]:
    """The files of a static site."""
    claims = document.claims
    from_front = {claim.id: f"claims/{claim.id}.html" for claim in claims}
    from_claims = {claim.id: f"{claim.id}.html" for claim in claims}
    parts = [("Ledger", f"{MAIN}#ledger")]
    parts += [("Axioms", "axioms.html")] if document.axioms else []
    parts += [("Notation", "notation.html")] if document.notation else []
    parts += [("Errata", "errata.html")] if document.errata else []
    environment = _environment()
    front = Renderer(document.labels, from_front)

    def made(template: str, heading: str, show: Renderer, root: str = "", **inside: Any) -> str:
        around = {"heading": heading, "site": title, "root": root, "parts": parts}
        return environment.get_template(template).render(
            document=document, show=show, **around, **inside
        )

    package = files(__package__)
    pages = {name: (package / name).read_text(encoding="utf-8") for name in _ASSETS}
    pages[MAIN] = made(
        "front.html", title, front, statuses=STATUSES, picture=picture(document, from_front),
        counts=Counter(claim.status for claim in claims),
    )  # fmt: skip
    if document.axioms:
        pages["axioms.html"] = made("axioms.html", "Axioms", front)
    if document.notation:
        pages["notation.html"] = made("notation.html", "Notation", Renderer(document.labels))
    if document.errata:
        pages["errata.html"] = made("errata.html", "Errata and remarks", front, lead=LEAD)
    known = {claim.id: claim for claim in claims}
    for place, claim in enumerate(claims):
        axioms = "../axioms.html" if document.axioms else ""
        pages[from_front[claim.id]] = made(
            "claim.html",
            str(claim.label),
            Renderer(document.labels, from_claims, axioms, claim.agreement),
            "../",
            claim=claim,
            known=known,
            users=[other.id for other in claims if claim.id in other.depends],
            axioms=[entry for entry in document.axioms if entry.id in claim.axioms],
            before=claims[place - 1] if place else None,
            after=claims[place + 1] if place + 1 < len(claims) else None,
        )
    return pages
