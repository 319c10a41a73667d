"""The command that runs projected gradient descent and shows its endpoints."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from slrsym.cli import shared
from slrsym.cli.command_functions import as_command
from slrsym.cli.ends_of_runs import ends_of_runs, table_of_ends
from slrsym.files import DamagedFileError, read_start_arrays
from slrsym.jobs import Terminated
from slrsym.papers.single_location.commands import options

if TYPE_CHECKING:
    import xarray as xr

    from slrsym.papers.single_location.task import Task


_DEFAULTS: dict[str, Any] = {
    "d": 400,
    "L": 10,
    "epsilon": 0.0,
    "lam": "0.1",
    "alpha": 4e-3,
    "steps": 20_000,
    "every": 200,
    "runs": 30,
    "seed": 0,
    "start": "sphere",
    "backend": "auto",
}


# Fine enough for a smooth trajectory.
_PLANAR_EVERY = 10

# What can be changed when runs are resumed; all else is as it was.
_OF_RESUME = {"lam", "steps"}


def _option(name: str, text: str) -> Any:
    # What is not given is None, to be told from what is.
    default = _DEFAULTS.get(name.removeprefix("--").replace("-", "_"))
    shown = "" if default is None else f" [default: {default}]"
    return typer.Option(name, help=f"{text}{shown}")


@as_command
def simulate(
    d: Annotated[int | None, _option("--d", "Dimension of a token.")] = None,
    L: Annotated[int | None, _option("--L", "Number of tokens.")] = None,
    gamma: Annotated[
        float | None,
        _option("--gamma", "Standard deviation of the informative token. [default: root of 1/2]"),
    ] = None,
    gamma2: options.GAMMA2 = None,
    epsilon: Annotated[
        float | None, _option("--epsilon", "Standard deviation of the output noise.")
    ] = None,
    lam: Annotated[
        str | None,
        _option(
            "--lam",
            "Inverse temperature: a number, or a schedule, which is a formula in the step t such "
            "as 1/(1+1e-4*t) or 0.1+exp(-t/1000).",
        ),
    ] = None,
    alpha: Annotated[float | None, _option("--alpha", "Step size.")] = None,
    steps: Annotated[int | None, _option("--steps", "How many steps.")] = None,
    every: Annotated[
        int | None,
        _option("--every", "After how many steps the state is logged; 10 with --planar."),
    ] = None,
    runs: Annotated[int | None, _option("--runs", "How many runs, from a random start.")] = None,
    seed: Annotated[
        int | None, _option("--seed", "Of the random start, and of the batches.")
    ] = None,
    batch: Annotated[
        int | None,
        _option(
            "--batch",
            "Stochastic gradient descent: how many sequences of tokens each step draws. "
            "[default: none; their law is used]",
        ),
    ] = None,
    start: Annotated[
        str | None,
        _option(
            "--start",
            "sphere: k and v uniform; manifold: on M; one run from given overlaps "
            "kappa,nu,theta,eta,rho; or a file of unit vectors: .npz with k0 and v0 (and k_star, "
            "v_star, if they are not the first two axes), .npy with k0 above v0.",
        ),
    ] = None,
    backend: Annotated[
        str | None,
        _option("--backend", "numpy, numba, or auto: numba, or numpy where it cannot be had."),
    ] = None,
    output: Annotated[
        Path | None,
        shared.output_option("Save the runs, as netCDF, at the end and when interrupted."),
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Go on with the runs of a file, interrupted or not, up to --steps; they are saved "
            "there again, or in another file given by -o.",
        ),
    ] = None,
    planar: Annotated[
        bool,
        typer.Option("--planar", help="One run of kappa and nu on M, from --kappa0 and --nu0."),
    ] = False,
    kappa0: Annotated[float | None, _option("--kappa0", "Where it starts, with --planar.")] = None,
    nu0: Annotated[float | None, _option("--nu0", "Where it starts, with --planar.")] = None,
    plot: Annotated[
        Path | None, shared.plot_option("Draw the runs, with --planar over the vector field")
    ] = None,
    json_file: shared.JsonFile = None,
) -> None:
    """Run projected gradient descent, and show where it ends.

    Without options, 30 runs of the setting of figure 7b. With --planar --kappa0 K --nu0 N, the
    reduced dynamics on the invariant manifold.
    """
    given = {
        name: value
        for name, value in locals().items()
        if name not in ("output", "resume", "plot", "planar", "json_file") and value is not None
    }
    to_stdout = shared.is_json_on_stdout(json_file)
    _refuse_contradictions(given, resume, planar)
    if output is not None:
        shared.require_writable(output, "--output")
    shared.require_writable_plot(plot)
    vectors = Path(start) if start is not None and _is_of_vectors(start) else None
    written = ("--json", json_file), ("--plot", plot)
    shared.require_distinct_files(("--resume", resume), *written)
    shared.require_distinct_files(("--start", vectors), ("--output", output), *written)

    saved = output or resume

    def compute() -> xr.Dataset:
        return _run(given, planar, output) if resume is None else _resumed(resume, given, output)

    try:
        with shared.value_errors_as_usage_errors(), shared.show_warnings():
            found, lost = shared.result_and_saving_error(compute)
    except (KeyboardInterrupt, Terminated):
        if saved is not None and saved.is_file():
            typer.echo(f"slrsym paper single-location simulate --resume {saved} goes on", err=True)
        raise
    _show(found, planar, sys.stderr if to_stdout else sys.stdout)
    shared.write_json(json_file, _as_dict(found))
    if saved is not None and lost is None:
        typer.echo(f"saved in {saved}", err=to_stdout)
    if plot is not None:
        _draw(found, plot)
        typer.echo(f"drawn in {plot}", err=to_stdout)
    if lost is not None:
        raise lost


def _refuse_contradictions(given: dict[str, Any], resume: Path | None, planar: bool) -> None:
    def refuse(why: str, names: set[str]) -> None:
        for name in given:
            if name in names:
                raise typer.BadParameter(why, param_hint=f"--{name.replace('_', '-')}")

    if resume is not None:
        why = "cannot be changed for runs that are resumed; --steps, --lam, -o can"
        refuse(why, set(given) - _OF_RESUME)
        if planar:
            raise typer.BadParameter(
                f"the runs of {resume} say whether they are planar; leave out --planar",
                param_hint="--planar",
            )
        return
    if planar:
        refuse("there is one run, from --kappa0 and --nu0", {"runs", "seed", "start"})
        refuse("batches leave the manifold", {"batch"})
        for name in ("kappa0", "nu0"):
            if name not in given:
                raise typer.BadParameter(
                    f"is needed with --planar, such as --{name} 0.2", param_hint=f"--{name}"
                )
    else:
        refuse("needs --planar", {"kappa0", "nu0"})
    if given.get("start", "sphere") not in ("sphere", "manifold") and "batch" not in given:
        refuse("a given start is one run, without --batch", {"runs", "seed"})


def _run(given: dict[str, Any], planar: bool, output: Path | None) -> xr.Dataset:
    from slrsym.models.training.schedules import schedule_from_text
    from slrsym.papers.single_location.dynamics import VectorStart
    from slrsym.papers.single_location.dynamics import simulate as simulated

    of = _DEFAULTS | ({"every": _PLANAR_EVERY} if planar else {}) | given
    start = _planar_start(of) if planar else _start(of)
    if "d" not in given and isinstance(start, VectorStart):
        of["d"] = start.d
    with shared.value_errors_as_usage_errors("--lam"):
        schedule = schedule_from_text(of["lam"])
    return simulated(
        _task(of),
        start,
        schedule,
        of["alpha"],
        of["steps"],
        of["every"],
        of["backend"],
        batch=of.get("batch"),
        rng=of["seed"] if "batch" in of else None,
        path=output,
    )


def _task(of: dict[str, Any]) -> Task:
    from slrsym.papers.single_location.task import Task

    gamma = options.gamma_from_options(of.get("gamma"), of.get("gamma2"), options.USUAL_GAMMA)
    return Task(of["d"], of["L"], gamma, of["epsilon"])


def _start(of: dict[str, Any]) -> Any:
    import numpy as np

    from slrsym.papers.single_location.dynamics import ManifoldStart, OverlapStart, UniformStart

    text = of["start"]
    if _is_of_vectors(text):
        return _vectors_of(Path(text))
    if text in ("sphere", "manifold"):
        return {"sphere": UniformStart, "manifold": ManifoldStart}[text](of["runs"], of["seed"])
    try:
        overlaps = [float(part) for part in text.split(",")]
    except ValueError:
        overlaps = []
    if len(overlaps) != 5:
        raise ValueError(
            "start must be sphere, manifold, five numbers kappa,nu,theta,eta,rho, or a file .npy "
            f"or .npz; got {text!r}"
        )
    # With batches, as many runs as are asked for: each has its own.
    return OverlapStart(np.repeat([overlaps], of["runs"] if "batch" in of else 1, axis=0))


def _is_of_vectors(start: str) -> bool:
    return Path(start).suffix in (".npy", ".npz")


def _vectors_of(file: Path) -> Any:
    from slrsym.papers.single_location.dynamics import VectorStart

    arrays = read_start_arrays(file, ("k0", "v0", "k_star", "v_star"), ("k0", "v0"))
    if missing := [name for name in ("k0", "v0") if name not in arrays]:
        raise DamagedFileError(f"{file} must hold k0 and v0; it has no {missing[0]}")
    try:
        return VectorStart(**arrays)
    except (TypeError, ValueError) as problem:
        raise ValueError(f"{file}: {problem}") from None


def _planar_start(of: dict[str, Any]) -> list[list[float]]:
    for name in ("kappa0", "nu0"):
        if not -1 <= of[name] <= 1:
            raise ValueError(f"{name} must lie in [-1, 1]; got {of[name]!r}")
    return [[of["kappa0"], of["nu0"]]]


def _resumed(file: Path, given: dict[str, Any], output: Path | None) -> xr.Dataset:
    from slrsym.models.training.schedules import schedule_from_text
    from slrsym.papers.single_location.dynamics import resume

    schedule = given.get("lam")
    return resume(
        file,
        given.get("steps"),
        None if schedule is None else schedule_from_text(schedule),
        path=output,
    )


def _show(runs: xr.Dataset, planar: bool, stream: TextIO) -> None:
    from slrsym.cli.terminal_output import console

    if not planar:
        console(stream).print(table_of_ends(runs, _ends(runs)))
        return
    last = runs.isel(run=0, step=-1)
    typer.echo(
        f"kappa = {float(last.kappa):.6f}, nu = {float(last.nu):.6f}, "
        f"excess risk {float(last.excess_risk):.6f} after {int(runs.step[-1]):,} steps",
        file=stream,
    )


def _ends(runs: xr.Dataset) -> list[dict[str, float]]:
    from slrsym.papers.single_location.task import OrderParameters

    return ends_of_runs(runs, OrderParameters._fields, ("excess_risk", "distance"))


def _as_dict(runs: xr.Dataset) -> dict[str, Any]:
    return {"steps": int(runs.step[-1]), "settings": runs.attrs, "ends": _ends(runs)}


def _draw(runs: xr.Dataset, plot: Path) -> None:
    from slrsym.documents.figures.style import save_figure
    from slrsym.papers.single_location.figures.runs import runs_figure
    from slrsym.papers.single_location.figures.square import trajectories_figure

    if runs.sizes["run"] == 1 and not runs.distance.values.any():
        from slrsym.papers.single_location.surveys import SquareSurvey
        from slrsym.papers.single_location.task import task_from_settings

        task = task_from_settings(runs.attrs)
        # Where the inverse temperature varies, the field of the end.
        field = SquareSurvey(task, float(runs.lam[-1])).compute_field_data()
        figure = trajectories_figure(runs, field)
    else:
        figure = runs_figure(runs)
    save_figure(figure, plot)
