"""From a verified ledger to a document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from slrsym.book.bibliography import cited
from slrsym.book.claims import claim_entry
from slrsym.book.document import AxiomEntry, Document, Section
from slrsym.book.justification import inline_text
from slrsym.book.labels import labels, sections
from slrsym.book.notation import notation_table
from slrsym.claims.ledger import Ledger
from slrsym.claims.rows import Row
from slrsym.search.axioms import axiom

__all__ = ["build"]


def build(
    ledger: Ledger,
    rows: Iterable[Row],
    verdicts: Mapping[str, Any],
    ids: Iterable[str] | None = None,
    notation: bool = True,
) -> Document:
    """A document of claims that have been verified.

    Parameters
    ----------
    ledger : Ledger
        Holds the claims.
    rows : iterable of Row
        What `Ledger.verify` returned: the claims of the document and all that they rest on.
    verdicts : mapping of str to Verdict
        What checking each claim gave.
    ids : iterable of str, optional
        The claims of the document; all that were verified by default.
    notation : bool, optional
        Whether the document has a table of notation.

    Returns
    -------
    Document
        Its claims have the status of their rows, and no other.

    Raises
    ------
    ValueError
        If a claim was not verified.
    """
    by_id = {row.id: row for row in rows}
    wanted = list(by_id) if ids is None else list(dict.fromkeys(ids))
    for id in wanted:
        if id not in by_id:
            raise ValueError(f"claim {id} was not verified")
    every = [ledger.find(id) for id in by_id]
    # What a claim is called does not depend on what else is exported.
    known = {c.id: c for c in [*ledger.claims.values(), *every]}
    grouped = sections(known.values())
    called = labels([claim for _, inside in grouped for claim in inside])
    made = []
    for title, inside in sections(ledger.find(id) for id in wanted):
        entries = tuple(
            claim_entry(
                claim,
                ledger.find,
                called[claim.id],
                wanted,
                notation,
                verdicts.get(claim.id),
                by_id[claim.id],
            )
            for claim in inside
        )
        made.append(Section(inline_text(title), entries))
    used = sorted({a for id in wanted for a in by_id[id].axioms})
    users: dict[str, list[str]] = {}
    for section in made:
        for entry in section.claims:
            verdict = verdicts.get(entry.id)
            for name in getattr(verdict, "axioms", entry.axioms):
                users.setdefault(name, []).append(entry.id)
    axioms = tuple(
        AxiomEntry(
            name,
            inline_text(axiom(name).statement),
            cited(axiom(name).reference),
            tuple(users.get(name, ())),
        )
        for name in used
    )
    from slrsym import __version__

    return Document(tuple(made), axioms, called, notation_table() if notation else (), __version__)
