"""Build a document from a verified ledger."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from slrsym.documents.export.bibliography import citation_from_reference
from slrsym.documents.export.claim_entries import build_claim_entry
from slrsym.documents.export.document import (
    AxiomEntry,
    ClaimNumberAndName,
    Document,
    Inline,
    LatexMath,
    NotationTable,
    Section,
)
from slrsym.documents.export.errata import collect_errata
from slrsym.documents.export.paper_notation import notation_of_file
from slrsym.documents.export.plain_formulas import split_title
from slrsym.documents.export.prose import split_at_dollar_signs
from slrsym.proof import Claim
from slrsym.prover.claims.file_search import PAPER
from slrsym.prover.claims.ledger import Ledger
from slrsym.prover.claims.papers import Paper, paper_of_file, papers_of_files
from slrsym.prover.claims.verification import ClaimSummary
from slrsym.prover.rules.axioms import find_axiom


def build(
    ledger: Ledger,
    rows: Iterable[ClaimSummary],
    verdicts: Mapping[str, Any],
    ids: Iterable[str] | None = None,
    notation: bool = True,
    advance: Callable[[int], object] = lambda more: None,
) -> Document:
    """Build the document of verified claims, independent of the output format.

    Parameters
    ----------
    ledger : Ledger
        Holds the claims.
    rows : iterable of ClaimSummary
        What `Ledger.verify` returned: the claims of the document and all that they rest on.
    verdicts : mapping of str to ClaimVerdict
        What checking each claim gave.
    ids : iterable of str, optional
        The claims of the document; all that were verified by default.
    notation : bool, optional
        Whether the document has a table of notation.
    advance : callable, optional
        Called with 1 after each claim, to show progress.

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
    grouped = titles_and_claims_of_files(known.values())
    called = {
        claim.id: ClaimNumberAndName.from_claim(claim) for _, inside in grouped for claim in inside
    }
    # A proof is written with the letters of what it rests on, too.
    papers = papers_of_files(claim.file for claim in every) if notation else []
    table = notation_tables(papers)
    has_letters = any(paper.letters for paper in papers)
    made = []
    for title, inside in titles_and_claims_of_files(ledger.find(id) for id in wanted):
        entries = []
        for claim in inside:
            entry = build_claim_entry(
                claim,
                ledger.find,
                called[claim.id],
                wanted,
                has_letters and has_table_of_letters(claim.file),
                verdicts.get(claim.id),
                by_id[claim.id],
            )
            entries.append(entry)
            advance(1)
        file = inside[0].file
        made.append(Section(split_title(title), tuple(entries), file.stem if file else ""))
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
            split_at_dollar_signs(find_axiom(name).statement),
            citation_from_reference(find_axiom(name).reference),
            tuple(users.get(name, ())),
        )
        for name in used
    )

    told = (
        collect_errata(papers_of_files(ledger.find(id).file for id in wanted), wanted)
        if notation
        else ()
    )
    return Document(tuple(made), axioms, called, table, version("slrsym"), told)


def has_table_of_letters(file: Path | None) -> bool:
    """Return whether a file uses the letters of a paper's table, or is of no paper."""
    paper = paper_of_file(file)
    return paper is None or bool(paper.letters)


def titles_and_claims_of_files(claims: Iterable[Claim]) -> list[tuple[str, list[Claim]]]:
    """Group claims by derivation file, and sort the files by the paper's numbers."""
    files: dict[Path | None, list[Claim]] = {}
    for claim in claims:
        files.setdefault(claim.file, []).append(claim)

    def key(item: tuple[Path | None, list[Claim]]) -> tuple[bool, int, str]:
        file, inside = item
        match = re.match(r"[A-Za-z]+ (\d+)", derivation_file_title(file)) or next(
            (m for c in inside if (m := re.search(r"[A-Z][a-z]+ (\d+)", c.source))), None
        )
        return (file is None, int(match[1]) if match else 10**6, str(file))

    return [
        (derivation_file_title(file), inside) for file, inside in sorted(files.items(), key=key)
    ]


@cache
def derivation_file_title(file: Path | None) -> str:
    """Return the title of a derivation file: the first line of its docstring."""
    if file is None:
        return "Claims"
    try:
        text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8")))
    except (OSError, SyntaxError, UnicodeDecodeError):
        text = None
    return (text or file.stem).splitlines()[0].strip().rstrip(".")


def notation_tables(papers: Iterable[Paper]) -> tuple[NotationTable, ...]:
    """Return the tables of notation of some papers."""
    tables = []
    for paper in papers:
        rows = tuple(((LatexMath(letter),), _meaning(said)) for letter, said in paper.notation)
        if rows:
            more = notation_of_file(paper.folder / PAPER).table_parts()
            tables.append(NotationTable(paper.title, rows, more))
    return tuple(tables)


def _meaning(text: str) -> tuple[Inline, ...]:
    return split_at_dollar_signs(re.sub(r"(?<![$\w\\])([kv]\*?)(?![\w$])", r"$\1$", text))
