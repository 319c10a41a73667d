"""The command that exports checked claims as a static site."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from slrsym.commands.checking import cores
from slrsym.commands.export import (
    OUTPUT,
    PATHS,
    SEED,
    UNPROVED,
    WORKERS,
    verified,
    writable,
)
from slrsym.commands.reporting import reported

__all__ = ["html"]

_PAPER = "Attention layers provably solve single-location regression"


@reported()
def html(
    claims: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="CLAIM",
            help="Ids of claims, which are exported with what they rest on; all by default.",
            show_default=False,
        ),
    ] = None,
    output: OUTPUT = None,
    title: Annotated[
        str | None,
        typer.Option("--title", help="What the site is called.", show_default=False),
    ] = None,
    unproved: UNPROVED = False,
    paths: PATHS = None,
    seed: SEED = 0,
    workers: WORKERS = None,
) -> None:
    """Write claims and their proofs as a static site.

    Claims are verified first. One that is not proved is not exported, unless --unproved asks for
    it, and then its page says so. The site needs no network and no server: open index.html.
    """
    output = writable(output)
    start = time.perf_counter()
    ledger, rows, verdicts = verified(claims, paths, seed, workers or cores(), unproved)
    between = time.perf_counter()

    from slrsym.export.build import build
    from slrsym.export.folder import write_folder
    from slrsym.export.html.site import DEFAULT_TITLE, MAIN, site_files
    from slrsym.proof.ledger import builtin_ledger

    # The paper's letters are of use where its claims are.
    of_paper = set(builtin_ledger().claims)
    notation = any(row.id in of_paper for row in rows)
    document = build(ledger, rows, verdicts, notation=notation)
    named = title or (DEFAULT_TITLE if paths else _PAPER)
    files = site_files(document, named)
    write_folder(output, files)
    end = time.perf_counter()
    typer.echo(
        f"verified {len(rows)} claims in {between - start:.1f} s; wrote {len(rows)} of them to "
        f"{output / MAIN} in {end - between:.1f} s: {len(files)} files"
    )
