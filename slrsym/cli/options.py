"""Options and arguments that several commands have, and an example for the help of each."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

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
        help="How many processes to use; by default one for each core, if there are many claims.",
        show_default=False,
    ),
]


EXAMPLES: dict[str, tuple[str, ...]] = {
    "verify": (
        "slrsym verify",
        "slrsym verify --claim lemma-18-v -v",
        "slrsym verify my_derivations --json ledger.json",
        "slrsym verify --claim stein-multivariate --log proofs.log",
    ),
    "recheck": ("slrsym recheck proofs.log",),
    "axioms": ("slrsym axioms theorem-5",),
    "derivations": ("slrsym derivations", "slrsym derivations --copy my_derivations"),
    "compare": ("slrsym compare --d 400 --L 10 --lam 0.1",),
    "simulate": (
        "slrsym simulate --planar --kappa0 0.1 --nu0 0.2",
        "slrsym simulate --d 80 --batch 5 --steps 200000 -o runs.nc --plot runs.pdf",
    ),
    "figure": ("slrsym figure 4a 5 -o figures --format png",),
    "landscape": (
        "slrsym landscape --lam 0.9 --alpha 0.004",
        "slrsym landscape --branches 0.02 3 -o diagram.pdf",
    ),
    "recovery": (
        "slrsym recovery --runs 1000 --picture basin.pdf",
        "slrsym recovery --lam0 0.1,0.3,1 --rate 0,1e-4 -o grid.nc",
    ),
    "export latex": (
        "slrsym export latex -o book --pdf",
        "slrsym export latex lemma-18-v --snippet",
    ),
    "export html": ("slrsym export html -o site",),
    "export all": ("slrsym export all -o checked",),
    "certify alpha": (
        "slrsym certify alpha --lam 0.1 --gamma2 1/2 --d 400 -o alpha.json",
        "slrsym certify alpha --lam 0.05..0.1 --alpha 0.2",
    ),
    "certify fixed-points": ("slrsym certify fixed-points --lam 0.05..0.2 --d 400",),
    "certify classification": ("slrsym certify classification --lam 0.05..0.2 --d 400",),
    "certify rates": ("slrsym certify rates --alpha 0.004",),
    "certify check": ("slrsym certify check alpha.json",),
}

# What to try first.
_PROGRAM = ("slrsym verify", "slrsym figure 6 --format png", "slrsym simulate --help")

EXIT_CODES = """\
\b
Exit codes:
  0    all is well
  1    something failed: a claim is not proved, a certificate not shown, a file not written
  2    bad usage: an option or an argument that is not allowed
  130  interrupted
"""


def example(command: str) -> str:
    """The end of the help of a command, or of a group of them."""
    inside = [lines[0] for name, lines in EXAMPLES.items() if name.startswith(f"{command} ")]
    lines = EXAMPLES.get(command) or tuple(inside) or _PROGRAM
    title = "Example:" if len(lines) == 1 else "Examples:"
    return "\n".join(("\b", title, *(f"  {line}" for line in lines)))
