"""Figures 4a, 4b, 5, 7a and 7b: runs of projected gradient descent."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, LogLocator, NullFormatter, StrMethodFormatter

from slrsym.dynamics.schedules import Constant, Inverse, schedule_from_text
from slrsym.figures.square import PATH_COLOURS, draw_paths, frame
from slrsym.figures.style import COLOURS, WIDTH, labelled, style

__all__ = ["runs_figure"]

_BAND = (0.025, 0.975)

# Below, distances are not shown, as in the paper; they fall on to the smallest numbers there are.
_FLOOR = 1e-8

# How far apart runs have to end, in the square, to be shown both.
_APART = 0.2


def runs_figure(data: xr.Dataset, *, each: bool = False) -> Figure:
    r"""The excess risk, :math:`|\kappa|` and :math:`|\nu|`, trajectories, and the distance to M.

    Lines are means over runs, bands reach from the 2.5th to the 97.5th percentile.
    """
    with style():
        figure = Figure(figsize=(WIDTH, 5.4), layout="constrained")
        panels = figure.subplots(2, 2)
        risk, overlaps, paths, distance = panels.flat
        _risk(risk, data)
        _overlaps(overlaps, data, each)
        _paths(paths, data)
        _distance(distance, data, each)
        for axes, label in zip(panels.flat, "abcd", strict=True):
            labelled(axes, f"({label})")
        for axes in (risk, overlaps, distance):
            axes.set(xlabel="Step $t$", xlim=(0, max(1, int(data.step[-1]))))
            axes.xaxis.set_major_formatter(EngFormatter(sep=""))
        figure.suptitle(f"{_setting(data)}\n{_key(data, each)}", fontsize=10)
    return figure


def _mean_and_band(
    axes: Axes, values: xr.DataArray, colour: str, label: str | None = None, each: bool = False
) -> None:
    low, high = values.quantile(_BAND, dim="run").values
    axes.fill_between(values.step, low, high, color=colour, alpha=0.12 if each else 0.25, lw=0)
    if each:
        axes.plot(values.step, values.transpose("step", "run"), color=colour, lw=0.4, alpha=0.7)
    axes.plot(values.step, values.mean("run"), color=colour, label=label)


def _risk(axes: Axes, data: xr.Dataset) -> None:
    _mean_and_band(axes, data.excess_risk, COLOURS["blue"])
    axes.set(yscale="log", ylabel=r"Excess risk $R_{\lambda_t} - \varepsilon^2$")
    low, high = axes.get_ylim()
    # Numbers to read, at least two of them.
    digits = (1, 2, 3, 5) if high > 3 * low else range(1, 10)
    axes.yaxis.set_major_locator(LogLocator(subs=digits))
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())


def _overlaps(axes: Axes, data: xr.Dataset, each: bool) -> None:
    _mean_and_band(axes, abs(data.kappa), COLOURS["blue"], r"$|\kappa|$", each)
    _mean_and_band(axes, abs(data.nu), COLOURS["orange"], r"$|\nu|$", each)
    axes.set(ylim=(-0.03, 1.05), ylabel="Alignment with\noracle parameters")
    # Between the runs that recover and those that do not, above the means.
    axes.legend(**{"loc": "center right", "bbox_to_anchor": (1, 0.65)} if each else {"loc": "best"})


def _paths(axes: Axes, data: xr.Dataset) -> None:
    draw_paths(axes, data, runs_apart(data))
    frame(axes)
    for label, filling in (("start", "white"), ("end", COLOURS["grey"])):
        axes.plot([], [], "o", color=COLOURS["grey"], mfc=filling, ms=5, label=label)
    axes.legend(loc="upper left", handletextpad=0.1)


def runs_apart(data: xr.Dataset) -> list[int]:
    """Two or three runs to show, which end in different places of the square if any do."""
    last = data.isel(step=-1)
    ends = np.stack([last.kappa.values, last.nu.values], axis=1)
    chosen = [0]
    for _ in PATH_COLOURS[1:]:
        away = np.linalg.norm(ends[:, None] - ends[chosen], axis=2).min(axis=1)
        farthest = int(np.argmax(away))
        if away[farthest] > _APART:
            chosen.append(farthest)
    if len(chosen) == 1 and len(ends) > 1:
        chosen.append(1)
    return chosen


def _distance(axes: Axes, data: xr.Dataset, each: bool) -> None:
    axes.set(yscale="log", ylabel="Distance to\n" + r"the manifold $\mathcal{M}$")
    if (data.distance > 0).any():
        _mean_and_band(axes, data.distance, COLOURS["blue"], each=each)
        least = float(data.distance.quantile(_BAND[0], dim="run").min())
        axes.set_ylim(max(_FLOOR, least / 2), 3)
    else:
        axes.set_ylim(_FLOOR, 3)
        said = "exactly 0 in every run:\n" + r"$\theta = \eta = \rho = 0$ is kept"
        axes.text(0.5, 0.5, said, transform=axes.transAxes, ha="center", va="center")


def _setting(data: xr.Dataset) -> str:
    found = data.attrs
    start = str(found["start"])
    where = {"Sphere": "start on the sphere", "Manifold": r"start on $\mathcal{M}$"}.get(
        start.partition("(")[0], "given start"
    )
    return (
        rf"{_temperature(str(found['schedule']))}, $\alpha = {_number(found['alpha'])}$, "
        rf"$d = {found['task_d']}$, $L = {found['task_L']}$, "
        rf"$\gamma^2 = {found['task_gamma'] ** 2:.3g}$, {where}"
    )


def _sampling(found: dict[str, Any]) -> str:
    if "batch" not in found:
        return ""
    noise = rf", $\varepsilon = {_number(found['task_epsilon'])}$"
    return f"batches of {found['batch']}{noise if found['task_epsilon'] > 0 else ''}; "


def _key(data: xr.Dataset, each: bool) -> str:
    """What lines and bands are."""
    count = data.sizes["run"]
    thin = "; thin lines: each run" if each else ""
    key = f"lines: mean over {count} runs; bands: 2.5th to 97.5th percentile{thin}"
    text = _sampling(data.attrs) + (key if count > 1 else "one run")
    return text[0].upper() + text[1:]


def _temperature(schedule: str) -> str:
    try:
        rule = schedule_from_text(schedule)
    except ValueError:
        return r"$\lambda_t$ from a table"
    if isinstance(rule, Constant):
        return rf"$\lambda = {_number(rule.lam)}$"
    assert isinstance(rule, Inverse)
    return rf"$\lambda_t = {_number(rule.lam0)}/(1 + {_number(rule.c)}\,t)$"


def _number(value: float) -> str:
    """A number as it is written by hand."""
    text = f"{value:.4g}"
    mantissa, power, exponent = text.partition("e")
    if not power and abs(value) >= 0.01:
        return text
    mantissa, _, exponent = f"{value:e}".partition("e")
    factor = "" if float(mantissa) == 1 else rf"{float(mantissa):g}\cdot "
    return rf"{factor}10^{{{int(exponent)}}}"
