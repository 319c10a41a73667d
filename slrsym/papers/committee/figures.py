"""Figures of committee machines: the plateau, the noise floor, and the limit of stability."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter, ScalarFormatter, StrMethodFormatter

from slrsym.documents.figures.style import (
    COLOURS,
    WIDTH,
    figure_style_context,
    label_panel,
    number_tex,
)

_LINES = tuple(COLOURS[name] for name in ("blue", "orange", "green", "pink", "grey"))
# In grey, dashes tell the lines apart; those of the plateau are others.
_DASHES: tuple[Any, ...] = ("-", "-.", (0, (7, 2)), (0, (3, 1, 1, 1, 1, 1)), ":")
_ORDER = (
    ("R", r"$R$: own teacher"),
    ("S", r"$S$: other teachers"),
    ("Q", r"$Q$: squared length"),
    ("C", r"$C$: other students"),
)
# Of panels one above the other, whose letters are large enough on a telephone.
_WIDTH = 0.65 * WIDTH
# Errors below are rounding.
_LEAST = 1e-7
# How many standard errors a bar reaches to either side.
_REACH = 2


def _thousands(data: xr.Dataset) -> str:
    return f"{data.attrs['d']:,}".replace(",", "{,}")


def plateau_runs_figure(data: xr.Dataset) -> Figure:
    """Draw the generalisation error over time, and order parameters for the fewest units.

    Drawn is what `slrsym.papers.committee.surveys.PlateauSurvey` makes.
    """
    with figure_style_context():
        figure = Figure(figsize=(_WIDTH, 5.6), layout="constrained")
        upper, lower = figure.subplots(2, 1)
        for i, (K, colour) in enumerate(zip(data.K.values, _LINES, strict=False)):
            style = {"color": colour, "ls": _DASHES[i]}
            upper.plot(data.time, data.error[i], **style, label=f"$K = {K}$", zorder=3)
            for run in data.sampled_error[i]:
                upper.plot(data.sampled_time, run, ".", color=colour, ms=3, alpha=0.45)
            upper.axhline(float(data.level[i]), color=colour, lw=0.9, ls=(0, (4, 2)))
        upper.set(yscale="log", ylim=(_LEAST, None), ylabel=r"Generalisation error $\epsilon_g$")
        for (name, label), colour, dashes in zip(_ORDER, _LINES, _DASHES, strict=False):
            style = {"color": colour, "ls": dashes}
            lower.plot(data.time, data[name][0], **style, label=label, zorder=3)
            for run in data[f"sampled_{name}"][0]:
                lower.plot(data.sampled_time, run, ".", color=colour, ms=3, alpha=0.45)
        lower.set(ylabel=f"Order parameters, $K = {data.K.values[0]}$")
        for axes, mark in ((upper, "(a)"), (lower, "(b)")):
            axes.set(xlabel="Steps over the dimension", xlim=(0, float(data.time[-1])))
            label_panel(axes, mark)
        upper.plot([], [], color="black", lw=0.9, ls=(0, (4, 2)), label="plateau")
        upper.plot([], [], ".", color="black", ms=5, label=f"sampled, $d = {_thousands(data)}$")
        upper.legend(loc="lower left")
        lower.legend(loc="center right")
        figure.suptitle(
            rf"$K$ students of $K$ teachers, $\eta = {data.eta:g}$; lines: equations of motion",
            fontsize=10,
        )
    return figure


def noise_floor_figure(data: xr.Dataset) -> Figure:
    """Draw the scaled noise floor, against surplus units and against the learning rate.

    Drawn is what `slrsym.papers.committee.surveys.NoiseFloorSurvey` makes.
    """
    rate, first = float(data.eta[0]), float(data.first_order.sel(L=0))
    with figure_style_context():
        figure = Figure(figsize=(WIDTH, 3.1), layout="constrained")
        left, right = figure.subplots(1, 2)
        panels = (
            (left, data.L, "", data.L, data.first_order, rf"$\eta = {rate:g}$"),
            (right, data.eta, "rate_", data.fine_eta, first + 0 * data.fine_eta, "$L = 0$"),
        )
        for axes, tried, prefix, across, order, setting in panels:
            axes.plot(across, order, "--", color=COLOURS["grey"], label=r"first order in $\eta$")
            solved, sampled = data[f"{prefix}solved"], data[f"{prefix}sampled"]
            axes.plot(
                across, solved, "-", color=COLOURS["blue"], label="fixed point of the equations"
            )
            if axes is right:
                axes.plot(
                    across, data.second_order, "-.", color=COLOURS["green"],
                    label=r"second order in $\eta$",
                )  # fmt: skip
            axes.errorbar(
                tried, sampled, _REACH * data[f"{prefix}error"], fmt="o", ms=4, capsize=2.5,
                color=COLOURS["orange"],
                label=rf"sampled, $d = {_thousands(data)}$, $\pm{_REACH}$ standard errors",
            )  # fmt: skip
            axes.set_title(setting)
        left.set(
            xlabel="Surplus students $L$",
            xticks=np.arange(int(data.L.max()) + 1),
            ylabel=r"$\epsilon_g \; / \; (\sigma^2 \eta / 2\pi)$",
        )
        right.set(xlabel=r"Learning rate $\eta$", xlim=(0, None))
        label_panel(left, "(a)")
        label_panel(right, "(b)")
        handles, labels = right.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=2)
        figure.suptitle(
            rf"$M = {data.teachers}$ teachers, $M + L$ students, "
            rf"$\sigma = {number_tex(data.sigma)}$",
            fontsize=10,
        )
    return figure


def critical_rate_figure(data: xr.Dataset) -> Figure:
    """Draw the learning rate above which students leave the teachers, and its product with K.

    Drawn is what `slrsym.papers.committee.surveys.CriticalLearningRateSurvey` makes.
    """
    product, limit = data.limit * data.K, np.sqrt(3) * np.pi
    with figure_style_context():
        figure = Figure(figsize=(_WIDTH, 5.6), layout="constrained")
        upper, lower = figure.subplots(2, 1)
        upper.plot(data.K, data.limit, "-", color=COLOURS["blue"], label=r"limit $\eta_c$")
        upper.fill_between(data.K, data.limit, 10, color=COLOURS["orange"], alpha=0.1, lw=0)
        shown = ((True, "^", "orange", "error grew"), (False, "v", "green", "error fell"))
        rates = data.tried_limit * data.factor
        units = data.tried_K + 0 * data.factor
        for grew, marker, colour, label in shown:
            some = (data.growth > 1) == grew
            upper.plot(
                units.where(some).values.ravel(), rates.where(some).values.ravel(), marker,
                color=COLOURS[colour], ms=6, ls="none", label=f"sampled: {label}", zorder=4,
            )  # fmt: skip
        upper.set(xscale="log", yscale="log", ylabel=r"Learning rate $\eta$")
        upper.legend(loc="lower left")
        lower.plot(data.K, product, "o-", color=COLOURS["blue"], ms=3.5, label=r"$K \eta_c$")
        lower.axhline(limit, color=COLOURS["grey"], ls="--", label=r"$\sqrt{3}\,\pi$")
        lower.set(xscale="log", ylabel=r"$K \eta_c$")
        lower.legend(loc="lower right")
        ticks = [K for K in (2, 4, 8, 16, 32, 64, 128) if int(data.K.max()) >= K]
        for axes, mark in ((upper, "(a)"), (lower, "(b)")):
            axes.set(xlabel="Units $K$", xticks=ticks)
            axes.xaxis.set_major_formatter(ScalarFormatter())
            axes.xaxis.set_minor_formatter(NullFormatter())
            label_panel(axes, mark)
        upper.set_yticks([0.05, 0.1, 0.2, 0.5, 1, 2])
        upper.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        upper.yaxis.set_minor_formatter(NullFormatter())
        upper.set_ylim(0.8 * float(data.limit.min()), 1.6 * float(data.limit.max()))
        figure.suptitle(
            "$K$ students at $K$ teachers, no noise;\n"
            rf"samples: $d = {_thousands(data)}$, {data.attrs['time']} passes of $d$ steps",
            fontsize=10,
        )
    return figure
