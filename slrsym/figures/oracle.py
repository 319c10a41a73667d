"""Figure 3: the oracle predictor against the best linear one."""

from __future__ import annotations

from typing import Any

import xarray as xr
from matplotlib.figure import Figure
from matplotlib.legend_handler import HandlerTuple

from slrsym.figures.style import COLOURS, style

__all__ = ["oracle_figure"]

# How many standard errors a bar reaches to either side.
_REACH = 2

_PREDICTORS = (
    ("linear", "best linear predictor", COLOURS["orange"], "s", "--"),
    ("oracle", r"oracle predictor, best $\lambda$", COLOURS["blue"], "o", "-"),
)


def oracle_figure(data: xr.Dataset) -> Figure:
    """The risks as the dimension grows, with Monte Carlo estimates of them."""
    with style():
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
