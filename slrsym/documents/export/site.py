"""The static site: its pages, and the data for search, map and ledger.

Pages can be read without JavaScript. What moves is in `templates/*.js`, and is given the claims,
the axioms and what rests on what by one file of data, so that the site works without a server.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from slrsym.documents.export.document import DEFAULT_TITLE, SEVERAL, ClaimEntry, Display, Document
from slrsym.documents.export.errata import LEAD
from slrsym.documents.export.html import (
    STATUSES,
    HtmlRenderer,
    axiom_file_stem,
    box_of_display,
    escape_html,
    status_badge_html,
    status_icon_html,
)
from slrsym.documents.export.html_to_text import html_to_plain_text
from slrsym.documents.export.outline import OutlineSection, build_outline
from slrsym.documents.export.paper_notation import interactive_scripts, pictures_by_claim
from slrsym.documents.export.prose import split_at_dollar_signs
from slrsym.documents.export.rule_entries import rule_entry, rule_id_from_name
from slrsym.documents.typeset import break_lines, to_mathml
from slrsym.prover.claims import step_name
from slrsym.prover.rules.axioms import find_axiom
from slrsym.prover.statements.expressions import infix_text

MAIN = "index.html"
_ASSETS = ("style.css", "site.js", "search.js", "map.js", "ledger.js")
# What is shown of a statement where one points at its name, in em and in characters.
_GLIMPSE, _MOST = 24.0, 1100


TEMPLATES = files(__package__) / "templates"


def jinja_environment() -> Environment:
    """Return the Jinja environment that renders the templates."""
    # What renderers write is HTML already; the filter text is for all else.
    made = Environment(
        loader=PackageLoader("slrsym.documents.export"),
        undefined=StrictUndefined,
        autoescape=False,
        keep_trailing_newline=True,
    )
    made.filters |= {"text": escape_html, "slug": axiom_file_stem}
    made.globals |= {
        "axiom": find_axiom,
        "badge": status_badge_html,
        "sign": status_icon_html,
        "split_at_dollar_signs": split_at_dollar_signs,
    }
    return made


def site_files(
    document: Document, title: str | None = None, extra_links: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Return the files of the static site of a document, by their paths in it."""
    claims = document.claims
    titles = [paper.title for paper in document.papers]
    title = title or (SEVERAL if len(titles) > 1 else next(iter(titles), DEFAULT_TITLE))
    known = {claim.id: claim for claim in claims}
    parts = [("Outline", f"{MAIN}#outline"), ("Map", "map.html"), ("Ledger", "ledger.html")]
    parts += [("Rules", "rules.html")] if _steps_by_rule(document) else []
    parts += [("Axioms", "axioms.html")] if document.axioms else []
    parts += [("Notation", "notation.html")] if document.notation else []
    parts += [("Errata", "errata.html")] if document.errata else []
    parts += (extra_links or {}).items()
    templates = jinja_environment()
    sources = _sources(claims)
    sections = build_outline(document)

    def renderer(root: str = "", claim: ClaimEntry | None = None) -> HtmlRenderer:
        return HtmlRenderer(
            document.labels,
            {id: f"{id}.html" if claim else f"{root}claims/{id}.html" for id in known},
            f"{root}axioms/" if document.axioms else "",
            claim,
            f"{root}rules/",
            {file: f"{root}{name}" for file, name in sources.items()},
            root,
        )

    def page(template: str, heading: str, show: HtmlRenderer, root: str = "", **inside: Any) -> str:
        around = {"heading": heading, "site": title, "root": root, "parts": parts}
        return templates.get_template(template).render(
            document=document, show=show, known=known, **around, **inside
        )

    front = renderer()
    pages = {name: (TEMPLATES / name).read_text(encoding="utf-8") for name in _ASSETS}
    counts = Counter(claim.status for claim in claims)
    legend: dict[str, Any] = {"statuses": STATUSES, "counts": counts}
    pages[MAIN] = page("front.html", title, front, outline=sections, **legend)
    pages["ledger.html"] = page("ledger.html", "Ledger", front, **legend)
    pages["map.html"] = page("map.html", "What rests on what", front, **legend)
    rules = _rule_pages(document)
    anchors: set[str] = set()
    pictures = pictures_by_claim() if document.notation else {}
    moving = interactive_scripts() if document.notation else []
    for place, claim in enumerate(claims):
        show = renderer("../", claim)
        picture = pictures.get(claim.id)
        if picture:
            pages[f"pictures/{picture.name}.svg"] = picture.svg()
        pages[f"claims/{claim.id}.html"] = page(
            "claim.html",
            str(claim.label),
            show,
            "../",
            claim=claim,
            scripts=[one.file for one in moving if claim.id in one.claims],
            picture=picture,
            users=document.users.get(claim.id, []),
            axioms=[entry for entry in document.axioms if entry.id in claim.axioms],
            before=claims[place - 1] if place else None,
            after=claims[place + 1] if place + 1 < len(claims) else None,
        )
        anchors |= show.ids
    if rules:
        pages["rules.html"] = page("rules.html", "Rules", front, rules=rules)
    for entry, steps in rules:
        pages[f"rules/{entry.id}.html"] = page(
            "rule.html",
            entry.name,
            renderer("../"),
            "../",
            rule=entry,
            steps=steps,
            anchors=anchors,
        )
    if document.axioms:
        pages["axioms.html"] = page("axioms.html", "Axioms", front)
    for axiom_entry in document.axioms:
        pages[f"axioms/{axiom_file_stem(axiom_entry.id)}.html"] = page(
            "axiom.html", axiom_entry.id, renderer("../"), "../", entry=axiom_entry,
            rest=[claim for claim in claims if axiom_entry.id in claim.axioms],
        )  # fmt: skip
    if document.notation:
        pages["notation.html"] = page("notation.html", "Notation", HtmlRenderer(document.labels))
    if document.errata:
        pages["errata.html"] = page("errata.html", "Errata and remarks", front, lead=LEAD)
    for file, name in sources.items():
        lines = escape_html(file.read_text(encoding="utf-8")).splitlines()
        linked = {claim.place[1] for claim in claims if claim.place[0] == file}
        inside = {"lines": lines, "linked": linked}
        pages[name] = page("source.html", file.name, renderer("../"), "../", **inside)
    pages |= {one.file: one.script() for one in moving if not one.claims.isdisjoint(known)}
    pages["data.js"] = f"window.SITE = {_data(document, sections, front, rules)};\n"
    return pages


def _sources(claims: list[ClaimEntry]) -> dict[Path, str]:
    """Return a unique page name for each derivation file."""
    found: dict[Path, str] = {}
    for file in dict.fromkeys(claim.place[0] for claim in claims):
        if file is not None and file.is_file():
            name, count = f"source/{file.stem}.html", 1
            while name in found.values():
                count += 1
                name = f"source/{file.stem}-{count}.html"
            found[file] = name
    return found


def _steps_by_rule(document: Document) -> dict[tuple[str, str], list[tuple[str, str]]]:
    """Return, for each rule, the claims and step names of all steps that use it."""
    found: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for claim in document.claims:
        for check in claim.checks.values():
            if id := rule_id_from_name(check.rule):
                key = (id, check.rule if id.startswith("theorem-") else id)
                found.setdefault(key, []).append((claim.id, step_name(claim.id, check.label)))
    return found


def _rule_pages(document: Document) -> list[tuple[Any, list[tuple[str, str]]]]:
    found = _steps_by_rule(document).items()
    pages = [(rule_entry(id, name), steps) for (id, name), steps in found]
    return sorted(pages, key=lambda page: (page[0].id.startswith("theorem-"), page[0].name.lower()))


def _glimpse(claim: ClaimEntry) -> str:
    """Return a claim's first displayed formula as MathML; empty if there is none or it is long."""
    for block in claim.statement:
        if isinstance(block, Display):
            shown = to_mathml(break_lines(box_of_display(block), _GLIMPSE))
            return shown if len(shown) <= _MOST else ""
    return ""


# Of a statement that is longer, the rest is not searched.
_SAID = 600


def _said(claim: ClaimEntry) -> list[str]:
    """Return a claim's formulas as plain text for search, written out and abbreviated."""
    blocks = [block for block in claim.statement if isinstance(block, Display)]
    shown = [formula.shown for block in blocks for formula in block.formulas]
    whole = " ".join(infix_text(s) for s in shown if s is not None)
    short = " ".join(map(infix_text, claim.abbreviated))
    # The risk has a name that no one would type.
    plain = (re.sub(r"\bR\(6\)|\bR[<^](?=\()", "R", text)[:_SAID] for text in (whole, short))
    return [text for text in dict.fromkeys(plain) if text]


def _data(
    document: Document,
    sections: list[OutlineSection],
    show: HtmlRenderer,
    rules: list[tuple[Any, Any]],
) -> str:
    """Return the data of search, map and outline as JSON."""
    entries = [
        {
            "id": claim.id,
            "label": str(claim.label),
            "name": claim.label.name,
            "title": html_to_plain_text(show.inline(claim.title)),
            "plain": claim.plain_title,
            "said": _said(claim),
            "formula": _glimpse(claim),
            "status": claim.status,
            "stated": claim.label.kind != "Claim",
            "kind": claim.label.kind,
            "uses": list(claim.depends),
            "axioms": sorted({*claim.axioms}),
            "rules": sorted({r for c in claim.checks.values() if (r := rule_id_from_name(c.rule))}),
        }
        for claim in document.claims
    ]
    parts = [
        {
            "number": part.number,
            "paper": part.paper.title if part.paper else "",
            "title": html_to_plain_text(show.inline(part.title)),
            "entries": [
                {"id": e.claim.id, "helpers": [claim.id for claim in e.helpers]}
                for e in part.entries
            ],
        }
        for part in sections
    ]
    axioms = [
        {
            "id": a.id,
            "page": axiom_file_stem(a.id),
            "said": html_to_plain_text(show.inline(a.statement)),
        }
        for a in document.axioms
    ]
    named = [
        {
            "id": rule.id,
            "label": rule.name,
            "said": html_to_plain_text(show.inline(split_at_dollar_signs(rule.accepts))),
        }
        for rule, _ in rules
    ]
    signs = {name: mark for name, (mark, _) in STATUSES.items()}
    data = {"claims": entries, "parts": parts, "axioms": axioms, "rules": named, "signs": signs}
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
