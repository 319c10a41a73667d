"""Commands that export claims as documents: LaTeX, a static site, or both."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from slrsym.cli import shared
from slrsym.cli.command_functions import as_command
from slrsym.cli.coq import coq_development
from slrsym.cli.silence import doing
from slrsym.cli.verify import load_ledger, verify_with_progress
from slrsym.files import (
    ExportFolderError,
    require_safe_export_folder,
    write_export_folder,
)
from slrsym.jobs import show_progress
from slrsym.prover.claims import cache, id_from_short_name

if TYPE_CHECKING:
    from slrsym.documents.export.document import Document
    from slrsym.prover.claims.check import ClaimVerdict
    from slrsym.prover.claims.ledger import Ledger
    from slrsym.prover.claims.verification import ClaimSummary

UNPROVED = Annotated[
    bool,
    typer.Option(
        "--unproved", help="Export claims that are not proved, too, and mark them as such."
    ),
]
PDF = Annotated[
    bool, typer.Option("--pdf", help="Compile, by latexmk or pdflatex where installed.")
]
TITLE = Annotated[str | None, typer.Option("--title", help="What the document is called.")]
DOCS = Annotated[
    str | None,
    typer.Option("--docs", metavar="URL", help="Where the documentation is; pages link to it."),
]
ALSO = Annotated[
    list[str] | None,
    typer.Option(
        "--claim",
        metavar="ID",
        help="The same as CLAIM. May be given more than once, as for verify.",
    ),
]
OUTPUT = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="DIR",
        help="Where to write: a new folder, an empty one, or that of an earlier export.",
    ),
]


def claims_from_options(claims: list[str] | None, also: list[str] | None) -> list[str] | None:
    """Return the claims given as arguments and by --claim, each once, or None if none are."""
    return list(dict.fromkeys([*(claims or ()), *(also or ())])) or None


export = typer.Typer(
    name="export",
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Export checked claims as documents.",
    epilog=shared.format_examples("export"),
)


@export.command(epilog=shared.format_examples("export latex"))
@as_command
def latex(
    claims: Annotated[
        list[str] | None,
        typer.Argument(metavar="CLAIM", help="Ids of claims; all of them, as a book, by default."),
    ] = None,
    claim: ALSO = None,
    output: OUTPUT = None,
    standalone: Annotated[
        bool,
        typer.Option("--standalone", help="One file for each claim, which compiles by itself."),
    ] = False,
    snippet: Annotated[
        bool, typer.Option("--snippet", help="Print the equations alone, for pasting.")
    ] = False,
    proof: Annotated[
        bool, typer.Option("--proof", help="With --snippet: print assumptions and proof, too.")
    ] = False,
    title: TITLE = None,
    pdf: PDF = False,
    unproved: UNPROVED = False,
    paths: shared.PATHS = None,
    seed: shared.SEED = 0,
    workers: shared.WORKERS = None,
) -> None:
    """Write claims and their proofs as LaTeX.

    Claims are verified first. One that is not proved is not exported, unless --unproved asks for
    it, and then the document says so.
    """
    claims = claims_from_options(claims, claim)
    if snippet:
        for option, given in (
            ("--output", output), ("--standalone", standalone), ("--title", title), ("--pdf", pdf),
        ):  # fmt: skip
            if given:
                raise typer.BadParameter(
                    f"--snippet prints, and writes no file; leave out {option}", param_hint=option
                )
        if not claims:
            raise typer.BadParameter(
                "--snippet needs a claim, such as lemma-18-ii", param_hint="CLAIM"
            )
    elif proof:
        raise typer.BadParameter(
            "--proof is for --snippet; a document has the proofs anyway, so leave it out",
            param_hint="--proof",
        )
    else:
        output = require_output_folder(output, ".tex")

    def exported() -> _Export:
        notation = not (standalone or snippet)
        return _Export(claims, paths, seed, workers, unproved, alone=True, notation=notation)

    if snippet:
        # What is not proved is not kept.
        found, _ = cache.load_or_compute(
            lambda: {"lines": _snippets(exported().document, proof)},
            paths, "snippet", proof, claims, seed, unproved, is_good=lambda _: not unproved,
        )  # fmt: skip
        typer.echo("\n".join(found["lines"]))
        return
    made = exported()
    assert output is not None
    files, mains = _files(made.document, standalone, book_title(title, claims))
    shown = f"{', '.join(mains[:3])}{', ...' if mains[3:] else ''}"
    made.write({output: files}, str(output), shown)
    if pdf:
        compile_books(output, mains)


class _Export:
    """Verified claims and their document, made by the constructor, and ready to be written.

    The document has those that claims rest on, too, unless these are to be `alone` in it.
    """

    def __init__(
        self,
        claims: list[str] | None,
        paths: list[Path] | None,
        seed: int,
        workers: int | None,
        unproved: bool,
        *,
        alone: bool = False,
        notation: bool = True,
    ) -> None:
        from slrsym.documents.export.build import build

        start = time.perf_counter()
        claims = [id_from_short_name(name) for name in claims or ()]
        ledger, rows, verdicts = verify_for_export(claims, paths, seed, workers, unproved)
        self._begin = time.perf_counter()
        wanted = list(dict.fromkeys(claims if alone and claims else [row.id for row in rows]))
        with show_progress(None, "claims written", len(wanted), counted=True) as advance:
            self.document = build(
                ledger, rows, verdicts, wanted, notation=notation, advance=advance
            )
        noun = "claim" if len(rows) == 1 else "claims"
        others = len(rows) - len(claims or ledger.claims)
        these = f" ({len(rows) - others}, and {others} that they rest on)" if others > 0 else ""
        took = f"verified {len(rows)} {noun}{these} in {self._begin - start:.1f} s"
        self._told = f"{took}; wrote {len(wanted)} of them to"

    def write(
        self, folders: Mapping[Path, Mapping[str, str | bytes]], where: str, what: str
    ) -> None:
        """Write exported files to their folders, and print a message with the time taken."""
        for folder, files in folders.items():
            write_export_folder(folder, files)
        seconds = time.perf_counter() - self._begin
        typer.echo(f"{self._told} {where} in {seconds:.1f} s: {what}")


def require_output_folder(output: Path | None, ending: str) -> Path:
    """Return the folder given by --output; raise an error if it is missing or unusable."""
    if output is None:
        raise typer.BadParameter(
            f"is needed: where to write, such as -o derivations{ending}", param_hint="--output"
        )
    try:
        require_safe_export_folder(output, ending)
    except ExportFolderError as problem:
        raise typer.BadParameter(str(problem), param_hint="--output") from None
    return output


def verify_for_export(
    claims: list[str] | None,
    paths: list[Path] | None,
    seed: int,
    workers: int | None,
    unproved: bool,
) -> tuple[Ledger, list[ClaimSummary], dict[str, ClaimVerdict]]:
    """Return the ledger, summaries and verdicts of claims to export; exit if one fails."""
    ledger = load_ledger(paths, claims)
    problems = list(ledger.problems)
    if not problems and not claims and not ledger.claims:
        problems.append("there is no claim to export")
    verdicts: dict[str, ClaimVerdict] = {}
    rows: list[ClaimSummary] = []
    if not problems:
        rows = verify_with_progress(ledger, claims or None, seed, workers, verdicts)
        problems += ledger.problems
        bad = [row for row in rows if row.status in ("failed", "unproved")]
        if bad and not unproved:
            problems += [f"claim {row.id} is not proved ({row.status}): {row.error}" for row in bad]
            problems.append("nothing was written; --unproved exports such claims, marked as such")
    shared.exit_if_problems(problems)
    return ledger, rows, verdicts


def book_title(title: str | None, claims: list[str] | None) -> str | None:
    """Return the title of an exported book, or None if the exporter is to choose it."""
    from slrsym.documents.export.document import DEFAULT_TITLE

    return title or (DEFAULT_TITLE if claims else None)


def _files(
    document: Document, standalone: bool, title: str | None
) -> tuple[dict[str, Any], list[str]]:
    from slrsym.documents.export.latex_book import MAIN, latex_book_files
    from slrsym.documents.export.latex_book import standalone_claim_files as alone

    if not standalone:
        return latex_book_files(document, title=title), [MAIN]
    files: dict[str, str] = {}
    for claim in document.claims:
        files |= alone(document, claim)
    return files, [f"{claim.id}.tex" for claim in document.claims]


def _snippets(document: Document, proof: bool = False) -> list[str]:
    """Return LaTeX lines with each claim's name, status, conditions and displayed equations.

    With `proof`, conditions and proof are text. The lines compile as they stand, in a document with
    amsmath and amssymb.
    """
    from slrsym.documents.export.document import Display
    from slrsym.documents.export.latex import PlainLatexRenderer
    from slrsym.documents.export.latex import latex_snippet as equation

    renderer = PlainLatexRenderer(document.labels, step_numbers=False)
    lines: list[str] = []
    for claim in document.claims:
        said = dict.fromkeys([str(claim.label), claim.label.name, claim.status])
        lines.append(f"% {', '.join(said)}")
        if proof:
            lines += renderer.claim(claim).splitlines()
            continue
        for block in claim.where:
            text = equation(block) if isinstance(block, Display) else renderer.blocks([block])
            lines += [f"% {line}" for line in text.splitlines()]
        for block in claim.statement:
            if isinstance(block, Display):
                lines += [r"\[", equation(block), r"\]"]
    return [lines[0], "% This needs \\usepackage{amsmath,amssymb}.", *lines[1:]]


def compile_books(folder: Path, mains: list[str]) -> None:
    """Compile exported books to PDF, and print how long it took."""
    from slrsym.documents.export.tex_compiler import (
        LatexCompileError,
        TeXMissingError,
        compile_document,
    )

    start = time.perf_counter()
    try:
        with doing("compiling LaTeX"):
            made = [compile_document(folder, main) for main in mains]
    except (TeXMissingError, LatexCompileError) as problem:
        typer.echo(f"error: {problem}\nthe .tex is in {folder}", err=True)
        raise typer.Exit(1) from None
    names = ", ".join(file.name for file in made[:3]) + (", ..." if made[3:] else "")
    typer.echo(f"compiled {names} in {time.perf_counter() - start:.1f} s")


@as_command
def html(
    claims: shared.CLAIMS = None,
    claim: ALSO = None,
    output: OUTPUT = None,
    title: TITLE = None,
    unproved: UNPROVED = False,
    docs: DOCS = None,
    paths: shared.PATHS = None,
    seed: shared.SEED = 0,
    workers: shared.WORKERS = None,
) -> None:
    """Write claims and their proofs as a static site.

    Claims are verified first. One that is not proved is not exported, unless --unproved asks for
    it, and then its page says so. The site needs no network and no server: open index.html.
    """
    claims = claims_from_options(claims, claim)
    output = require_output_folder(output, ".html")
    made = _Export(claims, paths, seed, workers, unproved)

    from slrsym.documents.export.site import MAIN, site_files

    with doing("writing the site"):
        files = site_files(made.document, title, _documentation(docs))
    made.write({output: files}, str(output / MAIN), f"{len(files)} files")


def _documentation(address: str | None) -> dict[str, str]:
    return {"Documentation": address} if address else {}


_HOW_TO = (
    "Coq 8.16 or newer with Coquelicot (Debian: apt-get install coq libcoq-coquelicot).\n"
    "In this folder, in this order:\n"
)


@as_command
def coq(
    claims: shared.CLAIMS = None,
    claim: ALSO = None,
    output: OUTPUT = None,
    paths: shared.PATHS = None,
) -> None:
    """Write claims and their steps as a development of Coq.

    Steps that Coq is known to prove are lemmas; of the others the reason is said. Coq is not needed
    for writing. To check the files, see README in DIR, or let verify --coq do it.
    """
    claims = claims_from_options(claims, claim)
    folder = require_output_folder(output, ".v")
    start = time.perf_counter()
    with doing("putting steps into words of Coq"):
        ledger = load_ledger(paths, claims)
        made = coq_development(ledger, claims or ledger.claims)
        files = made.file_texts()
    write_export_folder(
        folder, {**files, "README": _HOW_TO + " && ".join(f"coqc {f}" for f in files) + "\n"}
    )
    said = sum(bool(goal.text) for goal in made.all_goals)
    typer.echo(
        f"{folder}: {len(made.all_goals)} steps, {said} of them in words of Coq, "
        f"{len(made.tactics)} with a proof, {len(made.whole)} claims as a whole, "
        f"in {time.perf_counter() - start:.1f} s"
    )


LATEX, HTML = "latex", "html"


@as_command
def everything(
    claims: shared.CLAIMS = None,
    claim: ALSO = None,
    output: OUTPUT = None,
    title: TITLE = None,
    pdf: PDF = False,
    unproved: UNPROVED = False,
    docs: DOCS = None,
    paths: shared.PATHS = None,
    seed: shared.SEED = 0,
    workers: shared.WORKERS = None,
) -> None:
    """Write a LaTeX book to DIR/latex and a static site to DIR/html.

    Claims are verified once, and their proofs put into words once, for both. One that is not
    proved is not exported, unless --unproved asks for it, and then both say so.
    """
    claims = claims_from_options(claims, claim)
    book = require_output_folder(output and output / LATEX, ".tex")
    site = require_output_folder(output and output / HTML, ".html")
    made = _Export(claims, paths, seed, workers, unproved)

    from slrsym.documents.export.latex_book import MAIN, SITE, latex_book_files
    from slrsym.documents.export.site import site_files

    beside = _documentation(docs)
    printed = {"Book": f"../{LATEX}/book.pdf"} if pdf else {}
    with doing("writing the book and the site"):
        files = {
            book: latex_book_files(
                made.document,
                title=book_title(title, claims),
                beside={SITE: f"../{HTML}/index.html"} | beside,
            ),
            site: site_files(made.document, title, printed | beside),
        }
    made.write(files, f"{book} and {site}", f"{sum(map(len, files.values()))} files")
    if pdf:
        compile_books(book, [MAIN])
