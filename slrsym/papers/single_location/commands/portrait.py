"""The command that writes Theorem 5 as a page on which one can start orbits."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer

from slrsym.cli import shared
from slrsym.cli.command_functions import as_command
from slrsym.files import replace_atomically
from slrsym.papers.single_location.commands import options


@as_command
def portrait(
    output: Annotated[Path | None, shared.output_option("Where to write: a .html file.")] = None,
    lam: Annotated[float, typer.Option(help="Inverse temperature.")] = 0.1,
    alpha: Annotated[float, typer.Option(help="Step size.")] = 0.03,
    d: Annotated[int, typer.Option(min=2, help="Dimension of a token.")] = 400,
    gamma: options.GAMMA = None,
    gamma2: options.GAMMA2 = None,
    sweep: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Show this sweep, too, which recovery -o saved."),
    ] = None,
) -> None:
    """Write Theorem 5 as a page on which one can start orbits.

    The page runs the planar map by the formula that is derived from the risk. It is one file, and
    needs no network.
    """
    if output is None or output.suffix != ".html":
        raise typer.BadParameter(f"say where to write, a .html file; got {output}", param_hint="-o")
    for name, value in (("--lam", lam), ("--alpha", alpha)):
        if not 0 < value < math.inf:
            raise typer.BadParameter(f"{value} is not positive and finite", param_hint=name)
    shared.require_writable(output, "--output")
    from slrsym.papers.single_location.documents.phase_portrait import (
        SETTING,
        portrait_page_html,
        sweep_starts_and_verdicts,
    )

    deviation = options.gamma_from_options(gamma, gamma2, SETTING["gamma"])
    _require_finite_steps(lam, alpha, d, deviation)
    shown = None
    if sweep is not None:
        import xarray as xr

        if not sweep.is_file():
            raise typer.BadParameter(f"there is no file {sweep}", param_hint="--sweep")
        try:
            with xr.open_dataset(sweep) as data:
                shown = sweep_starts_and_verdicts(data)
        except (ValueError, OSError) as problem:
            raise typer.BadParameter(f"{sweep}: {problem}", param_hint="--sweep") from None
    setting = {"lambda": lam, "alpha": alpha, "d": d, "gamma": deviation}
    with replace_atomically(output) as draft:
        draft.write_text(portrait_page_html(setting, shown), encoding="utf-8")
    typer.echo(f"wrote {output}: open it in a browser")


def _require_finite_steps(lam: float, alpha: float, d: int, gamma: float) -> None:
    """Raise an error if a step of the map overflows at a point of the square."""
    import warnings

    from slrsym.papers.single_location.dynamics import simulate
    from slrsym.papers.single_location.task import Task

    with shared.value_errors_as_usage_errors():
        # The map does not depend on the number of tokens.
        task = Task(d, 2, gamma)
    try:
        with warnings.catch_warnings():
            # Of steps that are too long, the page tells more.
            warnings.simplefilter("ignore", RuntimeWarning)
            simulate(task, [[0.1, 0.2]], lam, alpha, 1, backend="numpy")
    except ValueError:
        raise typer.BadParameter(
            "--lam, --alpha, --d and --gamma must be such that no step overflows; got "
            f"lam = {lam:g}, alpha = {alpha:g}, d = {d:g}, gamma = {gamma:g}"
        ) from None
