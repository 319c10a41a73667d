"""The command that counts the starts from which descent recovers the oracle."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from slrsym.cli import shared
from slrsym.cli.command_functions import as_command
from slrsym.jobs import Terminated
from slrsym.papers.single_location.commands import options

if TYPE_CHECKING:
    import xarray as xr
    from rich.console import Console
    from rich.table import Table


_WHERE = {
    "oracle": "at the oracle",
    "swap": "at a swap point",
    "manifold": "on the manifold",
    "moving": "still moving",
}

_SEVERAL = "NUMBER[,NUMBER...]"


def _values(name: str, text: str) -> Any:
    return typer.Option(name, metavar=_SEVERAL, help=text)


@as_command
def recovery(
    lam: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBER[,NUMBER...]|SCHEDULE",
            help="Inverse temperature: constant, or a schedule LAM0/(1+C*t) with step t; or, for "
            "a grid of schedules, --lam0 and --rate. [default: 1/(1+1e-4*t)]",
        ),
    ] = None,
    lam0: Annotated[
        str | None, _values("--lam0", "Inverse temperature at the start. [default: 1]")
    ] = None,
    rate: Annotated[
        str | None,
        _values(
            "--rate",
            "c in the schedule lam0/(1 + c t), t being the step; 0: constant. [default: 1e-4]",
        ),
    ] = None,
    d: Annotated[str, _values("--d", "Dimension of a token.")] = "400",
    L: Annotated[str, _values("--L", "Number of tokens.")] = "10",
    gamma: Annotated[
        str | None,
        _values("--gamma", "Standard deviation of the informative token. [default: root of 1/2]"),
    ] = None,
    gamma2: Annotated[str | None, _values("--gamma2", "Its square, instead.")] = None,
    alpha: Annotated[str, _values("--alpha", "Step size.")] = "4e-3",
    steps: Annotated[int, typer.Option(help="How many steps.")] = 120_000,
    runs: Annotated[int, typer.Option(help="How many runs, for each setting.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Of the random starts.")] = 0,
    workers: Annotated[
        int | None, typer.Option(min=1, help="How many processes. [default: one for each core]")
    ] = None,
    output: Annotated[
        Path | None,
        shared.output_option(
            "Save everything, as netCDF. What is interrupted goes on when the same is asked for "
            "again, from the folder FILE.parts; if FILE is complete, it is read."
        ),
    ] = None,
    json_file: shared.JsonFile = None,
    plot: Annotated[
        Path | None,
        shared.plot_option("Draw the starts by where their runs end, or fractions over a grid"),
    ] = None,
) -> None:
    """Count where gradient descent ends, from uniform k and v.

    At the oracle, up to its sign; at a swap point; near the manifold M but not at the oracle; or
    elsewhere; each with Wilson's 95% interval of its probability. Where runs still move after the
    last step, they are counted apart, and a range says which fractions are possible. Several values
    of an option, with commas between them, make a grid. Without options, the setting of figure 4a.
    """
    if output is not None:
        shared.require_writable(output, "--output")
    shared.require_writable_plot(plot)
    to_stdout = shared.is_json_on_stdout(json_file)
    shared.require_distinct_files(("--output", output), ("--json", json_file), ("--plot", plot))
    options.refuse_both_gammas(gamma, gamma2)

    axes: dict[str, Any] = {
        **_schedules(lam, lam0, rate),
        "d": _numbers("--d", d),
        "L": _numbers("--L", L),
        "gamma": _gammas(gamma, gamma2),
        "alpha": _numbers("--alpha", alpha),
    }
    single = all(len(values) == 1 for values in axes.values())
    many = [name for name, values in axes.items() if len(values) > 1]
    if plot is not None and len(many) > 2:
        raise typer.BadParameter(
            f"a picture has room for two options with several values; {', '.join(many)} have",
            param_hint="--plot",
        )

    from slrsym.cli import terminal_output
    from slrsym.papers.single_location.recovery import Setting, recover, sweep

    how: dict[str, Any] = {"runs": runs, "rng": seed, "workers": workers, "path": output}

    def compute() -> xr.Dataset:
        if single:
            return recover(Setting(**{name: x[0] for name, x in axes.items()}, steps=steps), **how)
        return sweep(**axes, steps=steps, **how)

    try:
        with shared.value_errors_as_usage_errors(), shared.show_warnings():
            found, lost = shared.result_and_saving_error(compute)
    except (KeyboardInterrupt, Terminated):
        if output is not None:
            typer.echo(f"the same command goes on, from {output}.parts", err=True)
        raise
    out = terminal_output.console(sys.stderr if to_stdout else sys.stdout)
    if single:
        names = ("lam0", "rate", "d", "L", "gamma", "alpha", "steps")
        told = ", ".join(f"{name} = {found.attrs[name]:.6g}" for name in names)
        out.print(told, soft_wrap=True)
        out.print(run_outcome_table(found))
        for line in _separating(found):
            out.print(line, soft_wrap=True)
    else:
        out.print(sweep_table(found, out))
    shared.write_json(json_file, _content(found, single))
    if output is not None and lost is None:
        out.print(f"saved in {output}", soft_wrap=True)
    if plot is not None:
        from slrsym.documents.figures.style import save_figure
        from slrsym.papers.single_location.figures.recovery import (
            starts_by_endpoint_figure,
            sweep_figure,
        )

        save_figure(starts_by_endpoint_figure(found) if single else sweep_figure(found), plot)
        out.print(f"drawn in {plot}", soft_wrap=True)
    if lost is not None:
        raise lost


def _schedules(lam: str | None, lam0: str | None, rate: str | None) -> dict[str, Any]:
    if lam is None:
        return {
            "lam0": _numbers("--lam0", "1" if lam0 is None else lam0),
            "rate": _numbers("--rate", "1e-4" if rate is None else rate),
        }
    for option, given in (("--lam0", lam0), ("--rate", rate)):
        if given is not None:
            raise typer.BadParameter(
                f"the schedule is given already, by --lam {lam}; leave out {option}",
                param_hint=option,
            )
    if "t" not in lam:
        return {"lam0": _numbers("--lam", lam), "rate": [0.0]}
    first, falling = options.lam0_and_rate(lam)
    return {"lam0": [first], "rate": [falling or 0.0]}


def _numbers(option: str, text: str) -> list[Any]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise typer.BadParameter(
            f"must be a number, or several with commas between them; got {text!r}",
            param_hint=option,
        ) from None


def _gammas(gamma: str | None, gamma2: str | None) -> list[Any]:
    if gamma is not None:
        return _numbers("--gamma", gamma)
    return [
        options.gamma_from_gamma2_text(part)
        for part in ("1/2" if gamma2 is None else gamma2).split(",")
    ]


# -- tables ------------------------------------------------------------------------------------


def _percent(x: float) -> str:
    return "-" if math.isnan(x) else f"{100 * x:.2f}%"


def _interval(lower: float, upper: float) -> str:
    if math.isnan(lower):
        return "-"
    # Where nothing was seen, the other end says how rare it may be.
    digits = ".2f" if upper >= 1e-4 else ".1g"
    return f"{100 * lower:.2f} to {100 * upper:{digits}}%"


def _short(x: float) -> str:
    """Return a fraction as a percentage's text, with enough digits to differ from 0 and 100."""
    percent = 100 * x
    if percent in (0, 100) or 9.95 <= percent <= 99:
        return f"{percent:.0f}"
    return f"{percent:.2f}" if percent > 99 else f"{percent:.2g}"


def possible_fraction_range(row: xr.Dataset, moving: int, runs: int) -> tuple[float, float]:
    """Return bounds of the fraction of runs with one outcome while some runs still move."""
    count = int(row["count"])
    return count / runs, (count + moving) / runs


def run_outcome_table(data: xr.Dataset) -> Table:
    """Return a table of the outcomes of runs, with bounds of fractions if some runs still move."""
    from slrsym.cli.terminal_output import empty_table

    runs, names = data.attrs["runs"], data.verdict_names.values.tolist()
    moving = int(data["count"][names.index("moving")])
    heads = (">possible fraction",) if moving else (">fraction", ">95% interval")
    result = empty_table("ends", ">runs", *heads, title=f"where {runs:,} runs end", show_edge=False)
    for i, name in enumerate(names):
        row = data.isel(verdict_names=i)
        if name == "moving" and not moving:
            continue
        cells = [_WHERE.get(name, name), f"{int(row['count']):,}"]
        if not moving:
            cells += [_percent(float(row.fraction)), _interval(float(row.lower), float(row.upper))]
        else:
            cells.append(
                "-" if name == "moving" else _interval(*possible_fraction_range(row, moving, runs))
            )
        result.add_row(*cells)
    if moving:
        result.caption = (
            f"{moving:,} of {runs:,} runs still move after {data.attrs['steps']:,} steps: they "
            "may end anywhere"
        )
    return result


def sweep_table(data: xr.Dataset, out: Console) -> Table:
    """Return a table of a sweep, with one line for each point, that fits the console if it can."""
    tables = (_grid_table(data, *how) for how in ((False, True), (True, True), (True, False)))
    return next((table for table in tables if _fits(table, out)), _grid_table(data, True, False))


def _fits(table: Table, out: Console) -> bool:
    from rich.measure import Measurement

    # Measured on a console of its own width, no table would be wider.
    return Measurement.get(out, out.options.update(width=10_000), table).maximum <= out.width


def _grid_table(data: xr.Dataset, short: bool, apart: bool) -> Table:
    """Return a table of a sweep: for each setting, the fraction of runs with each verdict."""
    from slrsym.cli.terminal_output import empty_table
    from slrsym.papers.single_location.recovery import VERDICTS

    runs = data.attrs["runs"]
    axes = [str(name) for name in data["count"].dims[:-1]]
    several = [name for name in axes if data.sizes[name] > 1]
    fixed = ", ".join(f"{x} = {data[x].item():.6g}" for x in axes if x not in several)
    title = f"{runs:,} runs of {data.attrs['steps']:,} steps each; {fixed}"
    shown = [x for x in VERDICTS if x != "moving" or data["count"].sel(verdict=x).any()]
    settings = [f">{name}" for name in several] if apart else ["~setting"]
    # Of the ends that the question is about, with the interval.
    heads = [f">{x} (95% interval)" if x in VERDICTS[:2] and not short else f">{x}" for x in shown]
    result = empty_table(*settings, *heads, title=title, show_edge=False)
    flat = data.stack(cell=axes)
    for i in range(flat.sizes["cell"]):
        cell = flat.isel(cell=i)
        at = {name: f"{cell[name].item():.6g}" for name in several}
        cells = [*at.values()] if apart else ["\n".join(f"{x} = {y}" for x, y in at.items())]
        moving = int(cell["count"].sel(verdict="moving"))
        for name in shown:
            row = cell.sel(verdict=name)
            cells.append(_cell(row, name, 0 if name == "moving" else moving, runs, short))
        result.add_row(*cells)
    if "moving" in shown:
        result.caption = "a range: what is possible, as moving runs may end anywhere"
    if short:
        about = f"{', '.join(VERDICTS[:2])}: with 95% interval"
        result.caption = f"{about}; {result.caption}" if result.caption else about
    return result


def _cell(row: xr.Dataset, name: str, moving: int, runs: int, short: bool) -> str:
    """Return a table cell: a fraction with its interval, or its range if some runs still move."""
    from slrsym.papers.single_location.recovery import VERDICTS

    if moving:
        low, high = possible_fraction_range(row, moving, runs)
        return f"{_short(low)}-{_short(high)}%" if short else _interval(low, high)
    fraction, lower, upper = float(row.fraction), float(row.lower), float(row.upper)
    said = f"{_short(fraction)}%" if short else _percent(fraction)
    if name not in VERDICTS[:2]:
        return said
    return (
        f"{said} ({_short(lower)}-{_short(upper)})"
        if short
        else f"{said} ({_interval(lower, upper)})"
    )


def _separating(data: xr.Dataset) -> list[str]:
    from slrsym.papers.single_location.recovery import fit_swap_prediction, modes, setting_of_runs

    decided, steps = data.decided.values, data.attrs["steps"]
    early = decided < steps
    after = f", after {decided[early].mean():,.0f} steps on average" if early.any() else ""
    lines = [f"{early.sum() or 'no'} verdicts were certain before the last step{after}"]
    found = fit_swap_prediction(data)
    if found is None:
        return lines
    lines.append("what tells swap points at the start, by the area under the ROC curve:")
    lines += [f"  {name:<22}{value:.3f}" for name, value in found.auc.items()]
    described = []
    for mode in modes(setting_of_runs(data)):
        (a, b), (x, y) = mode.weights, mode.overlaps
        described.append(f"{b:.3f} {y} {a:+.3f} {x} (growing at {mode.rate:.3f})")
    lines.append(f"  modes of the null point: {described[0]}; {described[1]}")
    a, b = found.weights
    lines.append(
        f"  both: log-odds {found.intercept:.3f} {a:+.3f} sqrt(d)|first| {b:+.3f} sqrt(d)|second|, "
        f"{found.fit_auc:.3f}"
    )
    return lines


def _content(data: xr.Dataset, single: bool) -> dict[str, Any]:
    from slrsym.papers.single_location.recovery import fit_swap_prediction

    settings = json.loads(data.attrs["settings"])
    if not single:
        grid = data.to_dict()
        return {
            "settings": settings,
            "coords": {name: grid["coords"][name]["data"] for name in grid["coords"]},
            "data": {
                name: {"dims": list(x["dims"]), "values": x["data"]}
                for name, x in grid["data_vars"].items()
            },
        }
    found = fit_swap_prediction(data)
    names = data.verdict_names.values.tolist()
    runs, moving = data.attrs["runs"], int(data["count"][names.index("moving")])
    return {
        "settings": settings,
        "verdicts": {
            name: {
                "count": int(data["count"][i]),
                **{x: float(data[x][i]) for x in ("fraction", "lower", "upper")},
                "possible": possible_fraction_range(
                    data.isel(verdict_names=i), 0 if name == "moving" else moving, runs
                ),
            }
            for i, name in enumerate(names)
        },
        "mean_decided": float(data.decided.mean()),
        "separation": None if found is None else found.as_dict(),
    }
