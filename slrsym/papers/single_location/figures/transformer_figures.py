"""Figures 1 and 2 (a probed encoder) and 8 to 10 (Transformer layers and erf heads)."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from slrsym.documents.figures.style import (
    COLOURS,
    WIDTH,
    absolute_value_tex,
    figure_style_context,
    label_panel,
    number_tex,
    spread_label_heights,
    task_tex,
)
from slrsym.models.training.runs import wilson_intervals
from slrsym.papers.single_location.figures.runs import (
    DASHED,
    draw_mean_and_percentiles,
    format_step_axis,
    format_vertical_log_axis,
)
from slrsym.papers.single_location.probing.probe import EXAMPLE
from slrsym.papers.single_location.transformers import overlaps_with_matched_stars

# A head counts as separated where |kappa| and |nu| with its own star are both above this.
_APART = 0.8

_SOLVED, _ALIGNED = 0.02, 0.97


def flag_runs_with_own_stars(data: xr.Dataset) -> xr.DataArray:
    """Return a flag for each run: whether every head ends aligned with its own pair of stars."""
    last = abs(overlaps_with_matched_stars(data)[["kappa", "nu"]].isel(step=-1)).to_array()
    return (last > _APART).all(["variable", "head"])


def _setting(data: xr.Dataset) -> str:
    a = data.attrs
    noise = "" if a["task_n"] == 1 else f", {a['task_noise']} noise"
    return rf"{_task(data)}, $\alpha = {number_tex(a['alpha'])}$, batches of {a['batch']}{noise}"


def _task(data: xr.Dataset) -> str:
    task = task_tex(*(data.attrs[f"task_{name}"] for name in ("d", "L", "gamma")))
    return rf"{task}, $\varepsilon = {number_tex(data.attrs['task_epsilon'])}$"


def _share(count: int, total: int) -> str:
    low, high = (100 * float(end[0]) for end in wilson_intervals([count], total))
    return f"{count} of {total} ({low:.0f} to {high:.0f} %)"


def _spread(values: Any) -> str:
    x = np.ravel(values)
    return f"{np.median(x):.3g} ({x.min():.2g} to {x.max():.2g})"


def conclusion_of_layer(data: xr.Dataset) -> str:
    """Return text: the conclusion of figure 8 or 10, and whether these runs support it."""
    last = data.isel(step=-1)
    risk = f"excess risk {_spread(last.excess_risk)}"
    if data.attrs["heads"] == 1:
        kappa, nu = (np.median(abs(last[name])) for name in ("kappa", "nu"))
        good = np.median(last.excess_risk) < _SOLVED and min(kappa, nu) > _ALIGNED
        return (
            "Concluded: the layer solves the task, and its weights hold k* and v*. "
            f"{'Supported' if good else 'Not supported'} here: median |κ| {kappa:.3f}, "
            f"|ν| {nu:.3f}, {risk}."
        )
    count, total = int(flag_runs_with_own_stars(data).sum()), data.sizes["run"]
    partial = count < total
    return (
        "Concluded: low risk, while the heads recover the stars in part only. "
        f"{'Supported' if partial else 'Not supported'} here: heads separate in "
        f"{_share(count, total)} runs; {risk}."
    )


def conclusion_of_heads(data: xr.Dataset) -> str:
    """Return text: the paper's conclusion from figure 9, and whether these runs support it."""
    sampled = data.sampled.values.astype(bool)
    last = data.excess_risk.isel(step=-1).values
    apart = flag_runs_with_own_stars(data).values
    variance = data.attrs["task_n"] * data.attrs["task_gamma"] ** 2
    partial = not apart[sampled].all()
    # Solved is what leaves a tenth; a third is explained in part.
    solved = bool(np.median(last[sampled]) < variance / 10)
    verdict = {2: "Supported", 1: "Supported in part", 0: "Not supported"}[
        int(solved) + int(partial)
    ]
    return (
        "Concluded: the predictor solves the task, while each head recovers its star in part. "
        f"{verdict} here: risk "
        f"{_spread(last[sampled])} from samples, {_spread(last[~sampled])} by the exact risk, of "
        f"{variance:.2g} to explain; heads separate in "
        f"{_share(int(apart[sampled].sum()), int(sampled.sum()))} runs."
    )


def layer_figure(data: xr.Dataset) -> Figure:
    """Draw the excess risk of a Transformer layer, and the alignment of each head."""
    heads = data.attrs["heads"]
    pairs = overlaps_with_matched_stars(data)
    apart = flag_runs_with_own_stars(data)
    # Of one head lines are means; several end in different places.
    parts = [("", COLOURS["blue"], data.run == data.run, "-")]
    if heads > 1:
        parts = [
            ("heads separate", COLOURS["blue"], apart, "-"),
            ("stay mixed", COLOURS["orange"], ~apart, DASHED),
        ]
        parts = [part for part in parts if part[2].any()]
    with figure_style_context():
        figure = Figure(figsize=(WIDTH, 3.3 if heads == 1 else 3.6), layout="constrained")
        panels = figure.subplots(1, 2 if heads == 1 else 3)
        for name, colour, some, line in parts:
            each = {"each_run": heads > 1, "line": line}
            label = f"{name}: {int(some.sum())} runs" if name else None
            draw_mean_and_percentiles(
                panels[0], data.excess_risk[some.values], colour, label, **each
            )
            if heads > 1:
                for axes, overlap in zip(panels[1:], ("kappa", "nu"), strict=True):
                    draw_mean_and_percentiles(
                        axes, _by_head(pairs[overlap][some.values]), colour, **each
                    )
        format_vertical_log_axis(panels[0], "Excess risk")
        if heads == 1:
            for overlap, colour, line in (("kappa", "blue", "-"), ("nu", "orange", DASHED)):
                values = _by_head(pairs[overlap])
                draw_mean_and_percentiles(
                    panels[1],
                    values,
                    COLOURS[colour],
                    absolute_value_tex(rf"\{overlap}"),
                    line=line,
                )
            panels[1].legend(loc="center right")
            panels[1].set(ylim=(-0.03, 1.05), ylabel="Alignment with\noracle parameters")
        else:
            for axes, text in zip(panels[1:], (r"\kappa", r"\nu"), strict=True):
                axes.set(ylim=(-0.03, 1.05), ylabel=f"{absolute_value_tex(text)} of each head")
            figure.legend(loc="outside lower center", ncols=2)
        for axes, label in zip(panels, "abc", strict=False):
            label_panel(axes, f"({label})")
            format_step_axis(axes, data)
        what = "one head" if heads == 1 else f"{heads} heads"
        key = (
            f"mean of {data.sizes['run']} runs, bands from the 2.5th to the 97.5th percentile"
            if heads == 1
            else "thin lines: each run, or head; thick lines: means"
        )
        figure.suptitle(f"Transformer layer, {what}: {_setting(data)}\n{key}", fontsize=10)
    return figure


def _by_head(values: xr.DataArray) -> xr.DataArray:
    """Return absolute values, one row for each head of each run, without steps that lack values."""
    rows = abs(values).dropna("step").transpose("run", "head", "step")
    flat = rows.values.reshape(-1, rows.sizes["step"])
    return xr.DataArray(flat, {"step": rows.step.values}, ("run", "step"))


def heads_figure(data: xr.Dataset) -> Figure:
    """Draw the excess risk of erf heads, and their alignments with true and exchanged pairs."""
    pairs = abs(overlaps_with_matched_stars(data))
    sampled = data.sampled.values.astype(bool)
    kinds = (
        ("samples", {"color": COLOURS["blue"], "ls": "-"}, "o", sampled),
        ("exact risk", {"color": COLOURS["orange"], "ls": DASHED}, "^", ~sampled),
    )
    panels_of = (
        ("kappa", r"k_h \cdot k^\star"), ("nu", r"v_h \cdot v^\star"),
        ("theta", r"v_h \cdot k^\star"), ("eta", r"k_h \cdot v^\star"),
    )  # fmt: skip
    with figure_style_context():
        figure = Figure(figsize=(WIDTH, 5.5), layout="constrained")
        panels = figure.subplots(2, 3).ravel()
        for _, style, marker, some in kinds:
            colour, line = style["color"], style["ls"]
            draw_mean_and_percentiles(panels[0], data.excess_risk[some], colour, line=line)
            for axes, (name, _) in zip(panels[1:5], panels_of, strict=True):
                draw_mean_and_percentiles(axes, _by_head(pairs[name][some]), colour, line=line)
            last = pairs.isel(step=-1)
            panels[5].plot(
                last.kappa.values[some].ravel(), last.eta.values[some].ravel(), marker,
                color=colour, ms=3.5, mew=0.5, alpha=0.8,
            )  # fmt: skip
        format_vertical_log_axis(panels[0], "Excess risk")
        for axes, (name, text) in zip(panels[1:5], panels_of, strict=True):
            axes.set(
                ylim=(-0.03, 1.05),
                ylabel=absolute_value_tex(rf"\{name}") + " = " + absolute_value_tex(text),
            )
        for axes in panels[:5]:
            format_step_axis(axes, data)
        panels[5].plot([0, 1], [1, 0], color=COLOURS["grey"], lw=0.6, ls=":")
        panels[5].set(
            xlim=(-0.03, 1.05), ylim=(-0.03, 1.05),
            xlabel=absolute_value_tex(r"\kappa") + " in the end",
            ylabel=absolute_value_tex(r"\eta") + " in the end",
        )  # fmt: skip
        for axes, label in zip(panels, "abcdef", strict=True):
            label_panel(axes, f"({label})")
        keys = [
            Line2D([], [], marker=m, ms=3.5, label=f"descent by {name}", **style)
            for name, style, m, _ in kinds
        ]
        figure.legend(handles=keys, loc="outside lower center", ncols=2)
        a = data.attrs
        falls = f"{a['lam0']:g}"
        if a["rate"]:
            falls = rf"{number_tex(a['lam0'])}/(1 + {number_tex(a['rate'])}\,t)"
        held = f" until step {a['held']:,}" if 0 < a["held"] < a["steps"] and a["rate"] else ""
        key = f"means over {a['starts']} starts and all heads; bands: 2.5th to 97.5th percentile"
        figure.suptitle(
            rf"{a['heads']} erf heads: $\lambda_t = {falls}${held}, {_task(data)},"
            "\n"
            rf"$\alpha = {number_tex(a['alpha'])}$, batches of {a['batch']}, "
            f"{a['task_noise']} noise; {key}",
            fontsize=10,
        )
    return figure


# Good enough for the paper's word "separable", and for better than chance.
_SEPARABLE, _CHANCE = 0.995, 0.55


def _means(data: xr.Dataset) -> xr.DataArray:
    """Return the probes' accuracies, averaged over all hidden states but the first."""
    later: xr.DataArray = data.accuracy.isel(state=slice(1, None))
    return later.mean("state")


def conclusion_of_probing(data: xr.Dataset) -> str:
    """Return text: the paper's conclusion from figure 1, and whether this encoder supports it."""
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
    """Draw a sentence with its decisive word, and accuracies on each set of sentences."""
    with figure_style_context():
        figure = Figure(figsize=(WIDTH, 4.4), layout="constrained")
        grid = figure.add_gridspec(2, 2, height_ratios=(0.28, 1))
        above = figure.add_subplot(grid[0, :])
        below = [figure.add_subplot(grid[1, i]) for i in range(2)]
        _example(above)
        label_panel(above, "(a)")
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
        label_panel(below[0], "(b)")
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
    rows = zip(EXAMPLE, ("positive", "negative"), ("blue", "orange"), (0.62, 0.1), strict=True)
    for (text, word), sign, name, y in rows:
        before, _, after = text.partition(word)
        colour = COLOURS[name]
        look: dict[str, Any] = {"fontsize": 11, "va": "bottom"}
        beside: dict[str, Any] = look | {"xytext": (3, 0), "textcoords": "offset points"}
        first = axes.text(0.05, y, before.strip(), **look)
        second = axes.annotate(
            word, (1, 0), xycoords=first, color=colour, fontweight="bold", **beside
        )
        axes.annotate(after, (1, 0), xycoords=second, **(beside | {"xytext": (0.7, 0)}))
        axes.text(0.98, y, sign, color=colour, ha="right", **look)


def _name_words(axes: Axes, words: list[str], x: Any, y: Any, least: float) -> None:
    """Label points by words, shifted where labels would overlap."""
    # To the left, where the arrow to the decisive word does not run.
    beside = float(np.min(x)) - 0.06 * float(np.ptp(axes.dataLim.intervalx))
    for i, height in enumerate(spread_label_heights(y, least)):
        axes.plot([x[i], beside], [y[i], height], color=COLOURS["grey"], lw=0.4)
        # A word on the axis can be read if the line stops there.
        ground = {"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none"}
        axes.text(beside, height, f"{words[i]} ", va="center", ha="right", fontsize=9, bbox=ground)


def projections_figure(data: xr.Dataset) -> Figure:
    r"""Draw the words of two sentences in the plane of :math:`k^\star` and :math:`v^\star`."""
    with figure_style_context():
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
            label_panel(axes, f"({label})")
        panels[0].set_ylabel(r"$X_\ell \cdot v^\star$: what is read")
        model = str(data.attrs["model"])
        said = (
            f"initial embeddings of {model}"
            if model
            else f"schematic: tokens drawn, $d = {data.attrs['d']}$"
        )
        figure.suptitle(f"The model of a sentence; {said}", fontsize=10)
    return figure
