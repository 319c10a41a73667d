"""The square of kappa and nu: axes, fixed points, the vector field, and paths through it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import Colormap, ListedColormap
from matplotlib.quiver import Quiver

from slrsym.figures.style import COLOURS

__all__ = ["PATH_COLOURS", "draw_field", "draw_fixed_points", "draw_paths", "frame"]

# Arrows to a side.
_ARROWS = 17

_KINDS = {
    "minimum": ("global minima", "o", COLOURS["sky"]),
    "maximum": ("global maxima", "^", COLOURS["orange"]),
    "saddle": ("saddle", "D", "white"),
}

PATH_COLOURS = tuple(COLOURS[name] for name in ("blue", "orange", "green"))


def frame(axes: Axes) -> None:
    """Limits, ticks and labels of the square."""
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
    """Mark the fixed points, by kind."""
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


def draw_field(axes: Axes, data: xr.Dataset) -> Quiver:
    """Draw the vector field by arrows of equal length, in darker colour where it is faster."""
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
        cmap=_light_to_dark(),
        pivot="middle",
        scale=_ARROWS * 1.3,
        width=0.005,
        headwidth=4,
        headlength=4,
        headaxislength=3.5,
    )


def draw_paths(
    axes: Axes, runs: xr.Dataset, chosen: Sequence[int], colours: Sequence[str] = PATH_COLOURS
) -> None:
    """Draw trajectories, each from an empty circle to a full one."""
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


def _light_to_dark() -> Colormap:
    # The lightest shades would be lost on paper.
    return ListedColormap(colormaps["PuBu"](np.linspace(0.35, 1.0, 256)))
