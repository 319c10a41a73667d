"""Runs on the invariant manifold, over the vector field that they follow."""

from __future__ import annotations

import xarray as xr
from matplotlib.figure import Figure

from slrsym.figures.square import draw_field, draw_fixed_points, draw_paths, frame
from slrsym.figures.style import style

__all__ = ["planar_figure"]


def planar_figure(runs: xr.Dataset, data: xr.Dataset) -> Figure:
    """Trajectories in the square, over the vector field, from empty circles to full ones."""
    with style():
        figure = Figure(figsize=(4.6, 4.3), layout="constrained")
        axes = figure.subplots()
        arrows = draw_field(axes, data)
        meaning = rf"Magnitude of the field at $\lambda = {data.lam:.3g}$"
        figure.colorbar(arrows, ax=axes, label=meaning, shrink=0.8)
        count = runs.sizes["run"]
        draw_paths(axes, runs, range(count), ["black"] * count)
        draw_fixed_points(axes, data)
        axes.grid(visible=False)
        frame(axes)
        axes.plot([], [], color="black", label="descent")
        figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return figure
