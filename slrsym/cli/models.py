"""Commands for any stated model: descent, critical points, recovery, and a check by samples."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from slrsym.cli import shared
from slrsym.cli.command_functions import as_command
from slrsym.cli.settings import (
    describe_settings,
    file_of_point,
    points_of_grid,
    setting_text,
    settings_from_options,
    settings_option,
)
from slrsym.files import SavingFailedError
from slrsym.jobs import Terminated
from slrsym.models.registered_models import RegisteredModel, find_model, registered_models

if TYPE_CHECKING:
    from slrsym.models.stated_model import Model

with shared.show_warnings():
    _NAMES = registered_models()
MODEL = Annotated[
    str,
    typer.Argument(metavar="MODEL", help=f"FILE.py:NAME, or a name: {', '.join(_NAMES)}."),
]
_OF_RUNS = settings_option(
    "a table for each point of it; with -o runs.nc, files such as runs-d-100.nc"
)
_OF_TABLES = settings_option("a table for each point of it")
_OF_ROWS = settings_option("a row for each point of it; with -o, one file of all")
STEPS = Annotated[
    int | None, typer.Option(min=1, help="How many steps; needed for a model from a file.")
]
ALPHA = Annotated[float | None, typer.Option(help="Step size; needed for a model from a file.")]
RUNS = Annotated[int | None, typer.Option(min=1, help="How many runs, from random starts.")]
SEED = Annotated[int, typer.Option(min=0, metavar="N", help="Of the random numbers.")]
EVERY = Annotated[int | None, typer.Option(min=1, help="After how many steps the state is logged.")]
BATCH = Annotated[
    int | None,
    typer.Option(
        min=1, help="How many samples each step draws; by default it descends on their law."
    ),
]
SAMPLES_OF_RUN = Annotated[
    int | None,
    typer.Option(
        "--samples",
        min=1,
        help="How many samples each run has, drawn once, of which a step takes all or --batch; by "
        "default it draws fresh ones, or descends on their law.",
    ),
]
BACKEND = Annotated[str, typer.Option(help="numpy, numba, or auto.")]
START = Annotated[
    str,
    typer.Option(
        help="uniform; or a file: .npz with a vector for each direction, by its name; .nc with "
        "runs, which go on."
    ),
]
DIMENSIONS = Annotated[
    str | None,
    typer.Option(metavar="N,N,...", help="Dimensions of the eigenspaces, which add up to d."),
]
OUTPUT = Annotated[
    Path | None,
    shared.output_option("Save the runs, as netCDF, at the end and when interrupted."),
]
OUTPUT_OF_COUNTS = Annotated[
    Path | None,
    shared.output_option(
        "Save the runs, or the counts of a grid, as netCDF, also when interrupted. A grid goes on "
        "when the same is asked for again; if FILE is complete, it is read."
    ),
]
# Of the first paper that registers any.
_DEFAULT = next(iter(_NAMES), "")


def _require_files(outputs: Iterable[Path], json_file: Path | None) -> bool:
    """Require that the files of runs and numbers can be written; return whether JSON is printed."""
    to_stdout = shared.is_json_on_stdout(json_file)
    files = list(outputs)
    for file in files:
        shared.require_writable(file, "--output")
    shared.require_distinct_files(*(("--output", file) for file in files), ("--json", json_file))
    return to_stdout


def _report_saving(output: Path | None, lost: SavingFailedError | None, to_stdout: bool) -> None:
    """Say where runs are saved, or raise the error of saving them."""
    if lost is not None:
        raise lost
    if output is not None:
        typer.echo(f"saved in {output}", err=to_stdout)


def _write_points(file: Path | None, found: list[tuple[dict[str, Any], dict[str, Any]]]) -> None:
    """Write what was found at each point as JSON: alone if there is one, or with its settings."""
    if len(found) == 1 and not found[0][0]:
        shared.write_json(file, found[0][1])
    else:
        shared.write_json(file, [{"set": _plain_values(here), **told} for here, told in found])


def _plain_values(here: dict[str, Any]) -> dict[str, Any]:
    return {n: x if isinstance(x, int | float) else setting_text(x) for n, x in here.items()}


def _found(name: str, given: list[str] | None) -> tuple[Model, RegisteredModel, dict[str, Any]]:
    """Return a model, with what is usual for it, and the values of its parameters."""
    values = settings_from_options(given)
    with shared.value_errors_as_usage_errors("MODEL"):
        entry = find_model(name)
        model = entry.make()
    usual = {name: value for name, value in entry.values.items() if name not in values}
    return model, entry, {**usual, **values}


def _training(entry: RegisteredModel, **given: Any) -> dict[str, Any]:
    """Return the parameters of descent, each given or usual; raise an error if one is needed."""
    found = {name: value for name, value in given.items() if value is not None}
    if "start" in found and found["start"] != "uniform":
        # Each point of a file has its run.
        usual = {name: value for name, value in entry.training.items() if name != "runs"}
    else:
        usual = dict(entry.training)
    result = {**usual, **found}
    for name, example in (("steps", "1000"), ("alpha", "0.01")):
        if name not in result:
            raise typer.BadParameter(f"is needed, such as {example}", param_hint=f"--{name}")
    return result


def _plain(name: str) -> str:
    """Return a name of a direction as it is typed: u_star for what is drawn as u^*."""
    return re.sub(r"[^A-Za-z0-9]+", "_", name.replace("*", "star")).strip("_")


def _dimensions(text: str | None) -> dict[str, list[int]]:
    if text is None:
        return {}
    try:
        return {"dimensions": [int(part) for part in text.split(",")]}
    except ValueError:
        raise typer.BadParameter(
            f"must be integers such as 10,90; got {text!r}", param_hint="--dimensions"
        ) from None


_MISSING = "values must have a number for "


@contextmanager
def _errors() -> Iterator[None]:
    """Turn errors of a model's methods into usage errors, in the words of the options."""
    with shared.value_errors_as_usage_errors(also=TypeError):
        try:
            yield
        except ValueError as problem:
            name = str(problem).removeprefix(_MISSING)
            if not name.isidentifier():
                raise
            raise typer.BadParameter(
                f"{name} is needed, such as --set {name}=0.1", param_hint="--set"
            ) from None


@as_command
def simulate(
    model: MODEL = _DEFAULT,
    settings: Annotated[list[str] | None, _OF_RUNS] = None,
    steps: STEPS = None,
    alpha: ALPHA = None,
    runs: RUNS = None,
    start: START = "uniform",
    every: EVERY = None,
    batch: BATCH = None,
    samples: SAMPLES_OF_RUN = None,
    dimensions: DIMENSIONS = None,
    seed: SEED = 0,
    backend: BACKEND = "auto",
    output: OUTPUT = None,
    json_file: shared.JsonFile = None,
) -> None:
    """Run projected gradient descent, and show where it ends.

    It descends the risk of a model, by its exact gradient, or with --batch or --samples by that of
    samples. The cost does not depend on the dimension. Without options, these are the usual runs of
    the default model.
    """
    stated, entry, values = _found(model, settings)
    points = list(points_of_grid(values))
    files = [file_of_point(output, here) for here, _ in points] if output is not None else []
    to_stdout = _require_files(files, json_file)
    how = _training(entry, steps=steps, alpha=alpha, runs=runs, start=start, every=every)
    how |= _dimensions(dimensions) | {"batch": batch, "samples": samples}
    from slrsym.cli.ends_of_runs import ends_of_runs, table_of_ends
    from slrsym.cli.terminal_output import console

    out = console(sys.stderr if to_stdout else sys.stdout)
    told = []
    for (here, there), file in zip_longest(points, files):

        def compute(there: Any = there, file: Any = file) -> Any:
            return stated.simulate(there, **how, rng=seed, backend=backend, path=file)

        try:
            with _errors(), shared.show_warnings():
                found, lost = shared.result_and_saving_error(compute)
        except (KeyboardInterrupt, Terminated):
            if file is not None and file.is_file():
                typer.echo(f"--start {file} goes on", err=True)
            raise
        each = [str(name) for name, values in found.items() if values.dims == ("run", "step")]
        near = [name for name in map(str, stated.order_parameters) if name in each]
        also: list[str] = [next(name for name in ("excess_risk", "risk") if name in each)]
        also += ["training_risk"] * ("training_risk" in each)
        ends = ends_of_runs(found, near, also)
        out.print(table_of_ends(found, ends, describe_settings(here)))
        told.append((here, {"steps": int(found.step[-1]), "settings": found.attrs, "ends": ends}))
        _report_saving(file, lost, to_stdout)
    _write_points(json_file, told)


def _print_heading(here: dict[str, Any], to_stderr: bool) -> None:
    """Print what tells a point of a grid apart, as the heading of what is found there."""
    if here:
        typer.echo(f"{describe_settings(here)}:", err=to_stderr)


@as_command
def landscape(
    model: MODEL = _DEFAULT,
    settings: Annotated[list[str] | None, _OF_TABLES] = None,
    starts: Annotated[int, typer.Option(min=1, help="How many searches.")] = 50,
    seed: SEED = 0,
    json_file: shared.JsonFile = None,
) -> None:
    """List critical points of a model's risk, with their indices.

    They are those that searches from random starts find.
    """
    to_stdout = shared.is_json_on_stdout(json_file)
    stated, _, values = _found(model, settings)
    told = []
    for here, there in points_of_grid(values):
        with _errors(), shared.show_warnings():
            found = stated.landscape(there, starts=starts, rng=seed)
        _print_heading(here, to_stdout)
        typer.echo(repr(found), err=to_stdout)
        told.append((here, found.as_dicts()))
    if len(told) == 1 and not told[0][0]:
        shared.write_json(json_file, told[0][1])
    else:
        _write_points(json_file, [(here, {"points": points}) for here, points in told])


@as_command
def recovery(
    pairs: Annotated[
        list[str],
        typer.Option(
            "--pair",
            metavar="TRAINED,TRUE",
            help="Names of two directions that have to be aligned at the end, up to sign. Can be "
            "given several times.",
        ),
    ],
    model: MODEL = _DEFAULT,
    settings: Annotated[list[str] | None, _OF_ROWS] = None,
    steps: STEPS = None,
    alpha: ALPHA = None,
    runs: RUNS = None,
    min_overlap: Annotated[
        float, typer.Option(min=0, max=1, help="From which overlap on a pair counts as aligned.")
    ] = 0.9,
    batch: BATCH = None,
    samples: SAMPLES_OF_RUN = None,
    dimensions: DIMENSIONS = None,
    seed: SEED = 0,
    backend: BACKEND = "auto",
    output: OUTPUT_OF_COUNTS = None,
    json_file: shared.JsonFile = None,
) -> None:
    """Count the runs that end with chosen directions aligned.

    They start at random, at each point of a grid alike. What is saved of a grid is the counts; if
    that was interrupted, the same command goes on.
    """
    to_stdout = _require_files(() if output is None else (output,), json_file)
    stated, entry, values = _found(model, settings)
    how = _training(entry, steps=steps, alpha=alpha, runs=runs) | _dimensions(dimensions)
    chosen = _pairs(stated, pairs)
    how |= {
        "min_overlap": min_overlap,
        "batch": batch,
        "samples": samples,
        "rng": seed,
        "backend": backend,
        "path": output,
    }
    grid = {name: axis for name, axis in values.items() if isinstance(axis, tuple)}
    if grid:
        _recovery_on_grid(stated, values, grid, chosen, how, output, json_file, to_stdout)
        return
    with _errors(), shared.show_warnings():
        found, lost = shared.result_and_saving_error(lambda: stated.recovery(values, chosen, **how))
    typer.echo(repr(found), err=to_stdout)
    shared.write_json(
        json_file,
        {
            "fraction": None if found.undecided else found.fraction,
            "interval": list(found.interval),
            "undecided": found.undecided,
            "runs": found.runs.sizes["run"],
            "settings": found.runs.attrs,
        },
    )
    _report_saving(output, lost, to_stdout)


def _pairs(stated: Model, pairs: list[str]) -> list[tuple[Any, Any]]:
    """Return the pairs of directions that are named as TRAINED,TRUE."""
    by_name = {_plain(direction.name): direction for direction in stated.directions}
    chosen = []
    for text in pairs:
        names = [_plain(part) for part in text.split(",")]
        if len(names) != 2 or any(name not in by_name for name in names):
            raise typer.BadParameter(
                f"must be two of {', '.join(by_name)}, such as "
                f"{','.join(list(by_name)[:2])}; got {text!r}",
                param_hint="--pair",
            )
        chosen.append((by_name[names[0]], by_name[names[1]]))
    return chosen


def _recovery_on_grid(
    stated: Model,
    values: dict[str, Any],
    grid: dict[str, tuple[Any, ...]],
    pairs: list[tuple[Any, Any]],
    how: dict[str, Any],
    output: Path | None,
    json_file: Path | None,
    to_stdout: bool,
) -> None:
    fixed = {name: value for name, value in values.items() if name not in grid}
    try:
        with _errors(), shared.show_warnings():
            found, lost = shared.result_and_saving_error(
                lambda: stated.recovery_sweep(fixed, grid, pairs, **how)
            )
    except (KeyboardInterrupt, Terminated):
        if output is not None:
            typer.echo(f"the same command goes on, from {output}.parts", err=True)
        raise
    from slrsym.cli.terminal_output import console, empty_table
    from slrsym.models.model_reports import share_text

    runs, steps = found.attrs["runs"], found.attrs["steps"]
    table = empty_table(
        *(f">{name}" for name in grid), ">recovered", ">95% interval",
        title=f"{runs:,} runs of {steps:,} steps each",
    )  # fmt: skip
    rows = []
    flat = found[["count", "undecided", "fraction", "lower", "upper"]].stack(cell=list(grid))
    for i, (here, _) in enumerate(points_of_grid(grid)):
        cell = {name: values.values[i].item() for name, values in flat.data_vars.items()}
        most = cell["count"] + cell["undecided"]
        table.add_row(
            *map(setting_text, here.values()),
            share_text(cell["fraction"], tuple(n / runs for n in (cell["count"], most))),
            f"{100 * cell['lower']:.3g} to {100 * cell['upper']:.3g} %",
        )
        interval = [cell["lower"], cell["upper"]]
        told = {"fraction": None if cell["undecided"] else cell["fraction"], "interval": interval}
        rows.append((here, {**told, "undecided": cell["undecided"], "runs": runs}))
    console(sys.stderr if to_stdout else sys.stdout).print(table)
    _write_points(json_file, rows)
    _report_saving(output, lost, to_stdout)


@as_command
def check(
    model: MODEL = _DEFAULT,
    settings: Annotated[list[str] | None, _OF_TABLES] = None,
    samples: Annotated[int, typer.Option(min=2, help="How many sequences of tokens.")] = 100_000,
    seed: SEED = 0,
    json_file: shared.JsonFile = None,
) -> None:
    """Compare a model's risk and gradient with sampled tokens.

    They are compared at a random point, with tokens in R^d. The exit code is 1 if they differ by
    five standard errors or more.
    """
    to_stdout = shared.is_json_on_stdout(json_file)
    stated, _, values = _found(model, settings)
    told, passed = [], True
    for here, there in points_of_grid(values):
        with _errors(), shared.show_activity("sampling"):
            found = stated.check(there, samples=samples, rng=seed)
        _print_heading(here, to_stdout)
        typer.echo(repr(found), err=to_stdout)
        passed &= found.is_passed
        told.append(
            (
                here,
                {
                    "passed": found.is_passed, "risk": found.risk, "estimate": found.estimate,
                    "error": found.error, "z_scores": found.z_scores,
                },
            )
        )  # fmt: skip
    _write_points(json_file, told)
    if not passed:
        raise typer.Exit(1)
