"""All files of the site."""

from __future__ import annotations

from importlib.resources import files

from slrsym.book.document import Document
from slrsym.book.html.claim import claim_body, neighbours
from slrsym.book.html.front import axioms_body, front_body, notation_body
from slrsym.book.html.page import page

__all__ = ["DEFAULT_TITLE", "MAIN", "site_files"]

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

    def made(heading: str, body: str, root: str = "", around: str = "") -> str:
        return page(heading, body, title, root, parts, around, document.version)

    package = files(__package__)
    made_files = {name: (package / name).read_text(encoding="utf-8") for name in _ASSETS}
    made_files[MAIN] = made(title, front_body(document, title, from_front))
    if document.axioms:
        made_files["axioms.html"] = made("Axioms", axioms_body(document, from_front))
    if document.notation:
        made_files["notation.html"] = made("Notation", notation_body(document))
    axioms = "../axioms.html" if document.axioms else ""
    for place, claim in enumerate(claims):
        before = claims[place - 1] if place else None
        after = claims[place + 1] if place + 1 < len(claims) else None
        around = neighbours(before, after, from_claims)
        body = claim_body(claim, document, used.get(claim.id, ()), from_claims, axioms)
        made_files[from_front[claim.id]] = made(str(claim.label), body, "../", around)
    return made_files
