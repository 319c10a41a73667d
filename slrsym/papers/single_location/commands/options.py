"""Options of the task that commands share, and their examples."""

from __future__ import annotations

import math
from contextlib import suppress
from fractions import Fraction
from typing import Annotated, Any, TypeVar

import typer
from typer.core import TyperCommand

from slrsym.cli.shared import value_errors_as_usage_errors

DIMENSION = Annotated[int, typer.Option("--d", help="Dimension of a token.")]
TOKENS = Annotated[int, typer.Option("--L", help="Number of tokens.")]
GAMMA = Annotated[
    float | None,
    typer.Option(
        "--gamma", help="Standard deviation of the informative token. [default: root of 1/2]"
    ),
]

GAMMA2 = Annotated[
    str | None,
    typer.Option("--gamma2", metavar="NUMBER", help="Its square, instead: 0.5, or exactly 1/2."),
]


# Of the informative token, in most of the paper's figures.
USUAL_GAMMA = 0.5**0.5

_T = TypeVar("_T")


class CommandOfTask(TyperCommand):
    """A command of this paper's task, which refuses the --set of commands for any model."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the words after the command; --set is bad usage that names the way here."""
        for i, word in enumerate(args):
            if word == "--set" or word.startswith("--set="):
                raise typer.BadParameter(
                    "here each parameter has an option of its own, such as --d 100; got "
                    f"{' '.join(args[i : i + 1 + (word == '--set')])}",
                    ctx=ctx, param_hint="--set",
                )  # fmt: skip
        return super().parse_args(ctx, args)


def gamma_from_options(gamma: float | None, gamma2: str | None, default: _T) -> float | _T:
    """Return gamma from --gamma or --gamma2, at most one of which may be given."""
    refuse_both_gammas(None if gamma is None else f"{gamma:g}", gamma2)
    if gamma2 is None:
        return default if gamma is None else gamma
    return gamma_from_gamma2_text(gamma2)


def refuse_both_gammas(gamma: str | None, gamma2: str | None) -> None:
    """Raise an error if --gamma and --gamma2 are both given."""
    if gamma is not None and gamma2 is not None:
        raise typer.BadParameter(
            f"gamma is given already, by --gamma {gamma}; leave out one of the two",
            param_hint="--gamma2",
        )


def gamma_from_gamma2_text(gamma2: str) -> float:
    """Return the square root of a positive number or fraction, given as text."""
    with suppress(ValueError, ZeroDivisionError, OverflowError):
        if (square := float(Fraction(gamma2))) > 0:
            return math.sqrt(square)
    raise typer.BadParameter(f"must be a positive number; got {gamma2!r}", param_hint="--gamma2")


def lam0_and_rate(text: str) -> tuple[float, float | None]:
    """Return lam0 and c of a schedule LAM0/(1+C*t), or of a number that number and None."""
    from slrsym.models.training.schedules import Constant, InverseTimeDecay, schedule_from_text

    with value_errors_as_usage_errors("--lam"):
        schedule = schedule_from_text(text)
    if isinstance(schedule, Constant):
        return schedule.lam, None
    if isinstance(schedule, InverseTimeDecay):
        return schedule.lam0, schedule.c
    raise typer.BadParameter(
        f"must be a number, or a schedule LAM0/(1+C*t); got {text!r}", param_hint="--lam"
    )


EXAMPLES: dict[str, tuple[str, ...]] = {
    "compare": ("slrsym paper single-location compare --d 400 --L 10 --lam 0.1",),
    "simulate": (
        "slrsym paper single-location simulate --planar --kappa0 0.1 --nu0 0.2",
        "slrsym paper single-location simulate --d 80 --batch 5 --steps 9000 --plot runs.pdf",
    ),
    "landscape": (
        "slrsym paper single-location landscape --lam 0.9 --alpha 0.004",
        "slrsym paper single-location landscape --branches 0.02 3 --plot diagram.pdf",
    ),
    "recovery": (
        "slrsym paper single-location recovery --runs 1000 --plot basin.pdf",
        "slrsym paper single-location recovery --lam0 0.1,0.3,1 --rate 0,1e-4 -o grid.nc",
    ),
    "portrait": ("slrsym paper single-location portrait -o theorem-5.html --lam 0.3 --alpha 0.01",),
    "certify alpha": (
        "slrsym paper single-location certify alpha --lam 0.1 --gamma2 1/2 --d 400 -o alpha.json",
        "slrsym paper single-location certify alpha --lam 0.05..0.1 --alpha 0.2",
    ),
    "certify fixed-points": (
        "slrsym paper single-location certify fixed-points --lam 0.05..0.2 --d 400",
    ),
    "certify classification": (
        "slrsym paper single-location certify classification --lam 0.05..0.2 --d 400",
    ),
    "certify rates": ("slrsym paper single-location certify rates --alpha 0.004",),
    "certify check": ("slrsym paper single-location certify check alpha.json",),
}
