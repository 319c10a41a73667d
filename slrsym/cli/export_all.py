"""The command that exports checked claims as a LaTeX book and as a static site at once."""

from __future__ import annotations

import time

import typer

from slrsym.cli.checking import cores
from slrsym.cli.export import (
    OUTPUT,
    PDF,
    TITLE,
    UNPROVED,
    book_title,
    compile_books,
    speaks_of_the_paper,
    verified,
    writable,
)
from slrsym.cli.export_html import site_title
from slrsym.cli.options import CLAIMS, PATHS, SEED, WORKERS
from slrsym.cli.reporting import reported

__all__ = ["everything"]

LATEX, HTML = "latex", "html"


@reported()
def everything(
    claims: CLAIMS = None,
    output: OUTPUT = None,
    title: TITLE = None,
    pdf: PDF = False,
    unproved: UNPROVED = False,
    paths: PATHS = None,
    seed: SEED = 0,
    workers: WORKERS = None,
) -> None:
    """Write a LaTeX book to DIR/latex and a static site to DIR/html.

    Claims are verified once, and their proofs put into words once, for both. One that is not
    proved is not exported, unless --unproved asks for it, and then both say so.
    """
    book = writable(output and output / LATEX, ".tex")
    site = writable(output and output / HTML, ".html")
    start = time.perf_counter()
    ledger, rows, verdicts = verified(claims, paths, seed, workers or cores(), unproved)
    between = time.perf_counter()

    from slrsym.book.build import build
    from slrsym.book.folder import write_folder
    from slrsym.book.html.site import site_files
    from slrsym.book.latex import book_files
    from slrsym.book.latex.book import MAIN

    document = build(ledger, rows, verdicts, notation=speaks_of_the_paper(rows))
    files = {
        book: book_files(document, title=book_title(title, claims, paths)),
        site: site_files(document, site_title(title, paths)),
    }
    for folder, inside in files.items():
        write_folder(folder, inside)
    end = time.perf_counter()
    typer.echo(
        f"verified {len(rows)} claims in {between - start:.1f} s; wrote {len(rows)} of them to "
        f"{book} and {site} in {end - between:.1f} s: {sum(map(len, files.values()))} files"
    )
    if pdf:
        compile_books(book, [MAIN])
