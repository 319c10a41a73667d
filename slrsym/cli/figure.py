"""The command that draws the papers' figures."""

from __future__ import annotations

import time
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from slrsym.cli import shared
from slrsym.documents.figures import FORMATS, NAMES
from slrsym.files import SavingFailedError

_ALL = "all"

_Name = StrEnum("_Name", {name: name for name in (*NAMES, _ALL)})  # type: ignore[misc]
_Format = StrEnum("_Format", {form: form for form in FORMATS})  # type: ignore[misc]
_Noise = StrEnum("_Noise", {name: name for name in ("independent", "shared")})  # type: ignore[misc]
_PDF = _Format("pdf")


@shared.errors_as_exit_codes()
def figure(
    names: Annotated[
        list[_Name],
        typer.Argument(
            metavar="FIGURE...",
            help="1, 2, 3, 4a, 4b, 5 to 10, 7a, 7b, basins, plateau, noise-floor, stability; or "
            "all.",
        ),
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
            "refused and left alone. If it is not there, the data are saved in it. For more than "
            "one figure this is a folder, with a file figure-4a.nc and so on for each.",
        ),
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="For figures 1 and 2: the directory of a BERT, with config.json, vocab.txt and "
            "model.safetensors.",
        ),
    ] = None,
    d: Annotated[int | None, typer.Option(help="Dimension of a token.")] = None,
    L: Annotated[int | None, typer.Option("--L", help="Number of tokens.")] = None,
    gamma: Annotated[float | None, typer.Option(help="Deviation of the informative token.")] = None,
    gamma2: shared.GAMMA2 = None,
    epsilon: Annotated[float | None, typer.Option(help="Deviation of the noise.")] = None,
    lam: Annotated[
        str | None,
        typer.Option(
            help="Inverse temperature: a number, or the schedule LAM0/(1+C*t) with step t."
        ),
    ] = None,
    lam0: Annotated[float | None, typer.Option(help="Inverse temperature at step 0.")] = None,
    rate: Annotated[float | None, typer.Option(help="How it falls: lam0/(1 + rate t).")] = None,
    alpha: Annotated[float | None, typer.Option(help="Step size.")] = None,
    steps: Annotated[int | None, typer.Option(help="How many steps.")] = None,
    runs: Annotated[int | None, typer.Option(help="How many runs.")] = None,
    batch: Annotated[int | None, typer.Option(help="Sequences of tokens a step.")] = None,
    seed: Annotated[int | None, typer.Option(help="Of the random numbers.")] = None,
    noise: Annotated[
        _Noise | None,
        typer.Option(help="Of the informative tokens of figures 9 and 10; independent by default."),
    ] = None,
) -> None:
    """Draw the papers' figures, with their parameters or others.

    Figures 4a, 4b, 5, 7a and 7b are made of 30 runs each, with all their steps; those of figure 5
    draw their tokens. Figures 8 and 10 train Transformer layers, 9 two erf heads; they take some
    minutes. Figures 1 and 2 look into an encoder that is on this machine; without one, figure 2 is
    schematic. The settings of figures 3 and 6 are not the paper's. The figure basins is ours: the
    null set of Proposition 13. The figures plateau, noise-floor and stability are of committee
    machines, with settings of our own; the first two take some minutes. With all there is also a
    page, index.html. A parameter that is given takes the place of the paper's in every figure that
    is asked for, with all in those that have it, and the title says so.
    """
    from slrsym.documents import figures
    from slrsym.papers.single_location.experiments import parameter_names

    wanted = [name.value for name in names]
    every = _ALL in wanted
    chosen = NAMES if every else tuple(dict.fromkeys(wanted))
    given = {
        "d": d, "L": L, "gamma": shared.gamma_from_options(gamma, gamma2, None), "epsilon": epsilon,
        **_temperature(lam, lam0, rate),
        "alpha": alpha, "steps": steps, "runs": runs, "batch": batch, "seed": seed,
        "shared": None if noise is None else noise.value == "shared",
    }  # fmt: skip
    changes = {name: value for name, value in given.items() if value is not None}
    missing = "it needs an encoder: --model DIR; docs/how-to/probe.md says where to get one"
    left_out = {"1": missing} if every and model is None else {}
    recipes, notes = {}, {}
    for name in chosen:
        if name not in left_out:
            with shared.value_errors_as_usage_errors(f"figure {name}"):
                # Of all figures, each takes the parameters that it has.
                there = parameter_names(figures.recipe(name, model)) if every else changes
                own = {name: value for name, value in changes.items() if name in there}
                recipes[name], notes[name] = figures.recipe(name, model, **own), _said(own)
                # An encoder that is none is refused here, and not in the middle.
                recipes[name].settings  # noqa: B018
    files = _data_files(tuple(recipes), data)
    _make_folder(output, "--output")
    targets = {name: output / f"figure-{name}.{form.value}" for name in recipes}
    for target in targets.values():
        shared.require_writable(target, "--output")
        for saved in files.values():
            shared.require_distinct_files(("--output", target), ("--data", saved))

    from slrsym.documents.figures.style import GalleryEntry, gallery_page_html, save_figure
    from slrsym.files import replace_atomically
    from slrsym.papers.single_location.experiments import load_or_compute

    shown: list[GalleryEntry] = []
    lost: SavingFailedError | None = None
    for name, target in targets.items():
        begin = time.perf_counter()
        file = files.get(name)
        read = file is not None and file.exists()
        with (
            shared.show_warnings(),
            shared.value_errors_as_usage_errors("--data" if files else None),
        ):
            make = partial(load_or_compute, recipes[name], file)
            found, problem = shared.result_and_saving_error(make)
            lost = problem or lost
        drawn = figures.draw(name, found, notes[name])
        save_figure(drawn, target, form.value)
        typer.echo(f"figure {name}: {target}")
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
            settings = recipes[name].settings
            shown.append(
                GalleryEntry(name, image.name, settings, notes[name], said, f"Time: {took}.")
            )
    if every:
        shown += [GalleryEntry(name, problem=why) for name, why in left_out.items()]
        shown.sort(key=lambda one: NAMES.index(one.name))
        for name, why in left_out.items():
            typer.echo(f"figure {name}: not drawn; {why}", err=True)
        with replace_atomically(output / "index.html") as draft:
            draft.write_text(gallery_page_html(shown), encoding="utf-8")
        typer.echo(f"all: {output / 'index.html'}")
    if lost is not None:
        raise lost


def _temperature(lam: str | None, lam0: float | None, rate: float | None) -> dict[str, Any]:
    """Return the parameters of a figure's inverse temperature: lam, or lam0 and rate."""
    if lam is None:
        return {"lam0": lam0, "rate": rate}
    first, falling = shared.lam0_and_rate(lam)
    if falling is None:
        return {"lam": first, "lam0": lam0, "rate": rate}
    if lam0 is not None or rate is not None:
        raise typer.BadParameter(
            f"{lam!r} gives lam0 and rate; leave out --lam0 and --rate", param_hint="--lam"
        )
    return {"lam0": first, "rate": falling}


def _said(changes: dict[str, Any]) -> str:
    """Return a text with the parameters that differ from the paper's, for a title."""
    if not changes:
        return ""
    names = {"lam": "λ", "lam0": "λ at step 0", "gamma": "γ", "epsilon": "ε", "alpha": "α"}
    told = []
    for name, value in changes.items():
        if name == "shared":
            told.append(f"{'shared' if value else 'independent'} noise")
        elif name in ("runs", "steps"):
            told.append(f"{value:,} {name}")
        else:
            told.append(f"{names.get(name, name)} = {value:g}")
    return f"not the paper's: {', '.join(told)}"


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
