"""Figures 3 and 6, the basins, and trajectories over the vector field of the square."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.legend_handler import HandlerTuple
from matplotlib.quiver import Quiver

from slrsym.documents.figures.style import (
    COLOURS,
    WIDTH,
    figure_style_context,
    label_panel,
    task_tex,
)

# Arrows to a side.
_ARROWS = 17

_KINDS = {
    "minimum": ("global minima", "o", COLOURS["sky"]),
    "maximum": ("global maxima", "^", COLOURS["orange"]),
    "saddle": ("saddle", "D", "white"),
}

PATH_COLOURS = tuple(COLOURS[name] for name in ("blue", "orange", "green"))


def format_square_axes(axes: Axes) -> None:
    """Format the axes of the square of (kappa, nu)."""
    axes.set(
        xlim=(-1.08, 1.08),
        ylim=(-1.08, 1.08),
        xticks=(-1, -0.5, 0, 0.5, 1),
        yticks=(-1, -0.5, 0, 0.5, 1),
        xlabel=r"$\kappa = k \cdot k^{{\star}}$",
        ylabel=r"$\nu = v \cdot v^{{\star}}$",
        aspect="equal",
    )


def draw_fixed_points(axes: Axes, data: xr.Dataset) -> None:
    """Draw the fixed points of the planar map, with a marker for each kind."""
    for kind, (label, marker, colour) in _KINDS.items():
        some = data.fixed_kind.values == kind
        axes.plot(
            data.fixed_kappa[some],
            data.fixed_nu[some],
            marker,
            color=colour,
            markersize=7,
            markeredgecolor="black",
            markeredgewidth=0.9,
            label=label,
            clip_on=False,
            zorder=5,
        )


def draw_vector_field(axes: Axes, data: xr.Dataset) -> Quiver:
    """Draw a vector field as arrows of equal length, darker where it is larger."""
    every = slice(None, None, max(1, (data.sizes["kappa"] - 1) // (_ARROWS - 1)))
    some = data.isel(kappa=every, nu=every)
    speed = np.hypot(some.flow_kappa, some.flow_nu)
    # Where nothing moves there is no direction.
    moving = some.where(speed > 0)
    return axes.quiver(
        some.kappa,
        some.nu,
        (moving.flow_kappa / speed).T,
        (moving.flow_nu / speed).T,
        speed.T,
        # The lightest shades would be lost on paper.
        cmap=ListedColormap(colormaps["PuBu"](np.linspace(0.35, 1.0, 256))),
        pivot="middle",
        scale=_ARROWS * 1.3,
        width=0.005,
        headwidth=4,
        headlength=4,
        headaxislength=3.5,
    )


def draw_trajectories(
    axes: Axes, runs: xr.Dataset, chosen: Sequence[int], colours: Sequence[str] = PATH_COLOURS
) -> None:
    """Draw trajectories, each from an empty circle at its start to a full one at its end."""
    for run, colour in zip(chosen, colours, strict=False):
        kappa, nu = runs.kappa[run], runs.nu[run]
        axes.plot(kappa, nu, color=colour, zorder=3)
        for at, filling in ((0, "white"), (-1, colour)):
            axes.plot(
                kappa[at],
                nu[at],
                "o",
                color=colour,
                markerfacecolor=filling,
                markersize=5,
                zorder=4,
                clip_on=False,
            )


def _setting(data: xr.Dataset) -> str:
    return rf"$\lambda = {data.lam:.3g}$, {task_tex(data.attrs['d'], data.L, data.gamma)}"


def _draw_separatrix(axes: Axes, data: xr.Dataset, colour: str = "black") -> None:
    x, y = data.separatrix_kappa, data.separatrix_nu
    axes.plot(x, y, color=colour, lw=1.3, ls=(0, (4, 2)), zorder=4, label="separatrix")


def _draw_orbits(axes: Axes, data: xr.Dataset, colour: str) -> None:
    for number, (x, y) in enumerate(zip(data.orbit_kappa, data.orbit_nu, strict=True)):
        label = "descent" if number == 0 else None
        axes.plot(x, y, color=colour, lw=0.9, zorder=3, label=label)
        axes.plot(
            x[0], y[0], "o", color="black", markerfacecolor="white", mew=0.8, ms=3.5, zorder=4
        )


def risk_over_square_figure(data: xr.Dataset) -> Figure:
    """Draw the risk over the square with orbits of descent, and the vector field.

    Drawn is what `slrsym.papers.single_location.surveys.SquareSurvey` makes.
    """
    with figure_style_context():
        figure = Figure(figsize=(WIDTH, 4.5), layout="constrained")
        left, right = figure.subplots(1, 2)
        filled = left.contourf(data.kappa, data.nu, data.risk.T, levels=16, cmap="cividis")
        _draw_orbits(left, data, "white")
        _draw_separatrix(left, data, "white")
        draw_fixed_points(left, data)
        arrows = draw_vector_field(right, data)
        _draw_separatrix(right, data)
        draw_fixed_points(right, data)
        for axes, label, drawn, meaning in (
            (left, "(a)", filled, r"$R_<(\kappa, \nu)$"),
            (right, "(b)", arrows, "Magnitude of the field"),
        ):
            axes.grid(visible=False)
            label_panel(axes, label)
            format_square_axes(axes)
            figure.colorbar(drawn, ax=axes, label=meaning, orientation="horizontal", aspect=30)
        handles, labels = right.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=4)
        figure.suptitle(f"{_setting(data)}; white lines in (a): orbits of descent", fontsize=10)
    return figure


def basins_figure(data: xr.Dataset) -> Figure:
    """Draw the minimum to which descent converges from each start, and how fast.

    Drawn is what `slrsym.papers.single_location.surveys.BasinSurvey` makes.
    """
    with figure_style_context():
        figure = Figure(figsize=(5.6, 4.4), layout="constrained")
        axes = figure.subplots()
        latest = float(data.arrival.quantile(0.98))
        for sign, colours in ((1, "Blues"), (-1, "Oranges")):
            times = data.arrival.where(data.end == sign)
            drawn = axes.pcolormesh(
                data.kappa, data.nu, times.T, cmap=colours, vmin=0, vmax=latest, rasterized=True
            )
            name = r"$(k^\star, v^\star)$" if sign > 0 else r"$(-k^\star, -v^\star)$"
            figure.colorbar(drawn, ax=axes, label=f"steps, towards {name}", shrink=0.85)
        _draw_orbits(axes, data, "#404040")
        _draw_separatrix(axes, data)
        draw_fixed_points(axes, data)
        axes.grid(visible=False)
        format_square_axes(axes)
        figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=3)
        figure.suptitle(rf"{_setting(data)}, $\alpha = {data.alpha:.3g}$", fontsize=10)
    return figure


def trajectories_figure(runs: xr.Dataset, data: xr.Dataset) -> Figure:
    """Draw trajectories in the square of (kappa, nu) over the vector field of descent."""
    with figure_style_context():
        figure = Figure(figsize=(4.6, 4.3), layout="constrained")
        axes = figure.subplots()
        arrows = draw_vector_field(axes, data)
        meaning = rf"Magnitude of the field at $\lambda = {data.lam:.3g}$"
        figure.colorbar(arrows, ax=axes, label=meaning, shrink=0.8)
        count = runs.sizes["run"]
        draw_trajectories(axes, runs, range(count), ["black"] * count)
        draw_fixed_points(axes, data)
        axes.grid(visible=False)
        format_square_axes(axes)
        axes.plot([], [], color="black", label="descent")
        figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return figure


# How many standard errors a bar reaches to either side.
_REACH = 2

_PREDICTORS = (
    ("linear", "best linear predictor", COLOURS["orange"], "s", "--"),
    ("oracle", r"oracle predictor, best $\lambda$", COLOURS["blue"], "o", "-"),
)


def predictor_risks_figure(data: xr.Dataset) -> Figure:
    """Draw the risks of the predictors as d grows, with Monte Carlo estimates."""
    with figure_style_context():
        figure = Figure(figsize=(4.6, 3.3), layout="constrained")
        axes = figure.subplots()
        points: Any = ()
        for name, label, colour, marker, line in _PREDICTORS:
            axes.plot(data.d, data[name], line, color=colour, label=label)
            points += (
                axes.errorbar(
                    data.d_sampled,
                    data[f"{name}_estimate"],
                    _REACH * data[f"{name}_error"],
                    fmt=marker,
                    color=colour,
                    markersize=3.5,
                    markerfacecolor="white",
                    capsize=2.5,
                    linewidth=1,
                ),
            )
        noise = data.attrs["epsilon"] ** 2
        if noise > 0:
            label = r"lower bound $\varepsilon^2$ of the Bayes risk"
            axes.axhline(noise, color=COLOURS["grey"], ls=":", lw=1.2, label=label)
        axes.set(
            xscale="log",
            yscale="log",
            xlabel="Dimension $d$",
            ylabel=r"Risk $\mathbb{E}\,(Y - T(\mathbb{X}))^2$",
        )
        handles, labels = axes.get_legend_handles_labels()
        axes.legend(
            [*handles, points],
            [*labels, rf"Monte Carlo, $\pm{_REACH}$ standard errors"],
            handler_map={tuple: HandlerTuple(ndivide=None)},
            loc="lower left",
            bbox_to_anchor=(0, 0.06),
        )
        axes.set_title(
            rf"$L = {data.attrs['L']}$, $\gamma^2 = {data.attrs['gamma'] ** 2:.3g}$, "
            rf"$\varepsilon = {data.attrs['epsilon']:.3g}$, uniform location"
        )
    return figure
