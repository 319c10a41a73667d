"""The command that draws the papers' figures."""

from __future__ import annotations

import time
from enum import StrEnum
from functools import partial
from itertools import product
from pathlib import Path
from typing import Annotated, Any

import typer

from slrsym.cli import shared
from slrsym.cli.command_functions import as_command
from slrsym.cli.settings import (
    describe_settings,
    file_of_point,
    points_of_grid,
    settings_from_options,
    settings_option,
)
from slrsym.cli.silence import doing
from slrsym.documents.figures import FORMATS, figure_names
from slrsym.files import SavingFailedError

_ALL = "all"

with shared.show_warnings():
    _NAMES = figure_names()
_Name = StrEnum("_Name", {name: name for name in (*_NAMES, _ALL)})  # type: ignore[misc]
_Format = StrEnum("_Format", {form: form for form in FORMATS})  # type: ignore[misc]
_PDF = _Format("pdf")


@as_command
def figure(
    names: Annotated[
        list[_Name],
        typer.Argument(metavar="FIGURE...", help=f"{', '.join(_NAMES)}; or all."),
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
            metavar="FILE",
            help="A netCDF file with the data of the figure. If it is there, it is read instead of "
            "computing again; interrupted runs in it are completed; data of other settings are "
            "refused and left alone. If it is not there, the data are saved in it. For several "
            "figures or values this is a folder, with a file figure-4a.nc and so on for each.",
        ),
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="For figures that look into an encoder: the directory of a BERT, with "
            "config.json, vocab.txt and model.safetensors.",
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        settings_option("a file for each point of it, such as figure-4a-d-100.pdf"),
    ] = None,
) -> None:
    """Draw the papers' figures, with their parameters or others.

    Some take minutes: those that train layers or heads, and those of committee machines. With all
    there is also a page, index.html. A parameter that is set takes the place of the paper's in
    every figure that is asked for, with all in those that have it, and the title says so.
    """
    from slrsym.documents import figures
    from slrsym.documents.figures.recipes import load_or_compute, parameter_names

    wanted = [name.value for name in names]
    every = _ALL in wanted
    chosen = _NAMES if every else tuple(dict.fromkeys(wanted))
    points = list(points_of_grid(settings_from_options(settings)))
    if every and len(points) > 1:
        given = " ".join(text for text in settings or () if "," in text)
        raise typer.BadParameter(
            f"several values are for figures that are named, not for all; got {given}",
            param_hint="--set",
        )
    # Figures by the names of their files, which say a point of a grid, too.
    recipes, notes, left_out, drawn_as = {}, {}, {}, {}
    for name, (here, changes) in product(chosen, points):
        if every and model is None and (missing := figures.reason_without_model(name)):
            left_out[name] = missing
        else:
            with shared.value_errors_as_usage_errors(f"figure {name}"):
                # Of all figures, each takes the parameters that it has.
                there = parameter_names(figures.recipe(name, model)) if every else changes
                own = {name: value for name, value in changes.items() if name in there}
                label = file_of_point(Path(name), here).name
                recipes[label], notes[label] = figures.recipe(name, model, **own), _said(own)
                drawn_as[label] = name
                # An encoder that is none is refused here, and not in the middle.
                recipes[label].settings  # noqa: B018
    files = _data_files(tuple(recipes), data)
    _make_folder(output, "--output")
    targets = {label: output / f"figure-{label}.{form.value}" for label in recipes}
    if len(recipes) + len(left_out) < len(chosen) * len(points):
        raise typer.BadParameter("two values make files of one name", param_hint="--set")
    for target in targets.values():
        shared.require_writable(target, "--output")
        for saved in files.values():
            shared.require_distinct_files(("--output", target), ("--data", saved))

    from slrsym.documents.figures.style import GalleryEntry, gallery_page_html, save_figure
    from slrsym.files import replace_atomically

    shown: list[GalleryEntry] = []
    lost: SavingFailedError | None = None
    for label, target in targets.items():
        begin, name = time.perf_counter(), drawn_as[label]
        file = files.get(label)
        read = file is not None and file.exists()
        with (
            doing(f"computing figure {label}"),
            shared.show_warnings(),
            shared.value_errors_as_usage_errors("--data" if files else None),
        ):
            make = partial(load_or_compute, recipes[label], file)
            found, problem = shared.result_and_saving_error(make)
            lost = problem or lost
        with doing(f"drawing figure {label}"):
            drawn = figures.draw(name, found, notes[label])
            save_figure(drawn, target, form.value)
        typer.echo(f"figure {label}: {target}")
        if said := figures.conclusion(name, found):
            typer.echo(f"  {said}")
        if every:
            image = target
            if form.value == "pdf":
                image = target.with_suffix(".png")
                save_figure(drawn, image)
            took = f"{time.perf_counter() - begin:.1f} s" + (
                ", data read from a file" if read else ""
            )
            of = recipes[label].settings
            shown.append(
                GalleryEntry(
                    name,
                    *figures.title_and_caption(name),
                    image.name,
                    of,
                    notes[label],
                    said,
                    f"Time: {took}.",
                )
            )
    if every:
        shown += [
            GalleryEntry(name, *figures.title_and_caption(name), problem=why)
            for name, why in left_out.items()
        ]
        shown.sort(key=lambda one: _NAMES.index(one.name))
        for name, why in left_out.items():
            typer.echo(f"figure {name}: not drawn; {why}", err=True)
        with replace_atomically(output / "index.html") as draft:
            draft.write_text(gallery_page_html(shown), encoding="utf-8")
        typer.echo(f"all: {output / 'index.html'}")
    if lost is not None:
        raise lost


def _said(changes: dict[str, Any]) -> str:
    """Return a text with the parameters that differ from the paper's, for a title."""
    return f"not the paper's: {describe_settings(changes)}" if changes else ""


def _data_files(names: tuple[str, ...], data: Path | None) -> dict[str, Path]:
    if data is None:
        return {}
    if len(names) == 1 and not data.is_dir():
        files = {names[0]: data}
    else:
        _make_folder(data, "--data")
        files = {name: data / f"figure-{name}.nc" for name in names}
    for file in files.values():
        shared.require_writable(file, "--data")
    return files


def _make_folder(folder: Path, option: str) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        why = "it is a file" if folder.is_file() else problem.strerror
        raise typer.BadParameter(
            f"cannot make the folder {folder} ({why}); name a folder that you may write to",
            param_hint=option,
        ) from None
