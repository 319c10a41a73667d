"""Options and arguments that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["CLAIMS", "DIMENSION", "GAMMA", "PATHS", "SEED", "TOKENS", "WORKERS"]

# -- of the task -------------------------------------------------------------------------------

DIMENSION = Annotated[int, typer.Option("--d", help="Dimension of a token.")]
TOKENS = Annotated[int, typer.Option("--L", help="Number of tokens.")]
GAMMA = Annotated[
    float | None,
    typer.Option(
        "--gamma",
        help="Standard deviation of the informative token. [default: root of 1/2]",
        show_default=False,
    ),
]

# -- of what verifies claims -------------------------------------------------------------------

CLAIMS = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="CLAIM",
        help="Ids of claims, which are exported with what they rest on; all by default.",
        show_default=False,
    ),
]
PATHS = Annotated[
    list[Path] | None,
    typer.Option(
        "--path",
        metavar="PATH",
        help="A file or folder of derivations; by default those of the package.",
        show_default=False,
    ),
]
SEED = Annotated[
    int,
    typer.Option(
        "--seed", min=0, metavar="N", help="Moves the random points of the numerical check."
    ),
]
WORKERS = Annotated[
    int | None,
    typer.Option(
        "--workers",
        min=1,
        metavar="N",
        help="How many processes to use; by default one for each core.",
        show_default=False,
    ),
]
