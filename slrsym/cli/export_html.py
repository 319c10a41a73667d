"""The command that exports checked claims as a static site."""

from __future__ import annotations

import time
from pathlib import Path

import typer

from slrsym.cli.checking import cores
from slrsym.cli.export import (
    OUTPUT,
    TITLE,
    UNPROVED,
    speaks_of_the_paper,
    verified,
    writable,
)
from slrsym.cli.options import CLAIMS, PATHS, SEED, WORKERS
from slrsym.cli.reporting import reported

__all__ = ["html", "site_title"]

_PAPER = "Attention layers provably solve single-location regression"


@reported()
def html(
    claims: CLAIMS = None,
    output: OUTPUT = None,
    title: TITLE = None,
    unproved: UNPROVED = False,
    paths: PATHS = None,
    seed: SEED = 0,
    workers: WORKERS = None,
) -> None:
    """Write claims and their proofs as a static site.

    Claims are verified first. One that is not proved is not exported, unless --unproved asks for
    it, and then its page says so. The site needs no network and no server: open index.html.
    """
    output = writable(output, ".html")
    start = time.perf_counter()
    ledger, rows, verdicts = verified(claims, paths, seed, workers or cores(), unproved)
    between = time.perf_counter()

    from slrsym.book.build import build
    from slrsym.book.folder import write_folder
    from slrsym.book.html.site import MAIN, site_files

    document = build(ledger, rows, verdicts, notation=speaks_of_the_paper(rows))
    files = site_files(document, site_title(title, paths))
    write_folder(output, files)
    end = time.perf_counter()
    typer.echo(
        f"verified {len(rows)} claims in {between - start:.1f} s; wrote {len(rows)} of them to "
        f"{output / MAIN} in {end - between:.1f} s: {len(files)} files"
    )


def site_title(title: str | None, paths: list[Path] | None) -> str:
    """What a site is called."""
    from slrsym.book.html.site import DEFAULT_TITLE

    return title or (DEFAULT_TITLE if paths else _PAPER)
