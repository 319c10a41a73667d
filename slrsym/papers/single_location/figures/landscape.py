"""Figures of the landscape: critical points at one setting, and the bifurcation diagram."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from slrsym.documents.figures.style import (
    COLOURS,
    WIDTH,
    figure_style_context,
    label_panel,
    spread_label_heights,
    task_tex,
)
from slrsym.models.landscape.branches import Branch
from slrsym.models.landscape.critical_point_table import CriticalPoints
from slrsym.papers.single_location.task import Task

_GREEK = (r"$\kappa$", r"$\nu$", r"$\theta$", r"$\eta$", r"$\rho$")

_KINDS = {
    "minimum": ("minima", "o", COLOURS["blue"]),
    "saddle": ("saddles", "D", "white"),
    "maximum": ("maxima", "^", COLOURS["orange"]),
    "degenerate": ("degenerates", "s", COLOURS["grey"]),
}

_EVENTS = {
    "pitchfork": ("o", "white", "meets its mirror image"),
    "fold": ("s", "white", "turns back"),
    "stability": ("o", "black", "index changes"),
}

# Of branches that attract, or nearly do; the others are grey.
_COLOURS = {
    "oracle": COLOURS["blue"],
    "swap": COLOURS["orange"],
    "full swap": COLOURS["yellow"],
    "planar": COLOURS["green"],
    "mixed": COLOURS["pink"],
}


def critical_points_figure(found: CriticalPoints) -> Figure:
    """Draw the overlaps of all critical points, with their excess risks."""
    points = found.points
    rows = np.arange(len(points))
    with figure_style_context():
        figure = Figure(figsize=(WIDTH, 1.25 + 0.27 * len(points)), layout="constrained")
        left, right = figure.subplots(1, 2, sharey=True, width_ratios=(1.15, 1))
        states = np.array([p.state for p in points])
        ends = (COLOURS["blue"], "white", COLOURS["orange"])
        colours = LinearSegmentedColormap.from_list("overlap", ends)
        left.imshow(states, vmin=-1, vmax=1, cmap=colours, aspect="auto", interpolation="nearest")
        for (i, j), value in np.ndenumerate(states):
            text = _short(value)
            shade = "white" if abs(value) > 0.75 else "black"
            left.text(j, i, text, ha="center", va="center", fontsize=8, color=shade)
        left.set_xticks(range(5), _GREEK)
        left.set_yticks(rows, [p.name for p in points])
        left.tick_params(length=0)
        left.spines[:].set_visible(False)
        for kind, (several, marker, colour) in _KINDS.items():
            chosen = [i for i, p in enumerate(points) if p.kind == kind]
            if chosen:
                right.plot(
                    [points[i].excess_risk for i in chosen], chosen, marker, color=colour,
                    markeredgecolor="black", markeredgewidth=0.8,
                    label=kind if len(chosen) == 1 else several,
                )  # fmt: skip
        for i, point in enumerate(points):
            right.annotate(
                f"{point.index}", (point.excess_risk, i), xytext=(7, 0),
                textcoords="offset points", va="center", fontsize=8, color=COLOURS["grey"],
            )  # fmt: skip
        right.set(xscale="log", xlabel="excess risk (beside it: index)")
        right.margins(x=0.15)
        right.tick_params(axis="y", length=0)
        left.grid(visible=False)
        figure.legend(loc="outside lower center", ncols=4)
        task = task_tex(*(found.values[name] for name in ("d", "L", "gamma")))
        figure.suptitle(rf"$\lambda = {found.values['lambda']:.4g}$, {task}", fontsize=10)
    return figure


def _short(value: float) -> str:
    if abs(value) < 1e-9 or abs(abs(value) - 1) < 1e-9:
        return f"{value:.0f}".replace("-0", "0").replace("-", "−")
    return f"{value:#.3g}".replace("-", "−")


def bifurcation_diagram_figure(
    branches: Sequence[Branch], task: Task, marks: Sequence[tuple[float, str]] = ()
) -> Figure:
    """Draw branches' excess risk and distance to the manifold against inverse temperature."""
    with figure_style_context():
        figure = Figure(figsize=(WIDTH, 6.4), layout="constrained")
        above, below = figure.subplots(2, 1, sharex=True)
        seen: set[str] = set()
        for branch in branches:
            distance = np.linalg.norm(branch.states[:, 2:], axis=1)
            _draw(above, branch, branch.excess_risk, seen)
            _draw(below, branch, distance, None)
        for axes in (above, below):
            for place, _ in marks:
                axes.axvline(place, color=COLOURS["grey"], linewidth=0.7, linestyle=(0, (1, 2)))
        low = min(float(b.values.min()) for b in branches)
        high = max(float(b.values.max()) for b in branches)
        above.set(xscale="log", yscale="log", ylabel="excess risk")
        below.set(
            xlabel=r"inverse temperature $\lambda$",
            ylabel=r"distance to $\mathcal{M}$",
            xlim=(low, high),
        )
        for place, text in marks:
            above.annotate(
                text,
                (place, 1.0),
                xycoords=("data", "axes fraction"),
                xytext=(0, 2),
                textcoords="offset points",
                ha="center",
                fontsize=9,
            )
        label_panel(above, "(a)")
        label_panel(below, "(b)")
        _name_unstable(above, branches, high)
        for place, _ in marks:
            _enlarge(above, branches, place)
        for kind, (marker, colour, text) in _EVENTS.items():
            if any(e.kind == kind for b in branches for e in b.events):
                above.plot([], [], marker, color="black", markerfacecolor=colour, label=text, ms=5)
        above.plot([], [], color="black", linewidth=2.2, label="minimum")
        above.plot([], [], "--", color="black", label="one descending direction")
        above.plot([], [], ":", color=COLOURS["grey"], label="more")
        handles, labels = above.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=4)
        figure.suptitle(task_tex(task.d, task.L, task.gamma), fontsize=10)
    return figure


def _name_unstable(axes: Axes, branches: Sequence[Branch], high: float) -> None:
    """Label branches that have several descending directions at their end."""
    ends = [
        (float(b.excess_risk[i]), b.name)
        for b in branches
        for i in [int(np.argmax(b.values))]
        if b.index[i] > 1 and b.values[i] > 0.98 * high
    ]
    low, top = np.log(axes.get_ylim())
    heights = spread_label_heights(
        np.array([(np.log(risk) - low) / (top - low) for risk, _ in ends]), 0.05
    )
    for (risk, name), height in zip(ends, heights, strict=True):
        axes.annotate(
            name, (high, risk), xytext=(1.03, height), textcoords="axes fraction", va="center",
            fontsize=8, color=COLOURS["grey"], annotation_clip=False,
            arrowprops={"arrowstyle": "-", "lw": 0.4, "color": COLOURS["grey"]},
        )  # fmt: skip


def _enlarge(axes: Axes, branches: Sequence[Branch], place: float) -> None:
    """Draw branches of index 0 or 1 near an inverse temperature in an enlarged inset."""
    inset = axes.inset_axes((0.65, 0.12, 0.33, 0.27))
    low, high = 0.85 * place, 1.2 * place
    risks = []
    for branch in branches:
        near = (branch.values > low) & (branch.values < high) & (branch.index < 2)
        if near.any():
            risks += branch.excess_risk[near].tolist()
            _draw(inset, branch, branch.excess_risk, None)
    if not risks:
        inset.remove()
        return
    inset.axvline(place, color=COLOURS["grey"], linewidth=0.7, linestyle=(0, (1, 2)))
    inset.set(xlim=(low, high), ylim=(0.95 * min(risks), 1.05 * max(risks)))
    inset.tick_params(labelsize=8)
    inset.xaxis.set_major_locator(MaxNLocator(3))
    inset.yaxis.set_major_locator(MaxNLocator(3))
    axes.indicate_inset_zoom(inset, edgecolor=COLOURS["grey"], linewidth=0.5)


def _draw(axes: Axes, branch: Branch, values: Any, seen: set[str] | None) -> None:
    """Draw a branch of critical points, in pieces of constant index."""
    kind = branch.name.rstrip("0123456789 ")
    breaks = [0, *(np.flatnonzero(np.diff(branch.index)) + 1), len(branch.values)]
    for first, last in pairwise(breaks):
        index = int(branch.index[first])
        colour = _COLOURS.get(kind, COLOURS["grey"]) if index < 2 else "#A0A0A0"
        look: dict[str, Any] = {"color": colour, "linewidth": 2.2, "zorder": 3}
        if index == 1:
            look |= {"linestyle": "--", "linewidth": 1.5}
        elif index > 1:
            look |= {"linestyle": ":", "linewidth": 1.1, "zorder": 2}
        if seen is not None and index < 2 and kind not in seen:
            seen.add(kind)
            look["label"] = kind
        # Pieces meet.
        part = slice(first, min(last + 1, len(branch.values)))
        axes.plot(branch.values[part], values[part], **look)
    order = np.argsort(branch.values)
    for event in branch.events:
        marker, filling, _ = _EVENTS[event.kind]
        near = int(order[np.argmin(np.abs(np.log(branch.values[order] / event.value)))])
        height = values[near]
        if (np.diff(branch.values[order]) > 0).all() and (np.abs(np.diff(order)) == 1).all():
            # It lies between two points that were followed.
            height = np.interp(np.log(event.value), np.log(branch.values[order]), values[order])
        axes.plot(
            event.value,
            height,
            marker,
            color="black",
            markerfacecolor=filling,
            markersize=4.5 if math.isfinite(event.value) else 0,
            zorder=4,
        )
