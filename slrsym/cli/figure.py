"""The command that draws the paper's figures."""

from __future__ import annotations

from contextlib import nullcontext
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from slrsym.cli.output import refusals, reported, require_writable
from slrsym.figures import FORMATS, NAMES

_ALL = "all"

_Name = StrEnum("_Name", {name: name for name in (*NAMES, _ALL)})  # type: ignore[misc]
_Format = StrEnum("_Format", {form: form for form in FORMATS})  # type: ignore[misc]
_PDF = _Format("pdf")


@reported()
def figure(
    names: Annotated[
        list[_Name], typer.Argument(metavar="FIGURE...", help="3, 4a, 4b, 5, 6, 7a, 7b, or all.")
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="DIR", help="Where to put them; is made if it is not there."
        ),
    ] = Path(),
    form: Annotated[
        _Format, typer.Option("--format", help="What files to write: figure-4a.pdf, and so on.")
    ] = _PDF,
    data: Annotated[
        Path | None,
        typer.Option(
            "--data",
            metavar="FILE",
            help="A netCDF file with the data of the figure. If it is there, it is read instead of "
            "computing again; interrupted runs in it are completed; data of other settings are "
            "refused and left alone. If it is not there, the data are saved in it. For more than "
            "one figure this is a folder, with a file figure-4a.nc and so on for each.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Draw the paper's figures, from its own parameters.

    Figures 4a, 4b, 5, 7a and 7b are made of 30 runs each, with all their steps; those of figure 5
    draw their tokens. Figure 3 compares the risks of the oracle and of the best linear predictor,
    by formula and by sampling; figure 6 shows the risk on the invariant manifold. The settings of
    figures 3 and 6 are not the paper's.
    """
    from slrsym import figures

    wanted = [name.value for name in names]
    chosen = NAMES if _ALL in wanted else tuple(dict.fromkeys(wanted))
    files = _data_files(chosen, data)
    _make_folder(output, "--output")
    targets = {name: output / f"figure-{name}.{form.value}" for name in chosen}
    for target in targets.values():
        require_writable(target, "--output")

    from slrsym.experiments import fetch
    from slrsym.figures.style import write

    for name, target in targets.items():
        with refusals("--data") if files else nullcontext():
            found = fetch(figures.recipe(name), files.get(name))
        write(figures.draw(name, found), target, form.value)
        typer.echo(f"figure {name}: {target}")


def _data_files(names: tuple[str, ...], data: Path | None) -> dict[str, Path]:
    if data is None:
        return {}
    if len(names) == 1 and not data.is_dir():
        files = {names[0]: data}
    else:
        _make_folder(data, "--data")
        files = {name: data / f"figure-{name}.nc" for name in names}
    for file in files.values():
        require_writable(file, "--data")
    return files


def _make_folder(folder: Path, option: str) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        raise typer.BadParameter(f"{folder} must be a folder", param_hint=option) from None
