"""Figures of recovery: starts coloured by endpoint, and fractions of endpoints over a grid."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from slrsym.documents.figures.style import COLOURS, WIDTH, figure_style_context, label_panel
from slrsym.papers.single_location.recovery import (
    VERDICTS,
    components_along_modes,
    fit_swap_prediction,
    modes,
    setting_of_runs,
)

_SYMBOLS = {
    "kappa": r"\kappa",
    "nu": r"\nu",
    "theta": r"\theta",
    "eta": r"\eta",
    "lam0": r"\lambda_0",
    "rate": "c",
    "d": "d",
    "L": "L",
    "gamma": r"\gamma",
    "alpha": r"\alpha",
}
_SHADES = [COLOURS[name] for name in ("sky", "orange", "green", "grey", "pink")]
_VERDICT_COLOURS = dict(zip(VERDICTS, _SHADES, strict=True))

# More points than this hide each other.
_MOST_POINTS = 6000
# A map with more cells has no room for numbers.
_MOST_NUMBERS = 48
# A bin with fewer runs says little.
_LEAST_RUNS = 5


def starts_by_endpoint_figure(data: xr.Dataset) -> Figure:
    """Draw starts in the plane of the two modes at the null point, coloured by endpoint."""
    setting = setting_of_runs(data)
    sizes = components_along_modes(data.start.values, setting)
    verdict = data.verdict.values
    labels = []
    for mode in modes(setting):
        first, second = (_SYMBOLS[name] for name in mode.overlaps)
        a, b = mode.weights
        labels.append(rf"$\sqrt{{d}}\,|{b:.2f}\,{second} {a:+.2f}\,{first}|$")
    ends = np.quantile(sizes, 0.999, axis=0)
    swapped = verdict == VERDICTS.index("swap")
    if swapped.any():
        # Where they are is what is to be seen.
        ends = np.minimum(ends, 1.6 * np.quantile(sizes[swapped], 0.995, axis=0))
    with figure_style_context():
        figure = Figure(figsize=(WIDTH, 0.5 * WIDTH), layout="constrained")
        left, right = figure.subplots(1, 2, sharex=True, sharey=True)
        shown = slice(0, _MOST_POINTS)
        for number, name in enumerate(VERDICTS):
            chosen = verdict[shown] == number
            if not chosen.any():
                continue
            rare = chosen.mean() < 0.2
            left.scatter(
                *sizes[shown][chosen].T,
                s=6 if rare else 2,
                color=_VERDICT_COLOURS[name],
                linewidths=0,
                zorder=3 if rare else 2,
                rasterized=True,
                label=name,
            )
        fit = fit_swap_prediction(data)
        if fit is not None:
            for axes in (left, right):
                _draw_even_odds(axes, fit, ends)
        left.legend(loc="upper right", markerscale=2.5, frameon=True, framealpha=0.9, edgecolor="w")
        label_panel(left, f"(a) {min(len(verdict), _MOST_POINTS):,} starts")
        count = int(np.clip(np.sqrt(len(verdict)) / 8, 6, 40))
        edges = [np.linspace(0, end, count + 1) for end in ends]
        x, y = sizes.T
        mean = scipy.stats.binned_statistic_2d(
            x, y, swapped.astype(float), "mean", bins=edges
        ).statistic
        runs = scipy.stats.binned_statistic_2d(x, y, None, "count", bins=edges).statistic
        mesh = right.pcolormesh(
            *edges, np.where(runs < _LEAST_RUNS, np.nan, mean).T, cmap="cividis", vmin=0, vmax=1
        )
        mesh.set_rasterized(True)
        right.grid(False)
        figure.colorbar(mesh, ax=right, label="end at a swap point")
        label_panel(right, f"(b) {len(verdict):,} starts")
        for axes in (left, right):
            axes.set(xlabel=labels[0], xlim=(0, ends[0]), ylim=(0, ends[1]))
        left.set_ylabel(labels[1])
    return figure


def _draw_even_odds(axes: Axes, fit: Any, ends: Any) -> None:
    a, b = fit.weights
    x = np.linspace(0, ends[0], 2)
    if b:
        axes.plot(
            x, -(fit.intercept + a * x) / b, color="black", linewidth=1, label="even odds", zorder=4
        )


def varying_parameter_names(data: xr.Dataset) -> list[str]:
    """Return the names of the axes of a sweep's grid that have more than one value."""
    return [str(name) for name in data["count"].dims[:-1] if data.sizes[name] > 1]


def sweep_figure(data: xr.Dataset) -> Figure:
    """Draw the fractions of runs with each endpoint over one or two axes of a sweep's grid."""
    axes_names = varying_parameter_names(data)
    if len(axes_names) not in (1, 2):
        raise ValueError(
            f"a picture needs one or two of {', '.join(map(str, data['count'].dims[:-1]))} with "
            f"several values; got {len(axes_names)}"
        )
    flat = data.squeeze([name for name in data["count"].dims[:-1] if name not in axes_names])
    with figure_style_context():
        return _lines(flat, axes_names[0]) if len(axes_names) == 1 else _maps(flat, axes_names)


def _lines(data: xr.Dataset, name: str) -> Figure:
    figure = Figure(figsize=(0.65 * WIDTH, 0.45 * WIDTH), layout="constrained")
    axes = figure.subplots()
    data = data.sortby(name)
    x = data[name].values
    runs, moving = data["count"].sum("verdict"), data["count"].sel(verdict="moving")
    shown = [verdict for verdict in VERDICTS if verdict != "moving" or moving.any()]
    for verdict in shown:
        rows, colour = data.sel(verdict=verdict), _VERDICT_COLOURS[verdict]
        middle, low, high = rows.fraction, rows.lower, rows.upper
        still = moving > 0
        if verdict != "moving":
            # Runs that still move may end anywhere: a band of all that is possible, and no point.
            low = low.where(~still, rows["count"] / runs)
            high = high.where(~still, (rows["count"] + moving) / runs)
            middle = middle.where(~still | middle.isnull(), (low + high) / 2)
        marked = np.flatnonzero(~still.values | (verdict == "moving")).tolist()
        axes.plot(
            x, middle, marker="o", markersize=3, color=colour, label=verdict, markevery=marked
        )
        axes.fill_between(x, low, high, color=colour, alpha=0.25, linewidth=0)
    if x.min() > 0 and x.max() / x.min() > 10:
        axes.set(xscale="log")
    axes.set(xlabel=f"${_SYMBOLS[name]}$", ylabel="fraction of runs", ylim=(-0.02, 1.02))
    # Five names in one line would be wider than the figure.
    figure.legend(loc="outside upper center", ncols=4 if len(shown) == 4 else 3)
    return figure


def _maps(data: xr.Dataset, names: list[str]) -> Figure:
    figure = Figure(figsize=(WIDTH, 0.48 * WIDTH), layout="constrained")
    panels = figure.subplots(1, 2, sharex=True, sharey=True)
    data = data.sortby(names)
    first, second = (data[name].values for name in names)
    for axes, verdict, label in zip(panels, ("oracle", "swap"), "ab", strict=True):
        rows = data.sel(verdict=verdict).transpose(names[1], names[0], ...)
        runs = data["count"].sum("verdict").transpose(names[1], names[0]).values
        least, most = (
            ((rows["count"] + more).transpose(names[1], names[0]).values / runs)
            for more in (0, data["count"].sel(verdict="moving"))
        )
        # Runs that still move may end anywhere: the middle of what is possible has a colour.
        values = np.where(np.isnan(rows.fraction), np.nan, (least + most) / 2)
        mesh = axes.pcolormesh(values, cmap="cividis", vmin=0, vmax=1)
        axes.grid(False)
        if values.size <= _MOST_NUMBERS:
            for (row, column), value in np.ndenumerate(values):
                # Dark colours are those of small numbers.
                colour = "white" if value < 0.5 else "black"
                where = (column + 0.5, row + 0.5)
                low, high = (f"{100 * x[row, column]:.0f}" for x in (least, most))
                text = f"{high}%" if low == high else f"{low} to\n{high}%"
                text = "?" if np.isnan(value) else text
                axes.annotate(text, where, ha="center", va="center", color=colour)
        axes.set_xticks(np.arange(len(first)) + 0.5, [f"{x:g}" for x in first])
        axes.set_yticks(np.arange(len(second)) + 0.5, [f"{x:g}" for x in second])
        axes.set_xlabel(f"${_SYMBOLS[names[0]]}$")
        label_panel(axes, f"({label}) {verdict}")
    panels[0].set_ylabel(f"${_SYMBOLS[names[1]]}$")
    figure.colorbar(mesh, ax=panels, label="fraction of runs")
    return figure
