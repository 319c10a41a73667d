"""Commands for any stated model: descent, critical points, recovery, and a check by samples."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from slrsym.cli import shared
from slrsym.cli.settings import SETTINGS, settings_from_options
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
STEPS = Annotated[int | None, typer.Option(min=1, help="How many steps.")]
ALPHA = Annotated[float | None, typer.Option(help="Step size.")]
RUNS = Annotated[int | None, typer.Option(min=1, help="How many runs, from random starts.")]
SEED = Annotated[int, typer.Option(min=0, metavar="N", help="Of the random numbers.")]
EVERY = Annotated[int | None, typer.Option(min=1, help="After how many steps the state is logged.")]
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
_DEFAULT = "single-location"


def _require_files(output: Path | None, json_file: Path | None) -> bool:
    """Require that the files of runs and numbers can be written; return whether JSON is printed."""
    to_stdout = shared.is_json_on_stdout(json_file)
    if output is not None:
        shared.require_writable(output, "--output")
    shared.require_distinct_files(("--output", output), ("--json", json_file))
    return to_stdout


def _report_saving(output: Path | None, lost: SavingFailedError | None, to_stdout: bool) -> None:
    """Say where runs are saved, or raise the error of saving them."""
    if lost is not None:
        raise lost
    if output is not None:
        typer.echo(f"saved in {output}", err=to_stdout)


def _found(name: str, given: list[str] | None) -> tuple[Model, RegisteredModel, dict[str, Any]]:
    """Return a model, with what is usual for it, and the values of its parameters."""
    values = settings_from_options(given)
    with shared.value_errors_as_usage_errors("MODEL"):
        entry = find_model(name)
        model = entry.make()
    return model, entry, {**entry.values, **values}


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
    """Return a name of a direction as it is typed: k_star for what is drawn as k^*."""
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


@shared.errors_as_exit_codes()
def simulate(
    model: MODEL = _DEFAULT,
    settings: SETTINGS = None,
    steps: STEPS = None,
    alpha: ALPHA = None,
    runs: RUNS = None,
    start: START = "uniform",
    every: EVERY = None,
    dimensions: DIMENSIONS = None,
    seed: SEED = 0,
    backend: BACKEND = "auto",
    output: OUTPUT = None,
    json_file: shared.JsonFile = None,
) -> None:
    """Run projected gradient descent, and show where it ends.

    It descends the risk of a model, by its exact gradient. The cost does not depend on the
    dimension. Without options, 30 runs of single-location regression.
    """
    to_stdout = _require_files(output, json_file)
    stated, entry, values = _found(model, settings)
    how = _training(entry, steps=steps, alpha=alpha, runs=runs, start=start, every=every)
    how |= _dimensions(dimensions)

    def compute() -> Any:
        return stated.simulate(values, **how, rng=seed, backend=backend, path=output)

    try:
        with _errors(), shared.show_warnings():
            found, lost = shared.result_and_saving_error(compute)
    except (KeyboardInterrupt, Terminated):
        if output is not None and output.is_file():
            typer.echo(f"--start {output} goes on", err=True)
        raise
    from slrsym.cli.ends_of_runs import ends_of_runs, table_of_ends
    from slrsym.cli.terminal_output import console

    each = [str(name) for name, values in found.items() if values.dims == ("run", "step")]
    near = [name for name in map(str, stated.order_parameters) if name in each]
    also = [name for name in ("excess_risk", "risk") if name in each][:1]
    ends = ends_of_runs(found, near, also)
    console(sys.stderr if to_stdout else sys.stdout).print(table_of_ends(found, ends))
    shared.write_json(
        json_file, {"steps": int(found.step[-1]), "settings": found.attrs, "ends": ends}
    )
    _report_saving(output, lost, to_stdout)


@shared.errors_as_exit_codes()
def landscape(
    model: MODEL = _DEFAULT,
    settings: SETTINGS = None,
    starts: Annotated[int, typer.Option(min=1, help="How many searches.")] = 50,
    seed: SEED = 0,
    json_file: shared.JsonFile = None,
) -> None:
    """List critical points of a model's risk, with their indices.

    They are those that searches from random starts find.
    """
    to_stdout = shared.is_json_on_stdout(json_file)
    stated, _, values = _found(model, settings)
    with _errors(), shared.show_warnings():
        found = stated.landscape(values, starts=starts, rng=seed)
    typer.echo(repr(found), err=to_stdout)
    shared.write_json(json_file, found.as_dicts())


@shared.errors_as_exit_codes()
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
    settings: SETTINGS = None,
    steps: STEPS = None,
    alpha: ALPHA = None,
    runs: RUNS = None,
    min_overlap: Annotated[
        float, typer.Option(min=0, max=1, help="From which overlap on a pair counts as aligned.")
    ] = 0.9,
    dimensions: DIMENSIONS = None,
    seed: SEED = 0,
    backend: BACKEND = "auto",
    output: OUTPUT = None,
    json_file: shared.JsonFile = None,
) -> None:
    """Count the runs that end with chosen directions aligned.

    They start at random.
    """
    to_stdout = _require_files(output, json_file)
    stated, entry, values = _found(model, settings)
    how = _training(entry, steps=steps, alpha=alpha, runs=runs) | _dimensions(dimensions)
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

    def compute() -> Any:
        return stated.recovery(
            values, chosen, **how, min_overlap=min_overlap, rng=seed, backend=backend, path=output
        )

    with _errors(), shared.show_warnings():
        found, lost = shared.result_and_saving_error(compute)
    typer.echo(repr(found), err=to_stdout)
    shared.write_json(
        json_file,
        {
            "fraction": found.fraction,
            "interval": list(found.interval),
            "runs": found.runs.sizes["run"],
            "settings": found.runs.attrs,
        },
    )
    _report_saving(output, lost, to_stdout)


@shared.errors_as_exit_codes()
def check(
    model: MODEL = _DEFAULT,
    settings: SETTINGS = None,
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
    with _errors(), shared.show_activity("sampling"):
        found = stated.check(values, samples=samples, rng=seed)
    typer.echo(repr(found), err=to_stdout)
    shared.write_json(
        json_file,
        {
            "passed": found.is_passed, "risk": found.risk, "estimate": found.estimate,
            "error": found.error, "z_scores": found.z_scores,
        },
    )  # fmt: skip
    if not found.is_passed:
        raise typer.Exit(1)
