"""Curves of order parameters and risk along runs, with bands over runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from scipy.special import ndtri

from slrsym.documents.figures.planes import name_tex, new_axes
from slrsym.documents.figures.style import COLOURS, figure_style_context
from slrsym.kernels.arguments import float_or_nan

# More curves than this are not told apart.
_MOST = 7
# Told apart in grey as well, where two cross.
_DASHES: tuple[Any, ...] = (
    "-", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (5, 1.5, 1.2, 1.5)), (0, (8, 2)), (0, (2.5, 1)),
    (0, (8, 1.5, 1.2, 1.5, 1.2, 1.5)),
)  # fmt: skip
_SIZE, _TALL = (4.6, 3.4), (4.6, 4.6)


def plot_training_curves(
    runs: xr.Dataset,
    quantities: str | Any | Sequence[Any] | None = None,
    *,
    band: float = 0.8,
    ax: Axes | None = None,
) -> Any:
    """Draw quantities along runs: the median of all runs, and a band that holds most of them."""
    share = float_or_nan(band)
    if not 0 <= share < 1:
        raise ValueError(f"band must be the share of runs in it, from 0 to below 1; got {band!r}")
    along = next((str(d) for d in ("step", "time") if d in runs.dims), None)
    if along is None:
        dims = ", ".join(map(str, runs.dims))
        raise ValueError(f"runs must have a dimension step or time; these have {dims}")
    known = [
        str(name)
        for name, x in runs.data_vars.items()
        if along in x.dims
        and x.dtype.kind == "f"
        and not {"direction", "other", "quantity"} & {*x.dims}
    ]
    if quantities is not None:
        asked = quantities if isinstance(quantities, list | tuple) else [quantities]
        names = [str(getattr(q, "name", q)) for q in asked]
        for name in names:
            if name not in known:
                raise ValueError(f"quantities must be of {', '.join(known)}; got {name!r}")
        with figure_style_context():
            return _draw_curves(new_axes(ax, _SIZE), runs, names, along, share)
    # Parameters do not differ from run to run.
    moving = [n for n in known if n not in _RISKS and ("run" not in runs.dims
              or "run" in runs[n].dims)]  # fmt: skip
    names = _that_move_most(runs, moving)
    with figure_style_context():
        if ax is not None or "risk" not in known:
            shown = _draw_curves(new_axes(ax, _SIZE), runs, names, along, share)
            _note(shown, len(moving) - len(names))
            return shown
        import matplotlib.pyplot as plt

        both: Any = plt.subplots(
            2, 1, sharex=True, figsize=_TALL, layout="constrained", height_ratios=(5, 3)
        )[1]
        _draw_curves(both[0], runs, names, along, share)
        _note(both[0], len(moving) - len(names))
        risks: list[str] = [name for name in ("risk", "training_risk") if name in known]
        _draw_curves(both[1], runs, risks, along, share)
        both[0].set_xlabel("")
        if runs["risk"].max() > 20 * abs(runs["risk"].isel({along: -1}).median()) > 0:
            both[1].set_yscale("log")
    return both


_RISKS = ("risk", "excess_risk", "training_risk")
# Dimensions of matrices, whose entries are no draws of one number: each is a line of its own.
_ENTRIES = ("row", "column", "eigenvalue")


def _draw_curves(ax: Axes, runs: xr.Dataset, names: list[str], along: str, share: float) -> Axes:
    """Draw each of some quantities with its own colour and dashes."""
    colours = [c for name, c in COLOURS.items() if name != "grey"]
    for place, name in enumerate(names):
        colour = "black" if name in _RISKS else colours[place % len(colours)]
        style = {"color": colour, "linestyle": _DASHES[place % len(_DASHES)]}
        _draw(ax, runs, name, along, share, style)
    ax.set_xlabel(along)
    if len(names) == 1:
        ax.set_ylabel(_label(names[0]))
    elif names:
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, 1.0 + 0.1 * -(-len(names) // 4)),
                  ncols=min(len(names), 4), handlelength=2.4, columnspacing=1.2)  # fmt: skip
    return ax


def _note(ax: Axes, left_out: int) -> None:
    if left_out:
        ax.text(0.99, 0.02, f"{left_out} others are left out", transform=ax.transAxes,
                ha="right", va="bottom", fontsize=8, color=COLOURS["grey"])  # fmt: skip


def _label(name: str) -> str:
    return name.replace("_", " ") if name in _RISKS else name_tex(name)


def _draw(
    ax: Axes, runs: xr.Dataset, name: str, along: str, share: float, style: dict[str, Any]
) -> None:
    at = runs[along].values
    values = runs[name].transpose(along, ...).values.reshape(len(at), -1)
    count = values.shape[1]
    if any(str(dim).startswith(_ENTRIES) for dim in runs[name].dims):
        labels = [_label(name), *["_"] * (count - 1)]
        ax.plot(at, values, label=labels if count > 1 else labels[0], **style)
        return
    middle = np.nanmedian(values, axis=1) if np.isfinite(values).any() else values[:, 0]
    ax.plot(at, middle, label=_label(name), **style)
    if count > 1 and share:
        low, high = np.nanquantile(values, [(1 - share) / 2, (1 + share) / 2], axis=1)
    elif share and name in runs.get("quantity", ()):
        # Of runs that are predicted the law is normal.
        spread = np.sqrt(runs.covariance.sel(quantity=name, other_quantity=name).values)
        low, high = (middle + sign * ndtri((1 + share) / 2) * spread for sign in (-1, 1))
    else:
        return
    ax.fill_between(at, low, high, color=style["color"], alpha=0.12, linewidth=0)
    for edge in (low, high):
        ax.plot(at, edge, linewidth=0.6, **style)


def _that_move_most(runs: xr.Dataset, names: list[str]) -> list[str]:
    """Return at most so many names as can be told apart: those whose values differ most."""
    if len(names) <= _MOST - 1:
        return names
    spread = {n: float(np.nanmax(runs[n].values) - np.nanmin(runs[n].values)) for n in names}
    most = sorted(names, key=lambda n: -spread[n])[: _MOST - 1]
    return [n for n in names if n in most]
