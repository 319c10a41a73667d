"""Figure 6: the risk on the invariant manifold, and where descent goes from each of its points."""

from __future__ import annotations

import xarray as xr
from matplotlib.figure import Figure

from slrsym.figures.square import draw_field, draw_fixed_points, frame
from slrsym.figures.style import WIDTH, labelled, style

__all__ = ["manifold_figure"]


def manifold_figure(data: xr.Dataset) -> Figure:
    """The risk over the square with its fixed points, beside the vector field."""
    with style():
        figure = Figure(figsize=(WIDTH, 4.5), layout="constrained")
        left, right = figure.subplots(1, 2)
        filled = left.contourf(data.kappa, data.nu, data.risk.T, levels=16, cmap="cividis")
        draw_fixed_points(left, data)
        arrows = draw_field(right, data)
        for axes, label, drawn, meaning in (
            (left, "(a)", filled, r"$R_<(\kappa, \nu)$"),
            (right, "(b)", arrows, "Magnitude of the field"),
        ):
            axes.grid(visible=False)
            labelled(axes, label)
            frame(axes)
            figure.colorbar(drawn, ax=axes, label=meaning, orientation="horizontal", aspect=30)
        figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=3)
        figure.suptitle(
            rf"$\lambda = {data.lam:.3g}$, $d = {data.attrs['d']}$, $L = {data.L}$, "
            rf"$\gamma^2 = {data.gamma**2:.3g}$",
            fontsize=10,
        )
    return figure
