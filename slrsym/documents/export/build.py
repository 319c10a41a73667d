"""Build a document from a verified ledger."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from slrsym.documents.export.bibliography import citation_from_reference
from slrsym.documents.export.claim_entries import build_claim_entry
from slrsym.documents.export.document import (
    AxiomEntry,
    Block,
    ClaimNumberAndName,
    Display,
    DisplayedLink,
    Document,
    Inline,
    LatexMath,
    NotationTable,
    Paragraph,
    Section,
    Text,
    TypesetFormula,
)
from slrsym.documents.export.errata import collect_errata
from slrsym.documents.export.prose import ORDER, split_at_dollar_signs
from slrsym.documents.typeset import FormulaPrinter, choose_declared_laws
from slrsym.papers.single_location.documents.abbreviations import (
    NAMES,
    PLANAR_NAMES,
    choose_abbreviations,
    planar_map_shorthand_and_letters,
)
from slrsym.proof import Claim
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
    has_letters = any(paper.task for paper in papers)
    made = []
    for title, inside in titles_and_claims_of_files(ledger.find(id) for id in wanted):
        entries = tuple(
            build_claim_entry(
                claim,
                ledger.find,
                called[claim.id],
                wanted,
                has_letters and has_task_notation(claim.file),
                verdicts.get(claim.id),
                by_id[claim.id],
            )
            for claim in inside
        )
        file = inside[0].file
        made.append(Section(split_at_dollar_signs(title), entries, file.stem if file else ""))
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


def has_task_notation(file: Path | None) -> bool:
    """Return whether a file uses the letters of the single-location paper, or is of no paper."""
    paper = paper_of_file(file)
    return paper is None or paper.task


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
        more = (("The risk", _risk()), ("On the manifold", _planar()))
        if rows:
            tables.append(NotationTable(paper.title, rows, more if paper.task else ()))
    return tuple(tables)


def _meaning(text: str) -> tuple[Inline, ...]:
    return split_at_dollar_signs(re.sub(r"(?<![$\w\\])([kv]\*?)(?![\w$])", r"$\1$", text))


def _planar() -> tuple[Block, ...]:
    shorthand, letters = planar_map_shorthand_and_letters()
    printer = FormulaPrinter(ORDER, None, NAMES | PLANAR_NAMES)
    steps = split_at_dollar_signs(
        "On the manifold a step takes $(kappa, nu)$ to a point that is marked by a plus, two steps "
        "by $2+$. The slopes of the risk there are called"
    )
    slopes = split_at_dollar_signs(
        "$D_kappa$, $D_nu$, $D_theta$, $D_eta$ and $D_rho$ are the partial derivatives of the risk "
        "in these overlaps, in its closed form."
    )
    blocks: list[Block] = [Paragraph(steps)]
    for letter in letters:
        definition = TypesetFormula(printer.box(shorthand.letter_definition(letter)), None)
        start = TypesetFormula(printer.symbol(letter), shorthand.letters[letter])
        blocks.append(Display(start, (DisplayedLink("=", definition),)))
    return (*blocks, Paragraph(slopes))


def _risk() -> tuple[Block, ...]:
    from slrsym.papers.single_location.symbolic import risk_definition

    definition = risk_definition()
    shorthand = choose_abbreviations([definition], risk=True)
    name = shorthand(definition)
    printer = FormulaPrinter(ORDER, choose_declared_laws([definition]), NAMES)
    shown = TypesetFormula(
        printer.box(choose_abbreviations([definition], risk=False)(definition)), definition
    )
    laws = list(dict.fromkeys((printer.laws or {}).values()))
    # Formulas, between the dollar signs, are LaTeX already.
    said = (
        r"The risk, given the location, is the mean square of the error. $U_1, V_1, Y_1$ are the "
        r"projections of the informative token on $k, v, v^{\star}$; $U, V$ those of another token "
        r"on $k, v$, of which there are $L - 1$ independent copies; $\xi$ is the noise of the "
        "output."
    )
    parts = enumerate(said.split("$"))
    return (
        Paragraph(tuple(LatexMath(x) if place % 2 else Text(x) for place, x in parts)),
        Display(TypesetFormula(printer.box(name), definition), (DisplayedLink("=", shown),)),
        Paragraph((Text("Here"),)),
        *(Display(TypesetFormula(printer.law(law), law)) for law in laws),
    )
