"""Figures 1 and 2: what a pretrained encoder keeps of a sentence, and the model of a sentence."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from slrsym.figures.style import COLOURS, WIDTH, labelled, spread, style
from slrsym.probing.sentences import EXAMPLE

__all__ = ["probing_figure", "projections_figure", "seen_of_probing"]

# Good enough for the paper's word "separable", and for better than chance.
_SEPARABLE, _CHANCE = 0.995, 0.55


def _means(data: xr.Dataset) -> xr.DataArray:
    """The accuracy of hidden states after the first, averaged."""
    later: xr.DataArray = data.accuracy.isel(state=slice(1, None))
    return later.mean("state")


def seen_of_probing(data: xr.Dataset) -> str:
    """What the paper concludes from figure 1, and whether this encoder supports it."""
    means, said = _means(data), []
    for scaling in data.scaling.values:
        found = means.sel(scaling=scaling)
        worst = float(found.isel(set=slice(1, None)).min())
        train = float(found.sel(set="train"))
        good = train > _SEPARABLE and worst > _CHANCE
        said.append(
            f"{'supported' if good else 'not supported'} on {scaling} features (train {train:.3f}, "
            f"worst test set {worst:.2f})"
        )
    return (
        "Concluded: after one layer [CLS] separates the labels, also on other sentences, better "
        f"than chance; before, not at all. In the encoder {data.attrs['model']}: {'; '.join(said)}."
    )


def probing_figure(data: xr.Dataset) -> Figure:
    """An example with its decisive word, and accuracies on each set of sentences."""
    with style():
        figure = Figure(figsize=(WIDTH, 4.4), layout="constrained")
        grid = figure.add_gridspec(2, 2, height_ratios=(0.28, 1))
        above = figure.add_subplot(grid[0, :])
        below = [figure.add_subplot(grid[1, i]) for i in range(2)]
        _example(above)
        labelled(above, "(a)")
        names = [str(name) for name in data.set.values]
        x, width = np.arange(len(names)), 0.38
        for axes, scaling in zip(below, data.scaling.values, strict=True):
            found = data.accuracy.sel(scaling=scaling)
            bars = (
                ("layer 0", found.isel(state=0), "grey"),
                (
                    f"mean of layers 1 to {data.attrs['layers']}",
                    _means(data).sel(scaling=scaling),
                    "blue",
                ),
            )
            for at, (label, values, colour) in enumerate(bars):
                drawn = axes.bar(
                    x + (at - 0.5) * width, values, width, color=COLOURS[colour], label=label
                )
                if at:
                    axes.bar_label(drawn, fmt="%.2f", fontsize=9, padding=1)
            axes.axhline(0.5, color="black", lw=0.7, ls=":", label="chance")
            axes.set(ylim=(0.4, 1.08), title=f"{scaling} features")
            axes.set_xticks(x, [name.replace(" ", "\n") for name in names])
            axes.grid(visible=False, axis="x")
        below[0].set_ylabel("accuracy")
        labelled(below[0], "(b)")
        figure.legend(*below[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
        sizes = ", ".join(f"{int(n):,}" for n in data.attrs["sentences"])
        figure.suptitle(
            f"Encoder: {data.attrs['model']} (SHA-256 {str(data.attrs['weights'])[:12]}…)\n"
            f"logistic regression on [CLS]; {sizes} sentences",
            fontsize=10,
        )
    return figure


def _example(axes: Axes) -> None:
    axes.set_axis_off()
    rows = zip(EXAMPLE, ("positive", "negative"), ("blue", "orange"), (0.75, 0.2), strict=True)
    for (text, word), sign, name, y in rows:
        before, _, after = text.partition(word)
        colour = COLOURS[name]
        look: dict[str, Any] = {"fontsize": 11, "va": "bottom"}
        beside: dict[str, Any] = look | {"xytext": (3, 0), "textcoords": "offset points"}
        first = axes.text(0.02, y, before.strip(), **look)
        second = axes.annotate(
            word, (1, 0), xycoords=first, color=colour, fontweight="bold", **beside
        )
        axes.annotate(after, (1, 0), xycoords=second, **(beside | {"xytext": (0.7, 0)}))
        axes.text(0.98, y, sign, color=colour, ha="right", **look)


def _name_words(axes: Axes, words: list[str], x: Any, y: Any, least: float) -> None:
    """Names beside their points, moved apart where these are close."""
    # To the left, where the arrow to the decisive word does not run.
    beside = float(np.min(x)) - 0.06 * float(np.ptp(axes.dataLim.intervalx))
    for i, height in enumerate(spread(y, least)):
        axes.plot([x[i], beside], [y[i], height], color=COLOURS["grey"], lw=0.4)
        # A word on the axis can be read if the line stops there.
        ground = {"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none"}
        axes.text(beside, height, f"{words[i]} ", va="center", ha="right", fontsize=9, bbox=ground)


def projections_figure(data: xr.Dataset) -> Figure:
    r"""Words of two sentences in the plane of :math:`k^\star` and :math:`v^\star`."""
    with style():
        figure = Figure(figsize=(WIDTH, 3.3), layout="constrained")
        panels = figure.subplots(1, 2, sharex=True, sharey=True)
        gap = 0.085 * float(np.ptp(data.value.values))
        for axes, sentence, label, name in zip(
            panels, data.sentence.values, "ab", ("blue", "orange"), strict=True
        ):
            one = data.isel(sentence=sentence)
            words = [str(word) for word in one.word.values]
            at = int(one.decisive)
            axes.axhline(0, color=COLOURS["grey"], lw=0.7)
            axes.axvline(0, color=COLOURS["grey"], lw=0.7)
            x, y = one.select.values, one.value.values
            axes.plot([x[at], x[at]], [0, y[at]], ":", color=COLOURS[name], lw=1)
            axes.plot([0, x[at]], [y[at], y[at]], ":", color=COLOURS[name], lw=1)
            axes.annotate(
                "", (x[at], y[at]), (0, 0), arrowprops={"arrowstyle": "-|>", "color": COLOURS[name]}
            )
            others = np.arange(len(words)) != at
            axes.plot(x[others], y[others], "o", color=COLOURS["grey"], ms=4)
            axes.plot(x[at], y[at], "o", color=COLOURS[name], ms=6)
            _name_words(axes, [words[i] for i in np.flatnonzero(others)], x[others], y[others], gap)
            # Away from the axis, where no line runs.
            up = y[at] >= 0
            axes.annotate(
                words[at], (x[at], y[at]), xytext=(0, 7 if up else -7), textcoords="offset points",
                ha="center", va="bottom" if up else "top", fontweight="bold", color=COLOURS[name],
            )  # fmt: skip
            axes.set_xlabel(r"$X_\ell \cdot k^\star$: which token is read")
            axes.grid(visible=False)
            axes.margins(0.17)
            labelled(axes, f"({label})")
        panels[0].set_ylabel(r"$X_\ell \cdot v^\star$: what is read")
        model = str(data.attrs["model"])
        said = (
            f"initial embeddings of {model}"
            if model
            else f"schematic: tokens drawn, $d = {data.attrs['d']}$"
        )
        figure.suptitle(f"The model of a sentence; {said}", fontsize=10)
    return figure
