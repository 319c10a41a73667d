"""Figures 4a, 4b, 5, 7a and 7b: runs of projected gradient descent."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import (
    EngFormatter,
    LogLocator,
    MaxNLocator,
    NullFormatter,
    StrMethodFormatter,
)

from slrsym.documents.figures.style import (
    COLOURS,
    WIDTH,
    absolute_value_tex,
    figure_style_context,
    label_panel,
    number_tex,
    task_tex,
)
from slrsym.models.training.runs import wilson_intervals
from slrsym.models.training.schedules import Constant, Formula, InverseTimeDecay, schedule_from_text
from slrsym.papers.single_location.dynamics import simulate
from slrsym.papers.single_location.figures.square import (
    PATH_COLOURS,
    draw_trajectories,
    format_square_axes,
)
from slrsym.papers.single_location.task import OrderParameters, task_from_settings

_BAND = (0.025, 0.975)

# A second kind of line, told apart from the first in grey as well.
DASHED: Any = (0, (4, 1.5))

# Below, distances are not shown, as in the paper; they fall on to the smallest numbers there are.
_FLOOR = 1e-8

# Trajectories are shown by more points than are logged where one step of the log is longer than
# this, up to so many rows.
_COARSE, _ROWS = 0.02, 40

# Beyond this both overlaps count as recovered.
_RECOVERED = 0.9

# How far apart runs have to end, in the square, to be shown both.
_APART = 0.2
# Places that are nearer to each other are the same but for rounding errors, on whatever machine.
_ROUNDING = 1e-9


def runs_figure(data: xr.Dataset, *, each_run: bool = False) -> Figure:
    r"""Draw the excess risk, :math:`|\kappa|`, :math:`|\nu|` and trajectories of runs.

    Lines are means over runs, bands reach from the 2.5th to the 97.5th percentile. Where runs end
    in different places neither shows it: with `each_run` there is a thin line for each run, and
    runs are coloured by where they end.
    """
    parts = _destinations(data) if each_run else [("", COLOURS["blue"], data)]
    with figure_style_context():
        figure = Figure(figsize=(WIDTH, 5.4), layout="constrained")
        panels = figure.subplots(2, 2)
        risk, overlaps, paths, distance = panels.flat
        for _, colour, part in parts:
            draw_mean_and_percentiles(risk, part.excess_risk, colour, each_run=each_run)
        constant = isinstance(_rule(data), Constant)
        letter = r"R_\lambda" if constant else r"R_{\lambda_t}"
        format_vertical_log_axis(risk, rf"Excess risk ${letter} - \varepsilon^2$")
        _overlaps(overlaps, parts, each_run)
        _paths(paths, data)
        _distance(distance, data, parts, each_run)
        for axes, label in zip(panels.flat, "abcd", strict=True):
            label_panel(axes, f"({label})")
        for axes in (risk, overlaps, distance):
            format_step_axis(axes, data)
        figure.suptitle(f"{_setting(data)}\n{_key(data, each_run)}", fontsize=10)
    return figure


def conclusion_of_runs(data: xr.Dataset) -> str:
    """Return a line on how many runs recover the oracle, and on the risk of all runs."""
    count, total = int(_recovered(data).sum()), data.sizes["run"]
    low, high = (100 * float(end[0]) for end in wilson_intervals([count], total))
    risk = data.isel(step=-1).excess_risk.values
    return (
        f"{count} of {total} runs recover both directions ({low:.0f} to {high:.0f} %); excess risk "
        f"{np.median(risk):.3g} ({risk.min():.2g} to {risk.max():.2g})."
    )


def _recovered(data: xr.Dataset) -> xr.DataArray:
    """Return a flag for each run: whether both overlaps end near those of the oracle."""
    return (abs(data[["kappa", "nu"]].isel(step=-1)).to_array() > _RECOVERED).all("variable")


def format_step_axis(axes: Axes, data: xr.Dataset) -> None:
    """Format the horizontal axis of a plot over steps, with the last step at its end."""
    last = max(1, int(data.step[-1]))
    axes.set(xlabel="Step $t$", xlim=(0, 1.02 * last))
    axes.xaxis.set_major_locator(MaxNLocator(4))
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))


def _destinations(data: xr.Dataset) -> list[tuple[str, str, xr.Dataset]]:
    """Split runs into those that recover the oracle and the others, with names and colours."""
    well = _recovered(data)
    sides = (("recover", COLOURS["blue"], well), ("do not", COLOURS["orange"], ~well))
    return [
        (f"{int(some.sum())} {name}", colour, data.isel(run=some.values))
        for name, colour, some in sides
        if some.any()
    ]


def draw_mean_and_percentiles(
    axes: Axes,
    values: xr.DataArray,
    colour: str,
    label: str | None = None,
    each_run: bool = False,
    line: Any = "-",
) -> None:
    """Draw the mean over runs of a quantity against steps, with percentiles or with each run."""
    if each_run:
        rows = values.transpose("step", "run")
        axes.plot(values.step, rows, color=colour, lw=0.4, alpha=0.6, ls=line)
    else:
        low, high = np.quantile(values.transpose("run", ...), _BAND, axis=0)
        axes.fill_between(values.step, low, high, color=colour, alpha=0.25, lw=0)
        if line != "-":
            # So that bands on each other are told apart in grey as well.
            axes.plot(values.step, np.stack([low, high], -1), color=colour, lw=0.5, ls=line)
    axes.plot(values.step, values.mean("run"), ls=line, color=colour, label=label)


def format_vertical_log_axis(axes: Axes, label: str) -> None:
    """Format the vertical axis of a plot as logarithmic, with a label and at least two numbers."""
    axes.set(yscale="log", ylabel=label)
    low, high = axes.get_ylim()
    digits: Any = (1, 2, 5) if high > 3 * low else range(1, 10)
    if high > 1000 * low:
        digits = (1,)
    axes.yaxis.set_major_locator(LogLocator(subs=digits))
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())


def _overlaps(axes: Axes, parts: list[tuple[str, str, xr.Dataset]], each_run: bool) -> None:
    axes.set(ylim=(-0.03, 1.05), ylabel="Alignment with\noracle parameters")
    if not each_run:
        (_, _, data) = parts[0]
        draw_mean_and_percentiles(
            axes, abs(data.kappa), COLOURS["blue"], absolute_value_tex(r"\kappa")
        )
        draw_mean_and_percentiles(
            axes, abs(data.nu), COLOURS["orange"], absolute_value_tex(r"\nu"), line=DASHED
        )
        axes.legend(loc="best")
        return
    for _, colour, part in parts:
        draw_mean_and_percentiles(axes, abs(part.nu), colour, each_run=True, line=DASHED)
        draw_mean_and_percentiles(axes, abs(part.kappa), colour, each_run=True)
    keys = [Line2D([], [], color=colour, label=name) for name, colour, _ in parts]
    keys += [
        Line2D([], [], color="black", label=absolute_value_tex(r"\kappa")),
        Line2D([], [], color="black", ls=DASHED, label=absolute_value_tex(r"\nu")),
    ]
    # Between the runs that recover and those that do not, above the means.
    axes.legend(handles=keys, loc="center right", bbox_to_anchor=(1, 0.62))


def _paths(axes: Axes, data: xr.Dataset) -> None:
    chosen = choose_distinct_run_indices(data)
    draw_trajectories(axes, _finer(data, chosen), range(len(chosen)))
    format_square_axes(axes)
    for label, filling in (("start", "white"), ("end", COLOURS["grey"])):
        axes.plot([], [], "o", color=COLOURS["grey"], mfc=filling, ms=5, label=label)
    axes.legend(loc="upper left", handletextpad=0.1)


def _finer(data: xr.Dataset, chosen: list[int]) -> xr.Dataset:
    """Return some runs recomputed with more logged steps at the start, where they move fast.

    The steps are made again, from the same random numbers.
    """
    some, rule = data.isel(run=chosen), _rule(data)
    kappa, nu = (some[name].values for name in ("kappa", "nu"))
    long = np.flatnonzero((np.hypot(*np.diff([kappa, nu], axis=2)) > _COARSE).any(axis=0))
    if not long.size or rule is None or data.step[0]:
        return some
    rows = min(int(long[-1]) + 1, _ROWS)
    steps = int(data.step[rows])
    count = 5 if data.distance.values.any() else 2
    start = np.stack([data[name].values[:, 0] for name in OrderParameters._fields[:count]], axis=1)
    sampled = (
        {"batch": data.attrs["batch"], "rng": data.attrs["seed"]} if "batch" in data.attrs else {}
    )
    task = task_from_settings(data.attrs)
    # Of the steps of the run itself, whoever made it was warned.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        begin = simulate(
            task, start, rule, data.attrs["alpha"], steps, max(1, steps // 400),
            data.attrs["backend"], progress=False, **sampled,
        )  # fmt: skip
    names = ["kappa", "nu"]
    early: xr.Dataset = begin[names].isel(run=chosen)
    later = some[names].isel(step=slice(rows + 1, None))
    return xr.concat([early, later], "step", join="override")


def choose_distinct_run_indices(data: xr.Dataset) -> list[int]:
    """Return the numbers of at most three runs to show, with different endpoints if possible."""
    last = data.isel(step=-1)
    ends = np.stack([last.kappa.values, last.nu.values], axis=1)
    chosen = [0]
    for _ in PATH_COLOURS[1:]:
        away = np.linalg.norm(ends[:, None] - ends[chosen], axis=2).min(axis=1)
        # The first of those that are as far, but for rounding errors.
        farthest = int(np.argmax(away > away.max() - _ROUNDING))
        if away[farthest] > _APART:
            chosen.append(farthest)
    if len(chosen) == 1 and len(ends) > 1:
        chosen.append(1)
    return chosen


def _distance(
    axes: Axes, data: xr.Dataset, parts: list[tuple[str, str, xr.Dataset]], each_run: bool
) -> None:
    axes.set(yscale="log", ylabel="Distance to\n" + r"the manifold $\mathcal{M}$")
    if (data.distance > 0).any():
        for _, colour, part in parts:
            draw_mean_and_percentiles(axes, part.distance, colour, each_run=each_run)
        least = float(data.distance.quantile(_BAND[0], dim="run").min())
        axes.set_ylim(max(_FLOOR, least / 2), 3)
    else:
        axes.set_ylim(_FLOOR, 3)
        said = "exactly 0 in every run:\n" + r"$\theta = \eta = \rho = 0$ is kept"
        axes.text(0.5, 0.5, said, transform=axes.transAxes, ha="center", va="center")


_STARTS = {
    "UniformStart": "start on the sphere",
    "ManifoldStart": r"start on $\mathcal{M}$",
}


def _setting(data: xr.Dataset) -> str:
    found = data.attrs
    start = str(found["start"])
    where = _STARTS.get(start.partition("(")[0], "given start")
    return (
        rf"{_temperature(_rule(data))}, $\alpha = {number_tex(found['alpha'])}$, "
        f"{task_tex(found['task_d'], found['task_L'], found['task_gamma'])}, {where}"
    )


def _sampling(found: dict[str, Any]) -> str:
    if "batch" not in found:
        return ""
    noise = rf", $\varepsilon = {number_tex(found['task_epsilon'])}$"
    return f"batches of {found['batch']}{noise if found['task_epsilon'] > 0 else ''}; "


def _key(data: xr.Dataset, each_run: bool) -> str:
    """Return a text that explains the lines and bands in a figure of runs."""
    count = data.sizes["run"]
    key = f"lines: mean over {count} runs; bands: 2.5th to 97.5th percentile"
    if each_run:
        key = f"thin lines: each of {count} runs, by where it ends; thick lines: their means"
    text = _sampling(data.attrs) + (key if count > 1 else "one run")
    return text[0].upper() + text[1:]


def _rule(data: xr.Dataset) -> Constant | InverseTimeDecay | Formula | None:
    try:
        return schedule_from_text(str(data.attrs["schedule"]))
    except ValueError:
        return None


def _temperature(rule: Constant | InverseTimeDecay | Formula | None) -> str:
    if rule is None:
        return r"$\lambda_t$ from a table"
    if isinstance(rule, Constant):
        return rf"$\lambda = {number_tex(rule.lam)}$"
    if isinstance(rule, Formula):
        return rf"$\lambda_t$ = {rule.text}"
    return rf"$\lambda_t = {number_tex(rule.lam0)}/(1 + {number_tex(rule.c)}\,t)$"
